// SPDX-License-Identifier: Apache-2.0
// Bench of hwgen_lane and hwgen_lane_serial: random packets of random jobs in every mode, against a
// reference of the modes over a toy cipher; random delays of memories, core and write-back; a reset in the middle;
// and, with PERF = 1, a count of the core's idle cycles without stalls.
// corners: DATA_W=32 PKT_BLOCKS=1 | DATA_W=32 PKT_BLOCKS=3 KEY_BITS=256 CHOOSE=1 SEED=2 | DATA_W=64 PKT_BLOCKS=4 ORIG_KEY=1 SEED=3 | DATA_W=128 PKT_BLOCKS=4 SEED=4 | DATA_W=128 PKT_BLOCKS=4 KEY_BITS=256 KIND=1 SEED=5 | DATA_W=32 PKT_BLOCKS=4 KIND=1 LAT=3 SEED=6 | DATA_W=128 PERF=1 LAT=11 | DATA_W=128 PERF=1 LAT=8 IDLE1=2 | DATA_W=64 PERF=1 LAT=11 IDLE1=1 | DATA_W=32 PERF=1 LAT=32 | DATA_W=32 PERF=1 LAT=16 IDLE1=1 | DATA_W=32 PERF=1 LAT=11 IDLE1=5 IDLE4=1 | DATA_W=32 PERF=1 LAT=8 IDLE1=9 IDLE4=5 | SERIAL=1 DATA_W=32 PKT_BLOCKS=4 SEED=2 | SERIAL=1 DATA_W=32 PKT_BLOCKS=1 SEED=6 | SERIAL=1 DATA_W=32 PKT_BLOCKS=3 KEY_BITS=256 CHOOSE=1 KIND=1 SEED=3 | SERIAL=1 DATA_W=64 PKT_BLOCKS=4 ORIG_KEY=1 LAT=3 SEED=4 | SERIAL=1 DATA_W=128 PKT_BLOCKS=4 SEED=5
`default_nettype none
module hwgen_lane_tb #(
  parameter DATA_W     = 128,
  parameter PKT_BLOCKS = 4,
  parameter KEY_BITS   = 128,
  parameter CHOOSE     = 4,
  parameter ORIG_KEY   = 0,
  // core: 0 ready as the built-in kinds are; 1 ready and latency at random
  parameter KIND       = 0,
  parameter LAT        = 11,
  parameter PERF       = 0,
  // 1: hwgen_lane_serial
  parameter SERIAL     = 0,
  // PERF: the most idle cycles of the core a packet, of one block and of four
  parameter IDLE1      = 0,
  parameter IDLE4      = 0,
  parameter PACKETS    = 400,
  parameter SEED       = 1
);
  localparam SLOTS = 8, KEY_SLOTS = 4, CORES = 3, LANE = 1;
  localparam BPB = 128 / DATA_W, KW = KEY_BITS / DATA_W;
  localparam SLOT_W = 3, KS_W = 2, CORE_W = 2, LANE_W = 2;
  localparam LEN_W  = $clog2(PKT_BLOCKS * 16 + 1);
  localparam OFF_W  = (PKT_BLOCKS * BPB > 1) ? $clog2(PKT_BLOCKS * BPB) : 1;
  localparam BLK_W  = (PKT_BLOCKS > 1) ? $clog2(PKT_BLOCKS) : 1;
  localparam WIDX_W = (BPB > 1) ? $clog2(BPB) : 1;
  localparam IDX_W  = (CHOOSE > 1) ? $clog2(CHOOSE) : 1;
  localparam KWORD_W = (KW > 1) ? $clog2(KW) : 1;
  localparam DESC_W = 10 + LEN_W + IDX_W + KS_W;
  localparam [KEY_BITS-1:0] END_MARK = {KEY_BITS/32{32'h5a17c3e9}};

  reg clk = 0, rst = 1;
  always #5 clk = ~clk;
  integer seed, cycle = 0;
  always @(posedge clk) cycle <= cycle + 1;

  function integer rnd;
    input integer n;
    rnd = $unsigned($random(seed)) % n;
  endfunction
  function [127:0] rnd128;
    input dummy;
    rnd128 = {$random(seed), $random(seed), $random(seed), $random(seed)};
  endfunction

  reg done_all = 0;
  task fail;
    input [8*60-1:0] why;
    if (!done_all) begin
      done_all = 1;
      $display("FAIL: cycle %0d %0s", cycle, why);
      $finish;
    end
  endtask

  // ---- toy cipher ----
  function [127:0] mix_key;
    input [KEY_BITS-1:0] k;
    mix_key = {k[90:0], k[127:91]} ^ k[KEY_BITS-1 -: 128] ^ 128'd77;
  endfunction
  function [127:0] enc;
    input [KEY_BITS-1:0] key;
    input [127:0] x;
    reg [127:0] k, t;
    begin
      k = mix_key(key);
      t = x ^ k;
      t = {t[98:0], t[127:99]} + {k[63:0], k[127:64]};
      t = t ^ {t[127:64] >> 7, 64'd0} ^ {96'd0, t[127:96]};
      enc = {t[40:0], t[127:41]} + k;
    end
  endfunction
  // inverse of t ^ (t[127:64] >> 7) on the upper half, then the lower word
  function [127:0] dec;
    input [KEY_BITS-1:0] key;
    input [127:0] y;
    reg [127:0] k, t;
    reg [63:0] h;
    integer i;
    begin
      k = mix_key(key);
      t = y - k;
      t = {t[86:0], t[127:87]};
      h = t[127:64];
      for (i = 0; i < 10; i = i + 1) h = t[127:64] ^ (h >> 7);
      t[31:0] = t[31:0] ^ h[63:32];
      t[127:64] = h;
      t = t - {k[63:0], k[127:64]};
      t = {t[28:0], t[127:29]};
      dec = t ^ k;
    end
  endfunction

  function [DATA_W-1:0] word_of;
    input [127:0] block;
    input integer w;
    word_of = block[127 - w*DATA_W -: DATA_W];
  endfunction
  function [DATA_W-1:0] key_word_of;
    input [KEY_BITS-1:0] key;
    input integer w;
    key_word_of = key[KEY_BITS-1 - w*DATA_W -: DATA_W];
  endfunction
  function [127:0] first_bytes;
    input [127:0] x;
    input integer n;
    first_bytes = (n >= 16) ? x : (x & ~({128{1'b1}} >> (8*n)));
  endfunction

  // ---- memories ----
  reg [127:0] pay [0:SLOTS*PKT_BLOCKS-1];
  reg [127:0] ivf [0:SLOTS-1];
  reg [KEY_BITS-1:0] keys [0:KEY_SLOTS-1];
  reg [127:0] k1 [0:KEY_SLOTS-1], k2 [0:KEY_SLOTS-1];
  reg [127:0] chain [0:CHOOSE-1];

  // ---- expectations by slot ----
  reg         busy  [0:SLOTS-1];
  reg [127:0] x_res [0:SLOTS*PKT_BLOCKS-1];
  integer     x_blocks [0:SLOTS-1];
  reg         x_save [0:SLOTS-1];
  reg [127:0] x_chain [0:SLOTS-1];
  reg [3:0]   x_status [0:SLOTS-1];
  reg [1:0]   x_kind [0:SLOTS-1];
  reg [DESC_W-1:0] x_desc [0:SLOTS-1];
  integer     got_res [0:SLOTS-1], got_chain [0:SLOTS-1];

  // ---- jobs by index ----
  reg         open [0:CHOOSE-1], closing [0:CHOOSE-1], fresh [0:CHOOSE-1];
  integer     pending [0:CHOOSE-1];
  reg [1:0]   j_cmd [0:CHOOSE-1];
  reg [2:0]   j_mode [0:CHOOSE-1];
  reg [KS_W-1:0] j_key [0:CHOOSE-1];
  reg [127:0] j_chain [0:CHOOSE-1];

  // ---- device ----
  reg               jb_valid = 0;
  wire              jb_ready;
  reg  [SLOT_W-1:0] jb_slot = 0;
  reg  [DESC_W-1:0] jb_desc = 0;
  wire              fl_valid, fl_iv;
  reg               fl_ready = 0;
  wire [SLOT_W-1:0] fl_slot;
  wire [BLK_W-1:0]  fl_blk;
  reg               fr_valid = 0, fr_iv = 0;
  reg  [LANE_W-1:0] fr_lane = 0;
  reg  [WIDX_W-1:0] fr_word = 0;
  reg  [DATA_W-1:0] fr_data = 0;
  wire              kr_valid;
  reg               kr_ready = 0;
  wire [KS_W-1:0]   kr_key;
  wire [1:0]        kr_region;
  reg               ks_valid = 0;
  reg  [LANE_W-1:0] ks_lane = 0;
  reg  [1:0]        ks_region = 0;
  reg  [KWORD_W-1:0] ks_word = 0;
  reg  [DATA_W-1:0] ks_data = 0;
  wire              ch_valid;
  reg               ch_ready = 0;
  wire [IDX_W-1:0]  ch_idx;
  reg               cs_valid = 0;
  reg  [LANE_W-1:0] cs_lane = 0;
  reg  [WIDX_W-1:0] cs_word = 0;
  reg  [DATA_W-1:0] cs_data = 0;
  reg               cr_fire = 0;
  reg  [CORE_W-1:0] cr_core = 0;
  wire              kgo_valid;
  reg               kgo_ready = 0;
  wire [127:0]      kgo_l;
  wire [KEY_BITS-1:0] kgo_end;
  wire              c_in_valid, c_in_ready, c_in_decrypt, c_out_ready;
  wire [1:0]        c_in_op;
  wire [KEY_BITS-1:0] c_in_key;
  wire [127:0]      c_in_block;
  reg               c_out_valid = 0;
  reg  [127:0]      c_out_block = 0;
  reg  [KEY_BITS-1:0] c_end_key = 0;
  wire              lw_valid, lw_done, lw_chained, lw_last;
  reg               lw_ready = 0;
  wire [1:0]        lw_we, lw_kind;
  wire [SLOT_W-1:0] lw_slot;
  wire [OFF_W-1:0]  lw_off;
  wire [WIDX_W-1:0] lw_word;
  wire [DATA_W-1:0] lw_data;
  wire [3:0]        lw_status;
  wire [IDX_W-1:0]  lw_idx;
  wire [KS_W-1:0]   lw_key;

  wire data_left;
  generate
    if (SERIAL != 0) begin : g_dut
      assign data_left = u_dut.key_q !== 0 || u_dut.a_q !== 0 || u_dut.c_q !== 0;
    hwgen_lane_serial #(
      .DATA_W(DATA_W), .SLOTS(SLOTS), .PKT_BLOCKS(PKT_BLOCKS), .CHOOSE(CHOOSE),
      .KEY_SLOTS(KEY_SLOTS), .KEY_BITS(KEY_BITS), .CORES(CORES), .LANE(LANE), .ORIG_KEY(ORIG_KEY)
    ) u_dut (
      .clk(clk), .rst(rst), .jb_valid(jb_valid), .jb_ready(jb_ready), .jb_slot(jb_slot),
      .jb_desc(jb_desc), .fl_valid(fl_valid), .fl_ready(fl_ready), .fl_iv(fl_iv), .fl_slot(fl_slot),
      .fl_blk(fl_blk), .fr_valid(fr_valid), .fr_lane(fr_lane), .fr_iv(fr_iv), .fr_word(fr_word),
      .fr_data(fr_data), .kr_valid(kr_valid), .kr_ready(kr_ready), .kr_key(kr_key),
      .kr_region(kr_region), .ks_valid(ks_valid), .ks_lane(ks_lane), .ks_region(ks_region),
      .ks_word(ks_word), .ks_data(ks_data), .ch_valid(ch_valid), .ch_ready(ch_ready),
      .ch_idx(ch_idx), .cs_valid(cs_valid), .cs_lane(cs_lane), .cs_word(cs_word), .cs_data(cs_data),
      .cr_fire(cr_fire), .cr_core(cr_core), .kgo_valid(kgo_valid), .kgo_ready(kgo_ready),
      .kgo_l(kgo_l), .kgo_end(kgo_end), .c_in_valid(c_in_valid), .c_in_ready(c_in_ready),
      .c_in_op(c_in_op), .c_in_decrypt(c_in_decrypt), .c_in_key(c_in_key), .c_in_block(c_in_block),
      .c_out_valid(c_out_valid), .c_out_ready(c_out_ready), .c_out_block(c_out_block),
      .c_end_key(c_end_key), .lw_valid(lw_valid), .lw_ready(lw_ready), .lw_we(lw_we),
      .lw_slot(lw_slot), .lw_off(lw_off), .lw_word(lw_word), .lw_data(lw_data), .lw_done(lw_done),
      .lw_status(lw_status), .lw_kind(lw_kind), .lw_chained(lw_chained), .lw_idx(lw_idx),
      .lw_key(lw_key), .lw_last(lw_last)
    );
    end else begin : g_dut
      assign data_left = u_dut.key_q !== 0 || u_dut.blk_q !== 0 || u_dut.iv_q !== 0 ||
                         u_dut.x_q !== 0 || u_dut.u_wb.out_q !== 0 || u_dut.u_wb.save_q !== 0;
    hwgen_lane #(
      .DATA_W(DATA_W), .SLOTS(SLOTS), .PKT_BLOCKS(PKT_BLOCKS), .CHOOSE(CHOOSE),
      .KEY_SLOTS(KEY_SLOTS), .KEY_BITS(KEY_BITS), .CORES(CORES), .LANE(LANE), .ORIG_KEY(ORIG_KEY)
    ) u_dut (
      .clk(clk), .rst(rst), .jb_valid(jb_valid), .jb_ready(jb_ready), .jb_slot(jb_slot),
      .jb_desc(jb_desc), .fl_valid(fl_valid), .fl_ready(fl_ready), .fl_iv(fl_iv), .fl_slot(fl_slot),
      .fl_blk(fl_blk), .fr_valid(fr_valid), .fr_lane(fr_lane), .fr_iv(fr_iv), .fr_word(fr_word),
      .fr_data(fr_data), .kr_valid(kr_valid), .kr_ready(kr_ready), .kr_key(kr_key),
      .kr_region(kr_region), .ks_valid(ks_valid), .ks_lane(ks_lane), .ks_region(ks_region),
      .ks_word(ks_word), .ks_data(ks_data), .ch_valid(ch_valid), .ch_ready(ch_ready),
      .ch_idx(ch_idx), .cs_valid(cs_valid), .cs_lane(cs_lane), .cs_word(cs_word), .cs_data(cs_data),
      .cr_fire(cr_fire), .cr_core(cr_core), .kgo_valid(kgo_valid), .kgo_ready(kgo_ready),
      .kgo_l(kgo_l), .kgo_end(kgo_end), .c_in_valid(c_in_valid), .c_in_ready(c_in_ready),
      .c_in_op(c_in_op), .c_in_decrypt(c_in_decrypt), .c_in_key(c_in_key), .c_in_block(c_in_block),
      .c_out_valid(c_out_valid), .c_out_ready(c_out_ready), .c_out_block(c_out_block),
      .c_end_key(c_end_key), .lw_valid(lw_valid), .lw_ready(lw_ready), .lw_we(lw_we),
      .lw_slot(lw_slot), .lw_off(lw_off), .lw_word(lw_word), .lw_data(lw_data), .lw_done(lw_done),
      .lw_status(lw_status), .lw_kind(lw_kind), .lw_chained(lw_chained), .lw_idx(lw_idx),
      .lw_key(lw_key), .lw_last(lw_last)
    );
    end
  endgenerate

  // ---- core ----
  reg         core_busy = 0, core_rdy = 0;
  integer     core_left = 0;
  reg [127:0] core_res;
  reg [KEY_BITS-1:0] core_key;
  integer     n_in = 0, n_out = 0, t_first = -1, t_last = 0;
  reg         slow;                       // random stalls on every port
  assign c_in_ready = ~core_busy & ((KIND == 0) ? ~c_out_valid | c_out_ready : core_rdy);
  reg         stalled;
  reg [127:0] stall_block;
  reg [1:0]   op_now;
  always @(posedge clk) begin
    if (c_in_valid & ^c_in_block === 1'bx) fail("c_in_block is X");
    // once given, valid and payload stay, reset apart
    if (stalled & ~rst & (~c_in_valid | c_in_block !== stall_block))
      fail("c_in changed while stalled");
    stalled = c_in_valid & ~c_in_ready & ~rst;
    stall_block = c_in_block;
    if (rst) begin
      core_busy <= 0; c_out_valid <= 0; core_rdy <= 0;
    end else begin
      core_rdy <= (rnd(3) == 0);
      if (c_out_valid & c_out_ready) begin
        c_out_valid <= 0; c_out_block <= {4{32'hdeadbeef}}; c_end_key <= 0;
        n_out = n_out + 1; t_last = cycle;
      end
      if (core_busy) begin
        core_left = core_left - 1;
        if (core_left == 0) begin
          core_busy <= 0; c_out_valid <= 1; c_out_block <= core_res;
          c_end_key <= core_key ^ END_MARK;
        end
      end
      if (c_in_valid & c_in_ready) begin
        n_in = n_in + 1;
        if (t_first < 0) t_first = cycle;
        core_busy <= 1;
        core_left = LAT - 1;
        if (KIND != 0) core_left = 1 + rnd(2*LAT);
        core_key = (c_in_decrypt & (ORIG_KEY == 0)) ? c_in_key ^ END_MARK : c_in_key;
        core_res = c_in_decrypt ? dec(core_key, c_in_block) : enc(core_key, c_in_block);
        if (c_in_valid & c_in_ready & c_out_valid & ~c_out_ready) fail("two blocks in flight");
      end
    end
  end

  // ---- fetches: requests in a queue, words of one back to back, at least three cycles later ----
  reg [127:0] fq_data [0:15];
  reg         fq_iv [0:15];
  integer     fq_time [0:15];
  integer     fq_w = 0, fq_r = 0, fr_pos = 0;
  always @(posedge clk) begin
    if (fl_valid & fl_ready) begin
      fq_data[fq_w % 16] = fl_iv ? ivf[fl_slot] : pay[fl_slot*PKT_BLOCKS + fl_blk];
      fq_iv[fq_w % 16] = fl_iv;
      fq_time[fq_w % 16] = cycle + 2 + (slow ? rnd(9) : 0);
      fq_w = fq_w + 1;
    end
    fl_ready <= ~slow | (rnd(2) == 0);
    fr_valid <= 0;
    if (fq_r != fq_w && (fr_pos != 0 || cycle >= fq_time[fq_r % 16])) begin
      fr_valid <= 1; fr_lane <= LANE; fr_iv <= fq_iv[fq_r % 16]; fr_word <= fr_pos;
      fr_data <= word_of(fq_data[fq_r % 16], fr_pos);
      fr_pos = fr_pos + 1;
      if (fr_pos == BPB) begin fr_pos = 0; fq_r = fq_r + 1; end
    end else if (rnd(2) == 0) begin
      fr_valid <= 1; fr_lane <= (rnd(2) == 0) ? 0 : CORES; fr_iv <= rnd(2); fr_word <= rnd(BPB);
      fr_data <= rnd128(0);
    end
    if (rst) begin fq_r = fq_w; fr_pos = 0; fr_valid <= 0; end
  end

  // ---- key store ----
  reg [KEY_BITS-1:0] kq_data [0:15];
  reg [1:0]   kq_reg [0:15];
  integer     kq_time [0:15];
  integer     kq_w = 0, kq_r = 0, ks_pos = 0;
  wire [KEY_BITS-1:0] k1_top = k1[kr_key] << (KEY_BITS-128);
  wire [KEY_BITS-1:0] k2_top = k2[kr_key] << (KEY_BITS-128);
  always @(posedge clk) begin
    if (kr_valid & kr_ready) begin
      kq_data[kq_w % 16] = (kr_region == 0) ? keys[kr_key]
                         : (kr_region == 1) ? keys[kr_key] ^ END_MARK
                         : (kr_region == 2) ? k1_top : k2_top;
      kq_reg[kq_w % 16] = kr_region;
      kq_time[kq_w % 16] = cycle + (PERF ? 1 : 2) + (slow ? rnd(9) : 0);
      kq_w = kq_w + 1;
    end
    // without stalls as hwgen_read_arb: a grant a cycle after the request, no two in a row
    kr_ready <= slow ? (rnd(2) == 0) : PERF ? kr_valid & ~kr_ready : 1'b1;
    ks_valid <= 0;
    if (kq_r != kq_w && (ks_pos != 0 || cycle >= kq_time[kq_r % 16])) begin
      ks_valid <= 1; ks_lane <= LANE; ks_region <= kq_reg[kq_r % 16]; ks_word <= ks_pos;
      ks_data <= key_word_of(kq_data[kq_r % 16], ks_pos);
      ks_pos = ks_pos + 1;
      if (ks_pos == (kq_reg[kq_r % 16] < 2 ? KW : BPB)) begin ks_pos = 0; kq_r = kq_r + 1; end
    end else if (rnd(2) == 0) begin
      ks_valid <= 1; ks_lane <= 2*rnd(2); ks_region <= rnd(4); ks_word <= rnd(KW);
      ks_data <= rnd128(0);
    end
    if (rst) begin kq_r = kq_w; ks_pos = 0; ks_valid <= 0; end
  end

  // ---- chaining store ----
  reg [127:0] hq_data [0:15];
  integer     hq_time [0:15];
  integer     hq_w = 0, hq_r = 0, cs_pos = 0;
  always @(posedge clk) begin
    if (ch_valid & ch_ready) begin
      hq_data[hq_w % 16] = chain[ch_idx];
      hq_time[hq_w % 16] = cycle + 2 + (slow ? rnd(9) : 0);
      hq_w = hq_w + 1;
    end
    ch_ready <= ~slow | (rnd(2) == 0);
    cs_valid <= 0;
    if (hq_r != hq_w && (cs_pos != 0 || cycle >= hq_time[hq_r % 16])) begin
      cs_valid <= 1; cs_lane <= LANE; cs_word <= cs_pos;
      cs_data <= word_of(hq_data[hq_r % 16], cs_pos);
      cs_pos = cs_pos + 1;
      if (cs_pos == BPB) begin cs_pos = 0; hq_r = hq_r + 1; end
    end else if (rnd(2) == 0) begin
      cs_valid <= 1; cs_lane <= 2*rnd(2); cs_word <= rnd(BPB); cs_data <= rnd128(0);
    end
    if (rst) begin hq_r = hq_w; cs_pos = 0; cs_valid <= 0; end
  end

  // requests must not change while stalled
  reg fl_st, kr_st, ch_st, lw_st;
  reg [SLOT_W+BLK_W:0] fl_was;
  reg [KS_W+1:0] kr_was;
  reg [IDX_W-1:0] ch_was;
  reg [DATA_W+OFF_W+SLOT_W+2:0] lw_was;
  wire [DATA_W+OFF_W+SLOT_W+2:0] lw_now = {lw_data, lw_off, lw_slot, lw_we, lw_done};
  always @(posedge clk) begin
    if (fl_st & ~rst & (~fl_valid | fl_was !== {fl_iv, fl_slot, fl_blk})) fail("fl changed");
    if (kr_st & ~rst & (~kr_valid | kr_was !== {kr_key, kr_region})) fail("kr changed");
    if (ch_st & ~rst & (~ch_valid | ch_was !== ch_idx)) fail("ch changed");
    if (lw_st & ~rst & (~lw_valid | lw_was !== lw_now)) fail("lw changed");
    fl_st = fl_valid & ~fl_ready & ~rst; fl_was = {fl_iv, fl_slot, fl_blk};
    kr_st = kr_valid & ~kr_ready & ~rst; kr_was = {kr_key, kr_region};
    ch_st = ch_valid & ~ch_ready & ~rst; ch_was = ch_idx;
    lw_st = lw_valid & ~lw_ready & ~rst; lw_was = lw_now;
    if (cycle > 3 && (^{fl_valid, kr_valid, ch_valid, lw_valid, c_in_valid, c_out_ready, jb_ready,
                        kgo_valid}) === 1'bx) fail("X on a handshake");
  end

  // ---- write-back: up to 4 beats under way, then chain write and credit ----
  reg [127:0] bq_data [0:3];
  reg [1:0]   bq_we [0:3];
  reg         bq_done [0:3], bq_chained [0:3], bq_last [0:3];
  integer     bq_slot [0:3], bq_word [0:3], bq_idx [0:3];
  integer     bq_w = 0, bq_r = 0, bi, n_done = 0, blk_at, w_at;
  always @(posedge clk) begin
    cr_fire <= 0;
    if (bq_r != bq_w && (!slow || rnd(4) == 0)) begin
      // one a cycle; the write is seen by reads accepted from the next cycle on
      bi = bq_r % 4;
      if (bq_we[bi][1])
        chain[bq_idx[bi]][127 - bq_word[bi]*DATA_W -: DATA_W] = bq_data[bi][DATA_W-1:0];
      if (bq_done[bi]) begin
        cr_fire <= 1; cr_core <= LANE;
        credit(bq_slot[bi], bq_chained[bi], bq_idx[bi], bq_last[bi]);
      end
      bq_r = bq_r + 1;
    end else if (rnd(3) == 0) begin
      cr_fire <= 1; cr_core <= 2*rnd(2);
    end
    if (lw_valid & lw_ready & ~rst) begin
      if (busy[lw_slot] !== 1'b1) fail("beat of a free slot");
      if (lw_we[0]) begin
        blk_at = lw_off / BPB; w_at = lw_off % BPB;
        if (lw_off != got_res[lw_slot]) fail("result word out of order");
        if (blk_at >= x_blocks[lw_slot]) fail("result word too many");
        if (lw_data !== word_of(x_res[lw_slot*PKT_BLOCKS + blk_at], w_at)) begin
          $display("slot %0d desc %h off %0d data %h want %h", lw_slot, x_desc[lw_slot], lw_off,
                   lw_data, word_of(x_res[lw_slot*PKT_BLOCKS + blk_at], w_at));
          fail("result word wrong");
        end
        got_res[lw_slot] = got_res[lw_slot] + 1;
      end
      if (lw_we[1]) begin
        if (!x_save[lw_slot]) fail("save not wanted");
        if (lw_word != got_chain[lw_slot]) fail("chaining word out of order");
        if (lw_data !== word_of(x_chain[lw_slot], lw_word)) begin
          $display("slot %0d desc %h", lw_slot, x_desc[lw_slot]);
          fail("chaining word wrong");
        end
        if (lw_idx !== x_desc[lw_slot][9+LEN_W +: IDX_W]) fail("save to a wrong index");
        got_chain[lw_slot] = got_chain[lw_slot] + 1;
      end
      if (lw_done) begin
        if (got_res[lw_slot] != x_blocks[lw_slot]*BPB) fail("result words missing");
        if (got_chain[lw_slot] != (x_save[lw_slot] ? BPB : 0)) fail("chaining words missing");
        if (lw_status !== x_status[lw_slot]) begin
          $display("slot %0d desc %h", lw_slot, x_desc[lw_slot]); fail("status");
        end
        if (lw_kind !== x_kind[lw_slot]) fail("kind");
        if (lw_last !== x_desc[lw_slot][7] || lw_chained !== x_desc[lw_slot][8+LEN_W] ||
            lw_key !== x_desc[lw_slot][9+LEN_W+IDX_W +: KS_W]) fail("done fields");
        n_done = n_done + 1;
      end
      bi = bq_w % 4;
      bq_we[bi] = lw_we; bq_done[bi] = lw_done; bq_chained[bi] = lw_chained; bq_last[bi] = lw_last;
      bq_slot[bi] = lw_slot; bq_word[bi] = lw_word; bq_idx[bi] = lw_idx; bq_data[bi] = lw_data;
      bq_w = bq_w + 1;
    end
    // room for the beat of this very cycle and of the next
    lw_ready <= (bq_w - bq_r < 3) & (~slow | (rnd(3) != 0));
    if (rst) begin bq_r = bq_w; lw_ready <= 0; cr_fire <= 0; end
  end

  task credit;
    input integer slot;
    input chained;
    input integer idx;
    input last;
    begin
      busy[slot] = 0;
      if (chained) begin
        pending[idx] = pending[idx] - 1;
        if (last) begin open[idx] = 0; closing[idx] = 0; chain[idx] = rnd128(0); end
      end
    end
  endtask

  // ---- the reference: fills the expectations of slot s, updates the job ----
  reg [127:0] rc;                                     // chaining value
  task reference;
    input integer s;
    input [DESC_W-1:0] d;
    integer len, n, b, m, idx, key;
    reg [1:0] cmd;
    reg [127:0] p, c, tag;
    begin
      cmd = d[1:0]; m = d[4:2]; len = d[8 +: LEN_W]; idx = d[9+LEN_W +: IDX_W];
      key = d[9+LEN_W+IDX_W +: KS_W];
      n = (len + 15) / 16;
      x_desc[s] = d; x_blocks[s] = (m == 5) ? 0 : n; x_save[s] = d[8+LEN_W] & ~d[7];
      x_status[s] = 0; x_kind[s] = (m == 5) ? 0 : 1; got_res[s] = 0; got_chain[s] = 0;
      if (m == 4 || (d[6] && m != 0)) rc = (m == 5) ? 128'd0 : ivf[s];
      else if (m != 0) rc = j_chain[idx];
      for (b = 0; b < ((m == 5 && len == 0) ? 1 : n); b = b + 1) begin
        p = pay[s*PKT_BLOCKS + b];
        c = 0;
        case (m)
          0: c = cmd == 1 ? dec(keys[key], p) : enc(keys[key], p);
          1: if (cmd == 1) begin c = dec(keys[key], p) ^ rc; rc = p; end
             else begin c = enc(keys[key], p ^ rc); rc = c; end
          2: begin c = enc(keys[key], rc) ^ p; rc = (cmd == 1) ? p : c; end
          3: begin rc = enc(keys[key], rc); c = rc ^ p; end
          4: begin c = enc(keys[key], rc) ^ p; rc = rc + 1; end
          default: begin
            if (d[7] && b*16 + 16 >= len) begin
              if (len == b*16 + 16) p = p ^ k1[key];
              else p = first_bytes(p, len - b*16) ^ (128'h80 << (120 - 8*(len - b*16))) ^ k2[key];
            end
            rc = enc(keys[key], p ^ rc);
          end
        endcase
        if (m != 5) x_res[s*PKT_BLOCKS + b] = first_bytes(c, len - b*16);
      end
      x_chain[s] = rc;
      if (d[8+LEN_W]) j_chain[idx] = rc;
      if (m == 5 && d[7]) begin
        if (cmd == 2) begin x_kind[s] = 2; x_blocks[s] = 1; x_res[s*PKT_BLOCKS] = rc; end
        else begin
          ivf[s] = rc;
          // one bit wrong, often the first or the last
          if (rnd(2)) begin
            ivf[s] = rc ^ (128'd1 << (rnd(2) ? rnd(128) : 127*rnd(2)));
            x_status[s] = 9;
          end
        end
      end
    end
  endtask

  // ---- dispatch ----
  reg [SLOT_W+DESC_W-1:0] jq [0:63];
  integer jq_w = 0, jq_r = 0, jb_wait = 0, n_disp = 0, n_kg = 0, n_kgo = 0;
  reg [KS_W-1:0] kg_keys [0:63];
  integer dist [0:15];

  task put;                             // desc without bound; allocates a slot, sets it up
    input [1:0] cmd;
    input [2:0] mode;
    input first, last;
    input integer len;
    input chained;
    input integer idx, key;
    input here;                         // 0: on another core
    integer s, b;
    reg [DESC_W-1:0] d;
    reg ivp, bound;
    begin
      s = rnd(SLOTS);
      while (busy[s]) s = (s + 1) % SLOTS;
      for (b = 0; b < PKT_BLOCKS; b = b + 1) pay[s*PKT_BLOCKS + b] = rnd128(0);
      ivf[s] = rnd128(0);
      // counters about to carry
      if (mode == 4 && rnd(2)) ivf[s] = {rnd128(0), {128{1'b1}}} >> rnd(129);
      if (mode == 4 && rnd(2)) ivf[s][1:0] = 2'b10;
      ivp = (mode == 4) | (mode == 5 ? (cmd == 3) & last : first & (mode != 0));
      bound = chained && pending[idx] > 0;
      d = 0;
      d[1:0] = cmd; d[4:2] = mode; d[5] = ivp; d[6] = first; d[7] = last; d[8 +: LEN_W] = len;
      d[8+LEN_W] = chained; d[9+LEN_W +: IDX_W] = idx; d[9+LEN_W+IDX_W +: KS_W] = key;
      d[DESC_W-1] = bound;
      reference(s, d);
      dist[mode] = dist[mode] + 1;
      if (here) begin
        busy[s] = 1;
        if (chained) pending[idx] = pending[idx] + 1;
        jq[jq_w % 64] = {d, s[SLOT_W-1:0]};
        jq_w = jq_w + 1;
        n_disp = n_disp + 1;
      end else chain[idx] = rc;
    end
  endtask

  function integer free_slots;
    input dummy;
    integer s;
    begin
      free_slots = 0;
      for (s = 0; s < SLOTS; s = s + 1) if (!busy[s]) free_slots = free_slots + 1;
    end
  endfunction

  // quiet: wait until a job has nothing under way, give its next packet to another core and the one
  // after that (follow) to this lane: the value that the lane still holds is then an old one
  reg     quiet = 0;
  integer follow = -1, n_follow = 0;
  task dispatch;
    integer idx, m, len, full;
    reg last;
    begin
      full = 16 * (1 + rnd(PKT_BLOCKS));
      idx = (follow >= 0) ? follow : rnd(CHOOSE);
      if (rnd(40) == 0) quiet = 1;
      if (quiet) begin
        if (open[idx] && !closing[idx] && !fresh[idx] && pending[idx] == 0) begin
          put(j_cmd[idx], j_mode[idx], 0, 0, full, 1, idx, j_key[idx], 0);
          quiet = 0; follow = idx; n_follow = n_follow + 1;
        end else if (rnd(100) == 0) quiet = 0;
      end else if (follow < 0 && rnd(20) == 0) begin
        jq[jq_w % 64] = 0;
        m = rnd(KEY_SLOTS);
        jq[jq_w % 64][SLOT_W+4 -: 3] = 7;
        jq[jq_w % 64][SLOT_W+9+LEN_W+IDX_W +: KS_W] = m;
        kg_keys[n_kg % 64] = m;
        n_kg = n_kg + 1;
        jq_w = jq_w + 1;
      end else if (follow < 0 && rnd(3) == 0) begin
        if (rnd(2)) put(rnd(2), 0, rnd(2), rnd(2), full, 0, idx, rnd(KEY_SLOTS), 1);
        else begin
          last = rnd(2);
          put(rnd(2), 4, rnd(2), last, last ? full - rnd(16) : full, 0, idx, rnd(KEY_SLOTS), 1);
        end
      end else if (!closing[idx]) begin
        follow = -1;
        if (!open[idx]) begin
          m = 1 + rnd(4); if (m == 4) m = 5;
          open[idx] = 1; fresh[idx] = 1; j_mode[idx] = m;
          j_cmd[idx] = (m == 5) ? 2 + rnd(2) : rnd(2);
          j_key[idx] = rnd(KEY_SLOTS);
        end
        last = rnd(4) == 0;
        m = j_mode[idx];
        len = full;
        if (last) begin
          if (m != 1) len = full - rnd(16);
          if (m == 5 ? fresh[idx] : !fresh[idx]) if (rnd(3) == 0) len = 0;
        end
        if (!last && !fresh[idx] && pending[idx] == 0 && rnd(3) == 0)
          put(j_cmd[idx], m, 0, 0, full, 1, idx, j_key[idx], 0);
        else begin
          closing[idx] = last;
          put(j_cmd[idx], m, fresh[idx], last, len, 1, idx, j_key[idx], 1);
          fresh[idx] = 0;
        end
      end
    end
  endtask

  // the queue's output register
  reg go = 0, kg_bad;
  integer cap = 4;
  always @(posedge clk) begin
    if (jb_valid & jb_ready) begin
      jb_valid <= 0;
      jb_slot <= rnd(SLOTS); jb_desc <= {rnd128(0), rnd128(0)};
      // core_queue brings the next packet four cycles after the transfer before
      jb_wait = slow ? 1 + rnd(12) : 4;
    end
    if (jb_wait > 0) jb_wait = jb_wait - 1;
    if ((!jb_valid || jb_ready) && jb_wait == 0 && jq_r != jq_w) begin
      jb_valid <= 1;
      {jb_desc, jb_slot} <= jq[jq_r % 64];
      jq_r = jq_r + 1;
    end
    if (go && PERF == 0 && jq_w - jq_r < cap && free_slots(0) > 2 && rnd(4) == 0) dispatch;

    kgo_ready <= rnd(3) == 0;
    if (kgo_valid & kgo_ready) begin
      if (kgo_l !== enc(keys[kg_keys[n_kgo % 64]], 128'd0)) fail("kgo_l");
      if (kgo_end !== (keys[kg_keys[n_kgo % 64]] ^ END_MARK)) fail("kgo_end");
      n_kgo = n_kgo + 1;
    end
    if (rst) begin jb_valid <= 0; jq_r = jq_w; n_kgo = n_kg; end
  end

  task clear_bench;
    integer i;
    begin
      for (i = 0; i < SLOTS; i = i + 1) busy[i] = 0;
      for (i = 0; i < CHOOSE; i = i + 1) begin
        open[i] = 0; closing[i] = 0; pending[i] = 0; chain[i] = rnd128(0);
      end
      for (i = 0; i < KEY_SLOTS; i = i + 1) begin
        keys[i] = {rnd128(0), rnd128(0)}; k1[i] = rnd128(0); k2[i] = rnd128(0);
      end
    end
  endtask

  task reset;
    begin
      @(posedge clk); #1 rst = 1;
      repeat (2) @(posedge clk);
      #1;
      if (data_left) fail("a data register survives reset");
      clear_bench;
      n_done = 0; n_disp = 0; n_in = 0; n_out = 0;
      rst = 0;
    end
  endtask

  task drain;
    integer t;
    begin
      t = 0;
      while (t < 20000 && (jq_r != jq_w || jb_valid || n_done != n_disp || n_kgo != n_kg ||
                           bq_r != bq_w))
      begin
        @(posedge clk); #1; t = t + 1;
      end
      if (t >= 20000) fail("stuck");
    end
  endtask

  // ---- idle cycles of the core over a row of packets ----
  // what: 0 independent or one job after the other, 1 one long job, 2 three jobs in turn
  // bound: the most idle cycles a packet
  integer idle, np;
  task perf;
    input [1:0] cmd;
    input [2:0] mode;
    input integer blocks, what, bound;
    integer i, k;
    reg chained;
    begin
      clear_bench;
      chained = mode != 0 && mode != 4;
      n_in = 0; n_out = 0; t_first = -1;
      np = 8;
      if (what == 2) begin
        // jobs that are open, with a value in the store
        np = (CHOOSE > 2) ? 3 : CHOOSE;
        for (k = 0; k < CHOOSE; k = k + 1) j_chain[k] = chain[k];
      end
      if (what == 1) j_chain[0] = chain[0];
      for (i = 0; i < np; i = i + 1)
        put(cmd, mode, what == 0, what == 0 && mode != 0 && mode != 4, 16*blocks, chained,
            (what == 0) ? i % CHOOSE : (what == 1) ? 0 : i % CHOOSE, 1, 1);
      drain;
      idle = t_last - t_first - n_out*LAT;
      $display("DATA_W=%0d LAT=%0d mode %0d cmd %0d, %0d blocks, %0s: %0d idle in %0d packets",
               DATA_W, LAT, mode, cmd, blocks,
               (what == 0) ? "one-packet jobs" : (what == 1) ? "one job" : "jobs in turn",
               idle, np);
      if (idle > bound*(np-1)) fail("idle cycles");
    end
  endtask

  integer w, b, most;
  initial begin
    seed = SEED;
    slow = (PERF == 0);
    for (b = 0; b < 16; b = b + 1) dist[b] = 0;
    clear_bench;
    repeat (3) @(posedge clk);
    reset;
    if (PERF != 0) begin
      for (b = 1; b <= PKT_BLOCKS; b = b + 3) begin
        most = (b == 1) ? IDLE1 : IDLE4;
        perf(0, 0, b, 0, most);
        perf(1, 0, b, 0, most);
        perf(0, 4, b, 0, most);
        for (w = 0; w < 3; w = w + 1) begin
          perf(0, 1, b, w, most);
          perf(1, 1, b, w, most);
          perf(0, 2, b, w, most);
          perf(1, 2, b, w, most);
          perf(0, 3, b, w, most);
          perf(2, 5, b, w, most);
          perf(3, 5, b, w, most);
        end
      end
    end else begin
      go = 1;
      while (n_disp < PACKETS/4 && !done_all) @(posedge clk);
      slow = 0; cap = 6;
      while (n_disp < PACKETS/2 && !done_all) @(posedge clk);
      slow = 1;
      reset;
      while (n_disp < PACKETS/2 && !done_all) @(posedge clk);
      go = 0;
      drain;
      for (b = 0; b < 6; b = b + 1) if (dist[b] == 0) fail("a mode did not come");
      if (n_follow == 0) fail("no packet went to another core");
      if (n_kgo == 0) fail("no key generation came");
    end
    if (!done_all) $display("PASS");
    $finish;
  end
  initial begin
    #3000000 fail("timeout");
  end
endmodule
`default_nettype wire
