// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/emit"
	"hwgen/gen/sim"
	"hwgen/gen/tool"
)

const ownFolder = "../../examples/own"

// The example of a core of one's own: the whole design against the reference cipher.
func TestOwnCore(t *testing.T) {
	needTools(t)
	c, err := config.Load(filepath.Join(ownFolder, "own.toml"))
	require.NoError(t, err)
	d, err := design.Elaborate(c)
	require.NoError(t, err)
	out, err := emit.Emit(d, emit.Options{Version: "test", ConfigHash: c.Hash, SourcePath: c.SourcePath})
	require.NoError(t, err)
	rep, err := Run(context.Background(), Options{Design: d, Files: out, Packets: 1000, Seed: 1, Build: sim.Options{Quick: true},
		Steps: []string{"vectors", "jobs", "clear"}})
	require.NoError(t, err)
	require.True(t, rep.OK, "\n%s", rep.Table())
}

// The bench of the adapter passes, and finds what an adapter can do wrong.
func TestOwnCoreBench(t *testing.T) {
	needTools(t)
	run := func(old, neu string) string {
		dir := t.TempDir()
		args := []string{"-g2005", "-Wall", "-s", "start_done_port_tb", "-o", filepath.Join(dir, "tb.vvp")}
		n := 0
		for _, f := range []string{"start_done_port_tb.v", "start_done_port.v", "start_done_sm4.v"} {
			b, err := os.ReadFile(filepath.Join(ownFolder, f))
			require.NoError(t, err)
			if old != "" && f != "start_done_port_tb.v" {
				n += strings.Count(string(b), old)
				b = []byte(strings.Replace(string(b), old, neu, 1))
			}
			f = filepath.Join(dir, f)
			require.NoError(t, os.WriteFile(f, b, 0o644))
			args = append(args, f)
		}
		require.True(t, old == "" || n == 1, old)
		res, err := tool.Icarus.Run(t.Context(), dir, args...)
		require.NoError(t, err)
		require.Empty(t, strings.TrimSpace(res.Out))
		res, err = tool.VVP.Run(t.Context(), dir, "-n", filepath.Join(dir, "tb.vvp"))
		require.NoError(t, err)
		return res.Out
	}
	require.Contains(t, run("", ""), "PASS")
	res, err := tool.Yosys.Run(t.Context(), ownFolder, "-q", "-p", "read_verilog start_done_port.v start_done_sm4.v; "+
		"hierarchy -check -top start_done_port; proc; check -assert")
	require.NoError(t, err)
	require.Empty(t, res.Out)
	require.Contains(t, run("~busy_q & (~full_q | out_ready)", "~busy_q"), "FAIL: not stable while stalled")
	require.Contains(t, run("if (out_ready) full_q <= 1'b0;", "full_q <= 1'b0;"), "FAIL: not stable while stalled")
	require.Contains(t, run("~busy_q & (~full_q | out_ready)", "~busy_q & ~full_q"), "FAIL: cycles")
	require.Contains(t, run("~busy_q & (~full_q | out_ready)", "1'b1"), "FAIL")
	require.Contains(t, run(".inverse (in_decrypt)", ".inverse (1'b0)"), "FAIL")
}
