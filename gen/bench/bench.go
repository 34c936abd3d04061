// SPDX-License-Identifier: Apache-2.0

// Package bench measures generated designs under Verilator: idle beats, efficiency, latency, in cycles and counts.
package bench

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"hwgen/gen/cipher"
	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/emit"
	"hwgen/gen/sched"
	"hwgen/gen/sim"
	"hwgen/gen/verify"
	"hwgen/gen/workload"
)

// Options of a measurement.
type Options struct {
	Default  []byte // the embedded default config
	Version  string
	Only     string // measure what has this in its name
	Progress func(done, total int, what string)
	Note     func(format string, args ...any)
}

// Row is one figure.
type Row struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Want  string  `json:"want,omitempty"` // what it must reach
	OK    bool    `json:"ok"`
	Note  string  `json:"note,omitempty"`
}

// Report is all figures.
type Report struct {
	OK   bool  `json:"ok"`
	Rows []Row `json:"rows"`
}

type bench struct {
	Options
	ctx context.Context
	rep Report
}

func (b *bench) emit(name, text string) (*design.Design, emit.Output, error) {
	c, err := config.Parse(name, ".", []byte(text))
	if err != nil {
		return nil, nil, err
	}
	d, err := design.Elaborate(c)
	if err != nil {
		return nil, nil, err
	}
	out, err := emit.Emit(d, emit.Options{Version: b.Version, ConfigHash: c.Hash, SourcePath: c.SourcePath})
	return d, out, err
}

func (b *bench) build(name, text string, trace bool) (*sim.Simulator, error) {
	d, out, err := b.emit(name, text)
	if err != nil {
		return nil, err
	}
	return sim.Build(b.ctx, d, out, sim.Options{Trace: trace, Note: b.Note})
}

func (b *bench) row(r Row) {
	b.rep.Rows = append(b.rep.Rows, r)
	b.rep.OK = b.rep.OK && r.OK
}

type measurement struct {
	name string
	do   func(*bench) error
}

// Run measures.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Note == nil {
		o.Note = func(string, ...any) {}
	}
	b := &bench{Options: o, ctx: ctx, rep: Report{OK: true, Rows: []Row{}}}
	all := []measurement{
		{"generation", (*bench).generation},
		{"idle beats", (*bench).idleBeats},
		{"saturation", (*bench).saturation},
		{"chained jobs", (*bench).chained},
		{"latency", (*bench).latency},
		{"simulation speed", (*bench).speed},
	}
	var chosen []measurement
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = m.name
		if o.Only == "" || strings.Contains(m.name, o.Only) {
			chosen = append(chosen, m)
		}
	}
	if len(chosen) == 0 {
		return nil, diag.Usage("-only %s: nothing has that in its name; %s", o.Only, diag.Allowed(o.Only, names))
	}
	for i, m := range chosen {
		if o.Progress != nil {
			o.Progress(i, len(chosen), m.name)
		}
		if err := m.do(b); err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return &b.rep, nil
}

// generation times 16 clusters of 16 cores.
func (b *bench) generation() error {
	algs := []struct {
		alg   string
		kinds []string
	}{
		{"aes128", []string{"aes128_16sbox*8", "aes128_4sbox*8"}},
		{"aes256", []string{"aes256_8sbox*8", "aes256_4sbox*8"}},
		{"sm4", []string{"sm4_1round*8", "sm4_4round*8"}},
	}
	var cs []verify.Cluster
	for i := range 16 {
		a := algs[i%3]
		cs = append(cs, verify.Cluster{Algorithm: a.alg, Kinds: a.kinds, Choose: 32})
	}
	text := verify.ConfigText("big", 128, 64, 256, cs...)
	best := math.Inf(1)
	for range 3 {
		t := time.Now()
		if _, _, err := b.emit("big.toml", text); err != nil {
			return err
		}
		best = min(best, time.Since(t).Seconds())
	}
	b.row(Row{"generate 16 clusters x 16 cores", best, "s", "< 0.5", best < 0.5, "best of 3, in memory"})
	return nil
}

// run runs a stimulus and fails on anything that the monitors or the model find wrong.
func (b *bench) run(s *sim.Simulator, st *workload.Stimulus) (*workload.Outcome, error) {
	o, err := s.RunFiles(b.ctx, st, "", "")
	if err != nil {
		return nil, err
	}
	return o, faults(o)
}

func faults(o *workload.Outcome) error {
	if len(o.Violations) > 0 {
		return fmt.Errorf("the run is not right: %s", o.Violations[0])
	}
	return nil
}

// idleBeats sends as many frames as there are slots back to back, of every size.
func (b *bench) idleBeats() error {
	for _, w := range []int{32, 64, 128} {
		s, err := b.build("idle.toml", verify.ConfigText("idle", w, 64, 64, verify.Cluster{Algorithm: "aes128", Kinds: []string{"aes128_16sbox*2"}, Choose: 16}), false)
		if err != nil {
			return err
		}
		worst, inside, note := 0, uint64(0), ""
		for size := 0; size <= 64; size += 16 {
			for _, mode := range []cipher.Mode{cipher.ECB, cipher.CTR} {
				g := workload.NewFrameGen(s.D, 1)
				key := g.Load(0, 0, 0, 0, g.Random(16))
				g.Add(key)
				g.Wait()
				begin, beats := len(g.Frames), 0
				for range s.D.Slots {
					h := workload.Header{Cluster: 0, Mode: mode}
					var iv []byte
					if mode == cipher.CTR {
						iv = g.Random(16)
					}
					if size == 0 { // header only
						h = workload.Header{Cluster: 0, Cmd: cipher.Abort, Task: 7}
						iv = nil
					}
					f := workload.Frame{Bytes: workload.Pack(h, iv, g.Random(size))}
					beats += len(workload.Beatify(f.Bytes, s.D.KeepW))
					g.Add(f)
				}
				st := g.Stimulus(1)
				st.Frames[begin].Arrival = 3000 // well after the key is loaded
				o, err := b.run(s, st)
				if err != nil {
					return err
				}
				last := len(g.Frames) - 1
				idle := int(o.Sent[last].Last-o.Sent[begin].First) + 1 - beats
				if idle > worst {
					worst = idle
					note = fmt.Sprintf("%s, %d bytes: %d idle beats in %d frames", mode, size, idle, s.D.Slots)
				}
				inside += o.Counters.IdleInResult
			}
		}
		b.row(Row{fmt.Sprintf("idle beats between back-to-back frames, %d bits", w), float64(worst), "beats", "0", worst == 0, note})
		b.row(Row{fmt.Sprintf("idle beats inside results, %d bits", w), float64(inside), "beats", "0", inside == 0, ""})
	}
	return nil
}

// rates are the blocks a cycle of each cluster for a command.
func rates(d *design.Design, op int) (each []float64, sum float64) {
	for _, c := range d.Clusters {
		r := 0.0
		for _, co := range c.Cores {
			if co.Cycles[op] > 0 {
				r += 1 / float64(co.Cycles[op])
			}
		}
		each = append(each, r)
		sum += r
	}
	return each, sum
}

// rate is what is counted, blocks or bytes, a cycle in the middle of a run: between the results at 20 and at 80 %.
func rate(o *workload.Outcome, count func(frame int) int) float64 {
	type done struct {
		cycle uint64
		n     int
	}
	var l []done
	for i := range o.Results {
		if n := count(o.Results[i].Frame); n > 0 {
			l = append(l, done{o.Results[i].Last, n})
		}
	}
	sort.Slice(l, func(i, j int) bool { return l[i].cycle < l[j].cycle })
	if len(l) < 10 {
		return 0
	}
	a, z := len(l)/5, len(l)*4/5
	n := 0
	for _, x := range l[a+1 : z+1] {
		n += x.n
	}
	return float64(n) / float64(l[z].cycle-l[a].cycle)
}

// saturate feeds full ECB packets, clusters in proportion to their rates.
func (b *bench) saturate(name string, s *sim.Simulator) error {
	d := s.D
	each, sum := rates(d, design.Encrypt)
	g := workload.NewFrameGen(d, 1)
	for c, cl := range d.Clusters {
		g.Add(g.Load(c, 0, 0, 0, g.Random(cl.KeyBytes)))
	}
	g.Wait()
	owed := make([]float64, len(each))
	const packets = 6000
	first := len(g.Frames)
	for range packets {
		c := 0
		for i := range owed {
			owed[i] += each[i] / sum
			if owed[i] > owed[c] {
				c = i
			}
		}
		owed[c]--
		h := workload.Header{Cluster: uint8(c), Mode: cipher.ECB}
		g.Add(workload.Frame{Bytes: workload.Pack(h, nil, g.Random(d.PktBytes))})
	}
	o, err := b.run(s, g.Stimulus(1))
	if err != nil {
		return err
	}
	got := rate(o, func(f int) int {
		if f < first {
			return 0
		}
		return d.PktBlocks
	})
	stream := float64(d.PktBlocks) / float64(d.BPB*(d.PktBlocks+1)) // a header, then the payload
	limit := min(stream, sum)
	e := 100 * got / limit
	note := fmt.Sprintf("%.4f of %.4f blocks a cycle (stream %.4f, cores %.4f)", got, limit, stream, sum)
	byCore := map[[2]int]int{}
	for i := range o.Results {
		x := &o.Results[i]
		if f := x.Frame; f >= first+packets/5 && f < first+packets*4/5 {
			byCore[[2]int{int(g.Frames[f].Header().Cluster), int(x.Header().KeySlot)}] += d.PktBlocks
		}
	}
	span := float64(o.Sent[first+packets*4/5].First - o.Sent[first+packets/5].First)
	for c, cl := range d.Clusters {
		if len(d.Clusters) == 1 {
			break
		}
		note += "; " + cl.Name + " cores busy"
		for j, co := range cl.Cores {
			note += fmt.Sprintf(" %.0f", 100*float64(byCore[[2]int{c, j}]*co.Cycles[design.Encrypt])/span)
		}
		note += " %"
	}
	b.row(Row{name, e, "%", ">= 98", e >= 98, note})
	return nil
}

func (b *bench) saturation() error {
	s, err := b.build("default.toml", string(b.Default), false)
	if err != nil {
		return err
	}
	if err := b.saturate("saturation, default design", s); err != nil {
		return err
	}
	s, err = b.build("sixteen.toml", verify.ConfigText("sixteen", 128, 64, 64, verify.Cluster{Algorithm: "aes128", Kinds: []string{"aes128_4sbox*16"}, Choose: 16}), false)
	if err != nil {
		return err
	}
	return b.saturate("saturation, 16 x aes128_4sbox", s)
}

// chained runs CBC jobs alone, so many open at a time for each core.
func (b *bench) chained() error {
	like := []string{"aes128_8sbox*4"}
	unlike := []string{"aes128_16sbox*2", "aes128_4sbox*2"}
	for _, x := range []struct {
		name   string
		kinds  []string
		open   int
		window int // packets of a job in flight that the sender allows itself; 0: no bound
		want   float64
	}{
		{"4 like cores, 4 open jobs a core", like, 16, 2, 95},
		{"4 like cores, 2 open jobs a core", like, 8, 2, 85},
		{"2 fast and 2 slow cores, 4 open jobs a core", unlike, 16, 2, 0},
		{"2 fast and 2 slow cores, 2 open jobs a core", unlike, 8, 2, 0},
		{"4 like cores, 4 open jobs a core, no window", like, 16, 0, 0},
		{"4 like cores, 2 open jobs a core, no window", like, 8, 0, 0},
		{"2 fast and 2 slow cores, 4 open jobs a core, no window", unlike, 16, 0, 0},
		{"2 fast and 2 slow cores, 2 open jobs a core, no window", unlike, 8, 0, 0},
	} {
		s, err := b.build("chained.toml", verify.ConfigText("chained", 128, 64, 64, verify.Cluster{Algorithm: "aes128", Kinds: x.kinds, Choose: x.open}), false)
		if err != nil {
			return err
		}
		d := s.D
		r := rand.New(rand.NewSource(1))
		bytesOf := func(n int) []byte { o := make([]byte, n); r.Read(o); return o }
		key := bytesOf(16)
		var jobs []workload.Job
		for i := range x.open * 12 {
			jobs = append(jobs, workload.Job{
				ID: uint32(i), Cmd: cipher.Encrypt, Mode: cipher.CBC, Key: key, IV: bytesOf(16),
				Data: bytesOf(64 * (12 + r.Intn(9))),
			})
		}
		p, err := workload.NewPlan(d, jobs)
		if err != nil {
			return err
		}
		if x.window > 0 {
			for _, l := range p.ByJob {
				for n := x.window; n < len(l); n++ {
					f := &p.Frames[l[n]]
					f.AfterResult = append(f.AfterResult, l[n-x.window])
				}
			}
		}
		o, err := b.run(s, p.Stimulus(d))
		if err != nil {
			return err
		}
		got := rate(o, func(f int) int {
			if p.Frames[f].Job < 0 {
				return 0
			}
			return int(p.Frames[f].Header().Length) / 16
		})
		_, sum := rates(d, design.Encrypt)
		e := 100 * got / sum
		want := ""
		if x.want > 0 {
			want = fmt.Sprintf(">= %.0f", x.want)
		}
		b.row(Row{"chained only, " + x.name, e, "%", want, e >= x.want, fmt.Sprintf("%.4f of %.4f blocks a cycle", got, sum)})
	}
	return nil
}

// latency is from a packet's last beat into an idle scheduler to its first block in a core.
func (b *bench) latency() error {
	extra := map[int]int{128: 0, 64: 4, 32: 8}
	for _, n := range []int{1, 3, 4, 16} {
		for _, w := range []int{128, 64, 32} {
			s, err := b.build("latency.toml", verify.ConfigText("latency", w, 32, 8,
				verify.Cluster{Algorithm: "aes128", Kinds: []string{fmt.Sprintf("aes128_4sbox*%d", n)}, Choose: 4}), true)
			if err != nil {
				return err
			}
			worst := 0
			for _, mode := range []cipher.Mode{cipher.ECB, cipher.CBC, cipher.CTR} {
				c, err := b.latencyOf(s, mode)
				if err != nil {
					return err
				}
				worst = max(worst, c)
			}
			limit := 14 + int(math.Ceil(math.Log2(float64(n)))) + extra[w]
			b.row(Row{
				fmt.Sprintf("last beat to first block in a core, N = %d, %d bits", n, w), float64(worst), "cycles",
				fmt.Sprintf("<= %d", limit), worst <= limit, "",
			})
		}
	}
	return nil
}

func (b *bench) latencyOf(s *sim.Simulator, mode cipher.Mode) (int, error) {
	g := workload.NewFrameGen(s.D, 1)
	g.Add(g.Load(0, 0, 0, 0, g.Random(16)))
	h := workload.Header{Mode: mode, Flags: workload.FlagLast, Task: 1}
	var iv []byte
	if mode != cipher.ECB {
		iv = g.Random(16)
	}
	g.Wait()
	g.Add(workload.Frame{Arrival: 5000, Bytes: workload.Pack(h, iv, g.Random(32))})
	dir, err := os.MkdirTemp("", "hwgen-bench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	raw := filepath.Join(dir, "trace.bin")
	st := g.Stimulus(1)
	o, err := s.RunFiles(b.ctx, st, raw, "")
	if err != nil {
		return 0, err
	}
	if err := faults(o); err != nil {
		return 0, err
	}
	t, err := os.ReadFile(raw)
	if err != nil {
		return 0, err
	}
	at := uint64(0)
	if err := sim.ReadTrace(bytes.NewReader(t), s.D, st.Frames, o, func(e *sim.Event) error {
		if e.Kind == sched.EventStart && at == 0 {
			at = e.Cycle
		}
		return nil
	}); err != nil {
		return 0, err
	}
	if at == 0 {
		return 0, fmt.Errorf("no packet was started")
	}
	return int(at - o.Sent[1].Last), nil
}

// speed simulates the default design under random jobs.
func (b *bench) speed() error {
	s, err := b.build("default.toml", string(b.Default), false)
	if err != nil {
		return err
	}
	p, err := workload.NewPlan(s.D, workload.RandomJobs(s.D, 10000, 1))
	if err != nil {
		return err
	}
	best := 0.0
	for range 3 {
		o, err := b.run(s, p.Stimulus(s.D))
		if err != nil {
			return err
		}
		best = max(best, float64(o.Counters.Cycles)/o.Counters.CPUSeconds/1e6)
	}
	b.row(Row{"simulation of the default design", best, "Mcycles/s", ">= 1", best >= 1, "best of 3, random jobs"})
	return nil
}

// Table is the report as text.
func (r *Report) Table() string {
	var b strings.Builder
	for _, x := range r.Rows {
		verdict := "ok"
		if !x.OK {
			verdict = "MISSED"
		}
		if x.Want == "" {
			verdict = ""
		}
		v := fmt.Sprintf("%.4g", x.Value)
		if x.Unit == "%" {
			v = fmt.Sprintf("%.1f", x.Value)
		}
		fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("%-58s %8s %-10s %-8s %-7s %s", x.Name, v, x.Unit, x.Want, verdict, x.Note), " "))
	}
	return b.String()
}
