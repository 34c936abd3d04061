// SPDX-License-Identifier: Apache-2.0

package formal

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the table of docs/formal.md anew")

func load(t *testing.T) (*Library, []*Proof) {
	t.Helper()
	l, ps, err := Load()
	require.NoError(t, err)
	return l, ps
}

// TestProofs runs the short proofs, the cover of each, and every fault, which has to break its proof.
func TestProofs(t *testing.T) {
	l, ps := load(t)
	rs, err := Run(context.Background(), Options{Library: l, Tasks: Tasks(ps, false)})
	require.NoError(t, err)
	t.Logf("\n%s", Table(rs))
	for _, r := range rs {
		assert.True(t, r.OK, "%s %s (%s) %s: %s", r.Kind, r.Proof, r.Params, r.Fault, r.Detail)
	}
}

func TestStreams(t *testing.T) {
	l, _ := load(t)
	rs, err := CheckStreams(context.Background(), l)
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, r := range rs {
		assert.True(t, r.OK, "%s (%s): %s", r.Proof, r.Params, r.Detail)
		seen[r.Proof] = true
	}
	for _, m := range []string{"collector", "ingress", "skid", "fifo", "merge_tree", "writeback_hub", "core_queue", "lane"} {
		assert.True(t, seen[m], "%s was not looked at", m)
	}
}

// TestStreamsSeesFaults: a valid that waits for its ready, a port that is no register, and an exception that is none.
func TestStreamsSeesFaults(t *testing.T) {
	l, _ := load(t)
	faults := []struct{ module, old, new, want string }{
		{"hwgen_skid", "assign out_valid = out_q;", "assign out_valid = out_q & out_ready;", "out_valid depends on out_ready"},
		{"hwgen_collector", "assign m_axis_result_tvalid = o_valid_q;", "assign m_axis_result_tvalid = o_valid_q & ~clr;",
			"m_axis_result_tvalid depends on clr, is no register"},
		{"hwgen_ingress", "assign s_axis_job_tready = ready_q & ~rst;", "assign s_axis_job_tready = ready_q & ~rst & s_axis_job_tvalid;",
			"s_axis_job_tready depends on s_axis_job_tvalid, is no register"},
		// through a module inside
		{"hwgen_fifo", "assign out_valid = out_q;", "assign out_valid = out_q & out_ready;", "cf_valid depends on cf_ready"},
	}
	for _, f := range faults {
		t.Run(f.module, func(t *testing.T) {
			text := l.RTL[f.module]
			require.Equal(t, 1, strings.Count(text, f.old))
			l.RTL[f.module] = strings.Replace(text, f.old, f.new, 1)
			defer func() { l.RTL[f.module] = text }()
			dir := t.TempDir()
			for name, text := range l.RTL {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name+".v"), []byte(text), 0o600))
			}
			module := f.module
			if module == "hwgen_fifo" {
				module = "hwgen_writeback_hub"
			}
			r, err := l.streams(context.Background(), dir, module, "")
			require.NoError(t, err)
			assert.False(t, r.OK)
			assert.Contains(t, r.Detail, f.want)
		})
	}
	require.NotEmpty(t, waits("hwgen_other", map[string][]string{"en_valid": {"en_ready"}}))
	require.Empty(t, waits("hwgen_splitter", map[string][]string{"en_valid": {"en_ready"}}))
}

// engine runs tasks on a module of the test's own, with a fault that changes nothing.
func engine(t *testing.T, body, proof string) ([]Result, error) {
	t.Helper()
	return engineFault(t, body, proof, "old = \"old\"\nnew = \"other\"\n")
}

func engineFault(t *testing.T, body, proof, fault string) ([]Result, error) {
	t.Helper()
	l := &Library{RTL: map[string]string{"hwgen_x": "module hwgen_x (input wire clk, output wire out); wire old; assign out = 1'b1; endmodule\n"}, Formal: map[string]string{}}
	own, _ := load(t)
	l.Formal["fv_reset"], l.Formal["fv_cover"] = own.Formal["fv_reset"], own.Formal["fv_cover"]
	l.Formal["hwgen_x_proof"] = "module hwgen_x_proof #(parameter N = 1) (input wire clk, input wire rst, input wire go);\n" +
		"  wire live, fresh;\n  fv_reset u_reset (.clk(clk), .rst(rst), .live(live), .fresh(fresh));\n  wire out; hwgen_x u_dut (.clk(clk), .out(out));\n" +
		body + "endmodule\n"
	ps, err := l.Parse([]byte("[[proof]]\nname = \"x\"\ntop = \"hwgen_x_proof\"\nclaims = [\"x\"]\nquick = [\"N=1\"]\n" + proof +
		"\n[[proof.fault]]\nname = \"f\"\nfile = \"hwgen_x\"\n" + fault))
	if err != nil {
		return nil, err
	}
	return Run(context.Background(), Options{Library: l, Tasks: Tasks(ps, false), Traces: t.TempDir()})
}

// counter counts to 7 and then stays; it never gets to 9.
const counter = "  reg [3:0] q = 0;\n  always @(posedge clk) q <= (q == 7) ? 7 : (go & ~rst) ? q + 1 : q;\n"

// TestNamesProperties: outputs of the model have the names of their properties, whichever of many fails.
func TestNamesProperties(t *testing.T) {
	var all string
	for i := range 12 {
		all += fmt.Sprintf("  always @* if (live) p%d_%c: assert (q != %d);\n", i*7%12, 'z'-i, i+20)
	}
	for i := range 12 {
		old := fmt.Sprintf("p%d_%c: assert (q != %d)", i*7%12, 'z'-i, i+20)
		require.Contains(t, all, old)
		rs, err := engine(t, counter+strings.Replace(all, old, fmt.Sprintf("p%d_%c: assert (q != 3)", i*7%12, 'z'-i), 1), "method = \"pdr\"")
		require.NoError(t, err)
		assert.False(t, rs[0].OK)
		assert.Contains(t, rs[0].Detail, fmt.Sprintf("p%d_%c fails in cycle ", i*7%12, 'z'-i))
	}
}

// TestMethods: what holds is proved; what does not is refuted with a trace, also far beyond the longest induction; what
// holds but is not inductive is not passed off as proved; and what cannot be reached fails a cover.
func TestMethods(t *testing.T) {
	deep := "  reg [5:0] q = 0;\n  always @(posedge clk) q <= q + 1;\n"
	cover := "  always @* c_it: cover (q == %d);\n"
	for _, c := range []struct {
		name, body, method string
		ok                 bool
		detail             string
	}{
		{"pdr holds", counter + "  always @* a: assert (q != 9);\n", PDR, true, "1 properties"},
		{"induction holds", counter + "  always @* a: assert (q < 8);\n", Induction, true, "1 properties"},
		{"not inductive", counter + "  always @* a: assert (q != 14);\n", Induction, false, "undecided"},
		{"pdr refutes", deep + "  always @* a: assert (q != 40);\n", PDR, false, "a fails in cycle 40; see "},
		{"too deep for induction", deep + "  always @* a: assert (q != 40);\n", Induction, false, "undecided"},
		{"refuted at once", deep + "  always @* a: assert (q != 3);\n", Induction, false, "a fails in cycle 3; see "},
		// registers without an initial value begin with anything
		{"no convenient start", "  reg u;\n  always @(posedge clk) u <= u;\n  always @* a: assert (~u);\n  wire q = u;\n", PDR, false,
			"a fails in cycle 0; see "},
		// x is anything, and not what suits
		{"no convenient x", "  wire q = rst ? 1'bx : 1'b0;\n  always @* if (live) a: assert (~q);\n", PDR, false, "a fails in cycle 1; see "},
	} {
		t.Run(c.name, func(t *testing.T) {
			rs, err := engine(t, c.body+fmt.Sprintf(cover, 1), fmt.Sprintf("method = %q", c.method))
			require.NoError(t, err)
			assert.Equal(t, c.ok, rs[0].OK, rs[0].Detail)
			assert.Contains(t, rs[0].Detail, c.detail)
			assert.True(t, rs[1].OK, rs[1].Detail)
			assert.False(t, rs[2].OK && c.ok, "a fault that changes nothing was found")
			if _, file, ok := strings.Cut(rs[0].Detail, "; see "); ok {
				assert.FileExists(t, file)
			}
		})
	}
	rs, err := engine(t, counter+"  always @* a: assert (q != 9);\n"+fmt.Sprintf(cover, 9), "method = \"pdr\"")
	require.NoError(t, err)
	assert.True(t, rs[0].OK)
	assert.False(t, rs[1].OK)
	assert.Contains(t, rs[1].Detail, "c_it")
}

// TestOnlyClaimsSeeFaults: a fault counts if a claim fails, the named one if one is named; an invariant's failing does not.
func TestOnlyClaimsSeeFaults(t *testing.T) {
	for _, c := range []struct {
		name, body, breaks string
		ok                 bool
		detail             string
	}{
		{"a claim", "a_it: assert (out);", "", true, "a_it fails in cycle 0"},
		{"an invariant beside a blind claim", "begin i_it: assert (out); a_it: assert (q != 9); end", "", false, "not found in 24 cycles"},
		{"an invariant alone", "i_it: assert (out);", "", false, "there is no claim that could fail"},
		{"the named one", "begin a_it: assert (out); a_other: assert (q != 9); end", "a_it", true, "a_it fails in cycle 0"},
		{"another than the named one", "begin a_it: assert (out); a_other: assert (q != 9); end", "a_other", false, "not found in 24 cycles"},
		{"a name that there is not", "a_it: assert (out);", "a_its", false, "there is no claim that could fail"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rs, err := engineFault(t, counter+"  always @* c_it: cover (q == 1);\n  always @* "+c.body+"\n", "method = \"pdr\"",
				fmt.Sprintf("old = \"1'b1\"\nnew = \"1'b0\"\nbreaks = %q\n", c.breaks))
			require.NoError(t, err)
			assert.Equal(t, c.ok, rs[2].OK)
			assert.Equal(t, c.detail, rs[2].Detail)
		})
	}
}

func TestListErrors(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"method = \"pdr\"\nsteps = 3", "steps"},
		{"method = \"luck\"", "must be induction or pdr"},
		{"method = \"pdr\"\ncover = \"n=1\"", "must be like A=1 B=2"},
		{"method = \"pdr\"\ndeep = [\"N=1;\"]", "must be like A=1 B=2"},
		{"method = \"pdr\"\n[[proof.fault]]\nname = \"g\"\nfile = \"hwgen_x\"\nold = \"wire\"\nnew = \"reg\"", "occurs 3 times"},
		{"method = \"pdr\"\n[[proof.fault]]\nname = \"g\"\nfile = \"hwgen_y\"\nold = \"wire\"\nnew = \"reg\"", "occurs 0 times"},
		{"method = \"pdr\"\n[[proof.fault]]\nname = \"g\"\nfile = \"hwgen_x\"\nold = \"old\"\nnew = \"other\"\n" +
			"[[proof]]\nname = \"x\"\ntop = \"hwgen_x_proof\"\nmethod = \"pdr\"", "a name of its own"},
	} {
		_, err := engine(t, "", c.body)
		require.Error(t, err, c.body)
		assert.Contains(t, err.Error(), c.want)
	}
}

const (
	begin = "<!-- proofs: make update-golden -->\n"
	end   = "<!-- end -->\n"
)

// TestDocs: docs/formal.md lists the proofs that there are.
func TestDocs(t *testing.T) {
	l, ps := load(t)
	file := filepath.Join("..", "..", "docs", "formal.md")
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(b), begin)
	require.True(t, ok)
	old, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(head+begin+Markdown(l, ps)+end+tail), 0o644))
		return
	}
	assert.Equal(t, Markdown(l, ps), old, "run: make update-golden")
}
