// SPDX-License-Identifier: Apache-2.0
// Merges N valid/ready streams into one, round robin; beats of one input keep their order.
// Latency 1; initiation interval 1. out_* are registers.
// SKID = 0: in_ready follows out_ready in the same cycle. SKID = 1: in_ready does not depend on
// out_ready (two entries), which ends the chain of readies of a tree of these.
`default_nettype none
module hwgen_merge #(
  // inputs, at least 1; 4 or 5 keep arbiter and multiplexer at two or three LUTs
  parameter N     = 4,
  // bits of a beat
  parameter WIDTH = 8,
  // 1: output stage of two entries with a registered ready
  parameter SKID  = 0
) (
  input  wire               clk,
  input  wire               rst,
  input  wire [N-1:0]       in_valid,
  output wire [N-1:0]       in_ready,
  input  wire [N*WIDTH-1:0] in_data,
  output wire               out_valid,
  input  wire               out_ready,
  output wire [WIDTH-1:0]   out_data
);
  localparam IDX_W = (N > 1) ? $clog2(N) : 1;

  wire [N-1:0]     grant;
  wire             any, advance;
  wire [IDX_W-1:0] index;
  reg  [WIDTH-1:0] data_c;
  integer          k;

  // read by nobody: the one-hot grant is the faster select
  wire unused = &{1'b0, index};

  hwgen_rr_arb #(
    .N (N)
  ) u_arb (
    .clk     (clk),
    .rst     (rst),
    .req     (in_valid),
    .advance (advance),
    .grant   (grant),
    .any     (any),
    .index   (index)
  );

  assign in_ready = grant & {N{advance}};

  // Zero without a grant, so that a stage that becomes idle overwrites what it held. The inputs are
  // gathered where one is wanted: a simulator skips it in other cycles.
  reg  [N*WIDTH-1:0] offered;
  always @* begin
    k = 0; // on every path, lest a tool sees a latch
    data_c  = {WIDTH{1'b0}};
    offered = {(N*WIDTH){1'bx}};
    if (any) begin
      offered = in_data;
      for (k = 0; k < N; k = k + 1)
        if (grant[k]) data_c = data_c | offered[k*WIDTH +: WIDTH];
    end
  end

  generate
    if (N < 1 || WIDTH < 1) begin : g_bad
      hwgen_error_merge_n_and_width_must_be_at_least_1 u_error ();
    end

    if (SKID != 0) begin : g_skid
      hwgen_skid #(
        .WIDTH (WIDTH)
      ) u_skid (
        .clk       (clk),
        .rst       (rst),
        .in_valid  (any),
        .in_ready  (advance),
        .in_data   (data_c),
        .out_valid (out_valid),
        .out_ready (out_ready),
        .out_data  (out_data)
      );
    end else begin : g_reg
      reg             valid_q;
      reg [WIDTH-1:0] data_q;
      assign advance   = ~valid_q | out_ready;
      assign out_valid = valid_q;
      assign out_data  = data_q;
      always @(posedge clk) begin
        // idle: data_q is 0 already
        if (advance & (any | valid_q)) begin
          valid_q <= any;
          data_q  <= data_c;
        end
        // data too: it may be part of a result or of a chaining value
        if (rst) begin
          valid_q <= 1'b0;
          data_q  <= {WIDTH{1'b0}};
        end
      end
    end
  endgenerate
endmodule
`default_nettype wire
