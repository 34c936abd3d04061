// SPDX-License-Identifier: Apache-2.0

//go:build linux

package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"hwgen/gen/cipher"
	"hwgen/gen/cli"
	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/emit"
	"hwgen/gen/link"
	"hwgen/gen/sim"
	"hwgen/gen/workload"
)

const (
	hostKey = "2b7e151628aed2a6abf7158809cf4f3c"
	hostIV  = "000102030405060708090a0b0c0d0eff"
)

// asHwgen is set for the test's binary to be hwgen.
const asHwgen = "HWGEN_TEST_AS_HWGEN"

func TestMain(m *testing.M) {
	if os.Getenv(asHwgen) != "" {
		os.Exit(cli.Main())
	}
	os.Exit(m.Run())
}

// boardExample has no registers; the tests' board has.
const boardExample = "../../examples/board/board.toml"

// board compiles a config, its top with a UART.
func board(t *testing.T, boardConfig string) *sim.Simulator {
	c, err := config.Load(boardConfig)
	require.NoError(t, err)
	d, err := design.Elaborate(c)
	require.NoError(t, err)
	out, err := emit.Emit(d, emit.Options{Version: "test", ConfigHash: c.Hash})
	require.NoError(t, err)
	s, err := sim.Build(context.Background(), d, out, sim.Options{UART: true})
	require.NoError(t, err)
	return s
}

// openssl runs it on an input.
func openssl(t *testing.T, in []byte, args ...string) []byte {
	t.Helper()
	c := exec.Command("openssl", args...)
	c.Stdin = bytes.NewReader(in)
	var e bytes.Buffer
	c.Stderr = &e
	out, err := c.Output()
	require.NoError(t, err, "openssl %v: %s", args, e.String())
	return out
}

// What is wrong with flags is told before a port is opened.
func TestHostUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		msg  string
	}{
		{[]string{"mac", "-key-file", "k", "-tag", ""}, "-tag is empty: give its bytes in hex, or leave the flag out"},
		{[]string{"encrypt", "-key-file", "k", "-mode", "ecb", "-iv", ""}, "-iv is empty"},
		{[]string{"mac", "-key-file", "k", "-key-env", ""}, "-key-env is empty"},
		{[]string{"status", "-timeout", "NaN"}, "-timeout NaN: 0.1 to 3600 seconds"},
		{[]string{"status", "-timeout", "1e-10"}, "-timeout 1e-10: 0.1 to 3600 seconds"},
		{[]string{"status", "-timeout", "Inf"}, "-timeout +Inf: 0.1 to 3600 seconds"},
	} {
		code, out, msg := hwgen(append([]string{"host", "-port", "/dev/none"}, c.args...)...)
		require.Equal(t, 2, code, msg)
		require.Contains(t, msg, c.msg)
		require.Empty(t, out)
	}
	code, _, msg := hwgen("sim", "-pty", "-noise", "NaN")
	require.Equal(t, 2, code, msg)
	require.Contains(t, msg, "-noise NaN: allowed: 0 to 0.1")
}

// Files through a board in simulation, its serial line bit by bit on a pseudo-terminal, come out as openssl makes them;
// and what can go wrong with a board does, with the right message and exit code, and no output that is half there.
func TestHost(t *testing.T) {
	_, err := exec.LookPath("openssl")
	require.NoError(t, err, "install it with scripts/install_tools.sh")
	text, err := os.ReadFile(boardExample)
	require.NoError(t, err)
	boardConfig := filepath.Join(t.TempDir(), "board.toml")
	require.NoError(t, os.WriteFile(boardConfig, append(text, "\n[control]\naxil = true\n"...), 0o600))
	s := board(t, boardConfig)
	start := func(o sim.BoardOptions) *sim.Board {
		b, err := s.StartBoard(o)
		require.NoError(t, err)
		t.Cleanup(func() { b.Stop() })
		return b
	}
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string, b []byte) string {
		require.NoError(t, os.WriteFile(path(name), b, 0o600))
		return path(name)
	}
	read := func(name string) []byte {
		b, err := os.ReadFile(path(name))
		require.NoError(t, err)
		return b
	}
	rng := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 100_000)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	plain, small, key := write("plain", data), write("small", data[:5003]), write("key", []byte(hostKey+"\n"))
	t.Setenv("HWGEN_TEST_KEY", hostKey)
	b := start(sim.BoardOptions{Seed: 1})
	// a run on a busy machine may be slow, but is not silent for that long
	on := func(port string, args ...string) []string {
		return append([]string{"host", "-port", port, "-timeout", "120"}, args...)
	}
	good := func(t *testing.T, args ...string) string {
		t.Helper()
		code, out, msg := hwgen(on(b.Port, args...)...)
		require.Zero(t, code, msg)
		return out
	}
	// absent says that neither an output nor a part of it is there.
	absent := func(t *testing.T, name string) {
		t.Helper()
		require.NoFileExists(t, path(name))
		l, err := filepath.Glob(path(".hwgen-*"))
		require.NoError(t, err)
		require.Empty(t, l)
	}

	t.Run("status", func(t *testing.T) {
		out := good(t, "status", "-config", boardConfig)
		require.Contains(t, out, "design board, config SHA-256 ")
		require.Regexp(t, `(?m)^1 +sm4 +sm4 +1 `, out)
		require.Contains(t, good(t, "status", "-json"), `"packet_bytes": 256`)
	})
	registers := func(t *testing.T, args ...string) string {
		t.Helper()
		return good(t, append([]string{"-config", boardConfig, "registers"}, args...)...)
	}
	refused := func(t *testing.T, code int, msg string, args ...string) {
		t.Helper()
		got, out, e := hwgen(on(b.Port, args...)...)
		require.Equal(t, code, got, e)
		require.Contains(t, e, msg)
		require.Empty(t, out)
	}
	t.Run("registers", func(t *testing.T) {
		require.Equal(t, "0x00000  0x4857474e  GLOBAL_ID\n", registers(t, "GLOBAL_ID"))
		require.Equal(t, "0x0004c  0x00000004  GLOBAL_IRQ_MASK\n", registers(t, "global_irq_mask=4", "0x4c"))
		require.Equal(t, "0x00000  0x4857474e\n", good(t, "registers", "0"))
		require.JSONEq(t, `[{"name": "GLOBAL_IRQ_MASK", "address": 76, "value": 0}]`, registers(t, "76=0", "76", "-json"))
		refused(t, 1, "writing the register at 0x0 is refused", "registers", "0=1", "0x4c")
		refused(t, 1, "reading the register at 0xfffffffc is refused", "registers", "0xfffffffc")
		refused(t, 1, "AES_CORE0_CAP: writing the register at ", "-config", boardConfig, "registers", "AES_CORE0_CAP=0")
		refused(t, 1, "AES_CORE0_CTRL: writing the register at ", "-config", boardConfig, "registers", "AES_CORE0_CTRL=0", "0")
		// what was read before is told
		code, out, _ := hwgen(on(b.Port, "registers", "0", "0=1", "0x4c")...)
		require.Equal(t, 1, code)
		require.Equal(t, "0x00000  0x4857474e\n", out)
		require.Equal(t, "0x00008", strings.Fields(good(t, "registers", "08"))[0])
		refused(t, 2, `"=5" has no register`, "registers", "=5")
		refused(t, 2, "addresses are multiples of 4", "registers", "3")
		refused(t, 2, "the value is a number of 32 bits", "registers", "0=x")
		refused(t, 2, "names of registers need -config", "registers", "GLOBAL_ID")
		refused(t, 2, "which registers?", "registers")
		refused(t, 2, `did you mean "GLOBAL_ID"?`, "-config", boardConfig, "registers", "GLOBAL_IDD")
		refused(t, 2, "has no registers: add axil = true", "-config", boardExample, "registers")
		all := registers(t)
		require.Contains(t, all, "GLOBAL_ID\n")
	})
	t.Run("sim -pty", func(t *testing.T) {
		ended := make(chan string, 1)
		go func() {
			code, out, msg := hwgen("sim", "-config", boardConfig, "-pty", "-link", path("link"))
			ended <- fmt.Sprintf("%d %s %s", code, out, msg)
		}()
		require.Eventually(t, func() bool {
			_, err := os.Stat(path("link"))
			return err == nil
		}, 5*time.Minute, 10*time.Millisecond)
		code, out, msg := hwgen(on(path("link"), "status")...)
		require.Zero(t, code, msg)
		require.Contains(t, out, "design board")
		require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
		require.Regexp(t, `(?s)^0 /dev/.*\d+ bytes to the board, \d+ from it`, <-ended)
		require.NoFileExists(t, path("link"))
	})
	t.Run("aes cbc", func(t *testing.T) {
		good(t, "encrypt", "-cluster", "aes", "-mode", "cbc", "-key-file", key, "-iv", hostIV, "-in", plain, "-out", path("cbc"), "-pad")
		want := openssl(t, data, "enc", "-aes-128-cbc", "-K", hostKey, "-iv", hostIV)
		require.True(t, bytes.Equal(want, read("cbc")))
		// the counters saw it, 391 packets and the key, and what the session clears after it
		require.Regexp(t, `(?m)^0x[0-9a-f]{5}  0x00000188  AES_RETURNED_LO$`, registers(t))
	})
	t.Run("sm4 ctr", func(t *testing.T) {
		good(t, "encrypt", "-cluster", "sm4", "-mode", "ctr", "-key-env", "HWGEN_TEST_KEY", "-iv", hostIV, "-in", plain, "-out", path("ctr"))
		want := openssl(t, data, "enc", "-sm4-ctr", "-K", hostKey, "-iv", hostIV)
		require.True(t, bytes.Equal(want, read("ctr")))
	})
	t.Run("mac", func(t *testing.T) {
		for cluster, alg := range map[string]string{"aes": "AES-128-CBC", "1": "SM4-CBC"} {
			file, in := plain, data
			if cluster != "aes" {
				file, in = small, data[:5003]
			}
			want := openssl(t, in, "mac", "-cipher", alg, "-macopt", "hexkey:"+hostKey, "-in", file, "CMAC")
			got := good(t, "mac", "-cluster", cluster, "-key-file", key, "-in", file)
			require.Equal(t, strings.ToLower(string(want)), got)
			if cluster == "aes" {
				continue
			}
			tag := strings.TrimSpace(got)
			good(t, "mac", "-cluster", cluster, "-key-file", key, "-in", file, "-tag", tag)
			code, _, msg := hwgen(on(b.Port, "mac", "-cluster", cluster, "-key-file", key, "-in", file, "-tag", tag[:31]+string('0'+(tag[31]+1)%2))...)
			require.Equal(t, 1, code, msg)
			require.Contains(t, msg, "the tag is not the MAC of the input")
		}
	})
	t.Run("other modes and back", func(t *testing.T) {
		for _, m := range [][]string{{"ecb", "-pad"}, {"cbc", "-pad"}, {"cfb"}, {"ofb"}, {"ctr"}} {
			args := append([]string{"-cluster", "aes", "-key-file", key, "-mode"}, m...)
			ref := []string{"enc", "-aes-128-" + m[0], "-K", hostKey}
			if m[0] != "ecb" {
				args = append(args, "-iv", hostIV)
				ref = append(ref, "-iv", hostIV)
			}
			good(t, append([]string{"encrypt", "-in", small, "-out", path("c"), "-packet", "48"}, args...)...)
			require.True(t, bytes.Equal(openssl(t, data[:5003], ref...), read("c")), m[0])
			good(t, append([]string{"decrypt", "-in", path("c"), "-out", path("p")}, args...)...)
			require.True(t, bytes.Equal(data[:5003], read("p")), m[0])
		}
		good(t, "bench", "-cluster", "sm4", "-mode", "mac", "-bytes", "2000")
	})
	t.Run("wrong key", func(t *testing.T) {
		cut := write("cut", read("cbc")[:4096])
		code, _, msg := hwgen(on(b.Port, "decrypt", "-cluster", "aes", "-mode", "cbc", "-key-file", write("other", make([]byte, 16)), "-iv", hostIV,
			"-in", cut, "-out", path("wrong"), "-pad", "-packet", "256")...)
		require.Equal(t, 1, code, msg)
		require.Contains(t, msg, "there is no padding at the end")
		absent(t, "wrong")
	})
	t.Run("not whole blocks", func(t *testing.T) {
		code, _, msg := hwgen(on(b.Port, "encrypt", "-cluster", "aes", "-mode", "ecb", "-key-file", key, "-in", small, "-out", path("wrong"))...)
		require.Equal(t, 1, code, msg)
		require.Contains(t, msg, "the input has 5003 bytes; ecb without padding takes multiples of 16")
		absent(t, "wrong")
	})
	t.Run("another config", func(t *testing.T) {
		text, err := os.ReadFile(boardConfig)
		require.NoError(t, err)
		other := write("other.toml", append(text, "# not that one\n"...))
		code, _, msg := hwgen(on(b.Port, "status", "-config", other)...)
		require.Equal(t, 1, code, msg)
		require.Contains(t, msg, `the board runs design "board" of another config`)
	})
	t.Run("wrong speed", func(t *testing.T) {
		code, _, msg := hwgen("host", "-port", b.Port, "-baud", "1000000", "-timeout", "2", "status")
		require.Equal(t, 4, code, msg)
		require.Contains(t, msg, "speed (-baud 1000000")
		good(t, "status") // and is none the worse
	})
	t.Run("after a host that died", func(t *testing.T) {
		// its job is open, frames are inside, one is half sent
		ctx := context.Background()
		port, err := link.OpenPort(b.Port, 3_000_000)
		require.NoError(t, err)
		c, err := link.Dial(ctx, port, link.Options{Timeout: 2 * time.Minute})
		require.NoError(t, err)
		require.NoError(t, c.Open(ctx))
		h := workload.Header{Version: 1, Cmd: cipher.LoadKey, Length: 16}
		require.NoError(t, c.Send(ctx, append(h.Bytes(), make([]byte, 16)...)))
		for no := range 6 {
			h = workload.Header{Version: 1, Mode: cipher.CBC, No: uint16(no), Length: 256}
			var iv []byte
			if no == 0 {
				h.Flags, iv = workload.FlagIV, make([]byte, 16)
			}
			require.NoError(t, c.Send(ctx, append(append(h.Bytes(), iv...), make([]byte, 256)...)))
		}
		require.NoError(t, c.Close())
		good(t, "encrypt", "-cluster", "aes", "-mode", "cbc", "-key-file", key, "-iv", hostIV, "-in", small, "-out", path("c"), "-pad")
		require.True(t, bytes.Equal(openssl(t, data[:5003], "enc", "-aes-128-cbc", "-K", hostKey, "-iv", hostIV), read("c")))
	})
	t.Run("after a host that was killed, for any user", func(t *testing.T) {
		f, err := os.OpenFile(b.Port, os.O_RDWR|syscall.O_NOCTTY, 0)
		require.NoError(t, err)
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCEXCL, 0)
		require.Zero(t, errno)
		exclusive := func(f *os.File) bool { // root may open it all the same
			const TIOCGEXCL = 0x80045440
			var v int32
			_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), TIOCGEXCL, uintptr(unsafe.Pointer(&v)))
			require.Zero(t, errno)
			return v != 0
		}
		require.True(t, exclusive(f))
		require.NoError(t, f.Close())
		require.Eventually(t, func() bool {
			f, err := os.OpenFile(b.Port, os.O_RDWR|syscall.O_NOCTTY, 0)
			if err != nil {
				return false
			}
			defer f.Close()
			return !exclusive(f)
		}, time.Minute, 50*time.Millisecond)
	})
	// a process of its own, whose standard output is a pipe of some size
	piped := func(t *testing.T, port string, size uintptr) (c *exec.Cmd, out *os.File, msg *bytes.Buffer) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		got, _, errno := syscall.Syscall(syscall.SYS_FCNTL, r.Fd(), 1031 /* F_SETPIPE_SZ */, size)
		require.Zero(t, errno)
		require.Equal(t, size, got)
		t.Cleanup(func() { r.Close() })
		c = exec.Command(os.Args[0], on(port, "encrypt", "-cluster", "aes", "-mode", "ctr", "-key-file", key, "-iv", hostIV, "-in", plain)...)
		c.Env = append(os.Environ(), asHwgen+"=1")
		msg = &bytes.Buffer{}
		c.Stdout, c.Stderr = w, msg
		require.NoError(t, c.Start())
		require.NoError(t, w.Close())
		return c, r, msg
	}
	t.Run("output nobody reads any more", func(t *testing.T) {
		c, out, msg := piped(t, b.Port, 65536)
		_, err := io.ReadFull(out, make([]byte, 1000))
		require.NoError(t, err)
		require.NoError(t, out.Close())
		var exit *exec.ExitError
		require.ErrorAs(t, c.Wait(), &exit)
		require.Equal(t, 1, exit.ExitCode(), msg)
		require.Equal(t, "hwgen: standard output: broken pipe\n", msg.String())
	})
	t.Run("interrupted while nobody reads", func(t *testing.T) {
		const size = 4096
		c, out, msg := piped(t, b.Port, size)
		full := func() bool {
			var n int32
			_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, out.Fd(), 0x541b /* FIONREAD */, uintptr(unsafe.Pointer(&n)))
			return errno == 0 && n == size
		}
		require.Eventually(t, full, 5*time.Minute, 10*time.Millisecond)
		require.NoError(t, c.Process.Signal(syscall.SIGTERM))
		var exit *exec.ExitError
		require.ErrorAs(t, c.Wait(), &exit)
		require.Equal(t, 1, exit.ExitCode(), msg)
		require.Equal(t, "hwgen: interrupted\n", msg.String())
	})
	t.Run("gone before the last clear", func(t *testing.T) {
		terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
		require.NoError(t, err)
		defer terminal.Close()
		var no, lock int32
		for request, v := range map[uintptr]*int32{0x80045430: &no, 0x40045431: &lock} { // TIOCGPTN, TIOCSPTLCK
			_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, terminal.Fd(), request, uintptr(unsafe.Pointer(v)))
			require.Zero(t, errno)
		}
		port, err := link.OpenPort(b.Port, 3_000_000)
		require.NoError(t, err)
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer port.Close()
			var began bool
			var before byte
			buf := make([]byte, 256)
			for {
				n, err := terminal.Read(buf)
				if errors.Is(err, syscall.EIO) && !began { // not opened yet
					time.Sleep(time.Millisecond)
					continue
				}
				if err != nil {
					return
				}
				for _, k := range buf[:n] { // kinds of frames
					began = began || before == 0x7e && k == 1
					if began && before == 0x7e && k == 4 {
						terminal.Close()
						return
					}
					before = k
				}
				_, _ = port.Write(buf[:n])
			}
		}()
		go func() { _, _ = io.Copy(terminal, port) }()
		code, _, msg := hwgen(on(fmt.Sprintf("/dev/pts/%d", no), "encrypt", "-cluster", "aes", "-mode", "ctr", "-key-file", key, "-iv", hostIV,
			"-in", small, "-out", path("kept"))...)
		<-done
		require.Equal(t, 4, code, msg)
		require.Contains(t, msg, "all results are there, but the device is not cleared: the key may still be in it")
		require.Contains(t, msg, path("kept")+" is written\n")
		require.True(t, bytes.Equal(openssl(t, data[:5003], "enc", "-aes-128-ctr", "-K", hostKey, "-iv", hostIV), read("kept")))
	})
	t.Run("noise", func(t *testing.T) {
		n := start(sim.BoardOptions{Seed: 2, Noise: 0.0002})
		code, _, msg := hwgen(on(n.Port, "encrypt", "-cluster", "sm4", "-mode", "cbc", "-key-file", key, "-iv", hostIV, "-in", small, "-out", path("n"), "-pad")...)
		require.Zero(t, code, msg)
		require.True(t, bytes.Equal(openssl(t, data[:5003], "enc", "-sm4-cbc", "-K", hostKey, "-iv", hostIV), read("n")))
		require.Contains(t, msg, "sent again", "the noise broke nothing")
	})
	t.Run("cable pulled", func(t *testing.T) {
		k := start(sim.BoardOptions{Seed: 3})
		go func() { // once there is output
			for {
				l, _ := filepath.Glob(path(".hwgen-*"))
				for _, f := range l {
					if st, err := os.Stat(f); err == nil && st.Size() > 4000 {
						k.Kill()
						return
					}
				}
				time.Sleep(time.Millisecond)
			}
		}()
		code, _, msg := hwgen(on(k.Port, "encrypt", "-cluster", "aes", "-mode", "cbc", "-key-file", key, "-iv", hostIV, "-in", plain, "-out", path("half"), "-pad")...)
		require.Equal(t, 4, code, msg)
		require.Contains(t, msg, "the device is gone")
		require.Contains(t, msg, "is not written")
		absent(t, "half")
		code, _, msg = hwgen(on(k.Port, "status")...)
		require.Equal(t, 2, code, msg)
		require.Contains(t, msg, "there is no such port")
	})
}
