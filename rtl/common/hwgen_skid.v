// SPDX-License-Identifier: Apache-2.0
// Skid buffer: registers a valid/ready stream in both directions, two entries.
// Latency 1; initiation interval 1. out_* are registers; in_ready is a register, and 0 while rst =
// 1 (from the first cycle of reset on, so that no beat is taken and then lost).
`default_nettype none
module hwgen_skid #(
  // bits of a beat
  parameter WIDTH = 8
) (
  input  wire             clk,
  input  wire             rst,
  input  wire             in_valid,
  output wire             in_ready,
  input  wire [WIDTH-1:0] in_data,
  output wire             out_valid,
  input  wire             out_ready,
  output wire [WIDTH-1:0] out_data
);
  // full_q is not ~ready_q: after reset both are 0
  reg             ready_q, full_q, out_q;
  reg [WIDTH-1:0] out_data_q, skid_data_q;

  wire move = ~out_q | out_ready;

  assign in_ready  = ready_q & ~rst;
  assign out_valid = out_q;
  assign out_data  = out_data_q;

  always @(posedge clk) begin
    // Idle, and what it held overwritten by what came behind: nothing to do.
    if (in_valid | out_q | ~ready_q) begin
      if (move) begin
        out_q      <= full_q | (in_valid & ready_q);
        out_data_q <= full_q ? skid_data_q : in_data;
        full_q     <= 1'b0;
        ready_q    <= 1'b1;
      end else if (in_valid & ready_q) begin
        full_q     <= 1'b1;
        ready_q    <= 1'b0;
      end
      if (~full_q) skid_data_q <= in_data;
    end
    if (rst) begin
      out_q   <= 1'b0;
      full_q  <= 1'b0;
      ready_q <= 1'b0;
    end
  end
endmodule
`default_nettype wire
