// SPDX-License-Identifier: Apache-2.0

package coverage

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

//go:embed gaps.toml
var gapsFile []byte

// Gap is a line, or a function, that no run goes through, and why.
type Gap struct {
	Module   string `toml:"module"`
	Text     string `toml:"text"`     // in the line, or
	Function string `toml:"function"` // the name of the function
	Reason   string `toml:"reason"`
}

// covers says whether the gap is of line n, from 0, of a module.
func (g *Gap) covers(text []string, n int) bool {
	if g.Function == "" {
		return strings.Contains(text[n], g.Text)
	}
	for ; n >= 0; n-- {
		words := strings.FieldsFunc(text[n], func(r rune) bool { return strings.ContainsRune(" \t;(", r) })
		switch {
		case len(words) == 0:
		case words[0] == "endfunction":
			return false
		case words[0] == "function":
			return slices.Contains(words, g.Function)
		}
	}
	return false
}

// Branch is a generate block that no design of the runs has, and why.
type Branch struct {
	Module string `toml:"module"`
	Name   string `toml:"name"`
	Reason string `toml:"reason"`
}

// Missing is a module that no design of the runs has, and why.
type Missing struct {
	Module string `toml:"module"`
	Reason string `toml:"reason"`
}

// Known is what is known not to be reached.
type Known struct {
	Gaps     []Gap     `toml:"gap"`
	Branches []Branch  `toml:"branch"`
	Missing  []Missing `toml:"missing"`
}

// Gaps reads gaps.toml.
func Gaps() (*Known, error) {
	f := &Known{}
	if err := toml.NewDecoder(bytes.NewReader(gapsFile)).DisallowUnknownFields().Decode(f); err != nil {
		return nil, fmt.Errorf("gaps.toml: %w", err)
	}
	for i, g := range f.Gaps {
		if g.Module == "" || (strings.TrimSpace(g.Text) == "") == (g.Function == "") || strings.TrimSpace(g.Reason) == "" {
			return nil, fmt.Errorf("gaps.toml: gap %d needs a module, a text or a function, and a reason", i+1)
		}
	}
	for i, b := range f.Branches {
		if b.Module == "" || b.Name == "" || strings.TrimSpace(b.Reason) == "" {
			return nil, fmt.Errorf("gaps.toml: branch %d needs a module, a name and a reason", i+1)
		}
	}
	for i, m := range f.Missing {
		if m.Module == "" || strings.TrimSpace(m.Reason) == "" {
			return nil, fmt.Errorf("gaps.toml: missing %d needs a module and a reason", i+1)
		}
	}
	return f, nil
}
