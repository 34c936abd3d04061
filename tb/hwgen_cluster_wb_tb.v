// SPDX-License-Identifier: Apache-2.0
// Bench of hwgen_cluster_wb: every beat of every lane arrives once and in its lane's order, words
// for the chaining store before their packet's credit, one credit a packet, dead jobs, refusals,
// stalls.
// corners: DATA_W=32 CORES=1 SLOTS=1 PKT_BLOCKS=1 CHOOSE=1 KEY_SLOTS=1 | DATA_W=64 CORES=3 SLOTS=5 PKT_BLOCKS=3 CHOOSE=3 | DATA_W=128 CORES=5 | DATA_W=128 CORES=16 | DATA_W=32 CORES=64
`default_nettype none
module hwgen_cluster_wb_tb #(
  parameter DATA_W     = 32,
  parameter SLOTS      = 32,
  parameter PKT_BLOCKS = 4,
  parameter CHOOSE     = 16,
  parameter KEY_SLOTS  = 8,
  parameter CORES      = 4,
  parameter SEED       = 1
);
  localparam BPB    = 128 / DATA_W;
  localparam SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1;
  localparam OFF_W  = (PKT_BLOCKS * BPB > 1) ? $clog2(PKT_BLOCKS * BPB) : 1;
  localparam WIDX_W = (BPB > 1) ? $clog2(BPB) : 1;
  localparam IDX_W  = (CHOOSE > 1) ? $clog2(CHOOSE) : 1;
  localparam KS_W   = (KEY_SLOTS > 1) ? $clog2(KEY_SLOTS) : 1;
  localparam CORE_W = (CORES > 1) ? $clog2(CORES) : 1;
  // a beat, and the part of it that the hub sees
  localparam W  = 2 + SLOT_W + OFF_W + WIDX_W + DATA_W + 1 + 4 + 2 + 1 + IDX_W + KS_W + 1;
  localparam QL = 16;

  reg clk = 0, rst = 1;
  always #5 clk = ~clk;
  reg  [CORES-1:0]        lw_valid = 0, lw_done = 0, lw_chained = 0, lw_last = 0;
  wire [CORES-1:0]        lw_ready;
  reg  [CORES*2-1:0]      lw_we = 0, lw_kind = 0;
  reg  [CORES*SLOT_W-1:0] lw_slot = 0;
  reg  [CORES*OFF_W-1:0]  lw_off = 0;
  reg  [CORES*WIDX_W-1:0] lw_word = 0;
  reg  [CORES*DATA_W-1:0] lw_data = 0;
  reg  [CORES*4-1:0]      lw_status = 0;
  reg  [CORES*IDX_W-1:0]  lw_idx = 0;
  reg  [CORES*KS_W-1:0]   lw_key = 0;
  reg                     rf_valid = 0;
  wire                    rf_ready;
  reg  [SLOT_W-1:0]       rf_slot = 0;
  reg  [3:0]              rf_status = 0;
  wire                    cr_valid, cr_fire, cr_chained, cr_last, cw_we;
  reg                     cr_ready = 0;
  wire [CORE_W-1:0]       cr_core;
  wire [SLOT_W-1:0]       cr_slot;
  wire [IDX_W-1:0]        cr_idx, cw_idx;
  wire [KS_W-1:0]         cr_key;
  reg  [CHOOSE-1:0]       dead = 0;
  wire                    cr_dead = dead[cr_idx];
  wire [WIDX_W-1:0]       cw_word;
  wire [DATA_W-1:0]       cw_data, wb_data;
  wire                    wb_valid, wb_we, wb_done;
  reg                     wb_ready = 0;
  wire [SLOT_W-1:0]       wb_slot;
  wire [OFF_W-1:0]        wb_off;
  wire [3:0]              wb_status;
  wire [7:0]              wb_core;
  wire [1:0]              wb_kind;

  hwgen_cluster_wb #(
    .DATA_W(DATA_W), .SLOTS(SLOTS), .PKT_BLOCKS(PKT_BLOCKS), .CHOOSE(CHOOSE),
    .KEY_SLOTS(KEY_SLOTS), .CORES(CORES)
  ) u_dut (
    .clk(clk), .rst(rst), .lw_valid(lw_valid), .lw_ready(lw_ready), .lw_we(lw_we),
    .lw_slot(lw_slot), .lw_off(lw_off), .lw_word(lw_word), .lw_data(lw_data), .lw_done(lw_done),
    .lw_status(lw_status), .lw_kind(lw_kind), .lw_chained(lw_chained), .lw_idx(lw_idx),
    .lw_key(lw_key), .lw_last(lw_last), .rf_valid(rf_valid), .rf_ready(rf_ready),
    .rf_slot(rf_slot), .rf_status(rf_status), .cr_valid(cr_valid), .cr_ready(cr_ready),
    .cr_fire(cr_fire), .cr_core(cr_core), .cr_slot(cr_slot), .cr_chained(cr_chained),
    .cr_idx(cr_idx), .cr_key(cr_key), .cr_last(cr_last), .cr_dead(cr_dead), .cw_hold(1'b0), .cw_we(cw_we),
    .cw_idx(cw_idx), .cw_word(cw_word), .cw_data(cw_data), .wb_valid(wb_valid),
    .wb_ready(wb_ready), .wb_we(wb_we), .wb_slot(wb_slot), .wb_off(wb_off), .wb_data(wb_data),
    .wb_done(wb_done), .wb_status(wb_status), .wb_core(wb_core), .wb_kind(wb_kind)
  );

  // queues by lane (lane CORES: refusals): a, beats on their way to A -> B; b, on to the hub
  reg  [W-1:0] qa [0:(CORES+1)*QL-1], qb [0:(CORES+1)*QL-1];
  integer aw [0:CORES], ar [0:CORES], bw [0:CORES], br [0:CORES];
  integer seed = SEED, i, k, c, cycle = 0, n_cred = 0, n_dead = 0, n_wb = 0, n_rf = 0;
  reg done = 0, stop = 0, full = 0, was_st = 0, go;
  reg [W-1:0] x, was;
  // fields of the beat x
  reg [1:0] x_we, x_kind; reg x_done, x_ch, x_last; reg [3:0] x_st;
  reg [SLOT_W-1:0] x_slot; reg [OFF_W-1:0] x_off; reg [WIDX_W-1:0] x_word;
  reg [DATA_W-1:0] x_data; reg [IDX_W-1:0] x_idx; reg [KS_W-1:0] x_key;
  wire [W-1:0] now = {wb_we, wb_slot, wb_off, wb_data, wb_done, wb_status, wb_kind};
  function integer rnd;
    input integer n;
    rnd = $unsigned($random(seed)) % n;
  endfunction
  task fail;
    input [8*40-1:0] why;
    if (!done) begin
      done = 1; $display("FAIL: cycle %0d %0s", cycle, why); $finish;
    end
  endtask
  task split;
    {x_we, x_slot, x_off, x_word, x_data, x_done, x_st, x_kind, x_ch, x_idx, x_key, x_last} = x;
  endtask

  // The beat in A is not a port: credits and chaining words say which lane moved, and whatever is
  // neither a credit nor a chaining word is taken from qa when it reaches the hub.
  task to_hub;                       // x, of lane c, must come out on wb_*
    begin qb[c*QL + bw[c] % QL] = x; bw[c] = bw[c] + 1; end
  endtask
  task skip_plain;                   // moves plain words of lane c from qa to qb
    begin
      x = qa[c*QL + ar[c] % QL]; split;
      while (ar[c] != aw[c] && !x_done && !x_we[1]) begin
        to_hub; ar[c] = ar[c] + 1;
        x = qa[c*QL + ar[c] % QL]; split;
      end
    end
  endtask

  always @(posedge clk) if (!rst) begin
    cycle <= cycle + 1;
    if (was_st & (~wb_valid | now !== was)) fail("wb changed while stalled");
    was_st = wb_valid & ~wb_ready; was = now;
    // hub first: it sees what moved in earlier cycles
    if (wb_valid & wb_ready) begin
      n_wb = n_wb + 1;
      c = (wb_core == 255) ? CORES : wb_core;
      if (c > CORES) fail("core number");
      else begin
        if (c != CORES) skip_plain;
        else if (br[c] == bw[c]) begin x = qa[c*QL + ar[c] % QL]; to_hub; ar[c] = ar[c] + 1; end
        if (br[c] == bw[c]) fail("beat from nowhere");
        x = qb[c*QL + br[c] % QL]; split; br[c] = br[c] + 1;
        if (wb_we !== x_we[0] || wb_slot !== x_slot || wb_done !== x_done ||
            (x_we[0] && (wb_off !== x_off || wb_data !== x_data)) ||
            (x_done && (wb_status !== x_st || wb_kind !== x_kind))) fail("beat at the hub");
      end
    end
    if (cr_fire !== (cr_valid & cr_ready)) fail("cr_fire");
    if (cr_fire) begin
      n_cred = n_cred + 1;
      c = cr_core;
      skip_plain;
      if (ar[c] == aw[c] || !x_done) fail("credit without a done record");
      if (cr_slot !== x_slot || cr_chained !== x_ch || cr_idx !== x_idx || cr_key !== x_key ||
          cr_last !== x_last) fail("credit fields");
      if (cw_we !== x_we[1]) fail("credit and chaining word");
      if (cw_we && (cw_idx !== x_idx || cw_word !== x_word || cw_data !== x_data)) fail("cw");
      ar[c] = ar[c] + 1;
      if (x_ch && dead[x_idx]) begin x_st = 11; x_kind = 0; n_dead = n_dead + 1; end
      x = {x_we, x_slot, x_off, x_word, x_data, x_done, x_st, x_kind, x_ch, x_idx, x_key, x_last};
      to_hub;
    end else if (cw_we) begin
      c = cr_core;
      skip_plain;
      if (ar[c] == aw[c] || x_done || !x_we[1]) fail("chaining word from nowhere");
      if (cw_idx !== x_idx || cw_word !== x_word || cw_data !== x_data) fail("cw");
      ar[c] = ar[c] + 1;
      if (x_we[0]) to_hub;
    end
    // inputs
    for (i = 0; i <= CORES; i = i + 1)
    if (i == CORES ? rf_valid & rf_ready : lw_valid[i] & lw_ready[i]) begin
      qa[i*QL + aw[i] % QL] = (i == CORES)
        ? {2'b00, rf_slot, {OFF_W{1'b0}}, {WIDX_W{1'b0}}, {DATA_W{1'b0}}, 1'b1, rf_status, 2'b00,
           1'b0, {IDX_W{1'b0}}, {KS_W{1'b0}}, 1'b0}
        : {lw_we[2*i +: 2], lw_slot[i*SLOT_W +: SLOT_W], lw_off[i*OFF_W +: OFF_W],
           lw_word[i*WIDX_W +: WIDX_W], lw_data[i*DATA_W +: DATA_W], lw_done[i],
           lw_status[4*i +: 4], lw_kind[2*i +: 2], lw_chained[i], lw_idx[i*IDX_W +: IDX_W],
           lw_key[i*KS_W +: KS_W], lw_last[i]};
      aw[i] = aw[i] + 1;
    end
    for (i = 0; i < CORES; i = i + 1) if (~lw_valid[i] | lw_ready[i]) begin
      go = ~stop & (full | rnd(3) == 0);
      lw_valid[i] <= go;
      if (go) begin
        lw_done[i] <= rnd(4) == 0;
        lw_we[2*i +: 2] <= full ? 1 : rnd(4);
        // a beat has a word or is a done record
        if (!full && rnd(4) == 0) begin lw_done[i] <= 1; lw_we[2*i +: 2] <= 0; end
        else if (!full) lw_we[2*i +: 2] <= 1 + rnd(3);
        lw_slot[i*SLOT_W +: SLOT_W] <= rnd(SLOTS);
        lw_off[i*OFF_W +: OFF_W] <= $random(seed);
        lw_word[i*WIDX_W +: WIDX_W] <= $random(seed);
        lw_data[i*DATA_W +: DATA_W] <= {$random(seed), $random(seed), $random(seed), $random(seed)};
        lw_status[4*i +: 4] <= 9*rnd(2);
        lw_kind[2*i +: 2] <= rnd(3);
        lw_chained[i] <= rnd(2);
        lw_idx[i*IDX_W +: IDX_W] <= rnd(CHOOSE);
        lw_key[i*KS_W +: KS_W] <= rnd(KEY_SLOTS);
        lw_last[i] <= rnd(2);
      end
    end
    if (~rf_valid | rf_ready) begin
      rf_valid <= ~stop & ~full & (rnd(8) == 0);
      rf_slot <= rnd(SLOTS); rf_status <= rnd(9);
      if (rf_valid) n_rf = n_rf + 1;
    end
    cr_ready <= full | rnd(2);
    wb_ready <= full | (rnd(3) != 0);
    if (rnd(4) == 0) dead <= dead ^ (1 << rnd(CHOOSE));
  end

  initial begin
    for (k = 0; k <= CORES; k = k + 1) begin aw[k] = 0; ar[k] = 0; bw[k] = 0; br[k] = 0; end
    repeat (2) @(posedge clk);
    #1 rst = 0;
    // wide ones simulate slowly
    repeat ((CORES > 20) ? 500 : (CORES > 8) ? 800 : 5000) @(posedge clk);
    full = 1;
    repeat (2*CORES + 20) @(posedge clk);
    #1 n_wb = 0;
    repeat (200) @(posedge clk);
    #1 if (n_wb != 200) fail("not a word a cycle");
    stop = 1;
    repeat (4*CORES + 40) @(posedge clk);
    #1 for (k = 0; k <= CORES; k = k + 1) begin
      c = k; if (k < CORES) skip_plain;
      if (ar[k] != aw[k] || br[k] != bw[k] || aw[k] == 0) fail("beats missing");
    end
    if (n_cred < 100 || n_dead < 10 || n_rf < 3) fail("too little happened");
    if (wb_data !== 0 || cw_data !== 0) fail("an idle register keeps data");
    if (!done) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
