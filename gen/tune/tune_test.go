// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/cipher"
	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/sched"
	"hwgen/gen/traffic"
)

// bad prefers the fastest core far too much: weighted with alpha = beta.
const bad = `
[design]
name = "bad"
slots = 32
[scheduler]
policy = "weighted"
alpha = 1 # too much
beta = 1
[[cluster]]
name = "aes"
algorithm = "aes128"
choose_list = 64
[[cluster.core]]
kind = "aes128_16sbox"
queue = 8
[[cluster.core]]
kind = "aes128_8sbox"
count = 2
queue = 8
`

func load(t testing.TB, text string) (*config.Config, *design.Design) {
	t.Helper()
	c, err := config.Parse("t.toml", t.TempDir(), []byte(text))
	require.NoError(t, err)
	d, err := design.Elaborate(c)
	require.NoError(t, err)
	return c, d
}

func run(t testing.TB, text, spec string, o Options) *Result {
	t.Helper()
	c, d := load(t, text)
	w, err := traffic.Parse(spec, d)
	require.NoError(t, err)
	if o.Objective == "" {
		o.Objective = "makespan"
	}
	if o.Draws == 0 {
		o.Draws = 6
	}
	r, err := Run(context.Background(), c, d, w, o)
	require.NoError(t, err)
	return r
}

func TestTuneFindsWhatIsBad(t *testing.T) {
	for _, objective := range Objectives {
		r := run(t, bad, "poisson:packets=400,load=0.9", Options{Objective: objective, Seed: 1})
		if objective == "makespan" { // a low bar: arrivals bound it
			require.NotEmpty(t, r.Rows)
			continue
		}
		require.True(t, r.Better, objective)
		require.Positive(t, r.Rows[0].Interval[0])
		require.Less(t, r.Rows[0].Value, r.Config.Value)
		require.NotEmpty(t, r.Fragment)
		require.False(t, r.Changes.Empty())
		c, _ := load(t, bad)
		text, err := Edit(c, []byte(bad), &r.Changes)
		require.NoError(t, err)
		require.Contains(t, string(text), "# too much")
	}
	r := run(t, bad, "saturated:packets=400", Options{Seed: 1})
	require.True(t, r.Better)
	require.Greater(t, r.Rows[0].Gain, 0.02)
	require.Positive(t, r.Rows[0].Bound)
	require.Less(t, r.Rows[0].Bound, r.Config.Bound)
	seen := map[string]bool{}
	for _, row := range r.Rows {
		require.False(t, seen[row.Policy], "one row a policy")
		seen[row.Policy] = true
		held := 0
		for _, q := range row.Depths[0] {
			held += q
		}
		require.Equal(t, 32, row.Slots)
	}
	require.GreaterOrEqual(t, len(seen), 7)
}

// The same seed gives the same result, whatever the number of workers; another seed other draws.
func TestTuneIsDeterministic(t *testing.T) {
	text := func(o Options) string {
		b, err := json.Marshal(run(t, bad, "bursty:packets=200", o))
		require.NoError(t, err)
		return string(b)
	}
	one := text(Options{Seed: 3, Workers: 1, Draws: 4})
	require.Equal(t, one, text(Options{Seed: 3, Workers: 4, Draws: 4}))
	require.NotEqual(t, one, text(Options{Seed: 4, Workers: 4, Draws: 4}))
}

// With nothing to choose nothing changes.
func TestNothingToTune(t *testing.T) {
	r := run(t, "[[cluster]]\n[[cluster.core]]\nkind = \"aes128_16sbox\"\n", "poisson:packets=300", Options{Seed: 1, MinGain: 0.001})
	require.False(t, r.Better)
	require.True(t, r.Changes.Empty())
	require.Empty(t, r.Fragment)
}

func TestBudgets(t *testing.T) {
	more := run(t, bad, "saturated:packets=400", Options{Seed: 1, SlotsBudget: 64, Policies: []string{"jsq", "ect"}})
	require.True(t, more.Better)
	for _, row := range more.Rows {
		require.LessOrEqual(t, row.Slots, 64)
		require.Contains(t, []string{"jsq", "ect"}, row.Policy)
	}
	less := run(t, bad, "saturated:packets=400", Options{Seed: 1, SlotsBudget: 12})
	require.True(t, less.OverBudget)
	require.False(t, less.Changes.Empty())
	for _, row := range less.Rows {
		require.LessOrEqual(t, row.Slots, 12)
	}
	bits := less.Config.MemoryBits * 2 / 3
	small := run(t, bad, "saturated:packets=400", Options{Seed: 1, MemoryBits: bits})
	require.True(t, small.OverBudget)
	require.NotEmpty(t, small.Rows)
	for _, row := range small.Rows {
		require.LessOrEqual(t, row.MemoryBits+row.QueueBits, bits)
	}
	c, _ := load(t, bad)
	_, err := Edit(c, []byte(bad), &small.Changes)
	require.NoError(t, err)
	require.InDelta(t, less.SlotBits*32, float64(less.Config.MemoryBits), float64(less.Config.MemoryBits)/2)
}

// fewSlots has four slots and core queues that together hold more: those that it leaves out are cut to the slots.
const fewSlots = `
[design]
name = "few"
slots = 4
[[cluster]]
name = "aes"
[[cluster.core]]
kind = "aes128_4sbox"
count = 3
[[cluster.core]]
kind = "aes128_4sbox"
queue = 2
`

// Slots are added where the core queues hold more packets than there are slots.
func TestSlotsBelowTheQueues(t *testing.T) {
	for _, text := range []string{fewSlots, strings.Replace(fewSlots, "count = 3", "count = 3\nqueue = 4", 1)} {
		r := run(t, text, "saturated:packets=300,length=16,chained=0",
			Options{Seed: 1, Draws: 4, SlotsBudget: 16, Policies: []string{"affinity"}})
		require.True(t, r.Better)
		require.Greater(t, r.Rows[0].Slots, 4)
		require.Greater(t, r.Rows[0].Gain, 0.2)
	}
}

// What is shown is what ran, and what the changes make of the config: queues that the config leaves out would grow with
// the slots.
func TestQueuesAreThoseShown(t *testing.T) {
	for _, text := range []string{fewSlots, strings.Replace(fewSlots, "slots = 4", "slots = 6", 1), bad} {
		c, d := load(t, text)
		w, err := traffic.Parse("saturated:packets=100", d)
		require.NoError(t, err)
		tn := &tuner{c: c, d: d, w: w, o: Options{SlotsBudget: 48}, all: map[string]*candidate{}, res: &Result{}}
		tn.base, err = tn.candidate(tn.asItIs())
		require.NoError(t, err)
		cs := []*candidate{tn.base}
		for _, n := range tn.grid() {
			cs = append(append(cs, n), tn.neighbours(n)...)
		}
		seen := map[int]bool{}
		for _, n := range cs {
			seen[n.row.Slots] = true
			var shown []int
			for g, q := range n.row.Depths[0] {
				for range c.Clusters[0].Cores[g].Count.V {
					shown = append(shown, q)
				}
			}
			require.Equal(t, shown, n.cfg.Clusters[0].Cap, "%+v", n.row.point)
			out, err := Edit(c, []byte(text), tn.changes(&n.row.point))
			require.NoError(t, err)
			_, e := load(t, string(out))
			for j, co := range e.Clusters[0].Cores {
				require.Equal(t, shown[j], co.Cap)
			}
		}
		require.True(t, seen[48] && seen[d.Slots])
	}
}

// A budget below any design is refused with the least that there is, and that is enough.
func TestBudgetsTooSmall(t *testing.T) {
	tuned := func(text string, o Options) (*Result, error) {
		c, d := load(t, text)
		w, err := traffic.Parse("saturated:packets=100", d)
		require.NoError(t, err)
		o.Objective, o.Draws, o.Policies = "makespan", 4, []string{"jsq", "ect"}
		return Run(context.Background(), c, d, w, o)
	}
	_, err := tuned(bad, Options{MemoryBits: 10})
	require.Equal(t, diag.ExitUsage, diag.ExitCode(err))
	var bits, slots int
	_, serr := fmt.Sscanf(err.Error(), "-memory-bits 10: a design of this config takes at least %d bits, memories and queues together, with slots = %d",
		&bits, &slots)
	require.NoError(t, serr, "%v", err)
	_, err = tuned(bad, Options{MemoryBits: bits - 1})
	require.ErrorContains(t, err, fmt.Sprintf("takes at least %d bits", bits))
	r, err := tuned(bad, Options{MemoryBits: bits})
	require.NoError(t, err)
	require.NotEmpty(t, r.Rows)
	require.Equal(t, bits, r.Rows[0].MemoryBits+r.Rows[0].QueueBits)
	require.Equal(t, slots, r.Rows[0].Slots)

	deep := strings.Replace(bad, "[[cluster]]\n", "[[cluster]]\nqueue = 8\n", 1) // which takes as many slots
	_, err = tuned(deep, Options{SlotsBudget: 7})
	require.EqualError(t, err, "-slots-budget 7: a design of this config has slots = 8 at least")
	require.Equal(t, diag.ExitUsage, diag.ExitCode(err))
	r, err = tuned(deep, Options{SlotsBudget: 8})
	require.NoError(t, err)
	require.Equal(t, 8, r.Rows[0].Slots)
}

// What a budget bounds is what `hwgen check` counts.
func TestBitsAreThoseOfCheck(t *testing.T) {
	_, d := load(t, bad)
	r := run(t, bad, "saturated:packets=100", Options{Seed: 1, Policies: []string{"jsq"}, MemoryBits: 20000})
	rep := d.Report()
	require.Equal(t, rep.MemoryBits, r.Config.MemoryBits)
	require.Equal(t, rep.QueueBits, r.Config.QueueBits)
	require.True(t, r.OverBudget)
	require.Contains(t, r.Notes[0], fmt.Sprintf("takes %d bits of memory and %d of queues, %d together", rep.MemoryBits, rep.QueueBits,
		rep.MemoryBits+rep.QueueBits))
}

// A search that is stopped says what it has found.
func TestStopped(t *testing.T) {
	c, d := load(t, bad)
	w, err := traffic.Parse("saturated:packets=400", d)
	require.NoError(t, err)
	for _, at := range []string{"screening", "refining 1", "comparing"} {
		ctx, cancel := context.WithCancel(context.Background())
		_, err = Run(ctx, c, d, w, Options{Objective: "makespan", Draws: 6, Progress: func(stage string, _, _ int) {
			if stage == at {
				cancel()
			}
		}})
		require.ErrorIs(t, err, context.Canceled)
		var s *Stopped
		require.ErrorAs(t, err, &s)
		if at == "screening" {
			require.Nil(t, s.Best)
			continue
		}
		require.NotNil(t, s.Best)
		require.Positive(t, s.Gain)
		require.Positive(t, s.Samples)
	}
}

// Long samples are searched packet by packet; what is shown is exact, of all samples for the first and of some for the others.
func TestQuickSearch(t *testing.T) {
	o := Options{Seed: 1, Draws: 8, Policies: []string{"jsq", "weighted", "round_robin"}}
	r := run(t, bad, "saturated:packets=2000", o)
	require.True(t, r.Better)
	require.Equal(t, 8, r.Config.Samples)
	require.Equal(t, 8, r.Rows[0].Samples)
	for _, row := range r.Rows[1:] {
		require.Equal(t, leastTests, row.Samples)
		require.NotNil(t, row.Interval)
		require.InDelta(t, r.Config.Value*(1-row.Gain), row.Value, 1e-6)
	}
	was, err := json.Marshal(r)
	require.NoError(t, err)
	o.Workers = 1
	is, err := json.Marshal(run(t, bad, "saturated:packets=2000", o))
	require.NoError(t, err)
	require.Equal(t, string(was), string(is))

	c, d := load(t, bad)
	w, err := traffic.Parse("saturated:packets=2000", d)
	require.NoError(t, err)
	tn := &tuner{c: c, d: d, w: w, all: map[string]*candidate{}, res: &Result{}}
	tn.s, err = newSamples(w, d, 8, 1)
	require.NoError(t, err)
	tn.base, err = tn.candidate(tn.asItIs())
	require.NoError(t, err)
	v, _, err := tn.evaluate(tn.base, exact, 8)
	require.NoError(t, err)
	src, err := tn.s.source(8) // not the packets that are kept
	require.NoError(t, err)
	m, err := sched.Run(sched.FromDesign(d), src)
	require.NoError(t, err)
	require.InDelta(t, float64(m.Makespan), v, 0)
}

func TestTuneErrors(t *testing.T) {
	c, d := load(t, bad)
	w, err := traffic.Parse("saturated:packets=100", d)
	require.NoError(t, err)
	_, err = Run(context.Background(), c, d, w, Options{Objective: "makspan", Draws: 2})
	require.ErrorContains(t, err, `unknown objective "makspan"; did you mean "makespan"?`)
	require.Equal(t, diag.ExitUsage, diag.ExitCode(err))
	_, err = Run(context.Background(), c, d, w, Options{Objective: "mean", Draws: 2, Policies: []string{"affinty"}})
	require.ErrorContains(t, err, `unknown policy "affinty"; did you mean "affinity"?`)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Run(ctx, c, d, w, Options{Objective: "mean", Draws: 2})
	require.ErrorIs(t, err, context.Canceled)
	w, err = traffic.Parse(filepath.Join(t.TempDir(), "none.csv"), d)
	require.NoError(t, err)
	_, err = Run(context.Background(), c, d, w, Options{Objective: "mean", Draws: 2})
	require.Equal(t, diag.ExitUsage, diag.ExitCode(err))
}

func file(t testing.TB, d *design.Design, spec string) string {
	t.Helper()
	src, err := traffic.Open(spec, d)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, errors.Join(traffic.WriteCSV(&b, src, d), src.Close()))
	path := filepath.Join(t.TempDir(), "w.csv")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

func TestTuneAFile(t *testing.T) {
	_, d := load(t, bad)
	r := run(t, bad, file(t, d, "saturated:packets=3000"), Options{Seed: 1, Draws: 20, Objective: "mean"})
	require.True(t, r.Segments)
	require.Equal(t, 15, r.Samples)
	require.True(t, r.Better)
	require.Contains(t, r.Notes[len(r.Notes)-1], "on the file as a whole")

	short := run(t, bad, file(t, d, "saturated:packets=300"), Options{Seed: 1, Draws: 20, Objective: "mean"})
	require.False(t, short.Better, "too short to tell")
	require.Nil(t, short.Rows[0].Interval)
	require.Contains(t, short.Notes[0], "the workload has 300 packets: with fewer than 800")
}

// Segments hold every packet once, jobs whole, in order, from arrival 0.
func TestSegments(t *testing.T) {
	_, d := load(t, bad)
	src, err := traffic.Open("poisson:packets=1000", d)
	require.NoError(t, err)
	var ps []sched.Packet
	var p sched.Packet
	for src.Next(&p) {
		if !p.Load {
			ps = append(ps, p)
		}
	}
	segs := segments(ps, 7)
	require.Len(t, segs, 7)
	n := 0
	of := map[uint64]int{}
	for k, s := range segs {
		require.Zero(t, s[0].Arrival)
		next := map[uint64]int{}
		at := int64(0)
		for _, p := range s {
			require.GreaterOrEqual(t, p.Arrival, at)
			at = p.Arrival
			require.Equal(t, next[p.Job], p.No)
			next[p.Job]++
			if was, ok := of[p.Job]; ok {
				require.Equal(t, was, k, "job %d in two segments", p.Job)
			}
			of[p.Job] = k
		}
		n += len(s)
		require.InDelta(t, 1000/7, len(s), 60)
	}
	require.Equal(t, 1000, n)
	cut := finished(append([]sched.Packet{}, ps[:500]...))
	open := map[uint64]bool{}
	for _, p := range cut {
		open[p.Job] = !p.Last
	}
	for job, o := range open {
		require.False(t, o, "job %d", job)
	}
}

// Jobs that go through all of a workload are cut: each segment has its part of the packets, and in it whole jobs.
func TestSegmentsOfLongJobs(t *testing.T) {
	var ps []sched.Packet
	for i := range 2000 {
		ps = append(ps, sched.Packet{Arrival: int64(10 * i), Job: uint64(i % 5), No: i / 5, Chained: i%5 < 3, Last: i >= 1995, Blocks: 1, Bytes: 16})
	}
	segs := segments(ps, 10)
	require.Len(t, segs, 10)
	for _, s := range segs {
		require.Len(t, s, 200)
		require.Zero(t, s[0].Arrival)
		next, last := map[uint64]int{}, map[uint64]bool{}
		for _, p := range s {
			require.False(t, last[p.Job])
			require.Equal(t, next[p.Job], p.No)
			require.Equal(t, p.Chained && p.No == 0, p.IV)
			next[p.Job]++
			last[p.Job] = p.Last
		}
		require.Len(t, last, 5)
		for j, l := range last {
			require.True(t, l, "job %d", j)
		}
	}
	require.Equal(t, 0, ps[0].No)
	require.Equal(t, 399, ps[1999].No)
}

// The interval holds the true gain about as often as it says, of paired draws and of segments.
// Packets of jobs that are cut are those of shorter jobs, the tag of a verify job among them.
func TestCutJobsAreJobs(t *testing.T) {
	_, d := load(t, bad)
	for _, mode := range []string{"mac,ops=verify", "mac,ops=sign", "cbc", "ctr"} {
		src, err := traffic.Open("saturated:packets=600,job=200,modes="+mode, d)
		require.NoError(t, err)
		ps, err := read(src, 600)
		require.NoError(t, err)
		for i, s := range segments(append(finished(ps[:300]), ps[300:]...), 4) {
			for k, p := range s {
				want := map[cipher.Mode]bool{cipher.CBC: p.No == 0, cipher.CTR: true,
					cipher.MAC: p.Last && cipher.Cmd(p.Op) == cipher.Verify}[cipher.Mode(p.Mode)]
				require.Equal(t, want, p.IV, "%s: packet %d of segment %d, %+v", mode, k, i, p)
			}
		}
	}
}

func TestIntervals(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, segmented := range []bool{false, true} {
		hit := 0
		const trials, n, gain = 400, 25, 0.03
		for i := range trials {
			s := samples{draws: n, seed: uint64(i)}
			if segmented {
				s.segs = make([][]sched.Packet, 2*n)
			}
			base, vals := make([]float64, n), make([]float64, n)
			for k := range n {
				base[k] = 1000 + 200*r.NormFloat64()
				vals[k] = base[k] * (1 - gain + 0.02*r.NormFloat64())
			}
			g, in := s.gain(base, vals)
			require.InDelta(t, gain, g, 0.03)
			if in[0] <= gain && gain <= in[1] {
				hit++
			}
		}
		require.InDelta(t, 0.95, float64(hit)/trials, 0.05, "segmented %v", segmented)
	}
	s := samples{draws: 3}
	_, in := s.gain([]float64{1, 1, 1}, []float64{1, 1, 1})
	require.Nil(t, in)
}

// K of weighted survives rounding to decimals, whatever the depth.
func TestWeightedK(t *testing.T) {
	c, d := load(t, bad)
	tn := &tuner{c: c, d: d}
	for _, depth := range []int{2, 8, 100, 256} {
		for _, k := range []float64{0.1, 0.5, 1, 7, 32, 300} {
			p := tn.weighted(point{depths: [][]int{{depth, 2}}}, k)
			require.InEpsilon(t, k, p.alpha/p.beta*float64(depth), 0.08, "K %g at depth %d: alpha %g beta %g", k, depth, p.alpha, p.beta)
			require.InDelta(t, 1, p.alpha+p.beta, 1e-12)
			require.Less(t, len(Setting{"", p.alpha}.text(nil)), 8)
			require.False(t, math.IsNaN(p.alpha))
		}
	}
}
