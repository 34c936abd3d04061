// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/regmap"
	"hwgen/gen/sim"
	"hwgen/gen/tool"
	"hwgen/gen/workload"
	"hwgen/rtl"
)

// bufferModule is a queue of a few entries on the harness's clock.
const bufferModule = `
module clocks_buffer #(parameter W = 1) (
  input wire clk, rst, input wire in_valid, output wire in_ready, input wire [W-1:0] in_data,
  output wire out_valid, input wire out_ready, output wire [W-1:0] out_data);
  reg [W-1:0] mem [0:3];
  reg [2:0] w, r;
  assign in_ready  = (w - r) < 3'd4 && !rst;
  assign out_valid = w != r;
  assign out_data  = mem[r[1:0]] & {W{out_valid}};
  always @(posedge clk) begin
    if (in_valid && in_ready) begin
      mem[w[1:0]] <= in_data;
      w <= w + 3'd1;
    end
    if (out_valid && out_ready) r <= r + 3'd1;
    if (rst) begin
      w <= 3'd0;
      r <= 3'd0;
    end
  end
endmodule
`

// clocksShim is a module with the ports of the scheduler around the top with several clocks. Each of these is the
// harness's clock with pulses left out: +clk=N +job=N +result=N +axil=N of 65536 remain, evenly spread.
func clocksShim(d *design.Design, name string) string {
	a := regmap.AddrWidth(d)
	var b strings.Builder
	fmt.Fprintf(&b, "`default_nettype none\nmodule %s (\n  input wire clk, rst, clear,\n", name)
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	k, t := d.DataW/8-1, d.TidW-1
	p("  input wire [%d:0] s_axis_job_tdata, input wire [%d:0] s_axis_job_tkeep, input wire s_axis_job_tvalid, output wire s_axis_job_tready,", d.DataW-1, k)
	p("  input wire s_axis_job_tlast, input wire [%d:0] s_axis_job_tid,", t)
	p("  output wire [%d:0] m_axis_result_tdata, output wire [%d:0] m_axis_result_tkeep, output wire m_axis_result_tvalid,", d.DataW-1, k)
	p("  input wire m_axis_result_tready, output wire m_axis_result_tlast, output wire [%d:0] m_axis_result_tdest,", t)
	p("  input wire [%d:0] s_axil_awaddr, input wire s_axil_awvalid, output wire s_axil_awready, input wire [31:0] s_axil_wdata,", a-1)
	p("  input wire [3:0] s_axil_wstrb, input wire s_axil_wvalid, output wire s_axil_wready, output wire [1:0] s_axil_bresp,")
	p("  output wire s_axil_bvalid, input wire s_axil_bready, input wire [%d:0] s_axil_araddr, input wire s_axil_arvalid,", a-1)
	p("  output wire s_axil_arready, output wire [31:0] s_axil_rdata, output wire [1:0] s_axil_rresp, output wire s_axil_rvalid,")
	p("  input wire s_axil_rready, output wire irq, output wire [31:0] stat_accepted, output wire [31:0] stat_returned,")
	p("  output wire [%d:0] stat_in_flight);", d.SlotW)
	for _, c := range []string{"clk", "job", "result", "axil"} {
		p("  integer %s_inc;", c)
		p("  reg [16:0] %s_acc = 0;", c)
		p("  reg %s_en = 0;", c)
		p("  initial if (!$value$plusargs(\"%s=%%d\", %s_inc)) %s_inc = 65536;", c, c, c)
		p("  always @(negedge clk) begin %s_acc <= {1'b0, %s_acc[15:0]} + %s_inc[16:0]; %s_en <= %s_acc[16]; end", c, c, c, c, c)
		p("  wire clk_%s = clk & %s_en;", c, c)
	}
	// power-up: long enough for the slowest clock
	p("  reg [7:0] por = 0;")
	p("  always @(posedge clk) if (!por[7]) por <= por + 8'd1;")
	p("  wire rst_all = rst | ~por[7];")
	p("  wire [31:0] accepted, returned; wire [%d:0] in_flight;", d.SlotW)
	p("  assign stat_accepted = accepted & {32{por[7]}};")
	p("  assign stat_returned = returned & {32{por[7]}};")
	p("  assign stat_in_flight = in_flight & {%d{por[7]}};", d.SlotW+1)
	// stream or channel: name, width, clock, towards the design
	wires := func(n string, w int) { p("  wire %s_v, %s_r; wire [%d:0] %s_d;", n, n, w-1, n) }
	in := func(n, clock string, w int, valid, ready, data string) {
		wires(n, w)
		p("  clocks_buffer #(.W(%d)) b_%s (.clk(clk), .rst(rst_all), .in_valid(%s), .in_ready(%s), .in_data(%s), .out_valid(%s_v), .out_ready(%s_r & %s_en), .out_data(%s_d));",
			w, n, valid, ready, data, n, n, clock, n)
	}
	out := func(n, clock string, w int, valid, ready, data string) {
		wires(n, w)
		p("  clocks_buffer #(.W(%d)) b_%s (.clk(clk), .rst(rst_all), .in_valid(%s_v & %s_en), .in_ready(%s_r), .in_data(%s_d), .out_valid(%s), .out_ready(%s), .out_data(%s));",
			w, n, n, clock, n, n, valid, ready, data)
	}
	beat := d.TidW + 1 + d.KeepW + d.DataW
	in("jb", "job", beat, "s_axis_job_tvalid", "s_axis_job_tready", "{s_axis_job_tid, s_axis_job_tlast, s_axis_job_tkeep, s_axis_job_tdata}")
	in("aw", "axil", a, "s_axil_awvalid", "s_axil_awready", "s_axil_awaddr")
	in("wd", "axil", 36, "s_axil_wvalid", "s_axil_wready", "{s_axil_wstrb, s_axil_wdata}")
	in("ar", "axil", a, "s_axil_arvalid", "s_axil_arready", "s_axil_araddr")
	out("rs", "result", beat, "m_axis_result_tvalid", "m_axis_result_tready", "{m_axis_result_tdest, m_axis_result_tlast, m_axis_result_tkeep, m_axis_result_tdata}")
	out("wa", "axil", 2, "s_axil_bvalid", "s_axil_bready", "s_axil_bresp")
	out("ra", "axil", 34, "s_axil_rvalid", "s_axil_rready", "{s_axil_rresp, s_axil_rdata}")
	p("  %s u_dut (", d.Clocks.Top)
	p("    .clk(clk_clk), .rst(rst_all), .job_clk(clk_job), .job_rst(rst_all), .result_clk(clk_result), .result_rst(rst_all),")
	p("    .axil_clk(clk_axil), .axil_rst(rst_all), .clear(clear), .job_lost(), .result_lost(),")
	p("    .s_axis_job_tvalid(jb_v), .s_axis_job_tready(jb_r), .s_axis_job_tdata(jb_d[%d:0]), .s_axis_job_tkeep(jb_d[%d:%d]),", d.DataW-1, d.DataW+k, d.DataW)
	p("    .s_axis_job_tlast(jb_d[%d]), .s_axis_job_tid(jb_d[%d:%d]),", d.DataW+d.KeepW, beat-1, d.DataW+d.KeepW+1)
	p("    .m_axis_result_tvalid(rs_v), .m_axis_result_tready(rs_r), .m_axis_result_tdata(rs_d[%d:0]), .m_axis_result_tkeep(rs_d[%d:%d]),", d.DataW-1, d.DataW+k, d.DataW)
	p("    .m_axis_result_tlast(rs_d[%d]), .m_axis_result_tdest(rs_d[%d:%d]),", d.DataW+d.KeepW, beat-1, d.DataW+d.KeepW+1)
	p("    .s_axil_awvalid(aw_v), .s_axil_awready(aw_r), .s_axil_awaddr(aw_d), .s_axil_wvalid(wd_v), .s_axil_wready(wd_r),")
	p("    .s_axil_wdata(wd_d[31:0]), .s_axil_wstrb(wd_d[35:32]), .s_axil_arvalid(ar_v), .s_axil_arready(ar_r), .s_axil_araddr(ar_d),")
	p("    .s_axil_bvalid(wa_v), .s_axil_bready(wa_r), .s_axil_bresp(wa_d), .s_axil_rvalid(ra_v), .s_axil_rready(ra_r),")
	p("    .s_axil_rdata(ra_d[31:0]), .s_axil_rresp(ra_d[33:32]), .irq(irq),")
	p("    .stat_accepted(accepted), .stat_returned(returned), .stat_in_flight(in_flight));")
	p("endmodule\n`default_nettype wire")
	return b.String()
}

// clocksSim builds a design with several clocks, and with faults, none of them real.
func clocksSim(t *testing.T, options sim.Options, faults ...fault) *sim.Simulator {
	needTools(t)
	text := ConfigText("regs", 64, 64, 12, Cluster{"aes128", []string{"aes128_16sbox*2"}, 6}) +
		"\n[control]\naxil = true\ncounters = false\n\n[clocks]\ndepth = 8\n"
	d, out := generate(t, "regs", text)
	files := maps.Clone(map[string][]byte(out))
	shim := *d
	shim.Top = d.Name + "_several"
	files["rtl/"+shim.Top+".v"] = []byte(clocksShim(d, shim.Top))
	files["rtl/clocks_buffer.v"] = []byte(bufferModule)
	const header = "verilator/sim/config.h"
	files[header] = bytes.Replace(files[header], []byte("SIM_COUNTS 1"), []byte("SIM_COUNTS 0"), 1)
	plant(t, files, d.Name, faults)
	options.Quick, options.Unknowns, options.Metastable = true, true, true
	s, err := sim.Build(context.Background(), &shim, files, options)
	require.NoError(t, err)
	return s
}

// ratios of clocks, in 65536ths of the harness's: scheduler, jobs, results, registers.
var clockRatios = []struct {
	name                   string
	clk, job, result, axil int
}{
	{"slow streams", 65536, 7001, 9203, 3001},
	{"fast streams", 9001, 65536, 60001, 65536},
	{"near, with drift", 40000, 40001, 39998, 40003},
	{"odd", 43690, 26214, 36409, 29127}, // 2/3, 2/5, 5/9, 4/9
	{"all alike", 65536, 65536, 65536, 65536},
	{"slow in, fast out", 30011, 8009, 61001, 11003},
	{"fast in, slow out", 30011, 61001, 8009, 61001},
}

func clockArgs(i int) []string {
	r := clockRatios[i]
	return []string{fmt.Sprintf("+clk=%d", r.clk), fmt.Sprintf("+job=%d", r.job), fmt.Sprintf("+result=%d", r.result),
		fmt.Sprintf("+axil=%d", r.axil)}
}

// Thousands of packets through a design whose streams and registers are on clocks of their own, under stalls, while a
// host writes and reads: every result is right, and so is every answer.
func TestClocks(t *testing.T) {
	s := clocksSim(t, sim.Options{})
	for i, r := range clockRatios {
		t.Run(r.name, func(t *testing.T) {
			s.Args = clockArgs(i)
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
			s.Args = clockArgs(i)
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
		x.Args = append(clockArgs(ratio), fmt.Sprintf("+fault=%d", number))
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
