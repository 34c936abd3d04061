// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"context"
	"encoding/hex"
	"io/fs"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/cipher"
	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/emit"
	"hwgen/gen/sim"
	"hwgen/gen/tool"
	"hwgen/rtl"
	"hwgen/tb"
)

// The reference ciphers give what the standards say.
func TestVectorsAgainstReference(t *testing.T) {
	vs, err := Vectors()
	require.NoError(t, err)
	require.Len(t, vs, 60)
	for _, v := range vs {
		out, ok, err := cipher.Run(v.Algorithm, v.Cmd, v.Mode, v.Job.Key, v.Job.IV, v.Job.Data, v.Job.Tag)
		require.NoError(t, err)
		require.Equal(t, v.Status == "ok", ok, "vector %d", v.ID)
		if ok {
			require.Equal(t, v.Data, hex.EncodeToString(out), "vector %d", v.ID)
		}
	}
}

func TestCorners(t *testing.T) {
	got := Corners("x_tb", []byte("// corners: A=1 B=2 | A=3\nmodule"))
	require.Equal(t, []Bench{{"x_tb", []string{"A=1", "B=2"}}, {"x_tb", []string{"A=3"}}}, got)
	require.Equal(t, []Bench{{"x_tb", nil}}, Corners("x_tb", []byte("module")))
}

func TestCut(t *testing.T) {
	require.Equal(t, []int{16, 32, 16}, cut(64, 16, 32))
	require.Equal(t, []int{0}, cut(0, 0, 32))
	require.Equal(t, []int{32, 16, 4}, cut(52, 48, 32))
}

func generate(t *testing.T, name, text string) (*design.Design, emit.Output) {
	t.Helper()
	c, err := config.Parse(name+".toml", ".", []byte(text))
	require.NoError(t, err)
	d, err := design.Elaborate(c)
	require.NoError(t, err)
	out, err := emit.Emit(d, emit.Options{Version: "test", ConfigHash: c.Hash})
	require.NoError(t, err)
	return d, out
}

// needTools fails, with how to install it, if a tool is missing: no test is skipped.
func needTools(t *testing.T) {
	t.Helper()
	require.NoError(t, tool.Need(tool.Icarus, tool.VVP, tool.Verilator, tool.Yosys, tool.Compiler, tool.Make))
}

// Every test design, all steps but the benches, which are the same for all and are run once by the default design. And
// on each of them no cycle depends on a key or on data: all algorithms, modes, speeds, key loads and wrong tags.
func TestDesigns(t *testing.T) {
	needTools(t)
	var steps []string
	for _, s := range StepNames() {
		if s != "benches" {
			steps = append(steps, s)
		}
	}
	for _, x := range Designs() {
		t.Run(x.Name, func(t *testing.T) {
			t.Parallel()
			d, files := generate(t, x.Name, x.Text)
			rep, err := Run(context.Background(), Options{Design: d, Files: files, Packets: 5000, Seed: 1, Steps: steps})
			require.NoError(t, err)
			require.True(t, rep.OK, "\n%s", rep.Table())
			s, err := sim.Build(context.Background(), d, files, sim.Options{Unknowns: true})
			require.NoError(t, err)
			require.True(t, s.Cached)
			require.Empty(t, timeDependsOnNoSecret(t, s, 300, 1))
		})
	}
}

// The largest numbers of cores and of clusters, through the three lint tools.
func TestLargeDesignsLint(t *testing.T) {
	needTools(t)
	sixteen := make([]Cluster, 16)
	for i := range sixteen {
		sixteen[i] = Cluster{Algorithm: []string{"sm4", "aes128", "aes256"}[i%3], Choose: 1 + i%3}
		sixteen[i].Kinds = []string{[]string{"sm4_1round", "aes128_4sbox", "aes256_4sbox"}[i%3]}
	}
	for _, x := range []TestDesign{
		{"wide", ConfigText("wide", 128, 64, 32, Cluster{"sm4", []string{"sm4_1round*64"}, 8}) + "\n[control]\naxil = true\n"},
		{"many", ConfigText("many", 64, 48, 33, sixteen...)},
	} {
		t.Run(x.Name, func(t *testing.T) {
			t.Parallel()
			d, files := generate(t, x.Name, x.Text)
			rep, err := Run(context.Background(), Options{Design: d, Files: files, Packets: 1, Seed: 1,
				Steps: []string{"lint-iverilog", "lint-verilator", "lint-yosys"}})
			require.NoError(t, err)
			require.True(t, rep.OK, "\n%s", rep.Table())
		})
	}
}

// Every bench of the library, with each of its sets of parameters.
func TestBenches(t *testing.T) {
	needTools(t)
	files := emit.Output{}
	add := func(dst string, from fs.FS) {
		require.NoError(t, fs.WalkDir(from, ".", func(p string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			files[dst+"/"+path.Base(p)], err = fs.ReadFile(from, p)
			return err
		}))
	}
	add("rtl", rtl.FS)
	add("tb", tb.FS)
	d, _ := generate(t, "any", Designs()[0].Text)
	rep, err := Run(context.Background(), Options{Design: d, Files: files, Packets: 1, Seed: 1, Steps: []string{"benches"}})
	require.NoError(t, err)
	require.True(t, rep.OK, "\n%s", rep.Table())
}

// A fault in the RTL has to be found by the step that looks for it.
func TestFaultsAreFound(t *testing.T) {
	needTools(t)
	for _, c := range []struct{ file, old, neu, step string }{
		{"rtl/faulty_top.v", "endmodule", "wire nothing_reads_this;\nendmodule", "lint-verilator"},
		{"rtl/faulty_lane.v", "assign fl_iv     = ask_tag | ~ask_blk;", "assign fl_iv     = ask_tag;", "vectors"},
		{"rtl/faulty_lane.v", "o_save    = o_end & ~cur_last_q;", "o_save    = 1'b0;", "vectors-split"},
		{"rtl/faulty_choose_list.v", "(closing_q & ~al) | (up & {CHOOSE{up_last}})", "closing_q & ~al", "frames"},
		{"rtl/faulty_key_store.v", "(barred_q & ~loaded) | bars", "barred_q & ~loaded", "directed"},
		{"rtl/faulty_clear_ctrl.v", "~(half & (half_slot == slot_q))", "~half", "clear"},
	} {
		d, files := generate(t, "faulty", ConfigText("faulty", 128, 32, 8, Cluster{"aes128", []string{"aes128_16sbox"}, 4}))
		b, ok := files[c.file]
		require.True(t, ok, c.file)
		s := string(b)
		require.Contains(t, s, c.old)
		files[c.file] = []byte(replaceLast(s, c.old, c.neu))
		rep, err := Run(context.Background(), Options{Design: d, Files: files, Packets: 500, Steps: []string{c.step}})
		require.NoError(t, err)
		require.False(t, rep.OK, "%s: %s", c.file, c.neu)
		t.Logf("%s: %s\n%s", c.file, c.neu, rep.Table())
	}
}

func replaceLast(s, old, neu string) string {
	for i := len(s) - len(old); i >= 0; i-- {
		if s[i:i+len(old)] == old {
			return s[:i] + neu + s[i+len(old):]
		}
	}
	return s
}
