// SPDX-License-Identifier: Apache-2.0
// hwgen_aes_column by tables of what a byte adds to the column, for simulation under Verilator:
// that keeps one of each for all instances (Icarus copies it at each use). Combinational.
`default_nettype none
module hwgen_aes_column_table #(
  // 1: both directions; 0: encryption only, decrypt is ignored
  parameter DECRYPT = 1
) (
  input  wire        last,
  input  wire        decrypt,
  input  wire [31:0] sub,
  input  wire [31:0] inv_sub,
  input  wire [31:0] key,
  output reg  [31:0] col
);
  function [7:0] times2;
    input [7:0] x;
    times2 = {x[6:0], 1'b0} ^ (8'h1b & {8{x[7]}});
  endfunction

  // entry x: what x in row 0 adds to the column; entry 0 is in the low bits
  function [8191:0] products;
    input   inverse;
    integer i;
    reg [7:0] x1, x2, x4, x8;
    for (i = 0; i < 256; i = i + 1) begin
      x1 = i[7:0];
      x2 = times2(x1);
      x4 = times2(x2);
      x8 = times2(x4);
      products[32*i +: 32] = inverse ? {x8 ^ x4 ^ x2, x8 ^ x1, x8 ^ x4 ^ x1, x8 ^ x2 ^ x1}
                                     : {x2, x1, x1, x2 ^ x1};
    end
  endfunction
  localparam [8191:0] MIX     = products(1'b0);
  localparam [8191:0] INV_MIX = products(1'b1);

  wire       back = (DECRYPT != 0) & decrypt;
  reg [31:0] x, p0, p1, p2, p3;
  always @* begin
    x = back ? inv_sub ^ key : sub;
    {p0, p1, p2, p3} = 128'bx;
    if (last) col = x;
    else begin
      if (back) begin
        p0 = INV_MIX[{x[31:24], 5'd0} +: 32];
        p1 = INV_MIX[{x[23:16], 5'd0} +: 32];
        p2 = INV_MIX[{x[15:8], 5'd0} +: 32];
        p3 = INV_MIX[{x[7:0], 5'd0} +: 32];
      end else begin
        p0 = MIX[{x[31:24], 5'd0} +: 32];
        p1 = MIX[{x[23:16], 5'd0} +: 32];
        p2 = MIX[{x[15:8], 5'd0} +: 32];
        p3 = MIX[{x[7:0], 5'd0} +: 32];
      end
      col = p0 ^ {p1[7:0], p1[31:8]} ^ {p2[15:0], p2[31:16]} ^ {p3[23:0], p3[31:24]};
    end
    if (~back) col = col ^ key;
  end
endmodule
`default_nettype wire
