// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"

	"dpverify/exact/double"
)

// chooseStrip returns the b up to widest at which a rule whose error is to be e^−target has the longest step, and that
// step, by bounds of N for strips.
func chooseStrip(target, widest float64, bound func(b float64) float64) (best, step float64) {
	for i := range 16 {
		b := math.Ldexp(widest*float64(4-i%2)/4, -i/2)
		h := 2 * math.Pi * b / (target + double.Log64(bound(b)))
		if step < h {
			best, step = b, h
		} else if 2*h < step {
			break // ever narrower strips need ever finer steps
		}
	}
	return best, step
}

// about is near the bound of N for the strip |Im z| ≤ b and |t| ≤ t, by one cell of four.
func (s *strip) about(t, b float64) float64 {
	const every = 4
	circles := func(cs []doubleComponent) (cos, sin []float64) {
		for _, c := range cs {
			x, y := double.Cis64(c.mean.Mid() * b)
			cos, sin = append(cos, x), append(sin, math.Abs(y))
		}
		return cos, sin
	}
	dot := func(terms []double.Interval, by []float64) (sum float64) {
		for i, x := range terms {
			sum += x.Hi * by[i]
		}
		return sum
	}
	cosA, sinA := circles(s.doubleA)
	cosB, sinB := circles(s.doubleB)
	lambda, maxTurn := s.lambda.Hi, s.maxTurn(double.Point(b)).Hi
	sum := 0.0
	for i := every / 2; i < len(s.cells); i += every {
		c := s.cells[i]
		real := dot(c.b, cosB)
		turn := min(maxTurn, dot(c.a, sinA)/dot(c.a, cosA)+dot(c.b, sinB)/real)
		sum += double.Exp64(c.log.Hi - lambda*(double.Log64(real)+c.shift.Hi) + t*turn)
	}
	return (sum*every/tableStep + s.beyond(t, b).Hi) * double.Exp64(b*b/2)
}
