// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"hwgen/gen/diag"
	"hwgen/gen/sched"
)

// frame is a packet of a capture to be made.
type frame struct {
	at      time.Duration
	layers  []gopacket.SerializableLayer
	payload int
	snap    int // bytes captured; 0: all
}

var start = time.Unix(1700000000, 123456000).UTC()

func ether(typ layers.EthernetType) *layers.Ethernet {
	return &layers.Ethernet{
		SrcMAC: net.HardwareAddr{2, 0, 0, 0, 0, 1}, DstMAC: net.HardwareAddr{2, 0, 0, 0, 0, 2}, EthernetType: typ,
	}
}

func v4(src, dst byte, proto layers.IPProtocol) *layers.IPv4 {
	return &layers.IPv4{Version: 4, TTL: 64, Protocol: proto, SrcIP: net.IP{10, 0, 0, src}, DstIP: net.IP{10, 0, 0, dst}}
}

func v6(next layers.IPProtocol) *layers.IPv6 {
	return &layers.IPv6{Version: 6, NextHeader: next, HopLimit: 9, SrcIP: net.ParseIP("fd00::1"), DstIP: net.ParseIP("fd00::2")}
}

func udp(src, dst layers.UDPPort) []gopacket.SerializableLayer {
	return []gopacket.SerializableLayer{ether(layers.EthernetTypeIPv4), v4(1, 2, layers.IPProtocolUDP), &layers.UDP{SrcPort: src, DstPort: dst}}
}

func tcp(t layers.TCP) []gopacket.SerializableLayer {
	t.SrcPort, t.DstPort = 1000, 80
	return []gopacket.SerializableLayer{ether(layers.EthernetTypeIPv4), v4(1, 2, layers.IPProtocolTCP), &t}
}

func (f *frame) bytes() []byte {
	b := gopacket.NewSerializeBuffer()
	ls := append([]gopacket.SerializableLayer{}, f.layers...)
	if err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true}, append(ls, gopacket.Payload(make([]byte, f.payload)))...); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func sampleCapture() []frame {
	return []frame{
		{0, udp(1, 2), 100, 0},
		{10 * time.Microsecond, tcp(layers.TCP{SYN: true}), 0, 0},
		{20 * time.Microsecond, tcp(layers.TCP{}), 64, 0},
		{30 * time.Microsecond, udp(1, 2), 16, 0},
		{25 * time.Microsecond, tcp(layers.TCP{}), 10, 0}, // a step back in time
		{40 * time.Microsecond, tcp(layers.TCP{FIN: true}), 5, 0},
		{50 * time.Microsecond, tcp(layers.TCP{}), 1, 0}, // a new flow
		{60 * time.Microsecond, []gopacket.SerializableLayer{ether(layers.EthernetTypeARP)}, 46, 0},
	}
}

func pcapBytes(fs []frame, link layers.LinkType) []byte {
	var b bytes.Buffer
	w := pcapgo.NewWriterNanos(&b)
	if err := w.WriteFileHeader(65535, link); err != nil {
		panic(err)
	}
	for i := range fs {
		data := fs[i].bytes()
		ci := gopacket.CaptureInfo{Timestamp: start.Add(fs[i].at), CaptureLength: len(data), Length: len(data)}
		if fs[i].snap > 0 {
			ci.CaptureLength = min(len(data), fs[i].snap)
		}
		if err := w.WritePacket(ci, data[:ci.CaptureLength]); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

func pcapngBytes(fs []frame) []byte {
	var b bytes.Buffer
	w, err := pcapgo.NewNgWriter(&b, layers.LinkTypeEthernet)
	if err != nil {
		panic(err)
	}
	for i := range fs {
		data := fs[i].bytes()
		ci := gopacket.CaptureInfo{Timestamp: start.Add(fs[i].at), CaptureLength: len(data), Length: len(data)}
		if err := w.WritePacket(ci, data); err != nil {
			panic(err)
		}
	}
	if err := w.Flush(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func writeCapture(t testing.TB, name string, fs []frame) string {
	t.Helper()
	return write(t, name, string(pcapBytes(fs, layers.LinkTypeEthernet)))
}

// show is the packets of a stream without loads: job.No@arrival bytes, ! at the last.
func show(ps []sched.Packet) []string {
	var out []string
	for _, p := range ps {
		if p.Load {
			continue
		}
		s := fmt.Sprintf("%d.%d@%d %d", p.Job, p.No, p.Arrival, p.Bytes)
		if p.Last {
			s += "!"
		}
		out = append(out, s)
	}
	return out
}

func TestCapture(t *testing.T) {
	d := testDesign(t, twoClusters)
	ctr := ":modes=ctr,clusters=aes,ops=encrypt"
	want := []string{
		"0.0@0 64", "0.1@0 48", // 100 bytes: 64 and 36, in whole blocks
		"1.0@2000 64", "0.2@3000 16!", "1.1@3000 16", "1.2@4000 5!", "2.0@5000 1!", "3.0@6000 46!",
	}
	z := &bytes.Buffer{}
	zw := gzip.NewWriter(z)
	_, err := zw.Write(pcapBytes(sampleCapture(), layers.LinkTypeEthernet))
	require.NoError(t, err)
	require.NoError(t, zw.Close())
	for _, path := range []string{
		writeCapture(t, "a.pcap", sampleCapture()), write(t, "a.pcapng", string(pcapngBytes(sampleCapture()))),
		write(t, "a.pcap.gz", z.String()),
	} {
		ps := open(t, path+ctr, d)
		wellFormed(t, ps, d)
		require.Equal(t, want, show(ps), path)
	}
	path := writeCapture(t, "a.pcap", sampleCapture())
	// ECB and CBC take whole blocks at the end too
	require.Equal(t, []string{"0.0@0 64", "0.1@0 48", "1.0@4000 64", "0.2@6000 16!", "1.1@6000 16", "1.2@8000 16!", "2.0@10000 16!", "3.0@12000 48!"},
		show(open(t, path+":modes=cbc,clusters=aes,ops=encrypt,clock_mhz=200", d)))
	// MACs that are not chained: each packet a job
	ps := open(t, path+":ops=sign,chained=0,clusters=aes", d)
	wellFormed(t, ps, d)
	require.Len(t, ps, 9)
	for _, p := range ps[1:] {
		require.True(t, p.Last)
	}
	// a bound on packets ends the flows there
	require.Equal(t, []string{"0.0@0 64", "0.1@0 36!", "1.0@2000 64!"}, show(open(t, path+ctr+",packets=3", d)))
	require.Equal(t, []string{"0.0@0 64!"}, show(open(t, path+ctr+",packets=1", d)))
	// no more than one flow open
	require.Equal(t, []string{"0.0@0 64", "0.1@0 36!", "1.0@2000 64!", "2.0@3000 16!", "3.0@3000 16", "3.1@4000 5!", "4.0@5000 1!", "5.0@6000 46!"},
		show(open(t, path+ctr+",flows=1", d)))
	// silence ends a flow
	require.Equal(t, []string{"0.0@0 64", "0.1@0 36!", "1.0@2000 64", "2.0@3000 16!", "1.1@3000 16", "1.2@4000 5!", "3.0@5000 1!", "4.0@6000 46!"},
		show(open(t, path+ctr+",idle_s=0.000025", d)))
}

// Payload lengths are those of the wire, whatever was captured of them.
func TestPayloadLengths(t *testing.T) {
	d := testDesign(t, strings.Replace(twoClusters, "packet_bytes = 64", "packet_bytes = 9600", 1))
	hop := &layers.IPv6HopByHop{}
	hop.NextHeader = layers.IPProtocolUDP
	hop.Options = []*layers.IPv6HopByHopOption{{OptionType: 1, OptionLength: 4, OptionData: make([]byte, 4)}}
	for name, c := range map[string]struct {
		f    frame
		want int
	}{
		"udp":            {frame{0, udp(1, 2), 333, 0}, 333},
		"padded":         {frame{0, udp(1, 2), 1, 0}, 1},
		"cut":            {frame{0, udp(1, 2), 1400, 60}, 1400},
		"cut in udp":     {frame{0, udp(1, 2), 1400, 38}, 1400},
		"cut behind ip":  {frame{0, udp(1, 2), 1400, 34}, 1400},
		"cut in ip":      {frame{0, udp(1, 2), 1400, 20}, 1428},
		"tcp options":    {frame{0, tcp(layers.TCP{Options: []layers.TCPOption{{OptionType: 8, OptionLength: 10, OptionData: make([]byte, 8)}}}), 700, 0}, 700},
		"cut in options": {frame{0, tcp(layers.TCP{Options: []layers.TCPOption{{OptionType: 8, OptionLength: 10, OptionData: make([]byte, 8)}}}), 700, 56}, 700},
		"cut in tcp":     {frame{0, tcp(layers.TCP{Options: []layers.TCPOption{{OptionType: 8, OptionLength: 10, OptionData: make([]byte, 8)}}}), 700, 48}, 700},
		"cut in ports":   {frame{0, tcp(layers.TCP{}), 700, 37}, 700},
		"cut in ip options": {frame{0, []gopacket.SerializableLayer{ether(layers.EthernetTypeIPv4), &layers.IPv4{Version: 4, Protocol: 17,
			SrcIP: net.IP{1, 1, 1, 1}, DstIP: net.IP{1, 1, 1, 2}, Options: []layers.IPv4Option{{OptionType: 7, OptionLength: 7, OptionData: make([]byte, 5)}}},
			&layers.UDP{}}, 800, 36}, 800},
		"vlan": {frame{0, []gopacket.SerializableLayer{
			ether(layers.EthernetTypeDot1Q), &layers.Dot1Q{VLANIdentifier: 5, Type: layers.EthernetTypeIPv4}, v4(1, 2, layers.IPProtocolUDP), &layers.UDP{}}, 90, 0}, 90},
		"ipv6":     {frame{0, []gopacket.SerializableLayer{ether(layers.EthernetTypeIPv6), v6(layers.IPProtocolUDP), &layers.UDP{}}, 77, 0}, 77},
		"ipv6 cut": {frame{0, []gopacket.SerializableLayer{ether(layers.EthernetTypeIPv6), v6(layers.IPProtocolUDP), &layers.UDP{}}, 770, 70}, 770},
		"ipv6 hop-by-hop": {frame{0, []gopacket.SerializableLayer{
			ether(layers.EthernetTypeIPv6), v6(layers.IPProtocolIPv6HopByHop), hop, &layers.UDP{}}, 78, 0}, 78},
		"ipv6 cut in hop-by-hop": {frame{0, []gopacket.SerializableLayer{
			ether(layers.EthernetTypeIPv6), v6(layers.IPProtocolIPv6HopByHop), hop, &layers.UDP{}}, 780, 57}, 780},
		"esp":      {frame{0, []gopacket.SerializableLayer{ether(layers.EthernetTypeIPv4), v4(1, 2, layers.IPProtocolESP)}, 96, 0}, 96},
		"arp":      {frame{0, []gopacket.SerializableLayer{ether(layers.EthernetTypeARP)}, 46, 0}, 46},
		"fragment": {frame{0, []gopacket.SerializableLayer{ether(layers.EthernetTypeIPv4), &layers.IPv4{Version: 4, Protocol: 17, FragOffset: 5, SrcIP: net.IP{1, 1, 1, 1}, DstIP: net.IP{1, 1, 1, 2}}}, 160, 0}, 160},
	} {
		ps := open(t, writeCapture(t, "a.pcap", []frame{c.f})+":modes=ctr", d)
		require.Len(t, ps, 2, name)
		require.Equal(t, c.want, ps[1].Bytes, name)
	}
	// ports and flags are found in what a short snaplen leaves of TCP and UDP
	whole := sampleCapture()
	want := show(open(t, writeCapture(t, "a.pcap", whole)+":modes=ctr", d))
	for i := range whole {
		whole[i].snap = 48 // 14 bytes behind IP
	}
	require.Equal(t, want, show(open(t, writeCapture(t, "a.pcap", whole)+":modes=ctr", d)))
	raw := frame{0, []gopacket.SerializableLayer{v4(1, 2, layers.IPProtocolUDP), &layers.UDP{}}, 50, 0}
	ps := open(t, write(t, "r.pcap", string(pcapBytes([]frame{raw}, layers.LinkTypeRaw)))+":modes=ctr", d)
	require.Equal(t, 50, ps[1].Bytes)
	loop := frame{0, []gopacket.SerializableLayer{&layers.Loopback{Family: layers.ProtocolFamilyIPv4}, v4(1, 2, layers.IPProtocolUDP), &layers.UDP{}}, 51, 0}
	ps = open(t, write(t, "l.pcap", string(pcapBytes([]frame{loop}, layers.LinkTypeNull)))+":modes=ctr", d)
	require.Equal(t, 51, ps[1].Bytes)
}

func TestCaptureErrors(t *testing.T) {
	good := pcapBytes(sampleCapture(), layers.LinkTypeEthernet)
	ng := pcapngBytes(sampleCapture())
	second := 24 + 16 + 142 // where the second record begins
	huge := bytes.Clone(good)
	copy(huge[second+8:], "\xff\xff\xff\x7f\xff\xff\xff\x7f")
	wide := bytes.Clone(good)
	copy(wide[second+12:], "\xff\xff\xff\x7f")
	late := bytes.Clone(good)
	late[second+3] = 0xff
	micros := bytes.Clone(good)
	copy(micros[second+4:], "\x00\x28\x6b\xee")
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"microseconds":    {micros, "record 2: its time has 4000000000 parts of a second, of which there are 1000000"},
		"empty":           {nil, "the file is empty"},
		"three bytes":     {good[:3], "the file ends inside its header"},
		"half a header":   {good[:20], "the header of the file: the file ends inside it"},
		"not a capture":   {[]byte("hello, world, this is no capture"), "neither pcap nor pcapng: the file begins with the bytes 68 65 6c 6c"},
		"zeros":           {make([]byte, 4096), "neither pcap nor pcapng"},
		"no records":      {good[:24], "none of its 0 records has payload"},
		"cut at a header": {good[:second+10], "record 2: the file ends inside it"},
		"cut behind it":   {good[:second+16], "record 2: the file ends inside it"},
		"cut in data":     {good[:second+20], "record 2: the file ends inside it"},
		"cut at the end":  {good[:len(good)-1], "record 8: the file ends inside it"},
		"endless record":  {huge, "record 2: "},
		"wide record":     {wide, "record 2: it had 2147483647 bytes on the wire"},
		"late":            {late, "record 2: its time is"},
		"link type":       {pcapBytes(sampleCapture(), layers.LinkTypePPP), "record 1: link type 9 (PPP) is not supported; allowed: Ethernet"},
		"cut MACs":        {pcapBytes([]frame{{0, udp(1, 2), 9, 10}}, layers.LinkTypeEthernet), "record 1: no link header in its 10 bytes"},
		"ng cut":          {ng[:len(ng)-5], "record 8: the file ends inside it"},
		"ng cut early":    {ng[:20], "the header of the file: the file ends inside it"},
		"not gzip":        {[]byte("\x1f\x8b not gzip at all"), "not gzip"},
	} {
		path := write(t, "f.pcap", string(c.data))
		err := readAll(path, t)
		require.ErrorContains(t, err, path+": "+c.want, name)
		require.Equal(t, diag.ExitUsage, diag.ExitCode(err))
	}
	require.ErrorContains(t, readAll("/dev/zero", t), "unknown workload")
}

// Simple packet blocks have no time: they count as of the record before.
func TestRecordsWithoutTime(t *testing.T) {
	d := testDesign(t, twoClusters)
	fs := sampleCapture()[:3]
	b := pcapngBytes(fs)
	simple := frame{0, udp(7, 8), 22, 0} // 64 bytes, no padding
	data := simple.bytes()
	block := make([]byte, 16, 128)
	binary.LittleEndian.PutUint32(block, 3)
	binary.LittleEndian.PutUint32(block[4:], uint32(16+len(data)))
	binary.LittleEndian.PutUint32(block[8:], uint32(len(data)))
	block = append(block[:12], data...)
	block = binary.LittleEndian.AppendUint32(block, uint32(16+len(data)))
	require.Equal(t, []string{"0.0@0 64", "0.1@0 36!", "1.0@2000 64!", "2.0@2000 22!"},
		show(open(t, write(t, "s.pcapng", string(append(b, block...)))+":modes=ctr", d)))
}

// A capture's memory does not grow with its records: flows that are closed are forgotten.
func TestFlowsAreForgotten(t *testing.T) {
	d := testDesign(t, twoClusters)
	var fs []frame
	for i := range 500 {
		fs = append(fs, frame{time.Duration(i) * time.Second, udp(layers.UDPPort(i), 2), 16, 0})
	}
	s, err := Open(writeCapture(t, "a.pcap", fs)+":idle_s=10", d)
	require.NoError(t, err)
	c := s.(*loading).inner.(*captured)
	var p sched.Packet
	for s.Next(&p) {
		require.LessOrEqual(t, len(c.flows.open), 12)
	}
	require.NoError(t, s.Err())
	require.NoError(t, s.Close())
}

func FuzzCapture(f *testing.F) {
	f.Add(pcapBytes(sampleCapture(), layers.LinkTypeEthernet))
	f.Add(pcapBytes(sampleCapture(), layers.LinkTypeRaw))
	f.Add(pcapngBytes(sampleCapture()))
	f.Add(pcapngBytes(sampleCapture())[:120])
	f.Add(pcapBytes([]frame{{0, []gopacket.SerializableLayer{ether(layers.EthernetTypeIPv6), v6(layers.IPProtocolUDP), &layers.UDP{}}, 77, 0}}, layers.LinkTypeLinuxSLL))
	d := testDesign(f, twoClusters)
	f.Fuzz(func(t *testing.T, data []byte) {
		path := write(t, "f.pcap", string(data))
		s, err := Open(path+":packets=5000", d)
		if err != nil {
			require.Contains(t, err.Error(), "f.pcap: ")
			require.Equal(t, diag.ExitUsage, diag.ExitCode(err))
			return
		}
		wellFormed(t, drain(t, s), d)
	})
}
