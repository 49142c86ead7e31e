// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
)

// Concentrated answers whether R_α ≤ ρα for all α > 1: ρ-zCDP. Where it is false, the order is one at which R_α > ρα.
// Order 1 stands for all orders just above it, as R_α does not fall. It tries at most steps orders, and the answer is
// Unknown if they are not enough. The error is ctx's.
//
// For every Gaussian factor R_α/α is a constant. For a Poisson sample it is at most R_α/α of the base, by
// quasi-convexity: R_α((1−γ)Q + γP‖Q) ≤ R_α(P‖Q). The rest of ρ is left for the other factors. There R_b ≤ ρa settles
// [a, b], as R_α rises, and R_∞ settles all orders beyond R_∞/ρ.
func (c *Curve) Concentrated(ctx context.Context, p interval.Prec, rho *big.Rat,
	steps int) (interval.Truth, Order, error) {
	if a, ok := c.exceeds(p, rho); ok {
		return interval.False, a, ctx.Err()
	}
	answer := interval.True
	for _, s := range c.stated {
		ok, err := s.concentrated(ctx, p, rho, steps)
		if err != nil {
			return interval.Unknown, Order{}, err
		}
		answer = min(answer, ok)
	}
	return answer, Order{}, nil
}

// exceeds looks for an order with R_α > ρα among 1, 1 + 2^k and ∞.
func (c *Curve) exceeds(p interval.Prec, rho *big.Rat) (Order, bool) {
	over := func(alpha *big.Rat) bool {
		y := p.Rat(new(big.Rat).Mul(alpha, rho))
		return y.Less(c.At(p, At(alpha))) == interval.True
	}
	if over(ratOne) {
		return At(ratOne), true
	}
	for k := -16; k <= 40; k++ {
		t := new(big.Rat).SetInt64(1)
		if k < 0 {
			t.SetFrac(t.Num(), new(big.Int).Lsh(t.Num(), uint(-k)))
		} else {
			t.SetInt(new(big.Int).Lsh(t.Num(), uint(k)))
		}
		if t.Add(t, ratOne); over(t) {
			return At(t), true
		}
	}
	return Order{}, false
}

// concentrated answers True or Unknown.
func (s statedPart) concentrated(ctx context.Context, p interval.Prec, rho *big.Rat,
	steps int) (interval.Truth, error) {
	left := new(big.Rat).Set(rho)
	var rest meaning.Factors
	for _, t := range s.factors.Fixed {
		if r, ok := slope(t.Pair); ok {
			left.Sub(left, r.Mul(r, new(big.Rat).SetInt64(t.Count)))
		} else {
			rest.Fixed = append(rest.Fixed, t)
		}
	}
	for _, c := range s.factors.Choices {
		if r, ok := greatestSlope(c.Of); ok {
			left.Sub(left, r.Mul(r, new(big.Rat).SetInt64(c.Count)))
		} else {
			rest.Choices = append(rest.Choices, c)
		}
	}
	if left.Sign() < 0 {
		return interval.Unknown, nil
	}
	if len(rest.Fixed) == 0 && len(rest.Choices) == 0 {
		return interval.True, nil
	}
	f := ofFactors(rest)
	top, ok := f(p, Infinity).UpperRat()
	if !ok || left.Sign() == 0 {
		return interval.Unknown, nil
	}
	last := top.Quo(top, left) // R_∞ ≤ ρ·last
	if last.Cmp(ratOne) <= 0 {
		return interval.True, nil
	}
	type span struct{ a, b *big.Rat }
	todo := []span{{ratOne, last}}
	for n := 0; len(todo) > 0; n++ {
		if err := ctx.Err(); err != nil {
			return interval.Unknown, err
		}
		if n >= steps {
			return interval.Unknown, nil
		}
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if f(p, At(x.b)).LessEqRat(new(big.Rat).Mul(left, x.a)) == interval.True {
			continue
		}
		m := Shortened(Middle(x.a, x.b))
		if m.Cmp(x.a) <= 0 || m.Cmp(x.b) >= 0 {
			return interval.Unknown, nil
		}
		todo = append(todo, span{x.a, m}, span{m, x.b})
	}
	return interval.True, nil
}

// slope returns r with R_α ≤ rα for all α > 1 in both orientations, where there is a simple
// one: µ²/2 for Gaussian noise and s²/2σ² for discrete Gaussian noise [Canonne, Kamath &
// Steinke 2020, Theorem 4], ξ + ρ for (ξ, ρ)-zCDP, and the base's for samples.
func slope(x pair.Pair) (*big.Rat, bool) {
	half := big.NewRat(1, 2)
	switch x := x.(type) {
	case pair.Gaussian:
		return half.Mul(half, x.Mu2), true
	case pair.DiscreteGaussian:
		s := new(big.Rat).SetInt64(x.Sensitivity)
		return half.Mul(half.Mul(half, s.Mul(s, s)), new(big.Rat).Inv(x.Sigma2)), true
	case pair.ZCDP:
		return new(big.Rat).Add(x.Xi, x.Rho), true
	case pair.Sampled:
		return slopeOfProduct(x.Base)
	case pair.Mean: // R_α is at most the greatest, by quasiconvexity
		return greatestSlope(x.Of)
	}
	return nil, false
}

func slopeOfProduct(prod pair.Product) (*big.Rat, bool) {
	sum := new(big.Rat)
	for _, t := range prod {
		r, ok := slope(t.Pair)
		if !ok {
			return nil, false
		}
		sum.Add(sum, r.Mul(r, new(big.Rat).SetInt64(t.Count)))
	}
	return sum, true
}

// greatestSlope is the greatest slope of several products.
func greatestSlope(of []pair.Product) (*big.Rat, bool) {
	most := new(big.Rat)
	for _, x := range of {
		r, ok := slopeOfProduct(x)
		if !ok {
			return nil, false
		}
		if r.Cmp(most) > 0 {
			most = r
		}
	}
	return most, true
}

// Shortened rounds to a multiple of 2^−60.
func Shortened(r *big.Rat) *big.Rat {
	n := new(big.Int).Lsh(r.Num(), 60)
	n.Quo(n, r.Denom())
	return new(big.Rat).SetFrac(n, new(big.Int).Lsh(big.NewInt(1), 60))
}

// Middle returns a short rational near the middle of a and b.
func Middle(a, b *big.Rat) *big.Rat {
	m := new(big.Rat).Add(a, b)
	m.Mul(m, big.NewRat(1, 2))
	return m
}
