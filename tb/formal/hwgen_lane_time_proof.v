// SPDX-License-Identifier: Apache-2.0
// Two lanes beside each other with the same packets and neighbours, but other keys, data and
// blocks out of the core: every cycle of their handshakes, and all that goes with one but data, is
// alike. So neither time nor anything else that a requester can see depends on a key or on data,
// but for the data of a result and the status of a verify.
// With SECRET keys, subkeys and end keys alone differ: then the data of results and chaining values
// and the status are alike too. So they hold nothing of a key but what the core made of it.
`default_nettype none
module hwgen_lane_time_proof #(
  parameter DATA_W  = 128,
  // 1: hwgen_lane_serial, 0: hwgen_lane
  parameter SERIAL  = 0,
  // 1: keys and subkeys alone differ, and what leaves is alike with its data; 0: all data differ
  parameter SECRET  = 0,
  parameter WIDX_W  = (DATA_W < 128) ? $clog2(128 / DATA_W) : 1,
  parameter OFF_W   = $clog2(256 / DATA_W)
) (
  input wire              clk,
  input wire              rst,
  input wire              jb_valid,
  input wire              jb_slot,
  input wire [17:0]       jb_desc,
  input wire              fl_ready,
  input wire              fr_valid,
  input wire              fr_lane,
  input wire              fr_iv,
  input wire [WIDX_W-1:0] fr_word,
  input wire [DATA_W-1:0] fr_data,
  input wire [DATA_W-1:0] fr_other,
  input wire              kr_ready,
  input wire              ks_valid,
  input wire              ks_lane,
  input wire [1:0]        ks_region,
  input wire [WIDX_W-1:0] ks_word,
  input wire [DATA_W-1:0] ks_data,
  input wire [DATA_W-1:0] ks_other,
  input wire              ch_ready,
  input wire              cs_valid,
  input wire              cs_lane,
  input wire [WIDX_W-1:0] cs_word,
  input wire [DATA_W-1:0] cs_data,
  input wire [DATA_W-1:0] cs_other,
  input wire              cr_fire,
  input wire              kgo_ready,
  input wire              c_in_ready,
  input wire              c_out_valid,
  input wire [127:0]      c_out_block,
  input wire [127:0]      c_out_other,
  input wire [127:0]      c_end_key,
  input wire [127:0]      c_end_other,
  input wire              lw_ready
);
  localparam BPB = 128 / DATA_W;
  localparam [31:0] WLAST_I = BPB - 1;
  localparam [WIDX_W-1:0] WLAST = WLAST_I[WIDX_W-1:0];
  localparam [2:0] ECB = 0, CBC = 1, CFB = 2, OFB = 3, CTR = 4, MAC = 5, KEYGEN = 7;

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire         a_jb_ready, a_fl_valid, a_fl_iv, a_fl_slot, a_fl_blk, a_kr_valid, a_kr_key;
  wire         b_jb_ready, b_fl_valid, b_fl_iv, b_fl_slot, b_fl_blk, b_kr_valid, b_kr_key;
  wire [1:0]   a_kr_region, a_op, a_lw_we, a_lw_kind;
  wire [1:0]   b_kr_region, b_op, b_lw_we, b_lw_kind;
  wire         a_ch_valid, a_ch_idx, a_kgo_valid, a_in_valid, a_dec, a_out_ready;
  wire         b_ch_valid, b_ch_idx, b_kgo_valid, b_in_valid, b_dec, b_out_ready;
  wire [127:0] a_block, b_block, a_key, b_key;
  wire         a_lw_valid, a_lw_slot, a_lw_done, a_lw_chained, a_lw_idx, a_lw_key, a_lw_last;
  wire         b_lw_valid, b_lw_slot, b_lw_done, b_lw_chained, b_lw_idx, b_lw_key, b_lw_last;
  wire [OFF_W-1:0]  a_lw_off, b_lw_off;
  wire [WIDX_W-1:0] a_lw_word, b_lw_word;
  wire [DATA_W-1:0] a_lw_data, b_lw_data;
  wire [3:0]   a_lw_status, b_lw_status;
  wire         a_sub, b_sub;
  wire [127:0] a_sum, b_sum;
  wire [511:0] a_data, b_data;
  localparam CONTROL_W = (SERIAL != 0) ? 41 + 2 * WIDX_W : 85 + WIDX_W;
  wire [CONTROL_W-1:0] a_control, b_control;
  wire         a_ok, b_ok;
  wire [2:0]   a_out, b_out;

  // what the second lane gets
  wire [DATA_W-1:0] b_fr_data     = (SECRET != 0) ? fr_data : fr_other;
  wire [DATA_W-1:0] b_cs_data     = (SECRET != 0) ? cs_data : cs_other;
  wire [127:0]      b_c_out_block =
    (SECRET != 0) & c_out_valid ? c_out_block : c_out_other;

  fv_lane #(.DATA_W(DATA_W), .SERIAL(SERIAL)) u_a (
    .clk(clk), .rst(rst), .jb_valid(jb_valid), .jb_ready(a_jb_ready), .jb_slot(jb_slot),
    .jb_desc(jb_desc), .fl_valid(a_fl_valid), .fl_ready(fl_ready), .fl_iv(a_fl_iv),
    .fl_slot(a_fl_slot), .fl_blk(a_fl_blk), .fr_valid(fr_valid), .fr_lane(fr_lane), .fr_iv(fr_iv),
    .fr_word(fr_word), .fr_data(fr_data), .kr_valid(a_kr_valid), .kr_ready(kr_ready),
    .kr_key(a_kr_key), .kr_region(a_kr_region), .ks_valid(ks_valid), .ks_lane(ks_lane),
    .ks_region(ks_region), .ks_word(ks_word), .ks_data(ks_data), .ch_valid(a_ch_valid),
    .ch_ready(ch_ready), .ch_idx(a_ch_idx), .cs_valid(cs_valid), .cs_lane(cs_lane),
    .cs_word(cs_word), .cs_data(cs_data), .cr_fire(cr_fire), .kgo_valid(a_kgo_valid),
    .kgo_ready(kgo_ready), .c_in_valid(a_in_valid), .c_in_ready(c_in_ready), .c_in_op(a_op),
    .c_in_decrypt(a_dec), .c_in_key(a_key), .c_in_block(a_block), .c_out_valid(c_out_valid),
    .c_out_ready(a_out_ready), .c_out_block(c_out_block), .c_end_key(c_end_key),
    .lw_valid(a_lw_valid), .lw_ready(lw_ready), .lw_we(a_lw_we), .lw_slot(a_lw_slot),
    .lw_off(a_lw_off), .lw_word(a_lw_word), .lw_data(a_lw_data), .lw_done(a_lw_done),
    .lw_status(a_lw_status), .lw_kind(a_lw_kind), .lw_chained(a_lw_chained), .lw_idx(a_lw_idx),
    .lw_key(a_lw_key), .lw_last(a_lw_last),
    .h_sub(a_sub), .h_sum(a_sum), .h_data(a_data),
    .h_control(a_control), .h_ok(a_ok), .h_out(a_out)
  );

  fv_lane #(.DATA_W(DATA_W), .SERIAL(SERIAL)) u_b (
    .clk(clk), .rst(rst), .jb_valid(jb_valid), .jb_ready(b_jb_ready), .jb_slot(jb_slot),
    .jb_desc(jb_desc), .fl_valid(b_fl_valid), .fl_ready(fl_ready), .fl_iv(b_fl_iv),
    .fl_slot(b_fl_slot), .fl_blk(b_fl_blk), .fr_valid(fr_valid), .fr_lane(fr_lane), .fr_iv(fr_iv),
    .fr_word(fr_word), .fr_data(b_fr_data), .kr_valid(b_kr_valid), .kr_ready(kr_ready),
    .kr_key(b_kr_key), .kr_region(b_kr_region), .ks_valid(ks_valid), .ks_lane(ks_lane),
    .ks_region(ks_region), .ks_word(ks_word), .ks_data(ks_other), .ch_valid(b_ch_valid),
    .ch_ready(ch_ready), .ch_idx(b_ch_idx), .cs_valid(cs_valid), .cs_lane(cs_lane),
    .cs_word(cs_word), .cs_data(b_cs_data), .cr_fire(cr_fire), .kgo_valid(b_kgo_valid),
    .kgo_ready(kgo_ready), .c_in_valid(b_in_valid), .c_in_ready(c_in_ready), .c_in_op(b_op),
    .c_in_decrypt(b_dec), .c_in_key(b_key), .c_in_block(b_block), .c_out_valid(c_out_valid),
    .c_out_ready(b_out_ready), .c_out_block(b_c_out_block), .c_end_key(c_end_other),
    .lw_valid(b_lw_valid), .lw_ready(lw_ready), .lw_we(b_lw_we), .lw_slot(b_lw_slot),
    .lw_off(b_lw_off), .lw_word(b_lw_word), .lw_data(b_lw_data), .lw_done(b_lw_done),
    .lw_status(b_lw_status), .lw_kind(b_lw_kind), .lw_chained(b_lw_chained), .lw_idx(b_lw_idx),
    .lw_key(b_lw_key), .lw_last(b_lw_last),
    .h_sub(b_sub), .h_sum(b_sum), .h_data(b_data),
    .h_control(b_control), .h_ok(b_ok), .h_out(b_out)
  );

  // ---- the queue: packets as the scheduler sends them
  fv_stream #(.WIDTH(19), .CHECK(0)) u_jobs (
    .clk(clk), .rst(rst | ~live), .valid(jb_valid), .ready(a_jb_ready), .data({jb_slot, jb_desc})
  );
  wire [1:0] cmd     = jb_desc[1:0];
  wire [2:0] mode    = jb_desc[4:2];
  wire       ivf     = jb_desc[5];
  wire       first   = jb_desc[6];
  wire       last    = jb_desc[7];
  wire [5:0] len     = jb_desc[13:8];
  wire       chained = jb_desc[14];
  wire       bound   = jb_desc[17];
  wire       cipher  = (mode == CBC) | (mode == CFB) | (mode == OFB);
  always @*
    if (live & ~rst & jb_valid) begin
      e_mode: assume (mode != 3'd6);
      if (mode == KEYGEN) begin
        e_keygen: assume ({cmd, ivf, first, last, len, chained, bound} == 13'd0);
      end else begin
        e_mac: assume ((mode == MAC) == cmd[1]);
        e_chained: assume (chained == (cipher | (mode == MAC)));
        e_iv: assume (ivf == ((mode == CTR) | (cipher & first) | (last & (cmd == 2'd3))));
        e_len: assume ((len <= 6'd32) & (last | ((len != 6'd0) & (len[3:0] == 4'd0))));
        if (mode == ECB || mode == CBC) e_whole: assume (len[3:0] == 4'd0);
        if (len == 6'd0) e_empty: assume (last & ((cipher & ~first) | ((mode == MAC) & first)));
        e_bound: assume (~bound | (chained & ~first));
      end
    end

  // ---- who answers: what was asked for, words in order, three cycles later at the soonest
  reg [1:0]        blk_q, iv_q, chain_q, key_q, sub_q;   // 0: nothing asked, 3: may be answered
  reg [WIDX_W-1:0] blk_word_q, iv_word_q, chain_word_q, key_word_q, sub_word_q;
  wire fr_me  = fr_valid & ~fr_lane;
  wire cs_me  = cs_valid & ~cs_lane;
  wire ks_me  = ks_valid & ~ks_lane;
  always @(posedge clk) begin
    if (blk_q != 0 && blk_q != 3) blk_q <= blk_q + 1;
    if (iv_q != 0 && iv_q != 3) iv_q <= iv_q + 1;
    if (chain_q != 0 && chain_q != 3) chain_q <= chain_q + 1;
    if (key_q != 0 && key_q != 3) key_q <= key_q + 1;
    if (sub_q != 0 && sub_q != 3) sub_q <= sub_q + 1;
    if (fr_me & ~fr_iv) blk_word_q <= blk_word_q + 1;
    if (fr_me & fr_iv) iv_word_q <= iv_word_q + 1;
    if (cs_me) chain_word_q <= chain_word_q + 1;
    if (ks_me & ~ks_region[1]) key_word_q <= key_word_q + 1;
    if (ks_me & ks_region[1]) sub_word_q <= sub_word_q + 1;
    if (fr_me & ~fr_iv & (fr_word == WLAST)) blk_q <= 0;
    if (fr_me & fr_iv & (fr_word == WLAST)) iv_q <= 0;
    if (cs_me & (cs_word == WLAST)) chain_q <= 0;
    if (ks_me & ~ks_region[1] & (ks_word == WLAST)) key_q <= 0;
    if (ks_me & ks_region[1] & (ks_word == WLAST)) sub_q <= 0;
    if (a_fl_valid & fl_ready & ~a_fl_iv) {blk_q, blk_word_q} <= {2'd1, {WIDX_W{1'b0}}};
    if (a_fl_valid & fl_ready & a_fl_iv) {iv_q, iv_word_q} <= {2'd1, {WIDX_W{1'b0}}};
    if (a_ch_valid & ch_ready) {chain_q, chain_word_q} <= {2'd1, {WIDX_W{1'b0}}};
    if (a_kr_valid & kr_ready & ~a_kr_region[1]) {key_q, key_word_q} <= {2'd1, {WIDX_W{1'b0}}};
    if (a_kr_valid & kr_ready & a_kr_region[1]) {sub_q, sub_word_q} <= {2'd1, {WIDX_W{1'b0}}};
    if (rst | ~live) {blk_q, iv_q, chain_q, key_q, sub_q} <= 10'd0;
  end
  always @*
    if (live & ~rst) begin
      if (fr_me & ~fr_iv) e_blk: assume ((blk_q == 3) & (fr_word == blk_word_q));
      if (fr_me & fr_iv) e_ivs: assume ((iv_q == 3) & (fr_word == iv_word_q));
      if (cs_me) e_chain: assume ((chain_q == 3) & (cs_word == chain_word_q));
      if (ks_me & ~ks_region[1]) e_key: assume ((key_q == 3) & (ks_word == key_word_q));
      if (ks_me & ks_region[1]) e_sub: assume ((sub_q == 3) & (ks_word == sub_word_q));
    end

  // ---- the core: a block at a time, offered until it is taken
  fv_stream #(.WIDTH(128), .CHECK(0)) u_core (
    .clk(clk), .rst(rst | ~live), .valid(c_out_valid), .ready(a_out_ready), .data(c_out_block)
  );
  reg  fly_q;
  wire fire_in  = a_in_valid & c_in_ready;
  wire fire_out = c_out_valid & a_out_ready;
  always @(posedge clk) begin
    fly_q <= fire_in | (fly_q & ~fire_out);
    if (rst | ~live) fly_q <= 1'b0;
  end
  always @*
    if (live & ~rst)
      if (c_out_valid) e_out: assume (fly_q);

  // ---- claims
  wire [10+OFF_W+WIDX_W:0] a_lw = {a_lw_we, a_lw_slot, a_lw_off, a_lw_word, a_lw_done, a_lw_kind,
                               a_lw_chained, a_lw_idx, a_lw_key, a_lw_last};
  wire [10+OFF_W+WIDX_W:0] b_lw = {b_lw_we, b_lw_slot, b_lw_off, b_lw_word, b_lw_done, b_lw_kind,
                               b_lw_chained, b_lw_idx, b_lw_key, b_lw_last};
  always @*
    if (live & ~rst) begin
      a_cycles: assert ({a_jb_ready, a_fl_valid, a_kr_valid, a_ch_valid, a_kgo_valid, a_in_valid,
                         a_out_ready, a_lw_valid} ==
                        {b_jb_ready, b_fl_valid, b_kr_valid, b_ch_valid, b_kgo_valid, b_in_valid,
                         b_out_ready, b_lw_valid});
      if (a_fl_valid) a_fetch: assert ({a_fl_iv, a_fl_slot, a_fl_blk} ==
                                       {b_fl_iv, b_fl_slot, b_fl_blk});
      if (a_kr_valid) a_key_read: assert ({a_kr_key, a_kr_region} == {b_kr_key, b_kr_region});
      if (a_ch_valid) a_chain_read: assert (a_ch_idx == b_ch_idx);
      if (a_in_valid) a_core: assert ({a_op, a_dec} == {b_op, b_dec});
      if (a_lw_valid) a_beats: assert (a_lw == b_lw);
      // a job begins with nothing of another: it reads no chaining value
      if (a_ch_valid) a_new_job: assert (~first);
      c_saved: cover (a_lw_valid & lw_ready & a_lw_we[1]);
      c_mac: cover (a_lw_valid & lw_ready & (a_lw_kind == 2));
      c_keygen: cover (a_kgo_valid & kgo_ready);
    end

  generate
    if (SECRET != 0) begin : g_secret
      // a block of the packet went into the core other than in the other lane: a MAC's last
      reg other_q;
      always @(posedge clk) other_q <= fire_in ? (a_block != b_block) : other_q;
      always @*
        if (live & ~rst) begin
          i_control: assert (a_control == b_control);
          i_ok: assert (a_ok);
          if (SERIAL == 0)
            i_asked: assert (((blk_q == 0) | a_out[2]) & ((sub_q == 0) | a_out[0]) &
                             (((iv_q == 0) & (chain_q == 0)) | a_out[1]) &
                             ((iv_q == 0) | (chain_q == 0)));
          if (~a_sub) i_sum: assert (a_sum == b_sum);
          i_data: assert (a_data == b_data);
        end
      always @*
        if (live & ~rst & a_lw_valid) begin
          if (a_lw_we != 0) a_words: assert (a_lw_data == b_lw_data);
          a_status: assert (a_lw_status == b_lw_status);
          c_keys: cover (lw_ready & a_lw_we[0] & (a_key != b_key));
          c_subkeys: cover (lw_ready & (a_lw_kind == 2) & other_q);
          c_forged: cover (lw_ready & (a_lw_status != 0));
        end
    end else begin : g_time
      always @*
        if (live & ~rst) begin
          c_result: cover (a_lw_valid & lw_ready & a_lw_we[0] & (a_lw_data != b_lw_data));
          c_blocks: cover (a_kgo_valid & kgo_ready & (a_block != b_block));
          c_verify: cover (a_lw_valid & (a_lw_status != b_lw_status));
        end
    end
  endgenerate
endmodule
`default_nettype wire
