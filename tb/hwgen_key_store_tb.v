// SPDX-License-Identifier: Apache-2.0
// Key store against a model: loads, erases, CMAC subkeys (SP 800-38B), reads by all lanes at once,
// queries, users, bars, and a reset in the middle, after which every word must read 0.
// corners: DATA_W=32 | DATA_W=64 KEY_BITS=256 CORES=3 | KEY_BITS=256 KEY_SLOTS=1 | DATA_W=32 KEY_BITS=256 KEY_SLOTS=3 CORES=1 | KEYGEN=0 CORES=7 REQUESTERS=1 | DATA_W=64 KEY_SLOTS=5 PKT_BLOCKS=1
`default_nettype none
module hwgen_key_store_tb;
  parameter KEY_SLOTS = 4;
  parameter KEY_BITS = 128;
  parameter DATA_W = 128;
  parameter REQUESTERS = 4;
  parameter CORES = 2;
  parameter SLOTS = 8;
  parameter CHOOSE = 4;
  parameter PKT_BLOCKS = 2;
  parameter KEYGEN = 1;
  parameter SEED = 1;
  parameter CYCLES = 16000;
  localparam KS_W = (KEY_SLOTS > 1) ? $clog2(KEY_SLOTS) : 1;
  localparam TID_W = (REQUESTERS > 1) ? $clog2(REQUESTERS) : 1;
  localparam SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1;
  localparam BLK_W = (PKT_BLOCKS > 1) ? $clog2(PKT_BLOCKS) : 1;
  localparam LANE_W = $clog2(CORES + 1);
  localparam BPB = 128 / DATA_W;
  localparam WIDX_W = (DATA_W < 128) ? $clog2(BPB) : 1;
  localparam KWORDS = KEY_BITS / DATA_W;
  localparam KWORD_W = (KWORDS > 1) ? $clog2(KWORDS) : 1;

  reg clk, rst, done;
  reg kq_valid, ku_valid, kd_valid, ef_valid, ld_valid, ld_erase, kb_valid, kf_ready, fr_valid;
  reg fr_iv, kg_ready, kgo_valid;
  reg [7:0] kq_key;
  reg [TID_W-1:0] kq_tid, ld_tid;
  reg [1:0] kq_op;
  reg [KS_W-1:0] ku_key, kd_key, ef_key, ld_key, kb_key;
  reg [3:0] ld_perm;
  reg [SLOT_W-1:0] ld_slot;
  reg [LANE_W-1:0] fr_lane;
  reg [WIDX_W-1:0] fr_word;
  reg [DATA_W-1:0] fr_data;
  reg [127:0] kgo_l;
  reg [KEY_BITS-1:0] kgo_end;
  reg [CORES-1:0] kr_valid;
  reg [CORES*KS_W-1:0] kr_key;
  reg [CORES*2-1:0] kr_region;
  wire sweep_busy, kq_ok, kq_foreign, kq_busy, kq_barred, ld_done, kf_valid, kg_valid, kgo_ready;
  wire ks_valid;
  wire [SLOT_W-1:0] kf_slot;
  wire [BLK_W-1:0] kf_blk;
  wire [KS_W-1:0] kg_key;
  wire [CORES-1:0] kr_ready;
  wire [LANE_W-1:0] ks_lane;
  wire [1:0] ks_region;
  wire [KWORD_W-1:0] ks_word;
  wire [DATA_W-1:0] ks_data;

  hwgen_key_store #(
    .KEY_SLOTS(KEY_SLOTS), .KEY_BITS(KEY_BITS), .DATA_W(DATA_W), .REQUESTERS(REQUESTERS),
    .CORES(CORES), .SLOTS(SLOTS), .CHOOSE(CHOOSE), .PKT_BLOCKS(PKT_BLOCKS), .KEYGEN(KEYGEN)
  ) dut (
    .clk(clk), .rst(rst), .sweep_busy(sweep_busy), .kq_valid(kq_valid), .kq_key(kq_key),
    .kq_tid(kq_tid), .kq_op(kq_op), .kq_ok(kq_ok), .kq_foreign(kq_foreign), .kq_busy(kq_busy),
    .kq_barred(kq_barred), .ku_valid(ku_valid), .ku_key(ku_key), .kd_valid(kd_valid),
    .kd_key(kd_key), .ef_valid(ef_valid), .ef_key(ef_key), .ld_valid(ld_valid), .ld_key(ld_key),
    .ld_tid(ld_tid), .ld_perm(ld_perm), .ld_erase(ld_erase), .ld_slot(ld_slot),
    .ld_done(ld_done), .kb_valid(kb_valid), .kb_key(kb_key), .kf_valid(kf_valid),
    .kf_ready(kf_ready), .kf_slot(kf_slot), .kf_blk(kf_blk), .fr_valid(fr_valid),
    .fr_lane(fr_lane), .fr_iv(fr_iv), .fr_word(fr_word), .fr_data(fr_data), .kg_valid(kg_valid),
    .kg_ready(kg_ready), .kg_key(kg_key), .kgo_valid(kgo_valid), .kgo_ready(kgo_ready),
    .kgo_l(kgo_l), .kgo_end(kgo_end), .kr_valid(kr_valid), .kr_ready(kr_ready), .kr_key(kr_key),
    .kr_region(kr_region), .ks_valid(ks_valid), .ks_lane(ks_lane), .ks_region(ks_region),
    .ks_word(ks_word), .ks_data(ks_data));

  // byte strings, byte 0 at the top; regions narrower than KEY_BITS are left-aligned in it
  reg [KEY_BITS-1:0] m_mem [0:63];
  reg m_v [0:15], m_bar [0:15];
  reg [TID_W-1:0] m_own [0:15];
  reg [3:0] m_perm [0:15];
  integer m_users [0:15];
  integer ld_busy, ld_now, fr_blk, fr_at, fr_wait, kgo_wait, seed, cyc, i, j, s, loads, erases;
  integer kf_next, reads, resets, sweep, k, e_fr;
  // reads on the way: age since kr_ready, for the order and the timing of the broadcast
  integer q_lane [0:31], q_key [0:31], q_reg [0:31], q_word [0:31], q_head, q_tail;
  integer q_cyc [0:31];
  reg [KEY_BITS-1:0] new_key, str;
  reg [127:0] k1, k2;
  reg exp_ok, exp_foreign, exp_bar, asked, kd_old;
  integer asked_key, less_key;
  reg [DATA_W-1:0] word;

  task fail(input [40*8-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1;
      $finish;
    end
  endtask

  // word w of a byte string with byte 0 at the top
  function [DATA_W-1:0] word_of(input [KEY_BITS-1:0] x, input integer w);
    word_of = x[KEY_BITS - 1 - w * DATA_W -: DATA_W];
  endfunction

  function [127:0] rnd128(input integer dummy);
    rnd128 = {$random(seed), $random(seed), $random(seed), $random(seed)};
  endfunction

  // left shift in GF(2^128) of SP 800-38B, the long way
  function [127:0] dbl(input [127:0] x);
    integer b;
    begin
      for (b = 0; b < 128; b = b + 1) dbl[b] = (b == 0) ? 1'b0 : x[b-1];
      if (x[127]) dbl = dbl ^ 128'h87;
    end
  endfunction

  task forget;
    begin
      for (i = 0; i < 64; i = i + 1) m_mem[i] = 0;
      for (i = 0; i < 16; i = i + 1) begin
        m_v[i] = 0; m_bar[i] = 0; m_users[i] = 0; m_own[i] = 0; m_perm[i] = 0;
      end
      ld_busy = 0; fr_blk = -1; kgo_wait = 0; q_head = 0; q_tail = 0; asked = 0; kd_old = 0;
      less_key = -1; fr_wait = 0;
      kr_valid = 0; kgo_valid = 0; ld_valid = 0; kq_valid = 0;
    end
  endtask

  initial begin
    seed = SEED; clk = 0; rst = 1; done = 0; cyc = 0; loads = 0; erases = 0; reads = 0; resets = 0;
    kq_valid = 0; ku_valid = 0; kd_valid = 0; ef_valid = 0; ld_valid = 0; ld_erase = 0; kb_valid = 0;
    kf_ready = 0; fr_valid = 0; fr_iv = 0; kg_ready = 0; kgo_valid = 0; kq_key = 0; kq_tid = 0;
    ld_tid = 0; kq_op = 0; ku_key = 0; kd_key = 0; ef_key = 0; ld_key = 0; kb_key = 0; ld_perm = 0;
    ld_slot = 0; fr_lane = 0; fr_word = 0; fr_data = 0; kgo_l = 0; kgo_end = 0; kr_valid = 0;
    kr_key = 0; kr_region = 0; ld_now = 0; fr_at = 0; kf_next = 0; new_key = 0; asked_key = 0;
    exp_ok = 0; exp_foreign = 0; exp_bar = 0; sweep = 0; e_fr = 0;
    if (dbl(128'h7df76b0c1ab899b33e42f047b91b546f) !== 128'hfbeed618357133667c85e08f7236a8de)
      fail("bench: dbl");
    forget;
    #5 clk = 1; #5 clk = 0; #5 clk = 1; #5 clk = 0;
    rst = 0;
    #5 clk = 1; #5 clk = 0;
    while (sweep_busy) begin #5 clk = 1; #5 clk = 0; end
    for (cyc = 0; cyc < CYCLES && !done; cyc = cyc + 1) begin
      rst = (cyc % 3001) == 3000;
      ku_valid = 0; kd_valid = 0; ef_valid = 0; kb_valid = 0; ld_valid = 0; kq_valid = 0;
      if (!sweep_busy && !rst) begin
        // loads and erases of slots without users, as head orders them
        if (!ld_busy && ($random(seed) & 31) == 0) begin
          s = ($random(seed) & 15) % KEY_SLOTS;
          for (i = 0; i < CORES; i = i + 1)
            if (kr_valid[i] && kr_key[i*KS_W +: KS_W] == s) s = -1;
          for (i = q_head; i < q_tail; i = i + 1) if (q_key[i & 31] == s) s = -1;
          if (s >= 0 && m_users[s < 0 ? 0 : s] == 0 && less_key != s) begin
            ld_valid = 1; ld_busy = 1; ld_now = s; ld_key = s;
            ld_tid = $random(seed); ld_perm = ($random(seed) & 1) ? $random(seed) : 0;
            ld_erase = ($random(seed) & 3) == 0;
            ld_slot = $random(seed);
            new_key = {rnd128(0), rnd128(0)};
            kf_next = 0; fr_blk = -1;
          end
        end
        if (!ld_valid && !ld_busy && ($random(seed) & 1)) begin
          kq_valid = 1;
          kq_key = ($random(seed) & 15) % (KEY_SLOTS + 1);
          if (($random(seed) & 15) == 0) kq_key = kq_key | 8'h40;
          kq_tid = $random(seed); kq_op = $random(seed);
        end
        if (!ld_busy && !ld_valid) begin
          s = ($random(seed) & 15) % KEY_SLOTS;
          if (m_v[s] && m_users[s] < 4 && ($random(seed) & 7) == 0) begin
            ku_valid = 1; ku_key = s;
          end
        end
        s = ($random(seed) & 15) % KEY_SLOTS;
        if (m_users[s] > 0 && ($random(seed) & 3) == 0) begin
          // kd, or ef in a cycle in which kd of the cycle before does not land
          if (!kd_old && ($random(seed) & 1)) begin ef_valid = 1; ef_key = s; end
          else if (m_users[s] > (kd_old && less_key == s ? 1 : 0)) begin kd_valid = 1; kd_key = s; end
        end
        if (($random(seed) & 63) == 0 && !ld_busy && !ld_valid) begin kb_valid = 1; kb_key = ($random(seed) & 15) % KEY_SLOTS; end
      end
      // payload, with words for other lanes between
      kf_ready = $random(seed);

      fr_valid = $random(seed); fr_iv = $random(seed); fr_lane = $random(seed); fr_word = $random(seed);
      fr_data = {4{$random(seed)}};
      if (fr_lane == CORES) fr_iv = 1;
      if (fr_blk >= 0) begin
        if (fr_wait > 0) fr_wait = fr_wait - 1;
        else begin
          fr_valid = 1; fr_iv = 0; fr_lane = CORES; fr_word = fr_at;
          fr_data = word_of(new_key, fr_blk * BPB + fr_at);
        end
      end
      kg_ready = $random(seed);
      if (kgo_wait > 1) kgo_wait = kgo_wait - 1;
      kgo_valid = kgo_wait == 1;
      // lane reads of slots that are not being loaded
      for (i = 0; i < CORES; i = i + 1) if (!kr_valid[i] && !rst && ($random(seed) & 7) == 0) begin
        s = ($random(seed) & 15) % KEY_SLOTS;
        if (!((ld_busy || ld_valid) && s == ld_now)) begin
          kr_valid[i] = 1;
          kr_key[i*KS_W +: KS_W] = s;
          kr_region[i*2 +: 2] = $random(seed);
        end
      end
      #1;
      // ---- checks
      if (asked) begin
        if (kq_ok !== exp_ok) fail("kq_ok");
        if (kq_foreign !== exp_foreign) fail("kq_foreign");
        if (kq_ok && kq_barred !== exp_bar) fail("kq_barred");
        if (asked_key < KEY_SLOTS && kq_busy !== (m_users[asked_key] != 0)) fail("kq_busy");
      end
      if (kf_valid && (!ld_busy || kf_slot !== ld_slot || kf_blk !== kf_next[BLK_W-1:0])) fail("payload request");
      if (kg_valid && (!ld_busy || kg_key !== ld_now[KS_W-1:0] || !KEYGEN)) fail("key generation");
      // the broadcast: in order of kr_ready, word 0 two cycles after, back to back
      if (q_head != q_tail && cyc == q_cyc[q_head & 31] + 2) begin
        i = q_head & 31;
        if (!ks_valid || ks_lane !== q_lane[i] || ks_region !== q_reg[i]) fail("broadcast");
        if (ks_word !== q_word[i][KWORD_W-1:0]) fail("ks_word");
        str = m_mem[q_key[i] * 4 + q_reg[i]];
        word = word_of(str, q_word[i]);
        if (ks_data !== word) fail("ks_data");
        q_head = q_head + 1;
        reads = reads + 1;
      end else if (ks_valid) fail("broadcast without request");
      else if (ks_data !== {DATA_W{1'b0}}) fail("a word stays on ks_data");
      if ((kr_ready & ~kr_valid) != 0) fail("kr_ready without request");
      // ---- effects
      asked = 0;
      if (kq_valid) begin
        asked = 1;
        asked_key = kq_key;
        exp_foreign = 1; exp_ok = 0; exp_bar = 0;
        if (kq_key < KEY_SLOTS) begin
          exp_foreign = m_v[kq_key] && m_own[kq_key] != kq_tid;
          exp_ok = m_v[kq_key] && m_own[kq_key] == kq_tid && (m_perm[kq_key] == 0 || m_perm[kq_key][kq_op]);
          exp_bar = m_bar[kq_key];
        end
      end
      if (ld_valid) m_v[ld_now] = 0;
      if (kb_valid) m_bar[kb_key] = 1;
      if (ku_valid) m_users[ku_key] = m_users[ku_key] + 1;
      if (kd_old) m_users[less_key] = m_users[less_key] - 1;
      kd_old = kd_valid; less_key = kd_valid ? kd_key : -1;
      if (ef_valid) m_users[ef_key] = m_users[ef_key] - 1;
      e_fr = fr_blk >= 0 && fr_valid && fr_lane == CORES && !fr_iv;
      if (kf_valid && kf_ready) begin
        fr_blk = kf_next; fr_at = 0; kf_next = kf_next + 1;
        fr_wait = 1 + ($random(seed) & 3);
      end else if (e_fr) begin
        if (fr_at == BPB - 1) fr_blk = -1;
        else fr_at = fr_at + 1;
      end
      if (kg_valid && kg_ready) begin
        kgo_wait = 2 + ($random(seed) & 7);
      end
      for (i = 0; i < CORES; i = i + 1) if (kr_ready[i]) begin
        j = (kr_region[i*2+1]) ? BPB : KWORDS;
        for (k = 0; k < j; k = k + 1) begin
          q_lane[q_tail & 31] = i; q_key[q_tail & 31] = kr_key[i*KS_W +: KS_W];
          q_reg[q_tail & 31] = kr_region[i*2 +: 2]; q_word[q_tail & 31] = k; q_cyc[q_tail & 31] = cyc + k;
          q_tail = q_tail + 1;
          if (q_tail - q_head > 30) fail("bench: queue");
        end
      end
      if (kgo_valid && kgo_ready) begin
        kgo_wait = 0;
        m_mem[ld_now*4+1] = kgo_end;
        k1 = dbl(kgo_l);
        k2 = dbl(k1);
        str = k1; m_mem[ld_now*4+2] = str << (KEY_BITS - 128);
        str = k2; m_mem[ld_now*4+3] = str << (KEY_BITS - 128);
      end
      if (ld_done) begin
        if (!ld_busy) fail("ld_done");
        if (!ld_erase && kf_next != KEY_BITS / 128) fail("ld_done too early");
        m_v[ld_now] = !ld_erase; m_own[ld_now] = ld_tid; m_perm[ld_now] = ld_perm; m_bar[ld_now] = 0;
        if (ld_erase) begin
          for (i = 0; i < 4; i = i + 1) m_mem[ld_now*4+i] = 0;
          erases = erases + 1;
        end else begin
          m_mem[ld_now*4] = new_key;
          loads = loads + 1;
        end
      end
      j = ld_done;
      s = kr_ready;
      k = kg_valid && kg_ready;
      #4 clk = 1; #5 clk = 0;
      if (j) ld_busy = 0;
      kr_valid = kr_valid & ~s[CORES-1:0];
      if (k) begin
        kgo_l = ($random(seed) & 1) ? rnd128(0) : 128'h7df76b0c1ab899b33e42f047b91b546f;
        kgo_end = {rnd128(0), rnd128(0)};
      end
      if (rst) begin
        // everything forgotten; then all words are read back by lane 0
        forget;
        resets = resets + 1;
        ku_valid = 0; kd_valid = 0; ef_valid = 0; kb_valid = 0; fr_valid = 0; kf_ready = 0; kg_ready = 0;
        rst = 0;
        // a request during the sweep waits for its end
        kr_valid[0] = 1; kr_key[KS_W-1:0] = 0; kr_region[1:0] = 0;
        #1;
        sweep = 0;
        while (sweep_busy && !done) begin
          #4 clk = 1; #5 clk = 0; #1;
          sweep = sweep + 1;
          if (sweep_busy && (ks_valid || kr_ready != 0)) fail("read in the sweep");
        end
        if (sweep < KEY_SLOTS * 4 * BPB) fail("sweep too short");
        for (i = 0; i < KEY_SLOTS * 4; i = i + 1) begin
          kr_valid[0] = 1; kr_key[KS_W-1:0] = i / 4; kr_region[1:0] = i;
          j = 0;
          while (kr_valid[0] && !done) begin
            #1; j = j + 1; s = kr_ready;
            if (ks_valid && ks_data !== 0) fail("key survives reset");
            #4 clk = 1; #5 clk = 0;
            if (s & 1) kr_valid[0] = 0;
            if (j > 20) fail("no read after reset");
          end
        end
        for (i = 0; i < 12; i = i + 1) begin
          #1; if (ks_valid && ks_data !== 0) fail("key survives reset");
          #4 clk = 1; #5 clk = 0;
        end
      end
    end
    if (loads < 20 || erases < 5 || reads < 500 || resets < 3) fail("too few events");
    if (!done) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
