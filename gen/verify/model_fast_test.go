// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hwgen/gen/design"
	"hwgen/gen/policy"
	"hwgen/gen/sched"
	"hwgen/gen/traffic"
)

// fastWorkloads are those with which the fast model is compared with the exact one.
var fastWorkloads = []string{
	"saturated", "saturated:length=16", "saturated:length=16/32,seed=3", "saturated:chained=1",
	"saturated:chained=1,seed=4,job=1-30", "saturated:chained=0", "poisson:load=0.8", "spaced:load=0.3", "bursty:load=0.7",
}

func compareFast(t *testing.T, d *design.Design, name string, packets int) {
	t.Helper()
	sep := ":"
	if strings.Contains(name, ":") {
		sep = ","
	}
	var r [2]*sched.Result
	for i := range r {
		src, err := traffic.Open(fmt.Sprintf("%s%spackets=%d", name, sep, packets), d)
		require.NoError(t, err)
		cfg := sched.FromDesign(d)
		cfg.Fast = i == 1
		r[i], err = sched.Run(cfg, src)
		require.NoError(t, err)
	}
	off := 100 * (float64(r[1].Makespan)/float64(r[0].Makespan) - 1)
	t.Logf("%-26s %-36s %5d packets, exact %9d cycles, fast %9d, %+.3f %%; waits %.0f, %.0f", strings.TrimPrefix(t.Name(), "TestFastModel/")+map[bool]string{true: "_scan"}[d.Scan], name, packets, r[0].Makespan,
		r[1].Makespan, off, r[0].Wait.Mean(), r[1].Wait.Mean())
	assert.LessOrEqual(t, math.Abs(off), 1.0, "%s, %s", d.Name, name)
}

func TestFastModel(t *testing.T) {
	packets := 5000
	if modelDeep() {
		packets = 200000
	}
	for _, x := range Designs() {
		t.Run(x.Name, func(t *testing.T) {
			d, _ := generate(t, x.Name, x.Text)
			for _, w := range fastWorkloads {
				compareFast(t, d, w, packets)
			}
		})
	}
	for _, p := range policy.Names {
		for _, shape := range PolicyShapes {
			t.Run(p+"_"+shape, func(t *testing.T) {
				d, _, _, err := newPolicyCase(shape, p).design()
				require.NoError(t, err)
				for _, w := range fastWorkloads {
					compareFast(t, d, w, packets)
				}
			})
		}
	}
}
