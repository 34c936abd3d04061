// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"hwgen/gen/diag"
	"hwgen/gen/sim"
	"hwgen/gen/traffic"
	"hwgen/gen/workload"
)

func init() { commands = append(commands, newSimCmd) }

func newSimCmd(app *App) *cobra.Command {
	var configPath, jobsPath, workloadSpec, resultsPath, tracePath, wavesPath string
	var seed int64
	var gap, stall float64
	var asJSON bool
	var pty ptyFlags
	c := &cobra.Command{
		Use:   "sim [-config FILE] (-jobs JOBS | -workload W | -pty) -results RESULTS",
		Short: "Run a jobs file or a workload on the generated RTL under Verilator",
		Long: `Generates the design, compiles it with Verilator, and runs a jobs file on it: a JSON object a line,

  {"job":7,"requester":0,"cluster":"aes","cmd":"encrypt","mode":"cbc","key":"hex","iv":"hex","data":"hex",
   "tag":"hex (verify)","packet_bytes":32,"arrival":0}

The tool loads keys, splits jobs into packets, keeps no more chained jobs and keys open than a cluster has room for,
interleaves packets in the order of arrival, and joins the results: a JSON object a job, with status, data, the core of
each packet, the cycle of the first beat in and of the last beat out. The clock stands while nothing is in flight and
the next job arrives much later; cycle numbers count on. The makespan, from reset to the end of the last result, is that
of ` + "`hwgen model`" + `; the cycles among the counters of -json hold those after it too, in which the harness looks for
what must not come.

With -workload the jobs come from a workload, see ` + "`hwgen workload -help`" + `, with keys and data drawn from -seed.

With -trace the scheduler's events are written, JSON lines or, if the file's name ends in .bin, a compact binary kind;
` + "`hwgen replay`" + ` recomputes every decision in them.

With -pty the top with the UART (section [host] of the config) runs instead, its serial line, bit by bit, on a
pseudo-terminal, until it is interrupted: a board for ` + "`hwgen host`" + `. The terminal's name goes to standard output.

Compiled designs are kept by their content in $` + sim.CacheEnv + ` or the user's cache folder: a second run does not compile.
Exit code 1 if a frame got no right answer (the monitors on the streams found a fault); a job whose status is not ok is
a result like any other.`,
		Example: `  hwgen sim -config quad.toml -jobs jobs.jsonl -results results.jsonl
  hwgen sim -jobs jobs.jsonl -results - -trace trace.jsonl -waves waves.fst
  hwgen sim -jobs jobs.jsonl -results - -gap 0.3 -stall 0.3 -seed 7
  hwgen sim -config quad.toml -workload poisson:load=0.9,packets=2000 -results results.jsonl
  hwgen sim -config board.toml -pty -link board.tty`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if pty.on {
				return runBoard(cmd, app, configPath, wavesPath, seed, &pty)
			}
			switch {
			case pty.link != "" || cmd.Flags().Changed("noise"):
				return diag.Usage("-link and -noise are for -pty")
			case jobsPath == "" && workloadSpec == "":
				return diag.Usage("sim needs -jobs FILE (- for standard input) or -workload W")
			case jobsPath != "" && workloadSpec != "":
				return diag.Usage("-jobs and -workload both say what runs; give one of them")
			}
			if gap < 0 || gap >= 1 || stall < 0 || stall >= 1 {
				return diag.Usage("-gap and -stall are probabilities, 0 up to but not 1")
			}
			if err := checkSimFiles(configPath, jobsPath, workloadSpec, resultsPath, tracePath, wavesPath, asJSON); err != nil {
				return err
			}
			l, err := app.Load(configPath)
			if err != nil {
				return err
			}
			jobs, from, err := simJobs(jobsPath, workloadSpec, uint64(seed), l)
			if err != nil {
				return err
			}
			files, err := app.Emit(l)
			if err != nil {
				return err
			}
			plan, err := workload.NewPlan(l.Design, jobs)
			if err != nil {
				return diag.Usage("%s: %w", from, err)
			}
			ctx, stop := interruptible()
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
			o, err := runSim(ctx, app.Out, s, stim, plan, tracePath, wavesPath)
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
				return app.PrintJSON(map[string]any{
					"jobs": len(rs), "not_ok": failed, "frames": len(plan.Frames), "makespan": k.Makespan(), "counters": k,
					"compiled": !s.Cached,
				})
			}
			speed := ""
			if !slices.ContainsFunc(plan.Frames, func(f workload.Frame) bool { return f.Arrival > 0 }) { // else cycles may be skipped
				speed = fmt.Sprintf(", %.2f Mcycles/s", float64(k.Cycles)/max(k.CPUSeconds, 1e-9)/1e6)
			}
			app.Note("hwgen: %d jobs (%d not ok), %d frames, makespan %d cycles, %.2f s%s", len(rs), failed, len(plan.Frames),
				k.Makespan(), k.CPUSeconds, speed)
			return nil
		},
	}
	configFlag(c, &configPath)
	c.Flags().StringVar(&jobsPath, "jobs", "", "jobs `FILE`, a JSON object a line; - is standard input")
	workloadFlag(c, &workloadSpec)
	c.Flags().StringVar(&resultsPath, "results", "-", "results `FILE`; - is standard output")
	c.Flags().StringVar(&tracePath, "trace", "", "write the scheduler's events to `FILE`: binary if its name ends in .bin, else a JSON object a line")
	c.Flags().StringVar(&wavesPath, "waves", "", "write FST waves to `FILE` (slow)")
	c.Flags().Int64Var(&seed, "seed", 1, "seed of gaps, stalls, the registers' values before reset, and a workload's keys and data")
	c.Flags().Float64Var(&gap, "gap", 0, "probability of a gap before a beat of the job stream")
	c.Flags().Float64Var(&stall, "stall", 0, "probability of a stall of the result stream")
	pty.add(c)
	jsonFlag(c, &asJSON)
	return c
}

// checkSimFiles refuses, before anything is compiled, files that cannot be read or written and files named twice.
func checkSimFiles(config, jobs, spec, results, trace, waves string, asJSON bool) error {
	type file struct{ flag, path string }
	in := []file{{"-config", config}, {"-jobs", jobs}, {"-workload", traffic.File(spec)}}
	out := []file{{"-results", results}, {"-trace", trace}, {"-waves", waves}}
	if waves == "-" {
		return diag.Usage("-waves needs a file, waves do not go to standard output")
	}
	if results == "-" && trace == "-" {
		return diag.Usage("-results and -trace cannot both go to standard output; give one of them a file")
	}
	if asJSON {
		for _, f := range out {
			if f.path == "-" {
				return diag.Usage("%s and -json cannot both go to standard output; give %s a file", f.flag, f.flag)
			}
		}
	}
	if jobs != "-" && jobs != "" {
		if st, err := os.Stat(jobs); err != nil {
			return diag.Usage("-jobs %s: cannot be read: %w", jobs, diag.Cause(err))
		} else if st.IsDir() {
			return diag.Usage("-jobs %s is a folder; name a file of jobs, a JSON object a line", jobs)
		}
	}
	var seen []file
	for _, f := range append(in, out...) {
		if f.path == "" || f.path == "-" {
			continue
		}
		for _, o := range seen {
			if sameFile(o.path, f.path) {
				return diag.Usage("%s and %s are the same file, %s; choose another for %s", o.flag, f.flag, f.path, f.flag)
			}
		}
		seen = append(seen, f)
	}
	for _, f := range out {
		if f.path == "" || f.path == "-" {
			continue
		}
		if err := checkWritable(f.path); err != nil {
			return diag.Usage("%s %s: %w", f.flag, f.path, err)
		}
	}
	return nil
}

// simJobs are the jobs of a jobs file or a workload, and what to call it.
func simJobs(path, spec string, seed uint64, l *Loaded) (jobs []workload.Job, from string, err error) {
	if spec != "" {
		jobs, err = traffic.Jobs(spec, l.Design, seed)
		return jobs, spec, err
	}
	if jobs, err = readJobs(path, l); err == nil && len(jobs) == 0 {
		err = diag.Usage("no jobs in %s; a job is a JSON object a line, see `hwgen sim -help`", path)
	}
	return jobs, path, err
}

func readJobs(path string, l *Loaded) ([]workload.Job, error) {
	if path == "-" {
		return workload.ReadJobs(os.Stdin, "standard input", l.Design)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, diag.Usage("jobs file %s: %w", path, diag.Cause(err))
	}
	defer f.Close()
	return workload.ReadJobs(f, path, l.Design)
}

// runSim runs a plan's stimulus; a trace is turned into JSON lines.
func runSim(ctx context.Context, out io.Writer, s *sim.Simulator, stim *workload.Stimulus, plan *workload.Plan,
	trace, waves string) (*workload.Outcome, error) {
	named := waves
	var mode os.FileMode // of an old one
	if waves != "" {
		var err error
		if waves, err = followLinks(waves); err != nil {
			return nil, diag.Usage("-waves %s: %w", named, err)
		}
		if waves, err = filepath.Abs(waves); err != nil {
			return nil, err
		}
		if st, err := os.Stat(waves); err == nil && st.Mode().IsRegular() { // an old one is not taken for the new one
			mode = st.Mode().Perm()
			if err := os.Remove(waves); err != nil {
				return nil, diag.Usage("-waves %s: cannot be replaced: %w", named, diag.Cause(err))
			}
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
	if mode != 0 {
		_ = os.Chmod(waves, mode) // of a run that failed too
	}
	if err != nil {
		return nil, err
	}
	if waves != "" {
		if _, err := os.Stat(waves); err != nil {
			return nil, fmt.Errorf("-waves %s: the simulation did not write it: %w", named, diag.Cause(err))
		}
	}
	if trace != "" {
		if err := writeTo(out, trace, func(w io.Writer) error { return sim.WriteTrace(w, trace, s.D, raw, plan.Frames, o) }); err != nil {
			return nil, err
		}
	}
	return o, nil
}
