// SPDX-License-Identifier: Apache-2.0

package paper

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hwgen/gen/cipher"
	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/emit"
	"hwgen/gen/policy"
	"hwgen/gen/report"
	"hwgen/gen/sim"
	"hwgen/gen/workload"
	"hwgen/tb"
)

// Experiment 4 on generated RTL. One design serves all draws with as many cores: the cores take their times from the
// key (tb/hwgen_keyed_delay_core.v), and the policy's tables are written before the first packet. `static` has no
// tables and is a design of its own.

const (
	// RTLDraws is the number of draws of each setting on RTL.
	RTLDraws = 10
	// quickDraws is from how many draws on it pays to compile with optimisation.
	quickDraws = 4
	// unitCycles are the clock cycles of a unit of the paper.
	unitCycles = 16
	// rtlSlots is the most that a design can have. Core queues share them, so that CAP is less where there are many cores.
	rtlSlots = 256
	// rtlStart is the cycle from which packets arrive: the key is loaded then.
	rtlStart = 8000
)

// rtlPolicies are compared on RTL; weighted takes the alpha that is best in the model.
var rtlPolicies = []string{"static", bestWeighted, "affinity"}

// rtlSetting is a figure's setting.
type rtlSetting struct {
	id, title, setting, x string
	at                    []int
	work                  func(x int) Workload
	slots                 int // packet slots of the design, and open chained jobs
}

// rtlFigures are the figures of experiment 4 with their settings.
var rtlFigures = []rtlSetting{
	{
		id: "10", title: "Paper 1, figure 10, on generated RTL: 4 cores",
		setting: "a time for each core and command from [16, 36], CAP 200, k = 6.25",
		x:       "packets", at: packets4, slots: rtlSlots,
		work: func(p int) Workload {
			return Workload{Cores: 4, Times: "4op", T: paperTimes, Cap: 200, Packets: p, Gap: 25. / 4}
		},
	},
	{
		id: "11", title: "Paper 1, figure 11, on generated RTL: 10 cores",
		setting: "a time for each core and command from [16, 36], CAP 200, k = 2.6",
		x:       "packets", at: packets10, slots: rtlSlots,
		work: func(p int) Workload {
			return Workload{Cores: 10, Times: "4op", T: paperTimes, Cap: 200, Packets: p, Gap: 26. / 10}
		},
	},
	{
		id: "12", title: "Paper 1, figure 12, on generated RTL: makespan against the number of cores",
		setting: "one time a core from [16, 36], all packets at once, CAP 60 and 1000 packets for 4 cores, both 4/N of that for " +
			"more: a design has 256 packet slots",
		x: "cores", at: cores12, slots: rtlSlots,
		work: func(n int) Workload {
			return Workload{Cores: n, Times: "1t", T: paperTimes, Cap: 240 / n, Packets: 4000 / n}
		},
	},
}

// rtlDesign is a compiled design.
type rtlDesign struct {
	d    *design.Design
	s    *sim.Simulator
	once sync.Once
	err  error
}

// rtlKey tells designs apart.
type rtlKey struct {
	cores, capacity, slots int
	static                 bool
}

const coreWrapper = `// SPDX-License-Identifier: Apache-2.0
// A core whose times come with the key.
` + "`default_nettype none" + `
module %s (
  input  wire         clk,
  input  wire         rst,
  input  wire         in_valid,
  output wire         in_ready,
  input  wire [1:0]   in_op,
  input  wire         in_decrypt,
  input  wire [255:0] in_key,
  input  wire [127:0] in_block,
  output wire         out_valid,
  input  wire         out_ready,
  output wire [127:0] out_block
);
  hwgen_keyed_delay_core #(.CORE(%d), .UNIT(%d)) u_core (
    .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_op(in_op),
    .in_decrypt(in_decrypt), .in_key(in_key), .in_block(in_block),
    .out_valid(out_valid), .out_ready(out_ready), .out_block(out_block)
  );
endmodule
` + "`default_nettype wire" + `
`

// load elaborates and renders the design; its config names the mean time for every core.
func (k rtlKey) load() (*design.Design, emit.Output, error) {
	const source = "hwgen_keyed_delay_core.v"
	dir, err := os.MkdirTemp("", "hwgen-paper-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	b, err := tb.FS.ReadFile(source)
	if err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, source), b, 0o644); err != nil {
		return nil, nil, err
	}
	name := "affinity"
	if k.static {
		name = "static"
	}
	var text strings.Builder
	fmt.Fprintf(&text, `[design]
name = "paper"
data_width = 128
packet_bytes = 32
slots = %d
requesters = 1

[scheduler]
policy = %q
programmable = %t

[[cluster]]
name = "c"
algorithm = "aes256"
queue = %[1]d
choose_list = %[1]d
key_slots = 1
`, k.slots, name, !k.static)
	slow := unitCycles * paperTimes[1]
	for j := range k.cores {
		module := fmt.Sprintf("core_%d", j)
		src := fmt.Sprintf(coreWrapper, module, j, unitCycles)
		if err := os.WriteFile(filepath.Join(dir, module+".v"), []byte(src), 0o644); err != nil {
			return nil, nil, err
		}
		fmt.Fprintf(&text, `
[[cluster.core]]
module = %q
sources = [%q, %q]
cycles = { encrypt = %d, decrypt = %[4]d, sign = %[4]d, verify = %[4]d }
queue = %[5]d
`, module, module+".v", source, slow, k.capacity)
	}
	c, err := config.Parse(filepath.Join(dir, "paper.toml"), dir, []byte(text.String()))
	if err != nil {
		return nil, nil, err
	}
	d, err := design.Elaborate(c)
	if err != nil {
		return nil, nil, err
	}
	out, err := emit.Emit(d, emit.Options{Version: "paper", ConfigHash: c.Hash, SourcePath: c.SourcePath})
	if err != nil {
		return nil, nil, err
	}
	d.Clusters[0].Algorithm = cipher.Delay // what the cores compute
	return d, out, nil
}

// rtlRun is a draw on RTL.
type rtlRun struct {
	makespan float64 // units, from the first arrival to the end of the last result
}

// run runs a draw on a compiled design.
func (x *rtlDesign) run(ctx context.Context, d *Draw, p Policy) (*rtlRun, error) {
	if p.Name == "static" {
		return x.runTables(ctx, d, nil)
	}
	t, err := d.tables(p)
	if err != nil {
		return nil, err
	}
	return x.runTables(ctx, d, t)
}

// runTables is run with tables; nil: the design has none.
func (x *rtlDesign) runTables(ctx context.Context, d *Draw, t *policy.Tables) (*rtlRun, error) {
	jobs, err := d.jobs()
	if err != nil {
		return nil, err
	}
	plan, err := workload.NewPlan(x.d, jobs)
	if err != nil {
		return nil, err
	}
	st := plan.Stimulus(x.d)
	if t != nil {
		if st.Cfg, err = writes(x.d.Clusters[0], t); err != nil {
			return nil, err
		}
	}
	o, err := x.s.RunFiles(ctx, st, "", "")
	if err != nil {
		return nil, err
	}
	bad := plan.CheckOutcome(x.d, o)
	if len(bad) == 0 {
		rs, err := plan.Join(o)
		if err != nil {
			return nil, err
		}
		for i := range jobs {
			jobs[i].Key = jobs[i].Key[:cipher.KeySize(cipher.Delay)] // what the cores use of it
		}
		bad = workload.CheckJobs(x.d, jobs, rs)
	}
	if len(bad) > 0 {
		return nil, fmt.Errorf("%d errors on RTL, the first: %s", len(bad), bad[0])
	}
	end := uint64(0)
	for i := range o.Results {
		end = max(end, o.Results[i].Last+1)
	}
	return &rtlRun{makespan: float64(end-rtlStart) / unitCycles}, nil
}

// jobs are the packets as jobs of one packet each, after others that bring the key. Those are as many as there are
// cores, so that the pointer of static is at core 0 again.
func (d *Draw) jobs() ([]workload.Job, error) {
	key := make([]byte, 32)
	for j, times := range d.Cycles {
		for op, t := range times {
			for b := range 6 {
				if bit := 6*(4*j+op) + b; t>>b&1 == 1 {
					key[31-bit/8] |= 1 << (bit % 8)
				}
			}
		}
	}
	first := workload.Job{Cmd: cipher.Encrypt, Mode: cipher.ECB, Key: key, Data: make([]byte, 16)}
	var out []workload.Job
	for j := range d.Cycles {
		first.ID = uint32(len(d.Packets) + j)
		out = append(out, first)
	}
	for i := range d.Packets {
		p := &d.Packets[i]
		j := first
		j.ID = uint32(i)
		j.Cmd = cipher.Cmd(p.Op)
		j.Arrival = rtlStart + uint64(math.Round(float64(p.Arrival)*unitCycles/float64(d.Tick)))
		j.Data = []byte(fmt.Sprintf("packet %9d", i))
		if j.Cmd == cipher.Sign || j.Cmd == cipher.Verify {
			j.Mode = cipher.MAC
		}
		if j.Cmd == cipher.Verify {
			short := key[:cipher.KeySize(cipher.Delay)] // what the cores use of it
			tag, _, err := cipher.Run(cipher.Delay, cipher.Sign, cipher.MAC, short, nil, j.Data, nil)
			if err != nil {
				return nil, err
			}
			j.Tag = tag
		}
		out = append(out, j)
	}
	return out, nil
}

// writes are the table writes that give a cluster these tables.
func writes(c *design.Cluster, t *policy.Tables) ([]workload.CfgWrite, error) {
	var l []workload.CfgWrite
	for j := range t.Base {
		for op := range design.NumOps {
			base, inc := t.Base[j][op], t.Inc[j][op]
			if inc > c.Inc[j][op] || base > c.Tables.BaseMax {
				return nil, fmt.Errorf("core %d, command %d: base %d, increment %d: the design holds %d and %d", j, op, base, inc,
					c.Tables.BaseMax, c.Inc[j][op])
			}
			l = append(l, workload.CfgWrite{Addr: j<<2 | op, Data: uint32(base)},
				workload.CfgWrite{Addr: 1<<8 | j<<2 | op, Data: uint32(inc)})
		}
	}
	return l, nil
}

// RTLIDs are the experiments that run on RTL.
func RTLIDs() []string {
	var ids []string
	for _, f := range rtlFigures {
		ids = append(ids, f.id)
	}
	return ids
}

// RunRTL runs the figures of experiment 4 whose IDs are given, all if none is, on generated RTL, and sets them beside
// the model.
func RunRTL(ctx context.Context, ids []string, opt Options) (*Result, error) {
	if opt.Draws == 0 {
		opt.Draws = RTLDraws
	}
	r := newRunner(ctx, opt, 0)
	designs := map[rtlKey]*rtlDesign{}
	want := func(id string) bool { return len(ids) == 0 || slices.Contains(ids, id) }
	for _, f := range rtlFigures {
		if !want(f.id) {
			continue
		}
		r.total += len(f.at) * opt.Draws
		for _, at := range f.at {
			w := f.work(at)
			for _, static := range []bool{false, true} {
				if k := (rtlKey{w.Cores, w.Cap, f.slots, static}); designs[k] == nil {
					designs[k] = &rtlDesign{}
				}
			}
		}
	}
	res := &Result{Seed: opt.Seed, RTL: true}
	for _, f := range rtlFigures {
		if !want(f.id) {
			continue
		}
		fig, err := r.rtlFigure(&f, designs)
		if err != nil {
			return nil, err
		}
		res.Figures = append(res.Figures, fig)
	}
	return res, nil
}

// build compiles the design once.
func (x *rtlDesign) build(ctx context.Context, k rtlKey, quick bool, note func(string, ...any)) error {
	x.once.Do(func() {
		var files emit.Output
		if x.d, files, x.err = k.load(); x.err == nil {
			x.s, x.err = sim.Build(ctx, x.d, files, sim.Options{Quick: quick, Note: note})
		}
	})
	return x.err
}

func (r *runner) rtlFigure(set *rtlSetting, designs map[rtlKey]*rtlDesign) (*Figure, error) {
	id, x, at := set.id, set.x, set.at
	draws := r.draws()
	n := len(rtlPolicies)
	got := make([][]float64, len(at)*draws)
	err := r.each(len(got), func(i int) error {
		w := set.work(at[i/draws])
		d, err := w.Draw(rng(r.opt.Seed, "figure "+id, i%draws))
		if err != nil {
			return err
		}
		alpha, _, err := d.Best(alphas, false)
		if err != nil {
			return err
		}
		var rtl, model []float64
		for _, p := range []Policy{{Name: "static"}, {Name: "weighted", Alpha: alpha}, {Name: "affinity", Lambda: 4}} {
			k := rtlKey{w.Cores, w.Cap, set.slots, p.Name == "static"}
			if err := designs[k].build(r.ctx, k, draws < quickDraws, r.opt.Note); err != nil {
				return err
			}
			run, err := designs[k].run(r.ctx, d, p)
			if err != nil {
				return fmt.Errorf("figure %s, draw %d, %s: %w", id, i%draws, p.Name, err)
			}
			o, err := d.Run(p)
			if err != nil {
				return err
			}
			rtl, model = append(rtl, run.makespan), append(model, o.Makespan)
		}
		got[i] = append(rtl, model...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	f := &Figure{
		ID: id + "-rtl", Title: set.title,
		Setting: set.setting + fmt.Sprintf("; no chained jobs, %d cycles a unit, packets of one block, sign and "+
			"verify as jobs of one packet", unitCycles),
		Note: "The model beside it is the papers' one, in which nothing but the cores takes time. On RTL a packet " +
			"comes in on a stream, is decided, fetched and written back, and the last result has to leave.",
	}
	values := func(point int, of func(v []float64) float64) Sample {
		var s []float64
		for i := range draws {
			s = append(s, of(got[point*draws+i]))
		}
		return sample(s)
	}
	ch := report.Chart{File: "figure_" + id + "_rtl", Title: "Makespan on RTL and in the model", X: x,
		Y: "makespan, units", FromY0: true}
	gains := report.Chart{File: "figure_" + id + "_rtl_gain", Title: "Shorter than HHS-ACDID on RTL and in the model",
		X: x, Y: "gain, %", FromY0: true}
	add := func(ch *report.Chart, name, unit string, of func(v []float64) float64) {
		l := Line{Name: name, Unit: unit, X: x, At: toFloats(at)}
		for p := range at {
			l.Values = append(l.Values, values(p, of))
		}
		f.Lines = append(f.Lines, l)
		s := l.series()
		if ch == &gains {
			s.Name = strings.TrimPrefix(name, "gain of ")
		} else {
			s.Err = nil
		}
		ch.Series = append(ch.Series, s)
	}
	for k, p := range rtlPolicies {
		add(&ch, p+", RTL", "units", func(v []float64) float64 { return v[k] })
		add(&ch, p+", model", "units", func(v []float64) float64 { return v[n+k] })
	}
	for k, p := range rtlPolicies[1:] {
		add(&gains, "gain of "+p+", RTL", "%", func(v []float64) float64 { return 100 * (1 - v[k+1]/v[0]) })
		add(&gains, "gain of "+p+", model", "%", func(v []float64) float64 { return 100 * (1 - v[n+k+1]/v[n]) })
	}
	f.Charts = []report.Chart{ch, gains}
	for k, p := range rtlPolicies[1:] {
		rtl, model := f.Lines[2*n+2*k], f.Lines[2*n+2*k+1]
		paperSays := fmt.Sprintf("%.1f to %.1f %% in figures 10 and 11", gainLeast, gainMost)
		if id == "12" {
			paperSays = fmt.Sprintf("%.1f %% -> %.1f %%", gain4, gain10)
		}
		if k > 0 {
			paperSays = "-"
		}
		worst := 0.0
		for i := range at {
			worst = max(worst, math.Abs(rtl.Values[i].Mean-model.Values[i].Mean))
		}
		f.Rows = append(f.Rows, Row{
			Quantity: fmt.Sprintf("gain over HHS-ACDID on RTL, %s, %d -> %d %s", p, at[0], at[len(at)-1], x), Paper: paperSays,
			Ours: rtl.ends("%.1f ± %.1f") + fmt.Sprintf(" %%; model %s %%", model.ends("%.1f ± %.1f")), Fits: worst <= 1,
		})
	}
	for k, p := range rtlPolicies {
		var over []float64
		for _, v := range got {
			over = append(over, 100*(v[k]/v[n+k]-1))
		}
		s := sample(over)
		f.Rows = append(f.Rows, Row{
			Quantity: "makespan on RTL over the model's, " + p, Paper: "-",
			Ours: fmt.Sprintf("%+.2f ± %.2f %%, at most %+.2f %%", s.Mean, s.SD, s.Max),
			Fits: math.Abs(s.Mean) <= 1,
		})
	}
	return f, nil
}
