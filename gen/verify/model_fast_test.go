// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hwgen/gen/sched"
	"hwgen/gen/traffic"
)

// fastWorkloads are those with which the fast model is compared with the exact one, which is compared with the RTL.
var fastWorkloads = []string{
	"saturated:length=16/32,seed=3", "saturated:chained=0", "poisson:load=0.8,chained=0", "bursty:load=0.7,chained=0",
	"poisson:load=0.8", "bursty:load=0.7", "spaced:load=0.3", "saturated", "saturated:length=16", "saturated:chained=1", "saturated:chained=1,job=1-30",
}

// chainedSeeds are those with which chained jobs alone are compared: where each of them goes is decided by a cycle more or
// less, and with that nearly 1 % of the makespan even of the exact model, so that four runs are added up.
var chainedSeeds = []int{1, 4, 5, 6}

// The fast model's makespan is within 1 % of the exact one. Short runs of chained jobs are left to the long form: where a
// job goes decides about thousands of cycles, so that they need many packets until that evens out.
func TestFastModel(t *testing.T) {
	designs, workloads, packets := Designs(), fastWorkloads[:4], 20000
	if modelDeep() {
		designs, workloads, packets = append(designs, modelPolicies()...), fastWorkloads, 1<<18
	}
	for _, x := range designs {
		t.Run(x.Name, func(t *testing.T) {
			d, _ := generate(t, x.Name, x.Text)
			if d.Scan {
				return // runs exactly
			}
			packets := packets
			if d.SerialLane { // waits of a few cycles, which nothing hides: less of it in runs as long as the fast way is for
				packets = 1 << 18
			}
			for _, w := range workloads {
				sep := ":"
				if strings.Contains(w, ":") {
					sep = ","
				}
				specs := []string{w}
				if strings.HasPrefix(w, "saturated:chained=1") {
					specs = nil
					for _, seed := range chainedSeeds {
						specs = append(specs, fmt.Sprintf("%s,seed=%d", w, seed))
					}
				}
				var sum [2]int64
				off := 0.0
				for _, w := range specs {
					var r [2]*sched.Result
					for i := range r {
						src, err := traffic.Open(fmt.Sprintf("%s%spackets=%d", w, sep, packets), d)
						require.NoError(t, err)
						cfg := sched.FromDesign(d)
						cfg.Fast = i == 1
						r[i], err = sched.Run(cfg, src)
						require.NoError(t, err)
						sum[i] += r[i].Makespan
					}
					off = 100 * (float64(r[1].Makespan)/float64(r[0].Makespan) - 1)
					t.Logf("%-16s %-36s %6d packets, exact %8d cycles, fast %8d, %+.3f %%", d.Name, w, packets, r[0].Makespan, r[1].Makespan, off)
				}
				if len(specs) > 1 {
					off = 100 * (float64(sum[1])/float64(sum[0]) - 1)
					t.Logf("%-16s %-36s all seeds, %+.3f %%", d.Name, w, off)
				}
				assert.LessOrEqual(t, math.Abs(off), 1.0, "%s, %s", d.Name, w)
			}
		})
	}
}
