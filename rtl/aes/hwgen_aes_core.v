// SPDX-License-Identifier: Apache-2.0
// AES core, one block at a time, round keys on the fly. Cycles from input handshake to out_valid,
// which is also the initiation interval, for keys of 128 / 256 bits:
//   16 S-boxes (and 4 for keys) 11 / 15, 8 (and 4 for keys) 21 / 29, 4 (shared) 51 / 71.
// Byte 0 of block and key in the top bits. Decryption takes the end key: the last KEY_BITS of the
// key schedule, which end_key shows while out_valid after an encryption.
`default_nettype none
module hwgen_aes_core #(
  // 128 or 256
  parameter KEY_BITS = 128,
  // S-boxes in the data path: 4, 8 or 16
  parameter SBOXES = 16,
  // 1: both directions; 0: encryption only, in_decrypt is ignored
  parameter DECRYPT = 1,
  // S-boxes in synthesis, 1: look-ups; 0: field logic
  parameter TABLE = 0
) (
  input  wire                clk,
  input  wire                rst,
  input  wire                in_valid,
  output wire                in_ready,
  input  wire [1:0]          in_op,
  input  wire                in_decrypt,
  input  wire [KEY_BITS-1:0] in_key,
  input  wire [127:0]        in_block,
  output wire                out_valid,
  input  wire                out_ready,
  output wire [127:0]        out_block,
  output wire [KEY_BITS-1:0] end_key
);
  // the direction alone matters to a block cipher
  wire _unused_ok = &{1'b0, in_op};

  generate
    if (KEY_BITS != 128 && KEY_BITS != 256) begin : g_bad_key_bits
      hwgen_aes_core_KEY_BITS_must_be_128_or_256 u_error ();
    end else if (SBOXES == 4) begin : g_serial
      hwgen_aes_serial #(.KEY_BITS(KEY_BITS), .DECRYPT(DECRYPT), .TABLE(TABLE)) u_core (
        .clk(clk), .rst(rst),
        .in_valid(in_valid), .in_ready(in_ready), .in_decrypt(in_decrypt), .in_key(in_key),
        .in_block(in_block),
        .out_valid(out_valid), .out_ready(out_ready), .out_block(out_block), .end_key(end_key));
    end else if (SBOXES == 8 || SBOXES == 16) begin : g_wide
      hwgen_aes_wide #(
        .KEY_BITS(KEY_BITS), .COLUMNS(SBOXES / 4), .DECRYPT(DECRYPT), .TABLE(TABLE)
      ) u_core (
        .clk(clk), .rst(rst),
        .in_valid(in_valid), .in_ready(in_ready), .in_decrypt(in_decrypt), .in_key(in_key),
        .in_block(in_block),
        .out_valid(out_valid), .out_ready(out_ready), .out_block(out_block), .end_key(end_key));
    end else begin : g_bad_sboxes
      hwgen_aes_core_SBOXES_must_be_4_8_or_16 u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
