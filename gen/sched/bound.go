// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// boundSuffixes is the number of suffixes that a Bound keeps; more arrivals than that are thinned out.
const boundSuffixes = 1 << 13

// boundClasses is the number of kinds of work: a command, with and without need of the inverse cipher.
const boundClasses = 8

// workOne is a block of work that takes its core's time.
const workOne = 1 << 10

// Bound is the lower bound of a workload's makespan, whatever the policy, the queues and the latencies: in each cluster
// the largest of
//
//   - for every arrival a: a plus the time that the cores need for all that arrives at a or later if work could be
//     split at will (the fluid linear program: least T with sum_j x_jk >= W_k and sum_k t_jk*x_jk <= T);
//   - the longest chained job, each packet on its best core, not before it has arrived and its predecessor is done;
//   - the longest packet on its best core.
//
// It takes packets one by one in the order of their arrivals. The memory that it needs does not depend on their number:
// beyond 8192 arrivals in a cluster it considers every second one, then every fourth and so on, which leaves it a lower
// bound, less by at most the time between two that it considers.
type Bound struct {
	clusters []boundCluster
}

// NewBound makes the bound of workloads for these clusters; only Time and Inv of them are looked at.
func NewBound(clusters []Cluster) *Bound {
	b := &Bound{clusters: make([]boundCluster, len(clusters))}
	for i := range clusters {
		b.clusters[i] = boundCluster{time: clusters[i].Time, inv: clusters[i].Inv, stride: 1, chains: map[uint64]int64{}}
	}
	return b
}

// boundCluster is the state of a Bound for one cluster.
type boundCluster struct {
	time   [][4]int64
	inv    []bool
	starts []boundStart
	stride int // considers every stride-th arrival
	skip   int // arrivals until the next considered one
	last   int64
	total  [boundClasses]int64
	single int64 // end of the longest chain or packet
	chains map[uint64]int64
}

// boundStart is a suffix: all work that arrives at its time or later.
type boundStart struct {
	arrival int64
	before  [boundClasses]int64 // work that arrived earlier, 1/workOne blocks
}

// Add takes the next packet. Key loads need no core and are passed over. It fails on a packet that no core can do and
// on arrivals that decrease.
func (b *Bound) Add(p *Packet) error {
	if p.Cluster < 0 || p.Cluster >= len(b.clusters) {
		return fmt.Errorf("bound: cluster %d of %d", p.Cluster, len(b.clusters))
	}
	if p.Load {
		return nil
	}
	return b.clusters[p.Cluster].add(p)
}

func (c *boundCluster) add(p *Packet) error {
	if p.Op < 0 || p.Op >= len(c.time[0]) {
		return fmt.Errorf("bound: command %d", p.Op)
	}
	work, best := int64(math.MaxInt64), int64(math.MaxInt64)
	for j := range c.time {
		t := c.time[j][p.Op]
		if t == 0 || !c.does(j, p.Inverse) {
			continue
		}
		// A stretched time is cut to whole ticks, which is another stretch on each core: the least of them is taken.
		service := ServiceTime(t, p)
		best = min(best, service)
		work = min(work, service*workOne/t)
	}
	if best == math.MaxInt64 {
		return fmt.Errorf("bound: job %d, packet %d: no core of cluster %d does command %d", p.Job, p.No, p.Cluster, p.Op)
	}
	if p.Arrival < c.last && len(c.starts) > 0 {
		return fmt.Errorf("bound: job %d, packet %d arrives at %d, after one at %d", p.Job, p.No, p.Arrival, c.last)
	}
	if len(c.starts) == 0 || p.Arrival > c.last {
		c.start(p.Arrival)
	}
	c.last = p.Arrival
	class := p.Op
	if p.Inverse {
		class += 4
	}
	c.total[class] += work
	end := p.Arrival
	if p.Chained {
		end = max(end, c.chains[p.Job])
	}
	end += best
	c.single = max(c.single, end)
	if p.Chained {
		if p.Last {
			delete(c.chains, p.Job)
		} else {
			c.chains[p.Job] = end
		}
	}
	return nil
}

func (c *boundCluster) does(core int, inverse bool) bool {
	return !inverse || c.inv == nil || c.inv[core]
}

// start notes a new arrival time, if it is one of those considered.
func (c *boundCluster) start(arrival int64) {
	if c.skip > 0 {
		c.skip--
		return
	}
	if len(c.starts) == boundSuffixes {
		for i := range boundSuffixes / 2 {
			c.starts[i] = c.starts[2*i]
		}
		c.starts = c.starts[:boundSuffixes/2]
		c.stride *= 2 // this arrival is a multiple of the new stride too
	}
	c.skip = c.stride - 1
	c.starts = append(c.starts, boundStart{arrival, c.total})
}

// Makespan is the bound for the packets so far, in ticks, counted from tick 0 as Result.Makespan is.
func (b *Bound) Makespan() float64 {
	best := 0.0
	for i := range b.clusters {
		best = max(best, b.clusters[i].makespan())
	}
	return best
}

func (c *boundCluster) makespan() float64 {
	best := float64(c.single)
	if len(c.starts) == 0 {
		return best
	}
	var classes []int
	for k, w := range c.total {
		if w > 0 {
			classes = append(classes, k)
		}
	}
	lp := c.fluid(classes)
	n := len(c.starts)
	arrival, upper := make([]float64, n), make([]float64, n)
	work := make([]float64, n*len(classes))
	for i, s := range c.starts {
		arrival[i], upper[i] = float64(s.arrival), math.Inf(1)
		for k, class := range classes {
			work[i*len(classes)+k] = float64(c.total[class]-s.before[class]) / workOne
		}
	}
	suffix := func(i int) []float64 { return work[i*len(classes) : (i+1)*len(classes)] }
	// Prices u are feasible whatever the work is, so the prices of one suffix bound all of them from below; shares of one
	// suffix are an assignment for all of them and bound their LPs from above. Few LPs settle all suffixes.
	open := make([]int, n)
	for i := range open {
		open[i] = i
	}
	for next := 0; ; {
		lp.solve(suffix(next))
		for _, i := range open {
			best = max(best, arrival[i]+floats.Dot(suffix(i), lp.price))
		}
		upper[next] = 0 // settled
		at := -1
		open = slices.DeleteFunc(open, func(i int) bool {
			if upper[i] > 0 {
				upper[i] = min(upper[i], lp.above(suffix(i)))
			}
			if arrival[i]+upper[i] <= best*(1+1e-12) || upper[i] == 0 {
				return true
			}
			if at < 0 || arrival[i]+upper[i] > arrival[at]+upper[at] {
				at = i
			}
			return false
		})
		if at < 0 {
			return best
		}
		next = at
	}
}

// fluid is the linear program in its dual form, which does not depend on the work but for the objective: prices u_k
// of a unit of work of class k and y_j of a tick of core j, largest W*u with u_k <= t_jk*y_j for every core that does
// k, sum y_j <= 1. A solve starts from the basis of the one before.
type fluid struct {
	n, k int // cores, classes
	time []float64
	// tab is the condensed tableau: rows are constraints (basic variables), columns the others. Variables 0..k-1 are u,
	// k..k+n-1 y, then one slack a row. The last two columns are the right-hand sides: as they are, and perturbed, so
	// that no pivot is degenerate. pair is the (core, class) of a row, -1 of the last one.
	tab        [][]float64
	cost       []float64
	rows, cols []int // variable of a row, a column
	pair       [][2]int
	price      []float64 // u of the last solve
	share      []float64 // [core*k+class]: that part of the class's work is done by that core
}

func (c *boundCluster) fluid(classes []int) *fluid {
	f := &fluid{n: len(c.time), k: len(classes)}
	f.time = make([]float64, f.n*f.k)
	for j := range c.time {
		for k, class := range classes {
			if t := c.time[j][class%4]; t > 0 && c.does(j, class >= 4) {
				f.time[j*f.k+k] = float64(t)
				f.pair = append(f.pair, [2]int{j, k})
			}
		}
	}
	f.pair = append(f.pair, [2]int{-1, -1})
	width := f.k + f.n
	for r, p := range f.pair {
		row := make([]float64, width+2)
		if p[0] >= 0 {
			row[p[1]], row[f.k+p[0]] = 1, -f.time[p[0]*f.k+p[1]]
		} else {
			for j := range f.n {
				row[f.k+j] = 1
			}
			row[width], row[width+1] = 1, 1
		}
		// Multiples of an irrational number are spread evenly and have no sums in common.
		_, part := math.Modf(float64(r+1) * math.Phi)
		row[width+1] += 1e-6 * (1 + part)
		f.tab = append(f.tab, row)
		f.rows = append(f.rows, width+r)
	}
	for v := range width {
		f.cols = append(f.cols, v)
	}
	f.cost, f.price, f.share = make([]float64, width), make([]float64, f.k), make([]float64, f.n*f.k)
	return f
}

// solve finds the optimum for this work; price and share are its solution.
func (f *fluid) solve(work []float64) {
	width := f.k + f.n
	objective := func(v int) float64 {
		if v < f.k {
			return work[v]
		}
		return 0
	}
	for j, v := range f.cols {
		f.cost[j] = -objective(v)
	}
	for r, v := range f.rows {
		if w := objective(v); w != 0 {
			floats.AddScaled(f.cost, w, f.tab[r][:width])
		}
	}
	scale := floats.Sum(work) + 1
	for {
		enter := floats.MinIdx(f.cost)
		if f.cost[enter] >= -1e-11*scale {
			break
		}
		leave, least := -1, math.Inf(1)
		for r, row := range f.tab {
			if row[enter] > 1e-9 {
				if q := row[width+1] / row[enter]; q < least {
					leave, least = r, q
				}
			}
		}
		if leave < 0 {
			break // prices can't grow without end: rounding
		}
		f.pivot(leave, enter)
	}
	clear(f.price)
	for r, v := range f.rows {
		if v < f.k {
			f.price[v] = max(f.tab[r][width], 0)
		}
	}
	// Scaled to be feasible to the last bit, so that rounding never lifts the bound above the optimum.
	floats.Scale(1/f.total(f.price), f.price)
	f.shares()
}

// total is the sum of the least y for prices u; more than 0, since some work has a price.
func (f *fluid) total(u []float64) float64 {
	sum := 0.0
	for j := range f.n {
		y := 0.0
		for k := range f.k {
			if t := f.time[j*f.k+k]; t > 0 {
				y = max(y, u[k]/t)
			}
		}
		sum += y
	}
	return sum
}

// shares reads the assignment off the costs of the slacks.
func (f *fluid) shares() {
	clear(f.share)
	for j, v := range f.cols {
		if v >= f.k+f.n {
			if p := f.pair[v-f.k-f.n]; p[0] >= 0 {
				f.share[p[0]*f.k+p[1]] = max(f.cost[j], 0)
			}
		}
	}
	for k := range f.k {
		sum, best := 0.0, -1
		for j := range f.n {
			i := j*f.k + k
			sum += f.share[i]
			if f.time[i] > 0 && (best < 0 || f.time[i] < f.time[best]) {
				best = i
			}
		}
		if sum <= 0 { // none of this class in the work solved for
			f.share[best], sum = 1, 1
		}
		for j := range f.n {
			f.share[j*f.k+k] /= sum
		}
	}
}

// above is the time that the last solution's shares take for this work: no less than its LP.
func (f *fluid) above(work []float64) float64 {
	most := 0.0
	for j := range f.n {
		busy := 0.0
		for k, w := range work {
			busy += w * f.share[j*f.k+k] * f.time[j*f.k+k]
		}
		most = max(most, busy)
	}
	return most
}

func (f *fluid) pivot(leave, enter int) {
	row := f.tab[leave]
	p := row[enter]
	row[enter] = 1
	floats.Scale(1/p, row)
	for r, other := range f.tab {
		if r == leave {
			continue
		}
		if a := other[enter]; a != 0 {
			other[enter] = 0
			floats.AddScaled(other, -a, row)
		}
	}
	a := f.cost[enter]
	f.cost[enter] = 0
	floats.AddScaled(f.cost, -a, row[:len(f.cost)])
	f.rows[leave], f.cols[enter] = f.cols[enter], f.rows[leave]
}

// LowerBound is the bound of a whole workload, in ticks.
func LowerBound(clusters []Cluster, src Source) (float64, error) {
	b := NewBound(clusters)
	var p Packet
	for src.Next(&p) {
		if err := b.Add(&p); err != nil {
			return 0, err
		}
	}
	return b.Makespan(), src.Err()
}
