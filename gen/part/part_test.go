// SPDX-License-Identifier: Apache-2.0

package part

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFind(t *testing.T) {
	for name, want := range map[string]string{"hx8k": "hx8k", "ecp5-85f": "ecp5-85f-6", "ecp5-85f-8": "ecp5-85f-8"} {
		x, err := Find(name)
		require.NoError(t, err)
		require.Equal(t, want, x.String())
	}
	for name, want := range map[string]string{
		"hx8": `did you mean "hx8k"?`, "ecp5-85f-9": `unknown speed grade "9"`, "hx8k-1": "unknown target",
	} {
		_, err := Find(name)
		require.ErrorContains(t, err, want)
	}
}
