// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/pair"
)

// Rational returns the stated curve at an order where it is a rational number: for Gaussian noise and guarantees.
func (c *Curve) Rational(alpha Order) (*big.Rat, bool) {
	a, ok := alpha.Rat()
	if !ok || alpha.Check() != nil {
		return nil, false
	}
	best := new(big.Rat)
	for _, s := range c.stated {
		sum, ok := rationalProduct(s.factors.Fixed, a)
		for _, c := range s.factors.Choices {
			most := new(big.Rat)
			for _, x := range c.Of {
				r, known := rationalProduct(x, a)
				if ok = ok && known; ok && r.Cmp(most) > 0 {
					most = r
				}
			}
			sum.Add(sum, most.Mul(most, new(big.Rat).SetInt64(c.Count)))
		}
		if !ok {
			return nil, false
		}
		if sum.Cmp(best) > 0 {
			best = sum
		}
	}
	return best, true
}

func rationalProduct(prod pair.Product, alpha *big.Rat) (*big.Rat, bool) {
	sum := new(big.Rat)
	for _, t := range prod {
		r, ok := rational(t.Pair, alpha)
		if !ok {
			return sum, false
		}
		sum.Add(sum, r.Mul(r, new(big.Rat).SetInt64(t.Count)))
	}
	return sum, true
}

func rational(x pair.Pair, alpha *big.Rat) (*big.Rat, bool) {
	switch x := x.(type) {
	case pair.Gaussian: // αµ²/2
		r := new(big.Rat).Mul(alpha, x.Mu2)
		return r.Mul(r, big.NewRat(1, 2)), true
	}
	return stated(x, alpha)
}
