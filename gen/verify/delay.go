// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hwgen/gen/cipher"
	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/emit"
	"hwgen/tb"
)

// DelayCore is a core of tb/hwgen_delay_core.v, or with Jitter of tb/hwgen_jitter_core.v.
type DelayCore struct {
	Cycles [design.NumOps]int // a block, by command; 0: it does not do the command
	Queue  int                // 0: the config's default
	Jitter int                // bits of a random number of further cycles a block, at most 12; 0: none, never a stall
}

// DelayCluster is a cluster of delay cores.
type DelayCluster struct {
	Name  string
	Keys  string // further lines of the cluster's table
	Cores []DelayCore
}

// DelayDesign is a design whose cores take the time that is asked for and no more logic than that takes: fast to
// compile and to simulate, whatever the number of cores. Its results are checked by cipher.Delay.
type DelayDesign struct {
	Head     string // [design] and [scheduler]
	Clusters []DelayCluster
}

const delayWrapper = `// SPDX-License-Identifier: Apache-2.0
// A delay core of fixed speeds, as a config names it.
` + "`default_nettype none" + `
module %s (
  input  wire         clk,
  input  wire         rst,
  input  wire         in_valid,
  output wire         in_ready,
  input  wire [1:0]   in_op,
  input  wire         in_decrypt,
  input  wire [127:0] in_key,
  input  wire [127:0] in_block,
  output wire         out_valid,
  input  wire         out_ready,
  output wire [127:0] out_block
);
  %s #(
    .ENCRYPT(%d), .DECRYPT(%d), .SIGN(%d), .VERIFY(%d)%s
  ) u_core (
    .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_op(in_op),
    .in_decrypt(in_decrypt), .in_key(in_key), .in_block(in_block),
    .out_valid(out_valid), .out_ready(out_ready), .out_block(out_block)
  );
endmodule
` + "`default_nettype wire" + `
`

const (
	delaySource  = "hwgen_delay_core.v"
	jitterSource = "hwgen_jitter_core.v"
)

// write writes the core's sources into a folder and returns its table in a config.
func (co *DelayCore) write(dir string) (string, error) {
	module, inner, last := "delay", "hwgen_delay_core", ""
	sources := []string{delaySource}
	if co.Jitter > 0 {
		module, inner = fmt.Sprintf("jitter%d", co.Jitter), "hwgen_jitter_core"
		last = fmt.Sprintf(", .JITTER(%d)", co.Jitter)
		sources = append(sources, jitterSource)
	}
	for _, s := range sources {
		b, err := tb.FS.ReadFile(s)
		if err != nil {
			return "", fmt.Errorf("delay core: %w", err)
		}
		if err := os.WriteFile(filepath.Join(dir, s), b, 0o644); err != nil {
			return "", err
		}
	}
	var cycles []string
	params := co.Cycles
	for op, t := range co.Cycles {
		module += fmt.Sprintf("_%d", t)
		if t > 0 {
			mean := t + (1<<co.Jitter-1)/2
			cycles = append(cycles, fmt.Sprintf("%s = %d", design.OpNames[op], mean))
		}
		params[op] = max(t, 1)
	}
	src := fmt.Sprintf(delayWrapper, module, inner, params[0], params[1], params[2], params[3], last)
	sources = append([]string{module + ".v"}, sources...)
	if err := os.WriteFile(filepath.Join(dir, sources[0]), []byte(src), 0o644); err != nil {
		return "", err
	}
	text := fmt.Sprintf("\n[[cluster.core]]\nmodule = %q\nsources = [\"%s\"]\ncycles = { %s }\n", module,
		strings.Join(sources, `", "`), strings.Join(cycles, ", "))
	if co.Queue > 0 {
		text += fmt.Sprintf("queue = %d\n", co.Queue)
	}
	return text, nil
}

// Write writes the cores' sources into a folder and returns the config that goes with them.
func (x *DelayDesign) Write(dir string) (string, error) {
	var text strings.Builder
	text.WriteString(x.Head)
	for _, c := range x.Clusters {
		fmt.Fprintf(&text, "\n[[cluster]]\nname = %q\nalgorithm = \"aes128\"\n%s", c.Name, c.Keys)
		for i := range c.Cores {
			core, err := c.Cores[i].write(dir)
			if err != nil {
				return "", err
			}
			text.WriteString(core)
		}
	}
	return text.String(), nil
}

// Load elaborates and renders the design. The result's clusters have the algorithm cipher.Delay, which is what their
// cores compute.
func (x *DelayDesign) Load() (*design.Design, emit.Output, error) {
	dir, err := os.MkdirTemp("", "hwgen-delay-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	text, err := x.Write(dir)
	if err != nil {
		return nil, nil, err
	}
	c, err := config.Parse(filepath.Join(dir, "delay.toml"), dir, []byte(text))
	if err != nil {
		return nil, nil, err
	}
	d, err := design.Elaborate(c)
	if err != nil {
		return nil, nil, err
	}
	out, err := emit.Emit(d, emit.Options{Version: "delay", ConfigHash: c.Hash, SourcePath: c.SourcePath})
	if err != nil {
		return nil, nil, err
	}
	// what is rendered names the config's algorithm; what is checked is what the cores do
	for _, cl := range d.Clusters {
		cl.Algorithm = cipher.Delay
	}
	return d, out, nil
}
