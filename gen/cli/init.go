// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"hwgen/gen/board"
	"hwgen/gen/diag"
	"hwgen/templates"
)

func newInitCmd(app *App) *cobra.Command {
	var out, boardName string
	c := &cobra.Command{
		Use:   "init [-board NAME] [-out FILE]",
		Short: "Write a commented starter config",
		Long:  `Writes a commented starter config, with -board one that fits the board. A file that is there already is left alone.`,
		Example: `  hwgen init                    writes my_design.toml
  hwgen init -out quad.toml     writes quad.toml
  hwgen init -out -             prints it
  hwgen init -board icebreaker -out ice.toml`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := templates.FS.ReadFile("config/init.toml")
			if err != nil {
				return fmt.Errorf("embedded config: %w", err)
			}
			if boardName != "" {
				b, err := board.Find(boardName)
				if err != nil {
					return diag.Usage("-board: %w", err)
				}
				text = []byte(b.StarterConfig())
			}
			if out == "-" {
				app.Printf("%s", text)
				return nil
			}
			err = writeNew(out, func(w io.Writer) error { _, err := w.Write(text); return err })
			if st, serr := os.Stat(out); serr == nil && st.IsDir() {
				return diag.Usage("%s is a folder; name a file with -out", out)
			}
			if errors.Is(err, fs.ErrExist) {
				return diag.Usage("%s is there already; choose another name with -out", out)
			}
			if err != nil {
				hint := "choose another place with -out"
				if errors.Is(err, fs.ErrNotExist) {
					hint = fmt.Sprintf("make the folder %s first, or choose another with -out", filepath.Dir(out))
				}
				var cause syscall.Errno
				if errors.As(err, &cause) {
					err = cause
				}
				return diag.Usage("%s: cannot be written: %w; %s", out, err, hint)
			}
			app.Printf("%s\n", out)
			app.Note("hwgen: next: hwgen check -config %s", quoteArg(out))
			return nil
		},
	}
	c.Flags().StringVarP(&out, "out", "o", "my_design.toml", "`FILE` to write; - is standard output")
	c.Flags().StringVar(&boardName, "board", "", "a config that fits the board `NAME`, see hwgen boards")
	return c
}
