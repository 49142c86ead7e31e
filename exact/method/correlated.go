// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pattern"
	"dpverify/exact/profile"
)

// Uncorrelated: means over bins that are correlated, between such that are not; see diagonals. These are so far
// apart that they are bounded at effort 0.
func Uncorrelated(s *Solver, prod pair.Product, _ Effort) *Plan {
	below, above, ok := diagonals(prod)
	if !ok {
		return nil
	}
	var near func(ctx context.Context, delta *big.Rat) (*big.Rat, bool)
	short := Shortcuts{Near: func(ctx context.Context, delta *big.Rat) (*big.Rat, bool) {
		if near == nil {
			return nil, false
		}
		return near(ctx, delta)
	}}
	return &Plan{Cost: 0.3, Draft: Coarse, Shortcuts: short, Prepare: func(ctx context.Context) (profile.Func, error) {
		var delta *big.Rat
		if s.scale >= 0 {
			delta = new(big.Rat).Inv(interval.Pow2(s.scale))
		}
		s := NewSolver(s.methods, 0, delta)
		s.coarse = true
		up, sol, err := s.ProfileOf(ctx, above)
		if err == nil {
			near = sol.Short.Near
		}
		if err != nil || len(below) == 0 {
			return profile.FromAbove(up), err
		}
		low, _, err := s.ProfileOf(ctx, below)
		return between(low, up), err
	}}
}

// between takes the lower end of one profile, and the upper end of another one.
func between(below, above profile.Func) profile.Func {
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		p = min(p, 40) // the two are not that near
		a, err := below(ctx, p, eps)
		if err != nil {
			return profile.Unit(), err
		}
		b, err := above(ctx, p, eps)
		if err != nil {
			return profile.Unit(), err
		}
		return interval.Union(a.Lower(), b.Upper()), nil
	}
}

// diagonals replaces means over bins by random allocations that they dominate, of Gaussians at the least squared norm,
// and by such that dominate them, at the greatest sum of a row. Of steps that are apart see independent, from above
// alone. It reports false if there is none.
//
// See docs/theorems.md, Correlation that is taken away. A bin without steps leaves nothing below.
func diagonals(prod pair.Product) (below, above pair.Product, ok bool) {
	for _, t := range prod {
		var least, most *big.Rat
		a := pair.Allocation{Selected: 1}
		switch x := t.Pair.(type) {
		case pair.Bins:
			least, most = spread(x.Gram)
			a.Steps, a.Reversed = int64(len(x.Gram)), x.Reversed
		case pair.Patterns:
			switch x.Draw {
			case pattern.Chosen:
				least, most = x.Norms()
				a.Selected, a.Steps, a.Reversed = x.Size, x.Steps(), x.Reversed
			case pattern.Apart:
				coins := independent(x)
				coins.Count = pair.TimesCount(t.Count, coins.Count)
				above, ok = append(above, coins), true
				continue
			}
		}
		if most == nil {
			below, above = append(below, t), append(above, t)
			continue
		}
		ok = true
		of := func(mu2 *big.Rat) pair.Term {
			a.Base = pair.Gaussian{Mu2: mu2}
			return pair.Term{Pair: a, Count: t.Count}
		}
		if above = append(above, of(most)); least.Sign() > 0 {
			below = append(below, of(least))
		}
	}
	return below.Merged(), above.Merged(), ok
}

// independent is a composition of Poisson samples, one for each block of m ≤ Size steps, that dominates patterns of
// steps that are Size apart or more; see docs/theorems.md, Steps that are apart, from above. All m are right: one is
// chosen. The rate of a block is rounded up.
func independent(x pair.Patterns) pair.Term {
	const w = interval.Prec(64)
	products, steps := x.Widest(), x.Steps()
	most := make([]*big.Rat, len(products)+1) // the greatest of this lag or a longer one
	most[len(products)] = new(big.Rat)
	for d := len(products) - 1; d >= 0; d-- {
		if most[d] = most[d+1]; products[d].Cmp(most[d]) > 0 {
			most[d] = products[d]
		}
	}
	var best pair.Term
	var least interval.Interval
	none, skip := interval.Int(1), w.Rat(new(big.Rat).Sub(big.NewRat(1, 1), x.Rate))
	for m := range min(x.Size, steps) {
		none = w.Mul(none, skip)
		size := int(m) + 1
		sum := new(big.Rat)
		for d := 1; d < len(products); d += size {
			sum.Add(sum, most[d])
		}
		mu2 := sum.Add(sum, sum).Add(sum, products[0])
		count := (steps + m) / (m + 1)
		rate, ok := w.Sub(interval.Int(1), none).UpperRat()
		if m == 0 {
			rate, ok = x.Rate, true
		}
		if !ok || rate.Cmp(big.NewRat(1, 1)) >= 0 {
			continue
		}
		seen := w.Mul(w.Mul(w.Rat(big.NewRat(count, 1)), w.Sqr(w.Rat(rate))), w.Expm1(w.Rat(mu2)))
		if m == 0 || seen.Lo().Cmp(least.Lo()) < 0 {
			least = seen
			best = pair.Term{Pair: pair.Sampled{Rate: rate, Base: pair.Copies(pair.Gaussian{Mu2: mu2}, 1), Reversed: x.Reversed},
				Count: count}
		}
	}
	return best
}

// spread is the least squared norm, and the greatest sum of a row.
func spread(gram [][]*big.Rat) (least, most *big.Rat) {
	least, most = gram[0][0], new(big.Rat)
	for i, row := range gram {
		sum := new(big.Rat)
		for _, y := range row {
			sum.Add(sum, y)
		}
		if sum.Cmp(most) > 0 {
			most = sum
		}
		if row[i].Cmp(least) < 0 {
			least = row[i]
		}
	}
	return least, most
}
