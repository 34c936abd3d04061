// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// waiver is a lint message that a line turns off: Verilator's pragmas and switches, and signals that are read by name so
// that they count as used.
var waiver = regexp.MustCompile(`lint_off|-Wno-|\b_unused\w*\s*=|(?i)\bnowarn\b`)

// unexplained are the lines of a source with a waiver and no comment on the line or the one before it.
func unexplained(source string) []int {
	said := func(l string) bool {
		l = regexp.MustCompile(`/\*\s*verilator.*?\*/`).ReplaceAllString(l, "")
		for _, mark := range []string{"//", "/*", "# "} {
			if _, text, ok := strings.Cut(l, mark); ok && len(strings.Fields(text)) > 1 && !waiver.MatchString(text) {
				return true
			}
		}
		return false
	}
	var out []int
	before := ""
	for i, l := range strings.Split(source, "\n") {
		if waiver.MatchString(l) && !said(l) && !said(before) {
			out = append(out, i+1)
		}
		before = l
	}
	return out
}

// Zero waivers without a reason: in the library, the templates, the benches, the harness, and how hwgen calls the tools.
func TestWaiversHaveReasons(t *testing.T) {
	root := os.DirFS("../..")
	seen := 0
	for _, dir := range []string{"rtl", "templates", "tb", "verilator", "gen", "integration", "fusesoc", "scripts", "Makefile"} {
		require.NoError(t, fs.WalkDir(root, dir, func(p string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || strings.HasSuffix(p, "_test.go") || path.Ext(p) == ".md" {
				return err
			}
			b, err := fs.ReadFile(root, p)
			seen += len(waiver.FindAll(b, -1))
			for _, l := range unexplained(string(b)) {
				t.Errorf("%s:%d: a lint waiver without a reason on its line or the one before", p, l)
			}
			return err
		}))
	}
	require.Greater(t, seen, 10, "the pattern finds nothing any more")
}

func TestUnexplainedWaivers(t *testing.T) {
	for s, want := range map[string][]int{
		"wire a;\nwire _unused_ok = &{1'b0, a};":                      {2},
		"// a parameter leaves it out\nwire _unused_ok = &{1'b0, a};": nil,
		"wire _unused_ok = &{1'b0, a};  // always 0":                  nil,
		"/* verilator lint_off WIDTH */":                              {1},
		"// verilator lint_off WIDTH":                                 {1},
		"/* verilator lint_off WIDTH */ // sums wrap":                 nil,
		"ARGS += -Wno-lint":                                           {1},
		"# lint is elsewhere\nARGS += -Wno-lint\n\nX += -Wno-fatal":   {4},
	} {
		require.Equal(t, want, unexplained(s), s)
	}
}
