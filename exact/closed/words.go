// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// WordTails are Tails in three words: they enclose P(L > ε) and Q(L > ε), and are Unknown next to an
// atom of the loss and where words do not reach.
type WordTails func(eps fixed.Real) (p, q fixed.Real)

// wordBits is the precision up to which words are tried.
const wordBits = 176

// before returns the tails in words where both are good to the precision asked for, and the tails of t
// elsewhere.
func (words WordTails) before(t Tails) Tails {
	return func(w interval.Prec, eps Arg) (interval.Interval, interval.Interval) {
		if w <= wordBits {
			x := fixed.FromInterval(eps.Interval)
			if eps.Rat != nil {
				x = three.Rat(eps.Rat)
			}
			if p, q := words(x); p.Good(uint(w)) && q.Good(uint(w)) {
				return p.Interval(), q.Interval()
			}
		}
		return t(w, eps)
	}
}

var (
	three   fixed.Three
	wordOne = fixed.Int(1)
)

// gaussianWords is gaussianTails.
func gaussianWords(mu2 *big.Rat) WordTails {
	mu := three.Sqrt(three.Rat(mu2))
	half, inverse := three.Scale(mu, -1), three.Inv(mu)
	return func(eps fixed.Real) (p, q fixed.Real) {
		t := three.Mul(eps, inverse)
		return three.NormalSF(three.Sub(t, half)), three.NormalSF(three.Add(t, half))
	}
}

// laplaceWords is laplaceTails. An ε that may be on either side of an atom has unknown tails.
func laplaceWords(shift *big.Rat) WordTails {
	x := three.Rat(shift)
	return func(eps fixed.Real) (p, q fixed.Real) {
		left, inside := eps.Less(x.Neg()), eps.Less(x)
		switch {
		case left == interval.True:
			return wordOne, wordOne
		case inside == interval.False:
			return fixed.Real{}, fixed.Real{}
		case left == interval.Unknown || inside == interval.Unknown:
			return fixed.Unknown(), fixed.Unknown()
		}
		p = three.Sub(wordOne, three.Scale(three.Exp(three.Scale(three.Sub(eps, x), -1)), -1))
		return p, three.Scale(three.Exp(three.Scale(three.Add(eps, x), -1).Neg()), -1)
	}
}

// sampleWords is sampleTails.
func sampleWords(rate *big.Rat, base WordTails) WordTails {
	gamma, keep := three.Rat(rate), three.Rat(new(big.Rat).Sub(ratOne, rate))
	inverse := three.Inv(gamma)
	return func(eps fixed.Real) (p, q fixed.Real) {
		t := three.Mul(three.Expm1(eps), inverse)
		rest := three.Add(t, wordOne)
		if rest.Negative() == interval.True {
			return wordOne, wordOne
		}
		bp, bq := base(three.Log1p(t)) // Unknown unless t > −1
		return three.Add(three.Mul(keep, bq), three.Mul(gamma, bp)), bq
	}
}

// sampleReversedWords is sampleReversedTails.
func sampleReversedWords(rate *big.Rat, base WordTails) WordTails {
	gamma, keep := three.Rat(rate), three.Rat(new(big.Rat).Sub(ratOne, rate))
	inverse := three.Inv(gamma)
	return func(eps fixed.Real) (p, q fixed.Real) {
		t := three.Mul(three.Expm1(eps.Neg()), inverse)
		if three.Add(t, wordOne).Positive() == interval.False {
			return fixed.Real{}, fixed.Real{}
		}
		bq, bp := base(three.Log1p(t).Neg()) // tails under Q and P; Unknown unless t > −1
		return bq, three.Add(three.Mul(keep, bq), three.Mul(gamma, bp))
	}
}
