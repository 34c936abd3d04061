// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hwgen/gen/tool"
	"hwgen/rtl"
)

// batchName is the name of all designs of a batch, so that they share the library's modules.
const batchName = "batch"

// lint lints the designs of seeds in three tools and returns what they say of each. They read all together, which looks at
// a module of the same parameters once; only if a tool has something to say are the designs linted by themselves. A design
// that can't be generated has no messages here.
func (o *RandomOptions) lint(ctx context.Context, seeds []int64) ([][]string, error) {
	out := make([][]string, len(seeds))
	clean, err := o.lintTogether(ctx, seeds)
	if err != nil || clean {
		return out, err
	}
	for i, seed := range seeds {
		d, err := o.load(seed, "", true)
		if err != nil {
			continue
		}
		rep, err := Run(ctx, Options{Design: d.Design, Files: d.Files, Steps: []string{"lint-iverilog", "lint-verilator", "lint-yosys"}})
		if err != nil {
			return nil, err
		}
		for _, s := range rep.Steps {
			for _, e := range s.Errors {
				out[i] = append(out[i], s.Name+": "+e)
			}
		}
	}
	if len(seeds) > 1 && !slices.ContainsFunc(out, func(l []string) bool { return len(l) > 0 }) {
		// together they are not clean, alone they are: a module that differs between designs, or a tool's limit
		for i := range out {
			out[i] = []string{fmt.Sprintf("lint: seeds %d together are not clean, though each alone is", seeds)}
		}
	}
	return out, nil
}

// lintTogether says whether the three tools are silent on some designs read together.
func (o *RandomOptions) lintTogether(ctx context.Context, seeds []int64) (bool, error) {
	files := map[string][]byte{}
	var tops []string
	for _, seed := range seeds {
		d, err := o.load(seed, batchName, true)
		if err != nil {
			return false, nil //nolint:nilerr // the error shows again where the seed is done alone
		}
		for p, b := range ownModules(d.Files, seed) {
			if old, ok := files[p]; ok && !bytes.Equal(body(old), body(b)) {
				return false, fmt.Errorf("%s differs between the designs of seeds %d", p, seeds)
			}
			files[p] = b
		}
		tops = append(tops, fmt.Sprintf("%s_%d", d.Design.Top, seed))
	}
	if len(tops) == 0 {
		return true, nil
	}
	dir, err := os.MkdirTemp("", "hwgen-lint-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	for p, b := range files {
		f := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
			return false, err
		}
		if err := os.WriteFile(f, b, 0o644); err != nil {
			return false, err
		}
	}
	v := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(p string) bool { return filepath.Ext(p) != ".v" })
	icarus := []string{"-g2005", "-Wall", "-t", "null", "-I", "rtl/external"}
	for _, t := range tops {
		icarus = append(icarus, "-s", t)
	}
	// the library is read but not elaborated before it is used, with the parameters of each use
	script := "read_verilog -defer -Irtl/external"
	own := "read_verilog"
	for _, p := range v {
		if strings.HasPrefix(p, "rtl/external/") || fromLibrary(p) {
			script += " " + p
		} else {
			own += " " + p
		}
	}
	// what proc does beside, opt_expr, is half of its time and has no messages
	script += "; " + own + "; hierarchy -check; proc -noopt; select -assert-none t:$dlatch"
	if !o.Lint { // half of all the time
		script += "; check -assert"
	}
	type call struct {
		tool tool.Tool
		args []string
	}
	calls := []call{{tool.Icarus, append(icarus, v...)}, {tool.Yosys, []string{"-q", "-p", script}}}
	// up to unused and undriven signals; two thirds of the time come after that, and those steps are done again where a
	// simulation is built. Below several tops Verilator 5.006 mixes up the parameters of modules, below one it does not
	all := batchName + "_all"
	if err := os.WriteFile(filepath.Join(dir, all+".v"), around(all, tops), 0o644); err != nil {
		return false, err
	}
	calls = append(calls, call{tool.Verilator, append([]string{"-Wall", "--default-language", "1364-2005", "-Irtl/external",
		"--xml-only", "--xml-output", os.DevNull, "--top-module", all, all + ".v"}, v...)})
	for _, c := range calls {
		res, err := c.tool.Run(ctx, dir, c.args...)
		if err != nil {
			return false, err
		}
		if res.Code != 0 || strings.TrimSpace(res.Out) != "" {
			return false, nil
		}
	}
	return true, nil
}

// around is a module with an instance of each module, without connections.
func around(name string, modules []string) []byte {
	var b bytes.Buffer
	// each module is looked at for itself: nothing is to be connected
	fmt.Fprintf(&b, "module %s;\n  /* verilator lint_off PINMISSING */\n", name)
	for i, m := range modules {
		fmt.Fprintf(&b, "  %s u_%d ();\n", m, i)
	}
	b.WriteString("endmodule\n")
	return b.Bytes()
}

// fromLibrary says whether a file of a design called batchName is one of the library's.
func fromLibrary(p string) bool {
	m, err := fs.Glob(rtl.FS, "*/hwgen_"+strings.TrimPrefix(path.Base(p), batchName+"_"))
	return err == nil && len(m) > 0
}

// ownModules is the Verilog of a design, with the seed added to the names of the modules that are its own.
func ownModules(files map[string][]byte, seed int64) map[string][]byte {
	out := map[string][]byte{}
	var own []string
	for p, b := range files {
		switch {
		case !strings.HasPrefix(p, "rtl/"):
		case strings.HasPrefix(p, "rtl/external/") || fromLibrary(p):
			out[p] = b
		default:
			own = append(own, regexp.QuoteMeta(strings.TrimSuffix(path.Base(p), ".v")))
		}
	}
	names := regexp.MustCompile(`\b(` + strings.Join(own, "|") + `)\b`)
	for _, n := range own {
		b := names.ReplaceAll(files["rtl/"+n+".v"], fmt.Appendf(nil, "${1}_%d", seed))
		out[fmt.Sprintf("rtl/%s_%d.v", n, seed)] = b
	}
	return out
}

// body is a source without the comments at its beginning, which name the config.
func body(b []byte) []byte {
	for bytes.HasPrefix(b, []byte("//")) {
		_, rest, ok := bytes.Cut(b, []byte("\n"))
		if !ok {
			break
		}
		b = rest
	}
	return b
}
