// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"encoding/json"
	"fmt"
	"strings"
)

// circuit is a flat module as Yosys' write_json has it. Bits are numbers, or constants as strings.
type circuit struct {
	Ports map[string]struct {
		Direction string `json:"direction"`
		Bits      []any  `json:"bits"`
	} `json:"ports"`
	Cells    map[string]*cell `json:"cells"`
	Netnames map[string]struct {
		Bits       []any          `json:"bits"`
		Attributes map[string]any `json:"attributes"`
	} `json:"netnames"`

	live map[int]bool
}

type cell struct {
	Type        string            `json:"type"`
	Parameters  map[string]any    `json:"parameters"`
	Directions  map[string]string `json:"port_directions"`
	Connections map[string][]any  `json:"connections"`
}

func readCircuit(b []byte, top string) (*circuit, error) {
	var f struct {
		Modules map[string]*circuit `json:"modules"`
	}
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, err
	}
	c := f.Modules[top]
	if c == nil {
		return nil, fmt.Errorf("the netlist has no module %s", top)
	}
	c.spread()
	return c, nil
}

// bit is the number of a bit, -1 of a constant.
func bit(v any) int {
	if f, ok := v.(float64); ok {
		return int(f)
	}
	return -1
}

// reads are the input bits of a cell on which bit i of its output port depends.
func (c *cell) reads(port string, i int, each func(port string, i int)) {
	all := func(p string, upto int) {
		for k := range c.Connections[p] {
			if k <= upto {
				each(p, k)
			}
		}
	}
	one := func(p string) {
		if n := len(c.Connections[p]); i < n {
			each(p, i)
		} else if n > 0 {
			each(p, n-1) // sign extension; of an unsigned input it says too much
		}
	}
	const any = 1 << 30
	switch c.Type {
	case "$and", "$or", "$xor", "$xnor", "$not":
		one("A")
		one("B")
	case "$add", "$sub", "$mul", "$neg":
		all("A", i)
		all("B", i)
	case "$mux":
		one("A")
		one("B")
		all("S", any)
	case "$pmux":
		w := len(c.Connections["A"])
		each("A", i)
		for k := i; k < len(c.Connections["B"]); k += w {
			each("B", k)
		}
		all("S", any)
	case "$dff":
		each("D", i)
		all("CLK", any)
	default:
		for p, d := range c.Directions {
			if d == "input" {
				all(p, any)
			}
		}
	}
}

// spread finds the live bits: those on which an output of the module, an input of a core or a wire that is kept for the
// bench depends.
func (c *circuit) spread() {
	type output struct {
		cell *cell
		port string
		i    int
	}
	drives := map[int]output{}
	var work []int
	c.live = map[int]bool{}
	mark := func(v any) {
		if n := bit(v); n >= 0 && !c.live[n] {
			c.live[n] = true
			work = append(work, n)
		}
	}
	for _, p := range c.Ports {
		if p.Direction == "output" {
			for _, v := range p.Bits {
				mark(v)
			}
		}
	}
	for _, n := range c.Netnames {
		if n.Attributes["keep"] != nil {
			for _, v := range n.Bits {
				mark(v)
			}
		}
	}
	for _, x := range c.Cells {
		instance := !strings.HasPrefix(x.Type, "$") || strings.HasPrefix(x.Type, "$paramod")
		for p, d := range x.Directions {
			for i, v := range x.Connections[p] {
				switch {
				case d == "output" && bit(v) >= 0:
					drives[bit(v)] = output{x, p, i}
				case d == "input" && instance:
					mark(v)
				}
			}
		}
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if o, ok := drives[n]; ok {
			o.cell.reads(o.port, o.i, func(p string, i int) { mark(o.cell.Connections[p][i]) })
		}
	}
}

// dead says whether nothing that can be seen depends on the bit that a mutant changes.
func (c *circuit) dead(m *Mutant) bool {
	x := c.Cells[m.Cell]
	if x == nil || m.Bit >= len(x.Connections[m.Port]) {
		return false
	}
	if x.Directions[m.Port] == "output" {
		n := bit(x.Connections[m.Port][m.Bit])
		return n >= 0 && !c.live[n]
	}
	for p, d := range x.Directions {
		if d != "output" {
			continue
		}
		for i, v := range x.Connections[p] {
			if n := bit(v); n < 0 || !c.live[n] {
				continue
			}
			hit := false
			x.reads(p, i, func(q string, k int) { hit = hit || q == m.Port && k == m.Bit })
			if hit {
				return false
			}
		}
	}
	return strings.HasPrefix(x.Type, "$") && !strings.HasPrefix(x.Type, "$paramod")
}
