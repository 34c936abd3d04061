// SPDX-License-Identifier: Apache-2.0
// hwgen_choose_list: no two entries of one id, so a lookup matches at most one; an entry stays while
// packets of its job are pending, and ends once.
`default_nettype none
module hwgen_choose_list_proof #(
  parameter CHOOSE     = 3,
  parameter REQUESTERS = 2,
  parameter SLOTS      = 3,
  parameter IDX_W      = (CHOOSE > 1) ? $clog2(CHOOSE) : 1
) (
  input wire             clk,
  input wire             rst,
  input wire             lk_valid,
  input wire             lk_use,
  input wire             lk_tid,
  input wire [15:0]      lk_task,
  input wire             nx_valid,
  input wire             al_valid,
  input wire [IDX_W-1:0] al_idx,
  input wire             al_tid,
  input wire [15:0]      al_task,
  input wire             al_key,
  input wire             up_valid,
  input wire [IDX_W-1:0] up_idx,
  input wire             up_core,
  input wire             up_last,
  input wire             kl_valid,
  input wire [IDX_W-1:0] kl_idx,
  input wire             cr_hold,
  input wire             cr_valid,
  input wire             cr_chained,
  input wire [IDX_W-1:0] cr_idx,
  input wire             sc_busy
);
  localparam PEND_W = $clog2(SLOTS + 1);

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire             lk_hit, lk_same, q_dead, q_bound, q_core, free_any, kl_ready, cr_ready, cr_dead;
  wire             sc_valid, ef_valid, ef_key;
  wire [IDX_W-1:0] lk_idx, free_idx, sc_idx;
  hwgen_choose_list #(
    .CHOOSE     (CHOOSE),
    .REQUESTERS (REQUESTERS),
    .CORES      (2),
    .KEY_SLOTS  (2),
    .SLOTS      (SLOTS)
  ) u_dut (
    .clk        (clk),
    .rst        (rst),
    .lk_valid   (lk_valid),
    .lk_use     (lk_use),
    .lk_tid     (lk_tid),
    .lk_task    (lk_task),
    .lk_cmd     (2'd0),
    .lk_mode    (3'd1),
    .lk_key     (1'b0),
    .lk_no      (16'd0),
    .lk_hit     (lk_hit),
    .lk_idx     (lk_idx),
    .lk_same    (lk_same),
    .q_dead     (q_dead),
    .q_bound    (q_bound),
    .q_core     (q_core),
    .nx_valid   (nx_valid),
    .nx_no      (16'd1),
    .free_any   (free_any),
    .free_idx   (free_idx),
    .al_valid   (al_valid),
    .al_idx     (al_idx),
    .al_tid     (al_tid),
    .al_task    (al_task),
    .al_cmd     (2'd0),
    .al_mode    (3'd1),
    .al_key     (al_key),
    .up_valid   (up_valid),
    .up_idx     (up_idx),
    .up_core    (up_core),
    .up_last    (up_last),
    .kl_valid   (kl_valid),
    .kl_ready   (kl_ready),
    .kl_idx     (kl_idx),
    .cr_hold    (cr_hold),
    .cr_valid   (cr_valid),
    .cr_ready   (cr_ready),
    .cr_chained (cr_chained),
    .cr_idx     (cr_idx),
    .cr_dead    (cr_dead),
    .sc_valid   (sc_valid),
    .sc_idx     (sc_idx),
    .sc_busy    (sc_busy),
    .ef_valid   (ef_valid),
    .ef_key     (ef_key)
  );

  fv_choose_env #(
    .ID_W   (17),
    .CHOOSE (CHOOSE)
  ) u_env (
    .clk      (clk),
    .rst      (rst | ~live),
    .lk_valid (lk_valid),
    .lk_use   (lk_use),
    .lk_id    ({lk_tid, lk_task}),
    .lk_hit   (lk_hit),
    .lk_idx   (lk_idx),
    .q_dead   (q_dead),
    .free_any (free_any),
    .free_idx (free_idx),
    .al_valid (al_valid),
    .al_idx   (al_idx),
    .al_id    ({al_tid, al_task}),
    .up_valid (up_valid),
    .up_idx   (up_idx),
    .kl_valid (kl_valid),
    .kl_ready (kl_ready),
    .kl_idx   (kl_idx)
  );

  wire credit = cr_valid & cr_ready & cr_chained;
  wire kill   = kl_valid & kl_ready;

  // every entry: its job by the allocations, its packets by dispatches and credits
  reg [CHOOSE-1:0]        open_q = 0, ends_q = 0, freed_q = 0, hit_q, key_q, core_q;
  reg [CHOOSE*17-1:0]     id_q;
  reg [CHOOSE*PEND_W-1:0] pending_q = 0;
  reg                     looked_q = 1'b0, al_q = 1'b0;
  reg [CHOOSE-1:0]        up, down, gone;
  reg [PEND_W+IDX_W:0]    total;
  integer k;
  always @* begin
    total = 0;
    for (k = 0; k < CHOOSE; k = k + 1) begin
      up[k]   = up_valid & (up_idx == k);
      down[k] = credit & (cr_idx == k);
      // an entry ends when it is dead or its last packet is dispatched, and nothing is pending
      gone[k] = open_q[k] & ((kill & (kl_idx == k) & (pending_q[k*PEND_W +: PEND_W] == 0))
                             | (down[k] & (pending_q[k*PEND_W +: PEND_W] == 1) & ends_q[k]));
      total   = total + pending_q[k*PEND_W +: PEND_W];
    end
  end
  always @(posedge clk) begin
    for (k = 0; k < CHOOSE; k = k + 1) begin
      hit_q[k] <= lk_use & open_q[k] & (id_q[k*17 +: 17] == {lk_tid, lk_task});
      if (al_valid & (al_idx == k)) begin
        open_q[k]        <= 1'b1;
        id_q[k*17 +: 17] <= {al_tid, al_task};
        key_q[k]         <= al_key;
        ends_q[k]        <= up_last;
      end else if ((up[k] & up_last) | (kill & (kl_idx == k))) begin
        ends_q[k] <= 1'b1;
      end
      if (up[k]) core_q[k] <= up_core;
      if (gone[k]) open_q[k] <= 1'b0;
      if (up[k] & ~down[k]) pending_q[k*PEND_W +: PEND_W] <= pending_q[k*PEND_W +: PEND_W] + 1'b1;
      if (down[k] & ~up[k]) pending_q[k*PEND_W +: PEND_W] <= pending_q[k*PEND_W +: PEND_W] - 1'b1;
    end
    freed_q  <= gone;
    looked_q <= lk_valid;
    al_q     <= al_valid;
    if (rst | ~live) begin
      open_q    <= 0;
      ends_q    <= 0;
      pending_q <= 0;
      freed_q   <= 0;
      looked_q  <= 1'b0;
      al_q      <= 1'b0;
    end
  end

  always @*
    if (live & ~rst) begin
      // a credit belongs to a dispatch, and there are SLOTS packets
      if (cr_valid & cr_chained)
        e_credit: assume (cr_idx < CHOOSE && pending_q[cr_idx*PEND_W +: PEND_W] != 0);
      if (up_valid) e_slots: assume (total < SLOTS);
    end

  (* hierconn *) wire [CHOOSE-1:0]        \u_dut.match_q ;
  (* hierconn *) wire [CHOOSE-1:0]        \u_dut.valid_q ;
  (* hierconn *) wire [CHOOSE-1:0]        \u_dut.some_q ;
  (* hierconn *) wire [CHOOSE-1:0]        \u_dut.ends ;
  (* hierconn *) wire [CHOOSE*1-1:0]      \u_dut.key_q ;
  (* hierconn *) wire [CHOOSE-1:0]        \u_dut.core_q ;
  (* hierconn *) wire [CHOOSE*PEND_W-1:0] \u_dut.pending_q ;
  (* hierconn *) wire                     \u_dut.freed_q ;
  (* hierconn *) wire        \u_dut.g_entry[0].tid_q ;
  (* hierconn *) wire        \u_dut.g_entry[1].tid_q ;
  (* hierconn *) wire        \u_dut.g_entry[2].tid_q ;
  (* hierconn *) wire        \u_dut.g_entry[3].tid_q ;
  (* hierconn *) wire [15:0] \u_dut.g_entry[0].task_q ;
  (* hierconn *) wire [15:0] \u_dut.g_entry[1].task_q ;
  (* hierconn *) wire [15:0] \u_dut.g_entry[2].task_q ;
  (* hierconn *) wire [15:0] \u_dut.g_entry[3].task_q ;
  wire [4*17-1:0] ids = {\u_dut.g_entry[3].tid_q , \u_dut.g_entry[3].task_q ,
                         \u_dut.g_entry[2].tid_q , \u_dut.g_entry[2].task_q ,
                         \u_dut.g_entry[1].tid_q , \u_dut.g_entry[1].task_q ,
                         \u_dut.g_entry[0].tid_q , \u_dut.g_entry[0].task_q };
  wire [CHOOSE-1:0] match = \u_dut.match_q ;
  wire [CHOOSE-1:0] valid = \u_dut.valid_q ;
  wire [CHOOSE-1:0] ends  = \u_dut.ends ;

  // head's packet, as fv_choose_env follows it
  (* hierconn *) wire             \u_env.check_q ;
  (* hierconn *) wire             \u_env.use_q ;
  (* hierconn *) wire             \u_env.found_q ;
  (* hierconn *) wire             \u_env.alive_q ;
  (* hierconn *) wire             \u_env.free_q ;
  (* hierconn *) wire [16:0]      \u_env.id_q ;
  (* hierconn *) wire [IDX_W-1:0] \u_env.idx_q ;

  always @*
    if (live & ~rst) begin
      a_one_match: assert ((match & (match - 1'b1)) == 0);
      a_open: assert (valid == open_q);
      // the entry lives while packets of its job are pending, and not longer
      a_pending: assert (\u_dut.pending_q == pending_q);
      if (al_valid) a_allocates_free: assert (~valid[al_idx]);
      if (looked_q) a_lookup: assert (match == hit_q && lk_hit == (hit_q != 0));
      a_freed: assert (sc_valid == (freed_q != 0) && (freed_q & (freed_q - 1'b1)) == 0);
      if (sc_valid) a_scrubbed: assert (freed_q[sc_idx]);
      if (sc_valid) a_key_released: assert (ef_valid && ef_key == key_q[sc_idx]);
      if (credit) a_not_in_scrub: assert (~sc_valid & ~sc_busy);
      // balancer and score_scan have no ready of their own: no credit, chained or not, under cr_hold
      if (cr_hold) a_held: assert (~(cr_valid & cr_ready));
      // the core of the job found is the one that it was dispatched to last
      a_core: assert (q_core == |(match & core_q));
      c_freed: cover (sc_valid);
      c_hit: cover (looked_q && hit_q[0] && total == SLOTS);
      c_all_open: cover (&valid);
    end

  // for all entries, for all pairs
  reg id_ok, differ_ok, lives_ok, some_ok, index_ok;
  reg ends_ok, later_ok, key_ok, over_ok, match_ok, miss_ok, none_ok, alive_ok, free_ok, core_ok;
  reg [16:0]       id;
  reg [PEND_W-1:0] pend;
  integer i, j;
  always @* begin
    {id_ok, differ_ok, lives_ok, some_ok, index_ok} = {5{1'b1}};
    {ends_ok, later_ok, key_ok, over_ok, match_ok, miss_ok, none_ok, alive_ok, free_ok} = {9{1'b1}};
    core_ok = 1'b1;
    for (i = 0; i < CHOOSE; i = i + 1) begin
      id   = ids[i*17 +: 17];
      pend = pending_q[i*PEND_W +: PEND_W];
      if (valid[i] && id != id_q[i*17 +: 17]) id_ok = 1'b0;
      if (~valid[i] && pend != 0) lives_ok = 1'b0;
      if (\u_dut.some_q [i] != (pend != 0)) some_ok = 1'b0;
      if (looked_q && hit_q[i] && lk_idx != i) index_ok = 1'b0;
      for (j = 0; j < i; j = j + 1)
        if (valid[i] && valid[j] && id == ids[j*17 +: 17]) differ_ok = 1'b0;
      if (valid[i] && ends[i] != ends_q[i]) ends_ok = 1'b0;
      if (valid[i] && ends[i] && pend == 0) later_ok = 1'b0;
      if ((valid[i] || freed_q[i]) && \u_dut.key_q [i] != key_q[i]) key_ok = 1'b0;
      if ((valid[i] || match[i]) && \u_dut.core_q [i] != core_q[i]) core_ok = 1'b0;
      if (valid[i] && freed_q[i]) over_ok = 1'b0;
      if (\u_env.check_q && match[i] && (id != \u_env.id_q || ~(valid[i] | ends[i]))) match_ok = 1'b0;
      if (\u_env.check_q && \u_env.use_q && valid[i] && ~match[i] && id == \u_env.id_q )
        miss_ok = 1'b0;
      if (\u_env.free_q && valid[i] && (id == \u_env.id_q || \u_env.idx_q == i)) none_ok = 1'b0;
      if (\u_env.found_q && \u_env.alive_q && \u_env.idx_q == i && ~(valid[i] & ~ends[i]))
        alive_ok = 1'b0;
      if (~al_q && free_any && free_idx == i && valid[i]) free_ok = 1'b0;
    end
  end

  always @*
    if (live & ~rst) begin
      a_ids_differ: assert (differ_ok);
      a_open_while_pending: assert (lives_ok);
      a_index: assert (index_ok);
      // what makes it inductive
      i_id: assert (id_ok);
      i_some: assert (some_ok);
      i_ends: assert (ends_ok);
      i_ends_later: assert (later_ok);
      i_key: assert (key_ok);
      i_core: assert (core_ok);
      i_over: assert (over_ok);
      i_match: assert (match_ok);
      i_miss: assert (miss_ok);
      i_none: assert (none_ok);
      i_alive: assert (alive_ok);
      i_free: assert (free_ok);
      i_total: assert (total <= SLOTS);
      i_check: assert (\u_env.check_q == looked_q);
      if (looked_q) i_alone: assert (~al_q & ~\u_env.free_q & ~\u_env.found_q );
      i_one: assert (~(\u_env.free_q & \u_env.found_q ));
      if (\u_env.free_q | \u_env.found_q ) i_index: assert (\u_env.idx_q < CHOOSE);
      if (free_any) i_free_index: assert (free_idx < CHOOSE);
      i_freed_one: assert (\u_dut.freed_q == (freed_q != 0));
    end
endmodule
`default_nettype wire
