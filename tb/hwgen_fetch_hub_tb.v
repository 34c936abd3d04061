// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_fetch_hub with hwgen_packet_buffer: every word two cycles after its
// grant, back to back, to the right cluster; fair; the broadcast is 0 when idle.
// corners: DATA_W=32 CLUSTERS=3 PKT_BLOCKS=1 | DATA_W=64 CLUSTERS=1 SLOTS=1 | CLUSTERS=16 PKT_BLOCKS=1 | CLUSTERS=1 | DATA_W=32 CLUSTERS=2 PKT_BLOCKS=3 SLOTS=5
`default_nettype none
module hwgen_fetch_hub_tb;
  parameter SEED = 1;
  parameter DATA_W = 128;
  parameter SLOTS = 4;
  parameter PKT_BLOCKS = 3;
  parameter CLUSTERS = 2;
  parameter LANE_W = 3;
  localparam BPB = 128/DATA_W;
  localparam WORDS = PKT_BLOCKS*BPB;
  localparam SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1;
  localparam OFF_W = (WORDS > 1) ? $clog2(WORDS) : 1;
  localparam BLK_W = (PKT_BLOCKS > 1) ? $clog2(PKT_BLOCKS) : 1;
  localparam WIDX_W = (BPB > 1) ? $clog2(BPB) : 1;

  reg clk = 0, rst = 1, done = 0;
  always #5 clk = ~clk;
  reg [CLUSTERS-1:0] fq_valid = 0, fq_iv = 0, taken = 0;
  reg [CLUSTERS*LANE_W-1:0] fq_lane = 0;
  reg [CLUSTERS*SLOT_W-1:0] fq_slot = 0;
  reg [CLUSTERS*BLK_W-1:0] fq_blk = 0;
  wire [CLUSTERS-1:0] fq_ready, fr_valid;
  wire pr_re, pr_iv, fr_iv;
  wire [SLOT_W-1:0] pr_slot;
  wire [OFF_W-1:0] pr_off;
  wire [DATA_W-1:0] pr_data, fr_data;
  wire [LANE_W-1:0] fr_lane;
  wire [WIDX_W-1:0] fr_word;
  reg pw_we = 0, pw_iv = 0;
  reg [SLOT_W-1:0] pw_slot = 0;
  reg [OFF_W-1:0] pw_off = 0;
  reg [DATA_W-1:0] pw_data = 0;

  hwgen_fetch_hub #(.DATA_W(DATA_W), .SLOTS(SLOTS), .PKT_BLOCKS(PKT_BLOCKS), .CLUSTERS(CLUSTERS),
    .LANE_W(LANE_W)) dut (
    .clk(clk), .rst(rst), .fq_valid(fq_valid), .fq_ready(fq_ready), .fq_lane(fq_lane),
    .fq_iv(fq_iv), .fq_slot(fq_slot), .fq_blk(fq_blk), .pr_re(pr_re), .pr_iv(pr_iv),
    .pr_slot(pr_slot), .pr_off(pr_off), .pr_data(pr_data), .fr_valid(fr_valid),
    .fr_lane(fr_lane), .fr_iv(fr_iv), .fr_word(fr_word), .fr_data(fr_data));
  hwgen_packet_buffer #(.DATA_W(DATA_W), .SLOTS(SLOTS), .PKT_BLOCKS(PKT_BLOCKS)) u_buf (
    .clk(clk), .rst(rst), .in_sweep(1'b0), .in_busy(), .pw_we(pw_we), .pw_iv(pw_iv),
    .pw_slot(pw_slot), .pw_off(pw_off), .pw_data(pw_data), .pr_re(pr_re), .pr_iv(pr_iv),
    .pr_slot(pr_slot), .pr_off(pr_off), .pr_data(pr_data), .res_sweep(1'b0), .res_busy(),
    .rw_we(1'b0), .rw_slot({SLOT_W{1'b0}}), .rw_off({OFF_W{1'b0}}), .rw_data({DATA_W{1'b0}}),
    .rr_re(1'b0), .rr_slot({SLOT_W{1'b0}}), .rr_off({OFF_W{1'b0}}), .rr_data());

  // word w of slot s, iv or block b: a value that names it
  function [DATA_W-1:0] word_of(input integer isiv, input integer s, input integer off);
    word_of = (32'h9e3779b1 * (1 + off + 1000*s + 500000*isiv)) ^ ({DATA_W{1'b1}} << 20);
  endfunction

  // fr_data has byte 0 at the top
  function [DATA_W-1:0] reversed(input [DATA_W-1:0] x);
    integer b;
    for (b = 0; b < DATA_W/8; b = b + 1)
      reversed[DATA_W-1-8*b -: 8] = x[8*b +: 8];
  endfunction

  integer seed = SEED, cyc = 0, c, n, left = 0, served = 0, fill, wait_c [0:15];
  reg [CLUSTERS-1:0] v0 = 0, v1 = 0, who = 0;
  reg [DATA_W-1:0] d0 = 0, d1 = 0;
  reg [LANE_W-1:0] l0 = 0, l1 = 0;
  reg i0 = 0, i1 = 0;
  integer w0 = 0, w1 = 0, cs = 0, cb = 0;
  localparam FILL = SLOTS*(WORDS+BPB);
  localparam START = 4 + 4*SLOTS*(2 << OFF_W);

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1; $finish;
    end
  endtask
  initial for (c = 0; c < 16; c = c + 1) wait_c[c] = 0;

  always @(negedge clk) begin
    rst = cyc < 2;
    fill = cyc - START;
    pw_we = 0;
    if (fill >= 0 && fill < FILL) begin
      pw_we = 1;
      pw_slot = fill / (WORDS+BPB);
      n = fill % (WORDS+BPB);
      pw_iv = n >= WORDS;
      pw_off = pw_iv ? n - WORDS : n;
      pw_data = word_of(pw_iv, pw_slot, pw_off);
    end
    if (fill > FILL)
      for (c = 0; c < CLUSTERS; c = c + 1) if (!fq_valid[c] || taken[c]) begin
        fq_valid[c] = cyc[8] | ($random(seed) & 1);
        fq_iv[c] = $random(seed);
        fq_lane[c*LANE_W +: LANE_W] = $random(seed);
        n = $unsigned($random(seed)) % SLOTS; fq_slot[c*SLOT_W +: SLOT_W] = n;
        n = $unsigned($random(seed)) % PKT_BLOCKS;
        fq_blk[c*BLK_W +: BLK_W] = fq_iv[c] ? 0 : n;
      end
  end
  always @(posedge clk) if (!done) begin
    if (cyc > 4) begin
      if (fr_valid !== v1) fail("fr_valid");
      if (v1 != 0) begin
        if (fr_data !== d1) fail("fr_data");
        if (fr_lane !== l1 || fr_iv !== i1) fail("fr_lane or fr_iv");
        if (BPB > 1 && fr_word !== w1[WIDX_W-1:0]) fail("fr_word");
      end else if (fr_data !== 0) fail("word kept when idle");
      if (left == 0 && fq_valid != 0 && (fq_ready & fq_valid) == 0) fail("idle port");
      if (left != 0 && fq_ready !== 0) fail("ready in a burst");
    end
    v1 = v0; d1 = d0; l1 = l0; i1 = i0; w1 = w0;
    v0 = 0; taken = fq_ready;
    if (left != 0) begin v0 = who; w0 = w0 + 1; left = left - 1; end
    else for (c = 0; c < CLUSTERS; c = c + 1)
      if (fq_valid[c] && fq_ready[c] === 1'b1) begin
        if (v0 != 0) fail("two grants");
        v0[c] = 1; who = v0; w0 = 0; left = BPB-1; served = served + 1; wait_c[c] = 0;
        l0 = fq_lane[c*LANE_W +: LANE_W]; i0 = fq_iv[c];
        cs = fq_slot[c*SLOT_W +: SLOT_W]; cb = fq_blk[c*BLK_W +: BLK_W];
      end else if (fq_valid[c]) begin
        wait_c[c] = wait_c[c] + 1;
        if (wait_c[c] > CLUSTERS) fail("unfair");
      end
    d0 = reversed(word_of(i0, cs, cb*BPB + w0));
    if (rst) begin v0 = 0; v1 = 0; left = 0; end
    cyc = cyc + 1;
    if (cyc == START + FILL + 6000 && !done) begin
      if (served < 6000/BPB/3) fail("too few fetches"); else $display("PASS");
      done = 1; $finish;
    end
  end
endmodule
`default_nettype wire
