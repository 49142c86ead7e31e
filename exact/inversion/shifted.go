// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/big"

	"dpverify/exact/double"
)

// A shifted bounds |ψ(t)| of a mixture of which one side is N(0, 1) and all means of the other are ≥ 0, by
// moving the line of integration. Faster than any power of t, it is what a few copies are inverted by.
//
// Lemma. Let 0 < b < π/max m_i, and C the side with the means, A or B. In 0 < |Im z| ≤ b all terms of C have arguments
// in [0, π) of one sign, one of them not 0, so that C has no zero there and the integrand of M(−λ + it), with the
// principal power of C, is analytic; it falls like φ as |Re z| → ∞. So for t ≥ 0, with z = x − ib where C is A, and
// z = x + ib where C is B, and θ(x) = |arg C(z)|,
//
//	|M(−λ + it)| ≤ ∫ φ(x)·e^{b²/2}·|A(z)|^{1+λ}·|B(z)|^{−λ}·e^{−tθ(x)} dx.
//
// |A(z)| ≤ A(x), and |C(z)| ≥ cos(β/2)·C(x) for β = b·max m_i, by the projection onto the bisector of the angle β that
// holds all terms. θ ≥ sin θ = |Im C|/|C|, and θ ≥ π/2 where Re C ≤ 0. Cells, and what is outside of them, are
// as in newQuadrature, where θ ≥ 0.
type shifted []shift

// A shift is the bound for one b: Σ weight·e^{−t·turn} over cells.
type shift struct{ weights, turns []double.Interval }

// onOneSide reports whether the lemma is about m.
func (m *mixture) onOneSide() bool {
	a, b := meanRange(m.roughA), meanRange(m.roughB)
	if a.Hi == 0 && a.Lo == 0 {
		a, b = b, a
	}
	return b.Lo == 0 && b.Hi == 0 && a.Lo >= 0 && a.Hi > 0
}

// newShifted bounds |ψ| at λ for some b; scale encloses (e^peak/√(2π))/M(−λ).
func (m *mixture) newShifted(lambda *big.Rat, w window, scale double.Interval) shifted {
	if !m.onOneSide() {
		return nil
	}
	s := m.newStrip(lambda, w)
	side := m.roughA
	if meanRange(side).Hi == 0 {
		side = m.roughB
	}
	most := meanRange(side).Hi
	var out shifted
	for i := 1; i < 16; i++ {
		b := math.Pi * float64(i) / 16 / most * (1 - 0x1p-40) // b·most < π
		if y, ok := s.shift(b, scale); ok {
			out = append(out, y)
		}
	}
	return out
}

func (s *strip) shift(b float64, scale double.Interval) (shift, bool) {
	at := double.Point(b)
	cosA, sinA := circle(s.roughA, at)
	cosB, sinB := circle(s.roughB, at)
	beta := at.Mul(double.Max(meanRange(s.roughA), meanRange(s.roughB)))
	least, _ := beta.Half().Cis()
	if !(least.Lo > 0 && beta.Hi < math.Pi) {
		return shift{}, false
	}
	least = least.Lower()
	isA := meanRange(s.roughA).Hi > 0
	factor := scale.Mul(at.Sqr().Half().Exp())
	var out shift
	add := func(c stripCell, width, modulusB, turn double.Interval, together bool) {
		y := c.log.Sub(s.lambda.Mul(modulusB.Log().Add(c.shift)))
		weight := factor.Mul(y.Exp()).Mul(width).Upper()
		if n := len(out.weights); together {
			out.weights[n-1] = out.weights[n-1].Add(weight).Upper()
			out.turns[n-1] = double.Min(out.turns[n-1], turn)
			return
		}
		out.weights, out.turns = append(out.weights, weight), append(out.turns, turn)
	}
	const cellsTogether = 4
	for i, c := range s.cells {
		terms, cos, sin := c.a, cosA, sinA
		if !isA {
			terms, cos, sin = c.b, cosB, sinB
		}
		re, im := dot(terms, cos), dot(terms, sin)
		modulus := re.Sqr().Add(im.Sqr()).Sqrt()
		turn := im.Lower().AtLeastZero().Div(modulus.Upper()).Lower().AtLeastZero()
		if re.Hi <= 0 {
			turn = double.Point(1.57)
		}
		modulusB := total(c.b)
		if !isA {
			modulusB = double.Max(modulus.Lower(), least.Mul(modulusB).Lower())
		}
		add(c, double.Int(1).Div(double.Int(tableStep)), modulusB, turn, i%cellsTogether > 0)
	}
	for _, c := range s.ends {
		modulusB := total(c.b)
		if !isA {
			modulusB = least.Mul(modulusB)
		}
		add(c, double.Int(1).Div(c.beyond), modulusB, double.Interval{}, false)
	}
	return out, true
}

// bound returns an upper bound of log|ψ(t)| for |t| ≥ a: each term falls with t. Any b bounds; the best one
// grows with a, and is looked for by halving.
func (ss shifted) bound(a float64) float64 {
	if len(ss) == 0 {
		return 0
	}
	lo, hi := 0, len(ss)-1
	at, next := ss[lo].bound(a), 0.0
	best := min(0, at)
	for lo < hi {
		mid := (lo + hi) / 2
		at, next = ss[mid].bound(a), ss[mid+1].bound(a)
		best = min(best, at, next)
		if at < next {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return best
}

func (s shift) bound(a float64) float64 {
	var sum double.Interval
	for i, w := range s.weights {
		sum = sum.Add(w.Mul(double.Point(a).Mul(s.turns[i]).Neg().Exp()))
	}
	return sum.Upper().Log().Hi
}
