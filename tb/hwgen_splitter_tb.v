// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_splitter with its wait queue and cluster queues: every packet once,
// in order within its cluster; direct, parked or stalled exactly as level 1 demands.
// corners: CLUSTERS=1 SLOTS=5 | CLUSTERS=1 SLOTS=2 QUEUE=1 | CLUSTERS=3 SLOTS=32 QUEUE=2 | CLUSTERS=3 SLOTS=16 WAIT=2 | CLUSTERS=2 WAIT=0 | CLUSTERS=16 SLOTS=32 QUEUE=1
`default_nettype none
module hwgen_splitter_tb;
  parameter SEED = 1;
  parameter SLOTS = 16;
  parameter CLUSTERS = 2;
  parameter WAIT = SLOTS;
  parameter QUEUE = 3;
  localparam SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1;
  localparam CLUSTER_W = (CLUSTERS > 1) ? $clog2(CLUSTERS) : 1;

  reg clk = 0, rst = 1, done = 0, ok_valid = 0;
  always #5 clk = ~clk;
  reg [SLOT_W-1:0] ok_slot = 0;
  reg [CLUSTER_W-1:0] ok_cluster = 0;
  reg [CLUSTERS-1:0] cq_ready = 0;
  wire ok_ready;
  wire [CLUSTERS-1:0] en_valid, en_ready, cq_valid;
  wire [CLUSTERS*SLOT_W-1:0] en_slot, cq_slot;
  wire [SLOTS-1:0] mask;

  hwgen_splitter #(.SLOTS(SLOTS), .CLUSTERS(CLUSTERS), .WAIT(WAIT)) dut (
    .clk(clk), .rst(rst), .ok_valid(ok_valid), .ok_ready(ok_ready), .ok_slot(ok_slot),
    .ok_cluster(ok_cluster), .en_valid(en_valid), .en_ready(en_ready), .en_slot(en_slot),
    .mask(mask));
  genvar g;
  generate for (g = 0; g < CLUSTERS; g = g + 1) begin : g_q
    hwgen_cluster_queue #(.QUEUE(QUEUE), .SLOTS(SLOTS)) u_q (
      .clk(clk), .rst(rst), .en_valid(en_valid[g]), .en_ready(en_ready[g]),
      .en_slot(en_slot[g*SLOT_W +: SLOT_W]), .cq_valid(cq_valid[g]), .cq_ready(cq_ready[g]),
      .cq_slot(cq_slot[g*SLOT_W +: SLOT_W]));
  end endgenerate

  reg [SLOT_W-1:0] list [0:16*1024-1];
  integer head [0:15], tail [0:15], inq [0:15], parked [0:15];
  reg [SLOTS-1:0] own = 0;
  integer seed = SEED, cyc = 0, c, k, n, mode = 0, held = 0, moved = 0, stuck = 0, live = 0;
  reg go, was_rst = 1, taken = 0;

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1; $finish;
    end
  endtask

  initial for (c = 0; c < 16; c = c + 1) begin
    head[c] = 0; tail[c] = 0; inq[c] = 0; parked[c] = 0;
  end

  always @(negedge clk) begin
    if ($random(seed) % 61 == 0) mode = $random(seed) & 7;
    rst = cyc < 2 || ($random(seed) & 2047) == 0;
    if (rst || !ok_valid || taken) begin
      ok_valid = 0;
      n = $unsigned($random(seed)) % SLOTS;
      for (k = 0; k < SLOTS && own[n]; k = k + 1) n = (n + 1) % SLOTS;
      if (!own[n] && cyc > 3) begin
        ok_valid = mode[0] | ($random(seed) & 1);
        ok_slot = n;
        n = $unsigned($random(seed)) % CLUSTERS;
        if (mode == 5) n = 0;
        ok_cluster = n;
      end
    end
    cq_ready = mode[1] ? {CLUSTERS{1'b1}} : mode[2] ? $random(seed) & $random(seed) & $random(seed)
                       : $random(seed);
  end
  always @(posedge clk) if (!done) begin
    if (cyc > 3 && !rst && !was_rst) begin
      for (c = 0; c < CLUSTERS; c = c + 1) begin
        if (en_valid[c] && !en_ready[c]) fail("enqueue without room");
        if (en_ready[c] !== (inq[c] < QUEUE)) fail("bench counts queue wrong");
        if (cq_valid[c] && cq_slot[c*SLOT_W +: SLOT_W] !== list[c*1024 + head[c] % 1024])
          fail("order in a cluster");
      end
      if (ok_valid) begin
        c = ok_cluster;
        go = inq[c] < QUEUE && parked[c] == 0;
        if (go && !(ok_ready && en_valid[c] && en_slot[c*SLOT_W +: SLOT_W] === ok_slot))
          fail("not sent straight on");
        if (!go && en_valid[c] && en_slot[c*SLOT_W +: SLOT_W] === ok_slot) fail("overtaking");
        if (!go && ok_ready !== (held < WAIT)) fail("park or stall");
      end
      for (k = 0; k < SLOTS; k = k + 1) if (mask[k] && !own[k]) fail("mask");
      // someone always moves while a parked packet has room
      n = 0;
      for (c = 0; c < CLUSTERS; c = c + 1) if (parked[c] != 0 && inq[c] < QUEUE) n = 1;
      stuck = (n && en_valid == 0) ? stuck + 1 : 0;
      if (stuck > 2) fail("parked packet not let go");
    end
    if (rst) begin
      for (c = 0; c < CLUSTERS; c = c + 1) begin
        head[c] = 0; tail[c] = 0; inq[c] = 0; parked[c] = 0;
      end
      own = 0; held = 0;
    end else if (cyc > 2) begin
      for (c = 0; c < CLUSTERS; c = c + 1) begin
        if (cq_valid[c] && cq_ready[c]) begin
          own[list[c*1024 + head[c] % 1024]] = 0;
          head[c] = head[c] + 1; inq[c] = inq[c] - 1; moved = moved + 1;
        end
      end
      if (ok_valid && ok_ready) begin
        c = ok_cluster;
        list[c*1024 + tail[c] % 1024] = ok_slot;
        tail[c] = tail[c] + 1;
        own[ok_slot] = 1;
      end
      for (c = 0; c < CLUSTERS; c = c + 1) begin
        if (en_valid[c]) begin
          inq[c] = inq[c] + 1;
          if (!(ok_valid && ok_ready && ok_cluster == c && en_slot[c*SLOT_W +: SLOT_W] == ok_slot))
            begin parked[c] = parked[c] - 1; held = held - 1; end
        end
        if (ok_valid && ok_ready && ok_cluster == c &&
            !(en_valid[c] && en_slot[c*SLOT_W +: SLOT_W] == ok_slot))
          begin parked[c] = parked[c] + 1; held = held + 1; end
      end
    end
    was_rst = rst;
    taken = ok_ready === 1'b1;
    cyc = cyc + 1;
    if (cyc == 20000 && !done) begin
      if (moved < 1000) fail("too few packets"); else $display("PASS");
      done = 1; $finish;
    end
  end
endmodule
`default_nettype wire
