// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// blocksOn is a state with so many blocks on the cores, one a packet.
func blocksOn(blocks ...int) state {
	st := make(state, len(blocks))
	for j, b := range blocks {
		if b > 0 {
			st[j] = []packet{{0, b}}
		}
	}
	return st
}

func TestWeightedTies(t *testing.T) {
	// K*v of the fastest core is exactly 2 packets: with 2 packets in flight there it ties with the idle slowest one.
	in := Input{Cycles: [][NumOps]int{same(30), same(10)}, Caps: []int{8, 8}, PktBlocks: 4, Alpha: 0.2, Beta: 0.8}
	tab := build(t, "weighted", in)
	require.True(t, tab.Exact)
	assert.Equal(t, 1, tableCore(tab, in, blocksOn(0, 7), 0))
	assert.Equal(t, 0, tableCore(tab, in, blocksOn(0, 8), 0), "a tie goes to the lowest index")
	assert.Equal(t, 0, tableCore(tab, in, blocksOn(0, 9), 0))
}

func TestWeightedBetaZero(t *testing.T) {
	in := Input{Cycles: [][NumOps]int{same(30), same(10), same(20), same(10)}, Caps: []int{2, 3, 4, 5}, PktBlocks: 4, Alpha: 1}
	assert.Equal(t, Tables{
		Base: [][NumOps]uint64{{2, 2, 2, 2}, {0, 0, 0, 0}, {1, 1, 1, 1}, {0, 0, 0, 0}},
		Inc:  make([][NumOps]uint64, 4), AccW: 2, IncW: 1, Exact: true, BaseMax: 2, GiveBack: true, Need: 2,
	}, *build(t, "weighted", in))
}

func TestWeightedAlphaZero(t *testing.T) {
	in := Input{Cycles: [][NumOps]int{same(30), same(10)}, Caps: []int{2, 4}, PktBlocks: 2, Beta: 1}
	tab := build(t, "weighted", in)
	assert.Equal(t, [][NumOps]uint64{{}, {}}, tab.Base)
	assert.Equal(t, [][NumOps]uint64{{2, 2, 2, 2}, {1, 1, 1, 1}}, tab.Inc)
	assert.Equal(t, 4, tab.AccW, "8 units, and all ones is no score")
	assert.Equal(t, "queue", tab.Unit)
	assert.InDelta(t, 8, tab.PerUnit, 0)
}

// Queues without a common multiple to speak of: exact scores are refused, scores of 32 bits are almost always right.
func TestWeightedTooWide(t *testing.T) {
	in := Input{PktBlocks: 4095, Alpha: 0.05, Beta: 0.95}
	for j := range 16 {
		in.Cycles = append(in.Cycles, same(10+j))
		in.Caps = append(in.Caps, []int{7, 11, 13, 17, 19, 23, 29, 31}[j%8])
	}
	_, err := Build("weighted", in)
	var w *WidthError
	require.ErrorAs(t, err, &w)
	assert.Equal(t, WidthError{Need: 45, Least: 17}, *w)
	in.Bits = MaxWidth
	tab := build(t, "weighted", in)
	assert.False(t, tab.Exact)
	require.NotNil(t, tab.Counter)
	c := tab.Counter
	st := c.state(in, false)
	assert.Equal(t, c.Exact.Core, exactCore("weighted", in, st, c.Op), c)
	assert.Equal(t, c.Rounded.Core, tableCore(tab, in, st, c.Op), c)
	rng := rand.New(rand.NewSource(2))
	bad := 0
	for range 500 {
		if st := randomState(rng, in); exactCore("weighted", in, st, 0) != tableCore(tab, in, st, 0) {
			bad++
		}
	}
	assert.Less(t, bad, 5)
}

func TestHugeRatioStaysNarrow(t *testing.T) {
	in := Input{Cycles: [][NumOps]int{same(10), same(11), same(500)}, Caps: []int{8, 8, 8}, PktBlocks: 4, Alpha: 1e6, Beta: 1e-6}
	assert.LessOrEqual(t, build(t, "weighted", in).AccW, 10)
	in.Cycles = [][NumOps]int{{10, 20, 20, 20}, {11, 10, 10, 10}, {500, 5, 5, 5}}
	in.Lambda = 1000
	assert.LessOrEqual(t, build(t, "affinity", in).AccW, 18)
}

func TestSpeeds(t *testing.T) {
	v := Speeds([][NumOps]int{{10, 0, 7, 5}, {20, 0, 7, 0}, {40, 3, 7, 9}})
	want := [][NumOps]string{{"1", "", "1", "1"}, {"2/3", "", "1", ""}, {"0", "1", "1", "0"}}
	for j := range v {
		for op := range NumOps {
			got := ""
			if v[j][op] != nil {
				got = v[j][op].RatString()
			}
			assert.Equal(t, want[j][op], got, "core %d op %d", j, op)
		}
	}
}
