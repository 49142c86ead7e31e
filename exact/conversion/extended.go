// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package conversion

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
	"dpverify/mechanism"
)

// An Extended is the extended moments accountant, for losses that may be infinite. With W
// the mass of infinite loss and M(1 + t) the moment of the finite losses, for every t > 0,
//
//	δ = W + M(1 + t)·e^(−tε)
//
// [Sommer, Abfalterer, Zingg & Mohammadi 2021, Proposition 17, where W = 1 − (1 − w)^n and M is
// the n-th power of e^Γ]. Proof: δ(ε) ≤ P(L > ε) = W + P(ε < L < ∞), and Markov. Their Theorem 16 has
// the factor 1 − W as well, for moments of the law conditioned on L < ∞, which is the same; with
// M as here it would be too small (docs/errata.md).
//
// Factors that are chosen freely, each knowing the outputs of those before, are bounded by their
// greatest masses and moments: 1 − W ≥ Π(1 − w_i) and M ≤ Π M_i, step by step.
//
// Where no loss is infinite it is Mironov's conversion.
type Extended struct {
	// Of each order of the two distributions. What is derived is the greatest over them, with
	// the best t of each: that is true of each.
	parts []extendedPart
	by    Conversion
}

type extendedPart struct {
	infinite func(p interval.Prec) interval.Interval // W
	moment   renyi.Divergence                        // log M(1+t)/t
}

// NewExtended returns the extended moments accountant of a problem. exhaustive says that log M
// need not be convex in t. It reports false where the mass of infinite loss or the moments of a factor
// are not known. The error is a *pair.DirectionError.
func NewExtended(prob meaning.Problem, d mechanism.Direction, exhaustive bool) (*Extended, bool, error) {
	b, err := prob.Divergence(d)
	if err != nil {
		return nil, false, err
	}
	e := &Extended{by: Mironov}
	if exhaustive {
		e.by = Mironov.Exhaustive()
	}
	for _, f := range b.Upper {
		p, ok := newExtendedPart(f.Moments())
		if !ok {
			return nil, false, nil
		}
		e.parts = append(e.parts, p)
	}
	return e, true, nil
}

// While returns the accountant until wanted is false: from then on all moments are unknown, so that no
// order is computed that nobody waits for.
func (e *Extended) While(wanted func() bool) *Extended {
	return e.Through(func(_ string, moment renyi.Divergence) renyi.Divergence {
		return func(p interval.Prec, alpha renyi.Order) interval.Interval {
			if !wanted() {
				return interval.Entire()
			}
			return moment(p, alpha)
		}
	})
}

// Through returns the accountant with what f makes of each of its moments, which have different names: other enclosures
// of the same numbers.
func (e *Extended) Through(f func(name string, moment renyi.Divergence) renyi.Divergence) *Extended {
	out := &Extended{by: e.by}
	for i, x := range e.parts {
		x.moment = f(fmt.Sprintf("part %d", i), x.moment)
		out.parts = append(out.parts, x)
	}
	return out
}

func newExtendedPart(f meaning.Factors) (extendedPart, bool) {
	moment, ok := greatestMoments(f)
	if !ok {
		return extendedPart{}, false
	}
	if _, ok := infiniteFactors(8, f); !ok {
		return extendedPart{}, false
	}
	return extendedPart{
		infinite: func(p interval.Prec) interval.Interval {
			w, ok := infiniteFactors(p, f)
			if !ok {
				return interval.Union(zero, one)
			}
			return w
		},
		moment: func(p interval.Prec, alpha renyi.Order) interval.Interval {
			a, finite := alpha.Rat()
			if !finite {
				return interval.Entire()
			}
			return p.Div(moment(p, a), p.Rat(minusOne(a)))
		},
	}, true
}

// greatestMoments returns the logarithm of the greatest moment of factors, for α > 1; false if
// one is not known.
func greatestMoments(f meaning.Factors) (renyi.LogMoment, bool) {
	fixed, ok := renyi.Moments(f.Fixed)
	if !ok {
		return nil, false
	}
	choices := make([][]renyi.LogMoment, len(f.Choices))
	for i, c := range f.Choices {
		for _, x := range c.Of {
			m, ok := renyi.Moments(x)
			if !ok {
				return nil, false
			}
			choices[i] = append(choices[i], m)
		}
	}
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		sum := fixed(p, alpha)
		for i, c := range f.Choices {
			most := choices[i][0](p, alpha)
			for _, m := range choices[i][1:] {
				most = interval.Max(most, m(p, alpha))
			}
			sum = p.Add(sum, p.Mul(interval.Int(c.Count), most))
		}
		return sum
	}, true
}

// infiniteFactors encloses the mass of infinite loss where each copy of a choice has the greatest.
func infiniteFactors(p interval.Prec, f meaning.Factors) (interval.Interval, bool) {
	w, ok := renyi.InfiniteMass(p, f.Fixed)
	if !ok {
		return zero, false
	}
	for _, c := range f.Choices {
		most := zero
		for _, x := range c.Of {
			m, ok := renyi.InfiniteMass(p, x)
			if !ok {
				return zero, false
			}
			most = interval.Max(most, m)
		}
		w = pair.Union(p, w, pair.UnionPower(p, most, c.Count))
	}
	return interval.Clamp(w, 0, 1), true
}

// Epsilon encloses the least ε ≥ 0 that the accountant gives at delta by the listed orders 1 + t,
// which must be above 1. It is ∞ for delta ≤ W.
func (e *Extended) Epsilon(p interval.Prec, delta interval.Interval, orders []*big.Rat) Converted {
	return e.epsilon(p, delta, func(f renyi.Divergence, left interval.Interval) Converted {
		return e.by.Epsilon(p, f, left, orders)
	})
}

// RealEpsilon is Epsilon over all t > 0. There must be no listed steps: log M is convex.
func (e *Extended) RealEpsilon(p interval.Prec, delta interval.Interval) Converted {
	return e.epsilon(p, delta, func(f renyi.Divergence, left interval.Interval) Converted {
		return e.by.RealEpsilon(p, f, left)
	})
}

func (e *Extended) epsilon(p interval.Prec, delta interval.Interval, convert func(renyi.Divergence,
	interval.Interval) Converted) Converted {
	w := p + 32
	worst := Converted{Interval: zero}
	for _, x := range e.parts {
		left := w.Sub(delta, x.infinite(w))
		if left.Negative() == interval.True || left.IsZero() {
			return Converted{Interval: posInf}
		}
		worst.rise(convert(x.moment, interval.Max(left, zero)))
	}
	return worst
}

// Delta encloses the least δ, at most 1, that the accountant gives at eps by the listed orders.
func (e *Extended) Delta(p interval.Prec, eps interval.Interval, orders []*big.Rat) Converted {
	w := p + 32
	worst := Converted{Interval: zero}
	for _, x := range e.parts {
		y := e.by.Delta(w, x.moment, eps, orders)
		y.Interval = p.Round(interval.Min(w.Add(x.infinite(w), y.Interval), one))
		worst.rise(y)
	}
	return worst
}

// rise adopts the maximum of the bound so far and y.
func (b *Converted) rise(y Converted) {
	if b.Order == nil || y.Hi().Cmp(b.Hi()) > 0 {
		b.Order = y.Order
	}
	b.Interval = interval.Max(b.Interval, y.Interval)
}
