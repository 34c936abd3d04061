// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/config"
	"hwgen/gen/tool"
)

// On an ECP5 SM4 cores get look-ups and the flow its wide multiplexers; a design without them is as it was.
func TestSBoxTables(t *testing.T) {
	const design = "[[cluster]]\nname = \"a\"\n[[cluster]]\nname = \"s\"\nalgorithm = \"sm4\"\n"
	for _, x := range []struct {
		head, aes, sm4, yosys, options string
	}{
		{"[board]\nname = \"ulx3s-12f\"\n", ".DECRYPT(1)\n", ".DECRYPT(1), .TABLE(1)\n", "synth_ecp5 -top", ""},
		{"[design]\nsbox = \"field\"\n[board]\nname = \"ulx3s-12f\"\n", ".DECRYPT(1)\n", ".DECRYPT(1)\n",
			"synth_ecp5 -nowidelut -top", `yosys_synth_options: ["-nowidelut"]`},
		{"[board]\nname = \"hx8k-breakout\"\n", ".DECRYPT(1)\n", ".DECRYPT(1)\n", "synth_ice40 -device hx -top",
			`yosys_synth_options: ["-device", "hx"]`},
		{"[design]\nsbox = \"table\"\n[board]\nname = \"tang-nano-9k\"\n", ".DECRYPT(1), .TABLE(1)\n", ".DECRYPT(1), .TABLE(1)\n",
			"synth_gowin -nowidelut -family gw1n -top", `yosys_synth_options: ["-nowidelut", "-family", "gw1n"]`},
	} {
		out := emit(t, x.head+design)
		require.Contains(t, string(out["rtl/scheduler_a_cluster.v"]), x.aes, x.head)
		require.Contains(t, string(out["rtl/scheduler_s_cluster.v"]), x.sm4, x.head)
		require.Contains(t, string(out["Makefile"]), x.yosys, x.head)
		require.Contains(t, string(out["scheduler.core"]), x.options, x.head)
		require.Equal(t, x.options != "", strings.Contains(string(out["scheduler.core"]), "yosys_synth_options"), x.head)
	}
}

// sboxBench runs blocks through a core of each kind in both forms, and names their S-boxes: it compiles only if each form
// is what the parameter asks for.
const sboxBench = "`default_nettype none" + `
module pair #(parameter BITS = 128) (
  input wire clk, input wire rst, input wire go, input wire decrypt, input wire [BITS-1:0] key,
  input wire [127:0] block, output wire ready, output wire valid, output wire same, output wire [127:0] out,
  output wire [BITS-1:0] last
);
  wire [1:0] r, v;
  wire [127:0] out1;
  wire [BITS-1:0] last1;
  KIND #(.TABLE(0)) u_field (.clk(clk), .rst(rst), .in_valid(go), .in_ready(r[0]), .in_op(2'd0), .in_decrypt(decrypt),
    .in_key(key), .in_block(block), .out_valid(v[0]), .out_ready(1'b1), .out_block(out), .end_key(last));
  KIND #(.TABLE(1)) u_table (.clk(clk), .rst(rst), .in_valid(go), .in_ready(r[1]), .in_op(2'd0), .in_decrypt(decrypt),
    .in_key(key), .in_block(block), .out_valid(v[1]), .out_ready(1'b1), .out_block(out1), .end_key(last1));
  assign ready = r[0];
  assign valid = v[0];
  assign same  = r[0] === r[1] && v[0] === v[1] && (!v[0] || out === out1 && last === last1);
  wire at_field = ^u_field.FIELD.in;
  wire at_table = ^u_table.LOOKUP.in;
endmodule
module sbox_tb;
  reg clk = 0, rst = 1, go = 0, decrypt = 0;
  reg [BITS-1:0] key, back;
  reg [127:0] block, plain;
  wire ready, valid, same;
  wire [127:0] out;
  wire [BITS-1:0] last;
  localparam BITS = WIDTH;
  pair #(.BITS(BITS)) u_pair (clk, rst, go, decrypt, key, block, ready, valid, same, out, last);
  always #5 clk = ~clk;
  always @(negedge clk) if (!rst && !same) begin
    $display("FAIL: the forms differ");
    $finish;
  end
  task run;
    begin
      @(negedge clk) go = 1;
      while (!ready) @(negedge clk);
      @(negedge clk) go = 0;
      while (!valid) @(negedge clk);
    end
  endtask
  integer i;
  initial begin
    repeat (2) @(negedge clk);
    rst = 0;
    for (i = 0; i < 2; i = i + 1) begin
      key = {8{$random}};
      plain = {$random, $random, $random, $random};
      block = plain;
      decrypt = 0;
      run;
      block = out;
      key = last;
      decrypt = 1;
      run;
      if (out !== plain) $display("FAIL: %h is not %h", out, plain);
    end
    $display("PASS");
    $finish;
  end
endmodule
`

// Without HWGEN_SIM_TABLES, as in synthesis, the parameter of each kind of core reaches its S-boxes, and both forms do the
// same in both directions.
func TestSBoxForms(t *testing.T) {
	require.NoError(t, tool.Need(tool.Icarus, tool.VVP))
	for _, k := range config.Kinds {
		core, width := "u_core.g_round[0].u_key.u_mix", 128
		lookup, field := ".g_table.u_table", ".g_logic.u_logic"
		if k.Algorithm != "sm4" {
			core = "u_core.g_wide.u_core.g_sbox[0].u_sbox"
			if strings.HasSuffix(k.Name, "_4sbox") {
				core = "u_core.g_serial.u_core.g_sbox[0].u_sbox"
			}
			field = ".g_field.u_field"
		}
		if k.Algorithm == "aes256" {
			width = 256
		}
		text := strings.NewReplacer("KIND", "hwgen_"+k.Name, "FIELD", core+field, "LOOKUP", core+lookup,
			"WIDTH", fmt.Sprint(width)).Replace(sboxBench)
		dir := t.TempDir()
		bench, vvp := filepath.Join(dir, "sbox_tb.v"), filepath.Join(dir, "sbox.vvp")
		require.NoError(t, os.WriteFile(bench, []byte(text), 0o644))
		r, err := tool.Icarus.Run(t.Context(), ".", "-g2005", "-y", "../../rtl/aes", "-y", "../../rtl/sm4", "-s", "sbox_tb",
			"-o", vvp, bench)
		require.NoError(t, err)
		require.Zero(t, r.Code, "%s: %s", k.Name, r.Out)
		r, err = tool.VVP.Run(t.Context(), dir, "-n", vvp)
		require.NoError(t, err)
		require.Contains(t, r.Out, "PASS", k.Name)
		require.NotContains(t, r.Out, "FAIL", k.Name)
	}
}
