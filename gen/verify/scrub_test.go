// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/sched"
	"hwgen/gen/sim"
	"hwgen/gen/workload"
)

// The chaining value of a job that ends is overwritten before the first beat of its last result: a word a cycle,
// from the cycle after the close event on.
func TestScrubIsOverBeforeTheResult(t *testing.T) {
	needTools(t)
	d, files := generate(t, "scrub", ConfigText("scrub", 32, 32, 8, Cluster{"aes128", []string{"aes128_16sbox*2", "aes128_8sbox"}, 4}))
	s, err := sim.Build(context.Background(), d, files, sim.Options{Trace: true})
	require.NoError(t, err)
	p, err := workload.NewPlan(d, workload.RandomJobs(d, 2000, 1))
	require.NoError(t, err)
	raw := filepath.Join(t.TempDir(), "trace")
	o, err := s.RunFiles(context.Background(), p.Stimulus(d), raw, "")
	require.NoError(t, err)
	require.Empty(t, p.CheckOutcome(d, o))

	type job struct{ requester, task int }
	first := map[job][]uint64{} // of the last packets, in order
	for i := range o.Results {
		r := &o.Results[i]
		if h := r.Header(); h.Flags&workload.FlagLast != 0 && h.Mode.Chained() {
			k := job{r.TDest, int(h.Task)}
			first[k] = append(first[k], r.First)
		}
	}
	f, err := os.Open(raw)
	require.NoError(t, err)
	defer f.Close()
	n, least := 0, uint64(1<<63)
	require.NoError(t, sim.ReadTrace(f, d, p.Frames, o, func(e *sim.Event) error {
		if e.Kind != sched.EventClose {
			return nil
		}
		k := job{e.Requester, e.Task}
		require.NotEmpty(t, first[k])
		require.GreaterOrEqual(t, first[k][0], e.Cycle)
		least = min(least, first[k][0]-e.Cycle)
		first[k] = first[k][1:]
		n++
		return nil
	}))
	require.Greater(t, n, 100)
	require.Greater(t, least, uint64(d.BPB), "cycles from the close event to the result's first beat")
}
