// SPDX-License-Identifier: Apache-2.0
// Write-back of a cluster: merges the lanes' beats and the head's refusals (input CORES) into
// register A (root of the merge tree, two entries); then register B, the port to the hub.
// Latency 2 (CORES > 4: 3, > 19: 4) to wb_*; initiation interval 1. wb_* are registers; cr_*, cw_*
// are A with a gate or two behind it; lw_ready, rf_ready depend on no other block's ready.
// The transfer A -> B of a lane's done record is its credit (cr_fire), exactly once a packet;
// chaining words leave for chain_store at the same transfer, so a credited packet has saved its
// value.
`default_nettype none
module hwgen_cluster_wb #(
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
  // lanes, 1 to 64
  parameter CORES      = 1,
  // derived: do not set
  parameter BPB        = 128 / DATA_W,
  parameter SLOT_W     = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter OFF_W      = (PKT_BLOCKS * BPB > 1) ? $clog2(PKT_BLOCKS * BPB) : 1,
  parameter WIDX_W     = (BPB > 1) ? $clog2(BPB) : 1,
  parameter IDX_W      = (CHOOSE > 1) ? $clog2(CHOOSE) : 1,
  parameter KS_W       = (KEY_SLOTS > 1) ? $clog2(KEY_SLOTS) : 1,
  parameter CORE_W     = (CORES > 1) ? $clog2(CORES) : 1
) (
  input  wire                    clk,
  input  wire                    rst,
  // lanes; lw_we: bit 0 result area, bit 1 chaining store
  input  wire [CORES-1:0]        lw_valid,
  output wire [CORES-1:0]        lw_ready,
  input  wire [CORES*2-1:0]      lw_we,
  input  wire [CORES*SLOT_W-1:0] lw_slot,
  input  wire [CORES*OFF_W-1:0]  lw_off,
  input  wire [CORES*WIDX_W-1:0] lw_word,
  input  wire [CORES*DATA_W-1:0] lw_data,
  input  wire [CORES-1:0]        lw_done,
  input  wire [CORES*4-1:0]      lw_status,
  input  wire [CORES*2-1:0]      lw_kind,
  input  wire [CORES-1:0]        lw_chained,
  input  wire [CORES*IDX_W-1:0]  lw_idx,
  input  wire [CORES*KS_W-1:0]   lw_key,
  input  wire [CORES-1:0]        lw_last,
  // the head's refusals and control results
  input  wire                    rf_valid,
  output wire                    rf_ready,
  input  wire [SLOT_W-1:0]       rf_slot,
  input  wire [3:0]              rf_status,
  // credit: cr_valid says that A holds a lane's done record and B is free
  output wire                    cr_valid,
  input  wire                    cr_ready,
  output wire                    cr_fire,
  output wire [CORE_W-1:0]       cr_core,
  output wire [SLOT_W-1:0]       cr_slot,
  output wire                    cr_chained,
  output wire [IDX_W-1:0]        cr_idx,
  output wire [KS_W-1:0]         cr_key,
  output wire                    cr_last,
  input  wire                    cr_dead,
  // chaining store; cw_hold: a scrub is under way, which a save must not delay
  input  wire                    cw_hold,
  output wire                    cw_we,
  output wire [IDX_W-1:0]        cw_idx,
  output wire [WIDX_W-1:0]       cw_word,
  output wire [DATA_W-1:0]       cw_data,
  // writeback hub
  output wire                    wb_valid,
  input  wire                    wb_ready,
  output wire                    wb_we,
  output wire [SLOT_W-1:0]       wb_slot,
  output wire [OFF_W-1:0]        wb_off,
  output wire [DATA_W-1:0]       wb_data,
  output wire                    wb_done,
  output wire [3:0]              wb_status,
  output wire [7:0]              wb_core,
  output wire [1:0]              wb_kind
);
  localparam [3:0] ST_ABORTED = 4'd11;
  localparam W = 1 + CORE_W + 2 + SLOT_W + OFF_W + WIDX_W + DATA_W + 1 + 4 + 2 + 1 + IDX_W + KS_W +
                 1;

  reg  [(CORES+1)*W-1:0] data;

  generate
    if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) begin : g_bad_data_w
      hwgen_error_cluster_wb_data_w_must_be_32_64_or_128 u_error ();
    end
    if (CORES < 1 || CORES > 64) begin : g_bad_cores
      hwgen_error_cluster_wb_cores_must_be_1_to_64 u_error ();
    end
  endgenerate

  // What is not valid is not looked at. The lanes' fields are gathered where one is wanted: a
  // simulator skips it in other cycles.
  reg  [CORES*2-1:0]      we, kind;
  reg  [CORES*SLOT_W-1:0] slot;
  reg  [CORES*OFF_W-1:0]  off;
  reg  [CORES*WIDX_W-1:0] word;
  reg  [CORES*4-1:0]      status;
  reg  [CORES*IDX_W-1:0]  idx;
  reg  [CORES*KS_W-1:0]   key;
  reg  [CORES-1:0]        chained, last;
  integer k;
  always @* begin
    {we, kind, slot, off, word, status, idx, key, chained, last} =
      {(CORES*(2 + 2 + SLOT_W + OFF_W + WIDX_W + 4 + IDX_W + KS_W + 2)){1'bx}};
    if (|lw_valid)
      {we, kind, slot, off, word, status, idx, key, chained, last} =
        {lw_we, lw_kind, lw_slot, lw_off, lw_word, lw_status, lw_idx, lw_key, lw_chained, lw_last};
    for (k = 0; k < CORES; k = k + 1) begin
      data[k*W +: W] = {W{1'bx}};
      if (lw_valid[k])
        data[k*W +: W] = {
          1'b1, k[CORE_W-1:0], we[k*2 +: 2], slot[k*SLOT_W +: SLOT_W], off[k*OFF_W +: OFF_W],
          word[k*WIDX_W +: WIDX_W], lw_data[k*DATA_W +: DATA_W], lw_done[k], status[k*4 +: 4],
          kind[k*2 +: 2], chained[k], idx[k*IDX_W +: IDX_W], key[k*KS_W +: KS_W], last[k]};
    end
    data[CORES*W +: W] = {W{1'bx}};
    if (rf_valid)
      data[CORES*W +: W] = {
        1'b0, {CORE_W{1'b0}}, 2'b00, rf_slot, {OFF_W{1'b0}}, {WIDX_W{1'b0}}, {DATA_W{1'b0}}, 1'b1,
        rf_status, 2'b00, 1'b0, {IDX_W{1'b0}}, {KS_W{1'b0}}, 1'b0};
  end

  wire              a_valid, a_lane, a_done;
  wire [1:0]        a_we;
  wire [OFF_W-1:0]  a_off;
  wire [3:0]        a_status;
  wire [1:0]        a_kind;
  wire [CORE_W-1:0] a_core;
  wire              a_chained;

  reg               b_valid_q, b_we_q, b_done_q;
  reg  [SLOT_W-1:0] b_slot_q;
  reg  [OFF_W-1:0]  b_off_q;
  reg  [DATA_W-1:0] b_data_q;
  reg  [3:0]        b_status_q;
  reg  [7:0]        b_core_q;
  reg  [1:0]        b_kind_q;

  // A word for the chaining store alone needs no place in B.
  wire b_free = ~b_valid_q | wb_ready;
  reg  a_to_b, a_credit, a_move, a_dead;
  always @* begin
    {a_to_b, a_credit, a_move, a_dead} = 4'd0;
    if (a_valid) begin
      a_to_b   = a_we[0] | a_done;
      a_credit = a_done & a_lane;
      a_move   = (b_free | ~a_to_b) & (cr_ready | ~a_credit) & ~(a_we[1] & cw_hold);
      a_dead   = a_credit & a_chained & cr_dead;
    end
  end

  hwgen_merge_tree #(
    .N     (CORES + 1),
    .WIDTH (W),
    .SKID  (1)
  ) u_tree (
    .clk       (clk),
    .rst       (rst),
    .in_valid  ({rf_valid, lw_valid}),
    .in_ready  ({rf_ready, lw_ready}),
    .in_data   (data),
    .out_valid (a_valid),
    .out_ready (a_move),
    .out_data  ({a_lane, a_core, a_we, cr_slot, a_off, cw_word, cw_data, a_done, a_status, a_kind,
                 a_chained, cr_idx, cr_key, cr_last})
  );

  assign cr_valid   = a_credit & b_free;
  assign cr_fire    = a_move & a_credit;
  assign cr_core    = a_core;
  assign cr_chained = a_chained;
  assign cw_we      = a_move & a_we[1];
  assign cw_idx     = cr_idx;

  assign wb_valid  = b_valid_q;
  assign wb_we     = b_we_q;
  assign wb_slot   = b_slot_q;
  assign wb_off    = b_off_q;
  assign wb_data   = b_data_q;
  assign wb_done   = b_done_q;
  assign wb_status = b_status_q;
  assign wb_core   = b_core_q;
  assign wb_kind   = b_kind_q;

  wire [7:0] core_ext;
  assign core_ext[CORE_W-1:0] = a_core;
  assign core_ext[7:CORE_W]   = {(8-CORE_W){1'b0}};

  always @(posedge clk) begin
    // idle: b_data_q is 0 already
    if (b_free & (a_valid | b_valid_q)) begin
      b_valid_q  <= a_move & a_to_b;
      b_we_q     <= a_we[0];
      b_slot_q   <= cr_slot;
      b_off_q    <= a_off;
      b_data_q   <= cw_data;
      b_done_q   <= a_done;
      b_status_q <= a_dead ? ST_ABORTED : a_status;
      b_kind_q   <= a_kind & {2{~a_dead}};
      b_core_q   <= core_ext | {8{~a_lane}};
    end
    // data too: results must not survive a reset (A is overwritten with zeros while it is idle)
    if (rst) begin
      b_valid_q  <= 1'b0;
      b_we_q     <= 1'b0;
      b_slot_q   <= {SLOT_W{1'b0}};
      b_off_q    <= {OFF_W{1'b0}};
      b_data_q   <= {DATA_W{1'b0}};
      b_done_q   <= 1'b0;
      b_status_q <= 4'd0;
      b_core_q   <= 8'd0;
      b_kind_q   <= 2'd0;
    end
  end
endmodule
`default_nettype wire
