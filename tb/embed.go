// SPDX-License-Identifier: Apache-2.0

// Package tb is the self-checking benches of the library: hwgen_<module>_tb.v for module hwgen_<module>.
package tb

import "embed"

// FS holds the benches.
//
//go:embed *.v
var FS embed.FS
