// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/sched"
	"hwgen/gen/workload"
)

// Columns of a workload's CSV, paper 1's Table 1 (task, No, flag, arrival, length) and what a design needs beside it.
var Columns = []string{"task", "No", "flag", "arrival", "length", "cluster", "cmd", "mode", "last"}

const (
	colTask = iota
	colNo
	colFlag
	colArrival
	colLength
	colCluster
	colCmd
	colMode
	colLast
	numCols

	requiredCols = colLength + 1

	maxLine = 1 << 14 // bytes
	// closedKept is how many jobs that are done are remembered for messages about packets behind the last.
	closedKept = 4096
)

// openCSV opens a CSV. Without a column `last` the file is read once beforehand, from its end, to find the last
// packets.
func openCSV(path string, d *design.Design) (Source, error) {
	f, err := openFile(path, false)
	if err != nil {
		return nil, err
	}
	t := &table{name: path, d: d, clusters: clusterNames(d), closer: f}
	if err := t.open(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return loads(t, d), nil
}

func (t *table) open(f *input) error {
	r, err := f.reader()
	if err != nil {
		return diag.Usage("%s: %w", t.name, diag.Cause(err))
	}
	if err := t.start(r); err != nil || t.at[colLast] >= 0 {
		return err
	}
	if !f.regular {
		return &diag.Error{Pos: diag.Pos{File: t.name, Line: 1, Col: 1}, Msg: "the column last is missing",
			Hint: "only of a regular file, which can be read twice, may it be left out"}
	}
	if t.last, t.rows, err = findLast(f, f.size, t.at[colTask], t.at[colNo]); err == nil {
		r, err = f.reader()
	}
	if err != nil {
		return diag.Usage("%s: %w", t.name, diag.Cause(err))
	}
	return t.start(r)
}

// table reads the rows of a CSV.
type table struct {
	name     string
	d        *design.Design
	clusters []string // names
	r        *csv.Reader
	closer   io.Closer
	at       [numCols]int // field of each column, -1: absent
	fields   int
	// Without a column `last`: bit k is set if row k from the end is the last of its job.
	last bitset
	rows int

	row      int
	arrival  int64
	line     int // of the present row
	jobs     uint64
	jobsOpen map[uint32]*openJob
	closed   map[uint32]int // line of the last packet
	ring     []uint32
	ringAt   int
	err      error
}

type openJob struct {
	class
	no     int
	flag   int
	line   int // of the packet before
	number uint64
}

const byteOrderMark = "\xef\xbb\xbf"

func (t *table) start(r io.Reader) error {
	t.jobsOpen, t.closed = map[uint32]*openJob{}, map[uint32]int{}
	in := bufio.NewReaderSize(&lineLimit{r: r}, readBuffer)
	if b, _ := in.Peek(3); string(b) == byteOrderMark {
		_, _ = in.Discard(3)
	}
	t.r = csv.NewReader(in)
	t.r.FieldsPerRecord, t.r.ReuseRecord, t.r.Comment = -1, true, '#'
	t.r.TrimLeadingSpace = true
	head, err := t.r.Read()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return &diag.Error{Pos: diag.Pos{File: t.name, Line: 1, Col: 1}, Msg: "the file is empty", Hint: headHint}
		}
		return t.syntax(err)
	}
	return t.header(head)
}

var headHint = "the first line names the columns: " + strings.Join(Columns[:requiredCols], ",") +
	" and, where the design needs them, " +
	strings.Join(Columns[requiredCols:], ",")

func (t *table) header(head []string) error {
	for i := range t.at {
		t.at[i] = -1
	}
	t.fields = len(head)
	t.line, _ = t.r.FieldPos(0)
	var errs diag.List
	for i, name := range head {
		line, col := t.r.FieldPos(i)
		pos := diag.Pos{File: t.name, Line: line, Col: col}
		name = strings.TrimSpace(name)
		c := slices.IndexFunc(Columns, func(s string) bool { return strings.EqualFold(s, name) })
		switch {
		case c < 0:
			errs.Add(pos, diag.Allowed(name, Columns), "unknown column %q", name)
		case t.at[c] >= 0:
			errs.Add(pos, "", "column %s is given twice", Columns[c])
		default:
			t.at[c] = i
		}
	}
	for c, name := range Columns[:requiredCols] {
		if t.at[c] < 0 {
			errs.Add(diag.Pos{File: t.name, Line: t.line, Col: 1}, headHint, "column %s is missing", name)
		}
	}
	return errs.Err()
}

// lineLimit ends the input at a line that is too long to be one, so that no file makes the reader hold more.
type lineLimit struct {
	r    io.Reader
	run  int // bytes of the present line
	line int // newlines so far
	err  error
}

// longLine is the number of the line that is too long.
type longLine int

func (l longLine) Error() string { return fmt.Sprintf("the line is longer than %d bytes", maxLine) }

func (l *lineLimit) Read(b []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.r.Read(b)
	start := 0
	for {
		i := bytes.IndexByte(b[start:n], '\n')
		if i < 0 {
			i = n - start
		}
		if l.run += i; l.run > maxLine {
			l.err = longLine(l.line + 1)
			return start, nil
		}
		if start+i == n {
			return n, err
		}
		l.run, l.line, start = 0, l.line+1, start+i+1
	}
}

// syntax gives an error of the CSV reader a place.
func (t *table) syntax(err error) error {
	var pe *csv.ParseError
	var long longLine
	switch {
	case errors.As(err, &long):
		return &diag.Error{Pos: diag.Pos{File: t.name, Line: int(long), Col: 1}, Msg: long.Error(), Hint: "a packet a line"}
	case errors.As(err, &pe):
		return &diag.Error{Pos: diag.Pos{File: t.name, Line: pe.Line, Col: max(pe.Column, 1)}, Msg: "not CSV: " +
			pe.Err.Error()}
	}
	return diag.Usage("%s: %w", t.name, diag.Cause(err))
}

// fail ends the stream with a mistake in a column of the present row.
func (t *table) fail(rec []string, c int, hint, format string, args ...any) bool {
	i := max(t.at[c], 0)
	line, col := t.r.FieldPos(min(i, len(rec)-1))
	t.err = &diag.Error{Pos: diag.Pos{File: t.name, Line: line, Col: col}, Msg: Columns[c] + ": " + fmt.Sprintf(format,
		args...), Hint: hint}
	return false
}

func (t *table) integer(rec []string, c int, hi int64) (int64, bool) {
	s := rec[t.at[c]]
	v, err := strconv.ParseInt(s, 10, 64)
	rule := func() string { return fmt.Sprintf("an integer from 0 to %d", hi) }
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, t.fail(rec, c, rule(), "%q is not an integer", clip(s))
	case err != nil || v < 0 || v > hi:
		return 0, t.fail(rec, c, rule(), "%s is out of range", clip(s))
	case strings.ContainsAny(s[:1], "+-") || s[0] == '0' && len(s) > 1: // one text a number: findLast compares texts
		return 0, t.fail(rec, c, "write "+strconv.FormatInt(v, 10), "%s has digits or a sign too many", clip(s))
	}
	return v, true
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

// name reads an optional column of names; def where it is absent or empty.
func (t *table) nameOf(rec []string, c int, names []string, def int) (int, bool) {
	if t.at[c] < 0 || rec[t.at[c]] == "" {
		return def, true
	}
	s := rec[t.at[c]]
	if a, ok := modeAliases[s]; ok && c == colMode {
		s = a
	}
	i := slices.Index(names, s)
	if i < 0 {
		return 0, t.fail(rec, c, diag.Allowed(s, names), "unknown %q", clip(s))
	}
	return i, true
}

// modeAliases are other names of modes, as jobs files have them.
var modeAliases = map[string]string{"cfb128": "cfb", "cmac": "mac"}

func (t *table) Next(p *sched.Packet) bool {
	if t.err != nil {
		return false
	}
	rec, err := t.r.Read()
	if errors.Is(err, io.EOF) {
		return t.end()
	}
	if err != nil {
		t.err = t.syntax(err)
		return false
	}
	if len(rec) != t.fields {
		line, col := t.r.FieldPos(min(len(rec), t.fields) - 1)
		t.err = &diag.Error{Pos: diag.Pos{File: t.name, Line: line, Col: col},
			Hint: "a field for each column of the first line",
			Msg:  fmt.Sprintf("%d fields, the first line has %d", len(rec), t.fields)}
		return false
	}
	t.row++
	t.line, _ = t.r.FieldPos(0)
	for i := range rec {
		rec[i] = strings.TrimRight(rec[i], " \t")
	}
	return t.packet(rec, p)
}

func (t *table) packet(rec []string, p *sched.Packet) bool {
	task64, ok := t.integer(rec, colTask, 1<<32-1)
	if !ok {
		return false
	}
	task := uint32(task64)
	no64, ok := t.integer(rec, colNo, 1<<40)
	if !ok {
		return false
	}
	flag, ok := t.integer(rec, colFlag, 1)
	if !ok {
		return false
	}
	arrival, ok := t.integer(rec, colArrival, workload.MaxArrival)
	if !ok {
		return false
	}
	if arrival < t.arrival {
		return t.fail(rec, colArrival, "rows are in the order of arrival", "%d is before %d of the row above", arrival,
			t.arrival)
	}
	length64, ok := t.integer(rec, colLength, 1<<40)
	if !ok {
		return false
	}
	c, ok := t.class(rec, int(flag))
	if !ok {
		return false
	}
	last := t.last.has(t.rows - t.row)
	if t.at[colLast] >= 0 {
		v, ok := t.integer(rec, colLast, 1)
		if !ok {
			return false
		}
		last = v == 1
	}
	no, length := int(no64), int(length64)
	j, ok := t.job(rec, task, no, c, int(flag))
	if !ok || !t.length(rec, c, length, last) {
		return false
	}
	t.arrival = arrival
	c.packet(p, arrival, j.number, no, length, last)
	j.line = t.line
	if last {
		delete(t.jobsOpen, task)
		t.remember(task, t.line)
	}
	return true
}

// class reads cluster, command and mode.
func (t *table) class(rec []string, flag int) (c class, ok bool) {
	if c.cluster, ok = t.nameOf(rec, colCluster, t.clusters, 0); !ok {
		return c, false
	}
	cmd, ok := t.nameOf(rec, colCmd, cipher.CmdNames, int(cipher.Encrypt))
	if !ok {
		return c, false
	}
	c.cmd = cipher.Cmd(cmd)
	def := cipher.ECB
	switch {
	case c.cmd == cipher.Sign || c.cmd == cipher.Verify:
		def = cipher.MAC
	case flag == 1:
		def = cipher.CBC
	}
	mode, ok := t.nameOf(rec, colMode, cipher.ModeNames, int(def))
	if !ok {
		return c, false
	}
	c.mode = cipher.Mode(mode)
	cl := t.d.Clusters[c.cluster]
	col := colMode
	if t.at[colMode] < 0 {
		col = colFlag
	}
	switch {
	case !cipher.Legal(c.cmd, c.mode):
		return c, t.fail(rec, col, "sign and verify go with mac, encrypt and decrypt with ecb, cbc, cfb, ofb, ctr",
			"%s does not go with %s", c.mode, c.cmd)
	case !workload.Supports(cl, c.cmd, c.mode):
		return c, t.fail(rec, col, workload.HintModes(cl, c.cmd), "no core of cluster %q does %s in mode %s", cl.Name, c.cmd, c.mode)
	case c.mode.Chained() && c.mode != cipher.MAC && flag == 0:
		return c, t.fail(rec, colFlag, "1: its packets depend on each other; or mode ecb or ctr",
			"0, but mode %s is chained", c.mode)
	case !c.mode.Chained() && flag == 1:
		return c, t.fail(rec, colFlag, "0: its packets do not depend on each other; or mode cbc, cfb, ofb or mac",
			"1, but mode %s is not chained", c.mode)
	}
	return c, true
}

// job finds the job of a packet, or begins it.
func (t *table) job(rec []string, task uint32, no int, c class, flag int) (*openJob, bool) {
	j := t.jobsOpen[task]
	if j == nil {
		if no != 0 {
			if line, ok := t.closed[task]; ok {
				return nil, t.fail(rec, colNo, "the next job of this number begins with No 0",
					"packet %d of task %d after its last, in line %d", no, task, line)
			}
			return nil, t.fail(rec, colNo, "a job begins with No 0", "%d is the first packet of task %d", no, task)
		}
		// the numbers of jobs are different even if the file uses a task's number again
		j = &openJob{class: c, flag: flag, number: t.jobs<<32 | uint64(task)}
		t.jobs++
		t.jobsOpen[task] = j
		return j, true
	}
	if no != j.no+1 {
		return nil, t.fail(rec, colNo,
			fmt.Sprintf("packets of a job are numbered in their order; the one before is in line %d", j.line),
			"%d, but the next packet of task %d is %d", no, task, j.no+1)
	}
	changed := -1
	switch {
	case c.cluster != j.cluster:
		changed = colCluster
	case c.cmd != j.cmd:
		changed = colCmd
	case c.mode != j.mode && (flag == j.flag || t.at[colMode] >= 0 && rec[t.at[colMode]] != ""):
		changed = colMode
	case flag != j.flag:
		changed = colFlag
	case flag == 0 && c.mode == cipher.MAC:
		return nil, t.fail(rec, colFlag, "1: the packets of a MAC depend on each other",
			"0, but the MAC has more than one packet")
	}
	if changed >= 0 {
		return nil, t.fail(rec, changed, fmt.Sprintf("one a job, as in line %d", j.line), "changes inside task %d", task)
	}
	j.no = no
	return j, true
}

func (t *table) length(rec []string, c class, n int, last bool) bool {
	most := t.d.PktBytes
	switch {
	case n == 0:
		return t.fail(rec, colLength, fmt.Sprintf("1 to packet_bytes = %d", most), "0: a packet has at least one byte")
	case n > most:
		return t.fail(rec, colLength, fmt.Sprintf("1 to packet_bytes = %d; split it into more packets", most),
			"%d is over packet_bytes", n)
	case n%cipher.BlockSize != 0 && !last:
		return t.fail(rec, colLength, "only the last packet of a job may be short", "%d is not a multiple of 16", n)
	case n%cipher.BlockSize != 0 && !shortLast(c.mode):
		return t.fail(rec, colLength, "cfb, ofb, ctr and mac take any length",
			"%d is not a multiple of 16: mode %s takes whole blocks", n, c.mode)
	}
	return true
}

// remember keeps the most recent jobs that are done.
func (t *table) remember(task uint32, line int) {
	if _, ok := t.closed[task]; !ok {
		if len(t.ring) < closedKept {
			t.ring = append(t.ring, task)
		} else {
			delete(t.closed, t.ring[t.ringAt])
			t.ring[t.ringAt] = task
			t.ringAt = (t.ringAt + 1) % closedKept
		}
	}
	t.closed[task] = line
}

func (t *table) end() bool {
	if t.row == 0 {
		t.err = &diag.Error{Pos: diag.Pos{File: t.name, Line: t.line, Col: 1}, Msg: "no packet follows the first line",
			Hint: "a packet a line"}
		return false
	}
	var worst *openJob
	var task uint32
	for k, j := range t.jobsOpen { // the one that stands first
		if worst == nil || j.line < worst.line {
			worst, task = j, k
		}
	}
	if worst != nil {
		t.err = &diag.Error{Pos: diag.Pos{File: t.name, Line: worst.line, Col: 1},
			Msg:  fmt.Sprintf("task %d has no last packet: this one, No %d, is its latest", task, worst.no),
			Hint: "last = 1 at the last packet of each job, or leave the column out"}
	}
	return false
}

func (t *table) Err() error   { return t.err }
func (t *table) Close() error { return t.closer.Close() }

// findLast reads a file from its end: a row is the last of its job if no later row has its task, or the next that has
// it
// begins another job. It holds the tasks of jobs open at a time and a bit a row.
func findLast(f io.ReaderAt, size int64, taskAt, noAt int) (last bitset, rows int, err error) {
	open := map[string]bool{}
	line := func(b []byte) {
		b = bytes.TrimSuffix(b, []byte("\r"))
		if len(b) == 0 || b[0] == '#' {
			return
		}
		task, no := field(b, taskAt), field(b, noAt)
		if !open[string(task)] {
			last.set(rows)
			open[string(task)] = true
		}
		if string(no) == "0" {
			delete(open, string(task))
		}
		rows++
	}
	var rest []byte // the beginning of the line whose end is already read
	buf := make([]byte, readBuffer)
	for at := size; at > 0; {
		n := min(at, int64(len(buf)))
		at -= n
		if _, err := f.ReadAt(buf[:n], at); err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		b := append(slices.Clone(buf[:n]), rest...)
		for {
			i := bytes.LastIndexByte(b, '\n')
			if i < 0 {
				break
			}
			line(b[i+1:])
			b = b[:i]
		}
		if len(b) > maxLine { // the reader proper says where
			b = nil
		}
		rest = b
	}
	line(bytes.TrimPrefix(rest, []byte(byteOrderMark))) // the header, which is a row of its own here
	return last, rows - 1, nil
}

// field is field i of a line, without quotes.
func field(b []byte, i int) []byte {
	for ; i > 0; i-- {
		j := bytes.IndexByte(b, ',')
		if j < 0 {
			return nil
		}
		b = b[j+1:]
	}
	if j := bytes.IndexByte(b, ','); j >= 0 {
		b = b[:j]
	}
	return bytes.Trim(b, " \t\"")
}

// WriteCSV writes a workload as CSV, key loads left out: reading it back gives the same packets.
func WriteCSV(w io.Writer, src sched.Source, d *design.Design) error {
	out := bufio.NewWriterSize(w, readBuffer)
	fmt.Fprintln(out, strings.Join(Columns, ","))
	tasks := map[uint64]uint32{} // of open jobs
	inUse := map[uint32]bool{}
	free := uint32(1 << 31)
	var p sched.Packet
	for src.Next(&p) {
		if p.Load {
			continue
		}
		task, ok := tasks[p.Job]
		if !ok {
			task = uint32(p.Job)
			for inUse[task] {
				task = free
				free++
			}
			tasks[p.Job], inUse[task] = task, true
		}
		if p.Bytes == 0 {
			return diag.Usage("packet %d of job %d is empty, which the CSV format does not have; write .jsonl", p.No,
				uint32(p.Job))
		}
		cmd, mode := cipher.Cmd(p.Op), cipher.Mode(p.Mode)
		flag := 0
		if mode.Chained() && (mode != cipher.MAC || p.No > 0 || !p.Last) {
			flag = 1
		}
		last := 0
		if p.Last {
			last = 1
			delete(tasks, p.Job)
			delete(inUse, task)
		}
		fmt.Fprintf(out, "%d,%d,%d,%d,%d,%s,%s,%s,%d\n", task, p.No, flag, p.Arrival, p.Bytes, d.Clusters[p.Cluster].Name,
			cmd, mode, last)
	}
	if err := src.Err(); err != nil {
		return err
	}
	return out.Flush()
}
