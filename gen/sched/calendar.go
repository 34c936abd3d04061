// SPDX-License-Identifier: Apache-2.0

package sched

import "math/bits"

// calendar says in which cycles a port is taken: of calendarSpan cycles from the one on to which it was moved last.
type calendar struct {
	first int64 // 64 cycles a word: the number of the first word
	taken [calendarSpan / 64]uint64
}

// A power of two. What is asked for later than that is granted, since who asks is not in a hurry.
const calendarSpan = 1 << 13

const calendarMask = calendarSpan/64 - 1

// move forgets all before a time.
func (c *calendar) move(at int64) {
	w := at >> 6
	if w <= c.first {
		return
	}
	for i := range min(w-c.first, calendarSpan/64) {
		c.taken[(c.first+i)&calendarMask] = 0
	}
	c.first = w
}

// reserve takes the port for n cycles, at most 32, from a time on, not all in a row if others have it in between; the
// result is the cycle after the last of them.
func (c *calendar) reserve(at, n int64) int64 {
	_, end := c.take(at, n)
	return end
}

// hold takes a port that is not taken away before its user is done, for n cycles from a time on: who finds it free has
// it in a row, and who was to have it meanwhile waits. That wait, mostly shorter than what hides it, is left out; the cycles
// are taken from what is free later.
func (c *calendar) hold(at, n int64) int64 {
	first, _ := c.take(at, n)
	return first + n
}

// take takes the first n free cycles, at most 32, from a time on: the first of them, and the cycle after the last.
func (c *calendar) take(at, n int64) (first, end int64) {
	mask := uint64(1)<<n - 1
	first = never
	for {
		w, b := at>>6, at&63
		if w-c.first >= calendarMask || w < c.first {
			return min(first, at), at + n
		}
		low, high := &c.taken[w&calendarMask], &c.taken[(w+1)&calendarMask]
		x := *low>>b | *high<<(64-b) // a shift by 64 is 0
		if x&mask == 0 {
			*low |= mask << b
			*high |= mask >> (64 - b)
			return min(first, at), at + n
		}
		free, got := ^x, uint64(0)
		if free != 0 {
			first = min(first, at+int64(bits.TrailingZeros64(free)))
		}
		for ; free != 0 && n > 0; n-- {
			got |= free & -free
			free &= free - 1
		}
		*low |= got << b
		*high |= got >> (64 - b)
		if n == 0 {
			return first, at + int64(bits.Len64(got))
		}
		at += 64
		mask = uint64(1)<<n - 1
	}
}
