// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/rtl"
	"hwgen/tb"
)

// What runs of a whole design show too seldom, the bench of the lane does: faults that gen/mutate/reasons.toml names.
func TestLaneBenchFindsFaults(t *testing.T) {
	needTools(t)
	dir := t.TempDir()
	put := func(to string, from fs.FS) {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, to), 0o755))
		require.NoError(t, fs.WalkDir(from, ".", func(p string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || path.Ext(p) != ".v" {
				return err
			}
			b, err := fs.ReadFile(from, p)
			require.NoError(t, err)
			return os.WriteFile(filepath.Join(dir, to, path.Base(p)), b, 0o644)
		}))
	}
	put("rtl", rtl.FS)
	put("tb", tb.FS)
	r := &run{ctx: context.Background(), dir: dir}
	b := Bench{"hwgen_lane_tb", []string{"DATA_W=32", "PKT_BLOCKS=1"}}
	said, err := r.bench(b, 0)
	require.NoError(t, err)
	require.Empty(t, said)
	lane := filepath.Join(dir, "rtl", "hwgen_lane.v")
	good, err := os.ReadFile(lane)
	require.NoError(t, err)
	for _, f := range []struct{ old, neu string }{
		{"(wb_out & {128{s_core_q & ~flight_q}})", "((wb_out | 128'd2) & {128{s_core_q & ~flight_q}})"},
		{"cr_mine = cr_fire & (cr_core == ME_CORE);", "cr_mine = ~(cr_fire & (cr_core == ME_CORE));"},
		{"done ? beats_q + 3'd1 : beats_q - 3'd1;", "done ? beats_q + 3'd1 : (beats_q - 3'd1) | 3'd1;"},
	} {
		require.Equal(t, 1, strings.Count(string(good), f.old), f.old)
		require.NoError(t, os.WriteFile(lane, []byte(strings.Replace(string(good), f.old, f.neu, 1)), 0o644))
		said, err := r.bench(b, 0)
		require.NoError(t, err)
		require.NotEmpty(t, said, f.neu)
		t.Logf("%s: %s", f.neu, said)
	}
}
