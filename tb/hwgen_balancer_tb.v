// SPDX-License-Identifier: Apache-2.0
// Balancer, tree, scan and pointer, against a model of acc, n, reference and pointer in numbers
// that never wrap: random orders, drops, bound dispatches, credits at any moment, barred cores,
// table writes, long runs of bound packets on one core; then latency and interval.
// corners: CORES=1 | CORES=2 PROGRAMMABLE=0 | CORES=3 | CORES=5 GIVE_BACK=0 | CORES=7 PROGRAMMABLE=0 | CORES=1 SCAN=1 | CORES=2 SCAN=1 PROGRAMMABLE=0 | CORES=3 SCAN=1 | CORES=5 SCAN=1 GIVE_BACK=0 | CORES=6 SCAN=1 | CORES=4 SLOTS=5 | CORES=3 SLOTS=1
// corners: CORES=1 PER_PACKET=1 | CORES=5 PER_PACKET=1 PROGRAMMABLE=0 | CORES=8 PER_PACKET=1 CYCLES=6000 | CORES=16 PER_PACKET=1 CYCLES=3000 | CORES=2 SCAN=1 PER_PACKET=1 | CORES=7 SCAN=1 PER_PACKET=1 CYCLES=6000
// corners: CORES=1 MODULAR=1 | CORES=2 MODULAR=1 | CORES=3 MODULAR=1 PROGRAMMABLE=0 | CORES=4 MODULAR=1 | CORES=5 MODULAR=1 | CORES=7 MODULAR=1 PROGRAMMABLE=0 CYCLES=6000 | CORES=8 MODULAR=1 CYCLES=6000 | CORES=16 MODULAR=1 CYCLES=6000
// corners: CORES=1 SCAN=1 MODULAR=1 | CORES=2 SCAN=1 MODULAR=1 | CORES=3 SCAN=1 MODULAR=1 PROGRAMMABLE=0 | CORES=4 SCAN=1 MODULAR=1 | CORES=5 SCAN=1 MODULAR=1 | CORES=7 SCAN=1 MODULAR=1 | CORES=8 SCAN=1 MODULAR=1 PROGRAMMABLE=0 | CORES=16 SCAN=1 MODULAR=1
// corners: CORES=1 POINTER=1 | CORES=2 POINTER=1 | CORES=4 POINTER=1 SCAN=1 | CORES=7 POINTER=1 CYCLES=6000 | CORES=1 POINTER=2 SCAN=1 | CORES=3 POINTER=2 | CORES=8 POINTER=2 CYCLES=6000 | CORES=16 POINTER=2 CYCLES=6000 | CORES=1 POINTER=3 | CORES=2 POINTER=3 | CORES=5 POINTER=3 SCAN=1 | CORES=16 POINTER=3 CYCLES=6000
`default_nettype none
module hwgen_balancer_tb;
  parameter CORES = 4;
  parameter SLOTS = 24;
  parameter PROGRAMMABLE = 1;
  parameter SCAN = 0;
  parameter MODULAR = 0;
  parameter GIVE_BACK = 1 - MODULAR;
  parameter PER_PACKET = 0;
  parameter POINTER = 0;
  parameter SEED = 1;
  parameter CYCLES = 12000;
  // MODULAR: just enough for two bases of 64 and an increment of 48 times 7 blocks
  localparam ACC_W = MODULAR ? 11 : 14;
  // the model's numbers
  localparam M_W = 32;
  localparam INC_W = 6;
  localparam BLOCKS_W = 3;
  localparam CAP_W = 3;
  localparam CORE_W = (CORES > 1) ? $clog2(CORES) : 1;
  localparam SLOT_W = (SLOTS > 1) ? $clog2(SLOTS) : 1;
  localparam LEVELS = (CORES > 1) ? $clog2(CORES) : 0;
  // more than any decision looks back
  localparam HIST = 16;

  // small multiples: many ties
  function [CORES*4*ACC_W-1:0] bases(input integer s);
    integer k, x;
    begin
      x = s;
      for (k = 0; k < CORES * 4; k = k + 1) begin
        x = (x * 75 + 74) % 65537;
        bases[k*ACC_W +: ACC_W] = (x % 5) * 16;
      end
    end
  endfunction
  function [CORES*4*INC_W-1:0] incs(input integer s);
    integer k, x;
    begin
      x = s;
      for (k = 0; k < CORES * 4; k = k + 1) begin
        x = (x * 75 + 74) % 65537;
        incs[k*INC_W +: INC_W] = (x % 3) * 16 + 8;
      end
    end
  endfunction
  function [CORES*CAP_W-1:0] caps(input integer s);
    integer k, x;
    begin
      x = s;
      for (k = 0; k < CORES; k = k + 1) begin
        x = (x * 75 + 74) % 65537;
        caps[k*CAP_W +: CAP_W] = (x % 7) + 1;
      end
    end
  endfunction
  localparam [CORES*4*ACC_W-1:0] BASE = bases(11);
  localparam [CORES*4*INC_W-1:0] INC = incs(5);
  localparam [CORES*CAP_W-1:0] CAP = caps(7);
  // core 0 can do all, so that every order ends some day
  localparam [CORES*4-1:0] CAN_OP = {CORES{8'b1011_1111}};
  localparam [CORES-1:0] CAN_INV = {CORES{2'b01}};

  reg clk, rst;
  reg st_valid, st_inv, st_drop, dp_valid, cr_fire, cfg_we, dp_bound;
  reg [1:0] st_op, dp_op;
  reg [CORES-1:0] barred;
  reg [CORE_W-1:0] dp_core, cr_core;
  reg [SLOT_W-1:0] dp_slot, cr_slot;
  reg [BLOCKS_W-1:0] dp_blocks;
  reg [9:0] cfg_addr;
  reg [31:0] cfg_data;
  wire init_busy, bl_valid, cr_hold;
  wire [CORE_W-1:0] bl_core;
  wire [CORES-1:0] full, leaf_skip;
  wire [CORES*ACC_W-1:0] leaf_score;

  hwgen_balancer #(
    .CORES(CORES), .SLOTS(SLOTS), .ACC_W(ACC_W), .INC_W(INC_W), .BLOCKS_W(BLOCKS_W),
    .CAP_W(CAP_W), .BASE(BASE), .INC(INC), .CAP(CAP), .CAN_OP(CAN_OP), .CAN_INV(CAN_INV),
    .PROGRAMMABLE(PROGRAMMABLE), .SCAN(SCAN), .GIVE_BACK(GIVE_BACK),
    .PER_PACKET(PER_PACKET), .MODULAR(MODULAR), .POINTER(POINTER)
  ) dut (
    .clk(clk), .rst(rst), .tab_rst(rst), .hold(1'b0), .init_busy(init_busy), .st_valid(st_valid), .st_op(st_op),
    .st_inv(st_inv), .st_drop(st_drop), .bl_valid(bl_valid), .bl_core(bl_core), .full(full),
    .barred(barred), .dp_valid(dp_valid), .dp_bound(dp_bound), .dp_core(dp_core),
    .dp_slot(dp_slot), .dp_op(dp_op), .dp_blocks(dp_blocks), .cr_hold(cr_hold),
    .cr_fire(cr_fire), .cr_core(cr_core), .cr_slot(cr_slot), .cfg_we(cfg_we),
    .cfg_addr(cfg_addr), .cfg_data(cfg_data),
    .leaf_score_q(leaf_score), .leaf_skip_q(leaf_skip));

  // model: n_m with credits at once; n_s, acc_s as a decision may see them (dispatches at once,
  // credits some cycles later, see lag)
  integer n_m [0:63];
  integer n_s [0:63];
  reg [M_W-1:0] acc_s [0:63];
  reg [M_W-1:0] ref_s, amount;
  integer ptr;
  reg [ACC_W-1:0] base_m [0:255];
  reg [INC_W-1:0] inc_m [0:255];
  // by slot
  reg busy_s [0:255];
  integer core_s [0:255], age_s [0:255];
  reg [M_W-1:0] amount_s [0:255];
  // credits on the way
  integer lag [0:3], lag_core [0:3], lag_amount [0:3];
  // scores, skips, and candidates with full ones among them, of all cores, by cycle modulo HIST
  reg [CORES*M_W-1:0] hist_score [0:HIST-1], score_now;
  reg [CORES-1:0] hist_skip [0:HIST-1], hist_able [0:HIST-1], skip_now, able_now;

  integer seed, cyc, i, j, state, wait_c, best, pick, in_flight, decisions, bounds, waits, retire;
  integer st_cyc, dp_cyc, phase, kind, calm, back, then, drops, cr_cyc, timed, run, held, lifted;
  reg [CORES-1:0] full_seen, skip_kept;
  reg [CORES*ACC_W-1:0] score_kept;
  reg kept;
  reg done;
  reg [M_W-1:0] sc, bsc;

  task fail(input [40*8-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1;
      $finish;
    end
  endtask

  // modular scores are told apart from afar
  function [M_W-1:0] wrap(input [M_W-1:0] x);
    wrap = MODULAR ? x : x & ((1 << ACC_W) - 1);
  endfunction

  // what the decision has to be, from what the cores looked like back cycles ago; -1: none
  task judge;
    begin
      best = -1; bsc = 0;
      then = (cyc + HIST - back) % HIST;
      if (POINTER != 0) begin
        for (i = CORES - 1; i >= 0; i = i - 1) begin
          j = (ptr + i) % CORES;
          if (POINTER == 2 ? !hist_skip[then][j] : hist_able[then][j]) best = j;
        end
        if (best >= 0) if (hist_skip[then][best]) best = -1;
      end else
        for (i = 0; i < CORES; i = i + 1) begin
          sc = hist_score[then][i*M_W +: M_W];
          if (!hist_skip[then][i] && (best < 0 || sc < bsc)) begin
            best = i; bsc = sc;
          end
        end
    end
  endtask

  function integer free_slot(input integer dummy);
    integer k;
    begin
      free_slot = -1;
      for (k = 0; k < SLOTS; k = k + 1) if (!busy_s[k]) free_slot = k;
    end
  endfunction

  task tick;
    begin
      #4 clk = 1; #5 clk = 0;
    end
  endtask

  initial begin
    seed = SEED; clk = 0; rst = 1; done = 0;
    st_valid = 0; st_inv = 0; st_drop = 1; st_op = 0; dp_valid = 0; cr_fire = 0; cfg_we = 0;
    dp_op = 0; barred = 0; dp_core = 0; cr_core = 0; dp_slot = 0; cr_slot = 0; dp_blocks = 1;
    cfg_addr = 0; cfg_data = 0; dp_bound = 0;
    for (i = 0; i < 64; i = i + 1) begin n_m[i] = 0; n_s[i] = 0; acc_s[i] = 0; end
    for (i = 0; i < CORES * 4; i = i + 1) begin
      base_m[i] = BASE[i*ACC_W +: ACC_W];
      inc_m[i] = INC[i*INC_W +: INC_W];
    end
    for (i = 0; i < 256; i = i + 1) busy_s[i] = 0;
    for (i = 0; i < 4; i = i + 1) lag[i] = 0;
    ref_s = 0; amount = 0; ptr = 0; run = 0; held = 0; lifted = 0; best = 0; bsc = 0; then = 0;
    kept = 0; skip_kept = 0; score_kept = 0;
    back = SCAN && POINTER == 0 ? 1 : LEVELS + 1;
    state = 0; wait_c = 0; in_flight = 0; decisions = 0; bounds = 0; waits = 0; drops = 0;
    st_cyc = 0; dp_cyc = -9; full_seen = 0; calm = 0; kind = 0; pick = 0;
    cyc = 0; cr_cyc = -9; timed = 0;
    tick; tick;
    rst = 0;
    while (init_busy) tick;
    for (cyc = 0; cyc < CYCLES && !done; cyc = cyc + 1) begin
      // phases: 0 random, 1 few credits (cores fill up), 2 fast orders without credits: timing
      phase = (cyc / 500) % 3;
      st_valid = 0; dp_valid = 0; cr_fire = 0; cfg_we = 0;
      dp_core = $random(seed); cr_core = $random(seed); cr_slot = $random(seed);
      st_drop = !(state == 1);

      case (state)
        0: begin
          // runs of packets bound to one core, as fast as they come
          run = phase == 1 && ((cyc / 100) & 1) && ($random(seed) & 31);
          if (phase == 2 ? cyc > dp_cyc + (POINTER == 0) : run || ($random(seed) & 3) == 0) begin
            kind = (phase == 2) ? 0 : run ? 5 : $random(seed) & 7;
            if (free_slot(0) >= 0) begin
              st_op = $random(seed);
              st_inv = $random(seed);
              dp_blocks = ($random(seed) & 7);
              if (dp_blocks == 0) dp_blocks = 1;
              st_cyc = cyc;
              pick = $random(seed) & 63;
              if (run) pick = cyc / 200;
              pick = pick % CORES;
              // head orders with every check, and drops for bound packets
              if (kind < 5) begin
                state = 1; st_valid = 1; st_drop = 0;
              end else begin
                state = 2; st_valid = 1; st_drop = 0;
              end
            end
          end else if (($random(seed) & 7) == 0) begin
            // between orders: barred cores and tables change (not while a lookup may be running)
            barred = ($random(seed) & 1) ? {CORES{1'b0}} : $random(seed);
            if (barred == {CORES{1'b1}}) barred = 0;
          end else if (PROGRAMMABLE != 0 && cyc > dp_cyc + 4 && ($random(seed) & 15) == 0) begin
            cfg_we = 1;
            cfg_addr = $random(seed);
            cfg_addr[9] = ($random(seed) & 7) == 0;
            cfg_data = ($random(seed) & 7) * 8;
            if (MODULAR && cfg_data > 48) cfg_data = 48;
          end
        end
        1: begin
          if ((kind == 4 || (kind == 3 && SCAN && phase == 0)) && ($random(seed) & 3) == 0) begin
            state = 0; st_drop = 1; drops = drops + 1;
            // a packet that turns out to be bound goes in the cycle of the drop; best to the core
            // that a scan may be writing
            if (cyc >= st_cyc + 3 && cyc < st_cyc + 3 + CORES) pick = cyc - st_cyc - 3;
            if (($random(seed) & 1) && !full_seen[pick]) begin
              dp_valid = 1; dp_bound = 1; dp_core = pick[CORE_W-1:0];
              bounds = bounds + 1;
            end
          end
          // an order that no core can take: let barred ones back (the scan reads them one by one,
          // so with a new order)
          if (cyc > st_cyc + 60 + CORES) begin
            state = 0; st_drop = 1; barred = 0;
          end
        end
        2: begin
          // bound to core pick: dispatch when it was seen with room
          if (!full_seen[pick]) begin
            dp_valid = 1; dp_bound = 1; dp_core = pick[CORE_W-1:0]; state = 0;
            bounds = bounds + 1;
          end else begin
            waits = waits + 1;
            if (cyc > st_cyc + 300) state = 0;
          end
        end
        default: ;
      endcase
      #1;
      // the decision
      if (bl_valid && !st_drop) begin
        if (state != 1) fail("bl_valid without order");
        dp_valid = 1; dp_bound = 0; dp_core = bl_core; state = 0;
        decisions = decisions + 1;
        judge;
        if (cyc - st_cyc < (SCAN && !POINTER ? CORES + 3 + MODULAR : LEVELS + 1)) fail("early");
        // what it saw: the model when the leaves were loaded (scan: no credit fires in between)
        for (i = 0; i < CORES; i = i + 1) begin
          if (leaf_skip[i] !== hist_skip[then][i]) fail("leaf_skip");
          if (leaf_score[i*ACC_W +: ACC_W] !== hist_score[then][i*M_W +: ACC_W])
            fail("leaf_score");
        end
        if (best < 0) fail("decision without a competing core");
        else if (bl_core !== best[CORE_W-1:0]) fail("not the core it has to be");
        // timing, when nothing delays it: order 2 cycles after the last dispatch
        if (POINTER == 0 && phase == 2 && st_cyc == dp_cyc + 2 && calm == st_cyc && cr_cyc != dp_cyc
            && !(MODULAR && cr_cyc + 1 == dp_cyc)) begin
          timed = timed + 1;
          if (cyc - dp_cyc != (SCAN ? CORES + 5 + MODULAR : LEVELS + 4)) fail("interval");
        end
        if (phase == 2 && st_cyc > dp_cyc + 4 && calm == st_cyc)
          if (cyc - st_cyc != (SCAN && !POINTER ? CORES + 3 + MODULAR : LEVELS + 1))
            fail("latency");
        if (POINTER && phase == 2 && cyc - dp_cyc == LEVELS + 2) timed = timed + 1;
      end else if (POINTER != 0 && state == 1) begin
        // a pointer decides as soon as some look of this order finds a core
        if (cyc >= st_cyc + back) begin
          judge;
          if (best >= 0) fail("late decision");
        end
      end else if (state == 1 && cyc > st_cyc + 2 * CORES + 20 && phase == 2 && calm == st_cyc)
        fail("no decision");
      dp_op = st_op;
      dp_slot = 0;
      if (dp_valid) begin
        i = free_slot(0);
        dp_slot = i[SLOT_W-1:0];
      end
      // credits
      retire = -1;
      if (phase == 2 ? (state == 0 ? in_flight > SLOTS / 2 + 1 : cyc > st_cyc + 20) : ($random(seed) & (phase ? 31 : 7)) < 4) begin
        j = $random(seed) & 255;
        for (i = 0; i < SLOTS && retire < 0; i = i + 1)
          if (busy_s[(i+j) % SLOTS] && age_s[(i+j) % SLOTS] + 3 <= cyc) retire = (i + j) % SLOTS;
        if (phase == 2 && retire >= 0) calm = -1;
      end
      if (retire >= 0 && !cr_hold) begin
        cr_fire = 1; cr_core = core_s[retire][CORE_W-1:0]; cr_slot = retire[SLOT_W-1:0];
      end
      // what it saw stays
      if (st_valid) kept = 0;
      if (kept && (leaf_skip !== skip_kept || leaf_score !== score_kept)) fail("leaves change");
      if (dp_valid && !dp_bound) begin
        kept = 1; skip_kept = leaf_skip; score_kept = leaf_score;
      end
      // full: never 0 without room; not 1 for long with room
      for (i = 0; i < CORES; i = i + 1) begin
        if (n_m[i] == CAP[i*CAP_W +: CAP_W] && !full[i]) fail("full is 0 without room");
        if (n_s[i] < CAP[i*CAP_W +: CAP_W] && full[i] && cyc > dp_cyc + 5 && cyc > cr_cyc + 2 && lag[0] + lag[1] + lag[2] + lag[3] == 0)
          fail("full is 1 with room");
        if (POINTER != 0 && full[i] !== (n_m[i] == CAP[i*CAP_W +: CAP_W])) fail("full is late");
        if (n_m[i] > CAP[i*CAP_W +: CAP_W]) fail("over capacity");
      end
      full_seen = full;
      // snapshot of this cycle, for the decisions to come
      for (i = 0; i < CORES; i = i + 1) begin
        score_now[i*M_W +: M_W] = POINTER ? 0 : wrap(acc_s[i] + base_m[i*4+st_op]);
        able_now[i] = !barred[i] && CAN_OP[i*4+st_op] && (!st_inv || CAN_INV[i]);
        skip_now[i] = n_s[i] == CAP[i*CAP_W +: CAP_W] || !able_now[i];
      end
      if (skip_now == {CORES{1'b1}}) calm = -1;
      hist_score[cyc % HIST] = score_now;
      hist_able[cyc % HIST] = able_now;
      hist_skip[cyc % HIST] = skip_now;
      if (st_valid) calm = (in_flight == 0 || phase == 2) && lag[0] + lag[1] + lag[2] + lag[3] == 0 && !cr_fire ? cyc : -1;
      if (cr_fire && phase != 2) calm = -1;
      // effects at the end of this cycle
      for (i = 0; i < 4; i = i + 1) if (lag[i] > 0) begin
        lag[i] = lag[i] - 1;
        if (lag[i] == 0) begin
          n_s[lag_core[i]] = n_s[lag_core[i]] - 1;
          if (GIVE_BACK) acc_s[lag_core[i]] = wrap(acc_s[lag_core[i]] - lag_amount[i]);
        end
      end
      if (cr_fire) begin
        cr_cyc = cyc;
        n_m[cr_core] = n_m[cr_core] - 1;
        busy_s[retire] = 0;
        in_flight = in_flight - 1;
        if (SCAN || POINTER) begin
          n_s[cr_core] = n_s[cr_core] - 1;
          if (GIVE_BACK) acc_s[cr_core] = wrap(acc_s[cr_core] - amount_s[retire]);
        end else begin
          j = -1;
          for (i = 0; i < 4; i = i + 1) if (lag[i] == 0) j = i;
          lag[j] = dp_valid ? 3 : 2;
          lag_core[j] = cr_core;
          lag_amount[j] = amount_s[retire];
        end
      end
      if (dp_valid) begin
        n_m[dp_core] = n_m[dp_core] + 1;
        n_s[dp_core] = n_s[dp_core] + 1;
        amount = inc_m[dp_core*4+dp_op] * (PER_PACKET ? 1 : dp_blocks);
        if (POINTER == 3) ptr = (ptr + 1) % CORES;
        else if (!dp_bound) ptr = (dp_core + 1) % CORES;
        if (MODULAR) begin
          if (!dp_bound) begin
            ref_s = bsc;
            for (i = 0; i < CORES; i = i + 1)
              if (hist_skip[then][i] && acc_s[i] < ref_s) begin
                acc_s[i] = ref_s;
                lifted = lifted + 1;
              end
          end
          if (acc_s[dp_core] >= ref_s + (1 << (ACC_W - 2))) begin
            amount = 0;
            held = held + 1;
          end
        end
        acc_s[dp_core] = wrap(acc_s[dp_core] + amount);
        busy_s[dp_slot] = 1;
        core_s[dp_slot] = dp_core;
        age_s[dp_slot] = cyc;
        amount_s[dp_slot] = amount;
        in_flight = in_flight + 1;
        dp_cyc = cyc;
      end
      if (cfg_we && !cfg_addr[9] && cfg_addr[7:2] < CORES) begin
        if (cfg_addr[8]) inc_m[cfg_addr[7:0]] = cfg_data[INC_W-1:0];
        else base_m[cfg_addr[7:0]] = cfg_data[ACC_W-1:0];
      end
      tick;
    end
    if (decisions < CYCLES / 80 || bounds < CYCLES / 200) fail("too few dispatches");
    if (SLOTS > 5 && CORES > 1 && timed < 20) fail("too few timed decisions");
    if (MODULAR && acc_s[0] >> ACC_W < (CORES > 5 ? 1 : 4)) fail("it hardly wrapped");
    if (MODULAR && held < 20) fail("no core was far ahead");
    if (MODULAR && CORES > 1 && lifted < 50) fail("hardly a core was behind");
    if (!done) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
