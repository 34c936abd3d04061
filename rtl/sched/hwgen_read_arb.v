// SPDX-License-Identifier: Apache-2.0
// Shared read port of a RAM: round robin over N requesters, bursts of back-to-back words.
// Request seen in cycle t: ready and the first word's address in t+1, RAM output in t+2.
// Initiation interval: one word a cycle over all requesters; one requester alone every 2 cycles.
// Handshake: ready is a register, one-hot, 1 for one cycle in the first word's cycle; the user
// holds the request's fields itself for the later words.
`default_nettype none
module hwgen_read_arb #(
  // requesters, at least 1
  parameter N       = 4,
  // width of a word number in a burst
  parameter WORDS_W = 1,
  // derived: do not set
  parameter IDX_W   = (N > 1) ? $clog2(N) : 1
) (
  input  wire               clk,
  input  wire               rst,
  // 1: no new grant (the RAM is being swept)
  input  wire               stop,
  input  wire [N-1:0]       req,
  output wire [N-1:0]       ready,
  // words of the burst after the first; sampled with first = 1
  input  wire [WORDS_W-1:0] extra,
  // a word is addressed in this cycle; its number; first of a burst; whose burst it is
  output wire               rd,
  output wire               first,
  output wire [WORDS_W-1:0] word,
  output wire [IDX_W-1:0]   index
);
  localparam [WORDS_W-1:0] ONE  = 1;
  localparam [WORDS_W-1:0] ZERO = 0;

  reg  [N-1:0]       ready_q;
  reg                first_q, more_q;
  reg  [IDX_W-1:0]   index_q;
  reg  [WORDS_W-1:0] left_q, word_q;

  wire [WORDS_W-1:0] left = first_q ? extra : left_q;
  // the port is free for a new burst in the next cycle
  wire               free = left == ZERO;
  wire [N-1:0]       grant;
  wire               any;
  wire [IDX_W-1:0]   index_d;

  assign ready = ready_q;
  assign first = first_q;
  assign rd    = first_q | more_q;
  assign word  = word_q;
  assign index = index_q;

  // a request that is being taken is still visible in this cycle: not to be granted twice
  hwgen_rr_arb #(
    .N (N)
  ) u_arb (
    .clk     (clk),
    .rst     (rst),
    .req     (req & ~ready_q),
    .advance (free & ~stop),
    .grant   (grant),
    .any     (any),
    .index   (index_d)
  );

  always @(posedge clk) begin
    // else all stands at 0
    if (any | rd) begin
      ready_q <= grant & {N{free & ~stop}};
      first_q <= any & free & ~stop;
      more_q  <= ~free;
      left_q  <= free ? ZERO : left - ONE;
      word_q  <= free ? ZERO : word_q + ONE;
      if (free) index_q <= index_d;
    end
    if (rst) begin
      ready_q <= {N{1'b0}};
      first_q <= 1'b0;
      more_q  <= 1'b0;
      left_q  <= ZERO;
      word_q  <= ZERO;
    end
  end

  generate
    if (N < 1 || WORDS_W < 1) begin : g_bad
      hwgen_error_read_arb_n_and_words_w_must_be_at_least_1 u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
