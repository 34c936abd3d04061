// SPDX-License-Identifier: Apache-2.0

package policy

import "math/big"

// Speeds are v[core][op] of the cluster's cores, exactly; nil where a core does not do the command:
// (tmax-t_j)/(tmax-tmin) over the cores that do it, 1 if all are alike.
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

// newScores has no base and no inc yet.
func newScores(in Input) *scores {
	n := len(in.Cycles)
	return &scores{in: in, base: make([][NumOps]*big.Rat, n), inc: make([][NumOps]*big.Int, n)}
}

// each calls f for every core and command that it does.
func (s *scores) each(f func(j, op, t int)) {
	for j, row := range s.in.Cycles {
		for op, t := range row {
			if t > 0 {
				f(j, op, t)
			}
		}
	}
}

// weighted is the paper's weight alpha*v_j + beta*r_j, r_j = (cap_j-n_j)/cap_j in packets, the largest first: the least
// of beta*n_j/cap_j - alpha*v_j. With a packet counted in blocks, multiplied by P*L/beta, L the least common multiple of
// the caps, that is m_j*(L/cap_j) - (alpha/beta)*P*L*v_j, m_j the blocks in flight.
func weighted(in Input, alpha, beta *big.Rat) *scores {
	s := newScores(in)
	v := Speeds(in.Cycles)
	if beta.Sign() == 0 {
		s.each(func(j, op, _ int) {
			s.base[j][op], s.inc[j][op] = new(big.Rat).Neg(v[j][op]), new(big.Int)
		})
		return s
	}
	l := big.NewInt(1)
	for _, c := range in.Caps {
		b := big.NewInt(int64(c))
		g := new(big.Int).GCD(nil, nil, l, b)
		l.Mul(l, b.Div(b, g))
	}
	s.unit, s.perUnit = "queue", new(big.Rat).SetInt(new(big.Int).Mul(l, big.NewInt(int64(in.PktBlocks))))
	s.spare = true
	k := new(big.Rat).Quo(alpha, beta)
	k.Mul(k, s.perUnit)
	s.each(func(j, op, _ int) {
		x := new(big.Rat).Mul(k, v[j][op])
		s.base[j][op] = x.Neg(x)
		s.inc[j][op] = new(big.Int).Div(l, big.NewInt(int64(in.Caps[j])))
	})
	return s
}

// shortestQueue counts packets.
func shortestQueue(in Input) *scores {
	s := newScores(in)
	s.perPacket, s.unit, s.perUnit = true, "packet", big.NewRat(1, 1)
	s.each(func(j, op, _ int) { s.base[j][op], s.inc[j][op] = new(big.Rat), big.NewInt(1) })
	return s
}

// completionTime counts cycles until a full packet would be done.
func completionTime(in Input) *scores {
	s := newScores(in)
	s.unit, s.perUnit = "cycle", big.NewRat(1, 1)
	s.each(func(j, op, t int) {
		s.base[j][op] = big.NewRat(int64(in.PktBlocks)*int64(t), 1)
		s.inc[j][op] = big.NewInt(int64(t))
	})
	return s
}

// affinity adds a surcharge to completionTime for what a core does badly in comparison with its own mean: lambda times
// how much longer a full packet takes than on a core as fast on average whose bent is this command.
func affinity(in Input, lambda *big.Rat) *scores {
	s := completionTime(in)
	mean := make([]*big.Rat, len(in.Cycles))
	for j, row := range in.Cycles {
		sum, n := int64(0), int64(0)
		for _, t := range row {
			if t > 0 {
				sum, n = sum+int64(t), n+1
			}
		}
		if n > 0 {
			mean[j] = big.NewRat(sum, n)
		}
	}
	var y [NumOps]*big.Rat
	s.each(func(j, op, t int) {
		r := big.NewRat(int64(t), 1)
		if r.Quo(r, mean[j]); y[op] == nil || r.Cmp(y[op]) < 0 {
			y[op] = r
		}
	})
	k := new(big.Rat).Mul(lambda, big.NewRat(int64(in.PktBlocks), 1))
	s.each(func(j, op, t int) {
		over := big.NewRat(int64(t), 1)
		over.Sub(over, new(big.Rat).Mul(y[op], mean[j]))
		s.base[j][op].Add(s.base[j][op], over.Mul(over, k))
	})
	return s
}
