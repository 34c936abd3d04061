// SPDX-License-Identifier: Apache-2.0
// The lists of hwgen_wait_queue, for more slots than proof wait_queue can follow: each parked slot has a
// rank in its cluster, the number of those before it, and heads, tails and links say the same.
`default_nettype none
module hwgen_wait_queue_lists_proof #(
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
  input wire [CLUSTERS-1:0]  up_req
);
  localparam CNT_W = $clog2(SLOTS + 1);

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

  // cluster and rank of each parked slot; how many each cluster has
  reg [SLOTS-1:0]           parked_q = 0;
  reg [SLOTS*CLUSTER_W-1:0] cluster_q;
  reg [SLOTS*CNT_W-1:0]     rank_q;
  reg [CLUSTERS*CNT_W-1:0]  count_q = 0;
  reg [CNT_W-1:0]           total_q = 0;
  integer k, c, s, t;
  always @(posedge clk) begin
    for (k = 0; k < SLOTS; k = k + 1) begin
      if (parked_q[k] & up_valid[cluster_q[k*CLUSTER_W +: CLUSTER_W]]) begin
        rank_q[k*CNT_W +: CNT_W] <= rank_q[k*CNT_W +: CNT_W] - 1'b1;
        if (rank_q[k*CNT_W +: CNT_W] == 0) parked_q[k] <= 1'b0;
      end
      if (park & (pk_slot == k)) begin
        parked_q[k]                        <= 1'b1;
        cluster_q[k*CLUSTER_W +: CLUSTER_W] <= pk_cluster;
        rank_q[k*CNT_W +: CNT_W] <= count_q[pk_cluster*CNT_W +: CNT_W] - up_valid[pk_cluster];
      end
    end
    for (k = 0; k < CLUSTERS; k = k + 1)
      count_q[k*CNT_W +: CNT_W] <= count_q[k*CNT_W +: CNT_W] - up_valid[k] + (park && pk_cluster == k);
    total_q <= total_q + park - (|up_valid);
    if (rst | ~live) begin
      parked_q <= 0;
      count_q  <= 0;
      total_q  <= 0;
    end
  end

  always @*
    if (pk_valid & live) begin
      e_slot: assume (pk_slot < SLOTS && ~parked_q[pk_slot]);
      e_cluster: assume (pk_cluster < CLUSTERS);
    end

  (* hierconn *) wire [CLUSTERS-1:0]        \u_dut.ready ;
  (* hierconn *) wire [CLUSTERS*SLOT_W-1:0] \u_dut.heads ;
  (* hierconn *) wire [CLUSTERS*SLOT_W-1:0] \u_dut.tails ;
  (* hierconn *) wire [SLOT_W-1:0]          \u_dut.link ;
  (* hierconn *) wire [SLOTS*SLOT_W-1:0]    \u_dut.u_next.words ;
  (* hierconn *) wire [SLOT_W:0]            \u_dut.g_count.count_q ;
  wire [CLUSTERS-1:0] fetching = waiting & ~\u_dut.ready ;

  reg waiting_ok, oldest_ok, head_ok, tail_ok, next_ok, rank_ok, sum_ok;
  reg [CLUSTER_W-1:0] cl;
  reg [SLOT_W-1:0]    head, tail, link;
  reg [CNT_W-1:0]     rank, of;
  reg [CNT_W+3:0]     sum;
  always @* begin
    {waiting_ok, oldest_ok, head_ok, tail_ok, next_ok, rank_ok, sum_ok} = {7{1'b1}};
    sum = 0;
    for (c = 0; c < CLUSTERS; c = c + 1) begin
      of   = count_q[c*CNT_W +: CNT_W];
      head = fetching[c] ? \u_dut.link : \u_dut.heads [c*SLOT_W +: SLOT_W];
      tail = \u_dut.tails [c*SLOT_W +: SLOT_W];
      sum  = sum + of;
      if (waiting[c] != (of != 0)) waiting_ok = 1'b0;
      if (up_valid[c] && (of == 0 || up_slot >= SLOTS || ~parked_q[up_slot]
                          || cluster_q[up_slot*CLUSTER_W +: CLUSTER_W] != c
                          || rank_q[up_slot*CNT_W +: CNT_W] != 0)) oldest_ok = 1'b0;
      if (of != 0 && (head >= SLOTS || ~parked_q[head]
                      || cluster_q[head*CLUSTER_W +: CLUSTER_W] != c
                      || rank_q[head*CNT_W +: CNT_W] != 0)) head_ok = 1'b0;
      if (of != 0 && (tail >= SLOTS || ~parked_q[tail]
                      || cluster_q[tail*CLUSTER_W +: CLUSTER_W] != c
                      || rank_q[tail*CNT_W +: CNT_W] != of - 1)) tail_ok = 1'b0;
    end
    if (sum != total_q) sum_ok = 1'b0;
    sum = 0;
    for (s = 0; s < SLOTS; s = s + 1) begin
      cl   = cluster_q[s*CLUSTER_W +: CLUSTER_W];
      rank = rank_q[s*CNT_W +: CNT_W];
      link = \u_dut.u_next.words [s*SLOT_W +: SLOT_W];
      sum  = sum + parked_q[s];
      if (parked_q[s]) begin
        if (cl >= CLUSTERS || rank >= count_q[cl*CNT_W +: CNT_W]) rank_ok = 1'b0;
        for (t = 0; t < s; t = t + 1)
          if (parked_q[t] && cluster_q[t*CLUSTER_W +: CLUSTER_W] == cl
              && rank_q[t*CNT_W +: CNT_W] == rank) rank_ok = 1'b0;
        if (rank + 1 < count_q[cl*CNT_W +: CNT_W]
            && (link >= SLOTS || ~parked_q[link] || cluster_q[link*CLUSTER_W +: CLUSTER_W] != cl
                || rank_q[link*CNT_W +: CNT_W] != rank + 1)) next_ok = 1'b0;
      end
    end
    if (sum != total_q) sum_ok = 1'b0;
  end

  always @*
    if (live) begin
      a_mask: assert (mask == parked_q);
      a_waiting: assert (waiting_ok);
      a_oldest: assert (oldest_ok);
      a_accepts: assert (pk_ready == (~fresh && total_q != WAIT));
      a_one_at_a_time: assert ((up_valid & (up_valid - 1'b1)) == 0 && (up_valid & ~up_req) == 0);
      c_last: cover ((|up_valid) & ~rst & (total_q == WAIT - 1) & park & (count_q[CNT_W-1:0] == WAIT - 1));
      // what makes it inductive
      i_head: assert (head_ok);
      i_tail: assert (tail_ok);
      i_next: assert (next_ok);
      i_rank: assert (rank_ok);
      i_sum: assert (sum_ok && total_q <= WAIT && total_q == \u_dut.g_count.count_q );
      i_fetching: assert ((\u_dut.ready & ~waiting) == 0);
    end
endmodule
`default_nettype wire
