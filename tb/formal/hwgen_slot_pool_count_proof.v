// SPDX-License-Identifier: Apache-2.0
// hwgen_slot_pool's counters: frames that came in, slots that came back, and the difference.
`default_nettype none
module hwgen_slot_pool_count_proof #(
  parameter SLOTS  = 4,
  parameter SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1
) (
  input wire              clk,
  input wire              rst,
  input wire              sp_ready,
  input wire              sf_valid,
  input wire [SLOT_W-1:0] sf_slot,
  input wire              fa_valid
);
  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire              sp_valid, sp_more;
  wire [SLOT_W-1:0] sp_slot;
  wire [SLOTS-1:0]  used;
  wire [31:0]       accepted, returned;
  wire [SLOT_W:0]   in_flight;
  hwgen_slot_pool #(
    .SLOTS (SLOTS)
  ) u_dut (
    .clk            (clk),
    .rst            (rst),
    .sp_valid       (sp_valid),
    .sp_ready       (sp_ready),
    .sp_slot        (sp_slot),
    .sp_more        (sp_more),
    .sf_valid       (sf_valid),
    .sf_slot        (sf_slot),
    .fa_valid       (fa_valid),
    .used           (used),
    .stat_accepted  (accepted),
    .stat_returned  (returned),
    .stat_in_flight (in_flight)
  );

  // the same, counted here; inside: without a wrap
  reg [31:0] frames_q, frees_q, inside_q;
  always @(posedge clk) begin
    frames_q <= frames_q + fa_valid;
    frees_q  <= frees_q + sf_valid;
    inside_q <= inside_q + fa_valid - sf_valid;
    if (rst | ~live) {frames_q, frees_q, inside_q} <= 0;
  end

  always @*
    if (live & ~rst) begin
      // in_flight counts to SLOTS, and a frame that is in holds a slot
      if (sf_valid & ~fa_valid) e_return_what_is_in: assume (in_flight != 0);
      if (fa_valid & ~sf_valid) e_frame_has_slot: assume (in_flight < SLOTS);
      a_accepted: assert (accepted == frames_q);
      a_returned: assert (returned == frees_q);
      a_in_flight: assert (in_flight == inside_q);
      a_conserved: assert (accepted == returned + in_flight);
      c_returned: cover (returned == 2 && in_flight == 1);
      i_limit: assert (in_flight <= SLOTS);
    end
endmodule
`default_nettype wire
