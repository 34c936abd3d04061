// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bufio"
	"bytes"
	_ "embed" // the standard vectors
	"encoding/hex"
	"encoding/json"
	"fmt"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/workload"
)

// The values are those of NIST SP 800-38A and 38B and of draft-ribose-cfrg-sm4-10.
//
//go:embed standard.jsonl
var standard []byte

// Vector is a standard vector: a job, and what its result has to be.
type Vector struct {
	workload.Job
	Algorithm string
	Source    string
	Data      string // result data or MAC in hex
	Status    string
}

// Vectors reads the standard vectors.
func Vectors() ([]Vector, error) {
	var out []Vector
	in := bufio.NewScanner(bytes.NewReader(standard))
	for line := 1; in.Scan(); line++ {
		var v struct {
			Job                                                    uint32
			Source, Cluster, Cmd, Mode, Key, IV, Data, Tag, Expect string
		}
		dec := json.NewDecoder(bytes.NewReader(in.Bytes()))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&v); err != nil {
			return nil, fmt.Errorf("standard.jsonl:%d: %w", line, err)
		}
		x := Vector{Algorithm: v.Cluster, Source: v.Source, Status: "ok"}
		x.ID = v.Job
		for i, n := range cipher.CmdNames {
			if n == v.Cmd {
				x.Cmd = cipher.Cmd(i)
			}
		}
		for i, n := range cipher.ModeNames {
			if n == v.Mode {
				x.Mode = cipher.Mode(i)
			}
		}
		var err error
		get := func(s string) []byte {
			if s == "" {
				return nil
			}
			b, e := hex.DecodeString(s)
			if e != nil {
				err = e
			}
			return b
		}
		x.Job.Key, x.Job.IV, x.Job.Data, x.Job.Tag = get(v.Key), get(v.IV), get(v.Data), get(v.Tag)
		if err != nil {
			return nil, fmt.Errorf("standard.jsonl:%d: %w", line, err)
		}
		if x.Cmd == cipher.Verify {
			x.Status = v.Expect
		} else {
			x.Data = v.Expect
		}
		out = append(out, x)
	}
	return out, in.Err()
}

// applicable assigns vectors to clusters by algorithm: each to every cluster of it.
func applicable(d *design.Design) (vs []Vector, notApplicable int, err error) {
	all, err := Vectors()
	if err != nil {
		return nil, 0, err
	}
	for _, v := range all {
		any := false
		for ci, c := range d.Clusters {
			if c.Algorithm == v.Algorithm && workload.Supports(c, v.Cmd, v.Mode) {
				w := v
				w.Job.Cluster = ci
				vs = append(vs, w)
				any = true
			}
		}
		if !any {
			notApplicable++
		}
	}
	return vs, notApplicable, nil
}

// runVectors runs vectors and compares with the values of the standards, not with the reference ciphers.
func (r *run) runVectors(st *Step, vs []Vector, tune func(*workload.Stimulus)) error {
	jobs := make([]workload.Job, len(vs))
	for i := range vs {
		jobs[i] = vs[i].Job
		jobs[i].ID = uint32(i)
		jobs[i].Requester = i % r.Design.Requesters
	}
	p, err := workload.NewPlan(r.Design, jobs)
	if err != nil {
		return err
	}
	s := p.Stimulus(r.Design)
	s.Seed = r.Seed + 1
	if tune != nil {
		tune(s)
	}
	o, err := r.simu.RunFiles(r.ctx, s, "", "")
	if err != nil {
		return err
	}
	st.Count += len(vs)
	errs := p.CheckOutcome(r.Design, o)
	rs, err := p.Join(o)
	if err != nil {
		errs = append(errs, err.Error())
	}
	for i := range rs {
		if rs[i].Status != vs[i].Status || rs[i].Data != vs[i].Data {
			errs = append(errs, fmt.Sprintf("vector %d (%s, %s %s %s, split %v): %s %s, not %s %s", vs[i].ID, vs[i].Source,
				vs[i].Algorithm, vs[i].Cmd, vs[i].Mode, jobs[i].Split, rs[i].Status, rs[i].Data, vs[i].Status, vs[i].Data))
		}
	}
	st.Errors = append(st.Errors, clip(errs)...)
	return nil
}

func (r *run) vectors(st *Step) ([]Vector, error) {
	st.Unit = "jobs"
	vs, na, err := applicable(r.Design)
	if err != nil {
		return nil, err
	}
	if len(vs) == 0 {
		st.Skipped = errNoVectors.Error()
	}
	if na > 0 {
		st.Note = fmt.Sprintf("%d vectors not applicable", na)
	}
	return vs, nil
}

func (r *run) vectorsWhole(st *Step) error {
	vs, err := r.vectors(st)
	if err != nil || len(vs) == 0 {
		return err
	}
	return r.runVectors(st, vs, func(s *workload.Stimulus) { s.MaxInFlight = 1 })
}

// cut is a job in two at a block boundary, each part in packets that the design takes.
func cut(n, at, largest int) []int {
	var out []int
	if at > 0 {
		out = workload.SplitEven(at, largest)
	}
	if n > at {
		out = append(out, workload.SplitEven(n-at, largest)...)
	}
	if n == 0 {
		out = []int{0}
	}
	return out
}

func (r *run) vectorsSplit(st *Step) error {
	vs, err := r.vectors(st)
	if err != nil || len(vs) == 0 {
		return err
	}
	var all []Vector
	for _, v := range vs {
		n := len(v.Job.Data)
		for at := 16; at < n; at += 16 {
			w := v
			w.Split = cut(n, at, r.Design.PktBytes)
			all = append(all, w)
		}
		w := v
		w.Split = workload.SplitEven(n, 16)
		all = append(all, w)
		if v.Mode.Chained() && v.Mode != cipher.MAC {
			w.Split = append(workload.SplitEven(n, 16), 0) // closed by an empty packet
			all = append(all, w)
		}
	}
	if err := r.runVectors(st, all, nil); err != nil {
		return err
	}
	return r.runVectors(st, all, Stalls)
}

func (r *run) vectorsInterleaved(st *Step) error {
	vs, err := r.vectors(st)
	if err != nil || len(vs) == 0 {
		return err
	}
	// sixteen at a time, each window with another split: the arrivals of a window are alike, so the planner deals its
	// packets round robin
	var all []Vector
	for round, size := range []int{16, 32, r.Design.PktBytes} {
		for i := range vs {
			w := vs[(i*7+round)%len(vs)]
			w.Split = workload.SplitEven(len(w.Job.Data), min(size, r.Design.PktBytes))
			w.Arrival = uint64(len(all)/16) * 64
			all = append(all, w)
		}
	}
	if err := r.runVectors(st, all, nil); err != nil {
		return err
	}
	return r.runVectors(st, all, Stalls)
}
