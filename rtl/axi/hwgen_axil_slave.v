// SPDX-License-Identifier: Apache-2.0
// AXI4-Lite slave in front of a register file: 32 bits, one read and one write under way at a time.
// Latency: write handshakes to bvalid 2; arvalid to rvalid 3. Sustains a write and a read every 2
// cycles. All outputs to the bus are registers, but for the readys, which are 0 while rst = 1.
// Write: wr_valid with address, data, strobes; it is done in the first cycle in which wr_wait = 0,
// and wr_ok of that cycle is its answer. Read: rd_valid with rd_addr (for memories) in one cycle,
// unless rd_wait; rd_at a cycle later, in which rd_data and rd_ok are the answer.
// An answer without ok is SLVERR, of a read with data 0.
`default_nettype none
module hwgen_axil_slave #(
  // bits of a byte address, at least 3
  parameter ADDR_W = 16
) (
  input  wire              clk,
  input  wire              rst,
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
  // register file; addresses are of words
  output wire              wr_valid,
  output wire [ADDR_W-3:0] wr_addr,
  output wire [31:0]       wr_data,
  output wire [3:0]        wr_strb,
  input  wire              wr_wait,
  input  wire              wr_ok,
  output wire              rd_valid,
  output wire [ADDR_W-3:0] rd_addr,
  input  wire              rd_wait,
  output wire [ADDR_W-3:0] rd_at,
  input  wire [31:0]       rd_data,
  input  wire              rd_ok
);
  localparam [1:0] OKAY   = 2'b00;
  localparam [1:0] SLVERR = 2'b10;

  reg              aw_q, w_q, b_q, ar_q, look_q, r_q;
  reg [ADDR_W-3:0] aw_addr_q, ar_addr_q, at_q;
  reg [31:0]       w_data_q, r_data_q;
  reg [3:0]        w_strb_q;
  reg [1:0]        b_resp_q, r_resp_q;

  assign s_axil_awready = ~aw_q & ~rst;
  assign s_axil_wready  = ~w_q & ~rst;
  assign s_axil_bvalid  = b_q;
  assign s_axil_bresp   = b_resp_q;
  assign s_axil_arready = ~ar_q & ~rst;
  assign s_axil_rvalid  = r_q;
  assign s_axil_rdata   = r_data_q;
  assign s_axil_rresp   = r_resp_q;

  // an answer that waits holds the next access back
  assign wr_valid = aw_q & w_q & ~b_q;
  assign wr_addr  = aw_addr_q;
  assign wr_data  = w_data_q;
  assign wr_strb  = w_strb_q;
  assign rd_valid = ar_q & ~look_q & (~r_q | s_axil_rready) & ~rd_wait;
  assign rd_addr  = ar_addr_q;
  assign rd_at    = at_q;

  wire wr_go = wr_valid & ~wr_wait;
  // addresses are of bytes; the registers are words
  wire unused_ok = &{1'b0, s_axil_awaddr[1:0], s_axil_araddr[1:0]};

  always @(posedge clk) begin
    if (~aw_q) begin
      aw_q      <= s_axil_awvalid;
      aw_addr_q <= s_axil_awaddr[ADDR_W-1:2];
    end else if (wr_go) begin
      aw_q <= 1'b0;
    end
    if (~w_q) begin
      w_q      <= s_axil_wvalid;
      w_data_q <= s_axil_wdata;
      w_strb_q <= s_axil_wstrb;
    end else if (wr_go) begin
      w_q <= 1'b0;
    end
    if (wr_go) begin
      b_q      <= 1'b1;
      b_resp_q <= wr_ok ? OKAY : SLVERR;
    end else if (s_axil_bready) begin
      b_q <= 1'b0;
    end

    if (~ar_q) begin
      ar_q      <= s_axil_arvalid;
      ar_addr_q <= s_axil_araddr[ADDR_W-1:2];
    end else if (rd_valid) begin
      ar_q <= 1'b0;
    end
    look_q <= rd_valid;
    at_q   <= ar_addr_q;
    if (look_q) begin
      r_q      <= 1'b1;
      r_data_q <= rd_data & {32{rd_ok}};
      r_resp_q <= rd_ok ? OKAY : SLVERR;
    end else if (s_axil_rready) begin
      r_q <= 1'b0;
    end

    if (rst) begin
      aw_q   <= 1'b0;
      w_q    <= 1'b0;
      b_q    <= 1'b0;
      ar_q   <= 1'b0;
      look_q <= 1'b0;
      r_q    <= 1'b0;
    end
  end

  generate
    if (ADDR_W < 3) begin : g_bad
      hwgen_error_axil_slave_addr_w_must_be_at_least_3 u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
