// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/policy"
)

// someRun is a configuration and a workload drawn from numbers: sizes of one and of many, cores that cannot do all, queues
// that are soon full, loads, jobs that never end or whose packets are missing.
func someRun(r *rand.Rand) (*Config, []Packet) {
	names := policy.Names
	cfg := &Config{Timing: Timing{Beat: 4 << r.Intn(3), Reset: r.Int63n(400), Scan: r.Intn(3) == 0, Serial: r.Intn(3) == 0}}
	if r.Intn(6) == 0 {
		cfg.Timing = Timing{}
	}
	pick := func(l ...int) int { return l[r.Intn(len(l))] }
	cfg.Slots, cfg.WaitQueue = pick(0, 1, 2, 8, 64), pick(-1, 0, 1, 3, 64)
	for range pick(1, 1, 2, 5) {
		in := policy.Input{PktBlocks: 4, Alpha: 0.05, Beta: 0.95, Lambda: 4}
		c := Cluster{Queue: pick(0, 1, 2, 16), Choose: pick(0, 1, 2, 32), Quota: pick(0, 0, 0, 1, 5), BindJob: r.Intn(2) == 0}
		for j := range pick(1, 2, 3, 5, 8, 17) {
			var cyc [design.NumOps]int
			var ticks [design.NumOps]int64
			for op := range cyc {
				if cyc[op] = 1 + r.Intn(pick(4, 40, 2000)); j > 0 && r.Intn(6) == 0 {
					cyc[op] = 0
				}
				ticks[op] = int64(cyc[op])
			}
			in.Cycles, in.Caps = append(in.Cycles, cyc), append(in.Caps, pick(1, 2, 8))
			c.Time, c.Cap, c.Inv = append(c.Time, ticks), append(c.Cap, in.Caps[j]), append(c.Inv, j == 0 || r.Intn(3) > 0)
		}
		t, err := policy.Build(names[r.Intn(len(names))], in)
		if err != nil {
			continue
		}
		c.Tables = t
		cfg.Clusters = append(cfg.Clusters, c)
		cfg.Timing.Keys = append(cfg.Timing.Keys, KeyTiming{1 + r.Intn(2), r.Intn(len(c.Time)+1) - 1})
	}
	type open struct {
		p    Packet
		left int
	}
	var jobs []*open
	at, id, gap := int64(0), uint64(0), pick(0, 1, 30, 3000)
	var l []Packet
	for range 1 + r.Intn(400) {
		at += r.Int63n(int64(gap) + 1)
		if r.Intn(40) == 0 {
			l = append(l, Packet{Arrival: at, Job: 1 << 63, Cluster: r.Intn(max(1, len(cfg.Clusters))), Load: true, Bytes: pick(0, 16), Blocks: 1})
			continue
		}
		if len(jobs) < pick(1, 4, 50) {
			id++
			m := cipher.Mode(r.Intn(6))
			p := Packet{Job: id, Cluster: r.Intn(max(1, len(cfg.Clusters))), Mode: uint8(m), Op: r.Intn(2)}
			if m == cipher.MAC {
				p.Op += 2
			}
			p.Chained = m != cipher.ECB && m != cipher.CTR
			p.Inverse = p.Op == design.Decrypt && (m == cipher.ECB || m == cipher.CBC)
			p.IV = p.Chained && m != cipher.MAC || m == cipher.CTR
			jobs = append(jobs, &open{p, 1 + r.Intn(pick(1, 5, 40))})
		}
		k := r.Intn(len(jobs))
		o := jobs[k]
		o.left--
		p := o.p
		p.Arrival, p.Last, p.Blocks = at, o.left == 0 && r.Intn(100) > 0, 1+r.Intn(pick(1, 4, 60))
		if p.Last && p.No > 0 && r.Intn(10) == 0 {
			p.Blocks = 0
		}
		p.Bytes = 16 * p.Blocks
		l = append(l, p)
		if o.p.No, o.p.IV = o.p.No+1, p.IV && !p.Chained; o.left == 0 {
			jobs = append(jobs[:k], jobs[k+1:]...)
		}
	}
	return cfg, l
}

// checkRun runs it. Whatever comes ends, in a result that adds up or in an error that is not the model's fault.
func checkRun(t *testing.T, cfg *Config, l []Packet) {
	r, err := Run(cfg, &slice{l: l})
	if err != nil {
		require.NotContains(t, err.Error(), "fault of the model")
		require.NotContains(t, err.Error(), "no slot ever becomes free")
		require.NotContains(t, err.Error(), "no core may take it")
		return
	}
	loads := int64(0)
	for i := range l {
		if l[i].Load {
			loads++
		}
	}
	require.EqualValues(t, loads, r.Loads)
	require.EqualValues(t, int64(len(l))-loads, r.Packets+r.Refused)
	sum := int64(0)
	for i := range r.Clusters {
		for _, c := range r.Clusters[i].Cores {
			sum += c.Packets
			require.LessOrEqual(t, c.Busy, r.Makespan)
		}
	}
	require.Equal(t, r.Packets, sum)
	require.Equal(t, r.Packets, r.Wait.Count)
	require.Equal(t, r.Packets, r.Response.Count)
	require.GreaterOrEqual(t, r.Stalls, int64(0))
	require.LessOrEqual(t, r.WaitQueuePeak, max(0, cfg.WaitQueue, map[bool]int{true: len(l)}[cfg.WaitQueue == 0]))
}

func FuzzRun(f *testing.F) {
	for i := range int64(20) {
		f.Add(i)
	}
	f.Fuzz(func(t *testing.T, seed int64) {
		cfg, l := someRun(rand.New(rand.NewSource(seed)))
		checkRun(t, cfg, l)
		cfg.Fast = true
		checkRun(t, cfg, l)
	})
}

// The same for some seeds, every time.
func TestSomeRuns(t *testing.T) {
	for seed := range int64(200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			cfg, l := someRun(rand.New(rand.NewSource(seed)))
			checkRun(t, cfg, l)
			cfg.Fast = true
			checkRun(t, cfg, l)
		})
	}
}
