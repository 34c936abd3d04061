// SPDX-License-Identifier: Apache-2.0

// Package mutate measures the test bench: it puts small changes into the netlist of a generated scheduler, one at a
// time, and sees which ones the bench finds. The cores are left as they are. What is not found is compared with the
// unchanged netlist: a bit on which nothing depends is equivalent, the rest is a hole in the tests until it is explained.
package mutate

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"

	"hwgen/gen/design"
	"hwgen/gen/formal"
	"hwgen/gen/sim"
	"hwgen/gen/tool"
)

// Verdict on a mutant.
type Verdict string

// Verdicts.
const (
	Killed     Verdict = "killed"     // a check fails
	Slower     Verdict = "cycles"     // all is right, but not in the cycles of the unchanged netlist
	Equivalent Verdict = "equivalent" // shown to do the same, or a reason says so: reasons.toml
	Elsewhere  Verdict = "elsewhere"  // found by a proof or a test that reasons.toml names, not by these runs
	Survived   Verdict = "survived"
)

// Result is what became of a mutant.
type Result struct {
	Mutant
	Verdict Verdict `json:"verdict"`
	By      string  `json:"by,omitempty"`     // which check found it
	Trial   string  `json:"trial,omitempty"`  // in which run
	Detail  string  `json:"detail,omitempty"` // what it said
	Netlist string  `json:"netlist"`          // a hash of what was mutated
}

// Options of Run.
type Options struct {
	Design  *design.Design
	Files   map[string][]byte // the generated output
	Count   int               // mutants
	Seed    int64
	Packets int   // of a short run; a long one has four times as many
	Only    []int // numbers of mutants; nil: all
	Short   bool  // short runs alone
	// Known are results of earlier runs: of those on the same netlist, all but the open ones are taken as they are.
	Known   []Result
	Quick   bool // compile without optimisation: for few mutants
	Seconds int  // of a step of the proof over time; 0: 15
	Workers int  // 0: as many as there are processors
	Each    func(done, total int)
	Done    func(*Result) // told of each result, in any order, one call at a time
	Note    func(format string, args ...any)
}

// Report is the result of all mutants.
type Report struct {
	Design  string   `json:"design"`
	Seed    int64    `json:"seed"`
	Packets int      `json:"packets"`
	Results []Result `json:"results"`
}

// Run makes the mutants of a design and runs the bench on each. The error is of what could not be tried.
func Run(ctx context.Context, o Options) (*Report, error) {
	if err := tool.Need(tool.Yosys, formal.ABC, tool.Verilator, tool.Compiler, tool.Make); err != nil {
		return nil, err
	}
	if o.Note == nil {
		o.Note = func(string, ...any) {}
	}
	if o.Workers == 0 {
		o.Workers = runtime.NumCPU()
	}
	if o.Packets == 0 {
		o.Packets = 250
	}
	if o.Seconds == 0 {
		o.Seconds = 15
	}
	dir, err := os.MkdirTemp("", "hwgen-mutate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	o.Note("the netlist of %s with %d mutants", o.Design.Name, o.Count)
	x, err := makeNetlist(ctx, o.Design, o.Files, o.Count, o.Seed, dir)
	if err != nil {
		return nil, err
	}
	s, err := sim.Build(ctx, o.Design, x.files, sim.Options{Trace: true, Unknowns: true, Quick: o.Quick, Note: o.Note})
	if err != nil {
		return nil, err
	}
	stages := 2
	if o.Short {
		stages = 1
	}
	var all []*trial
	for stage := range stages {
		n := o.Packets
		if stage > 0 {
			n *= 4
		}
		l, err := trials(o.Design, n, o.Seed*1000+int64(stage)*500, stage)
		if err != nil {
			return nil, err
		}
		for _, t := range l {
			t.long = stage > 0
		}
		all = append(all, l...)
	}
	written, err := reasons()
	if err != nil {
		return nil, err
	}
	rep := &Report{Design: o.Design.Name, Seed: o.Seed, Packets: o.Packets}
	var chosen []*Mutant
	for i := range x.mutants {
		if m := &x.mutants[i]; o.Only == nil || contains(o.Only, m.Number) {
			chosen = append(chosen, m)
		}
	}
	rep.Results = make([]Result, len(chosen))
	known := map[Mutant]Result{}
	for _, r := range o.Known {
		if r.Netlist == x.hash && (r.Verdict == Killed || r.Verdict == Equivalent || r.Verdict == Elsewhere) {
			known[r.key()] = r
		}
	}
	var mu sync.Mutex
	var proofs sync.Mutex
	between := newLogic(x.circuit)
	same := func(m *Mutant) (by, how string, err error) {
		proofs.Lock()
		defer proofs.Unlock()
		ok, err := between.equal(m)
		if ok || err != nil {
			return "proof", "registers, memories, cores and outputs take the same in every state", err
		}
		if x.reasonFor(m, written) != nil { // none was found when it was written
			return "", "", nil
		}
		if ok, err = between.same(ctx, m, o.Seconds); ok || err != nil {
			return "reached", "memories, cores and outputs take the same in every state that is reached", err
		}
		return "", "", nil
	}
	err = each(ctx, o.Workers, len(chosen), func(i int) error {
		why := x.reasonFor(chosen[i], written)
		if r, ok := known[chosen[i].key()]; ok && stands(&r, why) {
			rep.Results[i] = r
			return nil
		}
		if x.circuit.dead(chosen[i]) {
			rep.Results[i] = Result{Mutant: *chosen[i], Verdict: Equivalent, By: "netlist", Detail: "nothing depends on the bit"}
			return nil
		}
		r, err := judge(ctx, *s, chosen[i], all, same)
		if err == nil && why != nil && (r.Verdict == Survived || r.Verdict == Slower && why.by() != "") {
			r.Verdict, r.By, r.Detail = Equivalent, "reason", why.Reason
			if by := why.by(); by != "" {
				r.Verdict, r.By = Elsewhere, by
			}
		}
		r.Netlist = x.hash
		rep.Results[i] = r
		if err == nil && o.Done != nil {
			mu.Lock()
			defer mu.Unlock()
			o.Done(&r)
		}
		return err
	}, o.Each)
	return rep, err
}

// stands says that a verdict of before that rests on a written reason has that reason still.
func stands(r *Result, why *reason) bool {
	switch {
	case r.Verdict == Elsewhere:
		return why != nil && why.by() == r.By
	case r.Verdict == Equivalent && r.By == "reason":
		return why != nil && why.by() == ""
	}
	return true
}

// judge runs the trials on one mutant until a check finds it; before the long ones it looks whether there is anything to
// be found. A difference in cycles alone is kept for the case that nothing finds more.
func judge(ctx context.Context, s sim.Simulator, m *Mutant, all []*trial, same func(*Mutant) (by, how string, err error)) (Result, error) {
	r := Result{Mutant: *m, Verdict: Survived}
	whole := s
	s.Args = []string{fmt.Sprintf("+mutant=%d", m.Number)}
	asked := false
	proved := func() (bool, error) {
		if asked || r.Verdict != Survived {
			return false, nil
		}
		asked = true
		by, how, err := same(m)
		if by != "" && err == nil {
			r.Verdict, r.By, r.Detail = Equivalent, by, how
		}
		return by != "", err
	}
	for _, t := range all {
		if t.long {
			if ok, err := proved(); ok || err != nil {
				return r, err
			}
		}
		if err := t.reference(ctx, &whole); err != nil {
			return r, err
		}
		_, by, found, err := t.run(ctx, &s)
		if err != nil {
			return r, fmt.Errorf("%s, %s: %w", m, t.name, err)
		}
		switch {
		case found == "":
		case by != "cycles":
			r.Verdict, r.By, r.Trial, r.Detail = Killed, by, t.name, found
			return r, nil
		case r.Verdict == Survived:
			r.Verdict, r.By, r.Trial, r.Detail = Slower, by, t.name, found
		}
	}
	_, err := proved()
	return r, err
}

func contains(l []int, n int) bool {
	for _, v := range l {
		if v == n {
			return true
		}
	}
	return false
}

// each calls do for 0 .. n-1, some at a time, until one fails.
func each(ctx context.Context, workers, n int, do func(int) error, told func(done, total int)) error {
	var (
		wg         sync.WaitGroup
		mu         sync.Mutex
		next, done int
		fail       error
	)
	for range workers {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				stop := fail != nil || ctx.Err() != nil || i >= n
				mu.Unlock()
				if stop {
					return
				}
				err := do(i)
				mu.Lock()
				done++
				if err != nil && fail == nil {
					fail = err
				}
				if told != nil {
					told(done, n)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if fail == nil {
		fail = ctx.Err()
	}
	return fail
}
