// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"hwgen/gen/config"
	"hwgen/gen/diag"
)

// tree is a TOML value with its place in the text.
type tree struct {
	kind       unstable.Kind // Table (of a header or inline), Array, or a scalar's
	start, end int           // of the text of a scalar or an inline value
	inline     bool          // { .. } or [ .. ]
	empty      bool          // inline without elements

	keys  map[string]*tree
	elems []*tree

	head int // start of the header's line
	// tail is where a line may be inserted behind the keys of a table with a header: the end of the header's or the last
	// key's text. -1: the table has no header.
	tail int
	pads []pad
	// dotted is the text before a key in the last line that sets one of the table by a dotted key of the file's top;
	// last is the end of that line's text.
	dotted string
	last   int
	// lastElem is the end of the last key inside an inline table, or the last element of an inline list.
	lastElem int
}

// pad is how a key of a table is written: its line's indent, and the columns from the key to the equals sign.
type pad struct {
	indent string
	width  int
	tight  bool // one blank or none before the equals sign
}

func newTree() *tree { return &tree{kind: unstable.Table, keys: map[string]*tree{}, tail: -1} }

// document is a TOML text that has been accepted by package config.
type document struct {
	data []byte
	from int // where the text begins, behind a byte order mark
	root *tree
}

// parseDocument finds the places of tables, keys and values.
func parseDocument(data []byte) (*document, error) {
	d := &document{data: data, root: newTree()}
	var p unstable.Parser
	body := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	d.from = len(data) - len(body)
	p.Reset(body)
	r := reader{d: d, shift: d.from}
	cur, top := d.root, true
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			cur, top = r.header(e), false
		case unstable.KeyValue:
			r.keyValue(cur, e, top)
		}
	}
	if err := p.Error(); err != nil {
		return nil, err
	}
	return d, nil
}

type reader struct {
	d     *document
	shift int
}

func (r *reader) header(e *unstable.Node) *tree {
	n := r.d.root
	end, head := 0, -1
	for it := e.Key(); it.Next(); {
		k := it.Node()
		if head < 0 {
			head = r.d.lineStart(r.shift + int(k.Raw.Offset))
		}
		end = r.shift + int(k.Raw.Offset+k.Raw.Length)
		key := string(k.Data)
		v := n.keys[key]
		if e.Kind == unstable.ArrayTable && it.IsLast() {
			if v == nil {
				v = &tree{kind: unstable.Array}
				n.keys[key] = v
			}
			t := newTree()
			v.elems = append(v.elems, t)
			n = t
			continue
		}
		if v == nil {
			v = newTree()
			n.keys[key] = v
		}
		if v.kind == unstable.Array && len(v.elems) > 0 {
			v = v.elems[len(v.elems)-1]
		}
		n = v
	}
	n.head, n.tail = head, end+bytes.IndexByte(r.d.data[end:], ']')+1
	if e.Kind == unstable.ArrayTable {
		n.tail++
	}
	return n
}

// keyValue reads key = value; top says that it stands before the first header.
func (r *reader) keyValue(n *tree, e *unstable.Node, top bool) {
	start := r.shift + int(e.Raw.Offset)
	end := start + int(e.Raw.Length)
	scope := n
	keyEnd, before := start, start
	for it := e.Key(); it.Next(); {
		k := it.Node()
		key := string(k.Data)
		if it.IsLast() {
			before = r.shift + int(k.Raw.Offset)
			keyEnd = before + int(k.Raw.Length)
			n.keys[key] = r.value(e.Value(), r.d.afterEquals(keyEnd), end)
			break
		}
		v := n.keys[key]
		if v == nil {
			v = newTree()
			n.keys[key] = v
		}
		n = v
	}
	if n != scope && top {
		n.dotted, n.last = string(r.d.data[start:before]), end
	}
	if scope.tail >= 0 {
		scope.tail = end
		line := r.d.data[r.d.lineStart(start):start]
		eq := bytes.IndexByte(r.d.data[keyEnd:], '=')
		scope.pads = append(scope.pads, pad{indent: string(line), width: keyEnd + eq - start, tight: eq <= 1})
	}
}

// value reads a value; start and end are those of its text where the parser has none, as for lists.
func (r *reader) value(v *unstable.Node, start, end int) *tree {
	n := &tree{kind: v.Kind, start: r.shift + int(v.Raw.Offset), end: r.shift + int(v.Raw.Offset+v.Raw.Length), tail: -1}
	switch v.Kind {
	case unstable.InlineTable:
		n.kind, n.inline, n.keys, n.empty = unstable.Table, true, map[string]*tree{}, true
		n.lastElem = n.start + 1
		for it := v.Children(); it.Next(); {
			if kv := it.Node(); kv.Kind == unstable.KeyValue {
				r.keyValue(n, kv, false)
				n.empty, n.lastElem = false, r.shift+int(kv.Raw.Offset+kv.Raw.Length)
			}
		}
	case unstable.Array:
		n.inline, n.empty, n.start, n.end = true, true, start, end
		for it := v.Children(); it.Next(); {
			if c := it.Node(); c.Kind != unstable.Comment {
				n.elems = append(n.elems, r.value(c, start, end))
				n.empty = false
			}
		}
	}
	return n
}

// afterEquals is where the value of a key begins.
func (d *document) afterEquals(keyEnd int) int {
	at := keyEnd + bytes.IndexByte(d.data[keyEnd:], '=') + 1
	for at < len(d.data) && (d.data[at] == ' ' || d.data[at] == '\t') {
		at++
	}
	return at
}

func (d *document) lineStart(off int) int {
	return max(d.from, bytes.LastIndexByte(d.data[:off], '\n')+1)
}

// newline is the line ending of the file.
func (d *document) newline() string {
	if i := bytes.IndexByte(d.data, '\n'); i > 0 && d.data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// edit replaces a part of the text.
type edit struct {
	start, end int
	text       string
	rank       int // among insertions at one place: new tables come last
}

type editor struct {
	*document
	edits []edit
}

func (e *editor) replace(start, end int, text string) {
	e.edits = append(e.edits, edit{start, end, text, 0})
}

func (e *editor) newTable(at int, text string) { e.edits = append(e.edits, edit{at, at, text, 1}) }

// afterLine inserts lines behind the line in which off lies.
func (e *editor) afterLine(off int, lines ...string) {
	nl := e.newline()
	at := len(e.data)
	text := strings.Join(lines, nl)
	if i := bytes.IndexByte(e.data[off:], '\n'); i >= 0 {
		at = off + i + 1
		text += nl
	} else if at > 0 { // the last line has no end
		text = nl + text
	}
	e.replace(at, at, text)
}

// apply gives the new text.
func (e *editor) apply() []byte {
	slices.SortStableFunc(e.edits, func(a, b edit) int { return cmp.Or(a.start-b.start, a.rank-b.rank) })
	var out []byte
	at := 0
	for _, x := range e.edits {
		out = append(append(out, e.data[at:x.start]...), x.text...)
		at = x.end
	}
	return append(out, e.data[at:]...)
}

// Setting is a key with its value in TOML.
type Setting struct {
	Key   string
	Value any // string, int, float64
}

// text is the value in TOML; a string in the quotes of the text that it takes the place of.
func (s Setting) text(old []byte) string {
	switch v := s.Value.(type) {
	case string:
		if len(old) > 0 && old[0] == '\'' {
			return "'" + v + "'"
		}
		return strconv.Quote(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

// set gives a table's keys values: in place, or behind its last key.
func (e *editor) set(t *tree, name string, settings []Setting) {
	var missing []Setting
	for _, s := range settings {
		if v := t.keys[s.Key]; v != nil {
			e.replace(v.start, v.end, s.text(e.data[v.start:v.end]))
		} else {
			missing = append(missing, s)
		}
	}
	if len(missing) == 0 {
		return
	}
	switch {
	case t.inline:
		var parts []string
		for _, s := range missing {
			parts = append(parts, s.Key+" = "+s.text(nil))
		}
		text := strings.Join(parts, ", ")
		if t.empty {
			text = " " + text + " "
			if b := e.data[t.start+1]; b == ' ' || b == '\t' {
				text = text[:len(text)-1]
			}
		} else {
			text = ", " + text
		}
		e.replace(t.lastElem, t.lastElem, text)
	case t.tail >= 0:
		var lines []string
		for _, s := range missing {
			lines = append(lines, t.line(s))
		}
		e.afterLine(t.tail, lines...)
	case t.dotted != "":
		var lines []string
		for _, s := range missing {
			lines = append(lines, t.dotted+s.Key+" = "+s.text(nil))
		}
		e.afterLine(t.last, lines...)
	default: // a table that only its parts make
		e.table("["+name+"]", missing)
	}
}

// line is a new line of a table, its equals sign below the others if those are aligned.
func (t *tree) line(s Setting) string {
	indent, width := "", len(s.Key)+1
	if n := len(t.pads); n > 0 {
		last := t.pads[n-1]
		if strings.TrimSpace(last.indent) == "" {
			indent = last.indent
		}
		aligned := n > 1 || !last.tight
		for _, p := range t.pads {
			aligned = aligned && p.width == last.width
		}
		if aligned {
			width = max(width, last.width)
		}
	}
	return fmt.Sprintf("%s%-*s= %s", indent, width, s.Key, s.text(nil))
}

// table adds a table with a header: before the first [[cluster]] with the comment above it, else at the end.
func (e *editor) table(header string, settings []Setting) {
	lines := []string{header}
	for _, s := range settings {
		lines = append(lines, s.Key+" = "+s.text(nil))
	}
	nl := e.newline()
	if at, ok := e.firstCluster(); ok {
		e.newTable(at, strings.Join(append(lines, ""), nl)+nl)
		return
	}
	text := strings.Join(lines, nl) + nl
	if n := len(e.data); n > 0 {
		text = nl + text
		if e.data[n-1] != '\n' {
			text = nl + text
		}
	}
	e.newTable(len(e.data), text)
}

// firstCluster is where the comment above the first [[cluster]] begins.
func (e *editor) firstCluster() (int, bool) {
	c := e.root.keys["cluster"]
	if c == nil || c.inline || len(c.elems) == 0 {
		return 0, false
	}
	at := c.elems[0].head
	for at > e.from {
		above := e.lineStart(at - 1)
		if line := bytes.TrimSpace(e.data[above:at]); len(line) == 0 || line[0] != '#' {
			break
		}
		at = above
	}
	return at, true
}

// core gives a group of cores its queue.
func (e *editor) core(cluster, group int, queue int) error {
	cs := e.root.keys["cluster"]
	if cs == nil || cluster >= len(cs.elems) {
		return fmt.Errorf("cluster %d is not in the file", cluster)
	}
	c := cs.elems[cluster]
	s := []Setting{{"queue", queue}}
	cores := c.keys["core"]
	if cores != nil && group < len(cores.elems) {
		e.set(cores.elems[group], "[cluster.core]", s)
		return nil
	}
	if group > 0 {
		return fmt.Errorf("cores %d of cluster %d are not in the file", group, cluster)
	}
	// a cluster without cores has one of the default kind
	one := fmt.Sprintf("{ queue = %d }", queue)
	switch {
	case cores != nil && cores.inline:
		e.replace(cores.start+1, cores.start+1, one)
	case c.inline:
		text := "core = [" + one + "]"
		if c.empty {
			text = " " + text + " "
		} else {
			text = ", " + text
		}
		e.replace(c.lastElem, c.lastElem, text)
	default:
		e.afterLine(c.tail, "", "[[cluster.core]]", fmt.Sprintf("queue = %d", queue))
	}
	return nil
}

// top sets keys of a table of the file's top.
func (e *editor) top(name string, settings []Setting) {
	if len(settings) == 0 {
		return
	}
	if t := e.root.keys[name]; t != nil {
		e.set(t, name, settings)
		return
	}
	e.table("["+name+"]", settings)
}

// Edit writes the changes of a config into its text, which keeps all else: comments, order, blanks, line ends. The text
// that comes out has been read again and is what was wanted, or it is an error.
func Edit(c *config.Config, text []byte, ch *Changes) ([]byte, error) {
	d, err := parseDocument(text)
	if err != nil {
		return nil, err
	}
	e := &editor{document: d}
	e.top("design", ch.Design)
	e.top("scheduler", ch.Scheduler)
	for _, q := range ch.Queues {
		if err := e.core(q.Cluster, q.Group, q.Queue); err != nil {
			return nil, err
		}
	}
	out := e.apply()
	got, err := config.Parse(c.File, c.Dir, out)
	if err != nil {
		return nil, fmt.Errorf("the edited config can't be read: %w", err)
	}
	if at := differ(reflect.ValueOf(*got), reflect.ValueOf(*ch.Apply(c)), "config"); at != "" {
		return nil, errors.New("the edited config is not what was wanted: " + at)
	}
	return out, nil
}

var posType = reflect.TypeFor[diag.Pos]()

// differ names the first value in which two configs differ; places, and whether a value is given or a default, do not
// matter.
func differ(a, b reflect.Value, at string) string {
	if a.Type() == posType {
		return ""
	}
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			name := a.Type().Field(i).Name
			if name == "Hash" || name == "Set" || name == "Pos" {
				continue
			}
			if s := differ(a.Field(i), b.Field(i), at+"."+name); s != "" {
				return s
			}
		}
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return fmt.Sprintf("%s has %d elements, not %d", at, a.Len(), b.Len())
		}
		for i := range a.Len() {
			if s := differ(a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", at, i)); s != "" {
				return s
			}
		}
	default:
		if !a.Equal(b) {
			return fmt.Sprintf("%s is %v, not %v", at, a, b)
		}
	}
	return ""
}
