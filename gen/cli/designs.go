// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"

	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/verify"
)

func init() { commands = append(commands, newVerifyDesignsCmd) }

func newVerifyDesignsCmd(app *App) *cobra.Command {
	var packets int
	var seed int64
	var asJSON bool
	c := &cobra.Command{
		Use:    "verify-designs [-packets N]",
		Short:  "Verify 1x1, 2x3, 3x5 and 1x16 designs at each stream width with many random packets",
		Hidden: true,
		Args:   noArgs,
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := interruptible()
			defer stop()
			p := newProgress(app.Err)
			var reps []*verify.Report
			ok := true
			for _, s := range verify.Designs() {
				cfg, err := config.Parse(s.Name+".toml", ".", []byte(s.Text))
				if err != nil {
					return err
				}
				d, err := design.Elaborate(cfg)
				if err != nil {
					return err
				}
				files, err := app.Emit(&Loaded{Config: cfg, Design: d})
				if err != nil {
					return err
				}
				rep, err := verify.Run(ctx, verify.Options{
					Design: d, Files: files, Packets: packets, Seed: seed, Progress: p.step,
					Steps: []string{"vectors", "vectors-split", "vectors-interleaved", "jobs", "frames", "directed", "clear", "reset"},
					Note:  func(f string, a ...any) { p.clear(); app.Note("hwgen: "+f, a...) },
				})
				p.clear()
				if err != nil {
					return err
				}
				reps = append(reps, rep)
				ok = ok && rep.OK
				if !asJSON {
					app.Printf("%s\n%s", s.Name, rep.Table())
				}
			}
			if asJSON {
				if err := app.PrintJSON(reps); err != nil {
					return err
				}
			}
			if !ok {
				return diag.Failed("the verification of the test designs failed (seed %d)", seed)
			}
			return nil
		},
	}
	c.Flags().IntVar(&packets, "packets", 100000, "`N` packets of random jobs for each design, and as many random frames")
	c.Flags().Int64Var(&seed, "seed", 1, "seed `S` of all that is random")
	jsonFlag(c, &asJSON)
	return c
}
