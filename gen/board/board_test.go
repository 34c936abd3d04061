// SPDX-License-Identifier: Apache-2.0

package board

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/part"
)

// Every board's default clock is made to the hertz, and its pins are those of its package, none used twice.
func TestBoards(t *testing.T) {
	for i := range Boards {
		b := &Boards[i]
		u, err := NewUse(b, b.MHz)
		require.NoError(t, err, b.Name)
		require.InDelta(t, b.MHz*1e6, u.Hz, 1, b.Name)
		site, _, _ := u.Twice()
		require.Empty(t, site, b.Name)
		require.NotZero(t, b.Target.LUTs, b.Name)
		for _, p := range u.Pins() {
			site, err := b.Target.Pin(p.Site)
			require.NoError(t, err, b.Name)
			require.Equal(t, p.Site, site, b.Name)
		}
	}
}

// What comes out of each PLL setting follows from its dividers, and is in the part's range.
func TestPLL(t *testing.T) {
	for _, c := range []struct {
		f        part.Family
		in, want int
	}{
		{part.ICE40, 12e6, 36e6}, {part.ICE40, 12e6, 100e6}, {part.ECP5, 25e6, 60e6}, {part.ECP5, 48e6, 100e6},
		{part.ECP5, 100e6, 125e6}, {part.Gowin, 27e6, 54e6}, {part.Gowin, 27e6, 81e6}, {part.Xilinx, 100e6, 60e6},
	} {
		p, err := pllFor(c.f, c.in, c.want)
		require.NoError(t, err)
		l := limitsOf(c.f)
		pfd := float64(c.in) / float64(p.Ref)
		out := pfd * float64(p.FB)
		vco := out
		if l.feedbackVCO {
			out /= float64(p.Op)
		} else {
			vco *= float64(p.Op)
		}
		if l.second {
			out = vco / float64(p.Out)
		}
		require.True(t, out >= l.outLo && out <= l.outHi)
		require.InDelta(t, p.Hz, out, 1)
		require.LessOrEqual(t, p.Hz, c.want+1)
		require.InEpsilon(t, c.want, p.Hz, 0.02)
		require.True(t, vco >= l.vcoLo && vco <= l.vcoHi && pfd >= l.pfdLo && pfd <= l.pfdHi, "%+v", p)
	}
	p, err := pllFor(part.ICE40, 12e6, 36e6)
	require.NoError(t, err)
	require.Equal(t, []string{"4'd0", "7'd47", "3'd4"}, []string{p.DivR(), p.DivF(), p.DivQ()})
	require.Equal(t, 1, p.Range)
	for in, want := range map[int]string{500e6: "the highest is 270", 900e6: "the highest is 270", 9e6: "the lowest is 16", 14e6: "the lowest is 16"} {
		_, err = pllFor(part.ICE40, 12e6, in)
		require.ErrorContains(t, err, want)
	}
	_, err = pllFor(part.ECP5, 25e6, 500e6)
	require.ErrorContains(t, err, "the highest is 400")
}
