// SPDX-License-Identifier: Apache-2.0
// hwgen_sm4_mix as logic. Combinational.
`default_nettype none
module hwgen_sm4_mix_logic #(
  // 1: the key schedule's linear map L'; 0: the data's L
  parameter KEY_SCHEDULE = 0
) (
  input  wire [31:0] in,
  output wire [31:0] out
);
  wire [31:0] s;

  genvar i;
  generate
    for (i = 0; i < 4; i = i + 1) begin : g_sbox
      hwgen_sm4_sbox u_sbox (.in(in[8*i +: 8]), .out(s[8*i +: 8]));
    end
    if (KEY_SCHEDULE != 0) begin : g_key
      assign out = s ^ {s[18:0], s[31:19]} ^ {s[8:0], s[31:9]};
    end else begin : g_data
      assign out = s ^ {s[29:0], s[31:30]} ^ {s[21:0], s[31:22]} ^ {s[13:0], s[31:14]}
        ^ {s[7:0], s[31:8]};
    end
  endgenerate
endmodule
`default_nettype wire
