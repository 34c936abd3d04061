// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"hwgen/gen/diag"
	"hwgen/gen/formal"
)

func init() { commands = append(commands, newFormalCmd) }

func newFormalCmd(app *App) *cobra.Command {
	var deep, asJSON bool
	var names []string
	var seconds int
	var traces string
	c := &cobra.Command{
		Use:   "formal [-deep] [-proof NAME]",
		Short: "Prove properties of the RTL library",
		Long: `Runs the formal proofs of the RTL library that hwgen carries: each proof, its covers, which show that it says something,
and faults put into the RTL, which must break it; then looks in every module's netlist for a valid that waits for its
ready. docs/formal.md lists what is proved. Needs yosys and yosys-abc.`,
		Hidden: true,
		Args:   noArgs,
		RunE: func(*cobra.Command, []string) error {
			lib, all, err := formal.Load()
			if err != nil {
				return err
			}
			var known []string
			for _, p := range all {
				known = append(known, p.Name)
			}
			for _, n := range names {
				if !slices.Contains(known, n) {
					return diag.Usage("unknown proof %q; %s", n, diag.Allowed(n, known))
				}
			}
			ps := slices.DeleteFunc(all, func(p *formal.Proof) bool { return len(names) > 0 && !slices.Contains(names, p.Name) })
			ctx, stop := interruptible()
			defer stop()
			p := newProgress(app.Err)
			rs, err := formal.Run(ctx, formal.Options{
				Library: lib, Tasks: formal.Tasks(ps, deep), Seconds: seconds, Traces: traces,
				Each: func(done, total int) { p.step("proofs", done, total) },
			})
			p.clear()
			if err != nil {
				return err
			}
			if len(names) == 0 {
				streams, err := formal.CheckStreams(ctx, lib)
				if err != nil {
					return err
				}
				rs = append(rs, streams...)
			}
			if asJSON {
				if err := app.PrintJSON(rs); err != nil {
					return err
				}
			} else {
				app.Printf("%s", formal.Table(rs))
			}
			if n := formal.Failed(rs); n > 0 {
				return diag.Failed("%d of %d formal tasks failed", n, len(rs))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&deep, "deep", false, "the long proofs as well")
	c.Flags().StringSliceVar(&names, "proof", nil, "this `PROOF` alone (may be given several times)")
	c.Flags().IntVar(&seconds, "seconds", 0, "give up a proof after `N` seconds of ABC (default: never)")
	c.Flags().StringVar(&traces, "traces", "", "write counterexamples as VCD into this `DIR`")
	jsonFlag(c, &asJSON)
	return c
}
