// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/design"
	"hwgen/gen/emit"
	"hwgen/gen/tool"
	"hwgen/gen/workload"
)

// two are designs of unlike parameters that use the same modules.
func two(library string) []string {
	one := ConfigText("one", 32, 32, 4, Cluster{"aes128", []string{"aes128_16sbox*2"}, 4})
	other := ConfigText("other", 64, 48, 7, Cluster{"aes128", []string{"aes128_16sbox", "aes128_8sbox*2"}, 5})
	var l []string
	for _, s := range []string{one, other} {
		if library != "" {
			s = strings.Replace(s, "[design]\n", "[design]\nlibrary = \""+library+"\"\n", 1)
		}
		l = append(l, s)
	}
	return l
}

// pair writes two outputs and a top with both, and gives the designs, the folder and the files to read.
func pair(t *testing.T, library string) ([]*design.Design, string, []string) {
	dir := t.TempDir()
	var ds []*design.Design
	var dirs []string
	var ports, body strings.Builder
	for _, text := range two(library) {
		d, out := generate(t, "two", text)
		ds = append(ds, d)
		dirs = append(dirs, filepath.Join(dir, d.Name))
		_, err := emit.Write(dirs[len(dirs)-1], out)
		require.NoError(t, err)
		fmt.Fprintf(&body, "  %s u_%s (.clk(clk), .rst(rst), .clear(1'b0)", d.Top, d.Name)
		for _, p := range []struct {
			in   bool
			w    int
			name string
		}{
			{true, d.DataW, "s_axis_job_tdata"}, {true, d.KeepW, "s_axis_job_tkeep"}, {true, 1, "s_axis_job_tvalid"},
			{false, 1, "s_axis_job_tready"}, {true, 1, "s_axis_job_tlast"}, {true, d.TidW, "s_axis_job_tid"},
			{false, d.DataW, "m_axis_result_tdata"}, {false, d.KeepW, "m_axis_result_tkeep"}, {false, 1, "m_axis_result_tvalid"},
			{true, 1, "m_axis_result_tready"}, {false, 1, "m_axis_result_tlast"}, {false, d.TidW, "m_axis_result_tdest"},
			{true, 1, "cfg_we"}, {true, 4, "cfg_cluster"}, {true, 9, "cfg_addr"}, {true, 32, "cfg_data"},
			{false, 32, "stat_accepted"}, {false, 32, "stat_returned"}, {false, d.SlotW + 1, "stat_in_flight"},
		} {
			dir := "output"
			if p.in {
				dir = "input "
			}
			fmt.Fprintf(&ports, ",\n  %s wire [%d:0] %s_%s", dir, p.w-1, d.Name, p.name)
			fmt.Fprintf(&body, ",\n    .%s(%s_%s)", p.name, d.Name, p.name)
		}
		body.WriteString(");\n")
	}
	soc := filepath.Join(dir, "soc.v")
	require.NoError(t, os.WriteFile(soc, []byte("module soc (\n  input  wire clk,\n  input  wire rst"+ports.String()+"\n);\n"+body.String()+"endmodule\n"), 0o644))
	files, err := emit.Files(dirs)
	require.NoError(t, err)
	return ds, dir, append(files, soc)
}

// Two designs of unlike parameters in one top: with modules of their own, and with one library for both. The three tools
// take them, and with the one library both run at a time, each with its vectors.
func TestTwoDesigns(t *testing.T) {
	needTools(t)
	sizes := map[string]int{}
	for _, library := range []string{"", "crypto"} {
		t.Run("library "+library, func(t *testing.T) {
			ds, dir, files := pair(t, library)
			sizes[library] = len(files)
			quiet := func(x tool.Tool, args ...string) {
				res, err := x.Run(t.Context(), dir, args...)
				require.NoError(t, err)
				require.Empty(t, strings.TrimSpace(res.Out), x.Name)
			}
			quiet(tool.Icarus, append([]string{"-g2005", "-Wall", "-t", "null", "-s", "soc"}, files...)...)
			quiet(tool.Verilator, append([]string{"--lint-only", "-Wall", "--default-language", "1364-2005", "--top-module", "soc"}, files...)...)
			quiet(tool.Yosys, "-q", "-p", "read_verilog "+strings.Join(files, " ")+"; hierarchy -check -top soc")
			if library == "" {
				return
			}

			// both benches in one simulation, of the files that the top takes
			args := []string{"-g2005", "-Wall", "-s", "both", "-o", "both.vvp"}
			plus := []string{"-n", "both.vvp"}
			all := "module both;\n  always @(*) if ("
			for i, d := range ds {
				p, err := workload.NewPlan(d, workload.RandomJobs(d, 4, int64(i)))
				require.NoError(t, err)
				in, want, n, err := p.Hex(d)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(dir, d.Name+"_in.hex"), []byte(in), 0o644))
				require.NoError(t, os.WriteFile(filepath.Join(dir, d.Name+"_out.hex"), []byte(want), 0o644))
				b, err := os.ReadFile(filepath.Join(dir, d.Name, "tb", d.Name+"_smoke_tb.v"))
				require.NoError(t, err)
				bench := strings.NewReplacer(`"in=`, `"`+d.Name+`_in=`, `"out=`, `"`+d.Name+`_out=`, `"frames=`, `"`+d.Name+`_frames=`,
					"if (done | failed) $finish;", "").Replace(string(b))
				require.NoError(t, os.WriteFile(filepath.Join(dir, d.Name+"_tb.v"), []byte(bench), 0o644))
				args = append(args, "-s", d.Name+"_smoke_tb", d.Name+"_tb.v")
				plus = append(plus, fmt.Sprintf("+%s_in=%s_in.hex", d.Name, d.Name), fmt.Sprintf("+%s_out=%s_out.hex", d.Name, d.Name),
					fmt.Sprintf("+%s_frames=%d", d.Name, n))
				if i > 0 {
					all += " && "
				}
				all += d.Name + "_smoke_tb.done"
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, "both.v"), []byte(all+") $finish;\nendmodule\n"), 0o644))
			args = append(args, "both.v")
			quiet(tool.Icarus, append(args, slices.DeleteFunc(slices.Clone(files), func(f string) bool { return strings.HasSuffix(f, "/soc.v") })...)...)
			res, err := tool.VVP.Run(t.Context(), dir, plus...)
			require.NoError(t, err)
			require.Equal(t, 2, strings.Count(res.Out, "PASS"), res.Out)
			require.NotContains(t, res.Out, "FAIL")
		})
	}
	require.Less(t, sizes["crypto"], sizes[""]*2/3, "one copy of the library")
}

// A library of two versions, names that meet, and an output that is not there are said, and nothing is listed.
func TestFilesClash(t *testing.T) {
	_, dir, _ := pair(t, "crypto")
	dirs := []string{filepath.Join(dir, "one"), filepath.Join(dir, "other")}
	f := filepath.Join(dirs[1], "rtl", "crypto_fifo.v")
	b, err := os.ReadFile(f)
	require.NoError(t, err)
	// a comment makes no other module
	require.NoError(t, os.WriteFile(f, append([]byte("// here\n"), b...), 0o644))
	_, err = emit.Files(dirs)
	require.NoError(t, err)

	require.NoError(t, os.WriteFile(f, []byte(strings.Replace(string(b), "ready_q <= 1'b0;", "ready_q <= 1'b1;", 1)), 0o644))
	manifest := filepath.Join(dirs[1], emit.ManifestName)
	m, err := os.ReadFile(manifest)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(manifest, []byte(strings.Replace(string(m), `"version": "test"`, `"version": "newer"`, 1)), 0o644))
	l, err := emit.Files(dirs)
	require.Empty(t, l)
	require.ErrorContains(t, err, "two modules are named crypto_fifo")
	require.ErrorContains(t, err, "one is of version test, other of newer")

	// design a with a cluster b_c, design a_b with a cluster c
	var clash []string
	for i, x := range [][2]string{{"a", "b_c"}, {"a_b", "c"}} {
		text := ConfigText(x[0], 32, 32, 2+i, Cluster{"aes128", []string{"aes128_4sbox"}, 4})
		_, out := generate(t, "clash", strings.Replace(text, `name = "c0"`, `name = "`+x[1]+`"`, 1))
		clash = append(clash, filepath.Join(dir, "clash"+x[0]))
		_, err := emit.Write(clash[i], out)
		require.NoError(t, err)
	}
	_, err = emit.Files(clash)
	require.ErrorContains(t, err, "two modules are named a_b_c_cluster")
	require.ErrorContains(t, err, "rename one of the designs")
	_, err = emit.Files([]string{dir})
	require.ErrorContains(t, err, "is no output of hwgen")
}
