// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_async_job: frames of random length under stalls of both ends, resets of
// the sender, of the scheduler and of both at any moment. Whole frames arrive whole, once and in order;
// a reset of the sender loses none and cuts one at most, which ends with a beat without bytes; after a
// reset of the scheduler nothing of before comes, and no rest of a frame.
// corners: JH=500 CH=503 | JH=499 CH=1873 DEPTH=4 | JH=2311 CH=401 STAGES=3 | JH=401 CH=6007
`default_nettype none
module hwgen_async_job_tb;
  parameter SEED = 1;
  // half periods, in steps of two; resets come in between of the stream's clock and the scheduler's
  parameter JH = 500;
  parameter CH = 700;
  parameter DEPTH = 8;
  parameter STAGES = 2;
  localparam FRAMES = 800;

  reg job_clk = 0, clk = 0, job_arst = 1, arst = 1;
  always #(2*JH) job_clk = ~job_clk;
  initial begin
    #(2*(CH / 3));
    forever #(2*CH) clk = ~clk;
  end

  wire job_rst_a, job_rst, rst_a, rst, hold, clear, job_clear;
  hwgen_reset_sync #(.STAGES(STAGES)) u_job_reset (
    .clk(job_clk), .arst(job_arst), .rst_a(job_rst_a), .rst(job_rst));
  hwgen_reset_sync #(.STAGES(STAGES)) u_reset (.clk(clk), .arst(arst), .rst_a(rst_a), .rst(rst));
  hwgen_cdc_reset #(.STAGES(STAGES)) u_empty (
    .clk(clk), .rst_a(rst_a), .rst(rst), .hold(hold), .clear(clear), .b_clk(job_clk),
    .b_clear(job_clear));

  // data: {frame, beat}, tid of the frame
  reg  valid = 0, last = 0, ready = 0, taken = 0, done = 0;
  reg  [7:0] beat = 0, length = 0;
  reg  [15:0] frame = 0;
  wire s_ready, m_valid, m_last, lost;
  wire [31:0] m_data;
  wire [3:0] m_keep;
  wire [1:0] m_tid;

  hwgen_async_job #(.DATA_W(32), .TID_W(2), .DEPTH(DEPTH), .STAGES(STAGES)) dut (
    .job_clk(job_clk), .job_rst_a(job_rst_a), .job_rst(job_rst), .job_clear(job_clear),
    .s_axis_job_tdata({8'ha5, frame, beat}), .s_axis_job_tkeep(last ? {3'b000, 1'b1} : 4'b1111),
    .s_axis_job_tvalid(valid), .s_axis_job_tready(s_ready), .s_axis_job_tlast(last),
    .s_axis_job_tid(frame[1:0]), .lost(lost),
    .clk(clk), .hold(hold), .clear(clear), .m_axis_job_tdata(m_data), .m_axis_job_tkeep(m_keep),
    .m_axis_job_tvalid(m_valid), .m_axis_job_tready(ready), .m_axis_job_tlast(m_last),
    .m_axis_job_tid(m_tid));

  integer seed = SEED, mode = 0, j_resets = 0, resets = 0, both = 0, losses = 0;
  integer whole = 0, cut = 0, n;
  // of each frame: 0 not whole, 1 taken whole, 2 gone with a reset of the scheduler
  reg [1:0] fate [0:65535];
  reg [15:0] first_kept = 0;
  reg in_frame = 0;
  // what the receiver is in the middle of
  reg open = 0;
  reg [15:0] want = 0, rx_frame = 0;
  reg [7:0] rx_beat = 0;
  integer epoch_from = 0;

  initial for (n = 0; n < 65536; n = n + 1) fate[n] = 0;

  task fail(input [8*48-1:0] why);
    begin
      if (!done) $display("FAIL: %0s: frame %0d, %0d whole, at %0t", why, frame, whole, $time);
      done = 1;
      $finish;
    end
  endtask

  // the sender in reset begins anew: what it was sending it does not go on with
  task sender_reset;
    begin
      job_arst = 1;
      valid = 0;
      if (taken || in_frame || beat != 0) frame = frame + 1;
      taken = 0;
      beat = 0;
      in_frame = 0;
    end
  endtask

  initial begin
    #1 #((JH + CH) * 4 * (STAGES + 4));
    job_arst = 0;
    #(2 * ($random(seed) & 1023));
    arst = 0;
    while (!done) begin
      #((JH + CH) * 2 * (10 + ($random(seed) & 255)));
      case ($random(seed) & 3)
        0, 1: begin
          sender_reset;
          #(2 + 2 * ($random(seed) & 8191));
          job_arst = 0;
          j_resets = j_resets + 1;
        end
        2: begin
          arst = 1;
          #(2 + 2 * ($random(seed) & 8191));
          arst = 0;
          resets = resets + 1;
        end
        default: begin
          arst = 1;
          sender_reset;
          #(2 + 2 * ($random(seed) & 8191));
          arst = 0;
          job_arst = 0;
          both = both + 1;
        end
      endcase
    end
  end

  always @(negedge job_clk) if (!job_arst) begin
    if ($random(seed) % 61 == 0) mode = $random(seed) & 3;
    if (taken) begin
      valid = 0;
      if (last) begin
        frame = frame + 1;
        beat = 0;
      end else beat = beat + 1;
    end
    taken = 0;
    if (!valid && beat == 0) length = 1 + ($random(seed) & 7);
    if (!valid) valid = mode == 1 || ($random(seed) & 1);
    last = beat == length - 1;
  end else taken = 0;
  always @(posedge job_clk) if (!done) begin
    if (job_arst && s_ready !== 1'b0) fail("ready in reset");
    if (lost === 1'b1) losses = losses + 1;
    if (job_clear === 1'b1 && dut.clear_q !== 1'b1) begin
      // all that is taken is gone, and the one that is under way
      for (n = epoch_from; n < frame; n = n + 1) fate[n] = 2;
      epoch_from = frame;
      if (in_frame) fate[frame] = 3;
    end
    if (valid && s_ready === 1'b1 && !job_arst) begin
      taken = 1;
      in_frame = !last;
      if (last && fate[frame] != 3) fate[frame] = 1;
    end
  end

  always @(negedge clk) ready = $random(seed) % 3 != 0;
  always @(posedge clk) if (!done) begin
    // the scheduler in reset forgets
    if (hold === 1'b1) begin
      if (m_valid !== 1'b0) fail("valid while held");
      open = 0;
    end
    if (m_valid === 1'b1 && ready) begin
      if (!open) begin
        rx_frame = m_data[23:8];
        rx_beat = 0;
      end
      if (m_keep === 4'b0000) begin
        if (!open || m_last !== 1'b1 || m_data !== 0) fail("an end of nothing");
        if (fate[rx_frame] == 1) fail("a whole frame was cut");
        cut = cut + 1;
        open = 0;
        want = rx_frame + 1;
      end else begin
        if (m_data[31:24] !== 8'ha5 || m_data[23:8] !== rx_frame || m_data[7:0] !== rx_beat)
          fail("not the next beat");
        if (!open && rx_beat == 0 && m_tid !== rx_frame[1:0]) fail("tid");
        if (m_keep !== (m_last ? 4'b0001 : 4'b1111)) fail("keep");
        if (!open) begin
          // frames in between were cut before their first beat, or went with a reset
          while (want != rx_frame) begin
            if (fate[want] == 1) fail("a frame is missing");
            want = want + 1;
            if (want > frame) fail("frame out of order");
          end
        end
        rx_beat = rx_beat + 1;
        open = !m_last;
        if (m_last) begin
          want = rx_frame + 1;
          whole = whole + 1;
        end
      end
      if (whole == FRAMES) begin
        if (cut < 8 || j_resets < 10 || resets < 5 || both < 5 || losses < resets) fail("too few resets");
        else if (!done) $display("PASS");
        done = 1;
        $finish;
      end
    end
  end

  initial begin
    #((JH + CH) * 600 * FRAMES);
    fail("no progress");
  end
endmodule
`default_nettype wire
