// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/diag"
)

// A clock that is not met is exit code 1 and a message, with the figures printed all the same.
func TestSynthMissesTheClock(t *testing.T) {
	config := filepath.Join(t.TempDir(), "one.toml")
	require.NoError(t, os.WriteFile(config, []byte("[[cluster]]\nname = \"aes\"\nalgorithm = \"aes128\"\n"), 0o644))
	code, out, e := hwgen("synth", "-config", config, "-target", "hx8k", "-block", "aes.core_queue", "-clock", "1000")
	require.Equal(t, diag.ExitFailed, code, e)
	require.Contains(t, e, "misses 1000 MHz on hx8k")
	require.Contains(t, out, "1000 MHz asked for: NOT met")
}
