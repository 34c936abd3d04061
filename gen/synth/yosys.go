// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hwgen/gen/diag"
	"hwgen/gen/tool"
)

// wrapperTop is the module that folds a design's ports into four pins.
const wrapperTop = "hwgen_synth_pins"

// prepare says how Yosys gets at what is synthesised, and folds its ports into pins unless it is a board's top.
func (f *flow) prepare(ctx context.Context) (script string, err error) {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(f.r.Files)), func(n string) bool {
		return filepath.Ext(n) != ".v" // a header is read where it is included: it need not be whole
	})
	read := "read_verilog " + strings.Join(names, " ") + "\n"
	if f.r.Constraints != nil {
		f.top = f.r.Top
		return read, nil
	}
	module := f.r.Top
	var open map[string]string
	f.note("yosys: elaboration")
	script = read + "hierarchy -check -top " + f.r.Top + "\n"
	if b := f.r.Block; b != nil {
		if err := f.yosys(ctx, "hierarchy.ys", script+"write_rtlil hierarchy.il\ndelete */p:*\nwrite_json hierarchy.json\n"); err != nil {
			return "", err
		}
		script = "read_rtlil hierarchy.il\n" // elaborated once
		var parent string
		if module, parent, err = f.derived(b); err != nil {
			return "", err
		}
		// The parent without what leads nowhere says which of the block's outputs it uses, and which inputs are constant.
		parentOnly := fmt.Sprintf("proc %[1]s\nopt_clean -purge %[1]s\nselect %[1]s\nwrite_json -selected parent.json\nselect -clear\n", parent)
		if err := f.yosys(ctx, "parent.ys", script+parentOnly); err != nil {
			return "", err
		}
		if open, err = f.connections(parent, b.Instance); err != nil {
			return "", err
		}
		// The block alone, under a plain name: parameters are settled.
		script += fmt.Sprintf("hierarchy -top %s\nrename %s hwgen_block\n", module, module)
		module = "hwgen_block"
	}
	if err := f.yosys(ctx, "ports.ys", script+"write_rtlil design.il\ndelete */p:*\nwrite_json ports.json\n"); err != nil {
		return "", err
	}
	ports, err := f.ports(module)
	if err != nil {
		return "", err
	}
	text, area := wrapper(module, ports, open)
	f.wrapper = area
	if err := os.WriteFile(filepath.Join(f.dir, wrapperTop+".v"), []byte(text), 0o644); err != nil {
		return "", err
	}
	f.top, f.inst = wrapperTop, "u_design"
	return "read_rtlil design.il\nread_verilog " + wrapperTop + ".v\n", nil
}

func (f *flow) yosys(ctx context.Context, name, script string) error {
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(script), 0o644); err != nil {
		return err
	}
	res, err := f.tools.Run(ctx, "yosys", f.dir, "-q", "-s", name)
	if err != nil {
		return err
	}
	if res.Code != 0 {
		return &diag.ToolError{Tool: "yosys", Err: fmt.Errorf("synthesis failed (exit %d):\n%s", res.Code, tool.Tail(res.Out, 20))}
	}
	return nil
}

// netlist is what hwgen reads of Yosys's JSON.
type netlist struct {
	Modules map[string]struct {
		Attributes map[string]string `json:"attributes"`
		Ports      map[string]struct {
			Direction string            `json:"direction"`
			Bits      []json.RawMessage `json:"bits"`
		} `json:"ports"`
		Cells map[string]struct {
			Type        string                       `json:"type"`
			Directions  map[string]string            `json:"port_directions"`
			Connections map[string][]json.RawMessage `json:"connections"`
		} `json:"cells"`
	} `json:"modules"`
}

func (f *flow) netlist(name string) (*netlist, error) {
	b, err := os.ReadFile(filepath.Join(f.dir, name))
	if err != nil {
		return nil, err
	}
	n := &netlist{}
	if err := json.Unmarshal(b, n); err != nil {
		return nil, &diag.ToolError{Tool: "yosys", Err: fmt.Errorf("%s: %w", name, err)}
	}
	return n, nil
}

// plain is a module's name without what Yosys puts around it for its parameters.
func plain(module string) string {
	if i := strings.Index(module, `\`); i >= 0 {
		module = module[i+1:]
		if i := strings.Index(module, `\`); i >= 0 {
			module = module[:i]
		}
	}
	return module
}

// derived is the module, with its parameters, of the block asked for, and that of its parent.
func (f *flow) derived(b *Block) (module, parent string, err error) {
	n, err := f.netlist("hierarchy.json")
	if err != nil {
		return "", "", err
	}
	for _, m := range slices.Sorted(maps.Keys(n.Modules)) {
		if c, ok := n.Modules[m].Cells[b.Instance]; ok && plain(m) == b.Parent && plain(c.Type) == b.Module {
			return c.Type, m, nil
		}
	}
	return "", "", fmt.Errorf("yosys: no instance %s of %s in %s", b.Instance, b.Module, b.Parent)
}

// connections says what the parent makes of a block's ports where that is no signal: "" for an output that nothing uses, a
// constant for an input.
func (f *flow) connections(parent, instance string) (map[string]string, error) {
	n, err := f.netlist("parent.json")
	if err != nil {
		return nil, err
	}
	m := n.Modules[parent]
	users := map[string]int{} // of a net: cells' ports and the parent's own
	for _, p := range m.Ports {
		for _, b := range p.Bits {
			users[string(b)]++
		}
	}
	for _, c := range m.Cells {
		for _, bits := range c.Connections {
			for _, b := range bits {
				users[string(b)]++
			}
		}
	}
	open := map[string]string{}
	c, ok := m.Cells[instance]
	if !ok {
		return nil, fmt.Errorf("yosys: no instance %s in %s", instance, parent)
	}
	for p, bits := range c.Connections {
		if v, ok := leads(bits, c.Directions[p] == "output", users); ok {
			open[p] = v
		}
	}
	return open, nil
}

// leads is what a port of a block is connected to if that is nothing or a constant.
func leads(bits []json.RawMessage, output bool, users map[string]int) (string, bool) {
	constant := ""
	for i := len(bits) - 1; i >= 0; i-- {
		s := string(bits[i])
		switch {
		case output && users[s] > 1:
			return "", false
		case !output && s != `"0"` && s != `"1"`:
			return "", false
		case !output:
			constant += strings.Trim(s, `"`)
		}
	}
	if output {
		return "", true
	}
	return fmt.Sprintf("%d'b%s", len(bits), constant), true
}

// port of a module.
type port struct {
	name  string
	width int
	out   bool
}

// clock: in hwgen's Verilog clocks are named so.
func (p port) clock() bool {
	return !p.out && p.width == 1 && (p.name == "clk" || strings.HasSuffix(p.name, "_clk"))
}

func (f *flow) ports(module string) ([]port, error) {
	n, err := f.netlist("ports.json")
	if err != nil {
		return nil, err
	}
	m, ok := n.Modules[module]
	if !ok {
		return nil, fmt.Errorf("yosys: no module %s", module)
	}
	var ps []port
	for _, name := range slices.Sorted(maps.Keys(m.Ports)) {
		p := m.Ports[name]
		ps = append(ps, port{name, len(p.Bits), p.Direction == "output"})
	}
	return ps, nil
}

// wrapper folds ports into four pins: inputs come from a shift register, outputs are taken into registers and shifted out
// of a second one, so that every path of the design runs between registers and nothing is optimised away. The registers
// at the outputs have no logic of their own, lest it merges with the design's: area is what the wrapper takes. Ports in
// fixed get what it says: a constant, or nothing. All clocks are one.
func wrapper(module string, ports []port, fixed map[string]string) (text string, area Area) {
	var conn []string
	in, out := 0, 0
	for _, p := range ports {
		if _, ok := fixed[p.name]; ok {
			continue
		}
		if !p.clock() && !p.out {
			in += p.width
		}
		if p.out {
			out += p.width
		}
	}
	i, o := 0, 0
	for _, p := range ports {
		v, ok := fixed[p.name]
		switch {
		case ok:
			conn = append(conn, fmt.Sprintf(".%s(%s)", p.name, v))
		case p.clock():
			conn = append(conn, fmt.Sprintf(".%s(clk)", p.name))
		case p.out:
			conn = append(conn, fmt.Sprintf(".%s(out[%d:%d])", p.name, o+p.width-1, o))
			o += p.width
		default:
			conn = append(conn, fmt.Sprintf(".%s(in_q[%d:%d])", p.name, i+p.width-1, i))
			i += p.width
		}
	}
	return fmt.Sprintf(`module %s (input wire clk, input wire rst, input wire si, output wire so);
  reg  [%d:0] in_q;
  wire [%d:0] out;
  reg  [%d:0] out_q, shift_q;
  %s u_design (
    %s
  );
  assign so = shift_q[%d];
  always @(posedge clk) begin
    in_q    <= {in_q, si};
    out_q   <= out;
    shift_q <= rst ? out_q : {shift_q, si};
  end
endmodule
`, wrapperTop, max(in, 1)-1, max(out, 1)-1, max(out, 1)-1, module, strings.Join(conn, ",\n    "), max(out, 1)-1), Area{LUTs: out, FFs: in + 2*out}
}

// readNetlist counts the mapped cells. The netlist is flat, and Yosys names a cell after the nearest net with a name of
// its own, hierarchy and all: that is whose cell it is.
func (f *flow) readNetlist(res *Result) error {
	n, err := f.netlist("netlist.json")
	if err != nil {
		return err
	}
	m, ok := n.Modules[f.top]
	if !ok {
		return fmt.Errorf("yosys: no module %s in the netlist", f.top)
	}
	blocks := map[string]*Area{}
	for name, c := range m.Cells {
		a := f.fam.cells(c.Type)
		if a == (Area{}) {
			continue
		}
		res.Area.add(a)
		path := strings.Split(strings.TrimPrefix(name, f.inst+"."), ".")
		path = path[:len(path)-1]
		for i := 1; i <= len(path); i++ {
			key := strings.Join(path[:i], ".")
			if !instance.MatchString(path[i-1]) {
				break
			}
			if blocks[key] == nil {
				blocks[key] = &Area{Name: key}
			}
			blocks[key].add(a)
		}
	}
	res.Wrapper = f.wrapper
	res.Area.sub(f.wrapper)
	res.Blocks = []Area{}
	for _, k := range slices.Sorted(maps.Keys(blocks)) {
		res.Blocks = append(res.Blocks, *blocks[k])
	}
	return nil
}

// instance is the name of an instance or a generate block of hwgen's Verilog; others are pieces of a memory's name.
var instance = regexp.MustCompile(`^([ug]_\w+|genblk\d+)(\[\d+\])?$`)
