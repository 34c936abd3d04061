// SPDX-License-Identifier: Apache-2.0

// Package sim compiles a generated design with the C++ harness under Verilator, keeps the programs by the content they
// were made of, and runs stimuli on them.
package sim

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/tool"
	"hwgen/gen/workload"
)

// CacheEnv names the environment variable that says where built simulators are kept.
const CacheEnv = "HWGEN_CACHE"

// CacheDir is where built simulators are kept: $HWGEN_CACHE, or hwgen in the user's cache folder.
func CacheDir() (string, error) {
	if d := os.Getenv(CacheEnv); d != "" {
		return filepath.Abs(d)
	}
	d, err := os.UserCacheDir()
	if err != nil {
		return filepath.Join(os.TempDir(), "hwgen-cache"), nil //nolint:nilerr // no home: a temporary folder serves
	}
	return filepath.Join(d, "hwgen"), nil
}

// Options of a build.
type Options struct {
	Trace bool // with the bench that shows the scheduler's events
	Waves bool // with FST waves
	UART  bool // the top with a UART, its line on a pseudo-terminal
	// Quick compiles without optimisation, for designs that run but briefly: a third of the time to compile, five times
	// that to run.
	Quick bool
	// Unknowns makes each x that the RTL assigns a value drawn at random, for runs that check the RTL, not use it: nothing
	// may depend on one. Otherwise an x is what costs least.
	Unknowns bool
	// Lint makes what -Wall warns of an error: lint and build in one, for a design that is built once.
	Lint bool
	// Coverage counts what the runs go through, lines and toggles; CoverageLines lines alone.
	Coverage, CoverageLines bool
	// Logic takes the S-boxes as they are synthesised, not the tables that stand for them in simulation: far slower.
	Logic bool
	// Snapshot can write all registers and memories at the end of a run, as VCD: argument +snapshot=FILE.
	Snapshot bool
	// Metastable makes synchronisers see a change at once or a cycle later, by chance.
	Metastable bool
	Note       func(format string, args ...any)
}

// Simulator is a design compiled.
type Simulator struct {
	D      *design.Design
	Opt    Options
	Binary string
	Cached bool // it was there already
	// Args are given to the program behind its files: +name=value for a bench that reads $value$plusargs.
	Args []string
	// Covered is told of each run's counts, a file of Verilator that is gone afterwards: built with Coverage.
	Covered func(file string) error
}

// registered: no trace and no waves show the inputs, so they may be registers of a top around the design's.
func (o Options) registered() bool { return !o.Trace && !o.Waves && !o.UART }

// harness is the folder of the C++ that drives the design.
func (o Options) harness() string {
	if o.UART {
		return "verilator/uart"
	}
	return "verilator/sim"
}

// flags of Verilator that matter for the result.
func flags(d *design.Design, o Options) []string {
	top := d.Top
	switch {
	case o.Trace:
		top = d.Name + "_tb"
	case o.UART:
		top = d.Host.Top
	case o.registered():
		top, _ = registeredTop(d)
	}
	assign := "fast"
	if o.Unknowns {
		assign = "unique"
	}
	f := []string{
		"--cc", "--exe", "--build", "-j", "2", "-O3", "--x-assign", assign, "--x-initial", "unique", "--noassert",
		"--prefix", "Vdut", "--top-module", top, "--default-language", "1364-2005", "-CFLAGS", "-std=c++17",
	}
	if o.Lint {
		f = append(f, "-Wall")
	} else {
		// lint is a step of its own, without these; a newer Verilator's warnings do not stop a simulation
		f = append(f, "-Wno-fatal", "-Wno-lint", "-Wno-style")
	}
	if !o.Logic {
		f = append(f, "-DHWGEN_SIM_TABLES")
	}
	if o.Metastable {
		f = append(f, "-DHWGEN_SIM_METASTABLE")
	}
	if o.Quick {
		// all of the model in one file: its headers are read once; merging conditions can take most of Verilator's time
		f = append(f, "--output-split", "0", "-fno-merge-cond", "-MAKEFLAGS", "VM_PARALLEL_BUILDS=0 OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O2")
	} else {
		// gcc guesses wrong which branches of the model are taken; not guessing is a few per cent faster
		f = append(f, "-MAKEFLAGS", "OPT_FAST='-O2 -fno-guess-branch-probability' OPT_SLOW=-O0 OPT_GLOBAL=-O2")
	}
	if o.registered() {
		f = append(f, "-CFLAGS", "-DSIM_REGISTERED")
	}
	if o.Snapshot {
		f = append(f, "--trace", "--trace-structs", "--trace-max-array", "1048576", "--trace-max-width", "1048576",
			"-CFLAGS", "-DSIM_SNAPSHOT")
	}
	if o.Coverage || o.CoverageLines {
		f = append(f, "--coverage-line", "-CFLAGS", "-DSIM_COVERAGE")
	}
	if o.Coverage {
		f = append(f, "--coverage-toggle")
	}
	if o.Trace {
		f = append(f, "-CFLAGS", "-DSIM_TRACE")
	}
	if o.Waves {
		f = append(f, "--trace-fst", "--trace-structs", "-CFLAGS", "-DSIM_WAVES")
	}
	return f
}

// sources picks what is compiled out of a generated output.
func sources(d *design.Design, files map[string][]byte, o Options) (verilog, cpp, other []string) {
	for p := range files {
		dir, ext := path.Dir(p), path.Ext(p)
		switch {
		case strings.HasPrefix(p, "rtl/") && ext == ".v":
			verilog = append(verilog, p)
		case strings.HasPrefix(p, "rtl/"):
			other = append(other, p)
		case o.Trace && p == "tb/"+d.Name+"_tb.v":
			verilog = append(verilog, p)
		case dir == o.harness() && ext == ".cpp":
			cpp = append(cpp, p)
		case dir == o.harness():
			other = append(other, p)
		}
	}
	for _, l := range [][]string{verilog, cpp, other} {
		sort.Strings(l)
	}
	return verilog, cpp, other
}

// Build compiles a generated output, or takes the program that was compiled of the same bytes before.
func Build(ctx context.Context, d *design.Design, files map[string][]byte, o Options) (*Simulator, error) {
	if err := tool.Need(tool.Verilator, tool.Compiler, tool.Make); err != nil {
		return nil, err
	}
	version, err := tool.Verilator.VersionString(ctx)
	if err != nil {
		return nil, err
	}
	if err := tool.CheckVerilator(version); err != nil {
		return nil, err
	}
	compiler, err := tool.Compiler.VersionString(ctx)
	if err != nil {
		return nil, err
	}
	verilog, cpp, other := sources(d, files, o)
	if len(verilog) == 0 || len(cpp) == 0 {
		return nil, errors.New("the output has no Verilog or no harness")
	}
	if o.registered() {
		name, b := registeredTop(d)
		p := "tb/" + name + ".v"
		files = maps.Clone(files)
		files[p] = b
		verilog = append(verilog, p)
	}
	args := flags(d, o)
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%q\n", version, compiler, args)
	all := slices.Concat(verilog, cpp, other)
	for _, p := range all {
		// the banner names the config, not what is built
		sum := sha256.Sum256(stripBanner(files[p]))
		fmt.Fprintf(h, "%s %x\n", p, sum)
	}
	key := hex.EncodeToString(h.Sum(nil))[:40]
	root, err := CacheDir()
	if err != nil {
		return nil, err
	}
	s := &Simulator{D: d, Opt: o, Binary: filepath.Join(root, "sim", key, "sim")}
	if st, err := os.Stat(s.Binary); err == nil && st.Mode().IsRegular() {
		s.Cached = true
		return s, nil
	}
	if err := os.MkdirAll(filepath.Join(root, "sim"), 0o755); err != nil {
		return nil, diag.Usage("the cache of built simulators: %w; set %s to another folder", err, CacheEnv)
	}
	if o.Note != nil {
		o.Note("compiling %s under %s (kept: a second run does not compile)", d.Name, version)
	}
	tmp, err := os.MkdirTemp(filepath.Join(root, "sim"), ".build-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	src := filepath.Join(tmp, "src")
	for _, p := range all {
		f := filepath.Join(src, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(f, files[p], 0o644); err != nil {
			return nil, err
		}
	}
	// Verilator passes sources on to a make that runs in another folder
	args = append(args, "--Mdir", filepath.Join(tmp, "obj"), "-o", "../sim", "-Irtl/external",
		"-CFLAGS", "-I"+filepath.Join(src, path.Dir(cpp[0])))
	args = append(args, verilog...)
	for _, p := range cpp {
		args = append(args, filepath.Join(src, filepath.FromSlash(p)))
	}
	var env []string
	if _, err := tool.Ccache.Find(); err == nil {
		env = append(env, "OBJCACHE=ccache", "CCACHE_BASEDIR="+tmp, "CCACHE_NOHASHDIR=1")
	}
	vp, err := tool.Verilator.Find()
	if err != nil {
		return nil, err
	}
	r, err := tool.Exec(ctx, src, env, vp, args...)
	if err != nil {
		return nil, err
	}
	if r.Code != 0 {
		return nil, tool.Verilator.Failed("compiling "+d.Name, r)
	}
	final := filepath.Join(root, "sim", key)
	if err := os.MkdirAll(filepath.Join(tmp, "out"), 0o755); err != nil {
		return nil, err
	}
	if err := os.Rename(filepath.Join(tmp, "sim"), filepath.Join(tmp, "out", "sim")); err != nil {
		return nil, tool.Verilator.Failed("compiling "+d.Name, r)
	}
	// whoever comes first wins: the programs are the same
	if err := os.Rename(filepath.Join(tmp, "out"), final); err != nil {
		if _, serr := os.Stat(s.Binary); serr != nil {
			return nil, err
		}
	}
	return s, nil
}

func stripBanner(b []byte) []byte {
	for range 8 {
		line, rest, ok := bytes.Cut(b, []byte("\n"))
		if !ok || !bytes.HasPrefix(line, []byte("//")) && !bytes.HasPrefix(line, []byte("#")) {
			break
		}
		b = rest
	}
	return b
}

// Run runs a stimulus. What the monitors find wrong, and no progress, is in the outcome's Violations.
func (s *Simulator) Run(st *workload.Stimulus) (*workload.Outcome, error) {
	return s.RunFiles(context.Background(), st, "", "")
}

// RunFiles runs a stimulus and writes, asked for, the raw trace and FST waves.
func (s *Simulator) RunFiles(ctx context.Context, st *workload.Stimulus, trace, waves string) (*workload.Outcome, error) {
	dir, err := os.MkdirTemp("", "hwgen-sim-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "stimulus.bin"), filepath.Join(dir, "result.bin")
	f, err := os.Create(in)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(writeStimulus(f, s.D, st), f.Close()); err != nil {
		return nil, err
	}
	args := append([]string{in, out, trace, waves}, s.Args...)
	counts := filepath.Join(dir, "coverage.dat")
	if s.Covered != nil {
		args = append(args, "+coverage="+counts)
	}
	r, err := tool.Exec(ctx, dir, nil, s.Binary, args...)
	if err != nil {
		return nil, err
	}
	b, rerr := os.ReadFile(out)
	if errors.Is(rerr, fs.ErrNotExist) || r.Code != 0 && r.Code != 3 {
		return nil, fmt.Errorf("the simulation of %s ended with code %d: %s", s.D.Name, r.Code, tool.Tail(r.Out, 10))
	}
	if rerr != nil {
		return nil, rerr
	}
	if s.Covered != nil {
		if err := s.Covered(counts); err != nil {
			return nil, err
		}
	}
	return readOutcome(b)
}
