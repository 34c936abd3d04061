// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_slot_pool: no slot twice, none lost, sp_more, used, counters.
// corners: SLOTS=1 | SLOTS=2 | SLOTS=3 | SLOTS=5 | SLOTS=32
`default_nettype none
module hwgen_slot_pool_tb;
  parameter SEED = 1;
  parameter SLOTS = 8;
  localparam SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1;

  reg clk = 0, rst = 1, done = 0;
  always #5 clk = ~clk;
  reg sp_ready = 0, sf_valid = 0, fa_valid = 0, was_more = 0, chain = 0;
  reg [SLOT_W-1:0] sf_slot = 0;
  wire sp_valid, sp_more;
  wire [SLOT_W-1:0] sp_slot;
  wire [SLOTS-1:0] used;
  wire [31:0] acc, ret;
  wire [SLOT_W:0] infl;
  reg [SLOTS-1:0] own = 0, whole = 0, pick;
  integer seed = SEED, cyc = 0, k, n = 0, mode = 0, taken = 0, idle = 0, last_own = 0;
  integer m_acc = 0, m_ret = 0;

  hwgen_slot_pool #(.SLOTS(SLOTS)) dut (
    .clk(clk), .rst(rst), .sp_valid(sp_valid), .sp_ready(sp_ready), .sp_slot(sp_slot),
    .sp_more(sp_more), .sf_valid(sf_valid), .sf_slot(sf_slot), .fa_valid(fa_valid), .used(used),
    .stat_accepted(acc), .stat_returned(ret), .stat_in_flight(infl));

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1; $finish;
    end
  endtask

  always @(negedge clk) begin
    if ($random(seed) % 61 == 0) mode = $random(seed) & 3;
    rst = cyc < 2 || ($random(seed) & 1023) == 0;
    sp_ready = (sp_valid === 1'b1) && (mode[0] | ($random(seed) & 1));
    // frames become whole one by one, only whole ones are freed
    fa_valid = 0; sf_valid = 0; sf_slot = $random(seed);
    if (!rst && cyc > 3) begin
      pick = own & ~whole;
      for (k = 0; k < SLOTS; k = k + 1)
        if (pick[k] && !fa_valid && ($random(seed) & 1)) begin fa_valid = 1; whole[k] = 1; end
      n = $unsigned($random(seed)) % SLOTS;
      if (own[n] && whole[n] && (mode[1] || ($random(seed) & 7) == 0) && infl != 0)
        begin sf_valid = 1; sf_slot = n; end
    end
  end
  always @(posedge clk) if (!done) begin
    if (cyc > 3 && !rst) begin
      if (used !== own) fail("used");
      if (acc !== m_acc || ret !== m_ret || infl !== m_acc - m_ret) fail("counters");
      if (sp_valid && own[sp_slot]) fail("slot given twice");
      if (sp_valid && sp_slot >= SLOTS) fail("no such slot");
      if (chain && sp_valid !== 1'b1) fail("sp_more did not hold");
      // everything free for a while: a slot must be on offer
      idle = sp_valid ? 0 : (own != {SLOTS{1'b1}}) ? idle + 1 : 0;
      if (idle > 3) fail("slot lost");
    end
    chain = !rst && cyc > 3 && (sp_more || (sp_valid && !sp_ready));
    if (rst) begin own = 0; whole = 0; m_acc = 0; m_ret = 0; idle = 0; end
    else if (cyc > 2) begin
      if (fa_valid) m_acc = m_acc + 1;
      if (sf_valid) begin own[sf_slot] = 0; whole[sf_slot] = 0; m_ret = m_ret + 1; end
      if (sp_valid && sp_ready) begin own[sp_slot] = 1; taken = taken + 1; end
    end
    cyc = cyc + 1;
    if (cyc == 20000 && !done) begin
      if (taken < 500) fail("too few slots taken"); else $display("PASS");
      done = 1; $finish;
    end
  end
endmodule
`default_nettype wire
