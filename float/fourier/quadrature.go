// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fourier

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"

	"dpverify/float/value"
)

// nodes is the number of points of a panel, and rho the parameter of the Bernstein
// ellipse by which its error is bounded.
const (
	nodes = 32
	rho   = 1.9
)

var legendreX, legendreW = legendre()

func legendre() (x, w []float64) {
	x, w = make([]float64, nodes), make([]float64, nodes)
	quad.Legendre{}.FixedLocations(x, w, -1, 1)
	return x, w
}

// legendreErr bounds the error of the points, absolutely, and of the weights,
// relatively; tested against rational arithmetic.
const legendreErr = 8 * value.U

// panel integrates Re f over [w₀ − r, w₀ + r] and returns a bound of the error, and the
// size at the right end.
//
// If |f| ≤ B on the ellipse with foci w₀ ± r and semiaxes r(ρ ± 1/ρ)/2, then n-point
// Gauss quadrature is off by at most (64/15)·r·B·ρ^(2−2n)/(1 − ρ^−2) [Trefethen 2013,
// Theorem 19.3]. The ellipse reaches b = r(ρ − 1/ρ)/2 to the left and right of Re s = γ.
//
// A point that is off by d moves its value by at most d·B/(0.2r): a disc of radius 0.2r
// about a point of the interval lies in the ellipse for ρ = 1.9, and B bounds f there.
func panel(f *integrand, w0, r, b float64) (sum, err, end float64) {
	reach := r * (rho + 1/rho) / 2
	bound := f.bound(b, math.Max(0, w0-reach))
	err = 64.0 / 15 * r * bound * math.Pow(rho, 2-2*nodes) / (1 - 1/(rho*rho)) * (1 + 1e-9)
	err += 2 * r * bound / (0.2 * r) * (legendreErr*r + 2*value.U*(w0+r))
	size := 0.0
	for i, x := range legendreX {
		y, e, _ := f.at(w0 + r*x)
		v := r * legendreW[i] * real(y)
		sum += v
		size += math.Abs(v)
		err += r * legendreW[i] * e
	}
	_, _, end = f.at(w0 + r)
	return sum, err + size*(legendreErr+(nodes+4)*value.U), end
}
