// SPDX-License-Identifier: Apache-2.0
// Serial line to job and result stream and registers: the host link of docs/host-link.md over a
// UART. All jobs have tid 0; results come back whatever their tdest.
// An open frame from the host begins anew: clear is 1 for a cycle, both buffers are overwritten,
// what is inside the scheduler is awaited and dropped; then the answer. No data is taken before the
// first one.
// m_axis_job_* and m_axil_*valid are registers; s_axis_result_tready follows registers alone.
`default_nettype none
module hwgen_uart_bridge #(
  // bits of the streams: 32, 64, 128
  parameter DATA_W = 32,
  // bits of tid
  parameter TID_W  = 1,
  // clocks a second, bits a second: at least 4 clocks a bit
  parameter CLK_HZ = 12000000,
  parameter BAUD   = 3000000,
  // segments of 128 bytes in each direction's buffer, a power of two, 2 to 64
  parameter WINDOW = 8,
  // what the answer to a hello carries; byte i is INFO[8*i +: 8]
  parameter INFO_BYTES = 4,
  parameter [8*INFO_BYTES-1:0] INFO = 0,
  // 1: registers on m_axil_*, with so many bits of a byte address; 0: m_axil_* are not used
  parameter REGS   = 0,
  parameter ADDR_W = 16,
  // derived: do not set
  parameter KEEP_W = DATA_W / 8
) (
  input  wire              clk,
  input  wire              rst,
  input  wire              uart_rx,
  output wire              uart_tx,
  output wire [DATA_W-1:0] m_axis_job_tdata,
  output wire [KEEP_W-1:0] m_axis_job_tkeep,
  output wire              m_axis_job_tvalid,
  input  wire              m_axis_job_tready,
  output wire              m_axis_job_tlast,
  output wire [TID_W-1:0]  m_axis_job_tid,
  input  wire [DATA_W-1:0] s_axis_result_tdata,
  input  wire [KEEP_W-1:0] s_axis_result_tkeep,
  input  wire              s_axis_result_tvalid,
  output wire              s_axis_result_tready,
  input  wire              s_axis_result_tlast,
  input  wire [TID_W-1:0]  s_axis_result_tdest,
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
  output wire              m_axil_rready,
  // clears the scheduler
  output wire              clear,
  // bytes come or go; a frame was broken
  output wire              led_activity,
  output wire              led_error
);
  localparam SLOT_W = $clog2(WINDOW);
  localparam DEPTH  = 128 * WINDOW;

  // a byte has come, or the line has no stop bit
  wire       rx_valid, rx_bad, tx_valid, tx_ready;
  wire [7:0] rx_data, tx_data;

  wire       ev_ack, ev_poll, ev_hello, ev_open, ev_access, ev_bad, gap;
  wire [7:0] tag, number, ack, errors, expect_no, drained, acked, filled;

  // register accesses
  wire        head, body, sending, ev_answer;
  wire [7:0]  octet, answer_no;
  wire [1:0]  answer_resp;
  wire [31:0] answer_data;

  wire              in_we, in_re, in_busy, out_we, out_re, out_busy, closed;
  wire [SLOT_W+6:0] in_waddr, in_raddr, out_waddr, out_raddr;
  wire [7:0]        in_wdata, in_rdata, out_wdata, out_rdata;

  // frames in the scheduler; more than slots and the one that waits at its input can't be
  reg  [9:0] inside_q;
  reg        live_q, flush_q, clear_q, opened_q;
  wire       close = ev_open | flush_q;
  wire       in    = m_axis_job_tvalid & m_axis_job_tready & m_axis_job_tlast;
  wire       out   = s_axis_result_tvalid & s_axis_result_tready & s_axis_result_tlast;
  wire       done  = flush_q & ~clear_q & closed & ~in_busy & ~out_busy & (inside_q == 10'd0);

  assign m_axis_job_tid = {TID_W{1'b0}};
  assign clear          = clear_q;

  hwgen_uart_rx #(
    .CLK_HZ(CLK_HZ), .BAUD(BAUD)
  ) u_uart_rx (
    .clk(clk), .rst(rst), .rxd(uart_rx), .valid(rx_valid), .data(rx_data), .bad(rx_bad)
  );

  hwgen_link_rx #(
    .WINDOW(WINDOW), .REGS(REGS)
  ) u_link_rx (
    .clk(clk), .rst(rst), .rx_valid(rx_valid), .rx_bad(rx_bad), .rx_data(rx_data), .live(live_q),
    .expect_no(expect_no), .drained(drained),
    .we(in_we), .waddr(in_waddr), .wdata(in_wdata),
    .ev_ack(ev_ack), .ev_poll(ev_poll), .ev_hello(ev_hello), .ev_open(ev_open), .ev_bad(ev_bad),
    .ev_access(ev_access), .tag(tag), .number(number), .ack(ack), .head(head), .body(body),
    .octet(octet), .gap(gap), .errors(errors)
  );

  generate
    if (REGS != 0) begin : g_regs
      hwgen_link_regs #(
        .ADDR_W(ADDR_W)
      ) u_link_regs (
        .clk(clk), .rst(rst), .head(head), .body(body), .octet(octet),
        .ev_access(ev_access), .ev_hello(ev_hello), .number(number),
        .sending(sending), .ev_answer(ev_answer), .answer_no(answer_no),
        .answer_resp(answer_resp), .answer_data(answer_data),
        .m_axil_awaddr(m_axil_awaddr), .m_axil_awvalid(m_axil_awvalid),
        .m_axil_awready(m_axil_awready), .m_axil_wdata(m_axil_wdata), .m_axil_wstrb(m_axil_wstrb),
        .m_axil_wvalid(m_axil_wvalid), .m_axil_wready(m_axil_wready),
        .m_axil_bresp(m_axil_bresp), .m_axil_bvalid(m_axil_bvalid), .m_axil_bready(m_axil_bready),
        .m_axil_araddr(m_axil_araddr), .m_axil_arvalid(m_axil_arvalid),
        .m_axil_arready(m_axil_arready), .m_axil_rdata(m_axil_rdata), .m_axil_rresp(m_axil_rresp),
        .m_axil_rvalid(m_axil_rvalid), .m_axil_rready(m_axil_rready)
      );
    end else begin : g_no_regs
      assign ev_answer      = 1'b0;
      assign answer_no      = 8'd0;
      assign answer_resp    = 2'b00;
      assign answer_data    = 32'd0;
      assign m_axil_awaddr  = {ADDR_W{1'b0}};
      assign m_axil_awvalid = 1'b0;
      assign m_axil_wdata   = 32'd0;
      assign m_axil_wstrb   = 4'd0;
      assign m_axil_wvalid  = 1'b0;
      assign m_axil_bready  = 1'b0;
      assign m_axil_araddr  = {ADDR_W{1'b0}};
      assign m_axil_arvalid = 1'b0;
      assign m_axil_rready  = 1'b0;
      // no bus: frames of accesses are not looked at
      wire unused_regs = &{1'b0, head, body, octet, ev_access, number, sending, m_axil_awready,
                           m_axil_wready, m_axil_bresp, m_axil_bvalid, m_axil_arready,
                           m_axil_rdata, m_axil_rresp, m_axil_rvalid};
    end
  endgenerate

  // a buffer may hold a key
  hwgen_swept_ram #(
    .WIDTH(8), .DEPTH(DEPTH)
  ) u_job_buffer (
    .clk(clk), .rst(rst), .sweep(ev_open), .busy(in_busy),
    .we(in_we), .waddr(in_waddr), .wdata(in_wdata),
    .re(in_re), .raddr(in_raddr), .rdata(in_rdata)
  );

  hwgen_link_job #(
    .DATA_W(DATA_W), .WINDOW(WINDOW)
  ) u_link_job (
    .clk(clk), .rst(rst), .close(close), .closed(closed),
    .expect_no(expect_no), .drained(drained),
    .re(in_re), .raddr(in_raddr), .rdata(in_rdata),
    .m_axis_job_tdata(m_axis_job_tdata), .m_axis_job_tkeep(m_axis_job_tkeep),
    .m_axis_job_tvalid(m_axis_job_tvalid), .m_axis_job_tready(m_axis_job_tready),
    .m_axis_job_tlast(m_axis_job_tlast)
  );

  hwgen_link_result #(
    .DATA_W(DATA_W), .WINDOW(WINDOW)
  ) u_link_result (
    .clk(clk), .rst(rst), .close(close),
    .s_axis_result_tdata(s_axis_result_tdata), .s_axis_result_tkeep(s_axis_result_tkeep),
    .s_axis_result_tvalid(s_axis_result_tvalid), .s_axis_result_tready(s_axis_result_tready),
    .s_axis_result_tlast(s_axis_result_tlast),
    .acked(acked), .filled(filled), .we(out_we), .waddr(out_waddr), .wdata(out_wdata)
  );

  hwgen_swept_ram #(
    .WIDTH(8), .DEPTH(DEPTH)
  ) u_result_buffer (
    .clk(clk), .rst(rst), .sweep(ev_open), .busy(out_busy),
    .we(out_we), .waddr(out_waddr), .wdata(out_wdata),
    .re(out_re), .raddr(out_raddr), .rdata(out_rdata)
  );

  hwgen_link_tx #(
    .WINDOW(WINDOW), .INFO_BYTES(INFO_BYTES), .INFO(INFO)
  ) u_link_tx (
    .clk(clk), .rst(rst), .close(close),
    .ev_ack(ev_ack), .ev_poll(ev_poll), .ev_hello(ev_hello), .ev_bad(ev_bad), .tag(tag), .ack(ack),
    .ev_opened(opened_q),
    .ev_answer(ev_answer), .answer_no(answer_no), .answer_resp(answer_resp),
    .answer_data(answer_data), .sending(sending),
    .live(live_q), .gap(gap), .expect_no(expect_no), .drained(drained), .errors(errors),
    .in_flight(|inside_q[9:8] ? 8'd255 : inside_q[7:0]),
    .filled(filled), .acked(acked), .re(out_re), .raddr(out_raddr), .rdata(out_rdata),
    .tx_valid(tx_valid), .tx_ready(tx_ready), .tx_data(tx_data)
  );

  hwgen_uart_tx #(
    .CLK_HZ(CLK_HZ), .BAUD(BAUD)
  ) u_uart_tx (
    .clk(clk), .rst(rst), .in_valid(tx_valid), .in_ready(tx_ready), .in_data(tx_data),
    .txd(uart_tx)
  );

  hwgen_blink #(
    .CLK_HZ(CLK_HZ)
  ) u_blink (
    .clk(clk), .rst(rst), .event_0(rx_valid | tx_valid), .event_1(ev_bad),
    .led_0(led_activity), .led_1(led_error)
  );

  wire unused_ok = &{1'b0, s_axis_result_tdest};  // one host gets all results

  always @(posedge clk) begin
    clear_q  <= ev_open;
    opened_q <= 1'b0;
    if (in != out) inside_q <= in ? inside_q + 10'd1 : inside_q - 10'd1;
    if (done) begin
      flush_q  <= 1'b0;
      live_q   <= 1'b1;
      opened_q <= 1'b1;
    end
    // also in the midst of another one
    if (ev_open) begin
      flush_q  <= 1'b1;
      live_q   <= 1'b0;
      opened_q <= 1'b0;
    end
    if (rst) begin
      flush_q  <= 1'b0;
      live_q   <= 1'b0;
      clear_q  <= 1'b0;
      opened_q <= 1'b0;
      inside_q <= 10'd0;
    end
  end
endmodule
`default_nettype wire
