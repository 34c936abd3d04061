// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/cipher"
	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/paper"
	"hwgen/gen/sched"
	"hwgen/gen/workload"
)

const twoClusters = `
[design]
name = "quad"
packet_bytes = 64
[[cluster]]
name = "aes"
algorithm = "aes128"
[[cluster.core]]
kind = "aes128_16sbox"
count = 2
[[cluster]]
name = "sm"
algorithm = "sm4"
[[cluster.core]]
kind = "sm4_1round"
decrypt = false
`

func testDesign(t testing.TB, text string) *design.Design {
	t.Helper()
	c, err := config.Parse("test.toml", t.TempDir(), []byte(text))
	require.NoError(t, err)
	d, err := design.Elaborate(c)
	require.NoError(t, err)
	return d
}

func drain(t testing.TB, s Source) []sched.Packet {
	t.Helper()
	var out []sched.Packet
	var p sched.Packet
	for s.Next(&p) {
		out = append(out, p)
	}
	require.NoError(t, s.Err())
	require.NoError(t, s.Close())
	return out
}

func open(t testing.TB, spec string, d *design.Design) []sched.Packet {
	t.Helper()
	s, err := Open(spec, d)
	require.NoError(t, err, spec)
	return drain(t, s)
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// wellFormed checks what holds for every stream: order of arrivals, numbers, one class a job, one last packet, lengths.
func wellFormed(t testing.TB, ps []sched.Packet, d *design.Design) {
	t.Helper()
	type state struct {
		next int
		p    sched.Packet
		done bool
	}
	jobs := map[uint64]*state{}
	loaded := map[int]bool{}
	at := int64(0)
	for i, p := range ps {
		check := func(ok bool, what string) {
			if !ok {
				require.FailNow(t, what, "packet %d: %+v", i, p)
			}
		}
		check(p.Arrival >= at, "before its predecessor")
		at = p.Arrival
		if p.Load {
			loaded[p.Cluster] = true
			continue
		}
		check(loaded[p.Cluster], "before its key")
		j := jobs[p.Job]
		if j == nil {
			j = &state{p: p}
			jobs[p.Job] = j
		}
		check(!j.done, "behind the last of its job")
		check(j.next == p.No, "number")
		check(j.p.Cluster == p.Cluster && j.p.Op == p.Op && j.p.Mode == p.Mode && j.p.Chained == p.Chained &&
			j.p.Inverse == p.Inverse, "changes inside its job")
		j.next++
		j.done = p.Last
		m := cipher.Mode(p.Mode)
		check(workload.Supports(d.Clusters[p.Cluster], cipher.Cmd(p.Op), m), "not supported")
		check(m.Chained() == p.Chained, "chained")
		check((p.Bytes+15)/16 == p.Blocks, "blocks")
		check(p.Bytes > 0 && p.Bytes <= d.PktBytes, "length")
		check(p.Bytes%16 == 0 || p.Last && shortLast(m), "whole blocks")
	}
	for n, j := range jobs {
		require.True(t, j.done, "job %d has no last packet", n)
	}
}

var generators = []string{
	"spaced:packets=2000",
	"saturated:packets=2000,seed=7,chained=1",
	"bursty:packets=2000,gap=11.5,burst=20,ops=encrypt:3/sign:1",
	"poisson:packets=2000,load=0.5,length=16-64,job=1-3/20,interleaved=5",
	"poisson:packets=1999,modes=cbc/ctr:2/mac,length=16:3/64,clusters=aes",
	"spaced:packets=3,job=1000",
	"saturated:packets=1,seed=0",
	"spaced:packets=500,interleaved=1,clusters=sm,ops=decrypt/verify,chained=0.5,gap=0",
}

func TestGeneratorsAreWellFormed(t *testing.T) {
	d := testDesign(t, twoClusters)
	for _, spec := range generators {
		ps := open(t, spec, d)
		wellFormed(t, ps, d)
		n := 0
		for _, p := range ps {
			if !p.Load {
				n++
			}
		}
		w, err := Parse(spec, d)
		require.NoError(t, err)
		require.Equal(t, w.gen.packets, int64(n), spec)
		require.Equal(t, ps, open(t, spec, d), "the same again")
		if n > 10 {
			s, err := w.Seeded(99).Open()
			require.NoError(t, err)
			require.NotEqual(t, ps, drain(t, s))
		}
	}
}

// What a generator is asked for is what comes out, within four standard deviations.
func TestGeneratorStatistics(t *testing.T) {
	d := testDesign(t, twoClusters)
	const n = 40000
	ps := open(t, fmt.Sprintf("poisson:packets=%d,gap=12.5,chained=0.4,ops=encrypt:3/decrypt:1,clusters=aes:4/sm:1,length=16:1/32-64:3", n), d)
	var jobs, chained, decrypt, sm, bytes float64
	open, most := map[uint64]bool{}, 0
	sizes := map[int]int{}
	for _, p := range ps {
		if p.Load {
			continue
		}
		open[p.Job] = true
		most = max(most, len(open))
		if p.Last {
			delete(open, p.Job)
			sizes[p.No+1]++
		}
		if p.No == 0 {
			jobs++
			if p.Chained {
				chained++
			}
			if p.Op == design.Decrypt {
				decrypt++
			}
			if p.Cluster == 1 {
				sm++
			}
		}
		bytes += float64(p.Bytes)
	}
	near := func(want, got, sd float64, what string) {
		require.InDelta(t, want, got, 4*sd, what)
	}
	share := func(p float64) float64 { return math.Sqrt(p * (1 - p) / jobs) }
	near(0.4, chained/jobs, share(0.4), "chained")
	near(0.25, decrypt/jobs, share(0.25), "decrypt")
	near(0.2, sm/jobs, share(0.2), "cluster")
	near(40, bytes/n, 20/math.Sqrt(n), "length")
	near(12.5*n, float64(ps[len(ps)-1].Arrival), 12.5*math.Sqrt(n), "arrivals")
	require.Equal(t, 16, most)
	for k := 1; k <= 10; k++ {
		near(0.1, float64(sizes[k])/jobs, share(0.1), "packets a job")
	}
}

// Jobs are open up to the workload's end, which cuts them: each has its last packet there.
func TestJobsStayOpen(t *testing.T) {
	d := testDesign(t, twoClusters)
	count := func(spec string, from int) (jobs, begun int) {
		ps := slices.DeleteFunc(open(t, spec, d), func(p sched.Packet) bool { return p.Load })
		for i, p := range ps {
			if p.No == 0 {
				jobs++
				if i >= from {
					begun++
				}
			}
		}
		return jobs, begun
	}
	jobs, _ := count("saturated:packets=1000,job=1000,interleaved=16,chained=1", 0)
	require.Equal(t, 16, jobs)
	jobs, _ = count("saturated:packets=1000,job=1000,interleaved=1,chained=1", 0)
	require.Equal(t, 1, jobs)
	_, begun := count("saturated:packets=2000,chained=1", 1920) // 80 packets, 5.5 a job
	require.InDelta(t, 80/5.5, begun, 12)
}

// The regimes of hwgen paper are these generators: as many jobs begin, as many of them are cut at the end, and as many
// packets of a job are behind each other.
func TestGeneratorsAreTheRegimes(t *testing.T) {
	d := testDesign(t, twoClusters)
	const draws = 200
	gen, err := Parse("spaced:gap=5,packets=600,ops=encrypt,modes=cbc/ecb", d)
	require.NoError(t, err)
	regime := &paper.Workload{Cores: 1, Times: "1t", T: [2]int{16, 36}, Cap: 200, Packets: 600, Gap: 5, Chained: .5}
	figures := func(ps []sched.Packet) (v [3]float64) {
		last := map[uint64]sched.Packet{}
		at := map[uint64]int{}
		for i, p := range ps {
			if b, ok := at[p.Job]; ok && b == i-1 {
				v[2]++
			}
			last[p.Job], at[p.Job] = p, i
		}
		v[0] = float64(len(last))
		for _, p := range last {
			v[1] += float64(p.No)
		}
		v[1] /= v[0]
		return v
	}
	var sum, square [3]float64 // of the differences
	for i := range uint64(draws) {
		src, err := gen.Seeded(i).Open()
		require.NoError(t, err)
		ps := slices.DeleteFunc(drain(t, src), func(p sched.Packet) bool { return p.Load })
		ref, err := regime.Draw(rand.New(rand.NewPCG(i, 5)))
		require.NoError(t, err)
		is, want := figures(ps), figures(ref.Packets)
		for k := range is {
			sum[k] += is[k] - want[k]
			square[k] += (is[k] - want[k]) * (is[k] - want[k])
		}
	}
	for k, what := range []string{"jobs", "packets a job", "packets behind one of their job"} {
		mean := sum[k] / draws
		require.InDelta(t, 0, mean, 4*math.Sqrt((square[k]/draws-mean*mean)/draws), what)
	}
}

func TestExponential(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 200000
	sum, square, above := 0.0, 0.0, 0.0
	for range n {
		x := exponential(r)
		require.GreaterOrEqual(t, x, 0.0)
		sum, square = sum+x, square+x*x
		if x > 2 {
			above++
		}
	}
	p := math.Exp(-2)
	require.InDelta(t, 1, sum/n, 4/math.Sqrt(n))
	require.InDelta(t, 2, square/n, 4*math.Sqrt(20./n))
	require.InDelta(t, p, above/n, 4*math.Sqrt(p*(1-p)/n))
}

// The same text gives the same packets on every machine, whether it fuses products and sums or not (GOAMD64=v3 does): to
// the last bit of the gap and of the last arrival, before it is cut to whole cycles.
func TestGeneratorsEverywhere(t *testing.T) {
	d := testDesign(t, "design.packet_bytes = 256\nscheduler.lane = \"serial\"\n"+strings.Split(twoClusters, "packet_bytes = 64")[1])
	for spec, want := range map[string]string{
		"spaced:packets=3000,load=0.7,length=16:0.1/32-256:0.7,chained=0.3": "9d0aa4caac245604 0x1.1c43ba109049ap+06 0x0p+00",
		"bursty:packets=3000,gap=11.3":                                      "e0663e4349e1686c 0x1.699999999999ap+03 0x0p+00",
		"poisson:packets=3000,load=0.9,modes=ctr:0.3/cbc:0.9/mac:0.1":       "681398bb6e1a21d0 0x1.e9cc5bce63458p+06 0x1.6ff4072b8a92dp+18",
		"saturated:packets=3000,clusters=aes:0.3/sm:0.1,job=40":             "45c12237a6f98c05 0x0p+00 0x0p+00",
	} {
		w, err := Parse(spec, d)
		require.NoError(t, err)
		g := newGenerated(&w.gen)
		h := fnv.New64a()
		require.NoError(t, WriteCSV(h, loads(g, d), d))
		require.Equal(t, want, fmt.Sprintf("%016x %x %x", h.Sum64(), w.gen.gap, g.time), spec)
	}
}

func TestArrivals(t *testing.T) {
	d := testDesign(t, twoClusters)
	arrivals := func(spec string) (out []int64) {
		for _, p := range open(t, spec, d) {
			if !p.Load {
				out = append(out, p.Arrival)
			}
		}
		return out
	}
	require.Equal(t, []int64{0, 2, 5, 7, 10, 12}, arrivals("spaced:packets=6,gap=2.5"))
	require.Equal(t, []int64{0, 0, 0, 7, 7, 7, 15}, arrivals("bursty:packets=7,gap=2.5,burst=3"))
	require.Equal(t, []int64{0, 0, 0}, arrivals("saturated:packets=3"))
	// load 1 of two AES cores of 11 cycles: 22 cycles a packet of 4 blocks
	require.Equal(t, []int64{0, 22, 44}, arrivals("spaced:packets=3,load=1,clusters=aes"))
	require.Equal(t, []int64{0, 44, 88}, arrivals("spaced:packets=3,load=0.5,clusters=aes"))
	// one cluster of SM4 at 33 cycles
	require.Equal(t, []int64{0, 132, 264}, arrivals("spaced:packets=3,load=1,clusters=sm"))
}

// A job that is not chained has MACs of single packets.
func TestSinglePacketMACs(t *testing.T) {
	d := testDesign(t, twoClusters)
	for _, p := range open(t, "saturated:packets=200,ops=sign/verify,chained=0", d) {
		if !p.Load {
			require.True(t, p.Last)
			require.Zero(t, p.No)
			require.Equal(t, p.Op == design.Verify, p.IV)
		}
	}
}

// The stream that the model sees and the frames that the RTL gets are the same, in the same order.
func TestStreamIsWhatTheSimulationSends(t *testing.T) {
	d := testDesign(t, twoClusters)
	specs := append([]string{}, generators...)
	specs = append(specs, write(t, "w.csv", goodCSV), writeCapture(t, "c.pcap", sampleCapture()))
	for _, spec := range specs {
		w, err := Parse(spec, d)
		require.NoError(t, err)
		s, err := w.Open()
		require.NoError(t, err)
		want := drain(t, s)
		jobs, err := w.Jobs(5)
		require.NoError(t, err)
		plan, err := workload.NewPlan(d, jobs)
		require.NoError(t, err)
		got := drain(t, Frames(plan))
		require.Len(t, got, len(want), spec)
		ids := map[uint64]uint64{}
		for i := range want {
			if !want[i].Load {
				if want[i].No == 0 {
					ids[want[i].Job] = got[i].Job
				}
				require.Equal(t, ids[want[i].Job], got[i].Job, "%s: packet %d", spec, i)
				got[i].Job = want[i].Job
			}
			require.Equal(t, want[i], got[i], "%s: packet %d", spec, i)
		}
		o, err := workload.Fake{D: d}.Run(plan.Stimulus(d))
		require.NoError(t, err)
		rs, err := plan.Join(o)
		require.NoError(t, err)
		require.Empty(t, workload.CheckJobs(d, jobs, rs))
		for _, r := range rs {
			require.Equal(t, "ok", r.Status)
		}
	}
}

func TestJobsFile(t *testing.T) {
	d := testDesign(t, twoClusters)
	jobs := workload.RandomJobs(d, 300, 3)
	var b bytes.Buffer
	require.NoError(t, workload.WriteJobs(&b, d, jobs))
	path := write(t, "jobs.jsonl", b.String())
	ps := open(t, path, d)
	plan, err := workload.NewPlan(d, jobs)
	require.NoError(t, err)
	require.Len(t, ps, len(plan.Frames))
	again, err := Jobs(path, d, 1)
	require.NoError(t, err)
	require.Len(t, again, len(jobs))
}

// Jobs of a workload written as a jobs file keep sizes and arrivals of their packets.
func TestJobsFileKeepsArrivals(t *testing.T) {
	d := testDesign(t, twoClusters)
	jobs, err := Jobs("poisson:packets=300,length=16-64", d, 2)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, workload.WriteJobs(&b, d, jobs))
	again, err := workload.ReadJobs(&b, "j", d)
	require.NoError(t, err)
	for i := range jobs {
		require.Equal(t, jobs[i].Split, again[i].Split)
		require.Equal(t, jobs[i].Arrivals, again[i].Arrivals)
		require.Equal(t, jobs[i].Data, again[i].Data)
	}
}

func TestCSVRoundTrip(t *testing.T) {
	d := testDesign(t, twoClusters)
	for _, spec := range append([]string{writeCapture(t, "c.pcap", sampleCapture())}, generators...) {
		s, err := Open(spec, d)
		require.NoError(t, err)
		var a bytes.Buffer
		sum := NewSummary(d)
		require.NoError(t, WriteCSV(&a, sum.Count(s), d))
		require.Equal(t, int64(strings.Count(a.String(), "\n")-1), sum.Packets)
		path := write(t, "a.csv", a.String())
		back, first := open(t, path, d), open(t, spec, d)
		wellFormed(t, back, d)
		require.Len(t, back, len(first))
		for i := range back {
			if !back[i].Load {
				back[i].Job = first[i].Job
			}
			require.Equal(t, first[i], back[i])
		}
		s, err = Open(path, d)
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, WriteCSV(&b, s, d))
		require.Equal(t, a.String(), b.String())
	}
}

func TestSpecErrors(t *testing.T) {
	d := testDesign(t, twoClusters)
	for spec, want := range map[string]string{
		"":                                   "workload:1:1: no workload is named",
		"poison":                             `workload:1:1: unknown workload "poison"; did you mean "poisson"? generators: spaced`,
		"table.txt":                          `unknown workload "table.txt"`,
		"poisson:":                           "workload:1:8: no options follow",
		"poisson:packets=5,":                 "workload:1:18: a comma without an option",
		"poisson:pakets=5":                   `workload:1:9: unknown option "pakets" of poisson; did you mean "packets"? (allowed: chained, clusters, gap,`,
		"saturated:gap=5":                    `workload:1:11: unknown option "gap" of saturated`,
		"poisson:packets=0":                  `workload:1:17: packets is "0"; an integer from 1`,
		"poisson:packets=x":                  `packets is "x"`,
		"poisson:packets=5,packets=6":        "workload:1:19: packets is given twice",
		"poisson:gap=-1":                     `gap is "-1"; a number from 0`,
		"poisson:gap=nan":                    `gap is "nan"`,
		"poisson:load=0":                     `load is "0"; a number above 0`,
		"poisson:gap=4,load=0.5":             "workload:1:15: load and gap say the same",
		"poisson:chained=2":                  `chained is "2"; a number from 0 to 1`,
		"poisson:length=0":                   `"0" in length is not allowed; bytes: multiples of 16 from 16 to 64`,
		"poisson:length=80":                  `"80" in length is not allowed`,
		"poisson:length=16-60":               `"16-60" in length is not allowed`,
		"poisson:length=64-16":               `"64-16" in length runs downwards`,
		"poisson:length=a":                   `"a" in length is no number or range`,
		"poisson:length=16:0":                `workload:1:19: the weight of 16 in length is "0"`,
		"poisson:ops=encript":                `unknown name "encript" in ops; did you mean "encrypt"?`,
		"poisson:ops=sign/sign":              "sign is in ops twice",
		"poisson:clusters=aes/smm":           `workload:1:22: unknown name "smm" in clusters; did you mean "sm"?`,
		"poisson:modes=gcm":                  `unknown name "gcm" in modes`,
		"poisson:modes=ctr,chained=0.5":      "workload:1:19: modes say already which jobs are chained",
		"poisson:modes=ctr,ops=sign":         `workload:1:9: cluster "aes" does nothing of ops in mode ctr`,
		"poisson:ops=encrypt/sign,modes=ctr": `workload:1:9: cluster "aes" does no sign in these modes; it does sign in mac`,
		"poisson:packets":                    `workload:1:9: "packets" is no option`,
		"x.csv:packets=5":                    `workload:1:7: unknown option "packets" of csv file; csv file takes no options`,
		"x.pcap:clock=5":                     `workload:1:8: unknown option "clock" of pcap file; allowed: chained, clock_mhz`,
		"x.pcap:clock_mhz=0":                 `clock_mhz is "0"`,
	} {
		_, err := Open(spec, d)
		require.ErrorContains(t, err, want, spec)
		require.Equal(t, diag.ExitUsage, diag.ExitCode(err), spec)
	}
	for _, spec := range []string{"none.csv", "none.jsonl", "none.pcap"} {
		_, err := Open(spec, d)
		require.ErrorContains(t, err, "workload "+spec+": cannot be read: no such file")
		require.Equal(t, diag.ExitUsage, diag.ExitCode(err))
	}
	dir := filepath.Join(t.TempDir(), "x.csv")
	require.NoError(t, os.Mkdir(dir, 0o700))
	_, err := Open(dir, d)
	require.ErrorContains(t, err, "is a folder")
	_, err = Open(write(t, "e.jsonl", "\n"), d)
	require.ErrorContains(t, err, "no jobs in")
}
