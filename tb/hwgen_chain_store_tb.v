// SPDX-License-Identifier: Apache-2.0
// Bench of hwgen_chain_store: sweep after reset, reads of all lanes against a model, timing of the
// answer, saves at any time, scrubs with saves in the same cycles.
// corners: DATA_W=32 CHOOSE=1 CORES=1 | DATA_W=32 CHOOSE=3 CORES=3 | DATA_W=64 CHOOSE=16 CORES=5 | DATA_W=128 CHOOSE=1 CORES=4 | DATA_W=128 CHOOSE=16 CORES=16 | DATA_W=32 CHOOSE=16 CORES=64
`default_nettype none
module hwgen_chain_store_tb #(
  parameter DATA_W = 64,
  parameter CHOOSE = 4,
  parameter CORES  = 2,
  parameter SEED   = 1
);
  localparam BPB    = 128 / DATA_W;
  localparam WIDX_W = (BPB > 1) ? $clog2(BPB) : 1;
  localparam IDX_W  = (CHOOSE > 1) ? $clog2(CHOOSE) : 1;
  localparam LANE_W = $clog2(CORES + 1);
  localparam LAT    = (CORES <= 5) ? 3 : (CORES <= 20) ? 4 : 5;
  reg clk = 0, rst = 1;
  always #5 clk = ~clk;
  wire sweep_busy, cs_valid, sc_busy;
  reg  [CORES-1:0] ch_valid = 0;
  wire [CORES-1:0] ch_ready;
  reg  [CORES*IDX_W-1:0] ch_idx = 0;
  wire [LANE_W-1:0] cs_lane;
  wire [WIDX_W-1:0] cs_word;
  wire [DATA_W-1:0] cs_data;
  reg  cw_we = 0, sc_valid = 0;
  reg  [IDX_W-1:0] cw_idx = 0, sc_idx = 0;
  reg  [WIDX_W-1:0] cw_word = 0;
  reg  [DATA_W-1:0] cw_data = 0;
  hwgen_chain_store #(.DATA_W(DATA_W), .CHOOSE(CHOOSE), .CORES(CORES)) u_dut (
    .clk(clk), .rst(rst), .sweep_busy(sweep_busy), .ch_valid(ch_valid), .ch_ready(ch_ready),
    .ch_idx(ch_idx), .cs_valid(cs_valid), .cs_lane(cs_lane), .cs_word(cs_word), .cs_data(cs_data),
    .cw_we(cw_we), .cw_idx(cw_idx), .cw_word(cw_word), .cw_data(cw_data), .sc_valid(sc_valid),
    .sc_idx(sc_idx), .sc_busy(sc_busy));

  reg [DATA_W-1:0] model [0:CHOOSE*BPB-1];
  integer want [0:CORES-1], pos [0:CORES-1], readers [0:CHOOSE-1], asked [0:CORES-1];
  integer seed = SEED, i, k, cycle = 0, n_read = 0, n_scrub = 0, sc_left = 0, sc_now = 0, e;
  integer burst = 0, t_ask, alone = 0;
  reg done = 0, run = 0, reads = 1;
  function integer rnd;
    input integer n;
    rnd = $unsigned($random(seed)) % n;
  endfunction
  task fail;
    input [8*40-1:0] why;
    if (!done) begin
      done = 1; $display("FAIL: cycle %0d %0s", cycle, why); $finish;
    end
  endtask

  // Nobody reads an entry that is being written or scrubbed: a new read avoids it, and a new write
  // avoids entries with readers.
  always @(posedge clk) if (!rst) begin
    cycle <= cycle + 1;
    // answers
    if (cs_valid) begin
      if (cs_lane >= CORES) fail("lane");
      else begin
        i = cs_lane;
        if (want[i] < 0) fail("an answer nobody asked for");
        else begin
          if (cs_word != pos[i]) fail("word number");
          if (cs_data !== model[want[i]*BPB + pos[i]]) fail("data");
          if (burst != 0 && burst != cs_lane + 1) fail("words not back to back");
          burst = cs_lane + 1;
          pos[i] = pos[i] + 1;
          if (pos[i] == BPB) begin
            readers[want[i]] = readers[want[i]] - 1; want[i] = -1; burst = 0; n_read = n_read + 1;
          end
        end
      end
    end else if (burst != 0) fail("gap in a value");
    // writes: the model takes a save at once, a scrub when it is done
    cw_we <= 0; sc_valid <= 0;
    if (sc_left == 2) begin if (sc_busy) sc_left = 1; else fail("sc_busy late"); end
    else if (sc_left == 1 && !sc_busy) begin
      sc_left = 0; readers[sc_now] = readers[sc_now] - 1000;
    end
    if (sc_left == 3) sc_left = 2;
    if (run) begin
      e = rnd(CHOOSE);
      if (sc_left == 0 && readers[e] == 0 && rnd(20) == 0) begin
        sc_valid <= 1; sc_idx <= e; sc_now = e; sc_left = 3; readers[e] = 1000;
        n_scrub = n_scrub + 1;
        for (k = 0; k < BPB; k = k + 1) model[e*BPB + k] = 0;
      end
      e = rnd(CHOOSE);
      if (readers[e] == 0 && rnd(2)) begin
        cw_we <= 1; cw_idx <= e; cw_word <= rnd(BPB);
        readers[e] = readers[e] + 1;        // until the write is done: see below
      end
    end
    for (i = 0; i < CORES; i = i + 1) begin
      if (ch_valid[i] & ch_ready[i]) ch_valid[i] <= 0;
      if (run && reads && want[i] < 0 && !ch_valid[i] && rnd(4*CORES) == 0) begin
        e = rnd(CHOOSE);
        if (readers[e] < 1000 && !(wr_now && e == wr_idx) && !(e == cw_idx_n && cw_n)) begin
          readers[e] = readers[e] + 1; want[i] = e; pos[i] = 0;
          ch_valid[i] <= 1; ch_idx[i*IDX_W +: IDX_W] <= e;
        end
      end
    end
  end
  // the write that the device sees in this cycle, and the one that it will see in the next
  reg  wr_now = 0, cw_n = 0;
  integer wr_idx = 0, cw_idx_n = 0;
  always @(negedge clk) if (!rst) begin
    cw_data = {$random(seed), $random(seed), $random(seed), $random(seed)};
    if (wr_now) readers[wr_idx] = readers[wr_idx] - 1;
    wr_now = cw_we; wr_idx = cw_idx; cw_n = cw_we; cw_idx_n = cw_idx;
    if (cw_we) model[cw_idx*BPB + cw_word] = cw_data;
  end

  initial begin
    for (k = 0; k < CHOOSE*BPB; k = k + 1) model[k] = 0;
    for (k = 0; k < CORES; k = k + 1) begin want[k] = -1; pos[k] = 0; end
    for (k = 0; k < CHOOSE; k = k + 1) readers[k] = 0;
    repeat (2) @(posedge clk);
    #1 rst = 0;
    k = 0;
    while (sweep_busy) begin @(posedge clk); #1 k = k + 1; end
    if (k != CHOOSE*BPB) fail("sweep time");
    // timing of one read
    @(posedge clk); #1;
    want[0] = 0; pos[0] = 0; readers[0] = 1; ch_valid[0] = 1; ch_idx[IDX_W-1:0] = 0;
    k = 0;
    while (!cs_valid) begin @(posedge clk); #1 k = k + 1; end
    if (k != LAT) fail("latency of a read");
    repeat (BPB + 2) @(posedge clk);
    #1 run = 1;
    repeat (6000) @(posedge clk);
    #1 run = 0;
    repeat (CORES*BPB + 20) @(posedge clk);
    #1 for (k = 0; k < CORES; k = k + 1) if (want[k] >= 0) fail("a read without an answer");
    if (n_read < 200 || n_scrub < 20) fail("too little happened");
    // contents are gone after a reset
    rst = 1;
    @(posedge clk); #1 rst = 0;
    for (k = 0; k < CHOOSE*BPB; k = k + 1) model[k] = 0;
    if (cs_data !== 0) fail("data survives reset");
    while (sweep_busy) begin @(posedge clk); #1; end
    for (e = 0; e < CHOOSE; e = e + 1) begin
      want[0] = e; pos[0] = 0; readers[e] = 1; ch_valid[0] = 1; ch_idx[IDX_W-1:0] = e;
      while (want[0] >= 0) begin @(posedge clk); #1; end
    end
    if (!done) $display("PASS");
    $finish;
  end
endmodule
`default_nettype wire
