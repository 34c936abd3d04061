//go:build calibrate

// SPDX-License-Identifier: Apache-2.0

package sched_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/cipher"
	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/emit"
	"hwgen/gen/sched"
	"hwgen/gen/sim"
	"hwgen/gen/traffic"
	"hwgen/gen/verify"
	"hwgen/gen/workload"
)

func elaborate(t testing.TB, text string) (*design.Design, emit.Output) {
	c, err := config.Parse("d.toml", ".", []byte(text))
	require.NoError(t, err)
	d, err := design.Elaborate(c)
	require.NoError(t, err)
	out, err := emit.Emit(d, emit.Options{Version: "test", ConfigHash: c.Hash, SourcePath: c.SourcePath})
	require.NoError(t, err)
	return d, out
}

type planSource struct {
	sched.Source
	p *workload.Plan
}

func (s planSource) Len() int { return len(s.p.Frames) }
func (s planSource) After(i int) ([]int, []int) {
	return s.p.Frames[i].AfterSent, s.p.Frames[i].AfterResult
}

type times struct{ dispatch, start, end, credit, enter int64 }

// cal runs jobs on the RTL and in the model and prints both.
func cal(t *testing.T, text string, jobs func(d *design.Design) []workload.Job, show int) {
	d, out := elaborate(t, text)
	js := jobs(d)
	plan, err := workload.NewPlan(d, js)
	require.NoError(t, err)
	s, err := sim.Build(context.Background(), d, out, sim.Options{Trace: true, Note: t.Logf})
	require.NoError(t, err)
	raw := t.TempDir() + "/raw"
	o, err := s.RunFiles(context.Background(), plan.Stimulus(d), raw, "")
	require.NoError(t, err)
	require.Empty(t, o.Violations)
	rt := make([]times, len(plan.Frames))
	b, err := os.ReadFile(raw)
	require.NoError(t, err)
	key := map[string]int{}
	for i := range plan.Frames {
		f := &plan.Frames[i]
		h := f.Header()
		key[fmt.Sprint(f.TID, h.Task, h.No, h.Cluster)] = i
	}
	require.NoError(t, sim.ReadTrace(bytes.NewReader(b), d, plan.Frames, o, func(e *sched.Event) error {
		i, ok := key[fmt.Sprint(e.Requester, e.Task, e.No, e.Cluster)]
		if !ok {
			return nil
		}
		switch e.Kind {
		case sched.EventDispatch:
			rt[i].dispatch = int64(e.Cycle)
			if os.Getenv("CALSC") != "" && i < 40 {
				fmt.Println("rtl", i, e.Cycle, e.Op, e.Blocks, e.Bound, e.Scores, e.Full, e.Core)
			}
		case sched.EventStart:
			if rt[i].start == 0 {
				rt[i].start = int64(e.Cycle)
			}
		case sched.EventCredit:
			rt[i].credit = int64(e.Cycle)
		case sched.EventEnqueue:
			rt[i].enter = int64(e.Cycle)
		}
		return nil
	}))
	cfg := sched.FromDesign(d)
	mt := map[string]sched.Completion{}
	cfg.Observe = func(c sched.Completion) { mt[fmt.Sprint(c.Job, c.No)] = c }
	sent, exits := sched.Probe(cfg)
	credits := sched.ProbeCredits(cfg)
	if os.Getenv("CALSC") != "" {
		sched.ProbeScores(cfg)
	}
	r, err := sched.Run(cfg, planSource{traffic.Frames(plan), plan})
	require.NoError(t, err)
	res := map[int]*workload.Result{}
	for i := range o.Results {
		res[o.Results[i].Frame] = &o.Results[i]
	}
	shown, wrong := 0, 0
	var lines []string
	for i := range plan.Frames {
		f := &plan.Frames[i]
		h := f.Header()
		m := mt[fmt.Sprint(uint64(f.TID)<<32|uint64(max(0, f.Job)), f.Seq)]
		if f.Job >= 0 {
			m = mt[fmt.Sprint(uint64(f.TID)<<32|uint64(js[f.Job].ID), f.Seq)]
		}
		if (f.Job < 0 || (*credits)[i] == rt[i].credit) && (*exits)[i] == int64(res[i].Last) && (*sent)[i] == [2]int64{int64(o.Sent[i].First), int64(o.Sent[i].Last)} && (f.Job < 0 || m.Start == rt[i].start && m.Dispatch == rt[i].dispatch) {
			if os.Getenv("CALALL") == "" {
				continue
			}
		} else {
			wrong++
		}
		_ = shown
		first := int64(o.Sent[i].First)
		if (*sent)[i] == [2]int64{int64(o.Sent[i].First), int64(o.Sent[i].Last)} {
			first = rt[i].dispatch
			if m.Dispatch == first {
				first = rt[i].start
				if m.Start == first {
					first = min(rt[i].credit, (*credits)[i])
					if rt[i].credit == (*credits)[i] {
						first = int64(res[i].Last)
					}
				}
			}
		}
		out := &lines
		if f.Job < 0 {
			*out = append(*out, fmt.Sprintf("%09d %3d load  sent %d-%d result %d-%d | sent %d-%d result -%d", first, i, o.Sent[i].First, o.Sent[i].Last, res[i].First, res[i].Last, (*sent)[i][0], (*sent)[i][1], (*exits)[i]))
			continue
		}
		*out = append(*out, fmt.Sprintf("%09d %3d c%d j%d.%d %s %s len %d core %d sent %d-%d enq %d disp %d start %d credit %d res %d-%d | core %d sent %d-%d enq %d disp %d start %d out %d credit %d res -%d", first, i, h.Cluster, f.Job, f.Seq, h.Cmd, h.Mode, h.Length,
			res[i].Header().KeySlot, o.Sent[i].First, o.Sent[i].Last, rt[i].enter, rt[i].dispatch, rt[i].start, rt[i].credit, res[i].First, res[i].Last,
			m.Core, (*sent)[i][0], (*sent)[i][1], m.Enter, m.Dispatch, m.Start, m.End, (*credits)[i], (*exits)[i]))
	}
	sort.Strings(lines)
	for _, l := range lines[:min(show, len(lines))] {
		fmt.Println(l)
	}
	rtl := int64(o.Counters.LastOut) + 1
	fmt.Printf("%s: frames %d wrong %d makespan rtl %d model %d (%+.2f %%)\n", d.Name, len(plan.Frames), wrong, rtl, r.Makespan, 100*float64(r.Makespan-rtl)/float64(rtl))
}

func one(cmd cipher.Cmd, mode cipher.Mode, sizes ...int) func(d *design.Design) []workload.Job {
	return func(d *design.Design) []workload.Job {
		var js []workload.Job
		for i, n := range sizes {
			j := workload.Job{ID: uint32(i), Cmd: cmd, Mode: mode, Key: make([]byte, d.Clusters[0].KeyBytes), Data: make([]byte, n), Arrival: uint64(3000 + 1500*i)}
			if mode != cipher.ECB && mode != cipher.MAC {
				j.IV = make([]byte, 16)
			}
			if cmd == cipher.Verify {
				j.Tag = make([]byte, 16)
			}
			js = append(js, j)
		}
		return js
	}
}

func TestCalOne(t *testing.T) {
	for _, w := range strings.Split(os.Getenv("CALW"), ",") {
		var width int
		fmt.Sscan(w, &width)
		text := verify.ConfigText("cal", width, 64, 16, verify.Cluster{Algorithm: "aes128", Kinds: []string{os.Getenv("CALK")}, Choose: 4})
		for _, c := range []struct {
			cmd  cipher.Cmd
			mode cipher.Mode
		}{{cipher.Encrypt, cipher.ECB}, {cipher.Encrypt, cipher.CBC}, {cipher.Encrypt, cipher.CTR}, {cipher.Decrypt, cipher.OFB}, {cipher.Decrypt, cipher.CBC}, {cipher.Sign, cipher.MAC}, {cipher.Verify, cipher.MAC}} {
			cal(t, text, one(c.cmd, c.mode, 16, 32, 64, 128, 320), 100)
		}
	}
}

func TestCalReset(t *testing.T) {
	type row struct {
		w, pkt, slots, n, keys int
		scan                   bool
	}
	for _, x := range []row{{128, 512, 2, 1, 2, false}} {
		text := verify.ConfigText("cal", x.w, x.pkt, x.slots, verify.Cluster{Algorithm: "aes128", Kinds: []string{fmt.Sprintf("aes128_8sbox*%d", x.n)}, Choose: 4})
		text = strings.Replace(text, "key_slots = 2", fmt.Sprintf("key_slots = %d", x.keys), 1)
		if x.scan {
			text = strings.Replace(text, "\n[[cluster]]", "\n[scheduler]\nbalancer = \"scan\"\n[[cluster]]", 1)
		}
		d, out := elaborate(t, text)
		js := one(cipher.Encrypt, cipher.ECB, 16)(d)
		js[0].Arrival = 0
		plan, err := workload.NewPlan(d, js)
		require.NoError(t, err)
		s, err := sim.Build(context.Background(), d, out, sim.Options{})
		require.NoError(t, err)
		o, err := s.Run(plan.Stimulus(d))
		require.NoError(t, err)
		fmt.Printf("%+v: first %d; in %d res %d key %d\n", x, o.Sent[0].First, x.slots*((1<<d.OffW)+d.BPB), x.slots<<d.OffW, x.keys*4*d.BPB)
	}
}

// TestCalDesigns: CALD designs, CALJ workloads, CALN packets
func TestCalDesigns(t *testing.T) {
	n := 1000
	fmt.Sscan(os.Getenv("CALN"), &n)
	show := 0
	fmt.Sscan(os.Getenv("CALS"), &show)
	for _, x := range verify.Designs() {
		for _, name := range strings.Split(os.Getenv("CALD"), ",") {
			if name != x.Name {
				continue
			}
			for _, j := range strings.Split(os.Getenv("CALJ"), ";") {
				fmt.Print(j, " ")
				cal(t, x.Text, func(d *design.Design) []workload.Job {
					if j == "random" {
						return workload.RandomJobs(d, n, 7)
					}
					js, err := traffic.Jobs(j, d, 5)
					require.NoError(t, err)
					return js
				}, show)
			}
		}
	}
}

// TestCalCustom: CALC="width:packet:slots:kinds,kinds" and CALJ
func TestCalCustom(t *testing.T) {
	n := 1000
	fmt.Sscan(os.Getenv("CALN"), &n)
	show := 0
	fmt.Sscan(os.Getenv("CALS"), &show)
	for _, x := range strings.Split(os.Getenv("CALC"), ";") {
		f := strings.Split(x, ":")
		var w, pkt, slots int
		fmt.Sscan(f[0], &w)
		fmt.Sscan(f[1], &pkt)
		fmt.Sscan(f[2], &slots)
		var cs []verify.Cluster
		for _, k := range strings.Split(f[3], "/") {
			alg, _, _ := strings.Cut(k, "_")
			cs = append(cs, verify.Cluster{Algorithm: alg, Kinds: strings.Split(k, ","), Choose: 16})
		}
		text := verify.ConfigText("cal", w, pkt, slots, cs...)
		if len(f) > 4 {
			text = strings.Replace(text, "\n[[cluster]]", "\n[scheduler]\n"+strings.ReplaceAll(f[4], ",", "\n")+"\n[[cluster]]", 1)
		}
		for _, j := range strings.Split(os.Getenv("CALJ"), ";") {
			fmt.Print(j, " ")
			cal(t, text, func(d *design.Design) []workload.Job {
				if j == "random" {
					return workload.RandomJobs(d, n, 7)
				}
				js, err := traffic.Jobs(j, d, 5)
				require.NoError(t, err)
				return js
			}, show)
		}
	}
}

// TestCalSummary: makespans only
func TestCalSummary(t *testing.T) {
	list := strings.Split(os.Getenv("CALD"), ",")
	for _, x := range verify.Designs() {
		ok := os.Getenv("CALD") == ""
		for _, n := range list {
			ok = ok || n == x.Name
		}
		if !ok {
			continue
		}
		summary(t, x.Name, x.Text)
	}
}

func summary(t *testing.T, name, text string) {
	d, out := elaborate(t, text)
	s, err := sim.Build(context.Background(), d, out, sim.Options{})
	require.NoError(t, err)
	ws := []string{"random", "saturated:packets=600", "saturated:packets=600,seed=2", "saturated:packets=600,length=16", "saturated:packets=600,length=16-48,seed=3", "saturated:packets=400,chained=1", "saturated:packets=400,chained=1,seed=4", "saturated:packets=400,chained=0", "poisson:load=0.8,packets=600", "spaced:packets=300,load=0.3", "bursty:packets=600,load=0.7"}
	if os.Getenv("CALJ") != "" {
		ws = strings.Split(os.Getenv("CALJ"), ";")
	}
	for _, j := range ws {
		var js []workload.Job
		if j == "random" {
			js = workload.RandomJobs(d, 1000, 7)
		} else {
			js, err = traffic.Jobs(j, d, 5)
			if err != nil {
				fmt.Println(name, j, err)
				continue
			}
		}
		plan, err := workload.NewPlan(d, js)
		require.NoError(t, err)
		o, err := s.Run(plan.Stimulus(d))
		require.NoError(t, err)
		require.Empty(t, o.Violations)
		r, err := sched.Run(sched.FromDesign(d), planSource{traffic.Frames(plan), plan})
		if err != nil {
			fmt.Println(name, j, err)
			bad := map[string]int{}
			for i := range o.Results {
				bad[workload.Status(o.Results[i].Header().Status).String()]++
			}
			fmt.Println(bad)
			continue
		}
		rtl := int64(o.Counters.LastOut) + 1
		diff := 100 * float64(r.Makespan-rtl) / float64(rtl)
		flag := ""
		if diff > 1 || diff < -1 {
			flag = "  <<<<"
		}
		fmt.Printf("%-10s %-44s frames %5d rtl %7d model %7d  %+.2f %%%s\n", name, j, len(plan.Frames), rtl, r.Makespan, diff, flag)
	}
}
