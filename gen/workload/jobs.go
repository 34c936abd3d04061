// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/diag"
)

// Job is one cipher job.
type Job struct {
	ID          uint32
	Requester   int
	Cluster     int // index in the design
	Cmd         cipher.Cmd
	Mode        cipher.Mode
	Key         []byte
	IV          []byte
	Data        []byte
	Tag         []byte
	PacketBytes int // 0: the design's
	Arrival     uint64

	Split []int // sizes of the packets; nil: PacketBytes each
	// Arrivals are those of the packets, not decreasing; nil: all at Arrival, in turn with jobs of the same arrival.
	Arrivals []uint64
	// Places put packets of the same arrival in order, across jobs; nil: in turn. Jobs of a plan have them all or none.
	Places []uint64
}

var jobFields = []string{
	"job", "requester", "cluster", "cmd", "mode", "key", "iv", "data", "tag", "packet_bytes", "arrival",
	"lengths", "arrivals",
}

// MaxArrival is the latest cycle of an arrival, in every kind of workload.
const MaxArrival = 1 << 53

// maxData keeps one job's packets countable.
const maxData = 1 << 30

// ReadJobs reads a jobs file (a job a line) for a design. Its error is a diag.List with a place for every mistake.
func ReadJobs(r io.Reader, name string, d *design.Design) ([]Job, error) {
	return readJobs(r, name, d, false)
}

// ReadDoneJobs is ReadJobs for what follows the work of cores alone: a job that no core of its cluster does is a mistake.
func ReadDoneJobs(r io.Reader, name string, d *design.Design) ([]Job, error) {
	return readJobs(r, name, d, true)
}

func readJobs(r io.Reader, name string, d *design.Design, done bool) ([]Job, error) {
	var (
		jobs []Job
		errs diag.List
	)
	seen := map[[2]uint32]int{}
	in := bufio.NewReaderSize(r, 1<<16)
	for line := 1; ; line++ {
		text, err := readLine(in)
		if line == 1 {
			text = bytes.TrimPrefix(text, []byte(byteOrderMark))
		}
		if l := noLine(""); errors.As(err, &l) {
			errs.Add(diag.Pos{File: name, Line: line, Col: 1}, lineForm, "not JSON: %s", string(l))
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if t := bytes.TrimSpace(text); len(t) > 0 {
			p := lineParser{d: d, done: done, errs: &errs, pos: diag.Pos{File: name, Line: line, Col: 1}, text: text}
			if j, ok := p.parse(); ok {
				k := [2]uint32{uint32(j.Requester), j.ID}
				if first, dup := seen[k]; dup {
					p.fail("job", "each job of a requester needs an id of its own",
						"job %d of requester %d is already in line %d", j.ID, j.Requester, first)
				} else {
					seen[k] = line
					jobs = append(jobs, j)
				}
			}
		}
		if err != nil || len(errs) >= 20 {
			break
		}
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return jobs, nil
}

// maxLine is the bytes of a line: a job of 65536 packets of 4096 bytes fits.
const maxLine = 1 << 30

const lineForm = `a line is one JSON object: {"job":1,"cluster":"aes",...}`

const byteOrderMark = "\xef\xbb\xbf"

// noLine is what a line is that is not read to its end, so that no file makes the reader hold what can't be a job.
type noLine string

func (l noLine) Error() string { return string(l) }

// readLine reads a line with its end.
func readLine(in *bufio.Reader) ([]byte, error) {
	var text []byte
	for {
		part, err := in.ReadSlice('\n')
		text = append(text, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, err
		}
		switch t := bytes.TrimSpace(bytes.TrimPrefix(text, []byte(byteOrderMark))); {
		case len(t) == 0 || t[0] != '{':
			return nil, noLine("the line does not begin with {")
		case len(text) > maxLine:
			return nil, noLine(fmt.Sprintf("the line is longer than %d bytes", maxLine))
		}
	}
}

type lineParser struct {
	d    *design.Design
	done bool // a job that no core does is a mistake
	errs *diag.List
	pos  diag.Pos
	text []byte
	vals map[string]json.RawMessage
	cols map[string]int
	bad  bool
}

func (p *lineParser) fail(field, hint, format string, args ...any) {
	pos := p.pos
	if c, ok := p.cols[field]; ok {
		pos.Col = c
	}
	msg := fmt.Sprintf(format, args...)
	if field != "" {
		msg = printable(field) + ": " + msg
	}
	p.errs.Add(pos, hint, "%s", msg)
	p.bad = true
}

// scan splits the line into fields, their places kept.
func (p *lineParser) scan() bool {
	p.vals, p.cols = map[string]json.RawMessage{}, map[string]int{}
	dec := json.NewDecoder(bytes.NewReader(p.text))
	// the column, in characters, of the byte at an offset
	column := func(at int64) int { return utf8.RuneCount(p.text[:min(max(at, 0), int64(len(p.text)))]) + 1 }
	col := func() int { return column(dec.InputOffset()) }
	syntax := func(err error) bool {
		var se *json.SyntaxError
		c := col()
		if errors.As(err, &se) {
			c = max(c, column(se.Offset-1)) // the package counts to the byte or past it
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the line ends too early")
		}
		p.pos.Col = c
		p.fail("", lineForm, "not JSON: %v", err)
		return false
	}
	t, err := dec.Token()
	if err != nil {
		return syntax(err)
	}
	if t != json.Delim('{') {
		p.fail("", lineForm, "not a JSON object")
		return false
	}
	for dec.More() {
		before := dec.InputOffset()
		t, err := dec.Token()
		if err != nil {
			return syntax(err)
		}
		key, ok := t.(string)
		if !ok {
			return syntax(errors.New("a field's name must be a string"))
		}
		// what the name is in the file may be longer or shorter than what it says: \u0041, bytes that are no UTF-8
		c := column(before + int64(bytes.IndexByte(p.text[before:], '"')))
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return syntax(err)
		}
		if !slices.Contains(jobFields, key) {
			p.cols[key] = c
			p.fail(key, diag.Allowed(key, jobFields), "unknown field")
			continue
		}
		if _, dup := p.vals[key]; dup {
			p.cols[key] = c
			p.fail(key, "", "given twice")
			continue
		}
		p.vals[key], p.cols[key] = raw, c
	}
	if _, err := dec.Token(); err != nil {
		return syntax(err)
	}
	if rest := bytes.TrimSpace(p.text[dec.InputOffset():]); len(rest) > 0 {
		p.pos.Col = col()
		p.fail("", "one job a line", "something follows the object")
		return false
	}
	return true
}

func (p *lineParser) integer(field string, required bool, def, lo, hi int64) int64 {
	raw, ok := p.vals[field]
	if !ok {
		if required {
			p.fail(field, fmt.Sprintf("an integer from %d to %d", lo, hi), "missing")
		}
		return def
	}
	v, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		p.fail(field, fmt.Sprintf("an integer from %d to %d", lo, hi), "%s is not an integer", clip(raw))
		return def
	}
	if v < lo || v > hi {
		p.fail(field, fmt.Sprintf("%d to %d", lo, hi), "%d is out of range", v)
		return def
	}
	return v
}

// integers reads a list of integers; nil if it is absent or wrong.
func (p *lineParser) integers(field string, lo, hi int64) []int64 {
	raw, ok := p.vals[field]
	if !ok {
		return nil
	}
	hint := fmt.Sprintf("a list of integers from %d to %d", lo, hi)
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
		p.fail(field, hint, "%s is no list of integers", clip(raw))
		return nil
	}
	out := make([]int64, len(list))
	for i, e := range list {
		v, err := strconv.ParseInt(string(e), 10, 64)
		if err != nil {
			p.fail(field, hint, "%s is not an integer", clip(e))
			return nil
		}
		if v < lo || v > hi {
			p.fail(field, hint, "%d is out of range", v)
			return nil
		}
		out[i] = v
	}
	return out
}

func clip(raw []byte) string {
	if len(raw) > 40 {
		return printable(string(raw[:40])) + "..."
	}
	return printable(string(raw))
}

// printable is a text in quotes if it has characters that a terminal may take for commands.
func printable(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

func (p *lineParser) str(field string, required bool, hint string) (string, bool) {
	raw, ok := p.vals[field]
	if !ok {
		if required {
			p.fail(field, hint, "missing")
		}
		return "", false
	}
	var s *string
	if err := json.Unmarshal(raw, &s); err != nil || s == nil {
		p.fail(field, hint, "%s is not a string", clip(raw))
		return "", false
	}
	return *s, true
}

func (p *lineParser) hex(field string, required bool) ([]byte, bool) {
	s, ok := p.str(field, required, "a string of hex digits")
	if !ok {
		return nil, false
	}
	if strings.ToLower(s) != s {
		p.fail(field, "hex digits 0-9 a-f in lower case", "upper case hex")
		return nil, false
	}
	b, err := hex.DecodeString(s)
	if err != nil {
		hint := "pairs of the hex digits 0-9 a-f"
		if errors.Is(err, hex.ErrLength) {
			p.fail(field, hint, "an odd number of hex digits (%d)", len(s))
		} else {
			p.fail(field, hint, "%s", strings.TrimPrefix(err.Error(), "encoding/hex: "))
		}
		return nil, false
	}
	return b, true
}

// aliases are other names of modes, as the standards have them.
var aliases = map[string]string{"cfb128": "cfb", "cmac": "mac"}

func (p *lineParser) name(field string, names []string) int {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = strconv.Quote(n)
	}
	s, ok := p.str(field, true, "allowed: "+strings.Join(quoted, ", "))
	if !ok {
		return -1
	}
	if a, ok := aliases[s]; ok && field == "mode" {
		s = a
	}
	i := slices.Index(names, s)
	if i < 0 {
		p.fail(field, diag.Allowed(s, names), "unknown %q", s)
	}
	return i
}

func (p *lineParser) parse() (Job, bool) {
	var j Job
	if !p.scan() {
		return j, false
	}
	names := make([]string, len(p.d.Clusters))
	for i, c := range p.d.Clusters {
		names[i] = c.Name
	}
	j.ID = uint32(p.integer("job", true, 0, 0, 1<<32-1))
	j.Requester = int(p.integer("requester", false, 0, 0, int64(p.d.Requesters-1)))
	j.Cluster = p.name("cluster", names)
	cmd, mode := p.name("cmd", cipher.CmdNames), p.name("mode", cipher.ModeNames)
	j.PacketBytes = int(p.integer("packet_bytes", false, int64(p.d.PktBytes), 16, int64(p.d.PktBytes)))
	if n := j.PacketBytes; n%16 != 0 {
		p.fail("packet_bytes", fmt.Sprintf("16 to %d in steps of 16, the nearest are %d and %d", p.d.PktBytes, n/16*16, n/16*16+16),
			"%d is not a multiple of 16", n)
	}
	j.Arrival = uint64(p.integer("arrival", false, 0, 0, MaxArrival))
	key, keyOK := p.hex("key", true)
	data, dataOK := p.hex("data", true)
	iv, haveIV := p.hex("iv", false)
	tag, haveTag := p.hex("tag", false)
	j.Key, j.Data, j.IV, j.Tag = key, data, iv, tag
	if cmd < 0 || mode < 0 || j.Cluster < 0 {
		return j, false
	}
	j.Cmd, j.Mode = cipher.Cmd(cmd), cipher.Mode(mode)
	if !cipher.Legal(j.Cmd, j.Mode) {
		hint := "sign and verify go with mac, encrypt and decrypt with ecb, cbc, cfb, ofb, ctr"
		p.fail("mode", hint, "%s does not go with %s", j.Mode, j.Cmd)
		return j, false
	}
	c := p.d.Clusters[j.Cluster]
	if p.done && !Supports(c, j.Cmd, j.Mode) {
		p.fail("mode", HintModes(c, j.Cmd), "no core of cluster %q does %s in mode %s", c.Name, j.Cmd, j.Mode)
	}
	if keyOK && len(key) != c.KeyBytes {
		p.fail("key", "", "%s, must be %d for %s", bytesOf(len(key)), c.KeyBytes, c.Algorithm)
	}
	needIV := j.Mode != cipher.ECB && j.Mode != cipher.MAC
	_, given := p.vals["iv"]
	switch {
	case needIV && !given:
		p.fail("iv", "16 bytes", "missing: mode %s needs one", j.Mode)
	case !needIV && given:
		p.fail("iv", "leave it out", "mode %s has none", j.Mode)
	case haveIV && len(iv) != 16:
		p.fail("iv", "", "%s, must be 16", bytesOf(len(iv)))
	}
	_, given = p.vals["tag"]
	switch {
	case j.Cmd == cipher.Verify && !given:
		p.fail("tag", "16 bytes", "missing: verify needs one")
	case j.Cmd != cipher.Verify && given:
		p.fail("tag", "leave it out", "only verify has one")
	case haveTag && len(tag) != 16:
		p.fail("tag", "", "%s, must be 16", bytesOf(len(tag)))
	}
	if dataOK {
		switch n := len(data); {
		case n == 0 && j.Mode != cipher.MAC:
			p.fail("data", "at least one byte", "empty: only a MAC can be of an empty message")
		case n%16 != 0 && (j.Mode == cipher.ECB || j.Mode == cipher.CBC):
			p.fail("data", "a multiple of 16 bytes", "%s: %s takes whole blocks", bytesOf(n), j.Mode)
		case n > maxData:
			p.fail("data", fmt.Sprintf("at most %d bytes", maxData), "%d bytes", n)
		}
	}
	p.packets(&j)
	return j, !p.bad
}

// packets reads sizes and arrivals of single packets.
func (p *lineParser) packets(j *Job) {
	n := 0
	if ls := p.integers("lengths", 0, int64(p.d.PktBytes)); ls != nil {
		if _, both := p.vals["packet_bytes"]; both {
			p.fail("lengths", "leave one of them out", "packet_bytes and lengths say the same in two ways")
		}
		sum := 0
		for i, l := range ls {
			last := i == len(ls)-1
			switch {
			case l%16 != 0 && !last:
				p.fail("lengths", "only the last packet may be short", "%d is not a multiple of 16", l)
			case l == 0 && (!last || i == 0 && j.Mode != cipher.MAC || i > 0 && (j.Mode == cipher.MAC || !j.Mode.Chained())):
				p.fail("lengths", "only the last packet of a longer cbc, cfb or ofb job may be empty", "packet %d is empty", i)
			}
			sum += int(l)
			j.Split = append(j.Split, int(l))
		}
		if sum != len(j.Data) {
			p.fail("lengths", "their sum is the length of data", "the packets have %d bytes, the data %d", sum, len(j.Data))
		}
		n = len(ls)
	} else {
		n = len(SplitEven(len(j.Data), max(j.PacketBytes, 16)))
	}
	as := p.integers("arrivals", 0, MaxArrival)
	if as == nil {
		return
	}
	if _, both := p.vals["arrival"]; both {
		p.fail("arrivals", "leave one of them out", "arrival and arrivals say the same in two ways")
	}
	if len(as) != n {
		p.fail("arrivals", "one for each packet", "%d arrivals, %d packets", len(as), n)
	}
	for i, a := range as {
		if i > 0 && a < as[i-1] {
			p.fail("arrivals", "packets of a job arrive in their order", "%d follows %d", a, as[i-1])
			break
		}
		j.Arrivals = append(j.Arrivals, uint64(a))
	}
	j.Arrival = uint64(as[0])
}

func bytesOf(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

type jobJSON struct {
	Job         uint32  `json:"job"`
	Requester   int     `json:"requester"`
	Cluster     string  `json:"cluster"`
	Cmd         string  `json:"cmd"`
	Mode        string  `json:"mode"`
	Key         string  `json:"key"`
	IV          *string `json:"iv,omitempty"`
	Data        string  `json:"data"`
	Tag         *string `json:"tag,omitempty"`
	PacketBytes int     `json:"packet_bytes,omitempty"`
	Arrival     uint64  `json:"arrival,omitempty"`

	Lengths  []int    `json:"lengths,omitempty"`
	Arrivals []uint64 `json:"arrivals,omitempty"`
}

// WriteJobs writes a jobs file.
func WriteJobs(w io.Writer, d *design.Design, jobs []Job) error {
	b := bufio.NewWriter(w)
	enc := json.NewEncoder(b)
	for i := range jobs {
		j := &jobs[i]
		o := jobJSON{
			Job: j.ID, Requester: j.Requester, Cluster: d.Clusters[j.Cluster].Name, Cmd: j.Cmd.String(),
			Mode: j.Mode.String(), Key: hex.EncodeToString(j.Key), Data: hex.EncodeToString(j.Data),
			PacketBytes: j.PacketBytes, Arrival: j.Arrival, Lengths: j.Split, Arrivals: j.Arrivals,
		}
		if j.Split != nil {
			o.PacketBytes = 0
		}
		if j.Arrivals != nil {
			o.Arrival = 0
		}
		if j.IV != nil {
			s := hex.EncodeToString(j.IV)
			o.IV = &s
		}
		if j.Tag != nil {
			s := hex.EncodeToString(j.Tag)
			o.Tag = &s
		}
		if err := enc.Encode(o); err != nil {
			return err
		}
	}
	return b.Flush()
}

// JobResult is a line of results.jsonl.
type JobResult struct {
	Job        uint32 `json:"job"`
	Requester  int    `json:"requester"`
	Status     string `json:"status"` // the first that is not ok
	Data       string `json:"data"`   // hex; of the packets before the first that is not ok
	Cores      []int  `json:"cores"`  // core of each packet, 255: none or hidden
	FirstCycle uint64 `json:"first_cycle"`
	LastCycle  uint64 `json:"last_cycle"`
}

// WriteResults writes a results file.
func WriteResults(w io.Writer, rs []JobResult) error {
	b := bufio.NewWriter(w)
	enc := json.NewEncoder(b)
	for i := range rs {
		if err := enc.Encode(&rs[i]); err != nil {
			return err
		}
	}
	return b.Flush()
}
