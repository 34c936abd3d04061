// SPDX-License-Identifier: Apache-2.0
// CRC-32 of a link frame (IEEE 802.3: reflected, first all ones, complemented when sent), a bit a
// cycle: bytes of a UART are at least 40 cycles apart.
// load takes a byte, busy is 1 for the 8 cycles that follow. With out = 1 at load the register
// moves on by a byte and takes nothing in: value is the CRC's next byte as it is sent.
// good: the bytes since init were a frame with its own CRC behind it.
`default_nettype none
module hwgen_link_crc (
  input  wire       clk,
  input  wire       init,
  input  wire       load,
  input  wire       out,
  input  wire [7:0] data,
  output wire       busy,
  output wire [7:0] value,
  output wire       good
);
  reg  [31:0] crc_q;
  reg  [7:0]  byte_q;
  reg  [3:0]  left_q;
  reg         out_q;

  assign busy  = |left_q;
  assign value = ~crc_q[7:0];
  assign good  = crc_q == 32'hdebb20e3;

  wire feed = ~out_q & (crc_q[0] ^ byte_q[0]);

  always @(posedge clk) begin
    if (busy) begin
      crc_q  <= (crc_q >> 1) ^ (feed ? 32'hedb88320 : 32'd0);
      byte_q <= byte_q >> 1;
      left_q <= left_q - 4'd1;
    end
    if (load) begin
      byte_q <= data;
      left_q <= 4'd8;
      out_q  <= out;
    end
    if (init) begin
      crc_q  <= 32'hffffffff;
      byte_q <= 8'd0; // may be of a key
      left_q <= 4'd0;
      out_q  <= 1'b0;
    end
  end
endmodule
`default_nettype wire
