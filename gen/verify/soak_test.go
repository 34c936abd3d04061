// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/workload"
)

// A short soak, stopped and taken up again. `make soak` sends 10 million packets into all designs.
func TestSoak(t *testing.T) {
	needTools(t)
	// every width, both balancers, both lanes, toys and the library's cores
	o := SoakOptions{Packets: 18000, Seed: 2, Designs: []string{"s_affinity", "s_weighted", "s_ect", "s_wrr", "s_serial"}, Workers: 1, Quick: true}
	whole, err := Soak(context.Background(), o)
	require.NoError(t, err)
	require.True(t, whole.OK, "\n%s", whole.Table())
	for _, r := range whole.Rows {
		require.NotZero(t, r.Segments, r.Design)
	}
	c := whole.Total
	require.GreaterOrEqual(t, c.Accepted, o.Packets)
	require.Equal(t, c.Accepted, c.Returned+c.Excluded)
	require.NotZero(t, c.Clears)
	require.NotZero(t, c.Resets)
	require.NotZero(t, c.Excluded)
	require.NotZero(t, c.Loads)
	require.NotZero(t, c.Aborts)
	require.NotZero(t, c.Registers)
	sum := 0
	for s, n := range c.Statuses {
		sum += n
		if workload.Status(s) != workload.CoreFailed { // nothing fails a core yet
			require.NotZero(t, n, "no %s", workload.Status(s))
		}
	}
	require.Equal(t, c.Returned, sum)

	o.State = filepath.Join(t.TempDir(), "state")
	o.Packets = 3000
	_, err = Soak(context.Background(), o)
	require.NoError(t, err)
	// cut off in the middle of a line
	b, err := os.ReadFile(o.State)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(o.State, append(b, `{"segment":1,"des`...), 0o644))
	o.Packets = 18000
	again, err := Soak(context.Background(), o)
	require.NoError(t, err)
	require.Equal(t, whole, again)

	o.Seed++
	_, err = Soak(context.Background(), o)
	require.ErrorContains(t, err, "is of another run")
}

// Faults that only a core which stalls or jitters, or a reset, brings to light.
func TestSoakFindsFaults(t *testing.T) {
	needTools(t)
	for _, c := range []struct{ file, old, neu string }{
		{"rtl/s_affinity_lane.v", "wire fire_in  = c_in_valid & c_in_ready;", "wire fire_in  = c_in_valid;"},
		{"rtl/s_affinity_choose_list.v", "(closing_q & ~al) | (up & {CHOOSE{up_last}})", "closing_q & ~al"},
	} {
		rep, err := Soak(context.Background(), SoakOptions{
			Packets: 4000, Seed: 1, Designs: []string{"s_affinity"}, Quick: true, Workers: 1,
			change: func(files map[string][]byte) {
				s := string(files[c.file])
				require.Contains(t, s, c.old)
				files[c.file] = []byte(replaceLast(s, c.old, c.neu))
			},
		})
		require.NoError(t, err)
		require.False(t, rep.OK, "%s: %s", c.file, c.neu)
		t.Logf("%s: %s\n%s", c.file, c.neu, rep.Table())
	}
}
