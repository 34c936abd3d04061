// SPDX-License-Identifier: Apache-2.0
// Weight sets: after reset the memory holds the generated values; a commit copies every entry, in the time that the
// module says, with hold from the cycle after it until a cycle after the last entry, also while reads go on.
// corners: CORES=1 | CORES=3 | CORES=16 | CORES=2 ACC_W=32 INC_W=32 | CORES=5 ACC_W=3 INC_W=1
`default_nettype none
module hwgen_weight_set_tb;
  parameter SEED  = 1;
  parameter CORES = 4;
  parameter ACC_W = 10;
  parameter INC_W = 7;
  localparam CORE_W = (CORES > 1) ? $clog2(CORES) : 1;
  localparam IDX_W  = CORE_W + 3;

  // generated values that differ: entry i of a table is some of its bits
  function [CORES*4*ACC_W-1:0] bases(input integer salt);
    integer n;
    for (n = 0; n < CORES * 4; n = n + 1) bases[n*ACC_W +: ACC_W] = n * 37 + salt;
  endfunction
  function [CORES*4*INC_W-1:0] incs(input integer salt);
    integer n;
    for (n = 0; n < CORES * 4; n = n + 1) incs[n*INC_W +: INC_W] = n * 11 + salt;
  endfunction
  localparam [CORES*4*ACC_W-1:0] BASE = bases(5);
  localparam [CORES*4*INC_W-1:0] INC  = incs(3);
  localparam [ACC_W-1:0] BASE_MAX = {1'b0, {(ACC_W-1){1'b1}}};

  reg clk = 0, rst = 1;
  always #5 clk = ~clk;
  reg ready = 0, we = 0, re = 0, commit = 0, done = 0, valid = 0, held = 0, at_once = 0;
  reg [IDX_W-1:0] waddr = 0, raddr = 0, was = 0;
  reg [31:0] wdata = 0;
  wire fits, busy, loading, hold, cfg_we;
  wire [ACC_W-1:0] rdata;
  wire [8:0] cfg_addr;
  wire [31:0] cfg_data;

  hwgen_weight_set #(
    .CORES(CORES), .ACC_W(ACC_W), .INC_W(INC_W), .BASE(BASE), .INC(INC), .BASE_MAX(BASE_MAX)
  ) dut (
    .clk(clk), .rst(rst), .ready(ready), .we(we), .waddr(waddr), .wdata(wdata), .fits(fits),
    .re(re), .raddr(raddr), .rdata(rdata), .commit(commit), .busy(busy), .loading(loading), .hold(hold),
    .cfg_we(cfg_we), .cfg_addr(cfg_addr), .cfg_data(cfg_data));

  reg [31:0] model [0:8*CORES-1], table_ [0:511];
  integer seed = SEED, cyc = 0, k, commits = 0, at = 0, copied = 0, reads = 0, got = 0;

  task fail(input [8*40-1:0] why);
    begin
      if (!done) $display("FAIL: %0s at cycle %0d", why, cyc);
      done = 1;
      $finish;
    end
  endtask

  task generated;
    for (k = 0; k < 8 * CORES; k = k + 1)
      model[k] = (k & 4) ? INC[((k >> 3) * 4 + (k & 3))*INC_W +: INC_W]
                         : BASE[((k >> 3) * 4 + (k & 3))*ACC_W +: ACC_W];
  endtask

  initial generated;

  always @(negedge clk) begin
    rst = cyc < 3 || cyc == 9000;
    ready = cyc > 40 && !(cyc >= 9000 && cyc < 9100);
    waddr = ($random(seed) & 1023) % (8 * CORES);
    wdata = $random(seed);
    if ($random(seed) & 1) wdata = wdata & ((64'd1 << (waddr[2] ? INC_W : ACC_W)) - 1);
    #1;
    if (!rst && fits !== (wdata <= (waddr[2] ? (64'd1 << INC_W) - 1 : BASE_MAX))) fail("fits");
    we = fits && !busy && !rst && $random(seed);
    raddr = ($random(seed) & 1023) % (8 * CORES);
    re = !re && !rst && !(we && waddr == raddr) && !loading && ($random(seed) & 1);
    commit = !busy && !we && !rst && ($random(seed) & 31) == 0;
  end

  always @(posedge clk) if (!done) begin
    cyc = cyc + 1;
    if (valid) begin
      if (rdata !== model[was][ACC_W-1:0]) fail("read");
      got = got + 1;
    end
    valid = re;
    was = raddr;
    if (re && hold) reads = reads + 1;
    if (held !== (hold === 1'b1)) fail("hold");
    if (cfg_we) begin
      if (!hold || cyc < at + 4) fail("an entry outside of hold");
      table_[cfg_addr] = cfg_data;
      copied = copied + 1;
    end
    // the cycle after the last entry is the first without hold
    if (held && copied == 8 * CORES) begin
      for (k = 0; k < 8 * CORES; k = k + 1)
        if (table_[{k[2], 6'd0, 2'd0} | ((k >> 3) << 2) | (k & 3)] !== model[k]) fail("an entry");
      if (at_once && cyc - at > 8 * CORES + 4 + reads) fail("too long");
      held = 0;
      commits = commits + 1;
    end
    if (we) model[waddr] = wdata;
    if (commit && !busy) begin
      at = cyc;
      at_once = ready;
      held = 1;
      copied = 0;
      reads = 0;
    end
    if (rst) begin
      held = 0;
      generated;
    end
    if (cyc > 20000) begin
      if (commits < 20 || got < 200) fail("too few"); else $display("PASS");
      done = 1;
      $finish;
    end
  end
endmodule
`default_nettype wire
