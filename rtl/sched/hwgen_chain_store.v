// SPDX-License-Identifier: Apache-2.0
// Chaining values of a cluster's open jobs: CHOOSE x 128 bits, in words, zero after reset.
// Read: round robin over the lanes; word 0 on cs_* 3 cycles after the accepted request (4 for
// CORES > 5, 5 for > 20), further words back to back; initiation interval BPB. Write: at once.
// Scrub: sc_valid, a pulse while sc_busy = 0, overwrites an entry with zeros; sc_busy is 1 from the
// next cycle until it is done; a write in the same cycle goes first.
// The users see to it that nobody reads an entry that is being written.
// Words in block order: byte 0 of a value is the top byte of word 0.
`default_nettype none
module hwgen_chain_store #(
  // bits of a memory word: 32, 64 or 128
  parameter DATA_W = 128,
  // entries
  parameter CHOOSE = 1,
  // lanes, 1 to 64
  parameter CORES  = 1,
  // derived: do not set
  parameter BPB    = 128 / DATA_W,
  parameter WIDX_W = (BPB > 1) ? $clog2(BPB) : 1,
  parameter IDX_W  = (CHOOSE > 1) ? $clog2(CHOOSE) : 1,
  parameter LANE_W = $clog2(CORES + 1)
) (
  input  wire                   clk,
  input  wire                   rst,
  output wire                   sweep_busy,
  // read requests and the answer to all lanes
  input  wire [CORES-1:0]       ch_valid,
  output wire [CORES-1:0]       ch_ready,
  input  wire [CORES*IDX_W-1:0] ch_idx,
  output wire                   cs_valid,
  output wire [LANE_W-1:0]      cs_lane,
  output wire [WIDX_W-1:0]      cs_word,
  output wire [DATA_W-1:0]      cs_data,
  // saves
  input  wire                   cw_we,
  input  wire [IDX_W-1:0]       cw_idx,
  input  wire [WIDX_W-1:0]      cw_word,
  input  wire [DATA_W-1:0]      cw_data,
  // scrub
  input  wire                   sc_valid,
  input  wire [IDX_W-1:0]       sc_idx,
  output wire                   sc_busy
);
  localparam DEPTH  = CHOOSE * BPB;
  localparam ADDR_W = (DEPTH > 1) ? $clog2(DEPTH) : 1;
  localparam W      = LANE_W + IDX_W;
  localparam [WIDX_W-1:0] WONE = 1;
  localparam [31:0] WLAST_I = BPB - 1;
  localparam [WIDX_W-1:0] WLAST = WLAST_I[WIDX_W-1:0];

  wire [CORES*W-1:0] req_data;
  wire               rd_valid;
  wire [LANE_W-1:0]  rd_lane;
  wire [IDX_W-1:0]   rd_idx;
  reg  [WIDX_W-1:0]  rd_word_q;
  wire               rd_last = rd_word_q == WLAST;

  reg                sc_busy_q;
  reg  [IDX_W-1:0]   sc_idx_q;
  reg  [WIDX_W-1:0]  sc_word_q;
  wire               sc_we = sc_busy_q & ~cw_we;

  wire [IDX_W-1:0]   w_idx  = cw_we ? cw_idx : sc_idx_q;
  wire [WIDX_W-1:0]  w_word = cw_we ? cw_word : sc_word_q;
  wire [ADDR_W-1:0]  waddr, raddr;
  wire [DATA_W-1:0]  rdata;

  reg                p_valid_q, cs_valid_q;
  reg  [LANE_W-1:0]  p_lane_q, cs_lane_q;
  reg  [WIDX_W-1:0]  p_word_q, cs_word_q;
  reg  [DATA_W-1:0]  cs_data_q;

  genvar i;
  generate
    if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) begin : g_bad_data_w
      hwgen_error_chain_store_data_w_must_be_32_64_or_128 u_error ();
    end
    if (CHOOSE < 1 || CORES < 1 || CORES > 64) begin : g_bad
      hwgen_error_chain_store_choose_must_be_1_or_more_and_cores_1_to_64 u_error ();
    end

    for (i = 0; i < CORES; i = i + 1) begin : g_lane
      localparam [31:0] LANE_I = i;
      assign req_data[i*W +: W] = {LANE_I[LANE_W-1:0], ch_idx[i*IDX_W +: IDX_W]};
    end

    // an index of one entry, and a word of one a block, have a bit that is always 0: not in the
    // address
    if (BPB == 1) begin : g_addr_idx
      wire unused = &{1'b0, w_word};  // a block is one word
      assign waddr = w_idx;
      assign raddr = rd_idx;
    end else if (CHOOSE == 1) begin : g_addr_word
      wire unused = &{1'b0, w_idx, rd_idx};  // there is one entry
      assign waddr = w_word;
      assign raddr = rd_word_q;
    end else begin : g_addr_both
      assign waddr = {w_idx, w_word};
      assign raddr = {rd_idx, rd_word_q};
    end
  endgenerate

  hwgen_merge_tree #(
    .N     (CORES),
    .WIDTH (W)
  ) u_tree (
    .clk       (clk),
    .rst       (rst),
    .in_valid  (ch_valid),
    .in_ready  (ch_ready),
    .in_data   (req_data),
    .out_valid (rd_valid),
    .out_ready (rd_last),
    .out_data  ({rd_lane, rd_idx})
  );

  hwgen_swept_ram #(
    .WIDTH (DATA_W),
    .DEPTH (DEPTH)
  ) u_ram (
    .clk   (clk),
    .rst   (rst),
    .sweep (1'b0),
    .busy  (sweep_busy),
    .we    (cw_we | sc_we),
    .waddr (waddr),
    .wdata (cw_data & {DATA_W{cw_we}}),
    .re    (rd_valid),
    .raddr (raddr),
    .rdata (rdata)
  );

  assign cs_valid = cs_valid_q;
  assign cs_lane  = cs_lane_q;
  assign cs_word  = cs_word_q;
  assign cs_data  = cs_data_q;
  assign sc_busy  = sc_busy_q;

  always @(posedge clk) begin
    if (rd_valid) rd_word_q <= rd_last ? {WIDX_W{1'b0}} : rd_word_q + WONE;
    p_valid_q  <= rd_valid;
    if (rd_valid) begin
      p_lane_q <= rd_lane;
      p_word_q <= rd_word_q;
    end
    cs_valid_q <= p_valid_q;
    if (p_valid_q) begin
      cs_lane_q <= p_lane_q;
      cs_word_q <= p_word_q;
      cs_data_q <= rdata;
    end

    if (sc_busy_q) begin
      if (sc_we) begin
        sc_word_q <= sc_word_q + WONE;
        sc_busy_q <= sc_word_q != WLAST;
      end
    end else begin
      sc_idx_q  <= sc_idx;
      sc_word_q <= {WIDX_W{1'b0}};
      sc_busy_q <= sc_valid;
    end

    // data too: a chaining value must not survive a reset
    if (rst) begin
      rd_word_q  <= {WIDX_W{1'b0}};
      p_valid_q  <= 1'b0;
      p_lane_q   <= {LANE_W{1'b0}};
      p_word_q   <= {WIDX_W{1'b0}};
      cs_valid_q <= 1'b0;
      cs_lane_q  <= {LANE_W{1'b0}};
      cs_word_q  <= {WIDX_W{1'b0}};
      cs_data_q  <= {DATA_W{1'b0}};
      sc_busy_q  <= 1'b0;
      sc_idx_q   <= {IDX_W{1'b0}};
      sc_word_q  <= {WIDX_W{1'b0}};
    end
  end
endmodule
`default_nettype wire
