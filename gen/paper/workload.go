// SPDX-License-Identifier: Apache-2.0

package paper

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"

	"hwgen/gen/policy"
	"hwgen/gen/sched"
)

// Workload says how draws are made: the cores' times and the packets' arrivals. Times are the paper's units.
type Workload struct {
	Cores    int     `toml:"cores"`
	Times    string  `toml:"times"` // "4op": a time for each core and command; "1t": one a core
	T        [2]int  `toml:"t"`     // range of the times, whole units, both ends included
	Cap      int     `toml:"cap"`   // packets that a core holds, of unit length
	Packets  int     `toml:"packets"`
	Gap      float64 `toml:"gap"`     // mean time between arrivals; 0: all at once
	Chained  float64 `toml:"chained"` // share of the jobs
	Burst    int     `toml:"burst"`   // packets that arrive at once, at the same mean rate; 0: one
	Poisson  bool    `toml:"poisson"` // exponential gaps
	Length   [2]int  `toml:"length"`  // of packets, in units; 0: all 1
	Jitter   int     `toml:"jitter_percent"`
	Interval int     `toml:"interleaved"` // jobs at a time; 0: 16
}

const (
	jobPackets  = 10 // a job has 1 to that many
	interleaved = 16
	// ticks of a unit, so that gaps of .3 or 2.4 are whole
	ticks = 1000
)

// Draw is a cluster and a list of packets, drawn at random.
type Draw struct {
	Work    *Workload
	Cycles  [][policy.NumOps]int // units a block
	Packets []sched.Packet
	// Tick is ticks a unit. With jitter it is 1, since service times are whole units.
	Tick  int64
	time  [][policy.NumOps]int64
	caps  []int
	bound float64
}

// rng is a generator of its own for each experiment and draw, so that results depend on neither order nor parallelism.
func rng(seed uint64, what string, draw int) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(what))
	return rand.New(rand.NewPCG(seed, h.Sum64()+uint64(draw)*0x9e3779b97f4a7c15))
}

// Draw draws from r. A packet belongs to one of the interleaved jobs, each as likely as the others; a job that is
// complete gives way to a new one. Products are converted before they are added, so that no machine fuses the two.
func (w *Workload) Draw(r *rand.Rand) (*Draw, error) {
	d := &Draw{Work: w, Tick: ticks}
	if w.Jitter > 0 {
		d.Tick = 1
		if w.Poisson || w.Gap != math.Trunc(w.Gap) {
			return nil, fmt.Errorf("jitter needs arrivals at whole units")
		}
	}
	between := func(lo, hi int) int { return lo + r.IntN(hi-lo+1) }
	d.Cycles = make([][policy.NumOps]int, w.Cores)
	d.time = make([][policy.NumOps]int64, w.Cores)
	d.caps = make([]int, w.Cores)
	for j := range d.Cycles {
		d.caps[j] = w.Cap
		t := between(w.T[0], w.T[1])
		for op := range policy.NumOps {
			if op > 0 && w.Times == "4op" {
				t = between(w.T[0], w.T[1])
			}
			d.Cycles[j][op], d.time[j][op] = t, int64(t)*d.Tick
		}
	}
	type job struct {
		id       uint64
		op, left int
		no       int
		chained  bool
	}
	jobs := make([]job, interleaved)
	if w.Interval > 0 {
		jobs = make([]job, w.Interval)
	}
	var id uint64
	arrival := 0.0
	d.Packets = make([]sched.Packet, w.Packets)
	for i := range d.Packets {
		j := &jobs[r.IntN(len(jobs))]
		if j.left == 0 {
			id++
			*j = job{id: id, op: r.IntN(policy.NumOps), left: 1 + r.IntN(jobPackets), chained: r.Float64() < w.Chained}
		}
		j.left--
		p := sched.Packet{
			Arrival: int64(math.Round(arrival * float64(d.Tick))), Job: j.id, No: j.no, Op: j.op, Chained: j.chained,
			Last: j.left == 0, Blocks: 1,
		}
		j.no++
		if w.Length[1] > 0 {
			p.Blocks = between(w.Length[0], w.Length[1])
		}
		if w.Jitter > 0 {
			p.Stretch = int(math.Round(1024 * (1 + float64(float64(w.Jitter)/100*(2*r.Float64()-1)))))
		}
		d.Packets[i] = p
		switch {
		case w.Burst > 0:
			arrival = float64((i+1)/w.Burst*w.Burst) * w.Gap
		case w.Poisson:
			arrival += float64(r.ExpFloat64() * w.Gap)
		default:
			arrival = float64(i+1) * w.Gap
		}
	}
	b := sched.NewBound([]sched.Cluster{{Time: d.time}})
	for i := range d.Packets {
		p := d.Packets[i]
		p.Stretch = 0
		if err := b.Add(&p); err != nil {
			return nil, err
		}
	}
	d.bound = b.Makespan() / float64(d.Tick)
	return d, nil
}

// Bound is the lower bound of the makespan (sched.Bound), in units. With jitter it is that of the nominal times.
func (d *Draw) Bound() float64 { return d.bound }

// Policy is a policy with its parameters.
type Policy struct {
	Name   string
	Alpha  float64 // weighted; beta is 1 - alpha
	Lambda float64 // affinity
	// InFlight binds a chained job while packets of it are in flight; false: up to its last packet.
	InFlight bool
}

// Outcome is what a policy made of a draw, in units.
type Outcome struct {
	Makespan float64
	Response float64   // mean
	Busy     []float64 // by core
	Served   []int64   // packets by core
}

// rest is 1 - alpha in decimals, as alpha is read: .2 for .8, where the difference of floats is .19999999999999996 and no
// two weights are equal.
func rest(alpha float64) float64 {
	a, ok := new(big.Rat).SetString(strconv.FormatFloat(alpha, 'g', -1, 64))
	if !ok {
		return 1 - alpha // infinite or no number: policy.Build refuses it
	}
	beta, _ := a.Sub(big.NewRat(1, 1), a).Float64()
	return beta
}

// tables are the policy's. With packets of different lengths the unit of weighted's capacity is a block, and the base
// of the others is that of a packet of mean length.
func (d *Draw) tables(p Policy) (*policy.Tables, error) {
	in := policy.Input{Cycles: d.Cycles, Caps: d.caps, PktBlocks: 1, Alpha: p.Alpha, Beta: rest(p.Alpha), Lambda: p.Lambda}
	if l := d.Work.Length; l[1] > 0 && p.Name != "weighted" {
		in.PktBlocks = (l[0] + l[1] + 1) / 2
	}
	return policy.Build(p.Name, in)
}

// Run runs the draw.
func (d *Draw) Run(p Policy) (*Outcome, error) {
	t, err := d.tables(p)
	if err != nil {
		return nil, err
	}
	res, err := sched.Run(&sched.Config{Clusters: []sched.Cluster{{
		Time: d.time, Cap: d.caps, CapBlocks: true, Tables: t, BindJob: !p.InFlight,
	}}}, &source{packets: d.Packets})
	if err != nil {
		return nil, err
	}
	unit := float64(d.Tick)
	out := &Outcome{Makespan: float64(res.Makespan) / unit, Response: res.Response.Mean() / unit}
	for _, c := range res.Clusters[0].Cores {
		out.Busy = append(out.Busy, float64(c.Busy)/unit)
		out.Served = append(out.Served, c.Packets)
	}
	return out, nil
}

// alphas are the alphas that a best one is searched among.
var alphas = []float64{0, .01, .02, .03, .04, .05, .06, .08, .1, .12, .15, .2, .25, .3, .4, .5, .6, .8}

// Best runs weighted with every alpha of a list and keeps the least makespan, of equal ones that with the least alpha.
func (d *Draw) Best(list []float64, inFlight bool) (alpha float64, best *Outcome, err error) {
	for _, a := range list {
		o, err := d.Run(Policy{Name: "weighted", Alpha: a, InFlight: inFlight})
		if err != nil {
			return 0, nil, err
		}
		if best == nil || o.Makespan < best.Makespan {
			alpha, best = a, o
		}
	}
	return alpha, best, nil
}

// source is a sched.Source of a slice.
type source struct {
	packets []sched.Packet
	next    int
}

func (s *source) Next(p *sched.Packet) bool {
	if s.next == len(s.packets) {
		return false
	}
	*p = s.packets[s.next]
	s.next++
	return true
}

func (s *source) Err() error { return nil }
