// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"hwgen/gen/cipher"
	"hwgen/gen/workload"
)

// The binary trace, docs/interfaces.md: magic, version, the length of a JSON object and that object (TraceDesign), then
// records, then a record of tag 0 with the number of records before it. All numbers are unsigned varints. A record is
// its tag, the cycles since the record before, and fields by its kind.
const (
	wireMagic   = "HWGTRACE"
	wireVersion = 1

	// Tag bits above the kind: cluster, requester, task, No follow; else they are those of the last accept of the slot.
	wireKind  = 0x1f
	wireIdent = 0x20
	wireFlag  = 0x40 // accept: last; dispatch: bound
	wireMore  = 0x80 // accept: refused; dispatch: chained (an entry follows)
)

// ident is whose slot it is.
type ident struct{ cluster, requester, task, no int }

// owned says whether an event of a kind belongs to a slot.
func owned(k EventKind) bool { return k != EventClear && k != EventReset && k != EventTable }

func identOf(e *Event) ident { return ident{e.Cluster, e.Requester, e.Task, e.No} }

type wireWriter struct {
	w     *bufio.Writer
	b     []byte
	prev  uint64
	count uint64
	slots []ident
}

// NewWireWriter writes a binary trace.
func NewWireWriter(w io.Writer, d TraceDesign) (TraceWriter, error) {
	head, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	t := &wireWriter{w: bufio.NewWriterSize(w, 1<<16), slots: make([]ident, d.Slots)}
	b := append([]byte(wireMagic), wireVersion)
	b = binary.AppendUvarint(b, uint64(len(head)))
	if _, err := t.w.Write(append(b, head...)); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *wireWriter) Close() error {
	b := binary.AppendUvarint([]byte{0}, t.count)
	if _, err := t.w.Write(b); err != nil {
		return err
	}
	return t.w.Flush()
}

func (t *wireWriter) Write(e *Event) error {
	if e.Cycle < t.prev {
		return fmt.Errorf("trace: %s in cycle %d follows cycle %d", e.Kind, e.Cycle, t.prev)
	}
	tag := byte(e.Kind)
	known := e.Kind != EventAccept && e.Slot >= 0 && e.Slot < len(t.slots) && t.slots[e.Slot] == identOf(e)
	explicit := owned(e.Kind) && !known
	if explicit {
		tag |= wireIdent
	}
	if e.Kind == EventAccept && e.Last || e.Kind == EventDispatch && e.Bound {
		tag |= wireFlag
	}
	if e.Kind == EventAccept && e.Refused || e.Kind == EventDispatch && e.Entry >= 0 {
		tag |= wireMore
	}
	b := append(t.b[:0], tag)
	put := func(v uint64) { b = binary.AppendUvarint(b, v) }
	put(e.Cycle - t.prev)
	t.prev = e.Cycle
	if owned(e.Kind) {
		put(uint64(e.Slot + 1))
	}
	if explicit {
		put(uint64(e.Cluster + 1))
		put(uint64(e.Requester))
		put(uint64(e.Task))
		put(uint64(e.No))
	}
	switch e.Kind {
	case EventAccept:
		if e.Slot >= 0 && e.Slot < len(t.slots) {
			t.slots[e.Slot] = identOf(e)
		}
		put(uint64(e.Cmd))
		put(uint64(e.Mode))
		put(uint64(e.Key))
		put(uint64(e.Bytes))
		if e.Refused {
			put(uint64(e.Status))
		}
	case EventPark, EventUnpark, EventEnqueue:
		put(uint64(e.Queue))
	case EventDispatch:
		put(uint64(e.Core))
		put(uint64(e.Op))
		put(uint64(e.Blocks))
		if e.Entry >= 0 {
			put(uint64(e.Entry))
		}
		if !e.Bound {
			put(e.Cycle - e.Decided)
			put(uint64(len(e.Scores)))
			for _, s := range e.Scores {
				put(s)
			}
			put(uint64(len(e.Full)))
			for i := 0; i < len(e.Full); i += 8 {
				m := byte(0)
				for j := i; j < min(i+8, len(e.Full)); j++ {
					if e.Full[j] {
						m |= 1 << (j - i)
					}
				}
				b = append(b, m)
			}
		}
	case EventOpen:
		put(uint64(e.Core))
		put(uint64(e.Entry))
	case EventStart, EventComplete:
		put(uint64(e.Core))
	case EventCredit:
		put(uint64(e.Core))
		d := uint64(0)
		if e.Counted > 0 {
			d = e.Counted - e.Cycle
		}
		put(d)
	case EventClose:
		put(uint64(e.Entry))
	case EventResult:
		put(uint64(e.Status))
	case EventTable:
		put(uint64(e.Cluster))
		put(uint64(e.Core))
		put(uint64(e.Op))
		put(uint64(e.Table))
		put(e.Value)
	}
	t.b = b
	t.count++
	_, err := t.w.Write(b)
	return err
}

type wireReader struct {
	r     *bufio.Reader
	d     TraceDesign
	prev  uint64
	count uint64
	slots []ident
	e     Event
	sc    []uint64
	full  []bool
	err   error
}

// errWire is what is wrong with a file that is cut off or damaged.
var errWire = errors.New("the trace ends early")

// most is more than any field that counts or indexes has: what is beyond it is damage, not data.
const mostWire = 1 << 20

func newWireReader(r *bufio.Reader) (*wireReader, error) {
	head := make([]byte, len(wireMagic)+1)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, errWire
	}
	if v := head[len(wireMagic)]; v != wireVersion {
		return nil, fmt.Errorf("a binary trace of version %d; this program reads version %d", v, wireVersion)
	}
	w := &wireReader{r: r}
	n := w.get(mostWire)
	if w.err != nil {
		return nil, w.err
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, errWire
	}
	if err := json.Unmarshal(text, &w.d); err != nil || w.d.Slots < 1 || w.d.Slots > mostWire {
		return nil, errors.New("the trace's head is damaged")
	}
	w.slots = make([]ident, w.d.Slots)
	return w, nil
}

func (w *wireReader) Design() TraceDesign { return w.d }

// get reads a number that is at most most.
func (w *wireReader) get(most uint64) int {
	v := w.get64()
	if v > most && w.err == nil {
		w.err = fmt.Errorf("the trace is damaged: %d in record %d", v, w.count)
	}
	if w.err != nil {
		return 0
	}
	return int(v)
}

func (w *wireReader) get64() uint64 {
	if w.err != nil {
		return 0
	}
	v, err := binary.ReadUvarint(w.r)
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errWire
		} else {
			err = fmt.Errorf("the trace is damaged: record %d: %w", w.count, err)
		}
		w.err = err
		return 0
	}
	return v
}

func (w *wireReader) Read() (*Event, error) {
	tag, err := w.r.ReadByte()
	if err != nil {
		return nil, errWire
	}
	if tag == 0 {
		if n := w.get64(); w.err == nil && n != w.count {
			return nil, fmt.Errorf("the trace is damaged: %d records, its end says %d", w.count, n)
		}
		if w.err == nil {
			if _, err := w.r.ReadByte(); err == nil {
				return nil, errors.New("the trace is damaged: something follows its end")
			}
			w.err = io.EOF
		}
		return nil, w.err
	}
	w.count++
	w.e = Event{Kind: EventKind(tag & wireKind), Cluster: -1, Entry: -1}
	e := &w.e
	if e.Kind < EventAccept || e.Kind > EventTable {
		return nil, fmt.Errorf("the trace is damaged: record %d is of kind %d", w.count, e.Kind)
	}
	w.prev += w.get64()
	e.Cycle = w.prev
	if owned(e.Kind) {
		e.Slot = w.get(mostWire) - 1
		if tag&wireIdent != 0 {
			e.Cluster, e.Requester = w.get(mostWire)-1, w.get(mostWire)
			e.Task, e.No = w.get(mostWire), w.get(mostWire)
		} else if e.Slot >= 0 && e.Slot < len(w.slots) {
			i := w.slots[e.Slot]
			e.Cluster, e.Requester, e.Task, e.No = i.cluster, i.requester, i.task, i.no
		}
	}
	flag, more := tag&wireFlag != 0, tag&wireMore != 0
	switch e.Kind {
	case EventAccept:
		if e.Slot >= 0 && e.Slot < len(w.slots) {
			w.slots[e.Slot] = identOf(e)
		}
		e.Last = flag
		e.Cmd, e.Mode = cipher.Cmd(w.get(15)), cipher.Mode(w.get(15))
		e.Key, e.Bytes = w.get(mostWire), w.get(mostWire)
		if e.Refused = more; more {
			e.Status = workload.Status(w.get(255))
		}
	case EventPark, EventUnpark, EventEnqueue:
		e.Queue = w.get(mostWire)
	case EventDispatch:
		e.Bound = flag
		e.Core, e.Op, e.Blocks = w.get(mostWire), w.get(3), w.get(mostWire)
		if more {
			e.Entry = w.get(mostWire)
		}
		if !e.Bound {
			e.Decided = e.Cycle - w.get64()
			w.sc = w.sc[:0]
			for range w.get(mostWire) {
				w.sc = append(w.sc, w.get64())
			}
			if len(w.sc) > 0 {
				e.Scores = w.sc
			}
			w.full = w.full[:0]
			n := w.get(mostWire)
			for i := 0; i < n && w.err == nil; i += 8 {
				m, err := w.r.ReadByte()
				if err != nil {
					w.err = errWire
				}
				for j := i; j < min(i+8, n); j++ {
					w.full = append(w.full, m>>(j-i)&1 == 1)
				}
			}
			if n > 0 {
				e.Full = w.full
			}
		}
	case EventOpen:
		e.Core, e.Entry = w.get(mostWire), w.get(mostWire)
	case EventStart, EventComplete:
		e.Core = w.get(mostWire)
	case EventCredit:
		e.Core = w.get(mostWire)
		if d := w.get64(); d > 0 {
			e.Counted = e.Cycle + d
		}
	case EventClose:
		e.Entry = w.get(mostWire)
	case EventResult:
		e.Status = workload.Status(w.get(255))
	case EventTable:
		e.Cluster, e.Core, e.Op, e.Table = w.get(mostWire), w.get(mostWire), w.get(3), w.get(1)
		e.Value = w.get64()
	}
	if w.err != nil {
		return nil, w.err
	}
	return e, nil
}
