// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"math/bits"

	"hwgen/gen/diag"
)

// Limits of a clock crossing.
const (
	MinCrossing = 4 // beats of a stream's FIFO
	MaxCrossing = 4096
	MaxStages   = 4 // flip-flops of a synchroniser
	clocksTable = "[clocks]"
)

// Clocks is [clocks]: the design with streams and registers on clocks of their own.
type Clocks struct {
	Given     bool // the section is there
	Pos       diag.Pos
	Jobs      Value[bool]
	Results   Value[bool]
	Registers Value[bool]
	Depth     Value[int] // beats of each stream's FIFO
	Stages    Value[int] // flip-flops of a synchroniser
}

func (d *decoder) clocks(top *table, axil bool) Clocks {
	t := top.sub("clocks", clocksTable)
	return Clocks{
		Given: t.n != nil, Pos: t.pos,
		Jobs:      t.boolean("jobs", true),
		Results:   t.boolean("results", true),
		Registers: t.boolean("registers", axil),
		Depth:     t.integerOf("depth", 16, MinCrossing, MaxCrossing, depthHint),
		Stages:    t.integer("stages", 2, 2, MaxStages),
	}
}

var depthHint = fmt.Sprintf("allowed: powers of two from %d to %d", MinCrossing, MaxCrossing)

func (d *decoder) checkClocks(c *Config) {
	k := &c.Clocks
	if !k.Given {
		return
	}
	if c.Host.Given || c.Board.Given {
		with := hostTable
		if c.Board.Given {
			with = boardTable
		}
		d.errs.Add(k.Pos, "leave one of the two out", "%s does not go with %s, whose top has one clock", clocksTable, with)
	}
	if k.Registers.Set && k.Registers.V && !c.Control.Axil.V {
		d.errs.Add(k.Registers.Pos, "axil = true in [control], or registers = false", "there are no registers to put on a clock")
	}
	if !k.Jobs.V && !k.Results.V && !k.Registers.V {
		d.errs.Add(k.Pos, "set one of jobs, results, registers to true, or leave the section out", "%s puts nothing on a clock of its own", clocksTable)
	}
	if n := k.Depth; !n.Bad && bits.OnesCount(uint(n.V)) != 1 {
		d.errs.Add(n.Pos, depthHint, "depth is %d", n.V)
	}
}
