// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// release is what the test reads of .goreleaser.yaml.
type release struct {
	Version int
	Builds  []struct {
		Main, Binary                      string
		Env, Flags, Ldflags, Goos, Goarch []string
		Ignore                            []any
	}
	Archives []struct{ Files []string }
}

// machine is what a file's header says that it runs on, in the words of Go.
func machine(t *testing.T, file string) (system, arch string) {
	t.Helper()
	if f, err := elf.Open(file); err == nil {
		defer f.Close()
		return "linux", map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[f.Machine]
	}
	if f, err := macho.Open(file); err == nil {
		defer f.Close()
		return "darwin", map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}[f.Cpu]
	}
	f, err := pe.Open(file)
	require.NoError(t, err, "%s is no program", file)
	defer f.Close()
	return "windows", map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64"}[f.Machine]
}

// check reads the program and all that it is made of as the compiler does for a system and an architecture: hwgen's own
// packages whole, the declarations of the others. It gives the number of hwgen's own. What compiler and linker do after that is
// left to a build, which costs more than a minute of CPU time a target.
func check(t *testing.T, system, arch, main string) (own int) {
	t.Helper()
	c := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap", main)
	c.Dir = root
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	out, err := c.Output()
	require.NoError(t, err)
	packages := map[string]*types.Package{"unsafe": types.Unsafe}
	fset := token.NewFileSet()
	for d := json.NewDecoder(bytes.NewReader(out)); ; { // a package comes after those that it imports
		var p struct {
			ImportPath, Dir string
			GoFiles         []string
			ImportMap       map[string]string
		}
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return own
		}
		require.NoError(t, err)
		if p.ImportPath == "unsafe" {
			continue
		}
		var files []*ast.File
		for _, f := range p.GoFiles {
			a, err := parser.ParseFile(fset, filepath.Join(p.Dir, f), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			files = append(files, a)
		}
		ours := strings.HasPrefix(p.ImportPath, "hwgen/")
		conf := types.Config{
			IgnoreFuncBodies: !ours,
			Sizes:            types.SizesFor("gc", arch),
			Importer: importer(func(path string) (*types.Package, error) {
				if m, ok := p.ImportMap[path]; ok {
					path = m
				}
				if q, ok := packages[path]; ok {
					return q, nil
				}
				return nil, fmt.Errorf("%s imports %s, which was not read", p.ImportPath, path)
			}),
		}
		if !ours {
			conf.Error = func(error) {} // an import that only bodies use counts as unused
		}
		q, err := conf.Check(p.ImportPath, fset, files, nil)
		packages[p.ImportPath] = q
		if ours {
			require.NoError(t, err, "%s/%s", system, arch)
			own++
		}
	}
}

// importer is a types.Importer.
type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }

// The list of .goreleaser.yaml has the three systems on two architectures, and the program's source passes for each (see check).
// It is built for each system on this machine's architecture, and that for this machine has the version that the build gave it,
// and generates. With HWGEN_DEEP=1 all six are built, with the list's flags. What is built is a program for its system.
func TestRelease(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(root, ".goreleaser.yaml"))
	require.NoError(t, err)
	var r release
	require.NoError(t, yaml.Unmarshal(b, &r))
	require.Equal(t, 2, r.Version)
	require.Len(t, r.Builds, 1)
	for _, a := range r.Archives {
		for _, f := range a.Files {
			require.FileExists(t, filepath.Join(root, f))
		}
	}
	c, dir := r.Builds[0], t.TempDir()
	deep := os.Getenv("HWGEN_DEEP") != ""
	listed, built := 0, 0
	for _, system := range c.Goos {
		for _, arch := range c.Goarch {
			listed++
			require.Greater(t, check(t, system, arch, c.Main), 25, "packages of hwgen's own")
			if !deep && arch != runtime.GOARCH {
				continue
			}
			file := filepath.Join(dir, system, arch, c.Binary)
			args := []string{"build", "-o", file}
			if deep {
				args = append(args, c.Flags...)
			}
			args = append(args, "-ldflags", strings.ReplaceAll(strings.Join(c.Ldflags, " "), "{{ .Version }}", "7.8.9"), c.Main)
			g := exec.Command("go", args...)
			g.Dir = root
			g.Env = append(append(os.Environ(), c.Env...), "GOOS="+system, "GOARCH="+arch)
			out, err := g.CombinedOutput()
			require.NoError(t, err, "%s/%s: %s", system, arch, out)
			gotSystem, gotArch := machine(t, file)
			require.Equal(t, system+" "+arch, gotSystem+" "+gotArch)
			built++
			if system != runtime.GOOS || arch != runtime.GOARCH {
				continue
			}
			said, err := exec.Command(file, "version").CombinedOutput()
			require.NoError(t, err, "%s", said)
			require.Contains(t, string(said), "hwgen 7.8.9 (")
			said, err = exec.Command(file, "-config", filepath.Join(root, "examples", "tiny", "tiny.toml"), "-out", filepath.Join(dir, "tiny")).CombinedOutput()
			require.NoError(t, err, "%s", said)
			top, err := os.ReadFile(filepath.Join(dir, "tiny", "rtl", "tiny_top.v"))
			require.NoError(t, err)
			require.Contains(t, string(top), "Code generated by hwgen v7.8.9;")
		}
	}
	require.Equal(t, 6, listed, "Linux, macOS and Windows, amd64 and arm64")
	want := len(c.Goos)
	if deep {
		want = listed
	}
	require.Equal(t, want, built)
}
