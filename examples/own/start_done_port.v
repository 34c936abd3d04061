// SPDX-License-Identifier: Apache-2.0
// Adapter: a core with start and done, at the core port of a scheduler's lane.
//
//   core    start  1 in the cycle in which operands are valid, never while the core is busy
//           done   1 in the cycle in which the result is valid, any number of cycles later, at least one
//   lane    in_valid, in_ready, out_valid, out_ready
//
// The result is kept until the lane takes it; the next block enters in that cycle. So a block takes the
// core's cycles from start to done and one more. For another core put it in the place of u_core.
`default_nettype none
module start_done_port (
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
  reg          busy_q, full_q;
  reg  [127:0] block_q;
  wire         done;
  wire [127:0] result;

  // in_ready may follow out_ready, but not in_valid; out_* are registers
  assign in_ready  = ~busy_q & (~full_q | out_ready);
  assign out_valid = full_q;
  assign out_block = block_q;

  wire start = in_valid & in_ready;

  always @(posedge clk) begin
    if (out_ready) full_q <= 1'b0;
    if (done) begin
      busy_q  <= 1'b0;
      full_q  <= 1'b1;
      block_q <= result;
    end
    if (start) busy_q <= 1'b1;
    // data too: clear and reset leave nothing behind
    if (rst) begin
      busy_q  <= 1'b0;
      full_q  <= 1'b0;
      block_q <= 128'd0;
    end
  end

  start_done_sm4 u_core (
    .clk     (clk),
    .rst     (rst),
    .start   (start),
    .inverse (in_decrypt),
    .key     (in_key),
    .data    (in_block),
    .done    (done),
    .result  (result)
  );

  // the same cipher for every command
  wire unused_ok = &{1'b0, in_op};
endmodule
`default_nettype wire
