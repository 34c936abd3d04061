// SPDX-License-Identifier: Apache-2.0
// SM4 S-box: composite field logic, or under HWGEN_SIM_TABLES a table, which simulates many times
// faster; tb/hwgen_sm4_sbox_tb.v proves both equal. Combinational.
`default_nettype none
module hwgen_sm4_sbox (
  input  wire [7:0] in,
  output wire [7:0] out
);
`ifdef HWGEN_SIM_TABLES
  hwgen_sm4_sbox_table u_table (.in(in), .out(out));
`else
  hwgen_sm4_sbox_field u_field (.in(in), .out(out));
`endif
endmodule
`default_nettype wire
