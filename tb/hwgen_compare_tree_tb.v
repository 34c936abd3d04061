// SPDX-License-Identifier: Apache-2.0
// Comparator tree against an argmin, with ties, skipped inputs, a load every cycle, and drops.
// MODULAR: scores around a point that may be anywhere, skipped ones anything.
// corners: N=1 | N=2 W=1 | N=3 | N=5 W=3 | N=6 | N=7 W=12 | N=16 W=2 | N=33 W=4 CYCLES=400
// corners: N=1 MODULAR=1 | N=2 W=2 MODULAR=1 | N=3 W=3 MODULAR=1 | N=4 MODULAR=1 | N=5 MODULAR=1 W=11 | N=7 W=4 MODULAR=1 | N=8 MODULAR=1 | N=16 MODULAR=1 W=5 CYCLES=1500
`default_nettype none
module hwgen_compare_tree_tb;
  parameter N      = 4;
  parameter W      = 4;
  parameter MODULAR = 0;
  parameter SEED   = 1;
  parameter CYCLES = 4000;
  localparam IDX_W = (N > 1) ? $clog2(N) : 1;
  localparam LAT   = ((N > 1) ? $clog2(N) : 0) + 1;

  reg              clk, rst, load, drop;
  reg  [N*W-1:0]   score;
  reg  [N-1:0]     skip;
  wire             none, out_valid;
  wire [IDX_W-1:0] out_index;
  wire [W-1:0]     out_score;
  wire [N*W-1:0]   leaf_score;
  wire [N-1:0]     leaf_skip;

  hwgen_compare_tree #(.N(N), .W(W), .MODULAR(MODULAR)) dut (
    .clk(clk), .rst(rst), .load(load), .drop(drop), .score(score), .skip(skip), .none(none),
    .out_valid(out_valid), .out_index(out_index), .out_score(out_score),
    .leaf_score(leaf_score), .leaf_skip(leaf_skip));

  // expected results by age: [0] loaded in the cycle before
  reg  [LAT:0]     want_v;
  integer          want [0:LAT];
  reg  [W-1:0]     want_score [0:LAT];
  // the lowest that a score can be
  reg  [W-1:0]     from;
  integer          seed, cyc, i, best, loads, got;
  reg  [N*W-1:0]   last_score;
  reg  [N-1:0]     last_skip;
  reg              done;

  function [W-1:0] above(input [W-1:0] x);
    above = x - from;
  endfunction

  task fail(input [40*8-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1;
      $finish;
    end
  endtask

  initial begin
    seed = SEED; clk = 0; rst = 1; load = 0; drop = 0; score = 0; skip = 0;
    want_v = 0; done = 0; loads = 0; got = 0;
    for (i = 0; i <= LAT; i = i + 1) want[i] = 0;
    #5 clk = 1; #5 clk = 0; #5 clk = 1; #5 clk = 0;
    rst = 0;
    for (cyc = 0; cyc < CYCLES && !done; cyc = cyc + 1) begin
      load = $random(seed);
      drop = ($random(seed) & 31) == 0;
      from = MODULAR ? $random(seed) : 0;
      for (i = 0; i < N; i = i + 1) begin
        score[i*W +: W] = MODULAR ? from + ($random(seed) & ((1 << (W - 1)) - 1)) : $random(seed);
        skip[i] = (cyc & 64) ? $random(seed) : (($random(seed) & 7) == 0);
        if (MODULAR && skip[i]) score[i*W +: W] = $random(seed);
      end
      if (($random(seed) & 15) == 0) skip = {N{1'b1}};
      #1;
      // outputs of this cycle
      if (want_v[0] && want[0] < 0) begin
        if (!none) fail("none missing");
      end else if (none && want_v[0]) fail("none without reason");
      if (out_valid !== (want_v[LAT-1] && want[LAT-1] >= 0)) fail("out_valid");
      if (out_valid) got = got + 1;
      if (out_valid && out_index !== want[LAT-1][IDX_W-1:0]) fail("out_index");
      if (out_valid && out_score !== want_score[LAT-1]) fail("out_score");
      if (want_v[0] && (leaf_score !== last_score || leaf_skip !== last_skip)) fail("leaves");
      best = -1;
      for (i = 0; i < N; i = i + 1)
        if (!skip[i])
          if (best < 0 || above(score[i*W +: W]) < above(score[(best<0?0:best)*W +: W])) best = i;
      for (i = LAT; i > 0; i = i - 1) begin
        want[i] = want[i-1];
        want_score[i] = want_score[i-1];
        want_v[i] = want_v[i-1];
      end
      want[0] = best;
      if (best >= 0) want_score[0] = score[best*W +: W];
      want_v[0] = load;
      if (load) begin
        loads = loads + 1;
        last_score = score;
        last_skip = skip;
      end
      if (drop) want_v = 0;
      #4 clk = 1; #5 clk = 0;
    end
    if (loads < CYCLES / 4 || got < CYCLES / 8) fail("too few decisions");
    if (!done) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
