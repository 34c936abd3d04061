// SPDX-License-Identifier: Apache-2.0

package paper

import (
	"math"
	"math/rand/v2"
	"slices"
)

// The two-server experiment of paper 2: requests go to the server that reported the least load, which both report every
// period. Its hardware, weights and thresholds are lost; what is not in its text is chosen here.

// server is one of the two machines with its middleware.
type server struct {
	speed float64 // CPU seconds of work a second
	total int     // most connections, in static ones (TotalLink)
	pool  int     // connections that are open in any case
	mem   float64 // share of the memory that is in use when idle
	bytes float64 // share of the network that a request a second takes
}

// servers are PC a and PC b; b is the weaker one.
var servers = [2]server{
	{speed: 1, total: 120, pool: 10, mem: .3, bytes: .01},
	{speed: .8, total: 80, pool: 10, mem: .3, bytes: .01},
}

const (
	serverWindow  = 200.0 // seconds in which the requests of a test arrive
	serverDemand  = .4    // mean CPU seconds of a request, exponential
	serverPeriod  = 20.0  // seconds between two reports of the load, as in the paper
	checkPeriod   = 10.0  // seconds between two checks of the thresholds, as in the paper
	alarmChecks   = 3     // n of the paper
	memPerLink    = .0002 // share of the memory that a connection takes
	linkWeight    = 2.0   // k: a dynamic connection in static ones
	linkThreshold = .95   // of the connection utilisation, for the alarm
)

// loadWeights are alpha to epsilon: CPU, memory, network, ability, connections.
type loadWeights [5]float64

var (
	// resourceWeights are those of the load balancing that the paper compares with: resources alone.
	resourceWeights = loadWeights{1. / 3, 1. / 3, 1. / 3, 0, 0}
	// middlewareWeights are the paper's kind: all five.
	middlewareWeights = loadWeights{.2, .1, .1, .2, .4}
)

// request is a request being served or waiting for a connection.
type request struct {
	at, left float64
}

// serverState is a server in a run.
type serverState struct {
	server
	active, waiting []request
	busy            float64 // CPU seconds in the period
	served          int     // in the period
	over            int     // checks in a row over the threshold
	load            float64 // as last reported
	sum             float64 // response times
	done            int
}

func (s *serverState) links() float64 {
	dynamic := float64(len(s.active))
	return (linkWeight*dynamic + math.Max(0, float64(s.pool)-dynamic)) / float64(s.total)
}

// advance serves for a time that is not longer than to the next completion.
func (s *serverState) advance(now, dt float64) {
	n := len(s.active)
	if n == 0 {
		return
	}
	s.busy += dt
	share := s.speed * dt / float64(n)
	keep := s.active[:0]
	for _, r := range s.active {
		if r.left -= share; r.left > 1e-9 {
			keep = append(keep, r)
			continue
		}
		s.sum += now + dt - r.at
		s.done++
		s.served++
	}
	s.active = keep
	s.admit()
}

// admit gives waiting requests a connection while there are any left.
func (s *serverState) admit() {
	for len(s.waiting) > 0 && linkWeight*float64(len(s.active)+1) <= float64(s.total) {
		s.active = append(s.active, s.waiting[0])
		s.waiting = s.waiting[1:]
	}
}

// next is the time to the next completion.
func (s *serverState) next() float64 {
	if len(s.active) == 0 {
		return math.Inf(1)
	}
	least := math.Inf(1)
	for _, r := range s.active {
		least = math.Min(least, r.left)
	}
	return least * float64(len(s.active)) / s.speed
}

// report computes the load that the middleware sends to its processor. Products are converted before they are added, so that
// no machine fuses the two: who has less load decides.
func (s *serverState) report(w loadWeights, fastest float64) {
	cpu := s.busy / serverPeriod
	memory := math.Min(1, s.mem+float64(memPerLink*float64(len(s.active)+len(s.waiting))))
	network := math.Min(1, s.bytes*float64(s.served)/serverPeriod)
	ability := s.speed / fastest
	s.load = 0
	for i, v := range [...]float64{cpu, memory, network, 1 - ability, s.links()} {
		s.load += float64(w[i] * v)
	}
	s.busy, s.served = 0, 0
}

// runServers gives the mean response time of each server, and of all requests, in seconds.
func runServers(requests int, w loadWeights, r *rand.Rand) (each [2]float64, all float64) {
	arrivals := make([]float64, requests)
	for i := range arrivals {
		arrivals[i] = serverWindow * r.Float64()
	}
	slices.Sort(arrivals)
	demand := make([]float64, requests)
	for i := range demand {
		demand[i] = serverDemand * r.ExpFloat64()
	}
	var s [2]serverState
	fastest := 0.0
	for i := range s {
		s[i].server = servers[i]
		fastest = math.Max(fastest, s[i].speed)
	}
	for i := range s {
		s[i].report(w, fastest)
	}
	now, report, check := 0.0, serverPeriod, checkPeriod
	for i := 0; i < requests || s[0].done+s[1].done < requests; {
		at := math.Min(report, check)
		if i < requests {
			at = math.Min(at, arrivals[i])
		}
		for k := range s {
			at = math.Min(at, now+s[k].next())
		}
		for k := range s {
			s[k].advance(now, at-now)
		}
		now = at
		if now >= check {
			check += checkPeriod
			for k := range s {
				if s[k].links() > linkThreshold {
					s[k].over++
				} else {
					s[k].over = 0
				}
			}
		}
		if now >= report {
			report += serverPeriod
			for k := range s {
				s[k].report(w, fastest)
			}
		}
		for i < requests && arrivals[i] <= now {
			to := 0
			barred := [2]bool{s[0].over >= alarmChecks, s[1].over >= alarmChecks}
			if w[4] == 0 || barred[0] == barred[1] { // the alarm is the middleware's; all barred counts as none
				barred = [2]bool{}
			}
			if barred[0] || !barred[1] && s[1].load < s[0].load {
				to = 1
			}
			s[to].waiting = append(s[to].waiting, request{arrivals[i], demand[i]})
			s[to].admit()
			i++
		}
	}
	for k := range s {
		if s[k].done > 0 {
			each[k] = s[k].sum / float64(s[k].done)
		}
	}
	return each, (s[0].sum + s[1].sum) / float64(requests)
}
