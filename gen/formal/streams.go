// SPDX-License-Identifier: Apache-2.0

package formal

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"

	"hwgen/gen/tool"
)

// Streams is the kind of the check that no valid waits for its ready.
const Streams Kind = "streams"

// WaitsByDesign are the outputs that depend on their ready in the same cycle, and why.
var WaitsByDesign = map[string]string{
	"hwgen_splitter.en_valid": "queueing, parking and unparking is a choice of who has room; the queue's ready is a register",
}

// registered are the ports of the design's streams that have to come from registers: no input but those named is in
// their cone.
var registered = map[string][]string{
	"hwgen_collector.m_axis_result_tvalid": nil,
	"hwgen_collector.m_axis_result_tdata":  nil,
	"hwgen_collector.m_axis_result_tkeep":  nil,
	"hwgen_collector.m_axis_result_tlast":  nil,
	"hwgen_collector.m_axis_result_tdest":  nil,
	"hwgen_ingress.s_axis_job_tready":      {"rst"},
}

// netlist is what is needed of a module in Yosys' JSON.
type netlist struct {
	Ports map[string]struct {
		Direction string `json:"direction"`
		Bits      []any  `json:"bits"` // a number, or "0", "1", "x"
	} `json:"ports"`
	Cells map[string]struct {
		Type        string            `json:"type"`
		Parameters  map[string]any    `json:"parameters"`
		Directions  map[string]string `json:"port_directions"`
		Connections map[string][]any  `json:"connections"`
	} `json:"cells"`
}

// cones gives for every output port the input ports that it depends on without a register between, sorted.
func (n *netlist) cones() map[string][]string {
	type node struct{ inputs []any }
	drivers := map[any]*node{}
	for _, c := range n.Cells {
		t := c.Type
		if strings.HasPrefix(t, "$dff") || strings.HasPrefix(t, "$sdff") || strings.HasPrefix(t, "$adff") {
			continue
		}
		// a memory whose reads are all registered
		if enable, ok := c.Parameters["RD_CLK_ENABLE"].(string); ok && strings.HasPrefix(t, "$mem") && !strings.Contains(enable, "0") {
			continue
		}
		in := &node{}
		for port, bits := range c.Connections {
			if c.Directions[port] == "input" {
				in.inputs = append(in.inputs, bits...)
			}
		}
		for port, bits := range c.Connections {
			if c.Directions[port] == "output" {
				for _, b := range bits {
					drivers[b] = in
				}
			}
		}
	}
	inputs := map[any]string{}
	for name, p := range n.Ports {
		if p.Direction == "input" {
			for _, b := range p.Bits {
				inputs[b] = name
			}
		}
	}
	out := map[string][]string{}
	for name, p := range n.Ports {
		if p.Direction != "output" {
			continue
		}
		seen, found := map[any]bool{}, map[string]bool{}
		open := slices.Clone(p.Bits)
		for len(open) > 0 {
			b := open[len(open)-1]
			open = open[:len(open)-1]
			if seen[b] {
				continue
			}
			seen[b] = true
			if in, ok := inputs[b]; ok {
				found[in] = true
			}
			if d := drivers[b]; d != nil {
				open = append(open, d.inputs...)
			}
		}
		names := make([]string, 0, len(found))
		for f := range found {
			names = append(names, f)
		}
		sort.Strings(names)
		out[name] = names
	}
	return out
}

// waits are the faults of a module's outputs, given the inputs that each depends on.
func waits(module string, cones map[string][]string) []string {
	var bad []string
	for out, in := range cones {
		if base, ok := strings.CutSuffix(out, "valid"); ok && WaitsByDesign[module+"."+out] == "" && slices.Contains(in, base+"ready") {
			bad = append(bad, fmt.Sprintf("%s depends on %sready", out, base))
		}
		if allowed, ok := registered[module+"."+out]; ok {
			for _, i := range in {
				if !slices.Contains(allowed, i) {
					bad = append(bad, fmt.Sprintf("%s depends on %s, is no register", out, i))
				}
			}
		}
	}
	sort.Strings(bad)
	return bad
}

var (
	dataWidth = regexp.MustCompile(`(?m)^\s*parameter\s+DATA_W\b`)
	validPort = regexp.MustCompile(`(?m)^\s*output\b.*valid,?\s*$`)
)

// CheckStreams looks in the netlist of every module of the library that has a valid output for one that waits for its
// ready, with the default parameters and, where the width of the streams is one, with 32 bits.
func CheckStreams(ctx context.Context, l *Library) ([]Result, error) {
	if err := tool.Need(tool.Yosys); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "hwgen_formal_")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var modules []string
	for name, text := range l.RTL {
		if err := os.WriteFile(filepath.Join(dir, name+".v"), []byte(text), 0o600); err != nil {
			return nil, err
		}
		if validPort.MatchString(text) {
			modules = append(modules, name)
		}
	}
	sort.Strings(modules)
	var out []Result
	for _, m := range modules {
		sets := []string{""}
		if dataWidth.MatchString(l.RTL[m]) {
			sets = append(sets, "DATA_W=32")
		}
		for _, set := range sets {
			r, err := l.streams(ctx, dir, m, set)
			if err != nil {
				return out, err
			}
			out = append(out, r)
		}
	}
	return out, nil
}

// streams checks one module; the library lies in dir.
func (l *Library) streams(ctx context.Context, dir, module, set string) (Result, error) {
	r := Result{Proof: strings.TrimPrefix(module, "hwgen_"), Kind: Streams, Params: set, Method: "netlist"}
	chparam := ""
	if name, value, ok := strings.Cut(set, "="); ok {
		chparam = " -chparam " + name + " " + value
	}
	var files []string
	for name := range l.closure(module, func(_, text string) string { return text }) {
		files = append(files, name+".v")
	}
	sort.Strings(files)
	script := fmt.Sprintf("read_verilog %s; hierarchy -check -top %s%s; proc; flatten; opt_clean; memory -nomap; opt_clean; "+
		"write_json netlist.json", strings.Join(files, " "), module, chparam)
	res, err := r.exec(ctx, tool.Yosys, dir, "-q", "-p", script)
	if err != nil {
		return r, err
	}
	if res.Code != 0 {
		return r, tool.Yosys.Failed(module, res)
	}
	b, err := os.ReadFile(filepath.Join(dir, "netlist.json"))
	if err != nil {
		return r, err
	}
	var j struct {
		Modules map[string]*netlist `json:"modules"`
	}
	if err := json.Unmarshal(b, &j); err != nil {
		return r, fmt.Errorf("netlist of %s: %w", module, err)
	}
	if len(j.Modules) != 1 {
		return r, fmt.Errorf("netlist of %s: %d modules", module, len(j.Modules))
	}
	for _, n := range j.Modules {
		bad := waits(module, n.cones())
		r.OK = len(bad) == 0
		r.Detail = strings.Join(bad, "; ")
	}
	return r, nil
}
