// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"hwgen/gen/cipher"
	"hwgen/gen/design"
)

// flight is a packet between its dispatch and its credit.
type flight struct {
	node     int32 // keygen: a key generation
	entry    int32 // of the choose list, none: not chained
	amount   uint64
	behind   bool // a packet of its job is in flight, so on this core
	dispatch int64
	start    int64
}

// keygen is the node of a key generation.
const keygen = -2

// want is what a lane fetches.
type want uint8

const (
	wantFirst want = iota // the first block of the next packet
	wantIV                // its IV field
	wantNext              // a further block of the packet in the core
	wantTag               // the tag of a verify
	wantKey               // a key, for the key store
)

// save is what a packet writes to the chaining store.
type save struct {
	words int64 // at its end
	alone bool  // they go nowhere else, but for the done record
	two   bool  // in a second pass, from a register of their own
}

// lane is a core with its queue and its write-back.
type lane struct {
	// the next packet
	queue   ring[flight]
	next    flight // the packet at the queue's output; node none: there is none
	reading bool   // its descriptor is being read
	job     int64  // since when it is there
	asking  bool   // what its first block needs is asked for at a time to come
	ask     int64
	key     int64 // when its key is here; never: not known yet
	keyRead int64 // when that was granted
	subkey  int64 // when its subkey is here; never: not known yet; past: it needs none
	block   int64 // when its first block is here; never: not known yet
	value   int64 // when its IV or chaining value is here; never: not known yet; past: it needs none
	read    int64 // when a chaining value may be asked for; past: none is to be
	order   bool  // not before the lane's write-back is empty and all of it credited
	pop     int64 // when the next packet is taken from the queue; never: none is to be
	moving  bool  // the register of IVs holds what the write-back takes when it is empty
	moved   int64 // when it did
	ivWaits bool  // an IV is asked for then
	chains  bool  // it has been asked for
	keys    int8  // 1: a subkey has been asked for
	here    int64 // when all is here; never: not known yet
	delay   bool  // the first block is asked for when the tag of the packet before has been

	// the packet in the core
	busy     bool
	cur      flight
	left     int   // blocks that have not left the core
	enter    int64 // when the block in the core entered it
	out      int64 // when it leaves, or the last one left
	leaves   int64 // its event: when its first word is on its way out; never: there is none
	cost     int64 // cycles a block
	fetched  int64 // when the block after it is here; never: not known yet
	came     int64 // the same, but for the subkey that it may need
	added    int64 // when that is here; never: not known yet; past: it needs none
	starved  bool  // a block has left and the one after it is not here
	back     bool  // a block's input needs the one before, from the register of results
	waits    int64 // since when the next block waits for the write-back to be empty; past: none does
	tag      int64 // when a tag is here; never: not known yet; past: there is none
	closing  bool  // it is a closing packet: the next one may enter when it is seen to be gone
	stores   bool  // a key generation, whose result is to be stored
	compares bool  // its last block is compared with a tag, which takes a cycle
	submits  bool  // its last block needs a subkey
	words    [2]int64
	// serial lanes alone
	idle       int64 // since when the lane may look at the next packet
	keepsBlock bool  // a block is needed until it is written: the next one is fetched then
	saving     save  // what of its last words goes to the chaining store
	in         int64 // when the last block entered the core; never: not yet
	ready      int64 // when the queue's output was free again

	// its results
	compared int64        // when the done record is on its way that waits for a comparison; never: none does
	pending  int64        // words on their way out
	last     bool         // the last of them is the packet's done beat
	saves    save         // what of the last words of the packet goes to the chaining store
	stalled  bool         // the next block waits for them
	free     int64        // when the last one had gone
	beats    int          // done records between the write-back and their credits
	credit   int64        // the last credit
	kept     int32        // choose-list entry of the packet in the core or the last one, none: not chained
	done     ring[flight] // packets that have left the core and are not credited
}

// lanes are the cores of a cluster, what they share, and the way of their results to the credit.
type lanes struct {
	lane  []lane
	event []int64 // by lane: its next event
	soon  int64   // the least of event

	keys, descs port // read ports of the key store and of the descriptors
	chains      tree // the lanes' reads of the chaining store

	// Fetches of blocks: a tree over the lanes and the key store, then the hub.
	fetches  tree
	kind     []want // of each lane's request
	fetchAt  int64  // since when a request is at the hub; never: none is
	fetching item

	// Words of results: a tree over the lanes and the head, then the hub.
	results tree
	root    ring[word]  // what stands at the tree's root and behind it; with one cluster a done record and what is behind it
	passed  int64       // when the last word left the root
	answers ring[timed] // results of the head, since when they are at the tree
	sent    ring[int32] // those in the tree
	hubFree int64       // when the register behind the root is free; never: when the hub has taken what is in it
	hubAt   int64       // since when something is in it; never: nothing is
	hubNode int32       // the node of a done record, none: a word
	rest    int64       // nothing happens before; past: not known

	fired                        int64 // the last credit
	holdBefore, holdFrom, holdTo int64 // scan: no credit before, and none in a span
	scrub                        int64 // no credit of a chained packet before
	counts                       ring[counted]
}

// What a word of a result is.
const (
	wordDone  = 1 << iota // the done record of a packet
	wordQuiet             // it goes to the chaining store alone
	wordSaves             // it goes there
)

// word is a word, done record or answer at the root of the tree of results.
type word struct {
	item
	at int64 // since when
}

// counted is a credit that the balancer sees from a cycle on.
type counted struct {
	at     int64
	amount uint64
	core   int32
}

func (u *unit) initLanes(n int) {
	l := &u.lanes
	l.lane, l.event, l.kind = make([]lane, n), make([]int64, n), make([]want, n)
	for j := range l.lane {
		l.lane[j] = lane{
			next: flight{node: none}, here: never, leaves: never, compared: never, pop: never, waits: past, out: past, in: past, ready: past,
			free: past, credit: past, tag: past, kept: none, idle: past,
		}
		l.event[j] = never
	}
	l.keys.init(n)
	l.descs.init(n)
	l.chains, l.fetches, l.results = newTree(n), newTree(n+1), newTree(n+1)
	l.soon, l.fetchAt, l.passed, l.hubFree, l.hubAt, l.rest = never, never, past, past, never, past
	l.fired, l.scrub, l.holdBefore, l.holdFrom, l.holdTo = past, past, past, past, past
}

// nextEvent is when something happens next in the lanes that does not wait for a hub.
func (u *unit) nextEvent() int64 {
	if u.rest == past {
		u.rest = min(u.soon, u.keys.at, u.chains.at, u.descs.at, u.fetches.at, u.results.at, u.nextDue())
	}
	return u.rest
}

func (u *unit) nextDue() int64 {
	if u.root.n == 0 {
		return never
	}
	return u.due()
}

// nextCredit is a time before which no credit is given.
func (u *unit) nextCredit() int64 { return min(u.nextEvent(), u.fetchAt, u.hubAt) }

func (u *unit) schedule(j int, at int64) {
	was := u.event[j]
	u.event[j] = at
	if at <= u.soon {
		u.soon = at
	} else if was == u.soon {
		u.soon = never
		for _, t := range u.event {
			u.soon = min(u.soon, t)
		}
	}
}

// plan sets a lane's event.
func (u *unit) plan(j int) {
	k := &u.lane[j]
	t := k.leaves
	if k.asking {
		t = min(t, k.ask)
	}
	u.schedule(j, min(t, k.compared, k.pop))
}

// dispatched takes a packet into a core's queue.
func (u *unit) dispatched(j int, f flight) {
	k := &u.lane[j]
	u.rest = past
	if k.next.node == none && k.queue.n == 0 && k.ready <= f.dispatch {
		u.offer(j, f, f.dispatch+toJob)
		return
	}
	k.queue.push(f)
	if k.next.node == none {
		u.following(j)
	}
}

// following brings the next packet to the queue's output. If a key generation may come before it, not before the output is
// free: then it is known.
func (u *unit) following(j int) {
	k := &u.lane[j]
	switch {
	case k.queue.n == 0:
	case j == u.key.Lane:
		k.pop = k.ready
		u.plan(j)
	default:
		u.pop(j)
	}
}

// pop takes the next packet from a queue.
func (u *unit) pop(j int) {
	k := &u.lane[j]
	if u.phase == headKey && j == u.key.Lane && u.begin <= k.ready { // a key generation goes first
		return
	}
	f := k.queue.pop()
	if k.ready > f.dispatch { // its descriptor is read from RAM
		k.reading, k.next = true, f
		u.descs.request(j, max(k.ready, f.dispatch+toJob)+1, 1)
		return
	}
	u.offer(j, f, f.dispatch+toJob)
}

// described takes the grant of a descriptor's read.
func (u *unit) described(at int64) {
	j := u.descs.grant()
	k := &u.lane[j]
	k.reading = false
	u.offer(j, k.next, at+toNextJob-1)
}

// offer puts a packet to the queue's output.
func (u *unit) offer(j int, f flight, job int64) {
	k := &u.lane[j]
	k.next, k.job, k.here = f, job, never
	if u.serial {
		if !k.busy {
			u.serialPlan(j)
		}
		return
	}
	if !k.busy || k.in != never {
		u.toAsk(j)
	}
}

// toAsk plans the fetches of the next packet: the one before has its last block in the core, or has left.
func (u *unit) toAsk(j int) {
	k := &u.lane[j]
	k.ask = max(k.job, k.in+1)
	k.asking = true
	u.plan(j)
}

// request asks for a block from a time on. The key store is the input behind the last lane.
func (u *unit) request(j int, w want, at int64) {
	if j < len(u.lane) {
		u.kind[j] = w
	}
	u.fetches.request(j, at)
}

// fetching is a unit as the user of the tree of fetches.
type fetching unit

// accept: the lane may ask for something else.
func (f *fetching) accept(j int, at int64) uint8 {
	u := (*unit)(f)
	if j == len(u.lane) {
		return uint8(wantKey)
	}
	k, w := &u.lane[j], u.kind[j]
	switch {
	case w == wantTag && k.delay:
		k.delay = false
		u.request(j, wantFirst, at+1)
	case w == wantFirst && k.value == never && k.read == past && !k.chains:
		k.ivWaits = true
		u.askIV(j, at+1)
	}
	return uint8(w)
}

func (f *fetching) emit(x item, at int64) {
	u := (*unit)(f)
	u.fetchAt, u.fetching, u.fetches.open = at, x, never
	if u.single {
		h := max(at, u.r.hub.free)
		u.r.hub.free = h + u.r.blocks
		u.fromHub(h)
	}
}

// fromHub takes the hub's grant of the fetch that waits there.
func (u *unit) fromHub(at int64) {
	u.r.moves(at)
	j := int(u.fetching.input)
	u.fetchAt, u.rest = never, past
	u.fetches.opens(at)
	here := at + fetchWord + u.r.blocks
	w := want(u.fetching.kind)
	if w == wantKey {
		u.keyHere(here)
		return
	}
	k := &u.lane[j]
	switch w {
	case wantFirst:
		k.block = here
		u.complete(j)
	case wantIV:
		k.value = here
		u.complete(j)
	case wantTag:
		k.tag = here
		if u.serial {
			u.serialTagged(j)
			return
		}
		u.askIV(j, here)
		u.chainValue(j)
		u.askSubkey(j)
	case wantNext:
		k.came = here
		u.followed(j)
	}
}

// followed is called with each part of what a further block needs.
func (u *unit) followed(j int) {
	k := &u.lane[j]
	if u.serial {
		u.serialFollowed(j)
		return
	}
	if k.came == never || k.added == never {
		return
	}
	k.fetched = max(k.came, k.added)
	if k.starved {
		k.starved = false
		u.further(j)
	}
}

// prefetch asks for what the next packet's first block needs.
func (u *unit) prefetch(j int) {
	k := &u.lane[j]
	if k.next.node == keygen {
		k.block, k.value, k.subkey, k.read, k.order = past, past, past, past, false
		u.askKey(j)
		return
	}
	p := &u.r.snd.nodes[k.next.node].p
	mode := cipher.Mode(p.Mode)
	mac := mode == cipher.MAC
	if p.Blocks == 0 && !mac { // a closing packet has nothing to fetch
		k.here = k.job
		u.ifIdle(j)
		return
	}
	k.block, k.value, k.subkey, k.read, k.order = never, past, past, past, false
	if mac && p.Last && p.Blocks <= 1 {
		k.subkey = never
	}
	u.askKey(j)
	switch {
	case mode == cipher.CTR, p.Chained && !mac && p.No == 0:
		k.value = never
	case p.Chained && p.No > 0 && !(k.next.behind && k.kept == k.next.entry):
		k.value, k.read = never, k.ask+1
		// A bound packet's job's packet before is older than the one before in this lane: its value is in the store when
		// all that has left the core is credited.
		k.order = k.next.behind && (k.pending > 0 || k.beats > 0 || k.leftJust())
		if k.next.behind && !k.order {
			k.read = max(k.read, max(k.ask, k.free, k.credit+1)+1)
		}
		u.chainValue(j)
	}
	if u.fetches.post[j] != never { // a tag
		k.delay = true
		return
	}
	u.request(j, wantFirst, k.ask)
}

// askIV asks for the next packet's IV field, from a time on, if it waits for that and the register of IVs is free: of what
// the write-back takes from it, and of a tag.
func (u *unit) askIV(j int, at int64) {
	if k := &u.lane[j]; k.ivWaits && !k.moving && !(k.busy && k.tag == never) {
		k.ivWaits = false
		u.request(j, wantIV, max(at, k.tag+1, k.moved))
	}
}

// chainValue asks for the next packet's chaining value, if it needs one and may.
func (u *unit) chainValue(j int) {
	k := &u.lane[j]
	if k.read == past || k.order || k.moving || k.busy && k.tag == never { // a tag leaves the register first
		return
	}
	u.chains.request(j, max(k.read, k.tag+1, k.moved))
	k.read = past
	k.chains = true
}

// chaining is a unit as the user of the tree of chaining values.
type chaining unit

func (c *chaining) accept(int, int64) uint8 { return 0 }

func (c *chaining) emit(x item, at int64) {
	u := (*unit)(c)
	j := int(x.input)
	k := &u.lane[j]
	u.chains.open = at + u.r.blocks - 1
	k.value, k.chains = at+fetchWord+u.r.blocks, false
	u.askSubkey(j)
	u.complete(j)
}

// askKey asks for the next packet's key.
func (u *unit) askKey(j int) {
	k := &u.lane[j]
	k.key, k.keyRead = never, never
	u.keys.request(j, k.ask, u.words)
}

// askSubkey asks for the subkey that is added to the next packet's chaining value, if it needs one and all is there.
func (u *unit) askSubkey(j int) {
	if k := &u.lane[j]; k.subkey == never && k.keyRead != never && k.value != never && k.keys == 0 && !k.moving && !(k.busy && k.tag == never) {
		k.keys = 1
		// not in the cycle in which the key's grant shows
		u.keys.request(j, max(k.keyRead+2, k.value, k.tag+1, k.moved), u.r.blocks)
	}
}

// keyed takes the grant of a read of the key store.
func (u *unit) keyed(at int64) {
	j := u.keys.grant()
	k := &u.lane[j]
	switch {
	case k.keyRead == never && k.next.node != none:
		k.keyRead, k.key, k.keys = at, at+readWord+u.words, 0
		u.askSubkey(j)
	case k.keys == 1:
		k.subkey, k.keys = at+readWord+u.r.blocks, 0
	default: // of a further block
		k.added = at + readWord + u.r.blocks
		u.followed(j)
		return
	}
	u.complete(j)
}

// drained is called when the lane's write-back is empty from a time on.
func (u *unit) drained(j int, at int64) {
	k := &u.lane[j]
	if u.serial {
		if k.order && k.beats == 0 {
			k.order, k.read = false, max(k.read, at)
			u.chainValue(j)
		}
		return
	}
	if k.busy && max(k.out, k.free) < at && k.blockWords() > 0 { // the next block's words come just then
		return
	}
	if k.order && k.pending == 0 && k.beats == 0 {
		k.order, k.read = false, max(k.read, at+1)
		u.chainValue(j)
	}
}

// complete is called with each part of what the next packet's first block needs.
func (u *unit) complete(j int) {
	k := &u.lane[j]
	if k.block == never || k.value == never || k.key == never || k.subkey == never {
		return
	}
	k.here = max(k.block, k.value, k.key, k.subkey)
	if u.serial {
		u.serialStart(j)
		return
	}
	u.ifIdle(j)
}

// ifIdle starts the next packet if the core is idle.
func (u *unit) ifIdle(j int) {
	k := &u.lane[j]
	if k.busy {
		return
	}
	if k.pending > 0 && k.here > k.out && k.next.node != keygen && u.r.blocks > 1 {
		p := &u.r.snd.nodes[k.next.node].p
		if k.next.behind && k.kept == k.next.entry && p.Blocks > 0 && chainsBack(p) {
			k.waits = k.here
			return
		}
	}
	u.start(j)
}

// chainsBack says whether a block's input needs the result of the one before.
func chainsBack(p *Packet) bool {
	return p.Chained && !(cipher.Mode(p.Mode) == cipher.CBC && p.Op == design.Decrypt)
}

// start begins with the next packet.
func (u *unit) start(j int) {
	k, n := &u.lane[j], u.r.blocks
	out := k.out
	k.cur, k.busy = k.next, true
	k.next = flight{node: none}
	if k.closing {
		out++
	}
	k.compares, k.submits, k.words, k.saving, k.tag, k.enter = false, false, [2]int64{n, n}, save{}, past, max(k.here, out)
	k.closing = false
	if k.cur.node == keygen {
		k.left, k.cost, k.words, k.stores = 1, u.cfg.Time[j][design.Encrypt], [2]int64{}, true
		k.kept = none
	} else {
		p := &u.r.snd.nodes[k.cur.node].p
		mode := cipher.Mode(p.Mode)
		mac := mode == cipher.MAC
		k.cost, k.left = u.cfg.Time[j][p.Op], max(1, p.Blocks)
		switch {
		case p.Blocks == 0 && !mac:
			k.enter = max(k.job, k.out+1)
			k.cost, k.words, k.closing = 1, [2]int64{1, 1}, true
		case mac && !p.Last:
			k.words[0], k.saving = 0, save{n, true, false}
		case mac:
			k.words[0], k.submits = 0, true
			if p.Op == design.Verify {
				k.compares, k.words[1] = true, 1
			}
		case !p.Last && (mode == cipher.OFB || p.Op == design.Decrypt && mode != cipher.ECB && mode != cipher.CTR):
			k.words[1], k.saving = 2*n, save{n, true, true}
		case p.Chained && !p.Last:
			k.saving = save{n, false, false}
		}
		k.kept, k.back = k.cur.entry, n > 1 && chainsBack(p)
		u.started(k, p, j)
	}
	k.cur.start = k.enter
	k.ready, k.in = k.enter, never
	u.entered1(j)
	u.following(j)
}

// entered1 finds when the block leaves that has entered the core.
func (u *unit) entered1(j int) {
	k := &u.lane[j]
	k.out = k.enter + k.cost
	if k.left > 1 {
		k.fetched, k.came, k.added = never, never, past
		u.request(j, wantNext, k.enter+1)
		if k.left == 2 && k.submits {
			k.added = never
			u.keys.request(j, k.enter+1, u.r.blocks)
		}
		k.leaves = k.out + 1
		u.plan(j)
		return
	}
	k.in = k.enter
	if k.compares { // the tag is fetched while the last block is in the core
		k.tag = never
		u.request(j, wantTag, k.enter+1)
	}
	k.moving = k.saving.two && k.pending > 0 && k.last && k.saves.two
	k.leaves = k.out + 1
	if k.next.node != none && !k.reading {
		u.toAsk(j)
		return
	}
	u.plan(j)
}

// blockWords are the words of the block in the core.
func (k *lane) blockWords() int64 {
	if k.left == 1 {
		return k.words[1]
	}
	return k.words[0]
}

// leftJust says whether a block has left the core in the cycle before the fetches of the next packet begin: its event, of
// the same time, comes after theirs.
func (k *lane) leftJust() bool {
	return k.busy && k.leaves == k.ask && max(k.out, k.free) < k.ask && (k.left > 1 || k.tag < k.out) && k.blockWords() > 0
}

// block is the event of a block that leaves the core, or of the fetches of the next packet.
func (u *unit) block(j int) {
	k := &u.lane[j]
	now := u.event[j]
	if k.pop <= now {
		k.pop = never
		u.pop(j)
		u.plan(j)
		return
	}
	if k.asking && k.ask == now {
		k.asking = false
		if u.serial {
			u.serialLoad(j)
			u.plan(j)
			return
		}
		u.prefetch(j)
		u.plan(j)
		return
	}
	if u.serial {
		u.serialOut(j)
		return
	}
	if k.compared == now {
		k.compared = never
		u.results.request(j, now)
		u.plan(j)
		return
	}
	if k.pending > 0 {
		k.stalled = true
		k.leaves = never
		u.plan(j)
		return
	}
	if k.left == 1 && k.tag >= k.out { // the core's output waits for the tag
		k.out++
	}
	k.out = max(k.out, k.free)
	if k.out >= now {
		k.leaves = k.out + 1
		u.plan(j)
		return
	}
	u.r.moves(now)
	if k.stores { // what goes with the key, word by word, while it stays in the core
		k.stores = false
		k.out += u.words + 2*u.r.blocks - 1
		k.leaves = k.out + 1
		u.plan(j)
		return
	}
	w, out := k.blockWords(), k.out
	k.left--
	end := k.left == 0
	if w > 0 {
		k.pending, k.last, k.saves = w, end, k.saving
		if end && k.compares {
			k.compared = now + 1
		} else {
			u.results.request(j, now)
		}
	}
	if !end {
		if k.fetched == never {
			k.starved, k.leaves = true, never
			u.plan(j)
			return
		}
		u.further(j)
		return
	}
	k.busy, k.leaves = false, never
	u.plan(j)
	if k.cur.node == keygen {
		u.loaded(out + 1)
	} else {
		k.done.push(k.cur)
		u.finished(k, j, out)
	}
	if k.next.node != none && !k.reading && !k.asking && k.here != never {
		u.ifIdle(j)
	}
}

// further takes the next block of the packet into the core. One that comes later than the one before has left takes
// the chaining value from the register of results, which turns while the words in it are written.
func (u *unit) further(j int) {
	k := &u.lane[j]
	if k.back && k.pending > 0 && k.fetched > k.out {
		k.waits, k.leaves = k.fetched, never
		u.plan(j)
		return
	}
	k.enter = max(k.out, k.fetched)
	u.entered1(j)
}

// still says that nothing is in the lanes or on its way to the balancer.
func (u *unit) still() bool {
	u.rest = past
	return u.nextEvent() == never && u.fetchAt == never && u.hubAt == never && u.counts.n == 0 && u.root.n == 0
}

// advance lets the lanes run up to a time: all that happens until then, credits among it. With several clusters it ends
// when something comes to a hub.
func (u *unit) advance(until int64) {
	if u.rest > until {
		return
	}
	for {
		if u.fetchAt != never {
			until = min(until, max(u.fetchAt, u.r.hub.free))
		}
		if u.hubAt != never {
			until = min(until, max(u.hubAt, u.r.results.free))
		}
		// of one time first the lanes, then what serves them
		if u.woken { // the head acts first
			u.woken, until = false, min(until, u.at-1)
		}
		t, p, f, g, w := u.soon, min(u.keys.at, u.chains.at, u.descs.at), u.fetches.at, u.results.at, u.nextDue()
		u.rest = min(t, p, f, g, w)
		switch at := u.rest; {
		case at > until || at == never || !u.r.step(at):
			return
		case at == t:
			u.block(u.first())
		case at == p:
			switch p {
			case u.keys.at:
				u.keyed(p)
			case u.chains.at:
				u.chains.step((*chaining)(u))
			default:
				u.described(p)
			}
		case at == f:
			u.fetches.step((*fetching)(u))
		case at == w:
			u.leaveRoot(w)
		default:
			u.results.step((*writing)(u))
		}
	}
}

func (u *unit) first() int {
	for j, t := range u.event {
		if t == u.soon {
			return j
		}
	}
	panic("sched: no event")
}

// answer sends a result of the head from a time on; it is the input behind the last lane.
func (u *unit) answer(node int32, at int64) {
	u.rest = past
	if u.answers.push(timed{at, node}); u.answers.n == 1 {
		u.results.request(len(u.lane), at)
	}
}

// writing is a unit as the user of the tree of results.
type writing unit

// accept takes a word of a lane, or an answer.
func (r *writing) accept(j int, at int64) uint8 {
	u := (*unit)(r)
	u.r.moves(at)
	if j == len(u.lane) {
		u.sent.push(u.answers.pop().id)
		if u.answers.n > 0 {
			u.results.request(j, max(u.answers.at(0).at, at+1))
		}
		return 0
	}
	k := &u.lane[j]
	w, done := uint8(0), k.last && k.pending == 1
	if done {
		w = wordDone
	}
	if k.last && k.pending <= k.saves.words {
		if w |= wordSaves; k.saves.alone && !done {
			w |= wordQuiet
		}
	}
	if k.pending--; k.pending > 0 {
		u.results.request(j, at+1)
		return w
	}
	k.free = at + 1
	if done {
		k.beats++
	} else {
		u.drained(j, k.free)
	}
	if u.serial {
		u.serialWritten(j, at)
		return w
	}
	if k.moving {
		k.moving, k.moved = false, k.free+1
		u.askIV(j, k.moved)
		u.chainValue(j)
		u.askSubkey(j)
	}
	if k.waits != past {
		t := max(k.waits, k.free)
		k.waits = past
		if k.busy {
			k.fetched = t
			u.further(j)
		} else {
			k.here = t
			u.start(j)
		}
	}
	if k.stalled {
		k.stalled = false
		k.out = max(k.out, k.free)
		k.leaves = k.out + 1
		u.plan(j)
	}
	return w
}

// emit: the root has two entries, and takes nothing in a cycle that begins with both of them full.
func (r *writing) emit(x item, at int64) {
	u := (*unit)(r)
	u.results.open = at
	if t := max(at, u.passed+1); u.single && u.root.n == 0 && x.kind&wordDone == 0 && int(x.input) < len(u.lane) &&
		(x.kind&wordSaves == 0 || t >= u.scrub) {
		u.passed = t
		return
	}
	if u.root.push(word{x, at}); u.root.n == 2 {
		u.results.open = never
	}
}

// due is when what stands at the root leaves it. For a done record that is its credit: none in the cycle after a
// dispatch, and none of a chained packet while an entry of the choose list is overwritten.
func (u *unit) due() int64 {
	w := u.root.at(0)
	at := max(w.at, u.passed+1)
	if w.kind&wordQuiet == 0 {
		at = max(at, u.hubFree)
	}
	if w.kind&wordSaves != 0 && at < u.scrub && at >= u.scrub-u.r.blocks {
		at = u.scrub
	}
	if w.kind&wordDone == 0 {
		return at
	}
	if at < u.scrub && u.lane[w.input].done.at(0).entry != none && at >= u.scrub-u.r.blocks-1 {
		at = u.scrub
	}
	switch {
	case u.scan:
		if at = max(at, u.fired+scanCredit, u.holdBefore); at >= u.holdFrom && at < u.holdTo {
			at = u.holdTo
		}
	case !u.pointer:
		if at == u.second+1 {
			at++
		}
		if at == u.dispatch+1 {
			at++
		}
	}
	return at
}

// leaveRoot takes what stands at the root of the tree of results on to the hub; a done record is credited with that.
func (u *unit) leaveRoot(at int64) {
	if u.root.n == 2 {
		u.results.opens(at + 1)
	}
	w := u.root.pop()
	u.passed = at
	node := int32(none)
	j := int(w.input)
	if j == len(u.lane) {
		node = u.sent.pop()
	}
	if w.kind&wordDone != 0 {
		k := &u.lane[j]
		w := k.done.pop()
		node = w.node
		u.fired, k.credit = at, at
		k.beats--
		seen := at + u.afterCredit
		if !u.pointer && !u.scan && (at == u.dispatch || at == u.second) {
			seen++ // the dispatch's increment goes first
		}
		if u.scan && at == u.dispatch {
			if u.put = at + 1; u.bal.modular {
				u.put++
			}
			u.holdCredits(u.holdBefore, at+1, u.put+scanDispatch)
		}
		u.counts.push(counted{seen, w.amount, int32(j)})
		if w.entry != none {
			u.jobs[w.entry].pending--
			if u.r.snd.nodes[node].p.Last {
				u.spare = append(u.spare, w.entry)
				u.scrub = at + 2 + u.r.blocks
			}
		}
		u.drained(j, at+1)
	}
	if w.kind&wordQuiet == 0 {
		u.toHub(at+1, node)
	}
}

// toHub gives a word or a done record to the hub.
func (u *unit) toHub(at int64, node int32) {
	if u.single {
		if node != none {
			u.r.done.push(at+u.r.record-1, node)
		}
		return
	}
	u.hubAt, u.hubNode, u.hubFree = at, node, never
}

// taken is the hub's grant of what the cluster has given it.
func (u *unit) taken(at int64) {
	if u.hubNode != none {
		u.r.done.push(at+u.r.record-1, u.hubNode)
	}
	u.hubAt, u.hubFree, u.rest = never, at, past
}

// count lets the balancer see the credits that it sees by a cycle.
func (u *unit) count(by int64) {
	for u.counts.n > 0 && u.counts.at(0).at <= by {
		x := u.counts.pop()
		u.bal.Credit(int(x.core), x.amount)
	}
}

func (u *unit) countNext() int64 {
	if u.counts.n == 0 {
		return never
	}
	return u.counts.at(0).at
}

// generate begins a key generation.
func (u *unit) generate(at int64) {
	u.rest = past
	u.offer(u.key.Lane, flight{node: keygen, entry: none}, at+toJob)
}

func (u *unit) started(k *lane, p *Packet, j int) {
	u.r.res.Wait.add(k.enter - p.Arrival)
	if !u.single {
		u.res.Wait.add(k.enter - p.Arrival)
	}
	u.res.Cores[j].Busy += u.cfg.Time[j][p.Op] * int64(p.Blocks)
}

// finished notes what an observer is told of a packet whose last block has left its core.
func (u *unit) finished(k *lane, j int, out int64) {
	if u.r.cfg.Observe != nil {
		n := &u.r.snd.nodes[k.cur.node]
		n.core, n.dispatch, n.start, n.end = j, k.cur.dispatch, k.cur.start, out
	}
}
