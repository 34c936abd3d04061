// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/board"
	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/emit"
	"hwgen/gen/part"
	"hwgen/gen/tool"
)

func TestNames(t *testing.T) {
	f := &flow{inst: "u_design"}
	for in, want := range map[string]string{
		"u_design.u_cluster_aes.u_lane_0.c_q_SB_DFFESR_Q_3_D_SB_LUT4_O_LC": "u_cluster_aes.u_lane_0.c_q",
		"u_design.u_head.state_q[2]":                                       "u_head.state_q[2]",
		"u_design.u_ingress.word_q_TRELLIS_FF_Q":                           "u_ingress.word_q",
	} {
		require.Equal(t, want, f.ownName(in))
	}
	for in, want := range map[string]string{
		"clk$SB_IO_IN_$glb_clk": "clk", "$glbnet$clk$TRELLIS_IO_IN": "clk", "clk_in_IBUF_O": "clk_in",
	} {
		require.Equal(t, want, clockName(in))
	}
	require.Equal(t, "x_ram", plain(`$paramod$00eb\x_ram`))
	require.Equal(t, "x_ram", plain(`$paramod\x_ram\N=s32'01`))
	require.Equal(t, "x_ram", plain("x_ram"))
}

func TestSteps(t *testing.T) {
	f := &flow{inst: "u_design"}
	pin := func(c string) pnrPin { return pnrPin{Cell: "u_design." + c} }
	got := f.steps([]pnrStep{
		{Type: "clk-to-q", Delay: 1, From: pin("a_q_SB_DFF_Q"), To: pin("a_q_SB_DFF_Q")},
		{Type: "routing", Delay: 2, From: pin("a_q_SB_DFF_Q"), To: pin("b_SB_LUT4_O")},
		{Type: "logic", Delay: 3, From: pin("b_SB_LUT4_O"), To: pin("b_SB_LUT4_O")},
		{Type: "routing", Delay: 4, From: pin("b_SB_LUT4_O"), To: pin("b_SB_LUT4_O_1")},
		{Type: "logic", Delay: 5, From: pin("b_SB_LUT4_O_1"), To: pin("b_SB_LUT4_O_1")},
		{Type: "setup", Delay: 6, From: pin("b_SB_LUT4_O_1"), To: pin("b_SB_LUT4_O_1")},
	})
	require.Equal(t, []Step{
		{"clk-to-q", 1, 0, "a_q", "a_q"}, {"routing", 2, 0, "a_q", "b"}, {"logic", 12, 2, "b", "b"}, {"setup", 6, 0, "b", "b"},
	}, got)
}

func TestMedian(t *testing.T) {
	require.InDelta(t, 2.0, median([]float64{3, 1, 2}), 0)
	require.InDelta(t, 2.5, median([]float64{4, 1, 2, 3}), 0)
}

// A netlist that the part cannot hold is refused with what is over and the largest blocks.
func TestTooLarge(t *testing.T) {
	hx, err := part.Find("hx8k")
	require.NoError(t, err)
	f := &flow{r: &Request{Top: "x_top", Target: hx}}
	res := &Result{Area: Area{LUTs: 9000, RAMs: 40}, Blocks: []Area{{Name: "u_a.u_b", LUTs: 8000}}}
	err = f.fits(res)
	require.Equal(t, diag.ExitFailed, diag.ExitCode(err))
	require.ErrorContains(t, err, "x_top is too large for hx8k: 9000 LUTs of 7680, 40 block RAMs of 32")
	require.ErrorContains(t, err, "u_a.u_b 8000")
	require.NoError(t, f.fits(&Result{Area: Area{LUTs: 7000}}))
}

// What nextpnr says of a design that is too large is told from other failures.
func TestPlacementFull(t *testing.T) {
	hx, err := part.Find("hx8k")
	require.NoError(t, err)
	f := &flow{r: &Request{Top: "x_top", Target: hx}, fam: &ice40}
	for _, m := range []string{
		"Unable to place cell 'a_LC', no BELs remaining to implement cell type 'ICESTORM_LC'",
		"Unable to find a placement location for cell 'a'",
		"Unable to find legal placement for all cells, design is probably at utilisation limit.",
		"Unable to find legal placement for cell 'a' of type 'LUT4' after 100 attempts, check constraints and utilisation. Use x",
		"Unable to find placement for cell 'a' of type 'SB_GB'",
		"failed to place chain starting at cell 'a'",
		"Failed to expand region (0, 0) |_> (32, 32) of 5954 ICESTORM_LCs",
	} {
		err := f.pnrError(tool.Result{Out: "Info: x\nERROR: " + m + "\n1 error\n", Code: 255}, &Result{})
		var large *TooLarge
		require.ErrorAs(t, err, &large, m)
		require.Equal(t, diag.ExitFailed, diag.ExitCode(err))
		require.ErrorContains(t, err, "x_top does not fit hx8k: nextpnr: "+m)
	}
	for _, m := range []string{"Derived VCO frequency 900 MHz of PLL 'p' is out of legal range [400MHz, 800MHz]", "IO 'a' is unconstrained"} {
		err := f.pnrError(tool.Result{Out: "ERROR: " + m + "\n", Code: 255}, &Result{})
		require.Equal(t, diag.ExitTool, diag.ExitCode(err), m)
	}
}

// least is a board's smallest design: the scheduler with one core behind its UART.
func least(t *testing.T, name string) *Request {
	t.Helper()
	b, err := board.Find(name)
	require.NoError(t, err)
	c, err := config.Parse("least.toml", ".", []byte(b.LeastConfig()))
	require.NoError(t, err)
	d, err := design.Elaborate(c)
	require.NoError(t, err)
	out, err := emit.Emit(d, emit.Options{Version: "test", ConfigHash: c.Hash})
	require.NoError(t, err)
	top, pins := emit.BoardFiles(d)
	r := &Request{Top: "least_board", Target: b.Target, ClockMHz: d.Synth.ClockMHz, Seeds: 1, Constraints: out[pins],
		Files: FilesOf(out, top)}
	return r
}

// A bitstream for iCE40, one for ECP5 and one for Gowin, from the config to the packed file, with the pinned tools. No memory
// becomes flip-flops: the memories are counted.
func TestBitstreams(t *testing.T) {
	for _, x := range []struct {
		board         string
		rams, lutRAMs int
	}{{"hx8k-breakout", 16, 0}, {"ulx3s-12f", 2, 0}, {"tang-nano-9k", 2, 55}} {
		t.Run(x.board, func(t *testing.T) {
			res, err := Run(context.Background(), least(t, x.board))
			require.NoError(t, err)
			require.True(t, res.Met, "%+v", res.Clocks)
			st, err := os.Stat(res.Bitstream)
			require.NoError(t, err)
			require.Greater(t, st.Size(), int64(10000))
			require.Equal(t, x.rams, res.Area.RAMs)
			require.Equal(t, x.lutRAMs, res.Area.LUTRAMs)
			require.NotEmpty(t, res.Critical)
		})
	}
}
