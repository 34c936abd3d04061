// SPDX-License-Identifier: Apache-2.0

// Package board knows the boards that hwgen makes a top, constraints and a bitstream for.
package board

import (
	"fmt"
	"slices"
	"strings"

	"hwgen/gen/diag"
	"hwgen/gen/part"
)

// Board is a board: its part, and the pins that a design needs.
type Board struct {
	Name    string
	Doc     string
	Target  part.Target
	ClockHz int // of the oscillator
	Clock   string
	RX, TX  string // as the FPGA sees them
	LEDs    []string
	LEDLow  bool   // lit at 0
	LEDType string // I/O standard of the LEDs where it is not 3.3 V
	PadPLL  bool   // the clock pin is the PLL's own pad
	MHz     float64
	Starter string // body of the starter config: [design] without a name, and clusters
}

// Boards in the order in which they are listed.
var Boards = []Board{
	{Name: "icebreaker", Doc: "iCEBreaker, iCE40UP5K: no design fits yet", Target: on("up5k"), ClockHz: 12_000_000, Clock: "35", RX: "6", TX: "9",
		LEDs: []string{"11", "37"}, LEDLow: true, PadPLL: true, MHz: 12, Starter: smallest},
	{Name: "hx8k-breakout", Doc: "iCE40-HX8K breakout", Target: on("hx8k"), ClockHz: 12_000_000, Clock: "J3", RX: "B10", TX: "B12",
		LEDs: []string{"B5", "B4", "A2", "A1", "C5", "C4", "B3", "C3"}, MHz: 36, Starter: small},
	ulx3s("12f"), ulx3s("25f"), ulx3s("45f"), ulx3s("85f"),
	orangecrab("25f"), orangecrab("85f"),
	{Name: "colorlight-i5", Doc: "Colorlight i5 v7.0, LFE5U-25F", Target: on("ecp5-25f"), ClockHz: 25_000_000, Clock: "P3", RX: "H18",
		TX: "J17", LEDs: []string{"U16"}, LEDLow: true, MHz: 60, Starter: middle},
	{Name: "colorlight-i9", Doc: "Colorlight i9 v7.2, LFE5U-45F", Target: on("ecp5-45f"), ClockHz: 25_000_000, Clock: "P3", RX: "H18",
		TX: "J17", LEDs: []string{"L2"}, LEDLow: true, MHz: 60, Starter: middle},
	ecpix5("45f"), ecpix5("85f"),
	{Name: "tang-nano-9k", Doc: "Tang Nano 9K, GW1NR-9", Target: on("gw1nr-9"), ClockHz: 27_000_000, Clock: "52", RX: "18", TX: "17",
		LEDs: []string{"10", "11", "13", "14", "15", "16"}, LEDLow: true, LEDType: "LVCMOS18", MHz: 27, Starter: small},
	{Name: "tang-nano-20k", Doc: "Tang Nano 20K, GW2AR-18", Target: on("gw2ar-18"), ClockHz: 27_000_000, Clock: "4", RX: "70", TX: "69",
		LEDs: []string{"15", "16", "17", "18", "19", "20"}, LEDLow: true, MHz: 27, Starter: middle},
	{Name: "arty-a7-35", Doc: "Arty A7-35, xc7a35ticsg324-1L: files only, no open flow here", Target: part.Target{Part: part.Part{
		Name: "xc7a35t", Family: part.Xilinx, Device: "xc7a35ticsg324-1L", Package: "csg324", LUTs: 20800, FFs: 41600, RAMs: 50, RAMBits: 36864, DSPs: 90}},
		ClockHz: 100_000_000, Clock: "E3", RX: "A9", TX: "D10", LEDs: []string{"H5", "J5", "T9", "T10"}, MHz: 60, Starter: middle},
}

func on(target string) part.Target {
	t, err := part.Find(target)
	if err != nil {
		return part.Target{}
	}
	return t
}

func ecp5(size, device, pkg, grade string) part.Target {
	t := on("ecp5-" + size)
	t.Package, t.Grade = pkg, grade
	if device != "" {
		t.Device = device
	}
	return t
}

func ulx3s(size string) Board {
	starter := middle
	if size == "12f" { // with S-boxes as look-ups every LUT would be taken
		starter = strings.Replace(middle, "requesters   = 1\n", "requesters   = 1\nsbox         = \"field\"\n", 1)
	}
	return Board{Name: "ulx3s-" + size, Doc: "ULX3S, LFE5U-" + strings.ToUpper(size), Target: on("ecp5-" + size), ClockHz: 25_000_000, Clock: "G2",
		RX: "M1", TX: "L4", LEDs: []string{"B2", "C2", "C1", "D2", "D1", "E2", "E1", "H3"}, MHz: 60, Starter: starter}
}

func orangecrab(size string) Board {
	return Board{Name: "orangecrab-" + size, Doc: "OrangeCrab r0.2, LFE5U-" + strings.ToUpper(size),
		Target: ecp5(size, "", "CSFBGA285", "8"), ClockHz: 48_000_000, Clock: "A9", RX: "N17", TX: "M18",
		LEDs: []string{"K4", "M3", "J3"}, LEDLow: true, MHz: 60, Starter: middle}
}

func ecpix5(size string) Board {
	return Board{Name: "ecpix-5-" + size, Doc: "ECPIX-5, LFE5UM5G-" + strings.ToUpper(size),
		Target: ecp5(size, "um5g-"+strings.TrimSuffix(size, "f")+"k", "CABGA554", "8"), ClockHz: 100_000_000, Clock: "K23",
		RX: "R26", TX: "R24", LEDs: []string{"P21", "R23", "P22"}, LEDLow: true, MHz: 60, Starter: middle}
}

// Names are the boards' names.
func Names() []string {
	var s []string
	for i := range Boards {
		s = append(s, Boards[i].Name)
	}
	return s
}

// Find finds a board.
func Find(name string) (*Board, error) {
	i := slices.IndexFunc(Boards, func(b Board) bool { return b.Name == name })
	if i < 0 {
		allowed := diag.Allowed(name, Names())
		if like := slices.DeleteFunc(Names(), func(n string) bool { return name == "" || !strings.HasPrefix(n, strings.ToLower(name)) }); len(like) > 1 {
			allowed = fmt.Sprintf("did you mean %s? (allowed: %s)", strings.Join(like, ", "), strings.Join(Names(), ", "))
		}
		return nil, fmt.Errorf("unknown board %q; %s", name, allowed)
	}
	return &Boards[i], nil
}

// Use is a board as a design uses it: its clock and its pins settled.
type Use struct {
	Board
	PLL *PLL // nil: the oscillator is the clock
	Hz  int  // of the design's clock
}

// NewUse settles the clock.
func NewUse(b *Board, mhz float64) (*Use, error) {
	u := &Use{Board: *b, Hz: b.ClockHz}
	want := int(mhz*1e6 + 0.5)
	if want == b.ClockHz {
		return u, nil
	}
	p, err := pllFor(b.Target.Family, b.ClockHz, want)
	if err != nil {
		return nil, err
	}
	u.PLL, u.Hz = p, p.Hz
	return u, nil
}

// InMHz is the oscillator's frequency, as tools take it.
func (u *Use) InMHz() string { return mhz(u.ClockHz) }

// MHzText is the design's clock, as tools take it.
func (u *Use) MHzText() string { return mhz(u.Hz) }

// FedMHz is the frequency of an ECP5 PLL's output that is fed back.
func (u *Use) FedMHz() string { return mhz(u.ClockHz / u.PLL.Ref * u.PLL.FB) }

// PeriodNs is the oscillator's period.
func (u *Use) PeriodNs() string { return fmt.Sprintf("%.3f", 1e9/float64(u.ClockHz)) }

func mhz(hz int) string {
	s := fmt.Sprintf("%.6f", float64(hz)/1e6)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// Pin is a pin of the top with its place.
type Pin struct {
	Port, Site string
	Out        bool
	Type       string // I/O standard, "" for 3.3 V
}

// Pins are all pins of the top.
func (u *Use) Pins() []Pin {
	ps := []Pin{{Port: "clk_in", Site: u.Clock}, {Port: "uart_rx", Site: u.RX}, {Port: "uart_tx", Site: u.TX, Out: true}}
	for i, l := range u.LEDs {
		ps = append(ps, Pin{Port: fmt.Sprintf("led[%d]", i), Site: l, Out: true, Type: u.LEDType})
	}
	return ps
}

// Twice finds a site that two ports claim.
func (u *Use) Twice() (site, first, second string) {
	seen := map[string]string{}
	for _, p := range u.Pins() {
		if o, ok := seen[strings.ToUpper(p.Site)]; ok {
			return p.Site, o, p.Port
		}
		seen[strings.ToUpper(p.Site)] = p.Port
	}
	return "", "", ""
}
