// SPDX-License-Identifier: Apache-2.0

package coverage

import (
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

// Gaps are the lines that are known not to be reached.
func Gaps() ([]Gap, error) {
	var f struct {
		Gap []Gap `toml:"gap"`
	}
	if err := toml.Unmarshal(gapsFile, &f); err != nil {
		return nil, fmt.Errorf("gaps.toml: %w", err)
	}
	for i, g := range f.Gap {
		if g.Module == "" || (strings.TrimSpace(g.Text) == "") == (g.Function == "") || strings.TrimSpace(g.Reason) == "" {
			return nil, fmt.Errorf("gaps.toml: gap %d needs a module, a text or a function, and a reason", i+1)
		}
	}
	return f.Gap, nil
}
