// SPDX-License-Identifier: Apache-2.0
// Wait queue of the splitter: a linked list over slots for each cluster, a mask bit for each slot.
// Park: pk_valid/pk_ready, one a cycle; visible in waiting[] in the next cycle.
// Unpark: one slot a cycle of all clusters, one in two cycles of the same cluster (the list's next
// link is read from RAM). up_req[c]: cluster c can take a slot now; up_valid (one-hot) and up_slot
// answer combinationally, and the slot has then left. The oldest of a cluster leaves first.
`default_nettype none
module hwgen_wait_queue #(
  // packet slots of the design
  parameter SLOTS     = 32,
  // clusters, 1 to 16
  parameter CLUSTERS  = 2,
  // packets parked at most, of all clusters together, 0 to SLOTS
  parameter WAIT      = SLOTS,
  // derived: do not set
  parameter SLOT_W    = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter CLUSTER_W = (CLUSTERS > 1) ? $clog2(CLUSTERS) : 1
) (
  input  wire                 clk,
  input  wire                 rst,
  input  wire                 pk_valid,
  output wire                 pk_ready,
  input  wire [SLOT_W-1:0]    pk_slot,
  input  wire [CLUSTER_W-1:0] pk_cluster,
  input  wire [CLUSTERS-1:0]  up_req,
  output wire [CLUSTERS-1:0]  up_valid,
  output wire [SLOT_W-1:0]    up_slot,
  // cluster c has parked packets
  output wire [CLUSTERS-1:0]  waiting,
  // slot s is parked
  output wire [SLOTS-1:0]     mask
);
  localparam [31:0] WAIT_I = WAIT;
  localparam [SLOT_W:0] FULL = WAIT_I[SLOT_W:0];
  localparam [SLOT_W:0] ONE = 1;

  wire                park = pk_valid & pk_ready;
  wire [CLUSTERS-1:0] ready;
  wire                up_any;

  // head and tail of each list, and the AND-OR of the chosen one
  wire [CLUSTERS*SLOT_W-1:0] heads, tails;
  reg  [SLOT_W-1:0]          up_slot_c, tail_c;
  reg                        behind_c;
  integer k;
  always @* begin
    k = 0; // on every path, lest a tool sees a latch
    {up_slot_c, tail_c} = {(2*SLOT_W){1'bx}};
    behind_c = 1'bx;
    if (up_any) begin
      up_slot_c = {SLOT_W{1'b0}};
      for (k = 0; k < CLUSTERS; k = k + 1)
        if (up_valid[k]) up_slot_c = up_slot_c | heads[k*SLOT_W +: SLOT_W];
    end
    if (park) begin
      tail_c   = {SLOT_W{1'b0}};
      behind_c = 1'b0;
      for (k = 0; k < CLUSTERS; k = k + 1)
        if (pk_cluster == k[CLUSTER_W-1:0]) begin
          tail_c   = tail_c | tails[k*SLOT_W +: SLOT_W];
          behind_c = behind_c | waiting[k];
        end
    end
  end
  assign up_slot = up_slot_c;

  wire [CLUSTER_W-1:0] unused_index;  // the one-hot grant is the select
  hwgen_rr_arb #(
    .N (CLUSTERS)
  ) u_arb (
    .clk     (clk),
    .rst     (rst),
    .req     (up_req & ready),
    .advance (1'b1),
    .grant   (up_valid),
    .any     (up_any),
    .index   (unused_index)
  );

  // next[s]: the slot parked after s. Never read and written at the same address in one cycle where
  // it matters: a list of one entry takes its new head from pk_slot. The tail of an empty list is
  // stale, and that slot may lie in another list by now: not written.
  wire [SLOT_W-1:0] link;
  hwgen_ram #(
    .WIDTH (SLOT_W),
    .DEPTH (SLOTS)
  ) u_next (
    .clk   (clk),
    .we    (park & behind_c),
    .waddr (tail_c),
    .wdata (pk_slot),
    .re    (up_any),
    .raddr (up_slot_c),
    .rdata (link)
  );

  reg [SLOTS-1:0] mask_q;
  integer m;
  assign mask = mask_q;
  always @(posedge clk) begin
    if (park | up_any)
      for (m = 0; m < SLOTS; m = m + 1)
        if (park & (pk_slot == m[SLOT_W-1:0])) mask_q[m] <= 1'b1;
        else if (up_any & (up_slot_c == m[SLOT_W-1:0])) mask_q[m] <= 1'b0;
    if (rst) mask_q <= {SLOTS{1'b0}};
  end

  genvar i;
  generate
    if (WAIT < 0 || WAIT > SLOTS || CLUSTERS < 1 || CLUSTERS > 16) begin : g_bad
      hwgen_error_wait_queue_must_be_0_to_slots_and_clusters_1_to_16 u_error ();
    end

    for (i = 0; i < CLUSTERS; i = i + 1) begin : g_list
      reg              waiting_q;  // list not empty
      reg              fetch_q;    // head is the link that the RAM returns in this cycle
      reg [SLOT_W-1:0] head_q, tail_q;
      wire             here   = park & (pk_cluster == i[CLUSTER_W-1:0]);
      wire             single = head_q == tail_q;

      assign waiting[i] = waiting_q;
      assign ready[i]   = waiting_q & ~fetch_q;
      assign heads[i*SLOT_W +: SLOT_W] = head_q;
      assign tails[i*SLOT_W +: SLOT_W] = tail_q;

      always @(posedge clk) begin
        fetch_q <= up_valid[i] & ~single;
        if (fetch_q) head_q <= link;
        if (here) begin
          tail_q <= pk_slot;
          if (~waiting_q | (up_valid[i] & single)) head_q <= pk_slot;
        end
        waiting_q <= here | (waiting_q & ~(up_valid[i] & single));
        if (rst) begin
          waiting_q <= 1'b0;
          fetch_q   <= 1'b0;
        end
      end
    end

    if (WAIT == 0) begin : g_never
      assign pk_ready = 1'b0;
    end else begin : g_count
      reg  [SLOT_W:0] count_q;
      reg             room_q;
      assign pk_ready = room_q;
      always @(posedge clk) begin
        if (park != up_any) count_q <= park ? count_q + ONE : count_q - ONE;
        room_q <= (park != up_any) ? up_any | (count_q != FULL - ONE) : count_q != FULL;
        if (rst) begin
          count_q <= {(SLOT_W+1){1'b0}};
          room_q  <= 1'b0;
        end
      end
    end
  endgenerate
endmodule
`default_nettype wire
