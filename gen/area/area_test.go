// SPDX-License-Identifier: Apache-2.0

package area

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/board"
	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/part"
)

const tiny = `[design]
name = "tiny"
data_width = 32
packet_bytes = 32
slots = 4
requesters = 1
[scheduler]
programmable = false
[[cluster]]
name = "aes"
algorithm = "aes128"
queue = 2
choose_list = 2
key_slots = 2
[[cluster.core]]
kind = "aes128_4sbox"
queue = 2
decrypt = false
`
const ice = `[design]
name         = "my_design"
data_width   = 32
packet_bytes = 64
slots        = 4
requesters   = 1
[scheduler]
programmable = false
lane         = "serial"
balancer     = "scan"
[[cluster]]
name        = "aes"
algorithm   = "aes128"
queue       = 2
choose_list = 2
key_slots   = 2
[[cluster.core]]
kind    = "aes128_4sbox"
queue   = 2
decrypt = false
[board]
name = "icebreaker"
`
const least = `[design]
name = "least"
data_width = 32
packet_bytes = 16
slots = 2
requesters = 1
[scheduler]
policy = "round_robin"
lane = "serial"
[[cluster]]
algorithm = "sm4"
queue = 1
choose_list = 1
key_slots = 1
[[cluster.core]]
kind = "sm4_1round"
queue = 1
decrypt = false
[board]
name = "hx8k-breakout"
`
const middle = `[design]
name         = "my_design"
sbox         = "field"
data_width   = 32
packet_bytes = 64
slots        = 8
requesters   = 1
[scheduler]
programmable = false
[[cluster]]
name        = "aes"
algorithm   = "aes128"
queue       = 4
choose_list = 4
key_slots   = 2
[[cluster.core]]
kind  = "aes128_4sbox"
queue = 2
[[cluster]]
name        = "sm4"
algorithm   = "sm4"
queue       = 4
choose_list = 4
key_slots   = 2
[[cluster.core]]
kind  = "sm4_1round"
queue = 2
[board]
name = "ulx3s-85f"
`
const two = `[design]
name = "hx"
data_width = 32
packet_bytes = 64
slots = 16
requesters = 4
[scheduler]
programmable = false
[[cluster]]
name = "aes"
algorithm = "aes128"
[[cluster.core]]
kind = "aes128_4sbox"
count = 2
decrypt = false
[[cluster]]
name = "sm4"
algorithm = "sm4"
[[cluster.core]]
kind = "sm4_1round"
count = 2
`

// four4 is 4 clusters of 4 cores.
func four4() string {
	s := `[design]
name = "four4"
data_width = 32
slots = 32
packet_bytes = 64
requesters = 4
[scheduler]
programmable = false
lane = "serial"
`
	for _, c := range [][3]string{
		{"a0", "aes128", "aes128_4sbox"}, {"a1", "aes128", "aes128_4sbox"}, {"s0", "sm4", "sm4_1round"}, {"s1", "sm4", "sm4_1round"},
	} {
		s += `[[cluster]]
name = "` + c[0] + `"
algorithm = "` + c[1] + `"
queue = 4
choose_list = 4
key_slots = 4
[[cluster.core]]
kind = "` + c[2] + `"
count = 4
queue = 2
decrypt = false
`
	}
	return s
}

// What Yosys counted, against the model: LUTs and flip-flops after synthesis, without the fold of the pins. The constants
// were set with sight of the designs that are not held out.
func TestAgainstMeasured(t *testing.T) {
	for _, x := range []struct {
		name, text      string
		family          part.Family
		luts, ffs, rams int
		heldOut         bool
	}{
		{"tiny", tiny, part.ICE40, 4520, 2560, 14, false},
		{"ice", ice, part.ICE40, 4489, 2533, 18, false},
		{"least", least, part.ICE40, 4193, 2378, 16, false},
		{"middle", middle, part.ECP5, 10367, 5334, 4, false},
		{"two", two, part.ICE40, 18290, 9400, 28, false},
		{"four4", four4(), part.ECP5, 37504, 17695, 9, true},
		{"least on ECP5", least, part.ECP5, 4472, 2418, 2, true},
		{"least on ECP5, tables", strings.Replace(least, "hx8k-breakout", "ulx3s-12f", 1), part.ECP5, 5521, 2420, 2, false},
		{"middle, tables", strings.Replace(middle, `sbox         = "field"`, "", 1), part.ECP5, 12132, 5336, 4, true},
		{"least on Gowin", least, part.Gowin, 4462, 2413, 2, true},
	} {
		c, err := config.Parse(x.name, ".", []byte(x.text))
		if err != nil {
			t.Fatal(err)
		}
		d, err := design.Elaborate(c)
		if err != nil {
			t.Fatal(err)
		}
		e := Of(d, x.family)
		l, f := float64(e.LUTs)/float64(x.luts)-1, float64(e.FFs)/float64(x.ffs)-1
		held := ""
		if x.heldOut {
			held = ", held out"
		}
		t.Logf("%s%s: LUTs %d for %d (%+.1f %%), flip-flops %d for %d (%+.1f %%), RAMs %d for %d", x.name, held, e.LUTs, x.luts, 100*l,
			e.FFs, x.ffs, 100*f, e.RAMs, x.rams)
		if l > MaxError || l < -MaxError || f > MaxError || f < -MaxError || e.RAMs != x.rams {
			t.Errorf("%s is off by more than %g", x.name, MaxError)
		}
	}
}

// A tree balancer that is programmable holds its tables in flip-flops. Yosys counted 494 and 965 flip-flops of balancers of 4
// and 8 cores for 199 and 382 of those with constant tables, and 488 and 950 LUTs for 147 and 293: iCE40, 12-bit scores.
func TestProgrammableTables(t *testing.T) {
	of := func(cores int, programmable, balancer string) Estimate {
		c, err := config.Parse("x", ".", fmt.Appendf(nil, "[design]\ndata_width = 32\n[scheduler]\nscore_bits = 12\nbalancer = %q\nprogrammable = %s\n"+
			"[[cluster]]\nalgorithm = \"aes128\"\n[[cluster.core]]\nkind = \"aes128_4sbox\"\ncount = %d\n", balancer, programmable, cores))
		require.NoError(t, err)
		d, err := design.Elaborate(c)
		require.NoError(t, err)
		return Of(d, part.ICE40)
	}
	for _, x := range []struct{ cores, luts, ffs int }{{4, 488 - 147, 494 - 199}, {8, 950 - 293, 965 - 382}} {
		with, without := of(x.cores, "true", "tree"), of(x.cores, "false", "tree")
		require.InEpsilon(t, x.ffs, with.FFs-without.FFs, MaxError)
		require.InEpsilon(t, x.luts, with.LUTs-without.LUTs, MaxError)
		require.Equal(t, of(x.cores, "false", "scan").FFs, of(x.cores, "true", "scan").FFs)
	}
}

// An Artix-7's block RAMs are of 36 kbit, twice the pieces that memories are counted in, and nothing was measured there.
func TestXilinx(t *testing.T) {
	b, err := board.Find("arty-a7-35")
	require.NoError(t, err)
	text := strings.Replace(b.StarterConfig(), "slots", "slots = 64 # ", 1)
	c, err := config.Parse("x", ".", []byte(text))
	require.NoError(t, err)
	d, err := design.Elaborate(c)
	require.NoError(t, err)
	e := Of(d, part.Xilinx)
	require.True(t, e.Extrapolated)
	require.Equal(t, (Of(d, part.ECP5).RAMs+1)/2, e.RAMs)
	e.LUTs, e.RAMs = 24000, 50
	require.Contains(t, e.Fits(b.Target.Part), "perhaps too many, about 24000 LUTs of four inputs")
	e.LUTs = 9000
	require.Empty(t, e.Fits(b.Target.Part))
}
