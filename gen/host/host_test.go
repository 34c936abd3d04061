// SPDX-License-Identifier: Apache-2.0

package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"hwgen/gen/cipher"
	"hwgen/gen/link"
	"hwgen/gen/workload"
)

// device answers job frames as a scheduler does: chained ones in their order, others in any. It checks what a scheduler
// would refuse.
type device struct {
	alg     string
	rng     *rand.Rand
	keys    map[byte][]byte
	in      map[byte][]byte // of a chained job, so far
	iv      []byte
	out     int // of a chained job, bytes that were returned
	no      uint16
	results [][]byte
	flying  int
	quota   int
	status  map[uint32]workload.Status // packets to refuse
	more    chan struct{}
}

func newDevice(alg string, quota int) *device {
	return &device{alg: alg, rng: rand.New(rand.NewPCG(1, 1)), keys: map[byte][]byte{}, in: map[byte][]byte{}, quota: quota,
		more: make(chan struct{}, 1<<16)}
}

var errTest = errors.New("refused")

func (d *device) Send(_ context.Context, f []byte) error {
	h := workload.ParseHeader(f)
	p := f[workload.HeaderBytes:]
	if h.Flags&workload.FlagIV != 0 {
		d.iv, p = bytes.Clone(p[:16]), p[16:]
	}
	if int(h.Length) != len(p) {
		return fmt.Errorf("%w: length %d of %d", errTest, h.Length, len(p))
	}
	var payload []byte
	last := h.Flags&workload.FlagLast != 0
	status := d.status[h.Cookie]
	switch {
	case h.Cmd == cipher.LoadKey:
		d.keys[h.KeySlot] = bytes.Clone(p)
	case h.Mode.Chained():
		if h.No != d.no || len(p)%16 != 0 && !last {
			return fmt.Errorf("%w: No %d for %d", errTest, h.No, d.no)
		}
		if d.no++; d.no == 0 {
			d.no = 1
		}
		d.in[0] = append(d.in[0], p...)
		out, ok, err := cipher.Run(d.alg, h.Cmd, h.Mode, d.keys[0], d.iv, d.in[0], d.iv)
		if err != nil {
			return err
		}
		switch {
		case h.Cmd == cipher.Verify:
			if last && !ok {
				status = workload.MACMismatch
			}
		case h.Cmd == cipher.Sign:
			if last {
				payload = out
			}
		default:
			payload = out[d.out:]
			d.out = len(out)
		}
	default:
		out, _, err := cipher.Run(d.alg, h.Cmd, h.Mode, d.keys[0], d.iv, p, nil)
		if err != nil {
			return err
		}
		payload = out
	}
	h.Status = uint8(status)
	if status != 0 {
		payload = nil
	}
	h.Length, h.Flags, h.KeySlot = uint16(len(payload)), h.Flags&^workload.FlagIV, 0
	r := append(h.Bytes(), payload...)
	if d.flying++; d.flying > d.quota {
		return fmt.Errorf("%w: %d in flight", errTest, d.flying)
	}
	at := len(d.results)
	if !h.Mode.Chained() && at > 0 {
		at = d.rng.IntN(at + 1)
	}
	d.results = append(d.results[:at], append([][]byte{r}, d.results[at:]...)...)
	d.more <- struct{}{}
	return nil
}

func (d *device) Recv(ctx context.Context) ([]byte, error) {
	select {
	case <-d.more:
		d.flying--
		r := d.results[0]
		d.results = d.results[1:]
		return r, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// locked makes a device safe for a sender and a receiver.
type locked struct {
	*device
	mu chan struct{}
}

func (l locked) Send(ctx context.Context, f []byte) error {
	l.mu <- struct{}{}
	defer func() { <-l.mu }()
	return l.device.Send(ctx, f)
}

func (l locked) Recv(ctx context.Context) ([]byte, error) {
	select {
	case <-l.more:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	l.mu <- struct{}{}
	defer func() { <-l.mu }()
	l.flying--
	r := l.results[0]
	l.results = l.results[1:]
	return r, nil
}

func infoOf(alg string, quota int) *link.Info {
	return &link.Info{Version: 1, DataWidth: 32, PacketBytes: 48, Slots: 8, Window: 4,
		Clusters: []link.Cluster{{Name: "c", Algorithm: alg, Support: 0x2f, Quota: quota}}}
}

// Every mode gives what the reference does, whatever the length, with and without padding, and back again.
func TestModes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	for _, alg := range []string{"aes128", "aes256", "sm4"} {
		for _, mode := range []cipher.Mode{cipher.ECB, cipher.CBC, cipher.CFB, cipher.OFB, cipher.CTR, cipher.MAC} {
			for _, size := range []int{0, 1, 15, 16, 17, 47, 48, 49, 96, 1000, 4800} {
				for _, pad := range []bool{false, true} {
					whole := mode == cipher.ECB || mode == cipher.CBC
					if pad && !whole || whole && !pad && size%16 != 0 {
						continue
					}
					name := fmt.Sprintf("%s %s %d %v", alg, mode, size, pad)
					key, data := random(cipher.KeySize(alg)), random(size)
					var iv []byte
					if mode != cipher.ECB && mode != cipher.MAC {
						iv = random(16)
						if mode == cipher.CTR {
							copy(iv[7:], bytes.Repeat([]byte{0xff}, 9)) // carries
						}
					}
					plain := data
					if pad {
						n := 16 - size%16
						plain = append(bytes.Clone(data), bytes.Repeat([]byte{byte(n)}, n)...)
					}
					cmd := cipher.Encrypt
					if mode == cipher.MAC {
						cmd = cipher.Sign
					}
					want, _, err := cipher.Run(alg, cmd, mode, key, iv, plain, nil)
					require.NoError(t, err)
					quota := 1 + rng.IntN(7)
					do := func(cmd cipher.Cmd, in, tag []byte) ([]byte, error) {
						var out bytes.Buffer
						d := locked{newDevice(alg, quota), make(chan struct{}, 1)}
						var done int64
						n, err := Run(context.Background(), d, infoOf(alg, quota), &Job{Cmd: cmd, Mode: mode, Key: key, IV: iv, Tag: tag,
							Packet: 48, Pad: pad, Progress: func(n int64) { done = n }}, iotest.HalfReader(bytes.NewReader(in)), &out)
						if err == nil {
							require.Equal(t, n, done, name)
						}
						return out.Bytes(), err
					}
					got, err := do(cmd, data, nil)
					require.NoError(t, err, name)
					require.True(t, bytes.Equal(want, got), name)
					if mode == cipher.MAC {
						_, err := do(cipher.Verify, data, want)
						require.NoError(t, err, name)
						want[3] ^= 1
						_, err = do(cipher.Verify, data, want)
						require.ErrorIs(t, err, ErrMismatch, name)
						continue
					}
					back, err := do(cipher.Decrypt, got, nil)
					require.NoError(t, err, name)
					require.True(t, bytes.Equal(data, back), name)
					if pad {
						got[len(got)-1] ^= 1
						_, err := do(cipher.Decrypt, got[:len(got)-1], nil)
						require.ErrorContains(t, err, "no multiple of 16", name)
					}
				}
			}
		}
	}
}

// A job of more than 65535 packets goes on with No 1.
func TestSequence(t *testing.T) {
	require.Equal(t, []uint16{0, 1, 65535, 1, 65535, 1},
		[]uint16{sequence(0), sequence(1), sequence(65535), sequence(65536), sequence(2 * 65535), sequence(2*65535 + 1)})
}

func TestPadding(t *testing.T) {
	end := func(b ...byte) error {
		u := unpadder{w: io.Discard}
		for _, c := range b { // byte by byte
			if _, err := u.Write([]byte{c}); err != nil {
				return err
			}
		}
		return u.end()
	}
	block := func(b ...byte) []byte { return append(make([]byte, 16-len(b)), b...) }
	require.NoError(t, end(block(1)...))
	require.NoError(t, end(bytes.Repeat([]byte{16}, 16)...))
	require.NoError(t, end(append(block(9), block(2, 2)...)...))
	for _, b := range [][]byte{{}, block(), block(17), block(1, 2), block(3, 2, 3), {1}} {
		require.ErrorIs(t, end(b...), ErrPadding)
	}
}

func TestRefusals(t *testing.T) {
	ctx := context.Background()
	job := func() *Job { return &Job{Mode: cipher.CTR, Key: make([]byte, 16), IV: make([]byte, 16), Packet: 48} }
	d := locked{newDevice("aes128", 100), make(chan struct{}, 1)}
	d.status = map[uint32]workload.Status{5: workload.CoreFailed}
	var out bytes.Buffer
	_, err := Run(ctx, d, infoOf("aes128", 8), job(), bytes.NewReader(make([]byte, 5000)), &out)
	var s *StatusError
	require.ErrorAs(t, err, &s)
	require.Equal(t, workload.CoreFailed, s.Status)
	require.LessOrEqual(t, out.Len(), 5*48)

	d = locked{newDevice("aes128", 100), make(chan struct{}, 1)}
	d.status = map[uint32]workload.Status{keyCookie: workload.KeyBusy}
	_, err = Run(ctx, d, infoOf("aes128", 8), job(), bytes.NewReader(nil), &out)
	require.ErrorContains(t, err, "key load: the device answers key_busy")

	// an input that fails, in the midst
	d = locked{newDevice("aes128", 100), make(chan struct{}, 1)}
	in := io.MultiReader(bytes.NewReader(make([]byte, 1000)), iotest.ErrReader(errTest))
	_, err = Run(ctx, d, infoOf("aes128", 8), job(), in, &out)
	require.ErrorIs(t, err, errTest)

	// an output that fails
	d = locked{newDevice("aes128", 100), make(chan struct{}, 1)}
	_, err = Run(ctx, d, infoOf("aes128", 8), job(), bytes.NewReader(make([]byte, 5000)), failing{})
	require.ErrorIs(t, err, errTest)

	// interrupted while the input waits
	cctx, cancel := context.WithCancel(ctx)
	r, w := io.Pipe()
	defer w.Close()
	go func() {
		_, _ = w.Write(make([]byte, 200))
		cancel()
	}()
	d = locked{newDevice("aes128", 100), make(chan struct{}, 1)}
	_, err = Run(cctx, d, infoOf("aes128", 8), job(), r, &out)
	require.ErrorIs(t, err, context.Canceled)

	// interrupted while the output waits
	cctx, cancel = context.WithCancel(ctx)
	r, w = io.Pipe()
	defer r.Close()
	go func() {
		_, _ = io.ReadFull(r, make([]byte, 100))
		cancel()
	}()
	d = locked{newDevice("aes128", 100), make(chan struct{}, 1)}
	_, err = Run(cctx, d, infoOf("aes128", 8), job(), bytes.NewReader(make([]byte, 5000)), w)
	require.ErrorIs(t, err, context.Canceled)

	for _, bad := range []func(*Job){
		func(j *Job) { j.Key = make([]byte, 15) },
		func(j *Job) { j.Packet = 64 },
		func(j *Job) { j.Packet = 24 },
		func(j *Job) { j.Packet = 0 },
		func(j *Job) { j.Cmd, j.Mode = cipher.Verify, cipher.MAC },
	} {
		j := job()
		bad(j)
		i := infoOf("aes128", 8)
		i.Clusters[0].Support = 0x27
		_, err := Run(ctx, d, i, j, bytes.NewReader(nil), &out)
		require.Error(t, err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errTest }
