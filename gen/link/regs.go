// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
)

// Errors of accesses to registers.
var (
	ErrNoRegisters = errors.New("the device has no registers: its config has no axil = true in [control]")
	errOpen        = errors.New("registers are not reached while a session is open")
)

// RegisterError is an access that the device's registers refuse (SLVERR): there is no such register, it can't be written,
// or not with this value.
type RegisterError struct {
	Address uint32
	Write   bool
}

func (e *RegisterError) Error() string {
	if e.Write {
		return fmt.Sprintf("writing the register at %#x is refused: there is none, it is read-only, or the value is not allowed "+
			"(a weight or capacity out of range, the last core of its kind drained)", e.Address)
	}
	return fmt.Sprintf("reading the register at %#x is refused: there is none", e.Address)
}

// ReadRegister reads a register, without a session.
func (c *Conn) ReadRegister(ctx context.Context, address uint32) (uint32, error) {
	return c.register(ctx, 0, address, 0)
}

// WriteRegister writes all bytes of a register, without a session. It is done once, whatever is lost on the line.
func (c *Conn) WriteRegister(ctx context.Context, address, value uint32) error {
	_, err := c.register(ctx, regWrite|regStrobes, address, value)
	return err
}

func (c *Conn) register(ctx context.Context, op byte, address, value uint32) (uint32, error) {
	switch {
	case !c.info.Registers:
		return 0, ErrNoRegisters
	case c.session.Load() != nil:
		return 0, errOpen
	}
	// another number than the last one's, which says that this is no repetition
	c.access++
	request := make([]byte, headOut+regSize)
	request[0], request[1], request[3], request[4] = kindReg, c.access, regSize, op
	binary.LittleEndian.PutUint32(request[5:], address)
	binary.LittleEndian.PutUint32(request[9:], value)
	body, err := c.ask(ctx, request, kindAnswer, c.opt.Timeout, 0)
	switch {
	case err != nil:
		return 0, err
	case len(body) != headIn+answerSize:
		return 0, errInfo
	case body[headIn] != 0:
		return 0, &RegisterError{address, op&regWrite != 0}
	}
	return binary.LittleEndian.Uint32(body[headIn+1:]), nil
}
