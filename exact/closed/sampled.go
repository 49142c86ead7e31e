// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// sampleTails: the loss of ((1−γ)Q + γP, Q) is log(1 + γ(e^L − 1)), which exceeds ε iff
// L > ε₀ = log(1 + (e^ε − 1)/γ), or always if ε < log(1 − γ).
func sampleTails(rate *big.Rat, base Tails) Tails {
	keep := new(big.Rat).Sub(ratOne, rate)
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		t := w.Div(w.Expm1(eps.Interval), w.Rat(rate))
		at := Arg{Interval: w.Log1p(t)}
		if eps.Rat != nil && eps.Rat.Sign() == 0 {
			at.Rat = eps.Rat
		}
		if t.Less(interval.Int(-1)) == interval.True {
			return one, one
		}
		bp, bq := base(w, at)
		if interval.Int(-1).Less(t) != interval.True { // −1 itself may be what t < −1 was rounded to
			bp, bq = interval.Union(bp, one), interval.Union(bq, one)
		}
		return w.Add(w.Mul(w.Rat(keep), bq), w.Mul(w.Rat(rate), bp)), bq
	}
}

// sampleReversedTails: the loss of (Q, (1−γ)Q + γP) is −log(1 − γ + γe^−L′) for the
// loss L′ of the base pair (Q, P); it exceeds ε iff L′ > −log(1 + (e^−ε − 1)/γ), and
// never if ε ≥ −log(1 − γ).
func sampleReversedTails(rate *big.Rat, base Tails) Tails {
	keep := new(big.Rat).Sub(ratOne, rate)
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		t := w.Div(w.Expm1(eps.Interval.Neg()), w.Rat(rate))
		inside := interval.Int(-1).Less(t)
		if inside == interval.False {
			return zero, zero
		}
		at := Arg{Interval: w.Log1p(t).Neg()}
		if eps.Rat != nil && eps.Rat.Sign() == 0 {
			at.Rat = eps.Rat
		}
		bq, bp := base(w, at) // tails under Q and P
		if inside == interval.Unknown {
			bq, bp = interval.Union(bq, zero), interval.Union(bp, zero)
		}
		return bq, w.Add(w.Mul(w.Rat(keep), bq), w.Mul(w.Rat(rate), bp))
	}
}

// meanTails: the loss is one of several, drawn with the probabilities of shares.
func meanTails(shares []*big.Rat, of []Tails) Tails {
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		for i, t := range of {
			x, y := t(w, eps)
			s := w.Rat(shares[i])
			p, q = w.Add(p, w.Mul(s, x)), w.Add(q, w.Mul(s, y))
		}
		return p, q
	}
}

// meanWords is meanTails.
func meanWords(shares []*big.Rat, of []WordTails) WordTails {
	weights := make([]fixed.Real, len(shares))
	for i, s := range shares {
		weights[i] = three.Rat(s)
	}
	return func(eps fixed.Real) (p, q fixed.Real) {
		for i, t := range of {
			x, y := t(eps)
			p, q = three.Add(p, three.Mul(weights[i], x)), three.Add(q, three.Mul(weights[i], y))
		}
		return p, q
	}
}

// noTails: of nothing, the loss is 0.
func noTails(w interval.Prec, eps Arg) (p, q interval.Interval) {
	switch eps.less(w, new(big.Rat)) {
	case interval.True:
		return one, one
	case interval.False:
		return zero, zero
	}
	return interval.Union(zero, one), interval.Union(zero, one)
}
