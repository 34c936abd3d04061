// SPDX-License-Identifier: Apache-2.0

package coverage

import (
	"fmt"
	"io/fs"
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
	Bits    int    `json:"bits"` // of signals; 0: toggles were not counted
	Toggled int    `json:"toggled"`
	Gaps    []Line `json:"gaps,omitempty"`
}

// Line is one that was not reached.
type Line struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
	Reason string `json:"reason,omitempty"`
}

// Report is the coverage of the library.
type Report struct {
	Designs []string `json:"designs"`
	Modules []Module `json:"modules"`
	Lines   int      `json:"lines"`
	Reached int      `json:"reached"`
	Bits    int      `json:"bits"`
	Toggled int      `json:"toggled"`
	Errors  []string `json:"errors,omitempty"`
}

// Least is the part of the library's lines that has to be reached.
const Least = 0.98

// elsewhere are folders of the library whose modules these runs do not drive: registers, host link and clock crossings have runs of
// their own.
var elsewhere = []string{"axi", "clocks", "host"}

// library is the text of each module of the scheduler and its cores, in lines.
func library() (map[string][]string, error) {
	out := map[string][]string{}
	err := fs.WalkDir(rtl.FS, ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || path.Ext(p) != ".v" || slices.Contains(elsewhere, path.Dir(p)) {
			return err
		}
		b, err := fs.ReadFile(rtl.FS, p)
		out[strings.TrimSuffix(path.Base(p), ".v")] = strings.Split(string(b), "\n")
		return err
	})
	return out, err
}

// Report makes the report. Lines are numbered as in rtl/: head is how many lines the output's banner puts before them.
func (c *Counts) Report(gaps []Gap, head func(module string) int) (*Report, error) {
	lib, err := library()
	if err != nil {
		return nil, err
	}
	r := &Report{}
	used := make([]bool, len(gaps))
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
			for i, g := range gaps {
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
		for k, n := range c.toggles {
			if c.module[k] == name {
				m.Bits++
				if n > 0 {
					m.Toggled++
				}
			}
		}
		r.Modules = append(r.Modules, m)
		r.Lines, r.Reached = r.Lines+m.Lines, r.Reached+m.Reached
		r.Bits, r.Toggled = r.Bits+m.Bits, r.Toggled+m.Toggled
	}
	for i, g := range gaps {
		if !used[i] {
			r.Errors = append(r.Errors, fmt.Sprintf("gaps.toml: %s has no such gap: %s%s", g.Module, g.Text, g.Function))
		}
	}
	if float64(r.Reached) < Least*float64(r.Lines) {
		r.Errors = append(r.Errors, fmt.Sprintf("%d of %d lines are reached, fewer than %.0f %%", r.Reached, r.Lines, 100*Least))
	}
	return r, nil
}

func percent(a, b int) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(a)/float64(b))
}

// Markdown is the report as a page.
func (r *Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Coverage of the library\n\nDesigns: %s.\n\n", strings.Join(r.Designs, ", "))
	b.WriteString("| module | lines | reached | | bits | toggled | |\n|---|---|---|---|---|---|---|\n")
	for _, m := range r.Modules {
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %d | %d | %s |\n", m.Name, m.Lines, m.Reached, percent(m.Reached, m.Lines), m.Bits,
			m.Toggled, percent(m.Toggled, m.Bits))
	}
	fmt.Fprintf(&b, "| all | %d | %d | %s | %d | %d | %s |\n", r.Lines, r.Reached, percent(r.Reached, r.Lines), r.Bits, r.Toggled,
		percent(r.Toggled, r.Bits))
	b.WriteString("\n## Lines that are not reached\n\n")
	for _, m := range r.Modules {
		for _, g := range m.Gaps {
			fmt.Fprintf(&b, "- %s.v:%d `%s`: %s\n", m.Name, g.Number, g.Text, g.Reason)
		}
	}
	for _, e := range r.Errors {
		fmt.Fprintf(&b, "\n**%s**\n", e)
	}
	return b.String()
}
