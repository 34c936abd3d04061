// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"hwgen/gen/diag"
	"hwgen/gen/verify"
)

func init() { commands = append(commands, newFuzzDesignsCmd) }

func newFuzzDesignsCmd(app *App) *cobra.Command {
	var o verify.RandomOptions
	var out string
	var asJSON bool
	c := &cobra.Command{
		Use:   "fuzz-designs [-count N] [-seed S] [-state FILE]",
		Short: "Generate random designs, lint them in three tools and run random jobs on each",
		Long: `Draws a config from all that a config can say for each seed from -seed on, generates the design, lints it in Icarus
Verilog, Verilator and Yosys, and runs 500 random jobs on it, half of them under stalls, and 300 random frames that a
clear and a reset cut off; every answer is checked. A seed names one design. A failure is printed with its config and
how to repeat it; exit code 1. With -state a run that was stopped goes on where it was, and what failed is tried again.

-out writes the config of one seed and the sources of its external cores into a folder, for other commands to take.`,
		Example: `  hwgen fuzz-designs -count 2000 -state build/designs.state
  hwgen fuzz-designs -seed 137 -count 1
  hwgen fuzz-designs -seed 137 -out d137; hwgen verify -config d137/random.toml -step lint-yosys`,
		Hidden: true,
		Args:   noArgs,
		RunE: func(*cobra.Command, []string) error {
			if o.Count < 1 {
				return diag.Usage("-count %d: at least 1", o.Count)
			}
			if out != "" {
				if err := verify.WriteRandomDesign(o.Seed, out); err != nil {
					return err
				}
				app.Printf("%s\n", filepath.Join(out, verify.RandomConfigName))
				return nil
			}
			ctx, stop := interruptible()
			defer stop()
			p := newProgress(app.Err)
			o.Progress = func(done, total int) { p.step("designs", done, total) }
			o.Note = func(f string, a ...any) { p.clear(); app.Note("hwgen: "+f, a...) }
			rep, err := verify.RandomDesigns(ctx, o)
			p.clear()
			if err != nil {
				return err
			}
			if asJSON {
				err = app.PrintJSON(rep)
			} else {
				app.Printf("%s", rep.Table())
			}
			if err == nil && !rep.OK {
				err = diag.Failed("%d of %d random designs failed", len(rep.Failed), rep.Done)
			}
			return err
		},
	}
	c.Flags().IntVar(&o.Count, "count", 100, "`N` designs")
	c.Flags().Int64Var(&o.Seed, "seed", 1, "seed `S` of the first design; the next has the next")
	c.Flags().BoolVar(&o.Lint, "lint", false, "lint alone, no simulation; Yosys and Verilator without what looks for loops")
	c.Flags().BoolVar(&o.Small, "small", false, "pass over seeds of large designs")
	c.Flags().StringVar(&o.State, "state", "", "`FILE` that remembers the seeds that are done")
	c.Flags().IntVar(&o.Workers, "workers", 0, "`N` batches of designs at a time (default: as many as there are processors)")
	c.Flags().StringVarP(&out, "out", "o", "", "write the config of -seed into `DIR`, and do nothing else")
	jsonFlag(c, &asJSON)
	return c
}
