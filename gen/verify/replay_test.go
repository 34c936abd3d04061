// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bytes"
	"context"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/design"
	"hwgen/gen/policy"
	"hwgen/gen/sched"
	"hwgen/gen/sim"
	"hwgen/gen/workload"
)

// Every policy on every shape: see ReplayPolicies.
func TestReplayPolicies(t *testing.T) {
	needTools(t)
	rows, err := ReplayPolicies(context.Background(), PolicyOptions{Packets: 5000, Seed: 1})
	require.NoError(t, err)
	require.Len(t, rows, len(policy.Names)*len(PolicyShapes))
	t.Logf("\n%s", PolicyTable(rows))
	for _, r := range rows {
		require.True(t, r.OK(), "\n%s", PolicyTable([]*PolicyRow{r}))
		require.GreaterOrEqual(t, r.Replay.Packets, 5000)
		require.Greater(t, r.Replay.Decisions, 1500)
		require.Greater(t, r.Replay.Bound, 100)
		require.Greater(t, r.Replay.Parked, 100)
		require.Equal(t, 6, r.Replay.Emptied)
	}
}

// policyTrace runs a case's design on random jobs and on random frames that clears cut off, and gives the events.
func policyTrace(t *testing.T, c policyCase) (*design.Design, []sched.Event, []sched.Event) {
	t.Helper()
	d, files, _, err := c.design()
	require.NoError(t, err)
	s, err := sim.Build(context.Background(), d, files, sim.Options{Trace: true, Quick: true})
	require.NoError(t, err)
	run := func(st *workload.Stimulus) []sched.Event {
		Stalls(st)
		raw := filepath.Join(t.TempDir(), "raw")
		o, err := s.RunFiles(context.Background(), st, raw, "")
		require.NoError(t, err)
		require.Empty(t, o.Violations)
		f, err := os.Open(raw)
		require.NoError(t, err)
		defer f.Close()
		var l []sched.Event
		require.NoError(t, sim.ReadTrace(f, d, st.Frames, o, func(e *sched.Event) error {
			l = append(l, *e)
			return nil
		}))
		return l
	}
	p, err := workload.NewPlan(d, workload.RandomJobs(d, 2000, 5))
	require.NoError(t, err)
	st := p.Stimulus(d)
	st.Cfg = TableWrites(d, 5, 4000)
	jobs := run(st)
	g := workload.NewFrameGen(d, 5)
	for range 2 {
		g.Restart()
		g.LoadAll()
		first := len(g.Frames)
		g.RandomFrames(300)
		g.Events = append(g.Events, workload.Event{
			Kind: workload.EventClear, Frame: first + 290, Length: 1, SkipTo: len(g.Frames),
		})
	}
	g.Restart()
	g.LoadAll()
	g.RandomFrames(50)
	return d, jobs, run(g.Stimulus(5))
}

func replayEvents(d *design.Design, l []sched.Event) *sched.ReplayReport {
	r := sched.NewReplay(d)
	for i := range l {
		r.Event(&l[i])
	}
	return r.Finish()
}

// A trace with one thing changed is found out, wherever that is.
func TestReplayFindsChangedTraces(t *testing.T) {
	needTools(t)
	d, jobs, frames := policyTrace(t, newPolicyCase("2x3", "weighted"))
	for _, l := range [][]sched.Event{jobs, frames} {
		rep := replayEvents(d, l)
		require.True(t, rep.OK(), "%v", rep.First)
		require.Greater(t, rep.Decisions, 100)
	}

	// of changes that take an event alone: where they apply, and what they do
	kind := func(k sched.EventKind) func([]sched.Event, int) bool {
		return func(l []sched.Event, i int) bool { return l[i].Kind == k }
	}
	dispatch := func(bound bool) func([]sched.Event, int) bool {
		return func(l []sched.Event, i int) bool { return l[i].Kind == sched.EventDispatch && l[i].Bound == bound }
	}
	owned := func(l []sched.Event, i int) bool {
		return l[i].Kind != sched.EventTable && l[i].Kind != sched.EventClear
	}
	entry := func(l []sched.Event, i int) bool { return l[i].Kind == sched.EventDispatch && l[i].Entry >= 0 }
	same := func(l []sched.Event, i, j int) bool { return l[i].Kind == l[j].Kind && l[i].Cluster == l[j].Cluster }
	// the next event of its kind and cluster, -1: none near enough
	next := func(l []sched.Event, i int) int {
		for j := i + 1; j < min(len(l), i+40); j++ {
			if same(l, i, j) {
				return j
			}
		}
		return -1
	}
	drop := func(l []sched.Event, i int) []sched.Event { return slices.Delete(l, i, i+1) }
	// swap exchanges whose events two are
	swap := func(l []sched.Event, i, j int) {
		a, b := &l[i], &l[j]
		a.Slot, b.Slot = b.Slot, a.Slot
		a.Requester, b.Requester = b.Requester, a.Requester
		a.Task, b.Task = b.Task, a.Task
		a.No, b.No = b.No, a.No
	}
	for _, c := range []struct {
		name   string
		where  func([]sched.Event, int) bool
		change func([]sched.Event, int) []sched.Event
	}{
		{"core of a decision", dispatch(false), func(l []sched.Event, i int) []sched.Event {
			l[i].Core = (l[i].Core + 1) % d.Clusters[l[i].Cluster].NumCores
			return l
		}},
		{"core of a bound packet", dispatch(true), func(l []sched.Event, i int) []sched.Event {
			l[i].Core = (l[i].Core + 1) % d.Clusters[l[i].Cluster].NumCores
			return l
		}},
		{"a score up by one", dispatch(false), func(l []sched.Event, i int) []sched.Event { l[i].Scores[i%3]++; return l }},
		{"a score down by one", dispatch(false), func(l []sched.Event, i int) []sched.Event { l[i].Scores[i%3]--; return l }},
		{"a full flag", dispatch(false), func(l []sched.Event, i int) []sched.Event {
			l[i].Full[i%3] = !l[i].Full[i%3]
			return l
		}},
		{"bound", kind(sched.EventDispatch), func(l []sched.Event, i int) []sched.Event {
			l[i].Bound = !l[i].Bound
			return l
		}},
		{"op", kind(sched.EventDispatch), func(l []sched.Event, i int) []sched.Event { l[i].Op ^= 1; return l }},
		{"blocks", kind(sched.EventDispatch), func(l []sched.Event, i int) []sched.Event { l[i].Blocks++; return l }},
		{"entry", entry, func(l []sched.Event, i int) []sched.Event { l[i].Entry ^= 1; return l }},
		{"no entry", entry, func(l []sched.Event, i int) []sched.Event { l[i].Entry = -1; return l }},
		{"a decision too early", func(l []sched.Event, i int) bool {
			// the dispatch before is not long ago
			for j := i - 1; l[i].Kind == sched.EventDispatch && !l[i].Bound && j > max(0, i-30); j-- {
				if same(l, i, j) {
					return l[i].Cycle-l[j].Cycle < 20
				}
			}
			return false
		}, func(l []sched.Event, i int) []sched.Event { l[i].Decided -= 20; return l }},
		{"dispatches out of order", func(l []sched.Event, i int) bool {
			j := next(l, i)
			return l[i].Kind == sched.EventDispatch && j >= 0 && l[i].Slot != l[j].Slot
		}, func(l []sched.Event, i int) []sched.Event { swap(l, i, next(l, i)); return l }},
		{"no dispatch", kind(sched.EventDispatch), drop},
		{"no accept", kind(sched.EventAccept), drop},
		{"no enqueue", kind(sched.EventEnqueue), drop},
		{"no park", kind(sched.EventPark), drop},
		{"no unpark", kind(sched.EventUnpark), drop},
		{"no open", kind(sched.EventOpen), drop},
		{"no start", kind(sched.EventStart), drop},
		{"no complete", kind(sched.EventComplete), drop},
		{"no credit", kind(sched.EventCredit), drop},
		{"no close", kind(sched.EventClose), drop},
		{"no result", kind(sched.EventResult), drop},
		{"a credit counted late", func(l []sched.Event, i int) bool {
			// a decision sees the credit
			for j := i + 1; l[i].Kind == sched.EventCredit && j < min(len(l), i+60); j++ {
				if e := &l[j]; e.Kind == sched.EventDispatch && e.Cluster == l[i].Cluster && !e.Bound && e.Decided >= l[i].Counted {
					return true
				}
			}
			return false
		}, func(l []sched.Event, i int) []sched.Event { l[i].Counted += 5000; return l }},
		{"a close late", kind(sched.EventClose), func(l []sched.Event, i int) []sched.Event { l[i].Cycle++; return l[:i+1] }},
		{"unparked out of order", func(l []sched.Event, i int) bool {
			// both were parked before the first left
			j := next(l, i)
			if l[i].Kind != sched.EventUnpark || j < 0 || l[i].Slot == l[j].Slot {
				return false
			}
			for k := i; k < j; k++ {
				if l[k].Slot == l[j].Slot {
					return false
				}
			}
			return true
		}, func(l []sched.Event, i int) []sched.Event {
			j := next(l, i)
			swap(l, i, j)
			swap(l, i+1, j+1) // the enqueues
			return l
		}},
		{"overtaking", func(l []sched.Event, i int) bool {
			// a direct enqueue, put before the unpark of another one
			j := next(l, i)
			return l[i].Kind == sched.EventUnpark && j >= 0
		}, func(l []sched.Event, i int) []sched.Event {
			l[i].Kind = sched.EventEnqueue
			swap(l, i, next(l, i))
			return l
		}},
		{"parked though there was room", kind(sched.EventPark), func(l []sched.Event, i int) []sched.Event {
			l[i].Queue = -1
			return l
		}},
		{"a queue one longer", kind(sched.EventEnqueue), func(l []sched.Event, i int) []sched.Event {
			l[i].Queue += d.Clusters[l[i].Cluster].Queue
			return l
		}},
		{"another slot", owned, func(l []sched.Event, i int) []sched.Event {
			l[i].Slot = (l[i].Slot + 1) % d.Slots
			return l
		}},
		{"another job", owned, func(l []sched.Event, i int) []sched.Event { l[i].Task ^= 1; return l }},
		{"ok in place of another status", func(l []sched.Event, i int) bool {
			return l[i].Kind == sched.EventResult && l[i].Status != workload.OK && l[i].Status != workload.MACMismatch &&
				l[i].Status != workload.KeyBusy && l[i].Status != workload.KeyEmpty && l[i].Status != workload.Aborted
		}, func(l []sched.Event, i int) []sched.Event { l[i].Status = workload.OK; return l }},
		{"aborted in place of ok", func(l []sched.Event, i int) bool {
			return l[i].Kind == sched.EventResult && l[i].Status == workload.OK
		}, func(l []sched.Event, i int) []sched.Event { l[i].Status = workload.Aborted; return l }},
		{"no clear", kind(sched.EventClear), drop},
	} {
		found := 0
		for li, l := range [][]sched.Event{jobs, frames} {
			var places []int
			for i := range l {
				// what a clear cuts off soon after leaves no trace of its own
				soon := l[i+1 : min(len(l), i+400)]
				if c.where(l, i) && !slices.ContainsFunc(soon, func(e sched.Event) bool { return e.Kind == sched.EventClear }) {
					places = append(places, i)
				}
			}
			r := rand.New(rand.NewSource(int64(li)))
			r.Shuffle(len(places), func(a, b int) { places[a], places[b] = places[b], places[a] })
			for _, i := range places[:min(len(places), 12)] {
				m := slices.Clone(l)
				for k := range m {
					m[k].Scores, m[k].Full = slices.Clone(m[k].Scores), slices.Clone(m[k].Full)
				}
				e := m[i]
				rep := replayEvents(d, c.change(m, i))
				require.False(t, rep.OK(), "%s at event %d of trace %d: %+v", c.name, i, li, e)
				found++
			}
		}
		require.NotZero(t, found, "%s: no place in the traces", c.name)
	}
}

// A table's write that the trace keeps to itself, or has wrong, shows in the scores.
func TestReplayFindsChangedTables(t *testing.T) {
	needTools(t)
	d, jobs, _ := policyTrace(t, newPolicyCase("1x4", "weighted"))
	require.True(t, replayEvents(d, jobs).OK())
	for _, change := range []func(*sched.Event) bool{
		func(*sched.Event) bool { return false },
		func(e *sched.Event) bool { e.Value ^= 1; return true },
		func(e *sched.Event) bool { e.Table ^= 1; return true },
		func(e *sched.Event) bool { e.Op ^= 1; return true },
		func(e *sched.Event) bool { e.Core ^= 1; return true },
	} {
		var l []sched.Event
		for _, e := range jobs {
			if e.Kind != sched.EventTable || change(&e) {
				l = append(l, e)
			}
		}
		require.False(t, replayEvents(d, l).OK())
	}
}

// What is wrong in the RTL shows in its trace, though every result is right.
func TestReplayFindsFaultyRTL(t *testing.T) {
	needTools(t)
	for _, c := range []struct {
		policy         string
		file, old, neu string
	}{
		// ties to the highest index
		{"jsq", "rtl/p1x4_compare_tree.v", "{1'b0, right} + {{KEY_W{1'b0}}, 1'b1};", "{1'b0, right};"},
		// a bound packet is not counted
		{"weighted", "rtl/p1x4_balancer.v", "dp1_q        <= dp_valid;", "dp1_q        <= dp_valid & ~dp_bound;"},
		// packets of every other slot wait though their queue has room
		{"ect", "rtl/p1x4_splitter.v", "& en_ready[i] & ~waiting[i];", "& en_ready[i] & ~waiting[i] & ~ok_slot[0];"},
		// a job keeps its core when nothing of it is pending
		{"ect", "rtl/p1x4_choose_list.v", "assign q_bound  = |(match_q & bound);", "assign q_bound  = |match_q;"},
		// the pointer moves by two
		{"round_robin_skip", "rtl/p1x4_pointer_pick.v", "if (dp_valid & ~dp_bound) below_q <= upto;",
			"if (dp_valid & ~dp_bound) below_q <= upto << 1;"},
	} {
		d, files, _, err := newPolicyCase("1x4", c.policy).design()
		require.NoError(t, err)
		b, ok := files[c.file]
		require.True(t, ok, c.file)
		require.True(t, bytes.Contains(b, []byte(c.old)), "%s: %s", c.file, c.old)
		files[c.file] = bytes.Replace(b, []byte(c.old), []byte(c.neu), 1)
		s, err := sim.Build(context.Background(), d, files, sim.Options{Trace: true, Quick: true})
		require.NoError(t, err)
		p, err := workload.NewPlan(d, workload.RandomJobs(d, 1500, 3))
		require.NoError(t, err)
		st := p.Stimulus(d)
		Stalls(st)
		_, rep, err := ReplayRun(context.Background(), s, st)
		require.NoError(t, err)
		require.False(t, rep.OK(), "%s: %s", c.file, c.neu)
		t.Logf("%s: %s: %s", c.file, c.neu, rep.First[0].String())
	}
}

// The delay core goes through the three lint tools like any external core.
func TestDelayDesignLints(t *testing.T) {
	needTools(t)
	d, files, _, err := newPolicyCase("2x3", "affinity").design()
	require.NoError(t, err)
	require.Contains(t, files, "rtl/external/"+delaySource)
	rep, err := Run(context.Background(), Options{Design: d, Files: files, Packets: 1, Seed: 1,
		Steps: []string{"lint-iverilog", "lint-verilator", "lint-yosys"}})
	require.NoError(t, err)
	require.True(t, rep.OK, "\n%s", rep.Table())
}
