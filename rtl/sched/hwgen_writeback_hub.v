// SPDX-License-Identifier: Apache-2.0
// Result words and completion records of all clusters, and ingress's refusals: round robin into one
// register stage, then the result area's write and the push into the completion fifo.
// Accepted in cycle t (wb_ready or cp_ready, combinational grant), written and pushed in t+1,
// record on cf_* in t+2: a record is never visible before its words are. Initiation interval 1.
// Record: slot, status, core (255 none), kind 0 no payload, 1 payload length as in the header,
// 2 sixteen bytes, 3 no payload and not counted in the quota (refused at ingress or by clear).
// The fifo holds SLOTS records: it cannot overflow, so neither stage ever stalls.
// clear_ctrl's walk (wk_*) pushes directly; it has no ready, since the clusters are in reset then.
`default_nettype none
module hwgen_writeback_hub #(
  // stream width: 32, 64 or 128
  parameter DATA_W     = 128,
  // packet slots of the design
  parameter SLOTS      = 32,
  // packet_bytes / 16
  parameter PKT_BLOCKS = 4,
  // clusters, 1 to 16
  parameter CLUSTERS   = 2,
  // derived: do not set
  parameter SLOT_W     = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter OFF_W      = (PKT_BLOCKS*128/DATA_W > 1) ? $clog2(PKT_BLOCKS*128/DATA_W) : 1
) (
  input  wire                       clk,
  input  wire                       rst,
  input  wire [CLUSTERS-1:0]        wb_valid,
  output wire [CLUSTERS-1:0]        wb_ready,
  input  wire [CLUSTERS-1:0]        wb_we,
  input  wire [CLUSTERS*SLOT_W-1:0] wb_slot,
  input  wire [CLUSTERS*OFF_W-1:0]  wb_off,
  input  wire [CLUSTERS*DATA_W-1:0] wb_data,
  input  wire [CLUSTERS-1:0]        wb_done,
  input  wire [CLUSTERS*4-1:0]      wb_status,
  input  wire [CLUSTERS*8-1:0]      wb_core,
  input  wire [CLUSTERS*2-1:0]      wb_kind,
  // refusals of ingress
  input  wire                       cp_valid,
  output wire                       cp_ready,
  input  wire [SLOT_W-1:0]          cp_slot,
  input  wire [3:0]                 cp_status,
  // clear walk: answers the slot with status 11
  input  wire                       wk_valid,
  input  wire [SLOT_W-1:0]          wk_slot,
  // result area
  output wire                       rw_we,
  output wire [SLOT_W-1:0]          rw_slot,
  output wire [OFF_W-1:0]           rw_off,
  output wire [DATA_W-1:0]          rw_data,
  // completion fifo
  output wire                       cf_valid,
  input  wire                       cf_ready,
  output wire [SLOT_W-1:0]          cf_slot,
  output wire [3:0]                 cf_status,
  output wire [7:0]                 cf_core,
  output wire [1:0]                 cf_kind
);
  localparam N     = CLUSTERS + 1;
  localparam REC_W = 14 + SLOT_W;
  localparam IDX_W = $clog2(N);

  wire [N-1:0]     grant;
  wire             any;
  wire [IDX_W-1:0] unused_index;  // the one-hot grant is the select

  hwgen_rr_arb #(
    .N (N)
  ) u_arb (
    .clk     (clk),
    .rst     (rst),
    .req     ({cp_valid, wb_valid}),
    .advance (1'b1),
    .grant   (grant),
    .any     (any),
    .index   (unused_index)
  );
  assign wb_ready = grant[CLUSTERS-1:0];
  assign cp_ready = grant[CLUSTERS];

  // AND-OR over the grant: 0 when nothing is granted, so no result word stays in the register
  reg              we_c, done_c;
  reg [REC_W-1:0]  rec_c;
  reg [OFF_W-1:0]  off_c;
  reg [DATA_W-1:0] data_c;
  // The inputs are gathered where one is wanted: a simulator skips it in other cycles.
  reg [CLUSTERS-1:0]        we, done;
  reg [CLUSTERS*2-1:0]      kind;
  reg [CLUSTERS*8-1:0]      core;
  reg [CLUSTERS*4-1:0]      status;
  reg [CLUSTERS*SLOT_W-1:0] slot;
  reg [CLUSTERS*OFF_W-1:0]  off;
  reg [CLUSTERS*DATA_W-1:0] data;
  integer k;
  always @* begin
    k = 0; // on every path, lest a tool sees a latch
    we_c   = 1'b0;
    done_c = 1'b0;
    rec_c  = {REC_W{1'b0}};
    off_c  = {OFF_W{1'b0}};
    data_c = {DATA_W{1'b0}};
    {we, done, kind, core, status, slot, off, data} =
      {(CLUSTERS*(16 + SLOT_W + OFF_W + DATA_W)){1'bx}};
    if (any) begin
      {we, done, kind, core, status, slot, off, data} =
        {wb_we, wb_done, wb_kind, wb_core, wb_status, wb_slot, wb_off, wb_data};
      if (grant[CLUSTERS]) begin
        done_c = 1'b1;
        rec_c  = {2'd3, 8'd255, cp_status, cp_slot};
      end
      for (k = 0; k < CLUSTERS; k = k + 1)
        if (grant[k]) begin
          we_c   = we_c | we[k];
          done_c = done_c | done[k];
          rec_c  = rec_c | {kind[k*2 +: 2], core[k*8 +: 8], status[k*4 +: 4],
                            slot[k*SLOT_W +: SLOT_W]};
          off_c  = off_c | off[k*OFF_W +: OFF_W];
          data_c = data_c | data[k*DATA_W +: DATA_W];
        end
    end
  end

  reg              we_q, done_q;
  reg [REC_W-1:0]  rec_q;
  reg [OFF_W-1:0]  off_q;
  reg [DATA_W-1:0] data_q;

  always @(posedge clk) begin
    we_q   <= we_c;
    done_q <= done_c | wk_valid;
    // idle: data_q is 0 already
    if (any | wk_valid | we_q | done_q) begin
      rec_q  <= wk_valid ? {2'd3, 8'd255, 4'd11, wk_slot} : rec_c;
      off_q  <= off_c;
      data_q <= data_c;
    end
    if (rst) begin
      we_q   <= 1'b0;
      done_q <= 1'b0;
      data_q <= {DATA_W{1'b0}};
    end
  end

  assign rw_we   = we_q;
  assign rw_slot = rec_q[SLOT_W-1:0];
  assign rw_off  = off_q;

  // the memory has the stream's order
  genvar b;
  generate
    for (b = 0; b < DATA_W/8; b = b + 1) begin : g_byte
      assign rw_data[8*b +: 8] = data_q[DATA_W-1-8*b -: 8];
    end
  endgenerate

  // At 32 bits the scrub of a freed choose-list entry takes four cycles; a cycle more here, and it is
  // over before the result's first beat.
  wire             push;
  wire [REC_W-1:0] push_rec;
  generate
    if (DATA_W == 32) begin : g_late
      reg             late_q;
      reg [REC_W-1:0] late_rec_q;
      always @(posedge clk) begin
        late_q     <= done_q & ~rst;
        late_rec_q <= rec_q;
      end
      assign push     = late_q;
      assign push_rec = late_rec_q;
    end else begin : g_now
      assign push     = done_q;
      assign push_rec = rec_q;
    end
  endgenerate

  wire unused_ready;  // SLOTS entries: always room
  hwgen_fifo #(
    .WIDTH (REC_W),
    .DEPTH (SLOTS)
  ) u_completions (
    .clk       (clk),
    .rst       (rst),
    .in_valid  (push),
    .in_ready  (unused_ready),
    .in_data   (push_rec),
    .out_valid (cf_valid),
    .out_ready (cf_ready),
    .out_data  ({cf_kind, cf_core, cf_status, cf_slot})
  );
endmodule
`default_nettype wire
