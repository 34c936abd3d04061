// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hwgen/gen/diag"
	"hwgen/gen/verify"
)

func init() { commands = append(commands, newSoakCmd) }

func newSoakCmd(app *App) *cobra.Command {
	var o verify.SoakOptions
	var asJSON bool
	c := &cobra.Command{
		Use:   "soak [-packets N] [-seed S] [-state FILE]",
		Short: "Send millions of random frames into one design a policy and check every answer",
		Long: `Sends random frames into a design of each policy, whose cores are fast, slow and of a speed that varies: jobs that
interleave, key loads and erasures, aborts, frames with errors of every kind; with random gaps and stalls, weight tables
written meanwhile, and clears and resets at random moments. Every answer is compared with a model; in every cycle the
counters have to show that what was accepted was returned or is in flight. What a reset cuts off is counted as excluded.

The run goes in segments of about 4000 frames, each of which depends on its number and the seed alone. With -state a
run that was stopped goes on where it was. It ends at the first segment with an error, exit code 1.

Designs: ` + strings.Join(verify.SoakDesigns(), ", ") + `.`,
		Hidden: true,
		Args:   noArgs,
		RunE: func(*cobra.Command, []string) error {
			if o.Packets < 1 {
				return diag.Usage("-packets %d: at least 1", o.Packets)
			}
			for _, d := range o.Designs {
				if !slices.Contains(verify.SoakDesigns(), d) {
					return diag.Usage("unknown design %q; %s", d, diag.Allowed(d, verify.SoakDesigns()))
				}
			}
			ctx, stop := interruptible()
			defer stop()
			p := newProgress(app.Err)
			o.Progress = func(done, total int) { p.step("packets", done, total) }
			o.Note = func(f string, a ...any) { p.clear(); app.Note("hwgen: "+f, a...) }
			rep, err := verify.Soak(ctx, o)
			p.clear()
			if err != nil {
				return err
			}
			if asJSON {
				err = app.PrintJSON(rep)
			} else {
				app.Printf("%s\nseed %d\n", rep.Table(), rep.Seed)
			}
			if err == nil && !rep.OK {
				err = diag.Failed("the soak test failed (seed %d)", o.Seed)
			}
			return err
		},
	}
	c.Flags().IntVar(&o.Packets, "packets", 10_000_000, "`N` frames, over all designs together")
	c.Flags().Int64Var(&o.Seed, "seed", 1, "seed `S` of all that is random")
	c.Flags().StringSliceVar(&o.Designs, "design", nil, "only this `DESIGN` (may be given several times)")
	c.Flags().StringVar(&o.State, "state", "", "`FILE` that remembers the segments that are done")
	c.Flags().IntVar(&o.Workers, "workers", 0, "`N` segments at a time (default: as many as there are processors)")
	jsonFlag(c, &asJSON)
	return c
}
