// SPDX-License-Identifier: Apache-2.0
// The mixing T of SM4, or T' of its key schedule: four S-boxes, then a linear map. Combinational.
// S-boxes as field logic or as look-ups; under HWGEN_SIM_TABLES one look-up a byte for both S-box
// and map, which simulates many times faster. tb/hwgen_sm4_mix_tb.v proves all of them equal.
`default_nettype none
module hwgen_sm4_mix #(
  // 1: the key schedule's linear map L'; 0: the data's L
  parameter KEY_SCHEDULE = 0,
  // S-boxes in synthesis, 1: look-ups; 0: field logic
  parameter TABLE = 0
) (
  input  wire [31:0] in,
  output wire [31:0] out
);
`ifdef HWGEN_SIM_TABLES
  localparam SIM = 1;
`else
  localparam SIM = 0;
`endif

  generate
    if (SIM != 0 || TABLE != 0) begin : g_table
      hwgen_sm4_mix_table #(.KEY_SCHEDULE(KEY_SCHEDULE), .SIM(SIM)) u_table (
        .in(in), .out(out));
    end else begin : g_logic
      hwgen_sm4_mix_logic #(.KEY_SCHEDULE(KEY_SCHEDULE)) u_logic (.in(in), .out(out));
    end
  endgenerate
endmodule
`default_nettype wire
