// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/mechanism/argument"
)

// farBits is how many bits a quick bound of δ must be below a number for nothing more to be worth knowing.
const farBits = 32

// FarBelow bounds δ(eps) from above at little cost, where that is far below delta: the answer is an enclosure that
// begins at 0. It reports false if the bounds that cost little do not show it; Delta is to be asked then. A tiny δ
// takes as much precision as it has digits, of which a claim far from the truth needs none.
//
// The answer is at most the greatest of the profiles of all upper bounds, and each of these is at most what its
// shortcut says.
func (p *Profile) FarBelow(eps, delta *big.Rat) (Result, bool) {
	r := p.result()
	if argument.Number("epsilon", eps, nil, nil) != nil || delta == nil || delta.Sign() <= 0 {
		return r, false
	}
	far := new(big.Rat).Mul(delta, big.NewRat(1, 1<<farBits))
	upper, known := interval.Int(0), false
	for _, b := range p.bounds {
		if !b.Upper {
			continue
		}
		if b.Sol.Short.Above == nil {
			return r, false
		}
		y := b.Sol.Short.Above(interval.RealRat(eps))
		if y.LessEqRat(far) != interval.True {
			return r, false
		}
		upper, known = interval.Max(upper, y), true
	}
	if !known {
		return r, false
	}
	r.Interval = interval.Union(interval.Int(0), upper)
	return r, true
}

// Near returns a number near ε(delta), which bounds nothing: what a caller chooses by before it asks for a proof. It
// reports false if there is an orientation without one. The relative error is some 2^−16 where losses are of a usual
// size; nothing is promised.
func (p *Profile) Near(ctx context.Context, delta *big.Rat) (eps *big.Rat, ok bool) {
	if delta == nil || delta.Sign() <= 0 {
		return nil, false
	}
	for _, b := range p.bounds {
		if !b.Upper {
			continue
		}
		if b.Sol.Short.Near == nil {
			return nil, false
		}
		x, known := b.Sol.Short.Near(ctx, delta)
		if !known {
			return nil, false
		}
		if eps == nil || x.Cmp(eps) > 0 {
			eps = x
		}
	}
	return eps, eps != nil
}
