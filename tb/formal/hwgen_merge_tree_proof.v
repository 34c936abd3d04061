// SPDX-License-Identifier: Apache-2.0
// hwgen_merge_tree: beats of one input (any one) leave in order, each once and unchanged; what is
// inside is offered after at most a cycle a rank. Every beat carries the number of its input here.
`default_nettype none
module hwgen_merge_tree_proof #(
  parameter N     = 4,
  parameter SKID  = 0,
  parameter TAG_W = (N > 1) ? $clog2(N) : 1,
  parameter WIDTH = TAG_W + 1
) (
  input wire         clk,
  input wire         rst,
  input wire [N-1:0] in_valid,
  input wire [N-1:0] in_bit,
  input wire         out_ready,
  input wire         mark
);
  localparam N1    = (N + 3) / 4;
  localparam RANKS = (N <= 5) ? 1 : (N1 <= 5) ? 2 : 3;
  localparam DEPTH = RANKS + SKID;
  localparam CNT_W = $clog2(DEPTH + 1);

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire [N*WIDTH-1:0] in_data;
  genvar i;
  generate
    for (i = 0; i < N; i = i + 1) begin : g_in
      localparam [31:0] I = i;
      assign in_data[i*WIDTH +: WIDTH] = {I[TAG_W-1:0], in_bit[i]};
    end
  endgenerate

  wire [N-1:0]     in_ready;
  wire             out_valid;
  wire [WIDTH-1:0] out_data;
  hwgen_merge_tree #(
    .N     (N),
    .WIDTH (WIDTH),
    .SKID  (SKID)
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

  (* anyconst *) wire [TAG_W-1:0] me;
  always @* e_me: assume (me < N);

  wire             tracked;
  wire [CNT_W-1:0] count, ahead;
  wire             data;
  fv_queue #(
    .WIDTH (1),
    .DEPTH (DEPTH)
  ) u_order (
    .clk      (clk),
    .rst      (rst | ~live),
    .push     (in_valid[me] & in_ready[me]),
    .in_data  (in_bit[me]),
    .pop      (out_valid & out_ready & (out_data[WIDTH-1:1] == me)),
    .out_data (out_data[0]),
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

  // cycles in which a beat is inside and none is offered
  reg [2:0] idle_q = 0;
  always @(posedge clk)
    idle_q <= (rst | ~live | out_valid | (count == 0)) ? 0 : idle_q + 1'b1;

  always @*
    if (live & ~rst) begin
      a_offers: assert (idle_q < RANKS && (out_valid || count == 0 || idle_q < RANKS - 1));
      if (out_valid) a_tag: assert (out_data[WIDTH-1:1] < N);
      a_one_taken: assert (N > 5 || ((in_valid & in_ready) & ((in_valid & in_ready) - 1'b1)) == 0);
    end
endmodule
`default_nettype wire
