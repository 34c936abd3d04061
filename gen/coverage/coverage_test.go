// SPDX-License-Identifier: Apache-2.0

package coverage

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// point is a line of Verilator's file: of lines, or of a toggle if lines is empty.
func point(file, lines, comment string, count string) string {
	kind, at := "v_line", lines
	if lines == "" {
		kind, at = "v_toggle", "1"
	}
	at, _, _ = strings.Cut(at, "-")
	at, _, _ = strings.Cut(at, ",")
	s := "C '\x01f\x02" + file + "\x01l\x02" + at + "\x01n\x023\x01page\x02" + kind + "/m\x01o\x02" + comment
	if lines != "" {
		s += "\x01S\x02" + lines
	}
	return s + "\x01h\x02TOP.x' " + count + "\n"
}

func counts(t *testing.T, points ...string) *Counts {
	t.Helper()
	c := NewCounts()
	for _, p := range points {
		f := filepath.Join(t.TempDir(), "coverage.dat")
		require.NoError(t, os.WriteFile(f, []byte("# SystemC::Coverage-3\n"+p), 0o600))
		require.NoError(t, c.Add(f, "quad"))
	}
	return c
}

// lineOf is the number of the first line of hwgen_skid.v with a text.
func lineOf(t *testing.T, text string) int {
	t.Helper()
	lib, err := library()
	require.NoError(t, err)
	i := slices.IndexFunc(lib["hwgen_skid"], func(s string) bool { return strings.Contains(s, text) })
	require.GreaterOrEqual(t, i, 0)
	return i + 1
}

func TestCountsAddUp(t *testing.T) {
	c := counts(t,
		point("rtl/quad_skid.v", "3,5-7", "block", "2")+point("rtl/quad_skid.v", "6", "if", "0")+point("tb/quad_tb.v", "1", "block", "9"),
		point("rtl/quad_skid.v", "6", "if", "4")+point("rtl/quad_skid.v", "", "full_q", "0")+point("rtl/quad_skid.v", "", "out_q", "3")+
			point("rtl/external/quad_core.v", "2", "block", "1"))
	require.Equal(t, map[place]uint64{{"hwgen_skid", 3}: 2, {"hwgen_skid", 5}: 2, {"hwgen_skid", 6}: 6, {"hwgen_skid", 7}: 2}, c.lines)
	r, err := c.Report(&Known{}, func(string) int { return 0 })
	require.NoError(t, err)
	require.Equal(t, []Module{{Name: "hwgen_skid", Lines: 4, Reached: 4, Bits: Bits{Control: Share{2, 1}}, Still: []string{"full_q 1 of 1"}}}, r.Modules)
	require.Contains(t, r.Markdown(), "| hwgen_skid | 4 | 4 | 100.0 % |")
	require.ErrorContains(t, c.add("C 'x' y", "quad"), "no count")
	require.ErrorContains(t, c.add(point("rtl/quad_skid.v", "3-x", "block", "2"), "quad"), "")
}

// Bits are counted apart by what they belong to, and the module with the most that never change comes first.
func TestToggles(t *testing.T) {
	var skid, fifo strings.Builder
	for i := range 40 {
		fifo.WriteString(point("rtl/quad_fifo.v", "", "in_data["+itoa(i)+"]", "4"))
	}
	for i, n := range []string{"3", "2", "0"} {
		skid.WriteString(point("rtl/quad_skid.v", "", "count_q["+itoa(i)+"]", n))
		fifo.WriteString(point("rtl/quad_fifo.v", "", "mem["+itoa(i)+"][0]", n) + point("rtl/quad_fifo.v", "", "mem["+itoa(i)+"][1]", "0"))
	}
	c := counts(t, fifo.String()+point("rtl/quad_fifo.v", "", "busy_q", "5")+point("rtl/quad_ram.v", "4", "block", "1"), skid.String())
	r, err := c.Report(&Known{}, func(string) int { return 0 })
	require.NoError(t, err)
	require.Equal(t, Bits{Control: Share{4, 2}, Wide: Share{40, 40}, Memories: Share{6, 1}}, r.Bits)
	page := r.Markdown()
	require.Contains(t, page, "- hwgen_skid: count_q 2 of 3\n")
	at := 0
	for _, row := range []string{
		"| hwgen_skid | 3 | 1 | 33.3 % | 0 | 0 | - | 0 | 0 | - |",
		"| hwgen_fifo | 1 | 1 | 100.0 % | 40 | 40 | 100.0 % | 6 | 1 | 16.7 % |",
		"| hwgen_ram | 0 | 0 | - | 0 | 0 | - | 0 | 0 | - |",
		"| all | 4 | 2 | 50.0 % | 40 | 40 | 100.0 % | 6 | 1 | 16.7 % |",
	} {
		i := strings.Index(page, row)
		require.Greater(t, i, at, row)
		at = i
	}
}

// A line that is not reached fails without a reason, and so does a reason without its line; the banner of an output
// shifts the numbers.
func TestGapsNeedReasons(t *testing.T) {
	n := lineOf(t, "full_q     <= 1'b1;")
	c := counts(t, point("rtl/quad_skid.v", itoa(n+4), "if", "0")+point("rtl/quad_skid.v", itoa(n+5), "if", "1"))
	head := func(string) int { return 4 }
	errs := func(gaps ...Gap) string {
		r, err := c.Report(&Known{Gaps: gaps}, head)
		require.NoError(t, err)
		return strings.Join(r.Errors, "; ")
	}
	require.Contains(t, errs(), "hwgen_skid.v:"+itoa(n)+" is not reached and has no reason: full_q     <= 1'b1;")
	require.Contains(t, errs(), "1 of 2 lines are reached, fewer than 98 %")
	ok := Gap{Module: "hwgen_skid", Text: "full_q     <= 1'b1;", Reason: "because"}
	require.NotContains(t, errs(ok), "is not reached")
	require.Contains(t, errs(ok, Gap{Module: "hwgen_fifo", Text: "x", Reason: "because"}), "hwgen_fifo has no such gap: x")
	_, err := c.Report(&Known{}, func(string) int { return 1000 })
	require.ErrorContains(t, err, "has no line")
}

// A gap without a reason is none.
func TestGapsHaveReasons(t *testing.T) {
	was := gapsFile
	defer func() { gapsFile = was }()
	gap := "[[gap]]\nmodule = \"hwgen_skid\"\ntext = \"x\"\n"
	for why, ok := range map[string]bool{"": false, "reason = \"\"\n": false, "reason = \" \"\n": false, "reason = \"because\"\n": true} {
		gapsFile = []byte(gap + why)
		_, err := Gaps()
		require.Equal(t, ok, err == nil, why)
	}
}

func TestGapsFile(t *testing.T) {
	gaps, err := Gaps()
	require.NoError(t, err)
	lib, err := library()
	require.NoError(t, err)
	for _, g := range gaps.Gaps {
		n := 0
		for i := range lib[g.Module] {
			if g.covers(lib[g.Module], i) {
				n++
			}
		}
		require.Positive(t, n, "%s: %s%s", g.Module, g.Text, g.Function)
		require.Less(t, n, 40, "%s: %s%s", g.Module, g.Text, g.Function)
	}
	f := Gap{Function: "next"}
	text := strings.Split("function [3:0] first;\n  a;\nendfunction\nfunction [3:0] next;\n  b;\nendfunction\nc;", "\n")
	for i, want := range []bool{false, false, false, true, true, false, false} {
		require.Equal(t, want, f.covers(text, i), i)
	}
}

// Together the subjects have every module of the library and every generate block, or gaps.toml says why not; a block that no
// design has and a reason that nothing needs are errors.
func TestSubjectsHaveTheLibrary(t *testing.T) {
	known, err := Gaps()
	require.NoError(t, err)
	c := NewCounts()
	lib, err := library()
	require.NoError(t, err)
	lines := 0
	for _, x := range subjects() {
		d, out, err := x.load()
		require.NoError(t, err, x.name)
		top, files := x.built(d, out)
		tree, err := elaborated(t.Context(), &x, top, files)
		require.NoError(t, err, x.name)
		c.tree.add(tree)
		if b, ok := out["rtl/"+d.Name+"_skid.v"]; ok {
			lines = strings.Count(string(b), "\n") + 1 - len(lib["hwgen_skid"])
		}
	}
	absent := func(known *Known) *Report {
		r := &Report{}
		c.absent(r, lib, known, func(string) int { return lines })
		return r
	}
	r := absent(known)
	require.Empty(t, r.Errors)
	require.Greater(t, r.Branches.Changed, 100)

	gone := place{"hwgen_merge_tree", 0}
	for p, name := range branches(lib) {
		if p.module == gone.module && name == "g_three" {
			gone.line = p.line
		}
	}
	require.True(t, c.tree.blocks[place{gone.module, gone.line + lines}])
	delete(c.tree.blocks, place{gone.module, gone.line + lines})
	delete(c.tree.modules, "hwgen_blink")
	require.Equal(t, []string{
		"no design has hwgen_blink, and there is no reason",
		"no design has block g_three of hwgen_merge_tree.v:" + itoa(gone.line) + ", and there is no reason",
	}, absent(known).Errors)
	require.Equal(t, []string{
		"gaps.toml: a design has hwgen_skid, or there is no such module",
		"gaps.toml: every block g_ff of hwgen_fifo is in a design, or there is none",
	}, absent(&Known{
		Branches: append(known.Branches, Branch{"hwgen_merge_tree", "g_three", "made up"}, Branch{"hwgen_fifo", "g_ff", "made up"}),
		Missing:  append(known.Missing, Missing{"hwgen_blink", "made up"}, Missing{"hwgen_skid", "made up"}),
	}).Errors)
}

// A small design in short: what its runs reach is counted. A line of a module that is never run is an error, and so is a reason
// for a line that is.
func TestRun(t *testing.T) {
	x := toy{name: "brief", width: 128, packet: 32, scheduler: "policy = \"round_robin\"\nlane = \"serial\"\n", cores: uneven[:1]}.subject("jobs")
	const file, stale = "rtl/brief_skid.v", "ready_q    <= 1'b1;"
	rep, err := run(t.Context(), Options{Packets: 60, Seed: 1, Quick: true, change: func(files map[string][]byte) {
		before, after, ok := strings.Cut(string(files[file]), "endmodule")
		require.True(t, ok)
		files[file] = []byte(before + "reg never_q; always @(posedge clk) if (rst & ~rst)\n  never_q <= 1'b1;\nendmodule" + after)
	}}, []subject{x}, &Known{Gaps: []Gap{{Module: "hwgen_skid", Text: stale, Reason: "made up"}}})
	require.NoError(t, err)
	require.Equal(t, []string{"brief"}, rep.Designs)
	i := slices.IndexFunc(rep.Modules, func(m Module) bool { return m.Name == "hwgen_skid" })
	require.GreaterOrEqual(t, i, 0)
	m := rep.Modules[i]
	require.GreaterOrEqual(t, m.Reached, 10)
	lib, err := library()
	require.NoError(t, err)
	made := slices.Index(lib["hwgen_skid"], "endmodule") + 2
	require.True(t, slices.ContainsFunc(m.Gaps, func(g Line) bool { return g.Number == made }), "%+v", m)
	all := strings.Join(rep.Errors, "\n")
	require.Contains(t, all, "hwgen_skid.v:"+itoa(made)+" is not reached and has no reason")
	require.Contains(t, all, "gaps.toml: hwgen_skid has no such gap: "+stale)
}

func itoa(n int) string { return strconv.Itoa(n) }
