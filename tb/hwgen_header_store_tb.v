// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_header_store: bursts to the heads, latency, collector's copy.
// corners: DATA_W=32 CLUSTERS=3 | DATA_W=64 SLOTS=5 | DATA_W=32 SLOTS=1 CLUSTERS=1 | CLUSTERS=1 | CLUSTERS=16
`default_nettype none
module hwgen_header_store_tb;
  parameter SEED = 1;
  parameter DATA_W = 128;
  parameter SLOTS = 8;
  parameter REQUESTERS = 3;
  parameter CLUSTERS = 2;
  localparam SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1;
  localparam TID_W = (REQUESTERS > 1) ? $clog2(REQUESTERS) : 1;
  localparam BPB = 128/DATA_W;
  localparam WIDX_W = (BPB > 1) ? $clog2(BPB) : 1;
  localparam W = TID_W+DATA_W;

  reg clk = 0, rst = 1, done = 0;
  always #5 clk = ~clk;
  reg hw_we = 0, hw_pay = 0, hc_re = 0;
  reg [SLOT_W-1:0] hw_slot = 0, hc_slot = 0;
  reg [WIDX_W-1:0] hw_word = 0, hc_word = 0;
  reg [W-1:0] hw_data = 0;
  reg [CLUSTERS-1:0] hr_valid = 0;
  reg [CLUSTERS*SLOT_W-1:0] hr_slot = 0;
  wire [CLUSTERS-1:0] hr_ready, hv_valid;
  wire [WIDX_W-1:0] hv_word;
  wire [W-1:0] hv_data;
  wire [W:0] hc_data;

  hwgen_header_store #(.DATA_W(DATA_W), .SLOTS(SLOTS), .REQUESTERS(REQUESTERS),
    .CLUSTERS(CLUSTERS)) dut (
    .clk(clk), .rst(rst), .hw_we(hw_we), .hw_slot(hw_slot), .hw_word(hw_word), .hw_data(hw_data),
    .hw_pay(hw_pay), .hr_valid(hr_valid), .hr_ready(hr_ready), .hr_slot(hr_slot),
    .hv_valid(hv_valid), .hv_word(hv_word), .hv_data(hv_data),
    .hc_re(hc_re), .hc_slot(hc_slot), .hc_word(hc_word), .hc_data(hc_data));

  reg [W:0] model [0:SLOTS*BPB-1];
  integer seed = SEED, cyc = 0, c, n, left = 0, served = 0, wait_c [0:15];
  reg [CLUSTERS-1:0] who = 0, m_valid = 0, taken = 0;
  reg [SLOT_W-1:0] cur = 0;
  reg [W:0] want_c = 0;
  reg have_c = 0;
  integer word = 0, m_word = 0;
  reg [W-1:0] m_data = 0;

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1; $finish;
    end
  endtask

  initial for (c = 0; c < 16; c = c + 1) wait_c[c] = 0;

  // slots are filled first, then read; a slot is not read while it is written
  always @(negedge clk) begin
    rst = cyc < 2;
    hw_we = 0;
    if (cyc > 2 && cyc < 3 + SLOTS*BPB) begin
      hw_we = 1; hw_slot = (cyc-3)/BPB; hw_word = (cyc-3) % BPB; hw_pay = $random(seed);
      hw_data = {$random(seed), $random(seed), $random(seed), $random(seed), $random(seed)};
    end
    for (c = 0; c < CLUSTERS; c = c + 1)
      if (cyc > 3 + SLOTS*BPB && (!hr_valid[c] || taken[c])) begin
        hr_valid[c] = cyc[8] | ($random(seed) & 1);
        n = $unsigned($random(seed)) % SLOTS;
        hr_slot[c*SLOT_W +: SLOT_W] = n;
      end
    hc_re = cyc > 3 + SLOTS*BPB && ($random(seed) & 1);
    n = $unsigned($random(seed)) % SLOTS; hc_slot = n;
    n = $unsigned($random(seed)) % BPB; hc_word = n;
  end
  always @(posedge clk) if (!done) begin
    if (cyc > 3) begin
      if (hv_valid !== m_valid) fail("hv_valid");
      if (m_valid != 0 && BPB > 1 && hv_word !== m_word[WIDX_W-1:0]) fail("hv_word");
      if (m_valid != 0 && hv_data !== m_data) fail("hv_data");
      if (have_c && hc_data !== want_c) fail("hc_data");
      if (left != 0 && hr_ready !== 0) fail("ready in a burst");
      if (left == 0 && hr_valid != 0 && (hr_ready & hr_valid) == 0) fail("idle port");
      if ((hr_ready & ~hr_valid) != 0 || (hr_ready & (hr_ready - 1)) != 0) fail("grant");
    end
    m_valid = 0;
    taken = hr_ready;
    if (left != 0) begin
      m_valid = who; word = word + 1; left = left - 1;
    end else for (c = 0; c < CLUSTERS; c = c + 1) begin
      if (hr_valid[c] && hr_ready[c] === 1'b1) begin
        m_valid[c] = 1; who = m_valid; cur = hr_slot[c*SLOT_W +: SLOT_W]; word = 0; left = BPB-1;
        served = served + 1; wait_c[c] = 0;
      end else if (hr_valid[c]) begin
        wait_c[c] = wait_c[c] + 1;
        if (wait_c[c] > CLUSTERS*BPB) fail("unfair");
      end
    end
    if (m_valid != 0) begin m_data = model[cur*BPB + word]; m_word = word; end
    if (hc_re) begin want_c = model[hc_slot*BPB + hc_word]; have_c = 1; end
    if (hw_we) model[hw_slot*BPB + hw_word] = {hw_pay, hw_data};
    if (rst) begin m_valid = 0; left = 0; end
    cyc = cyc + 1;
    if (cyc == 10000 && !done) begin
      if (served < 10000/BPB/3) fail("too few reads"); else $display("PASS");
      done = 1; $finish;
    end
  end
endmodule
`default_nettype wire
