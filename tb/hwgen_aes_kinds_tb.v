// SPDX-License-Identifier: Apache-2.0
// Every AES kind, with decryption and without: the vector of FIPS-197 C.1 and C.3, the end key, decryption
// from it, and the cycles a block that the kind promises.
`default_nettype none
module hwgen_aes_kinds_tb;
  localparam KINDS = 6;
  localparam [127:0] PLAIN = 128'h00112233445566778899aabbccddeeff;

  reg                    clk, rst, in_decrypt;
  reg  [2*KINDS-1:0]     in_valid;
  wire [2*KINDS-1:0]     in_ready, out_valid;
  wire [256*KINDS-1:0]   out_block;
  wire [512*KINDS-1:0]   end_key;

  wire [127:0] key128 = in_decrypt ? 128'h13111d7fe3944a17f307a78b4d2b30c5
                                   : 128'h000102030405060708090a0b0c0d0e0f;
  wire [255:0] key256 =
    in_decrypt ? 256'h4e5a6699a9f24fe07e572baacdf8cdea24fc79ccbf0979e9371ac23c6d68de36
               : 256'h000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f;
  wire [127:0] in_block128 = in_decrypt ? 128'h69c4e0d86a7b0430d8cdb78070b4c55a : PLAIN;
  wire [127:0] in_block256 = in_decrypt ? 128'h8ea2b7ca516745bfeafc49904b496089 : PLAIN;

  // kinds with decryption first, then the same without
  genvar d;
  generate
    for (d = 0; d < 2; d = d + 1) begin : g_decrypt
      localparam K = d * KINDS;
      hwgen_aes128_16sbox #(.DECRYPT(1 - d)) u_aes128_16sbox (
        .clk(clk), .rst(rst), .in_valid(in_valid[K+0]), .in_ready(in_ready[K+0]), .in_op(2'd0),
        .in_decrypt(in_decrypt), .in_key(key128), .in_block(in_block128),
        .out_valid(out_valid[K+0]), .out_ready(1'b1), .out_block(out_block[128*(K+0) +: 128]),
        .end_key(end_key[256*(K+0) +: 128]));
      assign end_key[256*(K+0)+128 +: 128] = 128'd0;
      hwgen_aes128_8sbox #(.DECRYPT(1 - d)) u_aes128_8sbox (
        .clk(clk), .rst(rst), .in_valid(in_valid[K+1]), .in_ready(in_ready[K+1]), .in_op(2'd0),
        .in_decrypt(in_decrypt), .in_key(key128), .in_block(in_block128),
        .out_valid(out_valid[K+1]), .out_ready(1'b1), .out_block(out_block[128*(K+1) +: 128]),
        .end_key(end_key[256*(K+1) +: 128]));
      assign end_key[256*(K+1)+128 +: 128] = 128'd0;
      hwgen_aes128_4sbox #(.DECRYPT(1 - d)) u_aes128_4sbox (
        .clk(clk), .rst(rst), .in_valid(in_valid[K+2]), .in_ready(in_ready[K+2]), .in_op(2'd0),
        .in_decrypt(in_decrypt), .in_key(key128), .in_block(in_block128),
        .out_valid(out_valid[K+2]), .out_ready(1'b1), .out_block(out_block[128*(K+2) +: 128]),
        .end_key(end_key[256*(K+2) +: 128]));
      assign end_key[256*(K+2)+128 +: 128] = 128'd0;
      hwgen_aes256_16sbox #(.DECRYPT(1 - d)) u_aes256_16sbox (
        .clk(clk), .rst(rst), .in_valid(in_valid[K+3]), .in_ready(in_ready[K+3]), .in_op(2'd0),
        .in_decrypt(in_decrypt), .in_key(key256), .in_block(in_block256),
        .out_valid(out_valid[K+3]), .out_ready(1'b1), .out_block(out_block[128*(K+3) +: 128]),
        .end_key(end_key[256*(K+3) +: 256]));
      hwgen_aes256_8sbox #(.DECRYPT(1 - d)) u_aes256_8sbox (
        .clk(clk), .rst(rst), .in_valid(in_valid[K+4]), .in_ready(in_ready[K+4]), .in_op(2'd0),
        .in_decrypt(in_decrypt), .in_key(key256), .in_block(in_block256),
        .out_valid(out_valid[K+4]), .out_ready(1'b1), .out_block(out_block[128*(K+4) +: 128]),
        .end_key(end_key[256*(K+4) +: 256]));
      hwgen_aes256_4sbox #(.DECRYPT(1 - d)) u_aes256_4sbox (
        .clk(clk), .rst(rst), .in_valid(in_valid[K+5]), .in_ready(in_ready[K+5]), .in_op(2'd0),
        .in_decrypt(in_decrypt), .in_key(key256), .in_block(in_block256),
        .out_valid(out_valid[K+5]), .out_ready(1'b1), .out_block(out_block[128*(K+5) +: 128]),
        .end_key(end_key[256*(K+5) +: 256]));
    end
  endgenerate

  function integer period;
    input integer kind;
    case (kind)
      0: period = 11;   // aes128_16sbox
      1: period = 21;   // aes128_8sbox
      2: period = 51;   // aes128_4sbox
      3: period = 15;   // aes256_16sbox
      4: period = 29;   // aes256_8sbox
      default: period = 71;   // aes256_4sbox
    endcase
  endfunction

  function [127:0] coded;
    input integer kind;
    coded = (kind < 3) ? 128'h69c4e0d86a7b0430d8cdb78070b4c55a
                       : 128'h8ea2b7ca516745bfeafc49904b496089;
  endfunction

  function [255:0] last_key;
    input integer kind;
    last_key = (kind < 3) ? {128'd0, 128'h13111d7fe3944a17f307a78b4d2b30c5}
             : 256'h4e5a6699a9f24fe07e572baacdf8cdea24fc79ccbf0979e9371ac23c6d68de36;
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
