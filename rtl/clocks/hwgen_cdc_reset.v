// SPDX-License-Identifier: Apache-2.0
// Empties the FIFOs between the main clock and a clock b when the main side is reset, both ends in
// step:
//
//   main   hold  ____________/~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\______   ends last: b is empty by then
//          req   _________/~~~~~~~~~~~~~~~~~~\____________________   until b says that it is held
//          clear __________________________/~~~\__________________   b is held: pointers to 0
//   b      clear ______________/~~~~~~~~~~~~~~~~~~~~~~\___________   held, pointers at 0
//          ack   __________________/~~~~~~~~~~~~~~~~~~~~~\________
//
// clear of the main side is given only while b is held, and the other way round, so no end ever
// looks at pointers that jump. b needs no reset for this: it follows req. With a clock b that
// stands still the main side stays held. At power-up arst has to last for STAGES + 2 cycles of both
// clocks; later any pulse will do, and one that comes in the middle finds the FIFOs empty.
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
  reg  req_q;
  wire req, ack, b_req;
  reg  b_done_q, b_ack_q;

  assign hold    = rst | req | ack;
  assign clear   = req & ack;
  assign b_clear = b_req | b_done_q | b_ack_q;

  // asynchronous: b hears of a reset even while clk stands still
  always @(posedge clk or posedge rst_a)
    if (rst_a)      req_q <= 1'b1;
    else if (clear) req_q <= 1'b0;

  // to the logic of its own clock it is an asynchronous signal too
  hwgen_sync #(
    .WIDTH  (1),
    .STAGES (STAGES)
  ) u_req (
    .clk (clk),
    .d   (req_q),
    .q   (req)
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
