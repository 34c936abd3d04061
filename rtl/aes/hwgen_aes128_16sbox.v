// SPDX-License-Identifier: Apache-2.0
// AES-128, 16 S-boxes and 4 for the key schedule: 11 cycles from input handshake to out_valid, and
// between blocks. Byte 0 of block and key in the top bits; see hwgen_aes_core.
`default_nettype none
module hwgen_aes128_16sbox #(
  // 1: both directions; 0: encryption only, in_decrypt is ignored
  parameter DECRYPT = 1,
  // S-boxes in synthesis, 1: look-ups; 0: field logic
  parameter TABLE = 0
) (
  input  wire         clk,
  input  wire         rst,
  input  wire         in_valid,
  output wire         in_ready,
  input  wire [1:0]   in_op,
  input  wire         in_decrypt,
  input  wire [127:0] in_key,
  input  wire [127:0] in_block,
  output wire         out_valid,
  input  wire         out_ready,
  output wire [127:0] out_block,
  output wire [127:0] end_key
);
  hwgen_aes_core #(.KEY_BITS(128), .SBOXES(16), .DECRYPT(DECRYPT), .TABLE(TABLE)) u_core (
    .clk(clk), .rst(rst),
    .in_valid(in_valid), .in_ready(in_ready), .in_op(in_op), .in_decrypt(in_decrypt),
    .in_key(in_key), .in_block(in_block),
    .out_valid(out_valid), .out_ready(out_ready), .out_block(out_block), .end_key(end_key));
endmodule
`default_nettype wire
