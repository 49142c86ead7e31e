// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"math/big"
	"math/bits"

	"dpverify/exact/interval"
)

// unit bounds the relative error of an operation of float64.
const unit = 0x1p-53

// rootError bounds the distance of a root of unity from the one that it stands for: it is a product of two, each within 2^−53,
// and a product of complex numbers is within 3·2^−53 of the exact one.
const rootError = 6 * unit

// A transform computes discrete Fourier transforms of a length that is a power of two.
type transform struct {
	n     int
	roots []complex128 // e^(−2πij/n), j < n/2
}

func newTransform(n int) *transform {
	t := &transform{n: n, roots: make([]complex128, max(n/2, 1))}
	step := 1 << (bits.Len(uint(n)) / 2)
	root := func(j int) complex128 {
		const w = interval.Prec(80)
		sin, cos := w.SinCos(w.Mul(w.Pi(), w.Rat(big.NewRat(int64(-2*j), int64(n)))))
		re, _ := w.Mid(cos).Lo().Float64()
		im, _ := w.Mid(sin).Lo().Float64()
		return complex(re, im)
	}
	fine := make([]complex128, min(step, len(t.roots)))
	for j := range fine {
		fine[j] = root(j)
	}
	for at := 0; at < len(t.roots); at += step {
		coarse := root(at)
		for j, f := range fine[:min(step, len(t.roots)-at)] {
			t.roots[at+j] = product(coarse, f)
		}
	}
	return t
}

// product is x·y, off by a factor within 3·2^−53 of 1.
func product(x, y complex128) complex128 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	return complex(float64(a*c)-float64(b*d), float64(a*d)+float64(b*c))
}

// forward replaces x by its transform, in the order that backward takes.
func (t *transform) forward(x []complex128) {
	for h, stride := t.n/2, 1; h > 0; h, stride = h/2, 2*stride {
		for b := 0; b < t.n; b += 2 * h {
			lo, hi := x[b:b+h], x[b+h:b+2*h]
			for j, u := range lo {
				v := hi[j]
				lo[j] = u + v
				hi[j] = product(u-v, t.roots[j*stride])
			}
		}
	}
}

// backward replaces a transform by n times what it is of.
func (t *transform) backward(x []complex128) {
	for h, stride := 1, t.n/2; h < t.n; h, stride = 2*h, stride/2 {
		for b := 0; b < t.n; b += 2 * h {
			lo, hi := x[b:b+h], x[b+h:b+2*h]
			for j, u := range lo {
				r := t.roots[j*stride]
				v := product(hi[j], complex(real(r), -imag(r)))
				lo[j], hi[j] = u+v, u-v
			}
		}
	}
}

// relative bounds the error of an entry of a cyclic convolution of x and y by ‖x‖₂·‖y‖₂ times it: see docs/theorems.md, *Convolutions by
// transforms in float64*. Three transforms of log₂ n levels each, a product, and a factor for the rounding of this bound.
func (t *transform) relative() float64 {
	levels := float64(bits.Len(uint(t.n)) - 1)
	return float64((3*levels*(rootError+4*unit))+3*unit) * (1 + 0x1p-20) // (1 + a)(1 + b)… − 1 for a few hundred numbers near 2^−53
}

// generous covers the rounding of a few operations, and of sums of fewer than 2^30 numbers ≥ 0.
const generous = 1 + 0x1p-20
