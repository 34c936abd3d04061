// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"hwgen/gen/diag"
)

// journal is the state file of a long run that can be stopped and taken up again: a line of JSON that says what the run
// is, then one for each part that is done.
type journal struct{ f *os.File }

// openJournal opens or begins a state file and gives each part that is in it to done. Without a name nothing is kept.
func openJournal(name string, run any, done func(line []byte) error) (*journal, error) {
	if name == "" {
		return &journal{}, nil
	}
	program, err := programHash()
	if err != nil {
		return nil, err
	}
	head, err := json.Marshal(struct {
		Program string `json:"program"`
		Run     any    `json:"run"`
	}{program, run})
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, diag.Usage("-state %s: cannot be read: %w", name, diag.Cause(err))
	}
	// a line without an end was cut off while it was written
	b = b[:bytes.LastIndexByte(b, '\n')+1]
	lines := bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n"))
	if len(b) > 0 && !bytes.Equal(lines[0], head) {
		return nil, diag.Usage("-state %s is of another run:\n  %s\nthis one is\n  %s\nremove it or name another file", name,
			lines[0], head)
	}
	for i, l := range lines[1:] {
		if err := done(l); err != nil {
			return nil, diag.Usage("%s:%d:1: %w; remove the file or name another", name, i+2, err)
		}
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, diag.Usage("-state %s: cannot be written: %w", name, diag.Cause(err))
	}
	j := &journal{f}
	_, err = f.Seek(int64(len(b)), io.SeekStart)
	if err = errors.Join(err, f.Truncate(int64(len(b)))); err == nil && len(b) == 0 {
		err = j.add(json.RawMessage(head))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return j, nil
}

// programHash tells one build of the program from another: what was found with one, by its generators and its checks, says
// nothing of the next. Builds of the same sources are the same bytes (make build).
func programHash() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])[:16], nil
}

// add notes that a part is done.
func (j *journal) add(part any) error {
	if j.f == nil {
		return nil
	}
	b, err := json.Marshal(part)
	if err != nil {
		return err
	}
	if _, err := j.f.Write(append(b, '\n')); err != nil {
		return fmt.Errorf("state file: %w", err)
	}
	return nil
}

func (j *journal) close() error {
	if j.f == nil {
		return nil
	}
	return j.f.Close()
}
