// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hwgen/gen/design"
	"hwgen/gen/tool"
)

// Mutant is one change of the netlist.
type Mutant struct {
	Number int    `json:"number"`
	Mode   string `json:"mode"` // inv, const0, const1, cnot0, cnot1: what becomes of the bit
	Cell   string `json:"cell"`
	Port   string `json:"port"`
	Bit    int    `json:"bit"`
	Ctrl   int    `json:"ctrl"`           // cnot0, cnot1: inverted while this bit of the port is 0, 1
	Wire   string `json:"wire,omitempty"` // hierarchical name of the wire, where it has one
	Module string `json:"module"`         // of the library, or the design's top or cluster
	Source string `json:"source"`         // file:line of the cell

	args string // of Yosys' mutate, without -ctrl
}

// key is the mutant without what is not in its JSON.
func (m *Mutant) key() Mutant {
	k := *m
	k.args = ""
	return k
}

func (m *Mutant) String() string {
	s := fmt.Sprintf("mutant %d: %s of %s, port %s bit %d (%s)", m.Number, m.Mode, m.Cell, m.Port, m.Bit, m.Source)
	if m.Wire != "" {
		s += ", wire " + m.Wire
	}
	return s
}

// selector is the input that chooses the mutant; 0 is none.
const selector = "hwgen_mutant"

// netlist is the design's top, flattened, cores left out as instances, with an input that chooses a mutant.
type netlist struct {
	d       *design.Design
	dir     string // base.rtlil, cells without mutants; net.v
	files   map[string][]byte
	sources map[string][]byte // before the netlist
	mutants []Mutant
	bits    int // of the selector
	circuit *circuit
	hash    string // of base.rtlil
}

// dutName is a name below the instance of the top in the bench of the trace.
var dutName = regexp.MustCompile(`\bu_dut\.([A-Za-z_][\w.]*)(\[0\])?`)

// cores are the modules that are not mutated.
func cores(d *design.Design) []string {
	set := map[string]bool{}
	for _, c := range d.Clusters {
		for _, co := range c.Cores {
			set[co.Module] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// makeNetlist writes the netlist of a design with n mutants, drawn by Yosys over all cells of the scheduler.
func makeNetlist(ctx context.Context, d *design.Design, files map[string][]byte, n int, seed int64, dir string) (*netlist, error) {
	x := &netlist{d: d, dir: dir, sources: files, bits: len(strconv.FormatInt(int64(n), 2))}
	var verilog []string
	for p, b := range files {
		if !strings.HasPrefix(p, "rtl/") {
			continue
		}
		f := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(f, b, 0o644); err != nil {
			return nil, err
		}
		if strings.HasSuffix(p, ".v") {
			verilog = append(verilog, p)
		}
	}
	slices.Sort(verilog)
	bench := "tb/" + d.Name + "_tb.v"
	seen := map[string]bool{}
	for _, m := range dutName.FindAllSubmatch(files[bench], -1) {
		seen[string(m[1])] = true
	}

	var s strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&s, format+"\n", args...) }
	line("read_verilog -Irtl/external %s", strings.Join(verilog, " "))
	line("hierarchy -check -top %s", d.Top)
	line("proc")
	// what the parameters leave out is gone before it is mutated; an x stays one
	line("opt_expr -keepdc")
	line("opt_clean")
	for _, m := range cores(d) {
		// a core with a parameter has a name of its own
		line(`setattr -mod -set keep_hierarchy 1 %s $paramod*\\%s\\*`, m, m)
	}
	line("flatten %s", d.Top)
	line("hierarchy -top %s", d.Top)
	for _, w := range slices.Sorted(maps.Keys(seen)) {
		line("setattr -set keep 1 %s/w:%s", d.Top, strings.ReplaceAll(w, ".g_", ".*g_"))
	}
	line("memory_collect %s", d.Top)
	// bits of sums and products that nothing takes
	line("wreduce -keepdc %s", d.Top)
	line("opt_expr -keepdc %s", d.Top)
	line("opt_clean %s", d.Top)
	line("write_rtlil base.rtlil")
	line("write_json base.json")
	// some more, for those that are left out
	line("mutate -list %d -seed %d -o list.txt %s/*", n+n/8+8, seed, d.Top)
	if err := x.yosys(ctx, "list.ys", s.String()); err != nil {
		return nil, err
	}
	base, err := os.ReadFile(filepath.Join(dir, "base.rtlil"))
	if err != nil {
		return nil, err
	}
	x.hash = fmt.Sprintf("%x", sha256.Sum256(base))[:16]
	list, err := os.ReadFile(filepath.Join(dir, "list.txt"))
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "base.json"))
	if err != nil {
		return nil, err
	}
	if x.circuit, err = readCircuit(text, d.Top); err != nil {
		return nil, err
	}
	for l := range strings.Lines(string(list)) {
		if len(x.mutants) == n {
			break
		}
		if m, ok := parseMutant(strings.Fields(l), len(x.mutants)+1, d.Name); ok && !x.circuit.noPort(&m) {
			x.mutants = append(x.mutants, m)
		}
	}
	if len(x.mutants) < n {
		return nil, fmt.Errorf("yosys finds %d mutants of %s, not %d", len(x.mutants), d.Name, n)
	}
	s.Reset()
	line("read_rtlil base.rtlil")
	for i := range x.mutants {
		m := &x.mutants[i]
		line("mutate -ctrl %s %d %d%s", selector, x.bits, m.Number, m.args)
	}
	line("select %s", d.Top)
	line("write_verilog -noattr -selected net.v")
	if err := x.yosys(ctx, "net.ys", s.String()); err != nil {
		return nil, err
	}
	net, err := os.ReadFile(filepath.Join(dir, "net.v"))
	if err != nil {
		return nil, err
	}
	x.files = map[string][]byte{}
	for p, b := range files {
		if !strings.HasPrefix(p, "rtl/") || x.isCore(p) {
			x.files[p] = b
		}
	}
	x.files["rtl/"+d.Top+".v"] = net
	x.files[bench], err = x.bench(files[bench])
	return x, err
}

// noPort says whether a mutant is of a reset that a memory's read port does not have: Yosys can't write one.
func (c *circuit) noPort(m *Mutant) bool {
	x := c.Cells[m.Cell]
	return x != nil && x.Type == "$mem_v2" && (m.Port == "RD_ARST" || m.Port == "RD_SRST")
}

// isCore says whether a file holds a core or what it is made of: all of the library's ciphers, and external sources.
func (x *netlist) isCore(p string) bool {
	b := strings.TrimPrefix(path.Base(p), x.d.Name+"_")
	return path.Dir(p) != "rtl" || !strings.HasSuffix(p, ".v") || strings.HasPrefix(b, "aes") || strings.HasPrefix(b, "sm4")
}

// wire finds wires in a netlist of Yosys.
var wire = regexp.MustCompile(`(?m)^  wire (.*)\\(\S+)$`)

// block is a scope that Yosys 0.23 makes of the branches of an else-if in a generate block.
var block = regexp.MustCompile(`\bgenblk\d+\.`)

// bench is the bench of the trace on the flattened netlist: names below the top are names of its wires, and the mutant
// is chosen by +mutant=N.
func (x *netlist) bench(b []byte) ([]byte, error) {
	base, err := os.ReadFile(filepath.Join(x.dir, "base.rtlil"))
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	vector := map[string]bool{}
	for _, m := range wire.FindAllStringSubmatch(string(base), -1) {
		names[block.ReplaceAllString(m[2], "")] = m[2]
		vector[m[2]] = strings.Contains(m[1], "width ")
	}
	var missing []string
	s := dutName.ReplaceAllStringFunc(string(b), func(n string) string {
		n, first := strings.CutSuffix(strings.TrimPrefix(n, "u_dut."), "[0]")
		w, ok := names[n]
		if !ok {
			missing = append(missing, n)
		}
		n = `u_dut.\` + w + " "
		if first && vector[w] { // Yosys writes a vector of one bit as a bit
			n += "[0]"
		}
		return n
	})
	if missing != nil {
		return nil, fmt.Errorf("the netlist of %s has no wire %s", x.d.Name, strings.Join(missing, ", "))
	}
	s = strings.Replace(s, x.d.Top+" u_dut (", fmt.Sprintf(`reg [31:0] mutant;
  initial if (!$value$plusargs("mutant=%%d", mutant)) mutant = 0;
  %s u_dut (.%s(mutant[%d:0]),`, x.d.Top, selector, x.bits-1), 1)
	return []byte(s), nil
}

func (x *netlist) yosys(ctx context.Context, name, script string) error {
	if err := os.WriteFile(filepath.Join(x.dir, name), []byte(script), 0o644); err != nil {
		return err
	}
	r, err := tool.Yosys.Run(ctx, x.dir, "-q", name)
	if err != nil {
		return err
	}
	if r.Code != 0 {
		return tool.Yosys.Failed(name+" of "+x.d.Name, r)
	}
	return nil
}

// parseMutant reads a line of Yosys' list of mutations.
func parseMutant(f []string, number int, prefix string) (Mutant, bool) {
	m := Mutant{Number: number}
	if len(f) < 2 || f[0] != "mutate" {
		return m, false
	}
	for i := 1; i+1 < len(f); i += 2 {
		v := strings.TrimPrefix(f[i+1], `\`)
		switch f[i] {
		case "-mode":
			m.Mode = v
		case "-cell":
			m.Cell = v
		case "-port":
			m.Port = v
		case "-portbit":
			m.Bit, _ = strconv.Atoi(v)
		case "-ctrlbit":
			m.Ctrl, _ = strconv.Atoi(v)
		case "-wire":
			m.Wire = v
		case "-src":
			m.Source = v // the last one is the cell's own
			continue
		case "-wirebit":
			m.Wire += "[" + v + "]"
			continue
		}
		if f[i] != "-wire" {
			m.args += " " + f[i] + " " + f[i+1]
		}
	}
	if file, line, ok := strings.Cut(m.Source, ":"); ok {
		line, _, _ = strings.Cut(line, ".")
		m.Module = strings.TrimSuffix(strings.TrimPrefix(path.Base(file), prefix+"_"), ".v")
		m.Source = m.Module + ".v:" + line
	}
	return m, m.Mode != ""
}
