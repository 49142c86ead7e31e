// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import "math/big"

// The primitives of this file compute one endpoint each. Down means a result
// ≤ the exact value, Up a result ≥ it; both have at most p bits and an exponent
// in range. big.Float honours directed modes in Add, Sub, Mul, Quo, Set and
// SetRat; nothing else of it is used for a bound.

// A direction of rounding is the sign of what may be added.
type direction int

const (
	down direction = -1
	up   direction = +1
)

// newDown returns a zero that rounds towards −∞ at precision p.
func (p Prec) newDown() *big.Float {
	return new(big.Float).SetPrec(uint(p)).SetMode(big.ToNegativeInf)
}

// newUp returns a zero that rounds towards +∞ at precision p.
func (p Prec) newUp() *big.Float {
	return new(big.Float).SetPrec(uint(p)).SetMode(big.ToPositiveInf)
}

// pow2 returns 2^k, exactly.
func pow2(k int) *big.Float {
	return new(big.Float).SetMantExp(oneFloat, k)
}

var (
	oneFloat = new(big.Float).SetInt64(1)
	minusOne = new(big.Float).SetInt64(-1)
)

// largest is the largest finite endpoint, (1/2)·2^MaxExp: a single bit suffices.
func largest(negative bool) *big.Float {
	f := pow2(MaxExp - 1)
	if negative {
		f.Neg(f)
	}
	return f
}

// smallest is the smallest positive endpoint, (1/2)·2^−MaxExp, or its negative.
func smallest(negative bool) *big.Float {
	f := pow2(-MaxExp - 1)
	if negative {
		f.Neg(f)
	}
	return f
}

// clipDown brings z, an exact value or a lower bound of one, into range from
// below. It may reuse z.
func clipDown(z *big.Float) *big.Float {
	if z.Sign() == 0 || z.IsInf() {
		return z
	}
	switch e := z.MantExp(nil); {
	case e > MaxExp:
		if z.Sign() > 0 {
			return largest(false)
		}
		return new(big.Float).SetInf(true)
	case e < -MaxExp:
		if z.Sign() > 0 {
			return new(big.Float)
		}
		return smallest(true)
	}
	return z
}

// clipUp is clipDown from above.
func clipUp(z *big.Float) *big.Float {
	if z.Sign() == 0 || z.IsInf() {
		return z
	}
	switch e := z.MantExp(nil); {
	case e > MaxExp:
		if z.Sign() < 0 {
			return largest(true)
		}
		return new(big.Float).SetInf(false)
	case e < -MaxExp:
		if z.Sign() < 0 {
			return new(big.Float)
		}
		return smallest(false)
	}
	return z
}

// shrink prepares the sum x + y. big.Float aligns the binary points of the
// operands, so 1 + 2^(−10^8) would allocate 12 MB. When the operand of smaller
// magnitude lies wholly below the last bit of the larger one's mantissa and
// below the rounding position, shrink replaces it:
//
//	up:   a positive one by a larger number, a negative one by 0;
//	down: a negative one by a larger-magnitude negative number, a positive one by 0.
//
// Either way the replaced operand moves in the rounding direction only, and the
// sum changes by less than a quarter of the last place of a p-bit result.
func (p Prec) shrink(x, y *big.Float, to direction) (*big.Float, *big.Float) {
	if x.Sign() == 0 || y.Sign() == 0 || x.IsInf() || y.IsInf() {
		return x, y
	}
	ex, ey := x.MantExp(nil), y.MantExp(nil)
	if ex < ey {
		y, x = p.shrink(y, x, to)
		return x, y
	}
	span := max(int(p), int(x.Prec())) + 3
	if ex-ey <= span {
		return x, y
	}
	if y.Sign() != int(to) {
		return x, zeroFloat
	}
	t := pow2(ex - span) // |y| < 2^ey < 2^(ex−span)
	if to == down {
		t.Neg(t)
	}
	return x, t
}

func (p Prec) addDown(x, y *big.Float) *big.Float {
	if x.IsInf() || y.IsInf() {
		if (x.IsInf() && x.Sign() < 0) || (y.IsInf() && y.Sign() < 0) {
			return new(big.Float).SetInf(true)
		}
		return new(big.Float).SetInf(false)
	}
	x, y = p.shrink(x, y, down)
	return clipDown(p.newDown().Add(x, y))
}

func (p Prec) addUp(x, y *big.Float) *big.Float {
	if x.IsInf() || y.IsInf() {
		if (x.IsInf() && x.Sign() > 0) || (y.IsInf() && y.Sign() > 0) {
			return new(big.Float).SetInf(false)
		}
		return new(big.Float).SetInf(true)
	}
	x, y = p.shrink(x, y, up)
	return clipUp(p.newUp().Add(x, y))
}

// mulDown returns a lower bound of x·y, where 0·∞ = 0: an infinite endpoint
// bounds a set of reals, whose products with 0 are all 0.
func (p Prec) mulDown(x, y *big.Float) *big.Float {
	if x.Sign() == 0 || y.Sign() == 0 {
		return zeroFloat
	}
	return clipDown(p.newDown().Mul(x, y))
}

func (p Prec) mulUp(x, y *big.Float) *big.Float {
	if x.Sign() == 0 || y.Sign() == 0 {
		return zeroFloat
	}
	return clipUp(p.newUp().Mul(x, y))
}

// quoDown returns a lower bound of x/y for y ≠ 0, where ∞/∞ stands for a
// quotient of the same sign that can be anything: its tight lower bound is 0 or
// −∞.
func (p Prec) quoDown(x, y *big.Float) *big.Float {
	if x.Sign() == 0 {
		return zeroFloat
	}
	if x.IsInf() && y.IsInf() {
		if x.Sign() == y.Sign() {
			return zeroFloat
		}
		return new(big.Float).SetInf(true)
	}
	if y.IsInf() {
		if x.Sign() == y.Sign() {
			return zeroFloat
		}
		return smallest(true) // x/y is negative and arbitrarily small
	}
	return clipDown(p.newDown().Quo(x, y))
}

func (p Prec) quoUp(x, y *big.Float) *big.Float {
	if x.Sign() == 0 {
		return zeroFloat
	}
	if x.IsInf() && y.IsInf() {
		if x.Sign() != y.Sign() {
			return zeroFloat
		}
		return new(big.Float).SetInf(false)
	}
	if y.IsInf() {
		if x.Sign() != y.Sign() {
			return zeroFloat
		}
		return smallest(false)
	}
	return clipUp(p.newUp().Quo(x, y))
}

// setDown returns x rounded down to p bits.
func (p Prec) setDown(x *big.Float) *big.Float {
	if x.Prec() <= uint(p) {
		return x
	}
	return clipDown(p.newDown().Set(x))
}

func (p Prec) setUp(x *big.Float) *big.Float {
	if x.Prec() <= uint(p) {
		return x
	}
	return clipUp(p.newUp().Set(x))
}

// fixedDown returns a lower bound of n·2^−w.
func (p Prec) fixedDown(n *big.Int, w int) *big.Float {
	return p.scaleDown(p.newDown().SetInt(n), -w)
}

func (p Prec) fixedUp(n *big.Int, w int) *big.Float {
	return p.scaleUp(p.newUp().SetInt(n), -w)
}

// scaleDown returns a lower bound of f·2^k; exact if f has at most p bits and
// the result is in range. SetMantExp takes the precision of its argument and is
// exact; the exponent is bounded before it sees it, because its own underflow
// goes to 0 in every rounding mode.
func (p Prec) scaleDown(f *big.Float, k int) *big.Float {
	if f.Sign() == 0 || f.IsInf() {
		return f
	}
	return p.setDown(clipDown(new(big.Float).SetMantExp(f, boundedShift(f, k))))
}

func (p Prec) scaleUp(f *big.Float, k int) *big.Float {
	if f.Sign() == 0 || f.IsInf() {
		return f
	}
	return p.setUp(clipUp(new(big.Float).SetMantExp(f, boundedShift(f, k))))
}

// boundedShift returns k, or a shift that takes f out of range on the same side
// as k does but keeps its exponent within big.Float's.
func boundedShift(f *big.Float, k int) int {
	e := f.MantExp(nil)
	return min(max(k, -2*MaxExp-e), 2*MaxExp-e)
}
