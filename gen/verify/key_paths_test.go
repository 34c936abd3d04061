// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hwgen/gen/design"
	"hwgen/gen/emit"
	"hwgen/gen/tool"
)

// Where bits of keys can go, by the netlist of a whole design: every register, gate and memory is followed, over any
// number of cycles. Left as boxes are lanes, of which a proof (lane_secret) says that what they read of the key store goes to
// the core's key and block alone, and cores, whose block out is the cipher's output.

// cellJSON and moduleJSON are what is needed of Yosys' netlist.
type cellJSON struct {
	Type        string            `json:"type"`
	Directions  map[string]string `json:"port_directions"`
	Connections map[string][]any  `json:"connections"`
}

type moduleJSON struct {
	Ports map[string]struct {
		Direction string `json:"direction"`
		Bits      []any  `json:"bits"`
	} `json:"ports"`
	Cells map[string]*cellJSON `json:"cells"`
}

// A box is a cell that is not looked into: the outputs that each of some inputs reaches. An input that is not named reaches all.
type box map[string][]string

var (
	laneBox = box{"ks_data": {"c_in_key", "c_in_block"}, "c_end_key": {"kgo_end"}}
	coreBox = box{"in_key": {"end_key"}, "in_block": nil}
)

// boxOf is the box that a type of cell is, nil for none.
func boxOf(design, typ string) box {
	for _, p := range strings.Split(typ, "\\") {
		switch name, ok := strings.CutPrefix(p, design+"_"); {
		case !ok:
		case name == "lane", name == "lane_serial":
			return laneBox
		case coreName.MatchString(name):
			return coreBox
		}
	}
	return nil
}

var coreName = regexp.MustCompile(`^(aes(128|256)_\d+sbox|sm4_\dround)$`)

// marks are bits that a key can reach.
type marks struct {
	design string
	m      *moduleJSON
	set    map[any]bool
	uses   map[any][]*cellJSON
}

func newMarks(design string, m *moduleJSON) *marks {
	k := &marks{design: design, m: m, set: map[any]bool{}, uses: map[any][]*cellJSON{}}
	for _, c := range m.Cells {
		for port, bits := range c.Connections {
			if c.Directions[port] == "input" {
				for _, b := range bits {
					if l := k.uses[b]; len(l) == 0 || l[len(l)-1] != c {
						k.uses[b] = append(l, c)
					}
				}
			}
		}
	}
	return k
}

// follow marks all that bits reach.
func (k *marks) follow(bits ...any) {
	var open []any
	mark := func(bits ...any) {
		for _, b := range bits {
			if _, constant := b.(string); !constant && !k.set[b] {
				k.set[b] = true
				open = append(open, b)
			}
		}
	}
	mark(bits...)
	for len(open) > 0 {
		b := open[len(open)-1]
		open = open[:len(open)-1]
		for _, c := range k.uses[b] {
			mark(c.reached(b, boxOf(k.design, c.Type))...)
		}
	}
}

// reached are the outputs of a cell that one bit at its inputs reaches.
func (c *cellJSON) reached(b any, as box) []any {
	var out []any
	all := func() {
		for port, bits := range c.Connections {
			if c.Directions[port] == "output" {
				out = append(out, bits...)
			}
		}
	}
	for port, bits := range c.Connections {
		if c.Directions[port] != "input" {
			continue
		}
		for i, x := range bits {
			if x != b {
				continue
			}
			if as != nil {
				if to, ok := as[port]; ok {
					for _, p := range to {
						out = append(out, c.Connections[p]...)
					}
				} else {
					all()
				}
				continue
			}
			y, d := c.Connections["Y"], c.Connections["Q"]
			switch {
			case slices.Contains([]string{"$and", "$or", "$xor", "$xnor", "$not"}, c.Type) && len(bits) == len(y):
				out = append(out, y[i])
			case (c.Type == "$mux" || c.Type == "$pmux") && port != "S":
				out = append(out, y[i%len(y)])
			case strings.Contains(c.Type, "dff") && port == "D":
				out = append(out, d[i])
			default:
				all()
			}
		}
	}
	return out
}

// outputs are the output ports of which a bit is marked.
func (k *marks) outputs() []string {
	var l []string
	for name, p := range k.m.Ports {
		if p.Direction == "output" && slices.ContainsFunc(p.Bits, func(b any) bool { return k.set[b] }) {
			l = append(l, name)
		}
	}
	slices.Sort(l)
	return l
}

// netlists has Yosys flatten a design but for its boxes.
func netlists(t *testing.T, d *design.Design, files emit.Output) map[string]*moduleJSON {
	t.Helper()
	dir := t.TempDir()
	var names []string
	for p, b := range files {
		if strings.HasPrefix(p, "rtl/") && strings.HasSuffix(p, ".v") {
			names = append(names, filepath.Base(p))
			require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(p)), b, 0o600))
		}
	}
	slices.Sort(names)
	var kept []string
	for _, n := range append(slices.Clone(coreKinds), "lane", "lane_serial") {
		kept = append(kept, "=*\\"+d.Name+"_"+n+"\\*", "=*\\"+d.Name+"_"+n) // with its parameters behind its name, or before
	}
	yosys, err := tool.Yosys.Find()
	require.NoError(t, err)
	script := "read_verilog " + strings.Join(names, " ") + "; hierarchy -check -top " + d.Outermost() + "; proc; setattr -mod -set keep_hierarchy 1 " +
		strings.Join(kept, " ") + "; flatten; opt_clean; memory -nomap; opt_clean; write_json netlist.json"
	c := exec.Command(yosys, "-q", "-p", script)
	c.Dir = dir
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	b, err := os.ReadFile(filepath.Join(dir, "netlist.json"))
	require.NoError(t, err)
	var j struct {
		Modules map[string]*moduleJSON `json:"modules"`
	}
	require.NoError(t, json.Unmarshal(b, &j))
	return j.Modules
}

var coreKinds = []string{"aes128_16sbox", "aes128_8sbox", "aes128_4sbox", "aes256_16sbox", "aes256_8sbox", "aes256_4sbox",
	"sm4_4round", "sm4_2round", "sm4_1round"}

// keyPaths are the ways on which a key leaves a design other than through a cipher's output.
func keyPaths(t *testing.T, d *design.Design, files emit.Output) []string {
	t.Helper()
	modules := netlists(t, d, files)
	top := modules[d.Outermost()]
	require.NotNil(t, top)
	var bad []string
	k := newMarks(d.Name, top)
	stores, lanes, cores := 0, 0, 0
	for _, name := range slices.Sorted(maps.Keys(top.Cells)) {
		c := top.Cells[name]
		switch b := boxOf(d.Name, c.Type); {
		case strings.HasPrefix(c.Type, "$mem") && strings.Contains(name, "u_key_store"):
			stores++
			k.follow(c.Connections["RD_DATA"]...)
		case b != nil && c.Connections["ks_data"] != nil:
			lanes++
		case b != nil:
			cores++
			k.follow(c.Connections["end_key"]...)
		default:
			require.True(t, strings.HasPrefix(c.Type, "$"), "%s is a %s", name, c.Type)
		}
	}
	n := 0
	for _, c := range d.Clusters {
		n += len(c.Cores)
	}
	require.Equal(t, []int{len(d.Clusters), n, n}, []int{stores, lanes, cores}, "key stores, lanes, cores")
	for name, c := range top.Cells { // it was followed: each core's key is one
		if boxOf(d.Name, c.Type) != nil && c.Connections["in_key"] != nil {
			require.True(t, k.set[c.Connections["in_key"][0]], name)
		}
	}
	for _, o := range k.outputs() {
		bad = append(bad, "a key reaches "+o)
	}
	// a core's key, and so each of its round keys, reaches its block and end key, and no handshake
	seen := map[string]bool{}
	for _, c := range top.Cells {
		if m := modules[c.Type]; m != nil && c.Connections["in_key"] != nil && !seen[c.Type] {
			seen[c.Type] = true
			k := newMarks("", m)
			k.follow(m.Ports["in_key"].Bits...)
			if l := k.outputs(); !slices.Equal(l, []string{"end_key", "out_block"}) {
				bad = append(bad, fmt.Sprintf("%s: a key reaches %v", c.Type, l))
			}
		}
	}
	slices.Sort(bad)
	return bad
}

// No bit of a key store or of a round key reaches an output but through a cipher's output: wide lanes with every kind of core,
// small ones behind registers and the serial line.
func TestKeysReachNoOutput(t *testing.T) {
	needTools(t)
	wide := "[design]\nname = \"kp\"\nslots = 4\npacket_bytes = 32\n"
	for _, a := range []string{"aes128", "aes256", "sm4"} {
		wide += fmt.Sprintf("[[cluster]]\nname = %q\nalgorithm = %q\n", a, a)
		for _, k := range coreKinds {
			if strings.HasPrefix(k, a+"_") {
				wide += fmt.Sprintf("[[cluster.core]]\nkind = %q\n", k)
			}
		}
	}
	serial := "[design]\nname = \"kp\"\nslots = 4\npacket_bytes = 32\ndata_width = 32\n[scheduler]\nlane = \"serial\"\nbalancer = \"scan\"\n" +
		"[control]\naxil = true\n[host]\nclock_hz = 12_000_000\n" +
		"[[cluster]]\nalgorithm = \"sm4\"\n[[cluster.core]]\nkind = \"sm4_1round\"\n[[cluster.core]]\nkind = \"sm4_1round\"\n"
	d, files := generate(t, "kp", wide)
	require.Empty(t, keyPaths(t, d, files))
	d, files = generate(t, "kp", serial)
	require.Empty(t, keyPaths(t, d, files))
	for _, f := range []struct{ file, old, neu, want string }{
		{"rtl/kp_sm4_cluster.v", ".cs_data(cs_data),\n    .cr_fire", ".cs_data(cs_data ^ ks_data),\n    .cr_fire", "a key reaches uart_tx"},
		{"rtl/kp_sm4_cluster.v", ".in_valid(c0_in_valid)", ".in_valid(c0_in_valid & ~(&c0_in_key))", "a key reaches uart_tx"},
		{"rtl/kp_sm4_core.v", "valid_q <= last;", "valid_q <= last & ~(&key_q);", "a key reaches [end_key in_ready out_block out_valid]"},
	} {
		faulty := maps.Clone(files)
		require.Contains(t, string(files[f.file]), f.old)
		faulty[f.file] = []byte(strings.Replace(string(files[f.file]), f.old, f.neu, 1))
		assert.Contains(t, strings.Join(keyPaths(t, d, faulty), "\n"), f.want, f.neu)
	}
}
