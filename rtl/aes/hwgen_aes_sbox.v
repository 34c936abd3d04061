// SPDX-License-Identifier: Apache-2.0
// AES S-box from in to out or, when inverse is 1, its inverse from inv_in to inv_out; the other
// output means nothing then. Two ports each way keep the choice off the path: one inversion serves
// both. Composite field logic or look-ups; under HWGEN_SIM_TABLES one look-up for both, which
// simulates many times faster. tb/hwgen_aes_sbox_tb.v proves all of them equal.
// Latency PIPELINED cycles, initiation interval 1.
`default_nettype none
module hwgen_aes_sbox #(
  // 1: S-box and inverse, chosen by inverse; 0: S-box only, inverse and inv_in are ignored
  parameter DECRYPT = 1,
  // 1: a register rank inside; 0: combinational, clk and rst are ignored
  parameter PIPELINED = 0,
  // in synthesis, 1: look-ups, one each way; 0: field logic
  parameter TABLE = 0
) (
  input  wire       clk,
  input  wire       rst,
  input  wire       inverse,
  input  wire [7:0] in,
  input  wire [7:0] inv_in,
  output wire [7:0] out,
  output wire [7:0] inv_out
);
`ifdef HWGEN_SIM_TABLES
  localparam SIM = 1;
`else
  localparam SIM = 0;
`endif

  generate
    if (SIM != 0 || TABLE != 0) begin : g_table
      hwgen_aes_sbox_table #(.DECRYPT(DECRYPT), .PIPELINED(PIPELINED), .SIM(SIM)) u_table (
        .clk(clk), .rst(rst), .inverse(inverse), .in(in), .inv_in(inv_in), .out(out),
        .inv_out(inv_out));
    end else begin : g_field
      hwgen_aes_sbox_field #(.DECRYPT(DECRYPT), .PIPELINED(PIPELINED)) u_field (
        .clk(clk), .rst(rst), .inverse(inverse), .in(in), .inv_in(inv_in), .out(out),
        .inv_out(inv_out));
    end
  endgenerate
endmodule
`default_nettype wire
