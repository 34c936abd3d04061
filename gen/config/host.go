// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"math/bits"

	"hwgen/gen/diag"
)

// Limits of a host link.
const (
	MinBaud     = 9600
	MaxBaud     = 12_000_000
	MaxClockHz  = 500_000_000
	MaxWindow   = 64
	ClocksABit  = 4 // at least, of a UART
	hostTable   = "[host]"
	baudDefault = 3_000_000
)

// Host is [host]: the design with a UART bridge on its streams.
type Host struct {
	Given   bool // the section is there
	Pos     diag.Pos
	Baud    Value[int]
	ClockHz Value[int]
	Window  Value[int] // segments of 128 bytes of each direction's buffer
}

func (d *decoder) host(top *table) Host {
	t := top.sub("host", hostTable)
	return Host{
		Given: t.n != nil, Pos: t.pos,
		Baud:    t.integer("baud", baudDefault, MinBaud, MaxBaud),
		ClockHz: t.integer("clock_hz", 0, ClocksABit*MinBaud, MaxClockHz),
		Window:  t.integerOf("window", 8, 2, MaxWindow, windowHint),
	}
}

var windowHint = fmt.Sprintf("allowed: powers of two from 2 to %d", MaxWindow)

func (d *decoder) checkHost(c *Config) {
	h := &c.Host
	if !h.Given {
		return
	}
	switch {
	case h.ClockHz.Bad || h.Baud.Bad:
	case !h.ClockHz.Set && (c.Board.Given || c.Board.refused): // the board's clock, which has its own message
	case !h.ClockHz.Set:
		d.errs.Add(h.Pos, "add clock_hz, the frequency of clk: clock_hz = 12_000_000", "[host] has no clock_hz")
	case h.ClockHz.V < ClocksABit*h.Baud.V:
		pos := h.Baud.Pos
		if !h.Baud.Set {
			pos = h.ClockHz.Pos
		}
		d.errs.Add(pos, fmt.Sprintf("at most %d with clock_hz = %d: a bit takes at least %d clocks", h.ClockHz.V/ClocksABit, h.ClockHz.V,
			ClocksABit), "baud is %d", h.Baud.V)
	}
	if w := h.Window; !w.Bad && bits.OnesCount(uint(w.V)) != 1 {
		d.errs.Add(w.Pos, windowHint, "window is %d", w.V)
	}
}
