// SPDX-License-Identifier: Apache-2.0

// Package workload turns cipher jobs into the frames of a generated scheduler's job stream and its results back into
// results of jobs. It reads and writes jobs.jsonl and results.jsonl, makes random jobs and random frames, good and
// bad, and holds a sequential model of the packet format and the job life cycle (Model) that says what the answer to
// every frame has to be.
package workload

import (
	"encoding/binary"
	"fmt"

	"hwgen/gen/cipher"
)

// HeaderBytes is the size of a frame's header, and of its IV field.
const HeaderBytes = 16

// Status is byte 11 of a result.
type Status uint8

// Statuses of results.
const (
	OK             Status = 0
	BadHeader      Status = 1
	Unsupported    Status = 2
	BadLength      Status = 3
	NoSuchJob      Status = 4
	OutOfSequence  Status = 5
	ChooseListFull Status = 6
	KeyEmpty       Status = 7
	KeyBusy        Status = 8
	MACMismatch    Status = 9
	CoreFailed     Status = 10
	Aborted        Status = 11
	OverQuota      Status = 12
)

// StatusNames are the names of results.jsonl by code.
var StatusNames = []string{
	"ok", "bad_header", "unsupported", "bad_length", "no_such_job", "out_of_sequence", "choose_list_full",
	"key_empty", "key_busy", "mac_mismatch", "core_failed", "aborted", "over_quota",
}

func (s Status) String() string {
	if int(s) < len(StatusNames) {
		return StatusNames[s]
	}
	return fmt.Sprintf("status%d", uint8(s))
}

// Header is the 16-byte header of a frame.
type Header struct {
	Version uint8
	Cluster uint8
	Cmd     cipher.Cmd
	Mode    cipher.Mode
	Flags   uint8
	Task    uint16
	No      uint16
	Length  uint16
	KeySlot uint8 // in a result: core index or 255
	Status  uint8 // in a job frame: 0
	Cookie  uint32
}

// Flags of the header.
const (
	FlagLast = 1
	FlagIV   = 2
)

// Bytes is the header as it travels.
func (h Header) Bytes() []byte {
	b := make([]byte, HeaderBytes)
	b[0], b[1], b[2], b[3] = h.Version, h.Cluster, uint8(h.Cmd)&15|uint8(h.Mode)<<4, h.Flags
	binary.LittleEndian.PutUint16(b[4:], h.Task)
	binary.LittleEndian.PutUint16(b[6:], h.No)
	binary.LittleEndian.PutUint16(b[8:], h.Length)
	b[10], b[11] = h.KeySlot, h.Status
	binary.LittleEndian.PutUint32(b[12:], h.Cookie)
	return b
}

// ParseHeader reads a header; bytes that are absent read 0.
func ParseHeader(b []byte) Header {
	var p [HeaderBytes]byte
	copy(p[:], b)
	return Header{
		Version: p[0], Cluster: p[1], Cmd: cipher.Cmd(p[2] & 15), Mode: cipher.Mode(p[2] >> 4), Flags: p[3],
		Task: binary.LittleEndian.Uint16(p[4:]), No: binary.LittleEndian.Uint16(p[6:]),
		Length: binary.LittleEndian.Uint16(p[8:]), KeySlot: p[10], Status: p[11],
		Cookie: binary.LittleEndian.Uint32(p[12:]),
	}
}

// Beat is a transfer of the stream, given in full: for frames that break the rules.
type Beat struct {
	Keep uint16
	Last bool
	Data []byte
}

// Frame is one frame of the job stream.
type Frame struct {
	Arrival uint64 // cycle before which it is not sent
	TID     int
	Group   int    // cluster whose quota it counts for; -1: none
	Bytes   []byte // header, IV field, payload
	Beats   []Beat // nil: Bytes in full beats

	AfterSent   []int // frames that must have been sent before
	AfterResult []int // frames whose results must have been received before

	Job int // index of the job it belongs to, -1: none (a control frame)
	Seq int // its place in the job
}

// Header of the frame.
func (f *Frame) Header() Header { return ParseHeader(f.Content()) }

// Content is the frame's bytes as a receiver sees them: bytes whose tkeep is 0 inside a beat read 0.
func (f *Frame) Content() []byte {
	if f.Beats == nil {
		return f.Bytes
	}
	var out []byte
	for i, b := range f.Beats {
		n := len(b.Data)
		if i == len(f.Beats)-1 {
			for n > 0 && b.Keep>>(n-1)&1 == 0 {
				n--
			}
		}
		for j := range n {
			v := b.Data[j]
			if b.Keep>>j&1 == 0 {
				v = 0
			}
			out = append(out, v)
		}
	}
	return out
}

// CleanKeep says whether tkeep is full before tlast, and contiguous and not 0 at tlast.
func (f *Frame) CleanKeep() bool {
	for i, b := range f.Beats {
		if i < len(f.Beats)-1 {
			if int(b.Keep) != 1<<len(b.Data)-1 {
				return false
			}
			continue
		}
		if b.Keep == 0 || b.Keep&(b.Keep+1) != 0 {
			return false
		}
	}
	return true
}

// Echo is what a result carries of the frame's header: bytes 0-7, flag bit 1 cleared, and 12-15.
func (f *Frame) Echo() [12]byte {
	var p [HeaderBytes]byte
	copy(p[:], f.Content())
	p[3] &^= FlagIV
	var e [12]byte
	copy(e[:8], p[:8])
	copy(e[8:], p[12:])
	return e
}

// EventKind is what a scripted event does.
type EventKind uint8

// Events of a stimulus.
const (
	EventClear EventKind = iota // clear is high for Length cycles
	EventReset                  // rst is high for Length cycles; what is in flight is given up
	EventStall                  // m_axis_result_tready is low for Length cycles
)

// Event is a scripted event. It fires Delay cycles after beat Beat of frame Frame was accepted. After a clear or a
// reset the frames not yet begun are skipped up to frame SkipTo.
type Event struct {
	Kind   EventKind
	Frame  int
	Beat   int
	Delay  int
	Length int
	SkipTo int
}

// CfgWrite writes a word of a cluster's table: in cycle At or, if that is taken by the write before, later; At = 0 is
// before the first frame. Writes of a stimulus are in the order of At.
type CfgWrite struct {
	At            uint64
	Cluster, Addr int
	Data          uint32
}

// BusAccess is a read or write of a register. Accesses of a stimulus are done in their order, each after the answer of the
// one before, in cycle At at the earliest and after Results results. In cycle 0 it is done before the first frame; the
// run does not end before the last one.
type BusAccess struct {
	At      uint64
	Results int
	Write   bool
	Addr    uint32
	Data    uint32
	Strobes uint8
}

// BusAnswer is what an access gave.
type BusAnswer struct {
	Begin, End uint64 // cycles: of the first valid, of the answer's handshake
	Data       uint32
	Resp       uint8 // 0 OKAY, 2 SLVERR
	Done       bool
}

// Stimulus is all that a run drives into a design.
type Stimulus struct {
	Frames []Frame
	// Strict sends frames in their order, each waiting for its dependencies; otherwise the first ready one is next.
	Strict bool
	Events []Event
	Cfg    []CfgWrite
	Bus    []BusAccess

	Seed        int64
	Gap         float64 // probability of a cycle with tvalid low before a beat
	Stall       float64 // probability of a cycle with tready low
	LongStall   float64 // probability a cycle that a long stall begins
	LongLength  int     // its cycles
	GroupLimit  []int   // frames in flight a group; 0: no limit
	MaxInFlight int     // frames in flight, 0: no limit
	Watchdog    int     // cycles without progress that end the run; 0: a default
}

// Result is one result frame.
type Result struct {
	Frame       int // index of its frame, -1: no frame matches
	First, Last uint64
	TDest       int
	Bytes       []byte
}

// Header of the result.
func (r *Result) Header() Header { return ParseHeader(r.Bytes) }

// Payload of the result.
func (r *Result) Payload() []byte {
	if len(r.Bytes) < HeaderBytes {
		return nil
	}
	return r.Bytes[HeaderBytes:]
}

// Sent is when a frame was sent.
type Sent struct {
	Begun       bool   // its first beat was accepted
	Done        bool   // its last beat was accepted
	First, Last uint64 // cycles
}

// Counters of a run.
type Counters struct {
	Cycles       uint64  `json:"cycles"` // those after the last result, in which the harness waits for more, included
	InBeats      uint64  `json:"in_beats"`
	OutBeats     uint64  `json:"out_beats"`
	StalledFree  uint64  `json:"stalled_while_slots_free"` // tvalid high, tready low, slots free, between or inside frames
	IdleInResult uint64  `json:"idle_inside_results"`      // tvalid low between a result's first and last beat
	MaxInFlight  uint64  `json:"max_in_flight"`
	GivenUp      uint64  `json:"given_up_by_reset"`
	FirstIn      uint64  `json:"first_in"`
	LastIn       uint64  `json:"last_in"`
	FirstOut     uint64  `json:"first_out"`
	LastOut      uint64  `json:"last_out"`
	CPUSeconds   float64 `json:"cpu_seconds"`
}

// Makespan is the cycles from reset to the end of the last result; 0 if there is none.
func (c *Counters) Makespan() uint64 {
	if c.OutBeats == 0 {
		return 0
	}
	return c.LastOut + 1
}

// Outcome is what a run gave.
type Outcome struct {
	Sent       []Sent
	Results    []Result
	Events     []uint64 // cycle in which each event began; 0: never
	Counters   Counters
	Violations []string // what the monitors found wrong
	Bus        []BusAnswer
	Trace      []TraceRecord
}

// TraceRecord is a raw event of the traced bench: a cycle and its words.
type TraceRecord struct {
	Cycle uint64
	Kind  uint32
	Words []uint32
}

// Device runs a stimulus: the RTL under a simulator, or the model.
type Device interface {
	Run(*Stimulus) (*Outcome, error)
}

// CheckFrame checks what holds for every result whatever its status: requester, echoed header, length field, no
// payload with an error.
func CheckFrame(f *Frame, r *Result, cores int, reportCore bool) error {
	if len(r.Bytes) < HeaderBytes {
		return fmt.Errorf("result of %d bytes", len(r.Bytes))
	}
	h := r.Header()
	if r.TDest != f.TID {
		return fmt.Errorf("tdest %d for requester %d", r.TDest, f.TID)
	}
	e := f.Echo()
	if string(r.Bytes[:8]) != string(e[:8]) || string(r.Bytes[12:16]) != string(e[8:]) {
		return fmt.Errorf("header %x does not echo %x", r.Bytes[:16], e)
	}
	if int(h.Length) != len(r.Payload()) {
		return fmt.Errorf("length field %d, payload of %d bytes", h.Length, len(r.Payload()))
	}
	if h.Status != 0 && len(r.Payload()) != 0 {
		return fmt.Errorf("status %s with %d bytes of payload", Status(h.Status), len(r.Payload()))
	}
	if h.KeySlot != 255 && (!reportCore || int(h.KeySlot) >= cores) {
		return fmt.Errorf("core %d", h.KeySlot)
	}
	return nil
}
