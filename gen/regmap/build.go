// SPDX-License-Identifier: Apache-2.0

package regmap

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"hwgen/gen/config"
	"hwgen/gen/design"
)

// ID is the value of the first register, "HWGN".
const ID = 0x4857474E

// Layout is the number of this layout of registers; it changes when an address or a meaning does.
const Layout = 1

// Addresses inside the map and of its parts.
const (
	clusterStride  = 0x4000 // cluster c is at (c+1) * clusterStride
	blockSize      = 0x1000
	weightsStride  = 0x20
	coreStride     = 0x20
	countersStride = 0x40
)

// counter is a counter's name and what it counts.
type counter struct{ name, doc string }

var globalCounters = []counter{
	{"CYCLES", "Cycles since reset."},
	{"ACCEPTED", "Frames taken in to their last beat."},
	{"RETURNED", "Results that have left."},
	{"BAD_HEADER", "Frames refused with status 1."},
	{"UNSUPPORTED", "Frames refused with status 2."},
	{"BAD_LENGTH", "Frames refused with status 3."},
	{"OVER_QUOTA", "Frames refused with status 12."},
	{"CLEARED", "Frames that `clear` answered with status 11."},
	{"JOB_STALL", "Cycles in which the job stream had a beat that was not taken."},
	{"RESULT_STALL", "Cycles in which the result stream had a beat that was not taken."},
}

var clusterCounters = []counter{
	{"ACCEPTED", "Frames handed to the cluster: good ones, key loads and aborts among them."},
	{"RETURNED", "Frames that the cluster has answered."},
	{"NO_SUCH_JOB", "Answered with status 4."},
	{"OUT_OF_SEQUENCE", "Answered with status 5."},
	{"CHOOSE_LIST_FULL", "Answered with status 6."},
	{"KEY_EMPTY", "Answered with status 7."},
	{"KEY_BUSY", "Answered with status 8."},
	{"MAC_MISMATCH", "Answered with status 9."},
	{"ABORTED", "Answered with status 11."},
	{"PARKED", "Frames that went through the wait queue."},
	{"STALL", "Cycles in which the cluster queue had a packet that was not taken."},
	{"BUSY", "Cycles in which a core of the cluster had a packet in work, one or more."},
}

var coreCounters = []counter{
	{"ACCEPTED", "Packets dispatched to the core."},
	{"RETURNED", "Packets of the core that were answered."},
	{"MAC_MISMATCH", "Those with status 9."},
	{"ABORTED", "Those with status 11."},
	{"BUSY", "Cycles with a packet in work, from its first block entering the core to its last word leaving the lane."},
	{"STALL", "Cycles in which the lane had a word that was not taken."},
}

// AddrWidth is the bits of a byte address of a design's registers.
func AddrWidth(d *design.Design) int { return bits.Len(uint(clusterStride*(d.NumClusters+1) - 1)) }

// Build makes the map of a design with registers.
func Build(d *design.Design, version, hash string) (*Map, error) {
	m := &Map{Design: d.Name, Version: version, Hash: hash, Counters: d.Counters, Tables: d.Programmable,
		AddrW: AddrWidth(d)}
	m.Blocks = append(m.Blocks, m.global(d))
	for _, c := range d.Clusters {
		info := ClusterInfo{Name: c.Name, Module: c.Module, Index: c.Index, Cores: c.NumCores, Tables: d.Programmable,
			SoftCap: c.Pointer == 0, ClusterCtrs: len(clusterCounters), CoreCtrs: len(coreCounters), AccW: c.AccW, IncW: c.IncW,
			CounterCount: len(clusterCounters) + c.NumCores*len(coreCounters)}
		if d.Programmable {
			info.BaseMax, info.IncMax = limits(d, c)
		}
		m.Clusters = append(m.Clusters, info)
		m.Blocks = append(m.Blocks, m.cluster(d, c, &info)...)
	}
	return m, m.check()
}

// limits are the largest base and, by core, the largest increment, so that no set of entries within them overflows a
// score, whatever is in flight. They are no less than the generated tables.
func limits(d *design.Design, c *design.Cluster) (baseMax uint64, incMax []uint64) {
	blocks := uint64(d.PktBlocks)
	if c.PerPacket == 1 {
		blocks = 1
	}
	top := uint64(1)<<c.IncW - 1
	for _, row := range c.Base {
		for _, b := range row {
			baseMax = max(baseMax, b)
		}
	}
	// half of the room that the generated increments leave above the generated bases is for either
	baseMax += (c.Tables.BaseMax - min(c.Tables.BaseMax, baseMax)) / 2
	for _, co := range c.Cores {
		most := uint64(0)
		if c.Modular == 1 { // 2*base + P*inc < 2^(AccW-2)
			most = (uint64(1)<<(c.AccW-2) - 1 - 2*baseMax) / blocks
		} else { // base + cap*P*inc <= 2^AccW - 2
			most = (uint64(1)<<c.AccW - 2 - baseMax) / (blocks * uint64(co.Cap))
		}
		incMax = append(incMax, min(most, top))
	}
	return baseMax, incMax
}

func ro(name string, lsb, width int, reset uint64, doc string) Field {
	return Field{Name: name, LSB: lsb, Width: width, Reset: reset, Doc: doc, RTL: fmt.Sprintf("%d'h%x", width, reset)}
}

func live(name string, lsb, width int, reset uint64, rtl, doc string) Field {
	return Field{Name: name, LSB: lsb, Width: width, Reset: reset, Volatile: true, Doc: doc, RTL: rtl}
}

func bit(name string, lsb int, a Access, rtl, doc string) Field {
	return Field{Name: name, LSB: lsb, Width: 1, Access: a, Volatile: a == ReadOnly || a == OneClears, Doc: doc, RTL: rtl}
}

// version packs the numbers of a version; what is none counts as 0.
func version(s string) uint64 {
	v := uint64(Layout) << 24
	for i, p := range strings.SplitN(strings.SplitN(s, "-", 2)[0], ".", 3) {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 || n > 255 {
			return uint64(Layout) << 24
		}
		v |= uint64(n) << (16 - 8*i)
	}
	return v
}

func (m *Map) global(d *design.Design) Block {
	v := version(m.Version)
	policyIndex := uint64(0)
	for i, p := range config.Policies {
		if p.Name == d.Policy {
			policyIndex = uint64(i)
		}
	}
	irq := []struct{ name, doc string }{
		{"commit_done", "a set of weights has taken effect"},
		{"snapshot_done", "the counters of a snapshot can be read"},
		{"clear_done", "a clear is over"},
		{"error", "a frame was answered with a status that is not 0"},
		{"drained", "a core that is not enabled has given back its last packet"},
		{"full", "every packet slot was taken"},
	}
	var status, mask []Field
	for i, s := range irq {
		if i == 0 && !m.Tables || i == 1 && !m.Counters {
			continue
		}
		status = append(status, bit(s.name, i, OneClears, fmt.Sprintf("irq_q[%d]", i), s.doc))
		f := bit(s.name, i, ReadWrite, fmt.Sprintf("mask_q[%d]", i), "1: it raises irq")
		mask = append(mask, f)
	}
	hash := make([]string, 8)
	for i := range hash {
		w := "0"
		if len(m.Hash) >= 8*i+8 {
			w = m.Hash[8*i : 8*i+8]
			if _, err := strconv.ParseUint(w, 16, 32); err != nil {
				w = "0"
			}
		}
		hash[i] = "32'h" + w
	}
	ctrl := []Field{}
	if m.Tables {
		ctrl = append(ctrl, bit("commit", 0, Pulse, "", "the weights written take effect, all clusters' at one moment"))
	}
	if m.Counters {
		ctrl = append(ctrl, bit("snapshot", 1, Pulse, "", "freezes a copy of all counters, levels and peaks of one moment"))
	}
	ctrl = append(ctrl, bit("clear", 2, Pulse, "", "as the port `clear`: overwrites keys and data, answers what is in flight"))
	running := []Field{live("run", 0, 1, 0, "run", "frames are taken; 0 in a clear and after reset")}
	if m.Tables {
		running = append(running, live("commit_busy", 1, 1, 0, "commit_busy", "a set of weights is taking effect"))
	}
	if m.Counters {
		running = append(running, live("snapshot_busy", 2, 1, 0, "snap_busy", "a snapshot is being taken; counters wait for it when they are read"))
	}
	regs := []Reg{
		{Name: "ID", Offset: 0x00, Doc: "Says that these registers are hwgen's.", Fields: []Field{ro("id", 0, 32, ID, "`HWGN`")}},
		{Name: "VERSION", Offset: 0x04, Doc: "Version of the generator and of this layout.", Fields: []Field{
			ro("patch", 0, 8, v&255, ""), ro("minor", 8, 8, v>>8&255, ""), ro("major", 16, 8, v>>16&255, ""),
			ro("layout", 24, 8, v>>24, "of the registers"),
		}},
		{Name: "SHAPE", Offset: 0x08, Doc: "What was generated.", Fields: []Field{
			ro("clusters", 0, 5, uint64(d.NumClusters), ""), ro("data_bytes", 8, 5, uint64(d.KeepW), "bytes of a beat"),
			ro("requesters", 16, 9, uint64(d.Requesters), ""), ro("policy", 28, 4, policyIndex, "place in `hwgen policies`"),
		}},
		{Name: "SIZES", Offset: 0x0C, Doc: "Packets.", Fields: []Field{
			ro("slots", 0, 9, uint64(d.Slots), ""), ro("packet_bytes", 16, 16, uint64(d.PktBytes), "largest payload"),
		}},
		{Name: "CONFIG_HASH", Offset: 0x20, Count: 8, Doc: "SHA-256 of the config, as in the files' banner: the first eight hex digits in the first.",
			Fields: []Field{{Name: "word", Width: 32, Volatile: true}}, RTLs: hash},
		{Name: "CTRL", Offset: 0x40, Doc: "Does something once.", Fields: ctrl},
		{Name: "STATUS", Offset: 0x44, Doc: "What is going on.", Fields: running},
		{Name: "IRQ_STATUS", Offset: 0x48, Doc: "Events that came. An event in the cycle of a write stays.", Fields: status},
		{Name: "IRQ_MASK", Offset: 0x4C, Doc: "Which of them raise `irq`, a level.", Fields: mask},
		{Name: "IN_FLIGHT", Offset: 0x50, Doc: "Frames inside, now.", Fields: []Field{
			live("frames", 0, d.SlotW+1, 0, "stat_in_flight", ""),
		}},
	}
	if m.Counters {
		regs = append(regs,
			Reg{Name: "SNAP_IN_FLIGHT", Offset: 0x54, Doc: "Frames inside at the snapshot: ACCEPTED - RETURNED.", Fields: []Field{
				live("frames", 0, d.SlotW+1, 0, "in_flight_q", ""),
			}},
			Reg{Name: "WAIT_LEVEL", Offset: 0x58, Doc: "Packets in the wait queue, now.", Fields: []Field{
				live("packets", 0, d.SlotW+1, 0, "wait_level", ""),
			}},
			Reg{Name: "WAIT_PEAK", Offset: 0x5C, Doc: "Most packets in the wait queue between the last two snapshots.", Fields: []Field{
				live("packets", 0, d.SlotW+1, 0, "wait_peak", ""),
			}})
		regs = append(regs, counterRegs(globalCounters, 0x80, "ctr")...)
	}
	return Block{Name: "GLOBAL", Kind: Global, Cluster: -1, Base: 0, Size: 0x1000, Stride: 0x1000, Regs: regs, Doc: "The whole design."}
}

// counterRegs are counters side by side; rtl is the bank's word.
func counterRegs(l []counter, at uint32, rtl string) []Reg {
	var regs []Reg
	for i, c := range l {
		regs = append(regs, Reg{Name: c.name, Offset: at + uint32(8*i), Counter: true, Doc: c.doc,
			Fields: []Field{{Name: "count", Width: 32, Volatile: true, RTL: rtl}}})
	}
	return regs
}

func (m *Map) cluster(d *design.Design, c *design.Cluster, info *ClusterInfo) []Block {
	base := uint32(clusterStride * (c.Index + 1))
	upper := strings.ToUpper(c.Name)
	n := c.Index
	alg := map[string]uint64{"aes128": 0, "aes256": 1, "sm4": 2}[c.Algorithm]
	w := design.Bits(c.Queue + 1)
	flag := func(b int) uint64 { return uint64(b) }
	scoreBits, incBits := c.AccW, c.IncW
	if c.Pointer != 0 {
		scoreBits, incBits = 0, 0
	}
	tables := uint64(0)
	if info.Tables {
		tables = 1
	}
	regs := []Reg{
		{Name: "INFO", Offset: 0x00, Doc: "What was generated.", Fields: []Field{
			ro("cores", 0, 7, uint64(c.NumCores), ""), ro("algorithm", 8, 2, alg, "0 aes128, 1 aes256, 2 sm4"),
			ro("queue", 16, 9, uint64(c.Queue), "packets of the cluster queue"),
		}},
		{Name: "SCORES", Offset: 0x04, Doc: "How the balancer scores.", Fields: []Field{
			ro("score_bits", 0, 6, uint64(scoreBits), "0: no scores"),
			ro("inc_bits", 8, 6, uint64(incBits), ""),
			ro("per_packet", 16, 1, flag(c.PerPacket), "an increment is a packet's, not a block's"),
			ro("give_back", 17, 1, flag(c.GiveBack), "an increment is taken back with the result"),
			ro("modular", 18, 1, flag(c.Modular), "scores wrap"),
			ro("writable", 19, 1, tables, "the tables are registers"),
		}},
	}
	if info.Tables {
		regs = append(regs,
			Reg{Name: "BASE_MAX", Offset: 0x08, Doc: "The largest base that is taken.", Fields: []Field{ro("base", 0, 32, info.BaseMax, "")}},
			Reg{Name: "NOTE", Offset: 0x0C, Doc: "A word of the host's about the set that it writes, K or alpha and beta for instance; it takes effect with the set.",
				Fields: []Field{{Name: "word", Width: 32, Access: ReadWrite, RTL: fmt.Sprintf("note_%d_q", n), Doc: "as written"}}},
			Reg{Name: "NOTE_ACTIVE", Offset: 0x10, Doc: "The note of the set in effect; 0 with the generated tables.",
				Fields: []Field{live("word", 0, 32, 0, fmt.Sprintf("noted_%d_q", n), "")}})
	}
	regs = append(regs, Reg{Name: "LEVEL", Offset: 0x14, Doc: "Packets in the cluster queue, now.", Fields: []Field{
		live("packets", 0, w, 0, fmt.Sprintf("queue_%d", n), ""),
	}})
	if m.Counters {
		regs = append(regs, Reg{Name: "PEAK", Offset: 0x18, Doc: "Most packets in the cluster queue between the last two snapshots.", Fields: []Field{
			live("packets", 0, w, 0, fmt.Sprintf("queue_peak_%d", n), ""),
		}}, Reg{Name: "WAIT_PEAK", Offset: 0x1C, Doc: "Most packets of the cluster in the wait queue between the last two snapshots.", Fields: []Field{
			live("packets", 0, d.SlotW+1, 0, fmt.Sprintf("wait_peak_%d", n), ""),
		}})
		regs = append(regs, counterRegs(clusterCounters, 0x80, fmt.Sprintf("ctr_%d", n))...)
	}
	blocks := []Block{{Name: upper, Kind: Cluster, Cluster: n, Base: base, Size: blockSize, Stride: blockSize, Regs: regs,
		Doc: fmt.Sprintf("Cluster %d, %s.", n, c.Name)}}
	if info.Tables {
		blocks = append(blocks, Block{Name: upper + "_WEIGHTS", Kind: Weights, Cluster: n, Base: base + blockSize, Size: blockSize,
			Stride: weightsStride, Count: c.NumCores, Doc: "Score tables of a core, in steps; what is read is what was written last, and takes effect at the next commit.",
			Regs: []Reg{
				{Name: "BASE", Offset: 0x00, Count: design.NumOps, Doc: "Base of encrypt, decrypt, sign, verify.", Fields: []Field{
					{Name: "base", Width: c.AccW, Access: ReadWrite, Volatile: true, RTL: fmt.Sprintf("set_%d", n)},
				}},
				{Name: "INC", Offset: 0x10, Count: design.NumOps, Doc: "Increment of encrypt, decrypt, sign, verify.", Fields: []Field{
					{Name: "inc", Width: c.IncW, Access: ReadWrite, Volatile: true, RTL: fmt.Sprintf("set_%d[%d:0]", n, c.IncW-1)},
				}},
			}})
	}
	return append(blocks, m.cores(c, info, base)...)
}

// cores are the blocks of a cluster's cores. In expressions ri is the core's number in the address.
func (m *Map) cores(c *design.Cluster, info *ClusterInfo, base uint32) []Block {
	upper, n := strings.ToUpper(c.Name), c.Index
	vec := func(name string, w int) string {
		return fmt.Sprintf("%s_%d[ri_%d*%d +: %d]", name, n, n, w, w)
	}
	capAccess, capDoc := ReadWrite, "packets that it may hold, 1 to the queue that was generated"
	if !info.SoftCap {
		capAccess, capDoc = ReadOnly, "packets that it may hold"
	}
	regs := []Reg{
		{Name: "CTRL", Offset: 0x00, Doc: "Takes the core out of the competition, or back in.", Fields: []Field{
			{Name: "enable", Width: 1, Access: ReadWrite, Reset: 1, RTL: fmt.Sprintf("enable_%d[ri_%d]", n, n),
				Doc: "0: drains. A write that would leave a command without an enabled core is refused"},
		}},
		{Name: "STATUS", Offset: 0x04, Doc: "What the core has.", Fields: []Field{
			live("packets", 0, c.CapW, 0, vec("count", c.CapW), "dispatched to it and not given back"),
		}},
		{Name: "CAP", Offset: 0x08, Doc: "Capacity.", Fields: []Field{
			{Name: "packets", Width: c.CapW, Access: capAccess, Volatile: true, RTL: vec("cap", c.CapW), Doc: capDoc},
		}},
	}
	if m.Counters {
		regs = append(regs, Reg{Name: "PEAK", Offset: 0x0C, Doc: "Most packets that it had between the last two snapshots.", Fields: []Field{
			live("packets", 0, c.CapW, 0, vec("peak", c.CapW), ""),
		}})
	}
	regs = append(regs,
		Reg{Name: "SPEED", Offset: 0x10, Doc: "Cycles a block; 0: not done.", Fields: []Field{
			{Name: "encrypt", LSB: 0, Width: 16, Volatile: true, RTL: vec("SPEED_ENCRYPT", 16)},
			{Name: "decrypt", LSB: 16, Width: 16, Volatile: true, RTL: vec("SPEED_DECRYPT", 16)},
		}},
		Reg{Name: "SPEED_MAC", Offset: 0x14, Doc: "Cycles a block; 0: not done.", Fields: []Field{
			{Name: "sign", LSB: 0, Width: 16, Volatile: true, RTL: vec("SPEED_SIGN", 16)},
			{Name: "verify", LSB: 16, Width: 16, Volatile: true, RTL: vec("SPEED_VERIFY", 16)},
		}})
	if info.Tables {
		regs = append(regs, Reg{Name: "INC_MAX", Offset: 0x18, Doc: "The largest increment that is taken.", Fields: []Field{
			{Name: "inc", Width: c.IncW, Volatile: true, RTL: vec("INC_MAX", c.IncW)},
		}})
	}
	blocks := []Block{{Name: upper + "_CORE", Kind: Core, Cluster: n, Base: base + 2*blockSize, Size: blockSize, Stride: coreStride,
		Count: c.NumCores, Regs: regs, Doc: "State of a core."}}
	if m.Counters {
		blocks = append(blocks, Block{Name: upper + "_COUNT", Kind: CoreCounters, Cluster: n, Base: base + 3*blockSize, Size: blockSize,
			Stride: countersStride, Count: c.NumCores, Regs: counterRegs(coreCounters, 0, fmt.Sprintf("ctr_%d", n)), Doc: "Counters of a core, as of the last snapshot."})
	}
	return blocks
}
