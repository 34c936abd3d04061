// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Faults in the host link are found by its bench.
func TestLinkFaults(t *testing.T) {
	needTools(t)
	_, files := generate(t, "faulty", ConfigText("faulty", 32, 32, 4, Cluster{"aes128", []string{"aes128_4sbox"}, 1})+
		"[host]\nclock_hz = 12_000_000\n")
	for _, c := range []struct{ name, file, old, neu string }{
		{"a segment is taken whatever its number", "link_rx", "(no_q == expect_q) & kept_q", "kept_q"},
		{"a segment is taken whatever its CRC", "link_rx", "& crc_good & ", "& "},
		{"a frame is kept though its beginning was not", "link_rx", "kept_q & (len_q", "keep & (len_q"},
		{"a swept slot has no end", "link_tx", "(rdata[6:0] == 7'd0) ? ONE : ", ""},
		{"a poll does not send again", "link_tx", "ev_poll | (ahead < more)", "ahead < more"},
		{"an escape is not taken back", "link_tx", "escape_q ? octet ^ 8'h20 : octet", "octet"},
		{"slots that are not acknowledged are filled", "link_result", "have & room & ~seal_q", "have & ~seal_q"},
		{"a job frame that is open is not ended", "link_job", "if (!valid_q & inside_q) begin", "if (1'b0) begin"},
		{"an open does not wait for the scheduler", "uart_bridge", "& (inside_q == 10'd0)", ""},
		{"an access that comes again is done again", "link_regs", "has_q & (number == no_q)", "1'b0"},
		{"an access waits for no hello", "link_regs", "      has_q  <= 1'b0;\n      mute_q <= 1'b1;", "      mute_q <= 1'b1;"},
		{"addresses wrap", "link_regs", "|addr[31:ADDR_W]", "1'b0"},
		{"half a frame is an access", "link_regs", "& (count_q == ALL)", ""},
		{"bytes are taken while an access is under way", "link_regs", "if (body & ~busy & ", "if (body & "},
		{"an answer's number is that of a poll", "link_tx", "no_q     <= answer_no;", ""},
		{"a start bit is a clock short", "uart_tx", "phase_q <= 20'd0;", "phase_q <= 20'hc0000;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := "rtl/faulty_" + c.file + ".v"
			require.Equal(t, 1, strings.Count(string(files[p]), c.old), "%s: %s", p, c.old)
			for f, b := range files {
				if f == p {
					b = []byte(strings.Replace(string(b), c.old, c.neu, 1))
				}
				f = filepath.Join(dir, filepath.FromSlash(f))
				require.NoError(t, os.MkdirAll(filepath.Dir(f), 0o755))
				require.NoError(t, os.WriteFile(f, b, 0o644))
			}
			r := &run{ctx: context.Background(), dir: dir}
			msg, err := r.bench(Bench{"faulty_uart_bridge_tb", []string{"FRAMES=4", "WINDOW=4", "SEED=3"}}, 0)
			require.NoError(t, err)
			t.Log(msg)
			require.Contains(t, msg, "FAIL: ")
		})
	}
}
