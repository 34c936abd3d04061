// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hwgen/gen/cipher"
	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/emit"
	"hwgen/gen/sim"
	"hwgen/gen/workload"
)

// The design of these tests: each implementation of a core, and cores whose output tells nothing of key and block.
const secretDesign = `[design]
name = "sec"
data_width = 32
packet_bytes = 48
slots = 9
requesters = 2

[[cluster]]
name = "aes"
algorithm = "aes256"
queue = 4
key_slots = 2
choose_list = 3

[[cluster.core]]
kind = "aes256_16sbox"
queue = 2

[[cluster.core]]
kind = "aes256_4sbox"
queue = 2

[[cluster]]
name = "sm4"
algorithm = "sm4"
queue = 4
key_slots = 2
choose_list = 3

[[cluster.core]]
kind = "sm4_4round"

[[cluster]]
name = "leak"
algorithm = "aes128"
queue = 4
key_slots = 2
choose_list = 3

[[cluster.core]]
module = "leak_core"
sources = ["leak_core.v"]
cycles = { encrypt = 9, decrypt = 9, sign = 9, verify = 9 }
`

// fault is a change of an emitted file: behind left stands neu, not old.
type fault struct{ kind, file, left, old, neu string }

// plant puts all faults into the files of a design; bit N of +fault makes the N-th real.
func plant(t *testing.T, files map[string][]byte, design string, faults []fault) {
	t.Helper()
	for i, f := range faults {
		p := "rtl/" + design + "_" + f.file + ".v"
		b := string(files[p])
		require.Equal(t, 1, strings.Count(b, f.left+f.old), "%s: %s%s", p, f.left, f.old)
		b = strings.Replace(b, f.left+f.old, fmt.Sprintf("%s(fault[%d] ? (%s) : (%s))", f.left, i, f.neu, f.old), 1)
		if !strings.Contains(b, "reg [31:0] fault;") {
			b = strings.Replace(b, "\n);\n", `
);
  reg [31:0] fault;
  initial if (!$value$plusargs("fault=%d", fault)) fault = 0;
`, 1)
		}
		files[p] = []byte(b)
	}
}

var secretFaults = []fault{
	// overwritten on reset and clear
	{"scrub", "lane", "key_q         <= ", "{KEY_BITS{1'b0}}", "key_q"},
	{"scrub", "lane", "blk_q         <= ", "128'd0", "blk_q"},
	{"scrub", "lane", "iv_q          <= ", "128'd0", "iv_q"},
	{"scrub", "lane", "x_q           <= ", "128'd0", "x_q"},
	{"scrub", "lane_wb", "out_q     <= ", "128'd0", "out_q"},
	{"scrub", "lane_wb", "save_q    <= ", "128'd0", "save_q"},
	{"scrub", "swept_ram", ".we    (", "busy_q | we", "we"},
	{"scrub", "swept_ram", "addr_q <= ", "{ADDR_W{1'b0}}", "~({ADDR_W{1'b1}} >> 1)"},
	{"scrub", "aes_wide", "state_q   <= ", "128'd0", "state_q"},
	{"scrub", "aes_wide", "key_q    <= ", "256'd0", "key_q"},
	{"scrub", "aes_serial", "key_q    <= ", "256'd0", "key_q"},
	{"scrub", "sm4_core", "state_q <= ", "128'd0", "state_q"},
	{"scrub", "sm4_core", "key_q   <= ", "128'd0", "key_q"},
	// the chaining value, overwritten at the end of its job
	{"end", "chain_store", "sc_busy_q <= ", "sc_valid", "1'b0"},
	{"end", "chain_store", "sc_idx_q  <= ", "sc_idx", "sc_idx ^ (sc_idx >> 1)"},
	{"end", "chain_store", "wire               sc_we = ", "sc_busy_q & ~cw_we", "1'b0"},
	// keys and subkeys that leave past the cipher
	{"key", "lane", ".ld_block   (", "out_block ^ x_q", "out_block ^ x_q ^ key_q[127:0]"},
	{"key", "lane", "x_q <= ", "(blk_q & {128{s_x_blk_q & ~tag_q}}) ^ (iv_q & {128{s_x_iv_q | tag_q}})", // the end key
		"(blk_q & {128{s_x_blk_q & ~tag_q}}) ^ (iv_q & {128{s_x_iv_q | tag_q}}) ^ (key_q[127:0] & {128{s_inv_q}})"},
	{"key", "lane", "s_x_iv_q     <= ", "n_cbc & n_dec", "(n_cbc & n_dec) | n_sub"},
	{"key", "lane", "go        = (zero_q & ~wb_busy) | (fire_out & ", "~cur_kg_q", "1'b1"},
	// time that depends on a key, or on data
	{"time", "lane", "c_in_valid   = here_q & (", "flight_q ? fire_out : later_ok",
		"(flight_q ? fire_out : later_ok) & (key_q[2:0] != 3'd0 | flight_q | wb_busy)"},
	// a job that sees another one's chaining value
	{"job", "lane", "n_iv    = ~more_q & (jb_mac ? ", "~jb_first & ~fwd", "~fwd"},
}

var serialFaults = []fault{
	{"scrub", "lane_serial", "key_q         <= ", "{KEY_BITS{1'b0}}", "key_q"},
	{"scrub", "lane_serial", "c_q           <= ", "128'd0", "c_q"},
	{"end", "chain_store", "sc_busy_q <= ", "sc_valid", "1'b0"},
	// a key word in the results of CFB, OFB and CTR; the subkey that is still beside a MAC's last block
	{"key", "lane_serial", "wire [DATA_W-1:0] a_w = ", "a_q[127 -: DATA_W]", "a_q[127 -: DATA_W] ^ key_q[DATA_W-1:0]"},
	{"key", "lane_serial", "wire use_c = ", "cbc & dec", "(cbc & dec) | sub_here_q"},
	// a tag compared word by word, to the first that is wrong
	{"time", "lane_serial", "wire word_last = ", "word_q == WLAST", "(word_q == WLAST) | (tag & (core_w != a_w))"},
	// the block or the chaining value of the job before
	{"job", "lane_serial", "have_q        <= ", "~jb_mac | ~jb_first", "1'b1"},
}

func faultPlace(faults []fault, kind string) []int {
	var l []int
	for i, f := range faults {
		if f.kind == kind {
			l = append(l, i)
		}
	}
	return l
}

// leakKeys gives the core of cluster leak, as those of the library have it, an end key that depends on the key, with which
// its lane decrypts, and a key as wide as the cluster's: what a core of one's own has not.
func leakKeys(t *testing.T, files map[string][]byte) {
	t.Helper()
	const cluster = "rtl/sec_leak_cluster.v"
	for _, c := range [][2]string{
		{".ORIG_KEY(1)", ".ORIG_KEY(0)"},
		{"leak_core u_core_0", "leak_core #(.KEY_BITS(KEY_BITS)) u_core_0"},
		{".out_block(c0_out_block)\n", ".out_block(c0_out_block), .end_key(c0_end_key)\n"},
		{"  assign c0_end_key = {KEY_BITS{1'b0}};\n", ""},
	} {
		b := string(files[cluster])
		require.Equal(t, 1, strings.Count(b, c[0]), c[0])
		files[cluster] = []byte(strings.Replace(b, c[0], c[1], 1))
	}
}

// secretSim is a design like secretDesign, with faults, none of them real.
func secretSim(t *testing.T, text string, faults ...fault) *sim.Simulator {
	t.Helper()
	c, err := config.Parse(filepath.Join("testdata", "sec.toml"), "testdata", []byte(text))
	require.NoError(t, err)
	d, err := design.Elaborate(c)
	require.NoError(t, err)
	files, err := emit.Emit(d, emit.Options{Version: "test", ConfigHash: c.Hash, SourcePath: c.SourcePath})
	require.NoError(t, err)
	leakKeys(t, files)
	plant(t, files, "sec", faults)
	s, err := sim.Build(context.Background(), d, files, sim.Options{Unknowns: true, Snapshot: true, Quick: true})
	require.NoError(t, err)
	return s
}

// twin is a stimulus with other bytes behind the headers of the frames that are chosen.
func twin(st *workload.Stimulus, seed int64, chosen func(*workload.Frame) bool) *workload.Stimulus {
	r := rand.New(rand.NewSource(seed))
	out := *st
	out.Frames = slices.Clone(st.Frames)
	for i := range out.Frames {
		f := &out.Frames[i]
		if f.Beats == nil && len(f.Bytes) > workload.HeaderBytes && chosen(f) {
			f.Bytes = slices.Clone(f.Bytes)
			r.Read(f.Bytes[workload.HeaderBytes:])
		}
	}
	return &out
}

func isLoad(f *workload.Frame) bool { return f.Header().Cmd == cipher.LoadKey }

// randomTraffic is loads and random frames of all clusters.
func randomTraffic(d *design.Design, n int, seed int64) *workload.Stimulus {
	g := workload.NewFrameGen(d, seed)
	g.LoadAll()
	g.RandomFrames(n)
	return g.Stimulus(seed)
}

// sameCycles says where two runs differ in time, or in how long a result is.
func sameCycles(a, b *workload.Outcome) string {
	if len(a.Results) != len(b.Results) {
		return fmt.Sprintf("%d results, not %d", len(b.Results), len(a.Results))
	}
	for i := range a.Sent {
		if a.Sent[i] != b.Sent[i] {
			return fmt.Sprintf("frame %d is taken in other cycles: %+v, %+v", i, a.Sent[i], b.Sent[i])
		}
	}
	for i := range a.Results {
		x, y := &a.Results[i], &b.Results[i]
		if x.Frame != y.Frame || x.First != y.First || x.Last != y.Last || len(x.Bytes) != len(y.Bytes) {
			return fmt.Sprintf("result %d: of frame %d in cycles %d to %d; of frame %d in %d to %d", i, x.Frame, x.First, x.Last,
				y.Frame, y.First, y.Last)
		}
	}
	return ""
}

// sameResults says which result differs, of the frames that are chosen.
func sameResults(st *workload.Stimulus, a, b *workload.Outcome, chosen func(*workload.Frame) bool) string {
	if s := sameCycles(a, b); s != "" {
		return s
	}
	for i := range a.Results {
		f := a.Results[i].Frame
		if (f < 0 || chosen(&st.Frames[f])) && !bytes.Equal(a.Results[i].Bytes, b.Results[i].Bytes) {
			return fmt.Sprintf("result %d, of frame %d: %x, %x", i, f, a.Results[i].Bytes, b.Results[i].Bytes)
		}
	}
	return ""
}

// timeDependsOnNoSecret runs random traffic twice, with other keys, IVs, tags and data: every cycle is the same.
func timeDependsOnNoSecret(t *testing.T, s *sim.Simulator, frames int, seed int64) string {
	t.Helper()
	for k := range 2 {
		st := randomTraffic(s.D, frames, seed+int64(k))
		if k == 1 {
			Stalls(st)
		}
		a, err := s.Run(st)
		require.NoError(t, err)
		b, err := s.Run(twin(st, seed, func(*workload.Frame) bool { return true }))
		require.NoError(t, err)
		if bad := sameCycles(a, b); bad != "" {
			return bad
		}
	}
	return ""
}

// keysLeaveThroughTheCipher runs traffic twice with other keys. The cores of cluster leak give the same for all keys, so
// their results are the same to the bit, or a key has gone another way.
func keysLeaveThroughTheCipher(t *testing.T, s *sim.Simulator) string {
	t.Helper()
	st := randomTraffic(s.D, 500, 3)
	a, err := s.Run(st)
	require.NoError(t, err)
	b, err := s.Run(twin(st, 4, isLoad))
	require.NoError(t, err)
	if len(a.Violations) > 0 { // a result too many, of a key generation
		return a.Violations[0]
	}
	return sameResults(st, a, b, func(f *workload.Frame) bool { return f.Header().Cluster == 2 })
}

// jobsAreApart runs traffic twice with other bytes in some jobs. The results of all others are the same.
func jobsAreApart(t *testing.T, s *sim.Simulator, seed int64, other func(*workload.Frame) bool) string {
	t.Helper()
	for k := range int64(3) {
		st := randomTraffic(s.D, 700, seed+k)
		a, err := s.Run(st)
		require.NoError(t, err)
		b, err := s.Run(twin(st, seed+1, other))
		require.NoError(t, err)
		if bad := sameResults(st, a, b, func(f *workload.Frame) bool { return !other(f) }); bad != "" {
			return bad
		}
	}
	return ""
}

// snapshot runs a stimulus and reads all registers and memories at its end.
func snapshot(t *testing.T, s sim.Simulator, st *workload.Stimulus) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "end.vcd")
	s.Args = append(slices.Clone(s.Args), "+snapshot="+file)
	_, err := s.Run(st)
	require.NoError(t, err)
	return readSnapshot(t, file)
}

// readSnapshot reads the values of a VCD file of one moment.
func readSnapshot(t *testing.T, file string) map[string]string {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	var scope []string
	names := map[string][]string{}
	out := map[string]string{}
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		w := strings.Fields(in.Text())
		switch {
		case len(w) == 0:
		case w[0] == "$scope":
			scope = append(scope, w[2])
		case w[0] == "$upscope":
			scope = scope[:len(scope)-1]
		case w[0] == "$var":
			names[w[3]] = append(names[w[3]], strings.Join(append(slices.Clone(scope), w[4]), "."))
		case w[0][0] == 'b' && len(w) == 2:
			for _, n := range names[w[1]] {
				out[n] = w[0]
			}
		case w[0][0] == '0' || w[0][0] == '1':
			for _, n := range names[w[0][1:]] {
				out[n] = w[0][:1]
			}
		}
	}
	require.NoError(t, in.Err())
	require.Greater(t, len(out), 3000)
	return out
}

// leftBehind are the registers and memory words that differ after runs with other keys, IVs, tags and data, of those
// whose names contain a text.
func leftBehind(t *testing.T, s *sim.Simulator, st *workload.Stimulus, text string) []string {
	t.Helper()
	a := snapshot(t, *s, st)
	b := snapshot(t, *s, twin(st, 9, func(*workload.Frame) bool { return true }))
	return differences(t, a, b, text)
}

// differences are the names that contain a text and have another value in the other snapshot.
func differences(t *testing.T, a, b map[string]string, text string) []string {
	t.Helper()
	require.Len(t, b, len(a))
	var l []string
	for n := range a {
		if a[n] != b[n] && strings.Contains(n, text) {
			l = append(l, n)
		}
	}
	slices.Sort(l)
	return l
}

// cutOff is traffic that a clear or a reset ends while packets are in every stage.
func cutOff(d *design.Design, kind workload.EventKind, seed int64) *workload.Stimulus {
	g := workload.NewFrameGen(d, seed)
	g.LoadAll()
	first := len(g.Frames)
	g.RandomFrames(120)
	at := first + 90
	for g.Frames[at].Beats != nil || len(g.Frames[at].Bytes) < 48 {
		at++
	}
	g.Events = append(g.Events, workload.Event{Kind: kind, Frame: at, Beat: 24 * 8 / d.DataW, Length: 1, SkipTo: len(g.Frames)})
	return g.Stimulus(seed)
}

// secretCheck is a check for faults of a kind: what it finds, "" for nothing.
type secretCheck struct {
	name, kind string
	check      func(*sim.Simulator) string
}

func secretChecks(t *testing.T) []secretCheck {
	scrubbed := func(s *sim.Simulator) string {
		for _, kind := range []workload.EventKind{workload.EventClear, workload.EventReset} {
			for seed := range int64(3) {
				if l := leftBehind(t, s, cutOff(s.D, kind, 20+seed), ""); len(l) > 0 {
					return fmt.Sprintf("after event %d: %v", kind, l)
				}
			}
		}
		return ""
	}
	ended := func(s *sim.Simulator) string {
		p, err := workload.NewPlan(s.D, workload.RandomJobs(s.D, 100, 2))
		require.NoError(t, err)
		if l := leftBehind(t, s, p.Stimulus(s.D), "u_chain_store.u_ram.u_ram.mem"); len(l) > 0 {
			return fmt.Sprint(l)
		}
		return ""
	}
	return []secretCheck{
		{"time", "time", func(s *sim.Simulator) string { return timeDependsOnNoSecret(t, s, 400, 1) }},
		{"key", "key", func(s *sim.Simulator) string { return keysLeaveThroughTheCipher(t, s) }},
		{"job", "job", func(s *sim.Simulator) string {
			return jobsAreApart(t, s, 6, func(f *workload.Frame) bool { return f.TID == 0 })
		}},
		// of one requester: the keys are the same
		{"task", "job", func(s *sim.Simulator) string {
			return jobsAreApart(t, s, 12, func(f *workload.Frame) bool { return f.Header().Task%2 == 1 && !isLoad(f) })
		}},
		{"end", "end", ended},
		{"scrub", "scrub", scrubbed},
	}
}

// checkSecrets runs all checks on a design, and on it with each of its faults made real.
func checkSecrets(t *testing.T, s *sim.Simulator, faults []fault) {
	t.Helper()
	for _, c := range secretChecks(t) {
		t.Run(c.name, func(t *testing.T) {
			require.Empty(t, c.check(s))
			places := faultPlace(faults, c.kind)
			require.Equal(t, faults == nil, places == nil)
			for _, n := range places {
				mask := 1 << n
				if c.kind == "job" { // a chaining value that is scrubbed tells nothing, whoever reads it
					mask |= 1 << faultPlace(faults, "end")[0]
				}
				x := *s
				x.Args = []string{fmt.Sprintf("+fault=%d", mask)}
				bad := c.check(&x)
				assert.NotEmpty(t, bad, "not seen: %+v", faults[n])
				t.Logf("%+v: %.300s", faults[n], bad)
			}
		})
	}
}

// Nothing that a tenant brought is left after clear or reset, in any register or memory of the design: two runs with
// other keys, IVs, tags and data end in the same state. The chaining values are gone when their jobs have ended.
// And a result tells nothing of a key but through the cipher, nor of another job; time tells nothing of either.
func TestSecrets(t *testing.T) {
	needTools(t)
	checkSecrets(t, secretSim(t, secretDesign, secretFaults...), secretFaults)
}

// The same on other lanes, balancers and widths; wide has 256-bit keys in the cluster that the keys' check looks at.
func TestSecretsOfOtherDesigns(t *testing.T) {
	needTools(t)
	for _, x := range []struct {
		name, width, scheduler, leak string
		faults                       []fault
	}{
		{"serial", "data_width = 64", "lane = \"serial\"\nbalancer = \"scan\"", "aes128", serialFaults},
		{"wide", "data_width = 128", "bind = \"job\"", "aes256", nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(secretDesign, "data_width = 32", x.width, 1)
			text = strings.Replace(text, "\"aes128\"", "\""+x.leak+"\"", 1)
			text = strings.Replace(text, "\n\n", "\n\n[scheduler]\n"+x.scheduler+"\n\n", 1)
			checkSecrets(t, secretSim(t, text, x.faults...), x.faults)
		})
	}
}
