// SPDX-License-Identifier: Apache-2.0
// Synchroniser: a signal of another clock, through flip-flops of this one.
// Latency STAGES to STAGES + 1 cycles. d comes straight from a register. More than one bit only
// where at most one of them changes at a time (a Gray code), or where any mixture of old and new
// will do. The constraints of a crossing end at meta_q; no reset: q follows d. In simulation
// HWGEN_SIM_METASTABLE makes the latency vary as it does in hardware.
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

`ifdef HWGEN_SIM_METASTABLE
  // a change is seen at once or a cycle later, by chance, as when it comes with the edge
  reg [WIDTH-1:0] was_q;
  always @(posedge clk) begin
    was_q  <= d;
    meta_q <= (($random & 1) != 0) ? was_q : d;
  end
`else
  always @(posedge clk) meta_q <= d;
`endif

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
