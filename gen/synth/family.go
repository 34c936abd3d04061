// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"fmt"
	"strings"

	"hwgen/gen/part"
)

// family is how the tools are called for a family, and what its cells are.
type family struct {
	pnr       string // program
	synth     func(t part.Target, top string) string
	args      func(t part.Target, pins string) []string // of nextpnr; pins: the constraints' file
	pinFile   string                                    // its name
	out       string                                    // what nextpnr writes
	pack      func(t part.Target) (program string, args []string)
	bitstream string
	foldPins  func(t part.Target) string // constraints of a folded top, where the placer wants them
	cells     func(kind string) Area     // what one cell of a kind is
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
	pnr: "nextpnr-ice40",
	synth: func(t part.Target, top string) string {
		device := "hx"
		if t.Device == "up5k" {
			device = "u"
		}
		return fmt.Sprintf("synth_ice40 -device %s -top %s -json netlist.json\n", device, top)
	},
	pinFile: "pins.pcf",
	args: func(t part.Target, pins string) []string {
		a := []string{"--" + t.Device, "--package", t.Package, "--asc", "out.asc", "--pcf-allow-unconstrained"}
		if pins != "" {
			a = append(a, "--pcf", pins)
		}
		return a
	},
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
	pnr: "nextpnr-ecp5",
	// wide muxes out of LUT pairs take more of them
	synth: func(_ part.Target, top string) string {
		return fmt.Sprintf("synth_ecp5 -nowidelut -top %s -json netlist.json\n", top)
	},
	pinFile: "pins.lpf",
	args: func(t part.Target, pins string) []string {
		a := []string{"--" + t.Device, "--package", t.Package, "--speed", t.Grade, "--textcfg", "out.config", "--lpf-allow-unconstrained"}
		if pins != "" {
			a = append(a, "--lpf", pins)
		}
		return a
	},
	out: "out.config",
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
	pnr: "nextpnr-gowin",
	synth: func(t part.Target, top string) string {
		f := "gw1n"
		if strings.HasPrefix(t.Package, "GW2A") {
			f = "gw2a"
		}
		return fmt.Sprintf("synth_gowin -family %s -top %s -json netlist.json\n", f, top)
	},
	pinFile: "pins.cst",
	args: func(t part.Target, pins string) []string {
		a := append([]string{"--device", t.Device, "--write", "out.json"}, t.Extra...)
		if pins != "" {
			a = append(a, "--vopt", "cst="+pins)
		}
		return a
	},
	out: "out.json",
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
