// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_async_fifo with hwgen_cdc_reset, hwgen_reset_sync, hwgen_sync and
// hwgen_async_ram: two clocks of any ratio, random stalls, resets of any length at any moment. Order, no
// loss, nothing twice; after a reset nothing of before; Gray codes change a bit at a time; rate.
// corners: WH=500 RH=503 | WH=500 RH=503 MAIN=1 STAGES=3 | WH=499 RH=1873 DEPTH=4 | WH=2311 RH=401 MAIN=1
// corners: WH=6007 RH=401 MAIN=1 | WH=401 RH=6007
// corners: WH=2600 RH=400 DEPTH=16 STAGES=4 SEED=6 | WH=1200 RH=400 STAGES=4 SEED=2
// corners: WH=1873 RH=499 DEPTH=2 MAIN=1 STAGES=4 | WH=401 RH=2311 DEPTH=32 | WH=500 RH=500 DEPTH=16 RATE=1
`default_nettype none
module hwgen_async_fifo_tb;
  parameter SEED = 1;
  // half periods, in steps of two; resets come in between
  parameter WH = 500;
  parameter RH = 700;
  parameter DEPTH = 8;
  parameter STAGES = 2;
  // whose reset it is: 0 the reader's, 1 the writer's
  parameter MAIN = 0;
  // 1: no stalls and no resets
  parameter RATE = 0;
  localparam WIDTH = 20;
  localparam WORDS = 3000;
  // about half of how long a reset takes to end on both sides
  localparam END = 4 * (STAGES + 3) * (WH + RH);

  reg w_clk = 0, r_clk = 0, arst = 1;
  always #(2*WH) w_clk = ~w_clk;
  initial begin
    #(2*(RH / 3));
    forever #(2*RH) r_clk = ~r_clk;
  end

  wire main_clk = MAIN != 0 ? w_clk : r_clk;
  wire b_clk    = MAIN != 0 ? r_clk : w_clk;
  wire rst_a, rst, hold, clear, b_clear;
  hwgen_reset_sync #(.STAGES(STAGES)) u_reset (
    .clk(main_clk), .arst(arst), .rst_a(rst_a), .rst(rst));
  hwgen_cdc_reset #(.STAGES(STAGES)) u_empty (
    .clk(main_clk), .rst_a(rst_a), .rst(rst), .hold(hold), .clear(clear), .b_clk(b_clk),
    .b_clear(b_clear));

  reg in_valid = 0, out_ready = 0, taken = 0, done = 0, held = 0;
  reg [WIDTH-1:0] held_d = 0;
  wire in_ready, out_valid;
  wire [WIDTH-1:0] out_data;
  wire w_hold = MAIN != 0 ? hold : b_clear;
  wire r_hold = MAIN != 0 ? b_clear : hold;
  integer seed = SEED, tail = 0, head = 0, mark = 0, prior = 0, resets = 0, popped = 0, w_mode = 0, r_mode = 0;
  integer w_idle = 0, first_cyc = 0, cyc = 0;
  reg resync = 0, w_held = 0;

  hwgen_async_fifo #(.WIDTH(WIDTH), .DEPTH(DEPTH), .STAGES(STAGES)) dut (
    .w_clk(w_clk), .w_rst(MAIN != 0 ? clear : b_clear), .w_hold(w_hold), .in_valid(in_valid),
    .in_ready(in_ready), .in_data(tail[WIDTH-1:0]),
    .r_clk(r_clk), .r_rst(MAIN != 0 ? b_clear : clear), .r_hold(r_hold), .out_valid(out_valid),
    .out_ready(out_ready), .out_data(out_data));

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s after %0d words, at %0t", why, popped, $time);
      done = 1;
      $finish;
    end
  endtask

  // power-up: all clocks have seen it; then resets of any length, shorter than a cycle too
  initial begin
    #1 #((WH + RH) * 4 * (STAGES + 3));
    arst = 0;
    while (RATE == 0 && !done) begin
      #((WH + RH) * 2 * (20 + ($random(seed) & 511)));
      arst = 1;
      #(2 + 2 * ($random(seed) & 4095));
      arst = 0;
      resets = resets + 1;
      // one more in the middle of it, or of its end
      if ($random(seed) & 1) begin
        #(2 + 2 * ($random(seed) & 16383) + 2 * (($random(seed) & 1048575) % END));
        arst = 1;
        #(2 + 2 * ($random(seed) & 4095));
        arst = 0;
      end
    end
  end

  // a Gray code that changes more than a bit may be read as anything
  reg [5:0] w_was = 0, r_was = 0;
  function [2:0] ones(input [5:0] v);
    ones = {2'b0, v[0]} + {2'b0, v[1]} + {2'b0, v[2]} + {2'b0, v[3]} + {2'b0, v[4]} + {2'b0, v[5]};
  endfunction

  always @(negedge w_clk) begin
    if ($random(seed) % 61 == 0) w_mode = $random(seed) & 3;
    if (!in_valid || taken)
      in_valid = RATE != 0 || (w_mode == 0 ? ($random(seed) & 7) == 0 : w_mode == 1 ? 1 : $random(seed));
    taken = 0;
  end
  always @(posedge w_clk) if (!done) begin
    if (w_hold === 1'b1) begin
      if (!w_held) prior = mark;
      mark = tail;
    end
    w_held = w_hold === 1'b1;
    if (w_hold === 1'b1 && in_ready !== 1'b0) fail("ready while held");
    if (w_hold === 1'b0 && ones(dut.w_gray_q ^ w_was) > 1) fail("the write pointer jumps");
    w_was = dut.w_gray_q;
    if (in_valid && in_ready === 1'b1) begin
      tail = tail + 1;
      taken = 1;
    end
  end

  always @(negedge r_clk) begin
    if ($random(seed) % 61 == 0) r_mode = $random(seed) & 3;
    out_ready = RATE != 0
      || (r_mode == 0 ? ($random(seed) & 7) == 0 : r_mode == 1 ? 1 : $random(seed));
  end
  always @(posedge r_clk) if (!done) begin
    cyc = cyc + 1;
    if (r_hold === 1'b1) resync = 1;
    if (r_hold === 1'b1 && out_valid !== 1'b0) fail("valid while held");
    if (r_hold === 1'b0 && ones(dut.r_gray_q ^ r_was) > 1) fail("the read pointer jumps");
    r_was = dut.r_gray_q;
    if (r_hold === 1'b0 && held && (out_valid !== 1'b1 || out_data !== held_d)) fail("unstable");
    held = r_hold === 1'b0 && out_valid === 1'b1 && !out_ready;
    held_d = out_data;
    if (out_valid === 1'b1 && out_ready) begin
      // the writer may be held once more before the reader is, which still takes what lies between
      if (resync) head = prior >= head && out_data === prior[WIDTH-1:0] ? prior : mark;
      resync = 0;
      if (out_data !== head[WIDTH-1:0] || head >= tail) fail("not the next word");
      head = head + 1;
      popped = popped + 1;
      if (popped == 100) first_cyc = cyc;
      if (popped == WORDS) begin
        if (RATE == 0 && resets < 5) fail("too few resets");
        else if (RATE != 0 && cyc - first_cyc > WORDS - 100) fail("rate");
        else if (!done) $display("PASS");
        done = 1;
        $finish;
      end
    end
  end

  initial begin
    #((WH + RH) * 400 * WORDS);
    fail("no progress");
  end
endmodule
`default_nettype wire
