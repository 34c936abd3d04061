// SPDX-License-Identifier: Apache-2.0
// SM4 S-box as a table, for simulation: as logic it takes four times the area of
// hwgen_sm4_sbox_field, which does the same. Combinational.
`default_nettype none
module hwgen_sm4_sbox_table (
  input  wire [7:0] in,
  output wire [7:0] out
);
  function [7:0] lookup;
    input [7:0] x;
    case (x)
      8'h00: lookup = 8'hd6; 8'h01: lookup = 8'h90; 8'h02: lookup = 8'he9; 8'h03: lookup = 8'hfe;
      8'h04: lookup = 8'hcc; 8'h05: lookup = 8'he1; 8'h06: lookup = 8'h3d; 8'h07: lookup = 8'hb7;
      8'h08: lookup = 8'h16; 8'h09: lookup = 8'hb6; 8'h0a: lookup = 8'h14; 8'h0b: lookup = 8'hc2;
      8'h0c: lookup = 8'h28; 8'h0d: lookup = 8'hfb; 8'h0e: lookup = 8'h2c; 8'h0f: lookup = 8'h05;
      8'h10: lookup = 8'h2b; 8'h11: lookup = 8'h67; 8'h12: lookup = 8'h9a; 8'h13: lookup = 8'h76;
      8'h14: lookup = 8'h2a; 8'h15: lookup = 8'hbe; 8'h16: lookup = 8'h04; 8'h17: lookup = 8'hc3;
      8'h18: lookup = 8'haa; 8'h19: lookup = 8'h44; 8'h1a: lookup = 8'h13; 8'h1b: lookup = 8'h26;
      8'h1c: lookup = 8'h49; 8'h1d: lookup = 8'h86; 8'h1e: lookup = 8'h06; 8'h1f: lookup = 8'h99;
      8'h20: lookup = 8'h9c; 8'h21: lookup = 8'h42; 8'h22: lookup = 8'h50; 8'h23: lookup = 8'hf4;
      8'h24: lookup = 8'h91; 8'h25: lookup = 8'hef; 8'h26: lookup = 8'h98; 8'h27: lookup = 8'h7a;
      8'h28: lookup = 8'h33; 8'h29: lookup = 8'h54; 8'h2a: lookup = 8'h0b; 8'h2b: lookup = 8'h43;
      8'h2c: lookup = 8'hed; 8'h2d: lookup = 8'hcf; 8'h2e: lookup = 8'hac; 8'h2f: lookup = 8'h62;
      8'h30: lookup = 8'he4; 8'h31: lookup = 8'hb3; 8'h32: lookup = 8'h1c; 8'h33: lookup = 8'ha9;
      8'h34: lookup = 8'hc9; 8'h35: lookup = 8'h08; 8'h36: lookup = 8'he8; 8'h37: lookup = 8'h95;
      8'h38: lookup = 8'h80; 8'h39: lookup = 8'hdf; 8'h3a: lookup = 8'h94; 8'h3b: lookup = 8'hfa;
      8'h3c: lookup = 8'h75; 8'h3d: lookup = 8'h8f; 8'h3e: lookup = 8'h3f; 8'h3f: lookup = 8'ha6;
      8'h40: lookup = 8'h47; 8'h41: lookup = 8'h07; 8'h42: lookup = 8'ha7; 8'h43: lookup = 8'hfc;
      8'h44: lookup = 8'hf3; 8'h45: lookup = 8'h73; 8'h46: lookup = 8'h17; 8'h47: lookup = 8'hba;
      8'h48: lookup = 8'h83; 8'h49: lookup = 8'h59; 8'h4a: lookup = 8'h3c; 8'h4b: lookup = 8'h19;
      8'h4c: lookup = 8'he6; 8'h4d: lookup = 8'h85; 8'h4e: lookup = 8'h4f; 8'h4f: lookup = 8'ha8;
      8'h50: lookup = 8'h68; 8'h51: lookup = 8'h6b; 8'h52: lookup = 8'h81; 8'h53: lookup = 8'hb2;
      8'h54: lookup = 8'h71; 8'h55: lookup = 8'h64; 8'h56: lookup = 8'hda; 8'h57: lookup = 8'h8b;
      8'h58: lookup = 8'hf8; 8'h59: lookup = 8'heb; 8'h5a: lookup = 8'h0f; 8'h5b: lookup = 8'h4b;
      8'h5c: lookup = 8'h70; 8'h5d: lookup = 8'h56; 8'h5e: lookup = 8'h9d; 8'h5f: lookup = 8'h35;
      8'h60: lookup = 8'h1e; 8'h61: lookup = 8'h24; 8'h62: lookup = 8'h0e; 8'h63: lookup = 8'h5e;
      8'h64: lookup = 8'h63; 8'h65: lookup = 8'h58; 8'h66: lookup = 8'hd1; 8'h67: lookup = 8'ha2;
      8'h68: lookup = 8'h25; 8'h69: lookup = 8'h22; 8'h6a: lookup = 8'h7c; 8'h6b: lookup = 8'h3b;
      8'h6c: lookup = 8'h01; 8'h6d: lookup = 8'h21; 8'h6e: lookup = 8'h78; 8'h6f: lookup = 8'h87;
      8'h70: lookup = 8'hd4; 8'h71: lookup = 8'h00; 8'h72: lookup = 8'h46; 8'h73: lookup = 8'h57;
      8'h74: lookup = 8'h9f; 8'h75: lookup = 8'hd3; 8'h76: lookup = 8'h27; 8'h77: lookup = 8'h52;
      8'h78: lookup = 8'h4c; 8'h79: lookup = 8'h36; 8'h7a: lookup = 8'h02; 8'h7b: lookup = 8'he7;
      8'h7c: lookup = 8'ha0; 8'h7d: lookup = 8'hc4; 8'h7e: lookup = 8'hc8; 8'h7f: lookup = 8'h9e;
      8'h80: lookup = 8'hea; 8'h81: lookup = 8'hbf; 8'h82: lookup = 8'h8a; 8'h83: lookup = 8'hd2;
      8'h84: lookup = 8'h40; 8'h85: lookup = 8'hc7; 8'h86: lookup = 8'h38; 8'h87: lookup = 8'hb5;
      8'h88: lookup = 8'ha3; 8'h89: lookup = 8'hf7; 8'h8a: lookup = 8'hf2; 8'h8b: lookup = 8'hce;
      8'h8c: lookup = 8'hf9; 8'h8d: lookup = 8'h61; 8'h8e: lookup = 8'h15; 8'h8f: lookup = 8'ha1;
      8'h90: lookup = 8'he0; 8'h91: lookup = 8'hae; 8'h92: lookup = 8'h5d; 8'h93: lookup = 8'ha4;
      8'h94: lookup = 8'h9b; 8'h95: lookup = 8'h34; 8'h96: lookup = 8'h1a; 8'h97: lookup = 8'h55;
      8'h98: lookup = 8'had; 8'h99: lookup = 8'h93; 8'h9a: lookup = 8'h32; 8'h9b: lookup = 8'h30;
      8'h9c: lookup = 8'hf5; 8'h9d: lookup = 8'h8c; 8'h9e: lookup = 8'hb1; 8'h9f: lookup = 8'he3;
      8'ha0: lookup = 8'h1d; 8'ha1: lookup = 8'hf6; 8'ha2: lookup = 8'he2; 8'ha3: lookup = 8'h2e;
      8'ha4: lookup = 8'h82; 8'ha5: lookup = 8'h66; 8'ha6: lookup = 8'hca; 8'ha7: lookup = 8'h60;
      8'ha8: lookup = 8'hc0; 8'ha9: lookup = 8'h29; 8'haa: lookup = 8'h23; 8'hab: lookup = 8'hab;
      8'hac: lookup = 8'h0d; 8'had: lookup = 8'h53; 8'hae: lookup = 8'h4e; 8'haf: lookup = 8'h6f;
      8'hb0: lookup = 8'hd5; 8'hb1: lookup = 8'hdb; 8'hb2: lookup = 8'h37; 8'hb3: lookup = 8'h45;
      8'hb4: lookup = 8'hde; 8'hb5: lookup = 8'hfd; 8'hb6: lookup = 8'h8e; 8'hb7: lookup = 8'h2f;
      8'hb8: lookup = 8'h03; 8'hb9: lookup = 8'hff; 8'hba: lookup = 8'h6a; 8'hbb: lookup = 8'h72;
      8'hbc: lookup = 8'h6d; 8'hbd: lookup = 8'h6c; 8'hbe: lookup = 8'h5b; 8'hbf: lookup = 8'h51;
      8'hc0: lookup = 8'h8d; 8'hc1: lookup = 8'h1b; 8'hc2: lookup = 8'haf; 8'hc3: lookup = 8'h92;
      8'hc4: lookup = 8'hbb; 8'hc5: lookup = 8'hdd; 8'hc6: lookup = 8'hbc; 8'hc7: lookup = 8'h7f;
      8'hc8: lookup = 8'h11; 8'hc9: lookup = 8'hd9; 8'hca: lookup = 8'h5c; 8'hcb: lookup = 8'h41;
      8'hcc: lookup = 8'h1f; 8'hcd: lookup = 8'h10; 8'hce: lookup = 8'h5a; 8'hcf: lookup = 8'hd8;
      8'hd0: lookup = 8'h0a; 8'hd1: lookup = 8'hc1; 8'hd2: lookup = 8'h31; 8'hd3: lookup = 8'h88;
      8'hd4: lookup = 8'ha5; 8'hd5: lookup = 8'hcd; 8'hd6: lookup = 8'h7b; 8'hd7: lookup = 8'hbd;
      8'hd8: lookup = 8'h2d; 8'hd9: lookup = 8'h74; 8'hda: lookup = 8'hd0; 8'hdb: lookup = 8'h12;
      8'hdc: lookup = 8'hb8; 8'hdd: lookup = 8'he5; 8'hde: lookup = 8'hb4; 8'hdf: lookup = 8'hb0;
      8'he0: lookup = 8'h89; 8'he1: lookup = 8'h69; 8'he2: lookup = 8'h97; 8'he3: lookup = 8'h4a;
      8'he4: lookup = 8'h0c; 8'he5: lookup = 8'h96; 8'he6: lookup = 8'h77; 8'he7: lookup = 8'h7e;
      8'he8: lookup = 8'h65; 8'he9: lookup = 8'hb9; 8'hea: lookup = 8'hf1; 8'heb: lookup = 8'h09;
      8'hec: lookup = 8'hc5; 8'hed: lookup = 8'h6e; 8'hee: lookup = 8'hc6; 8'hef: lookup = 8'h84;
      8'hf0: lookup = 8'h18; 8'hf1: lookup = 8'hf0; 8'hf2: lookup = 8'h7d; 8'hf3: lookup = 8'hec;
      8'hf4: lookup = 8'h3a; 8'hf5: lookup = 8'hdc; 8'hf6: lookup = 8'h4d; 8'hf7: lookup = 8'h20;
      8'hf8: lookup = 8'h79; 8'hf9: lookup = 8'hee; 8'hfa: lookup = 8'h5f; 8'hfb: lookup = 8'h3e;
      8'hfc: lookup = 8'hd7; 8'hfd: lookup = 8'hcb; 8'hfe: lookup = 8'h39; default: lookup = 8'h48;
    endcase
  endfunction

  assign out = lookup(in);
endmodule
`default_nettype wire
