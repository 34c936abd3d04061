// SPDX-License-Identifier: Apache-2.0

package cipher

import (
	"bytes"
	"encoding/hex"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
)

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

// SP 800-38B, AES-128, examples 1 to 4.
func TestCMACStandard(t *testing.T) {
	b, err := New("aes128", unhex(t, "2b7e151628aed2a6abf7158809cf4f3c"))
	require.NoError(t, err)
	msg := unhex(t, "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"+
		"30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")
	for n, want := range map[int]string{
		0:  "bb1d6929e95937287fa37d129b756746",
		16: "070a16b46b4d4144f79bdd9dd04a287c",
		40: "dfa66747de9ae63030ca32611497c827",
		64: "51f0bebf7e3b9d92fc49741779363cfe",
	} {
		require.Equal(t, want, hex.EncodeToString(CMAC(b, msg[:n])), "%d bytes", n)
	}
}

// A job cut anywhere gives what the whole job gives: the packet-wise chain against the standard library's modes.
func TestChainEqualsWhole(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for _, alg := range []string{"aes128", "aes256", "sm4"} {
		for m := ECB; m <= MAC; m++ {
			for c := Encrypt; c <= Sign; c++ {
				if !Legal(c, m) {
					continue
				}
				for range 50 {
					key, iv := make([]byte, KeySize(alg)), make([]byte, BlockSize)
					rng.Read(key)
					rng.Read(iv)
					if m == ECB || m == MAC {
						iv = nil
					}
					data := make([]byte, 16*(1+rng.Intn(8)))
					rng.Read(data)
					if m != ECB && m != CBC {
						data = data[:len(data)-rng.Intn(16)]
					}
					want, _, err := Run(alg, c, m, key, iv, data, nil)
					require.NoError(t, err)
					b, err := New(alg, key)
					require.NoError(t, err)
					var x Chain
					x.Reset(b, c, m, iv)
					var got []byte
					for rest := data; ; {
						n := min(len(rest), 16*(1+rng.Intn(3)))
						if len(rest)-n < 16 {
							n = len(rest)
						}
						last := n == len(rest)
						got = append(got, x.Packet(rest[:n], last)...)
						rest = rest[n:]
						if last {
							break
						}
					}
					require.True(t, bytes.Equal(want, got), "%s %s %s", alg, c, m)
				}
			}
		}
	}
}

func TestCounterCarries(t *testing.T) {
	iv := bytes.Repeat([]byte{0xff}, 16)
	require.Equal(t, make([]byte, 16), AddCounter(iv, 1))
	iv[0] = 0
	require.Equal(t, "01000000000000000000000000000000", hex.EncodeToString(AddCounter(iv, 1)))
	require.Equal(t, "0100000000000000000000000000ffff", hex.EncodeToString(AddCounter(iv, 0x10000)))
}

func TestErrors(t *testing.T) {
	for _, f := range []func() error{
		func() error { _, err := New("des", nil); return err },
		func() error { _, err := New("sm4", make([]byte, 15)); return err },
		func() error { _, _, err := Run("sm4", Sign, CBC, make([]byte, 16), nil, nil, nil); return err },
		func() error {
			_, _, err := Run("sm4", Encrypt, CBC, make([]byte, 16), make([]byte, 16), make([]byte, 17), nil)
			return err
		},
		func() error {
			_, _, err := Run("sm4", Encrypt, CTR, make([]byte, 16), nil, make([]byte, 17), nil)
			return err
		},
	} {
		require.Error(t, f())
	}
}
