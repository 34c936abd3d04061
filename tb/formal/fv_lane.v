// SPDX-License-Identifier: Apache-2.0
// A lane of either kind for hwgen_lane_time_proof, with that proof's parameters: one lane in its
// cluster, two of all that is numbered.
`default_nettype none
module fv_lane #(
  parameter DATA_W = 128,
  // 1: hwgen_lane_serial, 0: hwgen_lane
  parameter SERIAL = 0,
  parameter WIDX_W = (DATA_W < 128) ? $clog2(128 / DATA_W) : 1,
  parameter OFF_W  = $clog2(256 / DATA_W),
  parameter CONTROL_W = (SERIAL != 0) ? 41 + 2 * WIDX_W : 85 + WIDX_W
) (
  input  wire              clk,
  input  wire              rst,
  input  wire              jb_valid,
  output wire              jb_ready,
  input  wire              jb_slot,
  input  wire [17:0]       jb_desc,
  output wire              fl_valid,
  input  wire              fl_ready,
  output wire              fl_iv,
  output wire              fl_slot,
  output wire              fl_blk,
  input  wire              fr_valid,
  input  wire              fr_lane,
  input  wire              fr_iv,
  input  wire [WIDX_W-1:0] fr_word,
  input  wire [DATA_W-1:0] fr_data,
  output wire              kr_valid,
  input  wire              kr_ready,
  output wire              kr_key,
  output wire [1:0]        kr_region,
  input  wire              ks_valid,
  input  wire              ks_lane,
  input  wire [1:0]        ks_region,
  input  wire [WIDX_W-1:0] ks_word,
  input  wire [DATA_W-1:0] ks_data,
  output wire              ch_valid,
  input  wire              ch_ready,
  output wire              ch_idx,
  input  wire              cs_valid,
  input  wire              cs_lane,
  input  wire [WIDX_W-1:0] cs_word,
  input  wire [DATA_W-1:0] cs_data,
  input  wire              cr_fire,
  output wire              kgo_valid,
  input  wire              kgo_ready,
  output wire              c_in_valid,
  input  wire              c_in_ready,
  output wire [1:0]        c_in_op,
  output wire              c_in_decrypt,
  output wire [127:0]      c_in_key,
  output wire [127:0]      c_in_block,
  input  wire              c_out_valid,
  output wire              c_out_ready,
  input  wire [127:0]      c_out_block,
  input  wire [127:0]      c_end_key,
  output wire              lw_valid,
  input  wire              lw_ready,
  output wire [1:0]        lw_we,
  output wire              lw_slot,
  output wire [OFF_W-1:0]  lw_off,
  output wire [WIDX_W-1:0] lw_word,
  output wire [DATA_W-1:0] lw_data,
  output wire              lw_done,
  output wire [3:0]        lw_status,
  output wire [1:0]        lw_kind,
  output wire              lw_chained,
  output wire              lw_idx,
  output wire              lw_key,
  output wire              lw_last,
  // for invariants: a subkey may be on its way to the core; the operand that holds it then; the
  // other words that can leave; all registers but those and the key
  output wire              h_sub,
  output wire [127:0]      h_sum,
  output wire [511:0]      h_data,
  output wire [CONTROL_W-1:0] h_control,
  // what holds of the registers at any time; block, IV, subkey: asked for and not here
  output wire              h_ok,
  output wire [2:0]        h_out
);
  generate
    if (SERIAL != 0) begin : g_serial
      hwgen_lane_serial #(
        .DATA_W(DATA_W), .SLOTS(2), .PKT_BLOCKS(2), .CHOOSE(2), .KEY_SLOTS(2)
      ) u_lane (
        .clk(clk), .rst(rst), .jb_valid(jb_valid), .jb_ready(jb_ready), .jb_slot(jb_slot),
        .jb_desc(jb_desc), .fl_valid(fl_valid), .fl_ready(fl_ready), .fl_iv(fl_iv),
        .fl_slot(fl_slot), .fl_blk(fl_blk), .fr_valid(fr_valid), .fr_lane(fr_lane), .fr_iv(fr_iv),
        .fr_word(fr_word), .fr_data(fr_data), .kr_valid(kr_valid), .kr_ready(kr_ready),
        .kr_key(kr_key), .kr_region(kr_region), .ks_valid(ks_valid), .ks_lane(ks_lane),
        .ks_region(ks_region), .ks_word(ks_word), .ks_data(ks_data), .ch_valid(ch_valid),
        .ch_ready(ch_ready), .ch_idx(ch_idx), .cs_valid(cs_valid), .cs_lane(cs_lane),
        .cs_word(cs_word), .cs_data(cs_data), .cr_fire(cr_fire), .kgo_valid(kgo_valid),
        .kgo_ready(kgo_ready), .c_in_valid(c_in_valid), .c_in_ready(c_in_ready),
        .c_in_op(c_in_op), .c_in_decrypt(c_in_decrypt), .c_in_key(c_in_key),
        .c_in_block(c_in_block), .c_out_valid(c_out_valid), .c_out_ready(c_out_ready),
        .c_out_block(c_out_block), .c_end_key(c_end_key), .lw_valid(lw_valid),
        .lw_ready(lw_ready), .lw_we(lw_we), .lw_slot(lw_slot), .lw_off(lw_off), .lw_word(lw_word),
        .lw_data(lw_data), .lw_done(lw_done), .lw_status(lw_status), .lw_kind(lw_kind),
        .lw_chained(lw_chained), .lw_idx(lw_idx), .lw_key(lw_key), .lw_last(lw_last),
        .cr_core(1'b0), .kgo_l(), .kgo_end()
      );
      (* hierconn *) wire [2:0] \u_lane.state_q ;
      (* hierconn *) wire \u_lane.cur_slot_q ;
      (* hierconn *) wire [1:0] \u_lane.cur_cmd_q ;
      (* hierconn *) wire [2:0] \u_lane.cur_mode_q ;
      (* hierconn *) wire \u_lane.cur_last_q ;
      (* hierconn *) wire \u_lane.cur_chained_q ;
      (* hierconn *) wire \u_lane.cur_short_q ;
      (* hierconn *) wire \u_lane.cur_ivf_q ;
      (* hierconn *) wire [3:0] \u_lane.cur_bytes_q ;
      (* hierconn *) wire \u_lane.cur_idx_q ;
      (* hierconn *) wire \u_lane.cur_key_q ;
      (* hierconn *) wire [1:0] \u_lane.left_q ;
      (* hierconn *) wire \u_lane.blk_q ;
      (* hierconn *) wire \u_lane.first_q ;
      (* hierconn *) wire \u_lane.have_q ;
      (* hierconn *) wire \u_lane.iv_need_q ;
      (* hierconn *) wire [WIDX_W-1:0] \u_lane.word_q ;
      (* hierconn *) wire \u_lane.wrong_q ;
      (* hierconn *) wire \u_lane.key_asked_q ;
      (* hierconn *) wire \u_lane.key_here_q ;
      (* hierconn *) wire \u_lane.blk_asked_q ;
      (* hierconn *) wire \u_lane.blk_here_q ;
      (* hierconn *) wire \u_lane.iv_asked_q ;
      (* hierconn *) wire \u_lane.iv_here_q ;
      (* hierconn *) wire \u_lane.sub_asked_q ;
      (* hierconn *) wire \u_lane.sub_here_q ;
      (* hierconn *) wire \u_lane.tag_asked_q ;
      (* hierconn *) wire \u_lane.tag_here_q ;
      (* hierconn *) wire \u_lane.ready_q ;
      (* hierconn *) wire [2:0] \u_lane.beats_q ;
      (* hierconn *) wire \u_lane.turned_q ;
      (* hierconn *) wire [WIDX_W-1:0] \u_lane.turned_word_q ;
      (* hierconn *) wire [127:0] \u_lane.a_q ;
      (* hierconn *) wire [127:0] \u_lane.c_q ;
      // from FETCH to OUT
      assign h_sub  = \u_lane.sub_asked_q  & (\u_lane.state_q  != 3'd0) &
                      (\u_lane.state_q  != 3'd5);
      assign h_sum  = \u_lane.c_q ;
      assign h_data = {384'd0, \u_lane.a_q };
      assign h_control = {
        \u_lane.state_q , \u_lane.cur_slot_q , \u_lane.cur_cmd_q , \u_lane.cur_mode_q ,
        \u_lane.cur_last_q , \u_lane.cur_chained_q , \u_lane.cur_short_q , \u_lane.cur_ivf_q ,
        \u_lane.cur_bytes_q , \u_lane.cur_idx_q , \u_lane.cur_key_q , \u_lane.left_q ,
        \u_lane.blk_q , \u_lane.first_q , \u_lane.have_q , \u_lane.iv_need_q , \u_lane.word_q ,
        \u_lane.wrong_q , \u_lane.key_asked_q , \u_lane.key_here_q , \u_lane.blk_asked_q ,
        \u_lane.blk_here_q , \u_lane.iv_asked_q , \u_lane.iv_here_q , \u_lane.sub_asked_q ,
        \u_lane.sub_here_q , \u_lane.tag_asked_q , \u_lane.tag_here_q , \u_lane.ready_q ,
        \u_lane.beats_q , \u_lane.turned_q  & (DATA_W != 128),
        \u_lane.turned_word_q  & {WIDX_W{DATA_W != 128}}
      };
      assign h_ok  = 1'b1;
      assign h_out = 3'b0;
    end else begin : g_wide
      hwgen_lane #(
        .DATA_W(DATA_W), .SLOTS(2), .PKT_BLOCKS(2), .CHOOSE(2), .KEY_SLOTS(2)
      ) u_lane (
        .clk(clk), .rst(rst), .jb_valid(jb_valid), .jb_ready(jb_ready), .jb_slot(jb_slot),
        .jb_desc(jb_desc), .fl_valid(fl_valid), .fl_ready(fl_ready), .fl_iv(fl_iv),
        .fl_slot(fl_slot), .fl_blk(fl_blk), .fr_valid(fr_valid), .fr_lane(fr_lane), .fr_iv(fr_iv),
        .fr_word(fr_word), .fr_data(fr_data), .kr_valid(kr_valid), .kr_ready(kr_ready),
        .kr_key(kr_key), .kr_region(kr_region), .ks_valid(ks_valid), .ks_lane(ks_lane),
        .ks_region(ks_region), .ks_word(ks_word), .ks_data(ks_data), .ch_valid(ch_valid),
        .ch_ready(ch_ready), .ch_idx(ch_idx), .cs_valid(cs_valid), .cs_lane(cs_lane),
        .cs_word(cs_word), .cs_data(cs_data), .cr_fire(cr_fire), .kgo_valid(kgo_valid),
        .kgo_ready(kgo_ready), .c_in_valid(c_in_valid), .c_in_ready(c_in_ready),
        .c_in_op(c_in_op), .c_in_decrypt(c_in_decrypt), .c_in_key(c_in_key),
        .c_in_block(c_in_block), .c_out_valid(c_out_valid), .c_out_ready(c_out_ready),
        .c_out_block(c_out_block), .c_end_key(c_end_key), .lw_valid(lw_valid),
        .lw_ready(lw_ready), .lw_we(lw_we), .lw_slot(lw_slot), .lw_off(lw_off), .lw_word(lw_word),
        .lw_data(lw_data), .lw_done(lw_done), .lw_status(lw_status), .lw_kind(lw_kind),
        .lw_chained(lw_chained), .lw_idx(lw_idx), .lw_key(lw_key), .lw_last(lw_last),
        .cr_core(1'b0), .kgo_l(), .kgo_end()
      );
      (* hierconn *) wire \u_lane.cur_slot_q ;
      (* hierconn *) wire [1:0] \u_lane.cur_cmd_q ;
      (* hierconn *) wire [2:0] \u_lane.cur_mode_q ;
      (* hierconn *) wire \u_lane.cur_last_q ;
      (* hierconn *) wire \u_lane.cur_chained_q ;
      (* hierconn *) wire \u_lane.cur_short_q ;
      (* hierconn *) wire \u_lane.cur_kg_q ;
      (* hierconn *) wire [3:0] \u_lane.cur_bytes_q ;
      (* hierconn *) wire \u_lane.cur_idx_q ;
      (* hierconn *) wire \u_lane.cur_key_q ;
      (* hierconn *) wire [1:0] \u_lane.cur_left_q ;
      (* hierconn *) wire \u_lane.cur_blk_q ;
      (* hierconn *) wire \u_lane.in_blk_q ;
      (* hierconn *) wire \u_lane.more_q ;
      (* hierconn *) wire \u_lane.flight_q ;
      (* hierconn *) wire \u_lane.zero_q ;
      (* hierconn *) wire [1:0] \u_lane.s_op_q ;
      (* hierconn *) wire \u_lane.s_inv_q ;
      (* hierconn *) wire \u_lane.s_end_q ;
      (* hierconn *) wire \u_lane.s_ctr_q ;
      (* hierconn *) wire \u_lane.s_tag_q ;
      (* hierconn *) wire \u_lane.s_move_q ;
      (* hierconn *) wire \u_lane.s_pad_q ;
      (* hierconn *) wire \u_lane.s_blk_q ;
      (* hierconn *) wire \u_lane.s_iv_q ;
      (* hierconn *) wire \u_lane.s_core_q ;
      (* hierconn *) wire \u_lane.s_x_now_q ;
      (* hierconn *) wire \u_lane.s_x_later_q ;
      (* hierconn *) wire \u_lane.s_back_q ;
      (* hierconn *) wire \u_lane.s_x_blk_q ;
      (* hierconn *) wire \u_lane.s_x_iv_q ;
      (* hierconn *) wire \u_lane.s_need_iv_q ;
      (* hierconn *) wire \u_lane.s_need_sub_q ;
      (* hierconn *) wire \u_lane.pre_q ;
      (* hierconn *) wire \u_lane.key_asked_q ;
      (* hierconn *) wire \u_lane.key_here_q ;
      (* hierconn *) wire \u_lane.blk_asked_q ;
      (* hierconn *) wire \u_lane.blk_here_q ;
      (* hierconn *) wire \u_lane.iv_asked_q ;
      (* hierconn *) wire \u_lane.iv_here_q ;
      (* hierconn *) wire \u_lane.sub_asked_q ;
      (* hierconn *) wire \u_lane.sub_here_q ;
      (* hierconn *) wire [3:0] \u_lane.inc_q ;
      (* hierconn *) wire \u_lane.move_q ;
      (* hierconn *) wire \u_lane.tag_q ;
      (* hierconn *) wire \u_lane.here_q ;
      (* hierconn *) wire \u_lane.ord_q ;
      (* hierconn *) wire \u_lane.keep_q ;
      (* hierconn *) wire [2:0] \u_lane.beats_q ;
      (* hierconn *) wire \u_lane.u_wb.busy_q ;
      (* hierconn *) wire \u_lane.u_wb.words_q ;
      (* hierconn *) wire \u_lane.u_wb.two_q ;
      (* hierconn *) wire \u_lane.u_wb.xor_q ;
      (* hierconn *) wire \u_lane.u_wb.done_q ;
      (* hierconn *) wire \u_lane.u_wb.compare_q ;
      (* hierconn *) wire \u_lane.u_wb.short_q ;
      (* hierconn *) wire \u_lane.u_wb.chained_q ;
      (* hierconn *) wire \u_lane.u_wb.last_q ;
      (* hierconn *) wire \u_lane.u_wb.second_q ;
      (* hierconn *) wire \u_lane.u_wb.wrong_q ;
      (* hierconn *) wire [1:0] \u_lane.u_wb.we_q ;
      (* hierconn *) wire [1:0] \u_lane.u_wb.kind_q ;
      (* hierconn *) wire [3:0] \u_lane.u_wb.bytes_q ;
      (* hierconn *) wire \u_lane.u_wb.slot_q ;
      (* hierconn *) wire \u_lane.u_wb.blk_q ;
      (* hierconn *) wire [WIDX_W-1:0] \u_lane.u_wb.word_q ;
      (* hierconn *) wire \u_lane.u_wb.idx_q ;
      (* hierconn *) wire \u_lane.u_wb.key_q ;
      (* hierconn *) wire [127:0] \u_lane.iv_q ;
      (* hierconn *) wire [127:0] \u_lane.blk_q ;
      (* hierconn *) wire [127:0] \u_lane.x_q ;
      (* hierconn *) wire [127:0] \u_lane.u_wb.out_q ;
      (* hierconn *) wire [127:0] \u_lane.u_wb.save_q ;
      assign h_sub  = \u_lane.sub_asked_q ;
      assign h_sum  = \u_lane.iv_q ;
      assign h_data = {\u_lane.blk_q , \u_lane.x_q , \u_lane.u_wb.out_q , \u_lane.u_wb.save_q };
      assign h_control = {
        \u_lane.cur_slot_q , \u_lane.cur_cmd_q , \u_lane.cur_mode_q , \u_lane.cur_last_q ,
        \u_lane.cur_chained_q , \u_lane.cur_short_q , \u_lane.cur_kg_q , \u_lane.cur_bytes_q ,
        \u_lane.cur_idx_q , \u_lane.cur_key_q , \u_lane.cur_left_q , \u_lane.cur_blk_q ,
        \u_lane.in_blk_q , \u_lane.more_q , \u_lane.flight_q , \u_lane.zero_q , \u_lane.s_op_q ,
        \u_lane.s_inv_q , \u_lane.s_end_q , \u_lane.s_ctr_q , \u_lane.s_tag_q , \u_lane.s_move_q ,
        \u_lane.s_pad_q , \u_lane.s_blk_q , \u_lane.s_iv_q , \u_lane.s_core_q , \u_lane.s_x_now_q ,
        \u_lane.s_x_later_q , \u_lane.s_back_q  & (DATA_W != 128), \u_lane.s_x_blk_q ,
        \u_lane.s_x_iv_q , \u_lane.s_need_iv_q , \u_lane.s_need_sub_q , \u_lane.pre_q ,
        \u_lane.key_asked_q , \u_lane.key_here_q , \u_lane.blk_asked_q , \u_lane.blk_here_q ,
        \u_lane.iv_asked_q , \u_lane.iv_here_q , \u_lane.sub_asked_q , \u_lane.sub_here_q ,
        \u_lane.inc_q , \u_lane.move_q , \u_lane.tag_q , \u_lane.here_q , \u_lane.ord_q ,
        \u_lane.keep_q , \u_lane.beats_q , \u_lane.u_wb.busy_q , \u_lane.u_wb.words_q ,
        \u_lane.u_wb.two_q , \u_lane.u_wb.xor_q , \u_lane.u_wb.done_q , \u_lane.u_wb.compare_q ,
        \u_lane.u_wb.short_q , \u_lane.u_wb.chained_q , \u_lane.u_wb.last_q ,
        \u_lane.u_wb.second_q , \u_lane.u_wb.wrong_q , \u_lane.u_wb.we_q , \u_lane.u_wb.kind_q ,
        \u_lane.u_wb.bytes_q , \u_lane.u_wb.slot_q , \u_lane.u_wb.blk_q , \u_lane.u_wb.word_q ,
        \u_lane.u_wb.idx_q , \u_lane.u_wb.key_q
      };
      (* hierconn *) wire \u_lane.seek ;
      (* hierconn *) wire \u_lane.n_sub ;
      (* hierconn *) wire \u_lane.n_iv ;
      (* hierconn *) wire \u_lane.pre ;
      // the next block: there is one, of this mode
      wire       next = \u_lane.more_q  | jb_valid;
      wire [2:0] mode = \u_lane.more_q  ? \u_lane.cur_mode_q  : jb_desc[4:2];
      assign h_out = {\u_lane.blk_asked_q  & ~\u_lane.blk_here_q ,
                      \u_lane.iv_asked_q  & ~\u_lane.iv_here_q ,
                      \u_lane.sub_asked_q  & ~\u_lane.sub_here_q };
      // a subkey is there only for a MAC's last block, with all else out of its way; selects are
      // those of the next block in time
      assign h_ok =
        (~\u_lane.sub_asked_q  |
         (next & (mode == 3'd5) & ~\u_lane.s_ctr_q  & ~\u_lane.s_x_iv_q  & ~\u_lane.move_q  &
          ~\u_lane.tag_q  & (\u_lane.inc_q  == 4'd0) & \u_lane.key_asked_q )) &
        (~(\u_lane.sub_asked_q  & \u_lane.seek ) | \u_lane.n_sub ) &
        (~\u_lane.sub_asked_q  | \u_lane.s_need_sub_q ) &
        (~\u_lane.here_q  | \u_lane.sub_here_q  | ~\u_lane.s_need_sub_q ) &
        (~\u_lane.here_q  | \u_lane.iv_here_q  | ~\u_lane.s_need_iv_q ) &
        (~\u_lane.sub_here_q  | \u_lane.sub_asked_q ) &
        (~\u_lane.blk_here_q  | \u_lane.blk_asked_q ) &
        (~\u_lane.iv_here_q  | \u_lane.iv_asked_q ) &
        (~(\u_lane.blk_asked_q  & \u_lane.seek ) | (\u_lane.s_need_sub_q  == \u_lane.n_sub )) &
        (~\u_lane.blk_asked_q  | (next & (\u_lane.more_q  | \u_lane.here_q  | \u_lane.pre ))) &
        (~(\u_lane.pre_q  & \u_lane.seek ) | (\u_lane.s_need_iv_q  == \u_lane.n_iv )) &
        (~(\u_lane.iv_asked_q  & ~\u_lane.iv_here_q  & ~\u_lane.tag_q ) |
         (~\u_lane.more_q  & jb_valid & ~\u_lane.here_q  & \u_lane.s_need_iv_q  & \u_lane.pre_q )) &
        (~\u_lane.here_q  | (next & (\u_lane.s_ctr_q  == (mode == 3'd4)) &
                           (\u_lane.inc_q [2:0] == 3'd0))) &
        ((\u_lane.inc_q  == 4'd0) | ~\u_lane.more_q  | (\u_lane.cur_mode_q  == 3'd4));
    end
  endgenerate
endmodule
`default_nettype wire
