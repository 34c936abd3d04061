// SPDX-License-Identifier: Apache-2.0

// Package verilog finds modules in Verilog text.
package verilog

import (
	"bytes"
	"regexp"
)

// Module is the declaration of a module.
type Module struct {
	Name string
	// Escaped: the name is an escaped identifier that is no plain one, its backslash included.
	Escaped bool
	// Rest is the code behind the name, as Code gives it.
	Rest []byte
}

var (
	declaration = regexp.MustCompile(`\b(?:macro)?module\s+(?:\\(\S+)|([A-Za-z_][\w$]*))`)
	plain       = regexp.MustCompile(`^[A-Za-z_][\w$]*$`)
)

// Modules are the modules of a text in their order, one that is there twice twice.
func Modules(text []byte) []Module {
	code := Code(text)
	var ms []Module
	for _, m := range declaration.FindAllSubmatchIndex(code, -1) {
		x := Module{Rest: code[m[1]:]}
		if m[2] >= 0 { // \name is the same as name
			x.Name = string(code[m[2]:m[3]])
			if x.Escaped = !plain.MatchString(x.Name); x.Escaped {
				x.Name = `\` + x.Name
			}
		} else {
			x.Name = string(code[m[4]:m[5]])
		}
		ms = append(ms, x)
	}
	return ms
}

// Code is a text with a space for each comment and with empty string literals.
func Code(text []byte) []byte { return strip(text, false) }

// WithoutComments is a text with a space for each comment.
func WithoutComments(text []byte) []byte { return strip(text, true) }

func strip(text []byte, literals bool) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		rest := text[i:]
		n := 1
		switch {
		case bytes.HasPrefix(rest, []byte("//")):
			n = until(rest, "\n", 0)
			out = append(out, ' ')
		case bytes.HasPrefix(rest, []byte("/*")):
			n = until(rest[2:], "*/", 2) + 2
			out = append(out, ' ')
		case rest[0] == '"':
			n = literal(rest)
			if literals {
				out = append(out, rest[:n]...)
			} else {
				out = append(out, `""`...)
			}
		case rest[0] == '\\': // an escaped identifier ends at white space, whatever is in it
			for n < len(rest) && rest[n] > ' ' && rest[n] != 0x7f {
				n++
			}
			out = append(out, rest[:n]...)
		default:
			out = append(out, rest[0])
		}
		i += n
	}
	return out
}

// until is the length of b up to an end, with so many bytes of it.
func until(b []byte, end string, with int) int {
	if i := bytes.Index(b, []byte(end)); i >= 0 {
		return i + with
	}
	return len(b)
}

// literal is the length of the string literal that b begins with; it ends with its line at the latest.
func literal(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		case '\n':
			return i
		}
	}
	return len(b)
}
