// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/big"

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
	extent(ctx context.Context, bits int) extent
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

// bothSides is embedded by sources of which no atom is known, and of which cuts bound the profile from both sides.
type bothSides struct{}

func (bothSides) twoSided() bool { return true }

func (bothSides) atom() *big.Rat { return nil }

// collapse merges Gaussians into one factor, which costs one leaf and no
// composition.
func collapse(prod pair.Product) pair.Product {
	mu2, out := prod.Gaussians()
	if mu2.Sign() > 0 {
		out = append(out, pair.Term{Pair: pair.Gaussian{Mu2: mu2}, Count: 1})
	}
	return out
}
