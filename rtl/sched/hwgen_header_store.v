// SPDX-License-Identifier: Apache-2.0
// Headers by slot: BPB words {tid, beat} each, written by ingress, in two copies of one read port.
// Heads: hr_valid/hr_ready/hr_slot, round robin, combinational onto the RAM address in cycle t;
// word 0 is on hv_data in t+1 with hv_valid[c], further words follow back to back; interval BPB.
// Collector: hc_re/hc_slot/hc_word in t, hc_data in t+1, held while hc_re = 0.
// hc_data has one more bit on top: in the last word, the length field is not 0.
// Not swept: holds no payload, key or IV, and clear needs it for its answers.
`default_nettype none
module hwgen_header_store #(
  // stream width: 32, 64 or 128
  parameter DATA_W     = 128,
  // packet slots of the design
  parameter SLOTS      = 32,
  // requesters, 1 to 256
  parameter REQUESTERS = 4,
  // clusters, 1 to 16
  parameter CLUSTERS   = 2,
  // derived: do not set
  parameter SLOT_W     = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter TID_W      = (REQUESTERS > 1) ? $clog2(REQUESTERS) : 1,
  parameter WIDX_W     = (DATA_W < 128) ? $clog2(128/DATA_W) : 1
) (
  input  wire                       clk,
  input  wire                       rst,
  input  wire                       hw_we,
  input  wire [SLOT_W-1:0]          hw_slot,
  input  wire [WIDX_W-1:0]          hw_word,
  input  wire [TID_W+DATA_W-1:0]    hw_data,
  input  wire                       hw_pay,
  input  wire [CLUSTERS-1:0]        hr_valid,
  output wire [CLUSTERS-1:0]        hr_ready,
  input  wire [CLUSTERS*SLOT_W-1:0] hr_slot,
  output wire [CLUSTERS-1:0]        hv_valid,
  output wire [WIDX_W-1:0]          hv_word,
  output wire [TID_W+DATA_W-1:0]    hv_data,
  input  wire                       hc_re,
  input  wire [SLOT_W-1:0]          hc_slot,
  input  wire [WIDX_W-1:0]          hc_word,
  output wire [TID_W+DATA_W:0]      hc_data
);
  localparam BPB = 128/DATA_W;
  localparam CLUSTER_W = (CLUSTERS > 1) ? $clog2(CLUSTERS) : 1;
  localparam ADDR_W = (SLOTS*BPB > 1) ? $clog2(SLOTS*BPB) : 1;

  wire [CLUSTERS-1:0]  grant;
  wire                 any;
  wire [CLUSTER_W-1:0] unused_index;  // the one-hot grant is the select
  // gathered where one is wanted: a simulator skips it in other cycles
  reg  [SLOT_W-1:0]          slot_c;
  reg  [CLUSTERS*SLOT_W-1:0] slots;
  integer k;
  always @* begin
    k = 0; // on every path, lest a tool sees a latch
    slot_c = {SLOT_W{1'bx}};
    slots  = {(CLUSTERS*SLOT_W){1'bx}};
    if (any) begin
      slot_c = {SLOT_W{1'b0}};
      slots  = hr_slot;
      for (k = 0; k < CLUSTERS; k = k + 1)
        if (grant[k]) slot_c = slot_c | slots[k*SLOT_W +: SLOT_W];
    end
  end

  // a burst of words after the first one, which is addressed by the request itself
  wire                more;
  wire [SLOT_W-1:0]   slot;
  wire [WIDX_W-1:0]   word;
  wire [CLUSTERS-1:0] who;
  reg  [CLUSTERS-1:0] valid_q;
  reg  [WIDX_W-1:0]   word_q;

  assign hr_ready = grant & {CLUSTERS{~more}};
  assign hv_valid = valid_q;
  assign hv_word  = word_q;

  hwgen_rr_arb #(
    .N (CLUSTERS)
  ) u_arb (
    .clk     (clk),
    .rst     (rst),
    .req     (hr_valid),
    .advance (~more),
    .grant   (grant),
    .any     (any),
    .index   (unused_index)
  );

  always @(posedge clk) begin
    valid_q <= who;
    word_q  <= word;
    if (rst) valid_q <= {CLUSTERS{1'b0}};
  end

  wire [ADDR_W-1:0] waddr, raddr, caddr;

  generate
    if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) begin : g_bad
      hwgen_error_data_w_must_be_32_64_or_128 u_error ();
    end

    if (BPB == 1) begin : g_one
      wire unused_words = &{1'b0, hw_word, hc_word};  // a header is one word
      assign more  = 1'b0;
      assign slot  = slot_c;
      assign word  = {WIDX_W{unused_words}};
      assign who   = grant;
      assign waddr = hw_slot;
      assign raddr = slot;
      assign caddr = hc_slot;
    end else begin : g_burst
      localparam [WIDX_W-1:0] ONE = 1;
      reg                more_q;
      reg [SLOT_W-1:0]   slot_q;
      reg [WIDX_W-1:0]   next_q;
      reg [CLUSTERS-1:0] who_q;
      assign more = more_q;
      assign slot = more_q ? slot_q : slot_c;
      assign word = more_q ? next_q : {WIDX_W{1'b0}};
      assign who  = more_q ? who_q : grant;
      always @(posedge clk) begin
        slot_q <= slot;
        who_q  <= who;
        next_q <= word + ONE;
        more_q <= more_q ? ~&next_q : any;
        if (rst) more_q <= 1'b0;
      end
      // SLOTS = 1: the slot bit, always 0, is no address bit
      wire [SLOT_W+WIDX_W-1:0] wfull = {hw_slot, hw_word};
      wire [SLOT_W+WIDX_W-1:0] rfull = {slot, word};
      wire [SLOT_W+WIDX_W-1:0] cfull = {hc_slot, hc_word};
      assign waddr = wfull[ADDR_W-1:0];
      assign raddr = rfull[ADDR_W-1:0];
      assign caddr = cfull[ADDR_W-1:0];
      if (SLOTS == 1) begin : g_single
        wire unused_slot = &{1'b0, wfull[ADDR_W], rfull[ADDR_W], cfull[ADDR_W]};  // the slot bit, 0
      end
    end
  endgenerate

  hwgen_ram #(
    .WIDTH (TID_W+DATA_W),
    .DEPTH (SLOTS*BPB)
  ) u_heads (
    .clk   (clk),
    .we    (hw_we),
    .waddr (waddr),
    .wdata (hw_data),
    .re    (any | more),
    .raddr (raddr),
    .rdata (hv_data)
  );

  hwgen_ram #(
    .WIDTH (TID_W+DATA_W+1),
    .DEPTH (SLOTS*BPB)
  ) u_collector (
    .clk   (clk),
    .we    (hw_we),
    .waddr (waddr),
    .wdata ({hw_pay, hw_data}),
    .re    (hc_re),
    .raddr (caddr),
    .rdata (hc_data)
  );
endmodule
`default_nettype wire
