// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	portLine = regexp.MustCompile(`(?m)^ *(input|output) +wire +(?:\[[^\]]*\] *)?(\w+),?$`)
	infoLine = regexp.MustCompile(`\(\* X_INTERFACE_INFO = "xilinx\.com:(interface|signal):(\w+):1\.0 (\w+) (\w+)" \*\)`)
	busesOf  = regexp.MustCompile(`ASSOCIATED_BUSIF ([\w:]+), ASSOCIATED_RESET (\w+)|"ASSOCIATED_RESET (\w+)"`)
)

// wantInterface is the interface that a port belongs to by its name, and its signal there; "" for none.
func wantInterface(port string) (bus, signal string) {
	for _, b := range []string{"s_axis_job", "m_axis_result", "s_axil"} {
		if rest, ok := strings.CutPrefix(port, b+"_"); ok && rest != "clk" && rest != "rst" {
			return b, strings.ToUpper(rest)
		}
	}
	switch {
	case port == "clk" || strings.HasSuffix(port, "_clk"):
		return port, "CLK"
	case port == "rst" || strings.HasSuffix(port, "_rst"):
		return port, "RST"
	case port == "irq":
		return port, "INTERRUPT"
	}
	return "", ""
}

// Each port of a generated top that belongs to an interface says so to Vivado, with its own signal; each bus stands at
// exactly one clock, each reset at its clock, and says its polarity.
func checkAttributes(t *testing.T, top string) {
	t.Helper()
	header := top[strings.Index(top, "module "):strings.Index(top, "\n);")]
	var pending []string // attributes before the next port
	buses, clocked, resets := map[string]bool{}, map[string]int{}, map[string]bool{}
	for line := range strings.Lines(header) {
		line = strings.TrimSuffix(line, "\n")
		if strings.Contains(line, "(*") {
			pending = append(pending, line)
			require.LessOrEqual(t, len(line), 110, line)
			continue
		}
		m := portLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		all := strings.Join(pending, "\n")
		bus, signal := wantInterface(m[2])
		info := infoLine.FindStringSubmatch(all)
		if bus == "" {
			assert.Empty(t, pending, m[2])
		} else if assert.NotNil(t, info, m[2]) {
			assert.Equal(t, []string{bus, signal}, info[3:], m[2])
			if info[1] == "interface" {
				buses[bus] = true
			}
		}
		switch signal {
		case "CLK":
			a := busesOf.FindStringSubmatch(all)
			require.NotNil(t, a, m[2])
			for b := range strings.SplitSeq(a[1], ":") {
				if b != "" {
					clocked[b]++
				}
			}
			resets[a[2]+a[3]] = true
		case "RST":
			assert.Contains(t, all, `"POLARITY ACTIVE_HIGH"`)
			assert.True(t, resets[m[2]], "%s is at no clock", m[2])
		case "INTERRUPT":
			assert.Contains(t, all, `"SENSITIVITY LEVEL_HIGH"`)
		case "AWADDR":
			assert.Contains(t, all, "PROTOCOL AXI4LITE, DATA_WIDTH 32, ADDR_WIDTH ")
		}
		pending = nil
	}
	require.NotEmpty(t, buses)
	for b := range buses {
		assert.Equal(t, 1, clocked[b], "%s stands at a clock", b)
	}
	assert.Len(t, clocked, len(buses))
}

func TestInterfaceAttributes(t *testing.T) {
	out := emit(t, clocksText)
	checkAttributes(t, string(out["rtl/ck_top.v"]))
	checkAttributes(t, string(out["rtl/ck_clocks_top.v"]))
	// streams that stay on clk, no registers
	some := strings.Replace(strings.Replace(clocksText, "axil = true, counters = false", "axil = false", 1), "depth = 8", "jobs = false", 1)
	out = emit(t, some)
	checkAttributes(t, string(out["rtl/ck_top.v"]))
	checkAttributes(t, string(out["rtl/ck_clocks_top.v"]))
	assert.Contains(t, string(out["rtl/ck_clocks_top.v"]), `"ASSOCIATED_BUSIF s_axis_job, ASSOCIATED_RESET rst"`)
	assert.Contains(t, string(out["rtl/ck_clocks_top.v"]), `"ASSOCIATED_BUSIF m_axis_result, ASSOCIATED_RESET result_rst"`)

	uart := string(emit(t, "host = { clock_hz = 12_000_000 }\n[[cluster]]\nname = \"aes\"\n")["rtl/scheduler_uart_top.v"])
	assert.Contains(t, uart, `(* X_INTERFACE_INFO = "xilinx.com:interface:uart:1.0 uart RxD" *)`+"\n  input  wire uart_rx,")
	assert.Contains(t, uart, `(* X_INTERFACE_PARAMETER = "ASSOCIATED_RESET rst" *)`)
}

// A port without its attribute, one with another's, and a bus at no clock are found.
func TestInterfaceAttributesFaults(t *testing.T) {
	good := string(emit(t, clocksText)["rtl/ck_clocks_top.v"])
	for _, f := range [][2]string{
		{`  (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 s_axis_job TLAST" *)` + "\n", ""},
		{"m_axis_result TKEEP", "m_axis_result TDATA"},
		{"ASSOCIATED_BUSIF s_axil, ", ""},
		{`irq INTERRUPT`, `irq INTERUPT`},
	} {
		require.Equal(t, 1, strings.Count(good, f[0]), f[0])
		mock := &testing.T{}
		done := make(chan struct{})
		go func() { // require ends the goroutine
			defer close(done)
			checkAttributes(mock, strings.Replace(good, f[0], f[1], 1))
		}()
		<-done
		assert.True(t, mock.Failed(), f[0])
	}
}
