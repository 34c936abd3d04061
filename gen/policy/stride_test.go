// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// strideBalancer is wrr in integers without end, beside the same in bits bits.
type strideBalancer struct {
	in       Input
	t        *Tables
	acc      []int64
	ref      int64
	wrapped  []uint64
	wref     uint64
	far, all uint64
	apart    int64 // the most that two scores of a decision, or an acc and ref, were apart
}

func newStride(in Input, t *Tables, bits int) *strideBalancer {
	n := len(in.Caps)
	return &strideBalancer{in: in, t: t, acc: make([]int64, n), wrapped: make([]uint64, n), far: 1 << (bits - 2), all: 1<<bits - 1}
}

// behind says a < b in the modular sense.
func (b *strideBalancer) behind(x, y uint64) bool { return (x-y)&b.all > b.all/2 }

// decide gives the winner without end and the one in bits.
func (b *strideBalancer) decide(op int, competing []bool) (core, wrapped int) {
	core, wrapped = -1, -1
	lo, hi := int64(1)<<62, int64(-1)<<62
	score := func(j int) int64 { return b.acc[j] + int64(b.t.Base[j][op]) }
	w := func(j int) uint64 { return b.wrapped[j] + b.t.Base[j][op] }
	for j, c := range competing {
		if !c {
			continue
		}
		if core < 0 || score(j) < score(core) {
			core = j
		}
		if wrapped < 0 || b.behind(w(j), w(wrapped)) {
			wrapped = j
		}
		lo, hi = min(lo, score(j)), max(hi, score(j))
	}
	if core >= 0 {
		b.apart = max(b.apart, hi-lo)
	}
	return core, wrapped
}

func (b *strideBalancer) dispatch(core, op, blocks int, competing []bool) {
	if competing != nil { // not bound
		b.ref = b.acc[core] + int64(b.t.Base[core][op])
		b.wref = b.wrapped[core] + b.t.Base[core][op]
		for j, c := range competing {
			b.apart = max(b.apart, b.acc[j]-b.ref, b.ref-b.acc[j])
			if c {
				continue
			}
			b.acc[j] = max(b.acc[j], b.ref)
			if b.behind(b.wrapped[j], b.wref) {
				b.wrapped[j] = b.wref
			}
		}
	}
	amount := b.t.Inc[core][op] * uint64(blocks)
	b.apart = max(b.apart, b.acc[core]-b.ref, b.ref-b.acc[core])
	if b.acc[core]-b.ref < int64(b.far) {
		b.acc[core] += int64(amount)
	}
	if d := (b.wrapped[core] - b.wref) & b.all; d < b.far || d > b.all/2 {
		b.wrapped[core] += amount
	}
}

// play sends random packets, with long runs of bound ones, of slow commands and of fast ones, and credits them at random.
// It says whether the two agreed to the end.
func (b *strideBalancer) play(rng *rand.Rand, packets int) bool {
	in := b.in
	n := make([]int, len(in.Caps))
	competing := make([]bool, len(n))
	op, bound, run := 0, -1, 0
	for range packets {
		for j := range n {
			if n[j] > 0 && (n[j] == in.Caps[j] || rng.Intn(4) == 0) && rng.Intn(8) > 0 {
				n[j] -= 1 + rng.Intn(n[j])
			}
		}
		if run--; run <= 0 {
			op, bound, run = rng.Intn(NumOps), -1, 1+rng.Intn(30)
			if j := rng.Intn(len(n)); rng.Intn(2) == 0 && in.Cycles[j][op] > 0 {
				bound = j
			}
		}
		blocks := in.PktBlocks
		if rng.Intn(3) == 0 {
			blocks = 1 + rng.Intn(in.PktBlocks)
		}
		if bound >= 0 {
			if n[bound] < in.Caps[bound] {
				b.dispatch(bound, op, blocks, nil)
				n[bound]++
			}
			continue
		}
		for j := range n {
			competing[j] = n[j] < in.Caps[j] && in.Cycles[j][op] > 0
		}
		core, wrapped := b.decide(op, competing)
		if core != wrapped {
			return false
		}
		if core >= 0 {
			b.dispatch(core, op, blocks, competing)
			n[core]++
		}
	}
	for j := range b.acc {
		if uint64(b.acc[j])&b.all != b.wrapped[j]&b.all {
			return false
		}
	}
	return true
}

// In the width chosen wrr decides as without end, whatever is bound and for how long. Scores come within a factor of 4 of
// half the range, so the width is not wasted.
func TestStrideNeverWraps(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	closest := 0.0
	for range 200 {
		in := randomInput(rng, 5, 6)
		tab := build(t, "wrr", in)
		require.True(t, tab.Exact && tab.Modular && !tab.GiveBack)
		require.Less(t, 2*maxBase(tab)+uint64(in.PktBlocks)*maxInc(tab), uint64(1)<<(tab.AccW-2))
		require.GreaterOrEqual(t, tab.BaseMax, maxBase(tab))
		b := newStride(in, tab, tab.AccW)
		require.True(t, b.play(rng, 4000), "%+v", in)
		half := int64(1) << (tab.AccW - 1)
		require.Less(t, b.apart, half)
		closest = max(closest, float64(b.apart)/float64(half))
	}
	assert.Greater(t, closest, 0.5)
}

// With one base less in the rule the range would be half: after a tie with a base of 30 each, core 1 is a base behind the
// reference; bound packets take core 0 a quarter of the range and one packet beyond it; a command that is fast on core 1
// and slow on core 0 then comes to core 0, whose score has wrapped.
func TestStrideNeedsThreeBases(t *testing.T) {
	in := Input{Cycles: [][NumOps]int{{30, 30, 1, 1}, {30, 1, 1, 1}}, Caps: []int{9, 9}, PktBlocks: 1}
	tab := build(t, "wrr", in)
	require.Equal(t, 9, tab.AccW)
	for bits, want := range map[int]int{9: 1, 8: 0} {
		b := newStride(in, tab, bits)
		both := []bool{true, true}
		j, _ := b.decide(0, both)
		require.Equal(t, 0, j)
		b.dispatch(j, 0, 1, both)
		for range 5 {
			b.dispatch(0, 0, 1, nil)
		}
		core, wrapped := b.decide(1, both)
		require.Equal(t, 1, core)
		require.Equal(t, want, wrapped)
	}
}

// Two bits less wrap with random packets too.
func TestStrideNarrowerWraps(t *testing.T) {
	rng := rand.New(rand.NewSource(6))
	wrong := 0
	for range 60 {
		in := randomInput(rng, 5, 6)
		tab := build(t, "wrr", in)
		if tab.AccW > 5 && !newStride(in, tab, tab.AccW-2).play(rng, 4000) {
			wrong++
		}
	}
	assert.Greater(t, wrong, 10)
}

func maxBase(t *Tables) (m uint64) {
	for _, row := range t.Base {
		for _, b := range row {
			m = max(m, b)
		}
	}
	return m
}

func maxInc(t *Tables) (m uint64) {
	for _, row := range t.Inc {
		for _, i := range row {
			m = max(m, i)
		}
	}
	return m
}

// Shares are in proportion to speed: over a long run each core gets packets in inverse proportion to its time.
func TestStrideShares(t *testing.T) {
	in := Input{Cycles: [][NumOps]int{same(10), same(20), same(40)}, Caps: []int{8, 8, 8}, PktBlocks: 4}
	tab := build(t, "wrr", in)
	b := newStride(in, tab, tab.AccW)
	got := make([]int, 3)
	all := []bool{true, true, true}
	for range 700 {
		j, _ := b.decide(0, all)
		b.dispatch(j, 0, 4, all)
		got[j]++
	}
	for j, want := range []int{400, 200, 100} {
		assert.InDelta(t, want, got[j], 2)
	}
}

// Rounded increments: the packets of the counter-example, played from reset, come to the core that it says.
func TestStrideCounterexamples(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	found, exact := 0, 0
	for range 200 {
		in := randomInput(rng, 5, 6)
		in.Programmable = false
		in.Bits = build(t, "wrr", in).AccW - 1 - rng.Intn(5)
		if in.Bits < 1 {
			continue
		}
		tab, err := Build("wrr", in)
		var we *WidthError
		if errors.As(err, &we) {
			continue
		}
		require.NoError(t, err)
		require.Less(t, 2*maxBase(tab)+uint64(in.PktBlocks)*maxInc(tab), uint64(1)<<(in.Bits-2))
		c := tab.Counter
		if c == nil {
			require.True(t, tab.Exact)
			exact++
			continue
		}
		found++
		require.False(t, tab.Exact)
		c.played(t, in, tab)
	}
	t.Logf("%d found, %d in proportion", found, exact)
	assert.Greater(t, found, 80)
}

// Commands in turn, one of which not all cores do: those are brought up.
func TestStrideRun(t *testing.T) {
	rng := rand.New(rand.NewSource(8))
	found := 0
	for range 200 {
		in := Input{PktBlocks: 1 + rng.Intn(4)}
		for j := range 3 {
			c := [NumOps]int{5 + rng.Intn(60), 0, 5 + rng.Intn(60), 0}
			if j == rng.Intn(3) || j == 0 {
				c[1] = 5 + rng.Intn(60)
			}
			in.Cycles, in.Caps = append(in.Cycles, c), append(in.Caps, 4)
		}
		in.Bits = build(t, "wrr", in).AccW - 3
		tab := build(t, "wrr", in)
		for _, mix := range [][]int{{0, 1}, {1, 2}} {
			if c := strideRun(in, tab, mix, 1+rng.Intn(in.PktBlocks), 500); c != nil {
				found++
				c.played(t, in, tab)
			}
		}
		require.Nil(t, strideRun(in, tab, []int{0, 3}, 1, 500), "no core does it")
	}
	assert.Greater(t, found, 100)
}

// played plays the packets of a counter-example from reset, each done before the next, in rounded increments and in times.
func (c *Counterexample) played(t *testing.T, in Input, tab *Tables) {
	t.Helper()
	times := &Tables{Base: make([][NumOps]uint64, len(in.Cycles)), Inc: make([][NumOps]uint64, len(in.Cycles))}
	for j, row := range in.Cycles {
		for op, cy := range row {
			times.Inc[j][op], times.Base[j][op] = uint64(cy), uint64(cy*in.PktBlocks)
		}
	}
	r, e := newStride(in, tab, tab.AccW), newStride(in, times, 60)
	for _, op := range c.Turns {
		competing := able(in, op)
		j, w := r.decide(op, competing)
		k, _ := e.decide(op, competing)
		require.Equal(t, j, w)
		require.Equal(t, j, k)
		r.dispatch(j, op, c.TurnBlocks, competing)
		e.dispatch(j, op, c.TurnBlocks, competing)
	}
	_, j := r.decide(c.Op, able(in, c.Op))
	k, _ := e.decide(c.Op, able(in, c.Op))
	require.Equal(t, c.Rounded.Core, j, "%+v\n%s", in, c)
	require.Equal(t, c.Exact.Core, k, "%+v\n%s", in, c)
	require.NotEqual(t, j, k)
	for _, ch := range []Choice{c.Exact, c.Rounded} {
		require.Equal(t, r.acc[ch.Core]+int64(tab.Base[ch.Core][c.Op]), int64(ch.Steps))
		require.Equal(t, e.acc[ch.Core]+int64(times.Base[ch.Core][c.Op]), ch.Score.Num().Int64())
	}
}

func able(in Input, op int) []bool {
	b := make([]bool, len(in.Cycles))
	for j := range b {
		b[j] = in.Cycles[j][op] > 0
	}
	return b
}
