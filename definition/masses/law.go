// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package masses has distributions on finitely many outcomes, with rational masses or enclosed ones, noise that is cut
// into such, and what definitions say of two of them: δ(ε), divergences, the errors of tests.
package masses

import (
	"math/big"

	"dpverify/exact/interval"
)

const (
	// FineBits is the resolution of masses that are enclosed.
	FineBits = 128
	// longBits is how long a denominator may be before masses are rounded outward.
	longBits = 320
	Working  = interval.Prec(FineBits + 32)
)

var (
	zero = new(big.Int)
	one  = big.NewInt(1)
	fine = new(big.Int).Lsh(one, FineBits)
)

// A Law is a distribution on the outcomes 0, 1, … of a mechanism. Each mass is in [lo/den, hi/den].
type Law struct {
	lo, hi []*big.Int // hi is nil where all masses are exact; outcomes beyond the ends have the mass 0
	den    *big.Int
}

// At returns the bounds of the mass of an outcome, over l.den: one pointer where it is exact.
func (l Law) At(i int) (lo, hi *big.Int) {
	switch {
	case i >= len(l.lo):
		return zero, zero
	case l.hi == nil:
		return l.lo[i], l.lo[i]
	}
	return l.lo[i], l.hi[i]
}

// Len returns how many outcomes may have a mass: none from there on.
func (l Law) Len() int { return len(l.lo) }

// Den returns the denominator of all masses.
func (l Law) Den() *big.Int { return l.den }

// Mass returns the bounds of the mass of an outcome.
func (l Law) Mass(i int) (lo, hi *big.Rat) {
	a, b := l.At(i)
	return new(big.Rat).SetFrac(a, l.den), new(big.Rat).SetFrac(b, l.den)
}

// Certain is the law of one outcome.
func Certain(i int) Law {
	masses := make([]*big.Int, i+1)
	for k := range masses {
		masses[k] = zero
	}
	masses[i] = one
	return Law{lo: masses, den: one}
}

// Exactly is the law of given masses, which sum to 1.
func Exactly(masses []*big.Rat) Law {
	den := one
	for _, m := range masses {
		den = lcm(den, m.Denom())
	}
	l := Law{lo: make([]*big.Int, len(masses)), den: den}
	for i, m := range masses {
		l.lo[i] = new(big.Int).Mul(m.Num(), new(big.Int).Quo(den, m.Denom()))
	}
	return l
}

// Enclosed is the law of masses that intervals contain.
func Enclosed(masses []interval.Interval) Law {
	l := Law{make([]*big.Int, len(masses)), make([]*big.Int, len(masses)), fine}
	for i, m := range masses {
		l.lo[i], l.hi[i] = interval.FloorScaled(m, FineBits), interval.CeilScaled(m, FineBits)
	}
	return l
}

func lcm(a, b *big.Int) *big.Int {
	if a.Cmp(b) == 0 {
		return a
	}
	g := new(big.Int).GCD(nil, nil, a, b)
	return g.Mul(a, new(big.Int).Quo(b, g))
}

// A Sum adds up masses.
type Sum struct{ total Law }

// Put adds a mass in [lo/den, hi/den] to that of an outcome. lo and hi are one pointer where it is exact.
func (s *Sum) Put(i int, lo, hi, den *big.Int) {
	if s.total.den == nil {
		s.total.den = den
	}
	if s.total.den != den && s.total.den.Cmp(den) != 0 {
		common := lcm(s.total.den, den)
		factor := new(big.Int).Quo(common, s.total.den)
		if s.total.den = common; factor.Cmp(one) != 0 {
			for k := range s.total.lo {
				s.total.lo[k].Mul(s.total.lo[k], factor)
				if s.total.hi != nil {
					s.total.hi[k].Mul(s.total.hi[k], factor)
				}
			}
		}
		factor.Quo(common, den)
		exact := lo == hi
		if lo = new(big.Int).Mul(lo, factor); exact {
			hi = lo
		} else {
			hi = new(big.Int).Mul(hi, factor)
		}
	}
	if s.total.hi == nil && lo != hi {
		s.total.hi = make([]*big.Int, len(s.total.lo))
		for k, x := range s.total.lo {
			s.total.hi[k] = new(big.Int).Set(x)
		}
	}
	for len(s.total.lo) <= i {
		s.total.lo = append(s.total.lo, new(big.Int))
		if s.total.hi != nil {
			s.total.hi = append(s.total.hi, new(big.Int))
		}
	}
	s.total.lo[i].Add(s.total.lo[i], lo)
	if s.total.hi != nil {
		s.total.hi[i].Add(s.total.hi[i], hi)
	}
}

// Add adds l, times the mass of outcome i of w. The outcome k of l is place(k) of the sum.
func (s *Sum) Add(w Law, i int, l Law, place func(int) int) {
	wlo, whi := w.At(i)
	s.scaled(wlo, whi, w.den, l, place)
}

// Share adds l with a probability.
func (s *Sum) Share(chance *big.Rat, l Law, place func(int) int) {
	s.scaled(chance.Num(), chance.Num(), chance.Denom(), l, place)
}

func (s *Sum) scaled(wlo, whi, wden *big.Int, l Law, place func(int) int) {
	den := new(big.Int).Mul(wden, l.den)
	for i := range l.lo {
		lo, hi := l.At(i)
		if hi.Sign() == 0 {
			continue
		}
		x := new(big.Int).Mul(wlo, lo)
		y := x
		if lo != hi || wlo != whi {
			y = new(big.Int).Mul(whi, hi)
		}
		s.Put(place(i), x, y, den)
	}
}

// Placed gives outcomes other numbers.
func (l Law) Placed(place func(int) int) Law {
	var s Sum
	s.scaled(one, one, one, l, place)
	return s.Law()
}

// Law returns the sum, rounded outward where its masses have become long.
func (s *Sum) Law() Law {
	if s.total.den == nil {
		s.total.den = one
	}
	if s.total.den.BitLen() <= longBits {
		return s.total
	}
	l := Law{make([]*big.Int, len(s.total.lo)), make([]*big.Int, len(s.total.lo)), fine}
	rest := new(big.Int)
	for i := range s.total.lo {
		lo, hi := s.total.At(i)
		l.lo[i] = new(big.Int).Lsh(lo, FineBits)
		l.lo[i].Quo(l.lo[i], s.total.den)
		l.hi[i] = new(big.Int).Lsh(hi, FineBits)
		if l.hi[i].QuoRem(l.hi[i], s.total.den, rest); rest.Sign() > 0 {
			l.hi[i].Add(l.hi[i], one)
		}
	}
	return l
}
