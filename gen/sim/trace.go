// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/sched"
	"hwgen/gen/workload"
)

// Event is an event of a trace.
type Event = sched.Event

// bits reads fields of a vector from its bit 0 up.
type bits struct {
	words []uint32
	at    int
}

// take reads n bits, at most 64.
func (b *bits) take(n int) uint64 {
	var v uint64
	for got := 0; got < n; {
		w, off := b.at/32, b.at%32
		some := min(32-off, n-got)
		v |= uint64(b.words[w]>>off) & (1<<some - 1) << got
		got += some
		b.at += some
	}
	return v
}

func (b *bits) flag() bool    { return b.take(1) == 1 }
func (b *bits) num(n int) int { return int(b.take(n)) }

// tableBits are those of a table's write: enable, cluster, address, data.
const tableBits = 1 + 4 + 9 + 32

// traceWords is how many words the event vector of a design has; templates/tb/tb.v.tmpl lays it out.
func traceWords(d *design.Design) int {
	n := 4 + 2*d.SlotW
	if d.CfgPort {
		n += tableBits
	}
	for _, c := range d.Clusters {
		if tapped(d) {
			n += tableBits - 4
		}
		n += 21 + 3*d.SlotW + 2*c.CoreW + d.BlkW + 2*c.IdxW + design.Bits(c.Queue+1) + c.NumCores*(c.AccW+3+2*d.SlotW)
	}
	return max(3, (n+31)/32)
}

// tapped: the registers write the tables, each cluster's by a port of its own.
func tapped(d *design.Design) bool { return d.Axil && d.Programmable }

// openJob is what an entry of the choose list holds.
type openJob struct {
	slot  int
	frame int // the last one dispatched, -1: the entry is free
}

// ReadTrace turns a raw trace into events, in the order in which they count: by cycle, and within one credits,
// arrivals, decisions. frames and o are those of the run: events of the streams' ends come from there, and every slot's
// frame. An event is valid until emit returns.
func ReadTrace(r io.Reader, d *design.Design, frames []workload.Frame, o *workload.Outcome,
	emit func(*Event) error) error {
	t := &traceReader{d: d, frames: frames, o: o, emit: emit}
	return t.read(r)
}

type traceReader struct {
	d      *design.Design
	frames []workload.Frame
	o      *workload.Outcome
	emit   func(*Event) error

	order     []int // frames in the order of their tlast
	next      int   // of those: the first whose tlast has not come yet
	refused   map[int]workload.Status
	slotFrame []int
	frameSlot []int
	entries   [][]openJob
	result    int // results given out

	// events that wait for an older credit to be counted
	held    []Event
	waiting []int // by cluster: its credits in held that are not counted

	late     []Event // dispatches come after arrivals
	any      bool    // something was given out
	clearing bool    // the last record was in a clear
	reset    bool    // or in a reset
	last     uint64
}

func (t *traceReader) read(r io.Reader) error {
	d := t.d
	in := bufio.NewReaderSize(r, 1<<16)
	n := traceWords(d)
	raw := make([]byte, 8+4*n)
	words := make([]uint32, n)

	for i, s := range t.o.Sent {
		if s.Done {
			t.order = append(t.order, i)
		}
	}
	slices.SortFunc(t.order, func(a, b int) int { return cmp.Compare(t.o.Sent[a].Last, t.o.Sent[b].Last) })
	t.refused = map[int]workload.Status{}
	for i := range t.o.Results {
		x := &t.o.Results[i]
		switch s := workload.Status(x.Header().Status); s {
		case workload.BadHeader, workload.Unsupported, workload.BadLength, workload.OverQuota:
			t.refused[x.Frame] = s
		}
	}
	t.slotFrame = make([]int, d.Slots)
	for i := range t.slotFrame {
		t.slotFrame[i] = -1
	}
	t.frameSlot = make([]int, len(t.frames))
	for i := range t.frameSlot {
		t.frameSlot[i] = -1
	}
	t.entries = make([][]openJob, len(d.Clusters))
	for i, c := range d.Clusters {
		t.entries[i] = make([]openJob, c.Choose)
		for k := range t.entries[i] {
			t.entries[i][k].frame = -1
		}
	}
	t.waiting = make([]int, len(d.Clusters))
	for {
		if _, err := io.ReadFull(in, raw); err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return fmt.Errorf("raw trace: %w", err)
		}
		cycle := binary.LittleEndian.Uint64(raw)
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(raw[8+4*i:])
		}
		if err := t.record(cycle, &bits{words: words}); err != nil {
			return err
		}
	}
	if t.clearing {
		if err := t.emptied(t.last, sched.EventClear); err != nil {
			return err
		}
	}
	if err := t.results(^uint64(0)); err != nil {
		return err
	}
	return t.flush(true)
}

// record takes what happened in one cycle.
func (t *traceReader) record(cycle uint64, b *bits) error {
	clr, byRst := b.flag(), b.flag()
	// Of a clear the last cycle counts: what is under way still shows in the first ones. Of a reset the first one that is
	// traced: with a reset of one cycle what was under way shows in that one, but tables written in it or later stay.
	if t.clearing && (!clr || byRst || cycle != t.last+1) {
		if err := t.emptied(t.last, sched.EventClear); err != nil {
			return err
		}
	}
	t.clearing = clr && !byRst
	reset := byRst && clr && !(t.reset && cycle == t.last+1)
	t.reset = byRst && clr
	if err := t.results(cycle); err != nil {
		return err
	}
	t.last = cycle
	t.late = t.late[:0]
	accept, acceptSlot := b.flag(), b.num(t.d.SlotW)
	park, parkSlot := b.flag(), b.num(t.d.SlotW)
	if accept {
		for t.next < len(t.order) && t.o.Sent[t.order[t.next]].Last <= cycle {
			t.next++
		}
		// a frame that ends inside its header is filled up first, a word a cycle
		if t.next == 0 || t.o.Sent[t.order[t.next-1]].Last+uint64(t.d.BPB) <= cycle {
			return fmt.Errorf("raw trace: a frame ends in cycle %d that was not sent", cycle)
		}
		if acceptSlot >= t.d.Slots {
			return fmt.Errorf("raw trace: a frame takes slot %d of %d in cycle %d", acceptSlot, t.d.Slots, cycle)
		}
		f := t.order[t.next-1]
		t.slotFrame[acceptSlot], t.frameSlot[f] = f, acceptSlot
		e := t.event(cycle, sched.EventAccept, acceptSlot)
		h := t.frames[f].Header()
		e.Cmd, e.Last = h.Cmd, h.Flags&workload.FlagLast != 0
		if h.Cmd != cipher.LoadKey && h.Cmd != cipher.Abort {
			e.Mode = h.Mode
		}
		e.Key, e.Bytes = int(h.KeySlot), int(h.Length)
		e.Status, e.Refused = t.refused[f], t.refused[f] != 0
		if err := t.give(e); err != nil {
			return err
		}
	}
	// the number of packets in a parked one's queue stands in its cluster's part
	var parked Event
	if park {
		parked = t.event(cycle, sched.EventPark, parkSlot)
	}
	var table []Event
	if t.d.CfgPort {
		we, cluster, addr, data := b.flag(), b.num(4), b.num(9), b.take(32)
		if we && cluster < len(t.d.Clusters) && addr>>2&63 < t.d.Clusters[cluster].NumCores {
			table = append(table, Event{Cycle: cycle, Kind: sched.EventTable, Cluster: cluster, Core: addr >> 2 & 63,
				Op: addr & 3, Table: addr >> 8, Value: data, Entry: -1})
		}
	}
	for ci := range t.d.Clusters {
		if err := t.cluster(cycle, ci, b, park, &parked); err != nil {
			return err
		}
		if tapped(t.d) {
			if we, addr, data := b.flag(), b.num(9), b.take(32); we {
				table = append(table, Event{Cycle: cycle, Kind: sched.EventTable, Cluster: ci, Core: addr >> 2 & 63, Op: addr & 3,
					Table: addr >> 8, Value: data, Entry: -1})
			}
		}
	}
	for i := range t.late {
		if err := t.give(t.late[i]); err != nil {
			return err
		}
	}
	if reset {
		if err := t.emptied(cycle, sched.EventReset); err != nil {
			return err
		}
	}
	for i := range table {
		if err := t.give(table[i]); err != nil {
			return err
		}
	}
	return nil
}

// cluster takes a cluster's part of a record.
func (t *traceReader) cluster(cycle uint64, ci int, b *bits, park bool, parked *Event) error {
	d, c := t.d, t.d.Clusters[ci]
	enq, unpark, enSlot, queue := b.flag(), b.flag(), b.num(d.SlotW), b.num(design.Bits(c.Queue+1))
	dp, bound, chained, open := b.flag(), b.flag(), b.flag(), b.flag()
	core, dpSlot := b.num(c.CoreW), b.num(d.SlotW)
	b.take(1) // the inverse cipher: accept tells mode and command
	op, blocks, idx := b.num(2), b.num(d.BlkW+1), b.num(c.IdxW)
	age := b.take(8)
	cr, crCore, crSlot := b.flag(), b.num(c.CoreW), b.num(d.SlotW)
	counted := b.flag()
	freed, freedIdx := b.flag(), b.num(c.IdxW)
	scores, full := *b, *b
	full.at += c.NumCores * c.AccW
	start, startSlot := full, full
	start.at += c.NumCores
	startSlot.at = start.at + c.NumCores
	done, doneSlot := startSlot, startSlot
	done.at += c.NumCores * d.SlotW
	doneSlot.at = done.at + c.NumCores
	b.at = doneSlot.at + c.NumCores*d.SlotW
	switch {
	case dp && dpSlot >= d.Slots:
		return fmt.Errorf("raw trace: slot %d of %d is dispatched in cycle %d", dpSlot, d.Slots, cycle)
	case dp && chained && idx >= c.Choose, freed && freedIdx >= c.Choose:
		return fmt.Errorf("raw trace: an entry beyond the %d of cluster %s in cycle %d", c.Choose, c.Name, cycle)
	}

	if park && parked.Cluster == ci {
		parked.Queue = queue
		if err := t.give(*parked); err != nil {
			return err
		}
	}
	for j := range c.NumCores {
		slot := doneSlot.num(d.SlotW)
		if done.flag() {
			if err := t.give(t.onCore(cycle, sched.EventComplete, slot, j)); err != nil {
				return err
			}
		}
	}
	if cr {
		t.waiting[ci]++
		if err := t.give(t.onCore(cycle, sched.EventCredit, crSlot, crCore)); err != nil {
			return err
		}
	}
	if counted {
		t.count(cycle+1, ci)
	}
	if freed {
		if j := &t.entries[ci][freedIdx]; j.frame >= 0 {
			e := t.of(cycle, sched.EventClose, j.slot, j.frame)
			e.Entry = freedIdx
			j.frame = -1
			if err := t.give(e); err != nil {
				return err
			}
		}
	}
	if enq {
		if unpark {
			e := t.event(cycle, sched.EventUnpark, enSlot)
			e.Queue = queue
			if err := t.give(e); err != nil {
				return err
			}
		}
		e := t.event(cycle, sched.EventEnqueue, enSlot)
		e.Queue = queue
		if err := t.give(e); err != nil {
			return err
		}
	}
	if dp {
		e := t.onCore(cycle, sched.EventDispatch, dpSlot, core)
		e.Op, e.Blocks, e.Bound = op, blocks, bound
		if chained {
			e.Entry = idx
		}
		if !bound {
			e.Decided = cycle - age
			if c.Pointer == 0 {
				e.Scores = make([]uint64, c.NumCores)
				for j := range e.Scores {
					e.Scores[j] = scores.take(c.AccW)
				}
			}
			e.Full = make([]bool, c.NumCores)
			for j := range e.Full {
				e.Full[j] = full.flag()
			}
		}
		t.late = append(t.late, e)
		if f := t.slotFrame[dpSlot]; chained && f >= 0 {
			t.entries[ci][idx] = openJob{dpSlot, f}
			if open {
				e := t.onCore(cycle, sched.EventOpen, dpSlot, core)
				e.Entry = idx
				t.late = append(t.late, e)
			}
		}
	}
	for j := range c.NumCores {
		slot := startSlot.num(d.SlotW)
		if start.flag() {
			t.late = append(t.late, t.onCore(cycle, sched.EventStart, slot, j))
		}
	}
	return nil
}

// event is one of the frame that a slot holds.
func (t *traceReader) event(cycle uint64, kind sched.EventKind, slot int) Event {
	if slot >= len(t.slotFrame) {
		return t.of(cycle, kind, slot, -1)
	}
	return t.of(cycle, kind, slot, t.slotFrame[slot])
}

func (t *traceReader) onCore(cycle uint64, kind sched.EventKind, slot, core int) Event {
	e := t.event(cycle, kind, slot)
	e.Core = core
	return e
}

func (t *traceReader) of(cycle uint64, kind sched.EventKind, slot, frame int) Event {
	e := Event{Cycle: cycle, Kind: kind, Slot: slot, Cluster: -1, Entry: -1}
	if frame >= 0 {
		h := t.frames[frame].Header()
		e.Requester, e.Task, e.No = t.frames[frame].TID, int(h.Task), int(h.No)
		if int(h.Cluster) < len(t.d.Clusters) {
			e.Cluster = int(h.Cluster)
		}
	}
	return e
}

// results gives out the results whose last beat came before a cycle.
func (t *traceReader) results(before uint64) error {
	for ; t.result < len(t.o.Results) && t.o.Results[t.result].Last < before; t.result++ {
		x := &t.o.Results[t.result]
		if x.Frame < 0 || x.Frame >= len(t.frames) {
			continue // a violation of its own
		}
		e := t.of(x.Last, sched.EventResult, t.frameSlot[x.Frame], x.Frame)
		e.Status = workload.Status(x.Header().Status)
		if err := t.give(e); err != nil {
			return err
		}
	}
	return nil
}

// emptied is a clear or a reset. The reset that every run begins with is no event.
func (t *traceReader) emptied(cycle uint64, kind sched.EventKind) error {
	for i := range t.entries {
		for k := range t.entries[i] {
			t.entries[i][k].frame = -1
		}
		t.waiting[i] = 0 // what is not counted by now never is
	}
	if !t.any {
		return nil
	}
	if err := t.results(cycle); err != nil {
		return err
	}
	return t.give(Event{Cycle: cycle, Kind: kind, Cluster: -1, Entry: -1})
}

// count is the cycle from which on a cluster's oldest uncounted credit is seen.
func (t *traceReader) count(cycle uint64, ci int) {
	for i := range t.held {
		if e := &t.held[i]; e.Kind == sched.EventCredit && e.Cluster == ci && e.Counted == 0 {
			e.Counted = cycle
			t.waiting[ci]--
			return
		}
	}
}

// give gives out an event, once every credit before it is counted.
func (t *traceReader) give(e Event) error {
	t.any = true
	t.held = append(t.held, e)
	return t.flush(false)
}

func (t *traceReader) flush(all bool) error {
	n := 0
	for ; n < len(t.held); n++ {
		e := &t.held[n]
		if !all && e.Kind == sched.EventCredit && e.Counted == 0 && e.Cluster >= 0 && t.waiting[e.Cluster] > 0 {
			break
		}
		if err := t.emit(e); err != nil {
			return err
		}
	}
	t.held = append(t.held[:0], t.held[n:]...)
	return nil
}

// WriteTrace turns a raw trace file into a trace: binary if the name ends in .bin, else JSON, an event a line.
func WriteTrace(w io.Writer, name string, d *design.Design, raw string, frames []workload.Frame,
	o *workload.Outcome) error {
	f, err := os.Open(raw)
	if err != nil {
		return err
	}
	defer f.Close()
	t, err := sched.NewTraceWriter(w, name, sched.TraceOf(d))
	if err != nil {
		return err
	}
	if err := ReadTrace(f, d, frames, o, t.Write); err != nil {
		return err
	}
	return t.Close()
}
