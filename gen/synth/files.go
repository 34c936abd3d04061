// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"path"
	"regexp"
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
	for {
		line, rest, ok := strings.Cut(s, "\n")
		if !ok || !banner.MatchString(line) {
			return []byte(s)
		}
		s = rest
	}
}

// banner is a line of it, in Verilog or in constraints.
var banner = regexp.MustCompile(`^(//|#) (Code generated|Config: |SHA-256: |Command: )`)
