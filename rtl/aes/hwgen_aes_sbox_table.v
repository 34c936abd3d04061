// SPDX-License-Identifier: Apache-2.0
// AES S-box and its inverse as tables; see hwgen_aes_sbox.
// Latency PIPELINED cycles, initiation interval 1.
`default_nettype none
module hwgen_aes_sbox_table #(
  // 1: S-box and inverse, chosen by inverse; 0: S-box only, inverse and inv_in are ignored
  parameter DECRYPT = 1,
  // 1: a register rank behind the table; 0: combinational, clk and rst are ignored
  parameter PIPELINED = 0,
  // 1: one look-up for both directions, for simulation: it comes out at both ports, at one of which
  // it is wanted; 0: one each way, for LUTs with multiplexers behind them
  parameter SIM = 0
) (
  input  wire       clk,
  input  wire       rst,
  input  wire       inverse,
  input  wire [7:0] in,
  input  wire [7:0] inv_in,
  output wire [7:0] out,
  output wire [7:0] inv_out
);
  // Entry 0 is in the low bits of the constants.
  localparam [2047:0] FORTH = {
    128'h16bb54b00f2d99416842e6bf0d89a18c,
    128'hdf2855cee9871e9b948ed9691198f8e1,
    128'h9e1dc186b95735610ef6034866b53e70,
    128'h8a8bbd4b1f74dde8c6b4a61c2e2578ba,
    128'h08ae7a65eaf4566ca94ed58d6d37c8e7,
    128'h79e4959162acd3c25c2406490a3a32e0,
    128'hdb0b5ede14b8ee4688902a22dc4f8160,
    128'h73195d643d7ea7c41744975fec130ccd,
    128'hd2f3ff1021dab6bcf5389d928f40a351,
    128'ha89f3c507f02f94585334d43fbaaefd0,
    128'hcf584c4a39becb6a5bb1fc20ed00d153,
    128'h842fe329b3d63b52a05a6e1b1a2c8309,
    128'h75b227ebe28012079a059618c323c704,
    128'h1531d871f1e5a534ccf73f362693fdb7,
    128'hc072a49cafa2d4adf04759fa7dc982ca,
    128'h76abd7fe2b670130c56f6bf27b777c63
  };
  localparam [2047:0] BACK = {
    128'h7d0c2155631469e126d677ba7e042b17,
    128'h619953833cbbebc8b0f52aae4d3be0a0,
    128'hef9cc9939f7ae52d0d4ab519a97f5160,
    128'h5fec8027591012b131c7078833a8dd1f,
    128'hf45acd78fec0db9a2079d2c64b3e56fc,
    128'h1bbe18aa0e62b76f89c5291d711af147,
    128'h6edf751ce837f9e28535ade72274ac96,
    128'h73e6b4f0cecff297eadc674f4111913a,
    128'h6b8a130103bdafc1020f3fca8f1e2cd0,
    128'h0645b3b80558e4f70ad3bc8c00abd890,
    128'h849d8da75746155edab9edfd5048706c,
    128'h92b6655dcc5ca4d41698688664f6f872,
    128'h25d18b6d49a25b76b224d92866a12e08,
    128'h4ec3fa420b954cee3d23c2a632947b54,
    128'hcbe9dec444438e3487ff2f9b8239e37c,
    128'hfbd7f3819ea340bf38a53630d56a0952
  };

  // An entry a word: Verilator takes it as it is.
  function [16383:0] words;
    input [4095:0] bytes;
    integer i;
    for (i = 0; i < 512; i = i + 1)
      words[32*i +: 32] = {24'd0, bytes[8*i +: 8]};
  endfunction

  wire [7:0] looked_up;

  generate
    if (SIM != 0) begin : g_sim
      localparam [16383:0] WORDS = words({BACK, FORTH});

      wire       invert = (DECRYPT != 0) & inverse;
      wire [8:0] index  = {invert, invert ? inv_in : in};
      // one constant for all instances under Verilator; Icarus copies it, and is fast on a memory
`ifdef VERILATOR
      assign looked_up = WORDS[{index, 5'd0} +: 8];
`else
      reg [7:0] rom [0:511];
      integer   n;
      initial
        for (n = 0; n < 512; n = n + 1) rom[n] = WORDS[32*n +: 8];
      assign looked_up = rom[index];
`endif
      // it comes out at both ports, at one of which it is wanted
      assign inv_out = out;
    end else begin : g_luts
      assign looked_up = FORTH[{in, 3'd0} +: 8];
      wire [7:0] inv_looked_up = BACK[{inv_in, 3'd0} +: 8];
      if (DECRYPT == 0) begin : g_forth
        wire _unused_ok = &{1'b0, inv_looked_up};  // no way back: nobody asks
        assign inv_out = 8'd0;
      end else if (PIPELINED != 0) begin : g_rank
        reg [7:0] inv_out_q;
        always @(posedge clk) begin
          inv_out_q <= inv_looked_up;
          // bytes of data must not survive reset
          if (rst) inv_out_q <= 8'd0;
        end
        assign inv_out = inv_out_q;
      end else begin : g_wires
        assign inv_out = inv_looked_up;
      end
      wire _unused_ok = &{1'b0, inverse};  // both ways are there
    end

    if (PIPELINED != 0) begin : g_rank
      reg [7:0] out_q;
      always @(posedge clk) begin
        out_q <= looked_up;
        // bytes of keys must not survive reset
        if (rst) out_q <= 8'd0;
      end
      assign out = out_q;
    end else begin : g_wires
      wire _unused_ok = &{1'b0, clk, rst};  // no registers here
      assign out = looked_up;
    end
    if (SIM != 0 && DECRYPT == 0) begin : g_encrypt
      wire _unused_ok = &{1'b0, inverse, inv_in};  // forward alone
    end
  endgenerate
endmodule
`default_nettype wire
