// SPDX-License-Identifier: Apache-2.0
// Descriptors of the packets dispatched in a cluster, by slot: one RAM, written at dispatch, read
// by the core queues through one shared port.
// Latency: request in t, dr_ready in t+1, ds_valid with ds_desc in t+2. Initiation interval 1 over
// all queues. A slot may be asked for from the cycle after its dispatch on.
`default_nettype none
module hwgen_desc_store #(
  // cores of the cluster, 1 to 64
  parameter CORES  = 4,
  // packet slots
  parameter SLOTS  = 32,
  // bits of a descriptor
  parameter DESC_W = 24,
  // derived: do not set
  parameter SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1
) (
  input  wire                    clk,
  input  wire                    rst,
  input  wire                    dp_valid,
  input  wire [SLOT_W-1:0]       dp_slot,
  input  wire [DESC_W-1:0]       dp_desc,
  input  wire [CORES-1:0]        dr_valid,
  output wire [CORES-1:0]        dr_ready,
  input  wire [CORES*SLOT_W-1:0] dr_slot,
  // one-hot: the queue whose descriptor is on ds_desc
  output wire [CORES-1:0]        ds_valid,
  output wire [DESC_W-1:0]       ds_desc
);
  localparam IDX_W = (CORES > 1) ? $clog2(CORES) : 1;

  reg  [CORES-1:0]  ds_valid_q;
  reg  [SLOT_W-1:0] slot;
  wire              rd, first, word;
  wire [IDX_W-1:0]  index;
  wire              unused = &{1'b0, word, index};  // one word; one-hot is enough

  assign ds_valid = ds_valid_q;

  hwgen_read_arb #(
    .N       (CORES),
    .WORDS_W (1)
  ) u_arb (
    .clk   (clk),
    .rst   (rst),
    .stop  (1'b0),
    .req   (dr_valid),
    .ready (dr_ready),
    .extra (1'b0),
    .rd    (rd),
    .first (first),
    .word  (word),
    .index (index)
  );

  // gathered where one is wanted: a simulator skips it in other cycles
  reg  [CORES*SLOT_W-1:0] slots;
  integer k;
  always @* begin
    k = 0; // on every path, lest a tool sees a latch
    slot  = {SLOT_W{1'bx}};
    slots = {(CORES*SLOT_W){1'bx}};
    if (first) begin
      slot  = {SLOT_W{1'b0}};
      slots = dr_slot;
      for (k = 0; k < CORES; k = k + 1)
        if (dr_ready[k]) slot = slot | slots[k*SLOT_W +: SLOT_W];
    end
  end

  hwgen_ram #(
    .WIDTH (DESC_W),
    .DEPTH (SLOTS)
  ) u_ram (
    .clk   (clk),
    .we    (dp_valid),
    .waddr (dp_slot),
    .wdata (dp_desc),
    .re    (rd),
    .raddr (slot),
    .rdata (ds_desc)
  );

  always @(posedge clk) begin
    ds_valid_q <= dr_ready;
    if (rst) ds_valid_q <= {CORES{1'b0}};
  end

  generate
    if (CORES < 1 || CORES > 64) begin : g_bad
      hwgen_error_desc_store_cores_must_be_1_to_64 u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
