// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"bytes"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"hwgen/gen/design"
	"hwgen/gen/regmap"
	"hwgen/templates"
)

// page is what a template sees.
type page struct {
	D      *design.Design
	C      *design.Cluster
	Map    *regmap.Map // nil: a design without registers
	Banner []string
	Tool   string
	Info   []byte // what the host link says of the design; nil: no host link
	Files  fileLists
	// Vectors is how many frames the vectors of the benches have, Lines how many beats each way at most.
	Vectors, Lines int
	Flow           *Flow    // how a bitstream is made; nil: no board, or no open flow for it
	Edalize        *Edalize // how FuseSoC makes one; nil: no board
}

// fileLists are paths in the output, sorted, for the Makefile and the like.
type fileLists struct {
	RTL     []string // generated and library modules
	Ext     []string // external sources
	Headers []string // included files among them
	Bench   []string // module names of the benches
	TB      []string // files in tb/
}

// Beats is how many beats the smoke bench takes each way: those of the vectors, and room for a user's own.
func (p *page) Beats() int { return max(1<<16, p.Lines) }

// IsHost says that a file is the top of the serial line around the design.
func (p *page) IsHost(file string) bool {
	return p.D.Host != nil && file == "rtl/"+p.D.Host.Top+".v"
}

func toBig(v any) (*big.Int, error) {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return big.NewInt(r.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return new(big.Int).SetUint64(r.Uint()), nil
	case reflect.Bool:
		if r.Bool() {
			return big.NewInt(1), nil
		}
		return new(big.Int), nil
	}
	return nil, fmt.Errorf("%T is no integer", v)
}

func literal(base byte) func(w int, v any) (string, error) {
	return func(w int, v any) (string, error) {
		b, err := toBig(v)
		if err != nil {
			return "", err
		}
		if b.Sign() < 0 || b.BitLen() > w {
			return "", fmt.Errorf("%v does not fit into %d bits", b, w)
		}
		switch base {
		case 'h':
			return fmt.Sprintf("%d'h%0*x", w, (w+3)/4, b), nil
		case 'b':
			return fmt.Sprintf("%d'b%0*b", w, w, b), nil
		}
		return fmt.Sprintf("%d'd%d", w, b), nil
	}
}

var (
	hexLit = literal('h')
	decLit = literal('d')
	binLit = literal('b')
)

// bitsLit is the concatenation of single bits, the last argument first.
func bitsLit(bs ...any) (string, error) {
	s := make([]byte, len(bs))
	for i, v := range bs {
		b, err := toBig(v)
		if err != nil {
			return "", err
		}
		s[len(bs)-1-i] = '0' + byte(b.Bit(0))
	}
	return fmt.Sprintf("%d'b%s", len(bs), s), nil
}

// wideLit is bytes as one concatenation, the first in the lowest bits, sixteen a line.
func wideLit(b []byte) string {
	var s strings.Builder
	s.WriteString("{")
	for end := len(b); end > 0; {
		n := (end-1)%16 + 1
		fmt.Fprintf(&s, "\n    %d'h", 8*n)
		for i := end - 1; i >= end-n; i-- {
			fmt.Fprintf(&s, "%02x", b[i])
		}
		if end -= n; end > 0 {
			s.WriteString(",")
		}
	}
	return s.String() + "\n  }"
}

// flat is a table as one concatenation, a core a line, core 0 in the lowest bits.
func flat(w int, t [][design.NumOps]uint64) (string, error) {
	var b strings.Builder
	b.WriteString("{\n")
	for j := len(t) - 1; j >= 0; j-- {
		b.WriteString("    ")
		for op := design.NumOps - 1; op >= 0; op-- {
			s, err := hexLit(w, t[j][op])
			if err != nil {
				return "", err
			}
			b.WriteString(s)
			if j > 0 || op > 0 {
				b.WriteByte(',')
			}
			if op > 0 {
				b.WriteByte(' ')
			}
		}
		fmt.Fprintf(&b, " // core %d\n", j)
	}
	b.WriteString("  }")
	return b.String(), nil
}

// flatCores is a value of each core as one concatenation, eight a line.
func flatCores(cores []*design.Core, lit func(int, any) (string, error), w int, f func(*design.Core) int) (string, error) {
	var b strings.Builder
	b.WriteString("{")
	if len(cores) > 8 {
		b.WriteString("\n    ")
	}
	for j := len(cores) - 1; j >= 0; j-- {
		s, err := lit(w, f(cores[j]))
		if err != nil {
			return "", err
		}
		b.WriteString(s)
		if j > 0 {
			b.WriteByte(',')
			if j%8 == 0 {
				b.WriteString("\n    ")
			} else {
				b.WriteByte(' ')
			}
		}
	}
	b.WriteString("}")
	return b.String(), nil
}

var funcs = template.FuncMap{
	"hex":    hexLit,
	"dec":    decLit,
	"bin":    binLit,
	"bits":   bitsLit,
	"pad":    func(s string) string { return fmt.Sprintf("%-8s", s) },
	"range_": func(w int) string { return fmt.Sprintf("[%d:0]", w-1) },
	"add":    func(a, b int) int { return a + b },
	"sub":    func(a, b int) int { return a - b },
	"mul":    func(a, b int) int { return a * b },
	"join":   func(sep string, l []string) string { return strings.Join(l, sep) },
	"last": func(i int, l any) (bool, error) {
		r := reflect.ValueOf(l)
		if r.Kind() != reflect.Slice {
			return false, fmt.Errorf("last: %T is no list", l)
		}
		return i == r.Len()-1, nil
	},
	"rev": func(l any) (any, error) {
		r := reflect.ValueOf(l)
		if r.Kind() != reflect.Slice {
			return nil, fmt.Errorf("rev: %T is no list", l)
		}
		out := reflect.MakeSlice(r.Type(), 0, r.Len())
		for i := r.Len() - 1; i >= 0; i-- {
			out = reflect.Append(out, r.Index(i))
		}
		return out.Interface(), nil
	},
	"opbase":   func(c *design.Cluster, op, j int) uint64 { return c.Base[j][op] },
	"opinc":    func(c *design.Cluster, op, j int) uint64 { return c.Inc[j][op] },
	"flatbase": func(c *design.Cluster) (string, error) { return flat(c.AccW, c.Base) },
	"flatinc":  func(c *design.Cluster) (string, error) { return flat(c.IncW, c.Inc) },
	"flatcap": func(c *design.Cluster) (string, error) {
		return flatCores(c.Cores, decLit, c.CapW, func(co *design.Core) int { return co.Cap })
	},
	"flatops": func(c *design.Cluster) (string, error) {
		return flatCores(c.Cores, binLit, design.NumOps, func(co *design.Core) int {
			bits := 0
			for op, can := range co.Ops {
				if can {
					bits |= 1 << op
				}
			}
			return bits
		})
	},
	"flatinv": func(c *design.Cluster) (string, error) {
		return flatCores(c.Cores, binLit, 1, func(co *design.Core) int {
			if co.HasInv {
				return 1
			}
			return 0
		})
	},
	"flatsupport": func(c *design.Cluster) (string, error) {
		return flatCores(c.Cores, binLit, 8, func(co *design.Core) int { return int(co.Support) })
	},
	"flatcanop": func(c *design.Cluster) (string, error) {
		return flatCores(c.Cores, binLit, design.NumOps, func(co *design.Core) int {
			v := 0
			for op, can := range co.Ops {
				if can {
					v |= 1 << op
				}
			}
			return v
		})
	},
	"flatcaninv": func(c *design.Cluster) (string, error) {
		bs := make([]any, len(c.Cores))
		for j, co := range c.Cores {
			bs[j] = co.HasInv
		}
		return bitsLit(bs...)
	},
	"flatspeed": func(c *design.Cluster, op int) (string, error) {
		return flatCores(c.Cores, decLit, 16, func(co *design.Core) int { return co.Cycles[op] })
	},
	"flatincmax": func(c regmap.ClusterInfo) (string, error) {
		l := make([]string, len(c.IncMax))
		for j, v := range c.IncMax {
			s, err := hexLit(c.IncW, v)
			if err != nil {
				return "", err
			}
			l[len(l)-1-j] = s
		}
		return "{" + strings.Join(l, ", ") + "}", nil
	},
	"bitsfor": design.Bits,
	// attributes of ports for Vivado's IP integrator, which takes the interface's name from the port's
	"axis": func(bus, signal string) string { return interfaceInfo("interface:axis", bus, signal) },
	"axil": func(signal string) string { return interfaceInfo("interface:aximm", "s_axil", signal) },
	"clock": func(name, rst, buses string) string {
		param := "ASSOCIATED_RESET " + rst
		if buses != "" {
			param = "ASSOCIATED_BUSIF " + buses + ", " + param
		}
		return "  " + interfaceInfo("signal:clock", name, "CLK") + "\n  " + interfaceParam(param)
	},
	"reset": func(name string) string {
		return "  " + interfaceInfo("signal:reset", name, "RST") + "\n  " + interfaceParam("POLARITY ACTIVE_HIGH")
	},
	"upper": strings.ToUpper,
	"lower": strings.ToLower,
	"camel": func(s string) string {
		var b strings.Builder
		for p := range strings.SplitSeq(strings.ToLower(s), "_") {
			if p != "" {
				b.WriteString(strings.ToUpper(p[:1]) + p[1:])
			}
		}
		return b.String()
	},
	"addr":   func(b regmap.Block, r regmap.Reg) uint32 { return b.Base + r.Offset },
	"addw":   func(a uint32, words int) uint32 { return a + uint32(4*words) },
	"halves": func() []string { return []string{"Low", "High"} },
	"counters": func(b regmap.Block) bool {
		return slices.ContainsFunc(b.Regs, func(r regmap.Reg) bool { return r.Counter })
	},
	"rdlaccess": func(f regmap.Field) string {
		switch f.Access {
		case regmap.ReadWrite:
			return "sw = rw; hw = r;"
		case regmap.OneClears:
			return "sw = rw; onwrite = woclr; hw = rw; hwset;"
		case regmap.Pulse:
			return "sw = w; hw = r; singlepulse;"
		}
		if f.Volatile {
			return "sw = r; hw = w;"
		}
		return "sw = r; hw = na;"
	},
	// strobes is the highest strobe that a value of so many bits needs
	"strobes": func(w int) int { return (w - 1) / 8 },
	"inunits": inUnits,
	"wide":    wideLit,
	"yesno": func(b bool) string {
		if b {
			return "yes"
		}
		return "no"
	},
}

// inUnits shows a table's value in the unit of scores.
func inUnits(c *design.Cluster, v uint64) string {
	return strconv.FormatFloat(float64(v)/c.Tables.PerUnit, 'g', 4, 64)
}

func interfaceInfo(kind, bus, signal string) string {
	return fmt.Sprintf(`(* X_INTERFACE_INFO = "xilinx.com:%s:1.0 %s %s" *)`, kind, bus, signal)
}

func interfaceParam(s string) string { return fmt.Sprintf(`(* X_INTERFACE_PARAMETER = "%s" *)`, s) }

func render(name, text string, p *page) ([]byte, error) {
	// shared parts first: they are but definitions
	t, err := template.New(name).Option("missingkey=error").Funcs(funcs).ParseFS(templates.FS, "share/*.tmpl")
	if err == nil {
		t, err = t.New(name).Parse(text)
	}
	if err != nil {
		return nil, fmt.Errorf("template %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return nil, fmt.Errorf("template %w", err)
	}
	return tidy(b.Bytes()), nil
}

// tidy drops blanks at line ends, second empty lines and empty lines at the end.
func tidy(b []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(b) + 1)
	empty := true // no empty line at the start
	for line := range bytes.SplitSeq(b, []byte("\n")) {
		line = bytes.TrimRight(line, " \t\r")
		if len(line) == 0 && empty {
			continue
		}
		empty = len(line) == 0
		out.Write(line)
		out.WriteByte('\n')
	}
	return append(bytes.TrimRight(out.Bytes(), "\n"), '\n')
}

var (
	prefixed = regexp.MustCompile(`\bhwgen_\w+`)
	begins   = regexp.MustCompile(`\bhwgen_`)
	marked   = regexp.MustCompile(mark + `hwgen_\w+`)
)

// mark stands before the names of a template that get a prefix. What a config brings in is not marked: the name of a
// design, or of a user's core, may begin with hwgen_ too.
const mark = "\x01"

func markNames(text string) string { return begins.ReplaceAllString(text, mark+"hwgen_") }

// rename gives names the prefix that they have in the output.
func rename(b []byte, prefix func(name string) string) []byte {
	return renameAll(prefixed, b, prefix)
}

// renameMarked is rename for what a template gave, of which the names that are marked get a prefix.
func renameMarked(b []byte, prefix func(name string) string) []byte {
	return renameAll(marked, b, prefix)
}

func renameAll(re *regexp.Regexp, b []byte, prefix func(name string) string) []byte {
	return re.ReplaceAllFunc(b, func(id []byte) []byte {
		name := strings.TrimPrefix(string(id), mark)
		return []byte(prefix(name) + "_" + strings.TrimPrefix(name, "hwgen_"))
	})
}

var comments = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`)

// uses are the library names in a text, comments left aside.
func uses(b []byte) []string { return usesOf(prefixed, b) }

// usesMarked is uses for what a template gave.
func usesMarked(b []byte) []string { return usesOf(marked, b) }

func usesOf(re *regexp.Regexp, b []byte) []string {
	seen := map[string]bool{}
	var ids []string
	for _, id := range re.FindAll(comments.ReplaceAll(b, nil), -1) {
		if s := strings.TrimPrefix(string(id), mark); !seen[s] {
			seen[s] = true
			ids = append(ids, s)
		}
	}
	return ids
}
