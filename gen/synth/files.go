// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"path"
	"slices"
	"strings"

	"hwgen/gen/emit"
)

// FilesOf are the Verilog files of an output's rtl folder, and others named, by their names alone.
func FilesOf(out emit.Output, others ...string) map[string][]byte {
	fs := map[string][]byte{}
	for p, b := range out {
		if strings.HasPrefix(p, "rtl/") || slices.Contains(others, p) {
			fs[path.Base(p)] = withoutBanner(b)
		}
	}
	return fs
}

// withoutBanner drops the banner, which names the config's hash: a comment in the config is no reason to synthesise again.
func withoutBanner(b []byte) []byte {
	s := string(b)
	for strings.HasPrefix(s, "// ") {
		line, rest, _ := strings.Cut(s, "\n")
		if !strings.HasPrefix(line, "// Code generated") && !strings.HasPrefix(line, "// Config: ") &&
			!strings.HasPrefix(line, "// SHA-256: ") && !strings.HasPrefix(line, "// Command: ") {
			break
		}
		s = rest
	}
	return []byte(s)
}
