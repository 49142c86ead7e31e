// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"math/big"

	"dpverify/exact/convolve"
)

// groups are the sums of the numbers of cells of some steps, with bounds of their masses under
// the mean and under Q: entry i has the number first + i.
//
// Whatever is dropped is dropped from all four. With the same numbering of the cells in two halves,
// or in all steps, the mean over the steps that the record takes part in is as in the document of
// the package, whatever outcomes either half leaves out.
type groups struct {
	first                  int64
	pDown, pUp, qDown, qUp convolve.Vector
}

func (g groups) len() int { return g.pDown.Len() }

func (g groups) slice(lo, hi int) groups {
	return groups{g.first + int64(lo), g.pDown.Slice(lo, hi), g.pUp.Slice(lo, hi), g.qDown.Slice(lo, hi), g.qUp.Slice(lo, hi)}
}

func (g groups) coarsen() groups {
	half := func(v convolve.Vector, r convolve.Rounding) run { return run{g.first, v}.coarsen(r) }
	a, b := half(g.pDown, convolve.Down), half(g.pUp, convolve.Up)
	c, d := half(g.qDown, convolve.Down), half(g.qUp, convolve.Up)
	return groups{a.first, a.v, b.v, c.v, d.v}
}

// square returns twice as many steps: A_{2m} = A_m * B_m.
func (g groups) square(ctx context.Context) (groups, error) {
	return products(ctx, groups{first: 2 * g.first},
		product{g.pDown, g.qDown, convolve.Down}, product{g.pUp, g.qUp, convolve.Up},
		product{g.qDown, g.qDown, convolve.Down}, product{g.qUp, g.qUp, convolve.Up})
}

// plusOne returns m + 1 steps: A_{m+1} = (m·A_m * B_1 + B_m * A_1)/(m + 1).
func (g groups) plusOne(ctx context.Context, m int64, one groups) (groups, error) {
	x, err := products(ctx, groups{first: g.first + one.first},
		product{g.pDown, one.qDown, convolve.Down}, product{g.pUp, one.qUp, convolve.Up},
		product{g.qDown, one.qDown, convolve.Down}, product{g.qUp, one.qUp, convolve.Up})
	if err != nil {
		return x, err
	}
	last, err := products(ctx, groups{},
		product{g.qDown, one.pDown, convolve.Down}, product{g.qUp, one.pUp, convolve.Up}, product{}, product{})
	if err != nil {
		return x, err
	}
	weight, total := big.NewInt(m), big.NewInt(m+1)
	a, b := new(big.Int), new(big.Int)
	mean := func(v, u convolve.Vector, up int64) {
		for i := range v.Len() {
			v.Load(a, i)
			a.Mul(a, weight)
			a.Add(a, u.Load(b, i))
			if a.Sign() > 0 {
				v.Set(i, a.Quo(a.Add(a, b.SetInt64(up)), total))
			}
		}
	}
	mean(x.pDown, last.pDown, 0)
	mean(x.pUp, last.pUp, m)
	return x, nil
}

type product struct {
	a, b  convolve.Vector
	round convolve.Rounding
}

// products sets the vectors of g to products, those that are asked for.
func products(ctx context.Context, g groups, pDown, pUp, qDown, qUp product) (groups, error) {
	for _, x := range []struct {
		to *convolve.Vector
		of product
	}{{&g.pDown, pDown}, {&g.pUp, pUp}, {&g.qDown, qDown}, {&g.qUp, qUp}} {
		if x.of.a.Len() == 0 {
			continue
		}
		v, err := convolve.Window(ctx, x.of.a, x.of.b, 0, x.of.a.Len()+x.of.b.Len()-1, x.of.round)
		if err != nil {
			return g, err
		}
		*x.to = v
	}
	return g, nil
}
