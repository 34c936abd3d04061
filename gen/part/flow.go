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
	a := t.DeviceArgs()
	option := func(name, prefix, value string) {
		if value != "" {
			a = append(a, name, prefix+value)
		}
	}
	switch t.Family {
	case ICE40:
		option("--pcf", "", pins)
		option("--asc", "", out)
	case ECP5:
		option("--lpf", "", pins)
		option("--textcfg", "", out)
	case Gowin:
		option("--vopt", "cst=", pins)
		option("--write", "", out)
	}
	return append(a, t.PlacerArgs()...)
}

// DeviceArgs are those of nextpnr's arguments that say what the target is.
func (t Target) DeviceArgs() []string {
	switch t.Family {
	case ICE40:
		return []string{"--" + t.Device, "--package", t.Package}
	case ECP5:
		a := []string{"--" + t.Device, "--package", t.Package}
		if t.Grade != "" {
			a = append(a, "--speed", t.Grade)
		}
		return a
	case Gowin:
		return []string{"--device", t.Device, "--vopt", "family=" + t.Package}
	}
	return nil
}

// PlacerArgs are those that placer and router of the family need.
func (t Target) PlacerArgs() []string {
	if t.Family != Gowin {
		return nil
	}
	// The default router does not get through the first thousand arcs of a scheduler. A less dense spread leaves the
	// placer room to find a legal place for each cell.
	return []string{"--router", "router2", "--placer-heap-beta", "0.6"}
}
