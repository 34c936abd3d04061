// SPDX-License-Identifier: Apache-2.0

// Package diag is how hwgen speaks about mistakes: messages with file, line and column, hints, and exit codes.
package diag

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sort"
	"strings"
	"syscall"
)

// Exit codes of the command line.
const (
	ExitOK     = 0
	ExitFailed = 1 // a check or a test failed
	ExitUsage  = 2 // bad config or usage
	ExitDrift  = 3 // the output folder differs from what would be generated
	ExitTool   = 4 // an external tool is missing or failed
)

// Pos is a place in a file. The zero Pos is no place.
type Pos struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"` // from 1
	Col  int    `json:"col,omitempty"`  // from 1, in characters
}

// IsValid says whether p is a place.
func (p Pos) IsValid() bool { return p.Line > 0 }

// String is "file:line:col", or as much of it as is known.
func (p Pos) String() string {
	switch {
	case p.Line > 0:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
	default:
		return p.File
	}
}

// Error is one mistake in an input file.
type Error struct {
	Pos  Pos
	Msg  string // what is wrong
	Hint string // what is allowed, the nearest valid name; may be empty
}

// Error is "file:line:col: message; hint".
func (e *Error) Error() string {
	var b strings.Builder
	if s := e.Pos.String(); s != "" {
		b.WriteString(s)
		b.WriteString(": ")
	}
	b.WriteString(e.Msg)
	if e.Hint != "" {
		b.WriteString("; ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

// List is all mistakes of an input, in the order of their places. It is an error with exit code ExitUsage.
type List []*Error

// Add appends a mistake.
func (l *List) Add(pos Pos, hint, format string, args ...any) {
	*l = append(*l, &Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Hint: hint})
}

// Err sorts the list by place and returns it, or nil if it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	sort.SliceStable(l, func(i, j int) bool {
		a, b := l[i].Pos, l[j].Pos
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Col < b.Col
	})
	return l
}

// Error is one mistake a line.
func (l List) Error() string {
	s := make([]string, len(l))
	for i, e := range l {
		s[i] = e.Error()
	}
	return strings.Join(s, "\n")
}

// CodeError gives an error an exit code.
type CodeError struct {
	Code int
	Err  error
}

// Error is the wrapped error's text.
func (e *CodeError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap gives the wrapped error.
func (e *CodeError) Unwrap() error { return e.Err }

// Failed marks err as a check or test that failed (exit 1).
func Failed(format string, args ...any) error { return coded(ExitFailed, format, args...) }

// Usage marks an error as bad config or usage (exit 2).
func Usage(format string, args ...any) error { return coded(ExitUsage, format, args...) }

// Drift marks an error as drift (exit 3).
func Drift(format string, args ...any) error { return coded(ExitDrift, format, args...) }

func coded(code int, format string, args ...any) error {
	return &CodeError{Code: code, Err: fmt.Errorf(format, args...)}
}

// ToolError is an external tool that is missing or failed (exit 4).
type ToolError struct {
	Tool    string // the program's name
	Install string // how to install it; empty if the tool was there and failed
	Err     error
}

// Error names the tool and how to get it.
func (e *ToolError) Error() string {
	s := e.Tool
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Install != "" {
		s += "; install it with: " + e.Install
	}
	return s
}

// Unwrap gives the cause.
func (e *ToolError) Unwrap() error { return e.Err }

// Cause is what the system said of a file, without the call and the file's name (which may be a temporary one).
func Cause(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return pe.Err
	case errors.As(err, &le):
		return le.Err
	}
	return err
}

// diskFull says that there was no room for what was to be written, which no other input mends.
func diskFull(err error) bool {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return true
	}
	const handleDiskFull, diskFull = syscall.Errno(39), syscall.Errno(112) // of Windows
	return runtime.GOOS == "windows" && (errors.Is(err, handleDiskFull) || errors.Is(err, diskFull))
}

// ExitCode is the exit code of an error: 0 for nil, 1 if nothing else is known. A full disk is 1 whatever the command.
func ExitCode(err error) int {
	if err == nil {
		return ExitOK
	}
	if diskFull(err) {
		return ExitFailed
	}
	var c *CodeError
	if errors.As(err, &c) {
		return c.Code
	}
	var t *ToolError
	if errors.As(err, &t) {
		return ExitTool
	}
	var l List
	var e *Error
	if errors.As(err, &l) || errors.As(err, &e) {
		return ExitUsage
	}
	return ExitFailed
}

// Nearest is the name of names that is closest to s, if it is close enough to be meant; else "". Case is ignored.
func Nearest(s string, names []string) string {
	best, bestD := "", min(max(1, (len(s)+1)/3)+1, len(s))
	for _, n := range names {
		if d := distance(strings.ToLower(s), strings.ToLower(n)); d < bestD {
			best, bestD = n, d
		}
	}
	return best
}

// DidYouMean is `did you mean "x"?` for the nearest name, or "".
func DidYouMean(s string, names []string) string {
	if n := Nearest(s, names); n != "" {
		return fmt.Sprintf("did you mean %q?", n)
	}
	return ""
}

// Allowed is "allowed: a, b, c", with the nearest to s put forward.
func Allowed(s string, names []string) string {
	h := "allowed: " + strings.Join(names, ", ")
	if d := DidYouMean(s, names); d != "" {
		return d + " (" + h + ")"
	}
	return h
}

// distance is the Levenshtein distance with transpositions of neighbours as one step.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 100 || len(y) > 100 {
		return 100
	}
	rows := [3][]int{}
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
	}
	prev2, prev, cur := rows[0], rows[1], rows[2]
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		cur[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(y)]
}
