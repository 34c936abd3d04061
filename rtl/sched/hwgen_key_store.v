// SPDX-License-Identifier: Apache-2.0
// Keys of a cluster: per slot the key, end key, CMAC subkeys K1 and K2 in one swept RAM; who owns
// it, what it may do, who uses it in flip-flops. Keys leave through ks_* to the lanes only.
// Latency: query 1 cycle (kq_busy live); lane read: request in t, kr_ready in t+1, word 0 in t+3;
// load: payload fetch, key generation by a lane, then a word a cycle. Interval: a word a cycle.
// Handshake: kr, kf, kg, kgo valid/ready; the rest pulses. kgo_* must be stable until kgo_ready.
// Bytes: block order everywhere, the first byte at the top.
`default_nettype none
module hwgen_key_store #(
  // key slots, 1 to 256
  parameter KEY_SLOTS  = 8,
  // bits of a key: 128 or 256
  parameter KEY_BITS   = 128,
  // bits of a memory word: 32, 64, 128
  parameter DATA_W     = 128,
  // requesters, 1 to 256
  parameter REQUESTERS = 4,
  // cores of the cluster, 1 to 64
  parameter CORES      = 4,
  // packet slots
  parameter SLOTS      = 32,
  // choose-list entries
  parameter CHOOSE     = 16,
  // largest payload in blocks of 16 bytes, at least a key
  parameter PKT_BLOCKS = 4,
  // 1: a load has a lane compute the end key and E_K(0); 0: those regions stay 0
  parameter KEYGEN     = 1,
  // derived: do not set
  parameter KS_W    = (KEY_SLOTS > 1) ? $clog2(KEY_SLOTS) : 1,
  parameter TID_W   = (REQUESTERS > 1) ? $clog2(REQUESTERS) : 1,
  parameter SLOT_W  = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter BLK_W   = (PKT_BLOCKS > 1) ? $clog2(PKT_BLOCKS) : 1,
  parameter LANE_W  = $clog2(CORES + 1),
  parameter WIDX_W  = (DATA_W < 128) ? $clog2(128 / DATA_W) : 1,
  parameter KWORD_W = (DATA_W < KEY_BITS) ? $clog2(KEY_BITS / DATA_W) : 1
) (
  input  wire                  clk,
  input  wire                  rst,
  output wire                  sweep_busy,
  // query: answers one cycle after kq_valid, held until the next; kq_busy is live
  input  wire                  kq_valid,
  input  wire [7:0]            kq_key,
  input  wire [TID_W-1:0]      kq_tid,
  input  wire [1:0]            kq_op,
  output wire                  kq_ok,
  output wire                  kq_foreign,
  output wire                  kq_busy,
  output wire                  kq_barred,
  // users of a slot: one more; one less (at most one of kd and, a cycle later, ef)
  input  wire                  ku_valid,
  input  wire [KS_W-1:0]       ku_key,
  input  wire                  kd_valid,
  input  wire [KS_W-1:0]       kd_key,
  input  wire                  ef_valid,
  input  wire [KS_W-1:0]       ef_key,
  // load, erase, bar
  input  wire                  ld_valid,
  input  wire [KS_W-1:0]       ld_key,
  input  wire [TID_W-1:0]      ld_tid,
  input  wire [3:0]            ld_perm,
  input  wire                  ld_erase,
  input  wire [SLOT_W-1:0]     ld_slot,
  output wire                  ld_done,
  input  wire                  kb_valid,
  input  wire [KS_W-1:0]       kb_key,
  // payload of a load
  output wire                  kf_valid,
  input  wire                  kf_ready,
  output wire [SLOT_W-1:0]     kf_slot,
  output wire [BLK_W-1:0]      kf_blk,
  input  wire                  fr_valid,
  input  wire [LANE_W-1:0]     fr_lane,
  input  wire                  fr_iv,
  input  wire [WIDX_W-1:0]     fr_word,
  input  wire [DATA_W-1:0]     fr_data,
  // key generation
  output wire                  kg_valid,
  input  wire                  kg_ready,
  output wire [KS_W-1:0]       kg_key,
  input  wire                  kgo_valid,
  output wire                  kgo_ready,
  input  wire [127:0]          kgo_l,
  input  wire [KEY_BITS-1:0]   kgo_end,
  // reads by the lanes; region 0 key, 1 end key, 2 K1, 3 K2
  input  wire [CORES-1:0]      kr_valid,
  output wire [CORES-1:0]      kr_ready,
  input  wire [CORES*KS_W-1:0] kr_key,
  input  wire [CORES*2-1:0]    kr_region,
  output wire                  ks_valid,
  output wire [LANE_W-1:0]     ks_lane,
  output wire [1:0]            ks_region,
  output wire [KWORD_W-1:0]    ks_word,
  output wire [DATA_W-1:0]     ks_data
);
  localparam BPB     = 128 / DATA_W;
  localparam KB      = KEY_BITS / 128;
  localparam CORE_W  = (CORES > 1) ? $clog2(CORES) : 1;
  localparam USERS_W = $clog2(SLOTS + CHOOSE + 1);
  // A slot's area: blocks key (KB), end key (KB), K1, K2; 2 or 3 bits of block number, then word
  localparam WB      = $clog2(BPB);
  localparam AT_W    = ((KB == 1) ? 2 : 3) + WB;
  localparam WORDS   = (2 * KB + 2) * BPB;
  localparam DEPTH   = KEY_SLOTS << AT_W;
  localparam ADDR_W  = $clog2(DEPTH);
  localparam [31:0] LAST_I     = WORDS - 1;
  localparam [31:0] LAST_KEY_I = KB * BPB - 1;
  localparam [31:0] END_I      = KB * BPB;
  localparam [31:0] K1_I       = 2 * KB * BPB;
  localparam [31:0] K2_I       = (2 * KB + 1) * BPB;
  localparam [31:0] LAST_WD_I  = BPB - 1;
  localparam [31:0] LOADER_I   = CORES;
  localparam [AT_W-1:0] LAST     = LAST_I[AT_W-1:0];
  localparam [AT_W-1:0] LAST_KEY = LAST_KEY_I[AT_W-1:0];
  localparam [AT_W-1:0] AT_ONE   = 1;
  localparam [USERS_W-1:0] U_ONE = 1;
  localparam [USERS_W-1:0] U_MINUS = {USERS_W{1'b1}};

  // ---- slots
  reg                  ok_q, foreign_q, barred_now_q;
  reg  [7:0]           key_q;
  reg                  kd_q;
  reg  [KS_W-1:0]      kd_key_q;
  // valid, barred, in use (users is not 0)
  reg  [KEY_SLOTS-1:0] valid_q, barred_q, used_q;
  reg  [KEY_SLOTS*TID_W-1:0]   owner_q;
  reg  [KEY_SLOTS*4-1:0]       perm_q;
  reg  [KEY_SLOTS*USERS_W-1:0] users_q;
  localparam [KEY_SLOTS-1:0] BIT = 1;
  // 0 for a number that no slot has
  wire [KEY_SLOTS-1:0] asked_now = BIT << key_q;

  // ---- loading
  localparam [2:0] IDLE = 3'd0, ASK = 3'd1, TAKE = 3'd2, GEN = 3'd3, WAIT = 3'd4, ERASE = 3'd5,
                   DONE = 3'd6;
  reg  [2:0]        state_q;
  reg  [AT_W-1:0]   at_q;
  reg  [KS_W-1:0]   ld_key_q;
  reg  [TID_W-1:0]  ld_tid_q;
  reg  [3:0]        ld_perm_q;
  reg               ld_erase_q;
  reg  [SLOT_W-1:0] ld_slot_q;

  reg  arrives, store, we;
  always @* begin
    {arrives, store, we} = 3'd0;
    if (state_q != IDLE) begin
      arrives = (state_q == TAKE) & fr_valid & ~fr_iv & (fr_lane == LOADER_I[LANE_W-1:0]);
      store   = (state_q == WAIT) & kgo_valid;
      we      = arrives | store | (state_q == ERASE);
    end
  end

  // word at of the slot's area: end key, K1 and K2 (the key's place is filled by the payload)
  function [DATA_W-1:0] made;
    input [127:0]            l;
    input [KEY_BITS-1:0]     end_key;
    input [AT_W-1:0]         at;
    reg   [127:0]            k1, k2;
    reg   [WORDS*DATA_W-1:0] area;
    begin
      k1   = {l[126:0], 1'b0} ^ {120'd0, {8{l[127]}} & 8'h87};
      k2   = {k1[126:0], 1'b0} ^ {120'd0, {8{k1[127]}} & 8'h87};
      area = {{KEY_BITS{1'b0}}, end_key, k1, k2};
      made = area[(LAST_I - {{(32-AT_W){1'b0}}, at}) * DATA_W +: DATA_W];
    end
  endfunction

  reg  [DATA_W-1:0] wdata;
  always @* begin
    wdata = {DATA_W{1'b0}};
    if (arrives) wdata = fr_data;
    else if (store) wdata = made(kgo_l, kgo_end, at_q);
  end

  assign ld_done   = state_q == DONE;
  assign kf_valid  = state_q == ASK;
  assign kf_slot   = ld_slot_q;
  assign kg_valid  = state_q == GEN;
  assign kg_key    = ld_key_q;
  assign kgo_ready = store & (at_q == LAST);

  generate
    if (KB == 1) begin : g_one_block
      assign kf_blk = {BLK_W{1'b0}};
    end else begin : g_two_blocks
      wire [AT_W+BLK_W-1:0] blk = {{BLK_W{1'b0}}, at_q} >> WB;
      wire unused_blk = &{1'b0, blk};  // 0 or 1 when asked for: top bits 0
      assign kf_blk = blk[BLK_W-1:0];
    end
  endgenerate

  always @(posedge clk) begin
    case (state_q)
      IDLE: if (ld_valid) state_q <= ld_erase ? ERASE : ASK;
      ASK:  if (kf_ready) state_q <= TAKE;
      TAKE: if (arrives) begin
        if (at_q == LAST_KEY) state_q <= (KEYGEN != 0) ? GEN : DONE;
        else if (fr_word == LAST_WD_I[WIDX_W-1:0]) state_q <= ASK;
      end
      GEN:  if (kg_ready) state_q <= WAIT;
      WAIT: if (store & (at_q == LAST)) state_q <= DONE;
      ERASE: if (at_q == LAST) state_q <= DONE;
      default: state_q <= IDLE;
    endcase
    if (state_q == IDLE) at_q <= {AT_W{1'b0}};
    else if (we) at_q <= at_q + AT_ONE;
    if (ld_valid) begin
      ld_key_q   <= ld_key;
      ld_tid_q   <= ld_tid;
      ld_perm_q  <= ld_perm;
      ld_erase_q <= ld_erase;
      ld_slot_q  <= ld_slot;
    end
    if (rst) state_q <= IDLE;
  end

  // ---- state of the slots
  assign kq_ok      = ok_q;
  assign kq_foreign = foreign_q;
  assign kq_barred  = barred_now_q;
  assign kq_busy    = |(used_q & asked_now);

  // the slot asked for; those of the query's requester; with a permission for its op (0: all)
  reg  [KEY_SLOTS-1:0] asked, mine, permits;
  integer q;
  always @* begin
    q = 0; // on every path, lest a tool sees a latch
    {asked, mine, permits} = {(3*KEY_SLOTS){1'bx}};
    if (kq_valid) begin
      asked = BIT << kq_key;
      for (q = 0; q < KEY_SLOTS; q = q + 1) begin
        mine[q]    = owner_q[q*TID_W +: TID_W] == kq_tid;
        permits[q] = perm_q[q*4 + {30'd0, kq_op}] | (perm_q[q*4 +: 4] == 4'd0);
      end
    end
  end

  always @(posedge clk) begin
    if (kq_valid) begin
      key_q        <= kq_key;
      ok_q         <= |(asked & valid_q & mine & permits);
      foreign_q    <= ~(|asked) | (|(asked & valid_q & ~mine));
      barred_now_q <= |(asked & barred_q);
    end
    // a cycle later, as ef comes: then only one slot loses a user in a cycle
    kd_q     <= kd_valid;
    kd_key_q <= kd_key;
    if (rst) begin
      ok_q <= 1'b0;
      kd_q <= 1'b0;
    end
  end

  wire            less     = kd_q | ef_valid;
  wire [KS_W-1:0] less_key = kd_q ? kd_key_q : ef_key;
  reg  [KEY_SLOTS-1:0] up, down, begins, loaded, bars;
  always @* begin
    {up, down, begins, loaded, bars} = {(5*KEY_SLOTS){1'b0}};
    if (ku_valid | less) begin
      if (ku_valid) up = BIT << ku_key;
      if (less) down = BIT << less_key;
    end
    if (ld_valid | ld_done | kb_valid) begin
      // no use of a slot whose memory is half written
      if (ld_valid) begins = BIT << ld_key;
      if (ld_done) loaded = BIT << ld_key_q;
      if (kb_valid) bars = BIT << kb_key;
    end
  end

  integer s;
  always @(posedge clk) begin
    if (ku_valid | less)
      for (s = 0; s < KEY_SLOTS; s = s + 1)
        if (up[s] != down[s]) begin
          users_q[s*USERS_W +: USERS_W] <= users_q[s*USERS_W +: USERS_W] +
                                           (up[s] ? U_ONE : U_MINUS);
          used_q[s] <= up[s] | (users_q[s*USERS_W +: USERS_W] != U_ONE);
        end
    if (ld_done)
      for (s = 0; s < KEY_SLOTS; s = s + 1)
        if (loaded[s]) begin
          owner_q[s*TID_W +: TID_W] <= ld_tid_q;
          perm_q[s*4 +: 4]          <= ld_perm_q;
        end
    if (ld_valid | ld_done | kb_valid) begin
      valid_q  <= (valid_q & ~begins & ~loaded) | (loaded & {KEY_SLOTS{~ld_erase_q}});
      barred_q <= (barred_q & ~loaded) | bars;
    end
    if (rst) begin
      valid_q  <= {KEY_SLOTS{1'b0}};
      barred_q <= {KEY_SLOTS{1'b0}};
      used_q   <= {KEY_SLOTS{1'b0}};
      users_q  <= {(KEY_SLOTS*USERS_W){1'b0}};
    end
  end

  generate
    if (KEY_SLOTS < 1 || KEY_SLOTS > 256) begin : g_bad_slots
      hwgen_error_key_store_key_slots_must_be_1_to_256 u_error ();
    end
    if (KEY_BITS != 128 && KEY_BITS != 256) begin : g_bad_bits
      hwgen_error_key_store_key_bits_must_be_128_or_256 u_error ();
    end
    if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) begin : g_bad_data
      hwgen_error_key_store_data_w_must_be_32_64_or_128 u_error ();
    end
    if (PKT_BLOCKS < KB) begin : g_bad_blocks
      hwgen_error_key_store_pkt_blocks_must_hold_a_key u_error ();
    end
  endgenerate

  // ---- reads by the lanes
  wire               rd, first;
  wire [KWORD_W-1:0] word;
  wire [CORE_W-1:0]  index;
  reg  [KS_W-1:0]    req_key, key_held_q;
  reg  [1:0]         req_region, region_held_q;
  wire [KS_W-1:0]    rd_key    = first ? req_key : key_held_q;
  wire [1:0]         rd_region = first ? req_region : region_held_q;
  wire [KWORD_W-1:0] extra     = req_region[1] ? LAST_WD_I[KWORD_W-1:0] : LAST_KEY_I[KWORD_W-1:0];
  // a region starts at a multiple of its size: the word number is or-ed in
  wire [AT_W-1:0]    start     = rd_region[1] ? (rd_region[0] ? K2_I[AT_W-1:0] : K1_I[AT_W-1:0])
                               : (rd_region[0] ? END_I[AT_W-1:0] : {AT_W{1'b0}});
  wire [AT_W+KWORD_W-1:0] word_wide = {{AT_W{1'b0}}, word};
  wire [AT_W-1:0]    rd_at     = start | word_wide[AT_W-1:0];
  // one slot: the slot number takes no address bit
  wire [KS_W+AT_W-1:0] raddr   = {rd_key, rd_at};
  wire [KS_W+AT_W-1:0] waddr   = {ld_key_q, at_q};
  wire [DATA_W-1:0]  rdata;
  wire unused = &{1'b0, raddr, waddr, word_wide};  // top bits, 0: a lone slot's number, zeros

  reg                rd_q, ks_valid_q;
  reg [CORE_W-1:0]   rd_lane_q;
  reg [LANE_W-1:0]   ks_lane_q;
  reg [1:0]          rd_region_q, ks_region_q;
  reg [KWORD_W-1:0]  rd_word_q, ks_word_q;
  reg [DATA_W-1:0]   ks_data_q;
  wire [LANE_W+CORE_W-1:0] lane_wide = {{LANE_W{1'b0}}, rd_lane_q};
  wire unused_lane = &{1'b0, lane_wide};  // top bits, always 0

  assign ks_valid  = ks_valid_q;
  assign ks_lane   = ks_lane_q;
  assign ks_region = ks_region_q;
  assign ks_word   = ks_word_q;
  assign ks_data   = ks_data_q;

  hwgen_read_arb #(
    .N       (CORES),
    .WORDS_W (KWORD_W)
  ) u_arb (
    .clk   (clk),
    .rst   (rst),
    .stop  (sweep_busy),
    .req   (kr_valid),
    .ready (kr_ready),
    .extra (extra),
    .rd    (rd),
    .first (first),
    .word  (word),
    .index (index)
  );

  // gathered where one is wanted: a simulator skips it in other cycles
  reg  [CORES*KS_W-1:0] keys;
  reg  [CORES*2-1:0]    regions;
  integer k;
  always @* begin
    k = 0; // on every path, lest a tool sees a latch
    {req_key, req_region} = {(KS_W+2){1'bx}};
    {keys, regions} = {(CORES*(KS_W+2)){1'bx}};
    if (first) begin
      req_key    = {KS_W{1'b0}};
      req_region = 2'd0;
      {keys, regions} = {kr_key, kr_region};
      for (k = 0; k < CORES; k = k + 1)
        if (kr_ready[k]) begin
          req_key    = req_key | keys[k*KS_W +: KS_W];
          req_region = req_region | regions[k*2 +: 2];
        end
    end
  end

  hwgen_swept_ram #(
    .WIDTH (DATA_W),
    .DEPTH (DEPTH)
  ) u_ram (
    .clk   (clk),
    .rst   (rst),
    .sweep (1'b0),
    .busy  (sweep_busy),
    .we    (we),
    .waddr (waddr[ADDR_W-1:0]),
    .wdata (wdata),
    .re    (rd),
    .raddr (raddr[ADDR_W-1:0]),
    .rdata (rdata)
  );

  always @(posedge clk) begin
    if (first) begin
      key_held_q    <= req_key;
      region_held_q <= req_region;
    end
    rd_q       <= rd;
    ks_valid_q <= rd_q;
    if (rd) begin
      rd_lane_q   <= index;
      rd_region_q <= rd_region;
      rd_word_q   <= word;
    end
    if (rd_q) begin
      ks_lane_q   <= lane_wide[LANE_W-1:0];
      ks_region_q <= rd_region_q;
      ks_word_q   <= rd_word_q;
      ks_data_q   <= rdata;
    end
    // no key word stays here after its cycle
    if (rst | (ks_valid_q & ~rd_q)) ks_data_q <= {DATA_W{1'b0}};
    if (rst) begin
      rd_q       <= 1'b0;
      ks_valid_q <= 1'b0;
    end
  end
endmodule
`default_nettype wire
