// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"context"
	"fmt"
	"math"
	"os"
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
	rtl := float64(out.Counters.LastOut + 1)
	off := 100 * (float64(m.Makespan) - rtl) / rtl
	t.Logf("%-16s %-36s %5d packets, RTL %7.0f cycles, model %7d, %+.3f %%; %d results in another cycle", d.Name, name, n, rtl,
		m.Makespan, off, wrong)
	assert.LessOrEqual(t, math.Abs(off), 1.0, "%s, %s: RTL %.0f cycles, model %d", d.Name, name, rtl, m.Makespan)
	assert.LessOrEqual(t, wrong, n/20, "%s, %s: results that leave in another cycle than the model's", d.Name, name)
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
			}
			for _, w := range l {
				compareModel(t, d, files, sim.Options{}, w, packets)
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
