// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package path

import (
	"math"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A polynomial in 2s − 1 and 2t − 1: of (2s − 1)^i·(2t − 1)^j the coefficient is c[i][j].
type polynomial struct {
	c         [][]float64
	direction int // of a derivative: 0 by s, 1 by t
}

// newPolynomial has no terms of more than a degree.
func newPolynomial(degree int) polynomial {
	var p polynomial
	for i := range degree + 1 {
		p.c = append(p.c, make([]float64, degree+1-i))
	}
	return p
}

// along is the derivative by s, k = 0, or by t, up to the rounding of coefficients, which size covers.
func (p polynomial) along(k int) polynomial {
	out := newPolynomial(max(len(p.c)-2, 0))
	out.direction = k
	for i := range out.c {
		for j := range out.c[i] {
			if k == 0 {
				out.c[i][j] = 2 * float64(i+1) * at(p.c, i+1, j)
			} else {
				out.c[i][j] = 2 * float64(j+1) * at(p.c, i, j+1)
			}
		}
	}
	return out
}

func at(c [][]float64, i, j int) float64 {
	if i < len(c) && j < len(c[i]) {
		return c[i][j]
	}
	return 0
}

// plus is p + f·q, up to rounding.
func (p polynomial) plus(q polynomial, f float64) polynomial {
	out := newPolynomial(max(len(p.c), len(q.c)) - 1)
	for i := range out.c {
		for j := range out.c[i] {
			out.c[i][j] = at(p.c, i, j) + float64(f*at(q.c, i, j))
		}
	}
	return out
}

// at is about the value at a point of [0, 1]².
func (p polynomial) at(s, t float64) float64 {
	sum := 0.0
	for i := len(p.c) - 1; i >= 0; i-- {
		row := 0.0
		for j := len(p.c[i]) - 1; j >= 0; j-- {
			row = float64(row*t) + p.c[i][j]
		}
		sum = float64(sum*s) + row
	}
	return sum
}

// size is the sum of the sizes of the coefficients, at least the greatest value.
func (p polynomial) size() float64 {
	sum := 0.0
	for _, row := range p.c {
		for _, x := range row {
			sum += math.Abs(x)
		}
	}
	return sum
}

// rise is the value at (1, 1) without the one at (0, 0).
func (p polynomial) rise() interval.Interval {
	const w = interval.Prec(128)
	sum := interval.Int(0)
	for i, row := range p.c {
		for j, x := range row {
			if (i+j)%2 == 1 {
				sum = w.Add(sum, double.Exactly(2*x))
			}
		}
	}
	return sum
}
