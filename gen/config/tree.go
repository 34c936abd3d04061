// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"hwgen/gen/diag"
)

// node is a TOML value with its place. A table keeps its keys in the order of the file.
type node struct {
	kind  unstable.Kind // String, Bool, Float, Integer, dates, Array, Table
	pos   diag.Pos      // of the value; of the header for a table
	text  string        // of a scalar
	keys  []string
	table map[string]*node
	kpos  map[string]diag.Pos // where each key stands first
	elems []*node
}

func newTable(pos diag.Pos) *node {
	return &node{kind: unstable.Table, pos: pos, table: map[string]*node{}, kpos: map[string]diag.Pos{}}
}

func (n *node) put(key string, kpos diag.Pos, v *node) {
	if _, ok := n.table[key]; !ok {
		n.keys = append(n.keys, key)
		n.kpos[key] = kpos
	}
	n.table[key] = v
}

type parser struct {
	file  string
	data  []byte
	lines []int // offset of each line
	p     unstable.Parser
}

// parse reads a TOML document into a tree. Syntax errors, keys given twice and the like are the TOML library's to find.
func parse(file string, data []byte) (*node, *diag.Error) {
	p := &parser{file: file, data: data, lines: []int{0}}
	for i, b := range data {
		if b == '\n' {
			p.lines = append(p.lines, i+1)
		}
	}
	var perr *diag.Error
	var m map[string]any
	if err := toml.Unmarshal(data, &m); err != nil {
		e := &diag.Error{Pos: diag.Pos{File: file, Line: 1, Col: 1}, Msg: strings.TrimPrefix(err.Error(), "toml: ")}
		var de *toml.DecodeError
		if errors.As(err, &de) {
			if row, col := de.Position(); row > 0 {
				e.Pos.Line, e.Pos.Col = row, max(col, 1)
				p.character(e)
			}
		}
		if !strings.Contains(e.Msg, "number is too large") && !strings.Contains(e.Msg, "value out of range") { // the decoder says which key, and its range
			return nil, p.explain(e)
		}
		perr = e
	} else if e := p.clash(); e != nil && e.early {
		return nil, &e.Error
	}
	root := newTable(diag.Pos{File: file, Line: 1, Col: 1})
	p.p.Reset(data)
	cur := root
	for p.p.NextExpression() {
		e := p.p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			cur = p.header(root, e)
		case unstable.KeyValue:
			p.keyValue(cur, e)
		}
	}
	if err := p.p.Error(); err != nil { // Unmarshal has passed: does not happen
		if perr != nil {
			return nil, perr
		}
		return nil, &diag.Error{Pos: root.pos, Msg: err.Error()}
	}
	return root, perr
}

// explain makes the TOML library's message one that says what to do, where it can.
func (p *parser) explain(e *diag.Error) *diag.Error {
	if c := p.clash(); c != nil && (c.early || c.Pos.Line == e.Pos.Line) {
		return &c.Error
	}
	line := p.data[p.lines[min(e.Pos.Line, len(p.lines))-1]:]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	if m := unquoted.FindSubmatch(line); m == nil {
	} else if b := bytes.ToLower(m[2]); slices.Contains([]string{"true", "false"}, string(b)) {
		if !bytes.Equal(b, m[2]) {
			e.Hint = fmt.Sprintf("lower case: %s = %s", m[1], b)
		}
	} else if !slices.Contains([]string{"inf", "nan"}, string(m[2])) {
		e.Hint = fmt.Sprintf("strings need quotes: %s = %q", m[1], m[2])
	}
	return e
}

// character makes the library's message, which counts and names bytes, one about characters.
func (p *parser) character(e *diag.Error) {
	line := p.data[p.lines[min(e.Pos.Line, len(p.lines))-1]:]
	at := min(e.Pos.Col-1, len(line))
	r, n := utf8.DecodeRune(line[at:])
	if n > 1 {
		e.Msg = aByte.ReplaceAllLiteralString(e.Msg, fmt.Sprintf("%U %q", r, r))
		if strings.ContainsRune("\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u201b\u00ab\u00bb", r) {
			e.Hint = `strings need straight quotes, "`
		}
	}
	e.Pos.Col = utf8.RuneCount(line[:at]) + 1
}

var aByte = regexp.MustCompile(`U\+[0-9A-F]+ '.*?'`)

var unquoted = regexp.MustCompile(`^\s*([\w.-]+)\s*=\s*([A-Za-z_][\w ./-]*?)\s*(?:#.*)?$`)

type clashing struct {
	diag.Error
	early bool // a core before its cluster, which says more than any message that follows
}

// clash finds the first key or table that is given twice, and a core that stands before its cluster.
func (p *parser) clash() *clashing {
	var u unstable.Parser
	u.Reset(p.data)
	seen := map[string]diag.Pos{}
	scope, cluster := "", false
	for u.NextExpression() {
		e := u.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable && e.Kind != unstable.KeyValue {
			continue
		}
		var keys []string
		var pos diag.Pos
		for it := e.Key(); it.Next(); {
			if keys == nil {
				pos = p.pos(int(it.Node().Raw.Offset))
			}
			keys = append(keys, string(it.Node().Data))
		}
		name := strings.Join(keys, ".")
		at := func(was diag.Pos, what string) *clashing {
			return &clashing{Error: diag.Error{Pos: pos, Hint: fmt.Sprintf("the first is in line %d", was.Line), Msg: what + " is given twice"}}
		}
		if e.Kind == unstable.KeyValue {
			id := scope + "\x00" + strings.Join(keys, "\x00")
			if was, ok := seen[id]; ok {
				return at(was, name)
			}
			seen[id] = pos
			cluster = cluster || scope == "" && keys[0] == "cluster"
			continue
		}
		head := "[" + name + "]"
		if e.Kind == unstable.ArrayTable {
			head = "[" + head + "]"
		}
		if keys[0] == "cluster" {
			if len(keys) > 1 && !cluster {
				return &clashing{Error: diag.Error{Pos: pos, Hint: "put [[cluster]] before it", Msg: head + " is in no cluster"}, early: true}
			}
			cluster = true
		}
		// a table below a list is another one after each header of the list
		scope = head
		if len(keys) > 1 || e.Kind == unstable.ArrayTable {
			scope += fmt.Sprint(pos)
		}
		if was, ok := seen[scope]; ok {
			return at(was, head)
		}
		seen[scope] = pos
	}
	return nil
}

func (p *parser) pos(off int) diag.Pos {
	lo, hi := 0, len(p.lines)
	for hi-lo > 1 {
		if m := (lo + hi) / 2; p.lines[m] <= off {
			lo = m
		} else {
			hi = m
		}
	}
	off = min(off, len(p.data))
	return diag.Pos{File: p.file, Line: lo + 1, Col: utf8.RuneCount(p.data[p.lines[lo]:off]) + 1}
}

// descend gives the table under key, the last one of a list of tables.
func (p *parser) descend(n *node, key string, kpos diag.Pos) *node {
	v := n.table[key]
	if v == nil {
		v = newTable(kpos)
		n.put(key, kpos, v)
	}
	if v.kind == unstable.Array && len(v.elems) > 0 {
		v = v.elems[len(v.elems)-1]
	}
	if v.kind != unstable.Table { // refused by Unmarshal
		v = newTable(kpos)
	}
	return v
}

func (p *parser) header(root *node, e *unstable.Node) *node {
	n := root
	it := e.Key()
	for it.Next() {
		k := it.Node()
		key, kpos := string(k.Data), p.pos(int(k.Raw.Offset))
		if e.Kind == unstable.Table || !it.IsLast() {
			n = p.descend(n, key, kpos)
			continue
		}
		v := n.table[key]
		if v == nil || v.kind != unstable.Array {
			v = &node{kind: unstable.Array, pos: kpos}
			n.put(key, kpos, v)
		}
		t := newTable(kpos)
		v.elems = append(v.elems, t)
		n = t
	}
	return n
}

func (p *parser) keyValue(n *node, e *unstable.Node) {
	it := e.Key()
	for it.Next() {
		k := it.Node()
		key, kpos := string(k.Data), p.pos(int(k.Raw.Offset))
		if !it.IsLast() {
			n = p.descend(n, key, kpos)
			continue
		}
		n.put(key, kpos, p.value(e.Value(), p.afterKey(k)))
	}
}

// afterKey is the offset of the value that belongs to a key, for values of which the parser gives no place.
func (p *parser) afterKey(k *unstable.Node) int {
	off := int(k.Raw.Offset + k.Raw.Length)
	if i := bytes.IndexByte(p.data[min(off, len(p.data)):], '='); i >= 0 {
		off += i + 1
	}
	for off < len(p.data) && (p.data[off] == ' ' || p.data[off] == '\t') {
		off++
	}
	return off
}

func (p *parser) value(v *unstable.Node, off int) *node {
	if v.Raw.Length > 0 {
		off = int(v.Raw.Offset)
	}
	n := &node{kind: v.Kind, pos: p.pos(off), text: string(v.Data)}
	it := v.Children()
	switch v.Kind {
	case unstable.Array:
		for it.Next() {
			if it.Node().Kind != unstable.Comment {
				n.elems = append(n.elems, p.value(it.Node(), off))
			}
		}
	case unstable.InlineTable:
		n = newTable(n.pos)
		for it.Next() {
			if it.Node().Kind == unstable.KeyValue {
				p.keyValue(n, it.Node())
			}
		}
	}
	return n
}
