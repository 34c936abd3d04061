// SPDX-License-Identifier: Apache-2.0
// A round of SM4 or a step of its key schedule: the first word leaves, a new one follows the last.
// Combinational. First word in the top bits.
`default_nettype none
module hwgen_sm4_round #(
  // 1: a step of the key schedule; 0: a round
  parameter KEY_SCHEDULE = 0,
  // S-boxes in synthesis, 1: look-ups; 0: field logic
  parameter TABLE = 0
) (
  input  wire [127:0] words,
  input  wire [31:0]  add,    // round key, or the schedule's constant
  input  wire         turn,   // 1: the first word itself comes back
  output wire [127:0] next
);
  wire [31:0] mixed;

  hwgen_sm4_mix #(.KEY_SCHEDULE(KEY_SCHEDULE), .TABLE(TABLE)) u_mix (
    .in(words[95:64] ^ words[63:32] ^ words[31:0] ^ add), .out(mixed));

  assign next = {words[95:0], words[127:96] ^ (mixed & {32{~turn}})};
endmodule
`default_nettype wire
