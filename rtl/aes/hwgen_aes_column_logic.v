// SPDX-License-Identifier: Apache-2.0
// One column of an AES round behind the S-boxes: MixColumns and AddRoundKey, or AddRoundKey and
// InvMixColumns. Combinational. Row 0 is the top byte of each word.
// InvMixColumns is MixColumns behind x_i ^ 4 (x_i ^ x_(i+2)), so both directions share MixColumns.
`default_nettype none
module hwgen_aes_column_logic #(
  // 1: both directions; 0: encryption only, decrypt is ignored
  parameter DECRYPT = 1
) (
  input  wire        last,     // last round: no (Inv)MixColumns
  input  wire        decrypt,
  input  wire [31:0] sub,      // column out of the S-boxes, rows already shifted
  input  wire [31:0] inv_sub,  // the same out of the inverse S-boxes
  input  wire [31:0] key,      // its word of the round key
  output wire [31:0] col
);
  // 2 x of each byte in GF(2^8)
  function [31:0] times2;
    input [31:0] x;
    times2 = {x[30:24], 1'b0, x[22:16], 1'b0, x[14:8], 1'b0, x[6:0], 1'b0}
      ^ {3'b0, x[31], x[31], 1'b0, x[31], x[31], 3'b0, x[23], x[23], 1'b0, x[23], x[23],
         3'b0, x[15], x[15], 1'b0, x[15], x[15], 3'b0, x[7], x[7], 1'b0, x[7], x[7]};
  endfunction

  function [31:0] mix;
    input [31:0] x;
    mix = times2(x ^ {x[23:0], x[31:24]}) ^ {x[23:0], x[31:24]} ^ {x[15:0], x[31:16]}
      ^ {x[7:0], x[31:8]};
  endfunction

  generate
    if (DECRYPT != 0) begin : g_both
      wire [31:0] keyed = inv_sub ^ key;
      wire [31:0] pre   = times2(times2(keyed ^ {keyed[15:0], keyed[31:16]}));
      wire [31:0] x     = decrypt ? keyed ^ (pre & {32{~last}}) : sub;
      assign col = (last ? x : mix(x)) ^ (key & {32{~decrypt}});
    end else begin : g_encrypt
      wire _unused_ok = &{1'b0, decrypt, inv_sub};  // forward alone
      assign col = (last ? sub : mix(sub)) ^ key;
    end
  endgenerate
endmodule
`default_nettype wire
