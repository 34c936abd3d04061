// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

// packets is a Source of a slice.
type packets struct {
	p []Packet
	i int
}

func (s *packets) Next(p *Packet) bool {
	if s.i == len(s.p) {
		return false
	}
	*p = s.p[s.i]
	s.i++
	return true
}

func (s *packets) Err() error { return nil }

// randomCluster has n cores with times up to most; holes: some commands can't be done by some cores, never by all.
func randomCluster(r *rand.Rand, n, most int, holes bool) Cluster {
	c := Cluster{Time: make([][4]int64, n), Inv: make([]bool, n)}
	for j := range n {
		c.Inv[j] = j == 0 || !holes || r.IntN(3) > 0
		for op := range 4 {
			c.Time[j][op] = int64(1 + r.IntN(most))
			if holes && j > 0 && r.IntN(4) == 0 {
				c.Time[j][op] = 0
			}
		}
	}
	return c
}

func randomPackets(r *rand.Rand, n, gap int, chained bool) []Packet {
	out := make([]Packet, n)
	at := int64(0)
	no := map[uint64]int{}
	for i := range out {
		p := Packet{Arrival: at, Job: uint64(r.IntN(3)), Op: r.IntN(4), Blocks: 1 + r.IntN(3), Inverse: r.IntN(4) == 0}
		if !chained {
			p.Job = uint64(i)
		}
		p.Chained = chained && p.Job > 0
		p.No = no[p.Job]
		no[p.Job]++
		out[i] = p
		at += int64(r.IntN(gap + 1))
	}
	return out
}

// able is core j's time for a packet, 0 if it can't.
func able(c *Cluster, j int, p *Packet) int64 {
	if p.Inverse && !c.Inv[j] {
		return 0
	}
	return ServiceTime(c.Time[j][p.Op], p)
}

// simplex is the fluid LP of packets by gonum: variables T, x_jk, one slack a core, one class for each packet.
func simplex(t *testing.T, c *Cluster, ps []Packet) float64 {
	n, k := len(c.Time), len(ps)
	vars := 1 + n*k + n
	a := mat.NewDense(k+n, vars, nil)
	b, cost := make([]float64, k+n), make([]float64, vars)
	cost[0] = 1
	for i := range ps {
		b[i] = 1
		for j := range n {
			d := able(c, j, &ps[i])
			if d > 0 {
				a.Set(i, 1+j*k+i, 1)
			} else {
				d = 1e6 // a variable of no row would be a singular matrix
			}
			a.Set(k+j, 1+j*k+i, float64(d))
		}
	}
	for j := range n {
		a.Set(k+j, 0, -1)
		a.Set(k+j, 1+n*k+j, 1)
	}
	best, _, err := lp.Simplex(cost, a, b, 1e-10, nil)
	require.NoError(t, err)
	return best
}

func TestBoundIsTheLargestFluidLP(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		c := randomCluster(r, 1+r.IntN(5), 40, r.IntN(2) == 0)
		ps := randomPackets(r, 1+r.IntN(9), r.IntN(30), false)
		want := 0.0
		for i := range ps {
			want = max(want, float64(ps[i].Arrival)+simplex(t, &c, ps[i:]))
			least := int64(math.MaxInt64)
			for j := range c.Time {
				if d := able(&c, j, &ps[i]); d > 0 {
					least = min(least, d)
				}
			}
			want = max(want, float64(ps[i].Arrival+least))
		}
		got, err := LowerBound([]Cluster{c}, &packets{p: ps})
		require.NoError(t, err)
		require.InDelta(t, want, got, 1e-7*want, "%+v\n%+v", c, ps)
	}
}

// optimum is the least makespan of any schedule: every order of the packets, every core for each.
func optimum(c *Cluster, ps []Packet) int64 {
	best := int64(math.MaxInt64)
	free := make([]int64, len(c.Time))
	done, ends := make([]bool, len(ps)), make([]int64, len(ps))
	var next func(left int, end int64)
	next = func(left int, end int64) {
		if end >= best {
			return
		}
		if left == 0 {
			best = end
			return
		}
		chain := map[uint64]bool{}
		for i := range ps {
			if done[i] || ps[i].Chained && chain[ps[i].Job] {
				continue
			}
			chain[ps[i].Job] = true // only the first packet left of a chained job can go
			ready := ps[i].Arrival
			if ps[i].Chained {
				for q := range i {
					if ps[q].Job == ps[i].Job {
						ready = max(ready, ends[q])
					}
				}
			}
			done[i] = true
			for j := range free {
				d := able(c, j, &ps[i])
				if d == 0 {
					continue
				}
				old := free[j]
				free[j] = max(old, ready) + d
				ends[i] = free[j]
				next(left-1, max(end, free[j]))
				free[j] = old
			}
			done[i] = false
		}
	}
	next(len(ps), 0)
	return best
}

func TestBoundIsNeverAboveTheOptimum(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	sum, n := 0.0, 0
	for range 200 {
		c := randomCluster(r, 1+r.IntN(3), 12, r.IntN(2) == 0)
		ps := randomPackets(r, 1+r.IntN(5), r.IntN(8), r.IntN(2) == 0)
		if r.IntN(2) == 0 { // times that are cut differently on each core
			for i := range ps {
				ps[i].Blocks += 2
				ps[i].Stretch = 700 + r.IntN(700)
			}
		}
		best := optimum(&c, ps)
		got, err := LowerBound([]Cluster{c}, &packets{p: ps})
		require.NoError(t, err)
		require.LessOrEqual(t, got, float64(best)*(1+1e-12), "%+v\n%+v", c, ps)
		sum += got / float64(best)
		n++
	}
	require.Greater(t, sum/float64(n), 0.8) // and not far below it
}

// Prices are scaled to be feasible, so any set of prices that the LP passes through must give a valid bound; many
// cores, all classes and long workloads are where rounding would show.
func TestBoundOfManyCores(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{1, 2, 7, 16, 64} {
		c := randomCluster(r, n, 1000, true)
		ps := randomPackets(r, min(1600, 19200/n), 40, false)
		got, err := LowerBound([]Cluster{c}, &packets{p: ps})
		require.NoError(t, err)
		b := NewBound([]Cluster{c})
		for i := range ps {
			require.NoError(t, b.Add(&ps[i]))
		}
		bc := &b.clusters[0]
		var classes []int
		for k, w := range bc.total {
			if w > 0 {
				classes = append(classes, k)
			}
		}
		want := float64(bc.single)
		for i, s := range bc.starts { // suffixes by themselves, each from the first basis
			if i%5 > 0 {
				continue
			}
			work := make([]float64, len(classes))
			for k, class := range classes {
				work[k] = float64(bc.total[class]-s.before[class]) / workOne
			}
			f := bc.fluid(classes)
			f.solve(work)
			v := 0.0
			for k := range work {
				v += work[k] * f.price[k]
			}
			require.InDelta(t, v, f.above(work), 1e-9*v, "no gap between the prices and the shares")
			want = max(want, float64(s.arrival)+v)
		}
		require.GreaterOrEqual(t, got, want*(1-1e-9))
		require.Less(t, got, want*1.02)
	}
}

func TestBoundOfChains(t *testing.T) {
	c := Cluster{Time: [][4]int64{{10, 0, 0, 0}, {4, 9, 9, 9}}}
	ps := []Packet{
		{Job: 1, Chained: true, Blocks: 1},
		{Job: 1, No: 1, Chained: true, Blocks: 2, Arrival: 1},
		{Job: 2, Blocks: 1, Arrival: 2},
		{Job: 1, No: 2, Chained: true, Last: true, Blocks: 1, Arrival: 30},
	}
	got, err := LowerBound([]Cluster{c}, &packets{p: ps[:3]})
	require.NoError(t, err)
	require.InDelta(t, 12, got, 1e-12)
	got, err = LowerBound([]Cluster{c}, &packets{p: ps})
	require.NoError(t, err)
	require.InDelta(t, 34, got, 1e-12)
	ps[3].Stretch = 2048
	got, err = LowerBound([]Cluster{c}, &packets{p: ps})
	require.NoError(t, err)
	require.InDelta(t, 38, got, 1e-12)
}

func TestBoundThinsLongWorkloads(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	c := randomCluster(r, 4, 20, false)
	for j := range c.Time {
		for op := range 4 {
			c.Time[j][op] += 16
		}
	}
	ps := randomPackets(r, 100000, 12, false)
	b := NewBound([]Cluster{c})
	last := 0.0
	for i := range ps {
		require.NoError(t, b.Add(&ps[i]))
		if i == boundSuffixes-2 || i == 3*boundSuffixes {
			m := b.Makespan()
			require.Greater(t, m, last)
			last = m
		}
	}
	bc := &b.clusters[0]
	require.LessOrEqual(t, len(bc.starts), boundSuffixes)
	require.Equal(t, ps[0].Arrival, bc.starts[0].arrival)
	thinned := b.Makespan()
	for i := range bc.starts[1:] {
		require.Greater(t, bc.starts[i+1].arrival, bc.starts[i].arrival)
	}
	require.GreaterOrEqual(t, thinned, float64(ps[len(ps)-1].Arrival))
}

func TestBoundRefuses(t *testing.T) {
	b := NewBound([]Cluster{{Time: [][4]int64{{1, 0, 1, 1}}, Inv: []bool{false}}})
	require.NoError(t, b.Add(&Packet{Load: true, Op: 1}))
	require.NoError(t, b.Add(&Packet{Arrival: 5}))
	require.ErrorContains(t, b.Add(&Packet{Arrival: 4}), "arrives at 4, after one at 5")
	require.ErrorContains(t, b.Add(&Packet{Arrival: 5, Op: 1}), "no core of cluster 0 does command 1")
	require.ErrorContains(t, b.Add(&Packet{Arrival: 5, Inverse: true}), "no core")
	require.ErrorContains(t, b.Add(&Packet{Cluster: 1}), "cluster 1 of 1")
	require.ErrorContains(t, b.Add(&Packet{Arrival: 5, Op: 4}), "command 4")
}

func BenchmarkBound(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 5))
	c := randomCluster(r, 16, 21, false)
	ps := randomPackets(r, 1600, 3, false)
	for b.Loop() {
		if _, err := LowerBound([]Cluster{c}, &packets{p: ps}); err != nil {
			b.Fatal(err)
		}
	}
}
