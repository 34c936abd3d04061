// SPDX-License-Identifier: Apache-2.0

// Package area estimates what a design takes on an FPGA from the elaborated design alone.
//
// The model is a sum over blocks. Its coefficients come from the breakdowns of designs that were synthesised for iCE40
// with 32-bit streams; its constants were set with sight of six designs, and are tested on others. Outside of what was measured
// (64- and 128-bit streams, the faster cores) it is a guess, and Estimate.Extrapolated says so.
package area

import (
	"fmt"
	"strings"

	"hwgen/gen/design"
	"hwgen/gen/part"
)

// MaxError is how far off the model is allowed to be on measured designs.
const MaxError = 0.15

// Estimate of a design.
type Estimate struct {
	LUTs  int `json:"luts"`
	FFs   int `json:"ffs"`
	Cells int `json:"cells"` // logic cells of an iCE40, where a LUT and a flip-flop often cannot share one
	RAMs  int `json:"rams"`  // block RAMs of the family
	// Extrapolated: the family is one, or the design has a width, cores, registers or clock crossings, that the model was not
	// measured with.
	Extrapolated bool `json:"extrapolated"`
}

// size is LUTs and flip-flops.
type size struct{ luts, ffs int }

func (s *size) add(luts, ffs int) {
	s.luts += luts
	s.ffs += ffs
}

// cores by kind: forward only, and what the inverse cipher adds. Measured: aes128_4sbox, sm4_1round.
var cores = map[string]struct {
	size
	inverse  int
	measured bool
}{
	"aes128_4sbox": {size{880, 327}, 260, true}, "aes128_8sbox": {size{1500, 330}, 500, false},
	"aes128_16sbox": {size{2300, 330}, 1000, false}, "aes256_4sbox": {size{1050, 460}, 260, false},
	"aes256_8sbox": {size{1700, 460}, 500, false}, "aes256_16sbox": {size{2500, 460}, 1000, false},
	"sm4_1round": {size{1100, 282}, 0, true}, "sm4_2round": {size{1700, 282}, 0, false}, "sm4_4round": {size{2900, 282}, 0, false},
}

// Of estimates a design on a family.
func Of(d *design.Design, f part.Family) Estimate {
	var s size
	e := Estimate{Extrapolated: d.DataW != 32 || d.Axil || d.Clocks != nil || f == part.Xilinx}
	wide := d.DataW - 32 // what paths of the stream's width have beyond the measured ones

	// clear, ingress, slot pool, splitter, write-back, collector, memories' addresses
	s.add(430+9*d.Slots, 300+9*d.Slots)
	s.add(4*wide, 6*wide)
	for _, c := range d.Clusters {
		s.add(10*c.Queue, 8*c.Queue)
		s.add(74*c.Choose, 54*c.Choose)                              // choose list
		s.add(300+41*c.KeySlots+2*wide, 50+27*c.KeySlots+wide)       // key store
		s.add(780, 650)                                              // head, descriptors, chaining store, what else is there once
		s.add((c.NumCores-1)*(170+wide), (c.NumCores-1)*(70+2*wide)) // merge trees
		s.add(60+wide, 120+3*wide)
		if c.Pointer == 0 && !d.Scan {
			s.add(c.NumCores*c.AccW*7/2, c.NumCores*c.AccW*3)
			if d.Programmable { // each leaf holds its tables, of four operations
				s.add(c.NumCores*(c.AccW+c.IncW)*9/2, c.NumCores*(c.AccW+c.IncW)*4)
			}
		}
		for _, co := range c.Cores {
			s.add(7*co.Cap, 4*co.Cap)
			if d.SerialLane {
				s.add(800+3*wide, 442)
			} else {
				s.add(1650, 850)
			}
			k, ok := cores[co.Kind]
			if !ok || !k.measured {
				e.Extrapolated = true
			}
			s.add(k.luts, k.ffs)
			if co.HasInv {
				s.add(k.inverse, 0)
			}
			if co.Table {
				s.add(tables(co), 0)
				e.Extrapolated = e.Extrapolated || co.Kind != "sm4_1round" || f != part.ECP5
			}
		}
	}
	if d.Host != nil {
		s.add(750, 410)
	}
	e.LUTs, e.FFs = s.luts, s.ffs
	e.Cells = s.luts + s.ffs/2
	e.RAMs = rams(d, f)
	return e
}

// tables is what a core's S-boxes take more as look-ups than as logic, an S-box for each direction; on sm4_1round measured on
// an ECP5, whose multiplexers behind the LUTs save half of them.
func tables(co *design.Core) int {
	boxes := sboxes[co.Kind]
	if co.HasInv && !strings.HasPrefix(co.Kind, "sm4") { // both directions of SM4 take the same
		boxes += boxes
	}
	return 125 * boxes
}

// sboxes of the kinds, those of the key schedule among them.
var sboxes = map[string]int{
	"aes128_4sbox": 4, "aes128_8sbox": 12, "aes128_16sbox": 20, "aes256_4sbox": 4, "aes256_8sbox": 12, "aes256_16sbox": 20,
	"sm4_1round": 8, "sm4_2round": 16, "sm4_4round": 32,
}

// rams counts the block RAMs; small memories become LUTs or flip-flops.
func rams(d *design.Design, f part.Family) int {
	n := 0
	count := func(width, depth int) {
		bits := width * depth
		switch {
		case f == part.ICE40 && bits >= 90 && depth > 4:
			n += fewest(width, depth, 16, 256, 4)
		case f != part.ICE40 && bits >= 2048:
			n += fewest(width, depth, 36, 512, 4)
		}
	}
	for _, m := range d.Memories {
		count(m.Width, m.Depth)
	}
	if d.Slots >= 16 { // the completion queue: slot, status, core, kind
		count(d.SlotW+14, d.Slots)
	}
	if f == part.Xilinx { // two of the pieces counted are one block RAM
		n = ceil(n, 2)
	}
	return n
}

// fewest is the RAMs of a memory, each of which can be half as wide and twice as deep, and so on.
func fewest(width, depth, w, d, shapes int) int {
	least := ceil(width, w) * ceil(depth, d)
	for range shapes - 1 {
		w, d = w/2, d*2
		least = min(least, ceil(width, w)*ceil(depth, d))
	}
	return least
}

func ceil(a, b int) int { return (a + b - 1) / b }

// Fits says what is over on a part, in words; "" if it fits with what the model may be off.
func (e Estimate) Fits(p part.Part) string {
	used, have, what := e.LUTs, p.LUTs, "LUTs"
	if p.Family == part.ICE40 {
		used, what = e.Cells, "logic cells"
	}
	switch {
	case used > have && p.Family == part.Xilinx: // its LUTs have six inputs, those of the model four
		return describe("perhaps too many, about", used, "LUTs of four inputs", have)
	case used > have:
		return describe("about", used, what, have)
	case float64(used)*(1+MaxError) > float64(have):
		return describe("perhaps too many, about", used, what, have)
	case e.RAMs > p.RAMs:
		return describe("about", e.RAMs, "block RAMs", p.RAMs)
	}
	return ""
}

func describe(how string, used int, what string, have int) string {
	return fmt.Sprintf("%s %d %s, the part has %d", how, used, what, have)
}
