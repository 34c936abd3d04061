// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"io/fs"
	"math"
	"math/rand"
	"os"
	"path"
	"path/filepath"
	"strings"

	"hwgen/gen/cipher"
	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/emit"
	"hwgen/gen/policy"
	"hwgen/rtl"
)

// randomConfig is a config drawn from all that a config can say. Every key is left out now and then.
type randomConfig struct {
	Text string

	r      *rand.Rand
	b      strings.Builder
	dir    string // where sources go
	slots  int
	blocks int    // of the largest packet
	bits   int    // score_bits: 0 left out, -1 as drawn
	toys   []bool // clusters whose cores are toys
	large  bool   // may have many cores
}

// newRandomConfig draws the config of a seed and writes the sources of its external cores into dir. Name, if not "", is
// the design's name; bits is score_bits, 0 to leave it out, -1 for what is drawn. Neither changes what else is drawn.
func newRandomConfig(seed int64, dir, name string, bits int) (*randomConfig, error) {
	x := &randomConfig{r: rand.New(rand.NewSource(seed)), dir: dir, bits: bits}
	own := x.name("d")
	if name == "" {
		name = own
	}
	// time in the tools goes with the cores: most designs have few, so that more of all else is drawn in the same time
	clusters := x.weighted([]int{1, 2, 3}, []int{50, 35, 15})
	if x.large = x.r.Intn(16) == 0; x.large {
		clusters = x.weighted([]int{1, 2, 3, 4, 5, 8, 16}, []int{40, 28, 12, 8, 5, 4, 3})
	}
	big := x.r.Intn(40) == 0 // a packet buffer of more than a few KiB
	var algorithms []string
	least := 1
	for range clusters {
		a := x.pick("aes128", "aes128", "sm4", "sm4", "aes256")
		if a == "aes256" {
			least = 2
		}
		algorithms = append(algorithms, a)
	}
	x.slots = x.weighted([]int{1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 16, 17, 24, 31, 32, 33, 64, 100}, nil)
	x.blocks = max(least, x.weighted([]int{1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 16}, nil))
	if big {
		x.blocks = x.weighted([]int{32, 94, 100, 255, 256, 1000, 4095}, nil)
		x.slots = max(1, min(x.slots, 4096/x.blocks))
		if x.r.Intn(4) == 0 {
			x.slots, x.blocks = 256, 4
		}
	}
	x.line("[design]")
	x.key("name", "%q", name)
	x.maybe("data_width", "%d", x.weighted([]int{32, 64, 128}, nil))
	if x.blocks != 4 || x.r.Intn(2) == 0 {
		x.key("packet_bytes", "%d", 16*x.blocks)
	}
	if x.slots != 32 || x.r.Intn(2) == 0 {
		x.key("slots", "%d", x.slots)
	}
	x.maybe("requesters", "%d", x.weighted([]int{1, 2, 3, 4, 5, 7, 8, 9, 17, 256}, nil))
	x.scheduler()
	x.control()
	x.toys = make([]bool, clusters)
	for i := range clusters {
		if err := x.cluster(i, algorithms[i], clusters > 4); err != nil {
			return nil, err
		}
	}
	x.Text = x.b.String()
	return x, nil
}

func (x *randomConfig) line(format string, args ...any) { fmt.Fprintf(&x.b, format+"\n", args...) }

func (x *randomConfig) key(name, format string, value any) { x.line("%s = "+format, name, value) }

// maybe leaves a key out in a quarter of the cases. The value has been drawn by then, so what follows is the same.
func (x *randomConfig) maybe(name, format string, value any) {
	if x.r.Intn(4) > 0 {
		x.key(name, format, value)
	}
}

// seldom leaves a key out in three quarters of the cases.
func (x *randomConfig) seldom(name, format string, value any) {
	if x.r.Intn(4) == 0 {
		x.key(name, format, value)
	}
}

func (x *randomConfig) weighted(values, weights []int) int {
	if weights == nil {
		return values[x.r.Intn(len(values))]
	}
	sum := 0
	for _, w := range weights {
		sum += w
	}
	n := x.r.Intn(sum)
	for i, w := range weights {
		if n -= w; n < 0 {
			return values[i]
		}
	}
	return values[0]
}

func (x *randomConfig) pick(s ...string) string { return s[x.r.Intn(len(s))] }

// name is a legal name: a letter first, no underscores next to each other or at the end. It begins with the word given
// and a digit, so that no reserved word comes out.
func (x *randomConfig) name(word string) string {
	if x.r.Intn(2) == 0 {
		word = strings.ToUpper(word)
	}
	s := fmt.Sprintf("%s%d", word, x.r.Intn(10))
	n := x.weighted([]int{0, 1, 2, 3, 5, 8, 38}, []int{4, 4, 4, 4, 4, 4, 1})
	for len(s) < n+len(word)+1 && len(s) < config.MaxName {
		c := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789____"[x.r.Intn(66)]
		if c == '_' && (s[len(s)-1] == '_' || len(s) == config.MaxName-1 || len(s) == n+len(word)) {
			c = '0'
		}
		s += string(c)
	}
	return s
}

// real is a weight of the range lo..hi, or 0 or a bound of it.
func (x *randomConfig) real(lo, hi float64) float64 {
	f := math.Exp(math.Log(lo) + x.r.Float64()*(math.Log(hi)-math.Log(lo)))
	switch x.r.Intn(12) {
	case 0:
		return lo
	case 1:
		return hi
	case 2, 3, 4, 5, 6, 7: // what one would write
		return []float64{1, 2, 4, 0.5, 0.05, 0.95, 8, 0.1, 0.3}[x.r.Intn(9)]
	}
	return f
}

func (x *randomConfig) scheduler() {
	if x.r.Intn(8) == 0 {
		return
	}
	x.line("\n[scheduler]")
	p := x.pick(config.PolicyNames()...)
	if p != config.PolicyNames()[0] || x.r.Intn(2) == 0 {
		x.key("policy", "%q", p)
	}
	alpha, beta := x.real(config.MinWeight, config.MaxWeight), x.real(config.MinWeight, config.MaxWeight)
	switch x.r.Intn(10) {
	case 0:
		alpha = 0
	case 1:
		beta = 0
	}
	if p == "weighted" || x.r.Intn(10) == 0 {
		x.maybe("alpha", "%g", alpha)
		if alpha == 0 {
			x.key("beta", "%g", max(beta, 0.5))
		} else {
			x.maybe("beta", "%g", beta)
		}
	}
	lambda := x.real(config.MinWeight, config.MaxLambda)
	if x.r.Intn(6) == 0 {
		lambda = 0
	}
	if p == "affinity" || x.r.Intn(10) == 0 {
		x.maybe("lambda", "%g", lambda)
	}
	drawn := 8 + x.r.Intn(25)
	if given := x.r.Intn(4) == 0; given && x.bits < 0 {
		x.key("score_bits", "%d", drawn)
	} else if x.bits > 0 {
		x.key("score_bits", "%d", x.bits)
	}
	x.maybe("bind", "%q", x.pick("in_flight", "job"))
	x.maybe("programmable", "%t", x.r.Intn(2) == 0)
	x.seldom("wait_queue", "%d", 1+x.r.Intn(x.slots))
	x.maybe("balancer", "%q", x.pick("tree", "scan"))
	x.maybe("report_core", "%t", x.r.Intn(2) == 0)
	x.maybe("lane", "%q", x.pick("wide", "wide", "serial"))
}

func (x *randomConfig) control() {
	axil, counters := x.r.Intn(3) == 0, x.r.Intn(2) == 0
	if axil || x.r.Intn(8) == 0 {
		x.line("\n[control]")
		x.key("axil", "%t", axil)
		if axil {
			x.maybe("counters", "%t", counters)
		}
	}
	if x.r.Intn(12) == 0 {
		x.line("\n[host]")
		x.key("clock_hz", "%d", 12_000_000)
		x.maybe("baud", "%d", x.weighted([]int{115200, 460800, 1_000_000}, nil))
		x.maybe("window", "%d", x.weighted([]int{2, 4, 8, 16}, nil))
	}
}

func (x *randomConfig) cluster(i int, algorithm string, many bool) error {
	x.line("\n[[cluster]]")
	name := x.name("c")
	if n := config.MaxName - 4; len(name) > n {
		name = strings.TrimSuffix(name[:n], "_")
	}
	x.maybe("name", "%q", fmt.Sprintf("%sx%d", name, i))
	toy := algorithm != "aes256" && x.r.Intn(2) == 0
	x.toys[i] = toy
	x.key("algorithm", "%q", algorithm)
	x.maybe("queue", "%d", 1+x.r.Intn(min(x.slots, 16)))
	x.maybe("choose_list", "%d", x.weighted([]int{1, 2, 3, 4, 5, 7, 8, 16, 17, 33, 64}, []int{6, 6, 6, 6, 6, 6, 6, 6, 3, 1, 1}))
	x.maybe("key_slots", "%d", x.weighted([]int{1, 2, 3, 4, 5, 7, 8, 13, 32, 256}, []int{8, 8, 8, 8, 8, 8, 8, 4, 2, 1}))
	x.seldom("slot_quota", "%d", 1+x.r.Intn(x.slots))
	groups := x.weighted([]int{0, 1, 2, 3, 4}, []int{6, 60, 28, 5, 1})
	if toy {
		groups = max(1, groups)
	}
	cores := 0
	for g := range groups {
		count := x.weighted([]int{1, 2, 3, 4}, []int{30, 8, 2, 1})
		switch {
		case many:
			count = min(count, 2)
		case x.large:
			count = x.weighted([]int{1, 2, 3, 4, 5, 7, 12, 16, 33, 64}, []int{120, 80, 40, 20, 12, 8, 4, 4, 2, 2})
		}
		count = min(count, config.MaxCores-cores-(groups-1-g))
		cores += count
		if err := x.core(algorithm, toy, g == 0, count); err != nil {
			return err
		}
	}
	return nil
}

func (x *randomConfig) core(algorithm string, toy, first bool, count int) error {
	queue := 1 + x.r.Intn(min(x.slots, x.weighted([]int{2, 4, 8, 40}, nil)))
	kinds := config.KindNames(algorithm)
	kind := kinds[x.r.Intn(len(kinds))]
	switch {
	case toy:
		co := DelayCore{Jitter: x.weighted([]int{0, 1, 2, 3, 5}, []int{4, 1, 1, 1, 1})}
		base := x.weighted([]int{1, 2, 5, 10, 20, 60}, nil)
		for op := range co.Cycles {
			co.Cycles[op] = base
			if x.r.Intn(3) == 0 {
				co.Cycles[op] = 1 + x.r.Intn(2*base)
			}
			// the first core encrypts, which prepares keys
			if x.r.Intn(8) == 0 && (!first || op > 0) {
				co.Cycles[op] = 0
			}
		}
		if co.Cycles == [4]int{} {
			co.Cycles[x.r.Intn(4)] = base
		}
		text, err := co.write(x.dir)
		if err != nil {
			return err
		}
		x.b.WriteString(text)
	case !first && x.r.Intn(6) == 0:
		text, err := writeWrapped(x.dir, kind, x.r.Intn(8))
		if err != nil {
			return err
		}
		x.b.WriteString(text)
	default:
		x.line("\n[[cluster.core]]")
		x.maybe("kind", "%q", kind)
		if x.r.Intn(4) == 0 {
			x.key("decrypt", "%t", x.r.Intn(3) == 0)
		}
	}
	if count > 1 {
		x.key("count", "%d", count)
	}
	x.maybe("queue", "%d", queue)
	return nil
}

// wrapped is an external core that computes what the cluster's built-in ones do: one of the library behind its own
// name, without the inverse cipher, since it would need the end key. What is in skip is a command left out.
const wrapped = `// SPDX-License-Identifier: Apache-2.0
// %[2]s as an external core of forward direction.
` + "`default_nettype none" + `
module %[1]s (
  input  wire         clk,
  input  wire         rst,
  input  wire         in_valid,
  output wire         in_ready,
  input  wire [1:0]   in_op,
  input  wire         in_decrypt,
  input  wire [%[3]d:0] in_key,
  input  wire [127:0] in_block,
  output wire         out_valid,
  input  wire         out_ready,
  output wire [127:0] out_block
);
  wire [%[3]d:0] end_key;
  wire         _unused_ok = &{1'b0, end_key};  // forward alone
  hwgen_%[2]s #(.DECRYPT(0)) u_core (
    .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_op(in_op),
    .in_decrypt(in_decrypt), .in_key(in_key), .in_block(in_block),
    .out_valid(out_valid), .out_ready(out_ready), .out_block(out_block), .end_key(end_key)
  );
endmodule
` + "`default_nettype wire" + `
`

// writeWrapped writes the sources of a wrapped core and returns its table in a config. skip: sign and verify left out,
// by bits 0 and 1.
func writeWrapped(dir, kind string, skip int) (string, error) {
	k, ok := config.KindByName(kind)
	a, _ := config.AlgorithmByName(k.Algorithm)
	if !ok {
		return "", fmt.Errorf("no kind %q", kind)
	}
	module := "wrapped_" + kind
	sources := []string{module + ".v"}
	folder := strings.TrimRight(k.Algorithm, "0123456789")
	if k.Algorithm == "sm4" {
		folder = "sm4"
	}
	files, err := fs.Glob(rtl.FS, folder+"/*.v")
	if err != nil {
		return "", err
	}
	out := map[string][]byte{sources[0]: fmt.Appendf(nil, wrapped, module, kind, a.KeyBits-1)}
	for _, f := range files {
		b, err := fs.ReadFile(rtl.FS, f)
		if err != nil {
			return "", err
		}
		out[path.Base(f)] = b
		sources = append(sources, path.Base(f))
	}
	for f, b := range out {
		if err := os.WriteFile(filepath.Join(dir, f), b, 0o644); err != nil {
			return "", err
		}
	}
	cycles := fmt.Sprintf("encrypt = %d", k.Cycles)
	for op, name := range []string{"sign", "verify"} {
		if skip>>op&1 == 0 {
			cycles += fmt.Sprintf(", %s = %d", name, k.Cycles)
		}
	}
	return fmt.Sprintf("\n[[cluster.core]]\nmodule = %q\nsources = [\"%s\"]\ncycles = { %s }\n", module,
		strings.Join(sources, `", "`), cycles), nil
}

// RandomDesign is the design of a seed.
type RandomDesign struct {
	Seed   int64
	Text   string // its config
	Design *design.Design
	Files  emit.Output
}

// RandomConfigName is the name of a random design's config.
const RandomConfigName = "random.toml"

// NewRandomDesign draws, elaborates and renders the design of a seed.
func NewRandomDesign(seed int64) (*RandomDesign, error) { return loadRandom(seed, "", true) }

// WriteRandomDesign writes the config of a seed and the sources of its external cores into a folder.
func WriteRandomDesign(seed int64, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return diag.Usage("%w", err)
	}
	d, err := loadRandomIn(dir, seed, "", false)
	if err != nil && d == nil {
		return err
	}
	// one that is refused is written all the same
	return os.WriteFile(filepath.Join(dir, RandomConfigName), []byte(d.Text), 0o644)
}

func loadRandom(seed int64, name string, render bool) (*RandomDesign, error) {
	dir, err := os.MkdirTemp("", "hwgen-random-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	return loadRandomIn(dir, seed, name, render)
}

func loadRandomIn(dir string, seed int64, name string, render bool) (*RandomDesign, error) {
	var (
		x *randomConfig
		c *config.Config
		d *RandomDesign
	)
	var err error
	// drawn score_bits may be too few, and exact scores too wide: rounded ones always fit
	for _, bits := range []int{-1, 0, policy.MaxWidth} {
		if x, err = newRandomConfig(seed, dir, name, bits); err != nil {
			return nil, err
		}
		d = &RandomDesign{Seed: seed, Text: x.Text}
		if c, err = config.Parse(RandomConfigName, dir, []byte(d.Text)); err != nil {
			return d, err
		}
		if d.Design, err = design.Elaborate(c); err == nil || !strings.Contains(err.Error(), "score_bits") {
			break
		}
	}
	if err != nil {
		return d, err
	}
	if !render {
		return d, nil
	}
	d.Files, err = emit.Emit(d.Design, emit.Options{Version: "random", ConfigHash: c.Hash, SourcePath: c.SourcePath})
	for i, cl := range d.Design.Clusters {
		if x.toys[i] {
			cl.Algorithm = cipher.Delay
		}
	}
	return d, err
}
