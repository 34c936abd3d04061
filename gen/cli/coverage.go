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
		Use:   "coverage [-packets N] [-toggles] [-design NAME]",
		Short: "Say which lines of the RTL library runs of its modules go through",
		Long: `Counts, under Verilator, which lines of the RTL library are gone through on designs that together have all of it: the steps
of hwgen verify, registers, several clocks, the serial line. With -toggles it counts which bits change, too. Fails if a line is not
reached, or a generate block in no design, and gen/coverage/gaps.toml does not say why, or if fewer than 98 % are reached. The
report is Markdown on standard output.`,
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
	c.Flags().StringArrayVar(&o.Designs, "design", nil, "`NAME` of a design to run, again for more; then what the others reach is missing")
	c.Flags().BoolVar(&o.Toggles, "toggles", false, "count toggles as well")
	c.Flags().BoolVar(&o.Quick, "quick", false, "compile without optimisation")
	jsonFlag(c, &asJSON)
	return c
}
