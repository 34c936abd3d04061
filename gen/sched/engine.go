// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"fmt"
	"math"

	"hwgen/gen/design"
	"hwgen/gen/policy"
)

// Cluster is a cluster of a Config.
type Cluster struct {
	Time [][design.NumOps]int64 // ticks a block, [core][op]; 0: the core does not do the command
	Inv  []bool                 // cores that have the inverse cipher; nil: all
	Cap  []int                  // packets of each core, the one in service included
	// CapBlocks: Cap counts blocks instead, and a core has room for a packet that fits: paper 1's storage capacity.
	CapBlocks bool
	Tables    *policy.Tables
	// BindJob binds a chained job to its core up to its last packet; false: while packets of it are in flight. The policy
	// static binds to the last packet whatever is said here.
	BindJob bool
	Queue   int // packets in the cluster queue; 0: unbounded
	// Choose is open chained jobs; 0: unbounded. With a design's timing the sender opens no more. Without, a job that finds
	// no room is refused, with all its packets.
	Choose int
	Quota  int // packets of the cluster that the sender keeps inside; 0: unbounded. With a design's timing only
}

// Config of a run.
type Config struct {
	Clusters []Cluster
	Timing   Timing
	Slots    int // packets inside at a time; 0: unbounded
	// WaitQueue is the packets that wait for room in their cluster's queue; 0: unbounded, negative: none.
	WaitQueue int
	// Fast: a run with a design's timing follows packets, not cycles (fast.go): several times as fast, and of long runs mostly
	// within 1 % of the exact makespan (docs/model.md). Runs with a scan are exact all the same: its credits wait for it, and lanes
	// for them, which is more than a few cycles.
	Fast bool
	// Observe, if set, sees every data packet that a core was given: in the order of a cluster's dispatches, with a design's
	// timing in the order of results.
	Observe func(Completion)
}

// Completion is the life of a packet.
type Completion struct {
	Packet
	Core int
	// Enter: into the cluster queue or wait queue, with a design's timing into the cluster queue; Dispatch: the decision;
	// Start and End: the service, the first block into the core and the last one out of it; Result: the last beat of the
	// result, without a design's timing the end.
	Enter, Dispatch, Start, End, Result int64
}

// never is later than any time of a run.
const never = int64(1) << 59

// job is an open chained job.
type job struct {
	core    int
	pending int // dispatched and not credited
	last    bool
	id      uint64
}

// credit is a dispatched packet whose completion the balancer has not yet taken into account.
type credit struct {
	at     int64
	amount uint64
	job    int32 // index in jobs, -1: none
	more   int32 // blocks after the first, if blocks are what fills a core
}

// core is a core with its queue.
type core struct {
	out  ring[credit]
	free int64 // end of the last packet
}

// cluster is the state of a cluster.
type cluster struct {
	cfg  *Cluster
	res  *ClusterResult
	bal  *Balancer
	time [design.NumOps][]int64
	bind bool

	cores []core
	next  []int64 // per core, the time of its first credit
	soon  int64   // the least of next
	head  int64   // time at which the head of the queue is free for the next packet

	jobs    []job
	spare   []int32 // free entries of jobs
	byID    map[uint64]int32
	entered ring[int64] // dispatch times of the packets that hold the cluster queue
}

// engine runs a workload.
//
// Every packet is followed through in the order in which packets enter. That is possible since nothing that comes later
// changes an earlier packet's time: a cluster's decisions are made in the order of entry (strict head of line), and a
// core serves in the order of dispatch, so that the time of its end is known when it is dispatched. What remains open
// are small sorted sets: the credits to come of each core, the ends of the packets that hold slots, the times at which
// the wait queue's packets leave it.
type engine struct {
	cfg      *Config
	res      *Result
	clusters []cluster
	slots    heap // ends of the packets that hold slots
	parked   heap // times at which packets leave the wait queue
	now      int64
}

// Run runs a workload to its end. Memory depends on the packets inside at a time, not on the length of the workload: on
// Slots, on the caps, and where queues are bounded but slots are not, on the backlog.
func Run(cfg *Config, src Source) (*Result, error) {
	e := &engine{cfg: cfg, res: &Result{Clusters: make([]ClusterResult, len(cfg.Clusters))}}
	if err := e.init(); err != nil {
		return nil, err
	}
	if cfg.Timing.Beat > 0 {
		bals := make([]*Balancer, len(e.clusters))
		for i := range bals {
			bals[i] = e.clusters[i].bal
		}
		if err := runRTL(cfg, e.res, bals, src); err != nil {
			return nil, err
		}
		return e.finish(), nil
	}
	var p Packet
	last := int64(math.MinInt64)
	for src.Next(&p) {
		if p.Arrival < last {
			return nil, fmt.Errorf("packet %d of job %d arrives at %d, after one that arrives at %d", p.No, p.Job, p.Arrival, last)
		}
		last = p.Arrival
		if p.Cluster < 0 || p.Cluster >= len(e.clusters) {
			return nil, fmt.Errorf("packet %d of job %d is for cluster %d of %d", p.No, p.Job, p.Cluster, len(e.clusters))
		}
		if p.Load {
			e.res.Loads++
			continue
		}
		if err := e.packet(&p); err != nil {
			return nil, err
		}
	}
	if err := src.Err(); err != nil {
		return nil, err
	}
	return e.finish(), nil
}

// finish gives the only cluster the waits of all.
func (e *engine) finish() *Result {
	if len(e.clusters) == 1 {
		e.res.Clusters[0].Wait = e.res.Wait
	}
	return e.res
}

func (e *engine) init() error {
	if len(e.cfg.Clusters) == 0 {
		return fmt.Errorf("no clusters")
	}
	e.clusters = make([]cluster, len(e.cfg.Clusters))
	for i := range e.clusters {
		c, cfg := &e.clusters[i], &e.cfg.Clusters[i]
		n := len(cfg.Time)
		switch {
		case n < 1 || n > MaxCores:
			return fmt.Errorf("cluster %d: %d cores, must be 1 to %d", i, n, MaxCores)
		case cfg.CapBlocks && e.cfg.Timing.Beat > 0:
			return fmt.Errorf("cluster %d: capacities in blocks have no timing", i)
		case len(cfg.Cap) != n || cfg.Inv != nil && len(cfg.Inv) != n:
			return fmt.Errorf("cluster %d: %d cores, %d caps, %d inverse flags", i, n, len(cfg.Cap), len(cfg.Inv))
		case cfg.Tables == nil:
			return fmt.Errorf("cluster %d: no tables", i)
		case cfg.Tables.Pointer == policy.PointerNone && (len(cfg.Tables.Base) != n || len(cfg.Tables.Inc) != n):
			return fmt.Errorf("cluster %d: tables of %d and %d cores for %d", i, len(cfg.Tables.Base), len(cfg.Tables.Inc), n)
		}
		canOp, canInv := make([][design.NumOps]bool, n), make([]bool, n)
		for op := range design.NumOps {
			c.time[op] = make([]int64, n)
		}
		for j := range n {
			if cfg.Cap[j] < 1 {
				return fmt.Errorf("cluster %d: cap of core %d is %d", i, j, cfg.Cap[j])
			}
			canInv[j] = cfg.Inv == nil || cfg.Inv[j]
			for op, t := range cfg.Time[j] {
				canOp[j][op] = t > 0
				c.time[op][j] = t
			}
		}
		e.res.Clusters[i].Cores = make([]CoreResult, n)
		c.cfg, c.res = cfg, &e.res.Clusters[i]
		c.bal = NewBalancer(cfg.Tables, cfg.Cap, canOp, canInv)
		c.bind = cfg.BindJob || cfg.Tables.Pointer == policy.PointerStatic
		c.cores, c.next, c.soon = make([]core, n), make([]int64, n), never
		for j := range c.next {
			c.next[j] = never
		}
		c.byID = map[uint64]int32{}
	}
	return nil
}

// packet takes one packet from its arrival to its end.
func (e *engine) packet(p *Packet) error {
	c := &e.clusters[p.Cluster]
	enter := e.enter(c, p)
	entry := int32(-1)
	if p.Chained {
		i, open := c.byID[p.Job]
		switch {
		case open:
			entry = i
		case p.No > 0 || c.cfg.Choose > 0 && len(c.byID) >= c.cfg.Choose:
			// The entries are counted as they are when the packet is at the head.
			c.credits(max(enter, c.head))
			if p.No > 0 || len(c.byID) >= c.cfg.Choose {
				e.res.Refused++
				return nil
			}
		}
	}
	if err := c.bal.can(p); err != nil {
		return err
	}

	at := max(enter, c.head)
	ready := at
	var j int
	bound := false
	for {
		c.credits(at)
		if c.cfg.CapBlocks {
			c.bal.fit(p.Blocks)
		}
		if entry >= 0 && (c.bind || c.jobs[entry].pending > 0) {
			j, bound = c.jobs[entry].core, true
			if !c.bal.Full(j) {
				break
			}
		} else {
			var ok bool
			bound = false
			if j, ok = c.bal.Decide(p.Op, p.Inverse); ok {
				break
			}
		}
		at = c.soon
		if at == never {
			return fmt.Errorf("packet %d of job %d waits for ever: cluster %d is empty and no core may take it", p.No, p.Job,
				p.Cluster)
		}
	}
	c.res.Blocked += at - ready
	c.head = at

	amount := c.bal.Dispatch(j, p.Op, p.Blocks, bound)
	if p.Chained {
		if entry < 0 {
			entry = c.open(p.Job)
		}
		o := &c.jobs[entry]
		o.core, o.last = j, p.Last
		o.pending++
	}
	more := 0
	if c.cfg.CapBlocks {
		more = max(0, p.Blocks-1)
		c.bal.hold(j, more)
	}
	co := &c.cores[j]
	start := max(at, co.free)
	service := ServiceTime(c.time[p.Op][j], p)
	end := start + service
	co.free = end
	if co.out.n == 0 {
		c.next[j] = end
		c.soon = min(c.soon, end)
	}
	co.out.push(credit{end, amount, entry, int32(more)})

	e.entered(c, enter, at)
	if e.cfg.Slots > 0 {
		e.slots.push(end, none)
	}

	r, cr := e.res, c.res
	r.Packets++
	if p.No == 0 {
		r.Jobs++
	}
	if bound {
		cr.Bound++
	}
	cr.Cores[j].Packets++
	cr.Cores[j].Busy += service
	r.Makespan = max(r.Makespan, end)
	r.Wait.add(start - p.Arrival)
	r.Response.add(end - p.Arrival)
	if len(e.clusters) > 1 {
		cr.Wait.add(start - p.Arrival)
	}
	if e.cfg.Observe != nil {
		e.cfg.Observe(Completion{*p, j, enter, at, start, end, end})
	}
	return nil
}

// enter is the time at which a packet gets in: it has a slot and a place in the cluster queue or the wait queue.
func (e *engine) enter(c *cluster, p *Packet) int64 {
	from := max(p.Arrival, e.now)
	at := from
	if s := e.cfg.Slots; s > 0 {
		for e.slots.len() > 0 && e.slots.least() <= at {
			e.slots.pop()
		}
		for e.slots.len() >= s {
			at = max(at, e.slots.pop().at)
		}
	}
	if q := c.cfg.Queue; q > 0 {
		for e.parked.len() > 0 && e.parked.least() <= at {
			e.parked.pop()
		}
		if w := max(0, e.cfg.WaitQueue); e.cfg.WaitQueue != 0 && c.entered.n >= q && *c.entered.at(0) > at {
			// its own queue has room before it has to wait for the wait queue's
			for e.parked.len() >= w && *c.entered.at(0) > at {
				at = *c.entered.at(0)
				if w > 0 {
					at = min(at, e.parked.least())
				}
				for e.parked.len() > 0 && e.parked.least() <= at {
					e.parked.pop()
				}
			}
		}
	}
	e.res.Stalls += at - from
	e.now = at
	return at
}

// entered notes when a packet left the cluster queue, and whether it was in the wait queue before.
func (e *engine) entered(c *cluster, enter, dispatch int64) {
	q := c.cfg.Queue
	if q == 0 {
		return
	}
	if c.entered.n >= q {
		if room := c.entered.pop(); room > enter {
			e.parked.push(room, none)
			e.res.WaitQueuePeak = max(e.res.WaitQueuePeak, e.parked.len())
		}
	}
	c.entered.push(dispatch)
}

// credits takes all completions up to a time into account.
func (c *cluster) credits(until int64) {
	for c.soon <= until {
		soon := never
		for j, at := range c.next {
			if at <= until {
				co := &c.cores[j]
				for at <= until {
					x := co.out.pop()
					c.bal.Credit(j, x.amount)
					if x.more > 0 {
						c.bal.hold(j, -int(x.more))
					}
					if x.job >= 0 {
						c.credited(x.job)
					}
					at = never
					if co.out.n > 0 {
						at = co.out.at(0).at
					}
				}
				c.next[j] = at
			}
			soon = min(soon, at)
		}
		c.soon = soon
	}
}

// open makes an entry of the choose list.
func (c *cluster) open(id uint64) int32 {
	var i int32
	if n := len(c.spare); n > 0 {
		i = c.spare[n-1]
		c.spare = c.spare[:n-1]
	} else {
		i = int32(len(c.jobs))
		c.jobs = append(c.jobs, job{})
	}
	c.jobs[i] = job{id: id}
	c.byID[id] = i
	return i
}

// credited closes a job when its last packet is done.
func (c *cluster) credited(i int32) {
	o := &c.jobs[i]
	if o.pending--; o.pending == 0 && o.last {
		delete(c.byID, o.id)
		c.spare = append(c.spare, i)
	}
}
