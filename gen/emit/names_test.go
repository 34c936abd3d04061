// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/tool"
	"hwgen/rtl"
)

const ownCore = `module hwgen_aes_core (input wire clk, input wire rst, input wire in_valid, output wire in_ready, input wire [1:0] in_op,
  input wire in_decrypt, input wire [127:0] in_key, input wire [127:0] in_block, output wire out_valid, input wire out_ready,
  output wire [127:0] out_block);
  assign {in_ready, out_valid, out_block} = {out_ready, in_valid, in_block};
endmodule
`

// Names of the user's that begin with hwgen_ stay as they are: of a design, a library, a core that is named like one of
// the library.
func TestNamesLikeTheLibrarys(t *testing.T) {
	require.NoError(t, tool.Need(tool.Icarus))
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine.v"), []byte(ownCore), 0o644))
	own := "[[cluster]]\nname = \"own\"\n[[cluster.core]]\nmodule = \"hwgen_aes_core\"\nsources = [\"mine.v\"]\ncycles = { encrypt = 2 }\n" +
		"decrypt_key = \"original\"\n"
	for _, x := range []struct{ name, lib, clusters string }{
		{"hwgen_x", "", "[[cluster]]\n"}, {"hwgen", "", "[[cluster]]\n"}, {"y", "hwgen_lib", "[[cluster]]\n"},
		{"hwgen_top", "", own}, {"ve", "", own + "[[cluster]]\nname = \"aes\"\n"},
	} {
		text := "design = { name = \"" + x.name + "\", data_width = 32, packet_bytes = 16, slots = 2 }\nhost = { clock_hz = 12_000_000 }\n" + x.clusters
		if x.lib != "" {
			text = strings.Replace(text, "data_width", "library = \""+x.lib+"\", data_width", 1)
		}
		c, err := config.Parse("t.toml", dir, []byte(text))
		require.NoError(t, err)
		d, err := design.Elaborate(c)
		require.NoError(t, err)
		out, err := Emit(d, Options{Version: "1", ConfigHash: c.Hash, SourcePath: c.SourcePath})
		require.NoError(t, err)
		at := t.TempDir()
		_, err = Write(at, out)
		require.NoError(t, err)
		args := []string{"-g2005", "-Wall", "-t", "null", "-s", d.Host.Top, "-s", d.Name + "_smoke_tb", "tb/" + d.Name + "_smoke_tb.v"}
		for _, p := range out.Paths() {
			assert.NotContains(t, string(out[p]), mark, p)
			if strings.HasPrefix(p, "rtl/") {
				args = append(args, p)
			}
		}
		r, err := tool.Icarus.Run(t.Context(), at, args...)
		require.NoError(t, err)
		assert.Zero(t, r.Code, "%s: %s", x.name, r.Out)
		assert.Empty(t, strings.TrimSpace(r.Out), x.name)
		if x.lib != "" {
			assert.Contains(t, string(out["rtl/"+x.lib+"_fifo.v"]), "// Library: "+x.lib+"\n")
		}
		assert.Contains(t, string(out["verilator/sim/config.h"]), "Config: "+x.name+"\n")
	}
}

// The benches and LiteX have the design's own top, whatever it is called, and not that of the serial line.
func TestTopNamedUART(t *testing.T) {
	for _, host := range []string{"", "host = { clock_hz = 12_000_000 }\n"} {
		out := emit(t, "design = { name = \"my_uart\", slots = 2 }\n"+host+"[[cluster]]\n")
		for _, p := range []string{"cocotb/Makefile", "litex/my_uart_litex.py"} {
			assert.Contains(t, string(out[p]), "rtl/my_uart_top.v", p)
			assert.NotContains(t, string(out[p]), "rtl/my_uart_uart_top.v", p)
		}
	}
}

// The config refuses names by which the design's registers meet the library's module link_regs. No other module of the
// library is named as one that is made for a design can be, with a longer name than the library's.
func TestLibraryMeetsDesign(t *testing.T) {
	made := regexp.MustCompile(`^hwgen_\w+_(top|regs|cluster|board)\.v$`)
	require.NoError(t, fs.WalkDir(rtl.FS, ".", func(p string, _ fs.DirEntry, err error) error {
		if made.MatchString(path.Base(p)) {
			assert.Equal(t, "hwgen_link_regs.v", path.Base(p), "add it to gen/config's checkLinkName")
		}
		return err
	}))
	const text = "[design]\nname = \"Chip_link\"\nlibrary = \"chip\"\n[host]\nclock_hz = 12_000_000\n[control]\naxil = true\n[[cluster]]\n"
	_, err := config.Parse("t.toml", t.TempDir(), []byte(text))
	require.ErrorContains(t, err, `t.toml:2:8: design name "Chip_link" with library "chip": both have a module Chip_link_regs`)
	emit(t, strings.Replace(text, "axil = true", "axil = false", 1))
}

// Of a design with long packets the smoke bench holds all vectors, and waits for what takes long.
func TestSmokeBenchFollowsDesign(t *testing.T) {
	text := "design = { name = \"long\", data_width = 32, packet_bytes = 65520, slots = 2 }\n[[cluster]]\n[[cluster.core]]\nkind = \"aes128_4sbox\"\n"
	out := emit(t, text)
	c, err := config.Parse("t.toml", t.TempDir(), []byte(text))
	require.NoError(t, err)
	d, err := design.Elaborate(c)
	require.NoError(t, err)
	lines := strings.Count(string(out["tb/long_vectors_in.hex"]), "\n")
	require.Greater(t, lines, 1<<16)
	require.Greater(t, d.Watchdog(), 65520/16*50, "a packet on the core")
	smoke, bench := string(out["tb/long_smoke_tb.v"]), string(out["cocotb/test_long.py"])
	dog := strconv.Itoa(d.Watchdog())
	assert.Contains(t, smoke, "BEATS  = "+strconv.Itoa(lines)+";")
	assert.Contains(t, smoke, "HANGS  = "+dog+";")
	assert.Contains(t, bench, "\nHANGS = "+dog+" ")
}
