// SPDX-License-Identifier: Apache-2.0

package part

import "strings"

// Yosys is the synthesis command for the target, without its top and its output.
func (t Target) Yosys() string {
	switch t.Family {
	case ICE40:
		if t.Device == "up5k" {
			return "synth_ice40 -device u"
		}
		return "synth_ice40 -device hx"
	case ECP5:
		return "synth_ecp5 -nowidelut" // wide muxes out of LUT pairs take more of them
	case Gowin:
		// A wide mux binds up to 16 LUTs to places beside each other: the placer takes minutes a pass to put them down.
		if strings.HasPrefix(t.Package, "GW2A") {
			return "synth_gowin -nowidelut -family gw2a"
		}
		return "synth_gowin -nowidelut -family gw1n"
	}
	return ""
}

// PNRArgs are nextpnr's arguments for the target: what it is, the pins' file (unless that is ""), what is written to out,
// and what the placer and router of the family need.
func (t Target) PNRArgs(pins, out string) []string {
	var a []string
	option := func(name, value string) {
		if value != "" {
			a = append(a, name, value)
		}
	}
	switch t.Family {
	case ICE40:
		a = append(a, "--"+t.Device)
		option("--package", t.Package)
		option("--pcf", pins)
		option("--asc", out)
	case ECP5:
		a = append(a, "--"+t.Device)
		option("--package", t.Package)
		option("--speed", t.Grade)
		option("--lpf", pins)
		option("--textcfg", out)
	case Gowin:
		option("--device", t.Device)
		option("--vopt", "family="+t.Package)
		if pins != "" {
			option("--vopt", "cst="+pins)
		}
		option("--write", out)
		// The default router does not get through the first thousand arcs of a scheduler. A less dense spread leaves the
		// placer room to find a legal place for each cell.
		a = append(a, "--router", "router2", "--placer-heap-beta", "0.6")
	}
	return a
}
