// SPDX-License-Identifier: Apache-2.0
// UART receiver, 8 data bits, no parity, 1 stop bit. The bit clock is a phase accumulator that
// starts anew at each start bit, so CLK_HZ need be no multiple of BAUD: bits are sampled within a
// clock of their middle. At least 4 clocks a bit.
// rxd is asynchronous; two registers, then a majority of three, which hides glitches of a clock.
// valid and bad are pulses at the middle of the stop bit: a byte, or a missing stop bit.
// After a missing stop bit the line has to be high once before the next start bit counts.
`default_nettype none
module hwgen_uart_rx #(
  // clocks a second
  parameter CLK_HZ = 12000000,
  // bits a second
  parameter BAUD   = 3000000
) (
  input  wire       clk,
  input  wire       rst,
  input  wire       rxd,
  output wire       valid,
  output wire [7:0] data,
  output wire       bad
);
  localparam [63:0] CLK_L  = CLK_HZ;
  localparam [63:0] BAUD_L = BAUD;
  localparam [63:0] INC_L  = ((BAUD_L << 20) + (CLK_L >> 1)) / CLK_L;
  localparam [19:0] INC    = INC_L[19:0];

  (* ASYNC_REG = "TRUE" *)
  reg  [1:0]  sync_q;
  reg  [1:0]  past_q;
  reg         line_q;
  reg  [19:0] phase_q;
  reg         busy_q, armed_q, valid_q, bad_q;
  reg  [3:0]  count_q;
  reg  [7:0]  data_q;

  wire        now = sync_q[1];
  wire [20:0] sum = {1'b0, phase_q} + {1'b0, INC};
  wire        tick = sum[20];

  assign valid = valid_q;
  assign bad   = bad_q;
  assign data  = data_q;

  generate
    if (BAUD < 1 || CLK_HZ / 4 < BAUD) begin : g_bad
      hwgen_error_uart_needs_at_least_4_clocks_a_bit u_error ();
    end
  endgenerate

  always @(posedge clk) begin
    sync_q  <= {sync_q[0], rxd};
    past_q  <= {past_q[0], now};
    line_q  <= (now & past_q[0]) | (now & past_q[1]) | (past_q[0] & past_q[1]);
    valid_q <= 1'b0;
    bad_q   <= 1'b0;
    if (!busy_q) begin
      // half a bit ahead: the first tick is the middle of the start bit
      phase_q <= 20'h80000;
      count_q <= 4'd0;
      armed_q <= armed_q | line_q;
      busy_q  <= armed_q & ~line_q;
    end else begin
      phase_q <= sum[19:0];
      if (tick) begin
        count_q <= count_q + 4'd1;
        if (count_q == 4'd0) begin
          busy_q <= ~line_q;
        end else if (count_q != 4'd9) begin
          data_q <= {line_q, data_q[7:1]};
        end else begin
          busy_q  <= 1'b0;
          armed_q <= line_q;
          valid_q <= line_q;
          bad_q   <= ~line_q;
        end
      end
    end
    if (rst) begin
      busy_q  <= 1'b0;
      armed_q <= 1'b0;
      valid_q <= 1'b0;
      bad_q   <= 1'b0;
      data_q  <= 8'd0; // may be of a key
    end
  end
endmodule
`default_nettype wire
