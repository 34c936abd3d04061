// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hwgen/gen/area"
	"hwgen/gen/design"
	"hwgen/gen/part"
)

func newCheckCmd(app *App) *cobra.Command {
	var configPath string
	var asJSON bool
	c := &cobra.Command{
		Use:   "check [-config FILE]",
		Short: "Check a config and print the design",
		Long: `Checks a config and prints the elaborated design: clusters, cores, queues, cycles a block, memory bits, rates, and
warnings about what the design will do that may not be meant. Every mistake of the config is reported with its place.`,
		Example: `  hwgen check -config quad.toml
  hwgen check -config quad.toml -json | jq .memory_bits`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			d, err := app.loadDesign(configPath)
			if err != nil {
				return err
			}
			r, e := d.Report(), estimateOf(d)
			if e.over != "" {
				r.Warnings = append(r.Warnings, e.over)
			}
			if asJSON {
				return app.PrintJSON(struct {
					*design.Report
					Target string        `json:"target"`
					Area   area.Estimate `json:"estimated_area"`
				}{r, e.target.String(), e.Estimate})
			}
			app.printReport(r, e)
			return nil
		},
	}
	configFlag(c, &configPath)
	jsonFlag(c, &asJSON)
	return c
}

// estimate is what a design is expected to take on its part.
type estimate struct {
	area.Estimate
	target part.Target
	over   string // warning: the part that the config names is too small
}

func estimateOf(d *design.Design) estimate {
	t, _ := part.Find(d.Synth.Target) // the config was checked
	if d.Board != nil {
		t = d.Board.Target
	}
	e := estimate{Estimate: area.Of(d, t.Family), target: t}
	if over := e.Fits(t.Part); over != "" && d.Synth.Given {
		e.over = fmt.Sprintf("%s is too small: %s (hwgen synth counts them)", t.Name, over)
	}
	return e
}

func (a *App) printReport(r *design.Report, e estimate) {
	a.Printf("design %s: %d-bit streams, packets of up to %d bytes, %d slots, %d requesters, wait queue %d\n",
		r.Design, r.DataWidth, r.PacketBytes, r.Slots, r.Requesters, r.WaitQueue)
	params := ""
	if r.Params != "" {
		params = ", " + r.Params
	}
	a.Printf("policy %s%s, bind %s, balancer %s\n", r.Policy, params, r.Bind, r.Balancer)
	a.printSettings(r)
	for i, c := range r.Clusters {
		a.Printf("\ncluster %d %s: %s, queue %d, choose list %d, %d key slots", i, c.Name, c.Algorithm, c.Queue, c.ChooseList, c.KeySlots)
		if c.SlotQuota < r.Slots {
			a.Printf(", at most %d slots", c.SlotQuota)
		}
		a.Printf("; %s\n", scoresOf(&c))
		rows := [][]string{{"  core", "kind", "queue", "encrypt", "decrypt", "sign", "verify", "blocks/cycle", "inverse"}}
		for _, co := range c.Cores {
			kind := co.Kind
			if co.External {
				kind = co.Module + " (external)"
			}
			row := []string{fmt.Sprintf("  %d", co.Core), kind, fmt.Sprint(co.Queue)}
			for _, t := range co.Cycles {
				s := fmt.Sprint(t)
				if t == 0 {
					s = "-"
				}
				row = append(row, s)
			}
			inv := "yes"
			if !co.Inverse {
				inv = "no"
			}
			rows = append(rows, append(row, fmt.Sprintf("%.4f", co.Rate), inv))
		}
		a.table(append(rows, []string{"  all", "", "", "", "", "", "", fmt.Sprintf("%.4f", c.Rate)}))
	}
	a.Printf("\nmemories\n")
	rows := [][]string{{"  memory", "bits a word", "words", "bits"}}
	for _, m := range r.Memories {
		rows = append(rows, []string{"  " + m.Name, fmt.Sprint(m.Width), fmt.Sprint(m.Depth), fmt.Sprint(m.Bits)})
	}
	a.table(append(rows,
		[]string{"  all", "", "", fmt.Sprint(r.MemoryBits)},
		[]string{"  cluster and core queues, in flip-flops", "", "", fmt.Sprint(r.QueueBits)},
		[]string{"  both: what tune -memory-bits bounds", "", "", fmt.Sprint(r.MemoryBits + r.QueueBits)}))
	a.Printf("\nestimated for %s: %d LUTs, %d flip-flops, %d block RAMs", e.target, e.LUTs, e.FFs, e.RAMs)
	if e.target.Family == part.ICE40 {
		a.Printf("; %d logic cells of %d", e.Cells, e.target.LUTs)
	} else {
		a.Printf("; the part has %d LUTs", e.target.LUTs)
	}
	if e.Extrapolated {
		a.Printf(". A guess: no design for this family, of this width, or with these cores, registers or clock crossings, was measured")
	} else {
		a.Printf(", within %.0f %%", 100*area.MaxError)
	}
	a.Printf("\n\nrates, blocks of 16 bytes a cycle\n")
	a.table([][]string{
		{"  job stream, full packets", fmt.Sprintf("%.4f", r.StreamRate)},
		{"  job stream, full packets with IV", fmt.Sprintf("%.4f", r.StreamRateIV)},
		{"  all cores", fmt.Sprintf("%.4f", r.CoreRate)},
		{"  limit", r.Limit},
	})
	if len(r.Warnings) > 0 {
		a.Printf("\nwarnings\n  %s\n", strings.Join(r.Warnings, "\n  "))
	}
}

// printSettings prints the keys of the config that the tables do not show.
func (a *App) printSettings(r *design.Report) {
	choose := func(b bool, yes, no string) string {
		if b {
			return yes
		}
		return no
	}
	registers := "no registers"
	if r.Axil {
		registers = "registers on AXI4-Lite, " + choose(r.Counters, "counters among them", "no counters")
	}
	a.Printf("lanes %s, score tables %s, cores %s in results, %s, library %s, for %s MHz\n", r.Lane,
		choose(r.Programmable, "programmable", "fixed"), choose(r.ReportCore, "told", "not told"), registers, r.Library, megahertz(r.ClockMHz))
	if b := r.Board; b != nil {
		a.Printf("board %s: oscillator %s MHz, %s %s MHz, uart_rx %s, uart_tx %s\n", b.Name, megahertz(float64(b.OscillatorHz)/1e6),
			choose(b.PLL, "PLL to", "no PLL, clock"), megahertz(float64(b.ClockHz)/1e6), b.RX, b.TX)
	}
	if h := r.Host; h != nil {
		a.Printf("host %s: %d baud at %d Hz, window %d\n", h.Top, h.Baud, h.ClockHz, h.Window)
	}
	if k := r.Clocks; k != nil {
		var own []string
		for _, x := range []struct {
			on   bool
			name string
		}{{k.Jobs, "jobs"}, {k.Results, "results"}, {k.Registers, "registers"}} {
			if x.on {
				own = append(own, x.name)
			}
		}
		a.Printf("clocks %s: of their own for %s; depth %d, stages %d\n", k.Top, strings.Join(own, ", "), k.Depth, k.Stages)
	}
}

// megahertz is a frequency to the hertz.
func megahertz(f float64) string { return strconv.FormatFloat(math.Round(f*1e6)/1e6, 'f', -1, 64) }

// scoresOf says in what a cluster's scores are held.
func scoresOf(c *design.ClusterReport) string {
	if c.ScoreBits == 0 {
		return "no scores"
	}
	s := fmt.Sprintf("scores of %d bit%s", c.ScoreBits, plural(c.ScoreBits == 1))
	if c.FracBits > 0 {
		s += fmt.Sprintf(", %d of them fraction", c.FracBits)
	}
	if c.PerUnit > 0 {
		s += fmt.Sprintf(", %.4g step%s a %s", c.PerUnit, plural(c.PerUnit == 1), c.Unit)
	}
	if !c.Exact {
		return s + fmt.Sprintf(", rounded (exact: %d bits)", c.ExactBits)
	}
	return s + ", exact"
}

func plural(one bool) string {
	if one {
		return ""
	}
	return "s"
}
