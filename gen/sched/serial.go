// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"hwgen/gen/cipher"
	"hwgen/gen/design"
)

// Serial lanes (rtl/sched/hwgen_lane_serial.v): a packet at a time, from its load, in which the lane looks at the queue's
// output, to its last word; the output is free when the first block is in the core. All that a block needs is in registers
// a cycle before it enters, its result stays in the core while it is written word by word.

// KeepsBlock says whether a packet's blocks are needed for the output, so that the next one is fetched when it has been
// written.
func KeepsBlock(p *Packet) bool {
	switch cipher.Mode(p.Mode) {
	case cipher.CFB, cipher.OFB, cipher.CTR:
		return true
	case cipher.CBC:
		return p.Op == design.Decrypt
	}
	return false
}

// serialPlan plans when a serial lane looks at the packet at the queue's output.
func (u *unit) serialPlan(j int) {
	k := &u.lane[j]
	k.asking, k.ask = true, max(k.job, k.idle)
	u.plan(j)
}

// serialLoad begins with the packet at the queue's output, and asks for what its first block needs.
func (u *unit) serialLoad(j int) {
	k, n := &u.lane[j], u.r.blocks
	now := k.ask
	follows := k.next.behind && k.kept == k.next.entry // the chaining value is here
	k.cur, k.busy, k.kept = k.next, true, k.next.entry
	k.ask++
	k.keepsBlock, k.submits, k.compares, k.words, k.saving, k.tag = false, false, false, [2]int64{n, n}, save{}, past
	k.block, k.value, k.subkey, k.read, k.order = never, past, past, past, false
	k.fetched, k.came, k.added = past, past, past
	if k.cur.node == keygen {
		k.left, k.cost, k.block = 1, u.cfg.Time[j][design.Encrypt]+u.words+2*n-1, past
		u.askKey(j)
		return
	}
	p := &u.r.snd.nodes[k.cur.node].p
	mode := cipher.Mode(p.Mode)
	mac := mode == cipher.MAC
	k.cost, k.left = u.cfg.Time[j][p.Op], max(1, p.Blocks)
	if p.Blocks == 0 && !mac { // a closing packet: a done record and nothing else
		k.left, k.enter, k.out = 0, now, now
		k.words[1] = 1
		u.serialBegin(j, p)
		u.serialWrite(j, now+1)
		return
	}
	second := !p.Last && (mode == cipher.OFB || p.Op == design.Decrypt && mode != cipher.ECB && mode != cipher.CTR)
	k.keepsBlock = KeepsBlock(p)
	switch {
	case mac && !p.Last:
		k.words[0], k.saving = 0, save{n, true, false}
	case mac:
		k.words[0], k.submits = 0, true
		if p.Op == design.Verify {
			k.compares, k.words[1] = true, 0
		}
	case p.Chained && second:
		k.words[1], k.saving = 2*n, save{n, true, true}
	case p.Chained && !p.Last:
		k.saving = save{n, false, false}
	}
	if k.submits && k.left == 1 {
		k.subkey = never
	}
	u.askKey(j)
	switch {
	case mode == cipher.CTR, p.Chained && !mac && p.No == 0:
		k.value = never
	case p.Chained && p.No > 0 && !follows:
		k.value, k.read = never, max(k.ask, k.credit+1)
		k.order = k.beats > 0 // its job's packet before may be one of those
		u.chainValue(j)
	}
	u.request(j, wantFirst, k.ask)
}

// serialStart is called when all is there that a packet's first block needs.
func (u *unit) serialStart(j int) {
	k := &u.lane[j]
	k.enter = k.here + 1
	if k.cur.node == keygen {
		k.cur.start = k.enter
		u.freesQueue(j)
	} else {
		u.serialBegin(j, &u.r.snd.nodes[k.cur.node].p)
	}
	u.serialRun(j)
}

// serialBegin notes a packet's first block in the core.
func (u *unit) serialBegin(j int, p *Packet) {
	k := &u.lane[j]
	k.cur.start = k.enter
	u.started(k, p, j)
	u.freesQueue(j)
}

// freesQueue takes the packet from the queue's output.
func (u *unit) freesQueue(j int) {
	k := &u.lane[j]
	k.next, k.ready = flight{node: none}, k.enter
	u.following(j)
}

// serialRun follows the block that has entered the core.
func (u *unit) serialRun(j int) {
	k := &u.lane[j]
	k.out = k.enter + k.cost
	switch {
	case k.left > 1 && !k.keepsBlock: // the next one takes its place
		k.came = never
		u.request(j, wantNext, k.enter+1)
	case k.left == 1 && k.compares:
		k.tag = never
		u.request(j, wantTag, k.enter+1)
		k.leaves = never
		u.plan(j)
		return
	}
	k.leaves = k.out + 1
	u.plan(j)
}

// serialTagged says when the tag is here with which a core's result is compared.
func (u *unit) serialTagged(j int) {
	k := &u.lane[j]
	k.leaves = max(k.out, k.tag) + 1
	u.plan(j)
}

// serialOut is the first cycle in which words of a block may go out.
func (u *unit) serialOut(j int) {
	k := &u.lane[j]
	now := k.leaves
	k.leaves = never
	u.plan(j)
	u.r.moves(now)
	if k.cur.node == keygen {
		k.busy, k.idle = false, now
		u.plan(j)
		u.loaded(now)
		if k.next.node != none && !k.reading {
			u.serialPlan(j)
		}
		return
	}
	k.left--
	if k.serialWords() == 0 {
		u.serialWritten(j, now+u.r.blocks-1)
		return
	}
	u.serialWrite(j, now)
}

// serialWords are the words of the block that leaves the core.
func (k *lane) serialWords() int64 {
	if k.left == 0 {
		return k.words[1]
	}
	return k.words[0]
}

// serialWrite sends the words of a block.
func (u *unit) serialWrite(j int, at int64) {
	k := &u.lane[j]
	k.pending, k.last, k.saves = k.serialWords(), k.left == 0, k.saving
	if k.last {
		k.done.push(k.cur)
		u.finished(k, j, k.out)
	}
	u.results.request(j, at)
}

// serialWritten is called when a block's last word goes.
func (u *unit) serialWritten(j int, at int64) {
	k, n := &u.lane[j], u.r.blocks
	switch {
	case k.left > 0:
		if k.keepsBlock {
			k.came = never
			u.request(j, wantNext, at+1)
		}
		if k.left == 1 && k.submits {
			k.added = never
			u.keys.request(j, at+1, n)
		}
		k.fetched = at + 1
		u.serialFollowed(j)
	case k.compares: // the done record, when all words have been compared
		k.compares, k.words[1] = false, 1
		u.serialWrite(j, at+1)
	default:
		k.busy, k.idle = false, at+1
		if k.next.node != none && !k.reading {
			u.serialPlan(j)
		}
	}
}

// serialFollowed is called with each part of what a further block needs, the lane itself among them.
func (u *unit) serialFollowed(j int) {
	k := &u.lane[j]
	if k.came == never || k.added == never || k.fetched == past {
		return
	}
	k.enter = max(k.fetched, k.came, k.added) + 1
	k.fetched, k.came, k.added = past, past, past
	u.serialRun(j)
}

// serialLane takes a packet through a serial lane of a fast run.
func (c *fast) serialLane(p *Packet, k *fastLane, job int64, entry int32, behind bool) {
	n, mode := c.r.blocks, cipher.Mode(p.Mode)
	mac := mode == cipher.MAC
	load := max(job, k.idle)
	cost := k.time[p.Op]
	if p.Blocks == 0 && !mac {
		k.ready, k.in, k.free, k.kept = load, load, load, entry
		c.written(k, p, load+c.ranks, 1)
		k.idle = k.wrote
		return
	}
	enter := c.here(k, p, load+1, entry, behind) + 1
	k.ready, k.kept = enter, entry
	keeps := KeepsBlock(p)
	for range p.Blocks - 1 {
		out := enter + cost
		written := out + n // the last word, if nobody else writes
		if !mac {
			written = c.root.reserve(out+c.ranks, n) - c.ranks
		}
		ask := enter + 1
		if keeps {
			ask = written + 1
		}
		enter = max(written+1, c.r.fetches.reserve(ask+c.ranks, n)+fetchWord) + 1
	}
	out, words := enter+cost, n
	switch {
	case mac && p.Last && p.Op == design.Verify:
		out = max(out, c.r.fetches.reserve(enter+1+c.ranks, n)+fetchWord) + n
		words = 1
	case p.Chained && !p.Last && !mac && (mode == cipher.OFB || p.Op == design.Decrypt):
		words = 2 * n
	}
	k.in, k.free = enter, out
	c.written(k, p, out+c.ranks, words)
	k.idle = k.wrote
}
