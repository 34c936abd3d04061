// SPDX-License-Identifier: Apache-2.0

package sched

// ring is a queue that grows to what it holds at a time.
type ring[T any] struct {
	buf  []T // its length is a power of two
	head int
	n    int
}

func (r *ring[T]) grow() {
	if r.n < len(r.buf) {
		return
	}
	b := make([]T, max(4, 2*len(r.buf)))
	for i := range r.n {
		b[i] = *r.at(i)
	}
	r.buf, r.head = b, 0
}

func (r *ring[T]) push(v T) {
	r.grow()
	r.buf[(r.head+r.n)&(len(r.buf)-1)] = v
	r.n++
}

// unshift puts a value before all others.
func (r *ring[T]) unshift(v T) {
	r.grow()
	r.head = (r.head - 1) & (len(r.buf) - 1)
	r.buf[r.head] = v
	r.n++
}

func (r *ring[T]) pop() T {
	v := r.buf[r.head]
	r.head = (r.head + 1) & (len(r.buf) - 1)
	r.n--
	return v
}

// at is the i-th oldest.
func (r *ring[T]) at(i int) *T { return &r.buf[(r.head+i)&(len(r.buf)-1)] }

// timed is an element of a heap.
type timed struct {
	at int64
	id int32
}

// heap is a binary heap, the least time first.
type heap struct{ a []timed }

func (h *heap) len() int     { return len(h.a) }
func (h *heap) least() int64 { return h.a[0].at }

func (h *heap) push(at int64, id int32) {
	h.a = append(h.a, timed{})
	i := len(h.a) - 1
	for i > 0 {
		up := (i - 1) / 2
		if h.a[up].at <= at {
			break
		}
		h.a[i] = h.a[up]
		i = up
	}
	h.a[i] = timed{at, id}
}

func (h *heap) pop() timed {
	least := h.a[0]
	n := len(h.a) - 1
	v := h.a[n]
	h.a = h.a[:n]
	i := 0
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && h.a[c+1].at < h.a[c].at {
			c++
		}
		if h.a[c].at >= v.at {
			break
		}
		h.a[i] = h.a[c]
		i = c
	}
	if n > 0 {
		h.a[i] = v
	}
	return least
}
