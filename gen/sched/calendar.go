// SPDX-License-Identifier: Apache-2.0

package sched

// calendar is the reservations of a port that serves one user at a time, round robin. Users come nearly in the order of
// time, in which it makes its decisions at once: of two that come in the same cycle the one who asks later gets it if
// it is its turn, and the other's answer, given before, is not taken back.
type calendar struct {
	users  int
	base   int64 // time of bit 0
	busy   uint64
	served [8]service // the last ones
	next   int
	stole  bool // the last one went before another who had been served
	own    bool // the next one may do so to one of the same user
}

type service struct {
	at, asked int64
	user      int
}

// take reserves the first n free cycles in a row from a time on, n at most 16; the result is the first of them.
func (c *calendar) take(at, n int64, user int) int64 {
	asked := at
	c.stole = false
	d := at - c.base
	if d < 0 {
		return at // long ago: nobody knows any more
	}
	if d >= 32 {
		if d >= 64+16 {
			c.busy = 0
		} else {
			c.busy >>= uint64(d - 16)
		}
		c.base += d - 16
		d = 16
	}
	m := uint64(1)<<n - 1
	if c.busy>>d&m != 0 {
		c.stole = c.turn(at, user)
		for !c.stole && c.busy>>d&m != 0 {
			d++
			if d >= 48 {
				c.busy >>= 16
				c.base += 16
				d -= 16
			}
		}
	}
	c.busy |= m << d
	at = c.base + d
	c.served[c.next&7] = service{at, asked, user}
	c.next++
	return at
}

// turn says whether a user goes before the one who has come in the same cycle and was served at once.
func (c *calendar) turn(at int64, user int) bool {
	rival, last := -1, service{at: past}
	for i := range c.served {
		switch x := &c.served[i]; {
		case x.at == at && x.asked == at:
			if rival >= 0 {
				return false
			}
			rival = x.user
		case x.at >= at:
			return false
		case x.at > last.at:
			last = *x
		}
	}
	if rival < 0 || rival == user {
		return rival == user && c.own
	}
	place := func(u int) int { return (u - last.user - 1 + 2*c.users) % c.users }
	return place(user) < place(rival)
}
