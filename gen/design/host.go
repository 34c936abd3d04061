// SPDX-License-Identifier: Apache-2.0

package design

import "hwgen/gen/config"

// Host is the serial host link of a design: a top around the scheduler with a UART bridge.
type Host struct {
	Top     string // module and file name, Name + "_uart_top"
	Baud    int
	ClockHz int
	Window  int // segments of SegmentBytes in each direction's buffer
}

// SegmentBytes is what a segment of the host link takes in a buffer.
const SegmentBytes = 128

func host(name string, h *config.Host) *Host {
	if !h.Given {
		return nil
	}
	return &Host{Top: name + "_uart_top", Baud: h.Baud.V, ClockHz: h.ClockHz.V, Window: h.Window.V}
}

// Outermost is the module around all others.
func (d *Design) Outermost() string {
	if d.Host != nil {
		return d.Host.Top
	}
	if d.Clocks != nil {
		return d.Clocks.Top
	}
	return d.Top
}
