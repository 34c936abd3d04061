// SPDX-License-Identifier: Apache-2.0
// Fill of a queue: counts what goes in and out, and keeps the most since the last snapshot.
// level: a cycle after the events. snap: peak_q takes the most, this cycle's level included, and
// the next period begins at the level there is.
`default_nettype none
module hwgen_level #(
  // bits of the level
  parameter WIDTH = 4
) (
  input  wire             clk,
  input  wire             rst,
  // 1: the level is 0
  input  wire             empty,
  input  wire             up,
  input  wire [1:0]       down,
  input  wire             snap,
  output wire [WIDTH-1:0] level,
  output wire [WIDTH-1:0] peak
);
  reg  [WIDTH-1:0] level_q, most_q, peak_q;
  wire [WIDTH-1:0] step = {{(WIDTH-1){1'b0}}, up} - {{(WIDTH-1){1'b0}}, down[0]}
                        - {{(WIDTH-1){1'b0}}, down[1]};
  wire             more = level_q > most_q;

  assign level = level_q;
  assign peak  = peak_q;

  always @(posedge clk) begin
    level_q <= level_q + step;
    if (more | snap) most_q <= level_q;
    if (snap) peak_q <= more ? level_q : most_q;
    if (empty) level_q <= {WIDTH{1'b0}};
    if (rst) begin
      level_q <= {WIDTH{1'b0}};
      most_q  <= {WIDTH{1'b0}};
      peak_q  <= {WIDTH{1'b0}};
    end
  end
endmodule
`default_nettype wire
