// SPDX-License-Identifier: Apache-2.0
// corners: DECRYPT=1 | DECRYPT=0
// The AES column as logic, as tables and as chosen: equal for every byte in every row, and for
// random columns, in all four cases; and right: FIPS-197's matrices over GF(2^8).
`default_nettype none
module hwgen_aes_column_tb;
  parameter DECRYPT = 1;

  reg         last, decrypt;
  reg  [31:0] sub, inv_sub, key;
  wire [31:0] logic_out, table_out, chosen;

  hwgen_aes_column_logic #(.DECRYPT(DECRYPT)) u_logic (
    .last(last), .decrypt(decrypt), .sub(sub), .inv_sub(inv_sub), .key(key), .col(logic_out));
  hwgen_aes_column_table #(.DECRYPT(DECRYPT)) u_table (
    .last(last), .decrypt(decrypt), .sub(sub), .inv_sub(inv_sub), .key(key), .col(table_out));
  hwgen_aes_column #(.DECRYPT(DECRYPT)) u_column (
    .last(last), .decrypt(decrypt), .sub(sub), .inv_sub(inv_sub), .key(key), .col(chosen));

  function [7:0] mul;
    input [7:0] a, b;
    integer n;
    begin
      mul = 0;
      for (n = 7; n >= 0; n = n - 1)
        mul = {mul[6:0], 1'b0} ^ (mul[7] ? 8'h1b : 8'h00) ^ (b[n] ? a : 8'h00);
    end
  endfunction

  // coefs: the matrix's first row; each row is the one above turned right by one
  function [31:0] times;
    input [31:0] coefs, x;
    integer row, n;
    reg [7:0] sum;
    for (row = 0; row < 4; row = row + 1) begin
      sum = 8'h00;
      for (n = 0; n < 4; n = n + 1)
        sum = sum ^ mul(coefs[31-8*((n + 4 - row) % 4) -: 8], x[31-8*n -: 8]);
      times[31-8*row -: 8] = sum;
    end
  endfunction

  integer    i, k;
  reg        back, failed;
  reg [31:0] x, want;

  initial begin
    failed = 0;
    // MixColumns of FIPS-197, appendix B, round 1, column 0
    if (times(32'h02030101, 32'hd4bf5d30) !== 32'h046681e5) begin
      $display("FAIL: the bench's matrix");
      failed = 1;
    end
    // each byte in each row, the other side at random; then all at random
    for (i = 0; i < 4 * 1024 + 1000 && !failed; i = i + 1) begin
      {last, decrypt} = i;
      k       = i >> 2;
      sub     = (k < 1024) ? {24'd0, k[7:0]} << 8 * k[9:8] : $random;
      inv_sub = (k < 1024) ? sub : $random;
      key     = (k < 1024) ? 32'd0 : $random;
      back    = decrypt & (DECRYPT != 0);
      x       = back ? inv_sub ^ key : sub;
      want    = last ? x : times(back ? 32'h0e0b0d09 : 32'h02030101, x);
      if (!back) want = want ^ key;
      #1;
      if (logic_out !== want || table_out !== want || chosen !== want) begin
        $display("FAIL: last %b decrypt %b sub %h inv_sub %h key %h", last, decrypt, sub, inv_sub,
                 key);
        $display("FAIL: logic %h table %h chosen %h, not %h", logic_out, table_out, chosen, want);
        failed = 1;
      end
    end
    if (!failed) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
