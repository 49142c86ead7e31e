// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package laplacian holds the laws of the losses of Laplace pairs and of samples of them: atoms, and a density that a
// rule of few nodes integrates.
package laplacian

import (
	"math/big"
	"sync"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/quadrature"
)

// coarse is the precision of bounds.
const coarse = interval.Prec(64)

var one = interval.Int(1)

// A Law is the law of the loss of the Laplace pair (Lap(x, 1), Lap(0, 1)), Poisson-sampled at a rate g, in either
// direction. Rate 1, the pair itself, is allowed.
//
// Let l be the loss of the pair before it is sampled, and ν its law under Lap(0, 1).
// ν has the atoms e^{−x}/2 at x and 1/2 at −x, and the density n(l) = e^{−(l+x)/2}/4 between.
// (This is the law under Lap(x, 1) times e^{−l}.) Of the sampled pair, with R(l) = 1 − g + g·e^l,
//
//	((1−g)Q + gP, Q): the loss is  log R, M(s) = ∫ R^{1−s} dν,
//	(Q, (1−g)Q + gP): the loss is −log R, M(s) = ∫ R^s dν.
//
// At s = −λ + it both are ∫ R^κ·e^{−itL} dν, with κ = 1 + λ in the first direction and κ = −λ in the other.
// So M = A + D with A the terms of the two atoms, and, for l = xy,
//
//	D = x·∫_{−1}^1 f(y) dy, f(y) = n(xy)·R(xy)^κ·e^{−itL(xy)},
//
// by Fejér's rule.
type Law struct {
	Shift, Rate *big.Rat // x and g
	Reversed    bool     // the other direction
}

// Tilt encloses κ.
func (s Law) Tilt(p interval.Prec, lambda interval.Interval) interval.Interval {
	if s.Reversed {
		return lambda.Neg()
	}
	return p.Add(one, lambda)
}

// LogR encloses log R(l) = log(1 + g·(e^l − 1)).
func (s Law) LogR(p interval.Prec, l interval.Interval) interval.Interval {
	w := p + 8
	return p.Log1p(w.Mul(w.Rat(s.Rate), w.Expm1(l)))
}

// Density encloses n(l).
func (s Law) Density(p interval.Prec, l interval.Interval) interval.Interval {
	return p.Scale(p.Exp(p.Scale(p.Add(l, p.Rat(s.Shift)), -1).Neg()), -2)
}

// Atoms encloses the masses of ν at x and −x, and log R there.
func (s Law) Atoms(p interval.Prec) (masses, logs [2]interval.Interval) {
	x := p.Rat(s.Shift)
	masses = [2]interval.Interval{p.Scale(p.Exp(x.Neg()), -1), p.Scale(one, -1)}
	return masses, [2]interval.Interval{s.LogR(p, x), s.LogR(p, x.Neg())}
}

// Nodes returns the atoms of ν, and nodes of Fejér's rule for the rest, as masses at values of log R.
func (s Law) Nodes(p interval.Prec, n int) (masses, logs []interval.Interval) {
	m, l := s.Atoms(p)
	masses, logs = m[:], l[:]
	x := p.Rat(s.Shift)
	nodes, weights := quadrature.Fejer(p, n)
	for k, y := range nodes {
		at := p.Mul(x, y)
		masses = append(masses, p.Mul(p.Mul(x, weights[k]), s.Density(p, at)))
		logs = append(logs, s.LogR(p, at))
	}
	return masses, logs
}

// EllipseBound bounds |f| on the ellipse y = (z + 1/z)/2, |z| = ρ, for all |t| ≤ t.
// It reports false if f is not known to be analytic inside.
//
// Lemma. If Re R > 0 on the ellipse, f is analytic inside, and |f| inside is at most its largest value there.
//
// Proof. Re R(xy) is harmonic, so it is also positive inside, where log R is analytic in its principal branch.
// The rest is the maximum principle.
//
// On the ellipse
//
//	|f(y)| ≤ (1/4)·e^{−x(1 + Re y)/2}·e^{κ·log|R| + |t|·|arg R|}.
//
// All of this is the same at the conjugate of y, so that the upper half of the ellipse is enough.
// With z = ρe^{iφ}, y = cos φ·(ρ + 1/ρ)/2 + i·sin φ·(ρ − 1/ρ)/2, 0 ≤ φ ≤ π.
func (s Law) EllipseBound(lambda, t, rho interval.Interval) (interval.Interval, bool) {
	const p = interval.Prec(32)
	k := s.Tilt(p, lambda)
	x, g := p.Rat(s.Shift), p.Rat(s.Rate)
	wide := p.Mul(x, p.Scale(p.Add(rho, p.Inv(rho)), -1))
	high := p.Mul(x, p.Scale(p.Sub(rho, p.Inv(rho)), -1))
	greatest := interval.Int(0)
	for _, e := range halfCircle() {
		l := interval.Complex{Re: p.Mul(wide, e.Re), Im: p.Mul(high, e.Im)}
		r := p.ScaleC(g, p.ExpC(l))
		r.Re = p.Add(r.Re, p.Sub(one, g))
		if r.Re.Positive() != interval.True {
			return interval.PosInf(), false
		}
		log := p.LogC(r)
		y := p.Add(p.Mul(k, log.Re), p.Mul(t, log.Im.Abs()))
		y = p.Sub(y, p.Scale(p.Add(x, l.Re), -1))
		greatest = interval.Max(greatest, interval.Point(p.Scale(p.Exp(y), -2).Hi()))
	}
	return greatest, greatest.IsFinite()
}

// halfCircle returns rectangles that cover e^{iφ}, 0 ≤ φ ≤ π.
var halfCircle = sync.OnceValue(func() []interval.Complex {
	const sections = 16
	var out []interval.Complex
	for i := range int64(sections) {
		ends := interval.Union(coarse.Rat(big.NewRat(i, sections)), coarse.Rat(big.NewRat(i+1, sections)))
		out = append(out, coarse.ExpI(coarse.Mul(coarse.Pi(), ends)))
	}
	return out
})

// Rule lays the rule with n nodes, of the given error.
func (s Law) Rule(p interval.Prec, lambda *big.Rat, n int, err interval.Interval) quadrature.Rule {
	w := p + 48
	q := quadrature.Rule{Err: err}
	k := s.Tilt(w, w.Rat(lambda))
	masses, logs := s.Nodes(w, n)
	for i, m := range masses {
		q.Weights = append(q.Weights, w.Mul(m, w.Exp(w.Mul(k, logs[i]))))
		loss := logs[i]
		if s.Reversed {
			loss = loss.Neg()
		}
		q.Losses = append(q.Losses, loss)
	}
	return q
}

// AtomsMoment encloses A at t = 0.
func (s Law) AtomsMoment(k interval.Interval) interval.Interval {
	sum := interval.Int(0)
	masses, logs := s.Atoms(coarse)
	for i, m := range masses {
		sum = coarse.Add(sum, coarse.Mul(m, coarse.Exp(coarse.Mul(k, logs[i]))))
	}
	return sum
}

// Sizes bounds log(|M(−λ + ijh)|/M(−λ)) of the pair at rate 1, j = 0 … n, by its value: of the atoms |M| has peaks for
// all t, and is small between them.
//
// With a = 1/2 + λ and u = a − it, M is proportional to cosh ux + sinh ux/(2u), where 1/u = (a + it)/(a² + t²),
//
//	cosh ux = cosh ax·cos tx − i·sinh ax·sin tx,  sinh ux = sinh ax·cos tx − i·cosh ax·sin tx.
func Sizes(shift, lambda *big.Rat, h double.Interval, n int) []float64 {
	x, a := double.Of(coarse.Rat(shift)), double.Of(coarse.Rat(new(big.Rat).Add(lambda, big.NewRat(1, 2))))
	up, down := a.Mul(x).Exp(), a.Mul(x).Neg().Exp()
	cosh, sinh, a2 := up.Add(down).Half(), up.Sub(down).Half(), a.Sqr()
	norm := cosh.Add(sinh.Div(a).Half())
	out := make([]float64, n+1)
	for j := range out {
		t := h.Mul(double.Int(int64(j)))
		cos, sin := t.Mul(x).Cis()
		c, s := sinh.Mul(cos), cosh.Mul(sin).Neg() // sinh ux
		scale := a2.Add(t.Sqr()).Mul(double.Int(2))
		re := cosh.Mul(cos).Add(c.Mul(a).Sub(s.Mul(t)).Div(scale))
		im := s.Mul(a).Add(c.Mul(t)).Div(scale).Sub(sinh.Mul(sin))
		out[j] = min(0, re.Sqr().Add(im.Sqr()).Sqrt().Div(norm).Log().Hi)
	}
	return out
}
