// SPDX-License-Identifier: Apache-2.0
// SM4 S-box as a table, for simulation: as logic it takes four times the area of
// hwgen_sm4_sbox_field, which does the same. Combinational.
`default_nettype none
module hwgen_sm4_sbox_table (
  input  wire [7:0] in,
  output wire [7:0] out
);
  // A memory filled once simulates several times as fast as a case, and compiles in a fraction of
  // the time. Entry 0 is in the low bits of the constant.
  localparam [2047:0] SBOX = {
    128'h4839cbd73e5fee79204ddc3aec7df018,
    128'h84c66ec509f1b9657e77960c4a976989,
    128'hb0b4e5b812d0742dbd7bcda58831c10a,
    128'hd85a101f415cd9117fbcddbb92af1b8d,
    128'h515b6c6d726aff032f8efdde4537dbd5,
    128'h6f4e530dab2329c060ca66822ee2f61d,
    128'he3b18cf5303293ad551a349ba45daee0,
    128'ha11561f9cef2f7a3b538c740d28abfea,
    128'h9ec8c4a0e702364c5227d39f574600d4,
    128'h877821013b7c2225a2d158635e0e241e,
    128'h359d56704b0febf88bda6471b2816b68,
    128'ha84f85e6193c5983ba1773f3fca70747,
    128'ha63f8f75fa94df8095e808c9a91cb3e4,
    128'h62accfed430b54337a98ef91f450429c,
    128'h99068649261344aac304be2a769a672b,
    128'h052cfb28c214b616b73de1ccfee990d6
  };
  reg [7:0] rom [0:255];
  integer i;
  initial
    for (i = 0; i < 256; i = i + 1)
      rom[i] = SBOX[8*i +: 8];

  assign out = rom[in];
endmodule
`default_nettype wire
