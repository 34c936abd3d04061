// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"fmt"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
)

// slowCore: blocks of a packet but its first and last are not followed through the ports if a core takes that many times
// what a block takes there. They come in time then, and are too few to be in the way of others.
const slowCore = 16

// fast is a cluster of a run with Config.Fast. A packet is followed to its end when it comes to the splitter: its way
// through queue, head and lane depends on the packets before it alone, as long as nobody waits for a port that lanes or
// clusters share. Those waits, a few cycles a packet that mostly overlap with work, are what is left out.
type fast struct {
	pipes
	r   *rtl
	cfg *Cluster
	res *ClusterResult
	bal *Balancer

	single  bool        // it is the only cluster
	entered int64       // the last packet's entry into the cluster queue
	left    ring[int64] // when the last packets left it, as many as it holds
	asked   int64       // the last request of a header
	came    int64       // the last header's time in the register
	looked  int64       // the last lookup
	free    int64       // when the next lookup may be
	// the last packet's core, its dispatch and its service
	core                 int
	dispatch, start, end int64
	second               int64 // the dispatch before that

	jobs  []fastJob
	spare []int32
	byID  map[uint64]int32

	// ports that the lanes share; fetches is that of all clusters
	keys, chains, root calendar
	scrubs             calendar // entries of the choose list that are overwritten, of which chained packets' credits wait
	moved              int64    // to when they are

	lanes []fastLane
	next  []int64 // per core, when the balancer sees its first credit
	soon  int64   // the least of next
}

// fastJob is an open chained job.
type fastJob struct {
	core   int
	credit int64 // of the last packet dispatched
}

// fastLane is a core with its queue.
type fastLane struct {
	// packets whose credit the balancer has not seen, no more than the core's cap, from the head on
	out     []fastCredit
	head, n int
	time    [design.NumOps]int64
	ready   int64 // when the last packet's first block enters the core, and its last
	in      int64
	free    int64 // when its last block leaves
	wrote   int64 // when the last of its words has gone, and that of the block before; past: that had none
	drained int64
	value   int64 // until when the next one's IV or chaining value is kept out of its register: by a tag, by what is to be written
	two     bool  // it writes from there
	credit  int64 // its credit, and that of the packet before
	before  int64
	idle    int64 // serial: when it may look at the next packet
	kept    int32 // its choose-list entry, none: not chained
}

// fastCredit is a packet whose credit the balancer has not seen.
type fastCredit struct {
	seen   int64
	amount uint64
	ready  int64
}

func (c *fast) init(r *rtl, cfg *Cluster, key *KeyTiming, bal *Balancer, res *ClusterResult) {
	n := len(cfg.Time)
	*c = fast{
		pipes: newPipes(&r.cfg.Timing, cfg, key, bal, r.blocks), r: r, cfg: cfg, res: res, bal: bal,
		single: len(r.cfg.Clusters) == 1, entered: past, asked: past, came: past, looked: past, free: past, dispatch: past,
		byID: map[uint64]int32{}, lanes: make([]fastLane, n), next: make([]int64, n), soon: never,
	}
	for j := range c.lanes {
		size := 1
		for size < cfg.Cap[j] {
			size *= 2
		}
		c.lanes[j] = fastLane{out: make([]fastCredit, size), time: cfg.Time[j], ready: past, in: past, free: past, wrote: past, drained: past, value: past, credit: past, before: past, idle: past, kept: none}
		c.next[j] = never
	}
}

// split takes a packet through the splitter and to its end: when it has left ingress, and its completion record.
func (c *fast) split(p *Packet, at int64) (ok, done int64, err error) {
	q, room := c.cfg.Queue, int64(past) // since when there is room in the queue
	if q > 0 && c.left.n == q {
		room = c.left.pop()
	}
	enter := at
	if room = max(room, c.entered); room >= at && q > 0 {
		r := c.r
		w := r.cfg.WaitQueue
		for {
			for r.parked.len() > 0 && r.parked.least() < at {
				r.parked.pop()
			}
			if w == 0 || r.parked.len() < w || room < at {
				break
			}
			if at = room + 1; w > 0 {
				at = min(at, r.parked.least()+1)
			}
		}
		if enter = at; room >= at {
			enter = max(at+1, room+1, c.entered+2)
			r.parked.push(enter, none)
			r.res.WaitQueuePeak = max(r.res.WaitQueuePeak, r.parked.len())
		}
	}
	c.entered = enter
	if enter >= c.moved+calendarSpan/8 {
		c.keys.move(enter)
		c.chains.move(enter)
		c.root.move(enter)
		c.scrubs.move(enter)
		c.r.fetches.move(at)
		c.moved = enter
	}
	done, err = c.head(p, enter)
	return at, done, err
}

// head takes a packet from its entry into the cluster queue through the head; the result is its completion record.
func (c *fast) head(p *Packet, enter int64) (int64, error) {
	request := max(enter+toQueue, c.asked+c.r.blocks+1, c.came)
	c.asked = request
	if c.cfg.Queue > 0 {
		c.left.push(request)
	}
	came := request + c.r.blocks + 1
	if c.looked > request {
		came = max(came, c.looked+1) + 1
	}
	c.came, c.looked = came, max(came, c.free)
	at := c.looked + toCheck
	if p.Load {
		return c.load(p, at+1), nil
	}

	entry, opens := int32(none), false
	if p.Chained {
		var ok bool
		if entry, ok = c.byID[p.Job]; !ok {
			entry, opens = c.open(p.Job), true
		}
	}
	j, bound, behind, ok := 0, false, false, false
	begin := at
	if p.Chained && !opens && (c.bind || c.jobs[entry].credit > at) {
		at++
		begin = at
		if at, bound = c.bound(&c.jobs[entry], at); bound {
			j, ok, behind = c.jobs[entry].core, true, c.jobs[entry].credit >= at
		}
	}
	if !bound {
		at = max(at, c.dispatch+c.afterDispatch)
		begin = at
		j, at, ok = c.choose(p, at)
	}
	if !ok {
		return 0, fmt.Errorf("packet %d of job %d waits for ever: its cluster is empty and no core may take it", p.No, p.Job)
	}
	c.res.Blocked += at - begin
	if !bound {
		at += 1 + c.levels
	}

	amount := c.bal.Dispatch(j, p.Op, p.Blocks, bound)
	c.core, c.second, c.dispatch, c.free = j, c.dispatch, at, at
	if opens {
		c.free++
	}
	c.lane(p, j, at, entry, behind, amount)
	if p.Chained {
		c.jobs[entry] = fastJob{j, c.lanes[j].credit}
		if p.Last {
			delete(c.byID, p.Job)
			c.spare = append(c.spare, entry)
		}
	}
	c.start, c.end = c.lanes[j].ready, c.lanes[j].free

	r, cr := c.r.res, c.res
	r.Packets++
	if p.No == 0 {
		r.Jobs++
	}
	if bound {
		cr.Bound++
	}
	co := &cr.Cores[j]
	co.Packets++
	co.Busy += c.lanes[j].time[p.Op] * int64(p.Blocks)
	r.Wait.add(c.start - p.Arrival)
	if !c.single {
		cr.Wait.add(c.start - p.Arrival)
	}
	return c.lanes[j].credit + c.r.record, nil
}

// bound is when a bound packet's core has room, or when it is bound no more and a decision may be ordered.
func (c *fast) bound(o *fastJob, at int64) (int64, bool) {
	for {
		if !c.bind && o.credit < at {
			return at + 1, false
		}
		c.credits(at - 1)
		if !c.bal.Full(o.core) {
			return at, true
		}
		next := c.next[o.core] + 1
		if !c.bind {
			next = min(next, o.credit+1)
		}
		at = max(at+1, next)
	}
}

// choose decides for a packet, from a time on.
func (c *fast) choose(p *Packet, at int64) (int, int64, bool) {
	for {
		c.credits(at)
		if j, ok := c.bal.Decide(p.Op, p.Inverse); ok {
			return j, at, true
		}
		if c.soon == never {
			return 0, at, false
		}
		at = max(at+1, c.soon)
	}
}

// lane takes a packet through the core that it was given to.
func (c *fast) lane(p *Packet, j int, at int64, entry int32, behind bool, amount uint64) {
	k, n := &c.lanes[j], c.r.blocks
	job := at + toJob
	if k.ready > at { // its descriptor is read from RAM
		job = max(k.ready, job) + toNextJob
	}
	if c.serial {
		c.serialLane(p, k, job, entry, behind)
		c.owe(k, j, amount)
		return
	}
	mode := cipher.Mode(p.Mode)
	mac := mode == cipher.MAC
	back := n > 1 && chainsBack(p) // a block that is late waits until the one before is written
	enter, cost := max(job, k.free+1), int64(1)
	if p.Blocks > 0 || mac {
		enter, cost = c.here(k, p, max(job, k.in+1), entry, behind), k.time[p.Op]
		if back && behind && k.kept == entry && p.Blocks > 0 && enter > k.free {
			enter = max(enter, k.wrote)
		}
		enter = max(enter, k.free)
	}
	words := n
	switch {
	case p.Blocks == 0 && !mac:
		words = 1
	case mac && p.Last && p.Op == design.Verify:
		words = 1
	case mac:
	case p.Chained && !p.Last && (mode == cipher.OFB || p.Op == design.Decrypt):
		words = 2 * n
	}
	k.ready, k.in, k.kept, k.value = enter, enter, entry, past
	out := enter + cost
	sent := k.wrote // when the words of the block before have gone
	more := p.Blocks - 1
	if cost >= slowCore*n && more > 0 {
		k.in += int64(more) * cost
		out, more = k.in+cost, 0
	}
	for range more {
		fetched := c.use(&c.r.fetches, k.in+1+c.ranks, n) + fetchWord
		out = max(out, sent)
		if !mac {
			sent = c.root.reserve(out+c.ranks, n) - c.ranks + 1
		}
		if k.in = out; fetched > out {
			if k.in = fetched; back {
				k.in = max(fetched, sent)
			}
		}
		out = k.in + cost
	}
	k.free, k.drained = max(out, sent), sent
	if mac && p.Last && p.Op == design.Verify { // the tag is fetched while the last block is in the core
		k.value = c.use(&c.r.fetches, k.in+1+c.ranks, n) + fetchWord
		k.free = max(k.free, k.value+1)
		words++
	}
	two := n > 1 && words == 2*n
	if two && k.two && k.wrote > k.in {
		k.value = k.wrote
	}
	k.two = two
	c.written(k, p, k.free+c.ranks, words)
	c.owe(k, j, amount)
}

// use takes a read port. What hold leaves out matters where nothing hides it: in serial lanes.
func (c *fast) use(p *calendar, at, n int64) int64 {
	if c.serial {
		return p.reserve(at, n)
	}
	return p.hold(at, n)
}

// written takes a packet's last words and its done record to the credit: of a chained packet not while the entry of one
// that ended a job is overwritten.
func (c *fast) written(k *fastLane, p *Packet, at, words int64) {
	at = c.root.reserve(at, words)
	k.wrote = at - c.ranks + 1
	if d := c.dispatch - c.second; !c.pointer && (at-c.dispatch)%d == 1 { // none after a dispatch, if they go on as they do
		at++
	}
	if p.Chained {
		n := int64(1)
		if p.Last {
			n += c.r.blocks + 1
		}
		at = c.scrubs.hold(at, n) - n
	}
	k.before, k.credit = k.credit, at
}

// owe notes a packet's credit.
func (c *fast) owe(k *fastLane, j int, amount uint64) {
	seen := k.credit + c.afterCredit
	if k.n == 0 {
		c.next[j] = seen
		c.soon = min(c.soon, seen)
	}
	k.out[(k.head+k.n)&(len(k.out)-1)] = fastCredit{seen, amount, k.ready}
	k.n++
}

// here is when all is here that a packet's first block needs, asked for at a time.
func (c *fast) here(k *fastLane, p *Packet, ask int64, entry int32, behind bool) int64 {
	n, mode := c.r.blocks, cipher.Mode(p.Mode)
	mac := mode == cipher.MAC
	key := c.use(&c.keys, ask, c.words)
	block := c.use(&c.r.fetches, ask+c.ranks, n)
	here := max(key+readWord, block+fetchWord)
	value := int64(past)
	switch {
	case mode == cipher.CTR, p.Chained && !mac && p.No == 0: // behind the first block
		value = c.use(&c.r.fetches, max(block, k.value+1+c.ranks), n) + fetchWord
	case p.Chained && p.No > 0 && !(behind && k.kept == entry):
		read := max(ask, k.value) + 1 // a tag leaves the register first
		if behind {
			switch { // nothing of the lane is on its way to the store
			case ask > k.free:
				read = max(read, k.credit+2)
			case k.before >= ask:
				read = max(read, k.before+2)
			case k.drained > ask:
				read = max(read, k.drained+1)
			}
		}
		value = c.use(&c.chains, read+c.chain, n) + fetchWord
	}
	if mac && p.Last && p.Blocks <= 1 {
		value = c.use(&c.keys, max(key-c.words+2, value, k.value+1), n) + readWord
	}
	return max(here, value)
}

// load takes a key load: the key is fetched, a lane computes what goes with it, the head waits. A packet that the core
// was given and has not begun is begun too early by that.
func (c *fast) load(p *Packet, at int64) int64 {
	c.r.res.Loads++
	n := c.r.blocks
	switch {
	case p.Bytes == 0: // erased word by word
		at += 1 + 2*c.words + 2*n
	default:
		at += int64(c.key.Blocks) * (1 + c.ranks + fetchWord + n)
		if c.key.Lane >= 0 {
			at = c.generate(&c.lanes[c.key.Lane], at)
		}
	}
	c.free = at + 2
	return at + 2 + c.ranks + c.r.record
}

// generate is when a key generation has left a core: it goes ahead of the queue.
func (c *fast) generate(k *fastLane, at int64) int64 {
	n := c.r.blocks
	run := k.time[design.Encrypt] + c.words + 2*n - 1
	for i := range k.n {
		if f := k.out[(k.head+i)&(len(k.out)-1)]; f.ready >= at {
			at = f.ready + 1
			break
		}
	}
	enter := at + toJob + readWord + c.words
	if k.free <= enter {
		k.ready, k.in, k.free, k.kept = enter, enter, enter+run, none
		return k.free + 1
	}
	k.in, k.free = k.in+run, k.free+run
	return enter + run + 1
}

// credits lets the balancer see what it sees by a time.
func (c *fast) credits(until int64) {
	for c.soon <= until {
		soon := never
		for j, at := range c.next {
			for at <= until {
				at = c.take(j)
			}
			soon = min(soon, at)
		}
		c.soon = soon
	}
}

// take takes a core's first credit; the result is when the next one is seen.
func (c *fast) take(j int) int64 {
	k := &c.lanes[j]
	c.bal.Credit(j, k.out[k.head].amount)
	k.head = (k.head + 1) & (len(k.out) - 1)
	at := never
	if k.n--; k.n > 0 {
		at = k.out[k.head].seen
	}
	c.next[j] = at
	return at
}

// open makes an entry of the choose list.
func (c *fast) open(id uint64) int32 {
	var k int32
	if n := len(c.spare); n > 0 {
		k = c.spare[n-1]
		c.spare = c.spare[:n-1]
	} else {
		k = int32(len(c.jobs))
		c.jobs = append(c.jobs, fastJob{})
	}
	c.byID[id] = k
	return k
}
