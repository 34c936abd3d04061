// SPDX-License-Identifier: Apache-2.0

// Package verify proves on the generated files that a design does what docs/interfaces.md says: lint in three tools, a
// self-checking bench for each module, and runs of the whole design under Verilator and Icarus Verilog against the
// reference ciphers and a model of the packet format.
package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hwgen/gen/design"
	"hwgen/gen/sim"
	"hwgen/gen/tool"
	"hwgen/gen/workload"
)

// Options of a verification.
type Options struct {
	Design  *design.Design
	Files   map[string][]byte // the generated output
	Packets int               // of the random runs
	Seed    int64
	Steps   []string // names of the steps to run; nil: all
	// Covered makes a build that counts what it goes through, and is told of each run's counts; Build is how it is built.
	Covered func(file string) error
	Build   sim.Options
	// Progress is told how much of a step is done.
	Progress func(step string, done, total int)
	Note     func(format string, args ...any)
}

// Step is the result of one step.
type Step struct {
	Name    string   `json:"name"`
	OK      bool     `json:"ok"`
	Skipped string   `json:"skipped,omitempty"` // why
	Count   int      `json:"count"`
	Unit    string   `json:"unit"`
	Note    string   `json:"note,omitempty"`
	Errors  []string `json:"errors,omitempty"`
	Seconds float64  `json:"seconds"`
}

// Report is what a verification found.
type Report struct {
	Design string `json:"design"`
	Seed   int64  `json:"seed"`
	OK     bool   `json:"ok"`
	Steps  []Step `json:"steps"`
}

// run is one verification under way.
type run struct {
	Options
	ctx  context.Context
	dir  string // the output, written
	simu *sim.Simulator
}

type stepDef struct {
	name, what string
	needSim    bool
	do         func(*run, *Step) error
	tools      []tool.Tool // beside those of needSim
}

// tools that the chosen steps need.
func (o *Options) tools() []tool.Tool {
	var ts []tool.Tool
	for _, d := range steps {
		if o.Steps != nil && !slices.Contains(o.Steps, d.name) {
			continue
		}
		ts = append(ts, d.tools...)
		if d.needSim {
			ts = append(ts, tool.Verilator, tool.Compiler, tool.Make)
		}
	}
	return ts
}

var steps = []stepDef{
	{"lint-iverilog", "lint in Icarus Verilog", false, (*run).lintIcarus, []tool.Tool{tool.Icarus}},
	{"lint-verilator", "lint in Verilator", false, (*run).lintVerilator, []tool.Tool{tool.Verilator}},
	{"lint-yosys", "lint in Yosys", false, (*run).lintYosys, []tool.Tool{tool.Yosys}},
	{"benches", "the self-checking bench of each module", false, (*run).benches, []tool.Tool{tool.Icarus, tool.VVP}},
	{"vectors", "standard vectors, whole", true, (*run).vectorsWhole, nil},
	{"vectors-split", "standard vectors, split at every block boundary", true, (*run).vectorsSplit, nil},
	{"vectors-interleaved", "standard vectors, 16 jobs at a time", true, (*run).vectorsInterleaved, nil},
	{"jobs", "random jobs, stalls on both streams, against the reference ciphers", true, (*run).randomJobs, nil},
	{"frames", "random frames, good and bad, against the model", true, (*run).randomFrames, nil},
	{"directed", "every status, keys, aborts; then a good packet", true, (*run).directed, nil},
	{"quota", "slot quotas", true, (*run).quota, nil},
	{"clear", "clear in any state", true, (*run).clear, nil},
	{"reset", "reset in any state", true, (*run).reset, nil},
	{"icarus", "vectors through the whole design in Icarus Verilog", false, (*run).icarus, []tool.Tool{tool.Icarus, tool.VVP}},
}

// StepNames are the names of the steps in their order.
func StepNames() []string {
	var s []string
	for _, d := range steps {
		s = append(s, d.name)
	}
	return s
}

// Run verifies a design. The report says what failed; the error is of what could not be tried.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	if o.Note == nil {
		o.Note = func(string, ...any) {}
	}
	if o.Packets == 0 {
		o.Packets = 5000
	}
	need := o.tools()
	if err := tool.Need(need...); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(need, func(t tool.Tool) bool { return t.Name == tool.Verilator.Name }) {
		v, err := tool.Verilator.VersionString(ctx)
		if err == nil {
			err = tool.CheckVerilator(v)
		}
		if err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp("", "hwgen-verify-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for p, b := range o.Files {
		f := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(f, b, 0o644); err != nil {
			return nil, err
		}
	}
	r := &run{Options: o, ctx: ctx, dir: dir}
	rep := &Report{Design: o.Design.Name, Seed: o.Seed, OK: true}
	var noSim string
	for _, d := range steps {
		if o.Steps != nil && !slices.Contains(o.Steps, d.name) {
			continue
		}
		st := Step{Name: d.name, OK: true, Unit: "checks"}
		begin := time.Now()
		o.Progress(d.what, 0, 1)
		if d.needSim && r.simu == nil && noSim == "" {
			b := o.Build
			b.Unknowns, b.Note = true, o.Note
			if r.simu, err = sim.Build(ctx, o.Design, o.Files, b); err == nil {
				r.simu.Covered = o.Covered
			}
			if err != nil {
				if ctx.Err() != nil {
					return nil, err
				}
				noSim = err.Error()
				st.Errors = append(st.Errors, noSim)
			}
		}
		if d.needSim && r.simu == nil {
			if len(st.Errors) == 0 {
				st.Errors = append(st.Errors, "the design does not compile under Verilator")
			}
		} else if err := d.do(r, &st); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			st.Errors = append(st.Errors, err.Error())
		}
		st.OK = len(st.Errors) == 0
		rep.OK = rep.OK && st.OK
		st.Seconds = time.Since(begin).Seconds()
		rep.Steps = append(rep.Steps, st)
		o.Progress(d.what, 1, 1)
	}
	return rep, nil
}

// verilog lists the design's Verilog files, generated ones first.
func (r *run) verilog() []string {
	var gen, ext []string
	for p := range r.Files {
		switch {
		case !strings.HasPrefix(p, "rtl/") || !strings.HasSuffix(p, ".v"):
		case strings.HasPrefix(p, "rtl/external/"):
			ext = append(ext, p)
		default:
			gen = append(gen, p)
		}
	}
	slices.Sort(gen)
	slices.Sort(ext)
	return append(gen, ext...)
}

func (st *Step) lint(t tool.Tool, res tool.Result, noise func(string) bool) {
	var said []string
	for l := range strings.SplitSeq(strings.TrimSpace(res.Out), "\n") {
		if l != "" && !noise(l) {
			said = append(said, l)
		}
	}
	if res.Code != 0 && len(said) == 0 {
		said = append(said, fmt.Sprintf("%s: exit code %d", t.Name, res.Code))
	}
	if len(said) > 12 {
		said = append(said[:12], fmt.Sprintf("... and %d more lines", len(said)-12))
	}
	st.Errors = append(st.Errors, said...)
}

func (r *run) lintIcarus(st *Step) error {
	v := r.verilog()
	st.Count, st.Unit = len(v), "files"
	res, err := tool.Icarus.Run(r.ctx, r.dir, append([]string{
		"-g2005", "-Wall", "-t", "null", "-I", "rtl/external", "-s", r.Design.Outermost(),
	}, v...)...)
	if err != nil {
		return err
	}
	st.lint(tool.Icarus, res, func(string) bool { return false })
	return nil
}

func (r *run) lintVerilator(st *Step) error {
	v := r.verilog()
	st.Count, st.Unit = len(v), "files"
	res, err := tool.Verilator.Run(r.ctx, r.dir, append([]string{
		"--lint-only", "-Wall", "--default-language", "1364-2005", "-Irtl/external", "--top-module", r.Design.Outermost(),
	}, v...)...)
	if err != nil {
		return err
	}
	st.lint(tool.Verilator, res, func(string) bool { return false })
	return nil
}

func (r *run) lintYosys(st *Step) error {
	v := r.verilog()
	st.Count, st.Unit = len(v), "files"
	script := "read_verilog -Irtl/external " + strings.Join(v, " ") + "; hierarchy -check -top " + r.Design.Outermost() +
		"; proc; check -assert"
	res, err := tool.Yosys.Run(r.ctx, r.dir, "-q", "-p", script)
	if err != nil {
		return err
	}
	// a count of the warnings, which have lines of their own
	st.lint(tool.Yosys, res, func(l string) bool { return strings.HasPrefix(l, "Warnings: ") })
	return nil
}

// check runs jobs and compares every result.
func (r *run) check(jobs []workload.Job, tune func(*workload.Stimulus)) (errs []string, c workload.Counters, err error) {
	p, err := workload.NewPlan(r.Design, jobs)
	if err != nil {
		return nil, c, err
	}
	stim := p.Stimulus(r.Design)
	stim.Seed = r.Seed + 1
	if tune != nil {
		tune(stim)
	}
	o, err := r.simu.RunFiles(r.ctx, stim, "", "")
	if err != nil {
		return nil, c, err
	}
	errs = p.CheckOutcome(r.Design, o)
	rs, err := p.Join(o)
	if err != nil {
		errs = append(errs, err.Error())
	}
	if rs != nil {
		errs = append(errs, workload.CheckJobs(r.Design, jobs, rs)...)
	}
	if o.Counters.IdleInResult > 0 {
		errs = append(errs, fmt.Sprintf("%d idle beats inside results", o.Counters.IdleInResult))
	}
	return errs, o.Counters, nil
}

func clip(errs []string) []string {
	if len(errs) > 10 {
		return append(errs[:10:10], fmt.Sprintf("... and %d more", len(errs)-10))
	}
	return errs
}

// Stalls makes both streams irregular: single cycles and long standstills.
func Stalls(s *workload.Stimulus) {
	s.Gap, s.Stall, s.LongStall, s.LongLength = 0.3, 0.3, 0.002, 300
}

func (r *run) randomJobs(st *Step) error {
	st.Unit = "packets"
	// one part each: no stalls, stalls, a stream that mostly stands, results that mostly stand
	parts := []func(*workload.Stimulus){
		nil, Stalls,
		func(s *workload.Stimulus) { s.Gap = 0.9 },
		func(s *workload.Stimulus) { s.Stall, s.LongStall, s.LongLength = 0.85, 0.001, 2000 },
	}
	var cycles uint64
	for i, tune := range parts {
		jobs := workload.RandomJobs(r.Design, (r.Packets+3)/4, r.Seed+int64(i))
		errs, c, err := r.check(jobs, tune)
		if err != nil {
			return err
		}
		for j := range jobs {
			n := len(jobs[j].Split)
			if n == 0 {
				n = len(workload.SplitEven(len(jobs[j].Data), jobs[j].PacketBytes))
			}
			st.Count += n
		}
		cycles += c.Cycles
		st.Errors = append(st.Errors, clip(errs)...)
		r.Progress("random jobs", i+1, len(parts))
	}
	if r.Packets > 65536 {
		errs, c, n, err := r.longJob()
		if err != nil {
			return err
		}
		st.Count += n
		cycles += c.Cycles
		st.Errors = append(st.Errors, clip(errs)...)
	}
	st.Note = fmt.Sprintf("%d cycles", cycles)
	return nil
}

// longJob is a job so long that No goes from 65535 to 1.
func (r *run) longJob() ([]string, workload.Counters, int, error) {
	for ci, c := range r.Design.Clusters {
		for _, p := range workload.Pairs(c, true) {
			j := workload.RandomJob(r.Design, ci, p.Cmd, p.Mode, 16*65540, r.Seed)
			j.PacketBytes = 16
			errs, k, err := r.check([]workload.Job{j}, nil)
			return errs, k, 65540, err
		}
	}
	return nil, workload.Counters{}, 0, nil
}

func (r *run) randomFrames(st *Step) error {
	st.Unit = "frames"
	parts := []func(*workload.Stimulus){nil, Stalls, func(s *workload.Stimulus) { s.Stall = 0.8 }, Stalls}
	for i, tune := range parts {
		g := workload.NewFrameGen(r.Design, r.Seed+100+int64(i))
		g.LoadAll()
		g.RandomFrames((r.Packets + 3) / 4)
		s := g.Stimulus(r.Seed + int64(i) + 1)
		if tune != nil {
			tune(s)
		}
		if i%2 == 1 {
			s.Cfg = TableWrites(r.Design, r.Seed+int64(i), 10*len(s.Frames))
		}
		o, err := r.simu.RunFiles(r.ctx, s, "", "")
		if err != nil {
			return err
		}
		st.Count += len(g.Frames)
		st.Errors = append(st.Errors, clip(workload.CheckRun(r.Design, s, o))...)
		r.Progress("random frames", i+1, len(parts))
	}
	return nil
}

func (r *run) directed(st *Step) error {
	st.Unit = "frames"
	cases := workload.Cases()
	n := 0
	for _, c := range cases {
		for cl := range r.Design.Clusters {
			for pass := range 2 {
				x := workload.NewScript(workload.NewFrameGen(r.Design, r.Seed+int64(pass)), cl)
				c.Build(x)
				s := x.Stimulus(r.Seed + 1)
				if pass == 1 {
					Stalls(s)
				}
				o, err := r.simu.RunFiles(r.ctx, s, "", "")
				if err != nil {
					return err
				}
				errs := append(x.Errs, workload.CheckRun(r.Design, s, o)...)
				for _, must := range x.MustSee {
					if pass == 0 && !slices.ContainsFunc(o.Results, func(q workload.Result) bool {
						return workload.Status(q.Header().Status) == must
					}) {
						errs = append(errs, fmt.Sprintf("no result with status %s", must))
					}
				}
				for _, e := range clip(errs) {
					st.Errors = append(st.Errors, fmt.Sprintf("%s, cluster %s: %s", c.Name, r.Design.Clusters[cl].Name, e))
				}
				st.Count += len(s.Frames)
			}
		}
		n++
		r.Progress("directed tests", n, len(cases))
	}
	st.Note = fmt.Sprintf("%d tests a cluster", len(cases))
	return nil
}

// epochs is random traffic that a clear or a reset cuts off, again and again.
func (r *run) epochs(st *Step, kind workload.EventKind) error {
	st.Unit = "cuts"
	runs, each := 4, 12
	for k := range runs {
		g := workload.NewFrameGen(r.Design, r.Seed+int64(k)*17)
		for range each {
			g.Restart()
			first := len(g.Frames)
			g.LoadAll()
			loads := len(g.Frames)
			g.RandomFrames(10 + g.Rng.Intn(60))
			at := first + g.Rng.Intn(len(g.Frames)-first)
			if g.Rng.Intn(4) > 0 {
				at = loads + g.Rng.Intn(len(g.Frames)-loads)
			}
			g.Events = append(g.Events, randomCut(g, kind, at))
		}
		g.Restart()
		g.LoadAll()
		g.RandomFrames(60)
		s := g.Stimulus(r.Seed + int64(k))
		if k%2 == 1 {
			Stalls(s)
		}
		o, err := r.simu.RunFiles(r.ctx, s, "", "")
		if err != nil {
			return err
		}
		st.Count += each
		st.Errors = append(st.Errors, clip(workload.CheckRun(r.Design, s, o))...)
		r.Progress(st.Name, k+1, runs)
	}
	return nil
}

func (r *run) clear(st *Step) error { return r.epochs(st, workload.EventClear) }
func (r *run) reset(st *Step) error { return r.epochs(st, workload.EventReset) }

// Table is the report as text.
func (rep *Report) Table() string {
	var b strings.Builder
	for _, s := range rep.Steps {
		verdict := "ok"
		switch {
		case !s.OK:
			verdict = "FAILED"
		case s.Skipped != "":
			verdict = "-"
		}
		note := s.Note
		if s.Skipped != "" {
			note = s.Skipped
		}
		line := fmt.Sprintf("%-20s %-6s %8d %-8s %6.1f s  %s", s.Name, verdict, s.Count, s.Unit, s.Seconds, note)
		fmt.Fprintln(&b, strings.TrimRight(line, " "))
		for _, e := range s.Errors {
			fmt.Fprintf(&b, "    %s\n", strings.ReplaceAll(e, "\n", "\n    "))
		}
	}
	return b.String()
}

var errNoVectors = errors.New("no standard vector is for an algorithm of this design")
