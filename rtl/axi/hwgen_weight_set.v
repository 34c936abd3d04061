// SPDX-License-Identifier: Apache-2.0
// The score tables that a host is writing, and their commit: the whole set takes effect between two
// decisions. Entries wait in a memory; commit holds the balancer (hold: no decision and no
// dispatch) and copies all entries to its table port, one a cycle.
// A commit in cycle c: hold from c+1; dispatches come up to c+1, entries are written from c+4 on,
// so that none of them sees a part of the set; hold ends when all are, 8*CORES + 4 cycles after c,
// and one more for each read meanwhile (at most one every second cycle).
// commit is kept until ready, and ignored while busy. Entry number: {core, table (0 base, 1
// increment), op}. fits: combinational from entry and value.
// Read: re and raddr; rdata in the next cycle alone. No read of an entry in the cycle of a write of
// it, nor while loading.
// rst: the generated values, in 8*CORES cycles, busy and loading meanwhile; nothing may be written
// then.
`default_nettype none
module hwgen_weight_set #(
  // cores of the cluster, 1 to 64
  parameter CORES  = 4,
  // bits of a base, of an increment (no more)
  parameter ACC_W  = 12,
  parameter INC_W  = 8,
  // generated values: see hwgen_balancer
  parameter [CORES*4*ACC_W-1:0] BASE = {CORES*4*ACC_W{1'b0}},
  parameter [CORES*4*INC_W-1:0] INC = {CORES*4*INC_W{1'b0}},
  // largest values that are taken: of a base; of an increment of core j at [j*INC_W +: INC_W]
  parameter [ACC_W-1:0]         BASE_MAX = {ACC_W{1'b1}},
  parameter [CORES*INC_W-1:0]   INC_MAX = {CORES*INC_W{1'b1}},
  // derived: do not set
  parameter CORE_W = (CORES > 1) ? $clog2(CORES) : 1,
  parameter IDX_W  = CORE_W + 3
) (
  input  wire             clk,
  input  wire             rst,
  // the balancer takes entries
  input  wire             ready,
  input  wire             we,
  input  wire [IDX_W-1:0] waddr,
  input  wire [31:0]      wdata,
  output wire             fits,
  input  wire             re,
  input  wire [IDX_W-1:0] raddr,
  output wire [ACC_W-1:0] rdata,
  input  wire             commit,
  output wire             busy,
  output wire             loading,
  output wire             hold,
  output wire             cfg_we,
  output wire [8:0]       cfg_addr,
  output wire [31:0]      cfg_data
);
  localparam [31:0] LAST_I = CORES * 8 - 1;
  localparam [IDX_W-1:0] LAST = LAST_I[IDX_W-1:0];
  localparam [IDX_W-1:0] ONE = 1;

  reg              init_q, ask_q, copy_q, hold_q, first_q, look_q, end_q;
  reg [IDX_W-1:0]  at_q, copied_q;
  wire             look = copy_q & ~first_q & ~re;

  // the generated value of an entry
  wire [CORE_W-1:0] at_core = at_q[IDX_W-1:3];
  wire [INC_W-1:0]  inc_at  = INC[{at_core, at_q[1:0]}*INC_W +: INC_W];
  wire [ACC_W:0]    inc_wide = {{(ACC_W-INC_W+1){1'b0}}, inc_at};
  wire [ACC_W-1:0]  given   = at_q[2] ? inc_wide[ACC_W-1:0]
                            : BASE[{at_core, at_q[1:0]}*ACC_W +: ACC_W];

  wire [INC_W-1:0]  most_inc = INC_MAX[waddr[IDX_W-1:3]*INC_W +: INC_W];
  wire [32:0]       most     = waddr[2] ? {{(33-INC_W){1'b0}}, most_inc}
                             : {{(33-ACC_W){1'b0}}, BASE_MAX};
  assign fits = {1'b0, wdata} <= most;

  wire [6:0]  copied_core = {{(7-CORE_W){1'b0}}, copied_q[IDX_W-1:3]};
  wire [32:0] copied      = {{(33-ACC_W){1'b0}}, rdata};
  wire        unused_ok   = &{1'b0, inc_wide, copied_core, copied};  // top bits, always 0

  assign busy     = init_q | ask_q | copy_q | hold_q;
  assign loading  = init_q;
  assign hold     = hold_q;
  assign cfg_we   = look_q;
  assign cfg_addr = {copied_q[2], copied_core[5:0], copied_q[1:0]};
  assign cfg_data = copied[31:0];

  hwgen_ram #(
    .WIDTH (ACC_W),
    .DEPTH (1 << IDX_W)
  ) u_ram (
    .clk   (clk),
    .we    (init_q | we),
    .waddr (init_q ? at_q : waddr),
    .wdata (init_q ? given : wdata[ACC_W-1:0]),
    .re    (re | look),
    .raddr (re ? raddr : at_q),
    .rdata (rdata)
  );

  always @(posedge clk) begin
    ask_q    <= (ask_q & ~ready) | (commit & ~busy);
    first_q  <= ask_q & ready;
    if (ask_q & ready) copy_q <= 1'b1;
    hold_q   <= (hold_q & ~end_q) | (commit & ~busy);
    look_q   <= look;
    copied_q <= at_q;
    // the last entry is in the table a cycle after end_q
    end_q    <= look & (at_q == LAST);
    if (init_q | look) begin
      at_q <= (at_q == LAST) ? {IDX_W{1'b0}} : at_q + ONE;
      if (at_q == LAST) begin
        init_q <= 1'b0;
        copy_q <= 1'b0;
      end
    end
    if (rst) begin
      init_q  <= 1'b1;
      at_q    <= {IDX_W{1'b0}};
      ask_q   <= 1'b0;
      copy_q  <= 1'b0;
      hold_q  <= 1'b0;
      first_q <= 1'b0;
      look_q  <= 1'b0;
      end_q   <= 1'b0;
    end
  end

  generate
    if (CORES < 1 || CORES > 64 || ACC_W < 1 || ACC_W > 32 || INC_W < 1 || INC_W > ACC_W)
    begin : g_bad
      hwgen_error_weight_set_cores_1_to_64_inc_w_at_most_acc_w_at_most_32 u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
