// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"io"
	"os"
	"slices"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"hwgen/gen/diag"
	"hwgen/gen/verify"
)

func init() { commands = append(commands, newVerifyCmd) }

func newVerifyCmd(app *App) *cobra.Command {
	var configPath string
	var packets int
	var seed int64
	var steps []string
	var asJSON bool
	c := &cobra.Command{
		Use:   "verify [-config FILE] [-packets N] [-seed S]",
		Short: "Prove on the generated Verilog that the design encrypts as the standards say",
		Long: `Generates the design and checks it: lint in Icarus Verilog, Verilator and Yosys, the self-checking bench of each
module, the standard vectors whole, split at every block boundary and sixteen at a time, random jobs with random stalls
on both streams against reference ciphers, random frames with errors of each kind against a model of the packet format,
every status followed by a good packet, clear and reset in any state, and a short run in Icarus Verilog.

A summary goes to standard output. Exit code 1 if something failed, 4 if a tool is missing.

Steps: ` + strings.Join(verify.StepNames(), ", ") + `.`,
		Example: `  hwgen verify -config quad.toml
  hwgen verify -config quad.toml -packets 100000 -seed 7
  hwgen verify -step jobs -step clear`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			for _, s := range steps {
				if !slices.Contains(verify.StepNames(), s) {
					return diag.Usage("unknown step %q; %s", s, diag.Allowed(s, verify.StepNames()))
				}
			}
			if packets < 1 {
				return diag.Usage("-packets %d: at least 1", packets)
			}
			l, err := app.Load(configPath)
			if err != nil {
				return err
			}
			files, err := app.Emit(l)
			if err != nil {
				return err
			}
			ctx, stop := interruptible()
			defer stop()
			p := newProgress(app.Err)
			rep, err := verify.Run(ctx, verify.Options{
				Design: l.Design, Files: files, Packets: packets, Seed: seed, Steps: steps,
				Progress: p.step, Note: func(f string, a ...any) { p.clear(); app.Note("hwgen: "+f, a...) },
			})
			p.clear()
			if err != nil {
				return err
			}
			if asJSON {
				if err := app.PrintJSON(rep); err != nil {
					return err
				}
			} else {
				app.Printf("%s", rep.Table())
			}
			if !rep.OK {
				return diag.Failed("verification of %s failed (seed %d)", l.Design.Name, seed)
			}
			if !asJSON {
				app.Printf("%s: all checks passed\n", l.Design.Name)
			}
			return nil
		},
	}
	configFlag(c, &configPath)
	c.Flags().IntVar(&packets, "packets", 5000, "`N` packets of random jobs, and as many random frames")
	c.Flags().Int64Var(&seed, "seed", 1, "seed `S` of all that is random")
	c.Flags().StringSliceVar(&steps, "step", nil, "run this `STEP` alone (may be given several times)")
	jsonFlag(c, &asJSON)
	return c
}

// progress shows a bar on a terminal, and nothing elsewhere.
type progress struct {
	w    io.Writer
	bar  *progressbar.ProgressBar
	name string
}

func newProgress(w io.Writer) *progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &progress{}
	}
	return &progress{w: w}
}

func (p *progress) step(name string, done, total int) {
	if p.w == nil {
		return
	}
	if p.bar == nil || p.name != name {
		p.clear()
		p.name = name
		p.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(name),
			progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(24))
	}
	p.bar.ChangeMax(total)
	_ = p.bar.Set(done)
}

func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}
