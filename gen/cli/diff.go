// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hwgen/gen/diag"
	"hwgen/gen/emit"
)

func newDiffCmd(app *App) *cobra.Command {
	var configPath, out string
	c := &cobra.Command{
		Use:   "diff [-config FILE] [-out DIR]",
		Short: "Compare the output folder with what would be generated",
		Long: `Compares the output folder with what would be generated: a unified diff of files that differ (- is the folder,
+ what would be generated), missing files, and extra ones in the top folder and in those that belong to hwgen. Nothing is written.

Exit code 3 if there is a difference.`,
		Example: `  hwgen diff -config quad.toml
  hwgen diff -config quad.toml -out gen | less`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			l, err := app.Load(configPath)
			if err != nil {
				return err
			}
			files, err := app.Emit(l)
			if err != nil {
				return err
			}
			dir := OutDir(out, l.Design)
			if st, err := os.Stat(dir); err == nil && !st.IsDir() {
				return diag.Usage("output folder %s is a file; name a folder with -out", dir)
			}
			d, err := emit.Compare(dir, files)
			if err != nil {
				return diag.Usage("%w", err)
			}
			if d.Clean() {
				app.Note("hwgen: %s is what would be generated", filepath.ToSlash(dir))
				return nil
			}
			app.Printf("%s", d.Diff)
			for _, p := range d.Missing {
				app.Printf("missing: %s\n", p)
			}
			for _, p := range d.Extra {
				app.Printf("extra: %s\n", p)
			}
			fix := []string{"hwgen"}
			if configPath != "" {
				fix = append(fix, "-config", quoteArg(configPath))
			}
			if out != "" {
				fix = append(fix, "-out", quoteArg(out))
			}
			mend := "to generate again: " + strings.Join(fix, " ")
			if len(d.Extra) > 0 {
				mend += "; extra files that hwgen did not write are yours to remove"
			}
			return diag.Drift("%s differs: %d changed, %d missing, %d extra\n%s", filepath.ToSlash(dir),
				len(d.Changed), len(d.Missing), len(d.Extra), mend)
		},
	}
	configFlag(c, &configPath)
	outFlag(c, &out)
	return c
}

// quoteArg makes an argument safe to paste into a shell.
func quoteArg(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
