// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"hwgen/gen/board"
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
	name, text    string // of the config; "" text: the arbiter alone, of n inputs
	n             int
	target, block string
	seeds         int
}

func tableRows() []tableRow {
	var rows []tableRow
	for _, b := range []string{"icebreaker", "hx8k-breakout", "tang-nano-9k", "tang-nano-20k", "ulx3s-12f"} {
		if x, err := board.Find(b); err == nil {
			rows = append(rows, tableRow{name: b + " starter, on its pins", text: x.StarterConfig(), seeds: 1})
		}
	}
	rows = append(rows,
		tableRow{name: "2 AES-128 and 2 SM4, wide lanes", text: twoAndTwo("wide"), target: "hx8k", seeds: 1},
		tableRow{name: "2 AES-128 and 2 SM4, serial lanes", text: twoAndTwo("serial"), target: "hx8k", seeds: 1},
		tableRow{name: "2 AES-128 and 2 SM4, serial lanes", text: twoAndTwo("serial"), target: "ecp5-25f", seeds: 1},
	)
	for _, n := range []int{4, 8, 16, 32} {
		rows = append(rows,
			tableRow{name: fmt.Sprintf("balancer, tree, %d cores, 12-bit scores, constant tables", n), text: balancerOf(n, "tree"),
				target: "hx8k", block: "aes.balancer", seeds: 3},
			tableRow{name: fmt.Sprintf("round-robin arbiter, registered, %d inputs", n), n: n, target: "hx8k", seeds: 3})
	}
	return append(rows, tableRow{name: "balancer, scan, 16 cores, 12-bit scores, constant tables", text: balancerOf(16, "scan"),
		target: "hx8k", block: "aes.balancer", seeds: 3})
}

func twoAndTwo(lane string) string {
	return `[design]
name = "two"
data_width = 32
slots = 16
[scheduler]
programmable = false
lane = "` + lane + `"
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
}

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
	var write string
	c := &cobra.Command{
		Use:   "synth-table [-write FILE]",
		Short: "Area and Fmax of a list of designs, as a table",
		Long: `Synthesises, places and routes a fixed list of designs with the pinned tools and prints a Markdown table; -write puts it
into a file between its marks. Results are kept by content: a second run takes seconds. The first takes an hour or more.`,
		Example: "  hwgen synth-table -write README.md",
		Args:    noArgs,
		Hidden:  true,
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			lines := []string{
				"| design | part | LUTs | flip-flops | block RAMs | Fmax, MHz: median (least to most) of seeds |", "|---|---|---|---|---|---|",
			}
			for _, r := range tableRows() {
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
	text := r.text
	if r.n > 0 {
		text = balancerOf(r.n, "tree")
	}
	c, err := config.Parse(r.name, ".", []byte(text))
	if err != nil {
		return "", err
	}
	d, err := design.Elaborate(c)
	if err != nil {
		return "", err
	}
	req, err := a.synthRequest(&Loaded{c, d}, r.target, r.block)
	if err != nil {
		return "", err
	}
	req.Seeds = r.seeds
	if r.n > 0 {
		req.Top = "arbiter"
		req.Files = map[string][]byte{
			"bal_rr_arb.v": req.Files["bal_rr_arb.v"],
			"arbiter.v":    fmt.Appendf(nil, arbiter, r.n-1, design.Bits(r.n)-1, r.n),
		}
	}
	res, err := synth.Run(ctx, req)
	var large *synth.TooLarge
	if errors.As(err, &large) {
		x := large.Result.Area
		return fmt.Sprintf("| %s | %s | %d | %d | %d | does not fit |", r.name, req.Target, x.LUTs, x.FFs, x.RAMs), nil
	}
	if err != nil {
		return "", err
	}
	var mhz []string
	for _, k := range res.Clocks {
		if k.Name == "clk_in" && len(res.Clocks) > 1 {
			continue // the oscillator, in front of the PLL
		}
		s := fmt.Sprintf("%.0f", k.Median)
		if len(k.Fmax) > 1 {
			s += fmt.Sprintf(" (%.0f to %.0f) of %d", k.Min, k.Max, len(k.Fmax))
		}
		mhz = append(mhz, s)
	}
	return fmt.Sprintf("| %s | %s | %d | %d | %d | %s |", r.name, req.Target, res.Area.LUTs, res.Area.FFs, res.Area.RAMs,
		strings.Join(mhz, ", ")), nil
}
