package figure

import (
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Curves is a graph of the bounds of several quantities over another.
type Curves struct {
	Title  string
	X, Y   string // what the axes show
	LogX   bool   // the numbers on the x axis are logarithms to base 10
	LogY   bool   // those on the y axis are
	Curves []Curve
}

// A Curve is one of them.
type Curve struct {
	Name   string
	Points []Point
}

// Colors that everybody tells apart [Okabe & Ito 2008].
var curveColors = []color.RGBA{
	{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}, {R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}, {R: 0x00, G: 0x9e, B: 0x73, A: 0xff},
	{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}, {R: 0xe6, G: 0x9f, B: 0x00, A: 0xff}, {R: 0x56, G: 0xb4, B: 0xe9, A: 0xff},
}

// Write draws c in a format: "svg", "png" or "pdf". Upper bounds are solid lines and
// lower bounds dashed ones on top of them.
func (c Curves) Write(w io.Writer, format string) error { return write(w, format, c.plot) }

func (c Curves) plot() (*plot.Plot, error) {
	var all []Point
	for _, s := range c.Curves {
		all = append(all, s.Points...)
	}
	lo, hi, err := yRange(all, c.LogY)
	if err != nil {
		return nil, err
	}
	p := newPlot(c.Title, c.X, c.Y)
	p.X.Min, p.X.Max = xRange(all)
	p.Y.Min, p.Y.Max = lo, hi
	if c.LogX {
		p.X.Min, p.X.Max = math.Floor(p.X.Min), math.Ceil(p.X.Max)
		p.X.Tick.Marker = logTicks{}
	}
	if c.LogY {
		p.Y.Tick.Marker = logTicks{}
	}
	p.Add(plotter.NewGrid())
	up := 0 // curves that rise
	for i, s := range c.Curves {
		above, below, err := boundLines(s.Points, lo, hi)
		if err != nil {
			return nil, err
		}
		above.Color, above.Width = curveColors[i%len(curveColors)], vg.Points(1.6)
		below.Color, below.Width = color.Black, vg.Points(0.6)
		below.Dashes = []vg.Length{vg.Points(4), vg.Points(4)}
		p.Add(above, below)
		p.Legend.Add(" "+s.Name+" ", above)
		if i == len(c.Curves)-1 {
			p.Legend.Add(" lower bounds ", below)
		}
		if rising(s.Points) {
			up++
		}
	}
	placeLegend(p, 2*up > len(c.Curves))
	return p, nil
}
