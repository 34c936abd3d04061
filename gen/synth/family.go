// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"bytes"
	"fmt"
	"strings"

	"hwgen/gen/emit"
	"hwgen/gen/part"
)

// family is how the tools are called for a family, and what its cells are.
type family struct {
	pnr       string // program
	loose     string // argument of nextpnr: pins may be left to it
	pinFile   string // constraints
	out       string // what nextpnr writes
	pack      func(t part.Target) (program string, args []string)
	bitstream string
	foldPins  func(t part.Target) string // constraints of a folded top, where the placer wants them
	cells     func(kind string) Area     // what one cell of a kind is
}

// script is the synthesis of a top out of the request's files.
func script(r *Request, top string) string {
	return emit.Yosys(r.Target, tables(r.Files)) + " -top " + top + " -json netlist.json\n"
}

// tables says whether S-boxes are look-ups: a cluster sets the parameter of its cores then.
func tables(files map[string][]byte) bool {
	for _, b := range files {
		if bytes.Contains(b, []byte(".TABLE(1)")) {
			return true
		}
	}
	return false
}

// pnrArgs are nextpnr's arguments for a target; pins: the constraints' file, "" for none.
func (f *family) pnrArgs(t part.Target, pins string) []string {
	a := t.PNRArgs(pins, f.out)
	if f.loose != "" {
		a = append(a, f.loose)
	}
	return a
}

func familyOf(f part.Family) (*family, error) {
	switch f {
	case part.ICE40:
		return &ice40, nil
	case part.ECP5:
		return &ecp5, nil
	case part.Gowin:
		return &gowin, nil
	}
	return nil, fmt.Errorf("no open place and route for %s", f)
}

var ice40 = family{
	pnr:       "nextpnr-ice40",
	loose:     "--pcf-allow-unconstrained",
	pinFile:   "pins.pcf",
	out:       "out.asc",
	pack:      func(part.Target) (string, []string) { return "icepack", []string{"out.asc", "out.bin"} },
	bitstream: "out.bin",
	cells: func(kind string) Area {
		switch {
		case kind == "SB_LUT4":
			return Area{LUTs: 1}
		case strings.HasPrefix(kind, "SB_DFF"):
			return Area{FFs: 1}
		case kind == "SB_CARRY":
			return Area{Carry: 1}
		case strings.HasPrefix(kind, "SB_RAM"):
			return Area{RAMs: 1}
		case kind == "SB_MAC16":
			return Area{DSPs: 1}
		}
		return Area{}
	},
}

var ecp5 = family{
	pnr:     "nextpnr-ecp5",
	loose:   "--lpf-allow-unconstrained",
	pinFile: "pins.lpf",
	out:     "out.config",
	pack: func(part.Target) (string, []string) {
		return "ecppack", []string{"--compress", "out.config", "out.bit"}
	},
	bitstream: "out.bit",
	cells: func(kind string) Area {
		switch kind {
		case "LUT4":
			return Area{LUTs: 1}
		case "CCU2C":
			return Area{LUTs: 2, Carry: 2}
		case "TRELLIS_FF":
			return Area{FFs: 1}
		case "DP16KD", "PDPW16KD":
			return Area{RAMs: 1}
		case "TRELLIS_DPR16X4": // two LUTs hold the data, two their address port
			return Area{LUTs: 4, LUTRAMs: 1}
		case "MULT18X18D":
			return Area{DSPs: 1}
		}
		return Area{}
	},
}

var gowin = family{
	pnr:     "nextpnr-gowin",
	pinFile: "pins.cst",
	out:     "out.json",
	pack: func(t part.Target) (string, []string) {
		return "gowin_pack", []string{"-d", t.Package, "-o", "out.fs", "out.json"}
	},
	bitstream: "out.fs",
	foldPins: func(t part.Target) string {
		pins := [4]int{52, 10, 18, 17}
		if t.Name == "gw2ar-18" {
			pins = [4]int{4, 15, 70, 69}
		}
		s := ""
		for i, p := range []string{"clk", "rst", "si", "so"} {
			s += fmt.Sprintf("IO_LOC \"%s\" %d;\n", p, pins[i])
		}
		return s
	},
	cells: func(kind string) Area {
		switch {
		case kind == "LUT1" || kind == "LUT2" || kind == "LUT3" || kind == "LUT4":
			return Area{LUTs: 1}
		case kind == "ALU":
			return Area{LUTs: 1, Carry: 1}
		case strings.HasPrefix(kind, "DFF"):
			return Area{FFs: 1}
		case strings.HasPrefix(kind, "RAM16S"):
			return Area{LUTs: 4, LUTRAMs: 1}
		case strings.HasPrefix(kind, "SDP"), strings.HasPrefix(kind, "DPX"), kind == "DPB", kind == "SPX9", kind == "SP",
			strings.HasPrefix(kind, "pROM"):
			return Area{RAMs: 1}
		case strings.HasPrefix(kind, "MULT"):
			return Area{DSPs: 1}
		}
		return Area{}
	},
}
