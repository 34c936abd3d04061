// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/sched"
)

func init() { commands = append(commands, newReplayCmd, newTraceCmd) }

func newReplayCmd(app *App) *cobra.Command {
	var configPath, tracePath string
	var asJSON bool
	c := &cobra.Command{
		Use:   "replay [-config FILE] -trace TRACE",
		Short: "Recompute every decision of a trace and compare, to the bit",
		Long: `Reads the trace of a simulation (hwgen sim -trace, either kind) and recomputes from the packets that came in
what the scheduler has to do with each: scores of every core and which of them compete, the core chosen, the packets
that a core holds, entries of the choose list, binding, parking and the order in which packets leave the wait queue and
the cluster queues, the slots, and the statuses that follow. What differs from the trace is printed, with cycle and
event.

The config must be that of the simulation. The trace is read as a stream, of any length.

Exit code 0 if all is as recomputed, 1 if something differs, 2 if the trace can't be read.`,
		Example: `  hwgen sim -config quad.toml -jobs jobs.jsonl -results results.jsonl -trace trace.bin
  hwgen replay -config quad.toml -trace trace.bin
  hwgen replay -config quad.toml -trace trace.jsonl -json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if tracePath == "" {
				return diag.Usage("replay needs -trace FILE (- for standard input)")
			}
			l, err := app.Load(configPath)
			if err != nil {
				return err
			}
			in, name, err := openInput("-trace", tracePath)
			if err != nil {
				return err
			}
			defer in.Close()
			rep, err := sched.ReplayTrace(l.Design, in)
			if err != nil {
				return diag.Usage("%s: %w", name, err)
			}
			if rep.Events == 0 {
				return diag.Usage("%s: no event is in it, so nothing was compared; `hwgen sim -trace` writes traces", name)
			}
			if asJSON {
				if err := app.PrintJSON(rep); err != nil {
					return err
				}
			} else {
				app.Printf("%s", replayText(rep))
			}
			if !rep.OK() {
				return diag.Failed("%s: %d of what was recomputed differs", name, rep.Mismatches)
			}
			return nil
		},
	}
	configFlag(c, &configPath)
	c.Flags().StringVar(&tracePath, "trace", "", "trace `FILE`, JSON lines or binary; - is standard input")
	jsonFlag(c, &asJSON)
	return c
}

func replayText(r *sched.ReplayReport) string {
	s := fmt.Sprintf("%s, policy %s: %d events in %d cycles\n", r.Design, r.Policy, r.Events, r.Cycles)
	for _, l := range []struct {
		n    int
		what string
	}{
		{r.Packets, "frames accepted"},
		{r.Decisions, "decisions of the balancer"},
		{r.Scores, "scores"},
		{r.Bound, "packets sent to the core of their job"},
		{r.Opened, "entries of the choose list taken"},
		{r.Closed, "entries of the choose list freed"},
		{r.Parked, "packets through the wait queue"},
		{r.Refused, "frames refused"},
		{r.Tables, "entries of weight tables written"},
		{r.Emptied, "clears and resets"},
		{r.Mismatches, "mismatches"},
	} {
		s += fmt.Sprintf("  %10d %s\n", l.n, l.what)
	}
	for i := range r.First {
		s += fmt.Sprintf("%s\n", r.First[i].String())
	}
	if n := r.Mismatches - len(r.First); n > 0 {
		s += fmt.Sprintf("... and %d more\n", n)
	}
	return s
}

func newTraceCmd(app *App) *cobra.Command {
	var configPath, tracePath, outPath string
	c := &cobra.Command{
		Use:   "trace -trace TRACE [-out FILE]",
		Short: "Turn a binary trace into JSON lines, or back",
		Long: `Reads a trace (hwgen sim -trace, either kind) and writes it as JSON, an event a line, or in the binary kind if
the output's name ends in .bin. A binary trace says itself what it is of; for JSON lines give the config. The fields are
described in docs/jobs.md.`,
		Example: `  hwgen trace -trace trace.bin | grep '"dispatch"'
  hwgen trace -trace trace.bin -out trace.jsonl
  hwgen trace -config quad.toml -trace trace.jsonl -out trace.bin`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if tracePath == "" {
				return diag.Usage("trace needs -trace FILE (- for standard input)")
			}
			if outPath != "-" {
				if tracePath != "-" && sameFile(tracePath, outPath) {
					return diag.Usage("-trace and -out are the same file, %s; choose another for -out", outPath)
				}
				if err := checkWritable(outPath); err != nil {
					return diag.Usage("-out %s: %w", outPath, err)
				}
			}
			var d *design.Design
			if configPath != "" {
				var err error
				if d, err = app.loadDesign(configPath); err != nil {
					return err
				}
			}
			in, name, err := openInput("-trace", tracePath)
			if err != nil {
				return err
			}
			defer in.Close()
			t, err := sched.OpenTrace(in, d)
			if err != nil {
				if errors.Is(err, sched.ErrNoDesign) {
					err = fmt.Errorf("%w; give its config with -config", err)
				}
				return diag.Usage("%s: %w", name, err)
			}
			return writeTo(app.Out, outPath, func(w io.Writer) error {
				tw, err := sched.NewTraceWriter(w, outPath, t.Design())
				if err == nil {
					err = sched.CopyTrace(tw, t)
				}
				if err != nil {
					return diag.Usage("%s: %w", name, err)
				}
				return nil
			})
		},
	}
	configFlag(c, &configPath)
	c.Flags().Lookup("config").Usage = "hardware description, a TOML `FILE`; for JSON lines"
	c.Flags().StringVar(&tracePath, "trace", "", "trace `FILE`; - is standard input")
	c.Flags().StringVarP(&outPath, "out", "o", "-", "output `FILE`; - is standard output, JSON lines")
	return c
}

// openInput opens a file that a flag names, or standard input, and says how to call it.
func openInput(flag, path string) (io.ReadCloser, string, error) {
	if path == "-" {
		return io.NopCloser(os.Stdin), "standard input", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, "", diag.Usage("%s %s: cannot be read: %w", flag, path, diag.Cause(err))
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		f.Close()
		return nil, "", diag.Usage("%s %s is a folder; name a file", flag, path)
	}
	return f, path, nil
}
