// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crossing

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
)

// narrow moves lo and hi towards each other until they agree in the wanted leading bits or the
// enclosures of f do not tell any more.
//
// Points come from inverse interpolation of log f through the last three; where that does not
// shrink log f − log level by much, or for some steps not the gap between lo and hi, the middle
// is taken: log f of an f near 1 is flat on one side and steep on the other, and the points then
// creep along from both ends. Once a proposal comes next to one end, points are tried a little
// further on, so that the other end follows. Where the answer is open, the open zone is walked
// out from the point in steps that grow from the size that the enclosure's width suggests.
func (s *search) narrow(ctx context.Context) error {
	if !s.bracketed() {
		return nil
	}
	const maxSteps = 400
	s.recent = s.recent[:min(len(s.recent), 2)]
	slow, shift := 0, 0
	cheap := 2                  // how many points may still be left open, where numbers are alike
	wide, stalled := s.gap(), 0 // the last gap that was half of the one before, and the steps since
	for range maxSteps {
		x, ok := s.interpolate()
		if ok {
			s.alike(x)
		}
		if s.gap().Cmp(s.tolerance()) <= 0 || s.from != nil && s.from.Cmp(s.lo) < 0 && s.hi.Cmp(s.to) < 0 { // alike
			break
		}
		if gap := s.gap(); new(big.Rat).Add(gap, gap).Cmp(wide) <= 0 {
			wide, stalled = gap, 0
		}
		stalled++
		by := s.tolerance()
		switch {
		case !ok || slow >= 3 || stalled > 6:
			x, slow, stalled = s.middle(), 0, 0
		case s.Near != nil:
			x, by = s.off(x)
		default:
			x, shift = s.beside(x, shift)
		}
		if x.Cmp(s.lo) <= 0 || x.Cmp(s.hi) >= 0 {
			x = s.middle()
		}
		was, most := s.residue(), s.Full
		if s.Near != nil && s.from != nil && cheap > 0 {
			most = s.few()
		}
		at, y, err := s.look(ctx, s.precision(x, by), most, x)
		if err != nil {
			return err
		}
		if at == open && most < s.Full {
			cheap-- // the next proposal knows more
			continue
		}
		if at == open {
			h := s.openWidth(s.gap(), y)
			for _, sign := range []int64{-1, 1} {
				if err := s.walk(ctx, x, h, sign); err != nil {
					return err
				}
			}
			break
		}
		if is := s.residue(); interval.Prec(64).Scale(is, 2).Less(was) == interval.True {
			slow = 0
		} else {
			slow++
		}
	}
	return nil
}

// residue is |log f − log level| at the last point.
func (s *search) residue() interval.Interval {
	if len(s.recent) == 0 {
		return interval.Int(1)
	}
	return s.recent[0].g.Abs()
}

// precision is one by which the next point is nearer than the last step was long, to the power of 3½: what f(x) is off
// by moves that point as much, and points next to a simple crossing are nearer by a power of 1.84 each. Where that is
// most of the wanted bits, it is all of them. Where each precision has a price of its own, it tells points apart which
// are so far apart.
func (s *search) precision(x, by *big.Rat) interval.Prec {
	if s.Near != nil {
		return s.telling(by)
	}
	if len(s.recent) == 0 || x.Sign() == 0 {
		return s.Coarse()
	}
	d := new(big.Rat).Sub(x, s.recent[0].x)
	if d.Sign() == 0 {
		return interval.Prec(s.Bits + 64)
	}
	d.Quo(x, d)
	bits := 7 * max(0, d.Num().BitLen()-d.Denom().BitLen()) / 2
	const most, spare = 4, 64
	if bits > s.Bits-s.Bits/most {
		bits = s.Bits + spare
	}
	return max(s.Coarse(), interval.Prec(bits))
}

// telling is the precision that tells points apart which are so far apart, by the slope through the last two:
// where f hardly falls over a crossing near 0, more bits than are wanted of that.
func (s *search) telling(apart *big.Rat) interval.Prec {
	least := s.Coarse()
	if len(s.recent) < 2 {
		return least
	}
	const p = interval.Prec(64)
	a, b := s.recent[0], s.recent[1]
	slope := p.Div(p.Sub(a.g, b.g).Abs(), p.Rat(new(big.Rat).Sub(a.x, b.x)).Abs())
	fall := p.Mul(slope, p.Rat(apart))
	if fall.Positive() != interval.True || !fall.IsFinite() {
		return least
	}
	if bits := interval.Prec(max(1-fall.Hi().MantExp(nil), 0)); bits > least {
		return min(bits+2, s.Full)
	}
	return least
}
