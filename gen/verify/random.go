// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"hwgen/gen/sim"
	"hwgen/gen/tool"
	"hwgen/gen/workload"
)

// RandomOptions of RandomDesigns.
type RandomOptions struct {
	Seed    int64 // of the first design; the next has the next
	Count   int
	Lint    bool   // lint alone, no simulation; without Yosys's pass check and Verilator's search for loops
	Small   bool   // pass over seeds of large designs
	Workers int    // batches at a time; 0: as many as there are processors
	State   string // file that remembers which seeds are done; "": none
	// Progress is told of each batch that is done.
	Progress func(done, total int)
	Note     func(format string, args ...any)
	// change, by tests alone, changes what is generated for a seed.
	change func(seed int64, files map[string][]byte)
}

// load is the design of a seed.
func (o *RandomOptions) load(seed int64, name string, render bool) (*RandomDesign, error) {
	d, err := loadRandom(seed, name, render)
	if err == nil && o.change != nil && d.Files != nil {
		o.change(seed, d.Files)
	}
	return d, err
}

// RandomResult is what was found about the design of a seed.
type RandomResult struct {
	Seed     int64    `json:"seed"`
	Clusters int      `json:"clusters"`
	Cores    int      `json:"cores"`
	Jobs     int      `json:"jobs"`
	Frames   int      `json:"frames"`
	Cycles   uint64   `json:"cycles"`
	Errors   []string `json:"errors,omitempty"`
}

// RandomReport is what a run over random designs found.
type RandomReport struct {
	Seed    int64           `json:"seed"`
	Count   int             `json:"count"`
	OK      bool            `json:"ok"`
	Done    int             `json:"done"`
	Jobs    int             `json:"jobs"`
	Frames  int             `json:"frames"`
	Cycles  uint64          `json:"cycles"`
	Cores   int             `json:"cores"`
	Largest int             `json:"largest"` // cores of the largest design
	Failed  []*RandomResult `json:"failed"`
}

const (
	randomBatch  = 10 // designs linted together
	randomJobs   = 500
	randomFrames = 300
)

// RandomDesigns generates the designs of seeds one after the other, lints them in three tools, and runs random jobs and
// frames on each. The error is of what could not be tried.
func RandomDesigns(ctx context.Context, o RandomOptions) (*RandomReport, error) {
	if o.Workers == 0 {
		o.Workers = runtime.NumCPU()
	}
	if o.Note == nil {
		o.Note = func(string, ...any) {}
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	need := []tool.Tool{tool.Icarus, tool.Verilator, tool.Yosys}
	if !o.Lint {
		need = append(need, tool.Compiler, tool.Make)
	}
	if err := tool.Need(need...); err != nil {
		return nil, err
	}
	rep := &RandomReport{Seed: o.Seed, Count: o.Count, OK: true}
	done := map[int64]bool{}
	take := func(r *RandomResult) {
		done[r.Seed] = true
		rep.Done++
		rep.Jobs += r.Jobs
		rep.Frames += r.Frames
		rep.Cycles += r.Cycles
		rep.Cores += r.Cores
		rep.Largest = max(rep.Largest, r.Cores)
		if len(r.Errors) > 0 {
			rep.OK = false
			rep.Failed = append(rep.Failed, r)
		}
	}
	run := struct {
		Jobs     int  `json:"random_designs_of_jobs"`
		LintOnly bool `json:"lint_only"`
		Small    bool `json:"small"`
	}{randomJobs, o.Lint, o.Small}
	j, err := openJournal(o.State, run, func(line []byte) error {
		var r RandomResult
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		// one that failed is tried again: that is what one mends it for
		if !done[r.Seed] && len(r.Errors) == 0 && r.Seed >= o.Seed && (o.Small || r.Seed < o.Seed+int64(o.Count)) {
			take(&r)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if rep.Done > 0 {
		o.Note("%s: %d of %d designs are done", o.State, rep.Done, o.Count)
	}
	var batches [][]int64
	for s, n := o.Seed, 0; n < o.Count; s++ {
		if o.Small && !smallDesign(s) {
			continue
		}
		n++
		if done[s] {
			continue
		}
		if n := len(batches); n > 0 && len(batches[n-1]) < randomBatch {
			batches[n-1] = append(batches[n-1], s)
		} else {
			batches = append(batches, []int64{s})
		}
	}
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		next int
		fail error
	)
	one := func(r *RandomResult, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			take(r)
			err = j.add(r)
			o.Progress(rep.Done, o.Count)
		}
		fail = errors.Join(fail, err)
	}
	for range o.Workers {
		wg.Go(func() {
			for {
				mu.Lock()
				n := next
				next++
				stop := fail != nil || ctx.Err() != nil || n >= len(batches)
				mu.Unlock()
				if stop {
					return
				}
				o.batch(ctx, batches[n], one)
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		fail = ctx.Err()
	}
	return rep, errors.Join(fail, j.close())
}

// smallDesign says whether the design of a seed takes little time in the tools.
func smallDesign(seed int64) bool {
	d, err := loadRandom(seed, "", false)
	if err != nil {
		return true // the error shows where it is done
	}
	cores := 0
	for _, c := range d.Design.Clusters {
		cores += c.NumCores
	}
	return cores <= 3 && len(d.Design.Clusters) <= 2 && d.Design.Slots*d.Design.PktBytes <= 4096
}

// batch does some seeds: lint together, then each simulation.
func (o *RandomOptions) batch(ctx context.Context, seeds []int64, each func(*RandomResult, error)) {
	lint, err := o.lint(ctx, seeds)
	for i, seed := range seeds {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			each(nil, err)
			return
		}
		r := &RandomResult{Seed: seed, Errors: lint[i]}
		d, derr := o.load(seed, "", !o.Lint)
		if derr != nil {
			r.Errors = append(r.Errors, derr.Error())
		} else {
			r.Clusters = len(d.Design.Clusters)
			for _, c := range d.Design.Clusters {
				r.Cores += c.NumCores
			}
			if !o.Lint && len(r.Errors) == 0 {
				err = r.simulate(ctx, d)
			}
		}
		each(r, err)
	}
}

// simulate runs random jobs, half of them under stalls, random frames that a clear and a reset cut off while registers are
// written, and what fills quotas.
func (r *RandomResult) simulate(ctx context.Context, d *RandomDesign) error {
	s, err := sim.Build(ctx, d.Design, d.Files, sim.Options{Quick: true, Unknowns: true, Lint: true})
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		r.Errors = append(r.Errors, err.Error())
		return nil
	}
	x := &run{Options: Options{Design: d.Design, Seed: d.Seed}, ctx: ctx, simu: s}
	say := func(what string, errs []string) {
		for _, e := range clip(errs) {
			r.Errors = append(r.Errors, what+": "+e)
		}
	}
	for i, tune := range []func(*workload.Stimulus){nil, Stalls} {
		jobs := workload.RandomJobCount(d.Design, randomJobs/2, d.Seed*2+int64(i))
		errs, c, err := x.check(jobs, tune)
		if err != nil {
			return err
		}
		r.Jobs += len(jobs)
		r.Cycles += c.Cycles
		say("jobs", errs)
	}
	g := workload.NewFrameGen(d.Design, d.Seed)
	for _, kind := range []workload.EventKind{workload.EventClear, workload.EventReset} {
		g.Restart()
		g.LoadAll()
		first := len(g.Frames)
		g.RandomFrames(randomFrames / 3)
		g.Events = append(g.Events, randomCut(g, kind, first+g.Rng.Intn(randomFrames/3)))
	}
	g.Restart()
	g.LoadAll()
	g.RandomFrames(randomFrames / 3)
	st := g.Stimulus(d.Seed)
	Stalls(st)
	st.Cfg = TableWrites(d.Design, d.Seed, 10*len(st.Frames))
	if d.Design.Axil {
		if st.Bus, err = registerWrites(d.Design, g.Rng, 10*len(st.Frames)); err != nil {
			return err
		}
	}
	o, err := s.RunFiles(ctx, st, "", "")
	if err != nil {
		return err
	}
	for i := range o.Sent {
		if o.Sent[i].Begun {
			r.Frames++
		}
	}
	r.Cycles += o.Counters.Cycles
	say("frames", workload.CheckRun(d.Design, st, o))
	var quota Step
	err = x.quota(&quota)
	r.Frames += quota.Count
	say("quota", quota.Errors)
	return err
}

// Table is the report as text, with each design that failed and how to repeat it.
func (r *RandomReport) Table() string {
	var b strings.Builder
	for _, f := range r.Failed {
		fmt.Fprintf(&b, "seed %d:\n", f.Seed)
		for _, e := range f.Errors {
			fmt.Fprintf(&b, "    %s\n", strings.ReplaceAll(e, "\n", "\n    "))
		}
		if d, err := NewRandomDesign(f.Seed); err == nil || d != nil {
			fmt.Fprintf(&b, "  its config:\n    %s\n", strings.ReplaceAll(strings.TrimSpace(d.Text), "\n", "\n    "))
		}
		fmt.Fprintf(&b, "  again: hwgen fuzz-designs -seed %d -count 1; its files: hwgen fuzz-designs -seed %d -out DIR\n\n",
			f.Seed, f.Seed)
	}
	fmt.Fprintf(&b, "%d of %d designs, seeds from %d: %d failed; %d cores, at most %d a design; %d jobs, %d frames, %d cycles\n",
		r.Done, r.Count, r.Seed, len(r.Failed), r.Cores, r.Largest, r.Jobs, r.Frames, r.Cycles)
	return b.String()
}
