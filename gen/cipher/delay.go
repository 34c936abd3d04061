// SPDX-License-Identifier: Apache-2.0

package cipher

import (
	stdcipher "crypto/cipher"
	"encoding/binary"
	"math/bits"
)

// Delay is the algorithm of the test core tb/hwgen_delay_core.v: a toy, keyed and invertible, that takes next to no time
// to simulate. It protects nothing, and no config can name it. A design whose cores are delay cores is checked with
// this algorithm in place of the one its config names.
const Delay = "delay"

// delayCipher is y[i] = rotl(x[i+1] ^ k[i], 7) + k[i+2] on four big-endian words, indices modulo 4.
type delayCipher [4]uint32

func newDelay(key []byte) *delayCipher {
	c := &delayCipher{}
	for i := range c {
		c[i] = binary.BigEndian.Uint32(key[4*i:])
	}
	return c
}

func (c *delayCipher) BlockSize() int { return BlockSize }

func (c *delayCipher) Encrypt(dst, src []byte) {
	var y [4]uint32
	for i := range y {
		x := binary.BigEndian.Uint32(src[4*((i+1)%4):])
		y[i] = bits.RotateLeft32(x^c[i], 7) + c[(i+2)%4]
	}
	for i, w := range y {
		binary.BigEndian.PutUint32(dst[4*i:], w)
	}
}

func (c *delayCipher) Decrypt(dst, src []byte) {
	var x [4]uint32
	for i := range x {
		y := binary.BigEndian.Uint32(src[4*i:])
		x[(i+1)%4] = bits.RotateLeft32(y-c[(i+2)%4], -7) ^ c[i]
	}
	for i, w := range x {
		binary.BigEndian.PutUint32(dst[4*i:], w)
	}
}

var _ stdcipher.Block = (*delayCipher)(nil)
