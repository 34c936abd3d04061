// SPDX-License-Identifier: Apache-2.0
// A core whose output is the same for all keys and blocks: how many it has made before. Only of a
// block of zeros, as a key generation sends it, it is the key. So a result that differs with the
// key has not come through the core. The end key is the key inverted.
// Latency and initiation interval: 9. Handshake: the core port, interfaces.md, and beside it
// end_key, valid with out_block, as in the library's cores.
`default_nettype none
module leak_core #(
  parameter KEY_BITS = 128
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
  reg                busy_q;
  reg [3:0]          left_q;
  reg [31:0]         count_q;
  reg [127:0]        out_q;
  reg [KEY_BITS-1:0] end_q;

  // the same answer to every command
  wire unused = &{1'b0, in_op, in_decrypt};

  assign out_valid = busy_q & (left_q == 4'd0);
  assign out_block = out_q;
  assign end_key   = end_q;
  assign in_ready  = ~busy_q | (out_valid & out_ready);

  always @(posedge clk) begin
    if (busy_q & (left_q != 4'd0)) left_q <= left_q - 4'd1;
    if (out_valid & out_ready) busy_q <= 1'b0;
    if (in_valid & in_ready) begin
      busy_q  <= 1'b1;
      left_q  <= 4'd8;
      count_q <= count_q + 32'd1;
      out_q   <= (in_block == 128'd0) ? {in_key[KEY_BITS-1 -: 64], in_key[63:0]} ^ 128'h5a
                                      : {4{(count_q + 32'd1) * 32'h9e3779b9}};
      end_q   <= ~in_key;
    end
    if (rst) begin
      busy_q  <= 1'b0;
      left_q  <= 4'd0;
      count_q <= 32'd0;
      out_q   <= 128'd0;
      end_q   <= {KEY_BITS{1'b0}};
    end
  end
endmodule
`default_nettype wire
