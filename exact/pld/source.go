// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/big"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A source is a pair whose loss can be put on a grid. A pair and its reverse may be cut into
// the same cells: extents, atoms and meshes belong to the pair as it is cut.
type source interface {
	// prepare does the work that extents and cuts of count copies rest on. It reports false
	// if a vector would get too long.
	prepare(ctx context.Context, set Settings, count int64) (bool, error)
	// extent returns a range of losses outside of which there is next to no mass: the
	// P-mass of finite losses above it and the Q-mass of those below it are at most
	// 2^−bits. No grid reaches losses of ±∞, which truncated noise has. (The other two
	// are smaller still: Q-mass is e^−L times P-mass.)
	extent(bits int) extent
	// atom returns the largest finite loss if it is known to be a positive rational
	// number, and nil if not.
	atom() *big.Rat
	// twoSided reports whether cuts bound the profile from below as well.
	twoSided() bool
	// cut puts the pair on a mesh, at a working precision: into a pair on its points
	// that dominates, and into the cells of a post-processing, nil if the source is not
	// twoSided.
	cut(ctx context.Context, m mesh, w interval.Prec, set Settings) (upper *lattice, lower *leaf, err error)
}

// newSource returns the source of a pair: tails in closed form, a finite number of
// outcomes, a sample of a product of sources, or an upper bound of its profile,
// whichever is there first. It returns nil if there is none of these.
func newSource(x pair.Pair, bounds func(pair.Pair) Bound) source {
	o := orient(x)
	if tails, ok := closed.PairTails(o.pair); ok {
		return newTails(o, tails)
	}
	if _, _, ok := o.pair.Outcomes(32, maxOutcomes); ok {
		return &outcomeSource{o}
	}
	if s := newSample(x); s != nil {
		return s
	}
	if o, ok := x.(pair.Opposed); ok {
		return lowerSource{o}
	}
	if a, ok := x.(pair.Allocation); ok {
		return newAllocation(a)
	}
	if m, ok := x.(pair.Maximum); ok {
		if f := maximumBound(m); f != nil {
			return boundSource{Bound{Profile: f}}
		}
	}
	if bounds != nil {
		if b := bounds(x); b.Profile != nil {
			return boundSource{b}
		}
	}
	return nil
}

// Gridded reports whether every factor of a product can be put on a grid for both
// bounds.
func Gridded(prod pair.Product) bool {
	for _, t := range prod {
		if s := newSource(t.Pair, nil); s == nil || !s.twoSided() {
			return false
		}
	}
	return len(prod) > 0
}

// collapse merges Gaussians into one factor, which costs one leaf and no
// composition.
func collapse(prod pair.Product) pair.Product {
	mu2, out := prod.Gaussians()
	if mu2.Sign() > 0 {
		out = append(out, pair.Term{Pair: pair.Gaussian{Mu2: mu2}, Count: 1})
	}
	return out
}

// An oriented pair is a pair whose masses are known, in the one of its orientations that is
// cut: a pair and its reverse are cut into the same cells.
type oriented struct {
	pair     pair.Pair // as cut
	reversed bool      // the source is its reverse
	// top is the largest finite loss of the pair as cut, where it is known exactly.
	top    pair.Loss
	hasTop bool
}

func orient(x pair.Pair) oriented {
	var o oriented
	o.pair, o.reversed = pair.Forward(x)
	o.top, o.hasTop = pair.MaxLoss(pair.Product{{Pair: o.pair, Count: 1}})
	return o
}

func (o *oriented) prepare(context.Context, Settings, int64) (bool, error) { return true, nil }

func (o *oriented) twoSided() bool { return true }

func (o *oriented) atom() *big.Rat {
	if r, ok := o.top.Rat(); o.hasTop && ok && r.Sign() > 0 {
		return r
	}
	return nil
}

// onMesh cuts the pair once for both orientations, and returns the answer of the cells in the orientation of
// the source.
func (o *oriented) onMesh(m mesh, w interval.Prec, set Settings, cut func() (*leaf, error)) (*lattice, *leaf, error) {
	l, err := set.Leaves.recall(o.pair, m, set.Points, w, cut)
	if err != nil {
		return nil, nil, err
	}
	if o.reversed {
		l = l.reverse()
	}
	return l.upper(w, set.Prec), l, nil
}
