// SPDX-License-Identifier: Apache-2.0
// Block RAM between two clocks: writes on w_clk, reads on r_clk.
// Latency: rdata one cycle of r_clk after re; initiation interval 1; rdata holds while re = 0.
// What is read of a word is used only if its write was long past: whoever uses this sees to that.
`default_nettype none
module hwgen_async_ram #(
  // bits of a word
  parameter WIDTH  = 8,
  // words, at least 2
  parameter DEPTH  = 16,
  // derived: do not set
  parameter ADDR_W = $clog2(DEPTH)
) (
  input  wire              w_clk,
  input  wire              we,
  input  wire [ADDR_W-1:0] waddr,
  input  wire [WIDTH-1:0]  wdata,
  input  wire              r_clk,
  input  wire              re,
  input  wire [ADDR_W-1:0] raddr,
  output wire [WIDTH-1:0]  rdata
);
  (* no_rw_check *)
  reg [WIDTH-1:0] mem [0:DEPTH-1];
  reg [WIDTH-1:0] rdata_q;

  assign rdata = rdata_q;

  always @(posedge w_clk) if (we) mem[waddr] <= wdata;
  always @(posedge r_clk) if (re) rdata_q <= mem[raddr];

  generate
    if (WIDTH < 1 || DEPTH < 2) begin : g_bad
      hwgen_error_async_ram_width_must_be_at_least_1_and_depth_2 u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
