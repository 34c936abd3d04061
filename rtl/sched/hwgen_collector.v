// SPDX-License-Identifier: Apache-2.0
// Sends results in completion order: header rewritten, payload, then the slot is freed.
// Record on cf_* in cycle t: memories addressed in t (combinational), first beat out in t+2.
// Initiation interval 1 beat: no idle beat inside a result, nor between results while records wait.
// Outputs are registers, stable while stalled; bytes with tkeep = 0 are 0.
// sf_valid comes in the cycle after the last beat's handshake.
// clr (1 or more cycles): a result whose first beat is on m_axis_*, or was, is finished unchanged;
// records taken but not begun are forgotten, since the clear walk answers their slots. busy = 0:
// nothing is begun, and nothing will be until cf_valid.
`default_nettype none
module hwgen_collector #(
  // stream width: 32, 64 or 128
  parameter DATA_W      = 128,
  // packet slots of the design
  parameter SLOTS       = 32,
  // packet_bytes / 16
  parameter PKT_BLOCKS  = 4,
  // requesters, 1 to 256
  parameter REQUESTERS  = 4,
  // clusters, 1 to 16
  parameter CLUSTERS    = 2,
  // 0: byte 10 of every result is 255, so that no tenant learns the core
  parameter REPORT_CORE = 1,
  // derived: do not set
  parameter SLOT_W      = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter TID_W       = (REQUESTERS > 1) ? $clog2(REQUESTERS) : 1,
  parameter CLUSTER_W   = (CLUSTERS > 1) ? $clog2(CLUSTERS) : 1,
  parameter OFF_W       = (PKT_BLOCKS*128/DATA_W > 1) ? $clog2(PKT_BLOCKS*128/DATA_W) : 1,
  parameter WIDX_W      = (DATA_W < 128) ? $clog2(128/DATA_W) : 1
) (
  input  wire                  clk,
  input  wire                  rst,
  input  wire                  clr,
  output wire                  busy,
  // completion fifo
  input  wire                  cf_valid,
  output wire                  cf_ready,
  input  wire [SLOT_W-1:0]     cf_slot,
  input  wire [3:0]            cf_status,
  input  wire [7:0]            cf_core,
  input  wire [1:0]            cf_kind,
  // header_store
  output wire                  hc_re,
  output wire [SLOT_W-1:0]     hc_slot,
  output wire [WIDX_W-1:0]     hc_word,
  input  wire [TID_W+DATA_W:0] hc_data,
  // result area
  output wire                  rr_re,
  output wire [SLOT_W-1:0]     rr_slot,
  output wire [OFF_W-1:0]      rr_off,
  input  wire [DATA_W-1:0]     rr_data,
  output wire [DATA_W-1:0]     m_axis_result_tdata,
  output wire [DATA_W/8-1:0]   m_axis_result_tkeep,
  output wire                  m_axis_result_tvalid,
  input  wire                  m_axis_result_tready,
  output wire                  m_axis_result_tlast,
  output wire [TID_W-1:0]      m_axis_result_tdest,
  // freed slots; sf_counted = 0: the packet was never counted in its cluster's quota
  output wire                  sf_valid,
  output wire [SLOT_W-1:0]     sf_slot,
  output wire                  sf_counted,
  output wire [CLUSTER_W-1:0]  sf_cluster
);
  localparam BYTES = DATA_W/8;
  localparam LB    = $clog2(BYTES);
  localparam BPB   = 128/DATA_W;
  localparam [31:0] LAST_WORD_I = BPB - 1;
  localparam [WIDX_W-1:0] LAST_WORD = LAST_WORD_I[WIDX_W-1:0];
  localparam [OFF_W-1:0]  LAST_MAC  = LAST_WORD_I[OFF_W-1:0];
  localparam [31:0] L_WORD_I = 8/BYTES;
  localparam [WIDX_W-1:0] L_WORD = L_WORD_I[WIDX_W-1:0];
  localparam L_LANE = (8 % BYTES)*8;
  localparam [WIDX_W-1:0] WONE = 1;
  localparam [OFF_W-1:0]  OONE = 1;

  // Stage I addresses a word, stage B has it on the RAM outputs, then two output entries (o, s).
  // START: the next record's word 0; HDR: its further words; DECIDE: payload word 0 or START;
  // PAY: further payload words.
  localparam [1:0] START = 2'd0, HDR = 2'd1, DECIDE = 2'd2, PAY = 2'd3;

  reg [1:0]        state_q;
  reg [WIDX_W-1:0] word_q;
  reg [OFF_W-1:0]  off_q;
  reg              second_q;  // PAY: payload word 0 is in B, the length registers are just loaded
  // the record of the word in I (but for word 0) and of the word in B
  reg [SLOT_W-1:0] slot_q;
  reg [3:0]        status_q;
  reg [7:0]        core_q;
  reg [1:0]        kind_q;
  // stage B
  reg              b_valid_q, b_hdr_q, b_first_q, b_last_q;
  reg [WIDX_W-1:0] b_word_q;
  // of the record: last payload word, its tkeep, tid, cluster
  reg [OFF_W-1:0]  last_q;
  reg              one_q;
  reg [BYTES-1:0]  tail_q;
  reg [TID_W-1:0]  tid_q;
  reg [CLUSTER_W-1:0] cluster_q;

  reg              s_valid_q;
  // an empty B takes a word even while the output is blocked: a record that comes in a stall must
  // stand ready behind it
  wire             adv = ~s_valid_q | ~b_valid_q;

  // else I and B stand still
  wire stir = cf_valid | (state_q != START) | b_valid_q;
  reg  has_pay, pay0, payn, start, pop, pay_end;
  always @* begin
    {has_pay, pay0, payn, start, pay_end} = 5'bx;
    pop = 1'b0;
    if (stir) begin
      has_pay = (kind_q == 2'd2) | ((kind_q == 2'd1) & hc_data[TID_W+DATA_W]);
      pay0    = (state_q == DECIDE) & has_pay;
      payn    = (state_q == PAY) & ~(second_q & one_q);
      start   = (state_q == START) | ((state_q == DECIDE) & ~has_pay) |
                ((state_q == PAY) & second_q & one_q);
      pop     = start & cf_valid & adv & ~clr;
      pay_end = off_q == last_q;
    end
  end

  assign cf_ready = pop;
  assign hc_re    = adv & stir;
  assign hc_slot  = (state_q == HDR) ? slot_q : cf_slot;
  assign hc_word  = (state_q == HDR) ? word_q : {WIDX_W{1'b0}};
  assign rr_re    = adv & stir;
  assign rr_slot  = slot_q;
  assign rr_off   = (state_q == PAY) ? off_q : {OFF_W{1'b0}};

  // ---- stage B: the word as it leaves ----

  wire [TID_W-1:0]  h_tid  = hc_data[DATA_W +: TID_W];
  wire [15:0]       h_len  = hc_data[L_LANE +: 16];
  wire              h_part = h_len[LB-1:0] != {LB{1'b0}};
  localparam [15-LB:0] LONE = 1;
  wire [15-LB:0]    h_last = h_part ? h_len[15:LB] : h_len[15:LB] - LONE;
  wire              at_len = b_hdr_q & ((BPB == 1) | (b_word_q == L_WORD));
  wire              at_0   = b_hdr_q & ((BPB == 1) | (b_word_q == {WIDX_W{1'b0}}));
  wire              b_last = b_hdr_q ? ((BPB == 1) | (b_word_q == LAST_WORD)) & ~has_pay :
                             (second_q ? one_q : b_last_q);
  wire [15:0] out_len  = (kind_q == 2'd1) ? h_len : {11'd0, kind_q == 2'd2, 4'd0};
  wire [7:0]  out_core = (REPORT_CORE != 0) ? core_q : 8'd255;
  wire [BYTES-1:0] b_keep = tail_q | {BYTES{b_hdr_q | ~b_last}};
  reg  [DATA_W-1:0] b_data;
  integer k;

  always @* begin
    k = 0; // on every path, lest a tool sees a latch
    b_data = {DATA_W{1'bx}};
    if (b_valid_q) begin
      if (b_hdr_q) begin
        b_data = hc_data[DATA_W-1:0];
        if (at_0) b_data[25] = 1'b0;
        if (at_len) b_data[L_LANE +: 32] = {4'd0, status_q, out_core, out_len};
      end else begin
        b_data = rr_data;
        if (b_last)
          for (k = 0; k < BYTES; k = k + 1)
            if (~tail_q[k]) b_data[k*8 +: 8] = 8'd0;
      end
    end
  end

  // ---- clear: cut behind the frame that is on the output ----

  reg  s_first_q;
  wire cut = clr & ((s_valid_q & s_first_q) | (b_valid_q & b_first_q));
  wire b_go = b_valid_q & ~s_valid_q & ~(clr & b_first_q);

  wire [CLUSTER_W-1:0] b_cluster;
  generate
    if (BPB == 1) begin : g_cluster_now
      assign b_cluster = b_hdr_q ? hc_data[8 +: CLUSTER_W] : cluster_q;
    end else begin : g_cluster_then
      assign b_cluster = cluster_q;
    end
  endgenerate

  always @(posedge clk) begin
    if (adv & stir) begin
      b_valid_q <= pop | (state_q == HDR) | pay0 | payn;
      b_first_q <= pop;
      b_hdr_q   <= start | (state_q == HDR);
      b_word_q  <= hc_word;
      b_last_q  <= pay_end;
      second_q  <= pay0;
      off_q     <= (state_q == PAY) ? off_q + OONE : OONE;

      if (pop) begin
        slot_q   <= cf_slot;
        status_q <= cf_status;
        core_q   <= cf_core;
        kind_q   <= cf_kind;
      end
      word_q <= (state_q == HDR) ? word_q + WONE : WONE;

      if (start) state_q <= ~pop ? START : (BPB == 1) ? DECIDE : HDR;
      else if (state_q == HDR) state_q <= (word_q == LAST_WORD) ? DECIDE : HDR;
      else if (state_q == DECIDE) state_q <= PAY;
      else state_q <= pay_end ? START : PAY;

      if (at_0) begin
        tid_q     <= h_tid;
        cluster_q <= hc_data[8 +: CLUSTER_W];
      end
      if (at_len) begin
        last_q <= (kind_q == 2'd1) ? h_last[OFF_W-1:0] : LAST_MAC;
        one_q  <= (kind_q == 2'd1) ? h_last == {(16-LB){1'b0}} : (BPB == 1);
        tail_q <= ((kind_q == 2'd1) & h_part) ? ~({BYTES{1'b1}} << h_len[LB-1:0]) : {BYTES{1'b1}};
      end
    end
    if (cut) begin
      b_valid_q <= 1'b0;
      state_q   <= START;
    end
    if (rst) begin
      b_valid_q <= 1'b0;
      state_q   <= START;
    end
  end

  // ---- output entries ----

  localparam OUT_W = DATA_W + BYTES + TID_W + SLOT_W + CLUSTER_W + 2;
  // 0 without a word: no result stays in the registers
  reg  [OUT_W-1:0] b_out;
  always @* begin
    b_out = {OUT_W{1'b0}};
    if (b_valid_q)
      b_out = {kind_q != 2'd3, b_cluster, slot_q, b_hdr_q ? h_tid : tid_q, b_keep, b_last, b_data};
  end
  reg  [OUT_W-1:0] o_out_q, s_out_q;
  reg              o_valid_q, last_out_q;
  wire             out_any = b_valid_q | s_valid_q | o_valid_q;
  wire             move = ~o_valid_q | m_axis_result_tready;
  wire             s_go = s_valid_q & ~(clr & s_first_q);

  wire                 o_counted;
  wire [CLUSTER_W-1:0] o_cluster;
  wire [SLOT_W-1:0]    o_slot;
  assign {o_counted, o_cluster, o_slot, m_axis_result_tdest, m_axis_result_tkeep,
          m_axis_result_tlast, m_axis_result_tdata} = o_out_q;
  assign m_axis_result_tvalid = o_valid_q;

  reg                 sf_q, sf_counted_q;
  reg [SLOT_W-1:0]    sf_slot_q;
  reg [CLUSTER_W-1:0] sf_cluster_q;
  assign sf_valid   = sf_q;
  assign sf_slot    = sf_slot_q;
  assign sf_counted = sf_counted_q;
  assign sf_cluster = sf_cluster_q;

  assign busy = o_valid_q | s_valid_q | b_valid_q | (state_q != START) | sf_q;

  always @(posedge clk) begin
    // last_out_q: once more, so that o_out_q and s_out_q become 0
    last_out_q <= out_any;
    if (out_any | last_out_q) begin
      if (move) begin
        o_valid_q <= s_valid_q ? s_go : b_go;
        o_out_q   <= s_valid_q ? s_out_q : b_out;
        s_valid_q <= 1'b0;
      end else if (b_go) begin
        s_valid_q <= 1'b1;
      end else if (clr & s_first_q) begin
        s_valid_q <= 1'b0;
      end
      if (~s_valid_q) begin
        s_out_q   <= b_out;
        s_first_q <= b_first_q;
      end
    end
    sf_q <= o_valid_q & m_axis_result_tready & m_axis_result_tlast;
    if (o_valid_q) begin
      sf_slot_q    <= o_slot;
      sf_counted_q <= o_counted;
      sf_cluster_q <= o_cluster;
    end
    if (rst) begin
      o_valid_q  <= 1'b0;
      s_valid_q  <= 1'b0;
      last_out_q <= 1'b0;
      sf_q       <= 1'b0;
      o_out_q    <= {OUT_W{1'b0}};
      s_out_q    <= {OUT_W{1'b0}};
    end
  end

  generate
    if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) begin : g_bad
      hwgen_error_data_w_must_be_32_64_or_128 u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
