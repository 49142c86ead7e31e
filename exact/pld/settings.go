// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// Settings say how fine a grid is. They affect width and cost, not soundness.
type Settings struct {
	Points int  // about how many points the final grid has
	Prec   uint // fraction bits of masses
	Cut    int  // tails of about 2^−Cut of P-mass in all may be cut off
	Limit  int  // largest length of a vector
	// Rare is for products with factors whose rare losses exceed the usual ones of the sum.
	Rare Rare
	// Bounds, if not nil, bounds the profile of a pair that has neither tails nor
	// outcomes from above. With such a factor there is no lower bound.
	Bounds func(pair.Pair) Bound
	// Leaves, if not nil, remembers factors cut into cells, for a grid of the
	// reversed product.
	Leaves *Leaves
	// Progress, if not nil, is told how much is done.
	Progress func(done, total int)
}

// A Bound is a profile from above, nil if there is none.
type Bound struct {
	Profile profile.Func
	// Values is how many values it is asked for at most, 0 for as many as a grid has points: each may be dear.
	Values int
}

// Rare says how a product is put on a grid whose small δ may come of rare losses.
type Rare struct {
	Fine int  // log2 of how much finer factors are cut: masses count against δ, not against 1
	Prec uint // fraction bits of masses, if more than usual
}
