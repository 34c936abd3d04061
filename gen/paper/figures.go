// SPDX-License-Identifier: Apache-2.0

package paper

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"hwgen/gen/report"
)

// FigureDraws is the number of draws of each setting of a figure.
const FigureDraws = 30

// Figure is an experiment of the papers, repeated.
type Figure struct {
	ID      string         `json:"id"`
	Title   string         `json:"title"`
	Setting string         `json:"setting"`
	Note    string         `json:"note,omitempty"`
	Lines   []Line         `json:"lines"`
	Rows    []Row          `json:"rows"`
	Charts  []report.Chart `json:"-"`
}

// Line is a quantity over the points of a figure.
type Line struct {
	Name   string    `json:"name"`
	Unit   string    `json:"unit"`
	X      string    `json:"x_name"`
	At     []float64 `json:"x"`
	Values []Sample  `json:"values"`
}

// Row sets a statement of a paper beside what was measured.
type Row struct {
	Quantity string `json:"quantity"`
	Paper    string `json:"paper"`
	Ours     string `json:"ours"`
	Fits     bool   `json:"fits"`
	// Needed marks rows that are no statement of a paper but must hold.
	Needed bool `json:"needed,omitempty"`
}

// experiment computes a figure.
type experiment struct {
	id     string
	points int // settings, each of which is drawn so often
	run    func(*runner, string) (*Figure, error)
}

var experiments = []experiment{
	{"6a", len(caps6), figure6a},
	{"6b", len(ranges6), figure6b},
	{"7", 1, figure7},
	{"8", len(packets4), balance(4, packets4)},
	{"9", len(packets10), balance(10, packets10)},
	{"10", 2 * len(packets4), packetsFigure(4, packets4, 25)},
	{"11", 2 * len(packets10), packetsFigure(10, packets10, 26)},
	{"12", 2 * len(cores12), figure12},
	{"servers", len(requests), figureServers},
}

// The papers' settings.
var (
	caps6     = []int{25, 50, 100, 200, 400}
	ranges6   = [][2]int{{8, 28}, {16, 36}, {32, 52}, {64, 84}}
	packets4  = []int{100, 200, 300, 400, 500, 600, 700}
	packets10 = []int{500, 700, 1000, 1100, 1300, 1500}
	cores12   = []int{4, 5, 6, 7, 8, 9, 10}
	requests  = []int{100, 200, 300, 400, 500, 600, 700, 800, 900}
)

// paperTimes is the range of the times of most experiments.
var paperTimes = [2]int{16, 36}

// fineAlphas are dense where the best alphas of figure 6 lie.
var fineAlphas = func() []float64 {
	var a []float64
	for i := range 20 {
		a = append(a, float64(i*5)/1000) // to .095
	}
	for i := 10; i < 30; i++ {
		a = append(a, float64(i)/100)
	}
	for i := 12; i <= 36; i++ {
		a = append(a, float64(i*25)/1000) // .3 to .9
	}
	return a
}()

// measure draws every workload and gives the values of each draw to f: out[workload][quantity][draw]. Draw i has the
// same random numbers in all workloads, so that cores and packets are the same where the workloads are alike.
func (r *runner) measure(id string, ws []Workload, f func(d *Draw) ([]float64, error)) ([][][]float64, error) {
	draws := r.draws()
	got := make([][]float64, len(ws)*draws)
	err := r.each(len(got), func(i int) error {
		d, err := ws[i/draws].Draw(rng(r.opt.Seed, "figure "+id, i%draws))
		if err == nil {
			got[i], err = f(d)
		}
		if err != nil {
			return fmt.Errorf("figure %s: %w", id, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([][][]float64, len(ws))
	for w := range out {
		out[w] = make([][]float64, len(got[w*draws]))
		for q := range out[w] {
			for i := range draws {
				out[w][q] = append(out[w][q], got[w*draws+i][q])
			}
		}
	}
	return out, nil
}

func (r *runner) draws() int {
	if r.opt.Draws > 0 {
		return r.opt.Draws
	}
	return FigureDraws
}

// line is quantity q of all workloads.
func line(name, unit, x string, at []float64, out [][][]float64, q int) Line {
	l := Line{Name: name, Unit: unit, X: x, At: at}
	for w := range out {
		l.Values = append(l.Values, sample(out[w][q]))
	}
	return l
}

func (l *Line) series() report.Series {
	s := report.Series{Name: l.Name, X: l.At}
	for _, v := range l.Values {
		s.Y, s.Err = append(s.Y, v.Mean), append(s.Err, v.SD)
	}
	return s
}

func toFloats(x []int) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// falls says whether the means fall from point to point.
func (l *Line) falls() bool {
	for i := range l.Values[1:] {
		if l.Values[i+1].Mean >= l.Values[i].Mean {
			return false
		}
	}
	return true
}

func (l *Line) first() Sample { return l.Values[0] }
func (l *Line) last() Sample  { return l.Values[len(l.Values)-1] }

// ends prints the first and last point.
func (l *Line) ends(format string) string {
	return fmt.Sprintf(format+" -> "+format, l.first().Mean, l.first().SD, l.last().Mean, l.last().SD)
}

// unevenness is the coefficient of variation of the cores' busy times, in %.
func unevenness(busy []float64) float64 {
	m, s := stat.PopMeanStdDev(busy, nil)
	return 100 * s / m
}

func figure6a(r *runner, id string) (*Figure, error) {
	var ws []Workload
	for _, c := range caps6 {
		ws = append(ws, Workload{Cores: 4, Times: "4op", T: paperTimes, Cap: c, Packets: 600, Gap: 5, Chained: .3})
	}
	out, err := r.measure(id, ws, bestAlpha)
	if err != nil {
		return nil, err
	}
	l := line("best alpha", "", "CAP", toFloats(caps6), out, 0)
	var k, ours []string
	for i, v := range l.Values {
		k = append(k, fmt.Sprintf("%.1f", v.Mean*l.At[i]/(1-v.Mean)))
		ours = append(ours, fmt.Sprintf("%d: %.3f ± %.3f", caps6[i], v.Mean, v.SD))
	}
	return &Figure{
		ID: id, Title: "Paper 1, figure 6(a): the best speed weight against the capacity of a core's queue",
		Setting: "4 cores, a time for each core and command from [16, 36], 600 packets, k = 5, 30 % of the jobs chained",
		Note: fmt.Sprintf("alpha_best ≈ K/(K+CAP) with a K that hardly depends on CAP: %s packets for CAP %s. So K is "+
			"what to program, not alpha.", join(k), join(itoa(caps6))),
		Lines: []Line{l},
		Rows: []Row{{
			Quantity: "best alpha at CAP ...", Paper: "falls as CAP grows (values only in the image)", Ours: join(ours),
			Fits: l.falls(),
		}},
		Charts: []report.Chart{{
			File: "figure_6a", Title: "Best alpha against CAP", X: "CAP, packets", Y: "alpha of the least makespan", LogX: true,
			FromY0: true, Series: []report.Series{l.series()},
		}},
	}, nil
}

// bestAlpha measures the best alpha of a draw.
func bestAlpha(d *Draw) ([]float64, error) {
	a, _, err := d.Best(fineAlphas, false)
	return []float64{a}, err
}

func figure6b(r *runner, id string) (*Figure, error) {
	var ws []Workload
	var mid []float64
	for _, t := range ranges6 {
		ws = append(ws, Workload{Cores: 4, Times: "1t", T: t, Cap: 200, Packets: 600, Chained: .3})
		mid = append(mid, float64(t[0]+t[1])/2)
	}
	out, err := r.measure(id, ws, bestAlpha)
	if err != nil {
		return nil, err
	}
	l := line("best alpha", "", "middle of the range of times", mid, out, 0)
	var ours []string
	for i, v := range l.Values {
		ours = append(ours, fmt.Sprintf("(%d, %d): %.2f ± %.2f", ranges6[i][0], ranges6[i][1], v.Mean, v.SD))
	}
	return &Figure{
		ID: id, Title: "Paper 1, figure 6(b): the best speed weight for four ranges of speeds",
		Setting: "4 cores, one time a core from each range, CAP 200, 600 packets at once, 30 % of the jobs chained",
		Lines:   []Line{l},
		Rows: []Row{{
			Quantity: "best alpha for times in ...", Paper: "falls from range to range, as in 6(a) (values only in the image)",
			Ours: join(ours),
			Fits: l.falls(),
		}},
		Charts: []report.Chart{{
			File: "figure_6b", Title: "Best alpha for four ranges of times", X: "middle of the range, units",
			Y: "alpha of the least makespan", FromY0: true, Series: []report.Series{l.series()},
		}},
	}, nil
}

// alphas7 are the points of figure 7.
var alphas7 = []float64{0, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1}

func figure7(r *runner, id string) (*Figure, error) {
	ws := []Workload{{Cores: 4, Times: "4op", T: paperTimes, Cap: 200, Packets: 600, Gap: 5, Chained: .3}}
	out, err := r.measure(id, ws, func(d *Draw) ([]float64, error) {
		var makespan, cv []float64
		for _, a := range alphas7 {
			o, err := d.Run(Policy{Name: "weighted", Alpha: a})
			if err != nil {
				return nil, err
			}
			makespan, cv = append(makespan, o.Makespan), append(cv, unevenness(o.Busy))
		}
		return append(makespan, cv...), nil
	})
	if err != nil {
		return nil, err
	}
	n := len(alphas7)
	m := Line{Name: "makespan", Unit: "units", X: "alpha", At: alphas7}
	c := Line{Name: "variation of busy times", Unit: "%", X: "alpha", At: alphas7}
	for i := range alphas7 {
		m.Values, c.Values = append(m.Values, sample(out[0][i])), append(c.Values, sample(out[0][n+i]))
	}
	const at05 = 1
	best, draws := 0, len(out[0][0])
	for i := range draws {
		if best05 := out[0][at05][i]; best05 <= floats.Min(column(out[0][:n], i)) {
			best++
		}
	}
	flat := 0
	for i := range draws {
		if math.Abs(out[0][n-1][i]/out[0][n-2][i]-1) < .01 {
			flat++
		}
	}
	one := report.Series{Name: "the first draw", X: alphas7, Y: column(out[0][:n], 0)}
	var means []float64
	for _, v := range m.Values {
		means = append(means, v.Mean)
	}
	least := floats.MinIdx(means)
	rises := true
	for i := least + 1; i < n; i++ {
		rises = rises && means[i] > means[i-1]
	}
	return &Figure{
		ID: id, Title: "Paper 1, figure 7: load and makespan against the speed weight",
		Setting: "4 cores, a time for each core and command from [16, 36], CAP 200, 600 packets, k = 5, 30 % of the " +
			"jobs chained",
		Note: "A single draw goes flat where alpha/beta*CAP times the gap between the fastest two cores' speeds " +
			"exceeds the packets in flight; " +
			"that is at another alpha in each draw, so that the mean over draws rises to the end.",
		Lines: []Line{m, c},
		Rows: []Row{
			{
				Quantity: "alpha of the least makespan", Paper: "0.05",
				Ours: fmt.Sprintf("%.2f in the mean, %.2f in %d of %d draws", alphas7[least], alphas7[at05], best, draws),
				Fits: least == at05,
			},
			{
				Quantity: "makespan at alpha 0 / .05 / .1 / .5 / 1", Paper: "falls, then rises (values only in the image)",
				Ours: fmt.Sprintf("%.0f / %.0f / %.0f / %.0f / %.0f", means[0], means[1], means[2], means[6], means[11]),
				Fits: least > 0 && rises,
			},
			{
				Quantity: "makespan from alpha .9 to 1", Paper: "flat in the end",
				Ours: fmt.Sprintf("within 1 %% in %d of %d draws, in the mean %+.1f %%", flat, draws,
					100*(means[n-1]/means[n-2]-1)),
				Fits: 2*flat >= draws,
			},
			{
				Quantity: "variation of busy times at alpha 0 / .05 / 1", Paper: "more uneven the larger alpha; even at .05",
				Ours: fmt.Sprintf("%.1f / %.1f / %.1f %%", c.Values[0].Mean, c.Values[1].Mean, c.Values[n-1].Mean),
				Fits: !c.falls() && c.Values[at05].Mean < c.Values[n-1].Mean,
			},
		},
		Charts: []report.Chart{
			{
				File: "figure_7_makespan", Title: "Makespan against the speed weight", X: "alpha (beta = 1 - alpha)",
				Y:      "makespan, units",
				FromY0: true, Series: []report.Series{m.series(), one},
			},
			{
				File: "figure_7_load", Title: "Balance of the load against the speed weight", X: "alpha (beta = 1 - alpha)",
				Y: "variation of busy times, %", FromY0: true, Series: []report.Series{c.series()},
			},
		},
	}, nil
}

func column(rows [][]float64, i int) []float64 {
	out := make([]float64, len(rows))
	for k, row := range rows {
		out[k] = row[i]
	}
	return out
}

// balance makes figures 8 and 9.
func balance(cores int, packets []int) func(*runner, string) (*Figure, error) {
	return func(r *runner, id string) (*Figure, error) {
		var ws []Workload
		for _, p := range packets {
			ws = append(ws, Workload{
				Cores: cores, Times: "4op", T: paperTimes, Cap: 200, Packets: p, Gap: 20 / float64(cores), Chained: .3,
			})
		}
		out, err := r.measure(id, ws, func(d *Draw) ([]float64, error) {
			_, best, err := d.Best(alphas, false)
			if err != nil {
				return nil, err
			}
			v := []float64{unevenness(best.Busy)}
			for _, p := range []Policy{{Name: "weighted", Alpha: .05}, {Name: "affinity", Lambda: 4}, {Name: "static"}} {
				o, err := d.Run(p)
				if err != nil {
					return nil, err
				}
				v = append(v, unevenness(o.Busy))
			}
			return v, nil
		})
		if err != nil {
			return nil, err
		}
		at := toFloats(packets)
		f := &Figure{
			ID: id, Title: fmt.Sprintf("Paper 1, figure %s: balance of the load of %d cores", id, cores),
			Setting: fmt.Sprintf("%d cores, a time for each core and command from [16, 36], CAP 200, k = %.3g, 30 %% of "+
				"the jobs chained",
				cores, 20/float64(cores)),
		}
		ch := report.Chart{
			File: "figure_" + id, Title: fmt.Sprintf("Balance of the load of %d cores", cores), X: "packets",
			Y: "variation of busy times, %", FromY0: true,
		}
		for q, name := range []string{bestWeighted, "weighted, alpha 0.05", "affinity", "static (HHS-ACDID)"} {
			l := line(name, "%", "packets", at, out, q)
			f.Lines = append(f.Lines, l)
			ch.Series = append(ch.Series, l.series())
		}
		f.Charts = []report.Chart{ch}
		for i, l := range f.Lines[:3] {
			row := Row{
				Quantity: fmt.Sprintf("variation of busy times, %s, %d -> %d packets", l.Name, packets[0], packets[len(packets)-1]),
				Paper:    "stays well balanced as packets grow (values only in the image)", Ours: l.ends("%.1f ± %.1f") + " %",
				Fits: l.last().Mean < l.first().Mean,
			}
			if i == 2 {
				row.Paper = "-"
			}
			f.Rows = append(f.Rows, row)
		}
		return f, nil
	}
}

// The gains that paper 1 states, in %: of figures 10 and 11 together, and of figure 12.
const (
	gainLeast, gainMost = 10.6, 15.3
	gain4, gain10       = 15.3, 10.3
)

// What affinity has to reach on the settings of figures 10 and 11, in %.
const (
	affinityGain  = 13
	affinityShort = 2 // of the gain that the lower bound allows
)

// compared are the lines of figures 10 to 12.
var compared = []string{"static (HHS-ACDID)", bestWeighted, "weighted, alpha 0.05", "affinity", "lower bound"}

// compare measures the makespans of a draw in the order of compared, and then the gains over static of all but the
// first.
func compare(d *Draw) ([]float64, error) {
	static, err := d.Run(Policy{Name: "static"})
	if err != nil {
		return nil, err
	}
	v := []float64{static.Makespan}
	for _, p := range []Policy{{Name: bestWeighted}, {Name: "weighted", Alpha: .05}, {Name: "affinity", Lambda: 4}} {
		o, err := d.run(p)
		if err != nil {
			return nil, err
		}
		v = append(v, o.Makespan)
	}
	v = append(v, d.Bound())
	for _, m := range v[1:] {
		v = append(v, 100*(1-m/static.Makespan))
	}
	return v, nil
}

// mean over all workloads of quantity q, draw by draw.
func overall(out [][][]float64, q int) Sample {
	x := make([]float64, len(out[0][q]))
	for w := range out {
		floats.Add(x, out[w][q])
	}
	floats.Scale(1/float64(len(out)), x)
	return sample(x)
}

// makespans fills a figure with the lines and charts of compare.
func (f *Figure) makespans(x string, at []float64, out [][][]float64) {
	ch := report.Chart{File: "figure_" + f.ID, Title: "Makespan against " + x, X: x, Y: "makespan, units", FromY0: true}
	gains := report.Chart{
		File: "figure_" + f.ID + "_gain", Title: "Shorter than HHS-ACDID", X: x, Y: "gain, %", FromY0: true,
	}
	for q, name := range compared {
		l := line(name, "units", x, at, out, q)
		f.Lines = append(f.Lines, l)
		s := l.series()
		s.Err = nil // between draws it is mostly the cores' speed
		ch.Series = append(ch.Series, s)
	}
	for q, name := range compared[1:] {
		l := line("gain of "+name, "%", x, at, out, len(compared)+q)
		f.Lines = append(f.Lines, l)
		s := l.series()
		s.Name = name
		gains.Series = append(gains.Series, s)
	}
	f.Charts = append(f.Charts, ch, gains)
}

// gain is the line of a compared policy's gain.
func (f *Figure) gain(q int) *Line { return &f.Lines[len(compared)+q-1] }

// inRange says whether gains are the paper's of figures 10 and 11: each mean in its range, but for two standard errors,
// and the last above the first, likewise.
func inRange(l *Line) bool {
	slack := func(v Sample) float64 { return 2 * v.SD / math.Sqrt(float64(v.N)) }
	for _, v := range l.Values {
		if v.Mean < gainLeast-slack(v) || v.Mean > gainMost+slack(v) {
			return false
		}
	}
	return l.last().Mean-l.first().Mean > -slack(l.last())
}

// packetsFigure makes figures 10 and 11; k is gap/N.
func packetsFigure(cores int, packets []int, k float64) func(*runner, string) (*Figure, error) {
	return func(r *runner, id string) (*Figure, error) {
		gap := k / float64(cores)
		var ws, other []Workload
		for _, p := range packets {
			ws = append(ws, Workload{Cores: cores, Times: "4op", T: paperTimes, Cap: 200, Packets: p, Gap: gap})
			other = append(other, Workload{Cores: cores, Times: "1t", T: paperTimes, Cap: 60, Packets: p})
		}
		out, err := r.measure(id, ws, compare)
		if err != nil {
			return nil, err
		}
		alt, err := r.measure(id, other, compare)
		if err != nil {
			return nil, err
		}
		f := &Figure{
			ID: id, Title: fmt.Sprintf("Paper 1, figure %s: makespan of %d cores against HHS-ACDID", id, cores),
			Setting: fmt.Sprintf("%d cores, a time for each core and command from [16, 36], CAP 200, k = %.3g, no "+
				"chained jobs", cores, gap),
			Note: "The paper leaves out k, CAP and the share of chained jobs. This setting gives its range of gains in " +
				"figures 10 and 11, but not " +
				"its fall in figure 12; that of figure 12 gives the last row here. No single setting gives all three figures.",
		}
		at := toFloats(packets)
		f.makespans("packets", at, out)
		ends := fmt.Sprintf("%d -> %d packets", packets[0], packets[len(packets)-1])
		g := f.gain(1)
		paperSays := fmt.Sprintf("%.1f to %.1f %% in figures 10 and 11, more with more packets", gainLeast, gainMost)
		f.Rows = append(f.Rows, Row{
			Quantity: "gain over HHS-ACDID, " + bestWeighted + ", " + ends, Paper: paperSays, Ours: g.ends("%.1f ± %.1f") + " %",
			Fits: inRange(g),
		})
		a, b := overall(out, len(compared)+2), overall(out, len(compared)+3)
		short, at0 := 0.0, 0
		for i := range packets {
			if s := f.gain(4).Values[i].Mean - f.gain(3).Values[i].Mean; s > short {
				short, at0 = s, packets[i]
			}
		}
		f.Rows = append(f.Rows,
			Row{
				Quantity: fmt.Sprintf("gain over HHS-ACDID, affinity, mean over the points: at least %d %%", affinityGain),
				Paper:    "-",
				Ours:     fmt.Sprintf("%.1f ± %.1f %%", a.Mean, a.SD), Fits: a.Mean >= affinityGain, Needed: true,
			},
			Row{
				Quantity: fmt.Sprintf("gain that the lower bound allows; affinity within %d points of it", affinityShort),
				Paper:    "-",
				Ours: fmt.Sprintf("%.1f ± %.1f %%, affinity %.1f less; at most %.1f less, at %d packets", b.Mean, b.SD,
					b.Mean-a.Mean, short, at0),
				Fits:   b.Mean-a.Mean <= affinityShort,
				Needed: true,
			})
		l := line("gain of "+bestWeighted+", setting of figure 12", "%", "packets", at, alt, len(compared))
		f.Lines = append(f.Lines, l)
		s := l.series()
		s.Name = bestWeighted + ", setting of figure 12"
		f.Charts[1].Series = append(f.Charts[1].Series, s)
		f.Rows = append(f.Rows, Row{
			Quantity: "the same on the setting of figure 12, " + ends, Paper: paperSays, Ours: l.ends("%.1f ± %.1f") + " %",
			Fits: inRange(&l),
		})
		return f, nil
	}
}

func figure12(r *runner, id string) (*Figure, error) {
	var ws, other []Workload
	for _, n := range cores12 {
		ws = append(ws, Workload{Cores: n, Times: "1t", T: paperTimes, Cap: 60, Packets: 1000})
		other = append(other, Workload{Cores: n, Times: "4op", T: paperTimes, Cap: 200, Packets: 1000, Gap: 25 / float64(n)})
	}
	out, err := r.measure(id, ws, compare)
	if err != nil {
		return nil, err
	}
	alt, err := r.measure(id, other, compare)
	if err != nil {
		return nil, err
	}
	f := &Figure{
		ID: id, Title: "Paper 1, figure 12: makespan of 1000 packets against the number of cores",
		Setting: "one time a core from [16, 36], CAP 60, 1000 packets at once, no chained jobs",
		Note: "Equal queues that are full for most of the time force equal shares on cores of unequal speed: that is " +
			"what makes the gain fall with " +
			"the number of cores, and what the gap to the lower bound is. The setting of figures 10 and 11 (last row) " +
			"gives no such fall.",
	}
	at := toFloats(cores12)
	f.makespans("cores", at, out)
	g := f.gain(1)
	paperSays := fmt.Sprintf("%.1f %% -> %.1f %%, falling", gain4, gain10)
	f.Rows = append(f.Rows, Row{
		Quantity: "gain over HHS-ACDID, " + bestWeighted + ", 4 -> 10 cores", Paper: paperSays,
		Ours: g.ends("%.1f ± %.1f") + " %",
		Fits: g.last().Mean < g.first().Mean && math.Abs(g.first().Mean-gain4) <= g.first().SD &&
			math.Abs(g.last().Mean-gain10) <= g.last().SD,
	})
	l := line("gain of "+bestWeighted+", setting of figures 10 and 11", "%", "cores", at, alt, len(compared))
	f.Lines = append(f.Lines, l)
	s := l.series()
	s.Name = bestWeighted + ", setting of figures 10, 11"
	f.Charts[1].Series = append(f.Charts[1].Series, s)
	f.Rows = append(f.Rows, Row{
		Quantity: "the same on the setting of figures 10 and 11 (k = 25/N), 4 -> 10 cores", Paper: paperSays,
		Ours: l.ends("%.1f ± %.1f") + " %",
		Fits: l.last().Mean < l.first().Mean && math.Abs(l.first().Mean-gain4) <= l.first().SD &&
			math.Abs(l.last().Mean-gain10) <= l.last().SD,
	})
	return f, nil
}

func figureServers(r *runner, id string) (*Figure, error) {
	draws := r.draws()
	got := make([][6]float64, len(requests)*draws)
	err := r.each(len(got), func(i int) error {
		for k, w := range []loadWeights{resourceWeights, middlewareWeights} {
			each, all := runServers(requests[i/draws], w, rng(r.opt.Seed, "servers", i%draws))
			got[i][k], got[i][2+k], got[i][4+k] = each[0], each[1], all
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	f := &Figure{
		ID: id, Title: "Paper 2, figures 5 and 6: mean response of two servers",
		Setting: fmt.Sprintf("two servers of speed %.1f and %.1f, requests of %.1f s of CPU in the mean, over %.0f s; "+
			"load reported every %.0f s, "+
			"thresholds checked every %.0f s, alarm after %d checks (as in the paper); load by resources alone %s, with "+
			"ability and connections %s",
			servers[0].speed, servers[1].speed, serverDemand, serverWindow, serverPeriod, checkPeriod, alarmChecks,
			weightText(resourceWeights), weightText(middlewareWeights)),
		Note: "A model of the two machines, not of the scheduler; the paper's hardware, weights and thresholds are " +
			"lost, so that only the shape of " +
			"the curves can be compared. All requests of a period go to one server, whatever the weights: that is what " +
			"the response times are made of.",
	}
	names := []string{"resources alone", "with ability and connections"}
	for s, what := range []string{"middleware a", "middleware b", "both"} {
		ch := report.Chart{
			File: fmt.Sprintf("paper2_figure_%d", 5+s), Title: "Mean response, " + what, X: "requests", Y: "mean response, s",
			FromY0: true,
		}
		if s == 2 {
			ch.File = "paper2_both"
		}
		var pair [2]Line
		for k, name := range names {
			l := Line{Name: what + ", " + name, Unit: "s", X: "requests", At: toFloats(requests)}
			for p := range requests {
				var x []float64
				for i := range draws {
					x = append(x, got[p*draws+i][2*s+k])
				}
				l.Values = append(l.Values, sample(x))
			}
			sr := l.series()
			sr.Name = name
			ch.Series = append(ch.Series, sr)
			f.Lines = append(f.Lines, l)
			pair[k] = l
		}
		f.Charts = append(f.Charts, ch)
		mid := len(requests) / 2
		few := func(p int) bool {
			return math.Abs(pair[0].Values[p].Mean-pair[1].Values[p].Mean) <= math.Max(pair[0].Values[p].SD,
				pair[1].Values[p].SD)
		}
		at := func(p int) string {
			return fmt.Sprintf("%d: %.1f ± %.1f / %.1f ± %.1f", requests[p], pair[0].Values[p].Mean, pair[0].Values[p].SD,
				pair[1].Values[p].Mean, pair[1].Values[p].SD)
		}
		last := len(requests) - 1
		f.Rows = append(f.Rows, Row{
			Quantity: what + ": mean response at ... requests, " + names[0] + " / " + names[1] + ", s",
			Paper:    "alike when few, clearly shorter with all five when many (values only in the image)",
			Ours:     join([]string{at(0), at(mid), at(last)}),
			Fits:     few(mid) && pair[1].Values[last].Mean < .95*pair[0].Values[last].Mean,
		})
	}
	return f, nil
}

func weightText(w loadWeights) string {
	var s []string
	for _, v := range w {
		s = append(s, strconv.FormatFloat(v, 'g', 2, 64))
	}
	return "(" + join(s) + ")"
}
