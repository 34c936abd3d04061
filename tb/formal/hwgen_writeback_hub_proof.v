// SPDX-License-Identifier: Apache-2.0
// hwgen_writeback_hub: every done record gives one completion record, in order, and the completion
// fifo has room for it; a result's words are in memory before its record is seen.
`default_nettype none
module hwgen_writeback_hub_proof #(
  parameter DATA_W     = 128,
  parameter SLOTS      = 3,
  parameter CLUSTERS   = 2,
  parameter PKT_BLOCKS = 1,
  parameter SLOT_W     = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter OFF_W      = (PKT_BLOCKS*128/DATA_W > 1) ? $clog2(PKT_BLOCKS*128/DATA_W) : 1
) (
  input wire                       clk,
  input wire                       rst,
  input wire [CLUSTERS-1:0]        wb_valid,
  input wire [CLUSTERS-1:0]        wb_we,
  input wire [CLUSTERS*SLOT_W-1:0] wb_slot,
  input wire [CLUSTERS*OFF_W-1:0]  wb_off,
  input wire [CLUSTERS*DATA_W-1:0] wb_data,
  input wire [CLUSTERS-1:0]        wb_done,
  input wire [CLUSTERS*4-1:0]      wb_status,
  input wire [CLUSTERS*8-1:0]      wb_core,
  input wire [CLUSTERS*2-1:0]      wb_kind,
  input wire                       cp_valid,
  input wire [SLOT_W-1:0]          cp_slot,
  input wire [3:0]                 cp_status,
  input wire                       wk_valid,
  input wire [SLOT_W-1:0]          wk_slot,
  input wire                       cf_ready,
  input wire                       mark
);
  localparam CNT_W = $clog2(SLOTS + 1);
  localparam REC_W = SLOT_W + 14;
  // cycles from a grant to the record at the latest
  localparam LATE  = (DATA_W == 32) ? 3 : 2;

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire [CLUSTERS-1:0] wb_ready;
  wire                cp_ready, rw_we, cf_valid;
  wire [SLOT_W-1:0]   rw_slot, cf_slot;
  wire [OFF_W-1:0]    rw_off;
  wire [DATA_W-1:0]   rw_data;
  wire [3:0]          cf_status;
  wire [7:0]          cf_core;
  wire [1:0]          cf_kind;
  hwgen_writeback_hub #(
    .DATA_W     (DATA_W),
    .SLOTS      (SLOTS),
    .PKT_BLOCKS (PKT_BLOCKS),
    .CLUSTERS   (CLUSTERS)
  ) u_dut (
    .clk       (clk),
    .rst       (rst),
    .wb_valid  (wb_valid),
    .wb_ready  (wb_ready),
    .wb_we     (wb_we),
    .wb_slot   (wb_slot),
    .wb_off    (wb_off),
    .wb_data   (wb_data),
    .wb_done   (wb_done),
    .wb_status (wb_status),
    .wb_core   (wb_core),
    .wb_kind   (wb_kind),
    .cp_valid  (cp_valid),
    .cp_ready  (cp_ready),
    .cp_slot   (cp_slot),
    .cp_status (cp_status),
    .wk_valid  (wk_valid),
    .wk_slot   (wk_slot),
    .rw_we     (rw_we),
    .rw_slot   (rw_slot),
    .rw_off    (rw_off),
    .rw_data   (rw_data),
    .cf_valid  (cf_valid),
    .cf_ready  (cf_ready),
    .cf_slot   (cf_slot),
    .cf_status (cf_status),
    .cf_core   (cf_core),
    .cf_kind   (cf_kind)
  );

  // any bit of a word that is written, and where it comes from: the memory has the stream's order
  (* anyconst *) wire [6:0] bit_at;
  always @* e_bit: assume (bit_at < DATA_W);
  wire [7:0] from = DATA_W - 8 - {1'b0, bit_at[6:3], 3'd0} + bit_at[2:0];

  // what is taken in this cycle
  wire [CLUSTERS-1:0] taken = wb_valid & wb_ready;
  reg                 push, word, data_bit;
  reg [REC_W-1:0]     rec;
  reg [SLOT_W-1:0]    slot;
  reg [OFF_W-1:0]     off;
  integer k;
  always @* begin
    push = 1'b0;
    word = 1'b0;
    rec  = 0;
    slot = 0;
    off  = 0;
    data_bit = 1'b0;
    for (k = 0; k < CLUSTERS; k = k + 1)
      if (taken[k]) begin
        push = wb_done[k];
        word = wb_we[k];
        slot = wb_slot[k*SLOT_W +: SLOT_W];
        off  = wb_off[k*OFF_W +: OFF_W];
        data_bit = wb_data[k*DATA_W + from];
        rec  = {wb_kind[k*2 +: 2], wb_core[k*8 +: 8], wb_status[k*4 +: 4], slot};
      end
    if (cp_valid & cp_ready) begin
      push = 1'b1;
      slot = cp_slot;
      rec  = {2'd3, 8'd255, cp_status, cp_slot};
    end
    if (wk_valid) begin
      push = 1'b1;
      slot = wk_slot;
      rec  = {2'd3, 8'd255, 4'd11, wk_slot};
    end
  end

  // slots whose record is inside
  wire             pop = cf_valid & cf_ready;
  reg [SLOTS-1:0]  inside_q = 0;
  always @(posedge clk)
    for (k = 0; k < SLOTS; k = k + 1) begin
      if (pop & (cf_slot == k)) inside_q[k] <= 1'b0;
      if (push & (slot == k)) inside_q[k] <= 1'b1;
      if (rst | ~live) inside_q[k] <= 1'b0;
    end

  always @*
    if (live & ~rst) begin
      if (push | word) begin
        e_slot: assume (slot < SLOTS);
        e_once: assume (~inside_q[slot]);
      end
      // the walk comes when clusters and ingress have been cleared, and hold no packet
      if (wk_valid) e_walk_alone: assume (wb_valid == 0 && ~cp_valid);
      // no block has a packet in the first cycle after a reset
      if (fresh) e_idle_after_reset: assume (wb_valid == 0 && ~cp_valid && ~wk_valid);
    end

  wire              tracked;
  wire [CNT_W-1:0]  count, ahead;
  wire [REC_W-1:0]  data;
  fv_queue #(
    .WIDTH (REC_W),
    .DEPTH (SLOTS)
  ) u_order (
    .clk      (clk),
    .rst      (rst | ~live),
    .push     (push),
    .in_data  (rec),
    .pop      (pop),
    .out_data ({cf_kind, cf_core, cf_status, cf_slot}),
    .mark     (mark),
    .count    (count),
    .tracked  (tracked),
    .ahead    (ahead),
    .data     (data)
  );

  fv_stream #(
    .WIDTH (REC_W)
  ) u_out (
    .clk   (clk),
    .rst   (rst | ~live),
    .valid (cf_valid),
    .ready (cf_ready),
    .data  ({cf_kind, cf_core, cf_status, cf_slot})
  );

  reg [2:0]        idle_q = 0;
  reg              word_q = 1'b0, bit_q;
  reg [SLOT_W-1:0] slot_q;
  reg [OFF_W-1:0]  off_q;
  always @(posedge clk) begin
    idle_q <= (rst | ~live | cf_valid | (count == 0)) ? 0 : idle_q + 1'b1;
    word_q <= word & live & ~rst;
    slot_q <= slot;
    off_q  <= off;
    bit_q  <= data_bit;
  end

  (* hierconn *) wire \u_dut.push ;
  (* hierconn *) wire \u_dut.unused_ready ;
  always @*
    if (live & ~rst) begin
      if (\u_dut.push ) a_fifo_has_room: assert (\u_dut.unused_ready );
      a_offers: assert (idle_q < LATE);
      a_written: assert (rw_we == word_q && (~word_q || (rw_slot == slot_q && rw_off == off_q)));
      if (rw_we) a_data: assert (rw_data[bit_at] == bit_q);
      // the words of a result are written before its record is seen
      if (cf_valid & rw_we) a_written_before: assert (cf_slot != rw_slot);
      a_one_taken: assert (({cp_ready, wb_ready} & ({cp_ready, wb_ready} - 1'b1)) == 0);
    end
endmodule
`default_nettype wire
