// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_wait_queue against one fifo a cluster.
// corners: CLUSTERS=1 SLOTS=1 | CLUSTERS=1 SLOTS=5 | CLUSTERS=3 SLOTS=8 WAIT=2 | CLUSTERS=16 SLOTS=32 | CLUSTERS=3 SLOTS=5 WAIT=1
`default_nettype none
module hwgen_wait_queue_tb;
  parameter SEED = 1;
  parameter SLOTS = 8;
  parameter CLUSTERS = 2;
  parameter WAIT = SLOTS;
  localparam SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1;
  localparam CLUSTER_W = (CLUSTERS > 1) ? $clog2(CLUSTERS) : 1;

  reg clk = 0, rst = 1, done = 0;
  always #5 clk = ~clk;
  reg pk_valid = 0;
  reg [SLOT_W-1:0] pk_slot = 0;
  reg [CLUSTER_W-1:0] pk_cluster = 0;
  reg [CLUSTERS-1:0] up_req = 0;
  wire pk_ready;
  wire [CLUSTERS-1:0] up_valid, waiting;
  wire [SLOT_W-1:0] up_slot;
  wire [SLOTS-1:0] mask;

  hwgen_wait_queue #(.SLOTS(SLOTS), .CLUSTERS(CLUSTERS), .WAIT(WAIT)) dut (
    .clk(clk), .rst(rst), .pk_valid(pk_valid), .pk_ready(pk_ready), .pk_slot(pk_slot),
    .pk_cluster(pk_cluster), .up_req(up_req), .up_valid(up_valid), .up_slot(up_slot),
    .waiting(waiting), .mask(mask));

  // list of cluster c: list[c*1024 + head..tail-1], indices modulo 1024
  reg [SLOT_W-1:0] list [0:16*1024-1];
  integer head [0:15], tail [0:15], idle [0:15];
  reg [SLOTS-1:0] m_mask = 0;
  integer seed = SEED, cyc = 0, c, k, n, held = 0, mode = 0, moved = 0, hits;

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1; $finish;
    end
  endtask

  initial for (c = 0; c < 16; c = c + 1) begin head[c] = 0; tail[c] = 0; idle[c] = 0; end

  always @(negedge clk) begin
    if ($random(seed) % 41 == 0) mode = $random(seed) & 3;
    rst = cyc < 2 || ($random(seed) & 1023) == 0;
    pk_valid = 0;
    n = $unsigned($random(seed)) % SLOTS;
    pk_slot = n;
    n = $unsigned($random(seed)) % CLUSTERS;
    pk_cluster = n;
    if (!m_mask[pk_slot]) pk_valid = mode != 1 || ($random(seed) & 3) == 0;
    up_req = mode == 0 ? $random(seed) & $random(seed) :
             mode == 2 ? {CLUSTERS{1'b1}} : $random(seed);
  end
  always @(posedge clk) if (!done) begin
    hits = 0;
    if (cyc > 3 && !rst) begin
      if (mask !== m_mask) fail("mask");
      for (c = 0; c < CLUSTERS; c = c + 1) begin
        if (waiting[c] !== (head[c] != tail[c])) fail("waiting");
        if (up_valid[c]) begin
          hits = hits + 1;
          if (!up_req[c] || head[c] == tail[c]) fail("unpark without request or packet");
          if (up_slot !== list[c*1024 + head[c] % 1024]) fail("not the oldest");
          idle[c] = 0;
        end else if (up_req[c] && head[c] != tail[c]) begin
          idle[c] = idle[c] + 1;
          if (idle[c] > 2*CLUSTERS + 2) fail("packet not let go");
        end
      end
      if (hits > 1) fail("two at once");
      if (hits == 1) moved = moved + 1;
      if (pk_valid && held < WAIT && pk_ready !== 1 && cyc > 4 && k > 0) fail("park refused");
      if (held == WAIT && pk_ready !== 0) fail("park beyond WAIT");
    end
    k = rst ? 0 : 1;
    if (rst) begin
      for (c = 0; c < CLUSTERS; c = c + 1) begin head[c] = 0; tail[c] = 0; idle[c] = 0; end
      m_mask = 0; held = 0;
    end else begin
      for (c = 0; c < CLUSTERS; c = c + 1) if (up_valid[c]) begin
        m_mask[up_slot] = 0; head[c] = head[c] + 1; held = held - 1;
      end
      if (pk_valid && pk_ready) begin
        list[pk_cluster*1024 + tail[pk_cluster] % 1024] = pk_slot;
        tail[pk_cluster] = tail[pk_cluster] + 1;
        m_mask[pk_slot] = 1; held = held + 1;
      end
    end
    cyc = cyc + 1;
    if (cyc == 20000 && !done) begin
      if (moved < 1000) fail("too few moves"); else $display("PASS");
      done = 1; $finish;
    end
  end
endmodule
`default_nettype wire
