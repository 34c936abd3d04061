// SPDX-License-Identifier: Apache-2.0

package sched

// direct is what a fast run keeps of a packet inside.
type direct struct {
	arrival int64
	out     int32 // beats of its result
	cluster int32
	load    bool
	closes  bool // it ends a chained job
}

// sendDirect sends the source's next packet, not before a time, when nothing that was read waits; the result is when the
// one after it may be sent. ok is false if the packet must go through the sender's lists: it waits for room in the choose
// list, or has come before its job's packet before it was sent, and goes behind what has come meanwhile, or is a key load,
// behind which the jobs of its cluster gather.
func (r *rtl) sendDirect(at int64) (next int64, ok bool, err error) {
	s := r.snd
	p := &s.peek
	if p.Load || p.No > 0 && r.going[p.Job] >= p.Arrival {
		return at, false, nil
	}
	at = max(at, p.Arrival)
	if err := r.settle(at); err != nil {
		return at, false, err
	}
	if err := s.check(p, len(s.view)); err != nil {
		return at, false, err
	}
	if v := &s.view[p.Cluster]; p.Chained && p.No == 0 && v.bounded {
		if v.room == 0 {
			return at, false, nil
		}
		v.room--
	}
	s.read++
	last, ready, err := r.frame(p, at)
	if err != nil {
		return at, false, err
	}
	left, done, err := r.fast[p.Cluster].split(p, ready)
	if err != nil {
		return at, false, err
	}
	r.left(left, last)
	r.within(p, done)
	r.follow(p, last)
	if s.more = s.src.Next(p); !s.more {
		err = s.src.Err()
	}
	return last + 1, true, err
}

// follow notes when a packet of a job that goes on was sent.
func (r *rtl) follow(p *Packet, last int64) {
	switch {
	case p.Load:
	case !p.Last:
		r.going[p.Job] = last
	case p.No > 0:
		delete(r.going, p.Job)
	}
}

// within takes a packet that has been sent, and will be done at a time.
func (r *rtl) within(p *Packet, done int64) {
	var i int32
	if n := len(r.unused); n > 0 {
		i, r.unused = r.unused[n-1], r.unused[:n-1]
	} else {
		i = int32(len(r.direct))
		r.direct = append(r.direct, direct{})
	}
	r.direct[i] = direct{p.Arrival, r.resultBeats(p), int32(p.Cluster), p.Load, p.Chained && p.Last}
	r.done.push(done, ^i)
}

// exitDirect is exit for a packet of a fast run.
func (r *rtl) exitDirect(x timed) {
	d := &r.direct[^x.id]
	r.last = max(x.at+toResult, r.last+1) + int64(d.out) - 1
	if r.cfg.Slots > 0 {
		r.freed.push(r.last + slotFree)
	}
	if !d.load {
		r.res.Response.add(r.last - d.arrival)
	}
	if d.closes {
		r.exits.push(timed{r.last, ^d.cluster})
	}
	r.unused = append(r.unused, ^x.id)
}
