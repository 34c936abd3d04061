// SPDX-License-Identifier: Apache-2.0

package part

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPin(t *testing.T) {
	pkg := func(name string) *Part { return &Part{Package: name} }
	for _, x := range []struct{ pkg, pin, want string }{
		{"sg48", "6", "6"}, {"sg48", "48", "48"}, {"ct256", "b10", "B10"}, {"ct256", "T16", "T16"}, {"CABGA381", "Y20", "Y20"},
		{"CABGA554", "AF26", "AF26"}, {"CABGA554", "AA1", "AA1"}, {"CSFBGA285", "V18", "V18"}, {"GW2A-18C", "88", "88"},
	} {
		got, err := pkg(x.pkg).Pin(x.pin)
		require.NoError(t, err)
		require.Equal(t, x.want, got)
	}
	for _, x := range []struct{ pkg, pin, says string }{
		{"sg48", "49", `"49" is no pin of SG48, whose pins are 1 to 48`}, {"sg48", "0", "no pin"}, {"sg48", "A1", "no pin"},
		{"sg48", "99999999999999999999", "no pin"}, {"sg48", "", "no pin"}, {"sg48", "06", "no pin"},
		{"ct256", "U1", "A1 to T16"}, {"ct256", "A17", "no pin"}, {"ct256", "O1", "no pin"}, {"ct256", "10", "no pin"},
		{"CABGA381", "ZZ9", `"ZZ9" is no pin of CABGA381, whose pins are A1 to Y20`}, {"CABGA381", "AA1", "no pin"},
		{"CABGA554", "AG1", "A1 to AF26"}, {"CSFBGA285", "W1", "A1 to V18"}, {"none", "A1", "not known"},
	} {
		_, err := pkg(x.pkg).Pin(x.pin)
		require.ErrorContains(t, err, x.says)
	}
	for _, p := range Parts {
		require.Contains(t, packages, p.Package)
	}
}
