// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_swept_ram: all words and rdata are 0 after rst and sweep at any
// moment, busy lasts DEPTH cycles after the last of them, writes are ignored meanwhile.
// corners: DEPTH=1 | DEPTH=2 WIDTH=1 | DEPTH=5 | DEPTH=33
`default_nettype none
module hwgen_swept_ram_tb;
  parameter SEED = 1;
  parameter WIDTH = 8;
  parameter DEPTH = 16;
  localparam ADDR_W = (DEPTH > 1) ? $clog2(DEPTH) : 1;

  reg clk = 0, rst = 1, sweep = 0;
  always #5 clk = ~clk;
  reg we = 0, re = 0, done = 0, have = 0;
  reg [ADDR_W-1:0] waddr = 0, raddr = 0;
  reg [WIDTH-1:0] wdata = 0, want = 0, model [0:DEPTH-1];
  wire [WIDTH-1:0] rdata;
  wire busy;
  integer seed = SEED, cyc = 0, a, left = 0, after = 0, sweeps = 0;

  hwgen_swept_ram #(.WIDTH(WIDTH), .DEPTH(DEPTH)) dut (
    .clk(clk), .rst(rst), .sweep(sweep), .busy(busy),
    .we(we), .waddr(waddr), .wdata(wdata), .re(re), .raddr(raddr), .rdata(rdata));

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1; $finish;
    end
  endtask

  always @(negedge clk) begin
    rst = cyc < 2 || ($random(seed) & 511) == 0;
    sweep = ($random(seed) & 63) == 0;
    we = $random(seed);
    a = $unsigned($random(seed)) % DEPTH; waddr = a;
    a = $unsigned($random(seed)) % DEPTH; raddr = a;
    wdata = $random(seed);
    re = $random(seed);
    // a collision returns anything; nor may a read move rdata while it is looked at below
    if (we && waddr == raddr) re = 0;
    if (busy !== 1'b0) re = 0;
  end
  always @(posedge clk) if (!done) begin
    if (cyc > 1) begin
      if (busy !== (left != 0)) fail("length of busy");
      if (have && rdata !== want) fail("rdata");
      // two cycles after busy, unless read since, rdata holds a zero
      if (after == 2 && rdata !== 0) fail("rdata keeps a word");
    end
    if (after != 0) begin after = after + 1; if (after > 2) after = 0; end
    if (left == 1 && !rst && !sweep) after = 1;
    if (re || left != 0 || rst || sweep) have = 0;
    if (re && left == 0) begin want = model[raddr]; have = 1; after = 0; end
    if (we && left == 0) begin model[waddr] = wdata; if (after != 0) after = 0; end
    if (rst || sweep) begin
      for (a = 0; a < DEPTH; a = a + 1) model[a] = 0;
      left = DEPTH; have = 0; after = 0; sweeps = sweeps + 1;
    end else if (left != 0) left = left - 1;
    cyc = cyc + 1;
    if (cyc == 20000 && !done) begin
      if (sweeps < 100) fail("too few sweeps"); else $display("PASS");
      done = 1; $finish;
    end
  end
endmodule
`default_nettype wire
