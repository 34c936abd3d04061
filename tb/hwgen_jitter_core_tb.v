// SPDX-License-Identifier: Apache-2.0
// corners: E=1 D=1 S=1 V=1 J=1 | E=3 D=1 S=2 V=7 J=4 | E=30 D=5 S=1 V=65 J=6
// The jitter core: results are the delay core's, in order, exactly one a block, none before its
// least time and none later than its most, stable while stalled; in_ready is low at times, and
// high within a bound; both ends of the jitter are seen.
`default_nettype none
module hwgen_jitter_core_tb;
  parameter E = 1;
  parameter D = 1;
  parameter S = 1;
  parameter V = 1;
  parameter J = 4;

  reg          clk, rst, in_valid, in_decrypt, out_ready;
  reg  [1:0]   in_op;
  reg  [127:0] in_key, in_block;
  wire         in_ready, out_valid, ref_ready, ref_valid;
  wire [127:0] out_block, ref_block;

  hwgen_jitter_core #(.ENCRYPT(E), .DECRYPT(D), .SIGN(S), .VERIFY(V), .JITTER(J)) dut (
    .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_op(in_op),
    .in_decrypt(in_decrypt), .in_key(in_key), .in_block(in_block),
    .out_valid(out_valid), .out_ready(out_ready), .out_block(out_block));

  // takes the same blocks and holds its result until that of the other leaves
  hwgen_delay_core #(.ENCRYPT(1), .DECRYPT(1), .SIGN(1), .VERIFY(1)) u_ref (
    .clk(clk), .rst(rst), .in_valid(in_valid & in_ready), .in_ready(ref_ready), .in_op(in_op),
    .in_decrypt(in_decrypt), .in_key(in_key), .in_block(in_block),
    .out_valid(ref_valid), .out_ready(out_valid & out_ready), .out_block(ref_block));

  always #5 clk = ~clk;

  integer failures;
  task fail;
    input [8*32-1:0] what;
    begin
      if (failures == 0) $display("FAIL: %0s at %0t", what, $time);
      failures = failures + 1;
    end
  endtask

  function integer cycles;
    input [1:0] op;
    cycles = (op == 2'd0) ? E : (op == 2'd1) ? D : (op == 2'd2) ? S : V;
  endfunction

  function [127:0] wide;
    input dummy;
    wide = {$random(seed), $random(seed), $random(seed), $random(seed)};
  endfunction

  integer seed, n, done, since, least, shut, least_seen, most_seen;
  reg     busy, seen;

  initial begin
    clk = 0; rst = 1; in_valid = 0; out_ready = 0;
    in_op = 0; in_decrypt = 0; in_key = 0; in_block = 0;
    failures = 0; seed = 11; done = 0; busy = 0; seen = 0; since = 0; least = 0; shut = 0;
    least_seen = 0; most_seen = 0;
    repeat (3) @(negedge clk);
    rst = 0;
    for (n = 0; done < 600 && n < 200000 && failures == 0; n = n + 1) begin
      in_valid   = ($random(seed) % 4) != 0;
      in_op      = $random(seed);
      in_decrypt = $random(seed);
      in_key     = wide(1'b0);
      in_block   = wide(1'b0);
      out_ready  = ($random(seed) % 3) != 0;
      #1;
      if (out_valid && !busy) fail("a result of no block");
      if (busy && !seen && out_valid) begin
        if (since < least) fail("too early");
        if (since == least) least_seen = least_seen + 1;
        if (since == least + (1 << J) - 1) most_seen = most_seen + 1;
      end
      if (busy && !out_valid && (seen || since >= least + (1 << J) - 1)) fail("too late");
      if (out_valid && (!ref_valid || out_block !== ref_block)) fail("out_block");
      if (in_ready && !ref_ready) fail("in_ready while busy");
      shut = (ref_ready && !in_ready) ? shut + 1 : 0;
      if (shut > 64) fail("in_ready stays low");
      seen = busy & out_valid;
      if (out_valid && out_ready) begin
        done = done + 1;
        busy = 0;
        seen = 0;
      end
      since = since + 1;
      if (in_valid && in_ready) begin
        busy  = 1;
        since = 1;
        least = cycles(in_op);
      end
      @(negedge clk);
      // a reset now and then
      if (($random(seed) % 700) == 0) begin
        rst = 1;
        in_valid = 0;
        @(negedge clk);
        if (out_valid !== 1'b0) fail("reset");
        rst  = 0;
        busy = 0;
        seen = 0;
      end
    end
    if (done < 600) fail("too few blocks");
    if (least_seen == 0 || most_seen == 0) fail("an end of the jitter was not seen");
    if (failures == 0) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
