// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"math/big"
	"math/bits"

	"dpverify/exact/interval"
)

// A Complex encloses re + i·im.
type Complex struct{ Re, Im Real }

// MulC returns an enclosure of x·y.
func (w Three) MulC(x, y Complex) Complex {
	return Complex{
		w.Sub(w.Mul(x.Re, y.Re), w.Mul(x.Im, y.Im)),
		w.Add(w.Mul(x.Re, y.Im), w.Mul(x.Im, y.Re)),
	}
}

// FromComplex returns an enclosure of z.
func FromComplex(z interval.Complex) Complex {
	return Complex{FromInterval(z.Re), FromInterval(z.Im)}
}

// Interval returns the enclosure as a rectangle, exactly.
func (x Complex) Interval() interval.Complex {
	return interval.Complex{Re: x.Re.Interval(), Im: x.Im.Interval()}
}

// Known reports whether both parts of x are.
func (x Complex) Known() bool { return x.Re.Known() && x.Im.Known() }

// Middle returns a point m and a bound r with |t − m| ≤ r for all t that x encloses, which is known: what either part
// is off by, added up.
func (x Complex) Middle() (m Complex, r interval.Interval) {
	return Complex{x.Re.exact(), x.Im.exact()}, interval.Prec(64).Add(x.Re.radius(), x.Im.radius()).Upper()
}

// radius returns err·2^(exp−192).
func (x Real) radius() interval.Interval {
	e := new(big.Float).SetUint64(x.err())
	return interval.Point(e.SetMantExp(e, x.exp()-192))
}

// SqrC returns an enclosure of x²: (a + ib)² = (a + b)(a − b) + 2iab.
func (w Three) SqrC(x Complex) Complex {
	return Complex{
		w.Mul(w.Add(x.Re, x.Im), w.Sub(x.Re, x.Im)),
		w.Scale(w.Mul(x.Re, x.Im), 1),
	}
}

// PowIntC returns an enclosure of x^n, n ≥ 0.
func (w Three) PowIntC(x Complex, n int64) Complex {
	if n == 0 {
		return Complex{Re: Int(1)}
	}
	y := x
	for i := bits.Len64(uint64(n)) - 2; i >= 0; i-- {
		y = w.SqrC(y)
		if n>>i&1 == 1 {
			y = w.MulC(y, x)
		}
	}
	return y
}

// DivC returns an enclosure of x/y = x·ȳ/|y|².
func (w Three) DivC(x, y Complex) Complex {
	n := w.Add(w.Sqr(y.Re), w.Sqr(y.Im))
	z := w.MulC(x, Complex{y.Re, y.Im.Neg()})
	return Complex{w.Div(z.Re, n), w.Div(z.Im, n)}
}
