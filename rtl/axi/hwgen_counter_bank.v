// SPDX-License-Identifier: Apache-2.0
// Event counters in a memory: COUNTERS of WIDTH bits, each counts a cycle of its inc bit.
// A counter's recent events wait in a few flip-flops; a walk takes them to the memory, counter by
// counter, which costs a fifth of counters in flip-flops.
// snap freezes all of them at one moment, whatever they are in the middle of: the events so far are
// set aside in one cycle, and one more walk adds them and writes the sums beside the live ones.
// busy until then; snap is ignored while busy. The counters go on.
// Read, while not busy: re and raddr; rdata, as of the last snapshot, in the next cycle alone.
// Reads may come every second cycle.
// rst: all counters and the snapshot become 0; busy for 4*COUNTERS cycles. Events count from the
// end of rst on.
`default_nettype none
module hwgen_counter_bank #(
  // counters, at least 1
  parameter COUNTERS = 8,
  // bits of a counter, more than those of a few walks (see PEND_W)
  parameter WIDTH    = 48,
  // derived: do not set
  parameter IDX_W    = (COUNTERS > 1) ? $clog2(COUNTERS) : 1,
  // a visit takes up to 4 cycles: 3, and one that a read takes; the first walk comes COUNTERS
  // cycles late, and has no reads
  parameter PEND_W   = $clog2(4 * COUNTERS + 8)
) (
  input  wire                clk,
  input  wire                rst,
  input  wire [COUNTERS-1:0] inc,
  input  wire                snap,
  output wire                busy,
  input  wire                re,
  input  wire [IDX_W-1:0]    raddr,
  output wire [WIDTH-1:0]    rdata
);
  localparam [31:0] LAST_I = COUNTERS - 1;
  localparam [IDX_W-1:0] LAST = LAST_I[IDX_W-1:0];
  localparam [IDX_W-1:0] ONE  = 1;

  // a visit: LOOK reads the live count; FROZEN (in the walk of a snapshot alone) adds what was set
  // aside, which is the snapshot's; LIVE adds what has come since
  localparam [1:0] LOOK = 2'd0, FROZEN = 2'd1, LIVE = 2'd2, CLEAR = 2'd3;

  reg  [1:0]                 state_q;
  reg  [IDX_W-1:0]           at_q, last_q;
  // a snapshot waits for the end of a visit, or its walk is under way
  reg                        ask_q, walk_q;
  reg  [COUNTERS*PEND_W-1:0] pend_q, aside_q;
  reg  [PEND_W-1:0]          some_q, set_q;
  reg  [WIDTH-1:0]           sum_q;
  reg                        fresh_q;

  wire [WIDTH-1:0]  word;
  wire              look  = (state_q == LOOK) & ~re;
  wire              take  = snap & ~busy;
  // what is added: the RAM's word in the cycle after LOOK, the sum so far then
  wire [WIDTH-1:0]  from  = fresh_q ? word : sum_q;
  wire [PEND_W-1:0] add   = (state_q == FROZEN) ? set_q : some_q;
  wire [WIDTH-1:0]  sum   = from + {{(WIDTH-PEND_W){1'b0}}, add};
  wire              write = state_q != LOOK;
  wire              upper = state_q == FROZEN;

  assign busy  = ask_q | walk_q | (state_q == CLEAR);
  assign rdata = word;

  hwgen_ram #(
    .WIDTH (WIDTH),
    .DEPTH (2 << IDX_W)
  ) u_ram (
    .clk   (clk),
    .we    (write),
    .waddr ({upper, at_q}),
    .wdata ((state_q == CLEAR) ? {WIDTH{1'b0}} : sum),
    .re    (re | look),
    .raddr (re ? {1'b1, raddr} : {1'b0, at_q}),
    .rdata (word)
  );

  always @(posedge clk) begin
    fresh_q <= look;
    ask_q   <= (ask_q & (state_q != LOOK)) | take;
    case (state_q)
      LOOK: begin
        // the first visit of a snapshot's walk is the one that begins now
        if (ask_q) begin
          walk_q <= 1'b1;
          last_q <= (at_q == {IDX_W{1'b0}}) ? LAST : at_q - ONE;
        end
        if (look) state_q <= (ask_q | walk_q) ? FROZEN : LIVE;
      end
      FROZEN: begin
        state_q <= LIVE;
        sum_q   <= sum;
      end
      LIVE: begin
        state_q <= LOOK;
        at_q    <= (at_q == LAST) ? {IDX_W{1'b0}} : at_q + ONE;
        if (at_q == last_q) walk_q <= 1'b0;
      end
      default: begin
        at_q <= (at_q == LAST) ? {IDX_W{1'b0}} : at_q + ONE;
        // live counters are 0: a snapshot of them, for the other half
        if (at_q == LAST) begin
          state_q <= LOOK;
          walk_q  <= 1'b1;
          last_q  <= LAST;
        end
      end
    endcase
    if (look) begin
      some_q <= pend_q[at_q*PEND_W +: PEND_W];
      set_q  <= aside_q[at_q*PEND_W +: PEND_W];
    end
    if (rst) begin
      state_q <= CLEAR;
      at_q    <= {IDX_W{1'b0}};
      ask_q   <= 1'b0;
      walk_q  <= 1'b0;
    end
  end

  genvar i;
  generate
    for (i = 0; i < COUNTERS; i = i + 1) begin : g_counter
      localparam [31:0] I = i;
      // taken with LOOK; what comes in that cycle stays
      wire              mine = look & (at_q == I[IDX_W-1:0]);
      wire [PEND_W-1:0] one  = {{(PEND_W-1){1'b0}}, inc[i]};
      always @(posedge clk) begin
        pend_q[i*PEND_W +: PEND_W] <= ((mine | take) ? {PEND_W{1'b0}} : pend_q[i*PEND_W +: PEND_W])
                                      + one;
        if (take) aside_q[i*PEND_W +: PEND_W] <= mine ? {PEND_W{1'b0}} : pend_q[i*PEND_W +: PEND_W];
        if (rst) begin
          pend_q[i*PEND_W +: PEND_W]  <= {PEND_W{1'b0}};
          aside_q[i*PEND_W +: PEND_W] <= {PEND_W{1'b0}};
        end
      end
    end
    if (COUNTERS < 1 || WIDTH <= PEND_W) begin : g_bad
      hwgen_error_counter_bank_counters_at_least_1_width_above_pend_w u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
