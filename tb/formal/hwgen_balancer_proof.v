// SPDX-License-Identifier: Apache-2.0
// hwgen_balancer, tree form: n_j <= cap_j, acc_j is the sum of what the packets in flight added, and
// every decision sees all of the balancer's own dispatches. Up to 3 cores and 4 slots; the tables are
// constants that differ for each core and op.
`default_nettype none
module hwgen_balancer_proof #(
  parameter CORES      = 2,
  parameter SLOTS      = 3,
  parameter CAP        = 2,
  parameter PER_PACKET = 0,
  // 1: nothing is given back, scores wrap: of the scores only the leaves are looked at
  parameter MODULAR    = 0,
  parameter BLOCKS_W   = 2,
  parameter CORE_W     = (CORES > 1) ? $clog2(CORES) : 1,
  parameter SLOT_W     = (SLOTS > 1) ? $clog2(SLOTS) : 1
) (
  input wire                clk,
  input wire                rst,
  input wire                st_valid,
  input wire [1:0]          st_op,
  input wire                st_inv,
  input wire                st_drop,
  input wire [CORES-1:0]    barred,
  input wire                dp_valid,
  input wire                dp_bound,
  input wire [CORE_W-1:0]   dp_core,
  input wire [SLOT_W-1:0]   dp_slot,
  input wire [1:0]          dp_op,
  input wire [BLOCKS_W-1:0] dp_blocks,
  input wire                cr_fire,
  input wire [CORE_W-1:0]   cr_core,
  input wire [SLOT_W-1:0]   cr_slot
);
  localparam INC_W = 2;
  localparam CAP_W = $clog2(CAP + 1);
  localparam [31:0] CAP_I = CAP;
  localparam N_W   = $clog2(CAP);
  localparam EMPTY = (1 << N_W) - CAP;
  // increments 3 1 2 0 of core 0, 2 3 1 3 of core 1, 1 2 3 1 of core 2, op 0 first
  localparam [23:0] INCS = {8'b01_11_10_01, 8'b11_01_11_10, 8'b00_10_01_11};
  // least scores, such that ties come
  localparam ACC_W = 6;
  localparam [71:0] BASES = {6'd6, 6'd22, 6'd11, 6'd5, 6'd33, 6'd18, 6'd12, 6'd16,
                             6'd4, 6'd20, 6'd10, 6'd14};

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire                   init_busy, bl_valid, cr_hold;
  wire [CORE_W-1:0]      bl_core;
  wire [CORES-1:0]       full, leaf_skip;
  wire [CORES*ACC_W-1:0] leaf_score;
  hwgen_balancer #(
    .CORES        (CORES),
    .SLOTS        (SLOTS),
    .ACC_W        (ACC_W),
    .INC_W        (INC_W),
    .BLOCKS_W     (BLOCKS_W),
    .CAP_W        (CAP_W),
    .BASE         (BASES[CORES*4*ACC_W-1:0]),
    .INC          (INCS[CORES*4*INC_W-1:0]),
    .CAP          ({CORES{CAP_I[CAP_W-1:0]}}),
    .CAN_OP       ({{(CORES*4-1){1'b1}}, (CORES == 1)}),
    .CAN_INV      ({{(CORES-1){1'b0}}, 1'b1}),
    .PROGRAMMABLE (0),
    .GIVE_BACK    (MODULAR == 0),
    .PER_PACKET   (PER_PACKET),
    .MODULAR      (MODULAR)
  ) u_dut (
    .clk          (clk),
    .rst          (rst),
    .tab_rst      (rst),
    .hold         (1'b0),
    .init_busy    (init_busy),
    .st_valid     (st_valid),
    .st_op        (st_op),
    .st_inv       (st_inv),
    .st_drop      (st_drop),
    .bl_valid     (bl_valid),
    .bl_core      (bl_core),
    .full         (full),
    .barred       (barred),
    .dp_valid     (dp_valid),
    .dp_bound     (dp_bound),
    .dp_core      (dp_core),
    .dp_slot      (dp_slot),
    .dp_op        (dp_op),
    .dp_blocks    (dp_blocks),
    .cr_hold      (cr_hold),
    .cr_fire      (cr_fire),
    .cr_core      (cr_core),
    .cr_slot      (cr_slot),
    .cfg_we       (1'b0),
    .cfg_addr     (10'd0),
    .cfg_data     (32'd0),
    .leaf_score_q (leaf_score),
    .leaf_skip_q  (leaf_skip)
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
    .dp_op    (dp_op)
  );

  // Packets in flight by slot: core and amount. age: cycles since the dispatch, up to 3.
  localparam AMT_W = INC_W + BLOCKS_W;
  reg [SLOTS-1:0]        flying_q = 0;
  reg [SLOTS*CORE_W-1:0] core_q;
  reg [SLOTS*AMT_W-1:0]  amount_q;
  reg [SLOTS*2-1:0]      age_q;
  wire [4:0]             entry  = {dp_core, 2'd0} + dp_op;
  wire [INC_W-1:0]       inc    = INCS[entry*INC_W +: INC_W];
  wire [AMT_W-1:0]       amount = (PER_PACKET != 0) ? inc : inc * dp_blocks;
  // of the credit: its amount, until the adder takes it
  reg [AMT_W-1:0]        back_amount_q;
  integer k;
  always @(posedge clk) begin
    for (k = 0; k < SLOTS; k = k + 1) begin
      if (age_q[2*k +: 2] != 3) age_q[2*k +: 2] <= age_q[2*k +: 2] + 1'b1;
      if (dp_valid & (dp_slot == k)) begin
        flying_q[k]                <= 1'b1;
        core_q[k*CORE_W +: CORE_W] <= dp_core;
        amount_q[k*AMT_W +: AMT_W] <= amount;
        age_q[2*k +: 2]            <= 1;
      end
      if (cr_fire & (cr_slot == k)) flying_q[k] <= 1'b0;
    end
    if (cr_fire) back_amount_q <= amount_q[cr_slot*AMT_W +: AMT_W];
    if (rst | ~live) flying_q <= 0;
  end

  always @*
    if (live) begin
      if (dp_valid) e_slot: assume (dp_slot < SLOTS && dp_core < CORES && dp_blocks != 0);
      if (~rst) begin
        if (dp_valid) e_not_flying: assume (~flying_q[dp_slot]);
        // a credit: of a packet in flight, with its core, 3 cycles after its dispatch, not while held
        if (cr_fire)
          e_credit: assume (cr_slot < SLOTS && flying_q[cr_slot] && ~cr_hold
                            && age_q[2*cr_slot +: 2] == 3
                            && cr_core == core_q[cr_slot*CORE_W +: CORE_W]);
      end
    end

  // sums and counts by core
  localparam SUM_W = ACC_W + 2;
  reg [CORES*SUM_W-1:0] sum;
  reg [CORES*3-1:0]     count;
  integer s, c;
  always @* begin
    sum   = 0;
    count = 0;
    for (c = 0; c < CORES; c = c + 1)
      for (s = 0; s < SLOTS; s = s + 1)
        if (flying_q[s] && core_q[s*CORE_W +: CORE_W] == c) begin
          sum[c*SUM_W +: SUM_W] = sum[c*SUM_W +: SUM_W] + amount_q[s*AMT_W +: AMT_W];
          count[c*3 +: 3]       = count[c*3 +: 3] + 1'b1;
        end
  end

  (* hierconn *) wire                 \u_dut.genblk5.g_tree.load ;
  (* hierconn *) wire                 \u_dut.genblk5.g_tree.dp1_q ;
  (* hierconn *) wire                 \u_dut.genblk5.g_tree.dp2_q ;
  (* hierconn *) wire                 \u_dut.genblk5.g_tree.back_q ;
  (* hierconn *) wire [CORES-1:0]     \u_dut.genblk5.g_tree.mine_q ;
  (* hierconn *) wire                 \u_dut.genblk5.g_tree.delta_sub_q ;
  (* hierconn *) wire [CORE_W-1:0]    \u_dut.genblk5.g_tree.dp1_core_q ;
  (* hierconn *) wire [CORE_W-1:0]    \u_dut.genblk5.g_tree.back_core_q ;
  (* hierconn *) wire [SLOT_W-1:0]    \u_dut.genblk5.g_tree.dp1_slot_q ;
  (* hierconn *) wire [SLOT_W-1:0]    \u_dut.genblk5.g_tree.dp2_slot_q ;
  (* hierconn *) wire [ACC_W-1:0]     \u_dut.genblk5.g_tree.delta_q ;
  (* hierconn *) wire [ACC_W-1:0]     \u_dut.genblk5.g_tree.back ;
  (* hierconn *) wire [ACC_W-1:0]     \u_dut.genblk5.g_tree.product ;
  (* hierconn *) wire [SLOTS*ACC_W-1:0] \u_dut.genblk5.g_tree.g_given.u_given.words ;
  (* hierconn *) wire [N_W:0]         \u_dut.genblk5.g_tree.g_core[0].n_q ;
  (* hierconn *) wire [N_W:0]         \u_dut.genblk5.g_tree.g_core[1].n_q ;
  (* hierconn *) wire [N_W:0]         \u_dut.genblk5.g_tree.g_core[2].n_q ;
  (* hierconn *) wire [ACC_W-1:0]     \u_dut.genblk5.g_tree.g_core[0].acc_q ;
  (* hierconn *) wire [ACC_W-1:0]     \u_dut.genblk5.g_tree.g_core[1].acc_q ;
  (* hierconn *) wire [ACC_W-1:0]     \u_dut.genblk5.g_tree.g_core[2].acc_q ;
  // cores at left leaves keep ~acc
  localparam [2:0] LEFT = (MODULAR == 0 && CORES > 1) ? 3'b101 : 3'b000;
  wire [3*ACC_W-1:0] accs = {\u_dut.genblk5.g_tree.g_core[2].acc_q , \u_dut.genblk5.g_tree.g_core[1].acc_q ,
                             \u_dut.genblk5.g_tree.g_core[0].acc_q }
                          ^ {{ACC_W{LEFT[2]}}, {ACC_W{LEFT[1]}}, {ACC_W{LEFT[0]}}};
  wire             load     = \u_dut.genblk5.g_tree.load ;
  wire             dp1      = \u_dut.genblk5.g_tree.dp1_q ;
  wire             dp2      = \u_dut.genblk5.g_tree.dp2_q ;
  wire             back     = \u_dut.genblk5.g_tree.back_q ;
  wire [2:0]       mine     = \u_dut.genblk5.g_tree.mine_q ;
  wire             delta_en = |mine;
  wire             sub      = \u_dut.genblk5.g_tree.delta_sub_q ;
  wire [ACC_W-1:0] delta    = \u_dut.genblk5.g_tree.delta_q ;
  wire [ACC_W-1:0] minus    = ~delta;
  wire [3*(N_W+1)-1:0] ns   = {\u_dut.genblk5.g_tree.g_core[2].n_q , \u_dut.genblk5.g_tree.g_core[1].n_q ,
                               \u_dut.genblk5.g_tree.g_core[0].n_q };
  // with nothing to give back the balancer keeps no slots
  reg  [SLOT_W-1:0] slot1_q, slot2_q;
  always @(posedge clk) {slot1_q, slot2_q} <= {dp_slot, slot1_q};
  wire [SLOT_W-1:0] slot1 = (MODULAR != 0) ? slot1_q : \u_dut.genblk5.g_tree.dp1_slot_q ;
  wire [SLOT_W-1:0] slot2 = (MODULAR != 0) ? slot2_q : \u_dut.genblk5.g_tree.dp2_slot_q ;
  wire [CORE_W-1:0] core1 = \u_dut.genblk5.g_tree.dp1_core_q ;
  wire [CORE_W-1:0] core_back  = \u_dut.genblk5.g_tree.back_core_q ;
  wire [CORE_W-1:0] core_delta = mine[2] ? 2 : mine[1] ? 1 : 0;
  wire [SLOTS*ACC_W-1:0] words = \u_dut.genblk5.g_tree.g_given.u_given.words ;

  // one order at a time: waiting, or in one level of the tree
  localparam LEVELS = (CORES > 1) ? $clog2(CORES) : 0;
  // the dispatch before it is waited for, or the leaves held no core that competed
  localparam WAIT   = 3;
  (* hierconn *) wire            \u_dut.genblk5.g_tree.req_q ;
  (* hierconn *) wire [LEVELS:0] \u_dut.genblk5.g_tree.u_tree.valid_q ;
  (* hierconn *) wire            \u_env.order_q ;
  (* hierconn *) wire            \u_env.dp_q ;
  wire [LEVELS+1:0] order = {\u_dut.genblk5.g_tree.u_tree.valid_q , \u_dut.genblk5.g_tree.req_q };

  // what a leaf has to hold: as the accumulators and tables were when it was loaded
  reg                   loaded_q = 1'b0;
  reg [CORES*ACC_W-1:0] want_q;
  reg [CORES-1:0]       skip_q;
  reg                   dp_q = 1'b0, dp_then_q = 1'b0;
  always @(posedge clk) begin
    if (load & live) begin
      loaded_q <= 1'b1;
      for (k = 0; k < CORES; k = k + 1) begin
        want_q[k*ACC_W +: ACC_W] <= accs[k*ACC_W +: ACC_W] + BASES[(4*k+st_op)*ACC_W +: ACC_W];
        skip_q[k] <= full[k] | barred[k] | (k == 0 && CORES > 1 && st_op == 0) | (k > 0 && st_inv);
      end
    end
    dp_q      <= dp_valid & live & ~rst;
    dp_then_q <= dp_q & ~rst;
  end

  // cycles for which an order has stood, and a core that competes for it with it
  reg [CORES-1:0] competes;
  reg [3:0]       wait_q = 0;
  wire            stands = (st_valid | \u_env.order_q ) & ~st_drop & ~bl_valid;
  always @* for (k = 0; k < CORES; k = k + 1)
    competes[k] = ~(full[k] | barred[k] | (k == 0 && CORES > 1 && st_op == 0) | (k > 0 && st_inv));
  always @(posedge clk)
    wait_q <= (stands & (competes != 0) & live & ~rst) ? wait_q + 1'b1 : 0;

  reg wait_ok;
  always @* begin
    wait_ok = (wait_q == 0) | \u_env.order_q ;
    if (order[0] && wait_q > (dp2 ? 1 : 2)) wait_ok = 1'b0;
    if (order[0] && dp1) wait_ok = 1'b0;
    if (order[1] && (&skip_q) && wait_q != 0) wait_ok = 1'b0;
    for (k = 0; k <= LEVELS; k = k + 1)
      if (order[k+1] && wait_q > WAIT + k) wait_ok = 1'b0;
  end

  reg cap_ok, room_ok, settled_ok, range_ok, acc_ok, n_ok, slot_ok;
  reg [SUM_W-1:0] acc, plus, less;
  reg [3:0]       n_less;
  reg             busy;
  always @* begin
    {cap_ok, room_ok, settled_ok, range_ok, acc_ok, n_ok, slot_ok} = {7{1'b1}};
    for (c = 0; c < CORES; c = c + 1) begin
      acc    = accs[c*ACC_W +: ACC_W];
      plus   = 0;
      less   = 0;
      n_less = 0;
      busy   = 1'b0;
      if (dp1 && core1 == c) plus = amount_q[slot1*AMT_W +: AMT_W];
      if (back && core_back == c) less = back_amount_q;
      if (back && core_back == c) n_less = 1;
      if (delta_en && core_delta == c) begin
        if (sub) less = less + minus; else plus = plus + delta;
        if (sub) n_less = n_less + 1;
      end
      busy = (dp1 && core1 == c) | (back && core_back == c) | (delta_en && core_delta == c);
      if (count[c*3 +: 3] > CAP) cap_ok = 1'b0;
      if (~full[c] && count[c*3 +: 3] >= CAP) room_ok = 1'b0;
      if (~busy && acc != sum[c*SUM_W +: SUM_W]) settled_ok = 1'b0;
      if (delta_en && core_delta == c && (sub ? acc < minus : acc + delta >= (1 << ACC_W)))
        range_ok = 1'b0;
      if (acc + plus != sum[c*SUM_W +: SUM_W] + less) acc_ok = 1'b0;
      if (ns[c*(N_W+1) +: N_W+1] != EMPTY + count[c*3 +: 3] + n_less) n_ok = 1'b0;
    end
    for (s = 0; s < SLOTS; s = s + 1)
      if (flying_q[s]) begin
        if (age_q[2*s +: 2] == 0 || core_q[s*CORE_W +: CORE_W] >= CORES
            || amount_q[s*AMT_W +: AMT_W] > (PER_PACKET != 0 ? 3 : 9)) slot_ok = 1'b0;
        if ((age_q[2*s +: 2] == 1) != (dp1 && slot1 == s)) slot_ok = 1'b0;
        if ((age_q[2*s +: 2] == 2) != (dp2 && slot2 == s)) slot_ok = 1'b0;
        if (MODULAR == 0 && age_q[2*s +: 2] == 3
            && words[s*ACC_W +: ACC_W] != amount_q[s*AMT_W +: AMT_W])
          slot_ok = 1'b0;
      end
  end

  always @*
    if (live) begin
      a_cap: assert (cap_ok);
      a_full: assert (room_ok);
      // acc_j is the sum of what the packets in flight added, whenever no update of j is under way
      if (MODULAR == 0) a_sum: assert (settled_ok);
      // and no update passes 0 or the width
      if (MODULAR == 0) a_range: assert (range_ok);
      if (load & ~st_drop & ~rst) a_sees_own: assert (~dp_valid & ~dp_q & ~dp_then_q);
      if (loaded_q) a_leaf: assert (leaf_score == want_q && leaf_skip == skip_q);
      a_answers: assert (wait_q <= LEVELS + WAIT);
      if (bl_valid & ~st_drop & ~rst) a_winner_has_room: assert (~full[bl_core]);
      c_full: cover (full[0] & (sum[SUM_W-1:0] == ((PER_PACKET != 0) ? 4 : 10)));
      c_credit: cover (cr_fire & dp_valid & bl_valid);
      // what makes it inductive
      i_order: assert (\u_env.order_q == (order != 0) && (order & (order - 1'b1)) == 0);
      i_env: assert (\u_env.dp_q == dp_q);
      if (MODULAR == 0) i_acc: assert (acc_ok);
      i_n: assert (n_ok);
      i_wait: assert (wait_ok);
      i_slot: assert (slot_ok);
      if (dp1)
        i_dp1: assert (flying_q[slot1] && core1 == core_q[slot1*CORE_W +: CORE_W] && slot1 < SLOTS
                       && \u_dut.genblk5.g_tree.product == amount_q[slot1*AMT_W +: AMT_W]);
      if (dp2)
        i_dp2: assert (flying_q[slot2] && core_delta == core_q[slot2*CORE_W +: CORE_W]
                       && slot2 < SLOTS && delta == amount_q[slot2*AMT_W +: AMT_W]);
      i_delta: assert (dp2 == (delta_en & ~sub));
      i_apart: assert (dp1 == dp_q && dp2 == dp_then_q && ~(dp1 & dp2));
      if (back)
        i_back: assert (core_back < CORES
                        && (MODULAR != 0 || (\u_dut.genblk5.g_tree.back == back_amount_q
                                             && back_amount_q <= (PER_PACKET != 0 ? 3 : 9))));
      if (delta_en & sub)
        i_minus: assert (core_delta < CORES
                         && (MODULAR != 0 || minus <= (PER_PACKET != 0 ? 3 : 9)));
    end
endmodule
`default_nettype wire
