// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"hwgen/gen/tool"
)

var cornersLine = regexp.MustCompile(`(?m)^\s*//\s*corners:(.*)$`)

// Bench is a self-checking bench with one set of parameters.
type Bench struct {
	Module string
	Params []string // A=1
}

func (b Bench) String() string {
	return strings.TrimSpace(b.Module + " " + strings.Join(b.Params, " "))
}

// Corners reads the sets of parameters of a bench: // corners: A=1 B=2 | A=3. Without any it runs once.
func Corners(module string, source []byte) []Bench {
	var out []Bench
	for _, m := range cornersLine.FindAllSubmatch(source, -1) {
		for set := range strings.SplitSeq(string(m[1]), "|") {
			out = append(out, Bench{module, strings.Fields(set)})
		}
	}
	if out == nil {
		out = []Bench{{Module: module}}
	}
	return out
}

func (r *run) benchList() []Bench {
	var out []Bench
	for p, b := range r.Files {
		name, ok := strings.CutSuffix(path.Base(p), ".v")
		if path.Dir(p) != "tb" || !ok || !strings.HasSuffix(name, "_tb") {
			continue
		}
		if name == r.Design.Name+"_tb" || name == r.Design.Name+"_smoke_tb" {
			continue // the bench of the whole design under Verilator, and in Icarus
		}
		out = append(out, Corners(name, b)...)
	}
	slices.SortFunc(out, func(a, b Bench) int { return strings.Compare(a.String(), b.String()) })
	return out
}

// benches compiles and runs every bench, as many at a time as there are processors.
func (r *run) benches(st *Step) error {
	list := r.benchList()
	st.Unit, st.Count = "benches", len(list)
	errs := make([]string, len(list))
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		next int
		done int
		fail error
	)
	for range runtime.NumCPU() {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				stop := fail != nil || r.ctx.Err() != nil
				mu.Unlock()
				if stop || i >= len(list) {
					return
				}
				msg, err := r.bench(list[i], i)
				mu.Lock()
				errs[i] = msg
				if err != nil {
					fail = err
				}
				done++
				r.Progress("benches", done, len(list))
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for i, e := range errs {
		if e != "" {
			st.Errors = append(st.Errors, fmt.Sprintf("%s: %s", list[i], e))
		}
	}
	return fail
}

// bench runs one bench; the message says what is wrong with it.
func (r *run) bench(b Bench, n int) (string, error) {
	out := filepath.Join(r.dir, fmt.Sprintf("bench%d.vvp", n))
	args := []string{"-g2005", "-Wall", "-DHWGEN_SIM_TABLES", "-DHWGEN_SIM_METASTABLE", "-I", "tb", "-I", "rtl/external", "-y", "tb", "-y", "rtl", "-s", b.Module, "-o", out}
	for _, p := range b.Params {
		args = append(args, "-P"+b.Module+"."+p)
	}
	res, err := tool.Icarus.Run(r.ctx, r.dir, append(args, "tb/"+b.Module+".v")...)
	if err != nil {
		return "", err
	}
	if res.Code != 0 || strings.TrimSpace(res.Out) != "" {
		return "iverilog -Wall:\n" + tool.Tail(res.Out, 8), nil
	}
	defer os.Remove(out)
	return r.vvp(out)
}

// vvp runs a compiled bench: its last line has to be PASS.
func (r *run) vvp(file string, args ...string) (string, error) {
	res, err := tool.VVP.Run(r.ctx, r.dir, append([]string{"-n", file}, args...)...)
	if err != nil {
		return "", err
	}
	last := ""
	for l := range strings.SplitSeq(res.Out, "\n") {
		if l = strings.TrimSpace(l); l != "" && !strings.Contains(l, "$finish called") {
			last = l
		}
	}
	if res.Code != 0 || last != "PASS" || strings.Contains(res.Out, "FAIL") {
		return fmt.Sprintf("exit code %d, it said:\n%s", res.Code, tool.Tail(res.Out, 6)), nil
	}
	return "", nil
}
