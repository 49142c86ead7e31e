// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// GreatestLoss encloses the least upper bound of the finite losses of a product that have
// positive P-mass: of independent factors, it is the sum of theirs. It is [−∞, ∞] where it is
// not known, or there is none, and ∞ where they are unbounded.
func GreatestLoss(p interval.Prec, prod pair.Product) interval.Interval {
	l := zero
	for _, t := range prod {
		l = p.Add(l, p.Mul(interval.Int(t.Count), greatestLoss(p, t.Pair)))
	}
	return l
}

// LossEnough encloses an ε for which δ(ε) ≤ delta because no finite loss is greater, if one is known. It supposes
// that an infinite loss has a mass of at most delta.
func LossEnough(p interval.Prec, prod pair.Product, delta *big.Rat) (interval.Interval, bool) {
	m, ok := pair.InfMass(prod)
	if enough := ok && m.Cmp(delta) <= 0; enough {
		if l, ok := pair.LossBound(prod); ok {
			return l.Enclose(p), true
		}
	} else if InfiniteLoss(prod) != interval.False {
		return interval.Entire(), false
	}
	l := GreatestLoss(p, prod)
	return l.Upper(), !l.Hi().IsInf()
}

// greatestLoss encloses the least upper bound of the finite losses of a pair that have positive P-mass: R_∞(P‖Q)
// where no loss is infinite. It is [−∞, ∞] where it is not known, and ∞ where they are unbounded.
func greatestLoss(p interval.Prec, x pair.Pair) interval.Interval {
	single := pair.Product{{Pair: x, Count: 1}}
	if l, ok := pair.MaxLoss(single); ok {
		return l.Enclose(p)
	}
	if pair.Unbounded(single) {
		return posInf
	}
	switch x := x.(type) {
	case pair.BoundedRange: // the greatest of all pairs that it stands for
		return p.Rat(x.Eps)
	case pair.Hull, pair.Response, pair.LaplaceAbove, pair.KeyRelease, pair.GroupResponse:
		return greatestOutcome(p, x)
	case pair.Sampled:
		return greatestSampled(p, x)
	case pair.Mean:
		return greatestOf(p, x.Of)
	case pair.Maximum: // from its products' on, δ(ε) = 0, or before that where a loss is infinite
		l := greatestOf(p, x.Of)
		if HasInfiniteLoss(x) != interval.False {
			return interval.Bounds(interval.Entire().Lo(), l.Hi())
		}
		return l
	case pair.GaussianMixture:
		return closed.GreatestMixtureLoss(p, x)
	case pair.Clamped:
		return greatestClamped(p, x)
	case pair.FullBatch:
		return p.Log(p.Rat(new(big.Rat).Quo(x.Q[1], x.P[1]))) // reversed: approached far from the record
	case pair.Gaussians:
		return greatestOfGaussians(p, x)
	case pair.WithReplacement:
		return greatestWithReplacement(p, x)
	case pair.Repeated:
		return repeatedLoss(p, x)
	}
	return interval.Entire()
}

var posInf = interval.PosInf()

// greatestOf is the greatest loss of several products.
func greatestOf(p interval.Prec, of []pair.Product) interval.Interval {
	l := GreatestLoss(p, of[0])
	for _, o := range of[1:] {
		l = interval.Max(l, GreatestLoss(p, o))
	}
	return l
}

// greatestOutcome goes by the outcomes.
func greatestOutcome(p interval.Prec, x pair.Pair) interval.Interval {
	os, _, ok := x.Outcomes(p, maxOutcomes)
	if !ok {
		return interval.Entire()
	}
	found := false
	var y interval.Interval
	for _, o := range os {
		if o.P.IsZero() || o.Q.IsZero() {
			continue
		}
		if o.P.Positive() != interval.True || o.Q.Positive() != interval.True {
			return interval.Entire() // whether it is there is open
		}
		l := o.EncloseLoss(p)
		if found {
			l = interval.Max(l, y)
		}
		y, found = l, true
	}
	if !found {
		return interval.Entire()
	}
	return y
}

// greatestSampled is log(1 − γ + γe^l), which rises with the loss l of the base. Of the sample reversed it is −log(1
// − γ + γe^(−l)), which rises with the loss l of the reversed base. An infinite loss of that becomes −log(1 − γ).
func greatestSampled(p interval.Prec, x pair.Sampled) interval.Interval {
	base := x.Base
	if x.Reversed {
		base = base.Reverse()
	}
	cap := p.Log1p(p.Rat(x.Rate).Neg()).Neg()
	l := GreatestLoss(p, base)
	inf, ok := pair.InfMass(base)
	if !ok && InfiniteLoss(base) == interval.False {
		inf, ok = new(big.Rat), true
	}
	switch {
	case x.Reversed && (ok && inf.Sign() > 0 || l.Lo().IsInf() && !l.Lo().Signbit()):
		return cap
	case x.Reversed && !ok:
		return interval.Union(zero, cap)
	case x.Reversed:
		y := p.Log1p(p.Mul(p.Rat(x.Rate), p.Expm1(l.Neg()))).Neg()
		return interval.Min(y, cap)
	case !l.IsFinite():
		return interval.Entire()
	}
	return p.Log1p(p.Mul(p.Rat(x.Rate), p.Expm1(l)))
}

// greatestClamped is for shift-then-clamp where the greatest loss is no rational. It is the loss of the atom at 0,
// log(F(0)/F(−t)), see closed.PairTails. With Laplace noise, both ratios lie in [e^(−t/b), e^(t/b)].
func greatestClamped(p interval.Prec, x pair.Clamped) interval.Interval {
	if x.Noise == pair.LaplaceNoise {
		r := p.Rat(new(big.Rat).Quo(x.Shift, x.Width))
		return interval.Union(r.Neg(), r)
	}
	w := p + 16
	at := func(y *big.Rat) interval.Interval {
		z := new(big.Rat).Sub(y, x.Location)
		return w.NormalCDF(w.Rat(z.Quo(z, x.Width)))
	}
	return p.Round(w.Log(w.Div(at(new(big.Rat)), at(new(big.Rat).Neg(x.Shift)))))
}
