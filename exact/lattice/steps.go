// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lattice

import (
	"math/big"
	"slices"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A steps is m copies of a pair with finitely many losses, all rational: discrete Laplace noise, a guarantee.
type steps struct {
	pair   pair.Pair
	count  int64      // m
	losses []*big.Rat // which rise, one for each outcome
	to     []*big.Int // (loss − least loss)·M
	rough  roughly
}

const (
	// maxSteps bounds the factors with finitely many losses, and maxLosses the outcomes of each.
	maxSteps  = 64
	maxLosses = 64
)

// newSteps takes up a factor, and reports false if it is none: where a loss is infinite or irrational, there are many,
// or the pair is not its own reverse.
func newSteps(t pair.Term) (steps, bool) {
	f := steps{pair: t.Pair, count: t.Count}
	if m, ok := pair.InfMass(pair.Product{{Pair: t.Pair, Count: 1}}); !ok || m.Sign() != 0 || !t.Pair.SelfDual() {
		return f, false
	}
	losses, masses, ok := f.outcomes(64)
	f.losses, f.rough = losses, newRoughly(losses, masses)
	return f, ok
}

// outcomes lists the losses, which rise, and encloses their P-masses.
func (f *steps) outcomes(w interval.Prec) (losses []*big.Rat, masses []interval.Interval, ok bool) {
	os, rest, ok := f.pair.Outcomes(w, maxLosses+1)
	if !ok || !rest.IsZero() || len(os) > maxLosses {
		return nil, nil, false
	}
	type outcome struct {
		loss *big.Rat
		mass interval.Interval
	}
	list := make([]outcome, len(os))
	for i, o := range os {
		l, rational := o.Loss.Rat()
		if !o.Exact || !rational || o.P.Positive() != interval.True || o.Q.Positive() != interval.True {
			return nil, nil, false
		}
		list[i] = outcome{l, o.P}
	}
	slices.SortStableFunc(list, func(a, b outcome) int { return a.loss.Cmp(b.loss) })
	for _, o := range list {
		losses, masses = append(losses, o.loss), append(masses, o.mass)
	}
	return losses, masses, len(losses) > 0
}

// moments returns m·η²/2, where no loss exceeds η in modulus.
func (f *steps) moments() *big.Rat {
	eta := new(big.Rat)
	for _, l := range []*big.Rat{f.losses[0], f.losses[len(f.losses)-1]} {
		if l = new(big.Rat).Abs(l); l.Cmp(eta) > 0 {
			eta = l
		}
	}
	return eta.Mul(eta, eta).Mul(eta, big.NewRat(f.count, 2))
}

// weights encloses p_l·e^(a(l − l₀))/W for each loss l, p_l its P-mass and l₀ the least loss, where W is the sum of the
// numerators.
func (f *steps) weights(w interval.Prec, a int64) (out []interval.Interval, total interval.Interval) {
	_, out, _ = f.outcomes(w + 16)
	total = interval.Int(0)
	for k, l := range f.losses {
		grow := new(big.Rat).Sub(l, f.losses[0])
		out[k] = w.Mul(out[k], w.Exp(w.Rat(grow.Mul(grow, big.NewRat(a, 1)))))
		total = w.Add(total, out[k])
	}
	for k := range out {
		out[k] = w.Div(out[k], total)
	}
	return out, total
}
