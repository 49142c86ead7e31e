// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

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
