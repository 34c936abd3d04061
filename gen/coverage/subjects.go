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
	// runs beside the steps of verify
	registers bool // a host at the registers
	clocks    bool // streams and registers on clocks of their own, a host at the registers
	chance    bool // synchronisers see a change at once or a cycle later, by chance
	board     bool // jobs and registers over the serial line of the top with a UART
}

func aes(k ...string) verify.Cluster {
	return verify.Cluster{Algorithm: "aes128", Kinds: k, Choose: 5}
}

// toy is a small design of delay cores.
type toy struct {
	name          string
	width, packet int
	scheduler     string // keys of the section, and further sections
	cores         []verify.DelayCore
	single        bool // a further cluster, of one core
}

// uneven are three cores of unlike speed, one of which does not decrypt.
var uneven = []verify.DelayCore{
	{Cycles: [4]int{8, 9, 10, 11}, Queue: 2}, {Cycles: [4]int{20, 15, 16, 17}, Queue: 6}, {Cycles: [4]int{12, 0, 12, 12}, Queue: 1},
}

func (t toy) subject(steps ...string) subject {
	x := &verify.DelayDesign{Head: fmt.Sprintf("[design]\nname = %q\ndata_width = %d\npacket_bytes = %d\nslots = 12\nrequesters = 2\n\n[scheduler]\n%s\n",
		t.name, t.width, t.packet, t.scheduler)}
	if t.cores == nil {
		t.cores = uneven
	}
	x.Clusters = []verify.DelayCluster{{Name: "a", Keys: "queue = 2\nchoose_list = 4\nkey_slots = 2\n", Cores: t.cores}}
	if t.single {
		x.Clusters = append(x.Clusters, verify.DelayCluster{Name: "b", Keys: "queue = 1\nchoose_list = 2\nkey_slots = 1\n", Cores: uneven[:1]})
	}
	return subject{name: t.name, delay: x, steps: steps}
}

// policy is a toy with a policy, a balancer and a sort of lanes.
func policy(name, policy, balancer, lane string, width int) subject {
	return toy{name: name, width: width, packet: 48, scheduler: fmt.Sprintf("policy = %q\nbalancer = %q\nlane = %q\nwait_queue = 3\n",
		policy, balancer, lane)}.subject("jobs", "frames", "clear")
}

const controls = "\n[control]\naxil = true\n"

// subjects have, together, every module of the library and every branch of its generate blocks but those that
// gaps.toml names: a test checks that.
func subjects() []subject {
	var l []subject
	for _, d := range verify.Designs() {
		if d.Name == "odd" || d.Name == "least" {
			l = append(l, subject{name: d.Name, text: d.Text, steps: steps})
		}
	}
	regs := toy{name: "regs", width: 32, packet: 32, scheduler: "wait_queue = 3\n" + controls}.subject()
	ring := toy{name: "ring", width: 64, packet: 32, scheduler: "policy = \"round_robin\"\nwait_queue = 3\n" + controls}.subject()
	regs.registers, ring.registers = true, true
	clocks := toy{name: "clocks", width: 64, packet: 32, scheduler: controls + "\n[clocks]\ndepth = 8\nstages = 3\n"}.subject()
	cross := toy{name: "crossed", width: 32, packet: 32, scheduler: controls + "\n[clocks]\ndepth = 4\n"}.subject()
	clocks.clocks, clocks.chance, cross.clocks = true, true, true
	gates := verify.ConfigText("gates", 64, 32, 4, aes("aes128_8sbox", "aes128_4sbox", "aes128_16sbox"),
		verify.Cluster{Algorithm: "sm4", Kinds: []string{"sm4_1round"}, Choose: 2})
	gates = strings.Replace(gates, "\"aes128_16sbox\"\n", "\"aes128_16sbox\"\ndecrypt = false\n", 1) + "\n[scheduler]\npolicy = \"round_robin\"\n"
	lookups := strings.NewReplacer("\"gates\"", "\"lookups\"", "[design]\n", "[design]\nsbox = \"table\"\n").Replace(gates)
	twenty := make([]verify.DelayCore, 20)
	for i := range twenty {
		twenty[i] = verify.DelayCore{Cycles: [4]int{9, 9, 9, 9}, Queue: 1}
	}
	link := toy{name: "link", width: 32, packet: 48, scheduler: controls + "\n[host]\nclock_hz = 12_000_000\nbaud = 3_000_000\nwindow = 4\n"}.subject()
	line := toy{name: "line", width: 64, packet: 32, scheduler: "\n[host]\nclock_hz = 8_000_000\nbaud = 1_000_000\nwindow = 2\n"}.subject()
	link.board, line.board = true, true
	return append(l,
		subject{name: "kinds", steps: steps, text: verify.ConfigText("kinds", 128, 64, 16,
			aes("aes128_16sbox", "aes128_8sbox", "aes128_4sbox"),
			verify.Cluster{Algorithm: "sm4", Kinds: []string{"sm4_1round", "sm4_2round", "sm4_4round"}, Choose: 5})},
		subject{name: "long", steps: []string{"vectors-split", "jobs"}, text: verify.ConfigText("long", 32, 48, 7,
			verify.Cluster{Algorithm: "aes256", Kinds: []string{"aes256_16sbox", "aes256_8sbox"}, Choose: 5})},
		subject{name: "gates", logic: true, steps: []string{"vectors"}, text: gates},
		subject{name: "lookups", logic: true, steps: []string{"vectors"}, text: lookups},
		policy("stride", "wrr", "tree", "wide", 32),
		policy("strides", "wrr", "scan", "serial", 64),
		policy("shortest", "jsq", "scan", "serial", 32),
		policy("robin", "round_robin", "tree", "wide", 128),
		policy("skip", "round_robin_skip", "tree", "wide", 32),
		// packets of one block
		toy{name: "turns", width: 64, packet: 16, scheduler: "policy = \"static\"\n", single: true}.subject("jobs", "frames", "clear"),
		toy{name: "oneblock", width: 32, packet: 16, scheduler: "lane = \"serial\"\nprogrammable = false\n", single: true}.subject("jobs", "frames"),
		// a tree of three ranks
		toy{name: "twenty", width: 128, packet: 32, scheduler: "lane = \"serial\"\n", cores: twenty}.subject("jobs"),
		regs, ring, clocks, cross, link, line,
	)
}

// load generates the output.
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

// built is the design and the files of the top that runs.
func (x *subject) built(d *design.Design, out emit.Output) (*design.Design, map[string][]byte) {
	switch {
	case x.clocks:
		return verify.SeveralClocks(d, out)
	case x.board:
		b := *d
		b.Top = d.Host.Top
		return &b, out
	}
	return d, out
}

// run runs a subject and tells of each run's counts.
func (x *subject) run(ctx context.Context, o Options, d *design.Design, files map[string][]byte, covered func(file string) error) error {
	build := sim.Options{Coverage: o.Toggles, CoverageLines: !o.Toggles, Quick: o.Quick, Logic: x.logic}
	if x.steps != nil {
		rep, err := verify.Run(ctx, verify.Options{
			Design: d, Files: files, Packets: o.Packets, Seed: o.Seed, Steps: x.steps, Note: o.Note, Build: build, Covered: covered,
		})
		if err != nil {
			return err
		}
		if !rep.OK {
			return fmt.Errorf("%s fails:\n%s", x.name, rep.Table())
		}
	}
	build.Unknowns, build.Note, build.UART, build.Metastable = true, o.Note, x.board, x.chance
	if !x.registers && !x.clocks && !x.board {
		return nil
	}
	s, err := sim.Build(ctx, d, files, build)
	if err != nil {
		return err
	}
	s.Covered = covered
	if x.board {
		return x.overLine(ctx, o, s)
	}
	return x.atRegisters(ctx, o, s)
}
