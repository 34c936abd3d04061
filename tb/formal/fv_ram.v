// SPDX-License-Identifier: Apache-2.0
// The contract of hwgen_ram, which stands in its place in every proof: a word read in the cycle in
// which it is written is anything, contents are anything until written. So a proof says as well that
// nothing depends on such a word, whatever a target's RAM returns. So is a word outside of DEPTH, and
// no write may go there.
// words is the contents side by side, for the invariants of wrappers.
`default_nettype none
module fv_ram #(
  parameter WIDTH  = 8,
  parameter DEPTH  = 16,
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
  reg [DEPTH*WIDTH-1:0] words;
  reg [WIDTH-1:0]       rdata_q;
  (* anyseq *)
  reg [WIDTH-1:0]       any;

  assign rdata = rdata_q;

  integer k;
  reg [WIDTH-1:0] word;
  always @* begin
    word = any;
    for (k = 0; k < DEPTH; k = k + 1)
      if (raddr == k && ~(we && waddr == raddr)) word = words[k*WIDTH +: WIDTH];
  end

  always @(posedge clk) begin
    for (k = 0; k < DEPTH; k = k + 1)
      if (we && waddr == k) words[k*WIDTH +: WIDTH] <= wdata;
    if (re) rdata_q <= word;
  end

  // addresses are anything before the first reset
  reg live_q = 1'b0;
  always @(posedge clk) live_q <= 1'b1;

  always @*
    if (we & live_q) a_write_inside: assert (waddr < DEPTH);
endmodule
`default_nettype wire
