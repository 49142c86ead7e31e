// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A continuation knows where d of a product of mixtures can be continued into the complex plane, and bounds it there.
// All factors are pairs (C, 1), or all are (1, C), with means ≥ 0 of which one is 0; as in mixture, φ·C and φ are the densities.
//
// Edge. Let p₀ be the weight of the mean 0, ℓ = log C(x), which rises from log p₀, and v = log(C/p₀ − 1), so that
// e^{ℓ − log p₀} = 1 + e^v, and v rises from −∞ to ∞ with x. For a sum Σℓ_i let e^z = 1 + e^u with z = ε − Σ log p₀,
// the distance of ε from the edge. Then F_k(u), the mass of Σℓ_i ≤ ε under laws of densities g_i of v, each the density of the
// x_i under P or Q, has F₀ = 1, and with v = u + log τ
//
//	F_k(u) = ∫_0^1 g_k(u + log τ)·F_{k−1}(u′) dτ/τ,  u′ = u + log((1 − τ)/(1 + τe^u)).    (2)
//
// Lemma. Let 0 < b < π and, with m and m̄ the least and the greatest positive mean of factor i, γ_i = (m̄/m − 1)·b < π/2. Then
// F_k is analytic for |Im u| < b, and at most Π K_i there,
//
//	K_i = e^{b²/(2m²)}/cos γ_i.
//
// Proof. By induction. Let 0 ≤ y = Im u < b. As the argument of 1 + τe^u is between 0 and y, so is Im u′, and |F_{k−1}(u′)| ≤
// Π_{i<k} K_i. It remains that g_k is analytic for |Im v| < b with ∫|g_k(a + iy)| da ≤ K_k; it falls like a Gaussian on both
// sides, uniformly in y, so that (2) may be differentiated. Let S be the strip |Im x| ≤ β = b/m, and 0 ≤ η = Im x ≤ β. The terms c_j
// of C/p₀ − 1 have arguments m_j·η in [mη, m̄η], a range shorter than π/2. So have the terms of Σ m_j·c_j: v is analytic, and v′ = Σ m_j·c_j/Σ c_j
// has an argument of at most γ. So Re v′ > 0: v is injective on S, and Im v rises with η, from 0 to mβ = b or more.
// So {Im v = y} is one curve x(v), a graph over Re x inside S, on which Re v takes every value. On it g dv = φ·E dx, E = 1 or C,
// where |dx| ≤ dRe x/cos γ, as dv is real, and |φ(x)·e^{m_j·x − m_j²/2}| = φ(Re x − m_j)·e^{η²/2}. The integral over the curve is at most
// e^{β²/2}/cos γ. For y < 0 all is conjugate.
//
// Profile. Of (C, 1), d(ε) = 1 − F^P(u) − e^ε·(1 − F^Q(u)). Of (1, C), whose loss is −Σℓ_i, d(ε) = F^P(u) − e^ε·F^Q(u), with the u of −ε.
// Either way |d(ε)| ≤ (1 + ΠK)·(1 + |e^ε|) where |Im u| < b.
//
// Rectangle. For z = x + iy, 0 < y < π, x > 0, Im u = arg(e^z − 1) falls with x and rises with y, because d log(e^z − 1)/dz =
// 1/(1 − e^{−z}), of which the imaginary part is negative and the real part positive. So if arg(e^z − 1) < b at the
// corner z = x₀ + iρ, ρ < π, then |Im u| < b on all of Re z ≥ x₀, |Im z| ≤ ρ. That arg is below b exactly if
//
//	Im((e^z − 1)·e^{−ib}) = e^{x₀}·sin(ρ − b) + sin b < 0.
type continuation struct {
	sides    []side
	reversed bool            // the factors are (1, C)
	edge     double.Interval // Σ log p₀
	copies   int64
}

// A side is the mixture C of one factor.
type side struct {
	count       int64
	least, most double.Interval // of the positive means
}

// newContinuation returns nil if the lemma is not about the product.
func (x *Transform) newContinuation() *continuation {
	c := new(continuation)
	for i, t := range x.terms {
		m, ok := plain(t.f).(*mixture)
		if !ok || !m.onOneSide() {
			return nil
		}
		mixed, reversed := m.roughA, meanRange(m.roughA).Hi == 0
		if reversed {
			mixed = m.roughB
		}
		if i > 0 && reversed != c.reversed {
			return nil
		}
		c.reversed = reversed
		s := side{count: t.count}
		rest, edge := false, double.Interval{}
		for _, o := range mixed {
			switch {
			case o.mean.Lo == 0 && o.mean.Hi == 0:
				if rest {
					return nil
				}
				rest, edge = true, o.logProb
			case s.most.Hi == 0:
				s.least, s.most = o.mean, o.mean
			default:
				s.least, s.most = double.Min(s.least, o.mean), double.Max(s.most, o.mean)
			}
		}
		if !rest || !(s.least.Lo > 0) {
			return nil
		}
		c.sides = append(c.sides, s)
		c.edge = c.edge.Add(double.Int(t.count).Mul(edge))
		c.copies += t.count
	}
	return c
}

// distance encloses z.
func (c *continuation) distance(eps double.Interval) double.Interval {
	if c.reversed {
		eps = eps.Neg()
	}
	return eps.Sub(c.edge)
}

// nearest returns a lower bound of z over a neighbourhood.
func (c *continuation) nearest(at neighbourhood) double.Interval {
	e := at.first()
	if c.reversed {
		e = at.last()
	}
	return c.distance(double.Of(coarse.Rat(e))).Lower()
}

// growth encloses log ΠK_i for an angle b. It reports false if b is too large.
func (c *continuation) growth(b float64) (log double.Interval, ok bool) {
	at := double.Point(b)
	if !(b > 0 && b < 3.1415) {
		return log, false
	}
	for _, s := range c.sides {
		gamma := double.Interval{}
		if s.most.Hi > s.least.Lo {
			gamma = s.most.Div(s.least).Sub(double.Int(1)).Mul(at).AtLeastZero()
		}
		cos, _ := gamma.Cis()
		if !(gamma.Hi < 1.57 && cos.Lo > 0) {
			return log, false
		}
		one := at.Div(s.least).Sqr().Half().Sub(cos.Log())
		log = log.Add(double.Int(s.count).Mul(one))
	}
	return log, true
}

// contains reports whether |Im u| < b is certain on Re z ≥ x, |Im z| ≤ height.
func (c *continuation) contains(b, height float64, x double.Interval) bool {
	if !(x.Lo > 0 && height > 0 && height < 3.1415) {
		return false
	}
	_, sin := double.Point(height).Sub(double.Point(b)).Cis()
	_, top := double.Point(b).Cis()
	return x.Exp().Mul(sin).Add(top).Hi < 0
}

// height is about the greatest height at x of an angle b: e^x·sin(b − ρ) = sin b.
func height(b, x float64) float64 {
	_, sin := double.Cis64(b)
	return b - math.Asin(double.Exp64(-x)*sin)
}

// size bounds |d| for angle b where Re ε ≤ most.
func (c *continuation) size(b float64, most double.Interval) (interval.Interval, bool) {
	log, ok := c.growth(b)
	k := coarse.Add(one, coarse.Exp(log.Upper().Exact()))
	return upper(coarse.Mul(k, coarse.Add(one, coarse.Exp(most.Upper().Exact())))), ok
}

// nearEdge reports whether a range reaches so near to the edge that it has no taper worth having.
func (x *Transform) nearEdge(a neighbourhood) bool {
	if !x.continued.tapers() {
		return false
	}
	z := x.continued.distance(double.Of(coarse.Rat(a.center)))
	return z.Lo > 0 && 2*x.continued.nearest(a).Lo < z.Lo
}

// beyondEdge returns δ(ε) where all losses are on one side of ε: 1 − e^ε below the least loss of pairs (C, 1), and 0 above the greatest of
// pairs (1, C).
func (x *Transform) beyondEdge(p interval.Prec, eps interval.Real) (interval.Interval, bool) {
	if x.continued == nil || !(x.continued.distance(double.Of(eps(coarse))).Hi <= 0) {
		return interval.Interval{}, false
	}
	if x.continued.reversed {
		return interval.Int(0), true
	}
	return interval.Clamp(p.Expm1(eps(p+8)).Neg(), 0, 1), true
}
