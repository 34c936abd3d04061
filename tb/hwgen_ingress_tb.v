// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_ingress with hwgen_slot_pool: random frames, a third of them broken,
// against a byte-wise reference of every check; stored bytes; quota; latency; no idle beat.
// corners: DATA_W=32 | DATA_W=64 PKT_BLOCKS=3 CLUSTERS=3 | DATA_W=128 SLOTS=1 REQUESTERS=1 | DATA_W=32 SLOTS=2 PKT_BLOCKS=1 CLUSTERS=1 REQUESTERS=1 | QUOTA_EN=1 | DATA_W=64 QUOTA_EN=1 CLUSTERS=16 SLOTS=32 | DATA_W=32 SLOTS=5 PKT_BLOCKS=3 REQUESTERS=4
`default_nettype none
module hwgen_ingress_tb;
  parameter SEED = 1;
  parameter DATA_W = 128;
  parameter SLOTS = 8;
  parameter PKT_BLOCKS = 4;
  parameter REQUESTERS = 3;
  parameter CLUSTERS = 2;
  parameter QUOTA_EN = 0;
  parameter CYCLES = 8000;
  localparam BYTES = DATA_W/8;
  localparam BPB = 128/DATA_W;
  localparam WORDS = PKT_BLOCKS*BPB;
  localparam SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1;
  localparam TID_W = (REQUESTERS > 1) ? $clog2(REQUESTERS) : 1;
  localparam CLUSTER_W = (CLUSTERS > 1) ? $clog2(CLUSTERS) : 1;
  localparam OFF_W = (WORDS > 1) ? $clog2(WORDS) : 1;
  localparam WIDX_W = (BPB > 1) ? $clog2(BPB) : 1;
  // cluster 0 has all, 1 no inverse and no verify, 2 only verify, and so on
  localparam [127:0] SUP = 128'hff0ff0e1_08077f3c_c30ff0ff_08_8755ff;
  localparam [127:0] KEYS = {8{16'h2010}};
  localparam [95:0] QUO = {16{6'd2}};
  localparam [CLUSTERS*(SLOT_W+1)-1:0] QUOTA = {CLUSTERS{2'd2 + {(SLOT_W+1){1'b0}}}};

  reg clk = 0, rst = 1, done = 0;
  always #5 clk = ~clk;

  reg [DATA_W-1:0] tdata = 0;
  reg [BYTES-1:0] tkeep = 0;
  reg tvalid = 0, tlast = 0;
  reg [TID_W-1:0] tid = 0;
  wire tready;
  wire sp_valid, sp_ready, sp_more, fa_valid, hw_we, hw_pay, pw_we, pw_iv, ok_valid, cp_valid, half;
  wire [SLOT_W-1:0] sp_slot, hw_slot, pw_slot, ok_slot, cp_slot, half_slot;
  wire [WIDX_W-1:0] hw_word;
  wire [TID_W+DATA_W-1:0] hw_data;
  wire [OFF_W-1:0] pw_off;
  wire [DATA_W-1:0] pw_data;
  wire [CLUSTER_W-1:0] ok_cluster;
  wire [3:0] cp_status;
  reg ok_ready = 0, cp_ready = 0, sf_valid = 0, sf_counted = 0;
  reg [SLOT_W-1:0] sf_slot = 0;
  reg [CLUSTER_W-1:0] sf_cluster = 0;
  wire [31:0] acc, ret;
  wire [SLOT_W:0] infl;
  wire [SLOTS-1:0] used;

  hwgen_slot_pool #(.SLOTS(SLOTS)) u_pool (
    .clk(clk), .rst(rst), .sp_valid(sp_valid), .sp_ready(sp_ready), .sp_slot(sp_slot),
    .sp_more(sp_more), .sf_valid(sf_valid), .sf_slot(sf_slot), .fa_valid(fa_valid), .used(used),
    .stat_accepted(acc), .stat_returned(ret), .stat_in_flight(infl));
  hwgen_ingress #(.DATA_W(DATA_W), .SLOTS(SLOTS), .PKT_BLOCKS(PKT_BLOCKS),
    .REQUESTERS(REQUESTERS), .CLUSTERS(CLUSTERS), .SUPPORT(SUP[CLUSTERS*8-1:0]),
    .KEY_BYTES(KEYS[CLUSTERS*8-1:0]), .QUOTA_EN(QUOTA_EN), .QUOTA(QUOTA)) dut (
    .clk(clk), .rst(rst), .clr(1'b0), .run(~rst), .s_axis_job_tdata(tdata),
    .s_axis_job_tkeep(tkeep), .s_axis_job_tvalid(tvalid), .s_axis_job_tready(tready),
    .s_axis_job_tlast(tlast), .s_axis_job_tid(tid), .sp_valid(sp_valid), .sp_ready(sp_ready),
    .sp_slot(sp_slot), .sp_more(sp_more), .fa_valid(fa_valid), .hw_we(hw_we), .hw_slot(hw_slot),
    .hw_word(hw_word), .hw_data(hw_data), .hw_pay(hw_pay), .pw_we(pw_we), .pw_iv(pw_iv),
    .pw_slot(pw_slot), .pw_off(pw_off), .pw_data(pw_data), .ok_valid(ok_valid),
    .ok_ready(ok_ready), .ok_slot(ok_slot), .ok_cluster(ok_cluster), .cp_valid(cp_valid),
    .cp_ready(cp_ready), .cp_slot(cp_slot), .cp_status(cp_status), .half(half),
    .half_slot(half_slot), .sf_valid(sf_valid), .sf_counted(sf_counted), .sf_cluster(sf_cluster));

  integer seed = SEED, cyc = 0, i, j, n, mode = 0;
  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1; $finish;
    end
  endtask
  function integer rnd(input integer m);
    rnd = $unsigned($random(seed)) % m;
  endfunction

  // ---- the frame being sent ----
  reg [7:0] b [0:1023];
  reg [BYTES-1:0] kp [0:255];
  integer beats = 1, at = 0, len, ivf, want, nb;
  reg [3:0] cmd, md;
  reg last;
  integer no, clu;
  reg [TID_W-1:0] ftid;
  reg sending = 0;

  task build;
    reg chained, mac;
    begin
      clu = rnd(CLUSTERS);
      case (rnd(8))
        0, 1, 2: begin cmd = rnd(2); md = rnd(5); end
        3: begin cmd = 2 + rnd(2); md = 5; end
        4: begin cmd = 8; md = rnd(16); end
        5: begin cmd = 9; md = rnd(16); end
        6: begin cmd = rnd(4); md = rnd(7); end
        default: begin cmd = rnd(16); md = rnd(16); end
      endcase
      last = rnd(2); no = rnd(2) ? 0 : rnd(3) ? rnd(3) : 256*rnd(3);
      chained = md >= 1 && md <= 3; mac = md == 5;
      len = 16*rnd(PKT_BLOCKS+1);
      if (last && rnd(2)) len = rnd(PKT_BLOCKS*16+1);
      if (rnd(6) == 0) len = 0;
      if (cmd == 8) len = rnd(3) ? KEYS[clu*8 +: 8] : 0;
      if (cmd == 9) len = 0;
      ivf = cmd < 2 ? (md == 4 || (chained && no == 0)) : (cmd == 3 && mac && last);
      // ---- now and then broken
      if (rnd(12) == 0) ivf = !ivf;
      if (rnd(16) == 0) len = rnd(65536);
      if (rnd(16) == 0) len = PKT_BLOCKS*16 + rnd(3)*16;
      if (rnd(16) == 0) len = 16 + rnd(2)*16;
      for (i = 0; i < 256; i = i + 1) b[i] = $random(seed);
      b[0] = rnd(20) ? 1 : rnd(4);
      b[1] = rnd(20) ? clu : rnd(256);
      b[2] = {md, cmd};
      b[3] = {6'd0, ivf[0], last};
      if (rnd(24) == 0) b[3] = b[3] ^ (8'd4 << rnd(6));
      b[6] = no; b[7] = no >> 8; b[8] = len; b[9] = len >> 8;
      b[11] = rnd(20) ? 0 : 1 << rnd(8);
      nb = 16 + 16*ivf + (len > PKT_BLOCKS*16+60 ? rnd(PKT_BLOCKS*16+40) : len);
      if (rnd(12) == 0) nb = 1 + rnd(nb + 24);
      if (rnd(30) == 0) nb = 1 + rnd(16);
      beats = (nb + BYTES-1)/BYTES;
      for (i = 0; i < beats; i = i + 1) kp[i] = {BYTES{1'b1}};
      if (nb % BYTES != 0) kp[beats-1] = ~({BYTES{1'b1}} << (nb % BYTES));
      if (rnd(20) == 0) begin n = rnd(beats); kp[n] = $random(seed); end
      if (rnd(40) == 0) begin n = rnd(beats); kp[n] = 0; end
      ftid = $random(seed);
      if (REQUESTERS < (1 << TID_W) && rnd(16) != 0) ftid = rnd(REQUESTERS);
      at = 0;
      judge;
    end
  endtask

  // ---- reference ----
  reg [7:0] e [0:1023];
  integer model_q [0:15];
  integer rlen, rno, rclu;
  reg rivf, rlast, s1, s2, s3, sup, inv, cip, chn;
  reg [3:0] rcmd, rmode;
  task judge;
    begin
      for (i = 0; i < 256; i = i + 1)
        e[i] = (i/BYTES < beats && kp[i/BYTES][i % BYTES]) ? b[i] : 8'd0;
      rcmd = e[2]; rmode = e[2] >> 4; rlast = e[3]; rivf = e[3] >> 1;
      rno = {e[7], e[6]}; rlen = {e[9], e[8]}; rclu = e[1];
      cip = rcmd < 2; chn = rmode >= 1 && rmode <= 3;
      s1 = e[0] != 1 || rclu >= CLUSTERS || ftid >= REQUESTERS || e[3] > 3 || e[11] != 0;
      if (rivf != ((cip && (rmode == 4 || (chn && rno == 0))) ||
                   (rcmd == 3 && rmode == 5 && rlast))) s1 = 1;
      s2 = 0; s3 = 0;
      if (rclu < CLUSTERS) begin
        inv = rcmd == 1 && rmode < 2;
        sup = SUP[rclu*8 + inv*4 + rcmd[1:0]];
        if (rcmd < 2) s2 = rmode > 4 || !sup;
        else if (rcmd < 4) s2 = rmode != 5 || !sup;
        else s2 = rcmd != 8 && rcmd != 9;
        s3 = rlen > PKT_BLOCKS*16;
        if (rcmd == 8) s3 = s3 || (rlen != 0 && rlen != KEYS[rclu*8 +: 8]);
        else if (rcmd == 9) s3 = s3 || rlen != 0;
        else begin
          if (rlen % 16 != 0 && (!rlast || (cip && rmode < 2))) s3 = 1;
          if (rlen == 0)
            s3 = s3 || !(rlast && (cip ? chn && rno != 0 : rno == 0));
        end
      end
      nb = 16 + 16*rivf + rlen;
      if (beats != (nb + BYTES-1)/BYTES) s3 = 1;
      else for (i = 0; i < beats; i = i + 1)
        if (kp[i] != ((i == beats-1 && nb % BYTES != 0) ? ~({BYTES{1'b1}} << (nb % BYTES))
                                                       : {BYTES{1'b1}})) s3 = 1;
      want = s1 ? 1 : s2 ? 2 : s3 ? 3 : 0;
    end
  endtask

  // ---- outcomes in order, memory image, slots ----
  reg [31:0] oq [0:65535];  // {cluster, status, slot, cycle of tlast not cut}
  integer oh = 0, ot = 0, free_at = 0;
  reg [TID_W+DATA_W-1:0] hdr [0:SLOTS*BPB-1];
  reg [DATA_W-1:0] pay [0:SLOTS*WORDS-1], iv [0:SLOTS*BPB-1];
  reg [7:0] exp [0:SLOTS*256-1];
  reg [TID_W-1:0] etid [0:SLOTS-1];
  integer pwn [0:SLOTS-1], est [0:SLOTS-1], elen [0:SLOTS-1], ecl [0:SLOTS-1];
  reg [SLOTS-1:0] out = 0, seen = 0, hpay = 0;
  integer stall = 0, quiet = 0, nfree = 0, cnt [0:15], got [0:15];
  reg [SLOT_W-1:0] cur = 0;
  integer tl_cyc = -1, same = 0;
  reg [SLOT_W-1:0] vs;
  reg vcheck = 0, hv = 0, hc = 0;
  reg [31:0] rec;

  initial begin
    for (i = 0; i < 16; i = i + 1) begin cnt[i] = 0; got[i] = 0; end
  end

  reg taken = 0;
  always @(negedge clk) if (!done) begin
    if (rnd(300) == 0) mode = rnd(4);
    rst = cyc < 3;
    if (cyc > 4) begin
      if (!tvalid || taken) begin
        tvalid = 0;
        if (!sending && (mode != 2 || rnd(4) == 0)) begin build; sending = 1; end
        if (sending && (mode[0] || rnd(2))) begin
          tvalid = 1;
          for (i = 0; i < BYTES; i = i + 1) tdata[i*8 +: 8] = b[at*BYTES + i];
          tkeep = kp[at];
          tlast = at == beats-1;
          tid = at == 0 ? ftid : $random(seed);
        end
      end
      ok_ready = mode == 1 || mode == 3 || rnd(2);
      cp_ready = mode == 1 || mode == 3 || rnd(3) == 0;
      // free a checked slot
      sf_valid = 0;
      if (mode[0] || rnd(3) == 0) begin
        n = rnd(SLOTS);
        for (i = 0; i < SLOTS && !sf_valid; i = i + 1) begin
          j = (n + i) % SLOTS;
          if (out[j] && seen[j]) begin
            sf_valid = 1; sf_slot = j; sf_counted = est[j] == 0; sf_cluster = ecl[j];
          end
        end
      end
    end
  end

  reg [15:0] x;
  always @(posedge clk) if (!done && cyc > 4) begin
    // memory image, a cycle late as the RAM is
    if (hw_we) begin
      hdr[hw_slot*BPB + (BPB > 1 ? hw_word : 0)] = hw_data; hpay[hw_slot] = hw_pay;
    end
    if (pw_we) begin
      if (pw_iv ? pw_off >= BPB : pw_off >= WORDS) fail("write outside the area");
      if (!pw_iv) begin
        if (pw_off !== pwn[pw_slot]) fail("offset, or more than packet_bytes");
        pwn[pw_slot] = pwn[pw_slot] + 1;
      end
      if (pw_iv) iv[pw_slot*BPB + (BPB > 1 ? pw_off : 0)] = pw_data;
      else pay[pw_slot*WORDS + pw_off] = pw_data;
    end
    if (!hw_we && !pw_we && pw_data !== 0 && !dut.off_full_q) fail("word kept when idle");
    // stored bytes of the frame handed on in the cycle before
    if (vcheck) begin
      for (i = 0; i < 16; i = i + 1)
        if (hdr[vs*BPB + i/BYTES][(i % BYTES)*8 +: 8] !== exp[vs*256 + i]) fail("header stored");
      for (i = 0; i < BPB; i = i + 1)
        if (hdr[vs*BPB + i][DATA_W +: TID_W] !== etid[vs]) fail("tid stored");
      if (hpay[vs] !== (elen[vs] != 0)) fail("hw_pay");
      if (est[vs] == 0) begin
        n = exp[vs*256+3] & 2 ? 16 : 0;
        for (i = 0; i < n; i = i + 1)
          if (iv[vs*BPB + i/BYTES][(i % BYTES)*8 +: 8] !== exp[vs*256 + 16 + i]) fail("IV stored");
        for (i = 0; i < elen[vs]; i = i + 1)
          if (pay[vs*WORDS + i/BYTES][(i % BYTES)*8 +: 8] !== exp[vs*256 + 16 + n + i])
            fail("payload stored");
        if (elen[vs] % BYTES != 0)
          for (i = elen[vs] % BYTES; i < BYTES; i = i + 1)
            if (pay[vs*WORDS + elen[vs]/BYTES][i*8 +: 8] !== 0) fail("byte without keep stored");
      end
      seen[vs] = 1;
    end
    vcheck = 0;
    // outcomes
    if (ok_valid && cp_valid) fail("two outcomes");
    if (ok_valid || cp_valid) begin
      rec = oq[oh];
      if (oh == ot) fail("outcome of no frame");
      if ((ok_valid ? ok_slot : cp_slot) !== rec[SLOT_W-1:0]) fail("slot or order");
      if ((ok_valid ? 4'd0 : cp_status) !== rec[11:8]) begin
        $display("status %0d, expected %0d; header %h", ok_valid ? 4'd0 : cp_status, rec[11:8],
                 {hdr[rec[SLOT_W-1:0]*BPB + BPB-1], hdr[rec[SLOT_W-1:0]*BPB]});
        fail("status");
      end
      if (ok_valid && ok_cluster !== rec[16 +: CLUSTER_W]) fail("cluster");
      if (ok_valid ? ok_ready : cp_ready) begin
        oh = oh + 1; vcheck = 1; vs = rec[SLOT_W-1:0]; got[rec[11:8]] = got[rec[11:8]] + 1;
        quiet = 0;
      end
    end else if (oh != ot) fail("outcome late");
    if (ok_valid && !ok_ready || cp_valid && !cp_ready) stall = 0; else stall = stall + 1;
    // no idle beat: enough free slots, nothing stalled of late
    nfree = SLOTS;
    for (i = 0; i < SLOTS; i = i + 1) if (used[i]) nfree = nfree - 1;
    free_at = nfree >= 2 ? free_at + 1 : 0;
    if (stall > 6 && free_at > 6 && cyc > 12 && !tready && !dut.pad_q) fail("idle beat");
    // counters
    if (acc !== ret + infl) fail("counters");
    // stream
    taken = tvalid && tready;
    if (taken) begin
      if (at == 0) begin
        cur = sp_slot;
        if (!sp_valid || out[sp_slot]) fail("no slot");
        out[cur] = 1; seen[cur] = 0; pwn[cur] = 0;
        for (i = 0; i < 256; i = i + 1) exp[cur*256 + i] = e[i];
        etid[cur] = ftid; elen[cur] = rlen; ecl[cur] = rclu; est[cur] = want;
      end
      at = at + 1;
      if (at == beats) sending = 0;
    end
    if (fa_valid) begin
      n = est[cur];
      if (n == 0 && QUOTA_EN != 0) begin
        if (cnt[ecl[cur]] >= 2) n = 12; else cnt[ecl[cur]] = cnt[ecl[cur]] + 1;
      end
      est[cur] = n;
      oq[ot] = (ecl[cur] << 16) | (n << 8) | cur;
      ot = ot + 1;
    end
    if (sf_valid) begin
      out[sf_slot] = 0; seen[sf_slot] = 0;
      if (sf_counted && QUOTA_EN != 0) cnt[sf_cluster] = cnt[sf_cluster] - 1;
    end
  end
  always @(posedge clk) begin
    // after the checks of this edge
    #1 cyc = cyc + 1;
    if (cyc == CYCLES && !done) begin
      if (got[0] < 50 || got[1] < 30 || got[2] < 10 || got[3] < 30) fail("too few of a kind");
      else if (QUOTA_EN != 0 && SLOTS > 2 && CLUSTERS < 4 && got[12] < 3) fail("quota never met");
      else $display("PASS");
      done = 1; $finish;
    end
  end
endmodule
`default_nettype wire
