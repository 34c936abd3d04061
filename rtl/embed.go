// SPDX-License-Identifier: Apache-2.0

// Package rtl is the Verilog library: one module hwgen_<name> a file, read and proved once, copied into outputs under the
// design's own prefix.
package rtl

import "embed"

// FS holds the library, a folder a kind of block.
//
//go:embed */*.v
var FS embed.FS
