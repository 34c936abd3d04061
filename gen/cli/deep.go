// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"hwgen/gen/diag"
	"hwgen/gen/policy"
	"hwgen/gen/verify"
)

func init() { commands = append(commands, newDeepCmd) }

func newDeepCmd(app *App) *cobra.Command {
	var packets int
	var seed int64
	var policies, shapes []string
	var asJSON bool
	c := &cobra.Command{
		Use:    "replay-policies [-packets N] [-policy P] [-shape S]",
		Short:  "Replay every decision of the RTL, for each policy on 1x1 to 1x32 cores of unlike speeds",
		Hidden: true,
		Args:   noArgs,
		RunE: func(*cobra.Command, []string) error {
			for _, l := range []struct {
				what, flag string
				given, all []string
			}{
				{"policy", "-policy", policies, policy.Names}, {"shape", "-shape", shapes, verify.PolicyShapes},
			} {
				for _, s := range l.given {
					if !slices.Contains(l.all, s) {
						return diag.Usage("%s: unknown %s %q; %s", l.flag, l.what, s, diag.Allowed(s, l.all))
					}
				}
			}
			if packets < 1 {
				return diag.Usage("-packets %d: at least 1", packets)
			}
			if policies == nil {
				policies = policy.Names
			}
			if shapes == nil {
				shapes = verify.PolicyShapes
			}
			ctx, stop := interruptible()
			defer stop()
			p := newProgress(app.Err)
			total, done := len(policies)*len(shapes), 0
			p.step("replaying", 0, total)
			rows, err := verify.ReplayPolicies(ctx, verify.PolicyOptions{
				Packets: packets, Seed: seed, Policies: policies, Shapes: shapes, Optimise: packets > 20000,
				Done: func(r *verify.PolicyRow) {
					done++
					p.clear()
					if !asJSON {
						app.Note("%s on %s: %d decisions, %d mismatches", r.Replay.Policy, r.Shape, r.Replay.Decisions,
							r.Replay.Mismatches)
					}
					p.step("replaying", done, total)
				},
			})
			p.clear()
			if err != nil {
				return err
			}
			if asJSON {
				err = app.PrintJSON(rows)
			} else {
				app.Printf("%s", verify.PolicyTable(rows))
			}
			if err == nil && slices.ContainsFunc(rows, func(r *verify.PolicyRow) bool { return !r.OK() }) {
				err = diag.Failed("a trace differs from its replay, or a result is wrong (seed %d)", seed)
			}
			return err
		},
	}
	c.Flags().IntVar(&packets, "packets", 100000, "`N` packets of random jobs for each policy on each design")
	c.Flags().Int64Var(&seed, "seed", 1, "seed `S` of all that is random")
	c.Flags().StringSliceVar(&policies, "policy", nil, "only this `POLICY` (may be given several times)")
	c.Flags().StringSliceVar(&shapes, "shape", nil, "only this `SHAPE`, clusters x cores (may be given several times)")
	jsonFlag(c, &asJSON)
	return c
}
