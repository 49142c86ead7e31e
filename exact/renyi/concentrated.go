package renyi

import (
	"dpverify/exact/interval"
)

// ZCDPEpsilon encloses ε = ξ + ρ + 2√(ρ·log(1/δ)), at which (ξ, ρ)-zCDP, R_α ≤ ξ + ρα for all
// α > 1, is (ε, δ)-DP [Bun & Steinke 2016, Proposition 1.3 and Lemma 3.5]. It is Mironov's
// conversion at its best real order, α = 1 + √(log(1/δ)/ρ).
func ZCDPEpsilon(p interval.Prec, rho, xi, delta interval.Interval) interval.Interval {
	w := p + 16
	need := atLeastZero(w.Log(delta).Neg()) // reaches to ∞ for δ = 0
	root := w.Sqrt(w.Mul(rho, need))
	return p.Add(w.Add(xi, rho), w.Scale(root, 1))
}

// ZCDPDelta encloses δ = exp(−(ε − ξ − ρ)²/4ρ), the same the other way round, for ε ≥ ξ + ρ; it is
// 1 below.
func ZCDPDelta(p interval.Prec, rho, xi, eps interval.Interval) interval.Interval {
	w := p + 16
	over := atLeastZero(w.Sub(w.Sub(eps, xi), rho))
	return p.Exp(w.Div(w.Sqr(over), w.Scale(rho, 2)).Neg())
}

// CDP is (µ, τ)-mean-concentrated differential privacy [Dwork & Rothblum 2016]: E_P[L] ≤ µ
// and E_P[e^(λ(L − E_P[L]))] ≤ e^(λ²τ²/2) for all real λ.
type CDP struct{ Mean, Tau interval.Interval }

// ZCDP returns ξ = µ − τ²/2 and ρ = τ²/2: then (α−1)·R_α = log E_P[e^((α−1)L)] ≤ (α−1)µ +
// (α−1)²τ²/2 = (α−1)(ξ + ρα) [Bun & Steinke 2016, Lemma 4.2]. ξ may be negative.
func (c CDP) ZCDP(p interval.Prec) (xi, rho interval.Interval) {
	rho = p.Scale(p.Sqr(c.Tau), -1)
	return p.Sub(c.Mean, rho), rho
}

// Delta encloses δ = P(L > ε) ≤ e^(−(ε−µ)²/2τ²) for ε ≥ µ, and 1 below, by Chernoff's bound at λ =
// (ε − µ)/τ² [Dwork & Rothblum 2016, Theorem 3.5].
func (c CDP) Delta(p interval.Prec, eps interval.Interval) interval.Interval {
	w := p + 16
	over := atLeastZero(w.Sub(eps, c.Mean))
	return p.Exp(w.Scale(w.Sqr(w.Div(over, c.Tau)), -1).Neg())
}
