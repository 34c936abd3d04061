// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"hwgen/gen/bench"
	"hwgen/gen/diag"
	"hwgen/gen/sim"
	"hwgen/gen/workload"
	"hwgen/templates"
)

func init() { commands = append(commands, newBenchCmd) }

func newBenchCmd(app *App) *cobra.Command {
	var only, configPath, jobsPath, workloadSpec string
	var clock float64
	var asJSON bool
	c := &cobra.Command{
		Use:   "bench [-config FILE [-jobs JOBS | -workload W] [-clock MHZ]]",
		Short: "Measure a design's rates, or idle beats, efficiency, latency and speed of hwgen's own designs",
		Long: `With -config: simulates the design under Verilator and prints bytes a cycle and Gbit/s. Without -jobs and -workload
packets of every mode and of one block and packet_bytes saturate it; with one of them its jobs run. A chained job has at
most two packets in flight, which ` + "`hwgen sim`" + ` does not bound. The clock is that of the config ([synth] clock_mhz, or the
board's) unless -clock gives one, such as the Fmax that ` + "`hwgen synth`" + ` found. Rates are those of the job and result
streams: a board's UART is far slower.

Without -config: the figures of the README, of designs of its own.`,
		Example: `  hwgen bench -config quad.toml -clock 80
  hwgen bench -config quad.toml -workload saturated:packets=3000,modes=cbc,length=64
  hwgen bench -only latency`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if clock < 0 || clock > 1000 {
				return diag.Usage("-clock %g: allowed: up to 1000 MHz", clock)
			}
			if cmd.Flags().Changed("config") {
				if only != "" {
					return diag.Usage("-only is for the figures without -config")
				}
				return app.rates(configPath, jobsPath, workloadSpec, clock, asJSON)
			}
			if jobsPath != "" || workloadSpec != "" || clock != 0 {
				return diag.Usage("-jobs, -workload and -clock need -config FILE: the design to measure")
			}
			text, err := templates.FS.ReadFile("config/default.toml")
			if err != nil {
				return err
			}
			ctx, stop := interruptible()
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
	configFlag(c, &configPath)
	c.Flags().StringVar(&jobsPath, "jobs", "", "jobs `FILE`, a JSON object a line; - is standard input")
	workloadFlag(c, &workloadSpec)
	c.Flags().Float64Var(&clock, "clock", 0, "`MHz` to count Gbit/s with (default: of the config)")
	c.Flags().StringVar(&only, "only", "", "measure what has `TEXT` in its name: generation, idle beats, saturation, chained jobs, latency, simulation speed")
	jsonFlag(c, &asJSON)
	return c
}

// rates measures one design.
func (a *App) rates(configPath, jobsPath, spec string, clock float64, asJSON bool) error {
	if jobsPath != "" && spec != "" {
		return diag.Usage("-jobs and -workload both say what runs; give one of them")
	}
	l, err := a.Load(configPath)
	if err != nil {
		return err
	}
	if clock == 0 {
		clock = l.Design.Synth.ClockMHz
	}
	var jobs []workload.Job
	from := ""
	if jobsPath != "" || spec != "" {
		if jobs, from, err = simJobs(jobsPath, spec, 1, l); err != nil {
			return err
		}
	}
	ctx, stop := interruptible()
	defer stop()
	s, err := a.simulator(ctx, l, false)
	if err != nil {
		return err
	}
	var rs []bench.Rate
	if from == "" {
		rs, err = bench.AllRates(ctx, s)
	} else {
		rs = make([]bench.Rate, 1)
		rs[0], err = bench.RateOf(ctx, s, jobs)
		rs[0].Workload = from
	}
	if err != nil {
		return err
	}
	if asJSON {
		type row struct {
			bench.Rate
			Gbits float64 `json:"gbit_s"`
		}
		rows := []row{}
		for _, r := range rs {
			rows = append(rows, row{r, r.Gbits(clock)})
		}
		return a.PrintJSON(map[string]any{"design": l.Design.Name, "clock_mhz": clock, "rates": rows})
	}
	rows := [][]string{{"workload", "bytes a packet", "bytes a cycle", fmt.Sprintf("Gbit/s at %g MHz", clock)}}
	for _, r := range rs {
		size := "mixed"
		if r.PacketBytes > 0 {
			size = fmt.Sprint(r.PacketBytes)
		}
		rows = append(rows, []string{r.Workload, size, fmt.Sprintf("%.3f", r.BytesPerCycle), fmt.Sprintf("%.3f", r.Gbits(clock))})
	}
	a.table(rows)
	return nil
}

// simulator compiles a loaded design; quick is for brief runs.
func (a *App) simulator(ctx context.Context, l *Loaded, quick bool) (*sim.Simulator, error) {
	files, err := a.Emit(l)
	if err != nil {
		return nil, err
	}
	return sim.Build(ctx, l.Design, files, sim.Options{Quick: quick, Note: func(f string, v ...any) { a.Note("hwgen: "+f, v...) }})
}
