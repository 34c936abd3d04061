// SPDX-License-Identifier: Apache-2.0

// Package synth synthesises, places and routes generated Verilog with Yosys and nextpnr, and reads what they report:
// cells, memories, Fmax over several seeds, the critical path and the area of each block.
package synth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hwgen/gen/diag"
	"hwgen/gen/part"
	"hwgen/gen/tool"
)

// Request is what to synthesise.
type Request struct {
	Top         string            // top module of Files
	Files       map[string][]byte // Verilog by file name, no folders
	Target      part.Target
	ClockMHz    float64 // the clock asked for
	Seeds       int     // of place and route, 1 to Seeds
	Native      bool    // tools of PATH instead of the pinned ones
	Constraints []byte  // pins of a board's top; nil: the top is folded into four pins
	Clocks      map[string]float64
	Block       *Block // only this instance; nil: the whole top
	Note        func(format string, args ...any)
}

// Block is one instance below the top, synthesised alone.
type Block struct {
	Parent   string // module that instantiates it
	Module   string // its module's name, without parameters
	Instance string
	Others   bool // the parent has other instances of the module, which may be unlike this one
}

// Result is what came out.
type Result struct {
	Design   string  `json:"design"`
	Block    string  `json:"block,omitempty"`
	Instance string  `json:"instance,omitempty"` // of the block
	Target   string  `json:"target"`
	Tools    string  `json:"tools"`
	ClockMHz float64 `json:"clock_mhz"` // asked for
	// Cells without the wrapper that folds ports into pins.
	Area      Area       `json:"area"`
	Wrapper   Area       `json:"wrapper"`
	Placed    []Resource `json:"placed"` // what nextpnr placed, the wrapper included, against what the part has
	Clocks    []Clock    `json:"clocks"`
	Critical  []Step     `json:"critical_path"` // of the seed with the median Fmax
	Blocks    []Area     `json:"blocks"`        // by hierarchy, each with what is below it
	Met       bool       `json:"met"`           // the median of the clock reaches ClockMHz
	Unplaced  int        `json:"seeds_not_placed,omitempty"`
	TooLarge  string     `json:"too_large,omitempty"` // why the part cannot hold it
	Cached    bool       `json:"-"`
	Bitstream string     `json:"-"` // of the best seed, for a board
}

// Area is cells after mapping.
type Area struct {
	Name  string `json:"name,omitempty"`
	LUTs  int    `json:"luts"`
	FFs   int    `json:"ffs"`
	Carry int    `json:"carry"`
	RAMs  int    `json:"rams"`
	DSPs  int    `json:"dsps"`
	// LUTRAMs are memories in LUTs, in cells of the family.
	LUTRAMs int `json:"lut_rams"`
}

// Resource is a kind of cell of the part.
type Resource struct {
	Name      string `json:"name"`
	Used      int    `json:"used"`
	Available int    `json:"available"`
}

// Clock is a clock's Fmax over the seeds.
type Clock struct {
	Name   string    `json:"name"`
	Fmax   []float64 `json:"fmax_mhz"` // seed 1, 2, .., of those that were placed
	Median float64   `json:"median_mhz"`
	Min    float64   `json:"min_mhz"`
	Max    float64   `json:"max_mhz"`
}

// Step is a piece of a path.
type Step struct {
	Kind   string  `json:"kind"` // clk-to-q, routing from one name to another, logic with the routing inside a name, setup
	DelNs  float64 `json:"ns"`
	Levels int     `json:"levels"` // of logic
	From   string  `json:"from"`
	To     string  `json:"to"`
}

// cacheVersion changes when what is kept or how it is made does.
const cacheVersion = "3"

// Run synthesises. It takes the result of an earlier run of the same content if there is one.
func Run(ctx context.Context, r *Request) (*Result, error) {
	if r.Seeds < 1 {
		r.Seeds = 1
	}
	fam, err := familyOf(r.Target.Family)
	if err != nil {
		return nil, err
	}
	tools, err := tool.FindFPGA(r.Native)
	if err != nil {
		return nil, err
	}
	var versions []string
	for _, p := range []string{"yosys", fam.pnr} {
		v, err := tools.Version(ctx, p)
		if err != nil {
			return nil, err
		}
		versions = append(versions, v)
	}
	keys := versions
	if r.Constraints != nil && (r.Native || r.Target.Family == part.Gowin) { // the other pinned packers come with nextpnr
		prog, _ := fam.pack(r.Target)
		v, err := tools.Packer(ctx, prog)
		if err != nil {
			return nil, err
		}
		keys = append(slices.Clone(versions), v)
	}
	dir, err := workDir(r, fam, keys)
	if err != nil {
		return nil, err
	}
	unlock, err := lock(ctx, dir, r.Note)
	if err != nil {
		return nil, err
	}
	defer unlock()
	kept := filepath.Join(dir, "result.json")
	if b, err := os.ReadFile(kept); err == nil {
		res := &Result{}
		if json.Unmarshal(b, res) == nil {
			res.Cached = true
			if r.Block != nil {
				res.Instance = r.Block.Instance
			}
			if res.TooLarge != "" {
				return nil, &TooLarge{Result: res, err: diag.Failed("%s", res.TooLarge)}
			}
			if res.Bitstream = filepath.Join(dir, fam.bitstream); r.Constraints == nil {
				res.Bitstream = ""
			}
			return res, nil
		}
	}
	f := &flow{r: r, fam: fam, tools: tools, dir: dir}
	res, err := f.run(ctx)
	var large *TooLarge
	if errors.As(err, &large) { // that is a result too
		res = large.Result
		res.TooLarge = large.Error()
	} else if err != nil {
		return nil, err
	}
	res.Tools = strings.Join(versions, ", ")
	b, err := json.MarshalIndent(res, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := writeWhole(kept, b); err != nil {
		return nil, err
	}
	if large != nil {
		return nil, large
	}
	return res, nil
}

type flow struct {
	r     *Request
	fam   *family
	tools *tool.FPGA
	dir   string
	top   string // of what is placed
	inst  string // instance of the design in it, "" if it is the top itself
	// wrapper is the area of what folds the ports.
	wrapper Area
}

func (f *flow) note(format string, args ...any) {
	if f.r.Note != nil {
		f.r.Note(format, args...)
	}
}

func (f *flow) run(ctx context.Context) (*Result, error) {
	for name, b := range f.r.Files {
		if err := os.WriteFile(filepath.Join(f.dir, name), b, 0o644); err != nil {
			return nil, err
		}
	}
	res := &Result{
		Design: f.r.Top, Target: f.r.Target.String(), ClockMHz: f.r.ClockMHz, Placed: []Resource{}, Clocks: []Clock{}, Critical: []Step{},
	}
	if f.r.Block != nil {
		res.Block, res.Instance = f.r.Block.Module, f.r.Block.Instance
	}
	read, err := f.prepare(ctx)
	if err != nil {
		return nil, err
	}
	f.note("yosys: synthesis for %s", res.Target)
	if err := f.yosys(ctx, "synth.ys", read+script(f.r, f.top)); err != nil {
		return nil, err
	}
	if err := f.readNetlist(res); err != nil {
		return nil, err
	}
	if err := f.fits(res); err != nil {
		return nil, err
	}
	return res, f.place(ctx, res)
}

// fits refuses a netlist that is larger than the part, before hours of placement tell so.
func (f *flow) fits(res *Result) error {
	all := res.Area
	all.add(res.Wrapper)
	t := f.r.Target
	var over []string
	for _, k := range []struct {
		what       string
		used, have int
	}{
		{"LUTs", all.LUTs, t.LUTs}, {"flip-flops", all.FFs, t.FFs}, {"block RAMs", all.RAMs, t.RAMs}, {"DSPs", all.DSPs, t.DSPs},
	} {
		if k.used > k.have {
			over = append(over, fmt.Sprintf("%d %s of %d", k.used, k.what, k.have))
		}
	}
	if over == nil {
		return nil
	}
	return &TooLarge{Result: res, over: true, err: diag.Failed("%s is too large for %s: %s%s%s", f.r.Top, t, strings.Join(over, ", "), res.largest(), smaller)}
}

// largest is a line that names the largest blocks, "" if there are none.
func (r *Result) largest() string {
	var l []string
	blocks := slices.Clone(r.Blocks)
	slices.SortStableFunc(blocks, func(a, b Area) int { return b.LUTs - a.LUTs })
	for _, b := range blocks {
		if strings.Count(b.Name, ".") >= 1 && len(l) < 5 {
			l = append(l, fmt.Sprintf("%s %d", b.Name, b.LUTs))
		}
	}
	if l == nil {
		return ""
	}
	return "\nlargest blocks, in LUTs: " + strings.Join(l, ", ")
}

const smaller = "\ntry a larger part, lane = \"serial\", sbox = \"field\", fewer cores, a smaller choose_list or fewer key_slots"

// TooLarge is the error of a design that its part cannot hold; Result has the cells.
type TooLarge struct {
	Result *Result
	over   bool // cells are counted beyond what the part has: no seed helps
	err    error
}

// Error says what is over.
func (e *TooLarge) Error() string { return e.err.Error() }

// Unwrap gives the error with its exit code.
func (e *TooLarge) Unwrap() error { return e.err }

func (f *flow) place(ctx context.Context, res *Result) error {
	var runs []*pnrReport
	var large *TooLarge
	for seed := 1; seed <= f.r.Seeds; seed++ {
		f.note("nextpnr: place and route, seed %d of %d", seed, f.r.Seeds)
		rep, err := f.nextpnr(ctx, seed, res)
		if errors.As(err, &large) { // another seed may find room, unless there are too few cells
			if large.over {
				return large
			}
			res.Unplaced++
			f.note("nextpnr: seed %d: not placed", seed)
			continue
		}
		if err != nil {
			return err
		}
		runs = append(runs, rep)
		if f.r.Seeds > 1 || f.r.Note != nil {
			f.note("nextpnr: seed %d: %s", seed, rep.summary())
		}
	}
	if len(runs) == 0 {
		return large
	}
	return f.collect(ctx, res, runs)
}

func (a *Area) add(b Area) {
	a.LUTs += b.LUTs
	a.FFs += b.FFs
	a.Carry += b.Carry
	a.RAMs += b.RAMs
	a.DSPs += b.DSPs
	a.LUTRAMs += b.LUTRAMs
}

func (a *Area) sub(b Area) {
	a.LUTs -= b.LUTs
	a.FFs -= b.FFs
}
