// SPDX-License-Identifier: Apache-2.0
// hwgen_head: packets of the cluster queue are decided in order, each dispatched or answered once; it
// keeps the rules that choose_list and balancer rely on (fv_choose_env, fv_balancer_env).
`default_nettype none
module hwgen_head_proof #(
  parameter DATA_W   = 128,
  parameter CORES    = 2,
  parameter CHOOSE   = 2,
  parameter BIND_JOB = 0,
  parameter SLOT_W   = 3,
  parameter CORE_W   = (CORES > 1) ? $clog2(CORES) : 1,
  parameter IDX_W    = (CHOOSE > 1) ? $clog2(CHOOSE) : 1,
  parameter WIDX_W   = (DATA_W < 128) ? $clog2(128 / DATA_W) : 1
) (
  input wire              clk,
  input wire              rst,
  input wire              cq_valid,
  input wire [SLOT_W-1:0] cq_slot,
  input wire              hr_ready,
  input wire [DATA_W:0]   hv_data,
  input wire              lk_hit,
  input wire [IDX_W-1:0]  lk_idx,
  input wire              lk_same,
  input wire              q_dead,
  input wire              q_bound,
  input wire [CORE_W-1:0] q_core,
  input wire              free_any,
  input wire [IDX_W-1:0]  free_idx,
  input wire              kl_ready,
  input wire              kq_ok,
  input wire              kq_foreign,
  input wire              kq_busy,
  input wire              kq_barred,
  input wire              ld_done,
  input wire              bl_valid,
  input wire [CORE_W-1:0] bl_core,
  input wire [CORES-1:0]  full,
  input wire              rf_ready,
  input wire              mark
);
  localparam BPB   = 128 / DATA_W;
  localparam SLOTS = 1 << SLOT_W;
  // two headers read ahead, one packet decided
  localparam DEPTH = 3;

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire              cq_ready, hr_valid, lk_valid, lk_use, lk_tid, lk_key, nx_valid, al_valid, al_tid;
  wire              al_key, up_valid, up_last, kl_valid, kq_valid, kq_tid, ku_valid, ku_key;
  wire              ld_valid, ld_key, ld_tid, ld_erase, kb_valid, kb_key, st_valid, st_inv, st_drop;
  wire              dp_valid, dp_bound, rf_valid;
  wire [SLOT_W-1:0] hr_slot, ld_slot, dp_slot, rf_slot;
  wire [15:0]       lk_task, lk_no, nx_no, al_task;
  wire [1:0]        lk_cmd, al_cmd, kq_op, st_op, dp_op, dp_blocks;
  wire [2:0]        lk_mode, al_mode;
  wire [IDX_W-1:0]  al_idx, up_idx, kl_idx;
  wire [CORE_W-1:0] up_core, dp_core;
  wire [7:0]        kq_key;
  wire [3:0]        ld_perm, rf_status;
  wire [10+5+IDX_W:0] dp_desc;
  reg               hv_valid;
  reg [WIDX_W-1:0]  hv_word;
  hwgen_head #(
    .DATA_W     (DATA_W),
    .SLOTS      (SLOTS),
    .PKT_BLOCKS (1),
    .REQUESTERS (2),
    .CORES      (CORES),
    .CHOOSE     (CHOOSE),
    .KEY_SLOTS  (2),
    .BIND_JOB   (BIND_JOB)
  ) u_dut (
    .clk        (clk),
    .rst        (rst),
    .cq_valid   (cq_valid),
    .cq_ready   (cq_ready),
    .cq_slot    (cq_slot),
    .hr_valid   (hr_valid),
    .hr_ready   (hr_ready),
    .hr_slot    (hr_slot),
    .hv_valid   (hv_valid),
    .hv_word    (hv_word),
    .hv_data    (hv_data),
    .lk_valid   (lk_valid),
    .lk_use     (lk_use),
    .lk_tid     (lk_tid),
    .lk_task    (lk_task),
    .lk_cmd     (lk_cmd),
    .lk_mode    (lk_mode),
    .lk_key     (lk_key),
    .lk_no      (lk_no),
    .lk_hit     (lk_hit),
    .lk_idx     (lk_idx),
    .lk_same    (lk_same),
    .q_dead     (q_dead),
    .q_bound    (q_bound),
    .q_core     (q_core),
    .nx_valid   (nx_valid),
    .nx_no      (nx_no),
    .free_any   (free_any),
    .free_idx   (free_idx),
    .al_valid   (al_valid),
    .al_idx     (al_idx),
    .al_tid     (al_tid),
    .al_task    (al_task),
    .al_cmd     (al_cmd),
    .al_mode    (al_mode),
    .al_key     (al_key),
    .up_valid   (up_valid),
    .up_idx     (up_idx),
    .up_core    (up_core),
    .up_last    (up_last),
    .kl_valid   (kl_valid),
    .kl_ready   (kl_ready),
    .kl_idx     (kl_idx),
    .kq_valid   (kq_valid),
    .kq_key     (kq_key),
    .kq_tid     (kq_tid),
    .kq_op      (kq_op),
    .kq_ok      (kq_ok),
    .kq_foreign (kq_foreign),
    .kq_busy    (kq_busy),
    .kq_barred  (kq_barred),
    .ku_valid   (ku_valid),
    .ku_key     (ku_key),
    .ld_valid   (ld_valid),
    .ld_key     (ld_key),
    .ld_tid     (ld_tid),
    .ld_perm    (ld_perm),
    .ld_erase   (ld_erase),
    .ld_slot    (ld_slot),
    .ld_done    (ld_done),
    .kb_valid   (kb_valid),
    .kb_key     (kb_key),
    .st_valid   (st_valid),
    .st_op      (st_op),
    .st_inv     (st_inv),
    .st_drop    (st_drop),
    .bl_valid   (bl_valid),
    .bl_core    (bl_core),
    .full       (full),
    .dp_valid   (dp_valid),
    .dp_bound   (dp_bound),
    .dp_core    (dp_core),
    .dp_slot    (dp_slot),
    .dp_op      (dp_op),
    .dp_blocks  (dp_blocks),
    .dp_desc    (dp_desc),
    .rf_valid   (rf_valid),
    .rf_ready   (rf_ready),
    .rf_slot    (rf_slot),
    .rf_status  (rf_status)
  );

  // header_store: the words of a header, in a row, from the cycle after the request on
  reg [2:0] words_q = 0;
  always @(posedge clk) begin
    if (hr_valid & hr_ready) begin
      hv_valid <= 1'b1;
      hv_word  <= 0;
    end else if (hv_valid) begin
      hv_valid <= (hv_word != BPB - 1);
      hv_word  <= (hv_word != BPB - 1) ? hv_word + 1'b1 : 0;
    end
    if (rst | ~live) begin
      hv_valid <= 1'b0;
      hv_word  <= 0;
    end
  end

  fv_choose_env #(
    .HEAD   (1),
    .ID_W   (17),
    .CHOOSE (CHOOSE)
  ) u_list (
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

  fv_balancer_env #(
    .HEAD  (1),
    .CORES (CORES)
  ) u_balancer (
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

  always @*
    if (live & ~rst) begin
      // a job's core is one that it was dispatched to (choose_list: a_core), or 0
      e_core: assume (q_core < CORES);
      // ingress: a mode is one of a cipher or MAC; a control packet has permissions in its place
      if (hv_valid & (hv_word == 0)) e_mode: assume (hv_data[19] | (hv_data[23:20] <= 4'd5));
    end

  fv_stream #(
    .WIDTH (SLOT_W + 4)
  ) u_rf (
    .clk   (clk),
    .rst   (rst | ~live),
    .valid (rf_valid),
    .ready (rf_ready),
    .data  ({rf_slot, rf_status})
  );

  // packets taken, until they are decided
  (* hierconn *) wire              \u_dut.leave ;
  (* hierconn *) wire              \u_dut.answer ;
  (* hierconn *) wire [SLOT_W-1:0] \u_dut.d_slot_q ;
  wire              tracked;
  wire [1:0]        count, ahead;
  wire [SLOT_W-1:0] slot;
  fv_queue #(
    .WIDTH (SLOT_W),
    .DEPTH (DEPTH)
  ) u_order (
    .clk      (clk),
    .rst      (rst | ~live),
    .push     (cq_valid & cq_ready),
    .in_data  (cq_slot),
    .pop      (\u_dut.leave ),
    .out_data (\u_dut.d_slot_q ),
    .mark     (mark),
    .count    (count),
    .tracked  (tracked),
    .ahead    (ahead),
    .data     (slot)
  );

  reg              answer_q = 1'b0;
  reg [SLOT_W-1:0] answer_slot_q;
  always @(posedge clk) begin
    answer_q      <= \u_dut.answer & live & ~rst;
    answer_slot_q <= \u_dut.d_slot_q ;
  end
  reg rf_q = 1'b0;
  always @(posedge clk) rf_q <= rf_valid & ~rf_ready & live & ~rst;

  always @*
    if (live & ~rst) begin
      // decided: dispatched, or answered through rf_*, not both
      a_one_way: assert (\u_dut.leave == (dp_valid | \u_dut.answer ) && ~(dp_valid & \u_dut.answer ));
      if (dp_valid) a_dispatched: assert (dp_slot == \u_dut.d_slot_q && dp_blocks != 0);
      if (answer_q) a_answered: assert (rf_valid && rf_slot == answer_slot_q);
      // core_queue: mode 7 is a key generation's; lane: a bound packet is chained, not its job's first
      if (dp_valid) a_no_key_job: assert (dp_desc[4:2] != 3'd7);
      if (dp_valid & dp_desc[15+IDX_W]) a_bound_later: assert (dp_desc[13] & ~dp_desc[6]);
      a_answers: assert (rf_valid == (answer_q | rf_q));
      c_bound: cover (dp_valid & dp_bound & tracked & (ahead == 0));
      c_own: cover (dp_valid & ~dp_bound & al_valid);
      c_kill: cover (kl_valid & kl_ready);
    end
endmodule
`default_nettype wire
