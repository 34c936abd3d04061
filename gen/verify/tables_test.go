// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/cipher"
	"hwgen/gen/sim"
	"hwgen/gen/workload"
)

// A base written by the host counts from the next decision on, and clear leaves it.
func TestWrittenTablesSurviveClear(t *testing.T) {
	needTools(t)
	for balancer, policy := range map[string]string{"tree": "affinity", "scan": "jsq"} {
		t.Run(balancer, func(t *testing.T) {
			text := ConfigText("tables", 128, 32, 4, Cluster{"aes128", []string{"aes128_16sbox*2"}, 2})
			keys := "\n[scheduler]\nbalancer = \"" + balancer + "\"\npolicy = \"" + policy + "\"\n[[cluster]]"
			text = strings.Replace(text, "\n[[cluster]]", keys, 1)
			d, files := generate(t, "tables", text)
			s, err := sim.Build(context.Background(), d, files, sim.Options{})
			require.NoError(t, err)
			g := workload.NewFrameGen(d, 1)
			add := func(f workload.Frame) {
				if n := len(g.Frames); n > 0 {
					f.AfterResult = []int{n - 1}
				}
				g.Add(f)
			}
			half := func() {
				f := g.Load(0, 0, 0, 0, g.Random(16))
				g.Add(f)
				for range 3 {
					add(workload.Frame{Bytes: workload.Pack(workload.Header{Mode: cipher.ECB}, nil, g.Random(16))})
				}
			}
			half()
			n := len(g.Frames)
			st := g.Stimulus(1)
			st.Events = []workload.Event{{Kind: workload.EventClear, Frame: n - 1, Beat: 0, Delay: 200, Length: 1, SkipTo: n}}
			half()
			st.Frames = g.Frames
			st.Strict = true
			core := func(want byte) {
				o, err := s.Run(st)
				require.NoError(t, err)
				require.Empty(t, o.Violations)
				require.Len(t, o.Results, 2*n)
				for i := range o.Results {
					if h := o.Results[i].Header(); h.Cmd != cipher.LoadKey {
						require.Zero(t, h.Status)
						require.Equal(t, want, h.KeySlot, "core of result %d", i)
					}
				}
			}
			core(0) // like cores, an idle scheduler: the first
			st.Cfg = []workload.CfgWrite{{Cluster: 0, Addr: 0, Data: uint32(d.Clusters[0].Tables.BaseMax)}}
			core(1)
		})
	}
}
