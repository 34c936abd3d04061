// SPDX-License-Identifier: Apache-2.0
// AES with 4 S-boxes, one register rank inside them, shared by data path and key schedule.
// Latency = initiation interval = 51 (128-bit key) or 71 cycles (256), whatever key and data.
// Byte 0 in the top bits. The output is wired to the state register, so it may feed in_block
// through an XOR in the cycle in which it is taken.
// In reset in_ready may be 1; a block given then is lost.
`default_nettype none
module hwgen_aes_serial #(
  // 128 or 256
  parameter KEY_BITS = 128,
  // 1: both directions; 0: encryption only, in_decrypt is ignored
  parameter DECRYPT = 1,
  // S-boxes in synthesis, 1: look-ups; 0: field logic
  parameter TABLE = 0
) (
  input  wire                clk,
  input  wire                rst,
  input  wire                in_valid,
  output wire                in_ready,
  input  wire                in_decrypt,
  input  wire [KEY_BITS-1:0] in_key,
  input  wire [127:0]        in_block,
  output wire                out_valid,
  input  wire                out_ready,
  output wire [127:0]        out_block,
  output wire [KEY_BITS-1:0] end_key
);
  // A round is five slots: columns 0 to 3 enter the S-boxes, then the last word of the round key;
  // each comes out, and is written back, a slot later:
  //   slot           0        1        2        3        4
  //   into S-boxes   column 0 column 1 column 2 column 3 key word of the next round
  //   out of them    key word column 0 column 1 column 2 column 3
  // The key word's slot is what lets column 0 of the next round wait for column 3 at no cost.
  localparam [3:0] ROUNDS = (KEY_BITS == 128) ? 4'd10 : 4'd14;
  // round constant of the last step, where decryption starts
  localparam [7:0] LAST_RCON = (KEY_BITS == 128) ? 8'h36 : 8'h40;

  reg                busy_q, valid_q, decrypt_q;
  reg [2:0]          slot_q;
  reg [3:0]          left_q;    // rounds after this one
  reg [7:0]          rcon_q;
  reg [127:0]        state_q;
  reg [KEY_BITS-1:0] key_q;
  reg [1:0]          at1_q, at2_q, at3_q;

  wire load     = in_valid & in_ready;
  wire back     = (DECRYPT != 0) & decrypt_q;
  wire in_back  = (DECRYPT != 0) & in_decrypt;
  wire key_slot = slot_q[2];
  wire slot0    = slot_q == 3'd0;
  wire last     = left_q == 4'd0;

  assign in_ready  = ~busy_q & (~valid_q | out_ready);
  assign out_valid = valid_q;
  assign end_key   = key_q;

  // ---- S-boxes; the word of a slot comes out in the next one
  wire [31:0] read, key_word, sub_in, sub_out, inv_out;

  assign sub_in = (busy_q & ~key_slot) ? read : key_word;

  genvar i;
  generate
    for (i = 0; i < 4; i = i + 1) begin : g_sbox
      hwgen_aes_sbox #(.DECRYPT(DECRYPT), .PIPELINED(1), .TABLE(TABLE)) u_sbox (
        .clk(clk), .rst(rst), .inverse(back & busy_q & ~key_slot),
        .in(sub_in[8*i +: 8]), .inv_in(read[8*i +: 8]),
        .out(sub_out[8*i +: 8]), .inv_out(inv_out[8*i +: 8]));
    end
  endgenerate

  // ---- key schedule: in slots 0 to 3 the front word leaves, the new word comes in at the end
  // and serves its column one slot later. Forth each word is the front word XOR the word before it
  // among the new ones, back among the old ones.
  wire [31:0] chain = key_q[31:0];
  wire [31:0] mask, prior;

  generate
    if (DECRYPT != 0) begin : g_old
      reg [31:0] old_q;
      always @(posedge clk) begin
        if (busy_q & ~key_slot) old_q <= key_q[KEY_BITS-1 -: 32];
        // a key must not survive reset
        if (rst) old_q <= 32'd0;
      end
      assign prior = slot0 ? mask : back ? old_q : chain;
    end else begin : g_forth
      assign prior = slot0 ? mask : chain;
    end

    if (KEY_BITS == 128) begin : g_key128
      // the key word of round 1 enters in the load cycle, from in_key
      wire [31:0] w2 = busy_q ? key_q[63:32] : in_key[63:32];
      wire [31:0] w3 = busy_q ? key_q[31:0] : in_key[31:0];
      wire [31:0] w  = w3 ^ (w2 & {32{busy_q ? back : in_back}});
      assign key_word = {w[23:0], w[31:24]};
      assign mask     = sub_out ^ {rcon_q, 24'd0};
      always @(posedge clk) begin
        if (load | (busy_q & ~key_slot))
          key_q <= busy_q ? {key_q[95:0], key_q[127:96] ^ prior} : in_key;
        if (load) rcon_q <= in_back ? LAST_RCON : 8'h01;
        else if (busy_q & slot0)
          rcon_q <= back ? {1'b0, rcon_q[7:1]} ^ {8{rcon_q[0]}} & 8'h8d
                         : {rcon_q[6:0], 1'b0} ^ {8{rcon_q[7]}} & 8'h1b;
        // a key must not survive reset
        if (rst) begin
          key_q  <= 128'd0;
          rcon_q <= 8'd0;
        end
      end
    end else begin : g_key256
      // Round 1 finds its key in the register: forth its lower half turns round once, back the
      // halves change places. After that the older half is always on top. Steps with and without
      // rotation and constant alternate.
      reg  first_q, rotate_q;
      wire turn = first_q & ~back;
      assign key_word = rotate_q ? {key_q[23:0], key_q[31:24]} : key_q[31:0];
      assign mask     = sub_out ^ {rcon_q & {8{rotate_q}}, 24'd0};
      always @(posedge clk) begin
        if (load | (busy_q & ~key_slot & ~turn))
          key_q[255:128] <= busy_q ? key_q[223:96] : in_key[255:128];
        if (load | (busy_q & ~key_slot))
          key_q[127:0] <= busy_q ? {key_q[95:0], (turn ? key_q[127:96] : key_q[255:224])
                                                 ^ (prior & {32{~first_q}})}
                                 : in_key[127:0];
        if (load) begin
          first_q  <= 1'b1;
          rotate_q <= 1'b1;
          rcon_q   <= in_back ? LAST_RCON : 8'h01;
        end else if (key_slot) begin
          first_q  <= 1'b0;
        end else if (busy_q & slot0 & ~first_q) begin
          rotate_q <= ~rotate_q;
          if (rotate_q) rcon_q <= back ? {1'b0, rcon_q[7:1]} : {rcon_q[6:0], 1'b0};
        end
        // a key must not survive reset
        if (rst) begin
          key_q    <= 256'd0;
          first_q  <= 1'b0;
          rotate_q <= 1'b0;
          rcon_q   <= 8'd0;
        end
      end
    end
  endgenerate

  // ---- state: bytes are written back where they were read, so rows are never moved; after n
  // rounds column c of row r stands at place c + r n (mod 4), back at c - r n. atr_q is the place
  // row r is read at, one place behind it the byte of the slot before is written. The rounds being
  // 2 mod 4, rows 1 and 3 end half way round.
  wire [31:0]  column;
  // the top of the key forth, the bottom of the end key back
  wire [127:0] first_key = in_back ? in_key[127:0] : in_key[KEY_BITS-1:KEY_BITS-128];
  wire [7:0]   at = {slot_q[1:0], at1_q, at2_q, at3_q};

  hwgen_aes_column #(.DECRYPT(DECRYPT)) u_column (
    .last(last), .decrypt(back), .sub(sub_out), .inv_sub(inv_out), .key(chain), .col(column));

  always @(posedge clk) begin
    if (load) begin
      at1_q <= in_back ? 2'd3 : 2'd1;
      at2_q <= 2'd2;
      at3_q <= in_back ? 2'd1 : 2'd3;
    end else if (key_slot) begin
      at1_q <= at1_q + (back ? 2'd3 : 2'd1);
      at2_q <= at2_q + 2'd2;
      at3_q <= at3_q + (back ? 2'd1 : 2'd3);
    end else begin
      at1_q <= at1_q + 2'd1;
      at2_q <= at2_q + 2'd1;
      at3_q <= at3_q + 2'd1;
    end
  end

  generate
    for (i = 0; i < 4; i = i + 1) begin : g_row
      wire [1:0] place = at[7-2*i -: 2];
      assign read[31-8*i -: 8] =
        place[1] ? (place[0] ? state_q[31-8*i -: 8] : state_q[63-8*i -: 8])
                 : (place[0] ? state_q[95-8*i -: 8] : state_q[127-8*i -: 8]);
    end

    for (i = 0; i < 16; i = i + 1) begin : g_byte
      localparam ROW  = i % 4;
      localparam NEXT = (i / 4 + 1) % 4;
      localparam FROM = (i + (ROW % 2) * 8) % 16;
      always @(posedge clk) begin
        if (load | (busy_q & ~slot0))
          if (~busy_q | (at[7-2*ROW -: 2] == NEXT[1:0]))
            state_q[127-8*i -: 8] <= busy_q ? column[31-8*ROW -: 8]
                                   : in_block[127-8*i -: 8] ^ first_key[127-8*i -: 8];
        // data must not survive reset
        if (rst) state_q[127-8*i -: 8] <= 8'd0;
      end
      assign out_block[127-8*i -: 8] = state_q[127-8*FROM -: 8];
    end
  endgenerate

  always @(posedge clk) begin
    slot_q <= (busy_q & ~key_slot) ? slot_q + 3'd1 : 3'd0;
    if (load) begin
      busy_q    <= 1'b1;
      valid_q   <= 1'b0;
      decrypt_q <= in_back;
      left_q    <= ROUNDS - 4'd1;
    end else if (key_slot) begin
      left_q    <= left_q - 4'd1;
      busy_q    <= ~last;
      valid_q   <= last;
    end else if (out_ready) begin
      valid_q   <= 1'b0;
    end
    if (rst) begin
      slot_q    <= 3'd0;
      busy_q    <= 1'b0;
      valid_q   <= 1'b0;
      decrypt_q <= 1'b0;
      left_q    <= 4'd0;
    end
  end
endmodule
`default_nettype wire
