// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// discrete sums p^α·q^(1−α) over the outcomes of finite loss. It reports false for a pair with too many outcomes.
//
// Claim. Outcomes left out by Outcomes have P- and Q-masses of at most rest. They add at most rest to M(α) for α < 1,
// and at most e^((α−1)l)·rest for α > 1 if their losses are at most l. If their losses are unbounded, they add at
// most the bound of leftOut.
//
// Proof. For α < 1 it is Hölder's inequality: P(rest)^α·Q(rest)^(1−α) ≤ rest. For α > 1, p^α·q^(1−α) = p·e^((α−1)L).
func discrete(x pair.Pair) (LogMoment, bool) {
	if _, _, ok := x.Outcomes(64, maxOutcomes); !ok {
		return nil, false
	}
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		w := p + 16
		left, more := leftOut(w, x, alpha)
		os, rest, ok := x.Outcomes(w+more, maxOutcomes)
		if !ok {
			return interval.Entire()
		}
		b := w.Rat(minusOne(alpha))
		sum := zero
		for _, o := range os {
			if o.P.IsZero() || o.Q.IsZero() {
				continue
			}
			l := o.EncloseLoss(w)
			sum = w.Add(sum, w.Mul(o.P, w.Exp(w.Mul(b, l))))
		}
		if !rest.IsZero() {
			sum = w.Add(sum, interval.Union(zero, left(rest)))
		}
		if sum.IsZero() {
			return posInf.Neg() // disjoint supports
		}
		return p.Round(w.Log(sum))
	}, true
}

// maxMore bounds the bits that outcomes get on top of those that are wanted.
const maxMore = 1 << 13

// leftOut bounds the part of outcomes with P- and Q-masses of at most rest in the moment of x. It returns how many
// more bits of outcomes make that part small, if they are not too many.
//
// Claim. Let (P, Q) have no infinite loss and the moment M₀, u = P/Q, and T be a set of outcomes. For α > 1, a
// Poisson sample of (P, Q), whose losses may be unbounded, has
//
//	E_Q[(1−γ+γu)^α; T] ≤ (1−γ)·Q(T) + γ·E_Q[u^α; T] ≤ (1−γ)·Q(T) + γ·√(M₀(2α)·Q(T)).
//
// Proof. (1−γ+γu)^α ≤ 1 − γ + γu^α by convexity. The second step is the inequality of Cauchy and Schwarz.
func leftOut(w interval.Prec, x pair.Pair,
	alpha *big.Rat) (f func(rest interval.Interval) interval.Interval, more interval.Prec) {
	if alpha.Cmp(ratOne) <= 0 {
		return func(rest interval.Interval) interval.Interval { return rest }, 0
	}
	if top := w.Mul(w.Rat(minusOne(alpha)), greatestLoss(w, x)); !top.Hi().IsInf() {
		factor := w.Exp(top)
		return func(rest interval.Interval) interval.Interval { return w.Mul(rest, factor) }, bitsOf(top)
	}
	unbounded := func(interval.Interval) interval.Interval { return posInf }
	s, ok := x.(pair.Sampled)
	if !ok || s.Reversed {
		return unbounded, 0
	}
	base, ok := Moments(s.Base)
	inf, known := pair.InfMass(s.Base)
	if !ok || !known || inf.Sign() > 0 {
		return unbounded, 0
	}
	logM := base(w, new(big.Rat).Add(alpha, alpha))
	if logM.Hi().IsInf() {
		return unbounded, 0
	}
	m, gamma := w.Exp(logM), w.Rat(s.Rate)
	return func(rest interval.Interval) interval.Interval {
		rest = rest.Upper()
		return w.Add(w.Mul(w.Sub(one, gamma), rest), w.Mul(gamma, w.Sqrt(w.Mul(m, rest))))
	}, bitsOf(logM) + w // √rest is to be as small
}

// bitsOf is about log2 of e^x, between 0 and maxMore.
func bitsOf(x interval.Interval) interval.Prec {
	r, ok := x.UpperRat()
	if !ok || r.Cmp(big.NewRat(maxMore/2, 1)) > 0 {
		return maxMore
	}
	return interval.Prec(max(0, floor(r.Mul(r, big.NewRat(3, 2))).Int64()+1))
}

// discreteGaussian encloses the moment of discrete Gaussian noise. With θ(c) = Σ_x e^(−(x−c)²/2σ²) over the integers,
//
//	M(α) = Σ p^α·q^(1−α) = e^(α(α−1)s²/2σ²)·θ((1−α)s)/θ(0).
//
// Proof. αx² + (1−α)(x−s)² = (x − (1−α)s)² + α(1−α)s². The quotient is 1 where (1−α)s is an integer, and at most 1
// everywhere [Canonne, Kamath & Steinke 2020, Theorem 4].
func discreteGaussian(d pair.DiscreteGaussian) LogMoment {
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		s := new(big.Rat).SetInt64(d.Sensitivity)
		e := new(big.Rat).Mul(alpha, minusOne(alpha))
		e.Mul(e, s).Mul(e, s)
		e.Quo(e, new(big.Rat).Add(d.Sigma2, d.Sigma2))
		shift := minusOne(alpha)
		shift.Mul(shift, s)
		if shift.IsInt() {
			return p.Rat(e)
		}
		w := p + 16
		shift.Sub(shift, new(big.Rat).SetInt(floor(shift))) // θ has the period 1
		logQuotient := thetaByWaves
		if d.Sigma2.Cmp(leastWaves) < 0 {
			logQuotient = thetaBySum
		}
		return p.Add(w.Rat(e), logQuotient(w, d.Sigma2, shift))
	}
}

// leastWaves is the σ² from which on there are few waves; below it, a sum has few terms.
var leastWaves = big.NewRat(1, 4)

// thetaByWaves encloses log(θ(c)/θ(0)). By Poisson's summation formula, with q = e^(−2π²σ²),
//
//	θ(c) = √(2πσ²)·Σ_k q^(k²)·cos(2πkc) = √(2πσ²)·(1 + 2·Σ_{k≥1} q^(k²)·cos(2πkc)),
//	θ(c)/θ(0) − 1 = −4·Σ_{k≥1} q^(k²)·sin²(πkc)/(1 + 2·Σ_{k≥1} q^(k²)).
//
// Tail. k² ≥ (n+1)² + k − n − 1 for k > n, so Σ_{k>n} q^(k²) ≤ q^((n+1)²)/(1 − q).
func thetaByWaves(w interval.Prec, sigma2, c *big.Rat) interval.Interval {
	n := new(big.Rat).Quo(big.NewRat(int64(w)+8, 27), sigma2) // n² ≥ (w + 8)·log 2/2π²σ², 27·log 2 < 2π²
	root := floor(n)
	return thetaByFirstWaves(w, sigma2, c, root.Sqrt(root).Int64()+1)
}

// thetaByFirstWaves is thetaByWaves by the first n ≥ 0 of them.
func thetaByFirstWaves(w interval.Prec, sigma2, c *big.Rat, n int64) interval.Interval {
	decay := w.Mul(w.Scale(w.Mul(w.Pi(), w.Pi()), 1), w.Rat(sigma2)) // 2π²σ²
	size := func(k int64) interval.Interval { return w.Exp(w.Mul(interval.Int(k*k), decay).Neg()) }
	away, all := zero, zero
	for k := int64(1); k <= n; k++ {
		sin, _ := w.SinCos(w.Mul(w.Pi(), w.Rat(new(big.Rat).Mul(c, big.NewRat(k, 1)))))
		away, all = w.Add(away, w.Mul(size(k), w.Mul(sin, sin))), w.Add(all, size(k))
	}
	tail := interval.Union(zero, w.Div(size(n+1), w.Sub(one, size(1))))
	away, all = w.Add(away, tail), w.Add(all, tail)
	return w.Log1p(w.Div(w.Scale(away, 2), w.Add(one, w.Scale(all, 1))).Neg())
}

// thetaBySum encloses log(θ(c)/θ(0)), 0 ≤ c < 1, by the definition.
func thetaBySum(w interval.Prec, sigma2, c *big.Rat) interval.Interval {
	return interval.Min(zero, w.Log(w.Div(theta(w, sigma2, c), theta(w, sigma2, new(big.Rat)))))
}

// theta encloses θ(c) = Σ_x e^(−(x−c)²/2σ²), 0 ≤ c < 1. Right of X + 1 ≥ c, terms fall by factors of at most
// e^(−(X+1−c)/σ²) each. The terms left of −X fall likewise.
func theta(w interval.Prec, sigma2, c *big.Rat) interval.Interval {
	twice := new(big.Rat).Add(sigma2, sigma2)
	n := new(big.Rat).Mul(twice, new(big.Rat).SetInt64(int64(w)+8)) // X² ≥ 2σ²·(w+8)·log 2
	n.Mul(n, big.NewRat(7, 10))
	root := floor(n)
	root.Sqrt(root)
	term := func(x int64) interval.Interval {
		d := new(big.Rat).Sub(new(big.Rat).SetInt64(x), c)
		d.Mul(d, d)
		return w.Exp(w.Rat(d.Quo(d, twice)).Neg())
	}
	last := root.Int64() + 2
	sum := zero
	for x := -last; x <= last; x++ {
		sum = w.Add(sum, term(x))
	}
	edge := new(big.Rat).SetInt64(last)
	edge.Sub(edge, c)
	ratio := w.Exp(w.Rat(edge.Quo(edge, sigma2)).Neg())
	tail := w.Div(w.Add(term(last+1), term(-last-1)), w.Sub(one, ratio))
	return w.Add(sum, interval.Union(zero, tail))
}

// floor returns ⌊r⌋.
func floor(r *big.Rat) *big.Int {
	n := new(big.Int)
	return n.Div(r.Num(), r.Denom()) // Euclidean, and the denominator is positive
}
