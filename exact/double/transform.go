// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package double

import (
	"math/big"
	"math/bits"

	"dpverify/exact/interval"
)

// unit bounds the relative error of an operation of float64.
const unit = 0x1p-53

// rootError bounds the distance of a root of unity from the one that it stands for: it is a product of two, each
// within 1.5·2^−53, and a product of complex numbers is within 3·2^−53 of the exact one.
const rootError = 7 * unit

// A Transform computes discrete Fourier transforms of a length that is a power of two.
type Transform struct {
	length int
	roots  []complex128 // e^(−πij/h), j < h, at h + j, for each h < n that is a power of two
}

// NewTransform returns the transform of a length, a power of two.
func NewTransform(n int) *Transform {
	t := &Transform{length: n, roots: make([]complex128, n)}
	step := 1 << (bits.Len(uint(n)) / 2)
	root := func(j int) complex128 {
		const w = interval.Prec(80)
		sin, cos := w.SinCos(w.Mul(w.Pi(), w.Rat(big.NewRat(int64(-2*j), int64(n)))))
		re, im := Of(cos), Of(sin) // of a number or two each
		return complex(re.Lo, im.Lo)
	}
	last := t.roots[n/2:]
	fine := make([]complex128, min(step, len(last)))
	for j := range fine {
		fine[j] = root(j)
	}
	for at := 0; at < n/2; at += step {
		coarse := root(at)
		for j, f := range fine[:min(step, n/2-at)] {
			last[at+j] = Product(coarse, f)
		}
	}
	for h := n / 4; h > 0; h /= 2 {
		for j := range h {
			t.roots[h+j] = t.roots[2*h+2*j]
		}
	}
	return t
}

// Forward replaces x by its transform, in the order that Backward takes.
//
// The last two levels have the roots 1 and −i alone, which are exact.
func (t *Transform) Forward(x []complex128) {
	h := t.length / 2
	for ; h > 2; h /= 2 {
		split(x[:t.length], t.roots[h:][:h], h)
	}
	if h == 2 {
		for b := 0; b < t.length; b += 4 {
			y := x[b:][:4]
			s, d, u, v := y[0]+y[2], y[0]-y[2], y[1]+y[3], y[1]-y[3]
			v = complex(imag(v), -real(v))
			y[0], y[1], y[2], y[3] = s+u, s-u, d+v, d-v
		}
	} else if h == 1 {
		x[0], x[1] = x[0]+x[1], x[0]-x[1]
	}
}

// Backward replaces a transform by Length times what it is of.
func (t *Transform) Backward(x []complex128) {
	if t.length == 2 {
		x[0], x[1] = x[0]+x[1], x[0]-x[1]
	}
	if t.length >= 4 {
		for b := 0; b < t.length; b += 4 {
			y := x[b:][:4]
			s, u, d, v := y[0]+y[1], y[0]-y[1], y[2]+y[3], y[2]-y[3]
			v = complex(-imag(v), real(v))
			y[0], y[1], y[2], y[3] = s+d, u+v, s-d, u-v
		}
	}
	for h := 4; h < t.length; h *= 2 {
		join(x[:t.length], t.roots[h:][:h], h)
	}
}

// Length is the number of entries.
func (t *Transform) Length() int { return t.length }

// Relative bounds the error of an entry of a cyclic convolution of x and y by ‖x‖₂·‖y‖₂ times it: see
// docs/theorems.md, *Convolutions by transforms in float64*. Three transforms of log₂ n levels each, a product, and a
// factor for the rounding of this bound.
func (t *Transform) Relative() float64 {
	levels := float64(bits.Len(uint(t.length)) - 1)
	most := 3*levels*(rootError+4*unit) + 3*unit
	return most * (1 + 0x1p-20) // (1 + a)(1 + b)… − 1 for a few hundred numbers near 2^−53
}
