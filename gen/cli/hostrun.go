// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"hwgen/gen/cipher"
	"hwgen/gen/diag"
	"hwgen/gen/host"
	"hwgen/gen/link"
)

// hostFigures are a run's figures.
type hostFigures struct {
	Bytes   int64      `json:"bytes"`
	Seconds float64    `json:"seconds"`
	Rate    float64    `json:"bytes_per_second"`
	Link    link.Stats `json:"link"`
	MAC     string     `json:"mac,omitempty"`
}

func (h *hostFigures) String() string {
	s := fmt.Sprintf("%d bytes in %.2f s, %.1f kB/s", h.Bytes, h.Seconds, h.Rate/1000)
	if l := h.Link; l.SentAgain+l.BadFrames+l.Polls > 0 {
		s += fmt.Sprintf(" (%d segments sent again, %d broken frames, %d polls)", l.SentAgain, l.BadFrames, l.Polls)
	}
	return s
}

// runJob does a job in a session of its own. Figures are those of a job that is done: then an error says that the device
// was not cleared.
func (f *hostFlags) runJob(ctx context.Context, app *App, c *link.Conn, j *host.Job, in io.Reader, size int64, out io.Writer) (*hostFigures, error) {
	defer survivePipes()() // the device is to be cleared
	p := newProgress(app.Err)
	defer p.clear()
	shown := int64(-1)
	j.Progress = func(done int64) {
		if done-shown >= 1<<14 {
			shown = done
			p.step("bytes", int(done), int(max(size, done)))
		}
	}
	begin := time.Now() //nolint:forbidigo // throughput is of the wall clock
	if err := c.Open(ctx); err != nil {
		c.Close()
		return nil, f.explain(err)
	}
	n, err := host.Run(ctx, c, c.Info(), j, in, out)
	took := time.Since(begin).Seconds()
	stats := c.Stats()
	werr := f.wipe(ctx, c, err)
	if err != nil {
		return nil, werr
	}
	return &hostFigures{Bytes: n, Seconds: took, Rate: float64(n) / max(took, 1e-9), Link: stats}, werr
}

// openHostInput is a file or standard input, and its size or -1.
func openHostInput(path string) (io.ReadCloser, int64, error) {
	if path == "-" {
		return io.NopCloser(os.Stdin), -1, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, diag.Usage("-in %s: %w", path, diag.Cause(err))
	}
	st, err := f.Stat()
	if err != nil || st.IsDir() {
		f.Close()
		return nil, 0, diag.Usage("-in %s is a folder; name a file", path)
	}
	if !st.Mode().IsRegular() {
		return f, -1, nil
	}
	return f, st.Size(), nil
}

// openOutput is standard output, or a file that gets its name once all is in it. Who else may read a new one: mode.
func openOutput(app *App, path string, mode os.FileMode) (w io.Writer, commit func() error, drop func(), err error) {
	if path == "-" {
		w := app.Out
		if c, ok := w.(*checked); ok {
			w = failing{c}
		}
		return w, func() error { return nil }, func() {}, nil
	}
	if err := checkWritable(path); err != nil {
		return nil, nil, nil, diag.Usage("-out %s: %w", path, err)
	}
	o, err := createFile(path, mode)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("-out %w", err)
	}
	commit = func() error {
		if err := o.commit(); err != nil {
			return fmt.Errorf("-out %w", err)
		}
		return nil
	}
	return o, commit, o.drop, nil
}

// jobFlags are those of encrypt, decrypt and mac.
type jobFlags struct {
	cluster, in string
	packet      int
	key         keyFlags
	json        bool
}

func (j *jobFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&j.cluster, "cluster", "", "`NAME` or number of the cluster; needed if there are several")
	c.Flags().StringVar(&j.in, "in", "-", "input `FILE`; - is standard input")
	c.Flags().IntVar(&j.packet, "packet", 0, "bytes `N` a packet, a multiple of 16 (default: as many as the design takes)")
	j.key.add(c)
	jsonFlag(c, &j.json)
}

// job begins a job on a device: its cluster, key and packet size.
func (j *jobFlags) job(info *link.Info, cmd cipher.Cmd, mode cipher.Mode) (*host.Job, error) {
	n, err := pickCluster(info, j.cluster)
	if err != nil {
		return nil, err
	}
	job := &host.Job{Cluster: n, Cmd: cmd, Mode: mode, Packet: j.packet}
	if job.Packet == 0 {
		job.Packet = info.PacketBytes
	}
	if job.Key, err = j.key.read(cipher.KeySize(info.Clusters[n].Algorithm)); err != nil {
		return nil, err
	}
	if err := job.Check(info); err != nil {
		return nil, diag.Usage("%w", err)
	}
	return job, nil
}

func newHostCryptCmd(app *App, f *hostFlags, cmd cipher.Cmd) *cobra.Command {
	var j jobFlags
	var modeName, iv, outPath string
	var pad bool
	verb, other := "Encrypt", "enc"
	if cmd == cipher.Decrypt {
		verb, other = "Decrypt", "enc -d"
	}
	c := &cobra.Command{
		Use:   cmd.String() + " -mode M -in FILE -out FILE",
		Short: verb + " a file on the board",
		Long: verb + `s what it reads, in one job, with many packets in flight, and writes what ` + "`openssl " + other + " -nopad`" + ` would, or, with
-pad, what it would without -nopad.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			mode, err := pickMode(modeName, cipher.ECB, cipher.CBC, cipher.CFB, cipher.OFB, cipher.CTR)
			if err != nil {
				return err
			}
			if pad && mode != cipher.ECB && mode != cipher.CBC {
				return diag.Usage("-pad is for ecb and cbc; %s takes any number of bytes", mode)
			}
			var ivBytes []byte
			switch {
			case mode == cipher.ECB && iv != "":
				return diag.Usage("-iv: ecb has none")
			case mode != cipher.ECB && iv == "":
				return diag.Usage("mode %s needs -iv, 16 bytes in hex", mode)
			case mode != cipher.ECB:
				if ivBytes, err = hexBytes("iv", iv); err != nil {
					return err
				}
			}
			if err := j.key.check(); err != nil {
				return err
			}
			in, size, err := openHostInput(j.in)
			if err != nil {
				return err
			}
			defer in.Close()
			fileMode := os.FileMode(0o666)
			if cmd == cipher.Decrypt {
				fileMode = 0o600
			}
			out, commit, drop, err := openOutput(app, outPath, fileMode)
			if err != nil {
				return err
			}
			defer drop()
			ctx, stop := interruptible()
			defer stop()
			d, err := f.dial(ctx, c, app)
			if err != nil {
				return err
			}
			job, err := j.job(d.Info(), cmd, mode)
			if err != nil {
				d.Close()
				return err
			}
			defer clear(job.Key)
			job.IV, job.Pad = ivBytes, pad
			fig, err := f.runJob(ctx, app, d, job, in, size, out)
			if fig == nil {
				return notWritten(err, outPath)
			}
			if cerr := f.explain(commit()); cerr != nil {
				return errors.Join(cerr, err)
			}
			if err != nil && outPath != "-" {
				err = fmt.Errorf("%w\n%s is written", err, outPath)
			}
			return errors.Join(app.figures(fig, j.json && outPath != "-"), err)
		},
	}
	j.add(c)
	c.Flags().StringVar(&modeName, "mode", "", "mode of operation `M`: ecb, cbc, cfb, ofb, ctr")
	c.Flags().StringVar(&iv, "iv", "", "IV or first counter block, 16 bytes in `HEX`")
	c.Flags().StringVar(&outPath, "out", "-", "output `FILE`; - is standard output, which may get a part before an error")
	c.Flags().BoolVar(&pad, "pad", false, "PKCS#7 padding, as openssl has it by default; without it ecb and cbc take whole blocks only")
	return c
}

// notWritten says that an output has not come to be.
func notWritten(err error, path string) error {
	if path == "-" {
		return err
	}
	return fmt.Errorf("%w\n%s is not written", err, path)
}

// figures says how a run went.
func (a *App) figures(f *hostFigures, asJSON bool) error {
	if asJSON {
		return a.PrintJSON(f)
	}
	a.Note("hwgen: %s", f)
	return nil
}

func newHostMACCmd(app *App, f *hostFlags) *cobra.Command {
	var j jobFlags
	var tag string
	c := &cobra.Command{
		Use:   "mac -in FILE [-tag HEX]",
		Short: "Compute or check a MAC on the board",
		Long: `Computes the CMAC of what it reads and prints it in hex, as ` + "`openssl mac -cipher AES-128-CBC CMAC`" + ` does. With -tag the
board compares instead: exit code 1 if they differ.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cmd := cipher.Sign
			var tagBytes []byte
			if c.Flags().Changed("tag") {
				var err error
				if tagBytes, err = hexBytes("tag", tag); err != nil {
					return err
				}
				cmd = cipher.Verify
			}
			if err := j.key.check(); err != nil {
				return err
			}
			in, size, err := openHostInput(j.in)
			if err != nil {
				return err
			}
			defer in.Close()
			ctx, stop := interruptible()
			defer stop()
			d, err := f.dial(ctx, c, app)
			if err != nil {
				return err
			}
			job, err := j.job(d.Info(), cmd, cipher.MAC)
			if err != nil {
				d.Close()
				return err
			}
			defer clear(job.Key)
			job.Tag = tagBytes
			var mac bytes.Buffer
			fig, err := f.runJob(ctx, app, d, job, in, size, &mac)
			if fig == nil {
				return err
			}
			if cmd == cipher.Sign && mac.Len() != cipher.BlockSize {
				return diag.Failed("the device returned a MAC of %d bytes", mac.Len())
			}
			fig.MAC = hex.EncodeToString(mac.Bytes())
			if j.json {
				return errors.Join(app.PrintJSON(fig), err)
			}
			if cmd == cipher.Sign {
				app.Printf("%s\n", fig.MAC)
			}
			return errors.Join(app.figures(fig, false), err)
		},
	}
	j.add(c)
	c.Flags().StringVar(&tag, "tag", "", "MAC to compare with, 16 bytes in `HEX`")
	return c
}

func newHostBenchCmd(app *App, f *hostFlags) *cobra.Command {
	var cluster, modeName string
	var size, packet int
	var asJSON bool
	c := &cobra.Command{
		Use:   "bench -mode M -bytes N",
		Short: "Measure what the board does through its port",
		Long: `Encrypts random bytes with a random key, compares the result with a cipher of the host's own, and says how fast it was,
and how fast the line alone would be.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			mode, err := pickMode(modeName, cipher.ECB, cipher.CBC, cipher.CFB, cipher.OFB, cipher.CTR, cipher.MAC)
			if err != nil {
				return err
			}
			if size < 16 || size > 1<<30 {
				return diag.Usage("-bytes %d: 16 to 2^30", size)
			}
			size = size / 16 * 16
			ctx, stop := interruptible()
			defer stop()
			d, err := f.dial(ctx, c, app)
			if err != nil {
				return err
			}
			job, alg, data, err := benchJob(d.Info(), cluster, mode, packet, size)
			if err != nil {
				d.Close()
				return err
			}
			var out bytes.Buffer
			fig, err := f.runJob(ctx, app, d, job, bytes.NewReader(data), int64(size), &out)
			if fig == nil || err != nil {
				return err
			}
			want, _, err := cipher.Run(alg, job.Cmd, mode, job.Key, job.IV, data, nil)
			if err != nil {
				return err
			}
			if !bytes.Equal(want, out.Bytes()) {
				return diag.Failed("the board's result is wrong")
			}
			if asJSON {
				return app.PrintJSON(fig)
			}
			line := float64(f.baud) / 10
			app.Printf("%s %s, %d-byte packets: %s, right\n", alg, mode, job.Packet, fig)
			app.Printf("the line: %.1f kB/s each way, %.0f %% of that to the board, %.0f %% from it\n", line/1000,
				math.Round(100*float64(fig.Link.BytesOut)/fig.Seconds/line), math.Round(100*float64(fig.Link.BytesIn)/fig.Seconds/line))
			return nil
		},
	}
	c.Flags().StringVar(&cluster, "cluster", "", "`NAME` or number of the cluster; needed if there are several")
	c.Flags().StringVar(&modeName, "mode", "ctr", "mode of operation `M`: ecb, cbc, cfb, ofb, ctr, mac")
	c.Flags().IntVar(&size, "bytes", 1<<20, "`N` bytes to encrypt")
	c.Flags().IntVar(&packet, "packet", 0, "bytes `N` a packet, a multiple of 16 (default: as many as the design takes)")
	jsonFlag(c, &asJSON)
	return c
}

// benchJob draws a key, an IV and data.
func benchJob(info *link.Info, cluster string, mode cipher.Mode, packet, size int) (*host.Job, string, []byte, error) {
	n, err := pickCluster(info, cluster)
	if err != nil {
		return nil, "", nil, err
	}
	alg := info.Clusters[n].Algorithm
	data := make([]byte, size)
	j := &host.Job{Cluster: n, Mode: mode, Packet: packet, Key: make([]byte, cipher.KeySize(alg))}
	if j.Packet == 0 {
		j.Packet = info.PacketBytes
	}
	if mode == cipher.MAC {
		j.Cmd = cipher.Sign
	} else if mode != cipher.ECB {
		j.IV = make([]byte, cipher.BlockSize)
	}
	for _, b := range [][]byte{data, j.Key, j.IV} {
		if _, err := rand.Read(b); err != nil {
			return nil, "", nil, err
		}
	}
	if err := j.Check(info); err != nil {
		return nil, "", nil, diag.Usage("%w", err)
	}
	return j, alg, data, nil
}

func newHostStatusCmd(app *App, f *hostFlags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status [-json]",
		Short: "Ask a board what it is",
		Long:  `Says hello to the board and prints what it answers. What runs on it goes on.`,
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, stop := interruptible()
			defer stop()
			d, err := f.dial(ctx, c, app)
			if err != nil {
				return err
			}
			defer d.Close()
			i, st := d.Info(), d.Stats()
			if asJSON {
				return app.PrintJSON(struct {
					*link.Info
					Config string     `json:"config_sha256_prefix"`
					Link   link.Stats `json:"link"`
				}{i, i.ConfigHash(), st})
			}
			app.Printf("design %s, config SHA-256 %s..., link version %d\n", i.Name, i.ConfigHash(), i.Version)
			app.Printf("%d-bit streams, %d packet slots of %d bytes, a window of %d segments\n", i.DataWidth, i.Slots, i.PacketBytes, i.Window)
			rows := [][]string{{"cluster", "name", "algorithm", "cores", "choose list", "key slots", "slot quota"}}
			for n, c := range i.Clusters {
				rows = append(rows, []string{fmt.Sprint(n), c.Name, c.Algorithm, fmt.Sprint(c.Cores), fmt.Sprint(c.Choose),
					fmt.Sprint(c.KeySlots), fmt.Sprint(c.Quota)})
			}
			app.table(rows)
			app.Printf("session open: %s; frames in the scheduler: %d; broken frames since reset, modulo 256: %d\n", yes(st.Open), st.InFlight,
				st.DeviceError)
			return nil
		},
	}
	jsonFlag(c, &asJSON)
	return c
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
