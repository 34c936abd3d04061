// SPDX-License-Identifier: Apache-2.0
// hwgen_compare_tree: what comes out LEVELS + 1 cycles after load is the least score of those not
// skipped, the lowest index on ties: compared with a scan over the inputs. MODULAR: scores lie in half
// of the circle, ahead of an origin (any).
`default_nettype none
module hwgen_compare_tree_proof #(
  parameter N       = 4,
  parameter W       = 4,
  parameter MODULAR = 0,
  parameter IDX_W   = (N > 1) ? $clog2(N) : 1
) (
  input wire           clk,
  input wire           rst,
  input wire           load,
  input wire           drop,
  input wire [N*W-1:0] score,
  input wire [N-1:0]   skip,
  input wire [W-1:0]   some_origin
);
  localparam LEVELS = (N > 1) ? $clog2(N) : 0;

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire             none, out_valid;
  wire [IDX_W-1:0] out_index;
  wire [W-1:0]     out_score;
  wire [N*W-1:0]   leaf_score;
  wire [N-1:0]     leaf_skip;
  hwgen_compare_tree #(
    .N       (N),
    .W       (W),
    .MODULAR (MODULAR)
  ) u_dut (
    .clk        (clk),
    .rst        (rst),
    .load       (load),
    .drop       (drop),
    .score      (score),
    .skip       (skip),
    .none       (none),
    .out_valid  (out_valid),
    .out_index  (out_index),
    .out_score  (out_score),
    .leaf_score (leaf_score),
    .leaf_skip  (leaf_skip)
  );

  // the scan
  wire [W-1:0]    origin = (MODULAR != 0) ? some_origin : {W{1'b0}};
  reg             any;
  reg [IDX_W-1:0] best;
  reg [W-1:0]     least, ahead;
  reg             half;
  integer k;
  always @* begin
    any   = 1'b0;
    best  = 0;
    least = 0;
    half  = 1'b1;
    for (k = 0; k < N; k = k + 1) begin
      ahead = score[k*W +: W] - origin;
      if (~skip[k]) begin
        half = half & ~ahead[W-1];
        if (~any || ahead < least) begin
          any   = 1'b1;
          best  = k;
          least = ahead;
        end
      end
    end
    if (MODULAR != 0 && load) e_half: assume (half);
  end

  // beside the tree, a register a level
  reg [LEVELS:0]             due_q = 0, any_q;
  reg [(LEVELS+1)*IDX_W-1:0] best_q;
  reg [(LEVELS+1)*W-1:0]     least_q;
  reg [N*W-1:0]              seen_q;
  reg [N-1:0]                skip_q;
  reg                        loaded_q = 1'b0;
  wire [LEVELS+1:0]             due_d   = {due_q, load};
  wire [LEVELS+1:0]             any_d   = {any_q, any};
  wire [(LEVELS+2)*IDX_W-1:0]   best_d  = {best_q, best};
  wire [W-1:0]                  least_now = least + origin;
  wire [(LEVELS+2)*W-1:0]       least_d = {least_q, least_now};
  always @(posedge clk) begin
    due_q   <= (rst | drop | ~live) ? 0 : due_d[LEVELS:0];
    any_q   <= any_d[LEVELS:0];
    best_q  <= best_d[(LEVELS+1)*IDX_W-1:0];
    least_q <= least_d[(LEVELS+1)*W-1:0];
    if (load) begin
      loaded_q <= 1'b1;
      seen_q   <= score;
      skip_q   <= skip;
    end
  end
  wire             due      = due_q[LEVELS] & any_q[LEVELS];
  wire [IDX_W-1:0] expected = best_q[LEVELS*IDX_W +: IDX_W];

  always @*
    if (live) begin
      a_valid: assert (out_valid == due);
      if (due) a_least: assert (out_index == expected);
      if (due) a_score: assert (out_score == least_q[LEVELS*W +: W]);
      a_none: assert (none == (due_q[0] & ~any_q[0]));
      if (loaded_q) a_seen: assert (leaf_score == seen_q && leaf_skip == skip_q);
      c_last: cover (due && expected == N - 1);
      c_none: cover (none);
    end
endmodule
`default_nettype wire
