// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cli

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/diag"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	des, err := os.ReadDir(dir)
	require.NoError(t, err)
	var s []string
	for _, de := range des {
		s = append(s, de.Name())
	}
	return s
}

func modeOf(t *testing.T, file string) os.FileMode {
	t.Helper()
	st, err := os.Lstat(file)
	require.NoError(t, err)
	return st.Mode()
}

// Files may hold keys: a new one has what the umask leaves, one that is there keeps its mode, a link stays a link.
func TestWriteToKeepsModesAndLinks(t *testing.T) {
	old := syscall.Umask(0o077)
	t.Cleanup(func() { syscall.Umask(old) })
	dir, other := t.TempDir(), t.TempDir()
	file := filepath.Join(dir, "k.jsonl")
	require.NoError(t, writeTo(io.Discard, file, text("1")))
	require.Equal(t, os.FileMode(0o600), modeOf(t, file))

	syscall.Umask(0o022)
	require.NoError(t, writeTo(io.Discard, file, text("2")))
	require.Equal(t, os.FileMode(0o600), modeOf(t, file), "never widened")
	require.NoError(t, writeTo(io.Discard, filepath.Join(dir, "new"), text("2")))
	require.Equal(t, os.FileMode(0o644), modeOf(t, filepath.Join(dir, "new")))
	require.NoError(t, os.Chmod(file, 0o666))
	require.NoError(t, writeTo(io.Discard, file, text("3")))
	require.Equal(t, os.FileMode(0o666), modeOf(t, file), "nor narrowed")

	for _, to := range []string{"k.jsonl", "none"} { // there, and not there yet
		target, link := filepath.Join(other, to), filepath.Join(dir, "to_"+to)
		if to == "k.jsonl" {
			require.NoError(t, os.WriteFile(target, nil, 0o600))
		}
		require.NoError(t, os.Symlink(target, link))
		require.NoError(t, checkWritable(link))
		require.NoError(t, writeTo(io.Discard, link, text("4")))
		require.NotZero(t, modeOf(t, link)&fs.ModeSymlink)
		b, err := os.ReadFile(target)
		require.NoError(t, err)
		require.Equal(t, "4", string(b))
	}
	require.Equal(t, os.FileMode(0o600), modeOf(t, filepath.Join(other, "k.jsonl")))
	require.NoError(t, os.Symlink("round", filepath.Join(dir, "round")))
	require.ErrorContains(t, writeTo(io.Discard, filepath.Join(dir, "round"), text("")), "too many symbolic links")
	require.Equal(t, []string{"k.jsonl", "new", "round", "to_k.jsonl", "to_none"}, names(t, dir))
}

// A pipe is written as it is, also by a name that leads to none.
func TestWriteToPipe(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	name := fmt.Sprintf("/dev/fd/%d", w.Fd())
	require.NoError(t, checkWritable(name))
	require.NoError(t, writeTo(io.Discard, name, text("1")))
	require.NoError(t, w.Close())
	b, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "1", string(b))
}

// A link that another simulation has made its own stays.
func TestRemoveLink(t *testing.T) {
	link := filepath.Join(t.TempDir(), "tty")
	require.NoError(t, os.Symlink("/dev/pts/1", link))
	removeLink(link, "/dev/pts/0")
	require.NotZero(t, modeOf(t, link)&fs.ModeSymlink)
	removeLink(link, "/dev/pts/1")
	require.Empty(t, names(t, filepath.Dir(link)))
	removeLink(link, "/dev/pts/1")
}

// A disk that is full leaves nothing, and what was there as it was; the exit code is the same wherever it is noticed.
func TestWriteToFullDisk(t *testing.T) {
	dir := t.TempDir()
	full := func(w io.Writer) error {
		_, _ = io.WriteString(w, "part")
		return &fs.PathError{Op: "write", Path: "temporary", Err: syscall.ENOSPC}
	}
	file := filepath.Join(dir, "f")
	for _, write := range []func(string, func(io.Writer) error) error{
		writeNew, func(p string, f func(io.Writer) error) error { return writeTo(io.Discard, p, f) },
	} {
		err := write(file, full)
		require.EqualError(t, err, file+": no space left on device")
		require.Equal(t, diag.ExitFailed, diag.ExitCode(err))
		require.Empty(t, names(t, dir))
	}
	require.NoError(t, writeNew(file, text("whole")))
	require.ErrorIs(t, writeNew(file, text("another")), fs.ErrExist)
	require.Error(t, writeTo(io.Discard, file, full))
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "whole", string(b))
	require.Equal(t, []string{"f"}, names(t, dir))
}

// A file that comes to be while another is written is not replaced.
func TestWriteNewIsNew(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	err := writeNew(file, func(io.Writer) error { return os.WriteFile(file, []byte("theirs"), 0o600) })
	require.ErrorIs(t, err, fs.ErrExist)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "theirs", string(b))
	require.Equal(t, []string{"f"}, names(t, filepath.Dir(file)))
}

// An interrupt leaves no temporary file, even of a command that waits for its input.
func TestWriteToInterrupted(t *testing.T) {
	for _, s := range interrupts {
		dir := t.TempDir()
		forever := make(chan struct{})
		err := writeTo(io.Discard, filepath.Join(dir, "f"), func(io.Writer) error {
			if err := syscall.Kill(os.Getpid(), s.(syscall.Signal)); err != nil {
				return err
			}
			<-forever
			return nil
		})
		close(forever)
		require.ErrorIs(t, err, context.Canceled)
		require.Empty(t, names(t, dir))
	}
}
