// SPDX-License-Identifier: Apache-2.0

package regmap_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hwgen/gen/config"
	"hwgen/gen/design"
	"hwgen/gen/regmap"
)

// Two clusters whose registers would have the same names in some layer are refused, whichever comes first.
func TestClash(t *testing.T) {
	for _, c := range []struct{ a, b, name string }{
		{"aes", "sm4", ""}, {"aes", "aes1", ""}, {"aes", "aes_corner", ""},
		{"aes", "aes_core", "AES_CORE"}, {"x", "x_count", "X_COUNT"}, {"a", "a_weights", "A_WEIGHTS"},
		{"a_1", "a1", "A1"}, {"a1", "a_1", "A_1"}, {"aes", "aes_core0", "AES_CORE0_PEAK"},
		{"glo_bal", "aes", "GLO_BAL"},
	} {
		text := "[control]\naxil = true\n"
		for _, n := range []string{c.a, c.b} {
			text += fmt.Sprintf("[[cluster]]\nname = %q\n[[cluster.core]]\nkind = \"aes128_16sbox\"\n[[cluster.core]]\nkind = \"aes128_4sbox\"\n", n)
		}
		conf, err := config.Parse("t.toml", ".", []byte(text))
		require.NoError(t, err)
		d, err := design.Elaborate(conf)
		require.NoError(t, err)
		m, err := regmap.Build(d, "1.2.3", "")
		if c.name == "" {
			require.NoError(t, err, "%s and %s", c.a, c.b)
			require.Equal(t, "GLOBAL_ID", m.Words()[0].Name)
			continue
		}
		var clash *regmap.ClashError
		require.ErrorAs(t, err, &clash, "%s and %s", c.a, c.b)
		require.Equal(t, c.name, clash.Name)
	}
}
