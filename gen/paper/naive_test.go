// SPDX-License-Identifier: Apache-2.0

package paper

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// naive runs a draw as the papers describe it, in floating point and event by event, with nothing taken from gen/policy
// or gen/sched: order within an instant completions, arrivals, decisions; strict head of line.
func naive(d *Draw, p Policy) float64 {
	n, w, unit := len(d.Cycles), d.Work, float64(d.Tick)
	mean := 1.0
	if w.Length[1] > 0 {
		mean = math.Floor(float64(w.Length[0]+w.Length[1]+1) / 2)
	}
	base := make([][4]float64, n)
	for op := range 4 {
		lo, hi, y := math.Inf(1), 0.0, math.Inf(1)
		bar := func(j int) float64 {
			c := d.Cycles[j]
			return float64(c[0]+c[1]+c[2]+c[3]) / 4
		}
		for j := range n {
			t := float64(d.Cycles[j][op])
			lo, hi, y = math.Min(lo, t), math.Max(hi, t), math.Min(y, t/bar(j))
		}
		for j := range n {
			t := float64(d.Cycles[j][op])
			switch p.Name {
			case "weighted":
				v := 1.0
				if hi > lo {
					v = (hi - t) / (hi - lo)
				}
				base[j][op] = -p.Alpha * v
			case "affinity":
				base[j][op] = mean * (t + p.Lambda*(t-y*bar(j)))
			case "ect":
				base[j][op] = mean * t
			}
		}
	}
	inc := func(j, i int) float64 {
		q := &d.Packets[i]
		switch p.Name {
		case "weighted":
			return (1 - p.Alpha) * float64(q.Blocks) / float64(w.Cap)
		case "affinity", "ect":
			return float64(d.Cycles[j][q.Op] * q.Blocks)
		case "jsq":
			return 1
		}
		return 0
	}
	service := func(j, i int) float64 {
		q := &d.Packets[i]
		t := float64(d.Cycles[j][q.Op] * q.Blocks)
		if q.Stretch > 0 {
			t = math.Floor(t * float64(q.Stretch) / 1024)
		}
		return t
	}
	queue, ends := make([][]int, n), make([]float64, n)
	acc, held := make([]float64, n), make([]int, n)
	for j := range ends {
		ends[j] = math.Inf(1)
	}
	bound, pending := map[uint64]int{}, map[uint64]int{}
	pointer, arrived, head, now := 0, 0, 0, 0.0
	fits := func(j, i int) bool { return held[j] == 0 || held[j]+d.Packets[i].Blocks <= w.Cap }
	choose := func(i int) int {
		q := &d.Packets[i]
		if j, ok := bound[q.Job]; ok && q.Chained {
			if fits(j, i) {
				return j
			}
			return -1
		}
		best := -1
		switch p.Name {
		case "static", "round_robin":
			if fits(pointer, i) {
				best = pointer
			}
		case "round_robin_skip":
			for k := range n {
				if j := (pointer + k) % n; best < 0 && fits(j, i) {
					best = j
				}
			}
		default:
			least := math.Inf(1)
			for j := range n {
				if s := acc[j] + base[j][q.Op]; fits(j, i) && s < least-1e-9 {
					best, least = j, s
				}
			}
		}
		if best >= 0 {
			switch p.Name {
			case "round_robin", "round_robin_skip":
				pointer = (best + 1) % n
			}
		}
		return best
	}
	makespan := 0.0
	for {
		next := math.Inf(1)
		if arrived < len(d.Packets) {
			next = float64(d.Packets[arrived].Arrival) / unit
		}
		for j := range n {
			next = math.Min(next, ends[j])
		}
		if math.IsInf(next, 1) {
			return makespan
		}
		now = next
		for j := range n {
			if ends[j] > now {
				continue
			}
			makespan = now
			i := queue[j][0]
			q := &d.Packets[i]
			queue[j] = queue[j][1:]
			acc[j] -= inc(j, i)
			if held[j] -= q.Blocks; held[j] == 0 {
				acc[j] = 0 // no rounding is carried on
			}
			if q.Chained {
				pending[q.Job]--
				if q.Last || p.InFlight && p.Name != "static" && pending[q.Job] == 0 {
					delete(bound, q.Job)
				}
			}
			ends[j] = math.Inf(1)
			if len(queue[j]) > 0 {
				ends[j] = now + service(j, queue[j][0])
			}
		}
		for arrived < len(d.Packets) && float64(d.Packets[arrived].Arrival)/unit <= now {
			arrived++
		}
		for head < arrived {
			j := choose(head)
			if j < 0 {
				break
			}
			q := &d.Packets[head]
			if p.Name == "static" {
				pointer = (pointer + 1) % n
			}
			if q.Chained {
				bound[q.Job] = j
				pending[q.Job]++
			}
			acc[j] += inc(j, head)
			held[j] += q.Blocks
			queue[j] = append(queue[j], head)
			if len(queue[j]) == 1 {
				ends[j] = now + service(j, head)
			}
			head++
		}
	}
}

// The model's makespans are those of the naive simulator, policy by policy, in every regime.
func TestModelIsTheNaiveSimulator(t *testing.T) {
	regimes, err := Regimes()
	require.NoError(t, err)
	policies := []Policy{
		{Name: "weighted", Alpha: .05}, {Name: "weighted", Alpha: .3, InFlight: true}, {Name: "affinity", Lambda: 4},
		{Name: "affinity", Lambda: 4, InFlight: true}, {Name: "ect"}, {Name: "jsq"}, {Name: "round_robin"},
		{Name: "round_robin_skip"},
		{Name: "static"},
	}
	for gi := range regimes {
		g := &regimes[gi]
		d, err := g.Draw(rng(11, g.Name, 0))
		require.NoError(t, err)
		for _, p := range policies {
			o, err := d.Run(p)
			require.NoError(t, err)
			require.InDelta(t, naive(d, p), o.Makespan, 1e-6, "%s: %+v", g.Name, p)
			if g.Jitter == 0 {
				require.GreaterOrEqual(t, o.Makespan, d.Bound()*(1-1e-12), "%s: %+v", g.Name, p)
			}
		}
	}
}
