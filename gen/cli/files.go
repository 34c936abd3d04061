// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"

	"hwgen/gen/diag"
	"hwgen/gen/emit"
)

func init() { commands = append(commands, newFilesCmd) }

func newFilesCmd(app *App) *cobra.Command {
	return &cobra.Command{
		Use:   "files DIR...",
		Short: "List the Verilog files of one or more outputs, one copy of each module",
		Long: `Lists the Verilog files of one or more output folders for the command line of a tool, a line each. A file that several
outputs have (modules of a library that designs share, the same external core) is listed once. Folders of headers that
external cores include come first, as +incdir+DIR: Icarus Verilog takes those from a file (-f), not on its command line.

Exit code 3 if two modules, or two headers, of one name differ.`,
		Example: `  hwgen files build/quad
  verilator --lint-only --top-module soc soc.v $(hwgen files build/quad build/tiny)`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return diag.Usage("files needs an output folder: hwgen files build/quad")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := emit.Files(args)
			if err != nil {
				return err
			}
			for _, f := range l {
				app.Printf("%s\n", f)
			}
			return nil
		},
	}
}
