// SPDX-License-Identifier: Apache-2.0

// Package link is the host's side of the host link (docs/host-link.md): frames with a checksum over a serial line, sent
// again when they are lost, in both directions, and what a device says of itself.
package link

import (
	"hash/crc32"
)

// Version of the link that this package speaks.
const Version = 1

// MaxSegment is the largest payload of a data frame.
const MaxSegment = 127

const (
	flag   = 0x7e
	escape = 0x7d

	// maxFrame is more than any frame of a device: the answer to a hello has at most 841 bytes of payload.
	maxFrame = 2048

	headOut = 4 // bytes of a header to the device
	headIn  = 6 // and from it
	crcSize = 4
)

// Kinds of frames. Status answers a poll; a data frame from the device tells all that a status does.
const (
	kindPoll  = 0 // to the device
	kindData  = 1
	kindAck   = 2
	kindHello = 3
	kindOpen  = 4
	kindReg   = 5

	kindStatus = 0 // from it
	kindOpened = 4
	kindAnswer = 5 // of a register

	kindMask = 0x0f
	bitOpen  = 0x10
	bitGap   = 0x20

	lastSegment = 0x80 // of the length

	// an access to a register: byte 0 of its payload, then address and data
	regWrite   = 0x80
	regStrobes = 0x0f
	regSize    = 9
	answerSize = 5 // the bus's answer, then data
)

// pack puts a frame on the line: a flag before and behind, so that noise between frames spoils none.
func pack(dst, body []byte) []byte {
	var crc [crcSize]byte
	c := crc32.ChecksumIEEE(body)
	for i := range crc {
		crc[i] = byte(c >> (8 * i))
	}
	dst = append(dst, flag)
	for _, part := range [][]byte{body, crc[:]} {
		for _, b := range part {
			if b == flag || b == escape {
				dst = append(dst, escape)
				b ^= 0x20
			}
			dst = append(dst, b)
		}
	}
	return append(dst, flag)
}

// unpacker finds frames in what the line brings.
type unpacker struct {
	buf     []byte
	escaped bool
	skip    bool // no frame: to the next flag
	bad     int  // frames that were none
}

// push takes bytes and calls got with each whole frame, without its checksum; what got keeps it has to copy.
func (u *unpacker) push(p []byte, got func(body []byte)) {
	for _, b := range p {
		switch {
		case b == flag:
			n := len(u.buf)
			switch {
			case n == 0 && !u.escaped && !u.skip:
			case !u.escaped && !u.skip && n > crcSize && crc32.ChecksumIEEE(u.buf[:n-crcSize]) == le32(u.buf[n-crcSize:]):
				got(u.buf[:n-crcSize])
			default:
				u.bad++
			}
			u.buf, u.escaped, u.skip = u.buf[:0], false, false
		case u.skip:
		case b == escape && !u.escaped:
			u.escaped = true
		default:
			if u.escaped {
				b ^= 0x20
				u.escaped = false
			}
			if u.buf = append(u.buf, b); len(u.buf) > maxFrame {
				u.skip = true
			}
		}
	}
}

func le32(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}
