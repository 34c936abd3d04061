// SPDX-License-Identifier: Apache-2.0
// One step of the AES key schedule, either way: the four words next to those in the register.
// Combinational. Word 0 of the key in its top bits. For 256 bits the register slides over two
// round keys, older one on top.
`default_nettype none
module hwgen_aes_key_step #(
  // 128 or 256
  parameter KEY_BITS = 128,
  // 1: both directions; 0: forward only, decrypt is ignored
  parameter DECRYPT = 1
) (
  input  wire                decrypt,
  input  wire [KEY_BITS-1:0] key,
  input  wire [31:0]         mask,   // the S-boxes' word, round constant added
  output wire [KEY_BITS-1:0] next
);
  wire         back = (DECRYPT != 0) & decrypt;
  wire [127:0] from = back ? key[127:0] : key[KEY_BITS-1:KEY_BITS-128];

  wire [31:0]  w0 = from[127:96] ^ mask;
  wire [31:0]  w1 = from[95:64] ^ (back ? from[127:96] : w0);
  wire [31:0]  w2 = from[63:32] ^ (back ? from[95:64] : w1);
  wire [31:0]  w3 = from[31:0] ^ (back ? from[63:32] : w2);
  wire [127:0] to = {w0, w1, w2, w3};

  generate
    if (KEY_BITS == 128) begin : g_128
      assign next = to;
    end else begin : g_256
      assign next = back ? {to, key[255:128]} : {key[127:0], to};
    end
    if (DECRYPT == 0) begin : g_encrypt
      wire _unused_ok = &{1'b0, decrypt};
    end
  endgenerate
endmodule
`default_nettype wire
