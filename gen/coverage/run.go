// SPDX-License-Identifier: Apache-2.0

package coverage

import (
	"context"
	"fmt"
	"strings"

	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/emit"
	"hwgen/gen/sim"
	"hwgen/gen/verify"
)

// steps of hwgen verify that a design goes through.
var steps = []string{"vectors-split", "jobs", "frames", "directed", "quota", "clear", "reset"}

// subject is a design whose runs are counted.
type subject struct {
	name  string
	text  string // a config with built-in cores, or
	delay *verify.DelayDesign
	logic bool // the S-boxes as they are synthesised
	steps []string
}

func aes(k ...string) verify.Cluster {
	return verify.Cluster{Algorithm: "aes128", Kinds: k, Choose: 5}
}

// policy is a small design of delay cores with a policy, a balancer and a sort of lanes.
func policy(name, policy, balancer, lane string, width int) subject {
	x := &verify.DelayDesign{Head: fmt.Sprintf(`[design]
name = %q
data_width = %d
packet_bytes = 48
slots = 12
requesters = 2

[scheduler]
policy = %q
balancer = %q
lane = %q
wait_queue = 3
`, name, width, policy, balancer, lane)}
	x.Clusters = []verify.DelayCluster{{
		Name: "a", Keys: "queue = 2\nchoose_list = 4\nkey_slots = 2\n",
		Cores: []verify.DelayCore{
			{Cycles: [4]int{8, 9, 10, 11}, Queue: 2}, {Cycles: [4]int{20, 15, 16, 17}, Queue: 6},
			{Cycles: [4]int{12, 0, 12, 12}, Queue: 1},
		},
	}}
	return subject{name: name, delay: x, steps: []string{"jobs", "frames", "clear"}}
}

// subjects have, together, every module of the library and every branch of its generate blocks but those for bad
// parameters.
func subjects() []subject {
	var l []subject
	for _, d := range verify.Designs() {
		if d.Name == "odd" || d.Name == "least" {
			l = append(l, subject{name: d.Name, text: d.Text, steps: steps})
		}
	}
	return append(l,
		subject{name: "kinds", steps: steps, text: verify.ConfigText("kinds", 128, 64, 16,
			aes("aes128_16sbox", "aes128_8sbox", "aes128_4sbox"),
			verify.Cluster{Algorithm: "sm4", Kinds: []string{"sm4_1round", "sm4_2round", "sm4_4round"}, Choose: 5})},
		subject{name: "long", steps: []string{"vectors-split", "jobs"}, text: verify.ConfigText("long", 32, 48, 7,
			verify.Cluster{Algorithm: "aes256", Kinds: []string{"aes256_16sbox", "aes256_8sbox"}, Choose: 5})},
		subject{name: "gates", logic: true, steps: []string{"vectors"}, text: verify.ConfigText("gates", 64, 32, 4,
			aes("aes128_8sbox"), verify.Cluster{Algorithm: "sm4", Kinds: []string{"sm4_1round"}, Choose: 2})},
		policy("stride", "wrr", "tree", "wide", 32),
		policy("strides", "wrr", "scan", "serial", 64),
		policy("shortest", "jsq", "scan", "serial", 32),
		policy("robin", "round_robin", "tree", "wide", 128),
		policy("skip", "round_robin_skip", "tree", "wide", 32),
	)
}

// Options of Run.
type Options struct {
	Packets int // of each sort of random run
	Seed    int64
	Toggles bool // count toggles too: takes four times as long
	Quick   bool // compile without optimisation
	Note    func(format string, args ...any)
}

func (x *subject) load() (*design.Design, emit.Output, error) {
	if x.delay != nil {
		return x.delay.Load()
	}
	c, err := config.Parse(x.name+".toml", ".", []byte(x.text))
	if err != nil {
		return nil, nil, err
	}
	d, err := design.Elaborate(c)
	if err != nil {
		return nil, nil, err
	}
	out, err := emit.Emit(d, emit.Options{Version: "coverage", ConfigHash: c.Hash})
	return d, out, err
}

// Run counts what the runs of all subjects go through.
func Run(ctx context.Context, o Options) (*Report, error) {
	gaps, err := Gaps()
	if err != nil {
		return nil, err
	}
	lib, err := library()
	if err != nil {
		return nil, err
	}
	c := NewCounts()
	heads := map[string]int{}
	var names []string
	for _, x := range subjects() {
		d, files, err := x.load()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.name, err)
		}
		for m, text := range lib {
			if b, ok := files["rtl/"+d.Name+strings.TrimPrefix(m, "hwgen")+".v"]; ok {
				heads[m] = strings.Count(string(b), "\n") + 1 - len(text)
			}
		}
		if o.Note != nil {
			o.Note("coverage: %s", x.name)
		}
		rep, err := verify.Run(ctx, verify.Options{
			Design: d, Files: files, Packets: o.Packets, Seed: o.Seed, Steps: x.steps, Note: o.Note,
			Build:   sim.Options{Coverage: o.Toggles, CoverageLines: !o.Toggles, Quick: o.Quick, Logic: x.logic},
			Covered: func(f string) error { return c.Add(f, d.Name) },
		})
		if err != nil {
			return nil, err
		}
		if !rep.OK {
			return nil, fmt.Errorf("%s fails:\n%s", x.name, rep.Table())
		}
		names = append(names, x.name)
	}
	r, err := c.Report(gaps, func(m string) int { return heads[m] })
	if err != nil {
		return nil, err
	}
	r.Designs = names
	return r, nil
}
