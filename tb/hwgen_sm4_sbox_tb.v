// SPDX-License-Identifier: Apache-2.0
// The SM4 S-box over all 256 inputs: GB/T 32907's table as affine map, inverse and affine map, with
// some of its entries spelt out.
`default_nettype none
module hwgen_sm4_sbox_tb;
  reg  [7:0] in;
  wire [7:0] out;

  hwgen_sm4_sbox u_sbox (.in(in), .out(out));

  function [7:0] mul;
    input [7:0] a, b;
    integer n;
    begin
      mul = 0;
      for (n = 7; n >= 0; n = n - 1)
        mul = {mul[6:0], 1'b0} ^ (mul[7] ? 8'hf5 : 8'h00) ^ (b[n] ? a : 8'h00);
    end
  endfunction

  function [7:0] affine;
    input [7:0] x;
    integer n;
    for (n = 0; n < 8; n = n + 1)
      affine[n] = ^(x & (8'ha7 << n | 8'ha7 >> (8 - n))) ^ (8'hd3 >> n);
  endfunction

  integer     failures, i, k;
  reg [7:0]   v, a;
  reg [127:0] row;

  task check;
    input [7:0] want;
    begin
      #1;
      if (out !== want) begin
        if (failures == 0) $display("FAIL: in %h out %h, not %h", in, out, want);
        failures = failures + 1;
        if (failures == 1) $finish;
      end
    end
  endtask

  initial begin
    failures = 0;
    for (i = 0; i < 256; i = i + 1) begin
      in = i;
      a  = affine(in);
      v  = 0;
      for (k = 1; k < 256; k = k + 1) if (mul(a, k) == 8'd1) v = k;
      check(affine(v));
    end
    // first and last row of the standard's table
    row = 128'hd690e9fecce13db716b614c228fb2c05;
    for (i = 0; i < 16; i = i + 1) begin
      in = i;
      check(row[127-8*i -: 8]);
    end
    row = 128'h18f07dec3adc4d2079ee5f3ed7cb3948;
    for (i = 0; i < 16; i = i + 1) begin
      in = 8'hf0 + i;
      check(row[127-8*i -: 8]);
    end
    if (failures == 0) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
