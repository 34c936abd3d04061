// SPDX-License-Identifier: Apache-2.0
// hwgen_score_scan: n_j <= cap_j, acc_j is the sum of what the packets in flight added, and a decision
// is the least score, of one moment, after all of the balancer's own dispatches. As proof balancer.
`default_nettype none
module hwgen_score_scan_proof #(
  parameter CORES      = 2,
  parameter SLOTS      = 3,
  parameter CAP        = 2,
  parameter PER_PACKET = 0,
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
  localparam N_W    = CAP_W + 1;
  localparam EMPTY  = (1 << CAP_W) - CAP;
  localparam WORD_W = N_W + ACC_W;
  // increments 3 1 2 0 of core 0, 2 3 1 3 of core 1, 1 2 3 1 of core 2, op 0 first
  localparam [23:0] INCS = {8'b01_11_10_01, 8'b11_01_11_10, 8'b00_10_01_11};
  // least scores, such that ties come
  localparam ACC_W = 6;
  localparam [71:0] BASES = {6'd6, 6'd22, 6'd11, 6'd5, 6'd33, 6'd18, 6'd12, 6'd16,
                             6'd4, 6'd20, 6'd10, 6'd14};

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  (* anyconst *) wire [CORES-1:0] barred;
  wire                   init_busy, bl_valid, cr_hold;
  wire [CORE_W-1:0]      bl_core;
  wire [CORES-1:0]       full, leaf_skip;
  wire [CORES*ACC_W-1:0] leaf_score;
  hwgen_score_scan #(
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
    .PER_PACKET   (PER_PACKET)
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

  (* hierconn *) wire              \u_dut.init_q ;
  (* hierconn *) wire [CORE_W+1:0] \u_dut.init_at_q ;
  (* hierconn *) wire              \u_dut.start ;
  (* hierconn *) wire              \u_dut.req_q ;
  (* hierconn *) wire              \u_dut.scan_q ;
  (* hierconn *) wire              \u_dut.rd_q ;
  (* hierconn *) wire              \u_dut.rd_last_q ;
  (* hierconn *) wire              \u_dut.sum_valid_q ;
  (* hierconn *) wire              \u_dut.sum_last_q ;
  (* hierconn *) wire              \u_dut.done_q ;
  (* hierconn *) wire              \u_dut.pause_q ;
  (* hierconn *) wire [CORE_W-1:0] \u_dut.at_q ;
  (* hierconn *) wire [CORE_W-1:0] \u_dut.rd_core_q ;
  (* hierconn *) wire [CORE_W-1:0] \u_dut.sum_core_q ;
  (* hierconn *) wire [CORES-1:0]  \u_dut.full_q ;
  (* hierconn *) wire              \u_dut.put_q ;
  (* hierconn *) wire              \u_dut.put_new_q ;
  (* hierconn *) wire              \u_dut.put_w_q ;
  (* hierconn *) wire              \u_dut.back_w_q ;
  (* hierconn *) wire [CORE_W-1:0] \u_dut.put_core_q ;
  (* hierconn *) wire [CORE_W-1:0] \u_dut.back_core_q ;
  (* hierconn *) wire [SLOT_W-1:0] \u_dut.put_slot_q ;
  (* hierconn *) wire [ACC_W-1:0]  \u_dut.amount_q ;
  (* hierconn *) wire [ACC_W-1:0]  \u_dut.product ;
  (* hierconn *) wire [ACC_W-1:0]  \u_dut.back ;
  (* hierconn *) wire [ACC_W-1:0]  \u_dut.g_plain.acc ;
  (* hierconn *) wire [N_W-1:0]    \u_dut.g_plain.n ;
  (* hierconn *) wire [CORES*WORD_W-1:0] \u_dut.g_plain.u_acc.words ;
  (* hierconn *) wire [SLOTS*ACC_W-1:0]  \u_dut.g_given.u_given.words ;
  (* hierconn *) wire              \u_env.order_q ;
  (* hierconn *) wire [1:0]        \u_env.op_q ;
  (* hierconn *) wire              \u_env.inv_q ;
  wire [CORES*WORD_W-1:0] words = \u_dut.g_plain.u_acc.words ;
  wire [SLOTS*ACC_W-1:0]  given = \u_dut.g_given.u_given.words ;
  wire [WORD_W-1:0] read = {\u_dut.g_plain.n , \u_dut.g_plain.acc };
  wire              init = \u_dut.init_q ;
  wire              put  = \u_dut.put_q ;
  wire              putw = \u_dut.put_w_q ;
  wire              backw = \u_dut.back_w_q ;
  wire [CORE_W-1:0] put_core  = \u_dut.put_core_q ;
  wire [CORE_W-1:0] back_core = \u_dut.back_core_q ;
  wire [SLOT_W-1:0] put_slot  = \u_dut.put_slot_q ;
  wire              running = \u_dut.scan_q | \u_dut.rd_q | \u_dut.sum_valid_q | \u_dut.done_q ;

  reg cap_ok, room_ok, settled_ok, range_ok, acc_ok, n_ok, full_ok, slot_ok, init_ok, best_ok, seen_ok;
  reg [ACC_W-1:0] acc, want;
  reg [SUM_W-1:0] plus, less;
  reg [N_W-1:0]   n;
  reg             able;
  always @* begin
    {cap_ok, room_ok, settled_ok, range_ok, acc_ok, n_ok, full_ok} = {7{1'b1}};
    {slot_ok, init_ok, best_ok, seen_ok} = {4{1'b1}};
    for (c = 0; c < CORES; c = c + 1) begin
      {n, acc} = words[c*WORD_W +: WORD_W];
      plus = ((put | putw) && put_core == c) ? amount_q[put_slot*AMT_W +: AMT_W] : 0;
      less = (backw && back_core == c) ? back_amount_q : 0;
      if (count[c*3 +: 3] > CAP) cap_ok = 1'b0;
      if (~full[c] && count[c*3 +: 3] >= CAP) room_ok = 1'b0;
      if (~init) begin
        if (plus == 0 && less == 0 && acc != sum[c*SUM_W +: SUM_W]) settled_ok = 1'b0;
        if (acc < less || acc + plus >= (1 << ACC_W)) range_ok = 1'b0;
        if (acc + plus != sum[c*SUM_W +: SUM_W] + less) acc_ok = 1'b0;
        if (n + ((put | putw) && put_core == c)
            != EMPTY + count[c*3 +: 3] + (backw && back_core == c)) n_ok = 1'b0;
        if (\u_dut.full_q [c] != n[N_W-1]) full_ok = 1'b0;
      end else begin
        if (\u_dut.full_q [c]) init_ok = 1'b0;
        if (\u_dut.init_at_q > 4*c && (n != EMPTY || acc != 0)) init_ok = 1'b0;
      end
      // the decision: what it saw is what is, and the winner is the least of it
      able = ~n[N_W-1] & ~barred[c] & ~(c == 0 && CORES > 1 && st_op == 0) & ~(c > 0 && st_inv);
      want = acc + BASES[(4*c+st_op)*ACC_W +: ACC_W];
      if (leaf_score[c*ACC_W +: ACC_W] != want || leaf_skip[c] != ~able) seen_ok = 1'b0;
      if (able && (leaf_score[bl_core*ACC_W +: ACC_W] > want
                   || (leaf_score[bl_core*ACC_W +: ACC_W] == want && bl_core > c))) best_ok = 1'b0;
    end
    for (s = 0; s < SLOTS; s = s + 1)
      if (flying_q[s]) begin
        if (age_q[2*s +: 2] == 0 || core_q[s*CORE_W +: CORE_W] >= CORES
            || amount_q[s*AMT_W +: AMT_W] > (PER_PACKET != 0 ? 3 : 9)) slot_ok = 1'b0;
        if (age_q[2*s +: 2] != 3 && ~((put | putw) && put_slot == s)) slot_ok = 1'b0;
        if (~((put | putw) && put_slot == s) && given[s*ACC_W +: ACC_W] != amount_q[s*AMT_W +: AMT_W])
          slot_ok = 1'b0;
      end
  end

  always @*
    if (live) begin
      a_cap: assert (cap_ok);
      a_full: assert (room_ok);
      // acc_j is the sum of what the packets in flight added, whenever no update of j is under way
      a_sum: assert (settled_ok);
      // and no update passes 0 or the width
      a_range: assert (range_ok);
      if (\u_dut.start & ~rst) a_sees_own: assert (~dp_valid & ~put & ~putw);
      // a decision is of one moment, which is now: nothing has changed since it began
      if (bl_valid & ~st_drop & ~rst) begin
        a_seen: assert (seen_ok);
        a_least: assert (best_ok);
        a_winner_competes: assert (~leaf_skip[bl_core] & ~full[bl_core]);
      end
      c_full: cover (full[0] & (sum[SUM_W-1:0] == ((PER_PACKET != 0) ? 4 : 10)));
      c_last: cover (bl_valid & ~st_drop & (bl_core == CORES - 1));
      c_credit: cover (cr_fire & dp_valid);
      // what makes it inductive
      i_acc: assert (acc_ok);
      i_n: assert (n_ok);
      i_full: assert (full_ok);
      i_slot: assert (slot_ok);
      i_init: assert (init_ok);
      if (init) i_init_idle: assert (flying_q == 0 && ~put & ~putw & ~backw & ~running);
      i_order: assert (\u_env.order_q == (\u_dut.req_q | running | \u_dut.pause_q ));
      i_one: assert (~(\u_dut.req_q & (running | \u_dut.pause_q )) && ~(running & \u_dut.pause_q ));
      i_alone: assert (~(running & (put | putw | backw)) && ~(put & putw));
      if (put | putw)
        i_put: assert (put_slot < SLOTS && flying_q[put_slot]
                       && core_q[put_slot*CORE_W +: CORE_W] == put_core);
      if (\u_dut.put_new_q ) i_new: assert (\u_dut.product == amount_q[put_slot*AMT_W +: AMT_W] && put);
      if ((put & ~\u_dut.put_new_q ) | putw)
        i_amount: assert (\u_dut.amount_q == amount_q[put_slot*AMT_W +: AMT_W]);
      if (putw) i_put_read: assert (read == words[put_core*WORD_W +: WORD_W]);
      if (backw)
        i_back: assert (back_core < CORES && read == words[back_core*WORD_W +: WORD_W]
                        && \u_dut.back == back_amount_q && back_amount_q <= (PER_PACKET != 0 ? 3 : 9));
      if (\u_dut.rd_q )
        i_read: assert (read == words[\u_dut.rd_core_q *WORD_W +: WORD_W]);
      if (~\u_dut.scan_q ) i_at: assert (\u_dut.at_q == 0);
      i_at_inside: assert (\u_dut.at_q < CORES);
    end
endmodule
`default_nettype wire
