// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bytes"
	"fmt"
	"maps"
	"strings"

	"hwgen/gen/design"
	"hwgen/gen/regmap"
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

// SeveralClocks is the top with several clocks of a design with registers, and its output, in a shim that the harness drives as it
// does the scheduler. The design counts other beats than those that the harness sees: FIFOs lie between.
func SeveralClocks(d *design.Design, out map[string][]byte) (*design.Design, map[string][]byte) {
	files := maps.Clone(out)
	shim := *d
	shim.Top = d.Name + "_several"
	files["rtl/"+shim.Top+".v"] = []byte(clocksShim(d, shim.Top))
	files["rtl/clocks_buffer.v"] = []byte(bufferModule)
	const header = "verilator/sim/config.h"
	files[header] = bytes.Replace(files[header], []byte("SIM_COUNTS 1"), []byte("SIM_COUNTS 0"), 1)
	return &shim, files
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

// ClockArgs are the arguments of a simulator with the ratios of clocks of number i.
func ClockArgs(i int) []string {
	r := clockRatios[i]
	return []string{fmt.Sprintf("+clk=%d", r.clk), fmt.Sprintf("+job=%d", r.job), fmt.Sprintf("+result=%d", r.result),
		fmt.Sprintf("+axil=%d", r.axil)}
}
