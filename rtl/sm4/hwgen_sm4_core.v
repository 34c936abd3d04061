// SPDX-License-Identifier: Apache-2.0
// SM4 core, one block at a time, round keys on the fly, 8 ROUNDS S-boxes.
// Latency = initiation interval = 1 + 32 / ROUNDS cycles, whatever key and data.
// Byte 0 of block and key in the top bits. Decryption takes the end key {K35, K34, K33, K32},
// which end_key shows while out_valid after an encryption. out_block is wired to the state
// register, so it may feed in_block in the cycle in which it is taken.
// In reset in_ready may be 1; a block given then is lost.
`default_nettype none
module hwgen_sm4_core #(
  // rounds a cycle: 1, 2 or 4
  parameter ROUNDS = 1,
  // 1: both directions; 0: encryption only, in_decrypt is ignored
  parameter DECRYPT = 1,
  // S-boxes in synthesis, 1: look-ups; 0: field logic
  parameter TABLE = 0
) (
  input  wire         clk,
  input  wire         rst,
  input  wire         in_valid,
  output wire         in_ready,
  input  wire [1:0]   in_op,
  input  wire         in_decrypt,
  input  wire [127:0] in_key,
  input  wire [127:0] in_block,
  output wire         out_valid,
  input  wire         out_ready,
  output wire [127:0] out_block,
  output wire [127:0] end_key
);
  // the direction alone matters to a block cipher
  wire _unused_ok = &{1'b0, in_op};

  // Why one cycle more than rounds: encryption is 33 S-boxes in a row, 32 for the data and one
  // before them for the first round key. The load cycle makes that key (and takes the block as it
  // is); a round in it as well would put ROUNDS + 1 S-boxes and the lane's XOR into one cycle.
  localparam STEP_BITS = (ROUNDS == 4) ? 3 : (ROUNDS == 2) ? 4 : 5;
  localparam [STEP_BITS-1:0] ZERO      = 0;
  localparam [STEP_BITS-1:0] ONE       = 1;
  // step_q in the last cycle of a decryption
  localparam [STEP_BITS-1:0] BACK_LAST = 4 / ROUNDS - 1;
  localparam [127:0] FK = 128'ha3b1bac656aa3350677d9197b27022dc;

  // the constants CK, the first in the low bits
  localparam [1023:0] CK = {
    128'h646b7279484f565d2c333a4110171e25,
    128'hf4fb0209d8dfe6edbcc3cad1a0a7aeb5,
    128'h848b9299686f767d4c535a6130373e45,
    128'h141b2229f8ff060ddce3eaf1c0c7ced5,
    128'ha4abb2b9888f969d6c737a8150575e65,
    128'h343b4249181f262dfc030a11e0e7eef5,
    128'hc4cbd2d9a8afb6bd8c939aa170777e85,
    128'h545b6269383f464d1c232a3100070e15
  };

  // step_q numbers the group of constants of this cycle's key step: 0 when idle, for the load
  // cycle; it counts up forth and down back
  reg                 busy_q, valid_q, back_q;
  reg [STEP_BITS-1:0] step_q, step_d;
  reg                 back_d;
  reg [32*ROUNDS-1:0] ck_q;      // constants of this step
  reg [127:0]         state_q, key_q;

  wire load    = in_valid & in_ready;
  wire in_back = (DECRYPT != 0) & in_decrypt;
  wire last    = step_q == (back_q ? BACK_LAST : ZERO);

  assign in_ready  = ~busy_q & (~valid_q | out_ready);
  assign out_valid = valid_q;
  assign out_block = {state_q[31:0], state_q[63:32], state_q[95:64], state_q[127:96]};
  assign end_key   = {key_q[31:0], key_q[63:32], key_q[95:64], key_q[127:96]};

  // The round keys of a cycle are the last words of key_q. Forth these words are made one step
  // ahead, from the load cycle on. Back the first four are given: they turn round once.
  //   forth, after the load cycle: K1 K2 K3 K4 (ROUNDS 1), back: K34 K33 K32 K35
  // Seen from the last round, the schedule back is the same recurrence as forth.
  wire         turn     = busy_q ? back_q & (step_q[STEP_BITS-1 -: 3] == 3'd0) : in_back;
  wire [127:0] key_from = busy_q ? key_q : in_key ^ (FK & {128{~in_back}});

  genvar r;
  generate
    if (ROUNDS != 1 && ROUNDS != 2 && ROUNDS != 4) begin : g_bad_rounds
      hwgen_sm4_core_ROUNDS_must_be_1_2_or_4 u_error ();
    end

    for (r = 0; r < ROUNDS; r = r + 1) begin : g_round
      wire [127:0] key_in, key_out, state_in, state_out;
      if (r == 0) begin : g_first
        assign key_in   = key_from;
        assign state_in = state_q;
      end else begin : g_next
        assign key_in   = g_round[r-1].key_out;
        assign state_in = g_round[r-1].state_out;
      end
      hwgen_sm4_round #(.KEY_SCHEDULE(1), .TABLE(TABLE)) u_key (
        .words(key_in), .add(ck_q[32*r +: 32]), .turn(turn), .next(key_out));
      hwgen_sm4_round #(.KEY_SCHEDULE(0), .TABLE(TABLE)) u_state (
        .words(state_in), .add(key_q[32*(ROUNDS-1-r) +: 32]), .turn(1'b0), .next(state_out));
    end
  endgenerate

  always @* begin
    step_d = step_q;
    back_d = back_q;
    if (load) begin
      step_d = in_back ? BACK_LAST - ONE : ONE;
      back_d = in_back;
    end else if (busy_q & last) begin
      step_d = ZERO;
      back_d = 1'b0;
    end else if (busy_q) begin
      step_d = back_q ? step_q - ONE : step_q + ONE;
    end
  end

  // constants of the coming step; within a group their order too is reversed back
  wire [32*ROUNDS-1:0] ck_d, ck_first;
  generate
    for (r = 0; r < ROUNDS; r = r + 1) begin : g_ck
      localparam [4:0] R = r;
      if (ROUNDS == 1) begin : g_1
        assign ck_d = CK[{step_d, 5'd0} +: 32];
      end else begin : g_2_4
        assign ck_d[32*r +: 32] =
          CK[{step_d, back_d ? ~R[4-STEP_BITS:0] : R[4-STEP_BITS:0], 5'd0} +: 32];
      end
      assign ck_first[32*r +: 32] = CK[32*r +: 32];
    end
  endgenerate

  always @(posedge clk) begin
    step_q <= step_d;
    back_q <= back_d;
    ck_q   <= ck_d;
    if (load) begin
      busy_q  <= 1'b1;
      valid_q <= 1'b0;
    end else if (busy_q) begin
      busy_q  <= ~last;
      valid_q <= last;
    end else if (out_ready) begin
      valid_q <= 1'b0;
    end
    if (load | busy_q) state_q <= busy_q ? g_round[ROUNDS-1].state_out : in_block;
    // no step in the last cycle, so that the end key stays
    if (load | (busy_q & ~last)) key_q <= g_round[ROUNDS-1].key_out;
    // keys and data must not survive reset
    if (rst) begin
      busy_q  <= 1'b0;
      valid_q <= 1'b0;
      back_q  <= 1'b0;
      step_q  <= ZERO;
      ck_q    <= ck_first;
      state_q <= 128'd0;
      key_q   <= 128'd0;
    end
  end
endmodule
`default_nettype wire
