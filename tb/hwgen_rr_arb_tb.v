// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_rr_arb against a rotating search.
// corners: N=1 | N=2 | N=3 | N=5 | N=6 | N=7 | N=16
`default_nettype none
module hwgen_rr_arb_tb;
  parameter SEED = 1;
  parameter N = 4;
  localparam IDX_W = (N > 1) ? $clog2(N) : 1;

  reg clk = 0, rst = 1, advance = 0, done = 0;
  always #5 clk = ~clk;
  reg [N-1:0] req = 0, want;
  wire [N-1:0] grant;
  wire any;
  wire [IDX_W-1:0] index;
  integer seed = SEED, cyc = 0, ptr = 0, i, j, pick;

  hwgen_rr_arb #(.N(N)) dut (
    .clk(clk), .rst(rst), .req(req), .advance(advance), .grant(grant), .any(any), .index(index));

  always @(negedge clk) begin
    rst = cyc < 2 || ($random(seed) & 255) == 0;
    req = $random(seed);
    if (cyc[8]) req = req | $random(seed) | $random(seed);
    if (cyc[9:8] == 3) req = {N{1'b1}};
    advance = cyc[9] | ($random(seed) & 1);
  end
  always @(posedge clk) if (!done) begin
    if (cyc > 1) begin
      pick = -1;
      for (i = N-1; i >= 0; i = i - 1) begin
        j = (ptr + i) % N;
        if (req[j]) pick = j;
      end
      want = 0;
      if (pick >= 0) want[pick] = 1;
      if (grant !== want || any !== (pick >= 0) || (pick >= 0 && index !== pick[IDX_W-1:0])) begin
        $display("FAIL: grant %b for %b, expected %b at cycle %0d", grant, req, want, cyc);
        done = 1; $finish;
      end
    end
    if (advance && pick >= 0 && cyc > 1) ptr = (pick + 1) % N;
    if (rst) ptr = 0;
    cyc = cyc + 1;
    if (cyc == 20000 && !done) begin $display("PASS"); done = 1; $finish; end
  end
endmodule
`default_nettype wire
