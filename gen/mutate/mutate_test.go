// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseMutant(t *testing.T) {
	m, ok := parseMutant(strings.Fields(`mutate -mode cnot1 -module mut_top -cell $flatten\u_x.$eq$rtl/mut_fifo.v:38$84 -port B `+
		`-portbit 23 -ctrlbit 4 -wire u_x.valid_q -wirebit 2 -src rtl/mut_top.v:275.17-291.4 -src rtl/mut_fifo.v:38.23-38.53`), 7, "mut")
	require.True(t, ok)
	require.Equal(t, "fifo", m.Module)
	require.Equal(t, "fifo.v:38", m.Source)
	require.Equal(t, "u_x.valid_q[2]", m.Wire)
	require.Equal(t, []string{"-mode", "cnot1", "-module", "mut_top", "-cell", `$flatten\u_x.$eq$rtl/mut_fifo.v:38$84`, "-port", "B",
		"-portbit", "23", "-ctrlbit", "4"}, m.args)
	require.Equal(t, 23, m.Bit)
	_, ok = parseMutant([]string{"#"}, 1, "mut")
	require.False(t, ok)
}

// A few mutants of a small scheduler: the bench passes without one, and finds most of them in its short runs. The long
// campaign is make mutate.
func TestMutantsAreFound(t *testing.T) {
	d, files, err := small()
	require.NoError(t, err)
	rep, err := Run(context.Background(), Options{Design: d, Files: files, Count: 40, Seed: 1, Packets: 120, Short: true, Quick: true})
	require.NoError(t, err)
	t.Log("\n" + rep.Table())
	require.Len(t, rep.Results, 40)
	require.GreaterOrEqual(t, rep.Count(Killed)+rep.Count(Slower), 28)
}
