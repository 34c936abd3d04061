// SPDX-License-Identifier: Apache-2.0
// hwgen_cluster_wb: beats of one source (a lane, any one, or the head) reach register A in order, each
// once and unchanged; a lane's done record is credited once, in the cycle in which it leaves A.
`default_nettype none
module hwgen_cluster_wb_proof #(
  parameter CORES  = 2,
  parameter DATA_W = 32,
  parameter CORE_W = (CORES > 1) ? $clog2(CORES) : 1,
  parameter WIDX_W = (DATA_W < 128) ? $clog2(128 / DATA_W) : 1
) (
  input wire                    clk,
  input wire                    rst,
  input wire [CORES-1:0]        lw_valid,
  input wire [CORES*2-1:0]      lw_we,
  input wire [CORES-1:0]        lw_slot,
  input wire [CORES*WIDX_W-1:0] lw_off,
  input wire [CORES*WIDX_W-1:0] lw_word,
  input wire [CORES*DATA_W-1:0] lw_data,
  input wire [CORES-1:0]        lw_done,
  input wire [CORES*4-1:0]      lw_status,
  input wire [CORES*2-1:0]      lw_kind,
  input wire [CORES-1:0]        lw_chained,
  input wire [CORES-1:0]        lw_idx,
  input wire [CORES-1:0]        lw_key,
  input wire [CORES-1:0]        lw_last,
  input wire                    rf_valid,
  input wire                    rf_slot,
  input wire [3:0]              rf_status,
  input wire                    cr_ready,
  input wire                    cr_dead,
  input wire                    cw_hold,
  input wire                    wb_ready,
  input wire                    mark
);
  localparam N     = CORES + 1;
  localparam N1    = (N + 3) / 4;
  localparam DEPTH = ((N <= 5) ? 1 : (N1 <= 5) ? 2 : 3) + 1;
  localparam CNT_W = $clog2(DEPTH + 1);
  localparam ME_W  = $clog2(N);

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  // slots, choose list and keys of two: one bit each
  wire [CORES-1:0]  lw_ready;
  wire              rf_ready, cr_valid, cr_fire, cr_slot, cr_chained, cr_idx, cr_key, cr_last;
  wire [CORE_W-1:0] cr_core;
  wire              cw_we, cw_idx, wb_valid, wb_we, wb_slot, wb_done;
  wire [WIDX_W-1:0] cw_word, wb_off;
  wire [DATA_W-1:0] cw_data, wb_data;
  wire [3:0]        wb_status;
  wire [7:0]        wb_core;
  wire [1:0]        wb_kind;
  hwgen_cluster_wb #(
    .DATA_W     (DATA_W),
    .SLOTS      (2),
    .PKT_BLOCKS (1),
    .CHOOSE     (2),
    .KEY_SLOTS  (2),
    .CORES      (CORES)
  ) u_dut (
    .clk        (clk),
    .rst        (rst),
    .lw_valid   (lw_valid),
    .lw_ready   (lw_ready),
    .lw_we      (lw_we),
    .lw_slot    (lw_slot),
    .lw_off     (lw_off),
    .lw_word    (lw_word),
    .lw_data    (lw_data),
    .lw_done    (lw_done),
    .lw_status  (lw_status),
    .lw_kind    (lw_kind),
    .lw_chained (lw_chained),
    .lw_idx     (lw_idx),
    .lw_key     (lw_key),
    .lw_last    (lw_last),
    .rf_valid   (rf_valid),
    .rf_ready   (rf_ready),
    .rf_slot    (rf_slot),
    .rf_status  (rf_status),
    .cr_valid   (cr_valid),
    .cr_ready   (cr_ready),
    .cr_fire    (cr_fire),
    .cr_core    (cr_core),
    .cr_slot    (cr_slot),
    .cr_chained (cr_chained),
    .cr_idx     (cr_idx),
    .cr_key     (cr_key),
    .cr_last    (cr_last),
    .cr_dead    (cr_dead),
    .cw_hold    (cw_hold),
    .cw_we      (cw_we),
    .cw_idx     (cw_idx),
    .cw_word    (cw_word),
    .cw_data    (cw_data),
    .wb_valid   (wb_valid),
    .wb_ready   (wb_ready),
    .wb_we      (wb_we),
    .wb_slot    (wb_slot),
    .wb_off     (wb_off),
    .wb_data    (wb_data),
    .wb_done    (wb_done),
    .wb_status  (wb_status),
    .wb_core    (wb_core),
    .wb_kind    (wb_kind)
  );

  // one source and one bit of the data, any; source CORES is the head
  (* anyconst *) wire [ME_W-1:0] me;
  (* anyconst *) wire [6:0]      bit_at;
  wire head = (me == CORES);
  always @* begin
    e_me: assume (me <= CORES);
    e_bit: assume (bit_at < DATA_W);
  end

  localparam REC_W = 2 + 1 + 2 * WIDX_W + 1 + 1 + 4 + 2 + 1 + 1 + 1 + 1;
  reg [REC_W-1:0] in_rec;
  reg             in_take;
  integer k;
  always @* begin
    in_take = rf_valid & rf_ready;
    in_rec  = {2'b00, rf_slot, {(2*WIDX_W){1'b0}}, 1'b0, 1'b1, rf_status, 2'b00, 4'b0000};
    for (k = 0; k < CORES; k = k + 1)
      if (me == k) begin
        in_take = lw_valid[k] & lw_ready[k];
        in_rec  = {lw_we[2*k +: 2], lw_slot[k], lw_off[k*WIDX_W +: WIDX_W],
                   lw_word[k*WIDX_W +: WIDX_W], lw_data[k*DATA_W + bit_at], lw_done[k],
                   lw_status[4*k +: 4], lw_kind[2*k +: 2], lw_chained[k], lw_idx[k], lw_key[k],
                   lw_last[k]};
      end
  end

  (* hierconn *) wire              \u_dut.a_move ;
  (* hierconn *) wire              \u_dut.a_lane ;
  (* hierconn *) wire              \u_dut.a_done ;
  (* hierconn *) wire [1:0]        \u_dut.a_we ;
  (* hierconn *) wire [WIDX_W-1:0] \u_dut.a_off ;
  (* hierconn *) wire [3:0]        \u_dut.a_status ;
  (* hierconn *) wire [1:0]        \u_dut.a_kind ;
  wire             move = \u_dut.a_move ;
  wire             lane = \u_dut.a_lane ;
  wire             done = \u_dut.a_done ;
  wire [1:0]       we   = \u_dut.a_we ;
  wire             mine = move & (head ? ~lane : lane & (cr_core == me));
  wire [REC_W-1:0] out_rec = {we, cr_slot, \u_dut.a_off , cw_word, cw_data[bit_at], done,
                              \u_dut.a_status , \u_dut.a_kind , cr_chained, cr_idx, cr_key,
                              cr_last};

  wire             tracked;
  wire [CNT_W-1:0] count, ahead;
  wire [REC_W-1:0] data;
  fv_queue #(
    .WIDTH (REC_W),
    .DEPTH (DEPTH)
  ) u_order (
    .clk      (clk),
    .rst      (rst | ~live),
    .push     (in_take),
    .in_data  (in_rec),
    .pop      (mine),
    .out_data (out_rec),
    .mark     (mark),
    .count    (count),
    .tracked  (tracked),
    .ahead    (ahead),
    .data     (data)
  );

  fv_stream #(
    .WIDTH (1 + 1 + WIDX_W + 1 + 1 + 4 + 8 + 2)
  ) u_out (
    .clk   (clk),
    .rst   (rst | ~live),
    .valid (wb_valid),
    .ready (wb_ready),
    .data  ({wb_we, wb_slot, wb_off, wb_data[bit_at], wb_done, wb_status, wb_core, wb_kind})
  );

  // what left A for B is on the port in the next cycle
  reg              to_b_q = 1'b0, b_we_q, b_slot_q, b_bit_q, b_done_q;
  reg [WIDX_W-1:0] b_off_q;
  reg [3:0]        b_status_q;
  reg [7:0]        b_core_q;
  reg [1:0]        b_kind_q;
  wire             dead = lane & done & cr_chained & cr_dead;
  always @(posedge clk) begin
    to_b_q     <= move & (we[0] | done) & live & ~rst;
    b_we_q     <= we[0];
    b_slot_q   <= cr_slot;
    b_off_q    <= \u_dut.a_off ;
    b_bit_q    <= cw_data[bit_at];
    b_done_q   <= done;
    b_status_q <= dead ? 4'd11 : \u_dut.a_status ;
    b_kind_q   <= dead ? 2'd0 : \u_dut.a_kind ;
    b_core_q   <= lane ? cr_core : 8'd255;
  end

  // a chaining value is saved before its packet's credit: no word of the same packet comes later
  always @*
    if (live & ~rst) begin
      a_credit_once: assert (cr_fire == (move & lane & done));
      if (cr_fire) a_credit_allowed: assert (cr_ready & cr_valid);
      a_chain: assert (cw_we == (move & we[1]));
      if (cw_we) a_chain_held: assert (~cw_hold);
      if (wb_valid & ~wb_ready) a_b_full: assert (~(move & (we[0] | done)));
      if (to_b_q)
        a_b: assert (wb_valid && {wb_we, wb_slot, wb_off, wb_data[bit_at], wb_done, wb_status,
                                  wb_core, wb_kind}
                     == {b_we_q, b_slot_q, b_off_q, b_bit_q, b_done_q, b_status_q, b_core_q,
                         b_kind_q});
      c_dead: cover (mine & cr_fire & dead & tracked & (ahead == 0));
    end
endmodule
`default_nettype wire
