// SPDX-License-Identifier: Apache-2.0

//go:build unix

package traffic

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/diag"
)

// A pipe is read if that takes one pass.
func TestPipes(t *testing.T) {
	d := testDesign(t, twoClusters)
	pipe := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, syscall.Mkfifo(path, 0o600))
		if text != "" {
			go func() { _ = os.WriteFile(path, []byte(text), 0o600) }()
		}
		return path
	}
	ps := open(t, pipe("p.csv", "task,No,flag,arrival,length,last\n1,0,0,0,16,0\n1,1,0,4,16,1\n"), d)
	wellFormed(t, ps, d)
	require.Len(t, ps, 3)
	_, err := Open(pipe("p.csv", goodCSV), d)
	require.ErrorContains(t, err, "p.csv:1:1: the column last is missing; only of a regular file")
	_, err = Open(pipe("p.pcap", ""), d) // nobody writes: it must not be opened
	require.ErrorContains(t, err, "p.pcap: not a regular file")
	require.Equal(t, diag.ExitUsage, diag.ExitCode(err))
}
