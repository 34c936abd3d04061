// SPDX-License-Identifier: Apache-2.0
// Level 1: sends each packet to its cluster's queue, or parks it, first come first served.
// Latency 0 (ok_* to en_*, combinational; both neighbours are registers); initiation interval 1.
// A packet goes straight on when its cluster's queue has room and none of that cluster waits; else
// it is parked; with the wait queue full as well ok_ready falls. A parked packet moves when its
// queue has room, the oldest first, so that none overtakes another of its cluster.
// en_valid depends on en_ready (a register of the queue): each en_valid is a transfer, since the
// choice between queueing, parking and unparking is the choice of who has room.
// ev_*, up_valid and en_valid are the events park, unpark and enqueue of the trace.
`default_nettype none
module hwgen_splitter #(
  // packet slots of the design
  parameter SLOTS     = 32,
  // clusters, 1 to 16
  parameter CLUSTERS  = 2,
  // packets parked at most, 0 to SLOTS
  parameter WAIT      = SLOTS,
  // derived: do not set
  parameter SLOT_W    = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter CLUSTER_W = (CLUSTERS > 1) ? $clog2(CLUSTERS) : 1
) (
  input  wire                       clk,
  input  wire                       rst,
  input  wire                       ok_valid,
  output wire                       ok_ready,
  input  wire [SLOT_W-1:0]          ok_slot,
  input  wire [CLUSTER_W-1:0]       ok_cluster,
  output wire [CLUSTERS-1:0]        en_valid,
  input  wire [CLUSTERS-1:0]        en_ready,
  output wire [CLUSTERS*SLOT_W-1:0] en_slot,
  // mask bits: slot s is parked
  output wire [SLOTS-1:0]           mask
);
  wire [CLUSTERS-1:0] waiting, up_valid, direct;
  wire [SLOT_W-1:0]   ev_unpark_slot;
  wire                park_ready;

  genvar i;
  generate
    for (i = 0; i < CLUSTERS; i = i + 1) begin : g_cluster
      assign direct[i]   = (ok_cluster == i[CLUSTER_W-1:0]) & en_ready[i] & ~waiting[i];
      assign en_valid[i] = waiting[i] ? up_valid[i] : ok_valid & direct[i];
      assign en_slot[i*SLOT_W +: SLOT_W] = waiting[i] ? ev_unpark_slot : ok_slot;
    end
  endgenerate

  // exactly one of the two happens, since direct holds en_ready
  wire              straight       = |direct;
  wire              park_try       = ok_valid & ~straight;
  wire              ev_park_valid  = park_try & park_ready;
  wire [SLOT_W-1:0] ev_park_slot   = ok_slot;
  assign ok_ready = straight | park_ready;

  hwgen_wait_queue #(
    .SLOTS    (SLOTS),
    .CLUSTERS (CLUSTERS),
    .WAIT     (WAIT)
  ) u_wait (
    .clk        (clk),
    .rst        (rst),
    .pk_valid   (ev_park_valid),
    .pk_ready   (park_ready),
    .pk_slot    (ev_park_slot),
    .pk_cluster (ok_cluster),
    .up_req     (en_ready),
    .up_valid   (up_valid),
    .up_slot    (ev_unpark_slot),
    .waiting    (waiting),
    .mask       (mask)
  );
endmodule
`default_nettype wire
