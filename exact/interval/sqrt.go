// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import "math/big"

// Sqrt returns an enclosure of √x. A negative part of x is outside the domain
// and is ignored; for x < 0 the result is [−∞, +∞].
//
// Rounding: integer square roots, so exact squares give points.
func (p Prec) Sqrt(x Interval) Interval {
	p.check()
	if x.h().Sign() < 0 {
		return Entire()
	}
	lo := zeroFloat
	if x.l().Sign() > 0 {
		lo = p.sqrtDown(x.l())
	}
	return Interval{lo, p.sqrtUp(x.h())}
}

// sqrtDown returns a lower bound of √f, f > 0.
func (p Prec) sqrtDown(f *big.Float) *big.Float {
	if f.IsInf() {
		return up.largest() // only a bound from below of an unbounded set
	}
	s, k, _ := p.isqrt(f)
	return p.fixed(down, s, -k)
}

// sqrtUp returns an upper bound of √f, f ≥ 0.
func (p Prec) sqrtUp(f *big.Float) *big.Float {
	if f.IsInf() || f.Sign() == 0 {
		return f
	}
	s, k, exact := p.isqrt(f)
	if !exact {
		s.Add(s, oneInt)
	}
	return p.fixed(up, s, -k)
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
	s = new(big.Int).Sqrt(m)
	return s, (e - shift) / 2, new(big.Int).Mul(s, s).Cmp(m) == 0
}

// mantissa returns integers m and e with f = m·2^e, exactly, for a finite f.
func mantissa(f *big.Float) (m *big.Int, e int) {
	if f.Sign() == 0 {
		return new(big.Int), 0
	}
	n := int(f.MinPrec())
	exp := f.MantExp(nil)
	g := new(big.Float).SetMantExp(f, n-exp) // integral, |g| < 2^n
	m, _ = g.Int(nil)
	return m, exp - n
}
