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

// Crossing is a clock of its own beside clk.
type Crossing struct {
	Name  string // job, result, axil: of ports and instances
	FIFOs []CrossingFIFO
}

// CrossingFIFO is a FIFO between two clocks.
type CrossingFIFO struct {
	Path     string // of the instance, from the top
	From, To string // ports of the clocks of its ends
}

// Crossings are the clocks beside clk, in the order of the top's ports.
func (c *Clocks) Crossings() []Crossing {
	var l []Crossing
	if c.Jobs {
		l = append(l, Crossing{"job", []CrossingFIFO{{"u_job/u_fifo", "job_clk", "clk"}}})
	}
	if c.Results {
		l = append(l, Crossing{"result", []CrossingFIFO{{"u_result/u_fifo", "clk", "result_clk"}}})
	}
	if c.Registers {
		l = append(l, Crossing{"axil", []CrossingFIFO{
			{"u_axil/u_write", "axil_clk", "clk"}, {"u_axil/u_read", "axil_clk", "clk"},
			{"u_axil/u_write_answer", "clk", "axil_clk"}, {"u_axil/u_read_answer", "clk", "axil_clk"},
		}})
	}
	return l
}
