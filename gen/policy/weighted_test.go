// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func same(t int) [NumOps]int { return [NumOps]int{t, t, t, t} }

// exactArgmin is the paper's rule, largest alpha*v + beta*(cap-m/P)/cap with m blocks in flight, in rationals.
func exactArgmin(in Input, v [][NumOps]*big.Rat, blocks []int, full []bool, op int) int {
	best, bestJ := new(big.Rat), -1
	alpha, beta := rat(in.Alpha), rat(in.Beta)
	for j := range blocks {
		if full[j] || v[j][op] == nil {
			continue
		}
		w := new(big.Rat).Mul(alpha, v[j][op])
		r := big.NewRat(int64(in.Caps[j]*in.PktBlocks-blocks[j]), int64(in.Caps[j]*in.PktBlocks))
		w.Add(w, r.Mul(r, beta))
		if bestJ < 0 || w.Cmp(best) > 0 {
			best, bestJ = w, j
		}
	}
	return bestJ
}

func tableArgmin(t *Tables, in Input, blocks []int, full []bool, op int) int {
	best, bestJ := uint64(0), -1
	for j := range blocks {
		if full[j] || in.Cycles[j][op] == 0 {
			continue
		}
		s := t.Base[j][op] + t.Inc[j][op]*uint64(blocks[j])
		if bestJ < 0 || s < best {
			best, bestJ = s, j
		}
	}
	return bestJ
}

// agree compares the tables with exact arithmetic in random reachable states, and returns how many differ.
func agree(t *testing.T, in Input, rng *rand.Rand, states int) int {
	t.Helper()
	tab, err := Weighted(in)
	require.NoError(t, err)
	require.LessOrEqual(t, tab.AccW, MaxWidth)
	v := Speeds(in.Cycles)
	n, bad := len(in.Caps), 0
	blocks, full := make([]int, n), make([]bool, n)
	for range states {
		for j := range n {
			pkts := rng.Intn(in.Caps[j] + 1)
			full[j] = pkts == in.Caps[j]
			blocks[j] = 0
			for range pkts {
				blocks[j] += 1 + rng.Intn(in.PktBlocks)
			}
			if rng.Intn(3) == 0 {
				blocks[j] = pkts * in.PktBlocks
			}
			for op := range NumOps {
				s := tab.Base[j][op] + tab.Inc[j][op]*uint64(in.Caps[j]*in.PktBlocks)
				require.Less(t, s, uint64(1)<<tab.AccW-1, "overflow, or all ones")
			}
			require.LessOrEqual(t, bits.Len64(tab.Inc[j][0]), tab.IncW)
		}
		for op := range NumOps {
			if exactArgmin(in, v, blocks, full, op) != tableArgmin(tab, in, blocks, full, op) {
				bad++
			}
		}
	}
	if tab.Exact {
		assert.Zero(t, bad, "%+v", in)
	}
	return bad
}

func TestWeightedMatchesExactArithmetic(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	weights := []float64{0, 1e-6, 0.01, 0.05, 0.1, 1.0 / 3, 0.5, 0.95, 1, 2, 1000}
	for range 400 {
		n := 1 + rng.Intn(16)
		in := Input{PktBlocks: 1 + rng.Intn(16), Alpha: weights[rng.Intn(len(weights))], Beta: weights[rng.Intn(len(weights))],
			Programmable: rng.Intn(2) == 0}
		if in.Alpha == 0 && in.Beta == 0 {
			in.Beta = 1
		}
		equal := rng.Intn(2) == 0
		kind := rng.Intn(3)
		for range n {
			c := same(1 + rng.Intn(70))
			if kind == 0 {
				c = same([]int{11, 21, 51}[rng.Intn(3)])
			}
			if kind == 2 {
				for op := range c {
					c[op] = rng.Intn(40)
				}
			}
			in.Cycles = append(in.Cycles, c)
			in.Caps = append(in.Caps, 1+rng.Intn(10))
			if equal {
				in.Caps[len(in.Caps)-1] = in.Caps[0]
			}
		}
		agree(t, in, rng, 200)
	}
}

func TestWeightedTies(t *testing.T) {
	// K*v of the fastest core is exactly 2 packets: with 2 packets in flight there it ties with the idle slowest one.
	in := Input{Cycles: [][NumOps]int{same(30), same(10)}, Caps: []int{8, 8}, PktBlocks: 4, Alpha: 0.2, Beta: 0.8}
	tab, err := Weighted(in)
	require.NoError(t, err)
	require.True(t, tab.Exact)
	none := []bool{false, false}
	assert.Equal(t, 1, tableArgmin(tab, in, []int{0, 7}, none, 0))
	assert.Equal(t, 0, tableArgmin(tab, in, []int{0, 8}, none, 0), "a tie goes to the lowest index")
	assert.Equal(t, 0, tableArgmin(tab, in, []int{0, 9}, none, 0))
}

func TestWeightedBetaZero(t *testing.T) {
	in := Input{Cycles: [][NumOps]int{same(30), same(10), same(20), same(10)}, Caps: []int{2, 3, 4, 5}, PktBlocks: 4, Alpha: 1}
	tab, err := Weighted(in)
	require.NoError(t, err)
	assert.Equal(t, Tables{
		Base: [][NumOps]uint64{{2, 2, 2, 2}, {0, 0, 0, 0}, {1, 1, 1, 1}, {0, 0, 0, 0}},
		Inc:  make([][NumOps]uint64, 4), AccW: 2, IncW: 1, Exact: true, BaseMax: 2,
	}, *tab)
}

func TestWeightedAlphaZero(t *testing.T) {
	in := Input{Cycles: [][NumOps]int{same(30), same(10)}, Caps: []int{2, 4}, PktBlocks: 2, Beta: 1}
	tab, err := Weighted(in)
	require.NoError(t, err)
	assert.Equal(t, [][NumOps]uint64{{}, {}}, tab.Base)
	assert.Equal(t, [][NumOps]uint64{{2, 2, 2, 2}, {1, 1, 1, 1}}, tab.Inc)
	assert.Equal(t, 4, tab.AccW, "8 units, and all ones is no score")
}

func TestWeightedRounded(t *testing.T) {
	in := Input{PktBlocks: 4095, Alpha: 0.05, Beta: 0.95}
	rng := rand.New(rand.NewSource(2))
	for j := range 16 {
		in.Cycles = append(in.Cycles, same(10+j))
		in.Caps = append(in.Caps, []int{7, 11, 13, 17, 19, 23, 29, 31}[j%8])
	}
	tab, err := Weighted(in)
	require.NoError(t, err)
	assert.False(t, tab.Exact)
	assert.Less(t, agree(t, in, rng, 500), 20, "of 2000")
}

func TestWeightedHugeRatioStaysNarrow(t *testing.T) {
	in := Input{Cycles: [][NumOps]int{same(10), same(11), same(500)}, Caps: []int{8, 8, 8}, PktBlocks: 4, Alpha: 1e6, Beta: 1e-6}
	tab, err := Weighted(in)
	require.NoError(t, err)
	assert.True(t, tab.Exact)
	assert.LessOrEqual(t, tab.AccW, 10)
	agree(t, in, rand.New(rand.NewSource(3)), 500)
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

func TestWeightedRefuses(t *testing.T) {
	ok := Input{Cycles: [][NumOps]int{same(1)}, Caps: []int{1}, PktBlocks: 1, Alpha: 1, Beta: 1}
	for i, f := range []func(*Input){
		func(in *Input) { in.Cycles = nil },
		func(in *Input) { in.Caps = []int{0} },
		func(in *Input) { in.PktBlocks = 0 },
		func(in *Input) { in.Alpha, in.Beta = 0, 0 },
		func(in *Input) { in.Alpha = -1 },
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			in := ok
			f(&in)
			_, err := Weighted(in)
			assert.Error(t, err)
		})
	}
}
