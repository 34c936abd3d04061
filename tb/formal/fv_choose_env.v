// SPDX-License-Identifier: Apache-2.0
// What choose_list and head may expect of each other. HEAD = 0: choose_list is under proof, so head's
// part is assumed and the list's is asserted; HEAD = 1: the other way round.
// A packet is looked up, checked in the next cycle, and then dispatched, refused or the reason of a kill,
// before the next one is looked up: so an allocation follows a lookup of the same id that missed, and a
// dispatch or a kill names the entry that was found (or that it allocates). The list's answer to a
// lookup stands until the next one, and a lookup without lk_use finds nothing.
`default_nettype none
module fv_choose_env #(
  parameter HEAD   = 0,
  parameter ID_W   = 17,
  parameter CHOOSE = 1,
  // derived: do not set
  parameter IDX_W  = (CHOOSE > 1) ? $clog2(CHOOSE) : 1
) (
  input wire             clk,
  input wire             rst,
  input wire             lk_valid,
  input wire             lk_use,
  input wire [ID_W-1:0]  lk_id,
  input wire             lk_hit,
  input wire [IDX_W-1:0] lk_idx,
  input wire             q_dead,
  input wire             free_any,
  input wire [IDX_W-1:0] free_idx,
  input wire             al_valid,
  input wire [IDX_W-1:0] al_idx,
  input wire [ID_W-1:0]  al_id,
  input wire             up_valid,
  input wire [IDX_W-1:0] up_idx,
  input wire             kl_valid,
  input wire             kl_ready,
  input wire [IDX_W-1:0] kl_idx
);
  // the packet looked up last: its id, in its check, found or a free entry for it, over
  reg             check_q = 1'b0, use_q, found_q = 1'b0, alive_q, free_q = 1'b0;
  reg [ID_W-1:0]  id_q;
  reg [IDX_W-1:0] idx_q;
  // the answer of the cycle before
  reg             was_q = 1'b0, hit_q;
  reg [IDX_W-1:0] hit_idx_q;

  always @(posedge clk) begin
    check_q <= lk_valid;
    if (lk_valid) begin
      use_q <= lk_use;
      id_q  <= lk_id;
    end
    if (check_q) begin
      found_q <= lk_hit;
      alive_q <= ~q_dead;
      free_q  <= use_q & ~lk_hit & free_any;
      idx_q   <= lk_hit ? lk_idx : free_idx;
    end
    if (lk_valid | al_valid | up_valid | (kl_valid & kl_ready)) begin
      found_q <= 1'b0;
      free_q  <= 1'b0;
    end
    was_q     <= ~lk_valid;
    hit_q     <= lk_hit;
    hit_idx_q <= lk_idx;
    if (rst) begin
      was_q   <= 1'b0;
      check_q <= 1'b0;
      found_q <= 1'b0;
      free_q  <= 1'b0;
    end
  end

  wire alloc_ok    = free_q & (al_idx == idx_q) & (al_id == id_q) & up_valid & (up_idx == al_idx)
                   & ~lk_valid;
  wire dispatch_ok = al_valid | (found_q & alive_q & (up_idx == idx_q));
  wire kill_ok     = found_q & (kl_idx == idx_q) & ~up_valid & (~lk_valid | ~kl_ready);
  wire answer_ok   = (~check_q | ~lk_hit | use_q) & (~lk_hit | (lk_idx < CHOOSE))
                   & (lk_hit | ~q_dead)
                   & (~was_q | (lk_hit == hit_q && lk_idx == hit_idx_q));
  wire free_ok     = ~(check_q & free_any) | (free_idx < CHOOSE);
  generate
    if (HEAD != 0) begin : g_head
      always @*
        if (~rst) begin
          if (al_valid) a_allocate: assert (alloc_ok);
          if (up_valid) a_dispatch: assert (dispatch_ok);
          if (kl_valid) a_kill: assert (kill_ok);
          if (lk_valid) a_one_lookup: assert (~check_q);
          e_answer: assume (answer_ok);
          e_free: assume (free_ok);
        end
    end else begin : g_list
      always @*
        if (~rst) begin
          if (al_valid) e_allocate: assume (alloc_ok);
          if (up_valid) e_dispatch: assume (dispatch_ok);
          if (kl_valid) e_kill: assume (kill_ok);
          if (lk_valid) e_one_lookup: assume (~check_q);
          a_answer: assert (answer_ok);
          a_free: assert (free_ok);
        end
    end
  endgenerate
endmodule
`default_nettype wire
