// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"hwgen/gen/design"
	"hwgen/gen/policy"
)

// Timing is what a design's streams and pipelines add to the decisions, in clock cycles. The zero value is the papers'
// model: packets are in the cluster queue at their arrival, decisions take no time, completions are credited at once.
type Timing struct {
	// Beat is the bytes a beat of the job and result streams, 4, 8 or 16; 0: no streams, the papers' model.
	Beat int
	// Reset is the cycle of the first beat that the design takes; until then its memories are swept. Reset is high in the
	// cycles 0 to 3, as in `hwgen sim`.
	Reset int64
	// Scan: one adder and comparator walk over the cores. Of policies with scores only.
	Scan bool
	// Serial: small lanes, whose data moves in words.
	Serial bool
	// Keys are the key stores of the clusters, for key loads.
	Keys []KeyTiming
}

// KeyTiming is what a key load depends on.
type KeyTiming struct {
	Blocks int // 16-byte blocks of a key
	Lane   int // the core that computes what the key store keeps beside the key; -1: none
}

// Latencies of the RTL that do not depend on the design; docs/architecture.md derives them. Cycle numbers there are
// those of the blocks' headers in rtl/sched.
const (
	// the first cycle of a run: reset is high in those before
	resetCycle = 4
	// from a frame's last beat to the splitter
	toSplitter = 1
	// from the splitter's transfer to the cluster queue's output
	toQueue = 1
	// from a header's lookup to its check, in which the balancer gets its order
	toCheck = 1
	// from a freed slot's last result beat to the first beat that may take it
	slotFree = 3
	// from a job's transfer to the lane to the next one's descriptor, when it was queued
	toNextJob = 4
	// from a job's dispatch to an empty queue to the lane
	toJob = 1
	// from the fetch hub's grant to its first word: the RAM's output, and the broadcast
	fetchWord = design.FetchWord
	// from a request of a shared read port to its first word
	readWord = design.ReadWord
	// from a credit to the completion record at the collector, and from there to the result's first beat
	toRecord = 3
	toResult = 2
	// a multiplier and an adder lie between a dispatch and the scores that see it, a RAM between a credit and those
	treeDispatch = 3
	treeCredit   = 3
	// a pointer needs neither
	pointerDispatch = 1
	pointerCredit   = 1
	// a scan begins a cycle after its order and ends so long after its last core
	scanOrder = 1
	scanEnd   = 3
	// the scan's port is taken so long by a dispatch, so long by a credit
	scanDispatch = 3
	scanCredit   = 2
)

// clog2 is the levels of a tree of pairs over n.
func clog2(n int) int64 {
	l := int64(0)
	for 1<<l < n {
		l++
	}
	return l
}

// pipes are the latencies of a cluster.
type pipes struct {
	key     KeyTiming
	bind    bool
	scan    bool
	serial  bool
	pointer bool
	levels  int64 // of the comparator tree
	ranks   int64 // of the trees that merge the lanes' fetches and write-backs
	chain   int64 // of the tree that merges their reads of the chaining store
	words   int64 // words of a key
	// scores are read so long after a dispatch at the earliest, and see credits that are so old
	afterDispatch, afterCredit int64
	scanned                    int64 // scan: from the first core's read to the pause after a decision that found none
}

func newPipes(t *Timing, cfg *Cluster, key *KeyTiming, bal *Balancer, blocks int64) pipes {
	n := len(cfg.Time)
	l := pipes{
		key: *key, bind: cfg.BindJob || bal.pointer == policy.PointerStatic, pointer: bal.pointer != policy.PointerNone, serial: t.Serial,
		levels: clog2(n), ranks: int64(design.MergeRanks(n + 1)), chain: int64(design.MergeRanks(n)), words: int64(key.Blocks) * blocks,
		afterDispatch: treeDispatch, afterCredit: treeCredit,
	}
	switch {
	case l.pointer:
		l.afterDispatch, l.afterCredit = pointerDispatch, pointerCredit
	case t.Scan:
		l.scan, l.scanned = true, int64(n)+scanEnd
		if cfg.Tables.Modular {
			l.scanned++
		}
		l.afterDispatch, l.afterCredit = scanDispatch, scanCredit
	}
	return l
}

// TimingOf is the timing of a design's RTL.
func TimingOf(d *design.Design) Timing {
	t := Timing{Beat: d.KeepW, Reset: resetCycles(d), Scan: d.Scan, Serial: d.SerialLane}
	for _, c := range d.Clusters {
		t.Keys = append(t.Keys, KeyTiming{Blocks: c.KeyBits / 128, Lane: c.KeyLane})
	}
	return t
}

// resetCycles is the time in which clear_ctrl sweeps the memories, after a reset of four cycles (that of the harness): the
// walk over the slots, or the largest memory with what is around its sweep.
func resetCycles(d *design.Design) int64 {
	area := 1 << d.OffW
	n := max(d.Slots+29, d.Slots*area+21, d.Slots*(area+d.BPB)+11)
	for _, c := range d.Clusters {
		keys := c.KeySlots << clog2(4*c.KeyBits/d.DataW)
		n = max(n, keys+12, c.Choose*d.BPB+12)
		if d.Scan {
			n = max(n, 4*c.NumCores+12)
		}
	}
	return int64(n)
}

// FromDesign is the configuration that predicts a design's RTL.
func FromDesign(d *design.Design) *Config {
	cfg := &Config{Timing: TimingOf(d), Slots: d.Slots, WaitQueue: d.WaitQueue}
	if d.WaitQueue == 0 {
		cfg.WaitQueue = -1
	}
	for _, c := range d.Clusters {
		cl := Cluster{
			Tables: c.Tables, BindJob: d.BindJob || c.Tables.Pointer == policy.PointerStatic, Queue: c.Queue, Choose: c.Choose,
		}
		if c.HasQuota {
			cl.Quota = c.SlotQuota
		}
		for _, co := range c.Cores {
			var t [design.NumOps]int64
			for op, n := range co.Cycles {
				t[op] = int64(n)
			}
			cl.Time, cl.Inv, cl.Cap = append(cl.Time, t), append(cl.Inv, co.HasInv), append(cl.Cap, co.Cap)
		}
		cfg.Clusters = append(cfg.Clusters, cl)
	}
	return cfg
}
