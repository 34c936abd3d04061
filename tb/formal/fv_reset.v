// SPDX-License-Identifier: Apache-2.0
// Reset of a proof: registers begin with any value, the first cycle is one of reset, and after it
// reset may come at any time. live: the first cycle is over; fresh: the cycle before was one of reset.
// Environment: every design is reset once after power-up.
`default_nettype none
module fv_reset (
  input  wire clk,
  input  wire rst,
  output wire live,
  output wire fresh
);
  reg live_q = 1'b0;
  reg fresh_q = 1'b1;
  assign live  = live_q;
  assign fresh = fresh_q;

  always @(posedge clk) begin
    live_q  <= 1'b1;
    fresh_q <= rst;
  end

  always @*
    if (~live_q) e_reset_first: assume (rst);
endmodule
`default_nettype wire
