// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/regmap"
	"hwgen/gen/sched"
	"hwgen/gen/sim"
	"hwgen/gen/workload"
)

// regsText is a design with registers: an odd number of cores of unlike speed, and a cluster with one.
func regsText(scheduler string) string {
	text := ConfigText("regs", 64, 64, 24, Cluster{"aes128", []string{"aes128_16sbox*2", "aes128_8sbox"}, 6},
		Cluster{"sm4", []string{"sm4_4round"}, 4})
	text = strings.Replace(text, "queue = 16", "queue = 3", 2)
	return strings.Replace(text, "\n[[cluster]]", "\n[scheduler]\n"+scheduler+"\n[control]\naxil = true\n\n[[cluster]]", 1)
}

// host builds the accesses of a host.
type host struct {
	t    *testing.T
	m    *regmap.Map
	list []workload.BusAccess
}

func (h *host) addr(k regmap.Kind, cluster, elem int, name string) uint32 {
	h.t.Helper()
	a, err := h.m.Addr(k, cluster, elem, name)
	require.NoError(h.t, err)
	return a
}

// at makes the next accesses wait for a cycle.
func (h *host) add(at uint64, results int, write bool, addr, data uint32) int {
	h.list = append(h.list, workload.BusAccess{At: at, Results: results, Write: write, Addr: addr, Data: data, Strobes: 15})
	return len(h.list) - 1
}

func (h *host) write(addr, data uint32) int { return h.add(1, 0, true, addr, data) }
func (h *host) read(addr uint32) int        { return h.add(1, 0, false, addr, 0) }

const (
	ctrlSnapshot = 2
	ctrlClear    = 4
)

func (h *host) ctrl(at uint64, bits uint32) int {
	return h.add(at, 0, true, h.addr(regmap.Global, -1, 0, "CTRL"), bits)
}

// counters reads every counter: index of the access of the low word, by its name.
func (h *host) counters() map[string]int {
	l := map[string]int{}
	for _, w := range h.m.Words() {
		if w.Reg.Counter {
			i := h.read(w.Addr)
			if !w.High {
				l[strings.TrimSuffix(w.Name, "_LO")] = i
			}
		}
	}
	return l
}

func regsSim(t *testing.T, scheduler string, trace bool, edit ...func(*design.Design, map[string][]byte)) (*sim.Simulator, *host) {
	needTools(t)
	d, files := generate(t, "regs", regsText(scheduler))
	for _, f := range edit {
		f(d, files)
	}
	s, err := sim.Build(context.Background(), d, files, sim.Options{Quick: true, Trace: trace})
	require.NoError(t, err)
	m, err := regmap.Build(d, "test", "")
	require.NoError(t, err)
	return s, &host{t: t, m: m}
}

// traced runs a stimulus and gives the events of its trace.
func traced(t *testing.T, s *sim.Simulator, st *workload.Stimulus, emit func(e *sched.Event)) *workload.Outcome {
	raw := filepath.Join(t.TempDir(), "raw")
	o, err := s.RunFiles(context.Background(), st, raw, "")
	require.NoError(t, err)
	require.Empty(t, o.Violations)
	f, err := os.Open(raw)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, sim.ReadTrace(f, s.D, st.Frames, o, func(e *sched.Event) error {
		emit(e)
		return nil
	}))
	for i, a := range o.Bus {
		require.True(t, a.Done, "access %d", i)
	}
	return o
}

// tally counts the events of a trace under the names of the counters.
type tally struct {
	d    *design.Design
	n    map[string]uint64
	slot []where
	// starts and completes, by core and by cluster, in the order of cycles; what waits, by cluster and in all
	work map[string][]step
	wait map[string][]step
	held map[string][]step
}

type where struct {
	refused  bool
	core, ci int
}

type step struct {
	cycle uint64
	delta int
}

func newTally(d *design.Design) *tally {
	return &tally{d: d, n: map[string]uint64{}, slot: make([]where, d.Slots), work: map[string][]step{}, wait: map[string][]step{},
		held: map[string][]step{}}
}

var statusCounter = map[workload.Status]string{
	workload.BadHeader: "BAD_HEADER", workload.Unsupported: "UNSUPPORTED", workload.BadLength: "BAD_LENGTH",
	workload.OverQuota: "OVER_QUOTA", 4: "NO_SUCH_JOB", 5: "OUT_OF_SEQUENCE", 6: "CHOOSE_LIST_FULL", 7: "KEY_EMPTY",
	8: "KEY_BUSY", 9: "MAC_MISMATCH", 11: "ABORTED",
}

func (x *tally) cluster(ci int) string    { return strings.ToUpper(x.d.Clusters[ci].Name) }
func (x *tally) core(ci, core int) string { return fmt.Sprintf("%s_COUNT%d", x.cluster(ci), core) }
func (x *tally) add(block, name string)   { x.n[block+"_"+name]++ }
func (x *tally) works(e *sched.Event, delta int) {
	for _, n := range []string{x.core(e.Cluster, e.Core), x.cluster(e.Cluster)} {
		x.work[n] = append(x.work[n], step{e.Cycle, delta})
	}
}

func (x *tally) waits(e *sched.Event, delta int) {
	for _, n := range []string{"GLOBAL", x.cluster(e.Cluster)} {
		x.wait[n] = append(x.wait[n], step{e.Cycle, delta})
	}
}

// isBusy says that a counter is one of cycles with a packet in work.
func isBusy(name string) bool {
	return strings.HasSuffix(name, "_BUSY") && !strings.HasSuffix(name, "_KEY_BUSY")
}

func (x *tally) take(e *sched.Event) {
	switch e.Kind {
	case sched.EventAccept:
		x.add("GLOBAL", "ACCEPTED")
		x.slot[e.Slot] = where{e.Refused, -1, e.Cluster}
		if !e.Refused {
			x.add(x.cluster(e.Cluster), "ACCEPTED")
		}
	case sched.EventPark:
		x.add(x.cluster(e.Cluster), "PARKED")
		x.waits(e, 1)
	case sched.EventUnpark:
		x.waits(e, -1)
	case sched.EventDispatch:
		c := x.core(e.Cluster, e.Core)
		x.add(c, "ACCEPTED")
		x.slot[e.Slot].core = e.Core
		x.held[c] = append(x.held[c], step{e.Cycle, 1})
	case sched.EventCredit:
		c := x.core(e.Cluster, e.Core)
		x.held[c] = append(x.held[c], step{e.Cycle, -1})
	case sched.EventStart:
		x.works(e, 1)
	case sched.EventComplete:
		x.works(e, -1)
	case sched.EventResult:
		x.add("GLOBAL", "RETURNED")
		s := x.slot[e.Slot]
		name := statusCounter[e.Status]
		if s.refused {
			x.add("GLOBAL", name)
			return
		}
		x.add(x.cluster(s.ci), "RETURNED")
		if name != "" {
			x.add(x.cluster(s.ci), name)
		}
		if s.core >= 0 {
			x.add(x.core(s.ci, s.core), "RETURNED")
			if name != "" {
				x.add(x.core(s.ci, s.core), name)
			}
		}
	}
}

// above is how many cycles up to a last one begin with a level above 0, and the highest level of any.
func above(l []step, last uint64) (cycles uint64, peak int) {
	level, at := 0, uint64(0)
	for i := 0; i < len(l); {
		c := l[i].cycle
		if c > last {
			break
		}
		if level > 0 {
			cycles += c - at
		}
		for ; i < len(l) && l[i].cycle == c; i++ {
			level += l[i].delta
		}
		peak = max(peak, level)
		at = c
	}
	if level > 0 && last > at {
		cycles += last - at
	}
	return cycles, peak
}

func value(o *workload.Outcome, at int) uint64 {
	return uint64(o.Bus[at+1].Data)<<32 | uint64(o.Bus[at].Data)
}

// After 100 000 packets every counter is what the trace says, and so is a snapshot taken while they are under way, all
// of the same cycle.
func TestCountersAgreeWithTrace(t *testing.T) {
	s, h := regsSim(t, `balancer = "tree"`, true)
	d := s.D
	p, err := workload.NewPlan(d, workload.RandomJobs(d, 100000, 7))
	require.NoError(t, err)
	st := p.Stimulus(d)
	st.Seed = 7
	Stalls(st)
	var mid []map[string]int
	var snaps []int
	var inside [][3]int // low words of accepted, returned, in flight
	global := func(name string) int { return h.read(h.addr(regmap.Global, -1, 0, name)) }
	for i := range 6 {
		snaps = append(snaps, h.ctrl(uint64(3000+i*90001), ctrlSnapshot))
		mid = append(mid, h.counters())
		for j := range 40 {
			h.ctrl(uint64(1+j%3), ctrlSnapshot)
			inside = append(inside, [3]int{global("ACCEPTED"), global("RETURNED"), global("SNAP_IN_FLIGHT")})
		}
	}
	// a snapshot just before the last, so that the last one's peaks are of no more than its own time
	last := h.add(1, len(st.Frames), true, h.addr(regmap.Global, -1, 0, "CTRL"), ctrlSnapshot)
	end := h.counters()
	st.Bus = h.list

	x := newTally(d)
	type sample struct {
		n    map[string]uint64
		done bool
	}
	var events []sched.Event
	o := traced(t, s, st, func(e *sched.Event) {
		c := *e
		c.Scores, c.Full = nil, nil
		events = append(events, c)
	})
	next := 0
	samples := make([]sample, len(snaps))
	for i := range events {
		e := &events[i]
		// what is counted in the cycle of the write's answer is of two cycles before
		for next < len(snaps) && e.Cycle > o.Bus[snaps[next]].End-2 {
			samples[next] = sample{map[string]uint64{}, true}
			for k, v := range x.n {
				samples[next].n[k] = v
			}
			next++
		}
		x.take(e)
	}
	require.Equal(t, len(snaps), next)
	require.EqualValues(t, len(st.Frames), x.n["GLOBAL_ACCEPTED"])
	require.GreaterOrEqual(t, len(st.Frames), 100000)

	names := 0
	for name, at := range end {
		switch {
		case name == "GLOBAL_CYCLES" || strings.HasSuffix(name, "_STALL"):
			require.NotZero(t, value(o, at), name)
			continue
		case isBusy(name):
			want, _ := above(x.work[strings.TrimSuffix(name, "_BUSY")], o.Bus[last].End)
			require.Equal(t, want, value(o, at), name)
		default:
			require.Equal(t, x.n[name], value(o, at), name)
		}
		names++
	}
	require.Len(t, end, 10+2*12+4*6)
	require.Equal(t, len(end)-1-2-2-4, names) // all but cycles and stalls
	for i, at := range snaps {
		for name, where := range mid[i] {
			got := value(o, where)
			switch {
			case isBusy(name):
				want, _ := above(x.work[strings.TrimSuffix(name, "_BUSY")], o.Bus[at].End-2)
				require.Equal(t, want, got, "snapshot %d: %s", i, name)
			case name == "GLOBAL_ACCEPTED", strings.HasSuffix(name, "_PARKED"), strings.Contains(name, "_COUNT") && strings.HasSuffix(name, "_ACCEPTED"):
				require.Equal(t, samples[i].n[name], got, "snapshot %d: %s", i, name)
			}
		}
	}
	for i, at := range inside {
		require.Equal(t, o.Bus[at[0]].Data-o.Bus[at[1]].Data, o.Bus[at[2]].Data, "snapshot %d", i)
	}
}

// stalls counts again what the counters of stalls count, at the ports and queues themselves, and writes it to +stalls at a
// snapshot, a line a counter.
func stalls(d *design.Design) string {
	var b strings.Builder
	show := ""
	count := func(name, cond string) {
		n := "again_" + name
		fmt.Fprintf(&b, "  reg [63:0] %s = 0;\n  always @(posedge clk) if (rst) %s <= 0; else if (%s) %s <= %s + 1;\n", n, n, cond, n, n)
		show += fmt.Sprintf("    $fwrite(again_f, \"%s %%0d\\n\", %s);\n", name, n)
	}
	count("GLOBAL_JOB_STALL", "s_axis_job_tvalid && !s_axis_job_tready")
	count("GLOBAL_RESULT_STALL", "m_axis_result_tvalid && !m_axis_result_tready")
	for i, c := range d.Clusters {
		name := strings.ToUpper(c.Name)
		count(name+"_STALL", fmt.Sprintf("cq_valid[%d] && !cq_ready[%d]", i, i))
		for j := range c.NumCores {
			count(fmt.Sprintf("%s_COUNT%d_STALL", name, j), fmt.Sprintf("u_cluster_%s.lw_valid[%d] && !u_cluster_%s.lw_ready[%d]", c.Name, j, c.Name, j))
		}
	}
	return "  integer again_f;\n  reg [1023:0] again_name;\n" + b.String() + "  always @(posedge clk) if (u_regs.snap_q && $value$plusargs(\"stalls=%s\", again_name)) begin\n" +
		"    again_f = $fopen(again_name, \"w\");\n" + show + "    $fclose(again_f);\n  end\n"
}

// Errors of every kind are counted by status; peaks are those of the trace; stalls are those at the ports and queues.
func TestErrorsAndPeaksAreCounted(t *testing.T) {
	s, h := regsSim(t, `balancer = "scan"`, true, func(d *design.Design, files map[string][]byte) {
		top := "rtl/" + d.Top + ".v"
		files[top] = []byte(strings.Replace(string(files[top]), "endmodule", stalls(d)+"endmodule", 1))
	})
	file := filepath.Join(t.TempDir(), "stalls")
	s.Args = append(s.Args, "+stalls="+file)
	g := workload.NewFrameGen(s.D, 3)
	g.LoadAll()
	g.RandomFrames(6000)
	st := g.Stimulus(3)
	Stalls(st)
	st.Gap = 0 // so that packets pile up
	h.add(1, len(st.Frames), true, h.addr(regmap.Global, -1, 0, "CTRL"), ctrlSnapshot)
	end := h.counters()
	wait := map[string]int{"GLOBAL": h.read(h.addr(regmap.Global, -1, 0, "WAIT_PEAK"))}
	peaks := map[string]int{}
	for ci, c := range s.D.Clusters {
		wait[strings.ToUpper(c.Name)] = h.read(h.addr(regmap.Cluster, ci, 0, "WAIT_PEAK"))
		for j := range c.NumCores {
			peaks[fmt.Sprintf("%s_COUNT%d", strings.ToUpper(c.Name), j)] = h.read(h.addr(regmap.Core, ci, j, "PEAK"))
		}
	}
	irq := h.read(h.addr(regmap.Global, -1, 0, "IRQ_STATUS"))
	st.Bus = h.list
	x := newTally(s.D)
	o := traced(t, s, st, x.take)
	seen := 0
	for name, at := range end {
		if name == "GLOBAL_CYCLES" || strings.HasSuffix(name, "_STALL") || isBusy(name) {
			continue
		}
		require.Equal(t, x.n[name], value(o, at), name)
		if x.n[name] > 0 {
			seen++
		}
	}
	require.Greater(t, seen, 20)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	again := strings.Fields(string(b))
	require.Len(t, again, 2*(2+2+4))
	for i := 0; i < len(again); i += 2 {
		require.NotEqual(t, "0", again[i+1], again[i])
		require.Equal(t, again[i+1], fmt.Sprint(value(o, end[again[i]])), again[i])
	}
	waited := 0
	for c, at := range wait {
		_, most := above(x.wait[c], ^uint64(0))
		require.EqualValues(t, most, o.Bus[at].Data, c)
		waited += most
	}
	require.Greater(t, waited, 2, "%v", x.wait)
	for c, at := range peaks {
		_, most := above(x.held[c], ^uint64(0))
		require.EqualValues(t, most, o.Bus[at].Data, c)
	}
	require.EqualValues(t, 8|2, o.Bus[irq].Data&(8|2), "error and snapshot_done")
}

// Sets of weights are written and committed while packets are under way. The trace, in which a table's entries stand in
// the cycle in which they are copied, is replayed: every decision saw a whole set, and those that began four or more
// cycles after the commit the new one.
func TestWeightsTakeEffectAsASet(t *testing.T) {
	for _, scheduler := range []string{
		`balancer = "tree"`, `balancer = "scan"`, "policy = \"wrr\"\nbalancer = \"scan\"",
	} {
		t.Run(scheduler, func(t *testing.T) {
			s, h := regsSim(t, scheduler, true)
			d := s.D
			p, err := workload.NewPlan(d, workload.RandomJobs(d, 4000, 5))
			require.NoError(t, err)
			st := p.Stimulus(d)
			r := rand.New(rand.NewSource(9))
			var commits []int
			for n := range 100 {
				h.add(uint64(1000+400*n), 0, false, h.addr(regmap.Global, -1, 0, "STATUS"), 0)
				for ci, c := range d.Clusters {
					info := h.m.Clusters[ci]
					base, inc := h.addr(regmap.Weights, ci, 0, "BASE"), h.addr(regmap.Weights, ci, 0, "INC")
					for j := range c.NumCores {
						for op := range 4 {
							off := uint32(0x20*j + 4*op)
							require.LessOrEqual(t, c.Base[j][op], info.BaseMax)
							require.LessOrEqual(t, c.Inc[j][op], info.IncMax[j])
							h.write(base+off, uint32(r.Int63n(int64(info.BaseMax)+1)))
							h.write(inc+off, uint32(r.Int63n(int64(info.IncMax[j])+1)))
						}
					}
				}
				commits = append(commits, h.ctrl(1, ctrlCommit))
			}
			st.Bus = h.list
			out, rep, err := ReplayRun(context.Background(), s, st)
			require.NoError(t, err)
			require.Empty(t, p.CheckOutcome(d, out))
			require.True(t, rep.OK(), "%v", rep.First)
			require.GreaterOrEqual(t, rep.Tables, 100*8*4)

			// no decision and no dispatch while a set is copied; all of it is copied after the commit
			var tables [][]uint64
			decided, dispatches := map[int][]uint64{}, map[int][]uint64{}
			tables = make([][]uint64, len(d.Clusters))
			o := traced(t, s, st, func(e *sched.Event) {
				switch e.Kind {
				case sched.EventTable:
					tables[e.Cluster] = append(tables[e.Cluster], e.Cycle)
				case sched.EventDispatch:
					dispatches[e.Cluster] = append(dispatches[e.Cluster], e.Cycle)
					if !e.Bound {
						decided[e.Cluster] = append(decided[e.Cluster], e.Decided)
					}
				}
			})
			require.NotEmpty(t, decided)
			for ci, c := range d.Clusters {
				n := 8 * c.NumCores
				require.Len(t, tables[ci], n*len(commits))
				for k, i := range commits {
					// the write is done the cycle before its answer, and the commit is a cycle later
					commit := o.Bus[i].End
					first, last := tables[ci][k*n], tables[ci][k*n+n-1]
					require.Greater(t, first, commit+1)
					for _, at := range decided[ci] {
						require.False(t, at >= commit+4 && at <= last, "commit %d in cycle %d, scores read in %d, entries %d to %d", k, commit, at, first, last)
					}
					for _, at := range dispatches[ci] {
						require.False(t, at >= commit+4 && at <= last, "commit %d in cycle %d, dispatch in %d, entries %d to %d", k, commit, at, first, last)
					}
				}
			}
		})
	}
}

// A core that is drained gets nothing but packets bound to it; the last core of a command stays; capacities hold.
func TestDrainAndCap(t *testing.T) {
	s, h := regsSim(t, "balancer = \"tree\"", true)
	d := s.D
	g := workload.NewFrameGen(d, 4)
	key := g.Load(0, 0, 0, 0, g.Random(16))
	g.Add(key)
	for i := range 400 {
		f := workload.Frame{Bytes: workload.Pack(workload.Header{Mode: cipher.ECB, Cookie: uint32(i)}, nil, g.Random(64))}
		if i == 0 {
			f.AfterResult = []int{0}
		}
		g.Add(f)
	}
	ctrl := func(j int) uint32 { return h.addr(regmap.Core, 0, j, "CTRL") }
	limit := h.addr(regmap.Core, 0, 2, "CAP")
	status := h.addr(regmap.Core, 0, 0, "STATUS")
	drain := h.add(1500, 0, true, ctrl(0), 0)
	h.write(limit, 1)
	more := h.add(2500, 0, false, status, 0)
	second := h.write(ctrl(1), 0)
	third := h.write(ctrl(2), 0) // the last one
	only := h.write(h.addr(regmap.Core, 1, 0, "CTRL"), 0)
	back := h.add(5000, 0, true, ctrl(1), 1)
	zero, over := h.write(limit, 0), h.write(limit, uint32(d.Clusters[0].Cores[2].Cap)+1)
	capNow := h.read(limit)
	enabled := h.read(ctrl(2))
	irq := h.read(h.addr(regmap.Global, -1, 0, "IRQ_STATUS"))
	st := g.Stimulus(4)
	st.Bus = h.list
	late := map[int]int{}
	held, most := 0, 0
	var o *workload.Outcome
	type dispatch struct {
		cycle uint64
		core  int
	}
	var all []dispatch
	o = traced(t, s, st, func(e *sched.Event) {
		switch {
		case e.Kind == sched.EventDispatch:
			all = append(all, dispatch{e.Cycle, e.Core})
			if e.Core == 2 {
				held++
				if e.Cycle > 2000 {
					most = max(most, held)
				}
			}
		case e.Kind == sched.EventCredit && e.Core == 2:
			held--
		}
	})
	for _, x := range all {
		switch {
		case x.core == 0 && x.cycle > o.Bus[drain].End+8:
			late[0]++
		case x.core == 1 && x.cycle > o.Bus[second].End+8 && x.cycle < o.Bus[back].End:
			late[1]++
		case x.core == 1 && x.cycle > o.Bus[back].End:
			late[2]++
		}
	}
	require.Zero(t, late[0], "dispatches to a drained core")
	require.Zero(t, late[1])
	require.NotZero(t, late[2], "an enabled core works again")
	require.Equal(t, 1, most, "the capacity that was written")
	ok := func(i int) { t.Helper(); require.Zero(t, o.Bus[i].Resp) }
	no := func(i int) { t.Helper(); require.EqualValues(t, 2, o.Bus[i].Resp) }
	ok(drain)
	ok(second)
	no(third)
	no(only)
	no(zero)
	no(over)
	require.EqualValues(t, 1, o.Bus[capNow].Data)
	require.EqualValues(t, 1, o.Bus[enabled].Data)
	require.Zero(t, o.Bus[more].Data)
	require.EqualValues(t, 16, o.Bus[irq].Data&16, "drained")
	require.Empty(t, workload.CheckRun(d, st, o))
}

// Every address of the space: what the map has reads its reset value, all else is SLVERR; writes of what is not
// writable change nothing; a clear by the host is a clear.
func TestRegistersAnswerAsMapped(t *testing.T) {
	s, h := regsSim(t, "balancer = \"tree\"", false)
	known := map[uint32]regmap.Word{}
	for _, w := range h.m.Words() {
		known[w.Addr] = w
	}
	reads := map[int]uint32{}
	for a := uint32(0); a < 1<<h.m.AddrW; a += 4 {
		if _, ok := known[a]; ok || a%0x1000 < 0x120 || a%0x40 == 0x3c {
			reads[h.read(a)] = a
		}
	}
	type pair struct{ write, read int }
	var refused []pair
	for _, w := range h.m.Words() {
		if !w.Reg.Writable() || w.Reg.Name == "CAP" {
			continue
		}
		switch w.Reg.Name {
		case "BASE", "INC":
			refused = append(refused, pair{h.write(w.Addr, ^uint32(0)), h.read(w.Addr)})
		}
	}
	for a, w := range known {
		if !w.Reg.Writable() {
			refused = append(refused, pair{h.write(a, ^uint32(0)), h.read(a)})
		}
	}
	first := h.addr(regmap.Weights, 0, 0, "BASE")
	part := len(h.list)
	h.list = append(h.list, workload.BusAccess{At: 1, Write: true, Addr: first, Data: 1, Strobes: 0xe},
		workload.BusAccess{At: 1, Write: true, Addr: first, Data: 1, Strobes: 0})
	stays := h.read(first)
	note := h.addr(regmap.Cluster, 0, 0, "NOTE")
	h.write(note, 0x11223344)
	h.list = append(h.list, workload.BusAccess{At: 1, Write: true, Addr: note, Data: 0xaabbccdd, Strobes: 5})
	merged := h.read(note)
	active := h.read(h.addr(regmap.Cluster, 0, 0, "NOTE_ACTIVE"))
	h.ctrl(1, ctrlCommit)
	after := h.read(h.addr(regmap.Cluster, 0, 0, "NOTE_ACTIVE"))
	h.write(h.addr(regmap.Global, -1, 0, "IRQ_STATUS"), 63)
	h.ctrl(1, ctrlClear)
	cleared := h.add(40000, 0, false, h.addr(regmap.Global, -1, 0, "IRQ_STATUS"), 0)
	beyond := h.write(1<<h.m.AddrW-4, 0)
	g := workload.NewFrameGen(s.D, 1)
	g.LoadAll()
	st := g.Stimulus(1)
	for i := range st.Frames {
		st.Frames[i].Arrival = 45000
	}
	st.Bus = h.list
	o, err := s.Run(st)
	require.NoError(t, err)
	require.Empty(t, o.Violations)
	first64 := map[uint32]uint32{}
	for i, a := range reads {
		w, ok := known[a]
		if !ok {
			require.EqualValues(t, 2, o.Bus[i].Resp, "read of %#x", a)
			require.Zero(t, o.Bus[i].Data)
			continue
		}
		require.Zero(t, o.Bus[i].Resp, "%s", w.Name)
		first64[a] = o.Bus[i].Data
		for _, f := range w.Reg.Fields {
			if !f.Volatile && !w.Reg.Counter {
				require.EqualValues(t, f.Reset, o.Bus[i].Data>>f.LSB&(f.Mask()>>f.LSB), "%s.%s", w.Name, f.Name)
			}
		}
	}
	for ci, c := range s.D.Clusters {
		for j := range c.NumCores {
			for op := range 4 {
				off := uint32(0x20*j + 4*op)
				require.EqualValues(t, c.Base[j][op], first64[h.addr(regmap.Weights, ci, 0, "BASE")+off])
				require.EqualValues(t, c.Inc[j][op], first64[h.addr(regmap.Weights, ci, 0, "INC")+off])
			}
			require.EqualValues(t, c.Cores[j].Cap, first64[h.addr(regmap.Core, ci, j, "CAP")])
			require.EqualValues(t, c.Cores[j].Cycles[0]|c.Cores[j].Cycles[1]<<16, first64[h.addr(regmap.Core, ci, j, "SPEED")])
		}
	}
	for _, p := range refused {
		require.EqualValues(t, 2, o.Bus[p.write].Resp, "write of %#x", h.list[p.write].Addr)
		a := h.list[p.read].Addr
		// what frames move is not still
		if w := known[a]; !w.Reg.Counter && !slices.Contains([]string{"STATUS", "IN_FLIGHT", "LEVEL", "WAIT_LEVEL"}, w.Reg.Name) {
			require.Equal(t, first64[a], o.Bus[p.read].Data, "%s after a refused write", w.Name)
		}
	}
	require.EqualValues(t, 2, o.Bus[part].Resp, "part of an entry")
	require.Zero(t, o.Bus[part+1].Resp, "without strobes")
	require.Equal(t, first64[first], o.Bus[stays].Data)
	require.EqualValues(t, 0x11bb33dd, o.Bus[merged].Data)
	require.Zero(t, o.Bus[active].Data)
	require.EqualValues(t, 0x11bb33dd, o.Bus[after].Data)
	require.EqualValues(t, 4, o.Bus[cleared].Data&4, "clear_done")
	require.EqualValues(t, 2, o.Bus[beyond].Resp)
}
