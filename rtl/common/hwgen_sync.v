// SPDX-License-Identifier: Apache-2.0
// Synchroniser: a signal of another clock, through flip-flops of this one.
// Latency STAGES to STAGES + 1 cycles. d comes straight from a register. More than one bit only where
// at most one of them changes at a time (a Gray code), or where any mixture of old and new will do.
// The constraints of a crossing end at meta_q; no reset: q follows d.
`default_nettype none
module hwgen_sync #(
  parameter WIDTH  = 1,
  // flip-flops in a row, at least 2
  parameter STAGES = 2
) (
  input  wire             clk,
  input  wire [WIDTH-1:0] d,
  output wire [WIDTH-1:0] q
);
  (* ASYNC_REG = "TRUE" *)
  reg [WIDTH-1:0]            meta_q;
  (* ASYNC_REG = "TRUE" *)
  reg [(STAGES-1)*WIDTH-1:0] sync_q;

  assign q = sync_q[(STAGES-2)*WIDTH +: WIDTH];

  always @(posedge clk) meta_q <= d;

  generate
    if (WIDTH < 1 || STAGES < 2) begin : g_bad
      hwgen_error_sync_width_must_be_at_least_1_and_stages_2 u_error ();
    end

    if (STAGES == 2) begin : g_two
      always @(posedge clk) sync_q <= meta_q;
    end else begin : g_more
      always @(posedge clk) sync_q <= {sync_q[(STAGES-2)*WIDTH-1:0], meta_q};
    end
  endgenerate
endmodule
`default_nettype wire
