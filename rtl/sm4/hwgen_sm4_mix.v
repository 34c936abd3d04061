// SPDX-License-Identifier: Apache-2.0
// The mixing T of SM4, or T' of its key schedule: four S-boxes, then a linear map. Combinational.
// Logic, or under HWGEN_SIM_TABLES a table, which simulates many times faster;
// tb/hwgen_sm4_mix_tb.v proves both equal.
`default_nettype none
module hwgen_sm4_mix #(
  // 1: the key schedule's linear map L'; 0: the data's L
  parameter KEY_SCHEDULE = 0
) (
  input  wire [31:0] in,
  output wire [31:0] out
);
`ifdef HWGEN_SIM_TABLES
  hwgen_sm4_mix_table #(.KEY_SCHEDULE(KEY_SCHEDULE)) u_table (.in(in), .out(out));
`else
  hwgen_sm4_mix_logic #(.KEY_SCHEDULE(KEY_SCHEDULE)) u_logic (.in(in), .out(out));
`endif
endmodule
`default_nettype wire
