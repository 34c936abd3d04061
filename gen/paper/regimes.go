// SPDX-License-Identifier: Apache-2.0

package paper

import (
	"context"
	_ "embed" // the regimes
	"fmt"
	"math"

	"github.com/pelletier/go-toml/v2"
)

//go:embed regimes.toml
var regimesFile []byte

// Regime is a workload with the figures of the reference simulator: makespan over the lower bound in %, mean and worst.
type Regime struct {
	Name string `toml:"name"`
	Workload
	Ref struct {
		Weighted05   [2]float64 `toml:"weighted05"`
		WeightedBest [2]float64 `toml:"weighted_best"`
		Affinity     [2]float64 `toml:"affinity"`
	} `toml:"ref"`
	Response struct {
		Affinity float64 `toml:"affinity"`
	} `toml:"response"`
}

// Regimes are the 36 regimes.
func Regimes() ([]Regime, error) {
	var f struct {
		Regime []Regime `toml:"regime"`
	}
	if err := toml.Unmarshal(regimesFile, &f); err != nil {
		return nil, fmt.Errorf("regimes.toml: %w", err)
	}
	return f.Regime, nil
}

// RegimeDraws is the number of draws that the reference took.
const RegimeDraws = 60

// Distance is a policy's makespan over the lower bound in a regime, in %.
type Distance struct {
	Policy string `json:"policy"`
	Bind   string `json:"bind"`
	Sample
	// Ref is the reference's mean and worst; Tolerance = 3*SD*sqrt(1/60 + 1/draws) is how far the means may differ, the
	// reference's being of 60 draws: 3*sqrt(2)*SD/sqrt(60) with as many.
	Ref       *[2]float64 `json:"reference,omitempty"`
	Tolerance float64     `json:"tolerance,omitempty"`
}

// OK is false when the mean is further from the reference than the tolerance.
func (d *Distance) OK() bool { return d.Ref == nil || math.Abs(d.Mean-d.Ref[0]) <= d.Tolerance }

// RegimeResult is a row of the table of regimes.
type RegimeResult struct {
	Regime    string     `json:"regime"`
	Distances []Distance `json:"distances"`
	// Response is affinity's mean response with that of weighted, alpha .05, as 1, and RefResponse the reference's.
	Response    float64 `json:"response_affinity"`
	RefResponse float64 `json:"reference_response_affinity"`
}

// references is how many of regimePolicies have reference figures, the first ones.
const references = 3

// regimePolicies are the columns of the table.
var regimePolicies = []Policy{
	{Name: "weighted", Alpha: .05},
	{Name: bestWeighted},
	{Name: "affinity", Lambda: 4},
	{Name: "weighted", Alpha: .05, InFlight: true},
	{Name: bestWeighted, InFlight: true},
	{Name: "affinity", Lambda: 4, InFlight: true},
	{Name: "ect"}, {Name: "jsq"}, {Name: "wrr"}, {Name: "round_robin"}, {Name: "round_robin_skip"}, {Name: "static"},
}

// bestWeighted is weighted with the best alpha of each draw.
const bestWeighted = "weighted, best alpha"

func (p Policy) bind() string {
	if p.InFlight {
		return "in_flight"
	}
	return "job"
}

// label is the policy's name in tables.
func (p Policy) label() string {
	if p.Name == "weighted" {
		return fmt.Sprintf("weighted %.2f", p.Alpha)
	}
	return p.Name
}

// run is Run with bestWeighted as well.
func (d *Draw) run(p Policy) (*Outcome, error) {
	if p.Name == bestWeighted {
		_, o, err := d.Best(alphas, p.InFlight)
		return o, err
	}
	return d.Run(p)
}

func (r *runner) regimeDraws() int {
	if r.opt.Draws > 0 {
		return r.opt.Draws
	}
	return RegimeDraws
}

// RunRegimes compares the policies in the given regimes.
func RunRegimes(ctx context.Context, regimes []Regime, opt Options) ([]RegimeResult, error) {
	r := newRunner(ctx, opt, 0)
	r.total = len(regimes) * r.regimeDraws()
	return r.regimes(regimes)
}

func (r *runner) regimes(regimes []Regime) ([]RegimeResult, error) {
	draws := r.regimeDraws()
	outcomes := make([][]*Outcome, draws*len(regimes))
	bounds := make([]float64, len(outcomes))
	err := r.each(len(outcomes), func(i int) error {
		g := &regimes[i/draws]
		d, err := g.Draw(rng(r.opt.Seed, "regime "+g.Name, i%draws))
		if err != nil {
			return fmt.Errorf("regime %s: %w", g.Name, err)
		}
		bounds[i] = d.Bound()
		for _, p := range regimePolicies {
			o, err := d.run(p)
			if err != nil {
				return fmt.Errorf("regime %s: %w", g.Name, err)
			}
			outcomes[i] = append(outcomes[i], o)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []RegimeResult
	for gi := range regimes {
		g := &regimes[gi]
		res := RegimeResult{Regime: g.Name, RefResponse: g.Response.Affinity}
		var response [2]float64
		for k, p := range regimePolicies {
			var gaps []float64
			for i := gi * draws; i < (gi+1)*draws; i++ {
				gaps = append(gaps, 100*(outcomes[i][k].Makespan/bounds[i]-1))
			}
			d := Distance{Policy: p.label(), Bind: p.bind(), Sample: sample(gaps)}
			if k < references {
				d.Ref = [...]*[2]float64{&g.Ref.Weighted05, &g.Ref.WeightedBest, &g.Ref.Affinity}[k]
				d.Tolerance = 3 * d.SD * math.Sqrt(1./RegimeDraws+1/float64(draws))
			}
			res.Distances = append(res.Distances, d)
		}
		for i := gi * draws; i < (gi+1)*draws; i++ {
			response[0] += outcomes[i][0].Response
			response[1] += outcomes[i][2].Response
		}
		res.Response = response[1] / response[0]
		out = append(out, res)
	}
	return out, nil
}
