// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hwgen/gen/diag"
	"hwgen/gen/traffic"
	"hwgen/gen/tune"
)

func init() { commands = append(commands, newTuneCmd) }

func newTuneCmd(app *App) *cobra.Command {
	var configPath, spec, objective string
	var policies []string
	var draws, slots, bits int
	var seed int64
	var minGain float64
	var write, asJSON bool
	c := &cobra.Command{
		Use:   "tune -config FILE -workload W [-write]",
		Short: "Search policy, weights and queue depths for a workload",
		Long: `Searches the scheduling policy, its weights (lambda of affinity; alpha and beta of weighted) and the depths of the
core queues for a workload, with the model of the generated RTL. Depths are in proportion to the speed of a cluster's
cores. A ranking shows the best of each policy.

The search and the figures shown use different draws of the workload (of a file: different segments), so that the
gain over the config as it is holds for traffic that the search has not seen. It comes with its 95 % confidence
interval. If nothing beats the config by more than noise, nothing changes.

The result is a TOML fragment; -write edits the config in place, and keeps its comments, order and blanks.

Packet slots stay as they are unless -slots-budget or -memory-bits allow others.`,
		Example: `  hwgen tune -config quad.toml -workload poisson:load=0.9
  hwgen tune -config quad.toml -workload capture.pcap:modes=ctr -objective p99 -write
  hwgen tune -config quad.toml -workload w.csv -slots-budget 64 -json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			switch {
			case spec == "":
				return diag.Usage("tune needs -workload W; see `hwgen workload -help`")
			case write && configPath == "":
				return diag.Usage("-write needs -config FILE: the embedded default design can't be edited")
			case draws < 1 || draws > 10000:
				return diag.Usage("-draws %d: 1 to 10000", draws)
			case minGain < 0 || minGain > 100:
				return diag.Usage("-min-gain %g: a percentage, 0 to 100", minGain)
			case slots < 0 || slots > 256:
				return diag.Usage("-slots-budget %d: 1 to 256", slots)
			case bits < 0:
				return diag.Usage("-memory-bits %d: a number of bits", bits)
			}
			l, err := app.Load(configPath)
			if err != nil {
				return err
			}
			w, err := traffic.Parse(spec, l.Design)
			if err != nil {
				return err
			}
			var text []byte
			if write {
				if text, err = os.ReadFile(configPath); err != nil {
					return diag.Usage("%s: %w", configPath, diag.Cause(err))
				}
				if err := checkWritable(configPath); err != nil {
					return diag.Usage("%s: %w", configPath, err)
				}
			}
			ctx, stop := interruptible()
			defer stop()
			bar := newProgress(app.Err)
			r, err := tune.Run(ctx, l.Config, l.Design, w, tune.Options{
				Objective: objective, Policies: policies, Draws: draws, Seed: uint64(seed), SlotsBudget: slots, MemoryBits: bits,
				MinGain: minGain / 100, Progress: bar.step,
			})
			bar.clear()
			var stopped *tune.Stopped
			if errors.As(err, &stopped) {
				return diag.Failed("%s", stoppedText(l, stopped, objective, write))
			}
			if err != nil {
				return err
			}
			wrote := false
			if write && !r.Changes.Empty() {
				if wrote, err = writeTuned(app, configPath, text, l, r); err != nil {
					return err
				}
			}
			if asJSON {
				err = app.PrintJSON(struct {
					*tune.Result
					Written bool `json:"written"`
				}{r, wrote})
			} else {
				printTune(app, l, r, wrote)
			}
			if err == nil && r.OverBudget && len(r.Rows) == 0 {
				err = diag.Failed("no run of a design within the budget came to its end; the notes say why")
			}
			return err
		},
	}
	configFlag(c, &configPath)
	workloadFlag(c, &spec)
	c.Flags().StringVar(&objective, "objective", "makespan", "what is made small: makespan, mean or p99 (of the response)")
	c.Flags().StringSliceVar(&policies, "policy", nil, "try this `POLICY` alone (may be given several times)")
	c.Flags().IntVar(&draws, "draws", 20,
		"`N` draws of a generator to compare on, and as many to search on (of a file: segments)")
	c.Flags().Int64Var(&seed, "seed", 1, "seed of the draws")
	c.Flags().IntVar(&slots, "slots-budget", 0,
		"packet slots up to `N` (default: as many as the config has, and no other number)")
	c.Flags().IntVar(&bits, "memory-bits", 0, "memories and queues of at most `N` bits together")
	c.Flags().Float64Var(&minGain, "min-gain", 0.1, "least gain in `PERCENT` that counts")
	c.Flags().BoolVar(&write, "write", false, "edit the config in place")
	jsonFlag(c, &asJSON)
	return c
}

// writeTuned edits the config in place, unless it has changed since it was read.
func writeTuned(app *App, path string, text []byte, l *Loaded, r *tune.Result) (bool, error) {
	out, err := tune.Edit(l.Config, text, &r.Changes)
	if err != nil {
		return false, fmt.Errorf("%s: %w; nothing was written", path, err)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, text) {
		return false, diag.Failed("%s has changed while it was tuned; nothing was written", path)
	}
	err = writeTo(app.Out, path, func(w io.Writer) error { _, err := w.Write(out); return err })
	return err == nil, err
}

// stoppedText says what a search had found that was stopped.
func stoppedText(l *Loaded, s *tune.Stopped, objective string, write bool) string {
	text := "interrupted"
	if write {
		text += "; nothing was written"
	}
	if s.Best == nil {
		return text + "; nothing better than the config had been found"
	}
	with := s.Best.Policy
	if w := weights(s.Best); w != "" {
		with += ", " + w
	}
	return fmt.Sprintf("%s; the best so far, on %d samples of the search alone: %s, %d slots, core queues %s, %s %.2f %% below the config's",
		text, s.Samples, with, s.Best.Slots, depths(l, s.Best), objective, 100*s.Gain)
}

func printTune(app *App, l *Loaded, r *tune.Result, wrote bool) {
	what := map[string]string{"makespan": "makespan", "mean": "mean response", "p99": "p99 of the response"}[r.Objective]
	samples := "draws"
	if r.Segments {
		samples = "segments"
	}
	app.Printf("%s, %s in cycles, %d %s that the search has not seen\n\n", r.Workload, what, r.Samples, samples)
	var b bytes.Buffer
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	head := "\tpolicy\tweights\tslots\tcore queues\tmemory bits\tqueue bits\t" + r.Objective + "\tgain %\t95 %\t" + samples
	bound := r.Config.Bound > 0
	if bound {
		head += "\tover bound %"
	}
	fmt.Fprintln(tw, head)
	row := func(rank string, x *tune.Row, isConfig bool) {
		gain, interval := fmt.Sprintf("%+.2f", 100*x.Gain), "too few"
		if x.Interval != nil {
			interval = fmt.Sprintf("%+.2f to %+.2f", 100*x.Interval[0], 100*x.Interval[1])
		}
		if isConfig {
			gain, interval = "", ""
		}
		line := fmt.Sprintf("%s\t%s\t%s\t%d\t%s\t%d\t%d\t%.0f\t%s\t%s\t%d", rank, x.Policy, weights(x), x.Slots, depths(l, x),
			x.MemoryBits, x.QueueBits, x.Value, gain, interval, x.Samples)
		if bound {
			line += fmt.Sprintf("\t%.2f", 100*x.Bound)
		}
		fmt.Fprintln(tw, line)
	}
	row("config", &r.Config, true)
	for i := range r.Rows {
		row(strconv.Itoa(i+1), &r.Rows[i], false)
	}
	_ = tw.Flush()
	_, _ = trimWriter{app.Out}.Write(b.Bytes())
	app.Printf("\nThe rank is that of the search; the other figures are of %s that it has not seen.\n", samples)
	app.Printf("A packet slot costs %.0f bits of memory; an entry of a core queue %d flip-flops, a slot's number.\n",
		r.SlotBits, r.EntryBits)
	for _, n := range r.Notes {
		app.Printf("note: %s\n", n)
	}
	if len(r.Rows) == 0 && r.OverBudget {
		return
	}
	if r.Changes.Empty() {
		app.Printf("\nNothing beats the config by more than noise and %g %%: it stays as it is.\n", 100*r.MinGain)
		return
	}
	best := &r.Rows[0]
	if r.OverBudget {
		app.Printf("\nThe config as it is is over the budget; this is the best within it.\n")
	}
	interval := ""
	if best.Interval != nil {
		interval = fmt.Sprintf(" (95 %%: %.2f to %.2f)", 100*best.Interval[0], 100*best.Interval[1])
	}
	app.Printf("\ngain over the config as it is: %.2f %%%s\n", 100*best.Gain, interval)
	if wrote {
		app.Printf("written to %s:\n\n%s", l.Config.File, r.Fragment)
	} else {
		app.Printf("merge into the tables of the config, or let -write do it:\n\n%s", r.Fragment)
	}
}

func weights(x *tune.Row) string {
	switch {
	case x.Lambda != nil:
		return fmt.Sprintf("lambda %g", *x.Lambda)
	case x.K != nil:
		return fmt.Sprintf("alpha %g beta %g (K %.2g)", *x.Alpha, *x.Beta, *x.K)
	case x.Alpha != nil:
		return fmt.Sprintf("alpha %g beta %g", *x.Alpha, *x.Beta)
	}
	return ""
}

// depths is "aes 4,2 sm4 4,2": the core queues of each [[cluster.core]].
func depths(l *Loaded, x *tune.Row) string {
	var parts []string
	for i, ds := range x.Depths {
		qs := make([]string, len(ds))
		for g, q := range ds {
			qs[g] = strconv.Itoa(q)
		}
		parts = append(parts, l.Config.Clusters[i].Name.V+" "+strings.Join(qs, ","))
	}
	return strings.Join(parts, " ")
}
