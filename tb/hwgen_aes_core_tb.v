// SPDX-License-Identifier: Apache-2.0
// corners: KEY_BITS=128 SBOXES=16 DECRYPT=1 | KEY_BITS=128 SBOXES=16 DECRYPT=0 | KEY_BITS=128 SBOXES=8 DECRYPT=1 | KEY_BITS=128 SBOXES=8 DECRYPT=0 | KEY_BITS=128 SBOXES=4 DECRYPT=1 | KEY_BITS=128 SBOXES=4 DECRYPT=0 | KEY_BITS=256 SBOXES=16 DECRYPT=1 | KEY_BITS=256 SBOXES=16 DECRYPT=0 | KEY_BITS=256 SBOXES=8 DECRYPT=1 | KEY_BITS=256 SBOXES=8 DECRYPT=0 | KEY_BITS=256 SBOXES=4 DECRYPT=1 | KEY_BITS=256 SBOXES=4 DECRYPT=0
// The AES core against FIPS-197 and SP 800-38A vectors and a model of its own, exact to the cycle:
// every output, in_ready too, is foretold for every cycle, whatever stalls, keys and resets come.
`default_nettype none
module hwgen_aes_core_tb;
  parameter KEY_BITS = 128;
  parameter SBOXES   = 4;
  parameter DECRYPT  = 1;

  localparam ROUNDS = (KEY_BITS == 128) ? 10 : 14;
  localparam PERIOD = (SBOXES == 16) ? ROUNDS + 1
                    : (SBOXES == 8) ? 2 * ROUNDS + 1 : 5 * ROUNDS + 1;

  reg                 clk, rst, in_valid, in_decrypt, out_ready, chain;
  reg  [1:0]          in_op;
  reg  [KEY_BITS-1:0] in_key;
  reg  [127:0]        block;
  wire                in_ready, out_valid;
  wire [127:0]        out_block;
  wire [KEY_BITS-1:0] end_key;
  // as in a chained mode: the output feeds the input in the cycle in which it is taken
  wire [127:0]        in_block = chain ? out_block ^ block : block;

  hwgen_aes_core #(.KEY_BITS(KEY_BITS), .SBOXES(SBOXES), .DECRYPT(DECRYPT)) dut (
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

  // ---- model: FIPS-197 byte for byte
  reg [7:0] sbox [0:255];
  reg [7:0] inv_sbox [0:255];
  reg [7:0] rk [0:239];     // expanded key
  reg [7:0] s [0:15];
  reg [7:0] t [0:15];

  function [7:0] mul;
    input [7:0] a, b;
    reg [7:0] x, y;
    begin
      mul = 0;
      x = a;
      y = b;
      while (y != 0) begin
        if (y[0]) mul = mul ^ x;
        x = {x[6:0], 1'b0} ^ (x[7] ? 8'h1b : 8'h00);
        y = y >> 1;
      end
    end
  endfunction

  task make_tables;
    // 3 generates the multiplicative group, f6 is its inverse
    integer n;
    reg [7:0] p, q, y;
    begin
      p = 1;
      q = 1;
      sbox[0] = 8'h63;
      inv_sbox[8'h63] = 0;
      for (n = 0; n < 255; n = n + 1) begin
        y = q ^ {q[6:0], q[7]} ^ {q[5:0], q[7:6]} ^ {q[4:0], q[7:5]} ^ {q[3:0], q[7:4]} ^ 8'h63;
        sbox[p] = y;
        inv_sbox[y] = p;
        p = mul(p, 8'h03);
        q = mul(q, 8'hf6);
      end
    end
  endtask

  task expand;
    input [KEY_BITS-1:0] key;
    integer n, b, nk;
    reg [7:0] rc;
    reg [31:0] w;
    begin
      nk = KEY_BITS / 32;
      rc = 1;
      for (n = 0; n < 4 * nk; n = n + 1) rk[n] = key >> (KEY_BITS - 8 - 8 * n);
      for (n = nk; n < 4 * (ROUNDS + 1); n = n + 1) begin
        w = {rk[4*n-4], rk[4*n-3], rk[4*n-2], rk[4*n-1]};
        if (n % nk == 0) begin
          w = {sbox[w[23:16]] ^ rc, sbox[w[15:8]], sbox[w[7:0]], sbox[w[31:24]]};
          rc = mul(rc, 8'h02);
        end else if (nk > 6 && n % nk == 4)
          w = {sbox[w[31:24]], sbox[w[23:16]], sbox[w[15:8]], sbox[w[7:0]]};
        for (b = 0; b < 4; b = b + 1) rk[4*n+b] = rk[4*(n-nk)+b] ^ (w >> (24 - 8 * b));
      end
    end
  endtask

  function [KEY_BITS-1:0] model_end_key;
    input dummy;
    integer n;
    for (n = 0; n < KEY_BITS / 8; n = n + 1)
      model_end_key[KEY_BITS-1-8*n -: 8] = rk[16*(ROUNDS+1) - KEY_BITS/8 + n];
  endfunction

  // result in cipher_out; keys in rk
  reg [127:0] cipher_out;
  task cipher;
    input [127:0] x;
    integer n, b, c;
    begin
      for (b = 0; b < 16; b = b + 1) s[b] = x[127-8*b -: 8] ^ rk[b];
      for (n = 1; n <= ROUNDS; n = n + 1) begin
        for (b = 0; b < 16; b = b + 1) t[b] = sbox[s[(5*b) % 16]];
        for (b = 0; b < 16; b = b + 1) begin
          c = b - b % 4;
          s[b] = rk[16*n+b] ^ ((n == ROUNDS) ? t[b]
               : mul(2, t[b]) ^ mul(3, t[c+(b+1)%4]) ^ t[c+(b+2)%4] ^ t[c+(b+3)%4]);
        end
      end
      for (b = 0; b < 16; b = b + 1) cipher_out[127-8*b -: 8] = s[b];
    end
  endtask

  task inverse_cipher;
    input [127:0] x;
    integer n, b, c;
    begin
      for (b = 0; b < 16; b = b + 1) s[b] = x[127-8*b -: 8] ^ rk[16*ROUNDS+b];
      for (n = ROUNDS - 1; n >= 0; n = n - 1) begin
        for (b = 0; b < 16; b = b + 1) t[b] = inv_sbox[s[(13*b) % 16]] ^ rk[16*n+b];
        for (b = 0; b < 16; b = b + 1) begin
          c = b - b % 4;
          s[b] = (n == 0) ? t[b] : mul(14, t[b]) ^ mul(11, t[c+(b+1)%4])
                                 ^ mul(13, t[c+(b+2)%4]) ^ mul(9, t[c+(b+3)%4]);
        end
      end
      for (b = 0; b < 16; b = b + 1) cipher_out[127-8*b -: 8] = s[b];
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
        if (want_end) cipher(in_block);
        else inverse_cipher(in_block);
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

    // FIPS-197 C.1, B, SP 800-38A F.1.1; FIPS-197 C.3, SP 800-38A F.1.5
    if (KEY_BITS == 128) begin
      vector(128'h000102030405060708090a0b0c0d0e0f, 128'h13111d7fe3944a17f307a78b4d2b30c5,
             128'h00112233445566778899aabbccddeeff, 128'h69c4e0d86a7b0430d8cdb78070b4c55a);
      vector(128'h2b7e151628aed2a6abf7158809cf4f3c, 128'hd014f9a8c9ee2589e13f0cc8b6630ca6,
             128'h3243f6a8885a308d313198a2e0370734, 128'h3925841d02dc09fbdc118597196a0b32);
      vector(128'h2b7e151628aed2a6abf7158809cf4f3c, 0,
             128'h6bc1bee22e409f96e93d7e117393172a, 128'h3ad77bb40d7a3660a89ecaf32466ef97);
    end else begin
      vector(256'h000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f, 0,
             128'h00112233445566778899aabbccddeeff, 128'h8ea2b7ca516745bfeafc49904b496089);
      vector(256'h603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4,
             256'hcafaaae3e4d59b349adf6acebd10190dfe4890d1e6188d0b046df344706c631e,
             128'h6bc1bee22e409f96e93d7e117393172a, 128'hf3eed1bdb5d2a03c064b5a7e3db181f8);
    end

    // extremes: fixed time shows in the monitor
    vector({KEY_BITS{1'b0}}, 0, 128'd0,
           (KEY_BITS == 128) ? 128'h66e94bd4ef8a2c3b884cfa59ca342b2e
                             : 128'hdc95c078a2408989ad48a21492842087);

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
