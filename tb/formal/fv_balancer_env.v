// SPDX-License-Identifier: Apache-2.0
// What balancer and head may expect of each other. HEAD = 0: the balancer is under proof, so head's
// part is assumed and the balancer's is asserted; HEAD = 1: the other way round.
// One packet at a time: an order with its op, then the dispatch as decided, in the cycle of bl_valid, or
// a bound dispatch to a core that had room in the cycle before, or none. Dispatches are 2 cycles apart.
// The balancer answers orders only.
`default_nettype none
module fv_balancer_env #(
  parameter HEAD   = 0,
  parameter CORES  = 2,
  parameter CORE_W = (CORES > 1) ? $clog2(CORES) : 1
) (
  input wire              clk,
  input wire              rst,
  input wire              fresh,
  input wire              st_valid,
  input wire [1:0]        st_op,
  input wire              st_inv,
  input wire              st_drop,
  input wire              bl_valid,
  input wire [CORE_W-1:0] bl_core,
  input wire [CORES-1:0]  full,
  input wire              dp_valid,
  input wire              dp_bound,
  input wire [CORE_W-1:0] dp_core,
  input wire [1:0]        dp_op
);
  reg             order_q = 1'b0, dp_q = 1'b0, inv_q;
  reg [1:0]       op_q;
  reg [CORES-1:0] full_q;
  always @(posedge clk) begin
    dp_q   <= dp_valid;
    full_q <= full;
    // an order stands until it is answered or dropped
    order_q <= (st_valid | order_q) & ~st_drop & ~(dp_valid & ~dp_bound);
    op_q    <= st_op;
    inv_q   <= st_inv;
    if (rst) begin
      order_q <= 1'b0;
      dp_q    <= 1'b0;
    end
  end

  wire bound_ok = (dp_core < CORES) && ~full_q[dp_core] && st_drop == 1'b1;
  wire own_ok   = bl_valid && order_q && dp_core == bl_core && dp_op == st_op && ~st_drop;
  wire apart_ok = ~dp_q & ~fresh;
  wire order_ok = ~order_q && ~dp_valid && ~st_drop;
  wire held_ok  = st_op == op_q && st_inv == inv_q;
  // a decision that is wanted is used at once; of one that nobody ordered nothing is assumed, so that
  // the two sides' proofs do not lean on each other in one cycle
  wire used_ok  = (dp_valid & ~dp_bound) | st_drop;
  generate
    if (HEAD != 0) begin : g_head
      always @*
        if (~rst) begin
          if (dp_valid & dp_bound) a_bound: assert (bound_ok);
          if (dp_valid & ~dp_bound) a_own: assert (own_ok);
          if (dp_valid) a_apart: assert (apart_ok);
          if (st_valid) a_order: assert (order_ok);
          if (order_q) a_held: assert (held_ok);
          if (bl_valid & order_q) a_used: assert (used_ok);
          if (bl_valid & ~st_drop) e_answer: assume (order_q && bl_core < CORES);
        end
    end else begin : g_balancer
      always @*
        if (~rst) begin
          if (dp_valid & dp_bound) e_bound: assume (bound_ok);
          if (dp_valid & ~dp_bound) e_own: assume (own_ok);
          if (dp_valid) e_apart: assume (apart_ok);
          if (st_valid) e_order: assume (order_ok);
          if (order_q) e_held: assume (held_ok);
          if (bl_valid & order_q) e_used: assume (used_ok);
          if (bl_valid & ~st_drop) a_answer: assert (order_q && bl_core < CORES);
        end
    end
  endgenerate
endmodule
`default_nettype wire
