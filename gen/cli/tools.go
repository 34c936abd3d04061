// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"

	"hwgen/gen/tool"
)

func init() { commands = append(commands, newToolsCmd) }

func newToolsCmd(app *App) *cobra.Command {
	var install bool
	c := &cobra.Command{
		Use:   "tools [-install]",
		Short: "Say where the FPGA tools are, or install them",
		Long: `Says in which folder the pinned Yosys and nextpnr are that ` + "`hwgen synth`" + ` runs. With -install they are put there, from
PyPI into a Python environment of their own: $` + tool.FPGAEnv + `, or the user's cache folder. Nothing is done if they are
there already.`,
		Example: `  hwgen tools
  hwgen tools -install`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if install {
				ctx, stop := interruptible()
				defer stop()
				dir, err := tool.InstallFPGA(ctx, func(f string, v ...any) { app.Note("hwgen: "+f, v...) })
				if err != nil {
					return err
				}
				app.Printf("%s\n", dir)
				return nil
			}
			f, err := tool.FindFPGA(false)
			if err != nil {
				return err
			}
			app.Printf("%s\n", f.Dir)
			return nil
		},
	}
	c.Flags().BoolVar(&install, "install", false, "install what is missing")
	return c
}
