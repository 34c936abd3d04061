// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/logic"
	"github.com/irifrance/gini/z"
)

// logicOf is a netlist between its registers as an and-inverter graph. Outputs of registers, memories and cores, inputs,
// and each x are free: what is equal here is equal in every state, also in those that are never reached.
type logicOf struct {
	*circuit
	g      *logic.C
	bits   map[int]z.Lit   // of the netlist without a mutant
	drives map[int]*cell   // a bit's cell, of those that compute
	users  map[int][]*cell // cells that read a bit, likewise
	seen   []int           // bits that are compared: live ones that registers, memories, cores, outputs take
	source map[int]pin     // what gives a bit that is free
	of     map[z.Var]int   // a free bit by its literal
	free   map[pin]z.Lit   // an x, and what a cell makes of an index out of range: anything, but always the same
}

// pin is a bit of a port of a cell.
type pin struct {
	cell *cell
	port string
	bit  int
}

// any is what stands for an x.
func (l *logicOf) any(p pin) z.Lit {
	m, ok := l.free[p]
	if !ok {
		m = l.g.Lit()
		l.free[p] = m
	}
	return m
}

// sequential says whether a cell is left out: its outputs are free, its inputs compared.
func sequential(t string) bool {
	return !strings.HasPrefix(t, "$") || strings.HasPrefix(t, "$paramod") || t == "$dff" || t == "$mem_v2"
}

func newLogic(c *circuit) *logicOf {
	l := &logicOf{
		circuit: c, g: logic.NewC(), bits: map[int]z.Lit{}, drives: map[int]*cell{}, users: map[int][]*cell{},
		source: map[int]pin{}, of: map[z.Var]int{}, free: map[pin]z.Lit{},
	}
	watched := map[int]bool{}
	watch := func(v any) {
		if n := bit(v); n >= 0 && c.live[n] && !watched[n] {
			watched[n] = true
			l.seen = append(l.seen, n)
		}
	}
	for _, p := range c.Ports {
		if p.Direction == "output" {
			for _, v := range p.Bits {
				watch(v)
			}
		}
	}
	for _, n := range c.Netnames {
		if n.Attributes["keep"] != nil {
			for _, v := range n.Bits {
				watch(v)
			}
		}
	}
	for _, x := range c.Cells {
		for p, d := range x.Directions {
			for i, v := range x.Connections[p] {
				n := bit(v)
				switch {
				case n < 0:
				case sequential(x.Type) && d == "input":
					// D of a register that nothing depends on is not looked at
					if x.Type != "$dff" || p != "D" || c.isLive(x.Connections["Q"][i]) {
						watched[n] = watched[n] || l.add(n)
					}
				case sequential(x.Type):
					l.source[n] = pin{x, p, i}
				case d == "output":
					l.drives[n] = x
				default:
					l.users[n] = append(l.users[n], x)
				}
			}
		}
	}
	return l
}

func (l *logicOf) add(n int) bool {
	l.seen = append(l.seen, n)
	return true
}

func (c *circuit) isLive(v any) bool {
	n := bit(v)
	return n >= 0 && c.live[n]
}

// view is the netlist with some bits of cells changed.
type view struct {
	l      *logicOf
	base   *view         // the values of bits that do not depend on the change; nil: this is it
	bits   map[int]z.Lit // known
	dirty  map[int]bool  // what depends on the change
	target *cell         // whose port is changed
	m      *Mutant

	// over time (series): bits that no logic drives, of this copy, and by the literal the registers that are its own
	held      map[int]z.Lit
	registers map[z.Var]int
	apart     map[int]bool
}

func (l *logicOf) whole() *view { return &view{l: l, bits: l.bits} }

// mutated is the netlist with a mutant.
func (l *logicOf) mutated(m *Mutant) (*view, error) {
	x := l.Cells[m.Cell]
	if x == nil {
		return nil, fmt.Errorf("%s: no such cell", m)
	}
	v := &view{l: l, base: l.whole(), bits: map[int]z.Lit{}, dirty: map[int]bool{}, target: x, m: m}
	if x.Directions[m.Port] == "output" {
		v.spread(bit(x.Connections[m.Port][m.Bit]))
	} else {
		for p, d := range x.Directions {
			for _, b := range x.Connections[p] {
				if d == "output" && !sequential(x.Type) {
					v.spread(bit(b))
				}
			}
		}
	}
	return v, nil
}

// change is what the mutant makes of a bit of its port.
func (v *view) change(a z.Lit, ctrl func(i int) z.Lit) z.Lit {
	g := v.l.g
	switch v.m.Mode {
	case "inv":
		return a.Not()
	case "const0":
		return g.F
	case "const1":
		return g.T
	case "cnot0":
		return g.Xor(a, ctrl(v.m.Ctrl)).Not()
	case "cnot1":
		return g.Xor(a, ctrl(v.m.Ctrl))
	}
	return a
}

// get is the value of a bit that is no constant.
func (v *view) get(b any) z.Lit {
	g := v.l.g
	n := bit(b)
	if v.base != nil && !v.dirty[n] {
		return v.base.get(b)
	}
	if m, ok := v.bits[n]; ok {
		return m
	}
	x := v.l.drives[n]
	if x == nil { // a register's output, an input
		var m z.Lit
		switch {
		case v.held != nil:
			m = v.own(n)
			if o := v.l.source[n]; o.cell == v.target && o.port == v.m.Port && o.bit == v.m.Bit {
				m = v.change(m, func(i int) z.Lit { return v.own(bit(o.cell.Connections[o.port][i])) })
			}
		case v.base != nil:
			m = v.change(v.base.get(b), func(i int) z.Lit { return v.base.get(v.target.Connections[v.m.Port][i]) })
		default:
			m = g.Lit()
			v.l.of[m.Var()] = n
		}
		v.bits[n] = m
		return m
	}
	y := v.eval(x)
	for i, b := range x.Connections["Y"] {
		k := bit(b)
		if k < 0 || v.base != nil && !v.dirty[k] {
			continue
		}
		m := y[i]
		if x == v.target && v.m.Port == "Y" && v.m.Bit == i {
			m = v.change(m, func(c int) z.Lit { return y[c] })
		}
		v.bits[k] = m
	}
	return v.bits[n]
}

// in is an input of a cell.
func (v *view) in(x *cell, port string) []z.Lit {
	l := v.plain(x, port)
	if x == v.target && v.m.Port == port {
		l[v.m.Bit] = v.change(l[v.m.Bit], func(i int) z.Lit { return l[i] })
	}
	return l
}

// plain is an input of a cell that is not itself changed.
func (v *view) plain(x *cell, port string) []z.Lit {
	l := make([]z.Lit, len(x.Connections[port]))
	for i, b := range x.Connections[port] {
		switch b {
		case "0":
			l[i] = v.l.g.F
		case "1":
			l[i] = v.l.g.T
		case "x", "z":
			l[i] = v.l.any(pin{x, port, i})
		default:
			l[i] = v.get(b)
		}
	}
	return l
}

func (x *cell) flag(name string) bool {
	s, _ := x.Parameters[name].(string)
	n, err := strconv.ParseUint(s, 2, 64)
	return err == nil && n != 0
}

// equal says whether a mutant does the same as the netlist in every state, known or not.
func (l *logicOf) equal(m *Mutant) (bool, error) {
	v, err := l.mutated(m)
	if err != nil {
		return false, err
	}
	w := l.whole()
	// an input of a register, a memory or a core that is itself changed
	differ := l.g.F
	if sequential(v.target.Type) && v.target.Directions[m.Port] == "input" {
		a := w.plain(v.target, m.Port)
		differ = l.g.Xor(a[m.Bit], v.change(a[m.Bit], func(i int) z.Lit { return a[i] }))
	}
	for _, n := range l.seen {
		if v.dirty[n] {
			b := any(float64(n))
			differ = l.g.Or(differ, l.g.Xor(w.get(b), v.get(b)))
		}
	}
	switch differ {
	case l.g.F:
		return true, nil
	case l.g.T:
		return false, nil
	}
	s := gini.New()
	l.g.ToCnfFrom(s, differ)
	s.Assume(differ)
	return s.Solve() == -1, nil
}
