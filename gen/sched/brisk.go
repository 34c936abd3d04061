// SPDX-License-Identifier: Apache-2.0

package sched

import "hwgen/gen/cipher"

// exactPackets is after how many packets a run with a design's timing becomes brisk, if the Config does not say.
const exactPackets = 1 << 18

// A unit is exact first: every block is followed through what the lanes share, cycle by cycle. After Config.Exact packets
// it becomes brisk: a packet is one event, and who wants a port gets it. That is three times as fast and, of a run of that
// length, far within a thousandth: what is left out is a few cycles a packet that overlap with others.

// hurry makes the unit brisk. What is on its way ends as it began.
func (u *unit) hurry() {
	u.brisk = true
	for j := range u.lane {
		if k := &u.lane[j]; k.busy && k.left > 1 && !k.starved && !k.stalled && k.waits == past {
			u.whole(j)
		}
	}
	u.rest = past
}

// foresee finds when all that the next packet's first block needs is here.
func (u *unit) foresee(j int) {
	k, n := &u.lane[j], u.r.blocks
	k.here = k.ask + readWord + u.words
	if k.next.node != keygen {
		p := &u.r.snd.nodes[k.next.node].p
		mode := cipher.Mode(p.Mode)
		mac := mode == cipher.MAC
		if p.Blocks == 0 && !mac {
			k.here = k.job
			u.ifIdle(j)
			return
		}
		block := k.ask + u.ranks + fetchWord + n
		value := int64(past)
		switch {
		case mode == cipher.CTR, p.Chained && !mac && p.No == 0:
			value = block + n
		case p.Chained && p.No > 0 && !(k.next.behind && k.kept == k.next.entry):
			read := k.ask + 1
			if k.next.behind {
				read = max(read, k.expect+2)
			}
			value = read + u.chain + fetchWord + n
		}
		k.here = max(k.here, block, value)
		if mac && p.Last && p.Blocks <= 1 {
			k.here = max(k.here, max(k.ask+max(2, u.words), value)+readWord+n)
		}
	}
	u.ifIdle(j)
}

// whole takes all of a packet's blocks into the core.
func (u *unit) whole(j int) {
	k, n := &u.lane[j], u.r.blocks
	step := max(k.cost, 1+u.ranks+fetchWord+n, n+1)
	k.in = k.enter + int64(k.left-1)*step
	k.out, k.left = k.in+k.cost, 1
	if k.compares {
		k.out = max(k.out, k.in+u.ranks+fetchWord+n+2)
	}
	k.leaves = k.out + 1
	if k.next.node != none {
		u.toAsk(j)
	}
	u.plan(j)
}

// gone is the event of a packet that has left the core.
func (u *unit) gone(j int) {
	k := &u.lane[j]
	out := k.out
	k.busy, k.leaves = false, never
	u.plan(j)
	if k.cur.node == keygen {
		u.loaded(out + 1)
	} else {
		at := out + k.words[1] + u.ranks
		if k.compares {
			at++
		}
		k.expect = at
		k.done.push(k.cur)
		k.beats++
		u.root.push(word{item{int32(j), wordDone}, at})
		u.finished(k, j, out)
	}
	if k.next.node != none {
		u.ifIdle(j)
	}
}
