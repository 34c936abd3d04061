// SPDX-License-Identifier: Apache-2.0
// Takes frames, one slot each, checks them, stores header, IV and payload, and hands the slot on.
// Latency: last beat accepted in cycle 0, ok_valid or cp_valid in 1; memories written at the end of
// 1. Initiation interval 1 beat, no idle beat between frames while slots are free (a frame cut off
// inside its header costs the beats it lacks: they are written as zeros).
// tready is a register, so s_axis_* is used unregistered and there is no skid buffer: the next
// tready is known a cycle ahead (pool says "more", the record fifo keeps a place).
// Status: lowest code wins, 12 last. clr drops the records; a frame half received is then consumed
// to tlast, stored nowhere but its header, and answered with 11 when run is 1 again.
`default_nettype none
module hwgen_ingress #(
  // stream width: 32, 64 or 128
  parameter DATA_W     = 128,
  // packet slots of the design
  parameter SLOTS      = 32,
  // packet_bytes / 16, 1 to 4095
  parameter PKT_BLOCKS = 4,
  // requesters, 1 to 256
  parameter REQUESTERS = 4,
  // clusters, 1 to 16
  parameter CLUSTERS   = 2,
  // derived: do not set
  parameter SLOT_W     = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter TID_W      = (REQUESTERS > 1) ? $clog2(REQUESTERS) : 1,
  parameter CLUSTER_W  = (CLUSTERS > 1) ? $clog2(CLUSTERS) : 1,
  parameter OFF_W      = (PKT_BLOCKS*128/DATA_W > 1) ? $clog2(PKT_BLOCKS*128/DATA_W) : 1,
  parameter WIDX_W     = (DATA_W < 128) ? $clog2(128/DATA_W) : 1,
  // 8 bits a cluster: bit op: some core has op (= cmd) where the forward cipher suffices;
  // bit 4 + op: where the inverse cipher is needed (cmd 1 of ECB and CBC)
  parameter [CLUSTERS*8-1:0] SUPPORT = {CLUSTERS{8'hff}},
  // 8 bits a cluster: 16 or 32
  parameter [CLUSTERS*8-1:0] KEY_BYTES = {CLUSTERS{8'd16}},
  // 1: count whole packets of each cluster in flight, refuse with 12 those over its QUOTA
  parameter QUOTA_EN   = 0,
  // SLOT_W + 1 bits a cluster
  parameter [CLUSTERS*(SLOT_W+1)-1:0] QUOTA = {(CLUSTERS*(SLOT_W+1)){1'b1}}
) (
  input  wire                    clk,
  input  wire                    rst,
  input  wire                    clr,
  // 1: new frames may begin
  input  wire                    run,
  input  wire [DATA_W-1:0]       s_axis_job_tdata,
  input  wire [DATA_W/8-1:0]     s_axis_job_tkeep,
  input  wire                    s_axis_job_tvalid,
  output wire                    s_axis_job_tready,
  input  wire                    s_axis_job_tlast,
  input  wire [TID_W-1:0]        s_axis_job_tid,
  // slot_pool
  input  wire                    sp_valid,
  output wire                    sp_ready,
  input  wire [SLOT_W-1:0]       sp_slot,
  input  wire                    sp_more,
  output wire                    fa_valid,
  // header_store
  output wire                    hw_we,
  output wire [SLOT_W-1:0]       hw_slot,
  output wire [WIDX_W-1:0]       hw_word,
  output wire [TID_W+DATA_W-1:0] hw_data,
  output wire                    hw_pay,
  // packet_buffer
  output wire                    pw_we,
  output wire                    pw_iv,
  output wire [SLOT_W-1:0]       pw_slot,
  output wire [OFF_W-1:0]        pw_off,
  output wire [DATA_W-1:0]       pw_data,
  // good frames, to the splitter
  output wire                    ok_valid,
  input  wire                    ok_ready,
  output wire [SLOT_W-1:0]       ok_slot,
  output wire [CLUSTER_W-1:0]    ok_cluster,
  // refused frames, to writeback_hub
  output wire                    cp_valid,
  input  wire                    cp_ready,
  output wire [SLOT_W-1:0]       cp_slot,
  output wire [3:0]              cp_status,
  // a frame cut in two by clr, which the clear walk must leave alone
  output wire                    half,
  output wire [SLOT_W-1:0]       half_slot,
  // freed slots, for the quota
  input  wire                    sf_valid,
  input  wire                    sf_counted,
  input  wire [CLUSTER_W-1:0]    sf_cluster
);
  localparam BYTES = DATA_W/8;
  localparam LB    = $clog2(BYTES);
  localparam BPB   = 128/DATA_W;
  localparam [31:0] LAST_WORD_I = BPB - 1;
  localparam [WIDX_W-1:0] LAST_WORD = LAST_WORD_I[WIDX_W-1:0];
  localparam [31:0] LAST_OFF_I = PKT_BLOCKS*BPB - 1;
  localparam [OFF_W-1:0] LAST_OFF = LAST_OFF_I[OFF_W-1:0];
  localparam [31:0] PKT_BYTES_I = PKT_BLOCKS*16;
  localparam [15:0] PKT_BYTES = PKT_BYTES_I[15:0];
  localparam [31:0] CLUSTERS_I = CLUSTERS;
  localparam [7:0]  CLUSTERS_B = CLUSTERS_I[7:0];
  localparam [WIDX_W-1:0] WONE = 1;
  localparam [OFF_W-1:0]  OONE = 1;
  // full payload words, up to 2**OFF_W of a legal frame
  localparam REM_W = OFF_W + 1;
  localparam [REM_W-1:0] RONE = 1;

  localparam [1:0] HDR = 2'd0, IV = 2'd1, PAY = 2'd2;

  // ---- position in the frame ----

  reg              ready_q, in_frame_q, pad_q, half_q, half_done_q;
  reg [1:0]        phase_q;
  reg [WIDX_W-1:0] word_q;
  reg [OFF_W-1:0]  off_q;
  reg              off_full_q;
  reg [SLOT_W-1:0] slot_q;
  reg [TID_W-1:0]  tid_q;

  wire beat      = s_axis_job_tvalid & ready_q;
  wire step      = beat | pad_q;
  wire take      = beat & ~in_frame_q;
  wire in_hdr    = phase_q == HDR;
  wire word_last = (BPB == 1) | (word_q == LAST_WORD);
  wire hdr_end   = step & in_hdr & word_last;
  // tlast before the header is complete: the missing words follow as zeros
  wire cut       = beat & s_axis_job_tlast & in_hdr & ~word_last;
  wire pad_end   = pad_q & word_last;
  wire frame_end = (beat & s_axis_job_tlast & ~cut) | pad_end;

  wire [SLOT_W-1:0] slot = in_frame_q ? slot_q : sp_slot;
  wire [TID_W-1:0]  tid  = in_frame_q ? tid_q : s_axis_job_tid;

  assign s_axis_job_tready = ready_q & ~rst;
  assign sp_ready = take;
  assign fa_valid = frame_end;

  // Bytes without keep, and all of a padding word, read as 0. Here and below, what follows from the
  // beat is looked at in a step alone.
  reg [DATA_W-1:0] data;
  integer b;
  always @* begin
    b = 0; // on every path, lest a tool sees a latch
    data = {DATA_W{1'bx}};
    if (step)
      for (b = 0; b < BYTES; b = b + 1)
        data[b*8 +: 8] = s_axis_job_tdata[b*8 +: 8] & {8{s_axis_job_tkeep[b] & ~pad_q}};
  end

  // ---- header fields: from the beat in which they come, then from registers ----

  // bytes 0-3
  localparam S0_W = CLUSTER_W + 11;
  wire at0 = in_hdr & ((BPB == 1) | (word_q == {WIDX_W{1'b0}}));
  wire bad0_c = (data[7:0] != 8'd1) | (data[15:8] >= CLUSTERS_B) | (data[31:26] != 6'd0);
  wire [S0_W-1:0] s0_c = {data[8 +: CLUSTER_W], bad0_c, data[25], data[24], data[23:16]};
  reg  [S0_W-1:0] s0_q, s0;
  wire [3:0] cmd  = s0[3:0];
  wire [3:0] mode = s0[7:4];
  wire       last = s0[8];
  wire       ivf  = s0[9];
  wire       bad0 = s0[10];
  wire [CLUSTER_W-1:0] cluster = s0[11 +: CLUSTER_W];

  // bytes 6-7 are 0: No 0
  localparam N_WORD_I = 4/BYTES;
  localparam N_LANE   = (6 % BYTES)*8;
  localparam [31:0] N_WORD_V = N_WORD_I;
  localparam [WIDX_W-1:0] N_WORD = N_WORD_V[WIDX_W-1:0];
  wire at_no = in_hdr & ((BPB == 1) | (word_q == N_WORD));
  reg  no0_q, no0;

  // bytes 8-9: length; byte 11 is 0
  localparam L_WORD_I = 8/BYTES;
  localparam L_LANE   = (8 % BYTES)*8;
  localparam [31:0] L_WORD_V = L_WORD_I;
  localparam [WIDX_W-1:0] L_WORD = L_WORD_V[WIDX_W-1:0];
  wire        at_len = in_hdr & ((BPB == 1) | (word_q == L_WORD));
  reg  [16:0] s2_q, s2;
  wire [16:0] s2_c = {data[L_LANE+24 +: 8] != 8'd0, data[L_LANE +: 16]};
  wire [15:0] len  = s2[15:0];
  wire        bad2 = s2[16];
  wire        len0 = len == 16'd0;

  always @* begin
    {s0, no0, s2} = {(S0_W+18){1'bx}};
    if (step) begin
      s0  = at0 ? s0_c : s0_q;
      no0 = at_no ? data[N_LANE +: 16] == 16'd0 : no0_q;
      s2  = at_len ? s2_c : s2_q;
    end
  end

  always @(posedge clk) begin
    if (step & in_hdr) begin
      s0_q  <= s0;
      no0_q <= no0;
      s2_q  <= s2;
    end
  end

  // ---- checks of the header, at its last word ----

  wire bad_tid;
  generate
    if (REQUESTERS == (1 << TID_W)) begin : g_all_tids
      assign bad_tid = 1'b0;
    end else begin : g_tid
      localparam [31:0] TIDS_I = REQUESTERS;
      assign bad_tid = tid >= TIDS_I[TID_W-1:0];
    end
  endgenerate

  wire cipher  = cmd[3:1] == 3'd0;
  wire chained = (mode == 4'd1) | (mode == 4'd2) | (mode == 4'd3);
  wire is_mac  = mode == 4'd5;
  wire inverse = cmd[0] & ((mode == 4'd0) | (mode == 4'd1));
  wire iv_due  = cipher ? (mode == 4'd4) | (chained & no0) : (cmd == 4'd3) & is_mac & last;
  // ECB and CBC have no short last block
  wire short_ok = last & ~(cipher & ((mode == 4'd0) | (mode == 4'd1)));
  wire zero_ok  = last & (cipher ? chained & ~no0 : no0);

  // h1a .. h3: kept in four pieces, their OR is left to the far side of the record fifo
  reg [7:0] support, key_bytes;
  reg       unsupported, bad_len, h1a, h1b, h2, h3;
  integer   k;
  always @* begin
    k = 0; // on every path, lest a tool sees a latch
    {support, key_bytes, unsupported, bad_len, h1a, h1b, h2, h3} = {22{1'bx}};
    if (hdr_end) begin
      // the tables, AND-OR over the clusters: an unknown cluster reads 0 (and gets status 1)
      support   = 8'd0;
      key_bytes = 8'd0;
      for (k = 0; k < CLUSTERS; k = k + 1)
        if (cluster == k[CLUSTER_W-1:0]) begin
          support   = support | SUPPORT[k*8 +: 8];
          key_bytes = key_bytes | KEY_BYTES[k*8 +: 8];
        end
      casez (cmd)
        4'b000?: unsupported = (mode >= 4'd5) | ~support[{inverse, cmd[1:0]}];
        4'b001?: unsupported = ~is_mac | ~support[{1'b0, cmd[1:0]}];
        4'b100?: unsupported = 1'b0;
        default: unsupported = 1'b1;
      endcase
      casez (cmd)
        4'b1??1: bad_len = ~len0;
        4'b1??0: bad_len = ~len0 & (len != {8'd0, key_bytes});
        default: bad_len = ((len[3:0] != 4'd0) & ~short_ok) | (len0 & ~zero_ok);
      endcase
      h1a = bad0 | bad2 | bad_tid;
      h1b = iv_due ^ ivf;
      h2  = unsupported;
      h3  = bad_len | (len > PKT_BYTES);
    end
  end
  reg  h1a_q, h1b_q, h2_q, h3_q;

  // ---- check of the frame against its header, beat by beat ----

  reg  [REM_W-1:0] rem_q;   // full payload words to come
  reg              part_q;  // then one more, in part
  reg  [BYTES-1:0] keep_q;  // its tkeep
  reg              wrong_q;
  wire [BYTES-1:0] part_keep = ~({BYTES{1'b1}} << len[LB-1:0]);

  wire pay_last = part_q ? rem_q == {REM_W{1'b0}} : rem_q == RONE;
  wire in_pay   = phase_q == PAY;
  wire due      = in_hdr ? word_last & ~ivf & len0 :
                  in_pay ? pay_last : word_last & len0;
  wire [BYTES-1:0] keep_due = (in_pay & pay_last & part_q) ? keep_q : {BYTES{1'b1}};
  reg  wrong_now;
  always @* begin
    wrong_now = 1'b0;
    if (beat) wrong_now = (s_axis_job_tlast != due) | (s_axis_job_tkeep != keep_due);
  end
  wire wrong     = wrong_now | (in_frame_q & wrong_q);

  // ---- quota ----

  wire h12, push;
  wire r1a = in_hdr ? h1a : h1a_q;
  wire r1b = in_hdr ? h1b : h1b_q;
  wire r2  = in_hdr ? h2 : h2_q;
  wire r3a = in_hdr ? h3 : h3_q;

  generate
    if (QUOTA_EN != 0) begin : g_quota
      wire [CLUSTERS-1:0] over;
      assign h12 = |over;
      genvar i;
      for (i = 0; i < CLUSTERS; i = i + 1) begin : g_cluster
        localparam [SLOT_W:0] MAX = QUOTA[i*(SLOT_W+1) +: SLOT_W+1];
        localparam [SLOT_W:0] ONE = 1;
        reg  [SLOT_W:0] count_q;
        wire mine = cluster == i[CLUSTER_W-1:0];
        wire full = count_q >= MAX;
        wire inc  = push & mine & ~(full | r1a | r1b | r2 | r3a | wrong);
        wire dec  = sf_valid & sf_counted & (sf_cluster == i[CLUSTER_W-1:0]);
        assign over[i] = full & mine;
        always @(posedge clk) begin
          if (inc & ~dec) count_q <= count_q + ONE;
          if (dec & ~inc) count_q <= count_q - ONE;
          // a clear frees every slot before run: nothing is left to count down
          if (rst | ~run) count_q <= {(SLOT_W+1){1'b0}};
        end
      end
    end else begin : g_no_quota
      wire unused_quota = &{1'b0, sf_valid, sf_counted, sf_cluster, QUOTA};  // for quotas alone
      assign h12 = 1'b0 & unused_quota;
    end
  endgenerate

  // ---- records of whole frames ----

  localparam REC_W = SLOT_W + CLUSTER_W + 6;
  wire             rec_valid, unused_rec_ready;  // held_q leaves room
  wire [REC_W-1:0] rec;
  wire             e1a, e1b, e2, e3a, e3b, e12;
  wire             bad = e1a | e1b | e2 | e3a | e3b | e12;
  wire             rec_out;
  reg  [1:0]       held_q;

  assign push = frame_end & ~half_q & ~clr;

  hwgen_fifo #(
    .WIDTH (REC_W),
    .DEPTH (3)
  ) u_records (
    .clk       (clk),
    .rst       (rst | clr),
    .in_valid  (push),
    .in_ready  (unused_rec_ready),
    .in_data   ({slot, cluster, r1a, r1b, r2, r3a, wrong, h12}),
    .out_valid (rec_valid),
    .out_ready (bad ? cp_ready : ok_ready),
    .out_data  (rec)
  );
  assign {ok_slot, ok_cluster, e1a, e1b, e2, e3a, e3b, e12} = rec;
  assign ok_valid = rec_valid & ~bad;
  assign rec_out  = rec_valid & (bad ? cp_ready : ok_ready);

  // half_q: no records are held then, and no frame begins
  assign half      = half_q;
  assign half_slot = slot_q;
  assign cp_valid  = half_q ? half_done_q & run : rec_valid & bad;
  assign cp_slot   = half_q ? slot_q : ok_slot;
  assign cp_status = half_q ? 4'd11 : (e1a | e1b) ? 4'd1 : e2 ? 4'd2 : (e3a | e3b) ? 4'd3 : 4'd12;

  // ---- next state ----

  wire in_frame_d = frame_end ? 1'b0 : in_frame_q | take;
  // beats of a frame may follow; or a frame may begin: slots are there, and none is half
  wire more_beats = in_frame_d & ~cut & ~pad_q;
  wire new_frame  = ~in_frame_d & run & ~half_q & (sp_more | (sp_valid & ~take));

  always @(posedge clk) begin
    // held_q < 2: at most one record is added before ready_q falls, and the fifo holds 3
    ready_q    <= (more_beats | new_frame) & ~held_q[1];
    held_q     <= held_q + {1'b0, push} - {1'b0, rec_out};
    in_frame_q <= in_frame_d;
    pad_q      <= cut | (pad_q & ~pad_end);

    if (frame_end) begin
      phase_q <= HDR;
      word_q  <= {WIDX_W{1'b0}};
    end else if (step & ~in_pay) begin
      word_q <= (BPB == 1 || word_last) ? {WIDX_W{1'b0}} : word_q + WONE;
      if (word_last) phase_q <= (in_hdr & ivf) ? IV : PAY;
    end

    if (in_hdr) begin
      off_q      <= {OFF_W{1'b0}};
      off_full_q <= 1'b0;
    end else if (beat & in_pay) begin
      off_q      <= off_q + OONE;
      off_full_q <= off_full_q | (off_q == LAST_OFF);
    end

    if (take) begin
      slot_q <= sp_slot;
      tid_q  <= s_axis_job_tid;
    end
    if (hdr_end) begin
      h1a_q  <= h1a;
      h1b_q  <= h1b;
      h2_q   <= h2;
      h3_q   <= h3;
      part_q <= |len[LB-1:0];
      keep_q <= part_keep;
    end
    if (step) wrong_q <= wrong;

    // a frame in progress in any cycle of clr is half; its record is made by tlast, not by the fifo
    if (clr & in_frame_d) half_q <= 1'b1;
    else if (half_done_q & cp_valid & cp_ready) half_q <= 1'b0;
    if (half_q & frame_end) half_done_q <= 1'b1;
    else if (cp_valid & cp_ready) half_done_q <= 1'b0;

    if (clr) held_q <= 2'd0;
    if (rst) begin
      ready_q     <= 1'b0;
      in_frame_q  <= 1'b0;
      pad_q       <= 1'b0;
      phase_q     <= HDR;
      word_q      <= {WIDX_W{1'b0}};
      half_q      <= 1'b0;
      half_done_q <= 1'b0;
      held_q      <= 2'd0;
    end
  end

  // full words of the payload; a length over the limit is refused, so its upper bits do not matter
  wire [16-LB:0] words = {1'b0, len[15:LB]};
  generate
    if (REM_W < 17 - LB) begin : g_short_len
      wire unused_len = &{1'b0, words[16-LB:REM_W]};  // of refused lengths alone
    end
  endgenerate
  always @(posedge clk) begin
    if (hdr_end) rem_q <= words[REM_W-1:0];
    else if (beat & in_pay) rem_q <= rem_q - RONE;
  end

  // ---- memory writes, a cycle later ----

  reg              hw_we_q, pw_we_q, iv_q, pay_q;
  reg [SLOT_W-1:0] wslot_q;
  reg [TID_W-1:0]  wtid_q;
  reg [WIDX_W-1:0] wword_q;
  reg [OFF_W-1:0]  woff_q;
  reg [DATA_W-1:0] wdata_q;
  wire             keep_out = half_q | clr;
  wire [OFF_W-1:0] iv_off;
  generate
    if (OFF_W > WIDX_W) begin : g_iv_off
      assign iv_off = {{(OFF_W-WIDX_W){1'b0}}, word_q};
    end else begin : g_iv_off_same
      assign iv_off = word_q;
    end
  endgenerate

  assign hw_we   = hw_we_q;
  assign hw_slot = wslot_q;
  assign hw_word = wword_q;
  assign hw_data = {wtid_q, wdata_q};
  assign hw_pay  = pay_q;
  assign pw_we   = pw_we_q;
  assign pw_iv   = iv_q;
  assign pw_slot = wslot_q;
  assign pw_off  = woff_q;
  assign pw_data = wdata_q;

  always @(posedge clk) begin
    hw_we_q <= step & in_hdr;
    pw_we_q <= beat & ~in_hdr & ~(in_pay & off_full_q) & ~keep_out;
    iv_q    <= ~in_pay;
    if (step) pay_q <= ~len0;
    wslot_q <= slot;
    wtid_q  <= tid;
    wword_q <= word_q;
    woff_q  <= in_pay ? off_q : iv_off;
    // 0 in idle cycles: no payload word stays in the register
    wdata_q <= (step & (in_hdr | ~keep_out)) ? data : {DATA_W{1'b0}};
    if (rst) begin
      hw_we_q <= 1'b0;
      pw_we_q <= 1'b0;
      wdata_q <= {DATA_W{1'b0}};
    end
  end

  generate
    if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) begin : g_bad_width
      hwgen_error_data_w_must_be_32_64_or_128 u_error ();
    end
    if (PKT_BLOCKS < 1 || PKT_BLOCKS > 4095) begin : g_bad_blocks
      hwgen_error_pkt_blocks_must_be_1_to_4095 u_error ();
    end
    if (CLUSTERS < 1 || CLUSTERS > 16) begin : g_bad_clusters
      hwgen_error_clusters_must_be_1_to_16 u_error ();
    end
    if (REQUESTERS < 1 || REQUESTERS > 256) begin : g_bad_requesters
      hwgen_error_requesters_must_be_1_to_256 u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
