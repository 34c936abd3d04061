// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever is drawn is a config that can be generated.
func TestRandomConfigs(t *testing.T) {
	for seed := range int64(500) {
		d, err := NewRandomDesign(seed)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, d.Text)
		}
		require.NotEmpty(t, d.Files)
	}
}
