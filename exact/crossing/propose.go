// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crossing

import (
	"math/big"

	"dpverify/exact/interval"
)

// middle is the middle of the bracket.
func (s *search) middle() *big.Rat {
	x := new(big.Rat).Add(s.lo, s.hi)
	return s.short(x.Mul(x, big.NewRat(1, 2)))
}

// short rounds a point down to a few bits more than the tolerance needs.
func (s *search) short(x *big.Rat) *big.Rat {
	t := s.tolerance()
	k := max(0, t.Denom().BitLen()-t.Num().BitLen()+16)
	n := new(big.Int).Lsh(x.Num(), uint(k))
	n.Div(n, x.Denom())
	return new(big.Rat).SetFrac(n, new(big.Int).Lsh(big.NewInt(1), uint(k)))
}

// interpolate proposes where log f is log level, if the inverse function were a polynomial
// through the last points.
func (s *search) interpolate() (*big.Rat, bool) {
	if len(s.recent) < 2 {
		return nil, false
	}
	// Lagrange: x = Σ x_i Π_{j≠i} g_j/(g_j − g_i).
	p := interval.Prec(s.Bits + 64)
	sum := interval.Int(0)
	for i, a := range s.recent {
		t := p.Rat(a.x)
		for j, b := range s.recent {
			if j == i {
				continue
			}
			d := p.Sub(b.g, a.g)
			if d.Positive() == d.Negative() {
				return nil, false
			}
			t = p.Mul(t, p.Div(b.g, d))
		}
		sum = p.Add(sum, t)
	}
	x, _, ok := p.Mid(sum).Rationals()
	if !ok {
		return nil, false
	}
	return s.short(x), true
}

// beside moves a proposal that is next to one end, or beyond it, off that end by about the
// tolerance, and by more each time that this happens again.
func (s *search) beside(x *big.Rat, shift int) (*big.Rat, int) {
	t := s.tolerance()
	quarter := new(big.Rat).Mul(t, big.NewRat(1, 4))
	off := t.Mul(t, new(big.Rat).Mul(big.NewRat(3, 4), interval.Pow2(2*shift)))
	switch {
	case new(big.Rat).Sub(x, s.lo).Cmp(quarter) < 0:
		return s.short(off.Add(s.lo, off)), shift + 1
	case new(big.Rat).Sub(s.hi, x).Cmp(quarter) < 0:
		return s.short(off.Sub(s.hi, off)), shift + 1
	}
	return x, 0
}

// off moves a proposal off the crossing, where more precision has its price: by less than half of
// the tolerance, or nearly as far as numbers are alike, down until lo is as near, and then up. It returns by how much.
func (s *search) off(x *big.Rat) (moved, by *big.Rat) {
	t := s.tolerance()
	down, up := new(big.Rat).Mul(t, big.NewRat(3, 8)), new(big.Rat).Mul(t, big.NewRat(3, 8))
	end := new(big.Rat).Sub(x, t.Mul(t, big.NewRat(1, 2)))
	// Next to an end of numbers that are alike, only the tolerance counts.
	if s.from != nil && s.from.Cmp(end) < 0 && new(big.Rat).Sub(s.to, x).Cmp(up) > 0 {
		end, down, up = s.from, s.inside(down, x, s.from), s.inside(up, x, s.to)
	}
	if s.lo.Cmp(end) <= 0 {
		return s.short(new(big.Rat).Sub(x, down)), down
	}
	return s.short(new(big.Rat).Add(x, up)), up
}
