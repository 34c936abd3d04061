// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"hwgen/gen/board"
)

func init() { commands = append(commands, newBoardsCmd) }

type boardInfo struct {
	Name     string   `json:"name"`
	Doc      string   `json:"doc"`
	Part     string   `json:"part"`
	ClockHz  int      `json:"clock_hz"`
	ClockMHz float64  `json:"clock_mhz"` // default of the design's clock
	ClockPin string   `json:"clock_pin"`
	RX       string   `json:"uart_rx"`
	TX       string   `json:"uart_tx"`
	LEDs     []string `json:"leds"`
	LEDLow   bool     `json:"leds_lit_at_0"`
}

func newBoardsCmd(app *App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "boards [-json]",
		Short: "List the boards",
		Long: `Lists the boards that [board] name takes: part, oscillator, the default clock of the design, the UART's pins as the FPGA
sees them.`,
		Example: `  hwgen boards
  hwgen init -board ulx3s-85f -out ulx3s.toml`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			var info []boardInfo
			rows := [][]string{{"board", "part", "oscillator", "clock", "RX", "TX", "LEDs", ""}}
			for i := range board.Boards {
				b := &board.Boards[i]
				name := b.Target.Device
				if b.Target.Grade != "" {
					name += "-" + b.Target.Grade
				}
				if b.Target.Package != "" {
					name += " " + b.Target.Package
				}
				info = append(info, boardInfo{b.Name, b.Doc, name, b.ClockHz, b.MHz, b.Clock, b.RX, b.TX, b.LEDs, b.LEDLow})
				rows = append(rows, []string{b.Name, name, fmt.Sprintf("%g MHz, %s", float64(b.ClockHz)/1e6, b.Clock),
					fmt.Sprintf("%g MHz", b.MHz), b.RX, b.TX, fmt.Sprint(len(b.LEDs)), b.Doc})
			}
			if asJSON {
				return app.PrintJSON(info)
			}
			app.table(rows)
			return nil
		},
	}
	jsonFlag(c, &asJSON)
	return c
}
