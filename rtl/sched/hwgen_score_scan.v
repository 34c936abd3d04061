// SPDX-License-Identifier: Apache-2.0
// The balancer for small parts: one adder and one comparator walk over the cores, with acc, n, the
// tables and the increments in flight in RAM. Decisions as hwgen_balancer's tree makes them.
// Latency: st_valid to bl_valid CORES + 3; interval CORES + 5 (6 when a credit came in between);
// after rst init_busy for 4*CORES cycles. When no core competes it looks again every CORES + 4.
// MODULAR: a cycle more each, but for init_busy.
// Handshake as hwgen_balancer. full is all ones while a dispatch is being added: bound packets go
// every 4 cycles. cr_hold is 1 from an order to its dispatch, so all scores are of one moment.
`default_nettype none
module hwgen_score_scan #(
  // cores of the cluster, 1 to 64
  parameter CORES    = 4,
  // packet slots
  parameter SLOTS    = 32,
  // bits of a score
  parameter ACC_W    = 12,
  // bits of an increment per block
  parameter INC_W    = 8,
  // bits of a packet's block count
  parameter BLOCKS_W = 3,
  // bits of a capacity
  parameter CAP_W    = 4,
  // tables and abilities: see hwgen_balancer
  parameter [CORES*4*ACC_W-1:0] BASE = {CORES*4*ACC_W{1'b0}},
  parameter [CORES*4*INC_W-1:0] INC = {CORES*4*INC_W{1'b0}},
  parameter [CORES*CAP_W-1:0]   CAP = {CORES*CAP_W{1'b1}},
  parameter [CORES*4-1:0]       CAN_OP = {CORES*4{1'b1}},
  parameter [CORES-1:0]         CAN_INV = {CORES{1'b1}},
  // 1: the tables are RAMs written by cfg_*, loaded from BASE and INC after reset; 0: ROMs
  parameter PROGRAMMABLE = 1,
  // 1: a credit takes back what its dispatch added to acc
  parameter GIVE_BACK = 1,
  // 1: an increment is added once a packet
  parameter PER_PACKET = 0,
  // 1: scores wrap, see hwgen_balancer. A core that a decision finds behind is marked, and brought
  // up to the reference by whatever reads its acc next: the walk of a scan or a dispatch
  parameter MODULAR = 0,
  // derived: do not set
  parameter CORE_W = (CORES > 1) ? $clog2(CORES) : 1,
  parameter SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1
) (
  input  wire                   clk,
  input  wire                   rst,
  input  wire                   tab_rst,
  input  wire                   hold,
  output wire                   init_busy,
  input  wire                   st_valid,
  input  wire [1:0]             st_op,
  input  wire                   st_inv,
  input  wire                   st_drop,
  output wire                   bl_valid,
  output wire [CORE_W-1:0]      bl_core,
  output wire [CORES-1:0]       full,
  input  wire [CORES-1:0]       barred,
  input  wire                   dp_valid,
  input  wire                   dp_bound,
  input  wire [CORE_W-1:0]      dp_core,
  input  wire [SLOT_W-1:0]      dp_slot,
  input  wire [1:0]             dp_op,
  input  wire [BLOCKS_W-1:0]    dp_blocks,
  output wire                   cr_hold,
  input  wire                   cr_fire,
  input  wire [CORE_W-1:0]      cr_core,
  input  wire [SLOT_W-1:0]      cr_slot,
  input  wire                   cfg_we,
  input  wire [9:0]             cfg_addr,
  input  wire [31:0]            cfg_data,
  output wire [CORES*ACC_W-1:0] leaf_score_q,
  output wire [CORES-1:0]       leaf_skip_q
);
  localparam TAB_W   = CORE_W + 2;
  // address bits of the tables: without the core's bit when there is one core
  localparam TA_W    = $clog2(CORES * 4);
  localparam N_W     = CAP_W + 1;
  localparam DELTA_W = (INC_W + BLOCKS_W > ACC_W) ? INC_W + BLOCKS_W : ACC_W;
  localparam [31:0] LAST_I = CORES - 1;
  localparam [CORE_W-1:0] LAST = LAST_I[CORE_W-1:0];
  localparam [CORE_W-1:0] C_ONE = 1;
  localparam [TAB_W-1:0]  T_ONE = 1;
  localparam [N_W-1:0]    N_ONE = 1;

  // after reset: tables and counts are written entry by entry
  reg              init_q;
  // this one writes the tables too: after tab_rst, until one has run to its end
  reg              tab_init_q;
  reg [TAB_W-1:0]  init_at_q;
  // order, scan, its pipeline stages, result, pause for credits when nothing was found
  reg              req_q, scan_q, rd_q, sum_valid_q, done_q, pause_q;
  reg              rd_last_q, sum_last_q;
  reg [CORE_W-1:0] at_q, rd_core_q, sum_core_q, best_core_q;
  reg              rd_can_q;
  reg [ACC_W:0]    sum_q, best_q;
  // a dispatch waits for the port (put), writes (put_w); a credit writes (back_w)
  reg              put_q, put_new_q, put_w_q, back_w_q;
  reg [CORE_W-1:0] put_core_q, back_core_q;
  reg [SLOT_W-1:0] put_slot_q;
  reg [BLOCKS_W-1:0] blocks_q;
  reg [ACC_W-1:0]  amount_q;
  reg [CORES-1:0]  full_q;
  // what the cores looked like to the last scan, each as it was read
  reg [CORES*ACC_W-1:0] seen_score_q;
  reg [CORES-1:0]       seen_skip_q;

  wire [ACC_W-1:0] base, back;
  wire [INC_W-1:0] inc;
  // the scan's stage of the adder
  wire              add_valid, add_last, add_skip, less;
  wire [CORE_W-1:0] add_core;
  wire [ACC_W-1:0]  score;
  // a dispatch takes the port, has taken it and not yet come to its write
  wire              put_go, put_more, put_last;
  wire              n_we;
  wire [CORE_W-1:0] n_core;
  wire [N_W-1:0]    n_new;

  // written as a difference: Yosys makes of < by turns the carry or its complement and equality
  wire [ACC_W+1:0] over = {1'b0, sum_q} - {1'b0, best_q};

  // The port's users: a scan never meets another, since credits are held from its order on and
  // no dispatch comes before its end; a put waits for the write of a credit.
  wire drop    = st_drop | hold;
  wire start   = req_q & ~drop & ~back_w_q & ~put_q & ~put_more & ~put_w_q & ~init_q;
  wire look    = start | scan_q;
  wire at_last = at_q == LAST;

  wire [TAB_W-1:0]  scan_at = {at_q, st_op};
  wire [TAB_W-1:0]  tab_at = dp_valid ? {dp_core, dp_op} : scan_at;
  wire [DELTA_W-1:0] inc_wide    = {{(DELTA_W-INC_W){1'b0}}, inc};
  wire [DELTA_W-1:0] blocks_wide = {{(DELTA_W-BLOCKS_W){1'b0}}, blocks_q};
  wire [DELTA_W-1:0] product = (PER_PACKET != 0) ? inc_wide : inc_wide * blocks_wide;
  // by parameter: tables that are written (tab_*, cfg_*), amounts given back
  // (put_slot_q, cr_slot, back), a reference (dp_bound), one core (top bits of *_at), MODULAR
  // (which bit of over counts); product has more bits than a score
  wire unused = &{1'b0, tab_rst, tab_init_q, product, tab_at, scan_at, cfg_we, cfg_addr, cfg_data,
                  dp_bound, put_slot_q, cr_slot, back, over};

  assign init_busy = init_q;
  assign bl_valid  = done_q & ~best_q[ACC_W];
  assign bl_core   = best_core_q;
  assign cr_hold   = init_q | (req_q & ~hold) | scan_q | rd_q | (add_valid & (MODULAR != 0))
                   | sum_valid_q | done_q | put_q | put_more | put_w_q | back_w_q;
  assign full      = full_q | {CORES{put_q | put_more | put_w_q | init_q | hold}};
  assign leaf_score_q = seen_score_q;
  assign leaf_skip_q  = seen_skip_q;

  // n counts from 2^CAP_W - CAP up, so that its top bit says full
  wire [N_W-1:0]   n_empty;
  wire [CAP_W-1:0] cap_at = CAP[init_at_q[TAB_W-1:2]*CAP_W +: CAP_W];
  assign n_empty = {1'b1, {CAP_W{1'b0}}} - {1'b0, cap_at};

  generate
    if (GIVE_BACK != 0) begin : g_given
      hwgen_ram #(
        .WIDTH (ACC_W),
        .DEPTH (SLOTS)
      ) u_given (
        .clk   (clk),
        .we    (put_w_q),
        .waddr (put_slot_q),
        .wdata (amount_q),
        .re    (cr_fire),
        .raddr (cr_slot),
        .rdata (back)
      );
    end else begin : g_kept
      assign back = {ACC_W{1'b0}};
    end

    if (MODULAR == 0) begin : g_plain
      wire [ACC_W-1:0]  acc;
      wire [N_W-1:0]    n;
      wire [CORE_W-1:0] acc_at = put_go ? put_core_q : cr_fire ? cr_core : at_q;
      // the one adder: a score, a dispatch's amount, or minus what a credit gives back
      wire              minus = back_w_q;
      wire [ACC_W-1:0]  term  = back_w_q ? ((GIVE_BACK != 0) ? ~back : {ACC_W{1'b1}})
                              : put_w_q ? amount_q : base;
      wire [ACC_W:0]    sum   = {acc, 1'b1} + {term, minus};
      wire              unused_sum = &{1'b0, sum[0]};  // made the carry, says nothing

      assign put_go    = put_q & ~back_w_q;
      assign put_more  = 1'b0;
      assign put_last  = put_go;
      assign n_we      = put_w_q | back_w_q;
      assign n_core    = back_w_q ? back_core_q : put_core_q;
      assign n_new     = back_w_q ? n - N_ONE : n + N_ONE;
      assign add_valid = rd_q;
      assign add_last  = rd_last_q;
      assign add_core  = rd_core_q;
      assign add_skip  = n[N_W-1] | ~rd_can_q;
      assign score     = sum[ACC_W:1];
      assign less      = over[ACC_W+1];

      hwgen_ram #(
        .WIDTH (N_W + ACC_W),
        .DEPTH (CORES)
      ) u_acc (
        .clk   (clk),
        .we    (n_we | init_q),
        .waddr (init_q ? init_at_q[TAB_W-1:2] : n_core),
        .wdata (init_q ? {n_empty, {ACC_W{1'b0}}} : {n_new, sum[ACC_W:1]}),
        .re    (look | put_go | cr_fire),
        .raddr (acc_at),
        .rdata ({n, acc})
      );
    end else begin : g_modular
      // One stage more, before the adder: acc against the reference. Credits touch n alone, so n
      // has a memory of its own and is written a cycle after it is read, acc two.
      reg  [ACC_W-1:0]  ref_q;
      // behind_q[j]: core j did not compete in the last decision dispatched
      reg  [CORES-1:0]  behind_q;
      reg               put1_q;
      reg               mark_q, lift_q, far_q, x_valid_q, x_last_q, x_skip_q;
      reg  [CORE_W-1:0] x_core_q;
      reg  [ACC_W-1:0]  x_acc_q, x_base_q;
      wire [ACC_W-1:0]  acc;
      wire [N_W-1:0]    n;
      wire              own    = dp_valid & ~dp_bound;
      wire [CORE_W-1:0] put_at = put_q ? put_core_q : dp_core;
      wire [CORE_W-1:0] acc_at = put_go ? put_at : cr_fire ? cr_core : at_q;
      wire [ACC_W-1:0]  ahead  = acc - ref_q;
      wire [ACC_W-1:0]  from   = lift_q ? ref_q : x_acc_q;
      wire [ACC_W-1:0]  term   = put_w_q ? amount_q & {ACC_W{~far_q}} : x_base_q;
      wire [ACC_W-1:0]  sum    = from + term;
      // a scan that is dropped now may meet a dispatch that reads in this cycle
      wire              keep   = x_valid_q & lift_q & ~drop;
      wire              unused_ahead = &{1'b0, ahead};  // its top two bits count

      assign put_go    = (put_q | (dp_valid & ~cr_fire)) & ~back_w_q;
      assign put_more  = put1_q;
      assign put_last  = put1_q;
      assign n_we      = put1_q | back_w_q;
      assign n_core    = back_w_q ? back_core_q : put_core_q;
      assign n_new     = back_w_q ? n - N_ONE : n + N_ONE;
      assign add_valid = x_valid_q;
      assign add_last  = x_last_q;
      assign add_core  = x_core_q;
      assign add_skip  = x_skip_q;
      assign score     = sum;
      assign less      = ~sum_q[ACC_W] & (best_q[ACC_W] | over[ACC_W-1]);

      hwgen_ram #(
        .WIDTH (N_W),
        .DEPTH (CORES)
      ) u_n (
        .clk   (clk),
        .we    (n_we | init_q),
        .waddr (init_q ? init_at_q[TAB_W-1:2] : n_core),
        .wdata (init_q ? n_empty : n_new),
        .re    (look | put_go | cr_fire),
        .raddr (acc_at),
        .rdata (n)
      );
      hwgen_ram #(
        .WIDTH (ACC_W),
        .DEPTH (CORES)
      ) u_acc (
        .clk   (clk),
        .we    (put_w_q | keep | init_q),
        .waddr (init_q ? init_at_q[TAB_W-1:2] : put_w_q ? put_core_q : x_core_q),
        .wdata (init_q ? {ACC_W{1'b0}} : put_w_q ? sum : ref_q),
        .re    (look | put_go),
        .raddr (acc_at),
        .rdata (acc)
      );

      always @(posedge clk) begin
        put1_q    <= put_go;
        // the winner has competed; its mark is of the decision before
        mark_q    <= behind_q[acc_at] & ~own;
        lift_q    <= mark_q & ahead[ACC_W-1];
        far_q     <= ahead[ACC_W-1 -: 2] == 2'b01;
        x_valid_q <= rd_q & ~drop;
        x_last_q  <= rd_last_q;
        x_core_q  <= rd_core_q;
        x_skip_q  <= n[N_W-1] | ~rd_can_q;
        x_acc_q   <= acc;
        x_base_q  <= base;
        if (own) begin
          ref_q    <= best_q[ACC_W-1:0];
          behind_q <= seen_skip_q;
        end
        if (rst) begin
          put1_q    <= 1'b0;
          x_valid_q <= 1'b0;
          ref_q     <= {ACC_W{1'b0}};
          behind_q  <= {CORES{1'b0}};
        end
      end
    end

    if (PROGRAMMABLE != 0) begin : g_ram
      // cores the cluster does not have are not written
      wire load    = init_q & tab_init_q;
      wire cfg_hit = cfg_we & ~cfg_addr[9] & ({26'd0, cfg_addr[7:2]} < CORES);
      hwgen_ram #(
        .WIDTH (ACC_W),
        .DEPTH (CORES * 4)
      ) u_base (
        .clk   (clk),
        .we    (load | (cfg_hit & ~cfg_addr[8])),
        .waddr (load ? init_at_q[TA_W-1:0] : cfg_addr[TA_W-1:0]),
        .wdata (load ? BASE[init_at_q*ACC_W +: ACC_W] : cfg_data[ACC_W-1:0]),
        .re    (look),
        .raddr (tab_at[TA_W-1:0]),
        .rdata (base)
      );
      hwgen_ram #(
        .WIDTH (INC_W),
        .DEPTH (CORES * 4)
      ) u_inc (
        .clk   (clk),
        .we    (load | (cfg_hit & cfg_addr[8])),
        .waddr (load ? init_at_q[TA_W-1:0] : cfg_addr[TA_W-1:0]),
        .wdata (load ? INC[init_at_q*INC_W +: INC_W] : cfg_data[INC_W-1:0]),
        .re    (dp_valid),
        .raddr (tab_at[TA_W-1:0]),
        .rdata (inc)
      );
    end else begin : g_rom
      reg [ACC_W-1:0] base_q;
      reg [INC_W-1:0] inc_q;
      assign base = base_q;
      assign inc  = inc_q;
      always @(posedge clk) begin
        base_q <= BASE[tab_at*ACC_W +: ACC_W];
        inc_q  <= INC[tab_at*INC_W +: INC_W];
      end
    end
  endgenerate

  always @(posedge clk) begin
    if (init_q) begin
      init_at_q <= init_at_q + T_ONE;
      init_q    <= init_at_q != {LAST, 2'b11};
      if ((init_at_q == {LAST, 2'b11}) & ~rst) tab_init_q <= 1'b0;
    end

    req_q  <= (req_q & ~start) | st_valid | pause_q;
    scan_q <= look & ~at_last;
    if (look) at_q <= at_last ? {CORE_W{1'b0}} : at_q + C_ONE;
    rd_q      <= look;
    rd_last_q <= at_last;
    rd_core_q <= at_q;
    rd_can_q  <= CAN_OP[scan_at[TA_W-1:0]] & (CAN_INV[at_q] | ~st_inv) & ~barred[at_q];
    sum_valid_q <= add_valid;
    sum_last_q  <= add_last;
    sum_core_q  <= add_core;
    sum_q       <= {add_skip, score};
    if (start) best_q <= {(ACC_W+1){1'b1}};
    else if (sum_valid_q & less) begin
      best_q      <= sum_q;
      best_core_q <= sum_core_q;
    end
    if (sum_valid_q) begin
      seen_score_q[sum_core_q*ACC_W +: ACC_W] <= sum_q[ACC_W-1:0];
      seen_skip_q[sum_core_q] <= sum_q[ACC_W];
    end
    done_q  <= sum_valid_q & sum_last_q;
    pause_q <= done_q & best_q[ACC_W];
    if (drop) begin
      // held: what was under way begins again
      req_q       <= ~st_drop & (req_q | st_valid | scan_q | rd_q | add_valid | sum_valid_q
                                 | pause_q | (done_q & best_q[ACC_W]));
      scan_q      <= 1'b0;
      at_q        <= {CORE_W{1'b0}};
      rd_q        <= 1'b0;
      sum_valid_q <= 1'b0;
      done_q      <= 1'b0;
      pause_q     <= 1'b0;
    end

    put_q     <= (put_q & ~put_go) | (dp_valid & ~(put_go & (MODULAR != 0)));
    put_new_q <= dp_valid;
    put_w_q   <= put_last;
    if (dp_valid) begin
      put_core_q <= dp_core;
      put_slot_q <= dp_slot;
      blocks_q   <= dp_blocks;
    end
    if (put_new_q) amount_q <= product[ACC_W-1:0];
    back_w_q    <= cr_fire;
    back_core_q <= cr_core;
    if (n_we) full_q[n_core] <= n_new[N_W-1];
    if (rst) begin
      init_q      <= 1'b1;
      init_at_q   <= {TAB_W{1'b0}};
      req_q       <= 1'b0;
      scan_q      <= 1'b0;
      at_q        <= {CORE_W{1'b0}};
      rd_q        <= 1'b0;
      sum_valid_q <= 1'b0;
      done_q      <= 1'b0;
      pause_q     <= 1'b0;
      put_q       <= 1'b0;
      put_new_q   <= 1'b0;
      put_w_q     <= 1'b0;
      back_w_q    <= 1'b0;
      full_q      <= {CORES{1'b0}};
    end
    if (tab_rst) tab_init_q <= 1'b1;
  end
endmodule
`default_nettype wire
