// SPDX-License-Identifier: Apache-2.0
// Counters against a model: random events, all at once for long stretches too; snapshots at random moments, also
// while reads go on and after a reset; every counter of a snapshot is that of the one cycle, and later events are not in it.
// corners: COUNTERS=1 | COUNTERS=2 | COUNTERS=5 | COUNTERS=10 | COUNTERS=35
`default_nettype none
module hwgen_counter_bank_tb;
  parameter SEED = 1;
  parameter COUNTERS = 10;
  localparam WIDTH = 20;
  localparam IDX_W = (COUNTERS > 1) ? $clog2(COUNTERS) : 1;

  reg clk = 0, rst = 1;
  always #5 clk = ~clk;
  reg [COUNTERS-1:0] inc = 0;
  reg snap = 0, re = 0, asked = 0, done = 0, valid = 0;
  reg [IDX_W-1:0] raddr = 0, was = 0;
  wire busy;
  wire [WIDTH-1:0] rdata;

  hwgen_counter_bank #(.COUNTERS(COUNTERS), .WIDTH(WIDTH)) dut (
    .clk(clk), .rst(rst), .inc(inc), .snap(snap), .busy(busy), .re(re), .raddr(raddr),
    .rdata(rdata));

  reg [WIDTH-1:0] live [0:COUNTERS-1], frozen [0:COUNTERS-1];
  integer seed = SEED, cyc = 0, k, mode = 0, reads = 0, snaps = 0;

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1;
      $finish;
    end
  endtask

  initial for (k = 0; k < COUNTERS; k = k + 1) begin
    live[k] = 0;
    frozen[k] = 0;
  end

  always @(negedge clk) begin
    rst = cyc < 3 || cyc == 30000;
    if (($random(seed) & 127) == 0) mode = $random(seed) & 3;
    // all of them from the first cycle on
    if (cyc < 400 || (cyc >= 30000 && cyc < 30400)) mode = 0;
    for (k = 0; k < COUNTERS; k = k + 1)
      inc[k] = mode == 0 ? 1'b1 : mode == 1 ? ($random(seed) & 15) == 0 : $random(seed);
    snap = ($random(seed) & 63) == 0;
    // reads every second cycle at most, none while busy
    re = !re && !busy && !snap && !asked && (mode == 3 || ($random(seed) & 1));
    raddr = ($random(seed) & 1023) % COUNTERS;
  end

  always @(posedge clk) if (!done) begin
    cyc = cyc + 1;
    if (valid && !rst) begin
      if (rdata !== frozen[was]) fail("a counter of the snapshot");
      reads = reads + 1;
    end
    valid = re && !rst;
    was = raddr;
    if (snap && !busy && !rst) begin
      snaps = snaps + 1;
      valid = 0;
      for (k = 0; k < COUNTERS; k = k + 1) frozen[k] = live[k];
    end
    asked = snap;
    if (rst) begin
      for (k = 0; k < COUNTERS; k = k + 1) begin
        live[k] = 0;
        frozen[k] = 0;
      end
    end else begin
      for (k = 0; k < COUNTERS; k = k + 1) live[k] = live[k] + {{(WIDTH-1){1'b0}}, inc[k]};
    end
    if (cyc > 40000) begin
      if (reads < 1000 || snaps < 20) fail("too few"); else $display("PASS");
      done = 1;
      $finish;
    end
  end
endmodule
`default_nettype wire
