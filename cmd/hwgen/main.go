// SPDX-License-Identifier: Apache-2.0

// Command hwgen generates hardware schedulers of cipher jobs; see package hwgen/gen/cli.
package main

import (
	"os"

	"hwgen/gen/cli"
)

func main() { os.Exit(cli.Main()) }
