// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/big"
	"math/bits"

	"dpverify/exact/interval"
)

// A plan chooses the grids of a product. Nothing in it affects soundness.
type plan struct {
	delta   *big.Rat // final spacing
	prec    uint     // fraction bits of masses
	factors []*factor
	budget  *big.Int // P-mass that may be cut off after a product, in units of 2^−prec
	tilt    tilt     // of the Q-masses of the lower bound
}

// A factor is a source with the grid that it starts on.
type factor struct {
	source
	count  int64
	mesh   // its spacing is the final one · 2^−levels
	levels int
	rare   bool     // its rare losses exceed the usual ones of the sum
	spare  *big.Int // P-mass that may be cut off from the power, in units of 2^−prec
}

// newPlan chooses the final spacing such that the points cover all but 2^−Cut of the
// P-mass, by the variance of the sum. Where a factor has atoms at ±r for a rational
// r, the spacing divides r, or a power of two times it. It returns nil
// if a vector would get too long.
func newPlan(ctx context.Context, factors []*factor, set Settings) (*plan, error) {
	const p = interval.Prec(64)
	n, limit := set.Points, set.Limit
	pl := &plan{prec: set.Prec, factors: factors}
	variance := interval.Int(0)
	widest, farthest := new(big.Rat), new(big.Rat)
	var atom *big.Rat
	var extents []extent
	for _, f := range factors {
		if ok, err := f.prepare(ctx, set, f.count); !ok || err != nil {
			return nil, err
		}
		e := f.extent(ctx, set.Cut+4+bits.Len64(uint64(f.count)))
		if err := ctx.Err(); err != nil { // the extent is of what was asked until then
			return nil, err
		}
		extents = append(extents, e)
		variance = p.Add(variance, p.Mul(interval.Int(f.count), e.variance))
		if d := new(big.Rat).Sub(e.hi, e.lo); d.Cmp(widest) > 0 {
			widest = d
		}
		for _, x := range []*big.Rat{e.lo, e.hi} {
			if d := new(big.Rat).Abs(x); d.Cmp(farthest) > 0 {
				farthest = d
			}
		}
		if atom == nil {
			atom = f.atom()
		}
	}
	// A tail of 2^−Cut begins at about √(2·log 2·Cut) standard deviations.
	reach := p.Sqrt(p.Mul(p.Scale(variance, 3), interval.Int(int64(set.Cut)))) // 2·√(1.39·Cut·V) < √(8·Cut·V)
	width := ceilRat(p.Mid(reach))
	for i, f := range pl.factors {
		if f.rare = f.count > 1 && new(big.Rat).Sub(extents[i].hi, extents[i].lo).Cmp(width) > 0; f.rare {
			pl.prec = max(pl.prec, set.Rare.Prec)
		}
	}
	pl.budget = new(big.Int).Lsh(big.NewInt(1), uint(max(0, int(pl.prec)-set.Cut-4)))
	if len(pl.factors) == 1 && pl.factors[0].count == 1 && widest.Cmp(width) < 0 || width.Sign() == 0 {
		width = widest
	}
	// Where rare losses are far larger than the standard deviation, vectors reach to
	// them: four times the widest factor is to fit the limit.
	if far := new(big.Rat).Mul(widest, big.NewRat(4*int64(n), int64(limit))); far.Cmp(width) > 0 {
		width = far
	}
	// Beyond, e^x takes more bits than the numbers that it is to scale.
	if farthest.Cmp(interval.Pow2(20)) <= 0 {
		pl.tilt = byLoss
	}
	// A narrow range far from 0, such as one loss known to many bits, is no reason for
	// indices that do not fit a word.
	if least := new(big.Rat).Mul(farthest, interval.Pow2(-16)); least.Cmp(width) > 0 {
		width = least
	}
	if width.Sign() == 0 {
		width = big.NewRat(1, 1)
	}
	pl.delta = spacing(new(big.Rat).Mul(width, big.NewRat(1, int64(n))), atom)
	for i, f := range pl.factors {
		f.spare = pl.budget
		f.levels = levelsFor(f.count, 1)
		f.delta = new(big.Rat).Mul(pl.delta, interval.Pow2(-f.levels))
		span := new(big.Rat).Sub(extents[i].hi, extents[i].lo)
		for f.levels > 0 && new(big.Rat).Quo(span, f.delta).Cmp(new(big.Rat).SetInt64(int64(limit)/4)) > 0 {
			f.levels--
			f.delta = new(big.Rat).Add(f.delta, f.delta)
		}
		lo, ok1 := f.floorIndex(extents[i].lo, len(pl.factors))
		hi, ok2 := f.floorIndex(new(big.Rat).Neg(extents[i].hi), len(pl.factors))
		if !ok1 || !ok2 {
			return nil, nil
		}
		f.lo, f.hi = lo-1, max(-hi, lo)
		if f.hi-f.lo > int64(limit) {
			return nil, nil
		}
	}
	return pl, nil
}

// spacing returns a short rational near target: a power of two, times the atom if
// there is one.
func spacing(target, atom *big.Rat) *big.Rat {
	unit := big.NewRat(1, 1)
	if atom != nil {
		unit = atom
	}
	q := new(big.Rat).Quo(target, unit)
	k := q.Num().BitLen() - q.Denom().BitLen() // 2^(k−1) < q < 2^(k+1)
	x := new(big.Rat).Mul(unit, interval.Pow2(k))
	// For a dyadic unit, three quarters of the way would do as well; keep it simple.
	if x.Cmp(target) > 0 {
		x = new(big.Rat).Mul(unit, interval.Pow2(k-1))
	}
	return x
}

// levelsFor returns ⌈log2(k/c)/2⌉: c of k copies are composed, and the spacing shall
// be about the final one over √(k/c).
func levelsFor(k, c int64) int {
	ratio := (k + c - 1) / c
	return (bits.Len64(uint64(ratio-1)) + 1) / 2
}

// budget returns the P-mass that may be cut off from a product of c copies: it
// counts once for each such product in the whole, and there are about log2 count of
// them.
func (f *factor) budget(c int64) *big.Int {
	b := new(big.Int).Mul(f.spare, big.NewInt(c))
	return b.Quo(b, big.NewInt(f.count*int64(bits.Len64(uint64(f.count)))))
}

// workingPrec is enough for masses of prec bits: splitting a cell cancels like 1/Δ.
func (f *factor) workingPrec(prec uint) interval.Prec {
	gap := max(0, f.delta.Denom().BitLen()-f.delta.Num().BitLen()+1)
	return interval.Prec(prec) + interval.Prec(gap) + 24
}

// floorIndex returns ⌊x/Δ⌋ for the spacing Δ of the leaf. It reports false if indices would
// get too long: c copies have indices of about c/√(count/c) times the leaf's, as
// spacings double, and so of at most count·2^−levels times those in the end; and the indices
// of all factors add up.
func (f *factor) floorIndex(x *big.Rat, factors int) (int64, bool) {
	q := new(big.Rat).Quo(x, f.delta)
	n := new(big.Int).Div(q.Num(), q.Denom()) // Euclidean: floor for a positive denominator
	growth := bits.Len64(uint64(f.count>>f.levels)) + bits.Len64(uint64(factors-1))
	return n.Int64(), n.BitLen() <= maxIndexBits-growth
}

// steps counts the ticks of a run.
func (p *plan) steps() int {
	n := 2 * (len(p.factors) - 1)
	for _, f := range p.factors {
		n += 1 + 2*(bits.Len64(uint64(f.count))-1)
	}
	return n
}
