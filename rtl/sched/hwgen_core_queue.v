// SPDX-License-Identifier: Apache-2.0
// Queue of one core: slots in dispatch order, descriptors fetched from desc_store as they come out.
// Latency: dispatch to jb_valid 1 cycle when empty; a queued packet follows the jb transfer before
// it after 4 cycles (more when other queues read). Initiation interval 1 on the dispatch side.
// Handshake: jb_* are registers; a dispatch has no ready: the balancer never has more than CAP
// packets at a core. A key generation goes ahead of the queue, behind an offered job.
`default_nettype none
module hwgen_core_queue #(
  // number of this core in its cluster
  parameter CORE      = 0,
  // cores of the cluster, 1 to 64
  parameter CORES     = 4,
  // most packets dispatched to the core and not credited, at least 1
  parameter CAP       = 8,
  // packet slots
  parameter SLOTS     = 32,
  // largest payload in blocks of 16 bytes
  parameter PKT_BLOCKS = 4,
  // choose-list entries
  parameter CHOOSE    = 16,
  // key slots
  parameter KEY_SLOTS = 8,
  // 1: this lane generates keys (kg_*); 0: kg_* is ignored
  parameter KEYGEN    = 0,
  // derived: do not set
  parameter SLOT_W    = (SLOTS > 1) ? $clog2(SLOTS) : 1,
  parameter CORE_W    = (CORES > 1) ? $clog2(CORES) : 1,
  parameter LEN_W     = $clog2(PKT_BLOCKS * 16 + 1),
  parameter IDX_W     = (CHOOSE > 1) ? $clog2(CHOOSE) : 1,
  parameter KS_W      = (KEY_SLOTS > 1) ? $clog2(KEY_SLOTS) : 1,
  parameter DESC_W    = 10 + LEN_W + IDX_W + KS_W
) (
  input  wire              clk,
  input  wire              rst,
  input  wire              dp_valid,
  input  wire [CORE_W-1:0] dp_core,
  input  wire [SLOT_W-1:0] dp_slot,
  input  wire [DESC_W-1:0] dp_desc,
  output wire              dr_valid,
  input  wire              dr_ready,
  output wire [SLOT_W-1:0] dr_slot,
  input  wire              ds_valid,
  input  wire [DESC_W-1:0] ds_desc,
  input  wire              kg_valid,
  output wire              kg_ready,
  input  wire [KS_W-1:0]   kg_key,
  output wire              jb_valid,
  input  wire              jb_ready,
  output wire [SLOT_W-1:0] jb_slot,
  output wire [DESC_W-1:0] jb_desc
);
  localparam [31:0] CORE_I = CORE;
  localparam [CORE_W-1:0] ME = CORE_I[CORE_W-1:0];

  // read_q: a descriptor of the queue is being read (from the request to its arrival);
  // ask_q: the request is not yet taken
  reg              job_q, read_q, ask_q;
  reg [SLOT_W-1:0] slot_q;
  reg [DESC_W-1:0] desc_q;

  wire              queued, unused_ready;  // holds CAP, never gets more
  wire [SLOT_W-1:0] queue_slot;
  wire unused = &{1'b0, unused_ready, kg_valid, kg_key};  // kg_*: of KEYGEN

  // Without one of these all stands still.
  wire kg     = (KEYGEN != 0) & kg_valid;
  wire stir   = dp_valid | jb_ready | read_q | (queued & ~job_q) | kg;
  reg  mine, open, pass, start, kg_go;
  always @* begin
    {mine, open, pass, start, kg_go} = 5'd0;
    if (stir) begin
      mine  = dp_valid & (dp_core == ME);
      // the output register can be loaded in this cycle
      open  = (~job_q | jb_ready) & ~read_q;
      pass  = mine & open & ~queued & ~kg;
      start = open & queued & ~kg;
      kg_go = ~job_q & ~read_q & kg;
    end
  end

  assign kg_ready = ~job_q & ~read_q & (KEYGEN != 0);
  assign dr_valid = ask_q;
  assign dr_slot  = queue_slot;
  assign jb_valid = job_q;
  assign jb_slot  = slot_q;
  assign jb_desc  = desc_q;

  hwgen_fifo #(
    .WIDTH (SLOT_W),
    .DEPTH (CAP)
  ) u_queue (
    .clk       (clk),
    .rst       (rst),
    .in_valid  (mine & ~pass),
    .in_ready  (unused_ready),
    .in_data   (dp_slot),
    .out_valid (queued),
    .out_ready (ask_q & dr_ready),
    .out_data  (queue_slot)
  );

  always @(posedge clk) begin
    if (stir) begin
      job_q  <= (job_q & ~jb_ready) | pass | kg_go | (read_q & ds_valid);
      ask_q  <= start | (ask_q & ~dr_ready);
      read_q <= start | (read_q & ~ds_valid);
      if (pass) slot_q <= dp_slot;
      else if (ask_q) slot_q <= queue_slot;
      if (pass) desc_q <= dp_desc;
      else if (read_q) desc_q <= ds_desc;
      else if (kg_go)
        desc_q <= {1'b0, kg_key, {IDX_W{1'b0}}, 1'b0, {LEN_W{1'b0}}, 3'b000, 3'd7, 2'd0};
    end
    if (rst) begin
      job_q  <= 1'b0;
      ask_q  <= 1'b0;
      read_q <= 1'b0;
    end
  end

  generate
    if (CAP < 1 || CORE < 0 || CORE >= CORES) begin : g_bad
      hwgen_error_core_queue_cap_at_least_1_and_core_less_than_cores u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
