// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"hwgen/gen/diag"
	"hwgen/gen/sim"
)

// ptyFlags are those of a board in simulation.
type ptyFlags struct {
	on    bool
	link  string
	noise float64
}

func (p *ptyFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&p.on, "pty", false, "run the top with the UART, its line on a pseudo-terminal, until interrupted")
	c.Flags().StringVar(&p.link, "link", "", "with -pty: make `FILE` a symbolic link to the terminal, as long as it is there")
	c.Flags().Float64Var(&p.noise, "noise", 0, "with -pty: chance that a bit time on either line begins a disturbance of up to 20 bits")
}

// removeLink removes a link, unless it leads to another terminal by now.
func removeLink(link, port string) {
	if to, err := os.Readlink(link); err == nil && to == port {
		_ = os.Remove(link)
	}
}

// runBoard runs a design's top with the UART until it is interrupted.
func runBoard(cmd *cobra.Command, app *App, configPath, waves string, seed int64, p *ptyFlags) error {
	for _, f := range []string{"jobs", "workload", "results", "trace", "gap", "stall", "json"} {
		if cmd.Flags().Changed(f) {
			return diag.Usage("-%s does not go with -pty: jobs come from `hwgen host`", f)
		}
	}
	if runtime.GOOS != "linux" {
		return diag.Usage("-pty: the simulation's pseudo-terminal is one of Linux; run it there (WSL is Linux)")
	}
	if math.IsNaN(p.noise) || p.noise < 0 || p.noise > 0.1 {
		return diag.Usage("-noise %g: allowed: 0 to 0.1", p.noise)
	}
	if waves == "-" {
		return diag.Usage("-waves needs a file, waves do not go to standard output")
	}
	if p.link != "" {
		if st, err := os.Lstat(p.link); err == nil && st.Mode()&fs.ModeSymlink == 0 {
			return diag.Usage("-link %s is there and is no symbolic link", p.link)
		}
	}
	l, err := app.Load(configPath)
	if err != nil {
		return err
	}
	if l.Design.Host == nil {
		return diag.Usage("%s: the design has no UART; add a section [host] with clock_hz to it", l.Config.File)
	}
	files, err := app.Emit(l)
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	s, err := sim.Build(ctx, l.Design, files, sim.Options{
		UART: true, Waves: waves != "", Note: func(f string, a ...any) { app.Note("hwgen: "+f, a...) },
	})
	if err != nil {
		return err
	}
	b, err := s.StartBoard(sim.BoardOptions{Seed: seed, Noise: p.noise, Waves: waves})
	if err != nil {
		return err
	}
	defer b.Stop()
	if p.link != "" {
		if err := os.Remove(p.link); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return diag.Usage("-link %s: %w", p.link, diag.Cause(err))
		}
		if err := os.Symlink(b.Port, p.link); err != nil {
			return diag.Usage("-link %s: %w", p.link, diag.Cause(err))
		}
		defer removeLink(p.link, b.Port)
	}
	app.Printf("%s\n", b.Port)
	app.Note("hwgen: %s runs at %d baud; `hwgen host -port %s status` speaks to it; interrupt to end", l.Design.Host.Top,
		l.Design.Host.Baud, b.Port)
	select {
	case <-ctx.Done():
		app.Note("hwgen: %s", b.Stop())
		return nil
	case <-b.Done():
		return diag.Failed("the simulation ended: %s", b.Stop())
	}
}
