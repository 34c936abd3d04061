// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"fmt"
	"math/bits"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
)

// past is earlier than any time of a run.
const past = -1 << 40

// rtl is a run with a design's timing: streams, ingress, splitter, collector, and the clusters behind them.
//
// Each part is advanced only as far as something asks: a cluster to the time at which its head decides, all of them to
// the time at which the sender looks for results. Inside a cluster there is an event a block, not a cycle. What many
// share for a cycle or a few, read ports, is reserved in a calendar.
type rtl struct {
	watch
	cfg      *Config
	res      *Result
	snd      *sender
	clusters []unit
	bals     []*Balancer
	blocks   int64    // beats of a block or header
	shift    int      // log2 of the bytes of a beat
	record   int64    // from a credit to the completion record
	fast     []fast   // in place of clusters
	fetches  calendar // fast: read port of payload and IVs
	light    bool     // fast, and no results have to be told of: packets inside are in direct, not in the sender's nodes
	direct   []direct
	going    map[uint64]int64 // light: when the last packet of a job was sent that has more
	unused   []int32          // and their free entries

	headers hub // read port of the heads
	hub     hub // read port of payload and IVs
	results hub // write port of the results

	done   *wheel      // completion records to come; id is the sender's node, or the complement of an entry of direct
	exits  ring[timed] // results; id is the sender's node, or the complement of the cluster in which a job has ended
	freed  ring[int64] // times at which freed slots can be taken
	used   int         // slots
	last   int64       // the last result's last beat
	listed int         // packets in the wait queue for which no time to leave it is known
	parked heap        // times at which others leave it
	ok     [3]int64    // when the records of the last frames left ingress
	end    int64       // the last frame's last beat
	cool   ring[timed] // what counts for a quota a little longer; id is the cluster
}

// hub serves clusters round robin.
type hub struct {
	turn int
	free int64
}

// grant is the time of the next grant, given since when each cluster waits for one; never: it does not.
func (h *hub) grant(since func(i int) int64, clusters int) int64 {
	t := never
	for i := range clusters {
		t = min(t, since(i))
	}
	if t == never {
		return never
	}
	return max(t, h.free)
}

// pick is who gets the grant.
func (h *hub) pick(at int64, since func(i int) int64, clusters int) int {
	for k := range clusters {
		if i := (h.turn + k) % clusters; since(i) <= at {
			h.turn = (i + 1) % clusters
			return i
		}
	}
	panic("sched: a grant without a request")
}

func (r *rtl) headerSince(i int) int64 { return r.clusters[i].headerAt }
func (r *rtl) fetchSince(i int) int64  { return r.clusters[i].fetchAt }
func (r *rtl) resultSince(i int) int64 { return r.clusters[i].hubAt }

// hubs is the time of their next grant.
func (r *rtl) nextHub() int64 {
	if len(r.clusters) <= 1 {
		return never
	}
	headers, fetches, results := never, never, never
	for i := range r.clusters {
		u := &r.clusters[i]
		headers, fetches, results = min(headers, u.headerAt), min(fetches, u.fetchAt), min(results, u.hubAt)
	}
	return min(max(headers, r.headers.free), max(fetches, r.hub.free), max(results, r.results.free))
}

// serve lets the hubs grant what they grant in a cycle.
func (r *rtl) serve(at int64) {
	n := len(r.clusters)
	if r.headers.grant(r.headerSince, n) == at {
		r.headers.free = at + r.blocks
		r.clusters[r.headers.pick(at, r.headerSince, n)].header(at)
	}
	if r.hub.grant(r.fetchSince, n) == at {
		r.hub.free = at + r.blocks
		r.clusters[r.hub.pick(at, r.fetchSince, n)].fromHub(at)
	}
	if r.results.grant(r.resultSince, n) == at {
		r.results.free = at + 1
		r.clusters[r.results.pick(at, r.resultSince, n)].taken(at)
	}
}

// cooling is how long the sender counts a packet for its quota after its result.
const cooling = 16

// runRTL runs a workload with the design's timing.
func runRTL(cfg *Config, res *Result, bals []*Balancer, src Source) error {
	t := &cfg.Timing
	if t.Beat != 4 && t.Beat != 8 && t.Beat != 16 {
		return fmt.Errorf("a beat of %d bytes", t.Beat)
	}
	if len(t.Keys) != len(cfg.Clusters) {
		return fmt.Errorf("%d key stores for %d clusters", len(t.Keys), len(cfg.Clusters))
	}
	r := &rtl{
		watch: newWatch(cfg), cfg: cfg, res: res, snd: newSender(src, cfg), bals: bals, going: map[uint64]int64{},
		blocks: int64(cipher.BlockSize / t.Beat), record: toRecord, shift: bits.TrailingZeros(uint(t.Beat)), done: newWheel(), last: past, end: past,
	}
	for i := range r.ok {
		r.ok[i] = past
	}
	if r.blocks == 4 { // the hub holds a record back until a scrub is over
		r.record++
	}
	r.headers.free, r.hub.free, r.results.free = past, past, past
	if cfg.Fast && !t.Scan {
		r.fast, r.light = make([]fast, len(cfg.Clusters)), !r.snd.planned && cfg.Observe == nil
		for i := range r.fast {
			r.fast[i].init(r, &cfg.Clusters[i], &t.Keys[i], bals[i], &res.Clusters[i])
			r.light = r.light && cfg.Clusters[i].Quota == 0
		}
	} else {
		r.clusters = make([]unit, len(cfg.Clusters))
		for i := range r.clusters {
			r.clusters[i].init(r, i, &cfg.Clusters[i], &t.Keys[i], bals[i], &res.Clusters[i])
		}
	}
	if err := r.run(); err != nil {
		return err
	}
	res.Makespan = max(0, r.last+1)
	return src.Err()
}

// run is the sender's life: it sends, or waits for an arrival or a result.
func (r *rtl) run() error {
	s := r.snd
	at := int64(resetCycle)
	for {
		if r.light && s.unsent == 0 && s.more {
			next, ok, err := r.sendDirect(at)
			if err != nil {
				return err
			}
			if at = next; ok {
				continue
			}
		}
		if err := r.settle(at); err != nil {
			return err
		}
		if err := s.arrive(at, len(s.view)); err != nil {
			return err
		}
		i := s.pick()
		if i == none {
			next, err := r.wait()
			if err != nil {
				return err
			}
			if next == never {
				break
			}
			if next <= at {
				return fmt.Errorf("the sender waits from cycle %d to %d; this is a fault of the model", at, next)
			}
			at = next
			continue
		}
		last, err := r.send(i, at)
		if err != nil {
			return err
		}
		at = last + 1
		if err := s.arrive(at, len(s.view)); err != nil {
			return err
		}
		if s.blocked > 0 { // results set free what the sending of this one does not
			if err := r.settle(last); err != nil {
				return err
			}
		}
		s.sentLast(i, last)
		if r.light {
			s.spare = append(s.spare, i)
		}
	}
	return r.settle(never - 1)
}

// settle advances everything to a time and hands the sender all results whose last beat is before it.
func (r *rtl) settle(at int64) error {
	if err := r.advance(at); err != nil {
		return err
	}
	for r.done.len() > 0 && r.done.least() < at {
		r.exit()
	}
	for r.exits.n > 0 && r.exits.at(0).at < at {
		x := r.exits.pop()
		if x.id < 0 {
			if v := &r.snd.view[^x.id]; v.waiting.n > 0 {
				if err := r.snd.arrive(x.at+1, len(r.snd.view)); err != nil {
					return err
				}
				r.snd.now = x.at + 1
			}
			r.snd.closed(int(^x.id))
			continue
		}
		if c := r.snd.nodes[x.id].p.Cluster; r.snd.view[c].quota > 0 {
			r.cool.push(timed{x.at + 1 + cooling, int32(c)})
		}
		if err := r.snd.arrive(x.at+1, len(r.snd.view)); err != nil {
			return err
		}
		r.snd.received(x.id, x.at)
	}
	for r.cool.n > 0 && r.cool.at(0).at <= at {
		r.snd.view[r.cool.pop().id].inside--
	}
	return nil
}

// advance makes all decisions up to a time and gives all credits.
func (r *rtl) advance(at int64) error {
	switch len(r.clusters) {
	case 0: // all is known already
		return nil
	case 1:
		u := &r.clusters[0]
		for u.soonest() <= at {
			if err := u.decide(at); err != nil {
				return err
			}
			if u.advance(at); r.fault != nil {
				return r.fault
			}
		}
		return nil
	}
	for {
		// what is first, of one time: a bound packet's look at what was a cycle ago; lanes; hubs; heads
		first, second, c := never*4, never*4, -1
		see := func(key int64, i int) {
			switch {
			case key < first:
				second, first, c = first, key, i
			case key < second:
				second = key
			}
		}
		for i := range r.clusters {
			u := &r.clusters[i]
			see(4*u.nextEvent(), 2*i)
			if u.phase == headBound {
				see(4*u.at-1, 2*i+1)
			} else {
				see(4*u.at+2, 2*i+1)
			}
		}
		see(4*r.nextHub()+1, 2*len(r.clusters))
		if first > 4*at+2 || first >= 4*never {
			return nil
		}
		if !r.step(first / 4) {
			return r.fault
		}
		switch {
		case c == 2*len(r.clusters):
			r.serve(first / 4)
		case c&1 == 0:
			r.clusters[c/2].advance(min(at, second>>2))
		default:
			if err := r.clusters[c/2].act(); err != nil {
				return err
			}
		}
	}
}

// next is the time of the next completion record, found by advancing no further than needed and not beyond a limit; ok
// is false if there is none.
func (r *rtl) next(limit int64) (ok bool, err error) {
	for {
		soon := never
		for i := range r.clusters {
			soon = min(soon, r.clusters[i].soonest())
		}
		soon = min(soon, r.nextHub())
		if r.done.len() > 0 && r.done.least() <= soon+r.record {
			return r.done.least() < limit, nil
		}
		if soon >= limit {
			return false, nil
		}
		if err := r.advance(soon); err != nil {
			return false, err
		}
	}
}

// exit takes the next completion record: its result leaves behind the one before.
func (r *rtl) exit() {
	x := r.done.pop()
	if x.id < 0 {
		r.exitDirect(x)
		return
	}
	n := &r.snd.nodes[x.id]
	first := max(x.at+toResult, r.last+1)
	r.last = first + int64(n.out) - 1
	r.exits.push(timed{r.last, x.id})
	if r.cfg.Slots > 0 {
		r.freed.push(r.last + slotFree)
	}
	if n.p.Load {
		return
	}
	r.res.Response.add(r.last - n.p.Arrival)
	if r.cfg.Observe != nil {
		r.cfg.Observe(Completion{n.p, n.core, n.enter, n.dispatch, n.start, n.end, r.last})
	}
}

// wait is the next time at which something may become ready to be sent; never when all has been sent.
func (r *rtl) wait() (int64, error) {
	s := r.snd
	next := never
	if s.more && (s.planned || s.unsent < maxAhead) {
		next = s.peek.Arrival
	} else if s.unsent == 0 && !s.more {
		return never, nil
	}
	if r.cool.n > 0 {
		next = min(next, r.cool.at(0).at)
	}
	if s.blocked == 0 && s.ready.n == 0 && next < never {
		return next, nil
	}
	for r.exits.n == 0 {
		ok, err := r.next(next)
		if err != nil {
			return 0, err
		}
		if !ok {
			break
		}
		r.exit()
	}
	if r.exits.n > 0 {
		next = min(next, r.exits.at(0).at+1)
	}
	if next == never {
		return 0, fmt.Errorf("%d packets wait for ever: more chained jobs are open at a time than a cluster's choose list holds, "+
			"and what would close them lies more than %d packets ahead", s.unsent, maxAhead)
	}
	return next, nil
}

// send sends a packet whose turn came at a time; the result is the cycle of its last beat.
func (r *rtl) send(i int32, at int64) (int64, error) {
	n := &r.snd.nodes[i]
	last, ready, err := r.frame(&n.p, at)
	if err != nil {
		return 0, err
	}
	n.out = r.resultBeats(&n.p)
	var ok int64
	if r.fast == nil {
		ok, err = r.split(&r.clusters[n.p.Cluster], i, ready)
	} else {
		f := &r.fast[n.p.Cluster]
		var done int64
		if ok, done, err = f.split(&n.p, ready); err == nil {
			if r.light {
				r.within(&n.p, done)
				r.follow(&n.p, last)
			} else {
				r.done.push(done, i)
			}
			n.core, n.enter, n.dispatch, n.start, n.end = f.core, f.entered, f.dispatch, f.start, f.end
		}
	}
	if err != nil {
		return 0, err
	}
	r.left(ok, last)
	return last, nil
}

// frame sends a packet's beats: when the last of them has come, and when it is at the splitter at the earliest.
func (r *rtl) frame(p *Packet, at int64) (last, ready int64, err error) {
	if !p.Load {
		if err := r.bals[p.Cluster].can(p); err != nil {
			return 0, 0, err
		}
	}
	beats := r.blocks + r.beats(p.Bytes)
	if p.IV {
		beats += r.blocks
	}
	first := max(at, r.cfg.Timing.Reset)
	from := max(first, p.Arrival)
	if s := r.cfg.Slots; s > 0 {
		for r.freed.n > 0 && *r.freed.at(0) <= first {
			r.freed.pop()
			r.used--
		}
		for r.used >= s {
			if r.freed.n == 0 {
				if ok, err := r.next(never); err != nil {
					return 0, 0, err
				} else if !ok {
					return 0, 0, fmt.Errorf("no slot ever becomes free") // there is a packet in each
				}
				r.exit()
			}
			first = max(first, r.freed.pop())
			r.used--
		}
		r.used++
	}
	// a beat comes in if two cycles ago no two records waited
	if first == r.end+1 && r.ok[0] > first-2 {
		first++
	}
	if first > r.end+1 {
		first = max(first, r.ok[1]+2)
	}
	last = first + beats - 1
	if beats > 1 {
		last = max(last, r.ok[1]+beats)
	}
	r.res.Stalls += last - beats + 1 - from
	return last, max(last+toSplitter, r.ok[2]+1), nil
}

// beats are those of so many bytes.
func (r *rtl) beats(bytes int) int64 { return (int64(bytes) + 1<<r.shift - 1) >> r.shift }

// left notes that a frame has left ingress.
func (r *rtl) left(ok, last int64) { r.ok[0], r.ok[1], r.ok[2], r.end = r.ok[1], r.ok[2], ok, last }

// resultBeats are the beats of a packet's result.
func (r *rtl) resultBeats(p *Packet) int32 {
	return int32(r.blocks + r.beats(resultBytes(p)))
}

// resultBytes are the bytes of a packet's result after the header.
func resultBytes(p *Packet) int {
	switch {
	case p.Load:
		return 0
	case p.Op == design.Sign && p.Last:
		return cipher.BlockSize
	case p.Op == design.Sign || p.Op == design.Verify:
		return 0
	}
	return p.Bytes
}

// split takes a packet through the splitter, to its cluster's queue or the wait queue; the result is when it has left
// ingress.
func (r *rtl) split(u *unit, i int32, at int64) (int64, error) {
	r.moves(at)
	for {
		if err := r.waits(at); err != nil {
			return 0, err
		}
		if q := u.cfg.Queue; q > 0 && (u.waiting.n > 0 || u.queue.n+u.left.n >= q) {
			if err := r.advance(at); err != nil {
				return 0, err
			}
		}
		if u.room(at) {
			u.enter(i, at)
			return at, nil
		}
		for r.parked.len() > 0 && r.parked.least() < at {
			r.parked.pop()
		}
		if w := r.cfg.WaitQueue; w == 0 || r.listed+r.parked.len() < w {
			u.park(i, at)
			r.res.WaitQueuePeak = max(r.res.WaitQueuePeak, r.listed+r.parked.len())
			return at, nil
		}
		at++ // the wait queue is full: until an entry is free, or the packet can go straight on
	}
}
