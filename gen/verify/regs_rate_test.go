// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/regmap"
	"hwgen/gen/tool"
)

// A master that never pauses reads every register and writes table entries and notes, both at a time.
const rateBench = `
module rate_tb;
  reg clk = 0, rst = 1;
  always #5 clk = ~clk;
  reg  [%[2]d:0] reads [0:%[3]d];
  reg  [%[2]d:0] writes [0:%[4]d];
  integer r = 0, w = 0, aw = 0, wd = 0, rs = 0, ws = 0, cyc = 0, r0 = 0, w0 = 0, bad = 0, i;
  initial begin
    $readmemh("reads.hex", reads);
    $readmemh("writes.hex", writes);
  end
  wire awready, wready, bvalid, arready, rvalid;
  wire [1:0] bresp, rresp;
  wire run = cyc > 300;
  %[1]s dut (.clk(clk), .rst(rst), .clear(1'b0), .s_axis_job_tdata(0), .s_axis_job_tkeep(0), .s_axis_job_tvalid(1'b0),
    .s_axis_job_tready(), .s_axis_job_tlast(1'b0), .s_axis_job_tid(0), .m_axis_result_tdata(), .m_axis_result_tkeep(),
    .m_axis_result_tvalid(), .m_axis_result_tready(1'b1), .m_axis_result_tlast(), .m_axis_result_tdest(),
    .s_axil_awaddr(writes[aw %% %[4]d]), .s_axil_awvalid(run), .s_axil_awready(awready), .s_axil_wdata(32'd0),
    .s_axil_wstrb(4'hf), .s_axil_wvalid(run), .s_axil_wready(wready), .s_axil_bresp(bresp), .s_axil_bvalid(bvalid),
    .s_axil_bready(1'b1), .s_axil_araddr(reads[r %% %[3]d]), .s_axil_arvalid(run), .s_axil_arready(arready), .s_axil_rdata(),
    .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(1'b1), .irq(), .stat_accepted(), .stat_returned(),
    .stat_in_flight());
  always @(posedge clk) begin
    cyc <= cyc + 1;
    rst <= cyc < 3;
    if (run) begin
      if (arready) r <= r + 1;
      if (awready) aw <= aw + 1;
      if (rvalid) begin
        if (rs == 0) r0 = cyc;
        rs = rs + 1;
        if (rresp != 0) bad = bad + 1;
        if (rs == 401) $display("reads %%0d", cyc - r0);
      end
      if (bvalid) begin
        if (ws == 0) w0 = cyc;
        ws = ws + 1;
        if (bresp != 0) bad = bad + 1;
        if (ws == 401) $display("writes %%0d", cyc - w0);
      end
      if (rs > 401 && ws > 401 || cyc > 4000) begin
        $display("refused %%0d", bad);
        $finish;
      end
    end
  end
endmodule
`

// The registers of a generated design take a read and a write every 2 cycles, whichever they are of.
func TestRegistersEveryTwoCycles(t *testing.T) {
	needTools(t)
	d, out := generate(t, "regs", ConfigText("regs", 32, 32, 4, Cluster{"aes128", []string{"aes128_16sbox*2"}, 4})+"\n[control]\naxil = true\n")
	m, err := regmap.Build(d, "test", "")
	require.NoError(t, err)
	var reads, writes []string
	for _, w := range m.Words() {
		reads = append(reads, fmt.Sprintf("%x", w.Addr))
		if n := w.Reg.Name; n == "NOTE" || n == "BASE" {
			writes = append(writes, fmt.Sprintf("%x", w.Addr))
		}
	}
	require.Greater(t, len(reads), 50)
	require.Len(t, writes, 1+2*4)
	run := func(old, neu string) string {
		dir := t.TempDir()
		put := func(name, text string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		}
		args := []string{"-g2005", "-s", "rate_tb", "-o", "tb.vvp", "tb.v"}
		n := 0
		for p, b := range out {
			if strings.HasPrefix(p, "rtl/") {
				n += strings.Count(string(b), old)
				put(filepath.Base(p), strings.Replace(string(b), old, neu, 1))
				args = append(args, filepath.Base(p))
			}
		}
		require.True(t, old == "" || n == 1)
		put("reads.hex", strings.Join(append(reads, reads[0]), "\n"))
		put("writes.hex", strings.Join(append(writes, writes[0]), "\n"))
		put("tb.v", fmt.Sprintf(rateBench, d.Top, m.AddrW-1, len(reads), len(writes)))
		res, err := tool.Icarus.Run(t.Context(), dir, args...)
		require.NoError(t, err)
		require.Zero(t, res.Code, res.Out)
		res, err = tool.VVP.Run(t.Context(), dir, "-n", "tb.vvp")
		require.NoError(t, err)
		return res.Out
	}
	good := run("", "")
	require.Contains(t, good, "reads 800\n")
	require.Contains(t, good, "writes 800\n")
	require.Contains(t, good, "refused 0\n")
	require.NotContains(t, run("(~r_q | s_axil_rready)", "~r_q"), "reads 800\n")
}
