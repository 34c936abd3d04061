// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"hwgen/gen/design"
	"hwgen/gen/emit"
	"hwgen/gen/policy"
	"hwgen/gen/sched"
	"hwgen/gen/sim"
	"hwgen/gen/workload"
)

// PolicyShapes are the designs on which every policy is replayed: clusters x cores.
var PolicyShapes = []string{"1x1", "1x4", "2x3", "3x5", "1x16", "1x32"}

// PolicyOptions of ReplayPolicies.
type PolicyOptions struct {
	Packets  int      // of random jobs, on each design
	Seed     int64    // of all that is random
	Policies []string // nil: all that can be generated
	Shapes   []string // nil: PolicyShapes
	Workers  int      // designs at a time; 0: as many as there are processors
	// Optimise compiles the designs for long runs.
	Optimise bool
	// Done is told of each design, in any order, by one goroutine at a time.
	Done func(*PolicyRow)
	Note func(format string, args ...any)
}

// PolicyRow is a policy on a design.
type PolicyRow struct {
	Shape    string              `json:"shape"`
	Balancer string              `json:"balancer"`
	Bind     string              `json:"bind"`
	Replay   *sched.ReplayReport `json:"replay"` // of all its runs together
	Cycles   uint64              `json:"cycles"`
	Cached   bool                `json:"cached"`
	Build    float64             `json:"build_seconds"`
	Run      float64             `json:"run_seconds"`
	Errors   []string            `json:"errors,omitempty"` // of the runs themselves: wrong results, no progress
}

// OK says whether all results were right and every decision was replayed.
func (r *PolicyRow) OK() bool { return len(r.Errors) == 0 && r.Replay.OK() }

// policyCase is one design of ReplayPolicies.
type policyCase struct {
	shape, policy string
	number        int
}

// newPolicyCase is the case of a shape and a policy that there are.
func newPolicyCase(shape, name string) policyCase {
	return policyCase{shape, name, slices.Index(policy.Names, name)*len(PolicyShapes) + slices.Index(PolicyShapes, shape)}
}

func (c policyCase) shapeIndex() int { return c.number % len(PolicyShapes) }

// ReplayPolicies runs random jobs and random frames on a design of each shape for each policy, checks every result, and
// replays every decision of the traces. Half of the designs of a policy have a comparator tree, half the scanning
// balancer; binding, stream width, lists and queues differ too; programmable tables are written while packets are in
// flight. It returns a row a design in the order of the policies; the error is of what could not be tried.
func ReplayPolicies(ctx context.Context, o PolicyOptions) ([]*PolicyRow, error) {
	if o.Policies == nil {
		o.Policies = policy.Names
	}
	if o.Shapes == nil {
		o.Shapes = PolicyShapes
	}
	if o.Workers == 0 {
		o.Workers = runtime.NumCPU()
	}
	if o.Note == nil {
		o.Note = func(string, ...any) {}
	}
	var cases []policyCase
	for _, p := range o.Policies {
		for _, s := range o.Shapes {
			if !slices.Contains(PolicyShapes, s) || !slices.Contains(policy.Names, p) {
				return nil, fmt.Errorf("no shape %q or no policy %q", s, p)
			}
			cases = append(cases, newPolicyCase(s, p))
		}
	}
	rows := make([]*PolicyRow, len(cases))
	// the largest first, so that no processor waits at the end
	order := make([]int, len(cases))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cases[b].shapeIndex() - cases[a].shapeIndex() })
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		next int
		fail error
	)
	for range o.Workers {
		wg.Go(func() {
			for {
				mu.Lock()
				n := next
				next++
				stop := fail != nil || ctx.Err() != nil
				mu.Unlock()
				if stop || n >= len(order) {
					return
				}
				row, err := replayPolicy(ctx, cases[order[n]], &o)
				mu.Lock()
				rows[order[n]] = row
				if err != nil {
					fail = errors.Join(fail, fmt.Errorf("%s on %s: %w", cases[order[n]].policy, cases[order[n]].shape, err))
				} else if o.Done != nil {
					o.Done(row)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if fail == nil {
		fail = ctx.Err()
	}
	return rows, fail
}

// design makes the case's design.
func (c policyCase) design() (*design.Design, emit.Output, *PolicyRow, error) {
	r := rand.New(rand.NewSource(int64(c.number)))
	var clusters, cores int
	if _, err := fmt.Sscanf(c.shape, "%dx%d", &clusters, &cores); err != nil {
		return nil, nil, nil, fmt.Errorf("shape %q: %w", c.shape, err)
	}
	i, k := c.shapeIndex(), c.number/len(PolicyShapes)
	row := &PolicyRow{Shape: c.shape, Balancer: "tree", Bind: "in_flight"}
	if (i+k)%2 == 1 {
		row.Balancer = "scan"
	}
	if (i/2+k)%2 == 1 {
		row.Bind = "job"
	}
	slots := 24 + 8*(i%3) + r.Intn(5)
	if cores >= 16 {
		slots = 2*cores - r.Intn(8)
	}
	x := &DelayDesign{Head: fmt.Sprintf(`[design]
name = "p%s"
data_width = %d
packet_bytes = %d
slots = %d
requesters = 3

[scheduler]
policy = %q
balancer = %q
bind = %q
programmable = %t
wait_queue = %d
`, c.shape, []int{128, 64, 32, 128, 128, 128}[(i+k)%6], []int{64, 48, 80}[(i+k)%3], slots, c.policy, row.Balancer,
		row.Bind, i%3 != 2, max(1, slots/4))}
	for n := range clusters {
		cl := DelayCluster{
			Name: fmt.Sprintf("c%d", n),
			Keys: fmt.Sprintf("queue = %d\nchoose_list = %d\nkey_slots = %d\n", 1+r.Intn(6), 3+r.Intn(2*cores+4), 3+r.Intn(3)),
		}
		for j := range cores {
			co := DelayCore{Queue: 1 + r.Intn(4)}
			if cores == 1 { // with room for one no packet is ever bound
				co.Queue++
			}
			base := 8 + r.Intn(12)
			for op := range co.Cycles {
				co.Cycles[op] = base + r.Intn(20)
				// some cores lack a command; the first does everything
				if j > 0 && op > 0 && r.Intn(10) == 0 {
					co.Cycles[op] = 0
				}
			}
			cl.Cores = append(cl.Cores, co)
		}
		x.Clusters = append(x.Clusters, cl)
	}
	d, files, err := x.Load()
	if err == nil && d.Clusters[0].Pointer != 0 {
		row.Balancer = "pointer"
	}
	return d, files, row, err
}

// replayPolicy does one design.
func replayPolicy(ctx context.Context, c policyCase, o *PolicyOptions) (*PolicyRow, error) {
	d, files, row, err := c.design()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	s, err := sim.Build(ctx, d, files, sim.Options{Trace: true, Quick: !o.Optimise, Note: o.Note})
	if err != nil {
		return nil, err
	}
	row.Cached = s.Cached
	row.Build = time.Since(begin).Seconds()
	begin = time.Now()
	row.Replay = &sched.ReplayReport{Design: d.Name, Policy: d.Policy}
	run := func(st *workload.Stimulus, check func(*workload.Outcome) []string) error {
		out, rep, err := ReplayRun(ctx, s, st)
		if err != nil {
			return err
		}
		row.Cycles += out.Counters.Cycles
		row.Replay.Add(rep)
		row.Errors = append(row.Errors, clip(check(out))...)
		return nil
	}
	seed := o.Seed*1000 + int64(c.number)
	// random jobs: without stalls, the cores being the bottleneck; then with stalls on both streams
	for part, packets := range []int{o.Packets / 2, o.Packets - o.Packets/2} {
		for done := 0; done < packets; done += partPackets {
			seed += 100000
			jobs := workload.RandomJobs(d, min(partPackets, packets-done), seed)
			p, err := workload.NewPlan(d, jobs)
			if err != nil {
				return nil, err
			}
			st := p.Stimulus(d)
			st.Seed = seed
			if part == 1 {
				Stalls(st)
			}
			st.Cfg = TableWrites(d, seed, 10*len(p.Frames))
			if err := run(st, func(out *workload.Outcome) []string {
				bad := p.CheckOutcome(d, out)
				rs, err := p.Join(out)
				if err != nil {
					return append(bad, err.Error())
				}
				return append(bad, workload.CheckJobs(d, jobs, rs)...)
			}); err != nil {
				return nil, err
			}
		}
	}
	// random frames: errors of each kind, aborts, loads, cut off by clear, and in another run by reset
	for _, kind := range []workload.EventKind{workload.EventClear, workload.EventReset} {
		seed++
		g := workload.NewFrameGen(d, seed)
		n := max(60, o.Packets/100)
		for range 3 {
			g.Restart()
			g.LoadAll()
			first := len(g.Frames)
			g.RandomFrames(n)
			g.Events = append(g.Events, workload.Event{
				Kind: kind, Frame: first + g.Rng.Intn(n), Delay: g.Rng.Intn(200), Length: 1 + g.Rng.Intn(6), SkipTo: len(g.Frames),
			})
		}
		g.Restart()
		g.LoadAll()
		g.RandomFrames(n)
		st := g.Stimulus(seed)
		Stalls(st)
		st.Cfg = TableWrites(d, seed, 10*len(g.Frames))
		if err := run(st, func(out *workload.Outcome) []string { return workload.CheckRun(d, st, out) }); err != nil {
			return nil, err
		}
	}
	row.Run = time.Since(begin).Seconds()
	return row, nil
}

// partPackets is how many packets a run has at most: what is held in memory.
const partPackets = 25000

// TableWrites writes random entries of the weight tables: every table before the first frame, and then one entry in 32
// cycles on average over some cycles. Bases are at most what the document of a design allows, increments those of the
// generated tables or less.
func TableWrites(d *design.Design, seed int64, cycles int) []workload.CfgWrite {
	if !d.CfgPort {
		return nil
	}
	r := rand.New(rand.NewSource(seed))
	var l []workload.CfgWrite
	one := func(at uint64, ci, core, op, table int) {
		c := d.Clusters[ci]
		w := workload.CfgWrite{At: at, Cluster: ci, Addr: table<<8 | core<<2 | op}
		if table == 0 {
			w.Data = uint32(r.Int63n(int64(c.Tables.BaseMax) + 1))
			if r.Intn(2) == 0 { // near the generated one
				w.Data = uint32(min(c.Base[core][op]+uint64(r.Intn(5)), c.Tables.BaseMax))
			}
		} else {
			w.Data = uint32(r.Int63n(int64(c.Inc[core][op]) + 1))
		}
		l = append(l, w)
	}
	any := func(at uint64) {
		ci := r.Intn(len(d.Clusters))
		one(at, ci, r.Intn(d.Clusters[ci].NumCores), r.Intn(design.NumOps), r.Intn(2))
	}
	if seed%2 == 0 {
		for ci, c := range d.Clusters {
			for core := range c.NumCores {
				for op := range design.NumOps {
					one(0, ci, core, op, 0)
				}
			}
		}
	}
	for at := uint64(2000); at < uint64(2000+cycles); at += uint64(1 + r.Intn(64)) {
		any(at)
	}
	return l
}

// Steer writes the tables so that the policy likes one core of each cluster best, core n of those that have so many; and
// into that core's increments what may stand there, time and again. nil: the policy has no table of bases.
func Steer(d *design.Design, n int, seed int64, cycles int) []workload.CfgWrite {
	if !d.CfgPort {
		return nil
	}
	r := rand.New(rand.NewSource(seed))
	var l []workload.CfgWrite
	for ci, c := range d.Clusters {
		for core := range c.NumCores {
			for op := range design.NumOps {
				w := workload.CfgWrite{Cluster: ci, Addr: core<<2 | op, Data: uint32(c.Tables.BaseMax)}
				if core == n%c.NumCores {
					w.Data = 0
				}
				l = append(l, w)
			}
		}
	}
	for at := uint64(2000); at < uint64(2000+cycles); at += uint64(20 + r.Intn(200)) {
		ci, op := r.Intn(len(d.Clusters)), r.Intn(design.NumOps)
		c := d.Clusters[ci]
		core := n % c.NumCores
		l = append(l, workload.CfgWrite{
			At: at, Cluster: ci, Addr: 1<<8 | core<<2 | op, Data: uint32(r.Int63n(int64(c.Inc[core][op]) + 1)),
		})
	}
	return l
}

// ReplayRun runs a stimulus on a simulator built with Trace, and replays its trace.
func ReplayRun(ctx context.Context, s *sim.Simulator, st *workload.Stimulus) (*workload.Outcome, *sched.ReplayReport,
	error) {
	dir, err := os.MkdirTemp("", "hwgen-replay-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	raw := filepath.Join(dir, "raw")
	o, err := s.RunFiles(ctx, st, raw, "")
	if err != nil {
		return nil, nil, err
	}
	rep, err := ReplayRaw(s.D, st, o, raw)
	return o, rep, err
}

// ReplayRaw replays the raw trace of a run: through the binary format, so that what is replayed is what a file would
// hold. The file of that is put beside the raw one.
func ReplayRaw(d *design.Design, st *workload.Stimulus, o *workload.Outcome, raw string) (*sched.ReplayReport, error) {
	file := raw + ".bin"
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(sim.WriteTrace(f, file, d, raw, st.Frames, o), f.Close()); err != nil {
		return nil, err
	}
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return sched.ReplayTrace(d, in)
}

// PolicyTable is the rows as text.
func PolicyTable(rows []*PolicyRow) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-17s %-5s %-8s %-9s %9s %9s %8s %8s %7s %7s %10s %10s  %s\n", "policy", "shape", "balancer", "bind",
		"packets", "decisions", "bound", "parked", "refused", "tables", "scores", "mismatches", "seconds (build, run)")
	for _, r := range rows {
		if r == nil {
			continue
		}
		p := r.Replay
		fmt.Fprintf(&b, "%-17s %-5s %-8s %-9s %9d %9d %8d %8d %7d %7d %10d %10d  %.1f, %.1f\n", p.Policy, r.Shape,
			r.Balancer, r.Bind, p.Packets, p.Decisions, p.Bound, p.Parked, p.Refused, p.Tables, p.Scores, p.Mismatches, r.Build, r.Run)
		for _, e := range r.Errors {
			fmt.Fprintf(&b, "    %s\n", e)
		}
		for i := range p.First {
			fmt.Fprintf(&b, "    %s\n", p.First[i].String())
		}
	}
	return b.String()
}
