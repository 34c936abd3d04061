// SPDX-License-Identifier: Apache-2.0
// Self-checking bench of hwgen_async_axil in front of a slave with a memory: random writes and reads with
// pauses on every channel, waits of the memory; what is read is what was written, an address outside is
// SLVERR. Resets of the master, of the slave and of both at any moment: every access of a master that is
// not in reset is answered once, none twice, and an answer belongs to its access.
// corners: AH=500 CH=503 | AH=499 CH=1873 | AH=2311 CH=401 STAGES=3 | AH=401 CH=6007
`default_nettype none
module hwgen_async_axil_tb;
  parameter SEED = 1;
  // half periods, in steps of two; resets come in between of the bus's clock and the slave's
  parameter AH = 500;
  parameter CH = 700;
  parameter STAGES = 2;
  localparam ADDR_W = 8;
  localparam ACCESSES = 800;
  // cycles of the bus's clock
  localparam LATE = 80 + 80 * CH / AH;

  reg axil_clk = 0, clk = 0, axil_arst = 1, arst = 1;
  always #(2*AH) axil_clk = ~axil_clk;
  initial begin
    #(2*(CH / 3));
    forever #(2*CH) clk = ~clk;
  end

  wire axil_rst_a, axil_rst, rst_a, rst, hold, clear, axil_clear;
  hwgen_reset_sync #(.STAGES(STAGES)) u_axil_reset (
    .clk(axil_clk), .arst(axil_arst), .rst_a(axil_rst_a), .rst(axil_rst));
  hwgen_reset_sync #(.STAGES(STAGES)) u_reset (.clk(clk), .arst(arst), .rst_a(rst_a), .rst(rst));
  hwgen_cdc_reset #(.STAGES(STAGES)) u_empty (
    .clk(clk), .rst_a(rst_a), .rst(rst), .hold(hold), .clear(clear), .b_clk(axil_clk),
    .b_clear(axil_clear));

  reg  [ADDR_W-1:0] awaddr = 0, araddr = 0;
  reg  [31:0] wdata = 0;
  reg  [3:0]  wstrb = 0;
  reg  awvalid = 0, wvalid = 0, bready = 0, arvalid = 0, rready = 0;
  wire awready, wready, bvalid, arready, rvalid;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;
  wire [ADDR_W-1:0] c_awaddr, c_araddr;
  wire [31:0] c_wdata, c_rdata;
  wire [3:0] c_wstrb;
  wire [1:0] c_bresp, c_rresp;
  wire c_awvalid, c_awready, c_wvalid, c_wready, c_bvalid, c_bready;
  wire c_arvalid, c_arready, c_rvalid, c_rready;

  hwgen_async_axil #(.ADDR_W(ADDR_W), .STAGES(STAGES)) dut (
    .axil_clk(axil_clk), .axil_rst_a(axil_rst_a), .axil_rst(axil_rst), .axil_clear(axil_clear),
    .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
    .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
    .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
    .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
    .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
    .clk(clk), .hold(hold), .clear(clear),
    .m_axil_awaddr(c_awaddr), .m_axil_awvalid(c_awvalid), .m_axil_awready(c_awready),
    .m_axil_wdata(c_wdata), .m_axil_wstrb(c_wstrb), .m_axil_wvalid(c_wvalid),
    .m_axil_wready(c_wready), .m_axil_bresp(c_bresp), .m_axil_bvalid(c_bvalid),
    .m_axil_bready(c_bready), .m_axil_araddr(c_araddr), .m_axil_arvalid(c_arvalid),
    .m_axil_arready(c_arready), .m_axil_rdata(c_rdata), .m_axil_rresp(c_rresp),
    .m_axil_rvalid(c_rvalid), .m_axil_rready(c_rready));

  wire wr_valid, rd_valid;
  wire [ADDR_W-3:0] wr_addr, rd_addr, rd_at;
  wire [31:0] wr_data;
  wire [3:0] wr_strb;
  reg  wr_wait = 0, rd_wait = 0;
  // the slave takes address and data apart
  reg  aw_open = 0, w_open = 0;
  wire aw_ready, w_ready;
  assign c_awready = aw_ready & aw_open;
  assign c_wready  = w_ready & w_open;
  reg  [31:0] look = 0;
  hwgen_axil_slave #(.ADDR_W(ADDR_W)) u_slave (
    .clk(clk), .rst(rst), .s_axil_awaddr(c_awaddr), .s_axil_awvalid(c_awvalid & aw_open),
    .s_axil_awready(aw_ready), .s_axil_wdata(c_wdata), .s_axil_wstrb(c_wstrb),
    .s_axil_wvalid(c_wvalid & w_open), .s_axil_wready(w_ready), .s_axil_bresp(c_bresp),
    .s_axil_bvalid(c_bvalid), .s_axil_bready(c_bready), .s_axil_araddr(c_araddr),
    .s_axil_arvalid(c_arvalid), .s_axil_arready(c_arready), .s_axil_rdata(c_rdata),
    .s_axil_rresp(c_rresp), .s_axil_rvalid(c_rvalid), .s_axil_rready(c_rready),
    .wr_valid(wr_valid), .wr_addr(wr_addr), .wr_data(wr_data), .wr_strb(wr_strb),
    .wr_wait(wr_wait), .wr_ok(wr_addr < 48), .rd_valid(rd_valid), .rd_addr(rd_addr),
    .rd_wait(rd_wait), .rd_at(rd_at), .rd_data(look), .rd_ok(rd_at < 48));

  // contents outlive a reset
  reg [31:0] file [0:63];
  integer since_w = 0, since_r = 0;
  integer k, seed = SEED, writes = 0, reads = 0, a_resets = 0, resets = 0, both = 0, refused = 0;
  always @(negedge clk) begin
    wr_wait = ($random(seed) & 3) == 0;
    aw_open = $random(seed);
    w_open = $random(seed);
    rd_wait = ($random(seed) & 3) == 0;
  end
  always @(posedge clk) begin
    look <= rd_valid ? file[rd_addr] : 32'hdeadbeef;
    if (wr_valid && !wr_wait && wr_addr < 48)
      for (k = 0; k < 4; k = k + 1) if (wr_strb[k]) file[wr_addr][8*k +: 8] <= wr_data[8*k +: 8];
  end

  // of each word what it holds, and whether a write to it may have been lost or not
  reg [31:0] model [0:63];
  reg unsure [0:63];
  reg done = 0, busy_w = 0, busy_r = 0, took_aw = 0, took_w = 0, took_ar = 0;
  reg held_b = 0, held_r = 0, reset_w = 0, reset_r = 0;
  reg [1:0] was_bresp = 0, was_rresp = 0;
  reg [31:0] was_rdata = 0;
  wire [ADDR_W-3:0] w_word = awaddr[ADDR_W-1:2], r_word = araddr[ADDR_W-1:2];

  initial for (k = 0; k < 64; k = k + 1) begin
    file[k] = 0;
    model[k] = 0;
    unsure[k] = 0;
  end

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s after %0d writes, %0d reads, at %0t", why, writes, reads, $time);
      done = 1;
      $finish;
    end
  endtask

  task master_reset;
    begin
      axil_arst = 1;
      if (busy_w && w_word < 48) unsure[w_word] = 1;
      awvalid = 0;
      wvalid = 0;
      arvalid = 0;
      busy_w = 0;
      busy_r = 0;
      held_b = 0;
      held_r = 0;
    end
  endtask

  initial begin
    #1 #((AH + CH) * 4 * (STAGES + 4));
    axil_arst = 0;
    #(2 * ($random(seed) & 1023));
    arst = 0;
    while (!done) begin
      #((AH + CH) * 2 * (10 + ($random(seed) & 255)));
      case ($random(seed) & 3)
        0, 1: begin
          master_reset;
          #(2 + 2 * ($random(seed) & 8191));
          axil_arst = 0;
          a_resets = a_resets + 1;
        end
        2: begin
          arst = 1;
          reset_w = 1;
          reset_r = 1;
          #(2 + 2 * ($random(seed) & 8191));
          arst = 0;
          resets = resets + 1;
        end
        default: begin
          arst = 1;
          master_reset;
          #(2 + 2 * ($random(seed) & 8191));
          arst = 0;
          axil_arst = 0;
          both = both + 1;
        end
      endcase
    end
  end

  always @(negedge axil_clk) if (!axil_arst) begin
    bready = $random(seed);
    rready = $random(seed);
    if (took_aw) awvalid = 0;
    if (took_w) wvalid = 0;
    if (took_ar) arvalid = 0;
    // reads and writes at a time, but of different words
    if (!busy_w && ($random(seed) & 3) == 0) begin
      awaddr = $random(seed);
      if (!busy_r || awaddr[7:2] != araddr[7:2]) begin
        busy_w = 1;
        wdata = $random(seed);
        wstrb = $random(seed);
        took_aw = 0;
        took_w = 0;
        reset_w = arst;
      end
    end
    if (busy_w && !took_aw) awvalid = awvalid | $random(seed);
    if (busy_w && !took_w) wvalid = wvalid | $random(seed);
    if (!busy_r && ($random(seed) & 3) == 0) begin
      araddr = $random(seed);
      if (!busy_w || awaddr[7:2] != araddr[7:2]) begin
        busy_r = 1;
        took_ar = 0;
        reset_r = arst;
      end
    end
    if (busy_r && !took_ar) arvalid = arvalid | $random(seed);
  end

  always @(posedge axil_clk) if (!done) begin
    if (axil_arst) begin
      if (awready !== 0 || wready !== 0 || arready !== 0 || bvalid !== 0 || rvalid !== 0)
        fail("a handshake in reset");
    end else begin
      // a reset of the slave is felt until its FIFOs are empty
      if (axil_clear !== 1'b0) begin
        reset_w = 1;
        reset_r = 1;
      end
      if (held_b && (bvalid !== 1'b1 || bresp !== was_bresp)) fail("b not stable");
      if (held_r && (rvalid !== 1'b1 || rresp !== was_rresp || rdata !== was_rdata))
        fail("r not stable");
      held_b = bvalid === 1'b1 && !bready;
      held_r = rvalid === 1'b1 && !rready;
      was_bresp = bresp;
      was_rresp = rresp;
      was_rdata = rdata;
      if (awvalid && awready === 1'b1) took_aw = 1;
      if (wvalid && wready === 1'b1) took_w = 1;
      if (arvalid && arready === 1'b1) took_ar = 1;
      if (bvalid === 1'b1 && bready) begin
        if (!busy_w || !took_aw || !took_w) fail("an answer without a write");
        if (bresp === 2'b10 && reset_w && w_word < 48) begin
          unsure[w_word] = 1;
          refused = refused + 1;
        end else if (bresp !== (w_word < 48 ? 2'b00 : 2'b10)) fail("bresp");
        else if (w_word < 48) begin
          for (k = 0; k < 4; k = k + 1) if (wstrb[k]) model[w_word][8*k +: 8] = wdata[8*k +: 8];
          if (wstrb == 4'b1111) unsure[w_word] = 0;
        end
        busy_w = 0;
        writes = writes + 1;
      end
      if (rvalid === 1'b1 && rready) begin
        if (!busy_r || !took_ar) fail("an answer without a read");
        if (rresp === 2'b10 && rdata !== 0) fail("data with an error");
        if (rresp === 2'b10 && reset_r) refused = refused + 1;
        else if (rresp !== (r_word < 48 ? 2'b00 : 2'b10)) fail("rresp");
        else if (r_word < 48 && rdata !== model[r_word]) begin
          if (!unsure[r_word]) fail("rdata");
          // now it is known
          model[r_word] = rdata;
        end
        busy_r = 0;
        reads = reads + 1;
      end
      // without a reset an access that is taken is soon answered
      if (arst || hold !== 1'b0 || axil_clear !== 1'b0) begin
        since_w = 0;
        since_r = 0;
      end
      since_w = busy_w && took_aw && took_w ? since_w + 1 : 0;
      since_r = busy_r && took_ar ? since_r + 1 : 0;
      if (since_w > LATE || since_r > LATE) fail("no answer");
      if (writes + reads >= ACCESSES) begin
        if (a_resets < 10 || resets < 5 || both < 5 || refused < 2) fail("too few resets");
        else if (!done) $display("PASS");
        done = 1;
        $finish;
      end
    end
  end

  initial begin
    #((AH + CH) * 800 * ACCESSES);
    fail("no progress");
  end
endmodule
`default_nettype wire
