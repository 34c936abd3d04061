// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/cipher"
	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/workload"
)

func replayDesign(t testing.TB) *design.Design {
	t.Helper()
	c, err := config.Parse("replay.toml", ".", []byte(`
[design]
name = "replay"
slots = 6
requesters = 2
[scheduler]
policy = "jsq"
[[cluster]]
name = "a"
queue = 2
[[cluster.core]]
kind = "aes128_16sbox"
count = 2
queue = 2
[[cluster]]
name = "b"
algorithm = "sm4"
`))
	require.NoError(t, err)
	d, err := design.Elaborate(c)
	require.NoError(t, err)
	return d
}

// randomEvents are events with random fields of each kind: they need not make sense.
func randomEvents(r *rand.Rand, d *design.Design, n int) []Event {
	var out []Event
	cycle := uint64(0)
	slots := make([]Event, d.Slots)
	for range n {
		cycle += uint64(r.Intn(3)) * uint64(r.Intn(300))
		e := Event{Cycle: cycle, Kind: EventKind(1 + r.Intn(int(EventTable))), Cluster: -1, Entry: -1}
		if owned(e.Kind) {
			e.Slot = r.Intn(d.Slots)
			own := slots[e.Slot]
			if r.Intn(10) == 0 || e.Kind == EventAccept {
				own = Event{Cluster: r.Intn(3) - 1, Requester: r.Intn(300), Task: r.Intn(1 << 16), No: r.Intn(1 << 16)}
			}
			e.Cluster, e.Requester, e.Task, e.No = own.Cluster, own.Requester, own.Task, own.No
		}
		switch e.Kind {
		case EventAccept:
			slots[e.Slot] = e
			e.Cmd, e.Mode, e.Last = cipher.Cmd(r.Intn(16)), cipher.Mode(r.Intn(16)), r.Intn(2) == 0
			if control(e.Cmd) {
				e.Mode = 0
			}
			e.Key, e.Bytes = r.Intn(256), r.Intn(1<<16)
			if e.Refused = r.Intn(4) == 0; e.Refused {
				e.Status = workload.Status(r.Intn(14))
			}
		case EventPark, EventUnpark, EventEnqueue:
			e.Queue = r.Intn(9)
		case EventDispatch:
			e.Core, e.Op, e.Blocks, e.Entry = r.Intn(64), r.Intn(4), r.Intn(4096), r.Intn(300)-1
			if e.Bound = r.Intn(2) == 0; !e.Bound {
				e.Decided = cycle - min(cycle, uint64(r.Intn(70)))
				for range 1 + r.Intn(64) {
					e.Scores = append(e.Scores, uint64(r.Uint32()))
					e.Full = append(e.Full, r.Intn(2) == 0)
				}
			}
		case EventOpen:
			e.Core, e.Entry = r.Intn(64), r.Intn(256)
		case EventStart, EventComplete:
			e.Core = r.Intn(64)
		case EventCredit:
			e.Core = r.Intn(64)
			if r.Intn(3) > 0 {
				e.Counted = cycle + 1 + uint64(r.Intn(5))
			}
		case EventClose:
			e.Entry = r.Intn(256)
		case EventResult:
			e.Status = workload.Status(r.Intn(14))
		case EventTable:
			e.Cluster, e.Core, e.Op, e.Table, e.Value = r.Intn(2), r.Intn(64), r.Intn(4), r.Intn(2), uint64(r.Uint32())
		}
		out = append(out, e)
	}
	return out
}

func readAll(t *testing.T, d *design.Design, b []byte) ([]Event, error) {
	t.Helper()
	r, err := OpenTrace(bytes.NewReader(b), d)
	if err != nil {
		return nil, err
	}
	var out []Event
	for {
		e, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		c := *e
		c.Scores = append([]uint64(nil), e.Scores...)
		c.Full = append([]bool(nil), e.Full...)
		out = append(out, c)
	}
}

func wireOf(t *testing.T, d *design.Design, events []Event) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWireWriter(&b, TraceOf(d))
	require.NoError(t, err)
	for i := range events {
		require.NoError(t, w.Write(&events[i]))
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func jsonOf(t *testing.T, d *design.Design, events []Event) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewJSONWriter(&b, TraceOf(d))
	for i := range events {
		require.NoError(t, w.Write(&events[i]))
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// Both kinds of trace give back what was written, and the one turned into the other is the same.
func TestTraceFormats(t *testing.T) {
	d := replayDesign(t)
	for seed := range int64(20) {
		events := randomEvents(rand.New(rand.NewSource(seed)), d, 500)
		wire, text := wireOf(t, d, events), jsonOf(t, d, events)
		got, err := readAll(t, d, wire)
		require.NoError(t, err)
		require.Equal(t, events, got)
		got, err = readAll(t, d, text)
		require.NoError(t, err)
		require.Equal(t, events, got)

		r, err := OpenTrace(bytes.NewReader(wire), nil)
		require.NoError(t, err)
		require.Equal(t, TraceOf(d), r.Design())
		var b bytes.Buffer
		require.NoError(t, CopyTrace(NewJSONWriter(&b, r.Design()), r))
		require.Equal(t, string(text), b.String())
		require.Less(t, 3*len(wire), len(text), "the binary kind is compact")
	}
}

// A trace that is cut off anywhere says so, and so does one with damage that can be seen.
func TestTraceDamaged(t *testing.T) {
	d := replayDesign(t)
	wire := wireOf(t, d, randomEvents(rand.New(rand.NewSource(1)), d, 60))
	for n := 1; n < len(wire); n++ {
		_, err := readAll(t, d, wire[:n])
		require.Error(t, err, "%d of %d bytes", n, len(wire))
	}
	got, err := readAll(t, d, nil)
	require.NoError(t, err, "an empty file is a trace without events, JSON lines")
	require.Empty(t, got)
	_, err = readAll(t, d, append(bytes.Clone(wire), 0))
	require.ErrorContains(t, err, "something follows its end")
	b := bytes.Clone(wire)
	b[8] = 77
	_, err = readAll(t, d, b)
	require.ErrorContains(t, err, "version 77")
	// what is read never panics, whatever stands there
	r := rand.New(rand.NewSource(2))
	for range 3000 {
		b := bytes.Clone(wire)
		b[9+r.Intn(len(b)-9)] ^= 1 << r.Intn(8)
		events, _ := readAll(t, d, b)
		p := NewReplay(d)
		for i := range events {
			p.Event(&events[i])
		}
		p.Finish()
	}

	other := *d
	other.Slots = 7
	_, err = readAll(t, &other, wire)
	require.ErrorContains(t, err, "another design: slots 6, not 7")
	other = *d
	other.Policy = "ect"
	_, err = readAll(t, &other, wire)
	require.ErrorContains(t, err, "policy jsq, not ect")
	other = *d
	other.Clusters = other.Clusters[:1]
	_, err = readAll(t, &other, wire)
	require.ErrorContains(t, err, "clusters 2, not 1")
}

func TestTraceJSONErrors(t *testing.T) {
	d := replayDesign(t)
	for _, c := range []struct{ line, want string }{
		{`{"cycle":1,"event":"jump"}`, `line 2: unknown event "jump"`},
		{`{"event":"park","queue":1}`, `line 2: an event without "cycle"`},
		{`{"cycle":1,"event":"park","cluster":"c"}`, `line 2: the design has no cluster "c"`},
		{`{"cycle":1,"event":"park","cluster":"a"}`, `line 2: event "park" without "queue"`},
		{`{"cycle":1,"event":"dispatch","cluster":"a","core":0,"op":"sign","bound":false}`, `event "dispatch" without "decided"`},
		{`{"cycle":1,"event":"dispatch","cluster":"a","core":0,"op":"sing","bound":true}`, `unknown op "sing"`},
		{`{"cycle":1,"event":"result","cluster":"a","status":"fine"}`, `unknown status "fine"`},
		{`{"cycle":1,"event":"accept","cluster":"a","cmd":"encrypt","mode":"xyz"}`, `unknown mode "xyz"`},
		{`{"cycle":"x"}`, "line 2: not an event"},
		{`]`, "line 2: not an event"},
	} {
		_, err := readAll(t, d, []byte("\n"+c.line+"\n"))
		require.ErrorContains(t, err, c.want, c.line)
	}
	_, err := readAll(t, d, []byte("hello"))
	require.ErrorContains(t, err, "not a trace")
	_, err = OpenTrace(strings.NewReader("{}"), nil)
	require.ErrorIs(t, err, ErrNoDesign)
}

// packet is an ECB packet on its way, with the events of one core.
func packet(slot int, at uint64, core int, scores []uint64) []Event {
	e := func(cycle uint64, k EventKind) Event {
		return Event{Cycle: cycle, Kind: k, Slot: slot, Entry: -1, Requester: 1, Task: 7}
	}
	l := []Event{
		e(at, EventAccept), e(at+1, EventEnqueue), e(at+6, EventDispatch), e(at+9, EventStart), e(at+30, EventComplete),
		e(at+32, EventCredit), e(at+40, EventResult),
	}
	l[0].Last, l[0].Bytes = true, 16
	l[2].Core, l[2].Blocks, l[2].Decided = core, 1, at+4
	l[2].Scores, l[2].Full = scores, []bool{false, false}
	l[3].Core, l[4].Core, l[5].Core = core, core, core
	l[5].Counted = at + 35
	return l
}

// A trace made by hand: two packets by the shorter queue, one after the other; then with single faults.
func TestReplayByHand(t *testing.T) {
	d := replayDesign(t)
	unit := d.Clusters[0].Inc[0][0]
	trace := func() []Event {
		a, b := packet(0, 100, 0, []uint64{0, 0}), packet(3, 110, 1, []uint64{unit, 0})
		return []Event{a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], a[4], a[5], b[4], a[6], b[5], b[6]}
	}
	replay := func(events []Event) *ReplayReport {
		r := NewReplay(d)
		for i := range events {
			r.Event(&events[i])
		}
		return r.Finish()
	}
	good := replay(trace())
	require.True(t, good.OK(), "%v", good.First)
	require.Equal(t, 2, good.Decisions)
	require.Equal(t, 4, good.Scores)
	require.Equal(t, uint64(150), good.Cycles)

	for _, c := range []struct {
		name   string
		change func([]Event) []Event
		want   string
	}{
		{"a score off by one", func(l []Event) []Event { l[6].Scores[0]++; return l }, "score of core 0: expected 1, the trace has 2"},
		{"another core", func(l []Event) []Event { l[6].Core = 0; return l }, "core: expected 1, the trace has 0"},
		{"a full flag", func(l []Event) []Event { l[6].Full[0] = true; return l }, "full flag of core 0: expected false"},
		{"a score missing", func(l []Event) []Event { l[6].Scores = l[6].Scores[:1]; return l }, "number of scores: expected 2"},
		{"a decision before the dispatch it depends on", func(l []Event) []Event { l[6].Decided = 106; return l },
			"cycle of the decision"},
		{"no result", func(l []Event) []Event { return l[:len(l)-1] }, "at the trace's end"},
		{"no credit", func(l []Event) []Event { return append(l[:12], l[13]) }, "expected answered or credited, the trace has completed"},
		{"two results", func(l []Event) []Event { return append(l, l[13]) }, "slot: expected one that holds a packet"},
		{"a slot used twice", func(l []Event) []Event { l[4].Slot = 0; return l }, "slot: expected a free one"},
		{"another length", func(l []Event) []Event { l[6].Blocks = 2; return l }, "blocks: expected 1, the trace has 2"},
		{"another command", func(l []Event) []Event { l[6].Op = 1; return l }, "op: expected encrypt, the trace has decrypt"},
		{"a status", func(l []Event) []Event { l[13].Status = workload.Aborted; return l }, "status: expected ok, the trace has aborted"},
		{"bound", func(l []Event) []Event { l[6].Bound = true; return l }, "bound: expected false"},
		{"a queue that holds too many", func(l []Event) []Event { l[5].Queue = 2; return l }, "packets in the cluster queue"},
		{"a packet's job", func(l []Event) []Event { l[7].Task = 8; return l }, "whose packet it is"},
		{"the order", func(l []Event) []Event { l[8], l[9] = l[9], l[8]; return l }, "order of the events"},
		{"a core that is not there", func(l []Event) []Event { l[6].Core = 2; return l }, "core: expected 0 to 1"},
		{"a cluster that is not there", func(l []Event) []Event { l[6].Cluster = 2; return l }, "cluster: expected one of the design's"},
		{"a command that no core has", func(l []Event) []Event { l[4].Cmd = 5; return l },
			"a packet of cmd5 in mode ecb: expected its refusal at ingress, the trace has enqueue"},
		{"the same, dispatched", func(l []Event) []Event { l[4].Cmd = 15; return l }, "op: expected cmd15, the trace has encrypt"},
		{"a mode that there is not", func(l []Event) []Event { l[4].Mode = 9; return l }, "a packet of encrypt in mode mode9"},
		{"an op that there is not", func(l []Event) []Event { l[6].Op = 4; return l }, "op: expected encrypt, the trace has op4"},
		{"parked without need", func(l []Event) []Event {
			p := l[5]
			p.Kind = EventPark
			return append(l[:5:5], append([]Event{p}, l[5:]...)...)
		}, "a packet that need not wait"},
	} {
		rep := replay(c.change(trace()))
		require.False(t, rep.OK(), c.name)
		var all []string
		for i := range rep.First {
			all = append(all, rep.First[i].String())
		}
		require.Contains(t, strings.Join(all, "\n"), c.want, c.name)
	}

	// whatever is damaged, it is replayed
	rnd := rand.New(rand.NewSource(3))
	for range 20000 {
		l := trace()
		for range 1 + rnd.Intn(3) {
			e := &l[rnd.Intn(len(l))]
			switch v := rnd.Intn(1 << rnd.Intn(17)); rnd.Intn(10) {
			case 0:
				e.Cmd = cipher.Cmd(v & 15)
			case 1:
				e.Mode = cipher.Mode(v & 15)
			case 2:
				e.Op = v
			case 3:
				e.Core = v
			case 4:
				e.Entry = v - 1
			case 5:
				e.Slot = v&7 - 1
			case 6:
				e.Kind = EventKind(1 + v%int(EventTable))
			case 7:
				e.Scores, e.Full = nil, nil
			case 8:
				e.Cluster = v&3 - 1
			case 9:
				e.Bound = !e.Bound
			}
		}
		replay(l)
	}

	// however many there are, twenty are kept
	l := trace()
	for i := range l {
		l[i].No = 9
	}
	for i := range 60 {
		e := packet(5, 200+uint64(i), 0, nil)[6]
		l = append(l, e)
	}
	rep := replay(l)
	require.Len(t, rep.First, 20)
	require.GreaterOrEqual(t, rep.Mismatches, 60)
	sum := ReplayReport{}
	sum.Add(rep)
	sum.Add(good)
	require.Len(t, sum.First, 20)
	require.Equal(t, rep.Packets+good.Packets, sum.Packets)
	require.Equal(t, fmt.Sprint(rep.First), fmt.Sprint(sum.First))
}
