// SPDX-License-Identifier: Apache-2.0
// hwgen_collector: the result stream keeps AXI4-Stream's rules, and each record gives one whole frame,
// in order, then frees its slot. CLEAR = 1: clr may come at any time; what is begun is finished, what
// is not is forgotten.
`default_nettype none
module hwgen_collector_proof #(
  parameter DATA_W     = 128,
  parameter PKT_BLOCKS = 1,
  parameter CLEAR      = 0,
  parameter SLOT_W     = 2,
  parameter WIDX_W     = (DATA_W < 128) ? $clog2(128 / DATA_W) : 1,
  parameter OFF_W      = (PKT_BLOCKS*128/DATA_W > 1) ? $clog2(PKT_BLOCKS*128/DATA_W) : 1
) (
  input wire              clk,
  input wire              rst,
  input wire              clr_in,
  input wire              cf_valid,
  input wire [SLOT_W-1:0] cf_slot,
  input wire [3:0]        cf_status,
  input wire [7:0]        cf_core,
  input wire [1:0]        cf_kind,
  input wire [DATA_W+1:0] hc_any,
  input wire [DATA_W-1:0] rr_any,
  input wire              tready,
  input wire              mark
);
  localparam BYTES  = DATA_W / 8;
  localparam LB     = $clog2(BYTES);
  localparam BPB    = 128 / DATA_W;
  localparam L_WORD = 8 / BYTES;
  localparam L_AT   = (8 % BYTES) * 8;
  // records taken whose slot is not yet freed, at most
  localparam DEPTH  = 3;

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));
  wire clr = (CLEAR != 0) & clr_in;

  wire              busy, cf_ready, hc_re, rr_re, tvalid, tlast, tdest, sf_valid, sf_counted;
  wire              sf_cluster;
  wire [SLOT_W-1:0] hc_slot, rr_slot, sf_slot;
  wire [WIDX_W-1:0] hc_word;
  wire [OFF_W-1:0]  rr_off;
  wire [DATA_W-1:0] tdata;
  wire [BYTES-1:0]  tkeep;
  reg  [DATA_W+1:0] hc_data;
  reg  [DATA_W-1:0] rr_data;
  hwgen_collector #(
    .DATA_W     (DATA_W),
    .SLOTS      (1 << SLOT_W),
    .PKT_BLOCKS (PKT_BLOCKS),
    .REQUESTERS (2),
    .CLUSTERS   (2)
  ) u_dut (
    .clk                  (clk),
    .rst                  (rst),
    .clr                  (clr),
    .busy                 (busy),
    .cf_valid             (cf_valid),
    .cf_ready             (cf_ready),
    .cf_slot              (cf_slot),
    .cf_status            (cf_status),
    .cf_core              (cf_core),
    .cf_kind              (cf_kind),
    .hc_re                (hc_re),
    .hc_slot              (hc_slot),
    .hc_word              (hc_word),
    .hc_data              (hc_data),
    .rr_re                (rr_re),
    .rr_slot              (rr_slot),
    .rr_off               (rr_off),
    .rr_data              (rr_data),
    .m_axis_result_tdata  (tdata),
    .m_axis_result_tkeep  (tkeep),
    .m_axis_result_tvalid (tvalid),
    .m_axis_result_tready (tready),
    .m_axis_result_tlast  (tlast),
    .m_axis_result_tdest  (tdest),
    .sf_valid             (sf_valid),
    .sf_slot              (sf_slot),
    .sf_counted           (sf_counted),
    .sf_cluster           (sf_cluster)
  );

  // the memories: any word, held while it is not read
  wire pop = cf_valid & cf_ready;
  // a word of the record's header is read, and which it is
  wire read_len  = hc_re & (hc_word == L_WORD) & ((BPB > 1) | pop);
  wire read_last = hc_re & (hc_word == BPB - 1) & ((BPB > 1) | pop);
  reg  len_now_q, last_now_q, hdr_now_q, first_now_q, tid_q;
  reg [15:0] len_q;
  wire [15:0] len_now = hc_data[L_AT +: 16];
  wire [15:0] len     = len_now_q ? len_now : len_q;
  always @(posedge clk) begin
    if (hc_re) hc_data <= hc_any;
    if (rr_re) rr_data <= rr_any;
    if (hc_re) len_now_q <= read_len;
    if (hc_re) last_now_q <= read_last;
    if (hc_re) first_now_q <= pop;
    if (hc_re) hdr_now_q <= (hc_word != 0);
    if (first_now_q) tid_q <= hc_data[DATA_W];
    len_q <= len;
  end
  always @*
    if (live) begin
      // header_store: the bit on top says, with the header's last word, that the length is not 0;
      // ingress: a length over PKT_BLOCKS * 16 is refused, and a refusal has kind 3 (0 by clear)
      if (last_now_q) e_has_payload: assume (hc_data[DATA_W+1] == (len != 0));
      // ingress: one tid in all words of a header
      if (hdr_now_q) e_tid: assume (hc_data[DATA_W] == tid_q);
      if (len_now_q) e_length: assume (len_now <= PKT_BLOCKS * 16);
    end
  // the completion fifo keeps its offers, and loses them in a clear
  fv_stream #(
    .WIDTH (SLOT_W + 14),
    .CHECK (0)
  ) u_in (
    .clk   (clk),
    .rst   (rst | ~live | clr),
    .valid (cf_valid),
    .ready (cf_ready),
    .data  ({cf_slot, cf_status, cf_core, cf_kind})
  );

  fv_stream #(
    .WIDTH (DATA_W + BYTES + 2)
  ) u_out (
    .clk   (clk),
    .rst   (rst | ~live),
    .valid (tvalid),
    .ready (tready),
    .data  ({tdata, tkeep, tlast, tdest})
  );

  wire beat = tvalid & tready;

  // tkeep: full but for the last beat, without holes there; bytes without it are 0
  integer b;
  reg keep_ok, zero_ok;
  always @* begin
    keep_ok = (tkeep[0] == 1'b1) && (tlast || &tkeep);
    zero_ok = 1'b1;
    for (b = 1; b < BYTES; b = b + 1) begin
      if (tkeep[b] & ~tkeep[b-1]) keep_ok = 1'b0;
      if (~tkeep[b] && tdata[8*b +: 8] != 8'd0) zero_ok = 1'b0;
    end
  end

  reg end_q = 1'b0, open_q = 1'b0;
  reg [2:0] gap_q = 0;
  reg dest_q;
  always @(posedge clk) begin
    end_q  <= beat & tlast & live & ~rst;
    // a frame is under way between its beats
    if (beat) open_q <= ~tlast;
    if (beat) dest_q <= tdest;
    gap_q  <= (open_q & ~tvalid) ? gap_q + 1'b1 : 0;
    if (rst | ~live) open_q <= 1'b0;
    if (rst | ~live) gap_q <= 0;
  end

  always @*
    if (live & ~rst) begin
      if (tvalid) a_keep: assert (keep_ok);
      if (tvalid) a_zero: assert (zero_ok);
      a_freed_once: assert (sf_valid == end_q);
      // inside a frame no beat is missing, clear or not
      if (open_q) a_no_gap: assert (tvalid);
      if (open_q) a_dest: assert (tdest == dest_q);
      if (tvalid | sf_valid) a_busy: assert (busy);
    end

  // One record, any one: the number of its frame's beats. With CLEAR only the stream is looked at.
  wire              tracked;
  localparam CNT_W = $clog2(DEPTH + 1);
  wire [CNT_W-1:0]  count, ahead;
  wire [SLOT_W-1:0] slot;
  generate
    if (CLEAR == 0) begin : g_frames
      fv_queue #(
        .WIDTH (SLOT_W),
        .DEPTH (DEPTH)
      ) u_order (
        .clk      (clk),
        .rst      (rst | ~live),
        .push     (pop),
        .in_data  (cf_slot),
        .pop      (sf_valid),
        .out_data (sf_slot),
        .mark     (mark),
        .count    (count),
        .tracked  (tracked),
        .ahead    (ahead),
        .data     (slot)
      );

      reg        cur_q = 1'b0, cur_len_q = 1'b0;
      reg [1:0]  kind_q;
      reg [15:0] bytes_q, beats_q = 0;
      reg [2:0]  idle_q = 0;
      // the record being read is the followed one
      wire       cur  = (mark & ~tracked & pop) | (cur_q & ~pop);
      // the frame on the output is the followed one: none is ahead but one whose slot is just freed
      wire       due  = tracked & (sf_valid ? ahead == 1 : ahead == 0);
      wire [15:0] pay = (kind_q == 2'd2) ? 16'd16 : (kind_q == 2'd1) ? bytes_q : 16'd0;
      always @(posedge clk) begin
        cur_q <= cur & live & ~rst;
        if (mark & ~tracked & pop) kind_q <= cf_kind;
        if (cur_q & len_now_q) bytes_q <= len_now;
        if (beat) beats_q <= tlast ? 0 : beats_q + 1'b1;
        // nothing is offered though a record is inside, and tready plays no part
        idle_q <= (tvalid | sf_valid | (count == 0)) ? 0 : idle_q + 1'b1;
        if (rst | ~live) begin
          beats_q <= 0;
          idle_q  <= 0;
        end
      end
      always @*
        if (live & ~rst) begin
          if (due & beat & tlast) begin
            a_beats: assert (beats_q + 1 == BPB + ((pay + BYTES - 1) >> LB));
            if (pay != 0) a_bytes: assert (tkeep == (~({BYTES{1'b1}} << (((pay - 1) & (BYTES - 1)) + 1))
                                                     | {BYTES{((pay & (BYTES - 1)) == 0)}}));
          end
          a_offers: assert (idle_q <= BPB);
          if (cf_valid & (count == 0)) a_takes: assert (cf_ready);
          if (~busy) a_idle: assert (count == 0);
          c_payload: cover (due & beat & tlast & (pay == 3) & (ahead == 0));
        end
    end else begin : g_clear
      // records taken and frames begun since the last clear, the one on the output aside
      reg [3:0] taken_q = 0;
      reg       offered_q = 1'b0;
      wire      begins = tvalid & ~open_q & ~offered_q;
      always @(posedge clk) begin
        offered_q <= tvalid & ~open_q & ~tready;
        taken_q   <= taken_q + pop - (begins & (taken_q != 0));
        if (clr | rst | ~live) taken_q <= 0;
        if (rst | ~live) offered_q <= 1'b0;
      end
      always @*
        if (live & ~rst) begin
          if (clr) a_takes_none: assert (~pop);
          if (begins) a_forgotten: assert (taken_q != 0);
          c_finished: cover (open_q & clr & tvalid);
        end
    end
  endgenerate
endmodule
`default_nettype wire
