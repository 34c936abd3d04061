// SPDX-License-Identifier: Apache-2.0
// hwgen_ram keeps the contract that stands in its place in the other proofs: a word read is the word
// written last, when it was written at all and not in the very cycle of the read.
`default_nettype none
module hwgen_ram_proof #(
  parameter DEPTH  = 5,
  parameter WIDTH  = 2,
  parameter ADDR_W = (DEPTH > 1) ? $clog2(DEPTH) : 1
) (
  input wire              clk,
  input wire              rst,
  input wire              we,
  input wire [ADDR_W-1:0] waddr,
  input wire [WIDTH-1:0]  wdata,
  input wire              re,
  input wire [ADDR_W-1:0] raddr
);
  wire live, fresh;
  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));

  wire [WIDTH-1:0] rdata;
  hwgen_ram #(
    .WIDTH (WIDTH),
    .DEPTH (DEPTH)
  ) u_dut (
    .clk   (clk),
    .we    (we),
    .waddr (waddr),
    .wdata (wdata),
    .re    (re),
    .raddr (raddr),
    .rdata (rdata)
  );

  // one word of the memory, any one
  (* anyconst *)
  wire [ADDR_W-1:0] watched;
  reg               known_q = 1'b0, read_known_q = 1'b0;
  reg [WIDTH-1:0]   word_q, read_word_q;

  always @* begin
    e_watched_inside: assume (watched < DEPTH);
    if (we) e_write_inside: assume (waddr < DEPTH);
  end

  always @(posedge clk) begin
    if (we & (waddr == watched)) begin
      known_q <= 1'b1;
      word_q  <= wdata;
    end
    if (re) begin
      read_known_q <= known_q & (raddr == watched) & ~(we & (waddr == raddr));
      read_word_q  <= word_q;
    end
  end

  always @* begin
    if (read_known_q) a_read: assert (rdata == read_word_q);
    c_read: cover (read_known_q & live & ~fresh);
  end
endmodule
`default_nettype wire
