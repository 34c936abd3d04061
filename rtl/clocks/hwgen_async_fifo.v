// SPDX-License-Identifier: Apache-2.0
// FIFO between two clocks: Gray-coded pointers through synchronisers, data through a RAM.
// Latency: in to out STAGES + 2 to STAGES + 3 cycles of r_clk; initiation interval 1 on both sides.
// It holds DEPTH entries and one more that waits at the output.
// Handshake: valid/ready; out_data is a register (the RAM's); in_ready and out_valid are registers
// but for the hold of their side, which makes them 0 and moves no pointer.
// What has left is overwritten: its word within 2 * DEPTH + STAGES + 2 cycles of w_clk, by an entry
// or, in a cycle in which none comes, by 0; the output, with nothing on offer, a cycle of r_clk
// later. Reset: w_rst and r_rst empty their side, and are given while both are held
// (hwgen_cdc_reset): a pointer that goes back to 0 changes many bits at once.
`default_nettype none
module hwgen_async_fifo #(
  // bits of an entry
  parameter WIDTH  = 8,
  // entries, a power of two, at least 2
  parameter DEPTH  = 16,
  // flip-flops of a synchroniser
  parameter STAGES = 2
) (
  input  wire             w_clk,
  input  wire             w_rst,
  input  wire             w_hold,
  input  wire             in_valid,
  output wire             in_ready,
  input  wire [WIDTH-1:0] in_data,
  input  wire             r_clk,
  input  wire             r_rst,
  input  wire             r_hold,
  output wire             out_valid,
  input  wire             out_ready,
  output wire [WIDTH-1:0] out_data
);
  localparam ADDR_W = $clog2(DEPTH);
  localparam PTR_W  = ADDR_W + 1;
  localparam [PTR_W-1:0] ONE = 1;
  // a full FIFO's pointers differ in the top bit, their Gray codes in the top two
  localparam [31:0] FULL_I = 3 << (PTR_W - 2);
  localparam [PTR_W-1:0] FULL = FULL_I[PTR_W-1:0];

  // write side. Free words are 0 from w_bin_q up to z_bin_q, which follows the reader; the others
  // may still hold what has left, after a reset all of them.
  reg  [PTR_W-1:0] w_bin_q, w_gray_q, z_bin_q;
  reg              w_ready_q, z_left_q;
  wire [PTR_W-1:0] r_gray_w;
  wire             push = in_valid & in_ready;
  wire             wipe = z_left_q & ~push;
  wire             over = push & (z_bin_q == w_bin_q);
  wire [PTR_W-1:0] w_bin_d  = push ? w_bin_q + ONE : w_bin_q;
  wire [PTR_W-1:0] w_gray_d = w_bin_d ^ (w_bin_d >> 1);
  wire [PTR_W-1:0] z_bin_d  = (wipe | over) ? z_bin_q + ONE : z_bin_q;
  wire [PTR_W-1:0] z_gray_d = z_bin_d ^ (z_bin_d >> 1);

  assign in_ready = w_ready_q & ~w_hold;

  always @(posedge w_clk) begin
    w_bin_q   <= w_bin_d;
    w_gray_q  <= w_gray_d;
    w_ready_q <= w_gray_d != (r_gray_w ^ FULL);
    z_bin_q   <= z_bin_d;
    z_left_q  <= z_gray_d != (r_gray_w ^ FULL);
    if (w_rst) begin
      w_bin_q   <= {PTR_W{1'b0}};
      w_gray_q  <= {PTR_W{1'b0}};
      w_ready_q <= 1'b0;
      z_bin_q   <= {PTR_W{1'b0}};
      z_left_q  <= 1'b0;
    end
  end

  // read side: the RAM's output register is the output. It follows the next word while nothing is
  // on offer, so it is 0 when that is.
  reg  [PTR_W-1:0] r_bin_q, r_gray_q;
  reg              r_valid_q;
  wire [PTR_W-1:0] w_gray_r;
  wire             pop = out_valid & out_ready;
  wire             re  = ~r_valid_q | pop;
  wire             get = re & (r_gray_q != w_gray_r) & ~r_hold;
  wire [PTR_W-1:0] r_bin_d = get ? r_bin_q + ONE : r_bin_q;

  assign out_valid = r_valid_q & ~r_hold;

  always @(posedge r_clk) begin
    r_bin_q   <= r_bin_d;
    r_gray_q  <= r_bin_d ^ (r_bin_d >> 1);
    r_valid_q <= get | (r_valid_q & ~pop);
    if (r_rst) begin
      r_bin_q   <= {PTR_W{1'b0}};
      r_gray_q  <= {PTR_W{1'b0}};
      r_valid_q <= 1'b0;
    end
  end

  hwgen_sync #(
    .WIDTH  (PTR_W),
    .STAGES (STAGES)
  ) u_r_ptr (
    .clk (w_clk),
    .d   (r_gray_q),
    .q   (r_gray_w)
  );

  hwgen_sync #(
    .WIDTH  (PTR_W),
    .STAGES (STAGES)
  ) u_w_ptr (
    .clk (r_clk),
    .d   (w_gray_q),
    .q   (w_gray_r)
  );

  hwgen_async_ram #(
    .WIDTH (WIDTH),
    .DEPTH (DEPTH)
  ) u_ram (
    .w_clk (w_clk),
    .we    (push | wipe),
    .waddr (push ? w_bin_q[ADDR_W-1:0] : z_bin_q[ADDR_W-1:0]),
    .wdata (in_data & {WIDTH{push}}),
    .r_clk (r_clk),
    .re    (re),
    .raddr (r_bin_q[ADDR_W-1:0]),
    .rdata (out_data)
  );

  generate
    if (DEPTH < 2 || (DEPTH & (DEPTH - 1)) != 0) begin : g_bad
      hwgen_error_async_fifo_depth_must_be_a_power_of_two u_error ();
    end
  endgenerate
endmodule
`default_nettype wire
