// SPDX-License-Identifier: Apache-2.0

package link

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
)

// Info is what a device says of itself.
type Info struct {
	Version     int       `json:"version"` // of the link
	Name        string    `json:"design"`
	Config      [16]byte  `json:"-"` // first half of the SHA-256 of the config
	DataWidth   int       `json:"data_width"`
	PacketBytes int       `json:"packet_bytes"`
	Slots       int       `json:"slots"`
	Window      int       `json:"window"` // segments
	ReportCore  bool      `json:"report_core"`
	Registers   bool      `json:"registers"` // can be read and written
	Clusters    []Cluster `json:"clusters"`
}

// Cluster of a device.
type Cluster struct {
	Name      string `json:"name"`
	Algorithm string `json:"algorithm"`
	Support   uint8  `json:"-"` // bit inv*4+op, as in package design
	Choose    int    `json:"choose_list"`
	KeySlots  int    `json:"key_slots"`
	Quota     int    `json:"slot_quota"`
	Cores     int    `json:"cores"`
}

// ConfigHash is the config's hash in hex, as far as it is known.
func (i *Info) ConfigHash() string { return hex.EncodeToString(i.Config[:]) }

var magic = [4]byte{'H', 'W', 'G', 'L'}

var algorithms = []string{"", "aes128", "aes256", "sm4"}

// infoHead is the fixed part.
const infoHead = 32

// VersionError is a device that speaks another version of the link.
type VersionError struct{ Device int }

func (e *VersionError) Error() string {
	return fmt.Sprintf("the device speaks version %d of the link, this hwgen version %d", e.Device, Version)
}

// Bytes is the payload of the answer to a hello: see docs/host-link.md.
func (i *Info) Bytes() []byte {
	b := make([]byte, infoHead)
	copy(b, magic[:])
	b[4], b[5] = byte(i.Version), byte(i.DataWidth/8)
	binary.LittleEndian.PutUint16(b[6:], uint16(i.PacketBytes))
	binary.LittleEndian.PutUint16(b[8:], uint16(i.Slots))
	b[10], b[11] = byte(i.Window), byte(len(i.Clusters))
	if i.ReportCore {
		b[12] |= 1
	}
	if i.Registers {
		b[12] |= 2
	}
	copy(b[16:], i.Config[:])
	b = appendName(b, i.Name)
	for _, c := range i.Clusters {
		alg := 0
		for a, name := range algorithms {
			if name == c.Algorithm {
				alg = a
			}
		}
		b = append(b, byte(alg), c.Support, byte(c.Choose-1), byte(c.KeySlots-1), byte(c.Quota-1), byte(c.Cores))
		b = appendName(b, c.Name)
	}
	return b
}

func appendName(b []byte, s string) []byte { return append(append(b, byte(len(s))), s...) }

// errInfo is an answer to a hello that is right on the line and says nothing that makes sense.
var errInfo = errors.New("what the device says of itself is not understood")

// ParseInfo reads it.
func ParseInfo(b []byte) (*Info, error) {
	if len(b) < 5 || [4]byte(b[:4]) != magic {
		return nil, errInfo
	}
	if b[4] != Version {
		return nil, &VersionError{int(b[4])}
	}
	if len(b) < infoHead {
		return nil, errInfo
	}
	i := &Info{
		Version: int(b[4]), DataWidth: 8 * int(b[5]), PacketBytes: int(binary.LittleEndian.Uint16(b[6:])),
		Slots: int(binary.LittleEndian.Uint16(b[8:])), Window: int(b[10]), ReportCore: b[12]&1 == 1, Registers: b[12]&2 == 2,
	}
	clusters := int(b[11])
	copy(i.Config[:], b[16:])
	b = b[infoHead:]
	name := func() (string, bool) {
		if len(b) < 1 || len(b) < 1+int(b[0]) {
			return "", false
		}
		s := string(b[1 : 1+b[0]])
		b = b[1+b[0]:]
		return s, true
	}
	var ok bool
	if i.Name, ok = name(); !ok {
		return nil, errInfo
	}
	for range clusters {
		if len(b) < 6 || int(b[0]) >= len(algorithms) || b[0] == 0 {
			return nil, errInfo
		}
		c := Cluster{
			Algorithm: algorithms[b[0]], Support: b[1], Choose: int(b[2]) + 1, KeySlots: int(b[3]) + 1, Quota: int(b[4]) + 1,
			Cores: int(b[5]),
		}
		b = b[6:]
		if c.Name, ok = name(); !ok {
			return nil, errInfo
		}
		i.Clusters = append(i.Clusters, c)
	}
	if i.DataWidth == 0 || i.PacketBytes < 16 || i.PacketBytes%16 != 0 || i.Slots < 1 || i.Window < 2 || i.Window > 64 ||
		len(i.Clusters) == 0 || len(b) != 0 {
		return nil, errInfo
	}
	return i, nil
}
