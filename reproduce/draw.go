package reproduce

import (
	"math"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/figure"
)

// Draw returns the graph of a figure, in the paper's axes.
func (f FigureOutcome) Draw() figure.Curves {
	out := figure.Curves{Title: f.Title, X: f.X, Y: f.Y, LogX: f.LogX, LogY: f.LogY}
	for i, c := range f.Curves {
		s := figure.Curve{Name: c.Name}
		for j, at := range f.At {
			x, _ := at.Float64()
			if f.GrowthX {
				x = math.Exp(x)
			}
			if f.LogX {
				x = math.Log10(x)
			}
			y := f.Values[i][j]
			s.Points = append(s.Points, figure.Point{X: x, Lo: f.height(y.Lo()), Hi: f.height(y.Hi())})
		}
		out.Curves = append(out.Curves, s)
	}
	return out
}

// height is where an end of an enclosure is drawn.
func (f FigureOutcome) height(y *big.Float) float64 {
	if f.LogY && !f.GrowthY {
		if y.Sign() <= 0 {
			return math.Inf(-1)
		}
		const p = interval.Prec(64)
		l, _ := p.Div(p.Log(interval.Point(y)), p.Log(interval.Int(10))).Lo().Float64()
		return l
	}
	h, _ := y.Float64()
	if f.GrowthY {
		if f.LogY {
			return h / math.Ln10
		}
		h = math.Exp(h)
	}
	return h
}
