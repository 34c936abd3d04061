// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"hwgen/gen/cipher"
	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/sched"
	"hwgen/gen/workload"
)

// Defaults of captures.
const (
	defaultClockMHz = 100
	defaultIdle     = 60 // seconds
	defaultFlows    = 1 << 16

	maxWire = 1 << 20 // bytes of a packet; segmentation offload makes more of it than a wire carries
)

// capture is what the options of a capture say.
type capture struct {
	classes  classes
	clockMHz float64
	idle     time.Duration
	flows    int   // open at a time
	packets  int64 // 0: all
	seed     uint64
}

func parseCapture(o *options, d *design.Design) capture {
	return capture{
		clockMHz: o.number("clock_mhz", defaultClockMHz, 0, 1e6, true),
		idle:     time.Duration(o.number("idle_s", defaultIdle, 0, 1e6, true) * 1e9),
		flows:    int(o.integer("flows", defaultFlows, 1, 1<<24)),
		packets:  o.integer("packets", 0, 1, 1e12),
		seed:     uint64(o.integer("seed", 1, 0, math.MaxInt64)),
		classes:  parseClasses(o, d),
	}
}

// records reads a pcap or pcapng file record by record.
type records struct {
	name string
	file *input
	r    gopacket.ZeroCopyPacketDataSource
	link func(ci *gopacket.CaptureInfo) layers.LinkType
	n    int // records read

	ahead *bufio.Reader // pcap: what r reads next
	order binary.ByteOrder
	parts uint32 // of a second in a record's time
}

func openRecords(path string) (*records, error) {
	f, err := openFile(path, true)
	if err != nil {
		return nil, err
	}
	c := &records{name: path, file: f}
	if err := c.start(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return c, nil
}

func (c *records) fail(format string, args ...any) error {
	return diag.Usage("%s: %w", c.name, fmt.Errorf(format, args...))
}

// bad is a mistake in the present record.
func (c *records) bad(format string, args ...any) error {
	return c.fail("record %d: %w", c.n, fmt.Errorf(format, args...))
}

func (c *records) start() error {
	r0, err := c.file.reader()
	if err != nil {
		return c.fail("%w", diag.Cause(err))
	}
	in := bufio.NewReaderSize(r0, readBuffer)
	if b, _ := in.Peek(2); string(b) == "\x1f\x8b" {
		z, err := gzip.NewReader(in)
		if err != nil {
			return c.fail("not gzip: %w", err)
		}
		in = bufio.NewReaderSize(z, readBuffer)
	}
	magic, err := in.Peek(4)
	switch {
	case errors.Is(err, io.EOF) && len(magic) == 0:
		return c.fail("the file is empty")
	case err != nil:
		return c.fail("the file ends inside its header")
	case string(magic) == "\x0a\x0d\x0d\x0a":
		r, err := pcapgo.NewNgReader(in, pcapgo.NgReaderOptions{WantMixedLinkType: true, SkipUnknownVersion: true})
		if err != nil {
			return c.fail("the header of the file: %w", ended(err))
		}
		c.r = r
		c.link = func(ci *gopacket.CaptureInfo) layers.LinkType {
			l, _ := ci.AncillaryData[0].(layers.LinkType)
			return l
		}
		return nil
	}
	head := string(magic)
	if !slices.Contains(pcapMagics, head) {
		return c.fail("neither pcap nor pcapng: the file begins with the bytes % x", magic)
	}
	r, err := pcapgo.NewReader(in)
	if err != nil {
		return c.fail("the header of the file: %w", ended(err))
	}
	c.r = r
	c.link = func(*gopacket.CaptureInfo) layers.LinkType { return r.LinkType() }
	c.ahead, c.order, c.parts = in, binary.BigEndian, 1e6
	if head[3] == '\xa1' {
		c.order = binary.LittleEndian
	}
	if strings.Contains(head, "\x3c") {
		c.parts = 1e9
	}
	return nil
}

// pcapMagics are the first bytes of pcap files: micro- and nanoseconds in either byte order.
var pcapMagics = []string{"\xd4\xc3\xb2\xa1", "\xa1\xb2\xc3\xd4", "\x4d\x3c\xb2\xa1", "\xa1\xb2\x3c\x4d"}

// ended says in words that a file ends too early.
func ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file ends inside it")
	}
	return err
}

// next gives a record, or io.EOF behind the last.
func (c *records) next() (data []byte, ci gopacket.CaptureInfo, err error) {
	if c.ahead != nil {
		if b, _ := c.ahead.Peek(8); len(b) == 8 {
			if n := c.order.Uint32(b[4:]); n >= c.parts {
				c.n++
				return nil, ci, c.bad("its time has %d parts of a second, of which there are %d", n, c.parts)
			}
		}
	}
	data, ci, err = c.r.ZeroCopyReadPacketData()
	if errors.Is(err, io.EOF) && ci.CaptureLength == 0 && len(data) == 0 {
		return nil, ci, io.EOF
	}
	c.n++
	if err != nil {
		return nil, ci, c.bad("%w", ended(err))
	}
	return data, ci, nil
}

// flowKey is what the packets of a flow have in common: addresses, protocol and ports in one direction, MAC addresses
// where there is no IP.
type flowKey struct {
	src, dst         [16]byte
	srcPort, dstPort uint16
	proto            uint16 // of IP; of Ethernet where there is no IP
	ip               uint8  // 4, 6, 0: no IP
}

// parsed is what a record says.
type parsed struct {
	flowKey
	payload  int // bytes on the wire
	syn, fin bool
}

// dissector takes records apart. Its layers are kept, so that a record costs no memory.
type dissector struct {
	eth  layers.Ethernet
	vlan layers.Dot1Q
	sll  layers.LinuxSLL
	sll2 layers.LinuxSLL2
	loop layers.Loopback
}

const linkTypes = "Ethernet, raw IP, Linux cooked (SLL, SLL2), BSD loopback"

// record takes a record apart; cut is how many bytes of it were not captured.
func (x *dissector) record(link layers.LinkType, data []byte, cut int) (p parsed, err error) {
	var typ layers.EthernetType
	rest := data
	df := gopacket.NilDecodeFeedback
	switch link {
	case layers.LinkTypeEthernet:
		if err = x.eth.DecodeFromBytes(data, df); err == nil {
			typ, rest = x.eth.EthernetType, x.eth.Payload
			copy(p.src[:], x.eth.SrcMAC)
			copy(p.dst[:], x.eth.DstMAC)
		}
	case layers.LinkTypeLinuxSLL:
		if err = x.sll.DecodeFromBytes(data, df); err == nil {
			typ, rest = x.sll.EthernetType, x.sll.Payload
			copy(p.src[:], x.sll.Addr)
		}
	case layers.LinkTypeLinuxSLL2:
		if err = x.sll2.DecodeFromBytes(data, df); err == nil {
			typ, rest = x.sll2.ProtocolType, x.sll2.Payload
			copy(p.src[:], x.sll2.Addr)
		}
	case layers.LinkTypeNull, layers.LinkTypeLoop:
		if err = x.loop.DecodeFromBytes(data, df); err == nil {
			rest = x.loop.Payload
			typ = ipVersion(rest)
		}
	case layers.LinkTypeRaw, layers.LinkTypeIPv4, layers.LinkTypeIPv6, 12, 14: // 12, 14: raw IP of some BSDs
		typ = ipVersion(rest)
	default:
		return p, fmt.Errorf("link type %d (%s) is not supported; allowed: %s", link, link, linkTypes)
	}
	if err != nil {
		return p, fmt.Errorf("no link header in its %d bytes: %w", len(data), err)
	}
	for typ == layers.EthernetTypeDot1Q || typ == layers.EthernetTypeQinQ {
		if x.vlan.DecodeFromBytes(rest, df) != nil {
			break
		}
		typ, rest = x.vlan.Type, x.vlan.Payload
	}
	p.payload, p.proto = len(rest)+cut, uint16(typ)
	switch typ {
	case layers.EthernetTypeIPv4:
		p.ipv4(rest, cut)
	case layers.EthernetTypeIPv6:
		p.ipv6(rest, cut)
	}
	return p, nil
}

func ipVersion(b []byte) layers.EthernetType {
	if len(b) > 0 && b[0]>>4 == 6 {
		return layers.EthernetTypeIPv6
	}
	return layers.EthernetTypeIPv4
}

// from is what a slice has behind n bytes: nothing if the capture was cut before.
func from(b []byte, n int) []byte { return b[min(n, len(b)):] }

// ipv4 fills in what an IPv4 packet says, of which cut bytes were not captured: 20 are enough, options do not matter.
func (p *parsed) ipv4(b []byte, cut int) {
	if len(b) < 20 {
		return
	}
	head, length := 4*int(b[0]&15), int(binary.BigEndian.Uint16(b[2:]))
	if length == 0 { // segmentation offload
		length = len(b) + cut
	}
	if head < 20 || head > length {
		return
	}
	fragment := binary.BigEndian.Uint16(b[6:])&0x3fff != 0 // an offset, or more to come
	p.transport(4, b[12:16], b[16:20], layers.IPProtocol(b[9]), from(b[:min(length, len(b))], head), length-head, !fragment)
}

// ipv6 is that of IPv6, which takes 40 bytes, and two of each header before the transport's.
func (p *parsed) ipv6(b []byte, cut int) {
	if len(b) < 40 {
		return
	}
	n, proto, l4 := int(binary.BigEndian.Uint16(b[4:])), layers.IPProtocol(b[6]), b[40:]
	if n == 0 { // jumbogram
		n = len(l4) + cut
	}
	l4 = l4[:min(n, len(l4))]
	for proto == layers.IPProtocolIPv6HopByHop || proto == layers.IPProtocolIPv6Routing || proto == layers.IPProtocolIPv6Destination {
		if len(l4) < 2 {
			break
		}
		head := 8 + 8*int(l4[1])
		proto, l4 = layers.IPProtocol(l4[0]), from(l4, head)
		n -= head
	}
	whole := proto != layers.IPProtocolIPv6Fragment
	if !whole {
		n -= 8
	}
	p.transport(6, b[8:24], b[24:40], proto, l4, n, whole)
}

// transport fills in what stands behind IP: length bytes on the wire, of which l4 was captured. Of TCP 14 bytes have all
// that counts, of UDP 4; what is missing of them is taken for 0, a header of 20 bytes. Fragments have no ports.
func (p *parsed) transport(ip uint8, src, dst []byte, proto layers.IPProtocol, l4 []byte, length int, whole bool) {
	p.flowKey = flowKey{proto: uint16(proto), ip: ip}
	copy(p.src[:], src)
	copy(p.dst[:], dst)
	head := 0
	if whole && (proto == layers.IPProtocolTCP || proto == layers.IPProtocolUDP) {
		if len(l4) >= 4 {
			p.srcPort, p.dstPort = binary.BigEndian.Uint16(l4), binary.BigEndian.Uint16(l4[2:])
		}
		if head = 8; proto == layers.IPProtocolTCP {
			head = 20
			if len(l4) > 12 {
				head = max(head, 4*int(l4[12]>>4))
			}
			if len(l4) > 13 {
				flags := l4[13]
				p.syn, p.fin = flags&2 != 0, flags&5 != 0 // FIN or RST
			}
		}
	}
	p.payload = max(0, length-head)
}

// flow is a job of a capture.
type flow struct {
	class
	key        flowKey
	job        uint64
	no         int
	last       int // its latest packet
	seen       time.Duration
	prev, next *flow // in the order of their latest records
}

// flows are the open flows of a capture, no more than a bound: the one that was silent longest makes room.
type flows struct {
	c      *capture
	open   map[flowKey]*flow
	ring   flow // ring.next is the one silent longest
	opened uint64
	closed func(*flow)
}

func newFlows(c *capture, closed func(*flow)) *flows {
	t := &flows{c: c, open: map[flowKey]*flow{}, closed: closed}
	t.ring.prev, t.ring.next = &t.ring, &t.ring
	return t
}

func (f *flow) unlink() { f.prev.next, f.next.prev = f.next, f.prev }

func (t *flows) close(f *flow) {
	f.unlink()
	delete(t.open, f.key)
	t.closed(f)
}

func (t *flows) expire(now time.Duration) {
	for f := t.ring.next; f != &t.ring && now-f.seen > t.c.idle; f = t.ring.next {
		t.close(f)
	}
}

func (t *flows) closeAll() {
	for t.ring.next != &t.ring {
		t.close(t.ring.next)
	}
}

// record finds the flow of a record with payload, or opens it.
func (t *flows) record(k flowKey, now time.Duration) *flow {
	f := t.open[k]
	if f == nil {
		if len(t.open) == t.c.flows {
			t.close(t.ring.next)
		}
		f = &flow{key: k, class: t.c.classes.draw(rand.New(rand.NewPCG(t.c.seed, t.opened)))}
		t.opened++
		t.open[k] = f
	} else {
		f.unlink()
	}
	f.seen = now
	f.prev, f.next = t.ring.prev, &t.ring
	f.prev.next, f.next.prev = f, f
	return f
}

// pieces reads a capture as packets of flows; both passes over a file go through it, so that they agree.
type pieces struct {
	*records
	c       *capture
	d       *design.Design
	x       dissector
	flows   *flows
	first   time.Time
	now     time.Duration
	arrival int64
	n       int // packets so far
	f       *flow
	left    int // bytes of the present record
	closing bool
}

// next gives the next packet: its flow, its payload.
func (s *pieces) next() (f *flow, length int, err error) {
	if s.c.packets > 0 && int64(s.n) == s.c.packets {
		return nil, 0, io.EOF
	}
	for s.left == 0 {
		if err := s.record(); err != nil {
			return nil, 0, err
		}
	}
	length = min(s.left, s.d.PktBytes)
	s.left -= length
	s.f.last = s.n
	s.n++
	f = s.f
	if s.left == 0 && s.closing {
		s.flows.close(f)
	}
	return f, length, nil
}

func (s *pieces) record() error {
	data, ci, err := s.records.next()
	if err != nil {
		return err
	}
	if at := ci.Timestamp; !at.IsZero() { // simple packet blocks of pcapng have no time: that of the record before
		if s.first.IsZero() {
			s.first = at
		}
		s.now = max(s.now, at.Sub(s.first))
	}
	cycles := float64(s.now) * s.c.clockMHz / 1000
	if cycles > workload.MaxArrival {
		return s.bad("its time is %s after the first record's: too many cycles", s.now)
	}
	s.arrival = int64(cycles)
	if ci.Length > maxWire {
		return s.bad("it had %d bytes on the wire, more than a packet can have (%d)", ci.Length, maxWire)
	}
	p, err := s.x.record(s.link(&ci), data, max(0, ci.Length-len(data)))
	if err != nil {
		return s.bad("%w", err)
	}
	s.flows.expire(s.now)
	if f := s.flows.open[p.flowKey]; f != nil && (p.syn || p.fin && p.payload == 0) {
		s.flows.close(f)
	}
	if p.payload > 0 {
		s.f, s.left, s.closing = s.flows.record(p.flowKey, s.now), p.payload, p.fin
	}
	return nil
}

// captured is a capture as a stream.
type captured struct {
	pieces
	ends bitset
	jobs uint64
	err  error
	done bool
}

// openCapture reads a capture once to its end, which finds its mistakes and the last packet of each flow (a bit for
// each
// packet), and opens it again as a stream.
func openCapture(path string, c *capture, d *design.Design) (Source, error) {
	var ends bitset
	scan, err := openPieces(path, c, d, func(f *flow) { ends.set(f.last) })
	if err != nil {
		return nil, err
	}
	for err == nil {
		_, _, err = scan.next()
	}
	if cerr := scan.file.Close(); errors.Is(err, io.EOF) {
		err = cerr
	}
	if err != nil {
		return nil, err
	}
	scan.flows.closeAll()
	if scan.n == 0 {
		return nil, scan.fail("none of its %d records has payload", scan.records.n)
	}
	again, err := openPieces(path, c, d, func(*flow) {})
	if err != nil {
		return nil, err
	}
	return loads(&captured{pieces: *again, ends: ends}, d), nil
}

func openPieces(path string, c *capture, d *design.Design, closed func(*flow)) (*pieces, error) {
	r, err := openRecords(path)
	if err != nil {
		return nil, err
	}
	return &pieces{records: r, c: c, d: d, flows: newFlows(c, closed)}, nil
}

// Next gives a packet. All but the last packet of a job are whole blocks, so lengths are rounded up.
func (s *captured) Next(p *sched.Packet) bool {
	if s.done {
		return false
	}
	f, n, err := s.pieces.next()
	if err != nil {
		s.done = true
		if !errors.Is(err, io.EOF) {
			s.err = err
		}
		return false
	}
	last := f.single || s.ends.has(s.n-1)
	if !last || !shortLast(f.mode) {
		n = (n + cipher.BlockSize - 1) / cipher.BlockSize * cipher.BlockSize
	}
	if f.no == 0 {
		f.job = s.jobs
		s.jobs++
	}
	f.class.packet(p, s.arrival, f.job, f.no, n, last)
	if f.no++; f.single {
		f.no = 0
	}
	return true
}

func (s *captured) Err() error   { return s.err }
func (s *captured) Close() error { return s.file.Close() }
