// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/workload"
)

// Replay takes the events of an RTL trace one by one and recomputes everything the scheduler decided, from the frames
// that came in and the moments at which the trace says that things were seen: scores, who competes, who wins, pending
// counts, the choose list, the wait queue, the queues' order, and where every slot is. What comes out otherwise than in
// the trace is a mismatch. State is that of the design, whatever the trace's length.
//
// After a mismatch the replay goes on with what the trace says, so that one fault is not reported a thousand times;
// faults may still follow from it.
type Replay struct {
	d     *design.Design
	rep   ReplayReport
	cycle uint64

	slots    []replaySlot
	clusters []*replayCluster
	parked   int
	// after a clear, of the next frame and the next result: it may have been begun before
	cutFrame, cutResult bool
	scores              []uint64
	skips               []bool
}

// place is where a slot's packet is.
type place uint8

const (
	placeFree place = iota
	placeAccepted
	placeParked
	placeUnparked
	placeQueued
	placeTaken // by the head, which refused it or answered it: the result tells
	placeDispatched
	placeStarted
	placeCompleted
	placeCredited
	placeCut // by a clear
)

var placeNames = [...]string{
	"free", "accepted", "parked", "leaving the wait queue", "queued", "answered at the queue's head", "dispatched",
	"started", "completed", "credited", "cut off by a clear",
}

func (p place) String() string { return placeNames[p] }

// replaySlot is a packet, by its slot.
type replaySlot struct {
	at       place
	cluster  int
	id       jobID
	no       int
	cmd      cipher.Cmd
	mode     cipher.Mode
	last     bool
	key      int
	bytes    int
	refused  workload.Status // at ingress; 0: not
	half     bool            // may have been half received when a clear came
	core     int
	amount   uint64
	counted  bool       // by the balancer: a credit is due
	entry    int        // -1: none
	job      *replayJob // of a dispatched chained packet
	dead     bool       // its job was dead at the credit
	opens    bool       // its dispatch took an entry, the event is still to come
	statuses statusSet  // of a packet answered at the head
}

func (s *replaySlot) control() bool { return control(s.cmd) }
func (s *replaySlot) chained() bool { return !s.control() && s.mode.Chained() }
func (s *replaySlot) inverse() bool { return cipher.NeedsInverse(s.cmd, s.mode) }

// blocks counts as the balancer does: at least 1.
func (s *replaySlot) blocks() int { return max(1, (s.bytes+cipher.BlockSize-1)/cipher.BlockSize) }

// statusSet is a set of statuses, by bit.
type statusSet uint32

func setOf(ss ...workload.Status) statusSet {
	var v statusSet
	for _, s := range ss {
		v |= 1 << s
	}
	return v
}

func (v statusSet) String() string {
	var names []string
	for s := range 32 {
		if v>>s&1 == 1 {
			names = append(names, workload.Status(s).String())
		}
	}
	return strings.Join(names, " or ")
}

type jobID struct{ requester, task int }

func (id jobID) String() string { return fmt.Sprintf("requester %d, task %d", id.requester, id.task) }

// replayJob is a job in an entry of the choose list.
type replayJob struct {
	id       jobID
	cmd      cipher.Cmd
	mode     cipher.Mode
	key      int
	next     int // No expected
	core     int
	slot, no int // of the packet dispatched last
	pending  int
	// lastCredit: pending as a packet sees it whose check came before the credit of this cycle
	lastCredit    uint64
	dead, closing bool
	freed         uint64 // cycle from which on the entry is free; 0: it is not
}

func (j *replayJob) ends() bool { return j.dead || j.closing }

// expects says whether a packet is the next one of the job: at the queue's head it is dispatched and never refused.
func (j *replayJob) expects(s *replaySlot) bool {
	return !j.ends() && s.no == j.next && s.no != 0 && s.cmd == j.cmd && s.mode == j.mode && s.key == j.key
}

// replayCredit is one that the balancer has not counted yet.
type replayCredit struct {
	core    int
	amount  uint64
	counted uint64
}

// replayWrite is one of a table that no decision has seen yet.
type replayWrite struct {
	cycle    uint64
	core, op int
	value    uint64
}

type replayCluster struct {
	c        *design.Cluster
	bal      *Balancer
	wait     []int // parked slots, the oldest first
	queue    []int // enqueued and neither dispatched nor known to be answered
	enqueued int   // since the last reset
	resolved int   // of those: dispatched or known to be answered
	taken    int   // of those: taken by the head at least

	entries []*replayJob // nil: free
	open    map[jobID]int
	// jobs whose entry was freed, for packets that were checked before: dropped once later ones are
	closed  []replayJob
	credits []replayCredit
	bases   []replayWrite
	incs    []replayWrite
	cores   []replayCore
	head    uint64     // cycle of the last dispatch
	due     *replayJob // its last credit has come: its entry is freed in the next cycle
}

// replayCore has the slots of a core in the order of dispatch; each counter is how many have come so far.
type replayCore struct {
	slots             []int
	started, complete int
}

// NewReplay makes a replayer for traces of a design, in the state after reset.
func NewReplay(d *design.Design) *Replay {
	r := &Replay{d: d, slots: make([]replaySlot, d.Slots)}
	r.rep.Design, r.rep.Policy = d.Name, d.Policy
	for _, c := range d.Clusters {
		rc := &replayCluster{
			c: c, entries: make([]*replayJob, c.Choose), open: map[jobID]int{}, cores: make([]replayCore, c.NumCores),
		}
		rc.reset()
		r.clusters = append(r.clusters, rc)
	}
	return r
}

// ReplayTrace replays a whole trace. The error is of what could not be read; what differs is in the report.
func ReplayTrace(d *design.Design, in io.Reader) (*ReplayReport, error) {
	t, err := OpenTrace(in, d)
	if err != nil {
		return nil, err
	}
	r := NewReplay(d)
	for {
		e, err := t.Read()
		if errors.Is(err, io.EOF) {
			return r.Finish(), nil
		}
		if err != nil {
			return nil, err
		}
		r.Event(e)
	}
}

// reset empties the cluster and gives its tables their generated values.
func (rc *replayCluster) reset() {
	caps := make([]int, rc.c.NumCores)
	canOp := make([][design.NumOps]bool, rc.c.NumCores)
	canInv := make([]bool, rc.c.NumCores)
	for j, co := range rc.c.Cores {
		caps[j], canOp[j], canInv[j] = co.Cap, co.Ops, co.HasInv
	}
	rc.bal = NewBalancer(rc.c.Tables, caps, canOp, canInv)
	rc.bases, rc.incs = nil, nil
	rc.clear()
}

// clear empties the cluster; its tables stay.
func (rc *replayCluster) clear() {
	rc.bal.Reset()
	rc.wait, rc.queue, rc.credits, rc.closed = rc.wait[:0], rc.queue[:0], rc.credits[:0], rc.closed[:0]
	rc.enqueued, rc.resolved, rc.taken, rc.head, rc.due = 0, 0, 0, 0, nil
	clear(rc.open)
	for i := range rc.entries {
		rc.entries[i] = nil
	}
	for j := range rc.cores {
		rc.cores[j] = replayCore{slots: rc.cores[j].slots[:0]}
	}
}

// differ notes a mismatch.
func (r *Replay) differ(e *Event, what string, expected, seen any) {
	r.rep.Mismatches++
	if len(r.rep.First) >= mostMismatches {
		return
	}
	m := Mismatch{
		Cycle: e.Cycle, Event: e.Kind.String(), Slot: e.Slot, What: what, Expected: fmt.Sprint(expected), Seen: fmt.Sprint(seen),
	}
	if e.Cluster >= 0 && e.Cluster < len(r.d.Clusters) {
		m.Cluster = r.d.Clusters[e.Cluster].Name
	}
	r.rep.First = append(r.rep.First, m)
}

// Event takes the next event.
func (r *Replay) Event(e *Event) {
	r.rep.Events++
	if e.Cycle < r.cycle {
		r.differ(e, "order of the events", fmt.Sprintf("cycle %d or later", r.cycle), e.Cycle)
	}
	r.cycle = max(r.cycle, e.Cycle)
	r.rep.Cycles = r.cycle
	switch e.Kind {
	case EventClear, EventReset:
		r.empty(e.Kind == EventReset)
		return
	case EventTable:
		r.table(e)
		return
	}
	if e.Slot < 0 || e.Slot >= len(r.slots) {
		r.differ(e, "slot", fmt.Sprintf("0 to %d", len(r.slots)-1), e.Slot)
		return
	}
	s := &r.slots[e.Slot]
	if e.Kind == EventAccept {
		r.accept(e, s)
		return
	}
	if s.at == placeFree && e.Kind != EventClose {
		r.differ(e, "slot", "one that holds a packet", "a free one")
		return
	}
	if e.Kind == EventResult {
		r.result(e, s)
		return
	}
	if e.Cluster < 0 || e.Cluster >= len(r.clusters) {
		r.differ(e, "cluster", "one of the design's", e.Cluster)
		return
	}
	rc := r.clusters[e.Cluster]
	if rc.due != nil && e.Cycle > rc.due.freed {
		r.differ(e, fmt.Sprintf("the entry of %s", rc.due.id), fmt.Sprintf("its close in cycle %d", rc.due.freed), "none")
		rc.due = nil
	}
	if e.Kind != EventClose {
		if id := (jobID{e.Requester, e.Task}); s.cluster != e.Cluster || s.id != id || s.no != e.No {
			r.differ(e, "whose packet it is", s.name(), nameOf(e))
			return
		}
	}
	switch e.Kind {
	case EventPark:
		r.park(e, s, rc)
	case EventUnpark:
		r.unpark(e, s, rc)
	case EventEnqueue:
		r.enqueue(e, s, rc)
	case EventClose:
		r.close(e, rc)
	default:
		if e.Core < 0 || e.Core >= rc.c.NumCores {
			r.differ(e, "core", fmt.Sprintf("0 to %d", rc.c.NumCores-1), e.Core)
			return
		}
		switch e.Kind {
		case EventDispatch:
			r.dispatch(e, s, rc)
		case EventOpen:
			r.openEntry(e, s)
		case EventStart:
			r.start(e, s, rc)
		case EventComplete:
			r.complete(e, s, rc)
		case EventCredit:
			r.credit(e, s, rc)
		}
	}
}

func (s *replaySlot) name() string {
	return fmt.Sprintf("cluster %d, %s, no %d", s.cluster, s.id, s.no)
}

func nameOf(e *Event) string {
	return fmt.Sprintf("cluster %d, %s, no %d", e.Cluster, jobID{e.Requester, e.Task}, e.No)
}

// move checks where a packet was and puts it elsewhere.
func (r *Replay) move(e *Event, s *replaySlot, to place, from ...place) bool {
	for _, f := range from {
		if s.at == f {
			s.at = to
			return true
		}
	}
	names := make([]string, len(from))
	for i, f := range from {
		names[i] = f.String()
	}
	r.differ(e, "where the packet was", strings.Join(names, " or "), s.at)
	s.at = to
	return false
}

func (r *Replay) accept(e *Event, s *replaySlot) {
	r.rep.Packets++
	if s.at != placeFree {
		r.differ(e, "slot", "a free one", fmt.Sprintf("one whose packet is %s", s.at))
	}
	*s = replaySlot{
		at: placeAccepted, cluster: e.Cluster, id: jobID{e.Requester, e.Task}, no: e.No, cmd: e.Cmd, mode: e.Mode,
		last: e.Last, key: e.Key, bytes: e.Bytes, entry: -1, core: -1, half: r.cutFrame,
	}
	r.cutFrame = false
	if e.Refused {
		s.refused = e.Status
		r.rep.Refused++
	}
}

func (r *Replay) result(e *Event, s *replaySlot) {
	if s.at == placeQueued && s.cluster >= 0 && s.cluster < len(r.clusters) {
		// answered at the head, and all before it as well
		rc := r.clusters[s.cluster]
		for len(rc.queue) > 0 && s.at == placeQueued {
			r.answered(e, rc)
		}
	}
	if id := (jobID{e.Requester, e.Task}); s.cluster != e.Cluster || s.id != id || s.no != e.No {
		r.differ(e, "whose packet it is", s.name(), nameOf(e))
	}
	var want statusSet
	switch s.at {
	case placeAccepted:
		switch {
		case s.refused != 0:
			want = setOf(s.refused)
		case s.half:
			want = setOf(workload.Aborted)
		default:
			r.differ(e, "where the packet was", "answered or credited", s.at)
			want = ^statusSet(0)
		}
	case placeTaken:
		want = s.statuses
		if e.Status != workload.OK {
			r.rep.Refused++
		}
	case placeCredited:
		want = setOf(workload.OK)
		if s.cmd == cipher.Verify && s.last {
			want |= setOf(workload.MACMismatch)
		}
		if s.job != nil {
			if !s.dead && e.Status == workload.Aborted {
				r.endedBy(e, s.job, r.clusters[s.cluster])
				s.dead = s.job.dead
			}
			if s.dead {
				want = setOf(workload.Aborted)
			}
		}
	case placeCut:
		want = setOf(workload.Aborted)
		if r.cutResult { // the one that was begun
			want = ^statusSet(0)
		}
	default:
		r.differ(e, "where the packet was", "answered or credited", s.at)
		want = ^statusSet(0)
	}
	if want>>e.Status&1 == 0 {
		r.differ(e, "status", want, e.Status)
	}
	r.cutResult = false
	s.at = placeFree
}

// empty is a clear or a reset.
func (r *Replay) empty(reset bool) {
	r.rep.Emptied++
	for _, rc := range r.clusters {
		if reset {
			rc.reset()
		} else {
			rc.clear()
		}
	}
	r.parked = 0
	for i := range r.slots {
		s := &r.slots[i]
		switch {
		case reset:
			s.at = placeFree
		case s.at != placeFree:
			s.at = placeCut
		}
	}
	r.cutFrame, r.cutResult = !reset, !reset
}

func (r *Replay) table(e *Event) {
	r.rep.Tables++
	if e.Cluster < 0 || e.Cluster >= len(r.clusters) || e.Core < 0 || e.Core >= r.clusters[e.Cluster].c.NumCores ||
		e.Op < 0 || e.Op >= design.NumOps {
		r.differ(e, "table", "one of the design's", fmt.Sprintf("cluster %d, core %d, op %d", e.Cluster, e.Core, e.Op))
		return
	}
	rc := r.clusters[e.Cluster]
	w := replayWrite{e.Cycle, e.Core, e.Op, e.Value}
	if e.Table == 0 {
		w.value &= 1<<rc.c.AccW - 1
		rc.bases = append(rc.bases, w)
	} else {
		w.value &= 1<<rc.c.IncW - 1
		rc.incs = append(rc.incs, w)
	}
}

// Finish ends the replay. Packets without a result are a mismatch: every frame accepted gives one.
func (r *Replay) Finish() *ReplayReport {
	end := &Event{Cycle: r.cycle, Kind: EventResult, Cluster: -1}
	for i := range r.slots {
		if s := &r.slots[i]; s.at != placeFree {
			r.rep.InFlight++
			end.Slot, end.Cluster = i, s.cluster
			r.differ(end, "at the trace's end", "a result", fmt.Sprintf("a packet that is %s", s.at))
		}
	}
	for ci, rc := range r.clusters {
		if rc.due != nil {
			end.Slot, end.Cluster, end.Kind = -1, ci, EventClose
			r.differ(end, "at the trace's end", fmt.Sprintf("the close of %s", rc.due.id), "none")
		}
	}
	return &r.rep
}
