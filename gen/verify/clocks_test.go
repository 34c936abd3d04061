// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/cipher"
	"hwgen/gen/regmap"
	"hwgen/gen/sim"
	"hwgen/gen/tool"
	"hwgen/gen/workload"
	"hwgen/rtl"
)

// clocksSim builds a design with several clocks, and with faults, none of them real.
func clocksSim(t *testing.T, options sim.Options, faults ...fault) *sim.Simulator {
	needTools(t)
	text := ConfigText("regs", 64, 64, 12, Cluster{"aes128", []string{"aes128_16sbox*2"}, 6}) +
		"\n[control]\naxil = true\ncounters = false\n\n[clocks]\ndepth = 8\n"
	d, out := generate(t, "regs", text)
	shim, files := SeveralClocks(d, out)
	plant(t, files, d.Name, faults)
	options.Quick, options.Unknowns, options.Metastable = true, true, true
	s, err := sim.Build(context.Background(), shim, files, options)
	require.NoError(t, err)
	return s
}

// Thousands of packets through a design whose streams and registers are on clocks of their own, under stalls, while a
// host writes and reads: every result is right, and so is every answer.
func TestClocks(t *testing.T) {
	s := clocksSim(t, sim.Options{})
	for i, r := range clockRatios {
		t.Run(r.name, func(t *testing.T) {
			s.Args = ClockArgs(i)
			require.Empty(t, clocksRun(t, s, 1000, int64(i)))
		})
	}
}

func clocksRun(t *testing.T, s *sim.Simulator, packets int, seed int64) []string {
	jobs := workload.RandomJobs(s.D, packets, 40+seed)
	p, err := workload.NewPlan(s.D, jobs)
	require.NoError(t, err)
	st := p.Stimulus(s.D)
	st.Seed = 70 + seed
	st.Gap, st.Stall, st.LongStall, st.LongLength = 0.2, 0.2, 0.001, 500
	m, err := regmap.Build(s.D, "test", "")
	require.NoError(t, err)
	h := &host{t: t, m: m}
	scratch := h.addr(regmap.Core, 0, 1, "CAP")
	type pair struct{ read, want int }
	var pairs []pair
	for k := range 60 {
		v := 1 + k%7
		h.add(1, k*packets/60, true, scratch, uint32(v))
		pairs = append(pairs, pair{h.read(scratch), v})
		h.write(h.addr(regmap.Global, -1, 0, "ID"), 0) // refused
	}
	st.Bus = h.list
	o, err := s.Run(st)
	require.NoError(t, err)
	bad := p.CheckOutcome(s.D, o)
	rs, err := p.Join(o)
	if err != nil {
		return append(bad, err.Error())
	}
	bad = append(bad, workload.CheckJobs(s.D, jobs, rs)...)
	if len(o.Results) != len(st.Frames) {
		bad = append(bad, fmt.Sprintf("%d results of %d frames", len(o.Results), len(st.Frames)))
	}
	for i, a := range o.Bus {
		want := 0
		if i%3 == 2 {
			want = 2
		}
		if !a.Done || int(a.Resp) != want {
			bad = append(bad, fmt.Sprintf("access %d: done %v, answer %d", i, a.Done, a.Resp))
		}
	}
	for _, x := range pairs {
		if int(o.Bus[x.read].Data) != x.want {
			bad = append(bad, fmt.Sprintf("access %d: read %d, not %d", x.read, o.Bus[x.read].Data, x.want))
		}
	}
	return bad
}

// All clocks are reset at any moment, in the middle of frames and of answers: what comes afterwards is right, and nothing
// comes of before.
func TestClocksReset(t *testing.T) {
	s := clocksSim(t, sim.Options{})
	for i, r := range clockRatios {
		t.Run(r.name, func(t *testing.T) {
			s.Args = ClockArgs(i)
			g := workload.NewFrameGen(s.D, int64(i)*17)
			for range 12 {
				g.Restart()
				first := len(g.Frames)
				g.LoadAll()
				g.RandomFrames(10 + g.Rng.Intn(40))
				g.Events = append(g.Events, randomCut(g, workload.EventReset, first+g.Rng.Intn(len(g.Frames)-first)))
			}
			g.Restart()
			g.LoadAll()
			g.RandomFrames(40)
			st := g.Stimulus(int64(i))
			st.Gap, st.Stall = 0.2, 0.2
			o, err := s.Run(st)
			require.NoError(t, err)
			require.Empty(t, workload.CheckRun(s.D, st, o))
		})
	}
}

// What went through the crossings of the streams is gone from them after clear, reset, or when all is quiet: FIFOs, registers.
// Two runs with other keys, IVs, tags and data end in the same state.
func TestClocksForget(t *testing.T) {
	faults := []fault{
		{file: "async_fifo", left: "wipe = ", old: "z_left_q & ~push", neu: "1'b0"},
		{file: "async_fifo", left: "re  = ", old: "~r_valid_q | pop", neu: "(~r_valid_q | pop) & (r_gray_q != w_gray_r)"},
		{file: "async_result", left: "if (", old: "~valid_q | take", neu: "1'b0"},
	}
	s := clocksSim(t, sim.Options{Snapshot: true}, faults...)
	// its last result has a payload
	quiet, err := workload.NewPlan(s.D, []workload.Job{{Cmd: cipher.Encrypt, Mode: cipher.CTR, Key: make([]byte, 16), IV: make([]byte, 16), Data: make([]byte, 64)}})
	require.NoError(t, err)
	kept := func(number, ratio int) []string {
		x := *s
		x.Args = append(ClockArgs(ratio), fmt.Sprintf("+fault=%d", number))
		var l []string
		for _, st := range []*workload.Stimulus{cutOff(s.D, workload.EventClear, 31), cutOff(s.D, workload.EventReset, 32), quiet.Stimulus(s.D)} {
			for _, part := range []string{".u_dut.u_job.", ".u_dut.u_result."} {
				l = append(l, leftBehind(t, &x, st, part)...)
			}
		}
		return l
	}
	for _, ratio := range []int{3, 4, 6} {
		require.Empty(t, kept(0, ratio), clockRatios[ratio].name)
	}
	for i, f := range faults {
		l := kept(1<<i, 3)
		require.NotEmpty(t, l, "not seen: %+v", f)
		t.Logf("%+v: %.300s", f, fmt.Sprint(l))
	}
}

// Each part of the top with several clocks by itself and all together, through the lint tools.
func TestClocksLint(t *testing.T) {
	needTools(t)
	for _, x := range []struct {
		width int
		text  string
		steps []string
	}{
		{32, "[control]\naxil = true\ncounters = false\n[clocks]\nstages = 3\ndepth = 4\n", []string{"lint-iverilog", "lint-verilator", "lint-yosys"}},
		{128, "[clocks]\nresults = false\ndepth = 256\n", []string{"lint-iverilog", "lint-verilator"}},
		{64, "[clocks]\njobs = false\nstages = 4\n", []string{"lint-iverilog", "lint-verilator"}},
		{64, "[control]\naxil = true\n[clocks]\njobs = false\nresults = false\n", []string{"lint-iverilog", "lint-verilator"}},
		{32, "[control]\naxil = true\n[clocks]\nregisters = false\n", []string{"lint-iverilog", "lint-verilator"}},
	} {
		text := strings.Replace(ConfigText("lint", x.width, 16, 1, Cluster{"aes128", []string{"aes128_16sbox"}, 1}), "requesters = 2", "requesters = 1", 1)
		d, out := generate(t, "lint", text+"\n"+x.text)
		rep, err := Run(context.Background(), Options{Design: d, Files: out, Steps: x.steps})
		require.NoError(t, err)
		require.True(t, rep.OK, "%s\n%s", x.text, rep.Table())
	}
}

// What the benches of the clock crossings have to find: each rule of a reset, of a pointer, of a frame taken away.
func TestClockFaultsAreFound(t *testing.T) {
	needTools(t)
	for _, c := range []struct{ bench, params, file, old, neu string }{
		{"fifo", "WH=500 RH=503", "clocks/hwgen_async_fifo", "3 << (PTR_W - 2)", "1 << (PTR_W - 1)"},
		{"fifo", "WH=500 RH=503", "clocks/hwgen_async_fifo", "w_gray_d = w_bin_d ^ (w_bin_d >> 1)", "w_gray_d = w_bin_d"},
		{"fifo", "WH=500 RH=503", "clocks/hwgen_async_fifo", "re  = ~r_valid_q | pop;", "re  = 1'b1;"},
		{"fifo", "WH=500 RH=503", "clocks/hwgen_cdc_reset", "done = req_q & ack & ~rst", "done = req_q & ~rst"},
		{"fifo", "WH=500 RH=503 MAIN=1 STAGES=3", "clocks/hwgen_cdc_reset", "b_req | b_done_q | b_ack_q", "b_req"},
		{"fifo", "WH=2600 RH=400 DEPTH=16 STAGES=4 SEED=6", "clocks/hwgen_cdc_reset", "if (want_q & ~ack)", "if (want_q)"},
		{"job", "JH=500 CH=503", "clocks/hwgen_reset_sync", "rst_a = arst_q[STAGES];", "rst_a = arst_q[STAGES-1];"},
		{"job", "JH=500 CH=503", "clocks/hwgen_async_job", "if (mid_q & ~beat) drop_q <= 1'b1;", ""},
		{"job", "JH=500 CH=503", "clocks/hwgen_async_job", "if (mid_q & ~drop_q & ~job_clear) close_q <= 1'b1;", ""},
		{"job", "JH=500 CH=503", "clocks/hwgen_async_job", "(in_ready & ~close_q)) & ~away", "(in_ready & ~close_q))"},
		{"job", "JH=500 CH=503", "clocks/hwgen_async_job", "      drop_q <= 1'b0;\n      if (mid_q & ~drop_q", "      if (mid_q & ~drop_q"},
		{"result", "RH=500 CH=503", "clocks/hwgen_async_result", "if (open_q & ~cut_q) cut_q <= 1'b1;", ""},
		{"result", "RH=500 CH=503", "clocks/hwgen_async_result", "drop_q  <= open_q & ~cut_q & ~result_clear;", ""},
		{"result", "RH=500 CH=503", "clocks/hwgen_async_result", "if (begun_q | cut_q", "if (1'b1 | cut_q"},
		{"axil", "AH=500 CH=503", "clocks/hwgen_async_axil", "w_orphan_q <= w_busy_q & ~wa_valid & ~axil_clear;", "w_orphan_q <= 1'b0;"},
		{"axil", "AH=500 CH=503", "clocks/hwgen_async_axil", "ra_valid | (axil_clear & r_busy_q)", "ra_valid"},
		{"axil", "AH=500 CH=503", "clocks/hwgen_async_axil", "ra_valid ? ra_resp : SLVERR", "ra_resp"},
		{"axil", "AH=500 CH=503", "clocks/hwgen_async_axil", "(w_done_q | w_take)", "1'b1"},
	} {
		dir := t.TempDir()
		b, err := rtl.FS.ReadFile(c.file + ".v")
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(b), c.old), "%s: %s", c.file, c.old)
		require.NoError(t, os.WriteFile(filepath.Join(dir, path.Base(c.file)+".v"), []byte(strings.Replace(string(b), c.old, c.neu, 1)), 0o644))
		name := "hwgen_async_" + c.bench + "_tb"
		args := []string{"-g2005", "-DHWGEN_SIM_METASTABLE", "-y", dir, "-y", "../../rtl/common", "-y", "../../rtl/clocks", "-y", "../../rtl/axi", "-s", name, "-o", filepath.Join(dir, "tb.vvp")}
		for p := range strings.FieldsSeq(c.params) {
			args = append(args, "-P"+name+"."+p)
		}
		res, err := tool.Icarus.Run(t.Context(), ".", append(args, "../../tb/"+name+".v")...)
		require.NoError(t, err)
		require.Zero(t, res.Code, res.Out)
		res, err = tool.VVP.Run(t.Context(), dir, "-n", filepath.Join(dir, "tb.vvp"))
		require.NoError(t, err)
		require.Contains(t, res.Out, "FAIL", "%s: %s", c.file, c.neu)
		t.Logf("%s: %s", c.old, res.Out)
	}
}
