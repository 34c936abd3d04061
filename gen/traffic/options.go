// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/workload"
)

// options are the key=value pairs of a spec. A reader asks for the keys that it knows; finish refuses the others.
type options struct {
	spec string
	errs diag.List
	vals map[string]option
	keys []string // in the order of the spec
	used []string
}

type option struct {
	val          string
	keyAt, valAt int // offsets in spec
}

func newOptions(spec string, at int) *options {
	o := &options{spec: spec, vals: map[string]option{}}
	if at > 0 && at == len(spec) && spec[at-1] == ':' {
		o.fail(at-1, "leave the colon out, or write key=value,key=value", "no options follow")
		return o
	}
	for at < len(spec) {
		end := strings.IndexByte(spec[at:], ',')
		if end < 0 {
			end = len(spec)
		} else {
			end += at
		}
		key, val, ok := strings.Cut(spec[at:end], "=")
		switch _, dup := o.vals[key]; {
		case !ok || key == "":
			o.fail(at, "options are key=value,key=value", "%q is no option", spec[at:end])
		case dup:
			o.fail(at, "", "%s is given twice", key)
		default:
			o.keys = append(o.keys, key)
			o.vals[key] = option{val, at, at + len(key) + 1}
		}
		if end == len(spec)-1 {
			o.fail(end, "leave it out", "a comma without an option behind it")
		}
		at = end + 1
	}
	return o
}

func (o *options) fail(at int, hint, format string, args ...any) {
	o.errs.Add(diag.Pos{File: "workload", Line: 1, Col: utf8.RuneCountInString(o.spec[:at]) + 1}, hint, format, args...)
}

func (o *options) get(key string) (option, bool) {
	if !slices.Contains(o.used, key) {
		o.used = append(o.used, key)
	}
	v, ok := o.vals[key]
	return v, ok
}

// finish refuses keys that nobody asked for.
func (o *options) finish(of string) error {
	slices.Sort(o.used)
	for _, k := range o.keys {
		if slices.Contains(o.used, k) {
			continue
		}
		hint := of + " takes no options"
		if len(o.used) > 0 {
			hint = diag.Allowed(k, o.used)
		}
		o.fail(o.vals[k].keyAt, hint, "unknown option %q of %s", k, of)
	}
	return o.errs.Err()
}

func (o *options) integer(key string, def, lo, hi int64) int64 {
	v, ok := o.get(key)
	if !ok {
		return def
	}
	n, err := strconv.ParseInt(v.val, 10, 64)
	if f, ferr := strconv.ParseFloat(v.val, 64); err != nil && ferr == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		n, err = int64(f), nil // 1e6
	}
	if err != nil || n < lo || n > hi {
		o.fail(v.valAt, fmt.Sprintf("an integer from %d to %d", lo, hi), "%s is %q", key, v.val)
		return def
	}
	return n
}

// number reads a number of lo..hi; above says that lo itself is not allowed.
func (o *options) number(key string, def, lo, hi float64, above bool) float64 {
	v, ok := o.get(key)
	if !ok {
		return def
	}
	f, err := strconv.ParseFloat(v.val, 64)
	if err != nil || !(f >= lo && f <= hi) || above && f == lo {
		rule := fmt.Sprintf("a number from %g to %g", lo, hi)
		if above {
			rule = fmt.Sprintf("a number above %g, at most %g", lo, hi)
		}
		o.fail(v.valAt, rule, "%s is %q", key, v.val)
		return def
	}
	return f
}

// part is an entry of a list a:weight/b:weight.
type part struct {
	text   string
	weight float64
	at     int
}

func (o *options) parts(key string) ([]part, bool) {
	v, ok := o.get(key)
	if !ok {
		return nil, false
	}
	var ps []part
	at := v.valAt
	for s := range strings.SplitSeq(v.val, "/") {
		name, weight, weighted := strings.Cut(s, ":")
		p := part{text: name, weight: 1, at: at}
		if weighted {
			w, err := strconv.ParseFloat(weight, 64)
			if err != nil || !(w > 0) || w > 1e9 {
				o.fail(at+len(name)+1, "a number above 0, at most 1e9", "the weight of %s in %s is %q", name, key, weight)
				w = 1
			}
			p.weight = w
		}
		ps = append(ps, p)
		at += len(s) + 1
	}
	return ps, true
}

// names reads a list of names with weights: their indices in allowed.
func (o *options) names(key string, allowed []string) (mix[int], bool) {
	ps, ok := o.parts(key)
	var m mix[int]
	for _, p := range ps {
		i := slices.Index(allowed, p.text)
		if a, ok := modeAliases[p.text]; ok && key == "modes" {
			i = slices.Index(allowed, a)
		}
		if i < 0 {
			o.fail(p.at, diag.Allowed(p.text, allowed), "unknown name %q in %s", p.text, key)
			continue
		}
		if slices.Contains(m.items, i) {
			o.fail(p.at, "", "%s is in %s twice", p.text, key)
			continue
		}
		m.add(i, p.weight)
	}
	return m, ok
}

// span is a range of integers, a number of steps from lo.
type span struct{ lo, hi, step int }

func (s span) draw(r *rand.Rand) int { return s.lo + s.step*r.IntN((s.hi-s.lo)/s.step+1) }

func (s span) mean() float64 { return float64(s.lo+s.hi) / 2 }

// spans reads a list of numbers or ranges with weights: 64:3/128-256.
func (o *options) spans(key string, def span, lo, hi, step int, unit string) mix[span] {
	ps, ok := o.parts(key)
	var m mix[span]
	if !ok {
		m.add(def, 1)
		return m
	}
	rule := fmt.Sprintf("%s: numbers from %d to %d or ranges of them, with weights: %d:3/%d-%d", unit, lo, hi, lo, lo, hi)
	if step > 1 {
		rule = fmt.Sprintf("%s: multiples of %d from %d to %d or ranges of them, with weights: %d:3/%d-%d", unit, step, lo,
			hi, lo, lo, hi)
	}
	for _, p := range ps {
		a, b, ranged := strings.Cut(p.text, "-")
		if !ranged {
			b = a
		}
		x, err := strconv.Atoi(a)
		y, err2 := strconv.Atoi(b)
		switch {
		case err != nil || err2 != nil:
			o.fail(p.at, rule, "%q in %s is no number or range", p.text, key)
		case x < lo || y > hi || x%step != 0 || y%step != 0:
			o.fail(p.at, rule, "%q in %s is not allowed", p.text, key)
		case x > y:
			o.fail(p.at, rule, "%q in %s runs downwards", p.text, key)
		default:
			m.add(span{x, y, step}, p.weight)
		}
	}
	if len(m.items) == 0 {
		m.add(def, 1)
	}
	return m
}

// mix draws among items by weight.
type mix[T any] struct {
	items []T
	sums  []float64 // of weights, up to and with each item
}

func (m *mix[T]) add(item T, weight float64) {
	if n := len(m.sums); n > 0 {
		weight += m.sums[n-1]
	}
	m.items, m.sums = append(m.items, item), append(m.sums, weight)
}

func (m *mix[T]) draw(r *rand.Rand) T {
	if len(m.items) == 1 {
		return m.items[0]
	}
	x := r.Float64() * m.sums[len(m.sums)-1]
	for i, s := range m.sums {
		if x < s {
			return m.items[i]
		}
	}
	return m.items[len(m.items)-1]
}

// share of item i.
func (m *mix[T]) share(i int) float64 {
	w := m.sums[i]
	if i > 0 {
		w -= m.sums[i-1]
	}
	return w / m.sums[len(m.sums)-1]
}

// classes draws clusters, commands and modes of jobs: first the cluster, then either a command and whether the job is
// chained, or a mode of those that the options name.
type classes struct {
	clusters mix[int]
	chained  float64
	byMode   bool
	of       []clusterClasses // by cluster
}

type clusterClasses struct {
	ops   mix[cipher.Cmd]
	modes [design.NumOps][2]cipher.Mode // by command, not chained and chained

	named mix[cipher.Mode]
	does  [cipher.MAC + 1]mix[cipher.Cmd] // by mode
}

const defaultChained = 0.3

func parseClasses(o *options, d *design.Design) classes {
	c := classes{of: make([]clusterClasses, len(d.Clusters))}
	var given bool
	if c.clusters, given = o.names("clusters", clusterNames(d)); !given || len(c.clusters.items) == 0 {
		c.clusters = mix[int]{}
		for i, cl := range d.Clusters {
			c.clusters.add(i, d.ClusterRate(cl))
		}
	}
	ops, opsGiven := o.names("ops", cipher.CmdNames)
	var modes mix[int]
	modes, c.byMode = o.names("modes", cipher.ModeNames)
	c.chained = o.number("chained", defaultChained, 0, 1, false)
	if v, ok := o.vals["chained"]; ok && c.byMode {
		o.fail(v.keyAt, "give one of them", "modes say already which jobs are chained")
	}
	if len(o.errs) > 0 {
		return c
	}
	for _, ci := range c.clusters.items {
		p := picker{o: o, cl: d.Clusters[ci], c: &c.of[ci], ops: ops, opsGiven: opsGiven}
		if c.byMode {
			p.byMode(modes)
		} else {
			p.byCommand(c.chained)
		}
	}
	return c
}

// picker finds what a cluster does of what the options ask for.
type picker struct {
	o        *options
	cl       *design.Cluster
	c        *clusterClasses
	ops      mix[int]
	opsGiven bool
}

func (p *picker) fail(key, hint, format string, args ...any) {
	for _, k := range []string{key, "modes", "ops", "chained", "clusters"} {
		if v, ok := p.o.vals[k]; ok {
			p.o.fail(v.keyAt, hint, format, args...)
			return
		}
	}
	p.o.fail(0, hint, format, args...)
}

// byCommand takes for each command the first mode that is chained and the first that is not. MAC serves as both: a job
// that is not chained is one of a single packet.
func (p *picker) byCommand(chained float64) {
	if !p.opsGiven {
		for op := range cipher.CmdNames {
			if len(workload.Supported(p.cl, cipher.Cmd(op))) > 0 {
				p.ops.add(op, 1)
			}
		}
	}
	for i, op := range p.ops.items {
		cmd := cipher.Cmd(op)
		p.c.ops.add(cmd, p.ops.share(i))
		for kind, name := range []string{"not chained", "chained"} {
			found := false
			for _, m := range workload.Supported(p.cl, cmd) {
				if found = m == cipher.MAC || m.Chained() == (kind == 1); found {
					p.c.modes[op][kind] = m
					break
				}
			}
			if asked := kind == 1 && chained > 0 || kind == 0 && chained < 1; asked && !found {
				p.fail("ops", fmt.Sprintf("%s; chained=%d makes none of them", workload.HintModes(p.cl, cmd), 1-kind),
					"cluster %q does no %s of jobs that are %s", p.cl.Name, cmd, name)
			}
		}
	}
}

// byMode takes for each mode the commands that go with it.
func (p *picker) byMode(modes mix[int]) {
	if !p.opsGiven {
		for op := range cipher.CmdNames {
			p.ops.add(op, 1)
		}
	}
	used := map[cipher.Cmd]bool{}
	for i, mi := range modes.items {
		m := cipher.Mode(mi)
		p.c.named.add(m, modes.share(i))
		for k, op := range p.ops.items {
			if cmd := cipher.Cmd(op); workload.Supports(p.cl, cmd, m) {
				p.c.does[m].add(cmd, p.ops.share(k))
				used[cmd] = true
			}
		}
		if len(p.c.does[m].items) == 0 {
			p.fail("modes", "", "cluster %q does nothing of ops in mode %s", p.cl.Name, m)
		}
	}
	for _, op := range p.ops.items {
		if cmd := cipher.Cmd(op); p.opsGiven && !used[cmd] {
			p.fail("ops", workload.HintModes(p.cl, cmd), "cluster %q does no %s in these modes", p.cl.Name, cmd)
		}
	}
}

func (c *classes) draw(r *rand.Rand) class {
	ci := c.clusters.draw(r)
	of := &c.of[ci]
	if c.byMode {
		m := of.named.draw(r)
		return class{cluster: ci, cmd: of.does[m].draw(r), mode: m}
	}
	cmd := of.ops.draw(r)
	kind := 0
	if r.Float64() < c.chained {
		kind = 1
	}
	m := of.modes[cmd][kind]
	return class{cluster: ci, cmd: cmd, mode: m, single: m == cipher.MAC && kind == 0}
}
