// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/emit"
	"hwgen/gen/part"
	"hwgen/gen/synth"
)

func init() { commands = append(commands, newSynthCmd, newTargetsCmd) }

func newSynthCmd(app *App) *cobra.Command {
	var configPath, target, block, bitstream string
	var seeds int
	var clock float64
	var native, asJSON bool
	c := &cobra.Command{
		Use:   "synth [-config FILE] [-target PART] [-seeds N] [-block NAME]",
		Short: "Synthesise, place and route; area, Fmax, critical path",
		Long: `Synthesises the design with Yosys, places and routes it with nextpnr once a seed, and prints the cells of each block,
what the part holds, Fmax of each clock over the seeds (median, least, most), the critical path of the median seed in the
design's own names, and whether the clock asked for is met: [synth] clock_mhz of the config, or -clock.

A scheduler without a board is folded into four pins: its inputs come from a shift register, its outputs end in one.
Their cells are counted apart. The bridge of [host] and the crossings of [clocks] are part of it; all clocks are one then.
With [board] in the config the board's top is placed on its pins, and -bitstream writes the best seed's bitstream, whose
clock is that of [board].

The tools are pinned (` + "`hwgen tools -install`" + `); -native takes those on PATH instead. Results are kept by content.
Exit code 1 if the clock is not met or the part too small.`,
		Example: `  hwgen synth -config quad.toml -target hx8k -seeds 3
  hwgen synth -config quad.toml -target ecp5-85f-8 -json
  hwgen synth -config quad.toml -block aes.balancer
  hwgen synth -config ulx3s.toml -bitstream ulx3s.bit`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if seeds < 1 || seeds > 100 {
				return diag.Usage("-seeds %d: allowed: 1 to 100", seeds)
			}
			if clock < 0 || clock > 1000 {
				return diag.Usage("-clock %g: allowed: up to 1000 MHz", clock)
			}
			l, err := app.Load(configPath)
			if err != nil {
				return err
			}
			req, err := app.synthRequest(l, target, block)
			if err != nil {
				return err
			}
			req.Seeds, req.Native = seeds, native
			if bitstream != "" {
				if req.Constraints == nil {
					return diag.Usage("-bitstream needs a config with [board], without -target and -block")
				}
				if clock > 0 && clock != req.ClockMHz {
					return diag.Usage("-clock %g beside -bitstream: the bitstream's clock is %s MHz; change clock_mhz of [board], or leave -bitstream out",
						clock, megahertz(req.ClockMHz))
				}
				if bitstream == "-" && asJSON {
					return diag.Usage("-bitstream and -json cannot both go to standard output; give -bitstream a file")
				}
				if bitstream != "-" {
					if err := checkWritable(bitstream); err != nil {
						return diag.Usage("-bitstream %s: %w", bitstream, err)
					}
				}
			}
			if clock > 0 {
				req.ClockMHz = clock
			}
			ctx, stop := interruptible()
			defer stop()
			res, err := synth.Run(ctx, req)
			var large *synth.TooLarge
			if errors.As(err, &large) && asJSON {
				return errors.Join(app.PrintJSON(large.Result), err)
			}
			if err != nil {
				return err
			}
			report := app
			if bitstream == "-" {
				report = &App{Out: app.Err, Err: app.Err, Version: app.Version}
			}
			if asJSON {
				err = app.PrintJSON(res)
			} else {
				report.printSynth(res)
			}
			if err == nil && bitstream != "" {
				if err = writeTo(app.Out, bitstream, func(w io.Writer) error { return synth.CopyBitstream(res.Bitstream, w) }); err != nil {
					return diag.Usage("-bitstream %s: %w", bitstream, diag.Cause(err))
				}
				app.Note("hwgen: %s", bitstream)
			}
			if err == nil && !res.Met {
				err = diag.Failed("%s misses %g MHz on %s", l.Design.Name, req.ClockMHz, req.Target)
			}
			return err
		},
	}
	configFlag(c, &configPath)
	c.Flags().StringVarP(&target, "target", "t", "", "`PART`, see hwgen targets (default: of the config, [synth] target)")
	c.Flags().StringVar(&block, "block", "", "only this `BLOCK`: of the top (splitter), or cluster.block (aes.balancer, aes.lane_1)")
	c.Flags().StringVar(&bitstream, "bitstream", "", "write the best seed's bitstream to `FILE` (a config with [board]); - is standard output")
	c.Flags().IntVar(&seeds, "seeds", 1, "how often to place and route")
	c.Flags().Float64Var(&clock, "clock", 0, "`MHz` to reach (default: of the config, [synth] clock_mhz)")
	c.Flags().BoolVar(&native, "native", false, "take the tools on PATH, not the pinned ones")
	jsonFlag(c, &asJSON)
	return c
}

// synthRequest is what to synthesise of a loaded design.
func (a *App) synthRequest(l *Loaded, target, block string) (*synth.Request, error) {
	d := l.Design
	t := part.Target{}
	boards := d.Board != nil && target == "" // the part is the board's
	onBoard := boards && block == ""
	var err error
	switch {
	case boards && d.Board.Target.Family == part.Xilinx:
		return nil, diag.Usage("board %s: there is no open flow for %s here: take the generated board/, rtl/ and constraints/ into Vivado; -target PART places the scheduler elsewhere",
			d.Board.Name, d.Board.Target.Device)
	case boards:
		t = d.Board.Target
	default:
		if target == "" {
			target = d.Synth.Target
		}
		if t, err = part.Find(target); err != nil {
			return nil, diag.Usage("-target: %w", err)
		}
	}
	out, err := a.Emit(l)
	if err != nil {
		return nil, err
	}
	req := &synth.Request{
		Top: d.Outermost(), Target: t, ClockMHz: d.Synth.ClockMHz, Files: synth.FilesOf(out),
		Note: func(f string, v ...any) { a.Note("hwgen: "+f, v...) },
	}
	if onBoard {
		top, pins := emit.BoardFiles(d)
		req.Top = strings.TrimSuffix(path.Base(top), ".v")
		req.Files = synth.FilesOf(out, top)
		req.Constraints = out[pins]
		if d.Board.PLL != nil { // else the oscillator is the design's clock
			req.Clocks = map[string]float64{"clk_in": float64(d.Board.ClockHz) / 1e6}
		}
	}
	if block != "" {
		req.Top = d.Top
		if req.Block, err = blockOf(d, out, block); err != nil {
			return nil, err
		}
	}
	return req, nil
}

// blockOf finds a block by the name of its module or of its instance. Of several instances of a module it is the first.
func blockOf(d *design.Design, out emit.Output, name string) (*synth.Block, error) {
	parent, before, short := d.Top, "", name
	if cluster, rest, ok := strings.Cut(name, "."); ok {
		var names []string
		for _, c := range d.Clusters {
			if c.Name == cluster {
				parent, before, short = c.Module, cluster+".", rest
			}
			names = append(names, c.Name)
		}
		if before == "" {
			return nil, diag.Usage("-block %s: no cluster %q; %s", name, cluster, diag.Allowed(cluster, names))
		}
	}
	instances := synth.InstancesOf(out, parent, d.Name, d.Lib)
	var b *synth.Block
	var names []string
	for _, i := range instances {
		own := strings.TrimPrefix(i.Name, "u_")
		if b == nil && (i.Short == short || own == short || i.Name == short) {
			b = &synth.Block{Parent: parent, Module: i.Module, Instance: i.Name}
		}
		names = append(names, before+i.Short)
		if own != i.Short {
			names = append(names, before+own)
		}
	}
	if b == nil {
		slices.Sort(names)
		return nil, diag.Usage("-block %s: no such block; %s", name, diag.Allowed(name, slices.Compact(names)))
	}
	for _, i := range instances {
		b.Others = b.Others || i.Module == b.Module && i.Name != b.Instance
	}
	return b, nil
}

func (a *App) printSynth(r *synth.Result) {
	what := r.Design
	if r.Block != "" {
		what = r.Block
		if r.Instance != "" {
			what += ", " + r.Instance
		}
	}
	a.Printf("%s on %s\n%s\n\n", what, r.Target, r.Tools)
	rows := [][]string{{"block", "LUTs", "flip-flops", "carry", "block RAMs", "DSPs", "memories in LUTs"}}
	row := func(name string, x synth.Area) {
		rows = append(rows, []string{name, fmt.Sprint(x.LUTs), fmt.Sprint(x.FFs), fmt.Sprint(x.Carry), fmt.Sprint(x.RAMs),
			fmt.Sprint(x.DSPs), fmt.Sprint(x.LUTRAMs)})
	}
	for _, b := range r.Blocks {
		depth := strings.Count(b.Name, ".")
		if depth > 2 {
			continue
		}
		row(strings.Repeat("  ", depth)+b.Name[strings.LastIndex(b.Name, ".")+1:], b)
	}
	row("all", r.Area)
	if r.Wrapper != (synth.Area{}) {
		row("(pins folded, not counted)", r.Wrapper)
	}
	a.table(rows)
	a.Printf("\nplaced\n")
	rows = nil
	for _, p := range r.Placed {
		rows = append(rows, []string{"  " + p.Name, fmt.Sprint(p.Used), fmt.Sprintf("of %d", p.Available),
			fmt.Sprintf("%.0f %%", 100*float64(p.Used)/float64(max(p.Available, 1)))})
	}
	a.table(rows)
	if len(r.Critical) > 0 {
		a.Printf("\ncritical path of the median seed\n")
		total := 0.0
		rows = nil
		for _, s := range r.Critical {
			total += s.DelNs
			to := s.To
			if s.From == s.To {
				to = ""
			}
			if s.Levels > 1 {
				to = fmt.Sprintf("%d levels", s.Levels)
			}
			rows = append(rows, []string{"  " + s.Kind, fmt.Sprintf("%.2f ns", s.DelNs), s.From, to})
		}
		a.table(append(rows, []string{"  all", fmt.Sprintf("%.2f ns", total)}))
	}
	a.Printf("\n")
	for _, c := range r.Clocks {
		a.Printf("%s: %.1f MHz, median of %d seed%s (%.1f to %.1f)\n", c.Name, c.Median, len(c.Fmax), plural(len(c.Fmax) == 1), c.Min, c.Max)
	}
	if r.Unplaced > 0 {
		a.Printf("%d more seed%s could not be placed: the part is nearly full\n", r.Unplaced, plural(r.Unplaced == 1))
	}
	verdict := "met"
	if !r.Met {
		verdict = "NOT met"
	}
	a.Printf("%g MHz asked for: %s\n", r.ClockMHz, verdict)
}

func newTargetsCmd(app *App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "targets [-json]",
		Short:   "List the parts that synth places designs in",
		Example: "  hwgen targets",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return app.PrintJSON(part.Parts)
			}
			rows := [][]string{{"target", "LUTs", "flip-flops", "block RAMs", "DSPs", ""}}
			for _, p := range part.Parts {
				rows = append(rows, []string{p.Name, fmt.Sprint(p.LUTs), fmt.Sprint(p.FFs), fmt.Sprintf("%d x %d", p.RAMs, p.RAMBits),
					fmt.Sprint(p.DSPs), p.Doc})
			}
			app.table(rows)
			return nil
		},
	}
	jsonFlag(c, &asJSON)
	return c
}
