// SPDX-License-Identifier: Apache-2.0
// Read-port arbiter: every request served once, bursts whole and back to back, ready one cycle after
// the request of a lone requester, full rate, no requester passed over, nothing granted in stop.
// corners: N=1 | N=2 WORDS_W=1 | N=3 WORDS_W=3 | N=7 | N=16 WORDS_W=1
`default_nettype none
module hwgen_read_arb_tb;
  parameter N = 4;
  parameter WORDS_W = 2;
  parameter SEED = 1;
  parameter CYCLES = 20000;
  localparam IDX_W = (N > 1) ? $clog2(N) : 1;

  reg clk, rst, done, stop;
  reg [N-1:0] req, granted;
  reg [N*WORDS_W-1:0] len;
  reg [WORDS_W-1:0] extra;
  wire [N-1:0] ready;
  wire rd, first;
  wire [WORDS_W-1:0] word;
  wire [IDX_W-1:0] index;

  hwgen_read_arb #(.N(N), .WORDS_W(WORDS_W)) dut (
    .clk(clk), .rst(rst), .stop(stop), .req(req), .ready(ready), .extra(extra), .rd(rd),
    .first(first), .word(word), .index(index));

  integer seed, cyc, i, left, at, who, served, age [0:63], words, mode, prev, waiting, was_stop;
  integer now;

  task fail(input [40*8-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1;
      $finish;
    end
  endtask

  always @* begin
    extra = {WORDS_W{1'b0}};
    for (i = 0; i < N; i = i + 1) if (ready[i]) extra = extra | len[i*WORDS_W +: WORDS_W];
  end

  initial begin
    seed = SEED; clk = 0; rst = 1; done = 0; stop = 0; req = 0; len = 0; cyc = 0; left = 0; at = 0;
    who = 0; served = 0; words = 0; prev = 0; was_stop = 0; granted = 0; waiting = 0;
    for (i = 0; i < 64; i = i + 1) age[i] = 0;
    #5 clk = 1; #5 clk = 0; #5 clk = 1; #5 clk = 0;
    rst = 0;
    for (cyc = 0; cyc < CYCLES && !done; cyc = cyc + 1) begin
      // mode 3: all ask all the time
      mode = (cyc / 200) & 3;
      stop = mode == 1 && ($random(seed) & 1);
      for (now = 0; now < N; now = now + 1)
        if (!req[now] && (mode == 3 || ($random(seed) & 7) == 0)) begin
          req[now] = 1;
          len[now*WORDS_W +: WORDS_W] = $random(seed);
          age[now] = cyc;
        end
      #1;
      if ((ready & (ready - 1)) != 0) fail("ready not one-hot");
      if ((ready & ~req) != 0) fail("ready without request");
      if (first !== (ready != 0)) fail("first");
      if (was_stop && ready != 0) fail("grant in stop");
      if (left > 0) begin
        if (first) fail("burst cut off");
        if (!rd || word !== at[WORDS_W-1:0] || index !== who[IDX_W-1:0]) fail("burst word");
        left = left - 1; at = at + 1;
        words = words + 1;
      end else if (first) begin
        for (now = 0; now < N; now = now + 1) if (ready[now]) who = now;
        if (!rd || word !== 0 || index !== who[IDX_W-1:0]) fail("first word");
        left = extra; at = 1; served = served + 1; words = words + 1;
        // others went at most once each meanwhile
        if (mode == 3 && cyc % 200 > 100 && cyc - age[who] > (N + 1) * (1 << WORDS_W)) fail("passed over");
      end else begin
        if (rd) fail("read of nothing");
        // a request seen a cycle ago with the port free
        if (waiting && !was_stop) fail("slow grant");
      end
      waiting = (req & ~ready) != 0 && left == 0;
      was_stop = stop;
      granted = ready;
      #4 clk = 1; #5 clk = 0;
      req = req & ~granted;
    end
    if (served < CYCLES / 20) fail("too few bursts");
    if (!done) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
