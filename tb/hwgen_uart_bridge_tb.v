// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of the host link: a host that speaks it bit by bit, noise on both lines, a
// stand-in for the scheduler that stalls. Every job frame has to arrive once, whole, in order, and every
// result frame too; an open in the middle of a frame ends it, clears, waits, and begins anew;
// garbage wedges nothing. DRIFT: per mille by which the host's clock is off.
// corners: DATA_W=64 WINDOW=2 | DATA_W=128 WINDOW=16 BAUD=2500000 DRIFT=15 FRAMES=4 | WINDOW=4 DRIFT=-15 SEED=2
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
    .INFO_BYTES(INFO_BYTES), .INFO(INFO)) dut (
    .clk(clk), .rst(rst), .uart_rx(host_tx ^ noise_a), .uart_tx(uart_tx),
    .m_axis_job_tdata(jdata), .m_axis_job_tkeep(jkeep), .m_axis_job_tvalid(jvalid),
    .m_axis_job_tready(jready), .m_axis_job_tlast(jlast), .m_axis_job_tid(jtid),
    .s_axis_result_tdata(rdata), .s_axis_result_tkeep(rkeep), .s_axis_result_tvalid(rvalid),
    .s_axis_result_tready(rready), .s_axis_result_tlast(rlast), .s_axis_result_tdest(2'd1),
    .clear(clear), .led_activity(led_activity), .led_error(led_error));

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
  reg fesc = 0, fbad = 0, live = 0, opened = 0, hello = 0, need_poll = 0, need_ack = 0, gone_back = 0;
  reg [7:0] tag = 0, poll_tag = 0;
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
      session = session + 1;
      junk = 0; jf = 0; rf = 0; jpos = 0; rpos = 0; hr = 0; hpos = 0; expect_no = 0;
      base = 0; next = 0; drained_abs = 0; quiet = 0; gone_back = 0; need_poll = 0; need_ack = 0;
      live = 1;
    end
  endtask

  integer g, before;
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
    noisy = NOISE;
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
    if (broken != before) fail("a broken frame on a clean line");
    if (NOISE && (lost == 0 || broken == 0)) fail("the noise broke nothing");
    if (fails == 0) $display("PASS");
    $finish;
  end
  initial begin
    #(1000.0 * (2000000 + 50000 * WINDOW) * CLK_HZ / BAUD);
    fail("wedged");
  end
endmodule
`default_nettype wire
