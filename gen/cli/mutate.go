// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"os"

	"github.com/spf13/cobra"

	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/emit"
	"hwgen/gen/mutate"
)

func init() { commands = append(commands, newMutateCmd) }

func newMutateCmd(app *App) *cobra.Command {
	var configPath string
	o := mutate.Options{}
	var asJSON bool
	var logFile string
	c := &cobra.Command{
		Use:    "mutate [-config FILE] [-count N] [-seed S]",
		Short:  "Put faults into a scheduler's netlist, one at a time, and see which ones the bench finds",
		Hidden: true,
		Args:   noArgs,
		RunE: func(*cobra.Command, []string) error {
			if o.Count < 1 || o.Packets < 1 {
				return diag.Usage("-count %d, -packets %d: at least 1", o.Count, o.Packets)
			}
			var d *design.Design
			var files emit.Output
			var err error
			if configPath == "" {
				d, files, err = mutate.Default()
			} else {
				var l *Loaded
				if l, err = app.Load(configPath); err == nil {
					d = l.Design
					files, err = app.Emit(l)
				}
			}
			if err != nil {
				return err
			}
			ctx, stop := interruptible()
			defer stop()
			p := newProgress(app.Err)
			o.Design, o.Files = d, files
			o.Each = func(done, total int) { p.step("mutants", done, total) }
			o.Note = func(f string, a ...any) { p.clear(); app.Note("hwgen: "+f, a...) }
			if logFile != "" {
				f, err := os.OpenFile(logFile, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
				if err != nil {
					return diag.Usage("-log: %w", err)
				}
				defer f.Close()
				old := json.NewDecoder(f)
				for n := 1; old.More(); n++ {
					var r mutate.Result
					if err := old.Decode(&r); err != nil {
						return diag.Usage("-log %s: result %d: %w", logFile, n, err)
					}
					o.Known = append(o.Known, r)
				}
				lines := json.NewEncoder(f)
				o.Done = func(r *mutate.Result) { _ = lines.Encode(r) }
			}
			rep, err := mutate.Run(ctx, o)
			p.clear()
			if err != nil {
				return err
			}
			if asJSON {
				return app.PrintJSON(rep)
			}
			app.Printf("%s", rep.Table())
			return nil
		},
	}
	c.Flags().StringVarP(&configPath, "config", "c", "", "`FILE` of the design to mutate; default: a small one of two clusters")
	c.Flags().IntVar(&o.Count, "count", 500, "`N` mutants")
	c.Flags().Int64Var(&o.Seed, "seed", 1, "seed `S` of the choice of mutants and of all that is random")
	c.Flags().IntVar(&o.Packets, "packets", 250, "`N` packets of a short run; a long one has four times as many")
	c.Flags().IntSliceVar(&o.Only, "only", nil, "the mutant of this `NUMBER` alone (may be given several times)")
	c.Flags().StringVar(&logFile, "log", "", "add each result to this `FILE` as it comes, a line of JSON each; mutants that it has, but for the open ones, are not run again")
	c.Flags().BoolVar(&o.Short, "short", false, "short runs and proofs alone")
	c.Flags().BoolVar(&o.Quick, "quick", false, "compile without optimisation: for few mutants, or short runs alone")
	jsonFlag(c, &asJSON)
	return c
}
