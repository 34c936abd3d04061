// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"io"

	"hwgen/gen/cipher"
)

// padder adds PKCS#7 padding behind what r gives: 1 to 16 bytes, each their number.
type padder struct {
	r    io.Reader
	n    int    // bytes modulo 16
	tail []byte // what is left of the padding
	end  bool
}

func (p *padder) Read(b []byte) (int, error) {
	if !p.end {
		n, err := p.r.Read(b)
		p.n = (p.n + n) % cipher.BlockSize
		if errors.Is(err, io.EOF) {
			p.end, err = true, nil
			for range cipher.BlockSize - p.n {
				p.tail = append(p.tail, byte(cipher.BlockSize-p.n))
			}
		}
		if n > 0 || err != nil || len(b) == 0 {
			return n, err
		}
		if !p.end {
			return 0, nil
		}
	}
	if len(p.tail) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.tail)
	p.tail = p.tail[n:]
	return n, nil
}

// ErrPadding is a text without padding at its end.
var ErrPadding = errors.New("there is no padding at the end: wrong key, wrong mode, or the input was made without padding")

// unpadder keeps back the last block, and writes it without its padding.
type unpadder struct {
	w    io.Writer
	last []byte
}

func (u *unpadder) Write(b []byte) (int, error) {
	u.last = append(u.last, b...)
	if n := len(u.last) - cipher.BlockSize; n > 0 {
		if _, err := u.w.Write(u.last[:n]); err != nil {
			return 0, err
		}
		u.last = append(u.last[:0], u.last[n:]...)
	}
	return len(b), nil
}

func (u *unpadder) end() error {
	n := len(u.last)
	if n == 0 {
		return ErrPadding
	}
	pad := int(u.last[n-1])
	if n != cipher.BlockSize || pad < 1 || pad > n {
		return ErrPadding
	}
	for _, b := range u.last[n-pad:] {
		if int(b) != pad {
			return ErrPadding
		}
	}
	_, err := u.w.Write(u.last[:n-pad])
	return err
}
