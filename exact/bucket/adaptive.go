// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"context"
	"fmt"
	"math/big"
	"math/bits"

	"dpverify/exact/convolve"
)

// A Policy says when adaptive composition squares (§4.6, Figure 10). It affects
// width, never soundness. The zero value squares when the paper's rule says so.
type Policy struct {
	// FreeInfinity disables squaring while bucket ∞ holds at most 2^−FreeInfinity
	// (the paper's free_infty_budget, which is for a B(∞) that is zero or very small).
	// 0 stands for the precision of the masses.
	FreeInfinity int
	// Spend lets compositions have the memory of the trees that they are given, which hold nothing any more then;
	// the trees of Product have to be different ones.
	Spend bool
	// Progress, if not nil, is told how many compositions are done.
	Progress func(done, total int)
}

// exceeds applies the 2.2 rule: squaring is due if B(∞) of T₁ × T₂, which is at most
// about B₁(∞) + B₂(∞) unless events leave the finite buckets, would exceed 1.1 times
// that: 2.2·B(∞) for T × T. over is Σ_{j+k>n} B₁(j)B₂(k).
func (o Policy) exceeds(t1, t2 *Tree, over *big.Int) bool {
	if over.Sign() == 0 {
		return false
	}
	prec := t1.Prec()
	limit := new(big.Int).Add(t1.known(), t2.known())
	next := convolve.Round(over, prec, convolve.Down)
	next.Add(next, limit)
	free := new(big.Int)
	if o.FreeInfinity > 0 && o.FreeInfinity < int(prec) {
		free.Lsh(big.NewInt(1), prec-uint(o.FreeInfinity))
	}
	if next.Cmp(free) <= 0 {
		return false
	}
	grown := new(big.Int).Mul(next, big.NewInt(10))
	return grown.Cmp(limit.Mul(limit, big.NewInt(11))) > 0
}

// times returns T₁ × T₂, or the composition of their squares where the policy says
// so. If spent is set, the vectors of T₁ are used up. Once squared, indices are within ±n/2, and
// nothing leaves the finite buckets.
//
// Requires: equal factors.
func (o Policy) times(ctx context.Context, t1, t2 *Tree, spent bool) (*Tree, error) {
	s1, s2, over := o.fit(t1, t2, spent)
	return compose(ctx, s1, s2, over, spent || s1 != t1)
}

// fit returns T₁ and T₂, or their squares where the policy says so, and Σ_{j+k>n} B₁(j)B₂(k) of what it returns. If
// spent is set, the vectors of T₁ are used up where it is squared.
func (o Policy) fit(t1, t2 *Tree, spent bool) (s1, s2 *Tree, over *big.Int) {
	over = overflow(t1.b, t2.b, t1.n)
	if !o.exceeds(t1, t2, over) {
		return t1, t2, over
	}
	s1 = t1.squared(spent)
	s2 = s1
	if t1 != t2 {
		s2 = Square(t2)
	}
	return s1, s2, overflow(s1.b, s2.b, s1.n)
}

// Power returns the composition of k ≥ 1 copies of t, as Figure 10 does for powers of
// two: repeated squares T × T, with the factor squared when bucket ∞ would grow too
// fast. Figure 10 as printed composes 2^(t+1) copies.
//
// For other k the binary digits are used from the top, so that the single copies are
// composed in at the factor of the moment. The error is ctx's, or
// convolve.ErrSelfCheck.
//
// A single copy that is needed again is squared with the power, and then takes half of the memory. Nothing here
// refers to t any more then.
func (o Policy) Power(ctx context.Context, t *Tree, k int64) (*Tree, error) {
	if k < 1 {
		panic(fmt.Sprintf("bucket: internal error: %d copies", k))
	}
	done, total := 0, bits.Len64(uint64(k))+bits.OnesCount64(uint64(k))-2
	tick := func() {
		if done++; o.Progress != nil {
			o.Progress(done, total)
		}
	}
	acc, single, ours := t, t, o.Spend // ours: whether the memory of acc, if it is not single's, may be used up
	var over *big.Int
	var err error
	for bit := bits.Len64(uint64(k)) - 2; bit >= 0; bit-- {
		if k&(2<<bit-1) == 0 {
			single = nil // no longer needed: free its memory
		}
		if acc == single {
			acc, single, over = o.fit(acc, acc, false)
			acc, err = compose(ctx, acc, acc, over, false)
		} else {
			acc, err = o.times(ctx, acc, acc, ours)
		}
		if ours = true; err != nil {
			return nil, err
		}
		tick()
		if k>>bit&1 == 1 {
			for single.eta.Cmp(acc.eta) < 0 {
				single = Square(single)
			}
			acc, single, over = o.fit(acc, single, true)
			if acc, err = compose(ctx, acc, single, over, true); err != nil {
				return nil, err
			}
			tick()
		}
	}
	return acc, nil
}

// Product returns the composition of all trees, brought to one factor by squaring.
// Trees of the finest factors are composed first. The error is ctx's, or
// convolve.ErrSelfCheck.
//
// Requires: at least one tree; equal n and precisions; factors that are powers
// f^(2^s) of one f.
func (o Policy) Product(ctx context.Context, trees []*Tree) (*Tree, error) {
	rest := append([]*Tree(nil), trees...)
	done := 0
	for len(rest) > 1 {
		// The two finest.
		a, b := 0, 1
		for i := range rest {
			if rest[i].eta.Cmp(rest[a].eta) < 0 {
				a = i
			}
		}
		if a == b {
			b = 0
		}
		for i := range rest {
			if i != a && rest[i].eta.Cmp(rest[b].eta) < 0 {
				b = i
			}
		}
		t := rest[a]
		for t.eta.Cmp(rest[b].eta) < 0 {
			t = t.squared(o.Spend)
		}
		x, err := o.times(ctx, t, rest[b], o.Spend && t != rest[b])
		if err != nil {
			return nil, err
		}
		rest[min(a, b)] = x
		rest = append(rest[:max(a, b)], rest[max(a, b)+1:]...)
		if done++; o.Progress != nil {
			o.Progress(done, len(trees)-1)
		}
	}
	return rest[0], nil
}
