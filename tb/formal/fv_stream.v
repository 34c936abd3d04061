// SPDX-License-Identifier: Apache-2.0
// A valid/ready source keeps its word: what is offered and not taken is offered again, unchanged.
// CHECK = 1 proves it of the module under proof, 0 assumes it of its neighbour.
`default_nettype none
module fv_stream #(
  // bits of the payload
  parameter WIDTH = 1,
  parameter CHECK = 1
) (
  input  wire             clk,
  // a reset, or another reason to withdraw an offer
  input  wire             rst,
  input  wire             valid,
  input  wire             ready,
  input  wire [WIDTH-1:0] data
);
  reg             stalled_q = 1'b0;
  reg [WIDTH-1:0] data_q;

  always @(posedge clk) begin
    stalled_q <= valid & ~ready & ~rst;
    data_q    <= data;
  end

  generate
    if (CHECK != 0) begin : g_check
      always @*
        if (stalled_q & ~rst) begin
          a_valid_stays: assert (valid);
          a_data_stable: assert (data == data_q);
        end
      always @* c_stalled: cover (stalled_q & ready & ~rst);
    end else begin : g_assume
      always @*
        if (stalled_q & ~rst) begin
          e_valid_stays: assume (valid);
          e_data_stable: assume (data == data_q);
        end
    end
  endgenerate
endmodule
`default_nettype wire
