// SPDX-License-Identifier: Apache-2.0
// Packet memory: an input area (payload of slot s at {s, offset}, then the IVs) and a result area
// ({s, offset}); one write and one read port each, so that either carries the full line rate.
// Latency 1 (re to data, held while re = 0); initiation interval 1; no handshake.
// Both areas are overwritten with zeros after rst, and each by its sweep pulse; *_busy meanwhile,
// and writes are ignored.
`default_nettype none
module hwgen_packet_buffer #(
  // stream width: 32, 64 or 128
  parameter DATA_W     = 128,
  // packet slots of the design
  parameter SLOTS      = 32,
  // packet_bytes / 16, 1 to 4095
  parameter PKT_BLOCKS = 4,
  // derived: do not set
  parameter SLOT_W     = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter OFF_W      = (PKT_BLOCKS*128/DATA_W > 1) ? $clog2(PKT_BLOCKS*128/DATA_W) : 1
) (
  input  wire              clk,
  input  wire              rst,
  // input area: written by ingress; pw_iv selects the IV region, pw_off is then the word of the IV
  input  wire              in_sweep,
  output wire              in_busy,
  input  wire              pw_we,
  input  wire              pw_iv,
  input  wire [SLOT_W-1:0] pw_slot,
  input  wire [OFF_W-1:0]  pw_off,
  input  wire [DATA_W-1:0] pw_data,
  // ... read by fetch_hub
  input  wire              pr_re,
  input  wire              pr_iv,
  input  wire [SLOT_W-1:0] pr_slot,
  input  wire [OFF_W-1:0]  pr_off,
  output wire [DATA_W-1:0] pr_data,
  // result area: written by writeback_hub
  input  wire              res_sweep,
  output wire              res_busy,
  input  wire              rw_we,
  input  wire [SLOT_W-1:0] rw_slot,
  input  wire [OFF_W-1:0]  rw_off,
  input  wire [DATA_W-1:0] rw_data,
  // ... read by collector
  input  wire              rr_re,
  input  wire [SLOT_W-1:0] rr_slot,
  input  wire [OFF_W-1:0]  rr_off,
  output wire [DATA_W-1:0] rr_data
);
  localparam BPB      = 128/DATA_W;
  localparam AREA     = 1 << OFF_W;
  localparam IN_WORDS = SLOTS*AREA + SLOTS*BPB;
  localparam IN_W     = $clog2(IN_WORDS);
  localparam RES_W    = $clog2(SLOTS*AREA);
  localparam [31:0] IV_BASE_I = SLOTS*AREA;
  localparam [IN_W-1:0] IV_BASE = IV_BASE_I[IN_W-1:0];
  // bits of {slot, offset}, one more than an address where SLOTS = 1
  localparam ALL_W    = SLOT_W + OFF_W + 1;

  // Zero-extended so that every SLOTS fits the same expression; slots are below SLOTS, so the bits
  // that are cut off are 0.
  wire [ALL_W-1:0] pw_pay = {1'b0, pw_slot, pw_off};
  wire [ALL_W-1:0] pr_pay = {1'b0, pr_slot, pr_off};
  wire [ALL_W-1:0] rw_all = {1'b0, rw_slot, rw_off};
  wire [ALL_W-1:0] rr_all = {1'b0, rr_slot, rr_off};
  wire [ALL_W-1:0] pw_ivs, pr_ivs;

  generate
    if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) begin : g_bad_width
      hwgen_error_data_w_must_be_32_64_or_128 u_error ();
    end
    if (PKT_BLOCKS < 1 || PKT_BLOCKS > 4095) begin : g_bad_blocks
      hwgen_error_pkt_blocks_must_be_1_to_4095 u_error ();
    end
    if (BPB == 1) begin : g_iv_word
      assign pw_ivs = {{(ALL_W-SLOT_W){1'b0}}, pw_slot};
      assign pr_ivs = {{(ALL_W-SLOT_W){1'b0}}, pr_slot};
    end else begin : g_iv_words
      localparam WB = $clog2(BPB);
      assign pw_ivs = {{(ALL_W-SLOT_W-WB){1'b0}}, pw_slot, pw_off[WB-1:0]};
      assign pr_ivs = {{(ALL_W-SLOT_W-WB){1'b0}}, pr_slot, pr_off[WB-1:0]};
    end
  endgenerate

  wire [IN_W-1:0] in_waddr = pw_iv ? IV_BASE + pw_ivs[IN_W-1:0] : pw_pay[IN_W-1:0];
  wire [IN_W-1:0] in_raddr = pr_iv ? IV_BASE + pr_ivs[IN_W-1:0] : pr_pay[IN_W-1:0];
  // in front of an address, always 0
  wire unused_top = &{1'b0, pw_pay[ALL_W-1], pr_pay[ALL_W-1], pw_ivs[ALL_W-1], pr_ivs[ALL_W-1],
                      rw_all[ALL_W-1:RES_W], rr_all[ALL_W-1:RES_W]};

  hwgen_swept_ram #(
    .WIDTH (DATA_W),
    .DEPTH (IN_WORDS)
  ) u_input (
    .clk   (clk),
    .rst   (rst),
    .sweep (in_sweep),
    .busy  (in_busy),
    .we    (pw_we),
    .waddr (in_waddr),
    .wdata (pw_data),
    .re    (pr_re),
    .raddr (in_raddr),
    .rdata (pr_data)
  );

  hwgen_swept_ram #(
    .WIDTH (DATA_W),
    .DEPTH (SLOTS*AREA)
  ) u_result (
    .clk   (clk),
    .rst   (rst),
    .sweep (res_sweep),
    .busy  (res_busy),
    .we    (rw_we),
    .waddr (rw_all[RES_W-1:0]),
    .wdata (rw_data),
    .re    (rr_re),
    .raddr (rr_all[RES_W-1:0]),
    .rdata (rr_data)
  );
endmodule
`default_nettype wire
