// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hwgen/gen/diag"
	"hwgen/gen/paper"
)

func init() { commands = append(commands, newPaperCmd) }

func newPaperCmd(app *App) *cobra.Command {
	var out string
	var only []string
	var seed int64
	var draws int
	var regimes, rtl, asJSON bool
	c := &cobra.Command{
		Use:   "paper [-only ID] [-regimes] [-rtl] [-out DIR]",
		Short: "Repeat the papers' experiments and compare the policies over 36 regimes",
		Long: `paper repeats experiments 1 to 4 of the paper that the scheduler comes from (figures 6 to 12), the two-server
experiment of the one behind the monitored load, and compares the policies over 36 regimes, all on random draws
through the model of the scheduler. It prints what the papers state beside what was measured, and writes report.md,
CSV files and charts (SVG and PNG) into a folder. The result depends on -seed and -draws alone.

Exit code 1: a mean is further from its reference than draws can explain, or affinity falls short.`,
		Example: `  hwgen paper                        everything, into build/paper
  hwgen paper -regimes               the table of regimes
  hwgen paper -only 10 -only 11      two figures
  hwgen paper -only 7 -draws 200     more draws of figure 7
  hwgen paper -rtl                   figures 10 to 12 on generated RTL`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			ids, run := paper.IDs(), paper.Run
			if rtl {
				ids, run = paper.RTLIDs(), paper.RunRTL
			}
			for _, id := range only {
				if !slices.Contains(ids, id) {
					return diag.Usage("-only %s: no such experiment; %s", id, diag.Allowed(id, ids))
				}
			}
			if rtl && regimes {
				return diag.Usage("-regimes and -rtl exclude each other: only figures run on RTL")
			}
			if draws < 0 || draws == 1 {
				return diag.Usage("-draws %d: must be at least 2, or 0 for %d of a figure, %d of a regime and %d on RTL", draws,
					paper.FigureDraws, paper.RegimeDraws, paper.RTLDraws)
			}
			if regimes {
				only = append(only, paper.RegimesID)
			}
			ctx, stop := interruptible()
			defer stop()
			p := newProgress(app.Err)
			res, err := run(ctx, only, paper.Options{
				Seed: uint64(seed), Draws: draws, Progress: func(done, total int) { p.step("draws", done, total) },
				Note: func(f string, a ...any) { p.clear(); app.Note("hwgen: "+f, a...) },
			})
			p.clear()
			if err != nil {
				return err
			}
			if err := res.Write(out); err != nil {
				return diag.Usage("%w", err)
			}
			if asJSON {
				err = app.PrintJSON(res)
			} else if err = res.PrintRows(app.Out); err == nil {
				err = res.PrintRegimes(app.Out)
			}
			if err != nil {
				return err
			}
			app.Note("%s: %s, CSV files and charts", filepath.ToSlash(out), res.File())
			if missed := res.Missed(); len(missed) > 0 {
				return diag.Failed("%d not reached:\n  %s", len(missed), strings.Join(missed, "\n  "))
			}
			return nil
		},
	}
	c.Flags().StringVarP(&out, "out", "o", filepath.Join("build", "paper"), "output `DIR`")
	c.Flags().StringSliceVar(&only, "only", nil, "run this experiment alone (may be given several times): `ID` is "+
		strings.Join(paper.IDs(), ", "))
	c.Flags().BoolVar(&regimes, "regimes", false, "the table of regimes alone; the same as -only regimes")
	c.Flags().BoolVar(&rtl, "rtl", false, "figures 10 to 12 on generated RTL under Verilator, beside the model")
	c.Flags().Int64Var(&seed, "seed", 4, "seed `S` of all that is random")
	c.Flags().IntVar(&draws, "draws", 0, "`N` draws of each setting (default: 30 of a figure, 60 of a regime, 10 on RTL)")
	jsonFlag(c, &asJSON)
	return c
}
