// SPDX-License-Identifier: Apache-2.0
// Merges N valid/ready streams into one in a tree of hwgen_merge nodes: N does not set Fmax.
// Latency: a cycle a rank: N <= 5: 1, N <= 20: 2, N <= 80: 3; initiation interval 1.
// Beats of one input keep their order; at most RANKS (SKID: RANKS + 1) of them are inside.
// Every node is round robin: with N no multiple of 4 the nodes differ by one input, and so, only
// while the output is saturated, do the shares of their inputs.
`default_nettype none
module hwgen_merge_tree #(
  // inputs, 1 to 80
  parameter N     = 4,
  // bits of a beat
  parameter WIDTH = 8,
  // 1: the root has two entries and its ready is a register
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
  //   inputs   0 1 2 | 3 4 5 | 6 7 8      N = 9: three nodes of three ...
  //             node    node    node      ... each with a register ...
  //                \      |     /
  //                 root node             ... and a root; SKID = 1: the root has a registered ready
  //
  // nodes of rank 1 and rank 2, when there are such ranks
  localparam N1 = (N + 3) / 4;
  localparam N2 = (N1 + 3) / 4;

  genvar i;
  generate
    if (N < 1 || N > 80) begin : g_bad
      hwgen_error_merge_tree_n_must_be_1_to_80 u_error ();
    end

    if (N <= 5) begin : g_one
      hwgen_merge #(
        .N     (N),
        .WIDTH (WIDTH),
        .SKID  (SKID)
      ) u_root (
        .clk       (clk),
        .rst       (rst),
        .in_valid  (in_valid),
        .in_ready  (in_ready),
        .in_data   (in_data),
        .out_valid (out_valid),
        .out_ready (out_ready),
        .out_data  (out_data)
      );
    end else begin : g_ranks
      wire [N1-1:0]       a_valid, a_ready;
      wire [N1*WIDTH-1:0] a_data;
      for (i = 0; i < N1; i = i + 1) begin : g_rank1
        // spread evenly: node i has inputs FROM .. FROM+SIZE-1, SIZE is 2, 3 or 4
        localparam FROM = (i * N) / N1;
        localparam SIZE = ((i + 1) * N) / N1 - FROM;
        hwgen_merge #(
          .N     (SIZE),
          .WIDTH (WIDTH)
        ) u_node (
          .clk       (clk),
          .rst       (rst),
          .in_valid  (in_valid[FROM +: SIZE]),
          .in_ready  (in_ready[FROM +: SIZE]),
          .in_data   (in_data[FROM*WIDTH +: SIZE*WIDTH]),
          .out_valid (a_valid[i]),
          .out_ready (a_ready[i]),
          .out_data  (a_data[i*WIDTH +: WIDTH])
        );
      end

      if (N1 <= 5) begin : g_two
        hwgen_merge #(
          .N     (N1),
          .WIDTH (WIDTH),
          .SKID  (SKID)
        ) u_root (
          .clk       (clk),
          .rst       (rst),
          .in_valid  (a_valid),
          .in_ready  (a_ready),
          .in_data   (a_data),
          .out_valid (out_valid),
          .out_ready (out_ready),
          .out_data  (out_data)
        );
      end else begin : g_three
        wire [N2-1:0]       b_valid, b_ready;
        wire [N2*WIDTH-1:0] b_data;
        for (i = 0; i < N2; i = i + 1) begin : g_rank2
          localparam FROM = (i * N1) / N2;
          localparam SIZE = ((i + 1) * N1) / N2 - FROM;
          hwgen_merge #(
            .N     (SIZE),
            .WIDTH (WIDTH)
          ) u_node (
            .clk       (clk),
            .rst       (rst),
            .in_valid  (a_valid[FROM +: SIZE]),
            .in_ready  (a_ready[FROM +: SIZE]),
            .in_data   (a_data[FROM*WIDTH +: SIZE*WIDTH]),
            .out_valid (b_valid[i]),
            .out_ready (b_ready[i]),
            .out_data  (b_data[i*WIDTH +: WIDTH])
          );
        end
        hwgen_merge #(
          .N     (N2),
          .WIDTH (WIDTH),
          .SKID  (SKID)
        ) u_root (
          .clk       (clk),
          .rst       (rst),
          .in_valid  (b_valid),
          .in_ready  (b_ready),
          .in_data   (b_data),
          .out_valid (out_valid),
          .out_ready (out_ready),
          .out_data  (out_data)
        );
      end
    end
  endgenerate
endmodule
`default_nettype wire
