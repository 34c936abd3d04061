// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hwgen/gen/cipher"
	"hwgen/gen/diag"
	"hwgen/gen/host"
	"hwgen/gen/link"
)

func init() { commands = append(commands, newHostCmd) }

// hostFlags are those of every host command.
type hostFlags struct {
	port, config string
	baud         int
	timeout      float64
}

const defaultBaud = 3_000_000

func newHostCmd(app *App) *cobra.Command {
	var f hostFlags
	c := &cobra.Command{
		Use:   "host -port P encrypt|decrypt|mac|bench|registers|status",
		Short: "Encrypt files on a board through its serial port",
		Long: `Speaks to a board that runs a design with a section [host], or to one in simulation (` + "`hwgen sim -pty`" + `), over its
serial port: encrypts and decrypts files of any size, computes MACs, measures, reads and writes registers, and asks
the board what it is.

The key comes from a file or from the environment, never from the command line, which others on the machine can read. It
is in the board only while a command runs: the session's beginning and its end overwrite keys and data there.

Exit codes: 0 done; 1 the data is wrong (no padding, a MAC that does not match), or the device refused a packet or a
register, or output can't be written; 2 usage, or a port that can't be opened; 4 no answer, garbage, another version of the
link, or a device that vanished, was reset, or could not be cleared in the end. Output goes to its file only once all of it
is there.`,
		Example: `  hwgen host -port /dev/ttyUSB1 status
  hwgen host -port /dev/ttyUSB1 encrypt -cluster aes -mode cbc -key-file key.hex -iv 000102030405060708090a0b0c0d0e0f \
      -in plain -out cipher -pad
  KEY=2b7e151628aed2a6abf7158809cf4f3c hwgen host -port /dev/ttyUSB1 mac -cluster aes -key-env KEY -in plain
  hwgen host -port /dev/ttyUSB1 bench -cluster sm4 -mode ctr -bytes 1000000`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			return diag.Usage("host needs a command: encrypt, decrypt, mac, bench, registers or status; see `hwgen host -help`")
		},
	}
	p := c.PersistentFlags()
	p.StringVar(&f.port, "port", "", "serial port `P`: /dev/ttyUSB1, or what `hwgen sim -pty` prints")
	p.IntVar(&f.baud, "baud", defaultBaud, "bits a second `N`, as [host] of the design's config says")
	p.StringVarP(&f.config, "config", "c", "", "the design's config `FILE`: takes the speed from it, and refuses a board that runs another one")
	p.Float64Var(&f.timeout, "timeout", 5, "seconds `S` without an answer after which the device is given up")
	c.AddCommand(newHostCryptCmd(app, &f, cipher.Encrypt), newHostCryptCmd(app, &f, cipher.Decrypt), newHostMACCmd(app, &f),
		newHostBenchCmd(app, &f), newHostRegistersCmd(app, &f), newHostStatusCmd(app, &f))
	return c
}

func (f *hostFlags) silence() time.Duration { return time.Duration(f.timeout * float64(time.Second)) }

// dial opens the port and says hello.
func (f *hostFlags) dial(ctx context.Context, cmd *cobra.Command, app *App) (*link.Conn, error) {
	if f.port == "" {
		return nil, diag.Usage("host %s needs -port P", cmd.Name())
	}
	if math.IsNaN(f.timeout) || f.timeout < 0.1 || f.timeout > 3600 {
		return nil, diag.Usage("-timeout %g: 0.1 to 3600 seconds", f.timeout)
	}
	hash := ""
	if f.config != "" {
		l, err := app.Load(f.config)
		if err != nil {
			return nil, err
		}
		if l.Design.Host == nil {
			return nil, diag.Usage("%s has no section [host]", f.config)
		}
		if !cmd.Flags().Changed("baud") {
			f.baud = l.Design.Host.Baud
		}
		hash = l.Config.Hash
	}
	if f.baud < 1 {
		return nil, diag.Usage("-baud %d: at least 1", f.baud)
	}
	port, err := link.OpenPort(f.port, f.baud)
	if err != nil {
		return nil, diag.Usage("%w", err)
	}
	c, err := link.Dial(ctx, port, link.Options{Timeout: f.silence(), Baud: f.baud})
	if err != nil {
		return nil, f.explain(err)
	}
	if have := c.Info().ConfigHash(); hash != "" && !strings.HasPrefix(hash, have) {
		c.Close()
		return nil, diag.Failed("the board runs design %q of another config (SHA-256 %s...) than %s (%s...)", c.Info().Name, have[:12],
			f.config, hash[:12])
	}
	return c, nil
}

// explain gives an error of the link its exit code, and what can be done.
func (f *hostFlags) explain(err error) error {
	var (
		garbage *link.GarbageError
		version *link.VersionError
		gone    *link.GoneError
		status  *host.StatusError
	)
	tool := func(hint string) error {
		return &diag.CodeError{Code: diag.ExitTool, Err: fmt.Errorf("port %s: %w; %s", f.port, err, hint)}
	}
	speed := fmt.Sprintf("speed (-baud %d, the design's [host] baud)", f.baud)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, link.ErrNoAnswer):
		return tool(fmt.Sprintf("nothing for %g s: is it powered and configured, is this its port, is this its %s?", f.timeout, speed))
	case errors.As(err, &garbage):
		return tool("is this the right port, and its " + speed + "?")
	case errors.As(err, &version):
		return tool("generate and load the design anew with this hwgen, or take the hwgen that generated it")
	case errors.As(err, &gone):
		return tool("was it unplugged?")
	case errors.Is(err, link.ErrStuck):
		return tool("reset the board")
	case errors.Is(err, link.ErrReset):
		return tool("was its reset pressed, or its power gone for a moment? Run the command again")
	case errors.As(err, &status), errors.Is(err, host.ErrAnswer):
		return diag.Failed("%w", err)
	case errors.Is(err, context.Canceled):
		return diag.Failed("interrupted")
	}
	return err
}

// wipe ends a run in which ctx was to be watched, and its session: keys and data in the device are overwritten. It takes
// how the run went, and adds to it if the device could not be cleared.
func (f *hostFlags) wipe(ctx context.Context, c *link.Conn, err error) error {
	defer c.Close()
	const left = "the device is not cleared: the key may still be in it, until the next session or a reset"
	var gone *link.GoneError
	if errors.As(err, &gone) {
		return fmt.Errorf("%w\n%s", f.explain(err), left)
	}
	timeout := f.silence()
	if errors.Is(err, link.ErrNoAnswer) { // it had that already
		timeout = 0
	}
	// The interrupt that ends the run does not end this, the next one does.
	clearing, cancel := context.WithCancel(context.Background())
	defer cancel()
	unwatch := context.AfterFunc(ctx, func() {
		again, stop := interruptible()
		defer stop()
		select {
		case <-again.Done():
			cancel()
		case <-clearing.Done():
		}
	})
	defer unwatch()
	switch werr := f.explain(c.Clear(clearing, timeout)); {
	case werr == nil:
		return f.explain(err)
	case err == nil:
		return fmt.Errorf("%w\nall results are there, but %s", werr, left)
	default:
		return fmt.Errorf("%w\n%s (%v)", f.explain(err), left, werr)
	}
}

// pickCluster finds a cluster by name or number; without a name there must be but one.
func pickCluster(info *link.Info, name string) (int, error) {
	var names []string
	for i, c := range info.Clusters {
		if c.Name == name || fmt.Sprint(i) == name {
			return i, nil
		}
		names = append(names, c.Name)
	}
	if name == "" {
		if len(names) == 1 {
			return 0, nil
		}
		return 0, diag.Usage("which cluster? add -cluster; allowed: %s", strings.Join(names, ", "))
	}
	return 0, diag.Usage("the board has no cluster %q; %s", name, diag.Allowed(name, names))
}

// pickMode reads a mode's name.
func pickMode(name string, allowed ...cipher.Mode) (cipher.Mode, error) {
	var names []string
	for _, m := range allowed {
		if m.String() == name || m == cipher.CFB && name == "cfb128" {
			return m, nil
		}
		names = append(names, m.String())
	}
	if name == "" {
		return 0, diag.Usage("which mode? add -mode; allowed: %s", strings.Join(names, ", "))
	}
	return 0, diag.Usage("unknown mode %q; %s", name, diag.Allowed(name, names))
}

// hexBytes reads 16 bytes of hex of a flag.
func hexBytes(flag, s string) ([]byte, error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != cipher.BlockSize {
		return nil, diag.Usage("-%s: 16 bytes in hex, which are 32 digits; this has %d characters", flag, len(s))
	}
	return b, nil
}

// keyFlags say where a key is.
type keyFlags struct{ file, env string }

func (k *keyFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&k.file, "key-file", "", "`FILE` with the key, in hex or as its bytes; of hex digits alone it is hex")
	c.Flags().StringVar(&k.env, "key-env", "", "environment `VARIABLE` with the key in hex")
}

// check says what can be known of the flags before the board is asked.
func (k *keyFlags) check() error {
	if (k.file == "") == (k.env == "") {
		return diag.Usage("the key: give -key-file FILE or -key-env VARIABLE, one of them")
	}
	return nil
}

// read gets a key of n bytes.
func (k *keyFlags) read(n int) ([]byte, error) {
	if k.env != "" {
		s, ok := os.LookupEnv(k.env)
		if !ok {
			return nil, diag.Usage("-key-env: the environment has no %s", k.env)
		}
		b, err := hex.DecodeString(strings.TrimSpace(s))
		if err != nil || len(b) != n {
			return nil, diag.Usage("%s has no key of %d bytes in hex (%d digits)", k.env, n, 2*n)
		}
		return b, nil
	}
	f, err := os.ReadFile(k.file)
	if err != nil {
		return nil, diag.Usage("key file %s: %w", k.file, diag.Cause(err))
	}
	defer clear(f)
	text := bytes.TrimSpace(f)
	if b, err := hex.DecodeString(string(text)); err == nil && len(b) == n {
		return b, nil
	}
	// no bytes of a key: they are drawn from all there are
	if len(text) > 0 && len(bytes.Trim(text, "0123456789abcdefABCDEF")) == 0 {
		return nil, diag.Usage("key file %s has %d hex digits; a key of %d bytes has %d", k.file, len(text), n, 2*n)
	}
	if len(f) == n {
		return append([]byte(nil), f...), nil
	}
	return nil, diag.Usage("key file %s has %d bytes; a key of %d bytes, or %d hex digits, was expected", k.file, len(f), n, 2*n)
}
