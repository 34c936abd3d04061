// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of the host link: a host that speaks it bit by bit, noise on both lines, a
// stand-in for the scheduler that stalls. Every job frame has to arrive once, whole, in order, and every
// result frame too; an open in the middle of a frame ends it, clears, waits, and begins anew;
// garbage wedges nothing. Every register access is done once, with and without noise, by registers that
// take their time. DRIFT: per mille by which the host's clock is off.
// corners: DATA_W=64 WINDOW=2 | DATA_W=128 WINDOW=16 BAUD=2500000 DRIFT=15 FRAMES=4 | WINDOW=4 DRIFT=-15 SEED=2 | REGS=0 FRAMES=4
`default_nettype none
module hwgen_uart_bridge_tb;
  parameter SEED = 1;
  parameter DATA_W = 32;
  parameter WINDOW = 8;
  parameter CLK_HZ = 12000000;
  parameter BAUD = 3000000;
  parameter DRIFT = 0;
  parameter NOISE = 1;
  parameter FRAMES = 8;
  parameter REGS = 1;
  localparam KEEP_W = DATA_W/8;
  localparam INFO_BYTES = 21;

  reg clk = 0, rst = 1;
  always #500 clk = ~clk;
  real bit_time;
  initial bit_time = 1000.0 * CLK_HZ / BAUD * (1.0 + DRIFT / 1000.0);

  integer seed = SEED, fails = 0;
  function integer pick(input integer n); pick = {$random(seed)} % n; endfunction
  task fail(input [8*48-1:0] why);
    begin
      if (fails == 0) $display("FAIL: %0s at %0t", why, $time);
      fails = fails + 1;
      $finish;
    end
  endtask

  reg host_tx = 1, noise_a = 0, noise_b = 0, noisy = 0;
  wire uart_tx, clear, led_activity, led_error;
  wire host_rx = uart_tx ^ noise_b;
  wire [DATA_W-1:0] jdata;
  wire [KEEP_W-1:0] jkeep;
  wire jvalid, jlast, rready;
  wire [1:0] jtid;
  reg jready = 0, rvalid = 0, rlast = 0;
  reg [DATA_W-1:0] rdata = 0;
  reg [KEEP_W-1:0] rkeep = 0;
  // an info with bytes that have to be escaped
  localparam [8*INFO_BYTES-1:0] INFO = {"HWGL", 8'h7e, 8'h7d, 8'h5e, {14{8'h7e}}};

  hwgen_uart_bridge #(.DATA_W(DATA_W), .TID_W(2), .CLK_HZ(CLK_HZ), .BAUD(BAUD), .WINDOW(WINDOW),
    .INFO_BYTES(INFO_BYTES), .INFO(INFO), .REGS(REGS), .ADDR_W(10)) dut (
    .clk(clk), .rst(rst), .uart_rx(host_tx ^ noise_a), .uart_tx(uart_tx),
    .m_axis_job_tdata(jdata), .m_axis_job_tkeep(jkeep), .m_axis_job_tvalid(jvalid),
    .m_axis_job_tready(jready), .m_axis_job_tlast(jlast), .m_axis_job_tid(jtid),
    .s_axis_result_tdata(rdata), .s_axis_result_tkeep(rkeep), .s_axis_result_tvalid(rvalid),
    .s_axis_result_tready(rready), .s_axis_result_tlast(rlast), .s_axis_result_tdest(2'd1),
    .m_axil_awaddr(awaddr), .m_axil_awvalid(awvalid), .m_axil_awready(awready),
    .m_axil_wdata(wdata), .m_axil_wstrb(wstrb), .m_axil_wvalid(wvalid), .m_axil_wready(wready),
    .m_axil_bresp(bresp), .m_axil_bvalid(bvalid), .m_axil_bready(bready),
    .m_axil_araddr(araddr), .m_axil_arvalid(arvalid), .m_axil_arready(arready),
    .m_axil_rdata(xdata), .m_axil_rresp(rresp), .m_axil_rvalid(xvalid), .m_axil_rready(xready),
    .clear(clear), .led_activity(led_activity), .led_error(led_error));

  // registers: 128 words, above them SLVERR; each handshake in its own time
  wire [9:0] awaddr, araddr;
  wire [31:0] wdata;
  wire [3:0] wstrb;
  wire awvalid, wvalid, bready, arvalid, xready;
  reg awready = 0, wready = 0, bvalid = 0, arready = 0, xvalid = 0, aw_got = 0, w_got = 0, ar_got = 0;
  reg [1:0] bresp = 0, rresp = 0;
  reg [31:0] xdata = 0, wd = 0;
  reg [9:0] wa = 0, ra = 0;
  reg [3:0] ws = 0;
  reg [31:0] regs [0:127];
  integer accesses = 0, reg_wait = 0, rk;
  initial for (rk = 0; rk < 128; rk = rk + 1) regs[rk] = 0;
  always @(posedge clk) if (!rst) begin
    if (awvalid && awready) begin aw_got = 1; wa = awaddr; end
    if (wvalid && wready) begin w_got = 1; wd = wdata; ws = wstrb; end
    if (arvalid && arready) begin ar_got = 1; ra = araddr; end
    if (bvalid && bready || xvalid && xready) begin
      if (aw_got || w_got || ar_got) fail("an access before the answer to another");
      accesses = accesses + 1;
    end
  end
  always @(negedge clk) begin
    awready = !aw_got && pick(3) == 0; wready = !w_got && pick(3) == 0; arready = !ar_got && pick(3) == 0;
    bvalid = 0; xvalid = 0; bresp = 0; rresp = 0; xdata = 32'hdeadbeef;
    if (reg_wait > 0) reg_wait = reg_wait - 1;
    else if (aw_got && w_got) begin
      aw_got = 0; w_got = 0; bvalid = 1;
      if (wa[9]) bresp = 2;
      else for (rk = 0; rk < 4; rk = rk + 1) if (ws[rk]) regs[wa[8:2]][8*rk +: 8] = wd[8*rk +: 8];
      reg_wait = pick(20) == 0 ? 3000 : pick(6);
    end else if (ar_got) begin
      ar_got = 0; xvalid = 1;
      if (ra[9]) begin rresp = 2; xdata = 0; end else xdata = regs[ra[8:2]];
      reg_wait = pick(20) == 0 ? 3000 : pick(6);
    end
  end

  // noise: a pulse of up to two bits now and then
  always begin
    #(bit_time * (1500 + pick(8000)));
    if (noisy) begin
      if (pick(2) == 0) begin noise_a = 1; #(bit_time * (1 + pick(40)) / 20.0) noise_a = 0; end
      else begin noise_b = 1; #(bit_time * (1 + pick(40)) / 20.0) noise_b = 0; end
    end
  end

  // contents: of frame f in direction d of session s
  function [7:0] content(input integer s, input integer d, input integer f, input integer i);
    reg [31:0] h;
    begin
      h = (s * 32'd7919 + d * 32'd104729 + f * 32'd1299709 + i) * 32'd2654435761;
      h = h ^ (h >> 15);
      // bytes that are escaped are frequent
      content = (h[9:8] == 0) ? 8'h7d + {7'd0, h[0]} : h[7:0];
    end
  endfunction
  function integer size(input integer s, input integer d, input integer f);
    reg [31:0] h;
    begin
      h = (s * 32'd31 + d * 32'd17 + f * 32'd12345 + 32'd1013904223) * 32'd1664525;
      h = h ^ (h >> 13);
      case (h[10:8])
        0:       size = 1 + h[3:0];
        1:       size = 127;
        2:       size = 254;
        3:       size = 128;
        default: size = 16 + h[7:0] % 200;
      endcase
    end
  endfunction

  // the stand-in: takes job frames, answers each once, in its own time
  integer session = 0, jf = 0, jpos = 0, pending = 0, taken = 0, answered = 0, jstall = 0;
  integer rf = 0, rpos = 0, k, n, clears = 0, mode = 0;
  reg junk = 0, hold = 0, fire_r, fire_j, held = 0, sync_rst = 1;
  reg [DATA_W-1:0] held_d = 0;
  always @(posedge clk) begin
    fire_j = jvalid & jready;
    fire_r = rvalid & rready;
    if (!rst) begin
      if (jtid !== 0) fail("tid");
      if (held && (!jvalid || jdata !== held_d)) fail("job stream not stable");
      held = jvalid & ~jready;
      held_d = jdata;
      if (clear) begin clears = clears + 1; junk = 1; end
      if (fire_j) begin
        n = 0;
        for (k = 0; k < KEEP_W; k = k + 1) if (jkeep[k]) begin
          if (k != n) fail("tkeep has a hole");
          n = n + 1;
          if (!junk && jdata[8*k +: 8] !== content(session, 0, jf, jpos)) fail("job byte");
          jpos = jpos + 1;
        end else if (jdata[8*k +: 8] !== 0) fail("byte without tkeep is not 0");
        if (n == 0 || (!jlast && n != KEEP_W)) fail("tkeep");
        if (jlast) begin
          if (!junk && jpos != size(session, 0, jf)) fail("job frame's length");
          if (!junk) jf = jf + 1;
          jpos = 0;
          pending = pending + 1;
          taken = taken + 1;
        end
      end
      if (fire_r && rlast) begin
        pending = pending - 1;
        answered = answered + 1;
        rpos = 0;
        if (!junk) rf = rf + 1;
      end
    end
  end
  always @(negedge clk) begin
    if (pick(300) == 0) mode = pick(4);
    jready = mode == 1 ? pick(40) == 0 : mode != 2 | pick(2);
    if (rst) rvalid = 0;
    else if (!rvalid | fire_r) begin
      rvalid = !hold && pending > 0 && (mode == 3 ? pick(60) == 0 : pick(4) != 0);
      if (rvalid) begin
        rdata = 0; rkeep = 0; rlast = 0;
        for (k = 0; k < KEEP_W; k = k + 1) if (!rlast) begin
          rdata[8*k +: 8] = junk ? 8'hee : content(session, 1, rf, rpos);
          rkeep[k] = 1;
          rpos = rpos + 1;
          if (rpos >= (junk ? 16 : size(session, 1, rf))) rlast = 1;
        end
      end
    end
  end

  // the host: bytes
  task send_raw(input [7:0] b);
    integer i;
    begin
      host_tx = 0; #(bit_time);
      for (i = 0; i < 8; i = i + 1) begin host_tx = b[i]; #(bit_time); end
      host_tx = 1; #(bit_time);
    end
  endtask
  reg [31:0] out_crc;
  function [31:0] crc(input [31:0] c, input [7:0] b);
    integer i;
    begin
      crc = c ^ {24'd0, b};
      for (i = 0; i < 8; i = i + 1) crc = crc[0] ? (crc >> 1) ^ 32'hedb88320 : crc >> 1;
    end
  endfunction
  task send_byte(input [7:0] b);
    begin
      out_crc = crc(out_crc, b);
      if (b == 8'h7e || b == 8'h7d) begin send_raw(8'h7d); send_raw(b ^ 8'h20); end
      else send_raw(b);
    end
  endtask
  task send_crc;
    reg [31:0] c;
    integer i;
    begin
      c = ~out_crc;
      for (i = 0; i < 4; i = i + 1) send_byte(c[8*i +: 8]);
      send_raw(8'h7e);
    end
  endtask
  task send_short(input [7:0] kind, input [7:0] no, input [7:0] ack);
    begin
      out_crc = ~0;
      send_raw(8'h7e);
      send_byte(kind); send_byte(no); send_byte(ack); send_byte(0);
      send_crc;
    end
  endtask

  // the host: what is to be sent, in segments
  integer seg_f [0:1023];
  integer seg_o [0:1023];
  integer seg_n [0:1023];
  reg     seg_l [0:1023];
  integer segs = 0, base = 0, next = 0, hf, ho;
  task cut(input integer frames);
    begin
      segs = 0; base = 0; next = 0;
      for (hf = 0; hf < frames; hf = hf + 1)
        for (ho = 0; ho < size(session, 0, hf); ho = ho + 127) begin
          seg_f[segs] = hf; seg_o[segs] = ho;
          seg_n[segs] = size(session, 0, hf) - ho > 127 ? 127 : size(session, 0, hf) - ho;
          seg_l[segs] = ho + seg_n[segs] == size(session, 0, hf);
          segs = segs + 1;
        end
    end
  endtask
  task send_data(input integer s);
    integer i;
    begin
      out_crc = ~0;
      send_raw(8'h7e);
      send_byte(1); send_byte(s); send_byte(expect_no);
      send_byte({seg_l[s], 7'd0} | seg_n[s]);
      for (i = 0; i < seg_n[s]; i = i + 1) send_byte(content(session, 0, seg_f[s], seg_o[s] + i));
      send_crc;
    end
  endtask

  // the host: what comes
  reg [7:0] fbuf [0:511];
  reg [7:0] rxb, expect_no = 0, device_expect, ahead;
  integer flen = 0, hr = 0, hpos = 0, i, bit_n, good = 0, broken = 0, lost = 0;
  integer quiet = 0, drained_abs = 0;
  reg answered_reg = 0;
  reg [1:0] got_resp;
  reg [31:0] got_data;
  reg fesc = 0, fbad = 0, live = 0, opened = 0, hello = 0, need_poll = 0, need_ack = 0, gone_back = 0;
  reg [7:0] tag = 0, poll_tag = 0, reg_no = 0;
  reg [31:0] in_crc;
  task frame;
    begin
      in_crc = ~0;
      for (i = 0; i < flen; i = i + 1) in_crc = crc(in_crc, fbuf[i]);
      if (fbad || fesc || flen < 10 || in_crc !== 32'hdebb20e3) broken = broken + 1;
      else begin
        good = good + 1;
        if (fbuf[0][3:0] == 3 && fbuf[1] == tag) begin
          hello = 1;
          if (flen != 10 + INFO_BYTES) fail("length of the answer to a hello");
          for (i = 0; i < INFO_BYTES; i = i + 1) if (fbuf[6+i] !== INFO[8*i +: 8]) fail("info");
        end
        if (fbuf[0][3:0] == 4 && fbuf[1] == tag) opened = 1;
        if (fbuf[0][3:0] == 5 && fbuf[1] == reg_no) begin
          answered_reg = 1;
          if (flen != 15 || fbuf[6][7:2] != 0) fail("answer of a register");
          got_resp = fbuf[6][1:0];
          got_data = {fbuf[10], fbuf[9], fbuf[8], fbuf[7]};
        end
        if (live && fbuf[0][4]) begin
          device_expect = fbuf[2];
          ahead = fbuf[3] - device_expect;
          if (ahead != 0 && ahead <= WINDOW) device_expect = fbuf[3];
          ahead = device_expect - base;
          if (ahead != 0 && ahead <= next - base) begin
            base = base + ahead;
            quiet = 0; gone_back = 0;
          end else if (ahead > segs - base && ahead != 0) fail("confirms what was not sent");
          ahead = fbuf[2] - fbuf[3];
          drained_abs = base - {24'd0, ahead};
          if (ahead > WINDOW && ahead < 8'd200) fail("holds more than its window");
          if (fbuf[0][5] && !gone_back) begin next = base; gone_back = 1; lost = lost + 1; end
          if (fbuf[0][3:0] == 1 && fbuf[1] == expect_no) begin
            quiet = 0;
            need_ack = 1;
            expect_no = expect_no + 1;
            if (fbuf[6][6:0] != flen - 11) fail("length of a segment");
            for (i = 0; i < flen - 11; i = i + 1) begin
              if (fbuf[7+i] !== content(session, 1, hr, hpos)) fail("result byte");
              hpos = hpos + 1;
            end
            if (fbuf[6][7]) begin
              if (hpos != size(session, 1, hr)) fail("result's length");
              hpos = 0;
              hr = hr + 1;
            end else if (hpos >= size(session, 1, hr)) fail("result's end");
          end else if (fbuf[0][3:0] == 1) need_poll = 1;
        end
      end
      flen = 0; fesc = 0; fbad = 0;
    end
  endtask
  always begin
    @(negedge host_rx);
    #(bit_time / 2);
    if (host_rx === 0) begin
      for (bit_n = 0; bit_n < 8; bit_n = bit_n + 1) begin #(bit_time) rxb[bit_n] = host_rx; end
      #(bit_time);
      if (!host_rx) fbad = 1;
      if (rxb == 8'h7e) begin if (flen > 0 || fesc || fbad) frame; end
      else if (rxb == 8'h7d && !fesc) fesc = 1;
      else if (flen < 512) begin fbuf[flen] = fesc ? rxb ^ 8'h20 : rxb; flen = flen + 1; fesc = 0; end
    end
  end

  // the host: one thing after the other
  task ask(input [7:0] kind);
    integer wait_n, tries;
    begin
      tries = 0;
      tag = pick(256);
      hello = 0; opened = 0;
      while (!(kind == 3 ? hello : opened)) begin
        send_short(kind, tag, 0);
        tries = tries + 1;
        if (tries > 10) fail("no answer");
        for (wait_n = 0; wait_n < 4000 && !(kind == 3 ? hello : opened); wait_n = wait_n + 1)
          #(bit_time);
      end
    end
  endtask
  // an access to a register: writes of some bytes, reads, some beyond what is there
  reg [31:0] model [0:127];
  initial for (n = 0; n < 128; n = n + 1) model[n] = 0;
  task send_access(input wr, input [3:0] strobes, input [31:0] at, input [31:0] value);
    integer m;
    begin
      out_crc = ~0;
      send_raw(8'h7e);
      send_byte(5); send_byte(reg_no); send_byte(0); send_byte(9);
      send_byte({wr, 3'd0, strobes});
      for (m = 0; m < 4; m = m + 1) send_byte(at[8*m +: 8]);
      for (m = 0; m < 4; m = m + 1) send_byte(value[8*m +: 8]);
      send_crc;
    end
  endtask
  task access(input integer times);
    integer t, m, tries, count, wait_n;
    reg wr;
    reg [3:0] strobes;
    reg [31:0] at, value;
    begin
      for (t = 0; t < times; t = t + 1) begin
        wr = pick(2);
        strobes = pick(3) == 0 ? $random(seed) : 15;
        // some beyond the bus, some where nothing is
        at = 4 * pick(128) + (pick(8) == 0 ? 32'h200 : 0) + (pick(8) == 0 ? 32'h1 << (10 + pick(22)) : 0);
        value = $random(seed);
        if (pick(4) == 0) value = 32'h7e7d7e7d;
        reg_no = reg_no + 1;
        answered_reg = 0;
        tries = 0;
        count = accesses;
        while (!answered_reg) begin
          send_access(wr, strobes, at, value);
          tries = tries + 1;
          if (tries > 12) fail("a register does not answer");
          // now and then at once again
          if (pick(4) != 0)
            for (wait_n = 0; wait_n < 500 && !answered_reg; wait_n = wait_n + 1) #(bit_time);
        end
        // whatever was sent again is over; once more it is told again, and not done
        #(bit_time * 300);
        if (pick(3) == 0) begin
          send_access(wr, strobes, at, ~value);
          #(bit_time * 300);
        end
        if (accesses != count + (at < 1024 ? 1 : 0)) fail("an access was not done once");
        if (got_resp != (at >= 512 ? 2 : 0)) fail("a register's response");
        if (at < 512 && wr) begin
          for (m = 0; m < 4; m = m + 1) if (strobes[m]) model[at[8:2]][8*m +: 8] = value[8*m +: 8];
          if (regs[at[8:2]] !== model[at[8:2]]) fail("a write");
        end
        if (got_data !== (wr || at >= 512 ? 0 : model[at[8:2]])) fail("a read");
      end
    end
  endtask
  // a frame that comes in part while an access and its answer are under way does nothing: A takes so
  // many clocks, B comes behind it time and again
  task overlap(input integer clocks);
    integer t, m, count;
    begin
      reg_no = reg_no + 1;
      answered_reg = 0;
      count = accesses;
      reg_wait = clocks;
      send_access(1, 15, 32'h20, 32'h8f8f8f8f);
      reg_no = reg_no + 1;
      for (t = 0; t < 3; t = t + 1) send_access(0, 0, 32'h40, $random(seed));
      #(bit_time * 500);
      model[8] = 32'h8f8f8f8f;
      if (accesses < count + 1 || accesses > count + 2) fail("a part of a frame is an access");
      for (m = 0; m < 128; m = m + 1) if (regs[m] !== model[m]) fail("a part of a frame writes");
    end
  endtask
  // sends until all is confirmed and so many results are there
  task work(input integer results);
    integer polls, at;
    begin
      polls = 0; at = 0;
      while (base < segs || hr < results) begin
        if (need_poll || quiet > 3000 + WINDOW * 1200) begin
          need_poll = 0; quiet = 0; gone_back = 0;
          poll_tag = poll_tag + 1;
          // noise may break a poll or its answer, but not time and again
          polls = (at == base + hr * 65536 + hpos) ? polls + 1 : 0;
          at = base + hr * 65536 + hpos;
          if (polls > 8) fail("no progress");
          send_short(0, poll_tag, expect_no);
          // the answer shows what is lacking; all that was sent before is there or lost
          #(bit_time * 1000);
          next = base;
        end else if (next < segs && next - drained_abs < WINDOW) begin
          send_data(next);
          next = next + 1;
        end else if (need_ack) begin
          need_ack = 0;
          send_short(2, 0, expect_no);
        end else begin
          #(bit_time * 20) quiet = quiet + 20;
        end
        // next may have gone back while a segment was sent
        if (next < base) next = base;
      end
    end
  endtask
  task begin_session;
    begin
      live = 0;
      ask(4);
      if (pending != 0) fail("opened with frames in the scheduler");
      if (rvalid) fail("opened inside a result");
      if (jpos != 0) fail("a job frame that was open is not ended");
      begun;
    end
  endtask
  task begun;
    begin
      session = session + 1;
      junk = 0; jf = 0; rf = 0; jpos = 0; rpos = 0; hr = 0; hpos = 0; expect_no = 0;
      base = 0; next = 0; drained_abs = 0; quiet = 0; gone_back = 0; need_poll = 0; need_ack = 0;
      live = 1;
    end
  endtask

  integer g, before, cleared;
  initial begin
    repeat (20) @(negedge clk);
    rst = 0;
    repeat (200) @(negedge clk);
    if (led_activity || led_error) fail("a LED is on after reset");
    ask(3);
    if (!led_activity) fail("no activity shown");
    // before an open nothing is taken
    cut(3);
    send_data(0);
    #(bit_time * 400);
    if (taken != 0) fail("a job before the first open");
    if (REGS) begin
      access(12);
      for (g = 0; g < 40; g = g + 1) overlap(900 + pick(1000));
    end
    noisy = NOISE;
    if (REGS) access(24);
    begin_session;
    if (clears == 0) fail("no clear");
    cut(FRAMES);
    work(FRAMES);
    if (jf != FRAMES || rf != FRAMES || hr != FRAMES) fail("number of frames");
    // an open inside a job frame, with others in the scheduler, which answers them late
    begin_session;
    hold = 1;
    cut(FRAMES);
    for (g = 4; g < segs && seg_l[g-1]; g = g + 1);
    segs = g;
    work(0);
    #(bit_time * 3000);
    if (pending == 0 || jpos == 0) fail("nothing is inside");
    fork
      begin_session;
      #(bit_time * 9000) hold = 0;
    join
    // an open as a result's first segment begins, or in its midst
    for (g = 0; g < 8; g = g + 1) begin
      begin_session;
      hold = 1;
      cut(1);
      for (next = 0; next < segs && next < WINDOW; next = next) begin
        send_data(next);
        next = next + 1;
      end
      #(bit_time * 1000);
      fork
        begin_session;
        #(bit_time * pick(g < 6 ? 110 : 1500)) hold = 0;
      join
    end
    // an open that comes again while the first one is answered: data directly behind it
    for (g = 0; g < 6; g = g + 1) begin
      live = 0; opened = 0; tag = pick(256);
      cleared = clears;
      send_short(4, tag, 0);
      // the sweep's time, and some of the answer's, less that of the frame that comes again
      #(1000.0 * 128 * WINDOW + bit_time * (pick(80) - 60));
      send_short(4, tag, 0);
      for (before = 0; before < 4000 && !(opened && clears == cleared + 2); before = before + 1) #(bit_time);
      if (!opened) ask(4);
      begun;
      cut(2);
      work(2);
      if (jf != 2 || hr != 2) fail("frames behind an open that came again");
    end
    // garbage: bytes, and a line that is low for long
    for (g = 0; g < 300; g = g + 1) send_raw(pick(4) == 0 ? 8'h7e : pick(256));
    host_tx = 0;
    #(bit_time * 57) host_tx = 1;
    #(bit_time * 20);
    if (!led_error) fail("no error shown");
    cut(FRAMES / 2);
    work(FRAMES / 2);
    ask(3);
    noisy = 0;
    #(bit_time * 200);
    begin_session;
    before = broken;
    cut(4);
    work(4);
    if (hr != 4) fail("number of frames at the end");
    // beside an open session; a hello makes the number of the last access one of a new access
    if (REGS) begin
      access(6);
      ask(3);
      reg_no = reg_no - 1;
      access(3);
    end else begin
      send_access(1, 15, 0, 0);
      #(bit_time * 500);
      if (accesses != 0 || awvalid || wvalid || arvalid) fail("an access where there are no registers");
    end
    if (broken != before) fail("a broken frame on a clean line");
    if (NOISE && (lost == 0 || broken == 0)) fail("the noise broke nothing");
    if (fails == 0) $display("PASS");
    $finish;
  end
  initial begin
    #(1000.0 * (2400000 + 50000 * WINDOW) * CLK_HZ / BAUD);
    fail("wedged");
  end
endmodule
`default_nettype wire
