// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"fmt"
	"slices"
)

// Planned is a Source whose packets wait for one another, as those of a jobs file do: the sender of `hwgen sim` keeps no
// more chained jobs and keys open than a cluster has room for.
type Planned interface {
	Source
	// Len is the number of packets.
	Len() int
	// After are the packets, by their numbers in the order of Next, that packet i waits for: those that must have been
	// sent, and those whose results must have been received.
	After(i int) (sent, results []int)
}

// maxAhead bounds how far the sender looks ahead of what it has sent.
const maxAhead = 1 << 16

// node is a packet at the sender or inside.
type node struct {
	p       Packet
	seq     int   // its number in the source
	waits   int32 // for so many others
	sent    int32 // edge: who waits until it has been sent
	result  int32 // edge: who waits for its result
	arrived bool
	out     int32 // beats of its result
	enter   int64 // into the cluster queue
	// for the observer
	core                 int
	dispatch, start, end int64
}

// edge is an entry in a list of nodes.
type edge struct{ node, next int32 }

// chooser is the sender's view of a cluster.
type chooser struct {
	room    int         // chained jobs that may be opened
	bounded bool        // there is a bound
	waiting ring[int32] // first packets of jobs that wait for room
	load    int32       // a key load that has been read and not sent
	behind  int32       // the last edge of who waits for that
	inside  int         // packets sent whose results have not come, for the quota
	quota   int
}

// sender decides which packet is sent next, as the harness of `hwgen sim` does: first come, first served among those
// that wait for nothing; a packet is ready when its job's packet before it has been sent.
type sender struct {
	src     Source
	planned bool
	nodes   []node
	spare   []int32
	edges   []edge
	noEdge  int32 // free edges
	ready   ring[int32]
	fresh   []int32 // ready by their arrival since the last pick: they go behind those that were set free meanwhile
	held    []int32
	now     int64 // the cycle after the last thing that set a packet free
	peek    Packet
	more    bool // peek holds the next packet
	read    int  // packets taken from the source
	unsent  int
	blocked int              // packets read that wait for others
	last    map[uint64]int32 // the last packet read of jobs, while it has not been sent
	view    []chooser
	arrival int64
}

const none = -1

func newSender(src Source, cfg *Config) *sender {
	s := &sender{src: src, noEdge: none, last: map[uint64]int32{}, view: make([]chooser, len(cfg.Clusters))}
	for i := range s.view {
		c := &cfg.Clusters[i]
		s.view[i] = chooser{room: c.Choose, bounded: c.Choose > 0, load: none, quota: c.Quota}
	}
	if p, ok := src.(Planned); ok {
		s.planned = true
		s.nodes = make([]node, p.Len())
		for i := range s.nodes {
			s.nodes[i].sent, s.nodes[i].result = none, none
		}
		for i := range s.nodes {
			sent, results := p.After(i)
			for _, j := range sent {
				s.nodes[j].sent = s.edge(int32(i), s.nodes[j].sent)
			}
			for _, j := range results {
				s.nodes[j].result = s.edge(int32(i), s.nodes[j].result)
			}
			s.nodes[i].waits = int32(len(sent) + len(results))
		}
		// the lists were built from the front; they are released in order
		for i := range s.nodes {
			s.nodes[i].sent, s.nodes[i].result = s.reverse(s.nodes[i].sent), s.reverse(s.nodes[i].result)
		}
	}
	s.more = src.Next(&s.peek)
	return s
}

func (s *sender) edge(to, next int32) int32 {
	if i := s.noEdge; i != none {
		s.noEdge = s.edges[i].next
		s.edges[i] = edge{to, next}
		return i
	}
	s.edges = append(s.edges, edge{to, next})
	return int32(len(s.edges) - 1)
}

func (s *sender) reverse(e int32) int32 {
	r := int32(none)
	for e != none {
		e, s.edges[e].next, r = s.edges[e].next, r, e
	}
	return r
}

func (s *sender) release(list *int32) {
	for e := *list; e != none; {
		i, next := s.edges[e].node, s.edges[e].next
		s.edges[e].next, s.noEdge = s.noEdge, e
		s.met(i)
		e = next
	}
	*list = none
}

// met says that something which a packet waits for has come.
func (s *sender) met(i int32) {
	n := &s.nodes[i]
	if n.waits--; n.waits > 0 || !n.arrived {
		return
	}
	s.blocked--
	if n.p.Arrival <= s.now {
		s.ready.push(i)
		return
	}
	k := len(s.fresh)
	for k > 0 && s.nodes[s.fresh[k-1]].seq > n.seq { // which is by arrival
		k--
	}
	s.fresh = slices.Insert(s.fresh, k, i)
}

// arrive takes packets from the source that have arrived.
func (s *sender) arrive(now int64, clusters int) error {
	for s.more && s.peek.Arrival <= now && (s.planned || s.unsent < maxAhead) {
		if err := s.take(clusters); err != nil {
			return err
		}
	}
	return nil
}

func (s *sender) take(clusters int) error {
	p := &s.peek
	if err := s.check(p, clusters); err != nil {
		return err
	}
	i := int32(s.read)
	if !s.planned {
		i = s.alloc()
	} else if s.read >= len(s.nodes) {
		return fmt.Errorf("the workload has more than %d packets", len(s.nodes))
	}
	s.read++
	s.unsent++
	n := &s.nodes[i]
	if !s.planned {
		n.waits, n.sent, n.result = 0, none, none
	}
	n.p, n.seq, n.arrived = *p, s.read, true
	if !s.planned {
		s.depend(i, n)
	}
	if n.waits == 0 {
		s.fresh = append(s.fresh, i)
	} else {
		s.blocked++
	}
	if s.more = s.src.Next(p); !s.more {
		return s.src.Err()
	}
	return nil
}

func (s *sender) alloc() int32 {
	if k := len(s.spare); k > 0 {
		i := s.spare[k-1]
		s.spare = s.spare[:k-1]
		return i
	}
	s.nodes = append(s.nodes, node{})
	return int32(len(s.nodes) - 1)
}

// depend finds what a packet of a plain stream waits for: its cluster's key load, its job's packet before it, and if it
// opens a chained job, room in the choose list.
func (s *sender) depend(i int32, n *node) {
	v := &s.view[n.p.Cluster]
	if n.p.Load {
		v.load, v.behind = i, none
		return
	}
	if n.p.No > 0 {
		if j, ok := s.last[n.p.Job]; ok {
			n.waits++
			s.nodes[j].sent = s.edge(i, s.nodes[j].sent) // at most one
		}
	} else {
		if v.load != none {
			n.waits++
			e := s.edge(i, none)
			if v.behind == none {
				s.nodes[v.load].sent = e
			} else {
				s.edges[v.behind].next = e
			}
			v.behind = e
		}
		if n.p.Chained && v.bounded {
			if v.room > 0 {
				v.room--
			} else {
				n.waits++
				v.waiting.push(i)
			}
		}
	}
	if !n.p.Last {
		s.last[n.p.Job] = i
	} else if n.p.No > 0 {
		delete(s.last, n.p.Job)
	}
}

// pick is the next packet to send, or none.
func (s *sender) pick() int32 {
	for _, i := range s.fresh {
		s.ready.push(i)
	}
	s.fresh, s.held = s.fresh[:0], s.held[:0]
	got := int32(none)
	for s.ready.n > 0 && len(s.held) <= 64 {
		i := s.ready.pop()
		if v := &s.view[s.nodes[i].p.Cluster]; v.quota > 0 && v.inside >= v.quota {
			s.held = append(s.held, i)
			continue
		}
		got = i
		break
	}
	for k := len(s.held) - 1; k >= 0; k-- {
		s.ready.unshift(s.held[k])
	}
	if got != none {
		s.view[s.nodes[got].p.Cluster].inside++
	}
	return got
}

// sentLast notes that a packet's last beat has been taken.
func (s *sender) sentLast(i int32, at int64) {
	n := &s.nodes[i]
	s.now = at + 1
	s.unsent--
	if !s.planned {
		if v := &s.view[n.p.Cluster]; n.p.Load && v.load == i {
			v.load = none
		}
		if !n.p.Last && !n.p.Load {
			if j, ok := s.last[n.p.Job]; ok && j == i {
				delete(s.last, n.p.Job)
			}
		}
	}
	s.release(&n.sent)
}

// received notes that a packet's result has come; the node is free then.
func (s *sender) received(i int32, at int64) {
	n := &s.nodes[i]
	s.now = at + 1
	s.release(&n.result)
	if s.planned {
		return
	}
	if n.p.Chained && n.p.Last {
		s.closed(n.p.Cluster)
	}
	s.spare = append(s.spare, i)
}

// closed notes that a chained job has ended.
func (s *sender) closed(cluster int) {
	v := &s.view[cluster]
	switch {
	case !v.bounded:
	case v.waiting.n > 0:
		s.met(v.waiting.pop())
	default:
		v.room++
	}
}

// check looks whether a packet may be the next of the source.
func (s *sender) check(p *Packet, clusters int) error {
	if p.Arrival < s.arrival {
		return fmt.Errorf("packet %d of job %d arrives at %d, after one that arrives at %d", p.No, p.Job, p.Arrival, s.arrival)
	}
	s.arrival = p.Arrival
	if p.Cluster < 0 || p.Cluster >= clusters {
		return fmt.Errorf("packet %d of job %d is for cluster %d of %d", p.No, p.Job, p.Cluster, clusters)
	}
	return nil
}
