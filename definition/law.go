// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"math/big"

	"dpverify/exact/interval"
)

const (
	// fineBits is the resolution of masses that are enclosed.
	fineBits = 128
	// longBits is how long a denominator may be before masses are rounded outward.
	longBits = 320
	working  = interval.Prec(fineBits + 32)
)

var (
	zero = new(big.Int)
	one  = big.NewInt(1)
	fine = new(big.Int).Lsh(one, fineBits)
)

// A Law is a distribution on the outcomes 0, 1, … of a mechanism. Each mass is in [lo/den, hi/den].
type Law struct {
	lo, hi []*big.Int // hi is nil where all masses are exact; outcomes beyond the ends have the mass 0
	den    *big.Int
}

// at returns the bounds of the mass of an outcome, over l.den: one pointer where it is exact.
func (l Law) at(i int) (lo, hi *big.Int) {
	switch {
	case i >= len(l.lo):
		return zero, zero
	case l.hi == nil:
		return l.lo[i], l.lo[i]
	}
	return l.lo[i], l.hi[i]
}

// Mass returns the bounds of the mass of an outcome.
func (l Law) Mass(i int) (lo, hi *big.Rat) {
	a, b := l.at(i)
	return new(big.Rat).SetFrac(a, l.den), new(big.Rat).SetFrac(b, l.den)
}

// certain is the law of one outcome.
func certain(i int) Law {
	masses := make([]*big.Int, i+1)
	for k := range masses {
		masses[k] = zero
	}
	masses[i] = one
	return Law{lo: masses, den: one}
}

// exactly is the law of given masses, which sum to 1.
func exactly(masses []*big.Rat) Law {
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

// enclosed is the law of masses that intervals contain.
func enclosed(masses []interval.Interval) Law {
	l := Law{make([]*big.Int, len(masses)), make([]*big.Int, len(masses)), fine}
	for i, m := range masses {
		l.lo[i], l.hi[i] = interval.FloorScaled(m, fineBits), interval.CeilScaled(m, fineBits)
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

// A sum adds up masses.
type sum struct{ Law }

// put adds a mass in [lo/den, hi/den] to that of an outcome. lo and hi are one pointer where it is exact.
func (s *sum) put(i int, lo, hi, den *big.Int) {
	if s.den == nil {
		s.den = den
	}
	if s.den != den && s.den.Cmp(den) != 0 {
		common := lcm(s.den, den)
		factor := new(big.Int).Quo(common, s.den)
		if s.den = common; factor.Cmp(one) != 0 {
			for k := range s.lo {
				s.lo[k].Mul(s.lo[k], factor)
				if s.hi != nil {
					s.hi[k].Mul(s.hi[k], factor)
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
	if s.hi == nil && lo != hi {
		s.hi = make([]*big.Int, len(s.lo))
		for k, x := range s.lo {
			s.hi[k] = new(big.Int).Set(x)
		}
	}
	for len(s.lo) <= i {
		s.lo = append(s.lo, new(big.Int))
		if s.hi != nil {
			s.hi = append(s.hi, new(big.Int))
		}
	}
	s.lo[i].Add(s.lo[i], lo)
	if s.hi != nil {
		s.hi[i].Add(s.hi[i], hi)
	}
}

// add adds w·l, w in [wlo/wden, whi/wden]. The outcome i of l is place(i) of the sum.
func (s *sum) add(wlo, whi, wden *big.Int, l Law, place func(int) int) {
	den := new(big.Int).Mul(wden, l.den)
	for i := range l.lo {
		lo, hi := l.at(i)
		if hi.Sign() == 0 {
			continue
		}
		x := new(big.Int).Mul(wlo, lo)
		y := x
		if lo != hi || wlo != whi {
			y = new(big.Int).Mul(whi, hi)
		}
		s.put(place(i), x, y, den)
	}
}

// law returns the sum, rounded outward where its masses have become long.
func (s *sum) law() Law {
	if s.den == nil {
		s.den = one
	}
	if s.den.BitLen() <= longBits {
		return s.Law
	}
	l := Law{make([]*big.Int, len(s.lo)), make([]*big.Int, len(s.lo)), fine}
	rest := new(big.Int)
	for i := range s.lo {
		lo, hi := s.at(i)
		l.lo[i] = new(big.Int).Lsh(lo, fineBits)
		l.lo[i].Quo(l.lo[i], s.den)
		l.hi[i] = new(big.Int).Lsh(hi, fineBits)
		if l.hi[i].QuoRem(l.hi[i], s.den, rest); rest.Sign() > 0 {
			l.hi[i].Add(l.hi[i], one)
		}
	}
	return l
}
