// SPDX-License-Identifier: Apache-2.0
// One step of the AES key schedule, either way: the round key KEY_BITS after, or before, another.
// Combinational. Word 0 in the top bits.
`default_nettype none
module hwgen_aes_key_step #(
  // 1: both directions; 0: forward only, decrypt is ignored
  parameter DECRYPT = 1
) (
  input  wire         decrypt,
  input  wire [127:0] from,
  input  wire [31:0]  mask,   // the S-boxes' word, round constant added
  output wire [127:0] to
);
  wire        back = (DECRYPT != 0) & decrypt;
  wire [31:0] w0   = from[127:96] ^ mask;
  wire [31:0] w1   = from[95:64] ^ (back ? from[127:96] : w0);
  wire [31:0] w2   = from[63:32] ^ (back ? from[95:64] : w1);
  wire [31:0] w3   = from[31:0] ^ (back ? from[63:32] : w2);

  assign to = {w0, w1, w2, w3};

  generate
    if (DECRYPT == 0) begin : g_encrypt
      wire _unused_ok = &{1'b0, decrypt};  // always 0 here
    end
  endgenerate
endmodule
`default_nettype wire
