// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hwgen/gen/sched"
)

// The rates that the report tells and the gaps that load makes are those at which cores run.
func TestRatesOfLanes(t *testing.T) {
	for _, c := range []struct {
		lane, kind, algorithm string
		width, cores, bytes   int
	}{
		{"serial", "aes128_16sbox", "aes128", 32, 1, 64},
		{"serial", "sm4_4round", "sm4", 32, 2, 64},
		{"serial", "aes256_4sbox", "aes256", 32, 1, 32},
		{"serial", "aes256_8sbox", "aes256", 64, 3, 256},
		{"serial", "aes128_4sbox", "aes128", 128, 2, 16},
		{"serial", "sm4_4round", "sm4", 128, 6, 64},
		{"wide", "aes128_16sbox", "aes128", 32, 1, 64},
		{"wide", "sm4_1round", "sm4", 128, 4, 64},
	} {
		name := fmt.Sprintf("%s %dx%s %d", c.lane, c.cores, c.kind, c.width)
		d := testDesign(t, fmt.Sprintf("design = { data_width = %d, packet_bytes = %d }\nscheduler.lane = %q\n"+
			"[[cluster]]\nalgorithm = %q\ncore = [{ kind = %q, count = %d }]\n",
			c.width, c.bytes, c.lane, c.algorithm, c.kind, c.cores))
		for _, mode := range []string{"ecb", "ctr"} {
			if mode == "ctr" && (c.cores > 2 || c.lane == "wide") {
				continue
			}
			w, err := Parse("saturated:packets=4000,ops=encrypt,modes="+mode, d)
			require.NoError(t, err)
			src, err := w.Open()
			require.NoError(t, err)
			cfg := sched.FromDesign(d)
			cfg.Fast = true
			r, err := sched.Run(cfg, src)
			require.NoError(t, err)
			packet := float64(r.Makespan) / 4000
			if mode == "ecb" {
				rep := d.Report()
				assert.Equal(t, "cores", rep.Limit, name)
				assert.InEpsilon(t, float64(d.PktBlocks)/packet, rep.CoreRate, 0.02, name)
			}
			w, err = Parse("spaced:load=1,ops=encrypt,modes="+mode, d)
			require.NoError(t, err)
			assert.InEpsilon(t, packet, w.gen.gap, 0.025, name+" "+mode)
			src, err = w.Open()
			require.NoError(t, err)
			sum := NewSummary(d)
			counted := sum.Count(src)
			for p := (sched.Packet{}); counted.Next(&p); {
			}
			assert.InEpsilon(t, 1, sum.Clusters[0].Load, 0.001, name+" "+mode)
		}
	}
}
