// SPDX-License-Identifier: Apache-2.0

package sched

// port is a read port that the lanes of a cluster share, round robin.
type port struct {
	post []int64 // since when there is a request, by lane; never: there is none
	cost []int64 // cycles for which it takes the port
	turn int     // the lane after the last one served
	free int64   // when the next one may be granted
	at   int64   // when it is; never: nobody asks
}

func (p *port) init(n int) {
	p.post, p.cost = make([]int64, n), make([]int64, n)
	for j := range p.post {
		p.post[j] = never
	}
	p.free, p.at = past, never
}

// request asks for the port from a time on.
func (p *port) request(j int, at, cost int64) {
	p.post[j], p.cost[j] = at, cost
	p.at = min(p.at, max(at, p.free))
}

// grant makes the next grant: who gets it.
func (p *port) grant() int {
	j, n := p.turn, len(p.post)
	for p.post[j] > p.at {
		if j++; j == n {
			j = 0
		}
	}
	if p.turn = j + 1; p.turn == n {
		p.turn = 0
	}
	p.post[j], p.free = never, p.at+p.cost[j]
	next := never
	for _, t := range p.post {
		next = min(next, t)
	}
	if p.at = never; next != never {
		p.at = max(next, p.free)
	}
	return j
}
