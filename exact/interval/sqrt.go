// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"
	"math/bits"
)

// Sqrt returns an enclosure of √x. A negative part of x is outside the domain
// and is ignored; for x < 0 the result is [−∞, +∞].
//
// Rounding: integer square roots, so exact squares give points.
func (p Prec) Sqrt(x Interval) Interval {
	p.check()
	if x.h().Sign() < 0 {
		return Entire()
	}
	if x.l().Sign() < 0 {
		x = Interval{zeroFloat, x.h()}
	}
	lo := p.sqrtPoint(x.l())
	if x.IsPoint() {
		return lo
	}
	return Interval{lo.lo, p.sqrtPoint(x.h()).hi}
}

// sqrtPoint encloses √f for one f ≥ 0.
func (p Prec) sqrtPoint(f *big.Float) Interval {
	switch {
	case f.Sign() == 0:
		return Interval{}
	case f.IsInf():
		return Interval{up.largest(), f} // only a bound from below of an unbounded set
	}
	s, k, exact := p.isqrt(f)
	lo := p.fixed(down, s, -k)
	if !exact {
		s.Add(s, oneInt)
	}
	return Interval{lo, p.fixed(up, s, -k)}
}

var oneInt = big.NewInt(1)

// isqrt returns s and k with s·2^k ≤ √f < (s+1)·2^k, s of at least p+1 bits,
// and whether s·2^k = √f. It writes f = m·2^(2k) with an integer m of at least
// 2p + 2 bits; ⌊√m⌋ then has at least p + 1 bits.
func (p Prec) isqrt(f *big.Float) (s *big.Int, k int, exact bool) {
	m, e := mantissa(f)
	shift := max(0, 2*int(p)+3-m.BitLen())
	if (e-shift)&1 != 0 {
		shift++
	}
	m.Lsh(m, uint(shift))
	s, exact = floorSqrt(m)
	return s, (e - shift) / 2, exact
}

// floorSqrt returns ⌊√m⌋ for m > 0, and whether it is √m.
//
// Newton's iteration s ↦ ⌊(s + ⌊m/s⌋)/2⌋ falls from any s ≥ √m to ⌊√m⌋, and not below, as (s + m/s)/2 ≥ √m. It begins
// with the root of the leading bits t = ⌊m/2^(2k)⌋: (⌊√t⌋ + 1)² ≥ t + 1 > m/2^(2k).
func floorSqrt(m *big.Int) (s *big.Int, exact bool) {
	k := uint(max(0, m.BitLen()-61) / 2)
	t, u := new(big.Int), new(big.Int)
	s = new(big.Int).SetUint64(wordSqrt(t.Rsh(m, 2*k).Uint64()) + 1)
	s.Lsh(s, k)
	for {
		t.Quo(m, s)
		t.Add(t, s)
		if t.Rsh(t, 1).Cmp(s) >= 0 {
			return s, u.Mul(s, s).Cmp(m) == 0
		}
		s, t = t, s
	}
}

// wordSqrt returns ⌊√t⌋ for 0 < t < 2^62, in the same way.
func wordSqrt(t uint64) uint64 {
	s := uint64(1) << ((bits.Len64(t) + 1) / 2)
	for {
		y := (s + t/s) / 2
		if y >= s {
			return s
		}
		s = y
	}
}

// mantissa returns integers m and e with f = m·2^e, exactly, for a finite f.
func mantissa(f *big.Float) (m *big.Int, e int) {
	if f.Sign() == 0 {
		return new(big.Int), 0
	}
	n := int(f.MinPrec())
	exp := f.MantExp(nil)
	var g big.Float
	m, _ = g.SetMantExp(f, n-exp).Int(nil) // integral, |m| < 2^n
	return m, exp - n
}
