// SPDX-License-Identifier: Apache-2.0
// The reference of a first-in first-out queue: how many entries are inside, and one of them, any one,
// followed from its push to its pop. mark, a free input, picks it; ahead says how many are before it.
// Nothing comes out that did not go in, the entry comes out in its turn and unchanged. Since it may be
// any entry, this is order, and no loss and no duplicate in the middle; the wrapper adds that the
// queue offers an entry whenever count is not 0.
`default_nettype none
module fv_queue #(
  // bits of an entry
  parameter WIDTH = 1,
  // entries at most
  parameter DEPTH = 1,
  // derived: do not set
  parameter CNT_W = $clog2(DEPTH + 1)
) (
  input  wire             clk,
  input  wire             rst,
  input  wire             push,
  input  wire [WIDTH-1:0] in_data,
  input  wire             pop,
  input  wire [WIDTH-1:0] out_data,
  input  wire             mark,
  output wire [CNT_W-1:0] count,
  output wire             tracked,
  output wire [CNT_W-1:0] ahead,
  output wire [WIDTH-1:0] data
);
  localparam [31:0] FULL_I = DEPTH;
  localparam [CNT_W-1:0] FULL = FULL_I[CNT_W-1:0];
  localparam [CNT_W-1:0] ONE = 1;

  reg             tracked_q = 1'b0;
  reg [CNT_W-1:0] count_q = 0, ahead_q = 0;
  reg [WIDTH-1:0] data_q;
  wire            mine = pop & tracked_q & (ahead_q == {CNT_W{1'b0}});

  assign count   = count_q;
  assign tracked = tracked_q;
  assign ahead   = ahead_q;
  assign data    = data_q;

  always @(posedge clk) begin
    if (push & ~pop) count_q <= count_q + ONE;
    if (pop & ~push) count_q <= count_q - ONE;
    if (~tracked_q & push & mark) begin
      tracked_q <= 1'b1;
      data_q    <= in_data;
      ahead_q   <= pop ? count_q - ONE : count_q;
    end else if (tracked_q & pop) begin
      ahead_q   <= ahead_q - ONE;
      tracked_q <= ~mine;
    end
    if (rst) begin
      tracked_q <= 1'b0;
      count_q   <= {CNT_W{1'b0}};
    end
  end

  always @* begin
    if (push & ~pop & ~rst) a_no_overflow: assert (count_q != FULL);
    if (pop & ~rst) a_none_from_nothing: assert (count_q != {CNT_W{1'b0}});
    if (mine & ~rst) a_in_turn: assert (out_data == data_q);
    i_count: assert (count_q <= FULL);
    if (tracked_q) i_ahead: assert (ahead_q < count_q);
    c_through: cover (mine & ~rst);
    c_full: cover (count_q == FULL);
  end
endmodule
`default_nettype wire
