// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package normals has mixtures of normal distributions of variance 1 on the line, in rational numbers.
package normals

import (
	"math/big"
	"slices"
	"strings"
)

// A Mixture is Σ_i Probs[i]·N(Means[i], 1) of positive probabilities with sum 1. Its means rise strictly.
type Mixture struct{ Means, Probs []*big.Rat }

// Standard is N(0, 1).
func Standard() Mixture { return Mixture{[]*big.Rat{new(big.Rat)}, []*big.Rat{big.NewRat(1, 1)}} }

// New returns the mixture of probabilities that are not negative, with sum 1. Means may be in any order, and equal.
func New(means, probs []*big.Rat) Mixture {
	var order []int
	for i, p := range probs {
		if p.Sign() > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return means[i].Cmp(means[j]) })
	var out Mixture
	for _, i := range order {
		if last := len(out.Means) - 1; last >= 0 && out.Means[last].Cmp(means[i]) == 0 {
			out.Probs[last] = new(big.Rat).Add(out.Probs[last], probs[i])
		} else {
			out.Means, out.Probs = append(out.Means, means[i]), append(out.Probs, probs[i])
		}
	}
	return out
}

func (m Mixture) String() string {
	var parts []string
	for i, x := range m.Means {
		parts = append(parts, m.Probs[i].RatString()+"·N("+x.RatString()+")")
	}
	return strings.Join(parts, " + ")
}

// Least is the least mean.
func (m Mixture) Least() *big.Rat { return m.Means[0] }

// Greatest is the greatest mean.
func (m Mixture) Greatest() *big.Rat { return m.Means[len(m.Means)-1] }

// Equal reports whether two mixtures are the same.
func (m Mixture) Equal(n Mixture) bool {
	same := func(x, y *big.Rat) bool { return x.Cmp(y) == 0 }
	return slices.EqualFunc(m.Means, n.Means, same) && slices.EqualFunc(m.Probs, n.Probs, same)
}

// Mirrored is the mixture under x ↦ −x.
func (m Mixture) Mirrored() Mixture {
	return m.mapped(func(x *big.Rat) *big.Rat { return new(big.Rat).Neg(x) })
}

// Around is the mixture with a point as the new 0.
func (m Mixture) Around(c *big.Rat) Mixture {
	return m.mapped(func(x *big.Rat) *big.Rat { return new(big.Rat).Sub(x, c) })
}

// Over is the mixture in units of sigma > 0.
func (m Mixture) Over(sigma *big.Rat) Mixture {
	return m.mapped(func(x *big.Rat) *big.Rat { return new(big.Rat).Quo(x, sigma) })
}

func (m Mixture) mapped(f func(*big.Rat) *big.Rat) Mixture {
	means := make([]*big.Rat, len(m.Means))
	for i, x := range m.Means {
		means[i] = f(x)
	}
	return New(means, m.Probs)
}

// With is (1 − rate)·m + rate·n, for a rate in [0, 1].
func (m Mixture) With(rate *big.Rat, n Mixture) Mixture {
	rest := new(big.Rat).Sub(big.NewRat(1, 1), rate)
	var probs []*big.Rat
	for _, p := range m.Probs {
		probs = append(probs, new(big.Rat).Mul(rest, p))
	}
	for _, p := range n.Probs {
		probs = append(probs, new(big.Rat).Mul(rate, p))
	}
	return New(slices.Concat(m.Means, n.Means), probs)
}
