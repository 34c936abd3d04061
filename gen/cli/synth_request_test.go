// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/board"
)

// The oscillator is a clock of its own where a PLL makes the design's; without one it is the design's, of which -clock says
// what is asked for.
func TestSynthClocks(t *testing.T) {
	a := &App{Out: io.Discard, Err: io.Discard}
	for name, want := range map[string]map[string]float64{"tang-nano-9k": nil, "ulx3s-25f": {"clk_in": 25}} {
		file := filepath.Join(t.TempDir(), "c.toml")
		b, err := board.Find(name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, []byte(b.LeastConfig()), 0o600))
		l, err := a.Load(file)
		require.NoError(t, err)
		req, err := a.synthRequest(l, "", "")
		require.NoError(t, err)
		require.Equal(t, want, req.Clocks, name)
	}
}
