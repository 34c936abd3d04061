// SPDX-License-Identifier: Apache-2.0
// Fetch requests of a cluster: CORES lanes and the key loader (lane number CORES) to one port of
// the fetch hub, round robin.
// Latency 1 (CORES > 4: 2, > 19: 3); initiation interval 1. fq_* are registers; fl_ready and
// kf_ready follow fq_ready in the same cycle: they end in a flag of the requester, not in its
// datapath.
`default_nettype none
module hwgen_fetch_arb #(
  // lanes, 1 to 64
  parameter CORES      = 1,
  // packet slots
  parameter SLOTS      = 1,
  // largest payload in blocks of 16 bytes
  parameter PKT_BLOCKS = 1,
  // derived: do not set
  parameter SLOT_W     = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter BLK_W      = (PKT_BLOCKS > 1) ? $clog2(PKT_BLOCKS) : 1,
  parameter LANE_W     = $clog2(CORES + 1)
) (
  input  wire                    clk,
  input  wire                    rst,
  // lanes: block fl_blk of the payload of fl_slot, or (fl_iv) its IV field
  input  wire [CORES-1:0]        fl_valid,
  output wire [CORES-1:0]        fl_ready,
  input  wire [CORES-1:0]        fl_iv,
  input  wire [CORES*SLOT_W-1:0] fl_slot,
  input  wire [CORES*BLK_W-1:0]  fl_blk,
  // key loader
  input  wire                    kf_valid,
  output wire                    kf_ready,
  input  wire [SLOT_W-1:0]       kf_slot,
  input  wire [BLK_W-1:0]        kf_blk,
  // fetch hub
  output wire                    fq_valid,
  input  wire                    fq_ready,
  output wire [LANE_W-1:0]       fq_lane,
  output wire                    fq_iv,
  output wire [SLOT_W-1:0]       fq_slot,
  output wire [BLK_W-1:0]        fq_blk
);
  localparam W = LANE_W + 1 + SLOT_W + BLK_W;
  localparam [31:0] CORES_I = CORES;

  wire [(CORES+1)*W-1:0] data;

  genvar i;
  generate
    if (CORES < 1 || CORES > 64) begin : g_bad
      hwgen_error_fetch_arb_cores_must_be_1_to_64 u_error ();
    end
    for (i = 0; i < CORES; i = i + 1) begin : g_lane
      localparam [31:0] LANE_I = i;
      assign data[i*W +: W] = {LANE_I[LANE_W-1:0], fl_iv[i], fl_slot[i*SLOT_W +: SLOT_W],
                               fl_blk[i*BLK_W +: BLK_W]};
    end
  endgenerate
  assign data[CORES*W +: W] = {CORES_I[LANE_W-1:0], 1'b0, kf_slot, kf_blk};

  hwgen_merge_tree #(
    .N     (CORES + 1),
    .WIDTH (W)
  ) u_tree (
    .clk       (clk),
    .rst       (rst),
    .in_valid  ({kf_valid, fl_valid}),
    .in_ready  ({kf_ready, fl_ready}),
    .in_data   (data),
    .out_valid (fq_valid),
    .out_ready (fq_ready),
    .out_data  ({fq_lane, fq_iv, fq_slot, fq_blk})
  );
endmodule
`default_nettype wire
