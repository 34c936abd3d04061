// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_collector: bytes of every result, latency, no idle beat, stability,
// freed slots; clr at any moment finishes exactly the result that is begun.
// corners: DATA_W=32 | DATA_W=64 PKT_BLOCKS=3 CLUSTERS=3 | DATA_W=32 PKT_BLOCKS=1 SLOTS=2 CLUSTERS=1 REQUESTERS=1 | PKT_BLOCKS=1 SLOTS=1 | REPORT_CORE=0 CLUSTERS=16 | CLEAR=0 | CLEAR=0 DATA_W=32 | CLEAR=0 DATA_W=64
`default_nettype none
module hwgen_collector_tb;
  parameter SEED = 1;
  parameter DATA_W = 128;
  parameter SLOTS = 8;
  parameter PKT_BLOCKS = 4;
  parameter REQUESTERS = 3;
  parameter CLUSTERS = 2;
  parameter REPORT_CORE = 1;
  parameter CLEAR = 1;
  parameter CYCLES = 12000;
  localparam BYTES = DATA_W/8;
  localparam BPB = 128/DATA_W;
  localparam WORDS = PKT_BLOCKS*BPB;
  localparam SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1;
  localparam TID_W = (REQUESTERS > 1) ? $clog2(REQUESTERS) : 1;
  localparam CLUSTER_W = (CLUSTERS > 1) ? $clog2(CLUSTERS) : 1;
  localparam OFF_W = (WORDS > 1) ? $clog2(WORDS) : 1;
  localparam WIDX_W = (BPB > 1) ? $clog2(BPB) : 1;

  reg clk = 0, rst = 1, clr = 0, done = 0;
  always #5 clk = ~clk;
  reg cf_valid = 0, tready = 0;
  reg [SLOT_W-1:0] cf_slot = 0;
  reg [3:0] cf_status = 0;
  reg [7:0] cf_core = 0;
  reg [1:0] cf_kind = 0;
  wire busy, cf_ready, hc_re, rr_re, tvalid, tlast, sf_valid, sf_counted;
  wire [SLOT_W-1:0] hc_slot, rr_slot, sf_slot;
  wire [WIDX_W-1:0] hc_word;
  wire [OFF_W-1:0] rr_off;
  reg [TID_W+DATA_W:0] hc_data;
  reg [DATA_W-1:0] rr_data;
  wire [DATA_W-1:0] tdata;
  wire [BYTES-1:0] tkeep;
  wire [TID_W-1:0] tdest;
  wire [CLUSTER_W-1:0] sf_cluster;

  hwgen_collector #(.DATA_W(DATA_W), .SLOTS(SLOTS), .PKT_BLOCKS(PKT_BLOCKS),
    .REQUESTERS(REQUESTERS), .CLUSTERS(CLUSTERS), .REPORT_CORE(REPORT_CORE)) dut (
    .clk(clk), .rst(rst), .clr(clr), .busy(busy), .cf_valid(cf_valid), .cf_ready(cf_ready),
    .cf_slot(cf_slot), .cf_status(cf_status), .cf_core(cf_core), .cf_kind(cf_kind),
    .hc_re(hc_re), .hc_slot(hc_slot), .hc_word(hc_word), .hc_data(hc_data), .rr_re(rr_re),
    .rr_slot(rr_slot), .rr_off(rr_off), .rr_data(rr_data), .m_axis_result_tdata(tdata),
    .m_axis_result_tkeep(tkeep), .m_axis_result_tvalid(tvalid), .m_axis_result_tready(tready),
    .m_axis_result_tlast(tlast), .m_axis_result_tdest(tdest), .sf_valid(sf_valid),
    .sf_slot(sf_slot), .sf_counted(sf_counted), .sf_cluster(sf_cluster));

  // memories, as the RAMs behave
  reg [127:0] hdr [0:SLOTS-1];
  reg [TID_W-1:0] tids [0:SLOTS-1];
  reg [DATA_W-1:0] res [0:(SLOTS << OFF_W)-1];
  always @(posedge clk) begin
    if (hc_re) hc_data <= {(BPB == 1 || hc_word == BPB-1) ? hdr[hc_slot][79:64] != 0 : 1'b1,
                           tids[hc_slot], hdr[hc_slot][(BPB > 1 ? hc_word : 0)*DATA_W +: DATA_W]};
    if (rr_re) rr_data <= res[{rr_slot, rr_off}];
  end

  integer seed = SEED, cyc = 0, i, n, mode = 0, hold = 0, at = 0, clr_left = 0;
  integer results = 0, cut = 0, idle = 0, busy_since = 0;
  // expected frames: {kind, core, status, slot} of records taken, oldest first
  reg [31:0] q [0:65535];
  integer took [0:65535];
  integer qh = 0, qt = 0, total;
  reg [SLOTS-1:0] own = 0;
  reg held_v = 0, cf_taken = 0, sf_due = 0;
  reg [DATA_W+BYTES+TID_W:0] held = 0;
  reg [31:0] r, sf_rec = 0;
  reg [127:0] h;
  reg [DATA_W-1:0] w;
  reg [BYTES-1:0] k;
  integer len, s, full_rate = 0;

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1; $finish;
    end
  endtask
  function integer rnd(input integer m);
    rnd = $unsigned($random(seed)) % m;
  endfunction

  always @(negedge clk) if (!done) begin
    if (rnd(200) == 0) mode = rnd(4);
    rst = cyc < 3;
    // clr comes with the fifo's reset, a cycle later seen as cf_valid = 0
    if (clr_left != 0) begin clr_left = clr_left - 1; cf_valid = 0; hold = 3; end
    else if (CLEAR != 0 && cyc > 10 && rnd(40) == 0) clr_left = 1 + rnd(4);
    clr = clr_left != 0;
    if (hold != 0) hold = hold - 1;
    if (cyc > 5 && !(clr && cf_valid) && hold == 0 && (!cf_valid || cf_taken)) begin
      cf_valid = 0;
      if (!clr && (mode[0] || rnd(4) == 0)) begin
        n = rnd(SLOTS);
        for (i = 0; i < SLOTS && own[n]; i = i + 1) n = (n+1) % SLOTS;
        if (!own[n]) begin
          cf_valid = 1; cf_slot = n; cf_status = $random(seed); cf_core = $random(seed);
          cf_kind = mode == 3 ? 3*rnd(2) : rnd(4);
          hdr[n] = {$random(seed), $random(seed), $random(seed), $random(seed)};
          hdr[n][79:64] = rnd(5) ? rnd(PKT_BLOCKS*16+1) : 0;
          // a control frame may have any length field, if nothing of it is sent
          if (cf_kind != 1 && rnd(4) == 0) hdr[n][79:64] = $random(seed);
          tids[n] = rnd(REQUESTERS);
          for (i = 0; i < WORDS; i = i + 1)
            res[(n << OFF_W) | i] = {$random(seed), $random(seed), $random(seed), $random(seed)};
        end
      end
    end
    tready = mode[0] ? (mode[1] | rnd(2)) : cyc[6] ? rnd(8) == 0 : rnd(2);
    if (cyc % 512 > 300) tready = 1;
  end

  always @(posedge clk) if (!done && cyc > 4) begin
    cf_taken = cf_ready === 1'b1;
    // outputs
    if (held_v && (!tvalid || {tlast, tdest, tkeep, tdata} !== held)) fail("unstable");
    if (tvalid) begin
      if (qh == qt) fail("beat of no record");
      r = q[qh]; s = r[7:0]; h = hdr[s];
      len = r[29:28] == 1 ? h[79:64] : r[29:28] == 2 ? 16 : 0;
      h[25] = 0; h[79:64] = len; h[87:80] = REPORT_CORE ? r[19:12] : 8'd255; h[95:88] = r[11:8];
      total = BPB + (len + BYTES-1)/BYTES;
      k = {BYTES{1'b1}};
      if (at < BPB) w = h[at*DATA_W +: DATA_W];
      else begin
        w = res[(s << OFF_W) | (at-BPB)];
        if (at == total-1 && len % BYTES != 0) k = ~({BYTES{1'b1}} << (len % BYTES));
        for (i = 0; i < BYTES; i = i + 1) if (!k[i]) w[i*8 +: 8] = 0;
      end
      if (tdata !== w) fail(at < BPB ? "header" : "payload");
      if (tkeep !== k) fail("tkeep");
      if (tdest !== tids[s]) fail("tdest");
      if (tlast !== (at == total-1)) fail("tlast");
    end
    if (sf_valid !== sf_due) fail("slot freed, or not");
    if (sf_due && (sf_slot !== sf_rec[7:0] || sf_counted !== (sf_rec[29:28] != 3) ||
        (CLUSTERS > 1 && sf_cluster !== hdr[sf_rec[7:0]][8 +: CLUSTER_W]))) fail("freed wrongly");
    if (sf_due) own[sf_rec[7:0]] = 0;
    if ((tvalid || qh != qt || sf_valid) && !busy) fail("busy");
    // two cycles after its record was taken a result flows without a gap, and while records wait
    // there is no gap between results
    if (qh != qt && cyc - took[qh] >= 2 && !tvalid) fail("idle beat or latency");
    busy_since = (cf_valid && !clr) ? busy_since + 1 : 0;
    if (busy_since > 3 && !tvalid) fail("idle beat between results");
    sf_due = 0;
    held_v = tvalid && !tready;
    held = {tlast, tdest, tkeep, tdata};
    // a record is begun when its first beat shows: at counts beats gone, tvalid shows the next
    if (clr) begin
      n = (at != 0 || tvalid) ? qh + 1 : qh;
      while (qt > n) begin qt = qt - 1; own[q[qt][7:0]] = 0; cut = cut + 1; end
    end
    if (tvalid && tready) begin
      at = at + 1;
      if (tlast) begin
        sf_due = 1; sf_rec = q[qh]; qh = qh + 1; at = 0; results = results + 1;
        // the next one may show in the next cycle at the earliest in any case
        if (qh != qt) full_rate = full_rate + 1;
      end
    end
    if (cf_valid && cf_ready) begin
      if (clr) fail("record taken in clr");
      q[qt] = {2'd0, cf_kind, 8'd0, cf_core, cf_status, 8'd0} | cf_slot;
      took[qt] = cyc; qt = qt + 1; own[cf_slot] = 1;
    end
  end
  always @(posedge clk) begin
    // after the checks of this edge
    #1 cyc = cyc + 1;
    if (cyc == CYCLES && !done) begin
      if (results < 300) fail("too few results");
      else if (CLEAR != 0 && SLOTS > 1 && cut < 10) fail("too few cut");
      else $display("PASS");
      done = 1; $finish;
    end
  end
endmodule
`default_nettype wire
