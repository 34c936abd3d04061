// SPDX-License-Identifier: Apache-2.0

// Package design is the elaborated model of one scheduler: every default filled in, every width, table and memory
// computed. It knows neither TOML nor Verilog; templates loop over it and print it.
//
// Fields are plain values, so that a template needs no arithmetic. Widths carry the names of the RTL's parameters
// (docs/architecture.md): SlotW is SLOT_W, and so on.
package design

import (
	"hwgen/gen/board"
	"hwgen/gen/config"
	"hwgen/gen/policy"
)

// Commands of the packet format, in the order of their codes; they index Ops, Cycles, Base and Inc.
const (
	Encrypt = iota
	Decrypt
	Sign
	Verify
	NumOps
)

// OpNames are the commands' names in configs, traces and tables, by their code.
var OpNames = policy.OpNames

// Design is one scheduler.
type Design struct {
	Name string // prefix of every module and file
	Lib  string // prefix of the library's modules and files: Name, or what several designs share
	Top  string // module and file name of the top, Name + "_top"

	DataW     int // bits of the job and result streams: 32, 64, 128
	KeepW     int // DataW / 8
	BPB       int // beats (words) a 16-byte block: 128 / DataW
	PktBytes  int // largest payload
	PktBlocks int // PktBytes / 16
	Slots     int // packets in the buffer
	// Requesters is the number of tid values in use; a tid of that or more is answered with bad_header.
	Requesters int
	WaitQueue  int  // entries of the splitter's wait queue
	HasQuota   bool // some cluster has a slot quota

	Policy       string        // scheduling policy
	Info         config.Policy // its texts
	BindJob      bool          // a job keeps its core to its last packet (static: always); false: while it has packets in flight
	Programmable bool          // base and inc tables are registers; false with a policy that has none
	Scan         bool          // balancer: one adder and comparator; false: a comparator tree
	SerialLane   bool          // lanes move words, not blocks: smaller, slower
	ReportCore   bool          // results carry the core's index
	Axil         bool          // control and status registers on AXI4-Lite
	Counters     bool          // event counters among them
	CfgPort      bool          // the top has the cfg_* port: Programmable, and no registers to write the tables
	Alpha, Beta  float64       // of the policy weighted
	Lambda       float64       // of the policy affinity

	Synth Synth      // what `hwgen synth` aims at
	Board *board.Use // nil: an IP block

	SlotW    int // bits of a slot number
	TidW     int // bits of tid
	ClusterW int // bits of a cluster number
	LenW     int // bits of a payload length in bytes, PktBytes included
	OffW     int // bits of a word's number inside a slot's area
	BlkW     int // bits of a block's number inside a packet
	BlocksW  int // bits of a packet's number of blocks: BlkW + 1
	WidxW    int // bits of a word's number inside a block

	notes []string // what the config gives and the policy does not use

	Clusters    []*Cluster
	NumClusters int
	Host        *Host    // nil: no host link
	Clocks      *Clocks  // nil: one clock for all
	MaxLaneW    int      // the widest lane number of all clusters: what the fetch hub carries
	Memories    []Memory // of the whole design, those of clusters included
}

// Synth is the part and the clock that a design is synthesised for.
type Synth struct {
	Target   string // as package part has it
	Given    bool   // the config names it, by part or by board
	ClockMHz float64
}

// Cluster is a set of cores of one algorithm behind one load balancer.
type Cluster struct {
	Index     int
	Name      string // from the config
	Module    string // module and file name: <design>_<name>_cluster
	Algorithm string // aes128, aes256, sm4
	KeyBits   int    // 128 or 256
	KeyBytes  int
	Queue     int // cluster queue, packets
	Choose    int // choose list, open chained jobs
	KeySlots  int
	SlotQuota int // packet slots that this cluster may hold; Slots = no quota
	HasQuota  bool

	Cores    []*Core
	NumCores int
	LastCore int // NumCores - 1
	KeyLane  int // core that runs key generation: the first built-in one, else the first external that encrypts
	HasMAC   bool
	HasInv   bool // some core decrypts with the inverse cipher
	External bool // some core is external

	CoreW  int // bits of a core's index
	LaneW  int // bits of a lane number; NumCores itself is the key loader
	IdxW   int // bits of a choose-list index
	KsW    int // bits of a key slot's number
	DescW  int // bits of a dispatch descriptor
	KwordW int // bits of a word's number inside a key

	AccW int // bits of acc, base and a score: acc + base never overflows with the generated tables
	IncW int // bits of an inc entry (score units a block)
	CapW int // bits of n_j and cap_j, the largest cap included
	// What the balancer does with scores, as its RTL parameters have it, 0 or 1: see policy.Tables. Pointer is a
	// policy.Pointer; with one that is not 0 there are no scores, the tables are 0.
	PerPacket, GiveBack, Modular, Pointer int
	// Tables are what the policy made of the cluster; Base and Inc are theirs.
	Tables *policy.Tables

	Base [][NumOps]uint64 // [core][op]
	Inc  [][NumOps]uint64 // [core][op], score units a block

	// Support: bit inv*4+op is set if some core can do it; see Core.Support.
	Support uint8
}

// Core is one block-cipher core with its lane and queue.
type Core struct {
	Index    int
	Kind     string // built-in kind; "" for an external core
	Module   string // built-in: <design>_<kind>, parameter DECRYPT = HasInv; external: the user's module, never renamed
	External bool
	OrigKey  bool // decryption takes the key as loaded, not the end key (external cores)
	HasInv   bool // has the inverse cipher: ECB and CBC decryption
	HasFwd   bool // has the forward cipher: everything else. Every core has

	Table bool // built-in: its S-boxes are look-ups in synthesis, not field logic

	Ops    [NumOps]bool // commands that it does in at least one mode
	Cycles [NumOps]int  // cycles a block; 0 where it does not do the command
	Cap    int          // core queue, the packet in service included

	// Support: bit inv*4+op is set if the core can do command op in modes that need (inv = 1) or do not need (inv = 0)
	// the inverse cipher. Only decrypt ever needs it (ECB, CBC).
	Support uint8

	Sources []string // files of an external core, as the config names them
}

// Memory is one RAM of the design.
type Memory struct {
	Name    string `json:"name"`  // hierarchical: "packet_buffer.input", "aes.key_store"
	Width   int    `json:"width"` // bits a word
	Depth   int    `json:"depth"` // words
	Bits    int    `json:"bits"`
	Cluster int    `json:"cluster"` // index of its cluster, -1: shared
}

// Bits is the width that holds the values 0..n-1, at least 1: the RTL's max(1, $clog2(n)).
func Bits(n int) int {
	w := 1
	for 1<<w < n {
		w++
	}
	return w
}

// clog2 is the RTL's $clog2.
func clog2(n int) int {
	w := 0
	for 1<<w < n {
		w++
	}
	return w
}
