// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"slices"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
)

// Model is the sequential model of the packet format, the job life cycle and the key slots (docs/interfaces.md). It
// takes frames in stream order and says what may answer each. What depends on time (whether a job's packets have left,
// whether a slot is still busy) it takes from the results known to have come before the frame was sent.
type Model struct {
	d  *design.Design
	cl []clusterModel
	// known says whether the result of a frame was received before the present one was sent.
	known func(frame int) bool
	out   map[int]*Answer // dispatched, not known to be received
}

// Answer is what may answer a frame.
type Answer struct {
	Statuses []Status
	Data     []byte // payload of an ok
	// Dispatched frames carry a core's index.
	Dispatched bool
	// Before is the packet before of a chained job, Killer the frame that ended the job while this one was pending; -1: none.
	Before, Killer int
	// Loose: bytes of the header are absent, so that what the header says is uncertain.
	Loose bool
}

// Allows says whether a status is among the possible ones.
func (a *Answer) Allows(s Status) bool { return slices.Contains(a.Statuses, s) }

type entryModel struct {
	cmd     cipher.Cmd
	mode    cipher.Mode
	key     int
	no      uint16 // expected
	dead    bool
	closing bool
	pending []int // dispatched frames (and the one that killed it) not known to be received
	newest  int   // the last dispatched frame; -1: none
	chain   cipher.Chain
}

func (e *entryModel) open() bool { return !e.dead && !e.closing }

type slotModel struct {
	key    []byte // nil: empty
	owner  int
	perm   uint8
	barred bool
	users  []int // packets outside chained jobs
}

type clusterModel struct {
	c       *design.Cluster
	entries map[[2]int]*entryModel // {tid, task}
	slots   []slotModel
}

// NewModel is the model of a design after reset or clear.
func NewModel(d *design.Design) *Model {
	m := &Model{d: d, out: map[int]*Answer{}}
	for _, c := range d.Clusters {
		m.cl = append(m.cl, clusterModel{
			c: c, entries: map[[2]int]*entryModel{}, slots: make([]slotModel, c.KeySlots),
		})
	}
	return m
}

func one(s ...Status) *Answer { return &Answer{Statuses: s, Before: -1, Killer: -1} }

// Ingress is what the checks at ingress say: OK if the frame goes on to its cluster.
func Ingress(d *design.Design, f *Frame) *Answer {
	content := f.Content()
	h := f.Header()
	clean := f.CleanKeep()
	loose := false
	if !clean {
		// bytes of the header with tkeep 0?
		n := 0
		for _, b := range f.Beats {
			for j := 0; j < len(b.Data) && n < HeaderBytes; j++ {
				loose = loose || b.Keep>>j&1 == 0
				n++
			}
		}
	}
	if loose {
		a := one(BadHeader, Unsupported, BadLength)
		a.Loose = true
		return a
	}
	control := h.Cmd == cipher.LoadKey || h.Cmd == cipher.Abort
	iv, last := h.Flags&FlagIV != 0, h.Flags&FlagLast != 0
	if h.Version != 1 || int(h.Cluster) >= len(d.Clusters) || f.TID >= d.Requesters || h.Flags&^3 != 0 || h.Status != 0 {
		return one(BadHeader)
	}
	c := d.Clusters[h.Cluster]
	if !control && !Supports(c, h.Cmd, h.Mode) {
		if cipher.Legal(h.Cmd, h.Mode) {
			if needIV(h) != iv {
				return one(BadHeader)
			}
			return one(Unsupported)
		}
		if !iv && h.Mode != cipher.CTR && (h.Mode == cipher.ECB || h.No != 0) && h.Cmd != cipher.Verify {
			return one(Unsupported)
		}
		return one(BadHeader, Unsupported) // whether such a packet needs an IV nobody says
	}
	if needIV(h) != iv {
		return one(BadHeader)
	}
	want := HeaderBytes + int(h.Length)
	if iv {
		want += 16
	}
	n := int(h.Length)
	bad := !clean || len(content) != want || n > d.PktBytes
	switch {
	case h.Cmd == cipher.Abort:
		bad = bad || n != 0
	case h.Cmd == cipher.LoadKey:
		bad = bad || n != 0 && n != c.KeyBytes
	default:
		if !last || h.Mode == cipher.ECB || h.Mode == cipher.CBC {
			bad = bad || n%16 != 0
		}
		if n == 0 {
			switch {
			case !last, h.Mode == cipher.ECB, h.Mode == cipher.CTR:
				bad = true
			case h.Mode == cipher.MAC:
				bad = bad || h.No != 0
			default:
				bad = bad || h.No == 0
			}
		}
	}
	if bad {
		return one(BadLength)
	}
	return one(OK)
}

func needIV(h Header) bool {
	switch {
	case h.Cmd == cipher.LoadKey || h.Cmd == cipher.Abort:
		return false
	case h.Mode == cipher.CTR:
		return true
	case h.Mode == cipher.MAC:
		return h.Cmd == cipher.Verify && h.Flags&FlagLast != 0
	case h.Mode.Chained():
		return h.No == 0
	}
	return false
}

// settle forgets what is known to have left.
func (m *Model) settle(c *clusterModel) {
	left := func(f int) bool { return m.known(f) }
	for id, e := range c.entries {
		e.pending = slices.DeleteFunc(e.pending, left)
		if len(e.pending) == 0 && !e.open() {
			delete(c.entries, id)
		}
	}
	for i := range c.slots {
		c.slots[i].users = slices.DeleteFunc(c.slots[i].users, left)
	}
}

// Step takes frame number id. known says which earlier frames' results were received before it was sent; nil: all. If
// the answer depends on when earlier frames finish, it returns those instead, and changes nothing.
func (m *Model) Step(id int, f *Frame, known func(int) bool) (*Answer, []int) {
	m.known = known
	if known == nil {
		m.known = func(int) bool { return true }
	}
	if a := Ingress(m.d, f); !a.Allows(OK) {
		return a, nil
	}
	h := f.Header()
	c := &m.cl[h.Cluster]
	m.settle(c)
	switch {
	case h.Cmd == cipher.LoadKey:
		return m.load(id, f, h, c)
	case h.Cmd == cipher.Abort:
		e := c.entries[[2]int{f.TID, int(h.Task)}]
		switch {
		case e == nil:
			return one(NoSuchJob), nil
		case !e.open():
			return nil, e.pending
		}
		m.kill(id, e)
		return one(OK), nil
	case !h.Mode.Chained():
		return m.single(id, f, h, c)
	}
	return m.chained(id, f, h, c)
}

// kill marks an entry dead: what it has in flight may still get through, or be answered with aborted.
func (m *Model) kill(id int, e *entryModel) {
	e.dead = true
	for _, p := range e.pending {
		if a := m.out[p]; a != nil && !a.Allows(Aborted) {
			a.Statuses = append(a.Statuses, Aborted)
			a.Killer = id
		}
	}
	e.pending = append(e.pending, id)
}

func (m *Model) load(id int, f *Frame, h Header, c *clusterModel) (*Answer, []int) {
	if int(h.KeySlot) >= len(c.slots) {
		return one(KeyEmpty), nil
	}
	s := &c.slots[h.KeySlot]
	if s.key != nil && s.owner != f.TID {
		return one(KeyEmpty), nil
	}
	var wait []int
	busy := false
	for _, e := range c.entries {
		if e.key != int(h.KeySlot) {
			continue
		}
		if e.open() {
			busy = true
		} else {
			wait = append(wait, e.pending...)
		}
	}
	wait = append(wait, s.users...)
	if busy {
		s.barred = true
		return one(KeyBusy), nil
	}
	if len(wait) > 0 {
		return nil, wait
	}
	*s = slotModel{}
	if h.Length > 0 {
		s.key = slices.Clone(f.Bytes[HeaderBytes:])
		s.owner, s.perm = f.TID, uint8(h.Mode)
	}
	return one(OK), nil
}

// keyCheck is the check of a packet that takes a key slot.
func (m *Model) keyCheck(f *Frame, h Header, c *clusterModel) Status {
	if int(h.KeySlot) >= len(c.slots) {
		return KeyEmpty
	}
	s := &c.slots[h.KeySlot]
	if s.key == nil || s.owner != f.TID || s.perm != 0 && s.perm>>h.Cmd&1 == 0 {
		return KeyEmpty
	}
	if s.barred {
		return KeyBusy
	}
	return OK
}

func payloadOf(f *Frame, h Header) (iv, data []byte) {
	b := f.Bytes[HeaderBytes:]
	if h.Flags&FlagIV != 0 {
		return b[:16], b[16:]
	}
	return nil, b
}

func (m *Model) dispatched(id int, a *Answer) *Answer {
	a.Dispatched = true
	m.out[id] = a
	return a
}

func (m *Model) single(id int, f *Frame, h Header, c *clusterModel) (*Answer, []int) {
	if s := m.keyCheck(f, h, c); s != OK {
		return one(s), nil
	}
	s := &c.slots[h.KeySlot]
	b, err := cipher.New(c.c.Algorithm, s.key)
	if err != nil {
		panic(err)
	}
	iv, data := payloadOf(f, h)
	var x cipher.Chain
	x.Reset(b, h.Cmd, h.Mode, iv)
	s.users = append(s.users, id)
	a := one(OK)
	a.Data = x.Packet(data, true)
	return m.dispatched(id, a), nil
}

func (m *Model) chained(id int, f *Frame, h Header, c *clusterModel) (*Answer, []int) {
	k := [2]int{f.TID, int(h.Task)}
	e := c.entries[k]
	last := h.Flags&FlagLast != 0
	if e != nil && !e.open() {
		if h.No == 0 {
			return nil, e.pending
		}
		return one(NoSuchJob), nil // freed or not
	}
	if e == nil && h.No != 0 {
		return one(NoSuchJob), nil
	}
	iv, data := payloadOf(f, h)
	if e != nil {
		if h.No != e.no || h.Cmd != e.cmd || h.Mode != e.mode || int(h.KeySlot) != e.key {
			m.kill(id, e)
			return one(OutOfSequence), nil
		}
	} else {
		if s := m.keyCheck(f, h, c); s != OK {
			return one(s), nil
		}
		sure, maybe := 0, []int(nil)
		for _, o := range c.entries {
			if o.open() {
				sure++
			} else {
				maybe = append(maybe, o.pending...)
			}
		}
		if sure >= c.c.Choose {
			return one(ChooseListFull), nil
		}
		if len(c.entries) >= c.c.Choose {
			return nil, maybe
		}
		b, err := cipher.New(c.c.Algorithm, c.slots[h.KeySlot].key)
		if err != nil {
			panic(err)
		}
		e = &entryModel{cmd: h.Cmd, mode: h.Mode, key: int(h.KeySlot), newest: -1}
		if h.Mode != cipher.MAC {
			e.chain.Reset(b, h.Cmd, h.Mode, iv)
		} else {
			e.chain.Reset(b, h.Cmd, h.Mode, nil)
		}
		c.entries[k] = e
	}
	e.no = h.No + 1
	if h.No == 65535 {
		e.no = 1
	}
	a := one(OK)
	a.Data, a.Before = e.chain.Packet(data, last), e.newest
	e.newest = id
	if h.Cmd == cipher.Verify {
		if last && string(a.Data) != string(iv) {
			a.Statuses = []Status{MACMismatch}
		}
		a.Data = nil
	}
	e.closing = last
	e.pending = append(e.pending, id)
	return m.dispatched(id, a), nil
}

// CheckAnswer compares a result with what may answer its frame.
func CheckAnswer(d *design.Design, f *Frame, a *Answer, r *Result) error {
	h := r.Header()
	s := Status(h.Status)
	if a.Loose {
		if !a.Allows(s) || r.TDest != f.TID || len(r.Payload()) != 0 {
			return fmt.Errorf("status %s with %d bytes to requester %d, expected a refusal", s, len(r.Payload()), r.TDest)
		}
		return nil
	}
	cores := 0
	if c := int(f.Header().Cluster); a.Dispatched && c < len(d.Clusters) {
		cores = d.Clusters[c].NumCores
	}
	if err := CheckFrame(f, r, cores, d.ReportCore); err != nil {
		return err
	}
	if !a.Allows(s) {
		return fmt.Errorf("status %s, expected %v", s, a.Statuses)
	}
	if s == OK && string(r.Payload()) != string(a.Data) {
		return fmt.Errorf("payload %.160x, expected %.160x", r.Payload(), a.Data)
	}
	if s == OK && a.Dispatched && d.ReportCore && h.KeySlot == 255 {
		return fmt.Errorf("no core named")
	}
	return nil
}

// CheckRun replays the frames that were sent through the model and compares every result, with one model for each
// stretch between clears and resets. It returns what is wrong.
func CheckRun(d *design.Design, st *Stimulus, o *Outcome) []string {
	bad := slices.Clone(o.Violations)
	say := func(format string, args ...any) {
		if len(bad) < 50 {
			bad = append(bad, fmt.Sprintf(format, args...))
		}
	}
	byFrame := make([]int, len(st.Frames))
	for i := range byFrame {
		byFrame[i] = -1
	}
	for i := range o.Results {
		f := o.Results[i].Frame
		switch {
		case f < 0 || f >= len(byFrame):
			say("result %d (%.80x) belongs to no frame", i, o.Results[i].Bytes)
		case byFrame[f] >= 0:
			say("frame %d has two results", f)
		default:
			byFrame[f] = i
		}
	}
	// what each clear or reset cuts off
	cut := make([]EventKind, len(st.Frames))
	at := make([]uint64, len(st.Frames))
	next := 0
	starts := map[int]bool{}
	end := make([]int, len(st.Frames))    // the first frame behind the event that cuts it off
	reset := make([]bool, len(st.Frames)) // cut off by a clear, and then by a reset before its answer
	for ei, e := range st.Events {
		if e.Kind != EventClear && e.Kind != EventReset || o.Events[ei] == 0 {
			continue
		}
		if e.Kind == EventReset {
			// what a clear cut off is answered before all that is sent behind it: the reset came first only where nothing
			// behind the clear was answered
			last := -1
			for i := range min(e.SkipTo, len(byFrame)) {
				if r := byFrame[i]; r >= 0 && o.Results[r].Last < o.Events[ei] {
					last = i
				}
			}
			for i := range next {
				reset[i] = reset[i] || cut[i] == EventClear && last < end[i]
			}
		}
		for ; next < e.SkipTo && next < len(cut); next++ {
			cut[next], at[next], end[next] = e.Kind, o.Events[ei], e.SkipTo
		}
		starts[e.SkipTo] = true
	}
	// what a clear cuts off is answered before anything that comes behind it
	var newest uint64
	for i, n := len(cut)-1, 0; i >= 0; i-- {
		r := byFrame[i]
		if at[i] != 0 && cut[i] == EventClear && r >= 0 && n > 0 && o.Results[r].Last > newest {
			say("frame %d, sent %d to %d: cut off by clear in cycle %d, answered with %s in %d, behind frames sent after the clear", i,
				o.Sent[i].First, o.Sent[i].Last, at[i], Status(o.Results[r].Header().Status),
				o.Results[r].Last)
		}
		if starts[i] {
			newest, n = 0, 0
			for j := i; j < len(cut) && (j == i || !starts[j]); j++ {
				q := byFrame[j]
				if q < 0 || at[j] != 0 && o.Results[q].Last >= at[j] {
					continue // itself cut off by the next one, in another order
				}
				if n == 0 || o.Results[q].Last < newest {
					newest, n = o.Results[q].Last, n+1
				}
			}
		}
	}
	answers := make([]*Answer, len(st.Frames))
	m := NewModel(d)
	for i := range st.Frames {
		if starts[i] {
			m = NewModel(d)
		}
		if !o.Sent[i].Done {
			continue
		}
		known := func(j int) bool {
			r := byFrame[j]
			return r >= 0 && o.Results[r].Last < o.Sent[i].First
		}
		a, wait := m.Step(i, &st.Frames[i], known)
		if wait != nil {
			if at[i] != 0 {
				// sent while the clear was on its way: the model need not know
				a = one(Aborted)
				a.Dispatched = true
			} else {
				say("frame %d: the stimulus does not wait for %v", i, wait)
				continue
			}
		}
		answers[i] = a
	}
	for i, a := range answers {
		if a == nil {
			if byFrame[i] >= 0 && !(o.Sent[i].Begun && at[i] != 0) {
				say("frame %d: a result though it was not sent", i)
			}
			continue
		}
		r := byFrame[i]
		switch {
		case r < 0 && (reset[i] || at[i] != 0 && cut[i] == EventReset):
			continue
		case r < 0:
			say("frame %d: no result", i)
			continue
		}
		if at[i] != 0 && cut[i] == EventClear && o.Results[r].Last >= at[i] {
			c := *a
			c.Statuses = append(slices.Clone(a.Statuses), Aborted)
			if Status(o.Results[r].Header().Status) == Aborted {
				c.Dispatched = true // a core may be named
			}
			a = &c
			if s := Status(o.Results[r].Header().Status); s != Aborted && o.Results[r].First > at[i]+clearSlack {
				say("frame %d: %s %d cycles after a clear", i, s, o.Results[r].First-at[i])
			}
		}
		if err := CheckAnswer(d, &st.Frames[i], a, &o.Results[r]); err != nil {
			h := st.Frames[i].Header()
			say("frame %d (requester %d, %s %s, task %d, no %d, length %d, key %d): %v", i, st.Frames[i].TID, h.Cmd,
				h.Mode, h.Task, h.No, h.Length, h.KeySlot, err)
		}
		if err := checkJob(d, o, byFrame, i, a); err != nil {
			say("frame %d: %v", i, err)
		}
	}
	return bad
}

// checkJob compares the result of a chained job's packet with those of the packet before and of the frame that killed the
// job: results that cores computed keep their order, none comes after the job's end is known or behind a packet that was cut
// off, and with bind = "job" all name one core.
func checkJob(d *design.Design, o *Outcome, byFrame []int, i int, a *Answer) error {
	r := &o.Results[byFrame[i]]
	if !computed(r) {
		return nil
	}
	if k := a.Killer; k >= 0 && byFrame[k] >= 0 && o.Results[byFrame[k]].Last < r.Last {
		return fmt.Errorf("%s behind the answer of frame %d, which ended its job", Status(r.Header().Status), k)
	}
	if a.Before < 0 || byFrame[a.Before] < 0 {
		return nil
	}
	return follows(d, r, &o.Results[byFrame[a.Before]])
}

// computed says whether a core's output stands behind a result.
func computed(r *Result) bool {
	s := Status(r.Header().Status)
	return s == OK || s == MACMismatch
}

// follows compares the result of a chained job's packet, which a core computed, with that of the packet before.
func follows(d *design.Design, r, before *Result) error {
	h, b := r.Header(), before.Header()
	switch s := Status(b.Status); {
	case s == Aborted:
		return fmt.Errorf("%s, though frame %d, its job's packet before, was cut off", Status(h.Status), before.Frame)
	case r.Last < before.Last:
		return fmt.Errorf("its result comes before that of frame %d, its job's packet before", before.Frame)
	case s == OK && d.BindJob && d.ReportCore && h.KeySlot != b.KeySlot:
		return fmt.Errorf("core %d; frame %d, its job's packet before, was on %d", h.KeySlot, before.Frame, b.KeySlot)
	}
	return nil
}

// clearSlack is how many cycles after a clear another result than aborted may still begin: what the collector had already
// fetched.
const clearSlack = 8
