// SPDX-License-Identifier: Apache-2.0
// AXI4-Lite slave in front of a small memory: random writes and reads with pauses and back-pressure on every
// channel, address and data apart, waits of the register file; what is read is what was written, an address
// outside is SLVERR and changes nothing, answers are stable while stalled; at full rate 2 cycles each.
// corners: MODE=0 | MODE=1
`default_nettype none
module hwgen_axil_slave_tb;
  parameter SEED = 1;
  // 1: no pauses anywhere
  parameter MODE = 0;
  localparam ADDR_W = 8;

  reg clk = 0, rst = 1;
  always #5 clk = ~clk;
  reg  [ADDR_W-1:0] awaddr = 0, araddr = 0;
  reg  [31:0] wdata = 0;
  reg  [3:0]  wstrb = 0;
  reg  awvalid = 0, wvalid = 0, bready = 0, arvalid = 0, rready = 0;
  wire awready, wready, bvalid, arready, rvalid;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;
  wire wr_valid, rd_valid;
  wire [ADDR_W-3:0] wr_addr, rd_addr, rd_at;
  wire [31:0] wr_data;
  wire [3:0] wr_strb;
  reg  wr_wait = 0, rd_wait = 0;

  hwgen_axil_slave #(.ADDR_W(ADDR_W)) dut (
    .clk(clk), .rst(rst), .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid),
    .s_axil_awready(awready), .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid),
    .s_axil_wready(wready), .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
    .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
    .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
    .wr_valid(wr_valid), .wr_addr(wr_addr), .wr_data(wr_data), .wr_strb(wr_strb),
    .wr_wait(wr_wait), .wr_ok(wr_addr < 48), .rd_valid(rd_valid), .rd_addr(rd_addr),
    .rd_wait(rd_wait), .rd_at(rd_at), .rd_data(look), .rd_ok(rd_at < 48));

  // the register file: a memory whose word comes a cycle after rd_valid, as a RAM's
  reg [31:0] file [0:63];
  reg [31:0] look = 0;
  integer k;
  always @(posedge clk) begin
    look <= rd_valid ? file[rd_addr] : 32'hdeadbeef;
    if (wr_valid && !wr_wait && wr_addr < 48)
      for (k = 0; k < 4; k = k + 1) if (wr_strb[k]) file[wr_addr][8*k +: 8] <= wr_data[8*k +: 8];
  end

  // what a master expects: writes take effect with their answer; reads are of words not being written
  reg [31:0] model [0:63];
  integer seed = SEED, cyc = 0, writes = 0, reads = 0, first_b = 0, last_b = 0, first_r = 0;
  integer last_r = 0;
  reg took_aw = 0, took_w = 0, took_ar = 0, done = 0, busy_w = 0, busy_r = 0;
  reg held_b = 0, held_r = 0;
  reg [1:0] was_bresp = 0, was_rresp = 0;
  reg [31:0] was_rdata = 0;

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1;
      $finish;
    end
  endtask

  initial for (k = 0; k < 64; k = k + 1) begin
    file[k] = 0;
    model[k] = 0;
  end

  always @(negedge clk) begin
    rst = cyc < 3;
    if (!rst) begin
      wr_wait = MODE == 0 && ($random(seed) & 3) == 0;
      rd_wait = MODE == 0 && ($random(seed) & 3) == 0;
      bready = MODE == 1 || $random(seed);
      rready = MODE == 1 || $random(seed);
      if (took_aw) awvalid = 0;
      if (took_w) wvalid = 0;
      if (took_ar) arvalid = 0;
      if (!busy_w && (MODE == 1 || (!busy_r && ($random(seed) & 1)))) begin
        busy_w = 1;
        awaddr = $random(seed);
        wdata = $random(seed);
        wstrb = $random(seed);
        took_aw = 0;
        took_w = 0;
      end
      if (busy_w && !took_aw) awvalid = awvalid | (MODE == 1) | $random(seed);
      if (busy_w && !took_w) wvalid = wvalid | (MODE == 1) | $random(seed);
      if (!busy_r && !(busy_w && MODE == 0)) begin
        busy_r = 1;
        araddr = $random(seed);
        took_ar = 0;
      end
      if (busy_r && !took_ar) arvalid = arvalid | (MODE == 1) | $random(seed);
    end
  end

  always @(posedge clk) if (!done) begin
    cyc = cyc + 1;
    if (rst && (awready || wready || arready)) fail("ready in reset");
    if (!rst) begin
      if (held_b && (!bvalid || bresp !== was_bresp)) fail("b not stable");
      if (held_r && (!rvalid || rresp !== was_rresp || rdata !== was_rdata)) fail("r not stable");
      held_b = bvalid && !bready;
      held_r = rvalid && !rready;
      was_bresp = bresp;
      was_rresp = rresp;
      was_rdata = rdata;
      if (awvalid && awready) took_aw = 1;
      if (wvalid && wready) took_w = 1;
      if (arvalid && arready) took_ar = 1;
      // at full rate the next access is offered while this one is answered
      if (MODE == 1 && took_aw && took_w) busy_w = 0;
      if (MODE == 1 && took_ar) busy_r = 0;
      if (bvalid && bready) begin
        if (MODE == 0) begin
          if (!busy_w || !took_aw || !took_w) fail("an answer before its write");
          if (bresp !== (awaddr[ADDR_W-1:2] < 48 ? 2'b00 : 2'b10)) fail("bresp");
          if (awaddr[ADDR_W-1:2] < 48)
            for (k = 0; k < 4; k = k + 1)
              if (wstrb[k]) model[awaddr[ADDR_W-1:2]][8*k +: 8] = wdata[8*k +: 8];
          busy_w = 0;
        end
        writes = writes + 1;
        if (writes == 10) first_b = cyc;
        last_b = cyc;
      end
      if (rvalid && rready) begin
        if (MODE == 0) begin
          if (!busy_r || !took_ar) fail("an answer before its read");
          if (rresp !== (araddr[ADDR_W-1:2] < 48 ? 2'b00 : 2'b10)) fail("rresp");
          if (rdata !== (araddr[ADDR_W-1:2] < 48 ? model[araddr[ADDR_W-1:2]] : 0)) fail("rdata");
          busy_r = 0;
        end
        reads = reads + 1;
        if (reads == 10) first_r = cyc;
        last_r = cyc;
      end
      if (cyc > 8000) begin
        if (writes < 500 || reads < 500) fail("too few");
        else if (MODE == 1 && (last_b - first_b != 2 * (writes - 10)
                 || last_r - first_r != 2 * (reads - 10))) fail("not one in 2 cycles");
        else $display("PASS");
        done = 1;
        $finish;
      end
    end
  end
endmodule
`default_nettype wire
