// SPDX-License-Identifier: Apache-2.0

package paper

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/cipher"
	"hwgen/gen/policy"
)

// Figure 10 in small on generated RTL: every result is right, and the makespans are the model's but for the latency of
// the design. The cores take their times from the key and the policies from written tables, so that one pair of designs
// serves all draws.
func TestRTL(t *testing.T) {
	r := newRunner(context.Background(), Options{Seed: 4, Draws: 3}, 0)
	set := rtlFigures[0]
	set.at, set.slots = []int{100}, 48
	set.work = func(p int) Workload { // small queues: fast to compile
		w := rtlFigures[0].work(p)
		w.Cores, w.Cap, w.Gap = 3, 24, 25./3
		return w
	}
	score, static := rtlKey{3, 24, 48, false}, rtlKey{3, 24, 48, true}
	designs := map[rtlKey]*rtlDesign{score: {}, static: {}}
	f, err := r.rtlFigure(&set, designs)
	require.NoError(t, err)
	n := len(rtlPolicies)
	for k := range n {
		rtl, model := f.Lines[2*k].Values[0], f.Lines[2*k+1].Values[0]
		require.InEpsilon(t, model.Mean, rtl.Mean, .015, "%s", f.Lines[2*k].Name)
		require.InEpsilon(t, model.Max, rtl.Max, .04, "%s", f.Lines[2*k].Name)
	}
	for k := range n - 1 {
		rtl, model := f.Lines[2*n+2*k].Values[0], f.Lines[2*n+2*k+1].Values[0]
		require.InDelta(t, model.Mean, rtl.Mean, 1.5, "%s", f.Lines[2*n+2*k].Name)
		require.Greater(t, rtl.Mean, 5.)
	}
	require.Len(t, f.Rows, 2+n)

	// Other tables, other decisions: with those of another draw the makespan is another, and longer.
	w := set.work(300)
	var d [2]*Draw
	for i := range d {
		d[i], err = w.Draw(rng(4, "tables", i))
		require.NoError(t, err)
	}
	x := designs[score]
	own, err := x.run(context.Background(), d[0], Policy{Name: "affinity", Lambda: 4})
	require.NoError(t, err)
	wrong := *d[0]
	wrong.Cycles = d[1].Cycles
	tables, err := wrong.tables(Policy{Name: "affinity", Lambda: 4})
	require.NoError(t, err)
	foreign, err := x.runTables(context.Background(), d[0], tables)
	require.NoError(t, err)
	require.Greater(t, foreign.makespan, own.makespan*1.02)
}

func TestJobsOfADraw(t *testing.T) {
	w := rtlFigures[1].work(500)
	d, err := w.Draw(rng(1, "x", 0))
	require.NoError(t, err)
	jobs, err := d.jobs()
	require.NoError(t, err)
	require.Len(t, jobs, 500+10)
	ids := map[uint32]bool{}
	for i := range jobs {
		j := &jobs[i]
		require.False(t, ids[j.ID])
		ids[j.ID] = true
		require.Len(t, j.Data, 16)
		require.Equal(t, j.Cmd == cipher.Sign || j.Cmd == cipher.Verify, j.Mode == cipher.MAC)
		if i < 10 {
			require.Zero(t, j.Arrival)
		}
	}
	require.Equal(t, uint64(rtlStart), jobs[10].Arrival)
	// 2.6 units of 16 cycles, rounded
	require.Equal(t, uint64(rtlStart+42), jobs[11].Arrival)
	require.Equal(t, uint64(rtlStart+83), jobs[12].Arrival)
	// the key holds the times, six bits each from bit 0 of the last byte up
	key := jobs[0].Key
	for j, times := range d.Cycles {
		for op, want := range times {
			got := 0
			for b := range 6 {
				bit := 6*(4*j+op) + b
				got |= int(key[31-bit/8]) >> (bit % 8) & 1 << b
			}
			require.Equal(t, want, got)
		}
	}
}

func TestTablesThatDoNotFit(t *testing.T) {
	d, _, err := rtlKey{cores: 4, capacity: 40, slots: 64}.load()
	require.NoError(t, err)
	tables := &policy.Tables{Base: make([][4]uint64, 4), Inc: make([][4]uint64, 4)}
	_, err = writes(d.Clusters[0], tables)
	require.NoError(t, err)
	tables.Inc[2][1] = d.Clusters[0].Inc[2][1] + 1
	_, err = writes(d.Clusters[0], tables)
	require.ErrorContains(t, err, "core 2, command 1")
	tables.Inc[2][1] = 0
	tables.Base[3][0] = d.Clusters[0].Tables.BaseMax + 1
	_, err = writes(d.Clusters[0], tables)
	require.ErrorContains(t, err, "core 3, command 0")
}
