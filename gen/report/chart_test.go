// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func chart() Chart {
	return Chart{
		File: "c", Title: "A title", X: "packets", Y: "units", FromY0: true,
		Series: []Series{
			{Name: "first <&> line", X: []float64{1, 2, 4}, Y: []float64{3, 1, 2}, Err: []float64{.5, 0, 1}},
			{Name: "second", X: []float64{1, 4}, Y: []float64{2, 2}},
		},
	}
}

func TestChartIsValidAndTheSameAgain(t *testing.T) {
	for _, logX := range []bool{false, true} {
		c := chart()
		c.LogX = logX
		var last [2][]byte
		for range 2 {
			dir := t.TempDir()
			require.NoError(t, c.Write(dir))
			svg, err := os.ReadFile(filepath.Join(dir, "c.svg"))
			require.NoError(t, err)
			d := xml.NewDecoder(bytes.NewReader(svg))
			text, elements := "", 0
			for {
				tok, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
				switch tok := tok.(type) {
				case xml.CharData:
					text += string(tok)
				case xml.StartElement:
					elements++
				}
			}
			require.Greater(t, elements, 20)
			require.Contains(t, text, "first <&> line")
			require.Contains(t, text, "A title")
			bits, err := os.ReadFile(filepath.Join(dir, "c.png"))
			require.NoError(t, err)
			img, err := png.Decode(bytes.NewReader(bits))
			require.NoError(t, err)
			seen := map[color.Color]bool{}
			for y := range img.Bounds().Dy() {
				for x := range img.Bounds().Dx() {
					seen[img.At(x, y)] = true
				}
			}
			for i := range c.Series {
				require.True(t, seen[colours[i]], "line %d is drawn", i)
			}
			if last[0] != nil {
				require.Equal(t, last[0], svg)
				require.Equal(t, last[1], bits)
			}
			last = [2][]byte{svg, bits}
		}
	}
}

func TestChartRefuses(t *testing.T) {
	c := chart()
	c.Series[0].Err = c.Series[0].Err[:2]
	require.ErrorContains(t, c.Write(t.TempDir()), `chart c: series "first <&> line": 3 x, 3 y, 2 errors`)
	c = chart()
	c.Series[1].Y = nil
	require.ErrorContains(t, c.Write(t.TempDir()), "2 x, 0 y")
	c = chart()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Error(t, c.Write(filepath.Join(file, "dir")))
}
