// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"strings"

	"hwgen/gen/design"
	"hwgen/gen/regmap"
)

// registeredTop is a top around the design's whose inputs are registers (the harness, built with SIM_REGISTERED, sets
// them a cycle ahead). Verilator settles what hangs on an input of the top in each evaluation, three times a cycle, and
// what hangs on a register once.
func registeredTop(d *design.Design) (name string, source []byte) {
	type port struct {
		name string
		bits int
	}
	in := []port{
		{"rst", 1},
		{"clear", 1},
		{"s_axis_job_tdata", d.DataW},
		{"s_axis_job_tkeep", d.KeepW},
		{"s_axis_job_tvalid", 1},
		{"s_axis_job_tlast", 1},
		{"s_axis_job_tid", d.TidW},
		{"m_axis_result_tready", 1},
	}
	if d.Axil {
		a := regmap.AddrWidth(d)
		in = append(in, port{"s_axil_awaddr", a}, port{"s_axil_awvalid", 1}, port{"s_axil_wdata", 32}, port{"s_axil_wstrb", 4},
			port{"s_axil_wvalid", 1}, port{"s_axil_bready", 1}, port{"s_axil_araddr", a}, port{"s_axil_arvalid", 1}, port{"s_axil_rready", 1})
	}
	if d.CfgPort {
		in = append(in, port{"cfg_we", 1}, port{"cfg_cluster", 4}, port{"cfg_addr", 9}, port{"cfg_data", 32})
	}
	out := []port{
		{"s_axis_job_tready", 1},
		{"m_axis_result_tdata", d.DataW},
		{"m_axis_result_tkeep", d.KeepW},
		{"m_axis_result_tvalid", 1},
		{"m_axis_result_tlast", 1},
		{"m_axis_result_tdest", d.TidW},
		{"stat_accepted", 32},
		{"stat_returned", 32},
		{"stat_in_flight", d.SlotW + 1},
	}
	if d.Axil {
		out = append(out, port{"s_axil_awready", 1}, port{"s_axil_wready", 1}, port{"s_axil_bresp", 2}, port{"s_axil_bvalid", 1},
			port{"s_axil_arready", 1}, port{"s_axil_rdata", 32}, port{"s_axil_rresp", 2}, port{"s_axil_rvalid", 1}, port{"irq", 1})
	}
	name = d.Name + "_sim"
	var ports, regs, take, wires strings.Builder
	for _, p := range in {
		fmt.Fprintf(&ports, ",\n  input  wire [%d:0] %s", p.bits-1, p.name)
		fmt.Fprintf(&regs, "  reg [%d:0] %s_q;\n", p.bits-1, p.name)
		fmt.Fprintf(&take, "    %s_q <= %s;\n", p.name, p.name)
		fmt.Fprintf(&wires, ",\n    .%s(%s_q)", p.name, p.name)
	}
	for _, p := range out {
		fmt.Fprintf(&ports, ",\n  output wire [%d:0] %s", p.bits-1, p.name)
		fmt.Fprintf(&wires, ",\n    .%s(%s)", p.name, p.name)
	}
	return name, fmt.Appendf(nil, "module %s (\n  input  wire clk%s\n);\n%s  always @(posedge clk) begin\n%s  end\n  %s u_dut (\n    .clk(clk)%s);\nendmodule\n",
		name, &ports, &regs, &take, d.Top, &wires)
}
