// SPDX-License-Identifier: Apache-2.0

package design

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"hwgen/gen/config"
	"hwgen/gen/diag"
	"hwgen/gen/policy"
)

// Elaborate computes the model of a config that has been checked. The error is a diag.List if the config asks for what
// this design can't hold.
func Elaborate(c *config.Config) (*Design, error) {
	d := &Design{
		Name:         c.Design.Name.V,
		Lib:          c.Design.Library.V,
		Top:          c.Design.Name.V + "_top",
		DataW:        c.Design.DataWidth.V,
		PktBytes:     c.Design.PacketBytes.V,
		Slots:        c.Design.Slots.V,
		Requesters:   c.Design.Requesters.V,
		WaitQueue:    c.Scheduler.WaitQueue.V,
		Policy:       c.Scheduler.Policy.V,
		BindJob:      c.Scheduler.Bind.V == "job",
		Programmable: c.Scheduler.Programmable.V,
		Scan:         c.Scheduler.Balancer.V == "scan",
		SerialLane:   c.Scheduler.Lane.V == "serial",
		ReportCore:   c.Scheduler.ReportCore.V,
		Alpha:        c.Scheduler.Alpha.V,
		Beta:         c.Scheduler.Beta.V,
		Lambda:       c.Scheduler.Lambda.V,
		Synth:        Synth{Target: c.Synth.Target.V, Given: c.Synth.Target.Set, ClockMHz: c.Synth.ClockMHz.V},
	}
	p, ok := config.PolicyByName(d.Policy)
	if !ok {
		return nil, fmt.Errorf("unknown policy %q", d.Policy)
	}
	d.Info = p
	d.BindJob = d.BindJob || d.Policy == "static"
	d.Programmable = d.Programmable && p.Scores
	d.Scan = d.Scan && p.Scores
	d.Axil = c.Control.Axil.V
	d.Counters = d.Axil && c.Control.Counters.V
	d.CfgPort = d.Programmable && !d.Axil
	d.notes = unused(&c.Scheduler, p)
	if n := c.Control.Counters; n.Set && n.V && !d.Axil {
		d.notes = append(d.notes, fmt.Sprintf("%s: counters are read through registers, which axil = true makes", n.Pos))
	}
	d.KeepW = d.DataW / 8
	d.BPB = 128 / d.DataW
	d.PktBlocks = d.PktBytes / 16
	d.SlotW = Bits(d.Slots)
	d.TidW = Bits(d.Requesters)
	d.ClusterW = Bits(len(c.Clusters))
	d.LenW = clog2(d.PktBytes + 1)
	d.OffW = Bits(d.PktBlocks * d.BPB)
	d.BlkW = Bits(d.PktBlocks)
	d.BlocksW = d.BlkW + 1
	d.WidxW = Bits(d.BPB)
	var errs diag.List
	for i := range c.Clusters {
		cl, err := d.cluster(i, &c.Clusters[i], c)
		if err != nil {
			return nil, err
		}
		if err := d.tables(cl, c.Scheduler.ScoreBits.V); err != nil {
			var w *policy.WidthError
			if !errors.As(err, &w) {
				return nil, fmt.Errorf("cluster %q: %w", cl.Name, err)
			}
			d.tooWide(&errs, cl, w, &c.Scheduler)
			continue
		}
		d.Clusters = append(d.Clusters, cl)
		d.HasQuota = d.HasQuota || cl.HasQuota
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	d.NumClusters = len(d.Clusters)
	for _, cl := range d.Clusters {
		d.MaxLaneW = max(d.MaxLaneW, cl.LaneW)
	}
	d.Host = host(d.Name, &c.Host)
	d.Clocks = clocks(d.Name, &c.Clocks)
	if d.Board = c.Board.Use; d.Board != nil {
		d.Synth = Synth{Target: d.Board.Target.Name, Given: true, ClockMHz: float64(d.Board.Hz) / 1e6}
	}
	d.Memories = d.memories()
	return d, nil
}

func (d *Design) cluster(i int, c *config.Cluster, all *config.Config) (*Cluster, error) {
	alg, ok := config.AlgorithmByName(c.Algorithm.V)
	if !ok {
		return nil, fmt.Errorf("cluster %q: unknown algorithm %q", c.Name.V, c.Algorithm.V)
	}
	cl := &Cluster{
		Index: i, Name: c.Name.V, Module: d.Name + "_" + c.Name.V + "_cluster",
		Algorithm: alg.Name, KeyBits: alg.KeyBits, KeyBytes: alg.KeyBits / 8,
		Queue: c.Queue.V, Choose: c.ChooseList.V, KeySlots: c.KeySlots.V,
		SlotQuota: c.SlotQuota.V, HasQuota: c.SlotQuota.V < d.Slots,
		KeyLane: -1,
	}
	for g := range c.Cores {
		for range c.Cores[g].Count.V {
			co, err := d.core(len(cl.Cores), &c.Cores[g])
			if err != nil {
				return nil, fmt.Errorf("cluster %q: %w", cl.Name, err)
			}
			co.Table = !co.External && sboxTables(all, alg.Name)
			cl.Cores = append(cl.Cores, co)
		}
	}
	defaultCaps(cl.Cores, d.Slots)
	cl.NumCores = len(cl.Cores)
	if cl.Choose == 0 {
		cl.Choose = d.defaultChoose(cl)
	}
	cl.LastCore = cl.NumCores - 1
	maxCap := 0
	for _, co := range cl.Cores {
		cl.Support |= co.Support
		cl.HasMAC = cl.HasMAC || co.Ops[Sign] || co.Ops[Verify]
		cl.HasInv = cl.HasInv || co.HasInv
		cl.External = cl.External || co.External
		maxCap = max(maxCap, co.Cap)
		if !co.External && cl.KeyLane < 0 {
			cl.KeyLane = co.Index
		}
	}
	for _, co := range cl.Cores {
		if cl.KeyLane < 0 && co.Ops[Encrypt] {
			cl.KeyLane = co.Index
		}
	}
	if cl.KeyLane < 0 { // refused by config
		return nil, fmt.Errorf("cluster %q: no core encrypts", cl.Name)
	}
	cl.CoreW = Bits(cl.NumCores)
	cl.LaneW = Bits(cl.NumCores + 1)
	cl.IdxW = Bits(cl.Choose)
	cl.KsW = Bits(cl.KeySlots)
	cl.KwordW = Bits(cl.KeyBits / d.DataW)
	cl.DescW = 10 + d.LenW + cl.IdxW + cl.KsW
	cl.CapW = Bits(maxCap + 1)
	return cl, nil
}

// unused are notes about keys of [scheduler] that are given and that the policy does not look at.
func unused(s *config.Scheduler, p config.Policy) []string {
	var notes []string
	note := func(pos diag.Pos, format string, args ...any) {
		notes = append(notes, fmt.Sprintf("%s: %s", pos, fmt.Sprintf(format, args...)))
	}
	for _, k := range []struct {
		name string
		v    config.Value[float64]
	}{{"alpha", s.Alpha}, {"beta", s.Beta}, {"lambda", s.Lambda}} {
		if !k.v.Set || slices.Contains(p.Keys, k.name) {
			continue
		}
		owner := ""
		for _, o := range config.Policies {
			if slices.Contains(o.Keys, k.name) {
				owner = o.Name
			}
		}
		note(k.v.Pos, "%s is for policy %q; %q does not use it", k.name, owner, p.Name)
	}
	if s.ScoreBits.Set && !p.Scores {
		note(s.ScoreBits.Pos, "score_bits: policy %q has no scores", p.Name)
	}
	if s.Programmable.Set && s.Programmable.V && !p.Scores {
		note(s.Programmable.Pos, "programmable: policy %q has no tables to write, what writes them is left out", p.Name)
	}
	if s.Balancer.Set && s.Balancer.V == "scan" && !p.Scores {
		note(s.Balancer.Pos, "balancer: policy %q has a pointer, nothing to compare", p.Name)
	}
	if s.Bind.Set && s.Bind.V != "job" && p.Name == "static" {
		note(s.Bind.Pos, `bind is %q, but with policy "static" chained jobs keep their core to the last packet, as with "job"`, s.Bind.V)
	}
	return notes
}

// tables computes a cluster's tables, of scoreBits bits if that is not 0.
func (d *Design) tables(cl *Cluster, scoreBits int) error {
	in := policy.Input{PktBlocks: d.PktBlocks, Alpha: d.Alpha, Beta: d.Beta, Lambda: d.Lambda, Programmable: d.Programmable,
		Bits: scoreBits, Slots: cl.SlotQuota}
	for _, co := range cl.Cores {
		in.Cycles = append(in.Cycles, co.Cycles)
		in.Caps = append(in.Caps, co.Cap)
	}
	t, err := policy.Build(d.Policy, in)
	if err != nil {
		return err
	}
	cl.Tables, cl.Base, cl.Inc, cl.AccW, cl.IncW = t, t.Base, t.Inc, t.AccW, t.IncW
	cl.PerPacket, cl.GiveBack, cl.Modular, cl.Pointer = bit(t.PerPacket), bit(t.GiveBack), bit(t.Modular), int(t.Pointer)
	return nil
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// tooWide says where the config asks for scores that a cluster can't have.
func (d *Design) tooWide(errs *diag.List, cl *Cluster, w *policy.WidthError, s *config.Scheduler) {
	if w.Bits > 0 {
		errs.Add(s.ScoreBits.Pos, fmt.Sprintf("at least %d, exact from %d on; left out, the generator picks it", w.Least, w.Need),
			"score_bits is %d, too few for policy %q in cluster %q: a step of each core's score does not fit", w.Bits, d.Policy, cl.Name)
		return
	}
	hint := "smaller queues or packet_bytes"
	if d.Policy == "weighted" {
		hint = "queues with a small common multiple, or smaller packet_bytes"
	}
	errs.Add(s.Policy.Pos, fmt.Sprintf("%s; score_bits = %d rounds them", hint, policy.MaxWidth),
		"policy %q does not fit cluster %q: exact scores take %d bits, at most %d", d.Policy, cl.Name, w.Need, policy.MaxWidth)
}

// defaultChoose is an entry for each packet that the cluster's queues can hold, and two a core, but no less than 16: so
// that chained jobs are neither refused nor leave cores idle.
func (d *Design) defaultChoose(cl *Cluster) int {
	return min(max(16, cl.held(d), 2*cl.NumCores), config.MaxChooseList)
}

// held is how many packets the cluster's queues can hold.
func (c *Cluster) held(d *Design) int {
	n := c.Queue
	for _, co := range c.Cores {
		n += co.Cap
	}
	return min(n, c.SlotQuota, d.Slots)
}

func (d *Design) core(j int, c *config.Core) (*Core, error) {
	co := &Core{Index: j, Cap: c.Queue.V}
	if c.External() {
		co.External, co.OrigKey, co.Module = true, true, c.Module.V
		for _, s := range c.Sources {
			co.Sources = append(co.Sources, s.V)
		}
		for op := range co.Ops {
			co.Cycles[op] = c.Cycles[op].V
			co.Ops[op] = co.Cycles[op] > 0
		}
		// Under decrypt, in_decrypt tells the inverse cipher (ECB, CBC) from the forward one (CFB, OFB, CTR).
		co.HasFwd = true
		co.HasInv = co.Ops[Decrypt]
	} else {
		k, ok := config.KindByName(c.Kind.V)
		if !ok {
			return nil, fmt.Errorf("unknown kind %q", c.Kind.V)
		}
		co.Kind = k.Name
		co.Module = d.Lib + "_" + k.Name
		co.HasFwd, co.HasInv = true, c.Decrypt.V
		for op := range co.Ops {
			co.Ops[op], co.Cycles[op] = true, k.Cycles
		}
	}
	for op, can := range co.Ops {
		if can && co.HasFwd {
			co.Support |= 1 << op
		}
	}
	if co.HasInv {
		co.Support |= 1 << (4 + Decrypt)
	}
	return co, nil
}

// DefaultCap is the default queue of the fastest core of a cluster.
const DefaultCap = 8

// defaultCaps fills in the queues that the config leaves out, in proportion to speed.
func defaultCaps(cores []*Core, slots int) {
	fastest := math.Inf(1)
	for _, co := range cores {
		fastest = min(fastest, co.MeanCycles())
	}
	for _, co := range cores {
		if co.Cap == 0 {
			co.Cap = DefaultQueue(fastest, co.MeanCycles(), slots)
		}
	}
}

// DefaultQueue is the queue of a core of so many mean cycles that the config leaves out, in proportion to the fastest core
// of its cluster.
func DefaultQueue(fastest, cycles float64, slots int) int {
	return min(slots, max(2, int(math.Round(DefaultCap*fastest/cycles))))
}

// MeanCycles is the mean of the core's cycles a block over the commands that it does.
func (co *Core) MeanCycles() float64 {
	sum, n := 0, 0
	for op, can := range co.Ops {
		if can {
			sum += co.Cycles[op]
			n++
		}
	}
	if n == 0 {
		return math.Inf(1)
	}
	return float64(sum) / float64(n)
}

// memories are those of the library's RAM template; flip-flops (FIFOs of few entries, tables of a tree) are not counted.
func (d *Design) memories() []Memory {
	var ms []Memory
	add := func(cluster int, name string, width, depth int) {
		ms = append(ms, Memory{name, width, depth, width * depth, cluster})
	}
	area := 1 << d.OffW
	add(-1, "header_store.heads", d.TidW+d.DataW, d.Slots*d.BPB)
	add(-1, "header_store.collector", d.TidW+d.DataW+1, d.Slots*d.BPB)
	add(-1, "packet_buffer.input", d.DataW, d.Slots*(area+d.BPB))
	add(-1, "packet_buffer.result", d.DataW, d.Slots*area)
	add(-1, "wait_queue.next", d.SlotW, d.Slots)
	if d.Counters {
		add(-1, "counters", 48, 2<<4)
	}
	if d.Host != nil {
		add(-1, "host_link.jobs", 8, d.Host.Window*SegmentBytes)
		add(-1, "host_link.results", 8, d.Host.Window*SegmentBytes)
	}
	if c := d.Clocks; c != nil {
		if c.Jobs {
			add(-1, "clocks.jobs", d.TidW+1+d.KeepW+d.DataW, c.Depth)
		}
		if c.Results {
			add(-1, "clocks.results", d.TidW+1+d.KeepW+d.DataW, c.Depth)
		}
	}
	for _, c := range d.Clusters {
		add(c.Index, c.Name+".key_store", d.DataW, c.KeySlots<<clog2(4*c.KeyBits/d.DataW))
		add(c.Index, c.Name+".chain_store", d.DataW, c.Choose*d.BPB)
		add(c.Index, c.Name+".desc_store", c.DescW, d.Slots)
		if d.Axil && d.Programmable {
			add(c.Index, c.Name+".weights", c.AccW, 8<<c.CoreW)
		}
		if d.Counters {
			add(c.Index, c.Name+".counters", 48, 2<<Bits(11+6*c.NumCores))
		}
		if c.GiveBack == 1 {
			add(c.Index, c.Name+".balancer.given", c.AccW, d.Slots)
		}
		if d.Scan {
			if c.Modular == 1 {
				add(c.Index, c.Name+".balancer.n", c.CapW+1, c.NumCores)
				add(c.Index, c.Name+".balancer.acc", c.AccW, c.NumCores)
			} else {
				add(c.Index, c.Name+".balancer.acc", c.CapW+1+c.AccW, c.NumCores)
			}
			if d.Programmable {
				add(c.Index, c.Name+".balancer.base", c.AccW, 4*c.NumCores)
				add(c.Index, c.Name+".balancer.inc", c.IncW, 4*c.NumCores)
			}
		}
	}
	return ms
}
