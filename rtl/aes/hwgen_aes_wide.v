// SPDX-License-Identifier: Apache-2.0
// AES with 2 or 4 columns a cycle (8 or 16 S-boxes) and 4 S-boxes more for the key schedule.
// Latency = initiation interval = 1 + rounds * 4 / COLUMNS cycles (10 or 14 rounds), whatever key
// and data. Byte 0 in the top bits. The load cycle adds the first round key; the output is the
// state register, so it may feed in_block through an XOR in the cycle in which it is taken.
// In reset in_ready may be 1; a block given then is lost.
`default_nettype none
module hwgen_aes_wide #(
  // 128 or 256
  parameter KEY_BITS = 128,
  // columns a cycle: 2 or 4
  parameter COLUMNS = 4,
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
  localparam [3:0] ROUNDS = (KEY_BITS == 128) ? 4'd10 : 4'd14;
  // round constant of the last step, where decryption starts
  localparam [7:0] LAST_RCON = (KEY_BITS == 128) ? 8'h36 : 8'h40;

  reg                busy_q, valid_q, decrypt_q;
  reg [3:0]          left_q;    // rounds after this one
  reg [7:0]          rcon_q;
  reg [127:0]        state_q;
  reg [KEY_BITS-1:0] key_q;

  wire load    = in_valid & in_ready;
  wire last    = left_q == 4'd0;
  wire decrypt = (DECRYPT != 0) & (busy_q ? decrypt_q : in_decrypt);
  wire round_end;               // last cycle of a round

  assign in_ready  = ~busy_q & (~valid_q | out_ready);
  assign out_valid = valid_q;
  assign out_block = state_q;
  assign end_key   = key_q;

  // ---- key schedule: key_q stands one step behind or at the round key in use
  wire [127:0]        key_from, key_next, round_key;
  wire [31:0]         key_sub_in, key_sub_out, key_inv_out, key_mask;
  wire                _unused_ok = &{1'b0, key_inv_out};  // for columns alone

  genvar i;
  generate
    for (i = 0; i < 4; i = i + 1) begin : g_key_sbox
      hwgen_aes_sbox #(.DECRYPT(0), .PIPELINED(0), .TABLE(TABLE)) u_sbox (
        .clk(clk), .rst(rst), .inverse(1'b0),
        .in(key_sub_in[8*i +: 8]), .inv_in(8'd0), .out(key_sub_out[8*i +: 8]),
        .inv_out(key_inv_out[8*i +: 8]));
    end

    if (KEY_BITS == 128) begin : g_key128
      // sub_q holds the S-boxes' word for the next step, so that no S-box stands before the data
      // path: it is made from the register's next value, in the load cycle from in_key
      reg [31:0] sub_q;
      wire [31:0] w2 = busy_q ? key_next[63:32] : in_key[63:32];
      wire [31:0] w3 = busy_q ? key_next[31:0] : in_key[31:0];
      wire [31:0] w  = decrypt ? w2 ^ w3 : w3;
      assign key_sub_in = {w[23:0], w[31:24]};
      assign key_mask   = sub_q ^ {rcon_q, 24'd0};
      assign key_from   = key_q;
      assign round_key  = key_next;
      always @(posedge clk) begin
        if (load | (busy_q & round_end)) begin
          key_q <= busy_q ? key_next : in_key;
          sub_q <= key_sub_out;
        end
        if (load) rcon_q <= decrypt ? LAST_RCON : 8'h01;
        else if (busy_q & round_end)
          rcon_q <= decrypt ? {1'b0, rcon_q[7:1]} ^ {8{rcon_q[0]}} & 8'h8d
                            : {rcon_q[6:0], 1'b0} ^ {8{rcon_q[7]}} & 8'h1b;
        // a key must not survive reset
        if (rst) begin
          key_q  <= 128'd0;
          sub_q  <= 32'd0;
          rcon_q <= 8'd0;
        end
      end
    end else begin : g_key256
      // The register holds the round key before and the one in use below it, but in the first
      // round back, when the end key has them the other way about; then the top stays and the
      // bottom alone steps. Steps with and without rotation and constant alternate; the last round
      // takes none, so that the end key stays.
      reg first_q, rotate_q;
      wire turn = (DECRYPT != 0) & first_q & decrypt_q;
      wire [31:0] w = turn ? key_q[159:128] : key_q[31:0];
      assign key_sub_in = rotate_q ? {w[23:0], w[31:24]} : w;
      assign key_mask   = key_sub_out ^ {rcon_q & {8{rotate_q}}, 24'd0};
      assign key_from   = turn ? key_q[127:0] : key_q[255:128];
      assign round_key  = turn ? key_q[255:128] : key_q[127:0];
      always @(posedge clk) begin
        if (load | (busy_q & round_end & ~last & ~turn))
          key_q[255:128] <= busy_q ? key_q[127:0] : in_key[255:128];
        if (load | (busy_q & round_end & ~last))
          key_q[127:0] <= busy_q ? key_next : in_key[127:0];
        if (load) begin
          first_q  <= 1'b1;
          rotate_q <= 1'b1;
          rcon_q   <= decrypt ? LAST_RCON : 8'h01;
        end else if (busy_q & round_end) begin
          first_q  <= 1'b0;
          rotate_q <= ~rotate_q;
          if (rotate_q) rcon_q <= decrypt ? {1'b0, rcon_q[7:1]} : {rcon_q[6:0], 1'b0};
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

  hwgen_aes_key_step #(.DECRYPT(DECRYPT)) u_key_step (
    .decrypt(decrypt_q), .from(key_from), .mask(key_mask), .to(key_next));

  // ---- data path: rows shifted, S-boxes, columns
  wire                  back = (DECRYPT != 0) & decrypt_q;
  wire [127:0]          forth_rows, back_rows, state_d;
  wire [32*COLUMNS-1:0] sub_in, sub_out, inv_in, inv_out, key_words, columns;

  generate
    for (i = 0; i < 16; i = i + 1) begin : g_shift
      // byte i is row i % 4 of column i / 4
      localparam FORTH = (5 * i) % 16;
      localparam BACK  = (13 * i) % 16;
      assign forth_rows[127-8*i -: 8] = state_q[127-8*FORTH -: 8];
      assign back_rows[127-8*i -: 8]  = state_q[127-8*BACK -: 8];
    end

    for (i = 0; i < 4 * COLUMNS; i = i + 1) begin : g_sbox
      hwgen_aes_sbox #(.DECRYPT(DECRYPT), .PIPELINED(0), .TABLE(TABLE)) u_sbox (
        .clk(clk), .rst(rst), .inverse(back),
        .in(sub_in[8*i +: 8]), .inv_in(inv_in[8*i +: 8]),
        .out(sub_out[8*i +: 8]), .inv_out(inv_out[8*i +: 8]));
    end

    for (i = 0; i < COLUMNS; i = i + 1) begin : g_column
      hwgen_aes_column #(.DECRYPT(DECRYPT)) u_column (
        .last(last), .decrypt(back), .sub(sub_out[32*i +: 32]), .inv_sub(inv_out[32*i +: 32]),
        .key(key_words[32*i +: 32]), .col(columns[32*i +: 32]));
    end

    if (COLUMNS == 4) begin : g_cycle
      assign round_end = 1'b1;
      assign sub_in    = forth_rows;
      assign inv_in    = back_rows;
      assign key_words = round_key;
      assign state_d   = columns;
    end else begin : g_halves
      // columns 0 and 1 wait in half_q until the old state is no longer wanted
      reg        second_q;
      reg [63:0] half_q;
      assign round_end = second_q;
      assign sub_in    = second_q ? forth_rows[63:0] : forth_rows[127:64];
      assign inv_in    = second_q ? back_rows[63:0] : back_rows[127:64];
      assign key_words = second_q ? round_key[63:0] : round_key[127:64];
      assign state_d   = {half_q, columns};
      always @(posedge clk) begin
        second_q <= busy_q & ~second_q;
        if (~second_q) half_q <= columns;
        // data must not survive reset
        if (rst) begin
          second_q <= 1'b0;
          half_q   <= 64'd0;
        end
      end
    end
  endgenerate

  always @(posedge clk) begin
    if (load) begin
      busy_q    <= 1'b1;
      valid_q   <= 1'b0;
      decrypt_q <= decrypt;
      left_q    <= ROUNDS - 4'd1;
    end else if (busy_q & round_end) begin
      left_q    <= left_q - 4'd1;
      busy_q    <= ~last;
      valid_q   <= last;
    end else if (out_ready) begin
      valid_q   <= 1'b0;
    end
    // the first round key is the top of the key forth, the bottom of the end key back
    if (load | (busy_q & round_end))
      state_q <= busy_q ? state_d
               : in_block ^ (decrypt ? in_key[127:0] : in_key[KEY_BITS-1:KEY_BITS-128]);
    // data must not survive reset either
    if (rst) begin
      busy_q    <= 1'b0;
      valid_q   <= 1'b0;
      decrypt_q <= 1'b0;
      left_q    <= 4'd0;
      state_q   <= 128'd0;
    end
  end
endmodule
`default_nettype wire
