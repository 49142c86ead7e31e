// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math"
	"math/big"

	"dpverify/float/law"
	"dpverify/float/pair"
	"dpverify/float/value"
)

// Tails is P(L > x) and Q(L > x) of one pair.
type Tails func(x value.Value) (p, q value.Value)

// TailsOf returns the tails of a pair and its mass of infinite loss; false if there is
// no closed form. At an atom next to x either side may be meant, the same for P and Q.
func TailsOf(x pair.Pair) (t Tails, inf value.Value, ok bool) {
	switch x := x.(type) {
	case pair.Gaussian:
		mu := value.Rat(x.Mu2).Sqrt()
		half := mu.Scale(0.5)
		return func(l value.Value) (p, q value.Value) { // L is N(μ²/2, μ²) under P
			z := l.Div(mu)
			return value.NormalSF(z.Sub(half)), value.NormalSF(z.Add(half))
		}, value.Value{}, true
	case pair.Laplace:
		return laplaceTails(value.Rat(x.Shift)), value.Value{}, true
	case pair.Truncated:
		y, ok := newTruncated(x)
		return y.tails, y.alone.Div(y.norm), ok
	case pair.Discrete:
		l, ok := law.One(x)
		return discreteTails(l), l.Inf, ok
	case pair.Sampled:
		if len(x.Base) != 1 || x.Base[0].Count != 1 {
			return nil, value.Value{}, false
		}
		switch x.Base[0].Pair.(type) {
		case pair.Gaussian, pair.Laplace:
		default:
			return nil, value.Value{}, false
		}
		base, _, _ := TailsOf(x.Base[0].Pair)
		return sampledTails(x, base), value.Value{}, true
	}
	return nil, value.Value{}, false
}

// laplaceTails: P(L ≤ l) = ½e^((l−x)/2) on [−x, x), 1 from x on; Q(L > l) = P(L < −l).
func laplaceTails(x value.Value) Tails {
	one := value.Exact(1)
	return func(l value.Value) (p, q value.Value) {
		switch {
		case l.V >= x.V:
			return value.Value{}, value.Value{}
		case l.V < -x.V:
			return one, one
		}
		p = one.Sub(l.Sub(x).Scale(0.5).Exp().Scale(0.5))
		q = l.Add(x).Scale(-0.5).Exp().Scale(0.5)
		return p, q
	}
}

func discreteTails(l law.Law) Tails {
	return func(x value.Value) (p, q value.Value) {
		p, q = l.Inf, value.Value{}
		for i := len(l.Loss) - 1; i >= 0 && l.Loss[i] > x.V; i-- {
			m := value.Within(l.P[i], l.P[i]*l.Rel)
			p = p.Add(m)
			q = q.Add(m.Mul(value.Within(-l.Loss[i], l.LossErr).Exp()))
		}
		p.Err += l.Rest
		q.Err += l.Rest
		return p, q
	}
}

// sampledTails: log(1 − γ + γe^L₀) > l where L₀ > y, y = log(1 + (e^l − 1)/γ). The base
// is self-dual, so P₀(L₀ < y) = Q₀(L₀ > −y) and the other way round.
func sampledTails(s pair.Sampled, base Tails) Tails {
	g := value.Rat(s.Rate)
	keep := value.Rat(new(big.Rat).Sub(big.NewRat(1, 1), s.Rate))
	one := value.Exact(1)
	invert := func(l value.Value) (y value.Value, ok bool) {
		if l.V > 1 {
			return l.Sub(g.Log()).Add(keep.Mul(l.Neg().Exp()).Neg().Log1p()), true
		}
		y = l.Expm1().Div(g).Log1p()
		return y, !math.IsInf(y.Err, 1)
	}
	mix := func(p, q value.Value) value.Value { return keep.Mul(q).Add(g.Mul(p)) }
	if s.Reversed {
		return func(l value.Value) (p, q value.Value) {
			y, ok := invert(l.Neg())
			if !ok {
				return value.Value{}, value.Value{} // no loss is above −log(1 − γ)
			}
			q0, p0 := base(y.Neg())
			return q0, mix(p0, q0)
		}
	}
	return func(l value.Value) (p, q value.Value) {
		y, ok := invert(l)
		if !ok {
			return one, one // every loss is above log(1 − γ)
		}
		p0, q0 := base(y)
		return mix(p0, q0), q0
	}
}
