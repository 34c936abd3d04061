// SPDX-License-Identifier: Apache-2.0
// hwgen_rr_arb grants one request, and is fair.
`default_nettype none
module hwgen_rr_arb_proof #(
  parameter N     = 4,
  parameter IDX_W = (N > 1) ? $clog2(N) : 1
) (
  input wire         clk,
  input wire         rst,
  input wire [N-1:0] req,
  input wire         advance
);
  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire [N-1:0]     grant;
  wire             any;
  wire [IDX_W-1:0] index;
  hwgen_rr_arb #(
    .N (N)
  ) u_dut (
    .clk     (clk),
    .rst     (rst),
    .req     (req),
    .advance (advance),
    .grant   (grant),
    .any     (any),
    .index   (index)
  );

  // one of the others, and how often it was served while input me waited
  (* anyconst *) wire [IDX_W-1:0] me, other;
  always @* begin
    e_me: assume (me < N);
    e_other: assume (other < N && (other != me || N == 1));
  end
  reg passed_q = 1'b0;
  always @(posedge clk)
    passed_q <= ~rst & req[me] & ~(grant[me] & advance) & (passed_q | (grant[other] & advance));

  always @*
    if (live) begin
      a_one_hot: assert ((grant & (grant - 1'b1)) == 0);
      a_requested: assert ((grant & ~req) == 0);
      a_some: assert (any == (req != 0) && any == (grant != 0));
      if (any) a_index: assert (index < N && grant[index]);
      if (passed_q && req[me] && advance && N > 1) a_fair: assert (~grant[other]);
      c_waited: cover (passed_q && grant[me] && advance);
    end
endmodule
`default_nettype wire
