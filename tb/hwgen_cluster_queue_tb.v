// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_cluster_queue: exact capacity, order, one cycle of latency.
// corners: QUEUE=1 | QUEUE=2 SLOTS=1 | QUEUE=5 | QUEUE=16
`default_nettype none
module hwgen_cluster_queue_tb;
  parameter SEED = 1;
  parameter QUEUE = 8;
  parameter SLOTS = 32;
  localparam SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1;

  reg clk = 0, rst = 1, done = 0, en_valid = 0, cq_ready = 0, fresh = 1, taken = 0;
  always #5 clk = ~clk;
  reg [SLOT_W-1:0] en_slot = 0, q [0:32767];
  wire en_ready, cq_valid;
  wire [SLOT_W-1:0] cq_slot;
  integer seed = SEED, cyc = 0, head = 0, tail = 0;

  hwgen_cluster_queue #(.QUEUE(QUEUE), .SLOTS(SLOTS)) dut (
    .clk(clk), .rst(rst), .en_valid(en_valid), .en_ready(en_ready), .en_slot(en_slot),
    .cq_valid(cq_valid), .cq_ready(cq_ready), .cq_slot(cq_slot));

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1; $finish;
    end
  endtask

  always @(negedge clk) begin
    rst = cyc < 2 || ($random(seed) & 511) == 0;
    if (!en_valid || taken || rst) begin
      en_valid = $random(seed) | cyc[7]; en_slot = $random(seed);
    end
    cq_ready = cyc[6] ? $random(seed) : ($random(seed) & 7) == 0;
  end
  always @(posedge clk) if (!done) begin
    if (cyc > 2 && !rst) begin
      if (cq_valid !== (head != tail)) fail("latency or lost slot");
      if (!fresh && en_ready !== (tail - head < QUEUE)) fail("capacity");
      if (cq_valid && cq_slot !== q[head]) fail("order");
    end
    fresh = rst;
    taken = en_ready === 1'b1;
    if (rst) begin head = 0; tail = 0; end
    else begin
      if (cq_valid && cq_ready) head = head + 1;
      if (en_valid && en_ready) begin q[tail] = en_slot; tail = tail + 1; end
    end
    cyc = cyc + 1;
    if (cyc == 20000 && !done) begin $display("PASS"); done = 1; $finish; end
  end
endmodule
`default_nettype wire
