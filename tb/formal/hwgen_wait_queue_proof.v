// SPDX-License-Identifier: Apache-2.0
// hwgen_wait_queue keeps the order of each cluster, loses and doubles nothing, and its mask tells the
// truth. Shown for one cluster, any one.
`default_nettype none
module hwgen_wait_queue_proof #(
  parameter SLOTS     = 4,
  parameter CLUSTERS  = 2,
  parameter WAIT      = 4,
  parameter SLOT_W    = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter CLUSTER_W = (CLUSTERS > 1) ? $clog2(CLUSTERS) : 1
) (
  input wire                 clk,
  input wire                 rst,
  input wire                 pk_valid,
  input wire [SLOT_W-1:0]    pk_slot,
  input wire [CLUSTER_W-1:0] pk_cluster,
  input wire [CLUSTERS-1:0]  up_req,
  input wire                 mark
);
  localparam CNT_W  = $clog2(SLOTS + 1);
  localparam WAIT_W = $clog2(2 * CLUSTERS + 1);

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire                pk_ready;
  wire [CLUSTERS-1:0] up_valid, waiting;
  wire [SLOT_W-1:0]   up_slot;
  wire [SLOTS-1:0]    mask;
  hwgen_wait_queue #(
    .SLOTS    (SLOTS),
    .CLUSTERS (CLUSTERS),
    .WAIT     (WAIT)
  ) u_dut (
    .clk        (clk),
    .rst        (rst),
    .pk_valid   (pk_valid),
    .pk_ready   (pk_ready),
    .pk_slot    (pk_slot),
    .pk_cluster (pk_cluster),
    .up_req     (up_req),
    .up_valid   (up_valid),
    .up_slot    (up_slot),
    .waiting    (waiting),
    .mask       (mask)
  );

  wire park = pk_valid & pk_ready;
  wire up   = |up_valid;

  // what is parked, by what was handed in and out
  reg [SLOTS-1:0] parked_q = 0;
  reg [CNT_W-1:0] count_q = 0;
  integer k;
  always @(posedge clk) begin
    for (k = 0; k < SLOTS; k = k + 1) begin
      if (up & (up_slot == k)) parked_q[k] <= 1'b0;
      if (park & (pk_slot == k)) parked_q[k] <= 1'b1;
      if (rst | ~live) parked_q[k] <= 1'b0;
    end
    count_q <= (rst | ~live) ? 0 : count_q + park - up;
  end

  always @* begin
    if (pk_valid & live & ~rst) begin
      e_slot: assume (pk_slot < SLOTS);
      e_not_parked: assume (~parked_q[pk_slot]);
      e_cluster: assume (pk_cluster < CLUSTERS);
    end
  end

  (* anyconst *) wire [CLUSTER_W-1:0] cluster;
  always @* e_some_cluster: assume (cluster < CLUSTERS);

  wire              tracked;
  wire [CNT_W-1:0]  count, ahead;
  wire [SLOT_W-1:0] slot;
  fv_queue #(
    .WIDTH (SLOT_W),
    .DEPTH (SLOTS)
  ) u_order (
    .clk      (clk),
    .rst      (rst | ~live),
    .push     (park & (pk_cluster == cluster)),
    .in_data  (pk_slot),
    .pop      (up_valid[cluster]),
    .out_data (up_slot),
    .mark     (mark),
    .count    (count),
    .tracked  (tracked),
    .ahead    (ahead),
    .data     (slot)
  );

  // cycles for which the cluster has asked in vain
  reg [WAIT_W-1:0] vain_q = 0;
  always @(posedge clk)
    vain_q <= (rst | ~live | ~up_req[cluster] | ~waiting[cluster] | up_valid[cluster]) ? 0
            : vain_q + 1'b1;

  always @*
    if (live & ~rst) begin
      a_mask: assert (mask == parked_q);
      a_waiting: assert (waiting[cluster] == (count != 0));
      a_accepts: assert (pk_ready == (~fresh && count_q != WAIT));
      a_one_at_a_time: assert ((up_valid & (up_valid - 1'b1)) == 0);
      a_asked: assert ((up_valid & ~up_req) == 0);
      if (up) a_was_parked: assert (up_slot < SLOTS && parked_q[up_slot]);
      a_served: assert (vain_q < 2 * CLUSTERS);
      i_sum: assert (count <= count_q);
      c_third: cover (up_valid[cluster] && tracked && ahead == 1 && count == SLOTS);
    end
endmodule
`default_nettype wire
