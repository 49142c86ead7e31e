// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package line

import "math"

// A saddle is the λ > 0 at which e^(−λε)·M(−λ)/(λ(λ + 1)) is least, for the ε of which it is so.
type saddle struct {
	lambda, eps float64
	log         float64 // about log δ(ε), where the least is the only one
	bound       float64 // log δ(ε) is at most this, but for rounding and the grid
	width       float64 // the square root of 1 over the second derivative of the logarithm
}

func (l law) saddle(lambda, tail float64) saddle {
	m := l.moment(lambda, tail)
	s := saddle{lambda: lambda, eps: m.mean - 1/lambda - 1/(lambda+1)}
	curvature := m.variance + 1/(lambda*lambda) + 1/((lambda+1)*(lambda+1))
	s.bound = m.log - lambda*s.eps
	s.log = s.bound - math.Log(lambda*(lambda+1)) - math.Log(2*math.Pi*curvature)/2
	s.width = 1 / math.Sqrt(curvature)
	return s
}

// near is the saddle of about ε; false where there is none. It says that it is of ε.
func (l law) near(eps float64) (saddle, bool) {
	s, ok := l.search(0, func(s saddle) float64 { return (eps - s.eps) * s.lambda })
	s.bound += s.lambda * (s.eps - eps)
	s.eps = eps
	return s, ok
}

// search is the saddle at which f, which falls from above 0 to below it in λ, is about 0; false where there is none.
func (l law) search(tail float64, f func(saddle) float64) (saddle, bool) {
	x, step := 2.0, 1.0 // of log λ
	below, above := math.NaN(), math.NaN()
	var fBelow, fAbove float64
	for range 60 {
		s := l.saddle(math.Exp(x), tail)
		y := f(s)
		switch {
		case math.IsNaN(y) || math.Abs(x) > 40:
			return s, false
		case math.Abs(y) < 1e-2 || above-below < 1e-3:
			return s, true
		case y > 0:
			below, fBelow = x, y
		default:
			above, fAbove = x, y
		}
		switch {
		case math.IsNaN(above):
			x += step
			step *= 1.5
		case math.IsNaN(below):
			x -= step
			step *= 1.5
		default:
			x = below + (above-below)*math.Min(math.Max(fBelow/(fBelow-fAbove), 0.1), 0.9)
		}
	}
	return saddle{}, false
}
