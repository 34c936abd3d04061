// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
)

// merger is the user of a tree: it asks for each input again and again, and closes the root now and then.
type merger struct {
	gaps   [][]int64 // by input, from what was taken to the next request
	closed []int64   // by emission, for how long the root is closed after it; 0: not at all
	after  func(input int, at int64)
	shut   func(until int64)
	out    []string
	n      int
}

func (m *merger) take(i int, at int64) uint8 {
	if len(m.gaps[i]) > 0 {
		g := m.gaps[i][0]
		m.gaps[i] = m.gaps[i][1:]
		m.after(i, at+g)
	}
	return uint8(at)
}

func (m *merger) accept(i int, at int64) uint8 { return m.take(i, at) }

func (m *merger) emit(x item, at int64) {
	m.out = append(m.out, fmt.Sprintf("%d: input %d, taken at %d", at, x.input, x.kind))
	c := m.closed[m.n%len(m.closed)]
	m.n++
	m.shut(at + c)
}

// byCycle merges as the RTL does, a cycle after the other.
func byCycle(n int, m *merger, first []int64) {
	type reg struct {
		item
		full  bool
		since int64
	}
	// groups of inputs, rank by rank
	var ranks [][][]int
	for k := n; ; {
		nodes := 1
		if k > 5 {
			nodes = (k + 3) / 4
		}
		var rank [][]int
		for i := range nodes {
			var in []int
			for j := i * k / nodes; j < (i+1)*k/nodes; j++ {
				in = append(in, j)
			}
			rank = append(rank, in)
		}
		ranks = append(ranks, rank)
		if k = nodes; k == 1 {
			break
		}
	}
	regs, turns := make([][]reg, len(ranks)), make([][]int, len(ranks))
	for r := range ranks {
		regs[r], turns[r] = make([]reg, len(ranks[r])), make([]int, len(ranks[r]))
	}
	post := append([]int64(nil), first...)
	open := int64(0)
	m.after = func(i int, at int64) { post[i] = at }
	m.shut = func(until int64) { open = until }
	for at := int64(0); at < 20000; at++ {
		for r := len(ranks) - 1; r >= 0; r-- {
			for x, in := range ranks[r] {
				root := r == len(ranks)-1
				if root && open > at || !root && regs[r][x].full {
					continue
				}
				for k := range in {
					turn := (turns[r][x] + k) % len(in)
					j := in[turn]
					var got item
					switch {
					case r == 0 && post[j] <= at:
						post[j] = never
						got = item{int32(j), m.take(j, at)}
					case r > 0 && regs[r-1][j].full && regs[r-1][j].since <= at:
						got = regs[r-1][j].item
						regs[r-1][j].full = false
					default:
						continue
					}
					turns[r][x] = (turn + 1) % len(in)
					if root {
						m.emit(got, at+1)
					} else {
						regs[r][x] = reg{got, true, at + 1}
					}
					break
				}
			}
		}
	}
}

func TestTree(t *testing.T) {
	for seed := range int64(400) {
		r := rand.New(rand.NewSource(seed))
		n := 1 + r.Intn(65)
		busy := 1 + r.Intn(200)
		first := make([]int64, n)
		gaps := make([][]int64, n)
		for i := range gaps {
			first[i] = int64(r.Intn(busy))
			for range r.Intn(30) {
				gaps[i] = append(gaps[i], 1+int64(r.Intn(busy)*r.Intn(2)))
			}
		}
		closed := []int64{0}
		for range r.Intn(2) * 30 {
			closed = append(closed, int64(r.Intn(2)*r.Intn(12)))
		}
		users := [2]*merger{}
		for k := range users {
			g := make([][]int64, n)
			for i := range g {
				g[i] = append([]int64(nil), gaps[i]...)
			}
			users[k] = &merger{gaps: g, closed: closed}
		}
		byCycle(n, users[0], first)

		x, u := newTree(n), users[1]
		opens := never
		u.after = x.request
		u.shut = func(until int64) {
			if x.open = until; r.Intn(2) == 0 { // told later
				x.open, opens = never, until
			}
		}
		for i, at := range first {
			x.request(i, at)
		}
		for x.at < never || opens < never {
			if opens <= x.at {
				at := opens
				opens = never
				x.opens(at)
				continue
			}
			x.step(u)
		}
		require.Equal(t, users[0].out, u.out, "seed %d, %d inputs", seed, n)
	}
}
