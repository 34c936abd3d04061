// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hwgen/gen/diag"
	"hwgen/templates"
)

func read(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Parse("t.toml", t.TempDir(), []byte(text))
	require.NoError(t, err)
	return c
}

func TestDefaults(t *testing.T) {
	c := read(t, "[[cluster]]\n")
	assert.Equal(t, "scheduler", c.Design.Name.V)
	assert.Equal(t, 128, c.Design.DataWidth.V)
	assert.Equal(t, 64, c.Design.PacketBytes.V)
	assert.Equal(t, 32, c.Design.Slots.V)
	assert.Equal(t, 4, c.Design.Requesters.V)
	assert.False(t, c.Design.SBox.Set) // what suits the part
	assert.Equal(t, "affinity", c.Scheduler.Policy.V)
	assert.Equal(t, 4.0, c.Scheduler.Lambda.V)
	assert.Equal(t, 0, c.Scheduler.ScoreBits.V) // in policy's hands
	assert.Equal(t, "in_flight", c.Scheduler.Bind.V)
	assert.True(t, c.Scheduler.Programmable.V)
	assert.Equal(t, 0.05, c.Scheduler.Alpha.V)
	assert.Equal(t, 0.95, c.Scheduler.Beta.V)
	assert.Equal(t, 32, c.Scheduler.WaitQueue.V)
	assert.Equal(t, "tree", c.Scheduler.Balancer.V)
	assert.True(t, c.Scheduler.ReportCore.V)
	require.Len(t, c.Clusters, 1)
	cl := c.Clusters[0]
	assert.Equal(t, "aes128", cl.Algorithm.V)
	assert.Equal(t, "aes128", cl.Name.V)
	assert.Equal(t, 8, cl.Queue.V)
	assert.Equal(t, 0, cl.ChooseList.V) // in design's hands
	assert.Equal(t, 8, cl.KeySlots.V)
	assert.Equal(t, 32, cl.SlotQuota.V)
	require.Len(t, cl.Cores, 1)
	assert.Equal(t, "aes128_16sbox", cl.Cores[0].Kind.V)
	assert.True(t, cl.Cores[0].Decrypt.V)
}

func TestClusterNamesByDefault(t *testing.T) {
	c := read(t, "[[cluster]]\nname=\"sm4\"\n[[cluster]]\nalgorithm=\"sm4\"\n[[cluster]]\nalgorithm=\"sm4\"\n[[cluster]]\n")
	var names []string
	for _, cl := range c.Clusters {
		names = append(names, cl.Name.V)
	}
	assert.Equal(t, []string{"sm4", "sm4_1", "sm4_2", "aes128"}, names)
}

// Every way to write a table gives the same config.
func TestFormsOfTables(t *testing.T) {
	want := read(t, "[design]\nslots = 0x10\n[[cluster]]\nqueue = 4\n[[cluster.core]]\nkind = \"aes128_8sbox\"\n")
	for _, text := range []string{
		"design.slots = 16\n[[cluster]]\nqueue = +4\ncore = [{ kind = \"aes128_8sbox\" }]\n",
		"design = { slots = 1_6 }\ncluster = [{ queue = 4, core = [ # c\n { kind = 'aes128_8sbox' } ] }]\n",
		"[[cluster]]\nqueue = 4\n[[cluster.core]]\n\"kind\" = \"\"\"aes128_8sbox\"\"\"\n[design]\nslots = 0b10000\n",
	} {
		c := read(t, text)
		assert.Equal(t, want.Design.Slots.V, c.Design.Slots.V, text)
		require.Len(t, c.Clusters, 1, text)
		assert.Equal(t, want.Clusters[0].Queue.V, c.Clusters[0].Queue.V, text)
		assert.Equal(t, want.Clusters[0].Cores[0].Kind.V, c.Clusters[0].Cores[0].Kind.V, text)
	}
}

func TestPositionsCountCharacters(t *testing.T) {
	_, err := Parse("t.toml", ".", []byte("[[cluster]]\nname = \"ü\" # é\ncore = [ { kind = \"é\" }, {\tcount = true } ]\n"))
	var l diag.List
	require.ErrorAs(t, err, &l)
	require.Len(t, l, 3)
	assert.Equal(t, "t.toml:2:8", l[0].Pos.String())
	assert.Equal(t, "t.toml:3:19", l[1].Pos.String())
	assert.Equal(t, "t.toml:3:36", l[2].Pos.String())
}

func TestReservedWords(t *testing.T) {
	for w, lang := range map[string]string{
		"always": "Verilog", "logic": "SystemVerilog", "checker": "SystemVerilog", "signal": "VHDL", "SIGNAL": "VHDL",
		"Always": "", "fifo": "", "wire": "Verilog", "Wire": "",
	} {
		assert.Equal(t, lang, ReservedIn(w), w)
	}
	assert.Len(t, verilogWords, 124)
}

const corePortText = `(clk, rst, in_valid, in_ready, in_op, in_decrypt, in_key, in_block, out_valid, out_ready, out_block)`

func TestSourceIsRelativeToConfig(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", "m.v"), []byte("module m"+corePortText+"; endmodule\n"), 0o666))
	text := "[[cluster]]\n[[cluster.core]]\nmodule=\"m\"\nsources=[\"sub/m.v\"]\ncycles={encrypt=3}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "c.toml"), []byte(text), 0o666))
	c, err := Load(filepath.Join(dir, "c.toml"))
	require.NoError(t, err)
	assert.True(t, c.Clusters[0].Cores[0].External())
	assert.Equal(t, filepath.Join(dir, "sub", "m.v"), c.SourcePath("sub/m.v"))
}

func TestHostileSizes(t *testing.T) {
	for _, text := range []string{
		"x = " + strings.Repeat("[", MaxFile-4), "x" + strings.Repeat(".x", 2000) + " = 1", strings.Repeat("x", MaxFile+1),
		"x = " + strings.Repeat("{x=", MaxFile/3-4), strings.Repeat("[[cluster]]\n", MaxFile/12),
	} {
		_, err := Parse("t.toml", ".", []byte(text))
		require.Error(t, err)
		assert.Contains(t, err.Error()[:20], "t.toml:")
	}
}

func TestEmbeddedConfigsAreValid(t *testing.T) {
	for _, f := range []string{"config/default.toml", "config/init.toml"} {
		b, err := templates.FS.ReadFile(f)
		require.NoError(t, err)
		_, err = Parse(f, ".", b)
		require.NoError(t, err)
	}
}

// The starter config names the defaults in comments: with the comments taken away it must say the same.
func TestStarterCommentsAreTheDefaults(t *testing.T) {
	b, err := templates.FS.ReadFile("config/init.toml")
	require.NoError(t, err)
	var on []string
	for line := range strings.SplitSeq(string(b), "\n") {
		if rest, ok := strings.CutPrefix(line, "# "); ok && (strings.Contains(rest, " = ") || rest == hostTable) &&
			!strings.HasPrefix(rest, "module") &&
			!strings.HasPrefix(rest, "sources") && !strings.HasPrefix(rest, "cycles") {
			line = rest
		}
		on = append(on, line)
	}
	c, full := read(t, string(b)), read(t, strings.Join(on, "\n"))
	assert.True(t, full.Scheduler.Beta.Set)
	assert.Equal(t, c.Design.Slots.V, full.Design.Slots.V)
	assert.Equal(t, c.Design.Requesters.V, full.Design.Requesters.V)
	assert.Equal(t, c.Scheduler.Alpha.V, full.Scheduler.Alpha.V)
	assert.Equal(t, c.Scheduler.Beta.V, full.Scheduler.Beta.V)
	assert.Equal(t, c.Scheduler.Bind.V, full.Scheduler.Bind.V)
	assert.Equal(t, c.Scheduler.WaitQueue.V, full.Scheduler.WaitQueue.V)
	assert.Equal(t, c.Scheduler.Balancer.V, full.Scheduler.Balancer.V)
	assert.Equal(t, c.Clusters[0].Queue.V, full.Clusters[0].Queue.V)
	assert.True(t, full.Clusters[0].ChooseList.Set) // its value is tested in package design
	assert.Equal(t, c.Clusters[0].KeySlots.V, full.Clusters[0].KeySlots.V)
	assert.Equal(t, c.Clusters[0].SlotQuota.V, full.Clusters[0].SlotQuota.V)
	assert.True(t, full.Clusters[0].Cores[0].Queue.Set)
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		"", "[[cluster]]\n", "[design]\nname = \"x\"\nslots = 4\n[scheduler]\nalpha = 1e3\nbeta = inf\n",
		"[[cluster]]\nname = 'a'\nalgorithm = \"sm4\"\n[[cluster.core]]\nkind = \"sm4_1round\"\ncount = 3\n[cluster.core.cycles]\nencrypt = 1\n",
		"cluster = [{core = [{module = \"m\", sources = [\"a.v\"], cycles = {encrypt = 0x10}}]}]",
		"[cluster.core]\nkind = 1\n", "cluster.core.x = [1, [2, {a = 3}]]\n", "design = 2024-01-01\n", "[design]\nname = \"\"\"\nx\"\"\"\n",
		"a.b.c = 1\n[a.b.d]\n", "[[a]]\n[a.b]\n[[a.b.c]]\n", "[board]\n", "design.name = \"module\"\n", "x = \"\\ud800\"\n", "[[cluster]]\r\nqueue = 99999999999999999999\r\n",
	} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("f.toml", dir, data)
		if err == nil {
			require.NotEmpty(t, c.Clusters)
			return
		}
		var l diag.List
		require.True(t, errors.As(err, &l))
		require.NotEmpty(t, l)
		lines := strings.Count(string(data), "\n") + 1
		for _, e := range l {
			require.True(t, e.Pos.IsValid() && e.Pos.Col > 0 && e.Pos.Line <= lines, "%v", e)
			require.NotEmpty(t, e.Msg)
		}
		require.Equal(t, diag.ExitUsage, diag.ExitCode(err))
	})
}
