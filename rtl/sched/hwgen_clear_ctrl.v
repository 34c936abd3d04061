// SPDX-License-Identifier: Apache-2.0
// Sequence of a reset and of clear-all: clr, end of the begun result, sweeps, the walk, run.
// clear is a level: sampled while run = 1, and at the end of a sequence: held, it starts the next
// one and run stays 0. A pulse in a sequence is ignored: all in flight is already being answered.
// Sequence: clr = 1 for 4 cycles (the input area sweeps); settle; wait for the collector's begun
// result; sweep of the result area and, beside it, the walk: a cycle a slot, every used slot but
// ingress's half frame gets 11; wait for all memories; run = 1. Reset takes the same way.
`default_nettype none
module hwgen_clear_ctrl #(
  // packet slots of the design
  parameter SLOTS    = 32,
  // clusters, 1 to 16
  parameter CLUSTERS = 2,
  // derived: do not set
  parameter SLOT_W   = (SLOTS > 1) ? $clog2(SLOTS) : 1
) (
  input  wire                clk,
  input  wire                rst,
  input  wire                clear,
  // reset of splitter, queues, fetch_hub, writeback_hub and clusters, also after rst; pulse of
  // ingress and collector; sweep of the input area. Longer than one cycle, so that blocks with a
  // registered copy of it are in reset together.
  output wire                clr,
  // new frames may begin
  output wire                run,
  output wire                res_sweep,
  input  wire                in_busy,
  input  wire                res_busy,
  input  wire [CLUSTERS-1:0] sweep_busy,
  input  wire                col_busy,
  // slot_pool, ingress
  input  wire [SLOTS-1:0]    used,
  input  wire                half,
  input  wire [SLOT_W-1:0]   half_slot,
  // to writeback_hub
  output wire                wk_valid,
  output wire [SLOT_W-1:0]   wk_slot
);
  localparam [31:0] LAST_I = SLOTS - 1;
  localparam [SLOT_W-1:0] LAST = LAST_I[SLOT_W-1:0];
  localparam [SLOT_W-1:0] ONE = 1;

  localparam [2:0] RESET  = 3'd0,  // clr = 1
                   SETTLE = 3'd1,  // until every sweep_busy shows
                   DRAIN  = 3'd2,  // begun result
                   WALK   = 3'd3,
                   SWEEP  = 3'd4,
                   RUN    = 3'd5;

  reg [2:0]        state_q;
  reg [2:0]        count_q;
  reg [SLOT_W-1:0] slot_q;
  reg              clr_q, run_q, res_sweep_q, busy_q, walk_q;
  reg [SLOT_W-1:0] walk_slot_q;

  // slots are used or not until run; only walked ones are freed, and each is walked once
  reg     used_c;
  integer k;
  always @* begin
    k = 0; // on every path, lest a tool sees a latch
    used_c = 1'b0;
    if (state_q == WALK)
      for (k = 0; k < SLOTS; k = k + 1)
        if (slot_q == k[SLOT_W-1:0]) used_c = used_c | used[k];
  end

  assign clr       = clr_q;
  assign run       = run_q;
  assign res_sweep = res_sweep_q;
  assign wk_valid  = walk_q;
  assign wk_slot   = walk_slot_q;

  always @(posedge clk) begin
    // in run and not cleared it stands still
    if (~run_q | clear) begin
      count_q     <= count_q + 3'd1;
      res_sweep_q <= 1'b0;
      busy_q      <= in_busy | res_busy | (|sweep_busy);
      walk_q      <= used_c & ~(half & (half_slot == slot_q));
      walk_slot_q <= slot_q;
      slot_q      <= (state_q == WALK) ? slot_q + ONE : {SLOT_W{1'b0}};

      case (state_q)
        RESET:
          if (count_q == 3'd3) begin
            state_q <= SETTLE;
            clr_q   <= 1'b0;
            count_q <= 3'd0;
          end
        SETTLE:
          if (count_q == 3'd7) state_q <= DRAIN;
        DRAIN:
          if (~col_busy) begin
            state_q     <= WALK;
            res_sweep_q <= 1'b1;
          end
        WALK:
          if (slot_q == LAST) begin
            state_q <= SWEEP;
            count_q <= 3'd0;
          end
        SWEEP:
          // 7 cycles: res_sweep has reached busy_q even if the walk was one slot
          if (count_q == 3'd7) begin
            count_q <= 3'd7;
            if (~busy_q) begin
              if (clear) begin
                state_q <= RESET;
                clr_q   <= 1'b1;
                count_q <= 3'd0;
              end else begin
                state_q <= RUN;
                run_q   <= 1'b1;
              end
            end
          end
        default:
          if (clear) begin
            state_q <= RESET;
            clr_q   <= 1'b1;
            run_q   <= 1'b0;
            count_q <= 3'd0;
          end
      endcase
    end

    if (rst) begin
      state_q     <= RESET;
      clr_q       <= 1'b1;
      run_q       <= 1'b0;
      count_q     <= 3'd0;
      res_sweep_q <= 1'b0;
      walk_q      <= 1'b0;
    end
  end

  generate
    if (SLOTS < 1) begin : g_bad
      hwgen_error_slots_must_be_at_least_1 u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
