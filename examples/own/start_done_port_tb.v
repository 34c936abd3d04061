// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of a core behind its adapter: what a core port must keep to, whatever the cipher.
// Blocks go in under random pauses and come out under random stalls, in order, stable while stalled; what
// was encrypted decrypts to what it was; back-to-back blocks take the cycles of the config.
`default_nettype none
module start_done_port_tb;
  localparam FORWARD = 34, INVERSE = 66, BLOCKS = 24;

  reg clk = 0, rst = 1;
  always #5 clk = ~clk;
  reg  in_valid = 0, in_decrypt = 0, out_ready = 0, taken = 0, held = 0, done = 0;
  reg  [127:0] in_block = 0, was = 0;
  wire in_ready, out_valid;
  wire [127:0] out_block;
  reg  [127:0] plain [0:BLOCKS-1];
  reg  [127:0] coded [0:BLOCKS-1];
  // pass 0: encryption without stalls, 1: decryption without, 2: encryption under stalls, 3: decryption
  integer seed = 1, pass = 0, sent = 0, got = 0, cyc = 0, last_in = 0, i;

  start_done_port dut (
    .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_op({1'b0, in_decrypt}),
    .in_decrypt(in_decrypt), .in_key(128'h0123456789abcdeffedcba9876543210), .in_block(in_block),
    .out_valid(out_valid), .out_ready(out_ready), .out_block(out_block));

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s in pass %0d, block %0d", why, pass, got);
      done = 1;
      $finish;
    end
  endtask

  initial begin
    for (i = 0; i < BLOCKS; i = i + 1)
      plain[i] = {$random(seed), $random(seed), $random(seed), $random(seed)};
    // the standard's example
    plain[0] = 128'h0123456789abcdeffedcba9876543210;
  end

  always @(negedge clk) begin
    rst = cyc < 3;
    in_decrypt = pass & 1;
    if (taken || !in_valid) in_valid = !rst && sent < BLOCKS && (pass < 2 || ($random(seed) & 3) == 0);
    taken = 0;
    in_block = in_decrypt ? coded[sent % BLOCKS] : plain[sent % BLOCKS];
    out_ready = pass < 2 || ($random(seed) & 15) == 0;
  end
  always @(posedge clk) if (!done) begin
    cyc = cyc + 1;
    if (!rst) begin
      if (held && (!out_valid || out_block !== was)) fail("not stable while stalled");
      held = out_valid && !out_ready;
      was = out_block;
      if (in_valid && in_ready) begin
        if (pass < 2 && sent > 0 && cyc - last_in != (in_decrypt ? INVERSE : FORWARD)) fail("cycles");
        last_in = cyc;
        sent = sent + 1;
        taken = 1;
      end
      if (out_valid && out_ready) begin
        if (got >= sent) fail("a result of nothing");
        if (pass == 0) coded[got] = out_block;
        else if (out_block !== (in_decrypt ? plain[got] : coded[got])) fail("result");
        if (pass == 0 && got == 0 && out_block !== 128'h681edf34d206965e86b3e94f536e4246) fail("standard");
        got = got + 1;
        if (got == BLOCKS) begin
          got = 0;
          sent = 0;
          pass = pass + 1;
          if (pass == 4) begin
            $display("PASS");
            done = 1;
            $finish;
          end
        end
      end
    end
    if (cyc > 20000) fail("no progress");
  end
endmodule
`default_nettype wire
