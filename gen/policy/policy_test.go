// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"math"
	"math/big"
	"math/bits"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func same(t int) [NumOps]int { return [NumOps]int{t, t, t, t} }

func build(t *testing.T, name string, in Input) *Tables {
	t.Helper()
	tab, err := Build(name, in)
	require.NoError(t, err)
	return tab
}

// packet is one in flight.
type packet struct{ op, blocks int }

// state is what is in flight on each core.
type state [][]packet

// formula is a score as the policy's definition has it, in rationals, the least is taken: written from the definition, not
// from the tables.
func formula(name string, in Input, st state, j, op int) *big.Rat {
	r := func(n int) *big.Rat { return big.NewRat(int64(n), 1) }
	mul := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
	t, blocks, work := in.Cycles[j], 0, 0
	for _, p := range st[j] {
		blocks += p.blocks
		work += p.blocks * t[p.op]
	}
	switch name {
	case "weighted":
		lo, hi := 0, 0
		for _, c := range in.Cycles {
			if c[op] > 0 && (lo == 0 || c[op] < lo) {
				lo = c[op]
			}
			hi = max(hi, c[op])
		}
		v := r(1)
		if lo != hi {
			v = big.NewRat(int64(hi-t[op]), int64(hi-lo))
		}
		w := mul(rat(in.Alpha), v)
		room := big.NewRat(int64(in.Caps[j]*in.PktBlocks-blocks), int64(in.Caps[j]*in.PktBlocks))
		return w.Neg(w.Add(w, mul(rat(in.Beta), room)))
	case "jsq":
		return r(len(st[j]))
	case "ect":
		return r(work + in.PktBlocks*t[op])
	case "affinity":
		mean := func(j int) *big.Rat {
			sum, n := 0, 0
			for _, t := range in.Cycles[j] {
				if t > 0 {
					sum, n = sum+t, n+1
				}
			}
			return big.NewRat(int64(sum), int64(n))
		}
		var y *big.Rat
		for k, c := range in.Cycles {
			if c[op] > 0 {
				if q := new(big.Rat).Quo(r(c[op]), mean(k)); y == nil || q.Cmp(y) < 0 {
					y = q
				}
			}
		}
		s := new(big.Rat).Sub(r(t[op]), mul(y, mean(j)))
		s = mul(s, rat(in.Lambda))
		s.Add(s, r(t[op]))
		s = mul(s, r(in.PktBlocks))
		return s.Add(s, r(work))
	}
	panic(name)
}

// score is a score of the tables, as the hardware has it.
func (t *Tables) score(st state, j, op int) uint64 {
	s := t.Base[j][op]
	for _, p := range st[j] {
		b := uint64(p.blocks)
		if t.PerPacket {
			b = 1
		}
		s += t.Inc[j][p.op] * b
	}
	return s
}

// decide is the core of the least score among those that are able and not full, -1 if there is none.
func decide(in Input, st state, op int, less func(j, k int) bool) int {
	best := -1
	for j := range st {
		if in.Cycles[j][op] > 0 && len(st[j]) < in.Caps[j] && (best < 0 || less(j, best)) {
			best = j
		}
	}
	return best
}

func exactCore(name string, in Input, st state, op int) int {
	return decide(in, st, op, func(j, k int) bool { return formula(name, in, st, j, op).Cmp(formula(name, in, st, k, op)) < 0 })
}

func tableCore(t *Tables, in Input, st state, op int) int {
	return decide(in, st, op, func(j, k int) bool { return t.score(st, j, op) < t.score(st, k, op) })
}

var scorePolicies = []string{"affinity", "weighted", "ect", "jsq"}

var weights = []float64{0, 1e-6, 0.01, 0.05, 0.1, 1.0 / 3, 0.5, 0.95, 1, 2, 1000}

// randomInput is a cluster of up to n cores with queues up to most.
func randomInput(rng *rand.Rand, n, most int) Input {
	in := Input{PktBlocks: 1 + rng.Intn(16), Alpha: weights[rng.Intn(len(weights))], Beta: weights[rng.Intn(len(weights))],
		Lambda: []float64{0, 1, 4, 4, 4, 16, 0.3, 1.0 / 3, 1000}[rng.Intn(9)], Programmable: rng.Intn(2) == 0}
	if in.Alpha == 0 && in.Beta == 0 {
		in.Beta = 1
	}
	equal, kind := rng.Intn(2) == 0, rng.Intn(4)
	for range 1 + rng.Intn(n) {
		c := same(1 + rng.Intn(70))
		switch kind {
		case 0:
			c = same([]int{11, 21, 51}[rng.Intn(3)])
		case 1:
			for op := range c {
				c[op] = rng.Intn(40)
			}
			c[0] = max(c[0], 1)
		case 2:
			for op := range c {
				c[op] = 16 + rng.Intn(21)
			}
		}
		in.Cycles = append(in.Cycles, c)
		in.Caps = append(in.Caps, 1+rng.Intn(most))
		if equal {
			in.Caps[len(in.Caps)-1] = in.Caps[0]
		}
	}
	return in
}

// ops are the commands that a core does.
func ops(c [NumOps]int) []int {
	var s []int
	for op, t := range c {
		if t > 0 {
			s = append(s, op)
		}
	}
	return s
}

func randomState(rng *rand.Rand, in Input) state {
	st := make(state, len(in.Caps))
	shape := rng.Intn(3)
	for j := range st {
		can := ops(in.Cycles[j])
		one := can[rng.Intn(len(can))]
		for range rng.Intn(in.Caps[j] + 1) {
			p := packet{can[rng.Intn(len(can))], 1 + rng.Intn(in.PktBlocks)}
			switch shape {
			case 0:
				p.blocks = in.PktBlocks
			case 1:
				p.op = one
			}
			st[j] = append(st[j], p)
		}
	}
	return st
}

// Every decision of exact tables is that of the formula in rationals, in random states of random clusters.
func TestTablesMatchFormula(t *testing.T) {
	for _, name := range scorePolicies {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewSource(1))
			for range 150 {
				in := randomInput(rng, 5, 6)
				if rng.Intn(4) == 0 {
					in = randomInput(rng, 16, 12)
				}
				tab := build(t, name, in)
				require.True(t, tab.Exact)
				require.Nil(t, tab.Counter)
				require.LessOrEqual(t, tab.Need, tab.AccW)
				for range 60 {
					st := randomState(rng, in)
					for op := range NumOps {
						require.Equal(t, exactCore(name, in, st, op), tableCore(tab, in, st, op), "%+v %v %s", in, st, OpNames[op])
					}
				}
				fits(t, tab, in)
			}
		})
	}
}

// fits checks that the largest score of each core is below all ones of AccW bits, with the generated bases and with the
// largest that may be written.
func fits(t *testing.T, tab *Tables, in Input) {
	t.Helper()
	for j, row := range tab.Inc {
		for op := range row {
			steps := uint64(in.Caps[j])
			if !tab.PerPacket {
				steps *= uint64(in.PktBlocks)
			}
			require.LessOrEqual(t, tab.Base[j][op], tab.BaseMax)
			require.LessOrEqual(t, tab.BaseMax+row[op]*steps, uint64(1)<<tab.AccW-2)
			require.LessOrEqual(t, bits.Len64(row[op]), tab.IncW)
		}
	}
	require.LessOrEqual(t, tab.IncW, tab.AccW)
	require.LessOrEqual(t, tab.AccW, MaxWidth)
}

// eachState calls f with every state of a cluster whose packets are of the commands given.
func eachState(in Input, cmds []int, f func(state)) {
	st := make(state, len(in.Caps))
	var core func(j int)
	var fill func(j, from int)
	core = func(j int) {
		if j == len(st) {
			f(st)
			return
		}
		fill(j, 0)
	}
	fill = func(j, from int) { // packets of a core in no order
		core(j + 1)
		if len(st[j]) == in.Caps[j] {
			return
		}
		for k := from; k < len(cmds)*in.PktBlocks; k++ {
			p := packet{cmds[k%len(cmds)], 1 + k/len(cmds)}
			if in.Cycles[j][p.op] == 0 {
				continue
			}
			st[j] = append(st[j], p)
			fill(j, k)
			st[j] = st[j][:len(st[j])-1]
		}
	}
	core(0)
}

// In small clusters every single state is gone through.
func TestTablesMatchFormulaInEveryState(t *testing.T) {
	for _, name := range scorePolicies {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewSource(2))
			for range 12 {
				in := randomInput(rng, 3, 2)
				in.PktBlocks = 1 + rng.Intn(2)
				tab := build(t, name, in)
				eachState(in, []int{0, 1}, func(st state) {
					for op := range NumOps {
						if exactCore(name, in, st, op) != tableCore(tab, in, st, op) {
							require.Fail(t, "differs", "%+v %v %s", in, st, OpNames[op])
						}
					}
				})
			}
		})
	}
}

// An exact width is never wider than asked for, and one bit less is rounded or refused, or takes away the spare room alone.
func TestGivenWidth(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	for _, name := range []string{"affinity", "weighted", "ect", "jsq", "wrr"} {
		for range 15 {
			in := randomInput(rng, 5, 6)
			free := build(t, name, in)
			for w := max(1, free.Need-5); w <= min(free.Need+3, MaxWidth); w++ {
				in.Bits = w
				tab, err := Build(name, in)
				var we *WidthError
				if errors.As(err, &we) {
					require.Less(t, w, we.Least, name)
					require.Less(t, w, free.Need, name)
					require.Equal(t, free.Need, we.Need)
					continue
				}
				require.NoError(t, err)
				require.Equal(t, w, tab.AccW)
				require.Equal(t, free.Need, tab.Need)
				if w >= free.Need {
					require.True(t, tab.Exact, "%s %d %+v", name, w, in)
				}
				if tab.Exact {
					require.Nil(t, tab.Counter)
				}
				if name != "wrr" {
					fits(t, tab, in)
				}
				for j, row := range tab.Inc {
					for op, inc := range row {
						require.Equal(t, free.Inc[j][op] > 0, inc > 0, "a step of core %d counts", j)
						if name == "ect" && inc > 1 {
							require.InDelta(t, float64(in.Cycles[j][op])*tab.PerUnit, float64(inc), 0.5+1e-6)
						}
					}
				}
			}
		}
	}
}

// state makes the state of a counter-example, each packet as full as it can be.
func (c *Counterexample) state(in Input, perPacket bool) state {
	st := make(state, len(c.Packets))
	for j := range c.Packets {
		for op, m := range c.Blocks[j] {
			for m > 0 {
				b := 1
				if !perPacket {
					b = min(in.PktBlocks, m)
				}
				st[j] = append(st[j], packet{op, b})
				m -= b
			}
		}
	}
	return st
}

// reached plays packets to a balancer with the tables until it has a state, which takes chained jobs: such a job is opened
// on a core by packets that go elsewhere until that core is chosen; its further packets are bound to it.
func reached(t *testing.T, tab *Tables, in Input, want state) {
	t.Helper()
	st := make(state, len(want))
	for j, packets := range want {
		opened := map[int]bool{}
		for _, p := range packets {
			if opened[p.op] { // bound
				st[j] = append(st[j], p)
				continue
			}
			opened[p.op] = true
			for {
				k := tableCore(tab, in, st, p.op)
				require.GreaterOrEqual(t, k, 0, "core %d is never chosen", j)
				if k == j {
					st[j] = append(st[j], p)
					break
				}
				st[k] = append(st[k], packet{p.op, 1})
			}
			for k := range st { // what was in the way is done
				if k > j {
					st[k] = nil
				} else if k < j {
					st[k] = want[k]
				}
			}
		}
	}
	for j := range st {
		require.Equal(t, len(want[j]), len(st[j]))
		require.ElementsMatch(t, want[j], st[j])
	}
}

// Scores of too few bits: a state is given in which the decision differs, it is one that can be reached, and both scores are
// right. If none is given, there is none.
func TestCounterexamples(t *testing.T) {
	for _, name := range []string{"affinity", "weighted", "ect"} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewSource(4))
			found, none, unknown := 0, 0, 0
			for range 150 {
				in := randomInput(rng, 5, 6)
				in.Programmable = false
				if in.Beta == 0 {
					in.Beta = 1
				}
				tab := build(t, name, in)
				in.Bits = tab.AccW - 1 - rng.Intn(4)
				if in.Bits < 1 {
					continue
				}
				tab, err := Build(name, in)
				var we *WidthError
				if errors.As(err, &we) {
					continue
				}
				require.NoError(t, err)
				switch c := tab.Counter; {
				case c != nil:
					found++
					st := c.state(in, tab.PerPacket)
					for j := range st {
						require.Len(t, st[j], c.Packets[j])
						require.LessOrEqual(t, len(st[j]), in.Caps[j])
						for _, p := range st[j] {
							require.Positive(t, p.blocks)
							require.Positive(t, in.Cycles[j][p.op])
						}
					}
					require.Equal(t, c.Exact.Core, exactCore(name, in, st, c.Op), "%+v\n%s", in, c)
					require.Equal(t, c.Rounded.Core, tableCore(tab, in, st, c.Op), "%+v\n%s", in, c)
					require.NotEqual(t, c.Exact.Core, c.Rounded.Core)
					for _, ch := range []Choice{c.Exact, c.Rounded} {
						require.Equal(t, tab.score(st, ch.Core, c.Op), ch.Steps)
					}
					differ := new(big.Rat).Sub(formula(name, in, st, c.Exact.Core, c.Op), formula(name, in, st, c.Rounded.Core, c.Op))
					shown := new(big.Rat).Sub(c.Exact.Score, c.Rounded.Score)
					if name == "weighted" {
						shown.Mul(shown, rat(in.Beta))
					}
					require.Zero(t, differ.Cmp(shown), "%s", c)
					reached(t, tab, in, st)
				case tab.Exact:
					none++
					for range 300 {
						st := randomState(rng, in)
						for op := range NumOps {
							require.Equal(t, exactCore(name, in, st, op), tableCore(tab, in, st, op), "%+v %v", in, st)
						}
					}
				default:
					unknown++
					t.Logf("open %+v %+v %+v", in, tab.Base, tab.Inc)
				}
			}
			t.Logf("%d found, %d proved exact, %d open", found, none, unknown)
			assert.Greater(t, found, 40)
			assert.Zero(t, unknown)
		})
	}
}

// In small clusters every state is gone through for every width: a counter-example is given if and only if there is a state
// in which the decision differs, and tables are called exact if and only if there is none.
func TestCounterexampleIffWrong(t *testing.T) {
	for _, name := range []string{"affinity", "weighted", "ect"} {
		rng := rand.New(rand.NewSource(9))
		wrong, right := 0, 0
		for range 40 {
			in := randomInput(rng, 3, 3)
			in.PktBlocks = 1 + rng.Intn(2)
			in.Programmable = false
			for i := range in.Cycles { // two commands, so that all states can be listed
				in.Cycles[i][2], in.Cycles[i][3] = 0, 0
			}
			need := build(t, name, in).Need
			for in.Bits = max(need-3, 1); in.Bits < need; in.Bits++ {
				tab, err := Build(name, in)
				var we *WidthError
				if errors.As(err, &we) {
					continue
				}
				require.NoError(t, err)
				differ := false
				eachState(in, []int{0, 1}, func(st state) {
					for op := range 2 {
						differ = differ || exactCore(name, in, st, op) != tableCore(tab, in, st, op)
					}
				})
				require.Equal(t, differ, tab.Counter != nil, "%s %+v", name, in)
				require.Equal(t, !differ, tab.Exact, "%s %+v", name, in)
				if differ {
					wrong++
				} else {
					right++
				}
			}
		}
		t.Logf("%s: %d differ, %d do not", name, wrong, right)
		assert.Greater(t, wrong, 5)
		assert.Greater(t, right, 5)
	}
}

func TestBuildRefuses(t *testing.T) {
	ok := Input{Cycles: [][NumOps]int{same(1)}, Caps: []int{1}, PktBlocks: 1, Alpha: 1, Beta: 1, Lambda: 4}
	for name, f := range map[string]func(*Input) string{
		"no cores":         func(in *Input) string { in.Cycles = nil; return "ect" },
		"caps":             func(in *Input) string { in.Caps = []int{1, 2}; return "jsq" },
		"a cap of 0":       func(in *Input) string { in.Caps = []int{0}; return "static" },
		"negative cycles":  func(in *Input) string { in.Cycles = [][NumOps]int{{1, -1}}; return "ect" },
		"no blocks":        func(in *Input) string { in.PktBlocks = 0; return "wrr" },
		"bits":             func(in *Input) string { in.Bits = 33; return "ect" },
		"no weight":        func(in *Input) string { in.Alpha, in.Beta = 0, 0; return "weighted" },
		"negative weight":  func(in *Input) string { in.Alpha = -1; return "weighted" },
		"weight not a one": func(in *Input) string { in.Beta = math.Inf(1); return "weighted" },
		"negative lambda":  func(in *Input) string { in.Lambda = -1; return "affinity" },
		"lambda not a one": func(in *Input) string { in.Lambda = math.NaN(); return "affinity" },
		"no such policy":   func(*Input) string { return "late" },
	} {
		in := ok
		_, err := Build(f(&in), in)
		require.Error(t, err, name)
		var we *WidthError
		require.NotErrorAs(t, err, &we)
	}
	for _, name := range Names {
		build(t, name, ok)
	}
}
