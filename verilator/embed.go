// SPDX-License-Identifier: Apache-2.0

// Package verilator is the C++ harness that runs a generated design under Verilator.
package verilator

import "embed"

// FS holds the harness. Files that end in .tmpl are templates of package emit, without that ending in the output.
//
//go:embed *
var FS embed.FS
