// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/design"
	"hwgen/gen/formal"
	"hwgen/rtl"
)

func TestParseMutant(t *testing.T) {
	m, ok := parseMutant(strings.Fields(`mutate -mode cnot1 -module mut_top -cell $flatten\u_x.$eq$rtl/mut_fifo.v:38$84 -port B `+
		`-portbit 23 -ctrlbit 4 -wire u_x.valid_q -wirebit 2 -src rtl/mut_top.v:275.17-291.4 -src rtl/mut_fifo.v:38.23-38.53`), 7, "mut")
	require.True(t, ok)
	require.Equal(t, "fifo", m.Module)
	require.Equal(t, "fifo.v:38", m.Source)
	require.Equal(t, "u_x.valid_q[2]", m.Wire)
	require.Equal(t, ` -mode cnot1 -module mut_top -cell $flatten\u_x.$eq$rtl/mut_fifo.v:38$84 -port B -portbit 23 -ctrlbit 4`, m.args)
	require.Equal(t, 23, m.Bit)
	_, ok = parseMutant([]string{"#"}, 1, "mut")
	require.False(t, ok)
}

// An entry without a reason is none, whatever finds its mutants.
func TestReasonsAreGiven(t *testing.T) {
	was := reasonsFile
	defer func() { reasonsFile = was }()
	entry := "[[reason]]\nmodule = \"fifo\"\nmatch = \"x\"\ntest = \"TestSecrets\"\n"
	for why, ok := range map[string]bool{"": false, "reason = \"\"\n": false, "reason = \" \"\n": false, "reason = \"because\"\n": true} {
		reasonsFile = []byte(entry + why)
		_, err := reasons()
		require.Equal(t, ok, err == nil, why)
	}
}

// A reason is found by module, mutant and line; each is for a line that the library has.
func TestReasons(t *testing.T) {
	l, err := reasons()
	require.NoError(t, err)
	_, proofs, err := formal.Load()
	require.NoError(t, err)
	var tests strings.Builder
	names, err := filepath.Glob("../verify/*_test.go")
	require.NoError(t, err)
	for _, n := range names {
		b, err := os.ReadFile(n)
		require.NoError(t, err)
		tests.Write(b)
	}
	for _, r := range l {
		require.True(t, r.Proof == "" || slices.ContainsFunc(proofs, func(p *formal.Proof) bool {
			return p.Name == r.Proof && slices.ContainsFunc(p.Faults, func(f formal.Fault) bool { return f.Name == r.Fault })
		}), "no proof %s with the fault %q", r.Proof, r.Fault)
		require.True(t, r.Test == "" || strings.Contains(tests.String(), "func "+r.Test+"("), "no test %s", r.Test)
		found, err := fs.Glob(rtl.FS, "*/hwgen_"+r.Module+".v")
		require.NoError(t, err)
		require.Len(t, found, 1, r.Module)
		b, err := fs.ReadFile(rtl.FS, found[0])
		require.NoError(t, err)
		if _, line, ok := strings.Cut(r.Match, ` \| `); ok {
			re := regexp.MustCompile(line)
			require.True(t, slices.ContainsFunc(strings.Split(string(b), "\n"), func(s string) bool {
				return re.MatchString(strings.TrimSpace(s))
			}), "%s: no line for %s", r.Module, r.Match)
		}
	}
	x := &netlist{d: &design.Design{Name: "d"}, sources: map[string][]byte{"rtl/d_fifo.v": []byte("a\n  b <= c;\n")}}
	m := &Mutant{Mode: "const0", Port: "Q", Bit: 3, Wire: "u_x.g_y.b_q[3]", Module: "fifo", Source: "fifo.v:2"}
	require.Equal(t, "const0 Q[3] b_q[3] | b <= c;", m.describe("  b <= c;"))
	why := []reason{{Module: "fifo", re: regexp.MustCompile(`const0 .* \| b <= c;`), cell: regexp.MustCompile(`u_x\.`)}}
	require.Nil(t, x.reasonFor(m, why))
	m.Cell = `$flatten\u_x.u_queue.$dff$1`
	require.NotNil(t, x.reasonFor(m, why))
	m.Source = "fifo.v:1"
	require.Nil(t, x.reasonFor(m, why))
}

// A few mutants of a small scheduler: the bench passes without one, and finds most of them in its short runs. The long
// campaign is make mutate.
func TestMutantsAreFound(t *testing.T) {
	d, files, err := small()
	require.NoError(t, err)
	rep, err := Run(context.Background(), Options{Design: d, Files: files, Count: 40, Seed: 1, Packets: 120, Short: true, Quick: true, Seconds: 2})
	require.NoError(t, err)
	t.Log("\n" + rep.Table())
	require.Len(t, rep.Results, 40)
	require.GreaterOrEqual(t, rep.Count(Killed), 33)
}

// tiny is a circuit by hand: y = a & b, and a sum of which only bit 0 is taken, kept in a register.
const tiny = `{"modules": {"top": {
  "ports": {"a": {"direction": "input", "bits": [2]}, "b": {"direction": "input", "bits": [3]}, "q": {"direction": "output", "bits": [9]}},
  "cells": {
    "and": {"type": "$and", "parameters": {}, "port_directions": {"A": "input", "B": "input", "Y": "output"},
      "connections": {"A": [2], "B": [3], "Y": [4]}},
    "add": {"type": "$add", "parameters": {}, "port_directions": {"A": "input", "B": "input", "Y": "output"},
      "connections": {"A": [4, 2], "B": [2, 3], "Y": [5, 6]}},
    "mux": {"type": "$mux", "parameters": {}, "port_directions": {"A": "input", "B": "input", "S": "input", "Y": "output"},
      "connections": {"A": [5], "B": [5], "S": [3], "Y": [7]}},
    "or": {"type": "$or", "parameters": {}, "port_directions": {"A": "input", "B": "input", "Y": "output"},
      "connections": {"A": [4], "B": [2], "Y": [10]}},
    "eq": {"type": "$eq", "parameters": {}, "port_directions": {"A": "input", "B": "input", "Y": "output"},
      "connections": {"A": [10, "x"], "B": [2, "0"], "Y": [8]}},
    "xor": {"type": "$xor", "parameters": {}, "port_directions": {"A": "input", "B": "input", "Y": "output"},
      "connections": {"A": [7], "B": [8], "Y": [11]}},
    "pmux": {"type": "$pmux", "parameters": {}, "port_directions": {"A": "input", "B": "input", "S": "input", "Y": "output"},
      "connections": {"A": ["0"], "B": ["0", 2], "S": [3, 2], "Y": [13]}},
    "sum": {"type": "$xor", "parameters": {}, "port_directions": {"A": "input", "B": "input", "Y": "output"},
      "connections": {"A": [11], "B": [13], "Y": [14]}},
    "ff": {"type": "$dff", "parameters": {}, "port_directions": {"D": "input", "CLK": "input", "Q": "output"},
      "connections": {"D": [14], "CLK": [12], "Q": [9]}}
  },
  "netnames": {}
}}}`

// What the proof says of each change is checked by hand.
func TestEqual(t *testing.T) {
	c, err := readCircuit([]byte(tiny), "top")
	require.NoError(t, err)
	l := newLogic(c)
	for _, x := range []struct {
		mode, cell, port string
		bit, ctrl        int
		equal, dead      bool
	}{
		{"inv", "and", "A", 0, 0, false, false},
		{"inv", "add", "A", 1, 0, true, true},     // bit 1 of the sum is not taken
		{"inv", "mux", "S", 0, 0, true, false},    // both sides are the same
		{"const0", "or", "A", 0, 0, true, false},  // a & b | a is a
		{"const1", "or", "A", 0, 0, false, false}, //
		{"inv", "ff", "D", 0, 0, false, false},
		{"cnot0", "add", "A", 0, 1, false, false},
		{"inv", "eq", "A", 1, 0, false, false}, // an x is anything, but not its inverse
		{"const0", "add", "Y", 1, 0, true, true},
		{"const0", "xor", "Y", 0, 0, false, false},
		{"const1", "pmux", "S", 0, 0, false, false}, // the lowest input that is selected counts: a & ~b, then 0
		{"const1", "pmux", "S", 1, 0, true, false},  // a is 0 where it is not selected
	} {
		m := &Mutant{Mode: x.mode, Cell: x.cell, Port: x.port, Bit: x.bit, Ctrl: x.ctrl}
		ok, err := l.equal(m)
		require.NoError(t, err)
		require.Equal(t, x.equal, ok, "%+v", x)
		require.Equal(t, x.dead, c.dead(m), "%+v", x)
	}
	_, err = l.equal(&Mutant{Mode: "inv", Cell: "none"})
	require.ErrorContains(t, err, "no such cell")
}

// A stream of which valid is a register, data is kept while nothing comes in, and z, 0 from the reset on, is mixed in.
const stream = `{"modules": {"top": {
  "ports": {"rst": {"direction": "input", "bits": [2]}, "v": {"direction": "input", "bits": [3]}, "d": {"direction": "input", "bits": [4]},
    "m_axis_tvalid": {"direction": "output", "bits": [11]}, "m_axis_tdata": {"direction": "output", "bits": [17]}},
  "cells": {
    "run": {"type": "$not", "parameters": {}, "port_directions": {"A": "input", "Y": "output"}, "connections": {"A": [2], "Y": [12]}},
    "next": {"type": "$and", "parameters": {}, "port_directions": {"A": "input", "B": "input", "Y": "output"},
      "connections": {"A": [3], "B": [12], "Y": [10]}},
    "valid": {"type": "$dff", "parameters": {}, "port_directions": {"D": "input", "CLK": "input", "Q": "output"},
      "connections": {"D": [10], "CLK": [9], "Q": [11]}},
    "keep": {"type": "$mux", "parameters": {}, "port_directions": {"A": "input", "B": "input", "S": "input", "Y": "output"},
      "connections": {"A": [14], "B": [4], "S": [3], "Y": [13]}},
    "data": {"type": "$dff", "parameters": {}, "port_directions": {"D": "input", "CLK": "input", "Q": "output"},
      "connections": {"D": [13], "CLK": [9], "Q": [14]}},
    "never": {"type": "$and", "parameters": {}, "port_directions": {"A": "input", "B": "input", "Y": "output"},
      "connections": {"A": [12], "B": [16], "Y": [15]}},
    "z": {"type": "$dff", "parameters": {}, "port_directions": {"D": "input", "CLK": "input", "Q": "output"},
      "connections": {"D": [15], "CLK": [9], "Q": [16]}},
    "mix": {"type": "$or", "parameters": {}, "port_directions": {"A": "input", "B": "input", "Y": "output"},
      "connections": {"A": [14], "B": [16], "Y": [17]}}
  },
  "netnames": {}
}}}`

// What is the same only in the states that are reached, or only where someone may look.
func TestEqualOverTime(t *testing.T) {
	c, err := readCircuit([]byte(stream), "top")
	require.NoError(t, err)
	l := newLogic(c)
	for _, x := range []struct {
		mode, cell, port string
		equal            bool
	}{
		{"inv", "keep", "A", true},    // what is kept is not valid
		{"inv", "keep", "B", false},   //
		{"const0", "mix", "B", true},  // z is 0
		{"const1", "mix", "B", false}, //
		{"inv", "z", "D", false},
		{"const0", "z", "Q", true},
		{"const0", "next", "B", false}, // never valid
		{"inv", "valid", "CLK", false}, // not modelled
	} {
		m := &Mutant{Mode: x.mode, Cell: x.cell, Port: x.port}
		ok, err := l.equal(m)
		require.NoError(t, err)
		require.False(t, ok, "%+v", x)
		ok, err = l.same(t.Context(), m, 5)
		require.NoError(t, err)
		require.Equal(t, x.equal, ok, "%+v", x)
	}
}
