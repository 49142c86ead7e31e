// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crossing

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
)

// walk finds the decided point next to the open point x on the side of the sign, up to a
// sixteenth of the step from the last open point to it: from a distance h it goes on while
// points are open, or comes back while they are decided, by factors of 4, and then halves
// what is in between. The end of the range is decided.
func (s *search) walk(ctx context.Context, x, h *big.Rat, sign int64) error {
	far := new(big.Rat).Sub(s.hi, x)
	if sign < 0 {
		far = new(big.Rat).Sub(x, s.lo)
	}
	near := new(big.Rat)
	try := func(h *big.Rat) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		z := new(big.Rat).Add(x, new(big.Rat).Mul(h, big.NewRat(sign, 1)))
		at, _, err := s.at(ctx, s.Full, s.short(z))
		if at == open {
			near = h
		} else {
			far = h
		}
		return err
	}
	four, quarter, half := big.NewRat(4, 1), big.NewRat(1, 4), big.NewRat(1, 2)
	if h.Cmp(far) >= 0 {
		h = new(big.Rat).Mul(far, quarter)
	}
	for h.Cmp(near) > 0 && h.Cmp(far) < 0 {
		if err := try(h); err != nil {
			return err
		}
		switch {
		case near == h:
			h = new(big.Rat).Mul(h, four)
		case h.Cmp(s.tolerance()) <= 0:
			return nil
		default:
			h = new(big.Rat).Mul(h, quarter)
		}
	}
	for range 4 {
		h := new(big.Rat).Add(near, far)
		h.Mul(h, half)
		if new(big.Rat).Sub(far, near).Cmp(s.tolerance()) <= 0 {
			break
		}
		if err := try(h); err != nil {
			return err
		}
	}
	return nil
}

// openWidth estimates the width of the zone of x in which the enclosure of f contains the level:
// the enclosure's width over the slope between lo and hi.
func (s *search) openWidth(gap *big.Rat, y interval.Interval) *big.Rat {
	const p = interval.Prec(64)
	rise := p.Mid(p.Sub(s.flo, s.fhi))
	width := p.Sub(interval.Point(y.Hi()), interval.Point(y.Lo()))
	w, _, ok := p.Mid(p.Mul(p.Rat(gap), p.Div(width, rise))).Rationals()
	least := new(big.Rat).Mul(gap, interval.Pow2(-s.Bits-8))
	if !ok || w.Cmp(least) < 0 {
		return least
	}
	return w
}
