// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bytes"
	"context"
	"crypto/aes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/cipher"
	"hwgen/gen/sim"
	"hwgen/gen/tool"
	"hwgen/gen/workload"
)

// linkScript is what a host of the link does, for testdata/link_script.cpp.
type linkScript struct {
	bytes.Buffer
	rng    *rand.Rand
	number byte
}

// plain says that no byte has to be escaped: a byte more takes its time.
func plain(b []byte) bool { return !bytes.ContainsAny(b, "\x7d\x7e") }

// frame sends one; false if a byte had to be escaped.
func (s *linkScript) frame(body []byte) bool {
	b := binary.LittleEndian.AppendUint32(body, crc32.ChecksumIEEE(body))
	fmt.Fprintf(s, "b 7e%x7e\n", b)
	return plain(b)
}

func (s *linkScript) wait(clocks int) { fmt.Fprintf(s, "w %d\n", clocks) }

// open begins a session, and waits for its begin.
func (s *linkScript) open(clocks int) bool {
	ok := s.frame([]byte{4, 1, 0, 0})
	s.number = 0
	s.wait(clocks)
	return ok
}

// segment sends one, drawn anew until no byte of it has to be escaped.
func (s *linkScript) segment(last byte, draw func() []byte) {
	for {
		n, d := s.Len(), draw()
		if s.frame(append([]byte{1, s.number, 0, byte(len(d)) | last}, d...)) {
			s.number++
			return
		}
		s.Truncate(n)
	}
}

func (s *linkScript) random(n int) []byte {
	b := make([]byte, n)
	s.rng.Read(b)
	return b
}

// traffic is a key load, packets whose results have no byte to be escaped either, and perhaps half a packet.
func (s *linkScript) traffic(packets int, half bool) {
	var key []byte
	s.segment(0x80, func() []byte {
		key = s.random(16)
		return workload.Pack(workload.Header{Cmd: cipher.LoadKey}, nil, key)
	})
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	packet := func() []byte {
		for {
			d, out := s.random(32), make([]byte, 32)
			block.Encrypt(out, d)
			block.Encrypt(out[16:], d[16:])
			if plain(out) {
				return workload.Pack(workload.Header{}, nil, d)
			}
		}
	}
	for range packets {
		s.segment(0x80, packet)
	}
	if half {
		s.segment(0, func() []byte { return packet()[:35] })
	}
}

// linkRun is what the board sent, when, and the state in which it ended.
func linkRun(t *testing.T, s *sim.Simulator, script []byte, fault int) (string, map[string]string) {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "script"), filepath.Join(dir, "end.vcd")
	require.NoError(t, os.WriteFile(in, script, 0o600))
	r, err := tool.Exec(context.Background(), dir, nil, s.Binary, in, out, fmt.Sprintf("+fault=%d", fault))
	require.NoError(t, err)
	require.Zero(t, r.Code, r.Out)
	return r.Out, readSnapshot(t, out)
}

// clocks at which bytes came
func linkTimes(said string) string {
	var b bytes.Buffer
	for line := range bytes.Lines([]byte(said)) {
		b.Write(line[:bytes.IndexByte(line, ' ')+1])
	}
	return b.String()
}

// linkLeft are the registers and memory words that differ after two runs with other keys and data, whose bytes on both
// lines come in the same clocks.
func linkLeft(t *testing.T, s *sim.Simulator, fault int, script func(*linkScript)) []string {
	t.Helper()
	written := func(seed int64) []byte {
		x := &linkScript{rng: rand.New(rand.NewSource(seed))}
		script(x)
		return x.Bytes()
	}
	said, a := linkRun(t, s, written(1), fault)
	require.NotEmpty(t, said)
	for seed := int64(2); seed < 40; seed++ {
		other, b := linkRun(t, s, written(seed), fault)
		if linkTimes(other) == linkTimes(said) {
			return differences(t, a, b, "")
		}
	}
	require.Fail(t, "no two runs with the same clocks")
	return nil
}

// Nothing that a host sent or got is left in the bridge, nor in the scheduler behind it, once a session has been opened
// or after a reset, whatever is under way at that moment: two runs with other keys and data end in the same state.
func TestLinkForgets(t *testing.T) {
	needTools(t)
	d, out := generate(t, "link", ConfigText("link", 32, 32, 4, Cluster{"aes128", []string{"aes128_4sbox"}, 1})+
		"[host]\nclock_hz = 12_000_000\nwindow = 8\n")
	files := maps.Clone(map[string][]byte(out))
	faults := []fault{
		{"open", "uart_bridge", "u_job_buffer (\n    .clk(clk), .rst(rst), .sweep(", "ev_open", "1'b0"},
		{"open", "uart_bridge", "u_result_buffer (\n    .clk(clk), .rst(rst), .sweep(", "ev_open", "1'b0"},
		{"open", "swept_ram", ".re    (", "re | after_q", "re"},
		{"open", "link_job", "      last_q  <= 1'b0;\n      keep_q  <= {KEEP_W{1'b0}};\n      data_q  <= ", "{DATA_W{1'b0}}", "data_q"},
		{"reset", "uart_bridge", "u_job_buffer (\n    .clk(clk), .rst(", "rst", "1'b0"},
		{"reset", "uart_rx", "data_q  <= ", "8'd0", "data_q"},
		{"reset", "link_crc", "byte_q <= ", "8'd0", "byte_q"},
		{"reset", "uart_bridge", "u_result_buffer (\n    .clk(clk), .rst(", "rst", "1'b0"},
	}
	plant(t, files, "link", faults)
	main, err := os.ReadFile("testdata/link_script.cpp")
	require.NoError(t, err)
	files["verilator/uart/main.cpp"] = main
	s, err := sim.Build(context.Background(), d, files, sim.Options{UART: true, Unknowns: true, Snapshot: true, Quick: true})
	require.NoError(t, err)

	left := func(kind string, fault int) []string {
		var l []string
		if kind == "open" {
			// once all is quiet; inside a job frame, while results are on the line
			for _, clocks := range []int{40000, 10} {
				l = append(l, linkLeft(t, s, fault, func(x *linkScript) {
					require.True(t, x.open(6000))
					x.traffic(4, clocks == 10)
					x.wait(clocks)
					require.True(t, x.open(25000))
				})...)
			}
			return l
		}
		// a byte takes 40 clocks: at any of them, in the key, in a packet
		for i := range 8 {
			l = append(l, linkLeft(t, s, fault, func(x *linkScript) {
				require.True(t, x.open(6000))
				x.traffic(2, false)
				x.wait(40*(20+17*i) + 5*i)
				x.WriteString("r\n")
				x.wait(6000)
			})...)
		}
		return l
	}
	for _, kind := range []string{"open", "reset"} {
		require.Empty(t, left(kind, 0), kind)
	}
	for i, f := range faults {
		l := left(f.kind, 1<<i)
		require.NotEmpty(t, l, "not seen: %+v", f)
		t.Logf("%+v: %.300s", f, fmt.Sprint(l))
	}
}
