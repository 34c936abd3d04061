// SPDX-License-Identifier: Apache-2.0
// hwgen_fifo is a queue that holds exactly DEPTH entries: see fv_queue. No assumption on its neighbours.
`default_nettype none
module hwgen_fifo_proof #(
  parameter WIDTH = 2,
  parameter DEPTH = 4
) (
  input wire             clk,
  input wire             rst,
  input wire             in_valid,
  input wire [WIDTH-1:0] in_data,
  input wire             out_ready,
  input wire             mark
);
  localparam CNT_W  = $clog2(DEPTH + 1);
  localparam ADDR_W = (DEPTH > 1) ? $clog2(DEPTH) : 1;
  localparam POS_W  = CNT_W + 2;

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire             in_ready, out_valid;
  wire [WIDTH-1:0] out_data;
  hwgen_fifo #(
    .WIDTH (WIDTH),
    .DEPTH (DEPTH)
  ) u_dut (
    .clk       (clk),
    .rst       (rst),
    .in_valid  (in_valid),
    .in_ready  (in_ready),
    .in_data   (in_data),
    .out_valid (out_valid),
    .out_ready (out_ready),
    .out_data  (out_data)
  );

  wire             tracked;
  wire [CNT_W-1:0] count, ahead;
  wire [WIDTH-1:0] data;
  fv_queue #(
    .WIDTH (WIDTH),
    .DEPTH (DEPTH)
  ) u_queue (
    .clk      (clk),
    .rst      (rst | ~live),
    .push     (in_valid & in_ready),
    .in_data  (in_data),
    .pop      (out_valid & out_ready),
    .out_data (out_data),
    .mark     (mark),
    .count    (count),
    .tracked  (tracked),
    .ahead    (ahead),
    .data     (data)
  );

  fv_stream #(
    .WIDTH (WIDTH)
  ) u_out (
    .clk   (clk),
    .rst   (rst | ~live),
    .valid (out_valid),
    .ready (out_ready),
    .data  (out_data)
  );

  always @*
    if (live) begin
      // what is inside is offered at once, whatever out_ready does
      a_offers: assert (out_valid == (count != 0));
      // all DEPTH places are used
      a_accepts: assert (in_ready == (~fresh && count != DEPTH));
      if (tracked && ahead == 0) i_front: assert (out_data == data);
    end

  // Up to 4 entries: the shift register. The followed entry is at its place.
  (* hierconn *) wire [DEPTH-1:0]       \u_dut.g_ff.valid_q ;
  (* hierconn *) wire [DEPTH*WIDTH-1:0] \u_dut.g_ff.data_q ;
  wire [WIDTH-1:0] at_ff = \u_dut.g_ff.data_q [ahead*WIDTH +: WIDTH];
  generate
    if (DEPTH <= 4) begin : g_ff
      always @*
        if (live) begin
          i_thermometer: assert (\u_dut.g_ff.valid_q == ({DEPTH{1'b1}} >> (DEPTH - count)));
          if (tracked) i_place: assert (at_ff == data);
        end
    end
  endgenerate

  // More: out, next, mid, then the RAM from raddr on.
  (* hierconn *) wire [CNT_W-1:0]       \u_dut.g_ram.count_q ;
  (* hierconn *) wire [CNT_W-1:0]       \u_dut.g_ram.held_q ;
  (* hierconn *) wire [ADDR_W-1:0]      \u_dut.g_ram.waddr_q ;
  (* hierconn *) wire [ADDR_W-1:0]      \u_dut.g_ram.raddr_q ;
  (* hierconn *) wire                   \u_dut.g_ram.some_q ;
  (* hierconn *) wire                   \u_dut.g_ram.mid_q ;
  (* hierconn *) wire                   \u_dut.g_ram.next_q ;
  (* hierconn *) wire                   \u_dut.g_ram.out_q ;
  (* hierconn *) wire [WIDTH-1:0]       \u_dut.g_ram.next_data_q ;
  (* hierconn *) wire [WIDTH-1:0]       \u_dut.g_ram.mid_data ;
  (* hierconn *) wire [DEPTH*WIDTH-1:0] \u_dut.g_ram.u_ram.words ;
  wire             mid   = \u_dut.g_ram.mid_q ;
  wire             next  = \u_dut.g_ram.next_q ;
  wire             out   = \u_dut.g_ram.out_q ;
  wire [POS_W-1:0] held  = {2'd0, \u_dut.g_ram.held_q };
  wire [POS_W-1:0] waddr = \u_dut.g_ram.waddr_q + {POS_W{1'b0}};
  wire [POS_W-1:0] raddr = \u_dut.g_ram.raddr_q + {POS_W{1'b0}};
  wire [POS_W-1:0] front = {{(POS_W-1){1'b0}}, mid} + {{(POS_W-1){1'b0}}, next}
                         + {{(POS_W-1){1'b0}}, out};
  wire [POS_W-1:0] place = raddr + {2'd0, ahead} - front;
  wire [POS_W-1:0] at    = (place >= DEPTH) ? place - DEPTH : place;
  wire [POS_W-1:0] past  = raddr + held;
  wire [WIDTH-1:0] at_ram = \u_dut.g_ram.u_ram.words [at*WIDTH +: WIDTH];
  generate
    if (DEPTH > 4) begin : g_ram
      always @*
        if (live) begin
          i_count: assert (count == \u_dut.g_ram.count_q );
          i_some: assert (\u_dut.g_ram.some_q == (held != 0));
          i_parts: assert ({2'd0, count} == held + front);
          i_out_first: assert (out | ~(mid | next));
          i_raddr: assert (raddr < DEPTH);
          i_waddr: assert (waddr == ((past >= DEPTH) ? past - DEPTH : past));
          if (tracked && ahead == 1 && front > 1)
            i_second: assert (data == (next ? \u_dut.g_ram.next_data_q : \u_dut.g_ram.mid_data ));
          if (tracked && ahead == 2 && front > 2) i_third: assert (data == \u_dut.g_ram.mid_data );
          if (tracked && {2'd0, ahead} >= front) i_in_ram: assert (data == at_ram);
        end
    end
  endgenerate
endmodule
`default_nettype wire
