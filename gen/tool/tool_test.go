// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/diag"
)

func TestMissingToolIsNamed(t *testing.T) {
	x := Tool{"no-such-program-here", "some-package", nil}
	_, err := x.Find()
	require.ErrorContains(t, err, "no-such-program-here: not found on PATH; install it with: apt-get install some-package")
	require.Equal(t, diag.ExitTool, diag.ExitCode(err))
	_, err = x.Run(context.Background(), "")
	require.Equal(t, diag.ExitTool, diag.ExitCode(err))
	require.Error(t, Need(Tool{Name: "sh"}, x))
}

func TestRunKeepsExitCode(t *testing.T) {
	r, err := Tool{Name: "sh"}.Run(context.Background(), t.TempDir(), "-c", "echo hello; exit 7")
	require.NoError(t, err)
	require.Equal(t, 7, r.Code)
	require.Equal(t, "hello\n", r.Out)
	require.Equal(t, diag.ExitTool, diag.ExitCode(Tool{Name: "sh"}.Failed("it", r)))
}

func TestTail(t *testing.T) {
	require.Equal(t, "...\nb\nc", Tail("a\nb\nc\n", 2))
	require.Equal(t, "a\nb", Tail("a\nb", 2))
}
