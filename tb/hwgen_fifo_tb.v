// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_fifo: order, exact capacity, latency, full rate, stability.
// corners: DEPTH=1 | DEPTH=2 | DEPTH=3 | DEPTH=4 WIDTH=1 | DEPTH=5 | DEPTH=7 | DEPTH=32
`default_nettype none
module hwgen_fifo_tb;
  parameter SEED = 1;
  parameter WIDTH = 16;
  parameter DEPTH = 4;
  parameter CYCLES = 20000;

  reg clk = 0, rst = 1;
  always #5 clk = ~clk;

  reg              in_valid = 0, out_ready = 0;
  wire             in_ready, out_valid;
  reg  [WIDTH-1:0] in_data = 0;
  wire [WIDTH-1:0] out_data;

  hwgen_fifo #(.WIDTH(WIDTH), .DEPTH(DEPTH)) dut (
    .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_data(in_data),
    .out_valid(out_valid), .out_ready(out_ready), .out_data(out_data));

  reg [WIDTH-1:0] q [0:65535];
  integer head = 0, tail = 0, cyc = 0, seed = SEED, mode = 0, streak = 0;
  reg done = 0, held_v = 0, after_rst = 1, taken = 0;
  reg [WIDTH-1:0] held_d = 0;

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1;
      $finish;
    end
  endtask

  // drive away from the edge
  always @(negedge clk) if (!done) begin
    if ($random(seed) % 97 == 0) mode = $random(seed) & 3;
    rst = (cyc < 3) || (($random(seed) & 1023) == 0);
    if (!in_valid || taken || rst) begin
      in_valid = mode[0] | ($random(seed) & 1);
      in_data = $random(seed);
    end
    out_ready = mode == 3 ? 1'b1 : (mode == 1) ? ($random(seed) % 8 == 0) : $random(seed);
  end

  always @(posedge clk) if (!done) begin
    cyc = cyc + 1;
    taken = in_ready === 1'b1;
    if (rst) begin
      head = 0; tail = 0; held_v = 0; streak = 0; after_rst = 1;
    end else begin
      if (cyc > 4) begin
        if (out_valid !== (tail != head)) fail("latency or lost entry");
        if (!after_rst && in_ready !== (tail - head < DEPTH)) fail("capacity");
        if (after_rst && in_ready !== 1'b0) fail("ready after reset");
        if (out_valid && out_data !== q[head]) fail("data");
        if (held_v && (!out_valid || out_data !== held_d)) fail("unstable");
      end
      after_rst = 0;
      held_v = out_valid && !out_ready;
      held_d = out_data;
      // full rate: a DEPTH of 2 or more never refuses while the reader takes every cycle
      if (in_valid && out_ready) streak = streak + 1; else streak = 0;
      if (DEPTH > 1 && streak > 4 && !(in_ready && out_valid)) fail("rate");
      if (out_valid && out_ready) head = head + 1;
      if (in_valid && in_ready) begin q[tail] = in_data; tail = tail + 1; end
    end
    if (cyc == CYCLES) begin $display("PASS"); done = 1; $finish; end
  end
endmodule
`default_nettype wire
