// SPDX-License-Identifier: Apache-2.0
// Load balancer of one cluster: the core with the least acc[j] + base[j][op] among those that
// compete (not full, able, not barred), ties to the lowest index; keeps n[j] and acc[j].
// POINTER: a pointer in place of scores, hwgen_pointer_pick, whatever SCAN says.
// Latency: st_valid to bl_valid ceil(log2 CORES) + 1 (SCAN: CORES + 3) when one competes; else it
// waits, reloading its leaves. A dispatch is in acc 3 cycles later: a decision every
// ceil(log2 CORES) + 4 (SCAN: CORES + 5 or 6; with MODULAR a cycle more, as the latency).
// Bound dispatches every 2 cycles (SCAN: 4).
// Handshake: pulses. cr_fire only while cr_hold = 0; a credit at least 3 cycles after its dispatch.
`default_nettype none
module hwgen_balancer #(
  // cores of the cluster, 1 to 64
  parameter CORES    = 4,
  // packet slots
  parameter SLOTS    = 32,
  // bits of a score; acc + base must fit for every core that is not full. MODULAR: acc and scores
  // wrap; twice the largest base and a packet's largest increment must be below 2^(ACC_W-2)
  parameter ACC_W    = 12,
  // bits of an increment per block
  parameter INC_W    = 8,
  // bits of a packet's block count
  parameter BLOCKS_W = 3,
  // bits of a capacity
  parameter CAP_W    = 4,
  // base score of core j and command op at [(j*4+op)*ACC_W +: ACC_W]; reset value if PROGRAMMABLE
  parameter [CORES*4*ACC_W-1:0] BASE = {CORES*4*ACC_W{1'b0}},
  // increment per block of core j and command op at [(j*4+op)*INC_W +: INC_W]; likewise
  parameter [CORES*4*INC_W-1:0] INC = {CORES*4*INC_W{1'b0}},
  // most packets of core j, at least 1, at [j*CAP_W +: CAP_W]
  parameter [CORES*CAP_W-1:0]   CAP = {CORES*CAP_W{1'b1}},
  // bit j*4+op: core j can do command op
  parameter [CORES*4-1:0]       CAN_OP = {CORES*4{1'b1}},
  // bit j: core j has the inverse cipher
  parameter [CORES-1:0]         CAN_INV = {CORES{1'b1}},
  // 1: the tables are written by cfg_*
  parameter PROGRAMMABLE = 1,
  // 0: comparator tree; 1: one adder and one comparator, hwgen_score_scan
  parameter SCAN = 0,
  // 1: a credit takes back what its dispatch added to acc
  parameter GIVE_BACK = 1,
  // 1: an increment is added once a packet, not once a block
  parameter PER_PACKET = 0,
  // 1 (with GIVE_BACK = 0): scores are compared modulo 2^ACC_W. An unbound dispatch makes the
  // winner's score the reference and brings cores up to it that did not compete and are behind;
  // nothing is added to a core that is 2^(ACC_W-2) or more ahead of it
  parameter MODULAR = 0,
  // 0: scores. Else the first core at or after a pointer, among those able and not barred (1 and 3:
  // a full one is waited for) or competing (2). 1, 2: an unbound dispatch moves the pointer to the
  // core after it; 3: every dispatch moves it by one
  parameter POINTER = 0,
  // derived: do not set
  parameter CORE_W = (CORES > 1) ? $clog2(CORES) : 1,
  parameter SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1
) (
  input  wire                   clk,
  input  wire                   rst,
  // 1: the tables take BASE and INC; rst alone leaves what a host has written
  input  wire                   tab_rst,
  // 1: no decision and no dispatch from the next cycle on; decisions that are under way begin again
  // when it falls. The tables may be written from the fourth cycle on
  input  wire                   hold,
  // 1 while tables are being loaded after reset (SCAN only); decisions wait by themselves
  output wire                   init_busy,
  // a decision is wanted; op and inv stable until bl_valid or st_drop
  input  wire                   st_valid,
  input  wire [1:0]             st_op,
  input  wire                   st_inv,
  input  wire                   st_drop,
  output wire                   bl_valid,
  output wire [CORE_W-1:0]      bl_core,
  // never 0 for a core that has no room
  output wire [CORES-1:0]       full,
  input  wire [CORES-1:0]       barred,
  input  wire                   dp_valid,
  // 1: to the core of its job; 0: as decided, in the cycle of bl_valid
  input  wire                   dp_bound,
  input  wire [CORE_W-1:0]      dp_core,
  input  wire [SLOT_W-1:0]      dp_slot,
  input  wire [1:0]             dp_op,
  input  wire [BLOCKS_W-1:0]    dp_blocks,
  output wire                   cr_hold,
  input  wire                   cr_fire,
  input  wire [CORE_W-1:0]      cr_core,
  input  wire [SLOT_W-1:0]      cr_slot,
  // {0, table (0 base, 1 increment), core[5:0], op[1:0]}
  input  wire                   cfg_we,
  input  wire [9:0]             cfg_addr,
  input  wire [31:0]            cfg_data,
  // what the last decision saw
  output wire [CORES*ACC_W-1:0] leaf_score_q,
  output wire [CORES-1:0]       leaf_skip_q
);
  generate
    if (CORES < 1 || CORES > 64 || SLOTS < 1 || BLOCKS_W < 1) begin : g_bad_size
      hwgen_error_balancer_cores_1_to_64_slots_and_blocks_at_least_1 u_error ();
    end
    if (ACC_W < 1 || ACC_W > 32 || INC_W < 1 || INC_W > ACC_W) begin : g_bad_width
      hwgen_error_balancer_acc_w_1_to_32_inc_w_at_most_acc_w u_error ();
    end

    if (POINTER < 0 || POINTER > 3) begin : g_bad_pointer
      hwgen_error_balancer_pointer_must_be_0_to_3 u_error ();
    end
    if (MODULAR != 0 && (GIVE_BACK != 0 || ACC_W < 3)) begin : g_bad_modular
      hwgen_error_balancer_modular_needs_give_back_0_and_acc_w_of_3 u_error ();
    end

    if (POINTER != 0) begin : g_pointer
      hwgen_pointer_pick #(
        .CORES   (CORES),
        .CAP_W   (CAP_W),
        .CAP     (CAP),
        .CAN_OP  (CAN_OP),
        .CAN_INV (CAN_INV),
        .POINTER (POINTER)
      ) u_pick (
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
        .leaf_skip_q (leaf_skip_q)
      );
      assign init_busy    = 1'b0;
      assign cr_hold      = 1'b0;
      assign leaf_score_q = {CORES*ACC_W{1'b0}};
      // no scores: no tables to write, no amounts of blocks, nothing to hold or to give back
      wire unused = &{1'b0, tab_rst, hold, dp_slot, dp_op, dp_blocks, cr_slot, cfg_we, cfg_addr,
                      cfg_data};
    end else if (SCAN != 0) begin : g_scan
      hwgen_score_scan #(
        .CORES        (CORES),
        .SLOTS        (SLOTS),
        .ACC_W        (ACC_W),
        .INC_W        (INC_W),
        .BLOCKS_W     (BLOCKS_W),
        .CAP_W        (CAP_W),
        .BASE         (BASE),
        .INC          (INC),
        .CAP          (CAP),
        .CAN_OP       (CAN_OP),
        .CAN_INV      (CAN_INV),
        .PROGRAMMABLE (PROGRAMMABLE),
        .GIVE_BACK    (GIVE_BACK),
        .PER_PACKET   (PER_PACKET),
        .MODULAR      (MODULAR)
      ) u_scan (
        .clk          (clk),
        .rst          (rst),
        .tab_rst      (tab_rst),
        .hold         (hold),
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
        .cfg_we       (cfg_we),
        .cfg_addr     (cfg_addr),
        .cfg_data     (cfg_data),
        .leaf_score_q (leaf_score_q),
        .leaf_skip_q  (leaf_skip_q)
      );
    end else begin : g_tree
      // Dispatch in d: increment looked up; d+1: multiplied; d+2: added; a leaf may load in d+3.
      // Credit in c: RAM read; c+1: inverted, unless the dispatch of c is multiplied then: one
      // more cycle, in which the RAM output holds since cr_hold keeps the next credit away.
      // MODULAR: in d+1 the accs are set against the reference, new from d+1 on, by the same
      // adders; what they say counts in d+2.
      localparam QUADS   = (CORES + 3) / 4;
      localparam DELTA_W = (INC_W + BLOCKS_W > ACC_W) ? INC_W + BLOCKS_W : ACC_W;

      reg                req_q;
      // a decision is under way
      reg                open_q;
      reg                dp1_q, dp2_q, back_q;
      reg  [CORE_W-1:0]  dp1_core_q, back_core_q;
      reg  [SLOT_W-1:0]  dp1_slot_q, dp2_slot_q;
      reg  [INC_W-1:0]   inc_q;
      reg  [BLOCKS_W-1:0] blocks_q;
      reg                delta_sub_q;
      // whose acc delta_q is for: at most one bit, decoded a cycle ahead
      reg  [CORES-1:0]   mine_q;
      // delta_n_q = ~delta_q, for the cores that keep ~acc
      reg  [ACC_W-1:0]   delta_q, delta_n_q;

      // the leaves were loaded in the last cycle; of four leaves each: all of them skipped
      reg                loaded_q;
      reg  [QUADS-1:0]   skipped, skipped_q;
      wire               none = loaded_q & (&skipped_q);
      wire               tree_none;
      wire [ACC_W-1:0]   back, best;
      // MODULAR: the reference of the next cycle; lift: in d+2 of an unbound dispatch
      wire [ACC_W-1:0]   ref_now, ref_next;
      wire               lift;
      wire [CORES*ACC_W-1:0] score;
      wire [CORES-1:0]       skip;
      wire [CORES*INC_W-1:0] inc;
      wire [DELTA_W-1:0] inc_wide    = {{(DELTA_W-INC_W){1'b0}}, inc_q};
      wire [DELTA_W-1:0] blocks_wide = {{(DELTA_W-BLOCKS_W){1'b0}}, blocks_q};
      wire [DELTA_W-1:0] product = (PER_PACKET != 0) ? inc_wide : inc_wide * blocks_wide;
      wire [CORE_W-1:0] delta_core = dp1_q ? dp1_core_q : back_core_q;
      wire [ACC_W-1:0] delta = dp1_q ? product[ACC_W-1:0] : (MODULAR != 0) ? ~ref_next : ~back;
      // what is ordered now, or found no core when it last looked
      wire load = (st_valid | req_q | none) & ~dp1_q & ~dp2_q & ~hold;
      // by parameter: tables that are written (tab_rst, cfg_*), amounts given back (dp2_slot_q,
      // cr_slot, back), a reference (dp_bound, best, ref_*, lift), left leaves (delta_n_q); none is
      // at hand before tree_none; product has more bits than a score
      wire unused = &{1'b0, tab_rst, cfg_we, cfg_addr, cfg_data, product, dp_bound, dp2_slot_q,
                      cr_slot, back, best, ref_now, ref_next, lift, delta_n_q, tree_none};

      assign init_busy = 1'b0;
      assign cr_hold   = dp1_q;

      if (GIVE_BACK != 0) begin : g_given
        hwgen_ram #(
          .WIDTH (ACC_W),
          .DEPTH (SLOTS)
        ) u_given (
          .clk   (clk),
          .we    (dp2_q),
          .waddr (dp2_slot_q),
          .wdata (delta_q),
          .re    (cr_fire),
          .raddr (cr_slot),
          .rdata (back)
        );
      end else begin : g_kept
        assign back = {ACC_W{1'b0}};
      end

      if (MODULAR != 0) begin : g_ref
        reg [ACC_W-1:0] ref_q;
        reg             own1_q, own2_q;
        wire            own = dp_valid & ~dp_bound;
        assign ref_now  = ref_q;
        assign ref_next = own ? best : ref_q;
        assign lift     = own2_q;
        always @(posedge clk) begin
          ref_q  <= ref_next;
          own1_q <= own;
          own2_q <= own1_q;
          if (rst) begin
            ref_q  <= {ACC_W{1'b0}};
            own1_q <= 1'b0;
            own2_q <= 1'b0;
          end
        end
      end else begin : g_no_ref
        assign ref_now  = {ACC_W{1'b0}};
        assign ref_next = {ACC_W{1'b0}};
        assign lift     = 1'b0;
      end

      hwgen_compare_tree #(
        .N       (CORES),
        .W       (ACC_W),
        .MODULAR (MODULAR)
      ) u_tree (
        .clk        (clk),
        .rst        (rst),
        .load       (load),
        .drop       (st_drop | hold),
        .score      (score),
        .skip       (skip),
        .none       (tree_none),
        .out_valid  (bl_valid),
        .out_index  (bl_core),
        .out_score  (best),
        .leaf_score (leaf_score_q),
        .leaf_skip  (leaf_skip_q)
      );

      integer k, m;
      always @* begin
        skipped = {QUADS{1'b1}};
        for (m = 0; m < CORES; m = m + 1)
          if (~skip[m]) skipped[m/4] = 1'b0;
      end

      always @(posedge clk) begin
        req_q        <= ((st_valid | req_q | none) & ~load) | (hold & open_q & ~bl_valid);
        open_q       <= (open_q | st_valid) & ~bl_valid;
        dp1_q        <= dp_valid;
        if (dp_valid) begin
          dp1_core_q <= dp_core;
          dp1_slot_q <= dp_slot;
          inc_q      <= inc[dp_core*INC_W +: INC_W];
          blocks_q   <= dp_blocks;
        end
        dp2_q        <= dp1_q;
        if (dp1_q) dp2_slot_q <= dp1_slot_q;
        back_q       <= cr_fire | (back_q & dp1_q);
        if (cr_fire) back_core_q <= cr_core;
        delta_sub_q  <= ~dp1_q;
        for (k = 0; k < CORES; k = k + 1)
          mine_q[k]  <= (dp1_q | back_q) & (delta_core == k[CORE_W-1:0]);
        loaded_q     <= load & ~st_drop & ~hold;
        if (load) skipped_q <= skipped;
        delta_q      <= delta;
        delta_n_q    <= ~delta;
        if (st_drop) begin
          req_q      <= 1'b0;
          open_q     <= 1'b0;
        end
        if (rst) begin
          req_q      <= 1'b0;
          open_q     <= 1'b0;
          dp1_q      <= 1'b0;
          dp2_q      <= 1'b0;
          back_q     <= 1'b0;
          mine_q     <= {CORES{1'b0}};
          loaded_q   <= 1'b0;
        end
      end

      genvar j, o;
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
        // The tree takes ~score of a left leaf. Keeping ~acc there lets the adder make it:
        // ~(acc + base) = ~acc - base, and ~(acc + delta) = ~acc - delta.
        localparam [0:0] LEFT = (MODULAR == 0) && (CORES > 1) && (j % 2 == 0);

        reg  [N_W:0]       n_q;
        reg  [ACC_W-1:0]   acc_q;
        wire [4*ACC_W-1:0] bases;
        wire [4*INC_W-1:0] incs;
        wire               up     = dp_valid & (dp_core == J[CORE_W-1:0]);
        wire               mine   = mine_q[j];
        wire               down   = mine & delta_sub_q;
        // the lowest bit makes the carry that completes the two's complement
        wire [ACC_W:0]     sum    = LEFT ? {acc_q, 1'b1} + {delta_n_q, ~delta_sub_q}
                                         : {acc_q, 1'b1} + {delta_q, delta_sub_q};
        wire [ACC_W-1:0]   base   = bases[st_op*ACC_W +: ACC_W];
        wire               unused_sum = &{1'b0, sum[0]};  // made the carry, says nothing

        assign full[j]  = n_q[N_W] | hold;
        assign skip[j]  = n_q[N_W] | barred[j] | ~OPS[st_op] | (st_inv & ~INVERSE);
        assign score[j*ACC_W +: ACC_W] = LEFT ? ~(acc_q - base) : acc_q + base;
        assign inc[j*INC_W +: INC_W]   = incs[dp_op*INC_W +: INC_W];

        always @(posedge clk) begin
          if (up != down) n_q <= n_q + (up ? ONE : MINUS);
          if (rst) n_q <= EMPTY;
        end

        if (MODULAR != 0) begin : g_modular
          // of acc - ref: 1x behind, 01 far ahead; a core that has won or is bound to is not lifted
          reg  [1:0] ahead_q;
          wire       own_lift = lift & leaf_skip_q[j];
          always @(posedge clk) begin
            ahead_q <= sum[ACC_W -: 2];
            if (own_lift ? ahead_q[1] : mine & ~delta_sub_q & (ahead_q != 2'b01))
              acc_q <= own_lift ? ref_now : sum[ACC_W:1];
            if (rst) acc_q <= {ACC_W{1'b0}};
          end
        end else begin : g_plain
          always @(posedge clk) begin
            if (mine & (~delta_sub_q | (GIVE_BACK != 0))) acc_q <= sum[ACC_W:1];
            if (rst) acc_q <= {ACC_W{LEFT}};
          end
        end

        for (o = 0; o < 4; o = o + 1) begin : g_op
          localparam [ACC_W-1:0] BASE0 = BASE[(j*4+o)*ACC_W +: ACC_W];
          localparam [INC_W-1:0] INC0  = INC[(j*4+o)*INC_W +: INC_W];
          if (PROGRAMMABLE != 0) begin : g_reg
            localparam [31:0] AT_I = j * 4 + o;
            localparam [8:0] AT_BASE = {1'b0, AT_I[7:0]};
            localparam [8:0] AT_INC  = {1'b1, AT_I[7:0]};
            reg [ACC_W-1:0] base_tab_q;
            reg [INC_W-1:0] inc_tab_q;
            assign bases[o*ACC_W +: ACC_W] = base_tab_q;
            assign incs[o*INC_W +: INC_W]  = inc_tab_q;
            always @(posedge clk) begin
              if (cfg_we) begin
                if (cfg_addr == {1'b0, AT_BASE}) base_tab_q <= cfg_data[ACC_W-1:0];
                if (cfg_addr == {1'b0, AT_INC})  inc_tab_q  <= cfg_data[INC_W-1:0];
              end
              if (tab_rst) begin
                base_tab_q <= BASE0;
                inc_tab_q  <= INC0;
              end
            end
          end else begin : g_const
            assign bases[o*ACC_W +: ACC_W] = BASE0;
            assign incs[o*INC_W +: INC_W]  = INC0;
          end
        end
      end
    end
  endgenerate
endmodule
`default_nettype wire
