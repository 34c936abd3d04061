// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"hwgen/gen/diag"
	"hwgen/gen/sim"
	"hwgen/gen/workload"
)

func init() { commands = append(commands, newSimCmd) }

func newSimCmd(app *App) *cobra.Command {
	var configPath, jobsPath, resultsPath, tracePath, wavesPath string
	var seed int64
	var gap, stall float64
	var asJSON bool
	c := &cobra.Command{
		Use:   "sim [-config FILE] -jobs JOBS -results RESULTS",
		Short: "Run a jobs file on the generated RTL under Verilator",
		Long: `Generates the design, compiles it with Verilator, and runs a jobs file on it: a JSON object a line,

  {"job":7,"requester":0,"cluster":"aes","cmd":"encrypt","mode":"cbc","key":"hex","iv":"hex","data":"hex",
   "tag":"hex (verify)","packet_bytes":32,"arrival":0}

The tool loads keys, splits jobs into packets, keeps no more chained jobs and keys open than a cluster has room for,
interleaves packets in the order of arrival, and joins the results: a JSON object a job, with status, data, the core of
each packet, the cycle of the first beat in and of the last beat out.

Compiled designs are kept by their content in $` + sim.CacheEnv + ` or the user's cache folder: a second run does not compile.
Exit code 1 if a frame got no right answer (the monitors on the streams found a fault); a job whose status is not ok is
a result like any other.`,
		Example: `  hwgen sim -config quad.toml -jobs jobs.jsonl -results results.jsonl
  hwgen sim -jobs jobs.jsonl -results - -trace trace.jsonl -waves waves.fst
  hwgen sim -jobs jobs.jsonl -results - -gap 0.3 -stall 0.3 -seed 7`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if jobsPath == "" {
				return diag.Usage("sim needs -jobs FILE (- for standard input)")
			}
			if gap < 0 || gap >= 1 || stall < 0 || stall >= 1 {
				return diag.Usage("-gap and -stall are probabilities, 0 up to but not 1")
			}
			l, err := app.Load(configPath)
			if err != nil {
				return err
			}
			jobs, err := readJobs(jobsPath, l)
			if err != nil {
				return err
			}
			files, err := app.Emit(l)
			if err != nil {
				return err
			}
			plan, err := workload.NewPlan(l.Design, jobs)
			if err != nil {
				return diag.Usage("%s: %w", jobsPath, err)
			}
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			s, err := sim.Build(ctx, l.Design, files, sim.Options{
				Trace: tracePath != "", Waves: wavesPath != "",
				Note: func(f string, a ...any) { app.Note("hwgen: "+f, a...) },
			})
			if err != nil {
				return err
			}
			stim := plan.Stimulus(l.Design)
			stim.Seed, stim.Gap, stim.Stall = seed, gap, stall
			o, err := runSim(ctx, s, stim, plan, tracePath, wavesPath)
			if err != nil {
				return err
			}
			bad := plan.CheckOutcome(l.Design, o)
			rs, err := plan.Join(o)
			if err != nil {
				bad = append(bad, err.Error())
			}
			if rs != nil {
				if err := writeTo(app.Out, resultsPath, func(w io.Writer) error { return workload.WriteResults(w, rs) }); err != nil {
					return err
				}
			}
			if len(bad) > 0 {
				for i, b := range bad {
					if i == 10 {
						app.Note("... and %d more", len(bad)-i)
						break
					}
					app.Note("%s", b)
				}
				return diag.Failed("the simulation found %d faults", len(bad))
			}
			failed := 0
			for i := range rs {
				if rs[i].Status != workload.OK.String() {
					failed++
				}
			}
			k := o.Counters
			if asJSON {
				if resultsPath == "-" {
					return nil
				}
				return app.PrintJSON(map[string]any{
					"jobs": len(rs), "not_ok": failed, "frames": len(plan.Frames), "counters": k, "compiled": !s.Cached,
				})
			}
			app.Note("hwgen: %d jobs (%d not ok), %d frames, %d cycles, %.2f s, %.2f Mcycles/s", len(rs), failed,
				len(plan.Frames), k.Cycles, k.CPUSeconds, float64(k.Cycles)/max(k.CPUSeconds, 1e-9)/1e6)
			return nil
		},
	}
	configFlag(c, &configPath)
	c.Flags().StringVar(&jobsPath, "jobs", "", "jobs `FILE`, a JSON object a line; - is standard input")
	c.Flags().StringVar(&resultsPath, "results", "-", "results `FILE`; - is standard output")
	c.Flags().StringVar(&tracePath, "trace", "", "write the scheduler's events to `FILE`, a JSON object a line")
	c.Flags().StringVar(&wavesPath, "waves", "", "write FST waves to `FILE` (slow)")
	c.Flags().Int64Var(&seed, "seed", 1, "seed of gaps, stalls and the registers' values before reset")
	c.Flags().Float64Var(&gap, "gap", 0, "probability of a gap before a beat of the job stream")
	c.Flags().Float64Var(&stall, "stall", 0, "probability of a stall of the result stream")
	jsonFlag(c, &asJSON)
	return c
}

func readJobs(path string, l *Loaded) ([]workload.Job, error) {
	if path == "-" {
		return workload.ReadJobs(os.Stdin, "standard input", l.Design)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, diag.Usage("jobs file: %w", err)
	}
	defer f.Close()
	return workload.ReadJobs(f, path, l.Design)
}

// runSim runs a plan's stimulus; a trace is turned into JSON lines.
func runSim(ctx context.Context, s *sim.Simulator, stim *workload.Stimulus, plan *workload.Plan, trace, waves string) (*workload.Outcome, error) {
	var err error
	if waves != "" {
		if waves, err = filepath.Abs(waves); err != nil {
			return nil, err
		}
	}
	raw := ""
	if trace != "" {
		dir, err := os.MkdirTemp("", "hwgen-trace-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		raw = filepath.Join(dir, "trace.bin")
	}
	o, err := s.RunFiles(ctx, stim, raw, waves)
	if err != nil {
		return nil, err
	}
	if trace != "" {
		if err := writeTo(nil, trace, func(w io.Writer) error { return sim.WriteTrace(w, s.D, raw, plan.Frames, o) }); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// writeTo writes a file, whole or not at all; - is out.
func writeTo(out io.Writer, path string, write func(io.Writer) error) error {
	if path == "-" {
		return write(out)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".hwgen-*")
	if err != nil {
		return diag.Usage("%s: %w", path, err)
	}
	defer os.Remove(f.Name())
	if err := errors.Join(write(f), f.Chmod(0o644), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return diag.Usage("%w", err)
	}
	return nil
}
