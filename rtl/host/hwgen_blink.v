// SPDX-License-Identifier: Apache-2.0
// Makes short events visible: an LED is on for a sixteenth to an eighth of a second after the last
// event of its own.
`default_nettype none
module hwgen_blink #(
  // clocks a second
  parameter CLK_HZ = 12000000
) (
  input  wire clk,
  input  wire rst,
  input  wire event_0,
  input  wire event_1,
  output wire led_0,
  output wire led_1
);
  localparam W = $clog2(CLK_HZ / 16 + 2);
  localparam [31:0] LAST_I = CLK_HZ / 16;
  localparam [W-1:0] LAST = LAST_I[W-1:0];
  localparam [W-1:0] ONE = 1;

  reg [W-1:0] count_q;
  reg         tick_q;
  reg [1:0]   left_0_q, left_1_q;

  assign led_0 = left_0_q[1];
  assign led_1 = left_1_q[1];

  always @(posedge clk) begin
    tick_q  <= count_q == LAST;
    count_q <= tick_q ? {W{1'b0}} : count_q + ONE;
    if (tick_q) begin
      left_0_q <= {left_0_q[0], 1'b0};
      left_1_q <= {left_1_q[0], 1'b0};
    end
    if (event_0) left_0_q <= 2'b11;
    if (event_1) left_1_q <= 2'b11;
    if (rst) begin
      tick_q   <= 1'b0;
      count_q  <= {W{1'b0}};
      left_0_q <= 2'b00;
      left_1_q <= 2'b00;
    end
  end
endmodule
`default_nettype wire
