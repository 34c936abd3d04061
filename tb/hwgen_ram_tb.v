// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_ram: read latency, hold, random traffic without collisions.
// corners: DEPTH=1 | DEPTH=2 WIDTH=1 | DEPTH=5 | DEPTH=33 WIDTH=40
`default_nettype none
module hwgen_ram_tb;
  parameter SEED = 1;
  parameter WIDTH = 8;
  parameter DEPTH = 16;
  localparam ADDR_W = (DEPTH > 1) ? $clog2(DEPTH) : 1;

  reg clk = 0;
  always #5 clk = ~clk;
  reg we = 0, re = 0, done = 0, have = 0;
  reg [ADDR_W-1:0] waddr = 0, raddr = 0;
  reg [WIDTH-1:0] wdata = 0, want = 0, model [0:DEPTH-1];
  reg [DEPTH-1:0] known = 0;
  wire [WIDTH-1:0] rdata;
  integer seed = SEED, cyc = 0, a;

  hwgen_ram #(.WIDTH(WIDTH), .DEPTH(DEPTH)) dut (
    .clk(clk), .we(we), .waddr(waddr), .wdata(wdata), .re(re), .raddr(raddr), .rdata(rdata));

  always @(negedge clk) begin
    we = $random(seed);
    a = $unsigned($random(seed)) % DEPTH; waddr = a;
    a = $unsigned($random(seed)) % DEPTH; raddr = a;
    wdata = {$random(seed), $random(seed)};
    re = $random(seed);
    if (!known[raddr] || (we && waddr == raddr)) re = 0;
  end
  always @(posedge clk) if (!done) begin
    if (have && rdata !== want) begin
      $display("FAIL: rdata %h, expected %h at cycle %0d", rdata, want, cyc); done = 1; $finish;
    end
    if (re) begin want = model[raddr]; have = 1; end
    if (we) begin model[waddr] = wdata; known[waddr] = 1; end
    cyc = cyc + 1;
    if (cyc == 20000 && !done) begin $display("PASS"); done = 1; $finish; end
  end
endmodule
`default_nettype wire
