package renyi

import (
	"math/big"

	"dpverify/exact/pair"
)

// Rational returns the stated curve at an order where it is a rational number: for
// Gaussian noise and guarantees.
func (c *Curve) Rational(alpha Order) (*big.Rat, bool) {
	a, ok := alpha.Rat()
	if !ok {
		return nil, false
	}
	best := new(big.Rat)
	for _, s := range c.stated {
		sum := new(big.Rat)
		for _, t := range s.prod {
			r, ok := rational(t.Pair, a)
			if !ok {
				return nil, false
			}
			sum.Add(sum, r.Mul(r, new(big.Rat).SetInt64(t.Count)))
		}
		if sum.Cmp(best) > 0 {
			best = sum
		}
	}
	return best, true
}

func rational(x pair.Pair, alpha *big.Rat) (*big.Rat, bool) {
	switch x := x.(type) {
	case pair.Gaussian: // αµ²/2
		r := new(big.Rat).Mul(alpha, x.Mu2)
		return r.Mul(r, big.NewRat(1, 2)), true
	case pair.ZCDP:
		r := new(big.Rat).Mul(alpha, x.Rho)
		return r.Add(r, x.Xi), alpha.Cmp(ratOne) > 0
	case pair.RenyiCurve:
		for i, a := range x.Orders {
			if a.Cmp(alpha) >= 0 {
				return new(big.Rat).Set(x.Values[i]), alpha.Cmp(ratOne) > 0
			}
		}
	}
	return nil, false
}
