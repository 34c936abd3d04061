// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// waivers are what a line can do so that a tool says less: a pattern, and a text in what it matches, which is looked for
// first since that is fast.
var waivers = []struct {
	text    string
	pattern *regexp.Regexp
}{
	// pragmas and switches: Verilator (and its .vlt files), slang, Icarus Verilog, Yosys; Verible; Vivado, Quartus
	{"_off", regexp.MustCompile(`\b(?:lint|coverage|coverage_block|tracing)_off\b`)},
	{"-Wno-", regexp.MustCompile(`-Wno-`)},
	{"nowarn", regexp.MustCompile(`\bnowarn\b`)},
	{"waive", regexp.MustCompile(`lint:\s*waive\b|\bwaive --`)},
	{"set_msg_config", regexp.MustCompile(`\bset_msg_config\b`)},
	{"MESSAGE_DISABLE", regexp.MustCompile(`\bMESSAGE_DISABLE\b`)},
	{"message_off", regexp.MustCompile(`\bmessage_off\b`)},
	// Verible's list of rules
	{"-", ruleLine},
	// signals that count as used for their name, and sinks of any name
	{"unused", regexp.MustCompile(`\b(?:wire|reg|logic)\b[^=;\\]*\b_?unused|^\s*_?unused[\w{}$.]*\s*[,;]`)},
	{"1'b0", regexp.MustCompile(`=\s*&\s*\{\s*1'b0\s*,`)},
	// Go, Python, shell, C++; exclusions of .golangci.yml
	{"//nolint", regexp.MustCompile(`//nolint\b`)},
	{"//lint:ignore", regexp.MustCompile(`//lint:ignore\b`)},
	{"#nosec", regexp.MustCompile(`#nosec\b`)},
	{"noqa", regexp.MustCompile(`#\s*noqa\b`)},
	{"disable", regexp.MustCompile(`\b(?:pylint|shellcheck)[: ]+disable\b`)},
	{"type: ignore", regexp.MustCompile(`#\s*type: ignore\b`)},
	{"NOLINT", regexp.MustCompile(`\bNOLINT`)},
	{"diagnostic ignored", regexp.MustCompile(`\bdiagnostic ignored\b`)},
	{"maybe_unused", regexp.MustCompile(`\bmaybe_unused\b`)},
	{"- path:", regexp.MustCompile(`^\s*- path:`)},
	// messages that are thrown away
	{"/dev/null", regexp.MustCompile(`2>\s*/dev/null`)},
	{"true", regexp.MustCompile(`\|\|\s*true\b`)},
	{"grep", regexp.MustCompile(`\bgrep\b[^|'"]*\s-\w*v`)},
	{"arning", regexp.MustCompile(`(?:Prefix|Suffix|Contains|MatchString)\([^)]*"[^"]*[Ww]arning`)},
}

func waives(line string) bool {
	for _, w := range waivers {
		if strings.Contains(line, w.text) && w.pattern.MatchString(line) {
			return true
		}
	}
	return false
}

var (
	ruleLine = regexp.MustCompile(`^-[a-z][a-z-]+$`)
	// comment is a line that is nothing else; pragma is a comment, or the part of one, that gives no reason
	comment = regexp.MustCompile(`^\s*(?:\{\{-?\s*)?(?://|/\*|#)`)
	pragma  = regexp.MustCompile(`/\*\s*verilator.*?\*/|//(?:nolint|lint:ignore)\S*|#\s*noqa\S*(?:\s+[A-Z]\d+)?|#\s*shellcheck\s+\S+`)
)

// unexplained counts the waivers of a source and gives the lines of those that have no comment on their line or, alone, on the
// one before it. Rules one below the other have one reason.
func unexplained(source string) (count int, lines []int) {
	said := func(l string) bool {
		l = pragma.ReplaceAllString(l, "")
		for _, mark := range []string{"//", "/*", "# "} {
			if _, text, ok := strings.Cut(l, mark); ok && len(strings.Fields(text)) > 1 && !waives(text) {
				return true
			}
		}
		return false
	}
	before := ""
	for i, l := range strings.Split(source, "\n") {
		if waives(l) {
			count++
			if !said(l) && !(comment.MatchString(before) && said(before)) {
				lines = append(lines, i+1)
			}
		}
		if !ruleLine.MatchString(l) {
			before = l
		}
	}
	return count, lines
}

// Zero waivers without a reason in the whole repository: the library, the templates and what they give, the benches, the
// harness, the program and its tests, and how the tools are called. Left out: prose, and this file.
func TestWaiversHaveReasons(t *testing.T) {
	root := os.DirFS("../..")
	seen := map[string]int{}
	require.NoError(t, fs.WalkDir(root, ".", func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (p == ".git" || p == "build" || p == "bin" || e.Name() == "obj_dir"):
			return fs.SkipDir
		case !e.Type().IsRegular() || path.Ext(p) == ".md" || path.Base(p) == "waivers_test.go":
			return nil
		}
		b, err := fs.ReadFile(root, p)
		if err != nil || bytes.IndexByte(b, 0) >= 0 {
			return err
		}
		n, lines := unexplained(string(b))
		dir, _, _ := strings.Cut(p, "/")
		seen[dir] += n
		for _, l := range lines {
			t.Errorf("%s:%d: a waiver without a reason on its line or the one before", p, l)
		}
		return nil
	}))
	for dir, least := range map[string]int{"rtl": 60, "templates": 8, "tb": 1, "examples": 20, "gen": 10, "scripts": 10, ".golangci.yml": 1} {
		require.GreaterOrEqual(t, seen[dir], least, "%s: the patterns find too little", dir)
	}
}

// The same for what the templates make of designs with registers, and with a serial line and other odd things.
func TestGeneratedWaiversHaveReasons(t *testing.T) {
	seen := map[string]int{}
	for _, x := range []TestDesign{{"regs", regsText("")}, {"odd", odd}} {
		_, files := generate(t, x.Name, x.Text)
		for p, b := range files {
			if path.Ext(p) == ".md" {
				continue
			}
			count, lines := unexplained(string(b))
			seen[strings.TrimPrefix(path.Base(p), x.Name+"_")] += count
			for _, l := range lines {
				t.Errorf("%s: %s:%d: a waiver without a reason on its line or the one before", x.Name, p, l)
			}
		}
	}
	for _, p := range []string{"top.v", "c0_cluster.v", "regs.v", "uart_top.v", "head.v"} {
		require.Positive(t, seen[p], "%s: the patterns find nothing", p)
	}
}

func TestUnexplainedWaivers(t *testing.T) {
	for s, want := range map[string][]int{
		"wire a;\nwire _unused_ok = &{1'b0, a};":                      {2},
		"// a parameter leaves it out\nwire _unused_ok = &{1'b0, a};": nil,
		"wire _unused_ok = &{1'b0, a};  // always 0":                  nil,
		"wire unused = &{1'b0, a};":                                   {1},
		"  wire   unused_sum = &{1'b0, sum[0]};":                      {1},
		"  wire unused = a[3];":                                       {1},
		"  wire sink = &{1'b0, a};":                                   {1},
		"  wire unused_{{$j}} = &{1'b0, a_{{$j}}};":                   {1},
		"  wire [7:0] unused_value;":                                  {1},
		"  wire a, unused_good;\n  wire b;":                           {1},
		"  wire a,\n       unused_good;":                              {2},
		"  assign a = b;  // b is a\n  wire unused = &{1'b0, c};":     {2}, // a reason, but of another line
		"    .index (unused_index)":                                   nil,
		"wire \\u_dut.unused_ready ;":                                 nil,
		"unused = append(unused, x)":                                  nil,
		"/* verilator lint_off WIDTH */":                              {1},
		"// verilator lint_off WIDTH":                                 {1},
		"/* verilator lint_off WIDTH */ // sums wrap":                 nil,
		"/* verilator coverage_off */":                                {1},
		"lint_off -rule WIDTH -file \"x.v\"":                          {1},
		"// verilog_lint: waive line-length":                          {1},
		"waive --rule=line-length --line=3":                           {1},
		"ARGS += -Wno-lint":                                           {1},
		"# lint is elsewhere\nARGS += -Wno-lint\n\nX += -Wno-fatal":   {4},
		"yosys -p 'logger -nowarn x'":                                 {1},
		"set_msg_config -id {Synth 8-3331} -suppress":                 {1},
		"x() //nolint:errcheck":                                       {1},
		"x() //nolint:errcheck // it has failed already":              nil,
		"import x  # noqa: E402":                                      {1},
		"import x  # noqa: E402  # behind its path":                   nil,
		"# shellcheck disable=SC2086\nx $y":                           {1},
		"# a word each\n# shellcheck disable=SC2086\nx $y":            nil,
		"# a: not here\n-rule-a\n-rule-b":                             nil,
		"-rule-a\n# b: not here\n-rule-b":                             {1},
		"      - path: _test\\.go":                                    {1},
		"make 2>/dev/null":                                            {1},
		"lint || true":                                                {1},
		"tool | grep -v Warning":                                      {1},
		"strings.HasPrefix(l, \"Warnings: \")":                        {1},
	} {
		_, got := unexplained(s)
		require.Equal(t, want, got, s)
	}
}
