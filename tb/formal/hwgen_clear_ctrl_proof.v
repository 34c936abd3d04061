// SPDX-License-Identifier: Apache-2.0
// hwgen_clear_ctrl: between clr and run every used slot (any one) but the half one is walked exactly
// once, the result area is swept once nothing is begun, and run waits for all memories.
`default_nettype none
module hwgen_clear_ctrl_proof #(
  parameter SLOTS    = 3,
  parameter CLUSTERS = 2,
  parameter SLOT_W   = (SLOTS > 1) ? $clog2(SLOTS) : 1
) (
  input wire                clk,
  input wire                rst,
  input wire                clear,
  input wire                in_busy,
  input wire                res_busy,
  input wire [CLUSTERS-1:0] sweep_busy,
  input wire                col_busy,
  input wire [SLOTS-1:0]    used,
  input wire                half,
  input wire [SLOT_W-1:0]   half_slot
);
  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire              clr, run, res_sweep, wk_valid;
  wire [SLOT_W-1:0] wk_slot;
  hwgen_clear_ctrl #(
    .SLOTS    (SLOTS),
    .CLUSTERS (CLUSTERS)
  ) u_dut (
    .clk        (clk),
    .rst        (rst),
    .clear      (clear),
    .clr        (clr),
    .run        (run),
    .res_sweep  (res_sweep),
    .in_busy    (in_busy),
    .res_busy   (res_busy),
    .sweep_busy (sweep_busy),
    .col_busy   (col_busy),
    .used       (used),
    .half       (half),
    .half_slot  (half_slot),
    .wk_valid   (wk_valid),
    .wk_slot    (wk_slot)
  );

  (* anyconst *) wire [SLOT_W-1:0] slot;
  always @* e_slot: assume (slot < SLOTS);
  wire mine = wk_valid & (wk_slot == slot);
  wire due  = used[slot] & ~(half & (half_slot == slot));

  // a sequence: from clr to run
  reg       walked_q, due_q, swept_q, swept_due_q, busy_q, col_q, run_q, clr_q;
  reg       begun_q = 1'b0;
  reg [2:0] clr_count_q;
  wire      any_busy = in_busy | res_busy | (|sweep_busy);
  always @(posedge clk) begin
    run_q  <= run;
    clr_q  <= clr;
    busy_q <= any_busy;
    col_q  <= col_busy;
    due_q  <= due;
    if (mine) walked_q <= 1'b1;
    if (res_sweep) swept_q <= 1'b1;
    clr_count_q <= ~clr ? 0 : (clr_count_q == 7) ? 7 : clr_count_q + 1'b1;
    begun_q <= live & ~rst;
    if (clr) begin
      walked_q <= 1'b0;
      swept_q  <= 1'b0;
    end
    if (rst) clr_count_q <= 0;
  end

  always @*
    if (live & begun_q & ~rst & ~clr & ~run & ~clr_q & ~run_q) begin
      // no frame begins while run is 0; a slot is freed only when it has been answered
      if (~walked_q & ~mine) e_used_stays: assume (due == due_q);
    end

  always @*
    if (live & begun_q & ~rst) begin
      a_never_both: assert (~(clr & run));
      a_run_falls: assert (~run_q | run | clr);
      if (clr_q & ~clr) a_clr_long: assert (clr_count_q >= 4);
      if (wk_valid) a_walk_alone: assert (~clr & ~run);
      if (mine) a_once: assert (~walked_q);
      if (res_sweep) a_sweep_once: assert (~swept_q & ~col_q & ~clr);
      if (run & ~run_q) begin
        a_walked: assert (walked_q == swept_due_q);
        a_swept: assert (swept_q);
        a_idle: assert (~any_busy_qq);
      end
      c_walked: cover (run & ~run_q & walked_q);
      c_again: cover (clr & run_q);
    end

  // what had to be walked: as it was when the sweep was ordered, before the walk
  reg any_busy_qq;
  always @(posedge clk) begin
    if (res_sweep) swept_due_q <= due;
    any_busy_qq <= busy_q;
  end
endmodule
`default_nettype wire
