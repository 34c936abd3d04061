// SPDX-License-Identifier: Apache-2.0
// SM4 S-box as logic, around one inversion in GF(2^8) = GF(16)^2. Combinational.
// A byte is high e + low e^16 over GF(16); norm = e^17 (high + low)^2 + (e + e^16)^2 high low, and
// the inverse is its conjugate over its norm: (low e + high e^16) / norm. Field polynomial 1f5,
// e = 62; basis of GF(16), bit 0 first: 01, 27, 2b, 7a: fewest 4-input LUTs.
`default_nettype none
module hwgen_sm4_sbox (
  input  wire [7:0] in,
  output wire [7:0] out
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

  // affine map and change of basis in one
  wire [7:0] u;
  assign u[7] = ~(in[6] ^ in[4] ^ in[2]);
  assign u[6] = ~(in[7] ^ in[4] ^ in[3] ^ in[1]);
  assign u[5] = in[7] ^ in[1];
  assign u[4] = in[7] ^ in[5] ^ in[2];
  assign u[3] = in[6] ^ in[1] ^ in[0];
  assign u[2] = ~(in[5] ^ in[4] ^ in[2] ^ in[1]);
  assign u[1] = ~(in[6] ^ in[4] ^ in[0]);
  assign u[0] = ~in[5];

  wire [3:0] high = u[7:4];
  wire [3:0] low  = u[3:0];
  wire [3:0] sum  = high ^ low;
  wire [3:0] norm;
  assign norm[0] = sum[3] ^ sum[2]
    ^ (high[0] & low[1])
    ^ (high[1] & low[0])
    ^ (high[2] & low[3])
    ^ (high[3] & (low[3] ^ low[2]));
  assign norm[1] = sum[3] ^ sum[2] ^ sum[0]
    ^ (high[0] & low[2])
    ^ (high[1] & low[1])
    ^ (high[2] & low[0])
    ^ (high[3] & low[3]);
  assign norm[2] = sum[3]
    ^ (high[0] & (low[3] ^ low[0]))
    ^ (high[1] & low[2])
    ^ (high[2] & low[1])
    ^ (high[3] & low[0]);
  assign norm[3] = sum[2] ^ sum[1]
    ^ (high[0] & low[0])
    ^ (high[1] & low[3])
    ^ (high[2] & (low[3] ^ low[2]))
    ^ (high[3] & (low[3] ^ low[2] ^ low[1]));

  wire [3:0] norm_inv = inverse16(norm);
  wire [7:0] z        = {product(low, norm_inv), product(high, norm_inv)};

  assign out[7] = ~(z[6] ^ z[3] ^ z[1] ^ z[0]);
  assign out[6] = ~z[7];
  assign out[5] = z[6] ^ z[5] ^ z[3] ^ z[1] ^ z[0];
  assign out[4] = ~(z[7] ^ z[5] ^ z[4] ^ z[2] ^ z[1]);
  assign out[3] = z[6] ^ z[5] ^ z[4] ^ z[2];
  assign out[2] = z[5] ^ z[4] ^ z[3] ^ z[0];
  assign out[1] = ~(z[5] ^ z[0]);
  assign out[0] = ~z[1];
endmodule
`default_nettype wire
