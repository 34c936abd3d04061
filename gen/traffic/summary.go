// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"fmt"
	"strings"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/sched"
	"hwgen/gen/workload"
)

// Summary counts a workload. Key loads are not in it.
type Summary struct {
	Packets     int64            `json:"packets"`
	Jobs        int64            `json:"jobs"`
	ChainedJobs int64            `json:"chained_jobs"` // of more than one packet in a chained mode
	Bytes       int64            `json:"bytes"`
	Blocks      int64            `json:"blocks"` // of 16 bytes
	First       int64            `json:"first_arrival"`
	Last        int64            `json:"last_arrival"`
	MostOpen    int              `json:"most_jobs_open"`
	Clusters    []ClusterSummary `json:"clusters"`

	d    *design.Design
	open map[uint64]bool
}

// ClusterSummary is a cluster's share.
type ClusterSummary struct {
	Name    string           `json:"name"`
	Packets int64            `json:"packets"`
	Blocks  int64            `json:"blocks"`
	Ops     map[string]int64 `json:"ops"`   // packets by command
	Modes   map[string]int64 `json:"modes"` // packets by mode
	// Load is the cycles of work over the cycles of its cores until the last arrival, by the cores' mean cycles a block and
	// what serial lanes take beside them; 0 if all arrives at once.
	Load float64 `json:"load"`

	work  float64            // cycles of all cores; of serial lanes
	times map[kindOf]float64 // packetTime
}

// kindOf is what a packet's time in a core depends on.
type kindOf struct {
	op, blocks int
	mode       uint8
}

// NewSummary is an empty count.
func NewSummary(d *design.Design) *Summary {
	s := &Summary{open: map[uint64]bool{}, d: d}
	for _, c := range d.Clusters {
		cs := ClusterSummary{Name: c.Name, Ops: map[string]int64{}, Modes: map[string]int64{}, times: map[kindOf]float64{}}
		s.Clusters = append(s.Clusters, cs)
	}
	return s
}

// SummaryOfJobs counts jobs.
func SummaryOfJobs(d *design.Design, jobs []workload.Job) (*Summary, error) {
	plan, err := workload.NewPlan(d, jobs)
	if err != nil {
		return nil, err
	}
	s := NewSummary(d)
	src := s.Count(Frames(plan))
	var p sched.Packet
	for src.Next(&p) {
	}
	return s, src.Err()
}

type counted struct {
	sched.Source
	s *Summary
}

// Count gives src on and counts what passes.
func (s *Summary) Count(src sched.Source) sched.Source { return &counted{src, s} }

func (c *counted) Next(p *sched.Packet) bool {
	s := c.s
	if !c.Source.Next(p) {
		s.finish()
		return false
	}
	if p.Load {
		return true
	}
	if s.Packets == 0 {
		s.First = p.Arrival
	}
	s.Packets++
	s.Last = p.Arrival
	s.Bytes += int64(p.Bytes)
	s.Blocks += int64(p.Blocks)
	if p.No == 0 {
		s.Jobs++
	}
	if p.Chained && p.No == 1 {
		s.ChainedJobs++
	}
	s.open[p.Job] = true
	s.MostOpen = max(s.MostOpen, len(s.open))
	if p.Last {
		delete(s.open, p.Job)
	}
	cs := &s.Clusters[p.Cluster]
	cs.Packets++
	cs.Blocks += int64(p.Blocks)
	if s.d.SerialLane && p.Blocks > 0 {
		kind := kindOf{p.Op, p.Blocks, p.Mode}
		t, ok := cs.times[kind]
		if !ok {
			t = packetTime(s.d, s.d.Clusters[p.Cluster], cipher.Cmd(p.Op), cipher.Mode(p.Mode), float64(p.Blocks))
			cs.times[kind] = t
		}
		cs.work += t
	}
	cs.Ops[cipher.Cmd(p.Op).String()]++
	cs.Modes[cipher.Mode(p.Mode).String()]++
	return true
}

func (s *Summary) finish() {
	if span := s.Last - s.First; span > 0 {
		for i := range s.Clusters {
			work := s.Clusters[i].work
			if !s.d.SerialLane {
				work = float64(s.Clusters[i].Blocks) / blockRate(s.d.Clusters[i])
			}
			s.Clusters[i].Load = work / float64(span)
		}
	}
}

// String is the count for people.
func (s *Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d packets, %d bytes, in %d jobs, %d of them chained; at most %d jobs open; arrivals %d to %d\n",
		s.Packets,
		s.Bytes, s.Jobs, s.ChainedJobs, s.MostOpen, s.First, s.Last)
	for _, c := range s.Clusters {
		fmt.Fprintf(&b, "  %s: %d packets", c.Name, c.Packets)
		counts(&b, c.Ops, cipher.CmdNames)
		counts(&b, c.Modes, cipher.ModeNames)
		if c.Load > 0 {
			fmt.Fprintf(&b, "; load %.2f", c.Load)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func counts(b *strings.Builder, m map[string]int64, names []string) {
	sep := "; "
	for _, n := range names {
		if m[n] > 0 {
			fmt.Fprintf(b, "%s%s %d", sep, n, m[n])
			sep = ", "
		}
	}
}
