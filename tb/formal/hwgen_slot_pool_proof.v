// SPDX-License-Identifier: Apache-2.0
// hwgen_slot_pool gives each slot to one owner at a time, and loses none.
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

  // where a slot can be: not given out yet, in the free list (the contract of hwgen_fifo, oldest first),
  // offered, owned
  localparam CNT_W = $clog2(SLOTS + 1);
  (* hierconn *) wire                    \u_dut.fresh_q ;
  (* hierconn *) wire [SLOT_W:0]         \u_dut.count_q ;
  (* hierconn *) wire                    \u_dut.unused_ready ;
  (* hierconn *) wire [CNT_W-1:0]        \u_dut.u_free.count ;
  (* hierconn *) wire [SLOTS*SLOT_W-1:0] \u_dut.u_free.words ;
  wire [SLOTS*SLOT_W-1:0] words = \u_dut.u_free.words ;
  wire [CNT_W-1:0]        listed = \u_dut.u_free.count ;
  wire [SLOT_W:0]         born  = \u_dut.count_q ;
  // No slot is in two places, and there are SLOTS of them in all: each is in exactly one.
  reg                apart_ok, list_ok;
  reg [SLOT_W-1:0]   word;
  reg [SLOT_W+1:0]   all;
  integer i, j;
  always @* begin
    apart_ok = ~(sp_valid & (owned_q[sp_slot] | (\u_dut.fresh_q & ({1'b0, sp_slot} >= born))));
    list_ok  = 1'b1;
    all      = listed + sp_valid + (\u_dut.fresh_q ? SLOTS - born : 0);
    for (i = 0; i < SLOTS; i = i + 1) begin
      word = words[i*SLOT_W +: SLOT_W];
      all  = all + owned_q[i];
      if (\u_dut.fresh_q && i >= born && owned_q[i]) apart_ok = 1'b0;
      if (i < listed) begin
        if (word >= SLOTS) list_ok = 1'b0;
        if (owned_q[word] || (sp_valid && sp_slot == word)
            || (\u_dut.fresh_q && {1'b0, word} >= born)) apart_ok = 1'b0;
        for (j = 0; j < i; j = j + 1)
          if (words[j*SLOT_W +: SLOT_W] == word) apart_ok = 1'b0;
      end
    end
  end

  always @*
    if (live) begin
      a_no_two_places: assert (apart_ok);
      a_none_lost: assert (all == SLOTS);
      a_used: assert (used == owned_q);
      a_offer_exists: assert (~sp_valid || sp_slot < SLOTS);
      if (sf_valid & ~rst) a_list_has_room: assert (\u_dut.unused_ready );
      if (more_q & ~rst) a_more: assert (sp_valid);
      c_again: cover (sp_valid & sp_ready & ~\u_dut.fresh_q & ~rst & (listed == 1));
      c_all_out: cover (&owned_q);
      // what makes it inductive
      i_list: assert (list_ok);
      i_born: assert (born <= SLOTS && \u_dut.fresh_q == (born != SLOTS));
      if (fresh) i_fresh: assert (born == 0 && ~sp_valid);
    end
endmodule
`default_nettype wire
