// SPDX-License-Identifier: Apache-2.0
// Choose list: the open chained jobs of a cluster, looked up by {tid, task} (a CAM).
// Latency: lk_valid to lk_hit, lk_idx, lk_same 1 cycle, held until the next lookup; q_* are live
// views of the entry found. Initiation interval 1; a lookup sees an allocation one cycle later.
// Handshake: pulses; credits and kills valid/ready, ready from registers (and kl_valid) alone.
// An entry is freed at pending = 0 once it is closing or dead, and its chaining value is scrubbed:
// sc_valid comes in the next cycle, and chained credits and kills wait until the scrub is over.
// In one cycle a kill wins over credits, which wait: the credit then finds its entry dead.
`default_nettype none
module hwgen_choose_list #(
  // entries, at least 1
  parameter CHOOSE     = 16,
  // requesters, 1 to 256
  parameter REQUESTERS = 4,
  // cores of the cluster, 1 to 64
  parameter CORES      = 4,
  // key slots
  parameter KEY_SLOTS  = 8,
  // packet slots: the most packets of a job that can be pending
  parameter SLOTS      = 32,
  // derived: do not set
  parameter TID_W  = (REQUESTERS > 1) ? $clog2(REQUESTERS) : 1,
  parameter IDX_W  = (CHOOSE > 1) ? $clog2(CHOOSE) : 1,
  parameter CORE_W = (CORES > 1) ? $clog2(CORES) : 1,
  parameter KS_W   = (KEY_SLOTS > 1) ? $clog2(KEY_SLOTS) : 1
) (
  input  wire              clk,
  input  wire              rst,
  // lookup; lk_use = 0: no job of the list is meant, nothing hits
  input  wire              lk_valid,
  input  wire              lk_use,
  input  wire [TID_W-1:0]  lk_tid,
  input  wire [15:0]       lk_task,
  input  wire [1:0]        lk_cmd,
  input  wire [2:0]        lk_mode,
  input  wire [KS_W-1:0]   lk_key,
  input  wire [15:0]       lk_no,
  output wire              lk_hit,
  output wire [IDX_W-1:0]  lk_idx,
  // cmd, mode, key slot and No are those the job expects next
  output wire              lk_same,
  // of the entry found: dead or closing; pending > 0 in the next cycle; core of its last packet
  output wire              q_dead,
  output wire              q_bound,
  output wire [CORE_W-1:0] q_core,
  // the packet looked up is in order: expect nx_no next (ignored unless hit and same)
  input  wire              nx_valid,
  input  wire [15:0]       nx_no,
  // a free entry, settled 2 cycles after an allocation
  output wire              free_any,
  output wire [IDX_W-1:0]  free_idx,
  input  wire              al_valid,
  input  wire [IDX_W-1:0]  al_idx,
  input  wire [TID_W-1:0]  al_tid,
  input  wire [15:0]       al_task,
  input  wire [1:0]        al_cmd,
  input  wire [2:0]        al_mode,
  input  wire [KS_W-1:0]   al_key,
  // a dispatch of the entry's job; may come with al_valid
  input  wire              up_valid,
  input  wire [IDX_W-1:0]  up_idx,
  input  wire [CORE_W-1:0] up_core,
  input  wire              up_last,
  input  wire              kl_valid,
  output wire              kl_ready,
  input  wire [IDX_W-1:0]  kl_idx,
  // all credits of the cluster pass here, chained or not
  input  wire              cr_hold,
  input  wire              cr_valid,
  output wire              cr_ready,
  input  wire              cr_chained,
  input  wire [IDX_W-1:0]  cr_idx,
  output wire              cr_dead,
  output wire              sc_valid,
  output wire [IDX_W-1:0]  sc_idx,
  input  wire              sc_busy,
  // an entry was freed: its key slot, one cycle after
  output wire              ef_valid,
  output wire [KS_W-1:0]   ef_key
);
  localparam PEND_W = $clog2(SLOTS + 1);
  localparam [PEND_W-1:0] ONE = 1;
  localparam [PEND_W-1:0] MINUS = {PEND_W{1'b1}};

  // at most one bit: no two valid entries have the same id
  reg  [CHOOSE-1:0]        match_q, same_q;
  reg                      free_any_q, freed_q;
  reg  [IDX_W-1:0]         free_idx_q, freed_idx_q;

  // Entries. dead and closing stay after an entry was freed: a packet looked up in the very cycle
  // of the free is still told that its job is over. some: pending is not 0.
  reg  [CHOOSE-1:0]        valid_q, dead_q, closing_q, some_q;
  reg  [CHOOSE*CORE_W-1:0] core_q;
  reg  [CHOOSE*KS_W-1:0]   key_q;
  reg  [CHOOSE*PEND_W-1:0] pending_q;
  wire [CHOOSE-1:0]        ends = dead_q | closing_q;

  // a scrub runs or is about to; the reason why there is at most one freed entry at a time
  wire busy    = sc_busy | freed_q;
  wire kl_fire = kl_valid & kl_ready;
  wire cr_fire = cr_valid & cr_ready & cr_chained;

  assign kl_ready = ~busy;
  assign cr_ready = ~(cr_hold | kl_valid | (cr_chained & busy));
  assign cr_dead  = dead_q[cr_idx];
  assign sc_valid = freed_q;
  assign sc_idx   = freed_idx_q;
  assign ef_valid = freed_q;
  assign ef_key   = key_q[freed_idx_q*KS_W +: KS_W];
  assign free_any = free_any_q;
  assign free_idx = free_idx_q;
  assign lk_hit   = |match_q;
  assign lk_same  = |(match_q & same_q);
  assign q_dead   = |(match_q & ends);

  integer k, e, n;

  // Without one of these nothing changes.
  wire change = al_valid | up_valid | kl_fire | cr_fire;

  // last: credits of the last pending packet; no dispatch comes to an entry that ends, so a freeing
  // credit never meets one
  localparam [CHOOSE-1:0] BIT = 1;
  reg  [CHOOSE-1:0] al, up, kl, cr, last, freed;
  always @* begin
    e = 0; // on every path, lest a tool sees a latch
    {al, up, kl, cr, last, freed} = {(6*CHOOSE){1'b0}};
    if (change) begin
      if (al_valid) al = BIT << al_idx;
      if (up_valid) up = BIT << up_idx;
      if (kl_fire) kl = BIT << kl_idx;
      if (cr_fire) cr = BIT << cr_idx;
      for (e = 0; e < CHOOSE; e = e + 1)
        last[e] = cr[e] & (pending_q[e*PEND_W +: PEND_W] == ONE);
      freed = valid_q & ((kl & ~some_q) | (last & ends));
    end
  end
  wire [CHOOSE-1:0] bound = some_q & ~last;
  assign q_bound  = |(match_q & bound);

  // an allocation and a packet in order never come in the same cycle
  wire [15:0] no_d = al_valid ? 16'd1 : nx_no;
  wire        next = al_valid | nx_valid;

  // the entries in whose number a bit is 1
  function [CHOOSE-1:0] with_bit;
    input integer place;
    integer       j;
    for (j = 0; j < CHOOSE; j = j + 1) with_bit[j] = (j >> place) % 2 != 0;
  endfunction

  // core_q holds bit b of entry k at b*CHOOSE + k
  reg  [CORE_W-1:0] core_of;
  assign q_core = core_of;
  always @*
    for (k = 0; k < CORE_W; k = k + 1)
      core_of[k] = |(core_q[k*CHOOSE +: CHOOSE] & match_q);

  // changed_q: valid_q may be new
  reg              changed_q;
  reg  [IDX_W-1:0] first_free;
  always @* begin
    n = 0; // on every path, lest a tool sees a latch
    first_free = {IDX_W{1'bx}};
    if (changed_q)
      for (n = CHOOSE - 1; n >= 0; n = n - 1)
        if (~valid_q[n]) first_free = n[IDX_W-1:0];
  end

  integer w, v;
  always @(posedge clk) begin
    if (change) begin
      valid_q   <= (valid_q | al) & ~freed;
      dead_q    <= (dead_q & ~al) | kl;
      closing_q <= (closing_q & ~al) | (up & {CHOOSE{up_last}});
      some_q    <= (some_q & ~last) | up;
      for (w = 0; w < CHOOSE; w = w + 1) begin
        if (up[w] != cr[w])
          pending_q[w*PEND_W +: PEND_W] <= pending_q[w*PEND_W +: PEND_W] + (up[w] ? ONE : MINUS);
        if (up[w])
          for (v = 0; v < CORE_W; v = v + 1) core_q[v*CHOOSE + w] <= up_core[v];
      end
      freed_idx_q <= kl_fire ? kl_idx : cr_idx;
    end
    freed_q   <= |freed;
    changed_q <= change;
    if (changed_q) begin
      free_any_q <= ~(&valid_q);
      free_idx_q <= first_free;
    end
    if (rst) begin
      valid_q    <= {CHOOSE{1'b0}};
      dead_q     <= {CHOOSE{1'b0}};
      closing_q  <= {CHOOSE{1'b0}};
      some_q     <= {CHOOSE{1'b0}};
      pending_q  <= {(CHOOSE*PEND_W){1'b0}};
      free_any_q <= 1'b0;
      freed_q    <= 1'b0;
      changed_q  <= 1'b1;
    end
  end

  genvar i;
  generate
    if (CHOOSE < 1 || SLOTS < 1) begin : g_bad
      hwgen_error_choose_list_choose_and_slots_must_be_at_least_1 u_error ();
    end

    for (i = 0; i < IDX_W; i = i + 1) begin : g_idx
      localparam [CHOOSE-1:0] ONES = with_bit(i);
      assign lk_idx[i] = |(match_q & ONES);
    end

    for (i = 0; i < CHOOSE; i = i + 1) begin : g_entry
      reg [TID_W-1:0]    tid_q;
      reg [15:0]         task_q, no_q;
      reg [1:0]          cmd_q;
      reg [2:0]          mode_q;

      always @(posedge clk) begin
        if (lk_valid) begin
          match_q[i] <= lk_use & valid_q[i] & ({tid_q, task_q} == {lk_tid, lk_task});
          same_q[i]  <= {cmd_q, mode_q, key_q[i*KS_W +: KS_W], no_q}
                     == {lk_cmd, lk_mode, lk_key, lk_no};
        end
        if (al_valid)
          if (al[i]) begin
          tid_q  <= al_tid;
          task_q <= al_task;
          cmd_q  <= al_cmd;
          mode_q <= al_mode;
          key_q[i*KS_W +: KS_W] <= al_key;
        end
        if (next) if (al[i] | (match_q[i] & same_q[i] & nx_valid)) no_q <= no_d;
        if (rst) match_q[i] <= 1'b0;
      end
    end
  endgenerate
endmodule
`default_nettype wire
