// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"math/rand"
	"slices"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
)

// FrameGen builds a strict stimulus frame by frame beside a model: each frame waits for as many results as it takes to
// make its answer certain.
type FrameGen struct {
	D      *design.Design
	Rng    *rand.Rand
	Frames []Frame
	Events []Event
	Want   []*Answer // what the model said

	m       *Model
	seed    int64
	recv    []bool // results that have been waited for
	waitAll bool
}

// NewFrameGen starts a stimulus.
func NewFrameGen(d *design.Design, seed int64) *FrameGen {
	return &FrameGen{D: d, Rng: rand.New(rand.NewSource(seed)), m: NewModel(d), seed: seed}
}

// taskID is one of few job ids, of all 16 bits: those of 2n and 2n+1 differ in a single bit, another one for each n.
func (g *FrameGen) taskID(n int) int {
	id := n / 2 * 0x9e37
	if n%2 == 1 {
		id ^= 1 << ((n/2*5 + int(g.seed&15)) & 15)
	}
	return id & 0xffff
}

// Restart forgets jobs and keys: the frames from here on come after a clear or a reset.
func (g *FrameGen) Restart() { g.m = NewModel(g.D) }

// Wait makes the next frame wait for the results of all frames before it.
func (g *FrameGen) Wait() {
	g.waitAll = true
}

// Add appends a frame and returns its answer.
func (g *FrameGen) Add(f Frame) *Answer {
	id := len(g.Frames)
	f.Job = -1
	f.Group = -1
	if h := f.Header(); int(h.Cluster) < len(g.D.Clusters) {
		f.Group = int(h.Cluster)
	}
	// the cookie is the frame's number, where there is one
	if f.Beats == nil && len(f.Bytes) >= HeaderBytes {
		c := ParseHeader(f.Bytes)
		c.Cookie = uint32(id)
		copy(f.Bytes, c.Bytes())
	}
	if g.waitAll {
		for i := range g.Frames {
			if !g.isKnown(i) {
				f.AfterResult = append(f.AfterResult, i)
				g.markKnown(i)
			}
		}
		g.waitAll = false
	}
	var a *Answer
	for {
		var wait []int
		a, wait = g.m.Step(id, &f, g.isKnown)
		if wait == nil {
			break
		}
		if len(wait) == 0 {
			panic("the model waits for nothing")
		}
		for _, w := range wait {
			if !g.isKnown(w) {
				f.AfterResult = append(f.AfterResult, w)
				g.markKnown(w)
			}
		}
	}
	g.Frames = append(g.Frames, f)
	g.Want = append(g.Want, a)
	return a
}

func (g *FrameGen) isKnown(i int) bool {
	for len(g.recv) <= i {
		g.recv = append(g.recv, false)
	}
	return g.recv[i]
}

func (g *FrameGen) markKnown(i int) {
	g.isKnown(i)
	g.recv[i] = true
}

// Stimulus of the frames so far.
func (g *FrameGen) Stimulus(seed int64) *Stimulus {
	return &Stimulus{
		Frames: g.Frames, Strict: true, Events: g.Events, Seed: seed, GroupLimit: GroupLimits(g.D),
	}
}

// Pack makes a frame's bytes: header with the IV flag and length set from what follows.
func Pack(h Header, iv, data []byte) []byte {
	h.Version = 1
	if iv != nil {
		h.Flags |= FlagIV
	}
	h.Length = uint16(len(data))
	return append(append(h.Bytes(), iv...), data...)
}

// Beatify cuts bytes into beats of width bytes with correct tkeep and tlast.
func Beatify(b []byte, width int) []Beat {
	var out []Beat
	for i := 0; i < len(b); i += width {
		part := b[i:min(i+width, len(b))]
		d := make([]byte, width)
		copy(d, part)
		out = append(out, Beat{Keep: uint16(1<<len(part) - 1), Data: d, Last: i+width >= len(b)})
	}
	return out
}

// Random bytes.
func (g *FrameGen) Random(n int) []byte {
	b := make([]byte, n)
	g.Rng.Read(b)
	return b
}

// Pair is a command with a mode.
type Pair struct {
	Cmd  cipher.Cmd
	Mode cipher.Mode
}

// Pairs is what a cluster can do, chained modes or the others.
func Pairs(c *design.Cluster, chained bool) []Pair {
	var out []Pair
	for cmd := cipher.Encrypt; cmd <= cipher.Verify; cmd++ {
		for m := cipher.ECB; m <= cipher.MAC; m++ {
			if m.Chained() == chained && Supports(c, cmd, m) {
				out = append(out, Pair{cmd, m})
			}
		}
	}
	return out
}

// openJobs lists the open entries of a cluster in a fixed order.
func (g *FrameGen) openJobs(c int) [][2]int {
	var out [][2]int
	for k, e := range g.m.cl[c].entries {
		if e.open() {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b [2]int) int {
		if a[0] != b[0] {
			return a[0] - b[0]
		}
		return a[1] - b[1]
	})
	return out
}

// usable lists the slots of a cluster that a requester may use for a command.
func (g *FrameGen) usable(c, tid int, cmd cipher.Cmd) []int {
	var out []int
	for i := range g.m.cl[c].slots {
		s := &g.m.cl[c].slots[i]
		if s.key != nil && s.owner == tid && !s.barred && (s.perm == 0 || s.perm>>cmd&1 == 1) {
			out = append(out, i)
		}
	}
	return out
}

// size is a random payload size.
func (g *FrameGen) size(mode cipher.Mode, last bool) int {
	n := 16 * (1 + g.Rng.Intn(g.D.PktBlocks))
	if g.Rng.Intn(3) == 0 {
		n = g.D.PktBytes
	}
	if last && mode != cipher.ECB && mode != cipher.CBC && g.Rng.Intn(2) == 0 {
		n -= g.Rng.Intn(16)
	}
	return n
}

// NextPacket is the next good packet of an open job.
func (g *FrameGen) NextPacket(c int, k [2]int, last bool) Frame {
	e := g.m.cl[c].entries[k]
	h := Header{
		Cluster: uint8(c), Cmd: e.cmd, Mode: e.mode, Task: uint16(k[1]), No: e.no, KeySlot: uint8(e.key),
	}
	n := g.size(e.mode, last)
	if last && e.mode != cipher.MAC && g.Rng.Intn(6) == 0 {
		n = 0
	}
	data := g.Random(n)
	var iv []byte
	if last {
		h.Flags |= FlagLast
		if e.cmd == cipher.Verify {
			x := e.chain
			iv = x.Packet(data, true)
			if g.Rng.Intn(3) == 0 {
				iv[g.Rng.Intn(16)] ^= 1 << g.Rng.Intn(8)
			}
		}
	}
	return Frame{TID: k[0], Bytes: Pack(h, iv, data)}
}

// FirstPacket opens a chained job.
func (g *FrameGen) FirstPacket(c, tid, task, slot int, p Pair, last bool) Frame {
	h := Header{Cluster: uint8(c), Cmd: p.Cmd, Mode: p.Mode, Task: uint16(task), KeySlot: uint8(slot)}
	n := g.size(p.Mode, last)
	if last && p.Mode == cipher.MAC && g.Rng.Intn(4) == 0 {
		n = 0
	}
	data := g.Random(n)
	var iv []byte
	if p.Mode != cipher.MAC {
		iv = g.Random(16)
	}
	if last {
		h.Flags |= FlagLast
		if p.Cmd == cipher.Verify {
			iv = g.Random(16)
			if s := g.m.cl[c].slots; slot < len(s) && s[slot].key != nil && g.Rng.Intn(3) > 0 {
				if b, err := cipher.New(g.D.Clusters[c].Algorithm, s[slot].key); err == nil {
					iv = cipher.CMAC(b, data)
				}
			}
		}
	}
	return Frame{TID: tid, Bytes: Pack(h, iv, data)}
}

// SinglePacket is an ECB or CTR packet.
func (g *FrameGen) SinglePacket(c, tid, slot int, p Pair) Frame {
	h := Header{
		Cluster: uint8(c), Cmd: p.Cmd, Mode: p.Mode, Task: uint16(g.taskID(g.Rng.Intn(64))), No: uint16(g.Rng.Intn(1 << 16)),
		KeySlot: uint8(slot), Flags: uint8(g.Rng.Intn(2)),
	}
	data := g.Random(g.size(p.Mode, h.Flags&FlagLast != 0))
	var iv []byte
	if p.Mode == cipher.CTR {
		iv = g.Random(16)
		if g.Rng.Intn(4) == 0 {
			for i := 4 + g.Rng.Intn(11); i < 16; i++ {
				iv[i] = 0xff
			}
		}
	}
	return Frame{TID: tid, Bytes: Pack(h, iv, data)}
}

// Load is a key load; no key erases.
func (g *FrameGen) Load(c, tid, slot int, perm uint8, key []byte) Frame {
	h := Header{
		Cluster: uint8(c), Cmd: cipher.LoadKey, Mode: cipher.Mode(perm), KeySlot: uint8(slot),
		Task: uint16(g.Rng.Intn(1 << 16)), No: uint16(g.Rng.Intn(1 << 16)), Flags: uint8(g.Rng.Intn(2)),
	}
	return Frame{TID: tid, Bytes: Pack(h, nil, key)}
}

// AbortJob is an abort.
func (g *FrameGen) AbortJob(c, tid, task int) Frame {
	h := Header{
		Cluster: uint8(c), Cmd: cipher.Abort, Mode: cipher.Mode(g.Rng.Intn(16)), KeySlot: uint8(g.Rng.Intn(256)),
		Task: uint16(task), No: uint16(g.Rng.Intn(1 << 16)), Flags: uint8(g.Rng.Intn(2)),
	}
	return Frame{TID: tid, Bytes: Pack(h, nil, nil)}
}

// Malformed breaks a good frame so that it is refused at ingress. One that is broken already stays as it is.
func (g *FrameGen) Malformed(f Frame) Frame {
	if len(f.Bytes) < HeaderBytes {
		return f
	}
	good := f
	w := g.D.KeepW
	set := func(at int, v byte) { f.Bytes[at] = v }
	for {
		f = good
		f.Bytes = slices.Clone(good.Bytes)
		switch g.Rng.Intn(18) {
		case 0:
			set(0, byte(g.Rng.Intn(256)))
		case 1:
			set(1, byte(len(g.D.Clusters)+g.Rng.Intn(256-len(g.D.Clusters))))
		case 2:
			set(3, f.Bytes[3]|4<<g.Rng.Intn(6))
		case 3:
			set(11, byte(1+g.Rng.Intn(255)))
		case 4:
			set(3, f.Bytes[3]^FlagIV)
		case 5:
			if max := 1 << g.D.TidW; max > g.D.Requesters {
				f.TID = g.D.Requesters + g.Rng.Intn(max-g.D.Requesters)
			}
		case 6:
			set(2, byte(g.Rng.Intn(256)))
		case 7: // over packet_bytes, the frame as long as it says
			h := ParseHeader(f.Bytes)
			h.Length = uint16(g.D.PktBytes + 16*(1+g.Rng.Intn(3)))
			iv := 0
			if h.Flags&FlagIV != 0 {
				iv = 16
			}
			f.Bytes = append(h.Bytes(), g.Random(iv+int(h.Length))...)
		case 8: // longer than it says
			f.Bytes = append(f.Bytes, g.Random(1+g.Rng.Intn(4*g.D.PktBytes))...)
		case 9: // shorter
			f.Bytes = f.Bytes[:len(f.Bytes)-1-g.Rng.Intn(len(f.Bytes)-HeaderBytes+1)]
		case 10: // under 16 bytes
			f.Bytes = f.Bytes[:1+g.Rng.Intn(15)]
		case 11: // length field alone
			h := ParseHeader(f.Bytes)
			h.Length = uint16(g.Rng.Intn(1 << 16))
			copy(f.Bytes, h.Bytes())
		case 12: // not the last, not a multiple of 16
			h := ParseHeader(f.Bytes)
			h.Flags &^= FlagLast
			iv := 0
			if h.Flags&FlagIV != 0 {
				iv = 16
			}
			n := g.Rng.Intn(g.D.PktBytes)
			h.Length = uint16(n)
			f.Bytes = append(h.Bytes(), g.Random(iv+n)...)
		default:
			f = g.badKeep(f, w)
		}
		if a := Ingress(g.D, &f); !a.Allows(OK) {
			return f
		}
	}
}

// badKeep breaks tkeep somewhere behind the header.
func (g *FrameGen) badKeep(f Frame, w int) Frame {
	h := ParseHeader(f.Bytes)
	h.Cookie = uint32(len(g.Frames))
	b := append(h.Bytes(), f.Bytes[HeaderBytes:]...)
	if g.Rng.Intn(4) == 0 {
		b = append(b, g.Random(g.Rng.Intn(64))...)
	}
	beats := Beatify(b, w)
	hb := HeaderBytes / w
	if len(beats) <= hb {
		beats[len(beats)-1].Last = false
		beats = append(beats, Beat{Last: true, Data: g.Random(w)}) // tkeep 0 at tlast
		return Frame{TID: f.TID, Beats: beats}
	}
	i := hb + g.Rng.Intn(len(beats)-hb)
	full := uint16(1<<w - 1)
	switch g.Rng.Intn(5) {
	case 0:
		beats[i].Keep = 0
	case 1:
		beats[i].Keep = full >> (1 + g.Rng.Intn(w-1))
	case 2:
		beats[i].Keep = full &^ (1 << g.Rng.Intn(w-1))
	case 3:
		beats[i].Keep = uint16(g.Rng.Intn(int(full) + 1))
	case 4:
		beats[len(beats)-1].Last = false
		beats = append(beats, Beat{Last: true, Data: g.Random(w)})
	}
	for j := range beats {
		for k := range w {
			if beats[j].Keep>>k&1 == 0 {
				beats[j].Data[k] = byte(g.Rng.Intn(256)) // what is not kept must not matter
			}
		}
	}
	return Frame{TID: f.TID, Beats: beats}
}

// LoadAll loads a key into about two thirds of the key slots, for requesters in turn.
func (g *FrameGen) LoadAll() {
	for c, cl := range g.D.Clusters {
		for s := range cl.KeySlots {
			if s > 0 && s%3 == 2 {
				continue
			}
			g.Add(g.Load(c, s%g.D.Requesters, s, 0, g.Random(cl.KeyBytes)))
		}
	}
}

// RandomFrames adds n frames: jobs of all kinds that interleave, key loads and erases, aborts, and each kind of error.
func (g *FrameGen) RandomFrames(n int) {
	for end := len(g.Frames) + n; len(g.Frames) < end; {
		g.Add(g.randomFrame())
	}
}

func (g *FrameGen) randomFrame() Frame {
	r := g.Rng
	c := r.Intn(len(g.D.Clusters))
	cl := g.D.Clusters[c]
	tid := r.Intn(g.D.Requesters)
	open := g.openJobs(c)
	chained, singles := Pairs(cl, true), Pairs(cl, false)
	anySlot := func() int { return r.Intn(cl.KeySlots) }
	slotFor := func(cmd cipher.Cmd) int {
		for try := 0; try < g.D.Requesters; try++ {
			if u := g.usable(c, tid, cmd); len(u) > 0 {
				return u[r.Intn(len(u))]
			}
			tid = (tid + 1) % g.D.Requesters
		}
		return anySlot()
	}
	task := g.taskID(r.Intn(2 * cl.Choose))
	single := func() Frame {
		if len(singles) == 0 {
			return g.AbortJob(c, tid, task)
		}
		p := singles[r.Intn(len(singles))]
		s := slotFor(p.Cmd)
		return g.SinglePacket(c, tid, s, p)
	}
	first := func() Frame {
		if len(chained) == 0 {
			return single()
		}
		p := chained[r.Intn(len(chained))]
		s := slotFor(p.Cmd)
		return g.FirstPacket(c, tid, task, s, p, r.Intn(4) == 0)
	}
	later := func() Frame {
		if len(open) == 0 {
			return first()
		}
		return g.NextPacket(c, open[r.Intn(len(open))], r.Intn(4) == 0)
	}
	switch x := r.Intn(200); {
	case x < 80:
		return later()
	case x < 100:
		return first()
	case x < 145:
		return single()
	case x < 153: // load, mostly where it can succeed
		s := anySlot()
		if k := &g.m.cl[c].slots[s]; k.key != nil && r.Intn(5) > 0 {
			tid = k.owner
		}
		perm := uint8(0)
		if r.Intn(3) == 0 {
			perm = uint8(r.Intn(16))
		}
		return g.Load(c, tid, s, perm, g.Random(cl.KeyBytes))
	case x < 156:
		s := anySlot()
		if k := &g.m.cl[c].slots[s]; k.key != nil && r.Intn(5) > 0 {
			tid = k.owner
		}
		return g.Load(c, tid, s, uint8(r.Intn(16)), nil)
	case x < 160:
		if len(open) > 0 {
			k := open[r.Intn(len(open))]
			return g.AbortJob(c, k[0], k[1])
		}
		return g.AbortJob(c, tid, task)
	case x < 162:
		return g.AbortJob(c, tid, task+1000)
	case x < 166: // break an open job
		if len(open) == 0 {
			return first()
		}
		k := open[r.Intn(len(open))]
		e := g.m.cl[c].entries[k]
		f := g.NextPacket(c, k, false)
		h := ParseHeader(f.Bytes)
		switch r.Intn(4) {
		case 0:
			h.No = e.no + uint16(1+r.Intn(65534))
			if h.No == 0 {
				h.No = 65535
			}
		case 1:
			return g.FirstPacket(c, k[0], k[1], e.key, Pair{e.cmd, e.mode}, false)
		case 2:
			h.KeySlot = uint8(r.Intn(256))
		case 3:
			p := chained[r.Intn(len(chained))]
			h.Cmd, h.Mode = p.Cmd, p.Mode
		}
		return Frame{TID: k[0], Bytes: append(h.Bytes(), f.Bytes[HeaderBytes:]...)}
	case x < 170: // no such job
		if len(chained) == 0 {
			return single()
		}
		p := chained[r.Intn(len(chained))]
		h := Header{Cluster: uint8(c), Cmd: p.Cmd, Mode: p.Mode, Task: uint16(task), No: uint16(1 + r.Intn(65535))}
		return Frame{TID: tid, Bytes: Pack(h, nil, g.Random(16*(1+r.Intn(g.D.PktBlocks))))}
	case x < 174: // a key that is not there, or another's
		f := single()
		h := ParseHeader(f.Bytes)
		h.KeySlot = uint8(r.Intn(256))
		if r.Intn(2) == 0 {
			h.KeySlot = uint8(anySlot())
		}
		return Frame{TID: f.TID, Bytes: append(h.Bytes(), f.Bytes[HeaderBytes:]...)}
	case x < 176:
		return g.Load(c, tid, r.Intn(256), 0, g.Random(cl.KeyBytes))
	}
	var f Frame
	switch r.Intn(8) {
	case 0:
		f = g.Load(c, tid, anySlot(), 0, g.Random(cl.KeyBytes))
	case 1:
		f = g.AbortJob(c, tid, task)
	case 2, 3, 4:
		f = later()
	default:
		f = single()
	}
	return g.Malformed(f)
}

// String names the frame.
func (f *Frame) String() string {
	h := f.Header()
	return fmt.Sprintf("requester %d cluster %d %s %s task %d no %d length %d key %d", f.TID, h.Cluster, h.Cmd, h.Mode,
		h.Task, h.No, h.Length, h.KeySlot)
}

// RandomJobs makes jobs of n packets or a few more over all that a design can do: packets of all sizes, keys that are
// shared and not.
func RandomJobs(d *design.Design, n int, seed int64) []Job {
	return randomJobs(d, seed, 5*d.PktBlocks, func(jobs, packets int) bool { return packets >= n })
}

// RandomJobCount makes n jobs like those of RandomJobs. Where packets are large most jobs are not.
func RandomJobCount(d *design.Design, n int, seed int64) []Job {
	return randomJobs(d, seed, min(5*d.PktBlocks, 80), func(jobs, packets int) bool { return jobs >= n })
}

// randomJobs makes jobs until enough; blocks is the size of most at most.
func randomJobs(d *design.Design, seed int64, blocks int, enough func(jobs, packets int) bool) []Job {
	r := rand.New(rand.NewSource(seed))
	var jobs []Job
	type keyID struct{ c, tid, i int }
	keys := map[keyID][]byte{}
	random := func(n int) []byte {
		b := make([]byte, n)
		r.Read(b)
		return b
	}
	for packets := 0; !enough(len(jobs), packets); {
		c := r.Intn(len(d.Clusters))
		cl := d.Clusters[c]
		all := append(Pairs(cl, true), Pairs(cl, false)...)
		if len(all) == 0 {
			continue
		}
		p := all[r.Intn(len(all))]
		j := Job{
			ID: uint32(len(jobs)), Requester: r.Intn(d.Requesters), Cluster: c, Cmd: p.Cmd, Mode: p.Mode,
			PacketBytes: 16 * (1 + r.Intn(d.PktBlocks)),
		}
		k := keyID{c, j.Requester, r.Intn(max(1, cl.KeySlots/2))}
		if r.Intn(10) == 0 || keys[k] == nil {
			keys[k] = random(cl.KeyBytes)
		}
		j.Key = keys[k]
		size := 16 * (1 + r.Intn(blocks))
		if blocks < d.PktBlocks && r.Intn(50) == 0 {
			size = d.PktBytes
		}
		if r.Intn(2) == 0 {
			j.PacketBytes = d.PktBytes
		}
		if p.Mode != cipher.ECB && p.Mode != cipher.CBC {
			size -= r.Intn(16)
		}
		if p.Mode == cipher.MAC && r.Intn(10) == 0 {
			size = 0
		}
		j.Data = random(size)
		if p.Mode != cipher.ECB && p.Mode != cipher.MAC {
			j.IV = random(16)
		}
		if p.Mode == cipher.CTR && r.Intn(3) == 0 {
			for i := 3; i < 16; i++ {
				j.IV[i] = 0xff
			}
		}
		if p.Cmd == cipher.Verify {
			b, err := cipher.New(cl.Algorithm, j.Key)
			if err != nil {
				panic(err)
			}
			j.Tag = cipher.CMAC(b, j.Data)
			if r.Intn(3) == 0 {
				j.Tag[r.Intn(16)] ^= 1 << r.Intn(8)
			}
		}
		if p.Mode != cipher.MAC && p.Mode.Chained() && r.Intn(8) == 0 && size%16 == 0 && size <= 4*d.PktBytes {
			// an empty last packet closes the job
			j.Split = append(SplitEven(size, j.PacketBytes), 0)
		}
		packets += len(SplitEven(size, j.PacketBytes))
		jobs = append(jobs, j)
	}
	return jobs
}

// Fake is a device that answers each frame at once as the model says: what the planner and the joiner are tested with.
type Fake struct{ D *design.Design }

// Run answers all frames of a stimulus. Events are not looked at.
func (f Fake) Run(st *Stimulus) (*Outcome, error) {
	m := NewModel(f.D)
	o := &Outcome{Sent: make([]Sent, len(st.Frames)), Events: make([]uint64, len(st.Events))}
	done := make([]bool, len(st.Frames))
	cycle := uint64(1)
	answer := func(i int) {
		fr := &st.Frames[i]
		cycle = max(cycle+1, fr.Arrival)
		o.Sent[i] = Sent{Begun: true, Done: true, First: cycle, Last: cycle}
		a, _ := m.Step(i, fr, nil)
		h := fr.Header()
		h.Flags &^= FlagIV
		h.Status, h.KeySlot, h.Length = uint8(a.Statuses[0]), 255, 0
		var data []byte
		if a.Statuses[0] == OK {
			data = a.Data
		}
		if a.Dispatched && f.D.ReportCore {
			h.KeySlot = 0
		}
		h.Length = uint16(len(data))
		cycle++
		o.Results = append(o.Results, Result{
			Frame: i, First: cycle, Last: cycle, TDest: fr.TID, Bytes: append(h.Bytes(), data...),
		})
		done[i] = true
		cycle++
	}
	for left := len(st.Frames); left > 0; {
		progress := false
	next:
		for i := range st.Frames {
			if done[i] {
				continue
			}
			for _, l := range [][]int{st.Frames[i].AfterSent, st.Frames[i].AfterResult} {
				for _, j := range l {
					if !done[j] {
						if st.Strict {
							return nil, fmt.Errorf("frame %d waits for frame %d", i, j)
						}
						continue next
					}
				}
			}
			answer(i)
			progress = true
			left--
		}
		if !progress {
			return nil, fmt.Errorf("%d frames wait for each other", left)
		}
	}
	return o, nil
}

// RandomJob is one job of a command and mode with random key, IV and data.
func RandomJob(d *design.Design, c int, cmd cipher.Cmd, mode cipher.Mode, size int, seed int64) Job {
	r := rand.New(rand.NewSource(seed))
	random := func(n int) []byte {
		b := make([]byte, n)
		r.Read(b)
		return b
	}
	j := Job{ID: 1, Cluster: c, Cmd: cmd, Mode: mode, Key: random(d.Clusters[c].KeyBytes), Data: random(size)}
	if mode != cipher.ECB && mode != cipher.MAC {
		j.IV = random(16)
	}
	if cmd == cipher.Verify {
		b, err := cipher.New(d.Clusters[c].Algorithm, j.Key)
		if err != nil {
			panic(err)
		}
		j.Tag = cipher.CMAC(b, j.Data)
	}
	return j
}
