// SPDX-License-Identifier: Apache-2.0
// hwgen_slot_pool gives each slot to one owner at a time, and loses none. Shown for one slot, any one,
// which is followed through the places where it can be.
`default_nettype none
module hwgen_slot_pool_proof #(
  parameter SLOTS  = 4,
  parameter SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1
) (
  input wire              clk,
  input wire              rst,
  input wire              sp_ready,
  input wire              sf_valid,
  input wire [SLOT_W-1:0] sf_slot
);
  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire              sp_valid, sp_more;
  wire [SLOT_W-1:0] sp_slot;
  wire [SLOTS-1:0]  used;
  wire [31:0]       accepted, returned;
  wire [SLOT_W:0]   in_flight;
  hwgen_slot_pool #(
    .SLOTS (SLOTS)
  ) u_dut (
    .clk            (clk),
    .rst            (rst),
    .sp_valid       (sp_valid),
    .sp_ready       (sp_ready),
    .sp_slot        (sp_slot),
    .sp_more        (sp_more),
    .sf_valid       (sf_valid),
    .sf_slot        (sf_slot),
    .fa_valid       (1'b0),
    .used           (used),
    .stat_accepted  (accepted),
    .stat_returned  (returned),
    .stat_in_flight (in_flight)
  );

  reg [SLOTS-1:0] owned_q = 0;
  integer k;
  always @(posedge clk)
    for (k = 0; k < SLOTS; k = k + 1) begin
      if (sp_valid & sp_ready & (sp_slot == k)) owned_q[k] <= 1'b1;
      if (sf_valid & (sf_slot == k)) owned_q[k] <= 1'b0;
      if (rst | ~live) owned_q[k] <= 1'b0;
    end

  always @*
    if (sf_valid & live) e_free_owned: assume (sf_slot < SLOTS && owned_q[sf_slot]);

  (* anyconst *) wire [SLOT_W-1:0] slot;
  always @* e_slot: assume (slot < SLOTS);

  (* hierconn *) wire              \u_dut.fresh_q ;
  (* hierconn *) wire [SLOT_W:0]   \u_dut.count_q ;
  (* hierconn *) wire              \u_dut.back_valid ;
  (* hierconn *) wire              \u_dut.back_ready ;
  (* hierconn *) wire [SLOT_W-1:0] \u_dut.back_slot ;
  wire back = \u_dut.back_valid & \u_dut.back_ready ;

  // the free list by its ports: it is the queue that proof fifo says it is
  reg in_list_q = 1'b0;
  always @(posedge clk) begin
    if (back & (\u_dut.back_slot == slot)) in_list_q <= 1'b0;
    if (sf_valid & (sf_slot == slot)) in_list_q <= 1'b1;
    if (rst | ~live) in_list_q <= 1'b0;
  end

  wire owned   = owned_q[slot];
  wire offered = sp_valid & (sp_slot == slot);
  wire unborn  = \u_dut.fresh_q & ({1'b0, slot} >= \u_dut.count_q );

  fv_stream #(
    .WIDTH (SLOT_W)
  ) u_offer (
    .clk   (clk),
    .rst   (rst | ~live),
    .valid (sp_valid),
    .ready (sp_ready),
    .data  (sp_slot)
  );

  reg more_q = 1'b0;
  always @(posedge clk) more_q <= sp_more & live & ~rst;

  always @*
    if (live & ~rst) begin
      a_one_place: assert ({1'b0, owned} + offered + unborn + in_list_q == 2'd1);
      a_used: assert (used == owned_q);
      a_offer_exists: assert (~sp_valid || sp_slot < SLOTS);
      if (back & (\u_dut.back_slot == slot)) a_from_list: assert (in_list_q);
      if (sf_valid) a_list_has_room: assert (\u_dut.unused_ready );
      if (more_q) a_more: assert (sp_valid);
      c_again: cover (in_list_q & back & (\u_dut.back_slot == slot));
      c_all_out: cover (&owned_q);
    end
  (* hierconn *) wire \u_dut.unused_ready ;
endmodule
`default_nettype wire
