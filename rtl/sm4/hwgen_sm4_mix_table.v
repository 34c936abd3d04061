// SPDX-License-Identifier: Apache-2.0
// hwgen_sm4_mix with the S-box as a table. Combinational.
`default_nettype none
module hwgen_sm4_mix_table #(
  // 1: the key schedule's linear map L'; 0: the data's L
  parameter KEY_SCHEDULE = 0,
  // 1: the table of what a byte adds to the word, S-box and map in one, for simulation;
  // 0: four look-ups and the map, for LUTs with multiplexers behind them
  parameter SIM = 0
) (
  input  wire [31:0] in,
  output wire [31:0] out
);
  // The S-box, entry 0 in the low bits.
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

  // entry x: what x in the top byte adds; the other bytes' are the same, turned round
  function [8191:0] turned;
    input [2047:0] sbox;
    integer i;
    reg [31:0] s;
    for (i = 0; i < 256; i = i + 1) begin
      s = {sbox[8*i +: 8], 24'd0};
      turned[32*i +: 32] = (KEY_SCHEDULE != 0)
        ? s ^ {s[18:0], s[31:19]} ^ {s[8:0], s[31:9]}
        : s ^ {s[29:0], s[31:30]} ^ {s[21:0], s[31:22]} ^ {s[13:0], s[31:14]}
            ^ {s[7:0], s[31:8]};
    end
  endfunction

  generate
    if (SIM != 0) begin : g_sim
      localparam [8191:0] TURNED = turned(SBOX);

`ifndef VERILATOR
      reg [31:0] rom [0:255];
      integer    n;
      initial
        for (n = 0; n < 256; n = n + 1) rom[n] = TURNED[32*n +: 32];
`endif

      function [31:0] added;
        input [7:0] x;
        // one constant for all instances under Verilator; Icarus copies it, and is fast on a memory
`ifdef VERILATOR
        added = TURNED[{x, 5'd0} +: 32];
`else
        added = rom[x];
`endif
      endfunction

      wire [31:0] p0 = added(in[31:24]);
      wire [31:0] p1 = added(in[23:16]);
      wire [31:0] p2 = added(in[15:8]);
      wire [31:0] p3 = added(in[7:0]);
      assign out = p0 ^ {p1[7:0], p1[31:8]} ^ {p2[15:0], p2[31:16]} ^ {p3[23:0], p3[31:24]};
    end else begin : g_bytes
      wire [31:0] s = {SBOX[{in[31:24], 3'd0} +: 8], SBOX[{in[23:16], 3'd0} +: 8],
                       SBOX[{in[15:8], 3'd0} +: 8], SBOX[{in[7:0], 3'd0} +: 8]};
      if (KEY_SCHEDULE != 0) begin : g_key
        assign out = s ^ {s[18:0], s[31:19]} ^ {s[8:0], s[31:9]};
      end else begin : g_data
        assign out = s ^ {s[29:0], s[31:30]} ^ {s[21:0], s[31:22]} ^ {s[13:0], s[31:14]}
          ^ {s[7:0], s[31:8]};
      end
    end
  endgenerate
endmodule
`default_nettype wire
