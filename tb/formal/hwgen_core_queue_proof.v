// SPDX-License-Identifier: Apache-2.0
// hwgen_core_queue with its hwgen_desc_store: what is dispatched to the core leaves in order with the
// descriptor it was dispatched with, and the queue never overflows.
`default_nettype none
module hwgen_core_queue_proof #(
  parameter CORES  = 2,
  parameter CAP    = 2,
  parameter SLOTS  = 3,
  parameter KEYGEN = 1,
  parameter CORE_W = (CORES > 1) ? $clog2(CORES) : 1,
  parameter SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1
) (
  input wire                    clk,
  input wire                    rst,
  input wire                    dp_valid,
  input wire [CORE_W-1:0]       dp_core,
  input wire [SLOT_W-1:0]       dp_slot,
  input wire [16:0]             dp_desc,
  input wire                    kg_valid,
  input wire                    jb_ready,
  input wire [CORES-1:0]        other_valid,
  input wire [CORES*SLOT_W-1:0] other_slot,
  input wire                    mark
);
  // descriptor with the smallest fields: PKT_BLOCKS, CHOOSE and KEY_SLOTS are 1
  localparam DESC_W = 10 + 5 + 1 + 1;
  localparam CNT_W  = $clog2(CAP + 1);

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  // core 0 is the queue under proof; the other cores ask the store as they like
  wire              dr_valid, kg_ready, jb_valid;
  wire [CORES-1:0]  dr_ready, ds_valid;
  wire [SLOT_W-1:0] dr_slot, jb_slot;
  wire [DESC_W-1:0] ds_desc, jb_desc;
  hwgen_core_queue #(
    .CORE       (0),
    .CORES      (CORES),
    .CAP        (CAP),
    .SLOTS      (SLOTS),
    .PKT_BLOCKS (1),
    .CHOOSE     (1),
    .KEY_SLOTS  (1),
    .KEYGEN     (KEYGEN)
  ) u_dut (
    .clk      (clk),
    .rst      (rst),
    .dp_valid (dp_valid),
    .dp_core  (dp_core),
    .dp_slot  (dp_slot),
    .dp_desc  (dp_desc),
    .dr_valid (dr_valid),
    .dr_ready (dr_ready[0]),
    .dr_slot  (dr_slot),
    .ds_valid (ds_valid[0]),
    .ds_desc  (ds_desc),
    .kg_valid (kg_valid),
    .kg_ready (kg_ready),
    .kg_key   (1'b0),
    .jb_valid (jb_valid),
    .jb_ready (jb_ready),
    .jb_slot  (jb_slot),
    .jb_desc  (jb_desc)
  );
  wire [CORES-1:0]        asks = (CORES > 1) ? {other_valid[CORES-1:1], dr_valid} : dr_valid;
  wire [CORES*SLOT_W-1:0] slots = (CORES > 1) ? {other_slot[CORES*SLOT_W-1:SLOT_W], dr_slot}
                                : dr_slot;
  hwgen_desc_store #(
    .CORES  (CORES),
    .SLOTS  (SLOTS),
    .DESC_W (DESC_W)
  ) u_store (
    .clk      (clk),
    .rst      (rst),
    .dp_valid (dp_valid),
    .dp_slot  (dp_slot),
    .dp_desc  (dp_desc),
    .dr_valid (asks),
    .dr_ready (dr_ready),
    .dr_slot  (slots),
    .ds_valid (ds_valid),
    .ds_desc  (ds_desc)
  );

  wire mine = dp_valid & (dp_core == 0);
  wire key  = (jb_desc[4:2] == 3'd7);
  wire gone = jb_valid & jb_ready & ~key;

  // slots dispatched to the core and not yet handed to the lane: a slot is in flight once
  reg [SLOTS-1:0] inside_q = 0;
  integer k;
  always @(posedge clk)
    for (k = 0; k < SLOTS; k = k + 1) begin
      if (gone & (jb_slot == k)) inside_q[k] <= 1'b0;
      if (mine & (dp_slot == k)) inside_q[k] <= 1'b1;
      if (rst | ~live) inside_q[k] <= 1'b0;
    end

  wire             tracked;
  wire [CNT_W-1:0] count, ahead;
  wire [SLOT_W+DESC_W-1:0] data;
  always @*
    if (live & dp_valid) e_slot: assume (dp_slot < SLOTS);
  always @*
    if (live & ~rst & dp_valid) begin
      e_not_in_flight: assume (~inside_q[dp_slot]);
      e_no_key_job: assume (dp_desc[4:2] != 3'd7);
      // n_j <= cap: a packet counts until it is credited, so longer than it is here
      if (mine) e_credit: assume (count < CAP);
      e_idle_after_reset: assume (~fresh);
    end

  fv_queue #(
    .WIDTH (SLOT_W + DESC_W),
    .DEPTH (CAP)
  ) u_order (
    .clk      (clk),
    .rst      (rst | ~live),
    .push     (mine),
    .in_data  ({dp_slot, dp_desc}),
    .pop      (gone),
    .out_data ({jb_slot, jb_desc}),
    .mark     (mark),
    .count    (count),
    .tracked  (tracked),
    .ahead    (ahead),
    .data     (data)
  );

  // a key generation has no slot
  fv_stream #(
    .WIDTH (SLOT_W + DESC_W)
  ) u_out (
    .clk   (clk),
    .rst   (rst | ~live),
    .valid (jb_valid),
    .ready (jb_ready),
    .data  ({key ? {SLOT_W{1'b0}} : jb_slot, jb_desc})
  );

  // key generations: each taken once, each gives one job
  reg key_q = 1'b0;
  always @(posedge clk) begin
    if (jb_valid & jb_ready & key) key_q <= 1'b0;
    if (kg_valid & kg_ready) key_q <= 1'b1;
    if (rst | ~live) key_q <= 1'b0;
  end

  // a packet inside is offered: at the latest after its turn at the store came
  reg [4:0] idle_q = 0;
  always @(posedge clk)
    idle_q <= (rst | ~live | jb_valid | kg_valid | (count == 0)) ? 0 : idle_q + 1'b1;

  (* hierconn *) wire \u_dut.pass ;
  (* hierconn *) wire \u_dut.unused_ready ;
  always @*
    if (live & ~rst) begin
      if (mine & ~\u_dut.pass ) a_queue_has_room: assert (\u_dut.unused_ready );
      if (jb_valid & ~key) a_slot_stays: assert (count != 0);
      if (jb_valid & key) a_key_job: assert (key_q);
      if (kg_valid & kg_ready) a_key_once: assert (~key_q && KEYGEN != 0);
      if (key_q) a_key_offered: assert (jb_valid & key);
      a_offers: assert (idle_q <= 3 + CORES);
      c_key: cover (jb_valid & jb_ready & key & (count != 0));
    end
endmodule
`default_nettype wire
