// SPDX-License-Identifier: Apache-2.0
// The balancer of pointer policies: the first core at or after a pointer p, cyclically, among the
// candidates; ties do not arise. Counts packets per core, as hwgen_balancer does, and nothing else.
// Latency: st_valid to bl_valid ceil(log2 CORES) + 1 when the core found has room; until it has
// (or some core is a candidate) it looks again in every cycle, so that a decision comes that long
// after the credit's effect. A dispatch or a credit in cycle d is seen by a look in d+1: a decision
// every ceil(log2 CORES) + 2. Bound dispatches every 2 cycles.
// Handshake as hwgen_balancer; credits are never held. What is at or after p comes first, so p is
// kept as the thermometer of the cores below it, and each rank of a tree of pairs takes the left
// one unless the right one alone has a candidate, or alone one at or after p:
//
//   cores  0   1   2   3   4      p = 2, candidates 1, 3, 4
//   below  1   1   0   0   0      3 wins: right of {1, 3}, left of {3, 4}
`default_nettype none
module hwgen_pointer_pick #(
  // cores of the cluster, 1 to 64
  parameter CORES  = 4,
  // bits of a capacity
  parameter CAP_W  = 4,
  // capacities and abilities: see hwgen_balancer
  parameter [CORES*CAP_W-1:0] CAP = {CORES*CAP_W{1'b1}},
  parameter [CORES*4-1:0]     CAN_OP = {CORES*4{1'b1}},
  parameter [CORES-1:0]       CAN_INV = {CORES{1'b1}},
  // 1 and 3: a full core is a candidate, which is waited for; 2: it is none. 1 and 2: an unbound
  // dispatch moves p to the core after it; 3: every dispatch moves p by one
  parameter POINTER = 1,
  // derived: do not set
  parameter CORE_W = (CORES > 1) ? $clog2(CORES) : 1
) (
  input  wire              clk,
  input  wire              rst,
  input  wire              st_valid,
  input  wire [1:0]        st_op,
  input  wire              st_inv,
  input  wire              st_drop,
  output wire              bl_valid,
  output wire [CORE_W-1:0] bl_core,
  output wire [CORES-1:0]  full,
  input  wire [CORES-1:0]  barred,
  input  wire              dp_valid,
  input  wire              dp_bound,
  input  wire [CORE_W-1:0] dp_core,
  input  wire              cr_fire,
  input  wire [CORE_W-1:0] cr_core,
  // what the last decision saw
  output wire [CORES-1:0]  leaf_skip_q
);
  localparam LEVELS = (CORES > 1) ? $clog2(CORES) : 0;

  function integer nodes(input integer level);
    nodes = (CORES + (1 << level) - 1) >> level;
  endfunction

  // number of the first node of a level, counted from the leaves up
  function integer first(input integer level);
    integer k;
    begin
      first = 0;
      for (k = 0; k < level; k = k + 1) first = first + nodes(k);
    end
  endfunction

  localparam TOTAL = first(LEVELS + 1);

  reg                     open_q;
  // valid_q[l]: level l holds a look
  reg  [LEVELS:0]         valid_q;
  // by node: has a candidate, has one at or after p, the one taken has room; which one
  wire [TOTAL-1:0]        any, high, room;
  wire [TOTAL*CORE_W-1:0] idx;
  // core j is below p
  wire [CORES-1:0]        below;
  // by level, what the look saw
  wire [(LEVELS+1)*CORES-1:0] seen;

  wire stop = st_drop | bl_valid;
  // a lone core's leaf is the root, and holds what the decision saw
  wire load = st_valid | (open_q & ((LEVELS != 0) | ~bl_valid));
  wire unused = &{1'b0, any, high, seen};  // the root's any and high

  // the root's room says that it has a candidate, too
  assign bl_valid    = valid_q[LEVELS] & room[TOTAL-1];
  assign bl_core     = idx[(TOTAL-1)*CORE_W +: CORE_W];
  assign leaf_skip_q = seen[LEVELS*CORES +: CORES];

  genvar j, l, i;
  generate
    if (CORES < 1 || CORES > 64) begin : g_bad_size
      hwgen_error_pointer_pick_cores_1_to_64 u_error ();
    end
    if (POINTER < 1 || POINTER > 3) begin : g_bad_pointer
      hwgen_error_pointer_pick_pointer_must_be_1_to_3 u_error ();
    end

    // All ones is the same order as none: a pointer past the last core needs no case of its own.
    if (CORES == 1) begin : g_one
      wire unused_bound = &{1'b0, dp_bound};  // one core: p stands still
      assign below = 1'b0;
    end else begin : g_many
      reg [CORES-1:0] below_q;
      assign below = below_q;
      if (POINTER == 3) begin : g_static
        wire unused_bound = &{1'b0, dp_bound};  // bound ones move p too
        always @(posedge clk) begin
          if (dp_valid) below_q <= {below_q[CORES-2:0], 1'b1} & {CORES{~below_q[CORES-2]}};
          if (rst) below_q <= {CORES{1'b0}};
        end
      end else begin : g_after
        // an unbound dispatch goes to bl_core, which is at hand earlier than dp_core
        wire [CORES-1:0] upto;
        assign upto[0] = 1'b1;
        for (j = 1; j < CORES; j = j + 1) begin : g_upto
          localparam [31:0] J = j;
          assign upto[j] = bl_core >= J[CORE_W-1:0];
        end
        always @(posedge clk) begin
          if (dp_valid & ~dp_bound) below_q <= upto;
          if (rst) below_q <= {CORES{1'b0}};
        end
      end
    end

    for (j = 0; j < CORES; j = j + 1) begin : g_core
      localparam [31:0] J = j;
      localparam [CAP_W-1:0] MOST = CAP[j*CAP_W +: CAP_W];
      // n counts from 2^N_W - MOST up to 2^N_W, so its top bit alone says full
      localparam N_W = $clog2(MOST);
      localparam [31:0] MOST_I = {{(32-CAP_W){1'b0}}, MOST};
      localparam [31:0] EMPTY_I = (1 << N_W) - MOST_I;
      localparam [N_W:0] EMPTY = EMPTY_I[N_W:0];
      localparam [N_W:0] ONE = 1;
      localparam [N_W:0] MINUS = {(N_W+1){1'b1}};
      localparam [3:0] OPS = CAN_OP[j*4 +: 4];
      localparam       INVERSE = CAN_INV[j];

      reg [N_W:0] n_q;
      reg         any_q, room_q;
      wire        up   = dp_valid & (dp_core == J[CORE_W-1:0]);
      wire        down = cr_fire & (cr_core == J[CORE_W-1:0]);
      wire        able = OPS[st_op] & (~st_inv | INVERSE) & ~barred[j];

      assign full[j] = n_q[N_W];
      assign any[j]  = any_q;
      assign high[j] = any_q & ~below[j];
      assign room[j] = room_q;
      assign idx[j*CORE_W +: CORE_W] = J[CORE_W-1:0];
      assign seen[j] = ~room_q;

      always @(posedge clk) begin
        if (up != down) n_q <= n_q + (up ? ONE : MINUS);
        if (rst) n_q <= EMPTY;
        if (load) begin
          any_q  <= able & ((POINTER != 2) | ~n_q[N_W]);
          room_q <= able & ~n_q[N_W];
        end
      end
    end

    for (l = 1; l <= LEVELS; l = l + 1) begin : g_level
      reg [CORES-1:0] seen_q;
      assign seen[l*CORES +: CORES] = seen_q;
      always @(posedge clk) if (valid_q[l-1] & ~stop) seen_q <= seen[(l-1)*CORES +: CORES];

      for (i = 0; i < nodes(l); i = i + 1) begin : g_node
        localparam ME = first(l) + i;
        localparam A  = first(l - 1) + 2 * i;
        reg              any_q, high_q, room_q;
        reg [CORE_W-1:0] idx_q;
        assign any[ME]  = any_q;
        assign high[ME] = high_q;
        assign room[ME] = room_q;
        assign idx[ME*CORE_W +: CORE_W] = idx_q;
        if (2 * i + 1 < nodes(l - 1)) begin : g_pair
          wire left = high[A] | (any[A] & ~high[A+1]);
          always @(posedge clk) begin
            any_q  <= any[A] | any[A+1];
            high_q <= high[A] | high[A+1];
            room_q <= left ? room[A] : room[A+1];
            idx_q  <= left ? idx[A*CORE_W +: CORE_W] : idx[(A+1)*CORE_W +: CORE_W];
          end
        end else begin : g_odd
          always @(posedge clk) begin
            any_q  <= any[A];
            high_q <= high[A];
            room_q <= room[A];
            idx_q  <= idx[A*CORE_W +: CORE_W];
          end
        end
      end
    end

    if (LEVELS == 0) begin : g_leaf
      always @(posedge clk) valid_q <= load & ~stop & ~rst;
    end else begin : g_ranks
      always @(posedge clk) valid_q <= {valid_q[LEVELS-1:0], load} & {(LEVELS+1){~stop & ~rst}};
    end
  endgenerate

  always @(posedge clk) open_q <= load & ~stop & ~rst;
endmodule
`default_nettype wire
