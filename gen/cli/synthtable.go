// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hwgen/gen/bench"
	"hwgen/gen/board"
	"hwgen/gen/cipher"
	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/diag"
	"hwgen/gen/synth"
)

func init() { commands = append(commands, newSynthTableCmd) }

// Marks around the table in a Markdown file.
const (
	tableBegin = "<!-- synth-table: written by make synth-table -->"
	tableEnd   = "<!-- end of synth-table -->"
)

// tableRow is one design of the table of parts.
type tableRow struct {
	name, text    string // of the config
	arbiter       int    // inputs of the arbiter that is placed in place of the design; 0: the design
	target, block string
	seeds         int
}

func tableRows() []tableRow {
	var rows []tableRow
	onBoard := func(name, what string, text func(*board.Board) string) {
		if b, err := board.Find(name); err == nil {
			rows = append(rows, tableRow{name: name + ", " + what, text: text(b), seeds: 1})
		}
	}
	const least = "1 SM4, serial lane, 2 slots"
	for _, b := range []string{"hx8k-breakout", "ulx3s-12f", "tang-nano-9k", "tang-nano-20k"} {
		onBoard(b, least, (*board.Board).LeastConfig)
	}
	for _, b := range []string{"icebreaker", "ulx3s-12f"} {
		onBoard(b, "its starter", (*board.Board).StarterConfig)
	}
	rows = append(rows, tableRow{name: "2 AES-128 and 2 SM4, serial lanes, 16 slots", text: twoAndTwo, target: "hx8k", seeds: 1})
	for _, n := range []int{4, 8, 16, 32} {
		text := balancerOf(n, "tree")
		rows = append(rows,
			tableRow{name: fmt.Sprintf("balancer, tree, %d cores", n), text: text, target: "hx8k", block: "aes.balancer", seeds: 3},
			tableRow{name: fmt.Sprintf("round-robin arbiter, %d inputs", n), text: text, arbiter: n, target: "hx8k", seeds: 3})
	}
	for _, n := range []int{4, 32} {
		rows = append(rows, tableRow{
			name: fmt.Sprintf("balancer, scan, %d cores", n), text: balancerOf(n, "scan"), target: "hx8k",
			block: "aes.balancer", seeds: 3,
		})
	}
	return append(rows, tableRow{
		name: "choose list, 16 entries", text: balancerOf(4, "tree"), target: "hx8k", block: "aes.choose_list", seeds: 3,
	})
}

const twoAndTwo = `[design]
name = "two"
data_width = 32
slots = 16
[scheduler]
programmable = false
lane = "serial"
[[cluster]]
name = "aes"
algorithm = "aes128"
choose_list = 8
key_slots = 4
[[cluster.core]]
kind = "aes128_4sbox"
count = 2
decrypt = false
[[cluster]]
name = "sm4"
algorithm = "sm4"
choose_list = 8
key_slots = 4
[[cluster.core]]
kind = "sm4_1round"
count = 2
`

// balancerOf is a cluster of n cores, half of them fast, with 12-bit scores and constant tables.
func balancerOf(n int, kind string) string {
	return fmt.Sprintf(`[design]
name = "bal"
[scheduler]
programmable = false
score_bits = 12
balancer = %q
[[cluster]]
name = "aes"
algorithm = "aes128"
choose_list = 16
[[cluster.core]]
kind = "aes128_16sbox"
count = %d
[[cluster.core]]
kind = "aes128_4sbox"
count = %d
`, kind, n/2, n/2)
}

// arbiter is what the balancer is compared with: the library's round-robin arbiter between registers.
const arbiter = `module arbiter (input wire clk, input wire rst, input wire [%[1]d:0] req, output reg [%[1]d:0] grant);
  reg  [%[1]d:0] req_q;
  wire [%[1]d:0] g;
  wire any;
  wire [%[2]d:0] index;
  bal_rr_arb #(.N(%[3]d)) u_arb (
    .clk(clk), .rst(rst), .req(req_q), .advance(1'b1), .grant(g), .any(any), .index(index)
  );
  always @(posedge clk) begin
    req_q <= req;
    grant <= g;
  end
endmodule
`

func newSynthTableCmd(app *App) *cobra.Command {
	var write, only string
	c := &cobra.Command{
		Use:   "synth-table [-write FILE] [-only TEXT]",
		Short: "Area, Fmax and Gbit/s of a list of designs, as a table",
		Long: `Synthesises, places and routes a fixed list of designs with the pinned tools, simulates those that are whole, and prints a
Markdown table; -write puts it into a file between its marks. Results are kept by content: a second run takes seconds.
The first takes about 25 minutes.`,
		Example: `  hwgen synth-table -write README.md
  hwgen synth-table -only balancer`,
		Args:   noArgs,
		Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			if write != "" && only != "" {
				return diag.Usage("-write writes the whole table; leave -only out")
			}
			ctx, stop := interruptible()
			defer stop()
			lines := []string{
				"| design | part | LUTs | flip-flops | block RAMs | Fmax, MHz: median (least to most) of seeds | Gbit/s, ECB: packets of a block, largest | Gbit/s, CBC |",
				"|---|---|---|---|---|---|---|---|",
			}
			for _, r := range tableRows() {
				if !strings.Contains(r.name, only) {
					continue
				}
				l, err := app.tableLine(ctx, r)
				if err != nil {
					return fmt.Errorf("%s: %w", r.name, err)
				}
				app.Note("%s", l)
				lines = append(lines, l)
			}
			text := strings.Join(lines, "\n") + "\n"
			if write == "" {
				app.Printf("%s", text)
				return nil
			}
			return writeBetween(write, text)
		},
	}
	c.Flags().StringVar(&write, "write", "", "put the table into `FILE`, between its marks")
	c.Flags().StringVar(&only, "only", "", "the designs that have `TEXT` in their name")
	return c
}

func writeBetween(file, text string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return diag.Usage("-write %s: %w", file, diag.Cause(err))
	}
	before, rest, ok := strings.Cut(string(b), tableBegin)
	_, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		return diag.Usage("-write %s: the marks of the table are not there: %s, %s", file, tableBegin, tableEnd)
	}
	return os.WriteFile(file, []byte(before+tableBegin+"\n"+text+tableEnd+after), 0o644)
}

// tableLine is one line of the table. A design that is too large is a line that says so.
func (a *App) tableLine(ctx context.Context, r tableRow) (string, error) {
	c, err := config.Parse(r.name, ".", []byte(r.text))
	if err != nil {
		return "", err
	}
	d, err := design.Elaborate(c)
	if err != nil {
		return "", err
	}
	l := &Loaded{Config: c, Design: d}
	req, err := a.synthRequest(l, r.target, r.block)
	if err != nil {
		return "", err
	}
	req.Seeds = r.seeds
	if n := r.arbiter; n > 0 {
		req.Top, req.Block = "arbiter", nil
		req.Files = map[string][]byte{
			"bal_rr_arb.v": req.Files["bal_rr_arb.v"],
			"arbiter.v":    fmt.Appendf(nil, arbiter, n-1, design.Bits(n)-1, n),
		}
	}
	res, err := synth.Run(ctx, req)
	var large *synth.TooLarge
	if errors.As(err, &large) {
		x := large.Result.Area
		return fmt.Sprintf("| %s | %s | %d | %d | %d | does not fit | | |", r.name, req.Target, x.LUTs, x.FFs, x.RAMs), nil
	}
	if err != nil {
		return "", err
	}
	var mhz []string
	fmax := 0.0
	for _, k := range res.Clocks {
		if k.Name == "clk_in" && len(res.Clocks) > 1 {
			continue // the oscillator, in front of the PLL
		}
		fmax = k.Median
		s := fmt.Sprintf("%.0f", k.Median)
		if len(k.Fmax) > 1 {
			s += fmt.Sprintf(" (%.0f to %.0f) of %d", k.Min, k.Max, len(k.Fmax))
		}
		mhz = append(mhz, s)
	}
	ecb, cbc := "", ""
	if r.block == "" && r.arbiter == 0 {
		if ecb, cbc, err = a.tableRates(ctx, l, fmax); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("| %s | %s | %d | %d | %d | %s | %s | %s |", r.name, req.Target, res.Area.LUTs, res.Area.FFs, res.Area.RAMs,
		strings.Join(mhz, ", "), ecb, cbc), nil
}

// tableRates are the rates of a design at a clock, by mode, each for packets of one block and the largest ones.
func (a *App) tableRates(ctx context.Context, l *Loaded, mhz float64) (ecb, cbc string, err error) {
	s, err := a.simulator(ctx, l, true)
	if err != nil {
		return "", "", err
	}
	rs, err := bench.Rates(ctx, s, []cipher.Mode{cipher.ECB, cipher.CBC}, bench.RateSizes(l.Design), 300)
	if err != nil {
		return "", "", err
	}
	by := map[string][]string{}
	for _, r := range rs {
		by[r.Workload] = append(by[r.Workload], fmt.Sprintf("%.3f", r.Gbits(mhz)))
	}
	return strings.Join(by[cipher.ECB.String()], ", "), strings.Join(by[cipher.CBC.String()], ", "), nil
}
