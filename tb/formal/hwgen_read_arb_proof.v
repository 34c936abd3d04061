// SPDX-License-Identifier: Apache-2.0
// hwgen_read_arb: each request (any requester) is taken once, within a bound, and gets all words of its
// burst in a row, numbered from 0.
`default_nettype none
module hwgen_read_arb_proof #(
  parameter N       = 3,
  parameter WORDS_W = 2,
  parameter IDX_W   = (N > 1) ? $clog2(N) : 1
) (
  input wire               clk,
  input wire               rst,
  input wire               stop,
  input wire [N-1:0]       req,
  input wire [WORDS_W-1:0] extra
);
  localparam BOUND  = (N + 1) * (1 << WORDS_W);
  localparam WAIT_W = $clog2(BOUND + 1);

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire [N-1:0]       ready;
  wire               rd, first;
  wire [WORDS_W-1:0] word;
  wire [IDX_W-1:0]   index;
  hwgen_read_arb #(
    .N       (N),
    .WORDS_W (WORDS_W)
  ) u_dut (
    .clk   (clk),
    .rst   (rst),
    .stop  (stop),
    .req   (req),
    .ready (ready),
    .extra (extra),
    .rd    (rd),
    .first (first),
    .word  (word),
    .index (index)
  );

  (* anyconst *) wire [IDX_W-1:0] me;
  always @* e_me: assume (me < N);
  reg asked_q = 1'b0;
  always @(posedge clk) asked_q <= req[me] & ~ready[me] & live & ~rst;
  always @* if (asked_q) e_request_stays: assume (req[me]);

  // the burst by its words
  reg               busy_q = 1'b0, stop_q;
  reg [WORDS_W-1:0] left_q, next_q;
  reg [IDX_W-1:0]   owner_q;
  reg [WAIT_W-1:0]  wait_q = 0;
  always @(posedge clk) begin
    stop_q <= stop;
    if (first) begin
      busy_q  <= extra != 0;
      left_q  <= extra;
      next_q  <= 1;
      owner_q <= index;
    end else if (busy_q) begin
      busy_q <= left_q != 1;
      left_q <= left_q - 1'b1;
      next_q <= next_q + 1'b1;
    end
    wait_q <= (req[me] & ~ready[me] & ~stop) ? wait_q + 1'b1 : 0;
    if (rst | ~live) begin
      busy_q <= 1'b0;
      wait_q <= 0;
    end
  end

  always @*
    if (live & ~rst) begin
      a_one_hot: assert ((ready & (ready - 1'b1)) == 0);
      a_first: assert (first == (ready != 0) && rd == (first | busy_q));
      if (first) a_index: assert (ready[index] && word == 0);
      if (ready[me]) a_asked: assert (req[me] && asked_q);
      if (busy_q) a_burst: assert (~first && word == next_q && index == owner_q);
      if (ready != 0) a_stop: assert (~stop_q);
      a_served: assert (wait_q < BOUND);
      c_burst: cover (busy_q && left_q == 1 && owner_q == me && next_q == 3);
    end
endmodule
`default_nettype wire
