// SPDX-License-Identifier: Apache-2.0
// A core for tests of the scheduler whose speed varies: hwgen_delay_core behind a gate that
// refuses a block in a quarter of the cycles and adds 0 to 2**JITTER - 1 cycles to each block.
// Latency: the delay core's for the command, and what is added. Handshake: valid/ready, the core
// port of interfaces.md; in_ready comes and goes also while no block is offered.
// The random numbers come from a shift register that takes in each block, so that a run after a
// reset differs from the one before.
`default_nettype none
module hwgen_jitter_core #(
  // least cycles a block of each command, 1 to 65535
  parameter ENCRYPT = 1,
  parameter DECRYPT = 1,
  parameter SIGN    = 1,
  parameter VERIFY  = 1,
  parameter JITTER  = 4   // bits of the random number of further cycles, 1 to 12
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
  reg [31:0]       random_q;
  reg [JITTER-1:0] more_q;
  wire             open  = random_q[17:16] != 2'd0;
  wire             ripe  = more_q == {JITTER{1'b0}};
  wire             core_ready, core_valid;
  wire             enter = in_valid & in_ready;

  assign in_ready  = open & core_ready;
  assign out_valid = core_valid & ripe;

  hwgen_delay_core #(
    .ENCRYPT(ENCRYPT), .DECRYPT(DECRYPT), .SIGN(SIGN), .VERIFY(VERIFY)
  ) u_core (
    .clk(clk), .rst(rst), .in_valid(in_valid & open), .in_ready(core_ready), .in_op(in_op),
    .in_decrypt(in_decrypt), .in_key(in_key), .in_block(in_block),
    .out_valid(core_valid), .out_ready(out_ready & ripe), .out_block(out_block)
  );

  // a Galois register over x^32 + x^22 + x^2 + x + 1; one that is 0 would stay so
  wire [31:0] shifted = {1'b0, random_q[31:1]} ^ (random_q[0] ? 32'h80200003 : 32'd0);
  wire [31:0] mixed   = shifted ^ (enter ? in_block[63:32] : 32'd0);

  always @(posedge clk) begin
    random_q <= (mixed == 32'd0) ? 32'd1 : mixed;
    if (enter) more_q <= random_q[JITTER-1:0];
    else if (core_valid & ~ripe) more_q <= more_q - 1'b1;
    if (rst) begin
      random_q <= 32'd1;
      more_q   <= {JITTER{1'b0}};
    end
  end

  generate
    if (JITTER < 1 || JITTER > 12) begin : g_bad
      hwgen_error_jitter_core_bits_must_be_1_to_12 u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
