// SPDX-License-Identifier: Apache-2.0
// Lane, small: as hwgen_lane, which has the same ports, but its data moves in words.
// Latency: job to core 9 cycles + the words of key, block and IV.
// Initiation interval: core + about 4 cycles + the words of a block, in and out where the block is
// needed for the output (CBC decryption, CFB, OFB, CTR); between packets the latency too.
// One packet at a time: it is read from jb_*, which is taken when its first block enters the core.
// lw_data follows c_out_block through two gates; it is stable while the core is stalled.
// Block order: byte 0 of a block is in 127:120, word 0 of it is at the top.
`default_nettype none
module hwgen_lane_serial #(
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
  // a: the block that was fetched; c: chaining value, IV or counter, with K1 or K2 added in a MAC's
  // last block. Both turn by a word a cycle, so that only the entering word has logic.
  //
  //   mode      core input  result     new c
  //   ECB       a           core       -
  //   CBC enc   a ^ c       core       result
  //   CBC dec   a           core ^ c   a
  //   CFB enc   c           core ^ a   result
  //   CFB dec   c           core ^ a   a
  //   OFB       c           core ^ a   core
  //   CTR       c           core ^ a   c + 1
  //   MAC       a ^ c       core       core; of a verify a gets the tag meanwhile
  //   key gen.  0           kgo_l      -
  localparam [2:0] M_ECB = 3'd0, M_CBC = 3'd1, M_CFB = 3'd2, M_OFB = 3'd3, M_CTR = 3'd4,
                   M_MAC = 3'd5, M_KEYGEN = 3'd7;
  localparam [1:0] C_DECRYPT = 2'd1, C_VERIFY = 2'd3;
  localparam [2:0] IDLE = 3'd0, FETCH = 3'd1, RUN = 3'd2, OUT = 3'd3, SAVE = 3'd4, DONE = 3'd5;
  localparam [3:0] ST_MAC_MISMATCH = 4'd9;
  localparam BYTES = DATA_W / 8;
  localparam [31:0] BYTES_I = BYTES;
  localparam LB_W  = LEN_W - 4;
  localparam [31:0] LANE_I = LANE;
  localparam [LANE_W-1:0] ME = LANE_I[LANE_W-1:0];
  localparam [CORE_W-1:0] ME_CORE = LANE_I[CORE_W-1:0];
  localparam [31:0] WLAST_I = BPB - 1;
  localparam [WIDX_W-1:0] WLAST = WLAST_I[WIDX_W-1:0];
  localparam [KWORD_W-1:0] SLAST = WLAST_I[KWORD_W-1:0];
  localparam [31:0] KLAST_I = KEY_BITS / DATA_W - 1;
  localparam [KWORD_W-1:0] KLAST = KLAST_I[KWORD_W-1:0];
  localparam [WIDX_W-1:0] WONE = 1;
  localparam [LB_W-1:0] LB_ONE = 1;
  localparam [BLK_W-1:0] BLK_ONE = 1;

  // the number, in its block, of the first byte of a word
  function [3:0] byte_of;
    input [WIDX_W-1:0] word;
    byte_of = {{(4-WIDX_W){1'b0}}, word} * BYTES_I[3:0];
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
  wire             jb_frac    = jb_len[3:0] != 4'd0;
  wire             jb_empty   = ~jb_frac & (jb_blocks == {LB_W{1'b0}});
  wire             jb_mac     = jb_mode == M_MAC;
  // a closing packet of a cipher job: a done beat and nothing else
  wire             jb_zero    = jb_empty & ~jb_mac & (jb_mode != M_KEYGEN);
  // the packet is directly behind one of its job: the chaining value is in c_q
  wire             jb_fwd     = jb_chained & jb_bound & ~jb_first & cur_chained_q &
                                (cur_idx_q == jb_idx);

  // ---- the current packet ----
  reg  [2:0]        state_q;
  reg  [SLOT_W-1:0] cur_slot_q;
  reg  [1:0]        cur_cmd_q;
  reg  [2:0]        cur_mode_q;
  reg               cur_last_q, cur_chained_q, cur_short_q, cur_ivf_q;
  reg  [3:0]        cur_bytes_q;
  reg  [IDX_W-1:0]  cur_idx_q;
  reg  [KS_W-1:0]   cur_key_q;
  reg  [LB_W-1:0]   left_q;     // blocks that have not left the core
  reg  [BLK_W-1:0]  blk_q;      // number of the first of them
  reg               first_q;    // the packet's first block has not entered the core
  reg               have_q;     // c_q holds a chaining value: else it counts as 0
  reg               iv_need_q;  // the packet's IV or chaining value is to be fetched
  reg  [WIDX_W-1:0] word_q;
  reg               wrong_q;

  wire dec      = cur_cmd_q == C_DECRYPT;
  wire verify   = cur_cmd_q == C_VERIFY;
  wire cbc      = cur_mode_q == M_CBC;
  wire cfb      = cur_mode_q == M_CFB;
  wire ofb      = cur_mode_q == M_OFB;
  wire ctr      = cur_mode_q == M_CTR;
  wire mac      = cur_mode_q == M_MAC;
  wire keygen   = cur_mode_q == M_KEYGEN;
  wire inv      = (HAS_INV != 0) & dec & (cbc | (cur_mode_q == M_ECB));
  wire stream   = cfb | ofb | ctr;
  wire last_blk = left_q == LB_ONE;
  wire mac_end  = mac & cur_last_q & last_blk;
  wire tag      = mac_end & verify;
  // a_q is needed when the core is done: it takes no other block meanwhile
  wire a_used   = stream | (cbc & dec) | tag;
  wire save     = last_blk & ~cur_last_q & cur_chained_q;
  wire save_out = mac | ((cbc | cfb) & ~dec);  // the value to save is the result

  // ---- operands ----
  reg  [KEY_BITS-1:0] key_q;
  reg  [127:0]        a_q, c_q;
  reg                 key_asked_q, key_here_q, blk_asked_q, blk_here_q, iv_asked_q, iv_here_q;
  reg                 sub_asked_q, sub_here_q, tag_asked_q, tag_here_q;
  reg                 ready_q;
  reg  [2:0]          beats_q;
  wire                drained = beats_q == 3'd0;

  // ---- requests: none gives way to one that comes later ----
  wire fetching = state_q == FETCH;
  wire out      = state_q == OUT;
  wire running  = state_q == RUN;
  wire ask_blk  = ~keygen & ~blk_asked_q & (fetching | ((running | out) & ~a_used & ~last_blk));
  wire ask_tag  = running & tag & ~tag_asked_q;
  wire ask_iv   = fetching & iv_need_q & cur_ivf_q & blk_asked_q & ~iv_asked_q;
  // The job's packet before may have been this lane's, not directly before: its chaining value is
  // in the store when its done record is credited.
  wire ask_ch   = fetching & iv_need_q & ~cur_ivf_q & ~iv_asked_q & drained;
  wire ask_key  = fetching & ~key_asked_q;
  wire ask_sub  = fetching & key_asked_q & mac_end & ~sub_asked_q & (iv_here_q | ~iv_need_q);

  assign fl_valid  = ask_blk | ask_iv | ask_tag;
  assign fl_iv     = ~ask_blk;
  assign fl_slot   = cur_slot_q;
  // while a block is in the core the next one is asked for
  assign fl_blk    = fetching ? blk_q : blk_q + BLK_ONE;
  assign kr_valid  = ask_key | ask_sub;
  assign kr_key    = cur_key_q;
  assign kr_region = ask_key ? {1'b0, inv & (ORIG_KEY == 0)} : {1'b1, cur_short_q};
  assign ch_valid  = ask_ch;
  assign ch_idx    = cur_idx_q;

  // ---- words in ----
  wire fr_mine  = fr_valid & (fr_lane == ME);
  wire ks_mine  = ks_valid & (ks_lane == ME);
  wire in_cs    = cs_valid & (cs_lane == ME);
  wire in_a     = fr_mine & (~fr_iv | tag_asked_q);
  wire in_iv    = fr_mine & fr_iv & ~tag_asked_q;
  wire in_sub   = ks_mine & ks_region[1];
  wire in_key   = ks_mine & ~ks_region[1];

  // ---- the core ----
  wire fire_in  = c_in_valid & c_in_ready;
  assign c_in_valid   = ready_q;
  assign c_in_op      = cur_cmd_q;
  assign c_in_decrypt = inv;
  assign c_in_key     = key_q;
  wire in_a_sel = ~(stream | keygen);
  wire in_c_sel = stream | (cbc & ~dec) | (mac & (have_q | sub_here_q));
  assign c_in_block   = (a_q & {128{in_a_sel}}) ^ (c_q & {128{in_c_sel}});
  wire unused = &{1'b0, ks_region[0]};  // key or end key, K1 or K2: as kr_region asked
  assign kgo_valid    = running & keygen & c_out_valid;
  assign kgo_l        = c_out_block;
  assign kgo_end      = c_end_key;

  // ---- words out ----
  wire word_last = word_q == WLAST;
  // words of a MAC go nowhere, but its last ones
  wire emit      = ~mac | (mac_end & ~verify) | save;
  wire step      = out & (~emit | lw_ready);
  wire beat      = lw_valid & lw_ready;
  assign c_out_ready = (step & word_last) | (running & keygen & kgo_ready);

  reg  [DATA_W-1:0] core_w;
  integer k;
  always @* begin
    core_w = {DATA_W{1'b0}};
    for (k = 0; k < BPB; k = k + 1)
      if (word_q == k[WIDX_W-1:0]) core_w = core_w | c_out_block[127 - k*DATA_W -: DATA_W];
  end
  wire [DATA_W-1:0] a_w = a_q[127 -: DATA_W];
  wire [DATA_W-1:0] c_w = c_q[127 -: DATA_W];
  wire short_out = cur_short_q & last_blk & ~mac;
  wire saving    = state_q == SAVE;
  // of the data: bytes of the result, its operands; the value to save
  wire use_a = stream;
  wire use_c = cbc & dec;
  reg  [DATA_W-1:0] data;
  integer b;
  reg  own;
  always @* begin
    data = {DATA_W{1'b0}};
    for (b = 0; b < BYTES; b = b + 1) begin
      own = ~saving & (~short_out | ((byte_of(word_q) + b[3:0]) < cur_bytes_q));
      data[DATA_W-1-8*b -: 8] = (core_w[DATA_W-1-8*b -: 8] & {8{own}}) ^
                                (a_w[DATA_W-1-8*b -: 8] & {8{own & use_a}}) ^
                                (c_w[DATA_W-1-8*b -: 8] & {8{(own & use_c) | saving}});
    end
  end

  assign lw_valid   = (out & emit) | saving | (state_q == DONE);
  assign lw_data    = data;
  assign lw_we      = (state_q == DONE) ? 2'b00 : saving ? 2'b10
                      : {save & save_out, ~mac | (mac_end & ~verify)};
  assign lw_done    = (state_q == DONE) | (word_last & last_blk & (~save | save_out | ~out));
  assign lw_status  = ST_MAC_MISMATCH & {4{wrong_q}};
  assign lw_kind    = {mac & cur_last_q & ~verify, ~mac};
  assign lw_slot    = cur_slot_q;
  assign lw_word    = word_q;
  assign lw_chained = cur_chained_q;
  assign lw_idx     = cur_idx_q;
  assign lw_key     = cur_key_q;
  assign lw_last    = cur_last_q;
  generate
    if (BPB == 1) begin : g_word1
      assign lw_off = blk_q & {BLK_W{~mac}};
    end else if (PKT_BLOCKS == 1) begin : g_one
      assign lw_off = word_q;
    end else begin : g_many
      assign lw_off = {blk_q & {BLK_W{~mac}}, word_q};
    end
  endgenerate
  wire done    = beat & lw_done;
  wire cr_mine = cr_fire & (cr_core == ME_CORE);

  // ---- the counter: ones_q[w] is 1 if word w of c_q is all ones, known a cycle after it entered.
  // Words turn most significant first; the carries into them come from words not yet turned.
  reg  [BPB-1:0]    ones_q;
  reg               turned_q;
  reg  [WIDX_W-1:0] turned_word_q;
  reg               carry;
  integer m;
  always @* begin
    carry = 1'b1;
    for (m = 1; m < BPB; m = m + 1)
      if (word_q < m[WIDX_W-1:0]) carry = carry & ones_q[m];
  end

  // the word that enters: one from outside, with a subkey on top of what turns; c itself, or plus
  // one; the next chaining value
  wire c_go  = in_iv | in_cs | in_sub | step | (saving & beat);
  wire c_out = step & ~ctr;
  wire turn  = saving | (step & ctr) | (in_sub & have_q);
  wire core_c = c_out & ~((cbc | cfb) & dec);
  wire a_c    = c_out & (cfb | (cbc & dec));
  wire [DATA_W-1:0] next_c = c_w + {{(DATA_W-1){1'b0}}, carry & step};
  wire [DATA_W-1:0] from   = (fr_data & {DATA_W{in_iv}}) | (cs_data & {DATA_W{in_cs}}) |
                             (ks_data & {DATA_W{in_sub}});
  wire [DATA_W-1:0] c_in   = from ^ (next_c & {DATA_W{turn}}) ^ (core_w & {DATA_W{core_c}}) ^
                             (a_w & {DATA_W{a_c}});
  // the block that comes is a MAC's last one
  wire pad_blk = mac & cur_last_q & cur_short_q & ~fr_iv &
                 (fetching ? last_blk : left_q == LB_ONE + LB_ONE);
  wire a_go = in_a | (step & a_used);
  // bytes of it from the length on count as 80 00 .., whatever the packet memory holds there; an
  // empty message is such a block with no own byte
  reg [DATA_W-1:0] a_in;
  integer p;
  always @* begin
    a_in = {DATA_W{1'b0}};
    for (p = 0; p < BYTES; p = p + 1)
      a_in[DATA_W-1-8*p -: 8] =
        (fr_data[DATA_W-1-8*p -: 8] &
         {8{in_a & (~pad_blk | ((byte_of(fr_word) + p[3:0]) < cur_bytes_q))}}) |
        {in_a & pad_blk & ((byte_of(fr_word) + p[3:0]) == cur_bytes_q), 7'd0};
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

  wire load = (state_q == IDLE) & jb_valid;
  assign jb_ready = (fire_in & first_q) | (load & jb_zero);

  always @(posedge clk) begin
    // operands
    if (in_key) begin
      key_q             <= key_q << DATA_W;
      key_q[DATA_W-1:0] <= ks_data;
    end
    if (a_go) begin
      a_q             <= a_q << DATA_W;
      a_q[DATA_W-1:0] <= a_in;
    end
    if (c_go) begin
      c_q             <= c_q << DATA_W;
      c_q[DATA_W-1:0] <= c_in;
    end
    turned_q      <= c_go;
    turned_word_q <= in_iv ? fr_word : in_cs ? cs_word : word_q;
    if (turned_q) ones_q[turned_word_q] <= &c_q[DATA_W-1:0];

    // what is asked for, what is here
    if (fl_valid & fl_ready) begin
      if (ask_blk)      blk_asked_q <= 1'b1;
      else if (ask_tag) tag_asked_q <= 1'b1;
      else              iv_asked_q  <= 1'b1;
    end
    if (ch_valid & ch_ready) iv_asked_q <= 1'b1;
    if (kr_valid & kr_ready) begin
      if (ask_key) key_asked_q <= 1'b1;
      else         sub_asked_q <= 1'b1;
    end
    if (in_a & (fr_word == WLAST)) begin
      if (fr_iv) tag_here_q <= 1'b1;
      else       blk_here_q <= 1'b1;
    end
    if ((in_iv & (fr_word == WLAST)) | (in_cs & (cs_word == WLAST))) iv_here_q <= 1'b1;
    if (in_key & (ks_word == KLAST)) key_here_q <= 1'b1;
    if (in_sub & (ks_word == SLAST)) sub_here_q <= 1'b1;
    ready_q <= fetching & key_here_q & (blk_here_q | keygen) & (iv_here_q | ~iv_need_q) &
               (sub_here_q | ~mac_end) & ~fire_in;
    // done beats between lw_* and their credits: at most 4 fit in cluster_wb's tree
    if (done != cr_mine) beats_q <= done ? beats_q + 3'd1 : beats_q - 3'd1;

    if (step & tag & (core_w != a_w)) wrong_q <= 1'b1;
    if (step | (saving & beat)) word_q <= word_last ? {WIDX_W{1'b0}} : word_q + WONE;

    case (state_q)
      IDLE: if (load) begin
        state_q       <= jb_zero ? DONE : FETCH;
        cur_slot_q    <= jb_slot;
        cur_cmd_q     <= jb_cmd;
        cur_mode_q    <= jb_mode;
        cur_last_q    <= jb_last;
        cur_chained_q <= jb_chained & (jb_mode != M_KEYGEN);
        cur_short_q   <= jb_frac | jb_empty;
        cur_ivf_q     <= jb_ivf & ~jb_mac;
        cur_bytes_q   <= jb_len[3:0];
        cur_idx_q     <= jb_idx;
        cur_key_q     <= jb_key;
        left_q        <= jb_blocks + (LB_ONE & {LB_W{jb_frac | jb_empty}});
        blk_q         <= {BLK_W{1'b0}};
        first_q       <= 1'b1;
        wrong_q       <= 1'b0;
        iv_need_q     <= jb_mac ? ~jb_first & ~jb_fwd
                                : (jb_mode == M_CTR) | (((jb_mode == M_CBC) |
                                  (jb_mode == M_CFB) | (jb_mode == M_OFB)) & ~jb_fwd);
        have_q        <= ~jb_mac | ~jb_first;
        key_asked_q   <= 1'b0;
        key_here_q    <= 1'b0;
        iv_asked_q    <= 1'b0;
        iv_here_q     <= 1'b0;
        sub_asked_q   <= 1'b0;
        sub_here_q    <= 1'b0;
        tag_asked_q   <= 1'b0;
        tag_here_q    <= 1'b0;
      end
      FETCH: if (fire_in) begin
        state_q     <= RUN;
        first_q     <= 1'b0;
        iv_need_q   <= 1'b0;
        blk_asked_q <= 1'b0;
        blk_here_q  <= 1'b0;
      end
      RUN: if (keygen) begin
        if (c_out_valid & kgo_ready) state_q <= IDLE;
      end else if (c_out_valid & (tag_here_q | ~tag)) state_q <= OUT;
      OUT: if (step & word_last) begin
        have_q <= 1'b1;
        if (~last_blk) begin
          state_q <= FETCH;
          left_q  <= left_q - LB_ONE;
          blk_q   <= blk_q + BLK_ONE;
        end else
          state_q <= tag ? DONE : (save & ~save_out) ? SAVE : IDLE;
      end
      SAVE:    if (done) state_q <= IDLE;
      default: if (done) state_q <= IDLE;
    endcase

    // data and keys too: nothing of a tenant must survive a reset
    if (rst) begin
      state_q       <= IDLE;
      key_q         <= {KEY_BITS{1'b0}};
      a_q           <= 128'd0;
      c_q           <= 128'd0;
      ones_q        <= {BPB{1'b0}};
      turned_q      <= 1'b0;
      turned_word_q <= {WIDX_W{1'b0}};
      key_asked_q   <= 1'b0;
      key_here_q    <= 1'b0;
      blk_asked_q   <= 1'b0;
      blk_here_q    <= 1'b0;
      iv_asked_q    <= 1'b0;
      iv_here_q     <= 1'b0;
      sub_asked_q   <= 1'b0;
      sub_here_q    <= 1'b0;
      tag_asked_q   <= 1'b0;
      tag_here_q    <= 1'b0;
      ready_q       <= 1'b0;
      beats_q       <= 3'd0;
      wrong_q       <= 1'b0;
      word_q        <= {WIDX_W{1'b0}};
      first_q       <= 1'b0;
      have_q        <= 1'b0;
      iv_need_q     <= 1'b0;
      cur_slot_q    <= {SLOT_W{1'b0}};
      cur_cmd_q     <= 2'd0;
      cur_mode_q    <= M_ECB;
      cur_last_q    <= 1'b0;
      cur_chained_q <= 1'b0;
      cur_short_q   <= 1'b0;
      cur_ivf_q     <= 1'b0;
      cur_bytes_q   <= 4'd0;
      cur_idx_q     <= {IDX_W{1'b0}};
      cur_key_q     <= {KS_W{1'b0}};
      left_q        <= {LB_W{1'b0}};
      blk_q         <= {BLK_W{1'b0}};
    end
  end
endmodule
`default_nettype wire
