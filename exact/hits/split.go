// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package hits

import (
	"math/big"

	"dpverify/exact/interval"
)

// A split marks each outcome x of a step by a coin: clear with probability g(x) = Φ((c − x)/w), and else a hit, with
// h(x) = Φ((x − c)/w).
//
// Let φ·A and φ·B be the densities of a step, and M, φ₀ and φ₁ the transforms of φ·A, φ·A·g and φ·A·h,
//
//	M(s) = ∫ F·e^{−itl} dx,  s = −λ + it,  F = φ·A^{1+λ}·B^{−λ},  l = log A − log B.
//
// Claim. δ(ε) = d(ε) + rest, where 0 ≤ rest ≤ c_κ·φ₀(−κ)^n·e^{−κε} for all κ > 0, see aliases.Markov, and d is of the
// outcomes with a hit: it falls, is at most 1 and at most c_κ·M(−κ)^n·e^{−κε}, and has the transform
//
//	R(s) = (φ₀ + φ₁)^n − φ₀^n,  |R(s)| ≤ n·|φ₁|·(|φ₀| + |φ₁|)^{n−1}.
//
// Proof. A coin depends on x alone, so that it tells nothing, and x with either mark has the loss of x. So
// δ(ε) = E_P[(1 − e^{ε−L})₊] is a sum over marks. Those without a hit have the transform φ₀^n, those with one the rest
// of M^n; both are measures, and at most the whole. (y + z)^n − y^n is n·∫ of (y + u)^{n−1} du from 0 to z. ∎
//
// So (1) of package inversion holds for R and d, with the bounds of package aliases. M^n falls to φ₀^n, about e^−hits
// of its peak, and stays there, as clear outcomes have next to one loss; R falls as φ₁ does.
type split struct{ center, width *big.Rat } // c and w > 0

// A part is of the outcomes of a step.
type part int

const (
	clear part = iota
	hit
	whole
)

// of encloses g, h or 1 at x.
func (c split) of(w interval.Prec, p part, x interval.Interval) interval.Interval {
	if p == whole {
		return interval.Int(1)
	}
	u := w.Div(w.Sub(x, w.Rat(c.center)), w.Rat(c.width))
	if p == clear {
		u = u.Neg()
	}
	return w.NormalCDF(u)
}

// coarse is the precision at which errors are bounded.
const coarse = interval.Prec(64)

var one = interval.Int(1)

// positive reports whether x is known to be above 0.
func positive(x interval.Interval) bool { return x.Positive() == interval.True }

// A step has the densities of one step, at a precision.
type step struct {
	w           interval.Prec
	keep, q, mu interval.Interval
	two         bool // B is a mixture, too
}

func (s Steps) at(w interval.Prec) step {
	return step{w, w.Rat(new(big.Rat).Sub(big.NewRat(1, 1), s.Q)), w.Rat(s.Q), w.Sqrt(w.Rat(s.Mu2)), s.Kind == Replaced}
}

// lift is e^{μx − μ²/2}.
func (s step) lift(x interval.Interval) interval.Interval {
	return s.w.Exp(s.w.Mul(s.mu, s.w.Sub(x, s.w.Scale(s.mu, -1))))
}

// density encloses F at x, and the loss.
func (s step) density(lambda, x interval.Interval) (f, loss interval.Interval) {
	w := s.w
	la := w.Log(w.Add(s.keep, w.Mul(s.q, s.lift(x))))
	loss = la
	if s.two {
		loss = w.Sub(la, w.Log(w.Add(s.keep, w.Mul(s.q, s.lift(x.Neg())))))
	}
	y := w.Sub(w.Add(la, w.Mul(lambda, loss)), w.Scale(w.Sqr(x), -1))
	return w.Div(w.Exp(y), w.Sqrt(w.Scale(w.Pi(), 1))), loss
}

// parameters are those of a line. Whatever they are, if valid, the bounds hold.
type parameters struct {
	split
	lambda, kappa, period *big.Rat // λ, κ and T
	from                  *big.Rat // x₁ of fall
	rate                  *big.Rat // the κ of the rest
	bits                  int      // by which rules are off
	terms                 int      // W is terms·h
	prec                  interval.Prec
}

// valid reports whether 0 < λ < κ, and others are above 0, too.
func (c parameters) valid() bool {
	return c.lambda.Sign() > 0 && c.kappa.Cmp(c.lambda) > 0 && c.period.Sign() > 0 && c.rate.Sign() > 0 &&
		c.width.Sign() > 0 && c.terms > 0
}

// turn encloses h.
func (c parameters) turn(w interval.Prec) interval.Interval {
	return w.Div(w.Scale(w.Pi(), 1), w.Rat(c.period))
}

// fall bounds |φ₁(−λ + it)| for |t| ≥ W, by first ≥ φ₁(−λ). It is infinite where the claim says nothing.
//
// Claim. Let μ > 0, 0 ≤ x₁ ≤ c, V = 1 + 1/w², r = q/(1−q)·e^{μx₁ − μ²/2}, and m = q/(1−q)·e^{−μx₁ − μ²/2} < 1 where B
// has a mean −μ, or 0 where B = 1. Let β₀ = ∞ and ρ = r/(1+r) where r > 1, and else, for some 0 < θ ≤ π/2,
//
//	β₀ = θ/μ,  ρ = (r² + r·cos θ)/(1 + 2r·cos θ + r²).
//
// Let ν = μ·(ρ − m/(1−m)) > 0. For |t| ≥ W > 0 and β = min(Wν/V, β₀)
//
//	|φ₁(−λ+it)| ≤ e^{β²V/2 − Wνβ}·D·φ₁(−λ) + 2/(Wν)·D·F(x₁)·h(x₁) + (A^{1+λ}·B^{−λ})(x₁)·I,
//	D = ((1+m)/(1−m))^λ,  I = e^{−c²/(2+2w²)}·v·Φ((x₁ − c/(1+w²))/v)/2,  v = 1/√V.
//
// Proof. Let t > 0; φ₁(s̄) is the conjugate of φ₁(s). At x − iy, x ≥ x₁, y ≤ β₀, A = (1−q)·(1 + u), |u| = r′ ≥ r,
// where u has the argument −μy, so that 1 + u ≠ 0, and log A and log B are analytic there, as m < 1. The argument of A
// falls with y at the rate μ·f(r′, cos μy), f(r, c) = (r² + rc)/(1 + 2rc + r²). As df/dc has the sign of 1 − r², f is
// at least r′/(1 + r′) where r′ > 1, and else at least f(r′, cos θ), which rises with r′, to 1/2, as df/dr has the sign
// of 2r + c + cr². So the rate is at least μρ. That of B falls at most at the rate μ·m/(1−m), as arg(1 + me^{iθ}) has a
// slope of at most m/(1−m). So |e^{−itl}| ≤ e^{−tνy}. |A| ≤ A(x), |B| ≥ B(x)·(1−m)/(1+m), |φ| = φ(x)·e^{y²/2}, and |h|
// ≤ h(x)·e^{y²/2w²}, as Φ(u − iv) is an integral of φ along Im = −v. Integrate from −∞ to x₁, down to x₁ − iβ, and on
// from there. The last part is at most e^{β²V/2 − tνβ}·D·φ₁(−λ). The way down is at most ∫e^{y²V/2 − tνy}dy·D·F·h,
// where y²V/2 ≤ yWν/2 ≤ tνy/2. On the first part A rises and B falls, and φ·h is at most half of e^{−x²/2 −
// (c−x)²/2w²}/√(2π), as Φ(−u) ≤ e^{−u²/2}/2 for u ≥ 0: the integral of that is I. ∎
func (s step) fall(c parameters, first, far interval.Interval) interval.Interval {
	w, x, lambda := s.w, s.w.Rat(c.from), s.w.Rat(c.lambda)
	odds := w.Div(s.q, s.keep)
	r := w.Mul(odds, s.lift(x))
	bend, turned := one, interval.Int(0)
	if s.two {
		m := w.Mul(odds, s.lift(x.Neg()))
		if m.Less(one) != interval.True {
			return interval.PosInf()
		}
		turned = w.Div(m, w.Sub(one, m))
		bend = w.Exp(w.Mul(lambda, w.Log1p(w.Scale(turned, 1)))) // (1 + m)/(1 − m) is 1 + 2m/(1 − m)
	}
	center, w2 := w.Rat(c.center), w.Sqr(w.Rat(c.width))
	vary := w.Add(one, w.Inv(w2))
	turns, down := s.lowered(r, turned, vary, far)
	if !positive(turns) || c.from.Sign() < 0 || c.from.Cmp(c.center) > 0 {
		return interval.PosInf()
	}
	y := w.Mul(w.Exp(down.Neg()), w.Mul(bend, first))

	f, loss := s.density(lambda, x)
	side := w.Mul(bend, w.Mul(f, c.of(w, hit, x)))
	y = w.Add(y, w.Scale(w.Div(side, turns), 1))

	wide := w.Add(one, w2)
	v := w.Inv(w.Sqrt(vary))
	left := w.Mul(w.Exp(w.Scale(w.Div(w.Sqr(center), wide), -1).Neg()), w.Scale(v, -1))
	left = w.Mul(left, w.NormalCDF(w.Div(w.Sub(x, w.Div(center, wide)), v)))
	la := w.Log(w.Add(s.keep, w.Mul(s.q, s.lift(x))))
	return w.Add(y, w.Mul(left, w.Exp(w.Add(la, w.Mul(lambda, loss))))).Upper()
}

// lowered encloses Wν of fall, and Wνβ − β²V/2 where that is positive, with r, m/(1 − m), V and W > 0.
func (s step) lowered(r, turned, vary, far interval.Interval) (turns, down interval.Interval) {
	w := s.w
	rho, deepest := w.Div(r, w.Add(one, r)), interval.PosInf()
	if one.Less(r) != interval.True {
		theta := w.Rat(big.NewRat(7, 8)) // next to which θ·cos θ is greatest
		y := w.Add(w.Sqr(r), w.Mul(r, w.Cos(theta)))
		rho = interval.Min(rho, w.Div(y, w.Add(one, w.Sub(w.Scale(y, 1), w.Sqr(r)))))
		deepest = w.Div(theta, s.mu)
	}
	turns = w.Mul(far, w.Mul(s.mu, w.Sub(rho, turned)))
	depth := interval.Min(w.Div(turns, vary), deepest)
	return turns, w.Sub(w.Mul(turns, depth), w.Scale(w.Mul(w.Sqr(depth), vary), -1))
}
