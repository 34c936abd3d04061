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
	r, err := c.Report(nil, func(string) int { return 0 })
	require.NoError(t, err)
	require.Empty(t, r.Errors)
	require.Equal(t, []Module{{Name: "hwgen_skid", Lines: 4, Reached: 4, Bits: 2, Toggled: 1}}, r.Modules)
	require.Contains(t, r.Markdown(), "| hwgen_skid | 4 | 4 | 100.0 % | 2 | 1 | 50.0 % |")
	require.ErrorContains(t, c.add("C 'x' y", "quad"), "no count")
	require.ErrorContains(t, c.add(point("rtl/quad_skid.v", "3-x", "block", "2"), "quad"), "")
}

// A line that is not reached fails without a reason, and so does a reason without its line; the banner of an output
// shifts the numbers.
func TestGapsNeedReasons(t *testing.T) {
	n := lineOf(t, "full_q     <= 1'b1;")
	c := counts(t, point("rtl/quad_skid.v", itoa(n+4), "if", "0")+point("rtl/quad_skid.v", itoa(n+5), "if", "1"))
	head := func(string) int { return 4 }
	errs := func(gaps ...Gap) string {
		r, err := c.Report(gaps, head)
		require.NoError(t, err)
		return strings.Join(r.Errors, "; ")
	}
	require.Contains(t, errs(), "hwgen_skid.v:"+itoa(n)+" is not reached and has no reason: full_q     <= 1'b1;")
	require.Contains(t, errs(), "1 of 2 lines are reached, fewer than 98 %")
	ok := Gap{Module: "hwgen_skid", Text: "full_q     <= 1'b1;", Reason: "because"}
	require.NotContains(t, errs(ok), "no reason")
	require.Contains(t, errs(ok, Gap{Module: "hwgen_fifo", Text: "x", Reason: "because"}), "hwgen_fifo has no such gap: x")
	_, err := c.Report(nil, func(string) int { return 1000 })
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
	for _, g := range gaps {
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

// Every subject is a design that can be made, and together they have every module of the library.
func TestSubjectsHaveTheLibrary(t *testing.T) {
	lib, err := library()
	require.NoError(t, err)
	for _, x := range subjects() {
		d, files, err := x.load()
		require.NoError(t, err, x.name)
		for p := range files {
			if s, ok := strings.CutPrefix(p, "rtl/"+d.Name); ok {
				delete(lib, "hwgen"+strings.TrimSuffix(s, ".v"))
			}
		}
	}
	require.Empty(t, lib)
}

func itoa(n int) string { return strconv.Itoa(n) }
