// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"math/bits"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
)

// flight is a packet between its dispatch and its credit.
type flight struct {
	node     int32 // keygen: a key generation
	entry    int32 // of the choose list, none: not chained
	amount   uint64
	bound    bool
	dispatch int64
	start    int64
}

// keygen is the node of a key generation, answer a place that is no lane.
const (
	keygen = -2
	answer = -2
)

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
	starved  bool  // a block has left and the one after it is not here
	back     bool  // a block's input needs the one before, from the register of results
	waits    int64 // since when the next block waits for the write-back to be empty; past: none does
	tag      int64 // when a tag is here; never: not known yet; past: there is none
	compares bool  // its last block is compared with a tag, which takes a cycle
	submits  bool  // its last block needs a subkey
	words    [2]int64
	saving   save  // what of its last words goes to the chaining store
	in       int64 // when the last block entered the core; never: not yet
	ready    int64 // when the queue's output was free again

	// its results
	compared int64 // when the done record is on its way that waits for a comparison; never: none does
	pending  int64 // words on their way out
	last     bool  // the last of them is the packet's done beat
	saves    save  // what of the last words of the packet goes to the chaining store
	stalled  bool  // the next block waits for them
	free     int64 // when the last one had gone
	beats    int   // done records between the write-back and their credits
	credit   int64 // the last credit
	kept     int32 // choose-list entry of the packet in the core or the last one, none: not chained
	ended    flight
}

// lanes are the cores of a cluster, what they share, and the way of their results to the credit.
type lanes struct {
	lane  []lane
	event []int64 // by lane: its next event
	soon  int64   // the least of event

	keys, chains, descs port // read ports of the key store, of the chaining store, of the descriptors

	// Fetches of blocks: requests by lane, the key store's last, into a tree of registers, from there to the hub.
	posts     uint64  // lanes with a request
	post      []int64 // since when
	keyPost   int64   // since when the key store has one; never: it has none
	kind      []want
	posted    int64 // the least of post
	fetchTurn int   // round robin: the lane after the last one served
	fetchFree int64 // when the tree takes the next one; never: when the hub has taken the one in it
	fetchAt   int64 // when that is at the hub; never: there is none
	fetchLane int
	fetchKind want

	// Words of results: round robin into a tree of registers, from its root to the hub.
	writing uint64 // lanes with words pending
	since   int64
	turn    int
	granted int64          // the last word's grant
	passed  int64          // when the last word left the root
	space   int64          // when the tree takes words again; it was full before
	root    ring[rootWord] // what stands at the root and behind it; with one cluster no more than a done record and what is behind it
	answers ring[timed]    // results of key loads, since when they are at the tree
	hubFree int64          // when the register behind the root is free; never: when the hub has taken what is in it
	hubAt   int64          // since when something is in it; never: nothing is
	hubNode int32          // the node of a done record, none: a word

	fired  int64 // the last credit
	hold   int64 // scan: no credit before
	scrub  int64 // no credit of a chained packet before
	counts ring[counted]
}

// rootWord is a word, done record or answer at the root of the tree of results.
type rootWord struct {
	at    int64 // when it is there at the earliest
	lane  int   // answer: a result of the head
	done  bool  // it is the done record of a packet
	quiet bool  // it goes to the chaining store alone
	saves bool  // it goes there, too
	flight
}

// counted is a credit that the balancer sees from a cycle on.
type counted struct {
	at     int64
	amount uint64
	core   int32
}

func (l *lanes) init(n int) {
	l.lane, l.event, l.post, l.kind = make([]lane, n), make([]int64, n), make([]int64, n), make([]want, n)
	for j := range l.lane {
		l.lane[j] = lane{
			next: flight{node: none}, here: never, leaves: never, compared: never, waits: past, out: past, in: past, ready: past, free: past, credit: past, tag: past,
			kept: none,
		}
		l.event[j] = never
	}
	for j := range l.post {
		l.post[j] = never
	}
	l.keyPost = never
	l.keys.init(n)
	l.chains.init(n)
	l.descs.init(n)
	l.soon, l.posted, l.fetchFree, l.fetchAt = never, never, past, never
	l.since, l.granted, l.passed, l.space, l.hubFree, l.hubAt = past, past, past, past, past, never
	l.fired, l.hold, l.scrub = past, past, past
}

// nextEvent is when something happens next in the lanes that does not wait for a hub.
func (u *unit) nextEvent() int64 {
	t := u.soon
	if u.root.n > 0 {
		t = min(t, u.due())
	}
	t = min(t, u.nextGrant(), u.keys.at, u.chains.at, u.descs.at)
	if u.posted != never {
		t = min(t, max(u.posted, u.fetchFree))
	}
	return t
}

// nextCredit is a time before which no credit is given.
func (u *unit) nextCredit() int64 { return min(u.nextEvent(), u.fetchAt, u.hubAt) }

// nextGrant is when the tree of results takes the next word or answer; never: nothing waits, or it is full.
func (u *unit) nextGrant() int64 {
	if u.root.n > int(u.ranks) {
		return never
	}
	since := u.since
	if u.writing == 0 {
		if u.answers.n == 0 {
			return never
		}
		since = u.answers.at(0).at
	}
	return max(u.granted+1, since, u.space)
}

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
	u.schedule(j, min(t, k.compared))
}

// dispatched takes a packet into a core's queue.
func (u *unit) dispatched(j int, f flight) {
	k := &u.lane[j]
	if k.next.node == none && k.queue.n == 0 && k.ready <= f.dispatch {
		u.offer(j, f, f.dispatch+toJob)
		return
	}
	k.queue.push(f)
	if k.next.node == none {
		u.following(j)
	}
}

// following brings the next packet to the queue's output.
func (u *unit) following(j int) {
	k := &u.lane[j]
	if k.queue.n == 0 || u.phase == headKey && j == u.key.Lane && u.begin <= k.ready { // a key generation goes first
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
	if !k.busy || k.in != never {
		u.toAsk(j)
	}
}

// toAsk plans the fetches of the next packet: the one before has its last block in the core, or has left.
func (u *unit) toAsk(j int) {
	k := &u.lane[j]
	k.asking, k.ask = true, max(k.job, k.in+1)
	u.plan(j)
}

// request asks for a block from a time on. The key store is the input behind the last lane.
func (u *unit) request(j int, w want, at int64) {
	if j == len(u.lane) {
		u.keyPost = at
	} else {
		u.post[j], u.kind[j] = at, w
		u.posts |= 1 << j
	}
	u.posted = min(u.posted, at)
}

// fetchBlock lets the tree of fetches take a request.
func (u *unit) fetchBlock(at int64) {
	j := u.nextPost(at)
	w := wantKey
	if u.fetchTurn = j + 1; j == len(u.lane) {
		u.keyPost, u.fetchTurn = never, 0
	} else {
		w = u.kind[j]
		u.post[j] = never
		u.posts &^= 1 << j
		u.alsoFetch(j, w, at)
	}
	u.posted = u.keyPost
	for m := u.posts; m != 0; m &= m - 1 {
		u.posted = min(u.posted, u.post[bits.TrailingZeros64(m)])
	}
	u.fetchAt, u.fetchLane, u.fetchKind = at+u.ranks, j, w
	u.fetchFree = never
	if u.single {
		h := max(u.fetchAt, u.r.hub.free)
		u.r.hub.free = h + u.r.blocks
		u.fromHub(h)
	}
}

// nextPost is whose request is taken, round robin.
func (u *unit) nextPost(at int64) int {
	if m := u.posts; m&(m-1) == 0 && u.keyPost > at {
		return bits.TrailingZeros64(m)
	}
	for m := u.posts >> u.fetchTurn << u.fetchTurn; m != 0; m &= m - 1 {
		if j := bits.TrailingZeros64(m); u.post[j] <= at {
			return j
		}
	}
	if u.keyPost <= at {
		return len(u.lane)
	}
	for m := u.posts; ; m &= m - 1 {
		if j := bits.TrailingZeros64(m); u.post[j] <= at {
			return j
		}
	}
}

// alsoFetch asks for what a lane may ask for when another request of it has been taken.
func (u *unit) alsoFetch(j int, w want, at int64) {
	k := &u.lane[j]
	switch {
	case w == wantTag && k.delay:
		k.delay = false
		u.request(j, wantFirst, at+1)
	case w == wantFirst && k.value == never && k.read == past && !k.chains:
		at++
		if k.tag != never { // the tag leaves the register first
			at = max(at, k.tag+1)
		}
		if k.ivWaits = k.moving; !k.moving {
			u.request(j, wantIV, max(at, k.moved))
		}
	}
}

// fromHub takes the hub's grant of the request that waits there.
func (u *unit) fromHub(at int64) {
	j, w := u.fetchLane, u.fetchKind
	u.fetchAt, u.fetchFree = never, at+1-u.ranks
	here := at + fetchWord + u.r.blocks
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
		u.chainValue(j)
		u.askSubkey(j)
	case wantNext:
		k.fetched = here
		if k.starved {
			k.starved = false
			u.further(j)
		}
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
	case p.Chained && p.No > 0 && !(k.next.bound && k.kept == k.next.entry):
		k.value, k.read = never, k.ask+1
		// A bound packet's job's packet before is older than the one before in this lane: its value is in the store when
		// all that has left the core is credited.
		k.order = k.next.bound && (k.pending > 0 || k.beats > 0)
		if k.next.bound && !k.order {
			k.read = max(k.read, max(k.ask, k.free, k.credit+1)+1)
		}
		u.chainValue(j)
	}
	if u.post[j] != never { // a tag
		k.delay = true
		return
	}
	u.request(j, wantFirst, k.ask)
}

// chainValue asks for the next packet's chaining value, if it needs one and may.
func (u *unit) chainValue(j int) {
	k := &u.lane[j]
	if k.read == past || k.order || k.moving || k.busy && k.tag == never { // a tag leaves the register first
		return
	}
	u.chains.request(j, max(k.read, k.tag+1, k.moved), u.r.blocks)
	k.read = past
	k.chains = true
}

// chained takes the grant of a chaining value's read.
func (u *unit) chained(at int64) {
	j := u.chains.grant()
	k := &u.lane[j]
	k.value, k.chains = at+u.chain+fetchWord+u.r.blocks, false
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
	default: // of a further block: it is there in time
		return
	}
	u.complete(j)
}

// drained is called when the lane's write-back is empty from a time on.
func (u *unit) drained(j int, at int64) {
	k := &u.lane[j]
	if k.busy && k.out < at && k.blockWords() > 0 { // the next block's words come just then
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
		if k.next.bound && k.kept == k.next.entry && p.Blocks > 0 && chainsBack(p) {
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
	k.compares, k.submits, k.words, k.saving, k.tag, k.enter = false, false, [2]int64{n, n}, save{}, past, max(k.here, out)
	if k.cur.node == keygen {
		k.left, k.cost, k.words = 1, u.cfg.Time[j][design.Encrypt]+u.words+2*n-1, [2]int64{}
		k.kept = none
	} else {
		p := &u.r.snd.nodes[k.cur.node].p
		mode := cipher.Mode(p.Mode)
		mac := mode == cipher.MAC
		k.cost, k.left = u.cfg.Time[j][p.Op], max(1, p.Blocks)
		switch {
		case p.Blocks == 0 && !mac:
			k.enter = max(k.job, out+1)
			k.cost, k.words = 1, [2]int64{1, 1}
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
		k.fetched = never
		u.request(j, wantNext, k.enter+1)
		if k.left == 2 && k.submits && u.keys.post[j] == never {
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

// block is the event of a block that leaves the core, or of the fetches of the next packet.
func (u *unit) block(j int) {
	k := &u.lane[j]
	now := u.event[j]
	if k.asking && k.ask == now {
		k.asking = false
		u.prefetch(j)
		u.plan(j)
		return
	}
	if k.compared == now {
		k.compared = never
		u.write(j, now)
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
	w, out := k.blockWords(), k.out
	k.left--
	end := k.left == 0
	if w > 0 {
		k.pending, k.last, k.saves = w, end, k.saving
		if end && k.compares {
			k.compared = now + 1
		} else {
			u.write(j, now)
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
		k.ended = k.cur
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

// write begins with the words of a block.
func (u *unit) write(j int, at int64) {
	if u.writing == 0 {
		u.since = at
	}
	u.writing |= 1 << j
}

// still says that nothing is in the lanes or on its way to the balancer.
func (u *unit) still() bool {
	return u.soon == never && u.keys.at == never && u.chains.at == never && u.descs.at == never && u.posted == never && u.fetchAt == never && u.writing == 0 && u.root.n == 0 && u.answers.n == 0 && u.counts.n == 0
}

// advance lets the lanes run up to a time: all that happens until then, credits among it. With several clusters it ends
// when something comes to a hub.
func (u *unit) advance(until int64) {
	for {
		if u.fetchAt != never {
			until = min(until, max(u.fetchAt, u.r.hub.free))
		}
		if u.hubAt != never {
			until = min(until, max(u.hubAt, u.r.results.free))
		}
		// of one time first the lanes, then what serves them
		t := u.soon
		g, w, f, p := int64(never), int64(never), int64(never), min(u.keys.at, u.chains.at, u.descs.at)
		if u.writing != 0 || u.answers.n > 0 {
			g = u.nextGrant()
		}
		if u.root.n > 0 {
			w = u.due()
		}
		if u.posted != never {
			f = max(u.posted, u.fetchFree)
		}
		first := min(t, g, w, f, p)
		if first > until || first == never {
			return
		}
		switch first {
		case t:
			u.block(u.first())
			if !u.single || u.soon <= t {
				break
			}
			// what mostly follows at once
			if u.posted == t && u.fetchFree <= t {
				u.fetchBlock(t)
			}
			if u.writing != 0 && u.writing&(u.writing-1) == 0 && u.root.n == 0 && u.answers.n == 0 {
				if g = u.nextGrant(); g == t {
					u.grant(g, min(u.soon, until+1)-g)
				}
			}
		case p:
			switch p {
			case u.keys.at:
				u.keyed(p)
			case u.chains.at:
				u.chained(p)
			default:
				u.described(p)
			}
		case f:
			u.fetchBlock(f)
		case w:
			u.leaveRoot(w)
		default:
			u.grant(g, min(t, w, until+1)-g)
		}
	}
}

// grant takes up to most words of a lane into the tree of results, the first at a time.
func (u *unit) grant(at, most int64) {
	// answers are the input behind the last lane
	if u.answers.n > 0 && u.answers.at(0).at <= at && (u.writing == 0 || u.writing>>u.turn == 0) {
		u.turn, u.granted = 0, at
		u.root.push(rootWord{at: at + u.ranks, lane: answer, flight: flight{node: u.answers.pop().id}})
		return
	}
	j := bits.TrailingZeros64(u.writing)
	if high := u.writing >> u.turn << u.turn; high != 0 {
		j = bits.TrailingZeros64(high)
	}
	u.turn = (j + 1) & 63
	k := &u.lane[j]
	n := int64(1)
	if u.single && u.writing == 1<<j && u.answers.n == 0 && u.root.n == 0 {
		n = min(k.pending, most)
	}
	w := rootWord{lane: j}
	if k.last && k.pending <= k.saves.words {
		w.saves, w.quiet = true, k.saves.alone && k.pending > n
	}
	k.pending -= n
	u.granted = at + n - 1
	end := k.pending == 0
	w.at, w.done = u.granted+u.ranks, end && k.last
	if !u.single || w.done || u.root.n > 0 {
		if w.done {
			w.flight = k.ended
		}
		u.root.push(w)
	} else {
		u.passed = w.at
	}
	if !end {
		return
	}
	u.writing &^= 1 << j
	k.free = u.granted + 1
	if k.last {
		k.beats++
	} else {
		u.drained(j, k.free)
	}
	if k.moving {
		k.moving, k.moved = false, k.free+1
		if k.ivWaits {
			k.ivWaits = false
			u.request(j, wantIV, k.moved)
		}
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
}

func (u *unit) first() int {
	for j, t := range u.event {
		if t == u.soon {
			return j
		}
	}
	panic("sched: no event")
}

// due is when what stands at the root leaves it. For a done record that is its credit: none in the cycle after a
// dispatch, and none of a chained packet while an entry of the choose list is overwritten.
func (u *unit) due() int64 {
	w := u.root.at(0)
	at := max(w.at, u.passed+1)
	if !w.quiet {
		at = max(at, u.hubFree)
	}
	if w.saves && at < u.scrub && at >= u.scrub-u.r.blocks {
		at = u.scrub
	}
	if !w.done {
		return at
	}
	if w.entry != none && at < u.scrub && at >= u.scrub-u.r.blocks-1 {
		at = u.scrub
	}
	switch {
	case u.scan:
		at = max(at, u.fired+scanCredit, u.hold)
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
	if u.root.n > int(u.ranks) {
		u.space = at + 1
	}
	w := u.root.pop()
	u.passed = at
	node := int32(none)
	if w.lane == answer {
		node = w.node
	}
	if w.done {
		k := &u.lane[w.lane]
		node = w.node
		u.fired, k.credit = at, at
		k.beats--
		if u.r.cfg.probeCredit != nil {
			u.r.cfg.probeCredit(node, at)
		}
		seen := at + u.afterCredit
		if !u.pointer && !u.scan && (at == u.dispatch || at == u.second) {
			seen++ // the dispatch's increment goes first
		}
		u.counts.push(counted{seen, w.amount, int32(w.lane)})
		if w.entry != none {
			u.jobs[w.entry].pending--
			if u.r.snd.nodes[node].p.Last {
				u.spare = append(u.spare, w.entry)
				u.scrub = at + 2 + u.r.blocks
			}
		}
		u.drained(w.lane, at+1)
	}
	if !w.quiet {
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
	u.hubAt, u.hubFree = never, at
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
	u.offer(u.key.Lane, flight{node: keygen, entry: none}, at+toJob)
}

func (u *unit) started(k *lane, p *Packet, j int) {
	u.r.res.Wait.add(k.enter - p.Arrival)
	if !u.single {
		u.res.Wait.add(k.enter - p.Arrival)
	}
	u.res.Cores[j].Busy += u.cfg.Time[j][p.Op] * int64(p.Blocks)
}

// finished tells the observer of a packet whose last block has left its core.
func (u *unit) finished(k *lane, j int, out int64) {
	if o := u.r.cfg.Observe; o != nil {
		n := &u.r.snd.nodes[k.cur.node]
		o(Completion{n.p, j, n.enter, k.cur.dispatch, k.cur.start, out})
	}
}
