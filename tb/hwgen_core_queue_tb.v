// SPDX-License-Identifier: Apache-2.0
// Core queues of a cluster on one desc_store: order and descriptors per core, bypass of an empty queue,
// refill time, stable outputs, key generations ahead of the queue (core 0).
// corners: CORES=1 | CORES=2 CAP=1 | CORES=3 CAP=3 SLOTS=5 | CORES=7 CAP=9 | CORES=1 SLOTS=1 CAP=1 | CORES=2 CHOOSE=1 KEY_SLOTS=1 PKT_BLOCKS=1
`default_nettype none
module hwgen_core_queue_tb;
  parameter CORES = 4;
  parameter CAP = 6;
  parameter SLOTS = 32;
  parameter PKT_BLOCKS = 4;
  parameter CHOOSE = 16;
  parameter KEY_SLOTS = 8;
  parameter SEED = 1;
  parameter CYCLES = 12000;
  localparam SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1;
  localparam CORE_W = (CORES > 1) ? $clog2(CORES) : 1;
  localparam LEN_W = $clog2(PKT_BLOCKS * 16 + 1);
  localparam IDX_W = (CHOOSE > 1) ? $clog2(CHOOSE) : 1;
  localparam KS_W = (KEY_SLOTS > 1) ? $clog2(KEY_SLOTS) : 1;
  localparam DESC_W = 10 + LEN_W + IDX_W + KS_W;

  reg clk, rst, done, dp_valid, kg_valid;
  reg [CORE_W-1:0] dp_core;
  reg [SLOT_W-1:0] dp_slot;
  reg [DESC_W-1:0] dp_desc;
  reg [KS_W-1:0] kg_key;
  reg [CORES-1:0] jb_ready;
  wire [CORES-1:0] dr_valid, dr_ready, ds_valid, kg_ready, jb_valid;
  wire [CORES*SLOT_W-1:0] dr_slot, jb_slot;
  wire [CORES*DESC_W-1:0] jb_desc;
  wire [DESC_W-1:0] ds_desc;

  hwgen_desc_store #(.CORES(CORES), .SLOTS(SLOTS), .DESC_W(DESC_W)) u_store (
    .clk(clk), .rst(rst), .dp_valid(dp_valid), .dp_slot(dp_slot), .dp_desc(dp_desc),
    .dr_valid(dr_valid), .dr_ready(dr_ready), .dr_slot(dr_slot), .ds_valid(ds_valid),
    .ds_desc(ds_desc));

  genvar g;
  generate
    for (g = 0; g < CORES; g = g + 1) begin : g_core
      hwgen_core_queue #(
        .CORE(g), .CORES(CORES), .CAP(CAP), .SLOTS(SLOTS), .PKT_BLOCKS(PKT_BLOCKS),
        .CHOOSE(CHOOSE), .KEY_SLOTS(KEY_SLOTS), .KEYGEN(g == 0)
      ) dut (
        .clk(clk), .rst(rst), .dp_valid(dp_valid), .dp_core(dp_core), .dp_slot(dp_slot),
        .dp_desc(dp_desc), .dr_valid(dr_valid[g]), .dr_ready(dr_ready[g]),
        .dr_slot(dr_slot[g*SLOT_W +: SLOT_W]), .ds_valid(ds_valid[g]), .ds_desc(ds_desc),
        .kg_valid(kg_valid), .kg_ready(kg_ready[g]), .kg_key(kg_key), .jb_valid(jb_valid[g]),
        .jb_ready(jb_ready[g]), .jb_slot(jb_slot[g*SLOT_W +: SLOT_W]),
        .jb_desc(jb_desc[g*DESC_W +: DESC_W]));
    end
  endgenerate

  // queue of core c: entries [c*1024 + n]
  integer slot_q [0:65535];
  reg [DESC_W-1:0] desc_q [0:65535];
  integer head [0:63], tail [0:63], n_core [0:63], last_take [0:63], dp_cyc [0:63];
  reg used [0:255], empty_then [0:63], held [0:63];
  reg [DESC_W-1:0] held_desc [0:63];
  integer seed, cyc, i, j, c, s, jobs, keys, wait_kg, fast, refills, kg_out, mode, kg_now;
  reg [KS_W-1:0] kg_sent;

  task fail(input [40*8-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1;
      $finish;
    end
  endtask

  initial begin
    seed = SEED; clk = 0; rst = 1; done = 0; cyc = 0; dp_valid = 0; kg_valid = 0; dp_core = 0;
    dp_slot = 0; dp_desc = 0; kg_key = 0; jb_ready = 0; jobs = 0; keys = 0; wait_kg = 0; fast = 0;
    refills = 0; kg_out = 0; kg_now = 0;
    for (i = 0; i < 64; i = i + 1) begin
      head[i] = 0; tail[i] = 0; n_core[i] = 0; last_take[i] = -9; dp_cyc[i] = -9;
      empty_then[i] = 0; held[i] = 0;
    end
    for (i = 0; i < 256; i = i + 1) used[i] = 0;
    #5 clk = 1; #5 clk = 0; #5 clk = 1; #5 clk = 0;
    rst = 0;
    #5 clk = 1; #5 clk = 0;
    for (cyc = 0; cyc < CYCLES && !done; cyc = cyc + 1) begin
      // mode 0: random; 1: lanes slow; 2: only core 0 gets packets, its lane takes at once
      mode = (cyc / 300) % 3;
      dp_valid = 0;
      c = (mode == 2) ? 0 : ($random(seed) & 63) % CORES;
      s = -1;
      for (i = 0; i < SLOTS; i = i + 1) if (!used[i]) s = i;
      if (s >= 0 && n_core[c] < CAP && ($random(seed) & (cyc[10] ? 15 : 1)) == 0) begin
        dp_valid = 1; dp_core = c; dp_slot = s; dp_desc = {$random(seed), $random(seed)};
        if (dp_desc[4:2] == 3'd7) dp_desc[4:2] = 3'd0;
      end
      for (i = 0; i < CORES; i = i + 1)
        jb_ready[i] = (mode == 2) || (($random(seed) & (mode ? 15 : 3)) == 0);
      if (!kg_valid && ($random(seed) & 63) == 0 && mode != 2) begin
        kg_valid = 1; kg_key = $random(seed); wait_kg = cyc;
      end
      #1;
      if ((kg_ready >> 1) != 0) fail("kg_ready of another core");
      for (i = 0; i < CORES; i = i + 1) begin
        if (held[i] && (!jb_valid[i] || jb_desc[i*DESC_W +: DESC_W] !== held_desc[i])) fail("not stable");
        // dispatched a cycle ago into an empty queue
        if (empty_then[i]) begin
          if (!jb_valid[i]) fail("no bypass");
          fast = fast + 1;
        end
        // alone on the store, a queued packet follows within 4 cycles
        if (mode == 2 && cyc % 300 > 40 && head[i] != tail[i] && !jb_valid[i]
            && cyc >= last_take[i] + 4 && cyc > dp_cyc[i] + 5) fail("refill too slow");
        held[i] = jb_valid[i] && !jb_ready[i];
        held_desc[i] = jb_desc[i*DESC_W +: DESC_W];
        if (jb_valid[i] && jb_ready[i]) begin
          if (jb_desc[i*DESC_W + 2 +: 3] === 3'd7) begin
            if (i != 0 || !kg_out) fail("key generation out of nothing");
            if (jb_desc[DESC_W-1 -: KS_W+1] !== {1'b0, kg_sent} || jb_desc[1:0] !== 2'd0
                || jb_desc[DESC_W-KS_W-2:5] !== 0) fail("its descriptor");
            kg_out = 0;
            keys = keys + 1;
          end else begin
            if (kg_out && i == 0) fail("packet before the key generation");
            if (head[i] == tail[i]) fail("packet out of nothing");
            j = i * 1024 + (head[i] & 1023);
            if (jb_slot[i*SLOT_W +: SLOT_W] !== slot_q[j]) fail("slot");
            if (jb_desc[i*DESC_W +: DESC_W] !== desc_q[j]) fail("descriptor");
            head[i] = head[i] + 1;
            n_core[i] = n_core[i] - 1;
            used[slot_q[j]] = 0;
            jobs = jobs + 1;
            if (cyc == last_take[i] + 4) refills = refills + 1;
          end
          last_take[i] = cyc;
        end
      end
      if (kg_valid && !kg_ready[0] && cyc > wait_kg + 400) fail("key generation starves");
      for (i = 0; i < CORES; i = i + 1)
        empty_then[i] = dp_valid && dp_core == i && head[i] == tail[i] && !(i == 0 && (kg_valid || kg_out));
      if (dp_valid) begin
        j = dp_core * 1024 + (tail[dp_core] & 1023);
        slot_q[j] = dp_slot; desc_q[j] = dp_desc;
        tail[dp_core] = tail[dp_core] + 1;
        n_core[dp_core] = n_core[dp_core] + 1;
        used[dp_slot] = 1;
        dp_cyc[dp_core] = cyc;
      end
      kg_now = kg_valid && kg_ready[0];
      if (kg_now) begin
        kg_out = 1;
        kg_sent = kg_key;
      end
      #4 clk = 1; #5 clk = 0;
      if (kg_now) kg_valid = 0;
    end
    if (jobs < CYCLES / 20 || keys < 10 || fast < 10) fail("too few events");
    if (SLOTS > 8 && CAP > 3 && refills < 50) fail("too few fast refills");
    if (!done) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
