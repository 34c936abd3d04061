// SPDX-License-Identifier: Apache-2.0
// hwgen_header_store: a request of a cluster (any) is answered by all words of its header, in a row,
// from the next cycle on, and by no other cluster's; words read, by either side, are those written.
`default_nettype none
module hwgen_header_store_proof #(
  parameter DATA_W   = 64,
  parameter SLOTS    = 2,
  parameter CLUSTERS = 2,
  parameter SLOT_W   = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter WIDX_W   = (DATA_W < 128) ? $clog2(128/DATA_W) : 1
) (
  input wire                       clk,
  input wire                       rst,
  input wire                       hw_we,
  input wire [SLOT_W-1:0]          hw_slot,
  input wire [WIDX_W-1:0]          hw_word,
  input wire [DATA_W:0]            hw_data,
  input wire                       hw_pay,
  input wire [CLUSTERS-1:0]        hr_valid,
  input wire [CLUSTERS*SLOT_W-1:0] hr_slot,
  input wire                       hc_re,
  input wire [SLOT_W-1:0]          hc_slot,
  input wire [WIDX_W-1:0]          hc_word
);
  localparam BPB   = 128 / DATA_W;
  localparam CLU_W = (CLUSTERS > 1) ? $clog2(CLUSTERS) : 1;

  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire [CLUSTERS-1:0] hr_ready, hv_valid;
  wire [WIDX_W-1:0]   hv_word;
  wire [DATA_W:0]     hv_data;
  wire [DATA_W+1:0]   hc_data;
  hwgen_header_store #(
    .DATA_W     (DATA_W),
    .SLOTS      (SLOTS),
    .REQUESTERS (2),
    .CLUSTERS   (CLUSTERS)
  ) u_dut (
    .clk      (clk),
    .rst      (rst),
    .hw_we    (hw_we),
    .hw_slot  (hw_slot),
    .hw_word  (hw_word),
    .hw_data  (hw_data),
    .hw_pay   (hw_pay),
    .hr_valid (hr_valid),
    .hr_ready (hr_ready),
    .hr_slot  (hr_slot),
    .hv_valid (hv_valid),
    .hv_word  (hv_word),
    .hv_data  (hv_data),
    .hc_re    (hc_re),
    .hc_slot  (hc_slot),
    .hc_word  (hc_word),
    .hc_data  (hc_data)
  );

  // one cluster; one word and one bit of it
  (* anyconst *) wire [CLU_W-1:0]  me;
  (* anyconst *) wire [SLOT_W-1:0] slot;
  (* anyconst *) wire [WIDX_W-1:0] word;
  (* anyconst *) wire [6:0]        bit_at;
  always @* begin
    e_me: assume (me < CLUSTERS);
    e_word: assume (slot < SLOTS && word < BPB && bit_at <= DATA_W);
    if (hw_we & live) e_write: assume (hw_slot < SLOTS && hw_word < BPB);
  end

  wire               fire = hr_valid[me] & hr_ready[me];
  wire [SLOT_W-1:0]  asked = hr_slot[me*SLOT_W +: SLOT_W];
  wire               write = hw_we & (hw_slot == slot) & (hw_word == word);
  reg                known_q = 1'b0, bit_q, pay_q;
  // the burst of the cluster: words to come, the next one, its slot
  reg [2:0]          left_q = 0;
  reg [WIDX_W-1:0]   next_q;
  reg [SLOT_W-1:0]   slot_q;
  // the word on each side's output is the followed one, as it was
  reg                h_is_q = 1'b0, h_bit_q, c_is_q = 1'b0, c_bit_q, c_pay_q;
  wire [WIDX_W-1:0]  reads = fire ? 0 : next_q;
  always @(posedge clk) begin
    if (write) begin
      known_q <= 1'b1;
      bit_q   <= hw_data[bit_at];
      pay_q   <= hw_pay;
    end
    if (fire) begin
      left_q <= BPB;
      next_q <= 1;
      slot_q <= asked;
    end else if (left_q != 0) begin
      left_q <= left_q - 1'b1;
      next_q <= next_q + 1'b1;
    end
    h_is_q  <= known_q & ~write & (fire ? (asked == slot && word == 0)
                                        : (left_q > 1 && slot_q == slot && next_q == word));
    h_bit_q <= bit_q;
    if (hc_re) begin
      c_is_q  <= known_q & ~write & (hc_slot == slot) & (hc_word == word);
      c_bit_q <= bit_q;
      c_pay_q <= pay_q;
    end
    if (rst | ~live) begin
      left_q <= 0;
      h_is_q <= 1'b0;
    end
    if (~live) begin
      known_q <= 1'b0;
      c_is_q  <= 1'b0;
    end
  end
  wire [WIDX_W-1:0] shown = next_q - 1'b1;

  always @*
    if (live & ~rst) begin
      a_answers: assert (hv_valid[me] == (left_q != 0));
      a_one: assert ((hv_valid & (hv_valid - 1'b1)) == 0);
      if (left_q != 0) a_in_a_row: assert (hv_word == ((BPB == 1) ? 0 : shown));
      if (left_q > 1) a_no_other: assert (hr_ready == 0);
      if (h_is_q) a_word: assert (hv_data[bit_at] == h_bit_q);
      if (c_is_q) a_collector: assert (hc_data[bit_at] == c_bit_q && hc_data[DATA_W+1] == c_pay_q);
      c_last: cover (h_is_q && word == BPB - 1);
      c_both: cover (h_is_q & c_is_q);
    end
endmodule
`default_nettype wire
