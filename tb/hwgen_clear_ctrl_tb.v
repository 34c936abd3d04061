// SPDX-License-Identifier: Apache-2.0
// The whole front around hwgen_clear_ctrl, with made-up clusters: every frame gets exactly one
// result whatever clear does and whenever; all in flight get 11, a begun result stays as it is;
// both packet areas are zero when run rises; counters balance in every cycle.
// corners: DATA_W=32 | DATA_W=64 CLUSTERS=3 SLOTS=5 | SLOTS=1 CLUSTERS=1 | DATA_W=32 SLOTS=2 CLUSTERS=1 WAIT=1 | SLOTS=32 CLUSTERS=3 WAIT=4 | QUOTA_EN=1
`default_nettype none
module hwgen_clear_ctrl_tb;
  parameter SEED = 1;
  parameter DATA_W = 128;
  parameter SLOTS = 8;
  parameter PKT_BLOCKS = 3;
  parameter REQUESTERS = 3;
  parameter CLUSTERS = 2;
  parameter WAIT = SLOTS;
  parameter QUOTA_EN = 0;
  parameter CYCLES = 16000;
  localparam BYTES = DATA_W/8;
  localparam BPB = 128/DATA_W;
  localparam WORDS = PKT_BLOCKS*BPB;
  localparam SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1;
  localparam TID_W = (REQUESTERS > 1) ? $clog2(REQUESTERS) : 1;
  localparam CLUSTER_W = (CLUSTERS > 1) ? $clog2(CLUSTERS) : 1;
  localparam OFF_W = (WORDS > 1) ? $clog2(WORDS) : 1;
  localparam WIDX_W = (BPB > 1) ? $clog2(BPB) : 1;
  localparam [CLUSTERS*(SLOT_W+1)-1:0] QUOTA = {CLUSTERS{{SLOT_W{1'b0}}, 1'b1}} << 1;

  reg clk = 0, rst = 1, clear = 0, done = 0;
  always #5 clk = ~clk;

  reg [DATA_W-1:0] tdata = 0;
  reg [BYTES-1:0] tkeep = 0;
  reg tvalid = 0, tlast = 0, rready = 0;
  reg [TID_W-1:0] tid = 0;
  wire tready, rvalid, rlast;
  wire [DATA_W-1:0] rdata;
  wire [BYTES-1:0] rkeep;
  wire [TID_W-1:0] rdest;

  wire clr, run, res_sweep, in_busy, res_busy, col_busy, half, wk_valid;
  wire [SLOT_W-1:0] half_slot, wk_slot;
  wire [SLOTS-1:0] used, mask;
  wire sp_valid, sp_ready, sp_more, fa_valid, sf_valid, sf_counted;
  wire [SLOT_W-1:0] sp_slot, sf_slot;
  wire [CLUSTER_W-1:0] sf_cluster;
  wire [31:0] acc, ret;
  wire [SLOT_W:0] infl;
  wire hw_we, hw_pay, pw_we, pw_iv, hc_re, rr_re, rw_we;
  wire [SLOT_W-1:0] hw_slot, pw_slot, hc_slot, rr_slot, rw_slot;
  wire [WIDX_W-1:0] hw_word, hc_word;
  wire [TID_W+DATA_W-1:0] hw_data;
  wire [TID_W+DATA_W:0] hc_data;
  wire [OFF_W-1:0] pw_off, rr_off, rw_off;
  wire [DATA_W-1:0] pw_data, rr_data, rw_data;
  wire ok_valid, ok_ready, cp_valid, cp_ready;
  wire [SLOT_W-1:0] ok_slot, cp_slot;
  wire [CLUSTER_W-1:0] ok_cluster;
  wire [3:0] cp_status, cf_status;
  wire [CLUSTERS-1:0] en_valid, en_ready, cq_valid, wb_ready;
  wire [CLUSTERS*SLOT_W-1:0] en_slot, cq_slot;
  wire cf_valid, cf_ready;
  wire [SLOT_W-1:0] cf_slot;
  wire [7:0] cf_core;
  wire [1:0] cf_kind;
  reg [CLUSTERS-1:0] cq_ready = 0, wb_valid = 0, wb_we = 0, wb_done = 0, sweep_busy = 0, wtaken = 0;
  reg [CLUSTERS*SLOT_W-1:0] wb_slot = 0;
  reg [CLUSTERS*OFF_W-1:0] wb_off = 0;
  reg [CLUSTERS*DATA_W-1:0] wb_data = 0;
  reg [CLUSTERS*4-1:0] wb_status = 0;
  reg [CLUSTERS*8-1:0] wb_core = 0;
  reg [CLUSTERS*2-1:0] wb_kind = 0;
  wire srst = rst | clr;
  reg crst = 1;
  always @(posedge clk) crst <= srst;

  hwgen_clear_ctrl #(.SLOTS(SLOTS), .CLUSTERS(CLUSTERS)) dut (
    .clk(clk), .rst(rst), .clear(clear), .clr(clr), .run(run), .res_sweep(res_sweep),
    .in_busy(in_busy), .res_busy(res_busy), .sweep_busy(sweep_busy), .col_busy(col_busy),
    .used(used), .half(half), .half_slot(half_slot), .wk_valid(wk_valid), .wk_slot(wk_slot));
  hwgen_slot_pool #(.SLOTS(SLOTS)) u_pool (
    .clk(clk), .rst(rst), .sp_valid(sp_valid), .sp_ready(sp_ready), .sp_slot(sp_slot),
    .sp_more(sp_more), .sf_valid(sf_valid), .sf_slot(sf_slot), .fa_valid(fa_valid), .used(used),
    .stat_accepted(acc), .stat_returned(ret), .stat_in_flight(infl));
  hwgen_ingress #(.DATA_W(DATA_W), .SLOTS(SLOTS), .PKT_BLOCKS(PKT_BLOCKS),
    .REQUESTERS(REQUESTERS), .CLUSTERS(CLUSTERS), .QUOTA_EN(QUOTA_EN), .QUOTA(QUOTA)) u_in (
    .clk(clk), .rst(rst), .clr(clr), .run(run), .s_axis_job_tdata(tdata),
    .s_axis_job_tkeep(tkeep), .s_axis_job_tvalid(tvalid), .s_axis_job_tready(tready),
    .s_axis_job_tlast(tlast), .s_axis_job_tid(tid), .sp_valid(sp_valid), .sp_ready(sp_ready),
    .sp_slot(sp_slot), .sp_more(sp_more), .fa_valid(fa_valid), .hw_we(hw_we), .hw_slot(hw_slot),
    .hw_word(hw_word), .hw_data(hw_data), .hw_pay(hw_pay), .pw_we(pw_we), .pw_iv(pw_iv),
    .pw_slot(pw_slot), .pw_off(pw_off), .pw_data(pw_data), .ok_valid(ok_valid),
    .ok_ready(ok_ready), .ok_slot(ok_slot), .ok_cluster(ok_cluster), .cp_valid(cp_valid),
    .cp_ready(cp_ready), .cp_slot(cp_slot), .cp_status(cp_status), .half(half),
    .half_slot(half_slot), .sf_valid(sf_valid), .sf_counted(sf_counted), .sf_cluster(sf_cluster));
  hwgen_header_store #(.DATA_W(DATA_W), .SLOTS(SLOTS), .REQUESTERS(REQUESTERS),
    .CLUSTERS(CLUSTERS)) u_hdr (
    .clk(clk), .rst(rst), .hw_we(hw_we), .hw_slot(hw_slot), .hw_word(hw_word), .hw_data(hw_data),
    .hw_pay(hw_pay), .hr_valid({CLUSTERS{1'b0}}), .hr_ready(), .hr_slot({CLUSTERS*SLOT_W{1'b0}}),
    .hv_valid(), .hv_word(), .hv_data(), .hc_re(hc_re), .hc_slot(hc_slot), .hc_word(hc_word),
    .hc_data(hc_data));
  hwgen_packet_buffer #(.DATA_W(DATA_W), .SLOTS(SLOTS), .PKT_BLOCKS(PKT_BLOCKS)) u_buf (
    .clk(clk), .rst(rst), .in_sweep(clr), .in_busy(in_busy), .pw_we(pw_we), .pw_iv(pw_iv),
    .pw_slot(pw_slot), .pw_off(pw_off), .pw_data(pw_data), .pr_re(1'b0), .pr_iv(1'b0),
    .pr_slot({SLOT_W{1'b0}}), .pr_off({OFF_W{1'b0}}), .pr_data(), .res_sweep(res_sweep),
    .res_busy(res_busy), .rw_we(rw_we), .rw_slot(rw_slot), .rw_off(rw_off), .rw_data(rw_data),
    .rr_re(rr_re), .rr_slot(rr_slot), .rr_off(rr_off), .rr_data(rr_data));
  hwgen_splitter #(.SLOTS(SLOTS), .CLUSTERS(CLUSTERS), .WAIT(WAIT)) u_split (
    .clk(clk), .rst(srst), .ok_valid(ok_valid), .ok_ready(ok_ready), .ok_slot(ok_slot),
    .ok_cluster(ok_cluster), .en_valid(en_valid), .en_ready(en_ready), .en_slot(en_slot),
    .mask(mask));
  hwgen_writeback_hub #(.DATA_W(DATA_W), .SLOTS(SLOTS), .PKT_BLOCKS(PKT_BLOCKS),
    .CLUSTERS(CLUSTERS)) u_hub (
    .clk(clk), .rst(srst), .wb_valid(wb_valid), .wb_ready(wb_ready), .wb_we(wb_we),
    .wb_slot(wb_slot), .wb_off(wb_off), .wb_data(wb_data), .wb_done(wb_done),
    .wb_status(wb_status), .wb_core(wb_core), .wb_kind(wb_kind), .cp_valid(cp_valid),
    .cp_ready(cp_ready), .cp_slot(cp_slot), .cp_status(cp_status), .wk_valid(wk_valid),
    .wk_slot(wk_slot), .rw_we(rw_we), .rw_slot(rw_slot), .rw_off(rw_off), .rw_data(rw_data),
    .cf_valid(cf_valid), .cf_ready(cf_ready), .cf_slot(cf_slot), .cf_status(cf_status),
    .cf_core(cf_core), .cf_kind(cf_kind));
  hwgen_collector #(.DATA_W(DATA_W), .SLOTS(SLOTS), .PKT_BLOCKS(PKT_BLOCKS),
    .REQUESTERS(REQUESTERS), .CLUSTERS(CLUSTERS)) u_col (
    .clk(clk), .rst(rst), .clr(clr), .busy(col_busy), .cf_valid(cf_valid), .cf_ready(cf_ready),
    .cf_slot(cf_slot), .cf_status(cf_status), .cf_core(cf_core), .cf_kind(cf_kind),
    .hc_re(hc_re), .hc_slot(hc_slot), .hc_word(hc_word), .hc_data(hc_data), .rr_re(rr_re),
    .rr_slot(rr_slot), .rr_off(rr_off), .rr_data(rr_data), .m_axis_result_tdata(rdata),
    .m_axis_result_tkeep(rkeep), .m_axis_result_tvalid(rvalid), .m_axis_result_tready(rready),
    .m_axis_result_tlast(rlast), .m_axis_result_tdest(rdest), .sf_valid(sf_valid),
    .sf_slot(sf_slot), .sf_counted(sf_counted), .sf_cluster(sf_cluster));
  genvar g;
  generate for (g = 0; g < CLUSTERS; g = g + 1) begin : g_q
    hwgen_cluster_queue #(.QUEUE(2), .SLOTS(SLOTS)) u_q (
      .clk(clk), .rst(srst), .en_valid(en_valid[g]), .en_ready(en_ready[g]),
      .en_slot(en_slot[g*SLOT_W +: SLOT_W]), .cq_valid(cq_valid[g]), .cq_ready(cq_ready[g]),
      .cq_slot(cq_slot[g*SLOT_W +: SLOT_W]));
  end endgenerate

  integer seed = SEED, cyc = 0, i, j, n, mode = 0;
  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1; $finish;
    end
  endtask
  function integer rnd(input integer m);
    rnd = $unsigned($random(seed)) % m;
  endfunction

  // frame id = cookie; ECB encrypt of len bytes, sometimes with a bad version
  integer fid = 0, beats = 0, at = 0, pause = 0;
  reg [127:0] head [0:8191];
  reg [TID_W-1:0] ftid [0:8191];
  reg [8191:0] open = 0, must11 = 0, begun = 0, was_ok = 0;
  reg [127:0] h;
  reg sending = 0, taken = 0;
  integer slot_id [0:SLOTS-1];
  integer rid = 0, rat = 0, elevens = 0, oks = 0, clears = 0, halves = 0, twelve = 0;
  reg clr_was = 0, run_was = 0, clear_was = 0, stopped = 0;
  // made-up clusters
  integer job [0:15], left [0:15], wat [0:15], sweep [0:15], hold_clear = 0;
  reg [127:0] jh;

  initial begin
    for (i = 0; i < 16; i = i + 1) begin job[i] = -1; left[i] = 0; wat[i] = 0; sweep[i] = 0; end
  end

  // the word that a cluster writes
  reg [31:0] fw;
  function [DATA_W-1:0] word_of(input integer id, input integer off);
    begin
      fw = 32'h9e3779b1 * (id*64 + off + 1);
      word_of = {4{fw}};
    end
  endfunction
  // wb_data has byte 0 at the top
  function [DATA_W-1:0] reversed(input [DATA_W-1:0] x);
    integer b;
    for (b = 0; b < DATA_W/8; b = b + 1)
      reversed[DATA_W-1-8*b -: 8] = x[8*b +: 8];
  endfunction

  always @(negedge clk) if (!done) begin
    if (rnd(150) == 0) mode = rnd(4);
    rst = cyc < 3;
    stopped = cyc > CYCLES - 2500;
    if (pause != 0) pause = pause - 1;
    if (!tvalid || taken) begin
      tvalid = 0;
      if (!sending && cyc > 4 && !stopped && fid < 8190) begin
        fid = fid + 1; sending = 1; at = 0;
        h = {$random(seed), $random(seed), $random(seed), $random(seed)};
        h[7:0] = rnd(8) ? 1 : 2; h[15:8] = rnd(CLUSTERS); h[23:16] = 0; h[31:24] = rnd(2);
        h[79:64] = 16*(1 + rnd(PKT_BLOCKS)); h[95:88] = 0; h[127:96] = fid;
        head[fid] = h; ftid[fid] = rnd(REQUESTERS);
        beats = BPB + h[79:64]/BYTES;
      end
      if (sending && pause == 0) begin
        if (rnd(150) == 0) pause = rnd(stopped ? 20 : 600);
        if (mode[0] || rnd(2)) begin
          tvalid = 1;
          if (at < BPB) tdata = head[fid][at*DATA_W +: DATA_W]; else tdata = {4{$random(seed)}};
          tkeep = {BYTES{1'b1}}; tlast = at == beats-1;
          tid = at == 0 ? ftid[fid] : $random(seed);
        end
      end
    end
    rready = stopped | mode[1] | (cyc[10:8] == 5 ? 1'b0 : rnd(2));
    if (hold_clear != 0) hold_clear = hold_clear - 1;
    else if (!stopped && cyc > 5 && rnd(220) == 0) hold_clear = rnd(4) ? 1 : rnd(400);
    clear = hold_clear != 0;
    for (i = 0; i < CLUSTERS; i = i + 1) begin
      if (sweep[i] != 0) sweep[i] = sweep[i] - 1;
      if (crst) begin
        sweep[i] = 1 + rnd(60);
        if (!wtaken[i] || 1) begin wb_valid[i] = 0; job[i] = -1; end
        cq_ready[i] = 0;
      end else begin
        if (wb_valid[i] && wtaken[i]) begin wb_valid[i] = 0; if (wb_done[i]) job[i] = -1; end
        cq_ready[i] = job[i] < 0 && sweep[i] == 0;
        if (job[i] >= 0 && !wb_valid[i]) begin
          if (left[i] != 0) left[i] = left[i] - 1;
          else begin
            wb_valid[i] = 1;
            wb_slot[i*SLOT_W +: SLOT_W] = job[i];
            jh = head[slot_id[job[i]]];
            wb_we[i] = 1;
            wb_off[i*OFF_W +: OFF_W] = wat[i];
            wb_data[i*DATA_W +: DATA_W] = reversed(word_of(slot_id[job[i]], wat[i]));
            wat[i] = wat[i] + 1;
            wb_done[i] = wat[i] == jh[79:64]/BYTES;
            wb_status[i*4 +: 4] = 0; wb_core[i*8 +: 8] = i; wb_kind[i*2 +: 2] = 1;
          end
        end
      end
      sweep_busy[i] = sweep[i] != 0;
    end
  end

  always @(posedge clk) if (!done && cyc > 3) begin
    taken = tvalid && tready === 1'b1;
    wtaken = wb_ready;
    if (acc !== ret + infl) fail("counters");
    if (acc > fid) fail("accepted");
    if (half && pw_we) fail("payload of a half frame stored");
    // what clr finds: in flight and not on the output
    if (clr) begin
      if (!clr_was) clears = clears + 1;
      // on the output in the first cycle of clr: begun
      if (!clr_was && rvalid && rat == 0)
        begun[BPB == 1 ? rdata[DATA_W-1 -: 32] : slot_id[u_col.o_slot]] = 1;
      for (i = 1; i <= fid; i = i + 1) if (open[i] && !begun[i]) must11[i] = 1;
    end
    if (taken && at == 0 && !run && !(clr && !clr_was)) fail("frame begun while clearing");
    // a held clear goes straight into the next sequence
    if (run && !run_was && clear_was) fail("run rises under a held clear");
    if (run && !run_was) begin
      for (i = 0; i < SLOTS << OFF_W; i = i + 1)
        if (u_buf.u_result.u_ram.mem[i] !== 0) fail("result area not swept");
      for (i = 0; i < (SLOTS << OFF_W) + SLOTS*BPB; i = i + 1)
        if (u_buf.u_input.u_ram.mem[i] !== 0) fail("input area not swept");
      if (half) halves = halves + 1;
    end
    // results
    if (rvalid) begin
      if (rat == 0) begin
        if (BPB == 1) rid = rdata[DATA_W-1 -: 32];
        else begin
          // the cookie comes later: take the id from the slot the collector reads
          rid = slot_id[u_col.o_slot];
        end
        if (!open[rid]) fail("result twice, or of no frame");
        begun[rid] = 1;
      end
      h = head[rid]; h[25] = 0;
      if (rat*DATA_W < 128) begin
        if (rat == 8/BYTES) begin
          n = rdata[(88 % DATA_W) +: 8];
          if (n == 0) begin
            if (must11[rid]) fail("ok, should be 11");
            if (h[7:0] != 1) fail("bad header accepted");
            oks = oks + 1; was_ok[rid] = 1;
            h[87:80] = h[15:8];
          end else begin
            if (n == 11 && !must11[rid]) fail("11 without clear");
            if (n != 11 && must11[rid]) fail("not 11");
            if (n == 1 && h[7:0] == 1) fail("bad_header");
            if (n != 1 && n != 11 && !(n == 12 && QUOTA_EN != 0)) fail("status");
            if (n == 11 && rready) elevens = elevens + 1;
            if (n == 12) twelve = twelve + 1;
            h[87:80] = 255; h[79:64] = 0;
          end
          h[95:88] = n;
        end
        if (BPB == 1 || rat == 8/BYTES ? rdata !== h[rat*DATA_W +: DATA_W]
            : rat < 8/BYTES ? rdata !== h[rat*DATA_W +: DATA_W] : rdata !== rid) fail("header");
      end else if (rdata !== word_of(rid, rat-BPB)) fail("payload");
      if (rdest !== ftid[rid]) fail("tdest");
      if (rlast !== (rat == BPB-1 + (was_ok[rid] ? head[rid][79:64]/BYTES : 0))) fail("tlast");
      if (rready) begin
        rat = rat + 1;
        if (rlast) begin rat = 0; open[rid] = 0; end
      end
    end
    if (taken) begin
      if (at == 0) begin
        open[fid] = 1; slot_id[sp_slot] = fid;
        if (clr) must11[fid] = 1;
      end
      at = at + 1;
      if (at == beats) sending = 0;
    end
    for (i = 0; i < CLUSTERS; i = i + 1)
      if (cq_valid[i] && cq_ready[i] && !crst && !clr) begin
        job[i] = cq_slot[i*SLOT_W +: SLOT_W]; left[i] = rnd(40); wat[i] = 0;
        if (head[slot_id[job[i]]][8 +: CLUSTER_W] !== i[CLUSTER_W-1:0]) fail("wrong cluster");
      end
    clr_was = clr; run_was = run; clear_was = clear;
  end
  always @(posedge clk) begin
    // after the checks of this edge
    #1 cyc = cyc + 1;
    if (cyc == CYCLES && !done) begin
      if (open != 0 || infl != 0 || acc != fid - sending) fail("frame without result");
      else if (oks < 40 || elevens < 20 || clears < 10 || halves < 3) begin
        $display("%0d ok, %0d eleven, %0d clears, %0d halves", oks, elevens, clears, halves);
        fail("too few of a kind");
      end else $display("PASS");
      done = 1; $finish;
    end
  end
endmodule
`default_nettype wire
