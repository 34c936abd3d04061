// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/config"
	"hwgen/gen/tune"
)

func TestStoppedText(t *testing.T) {
	c, err := config.Parse("t.toml", t.TempDir(), []byte("[[cluster]]\nname = \"a\"\n[[cluster]]\nname = \"b\"\n"))
	require.NoError(t, err)
	l := &Loaded{Config: c}
	require.Equal(t, "interrupted; nothing better than the config had been found", stoppedText(l, &tune.Stopped{}, "makespan", false))
	lambda := 8.0
	best := &tune.Row{Policy: "affinity", Lambda: &lambda, Slots: 32, Depths: [][]int{{4, 2}, {3}}}
	require.Equal(t, "interrupted; nothing was written; the best so far, on 10 samples of the search alone: affinity, lambda 8, 32 slots, "+
		"core queues a 4,2 b 3, makespan 3.10 % below the config's",
		stoppedText(l, &tune.Stopped{Best: best, Gain: 0.031, Samples: 10}, "makespan", true))
}
