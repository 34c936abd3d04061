// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/workload"
)

// rawTrace is a raw trace with the front's part alone.
type rawTrace struct {
	d *design.Design
	b bytes.Buffer
}

// record adds a cycle: clear, of those by reset, the slot of a frame that ends (-1: none), data of a table's write (-1).
func (r *rawTrace) record(cycle uint64, clr, byRst bool, accept, table int) {
	words := make([]uint32, traceWords(r.d))
	at := 0
	put := func(n int, v uint64) {
		for i := range n {
			words[(at+i)/32] |= uint32(v>>i&1) << ((at + i) % 32)
		}
		at += n
	}
	flag := func(v bool) {
		if v {
			words[at/32] |= 1 << (at % 32)
		}
		at++
	}
	flag(clr)
	flag(byRst)
	flag(accept >= 0)
	put(r.d.SlotW, uint64(max(accept, 0)))
	put(1+r.d.SlotW, 0)
	flag(table >= 0)
	put(4, 0)
	put(9, 1<<8|1<<2|3) // increment of core 1, verify
	put(32, uint64(max(table, 0)))
	_ = binary.Write(&r.b, binary.LittleEndian, cycle)
	_ = binary.Write(&r.b, binary.LittleEndian, words)
}

// A clear counts from its last cycle on, since what is under way shows until then; a reset from the first cycle that is
// traced, since what is written into tables behind it stays.
func TestTraceClearAndReset(t *testing.T) {
	c, err := config.Parse("t.toml", ".", []byte(`
[design]
name = "t"
slots = 4
[[cluster]]
[[cluster.core]]
kind = "aes128_4sbox"
count = 3
`))
	require.NoError(t, err)
	d, err := design.Elaborate(c)
	require.NoError(t, err)
	frames := make([]workload.Frame, 3)
	for i := range frames {
		frames[i].Bytes = workload.Header{Version: 1}.Bytes()
	}
	o := &workload.Outcome{Sent: []workload.Sent{{Done: true, Last: 201}, {Done: true, Last: 500}, {Done: true, Last: 700}}}
	r := &rawTrace{d: d}
	r.record(4, true, true, -1, -1) // of every run: no event
	r.record(5, true, true, -1, -1)
	r.record(90, false, false, -1, 7)
	r.record(200, true, false, -1, -1)
	r.record(201, true, false, 2, -1)
	r.record(202, true, false, -1, 8)
	r.record(203, true, false, -1, -1)
	r.record(300, true, true, -1, 9)
	r.record(301, true, true, -1, 10)
	r.record(302, true, false, -1, -1) // a clear at once
	r.record(303, true, false, -1, -1)
	r.record(400, true, false, -1, -1) // cut off by a reset
	r.record(401, true, true, -1, 11)
	r.record(500, true, true, 1, 12) // a reset of one cycle
	r.record(700, false, false, 0, -1)
	r.record(800, true, false, -1, -1) // the run ends in it
	var got []string
	require.NoError(t, ReadTrace(bytes.NewReader(r.b.Bytes()), d, frames, o, func(e *Event) error {
		s := fmt.Sprintf("%d %s", e.Cycle, e.Kind)
		if e.Value > 0 {
			s += fmt.Sprintf(" %d %d %d %d", e.Core, e.Op, e.Table, e.Value)
		}
		got = append(got, s)
		return nil
	}))
	require.Equal(t, strings.Split(`90 table 1 3 1 7
201 accept
202 table 1 3 1 8
203 clear
300 reset
300 table 1 3 1 9
301 table 1 3 1 10
303 clear
400 clear
401 reset
401 table 1 3 1 11
500 accept
500 reset
500 table 1 3 1 12
700 accept
800 clear`, "\n"), got)
}
