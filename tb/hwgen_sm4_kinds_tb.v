// SPDX-License-Identifier: Apache-2.0
// Every SM4 kind, with decryption and without: the vector of GB/T 32907 A.1, the end key, decryption
// from it, and the cycles a block that the kind promises.
`default_nettype none
module hwgen_sm4_kinds_tb;
  localparam KINDS = 3;
  localparam [127:0] PLAIN = 128'h0123456789abcdeffedcba9876543210;

  reg                    clk, rst, in_decrypt;
  reg  [2*KINDS-1:0]     in_valid;
  wire [2*KINDS-1:0]     in_ready, out_valid;
  wire [256*KINDS-1:0]   out_block;
  wire [512*KINDS-1:0]   end_key;

  wire [127:0] key128 = in_decrypt ? 128'h9124a01201cf72e562293496428d3654
                                   : 128'h0123456789abcdeffedcba9876543210;
  wire [127:0] in_block128 = in_decrypt ? 128'h681edf34d206965e86b3e94f536e4246 : PLAIN;

  // kinds with decryption first, then the same without
  genvar d;
  generate
    for (d = 0; d < 2; d = d + 1) begin : g_decrypt
      localparam K = d * KINDS;
      hwgen_sm4_1round #(.DECRYPT(1 - d)) u_sm4_1round (
        .clk(clk), .rst(rst), .in_valid(in_valid[K+0]), .in_ready(in_ready[K+0]), .in_op(2'd0),
        .in_decrypt(in_decrypt), .in_key(key128), .in_block(in_block128),
        .out_valid(out_valid[K+0]), .out_ready(1'b1), .out_block(out_block[128*(K+0) +: 128]),
        .end_key(end_key[256*(K+0) +: 128]));
      assign end_key[256*(K+0)+128 +: 128] = 128'd0;
      hwgen_sm4_2round #(.DECRYPT(1 - d)) u_sm4_2round (
        .clk(clk), .rst(rst), .in_valid(in_valid[K+1]), .in_ready(in_ready[K+1]), .in_op(2'd0),
        .in_decrypt(in_decrypt), .in_key(key128), .in_block(in_block128),
        .out_valid(out_valid[K+1]), .out_ready(1'b1), .out_block(out_block[128*(K+1) +: 128]),
        .end_key(end_key[256*(K+1) +: 128]));
      assign end_key[256*(K+1)+128 +: 128] = 128'd0;
      hwgen_sm4_4round #(.DECRYPT(1 - d)) u_sm4_4round (
        .clk(clk), .rst(rst), .in_valid(in_valid[K+2]), .in_ready(in_ready[K+2]), .in_op(2'd0),
        .in_decrypt(in_decrypt), .in_key(key128), .in_block(in_block128),
        .out_valid(out_valid[K+2]), .out_ready(1'b1), .out_block(out_block[128*(K+2) +: 128]),
        .end_key(end_key[256*(K+2) +: 128]));
      assign end_key[256*(K+2)+128 +: 128] = 128'd0;
    end
  endgenerate

  function integer period;
    input integer kind;
    case (kind)
      0: period = 33;   // sm4_1round
      1: period = 17;   // sm4_2round
      default: period = 9;   // sm4_4round
    endcase
  endfunction

  function [127:0] coded;
    input integer kind;
    coded = (kind < KINDS) ? 128'h681edf34d206965e86b3e94f536e4246 : 128'd0;
  endfunction

  function [255:0] last_key;
    input integer kind;
    last_key = (kind < KINDS) ? {128'd0, 128'h9124a01201cf72e562293496428d3654} : 256'd0;
  endfunction

  always #5 clk = ~clk;

  integer failures;
  task fail;
    input [8*32-1:0] what;
    input integer    kind;
    begin
      if (failures == 0) $display("FAIL: %0s, kind %0d", what, kind);
      failures = failures + 1;
      if (failures == 1) $finish;
    end
  endtask

  // three blocks in a row of one kind; the output is taken at once
  task run;
    input integer kind;
    input         decrypt;
    integer cycle, blocks;
    reg     forth;
    begin
      forth      = !decrypt || kind >= KINDS;
      in_decrypt = decrypt;
      in_valid[kind] = 1;
      blocks = 0;
      for (cycle = 0; cycle < 3 * period(kind % KINDS) + 1; cycle = cycle + 1) begin
        @(posedge clk);
        if (in_ready[kind] !== (cycle % period(kind % KINDS) == 0)) fail("in_ready", kind);
        if (out_valid[kind] !== (in_ready[kind] && cycle > 0)) fail("out_valid", kind);
        if (out_valid[kind]) begin
          blocks = blocks + 1;
          if (out_block[128*kind +: 128] !== (decrypt ? PLAIN : coded(kind % KINDS)))
            fail("out_block", kind);
          if (forth && end_key[256*kind +: 256] !== last_key(kind % KINDS))
            fail("end_key", kind);
        end
      end
      if (blocks != 3) fail("blocks", kind);
      @(negedge clk);
      in_valid[kind] = 0;
      repeat (period(kind % KINDS)) @(negedge clk);
    end
  endtask

  integer i;
  initial begin
    clk = 0;
    rst = 1;
    failures = 0;
    in_valid = 0;
    in_decrypt = 0;
    repeat (2) @(negedge clk);
    rst = 0;
    for (i = 0; i < 2 * KINDS; i = i + 1) run(i, 1'b0);
    for (i = 0; i < KINDS; i = i + 1) run(i, 1'b1);
    if (failures == 0) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
