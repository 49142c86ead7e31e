// Package figure draws certified bounds as graphs: a lower and an upper bound of one
// quantity over another, and the band between them, which contains the truth.
//
// It works in float64. A graph is for the eye; nothing is decided by it.
package figure

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Figure is a graph of bounds.
type Figure struct {
	Title  string // may have several lines
	X, Y   string // what the axes show
	Log    bool   // the bounds are logarithms to base 10, and the axis is labelled with the numbers
	Points []Point
}

// A Point says that the quantity lies between Lo and Hi at X. Lo and Hi may be
// infinite: the logarithm of 0, or an unknown.
type Point struct{ X, Lo, Hi float64 }

// The size of a figure.
const (
	width  = 18 * vg.Centimeter
	height = 12 * vg.Centimeter
	margin = 2 * vg.Millimeter
)

var (
	upperColor = color.RGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff} // vermillion and blue:
	lowerColor = color.RGBA{R: 0x00, G: 0x50, B: 0x90, A: 0xff} // told apart by everybody
	bandColor  = color.RGBA{R: 0xfb, G: 0xe6, B: 0xd4, A: 0xff}
)

// Write draws f in a format: "svg", "png" or "pdf".
func (f Figure) Write(w io.Writer, format string) error {
	c, err := newCanvas(format)
	if err != nil {
		return err
	}
	p, err := f.plot()
	if err != nil {
		return err
	}
	// Labels at the ends of the axes stick out of the graph.
	p.Draw(draw.Crop(draw.New(c), margin, -2*margin, margin, -margin))
	_, err = c.WriteTo(w)
	return err
}

// plot lays the figure out.
func (f Figure) plot() (*plot.Plot, error) {
	lo, hi, err := f.yRange()
	if err != nil {
		return nil, err
	}
	p := plot.New()
	p.Title.Text = f.Title
	p.Title.TextStyle.Font.Size = 11
	p.Title.Padding = vg.Millimeter * 3
	p.X.Label.Text, p.Y.Label.Text = f.X, f.Y
	p.X.Label.Padding, p.Y.Label.Padding = vg.Millimeter, vg.Millimeter
	p.X.Min, p.X.Max = f.xRange()
	p.Y.Min, p.Y.Max = lo, hi
	p.X.Tick.Marker, p.Y.Tick.Marker = linearTicks{}, linearTicks{}
	if f.Log {
		p.Y.Tick.Marker = logTicks{}
	}

	n := len(f.Points)
	upper, lower := make(plotter.XYs, n), make(plotter.XYs, n)
	band := make(plotter.XYs, 2*n)
	for i, pt := range f.Points {
		upper[i] = plotter.XY{X: pt.X, Y: min(max(pt.Hi, lo), hi)}
		lower[i] = plotter.XY{X: pt.X, Y: min(max(pt.Lo, lo), hi)}
		band[i], band[2*n-1-i] = upper[i], lower[i]
	}
	between, err := plotter.NewPolygon(band)
	if err != nil {
		return nil, err
	}
	between.Color, between.LineStyle.Width = bandColor, 0
	above, err := plotter.NewLine(upper)
	if err != nil {
		return nil, err
	}
	below, err := plotter.NewLine(lower)
	if err != nil {
		return nil, err
	}
	// Where the bounds coincide, the narrow dashes of the lower one lie on the broad
	// line of the upper one.
	above.Color, above.Width = upperColor, vg.Points(3)
	below.Color, below.Width = lowerColor, vg.Points(1.2)
	below.Dashes = []vg.Length{vg.Points(5), vg.Points(4)}

	p.Add(plotter.NewGrid(), between, above, below)
	p.Legend.Add(" upper bound ", above)
	p.Legend.Add(" lower bound ", below)
	p.Legend.Top = true
	p.Legend.Left = f.rising() // where the curve is not
	p.Legend.XOffs, p.Legend.YOffs = -3*vg.Millimeter, -3*vg.Millimeter
	if p.Legend.Left {
		p.Legend.XOffs = 3 * vg.Millimeter
	}
	p.Legend.Padding = vg.Millimeter
	p.Legend.ThumbnailWidth = vg.Centimeter
	return p, nil
}

// xRange returns the range of the x axis.
func (f Figure) xRange() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, p := range f.Points {
		lo, hi = min(lo, p.X), max(hi, p.X)
	}
	if lo == hi {
		return lo - 1, hi + 1
	}
	return lo, hi
}

// yRange returns the range of the y axis: what the finite bounds span, in whole
// decades where it shows logarithms. An infinite bound ends at the edge, with room
// between it and the finite ones.
func (f Figure) yRange() (lo, hi float64, err error) {
	lo, hi = math.Inf(1), math.Inf(-1)
	below, above := false, false
	for _, p := range f.Points {
		for _, y := range []float64{p.Lo, p.Hi} {
			switch {
			case math.IsNaN(y) || math.IsNaN(p.X) || math.IsInf(p.X, 0):
				return 0, 0, fmt.Errorf("figure: point (%v, %v), want numbers", p.X, y)
			case math.IsInf(y, -1):
				below = true
			case math.IsInf(y, 1):
				above = true
			default:
				lo, hi = min(lo, y), max(hi, y)
			}
		}
	}
	if lo > hi {
		return 0, 0, fmt.Errorf("figure: none of %d points has a finite bound", len(f.Points))
	}
	room := (hi - lo) / 20
	switch {
	case f.Log:
		lo, hi, room = math.Floor(lo), math.Ceil(hi), 1
	case 0 < lo && lo < hi/2:
		lo = 0
	}
	if lo == hi {
		room = max(1, math.Abs(lo)/10)
		lo -= room
		if !f.Log {
			hi += room
		}
	}
	if below {
		lo -= room
	}
	if above {
		hi += room
	}
	return lo, hi, nil
}

// rising reports whether the upper bound is larger at the end than at the start.
func (f Figure) rising() bool {
	return f.Points[len(f.Points)-1].Hi > f.Points[0].Hi
}
