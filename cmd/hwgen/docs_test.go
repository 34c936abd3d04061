// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/tool"
)

var shellBlock = regexp.MustCompile("(?s)\n```sh\n(.*?)```")

// The commands of these pages run as they are written, in the folder that has examples/.
func TestDocsCommands(t *testing.T) {
	require.NoError(t, tool.Need(tool.Icarus, tool.VVP, tool.Verilator, tool.Yosys, tool.Make))
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	for page, want := range map[string]string{
		"clocks": "all checks passed", "own-cores": "PASS", "several-designs": "three_top", "vivado": "ASSOCIATED_BUSIF s_axil",
	} {
		t.Run(page, func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join(root, "docs", page+".md"))
			require.NoError(t, err)
			dir := t.TempDir()
			require.NoError(t, os.Symlink(filepath.Join(root, "examples"), filepath.Join(dir, "examples")))
			script := "set -eu\n"
			blocks := shellBlock.FindAllSubmatch(b, -1)
			require.NotEmpty(t, blocks)
			for _, m := range blocks {
				script += string(m[1])
			}
			c := exec.CommandContext(t.Context(), "bash", "-c", script)
			c.Dir = dir
			out, err := c.CombinedOutput()
			require.NoError(t, err, "%s\n%s", script, out)
			require.Contains(t, string(out), want)
		})
	}
}
