// SPDX-License-Identifier: Apache-2.0

// Package report draws charts.
package report

import (
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Series is a line of a chart.
type Series struct {
	Name string
	X, Y []float64
	// Err is the half length of an error bar at each point; nil: none.
	Err []float64
}

// Chart is a chart of lines over one pair of axes.
type Chart struct {
	File   string // name without extension
	Title  string
	X, Y   string // axis labels with their units
	LogX   bool
	FromY0 bool // the vertical axis begins at 0
	Series []Series
}

// colours are told apart by people with the common colour-vision deficiencies too (Okabe and Ito).
var colours = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {86, 180, 233, 255}, {230, 159, 0,
		255},
	{0, 0, 0, 255}, {120, 120, 120, 255},
}

var (
	shapes = []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.BoxGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{},
		draw.PyramidGlyph{}, draw.PlusGlyph{},
	}
	dashes = [][]vg.Length{nil, {vg.Points(6), vg.Points(2)}, {vg.Points(2), vg.Points(2)}}
)

const (
	width  = 16 * vg.Centimeter
	height = 10 * vg.Centimeter
)

// Formats are the file name extensions that Write writes.
var Formats = []string{"svg", "png"}

// ticks puts a tick at each of the first series' points: they are what was measured.
func (c *Chart) ticks() plot.ConstantTicks {
	var t plot.ConstantTicks
	if len(c.Series) > 0 {
		for _, x := range c.Series[0].X {
			t = append(t, plot.Tick{Value: x, Label: strconv.FormatFloat(x, 'g', 6, 64)})
		}
	}
	return t
}

// Write draws the chart into dir, once in each of the Formats. The same chart gives the same bytes.
func (c *Chart) Write(dir string) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.X, c.Y
	p.Title.Padding = vg.Points(6)
	p.Add(plotter.NewGrid())
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding, p.Legend.ThumbnailWidth = vg.Points(2), vg.Points(26)
	p.Legend.TextStyle.Font.Size, p.Legend.XOffs = vg.Points(9), vg.Points(6)
	if c.LogX {
		p.X.Scale = plot.LogScale{}
	}
	p.X.Tick.Marker = c.ticks()
	for i, s := range c.Series {
		if len(s.X) != len(s.Y) || s.Err != nil && len(s.Err) != len(s.X) {
			return fmt.Errorf("chart %s: series %q: %d x, %d y, %d errors", c.File, s.Name, len(s.X), len(s.Y), len(s.Err))
		}
		xy := make(plotter.XYs, len(s.X))
		bars := make(plotter.YErrors, len(s.X))
		for k := range s.X {
			xy[k].X, xy[k].Y = s.X[k], s.Y[k]
			if s.Err != nil {
				bars[k].Low, bars[k].High = s.Err[k], s.Err[k]
			}
		}
		line, points, err := plotter.NewLinePoints(xy)
		if err != nil {
			return fmt.Errorf("chart %s: series %q: %w", c.File, s.Name, err)
		}
		col := colours[i%len(colours)]
		line.Color, line.Width, line.Dashes = col, vg.Points(1.2), dashes[i/len(colours)%len(dashes)]
		points.Color, points.Shape, points.Radius = col, shapes[i%len(shapes)], vg.Points(2.5)
		p.Add(line, points)
		p.Legend.Add(s.Name, line, points)
		if s.Err != nil {
			e, err := plotter.NewYErrorBars(struct {
				plotter.XYs
				plotter.YErrors
			}{xy, bars})
			if err != nil {
				return fmt.Errorf("chart %s: series %q: %w", c.File, s.Name, err)
			}
			col.A = 110
			e.Color, e.Width = color.NRGBA(col), vg.Points(.6)
			p.Add(e)
		}
	}
	if c.FromY0 {
		p.Y.Min = 0
	}
	// Room for the legend above the lines, and for whole marks at the ends.
	p.Y.Max += (p.Y.Max - p.Y.Min) * .065 * float64(len(c.Series)+1)
	if !c.LogX {
		margin := (p.X.Max - p.X.Min) * .015
		p.X.Min, p.X.Max = p.X.Min-margin, p.X.Max+margin
	} else {
		p.X.Min, p.X.Max = p.X.Min/1.05, p.X.Max*1.05
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, ext := range Formats {
		if err := p.Save(width, height, filepath.Join(dir, c.File+"."+ext)); err != nil {
			return fmt.Errorf("chart %s: %w", c.File, err)
		}
	}
	return nil
}
