// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"math"
	"math/bits"
)

// Result is what a run gave. Times are ticks; with a design's timing a tick is a clock cycle.
type Result struct {
	// Makespan is the time at which the last packet is done: its end in a core, or with a design's timing the cycle after
	// the last beat of the last result, counted from reset.
	Makespan int64
	Packets  int64 // data packets given to cores
	Jobs     int64 // first packets among them
	Loads    int64 // key loads and other packets that no core works on
	Refused  int64 // packets of jobs for which the choose list had no room

	Clusters []ClusterResult

	Wait     Dist // from a packet's arrival to its start in a core
	Response Dist // from a packet's arrival to its end; with a design's timing to the last beat of its result

	// WaitQueuePeak is the most packets in the wait queue at a time; 0 when cluster queues are unbounded.
	WaitQueuePeak int
	// Stalls is the time for which a packet had arrived and could not enter: no slot, or wait queue full.
	Stalls int64
}

// ClusterResult is a cluster's part.
type ClusterResult struct {
	Cores []CoreResult
	// Blocked is the time for which the packet at the head of the queue waited for a core: none of those that can do it
	// had room.
	Blocked int64
	Bound   int64 // packets that went to their job's core without a decision
	Wait    Dist
}

// CoreResult is a core's part.
type CoreResult struct {
	Packets int64
	Busy    int64 // time in service
}

// Dist is a distribution of times. Mean and Max are exact. Quantiles come from a histogram whose buckets are at most 1/128
// wide of the values in them, so that a quantile is at most 0.8 % too high and never too low; its memory is bounded.
type Dist struct {
	Count int64
	Max   int64
	sum   [2]uint64 // low and high word
	hist  []int64
}

const (
	subBits = 7 // buckets a power of two: 2^subBits
	// the largest bucket number is that of 2^63-1
	buckets = (63-subBits)<<subBits + 1<<subBits
)

func bucket(v int64) int {
	if v < 1<<subBits {
		return int(max(v, 0))
	}
	shift := bits.Len64(uint64(v)) - 1 - subBits
	return shift<<subBits + int(v>>shift)
}

// top is the largest value of a bucket.
func top(b int) int64 {
	if b < 1<<subBits {
		return int64(b)
	}
	shift := b>>subBits - 1
	return (int64(b&(1<<subBits-1))+1<<subBits+1)<<shift - 1
}

func (d *Dist) add(v int64) {
	d.Count++
	var carry uint64
	d.sum[0], carry = bits.Add64(d.sum[0], uint64(max(v, 0)), 0)
	d.sum[1] += carry
	d.Max = max(d.Max, v)
	b := bucket(v)
	if b >= len(d.hist) {
		d.grow(b)
	}
	d.hist[b]++
}

func (d *Dist) grow(b int) {
	n := make([]int64, min(buckets, max(b+1, 2*len(d.hist), 1<<subBits)))
	copy(n, d.hist)
	d.hist = n
}

// Mean of the times; 0 of none.
func (d *Dist) Mean() float64 {
	if d.Count == 0 {
		return 0
	}
	return (math.Ldexp(float64(d.sum[1]), 64) + float64(d.sum[0])) / float64(d.Count)
}

// Quantile is the least time that at least a share q of all do not exceed, to the histogram's accuracy.
func (d *Dist) Quantile(q float64) int64 {
	if d.Count == 0 {
		return 0
	}
	want := int64(q * float64(d.Count))
	if float64(want) < q*float64(d.Count) {
		want++
	}
	want = max(1, want)
	for b, n := range d.hist {
		if want -= n; want <= 0 {
			return min(top(b), d.Max)
		}
	}
	return d.Max
}
