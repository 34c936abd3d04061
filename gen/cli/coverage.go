// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"

	"hwgen/gen/coverage"
	"hwgen/gen/diag"
)

func init() { commands = append(commands, newCoverageCmd) }

func newCoverageCmd(app *App) *cobra.Command {
	var o coverage.Options
	var asJSON bool
	c := &cobra.Command{
		Use:   "coverage [-packets N] [-toggles]",
		Short: "Say which lines of the RTL library the runs of verify go through",
		Long: `Counts, under Verilator, which lines of the RTL library the runs of hwgen verify go through on designs that together have
all of it, and with -toggles which bits change. Fails if a line is not reached and gen/coverage/gaps.toml does not say why,
or if fewer than 98 % are reached. The report is Markdown on standard output.`,
		Hidden: true,
		Args:   noArgs,
		RunE: func(*cobra.Command, []string) error {
			if o.Packets < 1 {
				return diag.Usage("-packets %d: at least 1", o.Packets)
			}
			ctx, stop := interruptible()
			defer stop()
			o.Note = app.Note
			rep, err := coverage.Run(ctx, o)
			if err != nil {
				return err
			}
			if asJSON {
				err = app.PrintJSON(rep)
			} else {
				app.Printf("%s", rep.Markdown())
			}
			if err == nil && len(rep.Errors) > 0 {
				err = diag.Failed("coverage: %d errors, the first: %s", len(rep.Errors), rep.Errors[0])
			}
			return err
		},
	}
	c.Flags().IntVar(&o.Packets, "packets", 2000, "`N` packets of each sort of random run")
	c.Flags().Int64Var(&o.Seed, "seed", 1, "seed `S` of all that is random")
	c.Flags().BoolVar(&o.Toggles, "toggles", false, "count toggles as well")
	c.Flags().BoolVar(&o.Quick, "quick", false, "compile without optimisation")
	jsonFlag(c, &asJSON)
	return c
}
