// SPDX-License-Identifier: Apache-2.0
// Lane: wraps one cipher core; fetches blocks, key and chaining value, does the modes, writes back.
// Latency: job to core 4 cycles + the words of its block; a block and its beats: core + 1 cycles.
// Initiation interval: that of the core, between packets too, unless a prefetch is slower.
// One block is in the core at a time. jb_* must be stable until jb_ready, which comes when the
// packet's first block enters the core (or its turn, if it has none).
// c_in_valid, c_in_block, jb_ready follow c_out_valid and c_out_block in the same cycle, lest the
// core idles; every other output is a register or a gate or two behind registers.
// Block order: byte 0 of a block is in 127:120, word 0 of it is at the top.
`default_nettype none
module hwgen_lane #(
  // stream and memory width: 32, 64 or 128
  parameter DATA_W     = 128,
  // packet slots
  parameter SLOTS      = 1,
  // largest payload in blocks of 16 bytes
  parameter PKT_BLOCKS = 1,
  // choose-list entries
  parameter CHOOSE     = 1,
  // key slots
  parameter KEY_SLOTS  = 1,
  // bits of a key: 128 or 256
  parameter KEY_BITS   = 128,
  // cores of the cluster, 1 to 64
  parameter CORES      = 1,
  // this lane's number
  parameter LANE       = 0,
  // 1: the core decrypts with the original key, 0: with the end-of-schedule key (key region 1)
  parameter ORIG_KEY   = 0,
  // 1: the core has the inverse cipher
  parameter HAS_INV    = 1,
  // derived: do not set
  parameter BPB        = 128 / DATA_W,
  parameter SLOT_W     = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter LEN_W      = $clog2(PKT_BLOCKS * 16 + 1),
  parameter OFF_W      = (PKT_BLOCKS * BPB > 1) ? $clog2(PKT_BLOCKS * BPB) : 1,
  parameter BLK_W      = (PKT_BLOCKS > 1) ? $clog2(PKT_BLOCKS) : 1,
  parameter WIDX_W     = (BPB > 1) ? $clog2(BPB) : 1,
  parameter IDX_W      = (CHOOSE > 1) ? $clog2(CHOOSE) : 1,
  parameter KS_W       = (KEY_SLOTS > 1) ? $clog2(KEY_SLOTS) : 1,
  parameter KWORD_W    = (KEY_BITS / DATA_W > 1) ? $clog2(KEY_BITS / DATA_W) : 1,
  parameter CORE_W     = (CORES > 1) ? $clog2(CORES) : 1,
  parameter LANE_W     = $clog2(CORES + 1),
  parameter DESC_W     = 10 + LEN_W + IDX_W + KS_W
) (
  input  wire                clk,
  input  wire                rst,
  // the next packet
  input  wire                jb_valid,
  output wire                jb_ready,
  input  wire [SLOT_W-1:0]   jb_slot,
  input  wire [DESC_W-1:0]   jb_desc,
  // payload blocks and IV fields
  output wire                fl_valid,
  input  wire                fl_ready,
  output wire                fl_iv,
  output wire [SLOT_W-1:0]   fl_slot,
  output wire [BLK_W-1:0]    fl_blk,
  input  wire                fr_valid,
  input  wire [LANE_W-1:0]   fr_lane,
  input  wire                fr_iv,
  input  wire [WIDX_W-1:0]   fr_word,
  input  wire [DATA_W-1:0]   fr_data,
  // key store: region 0 key, 1 end key, 2 K1, 3 K2
  output wire                kr_valid,
  input  wire                kr_ready,
  output wire [KS_W-1:0]     kr_key,
  output wire [1:0]          kr_region,
  input  wire                ks_valid,
  input  wire [LANE_W-1:0]   ks_lane,
  input  wire [1:0]          ks_region,
  input  wire [KWORD_W-1:0]  ks_word,
  input  wire [DATA_W-1:0]   ks_data,
  // chaining store
  output wire                ch_valid,
  input  wire                ch_ready,
  output wire [IDX_W-1:0]    ch_idx,
  input  wire                cs_valid,
  input  wire [LANE_W-1:0]   cs_lane,
  input  wire [WIDX_W-1:0]   cs_word,
  input  wire [DATA_W-1:0]   cs_data,
  // the cluster's credits (see ord_q)
  input  wire                cr_fire,
  input  wire [CORE_W-1:0]   cr_core,
  // result of a key generation, straight from the core
  output wire                kgo_valid,
  input  wire                kgo_ready,
  output wire [127:0]        kgo_l,
  output wire [KEY_BITS-1:0] kgo_end,
  // core
  output wire                c_in_valid,
  input  wire                c_in_ready,
  output wire [1:0]          c_in_op,
  output wire                c_in_decrypt,
  output wire [KEY_BITS-1:0] c_in_key,
  output wire [127:0]        c_in_block,
  input  wire                c_out_valid,
  output wire                c_out_ready,
  input  wire [127:0]        c_out_block,
  input  wire [KEY_BITS-1:0] c_end_key,
  // write-back; lw_we: bit 0 result area, bit 1 chaining store
  output wire                lw_valid,
  input  wire                lw_ready,
  output wire [1:0]          lw_we,
  output wire [SLOT_W-1:0]   lw_slot,
  output wire [OFF_W-1:0]    lw_off,
  output wire [WIDX_W-1:0]   lw_word,
  output wire [DATA_W-1:0]   lw_data,
  output wire                lw_done,
  output wire [3:0]          lw_status,
  output wire [1:0]          lw_kind,
  output wire                lw_chained,
  output wire [IDX_W-1:0]    lw_idx,
  output wire [KS_W-1:0]     lw_key,
  output wire                lw_last
);
  // What feeds what. blk: the prefetched block; iv: IV, chaining value, counter or subkey; x: the
  // operand of the output; out: the last result. "back" is the value of the block before, of this
  // packet or of the packet before if that is the same job: from the core's output if this is the
  // cycle in which it comes (two blocks of a chain without an idle cycle), else from registers.
  //
  //   mode      core input         x := (at input)   result    iv := (at input)  back / later
  //   ECB       blk                0                 core ^ x  blk               -
  //   CBC enc   blk ^ (iv or back) 0                 core ^ x  blk               core     / out
  //   CBC dec   blk                iv                core ^ x  blk               - (iv)
  //   CFB enc   iv or back         blk               core ^ x  blk               core ^ x / out
  //   CFB dec   iv or back         blk               core ^ x  blk               x        / x
  //   OFB       iv or back         blk               core ^ x  blk               core     / out ^ x
  //   CTR       iv                 blk               core ^ x  iv + 1            -
  //   MAC       blk ^ back ^ iv    0, tag in verify  core ^ x  blk               core     / out
  //   key gen.  0                  0                 kgo_l     blk               -
  //
  // New chaining value of a packet: its last result (CBC enc, CFB enc, MAC), or P, its last input
  // block (CBC dec, CFB dec), or result ^ P (OFB); P goes from blk to iv and on to the save
  // register.
  //
  // Once the last block of a packet has entered the core, key, block and IV of the next packet are
  // fetched: with DATA_W = 128 all are there 5 cycles after jb_valid, with 32 bits 8 (key, block)
  // or 12 (IV field too).
  localparam [2:0] M_ECB = 3'd0, M_CBC = 3'd1, M_CFB = 3'd2, M_OFB = 3'd3, M_CTR = 3'd4,
                   M_MAC = 3'd5, M_KEYGEN = 3'd7;
  localparam [1:0] C_DECRYPT = 2'd1, C_VERIFY = 2'd3;
  localparam LB_W  = LEN_W - 4;
  localparam [31:0] LANE_I = LANE;
  localparam [LANE_W-1:0] ME = LANE_I[LANE_W-1:0];
  localparam [CORE_W-1:0] ME_CORE = LANE_I[CORE_W-1:0];
  localparam [31:0] WLAST_I = BPB - 1;
  localparam [WIDX_W-1:0] WLAST = WLAST_I[WIDX_W-1:0];
  localparam [KWORD_W-1:0] SLAST = WLAST_I[KWORD_W-1:0];
  localparam [31:0] KLAST_I = KEY_BITS / DATA_W - 1;
  localparam [KWORD_W-1:0] KLAST = KLAST_I[KWORD_W-1:0];
  localparam [LB_W-1:0] LB_ONE = 1;
  localparam [BLK_W-1:0] BLK_ONE = 1;

  // A word of the last block of a MAC that is not full: bytes from the length on count as 80 00 ..
  // whatever the packet memory holds there. An empty message is such a block with no own byte.
  function [DATA_W-1:0] padded;
    input [DATA_W-1:0] data;
    input [WIDX_W-1:0] word;
    input [3:0]        bytes;
    reg   [127:0]      beyond, first;
    begin
      beyond = {128{1'b1}} >> {bytes, 3'd0};
      first  = beyond & ~(beyond >> 1);
      if (BPB != 1) begin
        beyond = beyond << (word * DATA_W);
        first  = first << (word * DATA_W);
      end
      padded = (data & ~beyond[127 -: DATA_W]) | first[127 -: DATA_W];
    end
  endfunction

  // ---- the next packet, at the queue's output ----
  wire [1:0]       jb_cmd     = jb_desc[1:0];
  wire [2:0]       jb_mode    = jb_desc[4:2];
  wire             jb_ivf     = jb_desc[5];
  wire             jb_first   = jb_desc[6];
  wire             jb_last    = jb_desc[7];
  wire [LEN_W-1:0] jb_len     = jb_desc[8 +: LEN_W];
  wire             jb_chained = jb_desc[8+LEN_W];
  wire [IDX_W-1:0] jb_idx     = jb_desc[9+LEN_W +: IDX_W];
  wire [KS_W-1:0]  jb_key     = jb_desc[9+LEN_W+IDX_W +: KS_W];
  wire             jb_bound   = jb_desc[DESC_W-1];

  wire [LB_W-1:0]  jb_blocks  = jb_len[LEN_W-1:4];

  // ---- the current packet ----
  reg  [SLOT_W-1:0] cur_slot_q;
  reg  [1:0]        cur_cmd_q;
  reg  [2:0]        cur_mode_q;
  reg               cur_last_q, cur_chained_q, cur_short_q, cur_kg_q;
  reg  [3:0]        cur_bytes_q;
  reg  [IDX_W-1:0]  cur_idx_q;
  reg  [KS_W-1:0]   cur_key_q;
  reg  [LB_W-1:0]   cur_left_q;    // blocks that have not entered the core
  reg  [BLK_W-1:0]  cur_blk_q;     // number of the first of them
  reg  [BLK_W-1:0]  in_blk_q;      // number of the block in the core
  reg               more_q;        // cur_left_q is not 0: the next block is of the current packet
  reg               flight_q;      // a block is in the core
  reg               zero_q;        // the current packet is a closing one, its done beat to come

  // Selects for the next block, decoded a cycle ahead, while something of it is missing. Settled in
  // time: they follow more_q and jb_*, and no block can enter the core before a fetch of at least
  // three cycles that starts after those.
  reg  [1:0] s_op_q;
  reg        s_inv_q, s_end_q, s_ctr_q, s_tag_q, s_move_q, s_pad_q;
  reg        s_blk_q, s_iv_q, s_core_q, s_x_now_q, s_x_later_q, s_back_q, s_x_blk_q, s_x_iv_q;
  reg        s_need_iv_q, s_need_sub_q, pre_q;

  // ---- operand registers ----
  reg  [KEY_BITS-1:0] key_q;
  reg  [127:0]        blk_q, iv_q, x_q;
  reg                 key_asked_q, key_here_q, blk_asked_q, blk_here_q, iv_asked_q, iv_here_q;
  reg                 sub_asked_q, sub_here_q;
  reg  [3:0]          inc_q;       // bit k: add one to word k of the counter
  reg                 move_q;      // iv_q holds a P that must get to the save register
  reg                 tag_q;       // the last block of a verify is in the core: iv_q gets the tag
  reg                 here_q;      // all that the next block needs is in its registers
  reg                 ord_q, keep_q;
  reg  [2:0]          beats_q;

  wire                wb_busy, wb_save_busy, wb_hold;
  wire [127:0]        wb_out;

  wire iv_free = ~move_q & ~tag_q;

  // ---- the next block: of the current packet, or the first of the next packet ----
  // Looked at only while something of it is missing: after that s_* hold what matters.
  wire       seek = ~here_q & (more_q | jb_valid);
  reg  [1:0] n_cmd;
  reg  [2:0] n_mode;
  reg        n_last, n_short, n_end, n_back, n_cbc, n_cfb, n_ofb, n_ctr, n_mac, n_kg, n_dec, n_inv;
  reg        n_iv, n_sub, n_out;
  wire [3:0] n_bytes = more_q ? cur_bytes_q : jb_len[3:0];
  reg        jb_frac, jb_empty, jb_mac, fwd, iv_field;
  // pre: the block is the next packet's, and is fetched
  reg        pre, take_zero, ask_blk, ask_iv, ask_key, ask_sub, ask_ch;
  always @* begin
    {n_cmd, n_mode, n_last, n_short, n_end, n_back, n_cbc, n_cfb, n_ofb, n_ctr, n_mac} = 14'bx;
    {n_kg, n_dec, n_inv, n_iv, n_sub, n_out, jb_frac, jb_empty, jb_mac, fwd, iv_field} = 11'bx;
    {pre, take_zero, ask_blk, ask_iv, ask_key, ask_sub, ask_ch} = 7'd0;
    if (seek) begin
      jb_frac  = jb_len[3:0] != 4'd0;
      jb_empty = ~jb_frac & (jb_blocks == {LB_W{1'b0}});
      jb_mac   = jb_mode == M_MAC;
      // The queue's job is of the current packet's job and directly behind it: the chaining value
      // is here.
      // bound alone does not say so (another packet may be between), nor does the index (an earlier
      // packet of the job may have gone to this core, the last one to another).
      fwd      = jb_chained & jb_bound & ~jb_first & cur_chained_q & (cur_idx_q == jb_idx);
      // a MAC's IV field is its tag, which is not for the core's input
      iv_field = jb_ivf & ~jb_mac;

      n_cmd   = more_q ? cur_cmd_q : jb_cmd;
      n_mode  = more_q ? cur_mode_q : jb_mode;
      n_last  = more_q ? cur_last_q : jb_last;
      n_short = more_q ? cur_short_q : jb_frac | jb_empty;
      // a single block, without the adder of cur_left_q
      n_end   = more_q ? cur_left_q == LB_ONE
                       : (jb_blocks >> 1) == {LB_W{1'b0}} & ~(jb_blocks[0] & jb_frac);
      n_back  = more_q | fwd;
      n_cbc   = n_mode == M_CBC;
      n_cfb   = n_mode == M_CFB;
      n_ofb   = n_mode == M_OFB;
      n_ctr   = n_mode == M_CTR;
      n_mac   = n_mode == M_MAC;
      n_kg    = n_mode == M_KEYGEN;
      n_dec   = n_cmd == C_DECRYPT;
      n_inv   = (HAS_INV != 0) & n_dec & (n_cbc | n_mode == M_ECB);
      // needs an IV or chaining value in iv; a subkey on top of it or in its place
      n_iv    = ~more_q & (jb_mac ? ~jb_first & ~fwd
                                  : n_ctr | ((n_cbc | n_cfb | n_ofb) & ~fwd));
      n_sub   = n_mac & n_last & n_end;
      n_out   = n_cfb | n_ofb;

      // jb_empty: the closing packet of a chained cipher job, a done beat and nothing else
      pre       = ~more_q & ~(jb_empty & ~jb_mac & ~n_kg);
      take_zero = ~more_q & ~pre & ~flight_q & ~zero_q;
      // Order on fl: tag, block, IV. None gives way to one that comes later: payload stable while
      // stalled.
      // pre_q: pre for a second cycle, so that s_need_iv_q is of this job (fwd is a long compare)
      ask_blk   = (more_q | pre) & ~n_kg & ~blk_asked_q;
      ask_iv    = pre_q & s_need_iv_q & iv_field & blk_asked_q & ~iv_asked_q & iv_free;
      ask_ch    = pre_q & s_need_iv_q & ~iv_field & ~iv_asked_q & iv_free & (~jb_bound | ord_q);
      // K1 and K2 are added to iv_q, so they come after the chaining value
      ask_sub   = key_asked_q & n_sub & ~sub_asked_q & iv_free &
                  (more_q | (pre_q & (iv_here_q | ~s_need_iv_q)));
      ask_key   = pre & ~key_asked_q;
    end
  end

  // ---- handshakes with the core ----
  wire fire_out = c_out_valid & c_out_ready;
  wire fire_in  = c_in_valid & c_in_ready;

  // wb_out is the chaining value only in order: not while its words go out (DATA_W < 128), unless
  // they are held back for this block (keep_q), since a valid once given must stay.
  wire later_ok = ~s_back_q | ~wb_busy | keep_q | (BPB == 1);

  assign c_in_valid   = here_q & (flight_q ? fire_out : later_ok);
  assign c_in_op      = s_op_q;
  assign c_in_decrypt = s_inv_q;
  assign c_in_key     = key_q;
  // looked at only with valid
  reg  [127:0] out_block, in_block;
  assign c_in_block = in_block;
  always @* begin
    {out_block, in_block} = 256'bx;
    if (c_out_valid) out_block = c_out_block;
    if (c_in_valid)
      in_block = (blk_q & {128{s_blk_q}}) ^ (iv_q & {128{s_iv_q}}) ^
                 (out_block & {128{s_core_q & flight_q}}) ^
                 (wb_out & {128{s_core_q & ~flight_q}}) ^
                 (x_q & {128{flight_q ? s_x_now_q : s_x_later_q}});
  end
  // a key generation's result stays in the core until it is taken
  assign c_out_ready  = ~wb_busy & ~tag_q & (~cur_kg_q | kgo_ready);
  assign kgo_valid    = c_out_valid & flight_q & cur_kg_q & ~wb_busy;
  assign kgo_l        = out_block;
  assign kgo_end      = c_end_key;
  assign wb_hold      = keep_q;

  // ---- taking the next packet ----
  wire take = (fire_in & ~more_q) | take_zero;
  assign jb_ready = take;

  // ---- requests ----
  wire ask_tag = tag_q & ~iv_asked_q;

  assign fl_valid  = ask_tag | ask_blk | ask_iv;
  assign fl_iv     = ask_tag | ~ask_blk;
  assign fl_slot   = (more_q | ask_tag) ? cur_slot_q : jb_slot;
  assign fl_blk    = more_q ? cur_blk_q : {BLK_W{1'b0}};
  assign kr_valid  = ask_key | ask_sub;
  assign kr_key    = more_q ? cur_key_q : jb_key;
  assign kr_region = ask_key ? {1'b0, n_inv & (ORIG_KEY == 0)} : {1'b1, n_short};
  assign ch_valid  = ask_ch;
  assign ch_idx    = jb_idx;

  // A bound packet whose job's previous packet is in this lane, but not directly before: that one's
  // chaining value is in the store only when its done record is credited. It is older than the
  // current packet, so everything of it has left the core. ord_q: seen the lane without a beat
  // under way; stays so for this packet. Not bound: all earlier packets of the job were credited
  // before the dispatch.
  wire drained = ~wb_busy & (beats_q == 3'd0);
  wire cr_mine = cr_fire & (cr_core == ME_CORE);
  wire done    = lw_valid & lw_ready & lw_done;

  // ---- words in ----
  reg in_blk, in_iv, in_key, in_sub, blk_done, iv_done, key_done, sub_done;
  always @* begin
    {in_blk, in_iv, in_key, in_sub, blk_done, iv_done, key_done, sub_done} = 8'd0;
    if (fr_valid | cs_valid | ks_valid) begin
      if (fr_valid & (fr_lane == ME)) begin
        in_blk   = ~fr_iv;
        blk_done = ~fr_iv & (fr_word == WLAST);
        in_iv    = fr_iv;
        iv_done  = fr_iv & (fr_word == WLAST);
      end
      if (cs_valid & (cs_lane == ME)) begin
        in_iv   = 1'b1;
        iv_done = iv_done | (cs_word == WLAST);
      end
      if (ks_valid & (ks_lane == ME)) begin
        in_key   = ~ks_region[1];
        key_done = ~ks_region[1] & (ks_word == KLAST);
        in_sub   = ks_region[1];
        sub_done = ks_region[1] & (ks_word == SLAST);
      end
    end
  end
  wire tag_move = tag_q & iv_here_q;

  // What comes into iv_q: the block that leaves blk_q; a word from outside, a subkey being added to
  // a chaining value, a value alone in place of what was there; or the counter's next value, a word
  // a cycle, so that the carry runs over 32 bits, not 128.
  reg               iv_go;
  reg  [127:0]      iv_d;
  reg  [DATA_W-1:0] iv_in;
  always @* begin
    iv_go = 1'b0;
    iv_d  = 128'bx;
    iv_in = {DATA_W{1'bx}};
    if (fire_in & ~s_ctr_q) begin
      iv_go = 1'b1;
      iv_d  = blk_q;
    end else if (in_iv | in_sub) begin
      iv_go = 1'b1;
      iv_in = sub_asked_q ? ks_data ^ (iv_q[127 -: DATA_W] & {DATA_W{s_need_iv_q}})
                          : (tag_q | iv_field) ? fr_data : cs_data;
      iv_d  = iv_q << DATA_W;
      iv_d[DATA_W-1:0] = iv_in;
    end else if (inc_q != 4'd0) begin
      iv_go = 1'b1;
      iv_d  = {iv_q[127:96] + {31'd0, inc_q[3]}, iv_q[95:64] + {31'd0, inc_q[2]},
               iv_q[63:32] + {31'd0, inc_q[1]}, iv_q[31:0] + {31'd0, inc_q[0]}};
    end
  end
  wire unused = &{1'b0, ks_region[0]};  // key or end key, K1 or K2: as kr_region asked
  reg  [127:0] blk_in;
  always @* begin
    blk_in = 128'd0;
    if (in_blk) blk_in[DATA_W-1:0] = s_pad_q ? padded(fr_data, fr_word, n_bytes) : fr_data;
  end

  generate
    if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) begin : g_bad_data_w
      hwgen_error_lane_data_w_must_be_32_64_or_128 u_error ();
    end
    if (KEY_BITS != 128 && KEY_BITS != 256) begin : g_bad_key_bits
      hwgen_error_lane_key_bits_must_be_128_or_256 u_error ();
    end
    if (CORES < 1 || CORES > 64 || LANE < 0 || LANE >= CORES) begin : g_bad_lane
      hwgen_error_lane_must_be_0_to_cores_minus_1_and_cores_1_to_64 u_error ();
    end
    if (PKT_BLOCKS < 1) begin : g_bad_pkt_blocks
      hwgen_error_lane_pkt_blocks_must_be_at_least_1 u_error ();
    end
  endgenerate

  // ---- output side ----
  // looked at only when something goes out
  reg go, o_end, o_mac, o_verify, o_dec, o_cbc, o_cfb, o_ofb, o_save, o_result, o_two, o_mac_end;
  always @* begin
    {o_end, o_mac, o_verify, o_dec, o_cbc, o_cfb, o_ofb} = 7'bx;
    {o_save, o_result, o_two, o_mac_end} = 4'bx;
    go = 1'b0;
    if (fire_out | zero_q) begin
      o_end     = ~more_q;             // the block in the core is the last of its packet
      o_mac     = cur_mode_q == M_MAC;
      o_verify  = cur_cmd_q == C_VERIFY;
      o_dec     = cur_cmd_q == C_DECRYPT;
      o_cbc     = cur_mode_q == M_CBC;
      o_cfb     = cur_mode_q == M_CFB;
      o_ofb     = cur_mode_q == M_OFB;
      o_save    = o_end & ~cur_last_q; // the chaining value must be saved: it is ...
      o_result  = o_mac | ((o_cbc | o_cfb) & ~o_dec);           // ... the result ...
      o_two     = o_save & (o_ofb | ((o_cbc | o_cfb) & o_dec)); // ... or another value
      o_mac_end = o_mac & o_end & cur_last_q;
      go        = (zero_q & ~wb_busy) | (fire_out & ~cur_kg_q & (~o_mac | o_end));
    end
  end

  hwgen_lane_wb #(
    .DATA_W     (DATA_W),
    .SLOTS      (SLOTS),
    .PKT_BLOCKS (PKT_BLOCKS),
    .CHOOSE     (CHOOSE),
    .KEY_SLOTS  (KEY_SLOTS)
  ) u_wb (
    .clk        (clk),
    .rst        (rst),
    .ld_out     (fire_out),
    .ld_block   (out_block ^ x_q),
    .ld_go      (go),
    .ld_slot    (cur_slot_q),
    .ld_blk     (in_blk_q & {BLK_W{~o_mac}}),
    .ld_words   (~zero_q & ~(o_mac_end & o_verify)),
    .ld_we      ({o_save & o_result, ~zero_q & (~o_mac | (o_mac_end & ~o_verify))}),
    .ld_two     (o_two & ~zero_q),
    .ld_xor     (o_ofb),
    .ld_done    (o_end),
    .ld_compare (o_mac_end & o_verify),
    .ld_kind    ({o_mac_end & ~o_verify, ~o_mac}),
    .ld_short   (cur_short_q & o_end & ~o_mac),
    .ld_bytes   (cur_bytes_q),
    .ld_chained (cur_chained_q),
    .ld_idx     (cur_idx_q),
    .ld_key     (cur_key_q),
    .ld_last    (cur_last_q),
    .sv_load    (move_q & ~wb_save_busy),
    .sv_block   (iv_q),
    .save_busy  (wb_save_busy),
    .hold       (wb_hold),
    .busy       (wb_busy),
    .out_block  (wb_out),
    .lw_valid   (lw_valid),
    .lw_ready   (lw_ready),
    .lw_we      (lw_we),
    .lw_slot    (lw_slot),
    .lw_off     (lw_off),
    .lw_word    (lw_word),
    .lw_data    (lw_data),
    .lw_done    (lw_done),
    .lw_status  (lw_status),
    .lw_kind    (lw_kind),
    .lw_chained (lw_chained),
    .lw_idx     (lw_idx),
    .lw_key     (lw_key),
    .lw_last    (lw_last)
  );

  always @(posedge clk) begin
    // selects
    if (seek) begin
      s_op_q       <= n_cmd;
      s_inv_q      <= n_inv;
      s_end_q      <= n_end;
      s_ctr_q      <= n_ctr;
      s_tag_q      <= n_sub & (n_cmd == C_VERIFY);
      s_move_q     <= n_end & ~n_last & (n_ofb | ((n_cbc | n_cfb) & n_dec));
      s_pad_q      <= n_sub & n_short;
      s_blk_q      <= ~(n_out | n_ctr | n_kg);
      s_iv_q       <= n_ctr | (n_iv & ~(n_cbc & n_dec)) | n_sub;
      s_back_q     <= n_back & (n_mac | n_out | (n_cbc & ~n_dec));
      s_core_q     <= n_back & (n_mac | n_ofb | ((n_cbc | n_cfb) & ~n_dec));
      s_x_now_q    <= n_back & n_cfb;
      s_x_later_q  <= n_back & (n_ofb | (n_cfb & n_dec));
      s_x_blk_q    <= n_out | n_ctr;
      s_x_iv_q     <= n_cbc & n_dec;
      s_need_iv_q  <= n_iv;
      s_need_sub_q <= n_sub;
    end
    pre_q <= pre & ~take;

    // operands
    if (in_key) begin
      key_q             <= key_q << DATA_W;
      key_q[DATA_W-1:0] <= ks_data;
    end
    if (in_blk) blk_q <= (blk_q << DATA_W) | blk_in;
    if (iv_go) iv_q <= iv_d;
    if (fire_in | tag_move)
      x_q <= (blk_q & {128{s_x_blk_q & ~tag_q}}) ^ (iv_q & {128{s_x_iv_q | tag_q}});
    if (fire_in | (inc_q != 4'd0))
      inc_q <= {inc_q[2] & (&iv_q[95:64]), inc_q[1] & (&iv_q[63:32]), inc_q[0] & (&iv_q[31:0]),
                fire_in & s_ctr_q & ~s_end_q};

    // what is asked for, what is here
    if (fl_valid & fl_ready) begin
      if (fl_iv) iv_asked_q <= 1'b1;
      else       blk_asked_q <= 1'b1;
    end
    if (ch_valid & ch_ready) iv_asked_q <= 1'b1;
    if (kr_valid & kr_ready) begin
      if (ask_key) key_asked_q <= 1'b1;
      else         sub_asked_q <= 1'b1;
    end
    if (key_done) key_here_q <= 1'b1;
    if (sub_done) sub_here_q <= 1'b1;
    if (blk_done) blk_here_q <= 1'b1;
    if (iv_done) iv_here_q <= 1'b1;
    if (fire_in | tag_move) begin
      iv_asked_q <= 1'b0;
      iv_here_q  <= 1'b0;
    end
    if (fire_in) begin
      blk_asked_q <= 1'b0;
      blk_here_q  <= 1'b0;
      sub_asked_q <= 1'b0;
      sub_here_q  <= 1'b0;
      if (s_end_q) begin
        key_asked_q <= 1'b0;
        key_here_q  <= 1'b0;
      end
    end
    // Looks a cycle ahead, to keep the many conditions off the handover path. A block that has
    // entered leaves at least blk or key to be fetched; tag_q: what is in iv_q is the tag; zero_q:
    // cur_* are in use.
    if (seek)
      here_q <= (key_here_q | key_done) & (blk_here_q | blk_done | n_kg) &
                (((iv_here_q | iv_done) & ~tag_q) | ~s_need_iv_q) &
                (sub_here_q | sub_done | ~s_need_sub_q) &
                (inc_q[2:0] == 3'd0) & ~(zero_q & wb_busy);
    if (fire_in) here_q <= 1'b0;
    // the save register is free at the latest when the block leaves the core
    move_q <= fire_in ? s_move_q : move_q & wb_save_busy;
    tag_q  <= fire_in ? s_tag_q : tag_q & ~tag_move;
    if (pre & drained) ord_q <= 1'b1;
    if (take) ord_q <= 1'b0;
    keep_q <= (keep_q | (fire_out & c_in_valid & s_back_q & (BPB != 1))) & ~fire_in;
    // done beats between lw_* and their credits: at most 4 fit in cluster_wb's tree
    if (done != cr_mine) beats_q <= done ? beats_q + 3'd1 : beats_q - 3'd1;

    // packets
    flight_q <= fire_in | (flight_q & ~fire_out);
    zero_q   <= take_zero | (zero_q & wb_busy);
    if (fire_in) begin
      more_q   <= ~s_end_q;
      in_blk_q <= more_q ? cur_blk_q : {BLK_W{1'b0}};
    end
    if (take) begin
      cur_slot_q    <= jb_slot;
      cur_cmd_q     <= jb_cmd;
      cur_mode_q    <= jb_mode;
      cur_last_q    <= jb_last;
      cur_chained_q <= jb_chained & (jb_mode != M_KEYGEN);
      cur_short_q   <= (jb_len[3:0] != 4'd0) | (jb_blocks == {LB_W{1'b0}});
      cur_kg_q      <= jb_mode == M_KEYGEN;
      cur_bytes_q   <= jb_len[3:0];
      cur_idx_q     <= jb_idx;
      cur_key_q     <= jb_key;
      // blocks after the first; adding all ones takes one off
      cur_left_q    <= jb_blocks +
                       {LB_W{(jb_len[3:0] == 4'd0) & (jb_blocks != {LB_W{1'b0}})}};
      cur_blk_q     <= BLK_ONE;
    end else if (fire_in) begin
      cur_left_q    <= cur_left_q - LB_ONE;
      cur_blk_q     <= cur_blk_q + BLK_ONE;
    end

    // data and keys too: nothing of a tenant must survive a reset
    if (rst) begin
      s_op_q        <= 2'd0;
      s_inv_q       <= 1'b0;
      s_end_q       <= 1'b0;
      s_ctr_q       <= 1'b0;
      s_tag_q       <= 1'b0;
      s_move_q      <= 1'b0;
      s_pad_q       <= 1'b0;
      s_blk_q       <= 1'b0;
      s_iv_q        <= 1'b0;
      s_back_q      <= 1'b0;
      s_core_q      <= 1'b0;
      s_x_now_q     <= 1'b0;
      s_x_later_q   <= 1'b0;
      s_x_blk_q     <= 1'b0;
      s_x_iv_q      <= 1'b0;
      s_need_iv_q   <= 1'b0;
      s_need_sub_q  <= 1'b0;
      pre_q         <= 1'b0;
      key_q         <= {KEY_BITS{1'b0}};
      blk_q         <= 128'd0;
      iv_q          <= 128'd0;
      x_q           <= 128'd0;
      inc_q         <= 4'd0;
      key_asked_q   <= 1'b0;
      key_here_q    <= 1'b0;
      blk_asked_q   <= 1'b0;
      blk_here_q    <= 1'b0;
      iv_asked_q    <= 1'b0;
      iv_here_q     <= 1'b0;
      sub_asked_q   <= 1'b0;
      sub_here_q    <= 1'b0;
      here_q        <= 1'b0;
      move_q        <= 1'b0;
      tag_q         <= 1'b0;
      ord_q         <= 1'b0;
      keep_q        <= 1'b0;
      beats_q       <= 3'd0;
      flight_q      <= 1'b0;
      zero_q        <= 1'b0;
      more_q        <= 1'b0;
      in_blk_q      <= {BLK_W{1'b0}};
      cur_slot_q    <= {SLOT_W{1'b0}};
      cur_cmd_q     <= 2'd0;
      cur_mode_q    <= M_ECB;
      cur_last_q    <= 1'b0;
      cur_chained_q <= 1'b0;
      cur_short_q   <= 1'b0;
      cur_kg_q      <= 1'b0;
      cur_bytes_q   <= 4'd0;
      cur_idx_q     <= {IDX_W{1'b0}};
      cur_key_q     <= {KS_W{1'b0}};
      cur_left_q    <= {LB_W{1'b0}};
      cur_blk_q     <= {BLK_W{1'b0}};
    end
  end
endmodule
`default_nettype wire
