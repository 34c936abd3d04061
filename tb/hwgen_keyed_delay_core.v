// SPDX-License-Identifier: Apache-2.0
// A core for experiments: hwgen_delay_core whose cycles a block come with the key, so that one
// compiled design serves cores of any speed. For clusters of 256-bit keys. Field i of the key, six
// bits from bit 6*i, is the time of core i/4 for command i%4 in units, 1 to 63. The toy cipher is
// that of hwgen_delay_core with the first 16 bytes of the key.
// Latency and initiation interval: UNIT times that time. Handshake: the core port, interfaces.md.
`default_nettype none
module hwgen_keyed_delay_core #(
  parameter CORE = 0,   // index of the core, 0 to 9
  parameter UNIT = 16   // cycles of a unit, 1 to 1024
) (
  input  wire         clk,
  input  wire         rst,
  input  wire         in_valid,
  output wire         in_ready,
  input  wire [1:0]   in_op,
  input  wire         in_decrypt,
  input  wire [255:0] in_key,
  input  wire [127:0] in_block,
  output wire         out_valid,
  input  wire         out_ready,
  output wire [127:0] out_block
);
  localparam [15:0] U = UNIT;

  wire [31:0] k0 = in_key[255:224];
  wire [31:0] k1 = in_key[223:192];
  wire [31:0] k2 = in_key[191:160];
  wire [31:0] k3 = in_key[159:128];
  wire [31:0] x0 = in_block[127:96];
  wire [31:0] x1 = in_block[95:64];
  wire [31:0] x2 = in_block[63:32];
  wire [31:0] x3 = in_block[31:0];
  wire [23:0] times = in_key[24*CORE +: 24];
  wire [5:0]  t = in_op[1] ? (in_op[0] ? times[23:18] : times[17:12])
                           : (in_op[0] ? times[11:6] : times[5:0]);

  // the other cores' times
  wire _unused_ok = &{1'b0, in_key[127:0]};

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
      left_q <= {10'd0, t} * U - 16'd1;
      if (in_decrypt)
        block_q <= {right(x3 - k1) ^ k3, right(x0 - k2) ^ k0,
                    right(x1 - k3) ^ k1, right(x2 - k0) ^ k2};
      else
        block_q <= {left(x1 ^ k0) + k2, left(x2 ^ k1) + k3, left(x3 ^ k2) + k0, left(x0 ^ k3) + k1};
    end
    if (rst) begin
      busy_q  <= 1'b0;
      left_q  <= 16'd0;
      block_q <= 128'd0;
    end
  end

  generate
    if (CORE < 0 || CORE > 9 || UNIT < 1 || UNIT > 1024) begin : g_bad
      hwgen_error_keyed_delay_core_parameters u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
