// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"hwgen/gen/cipher"
	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/diag"
)

const twoClusters = `
[design]
name = "quad"
data_width = 64
packet_bytes = 64
slots = 16
requesters = 3
[[cluster]]
name = "aes"
algorithm = "aes128"
queue = 8
choose_list = 4
key_slots = 3
[[cluster.core]]
kind = "aes128_16sbox"
count = 2
queue = 4
[[cluster]]
name = "sm"
algorithm = "sm4"
queue = 8
choose_list = 2
key_slots = 2
[[cluster.core]]
kind = "sm4_1round"
queue = 4
`

func testDesign(t testing.TB, text string) *design.Design {
	t.Helper()
	c, err := config.Parse("test.toml", t.TempDir(), []byte(text))
	require.NoError(t, err)
	d, err := design.Elaborate(c)
	require.NoError(t, err)
	return d
}

func TestRandomJobsThroughThePlanner(t *testing.T) {
	d := testDesign(t, twoClusters)
	for seed := range int64(5) {
		jobs := RandomJobs(d, 500, seed)
		p, err := NewPlan(d, jobs)
		require.NoError(t, err)
		o, err := Fake{d}.Run(p.Stimulus(d))
		require.NoError(t, err)
		require.Empty(t, p.CheckOutcome(d, o))
		rs, err := p.Join(o)
		require.NoError(t, err)
		require.Empty(t, CheckJobs(d, jobs, rs))
	}
}

// The planner keeps no more jobs open and keys loaded than the design has room for, whatever order results come in.
func TestPlanKeepsWithinChooseListAndKeys(t *testing.T) {
	d := testDesign(t, twoClusters)
	jobs := RandomJobs(d, 300, 7)
	p, err := NewPlan(d, jobs)
	require.NoError(t, err)
	o, err := Fake{d}.Run(p.Stimulus(d))
	require.NoError(t, err)
	// the model refuses a chained job too many and a key slot that is busy, so an ok everywhere is the proof; but the
	// fake answers at once: let results come as late as the dependencies allow
	pendingUse := 0
	for i := range p.Frames {
		pendingUse += len(p.Frames[i].AfterResult)
	}
	require.NotZero(t, pendingUse)
	for i := range o.Results {
		require.Contains(t, []Status{OK, MACMismatch}, Status(o.Results[i].Header().Status))
	}
	require.Equal(t, len(p.Frames), len(o.Results))
	_, err = Lazy{d}.Run(p.Stimulus(d))
	require.NoError(t, err)
}

// Lazy sends as much as the dependencies allow before any result comes back, and checks what the model makes of it.
type Lazy struct{ D *design.Design }

func (l Lazy) Run(st *Stimulus) (*Outcome, error) {
	m := NewModel(l.D)
	sent, recv := make([]bool, len(st.Frames)), make([]bool, len(st.Frames))
	var flying []int
	for left := len(st.Frames); left > 0; {
		n := 0
	next:
		for i := range st.Frames {
			f := &st.Frames[i]
			if sent[i] {
				continue
			}
			for _, j := range f.AfterSent {
				if !sent[j] {
					continue next
				}
			}
			for _, j := range f.AfterResult {
				if !recv[j] {
					continue next
				}
			}
			a, wait := m.Step(i, f, func(j int) bool { return recv[j] })
			if wait != nil || a.Statuses[0] != OK && a.Statuses[0] != MACMismatch {
				return nil, fmt.Errorf("frame %d %s: %+v, waits for %v", i, f, a, wait)
			}
			sent[i] = true
			flying = append(flying, i)
			n++
			left--
		}
		for _, i := range flying {
			recv[i] = true
		}
		if n == 0 && len(flying) == 0 {
			return nil, fmt.Errorf("%d frames wait for each other", left)
		}
		flying = nil
	}
	return &Outcome{}, nil
}

func TestArrivalOrderAndRoundRobin(t *testing.T) {
	d := testDesign(t, twoClusters)
	key := bytes.Repeat([]byte{1}, 16)
	job := func(id uint32, n int, arrival uint64) Job {
		return Job{ID: id, Cmd: cipher.Encrypt, Mode: cipher.ECB, Key: key, Data: make([]byte, n), PacketBytes: 16, Arrival: arrival}
	}
	p, err := NewPlan(d, []Job{job(1, 48, 5), job(2, 32, 0), job(3, 48, 0)})
	require.NoError(t, err)
	var got []string
	for i := range p.Frames {
		f := &p.Frames[i]
		if f.Job >= 0 {
			got = append(got, fmt.Sprintf("%d.%d", p.Jobs[f.Job].ID, f.Seq))
		}
	}
	require.Equal(t, "2.0 3.0 2.1 3.1 3.2 1.0 1.1 1.2", strings.Join(got, " "))
}

// Packets with arrivals of their own are sent in the order of those, and at one arrival in the order of their places.
func TestPacketArrivals(t *testing.T) {
	d := testDesign(t, twoClusters)
	key := bytes.Repeat([]byte{1}, 16)
	job := func(id uint32, arrivals, places []uint64) Job {
		return Job{
			ID: id, Cmd: cipher.Encrypt, Mode: cipher.ECB, Key: key, Data: make([]byte, 16*len(arrivals)), PacketBytes: 16,
			Arrivals: arrivals, Places: places,
		}
	}
	order := func(jobs ...Job) string {
		p, err := NewPlan(d, jobs)
		require.NoError(t, err)
		var got []string
		for i := range p.Frames {
			if f := &p.Frames[i]; f.Job >= 0 {
				got = append(got, fmt.Sprintf("%d.%d@%d", p.Jobs[f.Job].ID, f.Seq, f.Arrival))
			} else {
				require.Zero(t, i, "the key comes first")
			}
		}
		return strings.Join(got, " ")
	}
	require.Equal(t, "1.0@0 2.0@1 1.1@5 2.1@5 1.2@9", order(job(1, []uint64{0, 5, 9}, nil), job(2, []uint64{1, 5}, nil)))
	require.Equal(t, "2.0@3 2.1@3 1.0@3 2.2@3 1.1@3",
		order(job(1, []uint64{3, 3}, []uint64{2, 4}), job(2, []uint64{3, 3, 3}, []uint64{0, 1, 3})))
	_, err := NewPlan(d, []Job{job(1, []uint64{3, 3}, []uint64{2})})
	require.ErrorContains(t, err, "job 1: 2 packets, 2 arrivals, 1 places")
}

func TestJobsRoundTrip(t *testing.T) {
	d := testDesign(t, twoClusters)
	jobs := RandomJobs(d, 200, 3)
	for i := range jobs {
		jobs[i].Split = nil
	}
	var b bytes.Buffer
	require.NoError(t, WriteJobs(&b, d, jobs))
	got, err := ReadJobs(bytes.NewReader(b.Bytes()), "jobs.jsonl", d)
	require.NoError(t, err)
	require.Len(t, got, len(jobs))
	var c bytes.Buffer
	require.NoError(t, WriteJobs(&c, d, got))
	require.Equal(t, b.String(), c.String())
}

func TestJobErrors(t *testing.T) {
	d := testDesign(t, twoClusters)
	const k = `"key":"00112233445566778899aabbccddeeff"`
	const iv = `"iv":"00112233445566778899aabbccddeeff"`
	const d16 = `"data":"00112233445566778899aabbccddeeff"`
	good := `{"job":1,"cluster":"aes","cmd":"encrypt","mode":"ecb",` + k + `,` + d16 + `}`
	for _, c := range []struct{ line, want string }{
		{`{"job":1`, "j:1:9: not JSON: the line ends too early"},
		{`[1]`, "not a JSON object"},
		{`{"job":1} x`, "something follows the object"},
		{`{"jbo":1,"cluster":"aes","cmd":"encrypt","mode":"ecb",` + k + `,` + d16 + `}`, `jbo: unknown field; did you mean "job"?`},
		{strings.Replace(good, `"job":1`, `"job":1,"job":2`, 1), "job: given twice"},
		{strings.Replace(good, `"job":1`, `"job":"1"`, 1), `job: "1" is not an integer`},
		{strings.Replace(good, `"job":1`, `"job":1.5`, 1), "job: 1.5 is not an integer"},
		{strings.Replace(good, `"job":1`, `"job":null`, 1), "job: null is not an integer"},
		{strings.Replace(good, `"job":1`, `"job":-1`, 1), "job: -1 is out of range"},
		{strings.Replace(good, `"job":1,`, ``, 1), "job: missing"},
		{strings.Replace(good, `"aes"`, `"aesx"`, 1), `cluster: unknown "aesx"; did you mean "aes"?`},
		{strings.Replace(good, `"cluster":"aes"`, `"cluster":0`, 1), `cluster: 0 is not a string; allowed: "aes", "sm"`},
		{strings.Replace(good, `"cluster":"aes",`, ``, 1), `cluster: missing; allowed: "aes", "sm"`},
		{strings.Replace(good, `"ecb"`, `"gcm"`, 1), `mode: unknown "gcm"; allowed: ecb`},
		{strings.Replace(good, `"ecb"`, `"EBC"`, 1), `mode: unknown "EBC"; did you mean "ecb"?`},
		{strings.Replace(good, `"encrypt"`, `"encript"`, 1), `cmd: unknown "encript"; did you mean "encrypt"?`},
		{strings.Replace(good, `"encrypt"`, `"sign"`, 1), "mode: ecb does not go with sign"},
		{strings.Replace(good, k, `"key":"0011"`, 1), "key: 2 bytes, must be 16 for aes128"},
		{strings.Replace(good, k+",", ``, 1), "key: missing"},
		{strings.Replace(good, k, `"key":"zz"`, 1), "key: invalid byte"},
		{strings.Replace(good, k, `"key":"abc"`, 1), "key: an odd number of hex digits (3)"},
		{strings.Replace(good, `ccddeeff"}`, `CCDDEEFF"}`, 1), "data: upper case hex"},
		{strings.Replace(good, d16, d16+`,`+iv, 1), "iv: mode ecb has none"},
		{strings.Replace(good, `"ecb"`, `"cbc"`, 1), "iv: missing: mode cbc needs one"},
		{strings.Replace(good, `"ecb"`, `"cbc","iv":"00"`, 1), "iv: 1 byte, must be 16"},
		{strings.Replace(good, d16, d16+`,"tag":"00"`, 1), "tag: only verify has one"},
		{`{"job":1,"cluster":"aes","cmd":"verify","mode":"mac",` + k + `,` + d16 + `}`, "tag: missing"},
		{strings.Replace(good, d16, `"data":"00"`, 1), "data: 1 byte: ecb takes whole blocks"},
		{strings.Replace(good, d16, `"data":""`, 1), "data: empty"},
		{strings.Replace(good, d16, d16+`,"packet_bytes":24`, 1), "packet_bytes: 24 is not a multiple of 16; 16 to 64 in steps of 16, the nearest are 16 and 32"},
		{strings.Replace(good, d16, d16+`,"packet_bytes":80`, 1), "packet_bytes: 80 is out of range; 16 to 64"},
		{strings.Replace(good, d16, d16+`,"requester":3`, 1), "requester: 3 is out of range; 0 to 2"},
		{strings.Replace(good, d16, d16+`,"lengths":16`, 1), "lengths: 16 is no list of integers"},
		{strings.Replace(good, d16, d16+`,"lengths":[]`, 1), "lengths: [] is no list of integers"},
		{strings.Replace(good, d16, d16+`,"lengths":[1.5]`, 1), "lengths: 1.5 is not an integer"},
		{strings.Replace(good, d16, d16+`,"lengths":[80]`, 1), "lengths: 80 is out of range"},
		{strings.Replace(good, d16, d16+`,"lengths":[32]`, 1), "lengths: the packets have 32 bytes, the data 16"},
		{strings.Replace(good, d16, d16+`,"lengths":[8,8]`, 1), "lengths: 8 is not a multiple of 16; only the last packet may be short"},
		{strings.Replace(good, d16, d16+`,"lengths":[16,0]`, 1), "lengths: packet 1 is empty"},
		{strings.Replace(good, d16, d16+`,"lengths":[16],"packet_bytes":16`, 1), "lengths: packet_bytes and lengths say the same"},
		{strings.Replace(good, d16, d16+`,"arrivals":[1,2]`, 1), "arrivals: 2 arrivals, 1 packets"},
		{strings.Replace(good, d16, d16+`,"lengths":[16,0],"arrivals":[2,1]`, 1), "arrivals: 1 follows 2; packets of a job arrive in their order"},
		{strings.Replace(good, d16, d16+`,"arrivals":[-1]`, 1), "arrivals: -1 is out of range"},
		{strings.Replace(good, d16, d16+`,"arrivals":[1],"arrival":1`, 1), "arrivals: arrival and arrivals say the same"},
		{good + "\n\n" + good, "j:3:2: job: job 1 of requester 0 is already in line 1"},
	} {
		_, err := ReadJobs(strings.NewReader(c.line), "j", d)
		require.ErrorContains(t, err, c.want, c.line)
		require.ErrorContains(t, err, "j:")
		require.Equal(t, diag.ExitUsage, diag.ExitCode(err))
	}
	got, err := ReadJobs(strings.NewReader("\xef\xbb\xbf"+strings.Replace(good, `"ecb"`, `"cfb128",`+iv, 1)+"\n"+
		`{"job":2,"cluster":"aes","cmd":"sign","mode":"cmac",`+k+`,`+d16+`}`), "j", d)
	require.NoError(t, err)
	require.Equal(t, cipher.CFB, got[0].Mode)
	require.Equal(t, cipher.MAC, got[1].Mode)
	_, err = ReadJobs(strings.NewReader(good+"\r\n"+strings.Replace(good, `"job":1`, `"job":1,"requester":1`, 1)), "j", d)
	require.NoError(t, err)
}

// Every directed test means what it says, and the random frames meet every status.
func TestDirectedCases(t *testing.T) {
	d := testDesign(t, twoClusters)
	for _, c := range Cases() {
		for cl := range d.Clusters {
			x := NewScript(NewFrameGen(d, 1), cl)
			c.Build(x)
			require.Empty(t, x.Errs, c.Name)
			st := x.Stimulus(1)
			o, err := Fake{d}.Run(st)
			require.NoError(t, err)
			require.Empty(t, CheckRun(d, st, o), c.Name)
		}
	}
}

func TestRandomFrames(t *testing.T) {
	d := testDesign(t, twoClusters)
	seen := map[Status]int{}
	for seed := range int64(3) {
		g := NewFrameGen(d, seed)
		g.LoadAll()
		g.RandomFrames(3000)
		waits := 0
		for i := range g.Frames {
			waits += len(g.Frames[i].AfterResult)
			for _, s := range g.Want[i].Statuses {
				seen[s]++
			}
		}
		st := g.Stimulus(seed)
		o, err := Fake{d}.Run(st)
		require.NoError(t, err)
		require.Empty(t, CheckRun(d, st, o))
		require.Less(t, waits, 2000)
	}
	for s := OK; s <= Aborted; s++ {
		if s != CoreFailed {
			require.NotZero(t, seen[s], "%s", s)
		}
	}
}

// The checks see faults: each change of a good outcome has to be found.
func TestChecksSeeFaults(t *testing.T) {
	d := testDesign(t, twoClusters)
	g := NewFrameGen(d, 1)
	g.LoadAll()
	g.RandomFrames(300)
	st := g.Stimulus(1)
	// the result of the next packet of a chained job, both ok; -1: none
	behind := func(o *Outcome, i int) int {
		h := o.Results[i].Header()
		if h.Status != uint8(OK) || h.Cmd > cipher.Verify || !h.Mode.Chained() {
			return -1
		}
		for j := range o.Results {
			if n := o.Results[j].Header(); o.Results[j].TDest == o.Results[i].TDest && n.Cluster == h.Cluster && n.Task == h.Task &&
				n.No == h.No+1 && n.Status == h.Status && n.Cmd == h.Cmd && n.Mode == h.Mode && o.Results[j].First > o.Results[i].First {
				return j
			}
		}
		return -1
	}
	for name, fault := range map[string]func(o *Outcome, i int) bool{
		"order": func(o *Outcome, i int) bool {
			j := behind(o, i)
			if j < 0 {
				return false
			}
			a, b := &o.Results[i], &o.Results[j]
			a.First, a.Last, b.First, b.Last = b.First, b.Last, a.First, a.Last
			return true
		},
		"payload bit": func(o *Outcome, i int) bool {
			r := &o.Results[i]
			if len(r.Bytes) <= 16 {
				return false
			}
			r.Bytes[len(r.Bytes)-1] ^= 1
			return true
		},
		"status":      func(o *Outcome, i int) bool { o.Results[i].Bytes[11] ^= 0x80; return true },
		"cookie":      func(o *Outcome, i int) bool { o.Results[i].Bytes[12] ^= 1; return len(st.Frames[i].Content()) > 15 },
		"requester":   func(o *Outcome, i int) bool { o.Results[i].TDest ^= 1; return true },
		"lost":        func(o *Outcome, i int) bool { o.Results = append(o.Results[:i:i], o.Results[i+1:]...); return true },
		"twice":       func(o *Outcome, i int) bool { o.Results = append(o.Results, o.Results[i]); return true },
		"not a frame": func(o *Outcome, i int) bool { o.Results[i].Frame = -1; return true },
		"core":        func(o *Outcome, i int) bool { o.Results[i].Bytes[10] = 77; return !g.Want[i].Loose },
		"longer":      func(o *Outcome, i int) bool { o.Results[i].Bytes = append(o.Results[i].Bytes, 0); return true },
	} {
		found := 0
		for i := 0; i < 200; i += 7 {
			o, err := Fake{d}.Run(st)
			require.NoError(t, err)
			if !fault(o, i) {
				continue
			}
			require.NotEmpty(t, CheckRun(d, st, o), "%s, frame %d", name, i)
			found++
		}
		require.NotZero(t, found, name)
	}
}

// What a chained job's packets have to do with each other.
func TestChecksSeeFaultsOfJobs(t *testing.T) {
	d := testDesign(t, twoClusters)
	d.BindJob = true
	result := func(frame int, s Status, core uint8, last uint64) Result {
		return Result{Frame: frame, First: last - 1, Last: last, Bytes: Header{Version: 1, Status: uint8(s), KeySlot: core}.Bytes()}
	}
	for name, c := range map[string]struct {
		before, killer, r Result
		want              string
	}{
		"right":          {result(0, OK, 1, 100), result(1, OutOfSequence, 255, 300), result(2, OK, 1, 200), ""},
		"before it":      {result(0, OK, 1, 250), result(1, OutOfSequence, 255, 300), result(2, OK, 1, 200), "comes before that of frame 0"},
		"tag before it":  {result(0, OK, 1, 250), result(1, OutOfSequence, 255, 300), result(2, MACMismatch, 1, 200), "comes before that of frame 0"},
		"another core":   {result(0, OK, 0, 100), result(1, OutOfSequence, 255, 300), result(2, OK, 1, 200), "core 1; frame 0"},
		"behind the end": {result(0, OK, 1, 100), result(1, OutOfSequence, 255, 150), result(2, OK, 1, 200), "behind the answer of frame 1"},
		"end, cut off":   {result(0, OK, 1, 100), result(1, OutOfSequence, 255, 150), result(2, Aborted, 255, 200), ""},
		"after a gap":    {result(0, Aborted, 255, 100), result(1, OutOfSequence, 255, 300), result(2, OK, 1, 200), "was cut off"},
	} {
		a := one(OK)
		a.Before, a.Killer = 0, 1
		err := checkJob(d, &Outcome{Results: []Result{c.before, c.killer, c.r}}, []int{0, 1, 2}, 2, a)
		if c.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, c.want, name)
	}
}

// The reader never panics, and what it accepts it writes and reads again.
// Columns count characters of the file, whatever a name says when it is decoded.
func TestPlacesOfFields(t *testing.T) {
	d := testDesign(t, twoClusters)
	for text, want := range map[string]string{
		"{\"\x96\":00":                      "f:1:2: ",
		`{"\u006a\u006fc":1}`:               "f:1:2: joc: unknown field",
		`{ "job":1 , "päcket":2, "jöb":3}`:  "f:1:13: päcket: unknown field",
		`{"cluster":"ä", "job":1, "zip":3}`: "f:1:26: zip: unknown field",
		`{"cluster":"ä", "job":1, "zip":3]`: "f:1:33: not JSON",
	} {
		_, err := ReadJobs(strings.NewReader(text), "f", d)
		require.ErrorContains(t, err, want, text)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"job":1,"cluster":"aes","cmd":"encrypt","mode":"ecb","key":"00112233445566778899aabbccddeeff","data":""}`)
	f.Add(`{"job":1,"cluster":"sm","cmd":"verify","mode":"mac","key":"00112233445566778899aabbccddeeff","data":"00","tag":"00112233445566778899aabbccddeeff"}`)
	f.Add("{}\n[]\nnull\n{\"job\":")
	f.Add("{\"\x96\":00")
	f.Add(`{"job":1,"cluster":"aes","cmd":"encrypt","mode":"cbc","key":"00112233445566778899aabbccddeeff","iv":"00112233445566778899aabbccddeeff","data":"00112233445566778899aabbccddeeff","lengths":[16,0],"arrivals":[0,5]}`)
	d := testDesign(f, twoClusters)
	f.Fuzz(func(t *testing.T, s string) {
		jobs, err := ReadJobs(strings.NewReader(s), "f", d)
		if err != nil {
			var l diag.List
			require.True(t, errors.As(err, &l), "%v", err)
			require.NotEmpty(t, l)
			lines := strings.Split(s, "\n")
			for _, e := range l {
				require.True(t, e.Pos.IsValid() && e.Pos.Line <= len(lines), "%v", e)
				require.True(t, e.Pos.Col > 0 && e.Pos.Col <= utf8.RuneCountInString(lines[e.Pos.Line-1])+2, "%v", e)
				require.NotEmpty(t, e.Msg)
			}
			require.Equal(t, diag.ExitUsage, diag.ExitCode(err))
			return
		}
		var b bytes.Buffer
		require.NoError(t, WriteJobs(&b, d, jobs))
		again, err := ReadJobs(&b, "f", d)
		require.NoError(t, err)
		require.Len(t, again, len(jobs))
	})
}

// Every design gets random frames without the generator running into a wall.
func TestRandomFramesManySeeds(t *testing.T) {
	for _, w := range []string{"32", "64", "128"} {
		d := testDesign(t, strings.Replace(twoClusters, "data_width = 64", "data_width = "+w, 1))
		for seed := range int64(20) {
			g := NewFrameGen(d, seed)
			g.LoadAll()
			g.RandomFrames(500)
			o, err := Fake{d}.Run(g.Stimulus(seed))
			require.NoError(t, err)
			require.Empty(t, CheckRun(d, g.Stimulus(seed), o))
		}
	}
}

// A frame that is too short already is not cut again.
func TestMalformedTwice(t *testing.T) {
	d := testDesign(t, twoClusters)
	for seed := range int64(20) {
		g := NewFrameGen(d, seed)
		g.LoadAll()
		for range 500 {
			g.Add(g.Malformed(g.Malformed(g.AbortJob(0, 0, 1))))
		}
	}
}

// endless is a stream without an end.
type endless string

func (e endless) Read(b []byte) (int, error) {
	for n := 0; n < len(b); {
		n += copy(b[n:], e)
	}
	return len(b), nil
}

// A line that can't be a job is not read to its end.
func TestReadJobsEndlessLine(t *testing.T) {
	d := testDesign(t, twoClusters)
	for text, says := range map[string]string{
		"\x00": `j.jsonl:1:1: not JSON: the line does not begin with \{; a line is one JSON object`,
		"[1,":  `j.jsonl:1:1: not JSON: the line does not begin with \{`,
	} {
		_, err := ReadJobs(endless(text), "j.jsonl", d)
		require.Regexp(t, says, err)
		require.Equal(t, diag.ExitUsage, diag.ExitCode(err))
	}
	job := `{"job":1,"cluster":"aes","cmd":"encrypt","mode":"ecb","key":"00112233445566778899aabbccddeeff","data":"` +
		strings.Repeat("00112233445566778899aabbccddeeff", 1<<14) + "\"}\n"
	jobs, err := ReadJobs(strings.NewReader("\xef\xbb\xbf"+job), "j.jsonl", d) // longer than the reader's buffer
	require.NoError(t, err)
	require.Len(t, jobs[0].Data, 1<<18)
}
