// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// Options of a connection.
type Options struct {
	// Timeout without an answer, after which the device is given up. 0: 5 s.
	Timeout time.Duration
	// Baud of the line, for how long a silence means that something was lost. 0: it does not matter.
	Baud int
}

// Errors of a connection. GoneError wraps what the system said.
var (
	ErrNoAnswer = errors.New("the device does not answer")
	ErrStuck    = errors.New("the device answers but makes no progress")
	ErrReset    = errors.New("the device knows nothing of the session any more: it was reset")
)

// GarbageError is a port that sends something that is no frame of the link.
type GarbageError struct{ Bytes int64 }

func (e *GarbageError) Error() string {
	return fmt.Sprintf("the port sends bytes (%d of them) that are no frames of the link", e.Bytes)
}

// GoneError is a port that can't be read or written any more.
type GoneError struct{ Err error }

func (e *GoneError) Error() string { return fmt.Sprintf("the device is gone: %v", e.Err) }
func (e *GoneError) Unwrap() error { return e.Err }

// Stats of a connection.
type Stats struct {
	BytesIn     int64 `json:"bytes_in"`
	BytesOut    int64 `json:"bytes_out"`
	BadFrames   int64 `json:"bad_frames"`   // from the device, broken on the line
	SentAgain   int64 `json:"sent_again"`   // segments
	Polls       int64 `json:"polls"`        // of a device that was silent, or of which a frame was lost
	DeviceError uint8 `json:"device_error"` // frames that were broken when they came to the device, modulo 256
	InFlight    uint8 `json:"in_flight"`    // frames in the scheduler, at the last word from it
	Open        bool  `json:"open"`         // a session is open in the device
}

// Conn is a device on a port.
type Conn struct {
	port io.ReadWriteCloser
	opt  Options
	info *Info

	in      chan []byte // frames from the device
	out     chan []byte // what the port is to send
	readErr chan error  // of the port, once
	done    chan struct{}

	bytesIn, bytesOut, bad, again, polls atomic.Int64
	last                                 atomic.Uint32 // errors, frames inside and the open bit of the last frame

	session atomic.Pointer[session] // of Open, until Close or the next one
	access  byte                    // number of the last access to a register
}

// Dial says hello to a device on a port. The port belongs to the connection, and is closed if there is an error.
func Dial(ctx context.Context, port io.ReadWriteCloser, o Options) (*Conn, error) {
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	c := &Conn{
		port: port, opt: o, in: make(chan []byte, 64), out: make(chan []byte), readErr: make(chan error, 2), done: make(chan struct{}),
	}
	go c.read()
	go c.write()
	tag, err := randomTag()
	var body []byte
	if err == nil {
		body, err = c.ask(ctx, []byte{kindHello, tag, 0, 0}, kindHello, o.Timeout, 0)
	}
	if err == nil {
		c.info, err = ParseInfo(body[headIn:])
	}
	if err != nil {
		_ = c.Close() // the first error counts
		return nil, err
	}
	return c, nil
}

// Info is what the device said of itself.
func (c *Conn) Info() *Info { return c.info }

// Stats so far.
func (c *Conn) Stats() Stats {
	l := c.last.Load()
	return Stats{
		BytesIn: c.bytesIn.Load(), BytesOut: c.bytesOut.Load(), BadFrames: c.bad.Load(), SentAgain: c.again.Load(),
		Polls: c.polls.Load(), DeviceError: uint8(l), InFlight: uint8(l >> 8), Open: l>>16&1 == 1,
	}
}

// Close closes the port. A session that is open stays so in the device: Open ends it.
func (c *Conn) Close() error {
	select {
	case <-c.done:
		return nil
	default:
	}
	c.stop()
	close(c.done)
	return c.port.Close()
}

// stop ends the session on this side, and says how many bytes of it may still be on their way.
func (c *Conn) stop() int {
	if s := c.session.Swap(nil); s != nil {
		return s.end()
	}
	return 0
}

// Open clears the device, keys and data and jobs, and begins a new session.
func (c *Conn) Open(ctx context.Context) error {
	if err := c.Clear(ctx, c.opt.Timeout); err != nil {
		return err
	}
	c.session.Store(newSession(c))
	return nil
}

// Clear ends the session: the device overwrites keys, data and jobs. It gives up after a timeout, but not before it has
// asked a few times at the line's speed.
func (c *Conn) Clear(ctx context.Context, timeout time.Duration) error {
	pending := c.stop()
	tag, err := randomTag()
	if err != nil {
		return err
	}
	_, err = c.ask(ctx, []byte{kindOpen, tag, 0, 0}, kindOpened, timeout, pending)
	return err
}

// errClosed is a connection without a session.
var errClosed = errors.New("no session is open")

// Send gives a job frame to the device, and waits until there is room for it on the way.
func (c *Conn) Send(ctx context.Context, frame []byte) error {
	s := c.session.Load()
	if s == nil {
		return errClosed
	}
	return s.send(ctx, frame)
}

// Recv waits for the next result frame.
func (c *Conn) Recv(ctx context.Context) ([]byte, error) {
	s := c.session.Load()
	if s == nil {
		return nil, errClosed
	}
	return s.recv(ctx)
}

func (c *Conn) read() {
	var u unpacker
	buf := make([]byte, 4096)
	for {
		n, err := c.port.Read(buf)
		c.bytesIn.Add(int64(n))
		u.push(buf[:n], func(body []byte) {
			if len(body) < headIn {
				u.bad++
				return
			}
			c.last.Store(uint32(body[4]) | uint32(body[5])<<8 | uint32(body[0]&bitOpen)>>4<<16)
			select {
			case c.in <- append([]byte(nil), body...):
			case <-c.done:
			}
		})
		c.bad.Store(int64(u.bad))
		if err == nil && n == 0 {
			err = io.EOF
		}
		if err != nil {
			c.readErr <- &GoneError{err}
			return
		}
	}
}

func (c *Conn) write() {
	for {
		select {
		case b := <-c.out:
			c.bytesOut.Add(int64(len(b)))
			if _, err := c.port.Write(b); err != nil {
				c.readErr <- &GoneError{err}
				return
			}
		case <-c.done:
			return
		}
	}
}

// lineTime is how long n bytes take on the line.
func (c *Conn) lineTime(n int) time.Duration {
	if c.opt.Baud <= 0 {
		return 0
	}
	return time.Duration(n) * 10 * time.Second / time.Duration(c.opt.Baud)
}

// randomTag is no other conversation's, most likely.
func randomTag() (byte, error) {
	var tag [1]byte
	_, err := rand.Read(tag[:])
	return tag[0], err
}

// leastTurns is how many turns of ask a device has at least, whatever the timeout: with noise some requests are lost.
const leastTurns = 6

// ask sends a frame, with its tag in byte 1, until the answer comes: each turn, which is the time of a short answer, unless
// bytes come, which may be a long one. It counts turns of its own, so a process that was stopped gives up no sooner. The
// frame stands behind those pending bytes on the line.
func (c *Conn) ask(ctx context.Context, request []byte, answer byte, timeout time.Duration, pending int) ([]byte, error) {
	before, bad := c.bytesIn.Load(), c.bad.Load()
	if request[0] == kindHello { // what came since the port was opened
		before, bad = 0, 0
	}
	frame := pack(nil, request)
	turn := 200*time.Millisecond + 2*c.lineTime(64)
	turns := func(d time.Duration) int { return int((d + turn - 1) / turn) }
	first := turns(c.lineTime(pending))
	last := first + max(turns(timeout), leastTurns)
	longest := turns(2 * c.lineTime(maxFrame))
	again := time.NewTicker(turn)
	defer again.Stop()
	out := c.out
	heard, seen, sent := false, before, first
	for n := 0; ; {
		select {
		case out <- frame:
			out = nil
		case body := <-c.in:
			heard = true
			if body[0]&kindMask == answer && body[1] == request[1] {
				return body, nil
			}
		case <-again.C:
			in := c.bytesIn.Load()
			if n++; n == last {
				return nil, silence(heard, in-before, c.bad.Load() > bad)
			}
			if n > first && (in == seen || n-sent >= longest) {
				out, sent = c.out, n
			}
			seen = in
		case err := <-c.readErr:
			c.readErr <- err // for whoever asks next
			return nil, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// silence is the error of a device that has not answered: frames came from it or not, bytes, broken ones or not.
func silence(heard bool, bytes int64, broken bool) error {
	switch {
	case heard:
		return ErrStuck
	case bytes > 0 && (broken || bytes >= 16):
		return &GarbageError{bytes}
	}
	return ErrNoAnswer
}
