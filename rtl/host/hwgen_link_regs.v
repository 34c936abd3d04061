// SPDX-License-Identifier: Apache-2.0
// Host link, register accesses: a read or write on AXI4-Lite for each frame that asks for one, and
// its answer (docs/host-link.md).
// A frame with the number of the last access is that frame again: it gets its answer again and does
// nothing. A frame that comes while an access or an answer is under way is not taken. A hello
// begins anew: no access counts as the last one, and one that is under way gets no answer.
// Addresses beyond ADDR_W bits are answered with SLVERR and do not reach the bus.
// m_axil_*valid are registers; an answer is taken at any time.
`default_nettype none
module hwgen_link_regs #(
  // bits of a byte address, 2 to 32
  parameter ADDR_W = 16
) (
  input  wire              clk,
  input  wire              rst,
  // a frame begins, byte by byte its payload; it was whole, with this number
  input  wire              head,
  input  wire              body,
  input  wire [7:0]        octet,
  input  wire              ev_access,
  input  wire              ev_hello,
  input  wire [7:0]        number,
  // answer: a pulse, then held until the answer is sent
  input  wire              sending,
  output wire              ev_answer,
  output wire [7:0]        answer_no,
  output wire [1:0]        answer_resp,
  output wire [31:0]       answer_data,
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
  // byte 0: bit 7 write, bits 3:0 strobes; then address and data, lowest byte first
  localparam BYTES = 9;
  localparam [3:0] ALL = BYTES;

  reg  [8*BYTES-1:0] word_q;
  // bytes of the payload that were taken: with an access under way some are not
  reg  [3:0]         count_q;
  reg                run_q, mute_q, has_q, aw_q, w_q, ar_q, answer_q;
  reg  [7:0]         no_q;
  reg  [1:0]         resp_q;
  reg  [31:0]        data_q;

  wire               write = word_q[7];
  wire [31:0]        addr  = word_q[39:8];
  wire               busy  = run_q | answer_q | sending;
  wire               take  = ev_access & ~busy & (count_q == ALL);
  wire               again = has_q & (number == no_q);
  wire               done  = run_q & (write ? m_axil_bvalid : m_axil_rvalid);
  wire               beyond;

  generate
    if (ADDR_W < 2 || ADDR_W > 32) begin : g_bad
      hwgen_error_link_regs_addr_w_must_be_2_to_32 u_error ();
    end
    if (ADDR_W < 32) begin : g_beyond
      assign beyond = |addr[31:ADDR_W];
    end else begin : g_all
      assign beyond = 1'b0;
    end
  endgenerate

  assign ev_answer      = answer_q;
  assign answer_no      = no_q;
  assign answer_resp    = resp_q;
  assign answer_data    = data_q;
  assign m_axil_awaddr  = addr[ADDR_W-1:0];
  assign m_axil_awvalid = aw_q;
  assign m_axil_wdata   = word_q[71:40];
  assign m_axil_wstrb   = word_q[3:0];
  assign m_axil_wvalid  = w_q;
  assign m_axil_bready  = 1'b1;
  assign m_axil_araddr  = addr[ADDR_W-1:0];
  assign m_axil_arvalid = ar_q;
  assign m_axil_rready  = 1'b1;

  wire unused_ok = &{1'b0, word_q[6:4]};  // these bits of byte 0 mean nothing

  always @(posedge clk) begin
    answer_q <= 1'b0;
    if (head) count_q <= 4'd0;
    if (body & ~busy & (count_q != ALL)) begin
      word_q  <= {octet, word_q[8*BYTES-1:8]};
      count_q <= count_q + 4'd1;
    end
    if (m_axil_awready) aw_q <= 1'b0;
    if (m_axil_wready) w_q <= 1'b0;
    if (m_axil_arready) ar_q <= 1'b0;
    if (take & again) begin
      answer_q <= 1'b1;
    end else if (take) begin
      no_q  <= number;
      has_q <= 1'b1;
      if (beyond) begin
        answer_q <= 1'b1;
        resp_q   <= SLVERR;
        data_q   <= 32'd0;
      end else begin
        run_q  <= 1'b1;
        mute_q <= 1'b0;
        aw_q   <= write;
        w_q    <= write;
        ar_q   <= ~write;
      end
    end
    if (done) begin
      run_q    <= 1'b0;
      answer_q <= ~mute_q & ~ev_hello;
      resp_q   <= write ? m_axil_bresp : m_axil_rresp;
      data_q   <= write ? 32'd0 : m_axil_rdata;
    end
    if (ev_hello) begin
      has_q  <= 1'b0;
      mute_q <= 1'b1;
    end
    if (rst) begin
      word_q   <= {(8*BYTES){1'b0}};
      data_q   <= 32'd0;
      count_q  <= 4'd0;
      run_q    <= 1'b0;
      mute_q   <= 1'b0;
      has_q    <= 1'b0;
      aw_q     <= 1'b0;
      w_q      <= 1'b0;
      ar_q     <= 1'b0;
      answer_q <= 1'b0;
    end
  end
endmodule
`default_nettype wire
