//go:build calibrate

// SPDX-License-Identifier: Apache-2.0

package sched_test

import (
	"context"
	"fmt"
	"os"
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
		r, err := sched.Run(exactCfg(sched.FromDesign(d)), planSource{traffic.Frames(plan), plan})
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

func exactCfg(c *sched.Config) *sched.Config {
	fmt.Sscan(os.Getenv("EXACT"), &c.Exact)
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
