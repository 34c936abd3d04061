// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"hwgen/gen/diag"
)

// outFile is a file that a command writes: whole or not at all. What is written goes into a temporary file beside it,
// which takes its name in the end. A file that is there keeps its mode, and a link to it stays one.
type outFile struct {
	file *os.File
	name string      // as the user has it
	path string      // links followed
	temp string      // "": a device or a pipe, written as it is
	mode os.FileMode // of the file that was there; 0: none was
	ctx  context.Context
	stop context.CancelFunc
}

// createFile begins a file; mode, less the umask, is that of a new one. An interrupt removes what there is of it.
func createFile(name string, mode os.FileMode) (*outFile, error) {
	o := &outFile{name: name, ctx: context.Background(), stop: func() {}}
	st, err := os.Stat(name)
	if err == nil && !st.Mode().IsRegular() { // a link to a pipe (/dev/fd/3) may lead to no name
		if o.file, err = os.OpenFile(name, os.O_WRONLY, 0); err != nil {
			return nil, diag.Usage("%s: %w", name, diag.Cause(err))
		}
		return o, nil
	}
	if err == nil {
		o.mode = st.Mode().Perm()
		mode = o.mode
	}
	path, err := followLinks(name)
	if err != nil {
		return nil, diag.Usage("%s: %w", name, diag.Cause(err))
	}
	o.path = path
	for {
		temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".hwgen-%d", rand.Uint64()))
		o.file, err = os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, diag.Usage("%s: %w", name, diag.Cause(err))
		}
		o.temp = temp
		break
	}
	ctx, cancel := interruptible()
	unwatch := context.AfterFunc(ctx, func() {
		_ = os.Remove(o.temp)
		cancel() // a second one ends the program
	})
	o.ctx, o.stop = ctx, func() { unwatch(); cancel() }
	return o, nil
}

// Write writes to the file until it is interrupted.
func (o *outFile) Write(p []byte) (int, error) {
	if err := o.ctx.Err(); err != nil {
		return 0, err
	}
	return o.file.Write(p)
}

// finish is the file's contents on the disk.
func (o *outFile) finish() error {
	if o.temp == "" {
		return o.file.Close()
	}
	if st, err := o.file.Stat(); err == nil && o.mode != 0 && st.Mode().Perm() != o.mode { // the umask took some
		if err := o.file.Chmod(o.mode); err != nil {
			return err
		}
	}
	return errors.Join(o.file.Sync(), o.file.Close(), o.ctx.Err())
}

// commit gives the file its name.
func (o *outFile) commit() error {
	err := o.finish()
	if err == nil && o.temp != "" {
		err = os.Rename(o.temp, o.path)
	}
	return o.failed(err)
}

// commitNew is commit that never replaces a file: fs.ErrExist.
func (o *outFile) commitNew() error {
	err := o.finish()
	if err == nil {
		err = os.Link(o.temp, o.path)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) && o.ctx.Err() == nil { // not every file system has links
		if _, serr := os.Lstat(o.path); errors.Is(serr, fs.ErrNotExist) {
			err = os.Rename(o.temp, o.path)
		}
	}
	return o.failed(err)
}

func (o *outFile) failed(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s: %w", o.name, diag.Cause(err))
}

// drop ends the file; one that was not committed is gone.
func (o *outFile) drop() {
	o.file.Close()
	if o.temp != "" {
		_ = os.Remove(o.temp)
	}
	o.stop()
}

// fill writes the file with a function, which an interrupt leaves behind where it is: it may wait for its input.
func (o *outFile) fill(write func(io.Writer) error) error {
	done := make(chan error, 1)
	go func() { done <- write(o) }()
	select {
	case err := <-done:
		return o.failed(err)
	case <-o.ctx.Done():
		return o.ctx.Err()
	}
}

// writeTo writes a file, whole or not at all; - is out.
func writeTo(out io.Writer, path string, write func(io.Writer) error) error {
	if path == "-" {
		return write(out)
	}
	return writeFile(path, write, (*outFile).commit)
}

// writeNew is writeTo for a file that is not there yet: else fs.ErrExist.
func writeNew(path string, write func(io.Writer) error) error {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	return writeFile(path, write, (*outFile).commitNew)
}

// writeFile begins a file, fills it, and gives it its name as commit does.
func writeFile(path string, write func(io.Writer) error, commit func(*outFile) error) error {
	o, err := createFile(path, 0o666)
	if err != nil {
		return err
	}
	defer o.drop()
	if err := o.fill(write); err != nil {
		return err
	}
	return commit(o)
}

// followLinks is the name of the file that a name leads to over symbolic links; it need not be there.
func followLinks(path string) (string, error) {
	name := path
	for range 40 {
		to, err := os.Readlink(name)
		if err != nil {
			return name, nil //nolint:nilerr // no link
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	return "", fmt.Errorf("too many symbolic links")
}

// sameFile says whether two names are of one regular file, there already or not.
func sameFile(a, b string) bool {
	sa, ea := os.Stat(a)
	sb, eb := os.Stat(b)
	if ea == nil && eb == nil {
		return sa.Mode().IsRegular() && os.SameFile(sa, sb)
	}
	pa, ea := filepath.Abs(a)
	pb, eb := filepath.Abs(b)
	return ea == nil && eb == nil && pa == pb
}

// checkWritable says why a file cannot be written; its folder must be there.
func checkWritable(file string) error {
	if st, err := os.Stat(file); err == nil && st.IsDir() {
		return errors.New("is a folder; name a file")
	} else if err == nil && !st.Mode().IsRegular() {
		return nil
	}
	file, err := followLinks(file)
	if err != nil {
		return err
	}
	dir := filepath.Dir(file)
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no folder %s", dir)
	case err != nil:
		return fmt.Errorf("folder %s: %w", dir, diag.Cause(err))
	case !st.IsDir():
		return fmt.Errorf("%s is no folder", dir)
	}
	t, err := os.CreateTemp(dir, ".hwgen-*")
	if err != nil {
		return fmt.Errorf("folder %s cannot be written: %w", dir, diag.Cause(err))
	}
	return errors.Join(t.Close(), os.Remove(t.Name()))
}
