// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fourier

import (
	"math"
	"math/cmplx"

	"dpverify/float/value"
)

// A term is count copies of a factor.
type term struct {
	transform
	count float64
}

// An integrand is f relative to the numerator of f(γ).
type integrand struct {
	terms  []term
	lines  []line
	gamma  float64
	eps    value.Value
	growth float64 // bounds |numerator| on the strip of the ellipses
}

// tail returns an upper bound of log ∫_w^∞ |f|.
func (in *integrand) tail(w, goal float64) float64 {
	total := -math.Log(w)
	copies := 0.0
	for i, t := range in.terms {
		if _, ok := in.lines[i].(gaussianLine); ok {
			total += t.count * in.lines[i].tail(w, 0)
		} else {
			copies += t.count
		}
	}
	if total <= goal || copies == 0 {
		return total
	}
	for i, t := range in.terms {
		if _, ok := in.lines[i].(gaussianLine); !ok {
			total += t.count * in.lines[i].tail(w, (goal-total)/copies)
		}
	}
	return total
}

// bound returns an upper bound of |f| over |Re s − γ| ≤ b, Im s ≥ low ≥ 0, and below the real axis, where |f| is as at
// the conjugate: |numerator| ≤ growth, for |M(s)| ≤ M(Re s) and γ ↦ γε + log M(γ) is convex, and |s| ≥ |γ| − b,
// |s − 1| ≥ 1 + |γ| − b.
func (in *integrand) bound(b, low float64) float64 {
	x := -in.gamma - b
	return in.growth / (math.Hypot(x, low) * math.Hypot(1+x, low)) * (1 + 1e-9)
}

// at returns f(γ + iw), a bound of its error, and log|numerator|.
func (in *integrand) at(w float64) (f complex128, err, size float64) {
	z := complex(0, w*in.eps.V)
	e := (4*math.Abs(w*in.eps.V)+8)*value.U + (math.Abs(w)+math.Abs(in.gamma))*in.eps.Err
	known := true
	for i, t := range in.terms {
		zi, ei := in.lines[i].at(w)
		if math.IsInf(ei, 1) {
			known = false
			zi = complex(real(zi), 0)
		} else {
			e += t.count*ei + 4*value.U*t.count*cmplx.Abs(zi)
		}
		z += complex(t.count, 0) * zi
	}
	s := complex(in.gamma, w)
	den := s * (s - 1)
	size = real(z)
	abs := math.Exp(size) / cmplx.Abs(den)
	if !known || e > 0.5 {
		return 0, abs * math.Exp(math.Min(e, 50)) * (1 + 1e-9), size
	}
	y := imag(z)
	num := complex(math.Exp(size)*math.Cos(y), math.Exp(size)*math.Sin(y))
	return num / den, abs*(math.Expm1(e)+16*value.U) + 0x1p-1000, size
}
