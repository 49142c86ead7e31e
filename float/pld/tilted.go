// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"math"

	"dpverify/float/value"
)

// A window is where a composition is read: points from lo to hi, both inclusive.
type window struct {
	lo, hi int
	length int     // of the transform
	alias  float64 // bounds the mass outside, which wraps around
}

// A part is a composition of tilted vectors, and the window in which it is read; not ok if nothing is known of it.
type part struct {
	composition
	window
	ok bool
}

// tilted are the compositions from which δ is read near to one ε: of the upper bounds of masses, and of A, tilted by λ,
// and B, by 1 + λ, which are the lower ones.
type tilted struct {
	spacing, lambda    float64
	up, a, b           part
	upperInf, lowerInf float64 // bound the mass of infinite losses
}

// upper returns an upper bound of δ(ε): m + Σ_{x>ε} p(x)·(1 − e^(ε−x)). With p untilted
// that is e^(log total − λε)·Σ m·e^(−λ(x−ε))·(1 − e^(ε−x)), whose weights are at most 1.
func (t *tilted) upper(eps value.Value) float64 {
	if !t.up.ok {
		return 1
	}
	sum, norm := 0.0, 0.0
	for i := t.up.hi; i >= t.up.lo; i-- {
		x := float64(i) * t.spacing
		d := x - eps.V + eps.Err
		if d <= 0 {
			break
		}
		// The weight falls with ε: at most its value at the lowest ε.
		weight := math.Exp(-t.lambda*d) * -math.Expm1(-d)
		sum += t.up.at(i) * weight
		norm += weight * weight
	}
	// Errors count by the inequality of Cauchy and Schwarz.
	sum = (math.Max(0, sum) + math.Sqrt(norm)*t.up.err + t.up.alias) * (1 + 1e-12)
	scale := t.up.log.Sub(eps.Scale(t.lambda)).Exp()
	if math.IsInf(scale.Err, 1) {
		return 1
	}
	return math.Min(1, (scale.Hi()*math.Exp(t.lambda*2*eps.Err)*sum+t.upperInf)*(1+1e-12)+0x1p-1000)
}

// lower returns a lower bound of δ(ε): m + Σ_{x≥ε} (A(x) − e^ε·B(x))₊. What wraps around in A is taken off in full; in
// B it only lowers the sum.
func (t *tilted) lower(eps value.Value) float64 {
	trivial := t.lowerInf * (1 - 1e-12)
	if !t.a.ok || !t.b.ok {
		return trivial
	}
	ratio := t.b.log.Sub(t.a.log).Exp()
	if math.IsInf(ratio.Err, 1) {
		return trivial
	}
	r := ratio.Hi() * (1 + 1e-12)
	sum, norm := 0.0, 0.0
	for i := t.a.hi; i >= t.a.lo; i-- {
		d := float64(i)*t.spacing - eps.V - eps.Err
		if d < 0 {
			break
		}
		// e^(ε−x) is at most its value at the highest ε. Σ(y − e)₊ ≥ Σy₊ − Σ|e|.
		weight := math.Exp(-t.lambda * d)
		if y := t.a.at(i) - r*math.Exp(-d)*(1+4*value.U)*t.b.at(i); y > 0 {
			sum += y * weight
		}
		norm += weight * weight
	}
	sum = math.Max(0, sum*(1-1e-12)-math.Sqrt(norm)*(t.a.err+r*t.b.err)-t.a.alias)
	scale := t.a.log.Sub(eps.Scale(t.lambda)).Exp()
	return math.Max(0, (scale.Lo()*math.Exp(-t.lambda*2*eps.Err)*sum+t.lowerInf)*(1-1e-12))
}
