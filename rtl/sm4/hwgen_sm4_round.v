// SPDX-License-Identifier: Apache-2.0
// A round of SM4 or a step of its key schedule: the first word leaves, a new one follows the last.
// Combinational. First word in the top bits.
`default_nettype none
module hwgen_sm4_round #(
  // 1: the key schedule's linear map L'; 0: the data's L
  parameter KEY_SCHEDULE = 0
) (
  input  wire [127:0] words,
  input  wire [31:0]  add,    // round key, or the schedule's constant
  input  wire         turn,   // 1: the first word itself comes back
  output wire [127:0] next
);
  wire [31:0] mix = words[95:64] ^ words[63:32] ^ words[31:0] ^ add;
  wire [31:0] s, t;

  genvar i;
  generate
    for (i = 0; i < 4; i = i + 1) begin : g_sbox
      hwgen_sm4_sbox u_sbox (.in(mix[8*i +: 8]), .out(s[8*i +: 8]));
    end
    if (KEY_SCHEDULE != 0) begin : g_key
      assign t = s ^ {s[18:0], s[31:19]} ^ {s[8:0], s[31:9]};
    end else begin : g_data
      assign t = s ^ {s[29:0], s[31:30]} ^ {s[21:0], s[31:22]} ^ {s[13:0], s[31:14]}
        ^ {s[7:0], s[31:8]};
    end
  endgenerate

  assign next = {words[95:0], words[127:96] ^ (t & {32{~turn}})};
endmodule
`default_nettype wire
