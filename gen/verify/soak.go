// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"runtime"
	"slices"
	"strings"
	"sync"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/regmap"
	"hwgen/gen/sim"
	"hwgen/gen/workload"
)

// SoakOptions of Soak.
type SoakOptions struct {
	Packets int // frames accepted, over all designs
	Seed    int64
	Designs []string // of SoakDesigns; nil: all
	Workers int      // segments at a time; 0: as many as there are processors
	State   string   // file that remembers what is done; "": none
	Quick   bool     // compile for short runs
	// Progress is told of each segment that is done.
	Progress func(done, total int)
	Note     func(format string, args ...any)
	// change, by tests alone, changes what is generated.
	change func(files map[string][]byte)
}

// SoakCounts is what was sent and what came back.
type SoakCounts struct {
	Segments  int    `json:"segments"`
	Cycles    uint64 `json:"cycles"`
	Accepted  int    `json:"accepted"` // frames of which a beat was accepted
	Returned  int    `json:"returned"`
	Excluded  int    `json:"excluded"` // in flight at a reset
	Clears    int    `json:"clears"`
	Resets    int    `json:"resets"`
	Writes    int    `json:"table_writes"`
	Loads     int    `json:"key_loads"` // that succeeded, erasures too
	Aborts    int    `json:"aborts"`    // likewise
	Registers int    `json:"registers"` // written: cores drained, taken back, given another capacity, weights
	// Statuses are results by status.
	Statuses [workload.OverQuota + 1]int `json:"statuses"`
}

func (c *SoakCounts) add(o *SoakCounts) {
	c.Segments += o.Segments
	c.Cycles += o.Cycles
	c.Accepted += o.Accepted
	c.Returned += o.Returned
	c.Excluded += o.Excluded
	c.Clears += o.Clears
	c.Resets += o.Resets
	c.Writes += o.Writes
	c.Loads += o.Loads
	c.Aborts += o.Aborts
	c.Registers += o.Registers
	for i, n := range o.Statuses {
		c.Statuses[i] += n
	}
}

// SoakRow is a design of the soak test.
type SoakRow struct {
	Design string `json:"design"`
	SoakCounts
	Errors []string `json:"errors,omitempty"`
}

// SoakReport is what a soak test found.
type SoakReport struct {
	Seed  int64      `json:"seed"`
	OK    bool       `json:"ok"`
	Rows  []*SoakRow `json:"rows"`
	Total SoakCounts `json:"total"`
}

// segment of a soak test, as the state file has it.
type segment struct {
	Number int    `json:"segment"`
	Design string `json:"design"`
	SoakCounts
	Errors []string `json:"errors,omitempty"`
}

const (
	segmentCuts   = 6   // clears and resets of a segment
	segmentFrames = 600 // frames between two of them, on average
)

// Soak sends random frames of all kinds into the soak designs, segment by segment, under random stalls, with tables
// written and clears and resets at random moments, and checks every answer and, in every cycle, the counters. It stops at
// the first segment that finds an error. The error is of what could not be tried.
func Soak(ctx context.Context, o SoakOptions) (*SoakReport, error) {
	if o.Workers == 0 {
		o.Workers = runtime.NumCPU()
	}
	if o.Note == nil {
		o.Note = func(string, ...any) {}
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	rep := &SoakReport{Seed: o.Seed, OK: true}
	s := &soak{o: o}
	for _, x := range soakDesigns() {
		if o.Designs == nil || slices.Contains(o.Designs, x.name) {
			s.designs = append(s.designs, x)
			rep.Rows = append(rep.Rows, &SoakRow{Design: x.name})
		}
	}
	if len(s.designs) == 0 {
		return nil, fmt.Errorf("no soak design among %v", o.Designs)
	}
	s.sims = make([]*sim.Simulator, len(s.designs))
	done := map[int]bool{}
	take := func(g *segment) {
		row := rep.Rows[g.Number%len(rep.Rows)]
		row.add(&g.SoakCounts)
		row.Errors = append(row.Errors, g.Errors...)
		rep.Total.add(&g.SoakCounts)
		rep.OK = rep.OK && len(g.Errors) == 0
		done[g.Number] = true
	}
	run := struct {
		Soak    int64    `json:"soak_seed"`
		Designs []string `json:"designs"`
	}{o.Seed, nil}
	for _, x := range s.designs {
		run.Designs = append(run.Designs, x.name)
	}
	j, err := openJournal(o.State, run, func(line []byte) error {
		var g segment
		if err := json.Unmarshal(line, &g); err != nil {
			return err
		}
		if g.Number < 0 || done[g.Number] || g.Design != s.designs[g.Number%len(s.designs)].name {
			return fmt.Errorf("no segment of this run: %s", line)
		}
		take(&g)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if n := rep.Total.Segments; n > 0 {
		o.Note("%s: %d segments are done, %d packets", o.State, n, rep.Total.Accepted)
	}
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		next int
		fail error
	)
	for range o.Workers {
		wg.Go(func() {
			for {
				mu.Lock()
				for done[next] {
					next++
				}
				n := next
				next++
				stop := fail != nil || ctx.Err() != nil || !rep.OK || rep.Total.Accepted >= o.Packets
				mu.Unlock()
				if stop {
					return
				}
				g, err := s.segment(ctx, n)
				mu.Lock()
				if err == nil {
					take(g)
					err = j.add(g)
					o.Progress(min(rep.Total.Accepted, o.Packets), o.Packets)
				}
				fail = errors.Join(fail, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		fail = ctx.Err()
	}
	return rep, errors.Join(fail, j.close())
}

type soak struct {
	o       SoakOptions
	designs []soakDesign
	mu      sync.Mutex
	sims    []*sim.Simulator
}

// simulator builds that of a design, once.
func (s *soak) simulator(ctx context.Context, i int) (*sim.Simulator, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sims[i] != nil {
		return s.sims[i], nil
	}
	d, files, err := s.designs[i].load()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.designs[i].name, err)
	}
	if s.o.change != nil {
		s.o.change(files)
	}
	s.sims[i], err = sim.Build(ctx, d, files, sim.Options{Quick: s.o.Quick, Unknowns: true, Note: s.o.Note})
	return s.sims[i], err
}

// segment runs one: what it sends depends on its number and the seed alone.
func (s *soak) segment(ctx context.Context, n int) (*segment, error) {
	i := n % len(s.designs)
	simu, err := s.simulator(ctx, i)
	if err != nil {
		return nil, err
	}
	g := &segment{Number: n, Design: s.designs[i].name, SoakCounts: SoakCounts{Segments: 1}}
	seed := s.o.Seed*1_000_003 + int64(n)
	say := func(errs []string) {
		for _, e := range clip(errs) {
			g.Errors = append(g.Errors, fmt.Sprintf("segment %d: %s", n, e))
		}
	}
	st, err := soakStimulus(simu.D, seed)
	if err != nil {
		return nil, err
	}
	o, err := simu.RunFiles(ctx, st, "", "")
	if err != nil {
		return nil, err
	}
	say(workload.CheckRun(simu.D, st, o))
	say(g.count(st, o))
	for c := range simu.D.Clusters {
		q := newQuotaTest(simu.D, c, seed)
		if q == nil {
			continue
		}
		o, err := simu.RunFiles(ctx, q.st, "", "")
		if err != nil {
			return nil, err
		}
		say(q.check(o))
		say(g.count(q.st, o))
	}
	return g, nil
}

// count adds up a run, and checks that each frame accepted was returned or in flight at a reset.
func (g *segment) count(st *workload.Stimulus, o *workload.Outcome) []string {
	accepted := 0
	for _, s := range o.Sent {
		if s.Begun {
			accepted++
		}
	}
	excluded := int(o.Counters.GivenUp)
	g.Cycles += o.Counters.Cycles
	g.Accepted += accepted
	g.Returned += len(o.Results)
	g.Excluded += excluded
	g.Writes += len(st.Cfg)
	for i, e := range st.Events {
		if o.Events[i] == 0 {
			continue
		}
		switch e.Kind {
		case workload.EventClear:
			g.Clears++
		case workload.EventReset:
			g.Resets++
		}
	}
	for _, a := range o.Bus {
		if a.Done && a.Resp == 0 {
			g.Registers++
		}
	}
	for i := range o.Results {
		h := o.Results[i].Header()
		if int(h.Status) < len(g.Statuses) {
			g.Statuses[h.Status]++
		}
		if h.Status == uint8(workload.OK) {
			switch h.Cmd {
			case cipher.LoadKey:
				g.Loads++
			case cipher.Abort:
				g.Aborts++
			}
		}
	}
	if accepted != len(o.Results)+excluded {
		return []string{fmt.Sprintf("%d frames accepted, %d returned, %d excluded by a reset", accepted, len(o.Results), excluded)}
	}
	return nil
}

// soakStimulus is the traffic of a segment.
func soakStimulus(d *design.Design, seed int64) (*workload.Stimulus, error) {
	g := workload.NewFrameGen(d, seed)
	for range segmentCuts {
		g.Restart()
		first := len(g.Frames)
		g.LoadAll()
		g.RandomFrames(segmentFrames/2 + g.Rng.Intn(segmentFrames))
		kind := workload.EventReset
		if g.Rng.Intn(2) == 0 {
			kind = workload.EventClear
		}
		g.Events = append(g.Events, randomCut(g, kind, len(g.Frames)-1-g.Rng.Intn(min(60, len(g.Frames)-first))))
	}
	g.Restart()
	g.LoadAll()
	g.RandomFrames(segmentFrames)
	s := g.Stimulus(seed)
	r := g.Rng
	pick := func(p ...float64) float64 { return p[r.Intn(len(p))] }
	s.Gap = pick(0, 0, 0.05, 0.3, 0.7)
	s.Stall = pick(0, 0, 0.05, 0.3, 0.7)
	if r.Intn(3) == 0 {
		s.LongStall, s.LongLength = pick(0.0002, 0.001), 50+r.Intn(500)
	}
	if r.Intn(2) == 0 {
		s.Cfg = TableWrites(d, seed, 10*len(s.Frames))
	}
	if d.Axil {
		var err error
		if s.Bus, err = registerWrites(d, r, 10*len(s.Frames)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// ctrlCommit is the bit of register GLOBAL.CTRL that puts the weights written into effect.
const ctrlCommit = 1

// registerWrites are writes of registers at random moments of a run of some cycles, that drain cores, put them back to work,
// change their capacity, and set weights and put them into effect. Those that would leave a command without a core are
// refused.
func registerWrites(d *design.Design, r *rand.Rand, cycles int) ([]workload.BusAccess, error) {
	m, err := regmap.Build(d, "soak", "")
	if err != nil {
		return nil, err
	}
	var l []workload.BusAccess
	write := func(k regmap.Kind, c, elem int, name string, word int, data uint64) {
		addr, aerr := m.Addr(k, c, elem, name)
		err = errors.Join(err, aerr)
		l = append(l, workload.BusAccess{At: uint64(1 + r.Intn(cycles)), Write: true, Strobes: 15,
			Addr: addr + 4*uint32(word), Data: uint32(data)})
	}
	for range 20 + r.Intn(100) {
		c := r.Intn(len(d.Clusters))
		core, op := r.Intn(d.Clusters[c].NumCores), r.Intn(design.NumOps)
		info := &m.Clusters[c]
		switch n := r.Intn(8); {
		case n < 2:
			write(regmap.Core, c, core, "CAP", 0, uint64(1+r.Intn(d.Clusters[c].Cores[core].Cap)))
		case n < 5 || !info.Tables:
			write(regmap.Core, c, core, "CTRL", 0, uint64(r.Intn(2)))
		case n == 5:
			write(regmap.Weights, c, core, "BASE", op, uint64(r.Int63n(int64(info.BaseMax)+1)))
		case n == 6:
			write(regmap.Weights, c, core, "INC", op, uint64(r.Int63n(int64(info.IncMax[core])+1)))
		default:
			write(regmap.Global, -1, 0, "CTRL", 0, ctrlCommit)
		}
	}
	slices.SortStableFunc(l, func(a, b workload.BusAccess) int { return cmp.Compare(a.At, b.At) })
	return l, err
}

// randomCut is a clear or a reset at a random moment around frame at, mostly while it is half received.
func randomCut(g *workload.FrameGen, kind workload.EventKind, at int) workload.Event {
	f := &g.Frames[at]
	beats := len(f.Beats)
	if f.Beats == nil {
		beats = len(workload.Beatify(f.Bytes, g.D.KeepW))
	}
	e := workload.Event{Kind: kind, Frame: at, Beat: g.Rng.Intn(beats), Length: 1, SkipTo: len(g.Frames)}
	switch g.Rng.Intn(6) { // else while the frame is half received
	case 0:
		e.Delay = g.Rng.Intn(10)
	case 1:
		e.Delay = g.Rng.Intn(400)
	case 2:
		e.Beat = beats - 1
	}
	switch g.Rng.Intn(12) {
	case 0: // longer than the sweep of the memories
		e.Length = 1 + g.Rng.Intn(1000)
	case 1, 2, 3:
		e.Length = 1 + g.Rng.Intn(40)
	}
	return e
}

// Table is the report as text.
func (r *SoakReport) Table() string {
	var b strings.Builder
	row := func(name string, c *SoakCounts) {
		fmt.Fprintf(&b, "%-11s %8d %11d %10d %10d %8d %7d %7d %8d %8d %8d %8d\n", name, c.Segments, c.Cycles, c.Accepted, c.Returned,
			c.Excluded, c.Clears, c.Resets, c.Loads, c.Aborts, c.Writes, c.Registers)
	}
	fmt.Fprintf(&b, "%-11s %8s %11s %10s %10s %8s %7s %7s %8s %8s %8s %8s\n", "design", "segments", "cycles", "accepted", "returned",
		"excluded", "clears", "resets", "loads", "aborts", "tables", "registers")
	for _, x := range r.Rows {
		row(x.Design, &x.SoakCounts)
		for _, e := range x.Errors {
			fmt.Fprintf(&b, "    %s\n", e)
		}
	}
	row("total", &r.Total)
	b.WriteString("\n")
	for i, n := range r.Total.Statuses {
		fmt.Fprintf(&b, "%-17s %10d\n", workload.Status(i), n)
	}
	return b.String()
}
