// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/diag"
	"hwgen/gen/sched"
)

const goodCSV = `# two jobs, then one more of a number used before
task,No,flag,arrival,length,cluster,cmd,mode
7,0,1,0,64,aes,encrypt,cbc
9,0,0,0,16,sm,encrypt,ctr
7,1,1,5,32,aes,encrypt,cbc

9,1,0,12,7,sm,encrypt,ctr
7,0,0,12,48,sm,sign,mac
11,0,1,12,16,aes,verify,cmac
11,1,1,12,1,aes,verify,mac
`

// Packets of the paper's five columns: a job ends at its last row, or where its number begins anew.
func TestCSV(t *testing.T) {
	d := testDesign(t, twoClusters)
	ps := open(t, write(t, "w.csv", goodCSV), d)
	wellFormed(t, ps, d)
	var got []string
	for _, p := range ps {
		if p.Load {
			got = append(got, fmt.Sprintf("load %d", p.Cluster))
			continue
		}
		got = append(got, fmt.Sprintf("%d.%d@%d %d%v", uint32(p.Job), p.No, p.Arrival, p.Bytes, p.Last))
	}
	require.Equal(t, []string{
		"load 0", "7.0@0 64false", "load 1", "9.0@0 16false", "7.1@5 32true", "9.1@12 7true", "7.0@12 48true",
		"11.0@12 16false", "11.1@12 1true",
	}, got)
	require.NotEqual(t, ps[1].Job, ps[6].Job, "a number used again is another job")
}

// The five columns of the paper suffice: the first cluster encrypts, in ECB or CBC as the flag says.
func TestTable1(t *testing.T) {
	d := testDesign(t, twoClusters)
	ps := open(t, write(t, "w.CSV", "\xef\xbb\xbfarrival, length ,task,NO,flag\r\n0,64,1,0,1\r\n3, 64,1,1,1\r\n3,16,2,0,0"), d)
	wellFormed(t, ps, d)
	require.Len(t, ps, 4)
	require.Equal(t, sched.Packet{Arrival: 3, Job: ps[1].Job, No: 1, Mode: 1, Chained: true, Last: true, Blocks: 4, Bytes: 64}, ps[2])
	require.Equal(t, sched.Packet{Arrival: 3, Job: ps[3].Job, Last: true, Blocks: 1, Bytes: 16}, ps[3])
}

// With a column last the end of a job is where it says.
func TestColumnLast(t *testing.T) {
	d := testDesign(t, twoClusters)
	const head = "task,No,flag,arrival,length,last\n"
	ps := open(t, write(t, "w.csv", head+"1,0,1,0,16,0\n1,1,1,0,16,1\n1,0,1,0,16,1\n"), d)
	wellFormed(t, ps, d)
	require.Len(t, ps, 4)
	s, err := Open(write(t, "w.csv", head+"2,0,1,0,16,1\n1,0,1,0,16,0\n"), d)
	require.NoError(t, err)
	var p sched.Packet
	for s.Next(&p) {
	}
	require.ErrorContains(t, s.Err(), "w.csv:3:1: task 1 has no last packet: this one, No 0, is its latest")
	require.NoError(t, s.Close())
}

func TestCSVErrors(t *testing.T) {
	const head = "task,No,flag,arrival,length,cluster,cmd,mode\n"
	for _, c := range []struct{ text, want string }{
		{"", "f.csv:1:1: the file is empty; the first line names the columns: task,No,flag,arrival,length"},
		{"\n\n", "the file is empty"},
		{"task,No,flag,length\n", "f.csv:1:1: column arrival is missing"},
		{"task,No,flag,arival,length\n", `f.csv:1:14: unknown column "arival"; did you mean "arrival"?`},
		{"task,No,flag,arrival,length,data\n", `f.csv:1:29: unknown column "data"; allowed: task, No, flag`},
		{"task,No,flag,arrival,length,task\n", "f.csv:1:29: column task is given twice"},
		{"1,0,0,0,16\n", `unknown column "1"`},
		{head, "f.csv:1:1: no packet follows the first line"},
		{head + "1,0,0,5,16,aes,encrypt,ecb\n2,0,0,4,16,aes,encrypt,ecb\n", "f.csv:3:7: arrival: 4 is before 5 of the row above"},
		{head + "1,0,0,0,16,aex,encrypt,ecb\n", `f.csv:2:12: cluster: unknown "aex"; did you mean "aes"? (allowed: aes, sm)`},
		{head + "1,0,0,0,16,aes,encript,ecb\n", `f.csv:2:16: cmd: unknown "encript"; did you mean "encrypt"?`},
		{head + "1,0,0,0,16,aes,encrypt,gcm\n", `f.csv:2:24: mode: unknown "gcm"; allowed: ecb`},
		{head + "1,0,0,0,0,aes,encrypt,ecb\n", "f.csv:2:9: length: 0: a packet has at least one byte; 1 to packet_bytes = 64"},
		{head + "1,0,0,0,80,aes,encrypt,ecb\n", "f.csv:2:9: length: 80 is over packet_bytes"},
		{head + "1,0,0,0,17,aes,encrypt,ecb\n", "length: 17 is not a multiple of 16: mode ecb takes whole blocks"},
		{head + "1,0,0,0,17,aes,encrypt,ctr\n1,1,0,0,16,aes,encrypt,ctr\n", "f.csv:2:9: length: 17 is not a multiple of 16; only the last"},
		{head + "1,1,0,0,16,aes,encrypt,ecb\n", "f.csv:2:3: No: 1 is the first packet of task 1; a job begins with No 0"},
		{head + "1,0,0,0,16,aes,encrypt,ecb\n1,2,0,0,16,aes,encrypt,ecb\n", "f.csv:3:3: No: 2, but the next packet of task 1 is 1"},
		{head + "1,0,0,0,16,aes,encrypt,ecb\n1,1,0,0,16,sm,encrypt,ecb\n", "f.csv:3:12: cluster: changes inside task 1"},
		{head + "1,0,0,0,16,aes,encrypt,ecb\n1,1,0,0,16,aes,decrypt,ecb\n", "f.csv:3:16: cmd: changes inside task 1"},
		{head + "1,0,0,0,16,aes,encrypt,ecb\n1,1,0,0,16,aes,encrypt,ctr\n", "f.csv:3:24: mode: changes inside task 1"},
		{head + "1,0,0,0,16,aes,sign,mac\n1,1,0,0,16,aes,sign,mac\n", "f.csv:3:5: flag: 0, but the MAC has more than one packet"},
		{head + "1,0,0,0,16,aes,encrypt,cbc\n", "f.csv:2:5: flag: 0, but mode cbc is chained"},
		{head + "1,0,1,0,16,aes,encrypt,ctr\n", "f.csv:2:5: flag: 1, but mode ctr is not chained"},
		{head + "1,0,2,0,16,aes,encrypt,ctr\n", "f.csv:2:5: flag: 2 is out of range; an integer from 0 to 1"},
		{head + "1,0,0,0,16,aes,sign,ctr\n", "mode: ctr does not go with sign"},
		{head + "1,0,0,0,16,sm,decrypt,ecb\n", `mode: no core of cluster "sm" does decrypt in mode ecb; it does decrypt in ctr, cfb, ofb`},
		{head + "x,0,0,0,16,aes,encrypt,ecb\n", `f.csv:2:1: task: "x" is not an integer`},
		{head + "4294967296,0,0,0,16,aes,encrypt,ecb\n", "task: 4294967296 is out of range"},
		{head + "99999999999999999999,0,0,0,16,aes,encrypt,ecb\n", "task: 99999999999999999999 is out of range"},
		{head + "01,0,0,0,16,aes,encrypt,ecb\n", "task: 01 has digits or a sign too many; write 1"},
		{head + "1,-1,0,0,16,aes,encrypt,ecb\n", "f.csv:2:3: No: -1 is out of range"},
		{head + "1,0,0,0,16,aes,encrypt\n", "f.csv:2:16: 7 fields, the first line has 8"},
		{head + "1,0,0,0,16,aes,encrypt,ecb,\n", "9 fields, the first line has 8"},
		{head + "1,0,0,0,\"16,aes,encrypt,ecb\n", "not CSV: extraneous or missing \" in quoted-field"},
		{head + "1,0,0,0,\"16\n\",aes,encrypt,ecb\n", "is not an integer"},
		{head + "1,0,0,0,16,aes,encrypt,ecb\n" + strings.Repeat("1", 1<<17), "f.csv:3:1: the line is longer than 16384 bytes"},
		{strings.Repeat("\x00", 1<<18), "f.csv:1:1: the line is longer than 16384 bytes"},
		{"task,No,flag,arrival,length,last\n1,0,0,0,16,1\n1,1,0,0,16,0\n", "f.csv:3:3: No: packet 1 of task 1 after its last, in line 2"},
		{"task,No,flag,arrival,length,last\n1,0,0,0,16,2\n", "f.csv:2:12: last: 2 is out of range"},
	} {
		err := readAll(write(t, "f.csv", c.text), t)
		require.ErrorContains(t, err, c.want, c.text[:min(len(c.text), 200)])
		require.Regexp(t, `f\.csv:\d+:\d+: `, err.Error())
		require.Equal(t, diag.ExitUsage, diag.ExitCode(err))
	}
}

func readAll(path string, t testing.TB) error {
	s, err := Open(path, testDesign(t, twoClusters))
	if err != nil {
		return err
	}
	defer s.Close()
	var p sched.Packet
	for s.Next(&p) {
	}
	return s.Err()
}

// The file is read from its end to find the last packets: at every place where a chunk may begin.
func TestLastPacketsAcrossChunks(t *testing.T) {
	d := testDesign(t, twoClusters)
	var b bytes.Buffer
	b.WriteString("task,No,flag,arrival,length\n")
	for i := 0; b.Len() < 5*readBuffer/2; i++ {
		fmt.Fprintf(&b, "%d,%d,0,%d,16\n", i/3%50, i%3, i)
	}
	text := strings.TrimSuffix(b.String(), "\n")
	text = text[:strings.LastIndexByte(text, '\n')]
	for pad := range 18 {
		ps := open(t, write(t, "w.csv", strings.Repeat("#", pad)+"\n"+text), d)
		wellFormed(t, ps, d)
		for _, p := range ps[1 : len(ps)-3] {
			if (p.No == 2) != p.Last {
				require.FailNow(t, "last packet", "%+v", p)
			}
		}
	}
}

func FuzzCSV(f *testing.F) {
	f.Add(goodCSV)
	f.Add("task,No,flag,arrival,length,last\n1,0,0,0,16,1\n")
	f.Add("task,No,flag,arrival,length,cluster,cmd,mode\n\"1\",0,0,0,\"16\n\",aes,encrypt,ecb\n")
	f.Add("length,arrival,flag,No,task\r\n16,0,0,0,1\r\n")
	d := testDesign(f, twoClusters)
	f.Fuzz(func(t *testing.T, text string) {
		path := write(t, "f.csv", text)
		s, err := Open(path, d)
		var ps []sched.Packet
		if err == nil {
			defer s.Close()
			var p sched.Packet
			for s.Next(&p) {
				ps = append(ps, p)
			}
			err = s.Err()
		}
		if err != nil {
			require.Regexp(t, `f\.csv:\d+:\d+: `, err.Error())
			require.Equal(t, diag.ExitUsage, diag.ExitCode(err))
			return
		}
		wellFormed(t, ps, d)
	})
}

// What is appended while a file is read is not looked at: a file that grows has an end.
func TestGrowingFile(t *testing.T) {
	d := testDesign(t, twoClusters)
	path := write(t, "g.csv", goodCSV)
	want := open(t, path, d)
	s, err := Open(path, d)
	require.NoError(t, err)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("30,0,0,99,16,aes,encrypt,ecb\n")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.Equal(t, want, drain(t, s))
}
