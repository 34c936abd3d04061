//go:build calibrate

// SPDX-License-Identifier: Apache-2.0

package sched_test

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
	s, err := sim.Build(context.Background(), d, out, sim.Options{Quick: os.Getenv("QUICK") != ""})
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
		r, err := sched.Run(fastCfg(sched.FromDesign(d)), planSource{traffic.Frames(plan), plan})
		if err != nil {
			fmt.Println(name, j, err)
			bad := map[string]int{}
			for i := range o.Results {
				bad[workload.Status(o.Results[i].Header().Status).String()]++
			}
			fmt.Println(bad)
			continue
		}
		rtl := int64(o.Counters.Makespan())
		diff := 100 * float64(r.Makespan-rtl) / float64(rtl)
		flag := ""
		if diff > 1 || diff < -1 {
			flag = "  <<<<"
		}
		fmt.Printf("%-10s %-44s frames %5d rtl %7d model %7d  %+.2f %%%s\n", name, j, len(plan.Frames), rtl, r.Makespan, diff, flag)
	}
}

func fastCfg(c *sched.Config) *sched.Config {
	c.Fast = os.Getenv("FAST") != ""
	return c
}

// TestCalPolicies: CALC="width:packet:slots:kinds,kinds:extra"
func TestCalPolicies(t *testing.T) {
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
		summary(t, f[4], text)
	}
}

// cal prints where the model and the RTL differ first.
func cal(t *testing.T, text, j string, show int) {
	d, out := elaborate(t, text)
	var js []workload.Job
	var err error
	if j == "random" {
		js = workload.RandomJobs(d, 1000, 7)
	} else {
		js, err = traffic.Jobs(j, d, 5)
		require.NoError(t, err)
	}
	plan, err := workload.NewPlan(d, js)
	require.NoError(t, err)
	s, err := sim.Build(context.Background(), d, out, sim.Options{Trace: true, Quick: true})
	require.NoError(t, err)
	raw := t.TempDir() + "/raw"
	o, err := s.RunFiles(context.Background(), plan.Stimulus(d), raw, "")
	require.NoError(t, err)
	key := map[string]int{}
	for i := range plan.Frames {
		h := plan.Frames[i].Header()
		key[fmt.Sprint(plan.Frames[i].TID, h.Task, h.No, h.Cluster)] = i
	}
	rt := make([]sched.Completion, len(plan.Frames))
	credit := make([]uint64, len(plan.Frames))
	b, err := os.Open(raw)
	require.NoError(t, err)
	require.NoError(t, sim.ReadTrace(b, d, plan.Frames, o, func(e *sched.Event) error {
		i, ok := key[fmt.Sprint(e.Requester, e.Task, e.No, e.Cluster)]
		switch {
		case !ok:
		case e.Kind == sched.EventDispatch:
			rt[i].Dispatch, rt[i].Core = int64(e.Cycle), e.Core
		case e.Kind == sched.EventEnqueue:
			rt[i].Enter = int64(e.Cycle)
		case e.Kind == sched.EventStart && rt[i].Start == 0:
			rt[i].Start = int64(e.Cycle)
		case e.Kind == sched.EventCredit:
			credit[i] = e.Cycle
		case e.Kind == sched.EventResult:
			rt[i].Result = int64(e.Cycle)
		}
		return nil
	}))
	var lines []string
	cfg := sched.FromDesign(d)
	id := map[string]int{}
	for i := range plan.Frames {
		if f := &plan.Frames[i]; f.Job >= 0 {
			id[fmt.Sprint(uint64(f.TID)<<32|uint64(js[f.Job].ID), f.Seq)] = i
		}
	}
	cfg.Observe = func(c sched.Completion) {
		i := id[fmt.Sprint(c.Job, c.No)]
		r := rt[i]
		first := min(r.Result, c.Result)
		if c.Enter == r.Enter && c.Dispatch == r.Dispatch && c.Start == r.Start && c.Result == r.Result && os.Getenv("CALALL") == "" {
			return
		}
		if c.Start != r.Start {
			first = min(c.Start, r.Start)
		}
		if c.Dispatch != r.Dispatch {
			first = min(c.Dispatch, r.Dispatch)
		}
		if c.Enter != r.Enter {
			first = min(c.Enter, r.Enter)
		}
		h := plan.Frames[i].Header()
		lines = append(lines, fmt.Sprintf("%09d %3d c%d job %d.%d %s %s len %d RTL core %d enter %d dispatch %d start %d credit %d result %d | model core %d %d %d %d %d", first, i, c.Cluster, plan.Frames[i].Job, c.No, h.Cmd, h.Mode, h.Length, r.Core, r.Enter, r.Dispatch, r.Start, credit[i], r.Result, c.Core, c.Enter, c.Dispatch, c.Start, c.Result))
	}
	r, err := sched.Run(cfg, planSource{traffic.Frames(plan), plan})
	require.NoError(t, err)
	sort.Strings(lines)
	for _, l := range lines[:min(show, len(lines))] {
		fmt.Println(l)
	}
	fmt.Println("wrong", len(lines), "of", len(plan.Frames), o.Counters.Makespan(), r.Makespan)
}

func TestCal(t *testing.T) {
	show := 4
	fmt.Sscan(os.Getenv("CALS"), &show)
	f := strings.Split(os.Getenv("CALC"), ":")
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
		cal(t, text, j, show)
	}
}
