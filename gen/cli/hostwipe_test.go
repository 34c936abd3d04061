// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cli

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hwgen/gen/diag"
	"hwgen/gen/host"
	"hwgen/gen/link"
)

// mute is a port to a device that answers hello, and nothing else.
type mute struct {
	in  *io.PipeReader
	out *io.PipeWriter
}

func newMute() mute {
	r, w := io.Pipe()
	return mute{r, w}
}

func (m mute) Read(p []byte) (int, error) { return m.in.Read(p) }
func (m mute) Close() error               { return m.out.Close() }

func (m mute) Write(p []byte) (int, error) {
	if len(p) > 2 && p[1] == 3 { // hello
		info := link.Info{Version: 1, Name: "d", DataWidth: 32, PacketBytes: 64, Slots: 4, Window: 2,
			Clusters: []link.Cluster{{Name: "c", Algorithm: "aes128", Support: 1, Choose: 1, KeySlots: 1, Quota: 1, Cores: 1}}}
		tag := p[2]
		if tag == 0x7d { // escaped
			tag = p[3] ^ 0x20
		}
		body := append([]byte{3, tag, 0, 0, 0, 0}, info.Bytes()...)
		body = binary.LittleEndian.AppendUint32(body, crc32.ChecksumIEEE(body))
		frame := []byte{0x7e}
		for _, b := range body {
			if b == 0x7e || b == 0x7d {
				frame = append(frame, 0x7d)
				b ^= 0x20
			}
			frame = append(frame, b)
		}
		go func() { _, _ = m.out.Write(append(frame, 0x7e)) }()
	}
	return len(p), nil
}

// Whoever ends a session and can't clear the device says what may be left in it, whatever else went wrong.
func TestWipeFails(t *testing.T) {
	f := hostFlags{port: "p", timeout: 0.1}
	ctx := context.Background()
	interrupted, cancel := context.WithCancel(ctx)
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		err  error
		code int
		msg  []string
	}{
		{ctx, nil, 4, []string{"port p: the device does not answer; ", "all results are there, but the device is not cleared: the key may"}},
		{interrupted, context.Canceled, 1, []string{"interrupted\nthe device is not cleared: the key may", "(port p: the device does not"}},
		{ctx, host.ErrMismatch, 1, []string{"the tag is not the MAC of the input\nthe device is not cleared: the key may"}},
		{ctx, link.ErrNoAnswer, 4, []string{"the device does not answer", "the key may still be in it"}},
		{ctx, link.ErrReset, 4, []string{"it was reset", "the key may still be in it"}},
		{ctx, &link.GoneError{Err: errors.New("pulled")}, 4, []string{"the device is gone: pulled", "the key may still be in it"}},
	} {
		t.Run(fmt.Sprint(c.err), func(t *testing.T) {
			t.Parallel()
			d, err := link.Dial(ctx, newMute(), link.Options{})
			require.NoError(t, err)
			err = f.wipe(c.ctx, d, c.err)
			require.Equal(t, c.code, diag.ExitCode(err), "%v", err)
			for _, m := range c.msg {
				require.ErrorContains(t, err, m)
			}
			require.NotErrorIs(t, err, context.Canceled) // would be told as an interrupt and no more
		})
	}
}

// The interrupt that ends a run does not end the clear, the next one does.
func TestWipeInterrupted(t *testing.T) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM) // or it would end the test; never stopped, one may still be on its way at the end
	f := hostFlags{port: "p", timeout: 3600}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	d, err := link.Dial(context.Background(), newMute(), link.Options{})
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- f.wipe(ctx, d, context.Canceled) }()
	for err = nil; err == nil; {
		require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
		select {
		case err = <-ended:
		case <-time.After(10 * time.Millisecond):
		}
	}
	require.EqualError(t, err, "interrupted\nthe device is not cleared: the key may still be in it, until the next session or a reset (interrupted)")
}

// A key file of hex digits is hex, of the right length or none.
func TestKeyFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	for _, c := range []struct{ text, msg string }{
		{strings.Repeat("0a", 16) + "\n", ""},
		{strings.Repeat("Z", 16), ""},
		{strings.Repeat("\n", 16), ""},
		{strings.Repeat("0A", 8), " has 16 hex digits; a key of 16 bytes has 32"},
		{strings.Repeat("0", 15) + "\n", " has 15 hex digits; a key of 16 bytes has 32"},
		{strings.Repeat("0a", 17), " has 34 hex digits; a key of 16 bytes has 32"},
		{strings.Repeat("Z", 17), " has 17 bytes; a key of 16 bytes, or 32 hex digits, was expected"},
		{"", " has 0 bytes; "},
	} {
		require.NoError(t, os.WriteFile(file, []byte(c.text), 0o600))
		k, err := (&keyFlags{file: file}).read(16)
		if c.msg != "" {
			require.ErrorContains(t, err, c.msg)
			require.Equal(t, diag.ExitUsage, diag.ExitCode(err))
			continue
		}
		require.NoError(t, err)
		require.Len(t, k, 16)
	}
}
