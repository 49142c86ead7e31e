package figure

import (
	"errors"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Bars compares numbers by horizontal bars, the first on top.
type Bars struct {
	Title string // may have several lines
	X     string // what the numbers are
	Bars  []Bar
}

// A Bar is a named number. One that is the measure of the others is drawn apart from
// them, with a line from top to bottom.
type Bar struct {
	Name    string
	Value   float64 // not drawn if it is infinite
	Measure bool
}

// Write draws b in a format: "svg", "png" or "pdf".
func (b Bars) Write(w io.Writer, format string) error { return write(w, format, b.plot) }

func (b Bars) plot() (*plot.Plot, error) {
	p := newPlot(b.Title, b.X, "")
	n := len(b.Bars)
	names := make([]string, n)
	most := 0.0
	for i, x := range b.Bars {
		at := n - 1 - i
		names[at] = x.Name
		if math.IsInf(x.Value, 0) || math.IsNaN(x.Value) {
			continue
		}
		most = max(most, x.Value)
		bar, err := plotter.NewBarChart(plotter.Values{x.Value}, vg.Length(0.6)*height/vg.Length(n+3))
		if err != nil {
			return nil, err
		}
		bar.Horizontal, bar.XMin = true, float64(at)
		bar.Color, bar.LineStyle.Width = color.Color(bandColor), 0
		if x.Measure {
			bar.Color = lowerColor
		}
		p.Add(bar)
	}
	if most == 0 {
		return nil, errors.New("figure: there is no finite bar")
	}
	for _, x := range b.Bars {
		if !x.Measure || math.IsInf(x.Value, 0) {
			continue
		}
		line, err := plotter.NewLine(plotter.XYs{{X: x.Value, Y: -0.5}, {X: x.Value, Y: float64(n) - 0.5}})
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = lowerColor, vg.Points(1)
		p.Add(line)
	}
	p.NominalY(names...)
	p.X.Min, p.X.Max = 0, most*1.05
	p.Y.Min, p.Y.Max = -0.5, float64(n)-0.5
	return p, nil
}
