// SPDX-License-Identifier: Apache-2.0

package config

import "hwgen/gen/board"

const boardTable = "[board]"

func (d *decoder) board(top *table) Board {
	t := top.sub("board", boardTable)
	return Board{
		Given: t.n != nil, refused: top.get("board") != nil && t.n == nil, Pos: t.pos,
		Name:     t.str("name", ""),
		ClockMHz: t.megahertz("clock_mhz", 0),
		RX:       t.str("uart_rx", ""),
		TX:       t.str("uart_tx", ""),
	}
}

// checkBoard settles the board's clock and pins, and with them the clock of the host link and the target.
func (d *decoder) checkBoard(c *Config) {
	b := &c.Board
	if !b.Given || b.Name.Bad || b.ClockMHz.Bad {
		return
	}
	if b.Name.V == "" {
		d.errs.Add(b.Pos, "`hwgen boards` lists them", "[board] has no name")
		return
	}
	found, err := board.Find(b.Name.V)
	if err != nil {
		d.errs.Add(b.Name.Pos, "", "%s", err)
		return
	}
	mhz := found.MHz
	if b.ClockMHz.Set {
		mhz = b.ClockMHz.V
	}
	use, err := board.NewUse(found, mhz)
	if err != nil {
		d.errs.Add(b.ClockMHz.Pos, "", "%s", err)
		return
	}
	for _, p := range []struct {
		v    Value[string]
		what string
		to   *string
	}{{b.RX, "uart_rx", &use.RX}, {b.TX, "uart_tx", &use.TX}} {
		if !p.v.Set || p.v.Bad {
			continue
		}
		pin, err := use.Target.Pin(p.v.V)
		if err != nil {
			d.errs.Add(p.v.Pos, "", "%s: %s", p.what, err)
			return
		}
		*p.to = pin
	}
	if site, first, second := use.Twice(); site != "" {
		pos := b.Name.Pos
		if b.TX.Set {
			pos = b.TX.Pos
		} else if b.RX.Set {
			pos = b.RX.Pos
		}
		d.errs.Add(pos, "a pin carries one signal", "pin %s is named twice: %s and %s", site, first, second)
		return
	}
	if c.Synth.Target.Set {
		d.errs.Add(c.Synth.Target.Pos, "leave it out: the board's part is "+use.Target.Doc, "[synth] target beside [board]")
	}
	if c.Synth.ClockMHz.Set {
		d.errs.Add(c.Synth.ClockMHz.Pos, "leave it out: clock_mhz of [board] is the clock", "[synth] clock_mhz beside [board]")
	}
	if h := &c.Host; h.ClockHz.Set {
		d.errs.Add(h.ClockHz.Pos, "leave it out: clock_mhz of [board] is the clock", "clock_hz beside [board]")
	} else {
		h.ClockHz.V, h.ClockHz.Set = use.Hz, true
		if !h.Given {
			h.Given, h.Pos = true, b.Pos
		}
	}
	b.Use = use
}
