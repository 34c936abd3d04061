// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// block is a code fence of a page.
type block struct {
	lang, file, text string
	line             int // of the fence
}

// blocks are the fences of a page: ```lang, or ```lang file.
func blocks(t *testing.T, page string) []block {
	t.Helper()
	b, err := os.ReadFile(page)
	require.NoError(t, err)
	var l []block
	var in *block
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		info, fence := strings.CutPrefix(strings.TrimRight(line, "\n"), "```")
		switch {
		case fence && in == nil:
			lang, file, _ := strings.Cut(info, " ")
			in = &block{lang: lang, file: file, line: n}
		case fence:
			l = append(l, *in)
			in = nil
		case in != nil:
			in.text += line
		}
	}
	require.Nil(t, in, "%s: a fence is not closed", page)
	return l
}

// play runs a page in a fresh folder: a fence with a file's name is written to that file, one of sh is run, each in turn, in
// one shell that ends with the first command that fails. hwgen and the environment's programs are on PATH, ~/hwgen is
// hwgen's source. It gives what was said.
func play(t *testing.T, page string, newVerilator bool) string {
	t.Helper()
	bin, err := venv()
	require.NoError(t, err)
	home, dir := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(root, filepath.Join(home, "hwgen")))
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	path := filepath.Dir(program(t)) + ":" + bin + ":" + os.Getenv("PATH")
	if newVerilator {
		path = filepath.Join(filepath.Dir(bin), "verilator", "bin") + ":" + path
	}
	script, commands := "set -euo pipefail\n", 0
	for _, b := range blocks(t, page) {
		switch {
		case b.file != "":
			f := filepath.Join(dir, b.file)
			require.NoError(t, os.MkdirAll(filepath.Dir(f), 0o755))
			require.NoError(t, os.WriteFile(f, []byte(b.text), 0o644))
		case b.lang == "sh":
			script += fmt.Sprintf("echo '== %s:%d'\n%s", filepath.Base(page), b.line, b.text)
			commands++
		}
	}
	require.Positive(t, commands, "%s has no commands", page)
	c := exec.Command("bash", "-c", script)
	c.Dir = dir
	if _, err := exec.LookPath("ccache"); err == nil {
		c.Env = append(c.Env, "OBJCACHE=ccache") // Verilator's own files are the same in each model
	}
	c.Env = append(append(c.Env, os.Environ()...), "PATH="+path, "HOME="+home, "XDG_CACHE_HOME="+cache, "VIRTUAL_ENV="+filepath.Dir(bin),
		"BUILD_ARGS=OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0") // Verilator's models run for a moment only
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s\n%s", page, out)
	return string(out)
}

// The commands of the integrations' pages run as they are written.
func TestDocs(t *testing.T) {
	for _, p := range []struct {
		page         string
		newVerilator bool
		says         []string // what only a run that did its work says
		times        int
	}{
		{"fusesoc.md", false, []string{"\nPASS\n", "Generating example:soc:scheduler-scheduler:0"}, 0},
		{"cocotb.md", true, []string{"TESTS=4 PASS=4 FAIL=0"}, 2}, // Icarus Verilog, Verilator
		{"litex.md", true, []string{"TESTS=4 PASS=4 FAIL=0", "test_irq.event_manager passed", "test_cpu.interrupt passed"}, 1},
		{"registers.md", false, []string{"GLOBAL.ID"}, 0},
		{"editors.md", false, []string{"generated Verilog is up to date", "Passed"}, 0},
	} {
		t.Run(p.page, func(t *testing.T) {
			out := play(t, filepath.Join(root, "docs", p.page), p.newVerilator)
			for _, s := range p.says {
				require.Contains(t, out, s)
			}
			if p.times > 0 {
				require.Equal(t, p.times, strings.Count(out, p.says[0]), "%s", out)
			}
		})
	}
}

// A page whose second command fails ends there.
func TestDocsFail(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(page, []byte("```toml a.toml\nx = 1\n```\n```sh\ntest -f a.toml\n```\nand\n```sh\nhwgen check -config a.toml\necho on\n```\n"), 0o644))
	if os.Getenv("HWGEN_DOCS_FAIL") != "" {
		play(t, page, false)
		return
	}
	c := exec.Command(os.Args[0], "-test.run=^TestDocsFail$")
	c.Env = append(os.Environ(), "HWGEN_DOCS_FAIL=1")
	out, err := c.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), `a.toml:1:1: unknown key "x"`)
	require.NotContains(t, string(out), "\non\n")
}
