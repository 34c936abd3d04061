// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestErrorText(t *testing.T) {
	e := &Error{Pos: Pos{"f.toml", 3, 7}, Msg: "slots is 0", Hint: "allowed: 1 to 256"}
	assert.Equal(t, "f.toml:3:7: slots is 0; allowed: 1 to 256", e.Error())
	assert.Equal(t, "gone", (&Error{Msg: "gone"}).Error())
	assert.Equal(t, "f.toml: gone", (&Error{Pos: Pos{File: "f.toml"}, Msg: "gone"}).Error())
}

func TestListIsSorted(t *testing.T) {
	var l List
	assert.NoError(t, l.Err())
	l.Add(Pos{"f", 3, 1}, "", "c")
	l.Add(Pos{"f", 1, 5}, "", "b")
	l.Add(Pos{"f", 1, 2}, "", "a")
	assert.EqualError(t, l.Err(), "f:1:2: a\nf:1:5: b\nf:3:1: c")
}

func TestExitCodes(t *testing.T) {
	assert.Equal(t, 0, ExitCode(nil))
	assert.Equal(t, 1, ExitCode(errors.New("x")))
	assert.Equal(t, 1, ExitCode(Failed("x")))
	assert.Equal(t, 2, ExitCode(fmt.Errorf("w: %w", Usage("x"))))
	assert.Equal(t, 2, ExitCode(List{{Msg: "x"}}))
	assert.Equal(t, 2, ExitCode(&Error{Msg: "x"}))
	assert.Equal(t, 3, ExitCode(Drift("x")))
	for _, full := range []error{Usage("x: %w", syscall.ENOSPC), fmt.Errorf("x: %w", syscall.EDQUOT), &ToolError{Tool: "x", Err: syscall.ENOSPC}} {
		assert.Equal(t, 1, ExitCode(full), "a full disk is the same to every command")
	}
	err := &ToolError{Tool: "verilator", Install: "apt-get install verilator", Err: errors.New("not found")}
	assert.Equal(t, 4, ExitCode(fmt.Errorf("w: %w", err)))
	assert.EqualError(t, err, "verilator: not found; install it with: apt-get install verilator")
}

func TestNearest(t *testing.T) {
	names := []string{"slots", "name", "queue", "aes128", "aes256", "aes128_16sbox"}
	for in, want := range map[string]string{
		"slot": "slots", "SLOTS": "slots", "nmae": "name", "queeu": "queue", "AES-128": "aes128", "aes128_16boxes": "aes128_16sbox",
		"zzzzzzz": "", "": "",
	} {
		assert.Equal(t, want, Nearest(in, names), in)
	}
	assert.Equal(t, 1, distance("ab", "ba"))
	assert.Equal(t, 3, distance("kitten", "sitting"))
	assert.Equal(t, `did you mean "name"? (allowed: name, size)`, Allowed("nmae", []string{"name", "size"}))
	assert.Equal(t, "allowed: tree, scan", Allowed("linear", []string{"tree", "scan"}))
}
