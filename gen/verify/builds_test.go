// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/sim"
	"hwgen/gen/workload"
)

// Every way of building the simulator gives the same cycles: inputs as registers of a top around the design's or not,
// each x whatever is fastest or a random value, with the bench of the trace or with waves.
func TestBuildsAgree(t *testing.T) {
	needTools(t)
	d, files := generate(t, "builds", ConfigText("builds", 64, 48, 7,
		Cluster{"aes128", []string{"aes128_16sbox", "aes128_4sbox"}, 3}))
	p, err := workload.NewPlan(d, workload.RandomJobs(d, 150, 1))
	require.NoError(t, err)
	jobs := p.Stimulus(d)
	jobs.Gap, jobs.Stall = 0.3, 0.3

	// a clear, then a reset, each in the middle of packets
	g := workload.NewFrameGen(d, 2)
	part := func() int {
		first := len(g.Frames)
		g.Add(g.Load(0, 0, 0, 0, g.Random(16)))
		for i := range 6 {
			f := workload.Frame{Bytes: workload.Pack(workload.Header{}, nil, g.Random(48))}
			if i == 0 {
				f.AfterResult = []int{first}
			}
			g.Add(f)
		}
		return first + 4
	}
	hit := []int{part(), part()}
	part()
	broken := g.Stimulus(2)
	broken.Strict = true
	broken.Events = []workload.Event{
		{Kind: workload.EventClear, Frame: hit[0], Beat: 1, Delay: 3, Length: 2, SkipTo: 7},
		{Kind: workload.EventReset, Frame: hit[1], Beat: 1, Delay: 20, Length: 3, SkipTo: 14},
	}

	var first []*workload.Outcome
	for _, o := range []sim.Options{{}, {Unknowns: true}, {Trace: true}, {Waves: true}} {
		o.Quick = true
		s, err := sim.Build(context.Background(), d, files, o)
		require.NoError(t, err)
		for i, st := range []*workload.Stimulus{jobs, broken} {
			out, err := s.Run(st)
			require.NoError(t, err)
			require.Empty(t, out.Violations, "%+v", o)
			out.Counters.CPUSeconds = 0
			if len(first) == i {
				first = append(first, out)
			}
			require.Equal(t, first[i], out, "%+v", o)
		}
	}
	require.NotZero(t, first[1].Events[0])
	require.NotZero(t, first[1].Events[1])
	require.Empty(t, p.CheckOutcome(d, first[0]))
}
