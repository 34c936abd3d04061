// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"fmt"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/policy"
	"hwgen/gen/workload"
)

func (r *Replay) dispatch(e *Event, s *replaySlot, rc *replayCluster) {
	if s.at != placeQueued {
		r.move(e, s, placeDispatched, placeQueued)
		return
	}
	for rc.queue[0] != e.Slot {
		first := &r.slots[rc.queue[0]]
		if i, ok := rc.open[first.id]; ok && first.chained() && rc.entries[i].expects(first) {
			r.differ(e, "order of the cluster queue", fmt.Sprintf("slot %d", rc.queue[0]), fmt.Sprintf("slot %d", e.Slot))
			remove(&rc.queue, e.Slot)
			rc.queue = append([]int{e.Slot}, rc.queue...)
			break
		}
		r.answered(e, rc)
	}
	rc.queue = rc.queue[1:]
	rc.resolved++
	s.at = placeDispatched
	s.core = e.Core
	if s.control() {
		r.differ(e, "a control frame", "no dispatch", "dispatch")
		return
	}
	if e.Op != int(s.cmd) {
		r.differ(e, "op", s.cmd, opName(e.Op))
	}
	if e.Op < 0 || e.Op >= design.NumOps {
		return
	}
	if int(s.cmd) >= design.NumOps { // should have been refused; go on with what the trace says
		s.cmd = cipher.Cmd(e.Op)
	}
	if e.Blocks != s.blocks() {
		r.differ(e, "blocks", s.blocks(), e.Blocks)
	}
	op := int(s.cmd)
	if !rc.bal.Able(e.Core, op, s.inverse()) {
		r.differ(e, "core", fmt.Sprintf("one that can %s %s", s.cmd, s.mode), e.Core)
	}
	r.chain(e, s, rc)
	// a dispatch of cycle d reads its increment in d
	rc.write(&rc.incs, func(w replayWrite) bool { return w.cycle < e.Cycle }, rc.bal.setInc)
	if e.Bound {
		r.rep.Bound++
		// room is looked at in the cycle before
		rc.count(e.Cycle - 1)
		if rc.bal.Full(e.Core) {
			r.differ(e, "room on the core of a bound packet", fmt.Sprintf("fewer than %d packets", rc.c.Cores[e.Core].Cap),
				rc.bal.Held(e.Core))
		}
	} else {
		r.decide(e, s, rc)
	}
	if rc.bal.Held(e.Core) >= rc.c.Cores[e.Core].Cap {
		r.differ(e, "packets on the core", fmt.Sprintf("at most %d", rc.c.Cores[e.Core].Cap), rc.bal.Held(e.Core)+1)
	}
	s.amount, s.counted = rc.bal.Dispatch(e.Core, op, s.blocks(), e.Bound), true
	rc.cores[e.Core].slots = append(rc.cores[e.Core].slots, e.Slot)
	rc.head = e.Cycle
	rc.expired()
}

// decide recomputes an unbound dispatch.
func (r *Replay) decide(e *Event, s *replaySlot, rc *replayCluster) {
	r.rep.Decisions++
	op, n := int(s.cmd), rc.c.NumCores
	if e.Decided >= e.Cycle || e.Decided <= rc.head && rc.head > 0 {
		r.differ(e, "cycle of the decision", fmt.Sprintf("%d to %d, behind the dispatch before", rc.head+1, e.Cycle-1),
			e.Decided)
	}
	rc.count(e.Decided)
	rc.write(&rc.bases, func(w replayWrite) bool {
		at := e.Decided
		if r.d.Scan { // core by core, a cycle each
			at += uint64(w.core)
		}
		return w.cycle < at
	}, rc.bal.setBase)
	if rc.c.Tables.Pointer == policy.PointerNone {
		if len(e.Scores) != n {
			r.differ(e, "number of scores", n, len(e.Scores))
		} else {
			if r.scores == nil {
				r.scores = make([]uint64, MaxCores)
			}
			rc.bal.Scores(op, r.scores[:n])
			for j, seen := range e.Scores {
				r.rep.Scores++
				if seen != r.scores[j] {
					r.differ(e, fmt.Sprintf("score of core %d", j), r.scores[j], seen)
				}
			}
		}
	}
	if len(e.Full) != n {
		r.differ(e, "number of full flags", n, len(e.Full))
	} else {
		if r.skips == nil {
			r.skips = make([]bool, MaxCores)
		}
		rc.bal.Skips(op, s.inverse(), r.skips[:n])
		for j, seen := range e.Full {
			if seen != r.skips[j] {
				r.differ(e, fmt.Sprintf("full flag of core %d", j), r.skips[j], seen)
			}
		}
	}
	core, ok := rc.bal.Decide(op, s.inverse())
	switch {
	case !ok:
		r.differ(e, "core", "none: it has to wait", e.Core)
	case core != e.Core:
		r.differ(e, "core", core, e.Core)
	}
}

// chain is the choose list's part of a dispatch.
func (r *Replay) chain(e *Event, s *replaySlot, rc *replayCluster) {
	if !s.chained() {
		if e.Bound {
			r.differ(e, "bound", "false: the packet is not chained", true)
		}
		if e.Entry >= 0 {
			r.differ(e, "entry", "none: the packet is not chained", e.Entry)
		}
		return
	}
	if e.Entry < 0 || e.Entry >= len(rc.entries) {
		r.differ(e, "entry", fmt.Sprintf("0 to %d", len(rc.entries)-1), e.Entry)
		return
	}
	s.entry = e.Entry
	i, hit := rc.open[s.id]
	if !hit {
		if s.no != 0 {
			r.differ(e, "a later packet of a job that is not open", workload.NoSuchJob, "its dispatch")
		}
		if e.Bound {
			r.differ(e, "bound", "false: the job is not open", true)
		}
		if other := rc.entries[e.Entry]; other != nil {
			r.differ(e, "entry", "a free one", fmt.Sprintf("%d, of %s", e.Entry, other.id))
			delete(rc.open, other.id)
		}
		j := &replayJob{
			id: s.id, cmd: s.cmd, mode: s.mode, key: s.key, next: 1, core: e.Core, slot: e.Slot, pending: 1, closing: s.last,
		}
		rc.entries[e.Entry], rc.open[s.id] = j, e.Entry
		s.job, s.opens = j, true
		return
	}
	j := rc.entries[i]
	s.job = j
	if i != e.Entry {
		r.differ(e, "entry", i, e.Entry)
	}
	switch {
	case j.ends():
		r.differ(e, "a packet of a job that is over", workload.NoSuchJob, "its dispatch")
	case !j.expects(s):
		r.differ(e, "a packet out of sequence", fmt.Sprintf("%s: no %d is next", workload.OutOfSequence, j.next),
			"its dispatch")
	}
	// A bound packet goes in d if the job had one pending in d-1, that cycle's credit counted; any other was decided
	// when it had none.
	pending := j.pending
	if e.Bound && j.lastCredit == e.Cycle {
		pending++
	}
	want := r.d.BindJob || pending > 0
	if want != e.Bound {
		r.differ(e, "bound", fmt.Sprintf("%t: %d packets of the job pending", want, pending), e.Bound)
	}
	if e.Bound && e.Core != j.core {
		r.differ(e, "core of a bound packet", j.core, e.Core)
	}
	if !e.Bound && pending == 0 && j.lastCredit > e.Decided {
		r.differ(e, "cycle of the decision", fmt.Sprintf("%d or later, when none of the job is pending", j.lastCredit),
			e.Decided)
	}
	j.core, j.slot, j.no = e.Core, e.Slot, s.no
	j.pending++
	if j.next++; j.next > 65535 {
		j.next = 1
	}
	j.closing = j.closing || s.last
}

func (r *Replay) openEntry(e *Event, s *replaySlot) {
	r.rep.Opened++
	switch {
	case !s.opens || s.at != placeDispatched:
		r.differ(e, "an entry opened", "one for the first packet of a chained job, after its dispatch", "open")
	case e.Entry != s.entry:
		r.differ(e, "entry", s.entry, e.Entry)
	case e.Core != s.core:
		r.differ(e, "core", s.core, e.Core)
	}
	s.opens = false
}

// inTurn checks that a packet is the one whose turn it is on its core.
func (r *Replay) inTurn(e *Event, rc *replayCluster, turn int) {
	l := rc.cores[e.Core].slots
	switch {
	case turn >= len(l):
		r.differ(e, "slot in turn on the core", "none", e.Slot)
	case l[turn] != e.Slot:
		r.differ(e, "slot in turn on the core", l[turn], e.Slot)
	}
}

func (r *Replay) onCore(e *Event, s *replaySlot) {
	if s.core != e.Core {
		r.differ(e, "core", s.core, e.Core)
	}
}

func (r *Replay) start(e *Event, s *replaySlot, rc *replayCluster) {
	r.move(e, s, placeStarted, placeDispatched)
	if s.opens {
		r.differ(e, "the entry of a job's first packet", "its open", "none")
		s.opens = false
	}
	r.onCore(e, s)
	r.inTurn(e, rc, rc.cores[e.Core].started)
	rc.cores[e.Core].started++
}

func (r *Replay) complete(e *Event, s *replaySlot, rc *replayCluster) {
	r.move(e, s, placeCompleted, placeStarted)
	r.onCore(e, s)
	r.inTurn(e, rc, rc.cores[e.Core].complete)
	rc.cores[e.Core].complete++
}

func (r *Replay) credit(e *Event, s *replaySlot, rc *replayCluster) {
	if !r.move(e, s, placeCredited, placeCompleted) {
		return
	}
	r.onCore(e, s)
	r.inTurn(e, rc, 0)
	co := &rc.cores[e.Core]
	if remove(&co.slots, e.Slot) {
		co.started, co.complete = max(0, co.started-1), max(0, co.complete-1)
	}
	if e.Counted > 0 && s.counted { // else a clear comes first
		if n := len(rc.credits); e.Counted <= e.Cycle || n > 0 && e.Counted < rc.credits[n-1].counted {
			r.differ(e, "cycle in which the credit counts", "a later one, in the order of the credits", e.Counted)
		}
		rc.credits = append(rc.credits, replayCredit{s.core, s.amount, e.Counted})
	}
	j := s.job
	if j == nil {
		return
	}
	s.dead = j.dead
	j.pending--
	j.lastCredit = e.Cycle
	if j.pending == 0 && j.ends() {
		j.freed = e.Cycle + 1
		rc.due = j
	}
}

// count lets the balancer see the credits that a decision of a cycle sees.
func (rc *replayCluster) count(cycle uint64) {
	n := 0
	for n < len(rc.credits) && rc.credits[n].counted <= cycle {
		rc.bal.Credit(rc.credits[n].core, rc.credits[n].amount)
		n++
	}
	rc.credits = append(rc.credits[:0], rc.credits[n:]...)
}

func (r *Replay) close(e *Event, rc *replayCluster) {
	r.rep.Closed++
	if e.Entry < 0 || e.Entry >= len(rc.entries) || rc.entries[e.Entry] == nil {
		r.differ(e, "entry", "one that is open", e.Entry)
		return
	}
	j := rc.entries[e.Entry]
	if id := (jobID{e.Requester, e.Task}); id != j.id {
		r.differ(e, "job of the entry", j.id, id)
	}
	if e.Slot != j.slot || e.No != j.no {
		r.differ(e, "last packet of the job", fmt.Sprintf("no %d in slot %d", j.no, j.slot),
			fmt.Sprintf("no %d in slot %d", e.No, e.Slot))
	}
	if !j.ends() {
		r.endedBy(e, j, rc)
	}
	switch {
	case !j.ends():
		r.differ(e, "an entry freed", "not before the job's last packet", "close")
	case j.pending != 0:
		r.differ(e, "an entry freed", fmt.Sprintf("not before %d packets of the job are done", j.pending), "close")
	case j.freed != 0 && j.freed != e.Cycle:
		r.differ(e, "cycle of the close", j.freed, e.Cycle)
	}
	if rc.due == j {
		rc.due = nil
	}
	j.freed = e.Cycle
	rc.closed = append(rc.closed, *j)
	delete(rc.open, j.id)
	rc.entries[e.Entry] = nil
}

// write puts the writes into a table that a decision sees; the others wait.
func (rc *replayCluster) write(l *[]replayWrite, seen func(replayWrite) bool, set func(core, op int, v uint64)) {
	n := 0
	for _, w := range *l {
		if seen(w) {
			set(w.core, w.op, w.value)
		} else {
			(*l)[n] = w
			n++
		}
	}
	*l = (*l)[:n]
}

func (b *Balancer) setBase(core, op int, v uint64) { b.base[op][core] = v }
func (b *Balancer) setInc(core, op int, v uint64)  { b.inc[op][core] = v }
