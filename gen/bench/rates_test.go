// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/emit"
	"hwgen/gen/sim"
)

// One core of 51 cycles a block, saturated: ECB and CBC of large packets run at its rate, packets of one block not above it, and
// the MAC of a packet too.
func TestRates(t *testing.T) {
	c, err := config.Parse("rate.toml", ".", []byte(`[design]
name = "rate"
data_width = 32
packet_bytes = 64
slots = 8
requesters = 1
[[cluster]]
algorithm = "aes128"
queue = 4
choose_list = 4
key_slots = 1
[[cluster.core]]
kind = "aes128_4sbox"
decrypt = false
`))
	require.NoError(t, err)
	d, err := design.Elaborate(c)
	require.NoError(t, err)
	out, err := emit.Emit(d, emit.Options{Version: "test", ConfigHash: c.Hash})
	require.NoError(t, err)
	s, err := sim.Build(context.Background(), d, out, sim.Options{Quick: true})
	require.NoError(t, err)
	rs, err := Rates(context.Background(), s, rateModes, RateSizes(d), 100)
	require.NoError(t, err)
	require.Len(t, rs, 2*len(rateModes))
	const core = 16.0 / 51
	for _, r := range rs {
		require.Equal(t, 100, r.Packets, "%+v", r)
		require.LessOrEqual(t, r.BytesPerCycle, core*1.001, "%+v", r)
		if r.PacketBytes == d.PktBytes {
			require.Greater(t, r.BytesPerCycle, core*0.97, "%+v", r)
		}
		require.Greater(t, r.BytesPerCycle, core*0.5, "%+v", r)
	}
	require.InDelta(t, 0.8, Rate{BytesPerCycle: 1}.Gbits(100), 1e-9)

	_, err = Rates(context.Background(), s, rateModes[:1], RateSizes(d), 5)
	require.ErrorContains(t, err, "too few to measure")
}
