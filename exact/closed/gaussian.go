package closed

import (
	"math/big"

	"dpverify/exact/interval"
)

// gaussianTails: the loss of (N(μ,1), N(0,1)) is N(μ²/2, μ²) under P and
// N(−μ²/2, μ²) under Q, so that
//
//	P(L > ε) = Φ(μ/2 − ε/μ),  Q(L > ε) = Φ(−μ/2 − ε/μ)
//
// and δ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) [Balle & Wang 2018, Theorem 8]. A
// composition of Gaussians is the Gaussian with the sum of their μ².
func gaussianTails(mu2 *big.Rat) Tails {
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		mu := w.Sqrt(w.Rat(mu2))
		half := w.Scale(mu, -1)
		t := w.Div(eps.Interval, mu)
		return w.NormalSF(w.Sub(t, half)), w.NormalSF(w.Add(t, half))
	}
}

// sampledReplaceGaussianTails: ((1−q)N(0,1) + qN(μ,1), (1−q)N(0,1) + qN(−μ,1)).
//
// With u = e^(μx) and c = e^(−μ²/2) the likelihood ratio
// (1 − q + qcu)/(1 − q + qc/u) rises with u and equals α = e^ε at the positive root of
// qc·u² + (1−q)(1−α)·u − αqc = 0. With h = (1−q)(1−α)/(2qc) it is −h + √(h² + α) for h ≤ 0
// and α/(h + √(h² + α)) for h ≥ 0; L > ε is x > log(u)/μ.
func sampledReplaceGaussianTails(rate, mu2 *big.Rat) Tails {
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		if !eps.IsFinite() {
			return interval.Union(zero, one), interval.Union(zero, one)
		}
		alpha := w.Exp(eps.Interval)
		gamma := w.Rat(rate)
		keep := w.Rat(new(big.Rat).Sub(ratInt(1), rate))
		m2 := w.Rat(mu2)
		mu := w.Sqrt(m2)
		c := w.Exp(w.Scale(m2, -1).Neg())
		h := w.Div(w.Mul(keep, w.Expm1(eps.Interval).Neg()), w.Scale(w.Mul(gamma, c), 1))
		root := w.Sqrt(w.Add(w.Sqr(h), alpha))
		var u interval.Interval
		if h.Positive() == interval.True {
			u = w.Div(alpha, w.Add(h, root))
		} else {
			u = w.Sub(root, h)
		}
		x := w.Div(w.Log(u), mu)
		centre := w.Mul(keep, w.NormalSF(x))
		return w.Add(centre, w.Mul(gamma, w.NormalSF(w.Sub(x, mu)))), w.Add(centre, w.Mul(gamma, w.NormalSF(w.Add(x, mu))))
	}
}
