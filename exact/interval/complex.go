// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/bits"
)

// A Complex is the rectangle {s + i·t : s ∈ Re, t ∈ Im} of complex numbers. The
// inclusion principle holds for it as for intervals: a function returns a rectangle
// that contains the values at all members of its arguments. The zero value is the
// point 0.
//
// A product of rectangles is the least rectangle around products of intervals, and
// so up to √2 wider than the set itself each time: rotate by e^{iφ} once, not often.
type Complex struct{ Re, Im Interval }

// Conj returns the conjugate of z, exactly.
func (z Complex) Conj() Complex { return Complex{z.Re, z.Im.Neg()} }

// Neg returns −z, exactly.
func (z Complex) Neg() Complex { return Complex{z.Re.Neg(), z.Im.Neg()} }

// RoundC returns the tightest enclosure of z whose endpoints have p bits.
func (p Prec) RoundC(z Complex) Complex { return Complex{p.Round(z.Re), p.Round(z.Im)} }

// AddC returns an enclosure of y + z.
func (p Prec) AddC(y, z Complex) Complex { return Complex{p.Add(y.Re, z.Re), p.Add(y.Im, z.Im)} }

// SubC returns an enclosure of y − z.
func (p Prec) SubC(y, z Complex) Complex { return p.AddC(y, z.Neg()) }

// MulC returns an enclosure of y·z.
func (p Prec) MulC(y, z Complex) Complex {
	return Complex{
		p.Sub(p.Mul(y.Re, z.Re), p.Mul(y.Im, z.Im)),
		p.Add(p.Mul(y.Re, z.Im), p.Mul(y.Im, z.Re)),
	}
}

// ScaleC returns an enclosure of x·z for a real x.
func (p Prec) ScaleC(x Interval, z Complex) Complex { return Complex{p.Mul(x, z.Re), p.Mul(x, z.Im)} }

// SqrC returns an enclosure of z², (s + it)² = s² − t² + 2ist.
func (p Prec) SqrC(z Complex) Complex {
	return Complex{p.Sub(p.Sqr(z.Re), p.Sqr(z.Im)), p.Scale(p.Mul(z.Re, z.Im), 1)}
}

// NormSqr returns an enclosure of |z|².
func (p Prec) NormSqr(z Complex) Interval { return p.Add(p.Sqr(z.Re), p.Sqr(z.Im)) }

// AbsC returns an enclosure of |z|.
func (p Prec) AbsC(z Complex) Interval { return p.Sqrt((p + 2).NormSqr(z)) }

// InvC returns an enclosure of 1/z = z̄/|z|²; entire if z contains 0.
func (p Prec) InvC(z Complex) Complex {
	n := p.NormSqr(z)
	return Complex{p.Div(z.Re, n), p.Div(z.Im.Neg(), n)}
}

// DivC returns an enclosure of y/z.
func (p Prec) DivC(y, z Complex) Complex { return p.MulC(y, (p + 2).InvC(z)) }

// PowIntC returns an enclosure of z^n, n ≥ 0; z^0 is 1.
//
// Width: about 2·log2 n bits of relative accuracy are lost by the power itself, and up
// to half a bit for each of its squarings and products by the shape of rectangles.
func (p Prec) PowIntC(z Complex, n int64) Complex {
	p.check()
	if n < 0 {
		panic("interval: internal error: PowIntC of a negative power")
	}
	if n == 0 {
		return Complex{Re: Int(1)}
	}
	w := p + Prec(3*bits.Len64(uint64(n))) + 2
	y := z
	for i := bits.Len64(uint64(n)) - 2; i >= 0; i-- {
		y = w.SqrC(y)
		if n>>i&1 == 1 {
			y = w.MulC(y, z)
		}
	}
	return p.RoundC(y)
}

// ExpI returns an enclosure of e^{ix} for a real x.
func (p Prec) ExpI(x Interval) Complex {
	s, c := p.SinCos(x)
	return Complex{c, s}
}

// ExpC returns an enclosure of e^z.
func (p Prec) ExpC(z Complex) Complex {
	w := p + 4
	return p.RoundC(w.ScaleC(w.Exp(z.Re), w.ExpI(z.Im)))
}

// ArgC returns an enclosure of the argument of z in (−π, π]; [−π, π] if z meets the
// negative half of the real axis or 0.
//
// arg z = arctan(t/s) for s > 0, and ±π/2 − arctan(s/t) above and below the axis. Both
// are monotone in s and in t, so they are bounded by quotients of intervals.
func (p Prec) ArgC(z Complex) Interval {
	w := p + 4
	half := w.Scale(w.Pi(), -1)
	switch {
	case z.Re.Positive() == True:
		return p.Atan(w.Div(z.Im, z.Re))
	case z.Im.Positive() == True:
		return p.Sub(half, w.Atan(w.Div(z.Re, z.Im)))
	case z.Im.Negative() == True:
		return p.Sub(half.Neg(), w.Atan(w.Div(z.Re, z.Im)))
	}
	return p.Round(Union(w.Pi().Neg(), w.Pi()))
}

// LogC returns an enclosure of log z = log|z| + i·arg z, the branch that is real on
// the positive axis; see ArgC for z next to the negative one.
func (p Prec) LogC(z Complex) Complex {
	return Complex{p.Scale(p.Log((p + 4).NormSqr(z)), -1), p.ArgC(z)}
}
