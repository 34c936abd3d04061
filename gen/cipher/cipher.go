// SPDX-License-Identifier: Apache-2.0

// Package cipher computes reference results: the block ciphers and modes of operation that generated schedulers
// offer, from implementations that share nothing with the RTL (crypto/aes and gmsm).
package cipher

import (
	"crypto/aes"
	stdcipher "crypto/cipher"
	"crypto/subtle"
	"fmt"

	"github.com/emmansun/gmsm/sm4"
)

// BlockSize is the block of every algorithm here, in bytes.
const BlockSize = 16

// Cmd is a command of the packet header, bits 3:0 of byte 2.
type Cmd uint8

// Commands.
const (
	Encrypt Cmd = 0
	Decrypt Cmd = 1
	Sign    Cmd = 2
	Verify  Cmd = 3
	LoadKey Cmd = 8
	Abort   Cmd = 9
)

// Mode is a mode of operation of the packet header, bits 7:4 of byte 2.
type Mode uint8

// Modes.
const (
	ECB Mode = 0
	CBC Mode = 1
	CFB Mode = 2
	OFB Mode = 3
	CTR Mode = 4
	MAC Mode = 5
)

// CmdNames and ModeNames are the spellings of a jobs file, by code.
var (
	CmdNames  = []string{"encrypt", "decrypt", "sign", "verify"}
	ModeNames = []string{"ecb", "cbc", "cfb", "ofb", "ctr", "mac"}
)

func (c Cmd) String() string {
	switch {
	case int(c) < len(CmdNames):
		return CmdNames[c]
	case c == LoadKey:
		return "load_key"
	case c == Abort:
		return "abort"
	}
	return fmt.Sprintf("cmd%d", uint8(c))
}

func (m Mode) String() string {
	if int(m) < len(ModeNames) {
		return ModeNames[m]
	}
	return fmt.Sprintf("mode%d", uint8(m))
}

// Chained says whether the packets of a job in this mode depend on each other.
func (m Mode) Chained() bool { return m == CBC || m == CFB || m == OFB || m == MAC }

// Legal says whether the command and the mode go together at all.
func Legal(c Cmd, m Mode) bool {
	switch c {
	case Encrypt, Decrypt:
		return m <= CTR
	case Sign, Verify:
		return m == MAC
	}
	return false
}

// NeedsInverse says whether a core needs the inverse cipher for this command and mode.
func NeedsInverse(c Cmd, m Mode) bool { return c == Decrypt && (m == ECB || m == CBC) }

// KeySize is the key's size in bytes, 0 for an unknown algorithm.
func KeySize(algorithm string) int {
	switch algorithm {
	case "aes128", "sm4", Delay:
		return 16
	case "aes256":
		return 32
	}
	return 0
}

// New returns the block cipher of an algorithm: aes128, aes256, sm4, or Delay.
func New(algorithm string, key []byte) (stdcipher.Block, error) {
	want := KeySize(algorithm)
	if want == 0 {
		return nil, fmt.Errorf("unknown algorithm %q", algorithm)
	}
	if len(key) != want {
		return nil, fmt.Errorf("key of %d bytes, %s takes %d", len(key), algorithm, want)
	}
	switch algorithm {
	case "sm4":
		return sm4.NewCipher(key)
	case Delay:
		return newDelay(key), nil
	}
	return aes.NewCipher(key)
}

// Run does a whole job. For Sign the result is the MAC; for Verify it is nil, and ok tells whether tag is right.
func Run(algorithm string, c Cmd, m Mode, key, iv, data, tag []byte) (out []byte, ok bool, err error) {
	b, err := New(algorithm, key)
	if err != nil {
		return nil, false, err
	}
	if !Legal(c, m) {
		return nil, false, fmt.Errorf("%s does not go with %s", c, m)
	}
	if (m == ECB || m == CBC) && len(data)%BlockSize != 0 {
		return nil, false, fmt.Errorf("%s takes whole blocks, not %d bytes", m, len(data))
	}
	if m != ECB && m != MAC && len(iv) != BlockSize {
		return nil, false, fmt.Errorf("iv of %d bytes, not 16", len(iv))
	}
	out = make([]byte, len(data))
	switch m {
	case ECB:
		for i := 0; i < len(data); i += BlockSize {
			if c == Encrypt {
				b.Encrypt(out[i:], data[i:])
			} else {
				b.Decrypt(out[i:], data[i:])
			}
		}
	case CBC:
		if c == Encrypt {
			stdcipher.NewCBCEncrypter(b, iv).CryptBlocks(out, data)
		} else {
			stdcipher.NewCBCDecrypter(b, iv).CryptBlocks(out, data)
		}
	case CFB:
		if c == Encrypt {
			stdcipher.NewCFBEncrypter(b, iv).XORKeyStream(out, data) //nolint:staticcheck // CFB is what is tested here
		} else {
			stdcipher.NewCFBDecrypter(b, iv).XORKeyStream(out, data) //nolint:staticcheck // CFB is what is tested here
		}
	case OFB:
		stdcipher.NewOFB(b, iv).XORKeyStream(out, data) //nolint:staticcheck // OFB is what is tested here
	case CTR:
		stdcipher.NewCTR(b, iv).XORKeyStream(out, data)
	case MAC:
		mac := CMAC(b, data)
		if c == Sign {
			return mac, true, nil
		}
		return nil, subtle.ConstantTimeCompare(mac, tag) == 1, nil
	}
	return out, true, nil
}

// double multiplies by x in GF(2^128), SP 800-38B.
func double(in []byte) []byte {
	out := make([]byte, BlockSize)
	var carry byte
	for i := BlockSize - 1; i >= 0; i-- {
		out[i] = in[i]<<1 | carry
		carry = in[i] >> 7
	}
	out[BlockSize-1] ^= 0x87 * carry
	return out
}

// CMAC is the MAC of SP 800-38B, 16 bytes.
func CMAC(b stdcipher.Block, data []byte) []byte {
	var x Chain
	x.Reset(b, Sign, MAC, nil)
	return x.Packet(data, true)
}

// AddCounter adds n to a 128-bit big-endian counter block.
func AddCounter(iv []byte, n uint64) []byte {
	out := append([]byte(nil), iv...)
	for i := len(out) - 1; i >= 0 && n > 0; i-- {
		n += uint64(out[i])
		out[i] = byte(n)
		n >>= 8
	}
	return out
}

// Chain does a job packet by packet, as the hardware does: the chaining value is carried from one to the next.
type Chain struct {
	b     stdcipher.Block
	cmd   Cmd
	mode  Mode
	value [BlockSize]byte
}

// Reset starts a job (or, for CTR, a packet).
func (x *Chain) Reset(b stdcipher.Block, c Cmd, m Mode, iv []byte) {
	*x = Chain{b: b, cmd: c, mode: m}
	copy(x.value[:], iv)
}

// Packet does one packet. For Sign and Verify it returns the MAC with the last packet, otherwise nil.
func (x *Chain) Packet(data []byte, last bool) []byte {
	if x.mode == MAC {
		return x.mac(data, last)
	}
	out := make([]byte, len(data))
	var t [BlockSize]byte
	for i := 0; i < len(data); i += BlockSize {
		in := data[i:min(i+BlockSize, len(data))]
		o := out[i : i+len(in)]
		switch {
		case x.mode == ECB && x.cmd == Encrypt:
			x.b.Encrypt(o, in)
		case x.mode == ECB:
			x.b.Decrypt(o, in)
		case x.mode == CBC && x.cmd == Encrypt:
			subtle.XORBytes(t[:], in, x.value[:])
			x.b.Encrypt(o, t[:])
			copy(x.value[:], o)
		case x.mode == CBC:
			x.b.Decrypt(t[:], in)
			subtle.XORBytes(o, t[:], x.value[:])
			copy(x.value[:], in)
		case x.mode == CFB:
			x.b.Encrypt(t[:], x.value[:])
			subtle.XORBytes(o, in, t[:])
			if x.cmd == Encrypt {
				copy(x.value[:], o)
			} else {
				copy(x.value[:], in)
			}
		case x.mode == OFB:
			x.b.Encrypt(x.value[:], x.value[:])
			subtle.XORBytes(o, in, x.value[:])
		case x.mode == CTR:
			x.b.Encrypt(t[:], x.value[:])
			subtle.XORBytes(o, in, t[:])
			copy(x.value[:], AddCounter(x.value[:], 1))
		}
	}
	return out
}

func (x *Chain) mac(data []byte, last bool) []byte {
	for len(data) > BlockSize || (!last && len(data) == BlockSize) {
		subtle.XORBytes(x.value[:], x.value[:], data[:BlockSize])
		x.b.Encrypt(x.value[:], x.value[:])
		data = data[BlockSize:]
	}
	if !last {
		return nil
	}
	k := make([]byte, BlockSize)
	x.b.Encrypt(k, k)
	k = double(k)
	if len(data) < BlockSize {
		k = double(k)
		data = append(append([]byte(nil), data...), 0x80)
	}
	subtle.XORBytes(x.value[:], x.value[:], k)
	subtle.XORBytes(x.value[:], x.value[:], append(data, make([]byte, BlockSize-len(data))...))
	out := make([]byte, BlockSize)
	x.b.Encrypt(out, x.value[:])
	return out
}
