// SPDX-License-Identifier: Apache-2.0

package paper

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/sched"
)

// Regimes of every kind; the whole table is `hwgen paper -regimes`.
var quickRegimes = []string{
	"near-critical k=6", "saturated k=1", "1t saturated k=1", "CAP=2 k=1", "10x het 4op k=5",
	"dep=1 CAP=8 k=1", "bursts 12 load .8",
	"len 1..16 k=1 CAP64", "jitter 30% k=5", "10 cores k=.5",
}

func regimesNamed(t *testing.T, names ...string) []Regime {
	all, err := Regimes()
	require.NoError(t, err)
	require.Len(t, all, 36)
	out := slices.DeleteFunc(all, func(r Regime) bool { return !slices.Contains(names, r.Name) })
	require.Len(t, out, len(names))
	return out
}

func TestRegimesAgreeWithTheReference(t *testing.T) {
	rs, err := RunRegimes(context.Background(), regimesNamed(t, quickRegimes...), Options{Seed: 4})
	require.NoError(t, err)
	require.Empty(t, (&Result{Regimes: rs}).Missed())
	for _, r := range rs {
		require.Len(t, r.Distances, len(regimePolicies))
		for k, d := range r.Distances {
			require.Equal(t, k < references, d.Ref != nil)
			require.Equal(t, RegimeDraws, d.N)
		}
		require.InDelta(t, r.RefResponse, r.Response, .15, r.Regime)
	}
	// Binding in flight must not be worse where all is chained.
	chained := rs[slices.IndexFunc(rs, func(r RegimeResult) bool { return r.Regime == "dep=1 CAP=8 k=1" })]
	require.Less(t, chained.Distances[5].Mean, chained.Distances[2].Mean)
}

// A model that is wrong in a detail is off the references: chained jobs bound in flight instead of to their end, a
// capacity that counts otherwise.
func TestRegimesShowFaults(t *testing.T) {
	gs := regimesNamed(t, "dep=1 k=6", "len 1..16 k=50")
	rs, err := RunRegimes(context.Background(), gs, Options{Seed: 4})
	require.NoError(t, err)
	require.Empty(t, (&Result{Regimes: rs}).Missed())
	bound := rs[slices.IndexFunc(rs, func(r RegimeResult) bool { return r.Regime == "dep=1 k=6" })]
	fault := bound.Distances[5] // affinity, in flight
	fault.Ref, fault.Tolerance = bound.Distances[2].Ref, bound.Distances[2].Tolerance
	require.False(t, fault.OK())

	for i := range gs {
		gs[i].Cap *= 16
	}
	gs = slices.DeleteFunc(gs, func(r Regime) bool { return r.Length[1] == 0 })
	rs, err = RunRegimes(context.Background(), gs, Options{Seed: 4})
	require.NoError(t, err)
	missed := (&Result{Regimes: rs}).Missed()
	require.NotEmpty(t, missed)
	require.Contains(t, missed[0], "regime len 1..16 k=50: weighted 0.05: mean ")
}

func TestDrawsAreWhatTheirWorkloadSays(t *testing.T) {
	all, err := Regimes()
	require.NoError(t, err)
	for gi := range all {
		g := &all[gi]
		chained, jobs, ops, length, stretch := 0, 0, [4]int{}, 0.0, 0.0
		var end float64
		const draws = 20
		for i := range draws {
			d, err := g.Draw(rng(3, g.Name, i))
			require.NoError(t, err)
			require.Len(t, d.Packets, g.Packets)
			require.Len(t, d.Cycles, g.Cores)
			for _, c := range d.Cycles {
				for _, v := range c {
					require.GreaterOrEqual(t, v, g.T[0])
					require.LessOrEqual(t, v, g.T[1])
					if g.Times == "1t" {
						require.Equal(t, c[0], v)
					}
				}
			}
			open := map[uint64]*sched.Packet{}
			most := 0
			for k := range d.Packets {
				p := &d.Packets[k]
				if k > 0 {
					require.GreaterOrEqual(t, p.Arrival, d.Packets[k-1].Arrival)
				}
				if !g.Poisson && g.Burst == 0 {
					require.Equal(t, math.Round(float64(k)*g.Gap*float64(d.Tick)), float64(p.Arrival))
				}
				if b := g.Burst; b > 0 && k%b > 0 {
					require.Equal(t, d.Packets[k-1].Arrival, p.Arrival)
				}
				if last := open[p.Job]; last != nil {
					require.Equal(t, last.No+1, p.No)
					require.Equal(t, last.Op, p.Op)
					require.Equal(t, last.Chained, p.Chained)
					require.False(t, last.Last)
				} else {
					require.Zero(t, p.No)
					jobs++
					ops[p.Op]++
					if p.Chained {
						chained++
					}
				}
				require.Less(t, p.No, jobPackets)
				open[p.Job] = p
				going := 0
				if k%97 == 0 {
					for _, q := range open {
						if !q.Last {
							going++
						}
					}
					most = max(most, going)
				}
				length += float64(p.Blocks)
				stretch += float64(p.Stretch) / 1024
			}
			limit := g.Interval
			if limit == 0 {
				limit = interleaved
			}
			require.LessOrEqual(t, most, limit)
			require.GreaterOrEqual(t, most, limit/2)
			end += float64(d.Packets[len(d.Packets)-1].Arrival) / float64(d.Tick)
		}
		n := float64(draws * g.Packets)
		require.InDelta(t, g.Chained, float64(chained)/float64(jobs), .06, g.Name)
		for _, c := range ops {
			require.InDelta(t, .25, float64(c)/float64(jobs), .05, g.Name)
		}
		if g.Length[1] > 0 {
			require.InDelta(t, float64(g.Length[0]+g.Length[1])/2, length/n, .3)
		} else {
			require.Equal(t, n, length)
		}
		if g.Jitter > 0 {
			require.InDelta(t, 1, stretch/n, .01)
		}
		require.InDelta(t, g.Gap*float64(g.Packets), end/draws, .12*g.Gap*float64(g.Packets)+1e-9, g.Name)
	}
}

func TestResultsDependOnSeedAndDrawsAlone(t *testing.T) {
	run := func(workers int, seed uint64) *Result {
		calls, last := 0, 0
		res, err := Run(context.Background(), []string{"7", "servers"}, Options{
			Seed: seed, Draws: 5, Workers: workers, Progress: func(done, total int) {
				calls++
				last = done
				require.LessOrEqual(t, done, total)
			},
		})
		require.NoError(t, err)
		require.Equal(t, 5+5*len(requests), last)
		require.Equal(t, last, calls)
		return res
	}
	a, b, c := run(1, 4), run(7, 4), run(7, 5)
	require.Equal(t, a, b)
	require.NotEqual(t, a, c)
	da, db := t.TempDir(), t.TempDir()
	require.NoError(t, a.Write(da))
	require.NoError(t, b.Write(db))
	files, err := os.ReadDir(da)
	require.NoError(t, err)
	for _, f := range files {
		x, err := os.ReadFile(filepath.Join(da, f.Name()))
		require.NoError(t, err)
		y, err := os.ReadFile(filepath.Join(db, f.Name()))
		require.NoError(t, err)
		require.Equal(t, x, y, f.Name())
	}
}

func TestStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Run(ctx, []string{"7"}, Options{Draws: 1000, Workers: 2, Progress: func(done, _ int) {
		if done == 3 {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
}

func TestFigures(t *testing.T) {
	res, err := Run(context.Background(), IDs()[:len(IDs())-1], Options{Seed: 4, Draws: 6})
	require.NoError(t, err)
	require.Len(t, res.Figures, len(experiments))
	dir := t.TempDir()
	require.NoError(t, res.Write(dir))
	md, err := os.ReadFile(filepath.Join(dir, "report.md"))
	require.NoError(t, err)
	for _, f := range res.Figures {
		require.NotEmpty(t, f.Rows, f.ID)
		require.NotEmpty(t, f.Setting, f.ID)
		for _, c := range f.Charts {
			b, err := os.ReadFile(filepath.Join(dir, c.File+".png"))
			require.NoError(t, err)
			_, err = png.Decode(bytes.NewReader(b))
			require.NoError(t, err)
			require.FileExists(t, filepath.Join(dir, c.File+".svg"))
			require.Contains(t, string(md), "]("+c.File+".svg)")
		}
		for _, row := range f.Rows {
			require.Contains(t, string(md), "| "+row.Quantity+" |")
		}
		for _, l := range f.Lines {
			require.Len(t, l.Values, len(l.At), l.Name)
		}
	}
	csvs, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	require.NoError(t, err)
	require.Len(t, csvs, len(experiments))
	for _, name := range csvs {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		rec, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
		require.NoError(t, err)
		require.Greater(t, len(rec), 1)
	}
	j, err := json.Marshal(res)
	require.NoError(t, err)
	require.Contains(t, string(j), `"needed":true`)
	var text strings.Builder
	require.NoError(t, res.PrintRows(&text))
	require.Contains(t, text.String(), "HHS-ACDID")

	// The papers' shapes, few draws or not.
	fits := func(id string, row int) {
		i := slices.IndexFunc(res.Figures, func(f *Figure) bool { return f.ID == id })
		require.True(t, res.Figures[i].Rows[row].Fits, "%+v", res.Figures[i].Rows[row])
	}
	fits("6a", 0)
	fits("6b", 0)
	fits("7", 0)
	fits("7", 1)
	fits("8", 0)
	fits("10", 1)
	fits("10", 2)
	fits("11", 1)
	fits("11", 2)
	fits("servers", 1)
}

func TestServersServeAll(t *testing.T) {
	r := rng(1, "x", 0)
	each, all := runServers(1, resourceWeights, r)
	require.Zero(t, each[1]) // of equal loads the first
	require.Equal(t, each[0], all)
	r = rng(1, "x", 0)
	r.Float64()
	require.InDelta(t, serverDemand*r.ExpFloat64()/servers[0].speed, all, 1e-6)
	for _, n := range []int{50, 900, 3000} {
		for _, w := range []loadWeights{resourceWeights, middlewareWeights} {
			each, all := runServers(n, w, rng(2, "x", n))
			require.False(t, math.IsNaN(all))
			require.LessOrEqual(t, min(each[0], each[1]), all)
			require.GreaterOrEqual(t, max(each[0], each[1]), all)
		}
	}
	for _, w := range []loadWeights{resourceWeights, middlewareWeights} {
		sum := 0.0
		for _, v := range w {
			sum += v
		}
		require.InDelta(t, 1, sum, 1e-12)
	}
}

// alpha and beta add up to 1 in the decimals that they are written in, so that equal weights are ties.
func TestRestIsDecimal(t *testing.T) {
	for _, list := range [][]float64{alphas, alphas7, fineAlphas} {
		for _, a := range list {
			sum := new(big.Rat)
			for _, v := range []float64{a, rest(a)} {
				r, ok := new(big.Rat).SetString(fmt.Sprint(v))
				require.True(t, ok)
				sum.Add(sum, r)
			}
			require.Equal(t, "1", sum.RatString(), "alpha %v, beta %v", a, rest(a))
		}
	}
}
