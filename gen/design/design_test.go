// SPDX-License-Identifier: Apache-2.0

package design

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hwgen/gen/config"
	"hwgen/gen/diag"
	"hwgen/gen/policy"
	"hwgen/templates"
)

func elaborate(t *testing.T, text string) *Design {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "m.v"), []byte("module m(clk, rst, in_valid, in_ready, in_op, in_decrypt, in_key, in_block,\n"+
		"  out_valid, out_ready, out_block); endmodule\n"), 0o666))
	c, err := config.Parse("t.toml", dir, []byte(text))
	require.NoError(t, err)
	d, err := Elaborate(c)
	require.NoError(t, err)
	return d
}

func TestBits(t *testing.T) {
	for n, w := range map[int]int{1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 64: 6, 65: 7, 256: 8} {
		assert.Equal(t, w, Bits(n), n)
	}
	assert.Equal(t, 0, clog2(1))
	assert.Equal(t, 7, clog2(65))
}

func TestWidths(t *testing.T) {
	d := elaborate(t, "design = { data_width = 32, packet_bytes = 48, slots = 33, requesters = 1 }\n"+
		"cluster = [{ algorithm = \"aes256\", choose_list = 1, key_slots = 3, core = [{ count = 7 }] }]\n")
	assert.Equal(t, 4, d.BPB)
	assert.Equal(t, 3, d.PktBlocks)
	assert.Equal(t, 6, d.SlotW)
	assert.Equal(t, 1, d.TidW)
	assert.Equal(t, 1, d.ClusterW)
	assert.Equal(t, 6, d.LenW)
	assert.Equal(t, 4, d.OffW)
	assert.Equal(t, 2, d.BlkW)
	assert.Equal(t, 2, d.WidxW)
	c := d.Clusters[0]
	assert.Equal(t, 256, c.KeyBits)
	assert.Equal(t, 3, c.CoreW)
	assert.Equal(t, 3, c.LaneW)
	assert.Equal(t, 1, c.IdxW)
	assert.Equal(t, 2, c.KsW)
	assert.Equal(t, 10+6+1+2, c.DescW)
	assert.Equal(t, 4, c.CapW, "8 itself is a value")
	assert.Equal(t, uint8(0b0010_1111), c.Support)
	assert.Equal(t, 0, c.KeyLane)
	assert.True(t, c.HasMAC && c.HasInv && c.Tables.Exact)
	d = elaborate(t, "design = { packet_bytes = 16, slots = 1 }\n[[cluster]]\n")
	assert.Equal(t, []int{1, 5, 1, 1, 1}, []int{d.SlotW, d.LenW, d.OffW, d.BlkW, d.WidxW})
}

func TestDefaultCapsFollowSpeed(t *testing.T) {
	d := elaborate(t, "[[cluster]]\ncore = [{ kind = \"aes128_4sbox\" }, { kind = \"aes128_16sbox\" }, { kind = \"aes128_8sbox\" }, { queue = 1 }]\n")
	var caps []int
	for _, co := range d.Clusters[0].Cores {
		caps = append(caps, co.Cap)
	}
	assert.Equal(t, []int{2, 8, 4, 1}, caps)
}

// The default choose list holds what the queues hold, so that no warning is about it; the starter config names it.
func TestDefaultChooseList(t *testing.T) {
	for text, want := range map[string]int{
		"[[cluster]]\n": 16,
		"[[cluster]]\ncore = [{ count = 2 }, { kind = \"aes128_4sbox\" }]\n": 26,
		"[[cluster]]\nchoose_list = 3\n":                                     3,
		"[design]\nslots = 24\n[[cluster]]\ncore = [{ count = 4 }]\n":        24,
		"[design]\nslots = 8\n[[cluster]]\ncore = [{ count = 20 }]\n":        40,
		"[design]\nslots = 256\n[[cluster]]\nqueue = 256\n":                  256,
	} {
		d := elaborate(t, text)
		assert.Equal(t, want, d.Clusters[0].Choose, text)
		if want > 3 {
			assert.NotContains(t, strings.Join(d.Warnings(), "\n"), "choose_list", text)
		}
	}
	b, err := templates.FS.ReadFile("config/init.toml")
	require.NoError(t, err)
	d := elaborate(t, string(b))
	assert.Empty(t, d.Warnings())
	assert.Contains(t, string(b), fmt.Sprintf("# choose_list = %d ", d.Clusters[0].Choose))
}

func TestSupport(t *testing.T) {
	d := elaborate(t, "[[cluster]]\nname = \"a\"\ncore = [{ decrypt = false }]\n[[cluster]]\nname = \"b\"\n"+
		"core = [{ module = \"m\", sources = [\"m.v\"], cycles = { sign = 3 } }, { module = \"m\", sources = [\"m.v\"], cycles = { encrypt = 2, decrypt = 4 } }]\n")
	a, b := d.Clusters[0], d.Clusters[1]
	assert.Equal(t, uint8(0b1111), a.Support, "no ECB or CBC decryption")
	assert.False(t, a.HasInv)
	assert.Equal(t, uint8(0b0100), b.Cores[0].Support)
	assert.Equal(t, uint8(0b0010_0011), b.Cores[1].Support)
	assert.Equal(t, uint8(0b0010_0111), b.Support)
	assert.Equal(t, 1, b.KeyLane, "the first that encrypts")
	assert.True(t, b.External && b.Cores[0].OrigKey)
	assert.Equal(t, "m", b.Cores[0].Module)
	assert.Equal(t, "scheduler_aes128_16sbox", a.Cores[0].Module)
}

func TestLargestDesign(t *testing.T) {
	var b strings.Builder
	b.WriteString("design = { slots = 256, packet_bytes = 65520, data_width = 32, requesters = 256 }\n")
	for i := range 16 {
		fmt.Fprintf(&b, "[[cluster]]\nname = \"c%d\"\nchoose_list = 256\nkey_slots = 256\ncore = [{ count = 32 }, { count = 32, kind = \"aes128_4sbox\" }]\n", i)
	}
	d := elaborate(t, b.String())
	require.Len(t, d.Clusters, 16)
	for _, c := range d.Clusters {
		assert.Equal(t, 64, c.NumCores)
		assert.LessOrEqual(t, c.AccW, 32)
	}
	for _, m := range d.Memories {
		assert.Positive(t, m.Bits, m.Name)
	}
}

func TestReport(t *testing.T) {
	d := elaborate(t, "[[cluster]]\nchoose_list = 64\n")
	r := d.Report()
	assert.Empty(t, r.Warnings)
	assert.InDelta(t, 0.8, r.StreamRate, 1e-9)
	assert.InDelta(t, 1.0/11, r.CoreRate, 1e-9)
	sum := 0
	for _, m := range r.Memories {
		sum += m.Bits
	}
	assert.Equal(t, sum, r.MemoryBits)
	assert.Equal(t, 5*(8+d.Clusters[0].Cores[0].Cap), r.QueueBits) // slots of 5 bits, a cluster queue of 8
}

func scheduler(keys string) string {
	return "[scheduler]\n" + keys + "\n[[cluster]]\ncore = [{ kind = \"aes128_16sbox\" }, { kind = \"aes128_4sbox\" }]\n"
}

// What the RTL's parameters say of each policy.
func TestPolicies(t *testing.T) {
	require.Equal(t, config.PolicyNames(), policy.Names)
	type params struct{ perPacket, giveBack, modular, pointer int }
	for name, want := range map[string]params{
		"affinity": {0, 1, 0, 0}, "weighted": {0, 1, 0, 0}, "ect": {0, 1, 0, 0}, "jsq": {1, 1, 0, 0}, "wrr": {0, 0, 1, 0},
		"round_robin": {0, 0, 0, 1}, "round_robin_skip": {0, 0, 0, 2}, "static": {0, 0, 0, 3},
	} {
		d := elaborate(t, scheduler("policy = \""+name+"\""))
		c := d.Clusters[0]
		assert.Equal(t, want, params{c.PerPacket, c.GiveBack, c.Modular, c.Pointer}, name)
		assert.Equal(t, want.pointer == 0, d.Programmable, name)
		assert.Equal(t, name == "static", d.BindJob, name)
		assert.Empty(t, d.Warnings(), name)
		assert.True(t, c.Tables.Exact, name)
		given := false
		for _, m := range d.Memories {
			given = given || strings.HasSuffix(m.Name, ".balancer.given")
		}
		assert.Equal(t, want.giveBack == 1, given, "what a credit gives back is stored: %s", name)
	}
	d := elaborate(t, scheduler("policy = \"round_robin\"\nbalancer = \"scan\""))
	assert.False(t, d.Scan)
	d = elaborate(t, scheduler("lambda = 0.5"))
	assert.Equal(t, "lambda 0.5", d.Params())
}

// Scores that do not fit: each cluster is named, at the place of what asks for them.
func TestScoresTooWide(t *testing.T) {
	for text, want := range map[string][]string{
		scheduler("score_bits = 2") + "[[cluster]]\ncore = [{ count = 2 }]\n": {
			`t.toml:2:14: score_bits is 2, too few for policy "affinity" in cluster "aes128"`,
			`t.toml:2:14: score_bits is 2, too few for policy "affinity" in cluster "aes128_1"`,
		},
		"[design]\npacket_bytes = 65520\nslots = 64\n[scheduler]\npolicy = \"weighted\"\n[[cluster]]\ncore = [{ queue = 61 }, " +
			"{ queue = 59 }, { queue = 53 }, { queue = 47 }]\n": {`t.toml:5:10: policy "weighted" does not fit cluster "aes128"`},
	} {
		c, err := config.Parse("t.toml", t.TempDir(), []byte(text))
		require.NoError(t, err)
		_, err = Elaborate(c)
		var l diag.List
		require.ErrorAs(t, err, &l)
		require.Len(t, l, len(want))
		for i, w := range want {
			assert.Contains(t, l[i].Error(), w)
		}
	}
}

// The slots of the design bound the counter-example.
func TestCounterexampleFitsSlots(t *testing.T) {
	for slots := 2; slots < 14; slots++ {
		d := elaborate(t, fmt.Sprintf("[design]\nslots = %d\n", slots)+scheduler("policy = \"ect\"\nscore_bits = 7"))
		c := d.Clusters[0].Tables.Counter
		if c == nil {
			assert.Less(t, slots, 8)
			continue
		}
		held := 1
		for _, n := range c.Packets {
			held += n
		}
		assert.LessOrEqual(t, held, slots)
		assert.Len(t, d.Alerts(), 1)
	}
}

// The form of the S-boxes follows the part that the config names; a config that says it overrules the part.
func TestSBoxTables(t *testing.T) {
	const cores = "[[cluster]]\nalgorithm = \"sm4\"\n[[cluster]]\nalgorithm = \"aes256\"\ncore = [{}, { module = \"m\", sources = [\"m.v\"], cycles = { encrypt = 9 } }]\n"
	for text, want := range map[string][3]string{
		"":                                                              {"field", "field", ""},
		"[synth]\ntarget = \"hx8k\"\n":                                  {"field", "field", ""},
		"[synth]\ntarget = \"gw2ar-18\"\n":                              {"field", "field", ""},
		"[synth]\ntarget = \"ecp5-85f-8\"\n":                            {"table", "field", ""},
		"[board]\nname = \"hx8k-breakout\"\n":                           {"field", "field", ""},
		"[board]\nname = \"tang-nano-20k\"\n":                           {"field", "field", ""},
		"[board]\nname = \"ulx3s-12f\"\n":                               {"table", "field", ""},
		"[board]\nname = \"arty-a7-35\"\n":                              {"table", "table", ""},
		"[design]\nsbox = \"table\"\n":                                  {"table", "table", ""},
		"[design]\nsbox = \"field\"\n[board]\nname = \"ulx3s-85f\"\n":   {"field", "field", ""},
		"[design]\nsbox = \"field\"\n[synth]\ntarget = \"ecp5-25f\"\n":  {"field", "field", ""},
		"[design]\nsbox = \"table\"\n[synth]\ntarget = \"gw1nr-9\"\n":   {"table", "table", ""},
		"[design]\nsbox = \"table\"\n[board]\nname = \"colorlight-i5\"": {"table", "table", ""},
	} {
		d := elaborate(t, text+"\n"+cores)
		r := d.Report()
		assert.Equal(t, want, [3]string{r.Clusters[0].Cores[0].SBox, r.Clusters[1].Cores[0].SBox, r.Clusters[1].Cores[1].SBox}, text)
		assert.Equal(t, want[0] == "table", d.Tables(), text)
	}
}
