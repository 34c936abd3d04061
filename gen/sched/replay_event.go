// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/workload"
)

// EventKind is what an event of a trace says.
type EventKind uint8

// Events of a trace, docs/interfaces.md.
const (
	EventAccept   EventKind = iota + 1 // the last beat of a frame came in
	EventPark                          // the frame went to the wait queue
	EventUnpark                        // it left that
	EventEnqueue                       // it went to its cluster's queue
	EventDispatch                      // it was given to a core
	EventOpen                          // an entry of the choose list was taken, by the dispatch before
	EventStart                         // its first block entered the core
	EventComplete                      // its last word left the core's lane
	EventCredit                        // choose list and balancer have taken that into account
	EventClose                         // an entry of the choose list was freed
	EventResult                        // the last beat of the result went out
	EventClear                         // the scheduler was emptied by clear: what was in flight returns aborted
	EventReset                         // the scheduler was reset: what was in flight is gone
	EventTable                         // an entry of a weight table was written
)

var eventNames = [...]string{
	EventAccept: "accept", EventPark: "park", EventUnpark: "unpark", EventEnqueue: "enqueue", EventDispatch: "dispatch",
	EventOpen: "open", EventStart: "start", EventComplete: "complete", EventCredit: "credit", EventClose: "close",
	EventResult: "result", EventClear: "clear", EventReset: "reset", EventTable: "table",
}

func (k EventKind) String() string {
	if k > 0 && int(k) < len(eventNames) {
		return eventNames[k]
	}
	return fmt.Sprintf("event%d", uint8(k))
}

// Table names of EventTable, by Event.Table.
var tableNames = []string{"base", "inc"}

// Event is a line of a trace. A field that does not belong to the event's kind is 0.
type Event struct {
	Cycle uint64
	Kind  EventKind

	// whose event it is; of clear, reset and table nobody's
	Cluster   int // index; -1: none
	Requester int
	Task, No  int
	Slot      int

	// accept: what the frame is; control frames (key load, abort) have no mode
	Cmd   cipher.Cmd
	Mode  cipher.Mode
	Last  bool
	Key   int // key slot
	Bytes int // payload

	Status  workload.Status // accept of a refused frame, result
	Refused bool            // accept: refused at ingress, with Status

	Queue int // park, unpark, enqueue: packets in the cluster queue before

	Core   int // dispatch, open, start, complete, credit
	Entry  int // dispatch of a chained packet, open, close: entry of the choose list; -1: none
	Op     int // dispatch, table
	Blocks int // dispatch
	Bound  bool
	// Decided is the cycle in which the scores of an unbound dispatch were read.
	Decided uint64
	Scores  []uint64 // of every core; nil of a bound dispatch
	Full    []bool   // of every core: does not compete; nil of a bound dispatch

	// Counted is the first cycle in which a decision sees a credit; 0: a clear came before.
	Counted uint64

	Table int    // table: 0 base, 1 increment
	Value uint64 // table: as written, not cut to the table's width
}

// TraceDesign is what a trace says of the design that it is of.
type TraceDesign struct {
	Design   string         `json:"design"`
	Policy   string         `json:"policy"`
	Slots    int            `json:"slots"`
	Clusters []TraceCluster `json:"clusters"`
}

// TraceCluster is a cluster of a TraceDesign.
type TraceCluster struct {
	Name  string `json:"name"`
	Cores int    `json:"cores"`
}

// TraceOf describes a design in its traces.
func TraceOf(d *design.Design) TraceDesign {
	t := TraceDesign{Design: d.Name, Policy: d.Policy, Slots: d.Slots}
	for _, c := range d.Clusters {
		t.Clusters = append(t.Clusters, TraceCluster{c.Name, c.NumCores})
	}
	return t
}

func (t *TraceDesign) cluster(name string) int {
	return slices.IndexFunc(t.Clusters, func(c TraceCluster) bool { return c.Name == name })
}

// TraceWriter takes the events of a trace one by one. Close writes what is left; it does not close the file.
type TraceWriter interface {
	Write(*Event) error
	Close() error
}

// TraceReader gives the events of a trace one by one. An Event and its slices are valid until the next call. The error
// is io.EOF at the end.
type TraceReader interface {
	Read() (*Event, error)
	// Design is that of the trace.
	Design() TraceDesign
}

type jsonWriter struct {
	w *bufio.Writer
	d TraceDesign
	b []byte
}

// NewJSONWriter writes a trace as JSON, an event a line.
func NewJSONWriter(w io.Writer, d TraceDesign) TraceWriter {
	return &jsonWriter{w: bufio.NewWriterSize(w, 1<<16), d: d}
}

func (w *jsonWriter) Close() error { return w.w.Flush() }

func (w *jsonWriter) Write(e *Event) error {
	b := w.b[:0]
	num := func(key string, v uint64) {
		b = append(b, `,"`...)
		b = append(b, key...)
		b = append(b, `":`...)
		b = strconv.AppendUint(b, v, 10)
	}
	str := func(key, v string) {
		b = append(b, `,"`...)
		b = append(b, key...)
		b = append(b, `":"`...)
		b = append(b, v...) // names: nothing to escape
		b = append(b, '"')
	}
	flag := func(key string, v bool) {
		b = append(b, `,"`...)
		b = append(b, key...)
		b = append(b, `":`...)
		b = strconv.AppendBool(b, v)
	}
	b = append(b, `{"cycle":`...)
	b = strconv.AppendUint(b, e.Cycle, 10)
	str("event", e.Kind.String())
	name := ""
	if e.Cluster >= 0 && e.Cluster < len(w.d.Clusters) {
		name = w.d.Clusters[e.Cluster].Name
	}
	str("cluster", name)
	num("requester", uint64(e.Requester))
	num("task", uint64(e.Task))
	num("no", uint64(e.No))
	if e.Slot < 0 {
		b = append(b, `,"slot":-1`...)
	} else {
		num("slot", uint64(e.Slot))
	}
	switch e.Kind {
	case EventAccept:
		str("cmd", e.Cmd.String())
		if !control(e.Cmd) {
			str("mode", e.Mode.String())
		}
		flag("last", e.Last)
		num("key", uint64(e.Key))
		num("bytes", uint64(e.Bytes))
		if e.Refused {
			str("status", e.Status.String())
		}
	case EventPark, EventUnpark, EventEnqueue:
		num("queue", uint64(e.Queue))
	case EventDispatch:
		num("core", uint64(e.Core))
		str("op", opName(e.Op))
		num("blocks", uint64(e.Blocks))
		flag("bound", e.Bound)
		if e.Entry >= 0 {
			num("entry", uint64(e.Entry))
		}
		if !e.Bound {
			num("decided", e.Decided)
		}
		if e.Scores != nil {
			b = append(b, `,"scores":[`...)
			for j, s := range e.Scores {
				if j > 0 {
					b = append(b, ',')
				}
				b = strconv.AppendUint(b, s, 10)
			}
			b = append(b, ']')
		}
		if e.Full != nil {
			b = append(b, `,"full":[`...)
			for j, f := range e.Full {
				if j > 0 {
					b = append(b, ',')
				}
				b = strconv.AppendBool(b, f)
			}
			b = append(b, ']')
		}
	case EventOpen:
		num("core", uint64(e.Core))
		num("entry", uint64(e.Entry))
	case EventStart, EventComplete:
		num("core", uint64(e.Core))
	case EventCredit:
		num("core", uint64(e.Core))
		if e.Counted > 0 {
			num("counted", e.Counted)
		}
	case EventClose:
		num("entry", uint64(e.Entry))
	case EventResult:
		str("status", e.Status.String())
	case EventTable:
		num("core", uint64(e.Core))
		str("op", opName(e.Op))
		str("table", tableNames[e.Table&1])
		num("value", e.Value)
	}
	w.b = append(b, "}\n"...)
	_, err := w.w.Write(w.b)
	return err
}

func control(c cipher.Cmd) bool { return c == cipher.LoadKey || c == cipher.Abort }

func opName(op int) string {
	if op >= 0 && op < len(design.OpNames) {
		return design.OpNames[op]
	}
	return fmt.Sprintf("op%d", op)
}

type jsonReader struct {
	r    *bufio.Reader
	d    TraceDesign
	line int
	e    Event
}

// newJSONReader reads JSON lines; cluster names are those of the design.
func newJSONReader(r *bufio.Reader, d TraceDesign) *jsonReader { return &jsonReader{r: r, d: d} }

func (r *jsonReader) Design() TraceDesign { return r.d }

// eventJSON has pointers where a field's absence is told from 0.
type eventJSON struct {
	Cycle     *uint64  `json:"cycle"`
	Event     string   `json:"event"`
	Cluster   string   `json:"cluster"`
	Requester int      `json:"requester"`
	Task      int      `json:"task"`
	No        int      `json:"no"`
	Slot      int      `json:"slot"`
	Cmd       *string  `json:"cmd"`
	Mode      *string  `json:"mode"`
	Last      bool     `json:"last"`
	Key       int      `json:"key"`
	Bytes     int      `json:"bytes"`
	Status    *string  `json:"status"`
	Queue     *int     `json:"queue"`
	Core      *int     `json:"core"`
	Entry     *int     `json:"entry"`
	Op        *string  `json:"op"`
	Blocks    int      `json:"blocks"`
	Bound     *bool    `json:"bound"`
	Decided   *uint64  `json:"decided"`
	Scores    []uint64 `json:"scores"`
	Full      []bool   `json:"full"`
	Counted   uint64   `json:"counted"`
	Table     *string  `json:"table"`
	Value     uint64   `json:"value"`
}

func (r *jsonReader) Read() (*Event, error) {
	for {
		line, err := r.r.ReadBytes('\n')
		if len(line) == 0 && err != nil {
			return nil, err
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		r.line++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var j eventJSON
		if err := json.Unmarshal(line, &j); err != nil {
			return nil, fmt.Errorf("line %d: not an event: %w", r.line, err)
		}
		if err := r.event(&j); err != nil {
			return nil, fmt.Errorf("line %d: %w", r.line, err)
		}
		return &r.e, nil
	}
}

// event fills r.e.
func (r *jsonReader) event(j *eventJSON) error {
	kind := slices.Index(eventNames[:], j.Event)
	if kind < 1 {
		return fmt.Errorf("unknown event %q", j.Event)
	}
	if j.Cycle == nil {
		return errors.New(`an event without "cycle"`)
	}
	r.e = Event{
		Cycle: *j.Cycle, Kind: EventKind(kind), Cluster: -1, Requester: j.Requester, Task: j.Task, No: j.No, Slot: j.Slot,
		Last: j.Last, Key: j.Key, Bytes: j.Bytes, Blocks: j.Blocks, Scores: j.Scores, Full: j.Full, Counted: j.Counted,
		Value: j.Value, Entry: -1,
	}
	e := &r.e
	if j.Cluster != "" {
		if e.Cluster = r.d.cluster(j.Cluster); e.Cluster < 0 {
			return fmt.Errorf("the design has no cluster %q", j.Cluster)
		}
	}
	var missing string
	need := func(name string, ok bool) {
		if !ok && missing == "" {
			missing = name
		}
	}
	var bad error
	name := func(s *string, key string, parse func(string) int) int {
		need(key, s != nil)
		if s == nil {
			return 0
		}
		v := parse(*s)
		if v < 0 && bad == nil {
			bad = fmt.Errorf("unknown %s %q", key, *s)
		}
		return v
	}
	number := func(v *int, key string) int {
		need(key, v != nil)
		if v == nil {
			return 0
		}
		return *v
	}
	status := func() { e.Status = workload.Status(name(j.Status, "status", parseStatus)) }
	switch e.Kind {
	case EventAccept:
		e.Cmd = cipher.Cmd(name(j.Cmd, "cmd", parseCmd))
		if !control(e.Cmd) {
			e.Mode = cipher.Mode(name(j.Mode, "mode", parseMode))
		}
		if e.Refused = j.Status != nil; e.Refused {
			status()
		}
	case EventPark, EventUnpark, EventEnqueue:
		e.Queue = number(j.Queue, "queue")
	case EventDispatch:
		e.Core = number(j.Core, "core")
		e.Op = name(j.Op, "op", parseOp)
		need("bound", j.Bound != nil)
		e.Bound = j.Bound != nil && *j.Bound
		if j.Entry != nil {
			e.Entry = *j.Entry
		}
		if !e.Bound {
			need("decided", j.Decided != nil)
			if j.Decided != nil {
				e.Decided = *j.Decided
			}
		}
	case EventOpen:
		e.Core, e.Entry = number(j.Core, "core"), number(j.Entry, "entry")
	case EventStart, EventComplete, EventCredit:
		e.Core = number(j.Core, "core")
	case EventClose:
		e.Entry = number(j.Entry, "entry")
	case EventResult:
		status()
	case EventTable:
		e.Core = number(j.Core, "core")
		e.Op = name(j.Op, "op", parseOp)
		e.Table = name(j.Table, "table", func(s string) int { return slices.Index(tableNames, s) })
	}
	if missing != "" {
		return fmt.Errorf("event %q without %q", j.Event, missing)
	}
	return bad
}

// coded parses a name of a list, or its prefix with a code behind it, as String writes those without a name.
func coded(s string, names []string, prefix string, most int) int {
	if i := slices.Index(names, s); i >= 0 {
		return i
	}
	rest, ok := strings.CutPrefix(s, prefix)
	if n, err := strconv.Atoi(rest); ok && err == nil && n >= 0 && n <= most {
		return n
	}
	return -1
}

func parseOp(s string) int     { return slices.Index(design.OpNames[:], s) }
func parseMode(s string) int   { return coded(s, cipher.ModeNames, "mode", 15) }
func parseStatus(s string) int { return coded(s, workload.StatusNames, "status", 255) }

func parseCmd(s string) int {
	switch s {
	case cipher.LoadKey.String():
		return int(cipher.LoadKey)
	case cipher.Abort.String():
		return int(cipher.Abort)
	}
	return coded(s, cipher.CmdNames, "cmd", 15)
}

// ErrNoDesign is the error of OpenTrace for JSON lines without a design.
var ErrNoDesign = errors.New("not a binary trace, and JSON lines do not say of which design they are")

// NewTraceWriter writes a trace of the kind that a file's name asks for: binary if it ends in .bin, else JSON lines.
func NewTraceWriter(w io.Writer, name string, d TraceDesign) (TraceWriter, error) {
	if strings.HasSuffix(strings.ToLower(name), ".bin") {
		return NewWireWriter(w, d)
	}
	return NewJSONWriter(w, d), nil
}

// OpenTrace reads a trace of either kind, JSON lines or binary. d may be nil for a binary one; for JSON it gives the
// clusters' numbers. A binary trace of another design is an error, as is what is no trace.
func OpenTrace(r io.Reader, d *design.Design) (TraceReader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	head, err := b.Peek(len(wireMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(head) == wireMagic {
		w, err := newWireReader(b)
		if err != nil {
			return nil, err
		}
		if d != nil {
			if err := w.d.same(TraceOf(d)); err != nil {
				return nil, err
			}
		}
		return w, nil
	}
	if len(head) > 0 && !slices.Contains([]byte("{ \t\r\n"), head[0]) {
		return nil, errors.New("not a trace: neither JSON lines nor the binary kind")
	}
	if d == nil {
		return nil, ErrNoDesign
	}
	return newJSONReader(b, TraceOf(d)), nil
}

// CopyTrace writes all events of a trace.
func CopyTrace(w TraceWriter, r TraceReader) error {
	for {
		e, err := r.Read()
		if errors.Is(err, io.EOF) {
			return w.Close()
		}
		if err != nil {
			return err
		}
		if err := w.Write(e); err != nil {
			return err
		}
	}
}

// same says how the design of a trace differs from another one.
func (t *TraceDesign) same(d TraceDesign) error {
	differ := func(what string, a, b any) error {
		return fmt.Errorf("the trace is of another design: %s %v, not %v", what, a, b)
	}
	switch {
	case t.Design != d.Design:
		return differ("name", t.Design, d.Design)
	case t.Policy != d.Policy:
		return differ("policy", t.Policy, d.Policy)
	case t.Slots != d.Slots:
		return differ("slots", t.Slots, d.Slots)
	case len(t.Clusters) != len(d.Clusters):
		return differ("clusters", len(t.Clusters), len(d.Clusters))
	}
	for i, c := range t.Clusters {
		if c.Name != d.Clusters[i].Name {
			return differ(fmt.Sprintf("cluster %d is", i), c.Name, d.Clusters[i].Name)
		}
		if c.Cores != d.Clusters[i].Cores {
			return differ(fmt.Sprintf("cores of cluster %s:", c.Name), c.Cores, d.Clusters[i].Cores)
		}
	}
	return nil
}
