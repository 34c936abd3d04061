// SPDX-License-Identifier: Apache-2.0
// hwgen_ingress: each frame takes one slot that is offered, and is handed on once, in order, as good or
// refused; no record is lost. CLEAR = 1: clr may come at any time; a frame that it cuts in two is
// answered once, when its rest is in.
`default_nettype none
module hwgen_ingress_proof #(
  parameter DATA_W    = 128,
  parameter CLUSTERS  = 2,
  parameter CLEAR     = 0,
  parameter QUOTA_EN  = 0,
  parameter SLOT_W    = 3,
  parameter CLUSTER_W = (CLUSTERS > 1) ? $clog2(CLUSTERS) : 1,
  parameter WIDX_W    = (DATA_W < 128) ? $clog2(128 / DATA_W) : 1
) (
  input wire                 clk,
  input wire                 rst,
  input wire                 clr_in,
  input wire                 run,
  input wire [DATA_W-1:0]    tdata,
  input wire [DATA_W/8-1:0]  tkeep,
  input wire                 tvalid,
  input wire                 tlast,
  input wire                 tid,
  input wire                 sp_valid,
  input wire [SLOT_W-1:0]    sp_slot,
  input wire                 sp_more,
  input wire                 ok_ready,
  input wire                 cp_ready,
  input wire                 sf_valid,
  input wire                 sf_counted,
  input wire [CLUSTER_W-1:0] sf_cluster,
  input wire                 mark
);
  localparam BPB   = 128 / DATA_W;
  localparam SLOTS = 1 << SLOT_W;
  // frames begun and not yet handed on: three records, or two and one that comes in
  localparam DEPTH = 3;

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));
  wire clr = (CLEAR != 0) & clr_in;

  wire                 tready, sp_ready, fa_valid, hw_we, hw_pay, pw_we, pw_iv, ok_valid, cp_valid;
  wire                 half;
  wire [SLOT_W-1:0]    hw_slot, pw_slot, ok_slot, cp_slot, half_slot;
  wire [WIDX_W-1:0]    hw_word, pw_off;
  wire [DATA_W:0]      hw_data;
  wire [DATA_W-1:0]    pw_data;
  wire [CLUSTER_W-1:0] ok_cluster;
  wire [3:0]           cp_status;
  hwgen_ingress #(
    .DATA_W     (DATA_W),
    .SLOTS      (SLOTS),
    .PKT_BLOCKS (1),
    .REQUESTERS (2),
    .CLUSTERS   (CLUSTERS),
    .QUOTA_EN   (QUOTA_EN),
    .QUOTA      ({CLUSTERS{{{SLOT_W{1'b0}}, 1'b1}}})
  ) u_dut (
    .clk               (clk),
    .rst               (rst),
    .clr               (clr),
    .run               (run),
    .s_axis_job_tdata  (tdata),
    .s_axis_job_tkeep  (tkeep),
    .s_axis_job_tvalid (tvalid),
    .s_axis_job_tready (tready),
    .s_axis_job_tlast  (tlast),
    .s_axis_job_tid    (tid),
    .sp_valid          (sp_valid),
    .sp_ready          (sp_ready),
    .sp_slot           (sp_slot),
    .sp_more           (sp_more),
    .fa_valid          (fa_valid),
    .hw_we             (hw_we),
    .hw_slot           (hw_slot),
    .hw_word           (hw_word),
    .hw_data           (hw_data),
    .hw_pay            (hw_pay),
    .pw_we             (pw_we),
    .pw_iv             (pw_iv),
    .pw_slot           (pw_slot),
    .pw_off            (pw_off),
    .pw_data           (pw_data),
    .ok_valid          (ok_valid),
    .ok_ready          (ok_ready),
    .ok_slot           (ok_slot),
    .ok_cluster        (ok_cluster),
    .cp_valid          (cp_valid),
    .cp_ready          (cp_ready),
    .cp_slot           (cp_slot),
    .cp_status         (cp_status),
    .half              (half),
    .half_slot         (half_slot),
    .sf_valid          (sf_valid),
    .sf_counted        (sf_counted),
    .sf_cluster        (sf_cluster)
  );

  wire take = sp_ready;
  wire out  = (ok_valid & ok_ready) | (cp_valid & cp_ready);
  wire [SLOT_W-1:0] out_slot = ok_valid ? ok_slot : cp_slot;

  // slots of frames that are begun and not handed on
  reg [SLOTS-1:0] inside_q = 0;
  integer k;
  always @(posedge clk)
    for (k = 0; k < SLOTS; k = k + 1) begin
      if (out & (out_slot == k)) inside_q[k] <= 1'b0;
      if (take & (sp_slot == k)) inside_q[k] <= 1'b1;
      if (rst | ~live | clr) inside_q[k] <= 1'b0;
    end

  // slot_pool: an offer stays; sp_more promises one; a slot is owned once
  reg              offer_q = 1'b0, more_q = 1'b0, run_q = 1'b0;
  reg [SLOT_W-1:0] offer_slot_q;
  always @(posedge clk) begin
    offer_q      <= sp_valid & ~sp_ready & ~rst & live;
    offer_slot_q <= sp_slot;
    more_q       <= sp_more & ~rst & live;
    run_q        <= run & ~rst & live;
  end
  always @*
    if (live & ~rst) begin
      if (more_q) e_more: assume (sp_valid);
      if (offer_q) e_offer_stays: assume (sp_valid && sp_slot == offer_slot_q);
      if (sp_valid) e_owned_once: assume (~inside_q[sp_slot]);
      // clear_ctrl: run is 0 from clr on until the memories are swept, and falls with clr only
      e_run: assume (~(run & (clr | fresh)) && (~run_q | run | clr));
    end

  fv_stream #(
    .WIDTH (SLOT_W + CLUSTER_W)
  ) u_ok (
    .clk   (clk),
    .rst   (rst | ~live | clr),
    .valid (ok_valid),
    .ready (ok_ready),
    .data  ({ok_slot, ok_cluster})
  );
  fv_stream #(
    .WIDTH (SLOT_W + 4)
  ) u_cp (
    .clk   (clk),
    .rst   (rst | ~live | clr),
    .valid (cp_valid),
    .ready (cp_ready),
    .data  ({cp_slot, cp_status})
  );

  // the frame that comes in
  reg              open_q = 1'b0, tid_q;
  reg [SLOT_W-1:0] slot_q;
  reg [2:0]        pad_q = 0;
  wire             beat = tvalid & tready;
  always @(posedge clk) begin
    if (take) open_q <= 1'b1;
    if (fa_valid) open_q <= 1'b0;
    if (take) begin
      slot_q <= sp_slot;
      tid_q  <= tid;
    end
    pad_q <= (beat & tlast & ~fa_valid) ? 1 : (pad_q != 0 && ~fa_valid) ? pad_q + 1'b1 : 0;
    if (rst | ~live) begin
      open_q <= 1'b0;
      pad_q  <= 0;
    end
  end

  // What is written: the beat of the cycle before, bytes without keep as 0, and 0 for what a header
  // lacks; a word of the IV or of the payload goes behind the one before it.
  (* anyconst *) wire [6:0] bit_at;
  always @* e_bit: assume (bit_at < DATA_W);
  wire bit_in = tdata[bit_at] & tkeep[bit_at[6:3]] & beat;
  reg  bit_q, beat_q = 1'b0, pad_was_q = 1'b0;
  // words since the header
  reg [WIDX_W:0]   ivs_q, pays_q;
  always @(posedge clk) begin
    bit_q     <= bit_in;
    beat_q    <= beat & live & ~rst;
    pad_was_q <= (pad_q != 0) & live & ~rst;
    if (hw_we) ivs_q <= 0;
    else if (pw_we & pw_iv) ivs_q <= ivs_q + 1'b1;
    if (hw_we) pays_q <= 0;
    else if (pw_we & ~pw_iv) pays_q <= pays_q + 1'b1;
  end

  (* hierconn *) wire \u_dut.push ;
  (* hierconn *) wire \u_dut.unused_rec_ready ;
  always @*
    if (live & ~rst) begin
      a_slot_offered: assert (~take | sp_valid);
      a_first_beat: assert (take == (beat & ~open_q));
      if (fa_valid) a_frame_open: assert (open_q | take);
      // a frame is over with its tlast, or with the words of the header that it lacks
      a_ends: assert (pad_q < BPB && (pad_q == 0 || open_q && ~tready));
      if (\u_dut.push ) a_record_has_room: assert (\u_dut.unused_rec_ready );
      if (ok_valid) a_cluster: assert (ok_cluster < CLUSTERS);
      a_one_kind: assert (~(ok_valid & cp_valid));
      if (hw_we) a_header_slot: assert (hw_slot == slot_q && hw_data[DATA_W] == tid_q);
      if (pw_we) a_payload_slot: assert (pw_slot == slot_q);
      if (hw_we) a_header_data: assert (hw_data[bit_at] == bit_q && (beat_q | pad_was_q));
      if (pw_we) a_payload_data: assert (pw_data[bit_at] == bit_q && beat_q && ~hw_we);
      if (CLEAR == 0 && beat_q && ~hw_we && pays_q < BPB) a_payload_stored: assert (pw_we);
      if (pw_we)
        a_payload_place: assert (pw_off == (pw_iv ? ivs_q : pays_q) && (pw_iv || pays_q < BPB));
    end

  generate
    if (CLEAR == 0) begin : g_frames
      wire              tracked;
      wire [1:0]        count, ahead;
      wire [SLOT_W-1:0] slot;
      fv_queue #(
        .WIDTH (SLOT_W),
        .DEPTH (DEPTH)
      ) u_order (
        .clk      (clk),
        .rst      (rst | ~live),
        .push     (take),
        .in_data  (sp_slot),
        .pop      (out),
        .out_data (out_slot),
        .mark     (mark),
        .count    (count),
        .tracked  (tracked),
        .ahead    (ahead),
        .data     (slot)
      );
      // header words of the followed frame
      reg  [2:0] words_q;
      wire       word = hw_we & tracked & (hw_slot == slot);
      always @(posedge clk) words_q <= tracked ? words_q + word : 0;
      // its command and mode
      reg  [7:0] op_q;
      wire [7:0] op = (word & (hw_word == 0)) ? hw_data[23:16] : op_q;
      always @(posedge clk) op_q <= op;
      always @*
        if (live & ~rst) begin
          if (word) a_header_order: assert (words_q == hw_word);
          if (tracked & (ahead == 0) & (ok_valid | cp_valid))
            a_header_whole: assert (words_q + word == BPB);
          // head: a good frame has no mode but those of ciphers and MAC, but for a control packet's
          if (tracked & (ahead == 0) & ok_valid) a_mode: assert (op[3] | (op[7:4] <= 4'd5));
          // whole frames are offered at once
          if (count > open_q) a_offers: assert (ok_valid | cp_valid);
          a_not_half: assert (~half);
          c_good: cover (out & ok_valid & tracked & (ahead == 0) & (count == 3));
          c_short: cover (pad_q == BPB - 1 || DATA_W == 128);
        end
    end else begin : g_clear
      // one frame, any one: 1 coming in, 2 whole, 3 cut in two, 4 cut and whole
      reg [2:0]        state_q = 0;
      reg [SLOT_W-1:0] slot2_q;
      wire             mine = out & (out_slot == slot2_q);
      wire             open = (state_q == 1) | (take & mark & (state_q == 0));
      always @(posedge clk) begin
        if (take & mark & (state_q == 0)) slot2_q <= sp_slot;
        if (open) state_q <= ~fa_valid ? (clr ? 3 : 1) : clr ? 0 : 2;
        // the walk of clear answers what is whole
        if (state_q == 2 && (clr | mine)) state_q <= 0;
        if (state_q == 3 && fa_valid) state_q <= 4;
        if (state_q == 4 && mine) state_q <= 0;
        if (rst | ~live) state_q <= 0;
      end
      always @*
        if (live & ~rst) begin
          a_half: assert (half == (state_q >= 3) || state_q == 0);
          if (state_q >= 3) a_half_slot: assert (half_slot == slot2_q && ~take && ~ok_valid);
          if (state_q == 3) a_not_before_its_end: assert (~cp_valid);
          if (state_q == 4)
            a_answered: assert (cp_valid == run && (~cp_valid || cp_slot == slot2_q
                                                                 && cp_status == 11));
          c_answered: cover (state_q == 4 && mine);
        end
    end
  endgenerate
endmodule
`default_nettype wire
