// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package tapering has the weights by which a Fourier sum ends where its terms are not yet small.
package tapering

import (
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// A Kernel is the k of a taper W, which cuts the sum of (1) of package inversion off where |M| is not yet small,
// as |M| of a few copies falls late.
// The slowly falling part of M belongs to the edge of the losses, and away from the edge d is analytic.
//
//	W(t)   1 ────────────────╮
//	                          ╲
//	       0 ──────────────────╰──────────→ t
//	         0              t₀  t₀ + w
//
// With 0 < w < t₀, W(t) = (erf((t + t₀)/w) − erf((t − t₀)/w))/2.
// It is the indicator of [−t₀, t₀] in convolution with the density e^{−t²/w²}/(w√π).
// It is the Fourier transform of k(x) = sin(t₀x)/(πx)·e^{−w²x²/4}.
// With D(x) = e^{λx}·d(x), Poisson's summation formula for k∗D is
//
//	S_W := (1/T)·Σ_j W(jh)·e^{s_j ε}·M(s_j)/(s_j(s_j − 1)) = e^{−λε}·Σ_m (k∗D)(ε + mT).    (3)
//
// Lemma (m = 0). Let D be analytic around the rectangle |Re ζ| ≤ r, |Im ζ| ≤ ρ about ε, and |d| ≤ s there.
// If w²r/2 > λ, then e^{−λε}·(k∗D)(ε) differs from d(ε) by at most
//
//	(s·e^{λr}/π)·[(2r/ρ)·e^{−t₀ρ + w²ρ²/4} + (2ρ/r)·max(e^{−w²r²/4}, e^{−t₀ρ − w²(r² − ρ²)/4})]
//	  + 2/(πr)·e^{−w²r²/4 + λr}/(w²r/2 − λ).
//
// Proof. (k∗D)(ε) = ∫k(x)·D(ε − x) dx.
//
//	  −r + iρ ┌────────────→────────────┐ r + iρ    the path of e^{it₀x} moves up, over the pole
//	          │            0            │
//	──────────┴────────────•────────────┴───────    the real line, passed below 0
//	          │                         │
//	  −r − iρ └────────────→────────────┘ r − iρ    the path of e^{−it₀x} moves down, over nothing
//
// Where |x| > r, |k| ≤ e^{−w²x²/4}/(πr) and e^{−λε}·D(ε − x) ≤ e^{λ|x|}.
// Beyond r, −w²x²/4 + λx has a slope of at most −(w²r/2 − λ). This is the last term.
//
// On [−r, r] pass below 0, where kD is analytic, and let sin = (e^{it₀x} − e^{−it₀x})/2i.
// The path of the first part moves up over the pole at 0, whose residue leaves D(ε).
// On x = a ± iρ the integrand is at most s·e^{λ(ε+r)}·e^{−t₀ρ}·e^{−w²(a² − ρ²)/4}/(2πρ).
// On x = ±r + iy it is at most s·e^{λ(ε+r)}·e^{−t₀|y| − w²(r² − y²)/4}/(2πr), where the exponent is convex in |y| ≤ ρ.
//
// Lemma (m ≠ 0). For a ≥ 0,
//
//	∫|k|·e^{a|x|} dx ≤ E(a) = (2/π)·e^{a/t₀}·e^{2a²/w²}·(2 + log(4t₀/w)).
//
// So the terms m < 0 of (3) are at most E(λ) times the bound of leftAliases, in modulus, as d(x) ≤ finite.
// The terms m > 0 are at most E(κ − λ) times the bound of rightAliases,
// as d(x) ≤ c·M(−κ)·e^{−κx}.
// Neither sum has a sign, because the kernel k has both.
//
// Proof. |k| ≤ min(t₀/π, 1/(π|x|))·e^{−w²x²/4}, and ax − w²x²/4 ≤ 2a²/w² − w²x²/8.
// Up to |x| = 1/t₀ the integral is at most (2/π)·e^{a/t₀}.
// From there it is at most (2/π)·e^{2a²/w²} times ∫ e^{−w²x²/8} dx/x.
// That is at most log(4t₀/w) up to 4/w, and at most (4/w²)·(w/4)²·e^{−2} < 1 beyond.
//
// Lemma (cut). For nh ≥ t₀, the terms |j| > n are at most
//
//	(e^{−λε}/T)·Σ_{j>n} M(−λ)·e^{−(jh−t₀)²/w²}/(jh)² ≤ e^{−λε}·M(−λ)·e^{−(nh−t₀)²/w²}/(2π·nh).
//
// Proof. W(t) ≤ erfc((t − t₀)/w)/2 ≤ e^{−(t−t₀)²/w²}/2, which falls, and |s(s − 1)| ≥ t².
type Kernel struct {
	Start, Width float64 // t₀ and w
}

// A Rectangle is where D is analytic.
type Rectangle struct {
	Radius, Height float64           // r and ρ
	Size           interval.Interval // s
}

// words is the arithmetic of package fixed, in three words.
var words = fixed.Three{}

// upper returns the upper end of x as a point.
func upper(x interval.Interval) interval.Interval { return interval.Point(x.Hi()) }

// infinity is the point +∞.
func infinity() interval.Interval {
	f := new(big.Float).SetInf(false)
	return interval.Bounds(f, f)
}

// Value encloses W(t).
func (t Kernel) Value(p interval.Prec, x interval.Interval) interval.Interval {
	w := p + 32
	scale := w.Div(w.Sqrt(interval.Int(2)), double.Exactly(t.Width))
	at := func(y interval.Interval) interval.Interval { return p.NormalSF(w.Mul(y, scale)) } // erfc(y/w)/2
	start := double.Exactly(t.Start)
	return p.Sub(at(w.Sub(x, start)), at(w.Add(x, start)))
}

// InWords returns W(jh), j = 0 … n, in words.
func (t Kernel) InWords(h fixed.Real, n int) []fixed.Real {
	start := fixed.FromInterval(double.Exactly(t.Start))
	inverse := words.Div(fixed.Int(1), fixed.FromInterval(double.Exactly(t.Width)))
	out := make([]fixed.Real, n+1)
	for j := range out {
		x := words.Mul(fixed.Int(int64(j)), h)
		first, second := wordErfc(words.Mul(words.Sub(x, start), inverse)), faint
		if y := words.Mul(words.Add(x, start), inverse); fixed.Int(12).Less(y) != interval.True {
			second = wordErfc(y)
		}
		out[j] = words.Scale(words.Sub(first, second), -1)
	}
	return out
}

// faint encloses erfc(y) for all y ≥ 12: it is at most e^{−y²} ≤ e^{−144} < 2^−207. Beside erfc((t − t₀)/w), which is
// greater by a factor of e^{4tt₀/w²}, that is next to nothing.
var faint = fixed.FromInterval(interval.Union(interval.Int(0), interval.Prec(64).Scale(interval.Int(1), -207)))

// wordErfc encloses erfc(x), however small it is.
func wordErfc(x fixed.Real) fixed.Real {
	if y := words.Erfc(x); y.Known() {
		return y
	}
	const w = interval.Prec(100)
	return fixed.FromInterval(w.Scale(w.NormalSF((w+32).Mul(x.Interval(), (w+32).Sqrt(interval.Int(2)))), 1))
}

// LogSize bounds log W(t) for t ≥ 0 from above.
func (t Kernel) LogSize(x double.Interval) double.Interval {
	d := x.Sub(double.Point(t.Start)).Div(double.Point(t.Width))
	if !(d.Lo > 0) {
		return double.Int(0)
	}
	return d.Sqr().Neg()
}

// Blur bounds the distance of e^{−λε}·(k∗D)(ε) from d(ε), where D is analytic in a rectangle.
func (t Kernel) Blur(p interval.Prec, lambda *big.Rat, in Rectangle) interval.Interval {
	l, w, r, rho := p.Rat(lambda), double.Exactly(t.Width), double.Exactly(in.Radius), double.Exactly(in.Height)
	w2 := p.Scale(p.Sqr(w), -2)
	turn := p.Mul(double.Exactly(t.Start), rho)
	lr := p.Mul(l, r)
	r2, rho2 := p.Mul(w2, p.Sqr(r)), p.Mul(w2, p.Sqr(rho)) // w²r²/4, w²ρ²/4
	up := p.Mul(p.Div(r, rho), p.Exp(p.Sub(rho2, turn)))
	sides := p.Mul(p.Div(rho, r), interval.Max(p.Exp(r2.Neg()), p.Exp(p.Sub(p.Sub(rho2, r2), turn))))
	inner := p.Mul(p.Mul(in.Size, p.Exp(lr)), p.Add(up, sides))
	slope := p.Sub(p.Scale(p.Mul(w2, r), 1), l) // w²r/2 − λ
	if slope.Positive() != interval.True {
		return infinity()
	}
	outer := p.Div(p.Exp(p.Sub(lr, r2)), p.Mul(r, slope))
	return upper(p.Div(p.Scale(p.Add(inner, outer), 1), p.Pi()))
}

// Spread bounds ∫|k|·e^{a|x|} dx for a ≥ 0.
func (t Kernel) Spread(p interval.Prec, a interval.Interval) interval.Interval {
	w, start := double.Exactly(t.Width), double.Exactly(t.Start)
	ratio := p.Div(a, w)
	y := p.Exp(p.Add(p.Div(a, start), p.Scale(p.Sqr(ratio), 1)))
	log := p.Log(p.Scale(p.Div(start, w), 2)).AtLeastZero()
	return upper(p.Div(p.Scale(p.Mul(y, p.Add(interval.Int(2), log)), 1), p.Pi()))
}

// Cut bounds the terms |j| > n of (3), in units of e^{−λε}·M(−λ). It is infinite unless nh ≥ t₀.
func (t Kernel) Cut(p interval.Prec, h interval.Interval, n int) interval.Interval {
	end := p.Mul(interval.Int(int64(n)), h)
	d := p.Div(p.Sub(end, double.Exactly(t.Start)), double.Exactly(t.Width))
	if d.Negative() != interval.False {
		return infinity()
	}
	return upper(p.Div(p.Exp(p.Sqr(d).Neg()), p.Scale(p.Mul(p.Pi(), end), 1)))
}
