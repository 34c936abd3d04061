// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_packet_buffer: payload, IV and result words never alias; sweeps.
// corners: DATA_W=32 PKT_BLOCKS=3 SLOTS=5 | DATA_W=32 PKT_BLOCKS=1 SLOTS=1 | SLOTS=1 PKT_BLOCKS=1 | DATA_W=64 PKT_BLOCKS=4 SLOTS=3 | DATA_W=64 PKT_BLOCKS=1 SLOTS=2
`default_nettype none
module hwgen_packet_buffer_tb;
  parameter SEED = 1;
  parameter DATA_W = 128;
  parameter SLOTS = 4;
  parameter PKT_BLOCKS = 3;
  localparam BPB = 128/DATA_W;
  localparam WORDS = PKT_BLOCKS*BPB;
  localparam SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1;
  localparam OFF_W = (WORDS > 1) ? $clog2(WORDS) : 1;

  reg clk = 0, rst = 1, done = 0, in_sweep = 0, res_sweep = 0;
  always #5 clk = ~clk;
  reg pw_we = 0, pw_iv = 0, pr_re = 0, pr_iv = 0, rw_we = 0, rr_re = 0;
  reg [SLOT_W-1:0] pw_slot = 0, pr_slot = 0, rw_slot = 0, rr_slot = 0;
  reg [OFF_W-1:0] pw_off = 0, pr_off = 0, rw_off = 0, rr_off = 0;
  reg [DATA_W-1:0] pw_data = 0, rw_data = 0, p_want = 0, r_want = 0;
  wire [DATA_W-1:0] pr_data, rr_data;
  wire in_busy, res_busy;

  hwgen_packet_buffer #(.DATA_W(DATA_W), .SLOTS(SLOTS), .PKT_BLOCKS(PKT_BLOCKS)) dut (
    .clk(clk), .rst(rst), .in_sweep(in_sweep), .in_busy(in_busy), .pw_we(pw_we), .pw_iv(pw_iv),
    .pw_slot(pw_slot), .pw_off(pw_off), .pw_data(pw_data), .pr_re(pr_re), .pr_iv(pr_iv),
    .pr_slot(pr_slot), .pr_off(pr_off), .pr_data(pr_data), .res_sweep(res_sweep),
    .res_busy(res_busy), .rw_we(rw_we), .rw_slot(rw_slot), .rw_off(rw_off), .rw_data(rw_data),
    .rr_re(rr_re), .rr_slot(rr_slot), .rr_off(rr_off), .rr_data(rr_data));

  reg [DATA_W-1:0] pay [0:SLOTS*WORDS-1], iv [0:SLOTS*BPB-1], res [0:SLOTS*WORDS-1];
  integer seed = SEED, cyc = 0, n, checks = 0;
  reg p_have = 0, r_have = 0;

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1; $finish;
    end
  endtask

  always @(negedge clk) begin
    rst = cyc < 2;
    in_sweep = ($random(seed) & 1023) == 0;
    res_sweep = ($random(seed) & 1023) == 0;
    pw_we = $random(seed); pw_iv = $random(seed); rw_we = $random(seed);
    pr_re = $random(seed); pr_iv = $random(seed); rr_re = $random(seed);
    n = $unsigned($random(seed)) % SLOTS; pw_slot = n;
    n = $unsigned($random(seed)) % SLOTS; pr_slot = n;
    n = $unsigned($random(seed)) % SLOTS; rw_slot = n;
    n = $unsigned($random(seed)) % SLOTS; rr_slot = n;
    n = $unsigned($random(seed)) % (pw_iv ? BPB : WORDS); pw_off = n;
    n = $unsigned($random(seed)) % (pr_iv ? BPB : WORDS); pr_off = n;
    n = $unsigned($random(seed)) % WORDS; rw_off = n;
    n = $unsigned($random(seed)) % WORDS; rr_off = n;
    pw_data = {$random(seed), $random(seed), $random(seed), $random(seed)};
    rw_data = {$random(seed), $random(seed), $random(seed), $random(seed)};
    if (in_busy !== 0 || (pw_we && pw_iv == pr_iv && pw_slot == pr_slot && pw_off == pr_off))
      pr_re = 0;
    if (res_busy !== 0 || (rw_we && rw_slot == rr_slot && rw_off == rr_off)) rr_re = 0;
  end
  always @(posedge clk) if (!done) begin
    if (p_have && pr_data !== p_want) fail("input area");
    if (r_have && rr_data !== r_want) fail("result area");
    checks = checks + p_have + r_have;
    p_have = pr_re && !in_sweep; r_have = rr_re && !res_sweep;
    p_want = pr_iv ? iv[pr_slot*BPB + pr_off] : pay[pr_slot*WORDS + pr_off];
    r_want = res[rr_slot*WORDS + rr_off];
    if (pw_we && in_busy === 0) begin
      if (pw_iv) iv[pw_slot*BPB + pw_off] = pw_data; else pay[pw_slot*WORDS + pw_off] = pw_data;
    end
    if (rw_we && res_busy === 0) res[rw_slot*WORDS + rw_off] = rw_data;
    if (rst || in_sweep) begin
      for (n = 0; n < SLOTS*WORDS; n = n + 1) pay[n] = 0;
      for (n = 0; n < SLOTS*BPB; n = n + 1) iv[n] = 0;
    end
    if (rst || res_sweep) for (n = 0; n < SLOTS*WORDS; n = n + 1) res[n] = 0;
    cyc = cyc + 1;
    if (cyc == 15000 && !done) begin
      if (checks < 5000) fail("too few reads"); else $display("PASS");
      done = 1; $finish;
    end
  end
endmodule
`default_nettype wire
