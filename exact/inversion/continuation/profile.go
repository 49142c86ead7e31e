// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package continuation continues privacy profiles of products of mixtures of Gaussians into the complex plane.
package continuation

import (
	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A Profile knows where d of a product of mixtures can be continued into the complex plane, and bounds it there.
// All factors are pairs (C, 1), or all are (1, C), with means ≥ 0 of which one is 0.
// With φ the standard normal density, φ·C and φ are the densities.
//
// Edge. Let p₀ be the weight of the mean 0, and ℓ = log C(x), which rises from log p₀.
// Let v = log(C/p₀ − 1), so that e^{ℓ − log p₀} = 1 + e^v, and v rises from −∞ to ∞ with x.
// For a sum Σℓ_i let z = ε − Σ log p₀, the distance of ε from the edge, and e^z = 1 + e^u.
//
//	  Σ log p₀                 ε
//	─────┃─────────────────────┼──────────────→   sums of losses of pairs (C, 1): none is left of the edge
//	     ├───────── z ─────────┤
//
// Let F_k(u) be the mass of Σℓ_i ≤ ε over the first k factors, under laws with densities g_i of v.
// Each x_i has its density under P or under Q. Then F₀ = 1, and with v = u + log τ
//
//	F_k(u) = ∫_0^1 g_k(u + log τ)·F_{k−1}(u′) dτ/τ,  u′ = u + log((1 − τ)/(1 + τe^u)).    (2)
//
// Lemma. Let m and m̄ be the least and the greatest positive mean of factor i, and 0 < b < π.
// If γ_i = (m̄/m − 1)·b < π/2 for all i, then F_k is analytic for |Im u| < b, and at most Π K_i there,
//
//	K_i = e^{b²/(2m²)}/cos γ_i.
//
// Proof. By induction. Let 0 ≤ y = Im u < b; for y < 0 all is conjugate.
// The argument of 1 + τe^u is between 0 and y. So is Im u′, and |F_{k−1}(u′)| ≤ Π_{i<k} K_i.
// It remains that g_k is analytic for |Im v| < b with ∫|g_k(a + iy)| da ≤ K_k.
// It falls like a Gaussian on both sides, uniformly in y, so that (2) may be differentiated.
//
// Let S be the strip |Im x| ≤ β = b/m, and 0 ≤ η = Im x ≤ β.
// The terms c_j of C/p₀ − 1 have arguments m_j·η in [mη, m̄η], a range shorter than π/2.
// So have the terms of Σ m_j·c_j. So v is analytic, and v′ = Σ m_j·c_j/Σ c_j has an argument of at most γ.
// As Re v′ > 0, v is injective on S, and Im v rises with η, from 0 to mβ = b or more.
// So {Im v = y} is one curve x(v), a graph over Re x inside S, on which Re v takes every value.
//
// On the curve g dv = φ·E dx, with E = 1 or E = C.
// As dv is real, |dx| ≤ dRe x/cos γ. And |φ(x)·e^{m_j·x − m_j²/2}| = φ(Re x − m_j)·e^{η²/2}.
// So the integral over the curve is at most e^{β²/2}/cos γ.
//
// Profile. Of (C, 1), d(ε) = 1 − F^P(u) − e^ε·(1 − F^Q(u)).
// Of (1, C), whose loss is −Σℓ_i, d(ε) = F^P(u) − e^ε·F^Q(u), with the u of −ε.
// Either way |d(ε)| ≤ (1 + ΠK)·(1 + |e^ε|) where |Im u| < b.
//
// Rectangle. Let z = x + iy with 0 < y < π and x > 0, where Im u = arg(e^z − 1).
// It falls with x and rises with y: the derivative 1/(1 − e^{−z}) of log(e^z − 1) has a negative imaginary part and a
// positive real part. So if arg(e^z − 1) < b at the corner z = x₀ + iρ, ρ < π, then |Im u| < b on all of
// Re z ≥ x₀, |Im z| ≤ ρ. The argument is below b exactly if
//
//	Im((e^z − 1)·e^{−ib}) = e^{x₀}·sin(ρ − b) + sin b < 0.
type Profile struct {
	Sides    []Side
	Reversed bool            // the factors are (1, C)
	Edge     double.Interval // Σ log p₀
	Copies   int64
}

// A Side is the mixture C of one factor.
type Side struct {
	Count           int64
	Least, Greatest double.Interval // of the positive means
}

// Distance encloses z.
func (c *Profile) Distance(eps double.Interval) double.Interval {
	if c.Reversed {
		eps = eps.Neg()
	}
	return eps.Sub(c.Edge)
}

// Growth encloses log ΠK_i for an angle b. It reports false if b is too large.
func (c *Profile) Growth(b float64) (log double.Interval, ok bool) {
	at := double.Point(b)
	if !(b > 0 && b < 3.1415) {
		return log, false
	}
	for _, s := range c.Sides {
		gamma := double.Interval{}
		if s.Greatest.Hi > s.Least.Lo {
			gamma = s.Greatest.Div(s.Least).Sub(double.Int(1)).Mul(at).AtLeastZero()
		}
		cos, _ := gamma.Cis()
		if !(gamma.Hi < 1.57 && cos.Lo > 0) {
			return log, false
		}
		one := at.Div(s.Least).Sqr().Half().Sub(cos.Log())
		log = log.Add(double.Int(s.Count).Mul(one))
	}
	return log, true
}

// Contains reports whether |Im u| < b is certain on Re z ≥ x, |Im z| ≤ height.
func (c *Profile) Contains(b, height float64, x double.Interval) bool {
	if !(x.Lo > 0 && height > 0 && height < 3.1415) {
		return false
	}
	_, sin := double.Point(height).Sub(double.Point(b)).Cis()
	_, top := double.Point(b).Cis()
	return x.Exp().Mul(sin).Add(top).Hi < 0
}

// Size bounds |d| for an angle b where Re ε ≤ greatest.
func (c *Profile) Size(b float64, greatest double.Interval) (interval.Interval, bool) {
	log, ok := c.Growth(b)
	const coarse = interval.Prec(64)
	one := interval.Int(1)
	k := coarse.Add(one, coarse.Exp(log.Upper().Exact()))
	return interval.Point(coarse.Mul(k, coarse.Add(one, coarse.Exp(greatest.Upper().Exact()))).Hi()), ok
}
