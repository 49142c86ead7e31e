// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package markov

import (
	"math"

	"dpverify/exact/double"
)

// A bell encloses the masses that a normal law of variance v has on a lattice of spacing h: by weighing h·φ(d) at the
// distance d from its mean, φ its density; by spreading ∫(1 − |t|/h)·φ(d + t)dt over |t| ≤ h, which is h·φ(d)·Σ_a
// C_a·y^(2a), y = dh/v,
//
//	C_a = 1/(2a)!·Σ_b (−z)^b/b!·2/((2a + 2b + 1)(2a + 2b + 2)),  z = h²/2v,
//
// since ∫₀¹ 2(1 − t)·t^n dt = 2/((n + 1)(n + 2)). For z ≤ 1 the sum over b is between any two of its partial sums
// that follow each other.
type bell struct {
	norm, half double.Interval // h/√(2πv), −1/2v
	perV       float64         // about h/v
	c          []float64       // the C_a, each up to a relative error
	err        float64         // that bounds all of them, what is after the last one, and the rounding of the sum
}

// lastTerm bounds how many C_a there are.
const lastTerm = 40

// newBell serves distances up to reach.
func newBell(r rounding, v, h, reach float64) *bell {
	vs, hs := exactly(v), exactly(h)
	b := &bell{norm: hs.Div(vs.Add(vs).Mul(pi).Sqrt()), half: exactly(-1).Div(vs.Add(vs)), perV: h / v}
	if r == weigh {
		return b
	}
	z := hs.Sqr().Mul(b.half) // −h²/2v
	y2 := exactly(reach).Mul(hs).Div(vs).Sqr().Upper()
	if !(z.Lo >= -1) {
		b.err = math.Inf(1)
		return b
	}
	factorial, power := exactly(1), exactly(1) // (2a)!, and y^(2a) at the reach
	for a := range int64(lastTerm) {
		sum, term := exactly(0), exactly(1)
		for k := range int64(24) {
			sum = sum.Add(term.Mul(exactly(2).Div(double.Int((2*a + 2*k + 1) * (2*a + 2*k + 2)))))
			term = term.Mul(z).Div(double.Int(k + 1))
		}
		sum = sum.Add(double.Interval{Lo: -term.Abs().Hi, Hi: term.Abs().Hi})
		c := sum.Div(factorial)
		b.c = append(b.c, c.Mid())
		b.err = max(b.err, (c.Hi-c.Lo)/c.Lo)
		// What follows is at most the next term, at z = 0, over 1 − y²/((2a + 3)(2a + 4)); the sum is at least C_0.
		next := double.Int((2*a + 1) * (2*a + 2))
		factorial, power = factorial.Mul(next), power.Mul(y2)
		ratio := y2.Div(double.Int((2*a + 3) * (2*a + 4)))
		rest := power.Div(factorial).Mul(exactly(2)).Div(double.Int((2*a + 3) * (2*a + 4))).Div(exactly(1).Sub(ratio))
		if rest = rest.Div(exactly(b.c[0] / 2)); ratio.Hi < 1 && rest.Hi < 0x1p-60 {
			b.err += rest.Hi + float64(float64(4*len(b.c)+16)*ulp)
			return b
		}
	}
	b.err = math.Inf(1)
	return b
}

// at returns about the mass at a distance, and a bound of its relative error.
func (b *bell) at(d double.Interval) (w, err float64) {
	x := d.Sqr().Mul(b.half).Exp().Mul(b.norm)
	w, err = x.Mid(), (x.Hi-x.Lo)/x.Lo
	if b.c == nil {
		return w, err
	}
	// The sum is a mean of cosh(ty), 0 ≤ t ≤ 1, but for a factor: its logarithm changes by less than y does.
	y := float64(d.Mid() * b.perV)
	y2, sum := float64(y*y), 0.0
	for a := len(b.c) - 1; a >= 0; a-- {
		sum = b.c[a] + float64(sum*y2)
	}
	off := float64((d.Hi-d.Lo)*b.perV) + float64(8*ulp*math.Abs(y))
	return float64(w * sum), err + b.err + float64(off*generous) + 4*ulp
}

// shrunk returns a variance s² < τ² such that a normal law of variance s², spread on a lattice of spacing h, is at
// most the one of variance τ² in convex order; false if it knows none. It is when s²(τ² − s²) ≥ h²τ²/4.
//
// Let π be E(N − x)₊ of either law. Spreading replaces π_s by its chords. Since π″ is the density, the chord at x
// exceeds π_s(x) by ∫G(x, y)φ_s(y)dy, G the Green's function of the cell, and φ_s(y) ≤ φ_s(x)·e^(−a(y − x)), a = (x −
// μ)/s². That integral of e^(−a(y − x)) is (E e^(aB) − 1)/a², B having two values and mean 0 in an interval of length
// h: at most (e^(a²h²/8) − 1)/a² [Hoeffding]. By the heat equation π_τ − π_s = ½∫φ_√v dv over v = s² + w, 0 ≤ w ≤ τ²
// − s² = D, and there φ_√v(x) ≥ φ_s(x)·√q·exp(½a²qw), q = s²/τ²: together φ_s(x)·(e^(½a²qD) − 1)/(a²√q). That is no
// less when qD ≥ h²/4.
func shrunk(tau2, h float64) (float64, bool) {
	root := tau2*tau2 - h*h*tau2
	if !(root > 0) {
		return 0, false
	}
	s2 := (tau2 + math.Sqrt(root)) / 2 * (1 - 0x1p-30)
	s, t := exactly(s2), exactly(tau2)
	return s2, s.Mul(t.Sub(s)).Lo >= exactly(h).Sqr().Mul(t).Mul(exactly(0.25)).Hi
}
