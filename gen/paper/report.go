// SPDX-License-Identifier: Apache-2.0

package paper

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// RegimesID is the table of regimes among the IDs.
const RegimesID = "regimes"

// IDs are the experiments' names: figures of paper 1, "servers" for those of paper 2, and the regimes.
func IDs() []string {
	var ids []string
	for _, e := range experiments {
		ids = append(ids, e.id)
	}
	return append(ids, RegimesID)
}

// Result is what a run gave.
type Result struct {
	Seed    uint64         `json:"seed"`
	RTL     bool           `json:"rtl,omitempty"` // of RunRTL
	Figures []*Figure      `json:"figures,omitempty"`
	Regimes []RegimeResult `json:"regimes,omitempty"`
}

// Run runs the experiments whose IDs are given, all if none is.
func Run(ctx context.Context, ids []string, opt Options) (*Result, error) {
	want := func(id string) bool { return len(ids) == 0 || slices.Contains(ids, id) }
	regimes, err := Regimes()
	if err != nil {
		return nil, err
	}
	r := newRunner(ctx, opt, 0)
	for _, e := range experiments {
		if want(e.id) {
			r.total += e.points * r.draws()
		}
	}
	if want(RegimesID) {
		r.total += len(regimes) * r.regimeDraws()
	}
	res := &Result{Seed: opt.Seed}
	for _, e := range experiments {
		if !want(e.id) {
			continue
		}
		f, err := e.run(r, e.id)
		if err != nil {
			return nil, err
		}
		res.Figures = append(res.Figures, f)
	}
	if want(RegimesID) {
		if res.Regimes, err = r.regimes(regimes); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// Missed says what does not hold that has to: distances off their references, needed rows.
func (r *Result) Missed() []string {
	var out []string
	for _, f := range r.Figures {
		for _, row := range f.Rows {
			if row.Needed && !row.Fits {
				out = append(out, fmt.Sprintf("figure %s: %s: %s", f.ID, row.Quantity, row.Ours))
			}
		}
	}
	for _, g := range r.Regimes {
		for _, d := range g.Distances {
			if !d.OK() {
				out = append(out, fmt.Sprintf("regime %s: %s: mean %.2f %%, reference %.1f %%, tolerance %.2f",
					g.Regime, d.Policy, d.Mean, d.Ref[0], d.Tolerance))
			}
		}
	}
	return out
}

// Write writes report.md (of RTL report_rtl.md), a CSV file an experiment and the charts into dir.
func (r *Result) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range r.Figures {
		name := "figure_" + strings.ReplaceAll(f.ID, "-", "_") + ".csv"
		if f.ID == "servers" {
			name = "paper2_servers.csv"
		}
		if err := writeCSV(filepath.Join(dir, name), f.records()); err != nil {
			return err
		}
		for i := range f.Charts {
			if err := f.Charts[i].Write(dir); err != nil {
				return err
			}
		}
	}
	if len(r.Regimes) > 0 {
		if err := writeCSV(filepath.Join(dir, "regimes.csv"), regimeRecords(r.Regimes)); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, r.File()), []byte(r.Markdown()), 0o644)
}

// File is the report's name.
func (r *Result) File() string {
	if r.RTL {
		return "report_rtl.md"
	}
	return "report.md"
}

func writeCSV(path string, records [][]string) error {
	var b strings.Builder
	w := csv.NewWriter(&b)
	if err := w.WriteAll(records); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

func num(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func round(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }

func (f *Figure) records() [][]string {
	out := [][]string{{"line", "x_name", "x", "unit", "mean", "sd", "max", "draws"}}
	for _, l := range f.Lines {
		for i, v := range l.Values {
			out = append(out, []string{
				l.Name, l.X, num(l.At[i]), l.Unit, round(v.Mean, 4), round(v.SD, 4), round(v.Max, 4), strconv.Itoa(v.N),
			})
		}
	}
	return out
}

func regimeRecords(rs []RegimeResult) [][]string {
	out := [][]string{{
		"regime", "policy", "bind", "mean_percent", "worst_percent", "sd", "draws", "reference_mean", "reference_worst",
		"tolerance", "ok",
	}}
	for _, r := range rs {
		for _, d := range r.Distances {
			rec := []string{
				r.Regime, d.Policy, d.Bind, round(d.Mean, 3), round(d.Max, 3), round(d.SD, 3), strconv.Itoa(d.N), "", "", "", "",
			}
			if d.Ref != nil {
				copy(rec[7:], []string{num(d.Ref[0]), num(d.Ref[1]), round(d.Tolerance, 3), strconv.FormatBool(d.OK())})
			}
			out = append(out, rec)
		}
	}
	return out
}

// Summary is a policy over all regimes.
type Summary struct {
	Policy string  `json:"policy"`
	Bind   string  `json:"bind"`
	Mean   float64 `json:"mean"`  // of the regimes' means
	Worst  float64 `json:"worst"` // of all draws
}

// Summaries are the policies over all regimes, in the order of the table's columns.
func Summaries(rs []RegimeResult) []Summary {
	if len(rs) == 0 {
		return nil
	}
	out := make([]Summary, len(rs[0].Distances))
	for k := range out {
		out[k].Policy, out[k].Bind = rs[0].Distances[k].Policy, rs[0].Distances[k].Bind
		for _, r := range rs {
			out[k].Mean += r.Distances[k].Mean / float64(len(rs))
			out[k].Worst = max(out[k].Worst, r.Distances[k].Max)
		}
	}
	return out
}

// PrintRegimes prints the table of regimes for a terminal.
func (r *Result) PrintRegimes(w io.Writer) error {
	if len(r.Regimes) == 0 {
		return nil
	}
	fmt.Fprintf(w, "Makespan over the lower bound, %%: mean (worst) of %d draws, bind = \"job\"; reference; how "+
		"far the means may differ.\n\n",
		r.Regimes[0].Distances[0].N)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "regime")
	for _, d := range r.Regimes[0].Distances[:references] {
		fmt.Fprintf(t, "\t%s\treference\tmay differ\t", d.Policy)
	}
	fmt.Fprintln(t)
	for _, g := range r.Regimes {
		fmt.Fprint(t, g.Regime)
		for _, d := range g.Distances[:references] {
			fmt.Fprintf(t, "\t%.1f (%.1f)\t%.1f (%.1f)\t%.2f\t%s", d.Mean, d.Max, d.Ref[0], d.Ref[1], d.Tolerance,
				verdict(d.OK()))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	rest := r.Regimes[0].Distances[references:]
	fmt.Fprintf(w, "\nThe other columns, mean:\n\n")
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "regime")
	for _, d := range rest {
		fmt.Fprintf(t, "\t%s", column2(d))
	}
	fmt.Fprintln(t)
	for _, g := range r.Regimes {
		fmt.Fprint(t, g.Regime)
		for _, d := range g.Distances[references:] {
			fmt.Fprintf(t, "\t%.1f", d.Mean)
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nOver all regimes, mean (worst):\n\n")
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range Summaries(r.Regimes) {
		fmt.Fprintf(t, "%s\tbind = %q\t%.1f (%.0f)\n", s.Policy, s.Bind, s.Mean, s.Worst)
	}
	return t.Flush()
}

func verdict(ok bool) string {
	if ok {
		return "ok"
	}
	return "OUT"
}

// column2 is a column's heading where the binding has to be told apart.
func column2(d Distance) string {
	if d.Bind == "job" {
		return d.Policy
	}
	return d.Policy + ", in flight"
}

// PrintRows prints the rows of all figures for a terminal.
func (r *Result) PrintRows(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(r.Figures) > 0 {
		fmt.Fprintln(t, "figure\tfits\tquantity\tpaper\tours")
	}
	for _, f := range r.Figures {
		for _, row := range f.Rows {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", f.ID, yesNo(row.Fits), row.Quantity, row.Paper, row.Ours)
		}
	}
	return t.Flush()
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// Markdown is the report.
func (r *Result) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The papers' experiments, repeated\n\nMean ± standard deviation between draws; seed %d. "+
		"Every draw is a random cluster and a random list of packets, so that a paper's single draw can lie a "+
		"standard deviation off the mean. The papers' images are lost: their "+
		"values are those that their text states.\n", r.Seed)
	if len(r.Figures) > 0 {
		fmt.Fprintf(&b, "\n| figure | quantity | paper | ours | fits |\n|---|---|---|---|---|\n")
		for _, f := range r.Figures {
			for _, row := range f.Rows {
				fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", f.ID, row.Quantity, row.Paper, row.Ours, yesNo(row.Fits))
			}
		}
	}
	for _, f := range r.Figures {
		fmt.Fprintf(&b, "\n## %s\n\nSetting: %s; %d draws.\n", f.Title, f.Setting, f.Lines[0].Values[0].N)
		if f.Note != "" {
			fmt.Fprintf(&b, "\n%s\n", f.Note)
		}
		for _, c := range f.Charts {
			fmt.Fprintf(&b, "\n![%s](%s.svg)\n", c.Title, c.File)
		}
	}
	if len(r.Regimes) == 0 {
		return b.String()
	}
	fmt.Fprintf(&b, "\n## Policies over the regimes\n\nMakespan over the lower bound in %%: mean (worst) of %d "+
		"draws; chained jobs keep their core to the last packet. In brackets behind it the reference and how far the "+
		"means may differ, "+
		"3*s*sqrt(1/%d + 1/%d).\n\n| regime |",
		r.Regimes[0].Distances[0].N, RegimeDraws, r.Regimes[0].Distances[0].N)
	for _, d := range r.Regimes[0].Distances {
		fmt.Fprintf(&b, " %s |", column2(d))
	}
	fmt.Fprintf(&b, "\n|---|%s\n", strings.Repeat("---|", len(r.Regimes[0].Distances)))
	for _, g := range r.Regimes {
		fmt.Fprintf(&b, "| %s |", g.Regime)
		for _, d := range g.Distances {
			fmt.Fprintf(&b, " %.1f (%.1f)", d.Mean, d.Max)
			if d.Ref != nil {
				fmt.Fprintf(&b, " [%.1f (%.1f) ± %.2f]", d.Ref[0], d.Ref[1], d.Tolerance)
				if !d.OK() {
					fmt.Fprint(&b, " **OUT**")
				}
			}
			fmt.Fprint(&b, " |")
		}
		fmt.Fprintln(&b)
	}
	fmt.Fprintf(&b, "\n| policy | chained jobs bound | mean of the regimes | worst draw |\n|---|---|---|---|\n")
	for _, s := range Summaries(r.Regimes) {
		fmt.Fprintf(&b, "| %s | %s | %.1f | %.0f |\n", s.Policy, s.Bind, s.Mean, s.Worst)
	}
	return b.String()
}

func join(s []string) string { return strings.Join(s, ", ") }

func itoa(x []int) []string {
	out := make([]string, len(x))
	for i, v := range x {
		out[i] = strconv.Itoa(v)
	}
	return out
}
