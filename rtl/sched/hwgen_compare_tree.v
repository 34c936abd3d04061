// SPDX-License-Identifier: Apache-2.0
// Index of the least of N scores; ties go to the lowest index; a skipped input never wins.
// Latency ceil(log2 N) + 1: a leaf register, then a registered rank a level; interval 1.
// Handshake: load samples the inputs; none (combinational from the leaves, in the next cycle) says
// that all are skipped, and then no out_valid comes; drop forgets what is under way.
// A key is {skip, score}. What is a left child of its parent is stored complemented, so a
// compare is the carry of left + right + 1 (= right >= left: the left one stays) and nothing else:
//
//   leaves ~k0 k1 ~k2 k3 ~k4        level 0
//           \  /   \  /   |         each dot a register; an odd one out passes
//           ~(01)  (23)  ~(4)       level 1
//
// MODULAR: a score is behind another one when their difference modulo 2^W has its top bit set.
`default_nettype none
module hwgen_compare_tree #(
  // inputs, at least 1; need not be a power of two
  parameter N     = 4,
  // bits of a score
  parameter W     = 12,
  // 1: scores wrap; any two of inputs that are not skipped differ by less than 2^(W-1); W >= 2
  parameter MODULAR = 0,
  // derived: do not set
  parameter IDX_W = (N > 1) ? $clog2(N) : 1
) (
  input  wire             clk,
  input  wire             rst,
  input  wire             load,
  input  wire             drop,
  input  wire [N*W-1:0]   score,
  input  wire [N-1:0]     skip,
  output wire             none,
  output wire             out_valid,
  output wire [IDX_W-1:0] out_index,
  output wire [W-1:0]     out_score,
  // the leaves as the tree sees them
  output wire [N*W-1:0]   leaf_score,
  output wire [N-1:0]     leaf_skip
);
  localparam LEVELS = (N > 1) ? $clog2(N) : 0;
  localparam KEY_W  = W + 1;

  function integer nodes(input integer level);
    nodes = (N + (1 << level) - 1) >> level;
  endfunction

  // number of the first node of a level, counted from the leaves up
  function integer base(input integer level);
    integer k;
    begin
      base = 0;
      for (k = 0; k < level; k = k + 1) base = base + nodes(k);
    end
  endfunction

  localparam TOTAL = base(LEVELS + 1);

  wire [TOTAL*KEY_W-1:0] key;
  wire [TOTAL*IDX_W-1:0] idx;
  // valid_q[l]: level l holds a decision
  reg  [LEVELS:0]        valid_q;
  wire [LEVELS+1:0]      valid_d = {valid_q, load};
  wire                   unused = &{1'b0, valid_d, key};  // top bits: after the root; its skip

  assign none      = valid_q[0] & (&leaf_skip);
  assign out_index = idx[(TOTAL-1)*IDX_W +: IDX_W];
  assign out_score = key[(TOTAL-1)*KEY_W +: W];

  genvar l, i;
  generate
    if (N < 1 || W < 1) begin : g_bad
      hwgen_error_compare_tree_n_and_w_must_be_at_least_1 u_error ();
    end
    if (MODULAR != 0 && W < 2) begin : g_bad_modular
      hwgen_error_compare_tree_modular_w_must_be_at_least_2 u_error ();
    end

    if (LEVELS == 0) begin : g_one
      assign out_valid = valid_q[0] & ~none;
    end else begin : g_many
      assign out_valid = valid_q[LEVELS];
    end

    for (l = 0; l <= LEVELS; l = l + 1) begin : g_level
      for (i = 0; i < nodes(l); i = i + 1) begin : g_node
        localparam ME   = base(l) + i;
        localparam LEFT = (l < LEVELS) && (i % 2 == 0);
        wire [KEY_W-1:0] best;
        wire [IDX_W-1:0] best_idx;
        reg  [KEY_W-1:0] key_q;

        if (l == 0) begin : g_leaf
          assign best     = {skip[i], score[i*W +: W]};
          localparam [31:0] I = i;
          assign best_idx = I[IDX_W-1:0];
          assign idx[ME*IDX_W +: IDX_W] = best_idx;
          wire [KEY_W-1:0] seen = LEFT ? ~key_q : key_q;
          assign leaf_skip[i]           = seen[W];
          assign leaf_score[i*W +: W]   = seen[W-1:0];
          always @(posedge clk) if (load) key_q <= LEFT ? ~best : best;
        end else begin : g_rank
          localparam A = base(l - 1) + 2 * i;
          reg [IDX_W-1:0] idx_q;
          assign idx[ME*IDX_W +: IDX_W] = idx_q;
          if (2 * i + 1 < nodes(l - 1)) begin : g_pair
            wire [KEY_W-1:0] left_n = key[A*KEY_W +: KEY_W];
            wire [KEY_W-1:0] right  = key[(A+1)*KEY_W +: KEY_W];
            wire             stay;
            if (MODULAR != 0) begin : g_modular
              // The top bit of right - left, without skips. A position put in below it passes the
              // carry on, or forces it so that a skipped one loses: no logic after the chain.
              wire differ = right[W-1] ^ left_n[W-1];
              wire forced = right[W] | ~left_n[W];
              wire carry  = differ ^ ~right[W];
              wire [W:0] sum = {left_n[W-1], forced & carry, left_n[W-2:0]}
                             + {right[W-1], ~forced | carry, right[W-2:0]} + {{W{1'b0}}, 1'b1};
              assign stay = ~sum[W];
              wire unused_sum = &{1'b0, sum};  // its top bit alone counts
            end else begin : g_plain
              wire [KEY_W:0] sum = {1'b0, left_n} + {1'b0, right} + {{KEY_W{1'b0}}, 1'b1};
              assign stay = sum[KEY_W];
              wire unused_sum = &{1'b0, sum};  // its top bit alone counts
            end
            assign best     = stay ? ~left_n : right;
            assign best_idx = stay ? idx[A*IDX_W +: IDX_W] : idx[(A+1)*IDX_W +: IDX_W];
          end else begin : g_odd
            assign best     = ~key[A*KEY_W +: KEY_W];
            assign best_idx = idx[A*IDX_W +: IDX_W];
          end
          always @(posedge clk) begin
            key_q <= LEFT ? ~best : best;
            idx_q <= best_idx;
          end
        end

        assign key[ME*KEY_W +: KEY_W] = key_q;
      end
    end
  endgenerate

  always @(posedge clk) begin
    valid_q <= valid_d[LEVELS:0];
    if (LEVELS > 0 && none) valid_q[(LEVELS > 0) ? 1 : 0] <= 1'b0;
    if (rst | drop) valid_q <= {(LEVELS+1){1'b0}};
  end
endmodule
`default_nettype wire
