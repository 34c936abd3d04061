// SPDX-License-Identifier: Apache-2.0

package sched

import "fmt"

// queued is a packet on its way to the head of its cluster.
type queued struct {
	node int32
	at   int64 // when it has entered the cluster queue; in the wait queue: since when it is there
}

// fetched is a packet whose header has been asked for.
type fetched struct {
	node    int32
	request int64
	came    int64 // to the register in which it is looked up; never: not known yet
}

// phase is what the head of a cluster does at its next time.
type phase uint8

const (
	headIdle   phase = iota // has no packet
	headCheck               // the packet is checked
	headBound               // a bound packet looks whether its core has room
	headOrder               // a bound packet is bound no more: a decision is ordered
	headFree                // scores are read
	headPause               // scan: a pause in which one credit may come
	headFetch               // a key is being fetched
	headKey                 // a key has been fetched: wait for the lane that computes what goes with it
	headKeyRun              // and for that
)

// unit is a cluster of a run with a design's timing.
type unit struct {
	r      *rtl
	no     int
	single bool // it is the only cluster
	cfg    *Cluster
	res    *ClusterResult
	bal    *Balancer
	pipes

	// the cluster queue, and who waits for it
	queue   ring[queued]
	waiting ring[queued]
	left    ring[int64] // when packets left the queue, of those that have not by the last look
	entered int64       // the last one's entry

	// the head: up to two headers ahead of the packet that is decided
	ahead    [2]fetched
	nahead   int
	asked    int64 // the last request of a header
	headerAt int64 // since when there is one that has not been granted; never: there is none
	came     int64 // the last header's time in the register
	phase    phase
	node     int32
	at       int64 // when the head acts next
	woken    bool  // it was idle, and a lane has ended what it waited for
	begin    int64 // since when the packet has waited for a core
	free     int64 // when the next lookup may be
	entry    int32 // of the choose list
	opens    bool
	keyLeft  int   // blocks of a key that are not here yet
	looked   int64 // the last lookup
	// the last two dispatches
	dispatch, second int64
	put              int64 // scan: the last dispatch, or a little later if a credit took the port then

	jobs  []rjob
	spare []int32
	byID  map[uint64]int32

	lanes
}

// rjob is an open chained job.
type rjob struct {
	core    int
	pending int
}

func (u *unit) init(r *rtl, i int, cfg *Cluster, key *KeyTiming, bal *Balancer, res *ClusterResult) {
	*u = unit{
		r: r, no: i, single: len(r.clusters) == 1, cfg: cfg, res: res, bal: bal, pipes: newPipes(&r.cfg.Timing, cfg, key, bal, r.blocks),
		entered: past, asked: past, came: past, free: past, looked: past, headerAt: never, at: never, dispatch: past, second: past, put: past,
		byID: map[uint64]int32{},
	}
	u.initLanes(len(cfg.Time))
}

// room says whether a packet that comes to the splitter goes straight into the cluster queue.
func (u *unit) room(at int64) bool {
	for u.left.n > 0 && *u.left.at(0) < at {
		u.left.pop()
	}
	q := u.cfg.Queue
	return u.waiting.n == 0 && u.entered < at && (q == 0 || u.queue.n+u.left.n < q)
}

// park puts a packet into the wait queue.
func (u *unit) park(i int32, at int64) {
	w := queued{i, at}
	if q := u.cfg.Queue; u.waiting.n == 0 && u.queue.n < q { // who makes room for it is on its way already
		u.unpark(w, *u.left.at(u.queue.n + u.left.n - q))
		return
	}
	u.waiting.push(w)
	u.r.listed++
}

// unpark takes a packet from the wait queue to the cluster queue, which another leaves at a time.
func (u *unit) unpark(w queued, left int64) {
	at := max(w.at+1, left+1, u.entered+2) // a list's next link is read from RAM
	u.r.parked.push(at, none)
	u.enter(w.node, at)
}

// enter puts a packet into the cluster queue.
func (u *unit) enter(i int32, at int64) {
	u.r.moves(at)
	u.entered = at
	u.r.snd.nodes[i].enter = at
	u.queue.push(queued{i, at})
	u.fetch()
}

// fetch asks for the next header: one is on the way or stands behind the one that is looked up next.
func (u *unit) fetch() {
	if u.nahead == 2 || u.queue.n == 0 || u.headerAt != never {
		return
	}
	at := max(u.queue.at(0).at+toQueue, u.asked+u.r.blocks+1, u.came)
	if !u.single {
		u.headerAt = at
		return
	}
	u.header(at)
}

// header takes the header store's grant of a request.
func (u *unit) header(at int64) {
	u.headerAt, u.asked = never, at
	f := fetched{node: u.queue.pop().node, request: at, came: never}
	if u.nahead == 0 {
		f.came = u.arrive(&f, u.looked)
	}
	u.ahead[u.nahead] = f
	u.nahead++
	if u.cfg.Queue > 0 {
		u.left.push(at)
	}
	if u.waiting.n > 0 {
		u.r.listed--
		u.unpark(u.waiting.pop(), at)
	}
	if u.phase == headIdle {
		u.take()
	}
	u.fetch()
}

// arrive is when a header comes to the register in which it is looked up, the one before having been looked up then.
func (u *unit) arrive(f *fetched, lookup int64) int64 {
	came := f.request + u.r.blocks + 1
	if lookup > f.request {
		came = max(came, lookup+1) + 1
	}
	u.came = came
	return came
}

// take begins with the next packet, if its header is here.
func (u *unit) take() {
	u.phase, u.at, u.node = headIdle, never, none
	if u.nahead == 0 {
		return
	}
	f := u.ahead[0]
	lookup := max(f.came, u.free)
	u.node, u.phase, u.at = f.node, headCheck, lookup+toCheck
	u.looked = lookup
	u.ahead[0] = u.ahead[1]
	if u.nahead--; u.nahead == 1 {
		u.ahead[0].came = u.arrive(&u.ahead[0], lookup)
	}
	u.fetch()
}

// soonest is when something happens next, in the head or the lanes.
func (u *unit) soonest() int64 { return min(u.at, u.nextEvent()) }

// decide lets the head act up to a time.
func (u *unit) decide(until int64) error {
	for u.at <= until && u.at < never {
		if err := u.act(); err != nil {
			return err
		}
	}
	return nil
}

// act is one step of the head.
func (u *unit) act() error {
	p := &u.r.snd.nodes[u.node].p
	x := u.at
	if err := u.r.waits(x); err != nil {
		return err
	}
	u.woken = false
	switch u.phase {
	case headCheck:
		u.check(p, x)
		return nil
	case headBound:
		o := &u.jobs[u.entry]
		u.advance(x - 1)
		if !u.bind && o.pending == 0 { // decided like a first one after all
			u.phase, u.at = headOrder, x+1
			return nil
		}
		u.count(x - 1)
		if !u.bal.Full(o.core) && (!u.scan || x > u.put+scanDispatch) {
			u.res.Blocked += x - u.begin
			u.give(p, o.core, x, true)
			return nil
		}
		next := min(u.countNext(), u.nextCredit()+u.afterCredit) + 1
		if !u.bind {
			next = min(next, u.nextCredit()+1)
		}
		if u.scan {
			next = min(next, max(x+1, u.put+scanDispatch+1))
		}
		u.at = max(x+1, next)
	case headOrder:
		u.order(x)
		return nil
	case headFree:
		u.advance(x - u.afterCredit)
		u.count(x)
		if j, ok := u.bal.Decide(p.Op, p.Inverse); ok {
			u.res.Blocked += x - u.begin
			at := x + 1 + u.levels
			if u.scan {
				at = x + u.scanned - 1
			}
			u.give(p, j, at, false)
			return nil
		}
		if u.scan {
			u.phase, u.at = headPause, x+u.scanned
			u.holdCredits(u.at, u.at+1, never)
			return nil
		}
		u.at = max(x+1, min(u.countNext(), u.nextCredit()+u.afterCredit))
	case headPause:
		if u.still() {
			u.at = never
			break
		}
		u.advance(x)
		u.phase, u.at = headFree, x+1
		if u.fired == x {
			u.at++
		}
	case headKey:
		u.advance(x - 1)
		k := &u.lane[u.key.Lane]
		switch {
		case k.next.node != none:
			u.at = max(x+1, u.nextCredit()+1)
		case k.ready >= x:
			u.at = k.ready + 1
		default:
			u.generate(x)
			u.phase, u.at = headKeyRun, never
			return nil
		}
	default:
		u.at = never
	}
	if u.at >= never {
		return fmt.Errorf("packet %d of job %d waits for ever: its cluster is empty and no core may take it", p.No, p.Job)
	}
	return nil
}

// check is the packet's check, in which the balancer gets its order.
func (u *unit) check(p *Packet, x int64) {
	if p.Load {
		u.load(p, x+1)
		return
	}
	u.entry, u.opens = none, false
	if p.Chained {
		if k, ok := u.byID[p.Job]; ok {
			u.entry = k
			u.advance(x)
			if u.bind || u.jobs[k].pending > 0 {
				u.phase, u.at, u.begin = headBound, x+1, x+1
				if u.scan { // an order is given with every check, and dropped
					u.holdCredits(u.holdTo, x+1, x+2)
				}
				return
			}
		} else {
			u.entry, u.opens = u.open(p.Job), true
		}
	}
	u.order(x)
}

// holdCredits says when a scan lets no credit through: before a time, and in a span. What it said before is over, or
// ends at the first.
func (u *unit) holdCredits(before, from, to int64) {
	if before >= never {
		before = u.holdBefore
	}
	u.holdBefore, u.holdFrom, u.holdTo, u.rest = max(u.holdBefore, before), from, to, past
}

// order asks for a decision.
func (u *unit) order(x int64) {
	u.phase, u.at = headFree, max(x, u.dispatch+u.afterDispatch)
	if u.scan {
		u.advance(x)
		u.at = max(x+scanOrder, u.put+scanDispatch, u.fired+scanCredit)
		u.holdCredits(u.holdTo, x+1, never)
	}
	u.begin = u.at
}

func (u *unit) open(id uint64) int32 {
	var k int32
	if n := len(u.spare); n > 0 {
		k = u.spare[n-1]
		u.spare = u.spare[:n-1]
	} else {
		k = int32(len(u.jobs))
		u.jobs = append(u.jobs, rjob{})
	}
	u.jobs[k] = rjob{}
	u.byID[id] = k
	return k
}

// give dispatches the packet at the head.
func (u *unit) give(p *Packet, j int, at int64, bound bool) {
	u.r.moves(at)
	amount := u.bal.Dispatch(j, p.Op, p.Blocks, bound)
	u.second, u.dispatch, u.put = u.dispatch, at, at
	if u.bal.modular && u.fired == at-1 {
		u.put++
	}
	u.free = at
	if u.opens {
		u.free++ // the next lookup must not miss the new entry
	}
	switch {
	case u.scan && bound:
		u.holdCredits(u.holdTo, at+1, u.put+scanDispatch)
	case u.scan:
		u.holdCredits(at+scanDispatch, never, never)
	}
	behind := false // a packet of its job is in flight
	if p.Chained {
		o := &u.jobs[u.entry]
		behind = bound && o.pending > 0
		o.core = j
		o.pending++
		if p.Last { // no packet of it comes any more
			delete(u.byID, p.Job)
		}
	}
	r, cr := u.r.res, u.res
	r.Packets++
	if p.No == 0 {
		r.Jobs++
	}
	if bound {
		cr.Bound++
	}
	cr.Cores[j].Packets++
	u.dispatched(j, flight{node: u.node, entry: u.entry, amount: amount, behind: behind, dispatch: at})
	u.take()
}

// load takes a key load: the key is fetched, a lane computes what goes with it, the head waits.
func (u *unit) load(p *Packet, begin int64) {
	u.r.res.Loads++
	if p.Bytes == 0 { // erased word by word
		u.loaded(begin + 1 + (2*u.words + 2*u.r.blocks))
		return
	}
	u.phase, u.at, u.keyLeft = headFetch, never, u.key.Blocks
	u.rest = past
	u.request(len(u.lane), wantKey, begin+1)
}

// keyHere is called with each block of a key that is being loaded.
func (u *unit) keyHere(at int64) {
	if u.keyLeft--; u.keyLeft > 0 {
		u.request(len(u.lane), wantKey, at)
		return
	}
	if u.key.Lane < 0 {
		u.loaded(at)
		return
	}
	u.phase, u.at, u.begin, u.woken = headKey, at, at, true
}

// loaded ends a key load.
func (u *unit) loaded(done int64) {
	u.r.moves(done)
	u.answer(u.node, done+2)
	u.free = done + 2
	u.take()
	u.woken = true
}
