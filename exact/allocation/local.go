// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"math/big"
	"math/bits"
	"slices"

	"dpverify/exact/blanket"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// anyLocal bounds from above the profile of shuffled reports of any local randomizer, of an α in [1/e, e], where e is
// its Ratio: see docs/theorems.md, *Unlike reports*.
//
// Of inputs x and x′ of the record let p = R(x), q = R(x′), and a be the mass of s₁ = (p − q)₊/(e − 1). Up to some a₁
// the blanket of the others bounds it. From there on to 1/(1 + e), others of distributions r_j have no room but on what
// tells x from x′: with κ and w₀ as in the theorem, X_j = (p − αq)/r_j(Y_j), Y_j ~ r_j, and X′ = X₊/(1 − κ/w₀) −
// X₋/(1 + κ/w₀),
//
//	H_α ≤ P(W < w₀ + κ) + E(ΣX′_j)₊/w₀,
//
// for sums W of independent numbers in [G₀, G₁], κ = G₁ − G₀, of the mean 1 each. To an increasing convex function each
// X′_j is at most one of four kinds. Sums of so many of them have a least common bound in that order: blocks of these.
type anyLocal struct {
	ratio  *big.Rat
	others int64
	set    Settings
	block  int   // reports of a block
	many   int64 // from so many others on there are no laws on lattices
}

// Local returns a bound of the profile from above.
func Local(x pair.LocalReports, set Settings) profile.Func { return localFrom(x, set, manyLocal) }

func localFrom(x pair.LocalReports, set Settings, many int64) profile.Func {
	a := anyLocal{x.Ratio, x.Others, set, 16, many}
	return profile.FromAbove(func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		alpha, _, ok := (p + 64).Exp(eps(p + 64)).Rationals()
		if !ok || alpha.Cmp(x.Ratio) >= 0 || new(big.Rat).Mul(alpha, x.Ratio).Cmp(big.NewRat(1, 1)) <= 0 {
			return profile.Unit(), nil
		}
		near, most := apart(x), x.Apart()
		if near.Cmp(most) < 0 {
			unlike, err := a.unlike(ctx, near, alpha)
			if err != nil {
				return profile.Unit(), err
			}
			if unlike.LessRat(big.NewRat(1, 1)) == interval.True {
				hidden, err := sumOfReports{blanket.Hidden(x, near), set, many}.between(ctx, alpha, alpha)
				y := interval.Max(hidden, unlike)
				if err != nil || a.others >= wellHidden {
					return p.Round(y), err
				}
				all, err := sumOfReports{blanket.Hidden(x, most), set, many}.between(ctx, alpha, alpha)
				return p.Round(interval.Min(y.Upper(), all.Upper())), err
			}
		}
		y, err := sumOfReports{blanket.Hidden(x, most), set, many}.between(ctx, alpha, alpha)
		return p.Round(y), err
	})
}

// wellHidden is from how many reports on what the theorem says is nearer than the blanket alone, if it says anything.
const wellHidden = 1000

// unlike bounds H_α from above where the mass is at least near.
func (a anyLocal) unlike(ctx context.Context, near, alpha *big.Rat) (interval.Interval, error) {
	n := a.others
	if n < a.many {
		n -= n % int64(a.block) // fewer others hide less
	}
	most := pair.LocalReports{Ratio: a.ratio}.Apart()
	least, kappa := a.densities(near, most)
	w0, lost := light(n, a.set.Cut-12, least, kappa)
	if w0 == 0 {
		return interval.Int(1), nil
	}
	up, down := factors(kappa, w0)
	var kinds [][]atom
	for _, apart := range []*big.Rat{near, most} {
		k := a.kinds(apart, alpha, up, down)
		kinds = append(kinds, k[0], k[1])
	}
	var sum interval.Interval
	if n < a.many {
		l := a.blocks(kinds, n)
		x, err := l.expectation(ctx)
		if err != nil {
			return interval.Int(1), err
		}
		sum = interval.Prec(256).Mul(interval.Int(l.n), x.Upper()) // at least E(sum)₊
	} else {
		sum = chernoff(kinds, n)
	}
	const w = interval.Prec(256)
	return w.Add(lost, w.Div(sum, interval.Int(w0))).Upper(), nil
}

// densities returns the least density G₀ of the blanket, normalised, relative to any other report, and κ = G₁ − G₀, for
// masses a from near to most. The blanket has the mass a(1 − 1/e) + 1/e, and is at least e⁻² of what dominates it.
func (l anyLocal) densities(near, most *big.Rat) (least, kappa *big.Rat) {
	one, inverse := big.NewRat(1, 1), new(big.Rat).Inv(l.ratio)
	greatest := func(a *big.Rat) *big.Rat {
		y := new(big.Rat).Sub(one, inverse)
		y.Mul(y, a).Add(y, inverse)
		return y.Inv(y)
	}
	least = greatest(most)
	least.Mul(least, inverse).Mul(least, inverse)
	return least, new(big.Rat).Sub(greatest(near), least)
}

// factors returns by how much positive and negative X grow and fall: for W ≥ w₀ > κ and |d| ≤ κ, X/(W + d) is at most
// X₊/(1 − κ/w₀) − X₋/(1 + κ/w₀), over W.
func factors(kappa *big.Rat, w0 int64) (up, down *big.Rat) {
	share := new(big.Rat).Quo(kappa, new(big.Rat).SetInt64(w0))
	one := big.NewRat(1, 1)
	up, down = new(big.Rat).Sub(one, share), share.Add(one, share)
	return up.Inv(up), down.Inv(down)
}

// light returns w₀ ≥ 1 and a bound of P(W < w₀ + κ), about 2^−cut, W being the sum of n independent numbers in [least,
// least + κ] of the mean 1 each, or 0 if there is none. To a convex function each is at most one that is at an end: W
// is n·least + κB, B ~ Bin(n, t), t = (1 − least)/κ, and P(B ≤ xn) ≤ e^{−n·KL(x, t)} for x < t.
func light(n int64, cut int, least, kappa *big.Rat) (int64, interval.Interval) {
	t := new(big.Rat).Sub(big.NewRat(1, 1), least)
	t.Quo(t, kappa)
	const w = interval.Prec(128)
	bound := func(w0 int64) interval.Interval {
		x := new(big.Rat).Add(new(big.Rat).SetInt64(w0), kappa)
		x.Quo(x, new(big.Rat).SetInt64(n)).Sub(x, least).Quo(x, kappa)
		if x.Sign() <= 0 || x.Cmp(t) >= 0 {
			return interval.Int(1)
		}
		part := func(x, t *big.Rat) interval.Interval { return w.Mul(w.Rat(x), w.Log(w.Rat(x.Quo(x, t)))) }
		other := func(x *big.Rat) *big.Rat { return new(big.Rat).Sub(big.NewRat(1, 1), x) }
		kl := w.Add(part(new(big.Rat).Set(x), t), part(other(x), other(t)))
		return w.Exp(w.Mul(interval.Int(-n), kl)).Upper()
	}
	aim := interval.Pow2(-cut)
	from, to := int64(0), n // the greatest w₀ that is light enough
	for to-from > max(n>>12, 1) {
		if mid := from + (to-from)/2; bound(mid).LessRat(aim) == interval.True {
			from = mid
		} else {
			to = mid
		}
	}
	if from == 0 || kappa.Cmp(new(big.Rat).SetInt64(from)) >= 0 {
		return 0, interval.Int(1)
	}
	return from, bound(from)
}

// kinds are the two that a report of another one is at most, where s₁ has the mass a.
func (l anyLocal) kinds(a, alpha, up, down *big.Rat) [2][]atom {
	one, e := big.NewRat(1, 1), l.ratio
	times := func(xs ...*big.Rat) *big.Rat {
		y := new(big.Rat).Set(one)
		for _, x := range xs {
			y.Mul(y, x)
		}
		return y
	}
	inverse := new(big.Rat).Inv(e)
	alike := new(big.Rat).Sub(one, a)
	alike.Sub(alike, times(a, e)) // 1 − (1 + e)a
	dense := times(a, new(big.Rat).Add(e, big.NewRat(2, 1)))
	dense.Sub(dense, one) // a(e + 2) − 1
	first := times(new(big.Rat).Sub(e, alpha), up)
	second := times(new(big.Rat).Sub(one, times(alpha, e)), down)
	third := times(new(big.Rat).Sub(one, alpha), e)
	if third.Sign() > 0 {
		third.Mul(third, up)
	} else {
		third.Mul(third, down)
	}
	var out [2][]atom
	for i, v := range [2][2]*big.Rat{{first, second}, {second, first}} {
		out[i] = []atom{{v[0], alike}, {times(v[0], inverse), times(e, dense)}, {v[1], a}, {third, times(alike, inverse)}}
		rest := new(big.Rat).Set(one)
		for _, x := range out[i] {
			rest.Sub(rest, x.mass)
		}
		out[i] = append(out[i], atom{new(big.Rat), rest})
	}
	return out
}

// spreadUp brings atoms onto the lattice of top + 1 points from base on, such that their means do not fall. Masses are
// rounded down; what they lack is at the last point.
func spreadUp(atoms []atom, base, step *big.Rat, top int) []int64 {
	out := make([]int64, top+1)
	left := int64(1) << unitBits
	for _, x := range atoms {
		k, shares := parts(x.at, base, step, int64(top))
		for i, part := range shares {
			part.Mul(part, x.mass)
			y := new(big.Int).Lsh(part.Num(), unitBits)
			m := y.Quo(y, part.Denom()).Int64()
			out[int(k)+i] += m
			left -= m
		}
	}
	out[top] += left
	return out
}

// plusOne returns the law of the sum of two, rounded as spreadUp does.
func plusOne(a, b []int64) []int64 {
	out := make([]int64, len(a)+len(b)-1)
	left := int64(1) << unitBits
	for j, y := range b {
		if y == 0 {
			continue
		}
		for i, x := range a {
			hi, lo := bits.Mul64(uint64(x), uint64(y))
			m := int64(hi<<(64-unitBits) | lo>>unitBits)
			out[i+j] += m
			left -= m
		}
	}
	out[len(out)-1] += left
	return out
}

// blocks returns the line of the sum of n reports, in blocks.
func (a anyLocal) blocks(kinds [][]atom, n int64) *line {
	quarter := big.NewRat(1, int64(len(kinds)))
	var all []atom
	for _, x := range slices.Concat(kinds...) {
		all = append(all, atom{x.at, new(big.Rat).Mul(x.mass, quarter)})
	}
	l := a.set.layOut(n, all)
	least, top := l.base, l.top
	block := int64(a.block)
	l.n, l.base, l.top = n/block, new(big.Rat).Mul(least, big.NewRat(block, 1)), top*block
	laws := make([][]int64, len(kinds))
	for i, k := range kinds {
		laws[i] = spreadUp(k, least, l.step, int(top))
	}
	sum := leastAbove(laws, a.block)
	unit := new(big.Rat).SetInt64(1 << unitBits)
	for _, m := range sum {
		l.mass = append(l.mass, new(big.Rat).Quo(new(big.Rat).SetInt64(m), unit))
		l.low = append(l.low, new(big.Rat))
	}
	l.shape = shapeOf(sum)
	return l
}

// leastAbove returns the least law that is not below any sum of n of the laws in the order of increasing convex
// functions: its E(X − k)₊ are their greatest, at every point k of the lattice, and linear in between, where those of
// sums are linear, too.
func leastAbove(laws [][]int64, n int) []int64 {
	size := (len(laws[0])-1)*n + 1
	most := make([]int64, size) // E(X − k)₊, in units
	var walk func(left, from int, sum []int64)
	walk = func(left, from int, sum []int64) {
		if left == 0 {
			var tail, excess int64
			for k := size - 1; k >= 0; k-- {
				most[k] = max(most[k], excess)
				tail += sum[k]
				excess += tail
			}
			return
		}
		for i := from; i < len(laws); i++ {
			walk(left-1, i, plusOne(sum, laws[i]))
		}
	}
	walk(n, 0, []int64{1 << unitBits})
	out := make([]int64, size)
	for k := range out {
		before, after := most[0]+1<<unitBits, int64(0) // left of all points the slope is −1
		if k > 0 {
			before = most[k-1]
		}
		if k < size-1 {
			after = most[k+1]
		}
		out[k] = before - 2*most[k] + after
	}
	return out
}
