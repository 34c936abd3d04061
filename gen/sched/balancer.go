// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"fmt"
	"math/bits"

	"hwgen/gen/design"
	"hwgen/gen/policy"
)

// MaxCores is the most cores of a cluster, in the RTL and here.
const MaxCores = 64

// Balancer is the state of one cluster's load balancer, in the integers of the RTL: per core the packets dispatched and
// not credited (n) and the accumulated score (acc); the pointer of pointer policies; the reference score of modular ones.
// It knows no time: what the RTL does late (docs/architecture.md, "balancer") its caller does late.
type Balancer struct {
	t        *policy.Tables
	base     [design.NumOps][]uint64
	inc      [design.NumOps][]uint64
	caps     []int
	able     [2][design.NumOps]uint64 // [needs the inverse cipher][op], bit j: core j can
	acc      []uint64
	n        []int
	full     uint64
	barred   uint64
	ptr      int
	ref      uint64
	mask     uint64 // of acc and scores
	top      uint64 // their top bit
	far      uint64 // a core this far ahead of ref gets nothing added
	modular  bool
	giveBack bool
	perPkt   bool
	pointer  policy.Pointer
	// what the last decision of Decide saw and chose, for a modular policy's dispatch
	seen  uint64
	score uint64
}

// NewBalancer makes the balancer of an empty cluster. caps are the most packets a core holds, at least 1; canOp says
// which commands a core does, canInv which cores have the inverse cipher. It panics when the numbers of cores differ or
// are not 1 to MaxCores: that is a fault of the caller, never of a user.
func NewBalancer(t *policy.Tables, caps []int, canOp [][design.NumOps]bool, canInv []bool) *Balancer {
	cores := len(caps)
	pointer := t.Pointer != policy.PointerNone
	if cores < 1 || cores > MaxCores || len(canOp) != cores || len(canInv) != cores || !pointer && (len(t.Base) != cores ||
		len(t.Inc) != cores) {
		panic(fmt.Sprintf("sched: a balancer of %d caps, %d and %d abilities, %d and %d table rows", cores, len(canOp),
			len(canInv), len(t.Base), len(t.Inc)))
	}
	b := &Balancer{
		t: t, caps: append([]int(nil), caps...), acc: make([]uint64, cores), n: make([]int, cores),
		mask: ^uint64(0), modular: t.Modular, giveBack: t.GiveBack, perPkt: t.PerPacket, pointer: t.Pointer,
	}
	if t.Modular {
		b.mask = 1<<t.AccW - 1
		b.top, b.far = 1<<(t.AccW-1), 1<<(t.AccW-2)
	}
	for op := range design.NumOps {
		b.base[op], b.inc[op] = make([]uint64, cores), make([]uint64, cores)
		for j := range cores {
			if !pointer {
				b.base[op][j], b.inc[op][j] = t.Base[j][op], t.Inc[j][op]
			}
			if canOp[j][op] {
				b.able[0][op] |= 1 << j
				if canInv[j] {
					b.able[1][op] |= 1 << j
				}
			}
		}
	}
	return b
}

// Cores is the number of cores.
func (b *Balancer) Cores() int { return len(b.acc) }

// Held is the number of packets dispatched to a core and not credited.
func (b *Balancer) Held(core int) int { return b.n[core] }

// Full says whether a core has no room.
func (b *Balancer) Full(core int) bool { return b.full>>core&1 == 1 }

// SetBarred takes a core out of the decisions that follow, or back in. Packets bound to it still go to it.
func (b *Balancer) SetBarred(core int, barred bool) {
	b.barred &^= 1 << core
	if barred {
		b.barred |= 1 << core
	}
}

// Pointer is where a pointer policy's next search begins.
func (b *Balancer) Pointer() int { return b.ptr }

// Ref is the reference score of a modular policy.
func (b *Balancer) Ref() uint64 { return b.ref }

func inverse(inv bool) int {
	if inv {
		return 1
	}
	return 0
}

// Able says whether a core can do a command, with the inverse cipher if inv is set.
func (b *Balancer) Able(core, op int, inv bool) bool { return b.able[inverse(inv)][op]>>core&1 == 1 }

// can says why no core can do a packet.
func (b *Balancer) can(p *Packet) error {
	if p.Op < 0 || p.Op >= design.NumOps {
		return fmt.Errorf("packet %d of job %d: command %d", p.No, p.Job, p.Op)
	}
	if b.able[inverse(p.Inverse)][p.Op] == 0 {
		return fmt.Errorf("packet %d of job %d: no core of cluster %d can do %s", p.No, p.Job, p.Cluster, design.OpNames[p.Op])
	}
	return nil
}

// Scores writes acc + base of every core, whether it competes or not, to dst.
func (b *Balancer) Scores(op int, dst []uint64) {
	for j := range b.acc {
		dst[j] = (b.acc[j] + b.base[op][j]) & b.mask
	}
}

// Skips writes to dst which cores do not compete for a command.
func (b *Balancer) Skips(op int, inv bool, dst []bool) {
	c := b.competing(op, inverse(inv))
	for j := range b.acc {
		dst[j] = c>>j&1 == 0
	}
}

func (b *Balancer) competing(op, inv int) uint64 { return b.able[inv][op] &^ (b.full | b.barred) }

// Decide chooses the core for a packet that is not bound. ok is false when none competes, or the core at which the
// pointer of a blocking policy stands has no room. Nothing changes until Dispatch.
func (b *Balancer) Decide(op int, inv bool) (core int, ok bool) {
	c := b.competing(op, inverse(inv))
	b.seen = c
	switch b.pointer {
	case policy.PointerNone:
	case policy.PointerSkip:
		return b.after(c)
	default:
		core, ok = b.after(b.able[inverse(inv)][op] &^ b.barred)
		return core, ok && b.full>>core&1 == 0
	}
	if c == 0 {
		return 0, false
	}
	base, acc := b.base[op], b.acc
	core = bits.TrailingZeros64(c)
	least := (acc[core] + base[core]) & b.mask
	for c &= c - 1; c != 0; c &= c - 1 {
		j := bits.TrailingZeros64(c)
		s := (acc[j] + base[j]) & b.mask
		if less := s < least; b.modular {
			if (s-least)&b.top != 0 {
				least, core = s, j
			}
		} else if less {
			least, core = s, j
		}
	}
	b.score = least
	return core, true
}

// after is the first core of a set at or after the pointer, cyclically.
func (b *Balancer) after(set uint64) (core int, ok bool) {
	if set == 0 {
		return 0, false
	}
	if s := set >> b.ptr << b.ptr; s != 0 {
		set = s
	}
	return bits.TrailingZeros64(set), true
}

// Dispatch gives a packet to a core that has room. bound packets have not been decided; for any other the last Decide
// must have been that of this packet. blocks below 1 count as 1. The result is what Credit has to take back.
//
// A modular policy first makes the winner's score its reference and brings the cores up to it that did not compete, then
// adds the increment; it adds none to a core that is a quarter of the range ahead of the reference, so that a long run
// of bound packets never wraps.
func (b *Balancer) Dispatch(core, op, blocks int, bound bool) (amount uint64) {
	b.n[core]++
	if b.n[core] >= b.caps[core] {
		b.full |= 1 << core
	}
	if b.pointer != policy.PointerNone {
		switch {
		case b.pointer == policy.PointerStatic:
			b.ptr = (b.ptr + 1) % len(b.acc)
		case !bound:
			b.ptr = (core + 1) % len(b.acc)
		}
		return 0
	}
	amount = b.inc[op][core]
	if !b.perPkt {
		amount *= uint64(max(1, blocks))
	}
	if b.modular {
		if !bound {
			b.ref = b.score
			for j := range b.acc {
				if b.seen>>j&1 == 0 && (b.acc[j]-b.ref)&b.top != 0 {
					b.acc[j] = b.ref
				}
			}
		}
		if d := (b.acc[core] - b.ref) & b.mask; d >= b.far && d < b.top {
			amount = 0
		}
	}
	b.acc[core] = (b.acc[core] + amount) & b.mask
	if !b.giveBack {
		return 0
	}
	return amount
}

// Credit takes a completion into account: once a dispatched packet.
func (b *Balancer) Credit(core int, amount uint64) {
	b.n[core]--
	b.full &^= 1 << core
	b.acc[core] = (b.acc[core] - amount) & b.mask
}

// hold makes a core hold more, or less, than the one packet of a dispatch: where capacity is counted in blocks.
func (b *Balancer) hold(core, more int) { b.n[core] += more }

// fit makes those cores full that have no room for so many blocks; what is longer than a core's capacity fits if it is
// empty.
func (b *Balancer) fit(blocks int) {
	b.full = 0
	for j, n := range b.n {
		if n > 0 && n+max(1, blocks) > b.caps[j] {
			b.full |= 1 << j
		}
	}
}

// Reset empties the cluster.
func (b *Balancer) Reset() {
	for j := range b.acc {
		b.acc[j], b.n[j] = 0, 0
	}
	b.full, b.barred, b.ptr, b.ref = 0, 0, 0, 0
}
