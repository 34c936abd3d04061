// SPDX-License-Identifier: Apache-2.0

package cipher

import (
	"encoding/hex"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
)

// The vector is the one that tb/hwgen_delay_core_tb.v begins with.
func TestDelay(t *testing.T) {
	key, _ := hex.DecodeString("000102030405060708090a0b0c0d0e0f")
	in, _ := hex.DecodeString("00112233445566778899aabbccddeeff")
	b, err := New(Delay, key)
	require.NoError(t, err)
	out := make([]byte, 16)
	b.Encrypt(out, in)
	require.Equal(t, "323b442d5a636c556a737c65121b240d", hex.EncodeToString(out))

	r := rand.New(rand.NewSource(1))
	for range 1000 {
		r.Read(key)
		r.Read(in)
		b, err := New(Delay, key)
		require.NoError(t, err)
		x := append([]byte(nil), in...)
		b.Encrypt(x, x) // in place
		require.NotEqual(t, in, x)
		b.Decrypt(x, x)
		require.Equal(t, in, x)
	}
	_, err = New(Delay, key[:15])
	require.Error(t, err)
}
