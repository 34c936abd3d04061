// SPDX-License-Identifier: Apache-2.0
// UART transmitter, 8 data bits, no parity, 1 stop bit; bit clock as in hwgen_uart_rx.
// A byte is taken when in_ready = 1: while idle, and in the last clock of a stop bit, so that bytes
// follow each other without a gap. txd is a register, 1 from reset on.
`default_nettype none
module hwgen_uart_tx #(
  // clocks a second
  parameter CLK_HZ = 12000000,
  // bits a second
  parameter BAUD   = 3000000
) (
  input  wire       clk,
  input  wire       rst,
  input  wire       in_valid,
  output wire       in_ready,
  input  wire [7:0] in_data,
  output wire       txd
);
  localparam [63:0] CLK_L  = CLK_HZ;
  localparam [63:0] BAUD_L = BAUD;
  localparam [63:0] INC_L  = ((BAUD_L << 20) + (CLK_L >> 1)) / CLK_L;
  localparam [19:0] INC    = INC_L[19:0];

  reg  [19:0] phase_q;
  reg         busy_q;
  reg  [3:0]  count_q;
  // the bit on the line is bit 0
  reg  [8:0]  shift_q;

  wire [20:0] sum = {1'b0, phase_q} + {1'b0, INC};
  wire        tick = sum[20];

  assign in_ready = ~busy_q | (tick & (count_q == 4'd9));
  assign txd      = shift_q[0];

  always @(posedge clk) begin
    phase_q <= sum[19:0];
    if (tick) begin
      shift_q <= {1'b1, shift_q[8:1]};
      count_q <= count_q + 4'd1;
      if (count_q == 4'd9) busy_q <= 1'b0;
    end
    if (in_ready & in_valid) begin
      shift_q <= {in_data, 1'b0};
      count_q <= 4'd0;
      busy_q  <= 1'b1;
      // a byte behind another keeps the phase, or its start bit would be cut short
      if (!busy_q) phase_q <= 20'd0;
    end
    if (rst) begin
      shift_q <= 9'h1ff;
      busy_q  <= 1'b0;
    end
  end
endmodule
`default_nettype wire
