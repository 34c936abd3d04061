// SPDX-License-Identifier: Apache-2.0

package coverage

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"hwgen/rtl"
)

// Module is what was seen of a module of the library.
type Module struct {
	Name    string `json:"name"`
	Lines   int    `json:"lines"` // with a statement, as Verilator counts them
	Reached int    `json:"reached"`
	Gaps    []Line `json:"gaps,omitempty"`
	Bits    Bits   `json:"bits"`
	// Still are control signals with bits that never change: "count_q 2 of 5".
	Still []string `json:"still,omitempty"`
}

// Bits are those of signals: of the control, of signals of WideBits bits or more, and of memories. None: not counted.
type Bits struct {
	Control  Share `json:"control"`
	Wide     Share `json:"wide"`
	Memories Share `json:"memories"`
}

// Share is how many of all change.
type Share struct {
	All     int `json:"all"`
	Changed int `json:"changed"`
}

func (s *Share) add(o Share) {
	s.All += o.All
	s.Changed += o.Changed
}

// WideBits is the width from which a signal is taken for data.
const WideBits = 32

// Line is one that was not reached.
type Line struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
	Reason string `json:"reason,omitempty"`
}

// Report is the coverage of the library.
type Report struct {
	Designs  []string `json:"designs"`
	Modules  []Module `json:"modules"`
	Library  int      `json:"library"` // modules in all
	Lines    int      `json:"lines"`
	Reached  int      `json:"reached"`
	Branches Share    `json:"branches"` // generate blocks of the library, and those that a design has
	Bits     Bits     `json:"bits"`
	Missing  []string `json:"missing,omitempty"` // modules and generate blocks that no design has, with the reason
	Errors   []string `json:"errors,omitempty"`
}

// Least is the part of the library's lines that has to be reached.
const Least = 0.98

// library is the text of each module, in lines.
func library() (map[string][]string, error) {
	out := map[string][]string{}
	err := fs.WalkDir(rtl.FS, ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || path.Ext(p) != ".v" {
			return err
		}
		b, err := fs.ReadFile(rtl.FS, p)
		out[strings.TrimSuffix(path.Base(p), ".v")] = strings.Split(string(b), "\n")
		return err
	})
	return out, err
}

// Report makes the report. Lines are numbered as in rtl/: head is how many lines the output's banner puts before them.
func (c *Counts) Report(known *Known, head func(module string) int) (*Report, error) {
	lib, err := library()
	if err != nil {
		return nil, err
	}
	r := &Report{Library: len(lib)}
	used := make([]bool, len(known.Gaps))
	for _, name := range c.modules() {
		text, ok := lib[name]
		if !ok {
			continue // the top or a cluster
		}
		m := Module{Name: name}
		var lines []int
		for p, n := range c.lines {
			if p.module != name {
				continue
			}
			m.Lines++
			if n > 0 {
				m.Reached++
			} else {
				lines = append(lines, p.line)
			}
		}
		slices.Sort(lines)
		for _, l := range lines {
			n := l - head(name)
			if n < 1 || n > len(text) {
				return nil, fmt.Errorf("%s.v has no line %d", name, n)
			}
			gap := Line{Number: n, Text: strings.TrimSpace(text[n-1])}
			for i, g := range known.Gaps {
				if g.Module == name && g.covers(text, n-1) {
					gap.Reason, used[i] = g.Reason, true
					break
				}
			}
			if gap.Reason == "" {
				r.Errors = append(r.Errors, fmt.Sprintf("%s.v:%d is not reached and has no reason: %s", name, n, gap.Text))
			}
			m.Gaps = append(m.Gaps, gap)
		}
		m.Bits, m.Still = c.bits(name)
		r.Modules = append(r.Modules, m)
		r.Lines, r.Reached = r.Lines+m.Lines, r.Reached+m.Reached
		r.Bits.Control.add(m.Bits.Control)
		r.Bits.Wide.add(m.Bits.Wide)
		r.Bits.Memories.add(m.Bits.Memories)
	}
	c.absent(r, lib, known, head)
	for i, g := range known.Gaps {
		if !used[i] {
			r.Errors = append(r.Errors, fmt.Sprintf("gaps.toml: %s has no such gap: %s%s", g.Module, g.Text, g.Function))
		}
	}
	if float64(r.Reached) < Least*float64(r.Lines) {
		r.Errors = append(r.Errors, fmt.Sprintf("%d of %d lines are reached, fewer than %.0f %%", r.Reached, r.Lines, 100*Least))
	}
	return r, nil
}

// absent says which modules and generate blocks no design has, and for which there is no reason.
func (c *Counts) absent(r *Report, lib map[string][]string, known *Known, head func(module string) int) {
	have := map[place]bool{}
	for p := range c.tree.blocks {
		have[place{p.module, p.line - head(p.module)}] = true
	}
	fail := func(format string, args ...any) { r.Errors = append(r.Errors, fmt.Sprintf(format, args...)) }
	missing := map[string]bool{}
	for _, m := range known.Missing {
		if missing[m.Module] = true; c.tree.modules[m.Module] || lib[m.Module] == nil {
			fail("gaps.toml: a design has %s, or there is no such module", m.Module)
			continue
		}
		r.Missing = append(r.Missing, m.Module+": "+m.Reason)
	}
	for _, m := range slices.Sorted(maps.Keys(lib)) {
		if !c.tree.modules[m] && !missing[m] {
			fail("no design has %s, and there is no reason", m)
		}
	}
	used := make([]bool, len(known.Branches))
	all := branches(lib)
	places := slices.SortedFunc(maps.Keys(all), func(a, b place) int {
		return cmp.Or(strings.Compare(a.module, b.module), cmp.Compare(a.line, b.line))
	})
	for _, p := range places {
		if missing[p.module] {
			continue
		}
		r.Branches.All++
		if have[p] {
			r.Branches.Changed++
			continue
		}
		i := slices.IndexFunc(known.Branches, func(b Branch) bool { return b.Module == p.module && b.Name == all[p] })
		if i < 0 {
			fail("no design has block %s of %s.v:%d, and there is no reason", all[p], p.module, p.line)
			continue
		}
		used[i] = true
		r.Missing = append(r.Missing, fmt.Sprintf("%s.v:%d %s: %s", p.module, p.line, all[p], known.Branches[i].Reason))
	}
	for i, b := range known.Branches {
		if !used[i] {
			fail("gaps.toml: every block %s of %s is in a design, or there is none", b.Name, b.Module)
		}
	}
}

// bits counts those of a module, and names the signals of its control of which some never change.
func (c *Counts) bits(module string) (Bits, []string) {
	type signal struct {
		Share
		memory bool
	}
	signals := map[string]*signal{}
	for t, n := range c.toggles {
		if t.module != module {
			continue
		}
		name, _, _ := strings.Cut(t.bit, "[")
		s := signals[name]
		if s == nil {
			s = &signal{}
			signals[name] = s
		}
		s.memory = s.memory || strings.Count(t.bit, "[") > 1
		s.All++
		if n > 0 {
			s.Changed++
		}
	}
	var b Bits
	var still []string
	for _, name := range slices.Sorted(maps.Keys(signals)) {
		s := signals[name]
		switch {
		case s.memory:
			b.Memories.add(s.Share)
		case s.All >= WideBits:
			b.Wide.add(s.Share)
		default:
			b.Control.add(s.Share)
			if s.Changed < s.All {
				still = append(still, fmt.Sprintf("%s %d of %d", name, s.All-s.Changed, s.All))
			}
		}
	}
	return b, still
}

func percent(a, b int) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(a)/float64(b))
}

func (s Share) cells() string {
	return fmt.Sprintf("%d | %d | %s", s.All, s.Changed, percent(s.Changed, s.All))
}

// Markdown is the report as a page.
func (r *Report) Markdown() string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("# Coverage of the library\n\nDesigns: %s. Of %d modules %d have lines with statements.\n\n", strings.Join(r.Designs, ", "), r.Library, len(r.Modules))
	p("| module | lines | reached | |\n|---|---|---|---|\n")
	for _, m := range r.Modules {
		p("| %s | %d | %d | %s |\n", m.Name, m.Lines, m.Reached, percent(m.Reached, m.Lines))
	}
	p("| all | %d | %d | %s |\n\n", r.Lines, r.Reached, percent(r.Reached, r.Lines))
	p("Generate blocks: %d of %d are in one of the designs.\n", r.Branches.Changed, r.Branches.All)
	p("\n## Not reached\n\n")
	for _, m := range r.Modules {
		for _, g := range m.Gaps {
			p("- %s.v:%d `%s`: %s\n", m.Name, g.Number, g.Text, g.Reason)
		}
	}
	for _, m := range r.Missing {
		p("- %s\n", m)
	}
	if r.Bits != (Bits{}) {
		r.toggles(p)
	}
	for _, e := range r.Errors {
		p("\n**%s**\n", e)
	}
	return b.String()
}

// toggles is the part of the page about bits, the module with the most that never change first.
func (r *Report) toggles(p func(format string, args ...any)) {
	p("\n## Bits that change\n\nWide are signals of %d bits and more: data. Verilator does not count signals and memories of more than 256 bits, "+
		"nor, up to 5.006 at least, those declared in generate blocks.\n\n", WideBits)
	p("| module | control | changed | | wide | changed | | memories | changed | |\n|---|---|---|---|---|---|---|---|---|---|\n")
	row := func(name string, b Bits) {
		p("| %s | %s | %s | %s |\n", name, b.Control.cells(), b.Wide.cells(), b.Memories.cells())
	}
	l := slices.Clone(r.Modules)
	part := func(s Share) float64 { return float64(s.Changed) / max(float64(s.All), 1e-9) }
	slices.SortStableFunc(l, func(a, b Module) int {
		if none := cmp.Compare(min(b.Bits.Control.All, 1), min(a.Bits.Control.All, 1)); none != 0 {
			return none // last
		}
		return cmp.Compare(part(a.Bits.Control), part(b.Bits.Control))
	})
	for _, m := range l {
		row(m.Name, m.Bits)
	}
	row("all", r.Bits)
	p("\nBits of control signals that never change:\n\n")
	for _, m := range l {
		if len(m.Still) > 0 {
			p("- %s: %s\n", m.Name, strings.Join(m.Still, ", "))
		}
	}
}
