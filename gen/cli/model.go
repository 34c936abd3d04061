// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/sched"
	"hwgen/gen/traffic"
	"hwgen/gen/workload"
)

func init() { commands = append(commands, newModelCmd) }

func newModelCmd(app *App) *cobra.Command {
	var configPath, spec, policyName string
	var asJSON, asCSV, fast, exact bool
	c := &cobra.Command{
		Use:   "model [-config FILE] -workload W [-policy POLICY] [-exact | -fast]",
		Short: "Predict a run of the generated RTL: makespan, waits, how busy each core is",
		Long: `Predicts what the generated RTL does with a workload, from the config alone: every decision as the RTL makes it, and
the latencies of its streams, queues and lanes. Nothing is generated or simulated, and a workload may be of any length.

Up to 131072 packets and key loads are followed cycle by cycle, and sent as hwgen sim sends them. Longer workloads are streamed and
followed packet by packet, about six times as fast: nothing is left out but a few cycles in which a packet waits for a
port that cores share. -exact or -fast take the one or the other for any length; a scan balancer is always exact.

Times are clock cycles, counted from reset. A wait is from a packet's arrival to its first block in a core; a response
from its arrival to the last beat of its result. p99 is at most 0.8 % too high. The lower bound is what the cores need
whatever the scheduler does. docs/model.md says what is modelled and how exact it is.`,
		Example: `  hwgen model -config quad.toml -workload poisson:load=0.8
  hwgen model -config quad.toml -workload jobs.jsonl -policy round_robin
  hwgen model -config quad.toml -workload capture.pcap:modes=ctr -json
  hwgen model -config quad.toml -workload saturated:packets=5000 -csv
  hwgen model -config quad.toml -workload bursty:packets=10000000,load=0.7      # fast, seconds
  hwgen model -config quad.toml -workload bursty:packets=1000000 -exact`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if spec == "" {
				return diag.Usage("model needs -workload W; see `hwgen workload -help`")
			}
			if asJSON && asCSV {
				return diag.Usage("-json and -csv: one of them")
			}
			if fast && exact {
				return diag.Usage("-fast and -exact: one of them")
			}
			l, err := app.Load(configPath)
			if err != nil {
				return err
			}
			if err := l.setPolicy(policyName); err != nil {
				return err
			}
			m, err := runModel(l.Design, spec, fast, exact)
			if err != nil {
				return err
			}
			switch {
			case asJSON:
				return app.PrintJSON(m)
			case asCSV:
				return app.modelCSV(m)
			}
			app.printModel(m)
			return nil
		},
	}
	configFlag(c, &configPath)
	workloadFlag(c, &spec)
	c.Flags().StringVar(&policyName, "policy", "", "this `POLICY` in place of the config's, see `hwgen policies`")
	c.Flags().BoolVar(&fast, "fast", false, "packet by packet, whatever the workload's length")
	c.Flags().BoolVar(&exact, "exact", false, "cycle by cycle, whatever the workload's length")
	c.Flags().BoolVar(&asCSV, "csv", false, "print CSV: metric,cluster,core,value")
	jsonFlag(c, &asJSON)
	return c
}

// setPolicy elaborates the design anew with another policy.
func (l *Loaded) setPolicy(name string) error {
	if name == "" {
		return nil
	}
	names := config.PolicyNames()
	if !slices.Contains(names, name) {
		return diag.Usage("-policy: unknown policy %q; %s", name, diag.Allowed(name, names))
	}
	s := &l.Config.Scheduler
	if p, _ := config.PolicyByName(name); slices.Contains(p.Keys, "beta") && s.Alpha.V == 0 && s.Beta.V == 0 {
		return diag.List{{Pos: s.Beta.Pos, Msg: "-policy " + name + ": alpha and beta are both 0", Hint: "one of them must be above 0"}}
	}
	s.Policy.V = name
	d, err := design.Elaborate(l.Config)
	if err != nil {
		return diag.Usage("-policy %s: %w", name, err)
	}
	l.Design = d
	return nil
}

// modelReport is what `hwgen model` prints.
type modelReport struct {
	Design   string `json:"design"`
	Policy   string `json:"policy"`
	Workload string `json:"workload"`
	Exact    bool   `json:"exact"` // followed cycle by cycle; false: packet by packet
	// cycles from reset to the end of the last result; the bound; how far the makespan is above it
	Makespan   int64    `json:"makespan"`
	LowerBound float64  `json:"lower_bound"`
	AbovePct   *float64 `json:"above_bound_percent"` // null: there is no work
	// packets that cores have done, the jobs they are of, key loads
	Packets int64 `json:"packets"`
	Jobs    int64 `json:"jobs"`
	Loads   int64 `json:"key_loads"`
	// cycles
	Wait     timesReport `json:"wait"`
	Response timesReport `json:"response"`
	// most packets in the wait queue; cycles for which a packet could not come in
	WaitQueuePeak int               `json:"wait_queue_peak"`
	Stalls        int64             `json:"stalls"`
	Clusters      []clusterModelled `json:"clusters"`
}

type timesReport struct {
	Mean float64 `json:"mean"`
	P99  int64   `json:"p99"`
	Max  int64   `json:"max"`
}

type clusterModelled struct {
	Name    string         `json:"name"`
	Packets int64          `json:"packets"`
	Bound   int64          `json:"bound"`        // packets that went to their job's core without a decision
	Blocked int64          `json:"head_blocked"` // cycles for which no core had room for the packet at the head
	Wait    timesReport    `json:"wait"`
	Cores   []coreModelled `json:"cores"`
}

type coreModelled struct {
	Kind    string  `json:"kind"`
	Packets int64   `json:"packets"`
	Busy    int64   `json:"busy"` // cycles
	BusyPct float64 `json:"busy_percent"`
}

func timesOf(d *sched.Dist) timesReport {
	return timesReport{Mean: round(d.Mean(), 2), P99: d.Quantile(0.99), Max: d.Max}
}

func round(v float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(v*p) / p
}

// tee hands every packet to the lower bound too.
type tee struct {
	sched.Source
	bound *sched.Bound
	from  int64 // the first cycle in which the design takes anything
	err   error
}

func (t *tee) Next(p *sched.Packet) bool {
	if t.err != nil || !t.Source.Next(p) {
		return false
	}
	q := *p
	q.Arrival = max(q.Arrival, t.from)
	t.err = t.bound.Add(&q)
	return t.err == nil
}

func (t *tee) Err() error {
	if t.err != nil {
		return t.err
	}
	return t.Source.Err()
}

// plannedTee is a tee of a workload whose packets wait for one another.
type plannedTee struct {
	tee
	plan sched.Planned
}

func (t *plannedTee) Len() int                          { return t.plan.Len() }
func (t *plannedTee) After(i int) (sent, results []int) { return t.plan.After(i) }

// plannedPackets is up to how many packets a workload is sent as `hwgen sim` sends it, which holds it whole, and followed
// cycle by cycle.
const plannedPackets = 1 << 17

// packets are a stream of which some have been read.
type packets struct {
	read []sched.Packet
	rest sched.Source
}

func (s *packets) Next(p *sched.Packet) bool {
	if len(s.read) == 0 {
		return s.rest.Next(p)
	}
	*p, s.read = s.read[0], s.read[1:]
	return true
}

func (s *packets) Err() error { return s.rest.Err() }

// sent is a workload in the order in which it is sent: one that is not too long is planned, as `hwgen sim` does.
func sent(src sched.Source, d *design.Design) (in sched.Source, long bool, err error) {
	if p, ok := src.(sched.Planned); ok {
		return src, p.Len() > plannedPackets, nil
	}
	s := &packets{rest: src}
	var p sched.Packet
	for len(s.read) <= plannedPackets && src.Next(&p) {
		s.read = append(s.read, p)
	}
	if len(s.read) > plannedPackets || src.Err() != nil {
		return s, true, nil
	}
	jobs, err := traffic.JobsOf(s, d, 1) // keys and data do not matter
	if err != nil {
		return nil, false, err
	}
	plan, err := workload.NewPlan(d, jobs)
	if err != nil {
		return nil, false, err
	}
	return traffic.Frames(plan), false, nil
}

func runModel(d *design.Design, spec string, fast, exact bool) (*modelReport, error) {
	file, err := traffic.Open(spec, d)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	cfg := sched.FromDesign(d)
	src := sched.Source(file)
	if cfg.Fast = fast; !fast { // what is fast is streamed, whatever its length
		var long bool
		if src, long, err = sent(file, d); err != nil {
			return nil, err
		}
		cfg.Fast = long && !exact
	}
	cfg.Fast = cfg.Fast && !d.Scan
	bound := sched.NewBound(cfg.Clusters)
	t := tee{Source: src, bound: bound, from: cfg.Timing.Reset}
	var in sched.Source = &t
	if p, ok := src.(sched.Planned); ok {
		in = &plannedTee{t, p}
	}
	r, err := sched.Run(cfg, in)
	if err != nil {
		if serr := src.Err(); serr != nil { // it has a place in a file
			return nil, serr
		}
		return nil, diag.Usage("workload %s: %w", spec, err)
	}
	m := &modelReport{
		Design: d.Name, Policy: d.Policy, Workload: spec, Exact: !cfg.Fast, Makespan: r.Makespan, Packets: r.Packets, Jobs: r.Jobs, Loads: r.Loads,
		Wait: timesOf(&r.Wait), Response: timesOf(&r.Response), WaitQueuePeak: r.WaitQueuePeak, Stalls: r.Stalls,
	}
	if b := bound.Makespan(); b > 0 {
		above := round(100*(float64(r.Makespan)-b)/b, 2)
		m.LowerBound, m.AbovePct = round(b, 1), &above
	}
	for i, c := range d.Clusters {
		x := &r.Clusters[i]
		mc := clusterModelled{Name: c.Name, Bound: x.Bound, Blocked: x.Blocked, Wait: timesOf(&x.Wait), Cores: []coreModelled{}}
		for j, co := range c.Cores {
			kind := co.Kind
			if co.External {
				kind = co.Module
			}
			y := coreModelled{Kind: kind, Packets: x.Cores[j].Packets, Busy: x.Cores[j].Busy}
			if r.Makespan > 0 {
				y.BusyPct = round(100*float64(y.Busy)/float64(r.Makespan), 1)
			}
			mc.Packets += y.Packets
			mc.Cores = append(mc.Cores, y)
		}
		m.Clusters = append(m.Clusters, mc)
	}
	return m, nil
}

func (t *timesReport) String() string {
	return fmt.Sprintf("mean %.1f, p99 %d, at most %d", t.Mean, t.P99, t.Max)
}

func (a *App) printModel(m *modelReport) {
	a.Printf("%s, policy %s, %s: %d packets of %d jobs, %d key loads\n", m.Design, m.Policy, m.Workload, m.Packets, m.Jobs, m.Loads)
	a.Printf("makespan   %d cycles", m.Makespan)
	if m.AbovePct != nil {
		a.Printf("; lower bound %.0f, %.1f %% above it", m.LowerBound, *m.AbovePct)
	}
	if !m.Exact {
		a.Printf("\n           followed packet by packet; -exact follows every cycle")
	}
	a.Printf("\nwait       %s cycles to the first block in a core\n", &m.Wait)
	a.Printf("response   %s cycles to the last beat of the result\n", &m.Response)
	a.Printf("wait queue %d packets at most; the job stream stalled for %d cycles\n", m.WaitQueuePeak, m.Stalls)
	for i := range m.Clusters {
		c := &m.Clusters[i]
		a.Printf("\ncluster %d %s: %d packets, %d to the core of their job; the head waited for a core for %d cycles\n", i, c.Name,
			c.Packets, c.Bound, c.Blocked)
		a.Printf("wait       %s\n", &c.Wait)
		rows := [][]string{{"  core", "kind", "packets", "busy", "busy %"}}
		for j, co := range c.Cores {
			rows = append(rows, []string{
				fmt.Sprintf("  %d", j), co.Kind, strconv.FormatInt(co.Packets, 10), strconv.FormatInt(co.Busy, 10), fmt.Sprintf("%.1f", co.BusyPct),
			})
		}
		a.table(rows)
	}
}

// modelCSV prints a value a line.
func (a *App) modelCSV(m *modelReport) error {
	w := csv.NewWriter(a.Out)
	row := func(metric, cluster, core string, v any) { _ = w.Write([]string{metric, cluster, core, fmt.Sprint(v)}) }
	times := func(name, cluster string, t *timesReport) {
		row(name+"_mean", cluster, "", t.Mean)
		row(name+"_p99", cluster, "", t.P99)
		row(name+"_max", cluster, "", t.Max)
	}
	_ = w.Write([]string{"metric", "cluster", "core", "value"})
	row("makespan", "", "", m.Makespan)
	row("exact", "", "", m.Exact)
	if m.AbovePct != nil {
		row("lower_bound", "", "", m.LowerBound)
		row("above_bound_percent", "", "", *m.AbovePct)
	}
	row("packets", "", "", m.Packets)
	row("jobs", "", "", m.Jobs)
	row("key_loads", "", "", m.Loads)
	times("wait", "", &m.Wait)
	times("response", "", &m.Response)
	row("wait_queue_peak", "", "", m.WaitQueuePeak)
	row("stalls", "", "", m.Stalls)
	for i := range m.Clusters {
		c := &m.Clusters[i]
		row("packets", c.Name, "", c.Packets)
		row("bound", c.Name, "", c.Bound)
		row("head_blocked", c.Name, "", c.Blocked)
		times("wait", c.Name, &c.Wait)
		for j, co := range c.Cores {
			k := strconv.Itoa(j)
			row("packets", c.Name, k, co.Packets)
			row("busy", c.Name, k, co.Busy)
			row("busy_percent", c.Name, k, co.BusyPct)
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return fmt.Errorf("CSV: %w", err)
	}
	return nil
}
