// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"hwgen/gen/config"
	"hwgen/gen/diag"
)

func init() { commands = append(commands, newSchemaCmd, newManCmd) }

func newSchemaCmd(app *App) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of a config, for editors",
		Long: `Prints the JSON Schema (draft 7) of a config. Editors complete and check TOML files with it: a first line
"#:schema hwgen.schema.json" in the file, or the editor's own settings. What takes a second file, or two tables, only
hwgen check finds.`,
		Example: "  hwgen schema > hwgen.schema.json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			b, err := config.Schema()
			if err != nil {
				return err
			}
			_, err = app.Out.Write(b)
			return err
		},
	}
}

func newManCmd(app *App) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:     "man [-out DIR]",
		Short:   "Write the man pages, one a command",
		Example: "  hwgen man -out man && man man/hwgen-check.1",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if out == "" {
				out = filepath.Join("build", "man")
			}
			if err := os.MkdirAll(out, 0o755); err != nil {
				return diag.Usage("%w", err)
			}
			c.Root().DisableAutoGenTag = true
			epoch := time.Unix(0, 0).UTC() // pages are the same on every day
			h := &doc.GenManHeader{Title: "HWGEN", Section: "1", Source: "hwgen " + app.Version, Date: &epoch}
			if err := doc.GenManTree(c.Root(), h, out); err != nil {
				return fmt.Errorf("man pages: %w", err)
			}
			l, err := filepath.Glob(filepath.Join(out, "*.1"))
			if err != nil {
				return fmt.Errorf("man pages: %w", err)
			}
			app.Printf("%s: %d man pages\n", filepath.ToSlash(out), len(l))
			return nil
		},
	}
	outFlag(c, &out)
	c.Flags().Lookup("out").Usage = "output `DIR` (default: build/man)"
	return c
}
