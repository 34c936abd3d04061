// SPDX-License-Identifier: Apache-2.0

package link

import (
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
)

// line is one direction of a serial line in memory: it never blocks a writer, and may lose, change and invent bytes.
type line struct {
	mu     sync.Mutex
	cond   *sync.Cond
	buf    []byte
	err    error
	rng    *rand.Rand
	noise  float64 // chance a byte
	passed int
	cut    int // the line breaks after so many bytes; 0: never
}

func newLine(seed uint64, noise float64) *line {
	l := &line{rng: rand.New(rand.NewPCG(seed, 1)), noise: noise}
	l.cond = sync.NewCond(&l.mu)
	return l
}

// kindReset is no frame of the link: it resets the device of the tests.
const kindReset = 0x0f

var errCut = errors.New("input/output error")

func (l *line) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.cond.Broadcast()
	for _, b := range p {
		if l.err != nil {
			return 0, l.err
		}
		if l.noise > 0 && l.rng.Float64() < l.noise {
			switch l.rng.IntN(3) {
			case 0:
				continue
			case 1:
				b ^= 1 << l.rng.IntN(8)
			case 2:
				l.buf = append(l.buf, byte(l.rng.Uint32()))
			}
		}
		l.buf = append(l.buf, b)
		if l.passed++; l.cut > 0 && l.passed >= l.cut {
			l.err = errCut
		}
	}
	return len(p), nil
}

func (l *line) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.buf) == 0 && l.err == nil {
		l.cond.Wait()
	}
	if len(l.buf) == 0 {
		return 0, l.err
	}
	n := copy(p, l.buf)
	l.buf = l.buf[n:]
	return n, nil
}

// breakAfter cuts the line n bytes from its beginning.
func (l *line) breakAfter(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = n
}

func (l *line) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = io.EOF
	l.cond.Broadcast()
	return nil
}

// end is one end of a line of two directions.
type end struct{ r, w *line }

func (e end) Read(p []byte) (int, error)  { return e.r.Read(p) }
func (e end) Write(p []byte) (int, error) { return e.w.Write(p) }
func (e end) Close() error                { return errors.Join(e.r.Close(), e.w.Close()) }

// device is the link's other end as hwgen_uart_bridge is: it reacts, has no clock, and keeps windows of segments in both
// directions. answer makes the results of a job frame.
type device struct {
	port   end
	info   *Info
	answer func(frame []byte) [][]byte

	open                bool
	gap                 bool
	tag, errors         byte
	expect, drained     byte
	job                 []byte
	results             [][]byte // segments with their length byte
	acked, sent, filled byte
	queue               [][]byte // segments that wait for room
	tell                bool
	opens               int
	lose                func(kind byte) bool // frames that the line loses; nil: none

	regs     map[uint32]uint32 // up to address 0xff
	accesses int
	last     []byte // answer to the last access
	lastNo   byte
}

func (d *device) run() {
	var u unpacker
	buf := make([]byte, 64)
	for {
		n, err := d.port.Read(buf)
		if err != nil {
			return
		}
		d.take(&u, buf[:n])
	}
}

func (d *device) take(u *unpacker, p []byte) {
	bad := u.bad
	u.push(p, d.frame)
	if u.bad != bad {
		d.errors += byte(u.bad - bad)
		d.gap, d.tell = true, d.open
	}
	d.transmit()
}

func (d *device) frame(b []byte) {
	if len(b) < headOut || len(b) != headOut+int(b[3]&^lastSegment) {
		d.errors++
		return
	}
	kind, no, ack := b[0], b[1], b[2]
	if d.lose != nil && d.lose(kind) {
		return
	}
	if kind == kindPoll || kind == kindData || kind == kindAck {
		if n := ack - d.acked; n <= d.filled-d.acked {
			if d.sent-d.acked < n || kind == kindPoll {
				d.sent = ack
			}
			d.results = d.results[n:]
			d.acked = ack
		}
	}
	switch kind {
	case kindPoll:
		d.tag = no
		d.send(kindStatus, d.tag, nil)
	case kindData:
		if !d.open || no != d.expect || b[3]&^lastSegment == 0 {
			d.gap, d.tell = true, d.open
			return
		}
		d.gap = false
		d.expect++
		d.job = append(d.job, b[headOut:]...)
		if b[3]&lastSegment != 0 {
			for _, f := range d.answer(d.job) {
				for len(f) > 0 {
					n := min(len(f), MaxSegment)
					size := byte(n)
					if n == len(f) {
						size |= lastSegment
					}
					d.queue = append(d.queue, append([]byte{size}, f[:n]...))
					f = f[n:]
				}
			}
			d.job = nil
		}
		d.drained++
		d.tell = true
	case kindReg:
		if d.last == nil || d.lastNo != no {
			d.lastNo, d.last = no, d.access(b[headOut:])
		}
		d.send(kindAnswer, no, d.last)
	case kindHello:
		d.tag, d.last = no, nil
		d.send(kindHello, d.tag, d.info.Bytes())
	case kindReset: // pulls its reset
		*d = device{port: d.port, info: d.info, answer: d.answer, lose: d.lose, opens: d.opens, regs: d.regs}
	case kindOpen:
		*d = device{port: d.port, info: d.info, answer: d.answer, errors: d.errors, opens: d.opens + 1, open: true, tag: no, lose: d.lose,
			regs: d.regs, accesses: d.accesses, last: d.last, lastNo: d.lastNo}
		d.send(kindOpened, d.tag, nil)
	}
}

func (d *device) access(p []byte) []byte {
	d.accesses++
	at, value := binary.LittleEndian.Uint32(p[1:]), binary.LittleEndian.Uint32(p[5:])
	switch {
	case at > 0xff:
		return []byte{2, 0, 0, 0, 0}
	case p[0]&regWrite == 0:
		return binary.LittleEndian.AppendUint32([]byte{0}, d.regs[at])
	}
	d.regs[at] = value
	return make([]byte, answerSize)
}

func (d *device) transmit() {
	for len(d.queue) > 0 && int(d.filled-d.acked) < d.info.Window {
		d.results = append(d.results, d.queue[0])
		d.queue = d.queue[1:]
		d.filled++
	}
	for d.open && d.sent != d.filled {
		d.send(kindData, d.sent, d.results[d.sent-d.acked])
		d.sent++
		d.tell = false
	}
	if d.tell {
		d.tell = false
		d.send(kindStatus, d.tag, nil)
	}
}

func (d *device) send(kind, no byte, p []byte) {
	if d.open {
		kind |= bitOpen
	}
	if d.gap {
		kind |= bitGap
	}
	_, _ = d.port.Write(pack(nil, append([]byte{kind, no, d.expect, d.drained, d.errors, byte(len(d.queue))}, p...)))
}

// connect makes a device and the port to it.
func connect(info *Info, seed uint64, noise float64, answer func([]byte) [][]byte) (port end, d *device) {
	return connectLosing(info, seed, noise, answer, nil)
}

func connectLosing(info *Info, seed uint64, noise float64, answer func([]byte) [][]byte, lose func(byte) bool) (port end, d *device) {
	to, from := newLine(seed, noise), newLine(seed+1, noise)
	d = &device{port: end{to, from}, info: info, answer: answer, regs: map[uint32]uint32{}, lose: lose}
	go d.run()
	return end{from, to}, d
}
