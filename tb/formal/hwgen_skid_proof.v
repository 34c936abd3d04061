// SPDX-License-Identifier: Apache-2.0
// hwgen_skid is a queue of two entries whose ready is a register: see fv_queue.
`default_nettype none
module hwgen_skid_proof #(
  parameter WIDTH = 2
) (
  input wire             clk,
  input wire             rst,
  input wire             in_valid,
  input wire [WIDTH-1:0] in_data,
  input wire             out_ready,
  input wire             mark
);
  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire             in_ready, out_valid;
  wire [WIDTH-1:0] out_data;
  hwgen_skid #(
    .WIDTH (WIDTH)
  ) u_dut (
    .clk       (clk),
    .rst       (rst),
    .in_valid  (in_valid),
    .in_ready  (in_ready),
    .in_data   (in_data),
    .out_valid (out_valid),
    .out_ready (out_ready),
    .out_data  (out_data)
  );

  wire             tracked;
  wire [1:0]       count, ahead;
  wire [WIDTH-1:0] data;
  fv_queue #(
    .WIDTH (WIDTH),
    .DEPTH (2)
  ) u_queue (
    .clk      (clk),
    .rst      (rst | ~live),
    .push     (in_valid & in_ready),
    .in_data  (in_data),
    .pop      (out_valid & out_ready),
    .out_data (out_data),
    .mark     (mark),
    .count    (count),
    .tracked  (tracked),
    .ahead    (ahead),
    .data     (data)
  );

  fv_stream #(
    .WIDTH (WIDTH)
  ) u_out (
    .clk   (clk),
    .rst   (rst | ~live),
    .valid (out_valid),
    .ready (out_ready),
    .data  (out_data)
  );

  (* hierconn *) wire             \u_dut.full_q ;
  (* hierconn *) wire [WIDTH-1:0] \u_dut.skid_data_q ;
  always @*
    if (live) begin
      a_offers: assert (out_valid == (count != 0));
      a_accepts: assert (in_ready == (~rst && ~fresh && count != 2));
      i_full: assert (\u_dut.full_q == (count == 2));
      if (tracked)
        i_place: assert (((ahead == 0) ? out_data : \u_dut.skid_data_q ) == data);
    end
endmodule
`default_nettype wire
