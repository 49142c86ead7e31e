// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package derive

import (
	"math/big"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// gdpCLT is the central limit approximation of DP-SGD [Bu, Dong, Long & Su 2020]: T
// Poisson samples at rate q of a Gaussian with noise multiplier σ count as one Gaussian
// with µ = q√(T(e^(1/σ²) − 1)), and its least ε ≥ 0 at δ is taken. It is not a bound.
func (d *deriver) gdpCLT(mu interval.Interval, delta *big.Rat) (exact.Enclosure, error) {
	return enclosed(gaussianEpsilon(gdpBits, mu, delta)), d.ctx.Err()
}

// gdpCLTDelta is δ(ε) of the same Gaussian.
func (d *deriver) gdpCLTDelta(mu interval.Interval, eps *big.Rat) (exact.Enclosure, error) {
	const w = gdpBits
	switch {
	case mu.IsZero():
		return rational(new(big.Rat)), nil
	case mu.Positive() != interval.True:
		return enclosed(interval.Union(interval.Int(0), interval.Int(1))), nil
	}
	b := w.Sub(w.Div(w.Rat(eps), mu), w.Scale(mu, -1)) // ε = µ(µ/2 + b)
	if w.Add(mu, b).Positive() != interval.True {
		return enclosed(interval.Union(interval.Int(0), interval.Int(1))), nil
	}
	return probability(interval.Max(gaussianDelta(w, mu, b), interval.Int(0))), d.ctx.Err()
}

// gdpBits is the precision of the central limit approximation.
const gdpBits = 3 * Bits

// centralMu encloses µ of the Gaussian that the event counts as. Several factors add their
// µ², a Gaussian without sampling adds its own.
func (d *deriver) centralMu() (interval.Interval, error) {
	const w = gdpBits
	mu2 := interval.Int(0)
	sampled := false
	for _, t := range d.prob.Dominating() {
		n := interval.Int(t.Count)
		switch x := t.Pair.(type) {
		case pair.Gaussian:
			mu2 = w.Add(mu2, w.Mul(n, w.Rat(x.Mu2)))
			continue
		case pair.Sampled:
			if g, ok := onlyGaussian(x.Base); ok {
				q2 := w.Sqr(w.Rat(x.Rate))
				mu2 = w.Add(mu2, w.Mul(w.Mul(n, q2), w.Expm1(w.Rat(g.Mu2))))
				sampled = true
				continue
			}
		}
		return interval.Interval{},
			notModelled("the central limit theorem is about Poisson samples of a Gaussian, not %s", called(t.Pair))
	}
	if !sampled {
		return interval.Interval{},
			notModelled("the central limit theorem is about Poisson samples of a Gaussian, and there is none")
	}
	return w.Sqrt(mu2), nil
}

func onlyGaussian(prod pair.Product) (pair.Gaussian, bool) {
	if len(prod) != 1 || prod[0].Count != 1 {
		return pair.Gaussian{}, false
	}
	g, ok := prod[0].Pair.(pair.Gaussian)
	return g, ok
}

// gaussianEpsilon encloses the least ε ≥ 0 with Φ(µ/2 − ε/µ) − e^ε·Φ(−µ/2 − ε/µ) ≤ delta, for an
// enclosure of µ. With ε = µ(µ/2 + b) the left-hand side is gaussianDelta, a falling function of b:
// the b with equality is bracketed in steps that double from 0 on, and then by bisection. An
// end moves only where the comparison is certain; what is not bracketed from above is ∞, and
// from below 0.
func gaussianEpsilon(w interval.Prec, mu interval.Interval, delta *big.Rat) interval.Interval {
	unknown := interval.Max(interval.Int(0), interval.Entire())
	switch {
	case delta.Cmp(one) >= 0 || mu.IsZero():
		return interval.Int(0)
	case delta.Sign() == 0 && mu.Positive() == interval.True:
		return infinite().Interval
	case mu.Positive() != interval.True:
		return unknown
	}
	half := w.Scale(mu, -1)
	if w.Sub(w.NormalSF(half.Neg()), w.NormalSF(half)).LessEqRat(delta) == interval.True {
		return interval.Int(0)
	}
	compare := func(b *big.Rat) interval.Truth { return gaussianDelta(w, mu, w.Rat(b)).LessEqRat(delta) }
	const doublings = 15 // beyond 2^15 a normal tail is below all numbers of package interval
	low, high := new(big.Rat), new(big.Rat)
	for k := 0; compare(low) != interval.False; k++ {
		low = big.NewRat(-1<<k, 1)
		if top, ok := half.UpperRat(); ok && top.Neg(top).Cmp(low) > 0 {
			low = top // b ≥ −µ/2, as ε ≥ 0
			break
		}
		if k > doublings {
			return unknown
		}
	}
	for k := 0; compare(high) != interval.True; k++ {
		if k > doublings {
			return unknown
		}
		high = big.NewRat(1<<k, 1)
	}
	bracket := func() interval.Interval {
		b := interval.Union(w.Rat(low), w.Rat(high))
		return interval.Max(w.Mul(mu, w.Add(half, b)), interval.Int(0))
	}
	for range int(Bits) {
		mid := new(big.Rat).Add(low, high)
		mid.Mul(mid, big.NewRat(1, 2))
		switch compare(mid) {
		case interval.True:
			high = mid
		case interval.False:
			low = mid
		default: // settled as far as µ is
			return bracket()
		}
	}
	return bracket()
}

// gaussianDelta encloses δ(ε) of a Gaussian at ε = µ(µ/2 + b), where ε ≥ 0:
//
//	Φ(µ/2 − ε/µ) − e^ε·Φ(−µ/2 − ε/µ) = (1 − Φ(b)) − φ(b)·R(µ + b),
//
// R(a) = (1 − Φ(a))/φ(a), as φ(b) = e^ε·φ(µ + b) by (µ + b)² − b² = 2ε. No e^ε is left, which
// would be beyond all numbers for a large µ.
//
// Requires: µ + b > 0.
func gaussianDelta(w interval.Prec, mu, b interval.Interval) interval.Interval {
	density := w.Div(w.Exp(w.Scale(w.Sqr(b), -1).Neg()), w.Sqrt(w.Scale(w.Pi(), 1)))
	return w.Sub(w.NormalSF(b), w.Mul(density, mills(w, w.Add(mu, b))))
}

// mills encloses Mills' ratio R(a) = (1 − Φ(a))/φ(a) for a > 0. It falls in a, so its values at the
// ends of a bound it. For a large a, the partial sums of
//
//	1/a − 1/a³ + 3/a⁵ − 15/a⁷ + 105/a⁹ − …
//
// are above and below it by turns [Abramowitz & Stegun, 26.2.12].
func mills(w interval.Prec, a interval.Interval) interval.Interval {
	at := func(a interval.Interval) interval.Interval {
		const large = 1 << 12
		if interval.Int(large).Less(a) != interval.True {
			density := w.Div(w.Exp(w.Scale(w.Sqr(a), -1).Neg()), w.Sqrt(w.Scale(w.Pi(), 1)))
			return w.Div(w.NormalSF(a), density)
		}
		if !a.IsFinite() {
			return interval.Int(0)
		}
		term := w.Inv(a)
		square := w.Sqr(term)
		below, above := interval.Int(0), term
		for odd := int64(1); odd <= 15; odd += 2 {
			sign := term
			term = w.Mul(w.Mul(term, square), interval.Int(odd)).Neg()
			if sign.Positive() == interval.True {
				below = w.Add(above, term)
			} else {
				above = w.Add(below, term)
			}
		}
		return interval.Union(below, above)
	}
	return interval.Union(at(interval.Point(a.Lo())), at(interval.Point(a.Hi())))
}
