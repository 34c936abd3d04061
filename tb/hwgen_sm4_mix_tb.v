// SPDX-License-Identifier: Apache-2.0
// corners: KEY_SCHEDULE=0 | KEY_SCHEDULE=1
// SM4's mixing as logic, as the tables of synthesis and of simulation and as chosen: equal for
// every byte in every place and for random words, and right: S-boxes (proved in hwgen_sm4_sbox_tb),
// then GB/T 32907's rotations.
`default_nettype none
module hwgen_sm4_mix_tb;
  parameter KEY_SCHEDULE = 0;
  parameter TABLE        = 0;  // of what is chosen; without HWGEN_SIM_TABLES alone it matters

  reg  [31:0] in;
  wire [31:0] logic_out, table_out, sim_out, chosen, s;

  hwgen_sm4_mix_logic #(.KEY_SCHEDULE(KEY_SCHEDULE)) u_logic (.in(in), .out(logic_out));
  hwgen_sm4_mix_table #(.KEY_SCHEDULE(KEY_SCHEDULE)) u_table (.in(in), .out(table_out));
  hwgen_sm4_mix_table #(.KEY_SCHEDULE(KEY_SCHEDULE), .SIM(1)) u_sim (.in(in), .out(sim_out));
  hwgen_sm4_mix #(.KEY_SCHEDULE(KEY_SCHEDULE), .TABLE(TABLE)) u_mix (.in(in), .out(chosen));

  genvar g;
  generate
    for (g = 0; g < 4; g = g + 1) begin : g_sbox
      hwgen_sm4_sbox u_sbox (.in(in[8*g +: 8]), .out(s[8*g +: 8]));
    end
  endgenerate

  function [31:0] turn;
    input [31:0] x;
    input integer n;
    turn = x << n | x >> (32 - n);
  endfunction

  integer    i;
  reg        failed;
  reg [31:0] want;

  initial begin
    failed = 0;
    for (i = 0; i < 1024 + 2000 && !failed; i = i + 1) begin
      in = (i < 1024) ? {24'd0, i[7:0]} << 8 * i[9:8] : $random;
      #1;
      want = (KEY_SCHEDULE != 0) ? s ^ turn(s, 13) ^ turn(s, 23)
                                 : s ^ turn(s, 2) ^ turn(s, 10) ^ turn(s, 18) ^ turn(s, 24);
      if (logic_out !== want || table_out !== want || sim_out !== want || chosen !== want) begin
        $display("FAIL: in %h logic %h table %h sim %h chosen %h, not %h", in, logic_out, table_out,
                 sim_out, chosen, want);
        failed = 1;
      end
    end
    if (!failed) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
