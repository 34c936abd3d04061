// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"fmt"

	"hwgen/gen/cipher"
	"hwgen/gen/workload"
)

// occupancy checks what an event says about the length of its cluster's queue against what went in and came out.
func (r *Replay) occupancy(e *Event, rc *replayCluster) {
	// packets that the head has taken: those it is known to have dealt with at least, no more than went in, never fewer
	// than before
	taken := rc.enqueued - e.Queue
	if low := max(rc.taken, rc.resolved); taken < low || taken > rc.enqueued || e.Queue > rc.c.Queue {
		r.differ(e, "packets in the cluster queue", fmt.Sprintf("0 to %d", min(rc.enqueued-low, rc.c.Queue)), e.Queue)
		return
	}
	rc.taken = taken
	// the head holds three at most: what it took before those has left it
	for rc.taken-rc.resolved > headDepth && len(rc.queue) > 0 {
		r.answered(e, rc)
	}
}

// headDepth is how many packets the head of a cluster queue holds: one under way or fetched ahead, one to be looked up,
// one in decision.
const headDepth = 3

// admitted checks that a packet is none that ingress refuses.
func (r *Replay) admitted(e *Event, s *replaySlot, rc *replayCluster) {
	switch {
	case s.refused != 0:
		r.differ(e, "a packet refused at ingress", "no event but its result", e.Kind)
	case !control(s.cmd) && !workload.Supports(rc.c, s.cmd, s.mode):
		r.differ(e, fmt.Sprintf("a packet of %s in mode %s", s.cmd, s.mode), "its refusal at ingress", e.Kind)
	}
}

func (r *Replay) park(e *Event, s *replaySlot, rc *replayCluster) {
	r.rep.Parked++
	r.move(e, s, placeParked, placeAccepted)
	r.admitted(e, s, rc)
	r.occupancy(e, rc)
	if len(rc.wait) == 0 && e.Queue < rc.c.Queue {
		r.differ(e, "a packet that need not wait", "enqueue: the queue has room and none of its cluster waits", "park")
	}
	if r.parked >= r.d.WaitQueue {
		r.differ(e, "packets in the wait queue", fmt.Sprintf("at most %d", r.d.WaitQueue), r.parked+1)
	}
	r.parked++
	rc.wait = append(rc.wait, e.Slot)
}

func (r *Replay) unpark(e *Event, s *replaySlot, rc *replayCluster) {
	r.move(e, s, placeUnparked, placeParked)
	r.occupancy(e, rc)
	if len(rc.wait) == 0 || rc.wait[0] != e.Slot {
		oldest := "none: no packet of the cluster waits"
		if len(rc.wait) > 0 {
			oldest = fmt.Sprint(rc.wait[0])
		}
		r.differ(e, "oldest slot of the cluster that waits", oldest, e.Slot)
	}
	if remove(&rc.wait, e.Slot) {
		r.parked--
	}
}

// remove takes the first v out of a list.
func remove(l *[]int, v int) bool {
	for i, x := range *l {
		if x == v {
			*l = append((*l)[:i], (*l)[i+1:]...)
			return true
		}
	}
	return false
}

func (r *Replay) enqueue(e *Event, s *replaySlot, rc *replayCluster) {
	direct := s.at == placeAccepted
	r.move(e, s, placeQueued, placeAccepted, placeUnparked)
	r.admitted(e, s, rc)
	if direct && len(rc.wait) > 0 {
		r.differ(e, "a packet that overtakes one that waits", fmt.Sprintf("park, behind slot %d", rc.wait[0]), "enqueue")
	}
	r.occupancy(e, rc)
	if e.Queue >= rc.c.Queue {
		r.differ(e, "room in the cluster queue", fmt.Sprintf("at most %d packets", rc.c.Queue-1), e.Queue)
	}
	rc.enqueued++
	rc.queue = append(rc.queue, e.Slot)
}

// expired drops the jobs whose entries were freed so long ago that no packet can have met them that is yet to be
// answered: those before the last packet was dispatched.
func (rc *replayCluster) expired() {
	n := 0
	for _, j := range rc.closed {
		if j.freed+freeLag >= rc.head {
			rc.closed[n] = j
			n++
		}
	}
	rc.closed = rc.closed[:n]
}

// freeLag is how many cycles after an entry's free a packet may still find none free: the register of the search.
const freeLag = 3

// answered takes the oldest queued packet out: the head has refused it, or has done what a control frame asks. Which
// statuses are possible, and what became of its job, follows from the choose list. Called when a later event of the
// queue shows that the packet has left; nothing but credits can have come between.
func (r *Replay) answered(e *Event, rc *replayCluster) {
	slot := rc.queue[0]
	rc.queue = rc.queue[1:]
	rc.resolved++
	s := &r.slots[slot]
	s.at = placeTaken
	var before *replayJob // it may have met this one, freed since
	for i := range rc.closed {
		if rc.closed[i].id == s.id {
			before = &rc.closed[i]
		}
	}
	var j *replayJob
	if i, ok := rc.open[s.id]; ok {
		j = rc.entries[i]
	}
	switch {
	case s.cmd == cipher.LoadKey:
		s.statuses = setOf(workload.OK, workload.KeyEmpty, workload.KeyBusy)
	case s.cmd == cipher.Abort:
		switch {
		case j != nil:
			s.statuses = setOf(workload.OK)
			j.dead = true
			if before != nil {
				s.statuses |= setOf(workload.NoSuchJob)
			}
		case before != nil:
			s.statuses = setOf(workload.OK, workload.NoSuchJob)
		default:
			s.statuses = setOf(workload.NoSuchJob)
		}
	case !s.mode.Chained():
		s.statuses = setOf(workload.KeyEmpty, workload.KeyBusy)
	case j != nil && j.ends():
		s.statuses = setOf(workload.NoSuchJob)
	case j != nil:
		if j.expects(s) {
			r.differ(e, fmt.Sprintf("slot %d, the next packet of an open job", slot), "its dispatch", "a refusal")
		}
		s.statuses = setOf(workload.OutOfSequence)
		j.dead = true
	case s.no != 0:
		s.statuses = setOf(workload.NoSuchJob)
	default:
		s.statuses = setOf(workload.KeyEmpty, workload.KeyBusy)
		if before != nil {
			s.statuses |= setOf(workload.NoSuchJob)
		}
		if len(rc.open)+len(rc.closed) >= rc.c.Choose {
			s.statuses |= setOf(workload.ChooseListFull)
		}
	}
}

// endedBy looks for the packet that ended a job, of which the trace has shown nothing yet: the first of the queue that
// names the job, if it is an abort or out of sequence. All before it have left the queue too.
func (r *Replay) endedBy(e *Event, j *replayJob, rc *replayCluster) {
	if i, ok := rc.open[j.id]; !ok || rc.entries[i] != j {
		return
	}
	for n, slot := range rc.queue {
		s := &r.slots[slot]
		if s.id != j.id || s.cmd != cipher.Abort && !s.chained() {
			continue
		}
		if s.cmd == cipher.Abort || !j.expects(s) {
			for range n + 1 {
				r.answered(e, rc)
			}
		}
		return
	}
}
