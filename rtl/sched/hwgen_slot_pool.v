// SPDX-License-Identifier: Apache-2.0
// Pool of free packet slots and the frame counters.
// Gives one slot a cycle (sp_valid/sp_ready/sp_slot, registered), takes one a cycle (sf_valid/
// sf_slot); a freed slot can be given out 2 cycles later. sp_more = 1: another slot follows in the
// next cycle even if the present one is taken, so that ingress can register its tready.
// used[s] is 1 from the cycle after slot s is taken to the cycle after it is freed.
// Invariant in every cycle: stat_accepted = stat_returned + stat_in_flight (whole frames).
`default_nettype none
module hwgen_slot_pool #(
  // packet slots, at least 1
  parameter SLOTS  = 32,
  // derived: do not set
  parameter SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1
) (
  input  wire              clk,
  input  wire              rst,
  output wire              sp_valid,
  input  wire              sp_ready,
  output wire [SLOT_W-1:0] sp_slot,
  output wire              sp_more,
  input  wire              sf_valid,
  input  wire [SLOT_W-1:0] sf_slot,
  // a frame was consumed to its tlast in this cycle
  input  wire              fa_valid,
  output wire [SLOTS-1:0]  used,
  output wire [31:0]       stat_accepted,
  output wire [31:0]       stat_returned,
  output wire [SLOT_W:0]   stat_in_flight
);
  localparam [31:0] SLOTS_I = SLOTS;
  localparam [SLOT_W:0] ALL = SLOTS_I[SLOT_W:0];
  localparam [SLOT_W:0] ONE = 1;

  // Fresh slots are counted out before freed ones are used: no cycles to fill a free list.
  reg  [SLOT_W:0]   count_q;
  reg               fresh_q, valid_q;
  reg  [SLOT_W-1:0] slot_q;
  wire              back_valid, back_ready;
  wire [SLOT_W-1:0] back_slot;
  wire              take = ~valid_q | sp_ready;

  assign sp_valid   = valid_q;
  assign sp_slot    = slot_q;
  assign sp_more    = fresh_q | back_valid;
  assign back_ready = take & ~fresh_q;

  // in_ready is not looked at: at most SLOTS slots exist
  wire unused_ready;
  hwgen_fifo #(
    .WIDTH (SLOT_W),
    .DEPTH (SLOTS)
  ) u_free (
    .clk       (clk),
    .rst       (rst),
    .in_valid  (sf_valid),
    .in_ready  (unused_ready),
    .in_data   (sf_slot),
    .out_valid (back_valid),
    .out_ready (back_ready),
    .out_data  (back_slot)
  );

  wire [SLOT_W:0] count_d = count_q + ONE;

  always @(posedge clk) begin
    if (take) begin
      valid_q <= sp_more;
      slot_q  <= fresh_q ? count_q[SLOT_W-1:0] : back_slot;
      if (fresh_q) begin
        count_q <= count_d;
        fresh_q <= count_d != ALL;
      end
    end
    if (rst) begin
      valid_q <= 1'b0;
      count_q <= {(SLOT_W+1){1'b0}};
      fresh_q <= 1'b1;
    end
  end

  generate
    if (SLOTS < 1) begin : g_bad
      hwgen_error_slots_must_be_at_least_1 u_error ();
    end
  endgenerate

  localparam [SLOTS-1:0] BIT = 1;
  reg  [SLOTS-1:0] used_q;
  wire [SLOTS-1:0] taken = sp_valid & sp_ready ? BIT << slot_q : {SLOTS{1'b0}};
  wire [SLOTS-1:0] freed = sf_valid ? BIT << sf_slot : {SLOTS{1'b0}};
  assign used = used_q;

  always @(posedge clk) begin
    used_q <= (used_q & ~freed) | taken;
    if (rst) used_q <= {SLOTS{1'b0}};
  end

  reg [31:0]     accepted_q, returned_q;
  reg [SLOT_W:0] in_flight_q;
  assign stat_accepted  = accepted_q;
  assign stat_returned  = returned_q;
  assign stat_in_flight = in_flight_q;

  always @(posedge clk) begin
    if (fa_valid) accepted_q <= accepted_q + 32'd1;
    if (sf_valid) returned_q <= returned_q + 32'd1;
    if (fa_valid & ~sf_valid) in_flight_q <= in_flight_q + ONE;
    if (sf_valid & ~fa_valid) in_flight_q <= in_flight_q - ONE;
    if (rst) begin
      accepted_q  <= 32'd0;
      returned_q  <= 32'd0;
      in_flight_q <= {(SLOT_W+1){1'b0}};
    end
  end
endmodule
`default_nettype wire
