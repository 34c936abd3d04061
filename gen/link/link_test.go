// SPDX-License-Identifier: Apache-2.0

package link

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func testInfo(window int) *Info {
	return &Info{Version: Version, Name: "test", DataWidth: 32, PacketBytes: 256, Slots: 16, Window: window, ReportCore: true, Registers: true,
		Config: [16]byte{1, 2, 0x7e, 0x7d}, Clusters: []Cluster{
			{Name: "aes", Algorithm: "aes128", Support: 0x2f, Choose: 256, KeySlots: 256, Quota: 256, Cores: 64},
			{Name: "sm4", Algorithm: "sm4", Support: 0x0f, Choose: 1, KeySlots: 1, Quota: 1, Cores: 1},
		}}
}

func TestInfo(t *testing.T) {
	want := testInfo(64)
	b := want.Bytes()
	got, err := ParseInfo(b)
	require.NoError(t, err)
	require.Equal(t, want, got)
	for n := range b { // cut off
		_, err := ParseInfo(b[:n])
		require.Error(t, err, "%d bytes", n)
	}
	_, err = ParseInfo(append(bytes.Clone(b), 0))
	require.Error(t, err)
	b[4] = 9
	var v *VersionError
	_, err = ParseInfo(b)
	require.ErrorAs(t, err, &v)
	require.Equal(t, 9, v.Device)
}

// A frame is found again in whatever stands around it, and none in what is not one.
func TestFrames(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var u unpacker
	for i := range 2000 {
		body := make([]byte, 1+rng.IntN(300))
		for j := range body {
			body[j] = byte(rng.Uint32())
			if rng.IntN(4) == 0 {
				body[j] = flag - byte(rng.IntN(2))
			}
		}
		junk := make([]byte, rng.IntN(20))
		for j := range junk {
			junk[j] = byte(rng.Uint32())
		}
		packed := pack(nil, body)
		var got [][]byte
		u.push(junk, func([]byte) { t.Error("a frame in junk") })
		for _, b := range packed {
			u.push([]byte{b}, func(b []byte) { got = append(got, bytes.Clone(b)) })
		}
		require.Equal(t, [][]byte{body}, got, "%d", i)
		// any byte changed
		n := 1 + rng.IntN(len(packed)-2)
		packed[n] ^= 1 << rng.IntN(8)
		u.push(packed, func(b []byte) { require.Fail(t, "a broken frame was taken", "%x", b) })
	}
	u.push(bytes.Repeat([]byte{1}, 1<<20), func([]byte) { t.Error("a frame in junk") })
	require.LessOrEqual(t, len(u.buf), maxFrame+1)
}

// Every frame sent comes back answered, once, whole and in order, however the line is.
func TestSession(t *testing.T) {
	for _, noise := range []float64{0, 0.0005, 0.002} {
		for _, window := range []int{2, 8, 64} {
			echo := func(f []byte) [][]byte { return [][]byte{f} }
			port, _ := connect(testInfo(window), uint64(window), noise, echo)
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
			c, err := Dial(ctx, port, Options{Timeout: time.Minute})
			require.NoError(t, err)
			require.Equal(t, "test", c.Info().Name)
			for session := range 2 {
				require.NoError(t, c.Open(ctx))
				rng := rand.New(rand.NewPCG(uint64(window), uint64(session)))
				frames := make([][]byte, 100)
				for i := range frames {
					frames[i] = make([]byte, 1+rng.IntN(300))
					for j := range frames[i] {
						frames[i][j] = byte(rng.Uint32())
					}
				}
				sctx, stop := context.WithCancel(ctx)
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					for _, f := range frames {
						if c.Send(sctx, f) != nil {
							return
						}
					}
				}()
				n := len(frames)
				if session == 0 { // the next session begins in the midst of this one
					n = 25
				}
				for i := range n {
					got, err := c.Recv(ctx)
					require.NoError(t, err, "noise %g window %d frame %d", noise, window, i)
					require.Equal(t, frames[i], got)
				}
				stop()
				<-ended
			}
			st := c.Stats()
			if noise > 0.001 {
				require.NotZero(t, st.SentAgain)
				require.NotZero(t, st.BadFrames)
			}
			if noise == 0 {
				require.Zero(t, st.SentAgain)
				require.Zero(t, st.BadFrames)
			}
			require.NoError(t, c.Close())
			cancel()
		}
	}
}

// On a line that takes half a minute for a window a device is polled long before it is given up.
func TestPollsComeBeforeTheTimeout(t *testing.T) {
	for _, baud := range []int{0, 9600, 38400, 3_000_000} {
		for _, timeout := range []time.Duration{200 * time.Millisecond, 5 * time.Second} {
			s := &session{c: &Conn{opt: Options{Timeout: timeout, Baud: baud}}, window: 64}
			require.LessOrEqual(t, s.shortest(), timeout/4)
			require.Positive(t, s.shortest())
		}
	}
}

// One broken frame, with the window full, makes a window be sent again and no more: what had arrived after all and comes
// twice is no loss. If one of those that are sent again is lost, that is found without a wait: nobody looks at the time here.
func TestBrokenFrameCostsAWindow(t *testing.T) {
	const window, segments = 8, 300
	for delay := range 2 * window { // frames on their way, in each direction
		for _, broken := range []string{"noise", "lost", "lost twice"} {
			from := newLine(1, 0)
			d := &device{port: end{newLine(2, 0), from}, info: testInfo(window), answer: func([]byte) [][]byte { return nil }, open: true}
			c := &Conn{opt: Options{Timeout: time.Minute}, info: d.info}
			s := &session{c: c, window: window}
			for range segments {
				s.add(cut([]byte{1, 2, 3}))
			}
			var to, back [][]byte // a step each: what was sent in it
			var u, answers unpacker
			taken := 0
			for step := 0; len(s.segments) > 0; step++ {
				require.Less(t, step, 20*segments, "it does not end")
				b, sent := s.frame()
				if b != nil {
					sent()
				}
				if to = append(to, b); len(to) > delay {
					if b, to = to[0], to[1:]; b != nil {
						taken++
					}
					if taken == segments/3 && b != nil {
						d.take(&u, []byte{flag, 0x55, flag})
						if broken != "noise" {
							b = nil
						}
					}
					if broken == "lost twice" && taken == segments/3+window+3 {
						b = nil
					}
					d.take(&u, b)
				}
				if back, from.buf = append(back, from.buf), nil; len(back) > delay {
					answers.push(back[0], s.take)
					back = back[1:]
				}
			}
			breaks := int64(1)
			if broken == "lost twice" {
				breaks++
			}
			require.LessOrEqual(t, c.again.Load(), breaks*window, "%s, %d frames on their way", broken, delay)
			require.LessOrEqual(t, c.polls.Load(), breaks)
			require.Equal(t, byte(segments%256), d.expect)
		}
	}
}

// On a slow line a request that noise hits is sent again in time.
func TestLostRequestOnASlowLine(t *testing.T) {
	lost := map[byte]int{}
	port, _ := connectLosing(testInfo(8), 1, 0, nil, func(kind byte) bool {
		lost[kind]++
		return lost[kind] <= 2
	})
	ctx := context.Background()
	c, err := Dial(ctx, port, Options{Timeout: time.Second, Baud: 9600})
	require.NoError(t, err)
	require.NoError(t, c.Open(ctx))
	require.NoError(t, c.Clear(ctx, 0))
	_, err = c.Recv(ctx)
	require.ErrorIs(t, err, errClosed)
	require.NoError(t, c.Close())
}

// A frame is copied before Send returns: it may be a key, which is overwritten then.
func TestSendCopies(t *testing.T) {
	port, _ := connect(testInfo(8), 1, 0, func(f []byte) [][]byte { return [][]byte{f} })
	ctx := context.Background()
	c, err := Dial(ctx, port, Options{Timeout: time.Minute})
	require.NoError(t, err)
	require.NoError(t, c.Open(ctx))
	for range 200 {
		want := bytes.Repeat([]byte{0x5a}, 4000)
		f := bytes.Clone(want)
		require.NoError(t, c.Send(ctx, f))
		clear(f)
		got, err := c.Recv(ctx)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got))
	}
	require.NoError(t, c.Close())
}

// A process that was stopped does not blame the device for it.
func TestStoppedProcess(t *testing.T) {
	const timeout = 5 * time.Second
	long := time.Now().Add(-time.Hour)
	s := &session{c: &Conn{opt: Options{Timeout: timeout}}, window: 8, heard: long, progress: long, lastPoll: long, ticked: long, wanted: 1}
	require.NoError(t, s.tick())
	s.wait = -1
	require.NoError(t, s.tick())
	require.True(t, s.poll)
	s.heard = long
	require.ErrorIs(t, s.tick(), ErrNoAnswer)
	s.heard, s.progress = time.Now(), long
	require.ErrorIs(t, s.tick(), ErrStuck)
	s.heard, s.progress, s.ticked = time.Now(), time.Now(), long
	require.NoError(t, s.tick())
	require.False(t, s.heard.After(s.ticked))
}

// What can be wrong with a port is told apart.
func TestErrors(t *testing.T) {
	ctx := context.Background()
	short := Options{Timeout: 300 * time.Millisecond}
	t.Run("no answer", func(t *testing.T) {
		_, err := Dial(ctx, end{newLine(1, 0), newLine(2, 0)}, short)
		require.ErrorIs(t, err, ErrNoAnswer)
	})
	t.Run("garbage", func(t *testing.T) {
		from := newLine(1, 0)
		_, _ = from.Write([]byte("login: password: login: "))
		_, err := Dial(ctx, end{from, newLine(2, 0)}, short)
		var g *GarbageError
		require.ErrorAs(t, err, &g)
	})
	t.Run("another version", func(t *testing.T) {
		i := testInfo(8)
		i.Version = 2
		port, _ := connect(i, 1, 0, nil)
		_, err := Dial(ctx, port, Options{})
		var v *VersionError
		require.ErrorAs(t, err, &v)
		require.Equal(t, 2, v.Device)
	})
	t.Run("not understood", func(t *testing.T) {
		i := testInfo(8)
		i.Slots = 0
		port, _ := connect(i, 1, 0, nil)
		_, err := Dial(ctx, port, Options{})
		require.ErrorIs(t, err, errInfo)
	})
	t.Run("gone", func(t *testing.T) {
		port, _ := connect(testInfo(8), 1, 0, func(f []byte) [][]byte { return [][]byte{f} })
		port.r.breakAfter(2000)
		c, err := Dial(ctx, port, Options{})
		require.NoError(t, err)
		require.NoError(t, c.Open(ctx))
		err = nil
		for i := 0; i < 1000 && err == nil; i++ {
			if err = c.Send(ctx, make([]byte, 100)); err == nil {
				_, err = c.Recv(ctx)
			}
		}
		var g *GoneError
		require.ErrorAs(t, err, &g)
		require.ErrorIs(t, err, errCut)
		require.ErrorAs(t, c.Open(ctx), &g)
	})
	t.Run("silent in a session", func(t *testing.T) {
		port, _ := connect(testInfo(8), 1, 0, func([]byte) [][]byte { return nil })
		c, err := Dial(ctx, port, short)
		require.NoError(t, err)
		require.NoError(t, c.Open(ctx))
		require.NoError(t, c.Send(ctx, make([]byte, 100)))
		_, err = c.Recv(ctx)
		require.ErrorIs(t, err, ErrStuck)
	})
	t.Run("reset in a session", func(t *testing.T) {
		port, _ := connect(testInfo(8), 1, 0, func([]byte) [][]byte { return nil })
		c, err := Dial(ctx, port, Options{Timeout: time.Hour})
		require.NoError(t, err)
		require.NoError(t, c.Open(ctx))
		require.NoError(t, c.Send(ctx, make([]byte, 100)))
		_, err = port.Write(pack(nil, []byte{kindReset, 0, 0, 0}))
		require.NoError(t, err)
		_, err = c.Recv(ctx)
		require.ErrorIs(t, err, ErrReset)
		require.NoError(t, c.Clear(ctx, 0))
		require.NoError(t, c.Close())
	})
	t.Run("interrupted", func(t *testing.T) {
		port, _ := connect(testInfo(8), 1, 0, func([]byte) [][]byte { return nil })
		c, err := Dial(ctx, port, Options{})
		require.NoError(t, err)
		require.NoError(t, c.Open(ctx))
		cctx, cancel := context.WithCancel(ctx)
		cancel()
		_, err = c.Recv(cctx)
		require.ErrorIs(t, err, context.Canceled)
		require.NoError(t, c.Close())
		_, err = c.Recv(ctx)
		require.Error(t, err)
	})
}

// An access to a register is done once, however the line is, and whatever was accessed before by another host.
func TestRegisters(t *testing.T) {
	for _, noise := range []float64{0, 0.005} {
		port, d := connect(testInfo(8), 3, noise, nil)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		c, err := Dial(ctx, port, Options{Timeout: 10 * time.Second})
		require.NoError(t, err)
		done := 0
		for range 2 {
			// as another host would begin: its accesses have the numbers of this one's
			c.access = 0
			_, err := c.ask(ctx, []byte{kindHello, byte(done), 0, 0}, kindHello, time.Minute, 0)
			require.NoError(t, err)
			for i := range uint32(20) {
				require.NoError(t, c.WriteRegister(ctx, 4*i, i^uint32(done)))
				v, err := c.ReadRegister(ctx, 4*i)
				require.NoError(t, err)
				require.Equal(t, i^uint32(done), v)
				done += 2
			}
			var refused *RegisterError
			require.ErrorAs(t, c.WriteRegister(ctx, 0x100, 1), &refused)
			require.Equal(t, RegisterError{0x100, true}, *refused)
			_, err = c.ReadRegister(ctx, 0x100)
			require.ErrorAs(t, err, &refused)
			done += 2
		}
		require.NoError(t, c.Open(ctx))
		require.ErrorIs(t, c.WriteRegister(ctx, 0, 1), errOpen)
		require.NoError(t, c.Close())
		require.Equal(t, done, d.accesses)
	}
	info := testInfo(8)
	info.Registers = false
	port, _ := connect(info, 1, 0, nil)
	c, err := Dial(context.Background(), port, Options{})
	require.NoError(t, err)
	_, err = c.ReadRegister(context.Background(), 0)
	require.ErrorIs(t, err, ErrNoRegisters)
	require.NoError(t, c.Close())
}
