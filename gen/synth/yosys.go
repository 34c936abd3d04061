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
	names := slices.Sorted(maps.Keys(f.r.Files))
	read := "read_verilog " + strings.Join(names, " ") + "\n"
	if f.r.Constraints != nil {
		f.top = f.r.Top
		return read, nil
	}
	module := f.r.Top
	f.note("yosys: elaboration")
	script = read + "hierarchy -check -top " + f.r.Top + "\n"
	if b := f.r.Block; b != nil {
		if err := f.yosys(ctx, "hierarchy.ys", script+"delete */p:*\nwrite_json hierarchy.json\n"); err != nil {
			return "", err
		}
		if module, err = f.derived(b); err != nil {
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
	text, area := wrapper(module, ports)
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
			Type string `json:"type"`
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

// derived is the module, with its parameters, of the block asked for.
func (f *flow) derived(b *Block) (string, error) {
	n, err := f.netlist("hierarchy.json")
	if err != nil {
		return "", err
	}
	var all []string
	for _, m := range slices.Sorted(maps.Keys(n.Modules)) {
		for _, c := range n.Modules[m].Cells {
			p := plain(c.Type)
			if plain(m) == b.Parent && p == b.Module {
				return c.Type, nil
			}
			if plain(m) == b.Parent && !strings.HasPrefix(p, "$") {
				all = append(all, p)
			}
		}
	}
	slices.Sort(all)
	return "", diag.Usage("no block %s in %s; %s", b.Module, b.Parent, diag.Allowed(b.Module, slices.Compact(all)))
}

// port of a module.
type port struct {
	name  string
	width int
	out   bool
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
// at the outputs have no logic of their own, lest it merges with the design's: area is what the wrapper takes.
func wrapper(module string, ports []port) (text string, area Area) {
	var conn []string
	in, out := 0, 0
	for _, p := range ports {
		if p.name != "clk" && !p.out {
			in += p.width
		}
		if p.out {
			out += p.width
		}
	}
	i, o := 0, 0
	for _, p := range ports {
		switch {
		case p.name == "clk":
			conn = append(conn, ".clk(clk)")
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
