// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/workload"
)

// Event is a line of trace.jsonl.
type Event struct {
	Cycle     uint64   `json:"cycle"`
	Event     string   `json:"event"`
	Cluster   string   `json:"cluster"`
	Requester int      `json:"requester"`
	Task      int      `json:"task"`
	No        int      `json:"no"`
	Slot      int      `json:"slot"`
	Core      *int     `json:"core,omitempty"`
	Op        string   `json:"op,omitempty"`
	Blocks    int      `json:"blocks,omitempty"`
	Bound     *bool    `json:"bound,omitempty"`
	Scores    []uint64 `json:"scores,omitempty"` // of an unbound dispatch, core by core
	Full      []bool   `json:"full,omitempty"`   // true: does not compete
	Status    string   `json:"status,omitempty"`

	frame int
}

// bits reads fields of a vector from its bit 0 up.
type bits struct {
	words []uint32
	at    int
}

func (b *bits) take(n int) uint64 {
	var v uint64
	for i := range n {
		w := b.at + i
		v |= uint64(b.words[w/32]>>(w%32)&1) << i
	}
	b.at += n
	return v
}

// traceWords is how many words the event vector of a design has; templates/tb/tb.v.tmpl lays it out.
func traceWords(d *design.Design) int {
	n := 2 + 2*d.SlotW
	for _, c := range d.Clusters {
		n += 12 + 3*d.SlotW + 2*c.CoreW + d.BlkW + 2*c.IdxW + c.NumCores*(c.AccW+3+2*d.SlotW)
	}
	return max(3, (n+31)/32)
}

// openJob is what an entry of the choose list holds.
type openJob struct{ requester, task, no, frame int }

// ReadTrace turns a raw trace into events. frames and o are those of the run: events of the streams' ends come from
// there, and every slot's frame.
func ReadTrace(r io.Reader, d *design.Design, frames []workload.Frame, o *workload.Outcome, emit func(*Event) error) error {
	in := bufio.NewReaderSize(r, 1<<16)
	n := traceWords(d)
	raw := make([]byte, 8+4*n)
	words := make([]uint32, n)

	// frames in the order of their tlast
	order := map[uint64]int{}
	for i, s := range o.Sent {
		if s.Done {
			order[s.Last] = i
		}
	}
	result := map[int]*workload.Result{}
	for i := range o.Results {
		result[o.Results[i].Frame] = &o.Results[i]
	}
	slotFrame := make([]int, d.Slots)
	for i := range slotFrame {
		slotFrame[i] = -1
	}
	entries := make([]map[int]openJob, len(d.Clusters))
	for i := range entries {
		entries[i] = map[int]openJob{}
	}
	slotOf := map[int]int{}
	event := func(cycle uint64, name string, slot, frame int) *Event {
		e := &Event{Cycle: cycle, Event: name, Slot: slot, frame: frame}
		if frame >= 0 {
			h := frames[frame].Header()
			e.Requester, e.Task, e.No = frames[frame].TID, int(h.Task), int(h.No)
			if int(h.Cluster) < len(d.Clusters) {
				e.Cluster = d.Clusters[h.Cluster].Name
			}
		}
		return e
	}
	at := func(slot uint64) int {
		if int(slot) < len(slotFrame) {
			return slotFrame[slot]
		}
		return -1
	}
	nextResult := 0
	results := func(before uint64) error {
		for ; nextResult < len(o.Results) && o.Results[nextResult].Last < before; nextResult++ {
			x := &o.Results[nextResult]
			slot := -1
			if s, ok := slotOf[x.Frame]; ok {
				slot = s
			}
			e := event(x.Last, "result", slot, x.Frame)
			e.Status = workload.Status(x.Header().Status).String()
			if err := emit(e); err != nil {
				return err
			}
		}
		return nil
	}
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
		if err := results(cycle); err != nil {
			return err
		}
		b := &bits{words: words}
		var late []*Event // dispatches come after arrivals
		accept, acceptSlot := b.take(1), b.take(d.SlotW)
		park, parkSlot := b.take(1), b.take(d.SlotW)
		var now []*Event
		if accept == 1 {
			f, ok := order[cycle]
			if !ok {
				return fmt.Errorf("raw trace: a frame ends in cycle %d that was not sent", cycle)
			}
			slotFrame[acceptSlot] = f
			slotOf[f] = int(acceptSlot)
			e := event(cycle, "accept", int(acceptSlot), f)
			if x := result[f]; x != nil {
				switch s := workload.Status(x.Header().Status); s {
				case workload.BadHeader, workload.Unsupported, workload.BadLength, workload.OverQuota:
					e.Status = s.String()
				}
			}
			now = append(now, e)
		}
		if park == 1 {
			now = append(now, event(cycle, "park", int(parkSlot), at(parkSlot)))
		}
		for ci, c := range d.Clusters {
			enq, unpark, enSlot := b.take(1), b.take(1), b.take(d.SlotW)
			dp, bound, chained, open := b.take(1), b.take(1), b.take(1), b.take(1)
			core, dpSlot := int(b.take(c.CoreW)), b.take(d.SlotW)
			b.take(1)
			op, blocks, idx := b.take(2), int(b.take(d.BlkW+1)), int(b.take(c.IdxW))
			cr, crCore, crSlot := b.take(1), int(b.take(c.CoreW)), b.take(d.SlotW)
			freed, freedIdx := b.take(1), int(b.take(c.IdxW))
			scores := make([]uint64, c.NumCores)
			for j := range scores {
				scores[j] = b.take(c.AccW)
			}
			full := make([]bool, c.NumCores)
			for j := range full {
				full[j] = b.take(1) == 1
			}
			start := make([]bool, c.NumCores)
			for j := range start {
				start[j] = b.take(1) == 1
			}
			startSlot := make([]uint64, c.NumCores)
			for j := range startSlot {
				startSlot[j] = b.take(d.SlotW)
			}
			done := make([]bool, c.NumCores)
			for j := range done {
				done[j] = b.take(1) == 1
			}
			doneSlot := make([]uint64, c.NumCores)
			for j := range doneSlot {
				doneSlot[j] = b.take(d.SlotW)
			}
			onCore := func(name string, slot uint64, j int) *Event {
				e := event(cycle, name, int(slot), at(slot))
				e.Core = &j
				return e
			}
			for j := range c.NumCores {
				if done[j] {
					now = append(now, onCore("complete", doneSlot[j], j))
				}
			}
			if cr == 1 {
				now = append(now, onCore("credit", crSlot, crCore))
			}
			if freed == 1 {
				if j, ok := entries[ci][freedIdx]; ok {
					e := &Event{Cycle: cycle, Event: "close", Cluster: c.Name, Requester: j.requester, Task: j.task, No: j.no}
					e.Slot = slotOf[j.frame]
					now = append(now, e)
					delete(entries[ci], freedIdx)
				}
			}
			if enq == 1 {
				if unpark == 1 {
					now = append(now, event(cycle, "unpark", int(enSlot), at(enSlot)))
				}
				now = append(now, event(cycle, "enqueue", int(enSlot), at(enSlot)))
			}
			if dp == 1 {
				e := onCore("dispatch", dpSlot, core)
				e.Op, e.Blocks = cipher.CmdNames[op], blocks
				isBound := bound == 1
				e.Bound = &isBound
				if !isBound {
					e.Scores, e.Full = scores, full
				}
				late = append(late, e)
				if f := at(dpSlot); chained == 1 && f >= 0 {
					h := frames[f].Header()
					if open == 1 {
						entries[ci][idx] = openJob{frames[f].TID, int(h.Task), int(h.No), f}
						late = append(late, onCore("open", dpSlot, core))
					} else if j, ok := entries[ci][idx]; ok {
						j.no, j.frame = int(h.No), f
						entries[ci][idx] = j
					}
				}
			}
			for j := range c.NumCores {
				if start[j] {
					late = append(late, onCore("start", startSlot[j], j))
				}
			}
		}
		for _, e := range append(now, late...) {
			if err := emit(e); err != nil {
				return err
			}
		}
	}
	return results(^uint64(0))
}

// WriteTrace turns a raw trace file into JSON lines.
func WriteTrace(w io.Writer, d *design.Design, raw string, frames []workload.Frame, o *workload.Outcome) error {
	f, err := os.Open(raw)
	if err != nil {
		return err
	}
	defer f.Close()
	b := bufio.NewWriterSize(w, 1<<16)
	enc := json.NewEncoder(b)
	if err := ReadTrace(f, d, frames, o, func(e *Event) error { return enc.Encode(e) }); err != nil {
		return err
	}
	return b.Flush()
}
