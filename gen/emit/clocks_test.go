// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/tool"
)

const clocksText = `design = { name = "ck", data_width = 32, packet_bytes = 16, slots = 3, requesters = 2 }
control = { axil = true, counters = false }
clocks = { depth = 8 }
[[cluster]]
name = "aes"
`

// registers are the registers of the top with several clocks, but those of the scheduler inside, as Vivado names them,
// without the index of a bit: u_a/u_b/x_q_reg.
func registers(t *testing.T, out Output, top string) []string {
	t.Helper()
	require.NoError(t, tool.Need(tool.Yosys))
	dir := t.TempDir()
	script := "read_verilog"
	for _, p := range out.Paths() {
		if crossing.MatchString(p) {
			f := filepath.Join(dir, filepath.Base(p))
			require.NoError(t, os.WriteFile(f, out[p], 0o644))
			script += " " + f
		}
	}
	list := filepath.Join(dir, "list")
	script += "; hierarchy -top " + top + "; proc; memory_collect; flatten; tee -q -o " + list + " select -list t:$*dff* %co1:+[Q] w:* %i"
	r, err := tool.Yosys.Run(t.Context(), dir, "-q", "-p", script)
	require.NoError(t, err)
	require.Zero(t, r.Code, r.Out)
	b, err := os.ReadFile(list)
	require.NoError(t, err)
	var l []string
	for line := range strings.Lines(string(b)) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), "/")
		l = append(l, strings.ReplaceAll(name, ".", "/")+"_reg")
	}
	return l
}

var (
	crossing = regexp.MustCompile(`^rtl/ck_(clocks_top|sync|reset_sync|cdc_reset|async_\w+)\.v$`)
	xdcCells = regexp.MustCompile(`get_(cells|pins) (?:-quiet )?\{([^}]*)\}`)
	xdcPorts = regexp.MustCompile(`\[get_ports (\w+)\]`)
)

// notFound are the names in constraints that are no register or port of the design, and the synchronisers' first
// registers that no constraint ends at.
func notFound(t *testing.T, out Output, d *design.Design) (unknown, bare []string) {
	t.Helper()
	xdc := string(out[ClocksFile(d)])
	regs := registers(t, out, d.Clocks.Top)
	require.NotEmpty(t, regs)
	hit := map[string]bool{}
	for _, m := range xdcCells.FindAllStringSubmatch(xdc, -1) {
		for name := range strings.FieldsSeq(m[2]) {
			if m[1] == "pins" {
				name = name[:strings.LastIndex(name, "/")]
			}
			reg := strings.TrimSuffix(name, "[*]")
			if !slices.Contains(regs, reg) {
				unknown = append(unknown, name)
			}
			hit[reg] = true
		}
	}
	top := string(out["rtl/"+d.Clocks.Top+".v"])
	for _, m := range xdcPorts.FindAllStringSubmatch(xdc, -1) {
		if !regexp.MustCompile(`input +wire +` + m[1] + `,`).MatchString(top) {
			unknown = append(unknown, m[1])
		}
	}
	for _, r := range regs {
		// inside one clock: a copy of a reset, a request seen at home
		home := strings.Contains(r, "_rst/u_sync/") || strings.HasPrefix(r, "u_rst/u_sync/") || strings.Contains(r, "_empty/u_req/")
		if strings.Contains(r, "/meta_q_reg") && !home && !hit[r] {
			bare = append(bare, r)
		}
	}
	return unknown, bare
}

// Every name in the constraints of a design with several clocks is a register or a port of it, and every synchroniser
// between clocks is constrained.
func TestClocksConstraints(t *testing.T) {
	c, err := config.Parse("t.toml", t.TempDir(), []byte(clocksText))
	require.NoError(t, err)
	d, err := design.Elaborate(c)
	require.NoError(t, err)
	out := emit(t, clocksText)
	unknown, bare := notFound(t, out, d)
	assert.Empty(t, unknown)
	assert.Empty(t, bare)
	// the top bits of a Gray code and its counter are alike: of the two registers one may be left, under either name
	from := 0
	for _, m := range xdcCells.FindAllStringSubmatch(string(out[ClocksFile(d)]), -1) {
		if strings.Contains(m[2], "_gray_q_reg") {
			assert.Contains(t, m[2], strings.Replace(strings.Fields(m[2])[0], "_gray_q", "_bin_q", 1))
			from++
		}
	}
	assert.Equal(t, 2*2*6, from, "delay and skew of two pointers of six FIFOs")
	// RAMs of LUTs are constrained, block RAMs make no noise, and which it is becomes clear in Vivado alone
	for _, depth := range []string{"8", "1024"} {
		deep := string(emit(t, strings.Replace(clocksText, "depth = 8", "depth = "+depth, 1))[ClocksFile(d)])
		assert.Equal(t, 6, strings.Count(deep, "[get_cells -quiet {"))
		assert.Contains(t, deep, "u_job/u_fifo/u_ram/rdata_q_reg[*]")
	}

	// faults: a register that was renamed, a line that is missing
	f := ClocksFile(d)
	good := out[f]
	out[f] = []byte(strings.Replace(string(good), "w_gray_q_reg", "w_grey_q_reg", 1))
	unknown, _ = notFound(t, out, d)
	assert.Equal(t, []string{"u_job/u_fifo/w_grey_q_reg[*]"}, unknown)
	lines := strings.SplitAfter(string(good), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, "u_irq/meta_q_reg") })
	out[f] = []byte(strings.Join(lines, ""))
	_, bare = notFound(t, out, d)
	assert.Equal(t, []string{"u_irq/meta_q_reg"}, bare)
}
