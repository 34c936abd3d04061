// SPDX-License-Identifier: Apache-2.0
// The result stream from the scheduler's clock to one of its own: a FIFO, a register, and what
// resets make of frames.
// Latency: that of hwgen_async_fifo and one cycle; initiation interval 1. Outputs are registers,
// but tvalid, which is 0 while the receiver is in reset.
// result_rst (the receiver begins anew): a frame of which it has taken a beat is dropped to its
// end, all others come whole.
// result_clear (the scheduler was reset): frames inside are gone. One of which a beat was offered
// is ended by a beat without bytes, which no whole frame has; with both resets at once nothing
// follows. lost: a cycle of 1 each time that something is gone.
`default_nettype none
module hwgen_async_result #(
  // stream width: 32, 64 or 128
  parameter DATA_W = 128,
  // bits of tdest
  parameter TID_W  = 2,
  // beats, a power of two
  parameter DEPTH  = 16,
  // flip-flops of a synchroniser
  parameter STAGES = 2
) (
  // the scheduler's clock
  input  wire                clk,
  // of hwgen_cdc_reset
  input  wire                hold,
  input  wire                clear,
  input  wire [DATA_W-1:0]   s_axis_result_tdata,
  input  wire [DATA_W/8-1:0] s_axis_result_tkeep,
  input  wire                s_axis_result_tvalid,
  output wire                s_axis_result_tready,
  input  wire                s_axis_result_tlast,
  input  wire [TID_W-1:0]    s_axis_result_tdest,
  input  wire                result_clk,
  // of hwgen_reset_sync
  input  wire                result_rst_a,
  input  wire                result_rst,
  // of hwgen_cdc_reset
  input  wire                result_clear,
  output wire [DATA_W-1:0]   m_axis_result_tdata,
  output wire [DATA_W/8-1:0] m_axis_result_tkeep,
  output wire                m_axis_result_tvalid,
  input  wire                m_axis_result_tready,
  output wire                m_axis_result_tlast,
  output wire [TID_W-1:0]    m_axis_result_tdest,
  output wire                lost
);
  localparam KEEP_W = DATA_W / 8;
  localparam WIDTH  = TID_W + 1 + KEEP_W + DATA_W;

  wire              f_valid, f_last;
  wire [KEEP_W-1:0] f_keep;
  wire [DATA_W-1:0] f_data;
  wire [TID_W-1:0]  f_dest;

  // The output register. open: the last beat loaded did not end its frame. begun: the receiver has
  // taken a beat of a frame and not its last. cut: a frame is to be ended; drop: to be dropped.
  reg              valid_q, last_q, open_q, begun_q, cut_q, drop_q, clear_q, lost_q;
  reg [KEEP_W-1:0] keep_q;
  reg [DATA_W-1:0] data_q;
  reg [TID_W-1:0]  dest_q;

  wire away = result_rst_a | result_rst;
  wire take = m_axis_result_tvalid & m_axis_result_tready;
  wire room = ~valid_q | take;
  wire next = room & ~cut_q & ~result_rst;
  wire load = f_valid & next & ~drop_q;

  assign m_axis_result_tdata  = data_q;
  assign m_axis_result_tkeep  = keep_q;
  assign m_axis_result_tvalid = valid_q & ~away;
  assign m_axis_result_tlast  = last_q;
  assign m_axis_result_tdest  = dest_q;
  assign lost                 = lost_q;

  always @(posedge result_clk) begin
    lost_q  <= (result_clear & ~clear_q) | (result_rst & begun_q);
    clear_q <= result_clear;
    if (take) begin
      begun_q <= ~last_q;
      valid_q <= 1'b0;
    end
    // what has left is overwritten, as in the FIFO
    if (~valid_q | take) begin
      keep_q <= {KEEP_W{1'b0}};
      data_q <= {DATA_W{1'b0}};
    end
    if (f_valid & drop_q & f_last) drop_q <= 1'b0;
    if (load) begin
      valid_q <= 1'b1;
      open_q  <= ~f_last;
      last_q  <= f_last;
      keep_q  <= f_keep;
      data_q  <= f_data;
      dest_q  <= f_dest;
    end
    if (cut_q & room) begin
      cut_q   <= 1'b0;
      open_q  <= 1'b0;
      valid_q <= 1'b1;
      last_q  <= 1'b1;
    end
    // what is dropped has no rest any more; no load comes beside result_clear
    if (result_clear) begin
      drop_q <= 1'b0;
      if (open_q & ~cut_q) cut_q <= 1'b1;
    end
    if (result_rst) begin
      begun_q <= 1'b0;
      if (begun_q | cut_q | result_clear) begin
        valid_q <= 1'b0;
        open_q  <= 1'b0;
        cut_q   <= 1'b0;
        drop_q  <= open_q & ~cut_q & ~result_clear;
      end
    end
  end

  hwgen_async_fifo #(
    .WIDTH  (WIDTH),
    .DEPTH  (DEPTH),
    .STAGES (STAGES)
  ) u_fifo (
    .w_clk     (clk),
    .w_rst     (clear),
    .w_hold    (hold),
    .in_valid  (s_axis_result_tvalid),
    .in_ready  (s_axis_result_tready),
    .in_data   ({s_axis_result_tdest, s_axis_result_tlast,
                 s_axis_result_tkeep, s_axis_result_tdata}),
    .r_clk     (result_clk),
    .r_rst     (result_clear),
    .r_hold    (result_clear),
    .out_valid (f_valid),
    .out_ready (drop_q | next),
    .out_data  ({f_dest, f_last, f_keep, f_data})
  );
endmodule
`default_nettype wire
