// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"hwgen/gen/bench"
	"hwgen/gen/diag"
	"hwgen/templates"
)

func init() { commands = append(commands, newBenchCmd) }

func newBenchCmd(app *App) *cobra.Command {
	var only string
	var asJSON bool
	c := &cobra.Command{
		Use:    "bench",
		Short:  "Measure idle beats, efficiency, latency and speed of generated designs",
		Hidden: true,
		Args:   noArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := templates.FS.ReadFile("config/default.toml")
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			p := newProgress(app.Err)
			rep, err := bench.Run(ctx, bench.Options{
				Default: text, Version: app.Version, Only: only,
				Progress: func(done, total int, what string) { p.step(what, done, total) },
				Note:     func(f string, a ...any) { p.clear(); app.Note("hwgen: "+f, a...) },
			})
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
				err = diag.Failed("a figure is not reached")
			}
			return err
		},
	}
	c.Flags().StringVar(&only, "only", "", "measure what has `TEXT` in its name: generation, idle beats, saturation, chained jobs, latency, simulation speed")
	jsonFlag(c, &asJSON)
	return c
}
