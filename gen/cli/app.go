// SPDX-License-Identifier: Apache-2.0

// Package cli is the command line: one file a subcommand, each with a function newXCmd(*App) *cobra.Command that
// newRoot lists. Commands print results to App.Out and notes to App.Err, and return errors of package diag, whose
// exit codes Main hands to the shell.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/emit"
	"hwgen/gen/regmap"
	"hwgen/templates"
)

// Version is the tool's version, which generated files carry, if the build sets it:
// -ldflags "-X hwgen/gen/cli.Version=1.2.3".
var Version string

// sourceVersion is that of a build of a source tree.
const sourceVersion = "0.1.0"

// release matches the module version of a build in a tagged, unchanged checkout: no pseudo-version, nothing after the tag.
var release = regexp.MustCompile(`^v(\d+\.\d+\.\d+)$`)

// version of the tool: what the build sets, else the tag it was built from, else that of the source. The same source
// gives the same files whatever commit it is in, so a commit is no part of it; `hwgen version` shows that.
func version(set string, info *debug.BuildInfo) string {
	if set != "" {
		return strings.TrimPrefix(set, "v")
	}
	if info != nil {
		if m := release.FindStringSubmatch(info.Main.Version); m != nil {
			return m[1]
		}
	}
	return sourceVersion
}

// App is what every command needs.
type App struct {
	Out, Err io.Writer
	Version  string
}

// Main runs the command line of os.Args and returns the exit code.
func Main() int { return Run(os.Args[1:], os.Stdout, os.Stderr) }

// Run runs a command line and returns the exit code.
func Run(args []string, stdout, stderr io.Writer) int {
	info, _ := debug.ReadBuildInfo()
	out := &checked{w: stdout}
	app := &App{Out: out, Err: stderr, Version: version(Version, info)}
	root := newRoot(app)
	root.SetArgs(longFlags(args))
	err := root.Execute()
	if err == nil && out.err != nil && !errors.Is(out.err, syscall.EPIPE) {
		err = diag.Failed("standard output: %w", diag.Cause(out.err))
	}
	if errors.Is(err, context.Canceled) { // whoever it was that ended
		err = diag.Failed("interrupted")
	}
	if err != nil {
		app.Note("%s", prefixLines(err.Error()))
	}
	return diag.ExitCode(err)
}

// checked remembers the first error of writing, of which Run tells, and drops what comes behind it. After EPIPE whoever
// reads has gone, and wants no more.
type checked struct {
	w   io.Writer
	err error
}

func (c *checked) Write(p []byte) (int, error) {
	if c.err == nil {
		_, c.err = c.w.Write(p)
	}
	return len(p), nil
}

// failing is standard output for those who end when it does: it returns the error.
type failing struct{ c *checked }

func (f failing) Write(p []byte) (int, error) {
	n, _ := f.c.Write(p) // kept
	if f.c.err != nil {
		return 0, diag.Failed("standard output: %w", diag.Cause(f.c.err))
	}
	return n, nil
}

// interrupts end a command. That of a terminal which is gone does not if the program was started so (nohup).
var interrupts = func() []os.Signal {
	s := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		s = append(s, syscall.SIGHUP)
	}
	return s
}()

// interruptible is a context that ends with an interrupt.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), interrupts...)
}

// survivePipes makes what nobody reads any more an error of the write, which on standard output would end the program.
func survivePipes() (stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGPIPE)
	return func() { signal.Stop(c) }
}

// prefixLines marks the tool's own messages; those with a place in a file speak for themselves.
func prefixLines(s string) string {
	if i := strings.Index(s, ":"); i > 0 && len(s) > i+1 && s[i+1] >= '0' && s[i+1] <= '9' {
		return s
	}
	return "hwgen: " + s
}

// Note prints a line to standard error.
func (a *App) Note(format string, args ...any) { fmt.Fprintf(a.Err, format+"\n", args...) }

// Printf prints to standard output.
func (a *App) Printf(format string, args ...any) { fmt.Fprintf(a.Out, format, args...) }

// longFlags lets flags with one dash and a long name be written as Go programs do: -config FILE.
func longFlags(args []string) []string {
	out := slices.Clone(args)
	for i, a := range args {
		if a == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(a, "-"), "=")
		if len(a) > 2 && a[0] == '-' && len(name) > 1 && name[0] >= 'a' && name[0] <= 'z' {
			out[i] = "-" + a
		}
	}
	return out
}

// Loaded is a config read and elaborated.
type Loaded struct {
	Config *config.Config
	Design *design.Design
	Map    *regmap.Map // of its registers; nil: it has none
}

// loadDesign reads and elaborates a config; without a path the embedded default, and says so.
func (a *App) loadDesign(configPath string) (*design.Design, error) {
	l, err := a.Load(configPath)
	if err != nil {
		return nil, err
	}
	return l.Design, nil
}

// Load is loadDesign with the config itself.
func (a *App) Load(configPath string) (*Loaded, error) {
	var c *config.Config
	var err error
	if configPath == "" {
		b, rerr := templates.FS.ReadFile("config/default.toml")
		if rerr != nil {
			return nil, fmt.Errorf("embedded config: %w", rerr)
		}
		a.Note("hwgen: no -config given, taking the embedded default design")
		c, err = config.Parse("default.toml", ".", b)
	} else {
		c, err = config.Load(configPath)
	}
	if err != nil {
		return nil, err
	}
	d, err := design.Elaborate(c)
	var places diag.List
	if errors.As(err, &places) {
		return nil, places
	}
	if err != nil {
		return nil, diag.Usage("%s: %w", c.File, err)
	}
	m, err := a.registers(c, d)
	if err != nil {
		return nil, err
	}
	return &Loaded{Config: c, Design: d, Map: m}, nil
}

// registers makes a design's register map, or says which cluster's name makes names of registers that others have.
func (a *App) registers(c *config.Config, d *design.Design) (*regmap.Map, error) {
	if !d.Axil {
		return nil, nil
	}
	m, err := regmap.Build(d, a.Version, c.Hash)
	var clash *regmap.ClashError
	if !errors.As(err, &clash) {
		return m, err
	}
	later := max(clash.Cluster, clash.Other)
	other := "those of the whole design have"
	if o := min(clash.Cluster, clash.Other); o >= 0 {
		other = fmt.Sprintf("those of cluster %q have", d.Clusters[o].Name)
	}
	pos := c.Clusters[later].Name.Pos
	if !pos.IsValid() {
		pos = c.Clusters[later].Pos
	}
	var l diag.List
	l.Add(pos, "choose another name", "registers of cluster %q would have names that %s: %s", d.Clusters[later].Name, other, clash.Name)
	return nil, l
}

// Emit renders a loaded design.
func (a *App) Emit(l *Loaded) (emit.Output, error) {
	out, err := emit.Emit(l.Design, emit.Options{
		Version: a.Version, ConfigHash: l.Config.Hash, SourcePath: l.Config.SourcePath,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Config.File, err)
	}
	return out, nil
}

// Generate renders a loaded design into dir and says what was written.
func (a *App) Generate(l *Loaded, dir string) (*emit.Result, error) {
	out, err := a.Emit(l)
	if err != nil {
		return nil, err
	}
	if err := sourcesOutside(l.Config, dir); err != nil {
		return nil, err
	}
	ctx, stop := interruptible()
	defer stop()
	res, err := emit.WriteContext(ctx, dir, out)
	if err != nil {
		return nil, diag.Usage("%w", err)
	}
	return res, nil
}

// sourcesOutside refuses external sources in the output folder, where they could be taken for files of an earlier run.
func sourcesOutside(c *config.Config, dir string) error {
	out, err := os.Stat(dir)
	if err != nil {
		return nil //nolint:nilerr // it is not there yet
	}
	within := func(file string) bool {
		for {
			if st, err := os.Stat(file); err == nil && os.SameFile(st, out) {
				return true
			}
			up := filepath.Dir(file)
			if up == file {
				return false
			}
			file = up
		}
	}
	var l diag.List
	for _, cl := range c.Clusters {
		for _, co := range cl.Cores {
			for _, s := range co.Sources {
				file, err := filepath.Abs(c.SourcePath(s.V))
				if err != nil {
					return err
				}
				real, err := filepath.EvalSymlinks(file)
				if within(file) || err == nil && within(real) {
					l.Add(s.Pos, "keep your own files outside, or choose another folder with -out", "source %q lies in the output folder %s",
						s.V, filepath.ToSlash(dir))
				}
			}
		}
	}
	return l.Err()
}

// OutDir is the output folder: what -out says, or build/<name>.
func OutDir(out string, d *design.Design) string {
	if out == "" {
		return filepath.Join("build", d.Name)
	}
	return out
}

// configFlag adds -config, -c to a command.
func configFlag(c *cobra.Command, v *string) {
	c.Flags().StringVarP(v, "config", "c", "", "hardware description, a TOML `FILE` (default: the embedded design)")
}

func outFlag(c *cobra.Command, v *string) {
	c.Flags().StringVarP(v, "out", "o", "", "output `DIR` (default: build/<name>)")
}

func jsonFlag(c *cobra.Command, v *bool) {
	c.Flags().BoolVar(v, "json", false, "print JSON")
}

// build is how the tool was built: Go's version, the platform, and the commit if the build knows it.
type build struct {
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Commit   string `json:"commit,omitempty"`
	Changed  bool   `json:"changed,omitempty"` // files differed from the commit
}

func buildInfo() build {
	b := build{Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}

func (b build) String() string {
	s := b.Go + ", " + b.Platform
	if b.Commit != "" {
		s += ", commit " + b.Commit[:min(12, len(b.Commit))]
		if b.Changed {
			s += " and changes"
		}
	}
	return s
}
