// SPDX-License-Identifier: Apache-2.0
// Queue of one cluster: slot numbers in order of arrival, from the splitter to the head.
// Latency 1; initiation interval 1 (QUEUE = 1: 2). Both sides valid/ready, registered.
// Holds exactly QUEUE slots: a full queue makes the splitter park.
`default_nettype none
module hwgen_cluster_queue #(
  // packets, at least 1
  parameter QUEUE  = 8,
  // packet slots of the design
  parameter SLOTS  = 32,
  // derived: do not set
  parameter SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1
) (
  input  wire              clk,
  input  wire              rst,
  input  wire              en_valid,
  output wire              en_ready,
  input  wire [SLOT_W-1:0] en_slot,
  output wire              cq_valid,
  input  wire              cq_ready,
  output wire [SLOT_W-1:0] cq_slot
);
  hwgen_fifo #(
    .WIDTH (SLOT_W),
    .DEPTH (QUEUE)
  ) u_fifo (
    .clk       (clk),
    .rst       (rst),
    .in_valid  (en_valid),
    .in_ready  (en_ready),
    .in_data   (en_slot),
    .out_valid (cq_valid),
    .out_ready (cq_ready),
    .out_data  (cq_slot)
  );

  generate
    if (QUEUE < 1) begin : g_bad
      hwgen_error_queue_must_be_at_least_1 u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
