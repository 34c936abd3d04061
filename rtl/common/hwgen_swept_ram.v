// SPDX-License-Identifier: Apache-2.0
// Block RAM that overwrites itself with zeros after rst or a sweep pulse, a word a cycle.
// Latency as hwgen_ram. busy (registered) is 1 from the cycle after rst or sweep until DEPTH words
// are zero; writes are ignored while busy; rst or sweep in a running sweep starts it again.
// After a sweep rdata is zero too: a word read before must not survive in the output register.
`default_nettype none
module hwgen_swept_ram #(
  // bits of a word
  parameter WIDTH  = 8,
  // words, at least 1
  parameter DEPTH  = 16,
  // derived: do not set
  parameter ADDR_W = (DEPTH > 1) ? $clog2(DEPTH) : 1
) (
  input  wire              clk,
  input  wire              rst,
  input  wire              sweep,
  output wire              busy,
  input  wire              we,
  input  wire [ADDR_W-1:0] waddr,
  input  wire [WIDTH-1:0]  wdata,
  input  wire              re,
  input  wire [ADDR_W-1:0] raddr,
  output wire [WIDTH-1:0]  rdata
);
  localparam [31:0] LAST_I = DEPTH - 1;
  localparam [ADDR_W-1:0] LAST = LAST_I[ADDR_W-1:0];
  localparam [ADDR_W-1:0] ONE = 1;

  reg              busy_q, after_q;
  reg [ADDR_W-1:0] addr_q;

  assign busy = busy_q;

  hwgen_ram #(
    .WIDTH (WIDTH),
    .DEPTH (DEPTH)
  ) u_ram (
    .clk   (clk),
    .we    (busy_q | we),
    .waddr (busy_q ? addr_q : waddr),
    .wdata (wdata & {WIDTH{~busy_q}}),
    .re    (re | after_q),
    .raddr (raddr),
    .rdata (rdata)
  );

  always @(posedge clk) begin
    // the read in the cycle after the last write sees zeros wherever raddr points
    after_q <= busy_q;
    if (busy_q) begin
      addr_q <= addr_q + ONE;
      busy_q <= addr_q != LAST;
    end
    if (rst || sweep) begin
      busy_q <= 1'b1;
      addr_q <= {ADDR_W{1'b0}};
      after_q <= 1'b0;
    end
  end
endmodule
`default_nettype wire
