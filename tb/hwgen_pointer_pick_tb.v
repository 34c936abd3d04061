// SPDX-License-Identifier: Apache-2.0
// Pointer pick, state by state: pointer, full cores, barred cores, command. With few cores every
// combination, else random ones. Each is set up by dispatches and credits; then an order has to
// give the core of the reference in the cycle it is due, or none until a credit or an end of a bar.
// Orders against all at once are in hwgen_balancer_tb (POINTER=1, 2, 3).
// corners: CORES=1 | CORES=1 POINTER=2 | CORES=1 POINTER=3 | CORES=2 | CORES=2 POINTER=2 | CORES=2 POINTER=3 | CORES=3 | CORES=3 POINTER=2 | CORES=3 POINTER=3 | CORES=4 | CORES=4 POINTER=2 | CORES=4 POINTER=3 | CORES=5 TRIALS=1500 | CORES=7 POINTER=2 TRIALS=1500 | CORES=8 POINTER=3 TRIALS=1500 | CORES=16 POINTER=2 TRIALS=400 | CORES=64 TRIALS=30 | CORES=33 POINTER=3 TRIALS=60
`default_nettype none
module hwgen_pointer_pick_tb;
  parameter CORES = 4;
  parameter POINTER = 1;
  parameter SEED = 1;
  // 0: all combinations
  parameter TRIALS = 0;
  localparam CAP_W = 2;
  localparam CORE_W = (CORES > 1) ? $clog2(CORES) : 1;
  localparam LEVELS = (CORES > 1) ? $clog2(CORES) : 0;
  localparam LAT = LEVELS + 1;
  // command and inverse, full, barred, pointer
  localparam ALL = (TRIALS != 0) ? TRIALS : 8 * CORES << (2 * CORES);

  function [CORES*4-1:0] abilities(input integer s);
    integer k, x;
    begin
      x = s;
      abilities = {CORES{4'b0001}};
      for (k = 0; k < CORES * 4; k = k + 1) begin
        x = (x * 75 + 74) % 65537;
        if (x % 3 != 0) abilities[k] = 1'b1;
      end
    end
  endfunction
  // one packet fills a core; three the last one of several
  localparam [CORES*CAP_W-1:0] ONES = {CORES{2'd1}};
  localparam [CORES*CAP_W-1:0] CAP = (CORES > 1) ? ONES | ONES << (CORES * 2 - 1) : ONES;
  localparam [CORES*4-1:0] CAN_OP = abilities(21);
  localparam [CORES-1:0] CAN_INV = {CORES{3'b101}};

  reg clk, rst, done, st_valid, st_inv, st_drop, dp_valid, dp_bound, cr_fire;
  reg [1:0] st_op;
  reg [CORES-1:0] barred;
  reg [CORE_W-1:0] dp_core, cr_core;
  wire bl_valid;
  wire [CORE_W-1:0] bl_core;
  wire [CORES-1:0] full, leaf_skip;

  hwgen_pointer_pick #(
    .CORES(CORES), .CAP_W(CAP_W), .CAP(CAP), .CAN_OP(CAN_OP), .CAN_INV(CAN_INV), .POINTER(POINTER)
  ) dut (
    .clk(clk), .rst(rst), .st_valid(st_valid), .st_op(st_op), .st_inv(st_inv), .st_drop(st_drop),
    .bl_valid(bl_valid), .bl_core(bl_core), .full(full), .barred(barred), .dp_valid(dp_valid),
    .dp_bound(dp_bound), .dp_core(dp_core), .cr_fire(cr_fire), .cr_core(cr_core),
    .leaf_skip_q(leaf_skip));

  integer seed, trial, i, k, p, want_p, x, best, other, got, waited, found, blocked;
  integer n [0:63];
  reg [CORES-1:0] want_full, want_barred, skip, able;

  task fail(input [40*8-1:0] why);
    begin
      if (!done) $display("FAIL: %0s in trial %0d", why, trial);
      done = 1;
      $finish;
    end
  endtask

  function integer cap(input integer c);
    cap = CAP[c*CAP_W +: CAP_W];
  endfunction

  task tick;
    begin
      #4 clk = 1; #5 clk = 0;
      st_valid = 0; dp_valid = 0; cr_fire = 0;
      #1;
      for (i = 0; i < CORES; i = i + 1) if (full[i] !== (n[i] == cap(i))) fail("full");
    end
  endtask

  // sends a packet; the pointer moves as the policy says
  task send(input integer c, input bound);
    begin
      dp_valid = 1; dp_bound = bound; dp_core = c;
      n[c] = n[c] + 1;
      if (POINTER == 3) p = (p + 1) % CORES;
      else if (!bound) p = (c + 1) % CORES;
      if (bound) st_drop = 1;
      tick;
      st_drop = 1;
    end
  endtask

  task credit(input integer c);
    begin
      cr_fire = 1; cr_core = c;
      n[c] = n[c] - 1;
      tick;
    end
  endtask

  // what the reference chooses now; -1: nothing
  task judge;
    begin
      best = -1;
      for (k = 0; k < CORES; k = k + 1) begin
        able[k] = CAN_OP[k*4+st_op] && (!st_inv || CAN_INV[k]) && !barred[k];
        skip[k] = !able[k] || n[k] == cap(k);
      end
      for (k = CORES - 1; k >= 0; k = k - 1) begin
        x = (p + k) % CORES;
        if (POINTER == 2 ? !skip[x] : able[x]) best = x;
      end
      if (best >= 0) if (skip[best]) best = -1;
    end
  endtask

  // an order's answer has to come exactly LAT cycles after what made it possible
  task answer;
    begin
      for (waited = 1; waited < LAT; waited = waited + 1) begin
        if (bl_valid) fail("early");
        tick;
      end
      if (!bl_valid) fail("late");
      else if (bl_core !== best[CORE_W-1:0]) fail("another core");
      if (leaf_skip !== skip) fail("skips");
    end
  endtask

  task order;
    begin
      st_valid = 1; st_drop = 0;
      tick;
    end
  endtask

  initial begin
    seed = SEED; clk = 0; rst = 1; done = 0; trial = 0; st_valid = 0; st_inv = 0; st_drop = 1;
    dp_valid = 0; dp_bound = 0; cr_fire = 0; st_op = 0; barred = 0; dp_core = 0; cr_core = 0;
    p = 0; found = 0; blocked = 0;
    for (i = 0; i < 64; i = i + 1) n[i] = 0;
    #4 clk = 1; #5 clk = 0; #4 clk = 1; #5 clk = 0;
    rst = 0;
    tick;
    for (trial = 0; trial < ALL && !done; trial = trial + 1) begin
      if (TRIALS == 0) begin
        x = trial;
        {st_inv, st_op} = x;
        x = x >> 3;
        want_full = x;
        x = x >> CORES;
        want_barred = x;
        want_p = x >> CORES;
      end else begin
        {st_inv, st_op} = $random(seed);
        want_p = ($random(seed) & 63) % CORES;
        // many cores out, so that the way to the next one is often long, or goes round
        for (i = 0; i < CORES; i = i + 1) begin
          want_full[i] = ($random(seed) & 3) != (trial & 3);
          want_barred[i] = (trial & 4) && ($random(seed) & 1);
        end
      end
      barred = 0;
      // the pointer: by a decision with all but one core out, or by bound packets
      if (POINTER == 3) begin
        x = 0;
        for (i = 0; i < CORES; i = i + 1) if (want_full[i]) x = x + cap(i);
        while ((p + x) % CORES != want_p && !done) begin
          send(0, 1);
          credit(0);
        end
      end else begin
        k = (want_p + CORES - 1) % CORES;
        barred = ~({{(CORES-1){1'b0}}, 1'b1} << k);
        other = {st_inv, st_op};
        {st_inv, st_op} = 3'd0;
        judge;
        order;
        answer;
        send(best, 0);
        credit(best);
        {st_inv, st_op} = other;
        if (p != want_p) fail("the bench's pointer");
      end
      for (other = 0; other < CORES; other = other + 1)
        if (want_full[other]) while (n[other] < cap(other)) send(other, 1);
      barred = want_barred;
      // a look that is dropped leaves nothing behind
      if (trial & 1) begin
        order;
        for (other = ($random(seed) & 7) % LAT; other > 0; other = other - 1) tick;
        st_drop = 1;
        tick;
        if (bl_valid) fail("dropped, and answered");
      end
      judge;
      order;
      if (best >= 0) begin
        found = found + 1;
        answer;
        if (trial & 2) send(best, 0);
      end else begin
        blocked = blocked + 1;
        for (other = 0; other < LAT + 2; other = other + 1) begin
          if (bl_valid) fail("no core, and one came");
          tick;
        end
        // room, or an end of the bar
        x = ($random(seed) & 63) % CORES;
        for (other = 0; other < CORES && best < 0; other = other + 1) begin
          if (n[x] > 0) begin
            credit(x);
            judge;
          end
          if (best < 0 && barred[x]) begin
            barred[x] = 0;
            judge;
            if (best < 0) tick;
          end
          x = (x + 1) % CORES;
        end
        if (best >= 0) begin
          tick;
          answer;
          if (trial & 2) send(best, 0);
        end
      end
      st_drop = 1;
      tick;
      for (other = 0; other < CORES; other = other + 1) while (n[other] > 0) credit(other);
    end
    if (found < ALL / 16 || (CORES < 16 && blocked < ALL / 64)) fail("too few of a kind");
    if (!done) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
