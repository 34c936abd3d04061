// SPDX-License-Identifier: Apache-2.0

package design

import (
	"hwgen/gen/config"
	"hwgen/gen/part"
)

// sboxTables says whether the S-boxes of a built-in core of an algorithm are look-ups in synthesis, as the config has it or
// as it pays on its part: where LUTs have multiplexers behind them that the flow uses. docs/synth.md has the figures.
func sboxTables(c *config.Config, algorithm string) bool {
	if c.Design.SBox.Set {
		return c.Design.SBox.V == "table"
	}
	f, ok := familyOf(c)
	return ok && (f == part.Xilinx || f == part.ECP5 && algorithm == "sm4")
}

// familyOf is the family of the part that the config names, by board or as a target; false: it names none.
func familyOf(c *config.Config) (part.Family, bool) {
	if u := c.Board.Use; u != nil {
		return u.Target.Family, true
	}
	t, err := part.Find(c.Synth.Target.V)
	return t.Family, err == nil && c.Synth.Target.Set
}

// Tables says whether some core's S-boxes are look-ups in synthesis.
func (d *Design) Tables() bool {
	for _, c := range d.Clusters {
		for _, co := range c.Cores {
			if co.Table {
				return true
			}
		}
	}
	return false
}

// sbox is the form of a core's S-boxes as the config has it, "" of an external core.
func (co *Core) sbox() string {
	switch {
	case co.External:
		return ""
	case co.Table:
		return "table"
	}
	return "field"
}
