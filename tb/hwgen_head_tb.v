// SPDX-License-Identifier: Apache-2.0
// Head with its choose list, key store and balancer: every packet's status, order, descriptor and core
// against a model of jobs and keys; random packets, stalls, credits; then latency and intervals.
// corners: DATA_W=64 CORES=1 CHOOSE=1 | DATA_W=32 CORES=3 CHOOSE=2 KEY_SLOTS=1 REQUESTERS=1 QUEUE=2 | CORES=5 BIND_JOB=1 KEY_SLOTS=3 QUEUE=1 | CORES=7 SCAN=1 REQUESTERS=3 | CORES=2 SLOTS=5 PKT_BLOCKS=1 | CORES=1 SLOTS=1 CHOOSE=2 | CORES=2 QUEUE=1 CHOOSE=4 | CORES=3 KEY_BITS=256 DATA_W=64
// corners: CORES=4 POINTER=1 | CORES=5 POINTER=2 SCAN=1 | CORES=3 POINTER=3 BIND_JOB=1 | CORES=1 POINTER=3 BIND_JOB=1 SLOTS=6 | CORES=5 MODULAR=1 | CORES=3 MODULAR=1 SCAN=1
`default_nettype none
module hwgen_head_tb;
  parameter DATA_W = 128;
  parameter SLOTS = 12;
  parameter PKT_BLOCKS = 4;
  parameter REQUESTERS = 2;
  parameter CORES = 4;
  parameter CHOOSE = 3;
  parameter KEY_SLOTS = 2;
  parameter KEY_BITS = 128;
  parameter BIND_JOB = 0;
  parameter SCAN = 0;
  parameter POINTER = 0;
  parameter MODULAR = 0;
  parameter QUEUE = 5;
  parameter SEED = 1;
  parameter CYCLES = 20000;
  localparam SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1;
  localparam TID_W = (REQUESTERS > 1) ? $clog2(REQUESTERS) : 1;
  localparam CORE_W = (CORES > 1) ? $clog2(CORES) : 1;
  localparam IDX_W = (CHOOSE > 1) ? $clog2(CHOOSE) : 1;
  localparam KS_W = (KEY_SLOTS > 1) ? $clog2(KEY_SLOTS) : 1;
  localparam LEN_W = $clog2(PKT_BLOCKS * 16 + 1);
  localparam BLK_W = (PKT_BLOCKS > 1) ? $clog2(PKT_BLOCKS) : 1;
  localparam BLOCKS_W = BLK_W + 1;
  localparam DESC_W = 10 + LEN_W + IDX_W + KS_W;
  localparam BPB = 128 / DATA_W;
  localparam WIDX_W = (DATA_W < 128) ? $clog2(BPB) : 1;
  localparam LANE_W = $clog2(CORES + 1);
  localparam LEVELS = (CORES > 1) ? $clog2(CORES) : 0;
  localparam KWORD_W = (DATA_W < KEY_BITS) ? $clog2(KEY_BITS / DATA_W) : 1;
  localparam IDS = 4;

  reg clk, rst, done;
  reg cq_valid, hr_ready, hv_valid, rf_ready, cr_valid, cr_chained, kf_ready, fr_valid, kg_ready;
  reg kgo_valid;
  reg [SLOT_W-1:0] cq_slot, cr_slot;
  reg [WIDX_W-1:0] hv_word, fr_word;
  reg [TID_W+DATA_W-1:0] hv_data;
  reg [CORE_W-1:0] cr_core;
  reg [IDX_W-1:0] cr_idx;
  reg [KS_W-1:0] cr_key;
  wire cq_ready, hr_valid, lk_valid, lk_use, lk_hit, lk_same, q_dead, q_bound, nx_valid, free_any;
  wire al_valid, up_valid, up_last, kl_valid, kl_ready, kq_valid, kq_ok, kq_foreign, kq_busy;
  wire kq_barred, ku_valid, ld_valid, ld_erase, ld_done, kb_valid, st_valid, st_inv, st_drop;
  wire bl_valid, dp_valid, dp_bound, rf_valid, cr_hold, cr_ready, cr_dead, sc_valid, ef_valid;
  wire kf_valid, kg_valid, kgo_ready, init_busy, sweep_busy, ks_valid;
  wire [SLOT_W-1:0] hr_slot, dp_slot, rf_slot, ld_slot, kf_slot;
  wire [TID_W-1:0] lk_tid, al_tid, kq_tid, ld_tid;
  wire [15:0] lk_task, lk_no, nx_no, al_task;
  wire [1:0] lk_cmd, al_cmd, kq_op, st_op, dp_op, ks_region;
  wire [2:0] lk_mode, al_mode;
  wire [KS_W-1:0] lk_key, al_key, ku_key, ld_key, kb_key, ef_key, kg_key;
  wire [IDX_W-1:0] lk_idx, free_idx, al_idx, up_idx, kl_idx, sc_idx;
  wire [CORE_W-1:0] q_core, up_core, bl_core, dp_core;
  wire [7:0] kq_key;
  wire [3:0] ld_perm, rf_status;
  wire [CORES-1:0] full, kr_ready, leaf_skip;
  wire [BLOCKS_W-1:0] dp_blocks;
  wire [DESC_W-1:0] dp_desc;
  wire [BLK_W-1:0] kf_blk;
  wire [LANE_W-1:0] ks_lane;
  wire [KWORD_W-1:0] ks_word;
  wire [DATA_W-1:0] ks_data;
  wire [CORES*12-1:0] leaf_score;
  wire cr_fire = cr_valid & cr_ready;
  reg sc_busy;

  hwgen_head #(
    .DATA_W(DATA_W), .SLOTS(SLOTS), .PKT_BLOCKS(PKT_BLOCKS), .REQUESTERS(REQUESTERS),
    .CORES(CORES), .CHOOSE(CHOOSE), .KEY_SLOTS(KEY_SLOTS), .BIND_JOB(BIND_JOB)
  ) dut (
    .clk(clk), .rst(rst), .cq_valid(cq_valid), .cq_ready(cq_ready), .cq_slot(cq_slot),
    .hr_valid(hr_valid), .hr_ready(hr_ready), .hr_slot(hr_slot), .hv_valid(hv_valid),
    .hv_word(hv_word), .hv_data(hv_data), .lk_valid(lk_valid), .lk_use(lk_use), .lk_tid(lk_tid),
    .lk_task(lk_task), .lk_cmd(lk_cmd), .lk_mode(lk_mode), .lk_key(lk_key), .lk_no(lk_no),
    .lk_hit(lk_hit), .lk_idx(lk_idx), .lk_same(lk_same), .q_dead(q_dead), .q_bound(q_bound),
    .q_core(q_core), .nx_valid(nx_valid), .nx_no(nx_no), .free_any(free_any),
    .free_idx(free_idx), .al_valid(al_valid), .al_idx(al_idx), .al_tid(al_tid),
    .al_task(al_task), .al_cmd(al_cmd), .al_mode(al_mode), .al_key(al_key), .up_valid(up_valid),
    .up_idx(up_idx), .up_core(up_core), .up_last(up_last), .kl_valid(kl_valid),
    .kl_ready(kl_ready), .kl_idx(kl_idx), .kq_valid(kq_valid), .kq_key(kq_key), .kq_tid(kq_tid),
    .kq_op(kq_op), .kq_ok(kq_ok), .kq_foreign(kq_foreign), .kq_busy(kq_busy),
    .kq_barred(kq_barred), .ku_valid(ku_valid), .ku_key(ku_key), .ld_valid(ld_valid),
    .ld_key(ld_key), .ld_tid(ld_tid), .ld_perm(ld_perm), .ld_erase(ld_erase), .ld_slot(ld_slot),
    .ld_done(ld_done), .kb_valid(kb_valid), .kb_key(kb_key), .st_valid(st_valid), .st_op(st_op),
    .st_inv(st_inv), .st_drop(st_drop), .bl_valid(bl_valid), .bl_core(bl_core), .full(full),
    .dp_valid(dp_valid), .dp_bound(dp_bound), .dp_core(dp_core), .dp_slot(dp_slot), .dp_op(dp_op),
    .dp_blocks(dp_blocks), .dp_desc(dp_desc), .rf_valid(rf_valid), .rf_ready(rf_ready),
    .rf_slot(rf_slot), .rf_status(rf_status));

  hwgen_choose_list #(
    .CHOOSE(CHOOSE), .REQUESTERS(REQUESTERS), .CORES(CORES), .KEY_SLOTS(KEY_SLOTS), .SLOTS(SLOTS)
  ) u_list (
    .clk(clk), .rst(rst), .lk_valid(lk_valid), .lk_use(lk_use), .lk_tid(lk_tid),
    .lk_task(lk_task), .lk_cmd(lk_cmd), .lk_mode(lk_mode), .lk_key(lk_key), .lk_no(lk_no),
    .lk_hit(lk_hit), .lk_idx(lk_idx), .lk_same(lk_same), .q_dead(q_dead), .q_bound(q_bound),
    .q_core(q_core), .nx_valid(nx_valid), .nx_no(nx_no), .free_any(free_any),
    .free_idx(free_idx), .al_valid(al_valid), .al_idx(al_idx), .al_tid(al_tid),
    .al_task(al_task), .al_cmd(al_cmd), .al_mode(al_mode), .al_key(al_key), .up_valid(up_valid),
    .up_idx(up_idx), .up_core(up_core), .up_last(up_last), .kl_valid(kl_valid),
    .kl_ready(kl_ready), .kl_idx(kl_idx), .cr_hold(cr_hold), .cr_valid(cr_valid),
    .cr_ready(cr_ready), .cr_chained(cr_chained), .cr_idx(cr_idx), .cr_dead(cr_dead),
    .sc_valid(sc_valid), .sc_idx(sc_idx), .sc_busy(sc_busy), .ef_valid(ef_valid),
    .ef_key(ef_key));

  hwgen_key_store #(
    .KEY_SLOTS(KEY_SLOTS), .KEY_BITS(KEY_BITS), .DATA_W(DATA_W), .REQUESTERS(REQUESTERS),
    .CORES(CORES), .SLOTS(SLOTS), .CHOOSE(CHOOSE), .PKT_BLOCKS(PKT_BLOCKS), .KEYGEN(1)
  ) u_keys (
    .clk(clk), .rst(rst), .sweep_busy(sweep_busy), .kq_valid(kq_valid), .kq_key(kq_key),
    .kq_tid(kq_tid), .kq_op(kq_op), .kq_ok(kq_ok), .kq_foreign(kq_foreign), .kq_busy(kq_busy),
    .kq_barred(kq_barred), .ku_valid(ku_valid), .ku_key(ku_key), .kd_valid(cr_fire & ~cr_chained),
    .kd_key(cr_key), .ef_valid(ef_valid), .ef_key(ef_key), .ld_valid(ld_valid), .ld_key(ld_key),
    .ld_tid(ld_tid), .ld_perm(ld_perm), .ld_erase(ld_erase), .ld_slot(ld_slot),
    .ld_done(ld_done), .kb_valid(kb_valid), .kb_key(kb_key), .kf_valid(kf_valid),
    .kf_ready(kf_ready), .kf_slot(kf_slot), .kf_blk(kf_blk), .fr_valid(fr_valid),
    .fr_lane(CORES[LANE_W-1:0]), .fr_iv(1'b0), .fr_word(fr_word), .fr_data({DATA_W{1'b1}}),
    .kg_valid(kg_valid), .kg_ready(kg_ready), .kg_key(kg_key), .kgo_valid(kgo_valid),
    .kgo_ready(kgo_ready), .kgo_l(128'd5), .kgo_end({KEY_BITS{1'b0}}), .kr_valid({CORES{1'b0}}),
    .kr_ready(kr_ready), .kr_key({CORES*KS_W{1'b0}}), .kr_region({CORES*2{1'b0}}),
    .ks_valid(ks_valid), .ks_lane(ks_lane), .ks_region(ks_region), .ks_word(ks_word),
    .ks_data(ks_data));

  hwgen_balancer #(
    .CORES(CORES), .SLOTS(SLOTS), .ACC_W(12), .INC_W(4), .BLOCKS_W(BLOCKS_W), .CAP_W(4),
    .CAP({CORES{QUEUE[3:0]}}), .INC({CORES*4{4'd3}}), .SCAN(SCAN), .GIVE_BACK(1 - MODULAR),
    .MODULAR(MODULAR), .POINTER(POINTER)
  ) u_bal (
    .clk(clk), .rst(rst), .tab_rst(rst), .hold(1'b0), .init_busy(init_busy), .st_valid(st_valid), .st_op(st_op),
    .st_inv(st_inv), .st_drop(st_drop), .bl_valid(bl_valid), .bl_core(bl_core), .full(full),
    .barred({CORES{1'b0}}), .dp_valid(dp_valid), .dp_bound(dp_bound), .dp_core(dp_core),
    .dp_slot(dp_slot), .dp_op(dp_op), .dp_blocks(dp_blocks), .cr_hold(cr_hold), .cr_fire(cr_fire),
    .cr_core(cr_core), .cr_slot(cr_slot), .cfg_we(1'b0), .cfg_addr(10'd0), .cfg_data(32'd0),
    .leaf_score_q(leaf_score), .leaf_skip_q(leaf_skip));

  // ---- packets by slot
  reg s_used [0:63], s_out [0:63];
  reg [127:0] s_hdr [0:63];
  reg [TID_W-1:0] s_tid [0:63];
  integer s_seen [0:63];
  integer s_core [0:63], s_idx [0:63], s_age [0:63];
  reg s_chained [0:63];
  // order of the cluster queue, and what is expected of each
  integer order [0:65535];
  integer n_in, n_looked, n_out;
  integer want [0:63];          // status, or 0 for a dispatch, or 16 for a control answer 0
  integer want_idx [0:63];      // entry of a job that is open at the check, or -1

  // ---- model
  reg m_v [0:63], m_dead [0:63], m_close [0:63];
  reg [TID_W-1:0] m_tid [0:63];
  reg [15:0] m_task [0:63], m_no [0:63];
  reg [3:0] m_cmd [0:63], m_mode [0:63];
  integer m_key [0:63], m_pend [0:63], m_core [0:63];
  reg k_v [0:7], k_bar [0:7];
  reg [TID_W-1:0] k_own [0:7];
  reg [3:0] k_perm [0:7];
  integer k_users [0:7];
  integer n_core [0:63];

  // ---- generator: what it believes of its ids
  reg g_open [0:255];
  reg [15:0] g_no [0:255];
  reg [3:0] g_cmd [0:255], g_mode [0:255];
  reg [7:0] g_key [0:255];

  integer seed, cyc, i, j, e, k, slot, phase, hv_slot, hv_left, fr_left, kgo_wait, scrub, retire;
  integer last_dp, cr_slot_i, m_free, seen_status [0:16], st, fast_bound, fast_free, min_bound;
  integer min_free, min_lat_b, min_lat_f, last_bound, last_ctl, cr_take, id, slow;
  reg [127:0] hdr;
  reg [TID_W-1:0] tid;
  reg [15:0] task_id, no, len;
  reg [3:0] cmd, mode;
  reg [7:0] key;
  reg last, ivf, chained, bound, found;
  reg [LEN_W-1:0] d_len;
  reg hr_now;

  task fail(input [40*8-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1;
      $finish;
    end
  endtask

  task split(input integer s);
    begin
      hdr = s_hdr[s];
      tid = s_tid[s];
      cmd = hdr[19:16]; mode = hdr[23:20]; last = hdr[24]; ivf = hdr[25];
      task_id = hdr[47:32]; no = hdr[63:48]; len = hdr[79:64]; key = hdr[87:80];
      chained = cmd < 4 && mode != 0 && mode != 4;
    end
  endtask

  task make(input integer s);
    begin
      tid = $random(seed);
      if (tid >= REQUESTERS) tid = 0;
      id = $random(seed) & (IDS - 1);
      key = $random(seed) & 3;
      if (phase != 2 && ($random(seed) & 63) == 0) key = 8'h80 | key;
      else if (key >= KEY_SLOTS && ($random(seed) & 7)) key = 0;
      task_id = id * 16'h4001;
      id = tid * IDS + id;
      no = $random(seed) & 1; last = 0; ivf = $random(seed); len = 16;
      i = $random(seed) & 31;
      if (phase == 2) i = (($random(seed) & 7) == 0) ? 6 : 20;
      if (i < 3) begin                       // load
        cmd = 8;
        mode = (i == 0) ? $random(seed) : 0;
        len = (($random(seed) & 7) == 0) ? 0 : KEY_BITS / 8;
        no = $random(seed);
      end else if (i == 3) begin
        cmd = 9; mode = $random(seed); len = 0; no = $random(seed);
      end else if (i < 12 || (phase == 2 && i == 6)) begin   // independent
        cmd = $random(seed) & 1;
        mode = ($random(seed) & 1) ? 4 : 0;
        last = $random(seed);
        len = ($random(seed) & 63) % (PKT_BLOCKS * 16) + 1;
        no = $random(seed);
      end else begin
        if (!g_open[id] || ($random(seed) & 127) == 0) begin
          g_open[id] = 1; g_no[id] = 0;
          g_cmd[id] = $random(seed) & 3;
          g_mode[id] = (g_cmd[id] > 1) ? 5 : 1 + ($random(seed) & 3) % 3;
          g_key[id] = key;
        end
        cmd = g_cmd[id]; mode = g_mode[id]; key = g_key[id]; no = g_no[id];
        last = ($random(seed) & (phase == 2 ? 31 : 7)) == 0;
        len = last ? ($random(seed) & 63) % (PKT_BLOCKS * 16 + 1) : 16 * (($random(seed) & 15) % PKT_BLOCKS + 1);
        if (phase != 2) case ($random(seed) & 127)
          0: no = no + 1;
          1: cmd = cmd ^ 1;
          2: if (mode < 4) mode = (mode % 3) + 1;
          3: key = key + 1;
          4: no = 0;
          5: no = no | 16'h4000;
          6: no = 16'hffff;
          default: ;
        endcase
        g_no[id] = (g_no[id] == 16'hffff) ? 1 : g_no[id] + 1;
        if (last) g_open[id] = 0;
      end
      s_hdr[s] = {$random(seed), 8'h00, key, len, no, task_id, 6'd0, ivf, last, mode, cmd, 8'h00, 8'h01};
      s_tid[s] = tid;
    end
  endtask

  // the checks of the head, in the order of the design, on the model
  task judge(input integer s);
    begin
      split(s);
      found = 0; e = -1; m_free = 0;
      for (i = 0; i < CHOOSE; i = i + 1) begin
        if (m_v[i] && m_tid[i] == tid && m_task[i] == task_id) e = i;
        if (!m_v[i]) m_free = 1;
      end
      st = 0;
      k = (key < KEY_SLOTS) ? key : -1;
      if (cmd == 9) st = (e >= 0) ? 16 : 4;
      else if (cmd == 8) begin
        if (k < 0) st = 7;
        else if (k_v[k] && k_own[k] != tid) st = 7;
        else if (k_users[k] != 0) st = 8;
        else st = 16;
      end else if (chained && e >= 0) begin
        if (m_dead[e] || m_close[e]) st = 4;
        else if (no == 0 || no != m_no[e] || cmd != m_cmd[e] || mode != m_mode[e] || key != m_key[e]) st = 5;
      end else if (chained && no != 0) st = 4;
      else begin
        e = -1;
        if (k < 0) st = 7;
        else if (!k_v[k] || k_own[k] != tid || !(k_perm[k] == 0 || k_perm[k][cmd[1:0]])) st = 7;
        else if (k_bar[k]) st = 8;
        else if (chained && !m_free) st = 6;
      end
      want[s] = st;
      want_idx[s] = (cmd == 9 || chained) ? e : -1;
      // at once, since nothing younger is judged before: kills, and what head has in order
      if (e >= 0 && st == 0 && chained) m_no[e] = (no == 16'hffff) ? 1 : no + 1;
      seen_status[st] = seen_status[st] + 1;
    end
  endtask

  task free_check(input integer x);
    begin
      if (m_v[x] && m_pend[x] == 0 && (m_dead[x] || m_close[x])) begin
        m_v[x] = 0;
        k_users[m_key[x]] = k_users[m_key[x]] - 1;
      end
    end
  endtask

  initial begin
    seed = SEED; clk = 0; rst = 1; done = 0; cyc = 0;
    cq_valid = 0; hr_ready = 0; hv_valid = 0; rf_ready = 0; cr_valid = 0; cr_chained = 0;
    kf_ready = 0; fr_valid = 0; kg_ready = 0; kgo_valid = 0; cq_slot = 0; cr_slot = 0; hv_word = 0;
    fr_word = 0; hv_data = 0; cr_core = 0; cr_idx = 0; cr_key = 0; sc_busy = 0;
    n_in = 0; n_looked = 0; n_out = 0; hv_left = 0; hv_slot = 0; fr_left = 0; kgo_wait = 0;
    scrub = 0; last_dp = -9; cr_slot_i = 0; cr_take = 0; min_bound = 99; min_free = 99;
    min_lat_b = 99; min_lat_f = 99; last_bound = 0; last_ctl = -99; slow = 0; hr_now = 0;
    for (i = 0; i < 17; i = i + 1) seen_status[i] = 0;
    for (i = 0; i < 64; i = i + 1) begin
      s_used[i] = 0; s_out[i] = 0; m_v[i] = 0; m_dead[i] = 0; m_close[i] = 0; m_pend[i] = 0; n_core[i] = 0;
    end
    for (i = 0; i < 256; i = i + 1) g_open[i] = 0;
    for (i = 0; i < 8; i = i + 1) begin k_v[i] = 0; k_bar[i] = 0; k_users[i] = 0; end
    #5 clk = 1; #5 clk = 0; #5 clk = 1; #5 clk = 0;
    rst = 0;
    #5 clk = 1; #5 clk = 0;
    while (sweep_busy || init_busy) begin #5 clk = 1; #5 clk = 0; end
    for (cyc = 0; cyc < CYCLES && !done; cyc = cyc + 1) begin
      // phase 0 random, 1 slow credits, 2 no stalls, 3 lone packets without stalls
      phase = (cyc / 400) & 3;
      slow = phase[0];
      // cluster queue
      if (!cq_valid && (phase == 3 ? (n_in == n_out && !rf_valid && cyc > last_dp + 8 && ($random(seed) & 7) == 0)
                        : phase == 2 || ($random(seed) & 1))) begin
        slot = -1;
        for (i = 0; i < SLOTS; i = i + 1) if (!s_used[i]) slot = i;
        if (slot >= 0) begin
          s_used[slot] = 1; s_out[slot] = 0;
          make(slot);
          s_seen[slot] = cyc;
          order[n_in] = slot;
          n_in = n_in + 1;
          cq_valid = 1;
          cq_slot = slot;
        end
      end
      hr_ready = phase > 1 || ($random(seed) & 3) != 0;
      if (hv_left > 0) hr_ready = 0;
      rf_ready = phase > 1 || ($random(seed) & 3) == 0;
      // header words
      hv_valid = 0;
      hv_data = {(TID_W+DATA_W){1'b1}};
      if (hr_now || hv_left > 0) begin
        if (hr_now) hv_left = BPB;
        hv_valid = 1;
        hv_word = BPB - hv_left;
        hv_data = {s_tid[hv_slot], s_hdr[hv_slot][(BPB - hv_left)*DATA_W +: DATA_W]};
        hv_left = hv_left - 1;
        if (hv_left > 0) hr_ready = 0;
      end
      // loads
      kf_ready = ($random(seed) & 1);
      fr_valid = 0;
      if (fr_left > 0 && ($random(seed) & 1)) begin
        fr_valid = 1;
        fr_word = BPB - fr_left;
        fr_left = fr_left - 1;
      end
      kg_ready = ($random(seed) & 1);
      if (kgo_wait > 1) kgo_wait = kgo_wait - 1;
      kgo_valid = kgo_wait == 1;
      sc_busy = scrub > 0;
      // credits
      if (!cr_valid) begin
        retire = -1;
        j = $random(seed) & 63;
        for (i = 0; i < SLOTS; i = i + 1)
          if (s_out[(i+j) % SLOTS] && s_age[(i+j) % SLOTS] + 3 <= cyc) retire = (i + j) % SLOTS;
        if (retire >= 0 && (phase == 2 ? 1 : ($random(seed) & (slow ? 31 : 7)) == 0)) begin
          // a lane finishes a job's packets in their order
          for (i = 0; i < SLOTS; i = i + 1)
            if (s_out[i] && s_chained[i] && s_chained[retire] && s_idx[i] == s_idx[retire]
                && s_age[i] < s_age[retire]) retire = i;
          split(retire);
          cr_valid = 1; cr_slot = retire; cr_core = s_core[retire]; cr_chained = s_chained[retire];
          cr_idx = cr_chained ? s_idx[retire] : 0; cr_key = key; cr_slot_i = retire;
        end
      end
      #1;
      hr_now = 0;
      // ---- effects of this cycle: dispatch or answer, the lookup of the next packet, credits
      if (dp_valid) begin
        // the packet in decision is the oldest that has no result
        slot = order[n_out];
        split(slot);
        if (n_looked != n_out + 1) fail("dispatch without lookup");
        n_core[dp_core] = n_core[dp_core] + 1;
        if (n_core[dp_core] > QUEUE) fail("over capacity");
        if (want[slot] != 0) fail("dispatched what should be refused");
        if (dp_slot !== slot) fail("dp_slot");
        e = want_idx[slot];
        bound = e >= 0 && m_pend[e < 0 ? 0 : e] > 0;
        if (chained && e < 0) begin
          if (!al_valid) fail("not allocated");
          e = al_idx;
          if (m_v[e]) fail("entry in use");
          m_v[e] = 1; m_dead[e] = 0; m_close[e] = 0; m_tid[e] = tid; m_task[e] = task_id;
          m_cmd[e] = cmd; m_mode[e] = mode; m_key[e] = key; m_no[e] = 1; m_pend[e] = 0;
          k_users[key] = k_users[key] + 1;
        end else begin
          if (al_valid) fail("allocated");
          if (!chained) k_users[key] = k_users[key] + 1;
          if ((bound || (BIND_JOB && chained)) && dp_core !== m_core[e]) fail("bound to another core");
        end
        if (dp_bound !== (bound || (BIND_JOB && want_idx[slot] >= 0))) fail("dp_bound");
        if (!dp_bound && !(bl_valid && dp_core === bl_core)) fail("not the decided core");
        d_len = len;
        if (dp_desc[9+LEN_W+IDX_W+KS_W] !== bound || dp_desc[9+LEN_W+IDX_W +: KS_W] !== key[KS_W-1:0]
            || dp_desc[8+LEN_W] !== chained || dp_desc[8 +: LEN_W] !== d_len
            || dp_desc[7:0] !== {last, no == 16'd0, ivf, mode[2:0], cmd[1:0]}) fail("descriptor");
        if (chained && dp_desc[9+LEN_W +: IDX_W] !== e[IDX_W-1:0]) fail("descriptor idx");
        if (dp_op !== cmd[1:0] || dp_blocks !== ((len == 0) ? 1 : (len + 15) / 16)) fail("blocks");
        if (ku_valid !== (!chained || want_idx[slot] < 0)) fail("ku_valid");
        if (up_valid !== chained) fail("up_valid");
        if (chained) begin
          m_pend[e] = m_pend[e] + 1;
          m_core[e] = dp_core;
          if (last) m_close[e] = 1;
        end
        s_out[slot] = 1; s_core[slot] = dp_core; s_idx[slot] = e; s_chained[slot] = chained;
        s_age[slot] = cyc;
        n_out = n_out + 1;
        // fastest ones
        if (bound || !bl_valid) begin
          if (cyc - last_dp < min_bound && last_bound) min_bound = cyc - last_dp;
          if (phase == 3 && cyc - s_seen[slot] < min_lat_b) min_lat_b = cyc - s_seen[slot];
        end else begin
          if (cyc - last_dp < min_free) min_free = cyc - last_dp;
          if (phase == 3 && cyc - s_seen[slot] < min_lat_f) min_lat_f = cyc - s_seen[slot];
        end
        last_bound = bound;
        last_dp = cyc;
      end
      if (dut.answer) begin
        slot = order[n_out];
        split(slot);
        if (want[slot] == 0) fail("refused what should be dispatched");
        e = want_idx[slot];
        if (want[slot] == 5 || (cmd == 9 && want[slot] == 16)) begin
          if (!kl_valid || kl_idx !== e[IDX_W-1:0]) fail("no kill");
          m_dead[e] = 1;
          free_check(e);
        end else if (kl_valid) fail("kill");
        if (cmd == 8 && want[slot] == 8) k_bar[key] = 1;
        if (cmd == 8 && want[slot] == 16) begin
          k_v[key] = len != 0; k_own[key] = tid; k_perm[key] = mode; k_bar[key] = 0;
        end
        n_out = n_out + 1;
        if (cmd < 4) for (i = 0; i < IDS; i = i + 1)
          if (task_id == i * 16'h4001 && chained && ($random(seed) & 1)) g_open[tid * IDS + i] = 0;
        last_bound = 0;
      end
      if (nx_valid) begin
        split(order[n_looked-1]);
        if (nx_no !== ((no == 16'hffff) ? 16'd1 : no + 16'd1)) fail("nx_no");
      end
      if (lk_valid) begin
        if (n_looked >= n_in) fail("lookup without packet");
        if (n_looked != n_out) fail("lookup before the older one is done");
        judge(order[n_looked]);
        n_looked = n_looked + 1;
      end
      if (rf_valid && rf_ready) begin
        split(rf_slot);
        if (!s_used[rf_slot] || s_out[rf_slot]) fail("answer for a free slot");
        if (rf_status !== want[rf_slot][3:0]) fail("status");
        s_used[rf_slot] = 0;
      end
      if (hr_valid && hr_ready) begin
        hr_now = 1;
        hv_slot = hr_slot;
      end
      if ((hr_valid && hr_ready) !== (cq_valid && cq_ready)) fail("cq_ready without header request");
      cr_take = cq_valid && cq_ready;
      if (kf_valid && kf_ready) fr_left = BPB;
      if (kg_valid && kg_ready) kgo_wait = 6;
      if (kgo_valid && kgo_ready) kgo_wait = 0;
      if (scrub > 0) scrub = scrub - 1;
      if (sc_valid) scrub = BPB;
      if (cr_fire) begin
        n_core[cr_core] = n_core[cr_core] - 1;
        split(cr_slot_i);
        if (cr_chained) begin
          e = cr_idx;
          if (cr_dead !== m_dead[e]) fail("cr_dead");
          m_pend[e] = m_pend[e] - 1;
          free_check(e);
        end else k_users[key] = k_users[key] - 1;
        s_used[cr_slot_i] = 0; s_out[cr_slot_i] = 0;
      end
      j = cr_fire;
      #4 clk = 1; #5 clk = 0;
      if (cr_take) cq_valid = 0;
      if (j) cr_valid = 0;
    end
    for (i = 4; i < 9; i = i + 1)
      if (seen_status[i] < 3 && !(i == 6 && SLOTS < 3)) begin
        $display("status %0d seen %0d times", i, seen_status[i]);
        fail("a status was hardly seen");
      end
    if (seen_status[0] < 200 || seen_status[16] < 20) fail("too few packets");
    if (SLOTS > 5) begin
      if (min_lat_f != (SCAN && !POINTER ? CORES + 6 + MODULAR : 4 + LEVELS) + BPB - 1) begin
        $display("latency %0d", min_lat_f); fail("latency of a decided packet");
      end
      if (min_lat_b < 4 + BPB - 1 || (DATA_W == 128 && !SCAN && QUEUE > 3 && min_lat_b != 4)) begin
        $display("latency %0d", min_lat_b); fail("latency of a bound packet");
      end
      if (DATA_W == 128 && min_free != (POINTER ? LEVELS + 2 : SCAN ? CORES + 5 + MODULAR : LEVELS + 4)) begin
        $display("interval %0d", min_free); fail("interval");
      end
      if (DATA_W == 128 && !SCAN && QUEUE > 3 && min_bound != 2) begin
        $display("interval %0d", min_bound); fail("interval of bound packets");
      end
    end
    if (!done) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
