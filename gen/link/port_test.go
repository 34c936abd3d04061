// SPDX-License-Identifier: Apache-2.0

//go:build linux

package link

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A port that can't be opened says why.
func TestOpenPort(t *testing.T) {
	// root may open everything; another user's file rights are those of this thread alone
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	dir := t.TempDir()
	file := filepath.Join(dir, "port")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	check := func(name, want string) {
		t.Helper()
		_, err := OpenPort(name, 3_000_000)
		var p *PortError
		require.ErrorAs(t, err, &p)
		require.Contains(t, err.Error(), "port "+name+": "+want)
	}
	check(file, "it is no serial port")
	check(dir, "it is a folder")
	check(filepath.Join(dir, "gone"), "there is no such port; ")
	require.NoError(t, os.Chmod(file, 0))
	if os.Geteuid() == 0 {
		require.NoError(t, syscall.Setfsuid(65534))
		defer func() { require.NoError(t, syscall.Setfsuid(0)) }()
	}
	check(file, "permission denied; your user must be in the group that owns it")
}
