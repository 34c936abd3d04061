// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hwgen/gen/design"
	"hwgen/gen/emit"
	"hwgen/gen/policy"
	"hwgen/gen/sched"
	"hwgen/gen/sim"
	"hwgen/gen/traffic"
	"hwgen/gen/workload"
	"hwgen/templates"
)

// modelWorkloads are those with which the model is compared: jobs of all modes in random order, everything at once,
// short packets, chained jobs only, none chained, and arrivals with time between them.
var modelWorkloads = []string{
	"random", "saturated", "saturated:seed=2", "saturated:length=16", "saturated:length=16/32,seed=3",
	"saturated:chained=1", "saturated:chained=1,seed=4,job=1-30", "saturated:chained=0", "poisson:load=0.8",
	"spaced:load=0.3", "bursty:load=0.7",
}

// HWGEN_DEEP=1 compares all of them, on all designs.
func modelDeep() bool { return os.Getenv("HWGEN_DEEP") != "" }

// compareModel runs a workload in Verilator and in the model. The makespans are to be within 1 %, and nearly all results
// are to leave in the very cycle.
func compareModel(t *testing.T, d *design.Design, files emit.Output, o sim.Options, name string, packets int) {
	t.Helper()
	jobs := workload.RandomJobs(d, packets, 7)
	if name != "random" {
		sep := ":"
		if strings.Contains(name, ":") {
			sep = ","
		}
		var err error
		jobs, err = traffic.Jobs(fmt.Sprintf("%s%spackets=%d", name, sep, packets), d, 5)
		require.NoError(t, err)
	}
	plan, err := workload.NewPlan(d, jobs)
	require.NoError(t, err)
	s, err := sim.Build(context.Background(), d, files, o)
	require.NoError(t, err)
	out, err := s.Run(plan.Stimulus(d))
	require.NoError(t, err)
	require.Empty(t, out.Violations)

	cfg := sched.FromDesign(d)
	var ends []int64
	cfg.Observe = func(c sched.Completion) { ends = append(ends, c.Result) }
	src, ok := traffic.Frames(plan).(sched.Planned)
	require.True(t, ok)
	m, err := sched.Run(cfg, src)
	require.NoError(t, err)

	n, wrong := 0, 0
	for i := range out.Results {
		r := &out.Results[i]
		if r.Frame < 0 || plan.Frames[r.Frame].Job < 0 {
			continue
		}
		require.Less(t, n, len(ends))
		if int64(r.Last) != ends[n] {
			wrong++
		}
		n++
	}
	require.Len(t, ends, n)
	rtl := float64(out.Counters.Makespan())
	off := 100 * (float64(m.Makespan) - rtl) / rtl
	t.Logf("%-16s %-36s %5d packets, RTL %7.0f cycles, model %7d, %+.3f %%; %d results in another cycle", d.Name, name, n, rtl,
		m.Makespan, off, wrong)
	assert.LessOrEqual(t, math.Abs(off), 1.0, "%s, %s: RTL %.0f cycles, model %d", d.Name, name, rtl, m.Makespan)
	assert.LessOrEqual(t, wrong, n/20, "%s, %s: results that leave in another cycle than the model's", d.Name, name)
}

// modelPolicies are one cluster of two fast and two slow cores under each policy, half of them with a scan where there are
// scores.
func modelPolicies() []TestDesign {
	var out []TestDesign
	for i, p := range policy.Names {
		text := ConfigText("x4_"+p, []int{32, 64, 128}[i%3], 64, 32, Cluster{
			Algorithm: "aes128", Kinds: []string{"aes128_16sbox*2", "aes128_4sbox*2"}, Choose: 8,
		})
		out = append(out, TestDesign{"x4_" + p, fmt.Sprintf("%s\n[scheduler]\npolicy = %q\nbalancer = %q\nbind = %q\n", text, p,
			[]string{"scan", "tree"}[i%2], []string{"in_flight", "job"}[i/2%2])})
	}
	return out
}

// The design of no config: in short form with all workloads, since it is what a user meets first.
func TestModelOnDefault(t *testing.T) {
	needTools(t)
	text, err := templates.FS.ReadFile("config/default.toml")
	require.NoError(t, err)
	d, files := generate(t, "default", string(text))
	packets := 400
	if modelDeep() {
		packets = 3000
	}
	for _, w := range modelWorkloads {
		compareModel(t, d, files, sim.Options{Trace: true, Quick: true}, w, packets)
	}
}

// Each policy on real cores, in long form alone: they are compiled for this.
func TestModelOnRealPolicies(t *testing.T) {
	if !modelDeep() {
		t.Log("HWGEN_DEEP=1 compares them")
		return
	}
	needTools(t)
	for _, x := range modelPolicies() {
		t.Run(x.Name, func(t *testing.T) {
			t.Parallel()
			d, files := generate(t, x.Name, x.Text)
			for _, w := range modelWorkloads {
				compareModel(t, d, files, sim.Options{Quick: true}, w, 1000)
			}
		})
	}
}

// Serial lanes, at each width of the streams: one cluster, and two beside one another.
func TestModelOnSerialLanes(t *testing.T) {
	needTools(t)
	aes := Cluster{Algorithm: "aes128", Kinds: []string{"aes128_16sbox", "aes128_4sbox*2"}, Choose: 8}
	sm4 := Cluster{Algorithm: "sm4", Kinds: []string{"sm4_4round", "sm4_1round"}, Choose: 8}
	for i, c := range [][]Cluster{{aes}, {aes, sm4}, {aes, sm4}} {
		w := 32 << i
		name := fmt.Sprintf("serial_%d", w)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, files := generate(t, name, ConfigText(name, w, 64, 32, c...)+"\n[scheduler]\nlane = \"serial\"\n")
			l, packets := modelWorkloads, 2000
			if !modelDeep() {
				l, packets = []string{l[0], l[1], l[5]}, 300
			}
			for _, w := range l {
				compareModel(t, d, files, sim.Options{Quick: true}, w, packets)
			}
		})
	}
}

// figures are what `hwgen model` prints besides the makespan, counted here from the RTL's events and beats.
type figures struct {
	packets, busy [][]int64 // [cluster][core]
	waits         []int64
	peak          int
	stalls        int64
}

func rtlFigures(t *testing.T, d *design.Design, plan *workload.Plan, s *sim.Simulator) *figures {
	t.Helper()
	raw := filepath.Join(t.TempDir(), "raw")
	o, err := s.RunFiles(context.Background(), plan.Stimulus(d), raw, "")
	require.NoError(t, err)
	require.Empty(t, o.Violations)
	r := &figures{}
	for _, c := range d.Clusters {
		r.packets, r.busy = append(r.packets, make([]int64, c.NumCores)), append(r.busy, make([]int64, c.NumCores))
	}
	arrival := map[[4]int]int64{} // of the packets that have not started
	parked := 0
	end := sched.TimingOf(d).Reset - 1 // the last beat that came in
	for i := range plan.Frames {
		f := &plan.Frames[i]
		h := f.Header()
		if f.Job >= 0 {
			arrival[[4]int{f.TID, int(h.Task), int(h.No), int(h.Cluster)}] = int64(f.Arrival)
		}
	}
	f, err := os.Open(raw)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, sim.ReadTrace(f, d, plan.Frames, o, func(e *sched.Event) error {
		switch id := [4]int{e.Requester, e.Task, e.No, e.Cluster}; e.Kind {
		case sched.EventPark:
			parked++
			r.peak = max(r.peak, parked)
		case sched.EventUnpark:
			parked--
		case sched.EventDispatch:
			r.packets[e.Cluster][e.Core]++
			r.busy[e.Cluster][e.Core] += int64(d.Clusters[e.Cluster].Cores[e.Core].Cycles[e.Op] * e.Blocks)
		case sched.EventStart:
			if at, ok := arrival[id]; ok {
				r.waits = append(r.waits, int64(e.Cycle)-at)
				delete(arrival, id)
			}
		}
		return nil
	}))
	require.Empty(t, arrival)
	slices.Sort(r.waits)
	ended := make([]int64, len(plan.Frames)) // the results' last beats
	order := make([]int, len(plan.Frames))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(o.Sent[a].First, o.Sent[b].First) })
	for i := range o.Results {
		ended[o.Results[i].Frame] = int64(o.Results[i].Last)
	}
	for _, i := range order {
		f, x := &plan.Frames[i], &o.Sent[i]
		ready := int64(f.Arrival)
		for _, k := range f.AfterSent {
			ready = max(ready, int64(o.Sent[k].Last)+1)
		}
		for _, k := range f.AfterResult {
			ready = max(ready, ended[k]+1)
		}
		beats := int64((len(f.Bytes) + d.KeepW - 1) / d.KeepW)
		r.stalls += int64(x.Last) - beats + 1 - max(end+1, ready)
		end = int64(x.Last)
	}
	return r
}

// What `hwgen model` prints is what the RTL's trace says.
func TestModelFigures(t *testing.T) {
	needTools(t)
	text, err := templates.FS.ReadFile("config/default.toml")
	require.NoError(t, err)
	d, files := generate(t, "default", string(text))
	s, err := sim.Build(context.Background(), d, files, sim.Options{Trace: true, Quick: true})
	require.NoError(t, err)
	for _, w := range []string{"saturated:packets=500,chained=0", "poisson:packets=500,chained=0,load=0.9", "poisson:packets=500,chained=0.5,load=0.5"} {
		t.Run(w, func(t *testing.T) {
			jobs, err := traffic.Jobs(w, d, 5)
			require.NoError(t, err)
			plan, err := workload.NewPlan(d, jobs)
			require.NoError(t, err)
			rtl := rtlFigures(t, d, plan, s)
			m, err := sched.Run(sched.FromDesign(d), traffic.Frames(plan))
			require.NoError(t, err)
			var packets, busy [][]int64
			for i := range m.Clusters {
				packets, busy = append(packets, nil), append(busy, nil)
				for _, c := range m.Clusters[i].Cores {
					packets[i], busy[i] = append(packets[i], c.Packets), append(busy[i], c.Busy)
				}
			}
			assert.Equal(t, rtl.packets, packets, "packets")
			assert.Equal(t, rtl.busy, busy, "busy")
			assert.Equal(t, rtl.peak, m.WaitQueuePeak, "wait queue")
			sum := int64(0)
			for _, x := range rtl.waits {
				sum += x
			}
			assert.InEpsilon(t, float64(sum)/float64(len(rtl.waits)), m.Wait.Mean(), 1e-3, "mean wait")
			assert.EqualValues(t, len(rtl.waits), m.Wait.Count)
			assert.InEpsilon(t, rtl.waits[len(rtl.waits)*99/100-1], m.Wait.Quantile(0.99), 0.01, "p99 of waits")
			assert.InEpsilon(t, rtl.waits[len(rtl.waits)-1], m.Wait.Max, 1e-3, "longest wait")
			assert.InDelta(t, rtl.stalls, m.Stalls, 1e-3*float64(rtl.stalls), "stalls")
		})
	}
}

// The designs that TestDesigns has compiled.
func TestModelOnDesigns(t *testing.T) {
	needTools(t)
	for i, x := range Designs() {
		t.Run(x.Name, func(t *testing.T) {
			t.Parallel()
			d, files := generate(t, x.Name, x.Text)
			l, packets := modelWorkloads, 3000
			if !modelDeep() {
				l, packets = []string{l[0], l[1+i%(len(l)-1)]}, 500
				if x.Name == "odd" { // a block leaves a core in the very cycle before a bound packet behind it asks for its chaining value
					l = append(l, "saturated:length=16/32/48,chained=1,seed=10")
				}
			}
			for _, w := range l {
				compareModel(t, d, files, sim.Options{Unknowns: true}, w, packets) // the build of TestDesigns
			}
		})
	}
}

// The designs that TestReplayPolicies has compiled.
func TestModelOnPolicies(t *testing.T) {
	needTools(t)
	for _, p := range policy.Names {
		for i, shape := range PolicyShapes {
			if !modelDeep() && shape != "1x4" && shape != "2x3" {
				continue
			}
			t.Run(p+"_"+shape, func(t *testing.T) {
				t.Parallel()
				d, files, _, err := newPolicyCase(shape, p).design()
				require.NoError(t, err)
				l, packets := modelWorkloads, 1000
				if !modelDeep() {
					l, packets = []string{l[i%2], l[8]}, 300
				}
				for _, w := range l {
					compareModel(t, d, files, sim.Options{Trace: true, Quick: true}, w, packets)
				}
			})
		}
	}
}
