// SPDX-License-Identifier: Apache-2.0
// The job stream from a clock of its own to the scheduler's: a FIFO, and what resets make of
// frames. Latency and rate: those of hwgen_async_fifo. tready follows registers alone.
// job_rst (the sender begins anew): whole frames inside go on; one that is cut off is ended by a
// beat without bytes, which the scheduler answers as broken. Nothing is taken meanwhile.
// job_clear (the scheduler was reset): frames inside are gone; the rest of one that the sender is
// in the middle of is taken and dropped. lost: a cycle of 1 each time.
`default_nettype none
module hwgen_async_job #(
  // stream width: 32, 64 or 128
  parameter DATA_W = 128,
  // bits of tid
  parameter TID_W  = 2,
  // beats, a power of two
  parameter DEPTH  = 16,
  // flip-flops of a synchroniser
  parameter STAGES = 2
) (
  input  wire                job_clk,
  // of hwgen_reset_sync
  input  wire                job_rst_a,
  input  wire                job_rst,
  // of hwgen_cdc_reset
  input  wire                job_clear,
  input  wire [DATA_W-1:0]   s_axis_job_tdata,
  input  wire [DATA_W/8-1:0] s_axis_job_tkeep,
  input  wire                s_axis_job_tvalid,
  output wire                s_axis_job_tready,
  input  wire                s_axis_job_tlast,
  input  wire [TID_W-1:0]    s_axis_job_tid,
  output wire                lost,
  // the scheduler's clock
  input  wire                clk,
  // of hwgen_cdc_reset
  input  wire                hold,
  input  wire                clear,
  output wire [DATA_W-1:0]   m_axis_job_tdata,
  output wire [DATA_W/8-1:0] m_axis_job_tkeep,
  output wire                m_axis_job_tvalid,
  input  wire                m_axis_job_tready,
  output wire                m_axis_job_tlast,
  output wire [TID_W-1:0]    m_axis_job_tid
);
  localparam KEEP_W = DATA_W / 8;
  localparam WIDTH  = TID_W + 1 + KEEP_W + DATA_W;

  // mid: the last beat taken did not end its frame. drop: the rest of that frame goes nowhere.
  // close: that frame is to be ended.
  reg              mid_q, drop_q, close_q, clear_q, lost_q;
  wire             in_ready;
  wire             away = job_rst_a | job_rst;
  wire             beat = s_axis_job_tvalid & s_axis_job_tready;
  wire [WIDTH-1:0] in_data = close_q
                     ? {{TID_W{1'b0}}, 1'b1, {(KEEP_W+DATA_W){1'b0}}}
                     : {s_axis_job_tid, s_axis_job_tlast, s_axis_job_tkeep, s_axis_job_tdata};

  assign s_axis_job_tready = (drop_q | (in_ready & ~close_q)) & ~away;
  assign lost              = lost_q;

  always @(posedge job_clk) begin
    if (beat) begin
      mid_q <= ~s_axis_job_tlast;
      if (s_axis_job_tlast) drop_q <= 1'b0;
    end
    if (in_ready) close_q <= 1'b0;
    if (job_clear) begin
      close_q <= 1'b0;
      // no beat but one that is dropped comes beside job_clear
      if (mid_q & ~beat) drop_q <= 1'b1;
    end
    if (job_rst) begin
      mid_q  <= 1'b0;
      drop_q <= 1'b0;
      if (mid_q & ~drop_q & ~job_clear) close_q <= 1'b1;
    end
    clear_q <= job_clear;
    lost_q  <= job_clear & ~clear_q;
  end

  hwgen_async_fifo #(
    .WIDTH  (WIDTH),
    .DEPTH  (DEPTH),
    .STAGES (STAGES)
  ) u_fifo (
    .w_clk     (job_clk),
    .w_rst     (job_clear),
    .w_hold    (job_clear),
    .in_valid  (close_q | (beat & ~drop_q)),
    .in_ready  (in_ready),
    .in_data   (in_data),
    .r_clk     (clk),
    .r_rst     (clear),
    .r_hold    (hold),
    .out_valid (m_axis_job_tvalid),
    .out_ready (m_axis_job_tready),
    .out_data  ({m_axis_job_tid, m_axis_job_tlast, m_axis_job_tkeep, m_axis_job_tdata})
  );
endmodule
`default_nettype wire
