// SPDX-License-Identifier: Apache-2.0

package design

import (
	"strings"

	"hwgen/gen/config"
)

// Clocks is a top around the scheduler that puts streams and registers on clocks of their own.
type Clocks struct {
	Top       string // module and file name, Name + "_clocks_top"
	Jobs      bool   // the job stream is on job_clk
	Results   bool   // the result stream is on result_clk
	Registers bool   // s_axil_* and irq are on axil_clk
	Depth     int    // beats of each stream's FIFO, a power of two
	Stages    int    // flip-flops of a synchroniser
}

func clocks(name string, c *config.Clocks) *Clocks {
	if !c.Given {
		return nil
	}
	return &Clocks{
		Top: name + "_clocks_top", Jobs: c.Jobs.V, Results: c.Results.V, Registers: c.Registers.V, Depth: c.Depth.V, Stages: c.Stages.V,
	}
}

// Interfaces are the scheduler's buses on the clock clk, as Vivado's ASSOCIATED_BUSIF lists them.
func (d *Design) Interfaces() string {
	s := "s_axis_job:m_axis_result"
	if d.Axil {
		s += ":s_axil"
	}
	return s
}

// Interfaces are the buses that stay on clk.
func (c *Clocks) Interfaces(d *Design) string {
	var l []string
	if !c.Jobs {
		l = append(l, "s_axis_job")
	}
	if !c.Results {
		l = append(l, "m_axis_result")
	}
	if d.Axil && !c.Registers {
		l = append(l, "s_axil")
	}
	return strings.Join(l, ":")
}
