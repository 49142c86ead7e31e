// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package allocation bounds the privacy profile of random allocations.
//
// A record takes part in k of t steps of the pair (P, Q), a uniformly random set of them. Under Q^t let Y₁ … Y_t be
// the likelihood ratios of the steps, independent, E Y ≤ 1, where what is missing to 1 is P-mass of infinite loss.
// The likelihood ratio of the two is the mean S of the products of k of them, and with α = e^ε
//
//	δ_remove(ε) = E(S − α)₊ + (1 − E S),  δ_add(ε) = E(1 − αS)₊.
//
// One of t steps: S = (Y₁ + … + Y_t)/t. Both are expectations of convex functions of a sum of independents, which
// rise in the convex order of each of them: the sum of a block of steps may be replaced by a law that is
// larger in that order, at every doubling of the number of steps. See Law.
package allocation

import (
	"context"
	"math/big"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A Law bounds the pair of an allocation to one step.
//
// Above. The sums of a block of m steps are spread onto a grid, dense at their mean m and sparse above: of each sum
// between two points a part goes to either, such that its mean stays. That is larger in convex order, and a kernel for
// P and Q at once, so that the original is a post-processing of the pair on the grid, under composition, too. What is
// beyond the last point is left out: with it, the P-mass of runs in which any block is there is at most the sum over
// the blocks of E[S; the block is there], where the other steps have a mean of at most 1 each.
//
// Below. Each cell of a grid keeps its Q-mass and E[Y₁ + … + Y_m; cell]: which cell the sum of two
// blocks is counted in depends on the two cells alone, which is a post-processing. With B and F for the
// two measures, B_{m+n} = B_m * B_n and F_{m+n} = F_m * B_n + B_m * F_n; any set of outcomes may be left out, from
// both.
//
// Rounding. Places are integers below 2^53 in units of a power of two, as float64: they and their sums and differences
// are exact. Masses are ≥ 0 and only added, multiplied and divided, and are kept above 2^−400 or left out: every one is
// within a factor e^±slack of what it stands for, where an operation of float64 adds 2^−53 to slack. Masses from above
// are scaled down by that much: they are never too large, and what they lack is counted.
type Law struct {
	unit    *big.Rat // S = unit times the place
	upper   spread   // masses of S under Q^t of a law that is larger
	lower   grouped
	special interval.Interval // P-mass of outcomes with an infinite ratio, or next to it, in any step,
	without interval.Interval // and their Q-mass
	steps   int64
}

// New bounds an allocation to one of steps steps, steps ≥ 2. It reports false if the base has
// neither tails nor outcomes.
func New(ctx context.Context, base pair.Pair, steps int64, set Settings) (*Law, bool, error) {
	b, ok := newBase(base, interval.Prec(set.Prec)+96)
	if !ok {
		return nil, false, nil
	}
	l, err := lawOf(ctx, b, steps, set)
	return l, err == nil, err
}

func lawOf(ctx context.Context, b *base, steps int64, set Settings) (*Law, error) {
	const w = interval.Prec(128) // of masses in float64, and what their differences take
	c := newChain(ctx, b, steps, set)
	cells, rest, err := b.cells(ctx, w, c.unit, c.grid(1))
	if err != nil {
		return nil, err
	}
	l := &Law{steps: steps}
	most := interval.Min(interval.Int(1), w.Mul(interval.Int(steps), rest.q.Upper()))
	l.without = interval.Union(interval.Int(0), most)
	l.special = interval.Union(rest.p, interval.Min(interval.Int(1), w.Add(rest.p, most)))
	if err := convolve.Parallel(ctx, 2, func(i int) {
		if i == 0 {
			l.upper = power(c, c.spread(cells, rest, w), c.addSpread)
		} else {
			l.lower = power(c, c.group(cells, w), c.addGroups)
		}
	}); err != nil {
		return nil, err
	}
	l.unit = new(big.Rat).Quo(c.unit, new(big.Rat).SetInt64(steps))
	return l, ctx.Err()
}

// power adds up as many blocks as there are steps, by the binary digits of their number from the lowest.
func power[T any](c *chain, one T, add func(a, b T) T) T {
	var sum T
	some := false
	for left := c.steps; ; one = add(one, one) {
		if left&1 == 1 {
			if some {
				sum = add(sum, one)
			} else {
				sum, some = one, true
			}
		}
		if left >>= 1; left == 0 || c.ctx.Err() != nil {
			return sum
		}
	}
}
