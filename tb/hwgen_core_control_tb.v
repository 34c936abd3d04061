// SPDX-License-Identifier: Apache-2.0
// Enables, capacities, counts and peaks of cores against a model; the last core of a command stays enabled.
// corners: CORES=1 | CORES=3 | CORES=5 SOFT_CAP=0 | CORES=16
`default_nettype none
module hwgen_core_control_tb;
  parameter SEED     = 1;
  parameter CORES    = 4;
  parameter SOFT_CAP = 1;
  localparam CAP_W  = 4;
  localparam CORE_W = (CORES > 1) ? $clog2(CORES) : 1;
  localparam [CORES*CAP_W-1:0] CAP = {CORES{4'd9}};
  // core 0 does all; the others lack a command by turns, odd ones the inverse cipher
  function [CORES*4-1:0] ops(input integer all);
    integer n;
    for (n = 0; n < CORES; n = n + 1) ops[n*4 +: 4] = n == 0 ? all : all & ~(1 << (n & 3));
  endfunction
  function [CORES-1:0] invs(input integer odd);
    integer n;
    for (n = 0; n < CORES; n = n + 1) invs[n] = (n & 1) != odd;
  endfunction
  localparam [CORES*4-1:0] CAN_OP  = ops(15);
  localparam [CORES-1:0]   CAN_INV = invs(1);

  reg clk = 0, rst = 1;
  always #5 clk = ~clk;
  reg dp = 0, cr = 0, en_we = 0, en_data = 0, cap_we = 0, snap = 0, empty = 0, done = 0, all = 0;
  reg [CORE_W-1:0] dp_core = 0, cr_core = 0, at = 0;
  reg [CAP_W-1:0] cap_data = 0;
  reg [CORES-1:0] start = 0, finish = 0, waited = 0, m_en = {CORES{1'b1}}, next = 0, able = 0;
  wire en_ok, cap_ok, ev_done;
  wire [CORES-1:0] enable, barred, capped, busy;
  wire [CORES*CAP_W-1:0] cap, count, peak;
  reg [CAP_W-1:0] m_cap [0:CORES-1], m_n [0:CORES-1], m_most [0:CORES-1], m_peak [0:CORES-1];
  integer m_work [0:CORES-1];
  integer seed = SEED, cyc = 0, k, o, refused = 0, drains = 0, peaks = 0, since = 0;

  hwgen_core_control #(
    .CORES(CORES), .CAP_W(CAP_W), .CAP(CAP), .CAN_OP(CAN_OP), .CAN_INV(CAN_INV),
    .SOFT_CAP(SOFT_CAP)
  ) dut (
    .clk(clk), .rst(rst), .empty(empty), .dp_valid(dp), .dp_core(dp_core), .cr_fire(cr),
    .cr_core(cr_core), .start(start), .finish(finish), .at(at), .en_we(en_we & en_ok),
    .en_data(en_data), .en_ok(en_ok), .cap_we(cap_we & cap_ok), .cap_data(cap_data),
    .cap_ok(cap_ok), .snap(snap), .enable(enable), .cap(cap), .count(count), .peak(peak),
    .busy(busy), .barred(barred), .capped(capped), .done(ev_done));

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1;
      $finish;
    end
  endtask

  always @(negedge clk) begin
    rst = cyc < 3;
    at = ($random(seed) & 1023) % CORES;
    // seldom by turns: a drain is told when no enable has changed for a while
    en_we = ($random(seed) & ((cyc & 1024) ? 127 : 7)) == 0;
    en_data = ($random(seed) & ((cyc & 512) ? 15 : 1)) == 0;
    cap_we = !en_we && ($random(seed) & 15) == 0;
    cap_data = $random(seed);
    snap = ($random(seed) & 63) == 0;
    empty = ($random(seed) & 1023) == 0;
    dp_core = ($random(seed) & 1023) % CORES;
    cr_core = ($random(seed) & 1023) % CORES;
    // a burst now and then, so that cores fill
    dp = !rst && m_n[dp_core] < 9 && ((cyc & 256) ? 1'b1 : ($random(seed) & 3) == 0);
    cr = !rst && m_n[cr_core] > 0 && ($random(seed) & ((cyc & 256) ? 7 : 0)) == 0;
    for (k = 0; k < CORES; k = k + 1) begin
      start[k] = !rst && m_work[k] < 2 && $random(seed);
      finish[k] = !rst && m_work[k] > 0 && $random(seed);
    end
  end

  always @(posedge clk) if (!done) begin
    cyc = cyc + 1;
    if (!rst && cyc > 4) begin
      next = en_data ? m_en | (1 << at) : m_en & ~(1 << at);
      all = 1;
      for (o = 0; o < 5; o = o + 1) begin
        for (k = 0; k < CORES; k = k + 1)
          able[k] = o < 4 ? CAN_OP[k*4 + o] : CAN_OP[k*4 + 1] & CAN_INV[k];
        if (|able && !(|(able & next))) all = 0;
      end
      if (en_ok !== all) fail("en_ok");
      if (cap_ok !== (SOFT_CAP && cap_data != 0 && cap_data <= 9)) fail("cap_ok");
      if (enable !== m_en) fail("enable");
      for (k = 0; k < CORES; k = k + 1) begin
        if (count[k*CAP_W +: CAP_W] !== m_n[k]) fail("count");
        if (peak[k*CAP_W +: CAP_W] !== m_peak[k]) fail("peak");
        if (busy[k] !== (m_work[k] > 0)) fail("busy");
        if (capped[k] !== (SOFT_CAP && m_n[k] >= m_cap[k])) fail("capped");
        if (barred[k] !== (!m_en[k] || (SOFT_CAP && m_n[k] >= m_cap[k]))) fail("barred");
        if (m_peak[k] > 4) peaks = peaks + 1;
      end
      if (ev_done) drains = drains + 1;
      if (ev_done && since < CORES + 8) fail("drained while a decision may be under way");
      if (en_we && !en_ok) refused = refused + 1;
    end
    for (k = 0; k < CORES; k = k + 1) begin
      if (m_n[k] > m_most[k]) m_most[k] = m_n[k];
      if (snap) begin
        m_peak[k] = m_most[k];
        m_most[k] = m_n[k];
      end
      m_n[k] = m_n[k] + (dp && dp_core == k) - (cr && cr_core == k);
      m_work[k] = m_work[k] + start[k] - finish[k];
      if (empty) begin
        m_n[k] = 0;
        m_work[k] = 0;
      end
      if (cap_we && cap_ok && at == k) m_cap[k] = cap_data;
      if (rst) begin
        m_n[k] = 0;
        m_most[k] = 0;
        m_peak[k] = 0;
        m_work[k] = 0;
        m_cap[k] = 9;
      end
    end
    since = (en_we && en_ok) ? 0 : since + 1;
    if (en_we && en_ok && !rst) m_en = en_data ? m_en | (1 << at) : m_en & ~(1 << at);
    if (rst) m_en = {CORES{1'b1}};
    if (cyc > 12000) begin
      if ((CORES > 1 && (refused < 5 || drains < 5)) || peaks < 20) fail("too few");
      else $display("PASS");
      done = 1;
      $finish;
    end
  end
endmodule
`default_nettype wire
