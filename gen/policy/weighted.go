// SPDX-License-Identifier: Apache-2.0

// Package policy turns scheduling policies into the tables of the one score datapath: score_j = acc_j + base[j][op], the
// least wins, ties to the lowest index; a dispatch of b blocks adds inc[j][op]*b to acc_j until it is credited.
//
// # Weighted, exactly
//
// The paper's weight is alpha*v_j + beta*r_j with speed v_j = (tmax-t_j)/(tmax-tmin) and remaining capacity
// r_j = (cap_j-n_j)/cap_j in packets. The largest weight is the least of beta*n_j/cap_j - alpha*v_j. With packets counted
// in blocks (a full packet is P blocks) and L the least common multiple of the caps, multiplied by P*L/beta, this is
//
//	score_j = m_j*(L/cap_j) - x_j,   x_j = (alpha/beta)*P*L*v_j,
//
// m_j the blocks in flight. The first term is an integer; only x_j is not. Of two scores with different integer parts the
// integer parts decide; with equal ones the fractions of x do. So nothing but the order of the fractions matters: x_j is
// stored as its integer part and the rank of its fraction among the cores of the cluster and command, in just as many
// bits as there are ranks. Every comparison, ties included, then comes out as in exact arithmetic. A gap between
// neighbouring x_j wider than any difference of the first terms is shortened to that, which changes no decision
// either and bounds the width whatever alpha/beta is.
//
// With beta = 0, inc is 0 and base the rank of -v_j: exact as well.
//
// Only if this takes more than MaxWidth bits (large packets with caps of a large common multiple) are scores rounded;
// Tables.Exact is false then.
package policy

import (
	"fmt"
	"math/big"
	"math/bits"
	"sort"
	"strconv"
)

// NumOps is the number of commands.
const NumOps = 4

// MaxWidth is the widest score, in bits: a table entry fits a register of the control port.
const MaxWidth = 32

// spareFrac is the least number of fraction bits of programmable tables, for weights that are written later.
const spareFrac = 2

// Input is a cluster as a policy sees it.
type Input struct {
	Cycles       [][NumOps]int // a block, [core][op]; 0: the core does not do the command
	Caps         []int         // packets
	PktBlocks    int           // blocks of a full packet
	Alpha, Beta  float64
	Programmable bool
}

// Tables are a policy's tables in fixed point.
type Tables struct {
	Base [][NumOps]uint64
	Inc  [][NumOps]uint64 // a block
	// Frac is the number of bits below one unit (a block on the core with the largest inc divisor).
	Frac  int
	AccW  int // holds every acc + base that can occur, and all ones besides, which is free to mean "does not compete"
	IncW  int
	Exact bool // no comparison differs from exact arithmetic
	// BaseMax is the largest base that a host may write without an overflow of AccW bits, given these increments.
	BaseMax uint64
}

// Speeds are v[core][op] of the cluster's cores, exactly; nil where a core does not do the command.
func Speeds(cycles [][NumOps]int) [][NumOps]*big.Rat {
	v := make([][NumOps]*big.Rat, len(cycles))
	for op := range NumOps {
		lo, hi := 0, 0
		for _, c := range cycles {
			if t := c[op]; t > 0 {
				if lo == 0 || t < lo {
					lo = t
				}
				hi = max(hi, t)
			}
		}
		for j, c := range cycles {
			switch t := c[op]; {
			case t == 0:
			case lo == hi:
				v[j][op] = big.NewRat(1, 1)
			default:
				v[j][op] = big.NewRat(int64(hi-t), int64(hi-lo))
			}
		}
	}
	return v
}

// Weighted computes the tables of the policy `weighted`.
func Weighted(in Input) (*Tables, error) {
	if len(in.Cycles) == 0 || len(in.Cycles) != len(in.Caps) || in.PktBlocks < 1 {
		return nil, fmt.Errorf("weighted: %d cores, %d caps, %d blocks a packet", len(in.Cycles), len(in.Caps), in.PktBlocks)
	}
	for j, c := range in.Caps {
		if c < 1 {
			return nil, fmt.Errorf("weighted: cap of core %d is %d", j, c)
		}
	}
	alpha, beta := rat(in.Alpha), rat(in.Beta)
	if alpha == nil || beta == nil || alpha.Sign() < 0 || beta.Sign() < 0 || alpha.Sign()+beta.Sign() == 0 {
		return nil, fmt.Errorf("weighted: alpha %v, beta %v", in.Alpha, in.Beta)
	}
	if t := exact(in, alpha, beta); t != nil {
		return t, nil
	}
	return rounded(in, alpha, beta), nil
}

// rat is the decimal that a float was written as: 0.05 is 1/20.
func rat(f float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	if !ok {
		return nil
	}
	return r
}

// reach is P*L, the most that acc can be in units: every core's when it is full.
func reach(in Input) *big.Int {
	l := big.NewInt(1)
	for _, c := range in.Caps {
		b := big.NewInt(int64(c))
		g := new(big.Int).GCD(nil, nil, l, b)
		l.Mul(l, b.Div(b, g))
	}
	return l.Mul(l, big.NewInt(int64(in.PktBlocks)))
}

// exact computes tables that keep every comparison; nil if they are too wide.
func exact(in Input, alpha, beta *big.Rat) *Tables {
	pl := reach(in)
	if pl.BitLen() > MaxWidth {
		return nil
	}
	v := Speeds(in.Cycles)
	scale := new(big.Rat)
	if beta.Sign() > 0 {
		scale.Quo(alpha, beta)
		scale.Mul(scale, new(big.Rat).SetInt(pl))
	}
	// integer part and rank of the fraction of -x, per command
	n := len(in.Cycles)
	whole, rank := make([][NumOps]*big.Int, n), make([][NumOps]int, n)
	frac := 0
	if in.Programmable {
		frac = spareFrac
	}
	for op := range NumOps {
		var cores []int
		x := map[int]*big.Rat{}
		for j := range n {
			if v[j][op] == nil {
				continue
			}
			cores = append(cores, j)
			x[j] = new(big.Rat).Neg(v[j][op])
			if beta.Sign() > 0 {
				x[j].Mul(x[j], scale)
			}
		}
		if len(cores) == 0 {
			continue
		}
		sort.SliceStable(cores, func(a, b int) bool { return x[cores[a]].Cmp(x[cores[b]]) < 0 })
		if beta.Sign() == 0 { // the order is all: ranks as integers
			r := int64(0)
			for i, j := range cores {
				if i > 0 && x[j].Cmp(x[cores[i-1]]) != 0 {
					r++
				}
				whole[j][op] = big.NewInt(r)
			}
			continue
		}
		closeGaps(cores, x, pl)
		fr := map[int]*big.Rat{}
		for _, j := range cores {
			w := new(big.Int).Div(x[j].Num(), x[j].Denom()) // Euclidean: the floor
			whole[j][op] = w
			fr[j] = new(big.Rat).Sub(x[j], new(big.Rat).SetInt(w))
		}
		byFrac := append([]int(nil), cores...)
		sort.SliceStable(byFrac, func(a, b int) bool { return fr[byFrac[a]].Cmp(fr[byFrac[b]]) < 0 })
		r := 0
		for i, j := range byFrac {
			if i > 0 && fr[j].Cmp(fr[byFrac[i-1]]) != 0 {
				r++
			}
			rank[j][op] = r
		}
		frac = max(frac, bits.Len(uint(r)))
		low := new(big.Int).Set(whole[cores[0]][op])
		for _, j := range cores {
			if whole[j][op].Cmp(low) < 0 {
				low.Set(whole[j][op])
			}
		}
		for _, j := range cores {
			whole[j][op].Sub(whole[j][op], low)
		}
	}
	t := &Tables{Base: make([][NumOps]uint64, n), Inc: make([][NumOps]uint64, n), Frac: frac, Exact: true}
	top := new(big.Int).Lsh(pl, uint(frac))
	if beta.Sign() == 0 && !in.Programmable {
		top.SetInt64(0)
	}
	most := new(big.Int)
	for j := range n {
		for op := range NumOps {
			if w := whole[j][op]; w != nil {
				b := new(big.Int).Lsh(w, uint(frac))
				b.Add(b, big.NewInt(int64(rank[j][op])))
				if b.BitLen() > MaxWidth {
					return nil
				}
				t.Base[j][op] = b.Uint64()
				if b.Cmp(most) > 0 {
					most = b
				}
			}
			if beta.Sign() > 0 {
				// pl/P is L; inc = L/cap blocks, shifted
				inc := new(big.Int).Div(pl, big.NewInt(int64(in.PktBlocks)))
				inc.Div(inc, big.NewInt(int64(in.Caps[j]))).Lsh(inc, uint(frac))
				t.Inc[j][op] = inc.Uint64()
			}
		}
	}
	if in.Programmable && most.Cmp(top) < 0 {
		most.Set(top) // room for every alpha <= beta
	}
	most.Add(most, top).Add(most, big.NewInt(1)) // all ones is no score
	if most.BitLen() > MaxWidth {
		return nil
	}
	t.widths(most.BitLen(), top.Uint64())
	return t
}

// closeGaps shortens gaps between neighbours (cores is sorted by x) that are wider than any difference of accs, by whole
// units, to more than pl and at most pl+1.
func closeGaps(cores []int, x map[int]*big.Rat, pl *big.Int) {
	limit := new(big.Rat).SetInt(new(big.Int).Add(pl, big.NewInt(1)))
	cut := new(big.Rat)
	var prev *big.Rat // as it was
	for i, j := range cores {
		old := new(big.Rat).Set(x[j])
		if i > 0 {
			gap := new(big.Rat).Sub(old, prev)
			if gap.Cmp(limit) > 0 {
				over := gap.Sub(gap, limit)
				up := new(big.Int).Add(over.Num(), over.Denom())
				up.Sub(up, big.NewInt(1)).Div(up, over.Denom()) // the ceiling
				cut.Add(cut, new(big.Rat).SetInt(up))
			}
		}
		x[j].Sub(old, cut)
		prev = old
	}
}

// rounded computes tables of MaxWidth bits by rounding to the nearest.
func rounded(in Input, alpha, beta *big.Rat) *Tables {
	n := len(in.Cycles)
	v := Speeds(in.Cycles)
	t := &Tables{Base: make([][NumOps]uint64, n), Inc: make([][NumOps]uint64, n)}
	// In packets of full weight: acc is at most 1 + rounding, base alpha/beta, capped at 2 (beyond 1 speed always decides).
	ratio := new(big.Rat).Quo(alpha, beta)
	if two := big.NewRat(2, 1); ratio.Cmp(two) > 0 {
		ratio = two
	}
	unit := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), MaxWidth-3))
	var top, most uint64
	for j := range n {
		inc := round(new(big.Rat).Quo(unit, big.NewRat(int64(in.Caps[j])*int64(in.PktBlocks), 1)))
		inc = max(inc, 1)
		top = max(top, inc*uint64(in.Caps[j])*uint64(in.PktBlocks))
		for op := range NumOps {
			t.Inc[j][op] = inc
			if v[j][op] != nil {
				b := new(big.Rat).Sub(big.NewRat(1, 1), v[j][op])
				t.Base[j][op] = round(b.Mul(b, ratio).Mul(b, unit))
				most = max(most, t.Base[j][op])
			}
		}
	}
	t.Frac = MaxWidth - 3
	t.widths(bits.Len64(top+most+1), top)
	return t
}

// round is the nearest integer of a value that is not negative.
func round(r *big.Rat) uint64 {
	r = new(big.Rat).Add(r, big.NewRat(1, 2))
	return new(big.Int).Div(r.Num(), r.Denom()).Uint64()
}

func (t *Tables) widths(accW int, top uint64) {
	t.AccW, t.IncW = max(accW, 1), 1
	for _, row := range t.Inc {
		for _, inc := range row {
			t.IncW = max(t.IncW, bits.Len64(inc))
		}
	}
	t.AccW = max(t.AccW, t.IncW)
	t.BaseMax = 1<<t.AccW - 2 - top
}
