// SPDX-License-Identifier: Apache-2.0
// One column of an AES round behind the S-boxes: MixColumns and AddRoundKey, or AddRoundKey and
// InvMixColumns. Combinational. Row 0 is the top byte of each word.
// Logic, or under Verilator with HWGEN_SIM_TABLES tables, which simulate faster there;
// tb/hwgen_aes_column_tb.v proves both equal.
`default_nettype none
module hwgen_aes_column #(
  // 1: both directions; 0: encryption only, decrypt is ignored
  parameter DECRYPT = 1
) (
  input  wire        last,     // last round: no (Inv)MixColumns
  input  wire        decrypt,
  input  wire [31:0] sub,      // column out of the S-boxes, rows already shifted
  input  wire [31:0] inv_sub,  // the same out of the inverse S-boxes
  input  wire [31:0] key,      // its word of the round key
  output wire [31:0] col
);
`ifdef HWGEN_SIM_TABLES
`ifdef VERILATOR
  localparam TABLES = 1;
`else
  localparam TABLES = 0;
`endif
`else
  localparam TABLES = 0;
`endif

  generate
    if (TABLES != 0) begin : g_tables
      hwgen_aes_column_table #(.DECRYPT(DECRYPT)) u_table (
        .last(last), .decrypt(decrypt), .sub(sub), .inv_sub(inv_sub), .key(key), .col(col));
    end else begin : g_logic
      hwgen_aes_column_logic #(.DECRYPT(DECRYPT)) u_logic (
        .last(last), .decrypt(decrypt), .sub(sub), .inv_sub(inv_sub), .key(key), .col(col));
    end
  endgenerate
endmodule
`default_nettype wire
