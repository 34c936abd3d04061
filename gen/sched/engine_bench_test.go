// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/design"
	"hwgen/gen/policy"
)

// flow is an endless seeded workload: independent packets and interleaved chained jobs.
type flow struct {
	n, sent int
	rng     uint64
	gap     int64
	at      int64
	blocks  int
	open    [8]struct{ id, no, left, op int }
	ids     int
}

func (f *flow) next(n uint64) int {
	f.rng ^= f.rng << 13
	f.rng ^= f.rng >> 7
	f.rng ^= f.rng << 17
	hi, _ := bits.Mul64(f.rng, n)
	return int(hi)
}

func (f *flow) Err() error { return nil }

func (f *flow) Next(p *Packet) bool {
	if f.sent == f.n {
		return false
	}
	f.sent++
	f.at += f.gap
	*p = Packet{Arrival: f.at, Blocks: 1 + f.next(uint64(f.blocks)), Job: 1<<40 + uint64(f.sent), Last: true}
	if f.next(10) < 3 {
		o := &f.open[f.next(8)]
		if o.left == 0 {
			f.ids++
			o.id, o.no, o.left, o.op = f.ids, 0, 1+f.next(12), f.next(4)
		}
		o.left--
		p.Job, p.No, p.Op, p.Chained, p.Last = uint64(o.id), o.no, o.op, true, o.left == 0
		o.no++
	} else {
		p.Op = f.next(4)
	}
	p.Bytes = 16 * p.Blocks
	return true
}

func eight(t testing.TB, name string) *Config {
	in := policy.Input{PktBlocks: 4, Alpha: 0.05, Beta: 0.95, Lambda: 4}
	c := Cluster{}
	for j := range 8 {
		var cyc [design.NumOps]int
		var ticks [design.NumOps]int64
		for op := range cyc {
			cyc[op] = 16 + (j*7+op*5)%21
			ticks[op] = int64(cyc[op])
		}
		in.Cycles = append(in.Cycles, cyc)
		in.Caps = append(in.Caps, 8)
		c.Time = append(c.Time, ticks)
		c.Cap = append(c.Cap, 8)
	}
	tab, err := policy.Build(name, in)
	require.NoError(t, err)
	c.Tables = tab
	return &Config{Clusters: []Cluster{c}}
}

// benchmark runs packets that come so many ticks apart; the cores need 8.1 for one.
func benchmark(b *testing.B, cfg *Config, gap int64) {
	b.ReportAllocs()
	begin := cpuTime(b)
	r, err := Run(cfg, &flow{n: b.N, rng: 1, gap: gap, blocks: 4})
	require.NoError(b, err)
	require.EqualValues(b, b.N, r.Packets)
	b.ReportMetric(float64(b.N)/(cpuTime(b)-begin).Seconds()/1e6, "Mpackets/cpu-s")
}

// BenchmarkEngineIdeal is the papers' model, without a design's timing.
func BenchmarkEngineIdeal(b *testing.B) { benchmark(b, eight(b, "ect"), 8) }

// timedEight is eight cores with the timing of 128-bit streams.
func timedEight(t testing.TB) *Config {
	cfg := eight(t, "affinity")
	cfg.Timing = Timing{Beat: 16, Reset: 300, Keys: []KeyTiming{{1, 0}}}
	cfg.Slots, cfg.WaitQueue, cfg.Clusters[0].Queue, cfg.Clusters[0].Choose = 64, 64, 16, 32
	return cfg
}

// BenchmarkEngineExact is what `hwgen model` does with up to 131072 packets, BenchmarkEngineFast what it does with more.
func BenchmarkEngineExact(b *testing.B) { benchmark(b, timedEight(b), 9) }

func BenchmarkEngineFast(b *testing.B) { benchmarkFast(b, 9) }

// BenchmarkEngineFastPiling is that with more packets than the cores can do: they pile up at the sender.
func BenchmarkEngineFastPiling(b *testing.B) { benchmarkFast(b, 7) }

func benchmarkFast(b *testing.B, gap int64) {
	cfg := timedEight(b)
	cfg.Fast = true
	benchmark(b, cfg, gap)
}
