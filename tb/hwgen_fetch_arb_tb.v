// SPDX-License-Identifier: Apache-2.0
// Bench of hwgen_fetch_arb: every request of every lane and of the key loader comes out once, in
// the order of its lane, with its lane number; random stalls; full rate.
// corners: CORES=1 SLOTS=1 PKT_BLOCKS=1 | CORES=3 | CORES=4 SLOTS=5 | CORES=16 PKT_BLOCKS=64 | CORES=64
`default_nettype none
module hwgen_fetch_arb_tb #(
  parameter CORES      = 6,
  parameter SLOTS      = 32,
  parameter PKT_BLOCKS = 4,
  parameter SEED       = 1
);
  localparam SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1;
  localparam BLK_W  = (PKT_BLOCKS > 1) ? $clog2(PKT_BLOCKS) : 1;
  localparam LANE_W = $clog2(CORES + 1);
  localparam N = CORES + 1, W = 1 + SLOT_W + BLK_W;
  reg clk = 0, rst = 1;
  always #5 clk = ~clk;
  reg  [N-1:0] valid = 0, iv = 0;
  wire [N-1:0] ready;
  reg  [N*SLOT_W-1:0] slot = 0;
  reg  [N*BLK_W-1:0]  blk = 0;
  wire fq_valid, fq_iv;
  reg  fq_ready = 0;
  wire [LANE_W-1:0] fq_lane;
  wire [SLOT_W-1:0] fq_slot;
  wire [BLK_W-1:0]  fq_blk;
  hwgen_fetch_arb #(.CORES(CORES), .SLOTS(SLOTS), .PKT_BLOCKS(PKT_BLOCKS)) u_dut (
    .clk(clk), .rst(rst), .fl_valid(valid[CORES-1:0]), .fl_ready(ready[CORES-1:0]),
    .fl_iv(iv[CORES-1:0]), .fl_slot(slot[CORES*SLOT_W-1:0]), .fl_blk(blk[CORES*BLK_W-1:0]),
    .kf_valid(valid[CORES]), .kf_ready(ready[CORES]), .kf_slot(slot[CORES*SLOT_W +: SLOT_W]),
    .kf_blk(blk[CORES*BLK_W +: BLK_W]), .fq_valid(fq_valid), .fq_ready(fq_ready),
    .fq_lane(fq_lane), .fq_iv(fq_iv), .fq_slot(fq_slot), .fq_blk(fq_blk));

  reg [W-1:0] q [0:N*16-1];
  integer w [0:N-1], r [0:N-1], seed = SEED, i, k, cycle = 0, got = 0;
  reg done = 0, stop = 0, full = 0;
  task fail;
    input [8*40-1:0] why;
    if (!done) begin
      done = 1; $display("FAIL: cycle %0d %0s", cycle, why); $finish;
    end
  endtask
  always @(posedge clk) begin
    cycle <= cycle + 1;
    for (i = 0; i < N; i = i + 1) begin
      if (valid[i] & ready[i]) begin
        q[i*16 + w[i] % 16] = {iv[i], slot[i*SLOT_W +: SLOT_W], blk[i*BLK_W +: BLK_W]};
        w[i] = w[i] + 1;
        valid[i] <= 0;
      end
      if ((~valid[i] | ready[i]) & ~rst & ~stop & (full | $unsigned($random(seed)) % 4 == 0)) begin
        valid[i] <= 1;
        iv[i] <= (i < CORES) & $random(seed);
        slot[i*SLOT_W +: SLOT_W] <= $random(seed);
        blk[i*BLK_W +: BLK_W] <= $random(seed);
      end
    end
    if (fq_valid & fq_ready) begin
      if (fq_lane > CORES) fail("lane number");
      else if (r[fq_lane] == w[fq_lane]) fail("request from nowhere");
      else if ({fq_iv, fq_slot, fq_blk} !== q[fq_lane*16 + r[fq_lane] % 16])
        fail("request changed");
      r[fq_lane] = r[fq_lane] + 1;
      got = got + 1;
    end
    fq_ready <= full | $random(seed);
  end
  initial begin
    for (k = 0; k < N; k = k + 1) begin w[k] = 0; r[k] = 0; end
    repeat (2) @(posedge clk);
    #1 rst = 0;
    repeat (2000) @(posedge clk);
    full = 1;
    repeat (N + 10) @(posedge clk);
    #1 got = 0;
    repeat (100) @(posedge clk);
    #1 if (got != 100) fail("not a request a cycle");
    stop = 1;
    repeat (2*N + 10) @(posedge clk);
    #1 for (k = 0; k < N; k = k + 1) if (r[k] != w[k] || r[k] == 0) fail("requests missing");
    if (!done) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
