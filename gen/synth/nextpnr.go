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
	"strconv"
	"strings"

	"hwgen/gen/diag"
	"hwgen/gen/tool"
)

// pnrReport is what hwgen reads of nextpnr's JSON report.
type pnrReport struct {
	Fmax map[string]struct {
		Achieved float64 `json:"achieved"`
	} `json:"fmax"`
	Utilization map[string]struct {
		Used      int `json:"used"`
		Available int `json:"available"`
	} `json:"utilization"`
	CriticalPaths []struct {
		From string    `json:"from"`
		To   string    `json:"to"`
		Path []pnrStep `json:"path"`
	} `json:"critical_paths"`
	seed int
	file string // nextpnr's output of this seed
}

type pnrStep struct {
	Type  string  `json:"type"`
	Delay float64 `json:"delay"`
	Net   string  `json:"net"`
	From  pnrPin  `json:"from"`
	To    pnrPin  `json:"to"`
}

type pnrPin struct {
	Cell string `json:"cell"`
	Port string `json:"port"`
}

func (p *pnrReport) summary() string {
	var s []string
	for _, c := range slices.Sorted(maps.Keys(p.Fmax)) {
		s = append(s, fmt.Sprintf("%s %.1f MHz", clockName(c), p.Fmax[c].Achieved))
	}
	if s == nil {
		return "no clock"
	}
	return strings.Join(s, ", ")
}

func (f *flow) nextpnr(ctx context.Context, seed int, so *Result) (*pnrReport, error) {
	pins := ""
	if f.r.Constraints != nil {
		pins = f.fam.pinFile
		if err := os.WriteFile(filepath.Join(f.dir, pins), f.r.Constraints, 0o644); err != nil {
			return nil, err
		}
	} else if f.fam.foldPins != nil {
		pins = f.fam.pinFile
		if err := os.WriteFile(filepath.Join(f.dir, pins), []byte(f.fam.foldPins(f.r.Target)), 0o644); err != nil {
			return nil, err
		}
	}
	report := filepath.Join(f.dir, "report.json")
	_ = os.Remove(report)
	args := append([]string{"--json", "netlist.json", "--report", "report.json", "--freq", fmt.Sprint(f.r.ClockMHz),
		"--seed", fmt.Sprint(seed), "--timing-allow-fail"}, f.fam.pnrArgs(f.r.Target, pins)...)
	res, err := f.tools.Run(ctx, f.fam.pnr, f.dir, args...)
	if err != nil {
		return nil, err
	}
	_ = os.WriteFile(filepath.Join(f.dir, fmt.Sprintf("nextpnr.%d.log", seed)), []byte(res.Out), 0o644)
	if res.Code != 0 {
		return nil, f.pnrError(res, so)
	}
	b, err := os.ReadFile(report)
	if err != nil {
		return nil, &diag.ToolError{Tool: f.fam.pnr, Err: fmt.Errorf("wrote no report: %w", diag.Cause(err))}
	}
	p := &pnrReport{seed: seed}
	if err := json.Unmarshal(b, p); err != nil {
		return nil, &diag.ToolError{Tool: f.fam.pnr, Err: fmt.Errorf("report: %w", err)}
	}
	p.file = filepath.Join(f.dir, fmt.Sprintf("%d.%s", seed, f.fam.out))
	return p, os.Rename(filepath.Join(f.dir, f.fam.out), p.file)
}

// full are nextpnr's ways to say that a design is too large.
var full = regexp.MustCompile(`(?m)^ERROR: (.*(?:[Uu]nable to (?:find (?:a |legal )?placement|place cell)|[Ff]ailed to (?:place (?:cell|chain)|expand region)).*)$`)

// utilisation is a line of nextpnr's list of what is used and what the part has.
var utilisation = regexp.MustCompile(`(?m)^Info:\s+(\w+):\s*(\d+)/\s*(\d+)\s+\d+%$`)

// over is a line that names the kinds of cells of which nextpnr counts more than there are, "" if there are none.
func over(out string) string {
	var l []string
	for _, m := range utilisation.FindAllStringSubmatch(out, -1) {
		used, _ := strconv.Atoi(m[2])
		if have, _ := strconv.Atoi(m[3]); used > have {
			l = append(l, fmt.Sprintf("%s %d of %d", m[1], used, have))
		}
	}
	if l == nil {
		return ""
	}
	return "\ncells: " + strings.Join(l, ", ")
}

func (f *flow) pnrError(res tool.Result, so *Result) error {
	if m := full.FindStringSubmatch(res.Out); m != nil {
		cells := over(res.Out)
		return &TooLarge{Result: so, over: cells != "", err: diag.Failed("%s does not fit %s: nextpnr: %s%s%s%s", f.r.Top, f.r.Target, m[1],
			cells, so.largest(), smaller)}
	}
	return &diag.ToolError{Tool: f.fam.pnr, Err: fmt.Errorf("place and route failed (exit %d):\n%s", res.Code, tool.Tail(res.Out, 15))}
}

// clockName is a clock without what the tools put around it.
func clockName(s string) string {
	s = strings.TrimPrefix(s, "$glbnet$")
	s = strings.TrimPrefix(s, "$PACKER_GND$")
	for _, cut := range []string{"$SB_IO_IN", "$TRELLIS_IO_IN", "_$glb_clk", "_IBUF_O", "$glb_clk", "_SB_"} {
		if i := strings.Index(s, cut); i > 0 {
			s = s[:i]
		}
	}
	return s
}

// mapped is what mapping appends to the name of the net that a cell is named after.
var mapped = regexp.MustCompile(`(_SB_|_TRELLIS_|_LUT4_|_LUT[1-4]_|_DFF|_CCU2C_|_ALU_|_MUX2_|_PFUMX_|_L6MUX21_|_RAM16|\$nextpnr|_DP16KD|_SDP|_pROM|_ABC9|_LC$|\$abc).*$`)

// ownName is a cell or net in the design's own names.
func (f *flow) ownName(s string) string {
	s = strings.TrimPrefix(s, "$glbnet$")
	if i := mapped.FindStringIndex(s); i != nil && i[0] > 0 {
		s = s[:i[0]]
	}
	if f.inst != "" {
		s = strings.TrimPrefix(s, f.inst+".")
	}
	return s
}

// collect puts the seeds together: Fmax of each clock, the path of the median seed, the bitstream of the best one.
func (f *flow) collect(ctx context.Context, res *Result, runs []*pnrReport) error {
	mhz := map[string][]float64{}
	for _, r := range runs {
		for c, v := range r.Fmax {
			mhz[clockName(c)] = append(mhz[clockName(c)], v.Achieved)
		}
	}
	res.Met = len(mhz) > 0
	worst := ""
	for _, c := range slices.Sorted(maps.Keys(mhz)) {
		k := Clock{Name: c, Fmax: mhz[c], Median: median(mhz[c]), Min: slices.Min(mhz[c]), Max: slices.Max(mhz[c])}
		res.Clocks = append(res.Clocks, k)
		want := f.r.ClockMHz
		if v, ok := f.r.Clocks[c]; ok {
			want = v
		}
		if k.Median < want {
			res.Met = false
		}
		if worst == "" || k.Median < median(mhz[worst]) {
			worst = c
		}
	}
	last := runs[0]
	for _, k := range slices.Sorted(maps.Keys(last.Utilization)) {
		if u := last.Utilization[k]; u.Used > 0 {
			res.Placed = append(res.Placed, Resource{k, u.Used, u.Available})
		}
	}
	if worst != "" {
		slices.SortStableFunc(runs, func(a, b *pnrReport) int {
			d := a.of(worst) - b.of(worst)
			switch {
			case d < 0:
				return -1
			case d > 0:
				return 1
			}
			return 0
		})
		res.Critical = f.path(runs[(len(runs)-1)/2], worst)
	}
	if f.r.Constraints == nil {
		return nil
	}
	best := runs[len(runs)-1]
	if err := os.Rename(best.file, filepath.Join(f.dir, f.fam.out)); err != nil {
		return err
	}
	prog, args := f.fam.pack(f.r.Target)
	f.note("%s: bitstream of seed %d", prog, best.seed)
	r, err := f.tools.Run(ctx, prog, f.dir, args...)
	if err != nil {
		return err
	}
	if r.Code != 0 {
		return &diag.ToolError{Tool: prog, Err: fmt.Errorf("packing failed (exit %d):\n%s", r.Code, tool.Tail(r.Out, 10))}
	}
	res.Bitstream = filepath.Join(f.dir, f.fam.bitstream)
	return nil
}

func (p *pnrReport) of(clock string) float64 {
	for c, v := range p.Fmax {
		if clockName(c) == clock {
			return v.Achieved
		}
	}
	return 0
}

// path is a clock's critical path. Pieces inside one own name are one step: mapping gives all logic behind a net its name.
func (f *flow) path(r *pnrReport, clock string) []Step {
	for _, cp := range r.CriticalPaths {
		from, to := strings.Fields(cp.From), strings.Fields(cp.To)
		if len(from) < 2 || len(to) < 2 || clockName(from[len(from)-1]) != clock || clockName(to[len(to)-1]) != clock {
			continue
		}
		return f.steps(cp.Path)
	}
	return nil
}

func (f *flow) steps(path []pnrStep) []Step {
	var steps []Step
	for _, s := range path {
		st := Step{Kind: s.Type, DelNs: s.Delay, From: f.ownName(s.From.Cell), To: f.ownName(s.To.Cell)}
		if s.Type == "logic" {
			st.Levels = 1
		}
		n := len(steps) - 1
		inside := st.From == st.To && (s.Type == "logic" || s.Type == "routing")
		if n >= 0 && inside && steps[n].Kind == "logic" && steps[n].From == st.From && steps[n].To == st.To {
			steps[n].DelNs += st.DelNs
			steps[n].Levels += st.Levels
			continue
		}
		if inside {
			st.Kind = "logic"
		}
		steps = append(steps, st)
	}
	return steps
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	n := len(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return (s[n/2-1] + s[n/2]) / 2
}
