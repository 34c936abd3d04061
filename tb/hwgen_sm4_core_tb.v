// SPDX-License-Identifier: Apache-2.0
// corners: ROUNDS=1 DECRYPT=1 | ROUNDS=1 DECRYPT=0 | ROUNDS=2 DECRYPT=1 | ROUNDS=2 DECRYPT=0 | ROUNDS=4 DECRYPT=1 | ROUNDS=4 DECRYPT=0
// The SM4 core against the standard's vectors and a model of its own, exact to the cycle:
// every output, in_ready too, is foretold for every cycle, whatever stalls, keys and resets come.
`default_nettype none
module hwgen_sm4_core_tb;
  parameter ROUNDS  = 1;
  parameter DECRYPT = 1;

  localparam KEY_BITS = 128;
  localparam PERIOD   = 32 / ROUNDS + 1;

  reg                 clk, rst, in_valid, in_decrypt, out_ready, chain;
  reg  [1:0]          in_op;
  reg  [KEY_BITS-1:0] in_key;
  reg  [127:0]        block;
  wire                in_ready, out_valid;
  wire [127:0]        out_block;
  wire [KEY_BITS-1:0] end_key;
  // as in a chained mode: the output feeds the input in the cycle in which it is taken
  wire [127:0]        in_block = chain ? out_block ^ block : block;

  hwgen_sm4_core #(.ROUNDS(ROUNDS), .DECRYPT(DECRYPT)) dut (
    .clk(clk), .rst(rst),
    .in_valid(in_valid), .in_ready(in_ready), .in_op(in_op), .in_decrypt(in_decrypt),
    .in_key(in_key), .in_block(in_block),
    .out_valid(out_valid), .out_ready(out_ready), .out_block(out_block), .end_key(end_key));

  always #5 clk = ~clk;

  integer failures;
  task fail;
    input [8*32-1:0] what;
    begin
      if (failures == 0) $display("FAIL: %0s at %0t", what, $time);
      failures = failures + 1;
      if (failures == 1) $finish;
    end
  endtask

  // ---- model: GB/T 32907 word for word, round keys stored
  reg [7:0]  sbox [0:255];
  reg [31:0] rk [0:35];     // K0 .. K35

  // product in the field of x^8 + x^7 + x^6 + x^5 + x^4 + x^2 + 1
  function [7:0] mul;
    input [7:0] a, b;
    integer n;
    begin
      mul = 0;
      for (n = 7; n >= 0; n = n - 1)
        mul = {mul[6:0], 1'b0} ^ (mul[7] ? 8'hf5 : 8'h00) ^ (b[n] ? a : 8'h00);
    end
  endfunction

  function [7:0] affine;
    input [7:0] x;
    integer n;
    for (n = 0; n < 8; n = n + 1)
      affine[n] = ^(x & (8'ha7 << n | 8'ha7 >> (8 - n))) ^ (8'hd3 >> n);
  endfunction

  task make_tables;
    integer n, k;
    reg [7:0] x, y;
    for (n = 0; n < 256; n = n + 1) begin
      // the inverse is the 254th power
      x = affine(n);
      y = 1;
      for (k = 0; k < 254; k = k + 1) y = mul(y, x);
      sbox[n] = affine(y);
    end
  endtask

  function [31:0] rotl;
    input [31:0] x;
    input [4:0]  n;
    rotl = x << n | x >> (32 - n);
  endfunction

  function [31:0] tau;
    input [31:0] x;
    tau = {sbox[x[31:24]], sbox[x[23:16]], sbox[x[15:8]], sbox[x[7:0]]};
  endfunction

  task expand;
    input [127:0] key;
    integer n, b;
    reg [31:0] c;
    begin
      {rk[0], rk[1], rk[2], rk[3]} = key ^ 128'ha3b1bac656aa3350677d9197b27022dc;
      for (n = 0; n < 32; n = n + 1) begin
        for (b = 0; b < 4; b = b + 1) c[31-8*b -: 8] = 7 * (4 * n + b);
        c = tau(rk[n+1] ^ rk[n+2] ^ rk[n+3] ^ c);
        rk[n+4] = rk[n] ^ c ^ rotl(c, 13) ^ rotl(c, 23);
      end
    end
  endtask

  function [127:0] model_end_key;
    input dummy;
    model_end_key = {rk[35], rk[34], rk[33], rk[32]};
  endfunction

  // result in cipher_out; keys in rk
  reg [127:0] cipher_out;
  task crypt;
    input [127:0] x;
    input         back;
    integer n;
    reg [31:0] x0, x1, x2, x3, c;
    begin
      {x0, x1, x2, x3} = x;
      for (n = 0; n < 32; n = n + 1) begin
        c = tau(x1 ^ x2 ^ x3 ^ rk[back ? 35 - n : 4 + n]);
        c = x0 ^ c ^ rotl(c, 2) ^ rotl(c, 10) ^ rotl(c, 18) ^ rotl(c, 24);
        x0 = x1;
        x1 = x2;
        x2 = x3;
        x3 = c;
      end
      cipher_out = {x3, x2, x1, x0};
    end
  endtask

  // ---- monitor: foretells every cycle
  reg  [KEY_BITS-1:0] cipher_key;    // the key behind in_key, which is its end key to decrypt
  integer             wait_q;        // cycles until out_valid; 0: there; -1: idle
  reg                 want_end;      // an encryption: end_key counts
  reg                 cleared;       // nothing since reset
  reg  [127:0]        want_block;
  reg  [KEY_BITS-1:0] want_key;
  integer             taken, given, handovers;

  always @(posedge clk) begin
    if (rst === 1'b0) begin
      if (out_valid !== (wait_q == 0)) fail("out_valid");
      if (in_ready !== (wait_q < 0 || (wait_q == 0 && out_ready))) fail("in_ready");
      if (wait_q == 0) begin
        if (out_block !== want_block) fail("out_block");
        if (want_end && end_key !== want_key) fail("end_key");
      end
      if (cleared && (out_block !== 128'd0 || end_key !== {KEY_BITS{1'b0}}))
        fail("data after reset");
      if (in_valid && wait_q == 0 && out_ready) handovers = handovers + 1;
      if (wait_q == 0 && out_ready) given = given + 1;
      if (wait_q > 0) wait_q = wait_q - 1;
      else if (in_valid && (wait_q < 0 || out_ready)) begin
        taken   = taken + 1;
        wait_q  = PERIOD - 1;
        cleared = 0;
        expand(cipher_key);
        want_end = !(in_decrypt && DECRYPT != 0);
        want_key = model_end_key(1'b0);
        crypt(in_block, !want_end);
        want_block = cipher_out;
      end else if (out_ready && wait_q == 0) wait_q = -1;
    end else begin
      wait_q  = -1;
      cleared = 1;
    end
  end

  // ---- stimulus, at the falling edge
  integer seed, i, before;
  function [KEY_BITS-1:0] random_bits;
    input dummy;
    integer n;
    for (n = 0; n < KEY_BITS / 32; n = n + 1) random_bits[32*n +: 32] = $random(seed);
  endfunction

  // a job, or with valid = 0 rubbish, on the inputs
  task drive;
    input                valid;
    input                decrypt;
    input                chained;
    input [KEY_BITS-1:0] key;
    input [127:0]        data;
    begin
      in_valid   = valid;
      in_decrypt = decrypt;
      chain      = chained;
      in_op      = $random(seed);
      block      = data;
      cipher_key = key;
      in_key     = key;
      if (valid && decrypt && DECRYPT != 0) begin
        expand(key);
        in_key = model_end_key(1'b0);
      end
    end
  endtask

  task random_drive;
    input valid;
    drive(valid, $random(seed), $random(seed), random_bits(1'b0), random_bits(1'b0));
  endtask

  // one block by itself, the key as it stands on in_key
  task run;
    input                decrypt;
    input [KEY_BITS-1:0] key;
    input [127:0]        data;
    begin
      @(negedge clk);
      drive(1'b1, 1'b0, 1'b0, key, data);
      in_decrypt = decrypt;
      out_ready  = 1;
      @(negedge clk);
      drive(1'b0, 1'b1, 1'b0, ~key, ~data);
      while (out_valid !== 1'b1) @(negedge clk);
    end
  endtask

  task vector;
    input [KEY_BITS-1:0] key, last_key;
    input [127:0]        plain, coded;
    reg [KEY_BITS-1:0]   captured;
    begin
      run(1'b0, key, plain);
      if (out_block !== coded) fail("vector, encryption");
      if (last_key != 0 && end_key !== last_key) fail("vector, end key");
      captured = end_key;
      @(posedge clk);
      if (DECRYPT != 0) begin
        @(negedge clk);
        // the monitor must know the cipher key behind the end key
        drive(1'b1, 1'b1, 1'b0, key, coded);
        in_key = captured;
        @(negedge clk);
        drive(1'b0, 1'b0, 1'b0, ~key, ~coded);
        while (out_valid !== 1'b1) @(negedge clk);
        if (out_block !== plain) fail("vector, decryption");
        @(posedge clk);
      end
    end
  endtask

  initial begin
    clk = 0;
    failures = 0;
    seed = 32'h20260101;
    taken = 0;
    given = 0;
    handovers = 0;
    wait_q = -1;
    cleared = 0;
    make_tables;
    rst = 1;
    out_ready = 0;
    random_drive(1'b1);
    repeat (3) @(negedge clk);
    rst = 0;
    in_valid = 0;

    // GB/T 32907 A.1, draft-ribose-cfrg-sm4-10 A.1.4 and the blocks of A.2.1.1
    vector(128'h0123456789abcdeffedcba9876543210, 128'h9124a01201cf72e562293496428d3654,
           128'h0123456789abcdeffedcba9876543210, 128'h681edf34d206965e86b3e94f536e4246);
    vector(128'hfedcba98765432100123456789abcdef, 0,
           128'h000102030405060708090a0b0c0d0e0f, 128'hf766678f13f01adeac1b3ea955adb594);
    vector(128'h0123456789abcdeffedcba9876543210, 0,
           128'haaaaaaaabbbbbbbbccccccccdddddddd, 128'h5ec8143de509cff7b5179f8f474b8619);
    vector(128'h0123456789abcdeffedcba9876543210, 0,
           128'heeeeeeeeffffffffaaaaaaaabbbbbbbb, 128'h2f1d305a7fb17df985f81c8482192304);

    // continuous: a block every PERIOD cycles, key and direction changing, output feeding input
    @(negedge clk);
    out_ready = 1;
    before = taken;
    for (i = 0; i < 24 * PERIOD; i = i + 1) begin
      random_drive(1'b1);
      @(negedge clk);
    end
    if (taken - before != 24) fail("blocks in the continuous run");

    // random stalls on both sides
    for (i = 0; i < 24 * PERIOD; i = i + 1) begin
      random_drive($random(seed));
      out_ready = $random(seed);
      @(negedge clk);
    end
    for (i = 0; i < 20 * PERIOD; i = i + 1) begin
      random_drive(($random(seed) & 31) == 0);
      out_ready = ($random(seed) & 31) == 0;
      @(negedge clk);
    end

    // resets at any moment, of a cycle or more
    for (i = 0; i < 40 * PERIOD; i = i + 1) begin
      random_drive($random(seed));
      out_ready = $random(seed);
      rst = rst ? $random(seed) : ($random(seed) & 31) % PERIOD == 3;
      @(negedge clk);
    end
    rst = 0;
    in_valid = 0;
    out_ready = 1;
    repeat (PERIOD + 2) @(negedge clk);

    if (handovers < 24) fail("too few handovers");
    if (given < 50) fail("too few blocks");
    if (failures == 0) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
