// SPDX-License-Identifier: Apache-2.0
// hwgen_async_result behind its FIFO: the result stream of a design with [clocks] keeps AXI4-Stream's
// rules whatever the FIFO offers, and whenever the scheduler is reset or cleared. clk is result_clk.
`default_nettype none
module hwgen_async_result_proof #(
  parameter DATA_W = 32
) (
  input wire clk,
  input wire rst,
  input wire rst_a,
  input wire clear,
  input wire tready
);
  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire                s_tready, tvalid, tlast, tdest, lost;
  wire [DATA_W-1:0]   tdata;
  wire [DATA_W/8-1:0] tkeep;
  hwgen_async_result #(
    .DATA_W (DATA_W),
    .TID_W  (1)
  ) u_dut (
    .clk                  (clk),
    .hold                 (1'b0),
    .clear                (1'b0),
    .s_axis_result_tdata  ({DATA_W{1'b0}}),
    .s_axis_result_tkeep  ({(DATA_W/8){1'b0}}),
    .s_axis_result_tvalid (1'b0),
    .s_axis_result_tready (s_tready),
    .s_axis_result_tlast  (1'b0),
    .s_axis_result_tdest  (1'b0),
    .result_clk           (clk),
    .result_rst_a         (rst_a),
    .result_rst           (rst),
    .result_clear         (clear),
    .m_axis_result_tdata  (tdata),
    .m_axis_result_tkeep  (tkeep),
    .m_axis_result_tvalid (tvalid),
    .m_axis_result_tready (tready),
    .m_axis_result_tlast  (tlast),
    .m_axis_result_tdest  (tdest),
    .lost                 (lost)
  );

  // the receiver's own reset takes an offer back, and nothing else does
  fv_stream #(
    .WIDTH (DATA_W + DATA_W/8 + 2)
  ) u_out (
    .clk   (clk),
    .rst   (rst | rst_a | ~live),
    .valid (tvalid),
    .ready (tready),
    .data  ({tdata, tkeep, tlast, tdest})
  );

  // a beat taken from the FIFO is on the port in the next cycle
  (* hierconn *) wire              \u_dut.load ;
  (* hierconn *) wire [DATA_W-1:0] \u_dut.f_data ;
  (* hierconn *) wire              \u_dut.f_last ;
  reg              load_q = 1'b0, last_q;
  reg [DATA_W-1:0] data_q;
  always @(posedge clk) begin
    load_q <= \u_dut.load & live & ~rst;
    data_q <= \u_dut.f_data ;
    last_q <= \u_dut.f_last ;
  end
  always @*
    if (live & ~rst & ~rst_a) begin
      if (load_q) a_loaded: assert (tvalid && tdata == data_q && tlast == last_q);
      c_last: cover (tvalid & tready & tlast);
    end
endmodule
`default_nettype wire
