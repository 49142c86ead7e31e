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
func (c Curves) Write(w io.Writer, format string) error {
	to, err := newCanvas(format)
	if err != nil {
		return err
	}
	p, err := c.plot()
	if err != nil {
		return err
	}
	p.Draw(draw.Crop(draw.New(to), margin, -2*margin, margin, -margin))
	_, err = to.WriteTo(w)
	return err
}

func (c Curves) plot() (*plot.Plot, error) {
	all := Figure{Log: c.LogY}
	for _, s := range c.Curves {
		all.Points = append(all.Points, s.Points...)
	}
	if len(all.Points) == 0 {
		return nil, fmt.Errorf("figure: %q has no points", c.Title)
	}
	lo, hi, err := all.yRange()
	if err != nil {
		return nil, err
	}
	p := plot.New()
	p.Title.Text = c.Title
	p.Title.TextStyle.Font.Size = 11
	p.Title.Padding = vg.Millimeter * 3
	p.X.Label.Text, p.Y.Label.Text = c.X, c.Y
	p.X.Label.Padding, p.Y.Label.Padding = vg.Millimeter, vg.Millimeter
	p.X.Min, p.X.Max = all.xRange()
	p.Y.Min, p.Y.Max = lo, hi
	p.X.Tick.Marker, p.Y.Tick.Marker = linearTicks{}, linearTicks{}
	if c.LogX {
		p.X.Min, p.X.Max = math.Floor(p.X.Min), math.Ceil(p.X.Max)
		p.X.Tick.Marker = logTicks{}
	}
	if c.LogY {
		p.Y.Tick.Marker = logTicks{}
	}
	p.Add(plotter.NewGrid())
	rising := 0
	for i, s := range c.Curves {
		n := len(s.Points)
		upper, lower := make(plotter.XYs, n), make(plotter.XYs, n)
		for k, pt := range s.Points {
			upper[k] = plotter.XY{X: pt.X, Y: min(max(pt.Hi, lo), hi)}
			lower[k] = plotter.XY{X: pt.X, Y: min(max(pt.Lo, lo), hi)}
		}
		above, err := plotter.NewLine(upper)
		if err != nil {
			return nil, err
		}
		below, err := plotter.NewLine(lower)
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
		if n > 0 && s.Points[n-1].Hi > s.Points[0].Hi {
			rising++
		}
	}
	p.Legend.Top = true
	p.Legend.Left = 2*rising > len(c.Curves)
	p.Legend.XOffs, p.Legend.YOffs = -3*vg.Millimeter, -3*vg.Millimeter
	if p.Legend.Left {
		p.Legend.XOffs = 3 * vg.Millimeter
	}
	p.Legend.Padding = vg.Millimeter
	p.Legend.ThumbnailWidth = vg.Centimeter
	return p, nil
}
