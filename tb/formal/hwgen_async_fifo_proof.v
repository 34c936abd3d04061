// SPDX-License-Identifier: Apache-2.0
// hwgen_async_fifo on two clocks that have nothing to do with each other: a step of the model is any
// moment in which one of them, both or none may toggle. A register takes in the step after a rising edge
// what its input was in the step before; in that step w_edge, r_edge are 1.
// Both sides are reset first, until either has seen the other's pointer at 0, as hwgen_cdc_reset does; no
// reset comes after that.
`default_nettype none
module hwgen_async_fifo_proof #(
  parameter WIDTH  = 1,
  parameter DEPTH  = 4,
  parameter STAGES = 2,
  // derived: do not set
  parameter PTR_W  = $clog2(DEPTH) + 1,
  parameter CNT_W  = $clog2(DEPTH + 2)
) (
  input wire             w_toggle,
  input wire             r_toggle,
  input wire             in_valid,
  input wire [WIDTH-1:0] in_data,
  input wire             out_ready,
  input wire             mark
);
  localparam [2:0] LONG = STAGES;
  localparam [CNT_W-1:0] ONE = 1, MOST = DEPTH + 1;

  (* gclk *) reg step;
  reg w_clk = 1'b0, r_clk = 1'b0, live = 1'b0, w_first = 1'b0, r_first = 1'b0;
  reg [2:0] w_left = LONG, r_left = LONG;
  wire w_edge = w_toggle & ~w_clk;
  wire r_edge = r_toggle & ~r_clk;

  always @(posedge step) begin
    w_clk <= w_clk ^ w_toggle;
    r_clk <= r_clk ^ r_toggle;
    if (w_edge) w_first <= 1'b1;
    if (r_edge) r_first <= 1'b1;
    if (w_edge & r_first & (w_left != 0)) w_left <= w_left - 3'd1;
    if (r_edge & w_first & (r_left != 0)) r_left <= r_left - 3'd1;
    if (w_left == 0 && r_left == 0) live <= 1'b1;
  end

  wire             in_ready, out_valid;
  wire [WIDTH-1:0] out_data;
  hwgen_async_fifo #(
    .WIDTH  (WIDTH),
    .DEPTH  (DEPTH),
    .STAGES (STAGES)
  ) u_dut (
    .w_clk     (w_clk),
    .w_rst     (~live),
    .w_hold    (~live),
    .in_valid  (in_valid),
    .in_ready  (in_ready),
    .in_data   (in_data),
    .r_clk     (r_clk),
    .r_rst     (~live),
    .r_hold    (~live),
    .out_valid (out_valid),
    .out_ready (out_ready),
    .out_data  (out_data)
  );

  // The reference, as fv_queue: how many are inside, and any one of them, followed.
  wire push = w_edge & in_valid & in_ready;
  wire pop  = r_edge & out_valid & out_ready;
  reg  [CNT_W-1:0] count = 0, ahead = 0;
  reg  [WIDTH-1:0] data;
  reg              tracked = 1'b0;
  wire             mine = pop & tracked & (ahead == 0);
  // edges of its clock for which an end has had to wait
  reg  [3:0]       w_late = 0, r_late = 0;
  wire [PTR_W-1:0] w_gray, r_gray;
  reg  [PTR_W-1:0] w_was = 0, r_was = 0;
  reg              stalled = 1'b0;
  reg  [WIDTH-1:0] offer;

  // the word of the one that is followed, until that is written again; edges of the writer since it went to
  // the output; edges of the writer, then of the reader, with nothing inside
  localparam SOON_W = $clog2(2 * DEPTH + STAGES + 3);
  localparam [SOON_W-1:0] SOON = 2 * DEPTH + STAGES + 2, FIRST = 1;
  reg  [PTR_W-2:0] word;
  reg              left = 1'b0;
  reg [SOON_W-1:0] w_free = 0, w_calm = 0;
  reg              r_calm = 1'b0;
  wire             we;
  wire [PTR_W-2:0] waddr;
  wire [WIDTH-1:0] wdata;

  (* hierconn *) wire [PTR_W-1:0] \u_dut.w_gray_q ;
  (* hierconn *) wire [PTR_W-1:0] \u_dut.r_gray_q ;
  (* hierconn *) wire \u_dut.u_ram.we ;
  (* hierconn *) wire [PTR_W-2:0] \u_dut.u_ram.waddr ;
  (* hierconn *) wire [WIDTH-1:0] \u_dut.u_ram.wdata ;
  assign w_gray = \u_dut.w_gray_q ;
  assign r_gray = \u_dut.r_gray_q ;
  assign we     = \u_dut.u_ram.we ;
  assign waddr  = \u_dut.u_ram.waddr ;
  assign wdata  = \u_dut.u_ram.wdata ;

  always @(posedge step) begin
    if (push & ~pop) count <= count + ONE;
    if (pop & ~push) count <= count - ONE;
    if (~tracked & push & mark) begin
      tracked <= 1'b1;
      data    <= in_data;
      ahead   <= pop ? count - ONE : count;
    end else if (tracked & pop) begin
      ahead   <= ahead - ONE;
      tracked <= ~mine;
    end
    if (out_valid | (count == 0)) r_late <= 4'd0;
    else if (r_edge)              r_late <= r_late + 4'd1;
    if (in_ready | (count >= DEPTH) | ~live) w_late <= 4'd0;
    else if (w_edge)                         w_late <= w_late + 4'd1;
    if (~tracked & push & mark) begin
      word <= waddr;
      left <= 1'b1;
    end else if (w_edge & we & (waddr == word)) left <= 1'b0;
    if (~left | (tracked & ~(out_valid & (ahead == 0)))) w_free <= 0;
    else if (w_edge & (w_free != SOON)) w_free <= w_free + FIRST;
    if (~live | push | (count != 0)) w_calm <= 0;
    else if (w_edge & (w_calm != SOON)) w_calm <= w_calm + FIRST;
    if (w_calm != SOON) r_calm <= 1'b0;
    else if (r_edge) r_calm <= 1'b1;
    w_was   <= w_gray;
    r_was   <= r_gray;
    stalled <= live & out_valid & ~pop;
    offer   <= out_data;
  end

  wire [PTR_W-1:0] w_flips = w_gray ^ w_was;
  wire [PTR_W-1:0] r_flips = r_gray ^ r_was;
  always @*
    if (live) begin
      if (push) a_no_overflow: assert (count != MOST);
      if (pop) a_none_from_nothing: assert (count != 0);
      if (mine) a_in_turn: assert (out_data == data);
      if (stalled) a_stable: assert (out_valid && out_data == offer);
      // an entry is offered, a place is seen, within so many edges of the clock of its end
      a_offers: assert (r_late <= STAGES + 1);
      a_accepts: assert (w_late <= STAGES + 1);
      a_gray: assert ((w_flips & (w_flips - 1'b1)) == 0 && (r_flips & (r_flips - 1'b1)) == 0);
      // what has left is overwritten, by the next entry or by 0, and is gone from the output too
      a_overwritten: assert (w_free != SOON);
      if (w_edge & we & ~push) a_zero: assert (wdata == 0);
      if (r_calm) a_forgotten: assert (out_data == 0);
      c_wiped: cover (r_calm);
      c_full: cover (count == MOST);
      c_through: cover (mine);
    end
endmodule
`default_nettype wire
