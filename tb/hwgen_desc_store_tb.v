// SPDX-License-Identifier: Apache-2.0
// Descriptor store: what was written last for the slot, two cycles after the request of a lone queue,
// one-hot answers, every request answered once, full rate over several queues.
// corners: CORES=1 SLOTS=1 | CORES=2 | CORES=3 SLOTS=5 | CORES=7 DESC_W=40
`default_nettype none
module hwgen_desc_store_tb;
  parameter CORES = 4;
  parameter SLOTS = 16;
  parameter DESC_W = 20;
  parameter SEED = 1;
  parameter CYCLES = 10000;
  localparam SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1;

  reg clk, rst, done, dp_valid;
  reg [SLOT_W-1:0] dp_slot;
  reg [DESC_W-1:0] dp_desc;
  reg [CORES-1:0] dr_valid, taken;
  reg [CORES*SLOT_W-1:0] dr_slot;
  wire [CORES-1:0] dr_ready, ds_valid;
  wire [DESC_W-1:0] ds_desc;

  hwgen_desc_store #(.CORES(CORES), .SLOTS(SLOTS), .DESC_W(DESC_W)) dut (
    .clk(clk), .rst(rst), .dp_valid(dp_valid), .dp_slot(dp_slot), .dp_desc(dp_desc),
    .dr_valid(dr_valid), .dr_ready(dr_ready), .dr_slot(dr_slot), .ds_valid(ds_valid),
    .ds_desc(ds_desc));

  reg [DESC_W-1:0] m [0:255], expect_d;
  reg written [0:255], busy [0:255];
  integer seed, cyc, i, s, answers, full_rate;
  reg [CORES-1:0] expect_v;

  task fail(input [40*8-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1;
      $finish;
    end
  endtask

  initial begin
    seed = SEED; clk = 0; rst = 1; done = 0; dp_valid = 0; dp_slot = 0; dp_desc = 0; dr_valid = 0;
    dr_slot = 0; cyc = 0; answers = 0; expect_v = 0; full_rate = 0; expect_d = 0; taken = 0;
    for (i = 0; i < 256; i = i + 1) begin written[i] = 0; busy[i] = 0; end
    #5 clk = 1; #5 clk = 0; #5 clk = 1; #5 clk = 0;
    rst = 0;
    for (cyc = 0; cyc < CYCLES && !done; cyc = cyc + 1) begin
      // a slot that waits to be read is not written again
      s = ($random(seed) & 255) % SLOTS;
      dp_valid = !busy[s] && ($random(seed) & 1);
      dp_slot = s;
      dp_desc = {$random(seed), $random(seed)};
      for (i = 0; i < CORES; i = i + 1) if (!dr_valid[i]) begin
        s = ($random(seed) & 255) % SLOTS;
        if (written[s] && !busy[s] && !(dp_valid && dp_slot == s) && (cyc & 256 || ($random(seed) & 3) == 0)) begin
          dr_valid[i] = 1; busy[s] = 1; dr_slot[i*SLOT_W +: SLOT_W] = s;
        end
      end
      #1;
      if (ds_valid !== expect_v) fail("ds_valid");
      if (expect_v != 0 && ds_desc !== expect_d) fail("ds_desc");
      if (expect_v != 0) answers = answers + 1;
      if ((dr_ready & ~dr_valid) != 0 || (dr_ready & (dr_ready - 1)) != 0) fail("dr_ready");
      if (expect_v != 0 && dr_ready != 0) full_rate = full_rate + 1;
      expect_v = dr_ready;
      for (i = 0; i < CORES; i = i + 1) if (dr_ready[i]) begin
        expect_d = m[dr_slot[i*SLOT_W +: SLOT_W]];
        busy[dr_slot[i*SLOT_W +: SLOT_W]] = 0;
      end
      if (dp_valid) begin m[dp_slot] = dp_desc; written[dp_slot] = 1; end
      taken = dr_ready;
      #4 clk = 1; #5 clk = 0;
      dr_valid = dr_valid & ~taken;
    end
    if (answers < CYCLES / 20 || (CORES > 1 && SLOTS > 4 && full_rate < 100)) fail("too few answers");
    if (!done) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
