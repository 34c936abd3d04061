// SPDX-License-Identifier: Apache-2.0
// AXI4-Lite from a clock of its own to the registers' clock: a FIFO each for writes, reads and
// their answers. One write and one read under way at a time; address and data of a write go
// together. Latency of an access: that of the slave, and 2 * STAGES + 4 or so cycles of each clock.
// Handshakes: outputs to the master are registers, but the readys and valids, which are 0 while it
// is in reset; so are those to the slave, which are 0 while hold.
// axil_rst (the master begins anew): an access under way is finished, its answer dropped; the next
// one waits for that. axil_clear (the slave was reset): accesses under way are answered with
// SLVERR, whether they have taken effect or not; with both at once they are forgotten.
`default_nettype none
module hwgen_async_axil #(
  // bits of a byte address
  parameter ADDR_W = 16,
  // flip-flops of a synchroniser
  parameter STAGES = 2
) (
  input  wire              axil_clk,
  // of hwgen_reset_sync
  input  wire              axil_rst_a,
  input  wire              axil_rst,
  // of hwgen_cdc_reset
  input  wire              axil_clear,
  input  wire [ADDR_W-1:0] s_axil_awaddr,
  input  wire              s_axil_awvalid,
  output wire              s_axil_awready,
  input  wire [31:0]       s_axil_wdata,
  input  wire [3:0]        s_axil_wstrb,
  input  wire              s_axil_wvalid,
  output wire              s_axil_wready,
  output wire [1:0]        s_axil_bresp,
  output wire              s_axil_bvalid,
  input  wire              s_axil_bready,
  input  wire [ADDR_W-1:0] s_axil_araddr,
  input  wire              s_axil_arvalid,
  output wire              s_axil_arready,
  output wire [31:0]       s_axil_rdata,
  output wire [1:0]        s_axil_rresp,
  output wire              s_axil_rvalid,
  input  wire              s_axil_rready,
  // the slave's clock
  input  wire              clk,
  // of hwgen_cdc_reset
  input  wire              hold,
  input  wire              clear,
  output wire [ADDR_W-1:0] m_axil_awaddr,
  output wire              m_axil_awvalid,
  input  wire              m_axil_awready,
  output wire [31:0]       m_axil_wdata,
  output wire [3:0]        m_axil_wstrb,
  output wire              m_axil_wvalid,
  input  wire              m_axil_wready,
  input  wire [1:0]        m_axil_bresp,
  input  wire              m_axil_bvalid,
  output wire              m_axil_bready,
  output wire [ADDR_W-1:0] m_axil_araddr,
  output wire              m_axil_arvalid,
  input  wire              m_axil_arready,
  input  wire [31:0]       m_axil_rdata,
  input  wire [1:0]        m_axil_rresp,
  input  wire              m_axil_rvalid,
  output wire              m_axil_rready
);
  localparam [1:0] SLVERR = 2'b10;

  wire away = axil_rst_a | axil_rst;

  // Master side. aw, w, ar: taken and not sent; w_busy, r_busy: sent and not answered; orphan: and
  // nobody waits for the answer; b, r: the answer is on offer.
  reg              aw_q, w_q, w_busy_q, w_orphan_q, b_q;
  reg              ar_q, r_busy_q, r_orphan_q, r_q;
  reg [ADDR_W-1:0] aw_addr_q, ar_addr_q;
  reg [31:0]       w_data_q, r_data_q;
  reg [3:0]        w_strb_q;
  reg [1:0]        b_resp_q, r_resp_q;
  wire             wq_ready, rq_ready, wa_valid, ra_valid;
  wire [1:0]       wa_resp, ra_resp;
  wire [31:0]      ra_data;

  assign s_axil_awready = ~aw_q & ~away;
  assign s_axil_wready  = ~w_q & ~away;
  assign s_axil_bvalid  = b_q & ~away;
  assign s_axil_bresp   = b_resp_q;
  assign s_axil_arready = ~ar_q & ~away;
  assign s_axil_rvalid  = r_q & ~away;
  assign s_axil_rdata   = r_data_q;
  assign s_axil_rresp   = r_resp_q;

  // an answer that waits holds the next access back
  wire wq_valid = aw_q & w_q & ~w_busy_q & ~b_q & ~axil_rst;
  wire rq_valid = ar_q & ~r_busy_q & ~r_q & ~axil_rst;
  wire wq_go    = wq_valid & wq_ready;
  wire rq_go    = rq_valid & rq_ready;

  always @(posedge axil_clk) begin
    if (s_axil_awvalid & s_axil_awready) begin
      aw_q      <= 1'b1;
      aw_addr_q <= s_axil_awaddr;
    end
    if (s_axil_wvalid & s_axil_wready) begin
      w_q      <= 1'b1;
      w_data_q <= s_axil_wdata;
      w_strb_q <= s_axil_wstrb;
    end
    if (s_axil_arvalid & s_axil_arready) begin
      ar_q      <= 1'b1;
      ar_addr_q <= s_axil_araddr;
    end
    if (wq_go) begin
      aw_q     <= 1'b0;
      w_q      <= 1'b0;
      w_busy_q <= 1'b1;
    end
    if (rq_go) begin
      ar_q     <= 1'b0;
      r_busy_q <= 1'b1;
    end
    if (s_axil_bvalid & s_axil_bready) b_q <= 1'b0;
    if (s_axil_rvalid & s_axil_rready) r_q <= 1'b0;
    if (wa_valid | (axil_clear & w_busy_q)) begin
      w_busy_q   <= 1'b0;
      w_orphan_q <= 1'b0;
      b_q        <= ~w_orphan_q;
      b_resp_q   <= wa_valid ? wa_resp : SLVERR;
    end
    if (ra_valid | (axil_clear & r_busy_q)) begin
      r_busy_q   <= 1'b0;
      r_orphan_q <= 1'b0;
      r_q        <= ~r_orphan_q;
      r_data_q   <= ra_data & {32{ra_valid}};
      r_resp_q   <= ra_valid ? ra_resp : SLVERR;
    end
    if (axil_rst) begin
      aw_q       <= 1'b0;
      w_q        <= 1'b0;
      b_q        <= 1'b0;
      ar_q       <= 1'b0;
      r_q        <= 1'b0;
      w_orphan_q <= w_busy_q & ~wa_valid & ~axil_clear;
      r_orphan_q <= r_busy_q & ~ra_valid & ~axil_clear;
      // for power-up: nothing is under way in FIFOs that are being emptied
      if (axil_clear) begin
        w_busy_q <= 1'b0;
        r_busy_q <= 1'b0;
      end
    end
  end

  // Slave side. aw_done, w_done: that half is taken; w_wait, r_wait: the answer is awaited.
  reg  aw_done_q, w_done_q, w_wait_q, r_wait_q;
  wire wf_valid, rf_valid, wa_ready, ra_ready;
  wire aw_take = m_axil_awvalid & m_axil_awready;
  wire w_take  = m_axil_wvalid & m_axil_wready;
  wire wf_pop  = wf_valid & (aw_done_q | aw_take) & (w_done_q | w_take);
  wire ar_take = m_axil_arvalid & m_axil_arready;

  assign m_axil_awvalid = wf_valid & ~aw_done_q & ~w_wait_q;
  assign m_axil_wvalid  = wf_valid & ~w_done_q & ~w_wait_q;
  assign m_axil_bready  = w_wait_q & wa_ready;
  assign m_axil_arvalid = rf_valid & ~r_wait_q;
  assign m_axil_rready  = r_wait_q & ra_ready;

  always @(posedge clk) begin
    if (aw_take) aw_done_q <= 1'b1;
    if (w_take) w_done_q <= 1'b1;
    if (wf_pop) begin
      aw_done_q <= 1'b0;
      w_done_q  <= 1'b0;
      w_wait_q  <= 1'b1;
    end
    if (m_axil_bvalid & m_axil_bready) w_wait_q <= 1'b0;
    if (ar_take) r_wait_q <= 1'b1;
    if (m_axil_rvalid & m_axil_rready) r_wait_q <= 1'b0;
    if (hold) begin
      aw_done_q <= 1'b0;
      w_done_q  <= 1'b0;
      w_wait_q  <= 1'b0;
      r_wait_q  <= 1'b0;
    end
  end

  hwgen_async_fifo #(
    .WIDTH  (ADDR_W + 36),
    .DEPTH  (2),
    .STAGES (STAGES)
  ) u_write (
    .w_clk     (axil_clk),
    .w_rst     (axil_clear),
    .w_hold    (axil_clear),
    .in_valid  (wq_valid),
    .in_ready  (wq_ready),
    .in_data   ({aw_addr_q, w_strb_q, w_data_q}),
    .r_clk     (clk),
    .r_rst     (clear),
    .r_hold    (hold),
    .out_valid (wf_valid),
    .out_ready (wf_pop),
    .out_data  ({m_axil_awaddr, m_axil_wstrb, m_axil_wdata})
  );

  hwgen_async_fifo #(
    .WIDTH  (ADDR_W),
    .DEPTH  (2),
    .STAGES (STAGES)
  ) u_read (
    .w_clk     (axil_clk),
    .w_rst     (axil_clear),
    .w_hold    (axil_clear),
    .in_valid  (rq_valid),
    .in_ready  (rq_ready),
    .in_data   (ar_addr_q),
    .r_clk     (clk),
    .r_rst     (clear),
    .r_hold    (hold),
    .out_valid (rf_valid),
    .out_ready (ar_take),
    .out_data  (m_axil_araddr)
  );

  hwgen_async_fifo #(
    .WIDTH  (2),
    .DEPTH  (2),
    .STAGES (STAGES)
  ) u_write_answer (
    .w_clk     (clk),
    .w_rst     (clear),
    .w_hold    (hold),
    .in_valid  (m_axil_bvalid & w_wait_q),
    .in_ready  (wa_ready),
    .in_data   (m_axil_bresp),
    .r_clk     (axil_clk),
    .r_rst     (axil_clear),
    .r_hold    (axil_clear),
    .out_valid (wa_valid),
    .out_ready (1'b1),
    .out_data  (wa_resp)
  );

  hwgen_async_fifo #(
    .WIDTH  (34),
    .DEPTH  (2),
    .STAGES (STAGES)
  ) u_read_answer (
    .w_clk     (clk),
    .w_rst     (clear),
    .w_hold    (hold),
    .in_valid  (m_axil_rvalid & r_wait_q),
    .in_ready  (ra_ready),
    .in_data   ({m_axil_rresp, m_axil_rdata}),
    .r_clk     (axil_clk),
    .r_rst     (axil_clear),
    .r_hold    (axil_clear),
    .out_valid (ra_valid),
    .out_ready (1'b1),
    .out_data  ({ra_resp, ra_data})
  );
endmodule
`default_nettype wire
