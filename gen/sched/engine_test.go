// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/design"
	"hwgen/gen/policy"
)

// slice is a workload that is held.
type slice struct {
	l   []Packet
	err error
}

func (s *slice) Next(p *Packet) bool {
	if len(s.l) == 0 {
		return false
	}
	*p, s.l = s.l[0], s.l[1:]
	return true
}

func (s *slice) Err() error { return s.err }

// life is a packet of the reference simulator.
type life struct {
	Packet
	in, given, gone             bool
	enter, dispatch, start, end int64
	core                        int
	refused, bound              bool
}

// naive is the reference: it walks through all packets in every tick, and computes scores anew from the packets in
// flight, in rational numbers.
type naive struct {
	cfg    *Config
	names  []string // policies
	inputs []policy.Input
	l      []*life
	now    int64
	ptr    []int
	acc    [][]*big.Int // wrr: unbounded, where the engine's wrap
	ref    []*big.Int
}

func (s *naive) flight(c, j int) (l []*life) {
	for _, x := range s.l {
		if x.Cluster == c && x.given && !x.gone && x.core == j {
			l = append(l, x)
		}
	}
	return l
}

func (s *naive) able(x *life, j int) bool {
	c := &s.cfg.Clusters[x.Cluster]
	return c.Time[j][x.Op] > 0 && (!x.Inverse || c.Inv == nil || c.Inv[j])
}

func (s *naive) room(c, j int) bool { return len(s.flight(c, j)) < s.cfg.Clusters[c].Cap[j] }

// base is what a core's score is before anything is in flight, as docs/config.md has it.
func (s *naive) base(c, j, op int) *big.Rat {
	in := &s.inputs[c]
	t := big.NewRat(int64(in.Cycles[j][op]), 1)
	p := big.NewRat(int64(in.PktBlocks), 1)
	switch s.names[c] {
	case "jsq":
		return new(big.Rat)
	case "ect":
		return t.Mul(t, p)
	case "affinity":
		mean := func(j int) *big.Rat {
			sum, n := int64(0), int64(0)
			for _, v := range in.Cycles[j] {
				if v > 0 {
					sum, n = sum+int64(v), n+1
				}
			}
			return big.NewRat(sum, n)
		}
		var y *big.Rat
		for k := range in.Cycles {
			if v := in.Cycles[k][op]; v > 0 {
				if r := new(big.Rat).Quo(big.NewRat(int64(v), 1), mean(k)); y == nil || r.Cmp(y) < 0 {
					y = r
				}
			}
		}
		d := new(big.Rat).Sub(t, y.Mul(y, mean(j)))
		d.Mul(d, new(big.Rat).SetFloat64(in.Lambda))
		return d.Mul(d.Add(d, t), p)
	}
	return new(big.Rat).SetInt(new(big.Int).SetUint64(s.cfg.Clusters[c].Tables.Base[j][op]))
}

func (s *naive) score(x *life, j int) *big.Rat {
	c := x.Cluster
	v := s.base(c, j, x.Op)
	switch s.names[c] {
	case "wrr":
		return v.Add(v, new(big.Rat).SetInt(s.acc[c][j]))
	case "jsq":
		return v.Add(v, big.NewRat(int64(len(s.flight(c, j))), 1))
	}
	for _, y := range s.flight(c, j) {
		step := big.NewRat(int64(s.inputs[c].Cycles[j][y.Op]), 1)
		if s.names[c] == "weighted" {
			step = new(big.Rat).SetInt(new(big.Int).SetUint64(s.cfg.Clusters[c].Tables.Inc[j][y.Op]))
		}
		v.Add(v, step.Mul(step, big.NewRat(int64(y.Blocks), 1)))
	}
	return v
}

// choose decides for a packet that is not bound.
func (s *naive) choose(x *life) (core int, ok bool) {
	c, n := x.Cluster, len(s.cfg.Clusters[x.Cluster].Time)
	switch name := s.names[c]; name {
	case "round_robin", "round_robin_skip", "static":
		for k := range n {
			j := (s.ptr[c] + k) % n
			if s.able(x, j) && s.room(c, j) {
				return j, true
			}
			if s.able(x, j) && name != "round_robin_skip" {
				return 0, false
			}
		}
		return 0, false
	}
	core = none
	var least *big.Rat
	for j := range n {
		if s.able(x, j) && s.room(c, j) {
			if v := s.score(x, j); core == none || v.Cmp(least) < 0 {
				core, least = j, v
			}
		}
	}
	return core, core != none
}

// owner is the core to which a packet's job holds it, and whether the job is open.
func (s *naive) owner(x *life) (core int, open bool) {
	core = none
	c := &s.cfg.Clusters[x.Cluster]
	inFlight, dispatched, last := 0, 0, false
	for _, y := range s.l {
		if y.Job == x.Job && y.given {
			dispatched++
			if !y.gone {
				inFlight++
			}
			core, last = y.core, last || y.Last
		}
	}
	if dispatched == 0 || last && inFlight == 0 {
		return none, false
	}
	if inFlight == 0 && !c.BindJob && s.names[x.Cluster] != "static" {
		return none, true
	}
	return core, true
}

func (s *naive) open(c int) int {
	seen := map[uint64]bool{}
	for _, y := range s.l {
		if y.Cluster == c && y.Chained && y.given {
			if _, ok := s.owner(y); ok {
				seen[y.Job] = true
			}
		}
	}
	return len(seen)
}

func (s *naive) dispatch(x *life, j int, bound bool) {
	c := x.Cluster
	n := len(s.cfg.Clusters[c].Time)
	if s.names[c] == "wrr" {
		t := s.cfg.Clusters[c].Tables
		if !bound {
			ref := s.score(x, j)
			s.ref[c] = new(big.Int).Set(ref.Num())
			for k := range n {
				if !(s.able(x, k) && s.room(c, k)) && s.acc[c][k].Cmp(s.ref[c]) < 0 {
					s.acc[c][k] = new(big.Int).Set(s.ref[c])
				}
			}
		}
		far := new(big.Int).Add(s.ref[c], new(big.Int).Lsh(big.NewInt(1), uint(t.AccW-2)))
		if s.acc[c][j].Cmp(far) < 0 {
			s.acc[c][j] = new(big.Int).Add(s.acc[c][j], new(big.Int).SetUint64(t.Inc[j][x.Op]*uint64(x.Blocks)))
		}
	}
	switch {
	case s.names[c] == "static":
		s.ptr[c] = (s.ptr[c] + 1) % n
	case !bound:
		s.ptr[c] = (j + 1) % n
	}
	x.start = s.now
	for _, y := range s.flight(c, j) {
		x.start = max(x.start, y.end)
	}
	x.end = x.start + s.cfg.Clusters[c].Time[j][x.Op]*int64(x.Blocks)
	x.given, x.core, x.bound, x.dispatch = true, j, bound, s.now
}

// waiting are the packets of a cluster that have come in and have no core yet.
func (s *naive) waiting(c int) (l []*life) {
	for _, x := range s.l {
		if x.Cluster == c && x.in && !x.given && !x.refused {
			l = append(l, x)
		}
	}
	return l
}

// arrive takes the next packet in, if there is one and it finds room.
func (s *naive) arrive() bool {
	i := slices.IndexFunc(s.l, func(x *life) bool { return !x.in })
	if i < 0 || s.l[i].Arrival > s.now {
		return false
	}
	inside, parked := 0, 0
	for _, x := range s.l {
		if x.in && !x.gone && !x.refused {
			inside++
		}
	}
	if s.cfg.Slots > 0 && inside >= s.cfg.Slots {
		return false
	}
	for c := range s.cfg.Clusters {
		if q := s.cfg.Clusters[c].Queue; q > 0 {
			parked += max(0, len(s.waiting(c))-q)
		}
	}
	x := s.l[i]
	if q := s.cfg.Clusters[x.Cluster].Queue; q > 0 && len(s.waiting(x.Cluster)) >= q {
		if w := s.cfg.WaitQueue; w < 0 || w > 0 && parked >= w {
			return false
		}
	}
	x.in, x.enter = true, s.now
	return true
}

// decide gives the packet at the head of a cluster to a core, or refuses it.
func (s *naive) decide(c int) bool {
	w := s.waiting(c)
	if len(w) == 0 {
		return false
	}
	x := w[0]
	core := none
	if x.Chained {
		var open bool
		core, open = s.owner(x)
		if most := s.cfg.Clusters[c].Choose; !open && (x.No > 0 || most > 0 && s.open(c) >= most) {
			x.refused = true
			return true
		}
	}
	if core != none {
		if s.room(c, core) {
			s.dispatch(x, core, true)
			return true
		}
		return false
	}
	core, ok := s.choose(x)
	if ok {
		s.dispatch(x, core, false)
	}
	return ok
}

func (s *naive) run() {
	for left := true; left; s.now++ {
		for _, x := range s.l {
			x.gone = x.given && x.end <= s.now
		}
		for more := true; more; {
			for more = s.arrive(); s.arrive(); {
			}
			for c := range s.cfg.Clusters {
				for s.decide(c) {
					more = true
				}
			}
		}
		left = slices.ContainsFunc(s.l, func(x *life) bool { return !x.gone && !x.refused })
	}
}

func someCluster(r *rand.Rand, name string) (Cluster, policy.Input) {
	n := 1 + r.Intn(5)
	in := policy.Input{PktBlocks: 1 + r.Intn(5), Alpha: float64(1+r.Intn(9)) / 10, Beta: float64(1+r.Intn(9)) / 10, Lambda: float64(r.Intn(9)) / 2}
	c := Cluster{BindJob: r.Intn(2) == 0}
	for j := range n {
		var cyc [design.NumOps]int
		var t [design.NumOps]int64
		for op := range cyc {
			cyc[op] = 1 + r.Intn(9)
			if j > 0 && r.Intn(6) == 0 {
				cyc[op] = 0
			}
			t[op] = int64(cyc[op])
		}
		if j > 0 && cyc == [design.NumOps]int{} {
			cyc[0], t[0] = 3, 3
		}
		in.Cycles, in.Caps = append(in.Cycles, cyc), append(in.Caps, 1+r.Intn(3))
		c.Time, c.Inv = append(c.Time, t), append(c.Inv, j == 0 || r.Intn(3) > 0)
	}
	c.Cap = in.Caps
	return c, in
}

// All that the engine does with no timing, against a simulator that looks at everything in each tick.
func TestEngineAgainstNaive(t *testing.T) {
	for seed := range int64(400) {
		r := rand.New(rand.NewSource(seed))
		cfg := &Config{}
		s := &naive{cfg: cfg}
		for k := range 1 + r.Intn(3) {
			name := policy.Names[(int(seed)+k)%len(policy.Names)]
			c, in := someCluster(r, name)
			tab, err := policy.Build(name, in)
			require.NoError(t, err)
			c.Tables = tab
			cfg.Clusters = append(cfg.Clusters, c)
			s.names, s.inputs = append(s.names, name), append(s.inputs, in)
			acc := make([]*big.Int, len(c.Time))
			for j := range acc {
				acc[j] = new(big.Int)
			}
			s.acc, s.ref, s.ptr = append(s.acc, acc), append(s.ref, new(big.Int)), append(s.ptr, 0)
		}
		switch r.Intn(3) {
		case 0:
			for i := range cfg.Clusters {
				cfg.Clusters[i].Choose = r.Intn(4)
			}
		case 1:
			cfg.Slots = r.Intn(8)
			for i := range cfg.Clusters {
				cfg.Clusters[i].Queue = r.Intn(4)
			}
			cfg.WaitQueue = r.Intn(4) - 1
		}
		var l []Packet
		at, id := int64(0), uint64(100)
		open := make([]Packet, 4)
		for range 70 {
			if r.Intn(3) == 0 {
				at += int64(r.Intn(12))
			}
			p := Packet{Cluster: r.Intn(len(cfg.Clusters)), Op: r.Intn(design.NumOps), Inverse: r.Intn(4) == 0, Last: true}
			if r.Intn(2) == 0 {
				k := r.Intn(len(open))
				if o := &open[k]; o.Job == 0 || o.Last {
					p.Chained, p.Job = true, id
					id++
				} else {
					p = *o
					p.No++
				}
				p.Last = r.Intn(4) == 0
				open[k] = p
			} else {
				p.Job, id = id, id+1
			}
			p.Arrival, p.Blocks = at, 1+r.Intn(s.inputs[p.Cluster].PktBlocks)
			l = append(l, p)
		}
		for i := range l {
			s.l = append(s.l, &life{Packet: l[i]})
		}
		s.run()

		type key struct {
			job uint64
			no  int
		}
		got := map[key]Completion{}
		cfg.Observe = func(c Completion) { got[key{c.Job, c.No}] = c }
		res, err := Run(cfg, &slice{l: l})
		require.NoError(t, err)
		n, end := 0, int64(0)
		for _, x := range s.l {
			if x.refused {
				require.NotContains(t, got, key{x.Job, x.No}, "seed %d", seed)
				continue
			}
			n++
			end = max(end, x.end)
			want := Completion{x.Packet, x.core, x.enter, x.dispatch, x.start, x.end, x.end}
			require.Equal(t, want, got[key{x.Job, x.No}], "seed %d, policies %v", seed, s.names)
		}
		require.EqualValues(t, n, res.Packets)
		require.EqualValues(t, len(l)-n, res.Refused)
		require.Equal(t, end, res.Makespan)
		require.EqualValues(t, n, res.Wait.Count)
	}
}

func TestDist(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, most := range []int64{3, 127, 128, 1000, 1 << 20, math.MaxInt64} {
		var d Dist
		require.Zero(t, d.Quantile(0.99))
		require.Zero(t, d.Mean())
		var l []int64
		for range 5000 {
			v := r.Int63n(most)
			if most == math.MaxInt64 {
				v >>= r.Intn(60)
			}
			l = append(l, v)
			d.add(v)
		}
		slices.Sort(l)
		for _, q := range []float64{0, 0.01, 0.5, 0.9, 0.99, 0.999, 1} {
			exact := l[max(0, int(math.Ceil(q*float64(len(l))))-1)]
			got := d.Quantile(q)
			require.GreaterOrEqual(t, got, exact)
			require.LessOrEqual(t, float64(got-exact), float64(exact)/127, "%v of %d", q, most)
		}
		require.Equal(t, l[len(l)-1], d.Max)
		require.LessOrEqual(t, len(d.hist), buckets)
	}
	require.EqualValues(t, math.MaxInt64, top(bucket(math.MaxInt64)))
	var d Dist
	for range 1000 { // their sum has more than 64 bits
		d.add(math.MaxInt64 / 2)
	}
	require.InEpsilon(t, float64(math.MaxInt64/2), d.Mean(), 1e-12)
}

func TestRingAndHeap(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var q ring[int]
	var h heap
	var l []int
	var times []int64
	for i := range 20000 {
		switch r.Intn(5) {
		case 0, 1:
			q.push(i)
			l = append(l, i)
			at := r.Int63n(1000)
			h.push(at, int32(i))
			times = append(times, at)
			slices.Sort(times)
		case 2:
			q.unshift(i)
			l = slices.Insert(l, 0, i)
		case 3:
			if len(l) > 0 {
				k := r.Intn(len(l))
				require.Equal(t, l[k], *q.at(k))
				require.Equal(t, l[0], q.pop())
				l = l[1:]
			}
		case 4:
			if len(times) > 0 {
				require.Equal(t, times[0], h.least())
				require.Equal(t, times[0], h.pop().at)
				times = times[1:]
			}
		}
		require.Equal(t, len(l), q.n)
		require.Equal(t, len(times), h.len())
	}
}

// A port serves round robin those that wait, and is taken for as long as each asks.
func TestPort(t *testing.T) {
	var p port
	p.init(3)
	require.Equal(t, never, p.at)
	p.request(2, 5, 4)
	p.request(0, 5, 2)
	require.EqualValues(t, 5, p.at)
	require.Equal(t, 0, p.grant())
	require.EqualValues(t, 7, p.at)
	p.request(0, 6, 2)
	require.Equal(t, 2, p.grant())
	require.EqualValues(t, 11, p.at)
	require.Equal(t, 0, p.grant())
	require.Equal(t, never, p.at)
}

func TestRunRefuses(t *testing.T) {
	p := Packet{Blocks: 1, Last: true}
	for _, x := range []struct {
		change func(*Config)
		l      []Packet
		want   string
	}{
		{func(c *Config) { c.Clusters = nil }, nil, "no clusters"},
		{func(c *Config) { c.Clusters[0].Time = nil }, nil, "0 cores, must be 1 to 64"},
		{func(c *Config) { c.Clusters[0].Cap = []int{1} }, nil, "8 cores, 1 caps"},
		{func(c *Config) { c.Clusters[0].Cap[3] = 0 }, nil, "cap of core 3 is 0"},
		{func(c *Config) { c.Clusters[0].Tables = nil }, nil, "no tables"},
		{func(c *Config) { c.Timing.Beat = 5 }, nil, "a beat of 5 bytes"},
		{func(c *Config) { c.Timing.Beat = 8 }, nil, "0 key stores for 1 clusters"},
		{func(*Config) {}, []Packet{{Arrival: 2}, {Arrival: 1}}, "after one that arrives at 2"},
		{func(*Config) {}, []Packet{{Cluster: 1}}, "cluster 1 of 1"},
		{func(*Config) {}, []Packet{{Op: 4}}, "command 4"},
		{func(c *Config) { c.Clusters[0].Inv = make([]bool, 8) }, []Packet{{Inverse: true}}, "no core of cluster 0 can do encrypt"},
	} {
		cfg := eight(t, "ect")
		x.change(cfg)
		_, err := Run(cfg, &slice{l: append(x.l, p)})
		require.ErrorContains(t, err, x.want)
	}
	_, err := Run(eight(t, "ect"), &slice{err: fmt.Errorf("a bad file")})
	require.ErrorContains(t, err, "a bad file")

	// with a design's timing: more jobs open than the list has room for, none of which ends
	cfg := eight(t, "ect")
	cfg.Timing, cfg.Clusters[0].Choose = Timing{Beat: 16, Keys: []KeyTiming{{1, 0}}}, 1
	_, err = Run(cfg, &slice{l: []Packet{{Job: 1, Chained: true, Blocks: 1}, {Job: 2, Chained: true, Blocks: 1}}})
	require.ErrorContains(t, err, "wait for ever")
}
