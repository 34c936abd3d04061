// SPDX-License-Identifier: Apache-2.0

// Package tool finds and runs external programs. A program that is missing or that fails is a diag.ToolError, exit
// code 4, which names it and says how to install it.
package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hwgen/gen/diag"
)

// Tool is an external program.
type Tool struct {
	Name    string   // as it is called
	Package string   // Debian's package
	Version []string // arguments that print its version
}

// Tools that hwgen runs.
var (
	Verilator = Tool{"verilator", "verilator", []string{"--version"}}
	Icarus    = Tool{"iverilog", "iverilog", []string{"-V"}}
	VVP       = Tool{"vvp", "iverilog", []string{"-V"}}
	Yosys     = Tool{"yosys", "yosys", []string{"-V"}}
	Compiler  = Tool{"g++", "g++", []string{"--version"}}
	Make      = Tool{"make", "make", []string{"--version"}}
	Ccache    = Tool{"ccache", "ccache", []string{"--version"}}
)

// Install says how to install the tool.
func (t Tool) Install() string {
	return fmt.Sprintf("apt-get install %s (or your system's package %s)", t.Package, t.Package)
}

// Find is the tool's path.
func (t Tool) Find() (string, error) {
	p, err := exec.LookPath(t.Name)
	if err != nil {
		return "", &diag.ToolError{Tool: t.Name, Install: t.Install(), Err: errors.New("not found on PATH")}
	}
	return p, nil
}

// Need fails unless all tools are there.
func Need(ts ...Tool) error {
	var names, packages []string
	for _, t := range ts {
		if _, err := t.Find(); err != nil && !slices.Contains(names, t.Name) {
			names = append(names, t.Name)
			if !slices.Contains(packages, t.Package) {
				packages = append(packages, t.Package)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	all := Tool{Package: strings.Join(packages, " ")}
	return &diag.ToolError{Tool: strings.Join(names, ", "), Install: all.Install(), Err: errors.New("not found on PATH")}
}

// MinVerilator is the oldest Verilator that compiles the harness.
const MinVerilator = "5.006"

var verilatorVersion = regexp.MustCompile(`^Verilator (\d+)\.(\d+)`)

// CheckVerilator fails if the first line of `verilator --version` is of one too old. A line it does not know passes.
func CheckVerilator(line string) error {
	m := verilatorVersion.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	if major > 5 || major == 5 && minor >= 6 {
		return nil
	}
	return &diag.ToolError{Tool: Verilator.Name, Err: fmt.Errorf("this is %s.%s; hwgen needs Verilator %s or newer", m[1], m[2], MinVerilator)}
}

var versions sync.Map

// VersionString is the first line of what the tool says of its version.
func (t Tool) VersionString(ctx context.Context) (string, error) {
	if v, ok := versions.Load(t.Name); ok {
		return v.(string), nil
	}
	p, err := t.Find()
	if err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, p, t.Version...).CombinedOutput()
	if err != nil {
		return "", &diag.ToolError{Tool: t.Name, Err: fmt.Errorf("%s %s: %w", t.Name, strings.Join(t.Version, " "), err)}
	}
	line, _, _ := strings.Cut(string(bytes.TrimSpace(out)), "\n")
	line = hostPart.ReplaceAllString(line, "")
	versions.Store(t.Name, line)
	return line, nil
}

// hostPart of a version line depends on how the tool was built.
var hostPart = regexp.MustCompile(`\s*\(git sha1.*\)$`)

// Result of a run.
type Result struct {
	Out  string // standard output and error
	Code int
}

// Run runs the tool in a folder. That it exits with another code than 0 is no error here.
func (t Tool) Run(ctx context.Context, dir string, args ...string) (Result, error) {
	p, err := t.Find()
	if err != nil {
		return Result{}, err
	}
	return Exec(ctx, dir, nil, p, args...)
}

// Exec runs a program in a folder with additions to the environment.
func Exec(ctx context.Context, dir string, env []string, program string, args ...string) (Result, error) {
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = dir
	if env != nil {
		c.Env = append(os.Environ(), env...)
	}
	out, err := c.CombinedOutput()
	var ee *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return Result{string(out), -1}, ctx.Err()
	case errors.As(err, &ee):
		return Result{string(out), ee.ExitCode()}, nil
	case err != nil:
		return Result{}, &diag.ToolError{Tool: program, Err: err}
	}
	return Result{string(out), 0}, nil
}

// Failed is the error of a tool that was there and failed: its name and the end of what it said.
func (t Tool) Failed(what string, r Result) error {
	return &diag.ToolError{Tool: t.Name, Err: fmt.Errorf("%s failed (exit %d):\n%s", what, r.Code, Tail(r.Out, 30))}
}

// Tail is the last n lines of a text.
func Tail(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	if len(lines) > n {
		lines = append([]string{"..."}, lines[len(lines)-n:]...)
	}
	return strings.Join(lines, "\n")
}
