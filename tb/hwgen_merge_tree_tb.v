// SPDX-License-Identifier: Apache-2.0
// Bench of hwgen_merge_tree (and hwgen_merge): nothing lost, doubled or reordered within an input,
// stability, full rate, latency, every input served, idle registers zero.
// corners: N=1 | N=2 SKID=1 | N=3 | N=5 SKID=1 | N=6 | N=7 SKID=1 | N=17 SKID=1 | N=20 | N=21 | N=65 SKID=1 | N=80
`default_nettype none
module hwgen_merge_tree_tb #(
  parameter N    = 9,
  parameter SKID = 0,
  parameter SEED = 1
);
  localparam W = 24;                     // {input, count}
  localparam RANKS = (N <= 5) ? 1 : (N <= 20) ? 2 : 3;
  reg clk = 0, rst = 1;
  always #5 clk = ~clk;
  reg  [N-1:0]   in_valid = 0;
  wire [N-1:0]   in_ready;
  reg  [N*W-1:0] in_data = 0;
  wire           out_valid;
  reg            out_ready = 0;
  wire [W-1:0]   out_data;
  hwgen_merge_tree #(.N(N), .WIDTH(W), .SKID(SKID)) u_dut (
    .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_data(in_data),
    .out_valid(out_valid), .out_ready(out_ready), .out_data(out_data));

  integer seed = SEED, i, k, cycle = 0, got, phase = 0, first = 0;
  integer sent [0:N-1], seen [0:N-1], share [0:N-1];
  reg done = 0, was_st = 0;
  reg [W-1:0] was;
  task fail;
    input [8*40-1:0] why;
    if (!done) begin
      done = 1; $display("FAIL: cycle %0d %0s", cycle, why); $finish;
    end
  endtask

  // phase 0 random, 1 saturated, 2 input 0 alone without a pause, 3 idle
  always @(posedge clk) begin
    cycle <= cycle + 1;
    if (was_st & (~out_valid | out_data !== was)) fail("out changed while stalled");
    was_st = out_valid & ~out_ready & ~rst; was = out_data;
    if (out_valid & out_ready) begin
      i = out_data[W-1:16];
      if (i >= N || out_data[15:0] != (seen[i] & 16'hffff)) fail("lost, doubled or out of order");
      else begin seen[i] = seen[i] + 1; share[i] = share[i] + 1; end
      got = got + 1;
    end
    for (i = 0; i < N; i = i + 1) begin
      if (in_valid[i] & in_ready[i]) begin in_valid[i] <= 0; sent[i] = sent[i] + 1; end
      if ((~in_valid[i] | in_ready[i]) & ~rst)
        if ((phase == 0 && $unsigned($random(seed)) % 3 == 0) || phase == 1 ||
            (phase == 2 && i == 0))
        begin
          in_valid[i] <= 1;
          in_data[i*W +: W] <= {i[7:0], sent[i][15:0]};
        end
    end
    out_ready <= (phase != 0) | ($random(seed) & 1);
  end

  initial begin
    for (k = 0; k < N; k = k + 1) begin sent[k] = 0; seen[k] = 0; end
    repeat (3) @(posedge clk);
    #1 rst = 0;
    repeat (3000) @(posedge clk);
    phase = 3;
    repeat (2*N + 20) @(posedge clk);
    #1;
    for (k = 0; k < N; k = k + 1) if (sent[k] != seen[k] || sent[k] == 0) fail("beats missing");
    if (out_valid || out_data !== 0) fail("idle output not zero");
    // latency: visible at t, out at t + RANKS
    phase = 2; @(posedge clk); first = 0;
    #1; while (!out_valid) begin @(posedge clk); #1 first = first + 1; end
    if (first != RANKS) fail("latency");
    repeat (5) @(posedge clk);
    got = 0;
    repeat (50) @(posedge clk);
    #1 if (got < 50) fail("one input alone: not a beat a cycle");
    phase = 1;
    repeat (N + 10) @(posedge clk);
    #1 got = 0;
    for (k = 0; k < N; k = k + 1) share[k] = 0;
    repeat (8*N) @(posedge clk);
    #1 if (got < 8*N) fail("saturated: not a beat a cycle");
    for (k = 0; k < N; k = k + 1) begin
      if (share[k] < 3) fail("an input starves");
      if (N <= 5 && share[k] != 8) fail("unfair");
    end
    if (!done) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
