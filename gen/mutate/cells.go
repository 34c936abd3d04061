// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"github.com/irifrance/gini/z"
)

// eval is the output Y of a cell of Yosys' word level.
func (v *view) eval(x *cell) []z.Lit {
	g := v.l.g
	a, b := v.in(x, "A"), v.in(x, "B")
	n := len(x.Connections["Y"])
	signed := x.flag("A_SIGNED") && (len(x.Connections["B"]) == 0 || x.flag("B_SIGNED"))
	wide := func(l []z.Lit, n int) []z.Lit {
		out := make([]z.Lit, n)
		for i := range out {
			switch {
			case i < len(l):
				out[i] = l[i]
			case signed && len(l) > 0:
				out[i] = l[len(l)-1]
			default:
				out[i] = g.F
			}
		}
		return out
	}
	each := func(f func(p, q z.Lit) z.Lit) []z.Lit {
		p, q := wide(a, n), wide(b, n)
		for i := range p {
			p[i] = f(p[i], q[i])
		}
		return p
	}
	one := func(m z.Lit) []z.Lit {
		out := wide(nil, n)
		out[0] = m
		return out
	}
	// p + q + c, and the carry
	sum := func(p, q []z.Lit, c z.Lit) ([]z.Lit, z.Lit) {
		out := make([]z.Lit, len(p))
		for i := range p {
			t := g.Xor(p[i], q[i])
			out[i] = g.Xor(t, c)
			c = g.Or(g.And(p[i], q[i]), g.And(t, c))
		}
		return out, c
	}
	not := func(l []z.Lit) []z.Lit {
		out := make([]z.Lit, len(l))
		for i := range l {
			out[i] = l[i].Not()
		}
		return out
	}
	or := func(l []z.Lit) z.Lit { return g.Ors(l...) }
	and := func(l []z.Lit) z.Lit { return g.Ands(l...) }
	xor := func(l []z.Lit) z.Lit {
		m := g.F
		for _, k := range l {
			m = g.Xor(m, k)
		}
		return m
	}
	// less says p < q
	less := func(p, q []z.Lit) z.Lit {
		w := max(len(p), len(q)) + 1
		_, c := sum(wide(p, w), not(wide(q, w)), g.T)
		if signed {
			d, _ := sum(wide(p, w), not(wide(q, w)), g.T)
			return d[w-1]
		}
		return c.Not()
	}
	same := func() z.Lit {
		w := max(len(a), len(b))
		p, q := wide(a, w), wide(b, w)
		for i := range p {
			p[i] = g.Xor(p[i], q[i]).Not()
		}
		return and(p)
	}
	switch x.Type {
	case "$not":
		return not(wide(a, n))
	case "$pos":
		return wide(a, n)
	case "$and":
		return each(g.And)
	case "$or":
		return each(g.Or)
	case "$xor":
		return each(g.Xor)
	case "$xnor":
		return not(each(g.Xor))
	case "$reduce_and":
		return one(and(a))
	case "$reduce_or", "$reduce_bool":
		return one(or(a))
	case "$reduce_xor":
		return one(xor(a))
	case "$reduce_xnor":
		return one(xor(a).Not())
	case "$logic_not":
		return one(or(a).Not())
	case "$logic_and":
		return one(g.And(or(a), or(b)))
	case "$logic_or":
		return one(g.Or(or(a), or(b)))
	case "$eq":
		return one(same())
	case "$ne":
		return one(same().Not())
	case "$lt":
		return one(less(a, b))
	case "$gt":
		return one(less(b, a))
	case "$ge":
		return one(less(a, b).Not())
	case "$le":
		return one(less(b, a).Not())
	case "$add":
		s, _ := sum(wide(a, n), wide(b, n), g.F)
		return s
	case "$sub":
		s, _ := sum(wide(a, n), not(wide(b, n)), g.T)
		return s
	case "$neg":
		s, _ := sum(wide(nil, n), not(wide(a, n)), g.T)
		return s
	case "$mul":
		p, q := wide(a, n), wide(b, n)
		out := wide(nil, n)
		for k := range q {
			if q[k] == g.F {
				continue
			}
			t := make([]z.Lit, n)
			for i := range t {
				t[i] = g.F
				if i >= k {
					t[i] = g.And(p[i-k], q[k])
				}
			}
			out, _ = sum(out, t, g.F)
		}
		return out
	case "$mux":
		s := v.in(x, "S")[0]
		return each(func(p, q z.Lit) z.Lit { return g.Choice(s, q, p) })
	case "$pmux":
		out := make([]z.Lit, n)
		s := v.in(x, "S")
		for i := range out {
			out[i] = a[i]
			for k := len(s) - 1; k >= 0; k-- { // the lowest of those set, as Yosys writes it
				out[i] = g.Choice(s[k], b[k*n+i], out[i])
			}
		}
		return out
	case "$shl", "$sshl":
		return v.shift(wide(a, n), b, n, true, g.F)
	case "$shr", "$shift":
		if x.Type == "$shr" {
			return v.shift(wide(a, max(n, len(a))), b, n, false, g.F)
		}
	case "$shiftx":
		if !x.flag("B_SIGNED") {
			return v.shift(a, b, n, false, v.l.any(pin{x, "Y", 0}))
		}
	}
	// not known: anything, the same only if nothing at all is changed
	out := make([]z.Lit, n)
	for i := range out {
		out[i] = v.unknown(x, i)
	}
	return out
}

// unknown is an output bit of a cell that is not modelled: anything, and something else with a mutant before it.
func (v *view) unknown(x *cell, i int) z.Lit {
	if v.base == nil {
		return v.l.any(pin{x, "Y", i})
	}
	return v.l.g.Lit()
}

// shift moves a by b bits, up or down, and gives n of them.
func (v *view) shift(a, b []z.Lit, n int, up bool, fill z.Lit) []z.Lit {
	g := v.l.g
	w := max(len(a), n)
	cur := make([]z.Lit, w)
	for i := range cur {
		cur[i] = fill
		if i < len(a) {
			cur[i] = a[i]
		}
	}
	for k, s := range b {
		next := make([]z.Lit, w)
		for i := range next {
			from := -1
			if k < 20 {
				from = i + 1<<k
				if up {
					from = i - 1<<k
				}
			}
			m := fill
			if from >= 0 && from < w {
				m = cur[from]
			}
			next[i] = g.Choice(s, m, cur[i])
		}
		cur = next
	}
	return cur[:n]
}
