// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"math/big"
	"math/bits"

	"dpverify/exact/fraction"
	"dpverify/exact/interval"
)

// A frac is a fraction, in ulps of 2^−192.
type frac = fraction.Frac

// A Real encloses the numbers x with |x − s·m·2^exp| ≤ err·2^(exp−192), for a sign s
// and a mantissa m. m ≥ 1/2, unless err would be longer than longest then. The zero value is the
// point 0.
//
// It is four words, which Go keeps in registers.
type Real struct {
	m frac
	// tail is the sign, 31 bits of exp, 6 bits j and 26 bits c of err = c·2^j.
	tail uint64
}

const (
	signBit = 1 << 63
	expMask = 1<<31 - 1
	errBits = 26        // of c
	longest = 1 << 61   // error before it is rounded up to c·2^j
	maxErr  = 1<<62 - 1 // bounds errors; Unknown has a larger one
	maxExp  = 1 << 28   // bounds exponents: sums of a few do not overflow on any machine
)

// makeReal returns s·m·2^exp with an error of at least err ≤ longest.
func makeReal(neg bool, m frac, err uint64, exp int) Real {
	t := uint64(exp) & expMask << 32
	if neg {
		t |= signBit
	}
	if err>>errBits != 0 {
		j := uint(bits.Len64(err)) - errBits + 1 // c = ⌊err·2^−j⌋ + 1 ≤ 2^25
		err = err>>j + 1 | uint64(j)<<errBits
	}
	return Real{m, t | err}
}

func (x Real) neg() bool   { return x.tail>>63 != 0 }
func (x Real) exp() int    { return int(int64(x.tail<<1) >> 33) }
func (x Real) err() uint64 { return x.tail & (1<<errBits - 1) << (x.tail >> errBits & 63) }

// isZero reports that x is the point 0.
func (x Real) isZero() bool { return x.m.IsZero() && x.err() == 0 }

// Unknown encloses everything.
func Unknown() Real { return Real{tail: 1<<32 - 1} } // c·2^63 is 2^63 for an odd c

// Known reports whether x encloses less than everything.
func (x Real) Known() bool { return x.err() <= maxErr }

// Three is the arithmetic of three words. Its methods have the names of the methods of
// interval.Prec, so that one formula serves both.
type Three struct{}

// pack returns the enclosure of s·m·2^exp with an error of err ulps of m.
func pack(neg bool, m frac, err uint64, exp int) Real {
	if m.Hi>>63 == 0 || err > longest || uint(exp+maxExp) > 2*maxExp {
		return normalise(neg, m, err, exp)
	}
	return makeReal(neg, m, err, exp)
}

// normalise is pack.
//
// A shift to the left is exact. One to the right by s ≥ 1 leaves out less than an ulp of the
// result, and err·2^−s < ⌊err·2^−s⌋ + 1.
func normalise(neg bool, m frac, err uint64, exp int) Real {
	if err > 2*maxErr {
		return Unknown()
	} else if err > longest {
		s := uint(bits.Len64(err) - 60) // leaves err < 2^60
		m, err, exp = m.Shr(s), err>>s+2, exp+int(s)
	} else if m.Hi>>63 == 0 {
		s := m.LeadingZeros()
		if err != 0 {
			s = min(s, uint(max(bits.LeadingZeros64(err)-3, 0))) // leaves err < 2^61
		} else if s == 192 {
			return Real{}
		}
		m, err, exp = m.Shl(s), err<<s, exp-int(s)
	}
	if uint(exp+maxExp) > 2*maxExp {
		return Unknown()
	}
	return makeReal(neg, m, err, exp)
}

// fromFixed returns ±(n + f) with an error of err ulps.
func fromFixed(neg bool, n uint64, f frac, err uint64) Real {
	if n == 0 {
		return pack(neg, f, err, 0)
	}
	s := uint(bits.Len64(n))
	m := f.Shr(s)
	m.Hi |= n << (64 - s)
	return pack(neg, m, err>>s+2, int(s))
}

// Int returns the point n.
func Int(n int64) Real {
	u := uint64(n)
	if n < 0 {
		u = -u
	}
	return pack(n < 0, frac{Hi: u}, 0, 64)
}

// fromFloat encloses a finite number, by its 192 leading bits.
func fromFloat(f *big.Float) Real {
	if f.Sign() == 0 {
		return Real{}
	}
	m := new(big.Float)
	exp := f.MantExp(m)
	n, acc := m.Abs(m).SetMantExp(m, 192).Int(nil) // truncates
	err := uint64(0)
	if acc != big.Exact {
		err = 1
	}
	return pack(f.Sign() < 0, fraction.Of(n), err, exp)
}

// widen returns an enclosure of all x + t, |t| ≤ |r|.
func (Three) widen(x, r Real) Real {
	if !x.Known() || !r.Known() {
		return Unknown()
	}
	// |r| ≤ b·2^exp < 2^(exp − z) is less than 2^61 ulps of a number with an exponent greater by 131.
	b, exp := r.magnitude()
	if b.IsZero() {
		return x
	}
	m, err, to := x.m, x.err(), x.exp()
	if s := exp - int(b.LeadingZeros()) + 131 - to; s > 0 || x.isZero() {
		m, err, to = m.Shr(uint(max(s, 0))), err>>min(uint(max(s, 0)), 63)+2, to+s
	}
	if d := exp - to; d >= 0 {
		err += b.Shl(uint(d)).Lo
	} else {
		err += b.Shr(uint(-d)).Lo + 1
	}
	return pack(x.neg(), m, err, to)
}

// magnitude returns b and an exponent with |x| ≤ b·2^exp.
func (x Real) magnitude() (b frac, exp int) {
	b, carry := fraction.AddCarry(x.m, frac{Lo: x.err()})
	if carry != 0 {
		b = b.Shr(1)
		b.Hi |= 1 << 63
		return fraction.Add(b, frac{Lo: 1}), x.exp() + 1 // b < 1/2 + 2^−129
	}
	return b, x.exp()
}

// Good reports whether the error is at most 2^−bits times the mantissa.
func (x Real) Good(bits uint) bool {
	f := x.m.Shr(bits)
	return x.Known() && (f.Hi|f.Mi != 0 || f.Lo >= x.err())
}

// Interval returns the enclosure as an interval, exactly.
func (x Real) Interval() interval.Interval {
	if !x.Known() {
		return interval.Entire()
	}
	e := frac{Lo: x.err()}
	d, borrow := fraction.SubBorrow(x.m, e)
	s, carry := fraction.AddCarry(x.m, e)
	lo, hi := x.float(d, 0), x.float(s, carry)
	if borrow != 0 {
		lo = x.float(fraction.Sub(frac{}, d), 0)
		lo.Neg(lo)
	}
	if x.neg() {
		lo, hi = hi.Neg(hi), lo.Neg(lo)
	}
	return interval.Bounds(lo, hi)
}

// float returns (n + f)·2^exp, exactly.
func (x Real) float(f frac, n uint64) *big.Float {
	var words [256 / bits.UintSize]big.Word
	for i, w := range [4]uint64{f.Lo, f.Mi, f.Hi, n} {
		for j := range 64 / bits.UintSize {
			words[i*64/bits.UintSize+j] = big.Word(w >> (j * bits.UintSize))
		}
	}
	y := new(big.Float).SetPrec(256).SetInt(new(big.Int).SetBits(words[:]))
	return y.SetMantExp(y, x.exp()-192)
}

// Neg returns −x.
func (x Real) Neg() Real {
	x.tail ^= signBit
	return x
}

// lower returns m − err and whether that is positive.
func (x Real) lower() (frac, bool) {
	if !x.Known() {
		return frac{}, false
	}
	d, b := fraction.SubBorrow(x.m, frac{Lo: x.err()})
	return d, b == 0 && !d.IsZero()
}

// Positive answers x > 0.
func (x Real) Positive() interval.Truth {
	if _, ok := x.lower(); ok {
		if x.neg() {
			return interval.False
		}
		return interval.True
	}
	if x.Known() && (x.isZero() || x.neg() && fraction.Sub(x.m, frac{Lo: x.err()}).IsZero()) {
		return interval.False // zero, or at most zero
	}
	return interval.Unknown
}

// Negative answers x < 0.
func (x Real) Negative() interval.Truth { return x.Neg().Positive() }
