// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"hwgen/gen/design"
	"hwgen/gen/sched"
	"hwgen/gen/sim"
	"hwgen/gen/traffic"
	"hwgen/gen/verify"
	"hwgen/gen/workload"
)

// trial is a run of the bench: a stimulus, and what checks its results.
type trial struct {
	name   string
	long   bool // for mutants that the others do not find
	stim   *workload.Stimulus
	timed  []int64              // the cycle of the last beat of each job's result in order, by the model in gen/sched; nil: not compared
	loads  func(frame int) bool // with timed: frames that the model does not report
	check  func(*workload.Outcome) []string
	once   sync.Once
	golden *workload.Outcome // of the netlist without a mutant
	broken error             // it fails
}

// reference runs the trial, once, on the netlist without a mutant: all has to be right.
func (t *trial) reference(ctx context.Context, s *sim.Simulator) error {
	t.once.Do(func() {
		o, by, found, err := t.run(ctx, s)
		if err == nil && found != "" {
			err = fmt.Errorf("%s: the unchanged netlist of %s fails (%s): %s", t.name, s.D.Name, by, found)
		}
		t.golden, t.broken = o, err
	})
	return t.broken
}

// watchdog ends a run without progress: more than the longest stall.
const watchdog = 6000

// trials are the runs that a mutant goes through until one finds it, quick ones first.
func trials(d *design.Design, packets int, seed int64, stage int) ([]*trial, error) {
	var l []*trial
	jobs := func(name string, core int, tune func(*workload.Stimulus)) error {
		seed++
		js := workload.RandomJobs(d, packets, seed)
		p, err := workload.NewPlan(d, js)
		if err != nil {
			return err
		}
		st := p.Stimulus(d)
		st.Seed, st.Watchdog = seed, watchdog
		tune(st)
		st.Cfg = verify.TableWrites(d, seed, 10*len(p.Frames))
		if core >= 0 {
			name += fmt.Sprintf(", for core %d", core)
			st.Cfg = verify.Steer(d, core, seed, 40*len(p.Frames))
		}
		l = append(l, &trial{name: name, stim: st, check: checkJobs(d, p, js)})
		return nil
	}
	frames := func(name string, kind workload.EventKind, tune func(*workload.Stimulus)) {
		seed++
		g := workload.NewFrameGen(d, seed)
		n := max(40, packets/4)
		for range 4 {
			g.Restart()
			g.LoadAll()
			first := len(g.Frames)
			g.RandomFrames(n)
			e := workload.Event{
				Kind: kind, Frame: first + g.Rng.Intn(n), Delay: g.Rng.Intn(60), Length: 1 + g.Rng.Intn(6), SkipTo: len(g.Frames),
			}
			if g.Rng.Intn(2) == 0 { // while a frame is half received
				e.Delay = 0
			}
			g.Events = append(g.Events, e)
		}
		g.Restart()
		g.LoadAll()
		g.RandomFrames(n)
		st := g.Stimulus(seed)
		st.Watchdog = watchdog
		tune(st)
		st.Cfg = verify.TableWrites(d, seed, 10*len(g.Frames))
		l = append(l, &trial{name: name, stim: st, check: func(o *workload.Outcome) []string {
			return workload.CheckRun(d, st, o)
		}})
	}
	none := func(*workload.Stimulus) {}
	slow := func(s *workload.Stimulus) { s.Gap = 0.9 }
	held := func(s *workload.Stimulus) { s.Stall, s.LongStall, s.LongLength = 0.85, 0.001, 2000 }

	if err := jobs("jobs", -1, none); err != nil {
		return nil, err
	}
	for i, w := range modelWorkloads[stage] {
		t, err := modelTrial(d, fmt.Sprintf("%s,packets=%d,seed=%d", w, packets, seed+int64(i)), seed)
		if err != nil {
			return nil, err
		}
		l = append(l, t)
	}
	frames("frames, clear", workload.EventClear, verify.Stalls)
	if err := jobs("jobs, stalls", -1, verify.Stalls); err != nil {
		return nil, err
	}
	frames("frames, reset", workload.EventReset, none)
	if stage == 0 {
		return l, nil
	}
	// the slow cores are hardly used by themselves
	most := 0
	for _, c := range d.Clusters {
		most = max(most, c.NumCores)
	}
	for core := range most {
		for _, t := range []struct {
			name string
			tune func(*workload.Stimulus)
		}{{"jobs", none}, {"jobs, results held", held}} {
			if err := jobs(t.name, core, t.tune); err != nil {
				return nil, err
			}
		}
	}
	directed := func(c *workload.Case, cl, core int) {
		seed++
		x := workload.NewScript(workload.NewFrameGen(d, seed), cl)
		c.Build(x)
		st := x.Stimulus(seed)
		st.Watchdog = watchdog
		name := "directed: " + c.Name
		if core >= 0 {
			name += fmt.Sprintf(", for core %d", core)
			st.Cfg = verify.Steer(d, core, seed, 0)
		}
		errs := x.Errs
		l = append(l, &trial{name: name, stim: st, check: func(o *workload.Outcome) []string {
			return append(slices.Clone(errs), workload.CheckRun(d, st, o)...)
		}})
	}
	cases := workload.Cases()
	for i := range cases {
		for cl, c := range d.Clusters {
			if !cases[i].Lane {
				directed(&cases[i], cl, -1)
				continue
			}
			for core := range c.NumCores {
				directed(&cases[i], cl, core)
			}
		}
	}
	frames("frames, clear, no stalls", workload.EventClear, none)
	frames("frames, clear, results held", workload.EventClear, held)
	for _, t := range []struct {
		name string
		tune func(*workload.Stimulus)
	}{{"jobs, stream slow", slow}, {"jobs, results held", held}} {
		if err := jobs(t.name, -1, t.tune); err != nil {
			return nil, err
		}
	}
	// for what takes two lanes in one cycle
	t, err := modelTrial(d, fmt.Sprintf("saturated:chained=1,job=2-12,packets=%d,seed=%d", 10*packets, seed), seed)
	if err != nil {
		return nil, err
	}
	return append(l, t), nil
}

// run runs a trial on a simulator; found says what is wrong with the mutant, by which check saw it.
func (t *trial) run(ctx context.Context, s *sim.Simulator) (o *workload.Outcome, by, found string, err error) {
	dir, err := os.MkdirTemp("", "hwgen-mutant-")
	if err != nil {
		return nil, "", "", err
	}
	defer os.RemoveAll(dir)
	raw := filepath.Join(dir, "raw")
	if o, err = s.RunFiles(ctx, t.stim, raw, ""); err != nil {
		return nil, "", "", err
	}
	if len(o.Violations) > 0 {
		return o, "monitors", o.Violations[0], nil
	}
	if bad := t.check(o); len(bad) > 0 {
		return o, "results", bad[0], nil
	}
	if bad := t.late(o); bad != "" {
		return o, "model", bad, nil
	}
	rep, err := verify.ReplayRaw(s.D, t.stim, o, raw)
	if err != nil {
		return o, "trace", err.Error(), nil //nolint:nilerr // a trace that can't be read is the mutant's
	}
	if !rep.OK() {
		return o, "replay", rep.First[0].String(), nil
	}
	if t.golden != nil {
		if s := differs(t.golden, o); s != "" {
			return o, "cycles", s, nil
		}
	}
	return o, "", "", nil
}

// differs says where the streams of two runs with right results differ: in their cycles.
func differs(a, b *workload.Outcome) string {
	for i := range a.Sent {
		if a.Sent[i] != b.Sent[i] {
			return fmt.Sprintf("frame %d is taken in cycles %d to %d, not %d to %d", i, b.Sent[i].First, b.Sent[i].Last,
				a.Sent[i].First, a.Sent[i].Last)
		}
	}
	for i := range min(len(a.Results), len(b.Results)) {
		x, y := &a.Results[i], &b.Results[i]
		if x.Frame != y.Frame || x.First != y.First || x.Last != y.Last {
			return fmt.Sprintf("result %d is of frame %d in cycles %d to %d, not of %d in %d to %d", i, y.Frame, y.First, y.Last,
				x.Frame, x.First, x.Last)
		}
		if string(x.Bytes) != string(y.Bytes) {
			return fmt.Sprintf("result %d, of frame %d, has other bytes", i, y.Frame)
		}
	}
	if a.Counters.Cycles != b.Counters.Cycles {
		return fmt.Sprintf("the run takes %d cycles, not %d", b.Counters.Cycles, a.Counters.Cycles)
	}
	return ""
}

// modelWorkloads are those of the runs that are compared with the model, in short and in long form: without stalls and
// without table writes, which it does not know, and without key loads behind the first ones.
var modelWorkloads = [2][]string{
	{"saturated:chained=0.5", "poisson:load=0.8,chained=0.5"},
	{"saturated:chained=1,job=1-30", "saturated:length=16/32", "bursty:load=0.7", "spaced:load=0.3"},
}

// checkJobs compares every result of jobs with the reference ciphers, and the streams with their rules.
func checkJobs(d *design.Design, p *workload.Plan, js []workload.Job) func(*workload.Outcome) []string {
	return func(o *workload.Outcome) []string {
		bad := p.CheckOutcome(d, o)
		if o.Counters.IdleInResult > 0 {
			bad = append(bad, fmt.Sprintf("%d idle beats inside results", o.Counters.IdleInResult))
		}
		if len(bad) > 0 {
			return bad
		}
		rs, err := p.Join(o)
		if err != nil {
			return append(bad, err.Error())
		}
		return append(bad, workload.CheckJobs(d, js, rs)...)
	}
}

// modelTrial is a run in which each result has to leave in the very cycle that the model foretells.
func modelTrial(d *design.Design, spec string, seed int64) (*trial, error) {
	js, err := traffic.Jobs(spec, d, uint64(seed))
	if err != nil {
		return nil, err
	}
	p, err := workload.NewPlan(d, js)
	if err != nil {
		return nil, err
	}
	t := &trial{name: spec, stim: p.Stimulus(d)}
	t.stim.Watchdog = watchdog
	cfg := sched.FromDesign(d)
	cfg.Observe = func(c sched.Completion) { t.timed = append(t.timed, c.Result) }
	if _, err := sched.Run(cfg, traffic.Frames(p)); err != nil {
		return nil, err
	}
	t.check = checkJobs(d, p, js)
	t.loads = func(frame int) bool { return p.Frames[frame].Job < 0 }
	return t, nil
}

// late says which result leaves in another cycle than the model's.
func (t *trial) late(o *workload.Outcome) string {
	if t.timed == nil {
		return ""
	}
	n := 0
	for i := range o.Results {
		r := &o.Results[i]
		if r.Frame < 0 || t.loads(r.Frame) {
			continue
		}
		if n >= len(t.timed) || int64(r.Last) != t.timed[n] {
			return fmt.Sprintf("result %d, of frame %d, ends in cycle %d; the model says %d", n, r.Frame, r.Last, t.timed[min(n, len(t.timed)-1)])
		}
		n++
	}
	return ""
}
