// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"errors"
	"path/filepath"
	"syscall"
)

// Of the Windows API, not in package syscall.
const (
	errorSharingViolation = syscall.Errno(32)
	fileFlagDeleteOnClose = 0x04000000
)

// lock takes the lock of a folder, or says errLocked: a file that nobody else may open, which goes with its handle.
func lock(dir string) (held bool, unlock func(), err error) {
	name, err := syscall.UTF16PtrFromString(filepath.Join(dir, lockName))
	if err != nil {
		return false, nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_WRITE, 0, nil, syscall.CREATE_ALWAYS,
		syscall.FILE_ATTRIBUTE_NORMAL|fileFlagDeleteOnClose, 0)
	if errors.Is(err, errorSharingViolation) {
		return false, nil, errLocked
	}
	if err != nil {
		return false, nil, err
	}
	return true, func() { _ = syscall.CloseHandle(h) }, nil
}
