// SPDX-License-Identifier: Apache-2.0
// Load balancer of one cluster: the core with the least acc[j] + base[j][op] among those that
// compete (not full, able, not barred), ties to the lowest index; keeps n[j] and acc[j].
// Latency: st_valid to bl_valid ceil(log2 CORES) + 1 (SCAN: CORES + 3) when one competes; else it
// waits, reloading its leaves. A dispatch is in acc 3 cycles later: a decision every
// ceil(log2 CORES) + 4 (SCAN: CORES + 5 or 6). Bound dispatches every 2 cycles (SCAN: 4).
// Handshake: pulses. cr_fire only while cr_hold = 0; a credit at least 3 cycles after its dispatch.
`default_nettype none
module hwgen_balancer #(
  // cores of the cluster, 1 to 64
  parameter CORES    = 4,
  // packet slots
  parameter SLOTS    = 32,
  // bits of a score; acc + base must fit for every core that is not full
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
  // derived: do not set
  parameter CORE_W = (CORES > 1) ? $clog2(CORES) : 1,
  parameter SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1
) (
  input  wire                   clk,
  input  wire                   rst,
  // 1: the tables take BASE and INC; rst alone leaves what a host has written
  input  wire                   tab_rst,
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

    if (SCAN != 0) begin : g_scan
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
        .GIVE_BACK    (GIVE_BACK)
      ) u_scan (
        .clk          (clk),
        .rst          (rst),
        .tab_rst      (tab_rst),
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
      localparam DELTA_W = (INC_W + BLOCKS_W > ACC_W) ? INC_W + BLOCKS_W : ACC_W;

      reg                req_q;
      reg                dp1_q, dp2_q, back_q;
      reg  [CORE_W-1:0]  dp1_core_q, back_core_q, delta_core_q;
      reg  [SLOT_W-1:0]  dp1_slot_q, dp2_slot_q;
      reg  [INC_W-1:0]   inc_q;
      reg  [BLOCKS_W-1:0] blocks_q;
      reg                delta_en_q, delta_sub_q;
      reg  [ACC_W-1:0]   delta_q;

      wire               none;
      wire [ACC_W-1:0]   back;
      wire [CORES*ACC_W-1:0] score;
      wire [CORES-1:0]       skip;
      wire [CORES*INC_W-1:0] inc;
      wire [DELTA_W-1:0] product = {{(DELTA_W-INC_W){1'b0}}, inc_q}
                                 * {{(DELTA_W-BLOCKS_W){1'b0}}, blocks_q};
      // what is ordered now, or found no core when it last looked
      wire load = (st_valid | req_q | none) & ~dp1_q & ~dp2_q;
      wire unused = &{1'b0, tab_rst, cfg_we, cfg_addr, cfg_data, product};

      assign init_busy = 1'b0;
      assign cr_hold   = dp1_q;

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

      hwgen_compare_tree #(
        .N (CORES),
        .W (ACC_W)
      ) u_tree (
        .clk        (clk),
        .rst        (rst),
        .load       (load),
        .drop       (st_drop),
        .score      (score),
        .skip       (skip),
        .none       (none),
        .out_valid  (bl_valid),
        .out_index  (bl_core),
        .leaf_score (leaf_score_q),
        .leaf_skip  (leaf_skip_q)
      );

      always @(posedge clk) begin
        req_q        <= (st_valid | req_q | none) & ~load;
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
        delta_en_q   <= dp1_q | back_q;
        delta_sub_q  <= ~dp1_q;
        delta_core_q <= dp1_q ? dp1_core_q : back_core_q;
        delta_q      <= dp1_q ? product[ACC_W-1:0] : ~back;
        if (st_drop) req_q <= 1'b0;
        if (rst) begin
          req_q      <= 1'b0;
          dp1_q      <= 1'b0;
          dp2_q      <= 1'b0;
          back_q     <= 1'b0;
          delta_en_q <= 1'b0;
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

        reg  [N_W:0]       n_q;
        reg  [ACC_W-1:0]   acc_q;
        wire [4*ACC_W-1:0] bases;
        wire [4*INC_W-1:0] incs;
        wire               up     = dp_valid & (dp_core == J[CORE_W-1:0]);
        wire               mine   = delta_en_q & (delta_core_q == J[CORE_W-1:0]);
        wire               down   = mine & delta_sub_q;
        // the lowest bit makes the carry that completes the two's complement
        wire [ACC_W:0]     sum    = {acc_q, 1'b1} + {delta_q, delta_sub_q};
        wire               unused_sum = &{1'b0, sum[0]};

        assign full[j]  = n_q[N_W];
        assign skip[j]  = n_q[N_W] | barred[j] | ~OPS[st_op] | (st_inv & ~INVERSE);
        assign score[j*ACC_W +: ACC_W] = acc_q + bases[st_op*ACC_W +: ACC_W];
        assign inc[j*INC_W +: INC_W]   = incs[dp_op*INC_W +: INC_W];

        always @(posedge clk) begin
          if (up != down) n_q <= n_q + (up ? ONE : MINUS);
          if (mine & (~delta_sub_q | (GIVE_BACK != 0))) acc_q <= sum[ACC_W:1];
          if (rst) begin
            n_q   <= EMPTY;
            acc_q <= {ACC_W{1'b0}};
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
