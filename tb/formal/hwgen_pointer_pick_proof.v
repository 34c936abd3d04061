// SPDX-License-Identifier: Apache-2.0
// hwgen_pointer_pick: n_j <= cap_j, and the winner is the first candidate at or after the pointer.
`default_nettype none
module hwgen_pointer_pick_proof #(
  parameter CORES   = 3,
  parameter CAP     = 2,
  parameter POINTER = 2,
  parameter CORE_W  = (CORES > 1) ? $clog2(CORES) : 1
) (
  input wire              clk,
  input wire              rst,
  input wire              st_valid,
  input wire [1:0]        st_op,
  input wire              st_inv,
  input wire              st_drop,
  input wire              dp_valid,
  input wire              dp_bound,
  input wire [CORE_W-1:0] dp_core,
  input wire              cr_fire,
  input wire [CORE_W-1:0] cr_core
);
  localparam CAP_W  = $clog2(CAP + 1);
  localparam LEVELS = (CORES > 1) ? $clog2(CORES) : 0;
  localparam [31:0] CAP_I = CAP;

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  (* anyconst *) wire [CORES-1:0] barred;
  wire              bl_valid;
  wire [CORE_W-1:0] bl_core;
  wire [CORES-1:0]  full, leaf_skip;
  hwgen_pointer_pick #(
    .CORES   (CORES),
    .CAP_W   (CAP_W),
    .CAP     ({CORES{CAP_I[CAP_W-1:0]}}),
    .CAN_OP  ({{(CORES*4-1){1'b1}}, (CORES == 1)}),
    .CAN_INV ({{(CORES-1){1'b0}}, 1'b1}),
    .POINTER (POINTER)
  ) u_dut (
    .clk         (clk),
    .rst         (rst),
    .st_valid    (st_valid),
    .st_op       (st_op),
    .st_inv      (st_inv),
    .st_drop     (st_drop),
    .bl_valid    (bl_valid),
    .bl_core     (bl_core),
    .full        (full),
    .barred      (barred),
    .dp_valid    (dp_valid),
    .dp_bound    (dp_bound),
    .dp_core     (dp_core),
    .cr_fire     (cr_fire),
    .cr_core     (cr_core),
    .leaf_skip_q (leaf_skip)
  );

  fv_balancer_env #(
    .CORES (CORES)
  ) u_env (
    .clk      (clk),
    .rst      (rst | ~live),
    .fresh    (fresh),
    .st_valid (st_valid),
    .st_op    (st_op),
    .st_inv   (st_inv),
    .st_drop  (st_drop),
    .bl_valid (bl_valid),
    .bl_core  (bl_core),
    .full     (full),
    .dp_valid (dp_valid),
    .dp_bound (dp_bound),
    .dp_core  (dp_core),
    .dp_op    (st_op)
  );

  // packets at each core; the pointer; what was full when the look began that comes out now
  reg [CORES*3-1:0]              count_q = 0;
  reg [CORE_W-1:0]               pointer_q = 0;
  reg [(LEVELS+1)*CORES-1:0]     full_q;
  wire [(LEVELS+2)*CORES-1:0]    full_d = {full_q, full};
  integer k;
  always @(posedge clk) begin
    for (k = 0; k < CORES; k = k + 1)
      count_q[3*k +: 3] <= count_q[3*k +: 3] + (dp_valid && dp_core == k) - (cr_fire && cr_core == k);
    full_q <= full_d[(LEVELS+1)*CORES-1:0];
    if (POINTER == 3 ? dp_valid : dp_valid & ~dp_bound)
      pointer_q <= (POINTER == 3) ? ((pointer_q == CORES - 1) ? 0 : pointer_q + 1'b1)
                 : ((dp_core == CORES - 1) ? 0 : dp_core + 1'b1);
    if (rst | ~live) begin
      count_q   <= 0;
      pointer_q <= 0;
    end
  end

  always @*
    if (live) begin
      if (dp_valid) e_core: assume (dp_core < CORES);
      if (cr_fire & ~rst) e_credit: assume (cr_core < CORES && count_q[3*cr_core +: 3] != 0);
    end

  wire [CORES-1:0] full_then = full_q[LEVELS*CORES +: CORES];
  reg              found, cap_ok, full_ok;
  reg [CORE_W-1:0] first;
  reg [CORES-1:0]  able, able_now;
  integer at;
  always @* begin
    {cap_ok, full_ok} = 2'b11;
    for (k = 0; k < CORES; k = k + 1) begin
      if (count_q[3*k +: 3] > CAP) cap_ok = 1'b0;
      if (full[k] != (count_q[3*k +: 3] == CAP)) full_ok = 1'b0;
      able[k] = ~barred[k] & ~(k == 0 && CORES > 1 && st_op == 0) & ~(k > 0 && st_inv)
              & ((POINTER != 2) | ~full_then[k]);
      able_now[k] = ~barred[k] & ~(k == 0 && CORES > 1 && st_op == 0) & ~(k > 0 && st_inv)
                  & ((POINTER != 2) | ~full[k]);
    end
    found = 1'b0;
    first = 0;
    for (k = 0; k < 2 * CORES; k = k + 1) begin
      at = (k < CORES) ? k : k - CORES;
      if (~found && k >= pointer_q && able[at]) begin
        found = 1'b1;
        first = at;
      end
    end
  end

  // cycles for which an order has stood, and with it the core that is its turn has had room
  (* hierconn *) wire \u_env.order_q ;
  reg [3:0]        wait_q = 0;
  reg              some;
  reg [CORE_W-1:0] turn;
  wire             stands = (st_valid | \u_env.order_q ) & ~st_drop & ~bl_valid;
  always @* begin
    some = 1'b0;
    turn = 0;
    for (k = 0; k < 2 * CORES; k = k + 1) begin
      at = (k < CORES) ? k : k - CORES;
      if (~some && k >= pointer_q && able_now[at]) begin
        some = 1'b1;
        turn = at;
      end
    end
  end
  always @(posedge clk)
    wait_q <= (stands & some & ~full[turn] & live & ~rst) ? wait_q + 1'b1 : 0;

  always @*
    if (live & ~rst) begin
      a_answers: assert (wait_q <= LEVELS + 1);
      a_cap: assert (cap_ok);
      a_full: assert (full_ok);
      if (bl_valid & ~st_drop) begin
        a_first: assert (found && bl_core == first);
        a_room: assert (~full[bl_core]);
      end
      c_wrapped: cover (bl_valid & ~st_drop & (bl_core < pointer_q));
      c_full: cover (&full);
    end
endmodule
`default_nettype wire
