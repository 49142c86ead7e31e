// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package path

import (
	"math/big"
	"sync"

	"dpverify/exact/closed"
	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/selection"
)

// Moment encloses from above log ∫ dP^λ·dQ^(1−λ) of the best run, λ > 1, where some run is. base is the logarithm of
// the moment of one run.
func (x *Bound) Moment(lambda *big.Rat, base func(order *big.Rat) interval.Interval) interval.Interval {
	order := double.Of(interval.Prec(64).Rat(lambda))
	if !(order.Lo > 1 && order.Hi < 100) {
		return interval.PosInf()
	}
	return x.bound(lambda, x.fit(order.Mid()), base)
}

// Moments bound the logarithm of the moment of a selection from above, without P(K = 0), with its order.
//
// Bounds are computed at few orders 1 + t. log M is convex in t and 0 at t = 0, so that between two orders it is at
// most the chord, and before an order at most its part of what is there.
type Moments func(alpha *big.Rat) interval.Interval

// lastPaths are those of the last selection: questions about one selection come together, and each order takes a tenth
// of a second. They are a function of the selection alone.
var lastPaths struct {
	mu  sync.Mutex
	key string
	of  Moments
}

// Of returns what is known of a selection, one run of which has the logarithms of moments base: nothing where its tails
// are not known.
func Of(x pair.Repeated, law selection.Law, base func(interval.Prec, *big.Rat) interval.Interval) Moments {
	nothing := func(*big.Rat) interval.Interval { return interval.PosInf() }
	one, ok := Single(x)
	if !ok {
		return nothing
	}
	tails, ok := closed.PairTails(one)
	if !ok {
		return nothing
	}
	lastPaths.mu.Lock()
	defer lastPaths.mu.Unlock()
	if key := x.String(); lastPaths.key != key {
		bound := sync.OnceValues(func() (*Bound, bool) { return New(law, tails) })
		lastPaths.key, lastPaths.of = key, atKnots(func(alpha *big.Rat) interval.Interval {
			b, ok := bound()
			if !ok {
				return interval.PosInf()
			}
			return b.Moment(alpha, func(order *big.Rat) interval.Interval { return base(128, order).Upper() })
		})
	}
	return lastPaths.of
}

// atKnots asks at the powers 2^(k/4) of t only, which are rounded.
func atKnots(at func(alpha *big.Rat) interval.Interval) Moments {
	const w = interval.Prec(128)
	var knots []*big.Rat // t
	var known []func() interval.Interval
	for k := -24; k <= 16; k++ {
		_, t, _ := interval.Prec(24).Exp(w.Mul(w.Ln2(), w.Rat(big.NewRat(int64(k), 4)))).Rationals()
		knots = append(knots, t)
		known = append(known, sync.OnceValue(func() interval.Interval { return at(new(big.Rat).Add(t, big.NewRat(1, 1))) }))
	}
	return func(alpha *big.Rat) interval.Interval {
		t := new(big.Rat).Sub(alpha, big.NewRat(1, 1))
		for i, right := range knots {
			if right.Cmp(t) < 0 {
				continue
			}
			y := known[i]()
			if i == 0 || t.Sign() <= 0 || right.Cmp(t) == 0 || !y.IsFinite() {
				return w.Mul(y, w.Rat(new(big.Rat).Quo(t, right))).Upper()
			}
			left := knots[i-1]
			share := new(big.Rat).Sub(t, left)
			share.Quo(share, new(big.Rat).Sub(right, left))
			rest := new(big.Rat).Sub(big.NewRat(1, 1), share)
			return w.Add(w.Mul(w.Rat(share), y), w.Mul(w.Rat(rest), known[i-1]())).Upper()
		}
		return interval.PosInf()
	}
}

// Single is the one pair that one run is: Gaussians collapse.
func Single(x pair.Repeated) (pair.Pair, bool) {
	if mu2, others := x.Base.Gaussians(); len(others) == 0 && mu2.Sign() > 0 {
		return pair.Gaussian{Mu2: mu2}, true
	}
	return pair.Single[pair.Pair](x.Base)
}
