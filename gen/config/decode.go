// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"hwgen/gen/diag"
)

// keysOf are the keys of each table, for the hint at a key that stands in the wrong one.
var keysOf = map[string][]string{
	"":         {"design", "scheduler", "control", "cluster", "board", "host", "clocks", "synth"},
	"[design]": {"name", "library", "data_width", "packet_bytes", "slots", "requesters", "sbox"},
	"[scheduler]": {"policy", "bind", "programmable", "alpha", "beta", "lambda", "score_bits", "wait_queue", "balancer",
		"lane", "report_core"},
	boardTable:         {"name", "clock_mhz", "uart_rx", "uart_tx"},
	"[synth]":          {"target", "clock_mhz"},
	"[control]":        {"axil", "counters"},
	"[[cluster]]":      {"name", "algorithm", "queue", "choose_list", "key_slots", "slot_quota", "core"},
	hostTable:          {"baud", "clock_hz", "window"},
	clocksTable:        {"jobs", "results", "registers", "depth", "stages"},
	coreTable:          {"kind", "count", "queue", "decrypt", "module", "sources", "cycles", "decrypt_key"},
	"cycles of a core": {"encrypt", "decrypt", "sign", "verify"},
}

const coreTable = "[[cluster.core]]"

// tables in the order in which they are searched.
var tables = []string{"[design]", "[scheduler]", "[control]", "[[cluster]]", coreTable, hostTable, clocksTable, boardTable, "[synth]", ""}

// hints that several messages give.
var (
	widthHint  = "allowed: 32, 64, 128"
	packetHint = fmt.Sprintf("allowed: 16 to %d, in steps of 16", MaxPacketBytes)
)

var clockHint = fmt.Sprintf("allowed: 1 to %d, in MHz", MaxClockMHz)

const sourcesHint = `sources = ["cores/my_core.v"], relative to the config file`

type decoder struct {
	errs  diag.List
	bases map[string]string // file names of external sources, in lower case, and their paths
	holds map[string]string // modules of external sources, and their source
	// seen, if set, is told of every key that is read, and what it takes
	seen func(where, key string, takes Property)
}

// table reads the keys of one TOML table; n may be nil: every key has its default.
type table struct {
	d     *decoder
	n     *node
	pos   diag.Pos
	where string // for messages: "[design]"
}

func (d *decoder) table(n *node, pos diag.Pos, where string) *table {
	t := &table{d: d, n: n, pos: pos, where: where}
	if n == nil {
		return t
	}
	t.pos = n.pos
	known := keysOf[where]
	for _, k := range n.keys {
		if slices.Contains(known, k) {
			continue
		}
		in := where
		if in == "" {
			in = "the file"
		}
		d.errs.Add(n.kpos[k], hintKey(k, where), "unknown key %q in %s", k, in)
	}
	return t
}

func hintKey(key, where string) string {
	known := keysOf[where]
	if n := diag.Nearest(key, known); n != "" {
		return diag.Allowed(key, known)
	}
	for _, t := range tables {
		if t != where && slices.Contains(keysOf[t], key) {
			if t == "" {
				t = "the top of the file"
			}
			return fmt.Sprintf("it belongs in %s (allowed here: %s)", t, strings.Join(known, ", "))
		}
	}
	return diag.Allowed(key, known)
}

func (t *table) get(key string) *node {
	if t.n == nil {
		return nil
	}
	return t.n.table[key]
}

// takes tells of a key.
func (t *table) takes(key string, p Property) {
	if t.d.seen != nil {
		t.d.seen(t.where, key, p)
	}
}

func kindName(k unstable.Kind) string {
	switch k {
	case unstable.String:
		return "a string"
	case unstable.Bool:
		return "a boolean"
	case unstable.Float:
		return "a float"
	case unstable.Integer:
		return "an integer"
	case unstable.Array:
		return "a list"
	case unstable.Table, unstable.InlineTable:
		return "a table"
	default:
		return "a date or time"
	}
}

func (t *table) wrongType(n *node, key, want, hint string) {
	t.d.errs.Add(n.pos, hint, "%s in %s must be %s, not %s", key, t.where, want, kindName(n.kind))
}

// str reads a string; with allowed names it must be one of them.
func (t *table) str(key, def string, allowed ...string) Value[string] {
	v := Value[string]{V: def, Pos: t.pos}
	t.takes(key, Property{Type: "string", Enum: anys(allowed), Default: orNil(def, "")})
	n := t.get(key)
	if n == nil {
		return v
	}
	v.Pos, v.Set = n.pos, true
	if n.kind != unstable.String {
		hint := ""
		if len(allowed) > 0 {
			hint = "allowed: " + strings.Join(allowed, ", ")
		}
		t.wrongType(n, key, "a string", hint)
		v.Bad = true
		return v
	}
	if len(allowed) > 0 && !slices.Contains(allowed, n.text) {
		t.d.errs.Add(n.pos, diag.Allowed(n.text, allowed), "unknown %s %q", key, n.text)
		v.Bad = true
		return v
	}
	v.V = n.text
	return v
}

func (t *table) boolean(key string, def bool) Value[bool] {
	v := Value[bool]{V: def, Pos: t.pos}
	t.takes(key, Property{Type: "boolean", Default: def})
	n := t.get(key)
	if n == nil {
		return v
	}
	v.Pos, v.Set = n.pos, true
	if n.kind != unstable.Bool {
		hint := ""
		if b := strings.ToLower(n.text); n.kind == unstable.String && (b == "true" || b == "false") {
			hint = fmt.Sprintf("write %s = %s, without quotes", key, b)
		}
		t.wrongType(n, key, "true or false", hint)
		v.Bad = true
		return v
	}
	v.V = n.text == "true"
	return v
}

// integer reads an integer of lo..hi.
func (t *table) integer(key string, def, lo, hi int) Value[int] {
	return t.integerOf(key, def, lo, hi, fmt.Sprintf("allowed: %d to %d", lo, hi))
}

// integerOf is integer with another hint.
func (t *table) integerOf(key string, def, lo, hi int, hint string) Value[int] {
	v := Value[int]{V: def, Pos: t.pos}
	t.takes(key, Property{Type: "integer", Minimum: float(lo), Maximum: float(hi), Default: orNil(def, 0)})
	n := t.get(key)
	if n == nil {
		return v
	}
	v.Pos, v.Set = n.pos, true
	if n.kind != unstable.Integer {
		t.wrongType(n, key, "an integer", hint)
		v.Bad = true
		return v
	}
	i, err := strconv.ParseInt(strings.TrimPrefix(strings.ReplaceAll(n.text, "_", ""), "+"), 0, 64)
	if err != nil || i < int64(lo) || i > int64(hi) {
		t.d.errs.Add(n.pos, hint, "%s is %s", key, n.text)
		v.Bad = true
		return v
	}
	v.V = int(i)
	return v
}

// weight reads a number that is 0 or in MinWeight..most.
func (t *table) weight(key string, def, most float64) Value[float64] {
	v := Value[float64]{V: def, Pos: t.pos}
	weightHint := "allowed: 0, or 1e-6 to " + strings.Replace(strconv.FormatFloat(most, 'g', 4, 64), "e+0", "e", 1)
	t.takes(key, Property{Type: "number", Default: orNil(def, 0), AnyOf: []Property{
		{Enum: []any{0}}, {Minimum: ptr(MinWeight), Maximum: ptr(most)},
	}})
	n := t.get(key)
	if n == nil {
		return v
	}
	v.Pos, v.Set = n.pos, true
	if n.kind != unstable.Float && n.kind != unstable.Integer {
		t.wrongType(n, key, "a number", weightHint)
		v.Bad = true
		return v
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(n.text, "_", ""), 64)
	if err != nil && n.kind == unstable.Integer { // 0x and the like
		var i int64
		i, err = strconv.ParseInt(strings.ReplaceAll(n.text, "_", ""), 0, 64)
		f = float64(i)
	}
	v.Bad = true
	switch {
	case err != nil || math.IsNaN(f) || math.IsInf(f, 0):
		t.d.errs.Add(n.pos, weightHint, "%s is not finite", key)
	case f < 0:
		t.d.errs.Add(n.pos, weightHint, "%s is negative", key)
	case f > most || f != 0 && f < MinWeight || f == 0 && n.kind == unstable.Float && underflows(n.text):
		t.d.errs.Add(n.pos, weightHint, "%s is %s", key, n.text)
	default:
		v.V, v.Bad = f+0, false // -0.0 is 0
	}
	return v
}

// underflows says whether a number that is read as 0 is none.
func underflows(text string) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	return strings.ContainsAny(mantissa, "123456789")
}

// megahertz reads a clock's frequency, 1 to MaxClockMHz.
func (t *table) megahertz(key string, def float64) Value[float64] {
	before := len(t.d.errs)
	v := t.weight(key, def, MaxClockMHz)
	t.takes(key, Property{Type: "number", Default: orNil(def, 0), Minimum: ptr(1.0), Maximum: ptr(float64(MaxClockMHz))})
	if len(t.d.errs) > before {
		t.d.errs[len(t.d.errs)-1].Hint = clockHint
	} else if v.Set && v.V < 1 {
		t.d.errs.Add(v.Pos, clockHint, "%s is %g", key, v.V)
		v.V, v.Bad = def, true
	}
	return v
}

// sub gives the table under key.
func (t *table) sub(key, where string) *table {
	n := t.get(key)
	if n != nil && n.kind != unstable.Table {
		if n.kind == unstable.Array && strings.HasPrefix(where, "[") {
			t.d.errs.Add(n.pos, "write "+where, "%s stands once, not in a list", key)
		} else {
			t.wrongType(n, key, "a table", "keys of it: "+strings.Join(keysOf[where], ", "))
		}
		n = nil
	}
	return t.d.table(n, t.pos, where)
}

// list gives the tables of a list under key.
func (t *table) list(key, where string) []*table {
	n := t.get(key)
	if n == nil {
		return nil
	}
	if n.kind != unstable.Array {
		t.d.errs.Add(n.pos, "write "+where, "%s is a list of tables, not %s", key, kindName(n.kind))
		if n.kind == unstable.Table {
			return []*table{t.d.table(n, n.pos, where)}
		}
		return nil
	}
	var ts []*table
	for _, e := range n.elems {
		if e.kind != unstable.Table {
			t.d.errs.Add(e.pos, "write "+where, "%s is a list of tables, not of %s", key, kindName(e.kind))
			continue
		}
		ts = append(ts, t.d.table(e, e.pos, where))
	}
	return ts
}

func (d *decoder) config(root *node) *Config {
	c := &Config{}
	top := d.table(root, root.pos, "")
	top.where = "the file"
	t := top.sub("design", "[design]")
	c.Design.Name = t.str("name", "scheduler")
	c.Design.Library = t.str("library", "")
	c.Design.DataWidth = t.integerOf("data_width", 128, math.MinInt32, math.MaxInt32, widthHint)
	c.Design.PacketBytes = t.integerOf("packet_bytes", 64, math.MinInt32, math.MaxInt32, packetHint)
	c.Design.Slots = t.integer("slots", 32, 1, MaxSlots)
	c.Design.Requesters = t.integer("requesters", 4, 1, MaxRequesters)
	c.Design.SBox = t.str("sbox", "", "field", "table")

	t = top.sub("scheduler", "[scheduler]")
	s := &c.Scheduler
	s.Policy = t.str("policy", Policies[0].Name)
	s.Bind = t.str("bind", "in_flight", "in_flight", "job")
	s.Programmable = t.boolean("programmable", true)
	s.Alpha = t.weight("alpha", 0.05, MaxWeight)
	s.Beta = t.weight("beta", 0.95, MaxWeight)
	s.Lambda = t.weight("lambda", 4, MaxLambda)
	s.ScoreBits = t.integer("score_bits", 0, 1, MaxScoreBits)
	s.WaitQueue = t.integer("wait_queue", c.Design.Slots.V, 1, MaxSlots)
	s.Balancer = t.str("balancer", "tree", "tree", "scan")
	s.Lane = t.str("lane", "wide", "wide", "serial")
	s.ReportCore = t.boolean("report_core", true)

	c.Host = d.host(top)
	c.Board = d.board(top)

	t = top.sub("synth", "[synth]")
	c.Synth.Target = t.str("target", "hx8k")
	c.Synth.ClockMHz = t.megahertz("clock_mhz", 80)

	t = top.sub("control", "[control]")
	c.Control.Axil = t.boolean("axil", false)
	c.Control.Counters = t.boolean("counters", true)
	c.Clocks = d.clocks(top, c.Control.Axil.V)

	for _, t := range top.list("cluster", "[[cluster]]") {
		c.Clusters = append(c.Clusters, d.cluster(t, c.Design.Slots.V))
	}
	return c
}

func (d *decoder) cluster(t *table, slots int) Cluster {
	c := Cluster{Pos: t.pos}
	c.Name = t.str("name", "")
	c.Algorithm = t.str("algorithm", "", AlgorithmNames()...)
	c.Queue = t.integer("queue", min(8, slots), 1, MaxSlots)
	c.ChooseList = t.integer("choose_list", 0, 1, MaxChooseList)
	c.KeySlots = t.integer("key_slots", 8, 1, MaxKeySlots)
	c.SlotQuota = t.integer("slot_quota", slots, 1, MaxSlots)
	for _, t := range t.list("core", coreTable) {
		c.Cores = append(c.Cores, d.core(t))
	}
	return c
}

func (d *decoder) core(t *table) Core {
	c := Core{Pos: t.pos}
	c.Kind = t.str("kind", "")
	c.Count = t.integer("count", 1, 1, MaxCores)
	c.Queue = t.integer("queue", 0, 1, MaxSlots)
	c.Decrypt = t.boolean("decrypt", true)
	c.Module = t.str("module", "")
	if n := t.get("sources"); n != nil {
		if n.kind != unstable.Array {
			t.wrongType(n, "sources", "a list of file names", sourcesHint)
			c.badSources = true
		}
		for _, e := range n.elems {
			if e.kind != unstable.String {
				t.wrongType(e, "sources", "a list of file names", sourcesHint)
				c.badSources = true
				continue
			}
			c.Sources = append(c.Sources, Value[string]{V: e.text, Pos: e.pos, Set: true})
		}
	}
	c.DecryptKey = t.str("decrypt_key", "original", "original")
	before := len(t.d.errs)
	cy := t.sub("cycles", "cycles of a core")
	for op, name := range keysOf[cy.where] {
		c.Cycles[op] = cy.integer(name, 0, 1, MaxCycles)
	}
	c.badCycles = len(t.d.errs) > before
	return c
}
