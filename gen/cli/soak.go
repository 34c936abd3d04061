// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"hwgen/gen/bench"
	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/verify"
)

func init() { commands = append(commands, newSoakCmd) }

// soakDesign is a design that the long random runs go through.
type soakDesign struct {
	Name, Text string
}

// soakDesigns are 1x1, 2x3, 3x5 with all three algorithms, and 1x16, at every stream width.
func soakDesigns() []soakDesign {
	aes := func(k ...string) bench.Cluster { return bench.Cluster{Algorithm: "aes128", Kinds: k, Choose: 8} }
	aes256 := func(k ...string) bench.Cluster { return bench.Cluster{Algorithm: "aes256", Kinds: k, Choose: 8} }
	sm4 := func(k ...string) bench.Cluster { return bench.Cluster{Algorithm: "sm4", Kinds: k, Choose: 8} }
	shapes := []struct {
		name     string
		clusters []bench.Cluster
	}{
		{"1x1", []bench.Cluster{aes("aes128_8sbox")}},
		{"2x3", []bench.Cluster{aes("aes128_16sbox", "aes128_8sbox", "aes128_4sbox"), sm4("sm4_1round", "sm4_2round", "sm4_4round")}},
		{"3x5", []bench.Cluster{
			aes("aes128_16sbox*2", "aes128_8sbox", "aes128_4sbox*2"), aes256("aes256_16sbox", "aes256_8sbox*2", "aes256_4sbox*2"),
			sm4("sm4_4round", "sm4_2round*2", "sm4_1round*2"),
		}},
		{"1x16", []bench.Cluster{aes("aes128_4sbox*16")}},
	}
	var out []soakDesign
	for _, s := range shapes {
		for _, w := range []int{32, 64, 128} {
			name := fmt.Sprintf("d%s_%d", s.name, w)
			out = append(out, soakDesign{name, bench.Config(name, w, 64, 32, s.clusters...)})
		}
	}
	return out
}

func newSoakCmd(app *App) *cobra.Command {
	var packets int
	var seed int64
	var asJSON bool
	c := &cobra.Command{
		Use:    "soak [-packets N]",
		Short:  "Verify 1x1, 2x3, 3x5 and 1x16 designs at each stream width with many random packets",
		Hidden: true,
		Args:   noArgs,
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
			defer stop()
			p := newProgress(app.Err)
			var reps []*verify.Report
			ok := true
			for _, s := range soakDesigns() {
				cfg, err := config.Parse(s.Name+".toml", ".", []byte(s.Text))
				if err != nil {
					return err
				}
				d, err := design.Elaborate(cfg)
				if err != nil {
					return err
				}
				files, err := app.Emit(&Loaded{cfg, d})
				if err != nil {
					return err
				}
				rep, err := verify.Run(ctx, verify.Options{
					Design: d, Files: files, Packets: packets, Seed: seed, Progress: p.step,
					Steps: []string{"vectors", "vectors-split", "vectors-interleaved", "jobs", "frames", "directed", "clear", "reset"},
					Note:  func(f string, a ...any) { p.clear(); app.Note("hwgen: "+f, a...) },
				})
				p.clear()
				if err != nil {
					return err
				}
				reps = append(reps, rep)
				ok = ok && rep.OK
				if !asJSON {
					app.Printf("%s\n%s", s.Name, rep.Table())
				}
			}
			if asJSON {
				if err := app.PrintJSON(reps); err != nil {
					return err
				}
			}
			if !ok {
				return diag.Failed("the soak test failed (seed %d)", seed)
			}
			return nil
		},
	}
	c.Flags().IntVar(&packets, "packets", 100000, "`N` packets of random jobs for each design, and as many random frames")
	c.Flags().Int64Var(&seed, "seed", 1, "seed `S` of all that is random")
	jsonFlag(c, &asJSON)
	return c
}
