// SPDX-License-Identifier: Apache-2.0
// Choose list against a model: lookups as head makes them, allocations, dispatches, kills and
// credits (also in one cycle), scrubs of random length.
// corners: CHOOSE=1 CORES=1 | CHOOSE=3 CORES=3 SLOTS=5 | CHOOSE=5 SLOTS=1 REQUESTERS=1 | CHOOSE=16 CORES=64 REQUESTERS=16 | KEY_SLOTS=1 CHOOSE=2
`default_nettype none
module hwgen_choose_list_tb;
  parameter CHOOSE = 4;
  parameter REQUESTERS = 3;
  parameter CORES = 4;
  parameter KEY_SLOTS = 3;
  parameter SLOTS = 8;
  parameter SEED = 1;
  parameter CYCLES = 20000;
  localparam TID_W = (REQUESTERS > 1) ? $clog2(REQUESTERS) : 1;
  localparam IDX_W = (CHOOSE > 1) ? $clog2(CHOOSE) : 1;
  localparam CORE_W = (CORES > 1) ? $clog2(CORES) : 1;
  localparam KS_W = (KEY_SLOTS > 1) ? $clog2(KEY_SLOTS) : 1;

  reg clk, rst, done;
  reg lk_valid, lk_use, nx_valid, al_valid, up_valid, up_last, kl_valid, cr_hold, cr_valid;
  reg cr_chained, sc_busy;
  reg [TID_W-1:0] lk_tid;
  reg [15:0] lk_task, lk_no, nx_no;
  reg [1:0] lk_cmd;
  reg [2:0] lk_mode;
  reg [KS_W-1:0] lk_key;
  reg [IDX_W-1:0] idx, cr_idx;
  reg [CORE_W-1:0] up_core;
  wire lk_hit, lk_same, q_dead, q_bound, free_any, kl_ready, cr_ready, cr_dead, sc_valid, ef_valid;
  wire [IDX_W-1:0] lk_idx, free_idx, sc_idx;
  wire [CORE_W-1:0] q_core;
  wire [KS_W-1:0] ef_key;

  hwgen_choose_list #(
    .CHOOSE(CHOOSE), .REQUESTERS(REQUESTERS), .CORES(CORES), .KEY_SLOTS(KEY_SLOTS), .SLOTS(SLOTS)
  ) dut (
    .clk(clk), .rst(rst), .lk_valid(lk_valid), .lk_use(lk_use), .lk_tid(lk_tid),
    .lk_task(lk_task), .lk_cmd(lk_cmd), .lk_mode(lk_mode), .lk_key(lk_key), .lk_no(lk_no),
    .lk_hit(lk_hit), .lk_idx(lk_idx), .lk_same(lk_same), .q_dead(q_dead), .q_bound(q_bound),
    .q_core(q_core), .nx_valid(nx_valid), .nx_no(nx_no), .free_any(free_any),
    .free_idx(free_idx), .al_valid(al_valid), .al_idx(idx), .al_tid(lk_tid), .al_task(lk_task),
    .al_cmd(lk_cmd), .al_mode(lk_mode), .al_key(lk_key), .up_valid(up_valid), .up_idx(idx),
    .up_core(up_core), .up_last(up_last), .kl_valid(kl_valid), .kl_ready(kl_ready),
    .kl_idx(idx), .cr_hold(cr_hold), .cr_valid(cr_valid), .cr_ready(cr_ready),
    .cr_chained(cr_chained), .cr_idx(cr_idx), .cr_dead(cr_dead), .sc_valid(sc_valid),
    .sc_idx(sc_idx), .sc_busy(sc_busy), .ef_valid(ef_valid), .ef_key(ef_key));

  // the model
  reg m_v [0:63], m_dead [0:63], m_close [0:63];
  reg [TID_W-1:0] m_tid [0:63];
  reg [15:0] m_task [0:63], m_no [0:63];
  reg [1:0] m_cmd [0:63];
  reg [2:0] m_mode [0:63];
  reg [KS_W-1:0] m_key [0:63];
  integer m_core [0:63], m_pend [0:63];

  integer seed, cyc, i, j, state, hit, hit_was, scrub, freed, freed_was, n_free, frees, kills;
  integer opens, ups, both, busy_slots, age, next_pend;
  reg same, same_was, alloc, cr_take;

  task fail(input [40*8-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1;
      $finish;
    end
  endtask

  task free_entry(input integer e);
    begin
      if (freed >= 0) fail("two frees in a cycle");
      m_v[e] = 0;
      freed = e;
      frees = frees + 1;
    end
  endtask

  initial begin
    seed = SEED; clk = 0; rst = 1; done = 0; cyc = 0; state = 0; hit_was = -1; scrub = 0;
    freed = -1; freed_was = -1; frees = 0; kills = 0; opens = 0; ups = 0; both = 0; age = 0;
    busy_slots = 0; same_was = 0; alloc = 0; n_free = 0; cr_take = 0;
    lk_valid = 0; lk_use = 0; nx_valid = 0; al_valid = 0; up_valid = 0; up_last = 0; kl_valid = 0;
    cr_hold = 0; cr_valid = 0; cr_chained = 0; sc_busy = 0; lk_tid = 0; lk_task = 0; lk_no = 0;
    nx_no = 0; lk_cmd = 0; lk_mode = 0; lk_key = 0; idx = 0; cr_idx = 0; up_core = 0;
    for (i = 0; i < 64; i = i + 1) begin
      m_v[i] = 0; m_dead[i] = 0; m_close[i] = 0; m_pend[i] = 0; m_no[i] = 0; m_core[i] = 0;
    end
    #5 clk = 1; #5 clk = 0; #5 clk = 1; #5 clk = 0;
    rst = 0;
    #5 clk = 1; #5 clk = 0;
    for (cyc = 0; cyc < CYCLES && !done; cyc = cyc + 1) begin
      al_valid = 0; up_valid = 0; nx_valid = 0; lk_valid = 0;
      up_core = $random(seed);
      if (up_core >= CORES) up_core = 0;
      cr_hold = ($random(seed) & 7) == 0;
      // state: 0 may look up, 1 check, 2 wait to dispatch, 3 wait to kill, 4 pause after allocation
      case (state)
        0: if ($random(seed) & 1) begin
          lk_valid = 1;
          lk_use = ($random(seed) & 15) != 0;
          lk_tid = $random(seed);
          lk_task = ($random(seed) & 1) * 16'h8001 + ($random(seed) % 3) * 2;
          j = $random(seed) & 63;
          if ((cyc & 1) && j < CHOOSE && m_v[j]) begin
            lk_tid = m_tid[j]; lk_task = m_task[j];
          end
          lk_cmd = $random(seed); lk_mode = $random(seed); lk_key = $random(seed);
          if (lk_key >= KEY_SLOTS) lk_key = 0;
          lk_no = 0;
          for (i = 0; i < CHOOSE; i = i + 1)
            if (m_v[i] && m_tid[i] == lk_tid && m_task[i] == lk_task && ($random(seed) & 7)) begin
              lk_cmd = m_cmd[i]; lk_mode = m_mode[i]; lk_key = m_key[i]; lk_no = m_no[i];
              // one field wrong, now and then
              case ($random(seed) & 31)
                0: lk_no = lk_no ^ (16'd1 << ($random(seed) & 15));
                1: lk_cmd = lk_cmd + 1;
                2: lk_mode = lk_mode ^ 3'd4;
                3: lk_key = ~lk_key;
                default: ;
              endcase
            end
        end
        1: nx_valid = 1;
        2: if (($random(seed) & 3) == 0) begin
          up_valid = 1;
          al_valid = alloc;
          up_last = ($random(seed) & 7) == 0;
        end
        default: ;
      endcase
      kl_valid = state == 3;
      nx_no = (lk_no == 16'hffff) ? 16'd1 : lk_no + 16'd1;
      // a long job now and then: let No wrap
      if (($random(seed) & 63) == 0) nx_no = 16'hffff;
      sc_busy = scrub > 0;
      if (!cr_valid && ($random(seed) & 3) == 0) begin
        cr_chained = ($random(seed) & 7) != 0;
        j = $random(seed) & 63;
        cr_idx = 0;
        for (i = 0; i < CHOOSE; i = i + 1)
          if (m_pend[(i + j) % CHOOSE] > 0) begin cr_idx = (i + j) % CHOOSE; end
        cr_valid = !cr_chained || m_pend[cr_idx] > 0;
      end
      #1;
      // checks of this cycle
      if (state == 1) begin
        if (lk_hit !== (hit_was >= 0)) fail("lk_hit");
        if (hit_was >= 0) begin
          if (lk_idx !== hit_was[IDX_W-1:0]) fail("lk_idx");
          if (lk_same !== same_was) fail("lk_same");
          if (q_dead !== (m_dead[hit_was] || m_close[hit_was])) fail("q_dead");
        end
        if (free_any && m_v[free_idx]) fail("free_idx is not free");
        if (n_free > 2 && !free_any) fail("free_any is 0");
      end
      if (hit_was >= 0 && state != 0) begin
        if (q_core !== m_core[hit_was]) fail("q_core");
        next_pend = m_pend[hit_was] - ((cr_valid && cr_ready && cr_chained && cr_idx == hit_was) ? 1 : 0);
        if (!up_valid && q_bound !== (next_pend > 0)) fail("q_bound");
      end else if (state == 2 && q_bound !== 1'b0) fail("q_bound without hit");
      if (cr_valid && cr_ready && cr_hold) fail("credit in hold");
      if (cr_valid && cr_ready && kl_valid) fail("credit in the cycle of a kill");
      if (kl_valid && kl_ready !== (scrub == 0 && freed_was < 0)) fail("kl_ready");
      if (cr_valid && !cr_ready && !cr_hold && !kl_valid && scrub == 0 && freed_was < 0) fail("cr_ready");
      if (cr_valid && cr_ready && cr_chained && cr_dead !== m_dead[cr_idx]) fail("cr_dead");
      if (sc_valid !== (freed_was >= 0) || ef_valid !== (freed_was >= 0)) fail("free not told");
      if (sc_valid && (sc_idx !== freed_was[IDX_W-1:0] || sc_busy)) fail("scrub");
      if (ef_valid && ef_key !== m_key[freed_was]) fail("ef_key");
      n_free = 0;
      // effects
      freed = -1;
      hit = -1; same = 0;
      if (lk_valid) begin
        for (i = 0; i < CHOOSE; i = i + 1)
          if (m_v[i] && m_tid[i] == lk_tid && m_task[i] == lk_task) begin
            if (hit >= 0) fail("two entries with one id");
            hit = i;
            same = lk_cmd == m_cmd[i] && lk_mode == m_mode[i] && lk_key == m_key[i] && lk_no == m_no[i];
          end
        if (!lk_use) hit = -1;
        hit_was = hit; same_was = same;
        state = 1;
      end else if (state == 1) begin
        state = 0; alloc = 0;
        if (hit_was >= 0) begin
          idx = hit_was;
          if (same_was) m_no[hit_was] = nx_no;
          if (($random(seed) & 31) == 0) state = 3;
          else if (!q_dead && same_was && busy_slots < SLOTS) state = 2;
          else if (!q_dead && !same_was) state = 3;
        end else if (lk_use && free_any && busy_slots < SLOTS) begin
          state = 2; alloc = 1; idx = free_idx;
        end
      end else if (kl_valid && kl_ready) begin
        kills = kills + 1;
        m_dead[idx] = 1;
        if (m_v[idx] && m_pend[idx] == 0) free_entry(idx);
        state = 0;
      end else if (state == 4) state = 0;
      if (cr_valid && cr_ready && cr_chained && up_valid && idx == cr_idx) both = both + 1;
      if (up_valid) begin
        ups = ups + 1;
        state = al_valid ? 4 : 0;
        if (al_valid) begin
          opens = opens + 1;
          if (m_v[idx]) fail("bench: entry in use");
          m_v[idx] = 1; m_dead[idx] = 0; m_close[idx] = 0; m_tid[idx] = lk_tid;
          m_task[idx] = lk_task; m_cmd[idx] = lk_cmd; m_mode[idx] = lk_mode; m_key[idx] = lk_key;
          m_no[idx] = 1;
        end
        m_pend[idx] = m_pend[idx] + 1;
        m_core[idx] = up_core;
        if (up_last) m_close[idx] = 1;
        busy_slots = busy_slots + 1;
      end
      if (cr_valid && cr_ready) begin
        cr_take = 1;
        if (cr_chained) begin
          m_pend[cr_idx] = m_pend[cr_idx] - 1;
          busy_slots = busy_slots - 1;
          if (m_pend[cr_idx] == 0 && (m_dead[cr_idx] || m_close[cr_idx])) free_entry(cr_idx);
        end
      end
      if (scrub > 0) scrub = scrub - 1;
      if (sc_valid) scrub = ($random(seed) & 3) + 1;
      freed_was = freed;
      // cycles in which some entry has been free
      j = 0;
      for (i = 0; i < CHOOSE; i = i + 1) if (!m_v[i]) j = 1;
      age = j ? age + 1 : 0;
      n_free = age;
      #4 clk = 1; #5 clk = 0;
      if (cr_take) cr_valid = 0;
      cr_take = 0;
    end
    if (opens < 40 || kills < 10 || frees < 40 || ups < 50) fail("too few events");
    if (SLOTS > 4 && CHOOSE > 1 && both < 1) fail("no credit with a dispatch");
    if (!done) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
