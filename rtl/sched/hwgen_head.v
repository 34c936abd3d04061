// SPDX-License-Identifier: Apache-2.0
// Head of a cluster queue: strict head of line. Reads the header of the packet (and of the next one
// ahead), checks it in the order of interfaces.md, then dispatches, refuses, loads a key or aborts.
// Latency at 128 bits from cq_valid in cycle 2: header 3, lookup 4, check 5, dispatch of a bound
// packet 6, of others with the balancer's bl_valid (6 + ceil(log2 CORES)); refusal offered in 7.
// Initiation interval: bound packets 2; others the balancer's.
// Handshake: cq/hr/rf valid/ready, hr_valid is combinational from cq_valid; dp_* is a pulse made of
// registers and bl_valid. The header's bytes come as the stream's: byte 0 in bits 7:0 of word 0.
`default_nettype none
module hwgen_head #(
  // bits of a header word: 32, 64, 128
  parameter DATA_W     = 128,
  // packet slots
  parameter SLOTS      = 32,
  // largest payload in blocks of 16 bytes
  parameter PKT_BLOCKS = 4,
  // requesters, 1 to 256
  parameter REQUESTERS = 4,
  // cores of the cluster, 1 to 64
  parameter CORES      = 4,
  // choose-list entries
  parameter CHOOSE     = 16,
  // key slots, 1 to 256
  parameter KEY_SLOTS  = 8,
  // 1: a job stays with its core to its last packet; 0: only while packets of it are pending
  parameter BIND_JOB   = 0,
  // derived: do not set
  parameter SLOT_W   = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter TID_W    = (REQUESTERS > 1) ? $clog2(REQUESTERS) : 1,
  parameter CORE_W   = (CORES > 1) ? $clog2(CORES) : 1,
  parameter IDX_W    = (CHOOSE > 1) ? $clog2(CHOOSE) : 1,
  parameter KS_W     = (KEY_SLOTS > 1) ? $clog2(KEY_SLOTS) : 1,
  parameter LEN_W    = $clog2(PKT_BLOCKS * 16 + 1),
  parameter BLOCKS_W = ((PKT_BLOCKS > 1) ? $clog2(PKT_BLOCKS) : 1) + 1,
  parameter DESC_W   = 10 + LEN_W + IDX_W + KS_W,
  parameter WIDX_W   = (DATA_W < 128) ? $clog2(128 / DATA_W) : 1
) (
  input  wire                    clk,
  input  wire                    rst,
  input  wire                    cq_valid,
  output wire                    cq_ready,
  input  wire [SLOT_W-1:0]       cq_slot,
  output wire                    hr_valid,
  input  wire                    hr_ready,
  output wire [SLOT_W-1:0]       hr_slot,
  input  wire                    hv_valid,
  input  wire [WIDX_W-1:0]       hv_word,
  input  wire [TID_W+DATA_W-1:0] hv_data,
  // choose list
  output wire                    lk_valid,
  output wire                    lk_use,
  output wire [TID_W-1:0]        lk_tid,
  output wire [15:0]             lk_task,
  output wire [1:0]              lk_cmd,
  output wire [2:0]              lk_mode,
  output wire [KS_W-1:0]         lk_key,
  output wire [15:0]             lk_no,
  input  wire                    lk_hit,
  input  wire [IDX_W-1:0]        lk_idx,
  input  wire                    lk_same,
  input  wire                    q_dead,
  input  wire                    q_bound,
  input  wire [CORE_W-1:0]       q_core,
  output wire                    nx_valid,
  output wire [15:0]             nx_no,
  input  wire                    free_any,
  input  wire [IDX_W-1:0]        free_idx,
  output wire                    al_valid,
  output wire [IDX_W-1:0]        al_idx,
  output wire [TID_W-1:0]        al_tid,
  output wire [15:0]             al_task,
  output wire [1:0]              al_cmd,
  output wire [2:0]              al_mode,
  output wire [KS_W-1:0]         al_key,
  output wire                    up_valid,
  output wire [IDX_W-1:0]        up_idx,
  output wire [CORE_W-1:0]       up_core,
  output wire                    up_last,
  output wire                    kl_valid,
  input  wire                    kl_ready,
  output wire [IDX_W-1:0]        kl_idx,
  // key store: query with the lookup, answers in the next cycle and held (kq_busy live)
  output wire                    kq_valid,
  output wire [7:0]              kq_key,
  output wire [TID_W-1:0]        kq_tid,
  output wire [1:0]              kq_op,
  input  wire                    kq_ok,
  input  wire                    kq_foreign,
  input  wire                    kq_busy,
  input  wire                    kq_barred,
  output wire                    ku_valid,
  output wire [KS_W-1:0]         ku_key,
  output wire                    ld_valid,
  output wire [KS_W-1:0]         ld_key,
  output wire [TID_W-1:0]        ld_tid,
  output wire [3:0]              ld_perm,
  output wire                    ld_erase,
  output wire [SLOT_W-1:0]       ld_slot,
  input  wire                    ld_done,
  output wire                    kb_valid,
  output wire [KS_W-1:0]         kb_key,
  // balancer
  output wire                    st_valid,
  output wire [1:0]              st_op,
  output wire                    st_inv,
  output wire                    st_drop,
  input  wire                    bl_valid,
  input  wire [CORE_W-1:0]       bl_core,
  input  wire [CORES-1:0]        full,
  // dispatch
  output wire                    dp_valid,
  // 1: to the core of its job; 0: as the balancer decided
  output wire                    dp_bound,
  output wire [CORE_W-1:0]       dp_core,
  output wire [SLOT_W-1:0]       dp_slot,
  output wire [1:0]              dp_op,
  output wire [BLOCKS_W-1:0]     dp_blocks,
  output wire [DESC_W-1:0]       dp_desc,
  // refusals and control results
  output wire                    rf_valid,
  input  wire                    rf_ready,
  output wire [SLOT_W-1:0]       rf_slot,
  output wire [3:0]              rf_status
);
  localparam BYTES = DATA_W / 8;
  localparam BPB   = 128 / DATA_W;
  // word and bit in it of bytes 4 (task) and 8 (length)
  localparam [31:0] TASK_WORD = 4 / BYTES;
  localparam [31:0] LEN_WORD  = 8 / BYTES;
  localparam [31:0] LAST_WORD = BPB - 1;
  localparam TASK_BIT = (4 % BYTES) * 8;
  localparam LEN_BIT  = (8 % BYTES) * 8;
  localparam HDR_W    = TID_W + 8 + 16 + 16 + 16 + 2 + 8;

  // ---- headers: one request on the way; H is the packet next to be looked up, N the one after.
  // A header lands in H when H is empty at its first word (then N is empty too), else in N.
  reg              out_q, n_valid_q, h_valid_q, to_h_q;
  reg [SLOT_W-1:0] out_slot_q, n_slot_q, h_slot_q;
  reg [HDR_W-1:0]  n_hdr_q, h_hdr_q;

  wire              hv_first = hv_word == {WIDX_W{1'b0}};
  wire              hv_last  = hv_word == LAST_WORD[WIDX_W-1:0];
  wire              to_h     = hv_first ? ~h_valid_q : to_h_q;
  wire [TID_W-1:0]  in_tid   = hv_data[DATA_W +: TID_W];
  wire              ask      = ~out_q & ~n_valid_q;
  wire              unused_hv = &{1'b0, hv_data};  // version, cluster, zeros, cookie

  // words with fields of interest: 0, those of task and No, those of length and key
  wire in_0 = hv_valid & hv_first;
  wire in_t = hv_valid & (hv_word == TASK_WORD[WIDX_W-1:0]);
  wire in_l = hv_valid & (hv_word == LEN_WORD[WIDX_W-1:0]);
  wire [HDR_W-1:0] in_hdr  = {in_tid, hv_data[LEN_BIT +: 24], hv_data[TASK_BIT +: 32],
                              hv_data[25:24], hv_data[23:16]};
  wire [HDR_W-1:0] in_mask = {{TID_W{in_0}}, {24{in_l}}, {32{in_t}}, {10{in_0}}};

  assign hr_valid = cq_valid & ask;
  assign cq_ready = hr_ready & ask;
  assign hr_slot  = cq_slot;

  // ---- decision: D holds one packet from its lookup until it is dispatched or answered
  reg              d_valid_q, ck_q;
  reg [SLOT_W-1:0] d_slot_q;
  reg [HDR_W-1:0]  d_hdr_q;
  reg [15:0]       d_next_q;
  reg              d_first_q, d_chained_q, d_known_q;
  // what the check found: exactly one of these is 1 after it
  reg              bnd_go_q, dec_go_q, load_go_q, rf_go_q;
  reg              kill_q, bar_q, slow_q, new_q;
  reg [3:0]        status_q;
  reg [IDX_W-1:0]  d_idx_q;
  reg [CORE_W-1:0] d_core_q;
  reg              bound_q, room_q, again_q, ld_q;
  reg              rf_valid_q;
  reg [SLOT_W-1:0] rf_slot_q;
  reg [3:0]        rf_status_q;

  wire [TID_W-1:0] h_tid;
  wire [7:0]       h_key;
  wire [15:0]      h_len, h_no, h_task;
  wire             h_ivf, h_last;
  wire [3:0]       h_mode, h_cmd;
  assign {h_tid, h_key, h_len, h_no, h_task, h_ivf, h_last, h_mode, h_cmd} = h_hdr_q;
  wire h_ctl     = h_cmd[3];
  wire h_chained = ~h_ctl & (h_mode != 4'd0) & (h_mode != 4'd4);
  wire unused_h  = &{1'b0, h_len, h_ivf, h_last, h_cmd};  // no lookup needs these

  wire [TID_W-1:0] d_tid;
  wire [7:0]       d_key;
  wire [15:0]      d_len, d_no, d_task;
  wire             d_ivf, d_last;
  wire [3:0]       d_mode, d_cmd;
  assign {d_tid, d_key, d_len, d_no, d_task, d_ivf, d_last, d_mode, d_cmd} = d_hdr_q;
  wire d_ctl    = d_cmd[3];
  wire d_abort  = d_ctl & d_cmd[0];
  wire d_load   = d_ctl & ~d_cmd[0];
  // longer lengths are refused by ingress, other keys by the check; d_next_q is made of No; no
  // command has bit 2
  wire unused_d = &{1'b0, d_len, d_no, d_key, d_cmd};

  // a bound packet whose job has no packet pending any more is decided like a first one
  wire loose  = bnd_go_q & ~bound_q & (BIND_JOB == 0);
  wire dp_b   = bnd_go_q & room_q & (bound_q | (BIND_JOB != 0));
  wire dp_u   = dec_go_q & bl_valid;
  wire dp     = dp_b | dp_u;
  wire answer = rf_go_q & ~rf_valid_q & (~kill_q | kl_ready);
  wire leave  = dp | answer;
  // the next lookup must not miss what this packet writes into the choose list or key store
  wire take   = h_valid_q & (~d_valid_q | (leave & ~slow_q));

  assign lk_valid = take;
  assign lk_use   = h_chained | (h_ctl & h_cmd[0]);
  assign lk_tid   = h_tid;
  assign lk_task  = h_task;
  assign lk_cmd   = h_cmd[1:0];
  assign lk_mode  = h_mode[2:0];
  assign lk_key   = h_key[KS_W-1:0];
  assign lk_no    = h_no;
  assign kq_valid = take;
  assign kq_key   = h_key;
  assign kq_tid   = h_tid;
  assign kq_op    = h_cmd[1:0];

  // ---- the check, in the cycle after the lookup
  wire hit     = lk_hit;
  reg  wrong, keyed, err4, err5, err6, err7, err8, err, go;
  always @* begin
    {wrong, keyed, err4, err5, err6, err7, err8, err, go} = 9'bx;
    if (ck_q) begin
      wrong = d_first_q | ~lk_same | ~d_known_q;
      keyed = ~d_ctl & ~(d_chained_q & (hit | ~d_first_q));
      err4  = (d_chained_q & (hit ? q_dead : ~d_first_q)) | (d_abort & ~hit);
      err5  = d_chained_q & hit & ~q_dead & wrong;
      err7  = (keyed & ~kq_ok) | (d_load & kq_foreign);
      err8  = (keyed & kq_ok & kq_barred) | (d_load & ~kq_foreign & kq_busy);
      err6  = keyed & d_chained_q & kq_ok & ~kq_barred & ~free_any;
      err   = err4 | err5 | err6 | err7 | err8;
      go    = ~d_ctl & ~err;
    end
  end
  wire go_bnd  = hit & (q_bound | (BIND_JOB != 0));

  assign nx_valid = ck_q & d_chained_q;
  assign nx_no    = d_next_q;

  assign st_valid = (ck_q & ~d_ctl) | again_q;
  assign st_op    = d_cmd[1:0];
  // CFB, OFB, CTR and CMAC encrypt in both directions
  assign st_inv   = (d_cmd[1:0] == 2'd1) & ((d_mode == 4'd0) | (d_mode == 4'd1));
  assign st_drop  = ~(ck_q | dec_go_q);

  assign dp_valid  = dp;
  assign dp_bound  = bnd_go_q;
  assign dp_core   = bnd_go_q ? d_core_q : bl_core;
  assign dp_slot   = d_slot_q;
  assign dp_op     = d_cmd[1:0];
  wire [LEN_W-4:0] blocks = {1'b0, d_len[LEN_W-1:4]} + {{(LEN_W-4){1'b0}}, (|d_len[3:0])};
  wire [BLOCKS_W+LEN_W-4:0] blocks_wide = {{BLOCKS_W{1'b0}}, blocks};
  wire unused_blocks = &{1'b0, blocks_wide};  // top bits, always 0
  assign dp_blocks = blocks_wide[BLOCKS_W-1:0]
                   | {{(BLOCKS_W-1){1'b0}}, (d_len[LEN_W-1:0] == {LEN_W{1'b0}})};
  reg [DESC_W-1:0] desc;
  always @* begin
    desc = {DESC_W{1'bx}};
    if (dp) desc = {bnd_go_q & bound_q, d_key[KS_W-1:0], d_idx_q, d_chained_q,
                    d_len[LEN_W-1:0], d_last, d_first_q, d_ivf, d_mode[2:0], d_cmd[1:0]};
  end
  assign dp_desc   = desc;

  assign al_valid = dp & new_q;
  assign al_idx   = d_idx_q;
  assign al_tid   = d_tid;
  assign al_task  = d_task;
  assign al_cmd   = d_cmd[1:0];
  assign al_mode  = d_mode[2:0];
  assign al_key   = d_key[KS_W-1:0];
  assign up_valid = dp & d_chained_q;
  assign up_idx   = d_idx_q;
  assign up_core  = dp_core;
  assign up_last  = d_last;
  assign kl_valid = rf_go_q & ~rf_valid_q & kill_q;
  assign kl_idx   = d_idx_q;
  // an open job uses its key once, through its entry; other packets one by one
  assign ku_valid = dp & (~d_chained_q | new_q);
  assign ku_key   = d_key[KS_W-1:0];
  assign kb_valid = answer & bar_q;
  assign kb_key   = d_key[KS_W-1:0];
  assign ld_valid = ld_q;
  assign ld_key   = d_key[KS_W-1:0];
  assign ld_tid   = d_tid;
  assign ld_perm  = d_mode;
  assign ld_erase = d_len[LEN_W-1:0] == {LEN_W{1'b0}};
  assign ld_slot  = d_slot_q;

  assign rf_valid  = rf_valid_q;
  assign rf_slot   = rf_slot_q;
  assign rf_status = rf_status_q;

  localparam [31:0] KEYS_I = KEY_SLOTS;

  always @(posedge clk) begin
    // headers
    if (hr_valid & hr_ready) begin
      out_q      <= 1'b1;
      out_slot_q <= cq_slot;
    end
    if (hv_valid) begin
      to_h_q <= to_h;
      if (to_h) h_hdr_q <= (h_hdr_q & ~in_mask) | (in_hdr & in_mask);
      else      n_hdr_q <= (n_hdr_q & ~in_mask) | (in_hdr & in_mask);
    end
    if (take) h_valid_q <= 1'b0;
    if (hv_valid & hv_last) begin
      out_q <= 1'b0;
      if (to_h) begin
        h_valid_q <= 1'b1;
        h_slot_q  <= out_slot_q;
      end else begin
        n_valid_q <= 1'b1;
        n_slot_q  <= out_slot_q;
      end
    end
    if (n_valid_q & ~h_valid_q) begin
      h_valid_q <= 1'b1;
      h_slot_q  <= n_slot_q;
      h_hdr_q   <= n_hdr_q;
      n_valid_q <= 1'b0;
    end

    // decision
    ck_q    <= take;
    again_q <= 1'b0;
    ld_q    <= 1'b0;
    if (take) begin
      d_hdr_q     <= h_hdr_q;
      d_slot_q    <= h_slot_q;
      d_next_q    <= (h_no == 16'hffff) ? 16'd1 : h_no + 16'd1;
      d_first_q   <= h_no == 16'd0;
      d_chained_q <= h_chained;
      d_known_q   <= {24'd0, h_key} < KEYS_I;
    end
    d_valid_q <= take | (d_valid_q & ~leave);
    d_core_q  <= q_core;
    bound_q   <= q_bound;
    room_q    <= ~full[q_core];
    if (ck_q) begin
      bnd_go_q  <= go & go_bnd;
      dec_go_q  <= go & ~go_bnd;
      load_go_q <= d_load & ~err;
      rf_go_q   <= err | d_abort;
      kill_q    <= err5 | (d_abort & hit);
      bar_q     <= d_load & err8;
      new_q     <= d_chained_q & ~hit;
      // with a kill too: an entry it frees at once is not found by the next lookup
      slow_q    <= d_ctl | err5 | (d_chained_q & ~hit);
      d_idx_q   <= hit ? lk_idx : free_idx;
      ld_q      <= d_load & ~err;
      status_q  <= err4 ? 4'd4 : err5 ? 4'd5 : err7 ? 4'd7 : err8 ? 4'd8 : err6 ? 4'd6 : 4'd0;
    end
    if (loose) begin
      bnd_go_q <= 1'b0;
      dec_go_q <= 1'b1;
      again_q  <= 1'b1;
    end
    if (load_go_q & ld_done) begin
      load_go_q <= 1'b0;
      rf_go_q   <= 1'b1;
    end
    if (leave) begin
      bnd_go_q <= 1'b0;
      dec_go_q <= 1'b0;
      rf_go_q  <= 1'b0;
    end
    if (rf_ready) rf_valid_q <= 1'b0;
    if (answer) begin
      rf_valid_q  <= 1'b1;
      rf_slot_q   <= d_slot_q;
      rf_status_q <= status_q;
    end
    if (rst) begin
      out_q      <= 1'b0;
      n_valid_q  <= 1'b0;
      h_valid_q  <= 1'b0;
      d_valid_q  <= 1'b0;
      ck_q       <= 1'b0;
      again_q    <= 1'b0;
      ld_q       <= 1'b0;
      bnd_go_q   <= 1'b0;
      dec_go_q   <= 1'b0;
      load_go_q  <= 1'b0;
      rf_go_q    <= 1'b0;
      rf_valid_q <= 1'b0;
    end
  end

  generate
    if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) begin : g_bad_data
      hwgen_error_head_data_w_must_be_32_64_or_128 u_error ();
    end
    if (KEY_SLOTS < 1 || KEY_SLOTS > 256 || REQUESTERS < 1 || REQUESTERS > 256) begin : g_bad
      hwgen_error_head_key_slots_and_requesters_must_be_1_to_256 u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
