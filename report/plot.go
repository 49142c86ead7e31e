package report

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// A plot is the picture of a curve of δ over ε, with a logarithmic axis of δ. Its
// coordinates are for the eye; the numbers are in the tables.
type plot struct {
	Band, Upper, Lower string // points of SVG
	ClaimX, ClaimY     string
	HasClaim           bool
	X, Y               []tick
	Label              string
}

type tick struct{ At, Text string }

// The box of the plot inside of its picture, in pixels.
const (
	plotLeft, plotRight, plotTop, plotBottom = 60.0, 520.0, 12.0, 260.0
	deepest                                  = -40.0 // log10 δ at the bottom, at most
)

// newPlot draws a curve and the claimed point; nil without a curve.
func newPlot(ps []CurvePoint, eps, delta *big.Rat) *plot {
	if len(ps) < 2 {
		return nil
	}
	top := number(new(big.Float).SetRat(ps[len(ps)-1].Eps))
	low := 0.0
	for _, p := range ps {
		if y := log10(p.Delta.Hi()); !math.IsInf(y, -1) {
			low = math.Min(low, y)
		}
	}
	if y := log10(new(big.Float).SetRat(delta)); !math.IsInf(y, -1) {
		low = math.Min(low, y)
	}
	low = math.Min(-1, math.Max(deepest, math.Floor(low)))
	x := func(e *big.Rat) float64 {
		return plotLeft + (plotRight-plotLeft)*number(new(big.Float).SetRat(e))/top
	}
	y := func(l float64) float64 {
		return plotBottom + (plotTop-plotBottom)*(math.Min(0, math.Max(low, l))-low)/-low
	}
	point := func(px, py float64) string { return fmt.Sprintf("%.1f,%.1f", px, py) }
	var upper, lower, back []string
	for i, p := range ps {
		upper = append(upper, point(x(p.Eps), y(log10(p.Delta.Hi()))))
		lower = append(lower, point(x(p.Eps), y(log10(p.Delta.Lo()))))
		q := ps[len(ps)-1-i]
		back = append(back, point(x(q.Eps), y(log10(q.Delta.Lo()))))
	}
	out := &plot{
		Upper: strings.Join(upper, " "), Lower: strings.Join(lower, " "), Band: strings.Join(append(upper[:len(upper):len(upper)], back...), " "),
		Label: fmt.Sprintf("δ over ε from 0 to %.3g, between its lower and upper bounds, with the claimed point", top),
	}
	if eps.Sign() >= 0 {
		out.HasClaim = true
		out.ClaimX, out.ClaimY = fmt.Sprintf("%.1f", x(eps)), fmt.Sprintf("%.1f", y(log10(new(big.Float).SetRat(delta))))
	}
	for i := range 4 {
		e := top * float64(i) / 3
		out.X = append(out.X, tick{fmt.Sprintf("%.1f", plotLeft+(plotRight-plotLeft)*float64(i)/3), fmt.Sprintf("%.3g", e)})
	}
	step := math.Ceil(-low / 6)
	for l := 0.0; l >= low; l -= step {
		text := "1"
		if l < 0 {
			text = fmt.Sprintf("1e%d", int(l))
		}
		out.Y = append(out.Y, tick{fmt.Sprintf("%.1f", y(l)), text})
	}
	return out
}

func number(f *big.Float) float64 {
	x, _ := f.Float64()
	return x
}

// log10 is the decimal logarithm of f ≥ 0, far beyond the range of float64 too.
func log10(f *big.Float) float64 {
	if f.Sign() <= 0 {
		return math.Inf(-1)
	}
	m := new(big.Float)
	exp := f.MantExp(m)
	return math.Log10(number(m)) + float64(exp)*math.Log10(2)
}
