// SPDX-License-Identifier: Apache-2.0

// Package templates is what the config shapes: text/template files that package emit renders.
package templates

import "embed"

// FS holds a folder a part of the output, and config/ with the default and the starter config.
//
//go:embed */*.tmpl config/*.toml
var FS embed.FS
