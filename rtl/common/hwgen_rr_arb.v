// SPDX-License-Identifier: Apache-2.0
// Round-robin arbiter, fair for any N, powers of two or not.
// Latency 0 (grant, any and index are combinational from req); initiation interval 1.
// grant is one-hot, or 0 without a request. In a cycle with advance = 1 the input after the
// granted one becomes the first choice. The pointer is a thermometer mask: no rotation, no adder.
`default_nettype none
module hwgen_rr_arb #(
  // inputs, at least 1
  parameter N     = 4,
  // derived: do not set
  parameter IDX_W = (N > 1) ? $clog2(N) : 1
) (
  input  wire             clk,
  input  wire             rst,
  input  wire [N-1:0]     req,
  input  wire             advance,
  output wire [N-1:0]     grant,
  output wire             any,
  output wire [IDX_W-1:0] index
);
  generate
    if (N < 1) begin : g_bad
      hwgen_error_rr_arb_n_must_be_at_least_1 u_error ();
    end

    if (N == 1) begin : g_one
      wire unused = &{1'b0, clk, rst, advance};  // one input: no pointer
      assign grant = req;
      assign any   = req[0];
      assign index = unused;
    end else begin : g_many
      // mask_q[i] = 1: input i is after the last one served
      reg  [N-1:0] mask_q;
      wire [N-1:0] high = req & mask_q;
      // below[i]: some request at an index less than i
      wire [N-1:0] below_req, below_high;
      genvar i;
      assign below_req[0]  = 1'b0;
      assign below_high[0] = 1'b0;
      for (i = 1; i < N; i = i + 1) begin : g_below
        assign below_req[i]  = |req[i-1:0];
        assign below_high[i] = |high[i-1:0];
      end
      assign grant = (|high) ? high & ~below_high : req & ~below_req;
      assign any   = |req;

      reg [IDX_W-1:0] index_c;
      integer k;
      always @* begin
        index_c = {IDX_W{1'b0}};
        for (k = 0; k < N; k = k + 1)
          if (grant[k]) index_c = index_c | k[IDX_W-1:0];
      end
      assign index = index_c;

      always @(posedge clk) begin
        // above the granted one; all zero after the last input, which means: from 0 again
        if (advance & any) mask_q <= (|high) ? below_high : below_req;
        if (rst) mask_q <= {N{1'b0}};
      end
    end
  endgenerate
endmodule
`default_nettype wire
