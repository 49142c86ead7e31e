package closed

import (
	"math/big"

	"dpverify/exact/interval"
)

// Gaussian returns the privacy profile of (N(μ, 1), N(0, 1)), μ² = mu2 > 0:
//
//	δ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ)        [Balle & Wang 2018, Theorem 8]
//
// for every real ε. A composition of Gaussians is the Gaussian with the sum of
// their μ².
//
// The two terms agree in their leading bits for large ε/μ or small μ; both keep
// full relative accuracy however small they are.
func Gaussian(p interval.Prec, mu2 *big.Rat, eps interval.Real) interval.Interval {
	return clampUnit(p.Refine(p+32, limit(p), func(w interval.Prec) interval.Interval {
		mu := w.Sqrt(w.Rat(mu2))
		e := eps(w)
		half := w.Scale(mu, -1)
		t := w.Div(e, mu)
		a := w.NormalSF(w.Sub(t, half))
		b := w.NormalSF(w.Add(t, half))
		return w.Sub(a, w.Mul(w.Exp(e), b))
	}))
}

// SampledReplaceGaussian returns the profile of
// ((1−q)N(0,1) + qN(μ,1), (1−q)N(0,1) + qN(−μ,1)).
//
// With u = e^(μx) and c = e^(−μ²/2) the likelihood ratio
// (1 − q + qcu)/(1 − q + qc/u) rises with u and equals α = e^ε at the positive root of
// qc·u² + (1−q)(1−α)·u − αqc = 0. With h = (1−q)(1−α)/(2qc) it is −h + √(h² + α) for h ≤ 0
// and α/(h + √(h² + α)) for h ≥ 0, and δ = P(X > x) − α·Q(X > x) at x = log(u)/μ.
func SampledReplaceGaussian(p interval.Prec, rate, mu2 *big.Rat, eps interval.Real) interval.Interval {
	return clampUnit(p.Refine(p+64, limit(p), func(w interval.Prec) interval.Interval {
		e := eps(w)
		alpha := w.Exp(e)
		q := w.Rat(rate)
		keep := w.Rat(new(big.Rat).Sub(ratInt(1), rate))
		m2 := w.Rat(mu2)
		mu := w.Sqrt(m2)
		c := w.Exp(w.Scale(m2, -1).Neg())
		h := w.Div(w.Mul(keep, w.Expm1(e).Neg()), w.Scale(w.Mul(q, c), 1))
		root := w.Sqrt(w.Add(w.Sqr(h), alpha))
		var u interval.Interval
		if h.Positive() == interval.True {
			u = w.Div(alpha, w.Add(h, root))
		} else {
			u = w.Sub(root, h)
		}
		x := w.Div(w.Log(u), mu)
		centre := w.Mul(w.Mul(keep, w.Expm1(e).Neg()), w.NormalSF(x)) // (1−q)(1−α)·P(X > x)
		near := w.NormalSF(w.Sub(x, mu))
		far := w.NormalSF(w.Add(x, mu))
		return w.Add(centre, w.Mul(q, w.Sub(near, w.Mul(alpha, far))))
	}))
}
