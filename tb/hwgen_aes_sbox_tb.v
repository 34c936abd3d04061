// SPDX-License-Identifier: Apache-2.0
// corners: DECRYPT=1 PIPELINED=0 | DECRYPT=1 PIPELINED=1 | DECRYPT=0 PIPELINED=0 | DECRYPT=0 PIPELINED=1
// The AES S-box as logic, as the tables of synthesis and of simulation and as chosen: equal, both
// ways, over all 256 inputs, the latency as said, and right: FIPS-197's affine map of the inverse,
// found by search.
`default_nettype none
module hwgen_aes_sbox_tb;
  parameter DECRYPT   = 1;
  parameter PIPELINED = 0;
  parameter TABLE     = 0;  // of what is chosen; without HWGEN_SIM_TABLES alone it matters

  reg        clk, rst, inverse;
  reg  [7:0] in;
  // outputs of the S-boxes and of the inverse ones, and the one that counts
  wire [7:0] field_s, field_i, table_s, table_i, sim_s, sim_i, chosen_s, chosen_i;
  reg        inv_now;
  wire [7:0] field     = inv_now ? field_i : field_s;
  wire [7:0] table_out = inv_now ? table_i : table_s;
  wire [7:0] sim_out   = inv_now ? sim_i : sim_s;
  wire [7:0] chosen    = inv_now ? chosen_i : chosen_s;
  // rubbish on the port that does not count
  wire       to_inv = inverse & (DECRYPT != 0);
  wire [7:0] s_in   = to_inv ? ~in : in;
  wire [7:0] i_in   = to_inv ? in : ~in;

  hwgen_aes_sbox_field #(.DECRYPT(DECRYPT), .PIPELINED(PIPELINED)) u_field (
    .clk(clk), .rst(rst), .inverse(inverse), .in(s_in), .inv_in(i_in), .out(field_s),
    .inv_out(field_i));
  hwgen_aes_sbox_table #(.DECRYPT(DECRYPT), .PIPELINED(PIPELINED)) u_table (
    .clk(clk), .rst(rst), .inverse(inverse), .in(s_in), .inv_in(i_in), .out(table_s),
    .inv_out(table_i));
  hwgen_aes_sbox_table #(.DECRYPT(DECRYPT), .PIPELINED(PIPELINED), .SIM(1)) u_sim (
    .clk(clk), .rst(rst), .inverse(inverse), .in(s_in), .inv_in(i_in), .out(sim_s),
    .inv_out(sim_i));
  hwgen_aes_sbox #(.DECRYPT(DECRYPT), .PIPELINED(PIPELINED), .TABLE(TABLE)) u_sbox (
    .clk(clk), .rst(rst), .inverse(inverse), .in(s_in), .inv_in(i_in), .out(chosen_s),
    .inv_out(chosen_i));

  always #5 clk = ~clk;

  reg [7:0] sbox [0:255];
  reg [7:0] inv_sbox [0:255];

  function [7:0] mul;
    input [7:0] a, b;
    integer n;
    begin
      mul = 0;
      for (n = 7; n >= 0; n = n - 1)
        mul = {mul[6:0], 1'b0} ^ (mul[7] ? 8'h1b : 8'h00) ^ (b[n] ? a : 8'h00);
    end
  endfunction

  integer   failures, i, k, last;
  reg [7:0] v, want;

  task fail;
    begin
      if (failures == 0)
        $display("FAIL: inverse %b in %h field %h table %h sim %h chosen %h", inverse, in, field,
                 table_out, sim_out, chosen);
      failures = failures + 1;
      if (failures == 1) $finish;
    end
  endtask

  initial begin
    clk = 0;
    failures = 0;
    rst = 1;
    inverse = 0;
    inv_now = 0;
    in = 0;
    for (i = 0; i < 256; i = i + 1) begin
      v = 0;
      for (k = 1; k < 256; k = k + 1) if (mul(i, k) == 8'd1) v = k;
      v = v ^ {v[6:0], v[7]} ^ {v[5:0], v[7:6]} ^ {v[4:0], v[7:5]} ^ {v[3:0], v[7:4]} ^ 8'h63;
      sbox[i] = v;
      inv_sbox[v] = i;
    end
    if (sbox[8'h53] !== 8'hed || inv_sbox[8'h00] !== 8'h52) fail;
    repeat (2) @(negedge clk);
    // reset clears the ranks
    if (PIPELINED != 0 && (table_s !== 8'd0 || table_i !== 8'd0 || sim_out !== 8'd0)) fail;
    rst = 0;
    // forth, back, and both in turn: the direction must travel with its byte
    for (i = 0; i < 1024; i = i + 1) begin
      inverse = (i < 512) ? i[8] : i[0];
      in      = (i < 512) ? i[7:0] : i[8:1];
      inv_now = inverse && DECRYPT != 0;
      want    = (inverse && DECRYPT != 0) ? inv_sbox[in] : sbox[in];
      if (PIPELINED != 0) begin
        @(posedge clk);
        #1 inverse = ~inverse;
        in = ~in;
      end
      #1 if (field !== want || table_out !== want || sim_out !== want || chosen !== want) fail;
      @(negedge clk);
    end
    if (failures == 0) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
