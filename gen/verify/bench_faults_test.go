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

// What runs of a whole design show too seldom, the benches of modules do: in the lane faults that gen/mutate/reasons.toml
// names.
func TestModuleBenchesFindFaults(t *testing.T) {
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
	clean := map[string]string{}
	laneBench := Bench{"hwgen_lane_tb", []string{"DATA_W=32", "PKT_BLOCKS=1"}}
	for _, f := range []struct {
		bench    Bench
		old, neu string
	}{
		{laneBench, "(wb_out & {128{s_core_q & ~flight_q}})", "((wb_out | 128'd2) & {128{s_core_q & ~flight_q}})"},
		{laneBench, "cr_mine = cr_fire & (cr_core == ME_CORE);", "cr_mine = ~(cr_fire & (cr_core == ME_CORE));"},
		{laneBench, "done ? beats_q + 3'd1 : beats_q - 3'd1;", "done ? beats_q + 3'd1 : (beats_q - 3'd1) | 3'd1;"},
		{Bench{"hwgen_core_control_tb", nil}, "settled & (|(wait_q", "(|(wait_q"},
		{Bench{"hwgen_core_control_tb", nil}, "(settle_q == 7'd0) & ~en_we", "(settle_q == 7'd0)"},
	} {
		said, ok := clean[f.bench.Module]
		if !ok {
			var err error
			said, err = r.bench(f.bench, 0)
			require.NoError(t, err)
			clean[f.bench.Module] = said
		}
		require.Empty(t, said)
		file := filepath.Join(dir, "rtl", strings.TrimSuffix(f.bench.Module, "_tb")+".v")
		good, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(good), f.old), f.old)
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(good), f.old, f.neu, 1)), 0o644))
		said, err = r.bench(f.bench, 0)
		require.NoError(t, err)
		require.NotEmpty(t, said, f.neu)
		t.Logf("%s: %s", f.neu, said)
		require.NoError(t, os.WriteFile(file, good, 0o644))
	}
}
