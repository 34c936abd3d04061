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

func TestAllMissingToolsAtOnce(t *testing.T) {
	err := Need(Tool{"no-a", "p", nil}, Tool{Name: "sh"}, Tool{"no-b", "p", nil}, Tool{"no-c", "q", nil}, Tool{"no-a", "p", nil})
	require.EqualError(t, err, "no-a, no-b, no-c: not found on PATH; install it with: apt-get install p q (or your system's package p q)")
	require.Equal(t, diag.ExitTool, diag.ExitCode(err))
	require.NoError(t, Need(Tool{Name: "sh"}))
}

func TestOldVerilator(t *testing.T) {
	for _, v := range []string{"Verilator 5.006 2023-01-22", "Verilator 5.020 2024-01-01 rev x", "Verilator 6.0", "something else"} {
		require.NoError(t, CheckVerilator(v), v)
	}
	for _, v := range []string{"Verilator 4.038 2020-07-11", "Verilator 5.004 2022-12-14", "Verilator 3.9"} {
		err := CheckVerilator(v)
		require.ErrorContains(t, err, "needs Verilator 5.006 or newer")
		require.Equal(t, diag.ExitTool, diag.ExitCode(err))
	}
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
