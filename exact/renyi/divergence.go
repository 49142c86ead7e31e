// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A Divergence encloses R_α of something, in nats, in [0, ∞]. It rises with α.
type Divergence func(p interval.Prec, alpha Order) interval.Interval

// unknown is [0, ∞].
var unknown = interval.Bounds(zero.Lo(), posInf.Hi())

// Of encloses the Rényi divergence of a product, R_α(P‖Q) = Σ count·R_α(P_i‖Q_i). Of a guarantee it is the bound that
// the guarantee states. It is [0, ∞] where nothing is known.
//
// R_α = log M(α)/(α − 1) for α ≠ 1, but ∞ for α > 1 if an infinite loss has positive mass. R₁ is the Kullback–Leibler
// divergence E_P[L], and R_∞ is the greatest loss.
func Of(prod pair.Product) Divergence {
	fs := make([]Divergence, len(prod))
	for i, t := range prod {
		fs[i] = ofPair(t.Pair)
	}
	return func(p interval.Prec, alpha Order) interval.Interval {
		w := p + 16
		sum := zero
		for i, t := range prod {
			sum = w.Add(sum, w.Mul(interval.Int(t.Count), fs[i](w, alpha)))
		}
		return p.Round(sum)
	}
}

func ofPair(x pair.Pair) Divergence {
	switch x := x.(type) {
	case pair.BoundedRange:
		return boundedRangeDivergence(x.Eps)
	case pair.ZCDP, pair.RenyiCurve:
		return func(p interval.Prec, alpha Order) interval.Interval {
			if a, finite := alpha.Rat(); finite {
				if r, ok := stated(x, a); ok {
					return p.Rat(r)
				} else if a.Cmp(ratOne) > 0 {
					return posInf // nothing is stated
				}
			}
			return unknown
		}
	}
	single := pair.Product{{Pair: x, Count: 1}}
	guarantee := single.IsGuarantee()
	best, isRepeated := x.(pair.RepeatedDivergence)
	_, isOrder := x.(pair.Repeated)
	_, isCopies := x.(pair.WithReplacement)
	inf := HasInfiniteLoss(x)
	if isOrder {
		inf = interval.Unknown // only bounds from one side are known
	}
	moment, ok := logMoment(x)
	f := func(p interval.Prec, alpha *big.Rat) interval.Interval {
		if !ok {
			return unknown
		}
		b := minusOne(alpha)
		w := p + 16
		y := w.Div(moment(w, alpha), w.Rat(b))
		if b.Sign() > 0 && inf == interval.Unknown {
			y = interval.Bounds(y.Lo(), posInf.Hi())
		}
		y = atLeastZero(y)
		if y.Hi().IsInf() && inf == interval.False && !guarantee {
			// A moment of a huge order overflows; R_α ≤ R_∞ still holds.
			if top := atLeastZero(greatestLoss(w, x)); y.Lo().Cmp(top.Hi()) <= 0 {
				y = interval.Bounds(y.Lo(), top.Hi())
			}
		}
		return p.Round(y)
	}
	return func(p interval.Prec, alpha Order) interval.Interval {
		a, finite := alpha.Rat()
		switch {
		case inf == interval.True && (!finite || a.Cmp(ratOne) >= 0):
			return posInf
		case !finite && isRepeated:
			return repeatedGreatest(p, best)
		case !finite && isOrder:
			return interval.Union(greatestLoss(p, x).AtLeastZero(), posInf)
		case !finite && guarantee && inf == interval.False:
			return interval.Union(zero, atLeastZero(greatestLoss(p, x)))
		case !finite && (guarantee || inf == interval.Unknown):
			return unknown
		case !finite:
			return atLeastZero(greatestLoss(p, x))
		case isOrder && a.Cmp(ratOne) == 0:
			return interval.Union(f(p, big.NewRat(1023, 1024)), posInf) // R_α rises with α
		case isCopies && a.Cmp(ratOne) <= 0:
			return interval.Union(zero, f(p, big.NewRat(257, 256))) // R_α rises with α
		case guarantee && a.Cmp(ratOne) <= 0 && inf != interval.False:
			return interval.Union(zero, unsampled(x)(p, alpha)) // the moment beyond α = 1 is of finite losses only
		case guarantee && a.Cmp(ratOne) <= 0:
			// R_α rises with α, so it is at most the limit of the stated bound at α → 1, or what is stated close by: of
			// a maximum no digits are left next to 1.
			return interval.Union(zero, interval.Min(f(p, nextToOne(8*p)), f(p, big.NewRat(257, 256))))
		case a.Cmp(ratOne) == 0 && inf == interval.Unknown:
			return unknown
		case a.Cmp(ratOne) == 0:
			return relativeEntropy(p, x, f)
		}
		return f(p, a)
	}
}

// unsampled bounds R_α of a sample by R_α of the base, and R_α of a mean by the greatest R_α of its parts. A sample
// is ((1−γ)Q + γP, Q), or the base with probability γ and otherwise nothing.
//
// Proof. R_α is jointly quasi-convex [van Erven & Harremoës 2014, Theorem 13].
func unsampled(x pair.Pair) Divergence {
	switch x := x.(type) {
	case pair.Sampled:
		return Of(x.Base)
	case pair.Mean:
		return func(p interval.Prec, alpha Order) interval.Interval {
			y := zero
			for _, o := range x.Of {
				y = interval.Max(y, Of(o)(p, alpha))
			}
			return y
		}
	}
	return func(interval.Prec, Order) interval.Interval { return unknown }
}

// HasInfiniteLoss answers whether an infinite loss has positive P-mass. A guarantee in Rényi divergences of orders
// from 1 on excludes that.
func HasInfiniteLoss(x pair.Pair) interval.Truth {
	switch x := x.(type) {
	case pair.ZCDP, pair.BoundedRange:
		return interval.False
	case pair.RenyiCurve:
		if x.Orders[len(x.Orders)-1].Cmp(ratOne) < 0 {
			return interval.Unknown // divergences of orders below 1 are finite
		}
		return interval.False
	case pair.Truncated, pair.Binomial:
		return interval.True // the supports differ
	case pair.Clamped:
		if x.ShiftFirst {
			return interval.False // a post-processing of noise that is positive everywhere
		}
		return interval.True // P or Q has its atom where the other has no mass
	case pair.Sampled:
		if x.Reversed {
			return interval.False // (1−γ)Q + γP > 0 wherever Q > 0
		}
		return InfiniteLoss(x.Base)
	case pair.RepeatedDivergence:
		return InfiniteLoss(x.Of.Base)
	case pair.Repeated:
		return InfiniteLoss(x.Base) // the best output is one of some run, each with positive probability
	case pair.Maximum, pair.Mean:
		answer := interval.False
		for _, p := range pair.Parts(x) {
			answer = max(answer, InfiniteLoss(p))
		}
		return answer
	}
	m, ok := pair.InfMass(pair.Product{{Pair: x, Count: 1}})
	switch {
	case !ok:
		return infiniteOutcome(x)
	case m.Sign() > 0:
		return interval.True
	}
	return interval.False
}

// infiniteOutcome is hasInfinite by the outcomes of a discrete pair.
func infiniteOutcome(x pair.Pair) interval.Truth {
	os, rest, ok := x.Outcomes(64, maxOutcomes)
	if !ok {
		return interval.Unknown
	}
	answer := interval.False
	if !rest.IsZero() {
		answer = interval.Unknown
	}
	for _, o := range os {
		switch {
		case !o.Q.IsZero(): // a finite loss
		case o.P.Positive() == interval.True:
			return interval.True
		default:
			answer = interval.Unknown
		}
	}
	return answer
}

// InfiniteLoss answers whether an infinite loss of a product, which is one of some factor, has positive P-mass.
func InfiniteLoss(prod pair.Product) interval.Truth {
	answer := interval.False
	for _, t := range prod {
		answer = max(answer, HasInfiniteLoss(t.Pair))
	}
	return answer
}

func atLeastZero(x interval.Interval) interval.Interval { return interval.Max(x, zero) }

// nextToOne returns 1 + 2^−bits.
func nextToOne(bits interval.Prec) *big.Rat {
	n := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	return new(big.Rat).SetFrac(new(big.Int).Add(n, big.NewInt(1)), n)
}

// relativeEntropy encloses R₁, where no loss is infinite. It is Σ P·L for outcomes, and x + e^(−x) − 1 for Laplace
// noise. For all others it is between R_{1−η} and R_{1+η}, which are close for a small η, as (α − 1)·R_α is analytic.
// log M ≈ ηR₁ then takes as many more bits as η is small.
func relativeEntropy(p interval.Prec, x pair.Pair, f func(interval.Prec,
	*big.Rat) interval.Interval) interval.Interval {
	switch x := x.(type) {
	case pair.Gaussian:
		return p.Rat(new(big.Rat).Mul(x.Mu2, big.NewRat(1, 2)))
	case pair.Gaussians:
		return relativeEntropyOfGaussians(p, x)
	case pair.Logistic: // see logistic, derived at α = 1
		w := p + 32
		y := w.Rat(x.Shift)
		coth := w.Add(one, w.Div(interval.Int(2), w.Expm1(y)))
		return atLeastZero(p.Sub(w.Mul(y, coth), interval.Int(2)))
	case pair.Laplace:
		w := p + 32
		y := w.Rat(x.Shift)
		return atLeastZero(p.Add(y, w.Expm1(y.Neg())))
	case pair.Response, pair.TwoPoint, pair.LaplaceAbove, pair.KeyRelease, pair.GroupResponse, pair.Finite,
		pair.DiscreteLaplace, pair.Hull:
		w := p + 16
		os, _, ok := x.Outcomes(w, maxOutcomes)
		if !ok {
			return unknown
		}
		sum := zero
		for _, o := range os {
			if !o.P.IsZero() {
				sum = w.Add(sum, w.Mul(o.P, o.EncloseLoss(w)))
			}
		}
		return p.Round(atLeastZero(sum))
	}
	switch x.(type) {
	case pair.Allocation:
		p = min(p, 40) // an integral, whose cost rises with its digits
	case pair.Reports, pair.LocalReports, pair.Reported:
		p = min(p, 24) // a gap remains between them
	}
	up := nextToOne(p)
	down := new(big.Rat).Sub(big.NewRat(2, 1), up)
	w := 2*p + 32
	return interval.Bounds(p.Round(f(w, down)).Lo(), p.Round(f(w, up)).Hi())
}
