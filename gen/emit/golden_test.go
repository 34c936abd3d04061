// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/config"
	"hwgen/gen/design"
)

var update = flag.Bool("update", false, "write the checked-in outputs of the examples anew")

// shaped says whether a file depends on more of the config than the design's name: those are checked in whole. The
// manifest has the hashes of all.
func shaped(d *design.Design, p string) bool {
	if p == "manifest.json" || strings.HasPrefix(p, "docs/") || !strings.Contains(p, "/") {
		return true
	}
	for _, c := range d.Clusters {
		if p == "rtl/"+c.Module+".v" {
			return true
		}
	}
	return d.Clocks != nil && p == ClocksFile(d) || p == "rtl/"+d.Top+".v" || p == "rtl/"+d.Outermost()+".v"
}

// Every example gives the bytes that are checked in, twice. `make update-golden` writes them.
func TestExamples(t *testing.T) {
	dirs, err := filepath.Glob("../../examples/*")
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	for _, dir := range dirs {
		name := filepath.Base(dir)
		t.Run(name, func(t *testing.T) {
			c, err := config.Load(filepath.Join(dir, name+".toml"))
			require.NoError(t, err)
			d, err := design.Elaborate(c)
			require.NoError(t, err)
			require.Equal(t, name, d.Name)
			want := filepath.Join(dir, "expected")
			for range 2 {
				out, err := Emit(d, Options{Version: "example", ConfigHash: c.Hash, SourcePath: c.SourcePath})
				require.NoError(t, err)
				if *update {
					require.NoError(t, os.RemoveAll(want))
				}
				got := map[string]string{}
				for p, b := range out {
					if !shaped(d, p) {
						continue
					}
					got[p] = string(b)
					if *update {
						f := filepath.Join(want, filepath.FromSlash(p))
						require.NoError(t, os.MkdirAll(filepath.Dir(f), 0o755))
						require.NoError(t, os.WriteFile(f, b, 0o644))
					}
				}
				have := tree(t, want)
				require.Equal(t, len(have), len(got), "files in %s; run `make update-golden`", want)
				for p, b := range have {
					require.Equal(t, b, got[p], "%s of %s; run `make update-golden` if the change is wanted", p, name)
				}
			}
		})
	}
}
