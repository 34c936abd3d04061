// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_writeback_hub: words and records of random clusters arrive once, in
// each cluster's order, a record never before its words; refusals and the walk; fairness.
// corners: CLUSTERS=1 SLOTS=1 | CLUSTERS=3 DATA_W=32 SLOTS=5 PKT_BLOCKS=1 | CLUSTERS=16 SLOTS=32 | DATA_W=64
`default_nettype none
module hwgen_writeback_hub_tb;
  parameter SEED = 1;
  parameter DATA_W = 128;
  parameter SLOTS = 8;
  parameter PKT_BLOCKS = 3;
  parameter CLUSTERS = 2;
  localparam WORDS = PKT_BLOCKS*128/DATA_W;
  localparam SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1;
  localparam OFF_W = (WORDS > 1) ? $clog2(WORDS) : 1;

  reg clk = 0, rst = 1, done = 0;
  always #5 clk = ~clk;
  reg [CLUSTERS-1:0] wb_valid = 0, wb_we = 0, wb_done = 0, taken = 0;
  reg [CLUSTERS*SLOT_W-1:0] wb_slot = 0;
  reg [CLUSTERS*OFF_W-1:0] wb_off = 0;
  reg [CLUSTERS*DATA_W-1:0] wb_data = 0;
  reg [CLUSTERS*4-1:0] wb_status = 0;
  reg [CLUSTERS*8-1:0] wb_core = 0;
  reg [CLUSTERS*2-1:0] wb_kind = 0;
  reg cp_valid = 0, wk_valid = 0, cf_ready = 0, cp_taken = 0;
  reg [SLOT_W-1:0] cp_slot = 0, wk_slot = 0;
  reg [3:0] cp_status = 0;
  wire [CLUSTERS-1:0] wb_ready;
  wire cp_ready, rw_we, cf_valid;
  wire [SLOT_W-1:0] rw_slot, cf_slot;
  wire [OFF_W-1:0] rw_off;
  wire [DATA_W-1:0] rw_data;
  wire [3:0] cf_status;
  wire [7:0] cf_core;
  wire [1:0] cf_kind;

  hwgen_writeback_hub #(.DATA_W(DATA_W), .SLOTS(SLOTS), .PKT_BLOCKS(PKT_BLOCKS),
    .CLUSTERS(CLUSTERS)) dut (
    .clk(clk), .rst(rst), .wb_valid(wb_valid), .wb_ready(wb_ready), .wb_we(wb_we),
    .wb_slot(wb_slot), .wb_off(wb_off), .wb_data(wb_data), .wb_done(wb_done),
    .wb_status(wb_status), .wb_core(wb_core), .wb_kind(wb_kind), .cp_valid(cp_valid),
    .cp_ready(cp_ready), .cp_slot(cp_slot), .cp_status(cp_status), .wk_valid(wk_valid),
    .wk_slot(wk_slot), .rw_we(rw_we), .rw_slot(rw_slot), .rw_off(rw_off), .rw_data(rw_data),
    .cf_valid(cf_valid), .cf_ready(cf_ready), .cf_slot(cf_slot), .cf_status(cf_status),
    .cf_core(cf_core), .cf_kind(cf_kind));

  // slot s: owner (-1 free, CLUSTERS: ingress), words written so far, words due, record due
  integer owner [0:SLOTS-1], sent [0:SLOTS-1], wrote [0:SLOTS-1], due [0:SLOTS-1];
  reg [13:0] rec [0:SLOTS-1];
  reg [DATA_W-1:0] model [0:SLOTS*WORDS-1];
  reg [SLOTS-1:0] pushed = 0;
  integer cur [0:15], wait_c [0:16];
  integer seed = SEED, cyc = 0, c, s, n, records = 0, walks = 0, grants = 1;
  reg ww = 0;
  reg [SLOT_W-1:0] ws = 0;
  reg [OFF_W-1:0] wo = 0;
  reg [DATA_W-1:0] wd = 0;
  reg quiet = 0;

  // rw_data is in the stream's order, wb_data has byte 0 at the top
  function [DATA_W-1:0] reversed(input [DATA_W-1:0] x);
    integer b;
    for (b = 0; b < DATA_W/8; b = b + 1)
      reversed[DATA_W-1-8*b -: 8] = x[8*b +: 8];
  endfunction

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1; $finish;
    end
  endtask

  initial begin
    for (c = 0; c < 17; c = c + 1) wait_c[c] = 0;
    for (c = 0; c < 16; c = c + 1) cur[c] = -1;
    for (s = 0; s < SLOTS; s = s + 1) owner[s] = -1;
  end

  // a free slot from a random place, or -1
  task pick(output integer r);
    integer k, m;
    begin
      r = -1;
      m = $unsigned($random(seed)) % SLOTS;
      for (k = 0; k < SLOTS && r < 0; k = k + 1) if (owner[(m+k) % SLOTS] < 0) r = (m+k) % SLOTS;
    end
  endtask

  always @(negedge clk) begin
    rst = cyc < 2;
    cf_ready = cyc[7] | ($random(seed) & 1);
    quiet = cyc[10:8] == 7 || cyc > 9600;
    wk_valid = 0;
    if (cyc > 4) begin
      for (c = 0; c < CLUSTERS; c = c + 1) if (!wb_valid[c] || taken[c]) begin
        wb_valid[c] = 0;
        if (cur[c] < 0 && !quiet && ($random(seed) & 3) == 0) begin
          pick(s);
          if (s >= 0) begin
            cur[c] = s; owner[s] = c; sent[s] = 0; wrote[s] = 0;
            due[s] = $unsigned($random(seed)) % (WORDS+1); rec[s] = $random(seed);
          end
        end
        if (cur[c] >= 0 && (cyc[9] | ($random(seed) & 1))) begin
          s = cur[c];
          wb_valid[c] = 1;
          wb_slot[c*SLOT_W +: SLOT_W] = s;
          wb_we[c] = sent[s] < due[s];
          wb_off[c*OFF_W +: OFF_W] = sent[s];
          wb_data[c*DATA_W +: DATA_W] = {$random(seed), $random(seed), $random(seed),
                                         $random(seed)};
          if (wb_we[c]) begin
            model[s*WORDS + sent[s]] = reversed(wb_data[c*DATA_W +: DATA_W]);
            sent[s] = sent[s] + 1;
          end
          // the record comes with the last word, or alone
          wb_done[c] = sent[s] == due[s] && (!wb_we[c] || ($random(seed) & 1));
          {wb_kind[c*2 +: 2], wb_core[c*8 +: 8], wb_status[c*4 +: 4]} = rec[s];
          if (wb_done[c]) cur[c] = -1;
        end
      end
      if (!cp_valid || cp_taken) begin
        cp_valid = 0;
        pick(s);
        if (!quiet && s >= 0 && ($random(seed) & 7) == 0) begin
          cp_valid = 1; cp_slot = s; cp_status = $random(seed); owner[s] = CLUSTERS;
          due[s] = 0; wrote[s] = 0; rec[s] = {2'd3, 8'd255, cp_status};
        end
      end
      // the walk comes only when all else is still
      if (quiet && cyc < 9600 && wb_valid == 0 && !cp_valid && cyc[7:0] > 200) begin
        pick(s);
        if (s >= 0) begin
          wk_valid = 1; wk_slot = s; owner[s] = CLUSTERS; due[s] = 0; wrote[s] = 0;
          rec[s] = {2'd3, 8'd255, 4'd11}; walks = walks + 1;
        end
      end
    end
  end
  always @(posedge clk) if (!done) begin
    if (cyc > 4) begin
      if (rw_we !== ww) fail("word lost, or late");
      if (ww && (rw_slot !== ws || rw_off !== wo || rw_data !== wd)) fail("word");
      if (grants == 0 && rw_data !== 0) fail("word kept when idle");
      if (ww) begin
        wrote[ws] = wrote[ws] + 1;
        if (wd !== model[ws*WORDS + wo]) fail("bench");
      end
      if (cf_valid) begin
        s = cf_slot;
        if (owner[s] < 0) fail("record of no packet");
        if (wrote[s] - (ww && ws == s ? 1 : 0) !== due[s]) fail("record before its words");
        if ({cf_kind, cf_core, cf_status} !== rec[s]) fail("record");
        if (cf_ready) begin owner[s] = -1; records = records + 1; end
      end
    end
    taken = wb_ready; cp_taken = cp_ready === 1'b1;
    ww = 0; grants = 0;
    for (c = 0; c <= CLUSTERS; c = c + 1) begin
      if (c == CLUSTERS ? cp_valid && cp_ready : wb_valid[c % CLUSTERS] && wb_ready[c % CLUSTERS])
      begin
        grants = grants + 1; wait_c[c] = 0;
        if (c < CLUSTERS && wb_we[c % CLUSTERS]) begin
          ww = 1; ws = wb_slot[c*SLOT_W +: SLOT_W]; wo = wb_off[c*OFF_W +: OFF_W];
          wd = reversed(wb_data[c*DATA_W +: DATA_W]);
        end
      end else if (c == CLUSTERS ? cp_valid : wb_valid[c % CLUSTERS]) begin
        wait_c[c] = wait_c[c] + 1;
        if (wait_c[c] > CLUSTERS) fail("unfair");
      end
    end
    if (cyc > 4 && (wb_valid != 0 || cp_valid) && grants !== 1) fail("not one grant");
    cyc = cyc + 1;
    if (cyc == 10000 && !done) begin
      for (s = 0; s < SLOTS; s = s + 1) if (owner[s] >= 0) fail("packet without record");
      if (records < 400 || walks < 2) fail("too few records"); else $display("PASS");
      done = 1; $finish;
    end
  end
endmodule
`default_nettype wire
