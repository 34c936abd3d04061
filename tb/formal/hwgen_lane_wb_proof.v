// SPDX-License-Identifier: Apache-2.0
// hwgen_lane_wb: each load leaves in as many beats as it says, of which the last alone can be the
// packet's done beat; beats are stable while stalled.
`default_nettype none
module hwgen_lane_wb_proof #(
  parameter DATA_W = 64,
  parameter WIDX_W = (DATA_W < 128) ? $clog2(128 / DATA_W) : 1
) (
  input wire         clk,
  input wire         rst,
  input wire         ld_out,
  input wire [127:0] ld_block,
  input wire         ld_go,
  input wire         ld_slot,
  input wire         ld_words,
  input wire [1:0]   ld_we,
  input wire         ld_two,
  input wire         ld_xor,
  input wire         ld_done,
  input wire         ld_compare,
  input wire [1:0]   ld_kind,
  input wire         ld_short,
  input wire [3:0]   ld_bytes,
  input wire         ld_chained,
  input wire         ld_idx,
  input wire         ld_key,
  input wire         ld_last,
  input wire         sv_load,
  input wire [127:0] sv_block,
  input wire         hold,
  input wire         lw_ready
);
  localparam BPB = 128 / DATA_W;

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire              save_busy, busy, lw_valid, lw_slot, lw_done, lw_chained, lw_idx, lw_key, lw_last;
  wire [127:0]      out_block;
  wire [1:0]        lw_we, lw_kind;
  wire [WIDX_W-1:0] lw_off, lw_word;
  wire [DATA_W-1:0] lw_data;
  wire [3:0]        lw_status;
  hwgen_lane_wb #(
    .DATA_W     (DATA_W),
    .SLOTS      (2),
    .PKT_BLOCKS (1),
    .CHOOSE     (2),
    .KEY_SLOTS  (2)
  ) u_dut (
    .clk        (clk),
    .rst        (rst),
    .ld_out     (ld_out),
    .ld_block   (ld_block),
    .ld_go      (ld_go),
    .ld_slot    (ld_slot),
    .ld_blk     (1'b0),
    .ld_words   (ld_words),
    .ld_we      (ld_we),
    .ld_two     (ld_two),
    .ld_xor     (ld_xor),
    .ld_done    (ld_done),
    .ld_compare (ld_compare),
    .ld_kind    (ld_kind),
    .ld_short   (ld_short),
    .ld_bytes   (ld_bytes),
    .ld_chained (ld_chained),
    .ld_idx     (ld_idx),
    .ld_key     (ld_key),
    .ld_last    (ld_last),
    .sv_load    (sv_load),
    .sv_block   (sv_block),
    .save_busy  (save_busy),
    .hold       (hold),
    .busy       (busy),
    .out_block  (out_block),
    .lw_valid   (lw_valid),
    .lw_ready   (lw_ready),
    .lw_we      (lw_we),
    .lw_slot    (lw_slot),
    .lw_off     (lw_off),
    .lw_word    (lw_word),
    .lw_data    (lw_data),
    .lw_done    (lw_done),
    .lw_status  (lw_status),
    .lw_kind    (lw_kind),
    .lw_chained (lw_chained),
    .lw_idx     (lw_idx),
    .lw_key     (lw_key),
    .lw_last    (lw_last)
  );

  reg stalled_q = 1'b0;
  always @(posedge clk) stalled_q <= lw_valid & ~lw_ready & live & ~rst;
  always @*
    if (live & ~rst) begin
      // the lane loads what is free only, and does not take an offer back
      if (ld_go | ld_out) e_load_free: assume (~busy);
      if (sv_load) e_save_free: assume (~save_busy);
      if (stalled_q) e_hold: assume (~hold);
      // without words there is one beat, which has nothing for a second pass
      if (ld_go & ~ld_words) e_no_words: assume (~ld_two);
    end

  (* anyconst *) wire [6:0] bit_at;
  always @* e_bit: assume (bit_at < DATA_W);
  fv_stream #(
    .WIDTH (2 + 1 + 2 * WIDX_W + 1 + 1 + 4 + 2 + 4)
  ) u_out (
    .clk   (clk),
    .rst   (rst | ~live),
    .valid (lw_valid),
    .ready (lw_ready),
    .data  ({lw_we, lw_slot, lw_off, lw_word, lw_data[bit_at], lw_done, lw_status, lw_kind,
             lw_chained, lw_idx, lw_key, lw_last})
  );

  // beats to come of the load, and what they carry
  reg [3:0] left_q = 0;
  reg [3:0] beats_q;
  reg       words_q, two_q, done_q, slot_q, idx_q, chained_q, bit_q;
  reg [1:0] we_q;
  reg [3:0] wait_q = 0;
  wire      beat = lw_valid & lw_ready;
  wire [3:0] number = beats_q - left_q;
  wire       second = two_q & (number >= BPB);
  always @(posedge clk) begin
    if (ld_go) begin
      left_q    <= ~ld_words ? 1 : ld_two ? 2 * BPB : BPB;
      beats_q   <= ~ld_words ? 1 : ld_two ? 2 * BPB : BPB;
      {words_q, two_q, done_q, slot_q, idx_q, chained_q, we_q}
        <= {ld_words, ld_two, ld_done, ld_slot, ld_idx, ld_chained, ld_we};
    end else if (beat) begin
      left_q <= left_q - 1'b1;
    end
    wait_q <= ((left_q != 0) & ~lw_valid & ~hold) ? wait_q + 1'b1 : 0;
    if (rst | ~live) left_q <= 0;
    if (rst | ~live) wait_q <= 0;
  end

  always @*
    if (live & ~rst) begin
      a_busy: assert (busy == (left_q != 0));
      if (lw_valid) begin
        a_from_a_load: assert (left_q != 0);
        a_done: assert (lw_done == (done_q & (left_q == 1)));
        a_fields: assert (lw_slot == slot_q && lw_idx == idx_q && lw_chained == chained_q);
        a_place: assert (lw_we == (second ? 2'b10 : we_q));
        if (words_q) a_word: assert (lw_word == (number & (BPB - 1)));
      end
      // one cycle for a compare, none else
      a_offers: assert (wait_q <= 1);
      c_two: cover (beat & lw_done & second & words_q);
      c_mac: cover (beat & lw_done & (lw_status == 9));
    end
endmodule
`default_nettype wire
