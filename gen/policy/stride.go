// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"math/big"
	"math/bits"
)

// strideMargin times a full packet of the slowest core must be below a quarter of the range, see Tables.AccW: two bases
// and one dispatch.
const strideMargin = 3

// strideBits is the modular range for increments of at most inc a block; the balancer wants 3 bits.
func strideBits(pktBlocks int, inc uint64) int {
	return max(bits.Len64(strideMargin*uint64(pktBlocks)*inc), 1) + 2
}

// stride is wrr: as completionTime, but work that was given is never taken back.
func stride(in Input) (*Tables, error) {
	rivals := in.rivals()
	g, most := uint64(0), uint64(0)
	for j, row := range in.Cycles {
		for _, t := range row {
			if rivals[j] {
				g, most = gcd(g, uint64(t)), max(most, uint64(t))
			}
		}
	}
	g = max(g, 1)
	need := strideBits(in.PktBlocks, most/g)
	limit := in.Bits
	if limit == 0 {
		limit = MaxWidth
	}
	switch {
	case in.Programmable && strideBits(in.PktBlocks, most) <= limit:
		t := strideTables(in, in.Bits, func(t uint64) uint64 { return t }, 1)
		t.Exact, t.Need = true, need
		return t, nil
	case need <= limit:
		t := strideTables(in, in.Bits, func(t uint64) uint64 { return t / g }, 1/float64(g))
		t.Exact, t.Need = true, need
		return t, nil
	}
	if least := strideBits(in.PktBlocks, min(most, 1)); in.Bits < least {
		return nil, &WidthError{Need: need, Least: least, Bits: in.Bits}
	}
	// the slowest core's increment is what just fits, the others' in proportion
	unit := (uint64(1)<<(in.Bits-2) - 1) / (strideMargin * uint64(in.PktBlocks))
	round := func(t uint64) uint64 { return max((2*t*unit+most)/(2*most), 1) }
	t := strideTables(in, in.Bits, round, float64(unit)/float64(most))
	t.Need = need
	t.Counter, t.Exact = strideCounter(in, t)
	return t, nil
}

func strideTables(in Input, width int, inc func(uint64) uint64, perUnit float64) *Tables {
	n := len(in.Cycles)
	t := &Tables{Base: make([][NumOps]uint64, n), Inc: make([][NumOps]uint64, n), AccW: width, Modular: true, Unit: "cycle",
		PerUnit: perUnit}
	p, most := uint64(in.PktBlocks), uint64(0)
	rivals := in.rivals()
	for j, row := range in.Cycles {
		for op, c := range row {
			if c > 0 && rivals[j] {
				t.Inc[j][op] = inc(uint64(c))
				t.Base[j][op] = p * t.Inc[j][op]
				most = max(most, t.Inc[j][op])
			}
		}
	}
	if width == 0 {
		t.AccW = strideBits(in.PktBlocks, most)
	}
	t.IncW = incWidth(t.Inc)
	t.BaseMax = (uint64(1)<<(t.AccW-2) - 1 - p*most) / 2
	return t
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// strideTurns bounds the search of strideCounter, in decisions times cores.
const strideTurns = 1 << 21

// strideCounter looks for packets that, sent after reset, each done before the next, come to a core that exact
// arithmetic does not choose. Tables in proportion to the times decide as those do: exact is true.
func strideCounter(in Input, t *Tables) (c *Counterexample, exact bool) {
	exact = true
	var cycles, inc uint64 // of some core
	for j, row := range in.Cycles {
		for op, c := range row {
			if t.Inc[j][op] == 0 {
				continue
			}
			if cycles == 0 {
				cycles, inc = uint64(c), t.Inc[j][op]
			}
			exact = exact && uint64(c)*inc == t.Inc[j][op]*cycles
		}
	}
	if exact {
		return nil, true
	}
	var mixes [][]int // commands in turn
	for op := range NumOps {
		mixes = append(mixes, []int{op})
	}
	for a := range NumOps {
		for b := range a {
			mixes = append(mixes, []int{b, a})
		}
	}
	budget := strideTurns / len(in.Cycles) / len(mixes)
	for _, mix := range mixes {
		for _, blocks := range []int{in.PktBlocks, 1} {
			if s := strideRun(in, t, mix, blocks, budget); s != nil && (c == nil || len(s.Turns) < len(c.Turns)) {
				c, budget = s, len(s.Turns)
			}
		}
	}
	return c, false
}

// strideRun sends packets of some length, of the commands of mix in turn, until exact and rounded scores choose
// differently; nil if they do not in so many.
func strideRun(in Input, t *Tables, mix []int, blocks, turns int) *Counterexample {
	n := len(in.Cycles)
	for _, op := range mix {
		able := false
		for j := range n {
			able = able || in.Cycles[j][op] > 0
		}
		if !able {
			return nil
		}
	}
	acc, exact := make([]uint64, n), make([]uint64, n)
	p, b := uint64(in.PktBlocks), uint64(blocks)
	for i := range turns {
		op := mix[i%len(mix)]
		var best, right *Choice
		for j := range n {
			c := uint64(in.Cycles[j][op])
			if c == 0 {
				continue
			}
			if s := acc[j] + t.Base[j][op]; best == nil || s < best.Steps {
				best = &Choice{Core: j, Steps: s}
			}
			if s := exact[j] + p*c; right == nil || s < right.Steps {
				right = &Choice{Core: j, Steps: s}
			}
		}
		if best.Core != right.Core {
			e := &Counterexample{Op: op, Unit: t.Unit, Packets: make([]int, n), Blocks: make([][NumOps]int, n),
				TurnBlocks: blocks}
			for k := range i {
				e.Turns = append(e.Turns, mix[k%len(mix)])
			}
			score := func(j int) Choice {
				return Choice{j, acc[j] + t.Base[j][op], new(big.Rat).SetUint64(exact[j] + p*uint64(in.Cycles[j][op]))}
			}
			e.Exact, e.Rounded = score(right.Core), score(best.Core)
			return e
		}
		j := best.Core
		for k := range n { // who does not compete catches up
			if in.Cycles[k][op] == 0 {
				acc[k], exact[k] = max(acc[k], best.Steps), max(exact[k], right.Steps)
			}
		}
		acc[j] += t.Inc[j][op] * b
		exact[j] += uint64(in.Cycles[j][op]) * b
	}
	return nil
}
