// SPDX-License-Identifier: Apache-2.0
// Block RAM: one write port, one read port, one clock; the only memory template of the library.
// Latency: rdata one cycle after re; initiation interval 1; rdata holds while re = 0.
// A read of the address written in the same cycle returns an unspecified word: no user does so
// (no_rw_check: else Yosys adds collision logic that costs 20 % of Fmax on iCE40).
// Contents are unspecified until written; see hwgen_swept_ram.
`default_nettype none
module hwgen_ram #(
  // bits of a word
  parameter WIDTH  = 8,
  // words, at least 1
  parameter DEPTH  = 16,
  // derived: do not set
  parameter ADDR_W = (DEPTH > 1) ? $clog2(DEPTH) : 1
) (
  input  wire              clk,
  input  wire              we,
  input  wire [ADDR_W-1:0] waddr,
  input  wire [WIDTH-1:0]  wdata,
  input  wire              re,
  input  wire [ADDR_W-1:0] raddr,
  output wire [WIDTH-1:0]  rdata
);
  (* no_rw_check *)
  reg [WIDTH-1:0] mem [0:DEPTH-1];
  reg [WIDTH-1:0] rdata_q;

  assign rdata = rdata_q;

  always @(posedge clk) begin
    if (we) mem[waddr] <= wdata;
    if (re) rdata_q <= mem[raddr];
  end

  generate
    if (WIDTH < 1 || DEPTH < 1) begin : g_bad
      hwgen_error_ram_width_and_depth_must_be_at_least_1 u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
