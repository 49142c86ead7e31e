// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
	"strings"

	"dpverify/mechanism"
)

// A Term is Count independent copies of a pair, Count ≥ 1.
type Term struct {
	Pair  Pair
	Count int64
}

// A Product is the product of its terms, in no particular order. The empty
// product is a pair of equal distributions.
type Product []Term

// Reverse returns the product of the reversed pairs.
func (p Product) Reverse() Product {
	q := make(Product, len(p))
	for i, t := range p {
		q[i] = Term{t.Pair.Reverse(), t.Count}
	}
	return q
}

// SelfDual reports whether every factor is self-dual, hence the product is.
func (p Product) SelfDual() bool {
	for _, t := range p {
		if !t.Pair.SelfDual() {
			return false
		}
	}
	return true
}

func (p Product) String() string {
	parts := make([]string, len(p))
	for i, t := range p {
		parts[i] = t.Pair.String()
		if t.Count != 1 {
			parts[i] += fmt.Sprintf("^%d", t.Count)
		}
	}
	return "(" + strings.Join(parts, " × ") + ")"
}

// Merged returns a product with equal pairs merged, in order of first appearance.
func (p Product) Merged() Product {
	var out Product
	index := make(map[string]int)
	for _, t := range p {
		key := t.Pair.String()
		if i, ok := index[key]; ok {
			out[i].Count = min(out[i].Count+t.Count, TooMany)
			continue
		}
		index[key] = len(out)
		out = append(out, t)
	}
	return out
}

// Copies returns the product of count copies of x.
func Copies(x Pair, count int64) Product { return Product{{x, count}} }

// Times returns count copies of p; counts saturate at tooMany.
func (p Product) Times(count int64) Product {
	out := make(Product, len(p))
	for i, t := range p {
		out[i] = Term{t.Pair, TimesCount(t.Count, count)}
	}
	return out
}

// TimesCount returns the product of two counts, or tooMany.
func TimesCount(a, b int64) int64 {
	if a > TooMany/b {
		return TooMany
	}
	return a * b
}

// TooMany exceeds mechanism.MaxCount by far, and sums of many such counts fit.
const TooMany = mechanism.MaxCount << 10

// Kind is a guarantee if a factor is one, and discrete if all are.
func (p Product) Kind() Kind {
	kind := Discrete
	for _, t := range p {
		kind = max(kind, t.Pair.Kind())
	}
	return kind
}

// IsGuarantee reports whether a product has a factor that is not a pair but
// stands for all pairs with a Rényi guarantee.
func (p Product) IsGuarantee() bool { return p.Kind() == Guarantee }

// IsDiscrete reports whether the outcomes of every factor can be listed, if they are not too
// many.
func (p Product) IsDiscrete() bool { return p.Kind() == Discrete }

// Gaussians returns Σ count·μ² of the Gaussian factors, the μ² of the one Gaussian that they
// are together, and the other factors.
func (p Product) Gaussians() (mu2 *big.Rat, rest Product) {
	mu2 = new(big.Rat)
	for _, t := range p {
		if g, ok := t.Pair.(Gaussian); ok {
			mu2.Add(mu2, new(big.Rat).Mul(g.Mu2, new(big.Rat).SetInt64(t.Count)))
		} else {
			rest = append(rest, t)
		}
	}
	return mu2, rest
}

// Single returns the pair of a product of one copy of a T.
func Single[T Pair](p Product) (x T, ok bool) {
	if len(p) == 1 && p[0].Count == 1 {
		x, ok = p[0].Pair.(T)
	}
	return x, ok
}

// SplitDiscrete separates the discrete factors.
func (p Product) SplitDiscrete() (continuous, discrete Product) {
	for _, t := range p {
		if t.Pair.Kind() == Discrete {
			discrete = append(discrete, t)
		} else {
			continuous = append(continuous, t)
		}
	}
	return continuous, discrete
}
