// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/z"

	"hwgen/gen/formal"
)

// series is a netlist and the same with a mutant beside it, over time. Both get the same inputs and begin in any one state,
// with a reset. Memories and cores are outside: what they give is free, but the same for both as long as they take the
// same; that they do, and that the outputs are equal, is what is to be proved. A word that is read is the same if its
// address is. Not compared is what nobody may look at: an address, data without write, a payload without its valid.
//
// Only the registers that are apart are there twice. That all others take the same is part of what is to be proved.
type series struct {
	l        *logicOf
	base, v  *view
	bad      z.Lit           // something that counts differs
	others   map[int]z.Lit   // the part of it that is a register which is not apart
	busy     map[z.Var]z.Lit // a core has a block: the register, what it takes
	contract z.Lit           // of the cores
	rst      z.Lit
}

// spread marks a bit, and what is computed from it.
func (v *view) spread(n int) {
	if n < 0 || v.dirty[n] {
		return
	}
	v.dirty[n] = true
	work := []int{n}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, u := range v.l.users[n] {
			for p, d := range u.Directions {
				if d != "output" {
					continue
				}
				for _, b := range u.Connections[p] {
					if k := bit(b); k >= 0 && !v.dirty[k] {
						v.dirty[k] = true
						work = append(work, k)
					}
				}
			}
		}
	}
}

// own is a bit that no logic drives, of the copy with the mutant, before the mutant changes it.
func (v *view) own(n int) z.Lit {
	if m, ok := v.held[n]; ok {
		return m
	}
	g := v.l.g
	m := v.base.get(float64(n))
	switch s := v.l.source[n]; {
	case v.apart[n]:
		m = g.Lit()
		v.registers[m.Var()] = n
	case s.cell != nil && s.cell.Type == "$mem_v2" && v.readsElsewhere(s.cell):
		same := g.T
		a, b := v.base.plain(s.cell, "RD_ADDR"), v.in(s.cell, "RD_ADDR")
		for i := range a {
			same = g.And(same, g.Xor(a[i], b[i]).Not())
		}
		m = g.Choice(same, m, g.Lit())
	}
	v.held[n] = m
	return m
}

// readsElsewhere says whether a memory's read address depends on the mutant.
func (v *view) readsElsewhere(x *cell) bool {
	if x == v.target && v.m.Port == "RD_ADDR" {
		return true
	}
	for _, b := range x.Connections["RD_ADDR"] {
		if v.dirty[bit(b)] {
			return true
		}
	}
	return false
}

// series sets up both copies; nil: of a mutant that it can't show, one of a clock.
func (l *logicOf) series(m *Mutant, apart map[int]bool) (*series, error) {
	if strings.HasSuffix(m.Port, "CLK") || strings.HasSuffix(m.Port, "clk") {
		return nil, nil
	}
	v, err := l.mutated(m)
	if err != nil {
		return nil, err
	}
	v.held, v.registers, v.apart = map[int]z.Lit{}, map[z.Var]int{}, apart
	for n := range apart {
		v.spread(n)
	}
	for {
		n := len(v.dirty)
		for _, x := range l.Cells {
			if x.Type == "$mem_v2" && v.readsElsewhere(x) {
				for _, b := range x.Connections["RD_DATA"] {
					v.spread(bit(b))
				}
			}
		}
		if len(v.dirty) == n {
			break
		}
	}
	g := l.g
	s := &series{l: l, base: l.whole(), v: v, busy: map[z.Var]z.Lit{}, others: map[int]z.Lit{}, bad: g.F, contract: g.T}
	unlike := func(x *cell, port string, i int) z.Lit {
		if hit := x == v.target && port == m.Port && i == m.Bit; !hit && !v.dirty[bit(x.Connections[port][i])] {
			return g.F
		}
		return g.Xor(s.base.plain(x, port)[i], v.in(x, port)[i])
	}
	differ := func(x *cell, port string, i int, when z.Lit) {
		s.bad = g.Or(s.bad, g.And(when, unlike(x, port, i)))
	}
	for name, p := range l.Ports {
		if p.Direction == "input" {
			if name == "rst" {
				s.rst = s.base.get(p.Bits[0])
			}
			continue
		}
		when := g.T
		if h, payload := handshake(name); payload {
			when = s.base.get(l.Ports[h].Bits[0])
		}
		for _, b := range p.Bits {
			if v.dirty[bit(b)] {
				s.bad = g.Or(s.bad, g.And(when, g.Xor(s.base.get(b), v.get(b))))
			}
		}
	}
	if s.rst == z.LitNull {
		return nil, nil
	}
	for _, x := range l.Cells {
		switch {
		case !sequential(x.Type):
		case x.Type == "$dff":
			for i, b := range x.Connections["Q"] {
				if n := bit(b); l.live[n] && !apart[n] {
					if d := unlike(x, "D", i); d != g.F {
						s.others[n] = d
						s.bad = g.Or(s.bad, d)
					}
				}
			}
		case x.Type == "$mem_v2":
			we := s.base.plain(x, "WR_EN")
			for i := range x.Connections["WR_EN"] {
				differ(x, "WR_EN", i, g.T)
				differ(x, "WR_DATA", i, we[i])
			}
			for i := range x.Connections["WR_ADDR"] {
				differ(x, "WR_ADDR", i, g.Ors(we...))
			}
		default:
			s.core(x, differ)
		}
	}
	return s, nil
}

// handshake is the valid of a payload of a stream of the top.
func handshake(name string) (valid string, payload bool) {
	i := strings.LastIndex(name, "_t")
	if !strings.Contains(name, "axis_") || i < 0 || strings.HasSuffix(name, "_tvalid") || strings.HasSuffix(name, "_tready") {
		return "", false
	}
	return name[:i] + "_tvalid", true
}

// core compares what a core takes. It gives a block only if it has one: docs/interfaces.md.
func (s *series) core(x *cell, differ func(x *cell, port string, i int, when z.Lit)) {
	g := s.l.g
	one := func(p string) z.Lit { return s.base.plain(x, p)[0] }
	in, out := one("in_valid"), one("out_valid")
	for p, d := range x.Directions {
		if d != "input" {
			continue
		}
		when := g.T
		switch {
		case p == "out_ready":
			when = out
		case strings.HasPrefix(p, "in_") && p != "in_valid":
			when = in
		}
		for i := range x.Connections[p] {
			differ(x, p, i, when)
		}
	}
	busy := g.Lit()
	taken, given := g.And(in, one("in_ready")), g.And(out, one("out_ready"))
	s.busy[busy.Var()] = g.And(s.rst.Not(), g.Or(taken, g.And(busy, given.Not())))
	s.contract = g.And(s.contract, g.Or(out.Not(), busy))
	// a second block enters only as the first leaves
	s.contract = g.And(s.contract, g.Ors(one("in_ready").Not(), busy.Not(), given))
}

// aiger writes the series in AIGER's binary form: an output, 1 where the mutant shows, and a constraint, the cores' contract.
func (s *series) aiger() []byte {
	g := s.l.g
	need := map[z.Var]bool{}
	next := map[z.Var]z.Lit{}
	var inputs, gates, regs []z.Var
	var work []z.Lit
	ask := func(m z.Lit) {
		if v := m.Var(); v != g.T.Var() && !need[v] {
			need[v] = true
			work = append(work, m)
		}
	}
	ask(s.bad)
	ask(s.contract)
	ask(s.rst)
	for len(work) > 0 {
		m := work[len(work)-1]
		work = work[:len(work)-1]
		k := m.Var()
		if d, ok := s.next(k); ok {
			next[k] = d
			regs = append(regs, k)
			ask(d)
			continue
		}
		a, b := g.Ins(m)
		if a == z.LitNull {
			if k != s.rst.Var() {
				inputs = append(inputs, k)
			}
			continue
		}
		gates = append(gates, k)
		ask(a)
		ask(b)
	}
	slices.Sort(gates) // operands come first

	// numbers of AIGER: inputs, latches, gates; number 0 is false
	lits := map[z.Var]uint{g.T.Var(): 0}
	if g.T.IsPos() {
		lits[g.T.Var()] = 1
	}
	lit := func(m z.Lit) uint {
		if m.IsPos() {
			return lits[m.Var()]
		}
		return lits[m.Var()] ^ 1
	}
	n := uint(1)
	number := func() uint { n++; return 2 * (n - 1) }
	for _, k := range inputs {
		lits[k] = number()
	}
	reset := number()
	begin := map[int]uint{} // what a register of the netlist is before the reset, in both copies
	for _, k := range regs {
		if b, ok := s.bit(k); ok && begin[b] == 0 {
			begin[b] = number()
		}
	}
	ins := n - 1
	started := number()
	held := make([]uint, len(regs))
	for i := range regs {
		held[i] = number()
	}
	var ands [][2]uint
	and := func(a, b uint) uint {
		ands = append(ands, [2]uint{max(a, b), min(a, b)})
		return number()
	}
	or := func(a, b uint) uint { return and(a^1, b^1) ^ 1 }
	for i, k := range regs {
		lits[k] = held[i]
		if b, ok := s.bit(k); ok {
			lits[k] = or(and(started, held[i]), and(started^1, begin[b]))
		}
	}
	lits[s.rst.Var()] = or(reset, started^1)
	if !s.rst.IsPos() {
		lits[s.rst.Var()] ^= 1
	}
	for _, k := range gates {
		a, b := g.Ins(k.Pos())
		lits[k] = and(lit(a), lit(b))
	}
	bad := and(lit(s.bad), started)
	contract := or(lit(s.contract), started^1)

	var o bytes.Buffer
	fmt.Fprintf(&o, "aig %d %d %d 1 %d 0 1\n1\n", n-1, ins, 1+len(regs), len(ands))
	for _, k := range regs {
		fmt.Fprintf(&o, "%d\n", lit(next[k]))
	}
	fmt.Fprintf(&o, "%d\n%d\n", bad, contract)
	for i, a := range ands {
		to := 2 * (n - uint(len(ands)) + uint(i))
		for _, d := range []uint{to - a[0], a[0] - a[1]} {
			for ; d > 127; d >>= 7 {
				o.WriteByte(byte(d) | 128)
			}
			o.WriteByte(byte(d))
		}
	}
	return o.Bytes()
}

// bit is the netlist's bit of a register, of either copy.
func (s *series) bit(k z.Var) (int, bool) {
	n, ok := s.v.registers[k]
	if !ok {
		n, ok = s.l.of[k]
	}
	return n, ok && s.l.source[n].cell != nil && s.l.source[n].cell.Type == "$dff"
}

// next is what a register takes, of either copy.
func (s *series) next(k z.Var) (z.Lit, bool) {
	if d, ok := s.busy[k]; ok {
		return d, true
	}
	n, ok := s.bit(k)
	if !ok {
		return 0, false
	}
	v := s.base
	if _, own := s.v.registers[k]; own {
		v = s.v
	}
	p := s.l.source[n]
	return v.in(p.cell, "D")[p.bit], true
}

// loose are the registers that are not apart and yet may take another value, if every state were possible; some of them if
// there are many.
func (s *series) loose(ctx context.Context) []int {
	order := slices.Sorted(maps.Keys(s.others))
	all := make([]z.Lit, len(order))
	for i, n := range order {
		all[i] = s.others[n]
	}
	solver := gini.New()
	s.l.g.ToCnfFrom(solver, all...)
	var out []int
	for i, m := range all {
		if len(out) > mostApart || ctx.Err() != nil {
			break
		}
		if m != s.l.g.T {
			solver.Assume(m)
			if solver.Try(time.Second) == -1 {
				continue
			}
		}
		out = append(out, order[i])
	}
	return out
}

// How far a proof over time goes: registers that are apart, and how often there come to be more of them. What needs more
// is hardly ever proved.
const (
	mostApart = 150
	steps     = 5
)

var unreachable = regexp.MustCompile(`(?m)^Property proved`)

// same says whether a mutant is proved to change nothing in any state that can be reached, by property-directed
// reachability, some seconds a step. First only what the mutant may change at once is apart, then what that may change.
func (l *logicOf) same(ctx context.Context, m *Mutant, seconds int) (bool, error) {
	dir, err := os.MkdirTemp("", "hwgen-mutant-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	short, stop := context.WithTimeout(ctx, steps*time.Duration(seconds)*time.Second/2)
	defer stop()
	apart := map[int]bool{}
	for range steps {
		s, err := l.series(m, apart)
		if err != nil || s == nil {
			return false, err
		}
		more := s.loose(short)
		if len(apart) > 0 || len(more) == 0 {
			if err := os.WriteFile(filepath.Join(dir, "m.aig"), s.aiger(), 0o644); err != nil {
				return false, err
			}
			r, err := formal.ABC.Run(ctx, dir, "-c", fmt.Sprintf("read_aiger m.aig; fold; strash; pdr -T %d", seconds))
			if err != nil {
				return false, err
			}
			if unreachable.MatchString(r.Out) {
				return true, nil
			}
		}
		if len(more) == 0 || len(more)+len(apart) > mostApart || short.Err() != nil {
			return false, nil
		}
		for _, n := range more {
			apart[n] = true
		}
	}
	return false, nil
}
