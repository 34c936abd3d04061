// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"strings"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
)

// Plan is a set of jobs as frames. Job i has the frames ByJob[i], in the order of its packets.
type Plan struct {
	Jobs   []Job
	Frames []Frame
	ByJob  [][]int
}

// planned is a frame before the frames are put in order; dependencies are numbers of planned frames.
type planned struct {
	Frame
	rank  int // place among the packets of one arrival: in turn the packet's number, loads before; or the job's own
	order int
}

// keySlot is a key slot of a cluster during planning.
type keySlot struct {
	key   string
	owner int // -1: empty
	load  int // the frame that loaded it
	users []int
	busy  int // rough time at which its users are done
}

// planEntry is a virtual choose-list entry: one chained job at a time.
type planEntry struct {
	last int // last frame of its job, -1: none
	busy int
}

// NewPlan splits jobs into packets and finds what has to wait for what: a chained job takes one of as many virtual
// entries as the choose list has and waits for the last result of the entry's job before; a key slot is loaded anew
// when all users of its old key have their results, and erased first when it changes its owner.
func NewPlan(d *design.Design, jobs []Job) (*Plan, error) {
	p := &Plan{Jobs: jobs, ByJob: make([][]int, len(jobs))}
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool {
		x, y := &jobs[order[a]], &jobs[order[b]]
		if x.arrival(0) != y.arrival(0) || len(x.Places) == 0 || len(y.Places) == 0 {
			return x.arrival(0) < y.arrival(0)
		}
		return x.Places[0] < y.Places[0]
	})

	var all []planned
	slots := make([][]keySlot, len(d.Clusters))
	entries := make([][]planEntry, len(d.Clusters))
	for i, c := range d.Clusters {
		slots[i] = make([]keySlot, c.KeySlots)
		for k := range slots[i] {
			slots[i][k] = keySlot{owner: -1, load: -1}
		}
		entries[i] = make([]planEntry, c.Choose)
		for k := range entries[i] {
			entries[i][k].last = -1
		}
	}
	open := map[[3]int]int{} // {cluster, requester, task} -> last frame of the chained job that has it

	control := func(j *Job, oi int, h Header, payload []byte, after []int, sent []int, rank int) int {
		h.Version, h.Cluster, h.Cookie = 1, uint8(j.Cluster), uint32(len(all))
		h.Length = uint16(len(payload))
		all = append(all, planned{Frame: Frame{
			Arrival: j.arrival(0), TID: j.Requester, Group: j.Cluster, Job: -1,
			Bytes: append(h.Bytes(), payload...), AfterResult: after, AfterSent: sent,
		}, rank: rank, order: oi})
		return len(all) - 1
	}

	for oi, ji := range order {
		j := &jobs[ji]
		rank := func(n int) int { // loads are n = -1, -2; they come before all else of the same place
			if j.Places != nil {
				return int(j.Places[max(n, 0)])
			}
			return n
		}
		c := d.Clusters[j.Cluster]
		sizes := j.Split
		if sizes == nil {
			pb := j.PacketBytes
			if pb == 0 {
				pb = d.PktBytes
			}
			sizes = SplitEven(len(j.Data), pb)
		}
		if n := len(sizes); j.Arrivals != nil && len(j.Arrivals) != n || j.Places != nil && len(j.Places) != n {
			return nil, fmt.Errorf("job %d: %d packets, %d arrivals, %d places", j.ID, n, len(j.Arrivals), len(j.Places))
		}
		start := oi // rough time

		// key slot
		ks := slots[j.Cluster]
		si := slices.IndexFunc(ks, func(s keySlot) bool { return s.owner == j.Requester && s.key == string(j.Key) })
		if si < 0 {
			si = 0
			for k := range ks {
				if ks[k].busy < ks[si].busy {
					si = k
				}
			}
			s := &ks[si]
			after := slices.Clone(s.users)
			var sent []int
			if s.owner >= 0 {
				sent = []int{s.load}
			}
			if s.owner >= 0 && s.owner != j.Requester {
				o := Job{Arrival: j.arrival(0), Requester: s.owner, Cluster: j.Cluster}
				e := control(&o, oi, Header{Cmd: cipher.LoadKey, KeySlot: uint8(si)}, nil, after, sent, rank(-2))
				after, sent = []int{e}, nil
			}
			start = max(start, s.busy)
			s.load = control(j, oi, Header{Cmd: cipher.LoadKey, KeySlot: uint8(si)}, j.Key, after, sent, rank(-1))
			s.key, s.owner, s.users = string(j.Key), j.Requester, []int{s.load}
		}
		slot := &ks[si]

		// choose-list entry
		var firstAfter []int
		chained := j.Mode.Chained()
		var ent *planEntry
		id := [3]int{j.Cluster, j.Requester, int(uint16(j.ID))}
		if chained {
			es := entries[j.Cluster]
			ent = &es[0]
			for k := range es {
				if es[k].busy < ent.busy {
					ent = &es[k]
				}
			}
			if ent.last >= 0 {
				firstAfter = append(firstAfter, ent.last)
			}
			if l, ok := open[id]; ok && l != ent.last {
				firstAfter = append(firstAfter, l)
			}
			start = max(start, ent.busy)
		}

		off, prev := 0, slot.load
		for n, size := range sizes {
			last := n == len(sizes)-1
			h := Header{
				Version: 1, Cluster: uint8(j.Cluster), Cmd: j.Cmd, Mode: j.Mode, Task: uint16(j.ID),
				No: SeqNo(n), Length: uint16(size), KeySlot: uint8(si), Cookie: uint32(len(all)),
			}
			var iv []byte
			switch {
			case j.Mode == cipher.CTR:
				iv = cipher.AddCounter(j.IV, uint64(off/16))
			case j.Mode == cipher.MAC:
				if j.Cmd == cipher.Verify && last {
					iv = j.Tag
				}
			case chained && n == 0:
				iv = j.IV
			}
			if last {
				h.Flags |= FlagLast
			}
			if iv != nil {
				h.Flags |= FlagIV
			}
			if off+size > len(j.Data) {
				return nil, fmt.Errorf("job %d: the packets are longer than the data", j.ID)
			}
			f := planned{Frame: Frame{
				Arrival: j.arrival(n), TID: j.Requester, Group: j.Cluster, Job: ji, Seq: n,
				Bytes:     append(append(h.Bytes(), iv...), j.Data[off:off+size]...),
				AfterSent: []int{prev},
			}, rank: rank(n), order: oi}
			if n == 0 {
				f.AfterResult = firstAfter
			}
			prev = len(all)
			all = append(all, f)
			p.ByJob[ji] = append(p.ByJob[ji], prev)
			if !chained || last {
				slot.users = append(slot.users, prev)
			}
			off += size
		}
		if off != len(j.Data) {
			return nil, fmt.Errorf("job %d: the packets are shorter than the data", j.ID)
		}
		done := start + len(sizes)
		slot.busy = max(slot.busy, done)
		if chained {
			ent.last, ent.busy = prev, done
			open[id] = prev
		}
		_ = c
	}

	// the order of sending: by arrival, then round robin
	perm := make([]int, len(all))
	for i := range perm {
		perm[i] = i
	}
	sort.SliceStable(perm, func(a, b int) bool {
		x, y := &all[perm[a]], &all[perm[b]]
		if x.Arrival != y.Arrival {
			return x.Arrival < y.Arrival
		}
		if x.rank != y.rank {
			return x.rank < y.rank
		}
		return x.order < y.order
	})
	place := make([]int, len(all))
	for at, i := range perm {
		place[i] = at
	}
	move := func(l []int) {
		for i := range l {
			l[i] = place[l[i]]
		}
	}
	p.Frames = make([]Frame, len(all))
	for i := range all {
		f := all[i].Frame
		f.AfterSent, f.AfterResult = slices.Clone(f.AfterSent), slices.Clone(f.AfterResult)
		move(f.AfterSent)
		move(f.AfterResult)
		h := f.Bytes[:HeaderBytes]
		nh := ParseHeader(h)
		nh.Cookie = uint32(place[i])
		copy(h, nh.Bytes())
		p.Frames[place[i]] = f
	}
	for _, l := range p.ByJob {
		move(l)
	}
	return p, nil
}

// arrival of packet n.
func (j *Job) arrival(n int) uint64 {
	if n < len(j.Arrivals) {
		return j.Arrivals[n]
	}
	return j.Arrival
}

// SeqNo is the sequence number of a job's packet n: 0, 1, .. 65535, then 1 again.
func SeqNo(n int) uint16 {
	if n > 0 {
		n = (n-1)%65535 + 1
	}
	return uint16(n)
}

// SplitEven cuts n bytes into packets of size bytes; no bytes are one empty packet.
func SplitEven(n, size int) []int {
	if n == 0 {
		return []int{0}
	}
	var out []int
	for ; n > 0; n -= size {
		out = append(out, min(n, size))
	}
	return out
}

// Stimulus of the plan, without gaps and stalls.
func (p *Plan) Stimulus(d *design.Design) *Stimulus {
	return &Stimulus{Frames: p.Frames, GroupLimit: GroupLimits(d), Seed: 1}
}

// GroupLimits keeps the frames in flight of each cluster within its quota, so that none is refused for it.
func GroupLimits(d *design.Design) []int {
	g := make([]int, len(d.Clusters))
	for i, c := range d.Clusters {
		if c.HasQuota && c.SlotQuota < d.Slots {
			g[i] = c.SlotQuota
		}
	}
	return g
}

// Join makes results of jobs from results of frames. It fails if a frame has no result, or two.
func (p *Plan) Join(o *Outcome) ([]JobResult, error) {
	byFrame := make([]int, len(p.Frames))
	for i := range byFrame {
		byFrame[i] = -1
	}
	for i := range o.Results {
		f := o.Results[i].Frame
		switch {
		case f < 0 || f >= len(byFrame):
			return nil, fmt.Errorf("result %d (%x) belongs to no frame", i, o.Results[i].Bytes)
		case byFrame[f] >= 0:
			return nil, fmt.Errorf("frame %d has two results", f)
		}
		byFrame[f] = i
	}
	loads := map[[2]int]Status{} // a load's failure explains its job's
	for i := range p.Frames {
		if f := &p.Frames[i]; f.Job < 0 && byFrame[i] >= 0 {
			if s := Status(o.Results[byFrame[i]].Header().Status); s != OK {
				loads[[2]int{f.Group, int(f.Header().KeySlot)}] = s
			}
		}
	}
	out := make([]JobResult, len(p.Jobs))
	for ji := range p.Jobs {
		j := &p.Jobs[ji]
		r := JobResult{Job: j.ID, Requester: j.Requester, Status: OK.String()}
		var data []byte
		for n, fi := range p.ByJob[ji] {
			ri := byFrame[fi]
			if ri < 0 {
				return nil, fmt.Errorf("job %d: packet %d has no result", j.ID, n)
			}
			res := &o.Results[ri]
			h := res.Header()
			r.Cores = append(r.Cores, int(h.KeySlot))
			if r.Status == OK.String() {
				if Status(h.Status) == OK {
					data = append(data, res.Payload()...)
				} else {
					r.Status = Status(h.Status).String()
				}
			}
			if n == 0 {
				r.FirstCycle = o.Sent[fi].First
			}
			r.LastCycle = max(r.LastCycle, res.Last)
		}
		r.Data = hex.EncodeToString(data)
		out[ji] = r
	}
	if len(loads) > 0 {
		return out, fmt.Errorf("%d key loads were refused", len(loads))
	}
	return out, nil
}

// Expect is what a job's result must be: status and data.
func Expect(d *design.Design, j *Job) (status string, data []byte, err error) {
	c := d.Clusters[j.Cluster]
	if !Supports(c, j.Cmd, j.Mode) {
		return Unsupported.String(), nil, nil
	}
	out, ok, err := cipher.Run(c.Algorithm, j.Cmd, j.Mode, j.Key, j.IV, j.Data, j.Tag)
	if err != nil {
		return "", nil, err
	}
	if !ok {
		return MACMismatch.String(), nil, nil
	}
	return OK.String(), out, nil
}

// Supports says whether some core of the cluster does a command in a mode.
func Supports(c *design.Cluster, cmd cipher.Cmd, mode cipher.Mode) bool {
	if !cipher.Legal(cmd, mode) {
		return false
	}
	bit := uint(cmd)
	if cipher.NeedsInverse(cmd, mode) {
		bit += 4
	}
	return c.Support>>bit&1 == 1
}

// Supported are the modes in which some core of the cluster does a command, those first that are taken where none is named.
func Supported(c *design.Cluster, cmd cipher.Cmd) []cipher.Mode {
	var out []cipher.Mode
	for _, m := range []cipher.Mode{cipher.ECB, cipher.CBC, cipher.CTR, cipher.CFB, cipher.OFB, cipher.MAC} {
		if Supports(c, cmd, m) {
			out = append(out, m)
		}
	}
	return out
}

// HintModes says in which modes a cluster does a command.
func HintModes(c *design.Cluster, cmd cipher.Cmd) string {
	ms := Supported(c, cmd)
	if len(ms) == 0 {
		return fmt.Sprintf("no core of it does %s", cmd)
	}
	names := make([]string, len(ms))
	for i, m := range ms {
		names[i] = m.String()
	}
	return fmt.Sprintf("it does %s in %s", cmd, strings.Join(names, ", "))
}

// CheckJobs compares results of jobs with the reference; it returns one message a wrong job.
func CheckJobs(d *design.Design, jobs []Job, rs []JobResult) []string {
	var bad []string
	for i := range jobs {
		want, data, err := Expect(d, &jobs[i])
		switch {
		case err != nil:
			bad = append(bad, fmt.Sprintf("job %d: %v", jobs[i].ID, err))
		case rs[i].Status != want:
			bad = append(bad, fmt.Sprintf("job %d (%s %s, %d bytes): status %s, not %s", jobs[i].ID, jobs[i].Cmd,
				jobs[i].Mode, len(jobs[i].Data), rs[i].Status, want))
		case rs[i].Data != hex.EncodeToString(data):
			bad = append(bad, fmt.Sprintf("job %d (%s %s, %d bytes): data %.200s, not %.200x", jobs[i].ID, jobs[i].Cmd,
				jobs[i].Mode, len(jobs[i].Data), rs[i].Data, data))
		}
	}
	return bad
}

// CheckOutcome checks every result frame of a run by itself, and with the packet before of its job.
func (p *Plan) CheckOutcome(d *design.Design, o *Outcome) []string {
	bad := slices.Clone(o.Violations)
	before := map[int]int{} // the frame before of a chained job
	for j, frames := range p.ByJob {
		for n := 1; n < len(frames) && p.Jobs[j].Mode.Chained(); n++ {
			before[frames[n]] = frames[n-1]
		}
	}
	result := map[int]*Result{}
	for i := range o.Results {
		result[o.Results[i].Frame] = &o.Results[i]
	}
	for i := range o.Results {
		r := &o.Results[i]
		if r.Frame < 0 || r.Frame >= len(p.Frames) {
			bad = append(bad, fmt.Sprintf("result %d (%.80x) belongs to no frame", i, r.Bytes))
			continue
		}
		f := &p.Frames[r.Frame]
		cores := 0
		if f.Job >= 0 {
			cores = d.Clusters[f.Group].NumCores
		}
		err := CheckFrame(f, r, cores, d.ReportCore)
		if b, ok := before[r.Frame]; ok && err == nil && computed(r) && result[b] != nil {
			err = follows(d, r, result[b])
		}
		if err != nil {
			bad = append(bad, fmt.Sprintf("frame %d: %v", r.Frame, err))
		}
	}
	return bad
}
