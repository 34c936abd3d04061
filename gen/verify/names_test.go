// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	declared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)[A-Z]\w*)\(`)
	typed    = regexp.MustCompile(`(?m)^type (Test[A-Z]\w*)`)
	named    = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*`)
)

// missing are the names of tests in a text that no test has. In a Makefile's -run a name stands for all that begin with it.
func missing(text string, tests []string, prefix bool) (l []string) {
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "Test") && !strings.Contains(line, "Fuzz") && !strings.Contains(line, "Benchmark") { // fast
			continue
		}
		for _, n := range named.FindAllString(line, -1) {
			if !slices.ContainsFunc(tests, func(t string) bool { return t == n || prefix && strings.HasPrefix(t, n) }) {
				l = append(l, n)
			}
		}
	}
	return l
}

// What documents, lists and sources say that a test shows, a test of that name has to show.
func TestNamedTestsExist(t *testing.T) {
	root := os.DirFS("../..")
	texts := map[string]string{}
	var tests, types []string
	require.NoError(t, fs.WalkDir(root, ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if p == ".git" || p == "build" || p == "bin" {
				return fs.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".md", ".toml", ".go", ".v", ".tmpl", ".cpp", ".h", ".sh"}, path.Ext(p)) && p != "Makefile" ||
			p == "CHANGELOG.md" || path.Base(p) == "names_test.go" { // the one tells of what was, the other has names that are none
			return nil
		}
		b, err := fs.ReadFile(root, p)
		if strings.HasSuffix(p, "_test.go") {
			for _, m := range declared.FindAllStringSubmatch(string(b), -1) {
				tests = append(tests, m[1])
			}
		} else if path.Ext(p) == ".go" {
			for _, m := range typed.FindAllStringSubmatch(string(b), -1) {
				types = append(types, m[1])
			}
		}
		texts[p] = string(b)
		return err
	}))
	tests = append(tests, "TestNamedTestsExist", "TestMissing")
	for p, s := range texts {
		known := tests
		if path.Ext(p) == ".go" {
			known = slices.Concat(tests, types)
		}
		for _, n := range missing(s, known, p == "Makefile") {
			t.Errorf("%s names %s, which is no test", p, n)
		}
	}
	for _, p := range []string{"README.md", "docs/formal.md", "tb/formal/proofs.toml", "gen/coverage/gaps.toml", "gen/mutate/reasons.toml"} {
		require.Contains(t, texts, p)
	}
}

func TestMissing(t *testing.T) {
	tests := []string{"TestA", "TestModelA"}
	require.Empty(t, missing("as `TestA` shows; Testing, TestA, aTestB", tests, false))
	require.Equal(t, []string{"TestB", "FuzzA", "TestModel"}, missing("TestB in FuzzA; TestModel.", tests, false))
	require.Equal(t, []string{"TestModelB"}, missing("-run 'TestModel|TestModelB'", tests, true))
}
