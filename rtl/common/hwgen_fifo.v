// SPDX-License-Identifier: Apache-2.0
// First-word-fall-through FIFO that holds exactly DEPTH entries.
// Latency: in to out 1 cycle when empty; initiation interval 1 on both sides at once
// (DEPTH = 1: 2, since a full FIFO takes nothing in the cycle in which it is emptied).
// Handshake: valid/ready; in_ready, out_valid and out_data are registers; in_ready is 0 in the
// first cycle after reset. Up to 4 entries are flip-flops, more are a block RAM.
`default_nettype none
module hwgen_fifo #(
  // bits of an entry
  parameter WIDTH = 8,
  // entries, at least 1; need not be a power of two
  parameter DEPTH = 4
) (
  input  wire             clk,
  input  wire             rst,
  input  wire             in_valid,
  output wire             in_ready,
  input  wire [WIDTH-1:0] in_data,
  output wire             out_valid,
  input  wire             out_ready,
  output wire [WIDTH-1:0] out_data
);
  wire push = in_valid & in_ready;
  wire pop  = out_valid & out_ready;

  reg  ready_q;
  assign in_ready = ready_q;

  generate
    if (WIDTH < 1 || DEPTH < 1) begin : g_bad
      hwgen_error_fifo_width_and_depth_must_be_at_least_1 u_error ();
    end

    if (DEPTH <= 4) begin : g_ff
      // A shift register: entry 0 is the output, a pop moves every entry down by one, and a push
      // goes behind the last one. valid_q is a thermometer code of the count.
      integer i;
      reg  [DEPTH-1:0]       valid_q;
      reg  [DEPTH*WIDTH-1:0] data_q;
      // occupied after the pop of this cycle, and behind the push
      reg  [DEPTH-1:0]       stays;
      reg  [DEPTH:0]         valid_d;
      reg  [DEPTH*WIDTH-1:0] moved;
      reg  [WIDTH-1:0]       entry;
      wire                   unused = valid_d[DEPTH];  // a push finds room: 0
      assign out_valid = valid_q[0];
      assign out_data  = data_q[WIDTH-1:0];

      always @* begin
        {stays, valid_d} = {(2*DEPTH+1){1'bx}};
        {moved, entry} = {((DEPTH+1)*WIDTH){1'bx}};
        if (push | pop) begin
          stays   = pop ? valid_q >> 1 : valid_q;
          valid_d = push ? {stays, 1'b1} : {1'b0, stays};
          moved   = data_q >> WIDTH;
          entry   = in_data;
        end
      end

      always @(posedge clk) begin
        if (push | pop) begin
          valid_q <= valid_d[DEPTH-1:0];
          ready_q <= ~valid_d[DEPTH-1];
          for (i = 0; i < DEPTH; i = i + 1)
            if (pop | ~valid_q[i])
              data_q[i*WIDTH +: WIDTH] <= stays[i] ? moved[i*WIDTH +: WIDTH] : entry;
        end else begin
          ready_q <= ~valid_q[DEPTH-1];
        end
        if (rst) begin
          valid_q <= {DEPTH{1'b0}};
          ready_q <= 1'b0;
        end
      end
    end else begin : g_ram
      // in -> RAM -> rdata (mid) -> next -> out. An entry that meets an empty RAM skips it. Two
      // registers behind mid cover the two cycles from a RAM write to mid.
      localparam ADDR_W = $clog2(DEPTH);
      localparam [31:0] LAST_I = DEPTH - 1;
      localparam [ADDR_W-1:0] LAST = LAST_I[ADDR_W-1:0];
      localparam [ADDR_W-1:0] AONE = 1;
      localparam CNT_W = $clog2(DEPTH + 1);
      localparam [31:0] FULL_I = DEPTH;
      localparam [CNT_W-1:0] FULL = FULL_I[CNT_W-1:0];
      localparam [CNT_W-1:0] ONE = 1;

      reg  [CNT_W-1:0]  count_q;
      reg  [ADDR_W-1:0] waddr_q, raddr_q;
      reg  [CNT_W-1:0]  held_q;
      reg               some_q, mid_q, next_q, out_q;
      reg  [WIDTH-1:0]  next_data_q, out_data_q;
      wire [WIDTH-1:0]  mid_data;

      // next_q, not room: keeps out_ready off the RAM's enable, and loses no cycle
      wire re   = some_q & (~mid_q | ~next_q);
      // anything else stands still: next is never full while out is empty
      wire stir = push | pop | re | (mid_q & ~next_q);

      reg  move, room, skip;
      always @* begin
        {move, room, skip} = 3'bx;
        if (stir) begin
          move = ~out_q | pop;
          room = ~next_q | pop;
          // behind a full mid an entry may skip only if both find a place
          skip = ~some_q & (mid_q ? ~next_q & move : room);
        end
      end
      wire we   = push & ~skip;
      wire pass = push & skip;
      wire take = mid_q & room;

      assign out_valid = out_q;
      assign out_data  = out_data_q;

      hwgen_ram #(
        .WIDTH (WIDTH),
        .DEPTH (DEPTH)
      ) u_ram (
        .clk   (clk),
        .we    (we),
        .waddr (waddr_q),
        .wdata (in_data),
        .re    (re),
        .raddr (raddr_q),
        .rdata (mid_data)
      );

      always @(posedge clk) begin
        if (push != pop) begin
          count_q <= push ? count_q + ONE : count_q - ONE;
          ready_q <= pop | (count_q != FULL - ONE);
        end else begin
          ready_q <= count_q != FULL;
        end
        if (stir) begin
          if (we) waddr_q <= (waddr_q == LAST) ? {ADDR_W{1'b0}} : waddr_q + AONE;
          if (re) raddr_q <= (raddr_q == LAST) ? {ADDR_W{1'b0}} : raddr_q + AONE;
          if (we != re) begin
            held_q <= we ? held_q + ONE : held_q - ONE;
            some_q <= we | (held_q != ONE);
          end
          mid_q <= re | (mid_q & ~take);
          if (move) begin
            out_q      <= next_q | mid_q | pass;
            out_data_q <= next_q ? next_data_q : mid_q ? mid_data : in_data;
            next_q     <= next_q ? mid_q | pass : mid_q & pass;
          end else begin
            next_q     <= next_q | mid_q | pass;
          end
          if (room) next_data_q <= (mid_q & (next_q | ~move)) ? mid_data : in_data;
        end
        if (rst) begin
          count_q <= {CNT_W{1'b0}};
          ready_q <= 1'b0;
          waddr_q <= {ADDR_W{1'b0}};
          raddr_q <= {ADDR_W{1'b0}};
          held_q  <= {CNT_W{1'b0}};
          some_q  <= 1'b0;
          mid_q   <= 1'b0;
          next_q  <= 1'b0;
          out_q   <= 1'b0;
        end
      end
    end
  endgenerate
endmodule
`default_nettype wire
