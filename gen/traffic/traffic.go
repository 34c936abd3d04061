// SPDX-License-Identifier: Apache-2.0

// Package traffic reads and makes workloads: streams of packets that the scheduler's model takes one by one, and the
// same packets as jobs with keys and data for the generated RTL. docs/workloads.md describes every format.
//
// A workload is named by one string, a file or a generator, each with options behind a colon:
//
//	table.csv                               paper 1's Table 1
//	jobs.jsonl                              a jobs file
//	capture.pcap:clock_mhz=200,modes=ctr    captured traffic, a flow is a job
//	poisson:load=0.9,packets=5000,seed=3    a generator
//
// Times are clock cycles, lengths are bytes of payload.
package traffic

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/sched"
)

// Source is a workload as a stream, in the order of arrivals. A key load stands before the first packet of each
// cluster,
// as the jobs of Jobs have it too.
type Source interface {
	sched.Source
	// Close gives files back.
	Close() error
}

// Workload is a workload that can be opened any number of times.
type Workload struct {
	d    *design.Design
	text string
	kind string // a generator's name, or csv, jsonl, pcap
	path string // of a file
	gen  generator
	pcap capture
}

// fileKinds are the kinds of files by the ending of their names.
var fileKinds = map[string]string{
	".csv": "csv", ".jsonl": "jsonl", ".pcap": "pcap", ".pcapng": "pcap", ".cap": "pcap",
	".pcap.gz": "pcap", ".pcapng.gz": "pcap",
}

const forms = "a workload is a file (.csv, .jsonl, .pcap, .pcapng) or a generator with options, " +
	"such as poisson:load=0.9,packets=1000"

// Parse reads a workload's name and options; the file itself is read by Open. Errors are a diag.List whose places are
// in
// spec (file "workload").
func Parse(spec string, d *design.Design) (*Workload, error) {
	w := &Workload{d: d, text: spec}
	if path, kind, rest, ok := splitFile(spec); ok {
		w.path, w.kind = path, kind
		o := newOptions(spec, rest)
		if kind == "pcap" {
			w.pcap = parseCapture(o, d)
		}
		return w, o.finish(kind + " file")
	}
	name, _, _ := strings.Cut(spec, ":")
	if !slices.Contains(GeneratorNames, name) {
		pos := diag.Pos{File: "workload", Line: 1, Col: 1}
		msg := fmt.Sprintf("unknown workload %q", name)
		if name == "" {
			msg = "no workload is named"
		}
		hint := diag.DidYouMean(name, GeneratorNames)
		if hint != "" {
			hint += " "
		}
		return nil, diag.List{{Pos: pos, Msg: msg, Hint: hint + "generators: " + strings.Join(GeneratorNames, ", ") + "; " +
			forms}}
	}
	w.kind = name
	o := newOptions(spec, min(len(name)+1, len(spec)))
	w.gen = parseGenerator(name, o, d)
	return w, o.finish(name)
}

// splitFile finds the file's name in a spec: the longest beginning with a known ending, before a colon or the end. rest
// is where the options begin.
func splitFile(spec string) (path, kind string, rest int, ok bool) {
	ends := []int{len(spec)}
	for i := len(spec) - 1; i >= 0; i-- {
		if spec[i] == ':' {
			ends = append(ends, i)
		}
	}
	for _, e := range ends {
		name := strings.ToLower(spec[:e])
		ext := filepath.Ext(name)
		if ext == ".gz" {
			ext = filepath.Ext(strings.TrimSuffix(name, ext)) + ext
		}
		if k, known := fileKinds[ext]; known {
			return spec[:e], k, min(e+1, len(spec)), true
		}
	}
	return "", "", 0, false
}

// File is the file that a workload is read from; "" for a generator.
func File(spec string) string {
	path, _, _, _ := splitFile(spec)
	return path
}

// Open opens a workload.
func Open(spec string, d *design.Design) (Source, error) {
	w, err := Parse(spec, d)
	if err != nil {
		return nil, err
	}
	return w.Open()
}

// Open opens the workload from its beginning. Errors of files name them with line or record, exit code 2.
func (w *Workload) Open() (Source, error) {
	switch w.kind {
	case "csv":
		return openCSV(w.path, w.d)
	case "jsonl":
		return openJobs(w.path, w.d)
	case "pcap":
		return openCapture(w.path, &w.pcap, w.d)
	}
	return loads(newGenerated(&w.gen), w.d), nil
}

// String is the workload as it was named.
func (w *Workload) String() string { return w.text }

// Random says whether seeds give other draws: true for generators.
func (w *Workload) Random() bool { return w.path == "" }

// Seeded is the workload with another seed. Of a file it is the file itself.
func (w *Workload) Seeded(seed uint64) *Workload {
	v := *w
	v.gen.seed = seed
	return &v
}

// Seed is the seed that a generator's options name, 1 if they name none.
func (w *Workload) Seed() uint64 { return w.gen.seed }

// inner is a stream without key loads.
type inner interface {
	Next(p *sched.Packet) bool
	Err() error
	Close() error
}

// loading puts a key load before the first packet of each cluster.
type loading struct {
	inner
	d      *design.Design
	loaded []bool
	held   sched.Packet
	holds  bool
}

func loads(in inner, d *design.Design) Source {
	return &loading{inner: in, d: d, loaded: make([]bool, len(d.Clusters))}
}

// loadJob is the job number of key loads, which belong to no job.
const loadJob = 1 << 63

func (l *loading) Next(p *sched.Packet) bool {
	if l.holds {
		*p, l.holds = l.held, false
		return true
	}
	if !l.inner.Next(p) {
		return false
	}
	if !l.loaded[p.Cluster] {
		l.loaded[p.Cluster] = true
		l.held, l.holds = *p, true
		n := l.d.Clusters[p.Cluster].KeyBytes
		*p = sched.Packet{
			Arrival: p.Arrival, Job: loadJob, Cluster: p.Cluster, Load: true, Blocks: n / cipher.BlockSize, Bytes: n,
		}
	}
	return true
}

// class is what the packets of a job have in common.
type class struct {
	cluster int
	cmd     cipher.Cmd
	mode    cipher.Mode
	// single: each packet is a job of its own. A MAC that is not chained can only be one of a single packet.
	single bool
}

// packet fills in a packet of a class.
func (c class) packet(p *sched.Packet, arrival int64, job uint64, no, length int, last bool) {
	first := no == 0
	*p = sched.Packet{
		Arrival: arrival, Job: job, No: no, Cluster: c.cluster, Op: int(c.cmd), Mode: uint8(c.mode),
		Inverse: cipher.NeedsInverse(c.cmd, c.mode), Chained: c.mode.Chained(), Last: last,
		Blocks: (length + cipher.BlockSize - 1) / cipher.BlockSize, Bytes: length,
	}
	switch c.mode {
	case cipher.CTR:
		p.IV = true
	case cipher.CBC, cipher.CFB, cipher.OFB:
		p.IV = first
	case cipher.MAC:
		p.IV = last && c.cmd == cipher.Verify
	}
}

// shortLast says whether the last packet may be of any length.
func shortLast(m cipher.Mode) bool { return m != cipher.ECB && m != cipher.CBC }

func clusterNames(d *design.Design) []string {
	names := make([]string, len(d.Clusters))
	for i, c := range d.Clusters {
		names[i] = c.Name
	}
	return names
}

// input is a file that is read. What is appended to it meanwhile is not looked at.
type input struct {
	*os.File
	regular bool // can be read twice
	size    int64
}

// openFile opens a file for reading; twice says that it has to be one that can be read twice.
func openFile(path string, twice bool) (*input, error) {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, diag.Usage("workload %s: cannot be read: %w", path, diag.Cause(err))
	case st.IsDir():
		return nil, diag.Usage("workload %s is a folder; name a file", path)
	case twice && !st.Mode().IsRegular():
		return nil, diag.Usage("%s: not a regular file: it is read twice, so it must have an end", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, diag.Usage("workload %s: cannot be read: %w", path, diag.Cause(err))
	}
	return &input{f, st.Mode().IsRegular(), st.Size()}, nil
}

// reader reads from the beginning.
func (f *input) reader() (io.Reader, error) {
	if !f.regular {
		return f.File, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return io.LimitReader(f.File, f.size), nil
}

// bitset is a bit for each packet of a file: one that ends its job.
type bitset []uint64

func (b *bitset) set(i int) {
	for i>>6 >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[i>>6] |= 1 << (i & 63)
}

func (b bitset) has(i int) bool { return i >= 0 && i>>6 < len(b) && b[i>>6]>>(i&63)&1 == 1 }

const readBuffer = 1 << 16

// held is a stream of packets in memory.
type held struct {
	ps []sched.Packet
	i  int
}

// Held is packets in memory as a stream, with key loads.
func Held(ps []sched.Packet, d *design.Design) Source { return loads(&held{ps: ps}, d) }

func (h *held) Next(p *sched.Packet) bool {
	if h.i == len(h.ps) {
		return false
	}
	*p = h.ps[h.i]
	h.i++
	return true
}

func (h *held) Err() error   { return nil }
func (h *held) Close() error { return nil }
