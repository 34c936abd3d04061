// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// A release has the version that its build or its tag gives; any other build that of the source.
func TestVersion(t *testing.T) {
	of := func(v string) *debug.BuildInfo { return &debug.BuildInfo{Main: debug.Module{Version: v}} }
	require.Equal(t, "1.2.3", version("1.2.3", of("v4.5.6")))
	require.Equal(t, "1.2.3", version("v1.2.3", nil))
	require.Equal(t, "4.5.6", version("", of("v4.5.6")))
	for _, v := range []string{"", "(devel)", "v0.0.0-20261130214128-32d1ba3a3a3a", "v4.5.6+dirty", "v4.5.7-0.20261130214128-32d1ba3a3a3a"} {
		require.Equal(t, sourceVersion, version("", of(v)), v)
	}
	require.Equal(t, sourceVersion, version("", nil))
}
