// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"hwgen/gen/design"
	"hwgen/gen/workload"
)

// The files between hwgen and the C++ harness; verilator/sim/stimulus.h is their other end.
const (
	stimulusMagic = 0x53475748
	resultMagic   = 0x52475748
	wireVersion   = 4
)

type wire struct {
	w   *bufio.Writer
	err error
	b   [8]byte
}

func (w *wire) u32(v uint32) {
	binary.LittleEndian.PutUint32(w.b[:], v)
	w.raw(w.b[:4])
}

func (w *wire) u64(v uint64) {
	binary.LittleEndian.PutUint64(w.b[:], v)
	w.raw(w.b[:8])
}

func (w *wire) raw(b []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(b)
	}
}

func (w *wire) indices(l []int) {
	w.u32(uint32(len(l)))
	for _, i := range l {
		w.u32(uint32(i))
	}
}

func (w *wire) chance(p float64) { w.u32(uint32(min(max(p, 0)*math.Exp2(32), math.MaxUint32))) }

// writeStimulus writes a stimulus for a design.
func writeStimulus(out io.Writer, d *design.Design, st *workload.Stimulus) error {
	w := &wire{w: bufio.NewWriterSize(out, 1<<16)}
	w.u32(stimulusMagic)
	w.u32(wireVersion)
	w.u32(uint32(d.DataW))
	w.u32(uint32(d.Slots))
	w.u64(uint64(st.Seed))
	dog := st.Watchdog
	if dog == 0 {
		dog = d.Watchdog()
	}
	w.u64(uint64(dog))
	strict := uint32(0)
	if st.Strict {
		strict = 1
	}
	w.u32(strict)
	w.chance(st.Gap)
	w.chance(st.Stall)
	w.chance(st.LongStall)
	w.u32(uint32(st.LongLength))
	w.u32(uint32(st.MaxInFlight))
	w.indices(st.GroupLimit)
	w.u32(uint32(len(st.Cfg)))
	for _, c := range st.Cfg {
		w.u64(c.At)
		w.u32(uint32(c.Cluster))
		w.u32(uint32(c.Addr))
		w.u32(c.Data)
	}
	w.u32(uint32(len(st.Bus)))
	for _, a := range st.Bus {
		write := uint32(0)
		if a.Write {
			write = 1
		}
		w.u64(a.At)
		for _, v := range []uint32{uint32(a.Results), write, a.Addr, a.Data, uint32(a.Strobes)} {
			w.u32(v)
		}
	}
	w.u32(uint32(len(st.Events)))
	for _, e := range st.Events {
		for _, v := range []int{int(e.Kind), e.Frame, e.Beat, e.Delay, e.Length, e.SkipTo} {
			w.u32(uint32(v))
		}
	}
	w.u32(uint32(len(st.Frames)))
	for i := range st.Frames {
		f := &st.Frames[i]
		w.u64(f.Arrival)
		w.u32(uint32(f.TID))
		w.u32(uint32(int32(f.Group)))
		e := f.Echo()
		w.raw(e[:])
		w.indices(f.AfterSent)
		w.indices(f.AfterResult)
		beats := f.Beats
		if beats == nil {
			beats = workload.Beatify(f.Bytes, d.KeepW)
		}
		w.u32(uint32(len(beats)))
		for _, b := range beats {
			v := uint32(b.Keep)
			if b.Last {
				v |= 1 << 16
			}
			w.u32(v)
			w.raw(b.Data)
		}
	}
	if w.err != nil {
		return w.err
	}
	return w.w.Flush()
}

type unwire struct {
	b   []byte
	err error
}

var errShort = errors.New("the result file ends too early")

func (r *unwire) raw(n int) []byte {
	if r.err != nil || n > len(r.b) {
		r.err = errShort
		return make([]byte, min(n, 16))
	}
	v := r.b[:n]
	r.b = r.b[n:]
	return v
}

func (r *unwire) u32() uint32 { return binary.LittleEndian.Uint32(r.raw(4)) }
func (r *unwire) u64() uint64 { return binary.LittleEndian.Uint64(r.raw(8)) }

func (r *unwire) count() int {
	n := int(r.u32())
	if r.err != nil || n > len(r.b) {
		r.err = errShort
		return 0
	}
	return n
}

// readOutcome reads a result file.
func readOutcome(b []byte) (*workload.Outcome, error) {
	r := &unwire{b: b}
	if r.u32() != resultMagic || r.u32() != wireVersion {
		return nil, errors.New("not a result file")
	}
	o := &workload.Outcome{}
	c := make([]uint64, max(12, r.count()))
	for i := range c {
		c[i] = r.u64()
	}
	o.Counters = workload.Counters{
		Cycles: c[0], InBeats: c[1], OutBeats: c[2], StalledFree: c[3], IdleInResult: c[4], MaxInFlight: c[5],
		GivenUp: c[6], FirstIn: c[7], LastIn: c[8], FirstOut: c[9], LastOut: c[10], CPUSeconds: float64(c[11]) / 1e6,
	}
	o.Sent = make([]workload.Sent, r.count())
	for i := range o.Sent {
		f := r.u32()
		o.Sent[i] = workload.Sent{Begun: f&1 != 0, Done: f&2 != 0, First: r.u64(), Last: r.u64()}
	}
	o.Events = make([]uint64, r.count())
	for i := range o.Events {
		o.Events[i] = r.u64()
	}
	o.Results = make([]workload.Result, r.count())
	for i := range o.Results {
		x := &o.Results[i]
		x.Frame = int(int32(r.u32()))
		x.First, x.Last = r.u64(), r.u64()
		x.TDest = int(r.u32())
		x.Bytes = r.raw(r.count())
	}
	o.Violations = make([]string, r.count())
	for i := range o.Violations {
		o.Violations[i] = string(r.raw(r.count()))
	}
	o.Bus = make([]workload.BusAnswer, r.count())
	for i := range o.Bus {
		a := &o.Bus[i]
		a.Begin, a.End, a.Data = r.u64(), r.u64(), r.u32()
		f := r.u32()
		a.Resp, a.Done = uint8(f&3), f&4 != 0
	}
	if r.err == nil && len(r.b) > 0 {
		r.err = fmt.Errorf("%d bytes follow the results", len(r.b))
	}
	return o, r.err
}
