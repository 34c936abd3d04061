// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"fmt"
	"math"
	"math/bits"
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
// Products are converted before they are added here and below: else some machines round once (fused), others twice, and
// arrivals differ.
func (g *generator) cost(d *design.Design) float64 {
	bytes := 0.0
	for i, s := range g.length.items {
		bytes += float64(s.mean() * g.length.share(i))
	}
	most := (bytes/16 + 1) * float64(d.BPB) // header and payload
	for i, ci := range g.classes.clusters.items {
		c, of, mean := d.Clusters[ci], &g.classes.of[ci], 0.0
		if !d.SerialLane {
			most = max(most, g.classes.clusters.share(i)*bytes/16/blockRate(c))
			continue
		}
		each := func(share float64, cmd cipher.Cmd, mode cipher.Mode) {
			mean += float64(share * packetTime(d, c, cmd, mode, bytes/16))
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
	left int   // packets
	end  int64 // the lane's last packet: the job that is open then has its last one there
}

type generated struct {
	g     *generator
	r     *rand.Rand
	picks uint64 // key of the lanes' order
	lanes []lane
	i     int64 // packets given
	jobs  uint64
	time  float64 // poisson
}

func newGenerated(g *generator) *generated {
	s := &generated{g: g, r: rand.New(rand.NewPCG(g.seed, 0x68776765))}
	s.picks = s.r.Uint64()
	s.lanes = make([]lane, g.interleaved)
	for i := range s.lanes {
		s.lanes[i].end = -1
	}
	for i, open := g.packets-1, len(s.lanes); i >= 0 && open > 0; i-- {
		if l := s.lane(i); l.end < 0 {
			l.end = i
			open--
		}
	}
	return s
}

// lane is that of a packet, each as likely. It depends on the packet's number alone (SplitMix64), so that a lane's last
// packet is found from the workload's end, without drawing all before it.
func (s *generated) lane(packet int64) *lane {
	z := s.picks + uint64(packet+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	k, _ := bits.Mul64(z^z>>31, uint64(len(s.lanes)))
	return &s.lanes[k]
}

// exponential draws from the exponential distribution of mean 1 by comparing uniform numbers alone (von Neumann's way):
// logarithms differ in the last bit from machine to machine.
func exponential(r *rand.Rand) float64 {
	for whole := 0.0; ; whole++ {
		first := r.Float64()
		low, odd := first, true
		for {
			x := r.Float64()
			if x >= low {
				break
			}
			low, odd = x, !odd
		}
		if odd { // a falling run of odd length
			return whole + first
		}
	}
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
			s.time += float64(exponential(s.r) * g.gap)
		}
		return int64(min(s.time, workload.MaxArrival))
	}
	return 0
}

func (s *generated) Next(p *sched.Packet) bool {
	if s.i == s.g.packets {
		return false
	}
	l := s.lane(s.i)
	if l.left == 0 {
		l.class, l.left, l.no = s.g.classes.draw(s.r), s.g.job.draw(s.r).draw(s.r), 0
	}
	if l.no == 0 {
		l.job = s.jobs
		s.jobs++
	}
	at := s.arrival()
	length := s.g.length.draw(s.r).draw(s.r)
	l.left--
	l.class.packet(p, at, l.job, l.no, length, l.left == 0 || l.single || s.i == l.end)
	if !l.single {
		l.no++
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
