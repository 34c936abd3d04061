// SPDX-License-Identifier: Apache-2.0

// Package part knows the FPGAs that `hwgen synth` places designs in: what they hold, and how the tools call them.
package part

import (
	"fmt"
	"slices"
	"strings"

	"hwgen/gen/diag"
)

// Family is what the tools treat alike.
type Family string

// Families.
const (
	ICE40  Family = "ice40"
	ECP5   Family = "ecp5"
	Gowin  Family = "gowin"
	Xilinx Family = "xilinx" // constraints and top only: no open flow here
)

// Part is an FPGA in a package.
type Part struct {
	Name    string // as -target takes it
	Family  Family
	Device  string   // nextpnr's name of the device: "hx8k", "85k", "GW1NR-LV9QN88PC6/I5"
	Package string   // nextpnr's name of the package
	Grades  []string // speed grades to choose from, the default first; none: it is in the device's name
	LUTs    int      // LUT4s; on iCE40 the logic cells, each with its flip-flop
	FFs     int
	RAMs    int // block RAMs
	RAMBits int // of one
	DSPs    int
	Doc     string
}

// Parts in the order in which they are listed. ECP5 LUTs are those of the names; nextpnr places a -12F in the die of a
// -25F, but hwgen holds it to what is sold.
var Parts = []Part{
	{Name: "hx8k", Family: ICE40, Device: "hx8k", Package: "ct256", LUTs: 7680, FFs: 7680, RAMs: 32, RAMBits: 4096,
		Doc: "Lattice iCE40HX8K-CT256"},
	{Name: "up5k", Family: ICE40, Device: "up5k", Package: "sg48", LUTs: 5280, FFs: 5280, RAMs: 30, RAMBits: 4096, DSPs: 8,
		Doc: "Lattice iCE40UP5K-SG48"},
	ecp5("12f", "12k", "CABGA381", 12144, 32, 28),
	ecp5("25f", "25k", "CABGA381", 24288, 56, 28),
	ecp5("45f", "45k", "CABGA381", 43848, 108, 72),
	ecp5("85f", "85k", "CABGA381", 83640, 208, 156),
	{Name: "gw1nr-9", Family: Gowin, Device: "GW1NR-LV9QN88PC6/I5", Package: "GW1N-9C", LUTs: 8640, FFs: 6480, RAMs: 26, RAMBits: 18432,
		DSPs: 10, Doc: "Gowin GW1NR-LV9QN88PC6/I5"},
	{Name: "gw2ar-18", Family: Gowin, Device: "GW2AR-LV18QN88C8/I7", Package: "GW2A-18C", LUTs: 20736, FFs: 15552, RAMs: 46,
		RAMBits: 18432, DSPs: 24, Doc: "Gowin GW2AR-LV18QN88C8/I7"},
}

func ecp5(name, device, pkg string, luts, rams, dsps int) Part {
	return Part{Name: "ecp5-" + name, Family: ECP5, Device: device, Package: pkg, Grades: []string{"6", "7", "8"}, LUTs: luts,
		FFs: luts, RAMs: rams, RAMBits: 18432, DSPs: dsps, Doc: "Lattice LFE5U-" + strings.ToUpper(name) + ", speed grade 6, 7 or 8"}
}

// Target is a part with its speed grade.
type Target struct {
	Part
	Grade string // "" where the part has none to choose
}

// String is the name as -target takes it.
func (t Target) String() string {
	if t.Grade == "" {
		return t.Name
	}
	return t.Name + "-" + t.Grade
}

// Names are the parts' names.
func Names() []string {
	var s []string
	for _, p := range Parts {
		s = append(s, p.Name)
	}
	return s
}

// Find finds a target: a part's name, with its speed grade behind a dash if it has several.
func Find(name string) (Target, error) {
	for _, p := range Parts {
		if p.Name == name {
			t := Target{Part: p}
			if len(p.Grades) > 0 {
				t.Grade = p.Grades[0]
			}
			return t, nil
		}
		rest, ok := strings.CutPrefix(name, p.Name+"-")
		if !ok || len(p.Grades) == 0 {
			continue
		}
		if slices.Contains(p.Grades, rest) {
			return Target{Part: p, Grade: rest}, nil
		}
		return Target{}, fmt.Errorf("unknown speed grade %q of %s; %s", rest, p.Name, diag.Allowed(rest, p.Grades))
	}
	return Target{}, fmt.Errorf("unknown target %q; %s", name, diag.Allowed(name, Names()))
}
