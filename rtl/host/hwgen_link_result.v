// SPDX-License-Identifier: Apache-2.0
// Host link, result stream to buffer: cuts result frames into segments of at most 127 bytes, a
// slot each: byte 0 the length, bit 7 set if the frame ends there, then the payload. A byte a
// cycle.
// Slots [acked, filled) hold segments. close = 1: results are dropped, filled is 0.
// tready follows registers alone: 1 while no beat is held.
`default_nettype none
module hwgen_link_result #(
  // bits of the result stream: 32, 64, 128
  parameter DATA_W = 32,
  // slots of 128 bytes, a power of two, 2 to 64
  parameter WINDOW = 8,
  // derived: do not set
  parameter KEEP_W = DATA_W / 8,
  parameter SLOT_W = $clog2(WINDOW)
) (
  input  wire              clk,
  input  wire              rst,
  input  wire              close,
  input  wire [DATA_W-1:0] s_axis_result_tdata,
  input  wire [KEEP_W-1:0] s_axis_result_tkeep,
  input  wire              s_axis_result_tvalid,
  output wire              s_axis_result_tready,
  input  wire              s_axis_result_tlast,
  input  wire [7:0]        acked,
  output wire [7:0]        filled,
  output wire              we,
  output wire [SLOT_W+6:0] waddr,
  output wire [7:0]        wdata
);
  localparam [31:0] WINDOW_I = WINDOW;

  reg  [DATA_W-1:0] data_q;
  reg  [KEEP_W-1:0] keep_q;
  reg               last_q;
  // the slot is complete but for its length
  reg               seal_q, final_q;
  reg  [7:0]        filled_q;
  // bytes in the slot
  reg  [6:0]        count_q;

  wire [7:0] held = filled_q - acked;
  wire       room = held != WINDOW_I[7:0];
  wire       have = keep_q[0];
  wire       put  = have & room & ~seal_q;
  wire       end_beat = ~keep_q[1];
  wire [6:0] next = count_q + 7'd1;

  assign filled = filled_q;
  assign s_axis_result_tready = ~have;
  assign we    = put | seal_q;
  assign waddr = {filled_q[SLOT_W-1:0], seal_q ? 7'd0 : next};
  assign wdata = seal_q ? {final_q, count_q} : data_q[7:0];

  always @(posedge clk) begin
    if (put) begin
      data_q  <= data_q >> 8;
      keep_q  <= keep_q >> 1;
      count_q <= next;
      seal_q  <= (next == 7'd127) | (end_beat & last_q);
      final_q <= end_beat & last_q;
    end
    if (seal_q) begin
      seal_q   <= 1'b0;
      count_q  <= 7'd0;
      filled_q <= filled_q + 8'd1;
    end
    if (s_axis_result_tready & s_axis_result_tvalid) begin
      data_q <= s_axis_result_tdata;
      keep_q <= s_axis_result_tkeep;
      last_q <= s_axis_result_tlast;
    end
    if (rst | close) begin
      data_q   <= {DATA_W{1'b0}};
      keep_q   <= {KEEP_W{1'b0}};
      seal_q   <= 1'b0;
      count_q  <= 7'd0;
      filled_q <= 8'd0;
    end
  end
endmodule
`default_nettype wire
