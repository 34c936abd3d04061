// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/sched"
	"hwgen/gen/workload"
)

var _ sched.Planned = (*frames)(nil)

// frames is a plan's frames as a stream: what `hwgen sim` sends.
type frames struct {
	plan *workload.Plan
	i    int
}

// openJobs opens a jobs file. It is held whole: keys and data are in it.
func openJobs(path string, d *design.Design) (Source, error) {
	jobs, err := readJobs(path, d, workload.ReadDoneJobs)
	if err != nil {
		return nil, err
	}
	plan, err := workload.NewPlan(d, jobs)
	if err != nil {
		return nil, diag.Usage("%s: %w", path, err)
	}
	return Frames(plan), nil
}

// Frames is a plan's frames as a stream of packets, which is a sched.Planned too.
func Frames(plan *workload.Plan) Source { return &frames{plan: plan} }

func readJobs(path string, d *design.Design, read func(io.Reader, string, *design.Design) ([]workload.Job, error)) ([]workload.Job, error) {
	f, err := openFile(path, false)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	jobs, err := read(f, path, d)
	if err != nil {
		return nil, err
	}
	if len(jobs) == 0 {
		return nil, diag.Usage("no jobs in %s; a job is a JSON object a line, see docs/jobs.md", path)
	}
	return jobs, nil
}

func (s *frames) Next(p *sched.Packet) bool {
	if s.i == len(s.plan.Frames) {
		return false
	}
	f := &s.plan.Frames[s.i]
	s.i++
	h := f.Header()
	if f.Job < 0 {
		*p = sched.Packet{
			Arrival: int64(f.Arrival), Job: loadJob, Cluster: f.Group, Load: true, Bytes: int(h.Length),
			Blocks: int(h.Length) / cipher.BlockSize,
		}
		return true
	}
	j := &s.plan.Jobs[f.Job]
	c := class{cluster: j.Cluster, cmd: j.Cmd, mode: j.Mode}
	c.packet(p, int64(f.Arrival), uint64(j.Requester)<<32|uint64(j.ID), f.Seq, int(h.Length),
		h.Flags&workload.FlagLast != 0)
	return true
}

// Len and After make it a sched.Planned: packets wait for one another as the plan says.
func (s *frames) Len() int { return len(s.plan.Frames) }

func (s *frames) After(i int) (sent, results []int) {
	f := &s.plan.Frames[i]
	return f.AfterSent, f.AfterResult
}

func (s *frames) Err() error   { return nil }
func (s *frames) Close() error { return nil }

// maxJobsBytes bounds the data that Jobs makes, which is held whole.
const maxJobsBytes = 1 << 30

// Jobs is the workload as jobs with keys, IVs and data drawn from a seed: one key a cluster, requester 0. Packets keep
// their sizes, arrivals and order. Jobs of a jobs file are those of the file, as they are.
func (w *Workload) Jobs(seed uint64) ([]workload.Job, error) {
	if w.kind == "jsonl" {
		return readJobs(w.path, w.d, workload.ReadJobs)
	}
	src, err := w.Open()
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return JobsOf(src, w.d, seed)
}

// Jobs is Parse and Workload.Jobs.
func Jobs(spec string, d *design.Design, seed uint64) ([]workload.Job, error) {
	w, err := Parse(spec, d)
	if err != nil {
		return nil, err
	}
	return w.Jobs(seed)
}

// JobsOf turns a stream of packets into jobs, with keys, IVs and data drawn from a seed.
func JobsOf(src sched.Source, d *design.Design, seed uint64) ([]workload.Job, error) {
	var (
		jobs  []workload.Job
		p     sched.Packet
		at    = map[uint64]int{} // of open jobs
		ids   = map[uint32]bool{}
		place uint64
		total int
		free  uint32
	)
	for ; src.Next(&p); place++ {
		if p.Load {
			continue
		}
		ji, ok := at[p.Job]
		if !ok {
			id := uint32(p.Job)
			for ids[id] {
				id = free
				free++
			}
			ids[id] = true
			ji = len(jobs)
			at[p.Job] = ji
			jobs = append(jobs, workload.Job{
				ID: id, Cluster: p.Cluster, Cmd: cipher.Cmd(p.Op), Mode: cipher.Mode(p.Mode), Arrival: uint64(p.Arrival),
			})
		}
		j := &jobs[ji]
		j.Split = append(j.Split, p.Bytes)
		j.Arrivals = append(j.Arrivals, uint64(p.Arrival))
		j.Places = append(j.Places, place)
		if total += p.Bytes; total > maxJobsBytes {
			return nil, diag.Usage("the workload has more than %d bytes of payload, too many for a simulation; take fewer packets",
				maxJobsBytes)
		}
		if p.Last {
			delete(at, p.Job)
		}
	}
	if err := src.Err(); err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(seed, 0x6a6f6273))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	keys := make([][]byte, len(d.Clusters))
	for i, c := range d.Clusters {
		keys[i] = random(c.KeyBytes)
	}
	for i := range jobs {
		j := &jobs[i]
		n := 0
		for _, s := range j.Split {
			n += s
		}
		j.Key, j.Data = keys[j.Cluster], random(n)
		if j.Mode != cipher.ECB && j.Mode != cipher.MAC {
			j.IV = random(cipher.BlockSize)
		}
		if j.Cmd == cipher.Verify {
			b, err := cipher.New(d.Clusters[j.Cluster].Algorithm, j.Key)
			if err != nil {
				return nil, fmt.Errorf("job %d: %w", j.ID, err)
			}
			j.Tag = cipher.CMAC(b, j.Data)
		}
		j.Split = slices.Clip(j.Split)
	}
	return jobs, nil
}
