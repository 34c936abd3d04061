// SPDX-License-Identifier: Apache-2.0

package sched

// direct is a packet inside that went from the source to the design at once: with Config.Fast, as long as no packet waits
// for another, the sender's lists are left out.
type direct struct {
	arrival int64
	out     int32 // beats of its result
	cluster int32
	load    bool
	closes  bool // it ends a chained job
}

// sendDirect sends the source's next packet, not before a time; the result is when the one after it may be sent. ok is
// false if it has to wait for room in the choose list.
func (r *rtl) sendDirect(at int64) (next int64, ok bool, err error) {
	s := r.snd
	p := &s.peek
	if err := s.check(p, len(s.view)); err != nil {
		return at, false, err
	}
	at = max(at, p.Arrival)
	if err := r.settle(at); err != nil {
		return at, false, err
	}
	v := &s.view[p.Cluster]
	if v.quota > 0 {
		return at, false, nil
	}
	if p.Chained && p.No == 0 && v.bounded {
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
	var i int32
	if n := len(r.unused); n > 0 {
		i, r.unused = r.unused[n-1], r.unused[:n-1]
	} else {
		i = int32(len(r.direct))
		r.direct = append(r.direct, direct{})
	}
	r.direct[i] = direct{p.Arrival, r.resultBeats(p), int32(p.Cluster), p.Load, p.Chained && p.Last}
	r.done.push(done, ^i)
	if s.more = s.src.Next(p); !s.more {
		err = s.src.Err()
	}
	return last + 1, true, err
}

// exitDirect is exit for a packet of sendDirect.
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
