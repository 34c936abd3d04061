// SPDX-License-Identifier: Apache-2.0
// corners: C=0 U=16 E=16 D=36 S=1 V=63 | C=9 U=16 E=20 D=31 S=16 V=45 | C=3 U=1 E=1 D=2 S=3 V=1
// corners: C=5 U=1024 E=1 D=1 S=2 V=1
// The keyed delay core beside a delay core of the same times, in lockstep: random commands, keys
// that differ in all but these times, directions, stalls of the output and gaps of the input.
`default_nettype none
module hwgen_keyed_delay_core_tb;
  parameter C = 0;
  parameter U = 16;
  parameter E = 16;
  parameter D = 36;
  parameter S = 1;
  parameter V = 63;

  localparam [5:0] E6 = E;
  localparam [5:0] D6 = D;
  localparam [5:0] S6 = S;
  localparam [5:0] V6 = V;

  reg          clk, rst, in_valid, in_decrypt, out_ready;
  reg  [1:0]   in_op;
  reg  [255:0] in_key;
  reg  [127:0] in_block;
  wire         in_ready, out_valid, ref_ready, ref_valid;
  wire [127:0] out_block, ref_block;

  hwgen_keyed_delay_core #(.CORE(C), .UNIT(U)) dut (
    .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_op(in_op),
    .in_decrypt(in_decrypt), .in_key(in_key), .in_block(in_block),
    .out_valid(out_valid), .out_ready(out_ready), .out_block(out_block));
  hwgen_delay_core #(.ENCRYPT(U*E), .DECRYPT(U*D), .SIGN(U*S), .VERIFY(U*V)) u_ref (
    .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(ref_ready), .in_op(in_op),
    .in_decrypt(in_decrypt), .in_key(in_key[255:128]), .in_block(in_block),
    .out_valid(ref_valid), .out_ready(out_ready), .out_block(ref_block));

  always #5 clk = ~clk;

  integer seed, n, done, failures;
  reg [3:0] ops;

  task fail;
    input [8*16-1:0] what;
    begin
      if (failures == 0) $display("FAIL: %0s at %0t", what, $time);
      failures = failures + 1;
    end
  endtask

  initial begin
    clk = 0; rst = 1; in_valid = 0; out_ready = 0; in_op = 0; in_decrypt = 0; in_key = 0;
    in_block = 0; failures = 0; seed = 5; done = 0; ops = 0;
    repeat (3) @(negedge clk);
    rst = 0;
    for (n = 0; (done < 60 || ops != 4'd15) && n < 400000 && failures == 0; n = n + 1) begin
      in_valid   = ($random(seed) % 4) != 0;
      in_op      = $random(seed);
      in_decrypt = $random(seed);
      in_key     = {$random(seed), $random(seed), $random(seed), $random(seed),
                    $random(seed), $random(seed), $random(seed), $random(seed)};
      in_key[24*C +: 24] = {V6, S6, D6, E6};
      in_block   = {$random(seed), $random(seed), $random(seed), $random(seed)};
      out_ready  = ($random(seed) % 4) != 0;
      #1;
      if (in_ready !== ref_ready) fail("in_ready");
      if (out_valid !== ref_valid) fail("out_valid");
      if (out_valid && out_block !== ref_block) fail("out_block");
      if (in_valid && in_ready) ops[in_op] = 1'b1;
      if (out_valid && out_ready) done = done + 1;
      @(negedge clk);
    end
    if (done < 60 || ops != 4'd15) fail("too few blocks");
    if (failures == 0) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
