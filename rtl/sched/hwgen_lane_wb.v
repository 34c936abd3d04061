// SPDX-License-Identifier: Apache-2.0
// Write-back stage of a lane: a result block and, if need be, a chaining value, out in words.
// Latency: load to the first beat 1 cycle (2 for a compare); initiation interval: words + 1 cycles.
// ld_* are pulses, legal while busy = 0. lw_* follows valid/ready; lw_data is a word of registers
// behind one gate (pass and byte mask).
// Block order: byte 0 of a block is in 127:120, word 0 of it, the first out, at the top.
`default_nettype none
module hwgen_lane_wb #(
  // stream and memory width: 32, 64 or 128
  parameter DATA_W     = 128,
  // packet slots
  parameter SLOTS      = 1,
  // largest payload in blocks of 16 bytes
  parameter PKT_BLOCKS = 1,
  // choose-list entries
  parameter CHOOSE     = 1,
  // key slots
  parameter KEY_SLOTS  = 1,
  // derived: do not set
  parameter BPB        = 128 / DATA_W,
  parameter SLOT_W     = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter OFF_W      = (PKT_BLOCKS * BPB > 1) ? $clog2(PKT_BLOCKS * BPB) : 1,
  parameter BLK_W      = (PKT_BLOCKS > 1) ? $clog2(PKT_BLOCKS) : 1,
  parameter WIDX_W     = (BPB > 1) ? $clog2(BPB) : 1,
  parameter IDX_W      = (CHOOSE > 1) ? $clog2(CHOOSE) : 1,
  parameter KS_W       = (KEY_SLOTS > 1) ? $clog2(KEY_SLOTS) : 1
) (
  input  wire              clk,
  input  wire              rst,
  // takes ld_block into the out register
  input  wire              ld_out,
  input  wire [127:0]      ld_block,
  // starts beats; the fields below are sampled with it
  input  wire              ld_go,
  input  wire [SLOT_W-1:0] ld_slot,
  input  wire [BLK_W-1:0]  ld_blk,
  input  wire              ld_words,    // first pass: words of the out register ...
  input  wire [1:0]        ld_we,       // ... to these places
  input  wire              ld_two,      // second pass: words of the chaining value ...
  input  wire              ld_xor,      // ... which is out ^ save (OFB), not save
  input  wire              ld_done,     // the last beat is the packet's done beat
  input  wire              ld_compare,  // status 9 unless the block is 0
  input  wire [1:0]        ld_kind,
  input  wire              ld_short,    // zero the bytes from ld_bytes on
  input  wire [3:0]        ld_bytes,
  input  wire              ld_chained,
  input  wire [IDX_W-1:0]  ld_idx,
  input  wire [KS_W-1:0]   ld_key,
  input  wire              ld_last,
  // loads the save register; legal while save_busy = 0
  input  wire              sv_load,
  input  wire [127:0]      sv_block,
  output wire              save_busy,
  // 1: no first beat yet (the lane still reads out_block)
  input  wire              hold,
  output wire              busy,
  // the block loaded last; in order while busy = 0, and always for DATA_W = 128
  output wire [127:0]      out_block,
  // beats
  output wire              lw_valid,
  input  wire              lw_ready,
  output wire [1:0]        lw_we,
  output wire [SLOT_W-1:0] lw_slot,
  output wire [OFF_W-1:0]  lw_off,
  output wire [WIDX_W-1:0] lw_word,
  output wire [DATA_W-1:0] lw_data,
  output wire              lw_done,
  output wire [3:0]        lw_status,
  output wire [1:0]        lw_kind,
  output wire              lw_chained,
  output wire [IDX_W-1:0]  lw_idx,
  output wire [KS_W-1:0]   lw_key,
  output wire              lw_last
);
  localparam [WIDX_W-1:0] WONE = 1;
  localparam [31:0] WLAST_I = BPB - 1;
  localparam [WIDX_W-1:0] WLAST = WLAST_I[WIDX_W-1:0];
  localparam [3:0] ST_MAC_MISMATCH = 4'd9;

  // out_q and save_q turn by a word with each beat, and so are in order again after each pass: the
  // lane may then take the chaining value for the next block from out_q.
  reg  [127:0]      out_q, save_q;

  reg               busy_q, words_q, two_q, xor_q, done_q, compare_q, short_q, chained_q, last_q;
  reg               second_q, wrong_q;
  reg  [1:0]        we_q, kind_q;
  reg  [3:0]        bytes_q;
  reg  [SLOT_W-1:0] slot_q;
  reg  [BLK_W-1:0]  blk_q;
  reg  [WIDX_W-1:0] word_q;
  reg  [IDX_W-1:0]  idx_q;
  reg  [KS_W-1:0]   key_q;

  reg  pass_end, beat_end;
  wire beat = lw_valid & lw_ready;
  // a block of one word has nothing to turn
  wire turn = beat & words_q & (BPB != 1);

  assign busy       = busy_q;
  assign save_busy  = busy_q & two_q;
  assign out_block  = out_q;
  assign lw_valid   = busy_q & ~compare_q & ~hold;
  assign lw_we      = second_q ? 2'b10 : we_q;
  assign lw_slot    = slot_q;
  assign lw_word    = word_q;
  assign lw_done    = done_q & beat_end;
  assign lw_status  = ST_MAC_MISMATCH & {4{wrong_q}};
  assign lw_kind    = kind_q;
  assign lw_chained = chained_q;
  assign lw_idx     = idx_q;
  assign lw_key     = key_q;
  assign lw_last    = last_q;

  // bytes of a word of the block that belong to the packet
  function [DATA_W-1:0] own;
    input [WIDX_W-1:0] word;
    input [3:0]        bytes;
    reg   [127:0]      beyond;
    begin
      beyond = {128{1'b1}} >> {bytes, 3'd0};
      if (BPB != 1) beyond = beyond << (word * DATA_W);
      own = ~beyond[127 -: DATA_W];
    end
  endfunction

  // looked at only with lw_valid
  reg [DATA_W-1:0] use_out, data;
  assign lw_data = data;
  always @* begin
    {pass_end, beat_end} = 2'b00;
    {use_out, data} = {(2*DATA_W){1'bx}};
    if (busy_q) begin
      pass_end = (word_q == WLAST) | ~words_q;
      beat_end = pass_end & (second_q | ~two_q);
      use_out  = {DATA_W{1'b1}};
      if (second_q) use_out = {DATA_W{xor_q}};
      else if (short_q) use_out = own(word_q, bytes_q);
      data = (out_q[127 -: DATA_W] & use_out) ^ (save_q[127 -: DATA_W] & {DATA_W{second_q}});
    end
  end

  generate
    if (BPB == 1) begin : g_word1
      assign lw_off = blk_q;
    end else if (PKT_BLOCKS == 1) begin : g_one
      wire unused_blk = &{1'b0, blk_q};  // one block: number 0
      assign lw_off = word_q;
    end else begin : g_many
      assign lw_off = {blk_q, word_q};
    end
  endgenerate

  always @(posedge clk) begin
    if (ld_out) out_q <= ld_block;
    else if (turn) out_q <= (out_q << DATA_W) | (out_q >> (128 - DATA_W));
    if (sv_load) save_q <= sv_block;
    else if (turn & second_q) save_q <= (save_q << DATA_W) | (save_q >> (128 - DATA_W));

    // the whole difference at once: nothing tells how much of a forged tag was right
    if (compare_q) wrong_q <= |out_q;
    compare_q <= 1'b0;

    if (beat) begin
      word_q <= pass_end ? {WIDX_W{1'b0}} : word_q + WONE;
      if (pass_end) second_q <= two_q & ~second_q;
      if (beat_end) busy_q <= 1'b0;
    end
    if (ld_go) begin
      busy_q    <= 1'b1;
      words_q   <= ld_words;
      we_q      <= ld_we;
      two_q     <= ld_two;
      xor_q     <= ld_xor;
      done_q    <= ld_done;
      compare_q <= ld_compare;
      wrong_q   <= 1'b0;
      kind_q    <= ld_kind;
      short_q   <= ld_short;
      bytes_q   <= ld_bytes;
      slot_q    <= ld_slot;
      blk_q     <= ld_blk;
      chained_q <= ld_chained;
      idx_q     <= ld_idx;
      key_q     <= ld_key;
      last_q    <= ld_last;
    end

    // data too: results and chaining values must not survive a reset
    if (rst) begin
      out_q     <= 128'd0;
      save_q    <= 128'd0;
      busy_q    <= 1'b0;
      words_q   <= 1'b0;
      we_q      <= 2'b00;
      two_q     <= 1'b0;
      xor_q     <= 1'b0;
      done_q    <= 1'b0;
      compare_q <= 1'b0;
      wrong_q   <= 1'b0;
      second_q  <= 1'b0;
      kind_q    <= 2'd0;
      short_q   <= 1'b0;
      bytes_q   <= 4'd0;
      slot_q    <= {SLOT_W{1'b0}};
      blk_q     <= {BLK_W{1'b0}};
      word_q    <= {WIDX_W{1'b0}};
      chained_q <= 1'b0;
      idx_q     <= {IDX_W{1'b0}};
      key_q     <= {KS_W{1'b0}};
      last_q    <= 1'b0;
    end
  end
endmodule
`default_nettype wire
