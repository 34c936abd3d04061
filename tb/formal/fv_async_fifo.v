// SPDX-License-Identifier: Apache-2.0
// hwgen_async_fifo for proofs of what is behind its read side: what comes out is anything, also an offer
// that does not stay.
`default_nettype none
module fv_async_fifo #(
  parameter WIDTH  = 8,
  parameter DEPTH  = 16,
  parameter STAGES = 2
) (
  input  wire             w_clk,
  input  wire             w_rst,
  input  wire             w_hold,
  input  wire             in_valid,
  output wire             in_ready,
  input  wire [WIDTH-1:0] in_data,
  input  wire             r_clk,
  input  wire             r_rst,
  input  wire             r_hold,
  output wire             out_valid,
  input  wire             out_ready,
  output wire [WIDTH-1:0] out_data
);
  (* anyseq *) wire             any_ready, any_valid;
  (* anyseq *) wire [WIDTH-1:0] any_data;
  assign in_ready  = any_ready;
  assign out_valid = any_valid;
  assign out_data  = any_data;
endmodule
`default_nettype wire
