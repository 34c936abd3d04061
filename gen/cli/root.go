// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hwgen/gen/diag"
)

// commands makes the subcommands. A file that adds one appends its constructor in an init function.
var commands = []func(*App) *cobra.Command{
	newInitCmd, newCheckCmd, newDiffCmd, newCoresCmd, newPoliciesCmd, newVersionCmd,
}

func newRoot(app *App) *cobra.Command {
	var configPath, out string
	root := &cobra.Command{
		Use:   "hwgen [-config FILE] [-out DIR]",
		Short: "Generates synthesizable Verilog-2005 for a scheduler of cipher jobs",
		Long: `hwgen reads a hardware description in TOML and generates a two-level scheduler of cipher jobs in
Verilog-2005: clusters of AES and SM4 cores, their queues, load balancers and key stores, with benches, a
Verilator harness, documentation, a Makefile, a FuseSoC file and a manifest.

Without a config it generates an embedded default design. The output depends on the config and on hwgen's version alone.`,
		Example: `  hwgen init                               writes a starter config, my_design.toml
  hwgen check -config my_design.toml       checks it and prints the design
  hwgen -config my_design.toml             generates it into build/my_design
  hwgen -config my_design.toml -out gen    generates it into gen
  hwgen diff -config my_design.toml        shows what a new run would change`,
		Args:              noArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Version:           app.Version,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return noEmptyNames(c) },
		RunE: func(*cobra.Command, []string) error {
			l, err := app.Load(configPath)
			if err != nil {
				return err
			}
			dir := OutDir(out, l.Design)
			res, err := app.Generate(l, dir)
			if err != nil {
				return err
			}
			app.Printf("%s: %d files", filepath.ToSlash(dir), len(res.Written)+len(res.Unchanged))
			if n := len(res.Unchanged); n > 0 {
				app.Printf(", %d of them unchanged", n)
			}
			if n := len(res.Removed); n > 0 {
				app.Printf(", %d stale removed", n)
			}
			app.Printf("\n")
			for _, p := range res.Kept {
				app.Note("hwgen: %s/%s is no part of the design any more, but has changed since it was generated: it is left there",
					filepath.ToSlash(dir), p)
			}
			for _, w := range l.Design.Alerts() {
				app.Note("hwgen: warning: %s", w)
			}
			app.next(l, dir, configPath)
			return nil
		},
	}
	configFlag(root, &configPath)
	outFlag(root, &out)
	root.SetOut(app.Out)
	root.SetErr(app.Err)
	root.SetVersionTemplate("hwgen {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if m := badValue.FindStringSubmatch(err.Error()); m != nil {
			if f := c.Flags().Lookup(m[2]); f != nil && wants[f.Value.Type()] != "" {
				return diag.Usage("-%s %s: must be %s; see `%s -help`", m[2], m[1], wants[f.Value.Type()], c.CommandPath())
			}
		}
		hint := ""
		if name, ok := unknownFlag(err); ok {
			if d := diag.Nearest(name, flagNames(c)); d != "" {
				hint = fmt.Sprintf("; did you mean -%s?", d)
			}
		}
		return diag.Usage("%w%s; see `%s -help`", err, hint, c.CommandPath())
	})
	for _, f := range commands {
		root.AddCommand(f(app))
	}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" { // cobra's own prints the help of the root for a command that it does not know
			c.Run = nil
			c.RunE = func(_ *cobra.Command, args []string) error {
				of, rest, err := root.Find(args)
				switch {
				case err != nil || of == nil:
					return noArgs(root, args)
				case len(rest) > 0:
					return noArgs(of, rest)
				}
				of.InitDefaultHelpFlag()
				return of.Help()
			}
		}
		if c.Name() == "completion" { // cobra's own prints its help for a shell that it does not know
			var shells []string
			for _, s := range c.Commands() {
				shells = append(shells, s.Name())
			}
			c.RunE = func(c *cobra.Command, args []string) error {
				if len(args) == 0 {
					return c.Help()
				}
				return diag.Usage("no completion for %q; %s", args[0], diag.Allowed(args[0], shells))
			}
			c.Args = cobra.ArbitraryArgs
		}
	}
	return root
}

// next says, as a note, what was generated and what to do with it.
func (a *App) next(l *Loaded, dir, configPath string) {
	d := l.Design
	a.Note("\n%s: %d-bit streams, %d packet slots of %d bytes", d.Top, d.DataW, d.Slots, d.PktBytes)
	for _, c := range d.Clusters {
		var kinds []string
		for _, co := range c.Cores {
			if co.External {
				kinds = append(kinds, co.Module)
			} else {
				kinds = append(kinds, co.Kind)
			}
		}
		a.Note("  cluster %d %s: %s", c.Index, c.Name, strings.Join(kinds, ", "))
	}
	config := ""
	if configPath != "" {
		config = " -config " + quoteArg(configPath)
	}
	prog := "hwgen"
	if len(os.Args) > 0 && !filepath.IsAbs(os.Args[0]) {
		prog = quoteArg(filepath.ToSlash(os.Args[0])) // as it was called
	}
	a.Note("\nnext:")
	for _, l := range [][2]string{
		{quoteArg(filepath.ToSlash(dir) + "/docs/" + d.Name + ".md"), "ports, clusters and score tables of this design"},
		{prog + " check" + config, "the design as a table, with memory bits, rates and warnings"},
		{prog + " verify" + config, "lint, benches, standard vectors and random jobs on the generated Verilog"},
		{prog + " sim" + config + " -jobs jobs.jsonl -results results.jsonl", "your own jobs on it"},
		{prog + " init", "a starter config of your own"},
	} {
		a.Note("  %s\n      %s", l[0], l[1])
	}
}

// noEmptyNames refuses a flag for a file, a folder, a workload, a variable or bytes that is given without any, as an unset
// variable of the shell does: it is not a flag that is not given.
func noEmptyNames(c *cobra.Command) error {
	var err error
	c.Flags().Visit(func(f *pflag.Flag) {
		what, _ := pflag.UnquoteUsage(f)
		remedy, ok := map[string]string{
			"FILE": "name a file", "DIR": "name a folder", "WORKLOAD": "name a workload", "VARIABLE": "name a variable",
			"HEX": "give its bytes in hex",
		}[what]
		if ok && f.Value.String() == "" {
			err = cmp.Or(err, diag.Usage("-%s is empty: %s, or leave the flag out", f.Name, remedy))
		}
	})
	return err
}

// badValue is pflag's error about a flag's value.
var badValue = regexp.MustCompile(`(?s)^invalid argument "(.*)" for "(?:-\w, )?--([\w-]+)" flag: `)

// wants says what a flag of a type takes.
var wants = map[string]string{
	"int": "an integer", "int64": "an integer of at most 64 bits", "float64": "a number", "bool": "true or false",
}

func unknownFlag(err error) (string, bool) {
	s := err.Error()
	for _, p := range []string{"unknown flag: --", "unknown shorthand flag: "} {
		if rest, ok := strings.CutPrefix(s, p); ok {
			if _, in, ok := strings.Cut(rest, " in -"); ok {
				rest = in
			}
			return rest, true
		}
	}
	return "", false
}

func flagNames(c *cobra.Command) []string {
	names := []string{"help"}
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// noArgs refuses arguments, with the nearest subcommand at the root.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if c.HasParent() && !c.HasSubCommands() {
		return diag.Usage("%s takes no argument %q; see `%s -help`", c.CommandPath(), args[0], c.CommandPath())
	}
	var names []string
	for _, s := range c.Commands() {
		if !s.Hidden {
			names = append(names, s.Name())
		}
	}
	if strings.HasSuffix(args[0], ".toml") {
		return diag.Usage("unknown command %q; a config is given with -config %s", args[0], quoteArg(args[0]))
	}
	return diag.Usage("unknown command %q; %s", args[0], diag.Allowed(args[0], names))
}
