// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_skid: order, full rate, stability, ready in reset.
// corners: WIDTH=1 | WIDTH=40
`default_nettype none
module hwgen_skid_tb;
  parameter SEED = 1;
  parameter WIDTH = 8;

  reg clk = 0, rst = 1;
  always #5 clk = ~clk;
  reg in_valid = 0, out_ready = 0, done = 0, held = 0, fresh = 1, taken = 0;
  reg [WIDTH-1:0] in_data = 0, held_d = 0, q [0:65535];
  wire in_ready, out_valid;
  wire [WIDTH-1:0] out_data;
  integer seed = SEED, cyc = 0, head = 0, tail = 0, mode = 0, full = 0;

  hwgen_skid #(.WIDTH(WIDTH)) dut (
    .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_data(in_data),
    .out_valid(out_valid), .out_ready(out_ready), .out_data(out_data));

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1; $finish;
    end
  endtask

  always @(negedge clk) begin
    if ($random(seed) % 61 == 0) mode = $random(seed) & 3;
    rst = cyc < 2 || ($random(seed) & 255) == 0;
    if (!in_valid || taken || rst) begin
      in_valid = mode[0] | ($random(seed) & 1);
      in_data = {$random(seed), $random(seed)};
    end
    out_ready = mode == 3 ? 1'b1 : mode == 1 ? ($random(seed) % 8 == 0) : $random(seed);
  end
  always @(posedge clk) if (!done) begin
    if (rst && in_ready !== 0) fail("ready in reset");
    if (cyc > 2 && !rst) begin
      if (out_valid !== (head != tail)) fail("lost beat or latency");
      if (!fresh && in_ready !== (tail - head < 2)) fail("capacity");
      if (out_valid && out_data !== q[head]) fail("data");
      if (held && (!out_valid || out_data !== held_d)) fail("unstable");
    end
    held = !rst && out_valid && !out_ready;
    held_d = out_data;
    fresh = rst;
    taken = in_ready === 1'b1;
    if (rst) begin head = 0; tail = 0; end
    else begin
      full = (in_valid && in_ready && out_valid && out_ready) ? full + 1 : full;
      if (out_valid && out_ready) head = head + 1;
      if (in_valid && in_ready) begin q[tail] = in_data; tail = tail + 1; end
    end
    cyc = cyc + 1;
    if (cyc == 20000 && !done) begin
      if (full < 1000) fail("rate"); else $display("PASS");
      done = 1; $finish;
    end
  end
endmodule
`default_nettype wire
