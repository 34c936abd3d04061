// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"time"
)

// session is the state of a link that is open: numbers, what the device has not confirmed, what it has room for. One
// goroutine owns it. All repair begins here, the device has no clock: a device that is silent is polled, and the answer
// tells what it lacks; a poll also makes it send again what this side lacks.
type session struct {
	c        *Conn
	window   int
	sendCh   chan [][]byte // a job frame, cut
	recvCh   chan []byte
	quit     chan struct{}
	finished chan struct{}
	err      error // why it finished

	segments [][]byte // not confirmed, base first; those from next on are not sent (again) yet
	base     uint8    // number of segments[0]
	next     int
	most     int   // segments that were sent at least once
	drained  uint8 // number of the next segment to leave the device's buffer
	behind   int   // segments yet to be confirmed before a gap is surely of a new loss: 0 if none were sent again
	moving   bool  // some were confirmed since it went back: a gap may be of a new loss
	checked  bool  // the device was asked about such a gap

	expect  uint8  // number of the next data frame from the device
	told    uint8  // what it knows of that
	partial []byte // result whose end has not come
	results [][]byte
	asked   bool // a lost data frame was asked for since expect moved
	wanted  int  // results that are to come

	poll     bool // to be sent
	ack      bool // to be sent
	tag      byte
	polled   bool  // the answer has not come
	pollMark uint8 // number of the first segment that was not sent before the poll

	heard, progress, lastPoll time.Time
	ticked                    time.Time     // when it looked at the time last
	wait                      time.Duration // without progress, before a poll
}

const tickEvery = 10 * time.Millisecond

func newSession(c *Conn) *session {
	now := time.Now() //nolint:forbidigo // a silence on the line
	s := &session{
		c: c, window: c.info.Window, sendCh: make(chan [][]byte), recvCh: make(chan []byte), quit: make(chan struct{}),
		finished: make(chan struct{}), heard: now, progress: now, lastPoll: now, ticked: now,
	}
	s.wait = s.shortest()
	go s.run()
	return s
}

// shortest is the silence after which a device is polled first: what is on the way in both directions takes its time. On
// a slow line with a large window that is longer than the device may be silent before it is given up: polls come before.
func (s *session) shortest() time.Duration {
	return min(50*time.Millisecond+3*s.c.lineTime(s.window*(MaxSegment+16)), s.c.opt.Timeout/4)
}

// end ends it, and says how many bytes to the device may still be on their way.
func (s *session) end() int {
	close(s.quit)
	<-s.finished
	return 2 * s.most * (MaxSegment + 16) // some of them twice
}

// send copies the frame before it hands it over: the caller may overwrite a key.
func (s *session) send(ctx context.Context, frame []byte) error {
	select {
	case s.sendCh <- cut(frame):
		return nil
	case <-s.finished:
		return s.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *session) recv(ctx context.Context) ([]byte, error) {
	select {
	case f := <-s.recvCh:
		return f, nil
	case <-s.finished:
		return nil, s.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *session) run() {
	defer close(s.finished)
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	for {
		var recv, out chan []byte
		var send chan [][]byte
		var result, frame []byte
		if s.next == len(s.segments) { // else they wait for room
			send = s.sendCh
		}
		if len(s.results) > 0 {
			recv, result = s.recvCh, s.results[0]
		}
		var sent func()
		if frame, sent = s.frame(); frame != nil {
			out = s.c.out
		}
		select {
		case f := <-send:
			s.add(f)
		case recv <- result:
			s.results = s.results[1:]
		case out <- frame:
			sent()
		case body := <-s.c.in:
			if s.take(body); s.err != nil {
				return
			}
		case <-tick.C:
			if s.err = s.tick(); s.err != nil {
				return
			}
		case s.err = <-s.c.readErr:
			s.c.readErr <- s.err
			return
		case <-s.quit:
			s.err = errClosed
			return
		}
	}
}

// cut makes segments of a job frame; a segment's numbers are filled in when it is sent.
func cut(f []byte) [][]byte {
	var segments [][]byte
	for len(f) > 0 {
		n := min(len(f), MaxSegment)
		size := byte(n)
		if n == len(f) {
			size |= lastSegment
		}
		segments = append(segments, append([]byte{kindData, 0, 0, size}, f[:n]...))
		f = f[n:]
	}
	return segments
}

// add takes a job frame to be sent.
func (s *session) add(segments [][]byte) {
	s.wanted++
	if len(s.segments) == 0 { // nothing was to be waited for
		now := time.Now() //nolint:forbidigo // a silence on the line
		s.progress, s.heard = later(s.progress, now), later(s.heard, now)
	}
	s.segments = append(s.segments, segments...)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// frame is what is to be sent next, or nil, and what to do once it is on its way.
func (s *session) frame() ([]byte, func()) {
	switch {
	case s.poll:
		return pack(nil, []byte{kindPoll, s.tag + 1, s.expect, 0}), func() {
			s.tag++
			s.poll, s.polled, s.ack = false, true, false
			s.pollMark = s.base + uint8(s.most)
			s.told = s.expect
			s.c.polls.Add(1)
		}
	case s.next < len(s.segments) && int(s.base+uint8(s.next)-s.drained) < s.window:
		b := s.segments[s.next]
		b[1], b[2] = s.base+uint8(s.next), s.expect
		return pack(nil, b), func() {
			if s.next < s.most {
				s.c.again.Add(1)
			}
			s.next++
			s.most = max(s.most, s.next)
			s.ack, s.told = false, s.expect
		}
	case s.ack && (len(s.c.in) == 0 || int(s.expect-s.told) >= s.window/2):
		return pack(nil, []byte{kindAck, 0, s.expect, 0}), func() { s.ack, s.told = false, s.expect }
	}
	return nil, nil
}

// take reads a frame of the device.
func (s *session) take(b []byte) {
	s.heard = time.Now() //nolint:forbidigo // a silence on the line
	kind, no, expect, drained := b[0]&kindMask, b[1], b[2], b[3]
	if b[0]&bitOpen == 0 {
		// A device that an open is still clearing answers no poll: this one was reset.
		if kind == kindStatus && s.polled && no == s.tag {
			s.err = ErrReset
		}
		return
	}
	// Between the two numbers the device may have taken and passed on another segment.
	if ahead := drained - expect; ahead != 0 && int(ahead) <= s.window {
		expect = drained
	}
	if n := int(expect - s.base); n <= s.most && int(expect-drained) <= s.window {
		if n > 0 {
			s.segments = s.segments[n:]
			s.base = expect
			s.next, s.most = max(s.next-n, 0), s.most-n
			s.behind, s.moving = max(s.behind-n, 0), true
			s.moved()
		}
		if drained != s.drained {
			s.drained = drained
			s.moved()
		}
		switch {
		case b[0]&bitGap == 0:
		case s.behind == 0:
			s.back()
		case s.moving && !s.checked:
			s.poll, s.checked = true, true
		}
	}
	switch {
	case kind == kindStatus && s.polled && no == s.tag:
		// it has seen all that was sent before the poll
		s.polled = false
		if s.pollMark-s.base <= uint8(s.most) && s.pollMark != s.base {
			s.back()
		}
	case kind == kindData:
		s.data(no, b[headIn:])
	}
}

// back makes all that is not confirmed be sent again. What of it had arrived after all is a gap to the device when it
// comes again. Those gaps are over once it has the first segment behind, which was not sent before. Until then a poll
// tells, once, whether one is of a new loss.
func (s *session) back() {
	if s.next > 0 {
		s.next, s.behind = 0, s.most+1
		s.moving, s.checked = false, false
	}
}

func (s *session) moved() {
	s.progress = s.heard
	s.wait = s.shortest()
}

func (s *session) data(no uint8, p []byte) {
	if len(p) < 2 || len(p) != 1+int(p[0]&^lastSegment) {
		return
	}
	if no != s.expect {
		// Behind one that was lost, or again what is here.
		if int(no-s.expect) < s.window && !s.asked {
			s.poll, s.asked = true, true
		}
		return
	}
	s.expect++
	s.ack, s.asked = true, false
	s.moved()
	s.partial = append(s.partial, p[1:]...)
	if p[0]&lastSegment != 0 {
		s.results = append(s.results, s.partial)
		s.partial = nil
		if s.wanted > 0 {
			s.wanted--
		}
	}
}

// tick looks at the time.
func (s *session) tick() error {
	now := time.Now() //nolint:forbidigo // a silence on the line
	// While this process was stopped nobody asked the device, which is not to blame for its silence.
	if gap := now.Sub(s.ticked); gap > max(s.c.opt.Timeout/4, 10*tickEvery) {
		for _, t := range []*time.Time{&s.progress, &s.heard, &s.lastPoll} {
			if *t = t.Add(gap); t.After(now) {
				*t = now
			}
		}
	}
	s.ticked = now
	if len(s.segments) == 0 && s.wanted == 0 {
		s.progress, s.heard, s.lastPoll = now, now, now
		return nil
	}
	quiet := now.Sub(later(s.progress, s.lastPoll))
	switch {
	case now.Sub(s.heard) > s.c.opt.Timeout:
		return ErrNoAnswer
	case now.Sub(s.progress) > 4*s.c.opt.Timeout:
		return ErrStuck
	case quiet > s.wait:
		s.lastPoll = now
		s.wait = max(s.shortest(), min(2*s.wait, s.c.opt.Timeout/8))
		s.poll, s.behind = true, 0
	}
	return nil
}
