// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"strings"

	"dpverify/exact/interval"
)

// Maximum is the least pair that dominates several products: its profile is the
// greatest of theirs, at each α. A maximum of profiles is convex, at most 1 and at
// least (1 − α)₊, hence the profile of a pair [Zhu, Dong & Wang 2022, Proposition 8].
//
// It stands for a factor whose worst case depends on ε: other than the products
// themselves it is attained by no single choice among them.
type Maximum struct{ Of []Product }

func (m Maximum) Reverse() Pair {
	if m.SelfDual() {
		return m
	}
	return Maximum{ReverseAll(m.Of)}
}

// SelfDual: the reversed products are the same products, in any order, or each is
// self-dual.
func (m Maximum) SelfDual() bool {
	have := make(map[string]bool)
	for _, p := range m.Of {
		have[p.String()] = true
	}
	for _, p := range m.Of {
		if !p.SelfDual() && !have[p.Reverse().String()] {
			return false
		}
	}
	return true
}

func (m Maximum) String() string {
	parts := make([]string, len(m.Of))
	for i, p := range m.Of {
		parts[i] = p.String()
	}
	return "Maximum(" + strings.Join(parts, ", ") + ")"
}

func (Maximum) isReversed() bool   { return false }
func (m Maximum) parts() []Product { return m.Of }
func (Maximum) reach() reach       { return unknownReach() }

// Kind: the outcomes belong to none of the products.
func (m Maximum) Kind() Kind {
	for _, p := range m.Of {
		if p.Kind() == Guarantee {
			return Guarantee
		}
	}
	return Unlisted
}

// infMass is δ(ε) for ε → ∞.
func (m Maximum) infMass() (*big.Rat, bool) {
	most := new(big.Rat)
	for _, p := range m.Of {
		inf, ok := InfMass(p)
		if !ok {
			return nil, false
		}
		if inf.Cmp(most) > 0 {
			most = inf
		}
	}
	return most, true
}

// Outcomes: it has none to list.
func (Maximum) Outcomes(interval.Prec, int) ([]Outcome, interval.Interval, bool) { return notListed() }

func ReverseAll(ps []Product) []Product { return after(Product.Reverse, ps) }

// after returns what f makes of each of several products.
func after(f func(Product) Product, ps []Product) []Product {
	out := make([]Product, len(ps))
	for i, p := range ps {
		out[i] = f(p)
	}
	return out
}

// MaximumOf returns the pair of the greatest profile of several products, which is finite
// if they are single finite pairs.
func MaximumOf(of []Product) Pair {
	fs := make([]Finite, len(of))
	for i, p := range of {
		f, ok := Single[Finite](p)
		if !ok {
			return Maximum{of}
		}
		fs[i] = f
	}
	return greatest(fs)
}

// greatest halves the list: a maximum has as many outcomes as both together.
func greatest(fs []Finite) Finite {
	if len(fs) == 1 {
		return fs[0]
	}
	middle := len(fs) / 2
	return greatest(fs[:middle]).Max(greatest(fs[middle:]))
}
