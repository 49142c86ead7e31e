// Package figure draws certified bounds as graphs: a lower and an upper bound of one
// quantity over another, and the band between them, which contains the truth.
//
// It works in float64. A graph is for the eye; nothing is decided by it.
package figure

import (
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
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

var (
	upperColor = color.RGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff} // vermillion and blue:
	lowerColor = color.RGBA{R: 0x00, G: 0x50, B: 0x90, A: 0xff} // told apart by everybody
	bandColor  = color.RGBA{R: 0xfb, G: 0xe6, B: 0xd4, A: 0xff}
)

// Write draws f in a format: "svg", "png" or "pdf".
func (f Figure) Write(w io.Writer, format string) error { return write(w, format, f.plot) }

// plot lays the figure out.
func (f Figure) plot() (*plot.Plot, error) {
	lo, hi, err := yRange(f.Points, f.Log)
	if err != nil {
		return nil, err
	}
	p := newPlot(f.Title, f.X, f.Y)
	p.X.Min, p.X.Max = xRange(f.Points)
	p.Y.Min, p.Y.Max = lo, hi
	if f.Log {
		p.Y.Tick.Marker = logTicks{}
	}
	above, below, err := boundLines(f.Points, lo, hi)
	if err != nil {
		return nil, err
	}
	band := slices.Clone(below.XYs)
	slices.Reverse(band)
	between, err := plotter.NewPolygon(append(slices.Clone(above.XYs), band...))
	if err != nil {
		return nil, err
	}
	between.Color, between.LineStyle.Width = bandColor, 0
	// Where the bounds coincide, the narrow dashes of the lower one lie on the broad
	// line of the upper one.
	above.Color, above.Width = upperColor, vg.Points(3)
	below.Color, below.Width = lowerColor, vg.Points(1.2)
	below.Dashes = []vg.Length{vg.Points(5), vg.Points(4)}

	p.Add(plotter.NewGrid(), between, above, below)
	p.Legend.Add(" upper bound ", above)
	p.Legend.Add(" lower bound ", below)
	placeLegend(p, rising(f.Points))
	return p, nil
}
