package figure

import (
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The size of a figure.
const (
	width  = 18 * vg.Centimeter
	height = 12 * vg.Centimeter
	margin = 2 * vg.Millimeter
)

// write draws what is laid out in a format.
func write(w io.Writer, format string, layOut func() (*plot.Plot, error)) error {
	c, err := newCanvas(format)
	if err != nil {
		return err
	}
	p, err := layOut()
	if err != nil {
		return err
	}
	// Labels at the ends of the axes stick out of the graph.
	p.Draw(draw.Crop(draw.New(c), margin, -2*margin, margin, -margin))
	_, err = c.WriteTo(w)
	return err
}

// newPlot returns an empty graph with linear axes.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle.Font.Size = 11
	p.Title.Padding = vg.Millimeter * 3
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.X.Label.Padding, p.Y.Label.Padding = vg.Millimeter, vg.Millimeter
	p.X.Tick.Marker, p.Y.Tick.Marker = linearTicks{}, linearTicks{}
	return p
}

// boundLines returns the lines of the upper and of the lower bounds. What is outside of
// [lo, hi] is drawn at its edge.
func boundLines(points []Point, lo, hi float64) (above, below *plotter.Line, err error) {
	upper, lower := make(plotter.XYs, len(points)), make(plotter.XYs, len(points))
	for i, pt := range points {
		upper[i] = plotter.XY{X: pt.X, Y: min(max(pt.Hi, lo), hi)}
		lower[i] = plotter.XY{X: pt.X, Y: min(max(pt.Lo, lo), hi)}
	}
	if above, err = plotter.NewLine(upper); err != nil {
		return nil, nil, err
	}
	below, err = plotter.NewLine(lower)
	return above, below, err
}

// placeLegend puts the legend to the top, where curves that rise to the right are not if
// it is left.
func placeLegend(p *plot.Plot, left bool) {
	p.Legend.Top, p.Legend.Left = true, left
	p.Legend.XOffs, p.Legend.YOffs = -3*vg.Millimeter, -3*vg.Millimeter
	if left {
		p.Legend.XOffs = 3 * vg.Millimeter
	}
	p.Legend.Padding = vg.Millimeter
	p.Legend.ThumbnailWidth = vg.Centimeter
}
