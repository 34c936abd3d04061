// SPDX-License-Identifier: Apache-2.0
// A core for tests of the scheduler: as many cycles a block as its parameters say for the command,
// and a cipher that is a toy, keyed and invertible, so that results can still be checked.
// Latency and initiation interval: the parameter of the block's command; a block may enter in the
// cycle in which the one before leaves. Handshake: valid/ready, the core port of interfaces.md.
// Word i of 32 bits, word 0 (bytes 0-3) on top: y[i] = rotl(x[i+1] ^ k[i], 7) + k[i+2], indices
// modulo 4. gen/cipher has the same function under the name of the algorithm "delay".
`default_nettype none
module hwgen_delay_core #(
  // cycles a block of each command, 1 to 65535
  parameter ENCRYPT = 16,
  parameter DECRYPT = 16,
  parameter SIGN    = 16,
  parameter VERIFY  = 16
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
  output wire [127:0] out_block
);
  localparam [31:0] E_I = ENCRYPT - 1;
  localparam [31:0] D_I = DECRYPT - 1;
  localparam [31:0] S_I = SIGN - 1;
  localparam [31:0] V_I = VERIFY - 1;

  wire [31:0] k0 = in_key[127:96];
  wire [31:0] k1 = in_key[95:64];
  wire [31:0] k2 = in_key[63:32];
  wire [31:0] k3 = in_key[31:0];
  wire [31:0] x0 = in_block[127:96];
  wire [31:0] x1 = in_block[95:64];
  wire [31:0] x2 = in_block[63:32];
  wire [31:0] x3 = in_block[31:0];

  function [31:0] left;
    input [31:0] w;
    left = {w[24:0], w[31:25]};
  endfunction

  function [31:0] right;
    input [31:0] w;
    right = {w[6:0], w[31:7]};
  endfunction

  reg         busy_q;
  reg  [15:0] left_q;
  reg [127:0] block_q;

  assign out_valid = busy_q & (left_q == 16'd0);
  assign out_block = block_q;
  assign in_ready  = ~busy_q | (out_valid & out_ready);

  always @(posedge clk) begin
    if (busy_q & (left_q != 16'd0)) left_q <= left_q - 16'd1;
    if (out_valid & out_ready) busy_q <= 1'b0;
    if (in_valid & in_ready) begin
      busy_q <= 1'b1;
      case (in_op)
        2'd0: left_q <= E_I[15:0];
        2'd1: left_q <= D_I[15:0];
        2'd2: left_q <= S_I[15:0];
        default: left_q <= V_I[15:0];
      endcase
      if (in_decrypt)
        block_q <= {right(x3 - k1) ^ k3, right(x0 - k2) ^ k0,
                    right(x1 - k3) ^ k1, right(x2 - k0) ^ k2};
      else
        block_q <= {left(x1 ^ k0) + k2, left(x2 ^ k1) + k3,
                    left(x3 ^ k2) + k0, left(x0 ^ k3) + k1};
    end
    if (rst) begin
      busy_q  <= 1'b0;
      left_q  <= 16'd0;
      block_q <= 128'd0;
    end
  end

  generate
    if (ENCRYPT < 1 || DECRYPT < 1 || SIGN < 1 || VERIFY < 1 || ENCRYPT > 65535 || DECRYPT > 65535
        || SIGN > 65535 || VERIFY > 65535) begin : g_bad
      hwgen_error_delay_core_cycles_must_be_1_to_65535 u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
