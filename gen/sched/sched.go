// SPDX-License-Identifier: Apache-2.0

// Package sched is the model of the scheduler: what the RTL decides, decision by decision, and how long it takes.
//
//   - Balancer is the decision itself (docs/interfaces.md, "The decision"): scores, full flags, choice, pointers. The
//     replayer and the engine both use it, so that the one is proof of the other.
//   - Replay reads an event trace of the RTL and recomputes every decision of it.
//   - Engine predicts a run from a workload alone: an event-driven model that streams its packets. With all latencies of
//     Timing at zero it is the papers' model (order within an instant: completions, arrivals, decisions); with those of
//     a design (TimingOf) it predicts the RTL.
//   - Bound is the lower bound of the makespan.
package sched

// Packet is a packet of a workload.
type Packet struct {
	Arrival int64  // ticks; of packets in a Source not decreasing
	Job     uint64 // packets of a job have the same, jobs have different ones
	No      int    // 0, 1, .. in the job
	Cluster int
	Op      int   // design.Encrypt ..
	Mode    uint8 // cipher.Mode; 0 where only Chained matters
	Inverse bool  // needs the inverse cipher
	Chained bool
	Last    bool // last of its job
	IV      bool // carries an IV field
	Load    bool // a key load: no core, no decision
	Blocks  int  // 16-byte blocks; at least 1, but 0 for a closing packet without payload
	Bytes   int  // payload
	// Stretch scales the service time, in 1/1024; 0 is 1024 (none). Jitter of the regimes.
	Stretch int
}

// ServiceTime is a packet's time in a core that takes t ticks a block; stretched times are cut to whole ticks.
func ServiceTime(t int64, p *Packet) int64 {
	t *= int64(p.Blocks)
	if p.Stretch != 0 {
		t = t * int64(p.Stretch) >> 10
	}
	return t
}

// Source gives packets in the order of their arrivals, one by one: nothing is held, so that a workload may be of any length.
type Source interface {
	// Next fills p; false at the end or on an error.
	Next(p *Packet) bool
	// Err is what ended it early.
	Err() error
}
