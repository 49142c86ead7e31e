// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import "math/big"

// The primitives of this file compute one endpoint each: a result ≤ the exact value where
// it is rounded down, and ≥ it where it is rounded up. Both have at most p bits and an exponent
// in range. big.Float honours directed modes in Add, Sub, Mul, Quo, Set and
// SetRat; nothing else of it is used for a bound.

// A direction of rounding is the sign of what may be added.
type direction int

const (
	down direction = -1
	up   direction = +1
)

// signed returns a number f > 0, or −f; it reuses f.
func (to direction) signed(f *big.Float) *big.Float {
	if to == down {
		f.Neg(f)
	}
	return f
}

// infinity is −∞ or +∞.
func (to direction) infinity() *big.Float { return new(big.Float).SetInf(to == down) }

// largest is the finite endpoint of the largest magnitude, (1/2)·2^MaxExp: a single bit suffices.
func (to direction) largest() *big.Float { return to.signed(pow2(MaxExp - 1)) }

// smallest is the endpoint next to 0, (1/2)·2^−MaxExp.
func (to direction) smallest() *big.Float { return to.signed(pow2(-MaxExp - 1)) }

// zero returns a zero that rounds at precision p.
func (p Prec) zero(to direction) *big.Float { return p.rounding(new(big.Float), to) }

// rounding has z, which is 0, round at precision p.
func (p Prec) rounding(z *big.Float, to direction) *big.Float {
	mode := big.ToPositiveInf
	if to == down {
		mode = big.ToNegativeInf
	}
	return z.SetPrec(uint(p)).SetMode(mode)
}

// pow2 returns 2^k, exactly.
func pow2(k int) *big.Float {
	return new(big.Float).SetMantExp(oneFloat, k)
}

var (
	oneFloat = new(big.Float).SetInt64(1)
	minusOne = new(big.Float).SetInt64(-1)
)

// clip brings z, an exact value or one rounded in the direction, into range. It may reuse z.
func clip(to direction, z *big.Float) *big.Float {
	if z.Sign() == 0 || z.IsInf() {
		return z
	}
	side := direction(z.Sign())
	switch e := z.MantExp(nil); {
	case e > MaxExp && side == to:
		return to.infinity()
	case e > MaxExp:
		return side.largest()
	case e < -MaxExp && side == to:
		return to.smallest()
	case e < -MaxExp:
		return new(big.Float)
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
	return x, to.signed(pow2(ex - span)) // |y| < 2^ey < 2^(ex−span)
}

func (p Prec) add(to direction, x, y *big.Float) *big.Float {
	if x.IsInf() || y.IsInf() {
		if (x.IsInf() && x.Sign() == int(to)) || (y.IsInf() && y.Sign() == int(to)) {
			return to.infinity()
		}
		return (-to).infinity()
	}
	x, y = p.shrink(x, y, to)
	return clip(to, p.zero(to).Add(x, y))
}

// mul returns a bound of x·y, where 0·∞ = 0: an infinite endpoint
// bounds a set of reals, whose products with 0 are all 0.
func (p Prec) mul(to direction, x, y *big.Float) *big.Float {
	if x.Sign() == 0 || y.Sign() == 0 {
		return zeroFloat
	}
	return clip(to, p.zero(to).Mul(x, y))
}

// quo returns a bound of x/y for y ≠ 0, where ∞/∞ stands for a
// quotient of the same sign that can be anything: its tight bounds are 0 and
// the infinity of that sign.
func (p Prec) quo(to direction, x, y *big.Float) *big.Float {
	side := direction(x.Sign() * y.Sign())
	switch {
	case x.Sign() == 0 || y.IsInf() && side != to:
		return zeroFloat
	case x.IsInf() && y.IsInf():
		return to.infinity()
	case y.IsInf():
		return to.smallest() // x/y is on this side of 0 and arbitrarily small
	}
	return clip(to, p.zero(to).Quo(x, y))
}

// set returns x rounded to p bits.
func (p Prec) set(to direction, x *big.Float) *big.Float {
	if x.Prec() <= uint(p) {
		return x
	}
	return clip(to, p.zero(to).Set(x))
}

// fixed returns a bound of n·2^−w.
func (p Prec) fixed(to direction, n *big.Int, w int) *big.Float {
	z := p.zero(to).SetInt(n)
	return clip(to, z.SetMantExp(z, boundedShift(z, -w)))
}

// scale returns a bound of f·2^k; exact if f has at most p bits and
// the result is in range. SetMantExp takes the precision of its argument and is
// exact; the exponent is bounded before it sees it, because its own underflow
// goes to 0 in every rounding mode.
func (p Prec) scale(to direction, f *big.Float, k int) *big.Float {
	if f.Sign() == 0 || f.IsInf() {
		return f
	}
	return p.set(to, clip(to, new(big.Float).SetMantExp(f, boundedShift(f, k))))
}

// boundedShift returns k, or a shift that takes f out of range on the same side
// as k does but keeps its exponent within big.Float's.
func boundedShift(f *big.Float, k int) int {
	e := f.MantExp(nil)
	return min(max(k, -2*MaxExp-e), 2*MaxExp-e)
}
