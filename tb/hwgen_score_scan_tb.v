// SPDX-License-Identifier: Apache-2.0
// Scan and tree side by side on the same orders, bound dispatches and credits: both decide as the
// argmin of the reference does. The full protocol at speed is in hwgen_balancer_tb (SCAN=1).
// MODULAR: the reference's numbers never wrap. Much is bound to core 0.
// corners: CORES=1 | CORES=2 PROGRAMMABLE=0 | CORES=3 | CORES=5 GIVE_BACK=0 | CORES=6 PROGRAMMABLE=0 | CORES=16 CYCLES=400
// corners: CORES=1 PER_PACKET=1 | CORES=4 PER_PACKET=1 | CORES=7 PER_PACKET=1 PROGRAMMABLE=0
// corners: CORES=1 MODULAR=1 | CORES=2 MODULAR=1 | CORES=3 MODULAR=1 | CORES=4 MODULAR=1 PROGRAMMABLE=0 | CORES=5 MODULAR=1 | CORES=7 MODULAR=1 | CORES=8 MODULAR=1 | CORES=16 MODULAR=1 CYCLES=800
`default_nettype none
module hwgen_score_scan_tb;
  parameter CORES = 4;
  parameter PROGRAMMABLE = 1;
  parameter MODULAR = 0;
  parameter GIVE_BACK = 1 - MODULAR;
  parameter PER_PACKET = 0;
  parameter SEED = 1;
  // decisions
  parameter CYCLES = 1200;
  localparam SLOTS = 40;
  // MODULAR: two bases of 48 and an increment of 24 times 8 blocks
  localparam ACC_W = MODULAR ? 11 : 12;
  // the reference's numbers
  localparam M_W = 32;
  localparam INC_W = 5;
  localparam BLOCKS_W = 4;
  localparam CAP_W = 3;
  localparam CORE_W = (CORES > 1) ? $clog2(CORES) : 1;
  localparam SLOT_W = $clog2(SLOTS);

  function [CORES*4*ACC_W-1:0] bases(input integer s);
    integer k, x;
    begin
      x = s;
      for (k = 0; k < CORES * 4; k = k + 1) begin
        x = (x * 75 + 74) % 65537;
        bases[k*ACC_W +: ACC_W] = (x % 7) * 8;
      end
    end
  endfunction
  function [CORES*4*INC_W-1:0] incs(input integer s);
    integer k, x;
    begin
      x = s;
      for (k = 0; k < CORES * 4; k = k + 1) begin
        x = (x * 75 + 74) % 65537;
        incs[k*INC_W +: INC_W] = (x % 3) * 8;
      end
    end
  endfunction
  localparam [CORES*4*ACC_W-1:0] BASE = bases(3);
  localparam [CORES*4*INC_W-1:0] INC = incs(9);
  localparam [CORES*CAP_W-1:0] CAP = {CORES{3'd5}};

  reg clk, rst, done, st_valid, st_inv, st_drop, dp_valid, dp_bound;
  reg cr_fire, cfg_we;
  reg [1:0] st_op;
  reg [CORES-1:0] barred;
  reg [CORE_W-1:0] dp_core, cr_core;
  reg [SLOT_W-1:0] dp_slot, cr_slot;
  reg [BLOCKS_W-1:0] dp_blocks;
  reg [9:0] cfg_addr;
  reg [31:0] cfg_data;
  // 0 tree, 1 scan
  wire [1:0] busy, bl_valid, hold;
  wire [2*CORE_W-1:0] bl_core;
  wire [2*CORES-1:0] full, skip;
  wire [2*CORES*ACC_W-1:0] leaf;

  genvar g;
  generate
    for (g = 0; g < 2; g = g + 1) begin : g_dut
      hwgen_balancer #(
        .CORES(CORES), .SLOTS(SLOTS), .ACC_W(ACC_W), .INC_W(INC_W), .BLOCKS_W(BLOCKS_W),
        .CAP_W(CAP_W), .BASE(BASE), .INC(INC), .CAP(CAP), .PROGRAMMABLE(PROGRAMMABLE), .SCAN(g),
        .GIVE_BACK(GIVE_BACK), .PER_PACKET(PER_PACKET), .MODULAR(MODULAR)
      ) dut (
        .clk(clk), .rst(rst), .tab_rst(rst), .hold(1'b0), .init_busy(busy[g]), .st_valid(st_valid), .st_op(st_op),
        .st_inv(st_inv), .st_drop(st_drop), .bl_valid(bl_valid[g]),
        .bl_core(bl_core[g*CORE_W +: CORE_W]), .full(full[g*CORES +: CORES]), .barred(barred),
        .dp_valid(dp_valid), .dp_bound(dp_bound), .dp_core(dp_core), .dp_slot(dp_slot),
        .dp_op(st_op),
        .dp_blocks(dp_blocks), .cr_hold(hold[g]), .cr_fire(cr_fire), .cr_core(cr_core),
        .cr_slot(cr_slot), .cfg_we(cfg_we), .cfg_addr(cfg_addr), .cfg_data(cfg_data),
        .leaf_score_q(leaf[g*CORES*ACC_W +: CORES*ACC_W]), .leaf_skip_q(skip[g*CORES +: CORES]));
    end
  endgenerate

  integer n [0:63], seed, cyc, i, k, best, w, got0, got1, slot, held, lifted;
  reg [M_W-1:0] acc [0:63], base_m [0:255], amount [0:63], sc, bsc, ref_m;
  reg [CORES-1:0] out;
  reg [INC_W-1:0] inc_m [0:255];
  reg used [0:63];
  integer core_of [0:63];

  task fail(input [40*8-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at decision %0d", why, cyc);
      done = 1;
      $finish;
    end
  endtask

  task tick;
    begin
      #4 clk = 1; #5 clk = 0;
      #1;
    end
  endtask

  function [M_W-1:0] wrap(input [M_W-1:0] x);
    wrap = MODULAR ? x : x & ((1 << ACC_W) - 1);
  endfunction

  function [ACC_W-1:0] score_of(input integer c);
    score_of = acc[c] + base_m[c*4+st_op];
  endfunction

  task dispatch(input integer c, input bound);
    begin
      slot = 0;
      for (i = 0; i < SLOTS; i = i + 1) if (!used[i]) slot = i;
      dp_valid = 1; dp_bound = bound; dp_core = c; dp_slot = slot;
      used[slot] = 1; core_of[slot] = c;
      amount[slot] = inc_m[c*4+st_op] * (PER_PACKET ? 1 : dp_blocks);
      if (MODULAR) begin
        if (!bound) begin
          ref_m = bsc;
          for (i = 0; i < CORES; i = i + 1)
            if (out[i] && acc[i] < ref_m) begin
              acc[i] = ref_m;
              lifted = lifted + 1;
            end
        end
        if (acc[c] >= ref_m + (1 << (ACC_W - 2))) begin
          amount[slot] = 0;
          held = held + 1;
        end
      end
      acc[c] = wrap(acc[c] + amount[slot]);
      n[c] = n[c] + 1;
      tick;
      dp_valid = 0;
    end
  endtask

  initial begin
    seed = SEED; clk = 0; rst = 1; done = 0; cyc = 0; st_valid = 0; st_inv = 0; st_drop = 1; dp_valid = 0;
    dp_bound = 0; ref_m = 0; held = 0; lifted = 0; out = 0;
    cr_fire = 0; cfg_we = 0; st_op = 0; barred = 0; dp_core = 0; cr_core = 0; dp_slot = 0; cr_slot = 0;
    dp_blocks = 1; cfg_addr = 0; cfg_data = 0;
    for (i = 0; i < 64; i = i + 1) begin n[i] = 0; acc[i] = 0; used[i] = 0; end
    for (i = 0; i < CORES * 4; i = i + 1) begin
      base_m[i] = BASE[i*ACC_W +: ACC_W];
      inc_m[i] = INC[i*INC_W +: INC_W];
    end
    tick; tick;
    rst = 0;
    tick;
    while (busy != 0) tick;
    for (cyc = 0; cyc < CYCLES && !done; cyc = cyc + 1) begin
      // credits, until some core that may compete has room
      best = -1;
      while (best < 0 && !done) begin
        st_op = $random(seed); st_inv = $random(seed);
        barred = ($random(seed) & 1) ? 0 : $random(seed);
        dp_blocks = ($random(seed) & 7) + 1;
        for (i = 0; i < SLOTS; i = i + 1)
          if (used[i] && ($random(seed) & ((cyc & 64) ? 63 : 3)) == 0) begin
            while (hold != 0) tick;
            cr_fire = 1; cr_core = core_of[i]; cr_slot = i;
            tick;
            cr_fire = 0;
            used[i] = 0;
            n[core_of[i]] = n[core_of[i]] - 1;
            if (GIVE_BACK) acc[core_of[i]] = wrap(acc[core_of[i]] - amount[i]);
          end
        if (PROGRAMMABLE && ($random(seed) & 3) == 0) begin
          cfg_we = 1; cfg_addr = $random(seed) & 10'h1ff; cfg_data = ($random(seed) & 3) * 8;
          if (cfg_addr[7:2] < CORES) begin
            if (cfg_addr[8]) inc_m[cfg_addr[7:0]] = cfg_data;
            else base_m[cfg_addr[7:0]] = cfg_data;
          end
          tick;
          cfg_we = 0;
        end
        for (i = 0; i < 6; i = i + 1) tick;
        for (i = 0; i < CORES; i = i + 1) begin
          sc = wrap(acc[i] + base_m[i*4+st_op]);
          out[i] = n[i] == 5 || barred[i];
          if (n[i] < 5 && !barred[i] && (best < 0 || sc < bsc)) begin best = i; bsc = sc; end
          if (full[i] !== (n[i] == 5) || full[CORES+i] !== (n[i] == 5)) fail("full");
        end
      end
      if (MODULAR && !(cyc & 64) ? ($random(seed) & 7) != 0 : ($random(seed) & 3) == 0) begin
        if (($random(seed) & 3) && n[0] < 5) dispatch(0, 1);
        else dispatch(best, 1);
      end else begin
        st_valid = 1; st_drop = 0;
        tick;
        st_valid = 0;
        got0 = -1; got1 = -1;
        for (w = 0; w < 2 * CORES + 10 && (got0 < 0 || got1 < 0); w = w + 1) begin
          if (bl_valid[0]) got0 = bl_core[CORE_W-1:0];
          if (bl_valid[1]) got1 = bl_core[CORE_W +: CORE_W];
          if (got0 < 0 || got1 < 0) tick;
        end
        if (got0 != best) fail("tree is not the argmin");
        if (got1 != best) fail("scan is not the argmin");
        if (leaf[0 +: CORES*ACC_W] !== leaf[CORES*ACC_W +: CORES*ACC_W]) fail("scores differ");
        if (skip[0 +: CORES] !== skip[CORES +: CORES]) fail("skips differ");
        for (i = 0; i < CORES; i = i + 1)
          if (leaf[i*ACC_W +: ACC_W] !== score_of(i)) fail("score");
        dispatch(best, 0);
        st_drop = 1;
      end
    end
    if (MODULAR && (acc[0] >> ACC_W) < 1) fail("it hardly wrapped");
    if (MODULAR && CORES > 1 && (held < 10 || lifted < 50)) fail("hardly one far ahead or behind");
    if (!done) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
