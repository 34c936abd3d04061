// SPDX-License-Identifier: Apache-2.0

// Package tune searches a design's scheduling policy, its weights and its queue depths for a workload, with the model
// of
// the RTL (package sched), and edits the design's config.
//
// The search never judges itself: candidates are ranked on some draws of the workload, the winner is then compared with
// the config as it is on draws that the search has not seen, pair by pair.
package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/policy"
	"hwgen/gen/sched"
	"hwgen/gen/traffic"
)

// Objectives are what can be made small, in clock cycles.
var Objectives = []string{"makespan", "mean", "p99"}

// Options of a search.
type Options struct {
	Objective string   // one of Objectives
	Policies  []string // to be tried; nil: all
	Draws     int      // draws of a generator in the final comparison, and as many in the search
	Seed      uint64   // of draws and resampling
	// SlotsBudget is the most packet slots; 0: those of the config, which are left as they are.
	SlotsBudget int
	// MemoryBits bounds the design's memories and queues together; 0: no bound.
	MemoryBits int
	MinGain    float64 // the least gain that counts, a share
	Workers    int     // runs at a time; 0: one a processor
	// Progress is told of runs done.
	Progress func(stage string, done, total int)
}

// Row is a candidate.
type Row struct {
	Policy string   `json:"policy"`
	Alpha  *float64 `json:"alpha,omitempty"` // weighted
	Beta   *float64 `json:"beta,omitempty"`
	// K is alpha/beta in packets of the deepest core queue: how many packets of queue a core's speed outweighs.
	K      *float64 `json:"k,omitempty"`
	Lambda *float64 `json:"lambda,omitempty"` // affinity
	Slots  int      `json:"slots"`
	Depths [][]int  `json:"core_queues"` // by cluster, by [[cluster.core]]
	// Bits of the design's memories and of its queues.
	MemoryBits int `json:"memory_bits"`
	QueueBits  int `json:"queue_bits"`

	Value float64 `json:"value"` // mean objective on the samples of the comparison
	Gain  float64 `json:"gain"`  // over the config as it is, a share
	// Samples are the draws or segments that Gain comes from: all of the comparison, or the first of them where the best of
	// a policy is not the best of all and runs take long. Value is then what Gain leaves of that of the config.
	Samples int `json:"samples"`
	// Interval is the 95 % confidence interval of Gain; nil: too few samples.
	Interval *[2]float64 `json:"interval,omitempty"`
	Bound    float64     `json:"over_bound,omitempty"` // makespan over its lower bound, a share

	point  point
	search float64 // mean ratio to the config in the search
}

// Result of a search.
type Result struct {
	Workload  string  `json:"workload"`
	Objective string  `json:"objective"`
	Samples   int     `json:"samples"` // draws or segments in the comparison
	Segments  bool    `json:"segments"`
	Runs      int     `json:"runs"`
	Packets   int64   `json:"packets"` // of all runs
	MinGain   float64 `json:"min_gain"`
	Config    Row     `json:"config"`
	Rows      []Row   `json:"ranking"` // best first; the best of each policy and the best of all
	Better    bool    `json:"better"`  // Rows[0] beats the config by more than noise and MinGain
	// OverBudget: the config as it is breaks the budget, so that Rows[0] takes its place whatever it gains.
	OverBudget bool   `json:"over_budget"`
	Fragment   string `json:"fragment,omitempty"`
	// SlotBits is what one more packet slot costs in bits of memory, EntryBits what one more entry of a core queue costs.
	SlotBits  float64  `json:"bits_per_slot"`
	EntryBits int      `json:"bits_per_queue_entry"`
	Skipped   int      `json:"skipped"` // candidates that no design can hold or that break the budget
	Notes     []string `json:"notes"`

	Changes Changes `json:"-"` // from the config to Rows[0]
}

// point is a candidate's settings.
type point struct {
	policy      string
	alpha, beta float64
	lambda      float64
	slots       int
	depths      [][]int // by cluster, by group
}

func (p *point) key() string { return fmt.Sprintf("%+v", *p) }

func (p *point) clone() point {
	q := *p
	q.depths = make([][]int, len(p.depths))
	for i := range p.depths {
		q.depths[i] = slices.Clone(p.depths[i])
	}
	return q
}

// kind is how a candidate is followed through a sample.
type kind int

const (
	exact kind = iota // cycle by cycle
	quick             // packet by packet, in a fraction of the time: good enough to find what is worth an exact look
)

// candidate is a point with what it takes to run it.
type candidate struct {
	row  Row
	cfg  *sched.Config
	vals [2]map[int]float64 // of each kind, by sample
	cost int                // bits
	// stopped is why a run of it did not come to its end.
	stopped error
	far     int // settings that differ from the config
	// parent is the candidate that it is a step from; nil: of the grid.
	parent *candidate
	// seen is how many samples of the search it has run on since the last stage began anew; dropped: not on all, since it
	// was behind.
	seen    int
	dropped bool
}

// size is the memory in steps of 2 %.
func (c *candidate) size() int { return int(math.Round(50 * math.Log(float64(c.cost)))) }

type tuner struct {
	ctx  context.Context
	c    *config.Config
	d    *design.Design
	w    *traffic.Workload
	o    Options
	s    samples
	res  *Result
	base *candidate
	all  map[string]*candidate // nil: can't be
	kind kind                  // of the runs of the search but the last
	lead *candidate            // the best so far
}

// Stopped is the error of a search whose context has ended.
type Stopped struct {
	Best    *Row    // the best that the search had found; nil: nothing better than the config
	Gain    float64 // of Best on the samples of the search, as a share
	Samples int     // that Gain comes from
	err     error
}

// Error says that it was stopped.
func (s *Stopped) Error() string { return "the search was stopped" }

// Unwrap is the context's error.
func (s *Stopped) Unwrap() error { return s.err }

// Run searches. Errors of the workload are those of package traffic.
func Run(ctx context.Context, c *config.Config, d *design.Design, w *traffic.Workload, o Options) (*Result, error) {
	if !slices.Contains(Objectives, o.Objective) {
		return nil, diag.Usage("unknown objective %q; %s", o.Objective, diag.Allowed(o.Objective, Objectives))
	}
	for _, p := range o.Policies {
		if !slices.Contains(policy.Names, p) {
			return nil, diag.Usage("unknown policy %q; %s", p, diag.Allowed(p, policy.Names))
		}
	}
	if o.SlotsBudget == 0 {
		o.SlotsBudget = d.Slots
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	t := &tuner{ctx: ctx, c: c, d: d, w: w, o: o, all: map[string]*candidate{}, res: &Result{
		Workload: w.String(), Objective: o.Objective, MinGain: o.MinGain, Notes: []string{}, EntryBits: d.SlotW,
	}}
	var err error
	if t.s, err = newSamples(w, d, o.Draws, o.Seed); err != nil {
		return nil, err
	}
	t.res.Samples, t.res.Segments = t.s.test(), t.s.segmented()
	t.res.Notes = append(t.res.Notes, t.s.notes...)
	t.slotCost()
	if t.base, err = t.candidate(t.asItIs()); err != nil {
		return nil, err
	}
	t.res.Config = t.base.row
	if err := t.budget(); err != nil {
		return nil, err
	}
	if t.s.packets >= quickFrom && c.Scheduler.Balancer.V != "scan" { // a scan is followed cycle by cycle always
		t.kind = quick
	}
	err = t.search()
	if cerr := ctx.Err(); cerr != nil {
		stop := &Stopped{err: cerr}
		if b := t.lead; b != nil && b.row.search < 1 {
			stop.Best, stop.Gain, stop.Samples = &b.row, 1-b.row.search, b.seen
		}
		return nil, stop
	}
	if err != nil {
		return nil, err
	}
	return t.res, nil
}

// asItIs is the point of the config.
func (t *tuner) asItIs() point {
	p := point{policy: t.d.Policy, alpha: t.d.Alpha, beta: t.d.Beta, lambda: t.d.Lambda, slots: t.d.Slots}
	for i := range t.c.Clusters {
		var ds []int
		for g := range t.c.Clusters[i].Cores {
			ds = append(ds, t.group(i, g)[0].Cap)
		}
		p.depths = append(p.depths, ds)
	}
	return p
}

// group is the cores of a [[cluster.core]].
func (t *tuner) group(cluster, g int) []*design.Core {
	at := 0
	for k := range g {
		at += t.c.Clusters[cluster].Cores[k].Count.V
	}
	return t.d.Clusters[cluster].Cores[at : at+t.c.Clusters[cluster].Cores[g].Count.V]
}

// changes are what a point changes of the config.
func (t *tuner) changes(p *point) *Changes {
	ch := &Changes{}
	if p.slots != t.d.Slots {
		ch.Design = append(ch.Design, Setting{"slots", p.slots})
	}
	other := t.d.Policy != p.policy // then its weights are written even if they are defaults
	set := func(key string, was, is any) {
		if was != is || other {
			ch.Scheduler = append(ch.Scheduler, Setting{key, is})
		}
	}
	set("policy", t.d.Policy, p.policy)
	switch p.policy {
	case "weighted":
		set("alpha", t.d.Alpha, p.alpha)
		set("beta", t.d.Beta, p.beta)
	case "affinity":
		set("lambda", t.d.Lambda, p.lambda)
	}
	for i := range p.depths {
		for g, q := range p.depths[i] {
			if q != t.queue(i, g, p.slots) {
				ch.Queues = append(ch.Queues, Queue{i, g, q})
			}
		}
	}
	return ch
}

// queue is a group's core queue as the config has it with so many slots, which bound one that it leaves out.
func (t *tuner) queue(cluster, g, slots int) int {
	if q := t.c.Clusters[cluster].Cores[g].Queue.V; q > 0 {
		return q
	}
	return design.DefaultQueue(t.fastest(cluster), t.group(cluster, g)[0].MeanCycles(), slots)
}

// errCannot is a candidate that there is no design of.
var errCannot = errors.New("no design")

// candidate elaborates a point, once. The error is errCannot if it can't be or is over the budget.
func (t *tuner) candidate(p point) (*candidate, error) {
	if p.policy != "weighted" {
		p.alpha, p.beta = t.d.Alpha, t.d.Beta
	}
	if p.policy != "affinity" {
		p.lambda = t.d.Lambda
	}
	key := p.key()
	if c, ok := t.all[key]; ok {
		if c == nil || c == t.base && t.res.OverBudget {
			return nil, errCannot
		}
		return c, nil
	}
	t.all[key] = nil
	ch := t.changes(&p)
	d, err := t.elaborate(ch)
	if errors.Is(err, errCannot) {
		return nil, errCannot
	}
	if err != nil {
		if t.base == nil {
			return nil, err
		}
		t.res.Skipped++
		return nil, errCannot
	}
	c := &candidate{vals: [2]map[int]float64{{}, {}}, cfg: sched.FromDesign(d), far: len(ch.Design) + len(ch.Scheduler) +
		len(ch.Queues)}
	c.row = Row{Policy: p.policy, Slots: p.slots, Depths: p.depths, point: p}
	c.row.MemoryBits, c.row.QueueBits = d.StoredBits()
	c.cost = c.row.MemoryBits + c.row.QueueBits
	if t.base != nil && (p.slots > t.o.SlotsBudget || t.o.MemoryBits > 0 && c.cost > t.o.MemoryBits) {
		t.res.Skipped++
		return nil, errCannot
	}
	switch p.policy {
	case "weighted":
		c.row.Alpha, c.row.Beta = &p.alpha, &p.beta
		if p.beta > 0 {
			k := p.alpha / p.beta * float64(t.deepest(&p))
			c.row.K = &k
		}
	case "affinity":
		c.row.Lambda = &p.lambda
	}
	t.all[key] = c
	return c, nil
}

// elaborate makes the design of changes; errCannot if queues that the config gives are deeper than the slots.
func (t *tuner) elaborate(ch *Changes) (*design.Design, error) {
	c := ch.Apply(t.c)
	if t.base != nil && !fits(c) {
		return nil, errCannot
	}
	return design.Elaborate(c)
}

// fits says whether queues that the config gives are within the slots.
func fits(c *config.Config) bool {
	slots := c.Design.Slots.V
	if c.Scheduler.WaitQueue.V > slots {
		return false
	}
	for i := range c.Clusters {
		if cl := &c.Clusters[i]; cl.Queue.V > slots || cl.SlotQuota.V > slots {
			return false
		}
	}
	return true
}

func (t *tuner) deepest(p *point) int {
	most := 0
	for _, ds := range p.depths {
		most = max(most, slices.Max(ds))
	}
	return most
}

// slotCost finds the memory bits of a slot.
func (t *tuner) slotCost() {
	for _, m := range t.d.Memories {
		if slotMemory(m.Name) {
			t.res.SlotBits += float64(m.Bits) / float64(t.d.Slots)
		}
	}
}

// slotMemory says whether a memory has a place for each packet slot.
func slotMemory(name string) bool {
	for _, s := range []string{"header_store.", "packet_buffer.", "wait_queue.", "desc_store", "balancer.given"} {
		if strings.Contains(name, s) {
			return true
		}
	}
	return false
}

// budget notes what the config as it is is over. If there is no design within the budget, it is an error that says what is
// the least.
func (t *tuner) budget() error {
	if t.o.MemoryBits > 0 && t.base.cost > t.o.MemoryBits {
		t.res.OverBudget = true
		t.res.Notes = append(t.res.Notes, fmt.Sprintf("the config as it is takes %d bits of memory and %d of queues, %d together, "+
			"over the budget of %d", t.base.row.MemoryBits, t.base.row.QueueBits, t.base.cost, t.o.MemoryBits))
	}
	if t.d.Slots > t.o.SlotsBudget {
		t.res.OverBudget = true
		t.res.Notes = append(t.res.Notes, fmt.Sprintf("the config as it is has %d slots, over the budget of %d", t.d.Slots,
			t.o.SlotsBudget))
	}
	if !t.res.OverBudget {
		return nil
	}
	_, slots := t.least(config.MaxSlots)
	if slots > t.o.SlotsBudget {
		return diag.Usage("-slots-budget %d: a design of this config has slots = %d at least", t.o.SlotsBudget, slots)
	}
	if bits, with := t.least(t.o.SlotsBudget); t.o.MemoryBits > 0 && bits > t.o.MemoryBits {
		return diag.Usage("-memory-bits %d: a design of this config takes at least %d bits, memories and queues together, with slots = %d",
			t.o.MemoryBits, bits, with)
	}
	return nil
}

// least is the fewest bits that a design takes which has no more than so many slots, and its slots; if there is none, the
// slots are above the limit.
func (t *tuner) least(most int) (bits, slots int) {
	bits, slots = math.MaxInt, most+1
	for _, s := range t.slotSteps() {
		for _, name := range t.policies() {
			p := t.shallow(s)
			p.policy = name
			if s > most {
				continue
			}
			d, err := t.elaborate(t.changes(&p))
			if err != nil {
				continue
			}
			if m, q := d.StoredBits(); m+q < bits {
				bits, slots = m+q, s
			}
		}
	}
	return bits, slots
}

// run runs candidates on samples that they have not been run on.
func (t *tuner) run(stage string, cs []*candidate, as kind, from, to int) error {
	type task struct {
		c *candidate
		i int
	}
	var tasks []task
	seen := map[*candidate]bool{}
	for _, c := range append([]*candidate{t.base}, cs...) {
		if seen[c] {
			continue
		}
		seen[c] = true
		for i := from; i < to; i++ {
			if _, ok := c.vals[as][i]; !ok {
				tasks = append(tasks, task{c, i})
			}
		}
	}
	if len(tasks) == 0 {
		return nil
	}
	var (
		mu    sync.Mutex
		wg    sync.WaitGroup
		first error
		next  int
		done  int
	)
	for range min(t.o.Workers, len(tasks)) {
		wg.Go(func() {
			for {
				mu.Lock()
				k := next
				next++
				stop := first != nil || k >= len(tasks)
				mu.Unlock()
				if stop {
					return
				}
				x := tasks[k]
				v, n, err := t.evaluate(x.c, as, x.i)
				mu.Lock()
				x.c.vals[as][x.i] = v
				var halt *stopError
				if errors.As(err, &halt) {
					x.c.stopped, err = halt, nil
				}
				if err == nil {
					err = t.ctx.Err()
				}
				if err != nil && first == nil {
					first = err
				}
				t.res.Runs++
				t.res.Packets += n
				done++
				if t.o.Progress != nil {
					t.o.Progress(stage, done, len(tasks))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return first
}

// stopError is why a candidate's run did not come to its end: such a design is none.
type stopError struct{ error }

// evaluate is the objective of a candidate on a sample.
func (t *tuner) evaluate(c *candidate, as kind, i int) (value float64, packets int64, err error) {
	src, err := t.s.open(i)
	if err != nil {
		return 0, 0, err
	}
	defer src.Close()
	cfg := *c.cfg
	cfg.Fast = as == quick
	r, err := sched.Run(&cfg, src)
	if err != nil && (c == t.base || src.Err() != nil) {
		return 0, 0, fmt.Errorf("%s: %w", t.w, err)
	}
	if err != nil {
		return math.Inf(1), 0, &stopError{err}
	}
	switch t.o.Objective {
	case "mean":
		value = r.Response.Mean()
	case "p99":
		value = float64(r.Response.Quantile(0.99))
	default:
		value = float64(r.Makespan)
	}
	return value, r.Packets, nil
}

// ratio is a candidate's mean objective over that of the config, pair by pair, on the samples that it has seen.
func (t *tuner) ratio(c *candidate, as kind) float64 {
	sum := 0.0
	for i := range c.seen {
		sum += c.vals[as][i] / t.base.vals[as][i]
	}
	return sum / float64(c.seen)
}

// rank sorts candidates by their ratio, those behind that were dropped; between those within tie of each other less memory
// decides, by steps of 2 %, then fewer changes.
func (t *tuner) rank(cs []*candidate, as kind) {
	dropped := func(c *candidate) int {
		if c.dropped {
			return 1
		}
		return 0
	}
	for _, c := range cs {
		c.row.search = t.ratio(c, as)
	}
	slices.SortStableFunc(cs, func(a, b *candidate) int {
		return cmp.Or(dropped(a)-dropped(b), cmp.Compare(math.Round(a.row.search/tie), math.Round(b.row.search/tie)),
			a.size()-b.size(), a.far-b.far, cmp.Compare(a.row.search, b.row.search),
			strings.Compare(a.row.point.key(), b.row.point.key()))
	})
	if len(cs) > 0 {
		t.lead = cs[0]
	}
}
