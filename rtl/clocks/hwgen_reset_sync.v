// SPDX-License-Identifier: Apache-2.0
// A reset of any clock, or of none, for the logic of one clock.
// rst_a: asserted at once (clock or no clock), released in step with clk, STAGES + 1 or 2 cycles
// after arst; for asynchronous resets, and to hold outputs that only logic in the same reset sees.
// rst: asserted and released in step with clk, STAGES or STAGES + 1 cycles after rst_a, so before
// that is released; for synchronous resets. A pulse of any length gives at least STAGES cycles of
// rst.
`default_nettype none
module hwgen_reset_sync #(
  // flip-flops in a row, at least 2
  parameter STAGES = 2
) (
  input  wire clk,
  // asynchronous, active high
  input  wire arst,
  output wire rst_a,
  output wire rst
);
  (* ASYNC_REG = "TRUE" *)
  reg [STAGES:0] arst_q;
  // rst_a once more: what resets asynchronously is no data
  reg            data_q;

  assign rst_a = arst_q[STAGES];

  always @(posedge clk or posedge arst)
    if (arst) begin
      arst_q <= {(STAGES+1){1'b1}};
      data_q <= 1'b1;
    end else begin
      arst_q <= {arst_q[STAGES-1:0], 1'b0};
      data_q <= arst_q[STAGES-1];
    end

  hwgen_sync #(
    .WIDTH  (1),
    .STAGES (STAGES)
  ) u_sync (
    .clk (clk),
    .d   (data_q),
    .q   (rst)
  );
endmodule
`default_nettype wire
