// SPDX-License-Identifier: Apache-2.0
// What a host may do to the cores of a cluster: take one out (drain), and lower its capacity.
// A drained core gets no packets but those of jobs bound to it, and gives back what it has. The
// last enabled core that can do a command stays: a write that would take it is refused (en_ok,
// cap_ok: in the cycle of the address and data, before the write).
// barred, capped: registers and a compare behind them; a dispatch counts in the next cycle.
// done: a cycle in which a drained core is empty. A decision that had begun may still send it a
// packet: done comes SETTLE cycles after the last change of an enable at the earliest.
`default_nettype none
module hwgen_core_control #(
  // cores of the cluster, 1 to 64
  parameter CORES   = 4,
  // bits of a capacity
  parameter CAP_W   = 4,
  // most packets of core j, at [j*CAP_W +: CAP_W]: what reset sets, and the largest that is taken
  parameter [CORES*CAP_W-1:0] CAP = {CORES*CAP_W{1'b1}},
  // bit j*4+op: core j can do command op
  parameter [CORES*4-1:0] CAN_OP = {CORES*4{1'b1}},
  // bit j: core j has the inverse cipher
  parameter [CORES-1:0] CAN_INV = {CORES{1'b1}},
  // 1: capacities can be written
  parameter SOFT_CAP = 1,
  // derived: do not set
  parameter CORE_W  = (CORES > 1) ? $clog2(CORES) : 1
) (
  input  wire                   clk,
  input  wire                   rst,
  // 1: the cluster is in reset, nothing is in flight
  input  wire                   empty,
  input  wire                   dp_valid,
  input  wire [CORE_W-1:0]      dp_core,
  input  wire                   cr_fire,
  input  wire [CORE_W-1:0]      cr_core,
  // a packet's first block enters core j, and its result has left it
  input  wire [CORES-1:0]       start,
  input  wire [CORES-1:0]       finish,
  // writes of core at
  input  wire [CORE_W-1:0]      at,
  input  wire                   en_we,
  input  wire                   en_data,
  output wire                   en_ok,
  input  wire                   cap_we,
  input  wire [CAP_W-1:0]       cap_data,
  output wire                   cap_ok,
  input  wire                   snap,
  output wire [CORES-1:0]       enable,
  output wire [CORES*CAP_W-1:0] cap,
  output wire [CORES*CAP_W-1:0] count,
  output wire [CORES*CAP_W-1:0] peak,
  // core j has a packet in work; a cycle after start, until a cycle after finish
  output wire [CORES-1:0]       busy,
  // does not compete; has no room for bound packets either
  output wire [CORES-1:0]       barred,
  output wire [CORES-1:0]       capped,
  output wire                   done
);
  localparam [CORES-1:0] BIT = 1;
  // no decision takes longer than CORES + 3 cycles
  localparam [31:0] SETTLE_I = CORES + 8;
  localparam [6:0]  SETTLE   = SETTLE_I[6:0];

  reg  [CORES-1:0] enable_q, wait_q;
  reg  [6:0]       settle_q;
  reg              done_q;
  wire             settled = (settle_q == 7'd0) & ~en_we;
  wire [CORES-1:0] enable_d = en_data ? enable_q | (BIT << at) : enable_q & ~(BIT << at);
  wire [CORES-1:0] idle;
  // by command, and the inverse cipher of decrypt
  wire [4:0]       left;
  wire [CAP_W-1:0] most = CAP[at*CAP_W +: CAP_W];

  assign enable = enable_q;
  assign barred = ~enable_q | capped;
  assign en_ok  = &left;
  assign cap_ok = (cap_data != {CAP_W{1'b0}}) & (cap_data <= most) & (SOFT_CAP != 0);
  assign done   = done_q;

  always @(posedge clk) begin
    if (en_we) enable_q <= enable_d;
    // a core is waited for from the cycle of its drain until it is empty
    wait_q <= en_we ? (wait_q | (enable_q & ~enable_d)) & ~enable_d
                    : wait_q & ~(idle & {CORES{settled}}) & ~enable_q;
    done_q <= settled & (|(wait_q & idle & ~enable_q));
    if (en_we) settle_q <= SETTLE;
    else if (settle_q != 7'd0) settle_q <= settle_q - 7'd1;
    if (rst) begin
      settle_q <= 7'd0;
      enable_q <= {CORES{1'b1}};
      wait_q   <= {CORES{1'b0}};
      done_q   <= 1'b0;
    end
  end

  genvar j, o;
  generate
    for (o = 0; o < 5; o = o + 1) begin : g_op
      wire [CORES-1:0] able;
      for (j = 0; j < CORES; j = j + 1) begin : g_core
        assign able[j] = (o < 4) ? CAN_OP[j*4 + (o % 4)] : CAN_INV[j] & CAN_OP[j*4 + 1];
      end
      assign left[o] = |(able & enable_d) | ~(|able);
    end

    for (j = 0; j < CORES; j = j + 1) begin : g_core
      localparam [31:0] J = j;
      localparam [CAP_W-1:0] MOST = CAP[j*CAP_W +: CAP_W];
      wire             up   = dp_valid & (dp_core == J[CORE_W-1:0]);
      wire             down = cr_fire & (cr_core == J[CORE_W-1:0]);
      wire [CAP_W-1:0] n;

      hwgen_level #(
        .WIDTH (CAP_W)
      ) u_level (
        .clk   (clk),
        .rst   (rst),
        .empty (empty),
        .up    (up),
        .down  ({1'b0, down}),
        .snap  (snap),
        .level (n),
        .peak  (peak[j*CAP_W +: CAP_W])
      );
      assign count[j*CAP_W +: CAP_W] = n;

      // the next packet starts before the results of this one have left
      reg [1:0] work_q;
      assign busy[j] = |work_q;
      always @(posedge clk) begin
        if (start[j] != finish[j]) work_q <= start[j] ? work_q + 2'd1 : work_q - 2'd1;
        if (rst | empty) work_q <= 2'd0;
      end

      assign idle[j] = n == {CAP_W{1'b0}};

      if (SOFT_CAP != 0) begin : g_cap
        reg [CAP_W-1:0] cap_q;
        assign cap[j*CAP_W +: CAP_W] = cap_q;
        assign capped[j] = n >= cap_q;
        always @(posedge clk) begin
          if (cap_we & (at == J[CORE_W-1:0])) cap_q <= cap_data;
          if (rst) cap_q <= MOST;
        end
      end else begin : g_fixed
        assign cap[j*CAP_W +: CAP_W] = MOST;
        assign capped[j] = 1'b0;
      end
    end

    if (SOFT_CAP == 0) begin : g_unused
      wire unused_ok = &{1'b0, cap_we};  // fixed capacities
    end
    if (CORES < 1 || CORES > 64) begin : g_bad
      hwgen_error_core_control_cores_must_be_1_to_64 u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
