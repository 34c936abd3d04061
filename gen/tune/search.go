// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"hwgen/gen/design"
	"hwgen/gen/policy"
	"hwgen/gen/sched"
)

// The grid of the search, refined afterwards.
var (
	depthScales = []int{2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 192,
		256} // of a cluster's fastest cores
	slotSteps  = []int{1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256}
	lambdas    = []float64{0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32}
	lambdaGrid = []float64{1, 2, 4, 8, 16}
	kGrid      = []float64{0.5, 1, 2, 4, 8, 16, 32} // packets
)

const (
	screenSamples = 2    // in the first look at the grid
	kept          = 3    // candidates of each policy that are looked at again
	leaders       = 6    // candidates that are refined
	rounds        = 6    // of refinement
	finalists     = 4    // candidates that are looked at in the end, besides the best of each policy
	firstHeat     = 3    // samples of a race's first heat, twice as many of each that follows
	sure          = 2.5  // standard errors of a paired difference behind the best that drop a candidate of the grid
	likely        = 1.5  // the same in the last race, where runs take long
	missed        = 1.0  // the same behind the candidate that it is a step from
	hopeless      = 0.03 // a policy whose best is that far behind is not refined
	tie           = 5e-4
	sameMemory    = 1.02 // designs whose bits differ by less are alike
	// quickFrom is the packets of a sample from which on the search follows packets, not cycles: short runs cost little, and
	// are less exact then.
	quickFrom = 2000
)

func (t *tuner) search() error {
	n := t.s.search()
	screen := min(screenSamples, n)
	half := max(screen, (n+1)/2)

	pool := t.grid()
	if err := t.run("screening", pool, t.kind, 0, screen); err != nil {
		return err
	}
	for _, c := range pool {
		c.seen = screen
	}
	t.rank(pool, t.kind)
	pool = t.bestOfEach(pool, kept, 2*leaders)
	if err := t.race("ranking", pool, t.kind, half, sure); err != nil {
		return err
	}
	t.rank(pool, t.kind)

	tried := map[*candidate]bool{}
	for round := range rounds {
		var more []*candidate
		for _, c := range t.bestOfEach(pool, 1, leaders) {
			if tried[c] || c.row.search > pool[0].row.search+hopeless {
				continue
			}
			tried[c] = true
			more = append(more, t.neighbours(c)...)
		}
		more = unique(more, pool)
		if len(more) == 0 {
			break
		}
		if err := t.race(fmt.Sprintf("refining %d", round+1), more, t.kind, half, sure); err != nil {
			return err
		}
		pool = append(pool, more...)
		t.rank(pool, t.kind)
	}

	pool = t.bestOfEach(pool, 1, finalists)
	for _, c := range pool {
		c.parent, c.seen, c.dropped = nil, 0, false
	}
	if err := t.race("selecting", pool, exact, n, likely); err != nil {
		return err
	}
	t.rank(pool, exact)
	t.prefer(pool, n)
	return t.compare(t.bestOfEach(pool, 1, 1))
}

// race runs candidates on samples of the search, on more in each heat, n in the last. Before it those are dropped that
// are behind the best by so many standard errors. A step from another candidate is to better that one: it is dropped if it
// likely does not, and in later heats if it does not so far, unless it takes less memory.
func (t *tuner) race(stage string, cs []*candidate, as kind, n int, margin float64) error {
	for to := firstHeat; ; to *= 2 {
		to = min(to, n)
		run := slices.Clone(cs)
		for _, c := range cs {
			if c.parent != nil {
				run = append(run, c.parent)
			}
		}
		if err := t.run(stage, run, as, 0, to); err != nil {
			return err
		}
		for _, c := range cs {
			c.seen = to
		}
		if to == n || len(cs) == 0 {
			return nil
		}
		best := slices.MinFunc(cs, func(a, b *candidate) int { return cmp.Compare(t.ratio(a, as), t.ratio(b, as)) })
		var left []*candidate
		for _, c := range cs {
			switch {
			case c.parent == nil:
				c.dropped = t.behind(c, best, as, tie, margin)
			case to == firstHeat || c.cost < c.parent.cost:
				c.dropped = t.behind(c, c.parent, as, tie, missed)
			default:
				c.dropped = t.behind(c, c.parent, as, 0, 0)
			}
			if !c.dropped {
				left = append(left, c)
			}
		}
		cs = left
	}
}

// behind says whether a candidate is behind another one by more than a share of the config's value, and by more than so many
// standard errors of the paired difference, on the samples that it has seen.
func (t *tuner) behind(c, other *candidate, as kind, share, margin float64) bool {
	if c == other || other.stopped != nil {
		return false
	}
	if c.stopped != nil {
		return true
	}
	diff := make([]float64, c.seen)
	for i := range diff {
		diff[i] = (c.vals[as][i] - other.vals[as][i]) / t.base.vals[as][i]
	}
	mean, sd := stat.MeanStdDev(diff, nil)
	return mean > share && mean > margin*stat.StdErr(sd, float64(len(diff)))
}

// prefer puts the simplest of the candidates first that the search can't tell from the best: those no more than one
// standard error of the paired difference behind it (the one-standard-error rule).
func (t *tuner) prefer(pool []*candidate, n int) {
	if len(pool) == 0 || n < 2 || pool[0].stopped != nil {
		return
	}
	var best *candidate
	for _, c := range pool {
		if !c.dropped && (best == nil || c.row.search < best.row.search) {
			best = c
		}
	}
	behind := func(c *candidate) bool { return c.dropped || t.behind(c, best, exact, tie, 1) } // too far
	least := math.MaxInt
	for _, c := range pool {
		if !behind(c) {
			least = min(least, c.cost)
		}
	}
	first := -1
	for i, c := range pool {
		if behind(c) || float64(c.cost) > sameMemory*float64(least) {
			continue
		}
		if first < 0 || cmp.Or(c.far-pool[first].far, cmp.Compare(c.row.search, pool[first].row.search)) < 0 {
			first = i
		}
	}
	if first < 0 {
		return
	}
	c := pool[first]
	copy(pool[1:first+1], pool[:first])
	pool[0] = c
}

// unique is the candidates that are not in pool, each once.
func unique(cs, pool []*candidate) []*candidate {
	var out []*candidate
	for _, c := range cs {
		if !slices.Contains(pool, c) && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// bestOfEach keeps the first few of each policy and the first few of all; the order stays.
func (t *tuner) bestOfEach(pool []*candidate, each, all int) []*candidate {
	count := map[string]int{}
	var out []*candidate
	for i, c := range pool {
		count[c.row.Policy]++
		if i < all || count[c.row.Policy] <= each {
			out = append(out, c)
		}
	}
	return out
}

// shape is core queues and the slots beside them.
type shape struct {
	depths [][]int
	slots  int
}

// shapes are those of the grid: the core queues of the start, and depths in proportion to speed that together hold no more
// packets than there are slots; with the slots of the start, and with all of a budget that gives more.
func (t *tuner) shapes(from point) []shape {
	var out []shape
	for _, slots := range slices.Compact([]int{from.slots, max(from.slots, t.o.SlotsBudget)}) {
		out = append(out, shape{from.depths, slots})
		for k := 0; k < len(depthScales); k += 2 { // those between are steps away
			ds := make([][]int, len(from.depths))
			for i := range ds {
				ds[i] = t.depths(i, depthScales[k], slots)
			}
			if t.held(ds) <= slots {
				out = append(out, shape{ds, slots})
			}
		}
	}
	return out
}

// grid is the first candidates: every policy with weights far apart, in each shape.
func (t *tuner) grid() []*candidate {
	var out []*candidate
	seen := map[*candidate]bool{}
	add := func(p point) {
		if c, err := t.candidate(p); err == nil && !seen[c] {
			seen[c] = true
			out = append(out, c)
		}
	}
	from := t.start()
	shapes := t.shapes(from)
	for _, name := range t.policies() {
		for _, sh := range shapes {
			p := from
			p.policy, p.depths, p.slots = name, sh.depths, sh.slots
			switch name {
			case "weighted":
				add(p) // alpha and beta of the config
				for _, k := range kGrid {
					add(t.weighted(p, k))
				}
			case "affinity":
				add(p)
				for _, l := range lambdaGrid {
					p.lambda = l
					add(p)
				}
			default:
				add(p)
			}
		}
	}
	return out
}

// policies are those that are tried.
func (t *tuner) policies() []string {
	if t.o.Policies != nil {
		return t.o.Policies
	}
	return policy.Names
}

// slotSteps are the numbers of slots that are tried, those of the config and the budget among them.
func (t *tuner) slotSteps() []int {
	steps := append(slices.Clone(slotSteps), t.d.Slots, t.o.SlotsBudget)
	slices.Sort(steps)
	return slices.Compact(steps)
}

// shallow is the point of the config with so many slots and the shallowest core queues.
func (t *tuner) shallow(slots int) point {
	p := t.base.row.point.clone()
	p.slots = slots
	for i := range p.depths {
		p.depths[i] = t.depths(i, depthScales[0], slots)
	}
	return p
}

// start is the point of the config, with fewer slots if the budget wants that.
func (t *tuner) start() point {
	if t.res.OverBudget {
		for _, s := range slices.Backward(t.slotSteps()) {
			for _, name := range t.policies() {
				p := t.shallow(s)
				p.policy = name
				if _, err := t.candidate(p); err == nil {
					return p
				}
			}
		}
	}
	return t.base.row.point
}

// depths are the core queues of a cluster in proportion to speed, scale packets for its fastest cores.
func (t *tuner) depths(cluster, scale, slots int) []int {
	fastest := t.fastest(cluster)
	out := make([]int, len(t.c.Clusters[cluster].Cores))
	for g := range out {
		out[g] = min(slots, max(2, int(math.Round(float64(scale)*fastest/t.group(cluster, g)[0].MeanCycles()))))
	}
	return out
}

// fastest is the mean cycles of a cluster's fastest cores.
func (t *tuner) fastest(cluster int) float64 {
	least := math.Inf(1)
	for g := range t.c.Clusters[cluster].Cores {
		least = min(least, t.group(cluster, g)[0].MeanCycles())
	}
	return least
}

// held is the packets that core queues hold together.
func (t *tuner) held(depths [][]int) int {
	n := 0
	for i := range depths {
		for g, q := range depths[i] {
			n += q * t.c.Clusters[i].Cores[g].Count.V
		}
	}
	return n
}

// weighted is a point whose alpha is such that a core's speed outweighs k packets of its queue, in three digits.
func (t *tuner) weighted(p point, k float64) point {
	depth := float64(t.deepest(&p))
	alpha := k / (k + depth)
	unit := math.Pow(10, math.Floor(math.Log10(min(alpha, 1-alpha)))-1)
	digits := max(0, int(math.Round(-math.Log10(unit))))
	scale := math.Pow(10, float64(digits))
	p.policy = "weighted"
	p.alpha = math.Round(alpha*scale) / scale
	p.beta = math.Round((1-p.alpha)*scale) / scale
	return p
}

// neighbours are points a step away: weights, the depths of one cluster, slots.
func (t *tuner) neighbours(c *candidate) []*candidate {
	var out []*candidate
	add := func(p point) {
		n, err := t.candidate(p)
		if err != nil || slices.Contains(out, n) {
			return
		}
		if n.parent == nil && n.seen == 0 {
			n.parent = c
		}
		out = append(out, n)
	}
	p := c.row.point
	k := 0.0
	if c.row.K != nil {
		k = *c.row.K
	}
	switch p.policy {
	case "weighted":
		for _, f := range []float64{1 / 1.4, 1.4} {
			if k > 0 {
				add(t.weighted(p, k*f))
			}
		}
	case "affinity":
		at, _ := slices.BinarySearch(lambdas, p.lambda)
		for _, i := range []int{at - 1, at, at + 1} {
			if i >= 0 && i < len(lambdas) {
				q := p
				q.lambda = lambdas[i]
				add(q)
			}
		}
	}
	for i := range p.depths {
		for _, step := range []int{-1, 1} {
			q := p.clone()
			q.depths[i] = t.deeper(i, p.depths[i], step, p.slots)
			if t.held(q.depths) > q.slots && step > 0 {
				continue
			}
			if p.policy == "weighted" && k > 0 {
				q = t.weighted(q, k)
			}
			add(q)
		}
	}
	if t.o.SlotsBudget != t.d.Slots || t.o.MemoryBits > 0 {
		steps := t.slotSteps()
		at, _ := slices.BinarySearch(steps, p.slots)
		for _, i := range []int{at - 1, at + 1} {
			if i < 0 || i >= len(steps) || steps[i] > t.o.SlotsBudget {
				continue
			}
			q := p.clone()
			q.slots = steps[i]
			// queues that hold more than the slots may stay so with more of them
			if q.slots < p.slots && (t.held(q.depths) > q.slots || slices.ContainsFunc(q.depths,
				func(ds []int) bool { return slices.Max(ds) > q.slots })) {
				continue
			}
			add(q)
		}
	}
	return out
}

// deeper is the next depths of a cluster, up or down, in proportion to speed.
func (t *tuner) deeper(cluster int, now []int, step, slots int) []int {
	at := 0
	for i, s := range depthScales {
		if s <= slices.Max(now) {
			at = i
		}
	}
	for i := at + step; i >= 0 && i < len(depthScales); i += step {
		if ds := t.depths(cluster, depthScales[i], slots); !slices.Equal(ds, now) {
			return ds
		}
	}
	return now
}

// compare sets the winner of the search and the best of each policy beside the config, on samples that none has seen. Where
// runs take long, what has not won runs on the first of them alone.
func (t *tuner) compare(pool []*candidate) error {
	from := t.s.search()
	all := t.s.test()
	few := all
	if t.kind == quick {
		few = min(all, max(leastTests, all/5))
	}
	if err := t.run("comparing", pool[:min(1, len(pool))], exact, from, from+all); err != nil {
		return err
	}
	if err := t.run("comparing", pool, exact, from, from+few); err != nil {
		return err
	}
	vals := func(c *candidate, n int) []float64 {
		v := make([]float64, 0, n)
		for i := from; i < from+n; i++ {
			v = append(v, c.vals[exact][i])
		}
		return v
	}
	base := vals(t.base, all)
	fill := func(r *Row, c *candidate, n int) {
		v := vals(c, n)
		r.Samples = n
		r.Gain, r.Interval = t.s.gain(base[:n], v)
		if r.Value = mean(v); n < all {
			r.Value = mean(base) * (1 - r.Gain)
		}
	}
	fill(&t.res.Config, t.base, all)
	for i, c := range pool {
		if c == t.base {
			continue
		}
		if c.stopped != nil {
			t.res.Notes = append(t.res.Notes, fmt.Sprintf("policy %s is left out: %v", c.row.Policy, c.stopped))
			continue
		}
		r := c.row
		n := few
		if i == 0 {
			n = all
		}
		fill(&r, c, n)
		t.res.Rows = append(t.res.Rows, r)
	}
	if err := t.bounds(from, from+all); err != nil {
		return err
	}
	if len(t.res.Rows) == 0 {
		return nil
	}
	best := &t.res.Rows[0]
	t.res.Better = pool[0] != t.base && pool[0].stopped == nil && best.Interval != nil && best.Interval[0] > 0 && best.Gain >= t.o.MinGain
	if !t.res.Better && !t.res.OverBudget {
		return nil
	}
	t.res.Changes = *t.changes(&best.point)
	t.res.Fragment = t.res.Changes.Fragment(t.c)
	if err := t.warn(); err != nil {
		return err
	}
	if t.s.segmented() {
		return t.wholeNote(pool[0])
	}
	return nil
}

// warn notes what the tuned design warns of and the design as it is does not.
func (t *tuner) warn() error {
	d, err := design.Elaborate(t.res.Changes.Apply(t.c))
	if err != nil {
		return err
	}
	old := t.d.Warnings()
	for _, w := range d.Warnings() {
		if !slices.Contains(old, w) {
			t.res.Notes = append(t.res.Notes, w)
		}
	}
	return nil
}

// wholeNote says what the winner gains on a file as a whole.
func (t *tuner) wholeNote(c *candidate) error {
	was, _, err := t.evaluate(t.base, exact, wholeFile)
	if err != nil {
		return err
	}
	is, _, err := t.evaluate(c, exact, wholeFile)
	if err != nil {
		return err
	}
	t.res.Notes = append(t.res.Notes,
		fmt.Sprintf("on the file as a whole, search included: %.0f cycles in place of %.0f, %+.2f %%", is, was,
			100*(1-is/was)))
	return nil
}

// bounds fills in how far makespans are over their lower bound.
func (t *tuner) bounds(from, to int) error {
	if t.o.Objective != "makespan" {
		return nil
	}
	sum := 0.0
	for i := from; i < to; i++ {
		src, err := t.s.open(i)
		if err != nil {
			return err
		}
		b, err := sched.LowerBound(t.base.cfg.Clusters, src)
		if err := cmp.Or(err, src.Close()); err != nil {
			return err
		}
		sum += b
	}
	if b := sum / float64(to-from); b > 0 {
		t.res.Config.Bound = t.res.Config.Value/b - 1
		for i := range t.res.Rows {
			t.res.Rows[i].Bound = t.res.Rows[i].Value/b - 1
		}
	}
	return nil
}

func mean(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s / float64(len(v))
}
