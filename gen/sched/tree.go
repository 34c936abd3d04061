// SPDX-License-Identifier: Apache-2.0

package sched

import "math/bits"

// tree merges the lanes' streams into one, round robin in each of its nodes (rtl/sched/hwgen_merge_tree.v): up to 5 inputs
// are one node, more are spread over nodes of 4 in ranks. A node is a register; it takes an input in a cycle in which it
// is empty or is emptied.
//
// What comes alone into an empty tree is at its end a cycle a rank later, whatever comes after it: that is no more than
// one step. Its user calls step at the time at, and gives what an input has and takes what comes out of the root.
type tree struct {
	at    int64 // the next step; never: nothing can move
	open  int64 // when the root takes something; never: not known yet
	post  []int64
	some  [2]uint64 // inputs that have something
	soon  int64     // the least of post
	then  int64     // the second
	held  int       // nodes that are not empty
	ranks int64
	upper int // number of the first node that has nodes for its inputs
	nodes []treeNode
}

// item is what goes through a tree.
type item struct {
	input int32
	kind  uint8
}

type treeNode struct {
	from, to int   // inputs, or nodes of the rank before
	turn     int   // the one that is served first
	next     int   // the node behind it
	valid    int64 // since when it holds something; never: it is empty
	free     int64 // when it was emptied
	item     item
}

func newTree(n int) tree {
	t := tree{at: never, open: past, post: make([]int64, n), soon: never, then: never}
	for i := range t.post {
		t.post[i] = never
	}
	base := 0
	for {
		m := 1
		if n > 5 {
			m = (n + 3) / 4
		}
		first := len(t.nodes)
		if t.ranks == 1 {
			t.upper = first
		}
		for i := range m {
			from, to := i*n/m, (i+1)*n/m
			for k := from; k < to && t.ranks > 0; k++ {
				t.nodes[base+k].next = first + i
			}
			t.nodes = append(t.nodes, treeNode{from: base + from, to: base + to, turn: base + from, valid: never, free: past})
		}
		t.ranks++
		if m == 1 {
			break
		}
		base, n = first, m
	}
	if t.ranks == 1 {
		t.upper = 1
	}
	return t
}

// request says that an input has something from a time on.
func (t *tree) request(i int, at int64) {
	t.post[i] = at
	t.some[i>>6] |= 1 << (i & 63)
	if at < t.soon {
		t.soon, t.then = at, t.soon
	} else {
		t.then = min(t.then, at)
	}
	t.plan()
}

// opens says when the root takes something again.
func (t *tree) opens(at int64) {
	t.open = at
	t.plan()
}

// taken takes what an input has.
func (t *tree) taken(i int) {
	t.post[i] = never
	t.some[i>>6] &^= 1 << (i & 63)
	t.soon, t.then = never, never
	for w, m := range t.some {
		for ; m != 0; m &= m - 1 {
			if p := t.post[w<<6+bits.TrailingZeros64(m)]; p < t.soon {
				t.soon, t.then = p, t.soon
			} else {
				t.then = min(t.then, p)
			}
		}
	}
}

// plan finds the next step.
func (t *tree) plan() {
	switch {
	case t.ranks == 1:
		t.at = max(t.soon, t.open)
	case t.held == 0 && t.soon == never:
		t.at = never
	case t.held == 0 && t.then > t.soon && t.open < t.soon+t.ranks:
		t.at = t.soon
	default:
		t.at = never
		root := len(t.nodes) - 1
		for i := range t.nodes {
			if x := &t.nodes[i]; i == root {
				t.at = min(t.at, max(t.waits(i), t.open))
			} else if x.valid == never {
				t.at = min(t.at, max(t.waits(i), x.free))
			}
		}
	}
}

// waits is since when something waits for a node.
func (t *tree) waits(i int) int64 {
	x := &t.nodes[i]
	at := never
	if i < t.upper {
		for _, p := range t.post[x.from:x.to] {
			at = min(at, p)
		}
		return at
	}
	for k := x.from; k < x.to; k++ {
		at = min(at, t.nodes[k].valid)
	}
	return at
}

// serve is whose turn it is at a node.
func (t *tree) serve(i int, at int64) int {
	x := &t.nodes[i]
	k := x.turn
	for i < t.upper && t.post[k] > at || i >= t.upper && t.nodes[k].valid > at {
		if k++; k == x.to {
			k = x.from
		}
	}
	if x.turn = k + 1; x.turn == x.to {
		x.turn = x.from
	}
	return k
}

// merging is the user of a tree.
type merging interface {
	// accept is called when an input is taken: it gives the kind of what is taken, and may request the input's next.
	accept(input int, at int64) uint8
	// emit is called with what is behind the root from a time on; it says when the root is open again.
	emit(x item, at int64)
}

// step is all that the tree does in a cycle, from the root to the inputs.
func (t *tree) step(u merging) {
	at, root := t.at, len(t.nodes)-1
	switch {
	case t.ranks == 1:
		k := t.serve(root, at)
		t.taken(k)
		u.emit(item{int32(k), u.accept(k, at)}, at+1)
	case t.held == 0 && t.then > at && t.open < at+t.ranks:
		t.alone(u, at)
	default:
		for i := root; i >= 0; i-- {
			x := &t.nodes[i]
			if i == root && t.open > at || i != root && (x.valid != never || x.free > at) || t.waits(i) > at {
				continue
			}
			k := t.serve(i, at)
			var y item
			if i >= t.upper {
				c := &t.nodes[k]
				y, c.valid, c.free = c.item, never, at
				t.held--
			} else {
				t.taken(k)
				y = item{int32(k), u.accept(k, at)}
			}
			if i == root {
				u.emit(y, at+1)
				continue
			}
			x.item, x.valid = y, at+1
			t.held++
		}
	}
	t.plan()
}

// alone takes the only request through the empty tree.
func (t *tree) alone(u merging, at int64) {
	k := bits.TrailingZeros64(t.some[0])
	if t.some[0] == 0 || t.post[k] != at {
		for k = 0; t.post[k] != at; k++ { // others come later
		}
	}
	t.taken(k)
	y := item{int32(k), u.accept(k, at)}
	n := 0
	for t.nodes[n].to <= k {
		n++
	}
	for i, r := k, int64(1); ; r++ {
		x := &t.nodes[n]
		if x.turn = i + 1; x.turn == x.to {
			x.turn = x.from
		}
		if r == t.ranks {
			break
		}
		x.free = at + r
		i, n = n, x.next
	}
	u.emit(y, at+t.ranks)
}
