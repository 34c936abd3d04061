// SPDX-License-Identifier: Apache-2.0

package formal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hwgen/gen/diag"
	"hwgen/gen/tool"
)

// Kind of a task.
type Kind string

// Kinds of tasks.
const (
	Prove Kind = "proof" // all properties hold for ever
	Cover Kind = "cover" // every cover is reached: the assumptions leave room for what the properties are about
	Kill  Kind = "fault" // with the fault in, a claim fails
)

// Task is one run.
type Task struct {
	Proof  *Proof
	Kind   Kind
	Params string
	Fault  *Fault // Kill
}

// Result of a task.
type Result struct {
	Proof   string  `json:"proof"`
	Kind    Kind    `json:"kind"`
	Params  string  `json:"params"`
	Method  string  `json:"method"`
	Fault   string  `json:"fault,omitempty"`
	OK      bool    `json:"ok"`
	Detail  string  `json:"detail"`  // the property that failed and when, the covers reached
	Seconds float64 `json:"seconds"` // of processor time, Yosys and ABC
}

// Tasks of proofs: each proof with its sets of parameters (deep: also the long ones), its covers and its faults.
func Tasks(ps []*Proof, deep bool) []Task {
	var out []Task
	for _, p := range ps {
		sets := p.Quick
		if deep {
			sets = slices.Concat(p.Quick, p.Deep)
		}
		for _, s := range sets {
			out = append(out, Task{Proof: p, Kind: Prove, Params: s})
		}
		out = append(out, Task{Proof: p, Kind: Cover, Params: p.CoverParams()})
		for i := range p.Faults {
			out = append(out, Task{Proof: p, Kind: Kill, Params: p.FaultParams(&p.Faults[i]), Fault: &p.Faults[i]})
		}
	}
	return out
}

// Options of Run.
type Options struct {
	Library *Library
	Tasks   []Task
	Seconds int                   // processor time for ABC, a task; 0: no limit
	Traces  string                // folder for the counterexamples of failed proofs as VCD; "": none
	Done    func(Result)          // called after each task, one call at a time; may be nil
	Each    func(done, total int) // likewise
}

// Run runs tasks, as many at a time as there are processors. The results are in the tasks' order.
func Run(ctx context.Context, o Options) ([]Result, error) {
	if err := tool.Need(tool.Yosys, ABC); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		out   = make([]Result, len(o.Tasks))
		queue = make(chan int)
		wg    sync.WaitGroup
		mu    sync.Mutex
		first error
		done  int
	)
	for range runtime.NumCPU() {
		wg.Go(func() {
			for i := range queue {
				r, err := o.run(ctx, &o.Tasks[i])
				mu.Lock()
				out[i] = r
				done++
				if err != nil && first == nil {
					first = err
					cancel()
				}
				if err == nil && o.Done != nil {
					o.Done(r)
				}
				if err == nil && o.Each != nil {
					o.Each(done, len(o.Tasks))
				}
				mu.Unlock()
			}
		})
	}
	for i := range o.Tasks {
		select {
		case queue <- i:
		case <-ctx.Done():
		}
	}
	close(queue)
	wg.Wait()
	if first == nil {
		first = ctx.Err()
	}
	return out, first
}

// exec runs a tool and counts its processor time.
func (r *Result) exec(ctx context.Context, t tool.Tool, dir string, args ...string) (tool.Result, error) {
	p, err := t.Find()
	if err != nil {
		return tool.Result{}, err
	}
	c := exec.CommandContext(ctx, p, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if c.ProcessState != nil {
		r.Seconds += (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	}
	var ee *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return tool.Result{}, ctx.Err()
	case errors.As(err, &ee):
		return tool.Result{Out: string(out), Code: ee.ExitCode()}, nil
	case err != nil:
		return tool.Result{}, &diag.ToolError{Tool: t.Name, Err: err}
	}
	return tool.Result{Out: string(out)}, nil
}

func (o *Options) run(ctx context.Context, t *Task) (Result, error) {
	r := Result{Proof: t.Proof.Name, Kind: t.Kind, Params: t.Params, Method: "bmc"}
	if t.Kind == Prove {
		r.Method = t.Proof.Method
	}
	if t.Fault != nil {
		r.Fault = t.Fault.Name
	}
	dir, err := os.MkdirTemp("", "hwgen_formal_")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	names, err := o.build(ctx, &r, t, dir)
	if err != nil {
		return r, err
	}
	switch t.Kind {
	case Prove:
		err = o.prove(ctx, &r, t, dir, names)
	case Cover:
		err = o.cover(ctx, &r, t, dir, names)
	case Kill:
		err = o.kill(ctx, &r, t, dir, names)
	}
	return r, err
}

// build makes model.aig, and gives the names of the properties (of the covers) in the order of the model's outputs.
func (o *Options) build(ctx context.Context, r *Result, t *Task, dir string) ([]string, error) {
	var files []string
	for name, text := range o.Library.Sources(t.Proof, t.Fault) {
		files = append(files, name+".v")
		if err := os.WriteFile(filepath.Join(dir, name+".v"), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "fv_cover.v"), []byte(o.Library.Formal["fv_cover"]), 0o600); err != nil {
		return nil, err
	}
	slices.Sort(files)
	if err := os.WriteFile(filepath.Join(dir, "model.ys"), []byte(Script(t, files)), 0o600); err != nil {
		return nil, err
	}
	res, err := r.exec(ctx, tool.Yosys, dir, "-q", "model.ys")
	if err != nil {
		return nil, err
	}
	if res.Code != 0 {
		return nil, tool.Yosys.Failed(t.String(), res)
	}
	b, err := os.ReadFile(filepath.Join(dir, "names.txt"))
	return strings.Fields(string(b)), err
}

func (t *Task) String() string {
	s := fmt.Sprintf("%s %s (%s)", t.Kind, t.Proof.Name, t.Params)
	if t.Fault != nil {
		s += ": " + t.Fault.Name
	}
	return s
}

// Script is the Yosys script of a task: the wrapper as an and-inverter graph, with an output for each property.
//
// What is unknown (x, undriven wires, registers before reset) becomes a free input, never a convenient constant: so x is
// replaced before anything is optimised. Hierarchical names of the wrappers (hierconn) meet their wires in flatten.
func Script(t *Task, files []string) string {
	var s strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&s, format+"\n", args...) }
	line("read_verilog -formal %s", strings.Join(files, " "))
	var params string
	for p := range strings.FieldsSeq(t.Params) {
		name, value, _ := strings.Cut(p, "=")
		params += " -chparam " + name + " " + value
	}
	line("hierarchy -check -top %s%s", t.Proof.Top, params)
	line("proc")
	line("memory -nordff -nomap")
	line("memory_map")
	line("setundef -anyseq")
	line("flatten")
	line("setundef -undriven -anyseq")
	if t.Proof.Clocks {
		// a register follows its clock, whatever that is
		line("clk2fflogic")
	} else {
		line("async2sync")
	}
	// ABC takes an output port for a property
	line("delete -output")
	if t.Kind == Cover {
		line("chformal -assert -remove")
		line("techmap -map fv_cover.v")
	} else {
		line("chformal -cover -remove")
	}
	if t.Kind == Kill {
		// a fault must break a claim: a helper invariant, which mirrors what is inside, sees it where the claim may be blind
		claims := "c:" + Claim + "* c:*." + Claim + "* %u"
		if t.Fault.Breaks != "" {
			claims = "c:" + t.Fault.Breaks
		}
		line("delete t:$assert %s %%d", claims)
	}
	line("opt -full -keepdc")
	line("dffunmap")
	if t.Kind == Prove {
		line("write_rtlil model.il")
	}
	line("techmap")
	line("opt -fast -keepdc")
	line("dffunmap")
	line("simplemap")
	line("abc -g AND -fast")
	line("opt_clean")
	line("setundef -anyseq")
	line("tee -q -o names.txt select -list t:$assert")
	line("write_aiger -zinit -map model.aim model.aig")
	return s.String()
}

// abc runs ABC's commands on the model; its constraints are folded into the properties.
func (o *Options) abc(ctx context.Context, r *Result, dir, commands string) (string, error) {
	res, err := r.exec(ctx, ABC, dir, "-c", "read_aiger model.aig; fold; strash; "+commands)
	if err == nil && res.Code != 0 {
		err = ABC.Failed(commands, res)
	}
	return res.Out, err
}

var (
	hit     = regexp.MustCompile(`(?m)^Output (\d+) of miter .* was asserted in frame +(\d+)`)
	reached = regexp.MustCompile(`(?m)^Output (\d+) was asserted in frame +(\d+)`)
	noHit   = regexp.MustCompile(`(?m)^No output asserted in \d+ frames`)
	proved  = regexp.MustCompile(`(?m)^Property proved`)
	induced = regexp.MustCompile(`(?m)^Networks are equivalent`)
)

// failure says which property failed and when, if the output tells of one.
func failure(out string, names []string) string {
	m := hit.FindStringSubmatch(out)
	if m == nil {
		return ""
	}
	name := "output " + m[1]
	if n, err := strconv.Atoi(m[1]); err == nil && n < len(names) {
		_, name, _ = strings.Cut(names[n], "/")
	}
	return fmt.Sprintf("%s fails in cycle %s", name, m[2])
}

func (o *Options) prove(ctx context.Context, r *Result, t *Task, dir string, names []string) error {
	// the first cycles are the base of an induction, and where a fault shows soonest
	out, err := o.abc(ctx, r, dir, fmt.Sprintf("bmc3 -F %d; write_cex -a cex.aiw", t.Proof.MaxK()+1))
	if err != nil {
		return err
	}
	if noHit.MatchString(out) {
		commands, done := fmt.Sprintf("orpos; ind -F %d", t.Proof.MaxK()), induced
		if t.Proof.Method == PDR {
			commands, done = "pdr; write_cex -a cex.aiw", proved
			if o.Seconds > 0 {
				commands = fmt.Sprintf("pdr -T %d; write_cex -a cex.aiw", o.Seconds)
			}
		}
		if out, err = o.abc(ctx, r, dir, commands); err != nil {
			return err
		}
		if done.MatchString(out) {
			r.OK = true
			r.Detail = fmt.Sprintf("%d properties", len(names))
			return nil
		}
	}
	if r.Detail = failure(out, names); r.Detail == "" {
		r.Detail = "undecided: " + tool.Tail(out, 1)
		return nil
	}
	if o.Traces != "" && !t.Proof.Clocks {
		r.Detail += o.trace(ctx, r, t, dir)
	}
	return nil
}

// trace turns a counterexample of ABC into a VCD, and says where it is.
func (o *Options) trace(ctx context.Context, r *Result, t *Task, dir string) string {
	file, err := filepath.Abs(filepath.Join(o.Traces, strings.NewReplacer(" ", "_", "=", "").Replace(t.Proof.Name+"_"+t.Params)+".vcd"))
	if err == nil {
		err = os.MkdirAll(o.Traces, 0o755)
	}
	if err != nil {
		return "; no trace: " + err.Error()
	}
	res, err := r.exec(ctx, tool.Yosys, dir, "-q", "-p",
		fmt.Sprintf("read_rtlil model.il; sim -clock clk -r cex.aiw -map model.aim -vcd %q", file))
	if err != nil {
		return "; no trace: " + err.Error()
	}
	if res.Code != 0 {
		return "; no trace: " + tool.Tail(res.Out, 2)
	}
	return "; see " + file
}

func (o *Options) cover(ctx context.Context, r *Result, t *Task, dir string, names []string) error {
	out, err := o.abc(ctx, r, dir, fmt.Sprintf("bmc3 -a -x -F %d", t.Proof.Depth()))
	if err != nil {
		return err
	}
	left := slices.Clone(names)
	for _, m := range reached.FindAllStringSubmatch(out, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil && n < len(names) {
			left[n] = ""
		}
	}
	left = slices.DeleteFunc(left, func(s string) bool { return s == "" })
	r.OK = len(left) == 0 && len(names) > 0
	r.Detail = fmt.Sprintf("%d reached", len(names)-len(left))
	if len(left) > 0 {
		r.Detail += fmt.Sprintf("; not within %d cycles: %s", t.Proof.Depth(), strings.Join(left, ", "))
	}
	return nil
}

func (o *Options) kill(ctx context.Context, r *Result, t *Task, dir string, names []string) error {
	if len(names) == 0 {
		r.Detail = "there is no claim that could fail"
		return nil
	}
	out, err := o.abc(ctx, r, dir, fmt.Sprintf("bmc3 -F %d", t.Proof.Depth()))
	if err != nil {
		return err
	}
	r.Detail = failure(out, names)
	r.OK = r.Detail != ""
	if !r.OK {
		r.Detail = fmt.Sprintf("not found in %d cycles", t.Proof.Depth())
	}
	return nil
}
