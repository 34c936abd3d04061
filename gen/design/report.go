// SPDX-License-Identifier: Apache-2.0

package design

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Report is a design as `hwgen check` shows it. Rates are blocks of 16 bytes a cycle.
type Report struct {
	Design       string          `json:"design"`
	DataWidth    int             `json:"data_width"`
	PacketBytes  int             `json:"packet_bytes"`
	Slots        int             `json:"slots"`
	Requesters   int             `json:"requesters"`
	WaitQueue    int             `json:"wait_queue"`
	Policy       string          `json:"policy"`
	Alpha        float64         `json:"alpha"`
	Beta         float64         `json:"beta"`
	Lambda       float64         `json:"lambda"`
	Params       string          `json:"-"` // of the policy: "lambda 4"
	Bind         string          `json:"bind"`
	Balancer     string          `json:"balancer"` // tree, scan, pointer
	Lane         string          `json:"lane"`     // wide, serial
	ReportCore   bool            `json:"report_core"`
	Library      string          `json:"library"`
	Programmable bool            `json:"programmable"`
	Axil         bool            `json:"axil"`
	Counters     bool            `json:"counters"`
	ClockMHz     float64         `json:"clock_mhz"`
	Board        *BoardReport    `json:"board,omitempty"`
	Host         *HostReport     `json:"host,omitempty"`
	Clocks       *ClocksReport   `json:"clocks,omitempty"`
	Clusters     []ClusterReport `json:"clusters"`
	Memories     []Memory        `json:"memories"`
	MemoryBits   int             `json:"memory_bits"`
	QueueBits    int             `json:"queue_bits"` // flip-flops of cluster and core queues
	// StreamRate is what the job stream carries in full packets with a header beat each, StreamRateIV with an IV field too.
	StreamRate   float64  `json:"stream_blocks_per_cycle"`
	StreamRateIV float64  `json:"stream_blocks_per_cycle_with_iv"`
	CoreRate     float64  `json:"core_blocks_per_cycle"`
	Limit        string   `json:"limit"` // "stream" or "cores", for ECB encryption in full packets
	Warnings     []string `json:"warnings"`
}

// BoardReport is [board].
type BoardReport struct {
	Name         string `json:"name"`
	OscillatorHz int    `json:"oscillator_hz"`
	ClockHz      int    `json:"clock_hz"` // what the PLL makes of it
	PLL          bool   `json:"pll"`
	RX           string `json:"uart_rx"`
	TX           string `json:"uart_tx"`
}

// HostReport is [host].
type HostReport struct {
	Top     string `json:"top"`
	Baud    int    `json:"baud"`
	ClockHz int    `json:"clock_hz"`
	Window  int    `json:"window"`
}

// ClocksReport is [clocks].
type ClocksReport struct {
	Top       string `json:"top"`
	Jobs      bool   `json:"jobs"`
	Results   bool   `json:"results"`
	Registers bool   `json:"registers"`
	Depth     int    `json:"depth"`
	Stages    int    `json:"stages"`
}

// ClusterReport is one cluster.
type ClusterReport struct {
	Name       string       `json:"name"`
	Algorithm  string       `json:"algorithm"`
	Queue      int          `json:"queue"`
	ChooseList int          `json:"choose_list"`
	KeySlots   int          `json:"key_slots"`
	SlotQuota  int          `json:"slot_quota"`
	Rate       float64      `json:"blocks_per_cycle"` // encryption
	ScoreBits  int          `json:"score_bits"`       // 0: a pointer
	FracBits   int          `json:"fraction_bits"`
	ExactBits  int          `json:"exact_bits"` // that exact scores take
	Unit       string       `json:"unit"`       // of scores
	PerUnit    float64      `json:"steps_per_unit"`
	Exact      bool         `json:"exact"`
	Counter    string       `json:"counterexample,omitempty"` // a state in which rounded scores choose another core
	Cores      []CoreReport `json:"cores"`
}

// CoreReport is one core.
type CoreReport struct {
	Core     int            `json:"core"`
	Kind     string         `json:"kind,omitempty"`
	Module   string         `json:"module"`
	External bool           `json:"external"`
	Queue    int            `json:"queue"`
	Cycles   [NumOps]int    `json:"cycles_per_block"` // encrypt, decrypt, sign, verify; 0: not supported
	Inverse  bool           `json:"inverse_cipher"`
	SBox     string         `json:"sbox,omitempty"`   // form of its S-boxes in synthesis: field, table
	Rate     float64        `json:"blocks_per_cycle"` // encryption, or the first command it does
	Base     [NumOps]uint64 `json:"base"`
	Inc      [NumOps]uint64 `json:"inc"`
}

// StreamRate is the blocks a cycle that a stream carries in full packets, with or without an IV field.
func (d *Design) StreamRate(iv bool) float64 {
	beats := (d.PktBlocks + 1) * d.BPB
	if iv {
		beats += d.BPB
	}
	return float64(d.PktBlocks) / float64(beats)
}

// StoredBits are the bits of all memories, and those of cluster and core queues, which hold a slot's number in flip-flops
// for each packet.
func (d *Design) StoredBits() (memories, queues int) {
	for _, m := range d.Memories {
		memories += m.Bits
	}
	for _, c := range d.Clusters {
		queues += c.Queue * d.SlotW
		for _, co := range c.Cores {
			queues += co.Cap * d.SlotW
		}
	}
	return memories, queues
}

// Report makes the report, warnings included.
func (d *Design) Report() *Report {
	r := &Report{
		Design: d.Name, DataWidth: d.DataW, PacketBytes: d.PktBytes, Slots: d.Slots, Requesters: d.Requesters,
		WaitQueue: d.WaitQueue, Policy: d.Policy, Alpha: d.Alpha, Beta: d.Beta, Lambda: d.Lambda, Params: d.Params(),
		Bind: "in_flight", Balancer: "tree", ReportCore: d.ReportCore, Memories: d.Memories,
		StreamRate: d.StreamRate(false), StreamRateIV: d.StreamRate(true),
		Limit: "cores", Warnings: d.Warnings(),
	}
	if d.BindJob {
		r.Bind = "job"
	}
	if d.Scan {
		r.Balancer = "scan"
	}
	r.Lane = "wide"
	if d.SerialLane {
		r.Lane = "serial"
	}
	r.Library, r.Programmable, r.Axil, r.Counters, r.ClockMHz = d.Lib, d.Programmable, d.Axil, d.Counters, d.Synth.ClockMHz
	if b := d.Board; b != nil {
		r.Board = &BoardReport{b.Name, b.ClockHz, b.Hz, b.PLL != nil, b.RX, b.TX}
	}
	if h := d.Host; h != nil {
		r.Host = &HostReport{h.Top, h.Baud, h.ClockHz, h.Window}
	}
	if k := d.Clocks; k != nil {
		r.Clocks = &ClocksReport{k.Top, k.Jobs, k.Results, k.Registers, k.Depth, k.Stages}
	}
	r.MemoryBits, r.QueueBits = d.StoredBits()
	for _, c := range d.Clusters {
		cr := ClusterReport{
			Name: c.Name, Algorithm: c.Algorithm, Queue: c.Queue, ChooseList: c.Choose, KeySlots: c.KeySlots,
			SlotQuota: c.SlotQuota, Rate: d.ClusterRate(c), ScoreBits: c.AccW, FracBits: c.Tables.Frac, ExactBits: c.Tables.Need,
			Unit: c.Tables.Unit, PerUnit: c.Tables.PerUnit, Exact: c.Tables.Exact,
		}
		if c.Pointer != 0 {
			r.Balancer = "pointer"
			cr.ScoreBits, cr.ExactBits = 0, 0
		}
		if c.Tables.Counter != nil {
			cr.Counter = c.Tables.Counter.String()
		}
		for j, co := range c.Cores {
			cr.Cores = append(cr.Cores, CoreReport{
				Core: j, Kind: co.Kind, Module: co.Module, External: co.External, Queue: co.Cap, Cycles: co.Cycles,
				Inverse: co.HasInv, SBox: co.sbox(), Rate: d.CoreRate(c, co), Base: c.Base[j], Inc: c.Inc[j],
			})
		}
		r.CoreRate += cr.Rate
		r.Clusters = append(r.Clusters, cr)
	}
	if r.CoreRate > r.StreamRate {
		r.Limit = "stream"
	}
	return r
}

// Params are the policy's parameters, as in "alpha 0.05, beta 0.95"; "" if it has none.
func (d *Design) Params() string {
	var s []string
	for _, k := range d.Info.Keys {
		s = append(s, fmt.Sprintf("%s %g", k, map[string]float64{"alpha": d.Alpha, "beta": d.Beta, "lambda": d.Lambda}[k]))
	}
	return strings.Join(s, ", ")
}

// Alerts are the warnings that a run that generates shows too: keys of the config that do nothing, and rounded scores.
func (d *Design) Alerts() []string {
	ws := slices.Clone(d.notes)
	for _, c := range d.Clusters {
		if c.Tables.Exact {
			continue
		}
		w := fmt.Sprintf("cluster %q: scores of %d bits are rounded, exact ones take %d", c.Name, c.AccW, c.Tables.Need)
		if c.Tables.Counter != nil {
			w += "; " + c.Tables.Counter.String()
		} else {
			w += "; no state was found in which another core is chosen, but not all were looked at"
		}
		ws = append(ws, w)
	}
	return ws
}

// Warnings are what a design will do that its author may not want.
func (d *Design) Warnings() []string {
	ws := append([]string{}, d.Alerts()...)
	warn := func(format string, args ...any) { ws = append(ws, fmt.Sprintf(format, args...)) }
	if d.WaitQueue < d.Slots {
		warn("wait_queue (%d) is smaller than slots (%d): one full cluster can stop the job stream for all", d.WaitQueue, d.Slots)
	}
	if d.PktBytes == 16 {
		warn("packet_bytes is 16: every block carries a header, the job stream does at most %.2f blocks a cycle", d.StreamRate(false))
	}
	work := 0
	for _, c := range d.Clusters {
		caps := 0
		for _, co := range c.Cores {
			caps += co.Cap
		}
		work += 2 * c.NumCores
		held := c.held(d)
		at := fmt.Sprintf("cluster %q: ", c.Name)
		if c.Choose < held {
			warn("%schoose_list (%d) is smaller than the packets its queues can hold (%d): if each is of another chained job, new jobs are refused",
				at, c.Choose, held)
		}
		if c.Choose < 2*c.NumCores {
			warn("%schoose_list (%d) is below twice the cores (%d): chained jobs alone cannot keep the cores busy", at, c.Choose, c.NumCores)
		}
		if caps > d.Slots {
			warn("%sits core queues hold %d packets, the buffer has %d slots: they never all fill", at, caps, d.Slots)
		}
		if c.HasQuota && c.SlotQuota < c.NumCores {
			warn("%sslot_quota (%d) is below the number of cores (%d): some stay idle", at, c.SlotQuota, c.NumCores)
		}
		for _, co := range c.Cores {
			if co.Cap == 1 {
				warn("%score %d has a queue of 1: it idles between packets", at, co.Index)
			}
		}
		for op, name := range OpNames {
			if c.Support>>op&1 == 0 && c.Support>>(4+op)&1 == 0 {
				warn("%sno core does %s: such packets are answered with unsupported", at, name)
			} else if op == Decrypt && !c.HasInv {
				warn("%sno core has the inverse cipher: ECB and CBC decryption are answered with unsupported", at)
			}
		}
		ws = append(ws, d.weightWarnings(c, at)...)
	}
	if d.Slots < work {
		warn("slots (%d) are fewer than two a core (%d): some cores idle", d.Slots, work)
	}
	return ws
}

// weightWarnings are about alpha and beta in one cluster.
func (d *Design) weightWarnings(c *Cluster, at string) []string {
	if d.Policy != "weighted" {
		return nil
	}
	var ws []string
	lo, hi, maxCap := math.MaxInt, 0, 0
	for _, co := range c.Cores {
		maxCap = max(maxCap, co.Cap)
		for _, t := range co.Cycles {
			if t > 0 {
				lo, hi = min(lo, t), max(hi, t)
			}
		}
	}
	if c.NumCores < 2 || lo == hi {
		return ws
	}
	switch {
	case d.Beta == 0:
		ws = append(ws, at+"beta is 0: slower cores get work only while faster ones are full")
	case d.Alpha == 0:
		ws = append(ws, at+"alpha is 0: a core's speed is not considered")
	case d.Alpha >= d.Beta:
		ws = append(ws, at+"alpha is not below beta: the slowest core gets work only while the fastest is full")
	case d.Alpha/d.Beta*float64(maxCap)*float64(d.PktBlocks) < 1:
		ws = append(ws, at+fmt.Sprintf("alpha/beta times the largest queue is below one block (%.3g): speed only breaks ties",
			d.Alpha/d.Beta*float64(maxCap)*float64(d.PktBlocks)))
	}
	return ws
}
