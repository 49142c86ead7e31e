// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lognormal

import (
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// ofMany is aliases for many terms, whose moments say what Φ is in a strip that does not narrow with their number.
//
// Let V = 2·sinh μY, b_k = E V^k/k!, w = ue^{iθ} and |θ| ≤ Θ < π/4. In the integral for φ(w) with ψ = |θ|, Im v ≥ 0 for
// v = 2w·sinh(μy + iθ), so that e^{iv} is Σ_{k<2L} (iv)^k/k! but for |v|^{2L}/(2L)!. That of the sum moves back:
//
//	φ(w) = Σ_{k<2L} (iw)^k·b_k + R,  |R| ≤ e^{Θ²/2μ²}·u^{2L}·E(V² + 4·sin²Θ)^L/(2L)!,
//
// as |2·sinh(x + iθ)|² = 4·sinh²x + 4·sin²θ. Let r be Σ_{3≤k<2L} u^k·|b_k| and the bound of |R|, L ≥ 2, and z = iwb₁ −
// w²b₂. |z| is at most ζ = u|b₁| + u²b₂, and |z|² = u²b₁² + u⁴b₂² + 2u³b₁b₂·sin θ. As |1 + z| ≤ e^{Re z + |z|²/2},
// whose exponent is at least −ζ, |φ(w)| ≤ e^A,
//
//	A = u|b₁|·sin Θ − u²b₂·cos 2Θ + B,  B = (u²b₁² + u⁴b₂² + 2u³|b₁|b₂·sin Θ)/2 + r·e^ζ.
//
// Let a line between two nodes be at y₀, e^{y₀} = u₀, and B and r those of u₀. They rise with u. For u ≤ u₀, |Φ(w)| ≤ G
// with log G = t·(b₁·sin Θ)²/(4b₂·cos 2Θ) + tB; at u₀, |Φ(w)| ≤ e^{tA}; and for real u ≥ u₀ it is at most F, what 1
// says at u₀.
//
// With d = b₂ + r/u₀², φ(w) − 1 is at most u·(|b₁| + u₀d), and without its odd terms u²d. So |1 − ½(Φ(w) + Φ(−w))| is
// at most C₁u², C₁ = td + ½t(t − 1)·(|b₁| + u₀d)²·G, and C₂ = 1 + G. Up to y₀ the rule for f is off by the integrals of
// f against 1/(e^{∓2πiz/h} − 1) along the borders of the strip, at most 2·√(C₁C₂)/(e^{2πΘ/h} − 1) each, and of half of
// |f|, at most, along the line at y₀. Beyond y₀ the same is so of e^{−y} alone, whose part of that line cancels, and
// the integral and the nodes of Re Φ(e^y)·e^{−y} are at most F/u₀ each. Together, times κ,
//
//	2·(2·√(C₁C₂) + 1/u₀)/(e^{2πΘ/h} − 1) + Θ·e^{tA}/u₀ + 2F/u₀.
func (o outer) ofMany(mu2 *big.Rat, terms int64, b []interval.Interval, eps interval.Interval) interval.Interval {
	one, t, strip, never := interval.Int(1), interval.Int(terms), double.Exactly(o.strip), low.Inv(interval.Int(0))
	penalty := func(psi interval.Interval) interval.Interval {
		return low.Div(low.Sqr(psi), low.Scale(low.Rat(mu2), 1))
	}
	if low.Sub(low.Scale(low.Pi(), -2), strip).Positive() != interval.True || b[2].Positive() != interval.True {
		return never
	}
	u := low.Exp(low.Mul(double.Exactly(o.step), low.Add(interval.Int(o.last), low.Scale(one, -1))))
	r := beyondTwo(b, u, strip, penalty(strip), o.taylor)
	a, g := falls(b, u, strip, r)
	most := low.Exp(low.Mul(t, g))
	d := low.Add(b[2], low.Div(r, low.Sqr(u)))
	c1 := low.Mul(low.Mul(t, low.Sub(t, one)), low.Mul(low.Sqr(low.Add(b[1].Abs(), low.Mul(u, d))), most))
	c1 = low.Add(low.Mul(t, d), low.Scale(c1, -1))
	lines := low.Add(low.Scale(low.Sqrt(low.Mul(c1, low.Add(one, most))), 1), low.Inv(u))
	cycles := low.Div(low.Mul(low.Scale(low.Pi(), 1), strip), double.Exactly(o.step))
	lift := double.Exactly(o.lift)
	right := low.Exp(low.Mul(t, low.Sub(penalty(lift), low.Scale(low.Mul(u, low.Sin(lift)), 1))))
	rest := low.Add(low.Mul(strip, low.Exp(low.Mul(t, a))), low.Scale(right, 1))
	all := low.Add(low.Scale(low.Div(lines, low.Expm1(cycles)), 1), low.Div(rest, u))
	return low.Mul(all, low.Exp(low.Scale(low.Sub(eps, low.Rat(mu2)), -1))).Upper()
}

// falls are A and log G/t of ofMany, by the moments and r.
func falls(b []interval.Interval, u, strip, r interval.Interval) (a, g interval.Interval) {
	sin, cos := low.Sin(strip), low.Cos(low.Scale(strip, 1))
	turned := low.Mul(b[1].Abs(), sin)
	linear, square := low.Mul(u, b[1].Abs()), low.Mul(low.Sqr(u), b[2])
	over := low.Scale(low.Add(low.Sqr(linear), low.Sqr(square)), -1)
	over = low.Add(over, low.Add(low.Mul(low.Mul(linear, square), sin), low.Mul(r, low.Exp(low.Add(linear, square)))))
	a = low.Add(low.Sub(low.Mul(u, turned), low.Mul(square, cos)), over)
	return a, low.Add(low.Div(low.Sqr(turned), low.Scale(low.Mul(b[2], cos), 2)), over)
}

// beyondTwo is r of ofMany for L = order, with Θ²/2μ².
func beyondTwo(b []interval.Interval, u, strip, penalty interval.Interval, order int) interval.Interval {
	sum := remainder(b, u, strip, penalty, order)
	for k := 3; k < 2*order; k++ {
		sum = low.Add(sum, low.Mul(low.PowInt(u, int64(k)), b[k].Abs()))
	}
	return sum
}

// remainder bounds |R| of ofMany. With s = 4·sin²Θ,
//
//	E(V² + s)^L/(2L)! = Σ_j (L over j)·s^j·(2L − 2j)!/(2L)!·b_{2L−2j}.
func remainder(b []interval.Interval, u, strip, penalty interval.Interval, order int) interval.Interval {
	share, sum, s := interval.Int(1), interval.Int(0), low.Scale(low.Sqr(low.Sin(strip)), 2)
	for j := 0; j <= order; j++ {
		n := int64(order - j)
		sum = low.Add(sum, low.Mul(share, b[2*n]))
		share = low.Mul(share, low.Div(low.Mul(s, interval.Int(n)), interval.Int(int64(j+1)*max(2*n*(2*n-1), 1))))
	}
	return low.Mul(low.Mul(low.Exp(penalty), low.PowInt(u, int64(2*order))), sum)
}
