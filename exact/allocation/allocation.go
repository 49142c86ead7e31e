// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package allocation bounds the privacy profile of random allocations by convex order.
//
// A record takes part in one of t steps of the pair (P, Q), or in none. Under Q^t the likelihood
// ratio of the two is the mean S = (Y₁ + … + Y_t)/t of independent ratios Y = dP/dQ, E Y ≤ 1, where what
// is missing to 1 is P-mass of infinite loss. With α = e^ε,
//
//	δ_remove(ε) = E(S − α)₊ + (1 − E S),  δ_add(ε) = E(1 − αS)₊.
//
// Both are expectations of convex functions of S, and the convex order is closed under independent
// sums. So a law of Y on a lattice that is larger in that order bounds both from above, for all ε: each cell
// of ratios has its Q-mass b and its P-mass a = E[Y; cell] split onto its two ends so that both are kept,
//
//	(a − y₀·b)/(y₁ − y₀) at y₁ and (y₁·b − a)/(y₁ − y₀) at y₀.
//
// That is one kernel for P and Q, so that the original is a post-processing of the pair on the
// lattice, which dominates under composition, too.
//
// From below: number the cells. The sum of the numbers of all steps is a post-processing. With a and b the
// masses of the cells under P and Q, and (A_m, B_m) what m steps have, A_m the mean over which of
// them the record takes part in,
//
//	B_{m+n} = B_m * B_n,  A_{m+n} = (m·A_m * B_n + n·B_m * A_n)/(m + n).
//
// Any way to number the cells is sound; that number times the spacing is near Y, so that the
// sum is near t·S. Both errors are of second order in the spacing.
package allocation

import (
	"context"
	"math/big"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A Law bounds the pair of an allocation to one step.
type Law struct {
	prec    uint
	unit    *big.Rat // S = unit times the index
	upper   run      // masses of S under Q^t of a law that is larger, rounded down
	lower   groups
	special interval.Interval // P-mass of outcomes with an infinite ratio, or next to it, in any step,
	without interval.Interval // and their Q-mass
}

// New bounds an allocation to one of steps steps, steps ≥ 2. It reports false if the base has
// neither tails nor outcomes.
func New(ctx context.Context, base pair.Pair, steps int64, set Settings) (*Law, bool, error) {
	w := interval.Prec(set.Prec) + 32
	m, ok := newMesh(base, set)
	if !ok {
		return nil, false, nil
	}
	cells, rest, err := m.cells(ctx, w)
	if err != nil {
		return nil, false, err
	}
	l := &Law{prec: set.Prec}
	most := interval.Min(interval.Int(1), w.Mul(interval.Int(steps), rest.q.Upper()))
	l.without = interval.Union(interval.Int(0), most)
	l.special = interval.Union(rest.p, interval.Min(interval.Int(1), w.Add(rest.p, most)))
	c := chain{set: set, steps: steps, upper: m.split(cells, w, set.Prec), lower: m.groups(cells, set.Prec), spacing: m.spacing}
	if err := c.power(ctx); err != nil {
		return nil, false, err
	}
	l.upper, l.lower = c.upper, c.lower
	l.unit = new(big.Rat).Quo(c.spacing, new(big.Rat).SetInt64(steps))
	return l, true, nil
}

// A chain takes powers of a law.
type chain struct {
	set     Settings
	steps   int64
	upper   run
	lower   groups
	spacing *big.Rat
}

// power raises the law of one step to the law of all, by the binary digits of their number from the
// top. The spacing doubles where vectors get longer than they should be.
func (c *chain) power(ctx context.Context) error {
	one, oneLower := c.upper, c.lower
	m := int64(1)
	settle := func() {
		c.trim(m)
		for c.upper.v.Len() > c.set.Points || c.lower.len() > c.set.Points {
			c.upper, c.lower = c.upper.coarsen(convolve.Down), c.lower.coarsen()
			one, oneLower = one.coarsen(convolve.Down), oneLower.coarsen()
			c.spacing = new(big.Rat).Add(c.spacing, c.spacing)
		}
	}
	settle()
	bit := int64(1)
	for bit <= c.steps/2 {
		bit *= 2
	}
	for bit /= 2; bit > 0; bit /= 2 {
		var err error
		if c.upper, err = c.upper.times(ctx, c.upper, convolve.Down); err != nil {
			return err
		}
		if c.lower, err = c.lower.square(ctx); err != nil {
			return err
		}
		m *= 2
		settle()
		if c.steps&bit == 0 {
			continue
		}
		if c.upper, err = c.upper.times(ctx, one, convolve.Down); err != nil {
			return err
		}
		if c.lower, err = c.lower.plusOne(ctx, m, oneLower); err != nil {
			return err
		}
		m++
		settle()
	}
	return nil
}

// trim drops what has next to no mass at both ends, of m steps. The mass and the mean that the
// larger law lacks are counted in the end, and a group is dropped as a whole.
func (c *chain) trim(m int64) {
	shift := int(c.set.Prec) - c.set.Cut
	for n := c.steps / m; n > 1; n /= 2 {
		shift--
	}
	budget := new(big.Int).Lsh(big.NewInt(1), uint(max(shift, 0)))
	lo, hi := within(c.upper.v, budget, nil)
	// P-mass counts by the index: what is cut off above has a mean of at most budget, too.
	scale := new(big.Rat).Quo(c.spacing, new(big.Rat).SetInt64(m))
	_, hiP := within(c.upper.v, budget, func(i int) *big.Rat {
		return new(big.Rat).Mul(scale, new(big.Rat).SetInt64(c.upper.first+int64(i)))
	})
	c.upper = c.upper.slice(lo, max(hi, hiP))
	lo, hi = within(c.lower.qDown, budget, nil)
	lo2, hi2 := within(c.lower.pDown, budget, nil)
	c.lower = c.lower.slice(min(lo, lo2), max(hi, hi2))
}

// within returns the range that stays when at most budget is cut off at either end, each entry
// times its weight.
func within(v convolve.Vector, budget *big.Int, weight func(int) *big.Rat) (lo, hi int) {
	x := new(big.Int)
	at := func(i int) *big.Int {
		v.Load(x, i)
		if weight != nil && x.Sign() > 0 {
			r := weight(i)
			x.Mul(x, r.Num())
			x.Quo(x, r.Denom())
		}
		return x
	}
	lo, hi = 0, v.Len()
	for sum := new(big.Int); hi-lo > 1 && sum.Add(sum, at(lo)).Cmp(budget) <= 0; lo++ {
	}
	for sum := new(big.Int); hi-lo > 1 && sum.Add(sum, at(hi-1)).Cmp(budget) <= 0; hi-- {
	}
	return lo, hi
}
