// SPDX-License-Identifier: Apache-2.0

package tune

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/sched"
	"hwgen/gen/traffic"
)

const (
	// maxHeld is how many packets of a file are looked at, and of draws are kept.
	maxHeld = 1 << 20
	// segmentPackets is the least packets of a segment, leastTests the least samples that give an interval.
	segmentPackets = 100
	leastTests     = 4
	resamples      = 4000
	confidence     = 0.95
)

// samples are what candidates run on: draws of a generator, or segments of a file. Numbers below search() are for the
// search, the next test() ones for the comparison.
type samples struct {
	w     *traffic.Workload
	d     *design.Design
	seed  uint64
	draws int
	segs  [][]sched.Packet
	whole []sched.Packet
	drawn []draw // empty: draws are too long to be kept
	notes []string
	// packets of the first sample; of a long draw no more than are kept
	packets int
}

// draw is the packets of a draw, made when it is first opened.
type draw struct {
	once sync.Once
	ps   []sched.Packet
	err  error
}

// wholeFile is the number of the sample that is a file as a whole.
const wholeFile = -1

func newSamples(w *traffic.Workload, d *design.Design, draws int, seed uint64) (samples, error) {
	s := samples{w: w, d: d, seed: seed, draws: draws}
	if w.Random() {
		most := maxHeld / (2 * draws)
		src, err := s.source(0)
		if err != nil {
			return s, err
		}
		defer src.Close()
		ps, err := read(src, most+1)
		if err != nil {
			return s, err
		}
		if s.packets = len(ps); s.packets <= most {
			s.drawn = make([]draw, 2*draws)
		}
		return s, nil
	}
	src, err := w.Open()
	if err != nil {
		return s, err
	}
	defer src.Close()
	if s.whole, err = read(src, maxHeld+1); err != nil {
		return s, err
	}
	if len(s.whole) > maxHeld {
		s.whole = s.whole[:maxHeld]
		s.notes = append(s.notes, fmt.Sprintf("of the file the first %d packets are looked at", maxHeld))
		s.whole = finished(s.whole)
	}
	if n := len(s.whole); n < 2 {
		return s, diag.Usage("workload %s: %d packets; tune takes two at least, one for the search and one to judge it", w, n)
	}
	for i := len(s.whole) - 1; i >= 0; i-- {
		s.whole[i].Arrival -= s.whole[0].Arrival
	}
	s.segs = segments(s.whole, min(2*draws, max(2, len(s.whole)/segmentPackets)))
	s.packets = len(s.segs[0])
	if s.test() < leastTests {
		s.notes = append(s.notes,
			fmt.Sprintf("the workload has %d packets: with fewer than %d, gain can't be told from noise",
				len(s.whole), 2*leastTests*segmentPackets))
	}
	return s, nil
}

// read reads up to so many packets; key loads are none.
func read(src traffic.Source, most int) ([]sched.Packet, error) {
	var ps []sched.Packet
	var p sched.Packet
	for len(ps) < most && src.Next(&p) {
		if !p.Load {
			ps = append(ps, p)
		}
	}
	return ps, src.Err()
}

// finished gives jobs that go on behind the end of the packets their last packet.
func finished(ps []sched.Packet) []sched.Packet {
	at := map[uint64]int{}
	for i := range ps {
		at[ps[i].Job] = i
	}
	for _, i := range at {
		p := &ps[i]
		p.Last = true
		if cipher.Cmd(p.Op) == cipher.Verify && cipher.Mode(p.Mode) == cipher.MAC { // the tag comes with it
			p.IV = true
		}
	}
	return ps
}

// segments cuts packets into n runs of about as many, each from arrival 0. Jobs stay whole: they belong to the segment of
// their first packet. Where jobs are so long that some segments would begin no job, they are cut with the segments.
func segments(ps []sched.Packet, n int) [][]sched.Packet {
	segs := make([][]sched.Packet, n)
	of := map[uint64]int{}
	for i, p := range ps {
		k, ok := of[p.Job]
		if !ok {
			k = i * n / len(ps)
			of[p.Job] = k
		}
		if p.Last {
			delete(of, p.Job)
		}
		segs[k] = append(segs[k], p)
	}
	if slices.ContainsFunc(segs, func(s []sched.Packet) bool { return 2*n*len(s) < len(ps) }) {
		for i := range segs {
			segs[i] = pieces(ps[i*len(ps)/n : (i+1)*len(ps)/n])
		}
	}
	for _, s := range segs {
		first := s[0].Arrival
		for i := range s {
			s[i].Arrival -= first
		}
	}
	return segs
}

// pieces makes packets in a row a workload of its own: what is there of a job is a job, with its first and last packet.
func pieces(ps []sched.Packet) []sched.Packet {
	ps = slices.Clone(ps)
	no := map[uint64]int{}
	for i := range ps {
		p := &ps[i]
		if p.No == 0 && p.Last {
			continue
		}
		p.No = no[p.Job]
		no[p.Job]++
		if p.No == 0 && p.Chained && cipher.Mode(p.Mode) != cipher.MAC {
			p.IV = true
		}
		if p.Last {
			delete(no, p.Job)
		}
	}
	return finished(ps)
}

func (s *samples) segmented() bool { return s.segs != nil }

func (s *samples) search() int {
	if s.segmented() {
		return (len(s.segs) + 1) / 2
	}
	return s.draws
}

func (s *samples) test() int {
	if s.segmented() {
		return len(s.segs) / 2
	}
	return s.draws
}

// open gives sample i from its beginning.
func (s *samples) open(i int) (traffic.Source, error) {
	switch {
	case i == wholeFile:
		return traffic.Held(s.whole, s.d), nil
	case s.segmented() && i < s.search(): // every other one
		return traffic.Held(s.segs[2*i], s.d), nil
	case s.segmented():
		return traffic.Held(s.segs[2*(i-s.search())+1], s.d), nil
	}
	if s.drawn == nil {
		return s.source(i)
	}
	d := &s.drawn[i]
	d.once.Do(func() {
		var src traffic.Source
		if src, d.err = s.source(i); d.err == nil {
			d.ps, d.err = read(src, math.MaxInt)
			d.err = cmp.Or(d.err, src.Close())
		}
	})
	if d.err != nil {
		return nil, d.err
	}
	return traffic.Held(d.ps, s.d), nil
}

// source makes draw i.
func (s *samples) source(i int) (traffic.Source, error) {
	return s.w.Seeded(rand.NewPCG(s.seed, uint64(i)).Uint64()).Open()
}

// gain is the share by which vals are below base, with its confidence interval: of paired draws by Student's t, of
// segments, whose sums make the whole, by resampling pairs.
func (s *samples) gain(base, vals []float64) (gain float64, interval *[2]float64) {
	n := len(vals)
	if !s.segmented() {
		g := make([]float64, n)
		for i := range g {
			g[i] = 1 - vals[i]/base[i]
		}
		mean, sd := stat.MeanStdDev(g, nil)
		if n < leastTests {
			return mean, nil
		}
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile((1 + confidence) / 2)
		half := t * sd / math.Sqrt(float64(n))
		return mean, &[2]float64{mean - half, mean + half}
	}
	total := func(pick func(i int) int) float64 {
		var a, b float64
		for i := range n {
			a += vals[pick(i)]
			b += base[pick(i)]
		}
		return 1 - a/b
	}
	gain = total(func(i int) int { return i })
	if n < leastTests {
		return gain, nil
	}
	r := rand.New(rand.NewPCG(s.seed, 0x626f6f74))
	gs := make([]float64, resamples)
	at := make([]int, n)
	for k := range gs {
		for i := range at {
			at[i] = r.IntN(n)
		}
		gs[k] = total(func(i int) int { return at[i] })
	}
	slices.Sort(gs)
	tail := (1 - confidence) / 2
	return gain, &[2]float64{stat.Quantile(tail, stat.Empirical, gs, nil), stat.Quantile(1-tail, stat.Empirical, gs, nil)}
}
