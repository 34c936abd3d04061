// SPDX-License-Identifier: Apache-2.0

package coverage

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

//go:embed gaps.toml
var gapsFile []byte

// Gap is a line that no run goes through, and why.
type Gap struct {
	Module string `toml:"module"`
	Text   string `toml:"text"` // in the line
	Reason string `toml:"reason"`
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
		if g.Module == "" || strings.TrimSpace(g.Text) == "" || g.Reason == "" {
			return nil, fmt.Errorf("gaps.toml: gap %d needs a module, a text and a reason", i+1)
		}
	}
	return f.Gap, nil
}
