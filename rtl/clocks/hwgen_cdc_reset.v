// SPDX-License-Identifier: Apache-2.0
// Empties the FIFOs between the main clock and a clock b when the main side is reset, both ends in
// step:
//
//   main   want  ___/~~~~~~~~~~~~~~~~~~~~~~~~~~\____________________   rst, or not yet seen to
//          req   _________/~~~~~~~~~~~~~~~~~~~~\____________________   until b says that it is held
//          clear __________________________/~~~\____________________   b is held: pointers to 0
//          hold  ______/~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\____   ends last: b is empty by then
//   b      clear _______/~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\_________   held, pointers at 0
//          ack   __________________/~~~~~~~~~~~~~~~~~~~~~~~\_________   what req was
//
// clear of the main side is given only while b is held, and the other way round, so no end ever
// looks at pointers that jump. req rises only once the ack of the last request has gone, so that an
// ack is always of this request, however close two resets are; it falls only when rst has ended, so
// that b is not held twice. b is held by b_want from a reset on even while clk stands still; it
// needs no reset of its own. With a clock b that stands still the main side stays held. At power-up
// arst has to last for STAGES + 2 cycles of both clocks; later any pulse will do, and one that comes
// in the middle finds the FIFOs empty.
`default_nettype none
module hwgen_cdc_reset #(
  // flip-flops of a synchroniser
  parameter STAGES = 2
) (
  input  wire clk,
  // of hwgen_reset_sync
  input  wire rst_a,
  input  wire rst,
  // no transfer at the main end of the FIFOs; their pointers to 0
  output wire hold,
  output wire clear,
  // both at once at the other end
  input  wire b_clk,
  output wire b_clear
);
  reg  hear_q, want_q, req_q;
  wire ack, b_want, b_req;
  reg  b_done_q, b_ack_q;
  wire done = req_q & ack & ~rst;

  assign hold    = rst | want_q | req_q | ack;
  assign clear   = req_q & ack;
  assign b_clear = b_want | b_req | b_done_q | b_ack_q;

  // asynchronous: b hears of a reset even while clk stands still
  always @(posedge clk or posedge rst_a)
    if (rst_a)     hear_q <= 1'b1;
    else if (done) hear_q <= 1'b0;

  // req has no reset: one in the middle must not take back what b may have seen. Whatever it is at
  // power-up, the request that it stands for comes to its end; a simulation has to begin somewhere.
  initial req_q = 1'b0;
  always @(posedge clk) begin
    if (want_q & ~ack) req_q <= 1'b1;
    if (done) begin
      req_q  <= 1'b0;
      want_q <= 1'b0;
    end
    if (rst) want_q <= 1'b1;
  end

  hwgen_sync #(
    .WIDTH  (1),
    .STAGES (STAGES)
  ) u_b_want (
    .clk (b_clk),
    .d   (hear_q),
    .q   (b_want)
  );

  hwgen_sync #(
    .WIDTH  (1),
    .STAGES (STAGES)
  ) u_b_req (
    .clk (b_clk),
    .d   (req_q),
    .q   (b_req)
  );

  // a cycle in between: the pointers are 0 before ack says so
  always @(posedge b_clk) begin
    b_done_q <= b_req;
    b_ack_q  <= b_done_q;
  end

  hwgen_sync #(
    .WIDTH  (1),
    .STAGES (STAGES)
  ) u_ack (
    .clk (clk),
    .d   (b_ack_q),
    .q   (ack)
  );
endmodule
`default_nettype wire
