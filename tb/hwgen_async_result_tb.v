// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_async_result: frames of random length under stalls of both ends, resets of
// the receiver, of the scheduler and of both at any moment. Whole frames arrive whole, once and in order;
// a reset of the receiver costs the frame that it has begun, and no other; after a reset of the scheduler
// a begun frame ends with a beat without bytes, and nothing else of before comes.
// corners: RH=500 CH=503 | RH=499 CH=1873 DEPTH=4 | RH=2311 CH=401 STAGES=3 | RH=401 CH=6007
`default_nettype none
module hwgen_async_result_tb;
  parameter SEED = 1;
  // half periods, in steps of two; resets come in between of the stream's clock and the scheduler's
  parameter RH = 500;
  parameter CH = 700;
  parameter DEPTH = 8;
  parameter STAGES = 2;
  localparam FRAMES = 800;

  reg result_clk = 0, clk = 0, result_arst = 1, arst = 1;
  always #(2*RH) result_clk = ~result_clk;
  initial begin
    #(2*(CH / 3));
    forever #(2*CH) clk = ~clk;
  end

  wire result_rst_a, result_rst, rst_a, rst, hold, clear, result_clear;
  hwgen_reset_sync #(.STAGES(STAGES)) u_result_reset (
    .clk(result_clk), .arst(result_arst), .rst_a(result_rst_a), .rst(result_rst));
  hwgen_reset_sync #(.STAGES(STAGES)) u_reset (.clk(clk), .arst(arst), .rst_a(rst_a), .rst(rst));
  hwgen_cdc_reset #(.STAGES(STAGES)) u_empty (
    .clk(clk), .rst_a(rst_a), .rst(rst), .hold(hold), .clear(clear), .b_clk(result_clk),
    .b_clear(result_clear));

  // data: {a5, frame, beat}, tdest of the frame; the last beat has one byte less, or all
  reg  valid = 0, last = 0, ready = 0, taken = 0, done = 0;
  reg  [7:0] beat = 0, length = 1;
  reg  [15:0] frame = 0;
  wire s_ready, m_valid, m_last, lost;
  wire [31:0] m_data;
  wire [3:0] m_keep;
  wire [1:0] m_dest;

  hwgen_async_result #(.DATA_W(32), .TID_W(2), .DEPTH(DEPTH), .STAGES(STAGES)) dut (
    .clk(clk), .hold(hold), .clear(clear),
    .s_axis_result_tdata({8'ha5, frame, beat}),
    .s_axis_result_tkeep(last ? {3'b000, 1'b1} : 4'b1111),
    .s_axis_result_tvalid(valid), .s_axis_result_tready(s_ready), .s_axis_result_tlast(last),
    .s_axis_result_tdest(frame[1:0]),
    .result_clk(result_clk), .result_rst_a(result_rst_a), .result_rst(result_rst),
    .result_clear(result_clear), .m_axis_result_tdata(m_data), .m_axis_result_tkeep(m_keep),
    .m_axis_result_tvalid(m_valid), .m_axis_result_tready(ready), .m_axis_result_tlast(m_last),
    .m_axis_result_tdest(m_dest), .lost(lost));

  integer seed = SEED, mode = 0, r_resets = 0, resets = 0, both = 0, losses = 0;
  integer whole = 0, cut = 0, dropped = 0;
  // frames before this one are of before a reset of the scheduler
  reg [15:0] first_new = 0;
  reg was_hold = 0;
  // the receiver: in the middle of a frame; what may come next; frames may be missing; stall
  reg open = 0, gap = 1, stalled = 0, was_last = 0, in_clear = 0, after_both = 0;
  reg [31:0] was_data = 0;
  reg [15:0] want = 0, rx_frame = 0;
  reg [7:0] rx_beat = 0;

  task fail(input [8*48-1:0] why);
    begin
      if (!done) $display("FAIL: %0s: frame %0d, %0d whole, at %0t", why, rx_frame, whole, $time);
      done = 1;
      $finish;
    end
  endtask

  // the receiver in reset forgets what it has begun
  task receiver_reset;
    begin
      result_arst = 1;
      if (open) begin
        dropped = dropped + 1;
        want = rx_frame + 1;
      end
      open = 0;
      stalled = 0;
    end
  endtask

  initial begin
    #1 #((RH + CH) * 4 * (STAGES + 4));
    result_arst = 0;
    #(2 * ($random(seed) & 1023));
    arst = 0;
    while (!done) begin
      #((RH + CH) * 2 * (10 + ($random(seed) & 255)));
      case ($random(seed) & 3)
        0, 1: begin
          receiver_reset;
          #(2 + 2 * ($random(seed) & 8191));
          result_arst = 0;
          r_resets = r_resets + 1;
        end
        2: begin
          arst = 1;
          #(2 + 2 * ($random(seed) & 8191));
          arst = 0;
          resets = resets + 1;
        end
        default: begin
          arst = 1;
          receiver_reset;
          after_both = 1;
          #(2 + 2 * ($random(seed) & 8191));
          arst = 0;
          result_arst = 0;
          both = both + 1;
          // a reset of the scheduler by itself would follow too soon to tell the two apart
          #((RH + CH) * 80);
        end
      endcase
    end
  end

  // the scheduler: in reset it forgets its frame, and sends the next one afterwards
  always @(negedge clk) begin
    if ($random(seed) % 61 == 0) mode = $random(seed) & 3;
    if (rst === 1'b1) begin
      if (valid || beat != 0 || taken) frame = frame + 1;
      valid = 0;
      beat = 0;
    end else if (taken) begin
      valid = 0;
      if (last) begin
        frame = frame + 1;
        beat = 0;
      end else beat = beat + 1;
    end
    taken = 0;
    if (!valid && beat == 0) length = 1 + ($random(seed) & 7);
    if (!valid && rst === 1'b0) valid = mode == 1 || ($random(seed) & 1);
    last = beat == length - 1;
  end
  always @(posedge clk) if (!done) begin
    if (hold === 1'b1) first_new = frame;
    if (hold === 1'b1 && s_ready !== 1'b0) fail("ready while held");
    if (valid && s_ready === 1'b1) taken = 1;
  end

  always @(negedge result_clk) ready = $random(seed) % 3 != 0;
  always @(posedge result_clk) if (!done) begin
    if (lost === 1'b1) losses = losses + 1;
    if (result_arst && m_valid !== 1'b0) fail("valid in reset");
    if (result_clear === 1'b1) begin
      gap = 1;
      in_clear = 1;
    end else if (result_clear === 1'b0 && in_clear) in_clear = 0;
    if (stalled && (m_valid !== 1'b1 || m_data !== was_data || m_last !== was_last)) fail("unstable");
    stalled = m_valid === 1'b1 && !ready && !result_arst;
    was_data = m_data;
    was_last = m_last;
    if (m_valid === 1'b1 && ready && !result_arst) begin
      if (m_keep === 4'b0000) begin
        if (!open || m_last !== 1'b1 || m_data !== 0) fail("an end of nothing");
        if (!gap) fail("a frame was cut without a reset");
        cut = cut + 1;
        open = 0;
      end else begin
        if (!open) begin
          rx_frame = m_data[23:8];
          rx_beat = 0;
          if (rx_frame !== want && !gap) fail("a frame is missing");
          if (rx_frame < want) fail("a frame of before");
          if (after_both && rx_frame < first_new) fail("a frame of before both resets");
          // one that was on offer comes in spite of a reset of the scheduler
          if (rx_frame >= first_new) begin
            if (!in_clear) gap = 0;
            after_both = 0;
          end
          want = rx_frame + 1;
        end
        if (m_data[31:24] !== 8'ha5 || m_data[23:8] !== rx_frame || m_data[7:0] !== rx_beat)
          fail("not the next beat");
        if (m_dest !== rx_frame[1:0]) fail("tdest");
        if (m_keep !== (m_last ? 4'b0001 : 4'b1111)) fail("keep");
        rx_beat = rx_beat + 1;
        open = !m_last;
        if (m_last) whole = whole + 1;
      end
      if (whole == FRAMES) begin
        if (cut < 2 || dropped < 6 || r_resets < 10 || resets < 5 || both < 3 || losses < dropped)
          fail("too few resets");
        else if (!done) $display("PASS");
        done = 1;
        $finish;
      end
    end
  end

  initial begin
    #((RH + CH) * 600 * FRAMES);
    fail("no progress");
  end
endmodule
`default_nettype wire
