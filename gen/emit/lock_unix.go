// SPDX-License-Identifier: Apache-2.0

//go:build unix && !aix && !solaris

package emit

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// lock takes the lock of a folder, or says errLocked; held is false where the file system knows no locks.
func lock(dir string) (held bool, unlock func(), err error) {
	name := filepath.Join(dir, lockName)
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o666)
		if errors.Is(err, syscall.EACCES) { // that of another user
			f, err = os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
		}
		if err != nil {
			return false, nil, err
		}
		err = flock(f)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			f.Close()
			return false, nil, errLocked
		}
		if err != nil { // ENOLCK, EOPNOTSUPP and the like
			f.Close()
			_ = os.Remove(name)
			return false, func() {}, nil
		}
		of, ferr := f.Stat()
		at, err := os.Lstat(name)
		if ferr == nil && err == nil && os.SameFile(of, at) {
			return true, func() { _ = os.Remove(name); f.Close() }, nil
		}
		f.Close() // the run before has removed it between the two
	}
}

func flock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
