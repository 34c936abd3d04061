// SPDX-License-Identifier: Apache-2.0

package sched

import "math/bits"

// wheel is a queue of times, the least first, for times that are near one another: what lies within wheelSpan of the last
// one that was taken is put into its cycle, the few others into a heap.
type wheel struct {
	now   int64 // nothing in the wheel is before
	some  [wheelSpan / 64]uint64
	first [wheelSpan]int32 // index in items of what was put last into a cycle, if some says that there is anything
	items []wheelItem
	spare int32 // free items
	n     int   // in the wheel
	next  int64 // no time in the wheel is before it
	far   heap
}

type wheelItem struct{ id, next int32 }

const wheelSpan = 1 << 12 // a power of two

func newWheel() *wheel { return &wheel{now: past, next: never, spare: none} }

func (w *wheel) len() int { return w.n + w.far.len() }

func (w *wheel) push(at int64, id int32) {
	if w.n == 0 && w.far.len() == 0 { // turn it to where the time is
		w.now = max(w.now, at-wheelSpan/2)
	}
	if at < w.now || at-w.now >= wheelSpan {
		w.far.push(at, id)
		return
	}
	i := w.spare
	if i == none {
		i = int32(len(w.items))
		w.items = append(w.items, wheelItem{})
	} else {
		w.spare = w.items[i].next
	}
	s := at & (wheelSpan - 1)
	w.items[i] = wheelItem{id, none}
	if word, bit := &w.some[s>>6], uint64(1)<<(s&63); *word&bit != 0 {
		w.items[i].next = w.first[s]
	} else {
		*word |= bit
	}
	w.first[s] = i
	w.n++
	w.next = min(w.next, at)
}

// least is the least time.
func (w *wheel) least() int64 {
	at := never
	if w.n > 0 {
		at = w.next
		for {
			s := at & (wheelSpan - 1)
			if x := w.some[s>>6] >> (s & 63); x != 0 {
				at += int64(bits.TrailingZeros64(x))
				break
			}
			at += 64 - s&63
		}
		w.next = at
	}
	if w.far.len() > 0 {
		at = min(at, w.far.least())
	}
	return at
}

// pop takes the first of the least time.
func (w *wheel) pop() timed {
	at := w.least()
	w.now = max(w.now, at)
	if w.n == 0 || w.next > at {
		return w.far.pop()
	}
	s := at & (wheelSpan - 1)
	i := w.first[s]
	x := &w.items[i]
	id := x.id
	if w.first[s] = x.next; x.next == none {
		w.some[s>>6] &^= 1 << (s & 63)
	}
	x.next, w.spare = w.spare, i
	if w.n--; w.n == 0 {
		w.next = never
	}
	return timed{at, id}
}
