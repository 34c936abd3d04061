// SPDX-License-Identifier: Apache-2.0

package coverage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hwgen/gen/cipher"
	"hwgen/gen/host"
	"hwgen/gen/link"
	"hwgen/gen/sim"
	"hwgen/gen/verify"
	"hwgen/gen/workload"
)

// atRegisters has a host at the registers while frames run and are cut off.
func (x *subject) atRegisters(ctx context.Context, o Options, s *sim.Simulator) error {
	runs := []struct {
		kind   workload.EventKind
		clocks int
	}{{workload.EventClear, 0}, {workload.EventReset, 0}}
	if x.clocks {
		runs[0].kind = workload.EventReset
		runs = append(runs, runs[0])
		for i := range runs {
			runs[i].clocks = 3 * i // slow streams, odd ratios, fast registers
		}
	}
	for i, r := range runs {
		if x.clocks {
			s.Args = verify.ClockArgs(r.clocks)
		}
		errs, err := verify.RegisterRun(ctx, s, o.Packets/2, o.Seed+int64(i), r.kind)
		if err != nil {
			return err
		}
		if len(errs) > 0 {
			return fmt.Errorf("%s fails:\n%s", x.name, strings.Join(errs, "\n"))
		}
	}
	return nil
}

// patience is how long a board may be silent: longer than any machine is busy.
const patience = 5 * time.Minute

// overLine is a host on a quiet line, and on one with noise: registers, if the design has any, jobs, and sessions that are begun anew.
func (x *subject) overLine(ctx context.Context, o Options, s *sim.Simulator) error {
	for i, noise := range []float64{0, 0.001} {
		if err := onBoard(ctx, s, sim.BoardOptions{Seed: o.Seed + int64(i), Noise: noise}); err != nil {
			return fmt.Errorf("%s fails: %w", x.name, err)
		}
	}
	return nil
}

func onBoard(ctx context.Context, s *sim.Simulator, o sim.BoardOptions) (err error) {
	dir, err := os.MkdirTemp("", "hwgen-coverage-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	o.Counts = filepath.Join(dir, "coverage.dat")
	b, err := s.StartBoard(o)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 6*patience)
	defer cancel()
	stopped := false
	defer func() {
		if !stopped {
			b.Kill()
		}
	}()
	port, err := link.OpenPort(b.Port, s.D.Host.Baud)
	if err != nil {
		return err
	}
	c, err := link.Dial(ctx, port, link.Options{Timeout: patience, Baud: s.D.Host.Baud})
	if err != nil {
		return err
	}
	defer c.Close()
	if err := exercise(ctx, c); err != nil {
		return err
	}
	_ = c.Close() // or the board waits for it
	said := b.Stop()
	stopped = true
	if err := s.Covered(o.Counts); err != nil {
		return fmt.Errorf("%w; the board said %s", err, said)
	}
	return nil
}

// exercise uses a device: registers, a session that ends in the middle of a frame, one with jobs, a clear.
func exercise(ctx context.Context, c *link.Conn) error {
	if c.Info().Registers {
		for range 4 {
			const mask = 0x4c
			if err := c.WriteRegister(ctx, mask, 4); err != nil {
				return err
			}
			if v, err := c.ReadRegister(ctx, mask); err != nil || v != 4 {
				return fmt.Errorf("a register has %d, not 4: %w", v, err)
			}
			var refused *link.RegisterError
			if _, err := c.ReadRegister(ctx, 0xfffffffc); !errors.As(err, &refused) {
				return fmt.Errorf("a register that is not there: %w", err)
			}
		}
	}
	if err := c.Open(ctx); err != nil {
		return err
	}
	// a frame far longer than what may be on the way without an answer: its beginning is in the device, its end is not
	begun := c.Stats().BytesOut + int64(2*c.Info().Window*link.MaxSegment)
	if err := c.Send(ctx, make([]byte, 100*link.MaxSegment)); err != nil {
		return err
	}
	for c.Stats().BytesOut < begun {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	if err := c.Open(ctx); err != nil {
		return err
	}
	// bytes that have to be escaped are frequent
	plain := bytes.Repeat([]byte("\x7e\x7d~}hwgen"), 24)
	j := &host.Job{Cmd: cipher.Encrypt, Mode: cipher.CTR, Key: make([]byte, 16), IV: make([]byte, 16), Packet: c.Info().PacketBytes}
	var out, back bytes.Buffer
	if _, err := host.Run(ctx, c, c.Info(), j, bytes.NewReader(plain), &out); err != nil {
		return err
	}
	j.Cmd = cipher.Decrypt
	if _, err := host.Run(ctx, c, c.Info(), j, bytes.NewReader(out.Bytes()), &back); err != nil {
		return err
	}
	if !bytes.Equal(back.Bytes(), plain) || bytes.Equal(out.Bytes(), plain) {
		return errors.New("what was encrypted does not decrypt to itself")
	}
	return c.Clear(ctx, patience)
}
