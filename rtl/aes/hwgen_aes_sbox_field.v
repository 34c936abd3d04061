// SPDX-License-Identifier: Apache-2.0
// AES S-box and its inverse as logic, around one inversion in GF(2^8); see hwgen_aes_sbox.
// A byte is high e + low e^16 over GF(16); norm = e^17 (high + low)^2 + (e + e^16)^2 high low, and
// the inverse is its conjugate over its norm: (low e + high e^16) / norm.
// e = aa; basis of GF(16), bit 0 first: 01, 0d, 51, b0: fewest 4-input LUTs.
// Latency PIPELINED cycles, initiation interval 1.
`default_nettype none
module hwgen_aes_sbox_field #(
  // 1: S-box and inverse, chosen by inverse; 0: S-box only, inverse and inv_in are ignored
  parameter DECRYPT = 1,
  // 1: a register rank behind the inverse of the norm; 0: combinational, clk and rst are ignored
  parameter PIPELINED = 0
) (
  input  wire       clk,
  input  wire       rst,
  input  wire       inverse,
  input  wire [7:0] in,
  input  wire [7:0] inv_in,
  output wire [7:0] out,
  output wire [7:0] inv_out
);
  function [3:0] inverse16;
    input [3:0] x;
    case (x)
      4'h0: inverse16 = 4'h0;
      4'h1: inverse16 = 4'h1;
      4'h2: inverse16 = 4'hc;
      4'h3: inverse16 = 4'h8;
      4'h4: inverse16 = 4'h6;
      4'h5: inverse16 = 4'hf;
      4'h6: inverse16 = 4'h4;
      4'h7: inverse16 = 4'he;
      4'h8: inverse16 = 4'h3;
      4'h9: inverse16 = 4'hd;
      4'ha: inverse16 = 4'hb;
      4'hb: inverse16 = 4'ha;
      4'hc: inverse16 = 4'h2;
      4'hd: inverse16 = 4'h9;
      4'he: inverse16 = 4'h7;
      default: inverse16 = 4'h5;
    endcase
  endfunction

  function [3:0] product;
    input [3:0] x, y;
    begin
      product[0] = (y[0] & x[0])
        ^ (y[1] & x[3])
        ^ (y[2] & (x[3] ^ x[2]))
        ^ (y[3] & (x[3] ^ x[2] ^ x[1]));
      product[1] = (y[0] & x[1])
        ^ (y[1] & x[0])
        ^ (y[2] & x[3])
        ^ (y[3] & (x[3] ^ x[2]));
      product[2] = (y[0] & x[2])
        ^ (y[1] & x[1])
        ^ (y[2] & x[0])
        ^ (y[3] & x[3]);
      product[3] = (y[0] & x[3])
        ^ (y[1] & (x[3] ^ x[2]))
        ^ (y[2] & (x[3] ^ x[2] ^ x[1]))
        ^ (y[3] & (x[3] ^ x[2] ^ x[1] ^ x[0]));
    end
  endfunction

  // into the tower field; the inverse S-box starts with the inverse affine map
  wire [7:0] forth, back, u;
  assign forth[7] = in[6] ^ in[5] ^ in[3] ^ in[2];
  assign forth[6] = in[6] ^ in[5] ^ in[4] ^ in[2] ^ in[1];
  assign forth[5] = in[7] ^ in[6] ^ in[5] ^ in[2] ^ in[0];
  assign forth[4] = in[5];
  assign forth[3] = in[4] ^ in[3] ^ in[2] ^ in[1];
  assign forth[2] = in[7] ^ in[5] ^ in[2];
  assign forth[1] = in[7] ^ in[4] ^ in[3] ^ in[0];
  assign forth[0] = in[7] ^ in[3] ^ in[2];
  assign back[7] = ~(inv_in[3] ^ inv_in[1]);
  assign back[6] = ~(inv_in[5] ^ inv_in[3] ^ inv_in[2]);
  assign back[5] = inv_in[7] ^ inv_in[6] ^ inv_in[4] ^ inv_in[3] ^ inv_in[0];
  assign back[4] = inv_in[7] ^ inv_in[4] ^ inv_in[2];
  assign back[3] = ~(inv_in[7] ^ inv_in[5] ^ inv_in[4] ^ inv_in[2]);
  assign back[2] = ~(inv_in[6] ^ inv_in[4] ^ inv_in[2]);
  assign back[1] = ~(inv_in[7] ^ inv_in[4] ^ inv_in[3] ^ inv_in[0]);
  assign back[0] = ~(inv_in[7] ^ inv_in[6] ^ inv_in[5] ^ inv_in[2] ^ inv_in[0]);
  assign u = ((DECRYPT != 0) & inverse) ? back : forth;

  wire [3:0] high = u[7:4];
  wire [3:0] low  = u[3:0];
  wire [3:0] sum  = high ^ low;
  wire [3:0] norm;
  assign norm[0] = sum[3]
    ^ (high[0] & low[2])
    ^ (high[1] & low[1])
    ^ (high[2] & low[0])
    ^ (high[3] & low[3]);
  assign norm[1] = sum[3] ^ sum[1]
    ^ (high[0] & (low[3] ^ low[0]))
    ^ (high[1] & low[2])
    ^ (high[2] & low[1])
    ^ (high[3] & low[0]);
  assign norm[2] = sum[0]
    ^ (high[0] & (low[1] ^ low[0]))
    ^ (high[1] & (low[3] ^ low[0]))
    ^ (high[2] & low[2])
    ^ (high[3] & low[1]);
  assign norm[3] = sum[3] ^ sum[2] ^ sum[0]
    ^ (high[0] & low[1])
    ^ (high[1] & low[0])
    ^ (high[2] & low[3])
    ^ (high[3] & (low[3] ^ low[2]));

  wire [3:0] high2, low2, norm_inv;
  generate
    if (PIPELINED != 0) begin : g_rank
      reg [3:0] high_q, low_q, norm_inv_q;
      always @(posedge clk) begin
        high_q     <= high;
        low_q      <= low;
        norm_inv_q <= inverse16(norm);
        // bytes of keys must not survive reset
        if (rst) begin
          high_q     <= 4'd0;
          low_q      <= 4'd0;
          norm_inv_q <= 4'd0;
        end
      end
      assign high2    = high_q;
      assign low2     = low_q;
      assign norm_inv = norm_inv_q;
    end else begin : g_wires
      wire _unused_ok = &{1'b0, clk, rst};  // no registers here
      assign high2    = high;
      assign low2     = low;
      assign norm_inv = inverse16(norm);
    end
  endgenerate

  wire [7:0] z = {product(low2, norm_inv), product(high2, norm_inv)};

  // back into bytes, the S-box through the affine map
  assign out[7] = z[5] ^ z[4] ^ z[2] ^ z[1];
  assign out[6] = ~(z[5] ^ z[1]);
  assign out[5] = ~(z[4] ^ z[3]);
  assign out[4] = z[6] ^ z[5] ^ z[0];
  assign out[3] = z[4] ^ z[3] ^ z[2] ^ z[1] ^ z[0];
  assign out[2] = z[6] ^ z[2] ^ z[1] ^ z[0];
  assign out[1] = ~(z[7] ^ z[4] ^ z[3] ^ z[2] ^ z[1] ^ z[0]);
  assign out[0] = ~(z[6] ^ z[3] ^ z[1]);

  generate
    if (DECRYPT != 0) begin : g_inv_out
      assign inv_out[7] = z[7] ^ z[6] ^ z[4] ^ z[3] ^ z[2];
      assign inv_out[6] = z[6] ^ z[3] ^ z[2] ^ z[0];
      assign inv_out[5] = z[4];
      assign inv_out[4] = z[7] ^ z[5] ^ z[1];
      assign inv_out[3] = z[4] ^ z[2] ^ z[0];
      assign inv_out[2] = z[7] ^ z[6] ^ z[3];
      assign inv_out[1] = z[6] ^ z[5] ^ z[4] ^ z[2] ^ z[1] ^ z[0];
      assign inv_out[0] = z[6] ^ z[5] ^ z[3] ^ z[0];
    end else begin : g_no_inv_out
      wire _unused_ok = &{1'b0, inverse, inv_in, back};  // forward alone
      assign inv_out = 8'd0;
    end
  endgenerate
endmodule
`default_nettype wire
