// SPDX-License-Identifier: Apache-2.0

// Package host runs cipher jobs of any size on a device behind the host link: it loads the key, cuts the input into
// packets, keeps many of them in flight, and writes the results in their order.
package host

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"hwgen/gen/cipher"
	"hwgen/gen/link"
	"hwgen/gen/workload"
)

// Link is a device with an open session.
type Link interface {
	Send(ctx context.Context, frame []byte) error // keeps nothing of the frame
	Recv(ctx context.Context) ([]byte, error)
}

// Job is what to do with an input.
type Job struct {
	Cluster int
	Cmd     cipher.Cmd
	Mode    cipher.Mode
	Key     []byte
	IV      []byte // 16 bytes; nil for ECB and MAC
	Tag     []byte // for Verify
	Packet  int    // payload of a packet but the last, a multiple of 16
	Pad     bool   // PKCS#7
	// Progress is told, from one goroutine, how many bytes of the input have come back.
	Progress func(done int64)
}

// StatusError is an answer of the device that is not ok.
type StatusError struct {
	What   string // "packet 7"
	Status workload.Status
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s: the device answers %s", e.What, e.Status)
}

// Errors in the data.
var (
	ErrMismatch = errors.New("the tag is not the MAC of the input")
	ErrAnswer   = errors.New("the device answers what was not asked")
)

const (
	task      = 1
	keyCookie = 0xffffffff
)

// Check says what of a job a device can't do; the IV and the tag are given as they must be.
func (j *Job) Check(info *link.Info) error {
	c := &info.Clusters[j.Cluster]
	inv := 0
	if cipher.NeedsInverse(j.Cmd, j.Mode) {
		inv = 1
	}
	switch {
	case c.Support>>(4*inv+int(j.Cmd))&1 == 0:
		return fmt.Errorf("no core of cluster %q can %s in mode %s", c.Name, j.Cmd, j.Mode)
	case j.Packet < 16 || j.Packet%16 != 0 || j.Packet > info.PacketBytes:
		return fmt.Errorf("packets of %d bytes; allowed: multiples of 16 up to %d", j.Packet, info.PacketBytes)
	case len(j.Key) != cipher.KeySize(c.Algorithm):
		return fmt.Errorf("the key has %d bytes; %s takes %d", len(j.Key), c.Algorithm, cipher.KeySize(c.Algorithm))
	}
	return nil
}

// Run does a job: results go to out; for Sign that is the MAC. It returns the bytes read. When ctx ends it does not wait for a
// read or a write that hangs.
func Run(ctx context.Context, l Link, info *link.Info, j *Job, in io.Reader, out io.Writer) (int64, error) {
	if err := j.Check(info); err != nil {
		return 0, err
	}
	if err := loadKey(ctx, l, j); err != nil {
		return 0, err
	}
	if j.Pad && j.Cmd == cipher.Encrypt {
		in = &padder{r: in}
	}
	var unpad *unpadder
	if j.Pad && j.Cmd == cipher.Decrypt {
		unpad = &unpadder{w: out}
		out = unpad
	}
	// One more than the device holds would be refused with a quota; without one, some wait in its buffer.
	c := &info.Clusters[j.Cluster]
	limit := c.Quota
	if c.Quota >= info.Slots {
		limit = info.Slots + info.Window
	}
	outer := ctx
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	r := &run{j: j, l: l, out: out, interrupted: outer.Done(), room: make(chan struct{}, limit), sent: make(chan int, limit), waiting: map[uint32][]byte{}}
	var total int64
	failed := make(chan error, 1)
	go func() {
		var err error
		if total, err = r.sender(ctx, in); err != nil {
			cancel(err)
		}
		failed <- err
		close(r.sent)
	}()
	if err := r.receiver(ctx); err != nil {
		// A read of the input can't be interrupted: nobody waits for it. If the sender failed first, that is why.
		if cause := context.Cause(ctx); cause != nil {
			return 0, cause
		}
		return 0, err
	}
	if err := <-failed; err != nil {
		return 0, err
	}
	if unpad != nil {
		return total, r.write(unpad.end)
	}
	return total, nil
}

func loadKey(ctx context.Context, l Link, j *Job) error {
	h := workload.Header{
		Version: 1, Cluster: uint8(j.Cluster), Cmd: cipher.LoadKey, Mode: cipher.Mode(1 << j.Cmd), Length: uint16(len(j.Key)),
		Cookie: keyCookie,
	}
	frame := append(h.Bytes(), j.Key...)
	defer clear(frame)
	if err := l.Send(ctx, frame); err != nil {
		return err
	}
	b, err := l.Recv(ctx)
	if err != nil {
		return err
	}
	a := workload.ParseHeader(b)
	if len(b) != workload.HeaderBytes || a.Cmd != cipher.LoadKey || a.Cookie != keyCookie {
		return ErrAnswer
	}
	if a.Status != 0 {
		return &StatusError{"key load", workload.Status(a.Status)}
	}
	return nil
}

type run struct {
	j    *Job
	l    Link
	out  io.Writer
	room chan struct{} // a token for each packet sent whose result is not written
	sent chan int      // input bytes of each packet sent, in their order

	interrupted <-chan struct{}

	waiting map[uint32][]byte // results that came ahead of their turn
}

// sender reads the input and sends its packets; it returns the bytes read.
func (r *run) sender(ctx context.Context, in io.Reader) (int64, error) {
	j := r.j
	cur, next := make([]byte, j.Packet), make([]byte, j.Packet)
	var total int64
	n, err := readPacket(in, cur)
	if err != nil {
		return 0, err
	}
	for no := uint64(0); n > 0 || no == 0; no++ {
		total += int64(n)
		m := 0
		if n == len(cur) {
			if m, err = readPacket(in, next); err != nil {
				return 0, err
			}
		}
		last := m == 0
		whole := j.Mode == cipher.ECB || j.Mode == cipher.CBC
		if n%16 != 0 && whole {
			if j.Pad {
				return 0, fmt.Errorf("the input has %d bytes, no multiple of 16: it was not made with padding, or it is cut off", total)
			}
			return 0, fmt.Errorf("the input has %d bytes; %s without padding takes multiples of 16", total, j.Mode)
		}
		if n == 0 && j.Mode != cipher.MAC { // nothing to do
			return 0, nil
		}
		select {
		case r.room <- struct{}{}:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		if err := r.l.Send(ctx, r.packet(no, cur[:n], last)); err != nil {
			return 0, err
		}
		select {
		case r.sent <- n:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		if last {
			break
		}
		cur, next, n = next, cur, m
	}
	return total, nil
}

// readPacket fills a packet, or as much of it as the input has left.
func readPacket(in io.Reader, p []byte) (int, error) {
	n, err := io.ReadFull(in, p)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return n, nil
	}
	return n, err
}

// packet makes the job frame of a packet.
func (r *run) packet(no uint64, data []byte, last bool) []byte {
	j := r.j
	h := workload.Header{
		Version: 1, Cluster: uint8(j.Cluster), Cmd: j.Cmd, Mode: j.Mode, Task: task, No: sequence(no), Length: uint16(len(data)),
		Cookie: uint32(no),
	}
	if last {
		h.Flags |= workload.FlagLast
	}
	var iv []byte
	switch {
	case j.Mode == cipher.CTR:
		iv = counter(j.IV, no*uint64(j.Packet/16))
	case j.Mode == cipher.MAC:
		if j.Cmd == cipher.Verify && last {
			iv = j.Tag
		}
	case j.Mode != cipher.ECB && no == 0:
		iv = j.IV
	}
	if iv != nil {
		h.Flags |= workload.FlagIV
	}
	return append(append(h.Bytes(), iv...), data...)
}

// sequence is a packet's No: after 65535 comes 1, 0 is the first packet alone.
func sequence(no uint64) uint16 {
	if no == 0 {
		return 0
	}
	return uint16((no-1)%65535 + 1)
}

// counter is the counter block n blocks after iv.
func counter(iv []byte, n uint64) []byte {
	b := bytes.Clone(iv)
	low := binary.BigEndian.Uint64(b[8:])
	binary.BigEndian.PutUint64(b[8:], low+n)
	if low+n < low {
		binary.BigEndian.PutUint64(b, binary.BigEndian.Uint64(b)+1)
	}
	return b
}

// receiver writes the results in the order of their packets.
func (r *run) receiver(ctx context.Context) error {
	var done int64
	var no uint32
	for {
		var size int
		var ok bool
		select {
		case size, ok = <-r.sent:
		case <-ctx.Done():
			return ctx.Err()
		}
		if !ok {
			return nil
		}
		p, have := r.waiting[no]
		for !have {
			b, err := r.l.Recv(ctx)
			if err != nil {
				return err
			}
			cookie, payload, err := r.result(b)
			if err != nil {
				return err
			}
			if cookie != no {
				if _, twice := r.waiting[cookie]; twice || cookie-no >= uint32(cap(r.room)) {
					return ErrAnswer
				}
				r.waiting[cookie] = payload
				continue
			}
			p, have = payload, true
		}
		delete(r.waiting, no)
		no++
		// only now, so that no more results than this can wait for one that is slow
		<-r.room
		err := r.write(func() error {
			_, err := r.out.Write(p)
			return err
		})
		if err != nil {
			return err
		}
		done += int64(size)
		if r.j.Progress != nil {
			r.j.Progress(done)
		}
	}
}

// write lets something be written. An interrupt leaves it behind where it is: it may be a pipe that nobody empties.
func (r *run) write(f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-r.interrupted:
		return context.Canceled
	}
}

// result reads a result frame.
func (r *run) result(b []byte) (cookie uint32, payload []byte, err error) {
	if len(b) < workload.HeaderBytes {
		return 0, nil, ErrAnswer
	}
	h := workload.ParseHeader(b)
	if h.Version != 1 || h.Cmd != r.j.Cmd || h.Mode != r.j.Mode || h.Task != task || int(h.Length) != len(b)-workload.HeaderBytes {
		return 0, nil, ErrAnswer
	}
	switch s := workload.Status(h.Status); s {
	case workload.OK:
		return h.Cookie, b[workload.HeaderBytes:], nil
	case workload.MACMismatch:
		return 0, nil, ErrMismatch
	default:
		return 0, nil, &StatusError{fmt.Sprintf("packet %d", h.Cookie), s}
	}
}
