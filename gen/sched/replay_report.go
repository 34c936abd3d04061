// SPDX-License-Identifier: Apache-2.0

package sched

import (
	"fmt"
)

// Mismatch is a place where a trace differs from what its own events lead to.
type Mismatch struct {
	Cycle    uint64 `json:"cycle"`
	Event    string `json:"event"`
	Cluster  string `json:"cluster,omitempty"`
	Slot     int    `json:"slot"`
	What     string `json:"what"`
	Expected string `json:"expected"`
	Seen     string `json:"seen"`
}

func (m *Mismatch) String() string {
	where := ""
	if m.Cluster != "" {
		where = " of cluster " + m.Cluster
	}
	return fmt.Sprintf("cycle %d, %s%s, slot %d: %s: expected %s, the trace has %s", m.Cycle, m.Event, where, m.Slot,
		m.What, m.Expected, m.Seen)
}

// ReplayReport is what a replay has checked and found.
type ReplayReport struct {
	Design     string     `json:"design"`
	Policy     string     `json:"policy"`
	Cycles     uint64     `json:"cycles"` // of the last event
	Events     int        `json:"events"`
	Packets    int        `json:"packets"`   // frames accepted
	Decisions  int        `json:"decisions"` // dispatches that the balancer decided
	Bound      int        `json:"bound"`     // dispatches to the core of the job
	Scores     int        `json:"scores"`    // compared
	Opened     int        `json:"opened"`    // entries of the choose list
	Closed     int        `json:"closed"`
	Parked     int        `json:"parked"`    // packets that went through the wait queue
	Refused    int        `json:"refused"`   // at ingress or at the queue's head
	Tables     int        `json:"tables"`    // entries of weight tables written
	Emptied    int        `json:"emptied"`   // clears and resets
	InFlight   int        `json:"in_flight"` // packets without a result at the end
	Mismatches int        `json:"mismatches"`
	First      []Mismatch `json:"first"` // mismatches, the first ones
}

// OK says whether nothing differs.
func (r *ReplayReport) OK() bool { return r.Mismatches == 0 }

// Add adds what another replay of the same design has checked and found.
func (r *ReplayReport) Add(o *ReplayReport) {
	r.Cycles += o.Cycles
	r.Events += o.Events
	r.Packets += o.Packets
	r.Decisions += o.Decisions
	r.Bound += o.Bound
	r.Scores += o.Scores
	r.Opened += o.Opened
	r.Closed += o.Closed
	r.Parked += o.Parked
	r.Refused += o.Refused
	r.Tables += o.Tables
	r.Emptied += o.Emptied
	r.InFlight += o.InFlight
	r.Mismatches += o.Mismatches
	r.First = append(r.First, o.First[:min(len(o.First), max(0, mostMismatches-len(r.First)))]...)
}

// mostMismatches are kept of a replay.
const mostMismatches = 20
