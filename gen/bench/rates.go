// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"fmt"
	"slices"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/sim"
	"hwgen/gen/traffic"
	"hwgen/gen/workload"
)

// Rate is the payload that a simulated design answers, of one workload. BytesPerCycle is taken in the middle of the run,
// between the results at 20 and at 80 %.
type Rate struct {
	Workload      string  `json:"workload"` // mode, or the workload's own name
	PacketBytes   int     `json:"packet_bytes,omitempty"`
	Packets       int     `json:"packets"` // of jobs
	Cycles        uint64  `json:"cycles"`  // of the whole run
	BytesPerCycle float64 `json:"bytes_per_cycle"`
}

// Gbits is the rate in Gbit/s at a clock in MHz.
func (r Rate) Gbits(mhz float64) float64 { return r.BytesPerCycle * 8 * mhz / 1e3 }

// rateModes are the modes that Rates measures.
var rateModes = []cipher.Mode{cipher.ECB, cipher.CTR, cipher.CBC, cipher.CFB, cipher.OFB, cipher.MAC}

// RateSizes are the packet sizes that Rates measures, in bytes: one block, and the largest.
func RateSizes(d *design.Design) []int {
	return slices.Compact([]int{16, d.PktBytes})
}

// Rates saturates a built design with packets of each mode that all its clusters have and of each size: encryptions or
// MACs, jobs of ten packets, interleaved, the clusters in turn. A chained job has two packets in flight, as a sender does
// that doesn't want to tie a job to its core (docs/decisions.md).
func Rates(ctx context.Context, s *sim.Simulator, modes []cipher.Mode, sizes []int, packets int) ([]Rate, error) {
	var rs []Rate
	for _, m := range modes {
		cmd := cipher.Encrypt
		if m == cipher.MAC {
			cmd = cipher.Sign
		}
		if slices.ContainsFunc(s.D.Clusters, func(c *design.Cluster) bool { return !workload.Supports(c, cmd, m) }) {
			continue
		}
		for _, n := range sizes {
			jobs, err := traffic.Jobs(fmt.Sprintf("saturated:packets=%d,modes=%s,ops=%s,length=%d,job=10", packets, m, cmd, n), s.D, 1)
			if err != nil {
				return nil, err
			}
			r, err := RateOf(ctx, s, jobs)
			if err != nil {
				return nil, fmt.Errorf("%s, %d bytes: %w", m, n, err)
			}
			r.Workload, r.PacketBytes = m.String(), n
			rs = append(rs, r)
		}
	}
	return rs, nil
}

// AllRates is Rates of every mode and size.
func AllRates(ctx context.Context, s *sim.Simulator) ([]Rate, error) {
	return Rates(ctx, s, rateModes, RateSizes(s.D), 1000)
}

// RateOf runs jobs and checks every answer.
func RateOf(ctx context.Context, s *sim.Simulator, jobs []workload.Job) (Rate, error) {
	p, err := workload.NewPlan(s.D, jobs)
	if err != nil {
		return Rate{}, err
	}
	const window = 2
	for ji, l := range p.ByJob {
		if !jobs[ji].Mode.Chained() {
			continue
		}
		for n := window; n < len(l); n++ {
			f := &p.Frames[l[n]]
			f.AfterResult = append(f.AfterResult, l[n-window])
		}
	}
	o, err := s.RunFiles(ctx, p.Stimulus(s.D), "", "")
	if err != nil {
		return Rate{}, err
	}
	if bad := p.CheckOutcome(s.D, o); len(bad) > 0 {
		return Rate{}, fmt.Errorf("the run is not right: %s", bad[0])
	}
	r := Rate{Cycles: o.Counters.Cycles}
	for i := range p.Frames {
		if p.Frames[i].Job >= 0 { // else it loads a key
			r.Packets++
		}
	}
	r.BytesPerCycle = rate(o, func(f int) int {
		if p.Frames[f].Job < 0 {
			return 0
		}
		return int(p.Frames[f].Header().Length)
	})
	if r.BytesPerCycle == 0 {
		return Rate{}, fmt.Errorf("%d packets are too few to measure a rate", r.Packets)
	}
	return r, nil
}
