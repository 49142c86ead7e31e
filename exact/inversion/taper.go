// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// A taper cuts the sum of (1) off where |M| is not yet small, as it falls late for a few copies: what is slow to fall
// belongs to the edge of the losses, and d is analytic away from it.
//
// With 0 < w < t₀, W(t) = (erf((t + t₀)/w) − erf((t − t₀)/w))/2 is the Fourier transform of κ(x) = sin(t₀x)/(πx)·e^{−w²x²/4}: it is the
// indicator of [−t₀, t₀] in convolution with the density e^{−t²/w²}/(w√π). With D(x) = e^{λx}·d(x), Poisson's summation formula for κ∗D is
//
//	S_W := (1/T)·Σ_j W(jh)·e^{s_j ε}·M(s_j)/(s_j(s_j − 1)) = e^{−λε}·Σ_m (κ∗D)(ε + mT).    (3)
//
// Lemma (m = 0). Let D be analytic around the rectangle |Re ζ| ≤ r, |Im ζ| ≤ ρ about ε, and |d| ≤ s there. Then e^{−λε}·(κ∗D)(ε) is d(ε), but for
//
//	(s·e^{λr}/π)·[(2r/ρ)·e^{−t₀ρ + w²ρ²/4} + (2ρ/r)·max(e^{−w²r²/4}, e^{−t₀ρ − w²(r² − ρ²)/4})]
//	  + 2/(πr)·e^{−w²r²/4 + λr}/(w²r/2 − λ),  if w²r/2 > λ.
//
// Proof. (κ∗D)(ε) = ∫κ(x)·D(ε − x) dx. Where |x| > r, |κ| ≤ e^{−w²x²/4}/(πr) and e^{−λε}·D(ε − x) ≤ e^{λ|x|}, and −w²x²/4 + λx has a slope of at most −(w²r/2 − λ)
// beyond r: the last term. On [−r, r] pass below 0, where κD is analytic, and let sin = (e^{it₀x} − e^{−it₀x})/2i. The path of the
// first part moves up, to −r, −r + iρ, r + iρ, r, over the pole at 0, whose residue leaves D(ε); the path of the second one moves down,
// over nothing. On x = a ± iρ the integrand is at most s·e^{λ(ε+r)}·e^{−t₀ρ}·e^{−w²(a² − ρ²)/4}/(2πρ), on x = ±r + iy at most
// s·e^{λ(ε+r)}·e^{−t₀|y| − w²(r² − y²)/4}/(2πr), where the exponent is convex in |y| ≤ ρ.
//
// Lemma (m ≠ 0). |κ| ≤ min(t₀/π, 1/(π|x|))·e^{−w²x²/4}, and ax − w²x²/4 ≤ 2a²/w² − w²x²/8, so that for a ≥ 0
//
//	∫|κ|·e^{a|x|} dx ≤ E(a) = (2/π)·e^{a/t₀}·e^{2a²/w²}·(2 + log(4t₀/w)):
//
// up to 1/t₀ it is (2/π)·e^{a/t₀} at most, and from there ∫ e^{−w²x²/8} dx/x ≤ log(4t₀/w) up to 4/w, and beyond (4/w²)·(w/4)²·e^{−2} < 1. As
// d(x) ≤ finite, the terms m < 0 of (3) are at most E(λ) times the bound of leftAliases; as d(x) ≤ c·M(−λ′)·e^{−λ′x}, those m > 0 are at
// most E(λ′ − λ) times the bound of rightAliases, in modulus: κ has both signs.
//
// Lemma (cut). For nh ≥ t₀, W(t) ≤ erfc((t − t₀)/w)/2 ≤ e^{−(t−t₀)²/w²}/2, which falls, and |s(s − 1)| ≥ t²: the terms |j| > n are at most
//
//	(e^{−λε}/T)·Σ_{j>n} M(−λ)·e^{−(jh−t₀)²/w²}/(jh)² ≤ e^{−λε}·M(−λ)·e^{−(nh−t₀)²/w²}/(2π·nh).
type taper struct {
	edge, width    float64 // t₀ and w
	radius, height float64 // r and ρ
	size           interval.Interval
}

// mostTapered is the number of copies up to which a taper is tried: ΠK grows with them, but is moderate for small angles. One pair has a closed form.
const mostTapered = 1 << 20

// angles are the b of continuation that are tried: the more copies, the smaller ones are good.
var angles = func() []float64 {
	var out []float64
	for i := range 20 {
		out = append(out, math.Ldexp(float64(4-i%2)/40, i/2-10))
	}
	for i := 1; i < 32; i++ {
		out = append(out, float64(i)/10)
	}
	return out
}()

// tapers reports whether tapers are tried.
func (c *continuation) tapers() bool { return c != nil && c.copies > 1 && c.copies <= mostTapered }

// chooseTaper returns a taper for a neighbourhood with errors of about e^{logDelta − bits}, if there is one, and the t
// from which on nothing is left.
func (x *Transform) chooseTaper(c parameters, at neighbourhood, bits float64) (t *taper, end float64, ok bool) {
	k := x.continued
	if !k.tapers() {
		return nil, 0, false
	}
	z, last := k.nearest(at).Lo, double.Of(coarse.Rat(at.last()))
	lambda := float64Of(c.lambda)
	slope := max(lambda, float64Of(c.farther)-lambda) // for moderate E
	var angle float64
	for _, b := range angles {
		growth, ok := k.growth(b)
		if !ok {
			break
		}
		for j := 1; j < 32; j++ {
			r := z * float64(j) / 32
			rho := height(b, z-r) * (1 - 0x1p-10)
			if !(rho > 0) {
				break
			}
			need := bits - at.logDelta + max(growth.Hi, 0) + max(last.Hi+r, 0) + lambda*r + 4
			w := x.memo.up(max(2*math.Sqrt(need)/r, slope))
			edge := x.memo.up(need/rho + w*w*rho/4)
			if to := edge + w*math.Sqrt(need); w < edge && (t == nil || to < end) {
				t, end, angle = &taper{edge: edge, width: w, radius: r, height: rho}, to, b
			}
		}
	}
	if t == nil || !isNumber(end) {
		return nil, 0, false
	}
	t.size, ok = k.size(angle, last.Add(double.Point(t.radius)))
	x0 := k.nearest(at).Sub(double.Point(t.radius)).Lower()
	return t, end, ok && k.contains(angle, t.height, x0)
}

// point encloses x.
func point64(x float64) interval.Interval { return double.Point(x).Exact() }

// value encloses W(t).
func (t *taper) value(p interval.Prec, x interval.Interval) interval.Interval {
	w := p + 32
	at := func(y interval.Interval) interval.Interval { return p.Erfc(w.Div(y, point64(t.width))) }
	edge := point64(t.edge)
	return p.Scale(p.Sub(at(w.Sub(x, edge)), at(w.Add(x, edge))), -1)
}

// words returns W(jh), j = 0 … n, in words.
func (t *taper) words(h fixed.Real, n int) []fixed.Real {
	edge := fixed.FromInterval(point64(t.edge))
	inverse := words.Div(fixed.Int(1), fixed.FromInterval(point64(t.width)))
	out := make([]fixed.Real, n+1)
	for j := range out {
		x := words.Mul(fixed.Int(int64(j)), h)
		first, second := wordErfc(words.Mul(words.Sub(x, edge), inverse)), wordErfc(words.Mul(words.Add(x, edge), inverse))
		out[j] = words.Scale(words.Sub(first, second), -1)
	}
	return out
}

// wordErfc encloses erfc(x), however small it is.
func wordErfc(x fixed.Real) fixed.Real {
	if y := words.Erfc(x); y.Known() {
		return y
	}
	return fixed.FromInterval(interval.Prec(100).Erfc(x.Interval()))
}

// logSize bounds log W(t) for t ≥ 0 from above.
func (t *taper) logSize(x double.Interval) double.Interval {
	d := x.Sub(double.Point(t.edge)).Div(double.Point(t.width))
	if !(d.Lo > 0) {
		return double.Int(0)
	}
	return d.Sqr().Neg()
}

// blur bounds the distance of e^{−λε}·(κ∗D)(ε) from d(ε).
func (t *taper) blur(p interval.Prec, lambda *big.Rat) interval.Interval {
	l, w, r, rho := p.Rat(lambda), point64(t.width), point64(t.radius), point64(t.height)
	w2 := p.Scale(p.Sqr(w), -2)
	turn := p.Mul(point64(t.edge), rho)
	lr := p.Mul(l, r)
	r2, rho2 := p.Mul(w2, p.Sqr(r)), p.Mul(w2, p.Sqr(rho)) // w²r²/4, w²ρ²/4
	up := p.Mul(p.Div(r, rho), p.Exp(p.Sub(rho2, turn)))
	sides := p.Mul(p.Div(rho, r), interval.Max(p.Exp(r2.Neg()), p.Exp(p.Sub(p.Sub(rho2, r2), turn))))
	inner := p.Mul(p.Mul(t.size, p.Exp(lr)), p.Add(up, sides))
	slope := p.Sub(p.Scale(p.Mul(w2, r), 1), l) // w²r/2 − λ
	if slope.Positive() != interval.True {
		return infinity()
	}
	outer := p.Div(p.Exp(p.Sub(lr, r2)), p.Mul(r, slope))
	return upper(p.Div(p.Scale(p.Add(inner, outer), 1), p.Pi()))
}

// spread bounds ∫|κ|·e^{a|x|} dx for a ≥ 0.
func (t *taper) spread(p interval.Prec, a interval.Interval) interval.Interval {
	w, edge := point64(t.width), point64(t.edge)
	ratio := p.Div(a, w)
	y := p.Exp(p.Add(p.Div(a, edge), p.Scale(p.Sqr(ratio), 1)))
	log := p.Log(p.Scale(p.Div(edge, w), 2)).AtLeastZero()
	return upper(p.Div(p.Scale(p.Mul(y, p.Add(interval.Int(2), log)), 1), p.Pi()))
}

// cut bounds the terms |j| > n of (3), in units of e^{−λε}·M(−λ). It is infinite unless nh ≥ t₀.
func (t *taper) cut(p interval.Prec, h interval.Interval, n int) interval.Interval {
	end := p.Mul(interval.Int(int64(n)), h)
	d := p.Div(p.Sub(end, point64(t.edge)), point64(t.width))
	if d.Negative() != interval.False {
		return infinity()
	}
	return upper(p.Div(p.Exp(p.Sqr(d).Neg()), p.Scale(p.Mul(p.Pi(), end), 1)))
}
