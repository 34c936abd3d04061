// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// allocated is what a run allocates.
func allocated(t *testing.T, cfg *Config, packets int, gap int64) (objects, bytes uint64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, err := Run(cfg, &flow{n: packets, rng: 1, gap: gap, blocks: 4})
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.EqualValues(t, packets, r.Packets)
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
}

// A run of a hundred times the packets takes no more memory, and allocates nothing for a packet: neither when cores keep
// up, nor when packets pile up at the sender.
func TestRunsTakeNoMemoryForPackets(t *testing.T) {
	for _, gap := range []int64{10, 1} {
		for mode := range 3 {
			t.Run(fmt.Sprint(gap, mode), func(t *testing.T) {
				cfg := timedEight(t)
				cfg.Fast = mode == 1
				few, many := 100000, 1000000
				switch {
				case mode == 0: // exact: what piles up fills the sender's window first
					many = 300000
				case mode == 2:
					cfg = eight(t, "affinity")
				}
				if gap == 10 {
					few = 10000
				}
				o1, b1 := allocated(t, cfg, few, gap)
				o2, b2 := allocated(t, cfg, many, gap)
				assert.LessOrEqual(t, o2, o1+200, "objects of %d and %d packets", few, many)
				assert.LessOrEqual(t, b2, b1+b1/4+1<<16, "bytes of %d and %d packets", few, many)
			})
		}
	}
}
