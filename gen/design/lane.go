// SPDX-License-Identifier: Apache-2.0

package design

// Latencies of what a lane reads, in clock cycles. Package sched models lanes with them too.
const (
	FetchWord = 2 // from the fetch hub's grant to its first word: the RAM's output, and the broadcast
	ReadWord  = 3 // from a request of a shared read port to its first word
)

// MergeRanks is the ranks of a tree that merges n streams, a cycle each (rtl/sched/hwgen_merge_tree.v).
func MergeRanks(n int) int {
	switch {
	case n <= 5:
		return 1
	case n <= 20:
		return 2
	}
	return 3
}

// PacketCycles is how long a packet keeps a core that takes so many cycles a block, while there is always a next packet.
// A wide lane hides its work. A serial one fetches a packet's first block and its key, and writes each block word by word
// before the core takes the next one, which it fetches only then if again is set: the block is needed at the output too.
func (d *Design) PacketCycles(c *Cluster, cycles, blocks float64, again bool) float64 {
	if !d.SerialLane {
		return cycles * blocks
	}
	n, ranks := d.BPB, MergeRanks(c.NumCores+1)
	fetch := float64(ranks + n + FetchWord) // from the lane's request to all of the block
	written := cycles + float64(n)          // from a block in the core to its last word at the output
	next := max(written+1, 1+fetch) + 1
	if again {
		next = written + 1 + fetch + 1
	}
	begin := max(fetch, float64(c.KeyBits/128*n+ReadWord)) + 2
	return begin + float64((blocks-1)*next) + written + 1 // converted: the same on machines that fuse * and +
}

// CoreRate is a core's blocks a cycle in full packets of ECB: of encryption, or of the first command that it does.
func (d *Design) CoreRate(c *Cluster, co *Core) float64 {
	for _, t := range co.Cycles {
		if t > 0 {
			return float64(d.PktBlocks) / d.PacketCycles(c, float64(t), float64(d.PktBlocks), false)
		}
	}
	return 0
}

// ClusterRate is the sum of the cores' rates.
func (d *Design) ClusterRate(c *Cluster) float64 {
	r := 0.0
	for _, co := range c.Cores {
		r += d.CoreRate(c, co)
	}
	return r
}
