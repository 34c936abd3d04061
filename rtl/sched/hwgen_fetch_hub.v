// SPDX-License-Identifier: Apache-2.0
// Block fetches of all clusters from the input area: round robin, a block of BPB words each.
// Request visible in cycle t: RAM addressed in t (combinational), RAM output in t+1, registered
// broadcast in t+2 with word 0, further words back to back. Initiation interval BPB.
// fq_valid/fq_ready per cluster; the broadcast (fr_*) has no ready: the asker has made room.
// fr_data is 0 in idle cycles, so that no payload word stays in the register.
`default_nettype none
module hwgen_fetch_hub #(
  // stream width: 32, 64 or 128
  parameter DATA_W     = 128,
  // packet slots of the design
  parameter SLOTS      = 32,
  // packet_bytes / 16
  parameter PKT_BLOCKS = 4,
  // clusters, 1 to 16
  parameter CLUSTERS   = 2,
  // bits of a lane number, the largest of all clusters
  parameter LANE_W     = 3,
  // derived: do not set
  parameter SLOT_W     = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter BLK_W      = (PKT_BLOCKS > 1) ? $clog2(PKT_BLOCKS) : 1,
  parameter OFF_W      = (PKT_BLOCKS*128/DATA_W > 1) ? $clog2(PKT_BLOCKS*128/DATA_W) : 1,
  parameter WIDX_W     = (DATA_W < 128) ? $clog2(128/DATA_W) : 1
) (
  input  wire                       clk,
  input  wire                       rst,
  input  wire [CLUSTERS-1:0]        fq_valid,
  output wire [CLUSTERS-1:0]        fq_ready,
  input  wire [CLUSTERS*LANE_W-1:0] fq_lane,
  input  wire [CLUSTERS-1:0]        fq_iv,
  input  wire [CLUSTERS*SLOT_W-1:0] fq_slot,
  input  wire [CLUSTERS*BLK_W-1:0]  fq_blk,
  // to packet_buffer
  output wire                       pr_re,
  output wire                       pr_iv,
  output wire [SLOT_W-1:0]          pr_slot,
  output wire [OFF_W-1:0]           pr_off,
  input  wire [DATA_W-1:0]          pr_data,
  // broadcast
  output wire [CLUSTERS-1:0]        fr_valid,
  output wire [LANE_W-1:0]          fr_lane,
  output wire                       fr_iv,
  output wire [WIDX_W-1:0]          fr_word,
  output wire [DATA_W-1:0]          fr_data
);
  localparam BPB = 128/DATA_W;
  localparam CLUSTER_W = (CLUSTERS > 1) ? $clog2(CLUSTERS) : 1;
  localparam REQ_W = LANE_W + 1 + SLOT_W + BLK_W;

  wire [CLUSTERS-1:0]  grant;
  wire                 any, more;
  wire [CLUSTER_W-1:0] unused_index;  // the one-hot grant is the select

  hwgen_rr_arb #(
    .N (CLUSTERS)
  ) u_arb (
    .clk     (clk),
    .rst     (rst),
    .req     (fq_valid),
    .advance (~more),
    .grant   (grant),
    .any     (any),
    .index   (unused_index)
  );
  assign fq_ready = grant & {CLUSTERS{~more}};

  // gathered where one is wanted: a simulator skips it in other cycles
  reg [REQ_W-1:0]           req_c;
  reg [CLUSTERS*LANE_W-1:0] lanes;
  reg [CLUSTERS-1:0]        ivs;
  reg [CLUSTERS*SLOT_W-1:0] slots;
  reg [CLUSTERS*BLK_W-1:0]  blks;
  integer k;
  always @* begin
    k = 0; // on every path, lest a tool sees a latch
    req_c = {REQ_W{1'bx}};
    {lanes, ivs, slots, blks} = {(CLUSTERS*REQ_W){1'bx}};
    if (any) begin
      req_c = {REQ_W{1'b0}};
      {lanes, ivs, slots, blks} = {fq_lane, fq_iv, fq_slot, fq_blk};
      for (k = 0; k < CLUSTERS; k = k + 1)
        if (grant[k])
          req_c = req_c | {lanes[k*LANE_W +: LANE_W], ivs[k], slots[k*SLOT_W +: SLOT_W],
                           blks[k*BLK_W +: BLK_W]};
    end
  end

  // the request of this cycle's word: a new one, or the running burst
  wire [REQ_W-1:0]    req;
  wire [CLUSTERS-1:0] who;
  wire [WIDX_W-1:0]   word;
  wire [BLK_W-1:0]    blk = req[BLK_W-1:0];

  assign pr_re   = any | more;
  assign pr_slot = req[BLK_W +: SLOT_W];
  assign pr_iv   = req[BLK_W+SLOT_W];

  generate
    if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) begin : g_bad
      hwgen_error_data_w_must_be_32_64_or_128 u_error ();
    end

    if (BPB == 1) begin : g_one
      assign more   = 1'b0;
      assign req    = req_c;
      assign who    = grant;
      assign word   = {WIDX_W{1'b0}};
      assign pr_off = blk;
    end else begin : g_burst
      localparam [WIDX_W-1:0] ONE = 1;
      reg                more_q;
      reg [REQ_W-1:0]    req_q;
      reg [CLUSTERS-1:0] who_q;
      reg [WIDX_W-1:0]   next_q;
      assign more = more_q;
      assign req  = more_q ? req_q : req_c;
      assign who  = more_q ? who_q : grant;
      assign word = more_q ? next_q : {WIDX_W{1'b0}};
      always @(posedge clk) begin
        req_q  <= req;
        who_q  <= who;
        next_q <= word + ONE;
        more_q <= more_q ? ~&next_q : any;
        if (rst) more_q <= 1'b0;
      end
      // PKT_BLOCKS = 1: the block number, always 0, is no address bit
      wire [BLK_W+WIDX_W-1:0] off = {blk, word};
      assign pr_off = off[OFF_W-1:0];
      if (PKT_BLOCKS == 1) begin : g_single
        wire unused_blk = &{1'b0, off[OFF_W]};  // the block number, 0
      end
    end
  endgenerate

  function [DATA_W-1:0] to_block;
    input [DATA_W-1:0] data;
    integer b;
    for (b = 0; b < DATA_W/8; b = b + 1)
      to_block[DATA_W-1-8*b -: 8] = data[8*b +: 8];
  endfunction

  // rank 1: beside the RAM's output register; rank 2: the broadcast
  reg [CLUSTERS-1:0] valid1_q, valid2_q;
  reg [LANE_W-1:0]   lane1_q, lane2_q;
  reg                iv1_q, iv2_q, some1_q, some2_q;
  reg [WIDX_W-1:0]   word1_q, word2_q;
  reg [DATA_W-1:0]   data2_q;

  assign fr_valid = valid2_q;
  assign fr_lane  = lane2_q;
  assign fr_iv    = iv2_q;
  assign fr_word  = word2_q;
  assign fr_data  = data2_q;

  always @(posedge clk) begin
    some1_q <= pr_re;
    some2_q <= some1_q;
    if (pr_re | some1_q) begin
      valid1_q <= who;
      lane1_q  <= req[BLK_W+SLOT_W+1 +: LANE_W];
      iv1_q    <= pr_iv;
      word1_q  <= word;
    end
    if (some1_q | some2_q) valid2_q <= valid1_q;
    if (some1_q) begin
      lane2_q  <= lane1_q;
      iv2_q    <= iv1_q;
      word2_q  <= word1_q;
      data2_q  <= to_block(pr_data);
    end
    // no payload word stays in the register
    if (rst | (some2_q & ~some1_q)) data2_q <= {DATA_W{1'b0}};
    if (rst) begin
      valid1_q <= {CLUSTERS{1'b0}};
      valid2_q <= {CLUSTERS{1'b0}};
      some1_q  <= 1'b0;
      some2_q  <= 1'b0;
    end
  end
endmodule
`default_nettype wire
