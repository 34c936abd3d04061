// SPDX-License-Identifier: Apache-2.0
// corners: E=20 D=31 S=16 V=45 | E=1 D=1 S=1 V=1 | E=2 D=1 S=3 V=7 | E=300 D=5 S=1 V=65
// The delay core against a model of its own, exact to the cycle: random commands, keys, directions,
// stalls of the output and gaps of the input; what was encrypted comes back from the inverse.
`default_nettype none
module hwgen_delay_core_tb;
  parameter E = 20;
  parameter D = 31;
  parameter S = 16;
  parameter V = 45;

  reg          clk, rst, in_valid, in_decrypt, out_ready;
  reg  [1:0]   in_op;
  reg  [127:0] in_key, in_block;
  wire         in_ready, out_valid;
  wire [127:0] out_block;

  hwgen_delay_core #(.ENCRYPT(E), .DECRYPT(D), .SIGN(S), .VERIFY(V)) dut (
    .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_op(in_op),
    .in_decrypt(in_decrypt), .in_key(in_key), .in_block(in_block),
    .out_valid(out_valid), .out_ready(out_ready), .out_block(out_block));

  always #5 clk = ~clk;

  integer failures;
  task fail;
    input [8*32-1:0] what;
    begin
      if (failures == 0) $display("FAIL: %0s at %0t", what, $time);
      failures = failures + 1;
    end
  endtask

  // byte 0 of a block is its top byte; bytes are told apart as in the Go reference
  reg [31:0] mk [0:3];
  reg [31:0] mx [0:3];
  reg [31:0] my [0:3];
  function [127:0] toy;
    input         inverse;
    input [127:0] key, x;
    integer i;
    reg [31:0] w;
    begin
      for (i = 0; i < 4; i = i + 1) begin
        mk[i] = key[(3-i)*32 +: 32];
        mx[i] = x[(3-i)*32 +: 32];
      end
      for (i = 0; i < 4; i = i + 1)
        if (inverse) begin
          w = mx[i] - mk[(i+2)%4];
          my[(i+1)%4] = {w[6:0], w[31:7]} ^ mk[i];
        end else begin
          w = mx[(i+1)%4] ^ mk[i];
          my[i] = {w[24:0], w[31:25]} + mk[(i+2)%4];
        end
      toy = {my[0], my[1], my[2], my[3]};
    end
  endfunction

  integer      seed, n, done, since, due, hold;
  reg          busy;
  reg  [127:0] want, plain;

  function integer cycles;
    input [1:0] op;
    cycles = (op == 2'd0) ? E : (op == 2'd1) ? D : (op == 2'd2) ? S : V;
  endfunction

  function [127:0] wide;
    input dummy;
    wide = {$random(seed), $random(seed), $random(seed), $random(seed)};
  endfunction

  initial begin
    clk = 0; rst = 1; in_valid = 0; out_ready = 0;
    in_op = 0; in_decrypt = 0; in_key = 0; in_block = 0;
    failures = 0; seed = 7; done = 0; busy = 0; since = 0; due = 0; hold = 0;
    want = 0; plain = 0;
    // the vector that the test of gen/cipher has too
    if (toy(1'b0, 128'h000102030405060708090a0b0c0d0e0f, 128'h00112233445566778899aabbccddeeff)
        != 128'h323b442d5a636c556a737c65121b240d) begin
      $display("vector: %h", toy(1'b0, 128'h000102030405060708090a0b0c0d0e0f,
                                 128'h00112233445566778899aabbccddeeff));
      fail("vector");
    end
    repeat (3) @(negedge clk);
    rst = 0;
    for (n = 0; done < 300 && n < 200000 && failures == 0; n = n + 1) begin
      // inputs of this cycle
      in_valid   = ($random(seed) % 4) != 0;
      in_op      = $random(seed);
      in_decrypt = $random(seed);
      in_key     = wide(1'b0);
      in_block   = wide(1'b0);
      if (hold == 0 && ($random(seed) % 16) == 0) hold = 1 + ($random(seed) & 15);
      out_ready  = hold == 0;
      if (hold > 0) hold = hold - 1;
      #1;
      if (out_valid !== (busy && since >= due)) fail("out_valid");
      if (out_valid && out_block !== want) fail("out_block");
      if (in_ready !== (~busy | (out_valid & out_ready))) fail("in_ready");
      if (toy(1'b1, in_key, toy(1'b0, in_key, in_block)) !== in_block) fail("inverse");
      if (out_valid && out_ready) begin
        done = done + 1;
        busy = 0;
      end
      since = since + 1;
      if (in_valid && in_ready) begin
        busy  = 1;
        since = 1;
        due   = cycles(in_op);
        want  = toy(in_decrypt, in_key, in_block);
      end
      @(negedge clk);
      // a reset now and then
      if (($random(seed) % 700) == 0) begin
        rst = 1;
        in_valid = 0;
        @(negedge clk);
        if (out_valid !== 1'b0 || out_block !== 128'd0) fail("reset");
        rst  = 0;
        busy = 0;
      end
    end
    if (done < 300) fail("too few blocks");
    if (failures == 0) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
