// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"math/big"
	"math/bits"
	"sort"
)

// spareFrac is the least number of fraction bits of programmable tables of weighted, whose unit is coarse: a block on the
// core with the largest queue.
const spareFrac = 2

// scores are a policy's scores of a cluster before they are put into bits.
type scores struct {
	in        Input
	base      [][NumOps]*big.Rat // nil where the core does not do the command
	inc       [][NumOps]*big.Int // likewise; a block, or a packet if perPacket
	perPacket bool
	spare     bool // programmable tables have spareFrac
	unit      string
	perUnit   *big.Rat // nil: scores are an order, without a unit
}

// reduced are scores in units of the increments' divisor, the least base of each command 0, gaps between bases closed.
// Integers are wide: nothing is limited yet.
type reduced struct {
	base    [][NumOps]*big.Rat
	inc     [][NumOps]*big.Int
	divisor *big.Int
	most    *big.Rat // the largest base
	top     *big.Int // the most that an acc can be: that of a core full of full packets
}

// rivals says of each core whether another does one of its commands. The acc of one without decides nothing.
func (in *Input) rivals() []bool {
	b := make([]bool, len(in.Cycles))
	for j, row := range in.Cycles {
		for k, other := range in.Cycles {
			for op := range NumOps {
				b[j] = b[j] || j != k && row[op] > 0 && other[op] > 0
			}
		}
	}
	return b
}

// steps is how many increments a full core holds at most.
func (s *scores) steps(j int) *big.Int {
	n := int64(s.in.Caps[j])
	if !s.perPacket {
		n *= int64(s.in.PktBlocks)
	}
	return big.NewInt(n)
}

// reduce divides by the increments' divisor, but not for tables that are written later: then the unit stays.
func (s *scores) reduce(keepUnit bool) *reduced {
	n := len(s.in.Cycles)
	r := &reduced{base: make([][NumOps]*big.Rat, n), inc: make([][NumOps]*big.Int, n), divisor: new(big.Int),
		most: new(big.Rat), top: new(big.Int)}
	rivals := s.in.rivals()
	s.each(func(j, op, _ int) {
		if rivals[j] {
			r.divisor.GCD(nil, nil, r.divisor, s.inc[j][op])
		}
	})
	ordered := r.divisor.Sign() == 0 // bases alone decide
	if ordered || keepUnit {
		r.divisor.SetInt64(1)
	}
	s.each(func(j, op, _ int) {
		r.inc[j][op] = new(big.Int)
		if rivals[j] {
			r.inc[j][op].Div(s.inc[j][op], r.divisor)
		}
		if top := new(big.Int).Mul(r.inc[j][op], s.steps(j)); top.Cmp(r.top) > 0 {
			r.top = top
		}
		r.base[j][op] = new(big.Rat).Quo(s.base[j][op], new(big.Rat).SetInt(r.divisor))
	})
	for op := range NumOps {
		cores := r.cores(op)
		if len(cores) == 0 {
			continue
		}
		at := func(i int) *big.Rat { return r.base[cores[i]][op] }
		sort.SliceStable(cores, func(a, b int) bool { return at(a).Cmp(at(b)) < 0 })
		var closed []*big.Rat
		if ordered {
			closed = ranks(len(cores), at)
		} else {
			closed = closeGaps(len(cores), at, r.top)
		}
		for i, j := range cores {
			r.base[j][op] = closed[i]
		}
		if last := closed[len(closed)-1]; last.Cmp(r.most) > 0 {
			r.most = last
		}
	}
	return r
}

// cores are those that do a command.
func (r *reduced) cores(op int) []int {
	var s []int
	for j := range r.base {
		if r.base[j][op] != nil {
			s = append(s, j)
		}
	}
	return s
}

// ranks numbers n sorted values, equal ones alike.
func ranks(n int, at func(int) *big.Rat) []*big.Rat {
	out := make([]*big.Rat, n)
	rank := int64(0)
	for i := range n {
		if i > 0 && at(i).Cmp(at(i-1)) != 0 {
			rank++
		}
		out[i] = big.NewRat(rank, 1)
	}
	return out
}

// closeGaps shifts n sorted values down to 0 and shortens gaps between neighbours that are wider than any difference of
// accs, by whole units, to more than top and at most top+1.
func closeGaps(n int, at func(int) *big.Rat, top *big.Int) []*big.Rat {
	limit := new(big.Rat).SetInt(new(big.Int).Add(top, big.NewInt(1)))
	cut := new(big.Rat).Set(at(0))
	out := make([]*big.Rat, n)
	for i := range n {
		if i > 0 {
			gap := new(big.Rat).Sub(at(i), at(i-1))
			if gap.Cmp(limit) > 0 {
				over := gap.Sub(gap, limit)
				up := new(big.Int).Add(over.Num(), over.Denom())
				up.Sub(up, big.NewInt(1)).Div(up, over.Denom()) // the ceiling
				cut.Add(cut, new(big.Rat).SetInt(up))
			}
		}
		out[i] = new(big.Rat).Sub(at(i), cut)
	}
	return out
}

// fixed are tables of any width.
type fixed struct {
	base, inc [][NumOps]*big.Int // nil where the core does not do the command
	frac      int
	most, top *big.Int // room for the largest base, and the most that an acc can be
}

// need is the bits of a score.
func (f *fixed) need() int {
	all := new(big.Int).Add(f.most, f.top)
	return all.Add(all, big.NewInt(1)).BitLen() // all ones is no score
}

// exact stores each base as its integer part and the rank of its fraction.
func (s *scores) exact(r *reduced, roomy bool) *fixed {
	n := len(s.in.Cycles)
	f := &fixed{base: make([][NumOps]*big.Int, n), inc: make([][NumOps]*big.Int, n)}
	if roomy && s.spare {
		f.frac = spareFrac
	}
	rank := make([][NumOps]int64, n)
	for op := range NumOps {
		cores := r.cores(op)
		fraction := map[int]*big.Rat{}
		for _, j := range cores {
			b := r.base[j][op]
			f.base[j][op] = new(big.Int).Div(b.Num(), b.Denom())
			fraction[j] = new(big.Rat).Sub(b, new(big.Rat).SetInt(f.base[j][op]))
		}
		at := func(i int) *big.Rat { return fraction[cores[i]] }
		sort.SliceStable(cores, func(a, b int) bool { return at(a).Cmp(at(b)) < 0 })
		for i, q := range ranks(len(cores), at) {
			rank[cores[i]][op] = q.Num().Int64()
			f.frac = max(f.frac, bits.Len64(q.Num().Uint64()))
		}
	}
	f.most, f.top = new(big.Int), new(big.Int).Lsh(r.top, uint(f.frac))
	s.each(func(j, op, _ int) {
		b := f.base[j][op]
		b.Add(b.Lsh(b, uint(f.frac)), big.NewInt(rank[j][op]))
		if b.Cmp(f.most) > 0 {
			f.most.Set(b)
		}
		f.inc[j][op] = new(big.Int).Lsh(r.inc[j][op], uint(f.frac))
	})
	if roomy && f.most.Cmp(f.top) < 0 {
		f.most.Set(f.top)
	}
	return f
}

// tables are exact ones if they fit, with room for others if they are programmable and that fits too.
func (s *scores) tables() (*Tables, error) {
	limit := s.in.Bits
	if limit == 0 {
		limit = MaxWidth
	}
	r := s.reduce(false)
	plain := s.exact(r, false)
	var t *Tables
	if s.in.Programmable {
		w := s.reduce(true)
		if f := s.exact(w, true); f.need() <= limit {
			t = s.pack(f, w, s.in.Bits, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(f.frac))))
		}
	}
	if t == nil && plain.need() <= limit {
		t = s.pack(plain, r, s.in.Bits, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(plain.frac))))
	}
	if t != nil {
		t.Exact, t.Need = true, max(plain.need(), 1)
		return t, nil
	}
	least := s.leastBits(r)
	if s.in.Bits < least {
		return nil, &WidthError{Need: plain.need(), Least: least, Bits: s.in.Bits}
	}
	f, scale := s.round(r, s.in.Bits)
	t = s.pack(f, r, s.in.Bits, scale)
	t.Need = plain.need()
	var all bool
	t.Counter, all = s.counter(plain, f)
	t.Exact = all && t.Counter == nil
	return t, nil
}

// leastBits is the width in which a step of every core still counts: a block (a packet) in flight, or if bases alone
// decide, one of them against another.
func (s *scores) leastBits(r *reduced) int {
	top := int64(0)
	if r.top.Sign() > 0 {
		s.each(func(j, op, _ int) {
			if r.inc[j][op].Sign() > 0 {
				top = max(top, s.steps(j).Int64())
			}
		})
	} else if r.most.Sign() > 0 {
		top = 1
	}
	return max(bits.Len64(uint64(top)+1), 1)
}

// round scales scores to what just fits, and gives the scale: steps a unit of r.
func (s *scores) round(r *reduced, width int) (*fixed, *big.Rat) {
	limit := new(big.Int).Lsh(big.NewInt(1), uint(width))
	limit.Sub(limit, big.NewInt(2))
	whole := new(big.Int).Div(r.most.Num(), r.most.Denom())
	shift := uint(whole.Add(whole, r.top).BitLen() + MaxWidth) // steps of the scale are too fine to matter
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), shift+uint(width)+1)
	for one := big.NewInt(1); new(big.Int).Sub(hi, lo).Cmp(one) > 0; {
		mid := new(big.Int).Add(lo, hi)
		mid.Rsh(mid, 1)
		if f := s.scaled(r, mid, shift); new(big.Int).Add(f.most, f.top).Cmp(limit) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	f := s.scaled(r, lo, shift)
	scale := new(big.Rat).SetFrac(lo, new(big.Int).Lsh(big.NewInt(1), shift))
	f.frac = max(new(big.Int).Div(scale.Num(), scale.Denom()).BitLen()-1, 0)
	return f, scale
}

// scaled multiplies by a/2^shift and rounds to the nearest; an increment stays one.
func (s *scores) scaled(r *reduced, a *big.Int, shift uint) *fixed {
	n := len(s.in.Cycles)
	f := &fixed{base: make([][NumOps]*big.Int, n), inc: make([][NumOps]*big.Int, n), most: new(big.Int), top: new(big.Int)}
	half := new(big.Int).Lsh(big.NewInt(1), shift-1)
	s.each(func(j, op, _ int) {
		b := r.base[j][op]
		num := new(big.Int).Mul(b.Num(), a)
		den := new(big.Int).Lsh(b.Denom(), shift)
		num.Add(num.Lsh(num, 1), den)
		f.base[j][op] = num.Div(num, den.Lsh(den, 1))
		if f.base[j][op].Cmp(f.most) > 0 {
			f.most.Set(f.base[j][op])
		}
		inc := new(big.Int)
		if r.inc[j][op].Sign() > 0 {
			inc.Mul(r.inc[j][op], a)
			if inc.Add(inc, half).Rsh(inc, shift); inc.Sign() == 0 {
				inc.SetInt64(1)
			}
		}
		f.inc[j][op] = inc
		if top := new(big.Int).Mul(inc, s.steps(j)); top.Cmp(f.top) > 0 {
			f.top.Set(top)
		}
	})
	return f
}

// pack puts tables that fit into words. scale is their steps a unit of r; width 0 is as many bits as they need.
func (s *scores) pack(f *fixed, r *reduced, width int, scale *big.Rat) *Tables {
	n := len(s.in.Cycles)
	t := &Tables{Base: make([][NumOps]uint64, n), Inc: make([][NumOps]uint64, n), Frac: f.frac, AccW: width,
		GiveBack: true, PerPacket: s.perPacket, Unit: s.unit}
	s.each(func(j, op, _ int) { t.Base[j][op], t.Inc[j][op] = f.base[j][op].Uint64(), f.inc[j][op].Uint64() })
	if width == 0 {
		t.AccW = max(f.need(), 1)
	}
	t.IncW = incWidth(t.Inc)
	t.BaseMax = 1<<t.AccW - 2 - f.top.Uint64()
	if s.perUnit != nil {
		per := new(big.Rat).Mul(s.perUnit, scale)
		t.PerUnit, _ = per.Quo(per, new(big.Rat).SetInt(r.divisor)).Float64()
	}
	return t
}
