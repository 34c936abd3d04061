// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"fmt"
	"math"
	"math/rand/v2"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/sched"
	"hwgen/gen/workload"
)

// GeneratorNames are the kinds of generators.
var GeneratorNames = []string{"spaced", "saturated", "bursty", "poisson"}

// Defaults of generators.
const (
	defaultPackets     = 10000
	defaultInterleaved = 16
	defaultLoad        = 0.9
	defaultBurst       = 16
	maxGap             = 1e9
)

// generator is a generator's parameters.
type generator struct {
	kind        string
	packets     int64
	seed        uint64
	gap         float64 // cycles between arrivals, mean
	burst       int64
	job         mix[span] // packets a job
	interleaved int
	length      mix[span] // bytes a packet
	classes     classes
}

func parseGenerator(kind string, o *options, d *design.Design) generator {
	g := generator{kind: kind, burst: 1}
	g.packets = o.integer("packets", defaultPackets, 1, 1e12)
	g.seed = uint64(o.integer("seed", 1, 0, math.MaxInt64))
	g.job = o.spans("job", span{1, 10, 1}, 1, 65536, 1, "packets")
	g.interleaved = int(o.integer("interleaved", defaultInterleaved, 1, 1<<16))
	g.length = o.spans("length", span{d.PktBytes, d.PktBytes, 16}, 16, d.PktBytes, 16, "bytes")
	g.classes = parseClasses(o, d)
	if kind == "saturated" {
		return g
	}
	if kind == "bursty" {
		g.burst = o.integer("burst", defaultBurst, 1, 1e9)
	}
	g.gap = o.number("gap", -1, 0, maxGap, false)
	load := o.number("load", defaultLoad, 0, 1000, true)
	if l, ok := o.vals["load"]; ok && g.gap >= 0 {
		o.fail(l.keyAt, "give one of them", "load and gap say the same in two ways")
	}
	if len(o.errs) > 0 {
		return g
	}
	given, hint := "gap", ""
	if g.gap < 0 {
		cost := g.cost(d)
		g.gap = cost / load
		given, hint = "load", fmt.Sprintf("at least %.3g here: ", math.Nextafter(cost/maxGap, 1)*1.001)
	}
	v := o.vals[given]
	if g.gap > maxGap {
		o.fail(v.valAt, fmt.Sprintf("%sa gap is at most %g cycles", hint, float64(maxGap)), "%s is %q, a packet in %.3g cycles", given, v.val, g.gap)
	} else if last := float64(g.packets) * g.gap; last > workload.MaxArrival {
		o.fail(v.keyAt, fmt.Sprintf("arrivals are at most %d: fewer packets, or a smaller gap", int64(workload.MaxArrival)),
			"%d packets, one in %.3g cycles, arrive until cycle %.3g", g.packets, g.gap, last)
	}
	return g
}

// cost is the cycles that a packet keeps the busiest part of the design: the cores of a cluster, or the job stream.
func (g *generator) cost(d *design.Design) float64 {
	bytes := 0.0
	for i, s := range g.length.items {
		bytes += s.mean() * g.length.share(i)
	}
	most := (bytes/16 + 1) * float64(d.BPB) // header and payload
	for i, ci := range g.classes.clusters.items {
		c, of, mean := d.Clusters[ci], &g.classes.of[ci], 0.0
		if !d.SerialLane {
			most = max(most, g.classes.clusters.share(i)*bytes/16/blockRate(c))
			continue
		}
		each := func(share float64, cmd cipher.Cmd, mode cipher.Mode) {
			mean += share * packetTime(d, c, cmd, mode, bytes/16)
		}
		for k, m := range of.named.items {
			for l, cmd := range of.does[m].items {
				each(of.named.share(k)*of.does[m].share(l), cmd, m)
			}
		}
		for k, cmd := range of.ops.items {
			each(of.ops.share(k)*(1-g.classes.chained), cmd, of.modes[cmd][0])
			each(of.ops.share(k)*g.classes.chained, cmd, of.modes[cmd][1])
		}
		most = max(most, g.classes.clusters.share(i)*mean)
	}
	return most
}

// blockRate is the blocks a cycle of a cluster with wide lanes, by its cores' mean cycles a block.
func blockRate(c *design.Cluster) float64 {
	rate := 0.0
	for _, co := range c.Cores {
		rate += 1 / co.MeanCycles()
	}
	return rate
}

// packetTime is the cycles after which a cluster with serial lanes takes another packet of this kind, all its cores at
// work, by their mean cycles a block.
func packetTime(d *design.Design, c *design.Cluster, cmd cipher.Cmd, mode cipher.Mode, blocks float64) float64 {
	again := sched.KeepsBlock(&sched.Packet{Op: int(cmd), Mode: uint8(mode)})
	rate := 0.0
	for _, co := range c.Cores {
		t := d.PacketCycles(c, co.MeanCycles(), blocks, again)
		if mode == cipher.CTR { // the IV is fetched behind the first block
			t += float64(d.BPB)
		}
		rate += 1 / t
	}
	return 1 / rate
}

// lane is a place for one job at a time: interleaved of them are open together.
type lane struct {
	class
	job  uint64
	no   int
	left int // packets
}

type generated struct {
	g     *generator
	r     *rand.Rand
	lanes []lane
	i     int64 // packets given
	given int64 // packets of jobs begun
	jobs  uint64
	time  float64 // poisson
}

func newGenerated(g *generator) *generated {
	s := &generated{g: g, r: rand.New(rand.NewPCG(g.seed, 0x68776765))}
	s.lanes = make([]lane, min(int64(g.interleaved), g.packets))
	for i := range s.lanes {
		s.begin(&s.lanes[i])
	}
	for len(s.lanes) > 0 && s.lanes[len(s.lanes)-1].left == 0 {
		s.lanes = s.lanes[:len(s.lanes)-1]
	}
	return s
}

// begin puts a new job into a lane; at the end of the workload there is none.
func (s *generated) begin(l *lane) {
	n := min(int64(s.g.job.draw(s.r).draw(s.r)), s.g.packets-s.given)
	*l = lane{}
	if n <= 0 {
		return
	}
	l.class = s.g.classes.draw(s.r)
	l.left = int(n)
	s.given += n
	l.job = s.jobs
	s.jobs++
}

func (s *generated) arrival() int64 {
	g := s.g
	switch g.kind {
	case "spaced":
		return int64(float64(s.i) * g.gap)
	case "bursty":
		return int64(float64(s.i/g.burst*g.burst) * g.gap)
	case "poisson":
		if s.i > 0 {
			s.time += s.r.ExpFloat64() * g.gap
		}
		return int64(min(s.time, workload.MaxArrival))
	}
	return 0
}

func (s *generated) Next(p *sched.Packet) bool {
	if s.i == s.g.packets {
		return false
	}
	k := s.r.IntN(len(s.lanes))
	l := &s.lanes[k]
	at := s.arrival()
	length := s.g.length.draw(s.r).draw(s.r)
	l.left--
	l.class.packet(p, at, l.job, l.no, length, l.left == 0 || l.single)
	l.no++
	if l.single && l.left > 0 {
		l.no, l.job = 0, s.jobs
		s.jobs++
	}
	if l.left == 0 {
		if s.begin(l); l.left == 0 {
			s.lanes[k] = s.lanes[len(s.lanes)-1]
			s.lanes = s.lanes[:len(s.lanes)-1]
		}
	}
	s.i++
	return true
}

func (s *generated) Err() error   { return nil }
func (s *generated) Close() error { return nil }

// Describe says what a generator does, for a listing.
func Describe(kind string) string {
	switch kind {
	case "spaced":
		return "a packet every gap cycles"
	case "saturated":
		return "all packets at cycle 0: the job stream never waits for one"
	case "bursty":
		return fmt.Sprintf("bursts of burst packets (%d) at once, gap cycles a packet on average", defaultBurst)
	case "poisson":
		return "exponential times between arrivals, gap cycles on average"
	}
	return ""
}
