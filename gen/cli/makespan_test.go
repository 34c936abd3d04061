// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// sim and model print the same makespan of the same workload.
func TestMakespanOfSimAndModel(t *testing.T) {
	const config, workload = "../../examples/tiny/tiny.toml", "poisson:packets=60,load=0.8"
	var sim, model struct {
		Makespan int64 `json:"makespan"`
		Counters struct {
			Cycles int64 `json:"cycles"`
		} `json:"counters"`
	}
	results := filepath.Join(t.TempDir(), "r.jsonl")
	run := []string{"sim", "-config", config, "-workload", workload, "-results", results}
	code, stdout, stderr := hwgen(append(run, "-json")...)
	require.Zero(t, code, stderr)
	require.NoError(t, json.Unmarshal([]byte(stdout), &sim))
	code, stdout, stderr = hwgen("model", "-config", config, "-workload", workload, "-json")
	require.Zero(t, code, stderr)
	require.NoError(t, json.Unmarshal([]byte(stdout), &model))
	require.Positive(t, model.Makespan)
	require.Equal(t, model.Makespan, sim.Makespan)
	require.Greater(t, sim.Counters.Cycles, sim.Makespan) // with what the harness waits for
	code, _, stderr = hwgen(run...)
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, fmt.Sprintf(" frames, makespan %d cycles, ", model.Makespan))
}
