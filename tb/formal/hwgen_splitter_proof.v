// SPDX-License-Identifier: Apache-2.0
// hwgen_splitter: of one cluster (any one) packets leave in the order in which they came, whether they
// went straight or were parked; each goes to its own cluster's queue, once.
`default_nettype none
module hwgen_splitter_proof #(
  parameter SLOTS     = 3,
  parameter CLUSTERS  = 2,
  parameter WAIT      = 3,
  parameter SLOT_W    = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter CLUSTER_W = (CLUSTERS > 1) ? $clog2(CLUSTERS) : 1
) (
  input wire                 clk,
  input wire                 rst,
  input wire                 ok_valid,
  input wire [SLOT_W-1:0]    ok_slot,
  input wire [CLUSTER_W-1:0] ok_cluster,
  input wire [CLUSTERS-1:0]  en_ready,
  input wire                 mark
);
  localparam DEPTH = (WAIT > 0) ? WAIT : 1;
  localparam CNT_W = $clog2(DEPTH + 1);
  localparam SUM_W = $clog2(SLOTS + 1);

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire                       ok_ready;
  wire [CLUSTERS-1:0]        en_valid;
  wire [CLUSTERS*SLOT_W-1:0] en_slot;
  wire [SLOTS-1:0]           mask;
  hwgen_splitter #(
    .SLOTS    (SLOTS),
    .CLUSTERS (CLUSTERS),
    .WAIT     (WAIT)
  ) u_dut (
    .clk        (clk),
    .rst        (rst),
    .ok_valid   (ok_valid),
    .ok_ready   (ok_ready),
    .ok_slot    (ok_slot),
    .ok_cluster (ok_cluster),
    .en_valid   (en_valid),
    .en_ready   (en_ready),
    .en_slot    (en_slot),
    .mask       (mask)
  );

  (* anyconst *) wire [CLUSTER_W-1:0] cluster;
  always @* begin
    e_some_cluster: assume (cluster < CLUSTERS);
    if (ok_valid & live & ~rst) begin
      e_slot: assume (ok_slot < SLOTS);
      e_not_parked: assume (~mask[ok_slot]);
      e_cluster: assume (ok_cluster < CLUSTERS);
    end
  end

  wire              tracked;
  wire [CNT_W-1:0]  count, ahead;
  wire [SLOT_W-1:0] slot;
  wire              push = ok_valid & ok_ready & (ok_cluster == cluster);
  wire              pop  = en_valid[cluster];
  wire [SLOT_W-1:0] out  = en_slot[cluster*SLOT_W +: SLOT_W];
  // a packet that goes straight comes and goes in one cycle
  wire              straight = push & pop & (count == 0);
  fv_queue #(
    .WIDTH (SLOT_W),
    .DEPTH (DEPTH)
  ) u_order (
    .clk      (clk),
    .rst      (rst | ~live),
    .push     (push & ~straight),
    .in_data  (ok_slot),
    .pop      (pop & ~straight),
    .out_data (out),
    .mark     (mark),
    .count    (count),
    .tracked  (tracked),
    .ahead    (ahead),
    .data     (slot)
  );

  integer k;
  reg [SUM_W-1:0] parked;
  always @* begin
    parked = 0;
    for (k = 0; k < SLOTS; k = k + 1) parked = parked + mask[k];
  end

  always @*
    if (live & ~rst) begin
      if (straight) a_straight: assert (out == ok_slot);
      // each en_valid is a transfer
      a_room: assert ((en_valid & ~en_ready) == 0);
      // only a full wait queue holds the stream up
      if (~ok_ready & ~fresh & ok_valid) a_stalls_when_full: assert (parked == WAIT);
      c_straight: cover (straight);
      c_blocked: cover (ok_valid && ~ok_ready && ~fresh);
    end
endmodule
`default_nettype wire
