// SPDX-License-Identifier: Apache-2.0
// The contract of hwgen_fifo as proof fifo states it, for proofs of what is around it: a shift register
// of DEPTH entries, out_data is anything while nothing is inside. words is the contents, oldest first.
`default_nettype none
module fv_fifo #(
  parameter WIDTH = 8,
  parameter DEPTH = 4
) (
  input  wire             clk,
  input  wire             rst,
  input  wire             in_valid,
  output wire             in_ready,
  input  wire [WIDTH-1:0] in_data,
  output wire             out_valid,
  input  wire             out_ready,
  output wire [WIDTH-1:0] out_data
);
  localparam CNT_W = $clog2(DEPTH + 1);

  reg [DEPTH*WIDTH-1:0] words;
  reg [CNT_W-1:0]       count;
  reg                   fresh_q;
  (* anyseq *)
  reg [WIDTH-1:0]       any;

  assign out_valid = count != 0;
  assign out_data  = out_valid ? words[WIDTH-1:0] : any;
  assign in_ready  = ~fresh_q & (count != DEPTH);

  wire push = in_valid & in_ready;
  wire pop  = out_valid & out_ready;
  integer k;
  always @(posedge clk) begin
    fresh_q <= rst;
    count   <= rst ? 0 : count + push - pop;
    for (k = 0; k < DEPTH; k = k + 1)
      if (push && count == k + pop) words[k*WIDTH +: WIDTH] <= in_data;
      else if (pop && k + 1 < DEPTH) words[k*WIDTH +: WIDTH] <= words[(k+1)*WIDTH +: WIDTH];
  end
endmodule
`default_nettype wire
